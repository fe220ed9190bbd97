"""Arguments of tool calls: what is JSON stays JSON, what is equal stays equal.

Every string, number and word in them gets a variant of its own, so that arguments are the same as
others, or begin with them, exactly where they did before (corpus rules 9 and 10). Nothing of them
is vocabulary, not even keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from untorn.capture.redaction.json_tree import Array, Node, Number, Object, Text
from untorn.capture.redaction.literals import read_literal, write_literal
from untorn.capture.redaction.numbers import NUMBER, number_variants, shape_of_number
from untorn.capture.redaction.places import Literal, Payload, text_of, write_all
from untorn.capture.redaction.shapes import Names, shape_of
from untorn.chat.arguments import Seams, repair_arguments
from untorn.options import Limits

WORDS = ("true", "false", "null", "NaN", "Infinity")
"""JSON's own, and those that some write in place of a number. They stay."""
_TOKEN = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*(?:"|\\?\Z))'
    rf"|(?P<number>{NUMBER.pattern})"
    rf"|{'|'.join(WORDS)}|(?P<word>(?:(?!{'|'.join(WORDS)})\w)+|[^\x00-\x7f]+)",
    re.DOTALL,
)
_HALF = re.compile("[\ud800-\udfff]")


class ArgumentNames:
    """What stands for the strings, numbers and words of arguments, in all calls of a stream."""

    def __init__(self) -> None:
        self._texts = Names(frozenset())
        self._numbers: dict[str, str] = {}
        self._variants: dict[str, Iterator[str]] = {}

    def text(self, text: str) -> str:
        """For a string, or for a word outside of one."""
        return self._texts.of(text)

    def number(self, text: str) -> str:
        """For a number."""
        number = self._numbers.get(text)
        if number is None:
            shape = shape_of_number(text)
            # Numbers of one shape have the same variants: each gets the next one.
            left = self._variants.setdefault(shape, number_variants(text))
            number = self._numbers[text] = next(left, shape)
        return number

    def json(self, text: str) -> str:
        """For a text that is JSON, or was meant to be."""
        text = _HALF.sub(lambda half: shape_of(half[0]), text)
        inner = text.strip(" \t\r\n")
        is_string = len(inner) > 1 and inner[0] == inner[-1] == '"'
        return _TOKEN.sub(lambda found: self._token(found, nested=is_string), text)

    def _token(self, found: re.Match[str], *, nested: bool) -> str:
        token = found[0]
        if found.lastgroup == "number":
            return self.number(token)
        if found.lastgroup == "word":
            return self.text(token)
        if found.lastgroup is None:
            return token
        end = len(token) - (len(token) > 1 and token[-1] == '"')
        raw = token[1:end].encode("utf-8", "surrogatepass")
        said = read_literal(raw)
        # Some servers send a JSON string that holds the arguments as JSON.
        says = self.json(said) if nested else self.text(said)
        written = write_literal(raw, says).decode("utf-8", "surrogatepass")
        return f'"{written}{token[end:]}'

    def redact(self, node: Node, payload: Payload) -> None:
        """Replace arguments that came as an object in place of text."""
        match node:
            case Text():
                literal = payload.literal(node)
                literal.write(self.text(literal.text))
            case Number(start):
                payload.write(start, self.number(payload.number(node)).encode())
            case Array(items):
                for item in items:
                    self.redact(item, payload)
            case Object(pairs):
                for key, value in pairs:
                    self.redact(key, payload)
                    self.redact(value, payload)
            case _:
                pass


class Arguments:
    """The arguments of one call. Fragments in; ``finish`` replaces them all."""

    def __init__(self, names: ArgumentNames) -> None:
        self._names = names
        self._fragments: list[list[Literal]] = []

    def add(self, literals: list[Literal]) -> None:
        """Take a fragment that came as text."""
        self._fragments.append(literals)

    def finish(self, limits: Limits) -> None:
        """Replace what was taken."""
        fragments = [text_of(fragment) for fragment in self._fragments]
        texts = [text for text in fragments if text]
        if not texts:
            return
        _, repair = repair_arguments("".join(texts), Seams(texts), limits)
        shapes = iter(self._shapes(texts, repair))
        for fragment, text in zip(self._fragments, fragments, strict=True):
            if text:
                write_all(fragment, next(shapes))

    def _shapes(self, texts: list[str], repair: str | None) -> list[str]:
        """Joined they are JSON, or meant to be; but for repetitions, which are so each."""
        json = self._names.json
        if repair == "arguments-cumulative":
            last = json(texts[-1])
            return [last[: len(text)] for text in texts]
        if repair == "arguments-resent":
            return [*_cut(json("".join(texts[:-1])), texts[:-1]), json(texts[-1])]
        return _cut(json("".join(texts)), texts)


def _cut(shape: str, texts: list[str]) -> list[str]:
    at = 0
    pieces: list[str] = []
    for text in texts:
        pieces.append(shape[at : at + len(text)])
        at += len(text)
    return pieces
