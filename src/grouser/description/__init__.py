"""What exists: robots, courses and camera rigs, as data with a source for every number."""

from grouser.description.course import Course
from grouser.description.load import load_robot, parse_robot, robot_names
from grouser.description.load_course import course_names, load_course, parse_course
from grouser.description.load_rig import load_rig, parse_rig, rig_names
from grouser.description.path import Path
from grouser.description.rig import Rig
from grouser.description.robot import Robot

__all__ = [
    "Course",
    "Path",
    "Rig",
    "Robot",
    "course_names",
    "load_course",
    "load_rig",
    "load_robot",
    "parse_course",
    "parse_rig",
    "parse_robot",
    "rig_names",
    "robot_names",
]
