"""Robots, courses, soils and camera rigs as data, with a source for every number."""

from grouser.description.course import Course
from grouser.description.load import (
    course_names,
    listed_courses,
    load_course,
    load_rig,
    load_robot,
    parse_course,
    parse_rig,
    parse_robot,
    rig_names,
    robot_names,
)
from grouser.description.path import Path
from grouser.description.rig import Rig
from grouser.description.robot import Robot
from grouser.description.soil import Soil, load_soil, soil_names

__all__ = [
    "Course",
    "Path",
    "Rig",
    "Robot",
    "Soil",
    "course_names",
    "listed_courses",
    "load_course",
    "load_rig",
    "load_robot",
    "load_soil",
    "parse_course",
    "parse_rig",
    "parse_robot",
    "rig_names",
    "robot_names",
    "soil_names",
]
