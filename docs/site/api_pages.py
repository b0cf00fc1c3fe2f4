"""The pages of the programming interface: every public name, from its docstring."""

import importlib
import inspect
import pkgutil

import grouser
import grouser.laws

PACKAGES = (
    "scenario",
    "description",
    "models",
    "simulation",
    "control",
    "drivers",
    "log",
    "report",
    "identify",
    "envs",
    "tasks",
    "geometry",
    "errors",
    "units",
)
"""What a program may import from; `laws` has a page of its own for each law."""

EXAMPLES = {
    "scenario": """
from grouser import Scenario, run

result = run(Scenario(robot="tp100", course="slope:angle_deg=8", model="slip", stop=2.0))
print(result.log["x"][-1], result.ending)
""",
    "description": """
from grouser import load_course, load_robot

robot, course = load_robot("absolem"), load_course("step:height_m=0.2")
print(robot.gauge, robot.mass, course.path.length)
""",
    "models": """
from grouser import command_twist, load_course, load_robot, make_model

robot, course = load_robot("tp100"), load_course("flat")
plant = make_model("slip").start(robot, course)
plant.advance(command_twist(robot, 0.1, 0.2), 0.01)
print(plant.motion.twist.yaw_rate)
""",
    "simulation": """
from grouser import Simulation, command_sides, load_course, load_robot, make_model

robot = load_robot("tp100")
simulation = Simulation(make_model("icr"), robot, load_course("flat"))
simulation.run(lambda time, motion: command_sides(robot, 0.1, 0.2), duration=2.0)
print(simulation.motion.pose, len(simulation.log()))
""",
    "control": """
from grouser import PathFollower, Scenario, load_course, load_robot, run
from grouser.control import PurePursuit

robot, course = load_robot("tp100"), load_course("behaviour-2")
follower = PathFollower(robot, course.path, 0.1, PurePursuit(distance=0.15))
print(run(Scenario(course="behaviour-2", driver=follower, stop=2.0)).log["x"][-1])
""",
    "drivers": """
from grouser import Scenario, load_robot, run
from grouser.drivers import Sides, Wave

robot = load_robot("tp100")
weave = Wave(robot, Sides(left=0.1, right=0.1), Sides(left=-0.03, right=0.03), period=4.0)
print(run(Scenario(course="flat", driver=weave, stop=2.0)).log["yaw"][-1])
""",
    "log": """
from grouser import Scenario, compare, run

scenario = Scenario(course="behaviour-2", stop=2.0)
ideal, slip = (run(scenario.vary(model=model)).log for model in ("ideal", "slip"))
print(compare(slip, ideal).position_error.max())
""",
    "report": """
from grouser import Scenario, run, write_picture

scenario = Scenario(course="behaviour-2", stop=2.0)
logs = {model: run(scenario.vary(model=model)).log for model in ("ideal", "slip")}
write_picture(logs, "paths.png")
""",
    "identify": """
from grouser import Scenario, run
from grouser.identify import FAMILIES, KnownRobot, fit_family, read_record

log = run(Scenario(course="flat", driver="sine:speed=0.1,turning=0.05")).log
fit = fit_family(FAMILIES["icr"], (read_record(log, "log"),), KnownRobot(gauge=0.16))
print(fit.parameters)
""",
    "envs": """
import gymnasium

import grouser.envs

env = gymnasium.make("grouser/FlatTracking-v0")
observation, info = env.reset(seed=1)
observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
""",
    "tasks": """
from grouser.tasks import SERIAL, Task, run_tasks

numbers = (0.5, 1.5, 2.5)
tasks = [Task(name=f"{n}", function=round, arguments={"number": n}) for n in numbers]
for name, result in run_tasks(tasks, SERIAL):  # Workers(count=4) uses four processes
    print(name, result)
""",
    "geometry": """
from grouser import Pose
from grouser.geometry import wrap_angle

print(Pose(x=1.0, yaw=0.5), wrap_angle(7.0))
""",
    "errors": """
from grouser import GrouserError, load_robot

try:
    load_robot("tp10")
except GrouserError as error:
    print(error)  # no robot named 'tp10' (did you mean 'tp100'?); available: ...
""",
    "units": """
from grouser.units import check_range, format_number

print(check_range("--speed", 0.3, "m/s"), format_number(0.123456))
""",
}
"""An example for each page, which `tests/test_site.py` runs."""


def api_menu() -> str:
    """Return the last part of the menu, one line for each page."""
    lines = ["  - API:", "      - Public names: api.md"]
    lines += [f"      - {name}: api/{name}.md" for name in PACKAGES]
    lines += ["      - laws:", *(f"          - {name}: api/laws/{name}.md" for name in _laws())]
    return "\n".join((*lines, ""))


def api_pages() -> dict[str, str]:
    """Return the pages by their path."""
    modules = [*PACKAGES, *(f"laws.{name}" for name in _laws())]
    paths = {name: f"api/{name.replace('.', '/')}.md" for name in modules}
    rows = [f"| [`grouser.{n}`]({path}) | {_line(f'grouser.{n}')} |" for n, path in paths.items()]
    names = ", ".join(f"[`{name}`][{_home(name)}]" for name in grouser.__all__)
    index = (
        "# API\n",
        f"`from grouser import ...` has what most programs need: {names}.\n",
        "| module | what is in it |",
        "|---|---|",
        *rows,
        "",
    )
    pages = {path: _page(f"grouser.{name}") for name, path in paths.items()}
    return {**pages, "api.md": "\n".join(index)}


def _laws() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(grouser.laws.__path__)]


def _home(name: str) -> str:
    for package in PACKAGES:
        if name in _public(f"grouser.{package}"):
            return f"grouser.{package}.{name}"
    raise LookupError(f"grouser.{name} is on no page of docs/site/api_pages.py")


def _page(module: str) -> str:
    names = _public(module)
    parts = [f"# `{module}`\n\n{inspect.getdoc(importlib.import_module(module))}\n"]
    if example := EXAMPLES.get(module.removeprefix("grouser.")):
        parts.append(f"```python\n{example.strip()}\n```\n")
    return "\n".join([*parts, *(f"::: {module}.{name}\n" for name in names)])


def _public(module: str) -> list[str]:
    """Return the names that `__all__` lists, what `grouser` itself has first, or those defined."""
    loaded = importlib.import_module(module)
    names = sorted(getattr(loaded, "__all__", ()), key=str.lower) or [
        name
        for name, value in vars(loaded).items()
        if getattr(value, "__module__", None) == module and not name.startswith("_")
    ]
    return sorted(names, key=lambda name: name not in grouser.__all__)


def _line(module: str) -> str:
    return (inspect.getdoc(importlib.import_module(module)) or "").splitlines()[0]
