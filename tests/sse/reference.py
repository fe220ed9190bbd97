"""A slow reader of event streams, written from the standard's text alone, to compare with.

It decodes the whole body first, as the standard does, and then looks at one character after the
other. It shares no code with the package, and takes time where the package takes care.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Char = tuple[str, int]
"""A character, and the offset of the byte after it."""


@dataclass
class Line:
    text: str
    raw: bytes
    offset: int
    ended: bool


@dataclass
class Reading:
    events: list[tuple[str, str, str]] = field(default_factory=list)
    """Type, data, last event ID."""
    tail: tuple[int, list[bytes]] | None = None
    """Offset and lines."""
    retry: int | None = None
    last_event_id: str = ""
    over: tuple[str, int, int] | None = None
    """Which limit, its value, and the offset; then there is no tail."""


def decode(body: bytes) -> list[Char]:
    """UTF-8 decode of the Encoding standard (6 and 8.1.1), byte by byte."""
    chars: list[Char] = []
    code_point = needed = seen = 0
    lower, upper = 0x80, 0xBF
    at = 3 if body[:3] == b"\xef\xbb\xbf" else 0
    while at < len(body):
        byte = body[at]
        if needed and not lower <= byte <= upper:
            chars.append(("\ufffd", at))
            needed = seen = 0
            lower, upper = 0x80, 0xBF
            continue
        at += 1
        if needed:
            lower, upper = 0x80, 0xBF
            code_point = code_point << 6 | byte & 0x3F
            seen += 1
            if seen == needed:
                chars.append((chr(code_point), at))
                needed = seen = 0
        elif byte <= 0x7F:
            chars.append((chr(byte), at))
        elif 0xC2 <= byte <= 0xDF:
            needed, code_point = 1, byte & 0x1F
        elif 0xE0 <= byte <= 0xEF:
            lower = 0xA0 if byte == 0xE0 else lower
            upper = 0x9F if byte == 0xED else upper
            needed, code_point = 2, byte & 0xF
        elif 0xF0 <= byte <= 0xF4:
            lower = 0x90 if byte == 0xF0 else lower
            upper = 0x8F if byte == 0xF4 else upper
            needed, code_point = 3, byte & 0x7
        else:
            chars.append(("\ufffd", at))
    if needed:
        chars.append(("\ufffd", at))
    return chars


def split(body: bytes) -> list[Line]:
    """The ABNF of 9.2.5: a line is any characters but CR and LF, then CRLF, LF or CR."""
    chars = decode(body)
    lines: list[Line] = []
    start = 3 if body[:3] == b"\xef\xbb\xbf" else 0
    before = start  # the offset after the character before
    text = ""
    number = 0
    while number < len(chars):
        char, after = chars[number]
        if char not in "\r\n":
            text += char
        else:
            if char == "\r" and number + 1 < len(chars) and chars[number + 1][0] == "\n":
                number += 1
                after = chars[number][1]
            lines.append(Line(text, body[start:before], start, ended=True))
            text, start = "", after
        before = after
        number += 1
    if text:
        lines.append(Line(text, body[start:], start, ended=False))
    return lines


class Interpreter:
    """9.2.6, with the buffers of the standard."""

    def __init__(self, most_data: int, most_lines: int) -> None:
        self.reading = Reading()
        self.most_data = most_data
        self.most_lines = most_lines
        self.data = ""
        self.event_type = ""
        self.last_event_id = ""
        self.block: list[tuple[str, Line]] = []

    def interpret(self, line: Line) -> None:
        if line.text == "":
            self.dispatch()
        elif line.text[0] == ":":
            pass
        elif ":" in line.text:
            colon = line.text.index(":")
            value = line.text[colon + 1 :]
            if value != "" and value[0] == " ":
                value = value[1:]
            self.process(line.text[:colon], value, line)
        else:
            self.process(line.text, "", line)

    def process(self, name: str, value: str, line: Line) -> None:
        if name == "event":
            self.event_type = value
        elif name == "data":
            self.data += value + "\n"
        elif name == "id" and "\0" not in value:
            self.last_event_id = value
        elif name == "retry" and value and all(char in "0123456789" for char in value):
            self.reading.retry = number_in_base_ten(value)
        else:
            return
        if name != "data":
            self.block = [(other, kept) for other, kept in self.block if other != name]
        self.block.append((name, line))
        sizes = [len(kept.raw) for other, kept in self.block if other == "data"]
        if sum(sizes) > self.most_data:
            self.reading.over = ("event", self.most_data, self.block[0][1].offset)
        elif len(sizes) > self.most_lines:
            self.reading.over = ("lines", self.most_lines, self.block[0][1].offset)

    def dispatch(self) -> None:
        self.reading.last_event_id = self.last_event_id
        if self.data != "":
            data = self.data[:-1] if self.data[-1] == "\n" else self.data
            kind = self.event_type if self.event_type != "" else "message"
            self.reading.events.append((kind, data, self.last_event_id))
        self.data = ""
        self.event_type = ""
        self.block = []

    def end(self, cut: list[Line]) -> None:
        lines = [line for _, line in self.block] + cut
        if lines:
            self.reading.tail = (lines[0].offset, [line.raw for line in lines])


def number_in_base_ten(digits: str) -> int:
    """The number; of those over 2 ** 63 - 1 that one, as the package says it does."""
    value = 0
    for digit in digits:
        value = min(value * 10 + "0123456789".index(digit), 2**63 - 1)
    return value


def read(
    body: bytes, most_line: int = 2**23, most_data: int = 2**23, most_lines: int = 2**16
) -> Reading:
    interpreter = Interpreter(most_data, most_lines)
    reading = interpreter.reading
    cut: list[Line] = []
    for line in split(body):
        if len(line.raw) > most_line:
            reading.over = ("line", most_line, line.offset)
        elif line.ended:
            interpreter.interpret(line)
        else:
            cut = [line]
        if reading.over:
            return reading
    interpreter.end(cut)
    return reading
