"""From logs to the parameters of several families, and which of them to use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from grouser.errors import GrouserError, InvalidValue, UnknownName
from grouser.identify.families import FAMILIES
from grouser.identify.family import Setting
from grouser.identify.fit import Fit
from grouser.identify.fit_family import fit_family
from grouser.identify.recommend import Recommendation, recommend
from grouser.identify.record import Record

KINEMATIC = tuple(name for name, family in FAMILIES.items() if not family.is_rough)
"""Families that take no search: fitted in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identification:
    """What was found."""

    records: tuple[Record, ...]
    """What it was found in."""
    setting: Setting
    """What was known before."""
    fits: Mapping[str, Fit]
    """Fits by family."""
    refused: Mapping[str, str]
    """Families that could not be fitted, and why."""
    recommendation: Recommendation
    """Which to use."""


def identify_records(
    records: Sequence[Record],
    setting: Setting,
    families: Sequence[str] = KINEMATIC,
    tell: Callable[[str], None] = lambda words: None,
    seed: int = 0,
) -> Identification:
    """Return fits of several families, and the one to use.

    Args:
        records: What happened; all observed the same way.
        setting: What is known before.
        families: Names of families.
        tell: Is told what is being done.
        seed: Of searches.

    Raises:
        UnknownName: There is no such family.
        InvalidValue: The records differ in kind, or no family could be fitted.
    """
    for name in families:
        if name not in FAMILIES:
            raise UnknownName("family", name, FAMILIES)
    kinds = {(record.observation.kind, record.steady) for record in records}
    if len(kinds) != 1:
        found = ", ".join(sorted(kind for kind, _ in kinds))
        raise InvalidValue("logs", found or "none", "observe the robot all in the same way")
    fits, refused = {}, {}
    for name in dict.fromkeys(families):
        tell(name)
        try:
            fits[name] = fit_family(
                FAMILIES[name], tuple(records), setting, lambda w, n=name: tell(f"{n}: {w}"), seed
            )
        except GrouserError as error:
            if len(families) == 1:
                raise
            refused[name] = str(error)
    if not fits:
        raise InvalidValue("families", "; ".join(refused.values()), "fit the log")
    return Identification(
        records=tuple(records), setting=setting, fits=fits, refused=refused,
        recommendation=recommend(fits),
    )  # fmt: skip
