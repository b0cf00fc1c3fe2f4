"""What all figures of a scene have in common."""

import viser


class Figure:
    """Nodes below one, which are seen and taken away together."""

    def __init__(self, scene: viser.SceneApi, name: str) -> None:
        """Begin a figure without parts.

        Args:
            scene: Where to.
            name: Node that carries all of it, such as `/world/robot`.
        """
        self._root = scene.add_frame(name, show_axes=False)

    @property
    def visible(self) -> bool:
        """Whether it is to be seen."""
        return self._root.visible

    @visible.setter
    def visible(self, visible: bool) -> None:
        self._root.visible = visible

    def remove(self) -> None:
        """Take all of it out of the scene."""
        self._root.remove()
