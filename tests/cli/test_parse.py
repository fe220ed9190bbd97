"""``untorn parse``: real files, pipes, terminals and signals."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.processes import (
    ASCII,
    COMMAND,
    TIMEOUT,
    answer,
    await_bytes,
    await_output,
    capture,
    chunk,
    environment,
    event,
    on_terminal,
    run,
    start,
)
from untorn.capture import Capture, CaptureWriter, Close, Read, dumps, to_har

ERROR = event({"error": {"message": "overloaded", "type": "server_error", "code": None}})

BODIES = {
    "complete": (answer("Grüezi"), 0),
    "interrupted": (answer("Grüezi", finish_reason=None), 3),
    "failed": (chunk({"content": "Grüezi"}) + ERROR, 4),
    "truncated": (answer("Grüezi", finish_reason="length"), 5),
    "filtered": (answer("Grüezi", finish_reason="content_filter"), 6),
}


@pytest.fixture
def bodies(tmp_path: Path) -> dict[str, Path]:
    """One file for each outcome."""
    files = {outcome: tmp_path / f"{outcome}.sse" for outcome in BODIES}
    for outcome, file in files.items():
        file.write_bytes(BODIES[outcome][0])
    return files


@pytest.mark.parametrize("outcome", BODIES)
def test_text_goes_to_stdout_verdict_to_stderr_outcome_to_the_shell(outcome: str) -> None:
    body, code = BODIES[outcome]
    ran = run("parse", stdin=body)
    assert (ran.code, ran.out) == (code, "Grüezi")
    assert ran.err.startswith(f"{outcome}: ")


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_standard_input_is_read_without_a_file(arguments: tuple[str, ...]) -> None:
    assert run("parse", *arguments, stdin=answer("a")).out == "a"


def test_an_empty_body_is_interrupted() -> None:
    ran = run("parse")
    assert (ran.code, ran.out) == (3, "")
    assert "info" not in ran.err


def test_text_arrives_before_the_end_of_the_pipe() -> None:
    with start("parse") as process:
        assert process.stdin is not None
        process.stdin.write(chunk({"content": "early"}))
        process.stdin.flush()
        assert await_output(process, b"early") == b"early"
        assert process.poll() is None
        out, _ = process.communicate(answer(" late"), timeout=TIMEOUT)
        assert out == b" late"
        assert process.returncode == 0


def test_events_arrive_before_the_end_of_the_pipe() -> None:
    with start("parse", "--jsonl") as process:
        assert process.stdin is not None
        process.stdin.write(chunk({"content": "early"}))
        process.stdin.flush()
        lines = await_output(process, b'"early"}\n').splitlines()
        assert [json.loads(line)["type"] for line in lines][:1] == ["started"]
        assert process.poll() is None
        process.communicate(timeout=TIMEOUT)
        assert process.returncode == 3


def test_a_torn_call_is_not_offered_for_running() -> None:
    ran = run("parse", capture("cut"))
    assert ran.code == 3
    assert 'TORN, NOT TO BE RUN: delete_folder({"path":"/srv/shop/old\n' in ran.err


# --json and --jsonl


def test_a_report_is_the_whole_output() -> None:
    ran = run("parse", "--json", stdin=answer("a\x1b\u2028"))
    report = json.loads(ran.out)
    assert (ran.code, ran.err) == (0, "")
    assert report["outcome"] == "complete"
    assert report["choices"][0]["content"] == "a\x1b\u2028"
    assert report["head"] is None
    assert report["timing"]["reads"] >= 1


def test_the_report_of_a_file_has_no_times(bodies: dict[str, Path]) -> None:
    assert json.loads(run("parse", "--json", bodies["complete"]).out)["timing"] is None


def test_reports_of_several_files_are_lines_that_name_them(bodies: dict[str, Path]) -> None:
    ran = run("parse", "--json", *bodies.values())
    reports = [json.loads(line) for line in ran.out.splitlines()]
    assert [report["file"] for report in reports] == [str(file) for file in bodies.values()]
    assert [report["outcome"] for report in reports] == list(bodies)
    assert (ran.code, ran.err) == (4, "")


def test_events_of_several_files_are_lines_that_name_them(bodies: dict[str, Path]) -> None:
    files = [bodies["complete"], bodies["truncated"]]
    ran = run("parse", "--jsonl", *files)
    events = [json.loads(line) for line in ran.out.splitlines()]
    ends = [event for event in events if event["type"] == "stream_ended"]
    assert [end["file"] for end in ends] == [str(file) for file in files]
    assert [end["verdict"]["outcome"] for end in ends] == ["complete", "truncated"]
    assert (ran.code, ran.err) == (5, "")


def test_odd_values_never_stop_the_events() -> None:
    delta = {"content": "a\ud83d", "odd": "\ud83d"}
    usage = {"prompt_tokens": 10**30, "completion_tokens": 1, "rate": float("inf")}
    logprobs = {"content": [{"token": "a", "logprob": -1e999, "bytes": [255]}]}
    body = [
        event({"choices": [{"index": 0, "delta": delta, "logprobs": logprobs}]}),
        event({"choices": [{"index": 0, "delta": {"content": "b"}, "finish_reason": "stop"}]}),
        event({"choices": [], "usage": usage}),
    ]
    ran = run("parse", "--jsonl", stdin=b"".join(body))
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.err == ""
    assert {"logprobs_delta", "usage_reported"} <= {event["type"] for event in events}
    assert run("parse", "--json", stdin=b"".join(body)).err == ""


def test_json_and_jsonl_exclude_each_other() -> None:
    ran = run("parse", "--json", "--jsonl")
    assert (ran.code, ran.out) == (2, "")
    assert "--json and --jsonl exclude each other" in ran.err


# Several files


def test_each_text_stands_under_its_name(bodies: dict[str, Path]) -> None:
    files = [bodies["complete"], bodies["truncated"]]
    ran = run("parse", *files)
    assert ran.out == "".join(f"==> {file} <==\nGrüezi\n" for file in files)
    assert [line.split(": ")[:2] for line in ran.err.splitlines() if line[0] == "/"] == [
        [str(files[0]), "complete"],
        [str(files[1]), "truncated"],
    ]
    assert ran.err.endswith("\n2 files: 1 truncated, 1 complete\n")


def test_the_worst_file_gives_the_exit_code(bodies: dict[str, Path]) -> None:
    assert run("parse", *(bodies[o] for o in ("complete", "filtered", "truncated"))).code == 6


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_read(
    bodies: dict[str, Path], tmp_path: Path
) -> None:
    ran = run("parse", tmp_path / "no\x1b.sse", bodies["failed"], tmp_path)
    assert ran.code == 2
    assert "Grüezi" in ran.out
    assert f"untorn: cannot read {tmp_path}/no\\x1b.sse: No such file or directory\n" in ran.err
    assert f"untorn: cannot read {tmp_path}: Is a directory\n" in ran.err
    assert ran.err.endswith("3 files: 1 failed, 2 unreadable\n")


def test_all_choices_are_shown_on_request() -> None:
    assert run("parse", "--all-choices", capture("choices")).out == (
        "==> choice 0 <==\nFour paws in the snow.\n==> choice 1 <==\nA bell that nobody \n"
    )


# Dumps of curl -i


def test_a_dump_brings_status_and_headers(tmp_path: Path) -> None:
    dump = tmp_path / "dump.txt"
    dump.write_bytes(
        b"HTTP/1.1 100 Continue\r\n\r\n"
        b"HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nretry-after: 7\r\n"
        b'x-request-id: r1\r\n\r\n{"error": {"message": "slow down"}}'
    )
    ran = run("parse", dump)
    assert ran.code == 4
    assert "slow down" in ran.err
    assert "status 429, application/json, request id r1, retry after 7.0" in ran.err


def test_a_dump_is_also_read_from_a_pipe() -> None:
    head = b"HTTP/2 200 \r\ncontent-type: text/event-stream\r\n\r\n"
    report = json.loads(run("parse", "--json", stdin=head + answer("a")).out)
    assert report["outcome"] == "complete"
    assert report["defects"] == []
    assert report["head"]["content_type"] == "text/event-stream"


def test_a_content_type_that_does_not_fit_is_seen_in_a_dump_only() -> None:
    head = b"HTTP/2 200 \r\ncontent-type: text/html\r\n\r\n"
    assert "content-type-mismatch" in run("parse", stdin=head + answer("a")).err
    assert "content-type-mismatch" not in run("parse", stdin=answer("a")).err


# Captures

CAPTURE = Capture(
    status=200,
    headers=[("content-type", "text/event-stream"), ("x-request-id", "r1")],
    events=[Read(0.5, answer("Grüezi")), Close(0.25)],
    head_interval=0.25,
)
FORMATS = {
    "a.untorn": dumps(CAPTURE),
    "a.har": to_har(CAPTURE),
    "a.txt": b"HTTP/2 200 \r\nx-request-id: r1\r\n\r\n" + CAPTURE.body,
    "a.sse": CAPTURE.body,
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_read_from_a_file_and_from_a_pipe(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FORMATS[name])
    for ran in (run("parse", tmp_path / name), run("parse", stdin=FORMATS[name])):
        assert (ran.code, ran.out) == (0, "Grüezi")
        assert ("request id r1" in ran.err) == (name != "a.sse")
        assert ("total 0.75 s" in ran.err) == (name == "a.untorn")


def test_text_arrives_while_a_capture_is_being_written() -> None:
    writer = CaptureWriter()
    with start("parse") as process:
        assert process.stdin is not None
        process.stdin.write(writer.begin() + writer.read(chunk({"content": "half"})))
        process.stdin.flush()
        await_output(process, b"half")
        _, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 3
    assert b"the recording was interrupted" in err


def test_a_damaged_capture_prints_what_came_and_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "a.untorn"
    file.write_bytes(FORMATS["a.untorn"].replace(b'[0.25, "x"', b'[0.25, "r"'))
    for option in ((), ("--json",), ("--jsonl",)):
        ran = run("parse", *option, file)
        assert ran.code == 2
        assert "Grüezi" in ran.out
        assert f"untorn: cannot read {file}: line 4: expected the data of a read" in ran.err


def test_what_is_no_capture_prints_nothing_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "b.untorn").write_bytes(b"data: 1\n")
    (tmp_path / "a.untorn").write_bytes(FORMATS["a.untorn"])
    ran = run("parse", "--json", tmp_path / "b.untorn", tmp_path / "a.untorn")
    assert ran.code == 2
    assert [json.loads(line)["outcome"] for line in ran.out.splitlines()] == ["complete"]
    assert f"untorn: cannot read {tmp_path / 'b.untorn'}: line 1: expected a header" in ran.err


def test_of_an_archive_without_a_body_it_is_said() -> None:
    archive = json.loads(FORMATS["a.har"])
    del archive["log"]["entries"][0]["response"]["content"]["text"]
    ran = run("parse", stdin=json.dumps(archive).encode())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("untorn: cannot read -: entry 1 has no body")


# Terminals

HOSTILE = "\x1b]0;owned\x07\x9b2J\u202e\x7f"
SHOWN = r"\x1b]0;owned\x07\x9b2J\u202e\x7f"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Control characters in everything a stream can say, also torn between deltas."""
    call = {"index": 0, "id": "c", "function": {"name": HOSTILE, "arguments": HOSTILE}}
    file = tmp_path / "hostile.sse"
    file.write_bytes(
        b"".join(
            [
                chunk({"role": "assistant", "content": "", "reasoning_content": HOSTILE}),
                *(chunk({"content": char}) for char in HOSTILE),
                chunk({"refusal": HOSTILE, "tool_calls": [call]}),
                chunk({}, 0, HOSTILE),
                event({"error": {"message": HOSTILE, "type": HOSTILE, "code": HOSTILE}}),
                b"data: " + HOSTILE.encode(),
            ]
        )
    )
    return file


