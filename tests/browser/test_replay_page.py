"""The offline page of a log, opened as a file."""

import pytest

from grouser.description import load_course, load_robot
from grouser.drivers import Constant, Sides
from grouser.log import Log
from grouser.models import make_model
from grouser.scenario import replay
from grouser.simulation import Simulation
from grouser.viewer.replay_page import write_replay

TIME = "parseFloat(document.getElementById('replay-time').textContent)"
PLAYER = "document.getElementById('replay-frame').contentDocument"
PLACE_OF_TIME = """(() => {{
    const chart = document.querySelector('#figure-yaw');
    chart.scrollIntoView({{block: 'center'}});
    const box = chart.getBoundingClientRect(), {{xaxis, yaxis}} = chart._fullLayout;
    return [box.left + xaxis._offset + xaxis.l2p({}), box.top + yaxis._offset + 20];
}})()"""
CURSOR = """(() => {
    const chart = document.querySelector('#figure-yaw'), {xaxis} = chart._fullLayout;
    const place = new DOMMatrix(getComputedStyle(chart.querySelector('.cursor')).transform).e;
    return xaxis.p2l(place - xaxis._offset);
})()"""


def drive() -> Log:
    robot = load_robot("tp100")
    simulation = Simulation(make_model("slip"), robot, load_course("flat"), seed=1)
    simulation.run(Constant(robot, Sides(left=0.1, right=0.16)), duration=12.0)
    return simulation.log()


def test_the_cursor_follows_the_player_and_a_click_moves_it(browser, tmp_path):
    log = drive()
    write_replay(log, tmp_path / "run.html", others=[replay(log, "ideal")])
    tab = browser.open(f"file://{tmp_path}/run.html")
    tab.wait_for(f"{TIME} > 0.2")
    toasts = f"[...{PLAYER}.querySelectorAll('[class*=Notification-root]')]"
    tab.wait_for(f"{toasts}.some(e => e.textContent.includes('Software WebGL'))")
    assert tab.evaluate(f"{toasts}.every(e => getComputedStyle(e).display === 'none')")
    slider = f"Number({PLAYER}.querySelector('[role=slider]').ariaValueNow)"
    tab.wait_for(f"{slider} > 0.5 && Math.abs({slider} - {TIME}) < 0.1")
    tab.click(*tab.evaluate(PLACE_OF_TIME.format(9.0)))
    tab.wait_for(f"Math.abs({TIME} - 9.0) < 0.1")
    assert tab.evaluate(CURSOR) == pytest.approx(tab.evaluate(TIME), abs=0.05)
    tab.click(*tab.evaluate(PLACE_OF_TIME.format(4.0)))
    tab.wait_for(f"Math.abs({TIME} - 4.0) < 0.1")
    tab.press(" ")
    tab.release(" ")
    tab.wait_for(f"{TIME} > 4.3")
    assert tab.evaluate("performance.getEntriesByType('resource').map(e => e.name)") == []
    assert tab.complaints() == []
    tab.close()
