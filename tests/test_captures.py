"""Streams that real servers sent are read as a separate plain script read them.

They are kept outside of the repository: in the folder that UNTORN_CAPTURES names, or in
``../shared/captures``. Their README says what ``expect`` means.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from tests.chat_helpers import NO_CAPTURES, Case, by_event, captures, report
from tests.helpers import cuttings
from untorn import Choice, Completion

if not captures():
    pytest.skip(NO_CAPTURES, allow_module_level=True)

each_chat = pytest.mark.parametrize(
    "case", [case for case in captures() if case.dialect == "chat"], ids=str
)


def said(text: str | None, key: str, expect: dict[str, Any]) -> bool:
    """Whether a text is the one that the index gives, in full or by its hash."""
    if f"{key}_sha256" in expect:
        assert text is not None
        digest = sha256(text.encode()).hexdigest()
        return (digest, len(text)) == (expect[f"{key}_sha256"], expect[f"{key}_characters"])
    # Content that never came is null. Of the others the index says nothing then, nor does it if
    # all that came was "".
    return text == expect[key] if key in expect else key != "content" and not text


def check_choice(choice: Choice, expect: dict[str, Any]) -> None:
    message = choice.message
    assert said(message.content, "content", expect)
    assert said(message.reasoning, "reasoning", expect)
    assert said(message.refusal, "refusal", expect)
    calls = [
        {"id": call.id, "name": call.name, "arguments": call.arguments}
        for call in message.tool_calls
    ]
    assert calls == expect["tool_calls"]


def read(case: Case) -> Completion:
    return case.play([case.body])[1]


@each_chat
def test_answer_is_as_the_index_says(case: Case) -> None:
    completion, expect = read(case), case.expect
    assert completion.verdict.outcome == expect["outcome"]
    by_index = {"0": expect, **expect.get("more_choices", {})}
    assert [str(choice.index) for choice in completion.choices] == list(expect["finish_reasons"])
    for choice in completion.choices:
        check_choice(choice, by_index[str(choice.index)])
    reasons = {str(choice.index): choice.finish_reason for choice in completion.choices}
    assert reasons == expect["finish_reasons"]
    assert report(completion)["usage"] == expect["usage"]


@each_chat
def test_error_is_as_the_index_says(case: Case) -> None:
    error, expect = read(case).verdict.error, case.expect["error"]
    if expect is None:
        assert error is None
        return
    assert error is not None
    assert said(error.message, "message", expect)
    assert (error.code, error.type) == (expect["code"], expect["type"])


@pytest.mark.parametrize("case", captures(), ids=str)
def test_reads_of_every_size_give_the_same_events_and_completion(case: Case) -> None:
    whole = case.play([case.body])
    for reads in (*cuttings(case.body), by_event(case.body)):
        assert case.play(reads) == whole, f"{len(reads)} reads"


@pytest.mark.parametrize("case", captures(), ids=str)
def test_nothing_is_lost_but_where_the_index_says_that_it_was(case: Case) -> None:
    """No capture is damaged, so what looks like damage would be a misreading."""
    codes = {defect.code for defect in read(case).verdict.defects}
    assert not codes & {"bad-json", "truncated-event", "stray-line", "not-json", "html-body"}


def test_completions_api_is_read_since_its_text_has_one_meaning() -> None:
    case = next(case for case in captures() if case.dialect == "openai-completions")
    completion, expect = read(case), case.expect
    assert completion.content == expect["content"]
    assert (completion.finish_reason, completion.verdict.outcome) == (expect["stop"], "truncated")
    assert report(completion)["usage"] == expect["usage"]


@pytest.mark.parametrize(
    "case",
    [case for case in captures() if case.dialect not in ("chat", "openai-completions")],
    ids=str,
)
def test_other_dialects_are_never_taken_for_an_answer_that_is_whole(case: Case) -> None:
    completion = read(case)
    assert (completion.verdict.outcome, completion.finish_reason) == ("interrupted", None)
    assert completion.verdict.error is None
