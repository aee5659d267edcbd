"""Fixtures of the tests of planar grasps: the command line in this process, and artists by their group name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result


@pytest.fixture
def run() -> Callable[..., Result]:
    """Run `holdfast ...`; what it returned."""

    def invoke(*words: str | Path) -> Result:
        from holdfast.cli import app

        return CliRunner().invoke(app, [str(word) for word in words])

    return invoke


@pytest.fixture
def run_json(run: Callable[..., Result]) -> Callable[..., tuple[int, Any]]:
    """Run `holdfast ... --json`; its exit code and the JSON on standard output."""

    def invoke(*words: str | Path) -> tuple[int, Any]:
        result = run(*words, "--json")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception

        def refuse(name: str) -> None:
            raise AssertionError(f"{name} is not JSON")

        return result.exit_code, json.loads(result.stdout, parse_constant=refuse)

    return invoke


@pytest.fixture
def artists() -> Callable[[Any, str], list[Any]]:
    """The artists of an Axes that carry a group name."""

    def find(ax: Any, gid: str) -> list[Any]:
        return [artist for artist in ax.get_children() if artist.get_gid() == gid]

    return find
