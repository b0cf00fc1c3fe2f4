"""Claims of P2 that a wrong model would miss, and P2's conclusions that they decide."""

from grouser.papers.p2.predict import mean_error, without_slip
from grouser.papers.p2.tables import WIDTH
from grouser.papers.paper import Claim, Conclusion, Kind, Origin, Sense

MEAN_ERROR, MEAN_ERROR_HALF = 4.0333, 0.68
"""Mean error of R01 in P2's 19 runs, and half of its 90 % interval: a bootstrap over the printed
errors [%]."""
DIRECT_ERROR, DIRECT_ERROR_HALF = 11.0461, 2.35
"""The same of R02 [%]."""
GAIN, GAIN_HALF = 7.0128, 2.07
"""By how much the error of R02 is larger, and half of its 90 % interval [%]."""
WIDE_ERROR, WIDE_ERROR_HALF = 3.8157, 0.91
"""Mean error of R01 in the 11 runs with R0 > 38 m, and half of its 90 % interval [%]."""
GROWTH, GROWTH_HALF = -0.517, 1.37
"""Mean error of R01 at R0 > 38 m minus that at R0 < 32 m, and half of its 90 % interval [%]."""
RATIO, RATIO_SPREAD = 0.6468, 0.0766
"""Median of Ev_t / Ev_a over runs 2 to 26 of Table 5, and the standard deviation of a run [1]."""
SLOPE, SLOPE_HALF = 0.526, 0.031
"""Slope of eq 19, and half of its 90 % interval over runs [1]."""
INTERCEPT, INTERCEPT_HALF = 0.02761, 0.0081
"""Intercept of eq 19, and half of its 90 % interval over runs [m/s]."""
TABLE_2, TABLE_2_HALF = 2.0765, 0.1495
"""Middle and half of the range of all widths of Table 2 [m]."""
OFFSET = 0.3999
"""D of run 13, Table 4 [m]."""
MORE_SLIP, MORE_SLIP_SPREAD = 0.0286, 0.0056
"""Outer slippage ratio of runs 2 and 3 beyond that of runs 4 to 26, and the standard deviation of
a run among those [1]."""
LATERAL, STEADY_LATERAL = 0.1572, 0.0571
"""Largest lateral speed of run 13, and that of its steady turn by eq 3 [m/s]."""
INNER_APART, INNER_OVER_OUTER, SLOWER = 0.0155, 31.0, 0.913
"""Medians over runs 4 to 26 of Table 5: |sl_i1 - sl_i2|, that over |sl_o1 - sl_o2|, and the share
of runs with sl_i1 > sl_i2 [1]."""
COIN_19, COIN_23 = 14.0 / 19.0, 16.0 / 23.0
"""Least share of 19 and of 23 runs that a coin does not reach in 95 of 100 cases [1]."""
NO_SLIP, NO_BIAS_WIDE, NO_BIAS_GROWTH = mean_error(without_slip()), 20.2, 12.05
"""Mean error without slip, of all and of wide runs; growth of the simulated error without a bias
[%]."""

_SIMULATED = "geometry and mass of P2's Table 1, friction 0.8 of dry ground, rim speeds of Table 5"
_REBUILT = "rim speeds are solved out of Table 5's ratios, which contain the measured speed"
_HEIGHT = "height of the centre of mass and width of the tyres are assumed"
_TRIED = (
    "rim speeds of single wheels or of sides, frictions 0.6 to 1, moduli 2.5 to 25 mm (sensitivity "
    "figure); one other reconstruction of rim speeds in an audit; tolerances, and that single "
    "wheels are the main case, were written down after a first run"
)
_SIDES = "right wheels that roll about 1 % further than left ones would explain it: see bias"
_LINEAR = "slip of wheels that skid evenly is proportional to the speed difference; " + _SIDES
_K = f"the length of contact of a tyre, 0.28 of its radius, is assumed; {_HEIGHT}"
_HALVED = "the tolerance is half of the distance to the null, as no scatter is printed"


