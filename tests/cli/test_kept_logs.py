"""A comparison that was killed or interrupted goes on from the models that have run."""

import os
import signal

import pytest

import grouser.scenario
from grouser.cli.main import main
from grouser.log import read_log

LINE = (
    "compare --course flat --drive constant:speed=0.1 --duration 2 --models ideal slip icr "
    "--out out --plot p.html"
)


@pytest.fixture
def runs(monkeypatch):
    """Count runs; `runs["end"](n)` lets the n-th end by a function."""
    real, found = grouser.scenario.run, {"count": 0, "at": 0, "call": None}

    def run(loaded, **options):
        found["count"] += 1
        if found["count"] == found["at"]:
            found["call"]()
        return real(loaded, **options)

    monkeypatch.setattr("grouser.scenario.run", run)
    return found


def in_another_process(line: str) -> int:
    """Return the exit code of a command in a process of its own, negative for a signal."""
    child = os.fork()
    if child == 0:
        os._exit(main(line.split()))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_after_kill_9_the_same_command_runs_the_rest(grouser, tmp_path, runs):
    runs |= {"at": 3, "call": lambda: os.kill(os.getpid(), signal.SIGKILL)}
    assert in_another_process(LINE) == -signal.SIGKILL
    out = tmp_path / "out"
    before = {path.name: path.read_bytes() for path in out.glob("*.csv")}
    assert set(before) == {"ideal.csv", "slip.csv"}
    runs |= {"at": 0, "count": 0}
    assert grouser(LINE).code == 0
    assert runs["count"] == 1
    assert {name: (out / name).read_bytes() for name in before} == before
    assert {path.name for path in out.iterdir()} == {*before, "icr.csv"}
    answer = grouser(LINE)  # it is finished: another folder is asked for
    assert answer.code == 2
    assert "--plot must name a file that does not exist yet" in answer.err


def test_another_comparison_or_other_code_does_not_go_on_from_it(grouser, runs, monkeypatch):
    def interrupt() -> None:
        raise KeyboardInterrupt

    runs |= {"at": 2, "call": interrupt}
    assert grouser(LINE).code == 130
    answer = grouser(LINE.replace("--duration 2", "--duration 3"))
    assert answer.code == 2
    assert "name a new or an empty folder" in answer.err
    with monkeypatch.context() as changed:
        changed.setattr("grouser.sources.package_source", lambda: "another")
        assert grouser(LINE).code == 2
    runs |= {"at": 0, "count": 0}
    assert grouser(LINE).code == 0
    assert runs["count"] == 2


def test_a_run_that_was_interrupted_is_kept_and_made_again(grouser, tmp_path, runs):
    # The signal is noted, and ends the run between two ticks.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        runs |= {"at": 2, "call": lambda: signal.raise_signal(signal.SIGINT)}
        answer = grouser(LINE)
    finally:
        signal.signal(signal.SIGINT, before)
    assert answer.code == 130
    assert "the same command continues" in answer.err
    assert read_log(tmp_path / "out/slip.csv").provenance.status == "interrupted"
    runs |= {"at": 0, "count": 0}
    assert grouser(LINE).code == 0
    assert runs["count"] == 2
    assert read_log(tmp_path / "out/slip.csv").provenance.status == "complete"
    assert not list(tmp_path.rglob("*-2.csv"))
