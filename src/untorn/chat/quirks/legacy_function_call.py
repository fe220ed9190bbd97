"""The call as ``function_call``, as before tool_calls came (2023-11).

On the wire   {"delta": {"function_call": {"name": "get_weather", "arguments": "{\\"ci"}}}
Seen at       OpenAI's older models; can1357/oh-my-pi#1692
We            show it as a tool call without id; an empty one is no call
"""

from __future__ import annotations

from typing import Any


def as_tool_call(function_call: Any) -> dict[str, Any] | None:
    """The same as an entry of ``tool_calls``; None if it says nothing."""
    if not isinstance(function_call, dict):
        return None
    if not function_call.get("name") and function_call.get("arguments") in (None, ""):
        return None
    return {"type": "function", "function": function_call}