@pytest.mark.parametrize("arguments", [(), ("--json",), ("--jsonl",), ("--all-choices",)])
def test_control_characters_of_a_stream_never_reach_a_terminal(
    hostile: Path, arguments: tuple[str, ...]
) -> None:
    code, written = on_terminal("parse", *arguments, hostile, variables={"NO_COLOR": "1"})
    assert code == 4
    assert not set(HOSTILE) & set(written) - set("]0;owned2J")
    assert "owned" in written


def test_the_text_on_a_terminal_shows_what_was_escaped(hostile: Path) -> None:
    _, written = on_terminal("parse", hostile)
    assert SHOWN in written
    assert "\x1b]" not in written
    assert "\x1b[" in written  # our own colours


def test_on_a_terminal_the_verdict_follows_after_an_empty_line() -> None:
    code, written = on_terminal("parse", capture("text"))
    assert code == 0
    assert "breeze.\n\n\x1b[1;32mcomplete: \x1b[0mevery choice" in written


def test_a_report_is_laid_out_on_a_terminal() -> None:
    _, written = on_terminal("parse", "--json", capture("text"))
    assert written.startswith('{\n  "outcome": "complete",\n')


def test_many_files_show_progress_on_a_terminal_and_leave_the_data_alone(
    bodies: dict[str, Path], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with data.open("wb") as out:
        code, written = on_terminal("parse", *bodies.values(), out=out.fileno())
    assert code == 4
    assert "0/5" in written
    assert "Grüezi" not in written
    assert data.read_text("utf-8") == "".join(f"==> {f} <==\nGrüezi\n" for f in bodies.values())


@pytest.mark.parametrize(
    ("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_a_terminal_is_coloured_unless_asked_otherwise(
    bodies: dict[str, Path], tmp_path: Path, variables: dict[str, str], coloured: bool
) -> None:
    with (tmp_path / "data").open("wb") as out:
        _, written = on_terminal("parse", *bodies.values(), out=out.fileno(), variables=variables)
    assert ("\x1b" in written) is coloured


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_a_pipe_is_plain_unless_asked_otherwise(variables: dict[str, str], coloured: bool) -> None:
    ran = run("parse", capture("text"), variables=variables)
    assert "\x1b" not in ran.out
    assert ("\x1b" in ran.err) is coloured


def test_a_terminal_is_asked_for_a_stream() -> None:
    master, slave = pty.openpty()
    with start("parse", stdin=slave, stderr=slave) as process:
        os.close(slave)
        os.write(master, answer("typed").replace(b"\n", b"\r\n") + b"\x04")
        assert await_output(process, b"typed") == b"typed"
        assert process.wait(TIMEOUT) == 0
    assert b"end with Ctrl-D" in os.read(master, 65_536)
    os.close(master)


# Signals and broken streams


@pytest.fixture
def _ctrl_c_is_heeded() -> Iterator[None]:
    """A child of tests that run in the background would inherit that Ctrl-C is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_ctrl_c_is_heeded")
def test_ctrl_c_prints_what_there_is() -> None:
    with start("parse", "-", capture("text")) as process:
        assert process.stdin is not None
        process.stdin.write(chunk({"content": "half an answer"}))
        process.stdin.flush()
        await_output(process, b"half an answer")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130
    assert out == b"\n"  # no further file is read
    assert err.startswith(b"-: interrupted: cancelled by Ctrl-C")
    assert b"Traceback" not in err


@pytest.mark.usefixtures("_ctrl_c_is_heeded")
def test_ctrl_c_prints_the_report_of_what_there_is() -> None:
    with start("parse", "--json") as process:
        assert process.stdin is not None
        # More than a pipe holds: when it is written, the process is reading.
        process.stdin.write(chunk({"content": "a"}) + b": comment\n" * 20_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, err) == (130, b"")
    assert json.loads(out)["ending"] == "cancelled"
    assert json.loads(out)["choices"][0]["content"] == "a"


@pytest.mark.usefixtures("_ctrl_c_is_heeded")
def test_ctrl_c_again_ends_it_although_nobody_reads_what_it_prints(tmp_path: Path) -> None:
    file = tmp_path / "long.sse"
    file.write_bytes(answer(*["more than the pipe holds" * 100] * 20))
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    with start("parse", file, stdout=writing) as process:
        os.close(writing)
        await_bytes(reading, b"more")
        while process.poll() is None:  # signals that come at the same time are one
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        assert process.stderr is not None
        assert process.stderr.read() == b""
        # A third signal may come while Python exits; the shell tells both as 130.
        assert process.returncode in (130, -signal.SIGINT)
    os.close(reading)


@pytest.mark.parametrize("arguments", [(), ("--json",), ("--jsonl",), ("--help",)])
def test_a_reader_that_has_gone_away_is_no_matter(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with start("parse", *arguments, capture("text"), stdout=writing) as process:
        os.close(writing)
        _, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, err) == (141, b"")


def test_a_full_disk_is_said() -> None:
    with open("/dev/full", "wb") as full, start("parse", capture("text"), stdout=full) as process:
        _, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, err) == (2, b"untorn: cannot write: No space left on device\n")


@pytest.mark.parametrize(
    ("redirection", "code", "out", "err"),
    [
        ("2>&-", 0, True, False),
        ("2</dev/null", 2, True, False),  # stderr that cannot be written
        (">&-", 0, False, True),
        (">&- 2>&-", 0, False, False),
        ("<&-", 0, True, True),
    ],
)
def test_a_closed_stream_spoils_no_other(redirection: str, code: int, out: bool, err: bool) -> None:
    ran = subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *COMMAND, "parse", capture("text")],
        capture_output=True,
        env=environment({}),
        timeout=TIMEOUT,
        check=False,
    )
    assert ran.returncode == code
    assert ran.stdout.decode() == ("Zürich: 8 °C, clear.\n東京: 21 °C 🌤️, a light breeze." * out)
    assert ran.stderr.startswith(b"complete: ") is err
    assert b"Traceback" not in ran.stderr


def test_a_closed_standard_input_cannot_be_read() -> None:
    ran = subprocess.run(
        ["sh", "-c", '"$@" <&-', "sh", *COMMAND, "parse"],
        capture_output=True,
        env=environment({}),
        timeout=TIMEOUT,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr == b"untorn: cannot read -: it is closed\n"


def test_a_read_that_fails_is_a_cut() -> None:
    master, slave = pty.openpty()
    os.write(slave, chunk({"content": "half"}))
    os.close(slave)  # the master then gives what was written, and an I/O error
    with start("parse", stdin=master) as process:
        os.close(master)
        out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out) == (3, b"half")
    assert b"reading failed: Input/output error" in err


def test_a_stream_over_a_limit_is_not_read_to_its_end() -> None:
    with open("/dev/zero", "rb") as endless, start("parse", stdin=endless) as process:
        _, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 3
    assert b"a limit of the reader" in err


def test_text_is_utf_8_whatever_the_locale_says() -> None:
    ran = run("parse", capture("text"), variables=ASCII)
    assert ran.code == 0
    assert ran.out == "Zürich: 8 °C, clear.\n東京: 21 °C 🌤️, a light breeze."


def test_the_verdict_begins_on_a_line_of_its_own_where_both_go_to_one_place() -> None:
    with start("parse", capture("text"), stderr=subprocess.STDOUT) as process:
        out, _ = process.communicate(timeout=TIMEOUT)
    assert b"breeze.\ncomplete: " in out


def test_off_a_terminal_rich_is_not_loaded() -> None:
    script = (
        "import sys; from untorn.cli.main import main; main(); "
        "assert 'untorn.cli.parse' in sys.modules; assert 'rich' not in sys.modules"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, "parse", capture("text")],
        capture_output=True,
        env=environment({}),
        timeout=TIMEOUT,
        check=False,
    )
    assert (ran.returncode, ran.stderr.count(b"\n")) == (0, 4)
