"""Classical wrench-space metrics of a planar grasp, in addition to Q; higher is better.

Each contact pushes along the two edges of its friction cone, N + mu T and N - mu T, scaled so that the normal force is
1 N. A planar wrench is (f_x, f_y, tau / L): the torque about the object's centroid, divided by a stated torque length L
so that it can be compared with forces. Their convex hull is the set of resisted wrenches when the normal forces add up
to at most 1 N (the L1 metric of Ferrari and Canny); in the plane the two edges are the whole cone, so nothing is
approximated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..public_names import with_advice
from ..results import Result

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

    from ..assembly.assembly import Assembly
    from .ranking import Grasp

#: Millimetres in a metre: grasps are in mm, assemblies in m.
MM_PER_M = 1000.0


@dataclass(frozen=True)
class WrenchMetrics(Result):
    """Wrench-space metrics of one grasp.

    Attributes:
        epsilon: radius [N] of the largest ball about zero in the hull; 0 when the grasp is not force-closed.
        hull_volume: volume [N^3] of the hull.
        torque_length_mm: length L by which torques were divided.
        largest_load: largest pure force [N] through the centroid that is held in its worst direction, each normal force
            being at most 1 N.
        worst_direction_rad: that direction, from x, counter-clockwise.
        load_directions: how many directions were tried.
    """

    epsilon: float
    hull_volume: float
    torque_length_mm: float
    largest_load: float
    worst_direction_rad: float
    load_directions: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return dict(vars(self))


def cone_wrenches(
    contacts_mm: ArrayLike, inward_normals: ArrayLike, centroid_mm: ArrayLike, mu: float, torque_length_mm: float
) -> Array:
    """(..., 2 k, 3) wrenches (f_x, f_y, tau/L) [N] of the cone edges of (..., k, 2) contacts at 1 N of normal force."""
    contacts = checks.rows("contacts_mm", contacts_mm, 2)
    normals = checks.rows("inward_normals", inward_normals, 2)
    arms = contacts - checks.vector("centroid_mm", centroid_mm, 2)
    mu = checks.number("mu", mu, low=0.0)
    length = checks.positive("torque_length_mm", torque_length_mm, unit="mm")
    tangents = np.stack([-normals[..., 1], normals[..., 0]], axis=-1)
    forces = np.concatenate([normals + mu * tangents, normals - mu * tangents], axis=-2)
    arms = np.concatenate([arms, arms], axis=-2)
    torques = arms[..., 0] * forces[..., 1] - arms[..., 1] * forces[..., 0]
    return np.concatenate([forces, torques[..., None] / length], axis=-1)


def epsilon(wrenches: ArrayLike) -> Array:
    """(...,) radius of the largest ball about zero in the hull of (..., n, 3) wrenches; 0 when zero is not inside."""
    points = checks.rows("wrenches", wrenches, 3)
    hulls = [_hull(each) for each in points.reshape(-1, *points.shape[-2:])]
    radii = [0.0 if hull is None else max(0.0, -hull.equations[:, -1].max()) for hull in hulls]
    return np.reshape(radii, points.shape[:-2])


def hull_volume(wrenches: ArrayLike) -> float:
    """Volume of the hull of (n, 3) wrenches; 0 when they lie in a plane."""
    hull = _hull(checks.rows("wrenches", wrenches, 3))
    return 0.0 if hull is None else float(hull.volume)


def _hull(wrenches: Array) -> ConvexHull | None:
    from scipy.spatial import ConvexHull, QhullError

    try:
        return ConvexHull(wrenches)
    except QhullError:  # fewer than four points, or all of them in a plane
        return None


@with_advice()
def planar_assembly(grasp: Grasp, *, mu: float | None = None, normal_force: float = 1.0) -> Assembly:
    """The grasp as an assembly in space [m]: contacts at z = 0 with forces only in the plane.

    Args:
        grasp: the grasp.
        mu: coefficient of friction; that of the ranking when not given.
        normal_force: largest normal force [N] of each contact.
    """
    from ..assembly import Contact
    from ..assembly.assembly import Assembly
    from ..force_limits.volume import ForceVolume

    mu = grasp.scored.params.mu if mu is None else checks.positive("mu", mu)
    cap = checks.positive("normal_force", normal_force, unit="N")
    cone = ForceVolume([cap * np.array([[0.0, 0.0, 0.0], [mu, 0.0, 1.0], [-mu, 0.0, 1.0]])], allow_flat=True)
    contacts = []
    for point, (nx, ny) in zip(grasp.contacts_mm, grasp.inward_normals, strict=True):
        frame = np.array([[-ny, 0.0, nx], [nx, 0.0, ny], [0.0, 1.0, 0.0]])  # shear in the plane, lateral along z
        contacts.append(Contact(np.array([*(point / MM_PER_M), 0.0]), frame, cone))
    return Assembly(contacts)


@with_advice()
def resistible_load(grasp: Grasp, direction: ArrayLike, *, mu: float | None = None, normal_force: float = 1.0) -> float:
    """Largest multiple of a planar load the grasp holds, by Holdfast's own solver.

    Args:
        grasp: the grasp.
        direction: (3,) force f_x, f_y [N] through the centroid, and torque [N mm] about it.
        mu: coefficient of friction; that of the ranking when not given.
        normal_force: largest normal force [N] of each contact.
    """
    load = checks.vector("direction", direction, 3)
    return _limits(grasp, load[None], mu, normal_force)[0]


@with_advice()
def measure(
    grasp: Grasp,
    *,
    mu: float | None = None,
    torque_length_mm: float | None = None,
    load_directions: int = 12,
) -> WrenchMetrics:
    """All wrench-space metrics of one grasp.

    Args:
        grasp: the grasp.
        mu: coefficient of friction; that of the ranking when not given.
        torque_length_mm: length L that turns torques into forces; half the object's major axis when not given.
        load_directions: how many evenly spaced directions of force are tried for the largest load, from +x on.
    """
    shape = grasp.scored.shape
    friction = grasp.scored.params.mu if mu is None else checks.positive("mu", mu)
    length = shape.major_axis_mm / 2.0 if torque_length_mm is None else torque_length_mm
    wrenches = cone_wrenches(grasp.contacts_mm, grasp.inward_normals, shape.centroid_mm, friction, length)
    count = checks.count("load_directions", load_directions, low=3)
    angles = 2.0 * np.pi * np.arange(count) / count
    loads = np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=1)
    limits = np.array(_limits(grasp, loads, friction, 1.0))
    worst = int(limits.argmin())
    return WrenchMetrics(
        float(epsilon(wrenches)),
        hull_volume(wrenches),
        float(length),
        float(limits[worst]),
        float(angles[worst]),
        count,
    )


def _limits(grasp: Grasp, loads: Array, mu: float | None, normal_force: float) -> list[float]:
    """Largest multiples of (n, 3) planar loads; 0 where not even the smallest is held."""
    from ..statics.holding import load_limit

    assembly = planar_assembly(grasp, mu=mu, normal_force=normal_force)
    cx, cy = grasp.scored.shape.centroid_mm / MM_PER_M
    limits = []
    for fx, fy, torque in loads:
        wrench = [fx, fy, 0.0, 0.0, 0.0, torque / MM_PER_M + cx * fy - cy * fx]  # torque about the world origin
        limits.append(max(0.0, float(load_limit(assembly, wrench).value)))
    return limits
