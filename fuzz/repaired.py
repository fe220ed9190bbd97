"""The drop-in's way: a body is repaired, and what comes of that is read again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from random import Random
from typing import Any

import msgspec
from openai._streaming import SSEDecoder
from openai.types.chat import ChatCompletionChunk

from fuzz.inputs import Input
from tests.clients.repairs import ASKED, Repaired, repaired
from untorn import Choice, Completion, Limits, Options, ToolCall, parse
from untorn.chat.chunks import FRAGMENT_KEYS
from untorn.chat.json_text import decode
from untorn.clients.asked import Asked
from untorn.clients.canonical import chunk_of, is_decodable

HARMLESS = frozenset(
    "arguments-double-encoded arguments-empty duplicate-key finish-reason-mismatch"
    " finish-reason-nonstandard json-nonfinite legacy-function-call reasoning-duplicated think-tags"
    " tool-id-duplicated tool-id-missing tool-index-offset usage-placeholder"
    " usage-repeated".split()
)
"""What the server said, and no more than odd."""
PASSED_ON = frozenset(
    "audio-end content-after-finish data-after-done finish-reason-changed finish-reason-repeated"
    " finish-reason-unknown id-changed message-and-delta model-changed usage-in-choice"
    " usage-in-extension".split()
)
"""What a repaired body may have if the body has it, too."""
SNAPSHOTS = frozenset({"content-cumulative"})
"""Deltas that grow are taken for snapshots by us alone; where they are none after all, the SDK
joins them as it should."""
SERVERS_WORDS = frozenset("finish_reason obfuscation service_tier".split())
"""OpenAI's types name all values of these; what another server says is not replaced."""
WITHIN = ("choices.logprobs", "choices.delta.audio", "choices.delta.tool_calls.type", "usage")
"""Where the server's own values stand as it sent them; the type of a custom tool is in no chunk of
the SDK's."""


def repair(given: Input, reads: Iterable[bytes] | None = None, asked: Asked = ASKED) -> Repaired:
    """Repair an input, in one read unless others are named."""
    return repaired(
        [given.body] if reads is None else reads,
        asked=asked,
        content_type=given.content_type,
        options=given.options,
        ending=given.ending,
    )


def asked_for(rng: Random) -> Asked:
    """What somebody may have asked for."""
    return Asked(
        stream=True,
        n=rng.choice([None, None, None, 1, 2]),
        stream_options=rng.choice([None, {"include_usage": True}]),
        functions=rng.choice([None, None, [{}]]),
    )


def keeps_the_answer(given: Input, one: Repaired, direct: Completion) -> Iterator[str]:
    """Who reads the repaired body reads what the direct reader says, or there is a failure.
    Each sentence is something that does not hold."""
    verdict = direct.verdict
    is_bad = verdict.outcome in ("interrupted", "failed")
    if is_bad and one.failure is None:
        yield f"failure: none, but it is {verdict}"
    yield from _odd_events(one.body, one.failure is not None)
    again = parse(one.body, options=_options_again(given.options))
    yield from _torn_calls(again)
    # The end of audio may be in a frame that only framing reads.
    if one.failure is not None or any(item.code == "audio-end" for item in verdict.defects):
        return
    if again.verdict.error is not None and b'"error":' not in one.body:
        return  # unknown keys alone, which we take for an error, and the SDK does not
    if again.verdict.outcome != verdict.outcome:
        yield f"outcome: it is {verdict}, read again {again.verdict}"
    yield from _odd_defects(direct, again)
    yield from _other_names(direct, again)
    # OpenRouter's details say the same as the reasoning beside it, perhaps in another chunk.
    skipped = {"reasoning"} if b"reasoning_details" in given.body else set()
    if SNAPSHOTS & {item.code for item in again.verdict.defects}:
        skipped |= {"content", "reasoning"}
        yield from _other_texts(direct, one.body)
    yield from _other_choices(direct, again, skipped)


def _odd_defects(direct: Completion, again: Completion) -> Iterator[str]:
    codes = {defect.code for defect in direct.verdict.defects}
    known = HARMLESS | (PASSED_ON & codes) | SNAPSHOTS
    if "finish-reason-changed" in codes:
        known |= {"content-after-finish"}  # a call that may be run after all
    for defect in again.verdict.defects:
        if defect.code not in known:
            yield f"defect {defect.code}: {defect}"


def _other_choices(direct: Completion, again: Completion, skipped: set[str]) -> Iterator[str]:
    said = {choice.index: _said_by(choice) for choice in direct.choices}
    other = {choice.index: _said_by(choice) for choice in again.choices}
    if said.keys() != other.keys():
        yield f"choices: they are {said!r}, read again {other!r}"
        return
    for index, texts in said.items():
        for name, value in texts.items():
            if value != other[index][name] and name not in skipped:
                yield f"{name}: it is {value!r}, read again {other[index][name]!r}"


def _other_texts(direct: Completion, body: bytes) -> Iterator[str]:
    for choice in direct.choices:
        said = choice.message.content or ""
        if (joined := "".join(_contents(body, choice.index))) != said:
            yield f"content: it is {said!r}, joined {joined!r}"


