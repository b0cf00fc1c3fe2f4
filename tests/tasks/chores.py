"""Tasks that other processes find by name."""

import os
import signal
import threading
import time
from pathlib import Path

from grouser.errors import InvalidValue


def square(number: int) -> dict[str, object]:
    return {"number": number, "square": number**2, "pair": (number, 0.1 * number)}


def refuse(number: int) -> None:
    raise InvalidValue("number", number, "be another")


def divide(number: int) -> float:
    return number / 0


class OnlyHere:
    """Can be pickled, and not unpickled."""

    def __reduce__(self):
        return fail, ()


def fail() -> None:
    raise ValueError("only here")


def return_a_lock(number: int) -> object:
    return threading.Lock()


def kill_itself_once(number: int, folder: Path) -> int:
    """Die at the first attempt, as if the machine had run out of memory."""
    marks = folder / f"{number}.starts"
    with marks.open("a") as file:
        file.write("x")
    if number == 2 and len(marks.read_text()) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def kill_itself(number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def sleep_and_tell(number: int, folder: Path, seconds: float) -> int:
    """Write down who starts, and who ends."""
    for event in ("start", "end"):
        with (folder / f"{number}.{event}").open("a") as file:
            file.write(f"{os.getpid()}\n")
        if event == "start":
            time.sleep(seconds)
    return number**2
