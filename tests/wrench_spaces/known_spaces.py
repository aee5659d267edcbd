"""Wrench spaces with known limits, made without a solver: whoever takes them apart has a closed form to meet."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

import holdfast as hf
from holdfast import Assembly, Contact, models
from holdfast.geometry.frames import frame_from_normal
from holdfast.solvers import Exact, Status
from holdfast.wrench_spaces.space import WrenchSpace
from holdfast.wrench_spaces.subspace import Rays

#: Half-widths of a box of wrenches: forces [N], torques [N m].
BOX = np.array([4.0, 3.0, 2.0, 0.5, 0.4, 0.3])


def box_limit(half: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Limits of the box |w| <= half (6,)."""
    return lambda directions: (1.0 / (np.abs(directions) / half)).min(axis=1)


def box_planes(half: np.ndarray) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The face of the box that each ray leaves it through."""

    def planes(directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        face = (np.abs(directions) / half).argmax(axis=1)
        rows = np.arange(len(directions))
        normals = np.zeros_like(directions)
        normals[rows, face] = np.sign(directions[rows, face])
        return normals, half[face]

    return planes


def polytope_limit(normals: np.ndarray, offsets: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Limits of {w: normals . w <= offsets}, with zero inside."""

    def limits(directions: np.ndarray) -> np.ndarray:
        slopes = directions @ normals.T
        return np.where(slopes > 0.0, offsets / np.where(slopes > 0.0, slopes, 1.0), np.inf).min(axis=1)

    return limits


def space_of(
    rays: Rays,
    limit: Callable[[np.ndarray], np.ndarray],
    planes: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]] | None = None,
    **changes: Any,
) -> WrenchSpace:
    """The space whose rays have the limits given; 2 contacts with made-up forces."""
    with np.errstate(divide="ignore"):
        values = limit(rays.directions)
    n = len(rays)
    status = np.full(n, Status.OPTIMAL, dtype=object)
    status[np.isposinf(values)] = Status.UNBOUNDED
    status[np.isneginf(values)] = Status.DOES_NOT_HOLD
    unknown = (np.full((n, 6), np.nan), np.full(n, np.nan))
    normals, offsets = unknown if planes is None else planes(rays.directions)
    rng = np.random.default_rng(3)
    facts: dict[str, Any] = {
        "rays": rays,
        "values": values,
        "upper_bounds": values,
        "status": status,
        "normals": normals,
        "offsets": offsets,
        "joint_multipliers": None,
        "forces": rng.normal(size=(n, 2, 3)),
        "pieces": rng.integers(0, 3, size=(n, 2)),
        "side": "inner",
        "model_hash": "0123456789abcdef",
        "length": 0.1,
        "star_shaped": True,
        "convex": True,
        "method": Exact(),
    }
    return WrenchSpace(**(facts | changes))


def hooks(*, cap: float | None = None) -> Assembly:
    """Four two-way hooks: each pulls to either side, and not both at once; pressing is limited by `cap` [N] alone."""
    hook = models.gecko_two_way(5.0, cap=cap)
    places = [(0.05, 0.01, 0.0), (-0.05, 0.02, 0.0), (0.01, 0.05, 0.0), (0.02, -0.05, 0.0)]
    normals = [(0.2, 0.0, -1.0), (-0.2, 0.1, -1.0), (0.0, 0.2, -1.0), (0.1, -0.2, -1.0)]
    shears = [(1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0)]
    return Assembly(
        [Contact(p, frame_from_normal(n, s), hook) for p, n, s in zip(places, normals, shears, strict=True)]
    )


# Largest loads by a mixed-integer program of our own: scipy's HiGHS on weights of vertices, one indicator a piece.


def largest(assembly: hf.Assembly, wrenches: np.ndarray, gains: np.ndarray) -> float:
    """max gains . c over c (g,) with the wrench c @ wrenches (g, 6) held by some choice of pieces; -inf for none.

    The program chooses the pieces; a linear program with tight tolerances then finds how much they hold. Bounded
    pieces only.
    """
    size = max(float(np.abs(p).max()) for c in assembly.contacts for p in c.volume.pieces)
    blocks = [(i, j) for i, c in enumerate(assembly.contacts) for j in range(len(c.volume.pieces))]
    g, b = len(gains), len(blocks)
    strength = float(np.abs(wrenches / _lengths(assembly)).max())
    columns, owners = [(wrenches / _lengths(assembly)).T / strength], []  # (6 + r, g): balance, then joints
    rows = 0 if assembly.joints is None else len(assembly.joints.lower)
    columns = [np.vstack([columns[0], np.zeros((rows, g))]), np.zeros((6 + rows, b))]
    for at, (i, j) in enumerate(blocks):
        contact = assembly.contacts[i]
        forces = contact.volume.pieces[j] / size @ contact.rotation.T
        torques = np.cross(contact.position, forces) / assembly.length
        block = [forces.T, torques.T]
        if assembly.joints is not None:
            block.append(assembly.joints.jacobian[:, 3 * i : 3 * i + 3] @ forces.T / assembly.length)
        columns.append(np.vstack(block))
        owners += [at] * len(forces)
    matrix = np.hstack(columns)
    low, high = np.zeros(6 + rows), np.zeros(6 + rows)
    if assembly.joints is not None:
        low[6:], high[6:] = (end / size / assembly.length for end in (assembly.joints.lower, assembly.joints.upper))
    n = matrix.shape[1]
    weights, one = np.zeros((b, n)), np.zeros((len(assembly), n))
    for at, (i, _) in enumerate(blocks):
        weights[at, g + at], one[i, g + at] = -1.0, 1.0
    weights[owners, g + b + np.arange(len(owners))] = 1.0
    gain = np.zeros(n)
    gain[:g] = gains
    free = np.full(g, np.inf)
    found = milp(
        -gain,
        constraints=[LinearConstraint(matrix, low, high), LinearConstraint(np.vstack([weights, one]), *_ends(b, one))],
        integrality=np.concatenate([np.zeros(g), np.ones(b), np.zeros(len(owners))]),
        bounds=Bounds(np.concatenate([-free, np.zeros(n - g)]), np.concatenate([free, np.ones(n - g)])),
        options={"mip_rel_gap": 0.0},
    )
    if found.x is None:
        return -np.inf
    chosen = np.round(found.x[g : g + b])
    return _with_pieces(matrix, low, high, weights, gain, chosen, g, b) * size / strength


