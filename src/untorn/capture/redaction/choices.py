"""One choice: which strings of its deltas are fragments of a text, a name or arguments."""

from __future__ import annotations

from untorn.capture.redaction.arguments import ArgumentNames, Arguments
from untorn.capture.redaction.json_tree import Array, Node, Object, Text
from untorn.capture.redaction.places import Literal, Payload
from untorn.capture.redaction.shapes import Names
from untorn.capture.redaction.texts import GrowingText, Sources
from untorn.chat.chunks import Delta, Fragment
from untorn.chat.open_call import OpenCall
from untorn.chat.tool_calls import ToolCalls
from untorn.options import Limits


class Choice:
    """What one choice says. Deltas in, ``finish`` at the end."""

    def __init__(self, limits: Limits, arguments: ArgumentNames, names: Names) -> None:
        self._content = GrowingText(may_be_cumulative=True)
        self._reasoning = GrowingText(may_be_cumulative=True)
        self._refusal = GrowingText(may_be_cumulative=False)
        # The core's own: it has to be the same call that a fragment belongs to.
        self._calls = ToolCalls(limits)
        self._argument_names = arguments
        self._arguments: dict[int, Arguments] = {}
        self._names = names
        # For each call its name so far, and what stands for it.
        self._called: dict[int, tuple[str, str]] = {}

    def receive(self, delta: Delta, entry: Object, payload: Payload) -> None:
        """Take ``delta``, which the core read from ``entry``."""
        said, whole = self._said(entry, payload), delta.is_message
        if said is None:
            self._content.add([_strings([entry.get("text", payload.data)], payload)], whole=False)
            return
        parts = Parts(said.get("content", payload.data), payload)
        self._content.add([parts.content], whole=whole)
        self._reasoning.add(_reasoning(said, parts, payload), whole=whole)
        self._refusal.add([_strings([said.get("refusal", payload.data)], payload)], whole=whole)
        for fragment, call in zip(delta.fragments, _calls(said, payload), strict=False):
            self._receive_fragment(fragment, call, payload, whole=whole)

    def finish(self, limits: Limits) -> None:
        """Replace what was taken."""
        for text in (self._content, self._reasoning, self._refusal):
            text.finish()
        for arguments in self._arguments.values():
            arguments.finish(limits)

    @staticmethod
    def _said(entry: Object, payload: Payload) -> Object | None:
        for key in ("delta", "message"):
            said = entry.get(key, payload.data)
            if isinstance(said, Object):
                return said
        return None

    def _receive_fragment(
        self, fragment: Fragment, function: Object, payload: Payload, *, whole: bool
    ) -> None:
        call = self._calls.place(fragment, [], of_message=whole)
        call.append(fragment.arguments)
        name = function.get("name", payload.data)
        if fragment.name is not None and isinstance(name, Text):
            literal = payload.literal(name)
            literal.write(self._name(call, literal.text))
        for key in ("arguments", "input"):
            arguments = function.get(key, payload.data)
            if isinstance(arguments, Text):
                known = self._arguments.setdefault(call.number, Arguments(self._argument_names))
                known.add([payload.literal(arguments)])
            elif arguments is not None:
                self._argument_names.redact(arguments, payload)

    def _name(self, call: OpenCall, name: str) -> str:
        """What stands for a name, or for a piece of one."""
        known = self._called.get(call.number)
        if known is not None and known[0] == name:
            return known[1]
        shape = self._names.of(name)
        before, shape_before = known or ("", "")
        joined = (before + name, shape_before + shape)
        self._called[call.number] = joined
        self._names.put(*joined)
        return shape


class Parts:
    """The texts of a content, which may be a list of parts."""

    def __init__(self, node: Node | None, payload: Payload) -> None:
        self.content: list[Literal] = []
        self.thinking: list[Literal] = []
        for part in node.items if isinstance(node, Array) else [node]:
            if not isinstance(part, Object):
                self.content += _strings([part], payload)
            elif part.has("thinking", payload.data):
                thinking = part.get("thinking", payload.data)
                items = thinking.items if isinstance(thinking, Array) else [thinking]
                texts = [
                    item.get("text", payload.data) if isinstance(item, Object) else item
                    for item in items
                ]
                self.thinking += _strings(texts, payload)
            else:
                self.content += _strings([part.get("text", payload.data)], payload)


def _reasoning(said: Object, parts: Parts, payload: Payload) -> Sources:
    details = said.get("reasoning_details", payload.data)
    blocks = details.items if isinstance(details, Array) else []
    texts = [
        block.get(key, payload.data)
        for block in blocks
        if isinstance(block, Object)
        for key in ("text", "summary")
    ]
    return [
        _strings([said.get("reasoning_content", payload.data)], payload),
        _strings([said.get("reasoning", payload.data)], payload),
        _strings(texts, payload),
        parts.thinking,
    ]


def _calls(said: Object, payload: Payload) -> list[Object]:
    """What holds the name and the arguments of each fragment."""
    found: list[Object] = []
    calls = said.get("tool_calls", payload.data)
    for call in calls.items if isinstance(calls, Array) else [calls]:
        if isinstance(call, Object):
            function, custom = call.get("function", payload.data), call.get("custom", payload.data)
            kinds = [kind for kind in (function, custom) if isinstance(kind, Object)]
            found.append(kinds[0] if kinds else Object([]))
    legacy = said.get("function_call", payload.data)
    return [*found, legacy] if isinstance(legacy, Object) else found


def _strings(nodes: list[Node | None], payload: Payload) -> list[Literal]:
    return [payload.literal(node) for node in nodes if isinstance(node, Text)]
