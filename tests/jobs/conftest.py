"""A small task, and children that run a sweep of it and can be killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def child() -> Any:
    """Start Python code in another process, in a session of its own, with arguments; killed at the end if it still runs."""
    started: list[subprocess.Popen[str]] = []

    def start(code: str, *arguments: object, **options: Any) -> subprocess.Popen[str]:
        paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        command = [sys.executable, "-W", "error", "-c", code, *map(str, arguments)]
        process = subprocess.Popen(command, env=environment, start_new_session=True, **(pipes | options))
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def run_child(child: Callable[..., subprocess.Popen[str]]) -> Callable[..., tuple[int, str, str]]:
    """Run such a child to its end; exit code, standard output, standard error."""

    def run(code: str, *arguments: object, **options: Any) -> tuple[int, str, str]:
        process = child(code, *arguments, **options)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    return run