def make_evidence() -> tuple[Claim, ...]:
    """Return the independent, held-out and calibrated claims."""
    return (*_simulated(), *_held_out(), *_pairs(), *_biased())


def _claim(
    experiment: str, key: str, published: float, unit: str, tolerance: float, where: str, *,
    null: float, null_model: str, sense: Sense = "near", remark: str = "", mark: Origin = "R",
    kind: Kind = Kind.INDEPENDENT, inputs_from: str = _SIMULATED, variants_tried: str = _TRIED,
    assumptions: str = "",
) -> Claim:  # fmt: skip
    return Claim(
        paper="P2", experiment=experiment, key=key, published=published, unit=unit,
        tolerance=tolerance, where=where, sense=sense, mark=mark, remark=remark, kind=kind,
        null=null, null_model=null_model, inputs_from=inputs_from, variants_tried=variants_tried,
        assumptions=assumptions or f"{_REBUILT}; {_HEIGHT}",
    )  # fmt: skip


def _simulated() -> list[Claim]:
    claims = []
    for name, assumed in (("rigid wheels", ""), ("shear law", f"{_REBUILT}; {_K}")):

        def claim(
            key: str, published: float, unit: str, tolerance: float, where: str, null: float,
            null_model: str, remark: str = "", sense: Sense = "near",
            name: str = name, assumed: str = assumed,
        ) -> Claim:  # fmt: skip
            return _claim(
                "simulated", f"{key}, {name}", published, unit, tolerance, where, null=null,
                null_model=null_model, remark=remark, sense=sense, assumptions=assumed,
            )  # fmt: skip

        claims += [
            claim("mean error of the radius", MEAN_ERROR, "%", MEAN_ERROR_HALF, "text on Table 6",
                  NO_SLIP, "wheels without slip",
                  "nothing is fitted here, eq 19 is; " + _SIDES, "at most"),
            claim("share of runs nearer than no slip", 1.0, "1", 1.0 - COIN_19, "Table 6", 0.5,
                  "a coin", sense="at least"),
            claim("true over apparent difference", RATIO, "1", RATIO_SPREAD, "Table 5, median",
                  1.0, "wheels without slip"),
            claim("slope of eq 19", SLOPE, "1", SLOPE_HALF, "eq 19", 1.0, "wheels without slip",
                  _LINEAR),
            claim("intercept of eq 19", INTERCEPT, "m/s", INTERCEPT_HALF, "eq 19", 0.0,
                  "wheels without slip", _LINEAR),
            claim("apparent width", TABLE_2, "m", TABLE_2_HALF, "Table 2", WIDTH,
                  "wheels without slip", _SIDES),
            claim("D of run 13", OFFSET, "m", 0.5 * OFFSET, "Table 4", 0.0,
                  "a turning centre beside the centre of gravity",
                  f"softer tyres slide further sideways; {_HALVED}"),
            claim("outer slippage at R0 < 20 m beyond that of others", MORE_SLIP, "1",
                  MORE_SLIP_SPREAD, "Table 5", 0.0, "slippage that does not depend on the radius",
                  "rigid inner wheels of different speeds brake each other and push the vehicle "
                  "back; tyres with a length of contact do so less"),
            claim("largest lateral speed of run 13", LATERAL, "m/s",
                  0.5 * (LATERAL - STEADY_LATERAL), "text on Fig 10", STEADY_LATERAL,
                  "the lateral speed of the steady turn",
                  f"simulated turns begin without a jolt: motors follow at 3 m/s²; {_HALVED}"),
        ]  # fmt: skip
    return claims


