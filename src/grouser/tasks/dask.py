"""The workers of a Dask cluster. The only module that imports distributed.

A worker that dies loses the task that it runs; the scheduler gives that to another. A result is
fetched from its worker as soon as it is there and released there, so that no task runs twice.

Tasks and results are pickled: a scheduler or worker can run any program here, and whoever reaches
the scheduler can run any program on its workers. Only a cluster that is trusted may be used.
"""

import contextlib
import logging
import re
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from importlib.metadata import version
from queue import Empty, SimpleQueue
from typing import Any

from grouser.errors import ClusterLost, InvalidValue
from grouser.extras import require_extra
from grouser.tasks.pool import Task, TaskResult, call_task
from grouser.version import VERSION

CONNECT_TIMEOUT = 10.0
"""Longest wait for the scheduler, and for a first worker [s]."""
NO_WORKERS_TIMEOUT = 60.0
"""How long a cluster may be without workers while tasks are left [s]."""
POLL_PERIOD = 1.0
"""Time between two checks whether the cluster is still there [s]."""
_ADDRESS = re.compile(r"((tcp|tls|ws|wss)://)?(\[[0-9a-fA-F:]+\]|[\w.-]+):\d+")


def run_on_cluster(tasks: Sequence[Task], address: str) -> Iterator[tuple[Task, TaskResult]]:
    """Yield tasks as workers end them.

    Raises:
        MissingExtra: distributed is not installed.
        InvalidValue: The address is not one, its certificates are not named or cannot be read, or
            workers have other versions than this process.
        ClusterLost: The scheduler does not answer, or has no workers.
    """
    with _connected(address) as client:
        _check_workers(client, address)
        done: SimpleQueue[Any] = SimpleQueue()
        pending = dict(_submit(client, task, done) for task in tasks)
        while pending:
            future = _await(done, client, address)
            result = _take(future, address)
            if result is None:
                future.add_done_callback(done.put)
                continue
            # A future that is held is computed again if its worker dies.
            task, _ = pending.pop(future.key)
            del future
            yield task, result


def _submit(client: Any, task: Task, done: "SimpleQueue[Any]") -> tuple[str, tuple[Task, Any]]:
    future = client.submit(call_task, task.function, dict(task.arguments), pure=False)
    future.add_done_callback(done.put)
    return future.key, (task, future)


@contextlib.contextmanager
def _connected(address: str) -> Iterator[Any]:
    require_extra("--cluster", "cluster", "distributed")
    from distributed import Client

    if not _ADDRESS.fullmatch(address):
        required = "be the address of a Dask scheduler, as in tcp://127.0.0.1:8786"
        raise InvalidValue("--cluster", address, required)
    security = _secure(address)
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # errors are raised as one sentence
    client: Any = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # versions are compared below
            client = Client(
                address, timeout=CONNECT_TIMEOUT, set_as_default=False, security=security
            )
        yield client
    except OSError as error:
        advice = "start it with: dask scheduler"
        if _is_encrypted(address):
            advice += ", with a certificate of the authority that is named here"
        raise ClusterLost(address, f"does not answer; {advice}") from error
    finally:
        # Tasks that are left are cancelled.
        if client is not None:
            with contextlib.suppress(Exception):
                client.close(timeout=POLL_PERIOD)
        logger.setLevel(level)


def _is_encrypted(address: str) -> bool:
    return address.startswith(("tls://", "wss://"))


def _secure(address: str) -> Any:
    """Return the certificates that Dask's own configuration names.

    Raises:
        InvalidValue: The address needs certificates and they are not named, or cannot be read; or
            the configuration wants encryption and the address has none.
    """
    from distributed import Security

    security = Security()
    if not _is_encrypted(address):
        if security.require_encryption:
            required = "begin with tls://, as Dask's configuration requires encryption"
            raise InvalidValue("--cluster", address, required)
        return security
    names = {
        "CA_FILE": security.tls_ca_file,
        "CLIENT__CERT": security.tls_client_cert,
        "CLIENT__KEY": security.tls_client_key,
    }
    missing = [f"DASK_DISTRIBUTED__COMM__TLS__{name}" for name, file in names.items() if not file]
    if missing:
        required = (
            f"have its certificates named: set {', '.join(missing)} to the paths of PEM files"
        )
        raise InvalidValue("--cluster", address, required)
    try:
        security.get_connection_args("client")
    except OSError as error:
        files = ", ".join(str(file) for file in names.values())
        required = f"have certificates that can be read ({files}: {error.strerror or error})"
        raise InvalidValue("--cluster", address, required) from None
    return security


def describe_worker() -> dict[str, str]:
    """Return the versions on which results depend, by package."""
    return {"grouser": VERSION, **{name: version(name) for name in ("mujoco", "numpy")}}


def _check_workers(client: Any, address: str) -> None:
    advice = f"start some with: dask worker {address} --nthreads 1 --nworkers 2"
    try:
        client.wait_for_workers(1, timeout=CONNECT_TIMEOUT)
        found = client.run(describe_worker)
    except TimeoutError:
        raise ClusterLost(address, f"has no workers; {advice}") from None
    except ModuleNotFoundError as error:
        raise ClusterLost(address, f"has a worker without grouser ({error})") from None
    ours = describe_worker()
    for worker, theirs in found.items():
        if theirs != ours:
            words = ["; ".join(f"{k} {v}" for k, v in kind.items()) for kind in (ours, theirs)]
            required = f"have workers with {words[0]}, as here; {worker} has {words[1]}"
            raise InvalidValue("--cluster", address, required)


def _await(done: "SimpleQueue[Any]", client: Any, address: str) -> Any:
    """Return a future that is done; check now and then that the cluster still has workers."""
    empty_since = None
    while True:
        try:
            return done.get(timeout=POLL_PERIOD)
        except Empty:
            pass
        if client.status in ("closing", "closed"):
            raise ClusterLost(address, "went away; finished results are kept")
        if client.scheduler_info(n_workers=-1)["workers"]:
            empty_since = None
        elif empty_since is None:
            empty_since = time.monotonic()
        elif time.monotonic() - empty_since > NO_WORKERS_TIMEOUT:
            raise ClusterLost(address, "has no workers any more; finished results are kept")


def _take(future: Any, address: str) -> TaskResult | None:
    """Return the result; None if its worker died with it, and it is computed again."""
    from distributed import KilledWorker

    try:
        return future.result(timeout=CONNECT_TIMEOUT)
    except TimeoutError:
        return None
    except KilledWorker as error:
        times = error.allowed_failures + 1
        return TaskResult(problem=f"the worker that ran it died, {times} times")
    except CancelledError:
        raise ClusterLost(address, "went away; finished results are kept") from None
