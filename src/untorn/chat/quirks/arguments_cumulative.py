"""Each fragment repeats all arguments so far.

On the wire   "arguments": "{\\"q\\":\\"re"   then   "{\\"q\\":\\"red\\",\\"n\\""   then   ...
Seen at       NousResearch/hermes-agent#35718
We            take the last, if the whole is no JSON and the last is
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise


def repair(fragments: list[str], is_json: Callable[[str], bool]) -> str | None:
    """The last fragment; None if this is not what happened."""
    if len(fragments) < 2:
        return None
    grows = all(after.startswith(before) for before, after in pairwise(fragments))
    return fragments[-1] if grows and is_json(fragments[-1]) else None
