"""The whole arguments once more after their fragments.

On the wire   "arguments": "{\\"city\\":"   then   "\\"Oslo\\"}"   then   "{\\"city\\":\\"Oslo\\"}"
Seen at       servers that send a consolidated last chunk; anomalyco/opencode#17339
We            drop the copy, if the whole is no JSON and the copy equals what came before it
"""

from __future__ import annotations

from collections.abc import Callable


def repair(
    arguments: str, last: int, is_json: Callable[[str], bool], normal_form: Callable[[str], str]
) -> str | None:
    """The arguments without a last fragment of so many characters; None if this is not what
    happened."""
    copy = arguments[-last:]
    if not is_json(copy):
        return None
    before = arguments[:-last]
    same = is_json(before) and (before == copy or normal_form(before) == normal_form(copy))
    return before if same else None
