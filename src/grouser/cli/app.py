"""The commands of `grouser` and its help."""

from cyclopts import App, Group

from grouser import __version__
from grouser.cli.bench import bench
from grouser.cli.compare import compare
from grouser.cli.contest import contest
from grouser.cli.drive import drive
from grouser.cli.exchange_app import make_exchange_app
from grouser.cli.export import export
from grouser.cli.film import film
from grouser.cli.fuse import fuse
from grouser.cli.hil_app import make_hil_app
from grouser.cli.identify import identify
from grouser.cli.install_completion import install_completion
from grouser.cli.list_courses import list_courses
from grouser.cli.list_drivers import list_drivers
from grouser.cli.list_models import list_models
from grouser.cli.list_robots import list_robots
from grouser.cli.plot import plot
from grouser.cli.render_scene import render_scene
from grouser.cli.replay import replay
from grouser.cli.reproduce import reproduce
from grouser.cli.run import run
from grouser.cli.show import show
from grouser.cli.sweep import sweep
from grouser.cli.tankbot import tankbot
from grouser.cli.terminal import PlainConsole
from grouser.cli.track import track
from grouser.cli.tune import tune

HELP = (
    "Simulate tracked and skid-steer robots: describe, drive, log, plot, compare.\n\n"
    "A robot and a course are files, and some come with grouser. A model says how the robot "
    "moves, a driver says what its belts do. Every run becomes a log that can be plotted, "
    "compared and replayed."
)

EPILOGUE = """Examples

  grouser drive
  grouser run --robot tp100 --course behaviour-3 --plot out/run.html
  grouser compare --robot tp100 --models ideal slip icr turning

Exit codes: 0 done, 1 a replay differs, 2 a mistake in what was given,
3 a number was no longer finite, 4 written, but to another place than was asked for,
130 interrupted (143 by SIGTERM, 129 by SIGHUP).
"""


_GROUPS = {
    Group("Drive", sort_key=1): {
        "drive": drive,
        "run": run,
        "compare": compare,
        "sweep": sweep,
        "plot": plot,
        "replay": replay,
        "export": export,
        "render": render_scene,
    },
    Group("Look around", sort_key=2): {
        "robots": list_robots,
        "courses": list_courses,
        "models": list_models,
        "drivers": list_drivers,
        "show": show,
        "bench": bench,
    },
    Group("Learn", sort_key=3): {
        "identify": identify,
        "film": film,
        "track": track,
        "fuse": fuse,
    },
    Group("Papers", sort_key=4): {
        "reproduce": reproduce,
        "contest": contest,
        "tune": tune,
        "tankbot": tankbot,
    },
}
_BOARDS = Group("Hardware in the loop", sort_key=5)
_ABOUT = Group("About grouser", sort_key=6)


def make_app() -> App:
    """Return the application, which raises what goes wrong instead of ending the process."""
    app = App(
        name="grouser",
        help=HELP,
        help_format="plaintext",
        help_epilogue=EPILOGUE,
        version=__version__,
        console=PlainConsole(highlight=False),
        error_console=PlainConsole(stderr=True, highlight=False),
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    for group, commands in _GROUPS.items():
        for place, (name, command) in enumerate(commands.items()):
            app.command(command, name=name, group=group, sort_key=place, help_epilogue="")
    app.command(make_hil_app(_BOARDS, 0))
    app.command(make_exchange_app(_BOARDS, 1))
    app.command(
        install_completion(app), name="--install-completion", group=_ABOUT, help_epilogue=""
    )
    app["--help"].group = _ABOUT
    app["--version"].group = _ABOUT
    return app
