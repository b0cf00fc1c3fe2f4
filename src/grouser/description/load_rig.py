"""Camera rigs by name from the zoo, or by path from a file."""

from pathlib import Path
from typing import Any

from grouser.description.load import description_names, find_description, read_text
from grouser.description.parameter import Parameter, choose_parameters, insert_parameters
from grouser.description.reference import parse_reference
from grouser.description.rig import Rig
from grouser.description.schema import Table, parse_table
from grouser.errors import InvalidDescription
from grouser.toml import parse_toml


class _Declarations(Table):
    parameters: dict[str, Parameter] = {}


def rig_names() -> tuple[str, ...]:
    """Return the names of the rigs that come with the package, sorted."""
    return description_names("rig")


def load_rig(reference: str | Path, /, **parameters: Any) -> Rig:
    """Return a rig by its name in the zoo, or from a file.

    Args:
        reference: A name of `rig_names()`; or, when it ends in `.toml` or has a separator, the
            path of a file. Parameters may follow: `tp100-overhead:x_m=0.4`.
        **parameters: Parameters of the rig; they count more than those in `reference`.

    Raises:
        UnknownName: The zoo has no rig, or the rig no parameter, of that name.
        InvalidValue: A parameter is out of its range.
        InvalidDescription: There is no such file, or it has mistakes; all of them are listed.
    """
    name, given = parse_reference(str(reference))
    file = find_description("rig", name)
    return parse_rig(read_text(file), str(file), **{**given, **parameters})


def parse_rig(text: str, origin: str | Path, /, **parameters: Any) -> Rig:
    """Return the rig that a text describes; mistakes name `origin`.

    Raises:
        UnknownName: The rig has no parameter of that name.
        InvalidValue: A parameter is out of its range.
        InvalidDescription: The text has mistakes; all of them are listed.
    """
    content = parse_toml(text, str(origin))
    try:
        declared = parse_table(
            _Declarations, {"parameters": content.get("parameters", {})}, str(origin)
        ).parameters
    except InvalidDescription:
        parse_table(Rig, content, str(origin))  # lists this mistake among all others
        raise
    values = choose_parameters(declared, parameters)
    resolved = insert_parameters(content, values)
    for name, value in values.items():
        resolved["parameters"][name]["default"] = value
    return parse_table(Rig, {**resolved, "text": text}, str(origin))
