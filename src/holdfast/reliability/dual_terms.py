"""Terms of the bound that multipliers put on the load limits of samples: what each contact, and the joints, add to it.

For any multipliers y over the scaled rows, every load factor d of a sample obeys (weak duality, see
`solvers.certificates`)

    d (-y . load)  <=  sum_i h_i(maps_i^T y) - min over s in [lower, upper] of y . s,

h_i being the support of the hull of contact i's pieces. The multipliers of a sample's own search make it nearly equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..checks import Array, IntArray
from ..geometry.polytopes import Polytope
from .drawing import sample_wrenches
from .sampling import Sampler


class Terms(NamedTuple):
    """Of q samples with k contacts, in the scaled rows."""

    contacts: Array  # (q, k) supports of the contacts
    joints: Array  # (q,) what the bounds of the joint rows allow; negative where they need forces
    leaning: Array  # (q,) -y . load

    def bounds(self) -> Array:
        """(q,) upper bounds on the load factors; nan where the multipliers do not lean on the load."""
        total = self.contacts.sum(axis=1) + self.joints
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.leaning > 0.0, total / self.leaning, np.nan)


def dual_terms(sampler: Sampler, scores: Array, multipliers: Array) -> Terms:
    """The terms of multipliers (q, m) for the samples with scores (q, size)."""
    q, layout = len(scores), sampler.variants.layout
    draws = sampler.plan.draws(scores)
    maps, shapes = sampler.maps(draws, q), sampler.shapes(draws)
    directions = np.einsum("qm,qkmc->qkc", multipliers, maps)
    kinds = np.broadcast_to(layout.shape_of, (q, len(layout.shape_of))) if shapes is None else shapes
    loads = sampler.assembly.loads(sample_wrenches(sampler.wrench, sampler.weight, draws, q))
    with np.errstate(invalid="ignore"):
        ends = np.where(
            multipliers > 0.0, multipliers * layout.lower, np.where(multipliers < 0.0, multipliers * layout.upper, 0.0)
        )
    leaning = -(multipliers * loads).sum(axis=1)
    return Terms(supports(layout.shapes, kinds, directions), -ends.sum(axis=1), leaning)


def limit_slopes(sampler: Sampler, scores: Array, multipliers: Array, forces: Array, step: float) -> Array:
    """(q, size) slopes of the load limits at scores (q, size), from the multipliers (q, m) and forces (q, k, 3) there.

    What the Lagrangian says: forces and multipliers stay, the maps and the load move (by differences over `step`).
    Supports in place of the forces would only bound the slopes, since several vertices support at a limit.
    """
    size, slopes = scores.shape[1], np.zeros(scores.shape)
    for i, (z, y, g) in enumerate(zip(scores, multipliers, forces, strict=True)):
        moved = np.concatenate([z[None], z + step * np.eye(size)])
        draws = sampler.plan.draws(moved)
        work = (sampler.maps(draws, size + 1) * g[None, :, None, :]).sum(axis=(1, 3)) @ y
        loads = sampler.assembly.loads(sample_wrenches(sampler.wrench, sampler.weight, draws, size + 1))
        leaning = -loads @ y
        ends = np.where(y > 0.0, sampler.variants.layout.lower, sampler.variants.layout.upper)
        held = work - float((y[y != 0.0] * ends[y != 0.0]).sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes[i] = (held[1:] / leaning[1:] - held[0] / leaning[0]) / step
    return np.nan_to_num(slopes, posinf=0.0, neginf=0.0)


def planned_supports(sampler: Sampler, multipliers: Array) -> Array:
    """(q, k) supports of the contacts as planned, for multipliers (q, m)."""
    layout = sampler.assembly.layout
    kinds = np.broadcast_to(layout.shape_of, (len(multipliers), len(layout.shape_of)))
    return supports(layout.shapes, kinds, np.einsum("qm,kmc->qkc", multipliers, layout.maps))


def supports(shapes: Sequence[tuple[Polytope, ...]], shape_of: IntArray, directions: Array) -> Array:
    """(q, k) supports of the hulls of shapes (q, k) along directions (q, k, 3); rays count as climbed by none."""
    result = np.zeros(shape_of.shape)
    for shape in np.unique(shape_of):
        chosen = shape_of == shape
        vertices = np.unique(np.concatenate([piece.extreme for piece in shapes[shape]]), axis=0)
        result[chosen] = (directions[chosen] @ vertices.T).max(axis=1)
    return result
