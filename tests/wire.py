"""When the ends of a body's choices are on the wire, found without untorn.

Every JSON value in the body is decoded with the place of its last byte, whatever frames it: a
``data`` field, a bare line, or several lines of either. Of a value that begins in the middle of a
line nothing is known here; such a thing is in no body that is used.
"""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections.abc import Iterator
from typing import Any, NamedTuple

# A byte order mark, and ``data:`` as often as it stands there.
PREFIX = re.compile(rb"(?:\xef\xbb\xbf)*(?:data:[ ]?)*[ \t]*")


NEVER = 2**62


class Ends(NamedTuple):
    """After how many bytes of a body things are on the wire."""

    choices: dict[int, int]
    """The end of each choice; NEVER for one that has none."""
    values: list[int]
    """The end of each JSON value, in order."""

    def by(self, choice: int, size: int) -> bool:
        """Whether the first ``size`` bytes hold the end of a choice."""
        return self.choices[choice] <= size

    def all_by(self, size: int) -> bool:
        """Whether they hold the end of every choice, and there is one."""
        return bool(self.choices) and max(self.choices.values()) <= size

    def has_value(self, start: int, size: int) -> bool:
        """Whether a value ends after ``start`` and by ``size``."""
        return bisect(self.values, size) > bisect(self.values, start)


def ends_of(body: bytes) -> Ends:
    """Where things have their ends. A choice: its first finish reason, or, for audio that brought
    ``expires_at``, the ``[DONE]``."""
    choices: dict[int, int] = {}
    audio: set[int] = set()
    values: list[int] = []
    for value, end in values_of(body):
        values.append(end)
        if value == "[DONE]":
            choices |= {index: end for index in audio if choices[index] == NEVER}
        for choice in _choices(value):
            index = _index(choice.get("index"))
            choices.setdefault(index, NEVER)
            if choice.get("finish_reason") not in (None, "", "null"):
                choices[index] = min(choices[index], end)
            delta = choice.get("delta")
            spoken = delta.get("audio") if isinstance(delta, dict) else None
            if isinstance(spoken, dict) and spoken.get("expires_at"):
                audio.add(index)
    return Ends(choices, values)


def values_of(body: bytes) -> Iterator[tuple[Any, int]]:
    """Each JSON value of the body, and ``"[DONE]"``, with the end of its last byte."""
    begun = b""
    for line in re.finditer(rb"[^\r\n]+", body):
        text = PREFIX.sub(b"", line.group(), count=1).rstrip()
        end = line.start() + len(line.group().rstrip())
        if text.lower().strip(b'[]" ') == b"done":
            yield "[DONE]", end
        elif begun or text[:1] in (b"{", b"["):
            value = _decoded(text)
            if value is None:
                begun += text
                value = _decoded(begun)
            if value is not None:
                begun = b""
                yield value, end


def _choices(value: Any) -> Iterator[dict[str, Any]]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            listed = item.get("choices")
            bare = [item] if isinstance(item.get("delta"), dict) else []
            entries = listed if isinstance(listed, list) else bare
            yield from (entry for entry in entries if isinstance(entry, dict))


def _index(value: Any) -> int:
    return int(value) if isinstance(value, int | str) else 0


def _decoded(text: bytes) -> Any:
    try:
        return json.loads(
            text.decode("utf-8", "replace"), strict=False, object_pairs_hook=_last_not_null
        )
    except ValueError:
        return None


def _last_not_null(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(pairs) | {key: value for key, value in pairs if value is not None}
