"""What the benchmark feeds, compares and writes; nothing here measures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from xml.etree import ElementTree

import pytest

from bench import clients, entrants, gateways, loopback, report, workloads
from bench.compare import sort_out
from bench.floors import FLOORS, OTHER_FLOORS
from bench.limits import Row
from bench.peers import PEERS
from bench.picture import Mark, draw
from bench.report import Measured
from bench.targets import TARGETS, Case, Target, judge, too_slow
from bench.workloads import EVENT_SIZE, READS, Said, Workload
from untorn import Client

SMALL = 40

each_workload = pytest.mark.parametrize("make", workloads.ALL, ids=lambda make: make.__name__)
each_reads = pytest.mark.parametrize("reads", READS)


def case(workload: str, reads: str, **seconds: float) -> Case:
    """Everybody took the same time in all three rounds, for 1,000 chunks."""
    names = {name.replace("_", " "): [time] * 3 for name, time in seconds.items()}
    return Case(workload, reads, 1000, names, {})


@each_workload
@each_reads
def test_everyone_of_ours_says_what_the_workload_says(
    make: Callable[[int], Workload], reads: str
) -> None:
    workload = make(SMALL)
    cut = READS[reads](workload.events)
    floors = [FLOORS[workload.name], *OTHER_FLOORS.get(workload.name, {}).values()]
    who = [entrants.chat_stream, entrants.timed_chat_stream, entrants.parse, entrants.hand_loop]
    for entrant in [*floors, *who]:
        assert entrant(cut) == workload.said


@each_workload
def test_a_workload_is_the_same_at_every_run(make: Callable[[int], Workload]) -> None:
    assert make(SMALL) == make(SMALL)


@each_workload
@each_reads
def test_reads_are_the_whole_body(make: Callable[[int], Workload], reads: str) -> None:
    events = make(SMALL).events
    assert b"".join(READS[reads](events)) == b"".join(events)


def test_text_has_events_of_one_size_with_the_keys_that_openai_sends() -> None:
    events = workloads.text(SMALL).events[1:-2]
    assert {len(event) for event in events} == {EVENT_SIZE}
    chunk = json.loads(events[0][6:])
    assert set(chunk) == set(
        "id object created model service_tier system_fingerprint choices obfuscation".split()
    )
    assert set(chunk["choices"][0]) == {"index", "delta", "logprobs", "finish_reason"}


def test_vendor_is_text_with_four_more_keys() -> None:
    def keys(workload: Workload) -> list[set[str]]:
        chunk = json.loads(workload.events[1][6:])
        return [set(chunk), set(chunk["choices"][0]), set(chunk["choices"][0]["delta"])]

    pairs = zip(keys(workloads.vendor(SMALL)), keys(workloads.text(SMALL)), strict=True)
    assert sum(len(vendors - usual) for vendors, usual in pairs) == 4


def test_logprobs_has_about_3_kb_a_chunk() -> None:
    events = workloads.logprobs(SMALL).events[1:-2]
    assert 2_500 < sum(map(len, events)) / len(events) < 3_500


# Targets -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at_least", "seconds", "expected"),
    [
        (False, 1.5, "met"),
        (False, 1.51, "missed"),
        (True, 1.5, "met"),
        (True, 1.49, "missed"),
    ],
)
def test_a_target_is_met_up_to_its_bound(at_least: bool, seconds: float, expected: str) -> None:
    target = Target("ChatStream", "floor", "text", "4 KiB", 1.5, at_least)
    cases = [case("text", "4 KiB", floor=1.0, ChatStream=seconds)]
    assert [judged.word for judged in judge(cases, [target])] == [expected]


def test_a_target_about_what_nobody_measured_is_not_called_met() -> None:
    assert {judged.word for judged in judge([])} == {"not measured"}
    beside_nobody = [case("text", "one event", floor=1.0, ChatStream=1.0)]
    words = {judged.word for judged in judge(beside_nobody) if judged.target.at_least}
    assert words == {"not measured"}


def test_a_target_is_judged_by_the_first_case_that_has_both() -> None:
    first = case("text", "one event", floor=1.0, ChatStream=2.0)
    later = case("text", "one event", floor=1.0, ChatStream=1.0, openai_raw=50.0)
    words = {judged.target.entrant: judged.word for judged in judge([first, later], TARGETS[:1])}
    assert words == {"ChatStream": "missed"}
    assert "met" in {judged.word for judged in judge([first, later]) if judged.target.at_least}


def test_every_target_is_about_an_entrant_a_workload_and_reads_that_exist() -> None:
    names = {"floor", "ChatStream", "loop by hand, json", *PEERS}
    for target in TARGETS:
        floors = set(OTHER_FLOORS.get(target.workload, ()))
        assert {target.entrant, target.to} <= names | floors
        assert target.workload in FLOORS
        assert target.reads in READS


def test_only_what_is_far_off_makes_the_benchmark_fail() -> None:
    assert too_slow(judge([case("text", "one event", floor=1.0, ChatStream=1.9)])) == []
    (fault,) = too_slow(judge([case("text", "one event", floor=1.0, ChatStream=2.1)]))
    assert "ChatStream on text, reads of one event: 2.10 times the floor" in fault


def test_a_peer_that_says_something_else_or_fails_is_left_out_and_named() -> None:
    def broken(reads: Sequence[bytes]) -> Callable[[], Said]:
        raise ModuleNotFoundError("No module named 'peer'")

    workload = workloads.text(SMALL)
    able, unable = sort_out(
        workload,
        workload.events,
        {
            "right": lambda reads: lambda: workload.said,
            "wrong": lambda reads: lambda: Said(["else"]),
            "absent": broken,
        },
    )
    assert list(able) == ["right"]
    assert unable == {
        "wrong": "does not say what text says",
        "absent": "ModuleNotFoundError: No module named 'peer'",
    }


# Streams of gateways -----------------------------------------------------------------------------

ADDED = dict(gateways.streams())


@pytest.mark.parametrize("name", ADDED)
def test_what_gateways_add_changes_nothing_of_what_is_said(name: str) -> None:
    plain = {"text": workloads.text(), "arguments": workloads.tools(calls=1)}
    workload = plain.get(name.split(",")[0], workloads.reasoning())
    read = entrants.read_to_end(ADDED[name])
    assert (read.content or "", read.reasoning or "") == (
        workload.said.texts[0],
        workload.said.reasoning,
    )
    assert [call.arguments for call in read.tool_calls] == workload.said.arguments
    assert read.verdict.outcome == "complete"


# The page and the picture ------------------------------------------------------------------------


def measured() -> Measured:
    """Everybody takes a millisecond but openai's raw stream, which takes 0.2 s."""
    names = ["floor", "ChatStream", "parse", "ChatStream, timed", "loop by hand, json"]
    quick = {name: [0.001] * 3 for name in [*names, *OTHER_FLOORS["logprobs"]]}
    every = [(workload, reads) for workload in FLOORS for reads in READS]
    ours = [Case(*case, 1000, quick, {}) for case in every]
    slow = {**quick, "openai raw": [0.2] * 3}
    beside = [Case(*case, 1000, slow, {"absent": "it is not here"}) for case in every]
    limits = [Row("making one", "9 us", "2.5 us", False), Row("a word", "1 us", "")]
    limits += [Row(f"  case-{number}", "9", "8 times", False) for number in range(9)]
    return Measured(ours, beside, [], judge([*ours, *beside]), limits, rounds=3)


