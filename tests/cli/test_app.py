"""The command line: mistakes in one sentence, help, old words, completion."""

import itertools
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from docs.site.help_page import WIDTH
from docs.site.help_page import every_command as every_help

from grouser import __version__
from grouser.cli import app as app_module
from grouser.cli import main
from grouser.cli.app import find_commands, make_app
from grouser.description import course_names, robot_names


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("run --robt tp100", "run has no option --robt (did you mean --robot?)"),
        ("run --robt=tp100", "run has no option --robt (did you mean --robot?)"),
        ("run --robot", "--robot needs a value"),
        ("run --duration soon", "--duration must be a number, not 'soon'"),
        ("run --robot tp100 --robot quince", "--robot is given more than once"),
        ("run a.toml tp100", "run has no use for 'tp100'"),
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
    assert (
        "no command named 'rum' (did you mean 'run'?); available: ardupilot, bench," in answer.err
    )
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


def every_command(app, words=()):
    for name in app:
        if not name.startswith("-"):
            yield (*words, name), app[name]
            yield from every_command(app[name], (*words, name))


def test_every_option_has_a_help_text():
    for words, command in every_command(make_app()):
        if command.default_command is not None:
            for argument in command.assemble_argument_collection(parse_docstring=True):
                if not argument.children:
                    assert argument.parameter.help, f"{' '.join(words)} {argument.name}"


def test_the_list_of_commands_has_the_first_line_of_each_help(capsys):
    commands = [entry for entry in app_module.list_commands() if entry[2]]
    assert len(commands) == 41
    for _, _, where, summary in commands:
        module, name = where.split(":")
        command = getattr(import_module(f"grouser.cli.{module}"), name)
        assert command.__doc__.splitlines()[0] == summary, where


def test_the_help_of_a_command_is_whole_and_that_of_others_is_one_line(grouser):
    assert "Blocks of the data are held out" in grouser("identify --help").out
    assert "Blocks of the data are held out" not in grouser("--help").out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("contest --runs 0", "paper p1 compare --runs 0"),
        ("tune --samples 2", "paper p1 search --samples 2"),
        ("tankbot --seed x", "paper p3 --seed x"),
    ],
)
def test_a_command_that_has_moved_works_and_names_its_new_words(grouser, old, new):
    before, after = grouser(old), grouser(new)
    remark, *rest = before.err.splitlines(keepends=True)
    words = [line.partition(" --")[0] for line in (old, new)]
    assert remark == f"grouser: `grouser {words[0]}` is now `grouser {words[1]}`\n"
    assert (before.code, before.out, "".join(rest)) == (after.code, after.out, after.err)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hil --lease 7", "hil --command-timeout 7"),
        ("hil --lease=7", "hil --command-timeout=7"),
        ("drive --for 2", "drive --timeout 2"),
        ("track a.mp4 --for=2", "track a.mp4 --timeout=2"),
        ("sweep --out-dir a", "sweep --out a"),
        ("paper p1 compare --out-dir=a", "paper p1 compare --out=a"),
        ("datasheet tp100 --output a", "datasheet tp100 --out a"),
        ("ros --record a.csv -- --record b", "ros --out a.csv -- --record b"),
        ("film --grain 3", "film --pixel-noise 3"),
        ("bench --json a.json --quick", "bench --out a.json --quick"),
        ("bench --json=a.json", "bench --out=a.json"),
    ],
)
def test_an_option_that_was_renamed_works_and_names_its_new_name(old, new):
    name, new_name = next(
        (one.partition("=")[0], other.partition("=")[0])
        for one, other in zip(old.split(), new.split(), strict=True)
        if one != other
    )
    remark = f"{name} of `grouser {old.split()[0]}` is now {new_name}"
    assert app_module.use_new_words(old.split()) == (new.split(), remark)


@pytest.mark.parametrize(
    "line", ["run --for 2", "bench --json", "bench --json --quick", "-- --out-dir"]
)
def test_other_words_stay_as_they_are(line):
    assert app_module.use_new_words(line.split()) == (line.split(), None)


def test_the_remark_of_a_new_name_is_printed(grouser):
    answer = grouser("sweep --out-dir a --x nothing")
    assert answer.err.startswith("grouser: --out-dir of `grouser sweep` is now --out\n")


def panels(text: str) -> dict[str, str]:
    """Return the groups of a help, by their title."""
    found = re.findall(r"^╭─ (.+?) ─+╮$\n(.*?)^╰", text, re.M | re.S)
    return {title: " ".join(body.replace("│", " ").split()) for title, body in found}


