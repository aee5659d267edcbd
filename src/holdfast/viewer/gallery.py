"""The ready pages, in the order of the menu."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from .page import GROUPS

if TYPE_CHECKING:
    from .page import PageEntry

#: Modules with `ENTRIES`, in the order of the menu.
MODULES = ("contacts", "wrench_space", "climber", "posture", "snake", "planar_body", "grasps")


def entries() -> tuple[PageEntry, ...]:
    """Every ready page, group by group."""
    found: list[PageEntry] = []
    for name in MODULES:
        found += importlib.import_module(f".pages.{name}", __package__).ENTRIES
    return tuple(sorted(found, key=lambda entry: GROUPS.index(entry.group)))
