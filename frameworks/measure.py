"""In one environment: all rows in its ways, bare and with the drop-in. Prints one JSON document."""

from __future__ import annotations

import json
import logging
import sys
import warnings
from importlib import import_module
from importlib.metadata import version
from typing import Any

from frameworks.cells import Cell, cells_of
from frameworks.rows import all_rows
from untorn.replay.server import ReplayServer


def main(modules: list[str]) -> None:
    """Fill the cells, and print them."""
    warnings.simplefilter("ignore")  # those of other people's code
    logging.disable()
    ways = [way for name in modules for way in import_module(f"frameworks.ways.{name}").WAYS]
    cells = []
    for with_ours in (False, True):
        with ReplayServer() as server:
            filled = cells_of(ways, all_rows().values(), server, with_ours=with_ours)
            cells += [told(cell, with_ours=with_ours) for cell in filled]
            server.wait_closed()
    print(json.dumps({"openai": version("openai"), "cells": cells}))


def told(cell: Cell, *, with_ours: bool) -> dict[str, Any]:
    """A cell, as the page needs it."""
    return {
        "library": cell.way.library,
        "row": cell.row.name,
        "with_ours": with_ours,
        "word": cell.word,
        "error": cell.error and f"{type(cell.error).__name__}: {cell.error}",
    }


if __name__ == "__main__":
    main(sys.argv[1:])
