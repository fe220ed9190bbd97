"""The front door: its list is sorted, and equals what the modules behind it offer."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import untorn
import untorn.capture
import untorn.sse

# What each module behind the door offers; None stands for all that it could offer.
BEHIND: dict[str, set[str] | None] = {
    "untorn.chat.completion": None,
    "untorn.chat.defects": None,
    "untorn.errors": None,
    "untorn.events": None,
    "untorn.options": None,
    "untorn.attempt": None,
    "untorn.clients.client": {"AsyncClient", "Client"},
    "untorn.stream": None,
    "untorn.stream_parser": {"StreamParser"},
    "untorn.reader": {"AsyncReader", "Reader", "aread", "read"},
    "untorn.recording": {"RecordingIncomplete"},
    # Parts of the machinery live in these, beside the types of a completion's attributes.
    "untorn.chat.verdict": {"Defect", "Ending", "ErrorObject", "Outcome", "Verdict"},
    "untorn.head": {"Head", "Headers"},
    "untorn.timing": {"Timing"},
}


def offered(module: ModuleType) -> set[str]:
    """The public classes and aliases that ``module`` itself defines, and stream.py's functions.

    Functions elsewhere are machinery, and so are constants.
    """
    assert module.__file__ is not None
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    names = set()
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name):
                names.add(name)
            case ast.FunctionDef(name=name) if module.__name__ == "untorn.stream":
                names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return {name for name in names if not name.startswith("_") and not name.isupper()}


@pytest.mark.parametrize("door", [untorn, untorn.capture, untorn.sse])
def test_the_list_is_sorted_without_repetition(door: ModuleType) -> None:
    assert door.__all__ == sorted(set(door.__all__))


def test_the_list_equals_what_the_modules_offer() -> None:
    behind: set[str] = {"sse"}
    for name, names in BEHIND.items():
        behind |= offered(importlib.import_module(name)) if names is None else names
    assert set(untorn.__all__) == behind


def test_every_module_with_a_part_of_the_door_is_looked_at() -> None:
    homes = {getattr(untorn, name).__module__ for name in untorn.__all__ if is_class(name)}
    assert homes <= set(BEHIND)


def is_class(name: str) -> bool:
    return inspect.isclass(getattr(untorn, name))


@pytest.mark.parametrize("door", [untorn, untorn.capture, untorn.sse])
def test_every_name_on_the_list_is_there_and_explained(door: ModuleType) -> None:
    for name in door.__all__:
        value = getattr(door, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), f"{name} has no docstring"


def test_a_star_import_gives_the_list_and_nothing_else() -> None:
    names: dict[str, object] = {}
    exec("from untorn import *", names)
    assert set(names) - {"__builtins__"} == set(untorn.__all__)


def test_version_is_the_installed_one() -> None:
    assert untorn.__version__ == importlib.metadata.version("untorn")


@pytest.mark.parametrize("door", [untorn, untorn.capture])
def test_an_unknown_name_is_an_attribute_error(door: ModuleType) -> None:
    with pytest.raises(AttributeError, match="no attribute 'read_all'"):
        _ = getattr(door, "read_all")  # noqa: B009  (the name is unknown to type checkers)
