"""Tab completion for the user's shell."""

from collections.abc import Callable
from typing import Annotated, Literal

from cyclopts import App, Parameter

from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue

Shell = Annotated[
    Literal["bash", "zsh", "fish"] | None,
    Parameter(help="For which shell; the one that runs this command if not given."),
]


def install_completion(app: App) -> Callable[..., None]:
    """Return the command that writes and registers the completion script of `app`."""

    def install(*, shell: Shell = None) -> None:
        """Install tab completion for bash, zsh or fish, names of robots and courses included."""
        from cyclopts.completion.detect import ShellDetectionError

        try:
            path = app.install_completion(shell=shell)
        except ShellDetectionError as error:
            required = "be bash, zsh or fish, since it cannot be told which one runs this command"
            raise InvalidValue("--shell", "none", required) from error
        except OSError as error:
            raise InvalidValue(
                "completion script", error.filename, f"be writable ({error.strerror})"
            ) from error
        Terminal().line(f"completion script: {path} (open a new shell to use it)")

    return install
