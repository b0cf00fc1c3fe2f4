"""Model families whose parameters can be identified from logs."""

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
"""The families by name, in order of computing time."""
