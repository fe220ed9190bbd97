"""Real processes of the command, on pipes and on a pseudo-terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

TIMEOUT = 60
COMMAND = [sys.executable, "-m", "untorn"]

# What the environment of the tests may have set, and would change what is printed.
DECIDES = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE")

ASCII = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
"""A locale that knows no other characters."""


class Ran(NamedTuple):
    """How a process ended and what it wrote."""

    code: int
    out: str
    err: str


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """That of the tests, without what would decide how to print, and with ``variables``."""
    kept = {name: value for name, value in os.environ.items() if name not in DECIDES}
    return {**kept, "TERM": "xterm-256color", **variables}


def run(
    *arguments: str | Path, stdin: bytes = b"", variables: Mapping[str, str] | None = None
) -> Ran:
    """Run the command with pipes, and with these variables in its environment."""
    ran = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env=environment(variables or {}),
        timeout=TIMEOUT,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def start(*arguments: str | Path, **streams: Any) -> subprocess.Popen[bytes]:
    """Start the command with pipes, but for the ``streams`` that are given."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)], env=environment({}), **{**pipes, **streams}
    )


def await_output(process: subprocess.Popen[bytes], text: bytes) -> bytes:
    """What the process wrote to stdout up to ``text``; fails if that does not come in time."""
    assert process.stdout is not None
    return await_bytes(process.stdout.fileno(), text)


def on_terminal(
    *arguments: str | Path, out: int | None = None, variables: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """The exit code of the command, and what it wrote to a terminal of 100 columns.

    stdin and stderr are the terminal, stdout too unless ``out`` is given.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=slave,
        stdout=slave if out is None else out,
        stderr=slave,
        env=environment(variables or {}),
    )
    os.close(slave)
    written = await_bytes(master)
    code = process.wait(TIMEOUT)
    os.close(master)
    return code, written.decode().replace("\r\n", "\n")


def await_bytes(descriptor: int, until: bytes | None = None) -> bytes:
    """What can be read up to these bytes, or up to the end; fails if it does not come in time."""
    deadline = time.monotonic() + TIMEOUT
    written = b""
    while until is None or until not in written:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"only {written!r} came in time"
        try:
            data = os.read(descriptor, 65_536)
        except OSError:  # Linux: the other end of the terminal is closed
            data = b""
        if not data:
            assert until is None, f"only {written!r} came"
            return written
        written += data
    return written


def chunk(delta: Mapping[str, Any], choice: int = 0, finish_reason: str | None = None) -> bytes:
    """One event with a chunk of one choice."""
    return event(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m-1",
            "choices": [{"index": choice, "delta": delta, "finish_reason": finish_reason}],
        }
    )


def event(payload: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(payload)}\n\n".encode()


def answer(*texts: str, finish_reason: str | None = "stop") -> bytes:
    """A whole stream with one choice."""
    role, *rest = [{"role": "assistant", "content": ""}, *({"content": text} for text in texts)]
    return b"".join([*map(chunk, [role, *rest]), chunk({}, 0, finish_reason), DONE])


DONE = b"data: [DONE]\n\n"


def capture(name: str) -> Path:
    """One of the captures that ``untorn demo`` shows."""
    return Path(str(files("untorn.cli"))) / "captures" / f"{name}.sse"
