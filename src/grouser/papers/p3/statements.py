"""P3's statements that can be tested without its trajectories, as claims.

A share is of a population: of motor maps that were kept by P3's frequencies (`motor_maps`), or of
robots that differ from the model in everything (`stand_ins`). A statement agrees if it holds for
most of it, `shares.MOST`. Settings and limits were written down before the first run.
"""

from collections.abc import Mapping
from typing import Any

from grouser.papers.p3.shares import MOST
from grouser.papers.paper import Claim, Kind, Sense

MAPS = (
    "Tables 1 to 3 and text; motor maps drawn from stated ranges and kept by 1 Hz and 0.3 Hz alone"
)
"""Source of the inputs of what is said about maps."""
ROBOTS = f"{MAPS}; robots that differ from them by stated widths"
"""Source of the inputs of what is said about robots."""
ASSUMED = "motor maps, inertia and periods of the references are lost, and drawn or assumed"
"""What is assumed for all of them."""
TRIED = (
    "41 configurations were tried earlier, for rows of Table 4: 9 kinds of stand-ins, 16 of torque "
    "limits, roll and one twin, 16 motor maps; the widths are theirs, the maps are new"
)
"""What was tried before the populations were stated."""
AFTERWARDS = "; this claim was added when the shares of all hypotheses were known"
"""What is said of a claim that is not as old as the settings."""
NOTHING = "nothing with these settings; the sign was known for the usual map"
"""What was known before of statements that hold or not for the map of the Tankbot's file."""
ALL = "robots differ in all"
"""The population that decides on Table 4: it is not known what P3's robot had different."""

OF_TABLE_4: Mapping[str, tuple[Sense, float, float, float, str, str]] = {
    f"step-x is worst along, {ALL}": (
        "near", 1.0, 1.0 - MOST, 1 / 7, "any of seven manoeuvres",
        "errors of ours in steps along are at most 0.4 of P3's, for every hypothesis: what its "
        "robot did there is in none of them",
    ),
    f"pitched is worst across, {ALL}": (
        "near", 1.0, 1.0 - MOST, 1 / 7, "any of seven manoeuvres",
        "for half of the robots steps on rolled ground have the largest errors; P3's do not",
    ),
    f"rows with step-x or pitched worst, {ALL}": (
        "near", 17 / 18, 17 / 18 - MOST, 2 / 7, "any two of seven manoeuvres",
        "for half of the robots steps on rolled ground have the largest errors; P3's do not",
    ),
    "more by the longitudinal curve than by the lateral": (
        "near", 1.0, 1.0 - MOST, 0.5, "a coin",
        "the lateral curve makes these errors as well",
    ),
    "more by the longitudinal curve than by any other": (
        "near", 1.0, 1.0 - MOST, 1 / 6, "any of six differences",
        "dead zones, motors or inertia make P3's order as well",
    ),
    f"share of the error along the belt, {ALL}": (
        "at least", 0.697, 0.04, 0.5, "errors alike in all directions",
        "ours lie across as much as along",
    ),
}  # fmt: skip
"""Sense, published value, tolerance, null, its model and why ours may differ, by key.

0.697 is the share of the squares of Table 4's rms errors of x, against y; its last digits allow
0.656 to 0.735.
"""


def make_table_4_claims() -> list[Claim]:
    """Return what P3 says of Table 4, for robots that differ from the model in everything."""
    return [
        Claim(
            paper="P3", experiment="stand-ins", key=key, published=published, unit="1",
            tolerance=tolerance, where="Table 4 and its text", sense=sense, mark="R",
            kind=Kind.INDEPENDENT, null=null, null_model=null_model, inputs_from=ROBOTS,
            variants_tried=f"{TRIED}{AFTERWARDS if 'any other' in key else ''}",
            assumptions=ASSUMED, remark=remark,
        )
        for key, (sense, published, tolerance, null, null_model, remark) in OF_TABLE_4.items()
    ]  # fmt: skip


def _held_out(key: str, where: str, null: float, null_model: str, **others: Any) -> Claim:
    usual: dict[str, Any] = {
        "published": 1.0, "tolerance": 1.0 - MOST, "unit": "1", "mark": "R",
        "kind": Kind.HELD_OUT, "inputs_from": MAPS, "variants_tried": NOTHING,
        "assumptions": ASSUMED, "experiment": "maps",
    }  # fmt: skip
    return Claim(
        paper="P3", key=key, where=where, null=null, null_model=null_model, **usual | others
    )


