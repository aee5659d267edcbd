"""The machine and the versions that figures hold for."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

import holdfast

PACKAGES = ("holdfast", "numpy", "scipy", "numba", "highspy", "pydantic", "typer", "matplotlib", "trimesh")
#: Packages that only benchmarks know: rivals, each left out where it is not installed.
PEERS = ("cvxopt", "pyscipopt", "klampt", "hpp-centroidal-dynamics", "drake")
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
    if package == "holdfast":
        return holdfast.__version__
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return NOT_INSTALLED


def versions() -> dict[str, str]:
    """The versions the figures hold for."""
    return {"python": platform.python_version(), **{package: version(package) for package in (*PACKAGES, *PEERS)}}


def facts() -> dict[str, Any]:
    """Date, versions and hardware, as every saved run holds them."""
    date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {"date": date, "versions": versions(), "hardware": hardware()}


def described(found: dict[str, Any]) -> str:
    """`facts` as two lines of text."""
    lines = ["  ".join(f"{key} {value}" for key, value in found[part].items()) for part in ("versions", "hardware")]
    return "\n".join(lines)
