"""`grouser drivers`."""

from grouser.cli.options import Json
from grouser.cli.terminal import Terminal


def list_drivers(*, as_json: Json = False) -> None:
    """List the drivers that can give the belt speeds of a run, and their keys."""
    from grouser.drivers import DRIVERS

    terminal = Terminal()
    if as_json:
        content = [
            {"name": name, "summary": kind.summary, "keys": kind.keys}
            for name, kind in DRIVERS.items()
        ]
        terminal.json(content)
        return
    rows = [
        (name, kind.summary, "\n".join(f"{key}: {text}" for key, text in kind.keys.items()))
        for name, kind in DRIVERS.items()
    ]
    terminal.table(("name", "what it does", "keys"), rows)
    terminal.line("Keys follow the name, as in --drive legs:speed=0.2,duration=2,count=10.")
