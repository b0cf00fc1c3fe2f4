"""`grouser watch`: a robot outside beside simulated twins, and where they diverge."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from grouser.cli.options import (
    NO_OPTIONS,
    Count,
    Flag,
    Folder,
    Json,
    MapFile,
    Name,
    Names,
    ScenarioOptions,
    Seconds,
    options,
    refuses,
)
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue, Unsupported

if TYPE_CHECKING:
    from grouser.live import MeasuredRobot
    from grouser.scenario import Scenario
    from grouser.viewer.app import DriveApp
    from grouser.viewer.measured_session import MeasuredSession

USUAL_GHOSTS = ("ideal", "slip", "icr", "csm")
"""Models that are shown if none are chosen, as far as robot and course allow them."""
READ_ONLY = "read only: nothing is sent to the robot"


@options
class WatchOptions:
    """Which ghosts the page shows, when they have diverged, where the page is, and for how long."""

    ghosts: Names = ()
    """Models whose belts follow the measured ones; ideal, slip, icr and csm if not given, as far as
    robot and course allow them."""
    distance: Annotated[float, Parameter(metavar="METRES")] = 0.1
    """A ghost has diverged when it is farther away than this [m]."""
    heading: Annotated[float, Parameter(metavar="DEGREES")] = 10.0
    """A ghost has diverged when its heading differs by more than this [deg]."""
    silence: Seconds = 0.5
    """The robot counts as standing when nothing came for so long [s]."""
    factor: Annotated[float, Parameter(metavar="NUMBER")] = 1.0
    """How fast a log is played, 1 for real time [1]."""
    column_map: MapFile = None
    host: Annotated[str, Parameter(metavar="ADDRESS")] = "127.0.0.1"
    """Address to listen on, such as 0.0.0.0 for other machines. The page opens only by the token in
    the printed address."""
    port: Count = 8080
    """Port; the next free one if it is taken."""
    folder: Folder = Path("out/drives")
    """Folder of recordings."""
    open_browser: Annotated[bool, Parameter(name="--open")] = True
    """Open a browser where there is a screen; --no-open only prints the address."""
    timeout: Seconds | None = None
    """Close the page after this many seconds; until Ctrl-C if not given."""
    as_json: Json = False


@options
class RosNames:
    """What a robot publishes in ROS 2, for `grouser watch ros`."""

    joints: Annotated[str, Parameter(metavar="TOPIC")] = "joint_states"
    """Topic of belts or wheels, sensor_msgs/JointState."""
    pose: Annotated[str, Parameter(metavar="TOPIC")] = "odom"
    """Topic of the pose."""
    pose_type: Annotated[str, Parameter(metavar="TYPE")] = "odometry"
    """Its type: odometry (nav_msgs/Odometry), pose (geometry_msgs/PoseStamped), covariance
    (geometry_msgs/PoseWithCovarianceStamped), tf (tf2_msgs/TFMessage), none."""
    frame: Name = "base_link"
    """Frame of the robot in messages of tf."""
    left: Names = ()
    """Joints of the left side; the robot's left belts, as in left_belt, if not given."""
    right: Names = ()
    """Joints of the right side."""
    wheel_radius: Annotated[float | None, Parameter(metavar="METRES")] = None
    """Radius of wheels [m]; without it, joints are belts in m and m/s, with it in rad and rad/s."""
    spatial: Flag = False
    """Use height, roll and pitch of the pose, too; without it, they follow from the terrain."""


@refuses(
    "the robot outside drives",
    "model", "driver", "speed", "dt", "seed", "duration", "stuck_after", "tipped",
    "flippers", "observe", "contacts",
)  # fmt: skip
def watch(
    source: Annotated[str, Parameter(name="SOURCE", help="ros, or a log to play in real time.")],
    /,
    *,
    options: ScenarioOptions = NO_OPTIONS,
    given: WatchOptions = WatchOptions(),
    ros: RosNames = RosNames(),
) -> None:
    """Show a robot outside beside ghosts that follow its measured belts, and when they diverge.

    Its measured belt speeds and pose come from ROS 2, or from a log that is played in real time.
    Nothing is ever sent to the robot. Without options: robot and course of the log, or tp100 on
    flat.
    """
    import threading

    from grouser.live import Limits
    from grouser.viewer.app import DriveApp
    from grouser.viewer.measured_session import MeasuredSession

    _check(given)
    terminal = Terminal()
    scenario, robot = _open_source(source, options, given, ros)
    limits = Limits(distance=given.distance, heading=math.radians(given.heading))
    with contextlib.closing(robot):
        ghosts = _choose_ghosts(scenario, given.ghosts)
        session = MeasuredSession(scenario, robot, limits=limits, timeout=given.silence)
        terminal.remark("preparing the page ...")
        with DriveApp(
            scenario, ghosts=ghosts, host=given.host, port=given.port, folder=given.folder,
            measured=session,
        ) as page:  # fmt: skip
            _connect(session, page, terminal)
            with contextlib.suppress(KeyboardInterrupt):
                _greet(page, terminal, given)
                threading.Event().wait(given.timeout)
        _report(session, robot, terminal, as_json=given.as_json)


def _check(given: WatchOptions) -> None:
    for name, value in (
        ("--distance", given.distance),
        ("--heading", given.heading),
        ("--silence", given.silence),
        ("--factor", given.factor),
        ("--timeout", 1.0 if given.timeout is None else given.timeout),
    ):
        if not 0.0 < value < math.inf:
            raise InvalidValue(name, value, "be a positive number")


