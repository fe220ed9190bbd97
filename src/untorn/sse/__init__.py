"""Server-sent events, to the letter of the WHATWG standard (9.2). No JSON, no OpenAI.

    bytes → LineSplitter → lines → EventStream → events

``EventStream`` takes bytes and gives events. ``encode`` is the way back.
"""

from untorn.sse.encode import encode
from untorn.sse.event_stream import Event, EventStream, Tail
from untorn.sse.lines import LineSplitter

__all__ = ["Event", "EventStream", "LineSplitter", "Tail", "encode"]
