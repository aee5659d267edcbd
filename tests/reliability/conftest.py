"""The command line and eyes for pictures, shared with the tests of the front doors."""

from __future__ import annotations

from tests.cli.conftest import run, run_json
from tests.plotting.conftest import artists, pixels
from tests.scenes.conftest import block, write

__all__ = ["artists", "block", "pixels", "run", "run_json", "write"]
