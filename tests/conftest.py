"""How Hypothesis works in all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A busy machine is no mistake: nothing is judged by the clock. Folders of a test are shared by its examples, and
# the tests that use them reckon with it.
settings.register_profile(
    "recall",
    settings(),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("recall")
