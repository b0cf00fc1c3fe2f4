"""The benchmark measures what it says, and every number has its ratio."""

import json
import os
from dataclasses import replace

import pytest

from grouser.bench import SECTIONS, BenchOptions, Watch, cases, run_bench, time_drive
from grouser.bench.case import Case, Sample, Section
from grouser.bench.cases import keep_flippers, split_tracks
from grouser.bench.table import BEGIN, END, compose_markdown, compose_table, write_markdown
from grouser.description import load_robot
from grouser.errors import InvalidValue, UnknownName
from grouser.models import CATALOGUE, command_sides

TINY = BenchOptions(robot="tp100", repeats=1, share=0.001)


def section_of(*cases: Case, **changes) -> Section:
    made = Section(
        name="toy", summary="toys", quantity="speed", unit="1", reference="the first",
        cases=lambda choice: list(cases),
    )  # fmt: skip
    return replace(made, **changes)


def toy(name: str, *values: float, reference: str = "", step: float | None = None) -> Case:
    def start():
        left = iter(values)
        return lambda: Sample(value=next(left), step=step)

    return Case(name=name, start=start, reference=reference)


@pytest.fixture
def toys(monkeypatch):
    """Add a section of toys."""
    return lambda section: monkeypatch.setitem(SECTIONS, "toy", section)


def test_every_model_of_the_catalogue_has_a_line_beside_ideal():
    bench = run_bench(["models"], replace(TINY, robot="quince"))
    assert [row.case for row in bench.rows] == list(CATALOGUE)
    assert bench.left_out == {}
    for row in bench.rows:
        assert row.reference == "ideal"
        assert row.ratio == pytest.approx(row.value / bench.rows[0].value)
        step = 0.001 if "1 ms, " in row.note else 0.01
        assert row.step_us == pytest.approx(1e6 * step / row.value)


@pytest.mark.parametrize("name", ["ground", "contacts", "flippers"])
def test_each_part_of_the_table_compares_with_a_line_that_is_in_it(name):
    bench = run_bench([name], TINY)
    names = {row.case for row in bench.rows}
    assert {row.reference for row in bench.rows} <= names
    assert all(row.value > 0.0 and row.ratio for row in bench.rows)
    assert any(row.ratio == 1.0 for row in bench.rows)


def test_cases_take_turns_and_the_best_sample_counts(toys):
    toys(section_of(toy("a", 1.0, 4.0, 2.0, step=0.5), toy("b", 8.0, 2.0, 1.0, step=0.25)))
    reported = []
    choice = replace(TINY, repeats=3)
    one, other = run_bench(["toy"], choice, on_progress=lambda what, *_: reported.append(what)).rows
    assert reported == ["toy: a", "toy: b"] * 3
    assert (one.value, one.ratio, one.samples) == (4.0, 1.0, 3)
    assert (other.value, other.ratio, other.step_ratio) == (8.0, 2.0, 0.5)


def test_of_times_and_memory_the_least_counts(toys):
    toys(section_of(toy("a", 3.0, 2.0), toy("b", 5.0, 6.0), is_rate=False, most_repeats=2))
    one, other = run_bench(["toy"], replace(TINY, repeats=9)).rows
    assert (one.value, other.value, other.ratio, other.samples) == (2.0, 5.0, 2.5, 2)


def test_an_interrupt_keeps_what_is_done(toys):
    def interrupt():
        raise KeyboardInterrupt

    late = Case(name="late", start=lambda: interrupt)
    toys(section_of(toy("a", 2.0), late, toy("never", 1.0)))
    bench = run_bench(["toy"], TINY)
    assert bench.is_interrupted
    assert [row.case for row in bench.rows] == ["a"]


def test_what_cannot_be_measured_is_left_out_with_the_reason(toys):
    def refuse():
        raise InvalidValue("robot", "sledge", "have tracks")

    toys(section_of(Case(name="bad", start=refuse), toy("good", 2.0)))
    bench = run_bench(["toy"], TINY)
    assert bench.left_out == {"toy: bad": "robot must have tracks, not 'sledge'"}
    (row,) = bench.rows
    assert (row.reference, row.ratio) == ("bad", None)


def test_a_section_that_does_not_exist_is_refused():
    with pytest.raises(UnknownName, match="no section of the benchmark named 'moon'; available: b"):
        run_bench(["moon"])


def test_tracks_are_split_and_flippers_taken_off():
    robot = load_robot("quince")
    split = split_tracks(robot, 3)
    assert len(split.tracks) == 6
    assert sum(t.width for t in split.tracks) == pytest.approx(sum(t.width for t in robot.tracks))
    assert split.gauge == pytest.approx(robot.gauge)
    assert len({track.name for track in split.tracks}) == 6
    assert [len(keep_flippers(robot, n).flippers) for n in (0, 2, 4)] == [0, 2, 4]


