"""One-file 3D replay of a log."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np

from grouser import interrupts
from grouser.description import Course, Robot
from grouser.drawing.playback import Playback
from grouser.drawing.rut_colours import legend
from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.log import Log
from grouser.models.ground.ruts import RutGrid
from grouser.report import Metric, PageExtras, Panel, compose_page
from grouser.report.colours import line_colour
from grouser.storage import write_atomically

SUFFIXES = (".html",)
"""File name extensions of a replay."""
MAX_FRAMES_PER_SECOND = 30.0
"""Largest frame rate of a replay [1/s]."""
MAX_FRAMES = 6000
"""Largest number of frames, so that the file stays small enough for an e-mail; a log of more than
200 s has a lower frame rate."""
PLAN_POINTS = 1500
"""Number of points of the path along which a dot moves in the plan view."""
RUT_PERIOD = 0.5
"""Time between two states of ruts, each of which takes room in the file [s]."""
LOOK: Literal["full", "painted", "lean"] = "painted"
"""Look of a replay: it is drawn by any browser, and needs no light from the page."""
CAMERA_OFFSET = (-1.7, -1.2, 1.1)
"""Initial camera position relative to the robot, in robot lengths [1]."""
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; "
    "worker-src blob: data:; connect-src blob: data:; style-src 'unsafe-inline'; "
    "img-src blob: data:; font-src data:"
)
"""Content security policy: the page runs its own scripts and fetches nothing."""
STAGE = """\
<section class="stage"><iframe id="replay-frame" title="3D replay" srcdoc="{scene}"></iframe>
<p><span>time <b id="replay-time"></b></span><span>{legend}</span>
<span>space: play or pause; click a chart: go to that time</span></p></section>
"""


def write_replay(
    log: Log,
    path: str | Path,
    others: Sequence[Log] = (),
    *,
    names: Sequence[str] | None = None,
    robot: Robot | None = None,
    course: Course | None = None,
    start: float | None = None,
    end: float | None = None,
    title: str | None = None,
    metrics: Mapping[str, Sequence[Metric]] | None = None,
    panels: Sequence[Panel] | None = None,
    below: str = "",
    show: Callable[[float], None] = lambda share: None,
) -> None:
    """Write a log, and others as ghosts on the same time axis, as one HTML file.

    Robot and course are those in the log if not given; `start` and `end` are times of the log [s].
    `names` are those of the log and of the others, `below` is HTML that is added below the scene,
    and `show` is called with the share of the replay that is recorded [1].
    """
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InvalidValue("name of a replay", str(path), "end in .html")
    labels = _number_repeated(names or [run.provenance.model or "robot" for run in (log, *others)])
    lead = Playback(log, robot, course, origin=labels[0])
    played = [lead] + [
        Playback(other, lead.robot, lead.course, origin=name)
        for name, other in zip(labels[1:], others, strict=True)
    ]
    begin = lead.start if start is None else min(max(start, lead.start), lead.end)
    finish = lead.end if end is None else min(max(end, begin), lead.end)
    scene = _with_script(_record(played, labels[1:], begin, finish, show))
    ruts = _ruts(lead, finish)
    extras = PageExtras(
        stage=STAGE.format(scene=escape(scene, quote=True), legend=_legend(labels, ruts)) + below,
        style=_asset("replay.css"),
        script=_script(played, begin, finish),
        policy=POLICY,
    )
    runs = dict(zip(labels, (log, *others), strict=True))
    if title is None and not others:  # a single run is not told from others by its file
        title = f"{lead.robot.name} on {lead.course.name}: {log.provenance.model or labels[0]}"
    write_atomically(path, compose_page(runs, title, lead.course, metrics, panels, extras))


def _record(
    played: Sequence[Playback],
    ghosts: Sequence[str],
    begin: float,
    finish: float,
    show: Callable[[float], None] = lambda share: None,
) -> str:
    """Return the HTML of viser's player with all frames in it."""
    lead = played[0]
    span = finish - begin
    step = max(1.0 / MAX_FRAMES_PER_SECOND, span / MAX_FRAMES)
    with _serve() as server:
        from grouser.viewer.scene.stage import Stage  # it imports viser

        world = server.scene.add_frame("/world", show_axes=False)
        ruts = _ruts(lead, begin)
        stage = Stage(server, lead.robot, lead.course, ghosts, ruts=ruts, look=LOOK)
        size = lead.robot.front - lead.robot.rear
        x, y, z = (size * part for part in CAMERA_OFFSET)
        server.initial_camera.position = (x, y, z)
        server.initial_camera.look_at = (0.0, 0.0, 0.1 * size)
        recorder = server.get_scene_serializer()
        ruts_until = begin + RUT_PERIOD
        for time in _steps(begin, finish, step):
            frames = [playback.frame(time) for playback in played]
            pose = frames[0].pose
            # The world node is moved, so that the camera stays at the robot.
            world.position = (-float(pose.x), -float(pose.y), -float(pose.z))
            stage.show(frames)
            if time >= ruts_until or time == finish:
                stage.show_ruts(_ruts(lead, time))
                ruts_until = time + RUT_PERIOD
            interrupts.check()
            recorder.insert_sleep(min(step, max(finish - time, 0.0)))
            show((time - begin) / span if span else 1.0)
        return recorder.as_html()


