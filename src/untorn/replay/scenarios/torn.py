"""Answers that stop too early, and those that fall silent."""

from __future__ import annotations

from untorn.capture import Read
from untorn.options import KIB, MIB, Limits, Options
from untorn.replay import faults, streams
from untorn.replay.reply import MOMENT, Reply
from untorn.replay.scenario import Call, Scenario
from untorn.replay.scenarios.making import (
    ANSWER,
    ANY,
    CALL_WITHOUT_FINISH,
    CHOICES,
    CLOSING,
    FIN,
    GZIP,
    HALF,
    HALF_CALL,
    HALF_TEXT,
    INSIDE_EVENT,
    JSON,
    MID_CALL,
    OVERLOADED,
    RST,
    STATUS,
    TORN_CALL,
    at_once,
    beat,
    failed,
    fin,
    interrupted,
    reset,
    stall,
    whole,
)
from untorn.replay.streams import ARGUMENTS, DONE, PIECES, TEXT, TOOL, chunk

TORN = [
    Scenario(
        "fin-mid-text",
        "closes the connection in the middle of the body",
        fin(HALF),
        interrupted("cut", FIN),
    ),
    Scenario(
        "fin-mid-text-length",
        "the same, with a Content-Length that promised more",
        fin(HALF, framing="content-length", content_length=len(faults.body(ANSWER))),
        interrupted("cut", FIN),
    ),
    Scenario(
        "fin-inside-event",
        "closes the connection in the middle of an event",
        fin(INSIDE_EVENT),
        interrupted("cut", FIN, defects="truncated-event unexpected-eof"),
    ),
    Scenario(
        "fin-inside-character",
        "closes the connection between the bytes of one character",
        fin(faults.cut_in(ANSWER, "塔".encode(), keep=1)),
        interrupted("cut", FIN, "".join(PIECES[:3]), "truncated-event unexpected-eof"),
    ),
    Scenario(
        "fin-inside-framing",
        "announces a piece of the body, and closes the connection before all of it came",
        fin(HALF, stray=b"ff\r\n" + ANSWER[5].data[:30]),
        interrupted("cut", FIN, defects="truncated-event unexpected-eof"),
    ),
    Scenario(
        "fin-inside-done",
        "closes the connection inside `[DONE]`",
        fin(faults.cut(ANSWER, at=-6)),
        interrupted("cut", FIN, TEXT, "truncated-event"),
    ),
    Scenario(
        "fin-before-body",
        "closes the connection after the head",
        fin(),
        interrupted("cut", FIN, None, "empty-stream"),
    ),
    Scenario(
        "bad-framing",
        "sends garbage in place of the size of a piece of the body",
        fin(HALF, stray=b"zz\r\n\r\n"),
        interrupted("cut", ANY),
    ),
    Scenario(
        "reset-mid-text",
        "resets the connection in the middle of the body",
        reset(HALF),
        interrupted("cut", RST),
    ),
    Scenario(
        "reset-inside-event",
        "resets the connection in the middle of an event",
        reset(INSIDE_EVENT),
        interrupted("cut", RST, defects="truncated-event unexpected-eof"),
    ),
    Scenario(
        "reset-before-body",
        "resets the connection after the head",
        reset(),
        interrupted("cut", RST, None, "empty-stream"),
    ),
    Scenario(
        "reset-close",
        "resets a connection whose end would have been the end of the body",
        reset(HALF, framing="close"),
        interrupted("cut", RST),
    ),
    Scenario(
        "close-mid-text",
        "stops in the middle of a body that only the end of the connection ends",
        whole(HALF, framing="close"),
        interrupted("eof"),
    ),
    Scenario(
        "close-inside-event",
        "the same, in the middle of an event",
        whole(INSIDE_EVENT, framing="close"),
        interrupted("torn", None, defects="truncated-event unexpected-eof"),
    ),
    Scenario(
        "end-mid-text",
        "ends the body cleanly in the middle of the answer, as a proxy does that lost its server",
        whole(HALF),
        interrupted("eof"),
    ),
    Scenario(
        "end-inside-event",
        "ends the body cleanly in the middle of an event",
        whole(INSIDE_EVENT),
        interrupted("torn", None, defects="truncated-event unexpected-eof"),
    ),
    Scenario(
        "length-too-short",
        "announces fewer bytes than it sends: the rest is no part of the body",
        fin(
            ANSWER,
            headers=CLOSING,
            framing="content-length",
            content_length=len(faults.body(HALF)),
        ),
        interrupted("eof"),
    ),
    Scenario(
        "done-mid-text",
        "sends `[DONE]` in the middle of the answer",
        whole((*HALF, DONE)),
        interrupted("done", None, defects="missing-finish-reason"),
    ),
    Scenario(
        "done-alone",
        "sends `[DONE]` and nothing else",
        whole((DONE,)),
        interrupted("done", None, None, "empty-stream"),
    ),
    Scenario(
        "empty-body",
        "sends an empty body",
        whole(()),
        interrupted("eof", None, None, "empty-stream"),
    ),
    Scenario(
        "heartbeats-alone",
        "sends a few heartbeats, and ends",
        whole(at_once(faults.COMMENT, faults.COMMENT)),
        interrupted("eof", None, None, "empty-stream"),
    ),
    Scenario(
        "garbled-event",
        "sends an event whose JSON is broken by one wrong byte",
        whole(faults.garble(ANSWER, faults.find(ANSWER, b'" lamp"'), to=ord("!"))),
        interrupted("done", None, TEXT.replace(" lamp", ""), "bad-json"),
    ),
    Scenario(
        "choice-unfinished",
        "ends one of two choices, and the body",
        whole(CHOICES),
        interrupted("eof", None, "Zwölf"),
    ),
    Scenario(
        "gave-up",
        "says by the finish reason that it ran out of resources",
        whole(streams.stream(streams.contents(PIECES[:4]), "insufficient_system_resource")),
        interrupted("done", None, defects="finish-reason-nonstandard"),
    ),
    Scenario(
        "fin-mid-call",
        "closes the connection inside the arguments of a tool call",
        fin(HALF_CALL),
        interrupted("cut", FIN, "", MID_CALL, calls=(TORN_CALL,)),
    ),
    Scenario(
        "end-mid-call",
        "ends the body cleanly inside the arguments of a tool call",
        whole(HALF_CALL),
        interrupted("eof", None, "", MID_CALL, calls=(TORN_CALL,)),
    ),
    Scenario(
        "reset-before-finish",
        "resets the connection when all arguments of a call have come, but no finish reason",
        reset(CALL_WITHOUT_FINISH),
        interrupted("cut", RST, "", calls=(Call(TOOL, ARGUMENTS, "torn"),)),
    ),
    Scenario(
        "gzip-torn",
        "closes the connection in the middle of a compressed body",
        fin(faults.compress(ANSWER)[:5], headers=GZIP),
        interrupted("cut", ANY),
    ),
    Scenario(
        "gzip-unannounced",
        "compresses the body and does not say so",
        whole(faults.compress(ANSWER)),
        interrupted("eof", None, None, "compressed-body"),
    ),
    Scenario(
        "gzip-bomb",
        "sends some KiB that become 4 MiB when decompressed",
        whole(
            faults.compress((*HALF, Read(MOMENT, b": " + b"0" * 4 * MIB + b"\n\n"))),
            headers=GZIP,
        ),
        interrupted("limit", "grew more than 100 times"),
    ),
    Scenario(
        "endless-line",
        "sends a line that never ends",
        Reply(reads=HALF, repeat=(Read(0.0, b"data: " + b"x" * 64 * KIB),)),
        interrupted(
            "limit", "a line of more than 262144 bytes", defects="truncated-event unexpected-eof"
        ),
        options=Options(limits=Limits(line=256 * KIB)),
    ),
]

