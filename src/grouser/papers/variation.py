"""Changes of friction, mass and seed that show whether a verdict depends on them by chance."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from grouser.description import Course, Robot
from grouser.scenario.run import Loaded

Factor: TypeAlias = Literal["friction", "mass", "seed"]
"""What can be varied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """How a run of an experiment differs from the one that its claims are judged by."""

    friction: float = 1.0
    """Factor of every coefficient of friction and of the strength of soils [1]."""
    mass: float = 1.0
    """Factor of all masses and moments of inertia [1]."""
    seed: int = 0
    """Seed of all random numbers [1]."""

    @property
    def changed(self) -> frozenset[Factor]:
        """What is not as stated."""
        changed: list[tuple[Factor, bool]] = [
            ("friction", self.friction != 1.0), ("mass", self.mass != 1.0), ("seed", self.seed != 0)
        ]  # fmt: skip
        return frozenset(name for name, is_changed in changed if is_changed)

    def vary_robot(self, robot: Robot) -> Robot:
        """Return a robot of another mass, its centre of mass in the same place."""
        if self.mass == 1.0:
            return robot
        parts = {
            kind: tuple(
                part.model_copy(update={"mass": self.mass * part.mass})
                for part in getattr(robot, kind)
            )
            for kind in ("tracks", "flippers", "wheels")
        }
        moments = tuple(self.mass * moment for moment in robot.body.inertia)
        heavy = {"mass": self.mass * robot.body.mass, "inertia": moments}
        return robot.model_copy(
            update={**parts, "body": robot.body.model_copy(update=heavy), "text": ""}
        )

    def vary_course(self, course: Course) -> Course:
        """Return a course on which everything grips more or less."""
        if self.friction == 1.0:
            return course
        surfaces = {}
        for name, surface in course.terrain.surfaces.items():
            update: dict[str, object] = {
                "friction": self.friction * surface.friction,
                "friction_across": self.friction * surface.friction_across,
            }
            if surface.soil is not None:
                strength = self.friction * np.tan(surface.soil.friction_angle)
                stronger = {
                    "cohesion": self.friction * surface.soil.cohesion,
                    "friction_angle": float(np.arctan(strength)),
                }
                update["soil"] = surface.soil.model_copy(update=stronger)
            surfaces[name] = surface.model_copy(update=update)
        fields = {name: getattr(course, name) for name in type(course).model_fields}
        return course.model_construct(None, **fields | {"surfaces": surfaces})

    def vary_loaded(self, loaded: Loaded) -> Loaded:
        """Return a loaded scenario with the varied robot, course and seed."""
        if not self.changed:
            return loaded
        scenario = replace(loaded.scenario, seed=loaded.scenario.seed + self.seed)
        return replace(
            loaded,
            scenario=scenario,
            robot=self.vary_robot(loaded.robot),
            course=self.vary_course(loaded.course),
        )


AS_STATED = Variation()
"""Friction, mass and seed as the experiment states them."""
VARIATIONS = {
    "friction -10 %": Variation(friction=0.9),
    "friction +10 %": Variation(friction=1.1),
    "mass -10 %": Variation(mass=0.9),
    "mass +10 %": Variation(mass=1.1),
    "another seed": Variation(seed=1),
}
"""Variations under which a verdict should hold."""
