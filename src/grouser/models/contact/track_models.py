"""Tracks in three dimensions on our own engine: `csm`, `wheels`, `frictionless`, `segments`."""

from dataclasses import dataclass, fields
from typing import Annotated, ClassVar, Literal

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar
from grouser.models.assumptions import (
    Assumption,
    TurningBasis,
    assume_hinges,
    assume_inertia,
)
from grouser.models.contact.contact_model import ContactModel
from grouser.models.contact.traction.law import LAWS, find_law
from grouser.models.equal_models import Equal
from grouser.models.model import Plant
from grouser.models.parameters import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class CsmModel(ContactModel):
    """Three dimensions, contact surface motion.

    Contact surface motion: rigid tracks whose surface moves, with exact Coulomb traction.

    After Pecka et al. (P1). A track is a rigid profile that does not move; where it touches the
    ground, the friction constraint has the belt's velocity as its target instead of zero.
    """

    name: ClassVar[str] = "csm"
    summary: ClassVar[str] = "3D, contact surface motion with exact Coulomb traction"
    source: ClassVar[str] = "P1 Pecka et al. 2017"
    features: ClassVar[frozenset[str]] = ContactModel.features | {"soil"}

    law: Annotated[str | None, LAWS] = None
    """Friction law between belt and ground; if not given, `shear` on courses with soil, else
    `coulomb`."""
    friction_factor: Annotated[Scalar, Range(0.0, 100.0)] = 1.0
    """Factor on the friction of all surfaces; one for each robot of many, if an array [1]."""
    patches: Annotated[float, Range(2, 50, whole=True)] = 4
    """Places along each side of a straight run at which the ground carries it: how evenly pressure
    spreads [1]."""
    steering_efficiency: Annotated[Scalar | None, Range(0.01, 1.0)] = None
    """If given, friction acts along circles about the centre of rotation, as in P1; one for each
    robot of many, if an array [1]."""
    single: bool = False
    """Whether many robots are computed in single precision: faster, other digits."""
    ruts: bool = True
    """Whether belts leave ruts in soil, on courses that keep them."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays."""
        from grouser.models.contact.scene import make_scene
        from grouser.models.contact.tracks import belts

        efficiency = self.steering_efficiency
        law = find_law(self.law if efficiency is None else "circles", robot, course)
        return self.start_scene(
            make_scene(robot, course, belts(patches=int(self.patches))),
            pose,
            law=law,
            friction_factor=self.friction_factor,
            steering_efficiency=1.0 if efficiency is None else efficiency,
            single=bool(self.single),
            ruts=bool(self.ruts),
        )


