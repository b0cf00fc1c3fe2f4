"""The page of an identification, opened as a file: the log drives, and the fit beside it."""

from pathlib import Path

import numpy as np
from PIL import Image

from grouser import Simulation, load_course, load_robot, make_model
from grouser.cli import main
from grouser.log import write_log
from grouser.models import command_sides

TIME = "parseFloat(document.getElementById('replay-time').textContent)"
SCENE = """(() => {
    const frame = document.getElementById('replay-frame'); frame.scrollIntoView();
    const box = frame.getBoundingClientRect();
    return [box.left, box.top, box.width, box.height];
})()"""
GREEN = 20
"""By how much green exceeds red and blue in the TP100's tracks, of 255."""


def share_of_robot(picture: Path, box: list[float]) -> float:
    """Return the share of the scene that has the colour of the robot's tracks."""
    left, top, width, height = (int(v) for v in box)
    rgb = np.asarray(Image.open(picture).convert("RGB"), dtype=int)
    scene = rgb[top : top + height, left : left + width]
    return float(np.mean(scene[..., 1] - scene[..., 0] > GREEN))


def test_the_replay_of_a_fit_shows_the_robot_and_plays(browser, tmp_path):
    robot = load_robot("tp100")
    simulation = Simulation(make_model("slip"), robot, load_course("flat"), dt=0.05)
    for left, right in ((0.1, 0.1), (0.1, 0.2), (0.2, 0.1), (0.15, 0.15), (-0.1, 0.1)):
        for _ in range(50):
            simulation.advance(command_sides(robot, left, right))
    write_log(simulation.log(), tmp_path / "drive.csv")
    line = f"identify {tmp_path}/drive.csv --family slip ideal --report {tmp_path}/fit.html"
    assert main(line.split()) == 0
    tab = browser.open(f"file://{tmp_path}/fit.html")
    tab.wait_for(f"{TIME} > 0.2")
    box = tab.evaluate(SCENE)
    shares = []
    for _ in range(20):  # the first frames may come before all of the robot
        shares.append(share_of_robot(tab.screenshot(tmp_path / "page.png"), box))
        if shares[-1] > 0.02:
            break
        tab.wait_for(f"{TIME} > {tab.evaluate(TIME)} + 0.1")
    assert shares[-1] > 0.02
    for words in ("Recommended is slip", "Correlation of the estimates", "What is left of yaw"):
        assert tab.evaluate(f"document.body.innerText.includes({words!r})")
    assert tab.complaints() == []
    tab.close()
