"""The machine and the versions that figures hold for."""

from __future__ import annotations

from typing import Any

from studies import tables as machine
from studies.tables import NOT_INSTALLED, described, version

PACKAGES = ("holdfast", "numpy", "scipy", "numba", "highspy", "pydantic", "typer", "matplotlib", "trimesh")
#: Packages that only benchmarks know: rivals, each left out where it is not installed.
PEERS = ("cvxopt", "pyscipopt", "clarabel", "daqp", "klampt", "hpp-centroidal-dynamics", "drake")

__all__ = ["NOT_INSTALLED", "PACKAGES", "PEERS", "described", "facts", "version"]


def facts() -> dict[str, Any]:
    """Date, versions and hardware, as every saved run holds them."""
    return machine.metadata((*PACKAGES, *PEERS))
