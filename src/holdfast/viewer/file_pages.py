"""The pages of a file: contact scenes, planar scenes, postures, robots, and pictures of parts, each with its own page.

Files are read in full, so that every fault is told before a browser is let in.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SceneError, UnknownNameError
from .session import label

if TYPE_CHECKING:
    from ..web.page import PageEntry

#: Ends of the names of pictures and contours, which the page of grasps takes.
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm", ".ppm")
CONTOURS = (".csv", ".svg", ".dxf")

#: Other files of the library, and what a viewer can be given instead.
OTHERS = {
    ".urdf": ("is a robot's description, not a robot file", "give a robot file that names it under robot: {urdf: ...}"),
    ".toml": ("is the file of a hand", "give a picture of the part; holdfast grasps takes --hand FILE"),
    ".npz": ("is an archive of numbers", "give a scene, planar, posture or robot file"),
    ".h5": ("is an archive of numbers", "give a scene, planar, posture or robot file"),
}


def file_pages(name: str) -> tuple[PageEntry, ...]:
    """The pages of a file, or of something ready called "@name", the first to be opened first.

    Raises:
        HoldfastError: whatever is wrong with the file; nothing is opened then.
    """
    if name.startswith("@"):
        return _ready(name)
    suffix = Path(name).suffix.lower()
    if suffix in OTHERS and not Path(name).is_dir():
        what, fix = OTHERS[suffix]
        raise SceneError(what, path=name, fix=fix)
    if suffix in PICTURES or suffix in CONTOURS:
        return (_part(name),)
    from ..files.yaml_source import read_source
    from ..postures.files import POSTURE_FIELDS, SCENE_FIELDS

    data = read_source(name).data
    fields = set(data) if isinstance(data, dict) else set()
    if "planar" in fields:
        return _planar(name)
    if "robot" in fields:
        return _robot(name)
    if fields & set(POSTURE_FIELDS) and not fields & set(SCENE_FIELDS):
        return _posture(name)
    return _scene(name)


def with_gallery(own: Sequence[PageEntry], gallery: Sequence[PageEntry]) -> tuple[PageEntry, ...]:
    """The pages of a file before the ready ones; a ready one with the same key or line in the menu gives way."""
    keys, lines = {entry.key for entry in own}, {label(entry) for entry in own}
    return (*own, *(entry for entry in gallery if entry.key not in keys and label(entry) not in lines))


def _ready(name: str) -> tuple[PageEntry, ...]:
    from ..grasps import part_names
    from ..scenes import planar_names, posture_names, ready_names

    kinds = (
        (ready_names(), _scene),
        (planar_names(), _planar),
        (posture_names(), _posture),
        (part_names(), _ready_part),
    )
    for names, pages in kinds:
        if name[1:] in names:
            return pages(name)
    known = [f"@{each}" for names, _ in kinds for each in names]
    unknown = UnknownNameError("ready scene", name, known)
    raise SceneError(unknown.what, path=name, fix=unknown.fix)


def _scene(name: str) -> tuple[PageEntry, ...]:
    from ..scenes import load_scene
    from ..scenes import page_contacts as contacts
    from ..wrench_spaces import page_wrench_space as wrench_space

    scene = load_scene(name)
    return contacts.scene_entry(name), wrench_space.scene_entry(scene)


def _planar(name: str) -> tuple[PageEntry, ...]:
    from ..planar import page_planar_body as planar_body
    from ..planar import page_snake as snake
    from ..scenes import PlanarBodyScene, PlanarChainScene, load_planar

    scene = load_planar(name)
    if isinstance(scene, PlanarChainScene):
        return (snake.scene_entry(scene),)
    if isinstance(scene, PlanarBodyScene):
        return (planar_body.scene_entry(scene),)
    fix = "ask holdfast climb; the viewer shows planar bodies and chains"
    raise SceneError("is a planar climb, which has no page", path=name, field="planar", fix=fix)


def _posture(name: str) -> tuple[PageEntry, ...]:
    from ..postures import page as posture
    from ..scenes import load_posture

    scene = load_posture(name)
    return (posture.scene_entry(scene, name[1:].replace("_", "-") if name.startswith("@") else "scene-posture"),)


def _robot(name: str) -> tuple[PageEntry, ...]:
    from ..postures import page as posture
    from ..scenes import load_robot

    scene = load_robot(name)
    if not scene.hands:
        fix = "ask holdfast robot; the viewer shows robots on hands with grips"
        raise SceneError("touches by units on its links, which has no page", path=name, field="touches", fix=fix)
    return (posture.robot_entry(scene),)


def _ready_part(name: str) -> tuple[PageEntry, ...]:
    from ..grasps import page_grasps as grasps

    return (grasps.part_entry(name[1:]),)


def _part(name: str) -> PageEntry:
    from ..grasps import page_grasps as grasps
    from ..grasps.page_grasp_overlays import Upload
    from ..grasps.pictures import read_image
    from ..grasps.workpieces import read_workpiece

    # Which part of a picture is the object may still be chosen in the page.
    (read_image if Path(name).suffix.lower() in PICTURES else read_workpiece)(name)
    return grasps.file_entry(Upload(Path(name).name, Path(name).read_bytes()))
