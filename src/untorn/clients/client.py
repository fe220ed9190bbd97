"""Client and AsyncClient: ask an endpoint, and read what it answers."""

from __future__ import annotations

import os
import random
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, Self

from msgspec import structs

from untorn.chat.completion import RAISE_ON, outcomes_of
from untorn.chat.verdict import Outcome
from untorn.clients.addresses import DEFAULT, address_of, secrets_of_login
from untorn.clients.asking import Asking
from untorn.clients.keys import key_for
from untorn.clients.policy import Health, Rules
from untorn.clients.readers import AsyncClientReader, ClientReader
from untorn.clients.requests import Endpoint, endpoint, hidden, snapshot
from untorn.clients.sources import (
    AsyncBackend,
    AsyncClientSource,
    Backend,
    ClientSource,
)
from untorn.clients.tries import Call
from untorn.options import Clocks, Options, Target

Messages = Sequence[Mapping[str, Any]]
NO_KEY = (
    "no key for {}: give api_key=, or set OPENAI_API_KEY (that one goes to OPENAI_BASE_URL and to"
    " api.openai.com, and nowhere else)"
)


class _AnyClient:
    """What needs no waiting."""

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        headers: Mapping[str, str] | None,
        targets: Sequence[Target],
        proxy: str | None,
        rules: Rules,
        options: Options,
        raise_on: Collection[Outcome],
    ) -> None:
        self._raise_on = outcomes_of(raise_on)
        first = _first_endpoint(base_url, api_key, headers or {})
        others = [
            endpoint(address_of(one.base_url), one.api_key, one.headers, one.model)
            for one in targets
        ]
        known = [] if proxy is None else secrets_of_login(proxy)
        self._endpoints = [
            structs.replace(one, secrets=one.secrets.and_more(known)) for one in [first, *others]
        ]
        self._rules = structs.replace(rules, targets=len(self._endpoints))
        self._health = Health()
        self._options = options

    def __repr__(self) -> str:
        shown = ", ".join(one.address.shown for one in self._endpoints)
        return f"{type(self).__name__}({shown})"

    def _asking(
        self,
        body: dict[str, Any],
        extra_body: Mapping[str, Any] | None,
        headers: Mapping[str, str] | None,
        record: str | os.PathLike[str] | None,
        raise_on: Collection[Outcome] | None,
        clocks: Clocks | None,
    ) -> Asking:
        fields = {**body, **(extra_body or {})}
        if fields.pop("stream", True) is not True:
            raise ValueError("stream is always true: result() gives the whole answer")
        choices = fields.get("n")
        options, rules = self._options, self._rules
        if isinstance(choices, int):
            options = structs.replace(options, choices=choices)
        if clocks is not None:
            rules = structs.replace(rules, clocks=clocks)
        return Asking(
            Call(
                endpoints=self._endpoints,
                fields=snapshot(fields),
                headers=hidden(headers or {}),
                rules=rules,
                health=self._health,
                options=options,
                raise_on=self._raise_on if raise_on is None else outcomes_of(raise_on),
                record=record,
                random=random.random,
            )
        )


