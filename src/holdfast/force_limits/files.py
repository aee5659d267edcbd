"""Force volumes in files: JSON files of convex pieces, and the `volumes` of a scene file.

A volume file is a JSON object with the format's name and version, the unit, the pieces with their rays, and how the
volume was made; `holdfast decompose -o` writes it. Numbers are written so that reading gives back the same bits.

In a scene file a volume is a model, measurements (also at one of several preloads), a surface, pieces, or a file of
pieces. The fields of a model are its parameters, taken from the list of ready models, so that scene files and their
JSON Schema include every new model.
"""

# The unions below are built at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportOperatorIssue=false, reportArgumentType=false

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, create_model, model_validator

from ..checks import Side
from ..compiling import feature_sources
from ..errors import FileError, SceneError, UnknownNameError
from ..files.schema import (
    Bound,
    File,
    Matrix,
    Name,
    NotNegative,
    Number,
    Part,
    Positive,
    Vector,
    by_field,
    by_type,
    complaint,
    faults,
    field_tags,
    misspelt,
    tag_by_field,
    tagged_union,
)
from ..files.yaml_source import Site, YamlSource
from ..inputs import write_whole
from ..jobs import fingerprint
from . import measurements, models
from .decomposition import decompose
from .measurements import read_measurements
from .models import ModelInfo, ModelParameter, PointPatch
from .models.registry import MODELS
from .samples import MOST_SMOOTHING
from .surface import LimitSurface, read_json
from .volume import DecompositionReport, ForceVolume, Recipe

# -- force volumes in JSON files ------------------------------------------------------------------------

VOLUME_FORMAT = "holdfast force volume"
VOLUME_VERSION = 1


class ReportPart(Part):
    """Errors of the volume compared with its surface; see DecompositionReport."""

    side: Side
    pieces: int
    overreach_percent: Bound
    overreach_newtons: Bound
    false_adhesion_newtons: Bound
    loss_percent: Bound
    loss_newtons: Bound
    lost_adhesion_newtons: Bound
    goal_reached: bool = True
    time_limit_reached: bool = False
    false_shear_newtons: Bound = 0.0
    lost_shear_newtons: Bound = 0.0
    pull_direction: Vector | None = None
    shear_direction: Vector | None = None
    notes: list[str] = Field([])


class VolumeDocument(Part):
    """The file."""

    format: Literal["holdfast force volume"]
    version: Literal[1]
    unit: Literal["N"]
    source: str = ""
    pieces: list[Annotated[list[Vector], Field(min_length=1)]] = Field(min_length=1)
    rays: list[list[Vector]] | None = None
    report: ReportPart | None = None


def save_volume(volume: ForceVolume, path: str | Path, *, source: str = "") -> None:
    """Write `volume` to a JSON file; `source` says in words where it comes from."""
    write_whole(path, volume_text(volume, source).encode())


def volume_text(volume: ForceVolume, source: str = "") -> str:
    """The text of the file that `save_volume` writes."""
    data = {
        "format": VOLUME_FORMAT,
        "version": VOLUME_VERSION,
        "unit": "N",
        "source": source,
        "report": None if volume.report is None else volume.report.to_dict(),
        "pieces": [piece.tolist() for piece in volume.pieces],
        "rays": None if volume.is_bounded else [rays.tolist() for rays in volume.rays],
    }
    return json.dumps(data, indent=1) + "\n"


def load_volume(path: str | Path) -> ForceVolume:
    """The volume that `save_volume` wrote; any other or damaged file raises FileError."""
    data = read_json(path, VOLUME_FORMAT, VOLUME_VERSION, fix="give a file that `holdfast decompose -o` wrote")
    try:
        document = VolumeDocument.model_validate(data)
    except ValidationError as error:
        first = faults(error, YamlSource(Path(path), data), VolumeDocument)[0]
        raise FileError(first.what, path=path, field=first.field, fix=first.fix) from None
    report = None if document.report is None else DecompositionReport(**document.report.model_dump())
    return ForceVolume(document.pieces, document.rays, allow_flat=True, report=report)


# -- what a scene file may say about admissible forces --------------------------------------------------


PreloadChoice = by_type(
    ((int, float), Number), (list, Vector), fix="give the normal force, or a force in the contact frame: [0, 0, 5]"
)


