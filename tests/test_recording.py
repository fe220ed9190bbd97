"""A file that grows with each read."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from tests.chat_helpers import DONE, chunk
from untorn.capture import Read, loads
from untorn.recording import Recording, RecordingIncomplete

HELLO = chunk({"content": "Hello"})


def test_it_is_a_valid_capture_all_the_time(tmp_path: Path) -> None:
    path = tmp_path / "a.untorn"
    recording = Recording(path)
    assert loads(path.read_bytes()).events == []
    recording.head(200, [("Content-Type", "text/event-stream"), ("Set-Cookie", "secret")], 1)
    assert loads(path.read_bytes()).headers == [("Content-Type", "text/event-stream")]
    recording.read(HELLO, 1.5)
    recording.read(DONE, 1.75)
    assert loads(path.read_bytes()).events == [Read(0.5, HELLO), Read(0.25, DONE)]
    recording.close(None, 2)
    assert recording.failure is None


def test_a_body_is_recorded_as_it_was_decompressed(tmp_path: Path) -> None:
    path = tmp_path / "a.untorn"
    headers = [("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip")]
    recording = Recording(path)
    recording.head(200, [*headers, ("Content-Length", "99")], 0)
    recording.close(None, 0)
    assert loads(path.read_bytes()).headers == headers[:1]


def test_a_length_that_is_right_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.untorn"
    recording = Recording(path)
    recording.head(200, [("Content-Length", "99")], 0)
    recording.close(None, 0)
    assert loads(path.read_bytes()).headers == [("Content-Length", "99")]


def test_a_file_that_cannot_be_made_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Recording(tmp_path / "absent" / "a.untorn")
    with pytest.raises(IsADirectoryError):
        Recording(str(tmp_path))


def test_a_full_disk_is_said_once_and_changes_nothing_else() -> None:
    with pytest.warns(RecordingIncomplete, match=r"'/dev/full' ends too early: No space"):
        recording = Recording("/dev/full")
    recording.head(200, [], 0)  # a second warning would be an error here
    recording.read(HELLO, 0)
    recording.close(None, 0)
    assert recording.failure is not None
    assert recording.failure.errno == errno.ENOSPC
