"""What there is to measure: each section with its table. Modules are imported when asked for."""

from collections.abc import Callable
from typing import Any

from benchmarks.contact_sections import batches, compare, contact, growth
from benchmarks.make_table import Asked, Measured, make_table, optional, tell, tell_load


def planar(asked: Asked) -> Measured:
    from benchmarks.planar import measure_planar

    rows = measure_planar()
    columns = {
        "case": lambda row: row.case,
        "robots": lambda row: str(row.robots),
        "real-time factor, all robots [1]": lambda row: f"{row.real_time_factor:,.1f}",
        "÷ first line [1]": lambda row: f"{row.ratio:,.0f}",
    }
    title = "tankbot with its controller, steps of 1.25 ms or less, one core, one run"
    return rows, make_table(title, rows, columns)


def pivot(asked: Asked) -> Measured:
    from benchmarks.pivot import SPEEDS, end_contacts, measure_pivot

    rows = measure_pivot()
    columns: dict[str, Callable[[Any], str]] = {
        "engine": lambda row: row.engine,
        "patches": lambda row: str(row.patches),
    }
    for n, speed in enumerate(SPEEDS):
        columns |= {
            f"turn ÷ belt at {speed:g} m/s [1/m]": lambda row, n=n: f"{row.turn_per_belt[n]:.3f}",
            f"airborne at {speed:g} m/s [1]": lambda row, n=n: f"{row.airborne[n]:.2f}",
        }
    title = f"Turning on the spot; carried by the track ends: {end_contacts():.3f} /m"
    return rows, make_table(title, rows, columns)


def models(asked: Asked) -> Measured:
    from benchmarks.models import measure_models

    rows = measure_models()
    columns = {
        "model": lambda row: row.model,
        "real-time factor [1]": lambda row: f"{row.real_time_factor:.2f}",
        "÷ csm [1]": lambda row: f"{row.ratio:.3f}",
        "P1 [1]": lambda row: optional(row.printed),
        "P1 ÷ its csm [1]": lambda row: optional(row.printed_ratio),
    }
    title = "Models in three dimensions: Absolem straight, on the spot, on stairs"
    return rows, make_table(title, rows, columns)


def packbot(asked: Asked) -> Measured:
    from benchmarks.packbot import measure_packbot

    rows = measure_packbot()
    columns = {
        "model": lambda row: row.model,
        "real-time factor [1]": lambda row: f"{row.real_time_factor:.1f}",
        "÷ csm [1]": lambda row: f"{row.over_csm:.2f}",
        "P4 [1]": lambda row: optional(row.published),
        "P4 ÷ csm [1]": lambda row: optional(row.published_over_csm),
        "contacts": lambda row: f"{row.contacts:.0f}",
    }
    title = "PackBot 510, 80 grousers, 0.3 m/s on flat ground, steps of 1 ms, one core"
    return rows, make_table(title, rows, columns)


def environments(asked: Asked) -> Measured:
    from benchmarks.environments import FEW, OF_BEFORE, measure_environments

    rows = list(measure_environments())
    columns = {
        "task": lambda row: row.task,
        "model": lambda row: row.model,
        "robots": lambda row: f"{row.robots:,}",
        "steps [1/s]": lambda row: f"{row.steps_per_second:,.0f}",
        "before [1/s]": lambda row: "" if row.before is None else f"{row.before:.0f}",
        "÷ before [1]": lambda row: optional(row.before and row.steps_per_second / row.before),
        "in the model [%]": lambda row: f"{100.0 * row.model_share:.0f}",
        "start [s]": lambda row: f"{row.start:.3f}",
        f"reset of {FEW} [ms]": lambda row: "" if row.reset is None else f"{1e3 * row.reset:.1f}",
    }
    title = "Environments: steps of all robots per second of processor time"
    table = make_table(title, rows, columns, words=2, sections=lambda row: (row.task, row.model))
    table.caption = (
        f"Before: {OF_BEFORE} robots by csm at commit 2ec748b, which computed each robot by itself."
    )
    return rows, table


