"""The guard of speed fails when it should. What it counts with needs valgrind; this does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import guard
from bench.guard import FILE, VERSION, Accepted, Bounds, Held, advice, load, save
from bench.guarded import CASES

RATIOS = {"text, one event": 1.4, "tools, one event": 2.0}
BOUNDS = Bounds(RATIOS, tolerance=0.04)


def test_ratios_within_the_tolerance_are_kept() -> None:
    measured = {"text, one event": 1.45, "tools, one event": 1.97}
    assert BOUNDS.words(measured) == {"kept": ["text, one event", "tools, one event"]}


def test_a_ratio_over_the_tolerance_is_worse_and_is_named() -> None:
    words = BOUNDS.words({"text, one event": 1.4, "tools, one event": 2.09})
    assert words["worse"] == ["tools, one event"]
    text = advice(words, BOUNDS.tolerance)
    assert "FAILED, by more than 4% worse than accepted: tools, one event." in text
    assert "text, one event" not in text


def test_a_better_ratio_is_named_with_the_command_that_holds_it() -> None:
    words = BOUNDS.words({"text, one event": 1.3, "tools, one event": 2.0})
    assert "worse" not in words
    text = advice(words, BOUNDS.tolerance)
    assert "better than accepted: text, one event." in text
    assert "make guard ARGS=--accept" in text


def test_what_is_better_elsewhere_does_not_make_up_for_what_is_worse() -> None:
    assert "worse" in BOUNDS.words({"text, one event": 1.0, "tools, one event": 2.2})


def test_another_build_of_the_same_python_is_held_less_tightly() -> None:
    accepted = Accepted(0.02, 0.08, {"3.11": Held("this", RATIOS)})
    assert accepted.bounds("3.11", "this") == Bounds(RATIOS, 0.02)
    assert accepted.bounds("3.11", "that") == Bounds(RATIOS, 0.08)


def test_a_python_for_which_nothing_is_accepted_is_named_and_does_not_fail() -> None:
    accepted = Accepted(0.02, 0.08, {"3.11": Held("this", RATIOS)})
    words = accepted.bounds("3.99", "that").words({"text, one event": 9.0})
    assert words == {"new": ["text, one event"]}
    assert f"nothing is accepted for Python {VERSION} yet: text, one event" in advice(words, 0.02)


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    held = {"3.9": Held("a", {"text, 64 KiB": 1.5}), "3.11": Held("b", RATIOS)}
    accepted = Accepted(0.02, 0.08, held)
    save(tmp_path / "guard.toml", accepted)
    assert load(tmp_path / "guard.toml") == accepted


def test_the_file_is_as_the_guard_would_write_it_and_has_every_case(tmp_path: Path) -> None:
    accepted = load(FILE)
    save(tmp_path / "guard.toml", accepted)
    assert (tmp_path / "guard.toml").read_text("utf-8") == FILE.read_text("utf-8")
    cases = [f"{make.__name__}, {reads}" for make, reads in CASES]
    assert accepted.versions
    assert all(list(held.ratios) == cases for held in accepted.versions.values())


def test_without_valgrind_a_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["guard"])
    assert guard.main() == 0
    assert capsys.readouterr().out.startswith("guard: not run, since there is no valgrind here")


def test_cachegrind_s_total_is_the_last_line_it_writes(tmp_path: Path) -> None:
    file = tmp_path / "7.out"
    file.write_text("events: Ir\nfn=main\n3 40\n9 2\nsummary: 42\n", encoding="utf-8")
    assert guard.total(file) == 42