def _equals_csm(model: ContactModel, reason: str) -> Equal:
    """Return `csm` with those parameters of a model that both have."""
    shared = {field.name for field in fields(model)} & {field.name for field in fields(CsmModel)}
    return Equal(CsmModel(**{name: getattr(model, name) for name in shared}), reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelsModel(ContactModel):
    """Three dimensions, wheels in place of belts.

    A row of wheels in place of each belt, all turned by one motor: P1's and P4's cheap tracks.

    Wheels have the height of the track (radius H/2) and stand evenly over L - H; where the loop
    tapers, as on flippers, they taper with it. All wheels of a side run at one speed, so that the
    robot steers by skidding, with the same exact traction as `csm`.

    Left out: everything between the wheels. An edge that stands between two of them carries nothing
    until a wheel meets it; then it must be climbed again. Wheels have no inertia of their own.
    """

    name: ClassVar[str] = "wheels"
    summary: ClassVar[str] = "3D, a row of synchronised wheels in place of each belt"
    source: ClassVar[str] = "P1 Pecka et al. 2017; P4 Okada et al. 2020"

    law: Annotated[str | None, LAWS] = None
    """Friction law between wheel and ground; `coulomb` if not given."""
    friction_factor: Annotated[Scalar, Range(0.0, 100.0)] = 1.0
    """Factor on the friction of all surfaces; one for each robot of many, if an array [1]."""
    count: Annotated[float, Range(2, 100, whole=True)] = 8
    """Wheels in place of each belt, those of flippers too [1]."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays."""
        from grouser.models.contact.scene import make_scene
        from grouser.models.contact.tracks import wheel_rows

        return self.start_scene(
            make_scene(robot, course, wheel_rows(count=int(self.count))),
            pose,
            law=find_law(self.law, robot, course),
            friction_factor=self.friction_factor,
        )

    def equal_for(self, robot: Robot) -> Equal | None:
        """Return `csm` if there is no belt that could be a row of wheels."""
        return None if robot.belts else _equals_csm(self, "has no belts")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrictionlessModel(ContactModel):
    """Three dimensions, no friction, a virtual force.

    Tracks without friction, pushed by a virtual force: P1's fastest and least faithful tracks.

    The shapes are those of `csm`, and slide on everything. A force at the centre of mass, in the
    plane of the hull (perpendicular to its vertical axis), brings the velocity of that centre to
    what an ideal differential drive would do; a torque about that axis does so for the yaw rate.
    Both are PID controls of velocity, with gains per mass and inertia.

    P1 gives neither gains nor the direction in the plane; a force along the hull only would not
    follow a circle, so the lateral velocity is brought to zero, too. By default the control is a P
    control, so that a robot on a slope creeps down at g sin(slope) / P.

    Left out: friction, and with it skidding and grip. The force acts in the air as on the ground.
    """

    name: ClassVar[str] = "frictionless"
    summary: ClassVar[str] = "3D, no friction, pushed by a virtual force and torque"
    source: ClassVar[str] = "P1 Pecka et al. 2017"

    patches: Annotated[float, Range(2, 50, whole=True)] = 2
    """Places along each straight run at which the ground carries it, as for `csm` [1]."""
    steering_efficiency: Annotated[float, Range(0.01, 1.0)] = 1.0
    """Yaw rate over that of an ideal differential drive [1]."""
    proportional_gain: Annotated[float, Range(0.0, 1e5, "1/s")] = 200.0
    """Acceleration per error of velocity [1/s]."""
    integral_gain: Annotated[float, Range(0.0, 1e9, "1/s^2")] = 0.0
    """Acceleration per integral of that error; holds the robot on slopes [1/s^2]."""
    derivative_gain: Annotated[float, Range(0.0, 0.9)] = 0.0
    """Acceleration per change of that error [1]."""

    def __post_init__(self) -> None:
        ContactModel.__post_init__(self)
        most = 1.0 / self.timestep  # beyond it, each step overshoots
        for name, gain, limit in (
            ("proportional_gain", self.proportional_gain, most),
            ("integral_gain", self.integral_gain, most**2 / 10.0),
        ):
            if gain > limit:
                required = f"be at most {limit:g} for a timestep of {self.timestep:g} s"
                raise InvalidValue(f"frictionless:{name}", gain, required)

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays."""
        from grouser.models.contact.scene import make_scene
        from grouser.models.contact.tracks import belts

        gains = (self.proportional_gain, self.integral_gain, self.derivative_gain)
        return self.start_scene(
            make_scene(robot, course, belts(patches=int(self.patches)), push_gains=gains),
            pose,
            law=LAWS.find("frictionless")(),
            steering_efficiency=self.steering_efficiency,
        )

    def assumptions(self, robot: Robot, course: Course | None = None) -> tuple[Assumption, ...]:
        """Return what is assumed of inertia and hinges; there are no belts to drive."""
        return (*assume_hinges(robot), *assume_inertia(robot))

    def turning_basis(self, robot: Robot, course: Course | None = None) -> TurningBasis:
        """Return the gauge, over the steering efficiency."""
        return TurningBasis(robot.gauge / self.steering_efficiency, "a virtual torque, no friction")


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentsModel(ContactModel):
    """Three dimensions, segment links with grousers.

    Segment links with grousers: P4's tracks, with exact Coulomb traction.

    After Okada et al. (P4). A belt is one link per segment of its loop; grousers ride on the links.
    P4 moves the links by joints and rolls them back, between two steps, whenever they have moved by
    one pitch. Here they are placed where the belt has taken them at every step, and the velocity
    that the belt adds enters the contacts, along the normal too: a grouser that hooks on an edge
    pulls the robot. That is the limit of P4's joints with infinite stiffness, without their degrees
    of freedom.

    Left out: belts that bend or stretch, the inertia of links, collisions within the robot.
    """

    name: ClassVar[str] = "segments"
    summary: ClassVar[str] = (
        "3D, segment links with grousers that roll back; without grousers the same as csm"
    )
    source: ClassVar[str] = "P4 Okada et al. 2020"
    features: ClassVar[frozenset[str]] = ContactModel.features | {"soil"}

    grousers: bool = True
    """Whether belts have their grousers."""
    path: Literal["loop", "links"] = "loop"
    """Whether a grouser follows the loop exactly, or stays with its link until the roll-back, and
    so runs past the end of its segment by up to a pitch, as in P4."""
    stiffness: Annotated[float | None, Range(1e4, 1e12, "Pa")] = None
    """Force of a grouser per depth and width, as rubber has; stiff as all else if not given
    [Pa]."""
    fixed: bool = False
    """Whether belts stand in the world at the course's start and carry the robot's body: a
    conveyor."""
    patches: Annotated[float, Range(2, 50, whole=True)] = 4
    """Places along each straight run at which the ground carries it; between two of them only the
    deepest grouser presses [1]."""
    law: Annotated[str | None, LAWS] = None
    """Friction law between belt and ground; if not given, `shear` on courses with soil, else
    `coulomb`."""
    friction_factor: Annotated[Scalar, Range(0.0, 100.0)] = 1.0
    """Factor on the friction of all surfaces; one for each robot of many, if an array [1]."""
    ruts: bool = True
    """Whether belts leave ruts in soil, on courses that keep them."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays.

        Raises:
            InvalidValue: Belts should stand in the world, but the robot has flippers.
        """
        from grouser.models.contact.scene import make_scene
        from grouser.models.contact.tracks import belts, grousered_belts

        if self.fixed and robot.flippers:
            raise InvalidValue("robot", robot.name, "have no flippers for its belts to be fixed")
        patches = int(self.patches)
        shape = grousered_belts(
            patches=patches, follows_loop=self.path == "loop", stiffness=self.stiffness
        )
        return self.start_scene(
            make_scene(
                robot,
                course,
                shape if self.grousers else belts(patches=patches),
                anchored=bool(self.fixed),
            ),
            pose,
            law=find_law(self.law, robot, course),
            friction_factor=self.friction_factor,
            ruts=bool(self.ruts),
        )

    def equal_for(self, robot: Robot) -> Equal | None:
        """Return `csm` if no belt has grousers, or they are left out."""
        if self.fixed:
            return None
        if not any(belt.grousers for belt in robot.belts):
            return _equals_csm(self, "has no grousers")
        return None if self.grousers else _equals_csm(self, "has its grousers left out")
