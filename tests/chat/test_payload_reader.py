"""What a payload says: the end mark, a heartbeat, an error, a chunk (rules 4, 7 and 14)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.builder import CompletionBuilder
from untorn.chat.completion import Completion
from untorn.chat.payload import Item, KeepAlive, Kind, Note, Payload
from untorn.chat.payload_reader import LARGE, PayloadReader
from untorn.chat.verdict import Defect, ErrorObject
from untorn.chat.wide import decode_wide
from untorn.events import DefectFound, ErrorReported, Heartbeat, Started, StreamEvent, TextDelta
from untorn.head import Head
from untorn.options import Limits, Options

CHUNK = b'{"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}]}'
EMPTY = b'{"choices":[]}'
SPLIT = b'{"choices":[{"index":0,"delta":{"content":"%s"}}]}'


class Reading:
    """What comes of items; the payload of item number ``n`` is at byte ``n``."""

    def __init__(
        self, *items: Item, head: Head | None = None, limits: Limits = Limits(depth=8)
    ) -> None:
        options = Options(limits=limits)
        self.builder = CompletionBuilder(options, head, lambda _: self._number)
        self._number = 0
        reader = PayloadReader(self.builder, limits)
        for number, item in enumerate(items):
            self._number = number
            reader.receive(item)

    @property
    def events(self) -> list[StreamEvent]:
        """Those that are no defects."""
        return [event for event in self.builder.out if not isinstance(event, DefectFound)]

    @property
    def completion(self) -> Completion:
        return self.builder.completion(None, None)

    @property
    def defects(self) -> list[Defect]:
        return self.completion.verdict.defects

    @property
    def codes(self) -> list[str]:
        return [defect.code for defect in self.defects]

    @property
    def error(self) -> ErrorObject | None:
        return self.builder.error


def event(data: bytes) -> Payload:
    return Payload(data, "event", 0)


def error_event(data: bytes) -> Payload:
    return Payload(data, "error event", 0)


# Items ---------------------------------------------------------------------------------------


def test_line_of_a_usual_event_says_what_is_behind_its_prefix() -> None:
    reading = Reading(CHUNK)
    assert reading.events == [Started("c1", None), TextDelta(0, "a")]
    assert reading.events == Reading(event(CHUNK)).events


def test_comment_is_a_heartbeat_and_no_defect() -> None:
    reading = Reading(KeepAlive())
    assert reading.events == [Heartbeat()]
    assert reading.defects == []


def test_note_becomes_a_defect_at_its_place() -> None:
    reading = Reading(event(EMPTY), Note("missing-data-prefix", "no data:", 7, 3))
    assert reading.defects == [Defect("missing-data-prefix", "warning", 1, 3, "no data:")]


# The end mark (rule 4) -----------------------------------------------------------------------


def test_end_mark_is_no_defect() -> None:
    reading = Reading(event(b"[DONE]"))
    assert reading.builder.done
    assert reading.defects == []


@pytest.mark.parametrize("mark", [b"[done]", b'"[DONE]"', b"DONE", b" [DONE]"])
@pytest.mark.parametrize("kind", ["event", "error event"])
def test_end_mark_in_another_spelling_is_one_too(mark: bytes, kind: Kind) -> None:
    reading = Reading(Payload(mark, kind, 0))
    assert reading.builder.done
    assert reading.error is None
    shown = mark.decode()
    assert reading.defects == [
        Defect("done-variant", "info", 0, 1, f'the end mark is not [DONE]: "{shown}"')
    ]


# Heartbeats (rule 4) -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data", [b"", b" \n", b"null", b"\tnull ", b": hi", b"{}", b' {"type": "ping"}']
)
def test_data_that_says_nothing_is_a_heartbeat(data: bytes) -> None:
    reading = Reading(event(data))
    assert reading.events == [Heartbeat()]
    assert reading.codes == ["heartbeat-data"]
    assert reading.defects[0].detail.startswith("a keep-alive came as data: ")


@pytest.mark.parametrize("data", [b'{"type": "pong"}', b'{"type": "ping", "x": 1}', b'{"a": {}}'])
def test_other_objects_are_ignored(data: bytes) -> None:
    reading = Reading(event(data))
    assert reading.events == []
    shown = data.decode()
    assert reading.defects == [
        Defect("unrecognised-event", "info", 0, 1, f'an event was ignored: "{shown}"')
    ]


# What is no JSON (rule 4) --------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"hello", b"1", b'"x"', b"true", b"NaN"])
def test_data_that_does_not_start_like_json_is_ignored(data: bytes) -> None:
    reading = Reading(event(data))
    assert reading.events == []
    assert reading.codes == ["not-json"]
    assert reading.defects[0].detail == f'text came as data and was ignored: "{data.decode()}"'


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"choices": [', "an event is lost, Expecting value: line 1 column 14 (char 13)"),
        (b"{'a': 1}", "an event is lost, Expecting property name enclosed in double quotes"),
        (b"[" * 9 + b"]" * 9, "an event is lost, arrays and objects lie more than 8 deep"),
        (b'x{"choices": []}', "text with choices in it is lost"),
    ],
)
def test_data_that_starts_like_json_or_holds_choices_is_lost(data: bytes, why: str) -> None:
    reading = Reading(event(data))
    assert reading.events == []
    assert reading.codes == ["bad-json"]
    assert reading.defects[0].severity == "error"
    detail = reading.defects[0].detail
    assert detail.startswith(why)
    assert detail.endswith(f': "{data.decode()}"')
    assert reading.error is None


# Arrays (rule 4) -----------------------------------------------------------------------------


def test_array_is_read_item_by_item() -> None:
    reading = Reading(event(b"[" + CHUNK + b', {"error": {"message": "m"}}, 5, {}]'))
    assert reading.events == [
        Started("c1", None),
        TextDelta(0, "a"),
        ErrorReported(ErrorObject("m", raw={"message": "m"})),
        Heartbeat(),
    ]
    assert reading.codes == ["error-shape", "unrecognised-event", "heartbeat-data"]


def test_array_without_items_is_ignored() -> None:
    reading = Reading(event(b"[]"))
    assert reading.codes == ["unrecognised-event"]
    assert reading.defects[0].detail == 'an empty array came as an event: "[]"'


def test_item_that_is_no_object_is_ignored() -> None:
    reading = Reading(event(b"[1, null, [{}]]"))
    assert reading.events == []
    assert reading.defects == [
        Defect(
            "unrecognised-event",
            "info",
            0,
            3,
            'an array holds what is no object: "[1, null, [{}]]"',
        )
    ]


# Documents (rule 6) --------------------------------------------------------------------------

WHOLE = b'{"object":"chat.completion","choices":[{"index":0,"message":{"content":"a"}}]}'


def test_messages_are_usual_in_a_line_that_may_be_a_document() -> None:
    reading = Reading(Payload(WHOLE, "line", 0))
    assert reading.events == [Started(None, None), TextDelta(0, "a")]
    assert reading.codes == []


def test_messages_are_odd_in_an_event_and_in_an_array() -> None:
    assert Reading(event(WHOLE)).codes == ["completion-in-stream"]
    assert Reading(Payload(b"[" + WHOLE + b"]", "line", 0)).codes == ["completion-in-stream"]


# Errors (rule 7) -----------------------------------------------------------------------------


def test_canonical_error_is_no_odd_shape() -> None:
    reading = Reading(event(b'{"error": {"message": "m", "code": 429}}'))
    assert reading.events == [
        ErrorReported(ErrorObject("m", "429", raw={"message": "m", "code": 429}))
    ]
    assert reading.codes == []


def test_error_takes_the_status_of_a_head_that_failed() -> None:
    data = event(b'{"error": {"message": "m"}}')
    failed = Reading(data, head=Head(503)).error
    assert failed is not None
    assert failed.status == 503
    fine = Reading(data, head=Head(200)).error
    assert fine is not None
    assert fine.status is None


def test_error_next_to_choices_is_reported_after_them() -> None:
    reading = Reading(event(CHUNK[:-1] + b',"error":{"message":"m"}}'))
    assert [type(one) for one in reading.events] == [Started, TextDelta, ErrorReported]
    assert reading.codes == []


def test_error_needs_no_choices_beside_it() -> None:
    reading = Reading(event(b'{"usage":{"total_tokens":1},"error":{"message":"m"}}'))
    assert reading.codes == []
    assert Reading(event(b'{"usage":{"total_tokens":1}}')).codes == ["choices-missing"]


def test_only_the_first_error_is_reported() -> None:
    reading = Reading(event(b'{"error": "first"}'), event(b'{"error": "second"}'))
    assert reading.error == ErrorObject("first", raw={"error": "first"})
    assert len(reading.events) == 1
    assert reading.defects[0].count == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b" too busy\n", "too busy"),
        (b"too\nbusy", "too\nbusy"),
        (b": hi", ": hi"),
        (b"", ""),
        (b"null", ""),
        (b"{}", ""),
        (b"[]", ""),
        (b"[1]", "[1]"),
        (b'{"why": "busy"}', '{"why":"busy"}'),
        (b'{"message": "m"}', "m"),
        (b' {"message": "m"}', "m"),
        (b'[{"message": "m"}]', "m"),
        (b' [{"message": "m"}]', "m"),
        (b'"m"', '"m"'),
    ],
)
def test_whatever_comes_in_an_event_named_error_is_one(data: bytes, message: str) -> None:
    reading = Reading(error_event(data))
    assert reading.error is not None
    assert reading.error.message == message
    assert reading.codes == ["error-shape"]


def test_error_event_that_is_broken_json_is_its_own_message() -> None:
    reading = Reading(error_event(b'{"message": "m'))
    assert reading.error == ErrorObject('{"message": "m', raw='{"message": "m')
    assert reading.codes == ["bad-json", "error-shape"]


def test_chunk_in_an_event_named_error_is_a_chunk() -> None:
    reading = Reading(error_event(CHUNK))
    assert reading.events == [Started("c1", None), TextDelta(0, "a")]
    assert reading.error is None


def test_canonical_error_in_an_event_named_error_has_the_right_shape() -> None:
    assert Reading(error_event(b'{"error": {"message": "m"}}')).codes == []


@pytest.mark.parametrize(
    ("data", "message", "code"),
    [(b'"busy"', "busy", None), (b'{"message": "m", "code": 1}', "m", "1")],
)
def test_field_named_error_is_read_as_under_a_key_error(
    data: bytes, message: str, code: str | None
) -> None:
    reading = Reading(Payload(data, "error field", 0))
    assert reading.error is not None
    assert (reading.error.message, reading.error.code) == (message, code)
    # An object with a message is the usual shape, a text is not; framing tells of the field.
    assert reading.codes == ([] if code else ["error-shape"])


def test_text_that_is_a_body_is_its_message() -> None:
    reading = Reading(Payload(b"\n bad gateway\n", "text", 0), head=Head(502))
    assert reading.error == ErrorObject("bad gateway", status=502, raw="bad gateway")
    assert reading.codes == ["error-shape"]


def test_text_of_an_error_that_is_no_utf_8_is_told() -> None:
    reading = Reading(error_event(b"caf\xe9"))
    assert reading.error is not None
    assert reading.error.message == "caf\ufffd"
    assert reading.codes == ["invalid-utf8", "error-shape"]


# Allowances (rule 14) ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "code", "detail"),
    [
        (b'{"choices":[],"x":"\n"}', "json-control-char", "a string holds an unescaped control"),
        (b'{"choices":[],"x":NaN}', "json-nonfinite", "a number is NaN or infinite: "),
        (b'{"choices":[],"x":"\xff"}', "invalid-utf8", "bytes are no UTF-8: "),
        (b'{"choices":[],"x":1,"x":2}', "duplicate-key", "an object holds a key twice: "),
        (b'{"choices":[],"x":"\\ud83d"}', "lone-surrogate", "half a surrogate pair stands alone: "),
    ],
)
def test_allowance_is_told_with_its_place(data: bytes, code: str, detail: str) -> None:
    reading = Reading(event(data))
    assert reading.codes == [code]
    assert reading.defects[0].detail.startswith(detail)
    assert reading.defects[0].severity == "warning"


def repeated(key: str) -> bytes:
    """A delta in which a null stands after what it says."""
    values = {
        "role": '"role":"tool","role":null',
        "content": '"content":"a","content":null',
        "reasoning": '"reasoning":"a","reasoning":null',
        "tool_calls": '"tool_calls":[{"index":0,"id":"x"}],"tool_calls":null',
    }
    return f'{{"choices":[{{"index":0,"delta":{{{values[key]}}}}}]}}'.encode()


@pytest.mark.parametrize("key", ["role", "content", "reasoning", "tool_calls"])
def test_repeated_key_is_looked_for_in_the_first_delta_of_each_kind(key: str) -> None:
    reading = Reading(event(repeated(key)))
    assert "duplicate-key" in reading.codes
    message: Any = reading.completion.choices[0].message
    assert getattr(message, key) not in (None, [])


def test_repeated_key_is_looked_for_in_the_first_usage_and_finish_too() -> None:
    finish = b'{"choices":[{"index":0,"delta":{},"finish_reason":"stop","finish_reason":null}]}'
    usage = b'{"choices":[],"usage":{"total_tokens":1},"usage":null}'
    assert Reading(event(finish)).completion.finish_reason == "stop"
    used = Reading(event(usage)).completion.usage
    assert used is not None
    assert used.total_tokens == 1


def test_repeated_key_is_not_looked_for_in_the_second_delta_of_a_kind() -> None:
    second = b'{"choices":[{"index":0,"delta":{"content":"x","content":"b"}}]}'
    reading = Reading(event(CHUNK), event(second))
    assert reading.completion.content == "ab"
    assert reading.codes == []


def test_repeated_key_is_looked_for_in_every_delta_from_the_first_find_on() -> None:
    hidden = b'{"choices":[{"index":0,"delta":{"content":"b","content":null}}]}'
    reading = Reading(event(repeated("content")), event(hidden))
    assert reading.completion.content == "ab"
    assert reading.builder.is_plain
    (defect,) = reading.defects
    assert (defect.code, defect.offset, defect.count) == ("duplicate-key", 0, 2)


def test_repeated_key_is_looked_for_from_the_first_find_on_though_it_hides_nothing() -> None:
    second = b'{"choices":[{"index":0,"delta":{"content":"x","content":"b"}}]}'
    (defect,) = Reading(event(repeated("content")), event(second)).defects
    assert (defect.code, defect.count) == ("duplicate-key", 2)


def test_one_key_error_is_no_reason_to_look_for_repeated_keys() -> None:
    second = b'{"error":"","choices":[{"index":0,"delta":{"content":"x","content":"b"}}]}'
    assert Reading(event(CHUNK), event(second)).codes == []


def test_halves_beside_a_repeated_key_wait_in_texts_and_nowhere_else() -> None:
    first = b'{"x":1,"x":2,"id":"c\\ud83d","choices":[{"index":0,"delta":{"content":"\\ud83d"}}]}'
    reading = Reading(event(first), event(SPLIT % b"\\ude00"))
    assert (reading.completion.id, reading.completion.content) == ("c\ufffd", "\N{GRINNING FACE}")


def test_repeated_key_is_looked_for_in_every_item_of_an_array() -> None:
    chunk = repeated("content")
    assert Reading(event(b"[%s,%s]" % (chunk, chunk))).completion.content == "aa"


@pytest.mark.parametrize("rest", ["", ',"choices":[]'])
def test_error_is_not_hidden_by_a_second_key(rest: str) -> None:
    reading = Reading(event(f'{{"error":{{"message":"m"}},"error":null{rest}}}'.encode()))
    assert reading.error is not None
    assert reading.error.message == "m"
    assert "duplicate-key" in reading.codes


@pytest.mark.parametrize(
    "rest",
    [
        b',"error":null,"error":null',
        b',"x":{"error":1,"error":2}',
        b',"obfuscation":"error","x":"error"',
    ],
)
def test_other_keys_are_not_looked_at_where_no_error_can_be_hidden(rest: bytes) -> None:
    """Nor are they on the fast way, which takes keys of a vendor, and logprobs, unseen."""
    reading = Reading(event(CHUNK), event(CHUNK[:-1] + rest + b',"y":1,"y":2}'))
    assert "duplicate-key" not in reading.codes
    assert reading.completion.extra["y"] == 2


def test_error_is_not_hidden_by_a_second_list_of_choices() -> None:
    hidden = b'{"choices":[{"error":"m"}],"x":1,"choices":[{"error":null,"delta":{"content":"a"}}]}'
    assert "duplicate-key" in Reading(event(CHUNK), event(hidden)).codes


def test_colons_in_a_text_are_no_repeated_keys() -> None:
    reading = Reading(event(CHUNK.replace(b'"a"', b'"a: b"')))
    assert reading.completion.content == "a: b"
    assert reading.codes == []


def test_chunk_too_deep_for_a_search_is_read_without_one() -> None:
    # A caller who allows such depth may have a stack that bears the decoder, but not the search.
    ways = set()
    for depth in range(800, 1000, 5):
        deep = b"[" * depth + b"]" * depth
        data = CHUNK[:-1] + b',"y":1,"y":2,"x":' + deep + b"}"
        reading = Reading(event(data), limits=Limits(depth=1000))
        assert reading.completion.content == ("a" if "bad-json" not in reading.codes else None)
        ways.add(tuple(reading.codes))
    assert {("duplicate-key",), ()} <= ways


def test_large_chunk_too_deep_for_a_search_is_read_or_told_to_be_lost() -> None:
    ways = set()
    for depth in range(800, 1000, 5):
        deep = b"[" * depth + b"]" * depth + b" " * LARGE
        data = CHUNK[:-1] + b',"y":1,"y":2,"x":' + deep + b"}"
        reading = Reading(event(data), limits=Limits(depth=1000))
        assert reading.completion.content == ("a" if "bad-json" not in reading.codes else None)
        ways.add(tuple(reading.codes))
    assert {("duplicate-key",), ("bad-json", "choices-missing")} <= ways


# Half surrogate pairs (rule 14) --------------------------------------------------------------


def test_halves_of_a_text_wait_for_each_other_and_those_of_a_name_do_not() -> None:
    first, second = SPLIT % b"\\ud83d", SPLIT % b"\\ude00"
    reading = Reading(event(first), event(second))
    assert reading.completion.content == "\N{GRINNING FACE}"
    assert reading.codes == ["surrogate-split"]
    named = Reading(event(b'{"id":"\\ud83d","choices":[]}'))
    assert named.completion.id == "\ufffd"
    assert named.codes == ["lone-surrogate"]


def test_pair_of_halves_in_one_string_is_a_character() -> None:
    reading = Reading(event(SPLIT % b"\\ud83d\\ude00"))
    assert reading.completion.content == "\N{GRINNING FACE}"
    assert reading.codes == []


def test_half_in_the_message_of_an_error_becomes_u_fffd() -> None:
    reading = Reading(event(b'{"error": {"message": "a\\ud83d"}}'))
    assert reading.error == ErrorObject("a\ufffd", raw={"message": "a\ufffd"})


def test_half_in_a_key_beside_a_call_becomes_u_fffd_though_it_may_wait_elsewhere() -> None:
    part = b'{"index":0,"thinking":"a\\ude00","function":{"name":"f","arguments":"{}"}}'
    delta = b'{"choices":[{"index":0,"delta":{"tool_calls":[%s]}}]}' % part
    (call,) = Reading(event(delta)).completion.tool_calls
    assert call.extra == {"thinking": "a\ufffd"}


def test_half_in_what_is_kept_as_it_came_becomes_u_fffd() -> None:
    half = b"\\ud83d"
    choices = (
        b'{"index":0,"x":"%s"}' % half,
        b'{"index":1,"delta":{"annotations":["%s"],"content":[{"type":"image","x":"%s"}]}}'
        % (half, half),
        b'{"index":2,"delta":{"x":{"y":"%s"},"reasoning_details":[{"type":"a","x":"%s"}]}}'
        % (half, half),
    )
    data = b'{"choices":[%s],"x":"%s","usage":{"total_tokens":1,"x":"%s"}}'
    completion = Reading(event(data % (b",".join(choices), half, half))).completion
    first, second, third = completion.choices
    assert completion.extra == {"x": "\ufffd"}
    assert completion.usage is not None
    assert completion.usage.details == {"x": "\ufffd"}
    assert first.extra == {"x": "\ufffd"}
    assert second.message.annotations == ["\ufffd"]
    assert second.message.extra == {"content_parts": [{"type": "image", "x": "\ufffd"}]}
    assert third.message.extra == {"x": {"y": "\ufffd"}}
    assert third.message.reasoning_details == [{"type": "a", "x": "\ufffd"}]


def test_half_in_what_is_kept_becomes_u_fffd_also_under_a_key_where_texts_wait() -> None:
    half = b'{"text":"\\ud83d"}'
    delta = b'{"annotations":[%s],"content":[{"type":"image","x":%s}],"y":%s}' % ((half,) * 3)
    data = b'{"choices":[{"index":0,"delta":%s,"x":%s}],"x":%s,"usage":{"total_tokens":1,"x":%s}}'
    completion = Reading(event(data % (delta, half, half, half))).completion
    (choice,) = completion.choices
    said = choice.message
    assert completion.usage is not None
    kept = [completion.extra["x"], completion.usage.details["x"], choice.extra["x"]]
    kept += [*said.annotations, said.extra["content_parts"][0]["x"], said.extra["y"]]
    assert kept == [{"text": "\ufffd"}] * 6


# Logprobs ------------------------------------------------------------------------------------

LOGPROBS = b'{"choices":[{"index":0,"delta":{"content":"a"},"logprobs":%s}]}'


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (b'{"content": [{"logprob": -0.10}]}', b'{"content": [{"logprob": -0.10}]}'),
        (b'{"content": [{"logprob": NaN}]}', b'{"content":[{"logprob":null}]}'),
        (b'{"content": [], "content": null}', b'{"content":[]}'),
        (b'{"content": "\xff"}', '{"content":"\ufffd"}'.encode()),
    ],
)
def test_logprobs_are_kept_as_sent_if_they_are_json_by_the_letter(sent: bytes, kept: bytes) -> None:
    completion = Reading(event(LOGPROBS % sent)).completion
    assert completion.choices[0].raw_logprobs == [kept]
    assert completion.choices[0].logprobs is not None


# Limits --------------------------------------------------------------------------------------

FEW = Limits(choices=2, tool_calls=2, depth=8)


@pytest.mark.parametrize(
    ("data", "over"),
    [
        (b'{"choices":[{},{},{}]}', "more than 2 choices in one chunk"),
        (b'{"choices":[1,1,1]}', "more than 2 choices in one chunk"),
        (
            b'{"choices":[5,{"delta":{"tool_calls":[{},{},{}]}}]}',
            "more than 2 tool calls in one delta",
        ),
        (
            b'{"choices":[{"message":{"tool_calls":[{},{},{}]}}]}',
            "more than 2 tool calls in one delta",
        ),
    ],
)
def test_chunk_over_a_limit_is_not_even_read(data: bytes, over: str) -> None:
    reading = Reading(event(data), limits=FEW)
    assert reading.builder.over == over
    assert reading.builder.out == []


def test_chunk_of_the_shortest_choices_is_over_the_limit_too() -> None:
    data = b'{"choices":[%s]}' % b",".join([b"1"] * 101)
    assert Reading(event(data), limits=Limits(choices=100)).builder.over is not None


@pytest.mark.parametrize(
    "data", [b'{"choices":[{},5]}', b'{"choices":[{"delta":{"tool_calls":[{},{}]}}]}']
)
def test_chunk_within_the_limits_is_read(data: bytes) -> None:
    reading = Reading(event(data), limits=FEW)
    assert reading.builder.over is None
    assert reading.events != []


def test_nothing_of_an_array_is_read_after_a_limit() -> None:
    reading = Reading(event(b'[{"choices":[{},{},{}]},' + CHUNK + b"]"), limits=FEW)
    assert reading.events == []


# Anything ------------------------------------------------------------------------------------


@given(
    st.lists(
        st.builds(
            Payload,
            st.binary(max_size=30) | st.sampled_from([CHUNK, WHOLE, EMPTY, b"[DONE]", b"{}"]),
            st.sampled_from(["event", "error event", "line", "text"]),
            st.just(0),
        ),
        max_size=5,
    )
)
def test_nothing_is_raised_for_any_payload(payloads: list[Payload]) -> None:
    reading = Reading(*payloads)
    assert all(str(one).isprintable() for one in reading.builder.out)


def test_number_out_of_range_is_told_unless_it_is_in_logprobs() -> None:
    inside = b'{"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{"content":[1e999]}}]}'
    beside = b'{"choices":[{"index":0,"delta":{"content":"a"}}],"x":1e999}'
    assert "json-nonfinite" not in Reading(inside).codes
    assert "json-nonfinite" in Reading(beside).codes


def test_arguments_beside_a_number_out_of_range_are_not_to_be_run() -> None:
    call = b'{"index":0,"id":"c","function":{"name":"f","arguments":{"a":1e999}}}'
    finish = b'{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}'
    reading = Reading(b'{"choices":[{"index":0,"delta":{"tool_calls":[%b]}}]}' % call, finish)
    (made,) = reading.completion.tool_calls
    assert made.state == "torn"


def test_arguments_beside_no_such_number_may_be_run() -> None:
    call = b'{"index":0,"id":"c","function":{"name":"f","arguments":{"a":1}}}'
    finish = b'{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}'
    reading = Reading(b'{"choices":[{"index":0,"delta":{"tool_calls":[%b]}}]}' % call, finish)
    (made,) = reading.completion.tool_calls
    assert made.state == "whole"


def test_event_with_too_many_values_passes_a_limit() -> None:
    reading = Reading(event(b'{"choices":[],"x":[1,2,3,4]}'), limits=Limits(values=13))
    assert reading.builder.over == "an event of more than 13 values"
    assert reading.builder.out == []


def test_chunk_without_a_list_of_choices_has_not_too_many() -> None:
    data = b'{"choices":{},"delta":{"content":"a"}}'
    assert Reading(event(data), limits=FEW).completion.content == "a"


def test_halves_of_pairs_that_make_two_keys_one_are_no_repeated_key() -> None:
    data = CHUNK[:-1] + rb',"\ud800":1,"\ud801":2}'
    assert Reading(event(data)).codes == ["lone-surrogate"]


def test_what_is_kept_beside_a_call_holds_no_halves() -> None:
    call = rb'{"index":0,"arguments":"\ud83d","x":{"text":"\ude00"},"function":{"name":"f"}}'
    reading = Reading(event(b'{"choices":[{"index":0,"delta":{"tool_calls":[' + call + b"]}}]}"))
    (told,) = reading.completion.tool_calls
    assert told.extra == {"arguments": "\ufffd", "x": {"text": "\ufffd"}}


# Chunks that are decoded already -------------------------------------------------------------


@pytest.mark.parametrize("item", [CHUNK, Payload(CHUNK, "event", 0)])
def test_chunk_that_is_decoded_already_is_not_decoded_again(item: Item) -> None:
    reading = Reading()
    wide = decode_wide(CHUNK.replace(b'"a"', b'"decoded"'))
    PayloadReader(reading.builder, Limits()).receive(item, wide)
    assert reading.completion.content == "decoded"


@pytest.mark.parametrize("item", [CHUNK, Payload(CHUNK, "event", 0)])
def test_chunk_that_may_be_too_much_is_read_the_plain_way(item: Item) -> None:
    reading = Reading()
    PayloadReader(reading.builder, Limits(depth=3)).receive(item, decode_wide(CHUNK))
    assert reading.codes == ["bad-json"]


def test_once_a_key_was_repeated_all_is_read_the_plain_way() -> None:
    reading = Reading()
    reader = PayloadReader(reading.builder, Limits())
    twice = b'{"choices":[{"delta":{"content":"b","content":null}}]}'
    for data in (CHUNK, twice, twice):
        reader.receive(data, decode_wide(data))
    assert (reading.completion.content, reading.defects[-1].count) == ("abb", 2)
