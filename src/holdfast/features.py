"""The one list of features. Its order is the order of the layers: a feature imports only from those before it.

A new feature is a folder with a `feature.py` and a line in `FEATURES`. The command line, the viewer, the reader of
files and the compiling of kernels find its parts here.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from functools import cache

from .feature import Command, Feature

#: The features, lowest first. Their `command.py`, `page.py` and `plots.py` may use every feature.
FEATURES = (
    "planar",
    "force_limits",
    "assembly",
    "statics",
    "grasps",
    "wrench_spaces",
    "dynamics",
    "reliability",
    "sharing",
    "grips",
    "postures",
    "robots",
    "scenes",
    "reports",
    "precompiling",
    "viewer",
)


@cache
def features() -> dict[str, Feature]:
    """The features by their names, in the order of the list."""
    return {name: importlib.import_module(f"holdfast.{name}.feature").FEATURE for name in FEATURES}


@cache
def commands() -> dict[str, Command]:
    """The commands of all features by their names, in the order of the help."""
    found = {
        name: replace(command, target=command.target or f"{folder}.command:{name}")
        for folder, feature in features().items()
        for name, command in feature.commands.items()
    }
    return dict(sorted(found.items(), key=lambda entry: entry[1].place))


def page_modules(kind: str = "") -> list[str]:
    """The modules with pages, in the order of the menu: all, or those with pages of a kind of file."""
    having = {name: feature for name, feature in features().items() if feature.menu}
    wanted = [name for name, feature in having.items() if not kind or kind in feature.shows]
    return [f"holdfast.{name}.page" for name in sorted(wanted, key=lambda name: having[name].menu)]
