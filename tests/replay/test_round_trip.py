"""What was recorded is played, recorded again and played once more: the same reads each time."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

import untorn
from untorn.capture import Capture, loads
from untorn.replay import ReplayServer, scenarios
from untorn.replay.schedule import AT_ONCE

CUT = Path(__file__).parent.parent / "captures" / "tool-call-cut.untorn"


def recorded(server: ReplayServer, what: str | Capture, path: Path) -> Capture:
    """The recording of one answer, by a client that never asks twice."""
    url = f"{server.url(what)}/chat/completions"
    with (
        httpx2.Client(timeout=20) as client,
        client.stream("POST", url, json={}) as response,
        untorn.read(response, record=path, raise_on=()) as stream,
    ):
        stream.result()
    return loads(path.read_bytes())


# Each of these sends a read as one chunk of HTTP, which httpx2 gives out as one.
@pytest.mark.parametrize("name", ["text", "tool-calls", "text-slices", "fin-inside-event"])
def test_replay_of_a_recording_is_recorded_the_same(name: str, tmp_path: Path) -> None:
    with ReplayServer(pace=AT_ONCE) as server:
        first = recorded(server, name, tmp_path / "first.untorn")
        second = recorded(server, first, tmp_path / "second.untorn")
        third = recorded(server, second, tmp_path / "third.untorn")
    assert first.status == second.status == 200
    assert len(first.reads) > 3
    reads = [[read.data for read in capture.reads] for capture in (first, second, third)]
    assert reads[0] == reads[1] == reads[2]
    assert (first.close is None) == (second.close is None) == (third.close is None)
    assert name in scenarios.SCENARIOS


def test_file_is_played_read_by_read(tmp_path: Path) -> None:
    original = loads(CUT.read_bytes())
    with ReplayServer(pace=AT_ONCE) as server:
        again = recorded(server, original, tmp_path / "again.untorn")
    assert [read.data for read in again.reads] == [read.data for read in original.reads]
