"""What stands for a number: as long, as whole, zero where it was zero."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isinf

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_MANTISSA = re.compile(r"-?0*([\d.]*)", re.ASCII)

DIGITS = "123456789"
MOST_TRIES = 1000


def shape_of_number(text: str) -> str:
    """What stands for ``text``, a number, where nothing else is to be told from it."""
    return next(number_variants(text))


def number_variants(text: str) -> Iterator[str]:
    """Numbers that may stand for ``text``; the usual one first, then others while there are any.

    Whoever reads one and writes it anew, as the shortest decimal, gets as many characters as with
    ``text``. Leading zeros, zeros of a fraction and the exponent stay, so that what is no JSON is
    none afterwards, and nothing becomes infinite.
    """
    if not text.lstrip("-").isdigit() and isinf(float(text)):
        yield text
        return
    places = _places(text)
    length = _length(text)
    variants = (
        _written(text, places, number) for number in range(min(9 ** len(places), MOST_TRIES))
    )
    fitting = (variant for variant in variants if _length(variant) == length)
    usual = next(fitting, text)
    yield usual
    yield from fitting


def _places(text: str) -> list[int]:
    """Where digits are replaced."""
    mantissa = _MANTISSA.match(text)
    if mantissa is None:
        return []
    start, end = mantissa.span(1)
    point = text.find(".", start, end)
    whole_end = end if point < 0 else point
    return [
        place
        for place in range(start, end)
        if text[place] != "." and (place < whole_end or text[place] != "0")
    ]


def _written(text: str, places: list[int], number: int) -> str:
    digits = list(text)
    for place in reversed(places):
        number, digit = divmod(number, len(DIGITS))
        digits[place] = DIGITS[digit]
    return "".join(digits)


def _length(text: str) -> int:
    return len(text) if text.lstrip("-").isdigit() else len(repr(float(text)))
