"""Scene files in: YAML or JSON, checked field by field, every fault with its file, line, field and fix."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from ..errors import SceneError
from ..files.error_context import Site
from ..files.faults import faults
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
    check_version(source)
    _check_kind(source)
    try:
        return SceneDocument.model_validate(source.data), source, []
    except ValidationError as error:
        return None, source, faults(error, source, SceneDocument)


def check_version(source: Source, kind: str = "scene", newest: int = SCENE_VERSION) -> None:
    """The version first: a newer file may say anything else. `kind` is what the file should be, in a word."""
    if not isinstance(source.data, dict):
        found = "a list" if isinstance(source.data, list) else "one value"
        raise source.fault(f"is {found}, not a {kind}", fix="begin with: holdfast: 1")
    if "holdfast" not in source.data:
        raise source.fault("is missing", ("holdfast",), fix=f"a {kind} file begins with: holdfast: 1")
    version = source.data["holdfast"]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise source.fault(f"is {version!r}, no version", ("holdfast",), fix=f"write: holdfast: {newest}")
    if version > newest:
        what = f"the file has version {version}, this Holdfast reads up to {newest}"
        raise source.fault(what, ("holdfast",), fix="install a newer Holdfast")


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


def with_notes(found: list[SceneError]) -> SceneError:
    """The first of several faults, with the others as notes."""
    first, *others = found
    for other in others:
        first.add_note(f"also: {other}")
    return first
