"""What a replay server raises says what came and what to do."""

from __future__ import annotations

import pytest

from untorn import UntornError
from untorn.replay.errors import NotInTime, ReplayError, UnknownScenario


@pytest.mark.parametrize(
    "error", [ReplayError("no"), UnknownScenario("x", []), NotInTime(1.0, "nobody")]
)
def test_all_are_ours(error: Exception) -> None:
    assert isinstance(error, UntornError)
    assert isinstance(error, ReplayError)


def test_they_are_also_what_python_would_have_raised() -> None:
    assert issubclass(UnknownScenario, LookupError)
    assert issubclass(NotInTime, TimeoutError)


def test_a_slip_of_the_pen_is_recognised() -> None:
    error = UnknownScenario("rest-mid-text", ["text", "reset-mid-text"])
    assert error.close == ["reset-mid-text"]
    assert str(error).startswith(
        "no scenario is named 'rest-mid-text'; did you mean reset-mid-text?; choose one by url()"
    )


def test_a_name_like_no_other_has_only_the_advice() -> None:
    assert str(UnknownScenario("gpt-9", ["text"])).startswith(
        "no scenario is named 'gpt-9'; choose one by url()"
    )


def test_no_name_is_said_to_be_none() -> None:
    assert str(UnknownScenario("", ["text"])).startswith("no scenario was named; choose one")


def test_a_wait_in_vain_says_what_had_happened() -> None:
    assert str(NotInTime(0.5, "1 connection, 1 open")) == (
        "it did not happen within 0.5 s; the server's log says: 1 connection, 1 open"
    )
