"""Other programs that simulate the same vehicle, if there is a folder of them.

The folder holds `scene.py`, which prints a scene, and programs that drive it and print one line
of JSON with `sim_seconds` and `cpu_seconds`, the processor time of their loop of steps.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

WITH_FLIPPERS = "bd"
"""The workloads that use flippers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """One program with its settings."""

    name: str
    """What it is called in the table."""
    command: tuple[str, ...]
    """How it is run; `{scene}` stands for the file of the scene, `{flags}` for its flags."""

    def run(self, folder: Path, workload: str) -> float:
        """Return the processor time of one step of one run [s]."""
        flags = scene_flags(workload)
        words: list[str] = []
        for word in self.command:
            words += flags if word == "{flags}" else [word.format(scene=folder / workload)]
        environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=True)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        told = json.loads(lines[-1])
        return float(told["cpu_seconds"]) / float(told["sim_seconds"]) * float(told["dt"])


def scene_flags(workload: str) -> list[str]:
    flippers = ["--flippers"] if workload in WITH_FLIPPERS else []
    return ["--model", "csm", "--workload", workload, *flippers]


def find_peers(source: Path, folder: Path, workloads: str) -> list[Peer]:
    """Build what can be built, write the scenes to `folder`, and return what can be run."""
    for workload in workloads:
        words = [sys.executable, "-B", source / "scene.py", *scene_flags(workload)]
        text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        (folder / workload).write_text(text)
    peers = []
    if ode := _build(source / "ode_peer.cpp", folder, "ode"):
        peers += [
            Peer(name="ODE exact", command=(ode, "{scene}", "exact", "icr")),
            Peer(name="ODE exact, merged", command=(ode, "{scene}", "exact", "icr", "50", "merge")),
        ]
    if bullet := _build(source / "bullet_csm.cpp", folder, "bullet"):
        peers.append(Peer(name="Bullet", command=(bullet, "{scene}")))
    script = str(source / "mujoco_peer.py")
    if Path(script).exists():
        words = (sys.executable, "-B", script, "{flags}", "--variant")
        peers.append(Peer(name="MuJoCo surfacevel", command=(*words, "elliptic")))
    return peers


def _build(source: Path, folder: Path, package: str) -> str | None:
    """Return the program built from a source, or None where compiler or library is missing."""
    if not source.exists() or not (shutil.which("g++") and shutil.which("pkg-config")):
        return None
    query = ["pkg-config", "--cflags", "--libs", package]
    found = subprocess.run(query, capture_output=True, text=True, check=False)
    if found.returncode:
        return None
    program = str(folder / source.stem)
    words = ["g++", "-O3", "-march=native", "-std=c++17", str(source), "-o", program]
    subprocess.run([*words, *found.stdout.split()], check=True)
    return program
