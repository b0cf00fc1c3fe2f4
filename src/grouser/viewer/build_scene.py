"""Connects the editor of a course with the scene: clicks, the mark of a piece, its gizmos."""

import threading
from typing import Any

import viser

from grouser.description.pieces import KINDS
from grouser.errors import GrouserError
from grouser.viewer.builder import Builder, BuildState
from grouser.viewer.building import Placing, pull
from grouser.viewer.cameras import ROOT
from grouser.viewer.input import DriverLock
from grouser.viewer.palette import Axis, find_entry
from grouser.viewer.piece_shapes import mark_piece
from grouser.viewer.pointer import Click, Pointer
from grouser.viewer.scene.editing import Gizmos, MarkNode


class BuildScene:
    """Shows the selected piece on all pages, and its gizmos on the driver's page."""

    def __init__(
        self, server: viser.ViserServer, builder: Builder, pointer: Pointer, lock: DriverLock
    ) -> None:
        self._server, self._builder, self._pointer, self._lock = server, builder, pointer, lock
        self._mark = MarkNode(server.scene, f"{ROOT}/edit")
        self._gizmos: Gizmos | None = None
        self._shown: tuple[Any, ...] = ()
        self._guard = threading.RLock()

    def show(self, state: BuildState) -> None:
        """Show what is selected; from any thread."""
        with self._guard:
            course = self._builder.course
            drives = self._lock.driver if state.is_on else None
            shown = (state.is_on, state.selected, state.grip, state.draft, drives, id(course))
            if shown == self._shown:
                return
            self._shown = shown
            self._pointer.remove_tool(self._click)
            if state.is_on:
                self._pointer.add_tool(self._click)
            self._hide()
            number = state.selected
            # A piece that was added is shown when its course is loaded.
            if state.is_on and number is not None and number < len(course.pieces):
                self._show_piece(state, number)

    def _hide(self) -> None:
        if self._gizmos is not None:
            self._gizmos.hide()
            self._gizmos = None
        self._mark.hide()

    def _show_piece(self, state: BuildState, number: int) -> None:
        shapes = self._builder.shapes()
        table = state.draft.pieces[number] if state.draft else None
        piece = shapes.course.pieces[number]
        placing = Placing(*(getattr(piece, name, 0.0) for name in ("x", "y", "yaw", "base")))
        if not hasattr(piece, "x"):
            return  # a plane has no place
        mesh, bounds = shapes.mark(number), shapes.bounds(number)
        self._mark.show(mesh, placing)
        driver = self._lock.driver
        client = None if driver is None else self._server.get_clients().get(driver)
        if client is None:
            return
        self._gizmos = Gizmos(client.scene, f"{ROOT}/edit-own")
        if state.grip == "Size":
            entry = find_entry(table if table is not None else {"kind": getattr(piece, "kind", "")})
            axes: tuple[Axis, ...] = () if entry is None else tuple(entry.sizes)
            self._gizmos.show_sizes(placing, bounds, axes, self._pull)
        else:
            self._gizmos.show_move(placing, bounds.high[2], self._move)

    def _click(self, click: Click) -> bool:
        place = click.place
        if place is None:
            self._builder.show(selected=None)
            return True
        self._builder.click(place, self._builder.shapes().pick(click.ray, place))
        return True

    def _move(self, placing: Placing, is_released: bool) -> None:
        """Move the mark with the gizmo; the piece follows when the gizmo is released."""
        self._mark.move(placing.snap(self._builder.state.grid))
        if is_released:
            self._builder.move(placing)

    def _pull(self, axis: Axis, ratio: float, is_released: bool) -> None:
        """Stretch the mark with a grip; the piece follows when the grip is released."""
        if is_released:
            self._builder.stretch(axis, ratio)
            return
        state = self._builder.state
        draft, number = state.draft, state.selected
        if draft is None or number is None or "file" in draft.pieces[number]:
            return
        table = {**draft.pieces[number], **pull(draft.pieces[number], axis, ratio)}
        try:
            piece = KINDS[str(table["kind"])].model_validate(table, by_alias=True, by_name=False)
            self._mark.show(mark_piece(piece), Placing.of(table))
        except (GrouserError, ValueError):
            return  # too large or small for a moment
