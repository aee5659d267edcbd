"""Settings shared by every test: no display, and property tests that repeat exactly.

HOLDFAST_HYPOTHESIS=thorough draws many new examples instead of the same few.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

os.environ["MPLBACKEND"] = "Agg"

settings.register_profile(
    "default",
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
settings.register_profile("thorough", settings.get_profile("default"), derandomize=False, max_examples=2000)
settings.load_profile(os.environ.get("HOLDFAST_HYPOTHESIS", "default"))
