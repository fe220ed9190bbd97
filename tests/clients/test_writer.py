"""How a chunk is written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import Raw
from openai.types.chat import ChatCompletionChunk

from tests.clients.repairs import ABOUT, chunk, payload
from untorn.chat.completion import ToolCall
from untorn.chat.verdict import ErrorObject
from untorn.clients.canonical import (
    chunk_of,
)
from untorn.clients.writer import Writer

CALL = ToolCall(0, "call_1", "function", "look_up", '{"a": 1}', extra={"extra_content": {"s": 1}})


def read(written: bytes | None) -> list[Any]:
    """The chunks that were written. Each is what OpenAI's types say."""
    assert written is not None
    chunks = [json.loads(one.removeprefix(b"data: ")) for one in written.split(b"\n\n")[:-1]]
    for one in chunks:
        ChatCompletionChunk.model_validate(one)
    return chunks


def one_choice(written: bytes | None) -> dict[str, Any]:
    (said,) = read(written)
    (choice,) = said["choices"]
    assert isinstance(choice, dict)
    return choice


def test_first_chunk_of_each_choice_has_the_role() -> None:
    write = Writer()
    deltas = [one_choice(write.delta(index, content="a"))["delta"] for index in (0, 1, 0)]
    with_role = {"role": "assistant", "content": "a"}
    assert deltas == [with_role, with_role, {"content": "a"}]


def test_choices_of_a_passed_chunk_have_begun_if_it_has_their_role() -> None:
    write = Writer()
    begin, go_on = (
        chunk_of(payload(chunk(delta))) for delta in ({"role": "assistant"}, {"content": "a"})
    )
    assert begin is not None
    assert go_on is not None
    assert not write.has_begun(go_on)
    assert write.has_begun(begin)
    write.see(begin)
    assert write.has_begun(go_on)
    write.see(go_on)
    (said,) = read(write.delta(0, content="a"))
    assert {key: said[key] for key in ABOUT} == ABOUT
    assert "role" not in said["choices"][0]["delta"]


def test_nothing_is_made_up() -> None:
    (said,) = read(Writer().finish(0, "stop"))
    assert (said["id"], said["created"], said["model"]) == ("", 0, "")


def test_names_are_taken_from_what_is_written_anew_and_the_first_stay() -> None:
    write = Writer()
    write.rewrite({"choices": [], "id": "a", "model": 7, "created": True})
    write.rewrite({"choices": [], "id": "b", "model": "m", "created": 5})
    write.rewrite(["no chunk"])
    write.rewrite({"no": "chunk"})
    (said,) = read(write.finish(0, "stop"))
    assert (said["id"], said["created"], said["model"]) == ("a", 5, "m")


def test_unknown_keys_stay_at_their_places_and_are_given_once() -> None:
    write = Writer()
    choice = {"index": 1, "delta": {"annotations": [1], "content": "a"}, "filter": {"x": 1}}
    write.rewrite({"choices": [choice, "odd", {"index": 2}], "provider": "p", "none": None})
    (said,) = read(write.delta(1, content="a"))
    assert said["provider"] == "p"
    assert said["choices"][0]["filter"] == {"x": 1}
    assert said["choices"][0]["delta"] == {
        "role": "assistant",
        "content": "a",
        "annotations": [1],
    }
    (again,) = read(write.delta(1, content="b"))
    assert again.keys() == said.keys() - {"provider"}
    assert write.rest() is None


def test_unknown_keys_that_stand_beside_nothing_else_get_a_chunk() -> None:
    write = Writer()
    message = {"role": "assistant", "annotations": [1]}
    write.rewrite({"choices": [{"message": message}, {"index": 1, "delta": None}], "n": 1})
    (said,) = read(write.rest())
    assert said["n"] == 1
    assert said["choices"] == [
        {
            "index": 0,
            "delta": {"role": "assistant", "annotations": [1]},
            "finish_reason": None,
        }
    ]


def test_unknown_keys_beside_choices_get_a_chunk_with_a_choice() -> None:
    write = Writer()
    write.rewrite({"choices": [{"index": 2, "delta": {}}], "detail": "x"})
    (said,) = read(write.rest())
    assert (said["detail"], [choice["index"] for choice in said["choices"]]) == ("x", [2])
    write.rewrite({"choices": [], "detail": "x"})
    assert read(write.rest())[0]["choices"] == []


def test_no_chunk_for_a_fingerprint_alone_and_it_is_not_kept_for_another_payload() -> None:
    write = Writer()
    sent = {"choices": None, "system_fingerprint": "f", "service_tier": ["odd"]}
    write.rewrite(sent)
    assert write.rest() is None
    assert "system_fingerprint" not in read(write.delta(0, content="a"))[0]
    write.rewrite(sent)
    (said,) = read(write.finish(0, "stop"))
    assert said["system_fingerprint"] == "f"
    assert "service_tier" not in said


