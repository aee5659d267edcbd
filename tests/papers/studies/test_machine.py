from __future__ import annotations

import json
import platform

import numpy as np

import holdfast
from holdfast.papers import tables as machine


def test_versions_are_those_in_use_and_what_is_absent_is_said():
    found = machine.facts(("holdfast", "numpy", "no-such-distribution"))
    assert found["versions"] == {
        "python": platform.python_version(),
        "holdfast": holdfast.__version__,
        "numpy": np.__version__,
        "no-such-distribution": machine.NOT_INSTALLED,
    }
    json.dumps(found, allow_nan=False)
    first, second = machine.described(found).splitlines()
    assert f"numpy {np.__version__}" in first
    assert f"cores {found['hardware']['cores']}" in second
