"""The pages of the menu: the ready ones of the features, and those of a file.

Files are read completely, so that every fault is reported before a browser can connect.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FileError, SceneError
from ..files.reader import json_format, kind_of
from ..inputs import file_bytes
from ..web.page import GROUPS
from .session import label

if TYPE_CHECKING:
    from ..web.page import PageEntry

#: Modules with `ENTRIES`, in the order of the menu.
MODULES = (
    "scenes.page",
    "assembly.page",
    "wrench_spaces.page",
    "sharing.page",
    "dynamics.page",
    "postures.page",
    "robots.page",
    "planar.page",
    "grasps.page",
)


def entries() -> tuple[PageEntry, ...]:
    """Every ready page, group by group."""
    found: list[PageEntry] = []
    for name in MODULES:
        found += importlib.import_module(f"holdfast.{name}").ENTRIES
    return tuple(sorted(found, key=lambda entry: GROUPS.index(entry.group)))


# -- pages of a file --------------------------------------------------------------------------------

#: Suffixes of pictures and contours, which open the page of grasps.
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm", ".ppm")
CONTOURS = (".csv", ".svg", ".dxf")

#: Suffixes of robot descriptions: URDF, xacro, MJCF.
ROBOTS = (".urdf", ".xacro", ".xml")

#: Other files of the library, and what can be given instead.
OTHERS = {
    ".toml": ("is a hand file", "give a picture of the part; holdfast grasps takes --hand FILE"),
    ".npz": ("is an archive of numbers", "give a scene, planar, posture or robot file"),
    ".h5": ("is an archive of numbers", "give a scene, planar, posture or robot file"),
}


#: The value of the field "format" in files with a sequence of postures.
SEQUENCES = "holdfast posture sequence"


def file_pages(name: str, *, trust: bool = False) -> tuple[PageEntry, ...]:
    """The pages of a file, or of a ready example "@name"; the first page is opened first.

    `trust` allows a xacro file, which is a program, to run.

    Raises:
        HoldfastError: the file cannot be read; no page is opened then.
    """
    if name.startswith("@"):
        from ..grasps import page as grasps_page
        from ..grasps import part_names

        if name[1:] in part_names():
            return (grasps_page.part_entry(name[1:]),)
        return PAGES[kind_of(name, others=part_names()).name](name)
    suffix = Path(name).suffix.lower()
    if suffix in OTHERS and not Path(name).is_dir():
        what, fix = OTHERS[suffix]
        raise SceneError(what, path=name, fix=fix)
    if suffix == ".csv" and _has_forces(name):
        from ..scenes.page import measured_entry

        return (measured_entry(name),)
    if suffix in ROBOTS and not Path(name).is_dir():
        return _robot(name, trust)
    if suffix in PICTURES or suffix in CONTOURS:
        return (_part(name),)
    if suffix == ".json" and json_format(Path(name)) == SEQUENCES:
        from ..robots.page import sequence_entry
        from ..robots.sequences import load_sequence

        return (sequence_entry(load_sequence(name)),)
    kind = kind_of(name).name
    return _robot(name, trust) if kind == "robot" else PAGES[kind](name)


def with_gallery(own: Sequence[PageEntry], gallery: Sequence[PageEntry]) -> tuple[PageEntry, ...]:
    """The pages of a file before the ready ones; a ready page with the same key or menu line is left out."""
    keys, lines = {entry.key for entry in own}, {label(entry) for entry in own}
    return (*own, *(entry for entry in gallery if entry.key not in keys and label(entry) not in lines))


def _scene(name: str) -> tuple[PageEntry, ...]:
    from ..assembly import page as bodies_page
    from ..dynamics import page as stability_page
    from ..scenes import load_scene
    from ..scenes.page import scene_entry
    from ..sharing import page as sharing_page
    from ..wrench_spaces import page as spaces_page

    scene = load_scene(name)
    if scene.bodies:
        return (bodies_page.file_entry(name),)
    return (
        scene_entry(name),
        spaces_page.scene_entry(scene),
        *sharing_page.scene_entries(scene),
        *stability_page.scene_entries(scene),
    )


def _planar(name: str) -> tuple[PageEntry, ...]:
    from ..planar import page as planar_page
    from ..planar.files import PlanarBodyScene, PlanarChainScene, load_planar

    scene = load_planar(name)
    if isinstance(scene, PlanarChainScene):
        return (planar_page.snake_entry(scene),)
    if isinstance(scene, PlanarBodyScene):
        return (planar_page.body_entry(scene),)
    fix = "use holdfast climb; the viewer shows planar bodies and chains"
    raise SceneError("is a planar climb, which has no page", path=name, field="planar", fix=fix)


def _posture(name: str) -> tuple[PageEntry, ...]:
    from ..postures import page as posture
    from ..postures.files import load_posture

    scene = load_posture(name)
    return (posture.scene_entry(scene, name[1:].replace("_", "-") if name.startswith("@") else "scene-posture"),)


def _robot(name: str, trust: bool = False) -> tuple[PageEntry, ...]:
    from ..robots.page import read_robot, robot_entry

    return (robot_entry(read_robot(name, trust=trust)),)


#: Columns of measured limit forces; every such file has one of them.
FORCE_COLUMNS = ("fx", "fy", "fz", "force", "azimuth", "elevation")


def _has_forces(name: str) -> bool:
    """Whether a CSV file is one of measured limit forces, by its header; others are contours."""
    try:
        lines = file_bytes(name).decode("utf-8-sig", errors="replace").splitlines()
    except FileError:
        return False
    header = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    words = [word.strip().strip('"').partition("[")[0].strip().lower() for word in re.split("[,;\t]", header)]
    return any(word in FORCE_COLUMNS for word in words)


def _part(name: str) -> PageEntry:
    from ..grasps import page as grasps
    from ..grasps.contour_files import read_workpiece
    from ..grasps.page import Upload
    from ..grasps.pictures import read_image

    # The user can still choose in the page which part of a picture is the object.
    (read_image if Path(name).suffix.lower() in PICTURES else read_workpiece)(name)
    return grasps.file_entry(Upload(Path(name).name, Path(name).read_bytes()))


#: Function that makes the pages of each kind of file.
PAGES = {"scene": _scene, "planar scene": _planar, "posture": _posture, "robot": _robot}
