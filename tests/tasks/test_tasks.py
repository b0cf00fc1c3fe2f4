"""Many tasks on some processes: results are the same, kept, and survive what can go wrong."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from dask import config
from distributed import LocalCluster, Security

from grouser.errors import ClusterLost, InvalidValue, MissingExtra, TaskFailed, Unreadable
from grouser.tasks import SERIAL, Task, Workers, content_hash, run_tasks
from tests.viewer.browser import wait_until

from . import chores

TWO = Workers(count=2)
ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}


def tasks(function: Callable[..., object], count: int = 6, **arguments: object) -> list[Task]:
    return [
        Task(name=f"task {n}", function=function, arguments={"number": n, **arguments})
        for n in range(count)
    ]


def test_two_processes_give_the_same_as_this_one():
    alone, together = (dict(run_tasks(tasks(chores.square), workers)) for workers in (SERIAL, TWO))
    assert alone == together
    assert alone["task 3"]["square"] == 9


def test_what_is_kept_is_the_same_at_first_and_when_it_is_found_again(tmp_path):
    file = tmp_path / "kept" / "r.json"
    first = dict(run_tasks(tasks(chores.square), SERIAL, file=file))
    assert first["task 2"]["pair"] == [2, 0.2]  # a file knows no tuples
    assert json.loads(file.read_text()) == first
    # Whatever would be called now would fail.
    again = [Task(name=task.name, function=chores.divide) for task in tasks(chores.square)]
    assert dict(run_tasks(again, SERIAL, file=file)) == first


def test_whoever_stops_listening_loses_nothing_and_goes_on(tmp_path):
    file, folder = tmp_path / "r.json", tmp_path / "marks"
    folder.mkdir()
    chosen = tasks(chores.sleep_and_tell, folder=folder, seconds=0.0)
    listening = run_tasks(chosen, SERIAL, file=file)
    for _ in range(3):
        next(listening)
    listening.close()
    assert len(json.loads(file.read_text())) == 3
    assert len(dict(run_tasks(chosen, SERIAL, file=file))) == 6
    assert all(len(mark.read_text().split()) == 1 for mark in folder.iterdir())


def test_progress_counts_what_was_known_before(tmp_path):
    told = []
    file = tmp_path / "r.json"
    list(run_tasks(tasks(chores.square, 2), SERIAL, file=file))
    list(
        run_tasks(
            tasks(chores.square, 3),
            SERIAL,
            file=file,
            on_progress=lambda *words: told.append(words),
        )
    )
    assert told == [("", 2, 3), ("task 2", 3, 3)]


@pytest.mark.parametrize(
    ("workers", "function", "sentence"),
    [
        (TWO, chores.refuse, r"task 'task \d' failed: number must be another, not \d"),
        (SERIAL, chores.divide, r"task 'task \d' failed: ZeroDivisionError: division by zero"),
    ],
)
def test_a_task_that_fails_is_one_sentence(workers, function, sentence):
    with pytest.raises(TaskFailed, match=sentence) as caught:
        list(run_tasks(tasks(function, 2), workers))
    assert "chores.py" in str(caught.value.__cause__)  # for whoever looks for the mistake


def test_a_process_that_dies_costs_its_own_task_alone(tmp_path):
    chosen = tasks(chores.kill_itself_once, folder=tmp_path)
    assert dict(run_tasks(chosen, TWO)) == {f"task {n}": n for n in range(6)}
    starts = {mark.stem: len(mark.read_text()) for mark in tmp_path.iterdir()}
    assert starts == {"0": 1, "1": 1, "2": 2, "3": 1, "4": 1, "5": 1}


def test_a_task_that_always_kills_its_process_is_given_up():
    with pytest.raises(TaskFailed, match=r"the process that ran it died, 3 times"):
        list(run_tasks(tasks(chores.kill_itself, 1), TWO))


def test_a_call_that_means_nothing_elsewhere_or_returns_what_cannot_be_sent_is_one_sentence():
    with pytest.raises(TaskFailed, match="cannot be run by another process .*only here"):
        list(run_tasks(tasks(chores.square, 1, extra=chores.OnlyHere()), TWO))
    with pytest.raises(TaskFailed, match="its result cannot be sent"):
        list(run_tasks(tasks(chores.return_a_lock, 1), TWO))


def test_two_tasks_of_one_name_are_refused():
    with pytest.raises(InvalidValue, match="name of a task must be given once, not 'task 0'"):
        list(run_tasks(tasks(chores.square, 1) * 2, SERIAL))


def test_a_kept_result_that_cannot_be_one_is_refused(tmp_path):
    (tmp_path / "r.json").write_text('{"task 0": "x"}')
    done = run_tasks(
        tasks(chores.square, 1), SERIAL, file=tmp_path / "r.json", is_valid=lambda v: v == 0
    )
    with pytest.raises(Unreadable, match=r"r\.json: 'task 0' does not hold one of the results; mo"):
        list(done)


def test_settings_have_a_mark_of_their_own():
    assert content_hash("a", {"x": 1, "y": 2}) == content_hash("a", {"y": 2, "x": 1})
    assert content_hash("a", {"x": 1}) != content_hash("a", {"x": 2})


def test_a_crew_that_cannot_be_is_refused():
    with pytest.raises(InvalidValue, match="number of workers must be at least 1"):
        Workers(count=0)
    with pytest.raises(InvalidValue, match="which has its own workers"):
        Workers(count=2, cluster="tcp://127.0.0.1:1")


def test_without_distributed_a_cluster_is_refused_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"pip install 'grouser\[cluster\]'"):
        list(run_tasks(tasks(chores.square), Workers(cluster="tcp://127.0.0.1:1")))


PROGRAM = """
import sys
from pathlib import Path
from grouser.errors import GrouserError
from grouser.tasks import Workers, Task, run_tasks
from tests.tasks import chores

