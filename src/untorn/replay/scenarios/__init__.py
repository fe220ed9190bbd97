"""The table of scenarios: what a server does, and what a reader has to say about it.

docs/network.md is made from it, and every way to read is tested against all of it.
"""

from __future__ import annotations

from untorn.replay.scenario import Call, Expected, Scenario
from untorn.replay.scenarios.failed import FAILED, UNANSWERED
from untorn.replay.scenarios.torn import STALLED, TORN
from untorn.replay.scenarios.whole import ODD, WHOLE

__all__ = ["SCENARIOS", "SECTIONS", "Call", "Expected", "Scenario"]

SECTIONS: dict[str, list[Scenario]] = {
    "Whole answers, however they come": WHOLE,
    "Odd, but nothing is missing": ODD,
    "Answers that stop too early": TORN,
    "Silence": STALLED,
    "Errors": FAILED,
    "No answer at all": UNANSWERED,
}
"""The scenarios under the headings of docs/network.md."""

SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario for section in SECTIONS.values() for scenario in section
}
"""All of them by name."""
