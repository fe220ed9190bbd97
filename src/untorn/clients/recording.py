"""What a client's recording does not hold: keys that the server repeats."""

from __future__ import annotations

from untorn.clients.keys import Echo, Secrets
from untorn.recording import Path, Recording


class KeylessRecording(Recording):
    """A Recording in whose body every secret is replaced. A read whose end may be the beginning
    of a secret is written up to there, and the rest with the next one."""

    def __init__(self, path: Path, secrets: Secrets) -> None:
        super().__init__(path)
        self._echo = Echo(secrets)

    def head(self, status: int, headers: list[tuple[str, str]], at: float) -> None:
        """See Recording."""
        # The body may get another length.
        kept = [pair for pair in headers if pair[0].lower() != "content-length"]
        super().head(status, kept, at)

    def read(self, data: bytes, at: float) -> None:
        """See Recording."""
        if seen := self._echo.receive_data(data):
            super().read(seen, at)

    def close(self, reason: str | None, at: float) -> None:
        """See Recording."""
        if rest := self._echo.receive_eof():
            super().read(rest, at)
        super().close(reason, at)
