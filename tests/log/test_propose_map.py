"""Column maps that are guessed from headings and numbers."""

import math

import numpy as np
import pytest

from grouser.errors import InvalidLog
from grouser.log import read_column_map, read_foreign
from grouser.log.propose_map import propose_map


@pytest.fixture
def propose(tmp_path):
    def propose(text: str, radius: float | None = None):
        (tmp_path / "drive.csv").write_text(text)
        return propose_map(tmp_path / "drive.csv", radius)

    return propose


def entries(proposal) -> dict[str, str]:
    """Return the headings of each column, and the unit."""
    return {
        name: f"{' '.join(column.headings)} {column.unit}".strip()
        for name, column in proposal.columns.items()
    }


def rows(*cells) -> str:
    return "".join(",".join(str(cell(i)) for cell in cells) + "\n" for i in range(12))


CALIBRATION = "window,step,part,t_s,left_m_s,right_m_s,cmd_left_rad_s,cmd_right_rad_s,x_m,y_m,"
CALIBRATION += "yaw_rad,gyro_z_rad_s,new_pose\n"
CALIBRATION += "".join(
    f"{w},0,1,{0.05 * i},1,1,5,5,{0.1 * i},0,0.1,0.02,{int(i > 0)}\n"
    for w in range(3)
    for i in range(5)
)


def test_units_at_the_end_of_headings_pieces_and_validity_are_understood(propose):
    assert entries(propose(CALIBRATION)) == {
        "time": "t_s s",
        "piece": "window 1",
        "group": "step 1",
        "belt_speed.left": "left_m_s m/s",
        "belt_speed.right": "right_m_s m/s",
        "wheel_speed_commanded.left": "cmd_left_rad_s rad/s",
        "wheel_speed_commanded.right": "cmd_right_rad_s rad/s",
        "x": "x_m new_pose m",
        "y": "y_m new_pose m",
        "yaw": "yaw_rad new_pose rad",
        "gyro_yaw_rate": "gyro_z_rad_s rad/s",
    }
    assert propose(CALIBRATION).unused == ("part",)
    assert propose(CALIBRATION).remarks == ()


def test_a_known_radius_makes_belt_speeds_of_commanded_turns(propose):
    columns = propose(CALIBRATION, 0.165).columns
    assert columns["belt_speed_commanded.left"].radius_m == 0.165
    assert "wheel_speed_commanded.left" not in columns


def test_speeds_without_a_unit_are_taken_by_their_size_with_a_remark(propose):
    cells = (lambda i: 0.15 * i, lambda i: 4.0 * i, lambda i: 0.1 * i, lambda i: 0.2 * i)
    proposal = propose("time,curL,velL,velR\n" + rows(cells[0], cells[1], cells[2], cells[3]))
    assert entries(proposal) == {
        "time": "time s", "belt_speed.left": "velL m/s", "belt_speed.right": "velR m/s",
    }  # fmt: skip
    assert proposal.unused == ("curL",)
    assert (
        "column 'velL' has no unit: taken as m/s, since its largest number is 2.2"
        in (proposal.remarks[0])
    )


def test_speeds_without_a_unit_that_are_too_large_need_a_map(propose):
    sentence = r"column 'velL' has no unit: its largest number is 330, too much for m/s; write a co"
    with pytest.raises(
        InvalidLog, match=rf"drive\.csv: {sentence}lumn map with unit = .* radius_m"
    ):
        propose("time,velL,velR\n" + rows(lambda i: i, lambda i: 30 * i, lambda i: 30 * i))


@pytest.mark.parametrize(
    ("heads", "columns"),
    [
        ("t (s),ticks_left,ticks_right", {"encoder.left": "ticks_left 1"}),
        ("t (s),left_rpm,right_rpm", {"wheel_speed.right": "right_rpm rpm"}),
        ("t (s),left_pos_rad,right_pos_rad", {"joint_position.left": "left_pos_rad rad"}),
        ("t (s),odo_left [m],odo_right [m]", {"encoder.left": "odo_left [m] m"}),
    ],
)
def test_what_wheels_measured_decides_the_column(propose, heads, columns):
    found = entries(propose(f"{heads}\n" + rows(lambda i: i, lambda i: 9 * i, lambda i: 8 * i)))
    assert columns.items() <= found.items()


