"""Chunks written as OpenAI sends them. Pure.

Shapes and names are those of OpenAI's API reference, "chat.completion.chunk" (2026-11).
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from untorn.chat.chunks import is_chunk, wire_index
from untorn.chat.completion import ToolCall, decode_logprobs
from untorn.chat.json_text import compact
from untorn.chat.quirks.surrogate_split import scrub
from untorn.chat.verdict import ErrorObject
from untorn.clients.canonical import Chunk, are_logprobs, is_decodable

DONE = b"data: [DONE]\n\n"


class Extras:
    """The unknown keys of a chunk that is written anew: each is given out once."""

    def __init__(self, chunk: dict[str, Any]) -> None:
        odd = {key for key in ONCE if not isinstance(chunk.get(key), str)}
        self.chunk = _without(chunk, CHUNK_KEYS | odd)
        self.choices: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
        """By index: those beside the delta, and those in it."""
        self.index: int | None = None
        """That of the first choice; None where there is none."""
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, dict):
                self._add(choice)

    def _add(self, choice: dict[str, Any]) -> None:
        index = wire_index(choice.get("index")) or 0
        self.index = index if self.index is None else self.index
        both = _without(choice, CHOICE_KEYS), _extras_of_delta(choice)
        if any(both):
            self.choices[index] = both

    def of_chunk(self) -> dict[str, Any]:
        """Those beside ``choices``."""
        extra, self.chunk = self.chunk, {}
        return extra

    def of_choice(self, index: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Those of one choice."""
        return self.choices.pop(index, ({}, {}))


def _extras_of_delta(choice: dict[str, Any]) -> dict[str, Any]:
    said = choice.get("delta") or choice.get("message")
    if not isinstance(said, dict):
        return {}
    extras = _without(said, DELTA_KEYS)
    audio = said.get("audio")
    if isinstance(audio, dict) and (more := _without(audio, AUDIO_KEYS)):
        extras["audio"] = more
    return extras


CHOICE_KEYS = frozenset("index delta message text finish_reason logprobs usage error".split())
CHUNK_KEYS = CHOICE_KEYS | frozenset("id object created model choices obfuscation".split())
ONCE = frozenset("system_fingerprint service_tier".split())
"""Not worth a chunk of their own."""
DELTA_KEYS = frozenset(
    "role content refusal reasoning reasoning_content tool_calls function_call audio".split()
)


AUDIO_KEYS = frozenset({"data", "transcript"})
CALL_KEYS = frozenset("index id type function custom".split())


def _without(values: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None and key not in known}


