"""A robot in one ROS 2 distribution, as a foreign node in another one sees it."""

import math

import pytest

LATCHED = ("RELIABLE", "TRANSIENT_LOCAL")
STATE = ("RELIABLE", "VOLATILE")
SENSOR = ("BEST_EFFORT", "VOLATILE")
TOPICS = {
    "/clock": ("rosgraph_msgs/msg/Clock", *STATE),
    "/tf": ("tf2_msgs/msg/TFMessage", *STATE),
    "/tf_static": ("tf2_msgs/msg/TFMessage", *LATCHED),
    "/odom": ("nav_msgs/msg/Odometry", *STATE),
    "/odom/compensated": ("nav_msgs/msg/Odometry", *STATE),
    "/odom/truth": ("nav_msgs/msg/Odometry", *STATE),
    "/joint_states": ("sensor_msgs/msg/JointState", *STATE),
    "/slip": ("std_msgs/msg/Float64MultiArray", *STATE),
    "/contacts": ("visualization_msgs/msg/MarkerArray", *STATE),
    "/imu": ("sensor_msgs/msg/Imu", *SENSOR),
    "/robot_description": ("std_msgs/msg/String", *LATCHED),
    "/course": ("visualization_msgs/msg/MarkerArray", *LATCHED),
    "/diagnostics": ("diagnostic_msgs/msg/DiagnosticArray", *STATE),
}


def test_topics_have_the_types_and_qualities_that_drivers_have(seen):
    found = {topic: tuple(about) for topic, about in seen["look_around"]["topics"].items()}
    assert {topic: found.get(topic) for topic in TOPICS} == TOPICS


def test_frames_are_those_of_rep_105(seen):
    odom, body, truth, _ = seen["look_around"]["frames"]
    assert (odom, body, truth) == ("odom", "base_link", "map")


def test_robot_is_described_and_so_is_the_course(seen):
    assert '<robot name="absolem">' in seen["look_around"]["urdf"]
    assert seen["look_around"]["course"] > 1


def test_transforms_have_the_type_of_tf2(seen):
    digits = "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"
    assert seen["look_around"]["tf_hash"] == f"RIHS01_{digits}"


def test_tree_of_frames_has_one_parent_each_and_one_root(seen):
    moving = seen["drive_and_fall_silent"]["transforms"]
    pairs = {(parent, child) for _, parent, child, *_ in [*moving, *seen["look_around"]["static"]]}
    children = [child for _, child in pairs]
    assert len(children) == len(set(children))
    assert {parent for parent, _ in pairs} - set(children) == {"map"}
    assert {("map", "odom"), ("odom", "base_link"), ("base_link", "base_footprint")} <= pairs


def test_transforms_never_go_back_in_time_and_turn_by_unit_quaternions(seen):
    stamps: dict[str, float] = {}
    for stamp, _, child, _, turn in seen["drive_and_fall_silent"]["transforms"]:
        assert stamp > stamps.get(child, -1.0)
        assert math.hypot(*turn) == pytest.approx(1.0, abs=1e-9)
        stamps[child] = stamp


def test_camera_has_an_optical_frame_below_its_own(seen):
    parents = {child: parent for _, parent, child, *_ in seen["look_around"]["static"]}
    assert parents["front_optical_frame"] == "front_link"
    assert parents["front_link"] == "base_link"


def test_frame_of_a_sensor_is_where_it_is_mounted(seen):
    static = {child: (place, turn) for _, _, child, place, turn in seen["look_around"]["static"]}
    place, turn = static["imu_link"]
    assert place == pytest.approx([0.1, 0.0, 0.2])
    assert turn == pytest.approx([0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)])


def test_sensors_publish_what_they_declare(seen):
    found = seen["look_at_sensors"]
    frame, rays, ahead, first = found["scan"]
    assert (frame, rays) == ("laser_link", 91)
    assert 0.3 < ahead < 2.0  # the slope ahead, seen from above
    assert first == pytest.approx(-0.5 * math.pi)
    assert found["points"] == ["spinner_link", 36, 4, 36 * 4 * 12, ["x", "y", "z"]]
    optical = "front_optical_frame"
    assert found["image"] == [optical, 32, 24, "rgb8", 96, 32 * 24 * 3, True]
    assert found["info"] == [optical, 32, 24, 15.5, 1.0, 5]
    assert found["fix"][0] == "gnss_link"
    assert found["fix"][1] == pytest.approx(50.0, abs=1e-3)


