"""Pictures of scenes, answers and sweeps: made by plotting, saved, and named on standard error."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import note

if TYPE_CHECKING:
    from ..scenes import Scene
    from ..statics.diagnosis import Diagnosis
    from ..statics.equilibrium import Equilibrium


def save(axes: Any, path: Path, *, quiet: bool = False) -> None:
    """Write a picture and say where it is."""
    from .. import plotting
    from ..plotting.style import titles_verbatim

    titles_verbatim(axes)  # commands put names into titles, never mathematics
    plotting.save(axes, path)
    if not quiet:
        note(f"picture: {path}")


def draw_scene(scene: Scene, path: Path, answer: Equilibrium | None = None, *, quiet: bool = False) -> None:
    """The contacts, units and object of a scene, with the forces of an answer."""
    from .. import plotting

    save(plotting.assembly(scene, result=answer), path, quiet=quiet)


def draw_use(diagnosis: Diagnosis, path: Path, *, quiet: bool = False) -> None:
    """How much of its strength each contact uses."""
    from .. import plotting

    save(plotting.utilisation(diagnosis), path, quiet=quiet)


def draw_sweep(results: list[dict[str, Any]], path: Path, *, title: str = "", quiet: bool = False) -> None:
    """The verdicts and load factors of a sweep round the circle."""
    from .. import plotting

    angles = [math.radians(result["angle_deg"]) for result in results]
    statuses = [result["status"] for result in results]
    factors = [result["load_factor"] for result in results]
    known = None if None in factors else [float(factor) for factor in factors]
    save(plotting.gravity_polar(angles, statuses, known, title=title), path, quiet=quiet)
