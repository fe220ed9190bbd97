"""What a finish reason means (corpus rules, "Finish reasons")."""

from __future__ import annotations

import pytest

from untorn.chat.finish_reasons import MEANINGS, STANDARD, Meaning, meaning_of

NOBODY: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("meaning", "reasons"),
    [
        (Meaning.NORMAL, "stop end_turn eos eos_token end complete stop_sequence"),
        (Meaning.CALLS, "tool_calls function_call tool_use"),
        (Meaning.LIMIT, "length max_tokens model_length model_context_window_exceeded"),
        (Meaning.FILTER, "content_filter safety sensitive refusal"),
        (Meaning.GAVE_UP, "insufficient_system_resource abort"),
        (Meaning.ERROR, "error network_error"),
        (Meaning.UNKNOWN, "banana stopped null None FINISH_REASON_STOP"),
    ],
)
def test_reason_means_what_the_rules_say_in_any_letter_case(meaning: Meaning, reasons: str) -> None:
    for reason in reasons.split():
        for written in (reason, reason.upper(), reason.title()):
            assert meaning_of(written, NOBODY) is meaning


def test_empty_reason_is_unknown() -> None:
    assert meaning_of("", NOBODY) is Meaning.UNKNOWN


def test_space_is_part_of_a_reason() -> None:
    assert meaning_of(" stop", NOBODY) is Meaning.UNKNOWN


def test_caller_may_name_further_normal_reasons() -> None:
    assert meaning_of("Banana", frozenset({"bAnana", "kiwi"})) is Meaning.NORMAL
    assert meaning_of("banana split", frozenset({"banana"})) is Meaning.UNKNOWN


def test_caller_cannot_make_a_known_reason_normal() -> None:
    everything = frozenset(MEANINGS)
    assert {reason: meaning_of(reason, everything) for reason in MEANINGS} == MEANINGS


def test_of_several_reasons_the_telling_one_is_the_highest() -> None:
    assert sorted(Meaning, reverse=True) == [
        Meaning.ERROR,
        Meaning.GAVE_UP,
        Meaning.FILTER,
        Meaning.LIMIT,
        Meaning.CALLS,
        Meaning.NORMAL,
        Meaning.UNKNOWN,
    ]


def test_openai_s_own_values_are_known() -> None:
    assert set("stop length tool_calls function_call content_filter".split()) == STANDARD
    assert set(MEANINGS) > STANDARD
