"""Parameters from measurements, each with its confidence interval."""

from grouser.identify.estimate import Estimate
from grouser.identify.exports import export_fit
from grouser.identify.families import FAMILIES
from grouser.identify.family import Family, Parameter, Setting
from grouser.identify.fit import Fit, Status
from grouser.identify.fit_curve import fit_curve
from grouser.identify.fit_family import fit_family
from grouser.identify.identify_records import KINEMATIC, Identification, identify_records
from grouser.identify.read_record import read_record
from grouser.identify.recommend import Recommendation, recommend
from grouser.identify.record import Observation, Record

__all__ = [
    "FAMILIES",
    "KINEMATIC",
    "Estimate",
    "Family",
    "Fit",
    "Identification",
    "Observation",
    "Parameter",
    "Recommendation",
    "Record",
    "Setting",
    "Status",
    "export_fit",
    "fit_curve",
    "fit_family",
    "identify_records",
    "read_record",
    "recommend",
]
