"""The mutation tester says of a mutant what is true of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutation import memory
from mutation.__main__ import examine
from mutation.environment import SOURCE, Mutant
from mutation.explained import explained
from mutation.score import Fate, rows, stale, verdict

FIELDS = "sse/fields.py"
FIELD_TESTS = """\
from untorn.sse.fields import field_name, split_field

AT_IMPORT = field_name(b"a:b")

def test_name():
    assert AT_IMPORT == b"a"

def test_value():
    assert split_field(b"a: b")[1] == b"b"
"""


def mutant(was: str, becomes: str, function: str = "split_field") -> Mutant:
    """A mutant of ``sse/fields.py``, where ``was`` must stand."""
    text = (SOURCE / FIELDS).read_text(encoding="utf-8")
    assert text.count(was) == 1
    return Mutant(FIELDS, function, was, becomes, text.replace(was, becomes))


def fates(*named: tuple[str, Fate]) -> dict[Mutant, Fate]:
    """Mutants of these modules, and what became of them."""
    return {
        Mutant(module, "f", f"line {number}", "", ""): fate
        for number, (module, fate) in enumerate(named)
    }


def test_mutant_is_killed_where_a_test_fails_be_it_for_what_was_computed_at_its_import(
    tmp_path: Path,
) -> None:
    tests = tmp_path / "test_fields.py"
    tests.write_text(FIELD_TESTS, encoding="utf-8")
    given = [
        mutant("line[:colon], line[colon + 2 if", "line[:colon], line[colon + 3 if"),
        mutant('return line, b""', 'return line, b"x"'),
        mutant("else line[:colon]", "else line[:colon + 1]", "field_name"),
        mutant("return line if colon < 0", "return line if colon < -1", "field_name"),
    ]
    assert examine(given, [tests], jobs=2, seconds=60) == [
        "killed",
        "survived",
        "killed",
        "survived",
    ]


def test_verdict_is_remembered_until_a_test_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "FOLDER", tmp_path / "verdicts")
    tests = tmp_path / "test_fields.py"
    given = [mutant('return line, b""', 'return line, b"x"')]
    tests.write_text("1", encoding="utf-8")
    assert memory.remembered(given, [tests], lambda: ["killed"]) == ["killed"]
    assert memory.remembered(given, [tests], lambda: ["survived"]) == ["killed"]
    tests.write_text("2", encoding="utf-8")
    assert memory.remembered(given, [tests], lambda: ["survived"]) == ["survived"]


def test_without_tests_that_pass_nothing_is_said(tmp_path: Path) -> None:
    tests = tmp_path / "test_fields.py"
    tests.write_text("def test_no(): assert False\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="the examination ended early"):
        examine([mutant('return line, b""', 'return line, b"x"')], [tests], jobs=1, seconds=60)


def test_score_leaves_out_what_is_explained_and_is_never_rounded_up_to_all() -> None:
    killed: list[tuple[str, Fate]] = [("a.py", "own tests")] * 2000
    given = fates(*killed, ("a.py", "survived"), ("a.py", "explained"), ("b.py", "timeout"))
    assert rows(given) == [
        ["a.py", "2,002", "2,000", "0", "0", "0", "1", "1", "99.9 %"],
        ["b.py", "1", "0", "0", "1", "0", "0", "0", "100.0 %"],
        ["all", "2,003", "2,000", "0", "1", "0", "1", "1", "99.9 %"],
    ]
    assert verdict(given) == (
        "**Of 2,003 mutants 2,001 were killed, 1 are explained, and 1 survived.**"
    )


def test_explanation_that_nothing_needs_is_told_if_its_module_was_looked_at() -> None:
    given = fates(("a.py", "explained"), ("a.py", "own tests"))
    needed, needless = map(str, given)
    lines = [needed, needless, "a.py f: gone → not there", "b.py f: not → asked"]
    assert stale(lines, given) == [needless, "a.py f: gone → not there"]


def test_every_explanation_has_a_reason_and_speaks_of_a_module_that_is_there() -> None:
    for line, reason in explained().items():
        assert reason.strip()
        assert (SOURCE / line.split(" ")[0]).exists()
        assert " → " in line


def test_mutant_is_explained_once(tmp_path: Path) -> None:
    path = tmp_path / "explained.toml"
    path.write_text("[[why]]\nreason = 'a'\nmutants = '''\nx\nx\n'''\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^explained twice: x$"):
        explained(path)
