"""`grouser robots`."""

from grouser.cli.options import Json
from grouser.cli.terminal import Terminal
from grouser.units import format_number


def list_robots(*, as_json: Json = False) -> None:
    """List the robots that come with grouser."""
    from grouser.cli.papers_of import papers_of
    from grouser.description import load_robot, robot_names

    robots = [load_robot(name) for name in robot_names()]
    terminal = Terminal()
    content = [
        {
            "name": robot.name,
            "title": robot.title,
            "mass_kg": robot.mass,
            "length_m": robot.front - robot.rear,
            "gauge_m": robot.gauge,
            "speed_limit_m_s": robot.drive.speed_limit,
            "tracks": len(robot.tracks),
            "flippers": len(robot.flippers),
            "wheels": len(robot.wheels),
            "sources": papers_of(robot.sources),
        }
        for robot in robots
    ]
    if as_json:
        terminal.json(content)
        return
    numbers = ("mass_kg", "length_m", "gauge_m", "speed_limit_m_s")
    headings = ("name", "what it is", "mass kg", "length m", "gauge m", "speed m/s", "source")
    rows = [
        (
            row["name"],
            row["title"],
            *(format_number(row[key]) for key in numbers),
            ", ".join(row["sources"]),
        )
        for row in content
    ]
    terminal.table(headings, rows, numbers=range(2, 6))
    terminal.line("grouser show NAME tells everything about one of them.")