def test_options_stand_in_groups_and_those_of_the_command_come_first(grouser):
    groups = panels(grouser("drive --help").out)
    assert list(groups) == ["Arguments", "This command", "Scenario"]
    assert groups["This command"].startswith("--ghosts NAME ...")
    groups = panels(grouser("run --help").out)
    assert list(groups) == ["Arguments", "This command", "Scenario", "Output"]
    assert "--driver" in groups["Scenario"]
    assert {"--out", "--plot", "--json", "--overwrite"} <= set(groups["Output"].split())


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("watch", "--driver --speed --stuck-after --tipped --model --seed --contacts"),
        ("drive", "--driver --duration --stuck-after"),
        ("ros", "--duration --stuck-after"),
        ("compare", "--model"),
        ("exchange control", "--dt --model --flippers --tipped"),
    ],
)
def test_help_leaves_out_what_a_command_refuses_and_a_sentence_says_why(grouser, command, names):
    said = grouser(f"{command} --help").out.replace("│", " ").split()
    assert "--robot" in said
    assert not set(names.split()) & set(said)
    name = "--stuck-after" if "--stuck-after" in names else names.split()[-1]
    source = {"watch": "ros", "compare": "", "exchange control": "out"}.get(command, "")
    value = {"--model": "ideal"}.get(name, "5")
    answer = grouser(f"{command} {source} {name} {value}")
    assert answer.code == 2
    assert f"{name} must not be given: " in answer.err


def test_every_command_has_one_name_for_one_thing():
    """--out is where results go, --json a switch, a command timeout is in seconds."""
    for command, text in every_help().items():
        options = set(re.findall(r"--[a-z][a-z-]+", text))
        assert not options & {"--output", "--out-dir", "--record", "--lease"}, command
        if "--json" in options:
            assert re.search(r"--json +Write JSON for machines to stdout", text), command
        if "--command-timeout" in options:
            assert "--command-timeout SECONDS" in text, command


def test_no_entry_of_any_help_is_empty():
    for command, text in every_help().items():
        assert all(len(line) <= WIDTH for line in text.splitlines()), command
        entries = re.findall(r"^│ (\S.*?) *│$", text, re.M)
        assert [entry for entry in entries if not re.search(r"\S {2,}\S", entry)] == [], command


def test_lines_of_docstrings_are_joined_before_they_are_wrapped():
    for command, text in every_help().items():
        above = text.partition("╭")[0].split("\n\n")[1:]
        for paragraph in above:
            lines = paragraph.strip().splitlines()
            for line, after in itertools.pairwise(lines):
                # The first word of a line has no place on the line before it.
                assert len(line) + 1 + len(after.split()[0]) > WIDTH, (command, line)


def test_the_help_of_run_tells_units_and_defaults(grouser):
    text = " ".join(grouser("run --help").out.replace("│", " ").split())
    assert "--duration SECONDS Simulated time [s]" in text
    assert "--speed M_PER_S Forward speed [m/s]" in text
    assert "robot tp100, course behaviour-3, model slip, driver follow" in text
    assert "0.01 if not given" in text


def test_the_version(grouser):
    assert grouser("--version").out == f"{__version__}\n"


@pytest.mark.parametrize(
    "line",
    [
        "--version",
        "--help",
        "run --help",
        "hil --help",
        "identify --help",
        "paper p1 search --help",
    ],
)
def test_version_and_help_load_no_numerical_package(line):
    script = (
        "import sys; from grouser.cli import main; code = main(sys.argv[1:]);"
        "heavy = {'numpy', 'scipy', 'shapely', 'pydantic', 'plotly', 'matplotlib', 'pyarrow',"
        "'numba', 'mujoco'};"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *line.split()], capture_output=True, text=True
    )
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


SHORT = "run --course flat --drive constant --duration 0.2"


def refused(answer, *words: str, code: int = 2) -> None:
    assert answer.code == code
    assert answer.out == ""
    assert answer.err.startswith("grouser: ")
    assert answer.err.count("\n") == 1
    assert "Traceback" not in answer.err
    for word in words:
        assert word in answer.err


def test_a_missing_robot_file(grouser):
    refused(grouser("run --robot nowhere.toml"), "nowhere.toml: there is no file here", "tp100")


def test_a_file_whose_name_is_like_another_hints_at_that(grouser, robot_file):
    file = robot_file()
    stem = file.removesuffix(".toml")
    for wrong in (f"{stem}.tml", f"{stem}s.toml"):
        answer = grouser(f"run --robot {wrong}")
        assert answer.code == 2
        assert f"{wrong}: there is no " in answer.err
        assert f"(did you mean {file}?)" in answer.err
    Path("drive1.mp4").touch()
    answer = grouser("track drive.mp4")
    assert "drive.mp4: there is no such file (did you mean drive1.mp4?); give a video" in answer.err
    Path("here.txt").touch()
    answer = grouser("run --robot here.txt")
    assert "here.txt: is not a name; files of a robot end in .toml" in answer.err


