"""Robot files in: YAML or JSON, checked field by field, every fault with its file, line, field and fix."""

from __future__ import annotations

from pathlib import Path

from numpy.typing import ArrayLike

from ..files.reader import FileFormat
from ..files.yaml_source import Site
from .files_robot_scene import RobotScene
from .files_robot_schema import ROBOT_VERSION, RobotDocument


def load_robot(path: str | Path, *, gravity: ArrayLike | None = None) -> RobotScene:
    """The robot in a file; any fault of the file is a SceneError. Needs Pinocchio (the extra `robots`).

    Files named in it, the URDF first of all, are looked for from its folder. Grips that it wants learned are learned
    here, and palms that have places in the world are reached for.

    Args:
        path: the file.
        gravity: (3,) [m/s^2] instead of the file's.
    """
    return ROBOTS.load(path, gravity=gravity)


def _build(document: RobotDocument, site: Site, **options: ArrayLike | None) -> RobotScene:
    from .files_robot_builder import build_robot

    return build_robot(document, site, **options)


#: How robot files are read.
ROBOTS = FileFormat("robot", RobotDocument, _build, version=ROBOT_VERSION)
