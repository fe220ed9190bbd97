"""Payloads → events and the completion: everything of one stream that is not of one choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from untorn.chat.choice import ChoiceBuilder, Kind, kinds_of
from untorn.chat.chunks import (
    Chunk,
    Finding,
    UsualChoice,
    UsualChunk,
    UsualFragment,
    decode_usual,
    decode_usual_with_logprobs,
    is_chunk,
    keep_logprobs_as_sent,
    read_chunk,
)
from untorn.chat.completion import Completion, Usage
from untorn.chat.error_object import error_of, find_error
from untorn.chat.json_text import NotJson, compact, decode, too_deep
from untorn.chat.payload import USUAL_PREFIX, Item, KeepAlive, Note, Payload, is_done
from untorn.chat.quirks.surrogate_split import ESCAPE, scrub, whole_text
from untorn.chat.quirks.usage_placeholder import is_placeholder
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
    ReasoningDelta,
    Started,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    UsageReported,
)
from untorn.head import Head
from untorn.options import Options
from untorn.readable import one_line_of_bytes
from untorn.sse.event_stream import Tail
from untorn.timing import Timing

# What the fast way's decoder raises for a payload that is not usual. TypeError: the item is no
# line at all, but a Payload or a Note, which cannot be sliced.
NOT_USUAL = (msgspec.MsgspecError, TypeError, RecursionError)

PINGS: tuple[Any, ...] = ({}, {"type": "ping"})

TEXT_KEYS = frozenset(
    "content reasoning reasoning_content refusal arguments input text summary thinking".split()
)
"""Strings in which half a surrogate pair may wait for its other half."""


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

    def __init__(
        self, options: Options, head: Head | None, offset_of: Callable[[Item], int | None]
    ) -> None:
        self.error: ErrorObject | None = None
        self.done = False
        """Whether ``[DONE]`` has come."""
        self.over: str | None = None
        """The limit that was passed, as a sentence; None while all are kept."""
        self._options = options
        self._limits = options.limits
        self._head = head
        self._offset_of = offset_of
        self._log = DefectLog()
        self._out: list[StreamEvent] = []
        self._item: Item | None = None
        self._choices: dict[int, ChoiceBuilder] = {}
        self._id: str | None = None
        self._model: str | None = None
        self._created: int | None = None
        self._fingerprint: str | None = None
        self._tier: str | None = None
        self._usage: Usage | None = None
        self._extra: dict[str, Any] = {}
        self._extra_keys: set[str] = set()
        self._html = False
        # The fast way.
        self._decode: Callable[[bytes], UsualChunk] = decode_usual
        self._texts: dict[int, list[str]] = {}
        self._reasonings: dict[int, list[str]] = {}
        self._slack = 0
        # The search for repeated keys (rule 14).
        self._usage_seen = False
        self._repeated_keys = False

    # The fast way ----------------------------------------------------------------------------

    def receive(self, items: Sequence[Item], size: int) -> list[StreamEvent]:
        """Take what framing gave out; ``size`` is at least the characters of text in it.

        The loop is the fast way: a chunk that only adds text to a choice whose text is known to
        be plain (``_texts`` holds its fragments). What is usual in another way is read from the
        same decoded chunk, and everything else from the payload, the plain way.
        """
        out = self._out = []
        self._slack -= size
        if self._slack < 0:
            self._count(size)
        decode = self._decode
        texts = self._texts
        for item in items:
            try:
                chunk = decode(item[USUAL_PREFIX:])  # type: ignore[index]  # TypeError is caught
            except NOT_USUAL:
                self._receive(item)
                decode = self._decode
                if self.over is not None:
                    break
                continue
            choices = chunk.choices
            if len(choices) == 1 and chunk.id == self._id and chunk.model == self._model:
                choice = choices[0]
                delta = choice.delta
                text = delta.content
                parts = texts.get(choice.index)
                if (
                    text
                    and parts is not None
                    and delta.role is delta.reasoning is delta.reasoning_content is None
                    and delta.tool_calls is None
                    and chunk.system_fingerprint == self._fingerprint
                    and chunk.service_tier == self._tier
                    and decode is decode_usual
                ):
                    parts.append(text)
                    out.append(TextDelta(choice.index, text))
                    continue
            if not self._receive_usual(chunk):
                self._receive(item)
                decode = self._decode
                if self.over is not None:
                    break
        return out

    def _receive_usual(self, chunk: UsualChunk) -> bool:
        """Take a usual chunk that adds more than text; False, and nothing taken, if it needs the
        plain way."""
        if (chunk.id and chunk.id != self._id) or (chunk.model and chunk.model != self._model):
            return False
        if chunk.system_fingerprint not in (None, self._fingerprint):
            return False
        if chunk.service_tier not in (None, self._tier):
            return False
        if not chunk.choices or not all(map(self._is_usual, chunk.choices)):
            return False
        for choice in chunk.choices:
            self._add_usual(choice)
        return True

    def _is_usual(self, choice: UsualChoice) -> bool:
        """Whether a choice brings only more of what came before."""
        index, delta = choice.index, choice.delta
        builder = self._choices.get(index)
        if builder is None or builder.is_finished or self.done or self._repeated_keys:
            return False
        if delta.role is not None and delta.role != builder.role:
            return False
        content, seen = delta.content, builder.seen
        if content is not None and not (
            index in self._texts if content else Kind.CONTENT in seen
        ):
            return False
        reasoning = delta.reasoning_content
        if reasoning is None:
            reasoning = delta.reasoning
        elif delta.reasoning is not None:
            return False
        if reasoning is not None and not (
            index in self._reasonings if reasoning else Kind.REASONING in seen
        ):
            return False
        for fragment in delta.tool_calls or ():
            if not self._continues(builder, fragment):
                return False
        if choice.logprobs is not None and not self._plain_logprobs(bytes(choice.logprobs)):
            return False
        return bool(delta.tool_calls) or (delta.role, content, reasoning) != (None, None, None)

    @staticmethod
    def _continues(builder: ChoiceBuilder, fragment: UsualFragment) -> bool:
        call = builder.calls.at(fragment.index)
        if call is None or not call.is_usual or fragment.id is not None:
            return False
        return fragment.function is None or fragment.function.name is None

    def _plain_logprobs(self, raw: bytes) -> bool:
        # msgspec checks neither the UTF-8 nor the depth of what it does not decode.
        if raw == b"null":
            return True
        try:
            return raw[:1] == b"{" and not too_deep(raw.decode("utf-8"), self._limits.depth)
        except UnicodeDecodeError:
            return False

    def _add_usual(self, choice: UsualChoice) -> None:
        index, delta = choice.index, choice.delta
        reasoning = delta.reasoning_content or delta.reasoning
        if reasoning:
            self._reasonings[index].append(reasoning)
            self._out.append(ReasoningDelta(index, reasoning))
        if delta.content:
            self._texts[index].append(delta.content)
            self._out.append(TextDelta(index, delta.content))
        builder = self._choices[index]
        for fragment in delta.tool_calls or ():
            call = builder.calls.at(fragment.index)
            assert call is not None
            builder.calls.last = call
            if fragment.function is not None and fragment.function.arguments:
                arguments = fragment.function.arguments
                call.fragments.append(arguments)
                self._out.append(ToolCallDelta(index, call.number, fragment.index, arguments))
        if choice.logprobs is not None and bytes(choice.logprobs) != b"null":
            builder.receive_logprobs(choice.logprobs)

    def _prepare_fast_way(self, builder: ChoiceBuilder) -> None:
        """Say what a further chunk for this choice may add without a look."""
        usual = not (builder.is_finished or self.done or self._repeated_keys or self._slack < 0)
        for kind, text, fast in (
            (Kind.CONTENT, builder.content, self._texts),
            (Kind.REASONING, builder.reasoning, self._reasonings),
        ):
            if usual and text.is_plain and kind in builder.seen:
                fast[builder.index] = text.parts
            else:
                fast.pop(builder.index, None)

    def _close_fast_way(self) -> None:
        self._texts.clear()
        self._reasonings.clear()

    def _count(self, size: int) -> None:
        """``size`` characters could pass the limit: count what there is. If they still could, the
        fast way, which does not count, is closed for them."""
        most = max([builder.count() for builder in self._choices.values()], default=0)
        self._slack = self._limits.text - most - size
        for builder in self._choices.values():
            self._prepare_fast_way(builder)

    # The plain way ---------------------------------------------------------------------------

    def _receive(self, item: Item) -> None:
        self._item = item
        if isinstance(item, bytes):
            self._receive_data(item[USUAL_PREFIX:], "event")
        elif isinstance(item, Payload):
            self._receive_payload(item)
        elif isinstance(item, Note):
            self._html = self._html or item.code == "html-body"
            self.found(item.code, item.detail, item.count)
        else:
            self._out.append(Heartbeat())

    def _receive_payload(self, payload: Payload) -> None:
        data, kind = payload.data, payload.kind
        if kind == "error field":
            value = decode(data, self._limits.depth).value
            self._receive_object({"error": value}, data, kind, in_array=False)
        elif kind == "text":
            self._report(self._error_text(data), canonical=False)
        elif kind == "event" and data[:1] == b"{":
            self._receive_unusually_framed(data)
        else:
            self._receive_data(data, kind)

    def _receive_unusually_framed(self, data: bytes) -> None:
        # The framing was odd, the chunk need not be.
        try:
            chunk = self._decode(data)
        except NOT_USUAL:
            self._receive_data(data, "event")
        else:
            if not self._receive_usual(chunk):
                self._receive_data(data, "event")

    def _receive_data(self, data: bytes, kind: str) -> None:
        """The data of an event, by rule 4."""
        text = data.strip()
        if is_done(text):
            self._receive_done(data)
        elif kind == "error event" and text[:1] not in (b"{", b"["):
            message = b"" if text == b"null" else data
            self._report(self._error_text(message), canonical=False)
        elif not text or text == b"null" or text[:1] == b":":
            self.found("heartbeat-data", f"a keep-alive came as data: {one_line_of_bytes(data)}")
            self._out.append(Heartbeat())
        elif text[:1] in (b"{", b"["):
            self._receive_json(data, kind)
        elif b'"choices"' in text:
            self.found("bad-json", f"text with choices in it is lost: {one_line_of_bytes(data)}")
        else:
            self.found("not-json", f"text was ignored: {one_line_of_bytes(data)}")

    def _receive_json(self, data: bytes, kind: str) -> None:
        in_array = data.lstrip()[:1] == b"["
        try:
            decoded = decode(
                data, self._limits.depth, repeated_keys=self._repeated_keys or in_array
            )
        except NotJson as exc:
            self.found("bad-json", f"an event is lost, {exc}: {one_line_of_bytes(data)}")
            if kind == "error event":
                self._report(self._error_text(data), canonical=False)
            return
        for code in decoded.allowed:
            self._allow(code, data)
        items = decoded.value if in_array else [decoded.value]
        if not items and kind == "error event":
            self._report(self._error_text(b""), canonical=False)
        elif not items:
            self.found("unrecognised-event", "an empty array came as an event")
        for value in items:
            if isinstance(value, dict):
                self._receive_object(value, data, kind, in_array=in_array)
            else:
                self.found("unrecognised-event", f"an array holds {one_line_of_bytes(data)}")

    def _allow(self, code: str, data: bytes) -> None:
        self.found(code, f"in {one_line_of_bytes(data)}")
        if code == "duplicate-key":
            self._repeated_keys = True
            self._close_fast_way()

    def _receive_object(
        self, value: dict[str, Any], data: bytes, kind: str, *, in_array: bool
    ) -> None:
        if ESCAPE.search(data):
            scrubbed = scrub(value, TEXT_KEYS)
            if scrubbed != value:
                self.found("lone-surrogate", f"in {one_line_of_bytes(data)}")
            value = scrubbed
        found = find_error(value)
        if is_chunk(value):
            self._receive_chunk(value, data, kind, in_array=in_array, is_error=found is not None)
        elif found is None and kind == "error event":
            self._report(error_of(value, message=None if value else ""), canonical=False)
        elif found is None and value in PINGS:
            self.found("heartbeat-data", f"a keep-alive came as data: {one_line_of_bytes(data)}")
            self._out.append(Heartbeat())
        elif found is None:
            self.found("unrecognised-event", f"ignored: {one_line_of_bytes(data)}")
        if found is not None:
            self._report(found.error, canonical=found.canonical and not in_array)

    def _receive_done(self, data: bytes) -> None:
        if data != b"[DONE]":
            self.found("done-variant", f"the end mark was written {one_line_of_bytes(data)}")
        if self.done:
            self.found("duplicate-done", "[DONE] came again")
            return
        self.done = True
        self._close_fast_way()
        self._accept_done()

    def _accept_done(self) -> None:
        accepts = self._options.accept_done_without_finish_reason
        for builder in self._choices.values():
            if not builder.is_finished and (accepts or builder.audio_ended):
                findings: list[Finding] = []
                builder.accept_done(findings)
                self._found_all(findings)

    def _receive_chunk(
        self, value: dict[str, Any], data: bytes, kind: str, *, in_array: bool, is_error: bool
    ) -> None:
        is_document = kind in ("line", "document") and not in_array
        chunk = read_chunk(value, is_document=is_document)
        if not (self._repeated_keys or in_array) and self._is_first_of_a_kind(chunk):
            decoded = decode(data, self._limits.depth, repeated_keys=True)
            if "duplicate-key" in decoded.allowed:
                self._allow("duplicate-key", data)
                chunk = read_chunk(scrub(decoded.value, TEXT_KEYS), is_document=is_document)
        if is_error:
            # Nobody expects choices beside an error.
            chunk.findings = [one for one in chunk.findings if one.code != "choices-missing"]
        if self.done:
            self.found("data-after-done", "a chunk came after [DONE]")
        self._found_all(chunk.findings)
        self._receive_names(chunk)
        if any(choice.logprobs is not None for choice in chunk.choices):
            self._decode = decode_usual_with_logprobs
            if not (in_array or self._repeated_keys):
                keep_logprobs_as_sent(chunk, data)
        for choice in chunk.choices:
            builder = self._choice(choice.index)
            if builder is None:
                return
            findings: list[Finding] = []
            builder.seen |= kinds_of(choice)
            builder.receive(choice, findings)
            self._found_all(findings)
            self._check_limits(builder)
            self._prepare_fast_way(builder)
        for usage in chunk.usages:
            self._receive_usage(usage)
        self._receive_extra(chunk)

    def _is_first_of_a_kind(self, chunk: Chunk) -> bool:
        """Whether repeated keys must be looked for in this chunk (rule 14): it is the first of
        its kind for a choice, or it says nothing, perhaps because a null hides what it says."""
        if chunk.usages and not self._usage_seen:
            self._usage_seen = True
            return True
        for choice in chunk.choices:
            builder = self._choices.get(choice.index)
            kinds = kinds_of(choice)
            if builder is None or not kinds or kinds & ~builder.seen:
                return True
        return not chunk.choices and not chunk.usages

    def _receive_names(self, chunk: Chunk) -> None:
        if chunk.id and self._id and chunk.id != self._id:
            self.found("id-changed", "the completion got another id; the first stays")
        if chunk.model and self._model and chunk.model != self._model:
            self.found("model-changed", "the model got another name; the first stays")
        self._id = self._id or chunk.id or None
        self._model = self._model or chunk.model or None
        if self._created is None:
            self._created = chunk.created
        if chunk.system_fingerprint is not None:
            self._fingerprint = chunk.system_fingerprint
        if chunk.service_tier is not None:
            self._tier = chunk.service_tier
        if chunk.choices and not self._choices:
            self._out.append(Started(self._id, self._model))

    def _choice(self, index: int) -> ChoiceBuilder | None:
        builder = self._choices.get(index)
        if builder is not None:
            return builder
        if len(self._choices) >= self._limits.choices:
            self.over = f"more than {self._limits.choices} choices"
            return None
        builder = ChoiceBuilder(index, self._options, self._deliver)
        self._choices[index] = builder
        return builder

    def _deliver(self, event: StreamEvent) -> None:
        self._out.append(event)

    def _check_limits(self, builder: ChoiceBuilder) -> None:
        limits = self._limits
        if len(builder.calls.calls) > limits.tool_calls:
            self.over = f"more than {limits.tool_calls} tool calls in choice {builder.index}"
        if self._slack < 0 and builder.length > limits.text and builder.count() > limits.text:
            self.over = f"more than {limits.text} characters in choice {builder.index}"

    def _receive_usage(self, usage: dict[str, Any]) -> None:
        if is_placeholder(usage):
            self.found("usage-placeholder", "a usage without a count was ignored")
            return
        if self._usage is not None:
            self.found("usage-repeated", "usage came again; the last one counts")
        counts = ("prompt_tokens", "completion_tokens", "total_tokens")
        given = [usage.get(key) for key in counts]
        integers = [n if isinstance(n, int) and not isinstance(n, bool) else None for n in given]
        details = {key: value for key, value in usage.items() if key not in counts}
        self._usage = Usage(*integers, details)
        self._out.append(UsageReported(self._usage))

    def _receive_extra(self, chunk: Chunk) -> None:
        self._extra |= chunk.extra
        self._extra_keys.update(chunk.extra)
        for choice in chunk.choices:
            self._extra_keys.update(choice.extra)
            if choice.delta is not None:
                self._extra_keys.update(choice.delta.extra)
        if len(self._extra_keys) > self._limits.extra_keys:
            self.over = f"more than {self._limits.extra_keys} unknown keys"

    # What is odd, what failed ----------------------------------------------------------------

    def found(self, code: str, detail: str, count: int = 1) -> None:
        """Note a defect at the payload that is being read."""
        if code == "bad-json":
            self._lose_an_event()
        if code not in self._log:
            offset = None if self._item is None else self._offset_of(self._item)
            self._out.append(DefectFound(self._log.add(code, offset, detail)))
            count -= 1
        self._log.count(code, count)

    def _lose_an_event(self) -> None:
        # It may have held arguments. What is left of them may look whole by accident (law 1).
        for builder in self._choices.values():
            if not builder.is_finished:
                for call in builder.calls.calls:
                    call.lost = True

    def _found_all(self, findings: list[Finding]) -> None:
        for code, detail in findings:
            self.found(code, detail)

    def _error_text(self, text: bytes) -> ErrorObject:
        message = text.decode("utf-8", "replace").strip()
        if "\N{REPLACEMENT CHARACTER}" in message and not _is_utf8(text):
            self.found("invalid-utf8", "in the text of an error")
        return ErrorObject(message=message, raw=message)

    def _report(self, error: ErrorObject, *, canonical: bool) -> None:
        if not canonical:
            self.found("error-shape", "the error is not {\"error\": {\"message\": ...}}")
        if self.error is not None:
            return
        failed = self._head is not None and self._head.failed
        status = self._head.status if self._head is not None and failed else None
        self.error = msgspec.structs.replace(
            error, message=whole_text(error.message), raw=scrub(error.raw), status=status
        )
        self._out.append(ErrorReported(self.error))

    # The end, and what is left ---------------------------------------------------------------

    def close(self, end: End) -> list[StreamEvent]:
        """Nothing more comes: deliver what waits, and say what can only now be said."""
        self._out = []
        self._item = None
        if self.done:
            self._accept_done()
        for builder in self._in_order():
            findings: list[Finding] = []
            builder.close(findings)
            self._found_all(findings + builder.odd_at_the_end())
        asked = self._options.choices
        if asked is not None:
            for index in range(asked):
                if index not in self._choices and self._choices:
                    self.found("choice-missing", f"choice {index} was asked for and never came")
        code = code_of_end(self._facts(), end.is_document, end.ending)
        if code is not None:
            self.found(code, self._sentence_of_end(code, end))
        return self._out

    def _sentence_of_end(self, code: str, end: End) -> str:
        after = "" if end.received is None else f" after {end.received} bytes"
        if code == "empty-stream":
            return f"the body ended{after} and held no choice"
        if code == "missing-done":
            return f"the body ended{after} with no [DONE]; every choice had finished"
        open_ones = [builder for builder in self._in_order() if not builder.is_finished]
        first = open_ones[0]
        where = f"choice {first.index} unfinished"
        calls = first.calls.calls
        if calls:
            where = f"inside tool call {calls[-1].number} of choice {first.index}"
        if code == "missing-finish-reason":
            return f"[DONE] came with {where}"
        return f"the body ended{after} with no [DONE], {where}"

    def _in_order(self) -> list[ChoiceBuilder]:
        return [self._choices[index] for index in sorted(self._choices)]

    def _facts(self) -> Facts:
        builders = self._choices.values()
        status_failed = self._head is not None and self._head.failed
        return Facts(
            reported_failure=status_failed or self.error is not None or self._html,
            lost=self._log.lost,
            done=self.done,
            choices=len(builders),
            unfinished=sum(not builder.is_finished for builder in builders),
            meanings=frozenset(
                builder.meaning for builder in builders if builder.meaning is not None
            ),
        )

    def verdict(self, end: End | None) -> Verdict:
        """The verdict; ``end`` is None while the stream is open."""
        return Verdict(
            outcome=outcome_of(self._facts()),
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
            id=self._id,
            model=self._model,
            created=self._created,
            system_fingerprint=self._fingerprint,
            service_tier=self._tier,
            choices=[builder.build() for builder in self._in_order()],
            usage=self._usage,
            extra=dict(self._extra),
            verdict=self.verdict(end),
            timing=timing,
            head=self._head,
        )


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
