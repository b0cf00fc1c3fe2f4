"""Optional packages, looked for before anything imports them."""

from importlib.util import find_spec

from grouser.errors import MissingExtra

_PACKAGES = {"PIL": "pillow", "cv2": "opencv-python-headless", "serial": "pyserial"}
"""Packages that are called otherwise than what they are imported as."""


def require_extra(purpose: str, extra: str, *modules: str) -> None:
    """Do nothing if all modules are installed.

    Args:
        purpose: What needs them, as the beginning of a sentence.
        extra: Which extra of grouser installs them.
        modules: What is going to be imported.

    Raises:
        MissingExtra: One of them is not installed.
    """
    for module in modules:
        if find_spec(module) is None:
            raise MissingExtra(purpose, _PACKAGES.get(module, module), extra)
