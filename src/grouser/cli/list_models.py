"""`grouser models`."""

from grouser.cli.options import Json
from grouser.cli.terminal import Terminal


def list_models(*, as_json: Json = False) -> None:
    """List the models: how a robot can move, from the simplest to the most detailed."""
    from dataclasses import fields

    from grouser.models import CATALOGUE

    terminal = Terminal()
    content = [
        {
            "name": name,
            "summary": kind.summary,
            "features": sorted(kind.features),
            "parameters": {field.name: field.default for field in fields(kind)},
            "source": kind.source,
            "engine": kind.engine,
        }
        for name, kind in CATALOGUE.items()
    ]
    if as_json:
        terminal.json(content)
        return
    rows = [
        (
            row["name"],
            row["summary"],
            ", ".join(row["features"]) or "level ground only",
            ", ".join(row["parameters"]),
            row["source"],
        )
        for row in content
    ]
    headings = ("name", "what it is", "can drive", "parameters", "source")
    terminal.table(headings, rows)
    terminal.line("Parameters follow the name, as in --model slip:step_mode=paper.")
