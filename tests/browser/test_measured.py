"""The page of a robot that is measured outside."""

from grouser.geometry import Pose
from grouser.live import Limits, MeasuredRobot, Measurement
from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp
from grouser.viewer.measured_session import MeasuredSession
from tests.browser.conftest import close_later, load_tab
from tests.browser.test_mistakes import press_all
from tests.viewer.browser import wait_until

TOLD = """[...document.querySelectorAll("#grouser-help > div")]
    .filter(part => part.offsetHeight > 0).map(part => part.innerText).join()"""
GAPS = "document.getElementById('grouser-gaps').innerText"


def test_where_a_ghost_diverges_is_told_and_home_brings_it_back(tmp_path, browser, closing):
    scenario = Scenario(robot="tp100", course="flat", model="measured", driver="person")
    robot = MeasuredRobot(scenario.robot.load_robot())
    session = MeasuredSession(scenario, robot, limits=Limits(distance=0.05))
    page = DriveApp(scenario, ghosts=("ideal",), port=0, folder=tmp_path, measured=session)
    for k in range(41):  # it stands, though its belts run
        robot.offer(Measurement(time=0.05 * k, belts=(0.1, 0.1), pose=Pose(x=1.0)))
    tab = load_tab(browser, page)
    tab.wait_for("grouser.status.mode === 'measured' && grouser.status.you === 'drive'")
    told = tab.wait_for(f"(told => told.includes('brings the ghosts') && told)({TOLD})")
    assert "motors" not in told
    assert press_all(tab, "measured") == {"reset", "camera", "help"}
    gap = tab.wait_for(f"(told => told.includes('diverged at') && told)({GAPS})")
    assert gap.startswith("ideal 0.2")
    note = "document.getElementById('grouser-note').innerText"
    tab.wait_for(f"{note}.includes('the robot is silent') && {note}.includes('ghosts stand')")
    tab.press("Home")
    wait_until(lambda: page.loop.latest.gaps[0].distance < 0.01, "the ghost is brought back")
    tab.wait_for(f"!{GAPS}.includes('diverged')")
    tab.close()
    close_later(page, closing)
