"""Completion and verdict → text for people; and nothing that a terminal would obey."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.completion import Audio, Choice, Completion, Message, ToolCall, TornToolCall, Usage
from untorn.chat.verdict import Defect, ErrorObject, Verdict
from untorn.cli.render import STYLES, UNSAFE, Row, call_line, safe, safe_line, verdict_rows
from untorn.head import Head
from untorn.sse.event_stream import Tail
from untorn.timing import Timing

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    "text",
    [
        "plain\ttext\n",
        "Zürich 東京 🌤️",
        "👩\u200d👩\u200d👧",  # a family: emoji joined by U+200D
        "\u0645\u06cc\u200c\u062e\u0648",  # Persian needs U+200C
        "שלום",
        "soft\u00adhyphen, no\u00a0break",
    ],
)
def test_what_people_write_is_left_as_it_is(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("a\rb", r"a\rb"),
        ("a\x08b\x7f\x00", r"a\x08b\x7f\x00"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\u2066\u2069\u200f\u061c\ufeff", r"\u2066\u2069\u200f\u061c\ufeff"),
        ("a\u2028b\u2029", r"a\u2028b\u2029"),
        ("\U000e0041\U000e007f", r"\U000e0041\U000e007f"),
        ("\ud83d", r"\ud83d"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_every_control_character_and_half_a_surrogate_pair_is_escaped() -> None:
    every = "".join(map(chr, range(0x11_0000)))
    escaped = set(UNSAFE.findall(every))
    told = {char for char in every if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")}
    assert told - escaped == {"\t", "\n"}
    bidi = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    assert {char for char in every if unicodedata.bidirectional(char) in bidi} <= escaped
    assert {unicodedata.category(char) for char in escaped - told} <= {"Cf", "Cn"}


@given(ANY_TEXT, ANY_TEXT)
def test_the_pieces_of_a_text_are_safe_one_after_the_other(text: str, more: str) -> None:
    assert safe(text) + safe(more) == safe(text + more)


@given(ANY_TEXT)
def test_what_is_safe_stays_so_and_can_be_encoded(text: str) -> None:
    shown = safe(text)
    assert safe(shown) == shown
    assert shown.encode().decode() == shown


@given(ANY_TEXT)
def test_a_safe_line_is_one_line(text: str) -> None:
    assert not set("\n\t\r") & set(safe_line(text))
    assert len(safe_line(text).splitlines()) == (1 if text else 0)


def test_a_whole_call_looks_like_a_call() -> None:
    call = ToolCall(0, "c1", "function", "rm", '{"path":\n"a"}')
    assert call_line(call) == 'rm({"path":\\n"a"})'


@pytest.mark.parametrize("state", ["torn", "invalid"])
def test_a_call_that_is_not_whole_says_so_before_all_else(state: Any) -> None:
    call = TornToolCall(0, None, "function", "rm", '{"path":"/', state)
    assert call_line(call) == f'{state.upper()}, NOT TO BE RUN: rm({{"path":"/'


def test_a_call_without_a_name_is_told_so() -> None:
    call = TornToolCall(0, None, "function", None, "{}", "torn")
    assert call_line(call) == "TORN, NOT TO BE RUN: without name ({}"


def message(**parts: Any) -> Message:
    empty: dict[str, Any] = {
        "role": "assistant",
        "content": None,
        "reasoning": None,
        "reasoning_details": [],
        "refusal": None,
        "tool_calls": [],
        "audio": None,
        "annotations": [],
        "extra": {},
    }
    return Message(**{**empty, **parts})


def choice(index: int = 0, finish_reason: str | None = "stop", **parts: Any) -> Choice:
    return Choice(index, message(**parts), finish_reason, [], {})


def completion(*choices: Choice, verdict: dict[str, Any] | None = None, **parts: Any) -> Completion:
    said: dict[str, Any] = {
        "outcome": "complete",
        "ending": "done",
        "reason": None,
        "error": None,
        "defects": [],
        "tail": None,
        "usage_reported": False,
    }
    empty: dict[str, Any] = dict.fromkeys(
        ["id", "model", "created", "system_fingerprint", "service_tier", "usage", "timing", "head"]
    )
    whole = {**empty, "extra": {}, **parts}
    return Completion(
        choices=list(choices), verdict=Verdict(**{**said, **(verdict or {})}), **whole
    )


def rows(*choices: Choice, hidden_choices: int = 0, **parts: Any) -> dict[str, list[str]]:
    """The texts of the rows, by label."""
    found: dict[str, list[str]] = {}
    for row in verdict_rows(completion(*choices, **parts), hidden_choices=hidden_choices):
        found.setdefault(row.label, []).append(row.text)
    return found


def test_a_clean_answer_needs_two_rows() -> None:
    assert verdict_rows(completion(choice()), hidden_choices=0) == [
        Row("complete", "every choice finished normally", STYLES["complete"]),
        Row("finish", "stop"),
    ]


def test_every_choice_says_how_it_finished() -> None:
    assert rows(choice(0), choice(2, None))["finish"] == ["choice 0 stop, choice 2 none"]
    assert rows(choice(0, None))["finish"] == ["none"]
    assert "finish" not in rows()


def test_an_ending_without_done_is_named() -> None:
    assert "ending" not in rows(choice())
    shown = rows(choice(), verdict={"ending": "eof"})
    assert shown["ending"] == ["the bytes ended without [DONE]"]


def test_reasoning_is_shown_in_brief_and_a_refusal_whole() -> None:
    shown = rows(choice(0, reasoning="think " * 99), choice(1, refusal="I will not." * 9))
    assert len(shown["reasoning"][0]) < 90
    assert shown["reasoning"][0].startswith('594 characters, "think think')
    assert shown["refusal"] == [f'choice 1: "{"I will not." * 9}"']


def test_audio_is_told_by_its_transcript() -> None:
    audio = [Audio(None, "AAAA", transcript, None) for transcript in ("Hello.", None)]
    shown = rows(choice(0, audio=audio[0]), choice(1, audio=audio[1]))
    assert shown["audio"] == [
        '4 base64 characters, "Hello."',
        'choice 1: 4 base64 characters, ""',
    ]


def test_calls_are_one_row_each_and_many_are_counted() -> None:
    calls = [ToolCall(i, f"c{i}", "function", f"f{i}", "{}") for i in range(25)]
    shown = rows(choice(0, tool_calls=calls[:3]), choice(1, tool_calls=calls))
    assert shown["call"][:4] == ["f0({})", "f1({})", "f2({})", "choice 1: f0({})"]
    assert len(shown["call"]) == 21
    assert shown["call"][-1] == "8 more, see --json"


def test_choices_that_are_not_shown_are_counted() -> None:
    assert rows(choice(), hidden_choices=2)["choices"] == ["2 more not shown, see --all-choices"]


def test_what_the_server_told_is_shown() -> None:
    shown = rows(
        choice(),
        usage=Usage(3, None, None),
        model="m\x1b-1",
        head=Head(429, "application/json", "req-1", 2.5),
        timing=Timing(0.0, 0.25, None, None, None, 1.5, 7, 9, 0),
    )
    assert shown["usage"] == ["3 prompt + ? completion tokens"]
    assert shown["model"] == [r"m\x1b-1"]
    assert shown["head"] == ["status 429, application/json, request id req-1, retry after 2.5"]
    assert shown["timing"] == ["first content 0.25 s, total 1.50 s, 7 reads"]


def test_a_head_without_more_is_shown_without_more() -> None:
    assert rows(choice(), head=Head(200))["head"] == ["status 200, no content type"]


def defect(code: str, severity: Any) -> Defect:
    return Defect(code, severity, 3, 2, "what was seen")


def test_errors_and_warnings_are_shown_one_a_row() -> None:
    defects = [defect("bad-json", "error"), defect("stray-line", "warning")]
    shown = rows(choice(), verdict={"error": ErrorObject("no"), "defects": defects})
    assert shown["error"] == ["bad-json at byte 3 (2 times): what was seen"]
    assert shown["warning"] == ["stray-line at byte 3 (2 times): what was seen"]


@pytest.mark.parametrize(("count", "lines"), [(1, 1), (2, 2), (3, 1), (9, 1)])
def test_many_harmless_defects_are_folded_into_one_row(count: int, lines: int) -> None:
    defects = [defect(f"code-{n}", "info") for n in range(count)]
    shown = rows(choice(), verdict={"defects": [*defects, defect("bad-json", "error")]})
    assert len(shown["info"]) == lines
    assert all(any(d.code in text for text in shown["info"]) for d in defects)
    assert len(shown["error"]) == 1


def test_an_error_that_the_heading_tells_is_not_told_twice() -> None:
    defects = [defect("bad-json", "error")]
    shown = rows(choice(), verdict={"outcome": "interrupted", "defects": defects})
    assert shown["interrupted"] == ["what was seen"]
    assert shown["error"] == ["bad-json at byte 3 (2 times)"]


def test_the_end_of_the_torn_tail_is_quoted() -> None:
    data = b"data: " + b"a" * 100 + "é".encode()[:1]
    tail = Tail(offset=7, data=data, lines=[data])
    shown = rows(
        choice(0, None), verdict={"outcome": "interrupted", "ending": "torn", "tail": tail}
    )
    assert shown["tail"] == [f'107 bytes to "{"a" * 59}\ufffd"']
