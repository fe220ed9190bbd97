"""What stands for a text: the same shape, none of its words.

A letter becomes ``x`` or ``X``, a digit ``0``, any other character that is neither white space,
punctuation of ASCII nor invisible becomes one of as many bytes in UTF-8. So a shape is as long as
its text, in characters and in bytes; and the shape of two texts joined is both shapes joined.
"""

from __future__ import annotations

import re

TWO_BYTES = "øåæéüöäñçèêëîïôûàáíóúßþð"
THREE_BYTES = "字文言語話詞書本紙筆"
FOUR_BYTES = "🔹🔸🔷🔶🔵🔴🔲🔳🔘🔻"
LOWER = "xyzwvutsrqponmlkjihgfedcba"
UPPER = LOWER.upper()
DIGITS = "0123456789"

# White space counts where texts are trimmed; controls, marks and U+FFFD are no words.
_KEPT = re.compile(
    "[\x80-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ue000-\uf8ff"
    "\ufe00-\ufe0f\ufeff\ufff0-\uffff\U000e0000-\U0010ffff]"
)


class _Letters(dict[int, str]):
    """For each character, those that may stand for it, the usual one first; itself alone where it
    is kept."""

    def __missing__(self, code: int) -> str:
        letters = self[code] = _letters_for(chr(code))
        return letters


class _First(dict[int, int]):
    """The same for ``str.translate``: the usual one."""

    def __missing__(self, code: int) -> int:
        first = self[code] = ord(LETTERS[code][0])
        return first


def _letters_for(char: str) -> str:
    code = ord(char)
    if code < 0x80:
        return next((letters for letters in (LOWER, UPPER, DIGITS) if char in letters), char)
    # Python writes a byte that is no UTF-8 as U+DC80 to U+DCFF.
    if _KEPT.match(char) or 0xDC80 <= code < 0xDD00:
        return char
    if 0xD800 <= code < 0xE000:  # halves of a pair become those of the first of FOUR_BYTES
        half = 0xD83D if code < 0xDC00 else 0xDD39
        return f"{half:c}{half + 1:c}"
    return TWO_BYTES if code < 0x800 else THREE_BYTES if code < 0x10000 else FOUR_BYTES


LETTERS = _Letters()
_FIRST = _First()


def shape_of(text: str) -> str:
    """What stands for ``text`` where nothing else is to be told from it."""
    return text.translate(_FIRST)


def variant(text: str, number: int) -> str | None:
    """The shape of ``text`` with ``number`` written into its letters and digits, from the end; None
    where they are too few. Variant 0 is the shape itself."""
    letters = list(shape_of(text))
    for place in range(len(letters) - 1, -1, -1):
        if not number:
            break
        choice = LETTERS[ord(text[place])]
        number, digit = divmod(number, len(choice))
        letters[place] = choice[digit]
    return None if number else "".join(letters)


def another(char: str, than: str) -> str:
    """A letter that may stand for ``char`` and is not ``than``."""
    return next((letter for letter in LETTERS[ord(char)] if letter != than), char)


class Names:
    """Texts of which it counts whether they are the same: each gets a variant of its own.

    ``taken`` says which words stand for themselves and must not come out by accident.
    """

    def __init__(self, taken: frozenset[str]) -> None:
        self._taken = taken
        self._known: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._next: dict[str, int] = {}

    def of(self, text: str) -> str:
        """What stands for ``text``, here and everywhere."""
        known = self._known.get(text)
        if known is None:
            known = self._new(text)
            self.put(text, known)
        return known

    def put(self, text: str, name: str) -> None:
        """Let ``name`` stand for ``text``, unless something else does."""
        if text not in self._known:
            self._known[text] = name
            self._texts.setdefault(name, text)

    def _new(self, text: str) -> str:
        shape = shape_of(text)
        number = self._next.get(shape, 0)
        while (name := variant(text, number)) is not None:
            number = self._next[shape] = number + 1
            # A field whose name begins with x_ is a vendor's, and its usage counts.
            if name.startswith("x_") and not text.startswith("x_"):
                name = f"y{name[1:]}"
            if name not in self._texts and name.lower() not in self._taken:
                return name
        return shape
