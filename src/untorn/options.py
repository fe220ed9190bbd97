"""What a caller may choose about reading, frozen."""

from __future__ import annotations

from msgspec import Struct

KIB = 1024
MIB = 1024 * KIB


class Limits(Struct, frozen=True, kw_only=True):
    """How much a peer may send. Over one of them the ending is ``limit``, and what came is kept.

    Line limits of other readers, for comparison: aiohttp 64 KiB, Go's bufio.Scanner 64 KiB; both
    are too small for a file in the arguments of one tool call.
    """

    line: int = 8 * MIB
    """Bytes of one line, without its end."""
    event: int = 8 * MIB
    """Bytes of the lines of one event, or of a JSON document in place of a stream."""
    body: int = 256 * MIB
    """Bytes of the whole body."""
    text: int = 64 * MIB
    """Characters of one choice: content, reasoning, refusal, and names and arguments
    of calls together."""
    choices: int = 128
    """How many choices (OpenAI's own limit for ``n``)."""
    tool_calls: int = 256
    """How many tool calls in one choice."""
    name: int = KIB
    """Characters that the name of a tool call may grow to in pieces (OpenAI's names have 64)."""
    extras: int = 65_536
    """How many unknown keys, annotations and the like are kept as they came."""
    depth: int = 256
    """How deep arrays and objects may lie in each other; JSON that is deeper is not read."""


class Options(Struct, frozen=True, kw_only=True):
    """How to read. Nothing here changes what is asked of a server."""

    limits: Limits = Limits()
    accept_done_without_finish_reason: bool = False
    """Take ``[DONE]`` for the normal end of a choice that never got a finish reason."""
    normal_finish_reasons: frozenset[str] = frozenset()
    """Further finish reasons that mean a normal end, in any letter case."""
    choices: int | None = None
    """How many choices the request asked for; None where nobody knows. One that never comes is
    the defect ``choice-missing``."""
