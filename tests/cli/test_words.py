"""Words of the command line that ask for too much, or for nonsense."""

import math
import time

import pytest

from grouser.errors import GrouserError, InvalidValue
from grouser.log import name_file
from grouser.scenario import parse_flippers
from grouser.sweep import Axis


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("run --drive legs:count=1e9", "legs:count must be a whole number from 1 to 2000"),
        ("run --drive legs:count=1e300", "legs:count must be 0, or from 1e-09 to 1e+09"),
        ("run --drive legs:count=2000,duration=1e7", "must be done within 1e+07 s, not '2e+10 s'"),
        ("run --drive waypoints:file=/dev/zero", "/dev/zero: this is not a regular file"),
        ("run --drive constant:speed=1e-300", "constant:speed must be 0, or from 1e-06 to 10000"),
        ("run --drive waypoints:points=1e9/0", "each finite numbers from -100000 to 100000 m"),
        ("run --drive waypoints:points=0/0", "path must have lines or arcs of 1e-06 to 100000 m"),
        ("run --drive follow:speed=1_0", "follow:speed must be a finite number, not '1_0'"),
        ("run --start 1e300,0,0", "--start: x must be from -100000 to 100000 m, not 1e+300"),
        (
            "run --start 0,0,1e9",
            "--start: yaw must be from -100000 to 100000 deg, not 1000",
        ),
        ("run --dt 1e-300", "--dt must be from 1e-06 to 1e+07 s, not 1e-300"),
        ("run --robot absolem --flippers 2=0/0/0/0;1=0/0/0/0", "times that rise"),
        ("run --robot absolem --flippers 0=1e9/0/0/0", "from -100000 to 100000 deg"),
        ("run --robot absolem --flippers=-1=0/0/0/0", "time must be from 0 to 1e+07 s"),
        ("run --seed " + "9" * 5000, "--seed must be a whole number from 0 to 9223372036854775807"),
        ("sweep slope --workers 0", "--workers must be a whole number from 1 to 1024, not '0'"),
        ("sweep slope --workers 100000", "--workers must be a whole number from 1 to 1024"),
        ("sweep slope --duration 1e300", "--duration must be from 1e-06 to 1e+07 s"),
        ("identify run.csv --gauge 1e-300", "--gauge must be from 1e-06 to 100000 m"),
        ("identify run.csv --leave-out 0", "--leave-out must be numbers of turns, from 1"),
        ("run --robot /dev/zero", "/dev/zero: there is no file here"),
        ("run --course x/" + "y" * 300, "there is no file here"),
    ],
)
def test_too_much_is_refused_at_once(grouser, words: str, sentence: str):
    began = time.process_time()
    answer = grouser(words)
    assert time.process_time() - began < 10.0  # most of it is for importing
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("\n") == 1
    assert len(answer.err) < 1000


@pytest.mark.parametrize(
    "text",
    ["course.a=0:1e308:1e-300", "course.a=-1e308:1e308:1", "course.a=1", "course.a=0:1e9:1e-3",
     "course.a=nan,1", "course.a=1,1", "course.a=1:2", "course.a=1:2:3:4", "course.=1,2", "a=1,2",
     "course.a=" + ",".join(map(str, range(1001))), "course.a=1,2e9", "course.a=" + "1," * 9000],
)  # fmt: skip
def test_an_axis_of_nonsense_is_refused(text: str):
    with pytest.raises(GrouserError, match=r"--x|subject") as caught:
        Axis.parse("--x", text)
    assert len(str(caught.value)) < 500


def test_a_schedule_of_flippers_is_read():
    keyframes = parse_flippers("0=-30/10; 4.5=20/0;")
    assert [keyframe.time for keyframe in keyframes] == [0.0, 4.5]
    assert keyframes[1].angles == pytest.approx((math.radians(20.0), 0.0))
    with pytest.raises(InvalidValue, match="one time at least"):
        parse_flippers(";")
    with pytest.raises(InvalidValue, match="at most 4,000 characters"):
        parse_flippers("0=1;" * 2000)


@pytest.mark.parametrize(
    "words",
    ["", "..", "/", "../../etc/passwd", "x/../../../pwn", "\0", "a" * 5000, "戦" * 99, "-"],
)
def test_the_name_of_a_file_stays_in_its_folder(words: str):
    for suffix in ("", ".csv"):
        name = name_file(words, suffix)
        assert name.removesuffix(suffix)
        assert not set(name) & set("/\\\0")
        assert not name.startswith(".")
        assert len(name.encode()) <= 200
        assert name.endswith(suffix)
