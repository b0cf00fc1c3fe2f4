"""`grouser tune`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.contest import References, ScenarioNames
from grouser.cli.options import Cluster, Json, Seed, Workers

EntrantName = Annotated[
    str,
    Parameter(
        metavar="NAME",
        help="One of P1's models: csm, 4wheels, 8wheels, no_friction, plates10, plates2, "
        "plates10g, plates2g.",
    ),
]
MethodName = Annotated[
    str,
    Parameter(
        metavar="NAME",
        help="p1, the search of P1; cem, the cross-entropy method; cma, covariance matrix "
        "adaptation.",
    ),
]
Iterations = Annotated[int, Parameter(metavar="NUMBER", help="Rounds of samples; P1 took 5.")]
Samples = Annotated[int, Parameter(metavar="NUMBER", help="Samples in a round; P1 took 5.")]
Trials = Annotated[
    int, Parameter(metavar="NUMBER", help="Runs of each scenario for a sample; P1 took 3.")
]
AnswerFile = Annotated[
    Path | None,
    Parameter(
        metavar="FILE",
        help="Where answers are kept as they come; out/p1/tune-ENTRANT.json if not given.",
    ),
]


def tune(
    *,
    entrant: EntrantName = "csm",
    method: MethodName = "p1",
    iterations: Iterations = 5,
    samples: Samples = 5,
    trials: Trials = 3,
    scenarios: ScenarioNames = (),
    references: References = None,
    seed: Seed = 0,
    out: AnswerFile = None,
    workers: Workers = None,
    cluster: Cluster = None,
    as_json: Json = False,
) -> int:
    """Search gains, efficiency and friction of one of P1's models, as P1 did or better.

    What is known is kept: after an interrupt, the same command goes on.
    """
    from grouser import tasks
    from grouser.cli.report_search import report_search

    return report_search(
        entrant,
        method,
        (iterations, samples, trials),
        scenarios,
        references,
        seed=seed,
        out=out,
        workers=tasks.Workers(count=workers, cluster=cluster),
        as_json=as_json,
    )
