"""The vocabulary of defects: what can be odd about a stream, and how grave it is.

A code is part of the public interface: it never changes its meaning. ``info`` is a harmless
deviation; a ``warning`` was repaired, or kept raw; an ``error`` means that data is lost or that
the request failed, and no answer with one is complete.
"""

from __future__ import annotations

from typing import Literal

Severity = Literal["info", "warning", "error"]

CODES: dict[str, tuple[Severity, str]] = {
    "arguments-cumulative": (
        "warning",
        "each fragment repeated all arguments so far; the last one was taken",
    ),
    "arguments-double-encoded": (
        "info",
        "the arguments are a JSON string that holds JSON; kept as sent",
    ),
    "arguments-empty": ("info", 'the call ended with no arguments text at all; kept as `""`'),
    "arguments-invalid-json": (
        "warning",
        "the collected arguments are not JSON; kept raw, not to be executed",
    ),
    "arguments-not-string": ("warning", "arguments came as an object or array instead of text"),
    "arguments-null": ("info", "arguments were `null` in a fragment"),
    "arguments-placeholder": (
        "warning",
        "a first fragment `{}` stood before the real arguments and was dropped",
    ),
    "arguments-resent": (
        "warning",
        "the whole arguments came again after their fragments and were dropped",
    ),
    "audio-end": (
        "info",
        "a choice without finish reason ended by its audio's `expires_at` and `[DONE]`",
    ),
    "bad-json": (
        "error",
        'an event\'s data starts like JSON (or holds `"choices"`) but does not parse; it is lost',
    ),
    "bom-mid-stream": (
        "warning",
        "a byte order mark before a field in the middle of the stream was dropped",
    ),
    "choice-index-missing": ("warning", "a choice had no index; taken as 0"),
    "choice-missing": ("error", "a choice that the request asked for never came"),
    "choices-missing": ("info", "a chunk had no `choices` list (absent or null)"),
    "completion-in-stream": (
        "warning",
        "an event carried a whole `chat.completion` instead of a chunk",
    ),
    "compressed-body": ("error", "the body is still gzip-compressed"),
    "content-after-finish": ("warning", "a choice got more message after its finish reason"),
    "content-cumulative": (
        "warning",
        "deltas were snapshots of the text so far; the last one was taken",
    ),
    "content-not-string": ("warning", "content was a list of parts; their text was taken"),
    "content-type-mismatch": ("info", "the Content-Type header does not describe the body"),
    "created-invalid": ("info", "`created` is there but not an integer"),
    "data-after-done": ("warning", "chunks came after `[DONE]` and were merged"),
    "delta-missing": ("info", "a choice had neither delta nor message"),
    "done-variant": ("info", "the end mark was not exactly `[DONE]`"),
    "double-data-prefix": ("warning", "the data itself began with another `data:`"),
    "duplicate-done": ("info", "`[DONE]` came more than once"),
    "duplicate-key": ("warning", "a JSON object had the same key twice"),
    "empty-stream": ("error", "the body held no choice and no error"),
    "error-field": ("warning", "an error came as an SSE field named `error`"),
    "error-shape": ("info", 'the error was not `{"error": {"message": ...}}`'),
    "finish-reason-changed": (
        "warning",
        "a choice got different finish reasons; the telling one stays",
    ),
    "finish-reason-empty": ("info", 'finish_reason was `""` or `"null"`'),
    "finish-reason-mismatch": (
        "info",
        "finish_reason is `stop` although the choice has tool calls",
    ),
    "finish-reason-nonstandard": ("info", "finish_reason is not one of OpenAI's values"),
    "finish-reason-repeated": ("info", "a choice got the same finish reason again"),
    "finish-reason-unknown": (
        "warning",
        "finish_reason is a value that is not known to mean a normal end",
    ),
    "heartbeat-data": ("info", "a keep-alive was sent as data instead of as a comment"),
    "html-body": ("error", "an HTML page came instead of, or inside, the stream"),
    "http-error-status": ("error", "the HTTP status is 400 or above"),
    "id-changed": ("info", "the completion's id changed between chunks"),
    "invalid-utf8": ("warning", "bytes that are not UTF-8 became U+FFFD"),
    "json-array-body": ("warning", "the body is one JSON array of chunks"),
    "json-control-char": ("warning", "a JSON string held an unescaped control character"),
    "json-nonfinite": ("warning", "JSON held `NaN` or an infinity; read as null"),
    "legacy-function-call": (
        "info",
        "the call came as `function_call`; shown as a tool call without id",
    ),
    "lone-surrogate": (
        "warning",
        "half of a surrogate pair never got its partner and became U+FFFD",
    ),
    "message-and-delta": ("info", "a choice carried both delta and message; delta was used"),
    "message-for-delta": ("warning", "a chunk's choice carried `message` in place of delta"),
    "missing-data-prefix": ("warning", "a JSON line stood in the stream without `data:`"),
    "missing-done": ("info", "the body ended cleanly, every choice finished, but no `[DONE]` came"),
    "missing-finish-reason": ("error", "`[DONE]` came although a choice has no finish reason"),
    "model-changed": ("info", "the model's name changed between chunks"),
    "name-repeated": ("info", "the function name came again in a later fragment"),
    "name-split": ("info", "the function name came in pieces and was joined"),
    "ndjson-framing": ("warning", "the chunks came one JSON per line, without SSE framing"),
    "no-blank-line": ("warning", "events were not separated by a blank line"),
    "no-final-blank-line": (
        "warning",
        "the last event had no blank line but was whole, and was used",
    ),
    "not-json": ("warning", "an event's data was plain text and was ignored"),
    "not-streamed": ("info", "the body is one JSON document, not a stream"),
    "reasoning-duplicated": ("info", "the same reasoning came under two keys and was counted once"),
    "role-empty": ("info", "role was the empty string"),
    "role-missing": ("info", "no role was ever sent"),
    "stray-line": ("warning", "a line was no SSE field and was ignored"),
    "surrogate-split": ("warning", "a surrogate pair was divided between deltas and was joined"),
    "think-tags": ("info", "content holds `<think>` tags; left in place"),
    "tool-call-duplicated": (
        "warning",
        "the same call came again at another index and was dropped",
    ),
    "tool-calls-not-list": ("warning", "`tool_calls` was an object instead of a list"),
    "tool-id-changed": ("warning", "later fragments of a call had another id; the first stays"),
    "tool-id-duplicated": ("warning", "two different calls have the same id; both were kept"),
    "tool-id-empty": ("info", "a fragment had an empty id"),
    "tool-id-missing": ("warning", "a call never got an id"),
    "tool-id-repeated": ("info", "a call's id came again in later fragments"),
    "tool-index-missing": ("warning", "tool call fragments had no index"),
    "tool-index-offset": ("info", "the wire indexes do not run 0, 1, 2, ..."),
    "tool-index-reused": ("warning", "a new call used the index of another one"),
    "tool-name-late": ("info", "the name came after the call's first fragment"),
    "truncated-event": ("error", "the body ended in the middle of an event"),
    "unexpected-eof": ("error", "the body ended with no `[DONE]` and a choice unfinished"),
    "unrecognised-event": ("info", "a JSON event was neither chunk, error nor heartbeat"),
    "usage-in-choice": ("info", "usage was inside a choice"),
    "usage-in-extension": ("info", "usage was in a vendor's field (`x_groq`)"),
    "usage-placeholder": ("info", "an empty or all-zero usage was ignored"),
    "usage-repeated": ("info", "usage came more than once; the last one counts"),
}
"""Code: its severity and what it means in general."""
