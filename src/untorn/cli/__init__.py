"""The command ``untorn``: one file for each command, and what they print with."""
