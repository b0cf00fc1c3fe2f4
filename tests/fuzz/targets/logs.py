"""Logs as CSV and Parquet, those of other programs, heads, provenance, and files of results."""

import json
import random
import struct
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from grouser import PathFollower, Simulation, load_course, load_robot, make_model
from grouser.errors import InvalidLog, Unreadable
from grouser.limits import DURATION
from grouser.log import Log, Provenance, read_foreign, read_log, write_log
from grouser.log.propose_map import propose_map
from grouser.papers.p1.comparison import _is_result
from grouser.papers.p1.report import read_tuned
from grouser.papers.p1.scenarios import P1_MODELS
from grouser.papers.p1.search import Search
from grouser.tasks.results import ResultStore
from tests.fuzz.target import Target, require, write_input

MAP = {
    "time": {"column": "t", "unit": "ms"},
    "x": {"column": "X (cm)", "unit": "cm"},
    "y": {"column": "Y (cm)", "unit": "cm", "sign": -1},
    "yaw": {"column": "heading", "unit": "deg", "offset": 90},
}
TABLES = (
    "t,X (cm),Y (cm),heading,note\n" + "".join(f"{50 * i},{i},{-i},{2 * i},a\n" for i in range(12)),
    "camera\n\n# noon\nt;heading;X (cm);Y (cm)\n0;90;1.5;nan\n50;80;2.5;4\n50;80;2.5;4\n75;1;2;3\n",
    '"t"\t"X (cm)"\t"Y (cm)"\t"heading"\r\n1e3\t-1.5E-3\t+2\t.5\r\n2e3\t1\t2\t3\r\n',
)
RICH_MAP = {
    "time": {"column": "sec", "unit": "s", "plus": {"column": "nsec", "unit": "ns"}},
    "group": {"column": "day", "unit": "1"},
    "x": {"latitude": "lat", "longitude": "lon", "where": "new"},
    "y": {"latitude": "lat", "longitude": "lon", "where": "new"},
    "yaw": {"quaternion": ["qx", "qy", "qz", "qw"]},
    "encoder.left": {"column": "n", "unit": "1", "wraps_at": 256, "metres_per_count": 0.01},
}
RICH_TABLES = (
    "# sec nsec day lat lon new qx qy qz qw n\n"
    + "".join(f"17000000{i // 2:02d} {i % 2 * 5}00 a 46.{i} 7 {i % 2} 0 0 0 1 {40 * i % 256}\n"
              for i in range(12)),
    "sec,nsec,day,lat,lon,new,qx,qy,qz,qw,n\n0,0,1,,,,,,,,\n0,0,1,1,2,1,,,,,\n0,5,1,1,2,0,0,0,1,0,9\n"
    "0,1,1,1,2,1,0,0,0,1,2\n0,2,1,1,2,1,0,0,0,1,2\n",
)  # fmt: skip
GUESSED = (
    "window,step,t_s,left_m_s,right_m_s,cmd_left_rad_s,cmd_right_rad_s,x_m,y_m,yaw_rad,new_pose\n"
    + "".join(f"{w},0,{0.1 * i},1,1,2,2,{i},0,0,{i % 2}\n" for w in range(3) for i in range(4)),
    "".join(f"{1.7e9 + i:.3f} {i} 0 0 0 0 0 1\n" for i in range(9)),
    "time,velL,velR,wz,vx,vy\n" + "".join(f"{i},0.1,0.2,3,4,5\n" for i in range(9)),
)
NUMBERS = (0, 1, 2, 255, 2**16 - 1, 2**31, 2**32 - 1, 2**40, 2**60, 2**63, 2**64 - 1)
SEARCH = Search(model=P1_MODELS["csm"], iterations=1)


@cache
def logs() -> tuple[Log, ...]:
    """Two short drives: a robot with sensors, and one without."""
    found = []
    for name in ("tp100", "tankbot"):
        robot, course = load_robot(name), load_course("behaviour-1-radius")
        simulation = Simulation(make_model("ideal"), robot, course, dt=0.02, seed=3)
        status = simulation.run(PathFollower(robot, course.path, speed=0.1), 0.3)
        found.append(simulation.log(status, driver="follow"))
    return tuple(found)


