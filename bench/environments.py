"""Environments of their own, for code that untorn's tests do without."""

from __future__ import annotations

import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent


def interpreter_of(folder: Path) -> str:
    """The interpreter of the environment in ``folder``, which is made first where there is none.
    It is empty then, and git does not see it."""
    if not folder.exists():
        print(f"setting up {folder.relative_to(ROOT)}, which takes a moment ...", flush=True)
        venv.create(folder, with_pip=True)
        (folder / ".gitignore").write_text("*\n")
    return str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")