class Client(_AnyClient):
    """Asks for chat completions, and gives a Reader for each.

    ``base_url`` is the one that every SDK takes; None: ``OPENAI_BASE_URL``, or OpenAI's own.
    ``api_key`` goes there alone; None: ``OPENAI_API_KEY``, if ``base_url`` is one of these two.
    ``targets`` are asked in order when those before them fail. ``http_client`` is your own
    ``httpx2.Client``; it is not closed here. ``backend`` may be ``"urllib3"``.

    Raises ValueError for a URL or header that cannot be used, ImportError without the library.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        targets: Sequence[Target] = (),
        max_retries: int = 2,
        restart_torn: bool = False,
        include_usage: bool = True,
        clocks: Clocks = Clocks(),
        options: Options = Options(),
        raise_on: Collection[Outcome] = RAISE_ON,
        http2: bool = False,
        proxy: str | None = None,
        backend: Literal["httpx2", "urllib3"] = "httpx2",
        http_client: Any = None,
    ) -> None:
        rules = Rules(
            max_retries=max_retries,
            restart_torn=restart_torn,
            include_usage=include_usage,
            clocks=clocks,
        )
        super().__init__(base_url, api_key, headers, targets, proxy, rules, options, raise_on)
        module = import_module(f"untorn.clients.{_one_of(backend, ('httpx2', 'urllib3'))}")
        self._backend: Backend = module.Backend(http_client, http2=http2, proxy=proxy)

    def chat(
        self,
        *,
        model: str,
        messages: Messages,
        headers: Mapping[str, str] | None = None,
        extra_body: Mapping[str, Any] | None = None,
        record: str | os.PathLike[str] | None = None,
        raise_on: Collection[Outcome] | None = None,
        clocks: Clocks | None = None,
        **fields: Any,
    ) -> ClientReader:
        """Ask for one completion. Nothing is sent before the reader is entered, or read.

        ``fields`` go into the body as they are, whatever their names; those with a name of ours
        go into ``extra_body``. ``record`` names a file to which all that comes is written.

        Raises TypeError for what is no JSON, ValueError for a header that cannot be sent, OSError
        if the file to record to cannot be made.
        """
        body = {"model": model, "messages": messages, **fields}
        asking = self._asking(body, extra_body, headers, record, raise_on, clocks)
        source = ClientSource(self._backend, asking)
        return ClientReader(source, asking, has_text=not self._rules.restart_torn)

    def close(self) -> None:
        """Close all connections."""
        self._backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()


class AsyncClient(_AnyClient):
    """The same for asyncio. ``backend`` may be ``"aiohttp"``."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        targets: Sequence[Target] = (),
        max_retries: int = 2,
        restart_torn: bool = False,
        include_usage: bool = True,
        clocks: Clocks = Clocks(),
        options: Options = Options(),
        raise_on: Collection[Outcome] = RAISE_ON,
        http2: bool = False,
        proxy: str | None = None,
        backend: Literal["httpx2", "aiohttp"] = "httpx2",
        http_client: Any = None,
    ) -> None:
        rules = Rules(
            max_retries=max_retries,
            restart_torn=restart_torn,
            include_usage=include_usage,
            clocks=clocks,
        )
        super().__init__(base_url, api_key, headers, targets, proxy, rules, options, raise_on)
        module = import_module(f"untorn.clients.{_one_of(backend, ('httpx2', 'aiohttp'))}")
        self._backend: AsyncBackend = module.AsyncBackend(http_client, http2=http2, proxy=proxy)

    def chat(
        self,
        *,
        model: str,
        messages: Messages,
        headers: Mapping[str, str] | None = None,
        extra_body: Mapping[str, Any] | None = None,
        record: str | os.PathLike[str] | None = None,
        raise_on: Collection[Outcome] | None = None,
        clocks: Clocks | None = None,
        **fields: Any,
    ) -> AsyncClientReader:
        """See ``Client.chat``; the reader is an AsyncReader, and nothing is awaited here."""
        body = {"model": model, "messages": messages, **fields}
        asking = self._asking(body, extra_body, headers, record, raise_on, clocks)
        source = AsyncClientSource(self._backend, asking)
        return AsyncClientReader(source, asking, has_text=not self._rules.restart_torn)

    async def close(self) -> None:
        """Close all connections."""
        await self._backend.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self.close()


def _first_endpoint(
    base_url: str | None, api_key: str | None, headers: Mapping[str, str]
) -> Endpoint:
    own = [os.environ.get("OPENAI_BASE_URL") or DEFAULT, DEFAULT]
    address = address_of(base_url or own[0])
    origins = [address_of(one).origin for one in own]
    api_key = key_for(address.origin, api_key, origins, os.environ.get("OPENAI_API_KEY") or None)
    named = {name.lower() for name in headers}
    if api_key is None and address.origin in origins[1:] and "authorization" not in named:
        raise ValueError(NO_KEY.format(address.origin))
    return endpoint(address, api_key, headers)


def _one_of(backend: str, known: tuple[str, ...]) -> str:
    if backend not in known:
        raise ValueError(f"backend is one of {known}, not {backend!r}")
    return backend
