"""What is on the page: a robot, a course, a model and its ghosts, each by reference."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """References as the command line takes them: names or files, parameters may follow."""

    robot: str = "absolem"
    """The robot."""
    course: str = "playground"
    """The course."""
    model: str = "csm"
    """How the robot that is driven moves."""
    ghosts: tuple[str, ...] = ()
    """Other models, which obey the same commands beside it."""
