"""Words that stay: the protocol's own. Everything else is replaced.

A key stays if it is in ``KEYS``; a value if its key has a list here that holds it, in any letter
case. They are words that servers are built with, not words that somebody said.
"""

from __future__ import annotations

import re

from untorn.chat.chunks import CHOICE_KEYS, CHUNK_KEYS, DELTA_KEYS
from untorn.chat.error_object import CODE_KEYS, FINE, MESSAGE_KEYS, TYPE_KEYS
from untorn.chat.finish_reasons import MEANINGS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYS = frozenset(
    {*CHUNK_KEYS, *CHOICE_KEYS, *DELTA_KEYS, *CODE_KEYS, *MESSAGE_KEYS, *TYPE_KEYS}
) | _words(
    # Read by the core.
    "arguments base_resp bytes custom data expires_at function input logprob name param"
    " status_msg success summary thinking token top_logprobs transcript x_groq"
    # Counts.
    " prompt_tokens completion_tokens total_tokens prompt_tokens_details completion_tokens_details"
    " accepted_prediction_tokens audio_tokens cache_creation_input_tokens cache_read_input_tokens"
    " cached_tokens image_tokens input_tokens output_tokens reasoning_tokens text_tokens"
    " rejected_prediction_tokens prompt_cache_hit_tokens prompt_cache_miss_tokens"
    # What other readers look at.
    " citations content_filter_results end_index filtered format native_finish_reason"
    " prompt_filter_results provider severity signature start_index stop_reason title url"
    " url_citation"
)

FINISH_REASONS = frozenset(MEANINGS) | {"null", ""}
ERRORS = FINE | _words(
    "api_error authentication_error auth_error bad_request badrequesterror billing_error"
    " context_length_exceeded error gateway_error insufficient_quota internal_error"
    " internal_server_error invalid_api_key invalid_request_error model_not_found not_found"
    " not_found_error overloaded overloaded_error permission_error rate_limit_error"
    " rate_limit_exceeded requests server_error service_unavailable timeout timeout_error tokens"
    " upstream_error"
)
TYPES = ERRORS | _words(
    "audio custom document file function image_url input_audio message output_text ping reasoning"
    " reasoning.encrypted reasoning.summary reasoning.text refusal text thinking url_citation"
)
STATES = ERRORS | _words("completed failed in_progress incomplete queued")

VALUES: dict[str, frozenset[str]] = {
    "role": _words("assistant developer function model system tool user"),
    "object": _words("chat.completion chat.completion.chunk error list response text_completion"),
    "type": TYPES,
    "error_type": ERRORS,
    "code": STATES,
    "status": STATES,
    "status_code": STATES,
    "finish_reason": FINISH_REASONS,
    "native_finish_reason": FINISH_REASONS,
    "stop_reason": FINISH_REASONS,
}
EVENTS = _words("chunk completion delta done error message open ping")

CHAT_COMPLETION = "chat.completion"
"""An object whose kind begins so is a chunk, whatever follows."""

COUNTED = frozenset({"index", "created", "expires_at"})
"""Keys whose numbers stay. So do those that end with ``tokens``: counts are no words."""
LONGEST_CODE = 5
"""Digits of a number that may be an error's code."""

HTTP_STATUS = re.compile("[1-5][0-9][0-9]")
INDEX = re.compile("[0-9]{1,19}")

IDENTITIES = frozenset({"id", "name", "signature", *VALUES})
"""Keys of which it counts whether two values are the same."""
IDENTITY_ENDS = ("_id", "model", "fingerprint")

TAKEN = KEYS | EVENTS | frozenset[str]().union(*VALUES.values())
"""Nothing that is replaced may become one of them."""


def is_kept(key: str, value: str) -> bool:
    """Whether ``value`` stays as it is under ``key``."""
    if key == "index":
        return INDEX.fullmatch(value) is not None
    if key in CODE_KEYS and HTTP_STATUS.fullmatch(value):
        return True
    return value.lower() in VALUES.get(key, ())


def is_counted(key: str, number: str) -> bool:
    """Whether ``number`` stays as it is under ``key``."""
    if key in CODE_KEYS:
        return len(number) <= LONGEST_CODE
    return key in COUNTED or key.endswith("tokens")


def is_identity(key: str) -> bool:
    """Whether it counts that two values of ``key`` are the same."""
    return key in IDENTITIES or key.endswith(IDENTITY_ENDS)
