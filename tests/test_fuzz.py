"""The fuzzer: its inputs keep every promise, and its oracles say so when one is broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any, NoReturn

import pytest
from msgspec.structs import replace

from fuzz import oracles, repaired, structure, ways
from fuzz.examination import CHECKS, Finding, examine
from fuzz.findings import keep, minimised
from fuzz.inputs import Input, at_places, by_event, by_size, make_input, random_reads
from fuzz.json_mutations import MUTATIONS
from fuzz.json_tree import Literal, Object, dump, parse
from fuzz.mutations import BODY_MUTATIONS, EVENT_MUTATIONS, events_of, lines_of
from fuzz.oracles import (
    can_be_replayed,
    ends_once,
    frames_by_the_letter,
    holds_the_same,
    invents_nothing,
    is_beginning,
    is_readable,
    is_same,
    keeps_law_one,
    reads_by_the_letter,
    says_what_was_sent,
)
from fuzz.seeds import seeds
from fuzz.structure import Bound, batches, rng_of, run_batch
from fuzz.ways import (
    Framed,
    Played,
    framed,
    plain_way,
    play,
    play_payloads,
    play_plainly,
    read_events,
)
from fuzz.wire_input import HEADS, bytes_of, dictionary, input_of
from tests.chat_helpers import DONE, call, chunk, event, finish
from untorn import (
    Limits,
    Revised,
    StreamEnded,
    StreamEvent,
    TextDelta,
    ToolCall,
    ToolCallFinished,
)
from untorn.chat.payload_reader import PayloadReader
from untorn.sse import EventStream

BODY = b"".join(
    [
        b": hello\n\n",
        chunk({"role": "assistant", "content": "It is "}),
        chunk({"content": "high tide"}, logprobs={"content": []}),
        chunk({"reasoning": "moon", "refusal": "no", "audio": {"data": "eA=="}}),
        chunk(call(id="call_1", name="look_up", arguments='{"city":')),
        chunk(call(arguments='"Oslo"}')),
        finish("tool_calls"),
        event({"choices": [], "usage": {"prompt_tokens": 31, "completion_tokens": 17}}),
        DONE,
    ]
)
GIVEN = Input(BODY)
TAIL = play(Input(b"data: x")).completion.verdict.tail


@pytest.fixture(scope="module")
def played() -> Played:
    return play(GIVEN)


# The search ----------------------------------------------------------------------------------


def small_input(number: int) -> tuple[Input, Random]:
    rng = rng_of(7, number)
    return make_input(rng, real=False), rng


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_three_hundred_inputs_keep_every_promise(start: int) -> None:
    for number in range(start, start + 50):
        assert examine(*small_input(number), everything=True) is None, number


def test_number_stands_for_one_input() -> None:
    assert [small_input(number)[0] for number in range(50)] == [
        small_input(number)[0] for number in range(50)
    ]
    assert len({small_input(number)[0].body for number in range(50)}) > 45


def test_inputs_come_to_every_outcome_and_find_most_of_what_can_be_odd() -> None:
    completions = [play(small_input(number)[0]).completion for number in range(600)]
    outcomes = {completion.verdict.outcome for completion in completions}
    codes = {defect.code for completion in completions for defect in completion.verdict.defects}
    assert outcomes == {"complete", "truncated", "filtered", "interrupted", "failed"}
    assert len(codes) > 70


def test_batches_have_every_number_once() -> None:
    sizes = [(batch.start, batch.size) for batch in batches(5, Bound(inputs=600))]
    assert sizes == [(0, 250), (250, 250), (500, 100)]


def test_batch_counts_what_it_finds_and_keeps_few_of_a_kind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(structure, "make_input", lambda rng: GIVEN)
    monkeypatch.setattr(structure, "examine", lambda given, rng: Finding("end", "x: y", given))
    batch = run_batch(structure.Batch(seed=0, start=10, size=9))
    assert batch.found == 9
    assert [number for number, _ in batch.findings] == [10, 11, 12]


def test_command_runs_so_many_inputs_and_says_what_it_found() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", "--only", "structure", "--inputs", "40", "--seed", "7"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("structure: 40 inputs in ")
    assert done.stdout.endswith("seed 7; 0 findings of 0 kinds\n")


# What is found -------------------------------------------------------------------------------


def refuse(*_: Any) -> NoReturn:
    raise ZeroDivisionError("no")


def test_exception_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EventStream, "receive_eof", refuse)
    found = examine(GIVEN, Random(0), only="reference")
    assert found == Finding("reference", "ZeroDivisionError in test_fuzz.refuse: no", GIVEN)
    assert found.kind == "reference: ZeroDivisionError in test_fuzz.refuse"


def test_finding_is_made_small_and_kept_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def dislikes_tide(played: Played) -> str | None:
        return "tide: no" if "tide" in (played.completion.content or "") else None

    monkeypatch.setattr(oracles, "ends_once", dislikes_tide)
    given = Input(BODY, 503, None, ending="cut")
    found = examine(given, Random(0))
    assert found == Finding("end", "tide: no", given)
    small = minimised(found)
    assert small.given == Input(b'{"choices":[{"delta":{"content":"tide"}}]}')
    path = keep(small, "input 5 of seed 7", tmp_path)
    assert path.read_bytes() == small.given.body
    said = path.with_suffix(".txt").read_text("utf-8")
    assert "tide: no" in said
    assert "input 5 of seed 7" in said


# The oracles ---------------------------------------------------------------------------------


def test_every_oracle_is_content_with_a_whole_answer() -> None:
    assert examine(GIVEN, Random(0), everything=True) is None
    assert play(GIVEN).completion.verdict.outcome == "complete"


def with_completion(played: Played, **changed: Any) -> Played:
    return played._replace(completion=replace(played.completion, **changed))


def with_verdict(played: Played, **changed: Any) -> Played:
    return with_completion(played, verdict=replace(played.completion.verdict, **changed))


def with_choice(played: Played, **changed: Any) -> Played:
    return with_completion(played, choices=[replace(played.completion.choices[0], **changed)])


def with_message(played: Played, **changed: Any) -> Played:
    message = played.completion.choices[0].message
    return with_choice(played, message=replace(message, **changed))


def without(played: Played, number: int) -> Played:
    return played._replace(events=played.events[:number] + played.events[number + 1 :])


def place_of(played: Played, kind: type[StreamEvent]) -> int:
    return next(at for at, event in enumerate(played.events) if isinstance(event, kind))


def test_missing_early_second_or_different_end_is_found(played: Played) -> None:
    last = played.events[-1]
    assert ends_once(played) is None
    assert ends_once(without(played, len(played.events) - 1))
    assert ends_once(played._replace(events=[last, *played.events]))
    assert ends_once(played._replace(events=[last, *played.events[:-1]]))
    assert ends_once(with_verdict(played, ending="eof"))


def test_any_difference_of_two_ways_is_found_and_named(played: Played) -> None:
    assert is_same(played, play(GIVEN, by_size(BODY, 1))) is None
    found = is_same(played, with_message(played, content="It was"))
    assert found is not None
    assert found.startswith("Completion.choices Choice.message Message.content: ")
    place = place_of(played, TextDelta)
    events = [*played.events[:place], TextDelta(0, "It was"), *played.events[place + 1 :]]
    found = is_same(played, played._replace(events=events))
    assert found is not None
    assert found.startswith("TextDelta.text: ")
    for number in range(len(played.events)):
        assert is_same(played, without(played, number))
        assert is_same(without(played, number), played)


def test_event_stream_that_differs_from_the_reference_is_found() -> None:
    reading = read_events([BODY], Limits())
    other = read_events([BODY + b"data: x\n\n"], Limits())
    assert reads_by_the_letter(reading, reading) is None
    assert reads_by_the_letter(reading, other)
    assert reads_by_the_letter(reading, read_events([BODY + b"data: x"], Limits()))


def test_payload_that_is_no_event_of_the_standard_is_found(played: Played) -> None:
    reading, framing = read_events([BODY], Limits()), framed(BODY)
    fewer = Framed(framing.payloads[:-1], [])
    assert frames_by_the_letter(framing, reading, played.completion) is None
    assert frames_by_the_letter(fewer, reading, played.completion)
    assert (
        frames_by_the_letter(fewer._replace(codes=["stray-line"]), reading, played.completion)
        is None
    )


def test_integer_of_any_length_is_json_in_an_event_of_several_lines(played: Played) -> None:
    body = b'data: {"n":\ndata: ' + b"9" * 5000 + b"}\n\n"
    reading, framing = read_events([body], Limits()), framed(body)
    assert frames_by_the_letter(framing, reading, played.completion) is None


def test_answer_that_differs_by_another_door_is_found(played: Played) -> None:
    by_payloads = play_payloads(GIVEN, framed(BODY).payloads).completion
    assert holds_the_same(played.completion, by_payloads) is None
    for other in (
        with_message(played, content="It was"),
        with_completion(played, usage=None),
        with_verdict(played, outcome="interrupted"),
    ):
        assert holds_the_same(other.completion, by_payloads)


def test_answer_that_was_not_sent_is_found(played: Played) -> None:
    payloads = [one[1] for one in read_events([BODY], Limits()).events]
    calls = played.completion.choices[0].message.tool_calls
    assert says_what_was_sent(payloads, played.completion) is None
    for other in (
        with_message(played, content="It is high"),
        with_message(played, refusal=None),
        with_message(played, tool_calls=[replace(calls[0], arguments="{}")]),
        with_choice(played, finish_reason="stop"),
        with_choice(played, index=1),
        with_completion(played, choices=[]),
    ):
        assert says_what_was_sent(payloads, other.completion)
    assert says_what_was_sent(payloads[:3], played.completion)
    odd = play(Input(b"data: {]\n\n")).completion
    assert says_what_was_sent(payloads, odd) is None
    assert says_what_was_sent(['{"choices":7}'], played.completion) is None


def test_event_that_is_missing_or_told_twice_is_found(played: Played) -> None:
    assert can_be_replayed(played) is None
    silent = {"heartbeat", "stream_ended"}
    for number, one in enumerate(played.events):
        if one.type not in silent:
            assert can_be_replayed(without(played, number)), one
        if one.type not in silent | {"tool_call_finished", "tool_call_started", "usage_reported"}:
            twice = [*played.events[:number], one, *played.events[number:]]
            assert can_be_replayed(played._replace(events=twice)), one


def test_calls_that_the_events_tell_otherwise_are_found(played: Played) -> None:
    place = place_of(played, ToolCallFinished)
    event = played.events[place]
    assert isinstance(event, ToolCallFinished)
    other = replace(event, tool_call=replace(event.tool_call, arguments="{}"))
    assert can_be_replayed(
        played._replace(events=[*played.events[:place], other, *played.events[place + 1 :]])
    )
    assert can_be_replayed(
        played._replace(events=[*played.events, Revised(0, "tool_calls", [other.tool_call])])
    )
    assert can_be_replayed(with_message(played, tool_calls=[]))


def test_false_whole_is_found(played: Played) -> None:
    torn = play(Input(BODY[:300]))
    bad = play(Input(b"data: {]\n\n" + BODY))
    assert keeps_law_one(GIVEN, played) is None
    for outcome in ("complete", "truncated", "filtered"):
        assert keeps_law_one(GIVEN, with_verdict(torn, outcome=outcome))
        assert keeps_law_one(GIVEN, with_verdict(bad, outcome=outcome))
    assert keeps_law_one(GIVEN, with_completion(played, choices=[]))
    assert keeps_law_one(GIVEN, with_choice(played, finish_reason=None))
    assert keeps_law_one(GIVEN, with_verdict(played, tail=TAIL))


@pytest.mark.parametrize("arguments", ['{"city":', "NaN", '{"a":"\t"}', " "])
def test_whole_call_whose_arguments_are_not_is_found(played: Played, arguments: str) -> None:
    broken = ToolCall(0, "call_1", "function", "look_up", arguments)
    assert keeps_law_one(GIVEN, with_message(played, tool_calls=[broken]))
    finished = ToolCallFinished(0, 0, 0, broken)
    assert keeps_law_one(GIVEN, played._replace(events=[*played.events, finished]))
    assert (
        keeps_law_one(GIVEN, with_message(played, tool_calls=[replace(broken, type="custom")]))
        is None
    )


def test_invention_is_found(played: Played) -> None:
    choice = played.completion.choices[0]
    given = Input(BODY.replace(b"\\", b""))
    assert invents_nothing(given, played) is None
    assert invents_nothing(given, with_choice(played, finish_reason="stop"))
    assert invents_nothing(given, with_completion(played, id="cmpl"))
    assert invents_nothing(given, with_completion(played, model="gpt"))
    assert invents_nothing(given, with_message(played, role="user"))
    for changed in ({"id": "call_2"}, {"name": "send"}):
        calls = [replace(one, **changed) for one in choice.message.tool_calls]
        assert invents_nothing(given, with_message(played, tool_calls=calls))
    assert played.completion.usage is not None
    usage = replace(played.completion.usage, completion_tokens=99)
    assert invents_nothing(given, with_completion(played, usage=usage))


def test_text_that_a_terminal_obeys_is_found(played: Played) -> None:
    defect = play(Input(b"stray\n")).completion.verdict.defects[0]
    odd = with_verdict(played, defects=[replace(defect, detail="\x1b[2J")])
    assert is_readable(played) is None
    assert is_readable(odd)
    assert is_readable(with_completion(odd, verdict=odd.completion.verdict))


def test_report_that_is_no_json_is_found(played: Played) -> None:
    for extra in ({"x": float("inf")}, {"x": "\ud83d"}):
        with pytest.raises(ValueError, match=r"JSON compliant|surrogates not allowed"):
            is_readable(with_completion(played, extra=extra))


def test_torn_beginning_that_tells_something_else_is_found(played: Played) -> None:
    torn = play(Input(BODY[:300]))
    assert is_beginning(300, torn, played) is None
    place = place_of(torn, TextDelta)
    other = [*torn.events[:place], TextDelta(0, "It was"), *torn.events[place + 1 :]]
    assert is_beginning(300, torn._replace(events=other), played)
    end = [*torn.events[:-1], TextDelta(0, "!"), torn.events[-1]]
    assert is_beginning(300, torn._replace(events=end), played)
    assert is_beginning(300, torn._replace(events=end), with_verdict(played, tail=TAIL)) is None
    assert is_beginning(len(BODY), play(Input(BODY + chunk({"content": "!"}))), played)


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_can_find_something(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {
        "end": "ends_once",
        "replay": "can_be_replayed",
        "law one": "keeps_law_one",
        "invention": "invents_nothing",
        "cuts": "is_same",
        "byte by byte": "is_same",
        "plain way": "is_same",
        "readable": "is_readable",
        "tears": "is_beginning",
        "while open": "keeps_law_one",
        "framing": "frames_by_the_letter",
        "reference": "reads_by_the_letter",
        "repaired": "is_same",
    }[name]
    monkeypatch.setattr(
        repaired if name == "repaired" else oracles, asked, lambda *_: "broken: yes"
    )
    assert examine(GIVEN, Random(0), only=name) == Finding(name, "broken: yes", GIVEN)


# Ways ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_plain", [True, False])
def test_plain_way_is_plain_and_ends_with_its_block(
    is_plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the two ways that are compared would be the same."""
    read: list[object] = []
    receive = PayloadReader.receive

    def noting(reader: PayloadReader, item: Any, wide: Any) -> None:
        read.append(item)
        receive(reader, item, wide)

    monkeypatch.setattr(PayloadReader, "receive", noting)
    given = Input(chunk({"role": "assistant", "content": "a"}) + chunk({"content": "b"}) * 9)
    with plain_way():
        pass
    (play_plainly if is_plain else play)(given)
    assert len(read) == (10 if is_plain else 2)