def _held_out() -> list[Claim]:
    fitted = "fits of eqs 19 and 20 to all runs of Table 5 but the first and the predicted one"
    rows = (
        ("mean error of eq 19, leave one out", MEAN_ERROR, MEAN_ERROR_HALF, NO_SLIP,
         "wheels without slip"),
        ("mean error of eq 20, leave one out", DIRECT_ERROR, DIRECT_ERROR_HALF, NO_SLIP,
         "wheels without slip"),
        ("error of eq 20 beyond that of eq 19, leave one out", GAIN, GAIN_HALF, 0.0,
         "two ways that predict equally well"),
    )  # fmt: skip
    return [
        _claim("left-out", key, published, "%", half, "text on Table 6", null=null,
               null_model=model, kind=Kind.HELD_OUT, inputs_from=fitted, variants_tried="",
               assumptions=_REBUILT)
        for key, published, half, null, model in rows
    ]  # fmt: skip


def _pairs() -> list[Claim]:
    alike = "wheels of both sides are alike, so what parts the inner pair parts the outer one"
    tried = (
        "held speeds, motors of two droops, torque shared by the inner side only, and all of them "
        "with shear moduli of 2.5 and 10 mm; tolerances were written down after a first run"
    )
    table = "Table 5, runs 4 to 26"

    def claim(
        key: str, published: float, unit: str, tolerance: float, null: float, null_model: str,
        remark: str = "", where: str = table, sense: Sense = "near",
    ) -> Claim:  # fmt: skip
        return _claim(
            "shared-torque", key, published, unit, tolerance, where, null=null, remark=remark,
            null_model=null_model, sense=sense, variants_tried=tried,
        )  # fmt: skip

    return [
        claim("difference of sl_i1 and sl_i2, shared torque", INNER_APART, "1", 0.5 * INNER_APART,
              0.0, "wheels of a side held at one speed", _HALVED),
        claim("difference of sl_i1 and sl_i2, shared torque, shear law", INNER_APART, "1",
              0.5 * INNER_APART, 0.0, "wheels of a side held at one speed",
              f"forces of compliant tyres grow with slip, so a small difference of rim speeds "
              f"evens torques out; {_HALVED}"),
        claim("inner over outer difference, shared torque", INNER_OVER_OUTER, "1",
              0.5 * INNER_OVER_OUTER, 1.0, "pairs that differ alike", alike, sense="at least"),
        claim("share of runs with a slower inner rear wheel, shared torque", SLOWER, "1",
              SLOWER - COIN_23, 0.5, "a coin", sense="at least"),
        claim("the inner rear wheel of run 13 dips, shared torque", 1.0, "yes/no", 0.0, 0.0,
              "wheels of a side held at one speed",
              "wheels of the model have no inertia and motors no dynamics of their own",
              "text on Figs 7 and 12"),
    ]  # fmt: skip


def _biased() -> list[Claim]:
    fitted = "as simulated, and one bias of the sides fitted to the 8 runs with R0 < 32 m"
    tried = (
        "a bias of 1 % to either side by both models, rim speeds of single wheels and of sides, "
        "and closed forms with 0.5, 1.2 and 1.5 %, all on all runs, before the held-out split (at "
        "the radii of an audit) was made"
    )
    moved = "P2 mentions errors of assembly, but no difference between the sides"
    return [
        _claim("bias", "intercept of eq 19, bias of 1 %", INTERCEPT, "m/s", INTERCEPT_HALF,
               "eq 19", null=0.0, null_model="wheels without slip", kind=Kind.CALIBRATED,
               variants_tried=tried, assumptions=moved),
        _claim("bias", "slope of eq 19, bias of 1 %", SLOPE, "1", SLOPE_HALF, "eq 19", null=1.0,
               null_model="wheels without slip", kind=Kind.CALIBRATED, variants_tried=tried,
               assumptions=moved,
               remark="a bias moves the line and does not tilt it; the two tightest turns, which "
               "set the slope, slip more in P2 than here"),
        _claim("bias", "mean error of wide turns, bias of tight turns", WIDE_ERROR, "%",
               WIDE_ERROR_HALF, "Table 6, runs with R0 > 38 m", null=NO_BIAS_WIDE,
               null_model="the same simulation without a bias", sense="at most",
               kind=Kind.HELD_OUT, inputs_from=fitted, variants_tried=tried, assumptions=moved),
        _claim("bias", "growth of the error, bias of tight turns", GROWTH, "%", GROWTH_HALF,
               "Table 6, R0 > 38 m less R0 < 32 m", null=NO_BIAS_GROWTH,
               null_model="the same simulation without a bias", kind=Kind.HELD_OUT,
               inputs_from=fitted, variants_tried=tried, assumptions=moved),
        _claim("bias", "apparent width, bias of tight turns", TABLE_2, "m", TABLE_2_HALF,
               "Table 2", null=WIDTH, null_model="wheels without slip", kind=Kind.HELD_OUT,
               inputs_from=fitted, variants_tried=tried,
               assumptions=f"{moved}; the turns of Fig 5 are taken to be like those of Table 5"),
    ]  # fmt: skip


