"""Learn to climb a step of 24 cm: when to raise and when to lower which flippers.

python examples/10_learn_flippers.py 12

With flippers held level, Quince stands before the step for ever. A cross-entropy search over ten
numbers (how far front and rear tips are raised at five places of the path) finds how to climb it,
in a dozen rounds; without the number 12, only the first two are played.
"""

import sys
from pathlib import Path

import gymnasium
import numpy as np

import grouser.envs  # registers the environments
from grouser.report import write_curve

ROUNDS, ROBOTS, ELITE = int(sys.argv[1]) if len(sys.argv) > 1 else 2, 16, 4
PLACES = np.linspace(0.1, 1.3, 5)  # path lengths [m]; the step is at 0.8 m
envs = gymnasium.make_vec(
    "grouser/StepClimbing-v0", num_envs=ROBOTS, model="csm:boxes=1,timestep=0.002",
    speed=0.3, duration=7.0,
)  # fmt: skip
"""Sixteen robots, one for each candidate, on all cores."""


def play(candidates, seed):
    """Return the sum of rewards of each candidate's episode, and whether it got up."""
    _, info = envs.reset(seed=seed)
    worth, got_up, alive = np.zeros(ROBOTS), np.zeros(ROBOTS, bool), np.ones(ROBOTS, bool)
    while alive.any():
        at = info["path_length"]
        tips = [[np.interp(s, PLACES, row) for row in c] for s, c in zip(at, candidates, strict=True)]
        belts = np.full((ROBOTS, 2), 0.6)  # ahead, and strongly
        _, reward, done, late, info = envs.step(np.hstack((belts, tips)).astype(np.float32))
        worth, got_up = worth + alive * reward, got_up | (alive & info["is_success"])
        alive &= ~(done | late)
    return worth, got_up
