"""What a request for a chat completion asks for, as far as the drop-in has to know. Pure."""

from __future__ import annotations

from typing import Any

import msgspec


class Asked(msgspec.Struct, frozen=True):
    """What is read of a request."""

    stream: bool = False
    n: int | None = None
    stream_options: dict[str, Any] | None = None
    tools: list[Any] | None = None
    functions: list[Any] | None = None
    """OpenAI's older tools, answered by ``function_call``."""

    @property
    def wants_usage(self) -> bool:
        return bool((self.stream_options or {}).get("include_usage"))

    @property
    def wants_custom_calls(self) -> bool:
        types = (tool.get("type") for tool in self.tools or [] if isinstance(tool, dict))
        return "custom" in types


def asked_by(method: str, path: str, body: bytes) -> Asked | None:
    """What a request asks for, if that is a streamed chat completion."""
    if method != "POST" or not path.endswith("/chat/completions"):
        return None
    try:
        asked = msgspec.json.decode(body, type=Asked)
    except msgspec.MsgspecError:
        return None
    return asked if asked.stream else None