@cache
def files(suffix: str) -> tuple[bytes, ...]:
    """The drives as files."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number, log in enumerate(logs()):
            path = Path(folder) / f"{number}{suffix}"
            write_log(log, path)
            found.append(path.read_bytes())
    return tuple(found)


def seeds() -> list[bytes]:
    """Inputs of targets that make the damage themselves: where their chance comes from."""
    return [random.Random(number).randbytes(16) for number in range(50)]


def read_as(suffix: str) -> Callable[[bytes, Path], Log]:
    """Return a reader of inputs of one format."""
    return lambda content, folder: read_log(write_input(folder, suffix, content))


def read_damaged(read: Callable[[bytes, Path], Log], content: bytes, folder: Path) -> Log | None:
    """Return a log, or None if it was rejected: here valid inputs lead to damage, too."""
    try:
        return read(content, folder)
    except InvalidLog as error:
        require("input" in str(error), f"does not name the file: {error}")
        return None


def check_log(log: Log | None) -> None:
    """Raise Nonsense for a log that should have been rejected."""
    if log is None:
        return
    require(bool(log.columns), "no columns")
    require(all(name.strip() for name in log.names), "an empty name")
    lengths = {len(column) for column in log.columns.values()}
    require(len(lengths) == 1, f"columns have {lengths} rows")
    if "time" in log:
        require(bool(np.isfinite(log.time).all()), "time is not finite")
        inside = (
            np.diff(log["piece"]) == 0.0 if "piece" in log else np.ones(max(len(log) - 1, 0), bool)
        )
        require(bool((np.diff(log.time)[inside] > 0.0).all()), "time does not increase")
        require(log.duration <= DURATION, f"lasts {log.duration} s")
    dt = log.provenance.dt
    require(dt is None or 0.0 < dt <= DURATION, f"dt is {dt}")


def _csv_samples() -> list[bytes]:
    whole = files(".csv")
    rows = b"# rows = %d" % len(logs()[0])
    return [*whole, whole[0].replace(rows, b"# rows = unknown")[:-20]]


def _read_csv(content: bytes, folder: Path) -> tuple[Log, bytes]:
    return read_as(".csv")(content, folder), content


def _check_csv(pair: tuple[Log, bytes]) -> None:
    log, content = pair
    check_log(log)
    line = content.split(b"\n")[1]
    if b"unknown" in line:
        require(log.provenance.status == "unfinished", "unfinished, but does not say so")
    else:
        require(len(log) == int(line.split(b"=")[1]), f"{len(log)} rows, but {line!r}")


def _check_foreign(log: Log) -> None:
    require(len(log) > 0 and "time" in log, "no rows, or no time")
    check_log(log)


def _read_guessed(content: bytes, folder: Path) -> Log:
    path = write_input(folder, ".csv", content)
    column_map = folder / "input.map.toml"
    column_map.write_text(propose_map(path, 0.1).to_toml(path.name))
    return read_foreign(path, column_map)


def _read_with_damaged_footer(content: bytes, folder: Path) -> Log | None:
    """Read a Parquet file whose footer was changed: it is what says how large all is."""
    chance = random.Random(content)
    whole = chance.choice(files(".parquet"))
    (length,) = struct.unpack("<I", whole[-8:-4])
    changed = bytearray(whole)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        place = chance.randrange(len(whole) - 8 - length, len(whole) - 8)
        changed[place] = chance.choice((0, 1, 127, 128, 255, changed[place] ^ 1))
    if chance.random() < 0.1:
        changed[-8:-4] = struct.pack("<I", chance.choice(NUMBERS) % 2**32)
    return read_damaged(read_as(".parquet"), bytes(changed), folder)


def _kept_samples() -> list[bytes]:
    outcome = {"model": "csm", "scenario": "straight", "run": 0, "seconds": 1.0, "reference": "",
               "metrics": {"d_t": 0.1, "d_st": float("nan")}}  # fmt: skip
    return [json.dumps({"a": outcome, "b": outcome}, indent=1).encode(), b"{}"]


def _read_kept(content: bytes, folder: Path) -> dict[str, Any]:
    kept = ResultStore(write_input(folder, ".json", content), "results of a comparison")
    kept.check(kept.by_name, _is_result)
    return kept.by_name


def _check_kept(results: dict[str, Any]) -> None:
    for result in results.values():
        require(isinstance(result["metrics"], dict), "metrics are no table")


def _search_samples() -> list[bytes]:
    answers = [
        {"values": P1_MODELS["csm"].start, "cost": 1.5 + i, "seconds": 2.0} for i in range(3)
    ]
    content = {**SEARCH._settings(), "best": answers[0], "answers": answers}
    return [json.dumps(content, indent=1).encode()]


def _read_search(content: bytes, folder: Path) -> list[dict[str, Any]]:
    (folder / "tune-csm.json").write_bytes(content)
    try:
        answers = [{"values": read_tuned(folder, P1_MODELS["csm"]), "cost": 0.0}]
    except Unreadable:
        answers = []
    search = Search(
        model=P1_MODELS["csm"], iterations=1, file=write_input(folder, ".json", content)
    )
    return answers + search._read()


def _check_search(answers: list[dict[str, Any]]) -> None:
    for answer in answers:
        require(answer["cost"] >= 0.0, f"cost {answer['cost']}")
        for parameter in P1_MODELS["csm"].parameters:
            value = answer["values"].get(parameter.name, parameter.start)
            require(parameter.low <= value <= parameter.high, f"{parameter.name} = {value}")


def _check_provenance(provenance: Provenance) -> None:
    again = Provenance.from_json(provenance.to_json())
    require(again.to_json() == provenance.to_json(), "does not come back")


TARGETS = [
    Target(
        name="CSV log",
        samples=_csv_samples,
        attempt=_read_csv,
        check=_check_csv,
        words=("# rows = ", "unknown", " [m]", "time [s]", "tick [1]", "nan", "inf", "1_0"),
    ),
    Target(
        name="CSV log of another program",
        samples=lambda: [table.encode() for table in TABLES],
        attempt=lambda content, folder: read_foreign(write_input(folder, ".csv", content), MAP),
        check=_check_foreign,
        words=("t", ";", "\t", '"', "# ", "nan", "1,5", "heading"),
    ),
    Target(
        name="CSV log with pieces",
        samples=lambda: [table.encode() for table in RICH_TABLES],
        attempt=lambda content, folder: read_foreign(
            write_input(folder, ".csv", content), RICH_MAP
        ),
        check=_check_foreign,
        words=(" ", ",", "# ", "nan", "1e30", "1700000000", "-1", "lat", "0"),
    ),
    Target(
        name="guessed column map",
        samples=lambda: [table.encode() for table in (*TABLES, *RICH_TABLES, *GUESSED)],
        attempt=_read_guessed,
        check=_check_foreign,
        words=("time", "velL", "velR", "x_m", "[rad/s]", "heading", "qw", "window", "\0", ";"),
    ),
    Target(
        name="Parquet log",
        samples=lambda: list(files(".parquet")),
        attempt=read_as(".parquet"),
        check=check_log,
        is_text=False,
    ),
    Target(
        name="Parquet footer",
        samples=seeds,
        attempt=_read_with_damaged_footer,
        check=check_log,
        is_text=False,
    ),
    Target(name="kept results JSON", samples=_kept_samples, attempt=_read_kept, check=_check_kept),
    Target(
        name="search state JSON",
        samples=_search_samples,
        attempt=_read_search,
        check=_check_search,
    ),
    Target(
        name="provenance",
        samples=lambda: [log.provenance.to_json().encode() for log in logs()],
        attempt=lambda content, folder: Provenance.from_json(content.decode(errors="replace")),
        check=_check_provenance,
        names_file=False,
        words=("dt", "seed", "status", "notes", "complete", "{", "[", "NaN"),
    ),
]
