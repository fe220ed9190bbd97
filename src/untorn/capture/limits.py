"""How much a recorded file may be: precautions against what is none, far above what there is."""

from __future__ import annotations

from untorn.options import KIB, MIB

FORMAT_VERSION = 1
"""Of ``.untorn``."""
MOST_LINE = 16 * MIB
"""Bytes of one line of ``.untorn``."""
MOST_READ = 2 * MIB
"""Bytes that one line carries, each of which may become six in JSON. No HTTP library gives more
at once; what is longer becomes several lines."""
MOST_TEXT = 64 * KIB
"""Characters of a label or a reason; the rest is dropped."""
MOST_SECONDS = 1e10
"""Of an interval and of a timestamp: the year 2286, still exact to microseconds."""
MOST_HAR = 256 * MIB
"""Bytes of a HAR, which is held whole."""
READ_SIZE = 64 * KIB
"""Bytes of the reads of a body whose own reads nobody wrote down."""
