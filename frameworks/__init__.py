"""What hard streams do to programs on the openai SDK, bare and with the drop-in underneath.

Its own tests and ``make frameworks`` play the same rows; that command writes docs/frameworks.md.
"""
