"""What framing gives out: a payload, a note of something odd, or a sign of life."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

USUAL = b"data: {"
"""How the line of a usual event begins."""
USUAL_PREFIX = len(b"data: ")
"""How much of it stands before the payload."""
WITHOUT_SPACE = b"data:{"
"""How it begins at servers that leave the space out: Hugging Face's TGI (2024), Spring's."""

Kind = Literal["event", "error event", "line", "error field", "text"]


class Payload(Struct, gc=False):
    """The data of an event, or what stands for it."""

    data: bytes
    kind: Kind
    """``error event``: the event is named ``error``. ``line``: bare JSON that may turn out
    to be the whole body. ``error field``: the value of a field named
    ``error``. ``text``: the whole body of an error status that is neither JSON, HTML nor SSE."""
    place: int | None
    """Where its first line is; only framing can say what it means. None where nobody knows."""


class Note(Struct, gc=False):
    """Something odd about the framing."""

    code: str
    detail: str
    place: int | None
    count: int = 1


class KeepAlive(Struct, gc=False):
    """A comment: the connection lives."""


Item = bytes | Payload | Note | KeepAlive
"""``bytes`` is the payload of a usual event: one line ``data: {...``, or ``data:{...``, unnamed,
with a blank line after it. It is nearly everything, so nothing more is made of it."""


def is_done(data: bytes) -> bool:
    """Whether data is the end mark, in any of the ways it is written (rule 4)."""
    mark = data.strip()
    if len(mark) > 16:
        return False
    if mark[:1] == mark[-1:] and mark[:1] in (b'"', b"'"):
        mark = mark[1:-1].strip()
    if mark[:1] == b"[" and mark[-1:] == b"]":
        mark = mark[1:-1].strip()
    return mark.lower() == b"done"
