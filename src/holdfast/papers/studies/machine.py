"""The machine and the versions that measured figures hold for."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: Packages whose versions bear on what is measured, and rivals that may be absent.
PACKAGES = ("holdfast", "numpy", "scipy", "numba", "highspy", "cvxopt", "pyscipopt")
NOT_INSTALLED = "not installed"


def hardware() -> dict[str, Any]:
    """The machine the figures hold for, as far as it tells."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    return {"system": platform.system(), "machine": platform.machine(), "processor": model, "cores": os.cpu_count()}


def version(package: str) -> str:
    """The installed version of a distribution, or NOT_INSTALLED; Holdfast itself may run from its sources."""
    if package == "holdfast":  # loaded as the parent of this module; to import it would tie this room to those above
        return sys.modules[__name__.partition(".")[0]].__version__
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return NOT_INSTALLED


def facts(packages: Sequence[str] = PACKAGES) -> dict[str, Any]:
    """Date, versions and hardware, as JSON values."""
    date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    versions = {"python": platform.python_version(), **{package: version(package) for package in packages}}
    return {"date": date, "versions": versions, "hardware": hardware()}


def described(found: dict[str, Any]) -> str:
    """`facts` as two lines of text: versions, hardware."""
    lines = ["  ".join(f"{key} {value}" for key, value in found[part].items()) for part in ("versions", "hardware")]
    return "\n".join(lines)
