"""What P0 concludes, in our words, and the claims that decide it."""

from grouser.papers.p0.experiments import TITLES
from grouser.papers.paper import Conclusion

CONCLUSIONS: tuple[Conclusion, ...] = (
    Conclusion(
        words="An obstacle of 37 mm and a ramp of 28° are crossed on the U of course 3.",
        where="section 3.3, course 3",
        claims=tuple(
            f"{what} in 3D, {model}"
            for model in ("csm", "segments")
            for what in (
                "reaches the goal of course 3",
                "height on the obstacle",
                "angle on the ramp",
            )
        ),
    ),
    Conclusion(
        words="Slip rises about linearly with slope between 8 and 28°, so that a line serves.",
        where="section 3.1, Fig. 11",
        claims=(
            "share of robots whose slip rises from 8 to 28 degrees",
            "share of the variance of slip that a line over the slope explains",
            "error of a line on slopes held out, over that of constant slip",
            "error of a line from two slopes on others, over that of constant slip",
        ),
    ),
    Conclusion(
        words="A robot turns like a wider one: its equivalent wheelbase is 27.42 cm.",
        where="section 3.1, eq 7 and Table 2",
        claims=(
            "equivalent wheelbase, carried by the ends of its tracks",
            "equivalent wheelbase, carried by its whole belts",
        ),
        comment="It is 28.1 cm if the end wheels carry the robot, as eq 7 assumes, and 19.3 cm if "
        "the whole belts do: P0's value belongs to tracks that are loaded at their ends.",
    ),
    Conclusion(
        words="Slip ratios are the same when driving straight and when turning.",
        where="section 3.1, Table 3",
        claims=("slip ratios of other turns less those of driving straight",),
    ),
    Conclusion(
        words="Kinematics with slip compensation predict where the robot goes.",
        where="sections 3.2 to 4",
        claims=tuple(
            f"share of robots better predicted with slip, {title}" for title in TITLES.values()
        ),
    ),
    Conclusion(
        words="Straight lines and wide curves are predicted better than sharp turns.",
        where="section 3.2, text on course 1",
        claims=("share of robots whose sharp turns are worst",),
    ),
    Conclusion(
        words="Course 2 is followed better than course 3, where the model falls behind the robot.",
        where="section 3.3, Table 5 and the text below it",
        claims=(
            "share of robots that follow course 2 better than course 3",
            "share of robots ahead of the model on course 3",
        ),
    ),
    Conclusion(
        words="After the sharp turn of course 2 the model underestimates the distance travelled.",
        where="section 3.3, text on Figs 17 and 18",
        claims=("share of robots ahead of the model after course 2's sharp turn",),
    ),
    Conclusion(
        words="The yaw angle stays near the true one on courses 2 and 3.",
        where="section 3.3, text above Table 5",
        claims=(
            "rms yaw error of robots in 3D, course 2",
            "rms yaw error of robots in 3D, course 3",
        ),
    ),
    Conclusion(
        words="Errors are no larger than those of simulations in Simulink.",
        where="section 3.3, discussion",
        untestable="P0 compares with numbers of other papers on other robots, and the unit of its "
        "own is lost.",
    ),
)
"""Conclusions of P0."""
