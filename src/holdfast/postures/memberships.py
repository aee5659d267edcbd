"""Whether wrenches lie in the hands' sets, checked without the solver that found them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import tolerances
from ..checks import Array
from ..grips import Grip, OuterGrip
from ..solvers.minkowski import HandWeights
from ..statics.equilibrium import Equilibrium
from .hands import Hands
from .lazy import LazyGrip

#: Where load and wrenches vanish, a residual is judged against this share of the hands' size.
ROUNDING_SHARE = 1e-6


def balance(hands: Hands, wrenches: Array, load: Array) -> float:
    """What the balance sum_j T_j w_j + w = 0 misses, relative to `balance_size`."""
    world = np.einsum("kij,kj->ki", hands.maps, wrenches)
    return hands.wrench_size(world.sum(axis=0) + load) / balance_size(hands, wrenches, load)


def balance_size(hands: Hands, wrenches: Array, load: Array) -> float:
    """Size [N] of the largest wrench in a balance; where all vanish, of what rounding leaves of the hands' sets."""
    world = np.einsum("kij,kj->ki", hands.maps, wrenches)
    return max(ROUNDING_SHARE * hands.size, *(hands.wrench_size(row) for row in [load, *world]))


def lie_in_grips(
    hands: Hands,
    wrenches: Array,
    weights: Sequence[HandWeights | None],
    confirmed: Sequence[Equilibrium | None] | None,
) -> bool:
    """Whether each hand's wrench (k, 6, palm frames) lies in its set.

    By the weights of vertices and rays, by all half-spaces, or by the contact forces of `confirmed`. Without the
    latter, lazy hands are asked whether the hulls of their volumes give the wrench (outer).
    """
    for j, (grip, wrench) in enumerate(zip(hands.grips, wrenches, strict=True)):
        if isinstance(grip, Grip):
            inside = is_combination(grip, wrench, weights[j] if weights else None)
        elif isinstance(grip, OuterGrip):
            inside = bool(grip.contains(wrench))
        elif isinstance(grip, LazyGrip):
            answer = grip.confirm_hulls(wrench) if confirmed is None else confirmed[j] if confirmed else None
            inside = answer is not None and grip.gives(answer, wrench, hulls=confirmed is None)
        else:
            inside = False
        if not inside:
            return False
    return True


def is_combination(grip: Grip, wrench: Array, weights: HandWeights | None) -> bool:
    """Whether weights >= 0 that sum to 1 give the wrench from the grip's vertices, and any from its rays."""
    if weights is None or (weights.values < 0.0).any() or (weights.ray_values < 0.0).any():
        return False
    if abs(weights.values.sum() - 1.0) > tolerances.FEASIBILITY:
        return False
    made = weights.values @ grip.vertices[weights.indices] + weights.ray_values @ grip.rays[weights.ray_indices]
    size = max(grip.size, float(np.abs(wrench / grip.unit).max()))
    return bool(np.abs((made - wrench) / grip.unit).max() <= 10 * tolerances.MEMBERSHIP * size)
