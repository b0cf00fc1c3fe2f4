"""Which look the scene has: by choice, by the driver's graphics card, by measured frame rates.

The nodes of the scene are shared by all pages, so the look is, too; the page that drives chooses.
"""

from collections.abc import Callable
from threading import Lock
from typing import Literal, TypeAlias, get_args

from grouser.errors import UnknownName
from grouser.viewer.scene.lights import LOOKS, Look

Wish: TypeAlias = Literal["automatic", "full", "painted", "lean"]
"""What can be chosen; `automatic` follows the graphics card and the frame rate."""
WISHES: tuple[Wish, ...] = get_args(Wish)
SLOWEST = 18.0
"""Frame rate below which a leaner look is shown [1/s]."""
PATIENCE = 2
"""Number of slow reports in a row until then."""
SOFTWARE = ("swiftshader", "llvmpipe", "softpipe", "software", "basic render", "none")
"""Words in the names of WebGL renderers that use no graphics card."""
WITHOUT_CARD = (
    "This browser draws without a graphics card, so the scene has plain colours; "
    "choose another look under View."
)
"""What is said when the lean look is chosen at the start."""


def is_software_renderer(renderer: str) -> bool:
    """Return whether a WebGL renderer uses no graphics card, by its name."""
    return any(word in renderer.lower() for word in SOFTWARE)


def check_wish(name: str) -> Wish:
    """Return the wish with a name; UnknownName if there is none."""
    if name not in WISHES:
        raise UnknownName("look", name, WISHES)
    return name


class LookChoice:
    """The look that is shown; all methods may be called from any thread."""

    def __init__(
        self, wish: Wish = "automatic", changed: Callable[[], None] = lambda: None
    ) -> None:
        """Start with a wish; `changed` is called after each change of it by a page."""
        self._wish: Wish = wish
        self._changed = changed
        self._lock = Lock()
        self._look: Look = "lean" if wish == "automatic" else wish
        self._sentence: str | None = None
        self._slow = 0
        self._driver: int | None = None
        self._renderer = "none"

    @property
    def look(self) -> Look:
        """The look that is shown."""
        return self._look

    @property
    def wish(self) -> Wish:
        """What was chosen."""
        return self._wish

    @property
    def sentence(self) -> str | None:
        """Why another look is shown than before; None after a choice."""
        return self._sentence

    @property
    def status(self) -> dict[str, str | None]:
        """What pages are told."""
        return {"shown": self._look, "wish": self._wish, "sentence": self._sentence}

    def choose(self, wish: Wish) -> None:
        """Show what a person chose; `automatic` is that of the last page that was met."""
        with self._lock:
            self._wish, self._sentence, self._slow = wish, None, 0
            if wish == "automatic":
                self._judge()
            else:
                self._look = wish
        self._changed()

    def meet(self, client: int, renderer: str) -> None:
        """Choose by the renderer of the page that drives, if that is automatic, once per page."""
        with self._lock:
            if client == self._driver:
                return
            self._driver, self._renderer, self._slow = client, renderer, 0
            if self._wish == "automatic":
                self._judge()

    def _judge(self) -> None:
        is_software = is_software_renderer(self._renderer)
        self._look = "lean" if is_software else "full"
        self._sentence = WITHOUT_CARD if is_software and self._driver is not None else None

    def measure(self, frame_rate: float, look: str) -> None:
        """Show a leaner look if the page that drives stays below the slowest frame rate [1/s].

        Reports of another look than the one that is shown are late, and not counted.
        """
        with self._lock:
            if self._wish != "automatic" or look != self._look or look == LOOKS[-1]:
                return
            self._slow = self._slow + 1 if frame_rate < SLOWEST else 0
            if self._slow < PATIENCE:
                return
            self._slow = 0
            self._look = LOOKS[LOOKS.index(self._look) + 1]
            self._sentence = (
                f"This page drew only {frame_rate:.0f} pictures per second, so the scene has the "
                f"{self._look} look now; choose another under View."
            )
