from __future__ import annotations

import subprocess
import sys

import pytest

import holdfast.wrench_spaces
from holdfast.lazy_names import loader


def test_a_name_is_loaded_from_its_home_once_and_then_stands_in_the_package() -> None:
    code = """
import sys
import holdfast.reliability as room
assert "holdfast.reliability.scatter" not in sys.modules and "Scatter" not in vars(room)
first = room.Scatter
assert room.Scatter is first is sys.modules["holdfast.reliability.scatter"].Scatter
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match=r"'holdfast.wrench_spaces' has no attribute 'wrench_paces'"):
        _ = holdfast.wrench_spaces.wrench_paces  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(AttributeError, match="'room' has no attribute 'x'"):
        loader("room", {})("x")