def test_a_drive_is_timed_by_the_clock_that_is_given():
    class Still:
        ticks = 0

        def advance(self, command, duration):
            self.ticks += 1

    plant, times = Still(), iter((5.0, 7.5))
    robot = load_robot("tp100")
    passed = time_drive(
        plant,  # type: ignore[arg-type]
        command_sides(robot, 0.0, 0.0), 1.0, tick=0.1, clock=lambda: next(times),
    )  # fmt: skip
    assert (passed, plant.ticks) == (2.5, 10)


def test_the_table_goes_between_the_marks_of_a_page(toys, tmp_path):
    toys(section_of(toy("a", 1234.5, step=1e-5), toy("b", 0.5)))
    bench = run_bench(["toy"], TINY)
    ((title, (first, second)),) = compose_table(bench)
    assert title == "toy: speed; toys; ÷ the first"
    assert first == ("a", "", "1,234", "1.00", "10.0", "1.00")
    assert second == ("b", "", "0.5", "0.000405", "", "")
    page = tmp_path / "page.md"
    page.write_text(f"# Speed\n{BEGIN}\nold\n{END}\nend\n")
    write_markdown(bench, page)
    assert page.read_text() == f"# Speed\n{BEGIN}\n{compose_markdown(bench)}{END}\nend\n"
    page.write_text("nothing")
    with pytest.raises(InvalidValue, match=r"--markdown must hold the lines <!-- bench:begin"):
        write_markdown(bench, page)


def test_the_machine_says_what_it_is_and_whether_it_was_idle():
    machine = Watch().machine()
    assert {"grouser", "Python", "numpy", "mujoco", "numba"} <= set(machine.versions)
    quiet = replace(machine, cores=2, used_by_others=0.02)
    assert quiet.is_idle
    assert "2 cores" in quiet.describe()
    assert "otherwise idle (others used 2 % of it)" in quiet.describe()
    assert "not idle: others used 80 % of it" in replace(quiet, used_by_others=0.8).describe()
    json.dumps(machine.versions)


def test_what_others_use_counts_and_what_this_process_uses_does_not(monkeypatch):
    own, wall = iter((1.0, 1.0 + 0.2 * (os.cpu_count() or 1))), iter((5.0, 6.0))
    monkeypatch.setattr("grouser.bench.machine.psutil.cpu_percent", lambda: 50.0)
    monkeypatch.setattr("grouser.bench.machine._own_time", lambda: next(own))
    monkeypatch.setattr("grouser.bench.machine.time.perf_counter", lambda: next(wall))
    assert Watch().machine().used_by_others == pytest.approx(0.3)


def test_memory_is_the_peak_of_a_new_process():
    held = "held = bytearray(b'x' * 50_000_000); del held\n" + cases._PRINT_PEAK
    bare, full = (float(cases._run(("-c", program))) for program in (cases._PRINT_PEAK, held))
    assert full > bare + 40.0


def test_environments_processes_and_batches_name_their_references():
    for name in ("environments", "batch", "start-up", "memory", "tracks"):
        cases = SECTIONS[name].cases(TINY)
        names = [case.name for case in cases]
        assert len(set(names)) == len(names)
        assert {case.reference or names[0] for case in cases} <= set(names)


def test_a_vector_environment_and_a_loop_are_measured_by_turns():
    loop, vector = SECTIONS["environments"].cases(TINY)[:2]
    assert vector.reference == loop.name
    for case in (loop, vector):
        sample = case.start()()
        assert sample.step == pytest.approx(1.0 / sample.value)


def test_many_robots_at_once_count_as_many():
    one, many, _ = SECTIONS["batch"].cases(TINY)[:3]
    assert (one.name, many.name, many.reference) == ("slip x 1", "slip x 100", "slip x 1")
    assert many.start()().value > one.start()().value


def test_a_new_process_tells_its_time_and_its_memory():
    bare = SECTIONS["start-up"].cases(TINY)[0].start()()
    assert bare.value > 0.0
    python, slip = (case.start()() for case in SECTIONS["memory"].cases(TINY)[:2])
    assert 1.0 < python.value < 50.0
    assert slip.value > 2.0 * python.value


def test_an_episode_that_ends_while_it_is_measured_begins_anew(monkeypatch):
    monkeypatch.setattr(cases, "ROBOTS", 4)
    case = next(c for c in cases.environment_cases(BenchOptions(share=30.0)) if "slip" in c.name)
    assert case.start()().value > 0.0
