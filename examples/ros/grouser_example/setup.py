"""Package for colcon: `colcon build --packages-select grouser_example`."""

from glob import glob

from setuptools import setup

NAME = "grouser_example"

setup(
    name=NAME,
    version="0.1.0",
    packages=[NAME],
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/launch", glob("launch/*.launch.py")),
        (f"share/{NAME}/config", glob("config/*")),
    ],
    install_requires=["setuptools"],
    license="Apache-2.0",
    description="Launch files and configuration for a tracked robot simulated by grouser.",
)
