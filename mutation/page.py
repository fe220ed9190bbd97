"""What came out, as a page."""

from __future__ import annotations

from collections.abc import Mapping

from bench.environments import ROOT
from bench.markdown import table
from bench.report import where
from mutation.environment import Mutant
from mutation.score import HEAD, Fate, rows, verdict

PAGE = ROOT / "docs" / "mutants.md"

TEXT = """\
# Do the tests notice?

`make mutants ARGS=--report` writes this page. `make mutants` prints the table and each mutant that
survived; `make mutants ARGS="framing --own"` asks only the tests of `chat/framing.py` itself.

{where}.

A mutant is the core with one small change in it: `<` is `<=`, an argument is missing, a string is
another. If no test fails then, nobody would notice the mistake.
[mutmut](https://mutmut.readthedocs.io) makes the mutants, of all functions in `sse/`, `chat/` and
`stream.py`, properties too. It leaves alone docstrings, annotations, decorators, and what stands
outside of functions: tables of names, regular expressions, defaults of structs. Another letter case
of a codec's name is no mutant either.

Each mutant meets the tests of its own module first (`tests/coverage_alone.py`), and only those that
reach its function; what they leave alive meets mypy, then the tests of the whole core, as many as
take {seconds:.0f} seconds. Hypothesis makes few examples, the same each time.

- **own tests**, **core's tests**: one of them failed.
- **timeout**: a test that had ended does not end any more, in three times its time and 5 seconds.
- **mypy**: no test failed, but `make check` would. That says nothing about the tests.
- **explained**: it makes no difference that anybody could see, or only one of speed or of some
  bytes of memory: `mutation/explained.toml` says why. The command tells an explanation that
  nothing needs.
- **survived**: somebody should write the test that notices, or delete the code.
- **score**: of those that are not explained, how many did not survive.

{verdict}

{rows}
"""


def write(fates: Mapping[Mutant, Fate], seconds: float) -> None:
    """Write the page anew."""
    text = TEXT.format(
        where=where(), seconds=seconds, verdict=verdict(fates), rows=table(HEAD, rows(fates))
    )
    PAGE.write_text(text, encoding="utf-8")
    print(f"\nwritten: {PAGE.relative_to(ROOT)}")