def soil(asked: Asked) -> Measured:
    from benchmarks.soil import measure_soil

    rows = measure_soil(repeats=3 if asked.quick else 15)
    columns = {
        "ground": lambda row: row.case,
        "robots": lambda row: str(row.robots),
        "step of a robot [µs]": lambda row: f"{row.step:.2f}",
        "÷ Coulomb [1]": lambda row: f"{row.ratio:.2f}",
        "aim [1]": lambda row: f"{row.aim:.1f}",
    }
    title = "60 kg on two belts in a wide turn, csm, steps of 1 ms, processor time, best of several"
    table = make_table(title, rows, columns, sections=lambda row: row.robots)
    table.caption = tell_load()
    return rows, table


def rays(asked: Asked) -> Measured:
    from benchmarks.rays import RAYS, measure_rays

    rows = measure_rays()
    columns = {
        "course": lambda row: row.course,
        "solids": lambda row: str(row.solids),
        "scan [ms]": lambda row: f"{1e3 * row.ours:.3f}",
        "mj_multiRay [ms]": lambda row: f"{1e3 * row.theirs:.3f}",
        "÷ scan [1]": lambda row: f"{row.ratio:.1f}",
        "ranges differ by [µm]": lambda row: f"{1e6 * row.differ:.2f}",
    }
    table = make_table(f"A scan of {RAYS:,} rays from the start, one core", rows, columns)
    table.caption = (
        f"{tell_load()} In the scene for MuJoCo, slopes of the playground are plates without sides."
    )
    return rows, table


def sensors(asked: Asked) -> Measured:
    from benchmarks.sensors import measure_sensors

    rows = measure_sensors()
    columns = {
        "sensor": lambda row: row.name,
        "a sample": lambda row: row.what,
        "rate [1/s]": lambda row: f"{row.rate:g}",
        "time of a sample [µs]": lambda row: f"{1e6 * row.sample:.0f}",
        "of real time [%]": lambda row: f"{100.0 * row.share:.2f}",
    }
    title = "Absolem with sensors on the playground, one core, best of several"
    table = make_table(title, rows, columns, words=2)
    table.caption = tell_load()
    return rows, table


def foxglove(asked: Asked) -> Measured:
    from benchmarks.foxglove import measure_foxglove

    rows = measure_foxglove(asked.quick)
    columns = {
        "robot": lambda row: row.robot,
        "clients": lambda row: row.clients,
        "server, of a tick [ms]": lambda row: f"{row.server_ms:.3f}",
        "server [%]": lambda row: f"{row.server_percent:.1f}",
        "physics [%]": lambda row: f"{row.physics_percent:.1f}",
        "late ticks [%]": lambda row: f"{row.late_percent:.2f}",
        "lost frames": lambda row: str(row.lost_frames),
        "real-time factor [1]": lambda row: f"{row.real_time_factor:.3f}",
    }
    title = "Server for Foxglove, csm on the playground, 100 ticks/s; processor time of one core"
    table = make_table(title, rows, columns, words=2, sections=lambda row: row.robot)
    table.caption = tell_load()
    return rows, table


def rides(asked: Asked) -> Measured:
    from benchmarks.rides import measure_rides

    rows = measure_rides(tell)
    columns = {
        "model": lambda row: row.model,
        "straight, 3 m [m]": lambda row: f"{row.straight:.4f}",
        "stands on stairs, moves by [mm]": lambda row: f"{1e3 * row.stand:.3f}",
        "in the last 5 s [µm/s]": lambda row: f"{1e6 * row.creep:.2f}",
    }
    title = "Absolem 10 s straight at 0.3 m/s, and 10 s standing on the staircase"
    return rows, make_table(title, rows, columns)


def pallet(asked: Asked) -> Measured:
    from benchmarks.pallet import FRICTIONS, measure_pallet

    rows = measure_pallet(tell)
    columns: dict[str, Callable[[Any], str]] = {"model": lambda row: row.model}
    for n, friction in enumerate(FRICTIONS):
        columns[f"µ {friction:g}"] = lambda row, n=n: f"{row.advances[n]:.2f}"
    title = "Absolem, 0.1 m/s for 30 s over the pallet: how far it gets [m]"
    return rows, make_table(title, rows, columns)


