"""Bodies, repaired without a network."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from untorn import Clocks, Completion, Options
from untorn.clients.asked import Asked
from untorn.clients.repair import Repair
from untorn.head import EVENT_STREAM
from untorn.sources import Opened

ASKED = Asked(stream=True)
ASKED_FOR_USAGE = Asked(stream=True, stream_options={"include_usage": True})
ABOUT = {"id": "c1", "object": "chat.completion.chunk", "created": 17, "model": "m"}

Ending = Literal["eof", "cut", "stalled", "cancelled"]


class Repaired(NamedTuple):
    """What came of a body."""

    sent: list[bytes]
    """What could be sent on after each read, and after the end."""
    failure: str | None
    """What is raised after that; None if nothing is."""
    completion: Completion

    @property
    def body(self) -> bytes:
        """All that is sent on."""
        return b"".join(self.sent)

    @property
    def payloads(self) -> list[Any]:
        """The data of all events: decoded chunks, and the end mark."""
        data = [event.removeprefix(b"data: ") for event in self.body.split(b"\n\n")[:-1]]
        return [json.loads(one) if one.startswith(b"{") else one.decode() for one in data]

    @property
    def deltas(self) -> list[Any]:
        """The deltas of all choices."""
        return [
            choice["delta"]
            for chunk in self.payloads
            if isinstance(chunk, dict)
            for choice in chunk.get("choices", [])
        ]


def repaired(
    reads: Iterable[bytes],
    *,
    asked: Asked = ASKED,
    content_type: str | None = EVENT_STREAM,
    options: Options = Options(),
    ending: Ending = "eof",
) -> Repaired:
    """Repair a body that comes in these reads."""
    repair = Repair(asked, options, Clocks())
    headers = [] if content_type is None else [("content-type", content_type)]
    repair.begin(Opened(200, headers), lambda: None, 0.0)
    sent: list[bytes] = []
    for data in filter(None, reads):
        if not repair.is_over:
            repair.wait(0.0)
            repair.receive(data, 0.0, False)
        sent.append(repair.take())
    if not repair.is_over:
        end(repair, ending)
    sent.append(repair.take())
    why = None if repair.failure is None else repair.failure.why
    return Repaired(sent, why, repair.completion)


def end(repair: Repair, ending: Ending, at: float = 0.0) -> None:
    """End a body that has not ended."""
    match ending:
        case "eof":
            repair.receive(None, at, False)
        case "cut":
            repair.fail(ConnectionResetError("the connection was lost"), at, False)
        case "stalled":
            repair.receive(None, at, True)
        case "cancelled":
            repair.cancel(at)


def chunk(delta: dict[str, Any] | None = None, index: int = 0, **more: Any) -> bytes:
    """One event with a chunk in OpenAI's shape; ``more`` are further keys of its choice."""
    choice = {"index": index, "delta": delta or {}, "finish_reason": None, **more}
    return event({**ABOUT, "choices": [choice]})


def event(data: Any) -> bytes:
    """One event."""
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


ROLE = chunk({"role": "assistant", "content": ""})
STOP = chunk(finish_reason="stop")
DONE = b"data: [DONE]\n\n"


def payload(event: bytes) -> bytes:
    """The data of an event."""
    return event.removeprefix(b"data: ").removesuffix(b"\n\n")
