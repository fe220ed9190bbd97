"""What a body that is given on keeps for whoever takes it."""

from __future__ import annotations

from untorn.clients.body import Body
from untorn.options import Clocks, Options


def test_what_is_unsent_is_taken_once_and_in_one() -> None:
    body = Body(Options(), Clocks())
    taken = []
    for pieces in ([], [b"a"], [b"b", b"c"]):
        body.unsent += pieces
        taken += [body.take(), body.take()]
    assert taken == [b"", b"", b"a", b"", b"bc", b""]
    assert body.failure is None
