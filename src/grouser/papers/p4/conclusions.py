"""What P4 concludes, and by which claims it is decided."""

from grouser.papers.p4.failures import name_slip
from grouser.papers.p4.highest_step import name_highest
from grouser.papers.p4.outcomes import NEED_GROUSERS, name_need, name_step
from grouser.papers.p4.rivals import CARRIES, CLIMBS_WALL, STICKS, STICKS_SMOOTH
from grouser.papers.p4.speed import COST, name_ratio, ranks
from grouser.papers.p4.tables import read_brackets, read_steps
from grouser.papers.paper import Conclusion

CONCLUSIONS = (
    Conclusion(
        words="Tracks with grousers are simulated faster than real time.",
        where="abstract, section IV.A, conclusion",
        claims=("factor of segments with grousers, at least 1",),
        comment="Some hundred times on one core of a computer of today.",
    ),
    Conclusion(
        words="The method is about as fast as others: slower than four wheels and constraint to "
        "ground, faster than 13 wheels.",
        where="abstract, Table II",
        claims=tuple(name_ratio(*pair) for pair in ranks()),
        comment="Where belts need no joints, smooth belts, constraint to ground and four wheels "
        "cost the same, and 13 wheels less than the search for grousers. Without grousers the "
        "method is three times as fast as 13 wheels.",
    ),
    Conclusion(
        words="With grousers a step takes two fifths longer than without.",
        where="Table II",
        claims=(COST,),
        comment="Here the rest of a step is cheap, so that grousers make it four times as dear.",
    ),
    Conclusion(
        words="The simulated Quince climbs the steps that the real one climbs, and no others.",
        where="section IV.B, Table IV, conclusion",
        claims=(
            *(name_step(step.angle_deg, step.height_mm) for step in read_steps()),
            *(name_highest(angle) for angle in read_brackets()),
        ),
        comment="Rigid grousers at exactly 0° hook up to 114.5 mm, so 120 mm is not climbed. "
        "Sub-tracks higher by 2°, grousers of 22 mm, hinges that give by 2° per 10 N m or "
        "grousers softer than any track's rubber would climb it and still fail at 190 mm; P4 "
        "states none of them.",
    ),
    Conclusion(
        words="Steps somewhat above the front pulleys' centre are climbed because of grousers.",
        where="section IV.B",
        claims=tuple(name_need(*step) for step in NEED_GROUSERS),
        comment="At 240 mm and 45° it is so; at 120 mm and 0° ours fails with grousers, too.",
    ),
    Conclusion(
        words="Where it fails, belts slip on the riser and on the floor.",
        where="section IV.B",
        claims=tuple(
            name_slip(step.angle_deg, step.height_mm, place)
            for step in read_steps()
            if not step.is_climbed
            for place in ("riser", "floor")
        ),
    ),
    Conclusion(
        words="Wheels in place of a track stick on a bump between two of them.",
        where="section II.A",
        claims=(STICKS, STICKS_SMOOTH),
        comment="Four wheels stop at bumps of 40 mm, a smooth belt crosses 60 mm, one with "
        "grousers 100 mm.",
    ),
    Conclusion(
        words="A track by constraints to the ground climbs a wall almost without friction.",
        where="section II.C, Fig. 3",
        claims=(CLIMBS_WALL,),
        comment="Not ours: contact surface motion keeps Coulomb's limit, as P1's does.",
    ),
    Conclusion(
        words="The same method simulates conveyors.",
        where="section V",
        claims=(CARRIES,),
    ),
    Conclusion(
        words="The simulated motion is close to the precise motion of the real robot.",
        where="abstract, conclusion",
        untestable="P4 prints whether steps were climbed, and no motion of the real robot",
    ),
)
"""P4's conclusions."""
