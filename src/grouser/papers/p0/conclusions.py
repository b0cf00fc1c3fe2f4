"""What P0 concludes, in our words, and the claims that decide it."""

from grouser.papers.p0.experiments import ENDS_IN_3D, TITLES
from grouser.papers.paper import Conclusion

CONCLUSIONS: tuple[Conclusion, ...] = (
    Conclusion(
        words="An obstacle of 37 mm and a ramp of 28° are crossed on the U of course 3.",
        where="section 3.3, course 3",
        claims=tuple(
            f"{what} in 3D, csm"
            for what in (
                "reaches the goal of course 3",
                "height on the obstacle",
                "angle on the ramp",
            )
        ),
        comment="With friction 0.8, from a table: statics needs 0.76 to lift the nose and 0.79 to "
        "tip over, and so does the simulation if it is slow; with 0.72 the robot stays before the "
        "obstacle. P0's climb was virtual and had no friction. Four wheels in place of each belt "
        "hang on the edge.",
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
        comment="A tread that yields before it grips gives a rise that a line describes, though it "
        "bends upwards near the friction's limit. P0's own points are lost, and its slip of 0.1 on "
        "the level does not come from a slope's force: such a tread has none there.",
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
        comment="With one wheelbase, wide turns, turns to the other side and turns on the spot "
        "have the ratios of driving straight within 0.016 (median), less than P0's tracks differ.",
    ),
    Conclusion(
        words="Kinematics with slip compensation predict where the robot goes.",
        where="sections 3.2 to 4",
        claims=tuple(
            f"share of robots better predicted with slip, {title}" for title in TITLES.values()
        ),
        comment="On all five held-out courses, for all of 32 robots, also against odometry that "
        "knows the wheelbase but no slip ratios. Slip on the level is an error of the encoders "
        "there.",
    ),
    Conclusion(
        words="Straight lines and wide curves are predicted better than sharp turns.",
        where="section 3.2, text on course 1",
        claims=("share of robots whose sharp turns are worst",),
        comment="Slip alone does not make sharp turns worse: 2.1 cm, as wide curves (2.5 cm) and "
        "straight lines (1.7 cm); P0 has 8.6, 1.2 and 1.6 cm. Of robots carried by the ends of "
        "their tracks 58 % have it.",
    ),
    Conclusion(
        words="Course 2 is followed better than course 3, where the model falls behind the robot.",
        where="section 3.3, Table 5 and the text below it",
        claims=(
            "share of robots that follow course 2 better than course 3",
            "share of robots ahead of the model on course 3",
        ),
        comment="Part of it lies in the set-up: the virtual robot climbs while the real one drives "
        "on. The final error is 9 cm (5 to 21), P0's 34 cm.",
    ),
    Conclusion(
        words="After the sharp turn of course 2 the model underestimates the distance travelled.",
        where="section 3.3, text on Figs 17 and 18",
        claims=(
            "share of robots ahead of the model after course 2's sharp turn",
            "distance by which the model falls behind after course 2's sharp turn",
        ),
        comment="So for five robots of six, but by 1 mm: P0 calls its own deviation significant.",
    ),
    Conclusion(
        words="A board in the loop drives course 3 with a final error of at most 34 cm.",
        where="section 3.3, text on course 3",
        claims=tuple(
            f"median of the final position errors, {words}" for words in ENDS_IN_3D.values()
        ),
        comment="Where the slip of each robot was identified before. With tracks that slip 20 % "
        "more and less than was identified it is 87 cm, as nothing in P0's loop measures the "
        "heading; with a gyroscope it is 8 cm.",
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
