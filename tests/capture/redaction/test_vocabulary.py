"""Words that stay."""

from __future__ import annotations

import pytest

from untorn.capture.redaction.vocabulary import KEYS, TAKEN, is_counted, is_identity, is_kept
from untorn.chat.chunks import BARE_KEYS, DELTA_KEYS
from untorn.chat.finish_reasons import MEANINGS


def test_every_key_that_the_core_reads_stays() -> None:
    assert set(BARE_KEYS) | set(DELTA_KEYS) <= KEYS


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        *(("finish_reason", reason, True) for reason in MEANINGS),
        ("finish_reason", "STOP", True),
        ("finish_reason", "", True),
        ("finish_reason", "because", False),
        ("role", "assistant", True),
        ("role", "stop", False),
        ("content", "stop", False),
        ("anything", "assistant", False),
        ("code", "rate_limit_exceeded", True),
        ("code", "429", True),
        ("code", "4290", False),
        ("type", "429", False),
        ("index", "0", True),
        ("index", "x", False),
        ("index", "1" * 20, False),
    ],
)
def test_a_value_stays_under_its_own_key(key: str, value: str, kept: bool) -> None:
    assert is_kept(key, value) is kept


@pytest.mark.parametrize(
    ("key", "number", "counted"),
    [
        ("index", "0", True),
        ("prompt_tokens", "12", True),
        ("code", "1004", True),
        ("code", "123456", False),
        ("logprob", "-0.5", False),
        ("", "7", False),
    ],
)
def test_counts_stay(key: str, number: str, counted: bool) -> None:
    assert is_counted(key, number) is counted


@pytest.mark.parametrize(
    ("key", "counts"),
    [("id", True), ("name", True), ("item_id", True), ("model", True), ("content", False)],
)
def test_of_names_it_counts_whether_they_are_the_same(key: str, counts: bool) -> None:
    assert is_identity(key) is counts


def test_nothing_that_is_replaced_may_become_a_word_that_stays() -> None:
    assert {"error", "stop", "id", "assistant", "ok", "chat.completion"} <= TAKEN