def test_a_missing_log(grouser):
    refused(grouser("replay nowhere.csv"), "nowhere.csv: there is no such file")


def test_a_missing_map_of_columns(grouser):
    grouser(f"{SHORT} --out a.csv")
    refused(
        grouser("compare a.csv a.csv --map nowhere.toml"),
        "nowhere.toml: there is no such file",
    )


def test_an_unknown_key_in_a_robot_file(grouser, robot_file):
    file = robot_file(("acceleration_limit_m_s2 = 1.0", "acceleration_limt_m_s2 = 1.0"))
    answer = grouser(f"run --robot {file}")
    assert answer.code == 2
    assert "drive.acceleration_limt_m_s2 is not a known key" in answer.err
    assert "did you mean acceleration_limit_m_s2?" in answer.err
    assert "drive.acceleration_limit_m_s2 is missing" in answer.err


def test_a_negative_mass(grouser, robot_file):
    file = robot_file(("mass_kg = 0.922", "mass_kg = -0.922"))
    refused(grouser(f"run --robot {file}"), "body.mass_kg", "greater than 0", "-0.922")


def test_a_number_that_is_none(grouser, robot_file):
    file = robot_file(("mass_kg = 0.922", "mass_kg = nan"))
    refused(grouser(f"show {file}"), "body.mass_kg", "finite number", "nan")


def test_a_track_that_does_not_close(grouser, robot_file):
    pulleys = """loop.pulleys = [
    { x_m = 0.0685, z_m = 0.024, radius_m = 0.024 },
    { x_m = -0.0685, z_m = 0.024, radius_m = 0.024 },
]"""
    segments = """loop.start_m = [0.0685, 0.0]
loop.segments = [
    { line_m = 0.137 }, { arc_radius_m = 0.024, turn_deg = 180.0 },
    { line_m = 0.130 }, { arc_radius_m = 0.024, turn_deg = 180.0 },
]"""
    answer = grouser(f"run --robot {robot_file((pulleys, segments))}")
    assert answer.code == 2
    assert "tracks[0].loop" in answer.err
    assert "segments[0].line_m = 0.13 would close it" in answer.err
    assert "not 7.0" in answer.err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("run --robot tp10", ("no robot named 'tp10' (did you mean 'tp100'?)", "quince")),
        ("run --course behavior-3", ("no course named 'behavior-3'", "behaviour-3")),
        ("run --model slipp", ("no model named 'slipp' (did you mean 'slip'?)", "icr, icr-drift")),
        ("run --drive folow", ("no driver named 'folow' (did you mean 'follow'?)", "waypoints")),
        ("run --model slip:mode=exact", ("no parameter of model 'slip' named 'mode'",)),
        ("run --course step:heigth_m=1", ("no parameter named 'heigth_m'", "height_m")),
        ("run --drive legs:cont=3", ("no key of driver 'legs' named 'cont'", "count")),
        ("show tp", ("no robot or course named 'tp'", "tp100", "behaviour-2")),
        ("compare --models slip icrr", ("no model named 'icrr' (did you mean 'icr'?)",)),
        ("compare --lead icrr", ("no model named 'icrr'",)),
    ],
)
def test_unknown_names(grouser, line, words):
    refused(grouser(line), *words)


def test_a_course_the_model_cannot_drive_names_the_models_that_can(grouser):
    answer = grouser("run --course step --model ideal")
    refused(answer, "course 'step' needs steps, which model 'ideal' lacks; models that can: csm, ")


def test_a_truncated_log(grouser, tmp_path):
    grouser(f"{SHORT} --out a.csv")
    whole = (tmp_path / "a.csv").read_text()
    (tmp_path / "a.csv").write_text(whole[:-100])
    for line in ("replay a.csv", "plot a.csv", "compare a.csv a.csv"):
        refused(grouser(line), "a.csv: cut off in line 25")


def test_a_wrong_unit_in_a_robot_file(grouser, robot_file):
    file = robot_file(
        ("mass_kg = 0.922", "mass_g = 922.0"), ('"body.mass_kg" =', '"body.mass_g" =')
    )
    answer = grouser(f"run --robot {file}")
    assert answer.code == 2
    assert "body.mass_g is not a known key; did you mean mass_kg?" in answer.err


