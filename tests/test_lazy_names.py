"""Public names are loaded when they are first used, and kept."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import holdfast.reliability as room
assert "holdfast.reliability.scatter" not in sys.modules and "Scatter" not in vars(room)
first = room.Scatter
assert vars(room)["Scatter"] is first is sys.modules["holdfast.reliability.scatter"].Scatter
assert "Scatter" in dir(room) and "Scatter" in room.__all__
try:
    room.nothing
except AttributeError as error:
    assert "nothing" in str(error)
else:
    raise AssertionError("a name that does not exist was found")
print("right")
"""


def test_a_name_is_loaded_when_it_is_first_used_and_kept() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.stdout == "right\n", done.stderr