def _ends(b: int, one: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    ends = np.concatenate([np.zeros(b), np.ones(len(one))])
    return ends, ends


def _lengths(assembly: hf.Assembly) -> np.ndarray:
    return np.repeat([1.0, assembly.length], 3)


def _with_pieces(
    matrix: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    weights: np.ndarray,
    gain: np.ndarray,
    chosen: np.ndarray,
    g: int,
    b: int,
) -> float:
    """The largest gain when the indicators are fixed."""
    kept = np.delete(np.arange(matrix.shape[1]), np.arange(g, g + b))
    up, down = np.isfinite(high) & (high > low), np.isfinite(low) & (high > low)
    result = linprog(
        -gain[kept],
        A_eq=np.vstack([matrix[:, kept][high == low], weights[:, kept]]),
        b_eq=np.concatenate([high[high == low], chosen]),
        A_ub=np.vstack([matrix[:, kept][up], -matrix[:, kept][down]]),
        b_ub=np.concatenate([high[up], -low[down]]),
        bounds=[(None, None)] * g + [(0.0, None)] * (len(kept) - g),
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert result.status in (0, 2), result.message
    return -float(result.fun) if result.status == 0 else -np.inf


# Assemblies whose wrench spaces are known in closed form.


def box(*half: float) -> hf.ForceVolume:
    """Forces within +-half [N] along each axis."""
    return hf.ForceVolume([np.array(list(itertools.product(*((-h, h) for h in half))))])


def at_one_point(*half: float, point: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> hf.Assembly:
    """One contact with a box of forces: it holds every force through its point up to the box, and no torque about it."""
    return hf.Assembly([hf.Contact(np.array(point), np.eye(3), box(*half))])


def cross(reach: float, half: float) -> hf.Assembly:
    """Four equal boxes at +-reach on the x and y axes.

    Forces up to 4 half along each axis. Torques up to 4 reach half about z (all forces along the circle), and up
    to 2 reach half about x and y (the pair on the other axis pushes and pulls along z).
    """
    volume = box(half, half, half)
    places = [(reach, 0, 0), (-reach, 0, 0), (0, reach, 0), (0, -reach, 0)]
    return hf.Assembly([hf.Contact(np.array(place, dtype=float), np.eye(3), volume) for place in places])


def tripod(seed: int = 3) -> hf.Assembly:
    """Three contacts with small convex volumes round zero, turned at random: a wrench space of full dimension."""
    rng = np.random.default_rng(seed)
    contacts = []
    for place in ((0.1, 0.0, 0.0), (-0.06, 0.08, 0.01), (-0.05, -0.09, 0.02)):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turn[:, 2] *= np.sign(np.linalg.det(turn))
        corners = np.array([[3, 0, 0], [-2, 2, 0], [-2, -2, 0], [0, 0, 4], [0, 0, -1.5]]) * rng.uniform(
            0.8, 1.2, (5, 1)
        )
        contacts.append(hf.Contact(np.array(place), turn, hf.ForceVolume([corners])))
    return hf.Assembly(contacts)


def weakest_wrench(assembly: hf.Assembly, length: float) -> float:
    """Radius of the largest ball about zero in the wrench space of convex volumes, torques divided by `length`.

    By brute force: the hull of the wrenches of all choices of vertices. The nearest facet touches the ball.
    """
    from scipy.spatial import ConvexHull

    corners = [c.volume.pieces[0] @ c.rotation.T for c in assembly.contacts]
    scale = np.array([1, 1, 1, 1 / length, 1 / length, 1 / length])
    wrenches = [-(assembly.wrench_matrix @ np.concatenate(choice)) * scale for choice in itertools.product(*corners)]
    return float(-ConvexHull(np.array(wrenches)).equations[:, -1].max())
