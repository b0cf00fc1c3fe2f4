"""What P1 concludes, and which of our numbers decide it."""

from grouser.papers.p1.experiments import (
    FASTER,
    LONG_PLATES,
    SHORT_PLATES,
    name_cost,
    name_crossing,
    name_turn,
)
from grouser.papers.p1.ranks import name_rank
from grouser.papers.p1.tables import ABSOLUTE_ROWS
from grouser.papers.paper import Conclusion

TEXT = "section V.C"

CONCLUSIONS = (
    Conclusion(
        words="No parameters of csm suit both rotate and circular: tuned to rotate, it turns too "
        "fast on the circle, which wheels do not.",
        where=TEXT,
        claims=(name_turn("csm"), name_turn("csm, random parameters"), name_turn("4wheels")),
        comment="It comes with P1's law that friction acts along circles about a centre of "
        "rotation: csm with Coulomb friction suits both. Compared with the command, as recordings "
        "of the real robot are lost.",
    ),
    Conclusion(
        words="csm and no_friction traverse the pallet without problems; wheels stop at its edge.",
        where=TEXT,
        claims=(
            name_crossing("csm"),
            name_crossing("no_friction"),
            "4wheels crosses the pallet less often than csm",
            "8wheels crosses the pallet less often than csm",
        ),
        comment="On our engine 8 wheels stop below friction 2.0, while 4 large wheels climb the "
        "edge more easily than a belt; in MuJoCo, whose friction is soft as P1's, both stop.",
    ),
    Conclusion(
        words="Wheels slip where they should stand on the stairs, and csm does not.",
        where=TEXT,
        claims=(
            "Stand on st. d_st, csm",
            "4wheels needs more friction to stand than csm",
            "8wheels needs more friction to stand than csm",
        ),
        comment="With exact friction wheels stand from 0.4 on and csm from 0.6; in MuJoCo 8 wheels "
        "slide even at 2.0, so that it is the engine that slips.",
    ),
    Conclusion(
        words="The model without friction slides down the stairs.",
        where=TEXT,
        claims=("no_friction slides on the stairs",),
        comment="It slides farther than P1's, 0.28 for 0.2 m; how far is the gain of the virtual "
        "force, which P1 does not print.",
    ),
    Conclusion(
        words="Plates are slower than all other models by one or two orders of magnitude.",
        where=TEXT,
        claims=tuple(name_cost(name) for name in (*LONG_PLATES, *SHORT_PLATES)),
        comment="Within MuJoCo, at one step for all; our own engine computes csm five times as "
        "fast as MuJoCo does.",
    ),
    Conclusion(
        words="csm is the second fastest model, after the one without friction.",
        where=TEXT,
        claims=tuple(f"{faster} is faster than {slower}" for faster, slower in FASTER),
        comment="The order on our own engine; in MuJoCo the virtual force is a program in Python, "
        "and cannot be compared.",
    ),
    Conclusion(
        words="Without grousers, plates often fail to climb the pallet.",
        where=TEXT,
        claims=(
            "plates10 crosses the pallet less often than plates10g",
            "plates2 crosses the pallet less often than plates2g",
        ),
        comment="Over frictions of 0.6, 1.2 and 2.0; with 0.6 none crosses without grousers, and "
        "with them 10 cm ones do from two of three starts and 2 cm ones from the only one.",
    ),
    Conclusion(
        words="The eight models rank as in Table I.",
        where="Table I",
        claims=tuple(name_rank(*row) for row in ABSOLUTE_ROWS),
        comment="Straight comes near (0.63 of 0.64); elsewhere our numbers are a few centimetres "
        "for all models, and what P1 ranks is drift and creep of its simulator.",
    ),
    Conclusion(
        words="Plates of 10 cm are too rough: the robot moves in bumps.",
        where=TEXT,
        claims=("10 cm plates are bumpy, 2 cm plates are not",),
        comment="Ours lie flat on the ground below a solid guide and rise and fall by 0.1 mm/s, as "
        "those of 2 cm do; only the speed of the belt swings, by 5 %.",
    ),
    Conclusion(
        words="Plates can describe deformable tracks.",
        where="Table II",
        untestable="no deformable track was built: our plates run on a solid guide, as P1's do",
    ),
    Conclusion(
        words="csm follows the real robot on ramp, stairs, pallet and circle nearly as well as any "
        "other model.",
        where="Table I, sums",
        untestable="recordings of the real robot are lost",
    ),
)
"""P1's conclusions."""
