"""A recording of a client holds no key, however the reads are cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from untorn.capture import loads
from untorn.clients.keys import HIDDEN, Secrets
from untorn.clients.recording import KeylessRecording

KEY = "canary-0123456789"


@pytest.mark.parametrize("size", [1, 5, 16, 100])
def test_a_key_is_replaced_and_the_rest_is_there(size: int, tmp_path: Path) -> None:
    path = tmp_path / "a.untorn"
    body = f"data: {KEY}\n\ndata: {KEY[:-1]}".encode()
    recording = KeylessRecording(path, Secrets([KEY]))
    recording.head(200, [("Content-Type", "text/event-stream"), ("Content-Length", "50")], 0)
    for at in range(0, len(body), size):
        recording.read(body[at : at + size], 0)
    recording.close(None, 0)
    found = loads(path.read_bytes())
    assert found.body == body.replace(KEY.encode(), HIDDEN.encode())
    assert found.headers == [("Content-Type", "text/event-stream")]


def test_a_recording_without_a_key_in_it_is_as_it_came(tmp_path: Path) -> None:
    path = tmp_path / "a.untorn"
    recording = KeylessRecording(path, Secrets([KEY]))
    recording.head(200, [], 0)
    recording.read(b"data: 1\n\n", 0)
    recording.close("cut", 0)
    assert loads(path.read_bytes()).body == b"data: 1\n\n"
