"""Robot files in: YAML or JSON, checked field by field, every fault with its file, line, field and fix."""

from __future__ import annotations

from pathlib import Path

from numpy.typing import ArrayLike
from pydantic import ValidationError

from ..files.error_context import Site
from ..files.faults import check_version, faults, with_notes
from ..files.yaml_source import Source, read_source
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
    from .files_robot_builder import build_robot

    source = read_source(path)
    check_version(source, "robot", ROBOT_VERSION)
    _check_kind(source)
    try:
        document = RobotDocument.model_validate(source.data)
    except ValidationError as error:
        raise with_notes(faults(error, source, RobotDocument)) from None
    return build_robot(document, Site(source), gravity=gravity)


def _check_kind(source: Source) -> None:
    """Scene and posture files have no robot."""
    if "robot" in source.data:
        return
    if "hands" in source.data or "body" in source.data:
        raise source.fault("is a posture file: it has no robot", fix="ask holdfast posture, or load_posture")
    if "contacts" in source.data or "device" in source.data or "patches" in source.data:
        raise source.fault("is a scene file: it has no robot", fix="ask holdfast check, or load_scene")
