"""What a further chunk may add to each choice without a closer look, and how it is added.

A choice is prepared by the plain way: once it has a text, more of it may be appended, and so may
more reasoning, and more arguments of a call that is open. A chunk only adds if nothing in it comes
for the first time, and the plain way would do nothing but append.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UnsetType

from untorn.chat.builder import CompletionBuilder
from untorn.chat.choice import ChoiceBuilder, Kind
from untorn.chat.choice_calls import ChoiceCalls
from untorn.chat.chunks import NO_REASONS
from untorn.chat.quirks.reasoning_duplicated import DUPLICATED, text_of_details
from untorn.chat.wide import AnyWideChoice, WideFragment, is_rare
from untorn.events import ReasoningDelta, TextDelta, ToolCallDelta
from untorn.options import Limits

Parts = dict[int, list[str]]
"""By the index of a choice: the fragments of its text, to which more may simply be appended."""

NO_PARTS: Parts = {}
NO_CALLS_OF: dict[int, ChoiceCalls] = {}
NOBODY: frozenset[int] = frozenset()
"""Stand for what a stream has none of. Nobody adds to them: streams share them."""

NULL = b"null"
ONLY_TEXT = (str, UnsetType)
"""The types of arguments that may be appended, or are absent."""


class Growing:
    """The choices of one stream, as far as more may be appended to them."""

    __slots__ = ("_builder", "_limits", "calls", "reasonings", "roleless", "texts")

    def __init__(self, builder: CompletionBuilder, limits: Limits) -> None:
        self._builder = builder
        self._limits = limits
        self.texts: Parts = {}
        self.reasonings = NO_PARTS
        self.calls = NO_CALLS_OF
        self.roleless = NOBODY
        """Choices that got no role yet: one that comes would be their first."""

    def prepare(self, choice: ChoiceBuilder) -> None:
        """Say what may be appended to a choice that the plain way has changed."""
        index = choice.index
        builder = self._builder
        usual = not (choice.is_finished or builder.is_plain or builder.counts)
        if usual and choice.role is None:
            self.roleless |= {index}
        elif self.roleless:
            self.roleless = self.roleless - {index} or NOBODY
        if usual and choice.seen & Kind.CONTENT and choice.content.is_plain:
            self.texts[index] = choice.content.parts
        elif index in self.texts:
            del self.texts[index]
        if usual and choice.seen & Kind.REASONING and choice.reasoning.is_plain:
            self.reasonings = self.reasonings or {}
            self.reasonings[index] = choice.reasoning.parts
        elif index in self.reasonings:
            del self.reasonings[index]
        if usual and choice.calls.at:
            self.calls = self.calls or {}
            self.calls[index] = choice.calls
        elif index in self.calls:
            del self.calls[index]

    def clear(self) -> None:
        """From now on all takes the plain way."""
        self.texts.clear()
        self.reasonings.clear()
        self.calls.clear()

    def only_adds(self, choice: AnyWideChoice) -> bool:
        """Whether a choice brings only more of what came before, but for a vendor's keys; what is
        odd about it, too."""
        index, delta, found = choice.index, choice.delta, self._builder.has_found
        if not isinstance(index, int) or is_rare(delta):
            return False
        reason = choice.finish_reason
        if reason is not None and not (reason in NO_REASONS and found("finish-reason-empty")):
            return False
        builder = self._builder.choices.get(index)
        if builder is None or builder.is_finished:
            return False
        role, content, seen = delta.role, delta.content, builder.seen
        if role is not None and role != builder.role and not (role == "" and found("role-empty")):
            return False
        if not (content is None or isinstance(content, str)):
            return False
        if content is not None and not (
            index in self.texts or builder.content.is_continued_by(content)
            if content
            else seen & Kind.CONTENT
        ):
            return False
        reasoning = delta.reasoning_content
        if reasoning is None:
            reasoning = delta.reasoning
        elif delta.reasoning is not None and not self._says_again(delta.reasoning, reasoning):
            return False
        if delta.reasoning_details and not (
            self._says_again(text_of_details(delta.reasoning_details), reasoning)
            and builder.joins_details(delta.reasoning_details)
        ):
            return False
        if reasoning is not None and not (
            index in self.reasonings or builder.reasoning.is_continued_by(reasoning)
            if reasoning
            else seen & Kind.REASONING
        ):
            return False
        fragments = delta.tool_calls
        if fragments:
            if len(fragments) > self._limits.tool_calls:
                return False
            for fragment in fragments:
                if not _continues(builder, fragment):
                    return False
        elif not role and content is None and reasoning is None:
            return False  # perhaps a repeated key hides what it says (rule 14)
        return choice.logprobs is None or may_be_kept(bytes(choice.logprobs))

    def add(self, choice: Any) -> None:
        """Take a choice that only adds."""
        index, delta, out = choice.index, choice.delta, self._builder.out
        reasoning = delta.reasoning_content or delta.reasoning
        if delta.reasoning_details:
            self._builder.choices[index].receive_details(delta.reasoning_details)
        if reasoning and (delta.reasoning_details or delta.reasoning == delta.reasoning_content):
            self._builder.found_again(DUPLICATED[0])
        if choice.finish_reason is not None:
            self._builder.found_again("finish-reason-empty")
        if delta.role == "":
            self._builder.found_again("role-empty")
        if reasoning:
            if index in self.reasonings:
                self.reasonings[index].append(reasoning)
                out.append(ReasoningDelta(index, reasoning))
            else:
                self._say("reasoning", index, reasoning)
        if delta.content:
            if index in self.texts:
                self.texts[index].append(delta.content)
                out.append(TextDelta(index, delta.content))
            else:
                self._say("content", index, delta.content)
        if delta.tool_calls:
            calls = self._builder.choices[index].calls
            for fragment in delta.tool_calls:
                call = calls.last = calls.at[fragment.index]
                arguments = None if fragment.function is None else fragment.function.arguments
                if arguments:
                    call.fragments.append(arguments)
                    out.append(ToolCallDelta(index, call.number, fragment.index, arguments))
        if choice.logprobs is not None and (logprobs := bytes(choice.logprobs)) != NULL:
            self._builder.choices[index].receive_logprobs(logprobs)

    def _says_again(self, text: str | None, reasoning: str | None) -> bool:
        """Whether a text is the reasoning under another key, as has been noted before."""
        return text is not None and text == reasoning and self._builder.has_found(DUPLICATED[0])

    def _say(self, channel: Literal["content", "reasoning"], index: int, text: str) -> None:
        """Take what may be a further snapshot of a text."""
        choice = self._builder.choices[index]
        choice.say(channel, text, [])
        self.prepare(choice)


def may_be_kept(logprobs: bytes) -> bool:
    """Whether logprobs, undecoded, are an object, or null."""
    return logprobs == NULL or logprobs[:1] == b"{"


def _continues(choice: ChoiceBuilder, fragment: WideFragment) -> bool:
    """Whether a fragment brings nothing but arguments to a call that is open."""
    index, function = fragment.index, fragment.function
    call = choice.calls.at.get(index) if isinstance(index, int) else None
    if call is None or not call.is_usual or fragment.id is not None:
        return False
    if function is None:
        return True
    return function.name is None and isinstance(function.arguments, ONLY_TEXT)
