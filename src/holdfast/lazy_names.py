"""Public names of a package, loaded when they are first used, so that importing it costs next to nothing."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def loader(package: str, home: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package; `home` has the module in which each name lives."""

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f".{home[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
