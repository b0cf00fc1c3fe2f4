"""A person on the page drives a board, whose belts move the virtual robot."""

from threading import Thread

from grouser import Scenario, load_robot
from grouser.hil.board_thread import Watch
from grouser.hil.hand import HandDrive
from grouser.hil.links import PacedLink
from grouser.hil.options import BoardOptions, load_for_board
from grouser.hil.run import BoardRun, run_board
from grouser.hil.simulated_board import SimulatedBoard
from tests.browser.test_mistakes import press_all
from tests.browser.test_watching import TOLD
from tests.viewer.browser import wait_until

OPTIONS = BoardOptions(command_timeout=0.5)
"""A browser without a graphics card keeps the machine busy."""
PARTS = {"robot": "tp100", "course": "flat", "model": "slip", "driver": "person", "speed": 0.1}


def drive_board(watch: Watch, runs: list[BoardRun]) -> None:
    loaded = load_for_board(Scenario(**PARTS), OPTIONS, watch.hand)
    see = {"stop": watch.stopped.is_set, "observe": watch.see, "started": watch.start}
    runs.append(run_board(PacedLink(SimulatedBoard()), loaded, OPTIONS, **see))


def test_keys_drive_the_board_and_space_stops_its_motors(open_page, open_tab):
    watch, runs = Watch(hand=HandDrive(load_robot("tp100"))), []
    board = Thread(target=drive_board, args=(watch, runs))
    page = open_page(external=watch, **PARTS)
    tab = open_tab(page)
    board.start()

    def turn() -> tuple[float, float]:
        twist = page.loop.latest.motion.twist
        return float(twist.vx), float(twist.yaw_rate)

    try:
        tab.wait_for("grouser.status.mode === 'hand' && grouser.status.you === 'drive'")
        tab.wait_for(f"({TOLD}).includes('drive the board')")
        assert press_all(tab, "hand") == {"drive", "pause", "camera", "help"}
        tab.press("w")
        wait_until(lambda: turn()[0] > 0.07, "it drives forward")
        tab.release("w")
        wait_until(lambda: abs(turn()[0]) < 0.005, "it stands")
        tab.press("ArrowLeft")
        wait_until(lambda: turn()[1] > 0.2, "it turns to the left")
        tab.press(" ")  # while the other key is held
        wait_until(lambda: bool(runs), "the motors are stopped")
    finally:
        watch.stop()
        board.join()
    run = runs[0]
    assert run.was_stopped
    assert run.report.stopped_by == ""
    assert (
        run.log["board_setpoint.left"].min() < -0.05 < 0.05 < run.log["board_setpoint.right"].max()
    )
    assert run.log["x"][-1] > 0.005
    assert run.log["yaw"][-1] > 0.0
