"""Settings shared by every test: no display, and property tests that repeat exactly; the command line in this process.

HOLDFAST_HYPOTHESIS=thorough draws many new examples instead of the same few.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from typer.testing import CliRunner, Result

from tests.pictures import area, artists, cone, dented, drawn, measured, pixels, two_boxes  # noqa: F401 - fixtures

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

#: Two-way hooks, opposed: whether it holds depends on the choice of pieces.
HOOKS = """\
holdfast: 1
name: hooks
object: {mass: 0.3}
loads: {pull: {force: [0, 0, -1]}, aside: {force: [1, 0, 0]}}
volumes: {hook: {model: gecko_two_way, shear: 5}}
contacts:
  - {name: a, position: [0.05, 0.01, 0], normal: [0.2, 0, -1], shear: [1, 0, 0], volume: hook}
  - {name: b, position: [-0.05, 0.02, 0], normal: [-0.2, 0.1, -1], shear: [1, 0, 0], volume: hook}
  - {name: c, position: [0.01, 0.05, 0], normal: [0, 0.2, -1], shear: [0, 1, 0], volume: hook}
  - {name: d, position: [0.02, -0.05, 0], normal: [0.1, -0.2, -1], shear: [0, 1, 0], volume: hook}
"""


@pytest.fixture
def run() -> Callable[..., Result]:
    """Run `holdfast ...`; what it returned."""

    def invoke(*words: str | Path) -> Result:
        from holdfast.cli import app

        return CliRunner().invoke(app, [str(word) for word in words])

    return invoke


@pytest.fixture
def run_json(run: Callable[..., Result]) -> Callable[..., tuple[int, Any]]:
    """Run `holdfast ... --json`; its exit code and what the JSON on standard output says."""

    def invoke(*words: str | Path) -> tuple[int, Any]:
        result = run(*words, "--json")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception

        def refuse(name: str) -> None:
            raise AssertionError(f"{name} is no JSON")

        return result.exit_code, json.loads(result.stdout, parse_constant=refuse)

    return invoke


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    """A scene file."""
    path = tmp_path / "hooks.yaml"
    path.write_text(HOOKS, encoding="utf-8")
    return path


@pytest.fixture
def between() -> str:
    """A wrench between what the hooks hold and what their hulls would (7.86 and 10.2 of its 8.6 N): it takes a search."""
    return "--wrench=0,-8.6,0,0.258,0,0.344"
