"""Optional packages, checked before they are imported."""

from importlib.util import find_spec

from grouser.errors import MissingExtra

_PACKAGES = {
    "PIL": "pillow",
    "cv2": "opencv-python-headless",
    "foxglove": "foxglove-sdk",
    "serial": "pyserial",
    "stable_baselines3": "stable-baselines3",
}
"""Package names that differ from the module name."""


def require_extra(purpose: str, extra: str, *modules: str) -> None:
    """Do nothing if all modules are installed.

    Args:
        purpose: Feature that needs them, the subject of the message.
        extra: Extra of grouser that installs them.
        modules: Modules that are needed.

    Raises:
        MissingExtra: One of them is not installed.
    """
    for module in modules:
        if find_spec(module) is None:
            raise MissingExtra(purpose, _PACKAGES.get(module, module), extra)
