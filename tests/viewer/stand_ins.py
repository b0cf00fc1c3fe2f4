"""A compiler that tests drive by hand."""

from collections.abc import Callable, Sequence

from grouser.scenario import Scenario


class FakeCompilation:
    """Takes the place of the process that compiles; `started` holds all of them."""

    started: list["FakeCompilation"]

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        show: Callable[[float], None],
        end: Callable[[str | None], None],
    ) -> None:
        self.models = [scenario.model.reference for scenario in scenarios]
        self.show, self.end, self.is_stopped = show, end, False
        self.started.append(self)

    def stop(self) -> None:
        self.is_stopped = True


def compile_by_hand(monkeypatch, *missing: str) -> list[FakeCompilation]:
    """Let models be missing until their compilation ends; return the list of compilations."""
    started: list[FakeCompilation] = []
    monkeypatch.setattr(FakeCompilation, "started", started, raising=False)

    def is_compiled(scenario: Scenario) -> bool:
        return scenario.model.reference not in missing

    monkeypatch.setattr("grouser.viewer.stand_in.Compilation", FakeCompilation)
    monkeypatch.setattr("grouser.viewer.stand_in.is_compiled", is_compiled)
    return started
