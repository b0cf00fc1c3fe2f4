"""What each page has for itself: its camera, and its way to the wheel."""

import viser

from grouser.viewer.cameras import MODES, Cameras
from grouser.viewer.seat import Seat


class OwnPanel:
    """Controls at the top of one page."""

    def __init__(self, client: viser.ClientHandle, cameras: Cameras, seat: Seat) -> None:
        self._client_id = client.client_id
        self._cameras, self._seat = cameras, seat
        gui = client.gui
        self._take = gui.add_button("Take the wheel", color="green", visible=False, order=-2)
        self._camera = gui.add_dropdown(
            "Camera", MODES, initial_value=cameras.mode(client), hint="C", order=-1
        )
        self._take.on_click(lambda _: seat.hand_over(client.client_id))
        self._camera.on_update(lambda _: cameras.set_mode(client, self._camera.value))

    def show(self) -> None:
        """Offer the wheel to whoever does not have it."""
        watches = self._seat.driver != self._client_id
        if self._take.visible != watches:
            self._take.visible = watches

    def next_camera(self) -> None:
        """See the robot in the next way."""
        place = MODES.index(self._camera.value)
        self._camera.value = MODES[(place + 1) % len(MODES)]
