"""Whether a force lies on the border of what its contact can bear, and how much of that it uses.

A volume is a union of convex pieces, so that the border of a piece need not be one of the volume: another piece may
go on beyond it. A force f is inside the union exactly when the pieces that hold it cover every direction
around it. A direction u leaves a piece when it climbs one of the facets active at f (n . u > 0), so f is on the border
when one active facet can be chosen for each of these pieces such that some u climbs them all.
"""

from __future__ import annotations

import numpy as np

from ...checks import Array
from ...force_limits import ForceVolume
from ...geometry.polytopes import Polytope

#: A force is on a border, or a joint torque at its bound, within this share of its size.
AT_LIMIT = 1e-6

#: A gap between pieces narrower than this angle [rad] is none.
NARROWEST_GAP = 1e-6

#: Choices of facets tried before a force counts as on the border (only where many pieces meet in one corner).
MOST_CHOICES = 5_000


def force_size(piece: Polytope, force: Array) -> float:
    """What closeness to the piece's border is relative to [N]: its largest vertex, or the force if that is larger."""
    return max(float(np.abs(piece.vertices).max()), float(np.abs(force).max())) or piece.size


def is_idle(volume: ForceVolume, force: Array) -> bool:
    """Whether a force (3,) [N] is none, beside what the volume can bear."""
    largest = max(float(np.abs(vertices).max()) for vertices in volume.pieces)
    return bool(np.abs(force).max() <= AT_LIMIT * largest) if largest > 0.0 else not force.any()


def active_facets(piece: Polytope, force: Array) -> Array:
    """(a, 3) unit normals of the piece's facets (planes of a flat piece included) on which the force (3,) lies."""
    normals, offsets = piece.halfspaces
    return normals[offsets - normals @ force <= AT_LIMIT * force_size(piece, force)]


def on_border(pieces: tuple[Polytope, ...], force: Array) -> bool:
    """Whether the force (3,) [N] is on the border of the union of the pieces; where those are flat, on their rim."""
    holding = [p for p in pieces if float(p.signed_distance(force)) <= AT_LIMIT * force_size(p, force)]
    if not holding:
        return True
    dimension = max(p.dimension for p in holding)
    facets = [active_facets(p, force) for p in holding if p.dimension == dimension]
    if dimension == 3:
        return _leaves_all(facets)
    if dimension == 0:
        return True  # a single force: more and less are both beyond it
    across = _opposed(facets[0])  # flat pieces: only directions within the plane of the first are asked about
    within = np.eye(3) - across.T @ np.linalg.pinv(across.T)
    turned = [normals @ within for normals in facets]
    return _leaves_all([rows[np.linalg.norm(rows, axis=1) > NARROWEST_GAP] for rows in turned])


def utilisation(volume: ForceVolume, force: Array, *, at_limit: bool) -> float:
    """Share of its strength that a contact uses under `force` (3,) [N], from 0 for no force to 1 on the border.

    It is the force over the largest admissible one along it. Where that says too little, because the volume is
    unbounded or has zero on its border (a friction cone, capped or not), it is at least the shear force over the
    largest one along it at the same normal force: |f_t| / (mu f_n) in a cone of Coulomb friction. Where smaller forces
    are always admissible, neither share falls as the force grows.

    Args:
        volume: what the contact can bear.
        force: in the contact frame, admissible [N].
        at_limit: whether `force` is on the border, as `on_border` says.
    """
    if is_idle(volume, force):
        return 0.0
    if at_limit:
        return 1.0
    reach = float(volume.radial(force))
    along = 1.0 / reach if reach > 0.0 else 1.0
    if volume.is_bounded and not on_border(volume.polytopes, np.zeros(3)):
        return min(along, 1.0)
    return min(max(along, _share_across(volume.polytopes, force)), 1.0)


def _share_across(pieces: tuple[Polytope, ...], force: Array) -> float:
    """The shear part of `force` (3,) over where the union ends along it, at the same normal force; 0 without shear."""
    shear = np.array([force[0], force[1], 0.0])
    if np.linalg.norm(shear) <= AT_LIMIT * np.linalg.norm(force):
        return 0.0
    spans = [_span(piece, force - shear, shear, AT_LIMIT * force_size(piece, force)) for piece in pieces]
    end = 1.0
    for low, high in sorted(spans):  # from the force outwards, as long as one piece goes on where another ends
        if low <= end * (1.0 + AT_LIMIT):
            end = max(end, high)
    return 1.0 / end


def _span(piece: Polytope, start: Array, step: Array, slack: float) -> tuple[float, float]:
    """(first, last) t for which start + t step (3,) is in the piece; (inf, -inf) when it never is.

    Facets that the line runs along are moved outwards by `slack` [N].
    """
    normals, offsets = piece.halfspaces
    room, speed = offsets - normals @ start, normals @ step
    along = np.abs(speed) <= AT_LIMIT * np.linalg.norm(step)
    if (room[along] < -slack).any():
        return np.inf, -np.inf
    times = room[~along] / speed[~along]
    low = float(times[speed[~along] < 0.0].max(initial=-np.inf))
    high = float(times[speed[~along] > 0.0].min(initial=np.inf))
    return (low, high) if low <= high else (np.inf, -np.inf)


def _opposed(normals: Array) -> Array:
    """The normals whose negative is among them, too: those across a flat piece."""
    if not len(normals):
        return normals
    sums = np.linalg.norm(normals[:, None, :] + normals[None, :, :], axis=2)
    return normals[(sums <= NARROWEST_GAP).any(axis=1)]


def _leaves_all(facets: list[Array]) -> bool:
    """Whether some direction climbs one facet in each of the lists; False when one of them has none."""
    if any(not len(normals) for normals in facets):
        return False
    ordered = sorted(facets, key=len)
    tried = 0
    stack = [(0, np.zeros((0, 3)))]
    while stack:
        depth, chosen = stack.pop()
        if depth == len(ordered):
            return True
        for normal in ordered[depth]:
            tried += 1
            if tried > MOST_CHOICES:
                return True
            together = np.vstack([chosen, normal])
            if _climbs(together):
                stack.append((depth + 1, together))
    return False


def _climbs(normals: Array) -> bool:
    """Whether some u has n . u > 0 for all of the unit normals (n, 3): none has when their hull contains zero (Gordan).

    The weights of the hull's shortest vector come from non-negative least squares; its residual is such a u.
    """
    from scipy.optimize import nnls

    columns = np.vstack([normals.T, np.ones(len(normals))])
    _, distance = nnls(columns, np.array([0.0, 0.0, 0.0, 1.0]))
    return bool(distance > NARROWEST_GAP)
