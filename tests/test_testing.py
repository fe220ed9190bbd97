"""What users' own tests can do with the server, the ready streams and the fixture."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from untorn import testing
from untorn.replay.scenarios import SCENARIOS

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "docs" / "testing.md", ROOT / "README.md")
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[object]:
    """The tests that the documents show."""
    return [
        pytest.param(block, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, block in enumerate(PYTHON_BLOCK.findall(page.read_text(encoding="utf-8")))
        if "stream_server" in block
    ]


def run_pytest(folder: Path, *arguments: str, only_ours: bool = True) -> str:
    """What pytest prints, in a process and a project of its own. Other plugins take seconds."""
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if only_ours else {}
    ours = ["-p", "pytest_untorn"] if only_ours else []
    command = [sys.executable, "-W", "error", "-m", "pytest", "-p", "no:cacheprovider", *ours]
    ran = subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={**os.environ, **alone},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return ran.stdout + ran.stderr


# Ready streams --------------------------------------------------------------------------------


def test_every_scenario_is_in_one_list() -> None:
    lists = [
        testing.whole(),
        testing.faults(),
        testing.faults("truncated", "filtered"),
        testing.endless(),
    ]
    assert sorted(name for names in lists for name in names) == sorted(SCENARIOS)


def test_whole_answers_are_complete_and_faults_are_not() -> None:
    def outcomes(names: list[str]) -> set[str]:
        return {testing.scenario(name).expected.outcome for name in names}

    assert outcomes(testing.whole()) == {"complete"}
    assert outcomes(testing.faults()) == {"interrupted", "failed"}
    assert outcomes(testing.faults("truncated")) == {"truncated"}


def test_only_endless_streams_need_the_client_to_give_up() -> None:
    assert "stall-mid-text" in testing.endless()
    assert not any(testing.scenario(name).is_endless for name in testing.faults())


def test_a_scenario_is_asked_for_by_its_name() -> None:
    assert testing.scenario("text") is SCENARIOS["text"]
    with pytest.raises(testing.UnknownScenario, match="did you mean text"):
        testing.scenario("tex")


def test_every_name_on_the_list_is_there_and_explained() -> None:
    for name in testing.__all__:
        value = getattr(testing, name)
        assert name == "NEVER" or value.__doc__, f"{name} has no docstring"


# The fixture ----------------------------------------------------------------------------------


def test_the_plugin_is_registered() -> None:
    [plugin] = entry_points(group="pytest11", name="untorn")
    assert plugin.value == "pytest_untorn"


@pytest.mark.parametrize("example", examples())
def test_a_test_from_the_documents_runs_as_it_stands(example: str, tmp_path: Path) -> None:
    (tmp_path / "test_example.py").write_text(example, encoding="utf-8")
    said = run_pytest(tmp_path, "-q", "-rf", "--tb=line", "--disable-warnings")
    failed = set(re.findall(r"^FAILED test_example.py::\w+\[([\w-]+)\]", said, re.MULTILINE))
    failed_any = "FAILED" in said or "ERROR" in said
    if "faults()" in example:
        # It is shown because it fails: half an answer is taken for a whole one.
        assert {"end-mid-text", "close-mid-text", "done-mid-text"} <= failed, said
        assert "DID NOT RAISE" in said
        assert "fin-mid-text" not in failed
        assert "ERROR" not in said
    else:
        assert not failed_any, said
        assert " passed" in said


def test_a_project_that_does_not_use_the_fixture_imports_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_alone.py").write_text(
        "import sys\n"
        "def test_nothing_is_imported():\n"
        "    assert 'pytest_untorn' in sys.modules\n"
        "    assert not {'untorn', 'msgspec', 'h11', 'asyncio'} & set(sys.modules)\n",
        encoding="utf-8",
    )
    assert "1 passed" in run_pytest(tmp_path, "-q")


def test_the_fixture_is_there_without_being_asked_for_and_explained(tmp_path: Path) -> None:
    (tmp_path / "test_none.py").write_text("def test(): pass\n", encoding="utf-8")
    said = run_pytest(tmp_path, "--fixtures", only_ours=False)
    assert "stream_server" in said
    assert "A server that plays chat completions, whole or broken" in said


def test_each_test_has_a_server_and_a_log_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(
        "import urllib.request\n"
        "import pytest\n"
        "@pytest.mark.parametrize('number', [1, 2])\n"
        "def test_one_exchange(stream_server, number):\n"
        "    urllib.request.urlopen(stream_server.url('text'), timeout=10).close()\n"
        "    assert len(stream_server.log.exchanges) == 1\n",
        encoding="utf-8",
    )
    assert "2 passed" in run_pytest(tmp_path, "-q")
