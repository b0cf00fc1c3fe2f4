"""Parameters from measurements, each with its confidence interval."""

from grouser.identify.choice import Recommendation, recommend
from grouser.identify.exports import export_fit
from grouser.identify.families import FAMILIES
from grouser.identify.family import Family, KnownRobot, Parameter
from grouser.identify.fit import Estimate, Fit, Status
from grouser.identify.fit_family import fit_family
from grouser.identify.identify import Identification, identify_records, kinematic_families
from grouser.identify.plan import Plan, PlanRequest, make_plan
from grouser.identify.reading import read_record
from grouser.identify.record import Observation, Record
from grouser.identify.treadmill import fit_curve

__all__ = [
    "FAMILIES",
    "Estimate",
    "Family",
    "Fit",
    "Identification",
    "Observation",
    "Parameter",
    "Plan",
    "PlanRequest",
    "Recommendation",
    "Record",
    "KnownRobot",
    "Status",
    "export_fit",
    "fit_curve",
    "fit_family",
    "identify_records",
    "kinematic_families",
    "make_plan",
    "read_record",
    "recommend",
]
