"""``python -m untorn`` is the command ``untorn``."""

from __future__ import annotations

import sys

from untorn.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
