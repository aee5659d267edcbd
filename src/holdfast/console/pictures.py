"""Saving the pictures of commands, with a note on standard error."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from .output import note


def save(axes: Any, path: Path, *, quiet: bool = False) -> None:
    """Write a picture, and print a note with its file name unless `quiet`."""
    from .. import plotting
    from ..plotting.style import titles_verbatim

    titles_verbatim(axes)  # commands put names into titles, never mathematics
    plotting.save(axes, path)
    if not quiet:
        note(f"picture: {path}")


class FeaturePlots:
    """The `plots` module of a feature, imported when a picture is drawn: commands without --plot need no matplotlib."""

    def __init__(self, package: str | None) -> None:
        self._package = package

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(f"{self._package}.plots"), name)
