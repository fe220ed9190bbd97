"""One choice while it grows: deltas in, events out, a Choice at any time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from msgspec import Raw

from untorn.chat.choice_calls import NO_CALLS, ChoiceCalls, ChoiceEnd, Deliver
from untorn.chat.chunks import ChunkChoice, Delta, Finding, Fragment, findings_of
from untorn.chat.completion import Audio, Choice, Message
from untorn.chat.finish_reasons import STANDARD, Meaning, meaning_of
from untorn.chat.pieces import NO_ITEMS, NO_VALUES, join, joined, joins_block, merge_block
from untorn.chat.text import NO_TEXT, NOTHING, GrowingText, Growth
from untorn.chat.verdict import DefectLog
from untorn.events import (
    AudioDelta,
    ChoiceFinished,
    LogprobsDelta,
    ReasoningDelta,
    RefusalDelta,
    Revised,
    StreamEvent,
    TextDelta,
)
from untorn.options import Options

ASSISTANT = "assistant"
"""The role that nearly all choices have: they share it."""


class Kind:
    """The kinds of things that a delta can bring (rule 14), as bits. (Of an IntFlag, each ``|``
    would cost as much as all the rest.)"""

    ROLE = 1
    CONTENT = 2
    REASONING = 4
    TOOL_CALLS = 8
    FINISH = 16


def kinds_of(choice: ChunkChoice) -> int:
    """What a choice of a chunk brings; 0 for nothing."""
    kinds = 0 if choice.finish_reason is None else Kind.FINISH
    delta = choice.delta
    if delta is None:
        return kinds
    if delta.role is not None:
        kinds |= Kind.ROLE
    if delta.content is not None:
        kinds |= Kind.CONTENT
    if delta.reasoning is not None:
        kinds |= Kind.REASONING
    if delta.fragments:
        kinds |= Kind.TOOL_CALLS
    return kinds


class ChoiceBuilder:
    """A choice while it grows."""

    __slots__ = (
        "_annotations",
        "_audio",
        "_audio_size",
        "_transcript",
        "_deliver",
        "_last_reason",
        "_log",
        "_logprobs",
        "_lost",
        "_options",
        "_parts",
        "_reasoning_details",
        "accepted",
        "audio_ended",
        "calls",
        "content",
        "extra",
        "finish_reason",
        "index",
        "kept_details",
        "length",
        "meaning",
        "message_extra",
        "over",
        "reasoning",
        "refusal",
        "role",
        "seen",
    )

    def __init__(self, index: int, options: Options, log: DefectLog, deliver: Deliver) -> None:
        self.index = index
        self.role: str | None = None
        self.seen = 0
        """The kinds of deltas that have been searched for repeated keys."""
        # Made when their first piece comes: most choices have one of them.
        self.content = self.reasoning = self.refusal = NO_TEXT
        self.calls = NO_CALLS
        self.finish_reason: str | None = None
        self.meaning: Meaning | None = None
        """What the finish reason means; None without one."""
        self.audio_ended = False
        """Whether its audio brought ``expires_at``, the end mark that audio has."""
        self.accepted = False
        """Whether ``[DONE]`` stands for the finish reason, by rule 16 or by the caller's wish."""
        self.extra = NO_VALUES
        """Unknown keys beside the delta, each with its last value that is not null."""
        self.message_extra = NO_VALUES
        """Unknown keys in the delta, each with its pieces or its last value; see ``join``."""
        self.kept_details = 0
        """How many values its ``reasoning_details`` hold."""
        self.over: str | None = None
        """The limit that was passed, as a sentence; None while all are kept."""
        self.length = 0
        """Characters so far. Exact only after ``count``."""
        self._options = options
        self._log = log
        self._lost = False
        self._deliver = deliver
        self._last_reason: str | None = None
        self._logprobs: list[bytes] = NO_ITEMS
        self._audio: dict[str, Any] | None = None
        self._audio_size = 0
        self._transcript = NO_TEXT
        self._annotations = NO_ITEMS
        self._reasoning_details: list[dict[str, Any]] = NO_ITEMS
        self._parts = NO_ITEMS

    # What comes in ---------------------------------------------------------------------------

    def receive(self, choice: ChunkChoice, findings: list[Finding]) -> None:
        """Take a choice of a chunk; its events are delivered, what is odd is noted."""
        if choice.delta is not None:
            if self.is_finished and _says_something(choice.delta):
                findings.append(
                    Finding("content-after-finish", f"choice {self.index} went on after its end")
                )
            self._receive_delta(choice.delta, findings)
        if choice.logprobs is not None:
            self.receive_logprobs(choice.logprobs)
        if choice.extra:
            self.extra = self.extra or {}
            self.extra |= choice.extra
        if choice.finish_reason is not None:
            self._receive_finish_reason(choice.finish_reason, findings)

    def _receive_delta(self, delta: Delta, findings: list[Finding]) -> None:
        if self.role is None:
            self.role = ASSISTANT if delta.role == ASSISTANT else delta.role
        whole = delta.is_message
        if delta.reasoning is not None:
            self.say("reasoning", delta.reasoning, findings, whole=whole)
        if delta.content is not None:
            self.say("content", delta.content, findings, whole=whole)
        if delta.is_only_text:
            return
        if delta.refusal is not None:
            self.say("refusal", delta.refusal, findings, whole=whole)
        if delta.fragments:
            self._receive_fragments(delta.fragments, findings, of_message=whole)
        if delta.audio is not None:
            self._receive_audio(delta.audio, findings)
        if delta.reasoning_details:
            self.receive_details(delta.reasoning_details)
        if delta.extra:
            self.message_extra = self.message_extra or {}
            for key, value in delta.extra.items():
                join(self.message_extra, key, value)
        if delta.annotations:
            self._annotations = self._annotations or []
            self._annotations += delta.annotations
        if delta.parts:
            self._parts = self._parts or []
            self._parts += delta.parts

    def _receive_fragments(
        self, fragments: list[Fragment], findings: list[Finding], *, of_message: bool
    ) -> None:
        if not self.calls.calls:
            self.calls = ChoiceCalls(self.index, self._options.limits, self._deliver)
        for fragment in fragments:
            self.calls.receive(fragment, findings, of_message=of_message)
            self.length += len(fragment.arguments) + len(fragment.name or "")
        self._check_calls()

    def _check_calls(self) -> None:
        most = self._options.limits.tool_calls
        if len(self.calls.calls) > most:
            self.over = f"more than {most} tool calls in choice {self.index}"
        elif self.calls.over is not None and self.over is None:
            self.over = self.calls.over

    def say(
        self,
        channel: Literal["content", "reasoning", "refusal"],
        fragment: str,
        findings: list[Finding],
        *,
        whole: bool = False,
    ) -> None:
        """More text of one channel; of a ``whole`` message only what is new."""
        text: GrowingText = getattr(self, channel)
        if not text.arrived:
            text = self._new_text(may_be_cumulative=channel != "refusal")
            setattr(self, channel, text)
        growth = text.receive_whole(fragment) if whole else text.receive(fragment)
        self.length += len(fragment)
        if text.is_over:
            self.over = f"more than {self._options.limits.text} characters in choice {self.index}"
        self._deliver_growth(channel, growth, findings)

    def _new_text(self, *, may_be_cumulative: bool) -> GrowingText:
        return GrowingText(self._options.limits.text, may_be_cumulative=may_be_cumulative)

    def _deliver_growth(
        self,
        channel: Literal["content", "reasoning", "refusal"],
        growth: Growth,
        findings: list[Finding],
    ) -> None:
        if growth.codes:
            findings += findings_of(growth.codes, f"in the {channel} of choice {self.index}")
        if growth.deliver:
            self._deliver(DELTAS[channel](self.index, growth.deliver))
        if growth.revised is not None and channel != "refusal":
            self._deliver(Revised(self.index, channel, growth.revised))

    def _receive_audio(self, audio: dict[str, Any], findings: list[Finding]) -> None:
        so_far = self._audio = self._audio or {}
        data, transcript = _text(audio.get("data")), audio.get("transcript")
        so_far.setdefault("data", []).append(data)
        for key in ("id", "expires_at"):
            so_far.setdefault(key, None)
            so_far[key] = audio.get(key) or so_far[key]
        self.audio_ended = so_far["expires_at"] is not None
        self._audio_size += len(data)
        self.length += len(data) + len(_text(transcript))
        growth = NOTHING
        if transcript is not None:
            if not self._transcript.arrived:
                self._transcript = self._new_text(may_be_cumulative=False)
            growth = self._transcript.receive(_text(transcript))
        self._deliver_audio(data, growth, findings)

    def _deliver_audio(self, data: str, growth: Growth, findings: list[Finding]) -> None:
        where = f"in the transcript of choice {self.index}"
        findings += findings_of(growth.codes, where)
        if data or growth.deliver:
            self._deliver(AudioDelta(self.index, data, growth.deliver))

    def receive_details(self, blocks: list[dict[str, Any]]) -> None:
        """More blocks of ``reasoning_details``, or pieces of them."""
        self._reasoning_details = self._reasoning_details or []
        for block in blocks:
            self.kept_details += merge_block(self._reasoning_details, block)

    def joins_details(self, blocks: list[Any]) -> bool:
        """Whether blocks are one piece of text, of the block that is open."""
        return len(blocks) == 1 and joins_block(self._reasoning_details, blocks[0])

    def receive_logprobs(self, json: bytes) -> None:
        """More logprobs."""
        self._logprobs = self._logprobs or []
        self._logprobs.append(json)
        self._deliver(LogprobsDelta(self.index, Raw(json)))

    def _receive_finish_reason(self, reason: str, findings: list[Finding]) -> None:
        meaning = meaning_of(reason, self._options.normal_finish_reasons)
        if meaning is Meaning.UNKNOWN:
            findings.append(
                Finding("finish-reason-unknown", f"nobody knows what {reason[:60]!r} means")
            )
        elif reason not in STANDARD:
            findings.append(Finding("finish-reason-nonstandard", f"it is {reason[:60]!r}"))
        first = not self.is_finished
        if self.finish_reason is not None:
            again = reason in (self.finish_reason, self._last_reason)
            code = "finish-reason-repeated" if again else "finish-reason-changed"
            findings.append(Finding(code, f"choice {self.index} got {reason[:60]!r} as well"))
        self._last_reason = reason
        if self.meaning is None or meaning > self.meaning:
            self.finish_reason, self.meaning = reason, meaning
            if not first:
                self._deliver(Revised(self.index, "finish_reason", reason))
        if first:
            self._finish(findings)

    # Its end ---------------------------------------------------------------------------------

    @property
    def is_finished(self) -> bool:
        """Whether its end was announced, well or badly."""
        return self.finish_reason is not None or self.accepted

    def accept_done(self, findings: list[Finding]) -> None:
        """``[DONE]`` ends it: its audio has ended, or the caller takes that for an end."""
        self.accepted = True
        self._finish(findings)

    def _finish(self, findings: list[Finding]) -> None:
        # An event that was lost by now may have held arguments. What is left of them may look
        # whole by accident (law 1).
        self._lost = self._log.event_lost
        self._release(findings, finished=True)
        self.calls.finish(self._end)
        self._deliver(ChoiceFinished(self.index, self.finish_reason))

    def close(self, findings: list[Finding], *, done: bool) -> None:
        """Nothing more comes at all, after ``[DONE]`` or without: deliver what waits."""
        self._release(findings, finished=self.is_finished or done)
        self.calls.finish(self._end)

    def _release(self, findings: list[Finding], *, finished: bool) -> None:
        channels: tuple[Literal["content", "reasoning", "refusal"], ...]
        channels = ("reasoning", "content", "refusal")
        for channel in channels:
            text: GrowingText = getattr(self, channel)
            self._deliver_growth(channel, text.release(finished=finished), findings)
        self._deliver_audio("", self._transcript.release(finished=finished), findings)
        self.calls.release(findings, finished=finished)

    @property
    def _end(self) -> ChoiceEnd:
        if self._lost:
            return ChoiceEnd.NONE
        if self.meaning is Meaning.LIMIT:
            return ChoiceEnd.LIMIT
        accepted = self.accepted and self.meaning is None
        normal = accepted or self.meaning in (Meaning.NORMAL, Meaning.CALLS)
        return ChoiceEnd.NORMAL if normal else ChoiceEnd.NONE

    # What is left ----------------------------------------------------------------------------

    def count(self) -> int:
        """Characters so far, exactly. What was counted takes less memory from then on."""
        texts = (self.content, self.reasoning, self.refusal, self._transcript)
        for text in texts:
            text.fold()
        self.length = sum(text.size for text in texts) + self._audio_size
        for call in self.calls.calls:
            call.fold()
            self.length += call.size
        return self.length

    @property
    def kept_inside(self) -> int:
        """How much is kept in its blocks of reasoning and beside its calls, as it came."""
        return self.kept_details + self.calls.kept

    def odd_at_the_end(self) -> list[Finding]:
        """What can be said to be odd only when nothing more comes."""
        findings: list[Finding] = []
        content = self.content.text or ""
        where = f"choice {self.index}"
        if self.role is None:
            findings.append(Finding("role-missing", f"{where} got no role; it is assistant's"))
        if self.content.is_cumulative or self.reasoning.is_cumulative:
            findings.append(Finding("content-cumulative", f"{where} got snapshots of its text"))
        tags = content.count("<think>") + content.count("</think>")
        if tags:
            findings.append(Finding("think-tags", f"the content of {where} holds think tags", tags))
        calls = self.calls.final(findings)
        if calls and self.finish_reason is not None and self.finish_reason.lower() == "stop":
            findings.append(Finding("finish-reason-mismatch", f"{where} has calls to run"))
        if self.finish_reason is None and self.audio_ended and self.accepted:
            findings.append(Finding("audio-end", f"{where} ended with its audio"))
        return findings

    def build(self) -> Choice:
        """The choice as it stands."""
        message = Message(
            role=self.role or ASSISTANT,
            content=self.content.text,
            reasoning=self.reasoning.text,
            reasoning_details=[joined(block) for block in self._reasoning_details],
            refusal=self.refusal.text,
            tool_calls=self.calls.built(self._end),
            audio=self._built_audio(),
            annotations=list(self._annotations),
            extra=self._built_extra(),
        )
        return Choice(
            index=self.index,
            message=message,
            finish_reason=self.finish_reason,
            raw_logprobs=list(self._logprobs),
            extra=dict(self.extra),
        )

    def _built_extra(self) -> dict[str, Any]:
        extra = joined(self.message_extra)
        if self._parts:
            of_vendor = [extra["content_parts"]] if "content_parts" in extra else []
            extra["content_parts"] = of_vendor + self._parts
        return extra

    def _built_audio(self) -> Audio | None:
        audio = self._audio
        if audio is None:
            return None
        expires_at = audio["expires_at"]
        return Audio(
            id=audio["id"] if isinstance(audio["id"], str) else None,
            data="".join(audio["data"]),
            transcript=self._transcript.text,
            expires_at=expires_at if isinstance(expires_at, int) else None,
        )


DELTAS: dict[str, Callable[[int, str], StreamEvent]] = {
    "content": TextDelta,
    "reasoning": ReasoningDelta,
    "refusal": RefusalDelta,
}


def _says_something(delta: Delta) -> bool:
    texts = [delta.content, delta.reasoning, delta.refusal]
    if delta.audio is not None:
        texts += [_text(delta.audio.get("data")), _text(delta.audio.get("transcript"))]
    brings_calls = any(part.name or part.id or part.arguments for part in delta.fragments)
    return any(texts) or brings_calls


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
