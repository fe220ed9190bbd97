"""Arguments that came as an object instead of text.

On the wire   {"function": {"name": "bash", "arguments": {"cmd": "printf ok"}}}
Seen at       Ollama-like servers; can1357/oh-my-pi#1779
We            write them as compact JSON, non-ASCII as it is; nothing else would be determinate
"""

from __future__ import annotations

from typing import Any

from untorn.chat.json_text import compact


def as_text(arguments: Any) -> str:
    """The text that such arguments stand for."""
    return compact(arguments)
