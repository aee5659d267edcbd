"""A region checked by arithmetic of its own: balances, weights, support functions, and that corners and edges agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ... import tolerances
from ...checks import Array
from ...grips import Grip
from ...solvers.minkowski import HandWeights
from ...solvers.minkowski.slices import SliceKind
from ..hands import AnyGrip
from ..lazy import LazyGrip
from .centring import support_along

if TYPE_CHECKING:
    from .region import SupportRegion

#: What a proof may leave open, as a share of the load, of a grip's size or of the region's size.
PROVEN = 1e-8

#: So many half-planes of a region are looked at before it is handed out.
GLANCES = 8


@dataclass(frozen=True)
class RegionResiduals:
    """What the proof of a region leaves open; each number is a share, and none is above PROVEN when it is proven.

    Attributes:
        balance: sum_j T_j w_j + w, worst vertex, as a share of the load.
        membership: how far the hands' wrenches are outside their grips, as a share of the grips' size.
        multipliers: how far axes @ y is from the edge's normal, worst edge.
        offsets: how much too small an offset is for the support function, as a share of the region's size.
        agreement: how far the vertices are from the edges that should meet there, as a share of the region's size.
        rays: how far a ray is from a direction in which the hands have no limit, as a share of its wrench.
        separation: of an empty region, 1 + PROVEN where y does not separate what is wanted from what is given; else 0.
    """

    balance: float = 0.0
    membership: float = 0.0
    multipliers: float = 0.0
    offsets: float = 0.0
    agreement: float = 0.0
    rays: float = 0.0
    separation: float = 0.0

    @property
    def worst(self) -> float:
        """The largest of them."""
        return max(vars(self).values())

    @property
    def passed(self) -> bool:
        """Whether every one is as small as a proof's must be."""
        return self.worst <= PROVEN


def residuals_of(region: SupportRegion) -> RegionResiduals:
    """See `SupportRegion.residuals`; a sampled region is asked only for what it claims."""
    base, axes = region.weight.wanted(region.centring.centre)
    about = region.frame.coordinates(region.centring.centre)
    if region.is_empty:
        return RegionResiduals(separation=_separation(region, base, axes))
    found: dict[str, float] = {}
    if region.side != "outer":
        found["balance"] = _balance(region, region.vertices - about)
        found["membership"] = _membership(region)
        found["rays"] = max((_ray_residual(region, ray @ axes) for ray in region.rays), default=0.0)
    if region.side != "inner" and len(region.normals):
        y = region.centring.from_world(region.proof.multipliers)
        found["multipliers"] = float(np.abs(y @ axes.T - region.normals).max())
        offsets = _supports(region, y) - y @ base + region.normals @ about
        found["offsets"] = max(0.0, float((offsets - region.offsets).max())) / region.size
    found["agreement"] = _agreement(region)
    return RegionResiduals(**found)


def stands_a_glance(region: SupportRegion) -> bool:
    """Whether corners and half-planes agree, and some of the half-planes are as far out as they say; quick."""
    if not _agreement(region) <= PROVEN:
        return False
    some = np.unique(np.linspace(0, len(region.normals) - 1, GLANCES).astype(int)) if len(region.normals) else []
    base, _ = region.weight.wanted(region.centring.centre)
    y = region.centring.from_world(region.proof.multipliers[some])
    about = region.frame.coordinates(region.centring.centre)
    offsets = _supports(region, y) - y @ base + region.normals[some] @ about
    return bool(((offsets - region.offsets[some]) <= PROVEN * region.size).all())


def _balance(region: SupportRegion, z: Array) -> float:
    """Worst sum of the hands' wrenches and the weight, torques about the hands' centre, as a share of the load."""
    hands, (base, axes) = region.hands, region.weight.wanted(region.centring.centre)
    given = np.einsum("kmi,nki->nm", region.centring.maps, region.proof.wrenches)
    wanted = base + z @ axes
    load = np.linalg.norm(wanted * hands.scaling, axis=1)
    return float((np.linalg.norm((given - wanted) * hands.scaling, axis=1) / load).max())


def _membership(region: SupportRegion) -> float:
    """Worst distance of a hand's wrench from its grip: by its weights, or where hands have no vertices, as they say."""
    known = all(isinstance(grip, Grip) for grip in region.hands.grips)
    worst = 0.0
    for wrenches, weights in zip(region.proof.wrenches, region.proof.weights, strict=True):
        for hand, grip in enumerate(region.hands.grips):
            if known and isinstance(grip, Grip):
                worst = max(worst, _outside(grip, wrenches[hand], weights[hand]))
            elif not _gives(grip, wrenches[hand]):
                return 1.0
    return worst


