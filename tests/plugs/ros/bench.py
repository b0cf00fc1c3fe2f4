"""Processes of two ROS 2 distributions: the robot in one, foreign nodes in the other."""

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from grouser.description.find import find_description, read_text

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
SENSORS = """
[sensors.encoder]
ticks_per_revolution = 1000
wheel_radius_m = 0.1

[sensors.imu]
gyro_range_deg_s = 250.0
gyro_bits = 16
rate_hz = 100.0
position_m = [0.1, 0.0, 0.2]
yaw_deg = 90.0

[sensors.gnss]
latitude_deg = 50.0
position_m = [0.0, 0.0, 0.3]

[[sensors.lidar]]
name = "laser"
rays = 91
field_of_view_deg = 180.0
range_m = [0.05, 20.0]
position_m = [0.2, 0.0, 0.3]
pitch_deg = 30.0

[[sensors.lidar]]
name = "spinner"
rays = 36
rings = 4
elevation_deg = [-40.0, -10.0]
range_m = [0.05, 20.0]
position_m = [0.0, 0.0, 0.4]

[[sensors.camera]]
name = "front"
size_px = [32, 24]
rate_hz = 5.0
latency_s = 0.05
position_m = [0.3, 0.0, 0.3]
"""


def ros_python(distribution: str) -> str:
    """Return the Python of a ROS 2 distribution: `make ros` builds it."""
    folder = Path(os.environ.get("GROUSER_ROS", ROOT / ".venv-ros"))
    python = folder / distribution / "bin" / "python"
    assert python.exists(), f"{python} is missing: `make ros` builds it"
    return str(python)


@cache
def _log_folder() -> str:
    folder = tempfile.mkdtemp(prefix="grouser-ros-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def environment(domain: int, **more: str) -> dict[str, str]:
    """Return an environment in which only processes of one domain, on this machine, meet."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ROS_", "_ROS_", "LD_LIB"))}
    source = str(ROOT / "src")
    found = {"ROS_DOMAIN_ID": str(domain), "PYTHONPATH": source, "PYTHONWARNINGS": "default"}
    found["ROS_LOG_DIR"] = _log_folder()  # not in the home, which may be read-only
    return {**kept, **found, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", **more}


@contextmanager
def robots(
    distribution: str, domain: int, log: Path, *words: str, path: tuple[Path, ...] = ()
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run `grouser ros` with some words, and folders of plug-ins; it ends by Ctrl-C."""
    source = os.pathsep.join(map(str, (ROOT / "src", *path)))
    command = [ros_python(distribution), "-m", "grouser", "ros", *words]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, env=environment(domain, PYTHONPATH=source), stdout=out, stderr=out,
            cwd=log.parent,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def foreign(distribution: str, domain: int, *words: str, timeout: float = 150.0) -> str:
    """Run a program in another distribution; return what it prints."""
    command = [ros_python(distribution), *words]
    done = subprocess.run(
        command, env=environment(domain), capture_output=True, text=True, timeout=timeout,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    sys.stderr.write(done.stderr)
    return done.stdout


def write_robot(path: Path) -> Path:
    """Write absolem with encoders, a gyroscope mounted askew, a receiver, lidars, a camera."""
    text = read_text(find_description("robot", "absolem"))
    head, mark, sources = text.partition("\n[sources]")
    path.write_text(head + "\n" + SENSORS + mark + sources)
    return path
