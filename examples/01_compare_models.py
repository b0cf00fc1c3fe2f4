"""The same belt commands through every model of the catalogue: when do they diverge?

python examples/01_compare_models.py

A driver steers one model, `slip`, along the path. The others follow the belt speeds that this
driver commanded, open loop: what differs is how each model turns belt speeds into motion.
"""

from grouser import Scenario, compare, load_course, replay, run, write_picture
from grouser.models import CATALOGUE
from grouser.report import find_divergences

# The course: straight, curve, sharp turn, and a disturbance of the heading on the way.
scenario = Scenario(robot="tp100", course="behaviour-2", model="slip", driver="follow:speed=0.2")
lead = run(scenario).log

# A log holds its robot, its course and its commands, so another model can follow them.
others = [name for name in CATALOGUE if name != "slip"]
runs = {"slip": lead} | {name: replay(lead, name) for name in others}

print("model        final x [m]  final y [m]  yaw [rad]  largest gap [m]  1 cm apart  5 cm apart")
for name, log in runs.items():
    gap = compare(log, lead)
    diverged = [
        "never" if divergence.time is None else f"{divergence.time:.2f} s"
        for divergence in find_divergences(gap, thresholds=(0.01, 0.05))
    ]
    print(
        f"{name:12} {log['x'][-1]:11.3f} {log['y'][-1]:12.3f} {log['yaw'][-1]:10.3f} "
        f"{gap.position.max:16.3f} {diverged[0]:>11} {diverged[1]:>11}"
    )

# TP100 has no turning experiments of its own, so `turning` falls back on its steering
# efficiency and moves as `icr` does. With zhou-ugv, for which they exist, these two differ.
write_picture(runs, "out/01_compare_models.png", load_course("behaviour-2"))
print("picture: out/01_compare_models.png")
