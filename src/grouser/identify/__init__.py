"""Parameters from measurements, each with its confidence interval."""

from grouser.identify.exports import export_fit
from grouser.identify.families import FAMILIES
from grouser.identify.family import Family, Parameter, Setting
from grouser.identify.fit import Estimate, Fit, Recommendation, Status, recommend
from grouser.identify.fit_family import fit_family
from grouser.identify.identify_records import Identification, identify_records, kinematic_families
from grouser.identify.record import Observation, Record, read_record
from grouser.identify.treadmill import fit_curve

__all__ = [
    "FAMILIES",
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
    "kinematic_families",
    "read_record",
    "recommend",
]
