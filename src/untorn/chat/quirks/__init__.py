"""The ways in which providers differ, one file each, told by their shape on the wire.

A file's docstring has three parts: what is on the wire, where it was seen, what we do. Its name
is the code of the defect that is reported. Everything else that can be odd is one condition at
the place where it is noticed; ``untorn.chat.defects`` lists all.
"""

# In the order in which a stream passes them.
QUIRKS = (
    "choices_missing",
    "message_for_delta",
    "content_not_string",
    "reasoning_duplicated",
    "legacy_function_call",
    "arguments_not_string",
    "usage_in_extension",
    "usage_placeholder",
    "surrogate_split",
    "content_cumulative",
    "tool_index_missing",
    "tool_index_reused",
    "arguments_placeholder",
    "arguments_resent",
    "arguments_cumulative",
    "tool_call_duplicated",
)