def _contents(body: bytes, index: int) -> Iterator[str]:
    for event in SSEDecoder().iter_bytes(iter([body])):
        value = None if event.data == "[DONE]" else event.json()
        for choice in value["choices"] if value else []:
            if choice["index"] == index:
                yield choice["delta"].get("content") or ""


def _other_names(direct: Completion, again: Completion) -> Iterator[str]:
    codes = {defect.code for defect in direct.verdict.defects}
    for name in ("id", "model"):
        value, another = getattr(direct, name), getattr(again, name)
        # Not known when the first chunk was written; or from a frame that only framing reads.
        is_odd = any(defect.severity == "warning" for defect in direct.verdict.defects)
        if another and value != another and not is_odd and f"{name}-changed" not in codes:
            yield f"{name}: it is {value!r}, read again {another!r}"
    usage = direct.usage
    counts = usage and {usage.prompt_tokens, usage.completion_tokens, usage.total_tokens}
    if counts and counts - {None, 0} and usage != again.usage:
        yield f"usage: it is {usage!r}, read again {again.usage!r}"


def _options_again(options: Options) -> Options:
    return msgspec.structs.replace(
        Options(),
        accept_done_without_finish_reason=options.accept_done_without_finish_reason,
        normal_finish_reasons=options.normal_finish_reasons,
    )


def _said_by(choice: Choice) -> dict[str, Any]:
    message = choice.message
    audio = message.audio
    return {
        "content": message.content or "",
        "reasoning": message.reasoning or "",
        "refusal": message.refusal or "",
        "finish_reason": choice.finish_reason,
        "audio": (audio.data, audio.transcript or "") if audio else ("", ""),
        "logprobs": [raw for raw in map(_logprobs, choice.raw_logprobs) if raw],
        "calls": [
            (call.id, call.type, call.name, _meant_by(call), _extras(call))
            for call in message.tool_calls
            if isinstance(call, ToolCall)
        ],
    }


def _meant_by(call: ToolCall) -> Any:
    """The arguments, which leave as an object where they were nothing, or encoded twice."""
    value = call.parsed()
    with suppress(TypeError, ValueError):  # it is another value, or only a text
        inner = json.loads(value)
        return inner if isinstance(inner, dict) else value
    return value


def _extras(call: ToolCall) -> dict[str, Any]:
    if call.id is None:
        return {}  # perhaps written as function_call, which has no place for them
    return {key: value for key, value in call.extra.items() if key not in FRAGMENT_KEYS}


def _logprobs(raw: bytes) -> Any:
    # By the rule of repeated keys, which reading applies to the first logprobs only.
    value = decode(raw, Limits(), repeated_keys=True).value
    lists = [value.get(key) for key in ("content", "refusal")]
    return value if all(isinstance(one, list | None) for one in lists) else None


def _torn_calls(again: Completion) -> Iterator[str]:
    for choice in again.choices:
        for call in choice.message.tool_calls:
            if call.type == "function" and not _is_json(call.arguments or "{}"):
                yield f"torn call: {call!r} in choice {choice.index}"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _odd_events(body: bytes, is_bad: bool) -> Iterator[str]:
    events = [event.data for event in SSEDecoder().iter_bytes(iter([body]))]
    for data in events:
        yield from _odd_payload(data.encode())
    done = [place for place, data in enumerate(events) if data == "[DONE]"]
    if body and not body.endswith(b"\n\n") and not body.endswith(b"\r\n\r\n"):
        yield f"framing: the end of {body!r}"
    if done and done != [len(events) - 1]:
        yield f"done: it is at {done} of {len(events)} events"
    if is_bad and done:
        yield "done: it is said of what is not whole"


def _odd_payload(payload: bytes) -> Iterator[str]:
    if payload == b"[DONE]":
        return
    value = json.loads(payload)  # as the SDK does
    if "error" in value and value["error"] is not None:
        if not isinstance(value["error"].get("message"), str):
            yield f"error: {value!r}"
        return
    # Who looks for long numbers takes long texts of digits for some; to write them anew is no harm.
    if is_decodable(payload) and chunk_of(payload) is None:
        yield f"shape: {payload!r}"
        return
    for choice in value["choices"]:
        for call in choice["delta"].get("tool_calls") or ():
            if "custom" not in call and not _is_json(call["function"]["arguments"] or "{}"):
                yield f"torn call: {payload!r}"
    for error in errors_of(value):
        yield f"type {error}: {payload!r}"


def errors_of(chunk: dict[str, Any]) -> Iterator[str]:
    """Where a chunk is not what OpenAI's types say."""
    try:
        ChatCompletionChunk.model_validate(chunk)
    except ValueError as exc:
        for error in exc.errors():  # type: ignore[attr-defined]
            place = ".".join(str(part) for part in error["loc"] if not isinstance(part, int))
            if error["loc"][-1] not in SERVERS_WORDS and not place.startswith(WITHIN):
                yield place


def is_same(one: Repaired, other: Repaired) -> str | None:
    """Two cuttings give the same."""
    if one.body != other.body:
        return f"body: it is {one.body!r}, the other way {other.body!r}"
    if one.failure != other.failure:
        return f"failure: it is {one.failure!r}, the other way {other.failure!r}"
    return None
