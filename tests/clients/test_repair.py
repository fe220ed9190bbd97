"""What is passed on, what is held, what is written anew, and what fails."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from fuzz.inputs import Input
from fuzz.repaired import is_same, keeps_the_answer, repair
from tests.chat_helpers import by_event, captures, corpus
from tests.clients.repairs import (
    ABOUT,
    ASKED_FOR_USAGE,
    DONE,
    ROLE,
    STOP,
    chunk,
    event,
    repaired,
)
from tests.helpers import cuttings, two_way_cuts
from tests.strategies import bodies, damaged_bodies
from untorn import Limits, NotWhole, Options, StreamFailed, StreamInterrupted, parse
from untorn.clients.asked import Asked
from untorn.clients.repair import Repair
from untorn.options import MIB, Clocks
from untorn.replay.scenarios import SCENARIOS

TEXT = [ROLE, chunk({"content": "It "}), chunk({"content": "holds."}), STOP, DONE]
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
USAGE_EVENT = event({**ABOUT, "choices": [], "usage": USAGE})


def fragment(index: int = 0, **function: Any) -> dict[str, Any]:
    """A delta with a fragment of a call."""
    more = {"id": f"call_{index}", "type": "function"} if "name" in function else {}
    return {"tool_calls": [{"index": index, **more, "function": function}]}


CALL = [
    ROLE,
    chunk(fragment(name="look_up", arguments="")),
    chunk(fragment(arguments='{"city":')),
    chunk(fragment(arguments='"Oslo"}')),
    chunk(finish_reason="tool_calls"),
    DONE,
]


def call_of(deltas: list[Any]) -> list[tuple[str, str]]:
    """The names and arguments of the calls in deltas, as a program joins them."""
    calls: dict[int, tuple[str, str]] = {}
    for delta in deltas:
        for part in delta.get("tool_calls") or ():
            name, arguments = calls.get(part["index"], ("", ""))
            of_type = part.get("function") or part["custom"]
            more = of_type.get("arguments", of_type.get("input"))
            calls[part["index"]] = (name + of_type.get("name", ""), arguments + more)
    return list(calls.values())


# Clean events ------------------------------------------------------------------------------------


def test_clean_event_is_passed_on_byte_for_byte_in_its_read() -> None:
    assert repaired(TEXT).sent == [*TEXT[:-1], b"", DONE]


def test_clean_events_of_one_read_are_passed_on_in_it() -> None:
    assert repaired([b"".join(TEXT[:3]), TEXT[3], DONE]).sent[0] == b"".join(TEXT[:3])


def test_event_in_two_reads_is_passed_on_with_the_second() -> None:
    for at in range(1, len(TEXT[1])):
        reads = [ROLE, TEXT[1][:at], TEXT[1][at:] + TEXT[2][:9], TEXT[2][9:], STOP, DONE]
        assert repaired(reads).sent == [ROLE, b"", TEXT[1], TEXT[2], STOP, b"", DONE]


@pytest.mark.parametrize(
    "framed",
    [
        b"event: chunk\nid: 1\n%s",
        b"id: 1\n: ping\n%s",
        b"retry: 100\r\n%s",
    ],
)
def test_event_with_other_fields_is_passed_on_byte_for_byte(framed: bytes) -> None:
    events = [framed % one for one in TEXT]
    assert repaired(events).body == b"".join(events[:-1]) + DONE


def test_crlf_events_are_passed_on_byte_for_byte_however_they_are_cut() -> None:
    events = [one.replace(b"\n", b"\r\n") for one in TEXT]
    for reads in two_way_cuts(b"".join(events)):
        assert repaired(reads).body == b"".join(events[:-1]) + DONE


@pytest.mark.parametrize(
    "body", [b"".join(TEXT).replace(b"\n", b"\r"), b"\xef\xbb\xbf" + b"".join(TEXT)]
)
def test_cr_and_byte_order_mark_are_written_anew(body: bytes) -> None:
    for reads in cuttings(body):
        again = repaired(reads)
        assert b"".join(TEXT) in again.body or parse(again.body).content == "It holds."
        assert again.failure is None


def test_events_without_blank_lines_are_passed_on_one_line_later() -> None:
    events = [one[:-1] for one in TEXT]
    again = repaired(events)
    assert again.body == b"".join(TEXT)
    assert again.sent[1] == TEXT[0]


def test_event_without_blank_line_that_says_nothing_is_passed_on_too() -> None:
    silent = chunk({"annotations": [1]})
    events = [one[:-1] for one in [*TEXT[:2], silent, silent, *TEXT[2:]]]
    for reads in cuttings(b"".join(events)):
        assert repaired(reads).body == b"".join([*TEXT[:2], silent, silent, *TEXT[2:]])


def test_bare_lines_are_passed_on_as_events() -> None:
    lines = [one.removeprefix(b"data: ")[:-1] for one in TEXT]
    assert repaired(lines, content_type="application/x-ndjson").body == b"".join(TEXT)


def test_unknown_keys_and_names_of_an_event_over_several_lines_stay() -> None:
    lines = b'data: {"id":"c1","model":"m","created":17,"x":1,\ndata: "choices":[{"delta":\n'
    body = lines + b'data: {"content":"a"}}]}\n\n'
    for reads in cuttings(body + STOP + DONE):
        first = repaired(reads).payloads[0]
        assert (first["id"], first["created"], first["x"]) == ("c1", 17, 1)


def test_large_event_is_passed_on_byte_for_byte_in_any_reads() -> None:
    body = ROLE + chunk({"content": "a", "images": ["x" * 2 * MIB]}) + STOP + DONE
    assert repaired([body]).body == body
    assert repaired(body[at : at + 9000] for at in range(0, len(body), 9000)).body == body


def test_unknown_keys_of_a_large_event_that_is_written_anew_stay() -> None:
    images = ["x" * 2 * MIB]
    body = chunk({"content": "a", "images": images}) + STOP + DONE
    for reads in ([body], [body[:9], body[9:]]):
        assert repaired(reads).deltas[0]["images"] == images


# What is left out, and what is written anew ------------------------------------------------------


@pytest.mark.parametrize(
    "beat",
    [
        b": ping\n\n",
        b"data: {}\n\n",
        b'data: {"type":"ping"}\n\n',
        b"data:\n\n",
        b"data: null\n\n",
        b"\n",
    ],
)
def test_heartbeats_vanish(beat: bytes) -> None:
    assert repaired([beat, *TEXT[:2], beat, *TEXT[2:]]).body == b"".join(TEXT)


def test_chunk_of_unknown_keys_alone_stays() -> None:
    azure = event({"id": "", "object": "", "created": 0, "model": "", "choices": [], "filter": [1]})
    first, *rest = repaired([azure, *TEXT]).payloads
    assert (first["choices"], first["filter"]) == ([], [1])
    assert first["object"] == "chat.completion.chunk"
    assert len(rest) == len(TEXT)


def test_annotations_stay_where_a_delta_without_role_brings_nothing_else() -> None:
    deltas = repaired([chunk({"annotations": [{"a": 1}]}), *TEXT]).deltas
    assert deltas[0] == {"role": "assistant", "annotations": [{"a": 1}]}


def test_first_chunk_without_role_gets_one() -> None:
    assert repaired([chunk({"content": "a"}), STOP, DONE]).deltas[0] == {
        "role": "assistant",
        "content": "a",
    }


def test_every_kind_of_text_is_written_anew() -> None:
    delta = {
        "content": [{"type": "text", "text": "a"}],
        "reasoning": "b",
        "refusal": "c",
        "audio": {"id": "x", "data": "eA==", "transcript": "d"},
    }
    logprobs = {"content": [{"token": "a", "logprob": -1, "top_logprobs": []}]}
    again = repaired([chunk(delta, logprobs=logprobs), STOP, DONE])
    choice = parse(again.body).choices[0]
    message = choice.message
    assert (message.content, message.reasoning, message.refusal) == ("a", "b", "c")
    assert message.audio is not None
    assert (message.audio.id, message.audio.transcript) == ("x", "d")
    assert choice.logprobs == logprobs


def test_logprobs_of_an_event_that_is_told_with_the_next_are_not_lost() -> None:
    probs = {"content": [{"token": "a", "logprob": -1, "top_logprobs": []}]}
    lines = json.dumps({**ABOUT, "choices": [{"index": 0, "delta": {}, "logprobs": probs}]})
    first = "".join(f"data: {line}\n" for line in lines.replace("[", "[\n").split("\n"))
    bare = TEXT[1].removeprefix(b"data: ")[:-1]
    again = repaired([ROLE, first.encode(), bare, STOP, DONE])
    assert again.completion.choices[0].logprobs == probs
    assert parse(again.body).choices[0].logprobs == probs


@pytest.mark.parametrize("line", [b"data:\n", b"data: 1\n", b"id: 1\n"])
def test_logprobs_before_another_line_are_given_once(line: bytes) -> None:
    probs = {"content": [{"token": "a", "logprob": -1, "top_logprobs": []}]}
    body = ROLE + chunk({}, logprobs=probs)[:-1] + line + b"\n" + STOP + DONE
    for reads in cuttings(body):
        again = repaired(reads)
        assert parse(again.body).choices[0].logprobs == again.completion.choices[0].logprobs


def test_logprobs_without_a_list_are_left_out() -> None:
    again = repaired([ROLE, chunk({"content": "a"}, logprobs={"content": 0}), STOP, DONE])
    assert again.completion.choices[0].logprobs == {"content": 0}
    choice = parse(again.body).choices[0]
    assert (choice.message.content, choice.logprobs) == ("a", None)


@pytest.mark.parametrize("reason", [b'""', b'"null"'])
def test_empty_finish_reason_is_not_passed_on_where_a_repeated_key_hides_it(reason: bytes) -> None:
    first = ROLE.replace(b'"finish_reason"', b'"finish_reason": %s, "finish_reason"' % reason)
    assert reason in first
    again = repaired([first, *TEXT, STOP, DONE])
    assert "finish-reason-empty" in [defect.code for defect in again.completion.verdict.defects]
    assert parse(again.body).verdict.defects == []
    assert parse(again.body).content == again.completion.content


def test_choices_stay_apart() -> None:
    reads = [
        event({**ABOUT, "choices": [
            {"index": 0, "delta": {"role": "assistant", "content": "a"}},
            {"index": 1, "delta": {"role": "assistant", "content": "b"}},
        ]}),
        chunk(finish_reason="stop"),
        chunk(index=1, finish_reason="stop"),
        DONE,
    ]  # fmt: skip
    again = repaired(reads, asked=Asked(stream=True, n=2))
    assert again.body == b"".join(reads)
    assert again.failure is None


def test_choices_begin_in_order_for_who_asked_for_several() -> None:
    # The SDK's stream() raises IndexError where the first chunk is not of choice 0.
    later = chunk({"role": "assistant", "content": "c"}, index=2)
    reads = [later, chunk({"content": "d"}, index=2), chunk({"content": "b"}, index=1)]
    chunks = repaired(reads, asked=Asked(stream=True, n=3)).payloads
    assert [[choice["index"] for choice in one["choices"]] for one in chunks] == [
        [0, 1, 2],
        [2],
        [1],
    ]
    assert [choice["delta"].get("content") for choice in chunks[0]["choices"]] == [None, None, "c"]
    assert {choice["delta"]["role"] for choice in chunks[0]["choices"]} == {"assistant"}
    assert repaired(reads).payloads[0]["choices"] == [{**chunks[0]["choices"][2]}]


def test_choice_that_was_asked_for_and_never_came_fails() -> None:
    again = repaired(TEXT, asked=Asked(stream=True, n=2))
    assert again.failure is not None
    assert "choice 1 was asked for" in again.failure
    assert DONE not in again.body


@pytest.mark.parametrize("name", ["json-completion", "json-as-stream"])
def test_document_becomes_a_stream(name: str) -> None:
    body = SCENARIOS[name].reply.body
    again = repaired([body], content_type="application/json")
    assert again.failure is None
    assert again.payloads[-1] == "[DONE]"
    assert parse(again.body).content == parse(body).content


# Tool calls --------------------------------------------------------------------------------------


def test_call_leaves_whole_when_its_choice_has_ended_and_before_that_chunk() -> None:
    again = repaired(CALL)
    assert again.sent[:4] == [ROLE, b"", b"", b""]
    assert again.sent[4].endswith(CALL[4])
    assert call_of(again.deltas) == [("look_up", '{"city":"Oslo"}')]


def test_calls_keep_their_order_ids_and_unknown_keys() -> None:
    reads = [
        chunk({"role": "assistant", **fragment(0, name="a", arguments="{")}),
        chunk(fragment(1, name="b", arguments="")),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": "}"}, "extra_content": 1}]}),
        chunk(finish_reason="tool_calls"),
        DONE,
    ]
    deltas = repaired(reads).deltas
    assert call_of(deltas) == [("a", "{}"), ("b", "{}")]
    parts = [part for delta in deltas for part in delta.get("tool_calls", ())]
    assert [part["id"] for part in parts if "id" in part] == ["call_0", "call_1"]
    assert parts[0]["extra_content"] == 1


def test_call_and_text_and_finish_and_usage_in_one_chunk_all_leave() -> None:
    delta = {"role": "assistant", "content": "a", **fragment(name="f", arguments="{}")}
    choice = {"index": 0, "delta": delta, "finish_reason": "tool_calls"}
    again = repaired([event({**ABOUT, "choices": [choice], "usage": USAGE}), DONE])
    read = parse(again.body)
    assert read == parse(again.body)
    assert (read.content, call_of(again.deltas)) == ("a", [("f", "{}")])
    assert read.usage is not None
    assert read.usage.total_tokens == 5
    assert again.failure is None


def test_custom_call_leaves_as_one() -> None:
    custom = {"index": 0, "id": "c", "type": "custom", "custom": {"name": "run", "input": "ls"}}
    reads = [chunk({"role": "assistant", "tool_calls": [custom]}), CALL[4], DONE]
    tools = [{"type": "function"}, {"type": "custom"}]
    for asked in (Asked(stream=True, tools=tools), Asked(stream=True, tools=tools, functions=[{}])):
        again = repaired(reads, asked=asked)
        assert call_of(again.deltas) == [("run", "ls")]
        assert again.failure is None
    for asked in (Asked(stream=True), Asked(stream=True, tools=[{"type": "function"}, "odd"])):
        again = repaired(reads, asked=asked)
        assert again.failure == "choice 0 calls a custom tool, and none was offered: run(ls)"
        assert call_of(again.deltas) == []
        assert DONE not in again.body


def test_function_call_leaves_as_one_only_for_who_asked_with_functions() -> None:
    reads = [
        chunk({"role": "assistant", "function_call": {"name": "f", "arguments": "{"}}),
        chunk({"function_call": {"arguments": "}"}}),
        chunk(finish_reason="function_call"),
        DONE,
    ]
    older = repaired(reads, asked=Asked(stream=True, functions=[{}])).deltas
    calls = [delta["function_call"] for delta in older if "function_call" in delta]
    assert calls == [{"name": "f", "arguments": ""}, {"arguments": "{}"}]
    assert call_of(repaired(reads).deltas) == [("f", "{}")]


def test_second_call_without_an_id_is_no_function_call() -> None:
    parts = [{"index": n, "function": {"name": "f", "arguments": str(n)}} for n in range(2)]
    reads = [chunk({"role": "assistant", "tool_calls": parts}), CALL[4], DONE]
    deltas = repaired(reads, asked=Asked(stream=True, functions=[{}])).deltas
    assert call_of(deltas) == [("f", "0"), ("f", "1")]


@pytest.mark.parametrize(
    ("sent", "given"),
    [
        ("", "{}"),
        (r'"{\"a\": 1}"', '{"a": 1}'),
        (r'"{oops}"', r'"{oops}"'),
        ('"text"', '"text"'),
        ("[1]", "[1]"),
    ],
)
def test_arguments_leave_as_the_object_that_they_mean(sent: str, given: str) -> None:
    again = repaired([ROLE, chunk(fragment(name="f", arguments=sent)), CALL[4], DONE])
    assert call_of(again.deltas) == [("f", given)]
    assert again.completion.tool_calls[0].arguments == sent
    assert again.failure is None


def test_custom_call_leaves_as_it_is() -> None:
    delta = {"tool_calls": [{"index": 0, "id": "c", "type": "custom", "custom": {"name": "f"}}]}
    asked = Asked(stream=True, tools=[{"type": "custom"}])
    again = repaired([ROLE, chunk(delta), CALL[4], DONE], asked=asked)
    assert call_of(again.deltas) == [("f", "")]


def test_invalid_arguments_fail_and_never_leave() -> None:
    again = repaired([ROLE, chunk(fragment(name="f", arguments="{oops")), CALL[4], DONE])
    assert call_of(again.deltas) == []
    assert again.failure == "choice 0: the arguments cannot be used: f({oops), invalid"
    assert DONE not in again.body


def test_torn_call_of_a_truncated_answer_is_left_out_and_its_reason_stays() -> None:
    length = chunk(finish_reason="length")
    again = repaired([ROLE, *CALL[1:3], length, DONE])
    assert again.body == ROLE + length + DONE
    assert again.failure is None


def test_nameless_call_of_a_complete_answer_fails() -> None:
    again = repaired([ROLE, chunk(fragment(arguments="{}")), CALL[4], DONE])
    assert again.failure is not None
    assert "call without name" in again.failure


def test_call_that_is_taken_back_after_it_left_fails() -> None:
    again = repaired([*CALL[:5], chunk(fragment(arguments="more")), DONE])
    assert again.failure is not None
    assert DONE not in again.body


def test_call_that_was_changed_after_it_left_is_told_by_the_failure() -> None:
    filtered = chunk(finish_reason="content_filter")
    again = repaired([*CALL[:5], filtered, DONE])
    assert again.failure == "what was passed on of choice 0 turned out to be something else"


# Usage -------------------------------------------------------------------------------------------


def test_usage_comes_once_at_the_end_as_sent() -> None:
    early = event({**ABOUT, "choices": [], "usage": {**USAGE, "total_tokens": 4}})
    again = repaired([ROLE, early, STOP, USAGE_EVENT, DONE], asked=ASKED_FOR_USAGE)
    assert again.body == ROLE + STOP + USAGE_EVENT + DONE


def test_usage_that_nobody_asked_for_stands_beside_a_choice() -> None:
    *_, usage, _ = repaired([ROLE, STOP, USAGE_EVENT, DONE]).payloads
    assert usage["usage"] == USAGE
    assert usage["choices"] == [{"index": 0, "delta": {}, "finish_reason": None}]


def test_usage_in_every_chunk_is_given_once() -> None:
    def with_usage(text: str, tokens: int) -> bytes:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
        counts = {**USAGE, "completion_tokens": tokens}
        return event({**ABOUT, "choices": [choice], "usage": counts})

    reads = [ROLE, USAGE_EVENT, with_usage("a", 1), with_usage("b", 9), STOP, DONE]
    again = repaired(reads, asked=ASKED_FOR_USAGE)
    usages = [one["usage"] for one in again.payloads if isinstance(one, dict) and "usage" in one]
    assert usages == [{**USAGE, "completion_tokens": 9}]
    assert again.completion.content == parse(again.body).content == "ab"


def test_usage_without_all_counts_has_null_for_them_and_one_without_any_is_left_out() -> None:
    for sent, given_out in (
        (
            {"prompt_tokens": 3, "cost": 1},
            [{**dict.fromkeys(USAGE), "prompt_tokens": 3, "cost": 1}],
        ),
        ({"prompt_tokens": "3"}, []),
    ):
        odd = event({**ABOUT, "choices": [], "usage": sent})
        again = repaired([ROLE, STOP, odd, DONE], asked=ASKED_FOR_USAGE)
        payloads = [one for one in again.payloads if isinstance(one, dict)]
        assert [one["usage"] for one in payloads if "usage" in one] == given_out


# What is revised ---------------------------------------------------------------------------------

GROWING = ["The t", "The tide", "The tide comes", "The tide comes in twice a day"]


@pytest.mark.parametrize("key", ["content", "reasoning_content"])
def test_snapshots_become_deltas(key: str) -> None:
    again = repaired([ROLE, *(chunk({key: text}) for text in GROWING), STOP, DONE])
    assert "".join(delta.get(key) or "" for delta in again.deltas) == GROWING[-1]
    assert again.failure is None


def test_snapshots_that_take_text_back_fail() -> None:
    again = repaired([ROLE, *(chunk({"content": text}) for text in [*GROWING, "No"]), STOP, DONE])
    assert again.failure == "what was passed on of choice 0 turned out to be something else"
    assert DONE not in again.body


def test_changed_finish_reason_is_passed_on() -> None:
    again = repaired([ROLE, STOP, chunk(finish_reason="length"), DONE])
    assert parse(again.body).finish_reason == "length"
    assert again.failure is None


def test_name_in_pieces_leaves_as_it_is_in_the_end() -> None:
    reads = [
        ROLE,
        chunk(fragment(name="look", arguments="")),
        chunk({"tool_calls": [{"index": 0, "function": {"name": "_up", "arguments": "{}"}}]}),
        CALL[4],
        DONE,
    ]
    assert call_of(repaired(reads).deltas) == [("look_up", "{}")]


def test_surrogate_pair_over_two_chunks_becomes_one_character() -> None:
    reads = [ROLE, *(chunk({"content": "?"}).replace(b"?", half) for half in HALVES), STOP, DONE]
    again = repaired(reads)
    assert again.failure is None
    assert "".join(delta.get("content") or "" for delta in again.deltas) == "😀!"


HALVES = (rb"\ud83d", rb"\ude00!")


def test_text_that_only_looked_like_snapshots_gets_what_was_held() -> None:
    laughs = ["ha" * times for times in (1, 2, 4, 11)] + ["!"]
    again = repaired([ROLE, *(chunk({"content": text}) for text in laughs), STOP, DONE])
    assert again.failure is None
    assert parse(again.body).content == "".join(laughs)


# Errors and ends ---------------------------------------------------------------------------------


def test_error_inside_the_stream_comes_as_openais_and_nothing_after_it() -> None:
    again = repaired([*TEXT[:2], event({"error": "busy"}), STOP, DONE])
    assert again.payloads[-1] == {
        "error": {"message": "busy", "type": None, "param": None, "code": None}
    }
    assert again.failure is not None
    assert "busy" in again.failure


def test_half_a_surrogate_pair_in_an_error_field_is_replaced() -> None:
    again = repaired([ROLE, b'error: {"message":"m","type":"a\\ud83d","code":9}\n\n'])
    assert again.payloads[-1]["error"]["type"] == "a\ufffd"


ENDS = [
    (TEXT[:3], "eof", "with no [DONE], choice 0 unfinished"),
    ([*TEXT[:3], DONE], "eof", "[DONE] came, choice 0 unfinished"),
    ([*TEXT[:2], TEXT[2][:30]], "eof", "30 bytes of an event were cut"),
    (TEXT[:3], "cut", "the connection was reset"),
    (TEXT[:3], "stalled", "clock idle"),
    (TEXT[:3], "cancelled", "closed by the caller"),
    ([], "eof", "held no choice"),
    ([*TEXT[:2], b'data: {"choices":[\n\n', *TEXT[2:]], "eof", "an event is lost"),
    ([*TEXT[:2], b"<html>\n", *TEXT[2:]], "eof", "HTML"),
    (CALL[:4], "eof", "inside tool call 0 of choice 0"),
    ([ROLE, chunk(finish_reason="insufficient_system_resource"), DONE], "eof", "ended normally"),
    ([ROLE, chunk(finish_reason="error"), DONE], "eof", "by its finish reason"),
]


@pytest.mark.parametrize(("reads", "ending", "why"), ENDS)
def test_what_is_not_whole_fails_says_what_is_missing_and_is_never_done(
    reads: list[bytes], ending: Any, why: str
) -> None:
    again = repaired(reads, ending=ending)
    assert again.failure is not None
    assert why in again.failure
    assert b"[DONE]" not in again.body
    assert call_of(again.deltas) == []


def test_end_without_done_after_the_finish_reason_is_done() -> None:
    again = repaired(TEXT[:-1])
    assert again.body == b"".join(TEXT)


def test_cause_of_a_failure_holds_the_completion_or_the_call() -> None:
    for reads, kind in (
        (TEXT[:2], StreamInterrupted),
        ([event({"error": "busy"})], StreamFailed),
        ([ROLE, chunk(fragment(name="f", arguments="{oops")), CALL[4], DONE], NotWhole),
    ):
        repair = Repair(Asked(stream=True), Options(), Clocks())
        repair.receive(b"".join(reads), 0.0, False)
        repair.receive(None, 0.0, False)
        assert repair.failure is not None
        assert type(repair.failure.cause) is kind


@pytest.mark.parametrize("limits", [{"event": 100}, {"body": 500}, {"text": 3}, {"line": 90}])
def test_nothing_is_sent_on_after_a_limit(limits: dict[str, int]) -> None:
    options = Options(limits=Limits(**limits))
    body = b"".join(TEXT)
    whole = repaired([body], options=options)
    assert whole.failure is not None
    assert DONE not in whole.body
    for reads in cuttings(body):
        assert repaired(reads, options=options).body == whole.body


# All of it ---------------------------------------------------------------------------------------

BODIES = {case.name: (case.content_type, case.body) for case in corpus() if case.status == 200}
REAL = {case.name: (case.content_type, case.body) for case in captures() if case.status == 200}


def oddities(given: Input, reads: list[list[bytes]]) -> list[str]:
    """What does not hold of an input, read so."""
    whole = repair(given)
    options = given.options
    direct = parse(given.body, content_type=given.content_type, options=options)
    found: list[str | None] = list(keeps_the_answer(given, whole, direct))
    found += [is_same(whole, repair(given, one)) for one in reads]
    return [one for one in found if one is not None]


@pytest.mark.parametrize("name", [*BODIES, *REAL])
def test_who_reads_the_repaired_body_reads_the_answer(name: str) -> None:
    content_type, body = {**BODIES, **REAL}[name]
    reads = [by_event(body)]
    if len(body) < 5000:
        reads += cuttings(body)
    assert oddities(Input(body, 200, content_type), reads) == []


@given(bodies | damaged_bodies())
@settings(max_examples=60)
def test_who_reads_any_repaired_body_reads_the_answer_or_gets_a_failure(body: bytes) -> None:
    half = len(body) // 2
    assert oddities(Input(body), [[body[:half], body[half:]], by_event(body)]) == []
