"""All ways in which a file that is dropped on a page can name another file.

Each way is the text of a file, in which PATH stands for the other file's path. The texts are those
of files that would be right if the path were.
"""

from pathlib import Path

import numpy as np
import trimesh

from grouser.description.find import find_description, read_text

ROBOT = read_text(find_description("robot", "tp100"))
PLANE = 'name = "mine"\n[[terrain]]\nkind = "plane"\n'
MESH, MAP = '[[terrain]]\nkind = "mesh"\n', '[[terrain]]\nkind = "heightfield"\nspacing_m = 0.1\n'
RUN = 'model = "csm"\n'
WHICH = f'{PLANE}[parameters.which]\ndefault = "rock.stl"\n{MESH}file = "$which"\n'


def _with_body(line: str) -> str:
    return ROBOT.replace("[body]\n", f"[body]\n{line}\n", 1)


def _part(kind: str, text: str, name: str = "mine") -> str:
    return f"{RUN}[{kind}]\nname = '{name}'\ntext = '''\n{text}'''\n"


WAYS: dict[str, tuple[str, str]] = {
    "mesh of a robot": ("mesh.stl", _with_body('mesh = "PATH"')),
    "model of a robot": ("model.xml", _with_body('model = "PATH"')),
    "mesh of a piece": ("mesh.stl", f'{PLANE}{MESH}file = "PATH"\n'),
    "heights of a piece": ("heights.npy", f'{PLANE}{MAP}file = "PATH"\n'),
    "default of a parameter": ("mesh.stl", WHICH.replace("rock.stl", "PATH")),
    "soil": ("soil.toml", f'{PLANE}[surfaces.ground]\nsoil = "PATH"\n'),
    "soil like another": ("soil.toml", f'{PLANE}[surfaces.ground.soil]\nlike = "PATH"\nn = 1.0\n'),
    "soil by a parameter": (
        "soil.toml",
        f'{PLANE}[parameters.s]\ndefault = "PATH"\n[surfaces.ground]\nsoil = "$s"\n',
    ),
    "robot of a scenario": ("robot.toml", f'{RUN}robot = "PATH"\n'),
    "course of a scenario": ("course.toml", f'{RUN}course = "PATH"\n'),
    "course with a parameter": ("course.toml", f'{RUN}course = "PATH:height_m=0.2"\n'),
    "parameter of a course": (
        "mesh.stl",
        f'{RUN}[course]\nname = "courses/which.toml"\nwhich = "PATH"\n',
    ),
    "set mesh of a robot": (
        "mesh.stl",
        f'{RUN}[robot]\nname = "absolem"\nset = {{ "body.mesh" = "PATH" }}\n',
    ),
    "set model of a robot": (
        "model.xml",
        f'{RUN}[robot]\nname = "absolem"\nset = {{ "body.model" = "PATH" }}\n',
    ),
    "set file of a piece": (
        "mesh.stl",
        f'{RUN}[course]\nname = "courses/which.toml"\nset = {{ "terrain.1.file" = "PATH" }}\n',
    ),
    "set soil": (
        "soil.toml",
        f'{RUN}[course]\nname = "slippery"\nset = {{ "surfaces.ground.soil" = "PATH" }}\n',
    ),
    "text of a robot": ("mesh.stl", _part("robot", _with_body('mesh = "PATH"'))),
    "text of a course": ("mesh.stl", _part("course", f'{PLANE}{MESH}file = "PATH"\n')),
    "text that lies elsewhere": (
        "x.toml",
        _part("course", f'{PLANE}{MESH}file = "mesh.stl"\n', "PATH"),
    ),
    "log of a driver": ("log.csv", f'{RUN}driver = {{ name = "replay", log = "PATH" }}\n'),
    "log as a reference": ("log.csv", f'{RUN}driver = "replay:log=PATH"\n'),
    "parameters of a driver": (
        "log.csv",
        f'{RUN}driver = {{ name = "replay", parameters = {{ log = "PATH" }} }}\n',
    ),
    "waypoints": ("points.csv", f'{RUN}driver = {{ name = "waypoints", file = "PATH" }}\n'),
    "rig of an observer": ("rig.toml", f'{RUN}[[observers]]\nname = "ekf"\nrig = "PATH"\n'),
    "rig with a parameter": (
        "rig.toml",
        f'{RUN}[[observers]]\nname = "ekf"\nrig = "PATH:x_m=1.0"\n',
    ),
}
"""Name of the file that is named, and the text of the file that names it."""


def fill(outside: Path, folder: Path) -> None:
    """Write all files that are named to a place outside, and what the folder of a page needs."""
    outside.mkdir(parents=True)
    (folder / "courses").mkdir(parents=True, exist_ok=True)
    box = trimesh.creation.box((0.5, 0.5, 0.2))
    for place in (outside / "mesh.stl", folder / "courses" / "rock.stl"):
        box.export(place)
    (folder / "courses" / "which.toml").write_text(WHICH)
    np.save(outside / "heights.npy", np.zeros((3, 3)))
    for name in ("soil", "rig", "robot", "course", "x"):
        (outside / f"{name}.toml").write_text('password = "hidden"\n[more.of_it]\na = 1\n')
    (outside / "model.xml").write_text("<robot name='a'><link name='password'/></robot>")
    (outside / "log.csv").write_text("password\n1\n")
    (outside / "points.csv").write_text("x_m,y_m\n0,0\n1,1\n")