def make_map_claims() -> list[Claim]:
    """Return what P3 says of motions, slips and forces, over motor maps."""
    return [*_motion_claims(), *_slip_claims(), *_error_claims()]


def _motion_claims() -> list[Claim]:
    at_most: Sense = "at most"
    return [
        _held_out(
            "steps along overshoot more than steps across", "text on Figs 13 and 14", 0.5, "a coin",
            remark="which axis overshoots more depends on the motor map, which is lost",
        ),
        _held_out(
            "steps uphill overshoot most of those across", "section 6.4", 1 / 3,
            "any of level, pitched and rolled",
            assumptions="very high oscillations on a hill are read as the largest overshoot",
            remark="the largest overshoot is on other ground",
        ),
        _held_out(
            "x over y in steps across", "text on Figs 13 to 15", 1.0, "x moves as far as y",
            published=0.25, tolerance=0.0, sense=at_most,
            assumptions="small is read as at most a quarter of the motion across",
            remark="headings of 58 degrees slow ours down along the belt more than P3's robot",
        ),
        _held_out(
            "x over y in sines across", "text on Figs 11 and 12", 1.0, "x moves as far as y",
            published=0.1, tolerance=0.0, sense=at_most,
            assumptions="very little is read as at most a tenth of the motion across",
            remark="turning slows ours down along the belt",
        ),
        _held_out(
            "lost with simpler controllers", "section 5", 0.5, "a coin",
            assumptions="P3's gains, with some of them zero; P3 tried others, too, and PID",
            remark="with the heading alone ours drifts by millimetres per second, and P control "
            "of y and heading holds half of the maps",
        ),
    ]  # fmt: skip


def _slip_claims() -> list[Claim]:
    return [
        _held_out(
            "mean slip over the peak's, uphill", "text on Fig 19", 0.06,
            "a steady climb, of 16 N", tolerance=0.5,
            assumptions="shifted to the peak is read as nearer to the peak than to the origin",
            remark="the weight needs 6 % of the peak's slip; tracks that brake in turns pull the "
            "mean back",
        ),
        _held_out(
            "more slip along than across", "text on Figs 18 and 19", 0.5, "a coin",
            assumptions="root mean squares over the slips of the largest forces, in all four",
            remark="a sine slips by 0.1 % of the peak along and 0.3 % across; the three steps slip "
            "fifty times as far along as across",
        ),
        _held_out(
            "the friction ellipse clips when rolled", "Fig 7 and its text", 0.0,
            "forces that never meet their limit",
            remark="motor maps that move at P3's frequencies mostly stop short of the ellipse",
        ),
    ]  # fmt: skip


def _error_claims() -> list[Claim]:
    return [
        _held_out(
            "printed errors go with slip along", "section 6.4 and conclusions", 0.0,
            "an order by chance", published=0.714, tolerance=0.0, sense="at least",
            assumptions="0.714 is the 5 % limit of Spearman's correlation of seven manoeuvres; "
            "errors by mean rank over the 18 rows of Table 4",
            remark="the order of our slips is not that of P3's errors",
        ),
        _held_out(
            "printed errors are smaller than the motion", "text on Figs 11 to 17", 0.0,
            "a model that never moves",
            assumptions="rms errors of Table 4 against standard deviations of ours, of 26 states "
            "that the manoeuvres move",
            remark="P3's errors are as large as our motions",
        ),
    ]  # fmt: skip


def make_hill_claims() -> list[Claim]:
    """Return what P3 saw in the field."""
    return [
        _held_out(
            f"steeper indirectly than directly {where}", "section 6.4", 0.5, "a coin",
            experiment="hills", kind=Kind.INDEPENDENT, inputs_from=ROBOTS,
            variants_tried="none", assumptions=assumed, remark=remark,
        )
        for where, assumed, remark in (
            (
                "from rest",
                "full voltage from rest, 45 degrees to the fall line; P3 does not say how",
                "the lateral force does not help enough",
            ),
            (
                "on the treadmill",
                "closed loop from level cruise, steps across, 45 degrees to the fall line",
                "its tracks are before the peak, and there the ellipse holds less at 45 degrees",
            ),
        )
    ]  # fmt: skip
