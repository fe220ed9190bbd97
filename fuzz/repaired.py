"""The drop-in's way: a body is repaired, and what comes of that is read again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from openai._streaming import SSEDecoder
from openai.types.chat import ChatCompletionChunk

from fuzz.inputs import Input
from untorn import Choice, Clocks, Completion, Options, ToolCall, parse
from untorn.chat.completion import decode_logprobs
from untorn.clients.canonical import chunk_of
from untorn.clients.repair import Asked, Repair
from untorn.sources import Opened

HARMLESS = frozenset(
    "arguments-double-encoded arguments-empty duplicate-key finish-reason-mismatch"
    " finish-reason-nonstandard legacy-function-call reasoning-duplicated think-tags"
    " tool-id-duplicated tool-id-missing usage-repeated".split()
)
"""What the server said, and no more than odd."""
PASSED_ON = frozenset(
    "audio-end content-after-finish data-after-done finish-reason-changed finish-reason-repeated"
    " finish-reason-unknown id-changed message-and-delta model-changed usage-in-extension"
    " usage-placeholder".split()
)
"""What a repaired body may have if the body has it, too."""
SERVERS_WORDS = frozenset("finish_reason service_tier".split())
"""OpenAI's types name all values of these; what another server says is not replaced."""
WITHIN = ("choices.logprobs", "choices.delta.audio", "choices.delta.tool_calls.type", "usage")
"""Where the server's own values stand as it sent them; the type of a custom tool is in no chunk of
the SDK's."""


ASKED = Asked(stream=True)


class Repaired(NamedTuple):
    """What came of an input."""

    body: bytes
    failure: str | None
    """What is raised after the body; None if nothing is."""
    completion: Completion


def repair(given: Input, reads: Iterable[bytes] | None = None, asked: Asked = ASKED) -> Repaired:
    """Repair an input, in one read unless others are named."""
    one = Repair(asked, given.options, Clocks())
    headers = [] if given.content_type is None else [("content-type", given.content_type)]
    one.begin(Opened(given.status, headers), lambda: None, 0.0)
    body: list[bytes] = []
    for data in filter(None, [given.body] if reads is None else reads):
        if not one.is_over:
            one.wait(0.0)
            one.receive(data, 0.0, False)
        body.append(one.take())
    if not one.is_over:
        _end(one, given)
    body.append(one.take())
    failure = None if one.failure is None else one.failure.why
    return Repaired(b"".join(body), failure, one.completion)


def _end(one: Repair, given: Input) -> None:
    match given.ending:
        case "eof":
            one.receive(None, 0.0, False)
        case "cut":
            one.fail(ConnectionResetError("the connection was lost"), 0.0, False)
        case "stalled":
            one.receive(None, 0.0, True)
        case "cancelled":
            one.cancel(0.0)


def keeps_the_answer(given: Input, repaired: Repaired, direct: Completion) -> Iterator[str]:
    """Who reads the repaired body reads what the direct reader says, or there is a failure.
    Each sentence is something that does not hold."""
    verdict = direct.verdict
    body = repaired.body
    is_bad = verdict.outcome in ("interrupted", "failed")
    if is_bad and repaired.failure is None:
        yield f"failure: none, but it is {verdict}"
    yield from _odd_events(body, is_bad or repaired.failure is not None)
    again = parse(body, options=_options_again(given.options))
    yield from _torn_calls(again)
    if repaired.failure is not None:
        return
    if again.verdict.outcome != verdict.outcome:
        yield f"outcome: it is {verdict}, read again {again.verdict}"
    codes = {defect.code for defect in verdict.defects}
    known = HARMLESS | (PASSED_ON & codes)
    if "finish-reason-changed" in codes:
        known |= {"content-after-finish"}  # a call that may be run after all
    for defect in again.verdict.defects:
        if defect.code not in known:
            yield f"defect {defect.code}: {defect}"
    yield from _other_names(direct, again)
    choices = {choice.index: choice for choice in again.choices}
    for choice in direct.choices:
        if choice.index not in choices:
            yield f"choice: {choice!r} is missing"
            continue
        one, other = _said_by(choice), _said_by(choices.pop(choice.index))
        for name, value in one.items():
            # OpenRouter's details say the same beside it, perhaps in another chunk.
            is_twice = name == "reasoning" and b"reasoning_details" in given.body
            if value != other[name] and not is_twice:
                yield f"{name}: it is {value!r}, read again {other[name]!r}"
    if choices:
        yield f"choice: {choices!r} was not said"


def _other_names(direct: Completion, again: Completion) -> Iterator[str]:
    for name in ("id", "model", "created"):
        value, another = getattr(direct, name), getattr(again, name)
        # Not known when the first chunk was written; or each chunk has its own.
        changed = any(defect.code == f"{name}-changed" for defect in direct.verdict.defects)
        if another and value != another and not changed and name != "created":
            yield f"{name}: it is {value!r}, read again {another!r}"
    usage = direct.usage
    counts = usage and {usage.prompt_tokens, usage.completion_tokens, usage.total_tokens}
    if counts and counts != {None} and usage != again.usage:
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
            (call.id, call.type, call.name, call.arguments, call.extra)
            for call in message.tool_calls
            if isinstance(call, ToolCall)
        ],
    }


def _logprobs(raw: bytes) -> Any:
    value = decode_logprobs(raw)
    lists = [value.get(key) or [] for key in ("content", "refusal")]
    return value if all(isinstance(one, list) for one in lists) else None


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
    if chunk_of(payload) is None:
        yield f"shape: {payload!r}"
        return
    for choice in value["choices"]:
        for call in choice["delta"].get("tool_calls") or ():
            if call.get("type") == "custom":
                continue
            if not _is_json(call["function"]["arguments"] or "{}"):
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
    for name in ("body", "failure", "completion"):
        value, another = getattr(one, name), getattr(other, name)
        if name == "completion":
            value, another = _untimed(value), _untimed(another)
        if value != another:
            return f"{name}: it is {value!r}, the other way {another!r}"
    return None


def _untimed(completion: Completion) -> Completion:
    return msgspec.structs.replace(completion, timing=None)
