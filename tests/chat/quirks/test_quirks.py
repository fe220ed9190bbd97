"""The list of quirks: each has its file, its words, its tests and a body that shows it."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests.chat_helpers import corpus, report
from untorn.chat.defects import CODES
from untorn.chat.quirks import QUIRKS

FILES = Path(importlib.import_module("untorn.chat.quirks").__path__[0])

each_quirk = pytest.mark.parametrize("name", QUIRKS)


def names_in(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")


def test_every_file_is_listed_once() -> None:
    assert sorted(QUIRKS) == names_in(FILES)


def test_every_quirk_has_a_test_file_of_its_name() -> None:
    expected = [f"test_{name}" for name in QUIRKS]
    assert sorted([*expected, "test_quirks"]) == names_in(Path(__file__).parent)


@each_quirk
def test_docstring_says_what_is_on_the_wire_where_and_what_we_do(name: str) -> None:
    module = importlib.import_module(f"untorn.chat.quirks.{name}")
    title, blank, *parts = (module.__doc__ or "").splitlines()
    assert title.endswith(".")
    assert blank == ""
    labels = [line[:14].rstrip() for line in parts]
    assert [label for label in labels if label] == ["On the wire", "Seen at", "We"]
    assert all(line[14:] for line in parts)


@each_quirk
def test_name_is_the_code_of_a_defect_that_a_body_of_the_corpus_shows(name: str) -> None:
    code = name.replace("_", "-")
    assert code in CODES
    shown = [case for case in corpus() if code in case.expect["defects"]]
    assert shown
    for case in shown:
        assert code in report(case.play([case.body])[1])["defects"]
