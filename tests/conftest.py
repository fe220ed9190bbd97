"""Settings of all tests."""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, settings

# Its assertions are those of two tests, and shall tell as much as theirs.
pytest.register_assert_rewrite("tests.parity")

# A shell that starts something in the background has it ignore Ctrl-C, and so would all processes
# that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says more about the machine than about the code. In CI Hypothesis has
# a profile that makes the examples the same each time; this one is built on the one in force.
settings.register_profile(
    "untorn", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("untorn")
