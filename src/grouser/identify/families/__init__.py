"""Families of models whose parameters logs can tell, one file for each kind."""

from grouser.identify.families.icr import IcrFamily, VaryingIcrFamily
from grouser.identify.families.ideal import IdealFamily
from grouser.identify.families.simulated import CSM, CSM_ICR, SEGMENTS, TANKBOT, WHEELS
from grouser.identify.families.slip import SlipFamily
from grouser.identify.families.turning import TurningFamily
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
