"""Posture files: YAML or JSON, checked field by field, every fault with its file, line, field and fix."""

from __future__ import annotations

from pathlib import Path

from numpy.typing import ArrayLike

from ..errors import SceneError
from ..files.reader import FileFormat
from .files_posture_builder import build_posture
from .files_posture_scene import PostureScene
from .files_posture_schema import POSTURE_VERSION, PostureDocument

#: How posture files are read; ready ones are called by "@name".
POSTURES = FileFormat("posture", PostureDocument, build_posture, version=POSTURE_VERSION)


def load_posture(path: str | Path, *, gravity: ArrayLike | None = None) -> PostureScene:
    """The posture in a file, or a ready one by "@name"; any fault of the file is a SceneError.

    Files named in the posture are searched for from the posture file's folder. A grip that the file wants learned is
    learned here. Of several faults the first is raised, with the others as notes.

    Args:
        path: the file, or "@name".
        gravity: (3,) [m/s^2] instead of the file's; it weighs on the body, and on the links of hands that have any.
    """
    return POSTURES.load(path, gravity=gravity)


def posture_faults(path: str | Path) -> list[SceneError]:
    """Every fault of a posture file, in the order of the lines; [] when there is none.

    Faults that are found only while the grips are built come one at a time; nothing is learned.
    """
    return POSTURES.faults(path, learn=False)


def posture_names() -> list[str]:
    """Names of the ready postures, in order."""
    return POSTURES.names()


def posture_path(path: str | Path) -> Path:
    """The file behind `path`: that of a ready posture for "@name", else the path itself."""
    return POSTURES.path(path)


def posture_title(name: str) -> str:
    """What a ready posture is: the first comment of its file."""
    return POSTURES.title(name)
