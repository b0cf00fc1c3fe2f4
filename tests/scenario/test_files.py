"""Scenarios as TOML files: all mistakes at once, and a round trip."""

import math

import pytest

from grouser import Scenario
from grouser.description import load_robot
from grouser.errors import InvalidDescription
from grouser.scenario import FlipperKeyframe, Part, Start, Stop, Variation

FULL = """
grouser = 1
robot = { name = "absolem", set = { "drive.speed_limit_m_s" = 0.6 } }
course = { name = "staircase", set = { "terrain.stairs.rise_m" = 0.12 } }
model = { name = "csm", patches = 2 }
driver = "follow:speed=0.4"
start = { x_m = 0.2, y_m = 0.1, yaw_deg = 5.0 }
speed_m_s = 0.3
tick_s = 0.02
duration_s = 2.0
stuck_after_s = 5.0
tipped_deg = 60.0
seed = 7
contacts = true

[variation]
friction = 0.8
gain_right = 1.02

[[flippers]]
at_s = 0.0
angles_deg = [0.0, 10.0, 0.0, -10.0]

[[observers]]
name = "ekf"
camera = "no"
"""


def test_a_file_says_everything():
    scenario = Scenario.parse(FULL)
    assert scenario == Scenario(
        robot=Part(name="absolem", changes={"drive.speed_limit_m_s": 0.6}),
        course=Part(name="staircase", changes={"terrain.stairs.rise_m": 0.12}),
        model="csm:patches=2",
        driver="follow:speed=0.4",
        start_pose=Start(x=0.2, y=0.1, yaw=math.radians(5.0)),
        speed=0.3,
        tick=0.02,
        seed=7,
        stop=Stop(duration=2.0, stuck_after=5.0, tipped=math.radians(60.0)),
        flippers=[
            FlipperKeyframe(time=0.0, angles=(0.0, math.radians(10.0), 0.0, math.radians(-10.0)))
        ],
        observers="ekf:camera=no",
        contacts=True,
        variation=Variation(friction=0.8, gain_right=1.02),
    )


@pytest.mark.parametrize("text", [FULL, "", 'course = "slope:angle_deg=7.3"\nseed = 9000000000'])
def test_a_scenario_is_written_and_read_again(text):
    scenario = Scenario.parse(text)
    assert Scenario.parse(scenario.to_toml()) == scenario


@pytest.mark.parametrize("yaw", [math.radians(33.3), 1.0, 0.1, math.pi / 3, -2.7182818284590455])
def test_angles_come_back_to_the_last_bit(yaw):
    scenario = Scenario(start_pose=(0.0, 0.0, yaw), stop=Stop(tipped=abs(yaw)))
    again = Scenario.parse(scenario.to_toml())
    assert again.start_pose is not None
    assert again.start_pose.yaw == yaw
    assert again == scenario


def test_odd_names_and_texts_come_back(tmp_path):
    text = load_robot("tp100").text + "# größer 'quoted' \\ backslash\n"
    (tmp_path / 'a "b" c.toml').write_text(text)
    scenario = Scenario(robot=str(tmp_path / 'a "b" c.toml')).load().scenario
    assert scenario.robot.text == text
    assert Scenario.parse(scenario.to_toml()) == scenario
    driver = Part(name="waypoints", parameters={"points": "0/0;1/0\x7f"})
    assert Scenario.parse(Scenario(driver=driver).to_toml()).driver == driver


def test_all_mistakes_of_a_file_are_told_at_once():
    text = """
    robot = "tp1000"
    course = { name = "slope", angel_deg = 3 }
    model = "slpi"
    driver = { name = "folow" }
    speed_m_s = -1.0
    durtion_s = 2.0
    seed = -4
    start = { x_m = "here" }
    [[flippers]]
    at_s = 0.0
    angle_deg = [0.0]
    """
    with pytest.raises(InvalidDescription) as caught:
        Scenario.parse(text, "bad.toml")
    mistakes = "\n".join(caught.value.mistakes)
    assert caught.value.origin == "bad.toml"
    for sentence in (
        "robot: no robot named 'tp1000' (did you mean 'tp100'?)",
        "course: no parameter named 'angel_deg' (did you mean 'angle_deg'?)",
        "model: no model named 'slpi' (did you mean 'slip'?)",
        "driver: no driver named 'folow' (did you mean 'follow'?)",
        "speed_m_s",
        "durtion_s is not a known key; did you mean duration_s?",
        "seed must be a whole number from 0",
        "start.x_m",
        "flippers[0].angle_deg is not a known key; did you mean angles_deg?",
    ):
        assert sentence in mistakes
    assert len(caught.value.mistakes) == 9


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("grouser = 2", "grouser"),
        ("robot = 5", "robot: a part must be a name, or a table with a name, not 5"),
        ("robot = {}", "robot: name must be given"),
        ("model = { name = 'slip', step_mode = [1] }", "step_mode must be a finite number or a w"),
        ("start = { yaw_deg = 1.0, yaw_rad = 1.0 }", "start.yaw_deg must come without yaw_rad"),
        ("driver = 'follow:lookahed=1'", "no key of driver 'follow' named 'lookahed' (did you"),
        ("[[observers]]\nname = 'efk'", "observers[0]: no observer named 'efk' (did you mean 'ekf"),
        ("[variation]\nfriction = 0.0", "variation.friction"),
        ("tick_s = 'a'", "tick_s"),
        ("a = [", "this is not TOML"),
    ],
)
def test_a_mistake_names_its_key(text, sentence):
    with pytest.raises(InvalidDescription) as caught:
        Scenario.parse(text, "bad.toml")
    assert len(caught.value.mistakes) == 1
    assert str(caught.value).startswith("bad.toml: ")
    assert sentence in str(caught.value)


def test_files_lie_beside_the_file_that_names_them(tmp_path, monkeypatch):
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "mine.toml").write_text(load_robot("tp100").text)
    (folder / "points.csv").write_text("x_m,y_m\n0,0\n1,0\n")
    (folder / "run.toml").write_text(
        'robot = "mine.toml"\ndriver = { name = "waypoints", file = "points.csv" }\n'
    )
    monkeypatch.chdir(tmp_path)
    scenario = Scenario.read("deep/run.toml")
    assert scenario.load().robot == load_robot("tp100")
    scenario.write("again.toml")
    assert Scenario.read("again.toml") == scenario


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(InvalidDescription, match=r"nowhere\.toml"):
        Scenario.read("nowhere.toml")
