"""What a scene file may say about admissible forces: a model, measurements, a surface, pieces, or a file of pieces.

The fields of a model are its parameters, taken from the list of ready models, so that a new model is at once
known to scene files and their JSON Schema.
"""

# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportOperatorIssue=false, reportArgumentType=false

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from ..files.schema import (
    File,
    Number,
    Part,
    Positive,
    Vector,
    by_type,
    check_spelling,
    complaint,
    field_tags,
    tag_by_field,
    tagged_union,
)
from . import models
from .models import ModelInfo, Parameter

Side = Literal["inner", "outer"]


class VolumePart(Part):
    """What all volumes share."""

    scale: Positive = Field(1.0, description="every force is multiplied by this: 0.25 for a quarter of the unit")


def _parameter_field(parameter: Parameter) -> tuple[Any, Any]:
    """Annotation and default of one parameter of a model, by the type of its default."""
    unit = f" [{parameter.unit}]" if parameter.unit not in ("", "1") else ""
    described = Field(parameter.default, description=f"{parameter.meaning}{unit}")
    if parameter.name == "side":
        return Side, described
    if isinstance(parameter.default, str):
        return str, described
    if isinstance(parameter.default, int):
        return int, described
    return (Number | None if parameter.default is None else Number), described


def _model_part(info: ModelInfo) -> type[Part]:
    fields: dict[str, Any] = {parameter.name: _parameter_field(parameter) for parameter in info.parameters}
    return create_model(
        f"{info.name}_model",
        __base__=VolumePart if info.kind == "point" else Part,
        __doc__=info.summary,
        model=(Literal[info.name], Field(description=info.summary)),
        **fields,
    )


#: One part a ready model.
MODEL_PARTS: dict[str, type[Part]] = {info.name: _model_part(info) for info in models.list()}


class DecomposePart(Part):
    """How a limit surface becomes convex pieces."""

    side: Side = Field("inner", description="inner: nothing invented; outer: nothing lost")
    pieces: Annotated[int, Field(ge=1, le=64)] = Field(6, description="most convex pieces")
    error: Positive | None = Field(
        None,
        description="wanted largest error [N]: adhesion lost (inner) or invented (outer), with the fewest pieces",
    )


class SurfaceOptions(VolumePart):
    """What measured and stored surfaces share."""

    band: Literal["inner", "nominal", "outer"] = Field(
        "nominal", description="which surface of repeated trials: the weakest, the middle or the strongest"
    )
    decompose: DecomposePart = Field(DecomposePart(), description="how it becomes convex pieces")


CompressionChoice = by_type(
    (str, Literal["measured", "unlimited"]),
    ((int, float), Positive),
    fix="give measured, unlimited or a cap [N]",
)


class MeasurementsPart(SurfaceOptions):
    """Measured limit forces in a CSV file."""

    measurements: File = Field(description="path of the CSV file, relative to the scene file")
    compression: CompressionChoice = Field(
        "measured", description="pressing directions nobody measured: measured, unlimited, or a cap [N]"
    )
    fill: Literal["zero", "least"] = Field("zero", description="limit in directions that were never measured")


class SurfacePart(SurfaceOptions):
    """A limit surface in a JSON file that Holdfast wrote."""

    surface: File = Field(description="path of the JSON file, relative to the scene file")


class PiecesPart(VolumePart):
    """Convex pieces by their vertices."""

    pieces: list[Annotated[list[Vector], Field(min_length=1)]] = Field(
        min_length=1, max_length=1000, description="one list of vertices [N] a piece, in the contact frame"
    )
    rays: list[list[Vector]] | None = Field(None, description="one list a piece of directions without a limit")
    flat: bool = Field(False, description="whether flat pieces are meant (a frictionless contact, say)")


class VolumeFilePart(VolumePart):
    """Convex pieces in a JSON file that `holdfast decompose -o` wrote."""

    file: File = Field(description="path of the JSON file, relative to the scene file")


#: The parts that are told apart by their first field.
SOURCE_PARTS: dict[str, type[Part]] = {
    "measurements": MeasurementsPart,
    "surface": SurfacePart,
    "pieces": PiecesPart,
    "file": VolumeFilePart,
}


def _tag_of(value: Any) -> str:
    """Which of the parts a volume is: that of its model, or that of the field it has."""
    sources = ("model", *SOURCE_PARTS)
    given = [name for name in sources if name in value] if isinstance(value, dict) else []
    if given[:1] == ["model"]:
        return tag_by_field(value, "model", MODEL_PARTS, "model")
    if not given:
        check_spelling(value if isinstance(value, dict) else {}, sources)
        raise complaint("says nothing of its forces", f"give one of: {', '.join(sources)}")
    return f"<volume {given[0]}>"


VolumeChoice = tagged_union(_tag_of, field_tags(MODEL_PARTS, "model") | field_tags(SOURCE_PARTS, "volume"))
