"""What a reader reads, written to a capture as it comes."""

from __future__ import annotations

import os
import warnings
from io import FileIO
from time import time

Path = str | os.PathLike[str]

# The body is written decompressed, and these are about what it was before.
OF_COMPRESSED = frozenset({"content-encoding", "content-length"})


class RecordingIncomplete(UserWarning):
    """A recording could not be written on, as on a full disk. The answer is not touched by it."""


class Recording:
    """A file that grows with each read, and is a valid capture all the time.

    Raises OSError if the file cannot be made. If writing fails later, that is a warning.
    """

    def __init__(self, path: Path) -> None:
        from untorn.capture import CaptureWriter  # who records nothing need not load it

        self.failure: OSError | None = None
        """Why the end is missing; None while nothing is."""
        self._path = path
        self._writer = CaptureWriter()
        self._file = FileIO(path, "wb")
        self._append(self._writer.begin(time()))

    def head(self, status: int, headers: list[tuple[str, str]], at: float) -> None:
        """The head of the response."""
        if any(name.lower() == "content-encoding" for name, _ in headers):
            headers = [pair for pair in headers if pair[0].lower() not in OF_COMPRESSED]
        self._append(self._writer.head(status, headers, at))

    def read(self, data: bytes, at: float) -> None:
        """A read of the body."""
        self._append(self._writer.read(data, at))

    def close(self, reason: str | None, at: float) -> None:
        """The end: a clean one, or what failed."""
        self._append(self._writer.close(reason, at))
        self._file.close()

    def _append(self, lines: bytes) -> None:
        left = memoryview(lines)
        try:
            while left and self.failure is None:
                # On a disk that fills up, a write takes what fits, and only the next one fails.
                left = left[self._file.write(left) :]
        except OSError as exc:
            self.failure = exc
            name = os.fspath(self._path)
            warnings.warn(
                f"the recording {name!r} ends too early: {exc.strerror}",
                RecordingIncomplete,
                stacklevel=2,
            )
