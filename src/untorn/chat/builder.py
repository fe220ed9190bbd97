"""Chunks → events and the completion: everything of one stream that is not of one choice."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

from untorn.chat.choice import ChoiceBuilder, kinds_of
from untorn.chat.chunks import Chunk, Delta, Finding
from untorn.chat.completion import Completion, Usage
from untorn.chat.kept import Kept
from untorn.chat.payload import Item, Note
from untorn.chat.pieces import NO_VALUES
from untorn.chat.quirks.surrogate_split import scrub, whole_text
from untorn.chat.quirks.usage_placeholder import is_placeholder
from untorn.chat.usual import SaysOnce
from untorn.chat.verdict import (
    DefectLog,
    Ending,
    ErrorObject,
    Facts,
    Verdict,
    code_of_end,
    outcome_of,
)
from untorn.events import (
    DefectFound,
    ErrorReported,
    Heartbeat,
    Started,
    StreamEvent,
    UsageReported,
)
from untorn.head import Head
from untorn.options import Options
from untorn.readable import one_line_of_bytes
from untorn.sse.event_stream import Tail
from untorn.timing import Timing

COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


class End(NamedTuple):
    """How the bytes ended, as far as the builder can't know it itself."""

    ending: Ending
    reason: str | None
    tail: Tail | None
    is_document: bool
    """One JSON document, an array, or still compressed: no end mark is to be expected."""
    received: int | None
    """Bytes of the body; None where it was not handed in as bytes."""


