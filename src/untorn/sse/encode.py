"""Events → bytes: the way back."""

from __future__ import annotations

import re

LINE_END = re.compile(r"\r\n|\r|\n")


def encode(
    data: str,
    *,
    event: str | None = None,
    id: str | None = None,
    retry: int | None = None,
    comment: str | None = None,
) -> bytes:
    """One event as bytes, blank line included (WHATWG, 9.2.5). ``""`` as data is an event, too.

    Line ends in ``data`` and ``comment`` make lines of their own; readers see them as LF. Half a
    surrogate pair becomes U+FFFD. Raises ValueError for what the format cannot carry: a line end
    in ``event`` or ``id``, NUL in ``id``, a negative ``retry`` (milliseconds).
    """
    lines = [] if comment is None else [_field("", line) for line in LINE_END.split(comment)]
    if event is not None:
        lines.append(_field("event", _one_line("event", event)))
    if id is not None:
        if "\0" in id:
            raise ValueError("id holds NUL: readers would ignore it")
        lines.append(_field("id", _one_line("id", id)))
    if retry is not None:
        if retry < 0:
            raise ValueError(f"retry is {retry}: expected milliseconds, 0 or more")
        lines.append(_field("retry", str(retry)))
    lines += [_field("data", line) for line in LINE_END.split(data)]
    return _to_utf8("\n".join(lines) + "\n\n")


def _field(name: str, value: str) -> str:
    # Readers remove one space after the colon, so it protects a space that the value begins with.
    return f"{name}: {value}" if value else f"{name}:"


def _one_line(name: str, value: str) -> str:
    if LINE_END.search(value):
        raise ValueError(f"{name} holds a line end: it must be one line")
    return value


def _to_utf8(text: str) -> bytes:
    # Through UTF-16, where a pair of surrogates is one character and only a lone one is replaced.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
