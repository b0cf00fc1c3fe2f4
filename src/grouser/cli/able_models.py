"""Which models can drive a course."""

from grouser.description import Course
from grouser.models import CATALOGUE


def able_models(course: Course) -> list[str]:
    """Return the names of the models that describe all that a course has."""
    if not course.has_ground:
        return []
    return [name for name, kind in CATALOGUE.items() if course.features <= kind.features]
