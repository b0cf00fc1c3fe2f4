"""One-file 3D replay of a log."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from grouser.description import Course, Robot
from grouser.drawing.playback import Playback
from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.log import Log
from grouser.report import Metric, PageExtras, Panel, compose_page
from grouser.report.colours import line_colour
from grouser.storage import write_atomically

SUFFIXES = (".html",)
"""How the name of a replay may end."""
MOST_FRAMES_PER_SECOND = 30.0
"""How often a replay moves at most [1/s]."""
MOST_FRAMES = 6000
"""How often it moves altogether at most, so that an e-mail can carry it: a log of more than 200 s
moves in larger steps."""
PLAN_POINTS = 1500
"""Points of the way along which a dot moves in the plan."""
SIGHT = (-1.7, -1.2, 1.1)
"""Where the camera is at first, from the robot, in sizes of the robot [1]."""
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; "
    "worker-src blob: data:; connect-src blob: data:; style-src 'unsafe-inline'; "
    "img-src blob: data:; font-src data:"
)
"""What the page may do: run what is in it, and fetch nothing."""
STAGE = """\
<section class="stage"><iframe id="replay-frame" title="3D replay" srcdoc="{scene}"></iframe>
<p><span>time <b id="replay-time"></b></span><span>{legend}</span>
<span>space: play and pause; click a chart: go there</span></p></section>
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
    """Write a log, perhaps with others as ghosts beside it, as one HTML file.

    Args:
        log: What happened.
        path: Where to write, ending in .html.
        others: Logs that are shown as ghosts, on the same time line.
        names: What log and others are called; by model if not given.
        robot: What drove; the one that the log holds if not given.
        course: Where; the one that the log holds if not given.
        start: Where the replay begins; at the start of the log if not given [s].
        end: Where it ends; at the end of the log if not given [s].
        title: What the page is called; robot, course and names if not given.
        metrics: Numbers to show by name; those that every page has if not given.
        panels: Figures; those that every page has if not given.
        below: More HTML, below the scene.
        show: Is told which share of the replay is recorded.

    Raises:
        InvalidValue: The name does not end in .html, or the place is not writable.
        InvalidLog: A log lacks a robot or a column.
        MissingExtra: viser or plotly is not installed.
    """
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InvalidValue("name of a replay", str(path), "end in .html")
    labels = _tell_apart(names or [run.provenance.model or "robot" for run in (log, *others)])
    lead = Playback(log, robot, course, origin=labels[0])
    played = [lead] + [
        Playback(other, lead.robot, lead.course, origin=name)
        for name, other in zip(labels[1:], others, strict=True)
    ]
    begin = lead.start if start is None else min(max(start, lead.start), lead.end)
    finish = lead.end if end is None else min(max(end, begin), lead.end)
    scene = _with_script(_record(played, labels[1:], begin, finish, show))
    extras = PageExtras(
        stage=STAGE.format(scene=escape(scene, quote=True), legend=_legend(labels)) + below,
        style=_asset("replay.css"),
        script=_script(played, begin, finish),
        policy=POLICY,
    )
    runs = dict(zip(labels, (log, *others), strict=True))
    write_atomically(path, compose_page(runs, title, lead.course, metrics, panels, extras))


def _record(
    played: Sequence[Playback],
    ghosts: Sequence[str],
    begin: float,
    finish: float,
    show: Callable[[float], None] = lambda share: None,
) -> str:
    """Return the page of viser's player with all frames in it."""
    lead = played[0]
    span = finish - begin
    step = max(1.0 / MOST_FRAMES_PER_SECOND, span / MOST_FRAMES)
    with _serve() as server:
        from grouser.viewer.scene.stage import Stage  # it imports viser

        world = server.scene.add_frame("/world", show_axes=False)
        stage = Stage(server, lead.robot, lead.course, ghosts)
        size = lead.robot.front - lead.robot.rear
        x, y, z = (size * part for part in SIGHT)
        server.initial_camera.position = (x, y, z)
        server.initial_camera.look_at = (0.0, 0.0, 0.1 * size)
        recorder = server.get_scene_serializer()
        for time in _steps(begin, finish, step):
            frames = [playback.frame(time) for playback in played]
            pose = frames[0].pose
            # The camera stays at the robot: the world moves past it.
            world.position = (-float(pose.x), -float(pose.y), -float(pose.z))
            stage.show(frames)
            recorder.insert_sleep(min(step, max(finish - time, 0.0)))
            show((time - begin) / span if span else 1.0)
        return recorder.as_html()


def _steps(begin: float, finish: float, step: float) -> Iterator[float]:
    """Yield times from the begin to the finish, both among them [s]."""
    count = int(np.ceil((finish - begin) / step - 1e-9))
    for number in range(count):
        yield begin + number * step
    yield finish


@contextmanager
def _serve() -> Iterator[Any]:
    """Yield a server that nobody is told of: viser makes scenes only for one."""
    require_extra("a 3D replay", "viewer", "viser")
    import viser  # here, because it is optional and slow to import

    from grouser.viewer.access import closed
    from grouser.viewer.app import silence_viser

    with closed(), silence_viser():
        server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        yield server
    finally:
        with silence_viser():
            server.stop()


def _with_script(page: str) -> str:
    from grouser.viewer.scene.stage import SKY_STYLE

    extra = f"<style>{SKY_STYLE}</style><script>{_asset('player.js')}</script>"
    end = page.index("</head>")
    return page[:end] + extra + page[end:]


def _script(played: Iterable[Playback], begin: float, finish: float) -> str:
    """Return the script of the page, with the ways that dots take in the plan."""
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


def _legend(labels: Sequence[str]) -> str:
    """Return the names with the colours that they have in the scene."""
    from grouser.viewer.scene.stage import TRAIL, ghost_colour

    colours = [TRAIL, *(ghost_colour(number) for number in range(len(labels) - 1))]
    return " ".join(
        f'<span class="chip" style="background:rgb{colour}"></span>{escape(label)}&ensp;'
        for label, colour in zip(labels, colours, strict=True)
    )


def _tell_apart(names: Sequence[str]) -> list[str]:
    """Return the names; those that come again are counted."""
    return [
        name if names.count(name) == 1 else f"{name} ({list(names[: index + 1]).count(name)})"
        for index, name in enumerate(names)
    ]


def _asset(name: str) -> str:
    return (files("grouser.viewer") / "assets" / name).read_text(encoding="utf-8")
