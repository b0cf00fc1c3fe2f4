"""Some hundred bad inputs for every reader and grammar; `make fuzz` tries many more.

The cases are the same in each run; `make fuzz` tries new ones. An input that was once a finding is
a file in `cases/TARGET/` and is tried in each run.
"""

import random
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from grouser.errors import GrouserError
from tests.fuzz import trial
from tests.fuzz.mutate import mutate
from tests.fuzz.nonsense import check_name
from tests.fuzz.target import Target
from tests.fuzz.targets import all_targets
from tests.fuzz.trial import CASES, FAULTS, Finding, folder_of, limit_memory, try_case

CASES_OF_A_TARGET, SEED = 100, 0
TARGETS = all_targets()


@pytest.mark.parametrize("name", TARGETS)
def test_valid_inputs_are_accepted(name: str):
    target = TARGETS[name]
    assert target.valid
    for sample in target.valid:
        assert try_case(target, sample) == Finding("accepted")


@pytest.mark.parametrize("name", TARGETS)
def test_bad_inputs_are_accepted_or_rejected_in_words(name: str):
    run_cases(TARGETS[name], SEED, CASES_OF_A_TARGET)


def run_cases(target: Target, seed: int, count: int) -> None:
    chance = random.Random(f"{target.name} {seed}")
    for number in range(count):
        content = mutate(target, chance)
        finding = try_case(target, content)
        assert finding.verdict not in FAULTS, (
            f"{target.name}, seed {seed}, case {number}: {finding.verdict}\n{finding.detail}\n"
            f"{content[:2000]!r}"
        )


@pytest.mark.parametrize(
    "case", sorted(CASES.glob("*/*")), ids=lambda case: f"{case.parent.name}/{case.name}"
)
def test_former_findings_stay_mended(case: Path):
    target = next(t for name, t in TARGETS.items() if folder_of(name) == case.parent)
    finding = try_case(target, case.read_bytes())
    assert finding.verdict not in FAULTS, finding.detail


def loop_for_ever() -> None:
    while True:
        pass


def refuse(sentence: str) -> Callable[[], None]:
    def attempt() -> None:
        raise GrouserError(sentence)

    return attempt


@pytest.mark.parametrize(
    ("attempt", "verdict"),
    [
        (lambda: {}["missing"], "exception"),
        (loop_for_ever, "hang"),
        (lambda: bytes(1 << 29), "growth"),
        (lambda: check_name("../x"), "nonsense"),
        (refuse("no such robot"), "sentence"),
        (refuse("input.toml: \x1b[2J"), "sentence"),
        (refuse("input.toml: " + 30_000 * "x"), "sentence"),
        (refuse("input.toml: mass_kg must be positive, not -1"), "rejected"),
        (lambda: check_name("tp100"), "accepted"),
    ],
)
def test_every_verdict_can_be_given(attempt, verdict, monkeypatch):
    """Without these the fuzzer could call anything right."""
    monkeypatch.setattr(trial, "SECONDS", 1)
    is_check = verdict in ("nonsense", "accepted")
    target = Target(
        name="made up",
        samples=lambda: [b""],
        attempt=lambda content, folder: None if is_check else attempt(),
        check=lambda value: attempt() if is_check else None,
    )
    before = resource.getrlimit(resource.RLIMIT_AS)
    limit_memory(1 << 27)
    try:
        assert try_case(target, b"").verdict == verdict
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
