"""The whole arguments once more after their fragments.

On the wire   "arguments": "{\\"city\\":"   then   "\\"Oslo\\"}"   then   "{\\"city\\":\\"Oslo\\"}"
Seen at       servers that send a consolidated last chunk; anomalyco/opencode#17339
We            drop the copy, if the whole is no JSON and the copy equals what came before it
"""

from __future__ import annotations

from collections.abc import Callable


def repair(
    fragments: list[str], is_json: Callable[[str], bool], normal_form: Callable[[str], str]
) -> str | None:
    """The arguments without the copy; None if this is not what happened."""
    before = "".join(fragments[:-1])
    same = is_json(before) and normal_form(before) == normal_form(fragments[-1])
    return before if same else None
