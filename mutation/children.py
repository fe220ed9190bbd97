"""Work in processes of its own, which leaves nothing behind in this one."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TextIO

from mutation.placing import Mutant

VERDICTS = {0: "survived", 1: "killed", 2: "unreached"}
"""By the exit code of the child. One that was ended by a signal is "timeout"."""


def in_children(
    mutants: dict[int, Mutant], examine: Callable[[Mutant], int], jobs: int, verdicts: TextIO
) -> dict[int, Mutant]:
    """Examine each in a child, and write what became of it. Gives those that no test noticed."""
    survivors: dict[int, Mutant] = {}
    running: dict[int, int] = {}
    waiting = list(mutants)
    while waiting or running:
        while waiting and len(running) < jobs:
            number = waiting.pop(0)
            pid = os.fork()
            if not pid:
                _end_with(examine, mutants[number])
            running[pid] = number
        pid, status = os.wait()
        number = running.pop(pid)
        verdict = VERDICTS.get(os.waitstatus_to_exitcode(status), "timeout")
        print(number, verdict, file=verdicts, flush=True)
        if verdict in ("survived", "unreached"):
            survivors[number] = mutants[number]
    return survivors


def _end_with(examine: Callable[[Mutant], int], mutant: Mutant) -> NoReturn:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    code = 1
    try:
        code = examine(mutant)
    finally:
        os._exit(code)


def in_a_child(work: Callable[[], Any]) -> Any:
    """What ``work`` returns, which leaves nothing behind in this process."""
    source, target = os.pipe()
    if not os.fork():
        try:
            with open(target, "w", encoding="utf-8") as file:
                json.dump(work(), file)
        finally:
            os._exit(0)
    os.close(target)
    with open(source, encoding="utf-8") as file:
        said = file.read()
    os.wait()
    if not said:
        sys.exit("the tests could not be run without a mutant")
    return json.loads(said)
