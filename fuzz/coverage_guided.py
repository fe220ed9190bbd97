"""The coverage-guided search, to be run by the Python of its own environment.

    python -m fuzz.coverage_guided TARGET FOUND [libFuzzer's arguments]

Atheris makes bytes that reach new code of untorn. Two of them say how the rest is read, and the
rest is a body. Whatever breaks a promise is written to the folder FOUND, and the search goes on.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from zlib import crc32

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["untorn"]):
    import untorn  # noqa: F401  # before all else that imports it, so that it is instrumented

from fuzz.examination import Finding, examine
from fuzz.wire_input import input_of

Target = Callable[[bytes], Finding | None]


def chat(data: bytes) -> Finding | None:
    """Bytes → ChatStream, all oracles."""
    return examine(input_of(data), Random(crc32(data)))


def sse(data: bytes) -> Finding | None:
    """Bytes → EventStream, which the slow reference has to agree with."""
    return examine(input_of(data), Random(crc32(data)), only="reference")


TARGETS: dict[str, Target] = {"chat": chat, "sse": sse}

MOST_OF_A_KIND = 3


def main(target: Target, folder: Path, arguments: list[str]) -> None:
    """Search until libFuzzer stops. Does not return."""
    kinds: dict[str, int] = {}

    def one_input(data: bytes) -> None:
        finding = target(data)
        if finding is None:
            return
        kinds[finding.kind] = kinds.get(finding.kind, 0) + 1
        if kinds[finding.kind] <= MOST_OF_A_KIND:
            (folder / hashlib.sha256(data).hexdigest()).write_bytes(data)

    atheris.Setup([sys.argv[0], *arguments], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main(TARGETS[sys.argv[1]], Path(sys.argv[2]), sys.argv[3:])
