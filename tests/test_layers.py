"""The arrows of the architecture point one way, and only a shell touches the world."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "untorn"

# Who may import whom, from below to above. A name stands for a module, or for a package and all
# in it that has no line of its own. Modules under the same name may import each other.
ARROWS = {
    "errors": "",
    "options": "",
    "readable": "",
    "timing": "",
    "head": "readable",
    "attempt": "readable",
    "sse": "errors options readable",
    "chat.defects": "",
    "chat.finish_reasons": "",
    "chat.json_scan": "",
    "chat.json_text": "options chat.json_scan",
    "chat.verdict": "readable sse chat.defects chat.finish_reasons",
    "chat.completion": "errors options readable timing head attempt chat.json_text chat.verdict",
    "events": "readable chat.verdict chat.completion",
    "chat": "options readable timing head sse chat.defects chat.finish_reasons chat.json_scan "
    "chat.json_text chat.verdict chat.completion events",
    "usual_read": "options sse",
    "stream": "errors options timing head sse chat.verdict chat.completion events chat usual_read",
    "stream_parser": "options chat.completion chat.verdict events stream",
    "capture": "errors options readable head sse chat.finish_reasons chat.json_text chat",
    "replay": "errors options readable head sse chat.verdict capture",
    "testing": "chat.verdict replay",
    "resets": "",
    "sources": "options resets",
    "async_sources": "resets sources",
    "responses": "head sources async_sources",
    "failures": "readable",
    "patience": "options",
    "alarm": "",
    "recording": "capture",
    "reading": "options chat.verdict chat.completion events stream failures patience recording "
    "sources",
    "reader": "options head chat.verdict chat.completion events sources async_sources responses "
    "failures alarm recording reading",
    "clients.deadline": "",
    "clients.keys": "failures",
    "clients.addresses": "clients.keys",
    "clients.policy": "options chat.verdict chat.completion",
    "clients.requests": "options clients.keys clients.addresses",
    "clients.no_head": "options readable failures",
    "clients.hiding": "chat.verdict events clients.keys",
    "clients.recording": "recording clients.keys",
    "clients.tries": "options attempt chat.verdict chat.completion events patience recording "
    "sources reading clients.keys clients.policy clients.requests clients.no_head clients.hiding",
    "clients.asking": "errors attempt chat.completion events stream failures recording sources "
    "reading clients.keys clients.policy clients.requests clients.no_head clients.recording "
    "clients.tries",
    "clients.sources": "sse sources async_sources clients.deadline clients.keys clients.requests "
    "clients.asking",
    "clients.readers": "reader clients.keys clients.sources clients.asking",
    "clients.timed_httpx2": "clients.deadline",
    "clients.timed_urllib3": "clients.deadline",
    "clients.httpx2": "sources async_sources responses clients.requests clients.timed_httpx2",
    "clients.urllib3": "sources responses clients.requests clients.timed_urllib3",
    "clients.aiohttp": "options async_sources responses clients.requests",
    "clients.blocks": "options sse",
    "clients.asked": "",
    "clients.canonical": "sse events",
    "clients.body": "errors options chat.completion reading",
    "clients.error_body": "events clients.body",
    "clients.likeness": "",
    "clients.writer": "chat.json_text chat.verdict chat.completion chat clients.canonical",
    "clients.repair": "errors options chat.json_scan chat.json_text chat.completion events "
    "clients.asked clients.blocks clients.body clients.canonical clients.likeness clients.writer",
    "clients.repaired": "sources async_sources reader clients.body",
    "clients.openai": "options chat.completion sources async_sources responses clients.asked "
    "clients.body clients.error_body clients.repair clients.repaired",
    "clients": "options chat.verdict chat.completion clients.keys clients.addresses clients.policy "
    "clients.requests clients.tries clients.asking clients.sources clients.readers",
    "cli": "readable chat.verdict chat.completion events stream capture",
    # The front door: the public names and nothing else. And ``python -m untorn``.
    "": "errors options timing head attempt sse chat.defects chat.verdict chat.completion events "
    "stream stream_parser recording reader clients",
    "__main__": "cli",
}

# errors.py names the completion that an exception carries, for type checkers alone.
ARROWS_FOR_TYPES = {"errors": "chat.completion"}

LIBRARIES = {
    "cli": {"msgspec", "click", "rich"},
    "replay": {"msgspec", "h11"},
    "clients.httpx2": {"httpx2"},
    "clients.timed_httpx2": {"httpcore2", "httpx2"},
    "clients.timed_urllib3": {"urllib3"},
    "clients.urllib3": {"urllib3"},
    "clients.aiohttp": {"aiohttp", "yarl"},
    "clients.openai": {"openai"},
    "__main__": set[str](),
}
CORE_LIBRARIES = {"msgspec"}

SHELLS = frozenset(
    "cli __main__ reader async_sources alarm recording replay.server replay.connection "
    "clients.client clients.deadline clients.sources clients.readers clients.httpx2 "
    "clients.timed_httpx2 clients.urllib3 clients.timed_urllib3 clients.aiohttp "
    "clients.openai clients.repaired".split()
)

# What is I/O, a thread, an event loop or a clock: modules, functions, attributes of anything.
WORLD = frozenset(
    "asyncio concurrent http importlib io logging multiprocessing os pathlib queue random sched "
    "select selectors shutil signal socket socketserver ssl subprocess tempfile threading time "
    "urllib".split()
)
WORLD_CALLS = frozenset({"breakpoint", "input", "open", "print"})
WORLD_ATTRIBUTES = frozenset("argv now stderr stdin stdout today utcnow".split())

# The one lazy import of importlib.metadata, for __version__.
WORLD_ALLOWED = {"": {"importlib"}, "clients.addresses": {"urllib"}}

# What a program that only reads bytes should not have to load.
LOADED_IN_VAIN = frozenset(
    "aiohttp asyncio click email.message http httpx httpx2 importlib.metadata logging requests "
    "rich select selectors socket ssl subprocess tempfile urllib3".split()
)


def modules() -> list[str]:
    """Every module of the package, without the leading ``untorn.``."""
    names = []
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def tree_of(module: str) -> ast.Module:
    path = SOURCE.joinpath(*module.split(".")) if module else SOURCE
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


def layer_of(module: str) -> str:
    """The longest name in the table that ``module`` is or lies in."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        if (name := ".".join(parts[:length])) in ARROWS:
            return name
    raise LookupError(f"{module} has no place in the table")


