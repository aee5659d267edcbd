"""Scene files in: YAML or JSON, checked field by field, every fault with its file, line, field and fix."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from ..errors import SceneError
from .builder import build_scene
from .faults import faults
from .nodes import Source, read_source
from .ready import ready_path
from .scene import Scene
from .schema import SCENE_VERSION, SceneDocument
from .site import Site


def load_scene(path: str | Path) -> Scene:
    """The scene in a file, or a ready one by "@name"; any fault of the file is a SceneError.

    Files named in the scene are looked for from the scene file's folder. When there are several faults the first
    is raised, with the others as notes.
    """
    document, source, found = _checked(path)
    if document is None:
        raise _with_notes(found)
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
    _check_version(source)
    if "planar" in source.data:
        fix = "ask: holdfast motions, torques or climb; hf.scene.load_planar reads it"
        raise source.fault("is a planar scene", ("planar",), fix=fix)
    try:
        return SceneDocument.model_validate(source.data), source, []
    except ValidationError as error:
        return None, source, faults(error, source, SceneDocument)


def _check_version(source: Source) -> None:
    """The version first: a newer file may say anything else."""
    if not isinstance(source.data, dict):
        kind = "a list" if isinstance(source.data, list) else "one value"
        raise source.fault(f"is {kind}, not a scene", fix="begin with: holdfast: 1")
    if "holdfast" not in source.data:
        raise source.fault("is missing", ("holdfast",), fix="a scene file begins with: holdfast: 1")
    version = source.data["holdfast"]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise source.fault(f"is {version!r}, no version", ("holdfast",), fix=f"write: holdfast: {SCENE_VERSION}")
    if version > SCENE_VERSION:
        what = f"the file has version {version}, this Holdfast reads up to {SCENE_VERSION}"
        raise source.fault(what, ("holdfast",), fix="install a newer Holdfast")


def _with_notes(found: list[SceneError]) -> SceneError:
    first, *others = found
    for other in others:
        first.add_note(f"also: {other}")
    return first
