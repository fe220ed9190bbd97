"""Each fragment repeats all arguments so far.

On the wire   "arguments": "{\\"q\\":\\"re"   then   "{\\"q\\":\\"red\\",\\"n\\""   then   ...
Seen at       NousResearch/hermes-agent#35718
We            take the last, if the whole is no JSON and the last is
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise


def grow(fragments: Iterable[str]) -> bool:
    """Whether each begins with the one before it."""
    return all(after.startswith(before) for before, after in pairwise(fragments))


def repair(arguments: str, last: int, is_json: Callable[[str], bool]) -> str | None:
    """The last fragment, of so many characters, of fragments that grow; None if it is no JSON."""
    copy = arguments[-last:]
    return copy if is_json(copy) else None
