"""What a scene file may say about scatter: how far strengths, positions and the object stray from what is planned."""

# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportOperatorIssue=false, reportArgumentType=false

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..files.schema import Name, Part, Positive, by_type

#: Coefficients of variation and standard deviations of positions [m]; larger ones are a mistake.
Variation = Annotated[float, Field(allow_inf_nan=False, ge=0.0, le=3.0)]
Deviation = Annotated[float, Field(allow_inf_nan=False, ge=0.0, le=1.0)]
Share = Annotated[float, Field(allow_inf_nan=False, ge=0.0, le=1.0)]


class DistributionPart(Part):
    """How a factor varies."""

    kind: Literal["normal", "lognormal", "weibull", "uniform"] = Field(
        "normal", description="family; a normal factor is cut off at zero"
    )
    mean: Positive = Field(1.0, description="mean of the factor")
    variation: Variation = Field(description="coefficient of variation: standard deviation over mean")


DistributionChoice = by_type(
    ((int, float), Variation),
    (dict, DistributionPart),
    fix="give a coefficient of variation such as 0.3, or fields: {kind: weibull, variation: 0.3}",
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
    correlation: Share = Field(1.0, description="of contacts within a unit: 1 one factor a unit, 0 one a contact")
    position: DeviationChoice = Field(0.0, description="standard deviation of the points of contact [m]")
    position_correlation: Share = Field(1.0, description="the same for positions: 1 shifts whole units")
    mass: DistributionChoice | None = Field(None, description="factor on the object's weight")
    com: DeviationChoice = Field(0.0, description="standard deviation of the centre of mass [m]")
    bands: dict[Name, Annotated[list[Name], Field(min_length=1, max_length=100)]] = Field(
        {}, description="for a volume, the volumes that it may turn out to be, equally likely, weakest first"
    )
