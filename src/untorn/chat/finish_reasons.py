"""What a finish reason means, whoever sent it."""

from __future__ import annotations

from enum import IntEnum

STANDARD = frozenset({"stop", "length", "tool_calls", "function_call", "content_filter"})
"""OpenAI's own values, to the letter."""


class Meaning(IntEnum):
    """Why a choice stopped. Of several reasons the one that tells most, the highest, stays."""

    UNKNOWN = 0
    """Nobody knows that it means a normal end."""
    NORMAL = 1
    CALLS = 2
    """Normal, with calls to run."""
    LIMIT = 3
    FILTER = 4
    GAVE_UP = 5
    """The server stopped for reasons of its own."""
    ERROR = 6


# Not in OpenAI's list: Anthropic's end_turn, tool_use, stop_sequence, max_tokens, refusal and
# model_context_window_exceeded; Together's eos, TGI's eos_token, Mistral's model_length, Gemini's
# safety, Zhipu's sensitive and network_error, DeepSeek's insufficient_system_resource, SGLang's
# abort, OpenRouter's error.
MEANINGS = {
    "stop": Meaning.NORMAL,
    "end_turn": Meaning.NORMAL,
    "eos": Meaning.NORMAL,
    "eos_token": Meaning.NORMAL,
    "end": Meaning.NORMAL,
    "complete": Meaning.NORMAL,
    "stop_sequence": Meaning.NORMAL,
    "tool_calls": Meaning.CALLS,
    "function_call": Meaning.CALLS,
    "tool_use": Meaning.CALLS,
    "length": Meaning.LIMIT,
    "max_tokens": Meaning.LIMIT,
    "model_length": Meaning.LIMIT,
    "model_context_window_exceeded": Meaning.LIMIT,
    "content_filter": Meaning.FILTER,
    "safety": Meaning.FILTER,
    "sensitive": Meaning.FILTER,
    "refusal": Meaning.FILTER,
    "insufficient_system_resource": Meaning.GAVE_UP,
    "abort": Meaning.GAVE_UP,
    "error": Meaning.ERROR,
    "network_error": Meaning.ERROR,
}


def meaning_of(reason: str, also_normal: frozenset[str]) -> Meaning:
    """What ``reason`` means, in any letter case; ``also_normal`` are the caller's own."""
    lowered = reason.lower()
    if lowered in MEANINGS:
        return MEANINGS[lowered]
    if lowered in {name.lower() for name in also_normal}:
        return Meaning.NORMAL
    return Meaning.UNKNOWN
