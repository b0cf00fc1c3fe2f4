"""Simulate, film, track, identify: the slip that was simulated comes back from pictures.

python examples/11_overhead_camera.py

A TP100 drives under P0's camera; every tenth picture is drawn (all 30 a second take minutes
without a graphics card). Needs the extras camera and viewer, and OpenGL.
"""

from pathlib import Path

from grouser import Simulation, load_course, load_robot, make_model, write_log
from grouser.description import load_rig, parse_rig
from grouser.drawing.overhead import write_overhead_film
from grouser.drawing.playback import Playback
from grouser.drivers import Legs, Sides
from grouser.identify.camera.frames import Frames
from grouser.identify.camera.track import track_film
from grouser.identify.fusion import fit_slip


def main() -> None:
    robot, out = load_robot("tp100"), Path("out")
    rig = parse_rig(load_rig("tp100-overhead").text.replace("rate_hz = 30.0", "rate_hz = 3.0"), "")
    simulation = Simulation(make_model("slip"), robot, load_course("flat"))
    legs = [
        (2.0, Sides(left=0.10, right=0.10)),
        (2.0, Sides(left=0.06, right=0.12)),
        (2.0, Sides(left=0.12, right=0.06)),
    ]
    simulation.run(Legs(robot, legs), duration=6.0)
    log = simulation.log()
    write_overhead_film(Playback(log), rig, out / "film.mp4", smooth=False)
    with Frames(out / "film.mp4") as frames:
        track = track_film(frames, rig).log
    write_log(track, out / "track.csv")
    fit = fit_slip(log, track, robot)
    simulated = {
        "slip_left": robot.slip.left,
        "slip_right": robot.slip.right,
        "slip_angle": robot.slip.slip_angle,
    }
    for name, true in simulated.items():
        found = fit.parameters[name]
        print(f"{name:11} simulated {true:.4f}, found {found.low:.4f} to {found.high:.4f}")


if __name__ == "__main__":
    main()