def agreement(asked: Asked) -> Measured:
    from benchmarks.agreement import REFERENCE, measure_agreement

    rows = measure_agreement(tell)
    columns: dict[str, Callable[[Any], str]] = {
        "robot": lambda row: row.robot,
        "manoeuvre": lambda row: row.manoeuvre,
        "model": lambda row: row.model,
        "x [m]": lambda row: f"{row.end.x:.3f}",
        "y [m]": lambda row: f"{row.end.y:.3f}",
        "heading [rad]": lambda row: f"{row.end.yaw:.3f}",
        f"from {REFERENCE} [% of the way]": lambda row: optional(
            None if row.deviation is None else 100.0 * row.deviation
        ),
    }
    title = "The same belt speeds by every model: where it ends"
    return rows, make_table(
        title, rows, columns, words=3, sections=lambda row: (row.robot, row.manoeuvre)
    )


def steps(asked: Asked) -> Measured:
    from benchmarks.steps import MODELS, measure_steps

    rows = measure_steps(tell)
    columns: dict[str, Callable[[Any], str]] = {
        "front sub-tracks, deg": lambda row: f"{row.angle_deg:g}"
    }
    for n, model in enumerate(MODELS):
        columns[model] = lambda row, n=n: f"{1e3 * row.heights[n]:.0f}"
    columns["grousers can hook up to"] = lambda row: f"{1e3 * row.hooking:.0f}"
    title = "Highest step that Quince climbs, friction 0.6; mm"
    return rows, make_table(title, rows, columns, words=0)


def mppi(asked: Asked) -> Measured:
    from benchmarks.mppi import measure_speed

    rows = measure_speed(tell)
    columns = {
        "course": lambda row: row.course,
        "rollouts by": lambda row: row.model,
        "plans/s": lambda row: f"{row.rate:.1f}",
        "CPU of a plan [ms]": lambda row: f"{1e3 * row.cpu:.0f}",
        "ends differ by [mm]": lambda row: f"{1e3 * row.differ:.1f}",
    }
    title = "MPPI: 256 rollouts of Absolem, 1 s ahead, all cores"
    return rows, make_table(title, rows, columns, words=2)


def mppi_goals(asked: Asked) -> Measured:
    from benchmarks.mppi import measure_goals

    rows = list(measure_goals(tell))
    columns = {
        "course": lambda row: row.course,
        "driver": lambda row: row.driver,
        "reached": lambda row: f"{row.reached} of {row.runs}",
        "in [s]": lambda row: optional(None if row.reached == 0 else row.duration),
        "largest tilt [rad]": lambda row: f"{row.tilt:.2f}",
    }
    title = "Absolem, random starts and goals: MPPI by rollouts of a model, and a path follower"
    return rows, make_table(title, rows, columns, words=2, sections=lambda row: row.course)


def page(asked: Asked) -> Measured:
    from benchmarks.page import measure_page

    rows = measure_page()
    columns = {
        "driven": lambda row: row.case,
        "real-time factor [1]": lambda row: f"{row.real_time_factor:.3f}",
        "missed [%]": lambda row: f"{row.missed_percent:.2f}",
        "late [ms]": lambda row: f"{row.worst_lateness_ms:.1f}",
        "frames/s": lambda row: f"{row.frames_per_second:.1f}",
        "server CPU [%]": lambda row: f"{row.server_cpu_percent:.0f}",
    }
    title = "With the page open in a browser without a graphics card, one run"
    return rows, make_table(title, rows, columns)


def idle(asked: Asked) -> Measured:
    from benchmarks.idle import measure_idle

    rows = measure_idle()
    columns = {
        "case": lambda row: row.case,
        "CPU [%]": lambda row: f"{row.cpu_percent:.2f}",
        "memory before [MB]": lambda row: f"{row.memory_before_mb:.1f}",
        "memory after [MB]": lambda row: f"{row.memory_after_mb:.1f}",
    }
    return rows, make_table("The server without a driver", rows, columns)


def recovery(asked: Asked) -> Measured:
    from benchmarks.recovery import kinematic_cases, measure_recovery

    return _recovered(measure_recovery(kinematic_cases()))


def recovery_choice(asked: Asked) -> Measured:
    from benchmarks.recovery import choice_cases, measure_recovery

    rows = measure_recovery(choice_cases())
    columns = {
        "family": lambda row: row.family,
        "pieces": _pieces,
        "robots": lambda row: str(row.robots),
        "recommended": lambda row: ", ".join(
            f"{name or 'none'} {count}"
            for name, count in sorted(row.recommended.items(), key=lambda item: -item[1])
        ),
        "neither the truth nor within its limits": lambda row: str(row.wrong),
    }
    return rows, make_table("What is recommended for random robots", rows, columns, words=2)


