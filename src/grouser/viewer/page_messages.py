"""Messages that pages send on viser's web socket: their fields, and which numbers they may have."""

import math
from typing import Annotated, Literal

import msgspec
from websockets.typing import Data

from grouser import limits

Coordinate = Annotated[float, msgspec.Meta(ge=-limits.LENGTH, le=limits.LENGTH)]
Triple = tuple[Coordinate, Coordinate, Coordinate]
Unit = Annotated[float, msgspec.Meta(ge=-2.0, le=2.0)]
Pair = tuple[Coordinate, Coordinate]
Pixels = Annotated[int, msgspec.Meta(ge=0, le=1 << 16)]


class CameraMessage(
    msgspec.Struct, tag_field="type", tag="ViewerCameraMessage", forbid_unknown_fields=True
):
    """Camera of a page."""

    wxyz: tuple[Coordinate, Coordinate, Coordinate, Coordinate]
    """Orientation as a quaternion, scalar first [1]."""
    position: Triple
    """Position [m]."""
    fov: Coordinate
    """Vertical field of view [rad]."""
    near: Coordinate
    """Distance of the near clipping plane [m]."""
    far: Coordinate
    """Distance of the far clipping plane [m]."""
    image_height: Pixels
    """Height of the image [pixels]."""
    image_width: Pixels
    """Width of the image [pixels]."""
    look_at: Triple
    """Point in the middle of the image [m]."""
    up_direction: Triple
    """Up direction [1]."""

    @property
    def numbers(self) -> tuple[float, ...]:
        """All numbers but those of pixels."""
        placed = (*self.wxyz, *self.position, *self.look_at, *self.up_direction)
        return (*placed, self.fov, self.near, self.far)


class Value(msgspec.Struct, forbid_unknown_fields=True):
    """The only attribute of a control that a client may change."""

    value: bool | int | float | str
    """New value, in the control's own unit [1]."""


class ControlMessage(
    msgspec.Struct, tag_field="type", tag="GuiUpdateMessage", forbid_unknown_fields=True
):
    """A control that a person used."""

    uuid: str
    updates: Value


Direction = tuple[Unit, Unit, Unit]
Modifier = Literal[
    "cmd/ctrl", "alt", "shift", "cmd/ctrl+alt", "cmd/ctrl+shift", "alt+shift", "cmd/ctrl+alt+shift"
]
NodeName = Annotated[str, msgspec.Meta(max_length=limits.NAME_LENGTH)]


class ClickMessage(
    msgspec.Struct, tag_field="type", tag="ScenePointerMessage", forbid_unknown_fields=True
):
    """A click in the scene."""

    event_type: Literal["click"]
    ray_origin: Triple
    """Camera [m]."""
    ray_direction: Direction
    """From the camera through the pixel [1]."""
    screen_pos: tuple[Pair]
    """Place on the page, from 0 to 1 [1]."""
    modifier: Modifier | None

    @property
    def numbers(self) -> tuple[float, ...]:
        """All numbers."""
        return (*self.ray_origin, *self.ray_direction, *self.screen_pos[0])


class GizmoMessage(
    msgspec.Struct,
    tag_field="type",
    tag="TransformControlsUpdateMessage",
    forbid_unknown_fields=True,
):
    """A gizmo that is dragged."""

    name: NodeName
    wxyz: tuple[Unit, Unit, Unit, Unit]
    """Its orientation as a quaternion, scalar first [1]."""
    position: Triple
    """Its position [m]."""
    owner: NodeName = ""

    @property
    def numbers(self) -> tuple[float, ...]:
        """All numbers."""
        return (*self.wxyz, *self.position)


class GizmoStartMessage(
    msgspec.Struct,
    tag_field="type",
    tag="TransformControlsDragStartMessage",
    forbid_unknown_fields=True,
):
    """A gizmo that was grabbed."""

    name: NodeName
    owner: NodeName = ""


class GizmoEndMessage(
    msgspec.Struct,
    tag_field="type",
    tag="TransformControlsDragEndMessage",
    forbid_unknown_fields=True,
):
    """A gizmo that was released."""

    name: NodeName
    owner: NodeName = ""


class DragMessage(
    msgspec.Struct, tag_field="type", tag="SceneNodeDragMessage", forbid_unknown_fields=True
):
    """A node that is dragged."""

    phase: Literal["start", "update", "end"]
    name: NodeName
    instance_index: Pixels | None
    start_position: Triple
    """Where it was grabbed [m]."""
    start_screen_pos: Pair
    """The same on the page [1]."""
    end_position: Triple
    """Where the pointer is [m]."""
    end_screen_pos: Pair
    """The same on the page [1]."""
    button: Literal["left", "middle", "right"]
    modifier: Modifier | None
    owner: NodeName = ""

    @property
    def numbers(self) -> tuple[float, ...]:
        """All numbers."""
        return (
            *self.start_position,
            *self.start_screen_pos,
            *self.end_position,
            *self.end_screen_pos,
        )


Message = (
    CameraMessage
    | ControlMessage
    | ClickMessage
    | GizmoMessage
    | GizmoStartMessage
    | GizmoEndMessage
    | DragMessage
)
_DECODER = msgspec.msgpack.Decoder(Message)


def read_message(data: Data) -> Message | None:
    """Return the message if it has all fields of its kind and no others; None otherwise."""
    try:
        message = _DECODER.decode(data) if isinstance(data, bytes) else None
    except (ValueError, RecursionError):
        return None
    # The range limits alone accept NaN.
    return message if all(map(math.isfinite, getattr(message, "numbers", ()))) else None
