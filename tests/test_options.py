"""What a caller may choose, and what holds where nothing is chosen."""

from __future__ import annotations

import msgspec
import pytest

from untorn.options import KIB, MIB, Clocks, Limits, Options


def test_limits_are_the_documented_ones() -> None:
    assert msgspec.structs.asdict(Limits()) == {
        "line": 8_388_608,
        "event": 8_388_608,
        "lines": 65_536,
        "values": 524_288,
        "body": 268_435_456,
        "text": 67_108_864,
        "choices": 128,
        "tool_calls": 256,
        "name": 1024,
        "extras": 65_536,
        "depth": 256,
        "expansion": 100,
    }
    assert (KIB, MIB) == (1024, 1_048_576)


def test_clocks_are_the_documented_ones() -> None:
    assert msgspec.structs.asdict(Clocks()) == {
        "connect": 10.0,
        "first_byte": 120.0,
        "idle": 120.0,
        "content_idle": 300.0,
        "total": None,
        "after_end": 0.5,
    }


def test_without_a_choice_nothing_is_accepted_that_is_not_said() -> None:
    options = Options()
    assert options.limits == Limits()
    assert options.accept_done_without_finish_reason is False
    assert options.normal_finish_reasons == frozenset()
    assert options.choices is None


@pytest.mark.parametrize("chosen", [Options(), Limits(), Clocks()])
def test_choices_are_frozen_and_have_a_value_of_their_own(
    chosen: Options | Limits | Clocks,
) -> None:
    name = chosen.__struct_fields__[0]
    with pytest.raises(AttributeError, match="immutable"):
        setattr(chosen, name, 1)
    assert hash(chosen) == hash(type(chosen)())
    assert chosen == type(chosen)()


@pytest.mark.parametrize("kind", [Options, Limits, Clocks])
def test_choices_are_named(kind: type) -> None:
    with pytest.raises(TypeError, match="positional"):
        kind(1)
