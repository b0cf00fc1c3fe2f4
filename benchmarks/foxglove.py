"""The server for Foxglove: cost of a tick, and physics with clients that read or sleep."""

import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.plugs.foxglove.protocol import Client

from grouser.plugs.foxglove.server import FoxgloveServer
from grouser.scenario import Part, Scenario

SECONDS, SETTLING = 20.0, 3.0
"""Time that is measured, and before [s]."""
LIDAR = """
[[sensors.lidar]]
rays = 360
range_m = [0.05, 20]
rate_hz = 20
position_m = [0.2, 0, 0.3]
[[sensors.lidar]]
name = "points_lidar"
rays = 360
rings = 16
elevation_deg = [-25, 15]
range_m = [0.05, 20]
rate_hz = 10
position_m = [0, 0, 0.35]
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRow:
    """One line of the table."""

    robot: str
    """What is simulated."""
    clients: str
    """Who is connected."""
    server_ms: float
    """Processor time of the server per tick, clients not counted [ms]."""
    server_percent: float
    """The same, of one core [%]."""
    physics_percent: float
    """Processor time of the physics, of one core [%]."""
    late_percent: float
    """Share of ticks that began a whole period late [%]."""
    lost_frames: int
    """Frames that the server was too slow for."""
    real_time_factor: float
    """Simulated time per wall time [1]."""


def measure_foxglove(quick: bool = False) -> list[ServerRow]:
    """Return a line for each robot and each company."""
    from grouser.description import load_robot

    scanned = Part(name="absolem", text=load_robot("absolem").text + LIDAR)
    robots = {"absolem, contacts": "absolem", "absolem, contacts, 2D and 3D lidar": scanned}
    seconds = 5.0 if quick else SECONDS
    rows = []
    for name, robot in robots.items():
        scenario = Scenario(
            robot=robot, course="playground", model="csm", driver="foxglove", contacts=True
        )
        for company in ("nobody", "a recording", "1 that reads", "1 that sleeps"):
            rows.append(_measure(scenario, name, company, seconds))
    return rows


def _measure(scenario: Scenario, robot: str, company: str, seconds: float) -> ServerRow:
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "a.mcap" if company == "a recording" else None
        with FoxgloveServer(scenario, port=0, record=record) as server, _client(server, company):
            server.serve(SETTLING)
            before = _now(server)
            server.serve(seconds)
            after = _now(server)
    wall, cpu, physics, ticks, late, lost, simulated = (
        b - a for a, b in zip(before, after, strict=True)
    )
    return ServerRow(
        robot=robot,
        clients=company,
        server_ms=1e3 * cpu / max(ticks, 1),
        server_percent=100.0 * cpu / wall,
        physics_percent=100.0 * physics / wall,
        late_percent=100.0 * late / max(ticks, 1),
        lost_frames=int(lost),
        real_time_factor=simulated / wall,
    )


def _now(server: FoxgloveServer) -> tuple[float, ...]:
    """Return wall time, processor times, ticks, late ones, lost frames and simulated time."""
    counts = server.physics.counts
    while server.physics.counts is counts:  # both processes at about the same time
        server.serve_once()
    counts = server.physics.counts
    return (
        time.perf_counter(), time.process_time(), counts.cpu_time, counts.periods, counts.missed,
        counts.lost, server.publisher.time.now * 1e-9,
    )  # fmt: skip


@contextmanager
def _client(server: FoxgloveServer, company: str) -> Iterator[None]:
    if not company.startswith("1"):
        yield
        return
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_be_client, args=(server.port, company), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def _be_client(port: int, company: str) -> None:
    """Subscribe to everything, then read for ever, or not at all."""
    client = Client(port)
    client.subscribe()
    while company == "1 that reads":
        client.receive(1.0)
        client.messages.clear()
    time.sleep(3600.0)
