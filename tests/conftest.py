"""Settings of all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How long an example takes says more about the machine than about the code. In CI Hypothesis has
# a profile that makes the examples the same each time; this one is built on the one in force.
settings.register_profile(
    "untorn", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("untorn")
