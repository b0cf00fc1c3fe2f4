"""Learn to climb a step of 24 cm by PPO of Stable-Baselines3, with 128 robots at once.

python examples/14_ppo.py      # after: pip install 'grouser[learn]'

Unlike in 10_learn_flippers.py, no places of the path are given: the policy observes motion and
heights ahead, and moves belts and flippers ten times a second. GROUSER_QUICK=1 is short.
"""

import os
import time

import numpy as np

from grouser.errors import MissingExtra
from grouser.report import Panel, Series, write_picture
from grouser.report.colours import LINES

try:
    from grouser.envs.sb3 import make_sb3
except MissingExtra as missing:
    raise SystemExit(str(missing)) from None
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

ROBOTS, UPDATES = (4, 2) if os.environ.get("GROUSER_QUICK") else (128, 50)
STEPS, HELD_OUT = 64, 10_000  # steps of each robot before an update; seed of the evaluation
robots = make_sb3("StepClimbing", ROBOTS, speed=0.3, duration=7.0, model="csm:timestep=0.002")
envs = VecNormalize(robots, norm_reward=False)
model = PPO("MlpPolicy", envs, n_steps=STEPS, batch_size=ROBOTS * STEPS // 8, n_epochs=8,
            learning_rate=1e-3, gamma=0.97, seed=1, device="cpu",
            policy_kwargs={"net_arch": [64, 64], "log_std_init": -0.7})  # fmt: skip


def play() -> str:
    """Return how an episode of each robot ends, without noise of exploration."""
    envs.training, ends, _ = False, {}, envs.seed(HELD_OUT)
    seen = envs.reset()
    while len(ends) < ROBOTS:
        seen, _, over, infos = envs.step(model.predict(seen, deterministic=True)[0])
        ends = {n: infos[n] for n in np.flatnonzero(over)} | ends  # the first end of each counts
    envs.training = True
    worth, goals = zip(*((i["episode"]["r"], i["is_success"]) for i in ends.values()), strict=True)
    return f"mean return {np.mean(worth):.1f}, {np.mean(goals):.0%} got up"


def note(known: dict, _: dict) -> bool:
    """Keep the returns of the episodes that end, by update; go on learning."""
    done = [info["episode"]["r"] for info in known["infos"] if "episode" in info]
    returns[(model.num_timesteps - 1) // (ROBOTS * STEPS)].extend(done)
    return True


returns, before, began = [[] for _ in range(UPDATES)], play(), time.perf_counter()
model.learn(UPDATES * ROBOTS * STEPS, callback=note)
print(f"{model.num_timesteps / (time.perf_counter() - began):.0f} steps/s with learning")
print(f"from {ROBOTS} other starts: before {before}; after {play()}")
x, y = np.transpose([(n, np.mean(some)) for n, some in enumerate(returns) if some])
line = Series(name="mean return of episodes", x=x, y=y, colour=LINES[0])
write_picture({}, "out/14_learning.png", panels=[Panel(key="learning", title="PPO on a step",
    x_label="update [1]", y_label="return of an episode [1]", series=(line,))])  # fmt: skip
