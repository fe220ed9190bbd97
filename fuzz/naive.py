"""The reader that everybody writes first: decode each event, join what it brings by index.

It is right as long as nothing is odd. Where untorn finds nothing that has to be repaired or left
out, both must come to the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from untorn import Choice

HARMLESS = frozenset(
    "arguments-empty arguments-invalid-json content-after-finish content-type-mismatch"
    " created-invalid data-after-done done-variant duplicate-done empty-stream error-shape"
    " finish-reason-empty finish-reason-mismatch finish-reason-nonstandard finish-reason-repeated"
    " finish-reason-unknown heartbeat-data http-error-status id-changed missing-done"
    " missing-finish-reason model-changed role-empty role-missing stray-line think-tags"
    " tool-id-missing tool-id-repeated tool-index-offset unexpected-eof unrecognised-event"
    " usage-in-choice usage-in-extension usage-placeholder usage-repeated".split()
)
"""Defects that change nothing of what is said."""

Said = dict[str, Any]
TEXTS = {
    "content": "content",
    "reasoning_content": "reasoning",
    "reasoning": "reasoning",
    "refusal": "refusal",
}


def read(payloads: Iterable[str]) -> dict[int, Said] | None:
    """By choice: its texts, its finish reason, and the arguments of its calls by their index.

    None where the shapes are not those that everybody expects.
    """
    try:
        return _read(payloads)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _read(payloads: Iterable[str]) -> dict[int, Said]:
    choices: dict[int, Said] = {}
    for payload in payloads:
        if not payload.lstrip().startswith("{"):
            continue
        for choice in json.loads(payload).get("choices") or []:
            said = choices.setdefault(int(choice["index"]), _nothing())
            _add(said, choice.get("delta") or {})
            reason = choice.get("finish_reason")
            if isinstance(reason, str) and reason not in ("", "null"):
                said["finish_reason"] = said["finish_reason"] or reason
    return choices


def _nothing() -> Said:
    names = ("content", "reasoning", "refusal", "finish_reason")
    return {**dict.fromkeys(names), "calls": {}}


def _add(said: Said, delta: dict[str, Any]) -> None:
    if "reasoning_details" in delta:
        raise KeyError  # reasoning by another key, which everybody means to read some day
    for key, name in TEXTS.items():
        text = delta.get(key)
        if isinstance(text, str):
            said[name] = (said[name] or "") + text
    for fragment in delta.get("tool_calls") or []:
        index = int(fragment["index"])
        arguments = fragment["function"].get("arguments") or ""
        said["calls"][index] = said["calls"].get(index, "") + arguments


def said_by(choice: Choice) -> Said:
    """The same of a choice that untorn has read; its calls stand in the order of their index."""
    message = choice.message
    return {
        "content": message.content,
        "reasoning": message.reasoning,
        "refusal": message.refusal,
        "finish_reason": choice.finish_reason,
        "calls": [call.arguments for call in message.tool_calls],
    }
