"""The guard of speed fails when it should. What it counts with needs valgrind; this does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import guard
from bench.guard import FILE, VERSION, Accepted, advice, any_worse, load, save, word
from bench.guarded import CASES

HELD = {"text, one event": 1.4, "tools, one event": 2.0}


def test_a_ratio_within_the_tolerance_is_kept() -> None:
    assert word(1.4, held=1.4, tolerance=0.05) == "kept"
    assert word(1.46, held=1.4, tolerance=0.05) == "kept"
    assert not any_worse({"text, one event": 1.46, "tools, one event": 2.0}, HELD, 0.05)


def test_one_ratio_over_the_tolerance_fails_and_is_named() -> None:
    measured = {"text, one event": 1.4, "tools, one event": 2.11}
    assert any_worse(measured, HELD, 0.05)
    text = advice(measured, HELD, 0.05)
    assert "FAILED, by more than 5% worse than accepted: tools, one event." in text
    assert "text, one event" not in text


def test_a_better_ratio_does_not_fail_and_the_command_that_holds_it_is_named() -> None:
    measured = {"text, one event": 1.3, "tools, one event": 2.0}
    assert not any_worse(measured, HELD, 0.05)
    text = advice(measured, HELD, 0.05)
    assert "better than accepted: text, one event." in text
    assert "make guard ARGS=--accept" in text


def test_what_is_better_elsewhere_does_not_make_up_for_what_is_worse() -> None:
    measured = {"text, one event": 1.0, "tools, one event": 2.2}
    assert any_worse(measured, HELD, 0.05)


def test_a_difference_of_noise_is_not_called_better() -> None:
    assert word(1.393, held=1.4, tolerance=0.05) == "kept"


def test_a_python_for_which_nothing_is_accepted_is_named_and_does_not_fail() -> None:
    assert not any_worse({"text, one event": 9.0}, {}, 0.05)
    assert f"nothing is accepted for Python {VERSION} yet" in advice({"new": 9.0}, {}, 0.05)


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    accepted = Accepted(0.05, {"3.9": {"text, 64 KiB": 1.5}, "3.11": HELD})
    save(tmp_path / "guard.toml", accepted)
    assert load(tmp_path / "guard.toml") == accepted


def test_the_file_is_as_the_guard_would_write_it_and_has_every_case(tmp_path: Path) -> None:
    accepted = load(FILE)
    save(tmp_path / "guard.toml", accepted)
    assert (tmp_path / "guard.toml").read_bytes() == FILE.read_bytes()
    cases = [f"{make.__name__}, {reads}" for make, reads in CASES]
    assert accepted.ratios
    assert all(list(ratios) == cases for ratios in accepted.ratios.values())


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
