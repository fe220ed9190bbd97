"""What a scenario is: what a server does, and what a reader has to say about it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from untorn.chat.verdict import Ending, Outcome
from untorn.options import Options
from untorn.replay.reply import NEVER, Reply

Clock = Literal["first_byte", "idle", "content_idle", "after_end"]


class Call(Struct, frozen=True):
    """A tool call of choice 0."""

    name: str | None
    arguments: str
    state: Literal["whole", "invalid", "torn"]


class Expected(Struct, frozen=True, kw_only=True):
    """What a reader has to say at the end, ``untorn.Completion`` in short."""

    outcome: Outcome
    """Whether the answer is whole."""
    ending: Ending
    """How the bytes stopped."""
    reason: str | None = None
    """A regular expression that is found in the verdict's reason; None: it gives none."""
    text: str | None = None
    """The content of choice 0. Where the connection breaks, an HTTP library may lose what it had
    taken in and not yet handed on: then it is a beginning of this."""
    calls: tuple[Call, ...] = ()
    """The tool calls of choice 0."""
    error: str | None = None
    """A regular expression that is found in the server's error; None: it reported none."""
    retry_after: float | None = None
    """Seconds to wait before asking again, as the head says."""
    defects: frozenset[str] = frozenset()
    """The codes of all defects, and no others."""


class Scenario(Struct, frozen=True):
    """What a server does, and what a reader has to say about it."""

    name: str
    """Its id: in the path, as the model."""
    about: str
    """What the server does, for people."""
    reply: Reply
    """The same for the server."""
    expected: Expected
    """What a reader says."""
    clock: Clock | None = None
    """The reader's clock (``untorn.Clocks``) that ends it; None where it ends by itself."""
    answered: bool = True
    """Whether there is a response at all. Where not, the HTTP library raises before anything can
    be read."""
    options: Options = Options()
    """What it has to be read with."""

    @property
    def is_endless(self) -> bool:
        """Whether it ends only when the client ends it."""
        reply = self.reply
        return bool(reply.repeat) or NEVER in (reply.wait, reply.pause)
