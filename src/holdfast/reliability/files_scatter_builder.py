"""Scatter of a scene file: from what the file says to `Scatter`, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..assembly.assembly import Assembly
from ..files.error_context import Site
from ..force_limits import ForceVolume
from ..force_limits.files import Volumes
from .bands import Band
from .distributions import Distribution
from .files_scatter_schema import DistributionPart, ScatterPart
from .scatter import Scatter, checked_units, units_of


def build_scatter(part: ScatterPart | None, assembly: Assembly, volumes: Volumes, site: Site) -> Scatter | None:
    """The scatter that the file speaks of, checked against the assembly's units; None when it says nothing."""
    if part is None:
        return None
    bands = []
    for name, levels in part.bands.items():
        here = site / "bands" / name
        nominal = volumes.force_volume(name, here)
        bands.append(Band(nominal, [volumes.force_volume(level, here / i) for i, level in enumerate(levels)]))
    with site.watch():
        scatter = Scatter(
            strength=_distribution(part.strength),
            friction=_distribution(part.friction),
            units={name: _distribution(value) for name, value in part.units.items()},
            correlation=part.correlation,
            position=part.position,
            position_correlation=part.position_correlation,
            mass=_distribution(part.mass),
            com=part.com,
            bands=bands,
        )
        checked_units(scatter, units_of(assembly))
    return scatter


def scatter_data(scatter: Scatter, bands: Sequence[tuple[str, Sequence[str]]]) -> dict[str, Any]:
    """The scatter as plain data of a scene file; `bands` names the volumes of each of its bands."""
    data = {name: value for name, value in scatter.to_dict().items() if name != "bands"}
    if bands:
        data["bands"] = {nominal: list(levels) for nominal, levels in bands}
    return data


def band_volumes(scatter: Scatter | None) -> list[tuple[ForceVolume, tuple[ForceVolume, ...]]]:
    """(nominal, levels) of each band: volumes that the file must hold besides those of the contacts."""
    return [] if scatter is None else [(band.nominal, tuple(band.levels)) for band in scatter.bands]


def _distribution(value: Any) -> Distribution | float | None:
    if isinstance(value, DistributionPart):
        return Distribution(value.kind, value.mean, value.variation)
    return value
