"""Controls of the page."""

from grouser.viewer.panels.panel import OwnPanel, Panel

__all__ = ["OwnPanel", "Panel"]
