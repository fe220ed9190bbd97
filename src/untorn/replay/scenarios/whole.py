"""Answers that are whole: however they come, and however odd."""

from __future__ import annotations

from untorn.replay import faults, streams
from untorn.replay.scenario import Call, Expected, Scenario
from untorn.replay.scenarios.making import (
    ANSWER,
    CALL,
    CHOICES,
    CLOSING,
    COMPLETION,
    FIN,
    FINISHED,
    GZIP,
    HALF_TEXT,
    JSON,
    LONG,
    RST,
    WHOLE_CALL,
    at_once,
    beat,
    complete,
    document,
    fin,
    reset,
    stall,
    whole,
)
from untorn.replay.streams import DONE, PIECES, TEXT, TOOL, chunk

WHOLE = [
    Scenario("text", "sends an answer, one event at a time", whole(), complete()),
    Scenario(
        "text-length",
        "sends it with a Content-Length",
        whole(framing="content-length"),
        complete(),
    ),
    Scenario(
        "text-close",
        "sends it without any framing: the end of the connection is the end of the body",
        whole(framing="close"),
        complete(),
    ),
    Scenario("text-one-read", "sends it all at once", whole(faults.merge(ANSWER)), complete()),
    Scenario(
        "text-bytes",
        "sends it byte by byte",
        whole(faults.slices(ANSWER, 1)),
        complete(),
    ),
    Scenario(
        "text-slices",
        "sends it in pieces of 7 bytes, which cut lines and characters",
        whole(faults.slices(ANSWER, 7)),
        complete(),
    ),
    Scenario(
        "text-slow",
        "waits for a moment before each event",
        whole(faults.delay(ANSWER, 0.02)),
        complete(),
    ),
    Scenario(
        "text-crlf",
        "ends lines with CR and LF, cut between the two",
        whole(faults.slices(faults.with_line_ends(ANSWER, b"\r\n"), 9)),
        complete(),
    ),
    Scenario(
        "text-cr",
        "ends lines with CR alone",
        whole(faults.with_line_ends(ANSWER, b"\r")),
        complete(),
    ),
    Scenario(
        "text-bom", "sends a byte order mark first", whole(faults.with_bom(ANSWER)), complete()
    ),
    Scenario(
        "text-heartbeats",
        "sends a comment between all events",
        whole(faults.heartbeats(ANSWER)),
        complete(),
    ),
    Scenario(
        "text-gzip",
        "compresses the body, each event so that it can be read at once",
        whole(faults.compress(ANSWER), headers=GZIP),
        complete(),
    ),
    Scenario(
        "tool-call",
        "calls a tool; the arguments come in fragments, cut inside their JSON",
        whole(CALL),
        complete("", calls=(WHOLE_CALL,)),
    ),
    Scenario(
        "tool-calls",
        "calls a tool twice at once, the fragments mixed",
        whole(
            streams.stream(
                [
                    part
                    for both in zip(streams.call(0), streams.call(1), strict=True)
                    for part in both
                ],
                "tool_calls",
            )
        ),
        complete("", calls=(WHOLE_CALL, WHOLE_CALL)),
    ),
    Scenario(
        "reasoning",
        "sends its reasoning before the answer",
        whole(streams.stream([*streams.thoughts(), *streams.contents()])),
        complete(),
    ),
    Scenario(
        "choices",
        "sends two choices at once",
        whole((*CHOICES, chunk({}, "stop", index=1), DONE)),
        complete("Zwölf"),
    ),
    Scenario(
        "long-event",
        "sends 300 KiB of arguments in one event",
        whole(streams.stream(streams.call(fragments=[LONG]), "tool_calls")),
        complete("", calls=(Call(TOOL, LONG, "whole"),)),
    ),
    Scenario(
        "json-completion",
        "answers with one JSON document, as if no stream had been asked for",
        document(200, COMPLETION),
        complete(ending="document", defects="not-streamed"),
    ),
    Scenario(
        "length",
        "stops the answer at its token limit",
        whole(streams.stream(streams.contents(PIECES[:4]), "length")),
        Expected(outcome="truncated", ending="done", text=HALF_TEXT),
    ),
    Scenario(
        "content-filter",
        "stops the answer with its content filter",
        whole(streams.stream(streams.contents(PIECES[:4]), "content_filter")),
        Expected(outcome="filtered", ending="done", text=HALF_TEXT),
    ),
]

ODD = [
    Scenario(
        "no-done",
        "ends the body after the last event without `[DONE]`",
        whole(faults.drop_done(ANSWER)),
        complete(ending="eof", defects="missing-done"),
    ),
    Scenario(
        "double-done",
        "sends `[DONE]` twice",
        whole(faults.double_done(ANSWER)),
        complete(defects="duplicate-done"),
    ),
    Scenario(
        "double-event",
        "sends one event of text twice; nobody can tell that from a text that repeats itself",
        whole(faults.double_event(ANSWER, 5)),
        complete(TEXT.replace(" and one", " and one and one")),
    ),
    Scenario(
        "garbled-text",
        "sends a byte that is no UTF-8 in place of a letter",
        whole(faults.garble(ANSWER, faults.find(ANSWER, b"lamp"))),
        complete(TEXT.replace("lamp", "\ufffdamp"), defects="invalid-utf8"),
    ),
    Scenario("no-content-type", "does not say what the body is", whole(headers=()), complete()),
    Scenario(
        "wrong-content-type",
        "says that the stream is JSON",
        whole(headers=JSON),
        complete(defects="content-type-mismatch"),
    ),
    Scenario(
        "json-as-stream",
        "says that one JSON document is an event stream",
        whole(at_once(COMPLETION)),
        complete(ending="document", defects="content-type-mismatch not-streamed"),
    ),
    Scenario(
        "length-too-short-for-done",
        "announces fewer bytes than it sends: `[DONE]` is cut off",
        fin(
            ANSWER,
            headers=CLOSING,
            framing="content-length",
            content_length=len(faults.body(ANSWER[:-1])),
        ),
        complete(ending="eof", defects="missing-done"),
    ),
    Scenario(
        "reset-after-done",
        "resets the connection after `[DONE]`",
        reset(ANSWER),
        complete(),
    ),
    Scenario(
        "fin-after-done",
        "closes the connection after `[DONE]`, and never marks the end of the body",
        fin(ANSWER),
        complete(),
    ),
    Scenario(
        "length-too-long-after-done",
        "announces more bytes than it has, and closes after `[DONE]`",
        fin(ANSWER, framing="content-length", content_length=100_000),
        complete(),
    ),
    Scenario(
        "open-after-done",
        "sends `[DONE]` and leaves the connection open",
        stall(ANSWER),
        complete(),
        clock="after_end",
    ),
    Scenario(
        "heartbeats-after-done",
        "sends heartbeats for ever after `[DONE]`",
        beat(ANSWER),
        complete(),
        clock="after_end",
    ),
    Scenario(
        "fin-after-finish",
        "closes the connection after the finish reason, in the middle of the body",
        fin(FINISHED),
        complete(ending="cut", reason=FIN),
    ),
    Scenario(
        "reset-after-finish",
        "resets the connection after the finish reason",
        reset(FINISHED),
        complete(ending="cut", reason=RST),
    ),
    Scenario(
        "stall-after-finish",
        "falls silent after the finish reason",
        stall(FINISHED),
        complete(ending="stalled", reason="idle"),
        clock="idle",
    ),
]
