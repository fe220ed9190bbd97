"""A mutant's code in place of the function's, and of the module's."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

SOURCE = Path(__file__).parent.parent / "src"


@dataclass(frozen=True)
class Mutant:
    """One change. ``function`` is the qualified name, ``source`` the whole module's text."""

    module: str
    function: str
    source: str

    @property
    def name(self) -> str:
        path = self.module.removesuffix(".py").removesuffix("/__init__")
        return f"untorn.{path.replace('/', '.')}"

    @property
    def file(self) -> str:
        return str(SOURCE / "untorn" / self.module)


def put_in(mutant: Mutant) -> None:
    """Give the function the mutant's code, and forget what the functions beside it remember."""
    function = function_of(mutant)
    function.__code__ = code_of(mutant)
    for name, module in list(sys.modules.items()):
        if name.startswith("untorn."):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def function_of(mutant: Mutant) -> FunctionType:
    """The function under whatever decorators have made of it."""
    found: Any = sys.modules[mutant.name]
    for part in mutant.function.split("."):
        found = vars(found)[part]
    while not isinstance(found, FunctionType):
        inner = ("__wrapped__", "__func__", "fget", "func")
        found = next(getattr(found, name) for name in inner if getattr(found, name, None))
    return found


def code_of(mutant: Mutant) -> CodeType:
    """The mutant's code of the function."""
    code = compile(mutant.source, mutant.file, "exec", dont_inherit=True)
    for part in mutant.function.split("."):
        inner = [const for const in code.co_consts if isinstance(const, CodeType)]
        (code,) = [const for const in inner if const.co_name == part]
    return code


def can_be_put_in(mutant: Mutant, known: dict[str, Any]) -> bool:
    """Whether the function can be changed after the import."""
    if [mutant.file, mutant.function] in known["imported"]:
        return False
    with open(mutant.file, encoding="utf-8") as file:
        original = Mutant(mutant.module, mutant.function, file.read())
    same = code_of(original).co_freevars == code_of(mutant).co_freevars
    # All that differs may be a default, which is no part of the code.
    return same and code_of(original) != code_of(mutant)


class Loader(SourceFileLoader):
    """Loads a mutant in place of the file."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.name, mutant.file)
        self._mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._mutant.source, self._mutant.file, "exec", dont_inherit=True)


class Finder(MetaPathFinder):
    """Finds one module: the mutant."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        if fullname != self._mutant.name:
            return None
        loader = Loader(self._mutant)
        return spec_from_file_location(fullname, self._mutant.file, loader=loader)
