"""Row 4 of the table with the whole host: set-points repeat while states are lost."""

from grouser.description import load_course, load_robot
from grouser.drivers import Constant, Sides
from grouser.hil.links import LockstepLink
from grouser.hil.run import BoardTask, drive_board
from grouser.hil.simulated_board import SimulatedBoard
from grouser.models import make_model


def drive(words, seconds):
    robot = load_robot("tp100")
    task = BoardTask(
        robot=robot,
        course=load_course("flat"),
        model=make_model("ideal"),
        driver=Constant(robot, Sides(left=0.1, right=0.1)),
        limit=seconds,
        faults=((words, 0.5),),
    )
    return drive_board(LockstepLink(SimulatedBoard(seed=1)), task)


def test_two_bytes_lost_in_a_hundred_do_not_stop_a_run_but_it_does_not_count():
    run = drive("link lose 0.02", 6.0)
    assert run.report.stopped_by == ""
    assert run.is_done
    assert run.report.missing > 100
    assert not run.report.is_valid


def test_a_mute_board_is_told_to_stand_and_the_run_ends():
    run = drive("link mute", 6.0)
    assert "silent" in run.report.stopped_by
    assert not run.report.is_valid
