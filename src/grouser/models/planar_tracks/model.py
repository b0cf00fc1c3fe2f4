"""The planar model `tracks-planar`: shear that builds up along the belts, sinkage, inertia.

Belts are lines of patches that carry the mobilised share of the ground's strength, which is
transported with the belt from the end where it enters. Pressure follows from weight, slope and
acceleration; on soil the robot sinks in, and compaction and bulldozing resist. One implicit solve
of three equations a step. Over terrain it rests as the kinematic models do.
Left out: tipping over, obstacles, suspension, motors, ruts.
"""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated, ClassVar, Literal

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar
from grouser.models.assumptions import (
    Assumption,
    TurningBasis,
    assume_friction,
    assume_grip_on_soil,
    assume_inertia,
    assume_shear,
    friction_words,
)
from grouser.models.model import Plant
from grouser.models.parameters import Parameters, Range


@dataclass(frozen=True, slots=True, kw_only=True)
class TracksPlanarModel(Parameters):
    """Planar dynamics of belts on firm ground and on soil."""

    name: ClassVar[str] = "tracks-planar"
    summary: ClassVar[str] = "planar forces: shear along the belts, load transfer, sinkage in soil"
    source: ClassVar[str] = "Janosi & Hanamoto 1961; Bekker 1969; Wong & Chiang 2001"
    computed_by: ClassVar[str] = f"numba {version('numba')}"
    has_forces: ClassVar[bool] = True
    """Whether forces from outside can act on its robots."""
    features: ClassVar[frozenset[str]] = frozenset({"slopes", "rough", "flippers", "soil"})

    form: Literal["mobilised", "wong"] = "mobilised"
    """Law of shear in turns: the mobilised share of strength as a vector, which holds on slopes, or
    the shear displacement of Wong and Chiang, against the slip, which creeps there."""
    patches: Annotated[float, Range(2, 200, whole=True)] = 24
    """Patches along a belt, shared by the wheels of a side [1]."""
    strips: Annotated[float, Range(1, 9, whole=True)] = 2
    """Lines of patches across a belt: 1 is a belt without width, 2 have its second moment [1]."""
    shear_modulus: Annotated[float | None, Range(1e-6, 1.0, "m")] = None
    """Shear displacement K after which 63 % of the strength is mobilised, on all ground; of the
    surface or soil where not given [m]."""
    bulldozing: bool = True
    """Whether soil is pushed ahead and aside."""
    friction_factor: Annotated[Scalar, Range(0.0, 100.0)] = 1.0
    """Factor on the strength of all ground; one for each robot of many, if an array [1]."""
    longest_step: Annotated[float, Range(1e-5, 0.05, "s")] = 0.001
    """Longest step of the integration; fast belts shorten it [s]."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays."""
        # Imported here, so that listing the models does not load the compiler.
        from grouser.models.planar_tracks.advance import Machine
        from grouser.models.planar_tracks.ground import ground_table
        from grouser.models.planar_tracks.lines import robot_body, robot_lines
        from grouser.models.planar_tracks.plant import TracksPlant

        lines, count = robot_lines(robot, int(self.patches), int(self.strips))
        surfaces = tuple(course.terrain.surfaces.values())
        grounds = ground_table(surfaces, robot, self.shear_modulus, bool(self.bulldozing))
        machine = Machine(
            robot_body(robot), lines, grounds, self.form == "wong", float(self.longest_step)
        )
        return TracksPlant(machine, count, robot, course, pose, self.friction_factor)

    def assumptions(self, robot: Robot, course: Course | None = None) -> tuple[Assumption, ...]:
        """Return what is assumed of friction, shear and inertia."""
        return (
            *assume_friction(course),
            *(assume_shear(course, 0.0) if self.shear_modulus is None else ()),
            *assume_grip_on_soil(robot, course),
            *assume_inertia(robot),
        )

    def turning_basis(self, robot: Robot, course: Course | None = None) -> TurningBasis:
        """Return the ground whose shear resists turns."""
        return TurningBasis(None, f"{friction_words(course)} along the belts")
