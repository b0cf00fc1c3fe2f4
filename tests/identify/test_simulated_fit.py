"""How families that are simulated are fitted, with one that is quick and strict."""

from dataclasses import dataclass, field

import numpy as np

from grouser.identify import KnownRobot, Observation, Record, fit_family
from grouser.identify.family import Parameter, Predicted

SETTING = KnownRobot(gauge=0.4)


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
        x0, y0, yaw0 = record.start or (0.0, 0.0, 0.0)
        self.lengths.append(record.time.size)
        self.headings.append(yaw0)
        share, gain = values.T[:, :, None]
        yaw_rate = share * (record.right - record.left) / known_robot.gauge
        speed = gain * 0.5 * (record.left + record.right)
        yaw = yaw0 + np.cumsum(yaw_rate * record.steps, axis=1)
        x = x0 + np.cumsum(speed * np.cos(yaw) * record.steps, axis=1)
        y = y0 + np.cumsum(speed * np.sin(yaw) * record.steps, axis=1)
        return Predicted(x=x, y=y, yaw=yaw, vx=speed, vy=0.0 * speed, yaw_rate=yaw_rate)


def drive(share: float, seconds: float = 40.0) -> Record:
    """Return turns, first to be seen after a second, that began at a heading of 0.5 rad."""
    time = 0.02 * np.arange(round(seconds / 0.02))
    left, right = 0.3 - 0.2 * np.sin(time), 0.3 + 0.2 * np.sin(0.7 * time)
    nothing = Observation(kind="pose", time=time[:1], values=np.zeros((3, 1)))
    record = Record(name="test", time=time, left=left, right=right, observation=nothing,
                    start=(1.0, 2.0, 0.5))  # fmt: skip
    seen = Strict().predict(np.array([[share, 0.9]]), record, SETTING)
    rows = np.stack([seen.x[0], seen.y[0], seen.yaw[0]])[:, 50::2]
    rows += np.random.default_rng(1).normal(0.0, 0.003, rows.shape)
    observed = Observation(kind="pose", time=time[50::2], values=rows)
    return Record(name="test", time=time, left=left, right=right, observation=observed)


def test_a_value_at_its_limit_is_found_without_asking_for_what_makes_no_sense():
    fit = fit_family(Strict(), (drive(share=1.0),), SETTING)
    found = fit.parameters["share"]
    assert abs(found.value - 1.0) < 0.01
    assert found.low < 1.0 <= found.high


def test_a_simulation_starts_as_the_robot_looked_and_ends_where_its_training_does():
    family, record = Strict(), drive(share=0.8)
    fit = fit_family(family, (record,), SETTING)
    assert abs(fit.parameters["share"].value - 0.8) < 0.005
    assert abs(family.headings[-1] - 0.5) < 0.02
    whole = record.time.size
    # The last third is held out: it is simulated once, to judge the fit.
    assert family.lengths.count(whole) == 1
    assert max(length for length in family.lengths if length < whole) < 0.75 * whole
