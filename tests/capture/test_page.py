"""``docs/captures.md`` says what is so."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

from tests.chat_helpers import TESTS
from untorn.capture import Close, Marker, Read, dumps, loads
from untorn.capture.kept_headers import KEPT, KEPT_PREFIXES
from untorn.capture.limits import FORMAT_VERSION, MOST_LINE, MOST_SECONDS
from untorn.capture.redaction.body import redact_body
from untorn.capture.untorn_reader import UntornReader

PAGE = (Path(TESTS).parent / "docs" / "captures.md").read_text(encoding="utf-8")
FENCED = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
EXAMPLE, REDACTED = (text for language, text in FENCED if not language)


def test_the_example_is_a_capture() -> None:
    capture = loads(EXAMPLE.encode())
    assert (capture.status, capture.started) == (200, 1767225600)
    assert [type(event) for event in capture.events] == [Read, Read, Marker, Close]
    assert capture.body.decode("utf-8", "replace").endswith('"content": "\N{REPLACEMENT CHARACTER}')
    assert dumps(capture).decode() == re.sub("^#.*\n", "", EXAMPLE, flags=re.MULTILINE)


def test_the_redacted_example_is_what_comes_out() -> None:
    before, after = REDACTED.splitlines()
    assert redact_body(before.encode()) == after.encode()


def test_the_table_of_headers_is_the_list() -> None:
    rows = re.search(r"\| headers \| why \|\n.*?\n\n", PAGE, re.DOTALL)
    assert rows is not None
    names = re.findall(
        r"`([a-z0-9…-]+)`", "".join(re.findall(r"^\| (`.*?) \|", rows[0], re.MULTILINE))
    )
    assert {name for name in names if "…" not in name} == KEPT
    assert {name[:-1] for name in names if "…" in name} == set(KEPT_PREFIXES)


def test_the_numbers_are_those_of_the_code() -> None:
    assert f"an integer: `{FORMAT_VERSION}`" in PAGE
    assert f"A line has {MOST_LINE // 1024**2} MiB at most" in PAGE
    assert f"a number from 0 to {MOST_SECONDS:.0e}".replace("e+", "e") in PAGE


def test_a_reader_written_from_the_page_alone_reads_the_same() -> None:
    file = (TESTS / "captures" / "tool-call-cut.untorn").read_bytes()
    assert read_by_the_page(file) == loads(file).body
    for size in range(0, len(file), 50):
        events = [*(reader := UntornReader()).receive_data(file[:size]), *reader.receive_eof()]
        body = b"".join(event.data for event in events if isinstance(event, Read))
        assert read_by_the_page(file[:size]) == body


def read_by_the_page(file: bytes) -> bytes:
    """The body, as somebody reads it who knows the page and no line of untorn."""
    body = b""
    for number, line in enumerate(file.split(b"\n")):
        try:
            event = None if line[:1] == b"#" else json.loads(line)
        except ValueError:
            continue  # blank, or the last one and torn
        if number and event and event[1] == "r":
            data = event[2]
            body += data.encode() if isinstance(data, str) else base64.b64decode(data[1])
    return body
