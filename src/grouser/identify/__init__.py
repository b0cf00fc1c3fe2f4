"""Parameters from measurements, each with its confidence interval."""

from grouser.identify.estimate import Estimate
from grouser.identify.fit_curve import fit_curve

__all__ = ["Estimate", "fit_curve"]
