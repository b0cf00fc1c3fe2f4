"""Learn to climb a step of 24 cm: when to raise and when to lower which flippers.

python examples/10_learn_flippers.py

With level flippers, Quince does not get over it. A cross-entropy search over ten numbers (tips at
five places of the path) with 256 robots at once finds a way up. GROUSER_QUICK=1 is short.
"""

import os

import gymnasium
import numpy as np

import grouser.envs  # noqa: F401  registers the environments
from grouser.report import Panel, Series, write_picture
from grouser.report.colours import LINES

ROUNDS, ROBOTS, ELITE = (2, 8, 2) if os.environ.get("GROUSER_QUICK") else (6, 256, 24)
HELD_OUT, PLACES = 10_000, np.linspace(0.1, 1.3, 5)  # seed no round sees; path lengths [m]
envs = gymnasium.make_vec("grouser/StepClimbing-v0", num_envs=ROBOTS, speed=0.3, duration=7.0,
                          model="csm:timestep=0.002")  # fmt: skip


def tips_at(s: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Return the tips (robots, 2) of each candidate (robots, 2, 5) at path lengths."""
    places = np.clip((s - PLACES[0]) / (PLACES[1] - PLACES[0]), 0.0, len(PLACES) - 1.0)
    shares = np.maximum(1.0 - np.abs(places[:, None] - np.arange(len(PLACES))), 0.0)
    return np.einsum("nij,nj->ni", candidates, shares)


def play(candidates: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the return of each candidate's episode, and whether it got up the step."""
    _, info = envs.reset(seed=seed)
    worth, got_up, alive = np.zeros(ROBOTS), np.zeros(ROBOTS, bool), np.ones(ROBOTS, bool)
    actions = np.full((ROBOTS, 4), 0.6, np.float32)  # belts at the reference speed
    while alive.any():
        actions[:, 2:] = tips_at(info["path_length"], candidates)
        _, reward, terminated, truncated, info = envs.step(actions)
        worth, got_up = worth + alive * reward, got_up | (alive & info["is_success"])
        alive &= ~(terminated | truncated)
    return worth, got_up


generator = np.random.default_rng(seed=1)
mean, spread = np.zeros((2, 5)), np.full((2, 5), 0.4)  # shares of a quarter turn; level at first
before, curve = play(np.tile(mean, (ROBOTS, 1, 1)), seed=HELD_OUT)[1].mean(), []
for number in range(ROUNDS):
    candidates = np.clip(generator.normal(mean, spread, (ROBOTS, 2, 5)), -1.0, 1.0)
    worth, got_up = play(candidates, seed=1000 * number)
    curve += [(worth.mean(), worth.max())]
    print(f"round {number:2d}: mean return {worth.mean():5.1f}, {got_up.sum():3d} got up")
    elite = candidates[np.argsort(worth)[-ELITE:]]
    mean, spread = elite.mean(axis=0), elite.std(axis=0) + 0.03
after = play(np.tile(mean, (ROBOTS, 1, 1)), seed=HELD_OUT)[1].mean()
print(f"from {ROBOTS} other starts: {before:.0%} got up before, {after:.0%} after learning")
lines = zip(("mean of the candidates", "best of them"), np.transpose(curve), LINES, strict=False)
series = tuple(Series(name=n, x=np.arange(ROUNDS), y=y, colour=c) for n, y, c in lines)
panel = Panel(key="learning", title="A robot learns to climb a step by its flippers",
              x_label="round [1]", y_label="return of an episode [1]", series=series)  # fmt: skip
write_picture({}, "out/10_learning.png", panels=[panel])
