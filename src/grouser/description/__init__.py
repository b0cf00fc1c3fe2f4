"""What exists: robots and courses, as data with a source for every number."""

from grouser.description.course import Course
from grouser.description.load import load_robot, parse_robot, robot_names
from grouser.description.load_course import course_names, load_course, parse_course
from grouser.description.path import Path
from grouser.description.robot import Robot

__all__ = [
    "Course",
    "Path",
    "Robot",
    "course_names",
    "load_course",
    "load_robot",
    "parse_course",
    "parse_robot",
    "robot_names",
]
