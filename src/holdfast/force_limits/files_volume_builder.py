"""Volumes of a scene file: from what the file says to ForceVolume, or to the points of a pad."""

from __future__ import annotations

from typing import Any

from ..errors import SceneError, UnknownNameError
from ..files.schema import Part
from ..files.yaml_source import Site
from . import decompose, models
from .files_volume_file import load_volume
from .files_volume_schema import DecomposePart, MeasurementsPart, PiecesPart, SurfacePart, VolumeFilePart
from .measurements import read_measurements
from .models import PointPatch
from .surface import LimitSurface
from .volume import ForceVolume


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
            raise site.fault(f"the model of {name!r} comes as points", fix="use it in patches, with kind: pad")
        if scale == 1.0:
            return made
        if (name, scale) not in self._scaled:
            with site.watch():
                self._scaled[name, scale] = made.scaled(scale)
        return self._scaled[name, scale]

    @property
    def names(self) -> dict[str, str]:
        """What the file calls each volume that was made, by the volume's fingerprint; equal ones share their names."""
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
    fix = error.fix if error.choices else "volumes is empty: give it there"
    return site.fault(error.what, fix=fix)


def build_volume(part: Any, site: Site) -> ForceVolume | PointPatch:
    """The forces that one entry of `volumes` allows."""
    with site.watch():
        if isinstance(part, MeasurementsPart):
            measured = read_measurements(site.file(part.measurements))
            surface = measured.surface(compression=part.compression, fill=part.fill)
            volume = _decomposed(surface, part.band, part.decompose)
        elif isinstance(part, SurfacePart):
            volume = _decomposed(LimitSurface.load(site.file(part.surface)), part.band, part.decompose)
        elif isinstance(part, PiecesPart):
            volume = ForceVolume(part.pieces, part.rays, allow_flat=part.flat)
        elif isinstance(part, VolumeFilePart):
            volume = load_volume(site.file(part.file))
        else:
            given = part.model_dump(exclude={"model", "scale"}, exclude_unset=True)
            volume = models.create(part.model, **given)
            if isinstance(volume, PointPatch):
                return volume
        return volume if part.scale == 1.0 else volume.scaled(part.scale)
    raise AssertionError("unreachable")  # pragma: no cover - watch() never swallows


def _decomposed(surface: LimitSurface, band: str, options: DecomposePart) -> ForceVolume:
    chosen = {"inner": surface.inner, "nominal": surface, "outer": surface.outer}[band]
    return decompose(chosen, side=options.side, max_pieces=options.pieces, max_error=options.error)
