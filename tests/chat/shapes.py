"""Parts of chunks in normal form, and chunks read from what is on the wire."""

from __future__ import annotations

from typing import Any

from untorn.chat.chunks import Chunk, ChunkChoice, Finding, Fragment, read_chunk


def fragment(
    index: int | None = None,
    id: str | None = None,
    name: str | None = None,
    arguments: str = "",
    *,
    custom: bool = False,
    legacy: bool = False,
) -> Fragment:
    """A fragment of a tool call."""
    return Fragment(index, id, name, arguments, custom, legacy)


def chunk(*choices: Any, **more: Any) -> Chunk:
    """A chunk with these choices, each as on the wire; ``more`` are further keys of the chunk."""
    return read_chunk({"choices": list(choices), **more}, is_document=False)


def choice(delta: dict[str, Any] | None = None, index: int = 0, **more: Any) -> dict[str, Any]:
    """A choice as on the wire; ``more`` are further keys of it."""
    return {"index": index, "delta": delta or {}, **more}


def read_choice(wire: dict[str, Any]) -> ChunkChoice:
    """A choice as on the wire, read."""
    (read,) = chunk(wire).choices
    return read


def codes(findings: list[Finding]) -> list[str]:
    """The defect codes of findings, in order."""
    return [finding.code for finding in findings]
