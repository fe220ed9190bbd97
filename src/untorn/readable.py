"""Text for people: one short line with nothing in it that a terminal would obey."""

from __future__ import annotations


def one_line(text: str, most: int = 60) -> str:
    """``text`` in quotes, cut to about ``most`` characters, all but printable ones escaped.

    Never fails, also not for half a surrogate pair. Bidi marks and other format characters are
    not printable by ``str.isprintable()``, so they are escaped too.
    """
    shown = text if len(text) <= most else text[: most - 1]
    escaped = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in shown
    )
    return f'"{escaped}"' if shown is text else f'"{escaped}…"'


def plain(text: str, most: int = 60) -> str:
    """The same without quotes, for names."""
    return one_line(text, most)[1:-1]


def one_line_of_bytes(data: bytes, most: int = 60) -> str:
    """The same for bytes; what is not UTF-8 shows as U+FFFD."""
    return one_line(data[: 4 * most + 4].decode("utf-8", "replace"), most)


def amount(count: int, noun: str) -> str:
    """ "1 character", "2 characters"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
