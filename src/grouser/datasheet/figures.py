"""Small figures of a data sheet as SVG: lines over friction."""

import math
from collections.abc import Mapping, Sequence
from html import escape

from grouser.report.colours import line_colour

WIDTH, HEIGHT = 300.0, 190.0
"""Size of a figure [pixels]."""
LEFT, RIGHT, TOP, BOTTOM = 38.0, 8.0, 20.0, 46.0
"""Room around its lines [pixels]."""
GREY = "#9aa3ad"
"""Colour of the frame, and of lines to compare with."""
Points = Sequence[Sequence[float]]
"""Points [x, y] of a line."""


def draw_lines(
    title: str, x_label: str, lines: Mapping[str, Points], expected: Mapping[str, Points] = {}
) -> str:
    """Return a figure with lines by name, and expected ones in grey; empty without points."""
    every = [point for line in (*lines.values(), *expected.values()) for point in line]
    if not any(lines.values()):
        return ""
    x_high = max(point[0] for point in every)
    y_high = _nice(max(max(point[1] for point in every), 1e-9))

    def place(point: Sequence[float]) -> str:
        u = LEFT + (WIDTH - LEFT - RIGHT) * point[0] / x_high
        v = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * max(point[1], 0.0) / y_high
        return f"{u:.1f},{v:.1f}"

    parts = [_text(LEFT, 12.0, title, "start", bold=True)]
    parts += _frame(x_label, x_high, y_high)
    for line in expected.values():
        places = " ".join(map(place, line))
        parts.append(
            f'<polyline points="{places}" fill="none" stroke="{GREY}" stroke-dasharray="4 3"/>'
        )
    for number, line in enumerate(lines.values()):
        places, colour = " ".join(map(place, line)), line_colour(number)
        parts.append(
            f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="1.8"/>'
        )
        parts += [
            f'<circle cx="{at.split(",")[0]}" cy="{at.split(",")[1]}" r="2.2" fill="{colour}"/>'
            for at in places.split()
        ]
    parts += _legend(lines, expected)
    size = f'width="{WIDTH:.0f}" height="{HEIGHT:.0f}" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}"'
    words = escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{words}">'
        f"{''.join(parts)}</svg>"
    )


def _nice(value: float) -> float:
    """Return the next round number above a value."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0) if (
        step * power >= value * (1.0 - 1e-9)
    ))  # fmt: skip


def _frame(x_label: str, x_high: float, y_high: float) -> list[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = []
    for share in (0.0, 0.5, 1.0):
        v = bottom - (bottom - TOP) * share
        parts.append(
            f'<line x1="{LEFT}" y1="{v:.1f}" x2="{right}" y2="{v:.1f}" stroke="{GREY}" '
            f'stroke-width="{0.5 if share else 1}"/>'
        )
        parts.append(_text(LEFT - 4.0, v + 3.0, f"{share * y_high:g}", "end"))
        u = LEFT + (right - LEFT) * share
        parts.append(_text(u, bottom + 12.0, f"{share * x_high:g}", "middle"))
    parts.append(_text(0.5 * (LEFT + right), bottom + 23.0, x_label, "middle"))
    return parts


def _legend(lines: Mapping[str, Points], expected: Mapping[str, Points]) -> list[str]:
    parts, u, v = [], LEFT, HEIGHT - 8.0
    entries = [(name, line_colour(number), "") for number, name in enumerate(lines)]
    entries += [(name, GREY, ' stroke-dasharray="4 3"') for name in expected]
    for name, colour, dash in entries:
        parts.append(
            f'<line x1="{u:.1f}" y1="{v - 3:.1f}" x2="{u + 14:.1f}" y2="{v - 3:.1f}" '
            f'stroke="{colour}" stroke-width="2"{dash}/>'
        )
        parts.append(_text(u + 17.0, v, name, "start"))
        u += 26.0 + 5.3 * len(name)
    return parts


def _text(u: float, v: float, words: str, anchor: str, bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{u:.1f}" y="{v:.1f}" font-size="{10 if bold else 9}" text-anchor="{anchor}"'
        f'{weight} fill="#1d2126">{escape(words)}</text>'
    )
