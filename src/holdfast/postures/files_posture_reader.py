"""Posture files in: YAML or JSON, checked field by field, every fault with its file, line, field and fix."""

from __future__ import annotations

from pathlib import Path

from numpy.typing import ArrayLike
from pydantic import ValidationError

from ..errors import SceneError
from ..files.error_context import Site
from ..files.faults import faults
from ..files.yaml_source import Source, read_source
from ..scenes.reader import check_version, with_notes
from .files_posture_builder import build_posture
from .files_posture_ready import posture_path
from .files_posture_scene import PostureScene
from .files_posture_schema import POSTURE_FIELDS, POSTURE_VERSION, SCENE_FIELDS, PostureDocument


def load_posture(path: str | Path, *, gravity: ArrayLike | None = None) -> PostureScene:
    """The posture in a file, or a ready one by "@name"; any fault of the file is a SceneError.

    Files named in the posture are looked for from the posture file's folder. A grip that the file wants learned is
    learned here. When there are several faults the first is raised, with the others as notes.

    Args:
        path: the file, or "@name".
        gravity: (3,) [m/s^2] instead of the file's; it weighs on the body, and on the links of hands that have any.
    """
    document, source, found = _checked(path)
    if document is None:
        raise with_notes(found)
    return build_posture(document, Site(source), gravity=gravity)


def posture_faults(path: str | Path) -> list[SceneError]:
    """Every fault of a posture file, in the order of the lines; [] when there is none.

    Faults that only show while the grips are built come one at a time; nothing is learned.
    """
    try:
        document, source, found = _checked(path)
        if document is not None:
            build_posture(document, Site(source), learn=False)
    except SceneError as error:
        return [error]
    return found


def _checked(path: str | Path) -> tuple[PostureDocument | None, Source, list[SceneError]]:
    """The document, or what is wrong with it."""
    source = read_source(posture_path(path))
    check_version(source, "posture", POSTURE_VERSION)
    _check_kind(source)
    try:
        return PostureDocument.model_validate(source.data), source, []
    except ValidationError as error:
        return None, source, faults(error, source, PostureDocument)


def _check_kind(source: Source) -> None:
    """A scene file is told by what only a scene has, when nothing is there that only a posture has."""
    own = [name for name in POSTURE_FIELDS if name in source.data]
    foreign = [name for name in SCENE_FIELDS if name in source.data]
    if foreign and not own:
        what = f"is a scene file: it has {foreign[0]} and no hands"
        raise source.fault(what, fix="ask holdfast check, or load_scene; a posture has body, grips and hands")
