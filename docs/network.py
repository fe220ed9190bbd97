"""Writes docs/network.md from the table of scenarios: python docs/network.py"""

from __future__ import annotations

from pathlib import Path

from untorn.replay.scenario import Expected, Scenario
from untorn.replay.scenarios import SECTIONS
from untorn.replay.scenarios.making import HALF_TEXT
from untorn.replay.streams import TEXT

PAGE = Path(__file__).with_suffix(".md")

BEGINNING = f"""\
# When the network misbehaves

What a server, a proxy or a cable can do to an answer, and what untorn says of it at the end. Each
line is a scenario of `untorn.replay`: a real server does it over a real connection, and every way
to read is tested against all of them. Any client can be pointed at one, yours too:
[testing.md](testing.md) tells how.

- *ending* says how the bytes stopped. In brackets: the clock of `untorn.Clocks` that ended the
  waiting; such a stream never ends by itself.
- *text* is what came of the answer, and is kept. The whole one is "{TEXT}" Half of it is
  "{HALF_TEXT}".
- *defects* are the codes in `verdict.defects`.
- A connection that breaks after `[DONE]`, or after the server reported an error, means nothing:
  the answer was over.

<!-- made by docs/network.py from src/untorn/replay/scenarios; do not edit -->
"""

NOTE = {
    "No answer at all": "There is no response that could be read: the HTTP library raises, and"
    " what the outcome would be is for clients that ask.",
}
COLUMNS = ("scenario", "the server", "outcome", "ending", "text", "defects")


def page() -> str:
    """The whole page."""
    sections = [_section(title, rows) for title, rows in SECTIONS.items()]
    return "\n".join([BEGINNING, *sections])


def _section(title: str, scenarios: list[Scenario]) -> str:
    note = f"{NOTE[title]}\n\n" if title in NOTE else ""
    rows = [COLUMNS, ("---",) * len(COLUMNS), *map(_row, scenarios)]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return f"## {title}\n\n{note}{table}"


def _row(scenario: Scenario) -> tuple[str, ...]:
    expected = scenario.expected
    ending = expected.ending + (f" (`{scenario.clock}`)" if scenario.clock else "")
    codes = ", ".join(f"`{code}`" for code in sorted(expected.defects))
    return f"`{scenario.name}`", scenario.about, expected.outcome, ending, _text(expected), codes


def _text(expected: Expected) -> str:
    calls = " and ".join(f"a {call.state} call" for call in expected.calls)
    if calls or not expected.text:
        return calls
    return {TEXT: "whole", HALF_TEXT: "half"}.get(expected.text, f'"{expected.text}"')


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