if __name__ == "__main__":
    folder, cluster = Path(sys.argv[1]), sys.argv[2] or None
    tasks = [
        Task(name=str(n), function=chores.sleep_and_tell,
             arguments={"number": n, "folder": folder, "seconds": 0.3})
        for n in range(12)
    ]
    workers = Workers(cluster=cluster) if cluster else Workers(count=2)
    try:
        for name, _ in run_tasks(tasks, workers, file=folder / "r.json"):
            print(name, flush=True)
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.fixture
def program(tmp_path):
    """Start the program above in a process of its own."""
    (tmp_path / "marks").mkdir()
    (tmp_path / "program.py").write_text(PROGRAM)
    started = []

    def start(cluster: str = "") -> subprocess.Popen[str]:
        command = [sys.executable, tmp_path / "program.py", tmp_path / "marks", cluster]
        process = subprocess.Popen(
            command, cwd=ROOT, env=ENVIRONMENT, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def starts(folder: Path) -> dict[str, list[str]]:
    return {mark.stem: mark.read_text().split() for mark in folder.glob("*.start")}


def test_a_program_that_would_start_itself_again_is_told_what_to_write(tmp_path):
    (tmp_path / "bare.py").write_text(
        "from grouser.tasks import Workers, Task, run_tasks\n"
        "print(dict(run_tasks([Task(name='a', function=dict)], Workers(count=2))))\n"
    )
    command = [sys.executable, tmp_path / "bare.py"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode != 0
    assert "put what starts the work under: if __name__ == '__main__':" in ended.stderr


def test_an_interrupt_ends_all_processes_and_keeps_what_is_done(program, tmp_path):
    first = program()
    for _ in range(3):
        assert first.stdout.readline()
    first.send_signal(signal.SIGINT)
    _, err = first.communicate(timeout=60)
    assert (first.returncode, err) == (130, "")
    kept = json.loads((tmp_path / "marks/r.json").read_text())
    assert 3 <= len(kept) < 12
    ended = {mark.stem for mark in (tmp_path / "marks").glob("*.end")}
    assert set(kept) <= ended
    time.sleep(0.4)  # a process that was left over would end its task by now
    assert {mark.stem for mark in (tmp_path / "marks").glob("*.end")} == ended
    again = program()
    assert len(again.communicate(timeout=90)[0].split()) == 12
    assert all(len(starts(tmp_path / "marks")[name]) == 1 for name in kept)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_processes_end_at_once_when_their_program_is_killed(program, tmp_path):
    first = program()
    for _ in range(3):
        assert first.stdout.readline()
    first.kill()
    first.wait(timeout=60)
    begun = set(starts(tmp_path / "marks"))
    pids = {int(pid) for marks in starts(tmp_path / "marks").values() for pid in marks}
    assert len(pids) == 2
    wait_until(lambda: not any(is_alive(pid) for pid in pids), "both processes have ended")
    assert len(set(starts(tmp_path / "marks")) - begun) <= 2  # of twelve, by two processes
    assert len(json.loads((tmp_path / "marks/r.json").read_text())) >= 3


@pytest.fixture
def cluster(tmp_path):
    """Return the address of a cluster on this machine, and its two workers."""
    file = tmp_path / "scheduler.json"
    place = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
    one = ["--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path)]
    programs = [["scheduler", "--port", "0"], ["worker", *one], ["worker", *one]]
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *place, *options],
            cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.DEVNULL,
        )
        for kind, *options in programs
    ]  # fmt: skip
    while not file.exists():
        time.sleep(0.05)
    yield json.loads(file.read_text())["address"], processes[1:]
    for process in processes:
        process.kill()
        process.wait()


