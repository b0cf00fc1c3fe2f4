"""A fit as parameters of ros2_control's diff_drive_controller."""

from grouser.identify.exports.equivalent_drive import equivalent_drive
from grouser.identify.family import Setting
from grouser.identify.fit import Fit

_TEXT = """\
# Identified by grouser from family {family}, {status}.
# The controller multiplies what the robot's description says; it has no slip angle.
diff_drive_controller:
  ros__parameters:
    wheel_separation: {gauge:.6g}
    wheel_separation_multiplier: {separation:.6g}
    left_wheel_radius_multiplier: {left:.6g}
    right_wheel_radius_multiplier: {right:.6g}
"""


def format_diff_drive(fit: Fit, setting: Setting) -> str:
    """Return the parameters as YAML.

    Raises:
        InvalidValue: The family has no equivalent differential drive.
    """
    drive = equivalent_drive(fit, setting)
    return _TEXT.format(
        family=fit.family, status=fit.status, gauge=setting.gauge, separation=drive.separation,
        left=drive.left_radius, right=drive.right_radius,
    )  # fmt: skip
