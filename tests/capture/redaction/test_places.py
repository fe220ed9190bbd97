"""Where a JSON text stands in the body."""

from __future__ import annotations

from untorn.capture.redaction.json_tree import Number, Text
from untorn.capture.redaction.places import Payload, text_of, write_all

BODY = rb'data: ["Anna", "\u00e9", 42]'


def test_what_is_replaced_goes_where_it_came_from() -> None:
    out = bytearray(BODY)
    payload = Payload(BODY[6:], out, 6)
    anna, accent = payload.literal(Text(2, 6)), payload.literal(Text(10, 16))
    assert text_of([anna, accent]) == "Annaé"
    write_all([anna, accent], "Xxxxø")
    assert payload.number(Number(19, 21)) == "42"
    payload.write(19, b"11")
    assert out == rb'data: ["Xxxx", "\u00f8", 11]'
    assert (anna.text, payload.data) == ("Anna", BODY[6:])
