"""JSON object → chunk, the plain way: the normal form in which no provider differs from another.

``read_chunk`` takes any decoded JSON object that is a chunk, and notes what was odd. A chunk with
no keys but those that are known need not become an object first (``wide.py``); the fast way, for
chunks of the usual shape, is in ``usual.py``.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
from msgspec import Raw, Struct

from untorn.chat.quirks.arguments_not_string import as_text
from untorn.chat.quirks.choices_missing import bare_choice
from untorn.chat.quirks.content_not_string import Parts, read_parts
from untorn.chat.quirks.legacy_function_call import as_tool_call
from untorn.chat.quirks.message_for_delta import holds_messages, what_is_said
from untorn.chat.quirks.reasoning_duplicated import DUPLICATED, read_reasoning
from untorn.chat.quirks.surrogate_split import whole_text
from untorn.chat.quirks.usage_in_extension import usages_in_extensions


class Finding(Struct, gc=False):
    """Something odd: a defect code and a sentence, and how often it was found."""

    code: str
    detail: str
    times: int = 1


def findings_of(codes: tuple[str, ...], detail: str) -> list[Finding]:
    """One finding for each code, however often it is there."""
    # Hardly ever are there any, and to count nothing costs as much as to read a short delta.
    return [Finding(code, detail, times) for code, times in Counter(codes).items()] if codes else []


class Fragment(Struct, gc=False):
    """A piece of a tool call. What is absent, null or empty on the wire is None."""

    index: int | None
    id: str | None
    name: str | None
    arguments: str
    custom: bool
    legacy: bool = False
    """It came as ``function_call``, which has neither id nor index by nature."""
    extra: dict[str, Any] = {}
    """Unknown keys beside ``function``."""


class Delta(Struct, gc=False):
    """What one choice of a chunk adds."""

    role: str | None
    content: str | None
    reasoning: str | None = None
    refusal: str | None = None
    fragments: list[Fragment] = []
    audio: dict[str, Any] | None = None
    annotations: list[Any] = []
    reasoning_details: list[dict[str, Any]] = []
    parts: list[Any] = []
    """Content parts that are neither text nor thinking."""
    extra: dict[str, Any] = {}
    is_message: bool = False
    """It is a whole message, not an increment."""
    is_only_text: bool = False
    """It has role and content, perhaps reasoning, and surely nothing else."""


class ChunkChoice(Struct, gc=False):
    """One choice of a chunk."""

    index: int
    delta: Delta | None
    """None if it had neither delta nor message."""
    finish_reason: str | None
    logprobs: bytes | None
    """JSON, as compact text."""
    extra: dict[str, Any]


class Chunk(Struct, gc=False):
    """A chunk in normal form."""

    id: str | None
    model: str | None
    created: int | None
    system_fingerprint: str | None
    service_tier: str | None
    choices: list[ChunkChoice]
    usages: list[dict[str, Any]]
    """In the order in which they count: extension, choice, top level."""
    extra: dict[str, Any]
    findings: list[Finding]


Types = dict[str, tuple[type, ...]]

NULL = type(None)
TEXT = (NULL, str)
DELTA_KEYS: Types = {
    "role": TEXT,
    "content": (NULL, str, list, dict),
    "reasoning": TEXT,
    "reasoning_content": TEXT,
    "reasoning_details": (NULL, list),
    "refusal": TEXT,
    "tool_calls": (NULL, list, dict),
    "function_call": (NULL, dict),
    "audio": (NULL, dict),
    "annotations": (NULL, list),
}
FRAGMENT_KEYS: Types = {
    "index": (NULL, int, bool, str),
    "id": TEXT,
    "type": TEXT,
    "function": (NULL, dict),
    "custom": (NULL, dict),
}
CHOICE_KEYS: Types = {
    "index": (NULL, int, bool, str),
    "delta": (NULL, dict),
    "message": (NULL, dict),
    "finish_reason": TEXT,
    "logprobs": (NULL, dict),
    "usage": (NULL, dict),
    "error": (NULL, dict, str),
    "text": TEXT,
}
CHUNK_KEYS: Types = {
    "id": TEXT,
    "object": TEXT,
    "created": (NULL, int, bool, float, str),
    "model": TEXT,
    "system_fingerprint": TEXT,
    "service_tier": TEXT,
    "choices": (NULL, list),
    "usage": (NULL, dict),
    "obfuscation": (NULL, str, int, bool, float, list, dict),
    "error": (NULL, dict, str),
}
BARE_KEYS: Types = CHUNK_KEYS | CHOICE_KEYS
"""What is read, by its types. What has another key, or another type, is kept as extra."""

ONLY_NULL = (NULL,)
"""The type of what is not kept under a key that nobody knows."""

REASONING_KEYS = frozenset({"reasoning", "reasoning_content", "reasoning_details"})
CALL_KEYS = frozenset({"tool_calls", "function_call"})
RARE_KEYS = frozenset({"refusal", "audio", "annotations", "reasoning_details"})
TEXT_KEYS = frozenset({"role", "content"})
"""The keys of a delta that brings text and nothing else, as most do."""

MOST_INDEX = 2**63
"""An index is less: nobody numbers so far, and few languages can."""

NO_REASONS = ("", "null")
"""Finish reasons that say nothing."""

NO_PARTS = Parts()


def is_chunk(body: dict[str, Any]) -> bool:
    """Whether a JSON object is a chunk (rule 4)."""
    if "choices" in body:
        return True
    if any(isinstance(body.get(key), dict) for key in ("usage", "delta", "message")):
        return True
    kind = body.get("object")
    return isinstance(kind, str) and kind.startswith("chat.completion")


def read_chunk(body: dict[str, Any], *, is_document: bool) -> Chunk:
    """The normal form of a JSON object for which ``is_chunk`` holds.

    ``is_document``: it is a completion that was not streamed, so messages are its usual shape.
    """
    findings: list[Finding] = []
    choices = body.get("choices")
    known = CHUNK_KEYS
    if isinstance(choices, list):
        entries: list[Any] = choices
    else:
        findings.append(Finding("choices-missing", "a chunk has no list of choices"))
        bare = bare_choice(body)
        entries = [] if bare is None else [bare]
        known = BARE_KEYS if entries else CHUNK_KEYS
    code = None if is_document else code_of_messages(body)
    if code == "completion-in-stream":
        findings.append(Finding(code, "an event carries a whole chat.completion"))
    message_code = code if code == "message-for-delta" else None
    read = [_read_choice(entry, body, message_code, findings) for entry in entries]
    extra = _extra(body, known)
    return Chunk(
        id=_text(body.get("id")),
        model=_text(body.get("model")),
        created=created_of(body.get("created"), findings),
        system_fingerprint=_text(body.get("system_fingerprint")),
        service_tier=_text(body.get("service_tier")),
        choices=[choice for choice in read if choice is not None],
        usages=_read_usages(body, entries, extra, findings),
        extra=extra,
        findings=findings,
    )


class _Logprobs(Struct):
    logprobs: Raw = Raw(b"null")


class _ChoicesWithLogprobs(Struct):
    choices: list[_Logprobs]


_decode_logprobs = msgspec.json.Decoder(_ChoicesWithLogprobs).decode
_decode_keys = msgspec.json.Decoder(dict[str, Raw]).decode
_decode_choices = msgspec.json.Decoder(list[dict[str, Raw]]).decode


def keep_logprobs_as_sent(chunk: Chunk, data: bytes) -> None:
    """Replace the logprobs of ``chunk`` by the JSON in its payload ``data``, as in the fast way,
    if that is JSON by the letter."""
    try:
        sent = [bytes(choice.logprobs) for choice in _decode_logprobs(data).choices]
        for raw in sent:
            raw.decode("utf-8")
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return
    if len(sent) == len(chunk.choices):
        for choice, raw in zip(chunk.choices, sent, strict=True):
            choice.logprobs = raw if choice.logprobs is not None else None


def is_finite_without_logprobs(data: bytes) -> bool:
    """Whether the only numbers that are out of range in a payload are in its logprobs.

    Those are not decoded, so the fast way does not see them. (NaN is no JSON, which it does see.)
    """
    try:
        body = _decode_keys(data)
        choices = _decode_choices(body.pop("choices", Raw(b"[]")))
        for level in (body, *choices):
            level.pop("logprobs", None)
            for value in level.values():
                msgspec.json.decode(value)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def code_of_messages(body: dict[str, Any]) -> str | None:
    """What it means that a chunk holds messages: the code of a defect, None if it holds none."""
    choices = body.get("choices")
    entries = choices if isinstance(choices, list) else [body]
    for entry in entries:
        if isinstance(entry, dict) and "message" in entry:
            break
    else:
        return None
    if not holds_messages(body):
        said = [what_is_said(entry) for entry in entries if isinstance(entry, dict)]
        return "message-for-delta" if any(one.is_message for one in said) else None
    return (
        "completion-in-stream" if body.get("object") == "chat.completion" else "message-for-delta"
    )


def wire_index(value: Any) -> int | None:
    """An index: an integer that is not negative, or a string of ASCII digits; else None."""
    if value.__class__ is int:
        return value if 0 <= value < MOST_INDEX else None
    if isinstance(value, str):
        if not (value.isascii() and value.isdecimal() and len(value) < 20):
            return None
        return wire_index(int(value))
    return None


def choice_index(value: Any, findings: list[Finding]) -> int:
    """The number of a choice."""
    index = value if value.__class__ is int and 0 <= value < MOST_INDEX else wire_index(value)
    if index is None:
        findings.append(Finding("choice-index-missing", "a choice has no index; taken as 0"))
        return 0
    return index


def _read_choice(
    entry: Any, body: dict[str, Any], message_code: str | None, findings: list[Finding]
) -> ChunkChoice | None:
    if not isinstance(entry, dict):
        findings.append(Finding("delta-missing", f"a choice is {_kind(entry)}, not an object"))
        return None
    is_bare = entry is body
    index = 0 if is_bare else choice_index(entry.get("index"), findings)
    delta, reason, logprobs = entry.get("delta"), entry.get("finish_reason"), entry.get("logprobs")
    if isinstance(delta, dict) and "message" not in entry:
        read: Delta | None = read_delta(delta, False, findings)
    else:
        read = _read_what_is_said(entry, message_code, findings)
    return ChunkChoice(
        index=index,
        delta=read,
        finish_reason=None if reason is None else finish_reason_of(reason, findings),
        logprobs=None if logprobs is None else _logprobs(logprobs),
        extra={} if is_bare else _extra(entry, CHOICE_KEYS),
    )


def _read_what_is_said(
    entry: dict[str, Any], message_code: str | None, findings: list[Finding]
) -> Delta | None:
    """What a choice brings that has a message, or no delta."""
    said = what_is_said(entry)
    if said.both:
        findings.append(Finding("message-and-delta", "a choice has both; message is ignored"))
    if said.is_message and message_code is not None:
        findings.append(Finding(message_code, "a choice has message in place of delta"))
    if said.delta is not None:
        return read_delta(said.delta, said.is_message, findings)
    findings.append(Finding("delta-missing", "a choice has neither delta nor message"))
    text = _text(entry.get("text"))
    return None if text is None else read_delta({"content": text}, False, findings)


def read_delta(delta: dict[str, Any], is_message: bool, findings: list[Finding]) -> Delta:
    """The normal form of a delta, or of a message."""
    role, content = delta.get("role"), delta.get("content")
    if role == "":
        findings.append(Finding("role-empty", "the role is an empty string"))
        role = None
    read = Delta(_text(role), _text(content), is_message=is_message)
    if delta.keys() <= TEXT_KEYS and role.__class__ in TEXT and content.__class__ in TEXT:
        read.is_only_text = True
    else:
        _read_more(read, delta, findings)
    return read


def _read_more(read: Delta, delta: dict[str, Any], findings: list[Finding]) -> None:
    """Everything but plain text, of a delta that has more than that."""
    content, parts = delta.get("content"), NO_PARTS
    if content.__class__ not in TEXT:
        findings.append(Finding("content-not-string", f"content is {_kind(content)}"))
        parts = read_parts(content)
        read.content, read.parts = parts.content, parts.others
    if parts.reasoning is not None or not REASONING_KEYS.isdisjoint(delta):
        read.reasoning, duplicated = read_reasoning(delta, parts.reasoning)
        if duplicated:
            findings.append(Finding(*DUPLICATED))
    if not CALL_KEYS.isdisjoint(delta):
        read.fragments = _read_fragments(delta, read.is_message, findings)
    if not RARE_KEYS.isdisjoint(delta):
        audio, details = delta.get("audio"), delta.get("reasoning_details")
        read.refusal = _text(delta.get("refusal"))
        read.audio = audio if isinstance(audio, dict) else None
        read.annotations = _list(delta.get("annotations"))
        read.reasoning_details = [block for block in _list(details) if isinstance(block, dict)]
    read.extra = _extra(delta, DELTA_KEYS)


def _read_fragments(
    delta: dict[str, Any], is_message: bool, findings: list[Finding]
) -> list[Fragment]:
    entries = delta.get("tool_calls")
    if isinstance(entries, dict):
        findings.append(Finding("tool-calls-not-list", "tool_calls is an object, not a list"))
        entries = [entries]
    fragments = [
        _read_fragment(entry, is_message, findings)
        for entry in _list(entries)
        if isinstance(entry, dict)
    ]
    legacy = as_tool_call(delta.get("function_call"))
    if legacy is not None:
        findings.append(Finding("legacy-function-call", "the call came as function_call"))
        fragment = _read_fragment(legacy, False, findings)
        fragment.legacy = True
        fragments.append(fragment)
    return fragments


def _read_fragment(entry: dict[str, Any], is_message: bool, findings: list[Finding]) -> Fragment:
    id = fragment_id(entry.get("id"), findings)
    custom = entry.get("custom")
    function = entry.get("function")
    if isinstance(custom, dict) and not isinstance(function, dict):
        name, arguments = custom.get("name"), _input(custom.get("input"))
    elif isinstance(function, dict):
        name, arguments = function.get("name"), ""
        if "arguments" in function:
            arguments = arguments_of(function["arguments"], findings)
    else:
        name, arguments = None, ""
    return Fragment(
        # The calls of a whole message have no index by nature.
        index=None if is_message else wire_index(entry.get("index")),
        id=id,
        name=_text(name) or None,
        arguments=arguments,
        custom=not isinstance(function, dict)
        and (isinstance(custom, dict) or entry.get("type") == "custom"),
        extra=_extra(entry, FRAGMENT_KEYS),
    )


def fragment_id(id: Any, findings: list[Finding]) -> str | None:
    """The id of a call; None if a fragment has none."""
    if id == "":
        findings.append(Finding("tool-id-empty", "a fragment has an empty id"))
    return _text(id) or None


def arguments_of(arguments: Any, findings: list[Finding]) -> str:
    """The arguments that a fragment brings."""
    if isinstance(arguments, str):
        return arguments
    if arguments is None:
        findings.append(Finding("arguments-null", "arguments are null in a fragment"))
        return ""
    findings.append(Finding("arguments-not-string", f"arguments came as {_kind(arguments)}"))
    return as_text(arguments)


def _input(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else as_text(value)


def _read_usages(
    body: dict[str, Any], entries: list[Any], extra: dict[str, Any], findings: list[Finding]
) -> list[dict[str, Any]]:
    usages = usages_in_extensions(extra)
    if usages:
        findings.append(Finding("usage-in-extension", "usage is in a vendor's field"))
    in_choices = [
        entry["usage"]
        for entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("usage"), dict) and entry is not body
    ]
    if in_choices:
        findings.append(Finding("usage-in-choice", "usage is inside a choice"))
        usages += in_choices
    if isinstance(body.get("usage"), dict):
        usages.append(body["usage"])
    return usages


def created_of(created: Any, findings: list[Finding]) -> int | None:
    """When the completion was made; None if no integer says it."""
    if created is None or created.__class__ is int:
        return created
    findings.append(Finding("created-invalid", f"created is {_kind(created)}, not an integer"))
    return None


def finish_reason_of(reason: Any, findings: list[Finding]) -> str | None:
    """A finish reason that is not null; None if it says nothing."""
    if reason in NO_REASONS:
        findings.append(Finding("finish-reason-empty", f'finish_reason is "{reason}"'))
        return None
    return _text(reason)


def _logprobs(value: Any) -> bytes | None:
    return whole_text(as_text(value)).encode() if isinstance(value, dict) else None


def _extra(body: dict[str, Any], known: Types) -> dict[str, Any]:
    types_of = known.get
    return {
        key: value for key, value in body.items() if value.__class__ not in types_of(key, ONLY_NULL)
    }


def _text(value: Any) -> str | None:
    return value if value.__class__ is str else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _kind(value: Any) -> str:
    kinds = {bool: "true or false", str: "a string", list: "a list", dict: "an object"}
    return "null" if value is None else kinds.get(type(value), "a number")