def test_a_wrong_unit_in_a_map_of_columns(grouser, tmp_path):
    grouser(f"{SHORT} --out a.csv")
    (tmp_path / "map.toml").write_text(
        '[columns]\ntime = {column = "t", unit = "s"}\nx = {column = "x", unit = "furlong"}\n'
    )
    answer = grouser("compare a.csv camera.csv --map map.toml")
    refused(answer, "map.toml: x: no unit named 'furlong'", "cm")


def test_a_run_that_is_no_longer_finite_leaves_its_log(grouser, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "grouser.models.kinematic_models.slip_twist", lambda *_: (float("nan"), 0.0, 0.0)
    )
    answer = grouser(f"{SHORT} --model slip --out a.csv")
    refused(answer, "is no longer finite at 0.01 s", "not-finite-tp100-slip.csv", code=3)
    assert (tmp_path / "not-finite-tp100-slip.csv").exists()
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("run --duration nan", "--duration must be from 1e-06 to 1e+07 s, not nan"),
        ("run --duration 0", "--duration must be from 1e-06 to 1e+07 s, not 0.0"),
        ("run --dt -1", "--dt must be from 1e-06 to 1e+07 s, not -1.0"),
        ("run --dt 2", "dt must be from 1e-06 to 1 s, not 2.0"),
        ("run --speed inf", "--speed must be from 1e-06 to 10000 m/s, not inf"),
        ("run --speed 5", "speed must be above 0 and within the limit of robot 'tp100', not 5.0"),
        (
            "run --seed 1.5",
            "--seed must be a whole number from 0 to 9223372036854775807, not '1.5'",
        ),
        ("run --seed -1", "--seed must be a whole number from 0 to 9223372036854775807, not '-1'"),
        (
            "run --start 1,2",
            "--start must be x [m], y [m] and yaw [deg], as in 0.5,0,90, not '1,2'",
        ),
        ("run --start 0,0,nan", "--start must be x [m], y [m] and yaw [deg]"),
        ("run --out log.txt", "--out must end in .csv, .parquet or .mcap, not 'log.txt'"),
        ("run --plot log.pdf", "--plot must end in .html, .png or .svg, not 'log.pdf'"),
        ("plot a.csv --out a.pdf", "--out must end in .html, .png or .svg, not 'a.pdf'"),
        ("compare a.csv", "logs to compare must be two, the second of them the reference"),
        ("compare a.csv b.csv --lead slip", "compare must have either two logs or --models"),
        ("compare --map m.toml", "--map must come with two logs, the second foreign"),
        ("compare --models slip", "--models must be two different ones or more"),
        ("compare --models slip slip", "--models must be two different ones or more"),
        ("run --course flat --driver follow", "driver must be one that needs no path on course"),
        ("run --course step:height_m=9", "height_m must be from 0.005 to 0.5, not 9.0"),
        ("show nowhere.toml", "nowhere.toml: there is no file here; give the path of a robot or"),
        ("show tp100 --as course", "no course named 'tp100'"),
    ],
)
def test_values_out_of_range(grouser, line, sentence):
    refused(grouser(line), sentence)


def test_errors_stay_on_stderr_when_a_machine_listens(grouser):
    refused(grouser("run --json --robot nobody"), "no robot named 'nobody'")


def test_a_file_that_is_neither_robot_nor_course(grouser, tmp_path):
    (tmp_path / "recipe.toml").write_text("flour_kg = 1\n")
    refused(grouser("show recipe.toml"), "neither clearly a robot nor a course", "flour_kg")


def test_a_place_that_cannot_be_written(grouser, tmp_path):
    (tmp_path / "taken").write_text("")
    refused(grouser(f"{SHORT} --out taken/a.csv"), "--out must lie in a folder", "taken/a.csv")


def test_a_missing_package_is_noticed_before_the_run(grouser, tmp_path, monkeypatch):
    monkeypatch.setattr("grouser.extras.find_spec", lambda name: None)
    refused(grouser(f"{SHORT} --out a.parquet"), "pip install 'grouser[parquet]'")
    refused(grouser(f"{SHORT} --plot a.html"), "pip install 'grouser[plots]'")
    assert list(tmp_path.iterdir()) == []


def test_a_module_that_begins_with_its_help_is_a_command(tmp_path):
    (tmp_path / "clearance.py").write_text('"""`grouser clearance`: Print a height."""\n')
    (tmp_path / "terminal.py").write_text('"""Where commands write."""\n')
    (tmp_path / "run.py").write_text('"""`grouser run`: has a row."""\n')
    found = [("More", ("clearance",), "clearance:clearance", "Print a height.")]
    assert list(find_commands(tmp_path)) == found