def test_four_wheels_keep_their_names(propose):
    heads = "t,wheel_fl (m/s),wheel_fr (m/s),wheel_rl (m/s),wheel_rr (m/s)\n"
    found = entries(propose(heads + rows(*[lambda i: 0.1 * i] * 5)))
    assert found["belt_speed.rear_left"] == "wheel_rl (m/s) m/s"
    assert len(found) == 5


@pytest.mark.parametrize(
    ("first", "step", "unit"),
    [
        (1_700_000_000_000_000_000, 50_000_000, "ns"),
        (1_700_000_000_000_000, 50_000, "us"),
        (1_700_000_000_000, 50, "ms"),
        (1_700_000_000, 1, "s"),
        (0, 50, "ms"),
        (0, 1, "s"),
    ],
)
def test_the_unit_of_time_follows_from_its_size(propose, first, step, unit):
    proposal = propose("stamp,x,y\n" + rows(lambda i: first + step * i, lambda i: i, lambda i: i))
    assert proposal.columns["time"].unit == unit


def test_seconds_and_nanoseconds_are_joined(propose):
    heads = "header.stamp.sec,header.stamp.nanosec,x,y\n"
    cells = (lambda i: 1_700_000_000 + i // 4, lambda i: 250_000_000 * (i % 4))
    proposal = propose(heads + rows(*cells, lambda i: i, lambda i: i))
    time = proposal.columns["time"]
    assert (time.column, time.unit) == ("header.stamp.sec", "s")
    assert time.plus is not None
    assert (time.plus.column, time.plus.unit) == ("header.stamp.nanosec", "ns")


def test_latitude_longitude_and_heading_become_a_pose_east_and_north(propose):
    proposal = propose(
        "t,lat,lon,heading\n"
        + rows(lambda i: i, lambda i: 46 + 1e-5 * i, lambda i: 7, lambda i: 30 * i)
    )
    assert entries(proposal)["x"] == "lat lon"
    yaw = proposal.columns["yaw"]
    assert (yaw.unit, yaw.frame) == ("deg", "ned")
    assert any("clockwise from north" in remark for remark in proposal.remarks)


def test_a_trajectory_without_headings_is_known_by_its_quaternions(propose, tmp_path):
    angles = np.linspace(0.0, 1.0, 5)
    lines = [
        f"{1_700_000_000.5 + a:.6f} {a} {2 * a} 0 0 0 {math.sin(a / 2)} {math.cos(a / 2)}"
        for a in angles
    ]
    proposal = propose("\n".join(lines) + "\n")
    assert entries(proposal)["yaw"] == "qx qy qz qw"
    (tmp_path / "map.toml").write_text(proposal.to_toml("drive.csv"))
    log = read_foreign(tmp_path / "drive.csv", tmp_path / "map.toml")
    assert log["yaw"] == pytest.approx(angles)
    assert log.time == pytest.approx(angles)
    assert log["y"] == pytest.approx(2 * angles)


def test_velocities_of_the_body_and_yaw_rate_make_a_twist(propose):
    found = entries(propose("t,vx,vy,yaw_rate\n" + rows(*[lambda i: 0.1 * i] * 4)))
    assert set(found) == {"time", "vx", "vy", "yaw_rate"}
    found = entries(propose("t,vx,vy,gyro_z\n" + rows(*[lambda i: 0.1 * i] * 4)))
    assert set(found) == {"time", "vx", "vy", "gyro_yaw_rate"}


def test_the_text_of_a_map_is_the_map(propose, tmp_path):
    odd = 'stamp,"left [m/s]",right [m/s],"a ""b"" \\ c",x [m],y [m]\n'
    proposal = propose(odd + rows(*[lambda i: 0.1 * i] * 6), 0.2)
    (tmp_path / "map.toml").write_text(proposal.to_toml("drive.csv"))
    assert read_column_map(tmp_path / "map.toml") == proposal.columns
    calibration = propose(CALIBRATION, 0.165)
    (tmp_path / "map.toml").write_text(calibration.to_toml("drive.csv"))
    assert read_column_map(tmp_path / "map.toml") == calibration.columns


def test_messages_exported_as_tables_are_understood(propose):
    odometry = "field.pose.pose.position.{0}", "field.pose.pose.orientation.{0}"
    heads = ["%time", "field.header.seq", *(odometry[0].format(axis) for axis in "xyz")]
    heads += [odometry[1].format(axis) for axis in "xyzw"] + ["field.pose.covariance0"]
    heads += ["field.twist.twist.linear.x", "field.twist.twist.linear.y"]
    heads += ["field.twist.twist.angular.z"]
    line = "{0},1,1,2,3,0,0,0,1,0.1,0.5,0,0.1\n"
    rows = "".join(line.format(1_700_000_000_000_000_000 + 10**7 * i) for i in range(5))
    found = entries(propose(",".join(heads) + "\n" + rows))
    assert found["time"] == "%time ns"
    assert found["x"] == "field.pose.pose.position.x m"
    assert found["yaw"] == " ".join(odometry[1].format(axis) for axis in "xyzw")
    assert found["vx"] == "field.twist.twist.linear.x m/s"
    assert found["yaw_rate"] == "field.twist.twist.angular.z rad/s"


def test_speeds_come_before_angles_of_the_same_wheels(propose):
    heads = "t,left_wheel/position,right_wheel/position,left_wheel/velocity,right_wheel/velocity\n"
    found = entries(propose(heads + rows(*[lambda i: 0.1 * i] * 5)))
    assert found["belt_speed.left"] == "left_wheel/velocity m/s"


def test_a_counter_of_samples_is_no_group(propose):
    proposal = propose("step,t,x,y\n" + rows(*[lambda i: i] * 4))
    assert "group" not in proposal.columns
    assert "step" in proposal.unused


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file is empty"),
        ("a,b\n0,1\n1,2\n", "no heading looks like time; its columns are 'a', 'b'; write a column"),
        (
            "0,1\n1,2\n",
            r"has no line of headings above numbers \(it begins with '0,1'\); write hea",
        ),
        ("hello\nworld\n", "has no line of headings above numbers"),
        ("t\0,x\n0,1\n", "line 1 holds a NUL byte, so this is no text"),
    ],
)
def test_a_file_that_is_no_table_is_described(propose, text, sentence):
    with pytest.raises(InvalidLog, match=sentence):
        propose(text)


