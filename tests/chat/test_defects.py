"""The vocabulary of defects. That it equals the table in the rules is tested in test_corpus.py."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import untorn
from untorn.chat.defects import CODES


def literals_of_the_package() -> set[str]:
    """Every string in the code, the vocabulary itself excepted."""
    trees = [
        ast.parse(path.read_text(encoding="utf-8"))
        for path in Path(untorn.__file__).parent.rglob("*.py")
        if path.name != "defects.py"
    ]
    return {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.parametrize("code", CODES)
def test_code_is_a_name_with_a_severity_and_a_meaning(code: str) -> None:
    severity, meaning = CODES[code]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)
    assert severity in ("info", "warning", "error")
    assert meaning.isprintable()


def test_codes_are_sorted() -> None:
    assert list(CODES) == sorted(CODES)


def test_data_is_lost_or_the_request_failed_where_the_severity_is_error() -> None:
    assert {code for code, (severity, _) in CODES.items() if severity == "error"} == {
        "bad-json",
        "choice-missing",
        "compressed-body",
        "empty-stream",
        "html-body",
        "http-error-status",
        "missing-finish-reason",
        "truncated-event",
        "unexpected-eof",
    }


def test_every_code_is_reported_somewhere() -> None:
    assert set(CODES) - literals_of_the_package() == set()