class Writer:
    """Writes chunks, each as one event. ``asked`` is how many choices were asked for."""

    def __init__(self, asked: int = 1) -> None:
        self._asked = asked
        # OpenAI's shape has all of these in every chunk, and frameworks rely on it. Empty is what
        # is not known: nothing is made up.
        self._id = ""
        self._created = 0
        self._model = ""
        self._begun: set[int] = set()
        self._extras = Extras({})

    def has_begun(self, chunk: Chunk) -> bool:
        """Whether all choices of a chunk have got a role, or get it by this one."""
        begun = len(self._begun)
        for choice in chunk.choices:
            if choice.index not in self._begun:
                if choice.delta.role is None or begun < choice.index < self._asked:
                    return False
                begun += 1
        return True

    def see(self, chunk: Chunk) -> None:
        """A chunk was passed on."""
        if not self._id:
            self.name(chunk.id, chunk.model, chunk.created)
        for choice in chunk.choices:
            self._begun.add(choice.index)

    def name(self, id: str | None, model: str | None, created: int | None = None) -> None:
        """The names of the completion. The first ones stay."""
        self._id = self._id or id or ""
        self._model = self._model or model or ""
        self._created = self._created or created or 0

    def rewrite(self, payload: Any) -> None:
        """What is written from now on stands in place of ``payload``."""
        self._extras = Extras({})
        if isinstance(payload, dict) and is_chunk(payload):
            payload = scrub(payload).value
            id, model, created = (payload.get(key) for key in ("id", "model", "created"))
            self.name(
                id if isinstance(id, str) else None,
                model if isinstance(model, str) else None,
                created if type(created) is int else None,  # not true or false
            )
            self._extras = Extras(payload)

    def delta(self, index: int, **delta: Any) -> bytes:
        """A chunk with one delta."""
        return self._chunk([self._choice(index, delta)])

    def logprobs(self, index: int, raw: Raw) -> bytes | None:
        """A chunk with logprobs alone; None for what only has their name."""
        sent = bytes(raw)
        if b"\n" in sent or b"\r" in sent or not is_decodable(sent):
            raw = Raw(compact(decode_logprobs(sent)).encode())
        if not are_logprobs(raw):
            return None
        return self._chunk([self._choice(index, {}, logprobs=raw)])

    def call(self, index: int, place: int, call: ToolCall) -> bytes:
        """Chunks with a whole tool call, the ``place``-th of its choice.

        They are two, as with OpenAI: code that keeps the first fragment and adds the arguments of
        each to it (so does the example in OpenAI's guide to function calling) relies on there
        being none in the first.
        """
        text = "input" if call.type == "custom" else "arguments"
        opened = {
            **_without(call.extra, CALL_KEYS),
            "index": place,
            "id": call.id,
            "type": call.type,
        }
        first = {**opened, call.type: {"name": call.name, text: ""}}
        second = {"index": place, call.type: {text: call.arguments}}
        return self.delta(index, tool_calls=[first]) + self.delta(index, tool_calls=[second])

    def function_call(self, index: int, call: ToolCall) -> bytes:
        """The same in the older shape, for those who asked with ``functions``."""
        first, second = {"name": call.name, "arguments": ""}, {"arguments": call.arguments}
        return self.delta(index, function_call=first) + self.delta(index, function_call=second)

    def finish(self, index: int, reason: str | None) -> bytes:
        """A chunk that ends a choice."""
        return self._chunk([self._choice(index, {}, finish_reason=reason)])

    def usage(self, usage: dict[str, Any], *, alone: bool) -> bytes:
        """A chunk with the usage, ``alone`` as OpenAI sends it to those who ask for it. Who did
        not may take the first choice of each chunk for granted."""
        first = min(self._begun, default=0)
        return self._chunk([] if alone else [self._choice(first, {})], usage=usage)

    def rest(self) -> bytes | None:
        """A chunk for unknown keys of the payload that are not written yet; None if there are
        none. What comes after it stands in place of nothing."""
        extras = self._extras
        chunk = None
        if extras.choices or extras.chunk.keys() - ONCE:
            first = [] if extras.index is None else [extras.index]
            indexes = sorted(extras.choices) or first
            chunk = self._chunk([self._choice(index, {}) for index in indexes])
        self._extras = Extras({})
        return chunk

    def error(self, error: ErrorObject) -> bytes:
        """An error, as OpenAI sends it in a stream."""
        said = {
            "message": error.message or "the server reported an error, and no message",
            "type": error.type,
            "param": error.param,
            "code": error.code,
        }
        return _event({"error": said})

    def _choice(self, index: int, delta: dict[str, Any], **more: Any) -> dict[str, Any]:
        extra, of_delta = self._extras.of_choice(index)
        if index not in self._begun:
            self._begun.add(index)
            delta = {"role": "assistant", **delta}
        if "audio" in delta and "audio" in of_delta:
            delta["audio"] = {**of_delta["audio"], **delta["audio"]}
        usual = {"index": index, "delta": {**of_delta, **delta}, "finish_reason": None}
        return {**extra, **usual, **more}

    def _chunk(self, choices: list[dict[str, Any]], **more: Any) -> bytes:
        first = choices[0]["index"] if choices else 0
        if first < self._asked:
            # The SDK's stream() keeps choices in a list, and cannot begin with the second.
            before = [index for index in range(first) if index not in self._begun]
            choices = [*(self._choice(index, {}) for index in before), *choices]
        return _event(
            {
                **self._extras.of_chunk(),
                "id": self._id,
                "object": "chat.completion.chunk",
                "created": self._created,
                "model": self._model,
                "choices": choices,
                **more,
            }
        )


def _event(value: dict[str, Any]) -> bytes:
    try:
        said = msgspec.json.encode(value)
    except UnicodeEncodeError:  # half a surrogate pair, in what the server sent
        said = msgspec.json.encode(scrub(value).value)
    return b"data: " + said + b"\n\n"
