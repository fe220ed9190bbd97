"""What is said of a capture that cannot be read."""

from __future__ import annotations

import pytest

from untorn import UntornError
from untorn.capture import CaptureError


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (CaptureError("no header"), "no header"),
        (CaptureError("no header", line=1), "line 1: no header"),
        (CaptureError("no header", name="a.untorn"), "a.untorn: no header"),
        (
            CaptureError("no header", line=1, name="a\x1b.untorn"),
            r"a\x1b.untorn: line 1: no header",
        ),
    ],
)
def test_it_names_file_line_and_problem(error: CaptureError, said: str) -> None:
    assert isinstance(error, UntornError)
    assert str(error) == said
    assert error.where == said.removeprefix(r"a\x1b.untorn: ").removeprefix("a.untorn: ")