def _gives(grip: AnyGrip, wrench: Array) -> bool:
    """Whether a hand says that it gives a wrench (6,) of its palm frame; lazy ones are asked for their hulls."""
    if isinstance(grip, LazyGrip):
        return grip.gives(grip.confirm_hulls(wrench), wrench, hulls=True)
    return bool(grip.contains(wrench))


def _outside(grip: Grip, wrench: Array, weights: HandWeights) -> float:
    """How far a wrench (6,) is from being the combination that its weights say."""
    given = weights.values @ grip.vertices[weights.indices] + weights.ray_values @ grip.rays[weights.ray_indices]
    size = max(grip.size, float(np.abs(wrench / grip.unit).max()))
    least = min(float(weights.values.min(initial=0.0)), float(weights.ray_values.min(initial=0.0)))
    return max(
        -least,
        abs(float(weights.values.sum()) - 1.0),
        float(np.abs((given - wrench) / grip.unit).max()) / size,
    )


def _supports(region: SupportRegion, y: Array) -> Array:
    """(e,) support function of the sum along multipliers (e, 6) about the hands' centre."""
    total = np.zeros(len(y))
    for grip, transport in zip(region.hands.grips, region.centring.maps, strict=True):
        local = y @ transport
        if not isinstance(grip, Grip):
            total += np.array([support_along(grip, row) for row in local])
            continue
        total += (local @ grip.vertices.T).max(axis=1)
        if len(grip.rays):
            # A ray that its multiplier is normal to shows rounding of the terms that cancel in it.
            slopes = (local @ grip.rays.T) / np.linalg.norm(grip.rays / grip.unit, axis=1)
            size = np.linalg.norm(np.abs(y) @ np.abs(transport) * grip.unit, axis=1)
            total[(slopes > PROVEN * size[:, None]).any(axis=1)] = np.inf
    return total


def _agreement(region: SupportRegion) -> float:
    """How far corners stand beyond half-planes and, for an exact region, from the edges that they are the ends of."""
    if region.kind is SliceKind.PLANE or not len(region.normals):
        return 0.0
    gap = (region.vertices @ region.normals.T - region.offsets) / region.size  # (n, e)
    worst = max(0.0, float(gap.max()))
    if region.side != "exact":
        return worst
    n, e = gap.shape
    if region.kind is SliceKind.POLYGON:
        ends = np.concatenate([gap[np.arange(n), np.arange(e)], gap[(np.arange(e) + 1) % n, np.arange(e)]])
    elif region.kind is SliceKind.UNBOUNDED and e == n + 1:
        ends = np.concatenate([gap[np.arange(n), np.arange(n)], gap[np.arange(n), np.arange(n) + 1]])
    else:
        ends = gap.max(axis=0)  # every half-plane touches: thin regions, lines, strips, half-planes
    turning = (region.normals @ region.rays.T).max(initial=0.0) if len(region.rays) else 0.0
    return max(worst, float(np.abs(ends).max(initial=0.0)), float(turning))


def _ray_residual(region: SupportRegion, wrench: Array) -> float:
    """How far a wanted direction (6,) of wrenches is from the cone of directions in which the hands have no limit."""
    from scipy.optimize import nnls

    hands = region.hands
    if not all(isinstance(grip, Grip) for grip in hands.grips):
        return 0.0  # hands without a list of rays prove it by the multipliers of their own programs
    rays = [g.rays @ m.T for g, m in zip(hands.grips, region.centring.maps, strict=True) if isinstance(g, Grip)]
    columns = (np.concatenate(rays) * hands.scaling).T
    lengths = np.linalg.norm(columns, axis=0)
    target = wrench * hands.scaling
    if not columns.size:
        return 1.0
    _, rest = nnls(columns / lengths, target / np.linalg.norm(target), maxiter=100 * columns.shape[1])
    return float(rest)


def _separation(region: SupportRegion, base: Array, axes: Array) -> float:
    """0 where the separator proves that nothing holds: no place of the mass changes y . w, and the hands give less."""
    y = region.proof.separator
    if y is None:
        return 1.0 + PROVEN
    y = region.centring.from_world(y)
    support = float(_supports(region, y[None])[0])
    reach = np.abs(y / region.hands.scaling).sum() * np.linalg.norm(base)
    still = np.abs(axes @ y).max() * region.size <= PROVEN * reach
    return 0.0 if still and float(y @ base) - support > tolerances.SEPARATION * reach else 1.0 + PROVEN
