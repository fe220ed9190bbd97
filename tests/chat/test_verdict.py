"""What the end means: outcome, how the stream ended, and the sentences about it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.finish_reasons import Meaning
from untorn.chat.verdict import (
    Defect,
    DefectLog,
    Ending,
    ErrorObject,
    Facts,
    Outcome,
    Verdict,
    code_of_end,
    outcome_of,
)
from untorn.sse.event_stream import Tail

LOST = Defect("bad-json", "error", 12, 1, "an event is lost, it is cut")
CUT = Defect("unexpected-eof", "error", None, 1, "the body ended with no [DONE]")
ODD = Defect("not-json", "warning", 7, 3, "text came as data and was ignored")
INFO = Defect("role-missing", "info", None, 1, "choice 0 got no role")


def facts(
    *meanings: Meaning,
    reported_failure: bool = False,
    lost: bool = False,
    done: bool = True,
    choices: int = 1,
    unfinished: int = 0,
) -> Facts:
    """All is well, but for what is named."""
    return Facts(reported_failure, lost, done, choices, unfinished, frozenset(meanings))


def verdict(outcome: Outcome, **more: Any) -> Verdict:
    """A verdict on a stream that ended with [DONE], but for what is named."""
    said: dict[str, Any] = {
        "ending": "done",
        "reason": None,
        "error": None,
        "defects": [],
        "tail": None,
        "usage_reported": False,
    }
    return Verdict(outcome, **(said | more))


# Outcome -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "outcome"),
    [
        (facts(Meaning.NORMAL), "complete"),
        (facts(Meaning.CALLS), "complete"),
        (facts(), "complete"),  # ended by its audio, or by the caller's wish
        (facts(Meaning.NORMAL, Meaning.LIMIT, choices=2), "truncated"),
        (facts(Meaning.FILTER, Meaning.LIMIT, choices=2), "filtered"),
        (facts(Meaning.NORMAL, Meaning.UNKNOWN, choices=2), "interrupted"),
        (facts(Meaning.GAVE_UP, Meaning.FILTER, choices=2), "interrupted"),
        (facts(Meaning.NORMAL, unfinished=1, choices=2), "interrupted"),
        (facts(Meaning.NORMAL, lost=True), "interrupted"),
        (facts(choices=0), "interrupted"),
        (facts(Meaning.NORMAL, Meaning.ERROR, choices=2), "failed"),
        (facts(Meaning.NORMAL, reported_failure=True), "failed"),
        (facts(reported_failure=True, choices=0, lost=True), "failed"),
    ],
)
def test_outcome_is_the_first_that_applies(seen: Facts, outcome: Outcome) -> None:
    assert outcome_of(seen) == outcome


def test_end_mark_alone_changes_no_outcome() -> None:
    for meanings in itertools.combinations(Meaning, 2):
        assert outcome_of(facts(*meanings, done=True)) == outcome_of(facts(*meanings, done=False))


@given(
    st.builds(
        Facts,
        reported_failure=st.booleans(),
        lost=st.booleans(),
        done=st.booleans(),
        choices=st.integers(0, 3),
        unfinished=st.integers(0, 3),
        meanings=st.frozensets(st.sampled_from(Meaning)),
    )
)
def test_nothing_is_complete_that_lost_something_or_lacks_an_end(seen: Facts) -> None:
    bad = seen.meanings - {Meaning.NORMAL, Meaning.CALLS}
    if seen.reported_failure or seen.lost or seen.unfinished or not seen.choices or bad:
        assert outcome_of(seen) != "complete"
    else:
        assert outcome_of(seen) == "complete"


# How the stream ended (rule 5) ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "ending", "code"),
    [
        (facts(), "done", None),
        (facts(done=False), "eof", "missing-done"),
        (facts(done=False), "cut", None),
        (facts(done=False), "torn", None),
        (facts(done=False, lost=True), "eof", None),
        (facts(done=False, unfinished=1), "eof", "unexpected-eof"),
        (facts(done=False, unfinished=1), "cut", "unexpected-eof"),
        (facts(done=False, unfinished=1, lost=True), "torn", "unexpected-eof"),
        (facts(unfinished=1), "done", "missing-finish-reason"),
        (facts(choices=0), "done", "empty-stream"),
        (facts(choices=0, done=False), "eof", "empty-stream"),
    ],
)
def test_at_most_one_code_tells_how_the_stream_ended(
    seen: Facts, ending: Ending, code: str | None
) -> None:
    assert code_of_end(seen, False, ending) == code


@pytest.mark.parametrize(
    "seen", [facts(done=False), facts(done=False, unfinished=1), facts(choices=0)]
)
def test_no_end_mark_is_missed_in_a_document_or_after_a_failure(seen: Facts) -> None:
    assert code_of_end(seen, True, "document") is None
    assert code_of_end(seen._replace(reported_failure=True), False, "eof") is None
    failed = seen._replace(meanings=frozenset({Meaning.ERROR}))
    assert code_of_end(failed, False, "eof") is None


# Sentences -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (verdict("complete"), "complete: every choice finished normally"),
        (verdict("truncated"), "truncated: a token limit stopped the answer"),
        (verdict("filtered"), "filtered: a content filter stopped the answer"),
        (verdict("failed"), "failed: the server reported an error by its finish reason"),
        (verdict("interrupted", ending=None), "interrupted: the stream is still open"),
        (verdict("interrupted"), "interrupted: nobody knows that every choice ended normally"),
        (
            verdict("complete", defects=[INFO, ODD]),
            "complete: every choice finished normally, with 1 warning",
        ),
        (
            verdict("complete", defects=[ODD, ODD]),
            "complete: every choice finished normally, with 2 warnings",
        ),
        (
            verdict("interrupted", defects=[LOST, INFO, CUT]),
            "interrupted: an event is lost, it is cut; the body ended with no [DONE]",
        ),
        (
            verdict("interrupted", ending="cut", reason="connection reset", defects=[CUT]),
            "interrupted: connection reset; the body ended with no [DONE]",
        ),
        (
            verdict("interrupted", ending="limit", reason="more than\x1b 2 choices"),
            r"interrupted: more than\x1b 2 choices",
        ),
        (
            verdict("complete", ending="cut", reason="connection reset"),
            "complete: every choice finished normally",
        ),
        (
            verdict("failed", error=ErrorObject("slow down", status=429), defects=[LOST]),
            'failed: the server reported "slow down" (429)',
        ),
    ],
)
def test_verdict_is_one_sentence(said: Verdict, sentence: str) -> None:
    assert str(said) == sentence


def test_reason_is_a_line_of_200_characters_at_most() -> None:
    for size in (200, 201):
        said = str(verdict("interrupted", ending="cut", reason="x" * size))
        assert said == "interrupted: " + ("x" * 200 if size == 200 else "x" * 199 + "…")


def test_sentence_of_an_unknown_finish_reason_is_true_of_every_choice() -> None:
    # Of two choices one may well have ended normally.
    assert "no choice" not in str(verdict("interrupted"))


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ErrorObject(""), "no message"),
        (ErrorObject("slow down"), '"slow down"'),
        (ErrorObject("a\nb", status=429), r'"a\nb" (429)'),
        (ErrorObject("x", code="c", type="t", status=500), '"x" (500, t, c)'),
        (ErrorObject("x", code="429", status=429), '"x" (429)'),
        (ErrorObject("x", code="same", type="same"), '"x" (same)'),
        (ErrorObject("", code="c", param="p"), "no message (c)"),
        (ErrorObject("", code="", type=""), "no message"),
        (ErrorObject("y" * 201), f'"{"y" * 199}…"'),
    ],
)
def test_error_object_on_one_line(error: ErrorObject, line: str) -> None:
    assert str(error) == line


@given(st.text(), st.text(), st.text())
def test_nothing_of_an_error_reaches_the_line_raw(message: str, code: str, type: str) -> None:
    assert str(ErrorObject(message, code, type)).isprintable()


@pytest.mark.parametrize(
    ("defect", "line"),
    [
        (INFO, "info role-missing: choice 0 got no role"),
        (LOST, "error bad-json at byte 12: an event is lost, it is cut"),
        (ODD, "warning not-json at byte 7 (3 times): text came as data and was ignored"),
    ],
)
def test_defect_on_one_line(defect: Defect, line: str) -> None:
    assert str(defect) == line


# The report ----------------------------------------------------------------------------------


def test_verdict_in_the_report() -> None:
    said = verdict(
        "failed",
        ending="torn",
        reason="r",
        error=ErrorObject("m", "c", "t", "p", 500, {"raw": 1}),
        defects=[ODD],
        tail=Tail(40, b"data: \xff", [b"data: \xff"]),
    )
    assert said.to_dict() == {
        "outcome": "failed",
        "ending": "torn",
        "reason": "r",
        "error": {"message": "m", "code": "c", "type": "t", "param": "p", "status": 500},
        "defects": [
            {
                "code": "not-json",
                "severity": "warning",
                "offset": 7,
                "count": 3,
                "detail": "text came as data and was ignored",
            }
        ],
        "tail": {"offset": 40, "length": 7, "text": "data: \ufffd"},
    }


def test_what_is_absent_is_none_in_the_report() -> None:
    assert verdict("complete").to_dict() == {
        "outcome": "complete",
        "ending": "done",
        "reason": None,
        "error": None,
        "defects": [],
        "tail": None,
    }


# Defects as they are found -------------------------------------------------------------------


def test_there_is_one_record_per_code_with_its_first_place() -> None:
    log = DefectLog()
    assert log.add("not-json", 7, "text came") == Defect("not-json", "warning", 7, 1, "text came")
    log.add("role-missing", None, "no role")
    log.count("not-json", 2)
    log.count("role-missing", 0)
    assert log.defects() == [
        Defect("not-json", "warning", 7, 3, "text came"),
        Defect("role-missing", "info", None, 1, "no role"),
    ]
    assert "not-json" in log
    assert "bad-json" not in log


def test_something_is_lost_once_an_error_was_among_the_defects() -> None:
    log = DefectLog()
    log.add("not-json", 7, "text came")
    assert not log.lost
    log.add("bad-json", 12, "an event is lost")
    log.add("role-missing", None, "no role")
    assert log.lost


def test_event_that_was_lost_is_told_from_other_errors() -> None:
    log = DefectLog()
    log.add("html-body", 0, "an HTML page came")
    assert not log.event_lost
    log.add("bad-json", 12, "an event is lost")
    log.add("role-missing", None, "no role")
    assert log.event_lost


def test_code_outside_the_vocabulary_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        DefectLog().add("no-such-code", None, "")