def test_all_cuttings_give_the_body_back() -> None:
    rng = Random(1)
    for body in (b"", b"a", BODY):
        cuttings = [random_reads(body, rng) for _ in range(50)]
        cuttings += [by_event(body), by_size(body, 3), at_places(body, [5, 5, 0])]
        assert all(b"".join(reads) == body for reads in cuttings)
    assert len(by_event(BODY)) == BODY.count(b"\n\n") + 1


def test_head_options_and_ending_are_those_of_the_input() -> None:
    stream = Input(BODY, None).open()
    assert stream.completion.head is None
    cut = play(Input(BODY[:300], 404, "text/html", ending="cut")).completion
    assert cut.verdict.ending == "cut"
    assert cut.head is not None
    assert (cut.head.status, cut.head.content_type) == (404, "text/html")
    assert isinstance(play(GIVEN).events[-1], StreamEnded)


# Mutations -----------------------------------------------------------------------------------


def test_events_and_lines_of_a_body_are_all_of_it() -> None:
    for body in (BODY, BODY.replace(b"\n", b"\r\n"), b"\n\r\r\na\r\rb", b"a"):
        assert b"".join(events_of(body)) == body
        assert b"".join(lines_of(body)) == body
    assert len(events_of(BODY)) == BODY.count(b"\n\n")