def test_the_page_has_every_target_every_case_and_whoever_is_missing() -> None:
    page = report.page(measured())
    target = "| openai raw | ChatStream | text, one event | at least 40 |"
    assert f"{target} 200 (200 to 200) | met |" in page
    for found in measured().ours:
        assert f"| {found.workload}, {found.reads} | 1.00 | 1.00 | 1.00 |" in page
    assert "- absent on text: it is not here" in page
    assert "| making one | 9 us | 2.5 us | **missed** |\n| a word | 1 us |  |  |" in page
    assert re.findall("case-.", page) == ["case-0", "case-1", "case-2", "case-3", "case-4"]
    assert page.count("**not measured**") == sum(
        target.entrant not in ("ChatStream", "openai raw") for target in TARGETS
    )


def test_the_picture_has_a_bar_for_everybody_as_long_as_the_power_of_ten() -> None:
    marks = [Mark("ten & more", 10.0, 10.0, False), Mark("ours", 1.0, 1.0, True)]
    marks.append(Mark("hundred", 100.0, 100.0, False))
    root = ElementTree.fromstring(draw("a title", 1.0, marks))
    space = "{http://www.w3.org/2000/svg}"
    widths = [float(bar.attrib["width"]) for bar in root.iter(f"{space}rect")]
    assert widths == [0, widths[2] / 2, widths[2]]
    texts = [text.text for text in root.iter(f"{space}text")]
    assert {"a title", "ours", "ten & more", "hundred"} <= set(texts)


def test_the_loopback_server_sends_the_workload() -> None:
    with loopback.running() as origin, Client(f"{origin}/{SMALL}/0") as client:
        for _ in range(2):
            answer = client.chat(model="m", messages=[]).result()
            assert answer.content == workloads.text(SMALL).said.texts[0]


def test_the_table_of_clients_names_what_misses_its_target() -> None:
    samples = {
        clients.OPENAI: [6e-5] * 3,
        "AsyncClient, aiohttp": [1e-5] * 3,
        "AsyncClient, httpx2": [5e-5] * 3,
    }
    table = clients.times_table(dict.fromkeys(clients.WAYS, samples))
    assert "| AsyncClient, aiohttp | 10.0 | 6.00 (6.00 to 6.00) |" in table
    assert "| AsyncClient, httpx2 | 50.0 | 1.20 (1.20 to 1.20), missed |" in table
    assert "| openai, async | 60.0 |  |" in table


def test_the_section_about_clients_is_found_in_its_page() -> None:
    page = clients.PAGE.read_text(encoding="utf-8")
    assert len(clients.SECTION.findall(page)) == 1
    assert clients.SECTION.sub("", "## What it costs\n\nold\n## Next\n") == "## Next\n"
