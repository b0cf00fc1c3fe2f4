"""What a run says about its link, and whether its numbers may be believed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grouser.hil.conversation import Conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run may show and still count."""

    late_share: float = 0.01
    """Share of periods without a command in time [1]."""
    missing_share: float = 0.01
    """Share of states that never came [1]."""
    damaged_share: float = 0.01
    """Share of frames that were damaged, either way [1]."""
    rtt_p99: float = 0.010
    """Round trip that 99 of 100 pings stay below [s]."""
    losses: int = 0
    """Times that the board may fall silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """The link of one run in numbers."""

    link: str
    """What the line was made of."""
    firmware: str
    """Hash of the board's firmware; empty if it never answered."""
    states: int
    """States that came."""
    missing: int
    """States that never came."""
    skipped: int
    """States that were passed over because a newer one was there."""
    commands: int
    """Commands that were sent."""
    late: int
    """Periods in which the board had no new command in time."""
    damaged: int
    """Damaged frames that the host dropped."""
    board_damaged: int
    """Damaged frames that the board dropped."""
    overruns: int
    """Bytes that the board could not take in time."""
    worst_loop_us: int
    """Longest time of the board's control loop [us]."""
    naks: int
    """Messages that the board refused."""
    losses: int
    """Times that the board fell silent."""
    boots: int
    """Times that the board started anew during the run."""
    old: int
    """States that were not newer than one that had come."""
    implausible: int
    """Messages of the board that cannot be true."""
    pings: int
    """Pings that were answered."""
    rtt_p50: float
    """Median round trip; not a number without pings [s]."""
    rtt_p99: float
    """Round trip that 99 of 100 pings stay below [s]."""
    rtt_max: float
    """Largest round trip [s]."""
    stopped_by: str
    """Why the run ended before its driver was done; empty if it was."""
    problems: tuple[str, ...]
    """Why the run does not count; empty if it does."""

    @property
    def is_valid(self) -> bool:
        """Whether the run stayed within its limits."""
        return not self.problems


def make_report(
    talk: Conversation, link: str, *, stopped_by: str = "", limits: Limits | None = None
) -> RunReport:
    """Return the report of a conversation.

    Args:
        talk: What was said.
        link: What the line was made of.
        stopped_by: Why the run ended early; empty if it did not.
        limits: What may happen in a run that counts.
    """
    counts, ack = talk.counts, talk.ack
    last = None if talk.last is None else talk.last.state
    p50, p99, largest = _percentiles(talk.clock.rtts)
    values = {
        "link": link,
        "firmware": "" if ack is None else f"{ack.firmware_hash:08x}",
        "states": counts.states,
        "missing": counts.missing,
        "skipped": counts.skipped,
        "commands": counts.commands,
        "late": counts.late,
        "damaged": talk.frames.bad,
        "board_damaged": 0 if last is None else last.crc_errors,
        "overruns": 0 if last is None else last.overruns,
        "worst_loop_us": 0 if last is None else last.worst_loop_us,
        "naks": counts.naks,
        "losses": counts.losses,
        "boots": counts.reboots,
        "old": counts.old,
        "implausible": counts.implausible,
        "pings": len(talk.clock.rtts),
        "rtt_p50": p50,
        "rtt_p99": p99,
        "rtt_max": largest,
        "stopped_by": stopped_by,
    }
    report = RunReport(**values, problems=())
    return RunReport(**values, problems=_find_problems(report, limits or Limits()))


def _percentiles(rtts: Sequence[float]) -> tuple[float, float, float]:
    if not rtts:
        return (float("nan"),) * 3  # type: ignore[return-value]
    p50, p99 = np.percentile(rtts, (50.0, 99.0))
    return float(p50), float(p99), max(rtts)


def _find_problems(report: RunReport, limits: Limits) -> tuple[str, ...]:
    states = max(report.states, 1)
    sent = max(report.commands, 1)
    shares = (
        ("late commands", report.late, states, limits.late_share),
        ("states lost", report.missing, states + report.missing, limits.missing_share),
        ("states that came again", report.old, states + report.old, limits.missing_share),
        ("damaged frames from the board", report.damaged, states, limits.damaged_share),
        ("damaged frames to the board", report.board_damaged, sent, limits.damaged_share),
    )
    found = [
        f"{name}: {count} of {total} ({count / total:.1%}), at most {limit:.0%}"
        for name, count, total, limit in shares
        if count > limit * total
    ]
    if report.states == 0:
        found.append("no state came")
    if report.rtt_p99 > limits.rtt_p99:
        found.append(
            f"round trip p99 {1e3 * report.rtt_p99:.1f} ms, at most {1e3 * limits.rtt_p99:.0f} ms"
        )
    if report.losses > limits.losses:
        found.append(f"silences of the board: {report.losses}, at most {limits.losses}")
    if report.implausible:
        found.append(f"implausible messages of the board: {report.implausible}, at most 0")
    if report.boots:
        found.append(f"restarts of the board: {report.boots}, at most 0")
    if report.stopped_by:
        found.append(report.stopped_by)
    return tuple(found)
