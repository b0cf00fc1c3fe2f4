"""Sliders of numbers that change while driving, and what was changed."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import viser

from grouser.errors import GrouserError
from grouser.scenario import Scenario
from grouser.viewer.commands import PageCommands
from grouser.viewer.dials import Dial, find_dials
from grouser.viewer.panels.widgets import QUIET, Widgets
from grouser.viewer.session import Session
from grouser.viewer.touch import Touch

PAUSE = 0.12
"""Time between two changes of a slider that moves [s]."""
UNCHANGED = "All numbers are those of the files."


class NumbersPanel:
    """A slider for each number that the model of the page lets one change."""

    def __init__(
        self, gui: viser.GuiApi, touch: Touch, commands: PageCommands, widgets: Widgets
    ) -> None:
        self._gui, self._touch, self._widgets = gui, touch, widgets
        self._scenario: Scenario | None = None
        self._dials: tuple[Dial, ...] = ()
        self._sliders: dict[str, Any] = {}
        self._soon: dict[str, float] = {}
        self._folder = gui.add_folder("Numbers")
        with self._folder:
            self._words = gui.add_markdown(UNCHANGED, order=1e6)
            self._reset = gui.add_button(
                "Reset to file",
                hint="All numbers as the files have them",
                order=1e6 + 1,
                color=QUIET,
            )
            save = gui.add_button(
                "Save with changes",
                hint="A scenario file with these numbers, and with the run if it was driven",
                order=1e6 + 2,
                color=QUIET,
            )
        widgets.on_click(self._reset, lambda _: self._to_file())
        widgets.on_click(save, lambda event: commands.save_scenario(sender(event.client)))

    def show(self, session: Session, *, is_usable: bool) -> None:
        """Show the numbers of a session; those of another scenario replace the sliders."""
        if session.scenario is not self._scenario:
            self._scenario = session.scenario
            self._rebuild(session)
        changes = session.changes
        for dial in self._dials:
            slider, value = self._sliders[dial.key], changes.get(dial.key, dial.value)
            if slider.disabled == is_usable:
                slider.disabled = not is_usable
            if dial.key not in self._soon and slider.value != value:
                slider.value = value
        words = describe(self._dials, changes)
        if self._words.content != words:
            self._words.content = words
        if self._reset.disabled != (words == UNCHANGED):
            self._reset.disabled = words == UNCHANGED

    def _rebuild(self, session: Session) -> None:
        """Replace the sliders that differ: viser keeps a message for each one that was removed."""
        try:
            dials = find_dials(session.scenario)
        except GrouserError:  # whoever starts it gets the same error, and reports it
            dials = ()
        before = {dial.key: replace(dial, value=0.0) for dial in self._dials}
        self._dials, self._soon = dials, {}
        same = {dial.key for dial in dials if before.get(dial.key) == replace(dial, value=0.0)}
        for key in set(self._sliders) - same:
            self._widgets.remove(self._sliders.pop(key))
        with self._folder:
            for place, dial in enumerate(dials):
                if dial.key not in same:
                    self._add(dial, place)

    def _add(self, dial: Dial, place: int) -> None:
        self._sliders[dial.key] = slider = self._gui.add_slider(
            dial.label,
            min=dial.low,
            max=dial.high,
            step=dial.step,
            initial_value=dial.value,
            hint=dial.hint or dial.key,
            order=place,
        )
        self._widgets.on_change(slider, self._setter(dial.key))

    def _setter(self, key: str) -> Callable[[float], None]:
        return lambda value: self._set_soon(key, value)

    def _set_soon(self, key: str, value: float) -> None:
        """Change a number, at most once in `PAUSE`: a slider that is moved has many values."""
        if not self._soon:
            asyncio.get_running_loop().call_later(PAUSE, self._apply)
        self._soon[key] = value

    def _apply(self) -> None:
        values, self._soon = self._soon, {}
        self._touch.change(values)

    def _to_file(self) -> None:
        self._soon = {}
        self._touch.reset_numbers(self._dials)


def describe(dials: Sequence[Dial], changes: Mapping[str, float | str | bool]) -> str:
    """Return in words which numbers differ from their files."""
    known = {dial.key: dial for dial in dials}
    lines = [
        f"- {known[key].describe(value)}" if key in known else f"- `{key}` = {value}"
        for key, value in changes.items()
        if key not in known or value != known[key].value
    ]
    return "\n".join(["Changed:", *lines]) if lines else UNCHANGED


def sender(client: viser.ClientHandle | None) -> Callable[[Sequence[Path]], None]:
    """Return a function that sends files to a page as downloads."""

    def send(files: Sequence[Path]) -> None:
        if client is not None:
            for file in files:
                client.send_file_download(file.name, file.read_bytes(), save_immediately=True)

    return send
