"""Module → mutants. Runs in the environment that has mutmut, and needs nothing of untorn.

    python mutation/making.py FOLDER FILE...

FILE is a path in FOLDER. Prints a JSON list. mutmut's operators change what stands in functions;
docstrings, annotations and decorators they leave alone. mutmut itself leaves out functions with a
decorator, since it swaps functions while they run; here the code is swapped before, so properties
are changed as well. Another letter case of a codec's name is no mutant: it is the same codec.
"""

from __future__ import annotations

import codecs
import difflib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper
from mutmut.mutation.file_mutation import Mutation, MutationVisitor, deep_replace
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode


class Visitor(MutationVisitor):  # type: ignore[misc]  # mutmut is not here
    """Goes into functions with decorators too."""

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.FunctionDef) and node.decorators:
            return False
        return bool(super()._skip_node_and_children(node))


def _is_same_codec(old: cst.CSTNode, new: cst.CSTNode) -> bool:
    """Whether both name one codec: "UTF-8" decodes as "utf-8" does."""
    if not (isinstance(old, cst.SimpleString) and isinstance(new, cst.SimpleString)):
        return False
    try:
        return codecs.lookup(old.raw_value) == codecs.lookup(new.raw_value)
    except LookupError:
        return False


def mutants(source: str) -> Iterator[dict[str, str]]:
    """Each mutant: the function, the lines that differ, and the whole module."""
    visitor = Visitor(mutation_operators, IgnoredCode(set(), set(), set()))
    module = MetadataWrapper(cst.parse_module(source)).visit(visitor)
    for mutation in visitor.mutations:
        function = mutation.contained_by_top_level_function
        if _is_same_codec(mutation.original_node, mutation.mutated_node):
            continue
        if isinstance(function, cst.FunctionDef):
            name, mutated = _mutated(module, function, mutation)
            was, becomes = _difference(source, mutated)
            yield {"function": name, "was": was, "becomes": becomes, "source": mutated}


def _mutated(module: cst.Module, function: cst.FunctionDef, mutation: Mutation) -> tuple[str, str]:
    """The name of the function, and the module with the mutation in it."""
    new = deep_replace(function, mutation.original_node, mutation.mutated_node)
    assert isinstance(new, cst.FunctionDef)
    for place, statement in enumerate(module.body):
        if statement is function:
            return function.name.value, _with(module, place, new)
        if isinstance(statement, cst.ClassDef) and function in statement.body.body:
            body = [new if child is function else child for child in statement.body.body]
            changed = statement.with_changes(body=statement.body.with_changes(body=body))
            name = f"{statement.name.value}.{function.name.value}"
            return name, _with(module, place, changed)
    raise LookupError(function.name.value)


def _with(module: cst.Module, place: int, statement: cst.BaseStatement) -> str:
    body = [*module.body[:place], statement, *module.body[place + 1 :]]
    code: str = module.with_changes(body=body).code
    return code


def _difference(old: str, new: str) -> tuple[str, str]:
    """The lines that only one of both has, without their indentation."""
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), n=0))[3:]
    kinds: dict[str, list[str]] = {"-": [], "+": []}
    for line in lines:
        if line[0] in kinds:
            kinds[line[0]].append(line[1:].strip())
    return " ".join(kinds["-"]), " ".join(kinds["+"])


if __name__ == "__main__":
    folder, *modules = sys.argv[1:]
    made = []
    for module in modules:
        found = mutants(Path(folder, module).read_text(encoding="utf-8"))
        made += [{"module": module, **mutant} for mutant in found]
    json.dump(made, sys.stdout)
