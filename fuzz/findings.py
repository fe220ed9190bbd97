"""What to do with a finding: make it small, and keep it as files that tell how to see it again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from fuzz.examination import Finding, examine
from fuzz.inputs import Input, limits_of
from fuzz.json_tree import dump, slots
from fuzz.mutations import events_of, framed_like, lines_of, tree_of_event
from fuzz.seeds import EVENT_STREAM
from untorn import Limits, Options

FOLDER = Path(__file__).parent / "findings"

MOST_TRIES = 2000
WORD = re.compile(rb'(?s)[^,:"{}\[\]\n]*.')
Split = Callable[[bytes], list[bytes]]

ROUNDS = 3
"""Examinations of one input: some promises are broken in some cuttings only."""


def minimised(finding: Finding, most_tries: int = MOST_TRIES) -> Finding:
    """The same finding with an input as small as a limited search makes it."""
    return _Search(finding, most_tries).run()


class _Search:
    def __init__(self, finding: Finding, most_tries: int) -> None:
        self.best = finding
        self._kind = finding.kind
        self._left = most_tries

    def run(self) -> Finding:
        self._simplify_the_rest()
        before = None
        while before != self.best.given.body and self._left > 0:
            before = self.best.given.body
            for split in SPLITS:
                self._remove_parts(split)
            self._remove_values()
        self._simplify_the_rest()
        return self.best

    def _simplify_the_rest(self) -> None:
        limits = self.best.given.options.limits
        for options in (Options(), Options(limits=limits), *_with_fewer_limits(limits)):
            self._try(self.best.given._replace(options=options))
        self._try(self.best.given._replace(ending="eof"))
        given = self.best.given._replace(status=200)
        _ = self._try(given._replace(content_type=EVENT_STREAM)) or self._try(given)

    def _remove_parts(self, split: Split) -> None:
        parts = split(self.best.given.body)
        size = max(1, len(parts) // 2)
        while size:
            start = 0
            while start < len(parts):
                fewer = parts[:start] + parts[start + size :]
                if self._try(self.best.given._replace(body=b"".join(fewer))):
                    parts = fewer
                else:
                    start += size
            size //= 2

    def _remove_values(self) -> None:
        """Leave out what can be left out of the JSON of each event."""
        events = events_of(self.best.given.body)
        for number in range(len(events)):
            kept = 0
            while (smaller := _without_value(events[number], kept)) is not None:
                changed = [*events[:number], smaller, *events[number + 1 :]]
                if self._try(self.best.given._replace(body=b"".join(changed))):
                    events = changed
                else:
                    kept += 1

    def _try(self, given: Input) -> bool:
        if given == self.best.given or self._left <= 0:
            return False
        self._left -= 1
        for seed in range(ROUNDS):
            found = examine(given, Random(seed), only=self.best.oracle)
            if found is not None and found.kind == self._kind:
                self.best = found
                return True
        return False


def _without_value(event: bytes, kept: int) -> bytes | None:
    """An event without one value of its JSON, which ``kept`` others stand before; None if no more
    do."""
    tree = tree_of_event(event)
    found = slots(tree)
    if kept >= len(found):
        return None
    slot = found[kept]
    del slot.parent[slot.position]
    return framed_like(event, dump(tree))


def _by_words(body: bytes) -> list[bytes]:
    """Pieces that end where JSON's do."""
    return WORD.findall(body)


def _by_bytes(body: bytes) -> list[bytes]:
    return [body[at : at + 1] for at in range(len(body))]


SPLITS: list[Split] = [events_of, lines_of, _by_words, _by_bytes]


def _with_fewer_limits(limits: Limits) -> Iterator[Options]:
    for name in limits.__struct_fields__:
        if getattr(limits, name) != getattr(Limits(), name):
            yield Options(limits=limits_of(**{name: getattr(limits, name)}))


# Files ---------------------------------------------------------------------------------------


def keep(finding: Finding, origin: str, folder: Path = FOLDER) -> Path:
    """Write a finding as NAME.sse and NAME.txt; the path of the first."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*\n")
    digest = hashlib.sha256(finding.given.body).hexdigest()[:8]
    path = folder / f"{finding.oracle.replace(' ', '-')}-{digest}.sse"
    path.write_bytes(finding.given.body)
    path.with_suffix(".txt").write_text(described(finding, origin), encoding="utf-8")
    return path


def described(finding: Finding, origin: str) -> str:
    """A finding in words."""
    given = finding.given
    return "\n".join(
        [
            f"oracle        {finding.oracle}",
            f"reason        {finding.reason!s}",
            f"status        {given.status}",
            f"content type  {given.content_type}",
            f"options       {_shown(given.options)}",
            f"ending        {given.ending}",
            f"found as      {origin}",
            "",
        ]
    )


def _shown(options: Options) -> str:
    """What is not as it is without being asked for."""
    limits, usual = options.limits, Limits()
    said = [
        f"{name}={getattr(options, name)!r}"
        for name in options.__struct_fields__
        if name != "limits" and getattr(options, name) != getattr(Options(), name)
    ]
    said += [
        f"limits.{name}={getattr(limits, name)}"
        for name in limits.__struct_fields__
        if getattr(limits, name) != getattr(usual, name)
    ]
    return ", ".join(said) or "none"
