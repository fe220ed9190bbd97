"""One line → its field's name and value. The one place that splits at a colon."""

from __future__ import annotations


def split_field(line: bytes) -> tuple[bytes, bytes]:
    """The field name and the value of a line that is not blank.

    WHATWG, 9.2.6: the first colon splits; one space after it is removed; a line without a colon
    is a name with an empty value. A comment is a line whose name is empty.
    """
    name, _, value = line.partition(b":")
    return name, value[1:] if value[:1] == b" " else value
