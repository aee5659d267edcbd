"""Assemblies in space: units, frames, forces, the load, and the motion in which the object comes off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..plotting import style
from ..plotting.solids import Solids
from ..solvers import Status
from ..statics.equilibrium import Equilibrium, LoadLimit
from .plots_shapes import add_shape, add_sheet, near
from .plots_subjects import Subject, subject_of

#: Length of the contact frames' arrows, as a share of the size of what is drawn.
FRAME_LENGTH = 0.06

UNIT = "#E69F00"
LINK = "#5F6B7A"


def assembly(
    assembly: Any,
    *,
    forces: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
    result: Equilibrium | LoadLimit | None = None,
    shape: Any = None,
    patches: Sequence[Any] = (),
    ax: Any = None,
    frames: bool = True,
    force_scale: float | None = None,
    view: Sequence[float] = (20.0, -62.0),
    title: str = "",
) -> Any:
    """An assembly in the world: contacts, units, frames (x red, y green, z blue), forces and load, equal scales.

    Contact forces act on the object and start at their points; those on the border of their volume are
    marked. When a result does not hold, the arrow and the turn show the motion of the certificate: for that
    choice of pieces, the load does more work in it than all contacts and joints can take up.

    Args:
        assembly: an Assembly, or a Device or Scene, which know their units, links and object.
        forces: (k, 3) contact forces on the object in the world [N]; those of `result` by default.
        wrench: (6,) external force [N] and torque [N m] about the world origin; that of `result` by default.
        result: an Equilibrium or LoadLimit of this assembly.
        shape: the object's outline: Box, Cylinder, Sphere or Mesh of this package, or a trimesh mesh.
        patches: surfaces of the units: Patch objects, or polygons (m, 3) [m]; else taken from contacts named "unit[0]",
            "unit[1]", ...
        ax: axes in space (projection "3d"), or None for a new figure.
        frames: whether to draw the contact frames: one a unit.
        force_scale: length of an arrow for one newton [m/N]; by default the longest arrow is a third of the size of
            what is drawn.
        view: (elevation, azimuth) of the camera [deg].
        title: title; by default the name and what came out.

    Returns:
        The Axes.
    """
    subject = subject_of(assembly, patches, shape)
    acting, load = _actions(subject, forces, wrench, result)
    ax = style.axes(ax, "space")
    solids = Solids()
    held = np.concatenate([subject.assembly.positions, *subject.faces, *subject.links])
    if subject.shape is not None:
        add_shape(solids, subject.shape)
        solids = near(solids, held)
    for face in subject.faces:
        add_sheet(solids, face, UNIT, 0.55)
    _draw_links(ax, subject)
    solids.draw(ax, gid="bodies")
    fixed = np.concatenate([held, solids.corners])
    size = float(np.linalg.norm(np.ptp(fixed, axis=0))) or 0.1
    seen = [fixed]
    if frames:
        _draw_frames(ax, subject, FRAME_LENGTH * size)
    points, scale = _draw_actions(ax, subject, acting, load, force_scale, size)
    seen += points
    if isinstance(result, Equilibrium) and not result.holds and len(result.separating_wrenches):
        from .plots_actions import draw_motion

        cases = len(result.separating_wrenches)
        name = "it lets go this way" if cases == 1 else f"it lets go this way (1 of {cases} cases)"
        motion = result.separating_wrenches[0]
        # Multipliers and their negatives tell the same plane apart; the object moves the way the load does work.
        motion = motion if motion @ result.wrench > 0.0 else -motion
        seen.append(draw_motion(ax, motion, subject.center, size, name))
    if scale is not None:
        shown = _round(style.LONGEST * size / scale)
        ax.plot([], [], [], " ", label=f"scale: {shown:g} N = {1e3 * scale * shown:.3g} mm")
    points = np.concatenate(seen)
    style.dress_space(ax, points.min(axis=0), points.max(axis=0), view=view, title=title or _title(subject, result))
    for letter in "xyz":
        getattr(ax, f"set_{letter}label")(f"${letter}$ [m]", labelpad=2)
    style.legend(ax)
    return ax


def _draw_links(ax: Any, subject: Subject) -> None:
    """The parts of the gripper as lines with dots at their joints."""
    look = {"color": LINK, "linewidth": 2.6, "alpha": 0.75, "solid_capstyle": "round", "marker": "o", "ms": 3.5}
    for line in subject.links:
        ax.plot(*line.T, **look, gid="link", zorder=style.MARKS)


def _actions(
    subject: Subject, forces: ArrayLike | None, wrench: ArrayLike | None, result: Any
) -> tuple[Array | None, Array | None]:
    """Contact forces (k, 3) and load (6,), given or from the result."""
    count = len(subject.assembly)
    if result is not None:
        if not isinstance(result, (Equilibrium, LoadLimit)):
            fix = "give what hf.equilibrium or hf.load_limit returned"
            raise InputError(f"is a {type(result).__name__}", where="result", fix=fix)
        if len(result.assembly) != count:
            what = f"is about {len(result.assembly)} contacts, not {count}"
            raise InputError(what, where="result", fix="give the result of this assembly")
        forces = result.forces if forces is None else forces
        wrench = _load(result) if wrench is None else wrench
    acting = None if forces is None else checks.array("forces", forces, (count, 3))
    return acting, None if wrench is None else checks.vector("wrench", wrench, 6)


def _load(result: Equilibrium | LoadLimit) -> Array:
    """The wrench a result is about; the direction itself where a limit is not a number."""
    if isinstance(result, Equilibrium):
        return result.wrench
    return result.direction * (result.value if np.isfinite(result.value) else 1.0)


def _draw_frames(ax: Any, subject: Subject, length: float) -> None:
    from ..plotting.artists import add_arrow

    for position, rotation in subject.frames:
        for k in range(3):
            end = position + length * rotation[:, k]
            add_arrow(ax, position, end, style.FRAME[k], width=1.0, head=4.0, gid="frame")


def _draw_actions(
    ax: Any, subject: Subject, acting: Array | None, load: Array | None, force_scale: float | None, size: float
) -> tuple[list[Array], float | None]:
    """Forces and load in one scale; the points that must be seen, and the scale [m/N] when there are forces.

    A load much larger than each single force is shortened, and says so.
    """
    from .plots_actions import draw_forces, draw_wrench

    strengths = [0.0] if acting is None else list(np.linalg.norm(acting, axis=1))
    longest = max(strengths)
    if longest == 0.0 and load is not None:
        longest = float(np.linalg.norm(load[:3]))
    if force_scale is not None:
        scale = checks.positive("force_scale", force_scale, unit="m/N")
    else:
        scale = style.LONGEST * size / longest if longest > 0.0 else 1.0
    seen: list[Array] = []
    if acting is None:
        positions = subject.assembly.positions
        ax.scatter(
            *positions.T, s=11, color=style.FORCE, linewidths=0, depthshade=False, zorder=style.MARKS, label="contact"
        )
    else:
        seen.append(draw_forces(ax, subject.assembly, acting, scale))
    if load is not None:
        seen.append(draw_wrench(ax, load, subject.center, scale, size))
    return seen, scale if longest > 0.0 else None


def _round(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above `value`."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(max(m * power for m in (1.0, 2.0, 5.0) if m * power <= value * (1.0 + 1e-9)))


def _title(subject: Subject, result: Any) -> str:
    name = style.verbatim(subject.assembly.name)
    if isinstance(result, Equilibrium):
        verdict = result.status.value
    elif isinstance(result, LoadLimit):
        word = {Status.OPTIMAL: "holds up to", Status.UNDECIDED: "undecided, holds at least"}.get(result.status)
        verdict = f"{word} {result.value:.4g} times the load" if word else result.status.value
    else:
        return name
    return f"{name}: {verdict}" if name else verdict
