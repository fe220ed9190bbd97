"""What a caller may choose, frozen."""

from __future__ import annotations

from collections.abc import Mapping

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
    lines: int = 65_536
    """Lines of one event, or of a JSON document in place of a stream."""
    values: int = 512 * KIB
    """Values of one event, or of a JSON document, before they are decoded: a number counts once, a
    string and a key twice, an array three times, an object five times, since each takes as much
    more memory than its bytes. (A document has room for 1,600 tokens with the logprobs of twenty
    likelier ones each; in a stream of chunks there is no end to them.)"""
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
    expansion: int = 100
    """How many bytes a compressed body may become for each byte that came, once it has become
    more than 1 MiB. Events that repeat each other shrink to a tenth, gzip's most is 1032."""


class Clocks(Struct, frozen=True, kw_only=True):
    """How long a reader waits, in seconds. None: as long as it takes.

    The time that the caller takes between two reads is no waiting, and counts for ``total``
    alone. A clock that runs out is the ending ``stalled``.
    """

    connect: float | None = 10.0
    """For a connection, TLS included. Only a client opens connections."""
    first_byte: float | None = 120.0
    """For the first byte of the body: reasoning models are silent for long."""
    idle: float | None = 120.0
    """For the next byte."""
    content_idle: float | None = 300.0
    """For the next delta that says something. Heartbeats and empty deltas do not count;
    arguments, reasoning and audio do."""
    total: float | None = None
    """For all of it, from the first read to the last."""
    after_end: float = 0.5
    """After ``[DONE]`` or an error, for the end of the body, so that the connection can be used
    again. If that does not come, the connection is closed, and that is no failure."""


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


class Target(Struct, frozen=True, kw_only=True):
    """An endpoint that a client asks when those before it fail. It inherits no key and no header.

    Its ``repr`` shows neither the key nor headers, nor the query of the URL.
    """

    base_url: str
    """As for the client."""
    api_key: str | None = None
    """The key of this endpoint; None: it is asked without one."""
    model: str | None = None
    """The model to ask for here; None: the one that the call names."""
    headers: Mapping[str, str] = {}
    """Further headers of the request."""

    def __repr__(self) -> str:
        address = self.base_url.partition("?")[0].partition("#")[0]
        scheme, mark, rest = address.rpartition("://")
        host, slash, path = rest.partition("/")
        shown = f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"
        return f"Target(base_url={shown!r}, model={self.model!r})"
