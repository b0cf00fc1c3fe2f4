"""A fit as the plug-in of gz-sim that drives tracked vehicles."""

from grouser.identify.exports.equivalent_drive import equivalent_drive
from grouser.identify.family import Setting
from grouser.identify.fit import Fit

_TEXT = """\
<?xml version="1.0"?>
<!-- Identified by grouser from family {family}, {status}. Put the plugin into the model's SDF;
     steering_efficiency 1 is a differential drive, less turns slower. -->
<sdf version="1.9">
  <model name="{name}">
    <plugin filename="gz-sim-tracked-vehicle-system" name="gz::sim::systems::TrackedVehicle">
{tracks}
      <tracks_separation>{gauge:.6g}</tracks_separation>
      <steering_efficiency>{efficiency:.6g}</steering_efficiency>
    </plugin>
  </model>
</sdf>
"""


def format_gz_sim(fit: Fit, setting: Setting) -> str:
    """Return the plug-in as SDF.

    Raises:
        InvalidValue: The family has no equivalent differential drive.
    """
    drive = equivalent_drive(fit, setting)
    mean = 0.5 * (drive.left_radius + drive.right_radius)
    robot = setting.robot
    drives = [(d.side, d.name) for d in robot.drives] if robot else []
    drives = drives or [("left", "left"), ("right", "right")]
    tracks = "\n".join(
        f"      <{side}_track><link>{name}</link></{side}_track>" for side, name in drives
    )
    return _TEXT.format(
        family=fit.family, status=fit.status, name=robot.name if robot else "robot",
        tracks=tracks, gauge=setting.gauge, efficiency=mean / drive.separation,
    )  # fmt: skip