def test_one_side_alone_is_remarked(propose):
    proposal = propose("t,velL,x,y\n" + rows(*[lambda i: 0.1 * i] * 4))
    assert "only one side is named, by 'velL': map the other side by hand" in proposal.remarks


TURN = 0.13
"""Turn of a wheel from one row to the next [rad]."""


def wheels(left: str, right: str, cell) -> str:
    """Return a table with two columns of wheels, 40 rows."""
    lines = [f"{0.1 * i:.1f},{cell(i)},{cell(i)},{0.1 * i},0" for i in range(40)]
    return "\n".join([f"t,{left},{right},x,y", *lines]) + "\n"


def test_positions_of_wheels_are_no_speeds(propose):
    angles = propose(wheels("wheel_pos_left", "wheel_pos_right", lambda i: round(TURN * i, 3)))
    assert entries(angles)["joint_position.left"] == "wheel_pos_left rad"
    assert "taken as an angle in rad, by its name" in angles.remarks[0]
    counts = propose(wheels("wheel_pos_l", "wheel_pos_r", lambda i: 7 * i))
    assert entries(counts)["encoder.left"] == "wheel_pos_l 1"
    assert "taken as counts, since all are whole numbers" in counts.remarks[0]
    for proposal in (angles, counts):
        assert not any("belt_speed" in name for name in proposal.columns)


def test_a_radius_makes_travel_of_angles_of_wheels(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text(wheels("wheel_pos_left", "wheel_pos_right", lambda i: round(TURN * i, 3)))
    assert entries(propose_map(file, 0.1))["encoder.left"] == "wheel_pos_left rad"


def test_columns_that_only_grow_are_asked_about_unless_they_are_called_speeds(propose):
    growing = lambda i: round(0.1 * i, 3)  # noqa: E731
    with pytest.raises(InvalidLog, match="'wheel_left' has no unit and only grows, from 0 to 3.9"):
        propose(wheels("wheel_left", "wheel_right", growing))
    speeds = propose(wheels("wheel_speed_left", "wheel_speed_right", growing))
    assert entries(speeds)["belt_speed.left"] == "wheel_speed_left m/s"
    steady = propose(wheels("wheel_left", "wheel_right", lambda i: 0.5 + 0.01 * (i % 3)))
    assert entries(steady)["belt_speed.left"] == "wheel_left m/s"


def test_angles_that_start_again_at_each_turn_are_named(propose):
    wrapped = lambda i: round((0.9 * i) % 6.2832, 3)  # noqa: E731
    with pytest.raises(InvalidLog, match="'wheel_pos_left' starts again at each turn; unwrap it"):
        propose(wheels("wheel_pos_left", "wheel_pos_right", wrapped))
