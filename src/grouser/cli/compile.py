"""`grouser compile`: compile models before they are needed."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.terminal import Terminal
from grouser.errors import Unsupported

if TYPE_CHECKING:
    from grouser.scenario import Scenario

USUAL = ("csm", "tankbot", "tracks-planar")
"""Models whose code most commands need: all models in three dimensions share that of csm."""
NOTHING_TO_COMPILE = 0.5
"""Longest time of a model whose code was there [s]."""


def compile_models(
    models: Annotated[tuple[str, ...], Parameter(metavar="MODEL")] = USUAL,
    /,
) -> None:
    """Compile models now, so that nothing has to wait for the compiler later.

    Without names those that need the compiler: csm, tankbot and tracks-planar. Each is compiled for
    one robot and for many, and one that has soil for one robot on the playground. Good for images
    of containers, and before many processes start at once. Compiled code is kept for this version
    and this kind of processor; what is there is only loaded.

    Args:
        models: Names that `grouser models` lists; parameters may follow, as in csm:single=true.
    """
    from grouser.scenario import Scenario

    terminal = Terminal()
    for name in models:
        scenario = Scenario(robot="absolem", course="flat", model=name, driver="person")
        for many, whose in ((False, "one robot"), (True, "many robots")):
            terminal.line(f"{name} for {whose}: {_try(scenario, many=many)}")
        on_soil = scenario.vary(course="playground")
        if on_soil.course.load_course().features <= scenario.load().model.features:
            terminal.line(f"{name} for one robot on soil: {_try(on_soil, many=False)}")


def _try(scenario: Scenario, *, many: bool) -> str:
    from grouser.scenario.compiling import try_out

    before = process_time()
    try:
        try_out(scenario, many=many)
    except Unsupported:
        return "not a thing that this model can do"
    taken = process_time() - before
    return "ready" if taken < NOTHING_TO_COMPILE else f"ready after {taken:.1f} s"
