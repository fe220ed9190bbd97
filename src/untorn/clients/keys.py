"""Which endpoint gets which key, and how a key is kept from being seen. Pure."""

from __future__ import annotations

from collections.abc import Iterable

HIDDEN = "[hidden]"
LEAST = 8
"""Characters of a secret that is looked for in texts. ``none`` and ``ollama`` are no secrets, and
stand in many a sentence."""


class Secret:
    """A text that no ``repr``, ``str`` or log shows."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __repr__(self) -> str:
        return HIDDEN

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)


class Secrets:
    """All secrets of one endpoint, to be kept out of what others say."""

    def __init__(self, secrets: Iterable[str]) -> None:
        texts = {secret for secret in secrets if len(secret) >= LEAST}
        self._texts = sorted(texts, key=len, reverse=True)

    def __repr__(self) -> str:
        return HIDDEN

    def hide(self, text: str) -> str:
        """``text`` with every secret replaced."""
        for secret in self._texts:
            text = text.replace(secret, HIDDEN)
        return text

    def and_more(self, secrets: Iterable[Secret]) -> Secrets:
        """These, and others."""
        return Secrets([*self._texts, *(secret.reveal() for secret in secrets)])

    @property
    def encoded(self) -> list[bytes]:
        """As bytes, the longest first."""
        return [text.encode() for text in self._texts]

    def are_in(self, exc: BaseException | None) -> bool:
        """Whether a secret stands in an exception, or in one that it was raised from."""
        for _ in range(8):
            if exc is None:
                return False
            said = f"{exc} {exc!r} {getattr(exc, '__notes__', '')}"
            if self.hide(said) != said:
                return True
            exc = exc.__cause__ or exc.__context__
        return True  # a chain that long is not looked through


class Echo:
    """The body of an error, in which servers repeat keys: reads → reads without secrets."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets.encoded
        self._held = b""

    def receive_data(self, data: bytes) -> bytes:
        """What may be seen by now: what may be the beginning of a secret is held."""
        data = self._held + data
        for secret in self._secrets:
            data = data.replace(secret, HIDDEN.encode())
        held = max((_overlap(data, secret) for secret in self._secrets), default=0)
        self._held = data[len(data) - held :]
        return data[: len(data) - held]

    def receive_eof(self) -> bytes:
        """The rest."""
        held, self._held = self._held, b""
        return held


def _overlap(data: bytes, secret: bytes) -> int:
    """How many bytes at the end of ``data`` begin ``secret``."""
    for size in range(min(len(data), len(secret) - 1), 0, -1):
        if data.endswith(secret[:size]):
            return size
    return 0


def key_for(
    origin: str, api_key: str | None, own_origins: Iterable[str], env_key: str | None
) -> str | None:
    """The key for an endpoint: its own, or the one of the environment if the endpoint is one of
    those that it belongs to."""
    if api_key is not None:
        return api_key
    return env_key if origin in own_origins else None
