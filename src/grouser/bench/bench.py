"""Benchmarks: cases, sections, measurement."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from grouser.bench.case import BenchOptions, Case, Probe, Sample, Section
from grouser.bench.cases import (
    batch_cases,
    contact_cases,
    environment_cases,
    flipper_cases,
    ground_cases,
    memory_cases,
    model_cases,
    start_up_cases,
    track_cases,
)
from grouser.bench.machine import Machine, Watch
from grouser.description import load_robot
from grouser.errors import GrouserError, UnknownName
from grouser.models import make_model

_FACTOR = "real-time factor"
SECTIONS = {
    section.name: section
    for section in (
        Section(
            name="models", summary="every model, one robot on flat ground", quantity=_FACTOR,
            unit="1", reference="ideal", cases=model_cases,
        ),
        Section(
            name="ground", summary="one robot on other ground", quantity=_FACTOR, unit="1",
            reference="the same model on flat", cases=ground_cases,
        ),
        Section(
            name="contacts", summary="more and more contacts", quantity=_FACTOR, unit="1",
            reference="csm:patches=2", cases=contact_cases,
        ),
        Section(
            name="tracks", summary="more and more tracks", quantity=_FACTOR, unit="1",
            reference="the same model, 1 per side", cases=track_cases,
        ),
        Section(
            name="flippers", summary="more and more flippers", quantity=_FACTOR, unit="1",
            reference="no flippers", cases=flipper_cases,
        ),
        Section(
            name="batch", summary="many robots at once, wall time",
            quantity="real-time factor, all robots", unit="1",
            reference="the same model x 1", cases=batch_cases,
        ),
        Section(
            name="environments", summary="Gymnasium's, wall time",
            quantity="steps of all robots", unit="1/s",
            reference="the loop over single ones", cases=environment_cases,
        ),
        Section(
            name="start-up", summary="from the command to the prompt, wall time",
            quantity="time", unit="ms", reference="python -c pass", cases=start_up_cases,
            is_rate=False, most_repeats=5,
        ),
        Section(
            name="memory", summary="the most that a process holds", quantity="memory", unit="MB",
            reference="python", cases=memory_cases, is_rate=False, most_repeats=1,
        ),
    )
}  # fmt: skip
"""All parts, in the order of the table."""


OnProgress = Callable[[str, int, int], None]
"""Called with what is measured now, the number of measurements done, and their total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    section: str
    """Part of the table."""
    case: str
    """What was measured."""
    note: str
    """Length of its step, contacts, threads."""
    quantity: str
    """What the value is."""
    unit: str
    """Unit of the value."""
    value: float
    """The best that was measured [unit]."""
    reference: str
    """Case of the same section that ratios are over."""
    ratio: float | None
    """Value over that of the reference; None where that was not measured [1]."""
    step_us: float | None
    """Time of one step of one robot; None for what has no steps [us]."""
    step_ratio: float | None
    """Time of one step over that of the reference [1]."""
    samples: int
    """Number of measurements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The results of a benchmark."""

    rows: tuple[Row, ...]
    """What was measured."""
    left_out: dict[str, str]
    """What could not be measured, by section and case, and why."""
    robot: str
    """Name or file of the robot."""
    machine: Machine
    """The computer."""
    is_interrupted: bool
    """Whether it was ended early; rows are then what was done."""


def run_bench(
    names: Sequence[str] = (),
    options: BenchOptions | None = None,
    on_progress: OnProgress = lambda *_: None,
) -> Bench:
    """Measure; an interrupt ends it and keeps what is done.

    The cases of a section take turns, so that all share what else happens on the machine.

    Raises:
        UnknownName: There is no such section, robot or model.
    """
    options = options or BenchOptions()
    for name in names:
        if name not in SECTIONS:
            raise UnknownName("section of the benchmark", name, SECTIONS)
    load_robot(options.robot)
    for model in options.models:
        make_model(model)
    sections = [section for name, section in SECTIONS.items() if name in names or not names]
    found: dict[tuple[str, str], list[Sample]] = {}
    left_out: dict[str, str] = {}
    watch, interrupted = Watch(), False
    plan = [(section, section.cases(options)) for section in sections]
    total = sum(len(cases) * _repeats(section, options) for section, cases in plan)
    done = 0
    try:
        for section, cases in plan:
            for case, probe in _turns(section, cases, options, left_out):
                on_progress(f"{section.name}: {case.name}", done, total)
                with _leaving_out(left_out, section, case):
                    found.setdefault((section.name, case.name), []).append(probe())
                done += 1
    except KeyboardInterrupt:
        interrupted = True
    rows = [row for section, cases in plan for row in _rows(section, cases, found)]
    return Bench(
        rows=tuple(rows),
        left_out=left_out,
        robot=options.robot,
        machine=watch.machine(),
        is_interrupted=interrupted,
    )


def _repeats(section: Section, options: BenchOptions) -> int:
    return min(options.repeats, section.most_repeats or options.repeats)


def _turns(
    section: Section, cases: list[Case], options: BenchOptions, left_out: dict[str, str]
) -> Iterator[tuple[Case, Probe]]:
    """Yield the cases by turns, each as often as it is measured."""
    ready = []
    for case in cases:
        with _leaving_out(left_out, section, case):
            ready.append((case, case.start()))
    for _ in range(_repeats(section, options)):
        yield from ready


@contextmanager
def _leaving_out(left_out: dict[str, str], section: Section, case: Case) -> Iterator[None]:
    """Note why a case could not be measured; the others continue."""
    try:
        yield
    except GrouserError as error:
        left_out[f"{section.name}: {case.name}"] = str(error)


def _rows(
    section: Section, cases: list[Case], found: dict[tuple[str, str], list[Sample]]
) -> Iterator[Row]:
    choose = max if section.is_rate else min
    best = {
        case.name: choose(samples, key=lambda sample: sample.value)
        for case in cases
        if (samples := found.get((section.name, case.name)))
    }
    for case in cases:
        if case.name not in best:
            continue
        mine, name = best[case.name], case.reference or cases[0].name
        other = best.get(name)
        yield Row(
            section=section.name,
            case=case.name,
            note=mine.note,
            quantity=section.quantity,
            unit=section.unit,
            value=mine.value,
            reference=name,
            ratio=mine.value / other.value if other else None,
            step_us=None if mine.step is None else 1e6 * mine.step,
            step_ratio=mine.step / other.step if mine.step and other and other.step else None,
            samples=len(found[section.name, case.name]),
        )