class SuspensionPart(Part):
    """The stiffness of a contact, in the contact frame (x along the shear, y across, z into the object)."""

    normal: NotNegative | None = Field(None, description="stiffness along the normal [N/m]")
    tangential: NotNegative | None = Field(None, description="stiffness within the surface, along x and y [N/m]")
    across: NotNegative | None = Field(None, description="stiffness along y [N/m], if not the tangential one")
    matrix: Matrix | None = Field(None, description="3 x 3 stiffness [N/m] instead of the other numbers")
    preload: PreloadChoice = Field(0.0, description="force before any load [N]: along the normal, or [x, y, z]")
    rule: Literal["brittle", "slip", "ductile"] = Field(
        "brittle",
        description="when the force leaves the volume: it is lost (brittle), slips, or stays on the border (ductile)",
    )

    @model_validator(mode="after")
    def _one_stiffness(self) -> SuspensionPart:
        given = [name for name in ("normal", "tangential", "across") if getattr(self, name) is not None]
        if self.matrix is not None and given:
            raise complaint(f"has a matrix and {given[0]}", f"leave out matrix or {', '.join(given)}")
        if self.matrix is None and not {"normal", "tangential"} <= {*given}:
            missing = "normal" if self.normal is None else "tangential"
            raise complaint(f"has no {missing} stiffness", "give normal and tangential [N/m], or matrix")
        return self


class Suspended(Part):
    """Fields of every entry with a suspension."""

    suspension: SuspensionPart | None = Field(
        None,
        description="stiffness of the whole unit, for load sharing; by default that of the volume, or of its model",
    )


class VolumePart(Suspended):
    """Fields of all volumes."""

    scale: Positive = Field(1.0, description="every force is multiplied by this: 0.25 for a quarter of the unit")


def _parameter_field(parameter: ModelParameter) -> tuple[Any, Any]:
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


def _model_part(info: ModelInfo, base: type[Part] | None = None, name: str = "model") -> type[Part]:
    fields: dict[str, Any] = {parameter.name: _parameter_field(parameter) for parameter in info.parameters}
    return create_model(
        f"{info.name}_{name}",
        __base__=base or (VolumePart if info.kind == "point" else Suspended),
        __doc__=info.summary,
        model=(Literal[info.name], Field(description=info.summary)),
        **fields,
    )


#: One part per ready model.
MODEL_PARTS: dict[str, type[Part]] = {info.name: _model_part(info) for info in models.list()}


class DecomposePart(Part):
    """How a limit surface becomes convex pieces."""

    side: Side = Field("inner", description="inner: inside the true limits; outer: around them")
    pieces: Annotated[int, Field(ge=1, le=64)] = Field(6, description="largest number of convex pieces")
    error: Positive | None = Field(
        None,
        description="allowed error [N]: adhesion lost (inner) or added (outer); uses the fewest pieces",
    )


class SurfaceOptions(VolumePart):
    """Fields of measured and stored surfaces."""

    band: Literal["inner", "nominal", "outer"] = Field(
        "nominal", description="which surface of repeated trials: the weakest, the middle or the strongest"
    )
    decompose: DecomposePart = Field(DecomposePart(), description="how it becomes convex pieces")


CompressionChoice = by_type(
    (str, Literal["measured", "unlimited"]),
    ((int, float), Positive),
    fix="give measured, unlimited or a cap [N]",
)


SmoothingChoice = by_type(
    (str, Literal["auto", "none"]),
    ((int, float), Annotated[float, Field(ge=0.0, le=MOST_SMOOTHING)]),
    fix="give auto, none or a share",
)


#: Models that may be assumed for tests along one axis: one part per ready model with a pull-off force.
ASSUMED_PARTS: dict[str, type[Part]] = {
    name: _model_part(models.get(name), Part, "assumed") for name in measurements.PULL_MODELS
}

AssumeChoice = by_type(
    (str, Literal["segment"]),
    (dict, by_field("model", ASSUMED_PARTS, "model")),
    fix="give segment, or a model with its parameters: {model: magnet, mu: 0.3}",
)


