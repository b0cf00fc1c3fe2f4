"""The parts of the table by name."""

from grouser.bench.batches import batch_cases
from grouser.bench.drives import (
    contact_cases,
    flipper_cases,
    ground_cases,
    model_cases,
    track_cases,
)
from grouser.bench.environments import environment_cases
from grouser.bench.processes import memory_cases, start_up_cases
from grouser.bench.section import Section

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
            reference="csm:boxes=1", cases=contact_cases,
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
