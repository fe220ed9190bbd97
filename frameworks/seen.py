"""What a program has seen of one answer, whatever library it uses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

KEY = "a key of the test"
MODEL = "m"
PROMPT = "Does it hold?"
MESSAGES = [{"role": "user", "content": PROMPT}]
TIMEOUT = 4.0
"""Seconds that a bare library is told to wait for a byte. (The SDK takes 5 for "not said".)"""


class Asked(NamedTuple):
    """What a program asks, and with which HTTP client."""

    base_url: str
    http_client: Any
    choices: int
    tools: list[str]
    """Names of tools that it has."""

    @property
    def timeout(self) -> float:
        """For libraries that tell the SDK, whatever the HTTP client says."""
        timeout: float = self.http_client.timeout.read
        return timeout

    def sdk(self, kind: Any) -> Any:
        """The client of the SDK. It asks once: that it asks again for a head is not the matter."""
        return kind(
            base_url=self.base_url, api_key=KEY, max_retries=0, http_client=self.http_client
        )

    @property
    def request(self) -> dict[str, Any]:
        """What is asked of the SDK."""
        tools = [{"type": "function", "function": schema_of(name)} for name in self.tools]
        more = {"tools": tools} if tools else {}
        return {"model": MODEL, "messages": MESSAGES, "n": self.choices, **more}


def schema_of(name: str) -> dict[str, Any]:
    """A tool that takes anything."""
    return {"name": name, "description": "A tool.", "parameters": {"type": "object"}}


@dataclass
class Seen:
    """What the program has at the end, or when an exception comes."""

    text: str = ""
    """The text of the answer."""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    """Its tool calls: names, and arguments as they came: text, or values."""
    ran: list[tuple[str, Any]] = field(default_factory=list)
    """The calls that were run, or given out to be run."""
    usage: tuple[int, int] | None = None
    """The counts of the prompt and of the completion, where the program asks for them."""


class Way(NamedTuple):
    """One way to ask: a library, in one colour."""

    library: str
    is_async: bool
    ask: Callable[[Asked, Seen], Awaitable[None] | None]
    errors: tuple[type[Exception], ...]
    """Those that the library says it raises. Any other exception is a crash."""
    stopped: tuple[type[Exception], ...] = ()
    """Those by which the library gives an answer that a limit, a filter or the model itself has
    stopped."""
    closes: bool = False
    """Whether it is synchronous with an asynchronous client inside, which it then closes."""
    has_choices: bool = False
    """Whether it can give more than one choice."""

    @property
    def has_async_client(self) -> bool:
        return self.is_async or self.closes

    @property
    def name(self) -> str:
        return f"{self.library}, {'async' if self.is_async else 'sync'}"
