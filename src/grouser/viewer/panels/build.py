"""The palette, and what is known of the selected piece."""

from collections.abc import Mapping
from typing import Any, Final

import viser

from grouser.viewer.builder import Builder, BuildState
from grouser.viewer.building import Draft
from grouser.viewer.palette import PALETTE
from grouser.viewer.panels.widgets import QUIET, Widgets

GRIDS: Final = {"off": 0.0, "0.05 m": 0.05, "0.1 m": 0.1, "0.25 m": 0.25, "0.5 m": 0.5}
"""Distances to which pieces snap, by their labels [m]."""
GRIPS = ("Move and turn", "Size")
"""What the gizmo changes."""
PLACE = ("x_m", "y_m", "yaw_deg", "base_m")
"""Keys of the place of a piece."""
FIELDS = 12
"""Number of fields for numbers of a piece [1]."""
UNITS = {"_m": "[m]", "_deg": "[°]"}
FRICTION = "friction"
NONE: str = "ground"
SELECT = "Click on a piece to select it."
OFF = "Choose a piece, or switch on “Edit the course”."


class BuildPanel:
    """Controls of the editor of a course. Its fields are used again for each piece."""

    def __init__(self, gui: viser.GuiApi, builder: Builder, widgets: Widgets) -> None:
        self._builder = builder
        self._keys: tuple[str, ...] = ()
        self._whole: set[str] = set()
        self._shown: BuildState | None = None
        self._on = gui.add_checkbox("Edit the course", False, hint="Clicks select and place pieces")
        with gui.add_folder("Palette"):
            self._pieces = gui.add_button_group("", tuple(entry.label for entry in PALETTE))
            self._say = gui.add_markdown(OFF)
            self._grid = gui.add_dropdown("Snap to grid", tuple(GRIDS), initial_value="0.1 m")
        with gui.add_folder("Piece", visible=False) as self._piece:
            self._grip = gui.add_button_group("Gizmo", GRIPS)
            self._fields = [gui.add_number(f"field {n}", 0.0, step=0.001) for n in range(FIELDS)]
            self._surface = gui.add_dropdown("Surface", (NONE,))
            self._do = gui.add_button_group("", ("Duplicate", "Delete"), hint="Ctrl+D, Delete")
        self._undo = gui.add_button("Undo", hint="Ctrl+Z", color=QUIET, disabled=True)
        self._redo = gui.add_button("Redo", hint="Ctrl+Shift+Z", color=QUIET, disabled=True)
        with gui.add_folder("Course"):
            self._name = gui.add_text("Name", "", hint="Of the course and its file")
            self._save = gui.add_button("Save course", hint="As a course file and a scenario")
        self._connect(widgets)

    def show(self, state: BuildState) -> None:
        """Update the controls if something has changed."""
        if state != self._shown:
            self.restore(state)

    def restore(self, state: BuildState) -> None:
        """Set the controls to the current state."""
        self._shown = state
        self._on.value = state.is_on
        self._say.content = _say(state)
        self._grid.value = min(GRIDS, key=lambda word: abs(GRIDS[word] - state.grid))
        self._undo.disabled, self._redo.disabled = not state.undoable, not state.redoable
        self._save.disabled = state.draft is None or state.is_saved
        if state.draft is not None:
            self._name.value = str(state.draft.content["name"])
        self._name.disabled = state.draft is None
        number = state.selected
        draft = None if number is None else state.draft or self._builder.look()
        is_known = draft is not None and number is not None and number < len(draft.pieces)
        _update(self._piece, visible=is_known)
        if draft is not None and number is not None and is_known:
            self._show_piece(draft, number)

    def _connect(self, widgets: Widgets) -> None:
        builder = self._builder
        widgets.on_change(self._on, lambda on: builder.show(is_on=on))
        widgets.on_click(self._pieces, lambda event: self._choose(event.target.value))
        widgets.on_change(self._grid, lambda word: builder.show(grid=GRIDS[word]))
        widgets.on_click(self._grip, lambda event: builder.show(grip=event.target.value))
        for place, field in enumerate(self._fields):
            widgets.on_change(field, lambda value, place=place: self._set(place, value))
        widgets.on_change(self._surface, lambda name: builder.set_values(surface=name))
        verbs = {"Duplicate": builder.duplicate, "Delete": builder.delete}
        widgets.on_click(self._do, lambda event: verbs[event.target.value]())
        widgets.on_click(self._undo, lambda _: builder.undo())
        widgets.on_click(self._redo, lambda _: builder.redo())
        widgets.on_change(self._name, lambda name: builder.rename(name))
        widgets.on_click(self._save, lambda _: builder.save())

    def _choose(self, label: str) -> None:
        entry = next(entry for entry in PALETTE if entry.label == label)
        self._builder.show(is_on=True, tool=entry, selected=None)

    def _set(self, place: int, value: float) -> None:
        if place >= len(self._keys):
            return
        key = self._keys[place]
        if key == FRICTION:
            self._builder.set_friction(value)
        elif "." in key:
            name, _, number = key.partition(".")
            state = self._builder.state
            draft = state.draft or self._builder.look()
            if draft is not None and state.selected is not None:
                pair = list(draft.pieces[state.selected][name])
                pair[int(number)] = value
                self._builder.set_values(**{name: pair})
        else:
            is_whole = key in self._whole
            self._builder.set_values(**{key: round(value) if is_whole else float(value)})

    def _show_piece(self, draft: Draft, number: int) -> None:
        values = read_fields(draft, number)
        self._keys = tuple(values)
        self._whole = {key for key, value in values.items() if isinstance(value, int)}
        for field, key in zip(self._fields, self._keys, strict=False):
            step, digits = (1.0, 0) if key in self._whole else (_step(key), _precision(key))
            _update(field, label=_label(key), step=step, precision=digits, visible=True)
            field.value = values[key]
        for field in self._fields[len(self._keys) :]:
            _update(field, visible=False)
        surface = str(draft.pieces[number].get("surface", NONE))
        if tuple(self._surface.options) != draft.surfaces:
            self._surface.options = draft.surfaces
        self._surface.value = surface


