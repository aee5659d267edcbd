"""Scatter in scene files: the fields, and their conversion to `Scatter` and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ..assembly.assembly import Assembly
from ..files.schema import File, Name, Part, Positive, by_type, complaint
from ..files.yaml_source import Site
from ..force_limits import ForceVolume
from ..force_limits.files import Volumes
from .scatter import Band, Distribution, Scatter, checked_units, units_of
from .trials import scatter_from_trials

# The fields of the file.

# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportOperatorIssue=false, reportArgumentType=false


#: Largest coefficient of variation and standard deviation of positions [m]; larger values are mistakes.
Variation = Annotated[float, Field(allow_inf_nan=False, ge=0.0, le=3.0)]
Deviation = Annotated[float, Field(allow_inf_nan=False, ge=0.0, le=1.0)]
Share = Annotated[float, Field(allow_inf_nan=False, ge=0.0, le=1.0)]


class DistributionPart(Part):
    """How a factor varies."""

    kind: Literal["normal", "lognormal", "weibull", "uniform"] = Field(
        "normal", description="family; a normal factor is cut off at zero"
    )
    mean: Positive = Field(1.0, description="mean of the factor")
    variation: Variation | None = Field(None, description="coefficient of variation: standard deviation over mean")
    trials: File | None = Field(
        None, description="CSV file of repeated trials in place of variation: that of all groups pooled"
    )
    group: Name | None = Field(None, description="with trials: the group whose own variation is taken, not pooled")

    @model_validator(mode="after")
    def _one_variation(self) -> DistributionPart:
        if (self.variation is None) == (self.trials is None):
            what = "has no variation" if self.trials is None else "has variation and trials"
            raise complaint(what, "give variation, or a CSV file of trials")
        if self.group is not None and self.trials is None:
            raise complaint("has a group without trials", "give trials: FILE.csv, or leave group out")
        return self


DistributionChoice = by_type(
    ((int, float), Variation),
    (dict, DistributionPart),
    fix="give a coefficient of variation such as 0.3, or fields: {kind: weibull, variation: 0.3} or {trials: FILE.csv}",
)

DeviationChoice = by_type(
    ((int, float), Deviation),
    (list, Annotated[list[Deviation], Field(min_length=3, max_length=3)]),
    fix="give one standard deviation [m], or three: [0.001, 0.001, 0.002]",
)


class ScatterPart(Part):
    """What varies from one specimen to the next; a number stands for a normal factor of that variation."""

    strength: DistributionChoice | None = Field(None, description="factor on all forces of a contact")
    friction: DistributionChoice | None = Field(None, description="factor on the shear components alone")
    units: dict[Name, DistributionChoice] = Field({}, description="strength of single units, by name")
    correlation: Share = Field(1.0, description="1: one factor for all contacts of a unit; 0: independent factors")
    position: DeviationChoice = Field(0.0, description="standard deviation of the points of contact [m]")
    position_correlation: Share = Field(1.0, description="the same for positions: 1 shifts whole units")
    mass: DistributionChoice | None = Field(None, description="factor on the object's weight")
    com: DeviationChoice = Field(0.0, description="standard deviation of the centre of mass [m]")
    bands: dict[Name, Annotated[list[Name], Field(min_length=1, max_length=100)]] = Field(
        {}, description="for a volume, the volumes that it may turn out to be, equally likely, weakest first"
    )


# To a Scatter, and back.


def build_scatter(part: ScatterPart | None, assembly: Assembly, volumes: Volumes, site: Site) -> Scatter | None:
    """The scatter of the file, checked against the assembly's units; None when it has none."""
    if part is None:
        return None
    bands = []
    for name, levels in part.bands.items():
        here = site / "bands" / name
        nominal = volumes.force_volume(name, here)
        bands.append(Band(nominal, [volumes.force_volume(level, here / i) for i, level in enumerate(levels)]))
    with site.watch():
        scatter = Scatter(
            strength=_distribution(part.strength, site / "strength"),
            friction=_distribution(part.friction, site / "friction"),
            units={name: _distribution(value, site / "units" / name) for name, value in part.units.items()},
            correlation=part.correlation,
            position=part.position,
            position_correlation=part.position_correlation,
            mass=_distribution(part.mass, site / "mass"),
            com=part.com,
            bands=bands,
        )
        checked_units(scatter, units_of(assembly))
    return scatter


def scatter_data(scatter: Scatter, bands: Sequence[tuple[str, Sequence[str]]]) -> dict[str, Any]:
    """The scatter as plain data of a scene file; `bands` has the names of the volumes of each band."""
    data = {name: value for name, value in scatter.to_dict().items() if name != "bands"}
    if bands:
        data["bands"] = {nominal: list(levels) for nominal, levels in bands}
    return data


def band_volumes(scatter: Scatter | None) -> list[tuple[ForceVolume, tuple[ForceVolume, ...]]]:
    """(nominal, levels) of each band: volumes that the file must contain in addition to those of the contacts."""
    return [] if scatter is None else [(band.nominal, tuple(band.levels)) for band in scatter.bands]


def _distribution(value: Any, site: Site) -> Distribution | float | None:
    if not isinstance(value, DistributionPart):
        return value
    if value.variation is not None:
        return Distribution(value.kind, value.mean, value.variation)
    assert value.trials is not None  # the schema requires one of the two
    with site.watch():
        fitted = scatter_from_trials(site.file(value.trials), kind=value.kind).distribution(value.group)
        return replace(fitted, mean=value.mean)
    raise AssertionError("unreachable")  # pragma: no cover - watch() never swallows
