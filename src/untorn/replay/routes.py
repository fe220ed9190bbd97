"""Which reply a request gets: by its path, by the model it names, or by what was queued."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from untorn.capture import Capture
from untorn.replay.errors import UnknownScenario
from untorn.replay.reply import Reply, reply_of
from untorn.replay.requests import Request
from untorn.replay.scenario import Scenario
from untorn.replay.scenarios import SCENARIOS

Playable = str | Scenario | Reply | Capture
"""What can be played: a scenario or its name, a capture, a reply of your own."""

_MODEL = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)


class Turns:
    """Replies for one request after the other; the last one is for all that follow."""

    def __init__(self, what: Iterable[Playable]) -> None:
        self._left = [named(one) for one in what]
        if not self._left:
            raise ValueError("nothing to play: expected at least one scenario, reply or capture")

    def next(self) -> tuple[str, Reply]:
        """The reply to the next request, and its name."""
        return self._left.pop(0) if len(self._left) > 1 else self._left[0]


def named_scenario(name: str) -> Scenario:
    """The scenario of this name. Raises UnknownScenario."""
    try:
        return SCENARIOS[name]
    except KeyError:
        raise UnknownScenario(name, SCENARIOS) from None


def named(what: Playable) -> tuple[str, Reply]:
    """The name and the reply of what is to be played. Raises UnknownScenario."""
    if isinstance(what, str):
        what = named_scenario(what)
    if isinstance(what, Scenario):
        return what.name, what.reply
    return ("capture", reply_of(what)) if isinstance(what, Capture) else ("reply", what)


class Routes:
    """What is played where."""

    def __init__(self) -> None:
        self._by_path: dict[str, Turns] = {}
        self._queued: Turns | None = None

    def play(self, what: Iterable[Playable]) -> None:
        """Requests whose path names nothing get these in turn."""
        self._queued = Turns(what)

    def path_of(self, what: tuple[Playable, ...]) -> str:
        """A path whose requests get these in turn."""
        if len(what) == 1 and isinstance(what[0], str):
            return named(what[0])[0]
        name = f"turns-{len(self._by_path) + 1}"
        self._by_path[name] = Turns(what)
        return name

    def reply_to(self, request: Request) -> tuple[str, Reply]:
        """The reply to a request, and its name. Raises UnknownScenario."""
        first = request.path.lstrip("/").partition("?")[0].partition("/")[0]
        if first in self._by_path:
            return self._by_path[first].next()
        if first in SCENARIOS:
            return named(first)
        if first not in ("v1", "chat", ""):
            raise UnknownScenario(first, SCENARIOS)
        if self._queued is not None:
            return self._queued.next()
        return named(_model(request.body))


def _model(body: bytes) -> str:
    """The model that a request names; some clients put the provider's name before it."""
    try:
        return _TEXT.decode(_MODEL.decode(body)["model"]).rpartition("/")[2]
    except (msgspec.MsgspecError, KeyError):
        return ""
