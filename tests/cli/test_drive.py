"""`grouser drive`, from the outside."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from grouser.log import read_log

ROOT = Path(__file__).parents[2]
GROUSER = Path(sys.executable).with_name("grouser")
QUICK = {"--robot": "tp100", "--course": "flat", "--model": "ideal", "--port": "0"}


def words(flags: str = "") -> list[str]:
    """Return a quick drive with other or further flags."""
    given = flags.split()
    usual = [word for flag, value in QUICK.items() if flag not in given for word in (flag, value)]
    return ["drive", "--no-open", *usual, *given]


@pytest.fixture
def serve(tmp_path):
    """Starts `grouser drive`; returns the process and the address that it prints."""
    started = []

    def start(flags: str = "") -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [GROUSER, *words(flags)],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        started.append(process)
        line = process.stdout.readline()
        found = re.search(r"drive at: (http://\S+)", line)
        assert found is not None, line + process.stderr.read()
        return process, found[1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_the_printed_address_answers_on_loopback_and_ctrl_c_ends_it(serve):
    process, address = serve()
    assert address.startswith("http://127.0.0.1:")
    page = urlopen(address).read().decode()
    assert "<title>grouser</title>" in page
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "Traceback" not in err


@pytest.mark.parametrize("flags", ["--host 0.0.0.0", ""])
def test_every_address_needs_the_token_that_is_printed(serve, flags):
    _, address = serve(flags)
    bare, _, token = address.partition("?token=")
    assert len(token) >= 16
    assert urlopen(address).status == 200
    with pytest.raises(HTTPError, match="403"):
        urlopen(bare)
    with pytest.raises(HTTPError, match="403"):
        urlopen(f"{bare}?token=guess")


def test_the_terminal_says_that_the_address_is_enough_to_drive(grouser):
    sentence = "anyone with this address and its token can drive"
    assert sentence in grouser(" ".join(words("--timeout 0.1"))).err
    without = grouser(" ".join(words("--no-token --timeout 0.1")))
    assert sentence not in without.err
    assert "every program of this machine can open the page" in without.err
    assert "token=" not in without.out


def test_a_port_that_is_taken_is_passed_over(serve):
    _, address = serve()
    port = urlsplit(address).port
    _, other = serve(f"--port {port}")
    assert urlsplit(other).port > port


def test_the_page_closes_after_the_given_time(grouser):
    began = time.monotonic()
    answer = grouser(" ".join(words("--timeout 0.2")))
    assert answer.code == 0
    assert "drive at: http://127.0.0.1:" in answer.out
    assert time.monotonic() - began >= 0.2


def test_a_log_can_be_shown_at_once(grouser):
    grouser("run --robot tp100 --course flat --drive constant:speed=0.1 --duration 1 --out a.csv")
    assert grouser(" ".join(words("--log a.csv --timeout 0.2"))).code == 0
    assert len(read_log("a.csv")) == 101


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--robot nobody", "nobody"),
        ("--course staircase", "csm"),
        ("--ghosts magic", "magic"),
        ("--port 70000", "65535"),
        (
            "--host 0.0.0.0 --no-token",
            "host of a page without a token must be a loopback one: 127.0.0.1",
        ),
        ("--host example.invalid", "127.0.0.1"),
        ("--host 192.0.2.7", "127.0.0.1"),
        ("--timeout -1", "positive"),
        ("--log nothing.csv", "nothing.csv"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_exit_code_2(grouser, flags, said):
    answer = grouser(" ".join(words(flags)))
    assert answer.code == 2
    assert said in answer.err
    assert answer.err.strip().count("\n") <= 1


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--robot nope", "no robot named 'nope'"),
        ("--course nope", "no course named 'nope'"),
        ("--model nope", "no model named 'nope'"),
        ("--ghosts nope", "no model named 'nope'"),
        ("--course step --model slip --ghosts icr", "course 'step' needs steps, which model 'icr'"),
    ],
)
def test_names_are_checked_before_the_page_is_prepared(grouser, flags, said):
    answer = grouser(" ".join(words(flags)))
    assert answer.code == 2
    assert said in answer.err
    assert "preparing" not in answer.err


class Opened(Exception):
    """The page would be opened now."""


def drives_of(page: Path) -> list[str]:
    """Return every `grouser drive` of a page, but those of logs, which are not there."""
    found = re.findall(r"grouser (drive(?: [^`#\n|\]]*)?)[`#\n|]", page.read_text())
    return sorted({line.strip() for line in found if "--log" not in line and "[" not in line})


@pytest.mark.parametrize("line", drives_of(ROOT / "docs" / "driving.md"))
def test_what_the_page_about_driving_says_can_be_typed(grouser, monkeypatch, line):
    robot = re.search(r"# (my-robot.toml\n.*?)```", (ROOT / "docs/robots.md").read_text(), re.S)
    Path("my-robot.toml").write_text(f"# {robot[1]}")
    Path("stairs.toml").write_text(
        'robot = "absolem"\ncourse = "staircase"\nmodel = "csm"\ndriver = "person"\n'
    )

    def open_page(scenario, **_):
        assert scenario.vary(driver="person").load()
        raise Opened

    monkeypatch.setattr("grouser.viewer.app.DriveApp", open_page)
    with pytest.raises(Opened):
        grouser(line)


def test_a_scenario_file_and_options_of_a_run_are_driven(grouser, tmp_path):
    file = tmp_path / "turn.toml"
    file.write_text(
        'robot = "tp100"\ncourse = "flat"\nmodel = "ideal"\ndriver = "person"\nseed = 4\n'
    )
    line = f"drive {file} --no-open --port 0 --timeout 0.1"
    assert grouser(f"{line} --start 0.5,0,90 --seed 7 --dt 0.02 --set variation.mass=1").code == 0
    far = grouser(f"{line} --start here")
    assert far.code != 0
    assert "--start must be x [m], y [m] and yaw [deg]" in far.err
    refused = grouser(f"{line} --driver follow")
    assert refused.code != 0
    assert "--driver must not be given: a person drives on the page" in refused.err
    batch = grouser(f"run {file}")
    assert batch.code != 0
    assert "a person drives in `grouser drive`, not 'person'" in batch.err


def test_ctrl_c_while_a_model_is_compiled_leaves_nothing_behind(serve, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    process, address = serve("--robot tankbot --model tankbot")
    assert urlopen(address).status == 200
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 1
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert not Path(f"/proc/{children[0]}").exists()
    assert not list(tmp_path.rglob("*.part"))
