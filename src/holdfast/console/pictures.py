"""Pictures that commands write: saved, and named on standard error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .output import note


def save(axes: Any, path: Path, *, quiet: bool = False) -> None:
    """Write a picture and say where it is."""
    from .. import plotting
    from ..plotting.style import titles_verbatim

    titles_verbatim(axes)  # commands put names into titles, never mathematics
    plotting.save(axes, path)
    if not quiet:
        note(f"picture: {path}")
