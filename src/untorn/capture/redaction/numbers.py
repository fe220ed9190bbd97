"""What stands for a number: as long, as whole, zero where it was zero."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from math import isinf

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)

DIGITS = "123456789"
MOST_VARIANTS = 1000
MOST_TRIES = 30
"""How many are looked at for the usual one: of numbers as programs write them, half are as long."""


def shape_of_number(text: str) -> str:
    """What stands for ``text``, a number, where nothing else is to be told from it."""
    return next(number_variants(text))


def number_variants(text: str) -> Iterator[str]:
    """Numbers that may stand for ``text``; the usual one first, then others while there are any.

    Whoever reads one and writes it anew, as the shortest decimal, gets as many characters as with
    ``text``, if any number of its shape is like that. Leading zeros, those of a fraction or before
    an exponent, and the exponent stay: what is no JSON is none afterwards, and nothing becomes
    infinite.
    """
    if not text.lstrip("-").isdigit() and isinf(float(text)):
        yield text
        return
    places = _places(text)
    length = _length(text)
    numbers = range(min(len(DIGITS) ** len(places), MOST_VARIANTS))
    variants = (_written(text, places, number) for number in numbers)
    first = (one for one in islice(variants, MOST_TRIES) if _length(one) == length)
    yield next(first, None) or _written(text, places, 0)
    yield from (one for one in chain(first, variants) if _length(one) == length)


def _places(text: str) -> list[int]:
    """Where digits are replaced."""
    mantissa, exponent, _ = text.lower().partition("e")
    whole = 0 if exponent else len(mantissa.partition(".")[0])
    start = len(mantissa) - len(mantissa.lstrip("-0"))
    return [
        place
        for place in range(start, len(mantissa))
        if mantissa[place] != "." and (place < whole or mantissa[place] != "0")
    ]


def _written(text: str, places: list[int], number: int) -> str:
    digits = list(text)
    for place in reversed(places):
        number, digit = divmod(number, len(DIGITS))
        digits[place] = DIGITS[digit]
    return "".join(digits)


def _length(text: str) -> int:
    return len(text) if text.lstrip("-").isdigit() else len(repr(float(text)))
