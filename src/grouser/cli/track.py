"""`grouser track`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import Json, Overwrite, RigName, Seed

Source = Annotated[
    str,
    Parameter(
        name="FILM", help="Video file, folder of pictures, or camera:N for a camera, as camera:0."
    ),
]
TrackFile = Annotated[
    Path | None,
    Parameter(
        name="--out",
        metavar="FILE",
        help="Log to write, .csv, .parquet or .mcap; out/track.csv if not given.",
    ),
]
DriveLog = Annotated[
    Path | None,
    Parameter(
        name="--log",
        metavar="FILE",
        help="Log of the same drive: from its belt speeds the slip is found, and its poses, if it "
        "has any, are compared with the track.",
    ),
]
Grid = Annotated[
    bool,
    Parameter(
        help="Whether to calibrate the camera from the grid on the floor; --no-grid takes it "
        "exactly where the rig has it."
    ),
]
Space = Annotated[
    bool,
    Parameter(
        name="--space",
        negative="",
        show_default=False,
        help="Find height, roll and pitch, too: for robots that climb. Less exact by far.",
    ),
]
Noise = Annotated[
    float,
    Parameter(
        name="--noise",
        metavar="PIXELS",
        help="Noise to add to each corner of a marker: its standard deviation [pixels].",
    ),
]
Seconds = Annotated[
    float | None,
    Parameter(
        name="--for",
        metavar="SECONDS",
        help="End after so much time of the film [s]; at its end, or at Ctrl-C, if not given.",
    ),
]
Rate = Annotated[
    float | None,
    Parameter(
        name="--rate",
        metavar="HZ",
        help="Pictures per second [1/s] of a folder that does not tell their times; the rig's if "
        "not given.",
    ),
]


def track(
    source: Source,
    /,
    *,
    rig: RigName = None,
    out: TrackFile = None,
    overwrite: Overwrite = False,
    log: DriveLog = None,
    grid: Grid = True,
    space: Space = False,
    noise: Noise = 0.0,
    seed: Seed = 0,
    seconds: Seconds = None,
    rate: Rate = None,
    as_json: Json = False,
) -> int:
    """Find a robot in a film by its markers: where it was in each picture, as a log."""
    from grouser.cli.check_suffix import LOGS
    from grouser.cli.output import claim_output
    from grouser.cli.track_source import TrackJob, track_source

    usual = Path("out/track.csv")
    output = claim_output("--out", out, usual, overwrite=overwrite, suffixes=LOGS)
    job = TrackJob(
        source=source, rig=rig, out=output, log=log, uses_grid=grid, in_space=space, noise=noise,
        seed=seed, seconds=seconds, rate=rate,
    )  # fmt: skip
    return track_source(job, as_json=as_json)
