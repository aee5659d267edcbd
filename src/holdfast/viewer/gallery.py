"""The pages of the menu: the ready ones of the features, and those of a file.

Files are read completely, so that every fault is reported before a browser can connect.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SceneError
from ..features import page_modules
from ..files.reader import KINDS, OTHER_KINDS, fitting, kind_of, other_kind
from ..web.page import ShownFile
from .session import label

if TYPE_CHECKING:
    from ..feature import FileKind
    from ..web.page import PageEntry


def entries() -> tuple[PageEntry, ...]:
    """Every ready page, in the order of the menu."""
    return tuple(entry for module in page_modules() for entry in importlib.import_module(module).ENTRIES)


# -- pages of a file --------------------------------------------------------------------------------

#: Other files of the library, and what can be given instead.
OTHERS = {
    ".toml": ("is a hand file", "give a picture of the part; holdfast grasps takes --hand FILE"),
    ".npz": ("is an archive of numbers", "give a scene, planar, posture or robot file"),
    ".h5": ("is an archive of numbers", "give a scene, planar, posture or robot file"),
}


def file_pages(name: str, *, trust: bool = False) -> tuple[PageEntry, ...]:
    """The pages of a file, or of a ready example "@name"; the first page is opened first.

    `trust` allows a xacro file, which is a program, to run.

    Raises:
        HoldfastError: the file cannot be read; no page is opened then.
    """
    file = ShownFile(name, _kind(name), trust)
    modules = page_modules(file.kind.name)
    found = [entry for module in modules for entry in importlib.import_module(module).file_pages(file)]
    if not found:
        raise SceneError(f"is a {file.kind.name}, which has no page", path=name, fix=fitting(file.kind, name))
    return tuple(found)


def _kind(name: str) -> FileKind:
    """The kind of a file, or of a ready example."""
    if name.startswith("@"):
        return kind_of(name, (*KINDS.values(), *OTHER_KINDS.values()))
    if not Path(name).is_dir():
        found, suffix = other_kind(name), Path(name).suffix.lower()
        if found is not None and page_modules(found.name):
            return found
        if suffix in OTHERS:
            what, fix = OTHERS[suffix]
            raise SceneError(what, path=name, fix=fix)
    return kind_of(name)


def with_gallery(own: Sequence[PageEntry], gallery: Sequence[PageEntry]) -> tuple[PageEntry, ...]:
    """The pages of a file before the ready ones; a ready page with the same key or menu line is left out."""
    keys, lines = {entry.key for entry in own}, {label(entry) for entry in own}
    return (*own, *(entry for entry in gallery if entry.key not in keys and label(entry) not in lines))
