"""Changes the core in small ways, one at a time, and asks whether a test notices.

    python -m mutation            every module of the core
    python -m mutation framing    those with "framing" in their path

A test that passes whatever the code does is no test. docs/mutants.md says how to read what is
printed, and what came out.
"""
