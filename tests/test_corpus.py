"""Every case of the corpus gives exactly what it expects, however it is cut into reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.chat_helpers import CORPUS, Case, by_event, corpus, report
from tests.helpers import cuttings, two_way_cuts
from untorn.chat.defects import CODES

LARGE = 16 * 1024

each_case = pytest.mark.parametrize("case", corpus(), ids=str)


def some_two_way_cuts(body: bytes) -> Iterator[list[bytes]]:
    """At every place; but in a large body, whose bulk is one long string, around each line end and
    at every 997th byte: each cut costs a reading of the whole."""
    if len(body) <= LARGE:
        yield from two_way_cuts(body)
        return
    places = set(range(0, len(body), 997))
    for end in re.finditer(rb"\r\n|\r|\n", body):
        places.update(range(end.start() - 3, end.end() + 4))
    for place in sorted(places & set(range(len(body) + 1))):
        yield [body[:place], body[place:]]


@each_case
def test_case_gives_exactly_what_it_expects(case: Case) -> None:
    _, completion = case.play([case.body])
    assert report(completion) == case.expect


@each_case
def test_reads_of_every_size_give_the_same_events_and_completion(case: Case) -> None:
    whole = case.play([case.body])
    for reads in (*cuttings(case.body), by_event(case.body)):
        assert case.play(reads) == whole, f"{len(reads)} reads"


@each_case
def test_every_two_way_cut_gives_the_same_events_and_completion(case: Case) -> None:
    whole = case.play([case.body])
    for reads in some_two_way_cuts(case.body):
        assert case.play(reads) == whole, f"cut after byte {len(reads[0])}"


def test_corpus_is_there() -> None:
    assert len(corpus()) > 100
    assert all(set(case.expect) == set(corpus()[0].expect) for case in corpus())


def test_vocabulary_of_the_rules_is_that_of_the_code() -> None:
    rules = (CORPUS / "README.md").read_text(encoding="utf-8")
    table = rules.partition("<!-- codes: begin -->")[2].partition("<!-- codes: end -->")[0]
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (\w+) \| (.+) \|$", table, re.MULTILINE)
    assert {code: (severity, meaning) for code, severity, meaning in rows} == CODES
    assert [code for code, _, _ in rows] == sorted(CODES)


def test_every_code_is_in_a_case_but_the_one_that_needs_a_request() -> None:
    seen = {code for case in corpus() for code in case.expect["defects"]}
    assert set(CODES) - seen == {"choice-missing"}


@pytest.mark.parametrize(
    "code", [code for code, (severity, _) in CODES.items() if severity == "error"]
)
def test_code_of_severity_error_excludes_a_whole_answer(code: str) -> None:
    whole = {"complete", "truncated", "filtered"}
    seen = [case for case in corpus() if code in case.expect["defects"]]
    assert seen or code == "choice-missing"
    for case in seen:
        _, completion = case.play([case.body])
        assert completion.verdict.outcome not in whole, case.name
