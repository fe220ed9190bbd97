"""The picture: who takes how many times as long as the floor, as an SVG.

It stands on light pages and on dark ones, so there is no background, and every colour is one that
can be read on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log10
from typing import NamedTuple
from xml.sax.saxutils import escape

from bench.measure import short

GREY = "#777c84"
BAR = "#8f96a3"
ACCENT = "#0f9d6b"

CROSS = "\N{MULTIPLICATION SIGN}"

WIDTH = 760
LEFT, RIGHT = 165, 575
"""Where the floor is, and where the longest bar ends."""
TIMES, MICROSECONDS = 670, 750
"""Where the two columns of numbers end."""
TOP, ROW, BAR_HEIGHT = 62, 26, 12


class Mark(NamedTuple):
    """One bar."""

    name: str
    microseconds: float
    times: float
    """The floor."""
    is_ours: bool


def draw(title: str, floor: float, marks: Sequence[Mark]) -> str:
    """The picture, the fastest on top. ``floor`` is in microseconds."""
    decades = max(1.0, *(log10(mark.times) for mark in marks))
    bottom = TOP + ROW * len(marks)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 12}"'
        f' width="{WIDTH}" height="{bottom + 12}" role="img" font-size="13"'
        ' font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        text(LEFT, 18, title, anchor="start", weight=600),
        text(TIMES, TOP - 14, f"{CROSS} floor", anchor="end"),
        text(MICROSECONDS, TOP - 14, "µs", anchor="end"),
    ]
    for decade in range(int(decades) + 1):
        parts += scale_line(decade, decades, floor, bottom)
    for number, mark in enumerate(sorted(marks, key=lambda mark: mark.times)):
        parts += bar(mark, decades, TOP + ROW * number + ROW / 2)
    return "\n".join([*parts, "</svg>", ""])


def scale_line(decade: int, decades: float, floor: float, bottom: int) -> list[str]:
    """A vertical line at a power of ten, with its label."""
    x = place(10**decade, decades)
    label = f"{10**decade:,}{CROSS}" if decade else f"floor, {short(floor)} µs"
    dashes = ' stroke-dasharray="2 4"' if decade else ""
    return [
        f'<path d="M{x:.1f} {TOP - 6}V{bottom}" stroke="{GREY}" stroke-opacity=".6"{dashes}/>',
        text(x, TOP - 14, label, anchor="middle" if decade else "start"),
    ]


def bar(mark: Mark, decades: float, y: float) -> list[str]:
    """One bar, its name to the left and its numbers to the right."""
    colour, weight = (ACCENT, 600) if mark.is_ours else (GREY, 400)
    length = place(mark.times, decades) - LEFT
    line = y + 4.5

    def label(x: float, content: str) -> str:
        return text(x, line, content, anchor="end", colour=colour, weight=weight)

    return [
        label(LEFT - 12, mark.name),
        f'<rect x="{LEFT}" y="{y - BAR_HEIGHT / 2:g}" width="{length:.1f}"'
        f' height="{BAR_HEIGHT}" rx="2" fill="{ACCENT if mark.is_ours else BAR}"/>',
        label(TIMES, short(mark.times)),
        label(MICROSECONDS, short(mark.microseconds)),
    ]


def place(times: float, decades: float) -> float:
    """Where so many times the floor is on the scale."""
    return LEFT + (RIGHT - LEFT) * log10(max(times, 1)) / decades


def text(
    x: float, y: float, content: str, *, anchor: str, colour: str = GREY, weight: int = 400
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:g}" text-anchor="{anchor}" fill="{colour}"'
        f' font-weight="{weight}">{escape(content)}</text>'
    )