def read_fields(draft: Draft, number: int) -> dict[str, float]:
    """Return the numbers of a piece that can be changed in the panel, by their keys."""
    table: Mapping[str, Any] = draft.pieces[number]
    if table.get("kind") == "plane":
        return {}
    values: dict[str, float] = {key: float(table.get(key, 0.0)) for key in PLACE}
    if table.get("kind") == "patch":
        values.pop("base_m")
        friction = draft.friction(str(table.get("surface", NONE)))
        values |= {} if friction is None else {FRICTION: float(friction)}
    for key, value in table.items():
        if key not in PLACE and isinstance(value, int | float) and not isinstance(value, bool):
            values[key] = value
        if isinstance(value, list | tuple) and key == "height_range_m":
            values |= {f"{key}.{n}": float(height) for n, height in enumerate(value)}
    return dict(list(values.items())[:FIELDS])


def _say(state: BuildState) -> str:
    if state.tool is not None:
        return f"Click on the ground to place: **{state.tool.label.lower()}** (Esc ends)."
    return SELECT if state.is_on else OFF


def _label(key: str) -> str:
    known = {"height_range_m.0": "Black [m]", "height_range_m.1": "White [m]"}
    if key in known:
        return known[key]
    for ending, unit in UNITS.items():
        if key.endswith(ending):
            return f"{key.removesuffix(ending).replace('_', ' ').capitalize()} {unit}"
    return key.replace("_", " ").capitalize()


def _precision(key: str) -> int:
    return {"yaw_deg": 1, "angle_deg": 1, "scale": 6}.get(key, 3)


def _step(key: str) -> float:
    return {"yaw_deg": 5.0, "angle_deg": 1.0, "scale": 0.001}.get(key, 0.01)


def _update(control: Any, **values: Any) -> None:
    """Set attributes of a control that differ; each is a message to all pages."""
    for name, value in values.items():
        if getattr(control, name) != value:
            setattr(control, name, value)