def _open_source(
    source: str, options: ScenarioOptions, given: WatchOptions, ros: RosNames
) -> tuple[Scenario, MeasuredRobot]:
    """Return the scenario, whose model nothing uses, and the robot outside."""
    if source == "ros":
        from grouser.plugs.ros.watched_robot import RosRobot, Topics

        scenario = options.scenario(None, course="flat", model="ideal", driver="person")
        topics = Topics(
            joints=ros.joints, pose=ros.pose, pose_type=ros.pose_type, frame=ros.frame,
            left=ros.left, right=ros.right, wheel_radius=ros.wheel_radius, spatial=ros.spatial,
        )  # fmt: skip
        robot = RosRobot(scenario.robot.load_robot(), topics)
        return scenario.vary(model="measured"), robot
    from grouser.cli.foreign_logs import read_any_log
    from grouser.description import load_robot
    from grouser.live import LogRobot
    from grouser.scenario import Scenario

    file = Path(source)
    radius = None if options.robot is None else load_robot(options.robot).sprocket_radius
    log = read_any_log(file, given.column_map, Terminal(), radius)
    usual: dict[str, Any] = {"course": "flat", "model": "ideal", "driver": "person"}
    if log.provenance.scenario:
        known = Scenario.from_log(log)
        usual |= {"robot": known.robot, "course": known.course}
    scenario = options.scenario(None, **usual)
    played = LogRobot(log, scenario.robot.load_robot(), origin=file.name, factor=given.factor)
    return scenario.vary(model="measured"), played


def _choose_ghosts(scenario: Scenario, given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the ghosts; those of a person must be able to drive the course.

    Raises:
        GrouserError: There is no such model, or it cannot drive this robot or course.
    """
    from grouser.errors import GrouserError
    from grouser.models import make_model, models_with
    from grouser.scenario import Part
    from grouser.viewer.session import MAX_GHOSTS

    if len(given) > MAX_GHOSTS:
        raise InvalidValue("--ghosts", " ".join(given), f"be at most {MAX_GHOSTS}")
    course, chosen = scenario.course.load_course(), []
    for name in given or USUAL_GHOSTS:
        try:
            model = make_model(Part.of(name).name)
            if missing := course.features - model.features:
                able = models_with(course.features)
                raise Unsupported(f"course {course.name!r}", name, " and ".join(missing), able)
            scenario.vary(model=name, driver="person").load()
            chosen.append(name)
        except GrouserError:
            if given:
                raise
    return tuple(chosen)


def _connect(session: MeasuredSession, page: DriveApp, terminal: Terminal) -> None:
    """Show what happens on the page and in the terminal, and mark where ghosts diverge."""
    from grouser.live import Divergence
    from grouser.viewer.scene.stage import ghost_colour

    def say(sentence: str) -> None:
        terminal.remark(sentence)
        page.notify(sentence)

    def mark(divergence: Divergence) -> None:
        x, y, z = (float(getattr(divergence.pose, name)) for name in ("x", "y", "z"))
        number = session.ghosts.index(divergence.model)
        page.show_lines(
            f"diverged_{number}", [[(x, y, z), (x, y, z + 0.3)]],
            colours=ghost_colour(number), thickness=0.01,
        )  # fmt: skip

    session.on_event, session.on_divergence = say, mark


def _greet(page: DriveApp, terminal: Terminal, given: WatchOptions) -> None:
    from grouser.cli.drive import TOKEN_NEEDED, open_address

    (terminal.remark if given.as_json else terminal.line)(f"watch at: {page.address}")
    terminal.remark(TOKEN_NEEDED.replace("drive", "watch"))
    terminal.remark(f"{READ_ONLY}; Ctrl-C closes the page")
    if given.open_browser:
        open_address(page.address)


def _report(
    session: MeasuredSession, robot: MeasuredRobot, terminal: Terminal, *, as_json: bool
) -> None:
    """Print how far each ghost was away, and since when."""
    twins, counts = session.twins, robot.counts
    if as_json:
        ghosts = {
            twin.name: {
                "diverged_at_s": None if twin.divergence is None else twin.divergence.time,
                "distance_m": None if math.isnan(twin.distance) else twin.distance,
                "largest_distance_m": twin.largest,
                "heading_deg": None if math.isnan(twin.heading) else math.degrees(twin.heading),
            }
            for twin in twins.twins
        }
        named = {"accepted": counts.accepted, "rejected": counts.rejected, "lost": counts.lost}
        terminal.json({"duration_s": twins.time, "measurements": named, "ghosts": ghosts})
        return
    rows = [
        (
            twin.name,
            "never" if twin.divergence is None else f"{twin.divergence.time:.1f}",
            f"{twin.distance:.3f}",
            f"{twin.largest:.3f}",
            f"{math.degrees(twin.heading):.1f}",
        )
        for twin in twins.twins
    ]
    head = ("ghost", "diverged [s]", "distance [m]", "largest [m]", "heading [°]")
    terminal.table(head, rows, numbers=(1, 2, 3, 4))
    terminal.remark(
        f"{twins.time:.1f} s; {counts.accepted} measurements, {counts.rejected} invalid, "
        f"{counts.lost} lost"
    )
