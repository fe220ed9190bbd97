"""Results and events as JSON text that always can be written, and read by anyone."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from untorn.cli.render import UNSAFE
from untorn.events import LogprobsDelta


def json_text(value: Any, *, indent: int | None = None) -> str:
    """A plain value as JSON: one line, or several with ``indent``.

    What a terminal would obey, and half a surrogate pair, is escaped: the text is safe to print
    and can be encoded.
    """
    separators = None if indent else (",", ":")
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    # All that is escaped here stands within strings: outside of them JSON is ASCII.
    return UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1].replace("\x7f", "\\u007f"), text)


def plain(value: Any) -> Any:
    """``value`` of what JSON knows only: structs as objects, infinite numbers as null."""
    if isinstance(value, msgspec.Struct):
        return plain(_fields(value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _fields(value: msgspec.Struct) -> dict[str, Any]:
    fields: dict[str, Any]
    if isinstance(value, LogprobsDelta):
        fields = {"choice": value.choice, "logprobs": _logprobs(bytes(value.raw))}
    elif (to_dict := getattr(value, "to_dict", None)) is not None:
        fields = to_dict()
    else:
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
    tag = value.__struct_config__.tag
    return fields if tag is None else {"type": tag, **fields}


def _logprobs(raw: bytes) -> Any:
    # Not ``LogprobsDelta.logprobs``: a number like 1e999 has passed undecoded so far, and would
    # raise there.
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw.decode("utf-8", "replace")
