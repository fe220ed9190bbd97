"""The whole story as one object, from the response's head to the verdict. No I/O."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from untorn.chat.builder import CompletionBuilder, End
from untorn.chat.completion import Completion
from untorn.chat.fast_way import NEAR, FastWay
from untorn.chat.framing import Framing
from untorn.chat.payload import USUAL, USUAL_PREFIX, Item, Note, Payload
from untorn.chat.payload_reader import PayloadReader
from untorn.chat.verdict import Ending
from untorn.errors import StreamClosed
from untorn.events import (
    AudioDelta,
    ReasoningDelta,
    RefusalDelta,
    StreamEnded,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
)
from untorn.head import EVENT_STREAM, Head, Headers, read_head
from untorn.options import KIB, MIB, Options
from untorn.sse.lines import CR, LF, LineSplitter
from untorn.timing import Stopwatch
from untorn.usual_read import ENOUGH, split_usual

GZIP = b"\x1f\x8b"
READ_SIZE = 64 * KIB

COUNT_EVERY = 4 * MIB
"""So many bytes at most come between two counts of all texts, since what was counted is folded."""

CONTENT = frozenset({TextDelta, ReasoningDelta, RefusalDelta, ToolCallDelta, AudioDelta})
"""Events that bring more of the answer."""


class ChatStream:
    """One streamed chat completion. Feed what arrives, in order; take the events that come back.

    Call ``receive_head`` first where there is a head, then ``receive_data`` for each read, and one
    of ``receive_eof`` and ``receive_failure`` at the end. ``completion`` is what there is, at any
    time. Where the reads are cut makes no difference.

    Whatever the bytes are, nothing is raised for them: it is in the verdict. What is raised is the
    caller's mistake: StreamClosed for bytes after the end, TypeError for what is no bytes.

    ``at``, where given, is the time in seconds, by any clock that does not go back.
    """

    __slots__ = (
        "_begun",
        "_between_events",
        "_builder",
        "_closed",
        "_compressed",
        "_count_at",
        "_end",
        "_first_items",
        "_framing",
        "_has_bytes",
        "_head",
        "_is_made",
        "_items",
        "_look_at",
        "_most_line",
        "_options",
        "_over",
        "_received",
        "_splitter",
        "_start",
        "_stopwatch",
    )

    def __init__(self, options: Options = Options()) -> None:
        self._options = options
        self._stopwatch: Stopwatch | None = None
        self._received = 0
        # Once more bytes than this have come, a read gets a closer look: the first, the last, and
        # those in which a limit might be passed.
        self._look_at = -1
        self._most_line = options.limits.line
        self._count_at = min(options.limits.text - NEAR, COUNT_EVERY)
        self._between_events = False
        self._begun = False
        self._has_bytes = False
        self._compressed = False
        self._closed = False
        self._over = False
        self._start = b""
        self._first_items: Sequence[Item] = ()
        self._end: End | None = None
        self._is_made = False

    def _make_parts(self, head: Head | None) -> None:
        limits = self._options.limits
        self._is_made = True
        self._head = head
        self._splitter = LineSplitter(limits.line)
        self._framing = Framing(head, limits, self._splitter)
        self._builder = CompletionBuilder(self._options, head, self._framing.offset_of)
        reader = PayloadReader(self._builder, limits)
        self._items = FastWay(self._builder, reader, limits)

    # What comes in ---------------------------------------------------------------------------

    def receive_head(self, status: int, headers: Headers = (), at: float | None = None) -> None:
        """Take the HTTP status and the headers: a mapping, or pairs of names and values."""
        if self._begun or self._closed:
            raise StreamClosed
        self._make_parts(read_head(status, headers))
        self.timed([], at)

    def receive_data(self, data: bytes, at: float | None = None) -> list[StreamEvent]:
        """Take one read of the body; the events that it completes."""
        if data.__class__ is not bytes:
            data = _bytes(data)
        size = len(data)
        received = self._received = self._received + size
        if received > self._look_at:
            events = self._look_closer(data)
        elif (
            self._between_events
            and data[:7] == USUAL
            and data[-2:] == b"\n\n"
            and LF not in (payload := data[USUAL_PREFIX:-2])
            and CR not in payload
            and size <= self._most_line
        ):
            # The read is one usual event, as most are: there is nothing to split or to frame.
            self._splitter.start = received
            events = self._items.receive((payload,))
            if self._builder.over is not None:
                events += self._stop()
        elif size < ENOUGH:
            events = self._receive_read(data)
        else:
            usual = self._receive_usual(data)
            events = self._receive_read(data) if usual is None else usual
        return events if at is None else self.timed(events, at, reads=1)

    def parts_of(self, payload: bytes) -> list[str] | None:
        """Where the text grows that a usual event brings, and nothing else; None where it might
        bring more. For ``pass_by``."""
        if not self._between_events or payload[:1] != b"{":
            return None
        return self._items.parts_of(payload)

    def pass_by(self, size: int, at: float) -> bool:
        """Take a read of ``size`` bytes that is one event as the last one, for which ``parts_of``
        gave parts; only its text may differ, and who calls this puts that there. False, and
        nothing taken, where it needs a closer look.

        For who has to look at the bytes, too: to decode them would be to look twice.
        """
        received = self._received + size
        if received > self._look_at or size > self._most_line or self._stopwatch is None:
            return False
        self._received = self._splitter.start = received
        self._stopwatch.tick_alike(at)
        return True

    def _receive_read(self, data: bytes) -> list[StreamEvent]:
        splitter, framing = self._splitter, self._framing
        lines = splitter.receive_data(data)
        if not lines:
            self._between_events = False
            return self._stop() if splitter.exceeded else []
        items = framing.receive_lines(lines)
        events = self._items.receive(self._with_first(items) if self._first_items else items)
        if splitter.exceeded or framing.over is not None or self._builder.over is not None:
            events += self._stop()
        self._between_events = (
            data[-1:] == b"\n" and framing.is_between_events and splitter.is_between_lines
        )
        framing.forget_read()
        return events

    def _receive_usual(self, data: bytes) -> list[StreamEvent] | None:
        """Take a read of usual events only: there is nothing to frame. None if it is another."""
        splitter, framing = self._splitter, self._framing
        if not framing.is_between_events:
            return None
        payloads = splitter.let_split(split_usual, data)
        if payloads is None:
            return None
        framing.pass_by(payloads)
        events = self._items.receive(payloads)
        if self._builder.over is not None:
            events += self._stop()
        self._between_events = splitter.held == 0
        framing.forget_read()
        return events

    def receive_payload(
        self, data: str | bytes | Mapping[str, Any], at: float | None = None
    ) -> list[StreamEvent]:
        """Take the data of one event, or one decoded chunk, in place of bytes of the body.

        Raises TypeError for a chunk that is no JSON.
        """
        payload = Payload(_payload_bytes(data), "event", None)
        if self._closed:
            return self._refuse()
        self._begin()
        size, limits = len(payload.data), self._options.limits
        self._received += size
        if size > limits.event:
            return self.timed(self._stop(f"an event of more than {limits.event} bytes"), at)
        if self._received > limits.body:
            return self.timed(self._stop(f"a body of more than {limits.body} bytes"), at)
        self._count(size)
        events = self._items.receive(self._with_first([payload]))
        if self._is_over():
            events += self._stop()
        return self.timed(events, at, reads=1)

    def receive_eof(self, at: float | None = None) -> list[StreamEvent]:
        """The body has ended cleanly, as far as the transport can tell. The last events."""
        return self.timed(self._close(None, None), at)

    def receive_failure(
        self,
        ending: Literal["cut", "stalled", "cancelled", "limit"],
        reason: str,
        at: float | None = None,
    ) -> list[StreamEvent]:
        """The body has ended otherwise; ``reason`` is a sentence for people. The last events.
        (``limit`` is for limits of the transport, such as how much a body may expand.)

        After ``[DONE]``, or an error that the server reported, it means nothing: the answer was
        over.
        """
        over = self.end_announced
        events = self._close(None, None) if over else self._close(ending, reason)
        return self.timed(events, at)

    def timed(
        self, events: list[StreamEvent], at: float | None, *, reads: int = 0
    ) -> list[StreamEvent]:
        """Say when these events came, where that was not said with their bytes; the same events.
        ``reads`` is how many reads those were."""
        if at is None:
            return events
        stopwatch = self._stopwatch
        if stopwatch is None:
            stopwatch = self._stopwatch = Stopwatch()
        if reads and len(events) == 1 and events[0].__class__ in CONTENT:
            stopwatch.tick_alike(at)  # as nearly all are
            return events
        content = False
        for event in events:
            if event.__class__ in CONTENT:
                content = True
                break
        stopwatch.tick(at, reads, len(events), content=content)
        return events

    @property
    def end_announced(self) -> bool:
        """Whether ``[DONE]`` or an error has come: the answer is over, whatever still comes."""
        self._ensure_parts()
        return self._builder.done or self._builder.error is not None

    @property
    def completion(self) -> Completion:
        """What there is, at any time. Never raises."""
        self._ensure_parts()
        stopwatch, timing = self._stopwatch, None
        if stopwatch is not None:
            stopwatch.heartbeats = self._builder.heartbeats
            timing = stopwatch.timing()
        return self._builder.completion(self._end, timing)

    # A closer look ---------------------------------------------------------------------------

    def _look_closer(self, data: bytes) -> list[StreamEvent]:
        if self._closed:
            return self._refuse()
        data = self._begin_with(data)
        if not data:
            return []
        most = self._options.limits.body
        past = max(0, self._received - most)
        data = data[: len(data) - past]
        self._count(len(data))
        self._look_at = min(most, self._count_at)
        events = self._receive_read(data)
        if past and not self._closed:
            events += self._stop(f"a body of more than {most} bytes")
        return events

    def _ensure_parts(self) -> None:
        # Made only when the head is there, or known to be absent: they are what a stream costs.
        if not self._is_made:
            self._make_parts(None)

    def _begin(self) -> None:
        self._ensure_parts()
        if not self._begun and self._head is not None and self._head.failed:
            detail = f"the HTTP status is {self._head.status}"
            self._first_items = (Note("http-error-status", detail, None),)
        self._begun = True

    def _begin_with(self, data: bytes) -> bytes:
        """What is to be read of ``data``. The first bytes tell whether the body is compressed."""
        if self._has_bytes:
            return b"" if self._compressed else data
        data = self._start + data
        self._start = b""
        if len(data) < len(GZIP) and GZIP.startswith(data):
            self._start = data
            return b""
        self._begin()
        self._has_bytes = True
        if not data.startswith(GZIP):
            return data
        self._compressed = True
        detail = "the body begins like gzip; the HTTP layer has to decompress it"
        self._first_items = (*self._first_items, Note("compressed-body", detail, -1))
        return b""

    def _count(self, size: int) -> None:
        """Every character takes a byte: the texts need counting only now and then, and once a
        limit is near, each chunk is counted as it comes."""
        if self._received > self._count_at:
            # Bytes that have come before, but not as far as the texts, may hold characters too.
            pending = self._splitter.held + self._framing.pending
            left = self._items.count(size + pending)
            self._count_at = self._received + min(max(left - NEAR, MIB), COUNT_EVERY)

    def _with_first(self, items: Sequence[Item]) -> Sequence[Item]:
        first, self._first_items = self._first_items, ()
        return [*first, *items] if first else items

    def _refuse(self) -> list[StreamEvent]:
        # After a limit the caller may not know yet that the stream is over.
        if not self._over:
            raise StreamClosed
        return []

    # The end ---------------------------------------------------------------------------------

    def _is_over(self) -> str | None:
        """The limit that was passed, as a sentence."""
        # In the order in which they were passed: items come from lines that came before.
        if self._splitter.exceeded and not (self._builder.over or self._framing.over):
            return f"a line of more than {self._most_line} bytes"
        return self._builder.over or self._framing.over

    def _stop(self, over: str | None = None) -> list[StreamEvent]:
        """A limit was passed: nothing more is read."""
        self._closed = self._over = True
        self._look_at = -1
        reason = over or self._is_over()
        items = self._framing.stop() if self._has_bytes and not self._builder.over else []
        return self._finish(items, "limit", reason)

    def _close(self, ending: Ending | None, reason: str | None) -> list[StreamEvent]:
        if self._closed:
            return []
        self._begin()
        self._count(0)
        self._closed = True
        self._look_at = -1
        if self._start:
            self._has_bytes = True
            self._splitter.receive_data(self._start)  # no line ends in the begin of GZIP
        items = self._framing.receive_eof(self._splitter.receive_eof())
        return self._finish(items, ending, reason)

    def _finish(
        self, items: list[Item], ending: Ending | None, reason: str | None
    ) -> list[StreamEvent]:
        framing, builder = self._framing, self._builder
        events = self._items.receive(self._with_first(items))
        over = self._is_over()
        if over is not None:
            ending, reason = "limit", reason if ending == "limit" else over
        self._end = End(
            ending=ending or self._clean_ending(),
            reason=reason,
            # Over a limit of the answer, what is left in the framing depends on the reads.
            tail=None if builder.over else framing.tail,
            is_document=not builder.over and (framing.is_document or self._compressed),
            # Over a limit, how much had come by then depends on the reads.
            received=self._received if self._has_bytes and ending != "limit" else None,
        )
        events += builder.close(self._end)
        events.append(StreamEnded(builder.verdict(self._end)))
        return events

    def _clean_ending(self) -> Ending:
        if self._framing.tail is not None:
            return "torn"
        if self._framing.is_document:
            return "document"
        return "done" if self._builder.done else "eof"


def parse(
    body: bytes | Iterable[bytes],
    *,
    status: int = 200,
    content_type: str | None = EVENT_STREAM,
    options: Options = Options(),
) -> Completion:
    """The completion in a whole body, or in the reads of one.

    ``content_type`` is the header's value, None if it was absent; a file has none. Never raises
    for what is in the body; TypeError for a body that is not bytes.
    """
    stream = ChatStream(options)
    stream.receive_head(status, {} if content_type is None else {"Content-Type": content_type})
    for data in _reads(body):
        stream.receive_data(data)
    stream.receive_eof()
    return stream.completion


def _reads(body: bytes | Iterable[bytes]) -> Iterator[bytes]:
    # A body in one piece is read in small ones: its lines then need not exist all at once.
    if isinstance(body, bytes | bytearray | memoryview):
        for start in range(0, len(body), READ_SIZE):
            yield bytes(body[start : start + READ_SIZE])
    elif isinstance(body, str):
        yield _bytes(body)
    else:
        yield from body


def _bytes(data: Any) -> bytes:
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data)
    raise TypeError(
        f"a read is bytes, not {type(data).__name__}: take them from iter_bytes(), not from"
        " iter_text() or iter_lines(), which decode and split too early"
    )


def _payload_bytes(data: str | bytes | Mapping[str, Any]) -> bytes:
    if isinstance(data, str):
        return data.encode("utf-8", "surrogatepass")
    if isinstance(data, Mapping):
        # As text it takes the same way as everything else, so it means the same.
        try:
            return json.dumps(dict(data)).encode()
        except (ValueError, RecursionError) as exc:
            raise TypeError("the chunk is no JSON: it holds itself, or what no JSON holds") from exc
    return _bytes(data)
