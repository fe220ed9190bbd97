"""Which endpoint gets which key, and how a key is kept from being seen. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, AnyStr

from untorn.failures import chain_of

HIDDEN = "[hidden]"
LEAST = 8
"""Characters of a secret that is looked for in texts. ``none`` and ``ollama`` are no secrets, and
stand in many a sentence."""
PUBLIC = frozenset(
    "accept accept-encoding accept-language api-version content-type http-referer openai-beta "
    "referer user-agent x-title".split()
)
"""Headers, and names in a query, whose values are no secrets: servers complain of them."""
CUT = "…"
"""Where an excerpt was cut, and with it perhaps a secret."""


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


def secret_values(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """The secrets among the values of headers, or of a query."""
    secrets: list[str] = []
    for name, value in pairs:
        if name.lower() not in PUBLIC:
            secrets.append(value)
        if name.lower().endswith("authorization"):
            secrets.append(value.partition(" ")[2])  # a server repeats it without its scheme
    return secrets


class Secrets:
    """All secrets of one endpoint, to be kept out of what others say."""

    def __init__(self, secrets: Iterable[str]) -> None:
        texts = {secret for secret in secrets if len(secret) >= LEAST}
        texts |= {secret.replace("/", r"\/") for secret in texts}  # as some write it in JSON
        self._texts = sorted(texts, key=len, reverse=True)

    def __repr__(self) -> str:
        return HIDDEN

    def hide(self, text: str) -> str:
        """``text`` with every secret replaced, also one of which an excerpt has but the
        beginning."""
        for secret in self._texts:
            text = text.replace(secret, HIDDEN)
        if CUT in text:
            *excerpts, rest = text.split(CUT)
            text = CUT.join([*map(self._without_beginning, excerpts), rest])
        return text

    def hide_in(self, value: Any) -> Any:
        """The same for all texts in what was JSON."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, list):
            return [self.hide_in(one) for one in value]
        if isinstance(value, dict):
            return {self.hide(name): self.hide_in(one) for name, one in value.items()}
        return value

    def _without_beginning(self, excerpt: str) -> str:
        for secret in self._texts:
            if (size := _overlap(excerpt, secret)) >= LEAST:
                return excerpt[:-size] + HIDDEN
        return excerpt

    def and_more(self, secrets: Iterable[str]) -> Secrets:
        """These, and others."""
        return Secrets([*self._texts, *secrets])

    @property
    def texts(self) -> list[str]:
        """The longest first."""
        return self._texts

    def are_in(self, exc: BaseException | None) -> bool:
        """Whether a secret stands in an exception, or in one that it was raised from."""
        for one in chain_of(exc):
            said = f"{one} {one!r} {getattr(one, '__notes__', '')}"
            if self.hide(said) != said:
                return True
            exc = one.__cause__ or one.__context__
        return exc is not None  # a chain that long is not looked through


def without_tracebacks(exc: BaseException | None) -> None:
    """Forget where an exception, and those that it was raised from, came by: the variables there
    hold the request with its key."""
    for one in chain_of(exc):
        one.__traceback__ = None


class Echo:
    """A body in which a server may repeat keys: reads → reads without secrets."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = [text.encode() for text in secrets.texts]
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


def _overlap(data: AnyStr, secret: AnyStr) -> int:
    """How many bytes or characters at the end of ``data`` begin ``secret``."""
    for size in range(min(len(data), len(secret) - 1), 0, -1):
        if data[len(data) - size :] == secret[:size]:
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
