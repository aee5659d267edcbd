"""The command line and eyes for pictures, shared with the tests of the front doors."""

from __future__ import annotations

from tests.cli.conftest import between, hooks, run, run_json
from tests.plotting.conftest import artists, pixels

__all__ = ["artists", "between", "hooks", "pixels", "run", "run_json"]
