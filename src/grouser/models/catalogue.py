"""Models by name: make, check and vary them."""

from collections.abc import Mapping, Set
from dataclasses import fields, replace
from typing import Any

import numpy as np

from grouser.description import Course, Robot
from grouser.description.reference import parse_reference
from grouser.errors import InvalidValue, UnknownName, Unsupported
from grouser.geometry import Pose, Scalar
from grouser.models import kinematic_models, skid_models  # noqa: F401 register their models
from grouser.models.assumptions import Assumption, TurningBasis
from grouser.models.model import CATALOGUE, Model, Plant
from grouser.models.parameters import declared_parameters

# Imported when they are needed: they load MuJoCo and the compiler.
for _name, _place in {
    "tankbot": "planar.tankbot:TankbotModel",
    "tracks-planar": "planar_tracks.model:TracksPlanarModel",
    "csm": "contact.track_models:CsmModel",
    "wheels": "contact.track_models:WheelsModel",
    "frictionless": "contact.track_models:FrictionlessModel",
    "plates": "contact.plates:PlatesModel",
    "segments": "contact.track_models:SegmentsModel",
}.items():
    CATALOGUE.declare(_name, f"grouser.models.{_place}")


def make_model(reference: str, /, **parameters: Any) -> Model:
    """Return the model of a name such as `slip`, or `slip:step_mode=paper`.

    Raises:
        UnknownName: No model, or no parameter of that model, has that name.
        InvalidValue: A parameter is not of the kind that the model takes, or out of its range.
    """
    name, given = parse_reference(reference)
    kind = CATALOGUE.find(name)
    known = declared_parameters(kind)
    for key in given | parameters:
        if key not in known:
            raise UnknownName(f"parameter of model {name!r}", key, known)
    return replace(kind(), **(given | parameters))


def models_with(features: Set[str]) -> list[str]:
    """Return the names of the models that support all these features."""
    return [name for name, kind in CATALOGUE.items() if features <= kind.features]


def able_models(course: Course) -> list[str]:
    """Return the names of the models that support a course."""
    return models_with(course.features) if course.has_ground else []


def check_course(model: Model, course: Course) -> None:
    """Raise Unsupported if a model lacks a feature of a course, InvalidValue without ground."""
    missing = course.features - model.features
    if missing:
        words = " and ".join(sorted(missing))
        able = models_with(course.features)
        raise Unsupported(f"course {course.name!r}", model.name, words, able)
    if not course.has_ground:
        raise InvalidValue(f"course {course.name!r}", "none", "have ground to drive on")


def start_model(model: Model, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
    """Put the robot on the course, if the model describes all that the course has."""
    check_course(model, course)
    return model.start(robot, course, pose)


def find_assumptions(
    model: Model, robot: Robot, course: Course | None = None
) -> tuple[Assumption, ...]:
    """Return what a model assumes for want of data; of plug-ins that do not say, nothing."""
    found = getattr(model, "assumptions", None)
    return () if found is None else found(robot, course)


def group_assumptions(
    models: Mapping[str, Model], robot: Robot, course: Course | None = None
) -> dict[Assumption, list[str]]:
    """Return what some models assume, each with the names of those that do."""
    found: dict[Assumption, list[str]] = {}
    for name, model in models.items():
        for assumption in find_assumptions(model, robot, course):
            found.setdefault(assumption, []).append(name)
    return found


def find_turning_basis(model: Model, robot: Robot, course: Course | None = None) -> TurningBasis:
    """Return what decides how fast a robot turns with a model."""
    found = getattr(model, "turning_basis", None)
    return TurningBasis(None, "") if found is None else found(robot, course)


def model_parameters(model: Model) -> dict[str, Any]:
    """Return the parameters of a model that differ from its defaults, by name."""
    default = type(model)()
    return {
        field.name: getattr(model, field.name)
        for field in fields(model)  # pyright: ignore[reportArgumentType]
        if getattr(model, field.name) is not getattr(default, field.name)
    }


def load_model(model: Model, payload: float, place: tuple[float, float, float]) -> Model:
    """Return a model whose robot carries a payload [kg] at a place in the body frame [m].

    Raises:
        Unsupported: The model has no payload.
    """
    if not hasattr(model, "payload"):
        able = [name for name, kind in CATALOGUE.items() if hasattr(kind, "payload")]
        raise Unsupported("a payload", model.name, "masses in three dimensions", able)
    x, y, z = place
    changes: dict[str, Any] = dict(payload=payload, payload_x=x, payload_y=y, payload_z=z)
    return replace(model, **changes)  # pyright: ignore[reportArgumentType]


def vary_model(model: Model, *, friction: Scalar = 1.0, mass: Scalar = 1.0) -> Model:
    """Return a model with friction and masses multiplied, by one factor for each robot [1]."""
    changes: dict[str, Any] = {}
    for what, parameter, factor in (
        ("friction", "friction_factor", friction),
        ("mass", "mass_factor", mass),
    ):
        if hasattr(model, parameter):
            changes[parameter] = getattr(model, parameter) * factor
        elif np.any(np.not_equal(factor, 1.0)):
            able = [name for name, kind in CATALOGUE.items() if hasattr(kind, parameter)]
            raise Unsupported(f"another {what}", model.name, f"parameter {parameter!r}", able)
    return replace(model, **changes)  # pyright: ignore[reportArgumentType]
