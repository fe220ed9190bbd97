"""StreamParser: what is called back, in which order, and what happens when that raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from tests.chat_helpers import DONE, call, chunk, event, finish
from untorn import Limits, Options, StreamClosed, StreamEnded, TextDelta, ToolCall, Usage
from untorn.stream_parser import StreamParser

USAGE = {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}
WHOLE = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"reasoning_content": "Hm."}),
    chunk({"content": "The tide"}),
    chunk({"content": " turns."}),
    chunk(call(id="call_1", name="moon", arguments='{"day"')),
    chunk(call(arguments=": 7}")),
    finish("tool_calls"),
    event({"choices": [], "usage": USAGE}),
    DONE,
]

Log = list[tuple[str, Any]]
NAMES = ("role", "text", "reasoning", "tool_call", "finish", "usage", "error")


def logging(log: Log, *names: str, options: Options = Options()) -> StreamParser:
    """A parser that notes the named callbacks, or all but ``on_event``."""

    def note(name: str) -> Callable[[Any], None]:
        return lambda value: log.append((name, value))

    callbacks: dict[str, Any] = {f"on_{name}": note(name) for name in names or NAMES}
    return StreamParser(**callbacks, options=options)


MOON = ToolCall(0, "call_1", "function", "moon", '{"day": 7}')
TOLD = [
    ("role", "assistant"),
    ("reasoning", "Hm."),
    ("text", "The tide"),
    ("text", " turns."),
    ("tool_call", MOON),
    ("finish", "tool_calls"),
    ("usage", Usage(3, 5, 8)),
]


@pytest.mark.parametrize("size", [1, 7, 64, 100_000])
def test_all_is_called_back_once_however_the_bytes_are_cut(size: int) -> None:
    log: Log = []
    parser = logging(log)
    body = b"".join(WHOLE)
    for start in range(0, len(body), size):
        parser.feed(body[start : start + size])
    completion = parser.close()
    assert log == TOLD
    assert completion.content == "The tide turns."
    assert completion.verdict.outcome == "complete"


def test_events_come_first_and_all_of_them() -> None:
    log: Log = []
    parser = logging(log, "event", "text")
    for data in [*WHOLE, chunk({"content": "x"}, 1)]:
        parser.feed(data)
    parser.close()
    texts = [(name, value) for name, value in log if name == "text" or type(value) is TextDelta]
    assert texts == [
        ("event", TextDelta(0, "The tide")),
        ("text", "The tide"),
        ("event", TextDelta(0, " turns.")),
        ("text", " turns."),
        ("event", TextDelta(1, "x")),
    ]
    assert isinstance(log[-1][1], StreamEnded)


def test_only_choice_0_is_called_back() -> None:
    log: Log = []
    parser = logging(log)
    parser.feed(chunk({"role": "assistant", "content": "One"}, 1))
    assert log == []
    parser.feed(chunk({"role": "assistant", "content": "Zero"}))
    parser.feed(finish(index=1))
    parser.close()
    assert log == [("role", "assistant"), ("text", "Zero")]


def test_a_role_of_the_servers_own_is_told() -> None:
    log: Log = []
    logging(log, "role").feed(chunk({"role": "critic"}))
    assert log == [("role", "critic")]


def test_a_call_that_is_torn_is_not_called_back() -> None:
    log: Log = []
    parser = logging(log)
    for data in WHOLE[:6]:
        parser.feed(data)
    completion = parser.close()
    assert "tool_call" not in dict(log)
    assert completion.tool_calls[0].state == "torn"


def test_an_error_is_called_back() -> None:
    log: Log = []
    logging(log).feed(event({"error": {"message": "overloaded", "code": "busy"}}))
    assert [(name, error.message, error.code) for name, error in log] == [
        ("error", "overloaded", "busy")
    ]


def test_without_callbacks_there_is_the_completion() -> None:
    parser = StreamParser()
    parser.feed(b"".join(WHOLE))
    completion = parser.close()
    assert completion.tool_calls == [MOON]
    assert parser.close() == completion


def test_options_are_kept() -> None:
    parser = StreamParser(options=Options(limits=Limits(text=3)))
    for _ in range(2):
        parser.feed(b"".join(WHOLE))
        assert parser.close().verdict.ending == "limit"
        parser.reset()


# What callbacks do ----------------------------------------------------------------------------


def test_what_a_callback_raises_comes_out_and_nothing_is_lost() -> None:
    log: Log = []

    def raise_once(text: str) -> None:
        log.append(("text", text))
        if text == "The tide":
            raise ZeroDivisionError

    parser = StreamParser(
        on_text=raise_once, on_finish=lambda reason: log.append(("finish", reason))
    )
    with pytest.raises(ZeroDivisionError):
        parser.feed(b"".join(WHOLE[:4]))
    assert log == [("text", "The tide")]
    parser.feed(b"".join(WHOLE[4:]))
    assert log == [("text", "The tide"), ("text", " turns."), ("finish", "tool_calls")]
    assert parser.close().content == "The tide turns."


def test_what_waits_is_called_back_by_the_close() -> None:
    log: Log = []

    def fail(_text: str) -> None:
        raise ZeroDivisionError

    parser = StreamParser(on_text=fail, on_finish=lambda reason: log.append(("finish", reason)))
    with pytest.raises(ZeroDivisionError):
        parser.feed(chunk({"content": "One"}) + finish())
    parser.close()
    assert log == [("finish", "stop")]


def test_a_reset_begins_anew_also_from_within_a_callback() -> None:
    log: Log = []
    parser = StreamParser(
        on_role=lambda role: log.append(("role", role)),
        on_text=lambda _text: parser.reset(),
        on_finish=lambda reason: log.append(("finish", reason)),
    )
    parser.feed(chunk({"content": "One"}) + finish())
    assert log == [("role", "assistant")]
    parser.feed(finish())
    assert log == [("role", "assistant"), ("role", "assistant"), ("finish", "stop")]
    assert parser.close().content is None


def test_nothing_can_be_fed_after_the_close() -> None:
    parser = StreamParser()
    parser.close()
    with pytest.raises(StreamClosed):
        parser.feed(DONE)
    parser.reset()
    parser.feed(DONE)


def test_text_is_no_bytes() -> None:
    with pytest.raises(TypeError, match="a read is bytes, not str"):
        StreamParser().feed("data: [DONE]")  # type: ignore[arg-type]


# Lines ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep_ends", [True, False])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_lines_can_be_fed_with_and_without_their_ends(keep_ends: bool, line_end: bytes) -> None:
    log: Log = []
    parser = logging(log)
    body = b"".join(WHOLE).replace(b"\n", line_end)
    for line in body.splitlines(keep_ends):
        parser.feed_line(line)
    assert parser.close().verdict.defects == []
    assert log == TOLD


def test_lines_can_be_text() -> None:
    log: Log = []
    parser = logging(log, "text")
    for line in (
        'data: {"choices": [{"delta": {"content": "Brücke \ud800"}}]}',
        "",
        "data: [DONE]",
    ):
        parser.feed_line(line)
    parser.close()
    assert log == [("text", "Brücke \N{REPLACEMENT CHARACTER}" + 2 * "\N{REPLACEMENT CHARACTER}")]


def test_lines_that_a_library_tears_are_said_to_be_lost() -> None:
    # httpx ends a line also at U+2028, which a JSON string may hold as it is.
    torn = b'data: {"choices":[{"index":0,"delta":{"content":"a\xe2\x80\xa8b"}}]}\n\n'
    parser = StreamParser()
    for line in httpx2.Response(200, content=torn + finish() + DONE).iter_lines():
        parser.feed_line(line)
    verdict = parser.close().verdict
    assert verdict.outcome == "interrupted"
    assert "bad-json" in [defect.code for defect in verdict.defects]
    parser.reset()
    parser.feed(torn + finish() + DONE)
    assert parser.close().verdict.outcome == "complete"
