"""`grouser courses`."""

from grouser.cli.options import Json
from grouser.cli.terminal import Terminal
from grouser.units import format_number


def list_courses(*, as_json: Json = False) -> None:
    """List the courses that come with grouser."""
    from grouser.cli.able_models import able_models
    from grouser.cli.papers_of import papers_of
    from grouser.description import course_names, load_course

    courses = [load_course(name) for name in course_names()]
    terminal = Terminal()
    content = [
        {
            "name": course.name,
            "title": course.title,
            "path_length_m": course.path.length if course.path else None,
            "speed_m_s": course.speed,
            "features": sorted(course.features),
            "parameters": course.parameters,
            "models": able_models(course),
            "sources": papers_of(course.sources),
        }
        for course in courses
    ]
    if as_json:
        terminal.json(content)
        return
    rows = [
        (
            row["name"],
            row["title"],
            "none" if row["path_length_m"] is None else format_number(row["path_length_m"]),
            ", ".join(row["models"]) or "none yet",
            ", ".join(f"{name}={value:g}" for name, value in row["parameters"].items()),
            ", ".join(row["sources"]),
        )
        for row in content
    ]
    headings = ("name", "what it is", "path m", "models that can", "parameters", "source")
    terminal.table(headings, rows, numbers=(2,))
    terminal.line("grouser show NAME tells everything about one of them.")
