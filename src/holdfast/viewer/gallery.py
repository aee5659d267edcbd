"""The ready pages, in the order of the menu."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ..web.page import GROUPS

if TYPE_CHECKING:
    from ..web.page import PageEntry

#: Modules with `ENTRIES`, in the order of the menu.
MODULES = (
    "scenes.page_contacts",
    "wrench_spaces.page_wrench_space",
    "papers.page_climber",
    "postures.page",
    "planar.page_snake",
    "planar.page_planar_body",
    "grasps.page_grasps",
)


def entries() -> tuple[PageEntry, ...]:
    """Every ready page, group by group."""
    found: list[PageEntry] = []
    for name in MODULES:
        found += importlib.import_module(f"holdfast.{name}").ENTRIES
    return tuple(sorted(found, key=lambda entry: GROUPS.index(entry.group)))
