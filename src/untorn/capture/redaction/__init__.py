"""A capture that says nothing any more: to show how a server streams, not what it said.

    body → lines → events → JSON strings → shapes

Everything keeps its length and its place: bytes, reads, escapes, which texts are the same and
which begin with others. So the core finds the same events, sizes and defects in it. What stays is
the protocol's own vocabulary (``vocabulary.py``) and counts.
"""

from untorn.capture.redaction.captures import redact

__all__ = ["redact"]
