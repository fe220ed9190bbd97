"""How servers say that they failed: JSON object → error object. The first form that fits."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from untorn.chat.json_text import compact
from untorn.chat.verdict import ErrorObject

MESSAGE_KEYS = ("message", "msg", "detail", "details", "error_message")
CODE_KEYS = ("code", "status", "status_code")
TYPE_KEYS = ("type", "error_type")
FINE = frozenset({"0", "200", "ok", "success"})
"""Codes that say that all is well."""


class FoundError(Struct):
    """An error, and whether it came as ``{"error": {"message": ...}}``."""

    error: ErrorObject
    canonical: bool


def find_error(body: dict[str, Any]) -> FoundError | None:
    """The error in a JSON object; None if it reports none."""
    said = body.get("error")
    if isinstance(said, dict) and said:
        return FoundError(error_of(said), isinstance(said.get("message"), str))
    if isinstance(said, str) and said:
        return FoundError(error_of(body, message=said), canonical=False)
    choices = body.get("choices")
    if isinstance(choices, list):
        for choice in choices:
            if isinstance(choice, dict) and (of_choice := choice.get("error")):
                if isinstance(of_choice, dict):
                    return FoundError(error_of(of_choice), canonical=False)
                if isinstance(of_choice, str):
                    return FoundError(error_of(choice, message=of_choice), canonical=False)
    if body.get("object") == "error":
        return FoundError(error_of(body), canonical=False)
    if choices or not _says_failure(body):
        return None
    return FoundError(_failure_of(body), canonical=False)


class _Choice(Struct, gc=False):
    error: None = None


class _Body(Struct, gc=False):
    choices: list[_Choice] = []
    error: None = None


_decode_without_errors = msgspec.json.Decoder(_Body).decode


def hides_no_error(data: bytes) -> bool:
    """Whether a payload surely hides no error behind a repeated key: each key ``error`` where one
    is looked for is null, however often it comes. (The types are those that the fast way takes.)"""
    try:
        _decode_without_errors(data)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def error_of(body: dict[str, Any], *, message: str | None = None) -> ErrorObject:
    """The error that ``body`` describes, whose message may be known already."""
    return ErrorObject(
        message=_message(body) if message is None else message,
        code=_first(body, CODE_KEYS),
        type=_first(body, TYPE_KEYS),
        param=_name(body.get("param")),
        raw=body,
    )


def _says_failure(body: dict[str, Any]) -> bool:
    if body.get("detail"):
        return True
    if _base_resp_code(body) is not None:
        return True
    if not any(isinstance(body.get(key), str) for key in MESSAGE_KEYS):
        return False
    if body.get("error") is True or body.get("success") is False:
        return True
    codes = [_name(body.get(key)) for key in (*CODE_KEYS, "error_type")]
    return any(code and code.lower() not in FINE for code in codes)


def _failure_of(body: dict[str, Any]) -> ErrorObject:
    code = _base_resp_code(body)
    if code is None or body.get("detail"):
        return error_of(body)
    # MiniMax: {"base_resp": {"status_code": 1004, "status_msg": "..."}}
    message = body["base_resp"].get("status_msg")
    error = error_of(body, message=message if isinstance(message, str) else None)
    return ErrorObject(error.message, code, error.type, error.param, raw=body)


def _base_resp_code(body: dict[str, Any]) -> str | None:
    answer = body.get("base_resp")
    code = _name(answer.get("status_code")) if isinstance(answer, dict) else None
    return code if code not in (None, "0") else None


def _message(body: dict[str, Any]) -> str:
    texts = [text for key in MESSAGE_KEYS if isinstance(text := body.get(key), str)]
    if not texts:
        return compact(body)
    return next(filter(None, texts), "")


def _first(body: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    names = (_name(body.get(key)) for key in keys)
    return next((name for name in names if name is not None), None)


def _name(value: Any) -> str | None:
    # Numbers become decimal strings; nothing else is a name.
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None
