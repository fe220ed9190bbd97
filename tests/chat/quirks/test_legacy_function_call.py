"""The call as ``function_call`` (rule 9)."""

from __future__ import annotations

from typing import Any

import pytest

from untorn.chat.quirks.legacy_function_call import as_tool_call


@pytest.mark.parametrize(
    "function_call",
    [
        {"name": "get_weather", "arguments": ""},
        {"name": "get_weather"},
        {"arguments": '{"city"'},
        {"name": None, "arguments": '{"city"'},
    ],
)
def test_name_or_arguments_make_it_an_entry_of_tool_calls(function_call: dict[str, Any]) -> None:
    assert as_tool_call(function_call) == {"type": "function", "function": function_call}


@pytest.mark.parametrize(
    "function_call", [{}, {"name": "", "arguments": ""}, {"name": None, "arguments": None}]
)
def test_empty_one_is_no_call(function_call: dict[str, Any]) -> None:
    assert as_tool_call(function_call) is None


@pytest.mark.parametrize("function_call", [None, "auto", ["get_weather"]])
def test_what_is_no_object_is_no_call(function_call: Any) -> None:
    assert as_tool_call(function_call) is None