class MeasuredOptions(SurfaceOptions):
    """Fields of measured limit forces."""

    along: Vector | None = Field(
        None, description="direction of tests along one axis, in the contact frame; straight off by default"
    )
    assume: AssumeChoice | None = Field(
        None, description="assumed for tests along one axis: segment, or a model whose pull-off force they measure"
    )
    compression: CompressionChoice = Field(
        "measured", description="pressing directions that were not measured: measured, unlimited, or a cap [N]"
    )
    fill: Literal["zero", "least"] = Field("zero", description="limit in directions that were never measured")
    smoothing: SmoothingChoice = Field(
        "auto", description="scatter of one trial to smooth for: auto (from repeated trials), none, or a share"
    )

    @model_validator(mode="after")
    def _surface_or_assumption(self) -> MeasuredOptions:
        surface = [name for name in ("decompose", "fill", "smoothing") if name in self.model_fields_set]
        if self.assume is not None and surface:
            raise complaint(f"has assume and {surface[0]}", f"leave out {', '.join(surface)}: one axis has no surface")
        return self


class MeasurementsPart(MeasuredOptions):
    """Measured limit forces in a CSV file."""

    measurements: File = Field(description="path of the CSV file, relative to the scene file")


class PreloadedPart(MeasuredOptions):
    """Limit forces measured at several preloads, in a CSV file with a column preload, at one preload."""

    preloaded: File = Field(description="path of the CSV file, relative to the scene file")
    preload: NotNegative = Field(description="pressing force on the contact before it is loaded [N]")
    beyond: Literal["error", "largest"] = Field(
        "error", description="above the largest preload tested: an error, or the limits at that preload"
    )


class SurfacePart(SurfaceOptions):
    """A limit surface in a JSON file that Holdfast wrote."""

    surface: File = Field(description="path of the JSON file, relative to the scene file")


class OriginPart(Part):
    """The ready model that pieces come from: it gives them their default suspension, and nothing else."""

    kind: Name = Field(description="name of the model")
    share: Positive = Field(1.0, description="their share of the model's unit")


class PiecesPart(VolumePart):
    """Convex pieces by their vertices."""

    pieces: list[Annotated[list[Vector], Field(min_length=1)]] = Field(
        min_length=1, max_length=1000, description="one list of vertices [N] per piece, in the contact frame"
    )
    rays: list[list[Vector]] | None = Field(None, description="one list per piece of directions without a limit")
    flat: bool = Field(False, description="whether flat pieces are intended, as for a frictionless contact")
    origin: OriginPart | None = Field(None, description="the ready model that they come from, for its suspension")


class VolumeFilePart(VolumePart):
    """Convex pieces in a JSON file that `holdfast decompose -o` wrote."""

    file: File = Field(description="path of the JSON file, relative to the scene file")