def test_half_a_surrogate_pair_in_an_unknown_key_is_written_as_a_replacement() -> None:
    write = Writer()
    write.rewrite({"choices": [{"index": 0, "delta": {"x": "a\ud83d"}}], "y": "\ude00"})
    (said,) = read(write.rest())
    assert said["y"] == "\ufffd"
    assert said["choices"][0]["delta"]["x"] == "a\ufffd"


def test_audio_keeps_its_id_and_its_end() -> None:
    write = Writer()
    audio = {"id": "a1", "expires_at": 9, "data": "eA==", "transcript": "x"}
    write.rewrite({"choices": [{"index": 0, "delta": {"audio": audio}}]})
    told = {"data": "eA==", "transcript": "x"}
    assert one_choice(write.delta(0, audio=told))["delta"]["audio"] == audio
    assert one_choice(write.delta(0, audio=told))["delta"]["audio"] == told


def test_call_is_two_fragments_and_the_first_keeps_the_unknown_keys() -> None:
    first, second = read(Writer().call(0, 3, CALL))
    (opened,) = first["choices"][0]["delta"]["tool_calls"]
    (more,) = second["choices"][0]["delta"]["tool_calls"]
    assert opened == {
        "extra_content": {"s": 1},
        "index": 3,
        "id": "call_1",
        "type": "function",
        "function": {"name": "look_up", "arguments": ""},
    }
    assert more == {"index": 3, "function": {"arguments": '{"a": 1}'}}


def test_unknown_keys_of_a_call_do_not_stand_for_the_known_ones() -> None:
    call = ToolCall(0, "c", "custom", "run", "ls", extra={"function": "x", "index": "y", "s": 1})
    first, _ = Writer().call(0, 3, call).split(b"\n\n", 1)
    (opened,) = json.loads(payload(first))["choices"][0]["delta"]["tool_calls"]
    custom = {"name": "run", "input": ""}
    assert opened == {"s": 1, "index": 3, "id": "c", "type": "custom", "custom": custom}


def test_half_a_surrogate_pair_in_a_call_is_written_as_a_replacement() -> None:
    call = ToolCall(0, "call_1", "function", "f", "{}", extra={"thinking": "\ude00!"})
    (first, _) = read(Writer().call(0, 0, call))
    assert first["choices"][0]["delta"]["tool_calls"][0]["thinking"] == "\ufffd!"


def test_custom_call_has_its_own_keys() -> None:
    call = ToolCall(0, "call_1", "custom", "run", "ls")
    written = Writer().call(0, 0, call).split(b"\n\n")
    first, second = (
        json.loads(one.removeprefix(b"data: "))["choices"][0]["delta"]["tool_calls"][0]
        for one in written[:2]
    )
    assert first["custom"] == {"name": "run", "input": ""}
    assert second["custom"] == {"input": "ls"}


def test_function_call_is_written_in_the_older_shape() -> None:
    chunks = read(Writer().function_call(0, CALL))
    calls = [one["choices"][0]["delta"]["function_call"] for one in chunks]
    assert calls == [{"name": "look_up", "arguments": ""}, {"arguments": '{"a": 1}'}]


def test_logprobs_are_written_as_sent() -> None:
    raw = b'{"content": [{"token":"a", "logprob":-0.50,"bytes":[97],"top_logprobs":[]}]}'
    assert raw in (Writer().logprobs(0, Raw(raw)) or b"")


@pytest.mark.parametrize("end", [b"\n", b"\r"])
def test_logprobs_of_several_lines_are_written_in_one(end: bytes) -> None:
    raw = b'{"content":' + end + b'[{"token":"a","logprob":-1,"top_logprobs":[]}]}'
    (token,) = one_choice(Writer().logprobs(0, Raw(raw)))["logprobs"]["content"]
    assert token["token"] == "a"


def test_logprobs_that_only_have_the_name_are_left_out() -> None:
    assert Writer().logprobs(0, Raw(b'{"content":"x"}')) is None


def test_usage_stands_alone_or_beside_a_choice_that_there_is() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    write = Writer()
    write.delta(7, content="a")
    (alone,) = read(write.usage(usage, alone=True))
    (beside,) = read(write.usage(usage, alone=False))
    assert (alone["choices"], alone["usage"]) == ([], usage)
    assert [choice["index"] for choice in beside["choices"]] == [7]


def test_error_is_written_as_openai_does_and_always_has_a_message() -> None:
    full = Writer().error(ErrorObject("slow down", "429", "rate", "model"))
    assert json.loads(payload(full)) == {
        "error": {"message": "slow down", "type": "rate", "param": "model", "code": "429"}
    }
    assert json.loads(payload(Writer().error(ErrorObject(""))))["error"]["message"]
