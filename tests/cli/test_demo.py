"""``untorn demo``: six streams of our own making."""

from __future__ import annotations

import json

import pytest

from tests.cli.processes import ASCII, capture, on_terminal, run
from untorn.cli.demo import CAPTURES

OUTCOMES = {
    "text": "complete",
    "tools": "complete",
    "reasoning": "complete",
    "choices": "truncated",
    "error": "failed",
    "cut": "interrupted",
}


def test_each_capture_is_shown_with_its_verdict() -> None:
    ran = run("demo")
    assert (ran.code, ran.err) == (0, "")
    parts = ran.out.split("\n\n")
    assert [part.partition(":")[0] for part in parts[:6]] == list(CAPTURES)
    for part, outcome in zip(parts, OUTCOMES.values(), strict=False):
        assert f"\n{outcome}: " in part


def test_it_shows_what_was_said() -> None:
    out = run("demo").out
    assert "  text  東京: 21 °C 🌤️, a light breeze.\n" in out
    assert '  call  get_weather({"city":"東京","days":2})\n' in out
    assert "  choice 1  A bell that nobody" in out
    assert "TORN, NOT TO BE RUN: delete_folder" in out


def test_it_fits_a_screen() -> None:
    _, written = on_terminal("demo")
    assert written.count("\n") <= 60


def test_it_is_coloured_on_a_terminal_and_plain_off_it() -> None:
    assert "\x1b" not in run("demo").out
    code, written = on_terminal("demo")
    assert code == 0
    assert "\x1b[1;31minterrupted: " in written


def test_it_is_shown_in_any_locale() -> None:
    ran = run("demo", variables=ASCII)
    assert ran.code == 0
    assert "東京" in ran.out


@pytest.mark.parametrize("name", CAPTURES)
def test_a_capture_has_no_oddity_but_the_one_it_shows(name: str) -> None:
    report = json.loads(run("parse", "--json", capture(name)).out)
    assert report["outcome"] == OUTCOMES[name]
    codes = {defect["code"] for defect in report["defects"]}
    cut = {"truncated-event", "arguments-invalid-json", "unexpected-eof"}
    assert codes == (cut if name == "cut" else set())


def test_every_capture_that_is_shipped_is_shown() -> None:
    shipped = {file.stem for file in capture("text").parent.iterdir()}
    assert shipped == set(CAPTURES) == set(OUTCOMES)