def _pieces(row: Any) -> str:
    return (
        f"{row.duration / row.piece:.0f} of {row.piece:g} s"
        if row.piece
        else (f"1 of {row.duration:g} s")
    )


def recovery_simulated(asked: Asked) -> Measured:
    from benchmarks.recovery import measure_recovery, simulated_cases

    return _recovered(measure_recovery(simulated_cases()))


def plan(asked: Asked) -> Measured:
    from benchmarks.plan import DURATION, SEEDS, measure_plans

    seeds = 3 if asked.quick else SEEDS
    rows = measure_plans(seeds)
    columns = {
        "robot": lambda row: row.robot,
        "area [m]": lambda row: row.area,
        "family": lambda row: row.family,
        "parameter": lambda row: row.parameter,
        "predicted": lambda row: f"{row.predicted:.3g}",
        "reached": lambda row: f"{row.reached:.3g}",
        "÷ predicted [1]": lambda row: f"{row.reached / row.predicted:.2f}",
        "at random": lambda row: f"{row.random:.3g}",
        "÷ reached [1]": lambda row: f"{row.random / row.reached:.2f}",
        "true inside [%]": lambda row: f"{100.0 * row.covered:.0f}",
    }
    title = f"Widths of 95 % intervals by drives of {DURATION:g} s, mean of {seeds} random robots"
    return rows, make_table(
        title, rows, columns, words=4, sections=lambda row: (row.robot, row.family)
    )


def _recovered(rows: list[Any]) -> Measured:
    columns = {
        "family": lambda row: row.family,
        "observed": lambda row: row.kind,
        "pieces": _pieces,
        "robots": lambda row: str(row.robots),
        "inside 95 % [%]": lambda row: f"{100.0 * row.coverage:.1f}",
        "worst parameter [%]": lambda row: f"{100.0 * min(row.covered.values()):.0f}",
        "clock off [ms]": lambda row: f"{1e3 * row.largest_offset_error:.1f}",
        "not converged": lambda row: str(row.not_converged),
    }
    title = "Random robots with noise, 5 % gross errors, a gap and another clock"
    return rows, make_table(title, rows, columns, words=3)


def ins(asked: Asked) -> Measured:
    from benchmarks.ins import measure_coverage

    rows = measure_coverage(quick=asked.quick)
    columns = {
        "drives": lambda row: row.drives,
        "quantity": lambda row: row.quantity,
        "turns": lambda row: str(row.turns),
        "not found": lambda row: str(row.not_found),
        "inside 95 % [%]": lambda row: f"{100.0 * row.inside:.1f}",
        "median width [1, m, m/s]": lambda row: f"{row.width:.4f}",
    }
    title = "Slippage ratios from raw INS records, assumed noise: a round trip"
    return rows, make_table(title, rows, columns, words=2, sections=lambda row: row.drives)


def ins_table_5(asked: Asked) -> Measured:
    from benchmarks.ins import measure_table_5

    rows = measure_table_5()
    columns = {
        "run": lambda row: str(row.run),
        "wheel": lambda row: row.wheel,
        "R0 [m]": lambda row: f"{row.radius:.2f}",
        "found [1]": lambda row: f"{row.found:.4f}",
        "from": lambda row: f"{row.low:.4f}",
        "to": lambda row: f"{row.high:.4f}",
        "P2 [1]": lambda row: f"{row.published:.4f}",
        "inside": lambda row: "yes" if row.low <= row.published <= row.high else "no",
    }
    title = "P2's runs on printed circles with printed ratios, one INS record each: a round trip"
    return rows, make_table(title, rows, columns, words=2, sections=lambda row: row.run)


