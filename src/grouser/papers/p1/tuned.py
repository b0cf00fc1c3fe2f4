"""Values that our own search found for P1's models, as P1 searched for its simulator."""

import json
from functools import cache
from importlib.resources import files


@cache
def tuned_values() -> dict[str, dict[str, float]]:
    """Return searched values by P1's names; a model that was not searched is not there [1].

    P1 searched all of its models and prints no result. Ours are of `grouser tune --method p1`; the
    file tells with which settings, and what they cost.
    """
    text = (files("grouser.papers.p1") / "data" / "tuned.json").read_text()
    return {name: dict(found["values"]) for name, found in json.loads(text)["found"].items()}
