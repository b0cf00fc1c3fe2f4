"""Fits of families to drives with known parameters."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from grouser import Simulation, load_course, load_robot, make_model
from grouser.description import Robot, parse_robot
from grouser.errors import ClusterLost, InvalidValue
from grouser.identify import (
    FAMILIES,
    KnownRobot,
    Observation,
    Record,
    Status,
    export_fit,
    fit_family,
    identify_records,
    read_record,
)
from grouser.identify.family import Parameter, Predicted
from grouser.identify.folds import fit_folds
from grouser.identify.prediction import replay_fit
from grouser.identify.prepare import prepare
from grouser.identify.solve import solve_robustly
from grouser.laws.slip_odometry import slip_twist
from grouser.laws.slope import slope_slip
from grouser.log import Column, Log
from grouser.models import command_sides
from grouser.tasks import Workers

SETTING = KnownRobot(gauge=0.4)
SLIP = np.array([0.1, 0.12, 0.01, 0.0, 0.62])  # left, right, angle, angle in turns, width


def drive(left, right, period=0.05, kind="pose", noise=0.002, pitch=None, values=SLIP, offset=0.0):
    """Return a record of belts that ask for these speeds, each for two seconds."""
    hold = round(2.0 / period)
    belts = np.repeat(np.array([left, right], dtype=float), hold, axis=1)
    time = period * np.arange(belts.shape[1])
    angle = None if pitch is None else np.repeat(np.array(pitch, dtype=float), hold)
    empty = Observation(kind="pose", time=time[:1], values=np.zeros((3, 1)))
    record = Record(name="test", time=time, left=belts[0], right=belts[1], observation=empty,
                    pitch=angle)  # fmt: skip
    seen = FAMILIES["slip"].predict(values[None], record, SETTING)
    names = {"pose": ("x", "y", "yaw"), "position": ("x", "y"), "gyro": ("yaw_rate",)}[kind]
    rows = np.stack([np.interp(time - offset, time, getattr(seen, name)[0]) for name in names])
    rows += np.random.default_rng(3).normal(0.0, noise, rows.shape)
    return replace(record, observation=Observation(kind=kind, time=time, values=rows))


STRAIGHT = ([0.4, 0.2, 0.3, -0.2] * 6,) * 2
MIXED = ([0.3, 0.4, -0.3, 0.2, 0.3, 0.1] * 5, [0.3, 0.2, 0.3, 0.4, 0.1, 0.4] * 5)


def test_a_log_of_straight_drives_do_not_identify_the_width_and_the_advice_names_a_manoeuvre():
    # Without slip that differs between the sides, nothing depends on the width.
    even = np.array([0.1, 0.1, 0.01, 0.0, 0.62])
    fit = fit_family(FAMILIES["slip"], (drive(*STRAIGHT, values=even),), SETTING)
    assert fit.status == Status.PARTIAL
    assert fit.fixed["width"] == pytest.approx(1.5 * SETTING.gauge)
    (sentence,) = [s for s in fit.advice if "width" in s.split(":")[0]]
    assert sentence.startswith("width is unidentifiable")
    assert "turn on the spot" in sentence
    assert fit.parameters["slip_left"].value == pytest.approx(0.1, abs=0.02)


def test_a_drive_with_turns_identifies_all_parameters():
    fit = fit_family(FAMILIES["slip"], (drive(*MIXED),), SETTING)
    assert fit.status == Status.COMPLETE
    for name, true in zip(("slip_left", "slip_right", "slip_angle"), SLIP, strict=False):
        assert fit.parameters[name].value == pytest.approx(true, abs=0.01)
    assert fit.parameters["width"].holds(0.62)
    assert fit.correlation == pytest.approx(fit.correlation.T)
    assert np.diag(fit.correlation) == pytest.approx(np.ones(len(fit.parameters)))


def test_the_clock_offset_is_unidentifiable_at_constant_speed():
    fit = fit_family(FAMILIES["icr"], (drive([0.2] * 30, [0.4] * 30),), SETTING)
    assert "time_offset" in fit.fixed
    assert any("start, stop" in sentence for sentence in fit.advice)


def test_a_gyroscope_alone_identifies_the_width_between_the_centres():
    still = ([0.0, 0.3, 0.4, -0.3, 0.2] * 5, [0.0, 0.3, 0.2, 0.3, 0.4] * 5)
    values = np.array([0.0, 0.0, 0.0, 0.0, 0.7])
    fit = fit_family(FAMILIES["icr"], (drive(*still, kind="gyro", values=values),), SETTING)
    width = fit.values["left_y"] - fit.values["right_y"]
    assert width == pytest.approx(0.7, abs=0.01)
    assert fit.status == Status.PARTIAL
    assert any("A gyroscope alone" in sentence for sentence in fit.advice)


def test_places_without_headings_are_enough():
    fit = fit_family(FAMILIES["slip"], (drive(*MIXED, kind="position", offset=0.1),), SETTING)
    assert fit.parameters["width"].value == pytest.approx(0.62, abs=0.01)
    assert fit.parameters["time_offset"].value == pytest.approx(0.1, abs=0.005)
    assert fit.hold_out.position[5.0] < 0.05


def test_slopes_identify_the_slope_coefficient():
    angles = np.deg2rad([0.0, -8.0, -16.0, 0.0, -8.0, 12.0] * 5)  # nose up is negative
    values = np.array([*SLIP, 0.3])
    record = drive(*MIXED, pitch=angles, values=values)
    names = [p.name for p in FAMILIES["slip"].parameters(SETTING, (record,))]
    assert names[-1] == "slope_coefficient"
    fit = fit_family(FAMILIES["slip"], (record,), SETTING)
    assert fit.parameters["slope_coefficient"].value == pytest.approx(0.3, abs=0.03)
    # The family's law is that of P0, as the model has it.
    climbing = slip_twist(0.1, 0.1, slope_slip(0.1, 0.3, 0.2), slope_slip(0.12, 0.3, 0.2), 0, 0.62)
    up = replace(record, left=np.full(2, 0.1), right=np.full(2, 0.1), pitch=np.full(2, -0.2),
                 time=np.array([0.0, 1.0]))  # fmt: skip
    seen = FAMILIES["slip"].predict(np.array([[*SLIP[:2], 0.0, 0.0, 0.62, 0.3]]), up, SETTING)
    assert seen.vx[0, 0] == pytest.approx(climbing[0])


def test_data_that_is_held_out_does_not_change_what_predicts_it():
    record = drive(*MIXED)
    prepared = prepare((record,), SETTING)
    held = prepared.blocks.held_out(0)
    values = record.observation.values.copy()
    values[:2, held] += 5.0 * np.sin(np.arange(int(held.sum())))
    spoiled = replace(record, observation=replace(record.observation, values=values))
    found = []
    for each in (record, spoiled):
        model = replace(prepared, record=each).model(FAMILIES["icr"])
        free = list(range(len(model.parameters)))
        solution = solve_robustly(model, prepared.start_values(model), free)
        # The scale of the noise is that of all data: only values are compared.
        solution = replace(solution, scale=np.ones_like(solution.scale))
        found.append(fit_folds(solution, free, prepared.blocks)[0])
    np.testing.assert_allclose(found[0], found[1], atol=2e-3)


def test_a_log_that_is_too_short_raises_an_error():
    with pytest.raises(InvalidValue, match="drive for longer"):
        fit_family(FAMILIES["icr"], (drive([0.2], [0.3]),), SETTING)


def test_simulated_families_need_a_robot():
    with pytest.raises(InvalidValue, match="--robot"):
        fit_family(FAMILIES["csm"], (drive(*MIXED),), SETTING)


def test_other_processes_find_the_same_as_this_one():
    records, names = (drive(*MIXED),), ("ideal", "icr", "csm")
    here = identify_records(records, SETTING, names)
    there = identify_records(records, SETTING, names, workers=Workers(count=2))
    assert list(here.fits) == list(there.fits) == ["ideal", "icr"]
    assert here.fits["icr"].parameters == there.fits["icr"].parameters
    assert here.failures == there.failures
    assert "--robot" in there.failures["csm"]


def test_one_family_goes_to_the_cluster_that_was_named(monkeypatch):
    monkeypatch.setattr("grouser.tasks.dask.CONNECT_TIMEOUT", 0.5)
    with pytest.raises(ClusterLost):
        identify_records(
            (drive(*MIXED),), SETTING, ("icr",), workers=Workers(cluster="tcp://127.0.0.1:1")
        )


@dataclass
class Strict:
    """A robot that turns with a share of what its belts ask for, from where its record says."""

    name: str = "strict"
    model: str = "strict"
    summary: str = "for tests"
    cost: int = 9
    is_simulated: bool = True
    lengths: list[int] = field(default_factory=list)
    headings: list[float] = field(default_factory=list)

    def parameters(self, known_robot, records):
        return tuple(
            Parameter(name=name, unit="1", start=0.7, span=0.3, low=0.1, high=1.0)
            for name in ("share", "gain")
        )

    def predict(self, values, record, known_robot):
        assert np.all((values >= 0.1) & (values <= 1.0)), "no model takes what makes no sense"
        x0, y0, yaw0 = np.zeros(3) if record.starts is None else record.starts[0]
        self.lengths.append(record.time.size)
        self.headings.append(yaw0)
        share, gain = values.T[:, :, None]
        yaw_rate = share * (record.right - record.left) / known_robot.gauge
        speed = gain * 0.5 * (record.left + record.right)
        yaw = yaw0 + np.cumsum(yaw_rate * record.steps, axis=1)
        x = x0 + np.cumsum(speed * np.cos(yaw) * record.steps, axis=1)
        y = y0 + np.cumsum(speed * np.sin(yaw) * record.steps, axis=1)
        return Predicted(x=x, y=y, yaw=yaw, vx=speed, vy=0.0 * speed, yaw_rate=yaw_rate)


def simulated_drive(share: float, seconds: float = 40.0) -> Record:
    """Return turns, first to be seen after a second, that began at a heading of 0.5 rad."""
    time = 0.02 * np.arange(round(seconds / 0.02))
    left, right = 0.3 - 0.2 * np.sin(time), 0.3 + 0.2 * np.sin(0.7 * time)
    nothing = Observation(kind="pose", time=time[:1], values=np.zeros((3, 1)))
    record = Record(name="test", time=time, left=left, right=right, observation=nothing,
                    starts=np.array([[1.0, 2.0, 0.5]]))  # fmt: skip
    seen = Strict().predict(np.array([[share, 0.9]]), record, SETTING)
    rows = np.stack([seen.x[0], seen.y[0], seen.yaw[0]])[:, 50::2]
    rows += np.random.default_rng(1).normal(0.0, 0.003, rows.shape)
    observed = Observation(kind="pose", time=time[50::2], values=rows)
    return Record(name="test", time=time, left=left, right=right, observation=observed)


def test_a_value_at_its_limit_is_found_without_asking_for_what_makes_no_sense():
    fit = fit_family(Strict(), (simulated_drive(share=1.0),), SETTING)
    found = fit.parameters["share"]
    assert abs(found.value - 1.0) < 0.01
    assert found.low < 1.0 <= found.high


def test_a_simulation_starts_as_the_robot_looked_and_is_searched_on_its_beginning():
    family, record = Strict(), simulated_drive(share=0.8)
    fit = fit_family(family, (record,), SETTING)
    assert abs(fit.parameters["share"].value - 0.8) < 0.005
    assert abs(family.headings[-1] - 0.5) < 0.02
    # The search looks at the beginning alone, and takes most simulations.
    assert np.mean(np.array(family.lengths) < 0.9 * record.time.size) > 0.3


CENTRES = {
    "left_y": 0.12, "right_y": -0.15, "x": 0.02, "left_y_per_speed": 0.2,
    "right_y_per_speed": -0.1, "left_y_per_contrast": 0.04, "right_y_per_contrast": -0.03,
    "x_per_speed": 0.05,
}  # fmt: skip
UNITS = {"per_speed": "s", "per_contrast": "m"}


def moving_robot() -> Robot:
    """Return a TP100 whose centres move."""
    keys = {name: next((u for k, u in UNITS.items() if name.endswith(k)), "m") for name in CENTRES}
    table = "\n".join(f"{name}_{keys[name]} = {value}" for name, value in CENTRES.items())
    return parse_robot(load_robot("tp100").text + f"\n[slip.icr]\n{table}\n", "mine")


def icr_drive(robot: Robot, seconds: float = 80.0) -> Log:
    """Return a random drive by model icr."""
    simulation = Simulation(make_model("icr"), robot, load_course("flat"), dt=0.02)
    generator = np.random.default_rng(4)
    while simulation.time < seconds:
        left, right = generator.uniform(-0.15, 0.25, 2)
        for _ in range(60):
            simulation.advance(command_sides(robot, left, right))
    return simulation.log()


def test_the_exported_robot_moves_as_the_fit_predicts(tmp_path):
    log, generator = icr_drive(moving_robot()), np.random.default_rng(0)
    noise = {"x": 0.002, "y": 0.002, "yaw": 0.004}
    seen = log.with_columns(
        {n: Column(log[n] + generator.normal(0.0, s, len(log)), log.unit(n))
         for n, s in noise.items()}
    )  # fmt: skip
    known_robot = KnownRobot(gauge=0.16, robot=load_robot("tp100"))
    record = read_record(seen, "drive", known_robot.robot)
    fit = fit_family(FAMILIES["icr-varying"], [record], known_robot)
    assert fit.model == "icr"
    assert np.mean([fit.parameters[n].holds(true) for n, true in CENTRES.items()]) >= 0.75
    export_fit(fit, tmp_path / "mine.toml", known_robot)
    again = icr_drive(load_robot(tmp_path / "mine.toml"))
    predicted = replay_fit(fit, record, known_robot)
    for name, most in (("vx", 1e-5), ("vy", 1e-5), ("yaw_rate", 1e-4)):
        np.testing.assert_allclose(again[name][1:], predicted[name][1:], atol=most)
    assert np.hypot(again["x"] - log["x"], again["y"] - log["y"]).max() < 0.1


def test_a_mirrored_robot_has_mirrored_centres():
    icr = moving_robot().slip.icr
    mirrored = icr.mirrored()
    assert mirrored.left_y_per_contrast == pytest.approx(0.03)
    assert mirrored.right_y_per_speed == pytest.approx(-0.2)
    assert mirrored.mirrored() == icr
