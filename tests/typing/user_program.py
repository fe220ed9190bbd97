"""What a user would write, in full: every event, every attribute. Type-checked, and run.

Each annotation here is a promise about a type. ``test_typing.py`` also takes one case away and
asks that the type checker notices.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, assert_never, assert_type

import untorn
from untorn import (
    AsyncClient,
    AsyncReader,
    Attempt,
    Audio,
    ChatStream,
    Choice,
    Client,
    Clocks,
    Completion,
    Defect,
    Ending,
    ErrorObject,
    Head,
    IncompleteAnswer,
    Limits,
    Message,
    Options,
    Outcome,
    Reader,
    Severity,
    StreamEvent,
    StreamParser,
    Target,
    Timing,
    ToolCall,
    TornToolCall,
    Usage,
    Verdict,
    aread,
    parse,
    read,
    sse,
)


def show(event: StreamEvent) -> str:
    match event:
        case untorn.Started(id=id, model=model):
            assert_type(id, str | None)
            return f"started {model}"
        case untorn.TextDelta(choice=choice, text=text):
            assert_type(choice, int)
            return text
        case untorn.ReasoningDelta(text=text):
            return text
        case untorn.RefusalDelta(text=text):
            return text
        case untorn.ToolCallStarted(call=call, index=index, id=id, name=name):
            assert_type(call, int)
            assert_type(index, int | None)
            return name or id or "no name"
        case untorn.ToolCallDelta(arguments=arguments):
            return arguments
        case untorn.ToolCallFinished(tool_call=tool_call):
            assert_type(tool_call, ToolCall)
            return run(tool_call)
        case untorn.AudioDelta(data=data, transcript=transcript):
            return transcript or data
        case untorn.LogprobsDelta(logprobs=logprobs):
            assert_type(logprobs, dict[str, Any])
            return str(logprobs)
        case untorn.ChoiceFinished(finish_reason=reason):
            return reason or "no reason"
        case untorn.UsageReported(usage=usage):
            assert_type(usage, Usage)
            return str(usage)
        case untorn.ErrorReported(error=error):
            assert_type(error, ErrorObject)
            return error.message
        case untorn.Restarted(attempt=attempt, reason=reason):
            return f"{attempt}: {reason}"
        case untorn.Heartbeat():
            return "heartbeat"
        case untorn.DefectFound(defect=defect):
            assert_type(defect, Defect)
            return defect.code
        case untorn.Revised(choice=choice, field=field, value=value, call=call):
            assert_type(value, str | list[ToolCall | TornToolCall])
            return f"{field} of {choice} and {call} is now {value}"
        case untorn.StreamEnded(verdict=verdict):
            assert_type(verdict, Verdict)
            return verdict.outcome
        case _:
            assert_never(event)


def kind(event: StreamEvent) -> str:
    if event.type == "text_delta":
        assert_type(event, untorn.TextDelta)
    return event.type


def run(call: ToolCall | TornToolCall) -> str:
    if isinstance(call, TornToolCall):
        assert_type(call.state, Literal["invalid", "torn"])
        return f"not run: {call}"
    assert_type(call.state, Literal["whole"])
    assert_type(call.type, Literal["function", "custom"])
    arguments: Any = call.parsed()
    return f"{call.index} {call.id} {call.name} {call.arguments} {arguments}"


def describe(completion: Completion) -> list[object]:
    names: list[str | None] = [completion.id, completion.model, completion.content]
    names += [completion.system_fingerprint, completion.service_tier]
    names += [completion.reasoning, completion.finish_reason]
    created: int | None = completion.created
    calls: list[ToolCall | TornToolCall] = completion.tool_calls
    extra: dict[str, Any] = completion.extra
    plain: list[dict[str, Any]] = [completion.to_dict(), completion.to_openai()]
    choices = [describe_choice(choice) for choice in completion.choices]
    about = [judge(completion.verdict), head(completion.head), clock(completion.timing)]
    counts = count(completion.usage)
    return [names, created, list(map(run, calls)), extra, plain, choices, about, counts]


def describe_choice(choice: Choice) -> list[object]:
    index: int = choice.index
    finish_reason: str | None = choice.finish_reason
    logprobs: dict[str, Any] | None = choice.logprobs
    raw: list[bytes] = choice.raw_logprobs
    extra: dict[str, Any] = choice.extra
    return [index, finish_reason, logprobs, raw, extra, describe_message(choice.message)]


def describe_message(message: Message) -> list[object]:
    texts: list[str | None] = [message.role, message.content, message.reasoning, message.refusal]
    details: list[dict[str, Any]] = message.reasoning_details
    calls: list[str] = [run(call) for call in message.tool_calls]
    annotations: list[Any] = message.annotations
    extra: dict[str, Any] = message.extra
    return [texts, details, calls, annotations, extra, listen(message.audio)]


def listen(audio: Audio | None) -> str | None:
    if audio is None or audio.expires_at is None:
        return None
    return audio.transcript or audio.id or audio.data


def count(usage: Usage | None) -> list[int | None]:
    if usage is None:
        return []
    details: dict[str, Any] = usage.details
    counts = [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens]
    return [*counts, len(details), len(usage.to_dict())]


def judge(verdict: Verdict) -> list[object]:
    outcome: Outcome = verdict.outcome
    ending: Ending | None = verdict.ending
    reason: str | None = verdict.reason
    tail: sse.Tail | None = verdict.tail
    reported: bool = verdict.usage_reported
    errors = [complain(verdict.error)] if verdict.error else []
    defects = [weigh(defect) for defect in verdict.defects]
    where = [tail.offset, tail.data, tail.lines] if tail else []
    return [advice(outcome), ending, reason, reported, errors, defects, where]


def advice(outcome: Outcome) -> str:
    match outcome:
        case "complete":
            return "use it"
        case "truncated" | "filtered":
            return "use it with care"
        case "interrupted" | "failed":
            return "ask again"
        case _:
            assert_never(outcome)


def weigh(defect: Defect) -> tuple[str, Severity, int | None, int, str]:
    return defect.code, defect.severity, defect.offset, defect.count, defect.detail


def complain(error: ErrorObject) -> list[object]:
    raw: Any = error.raw
    return [error.message, error.code, error.type, error.param, error.status, raw]


def head(head: Head | None) -> list[object]:
    if head is None:
        return []
    failed: bool = head.failed
    texts: list[str | None] = [head.content_type, head.media_type, head.request_id]
    return [head.status, failed, texts, head.retry_after]


def clock(timing: Timing | None) -> list[float | int | None]:
    if timing is None:
        return []
    gaps: list[float | None] = [timing.gap_median, timing.gap_p95, timing.gap_max]
    counts: list[int] = [timing.reads, timing.events, timing.heartbeats]
    return [timing.first_byte, timing.first_content, *gaps, timing.total, *counts]


OPTIONS = Options(
    limits=Limits(
        values=512 * 1024,
        line=1 << 20,
        event=1 << 20,
        lines=1000,
        body=1 << 24,
        text=1 << 20,
        choices=8,
        tool_calls=8,
        name=256,
        extras=64,
        depth=64,
        expansion=50,
    ),
    accept_done_without_finish_reason=False,
    normal_finish_reasons=frozenset({"fin"}),
    choices=1,
)


def stream(reads: Iterable[bytes], status: int, headers: dict[str, str]) -> Completion:
    stream = ChatStream(OPTIONS)
    stream.receive_head(status, headers)
    at = 0.0
    try:
        for data in reads:
            for event in stream.receive_data(data, at=at):
                print(kind(event), show(event))
    except OSError as exc:
        events: list[StreamEvent] = stream.receive_failure("cut", str(exc), at=at)
    else:
        events = stream.receive_eof(at=at)
    print(*map(show, events))
    return stream.completion


def from_payloads(payloads: Iterable[str | bytes | dict[str, Any]]) -> Completion:
    stream = ChatStream()
    for payload in payloads:
        events: list[StreamEvent] = stream.receive_payload(payload, at=None)
        print(*events)
    stream.receive_eof()
    return stream.completion


def plain_events(body: bytes) -> list[tuple[str, str, str]]:
    stream = sse.EventStream(last_event_id="7")
    events: list[sse.Event] = stream.receive_data(body)
    tail: sse.Tail | None = stream.receive_eof()
    retry: int | None = stream.retry
    print(tail, retry, stream.last_event_id)
    return [(event.type, event.data, event.last_event_id) for event in events]


CLOCKS = Clocks(connect=5, first_byte=30, idle=30, content_idle=60, total=None, after_end=0.1)


def from_response(response: object, path: str) -> Completion:
    stream: Reader = read(
        response, raise_on={"failed"}, options=OPTIONS, clocks=CLOCKS, record=path
    )
    with stream:
        texts: list[str] = list(stream.text)
        events: list[StreamEvent] = list(stream)
    print(texts, events, stream.recording_failure)
    return stream.result()


async def from_async_response(response: object) -> Completion:
    stream: AsyncReader = aread(response, status=200, headers={"content-type": "text/event-stream"})
    async with stream:
        async for text in stream.text:
            print(text)
        async for event in stream:
            print(show(event))
    return await stream.result()


def tell(attempt: Attempt) -> list[str | None]:
    asked: list[str | None] = [attempt.target, attempt.model, attempt.outcome, attempt.ending]
    print(attempt.status, attempt.said, attempt.usage, attempt.waited)
    return [*asked, attempt.why, attempt.request_id]


def ask() -> list[Attempt]:
    target = Target(base_url="https://other/v1", api_key=None, model=None, headers={})
    with (
        Client("https://host/v1", "key", targets=[target]) as client,
        client.chat(model="m", messages=[{"role": "user", "content": "Hi"}]) as asked,
    ):
        print(list(asked.text))
        return asked.completion.attempts


async def ask_later() -> Completion:
    async with AsyncClient("https://host/v1", backend="aiohttp") as client:
        return await client.chat(model="m", messages=[]).result()


def from_lines(lines: Iterable[str | bytes]) -> Completion:
    parser = StreamParser(on_text=print, on_tool_call=print, options=OPTIONS)
    for line in lines:
        parser.feed_line(line)
    completion: Completion = parser.close()
    parser.reset()
    parser.feed(b"")
    return completion


def main() -> None:
    chunk = b'{"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}'
    body: bytes = sse.encode(chunk.decode(), event=None, id=None, retry=None, comment="hello")
    whole = parse(body + b"data: [DONE]\n\n", status=200, content_type=None, options=OPTIONS)
    torn = stream([body[:30]], 200, {"content-type": "text/event-stream"})
    print(describe(whole), describe(torn), plain_events(body))
    print(from_payloads([chunk, chunk.decode(), {"choices": []}, "[DONE]"]))
    try:
        torn.raise_for_verdict(raise_on=("interrupted", "failed"))
    except IncompleteAnswer as exc:
        print(exc.completion.content, exc)


if __name__ == "__main__":
    main()
