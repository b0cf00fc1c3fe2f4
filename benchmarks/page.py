"""Physics beside an open page: does time keep step while a browser draws on the same cores?"""

import tempfile
import time
from dataclasses import dataclass

from tests.viewer.browser import Browser, wait_until

from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp

SECONDS = 30.0
CASES: tuple[tuple[Scenario, tuple[str, ...]], ...] = (
    (Scenario(robot="absolem", course="staircase", model="csm"), ()),
    (Scenario(robot="absolem", course="slippery", model="csm"), ("icr", "ideal")),
    (
        Scenario(
            robot="absolem", course="soil-bin", model="csm", start_pose="-0.5,-0.75,0", speed=0.2
        ),  # fmt: skip
        ("firm-ground",),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRow:
    """One line of the table."""

    case: str
    """What was driven."""
    real_time_factor: float
    """Simulated time per wall time while the page was open [1]."""
    missed_percent: float
    """Share of periods that were missed: their tick began a whole period late [%]."""
    worst_lateness_ms: float
    """Largest lateness of a tick in the last two seconds [ms]."""
    frames_per_second: float
    """What the browser drew, without a graphics card [1/s]."""
    server_cpu_percent: float
    """CPU time of physics, stream and server, of one core [%]."""


def measure_page() -> list[PageRow]:
    """Return one line for each case."""
    with Browser() as browser:
        return [_measure(browser, *case) for case in CASES]


def _measure(browser: Browser, scenario: Scenario, ghosts: tuple[str, ...]) -> PageRow:
    with (
        tempfile.TemporaryDirectory() as folder,
        DriveApp(scenario, ghosts=ghosts, port=0, folder=folder) as page,
    ):
        tab = browser.open(page.address)
        tab.wait_for("window.grouser && grouser.status && grouser.status.you === 'drive'", 90.0)
        wait_until(lambda: page.loop.latest.time > 5.0, "the page has settled", 60.0)
        clock = page.loop.clock
        tab.press("w")
        periods, missed, wall, cpu = clock.periods, clock.missed, *_now()
        ticks = page.loop.session.simulation.ticks
        while time.perf_counter() < wall + SECONDS:
            tab.press("r")  # flippers up, so that it climbs
            time.sleep(0.5)
            tab.release("r")
            time.sleep(0.5)
        ended, spent = _now()
        passed = page.loop.session.simulation.ticks - ticks
        row = PageRow(
            case=f"{scenario.robot.name} on {scenario.course.name}, "
            f"{', '.join((scenario.model.name, *ghosts))}",
            real_time_factor=passed * page.loop.session.simulation.dt / (ended - wall),
            missed_percent=100.0 * (clock.missed - missed) / max(clock.periods - periods, 1),
            worst_lateness_ms=1e3 * clock.punctuality.worst_lateness,
            frames_per_second=tab.frame_rate(3.0),
            server_cpu_percent=100.0 * (spent - cpu) / (ended - wall),
        )
        tab.release("w")
        tab.close()
        return row


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()