def test_three_odometries_begin_alike_and_differ_in_a_turn_by_what_they_know(seen):
    yaw = {topic: pose[2] for topic, pose in seen["drive_and_fall_silent"]["poses"].items()}
    errors = {topic: abs(yaw[topic] - yaw["odom/truth"]) for topic in yaw}
    assert errors["odom"] > 2.0 * errors["odom/compensated"]
    assert yaw["odom/truth"] > 0.2


def test_covariances_say_which_odometry_to_believe_and_what_is_not_measured(seen):
    deviations = seen["drive_and_fall_silent"]["deviations"]
    topics = ("odom", "odom/compensated", "odom/truth")
    x, y, yaw, z = zip(*(deviations[topic] for topic in topics), strict=True)
    for wheel, compensated, truth in (x, y, yaw):
        assert wheel > compensated > truth > 0.0
    assert z[:2] == pytest.approx((1e3, 1e3))


def test_robot_stops_when_its_publisher_falls_silent(seen):
    driven = seen["drive_and_fall_silent"]
    assert max(driven["moving"]) > 0.1
    assert driven["stopped_after"] > 0.3


def test_bad_commands_are_dropped_with_a_sentence_that_says_what_would_work(seen):
    given = seen["give_bad_commands"]
    texts = "\n".join(given["texts"])
    assert given["moved"] < 1e-3
    assert "linear.x must be finite, not nan" in texts
    assert "must be two finite belt speeds" in texts
    assert "no flipper named 'tail'; available: front-left, front-right" in texts


def test_flippers_follow_a_joint_state_and_a_trajectory(seen):
    moved = seen["move_flippers"]
    assert moved["names"][0] == "front-left"
    assert moved["trajectory_took"] > 1.9


def test_belts_are_driven_by_side(seen):
    assert seen["drive_belts"]["belts"] == pytest.approx([0.1, -0.05])


def test_time_stands_steps_and_restarts_by_services(seen):
    used = seen["use_services"]
    assert used["answers"] == [True, True, "", True, True, True]
    assert used["step"] == pytest.approx(0.25)
    assert used["reset_to"] < 0.5
    assert used["pose_after_reset"] == pytest.approx([0.0, 0.0, 0.0], abs=0.1)
    assert "parameter scenario must be set to a file" in used["empty_load"]


def test_parameters_out_of_range_are_rejected_with_a_reason(seen):
    friction, source, rate = seen["use_services"]["rejected"]
    assert friction[0] is source[0] is rate[0] is False
    assert "which model 'slip' lacks; models that can:" in friction[1]
    assert source[1] == "odom_source must be one of wheel, compensated, truth, none, not 'gps'"
    assert "publish_rate must be from 0.1 to 1000" in rate[1]
    assert seen["use_services"]["accepted"] == [[True, ""], [True, ""]]


def test_stamped_commands_count_by_simulated_time_and_not_by_that_of_the_wall(seen):
    stamped = seen["stamp_commands"]
    assert stamped["accepted"] == [True, ""]
    assert stamped["stands"] == 0.0
    assert all(min(belts) > 0.05 for belts in stamped["taken"])


def test_another_scenario_brings_its_own_topics_and_friction(seen):
    loaded = seen["load_another"]
    assert loaded["answers"] == [[True, ""], [True]]
    assert '<robot name="tp100">' in loaded["urdf"]
    assert loaded["joints"] == ["left_belt", "right_belt"]
    assert loaded["friction"] == [True, ""]


def test_ctrl_c_ends_in_order_and_writes_the_log_of_the_last_run(seen):
    assert seen["exit"] == 130
    assert {"time", "x", "belt_speed.left", "encoder.left"} <= set(seen["recorded"])
    assert "Traceback" not in seen["log"]


def test_a_start_says_how_wide_the_robot_turns_and_nothing_is_deprecated(seen):
    assert "odom/compensated states a deviation of" in seen["log"]
    assert "PROFILES_FILE" not in seen["log"]