STALLED = [
    Scenario(
        "stall-before-body",
        "sends the head, and falls silent",
        stall(),
        interrupted("stalled", "first_byte", None, "empty-stream"),
        clock="first_byte",
    ),
    Scenario(
        "stall-mid-text",
        "falls silent in the middle of the answer",
        stall(HALF),
        interrupted("stalled", "idle"),
        clock="idle",
    ),
    Scenario(
        "stall-inside-event",
        "falls silent in the middle of an event",
        stall(INSIDE_EVENT),
        interrupted("stalled", "idle", defects="truncated-event unexpected-eof"),
        clock="idle",
    ),
    Scenario(
        "stall-mid-call",
        "falls silent inside the arguments of a tool call",
        stall(HALF_CALL),
        interrupted("stalled", "idle", "", MID_CALL, calls=(TORN_CALL,)),
        clock="idle",
    ),
    Scenario(
        "heartbeats-for-ever",
        "sends heartbeats for ever in the middle of the answer: only its model is dead",
        beat(HALF),
        interrupted("stalled", "content_idle"),
        clock="content_idle",
    ),
    Scenario(
        "heartbeats-before-text",
        "sends heartbeats for ever, and never an answer",
        beat(()),
        interrupted("stalled", "content_idle", None, "empty-stream"),
        clock="content_idle",
    ),
    Scenario(
        "empty-deltas-for-ever",
        "sends chunks for ever that say nothing",
        beat(HALF, chunk({"content": ""}).data),
        interrupted("stalled", "content_idle"),
        clock="content_idle",
    ),
    Scenario(
        "error-then-stall",
        "reports an error in the middle of the answer, and leaves the connection open",
        stall((*HALF, OVERLOADED)),
        failed("overloaded", "eof", text=HALF_TEXT),
        clock="after_end",
    ),
    Scenario(
        "status-500-stall",
        "sends the head of an error and never the body",
        stall(status=500, headers=JSON),
        failed(None, "stalled", STATUS, reason="first_byte"),
        clock="first_byte",
    ),
]