#: The parts that are distinguished by their first field.
SOURCE_PARTS: dict[str, type[Part]] = {
    "measurements": MeasurementsPart,
    "preloaded": PreloadedPart,
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
        raise misspelt(value, sources, "does not define forces", f"give one of: {', '.join(sources)}")
    return f"<volume {given[0]}>"


VolumeChoice = tagged_union(_tag_of, field_tags(MODEL_PARTS, "model") | field_tags(SOURCE_PARTS, "volume"))


# -- from a scene file to force volumes -----------------------------------------------------------------


class Volumes:
    """The volumes of one scene by name; equal requests give the same object, so that solvers share its matrices."""

    def __init__(self, parts: dict[str, Part], site: Site) -> None:
        self._made: dict[str, ForceVolume | PointPatch] = {
            name: build_volume(part, site / name) for name, part in parts.items()
        }
        self._scaled: dict[tuple[str, float], ForceVolume] = {}

    def force_volume(self, name: str, site: Site, scale: float = 1.0) -> ForceVolume:
        """The volume called `name`, every force times `scale`."""
        made = self._find(name, site)
        if isinstance(made, PointPatch):
            raise site.fault(f"the model of {name!r} is a pad of points", fix="use it in patches, with kind: pad")
        if scale == 1.0:
            return made
        if (name, scale) not in self._scaled:
            with site.watch():
                self._scaled[name, scale] = made.scaled(scale)
        return self._scaled[name, scale]

    @property
    def names(self) -> dict[str, str]:
        """Names in the file of each volume that was made, by fingerprint; equal volumes share their names."""
        found: dict[str, list[str]] = {}
        for name, made in self._made.items():
            volume = made.volume if isinstance(made, PointPatch) else made
            found.setdefault(volume.fingerprint, []).append(name)
        for (name, scale), volume in self._scaled.items():
            found.setdefault(volume.fingerprint, []).append(f"{name}, scaled by {scale:g}")
        return {key: " = ".join(names) for key, names in found.items()}

    def pad(self, name: str, site: Site) -> PointPatch:
        """The points called `name`."""
        made = self._find(name, site)
        if isinstance(made, ForceVolume):
            raise site.fault(
                f"{name!r} has no points of its own", fix="use it in contacts, or with another kind of patch"
            )
        return made

    def _find(self, name: str, site: Site) -> ForceVolume | PointPatch:
        if name not in self._made:
            raise _as_fault(UnknownNameError("volume", name, self._made), site)
        return self._made[name]


def _as_fault(error: UnknownNameError, site: Site) -> SceneError:
    fix = error.fix if error.choices else "volumes is empty: define it there"
    return site.fault(error.what, fix=fix)


def build_volume(part: Any, site: Site) -> ForceVolume | PointPatch:
    """The forces that one entry of `volumes` allows."""
    with site.watch():
        if isinstance(part, (MeasurementsPart, PreloadedPart)):
            volume = _measured_volume(part, site)
        elif isinstance(part, SurfacePart):
            volume = _decomposed(LimitSurface.load(site.file(part.surface)), part.band, part.decompose)
        elif isinstance(part, PiecesPart):
            volume = ForceVolume(part.pieces, part.rays, allow_flat=part.flat)
            if part.origin is not None:
                if part.origin.kind not in MODELS:
                    raise _as_fault(UnknownNameError("model", part.origin.kind, MODELS), site / "origin" / "kind")
                volume.recipe = Recipe(part.origin.kind, {}, share=part.origin.share, reshaped=True)
        elif isinstance(part, VolumeFilePart):
            volume = load_volume(site.file(part.file))
        else:
            given = part.model_dump(exclude={"model", "scale", "suspension"}, exclude_unset=True)
            volume = models.create(part.model, **given)
            if isinstance(volume, PointPatch):
                return volume
        return volume if part.scale == 1.0 else volume.scaled(part.scale)
    raise AssertionError("unreachable")  # pragma: no cover - watch() re-raises every error


def _measured_volume(part: MeasurementsPart | PreloadedPart, site: Site) -> ForceVolume:
    """The volume of measured limit forces: that of their surface, or of an assumption where they are along one axis."""
    if isinstance(part, PreloadedPart):
        measured = read_measurements(site.file(part.preloaded), along=part.along)
        measured = measured.at_preload(part.preload, beyond=part.beyond)
    else:
        measured = read_measurements(site.file(part.measurements), along=part.along)
    if part.assume is not None:
        given = {} if part.assume == "segment" else part.assume.model_dump(exclude={"model"}, exclude_unset=True)
        shape = "segment" if part.assume == "segment" else part.assume.model
        return measured.assuming(shape, level=part.band, compression=part.compression, **given)
    smoothing = None if part.smoothing == "none" else part.smoothing
    surface = measured.surface(compression=part.compression, fill=part.fill, smoothing=smoothing)
    return _decomposed(surface, part.band, part.decompose)


def _decomposed(surface: LimitSurface, band: str, options: DecomposePart) -> ForceVolume:
    """The pieces of one band of a surface; kept in the user's cache folder, since they take seconds to compute."""
    chosen = {"inner": surface.inner, "nominal": surface, "outer": surface.outer}[band]
    wanted = {"side": options.side, "max_pieces": options.pieces, "max_error": options.error}
    made_of = (chosen.directions, chosen.radii, chosen.triangles, chosen.notes, wanted, feature_sources(__file__))
    kept = cache_folder() / "volumes" / f"{fingerprint(*made_of)}.json"
    with suppress(FileError):  # missing or damaged
        return load_volume(kept)
    volume = decompose(chosen, **wanted)
    with suppress(OSError, FileError):  # without a writable folder it is only slower
        kept.parent.mkdir(parents=True, exist_ok=True)
        save_volume(volume, kept)
    return volume


def cache_folder() -> Path:
    """Folder of cached results: HOLDFAST_CACHE_DIR, or the user's cache folder."""
    named = os.environ.get("HOLDFAST_CACHE_DIR")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "holdfast"