def imports(tree: ast.AST) -> Iterator[str]:
    """The full name of every module that ``tree`` imports, wherever it does so."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written out in full here"
            assert node.module is not None
            # ``from untorn import sse`` imports a module, ``from untorn.sse import Tail`` a name.
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name.removeprefix("untorn.") in MODULES else node.module


def for_types_only(tree: ast.AST) -> set[str]:
    return {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        for name in imports(statement)
    }


def wrong_arrows(module: str, tree: ast.AST) -> list[str]:
    """What ``module`` imports although the table does not allow it."""
    layer = layer_of(module)
    allowed = {layer, *ARROWS[layer].split()}
    only_types = {
        name
        for name in for_types_only(tree)
        if layer_of_import(name) in ARROWS_FOR_TYPES.get(layer, "").split()
    }
    libraries = LIBRARIES.get(layer, CORE_LIBRARIES) | sys.stdlib_module_names
    return [
        name
        for name in imports(tree)
        if (layer_of_import(name) not in allowed if is_ours(name) else top(name) not in libraries)
        and name not in only_types
    ]


def is_ours(name: str) -> bool:
    return top(name) == "untorn"


def top(name: str) -> str:
    return name.partition(".")[0]


def layer_of_import(name: str) -> str:
    return layer_of(name.partition(".")[2]) if is_ours(name) else name


def touches_of_the_world(module: str, tree: ast.AST) -> list[str]:
    """What stands in ``module`` although it belongs into a shell."""
    layer = layer_of(module)
    if layer in SHELLS or module in SHELLS:
        return []
    found = [n for n in imports(tree) if top(n) in WORLD - WORLD_ALLOWED.get(layer, set())]
    called = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    found += [f.id for f in called if isinstance(f, ast.Name) and f.id in WORLD_CALLS]
    attributes = (node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return found + [name for name in attributes if name in WORLD_ATTRIBUTES]


MODULES = frozenset(modules())

each_module = pytest.mark.parametrize(
    "module", [pytest.param(name, id=name or "untorn") for name in modules()]
)


@each_module
def test_arrows_point_one_way(module: str) -> None:
    assert wrong_arrows(module, tree_of(module)) == []


@each_module
def test_only_shells_touch_the_world(module: str) -> None:
    assert touches_of_the_world(module, tree_of(module)) == []


def test_every_line_of_the_table_is_about_something_that_exists() -> None:
    assert {layer_of(module) for module in modules()} == set(ARROWS)


def test_the_table_itself_has_no_circle() -> None:
    below: set[str] = set()
    for layer, allowed in ARROWS.items():
        assert below.issuperset(allowed.split()), layer
        below.add(layer)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("sse.lines", "from untorn.chat.verdict import Verdict"),
        ("sse.lines", "from untorn import chat"),
        ("sse.lines", "def late():\n    import untorn.stream"),
        ("chat.verdict", "from untorn.events import StreamEvent"),
        ("chat.framing", "from untorn.stream import ChatStream"),
        ("stream", "from untorn.cli.main import main"),
        ("stream", "import click"),
        ("cli.main", "import httpx"),
        ("errors", "from untorn.chat.completion import Completion"),
        ("sse.lines", "if TYPE_CHECKING:\n    from untorn.chat.completion import Completion"),
    ],
)
def test_a_wrong_arrow_is_seen(module: str, source: str) -> None:
    assert len(wrong_arrows(module, ast.parse(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "from time import monotonic",
        "import urllib.request",
        "def late():\n    import threading",
        "started = datetime.now()",
        "sys.stderr.write('hello')",
        "data = open('answer.sse')",
        "print('hello')",
    ],
)
def test_a_touch_of_the_world_is_seen(source: str) -> None:
    assert len(touches_of_the_world("sse.lines", ast.parse(source))) == 1


def loaded_by(statement: str) -> set[str]:
    """The modules that a fresh interpreter loads to run ``statement``."""
    script = (
        f"import sys; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    return set(ran.stdout.split())


def test_import_loads_neither_a_library_nor_the_network() -> None:
    loaded = loaded_by("import untorn")
    assert "untorn.stream" in loaded
    assert sorted(loaded & LOADED_IN_VAIN) == []
    assert not {name for name in loaded if name.startswith("untorn.cli")}


def test_what_records_is_loaded_where_something_is_recorded() -> None:
    loaded = loaded_by("import untorn; untorn.read; untorn.Client")
    assert not {name for name in loaded if name.startswith("untorn.capture")}


def test_what_redacts_is_loaded_where_something_is_redacted() -> None:
    statement = "import untorn.capture"
    assert "untorn.capture.redaction" not in loaded_by(statement)
    assert "untorn.capture.redaction" in loaded_by(f"{statement}; untorn.capture.redact")


def test_sse_alone_knows_nothing_of_chat() -> None:
    # untorn/__init__.py is run by every import; sse itself must do without what it brings.
    script = (
        "import sys, types; door = types.ModuleType('untorn'); "
        f"door.__path__ = [{str(SOURCE)!r}]; sys.modules['untorn'] = door; import untorn.sse"
    )
    loaded = loaded_by(script)
    assert "untorn.sse.event_stream" in loaded
    assert not {name for name in loaded if name.startswith("untorn.chat")}


def test_version_is_read_only_when_asked() -> None:
    assert "importlib.metadata" in loaded_by("import untorn; untorn.__version__")
