"""Families of models whose parameters logs can tell, one file for each kind."""

from grouser.identify.families.kinematic import (
    IcrFamily,
    IdealFamily,
    SlipFamily,
    TurningFamily,
    VaryingIcrFamily,
)
from grouser.identify.families.simulated import CSM, CSM_ICR, SEGMENTS, TANKBOT, WHEELS
from grouser.identify.family import Family

FAMILIES: dict[str, Family] = {  # pyright: ignore[reportAssignmentType] class attributes
    family.name: family
    for family in (
        IdealFamily(),
        IcrFamily(),
        SlipFamily(),
        TurningFamily(),
        VaryingIcrFamily(),
        TANKBOT,
        CSM,
        CSM_ICR,
        WHEELS,
        SEGMENTS,
    )
}
"""The families by name, from the cheapest to the dearest."""