def fuzz(cases: int, seed: int) -> Measured:
    from benchmarks.fuzz import measure_fuzz, worst

    rows = measure_fuzz(cases, seed, tell)
    columns: dict[str, Callable[[Any], str]] = {
        "robot with": lambda row: row.error or row.what,
        "seed, robot": lambda row: f"{row.seed}, {row.robot}",
        "length [m]": lambda row: f"{row.length:.3g}",
        "mass [kg]": lambda row: f"{row.mass:.3g}",
        "finite": lambda row: "yes" if row.finite else "NO",
        "fell through": lambda row: "YES" if row.fell else "no",
        "energy gained ÷ m g length [1]": lambda row: f"{row.gained:.2g}",
        "deepest ÷ length [1]": lambda row: f"{row.deepest:.2g}",
        "at the end [1]": lambda row: f"{row.sunk:.2g}",
        "contacts lost": lambda row: str(row.lost),
    }
    told = sum(row.is_bad for row in rows)
    table = make_table(f"{len(rows)} random cases, {told} told; the worst", worst(rows), columns)
    return rows, table


def soil_fuzz(scenes: int, seed: int) -> Measured:
    from benchmarks.soil_fuzz import measure_soil_fuzz, worst_on_soil

    rows = measure_soil_fuzz(scenes, seed, tell)
    columns: dict[str, Callable[[Any], str]] = {
        "model, robot, ground": lambda row: row.error or row.what,
        "seed, robot": lambda row: f"{row.seed}, {row.robot}",
        "finite": lambda row: "yes" if row.finite else "NO",
        "energy gained ÷ m g length [1]": lambda row: f"{row.gained:.2g}",
        "crept ÷ length [1]": lambda row: f"{row.crept:.2g}",
    }
    told, refused = sum(row.is_bad for row in rows), sum(bool(row.refused) for row in rows)
    title = f"{len(rows)} robots on {scenes} random soils, {told} told, {refused} scenes refused"
    return rows, make_table(f"{title}; the worst", worst_on_soil(rows), columns)


def equality(scenes: int, seed: int) -> Measured:
    from benchmarks.equality import measure_equality

    rows = measure_equality(scenes, seed, tell)
    columns = {
        "run": lambda row: row.run,
        "robots": lambda row: str(row.robots),
        "differ from the lone robot": lambda row: str(row.differ),
        "scenes": lambda row: ", ".join(map(str, row.scenes[:10])),
    }
    return rows, make_table(f"Robots of {scenes} random scenes, bit for bit", rows, columns)


def ardupilot(asked: Asked) -> Measured:
    from benchmarks.ardupilot import measure_lock_step

    rows = measure_lock_step(asked.minutes, tell)
    columns = {
        "network": lambda row: row.case,
        "model": lambda row: row.model,
        "simulated [s]": lambda row: f"{row.simulated:.1f}",
        "frames": lambda row: str(row.frames),
        "lost": lambda row: str(row.lost),
        "twice": lambda row: str(row.copied),
        "out of order": lambda row: str(row.reordered),
        "sent again": lambda row: str(row.resent),
        "restarts": lambda row: str(row.restarts),
        "read backward": lambda row: str(row.backward),
        "clocks apart [µs]": lambda row: f"{row.clock_difference_us:.3f}",
        "squares": lambda row: str(row.squares),
    }
    title = "Lock step with a stand-in for ArduPilot through a bad network"
    return rows, make_table(title, rows, columns, words=2)


USUAL = {
    "planar": planar,
    "contact": contact,
    "pivot": pivot,
    "models": models,
    "packbot": packbot,
    "environments": environments,
}
SECTIONS = {
    **USUAL, "batches": batches, "growth": growth, "compare": compare, "soil": soil,
    "rays": rays, "sensors": sensors, "foxglove": foxglove,
    "rides": rides, "pallet": pallet, "agreement": agreement, "steps": steps, "mppi": mppi,
    "mppi-goals": mppi_goals, "page": page, "idle": idle,
    "recovery": recovery, "recovery-choice": recovery_choice,
    "recovery-simulated": recovery_simulated,
    "ins": ins, "ins-table-5": ins_table_5, "plan": plan, "ardupilot": ardupilot,
}  # fmt: skip
"""All sections; those that are not usual need minutes or a browser."""
RANDOM: dict[str, tuple[Callable[[int, int], Measured], int]] = {
    "fuzz": (fuzz, 10_000),
    "soil-fuzz": (soil_fuzz, 2_000),
    "equality": (equality, 200),
}
"""Sections of random cases or scenes, with how many there are unless `--cases` says it."""