def test_a_cluster_gives_the_same_as_this_machine_and_a_killed_worker_costs_its_running_task(
    cluster, program, tmp_path
):
    address, workers = cluster
    marks = tmp_path / "marks"
    running = program(address)
    for _ in range(4):
        assert running.stdout.readline()
    victim = workers[0]
    victim.send_signal(signal.SIGSTOP)
    begun = {name for name, pids in starts(marks).items() if str(victim.pid) in pids}
    under_way = {name for name in begun if not (marks / f"{name}.end").exists()}
    victim.kill()
    out, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (0, "")
    repeated = {name for name, pids in starts(marks).items() if len(pids) > 1}
    assert repeated <= under_way
    assert len(under_way) <= 1
    alone = tasks(chores.sleep_and_tell, 12, folder=tmp_path, seconds=0.0)
    here = {name.removeprefix("task "): value for name, value in run_tasks(alone, SERIAL)}
    assert json.loads((marks / "r.json").read_text()) == here


def test_what_is_no_address_is_refused():
    with pytest.raises(InvalidValue, match="--cluster must be the address of a Dask scheduler, as"):
        list(run_tasks(tasks(chores.square), Workers(cluster="moon")))


@pytest.fixture
def certificate(tmp_path) -> dict[str, str]:
    """Return Dask's settings for a certificate that signs itself."""
    openssl = shutil.which("openssl")
    if openssl is None:
        assert "CI" not in os.environ, "CI installs openssl"
        pytest.skip("openssl is not installed")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    made = ["req", "-x509", *kind, "-subj", "/CN=test", "-keyout", key, "-out", cert]
    subprocess.run([openssl, *made], check=True, capture_output=True)
    roles = {f"{role}.{part}": str(file) for role in ("client", "scheduler", "worker")
             for part, file in (("cert", cert), ("key", key))}  # fmt: skip
    files = {"ca-file": str(cert), **roles}
    return {f"distributed.comm.tls.{name}": file for name, file in files.items()}


def test_a_cluster_with_certificates_works_and_without_them_is_one_sentence(certificate, tmp_path):
    inside = {"processes": False, "n_workers": 1, "threads_per_worker": 1, "protocol": "tls"}
    with (
        config.set(certificate),
        LocalCluster(dashboard_address=None, security=Security(), **inside) as cluster,
        config.set(dict.fromkeys(certificate)),
    ):
        assert cluster.scheduler_address.startswith("tls://")
        workers = Workers(cluster=cluster.scheduler_address)
        with pytest.raises(InvalidValue, match="set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, "):
            list(run_tasks(tasks(chores.square), workers))
        with config.set(certificate):
            assert dict(run_tasks(tasks(chores.square), workers))["task 3"]["square"] == 9
        lost = {**certificate, "distributed.comm.tls.ca-file": str(tmp_path / "none.pem")}
        with config.set(lost), pytest.raises(InvalidValue, match=r"none.pem.*: No such file"):
            list(run_tasks(tasks(chores.square), workers))


def test_where_encryption_is_required_an_address_without_it_is_one_sentence():
    with (
        config.set({"distributed.comm.require-encryption": True}),
        pytest.raises(InvalidValue, match="--cluster must begin with tls://"),
    ):
        list(run_tasks(tasks(chores.square), Workers(cluster="tcp://127.0.0.1:1")))


def test_a_cluster_that_is_not_there_is_one_sentence(monkeypatch):
    monkeypatch.setattr("grouser.tasks.dask.CONNECT_TIMEOUT", 0.5)
    with pytest.raises(ClusterLost, match="does not answer; start it with: dask scheduler"):
        list(run_tasks(tasks(chores.square), Workers(cluster="tcp://127.0.0.1:1")))
