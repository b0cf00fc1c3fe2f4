"""A page without a server, and broken files of every kind with the words of their mistakes."""

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import trimesh

from grouser.scenario import Scenario
from grouser.viewer.builder import Builder
from grouser.viewer.commands import PageCommands
from grouser.viewer.course_files import CourseFiles
from grouser.viewer.dropped import DroppedFiles, Outcome
from grouser.viewer.input import DriverLock
from grouser.viewer.loop import Loop
from grouser.viewer.recordings import Recordings
from grouser.viewer.session import Session
from grouser.viewer.stand_in import Workshop

PLACE = (1.5, 0.5, 0.0)


class Page:
    """All that takes files, without a server."""

    def __init__(self, folder: Path, model: str) -> None:
        self.folder, self.told = folder, list[str]()
        scenario = Scenario(robot="absolem", course="flat", model=model, driver="person")
        self.loop = Loop(Session(scenario), DriverLock(), self.told.append)
        workshop = Workshop(self.told.append)
        workshop.is_open.set()
        commands = PageCommands(self.loop, Recordings(folder), self.told.append, workshop)
        self.builder = Builder(commands, CourseFiles(folder), self.told.append)
        self.files = DroppedFiles(commands, self.builder)

    def __enter__(self) -> "Page":
        self.loop.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.loop.stop()
        self.files.reader.close()

    def drop(self, name: str, content: bytes, place=PLACE) -> Outcome:
        arrived = self.folder / "courses" / ".grouser-arrived.part"
        arrived.parent.mkdir(parents=True, exist_ok=True)
        arrived.write_bytes(content)
        return self.files.take(arrived, name, place)


COURSE = 'name = "mine"\n[[terrain]]\nkind = "plane"\n'


def _course(*pieces: str) -> bytes:
    return (COURSE + "".join(f"[[terrain]]\n{piece}\n" for piece in pieces)).encode()


def _png(width: int, height: int, data: bytes = b"") -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(data))
    return b"\x89PNG\r\n\x1a\n" + head + body + chunk(b"IEND", b"")


def _npy(values: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


def _stl(mesh: trimesh.Trimesh) -> bytes:
    content = mesh.export(file_type="stl")
    assert isinstance(content, bytes)
    return content


def _nan_box() -> bytes:
    content = bytearray(_stl(trimesh.creation.box((1.0, 1.0, 1.0))))
    content[84 + 12 : 84 + 16] = struct.pack("<f", float("nan"))
    return bytes(content)


NOISE = np.random.default_rng(1).bytes(65 * 64)
BOX = _stl(trimesh.creation.box((1.0, 1.0, 1.0)))
OPEN_BOX = BOX[:80] + struct.pack("<I", 11) + BOX[84 : 84 + 11 * 50]
NO_FACES = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
UNCLEAR = b"favourite = 'blue'\n"

BROKEN: dict[str, tuple[str, bytes, tuple[str, ...]]] = {
    "empty": ("empty.toml", b"", ("the file is empty",)),
    "no ending": ("README", b"\x00\x01\x02 no file of ours", ("must be a file that ends in one",)),
    "garbage": ("noise.toml", bytes(range(256)) * 20, ("cannot be read as text",)),
    "cut off": ("cut.toml", COURSE.encode()[:-3], ("this is not TOML",)),
    "unclear": ("colour.toml", UNCLEAR, ("is neither a robot",)),
    "deep": ("deep.toml", b"a = " + b"[" * 5000 + b"]" * 5000, ("may be nested 32 deep",)),
    "long number": ("long.toml", b"speed_m_s = 1" + b"0" * 400, ("may have 100 characters",)),
    "wrong kind": (
        "kind.toml",
        (
            COURSE + '[[terrain]]\nkind = "boxx"\n[[terrain]]\nkind = "box"\nlength_m = "a"\n'
        ).encode(),
        (
            "did you mean 'box'",
            "valid number, given 'a'",
            "width_m is missing",
            "height_m is missing",
        ),
    ),
    "nan": ("nan.toml", (COURSE + "speed_m_s = nan\n").encode(), ("speed_m_s",)),
    "huge": (
        "huge.toml",
        (
            COURSE + '[[terrain]]\nkind = "box"\nlength_m = 1e300\nwidth_m = 1\nheight_m = 1\n'
        ).encode(),
        ("length_m",),
    ),
    "wrong unit": (
        "unit.toml",
        (
            COURSE + '[[terrain]]\nkind = "box"\nlength_cm = 40\nwidth_m = 1\nheight_m = 1\n'
        ).encode(),
        ("length_m is missing", "length_cm"),
    ),
    "outside": (
        "../../../outside.toml",
        _course('kind = "mesh"\nfile = "../../../etc/passwd"'),
        ("terrain[1].file must name a file in the folder",),
    ),
    "missing file": (
        "missing.toml",
        _course('kind = "mesh"\nfile = "rock.stl"'),
        ("there is no such file",),
    ),
    "robot": (
        "robot.toml",
        b"name = 'x'\n[body]\nmass_kg = -3.0\n",
        ("body.mass_kg", "drive is"),
    ),
    "robot outside": (
        "model.toml",
        b"name = 'x'\n[body]\nmodel = '/etc/passwd'\n",
        ("body.model must name a file in the folder",),
    ),
    "scenario": (
        "scenario.toml",
        b'grouser = 1\nrobot = "absolemm"\ncourse = "flatt"\nmodel = "csm"\n',
        ("did you mean 'absolem'", "did you mean 'flat'"),
    ),
    "scenario outside": (
        "evil.toml",
        b'robot = "absolem"\ncourse = "/etc/hosts.toml"\n',
        ("course must name a file in the folder",),
    ),
    "png cut off": ("cut.png", _png(64, 64, NOISE)[:900], ("the picture cannot be read",)),
    "png bomb": ("bomb.png", _png(8000, 8000), ("must have at most 16,000,000 pixels",)),
    "png colour": ("name.png", b"\x89PNG not really", ("the picture cannot be read",)),
    "npy nan": ("nan.npy", _npy(np.full((4, 4), np.nan)), ("has no height",)),
    "npy words": ("words.npy", _npy(np.array([["a", "b"]])), ("must be numbers in rows",)),
    "csv": ("ragged.csv", b"1,2,3\n4,5\n", ("rows of numbers, each equally long",)),
    "asc": ("map.asc", b"ncols 2\nnrows 2\n1 2\n3 4\n", ("cellsize is missing",)),
    "stl garbage": ("noise.stl", bytes(range(256)) * 3, ("has no triangles",)),
    "stl nan": ("nan.stl", _nan_box(), ("not finite numbers",)),
    "stl open": ("open.stl", OPEN_BOX, ("is not closed",)),
    "obj no faces": ("points.obj", NO_FACES, ("has no triangles",)),
    "ply garbage": ("noise.ply", b"ply\nformat nonsense\n", ("PLY",)),
    "glb garbage": ("noise.glb", b"glTF" + b"\xff" * 60, ("cannot be read as GLB",)),
}
"""Name, content, and words of each mistake of files that cannot be used."""