class CompletionBuilder:
    """One completion while it grows."""

    __slots__ = (
        "_created",
        "_details",
        "_fingerprint",
        "_head",
        "_html",
        "_limits",
        "_log",
        "_offset_of",
        "_options",
        "_tier",
        "_usage",
        "_usage_seen",
        "choices",
        "counts",
        "done",
        "error",
        "extra",
        "has_logprobs",
        "heartbeats",
        "id",
        "is_plain",
        "item",
        "kept",
        "knows_all",
        "model",
        "out",
        "over",
        "touched",
    )

    def __init__(
        self, options: Options, head: Head | None, offset_of: Callable[[Item], int | None]
    ) -> None:
        self.out: list[StreamEvent] = []
        """The events of the read at hand."""
        self.item: Item | None = None
        """The item at hand: where a defect is found."""
        self.over: str | None = None
        """The limit that was passed, as a sentence; None while all are kept."""
        self.id: str | None = None
        self.model: str | None = None
        self.extra = NO_VALUES
        """Unknown keys of chunks, each with its last value that is not null."""
        self.choices: dict[int, ChoiceBuilder] = {}
        self.touched: list[ChoiceBuilder] = []
        """Choices that the plain way has changed, for the fast way to know."""
        self.done = False
        """Whether ``[DONE]`` has come."""
        self.is_plain = False
        """Whether every chunk from now on has to take the plain way."""
        self.counts = False
        """Whether the characters of a choice could pass the limit."""
        self.has_logprobs = False
        self.heartbeats = 0
        self.knows_all = False
        """Whether everything is known that is said once for the whole stream."""
        self.error: ErrorObject | None = None
        self._options = options
        self._limits = options.limits
        self._head = head
        self._offset_of = offset_of
        self._log = DefectLog()
        self._created: int | None = None
        self._fingerprint: str | None = None
        self._tier: str | None = None
        self._usage: Usage | None = None
        self._usage_seen = False
        self.kept = Kept()
        self._details = 0
        self._html = False

    # What comes in ---------------------------------------------------------------------------

    def receive_note(self, note: Note) -> None:
        """Framing found something odd."""
        self._html = self._html or note.code == "html-body"
        self.found(note.code, note.detail, count=note.count)

    def distrust_calls(self) -> None:
        """What was read may not be what was meant: no call that is open may be run."""
        self._log.event_lost = True

    def receive_heartbeat(self) -> None:
        """Something came that says nothing."""
        self.heartbeats += 1
        self.out.append(Heartbeat())

    def receive_done(self, mark: bytes) -> None:
        """The end mark came, as it was written."""
        if mark != b"[DONE]":
            self.found("done-variant", "the end mark is not [DONE]", mark)
        if self.done:
            self.found("duplicate-done", "[DONE] came again")
            return
        self.done = self.is_plain = True
        self._accept_done()

    def receive_error(self, error: ErrorObject, *, canonical: bool) -> None:
        """The server reported an error. The first one counts."""
        if not canonical:
            self.found("error-shape", 'the error is not {"error": {"message": ...}}')
        if self.error is not None:
            return
        status = self._head.status if self._head is not None and self._head.failed else None
        self.error = ErrorObject(
            message=whole_text(error.message),
            code=error.code and whole_text(error.code),
            type=error.type and whole_text(error.type),
            param=error.param and whole_text(error.param),
            status=status,
            raw=scrub(error.raw).value,
        )
        self.out.append(ErrorReported(self.error))

    def receive_chunk(self, chunk: Chunk) -> None:
        """A chunk came."""
        if self.done:
            self.found("data-after-done", "a chunk came after [DONE]")
        if chunk.findings:
            self._found_all(chunk.findings)
        if (
            chunk.id != self.id
            or chunk.model != self.model
            or (not self.knows_all and self.would_learn(chunk))
        ):
            self._receive_names(chunk)
        if chunk.choices and not self.choices:
            self.out.append(Started(self.id, self.model))
        keeps = bool(chunk.extra)
        for choice in chunk.choices:
            builder = self.choices.get(choice.index) or self._open(choice.index)
            if builder is None:
                return
            findings: list[Finding] = []
            builder.seen |= kinds_of(choice)
            builder.receive(choice, findings)
            if findings:
                self._found_all(findings)
            self.over = builder.over
            if self.counts:
                self._check_length(builder)
            if choice.logprobs is not None:
                self.has_logprobs = True
            self.touched.append(builder)
            if self.over is not None:
                return
            delta = choice.delta
            if choice.extra or not (delta is None or delta.is_only_text or _keeps_nothing(delta)):
                keeps = True
        for usage in chunk.usages:
            self.receive_usage(usage)
        if keeps:
            self._receive_extra(chunk)

    def is_first_of_a_kind(self, chunk: Chunk) -> bool:
        """Whether repeated keys must be looked for in a chunk (rule 14): it is the first of its
        kind for a choice, or it says nothing, perhaps because a null hides what it says."""
        if chunk.usages and not self._usage_seen:
            self._usage_seen = True
            return True
        for choice in chunk.choices:
            builder = self.choices.get(choice.index)
            kinds = kinds_of(choice)
            if builder is None or not kinds or kinds & ~builder.seen:
                return True
        return not chunk.choices and not chunk.usages

    def would_learn(self, chunk: SaysOnce) -> bool:
        """Whether a usual chunk says something for the first time."""
        return (
            (self._fingerprint is None and chunk.system_fingerprint is not None)
            or (self._tier is None and chunk.service_tier is not None)
            or (self._created is None and chunk.created.__class__ is int)
        )

    def _receive_names(self, chunk: Chunk) -> None:
        if chunk.id and self.id and chunk.id != self.id:
            self.found("id-changed", "the completion got another id; the first stays")
        if chunk.model and self.model and chunk.model != self.model:
            self.found("model-changed", "the model got another name; the first stays")
        self.id = self.id or chunk.id or None
        self.model = self.model or chunk.model or None
        if self._created is None:
            self._created = chunk.created
        if self._fingerprint is None:
            self._fingerprint = chunk.system_fingerprint
        if self._tier is None:
            self._tier = chunk.service_tier
        said = (self._created, self._fingerprint, self._tier)
        self.knows_all = None not in said

    def _accept_done(self) -> None:
        accepts = self._options.accept_done_without_finish_reason
        for builder in self.choices.values():
            if not builder.is_finished and (accepts or builder.audio_ended):
                findings: list[Finding] = []
                builder.accept_done(findings)
                self._found_all(findings)

    def _open(self, index: int) -> ChoiceBuilder | None:
        if len(self.choices) >= self._limits.choices:
            self.over = f"more than {self._limits.choices} choices"
            return None
        builder = ChoiceBuilder(index, self._options, self._log, self._deliver)
        self.choices[index] = builder
        return builder

    def _deliver(self, event: StreamEvent) -> None:
        self.out.append(event)

    def _check_length(self, builder: ChoiceBuilder) -> None:
        most = self._limits.text
        if builder.length > most and builder.count() > most:
            self.over = f"more than {most} characters in choice {builder.index}"

    def expects_usage(self, usage: dict[str, Any]) -> bool:
        """Whether a usage is no more odd than one before it."""
        code = "usage-placeholder" if is_placeholder(usage) else "usage-repeated"
        return self._usage_seen and code in self._log

    def receive_usage(self, usage: dict[str, Any]) -> None:
        """Take a usage."""
        if is_placeholder(usage):
            self.found("usage-placeholder", "a usage without a count was ignored")
            return
        if self._usage is not None:
            self.found("usage-repeated", "usage came again; the last one counts")
        self._usage = Usage(
            prompt_tokens=_count(usage.get("prompt_tokens")),
            completion_tokens=_count(usage.get("completion_tokens")),
            total_tokens=_count(usage.get("total_tokens")),
            details={key: value for key, value in usage.items() if key not in COUNTS},
        )
        self.out.append(UsageReported(self._usage))

    def _receive_extra(self, chunk: Chunk) -> None:
        kept = self.kept
        if chunk.extra:
            self.extra = self.extra or {}
            self.extra |= chunk.extra
            kept.take_keys("chunk", 0, chunk.extra)
        for choice in chunk.choices:
            if choice.extra:
                kept.take_keys("choice", choice.index, choice.extra)
            delta = choice.delta
            if delta is None:
                continue
            if delta.extra:
                kept.take_keys("delta", choice.index, delta.extra)
            if delta.annotations or delta.parts:
                kept.take_items([*delta.annotations, *delta.parts])
            if delta.reasoning_details or delta.fragments:
                self._details = sum([builder.kept_inside for builder in self.choices.values()])
        if kept.count + self._details > self._limits.extras:
            self.over = f"more than {self._limits.extras} unknown keys and values"

    # What is odd -----------------------------------------------------------------------------

    def found(self, code: str, detail: str, data: bytes | None = None, *, count: int = 1) -> None:
        """Note a defect at the item at hand; ``data`` is shown with its first place."""
        if code not in self._log:
            offset = None if self.item is None else self._offset_of(self.item)
            shown = detail if data is None else f"{detail}: {one_line_of_bytes(data)}"
            self.out.append(DefectFound(self._log.add(code, offset, shown)))
            count -= 1
        self._log.count(code, count)

    def has_found(self, code: str) -> bool:
        """Whether a defect has been noted before: one more of it is only counted."""
        return code in self._log

    def found_again(self, code: str) -> None:
        """Count one more of a defect that has been noted before."""
        self._log.count(code, 1)

    def _found_all(self, findings: list[Finding]) -> None:
        for one in findings:
            self.found(one.code, one.detail, count=one.times)

    # The end, and what is left ---------------------------------------------------------------

    def close(self, end: End) -> list[StreamEvent]:
        """Nothing more comes: deliver what waits, and say what can only now be said."""
        self.out = []
        self.item = None
        if self.done:
            self._accept_done()
        for builder in self._in_order():
            findings: list[Finding] = []
            builder.close(findings, done=self.done)
            self._found_all(findings + builder.odd_at_the_end())
        self._find_missing_choices()
        code = code_of_end(self._facts(end), end.is_document, end.ending)
        if code is not None:
            self.found(code, self._sentence_of_end(code, end))
        return self.out

    def _find_missing_choices(self) -> None:
        asked = self._options.choices or 0
        missing = asked - sum(index < asked for index in self.choices)
        if missing > 0 and self.choices:
            first = next(index for index in itertools.count() if index not in self.choices)
            detail = f"choice {first} was asked for and never came"
            self.found("choice-missing", detail, count=missing)

    def _sentence_of_end(self, code: str, end: End) -> str:
        after = "" if end.received is None else f" after {end.received} bytes"
        if code == "empty-stream":
            return f"the body ended{after} and held no choice"
        if code == "missing-done":
            return f"the body ended{after} with no [DONE]; every choice had finished"
        open_ones = [builder for builder in self._in_order() if not builder.is_finished]
        first = open_ones[0]
        calls = first.calls.calls
        where = f"choice {first.index} unfinished"
        if calls:
            where = f"inside tool call {calls[-1].number} of choice {first.index}"
        if code == "missing-finish-reason":
            return f"[DONE] came, {where}"
        return f"the body ended{after} with no [DONE], {where}"

    def _in_order(self) -> list[ChoiceBuilder]:
        return [self.choices[index] for index in sorted(self.choices)]

    def _facts(self, end: End | None) -> Facts:
        builders = self.choices.values()
        status_failed = self._head is not None and self._head.failed
        return Facts(
            reported_failure=status_failed or self.error is not None or self._html,
            lost=self._log.lost or self._left_something(end),
            done=self.done,
            choices=len(builders),
            unfinished=sum(not builder.is_finished for builder in builders),
            meanings=frozenset(
                builder.meaning for builder in builders if builder.meaning is not None
            ),
        )

    def _left_something(self, end: End | None) -> bool:
        # Over a limit bytes are left unread. Only after [DONE] nobody misses them (law 1).
        return end is not None and end.ending == "limit" and not (self.done and self.over is None)

    def verdict(self, end: End | None) -> Verdict:
        """The verdict; ``end`` is None while the stream is open."""
        return Verdict(
            outcome=outcome_of(self._facts(end)),
            ending=end and end.ending,
            reason=end and end.reason,
            error=self.error,
            defects=self._log.defects(),
            tail=end and end.tail,
            usage_reported=self._usage is not None,
        )

    def completion(self, end: End | None, timing: Timing | None) -> Completion:
        """Everything that came so far."""
        return Completion(
            id=self.id,
            model=self.model,
            created=self._created,
            system_fingerprint=self._fingerprint,
            service_tier=self._tier,
            choices=[builder.build() for builder in self._in_order()],
            usage=self._usage,
            extra=dict(self.extra),
            verdict=self.verdict(end),
            timing=timing,
            head=self._head,
        )


def _keeps_nothing(delta: Delta) -> bool:
    """Whether nothing of a delta is kept as it came: unknown keys, annotations and the like."""
    for fragment in delta.fragments:
        if fragment.extra:
            return False
    return not (delta.extra or delta.annotations or delta.parts or delta.reasoning_details)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
