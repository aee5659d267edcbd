"""Proofs about postures, checked without the solver: half-spaces of the sum, membership of wrenches, contact forces.

For any y, every wrench b that the hands give together obeys y . b <= h(y) = sum_j h_j(T_j^T y). A load -b beyond that
is not held, and y is its separating wrench.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .. import tolerances
from ..checks import Array, IntArray
from ..grips import Grip, OuterGrip
from ..results import proof
from ..solvers.minkowski import HandWeights
from ..statics.holding import Equilibrium
from .hands import AnyGrip, Hands, LazyGrip

#: Largest number of vertices with equal support, up to rounding, for which a margin is computed exactly.
MOST_TIES = 64


class PlaneWeights(NamedTuple):
    """Proof of the support of a hand of half-spaces: weights >= 0 of its rows whose sum is the direction."""

    rows: IntArray
    weights: Array


@dataclass(frozen=True, eq=False)
class SumBound:
    """y . b <= support for all wrenches b that the hands can give together (outer).

    Attributes:
        hands: grips and poses.
        multipliers: (6,) y against world wrenches about the world origin; with its torque part times `hands.length` and
            taken about the palms' mean, of length 1 where it separates.
        support: [N], if y is so scaled: the sum over hands of their largest (T_j^T y) . w_j.
        planes: proofs of the supports of hands of half-spaces, None for the others.
    """

    hands: Hands
    multipliers: Array
    support: float
    planes: tuple[PlaneWeights | None, ...]

    @proof
    def verify(self) -> bool:
        """Whether the support is correct, from every vertex, ray and half-space of every hand."""
        total, size = _supports(self.hands, self.multipliers, self.planes)
        return bool(abs(total - self.support) <= tolerances.SEPARATION * size)


@dataclass(frozen=True, eq=False)
class SeparatingWrench(SumBound):
    """Proof that a load is not held: y . (sum of the hands' wrenches + w) < 0 for all wrenches of the hands.

    -y is a motion of the body (velocity [m/s], angular velocity [rad/s], about the world origin) in which the load does
    more work than the hands can absorb.

    Attributes:
        wrench: (6,) the external wrench w on the body.
    """

    wrench: Array

    @property
    def margin(self) -> float:
        """-(y . w) - support [N]: margin of the separation; torques divided by `hands.length`."""
        return float(-self.multipliers @ self.wrench) - self.support

    @property
    def wins(self) -> bool:
        """Whether the margin is beyond rounding; in doubt it is computed in fractions."""
        return self.wins_by(0.0)

    def wins_by(self, least: float) -> bool:
        """As `wins`, with a margin of more than `least` [N]."""
        y = np.abs(self.multipliers)
        size = float(y @ np.abs(self.wrench)) + float(np.vdot(self.hands.largest_parts, y @ self.hands.map_sizes))
        margin, doubt = self.margin - least, tolerances.ROUNDING * max(size, abs(self.support))
        if abs(margin) > doubt:
            return margin > 0.0
        exact = exact_margin(self.hands, self.multipliers, self.wrench)
        return exact is not None and exact > least

    @proof
    def verify(self) -> bool:
        """Whether the margin is beyond rounding, with supports computed again."""
        total, _ = _supports(self.hands, self.multipliers, self.planes)
        return super().verify() and replace(self, support=max(total, self.support)).wins


def exact_margin(hands: Hands, multipliers: Array, wrench: Array) -> Fraction | None:
    """-(y . w) - h(y) for hands with only vertices, without rounding: every float is taken as an exact number.

    None for other hands, whose proofs have rounding errors, and where too many vertices have equal support.
    """
    force, torque = [Fraction(value) for value in multipliers[:3].tolist()], multipliers[3:].tolist()
    turn = [Fraction(value) for value in torque]
    total = -_product([*force, *turn], wrench.tolist())
    for grip, pose, transport in zip(hands.grips, hands.poses, hands.maps, strict=True):
        if not isinstance(grip, Grip) or len(grip.rays):
            return None
        values = grip.vertices @ (transport.T @ multipliers)
        terms = float(grip.largest_parts @ (np.abs(transport).T @ np.abs(multipliers)))
        tied = grip.vertices[values >= values.max() - tolerances.ROUNDING * terms].tolist()
        if len(tied) > MOST_TIES:
            return None
        x, y, z = (Fraction(value) for value in pose.translation.tolist())
        # y . T v = (f + n x t) . R v_f + n . R v_n
        arm = [turn[1] * z - turn[2] * y, turn[2] * x - turn[0] * z, turn[0] * y - turn[1] * x]
        moved = [a + b for a, b in zip(force, arm, strict=True)]
        columns = pose.rotation.T.tolist()
        local = [_product(moved, column) for column in columns] + [_product(turn, column) for column in columns]
        total -= max(_product(local, vertex) for vertex in tied)
    return total


def _product(left: list[Fraction], right: list[float]) -> Fraction:
    return sum((a * Fraction(b) for a, b in zip(left, right, strict=True)), Fraction(0))


def total_support(hands: Hands, multipliers: Array, planes: tuple[PlaneWeights | None, ...]) -> float:
    """h(y): support of all hands together along y (6,); inf if unbounded."""
    return _supports(hands, multipliers, planes)[0]


def _supports(hands: Hands, multipliers: Array, planes: tuple[PlaneWeights | None, ...]) -> tuple[float, float]:
    """(sum of the hands' supports, size of its terms)."""
    directions, terms = multipliers @ hands.maps, np.abs(multipliers) @ hands.map_sizes  # (k, 6), T_j^T y first
    total = size = 0.0
    grips, shape_of = hands.distinct
    for shape, grip in enumerate(grips):
        own = slice(None) if len(grips) == 1 else np.nonzero(shape_of == shape)[0]
        if isinstance(grip, Grip):
            values, sizes = vertex_supports(grip, directions[own], terms[own])
            total, size = total + sum(values.tolist()), size + sum(sizes.tolist())
            continue
        for hand in np.arange(len(hands))[own]:
            value, term = _hand_support(grip, directions[hand], terms[hand], planes[hand])
            total, size = total + value, size + term
    return total, size


def vertex_supports(grip: Grip, directions: Array, terms: Array) -> tuple[Array, Array]:
    """((n,) supports, (n,) sizes of their terms) of a grip of vertices along directions (n, 6); inf along its rays.

    Args:
        grip: vertices and rays, palm frame.
        directions: (n, 6) in the palm frame.
        terms: (n, 6) sizes of the terms in the sums of the directions, before they cancel.
    """
    values, sizes = np.maximum.reduce(directions @ grip.vertices.T, axis=1), terms @ grip.largest_parts
    if len(grip.rays):
        rays = grip.rays / grip.unit
        slack = np.linalg.norm(terms * grip.unit, axis=1)[:, None] * np.linalg.norm(rays, axis=1)
        climbed = ((directions * grip.unit) @ rays.T > tolerances.RAY_SLOPE * slack).any(axis=1)
        values[climbed], sizes[climbed] = np.inf, 1.0
    return values, sizes


def _hand_support(grip: AnyGrip, direction: Array, terms: Array, planes: PlaneWeights | None) -> tuple[float, float]:
    """(support, size of the terms) of one hand without vertices; inf if unbounded or if the proof is wrong."""
    if isinstance(grip, OuterGrip):
        if planes is None or (planes.weights < 0.0).any():
            return np.inf, 1.0
        normals = grip.normals[planes.rows] * grip.unit
        off = np.abs(planes.weights @ normals - direction * grip.unit).max()
        if off > tolerances.SEPARATION * max((terms * grip.unit).max(), (planes.weights @ np.abs(normals)).max()):
            return np.inf, 1.0
        values = planes.weights * grip.offsets[planes.rows]
        return float(values.sum()), float(np.abs(values).sum())
    if isinstance(grip, LazyGrip):
        bound = grip.support_bound(direction) if direction.any() else 0.0
        return bound, abs(bound)
    return np.inf, 1.0


def unit_multipliers(hands: Hands, multipliers: Array) -> Array:
    """y with length 1, its torque part about the palms' mean and scaled by `hands.length`."""
    (x, y, z), (fx, fy, fz, tx, ty, tz) = hands.centre, multipliers.tolist()
    force = fx - (y * tz - z * ty), fy - (z * tx - x * tz), fz - (x * ty - y * tx)
    size = math.hypot(*force, hands.length * tx, hands.length * ty, hands.length * tz)
    return multipliers / size if size > 0.0 else multipliers


# Whether wrenches are in the hands' sets, checked without the solver that found them.

#: Where load and wrenches vanish, the tolerance is this fraction of the hands' size.
ROUNDING_SHARE = 1e-6


def balance(hands: Hands, wrenches: Array, load: Array, *parts: Array) -> float:
    """Error of the balance sum_j T_j w_j + w = 0, relative to `balance_size`."""
    world = np.einsum("kij,kj->ki", hands.maps, wrenches)
    return hands.wrench_size(world.sum(axis=0) + load) / balance_size(hands, wrenches, load, *parts)


def balance_size(hands: Hands, wrenches: Array, load: Array, *parts: Array) -> float:
    """Size [N] of the largest wrench in a balance; where all vanish, the rounding level of the hands' sets.

    `parts` are wrenches whose sum is the load: where they cancel each other, their rounding errors remain.
    """
    world = np.einsum("kij,kj->ki", hands.maps, wrenches)
    return max(ROUNDING_SHARE * hands.size, *(hands.wrench_size(row) for row in [load, *parts, *world]))


def lie_in_grips(
    hands: Hands,
    wrenches: Array,
    weights: Sequence[HandWeights | None],
    confirmed: Sequence[Equilibrium | None] | None,
) -> bool:
    """Whether each hand's wrench (k, 6, palm frames) is in its set.

    By the weights of vertices and rays, by all half-spaces, or by the contact forces of `confirmed`. Without the
    latter, lazy hands are tested with the hulls of their volumes (outer).
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


# Confirmation of wrenches of lazy hands: possible with their hulls; the exact solver decides for their pieces.

#: Fractions of the way from a held load to the hulls' limit that are tried, the furthest first.
SHARES = (1.0, 0.9999, 0.999, 0.99, 0.97, 0.95, 0.9, 0.8, 0.65, 0.5)

#: Number of bisections between the first confirmed fraction and the one before.
HALVINGS = 3


class Confirmation(NamedTuple):
    """How far lazy hands were shown to apply what their hulls do.

    Attributes:
        share: fraction of the way; -inf when nothing was confirmed.
        wrenches: (k, 6) wrenches of the hands there, palm frames.
        answers: for each lazy hand the equilibrium of its contact forces, None for other hands; () when none.
    """

    share: float
    wrenches: Array
    answers: tuple[Equilibrium | None, ...]


def needs_confirming(hands: Hands) -> bool:
    """Whether some hand is lazy and not convex, so that its hulls may be too large."""
    return any(isinstance(grip, LazyGrip) and not grip.is_convex for grip in hands.grips)


def confirmations(hands: Hands, wrenches: Array) -> tuple[Equilibrium | None, ...] | None:
    """For each lazy hand the equilibrium in which its pieces apply its wrench, None for other hands.

    None if some lazy hand was not found to apply its wrench (k, 6, palm frames).
    """
    result: list[Equilibrium | None] = []
    for grip, wrench in zip(hands.grips, wrenches, strict=True):
        answer = grip.confirm(wrench) if isinstance(grip, LazyGrip) else None
        if answer is not None and not answer.holds:
            return None
        result.append(answer)
    return tuple(result)


def confirmed_share(hands: Hands, near: Array, far: Array) -> Confirmation:
    """The largest fraction t found for which all lazy hands apply near + t (far - near).

    `near` and `far` are (k, 6) in palm frames, both in the hands' hulls.
    """
    best, above = Confirmation(-np.inf, near, ()), 1.0
    for share in SHARES:
        wrenches = near + share * (far - near)
        answers = confirmations(hands, wrenches)
        if answers is not None:
            best = Confirmation(share, wrenches, answers)
            break
        above = share
    for _ in range(HALVINGS if 0.0 < best.share < 1.0 else 0):
        share = 0.5 * (best.share + above)
        wrenches = near + share * (far - near)
        answers = confirmations(hands, wrenches)
        if answers is None:
            above = share
        else:
            best = Confirmation(share, wrenches, answers)
    return best
