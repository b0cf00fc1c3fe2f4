"""Mistakes on the command line are explained in one sentence; help helps."""

import subprocess
import sys

import pytest

from grouser import __version__
from grouser.cli import main
from grouser.cli.app import make_app
from grouser.description import course_names, robot_names


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("run --robt tp100", "run has no option --robt (did you mean --robot?)"),
        ("run --robt=tp100", "run has no option --robt (did you mean --robot?)"),
        ("run --robot", "--robot needs a value"),
        ("run --duration soon", "--duration must be a number, not 'soon'"),
        ("run --robot tp100 --robot quince", "--robot is given more than once"),
        ("run a.toml tp100", "run does not know what to do with 'tp100'"),
        ("show tp100 --as robt", "--as must be one of robot, course, not 'robt'"),
        ("show", "NAME is missing"),
        ("plot", "LOG is missing"),
        ("run --realtime=5", "--realtime must be true or false, not '5'"),
    ],
)
def test_a_usage_mistake_is_one_sentence_that_points_to_the_help(grouser, line, sentence):
    answer = grouser(line)
    command = line.split()[0]
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err == f"grouser: {sentence}; see grouser {command} --help\n"


def test_an_unknown_command_lists_the_commands(grouser):
    answer = grouser("rum")
    assert answer.code == 2
    assert "no command named 'rum' (did you mean 'run'?); available: bench, compare," in answer.err
    assert answer.err.endswith("; see grouser --help\n")


def test_grouser_alone_shows_the_help(grouser):
    alone, asked = grouser(""), grouser("--help")
    assert alone == asked
    assert alone.code == 0
    assert "Simulate tracked and skid-steer robots" in alone.out
    examples = [line for line in alone.out.splitlines() if line.startswith("  grouser ")]
    assert len(examples) == 3


def test_the_examples_of_the_help_can_be_parsed(grouser):
    for line in grouser("--help").out.splitlines():
        if line.startswith("  grouser "):
            make_app().parse_args(line.split()[1:])


def test_every_option_has_a_help_text(grouser):
    app = make_app()
    for command in (
        "drive",
        "run",
        "compare",
        "plot",
        "replay",
        "export",
        "film",
        "track",
        "fuse",
        "render",
        "robots",
        "show",
    ):
        for argument in app[command].assemble_argument_collection():
            is_option = argument.name != "*"  # which stands for the options of a dataclass
            assert argument.parameter.help or not is_option, f"{command} {argument.name}"


def test_the_help_of_run_tells_units_and_defaults(grouser):
    text = " ".join(grouser("run --help").out.replace("│", " ").split())
    assert "--duration SECONDS Simulated time [s]" in text
    assert "--speed M_PER_S Forward speed [m/s]" in text
    assert "robot tp100, course behaviour-3, model slip, driver follow" in text
    assert "0.01 if not given" in text


def test_the_version(grouser):
    assert grouser("--version").out == f"{__version__}\n"


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_load_no_numerical_package(option):
    script = (
        "import sys; from grouser.cli import main; code = main(sys.argv[1:]);"
        "heavy = {'numpy', 'scipy', 'shapely', 'pydantic', 'plotly', 'matplotlib', 'pyarrow'};"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else code)"
    )
    done = subprocess.run([sys.executable, "-c", script, option], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_tab_completes_names_of_robots_courses_models_and_drivers(grouser):
    def completions(words: list[str]) -> list[str]:
        answer = grouser("__complete " + " ".join(words) + " t")
        return [line.partition("\t")[0] for line in answer.out.split("\x1fbegin\n")[1].splitlines()]

    assert completions(["run", "--robot"]) == [*robot_names()]
    assert completions(["run", "--course"]) == [*course_names()]
    assert completions(["show"]) == [*robot_names(), *course_names()]
    assert "turning" in completions(["compare", "--models", "slip"])
    assert "stanley" in completions(["run", "--drive"])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_for_a_shell(grouser, tmp_path, monkeypatch, shell):
    monkeypatch.setenv("HOME", str(tmp_path))
    answer = grouser(f"--install-completion --shell {shell}")
    assert answer.code == 0
    path = answer.out.removeprefix("completion script: ").partition(" (")[0]
    assert path.startswith(str(tmp_path))
    with open(path) as script:
        assert "behaviour" not in script.read()  # names are asked for at the press of the key


def test_a_closed_pipe_ends_quietly(tmp_path):
    command = f"{sys.executable} -m grouser drivers | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr == ""
    assert done.returncode in (0, 141)  # 0 if all was written before the reader left


def test_an_interrupt_anywhere_is_130(monkeypatch, capsys):
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("grouser.description.robot_names", interrupt)
    assert main(["robots"]) == 130
    assert capsys.readouterr().err == "grouser: interrupted\n"