def _ruts(playback: Playback, time: float) -> RutGrid | None:
    """Return the ruts of a log at a time [s]."""
    if playback.ruts is None:
        return None
    playback.ruts.compute(time)
    return playback.ruts.at(time)


def _steps(begin: float, finish: float, step: float) -> Iterator[float]:
    """Yield times from `begin` to `finish`, both included [s]."""
    count = int(np.ceil((finish - begin) / step - 1e-9))
    for number in range(count):
        yield begin + number * step
    yield finish


@contextmanager
def _serve() -> Iterator[Any]:
    """Yield a server that rejects all requests; viser builds scenes only on a server."""
    require_extra("a 3D replay", "viewer", "viser")
    import viser  # optional, and slow to import

    from grouser.viewer.access import no_access, silence_viser

    with no_access(), silence_viser():
        server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        yield server
    finally:
        with silence_viser():
            server.stop()


def _with_script(page: str) -> str:
    from grouser.viewer.scene.lights import SKY_STYLE

    # The look's script listens before viser's script begins.
    look = f"window.grouser = {{}};\n{_asset('look.js')}\ngrouser.look.shown = {LOOK!r};"
    begin = page.index("<head>") + len("<head>")
    page = f"{page[:begin]}<script>{look}</script>{page[begin:]}"
    style = f"{SKY_STYLE}\n{_asset('look.css')}"
    extra = f"<style>{style}</style><script>{_asset('player.js')}</script>"
    end = page.index("</head>")
    return page[:end] + extra + page[end:]


def _script(played: Iterable[Playback], begin: float, finish: float) -> str:
    """Return the script of the page, with the paths of the dots in the plan view."""
    runs = []
    for number, playback in enumerate(played):
        times = np.linspace(begin, finish, PLAN_POINTS)
        poses = playback.poses(times)
        runs.append(
            {
                "colour": line_colour(number),
                "time": np.round(times, 3).tolist(),
                "x": np.round(poses.x, 4).tolist(),
                "y": np.round(poses.y, 4).tolist(),
            }
        )
    content = json.dumps({"start": begin, "duration": finish - begin, "runs": runs})
    return f"const REPLAY = {content};\n{_asset('replay.js')}"


def _legend(labels: Sequence[str], ruts: RutGrid | None) -> str:
    from grouser.viewer.scene.overlays import to_rgb
    from grouser.viewer.scene.stage import TRAIL, ghost_colour

    colours = [TRAIL, *(ghost_colour(number) for number in range(len(labels) - 1))]
    chips = list(zip(colours, labels, strict=True))
    depths = legend(0.0 if ruts is None else float(ruts.depth.max(initial=0.0)))
    chips += [(to_rgb(colour), f"rut of {depth}") for colour, depth in depths]
    return " ".join(
        f'<span class="chip" style="background:rgb{colour}"></span>{escape(label)}&ensp;'
        for colour, label in chips
    )


def _number_repeated(names: Sequence[str]) -> list[str]:
    """Return the names; repeated ones get a number."""
    return [
        name if names.count(name) == 1 else f"{name} ({list(names[: index + 1]).count(name)})"
        for index, name in enumerate(names)
    ]


def _asset(name: str) -> str:
    return (files("grouser.viewer") / "assets" / name).read_text(encoding="utf-8")
