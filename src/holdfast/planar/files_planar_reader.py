"""Planar scene files in: checked field by field, every fault with its file, line, field and fix; and ready ones."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from ..errors import SceneError, UnknownNameError
from ..files.error_context import Site
from ..files.faults import faults
from ..files.yaml_source import Source, read_source
from ..scenes.schema import SCENE_VERSION
from .files_planar_builder import build_planar
from .files_planar_scene import PlanarScene
from .files_planar_schema import DOCUMENTS, BodyDocument, ChainDocument, ClimbDocument

#: Where the ready planar scenes lie.
FOLDER = Path(__file__).resolve().parent.parent / "data" / "planar"


def planar_names(kind: str | None = None) -> list[str]:
    """Names of the ready planar scenes, in order; only those about a `kind`: "body", "chain", "climb"."""
    files = sorted(FOLDER.glob("*.yaml"))
    return [file.stem for file in files if kind is None or f"\nplanar: {kind}\n" in file.read_text(encoding="utf-8")]


def planar_path(path: str | Path) -> Path:
    """The file behind `path`: that of a ready planar scene for "@name", else the path itself."""
    text = str(path)
    if not text.startswith("@"):
        return Path(path)
    if text[1:] not in planar_names():
        unknown = UnknownNameError("ready planar scene", text, [f"@{name}" for name in planar_names()])
        raise SceneError(unknown.what, path=text, fix=unknown.fix)
    return FOLDER / f"{text[1:]}.yaml"


def load_planar(path: str | Path) -> PlanarScene:
    """The planar scene in a file, or a ready one by "@name"; any fault of the file is a SceneError.

    When there are several faults the first is raised, with the others as notes.
    """
    document, source, found = _checked(path)
    if document is None:
        first, *others = found
        for other in others:
            first.add_note(f"also: {other}")
        raise first
    return build_planar(document, Site(source))


def planar_faults(path: str | Path) -> list[SceneError]:
    """Every fault of a planar scene file, in the order of the lines; [] when there is none.

    Faults that only show while the scene is built come one at a time.
    """
    try:
        document, source, found = _checked(path)
        if document is not None:
            build_planar(document, Site(source))
    except SceneError as error:
        return [error]
    return found


def is_planar(path: str | Path) -> bool:
    """Whether a file, or a ready scene by "@name", says that it is planar; unreadable ones do not."""
    if str(path).startswith("@"):
        return str(path)[1:] in planar_names()
    try:
        data = read_source(path).data
    except SceneError:
        return False
    return isinstance(data, dict) and "planar" in data


Document = BodyDocument | ChainDocument | ClimbDocument


def _checked(path: str | Path) -> tuple[Document | None, Source, list[SceneError]]:
    """The document, or what is wrong with it."""
    source = read_source(planar_path(path))
    kind = DOCUMENTS[_kind(source)]
    try:
        return kind.model_validate(source.data), source, []
    except ValidationError as error:
        return None, source, faults(error, source, kind)


def _kind(source: Source) -> str:
    """The word of `planar`, after the version: a newer file may say anything else."""
    data = source.data
    if not isinstance(data, dict):
        kind = "a list" if isinstance(data, list) else "one value"
        raise source.fault(f"is {kind}, not a scene", fix="begin with: holdfast: 1")
    if "holdfast" not in data:
        raise source.fault("is missing", ("holdfast",), fix="a scene file begins with: holdfast: 1")
    version = data["holdfast"]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise source.fault(f"is {version!r}, no version", ("holdfast",), fix=f"write: holdfast: {SCENE_VERSION}")
    if version > SCENE_VERSION:
        what = f"the file has version {version}, this Holdfast reads up to {SCENE_VERSION}"
        raise source.fault(what, ("holdfast",), fix="install a newer Holdfast")
    words = ", ".join(DOCUMENTS)
    if "planar" not in data:
        fix = f"give planar: one of {words}; scenes in space are for holdfast check and limit"
        raise source.fault("is missing", ("planar",), fix=fix)
    if not isinstance(data["planar"], str) or data["planar"] not in DOCUMENTS:
        unknown = UnknownNameError("kind of planar scene", str(data["planar"]), DOCUMENTS)
        raise source.fault(unknown.what, ("planar",), fix=unknown.fix)
    return data["planar"]
