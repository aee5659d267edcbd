"""Planar scene files: checked field by field, every fault with its file, line, field and fix; and ready ones."""

from __future__ import annotations

from pathlib import Path

from ..errors import SceneError, UnknownNameError
from ..files.reader import FileFormat, kind_of
from ..files.schema import Part
from ..files.yaml_source import YamlSource
from .files_planar_builder import build_planar
from .files_planar_scene import PlanarScene
from .files_planar_schema import DOCUMENTS


def _document(source: YamlSource) -> type[Part]:
    """The document that the word of `planar` asks for."""
    if "planar" not in source.data:
        fix = f"give planar: one of {', '.join(DOCUMENTS)}; scenes in space are for holdfast check and limit"
        raise source.fault("is missing", ("planar",), fix=fix)
    word = source.data["planar"]
    if not isinstance(word, str) or word not in DOCUMENTS:
        unknown = UnknownNameError("kind of planar scene", str(word), DOCUMENTS)
        raise source.fault(unknown.what, ("planar",), fix=unknown.fix)
    return DOCUMENTS[word]


#: How planar scene files are read; ready ones are called by "@name".
PLANAR_SCENES = FileFormat("planar scene", _document, build_planar, noun="scene")


def planar_names(kind: str | None = None) -> list[str]:
    """Names of the ready planar scenes, in order; only those about a `kind`: "body", "chain", "climb"."""
    return [name for name in PLANAR_SCENES.names() if kind is None or f"\nplanar: {kind}\n" in _text(name)]


def _text(name: str) -> str:
    return planar_path(f"@{name}").read_text(encoding="utf-8")


def planar_path(path: str | Path) -> Path:
    """The file behind `path`: that of a ready planar scene for "@name", else the path itself."""
    return PLANAR_SCENES.path(path)


def load_planar(path: str | Path) -> PlanarScene:
    """The planar scene in a file, or a ready one by "@name"; any fault of the file is a SceneError.

    Of several faults the first is raised, with the others as notes.
    """
    return PLANAR_SCENES.load(path)


def planar_faults(path: str | Path) -> list[SceneError]:
    """Every fault of a planar scene file, in the order of the lines; [] when there is none.

    Faults that are found only while the scene is built come one at a time.
    """
    return PLANAR_SCENES.faults(path)


def is_planar(path: str | Path) -> bool:
    """Whether a file, or a ready scene by "@name", says that it is planar; unreadable ones do not."""
    try:
        return kind_of(path).name == "planar scene"
    except SceneError:
        return False