def test_json_tree_says_again_what_it_was_told() -> None:
    text = '{"a":1,"a":[true,null,NaN,"\\u0000é"],"b":{"c":1.5}}'
    assert dump(parse(text)) == text
    assert dump(Object([("a", Literal(r'"\ud83d"'))])) == r'{"a":"\ud83d"}'


@pytest.mark.parametrize("mutation", EVENT_MUTATIONS, ids=lambda one: one.__name__)
def test_mutation_of_events_changes_some_body(mutation: Any) -> None:
    events = events_of(BODY)
    changed = [mutation(events, Random(seed)) for seed in range(30)]
    assert any(b"".join(one) != BODY for one in changed)
    assert b"".join(events) == BODY  # seeds are shared


@pytest.mark.parametrize("mutation", BODY_MUTATIONS, ids=lambda one: one.__name__)
def test_mutation_of_bytes_changes_some_body(mutation: Any) -> None:
    assert any(mutation(BODY, Random(seed)) != BODY for seed in range(30))
    assert isinstance(mutation(b"a", Random(0)), bytes)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: one.__name__)
def test_mutation_of_json_changes_some_tree(mutation: Any) -> None:
    text = '{"id":"c1","choices":[{"index":0,"delta":{"content":"a"}}]}'
    assert any(dump(mutation(parse(text), Random(seed))) != text for seed in range(30))
    for small in ("{}", "[]"):
        assert isinstance(dump(mutation(parse(small), Random(0))), str)


# Bytes ---------------------------------------------------------------------------------------


def test_any_bytes_are_an_input() -> None:
    for number in range(256):
        assert input_of(bytes([number, 255 - number]) + b"data: x").body == b"data: x"
    assert input_of(b"") == Input(b"")
    assert input_of(bytes_of(BODY, 404, "application/json")) == Input(BODY, 404, "application/json")
    assert len({input_of(bytes([number])).status for number in range(len(HEADS))}) == 4


def test_dictionary_is_in_libfuzzers_form() -> None:
    lines = dictionary().splitlines()
    assert '"\\x5b\\x44\\x4f\\x4e\\x45\\x5d"' in lines
    assert all(line[0] == line[-1] == '"' and line.isascii() for line in lines)


def test_seeds_are_the_corpus_and_the_packages_captures() -> None:
    names = {seed.name for seed in seeds(real=False)}
    assert {"chunk-cumulative-content", "text", "tools"} <= names
    assert names <= {seed.name for seed in seeds(real=True)}
    assert ways.play(Input(b"".join(seeds(real=False)[0].events))).events
