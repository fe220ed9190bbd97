"""The fast way and the plain way through the same items, and items of all kinds to send there."""

from __future__ import annotations

from collections.abc import Iterable

from untorn.chat.builder import CompletionBuilder
from untorn.chat.completion import Completion
from untorn.chat.fast_way import FEW, FastWay
from untorn.chat.payload import Item, Payload
from untorn.chat.payload_reader import PayloadReader
from untorn.chat.wide import WideChunk
from untorn.events import StreamEvent
from untorn.options import Limits, Options

DONE = Payload(b"[DONE]", "event", 0)


class Watched(PayloadReader):
    """A reader that remembers what took the plain way."""

    def __init__(self, builder: CompletionBuilder, limits: Limits) -> None:
        super().__init__(builder, limits)
        self.plain: list[Item] = []

    def receive(self, item: Item, wide: WideChunk | None = None) -> None:
        self.plain.append(item)
        super().receive(item, wide)


class Ways:
    """A fast way, the reader behind it, and the builder behind both."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self.builder = CompletionBuilder(Options(limits=limits), None, lambda _: None)
        self.reader = Watched(self.builder, limits)
        self.fast_way = FastWay(self.builder, self.reader, limits)

    def fast(self, items: Iterable[Item]) -> list[StreamEvent]:
        return self.fast_way.receive(list(items))

    def plain(self, items: Iterable[Item]) -> list[StreamEvent]:
        self.builder.out = []
        for item in items:
            self.reader.receive(item)
            if self.builder.over is not None:
                break
        return self.builder.out

    @property
    def completion(self) -> Completion:
        return self.builder.completion(None, None)


def chunk(delta: str, choice: str = "", more: str = "", index: int = 0) -> bytes:
    """The line of a usual event."""
    data = f'{{"choices":[{{"index":{index},"delta":{{{delta}}}{choice}}}]{more}}}'
    return data.encode()


def text(content: str = "a") -> bytes:
    return chunk(f'"content":"{content}"')


def call(function: str, index: int = 0, more: str = "") -> bytes:
    return chunk(f'"tool_calls":[{{"index":{index}{more},"function":{{{function}}}}}]')


# A text may be a snapshot until a second fragment does not begin with the first.
START = [chunk('"role":"assistant","content":"a"'), chunk('"content":"A"')]
THINK = [chunk('"role":"assistant","reasoning":"b"'), chunk('"reasoning":"B"')]
AGAIN = chunk('"reasoning":"c","reasoning_content":"c"')
LOOK = call('"name":"look","arguments":"{"', more=',"id":"x"')
OTHER = [chunk('"role":"assistant","content":"a"', index=1), chunk('"content":"A"', index=1)]
LOOK_1 = call('"name":"look","arguments":"["', 1, ',"id":"y"')


def plain_items(*items: Item) -> list[Item]:
    """Those that took the plain way. Both ways say the same of all."""
    fast, plain = Ways(), Ways()
    assert fast.fast(items) == plain.plain(items)
    assert fast.completion == plain.completion
    return fast.reader.plain


def logprobs(value: str | bytes) -> bytes:
    raw = value if isinstance(value, bytes) else value.encode()
    return chunk('"content":"b"', ',"logprobs":?').replace(b"?", raw)


# Keys of a vendor: in LEARNED so many chunks as are read before they are usual.
VENDOR = chunk(
    '"content":"b","x":"p","y":null', ',"seen":7,"audio":null', ',"provider":"P","z":0.5'
)
THINKS = chunk('"reasoning":"b","x":true', "", ',"provider":"P"')
LEARNED = [*START, *[VENDOR] * (FEW - len(START))]
NESTED = chunk('"content":"b","x":{"y":[1]}', ',"filter":{}', ',"p":[{"a":null}]')
COUNTING = chunk('"content":"b"', "", ',"usage":{"total_tokens":7}')
NOT_COUNTING = chunk('"content":"b"', "", ',"usage":{"total_tokens":0}')
