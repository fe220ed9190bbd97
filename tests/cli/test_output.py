"""The text of a stream, and its verdict beside it."""

from __future__ import annotations

import json
import sys

import pytest

from tests.cli.processes import answer, chunk
from untorn.cli.output import EventsOutput, Output, ReportOutput, TextOutput
from untorn.cli.screen import Screen
from untorn.events import Heartbeat, ReasoningDelta, Revised, StreamEvent, TextDelta
from untorn.stream import ChatStream

# pytest's files for stdout and stderr are no terminals and not the same place.
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def text_output(name: str | None = None, *, all_choices: bool = False) -> TextOutput:
    return TextOutput(Screen(sys.stderr), name, all_choices=all_choices)


def play(output: Output, body: bytes) -> None:
    stream = ChatStream()
    for events in (stream.receive_data(body), stream.receive_eof()):
        output.events(events)
    output.end(stream.completion)


def printed(output: Output, events: list[StreamEvent], capfd: Captured) -> str:
    output.events(events)
    return capfd.readouterr().out


def test_text_comes_out_as_it_is_and_at_once(capfd: Captured) -> None:
    text = "a\x1b[2J\r\n\u202e Zürich"
    assert printed(text_output(), [TextDelta(0, text)], capfd) == text


def test_only_the_content_of_choice_0_is_text(capfd: Captured) -> None:
    others: list[StreamEvent] = [ReasoningDelta(0, "r"), TextDelta(1, "b"), Heartbeat()]
    assert printed(text_output(), [*others, TextDelta(0, "a")], capfd) == "a"


def test_no_line_end_is_added_to_a_single_text(capfd: Captured) -> None:
    play(text_output(), answer("a"))
    assert capfd.readouterr() == ("a", "complete: every choice finished normally\n" + ROWS)


ROWS = "  finish  stop\n  model   m-1\n"


@pytest.mark.parametrize("text", ["a", "a\n"])
def test_a_text_with_a_heading_ends_with_its_line(capfd: Captured, text: str) -> None:
    play(text_output("x\x07.sse"), answer(text))
    assert capfd.readouterr() == (
        "==> x\\x07.sse <==\na\n",
        "x\\x07.sse: complete: every choice finished normally\n" + ROWS,
    )


def test_where_there_is_no_text_there_is_no_heading(capfd: Captured) -> None:
    play(text_output("x.sse", all_choices=True), answer())
    assert capfd.readouterr().out == ""


def two_choices(*indexes: int) -> bytes:
    texts = [chunk({"role": "assistant", "content": f"text {i}"}, i) for i in indexes]
    ends = [chunk({}, i, "stop") for i in indexes]
    return b"".join([*texts, *ends, b"data: [DONE]\n\n"])


@pytest.mark.parametrize("indexes", [(0, 1, 2), (2, 1, 0)])
def test_all_choices_come_in_their_order(capfd: Captured, indexes: tuple[int, ...]) -> None:
    play(text_output("x", all_choices=True), two_choices(*indexes))
    assert capfd.readouterr().out == "".join(
        f"==> x, choice {i} <==\ntext {i}\n" for i in sorted(indexes)
    )


def test_the_choices_that_are_not_shown_are_counted(capfd: Captured) -> None:
    play(text_output(), two_choices(0, 1, 2))
    out, err = capfd.readouterr()
    assert out == "text 0"
    assert "2 more not shown" in err


def test_the_lowest_choice_is_shown_where_choice_0_never_came(capfd: Captured) -> None:
    play(text_output(), two_choices(3, 2))
    out, err = capfd.readouterr()
    assert out == "text 2"
    assert "1 more not shown" in err


def test_another_choice_never_takes_the_place_of_choice_0(capfd: Captured) -> None:
    calls = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}]}
    play(text_output(), chunk(calls, 0, "tool_calls") + two_choices(1))
    assert capfd.readouterr().out == ""


def test_a_revision_that_goes_on_from_the_text_brings_only_the_rest(capfd: Captured) -> None:
    output = text_output()
    events: list[StreamEvent] = [TextDelta(0, "Hel"), Revised(0, "content", "Hello")]
    again = Revised(0, "content", "Hello")
    assert printed(output, [*events, again, TextDelta(0, "!")], capfd) == "Hello!"


def test_a_revision_of_what_was_shown_brings_the_whole_text_and_a_note(capfd: Captured) -> None:
    output = text_output()
    events: list[StreamEvent] = [TextDelta(0, "HeHel"), Revised(0, "content", "Hello")]
    output.events([*events, TextDelta(0, "!")])
    out, err = capfd.readouterr()
    assert out == "HeHel\nHello!"
    assert err == "the text above was wrong; the whole of it, corrected:\n"


def test_other_revisions_are_not_text(capfd: Captured) -> None:
    events: list[StreamEvent] = [
        TextDelta(0, "a"),
        Revised(1, "content", "b"),
        Revised(0, "reasoning", "r"),
        Revised(0, "tool_calls", []),
    ]
    assert printed(text_output(), events, capfd) == "a"


@pytest.mark.parametrize("name", [None, "x"])
def test_a_report_is_one_line_off_a_terminal(capfd: Captured, name: str | None) -> None:
    play(ReportOutput(name), answer("a"))
    out, err = capfd.readouterr()
    report = json.loads(out)
    assert err == ""
    assert out.count("\n") == 1
    assert report["choices"][0]["content"] == "a"
    assert list(report)[: 1 if name else 0] == (["file"] if name else [])


@pytest.mark.parametrize("name", [None, "x"])
def test_events_come_one_a_line(capfd: Captured, name: str | None) -> None:
    play(EventsOutput(name), answer("a", "b"))
    out, err = capfd.readouterr()
    events = [json.loads(line) for line in out.splitlines()]
    assert err == ""
    assert [event["text"] for event in events if event["type"] == "text_delta"] == ["a", "b"]
    assert events[-1]["type"] == "stream_ended"
    assert {event.get("file") for event in events} == {name}
