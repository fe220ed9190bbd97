"""Arguments of tool calls."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import ARGUMENTS
from untorn.capture.redaction.arguments import ArgumentNames, Arguments
from untorn.capture.redaction.json_tree import tree_of
from untorn.capture.redaction.places import Literal, Payload
from untorn.chat.arguments import Seams, repair_arguments
from untorn.chat.json_scan import is_json
from untorn.chat.json_text import normal_form
from untorn.options import Limits

DEPTH = 20
LIMITS = Limits(depth=DEPTH)


def redacted(*fragments: str, names: ArgumentNames | None = None) -> list[str]:
    arguments = Arguments(names or ArgumentNames())
    outs: list[bytearray] = []
    for fragment in fragments:
        raw = json.dumps(fragment)[1:-1].encode()
        outs.append(bytearray(raw))
        arguments.add([Literal(raw, outs[-1], 0)])
    arguments.finish(LIMITS)
    return [json.loads(b'"%s"' % bytes(out)) for out in outs]


@pytest.mark.parametrize(
    ("fragments", "shapes"),
    [
        (['{"city": "Zürich", "n": 42}'], ['{"xxxx": "Xøxxxx", "x": 11}']),
        (
            ['{"ci', 'ty": "O', 'slo", "ok": tr', "ue}"],
            ['{"xx', 'xx": "X', 'xxx", "xx": tr', "ue}"],
        ),
        (['{"a":1,"b":2,"a":1}'], ['{"x":1,"y":2,"x":1}']),
        (["{}", '{"a":', "1}"], ["{}", '{"x":', "1}"]),
        (['{"a":', "7}", '{"a":7}'], ['{"x":', "1}", '{"x":1}']),
        (
            ['{"q":"re', '{"q":"red","n"', '{"q":"red","n":1}'],
            ['{"x":"xx', '{"x":"xxx","y"', '{"x":"xxx","y":1}'],
        ),
        (['"{\\"a\\": \\"b\\"}"'], ['"{\\"x\\": \\"y\\"}"']),
        (['"12"'], ['"11"']),
        (['{"a": "\\u0041\\n\\ud83e\\udd98"}'], ['{"x": "\\u0058\\n\\ud83d\\udd39"}']),
        (["[null, NaN, -Infinity, tru"], ["[null, NaN, -Infinity, xxx"]),
        (["nullnull"], ["nullnull"]),
        (["look(Anna, 'b', 'a')"], ["xxxx(Xxxx, 'x', 'y')"]),
        (['{"a": "torn'], ['{"x": "xxxx']),
        (['{"a": "torn\\'], ['{"x": "xxxx\\']),
        (['{"a": "torn\\"'], ['{"x": "xxxx\\"']),
        (["🦘 字"], ["🔹 字"]),
        (["", ""], ["", ""]),
        ([], []),
    ],
)
def test_what_is_json_stays_json_and_what_is_equal_stays_equal(
    fragments: list[str], shapes: list[str]
) -> None:
    assert redacted(*fragments) == shapes


def test_half_a_pair_says_nothing() -> None:
    assert redacted('{"a": "\ud83e', '\udd98"}') == ['{"x": "\ud83d', '\udd39"}']


def test_calls_are_told_apart_by_their_arguments() -> None:
    names = ArgumentNames()
    texts = ['{"a":"Oslo"}', '{"a":"Rome"}', '{"a": "Oslo"}', '{"a":17}', '{"a":18}', '{"a":1.5}']
    shapes = [redacted(text, names=names)[0] for text in texts]
    forms = [normal_form(shape, LIMITS) for shape in shapes]
    assert forms[0] == forms[2]
    assert len(set(forms)) == 5


def test_where_there_are_not_enough_numbers_some_share_one() -> None:
    names = ArgumentNames()
    assert {names.number("0"), names.number("0.0")} == {"0", "0.0"}
    assert [names.number(str(number)) for number in range(1, 10)] == list("123456789")
    several = [names.number(str(number)) for number in range(1000, 3000)]
    assert (len(set(several)), several[-1]) == (1000, "1111")


def test_arguments_that_came_as_an_object_are_replaced_in_place() -> None:
    data = b'{"city": "Oslo", "n": [42, true, null, {"city": "Rome"}]}'
    out = bytearray(data)
    ArgumentNames().redact(tree_of(data), Payload(data, out, 0))
    assert out == b'{"xxxx": "Xxxx", "x": [11, true, null, {"xxxx": "Xxxy"}]}'


@given(st.lists(st.sampled_from([*ARGUMENTS, '"a"', "true", '{"a":1}', ',"b":2}']), max_size=5))
def test_the_core_repairs_the_same(fragments: list[str]) -> None:
    shapes = redacted(*fragments)
    assert list(map(len, shapes)) == list(map(len, fragments))
    said, shaped = list(filter(None, fragments)), list(filter(None, shapes))
    if said:
        arguments, repair = repair_arguments("".join(said), Seams(said), LIMITS)
        again, repair_again = repair_arguments("".join(shaped), Seams(shaped), LIMITS)
        assert (repair_again, len(again)) == (repair, len(arguments))
        assert is_json(again, DEPTH) == is_json(arguments, DEPTH)