CONCLUSIONS = (
    Conclusion(
        words="Wheels slip in turns: their speeds suggest a much wider vehicle than it is.",
        where="text on Table 2, Conclusion",
        claims=(
            "true over apparent difference, rigid wheels",
            "true over apparent difference, shear law",
            "share of runs nearer than no slip, rigid wheels",
            "share of runs nearer than no slip, shear law",
            "apparent width, rigid wheels",
            "apparent width, shear law",
        ),
        comment="Geometry alone gives the slip, and a width of 2.5 m where Table 2 has 1.93 to "
        "2.23 m.",
    ),
    Conclusion(
        words="The speed difference of the paths is a line over that of the wheels, with an "
        "intercept (eq 19).",
        where="text on Fig 13",
        claims=tuple(
            f"{what} of eq 19, {name}"
            for what in ("slope", "intercept")
            for name in ("rigid wheels", "shear law")
        ),
        comment="Simulated turns are a line through the origin. Right wheels that roll 1 % further "
        "than left ones would explain P2's intercept; compliant tyres do not.",
    ),
    Conclusion(
        words="Four wheel speeds give the radius of a turn, to about 4 %.",
        where="text on Table 6, Conclusion",
        claims=("mean error of eq 19, leave one out",),
        comment="It holds out of sample. A simulation with one bias, found from tight turns, is as "
        "near in wide ones.",
    ),
    Conclusion(
        words="The geometric model predicts the radius better than a direct fit of it.",
        where="text on Table 6, Conclusion",
        claims=("error of eq 20 beyond that of eq 19, leave one out",),
    ),
    Conclusion(
        words="Outer wheels slip alike, inner ones do not: the rear one is slower, and dips as the "
        "turn begins.",
        where="text on Figs 7, 9, 10 and 12",
        claims=(
            "difference of sl_i1 and sl_i2, shared torque",
            "difference of sl_i1 and sl_i2, shared torque, shear law",
            "share of runs with a slower inner rear wheel, shared torque",
            "inner over outer difference, shared torque",
            "the inner rear wheel of run 13 dips, shared torque",
            "largest lateral speed of run 13, rigid wheels",
        ),
        comment="Rigid wheels of a side that share its torque differ by as much as P2's inner "
        "pair, but so does the outer pair; with the shear law, or held at one speed, neither does.",
    ),
    Conclusion(
        words="Below a radius of 20 m wheels slip much more.",
        where="text on Fig 12",
        claims=tuple(
            f"outer slippage at R0 < 20 m beyond that of others, {name}"
            for name in ("rigid wheels", "shear law")
        ),
        comment="Rigid wheels show it in the inner pair; those with the shear law in both.",
    ),
    Conclusion(
        words="The turning centre lies ahead of the centre of gravity, so little that front and "
        "rear wheels follow one path.",
        where="text on Table 4",
        claims=("D of run 13, rigid wheels", "D of run 13, shear law"),
        comment="Rigid wheels give 0.36 m for P2's 0.40 m; softer tyres move it further ahead.",
    ),
    Conclusion(
        words="The method extends to high speeds.",
        where="Conclusion",
        untestable="No turn faster than 5.6 m/s was published.",
    ),
)
"""What P2 concludes."""
