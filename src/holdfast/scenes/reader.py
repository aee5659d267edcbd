"""Scene files in: YAML or JSON, checked field by field, every fault with its file, line, field and fix."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from ..errors import SceneError
from ..files.error_context import Site
from ..files.faults import check_version, faults, with_notes
from ..files.yaml_source import Source, read_source
from ..postures.files import POSTURE_FIELDS, SCENE_FIELDS
from .builder import build_scene
from .ready import ready_path
from .scene import Scene
from .schema import SCENE_VERSION, SceneDocument


def load_scene(path: str | Path) -> Scene:
    """The scene in a file, or a ready one by "@name"; any fault of the file is a SceneError.

    Files named in the scene are looked for from the scene file's folder. When there are several faults the first
    is raised, with the others as notes.
    """
    document, source, found = _checked(path)
    if document is None:
        raise with_notes(found)
    return build_scene(document, Site(source))


def scene_faults(path: str | Path) -> list[SceneError]:
    """Every fault of a scene file, in the order of the lines; [] when there is none.

    Faults that only show while the contacts are built come one at a time.
    """
    try:
        document, source, found = _checked(path)
        if document is not None:
            build_scene(document, Site(source))
    except SceneError as error:
        return [error]
    return found


def _checked(path: str | Path) -> tuple[SceneDocument | None, Source, list[SceneError]]:
    """The document, or what is wrong with it."""
    source = read_source(ready_path(path))
    check_version(source, "scene", SCENE_VERSION)
    _check_kind(source)
    try:
        return SceneDocument.model_validate(source.data), source, []
    except ValidationError as error:
        return None, source, faults(error, source, SceneDocument)


def _check_kind(source: Source) -> None:
    """A planar file says so; a posture file is told by its hands or grips, when only a scene's fields are missing."""
    if "planar" in source.data:
        fix = "ask holdfast motions, torques or climb, or load_planar"
        raise source.fault("is a planar file", ("planar",), fix=fix)
    own = [name for name in SCENE_FIELDS if name in source.data]
    foreign = [name for name in POSTURE_FIELDS if name in source.data]
    if foreign and not own:
        what = f"is a posture file: it has {foreign[0]} and no contacts"
        raise source.fault(what, fix="ask holdfast posture or holdfast support, or load_posture")
