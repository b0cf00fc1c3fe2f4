"""Some hundred bad inputs for every reader and grammar; `make fuzz` tries many more.

Half of the cases are the same in each run, half are new; a failure prints the seed. An input that
was once a finding is a file in `cases/TARGET/` and is tried in each run.
"""

import random
from pathlib import Path

import pytest

from tests.fuzz.mutate import mutate
from tests.fuzz.target import Target
from tests.fuzz.targets import all_targets
from tests.fuzz.trial import FAULTS, Finding, try_case

CASES = Path(__file__).parent / "cases"
FIXED, FRESH = 100, 100
TARGETS = all_targets()


def folder_of(name: str) -> Path:
    return CASES / name.replace(" ", "-").replace("/", "-")


@pytest.mark.parametrize("name", TARGETS)
def test_valid_inputs_are_accepted(name: str):
    target = TARGETS[name]
    assert target.valid
    for sample in target.valid:
        assert try_case(target, sample) == Finding("accepted")


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("kind", ["fixed", "fresh"])
def test_bad_inputs_are_accepted_or_rejected_in_words(name: str, kind: str):
    seed = 0 if kind == "fixed" else random.SystemRandom().randrange(2**32)
    run_cases(TARGETS[name], seed, FIXED if kind == "fixed" else FRESH)


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
