"""Commands write where they were told to, over nothing else, and lose nothing."""

import os
import resource
import signal
from pathlib import Path

import pytest

from grouser.cli.app import make_app
from grouser.cli.exits import ELSEWHERE
from grouser.cli.output import claim_folder, claim_output
from grouser.errors import InvalidValue
from grouser.log import read_log
from tests.cli.conftest import grouser  # noqa: F401  a fixture

RUN = "run --course flat --drive constant:speed=0.1 --duration 1 --model ideal"
WRITING = (
    "run", "compare", "sweep", "plot", "replay", "export", "render", "bench", "identify", "film",
    "track", "fuse", "reproduce", "paper p1 compare", "paper p3", "paper p0 courses",
    "exchange simulate", "exchange control",
)  # fmt: skip


@pytest.mark.parametrize("command", WRITING)
def test_each_command_that_writes_has_the_option(command, capsys):
    make_app()([*command.split(), "--help"])
    assert "--overwrite" in capsys.readouterr().out


def test_a_file_that_exists_is_refused_before_the_run(grouser, tmp_path, monkeypatch):  # noqa: F811
    for name in ("a.csv", "a.html"):
        (tmp_path / name).write_text("precious")
    monkeypatch.setattr("grouser.scenario.run", None)
    for options in ("--out a.csv", "--plot a.html"):
        answer = grouser(f"{RUN} {options}")
        assert answer.code == 2
        assert "name a file that does not exist yet (--overwrite replaces this one)" in answer.err
    assert {path.read_text() for path in tmp_path.iterdir()} == {"precious"}


def test_overwrite_replaces(grouser, tmp_path):  # noqa: F811
    (tmp_path / "a.csv").write_text("old")
    assert grouser(f"{RUN} --out a.csv --overwrite").code == 0
    assert len(read_log(tmp_path / "a.csv")) == 101
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("options", ["", "--overwrite"])
def test_a_link_is_refused(grouser, tmp_path, options):  # noqa: F811
    (tmp_path / "target").write_text("old")
    (tmp_path / "a.csv").symlink_to("target")
    answer = grouser(f"{RUN} --out a.csv {options}")
    assert answer.code == 2
    assert "--out must be a regular file or a new one, no link" in answer.err
    assert (tmp_path / "target").read_text() == "old"
    (tmp_path / "b.csv").symlink_to("nowhere")
    assert grouser(f"{RUN} --out b.csv {options}").code == 2
    assert not (tmp_path / "nowhere").exists()


def test_default_names_never_collide(grouser, tmp_path):  # noqa: F811
    logs = [grouser(f"{RUN} --json").json["log"] for _ in range(3)]
    names = ["tp100-flat-ideal.csv", "tp100-flat-ideal-2.csv", "tp100-flat-ideal-3.csv"]
    assert logs == [f"out/{name}" for name in names]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(names)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_file_that_appears_during_the_run_stays(grouser, tmp_path, monkeypatch, name):  # noqa: F811
    from grouser.scenario import run

    def run_and_disturb(*words, **options):
        result = run(*words, **options)
        (tmp_path / name).write_text("theirs")
        return result

    monkeypatch.setattr("grouser.scenario.run", run_and_disturb)
    answer = grouser(f"{RUN} --out {name}")
    assert answer.code == ELSEWHERE
    other = name.replace("a.", "a-2.")
    assert f"{name} appeared in the meantime and was not overwritten" in answer.err
    assert f"the result is in {other}" in answer.err
    assert (tmp_path / name).read_text() == "theirs"
    assert len(read_log(tmp_path / other)) == 101
    assert {path.name for path in tmp_path.iterdir()} == {name, other}


@pytest.fixture
def spare(tmp_path_factory, monkeypatch) -> Path:
    """Return another folder, which is that for temporary files."""
    folder = tmp_path_factory.mktemp("spare")
    monkeypatch.setattr("grouser.cli.output.gettempdir", lambda: str(folder))
    return folder


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.mcap"])
def test_a_run_on_a_full_disk_is_written_elsewhere(grouser, tmp_path, spare, name, monkeypatch):  # noqa: F811
    from grouser.log.spool import Spool

    def fail(self, content):
        if self._kept.end:  # the header had room
            raise OSError(28, "No space left on device")
        return self._file.write(content)

    monkeypatch.setattr(Spool, "_write", fail)
    real = os.fsync

    def full(descriptor):
        if Path(os.readlink(f"/proc/self/fd/{descriptor}")).parent == tmp_path:
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    answer = grouser(f"{RUN} --out {name}")
    assert answer.code == ELSEWHERE
    assert "must be writable (No space left on device)" in answer.err
    assert f"written to {spare / name} instead" in answer.err
    assert f"log: {spare / name}" in answer.out
    assert len(read_log(spare / name)) == 101
    assert list(tmp_path.iterdir()) == []


def test_a_real_limit_of_file_sizes_loses_nothing(grouser, tmp_path, spare):  # noqa: F811
    """The whole way through the system: no file may be longer than 40 kB, then it may again."""
    was = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, was[1]))
        answer = grouser(f"{RUN} --duration 5 --out a.csv".replace("--duration 1 ", ""))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, was)
        signal.signal(signal.SIGXFSZ, handler)
    assert answer.code == 2
    assert "File too large" in answer.err
    rows = len(read_log(tmp_path / "a.unfinished.csv"))
    assert rows > 50  # as much as the limit allows


def test_a_folder_that_is_removed_during_the_run_is_made_again(grouser, tmp_path, monkeypatch):  # noqa: F811
    import shutil

    from grouser.scenario import run

    def run_and_remove(*words, **options):
        result = run(*words, **options)
        shutil.rmtree(tmp_path / "logs")
        return result

    monkeypatch.setattr("grouser.scenario.run", run_and_remove)
    answer = grouser(f"{RUN} --out logs/a.csv")
    assert answer.code == 0, answer.err
    assert len(read_log(tmp_path / "logs" / "a.csv")) == 101


def test_whoever_sits_at_a_terminal_names_another_folder(grouser, tmp_path, spare, monkeypatch):  # noqa: F811
    answers = iter([tmp_path / "file", tmp_path / "other"])
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("grouser.cli.output._ask_folder", lambda terminal: next(answers))
    output = claim_output("--out", tmp_path / "a.txt", overwrite=False)

    def write(path: Path) -> None:
        if path.parent == tmp_path:
            raise OSError(13, "Permission denied")
        path.write_text("content")

    assert output.write(write) == tmp_path / "other" / "a.txt"


@pytest.mark.parametrize("name", ["taken/a.csv", "a\0b.csv", "x" * 300 + ".csv", "."])
def test_a_place_that_no_file_can_have_is_one_sentence(tmp_path, name):
    (tmp_path / "taken").write_text("")
    with pytest.raises(InvalidValue, match="--out must"):
        claim_output("--out", tmp_path / name, overwrite=True)


def test_a_folder_with_files_is_refused(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").write_text("")
    with pytest.raises(InvalidValue, match="name a new or an empty folder"):
        claim_folder("--out", tmp_path / "full", overwrite=False)
    assert claim_folder("--out", None, tmp_path / "full", overwrite=False).name == "full-2"
    assert claim_folder("--out", tmp_path / "full", overwrite=True).name == "full"
    assert claim_folder("--out", tmp_path / "new", overwrite=False).name == "new"
