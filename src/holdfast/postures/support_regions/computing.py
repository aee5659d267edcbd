"""support_region: from grips, poses and a mass to the places its centre may be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...assembly.loads import STANDARD_GRAVITY
from ...checks import Array
from ...errors import InputError
from ...grips import Grip
from ...solvers.minkowski.slices import SumPolygon
from ..hands import Hands, checked_hands
from ..lazy import LazyGrip
from .bounds import SupportRegionBounds
from .centring import Centring
from .frame import Weight
from .region import RegionProof, Side, SupportRegion
from .sampling import Sampling, sampled
from .verification import stands_a_glance
from .volume import SupportVolume, SupportVolumeBounds, intersected

#: What `support_region` answers.
AnyRegion = SupportRegion | SupportRegionBounds | SupportVolume | SupportVolumeBounds


@dataclass(frozen=True)
class Exact:
    """The default: the exact region, by the parametric simplex where all hands have vertices, else by refinement."""


@dataclass(frozen=True)
class Refinement:
    """The exact region by one program for every edge and every corner, whatever the hands are; slower."""


def support_region(
    grips: Any,
    poses: Any,
    mass: float,
    gravity: ArrayLike | Iterable[ArrayLike] = (0.0, 0.0, -STANDARD_GRAVITY),
    *,
    wrench: ArrayLike | None = None,
    method: Exact | Refinement | Sampling | None = None,
    length: float | None = None,
) -> Any:
    """Where the centre of mass of a body on its hands may be (21): exact, with proof.

    Args:
        grips: one for all hands or one a hand. `Grip` and `OuterGrip` are taken as the sets they are; with a
            `GripBounds` the answer is two regions, of all inner and of all outer sets (V.D). Hands that are solved as
            they are asked (`LazyGrip`) give the exact region where their volumes are convex, else an outer one.
        poses: palm to world, one a hand: `Pose`, (R, t) or a (4, 4) matrix.
        mass: [kg] of the whole body.
        gravity: (3,) [m/s^2] in the world. Several rows (m, 3), such as gravity less each acceleration the body
            may have, ask for centres of mass that hold under every one: a region in space. A list of one row is
            such a question too: the answer is the prism above and below its region.
        wrench: (6,) what acts on the body beside its weight, wherever its centre is, such as the pull of a tool: force
            [N] and torque [N m] about the world origin; nothing by default.
        method: None for the exact region; `Sampling(n)` for the paper's points along n directions (23), which gives an
            inner and an outer region.
        length: [m] that scales torques where they are compared with forces; from the palms and grips by default.

    Returns:
        `SupportRegion`; `SupportRegionBounds` with a `GripBounds` or `Sampling`; for rows of accelerations
        `SupportVolume` or `SupportVolumeBounds`.
    """
    if method is not None and not isinstance(method, (Exact, Refinement, Sampling)):
        raise InputError(
            f"is a {type(method).__name__}", where="method", fix="give None, Exact(), Refinement() or Sampling(n)"
        )
    accelerations, several = _accelerations(gravity)
    hands = checked_hands(grips, poses, gravity=None if several else accelerations[0], length=length)
    weights = [Weight.of(mass, g, wrench) for g in accelerations]
    found = [_one(hands, weight, method) for weight in weights]
    if not several:
        return found[0]
    if isinstance(found[0], SupportRegionBounds):
        return SupportVolumeBounds(
            intersected([f.inner for f in found if isinstance(f, SupportRegionBounds)]),
            intersected([f.outer for f in found if isinstance(f, SupportRegionBounds)]),
        )
    return intersected([f for f in found if isinstance(f, SupportRegion)])


def _accelerations(gravity: Any) -> tuple[list[Array], bool]:
    """(gravities (3,), whether several were asked for); one row in a list of rows counts as several."""
    given = gravity if isinstance(gravity, np.ndarray) else list(gravity) if np.iterable(gravity) else gravity
    if np.ndim(given) < 2:
        return [checks.vector("gravity", given, 3)], False
    rows = checks.array("gravity", given, ("m", 3))
    if not len(rows):
        raise InputError("is empty", where="gravity", fix="give at least one acceleration")
    return list(rows), True


def _one(hands: Hands, weight: Weight, method: Any) -> SupportRegion | SupportRegionBounds:
    """The region, or its bounds, under one gravity."""
    if hands.has_bounds:
        inner, outer = hands.sided("inner"), hands.sided("outer")
        if isinstance(method, Sampling):
            return SupportRegionBounds(_sampled(inner, weight, method).inner, _sampled(outer, weight, method).outer)
        return SupportRegionBounds(_exact(inner, weight, method), _exact(outer, weight, method))
    return _sampled(hands, weight, method) if isinstance(method, Sampling) else _exact(hands, weight, method)


def _exact(hands: Hands, weight: Weight, method: Any) -> SupportRegion:
    from ...solvers.minkowski.slices import refined

    centring = Centring(hands)
    slicer = slicer_of(centring)
    base, axes = weight.wanted(centring.centre)
    if not isinstance(method, Refinement) and all(isinstance(grip, Grip) for grip in hands.grips):
        from ...solvers.minkowski.parametric import parametric_slice

        found = parametric_slice(slicer, base, axes, size=hands.length)
        walked = None if found is None else _region(centring, weight, found, "exact", "parametric simplex")
        if walked is not None and stands_a_glance(walked):
            return walked
    convex = all(grip.is_convex for grip in hands.grips if isinstance(grip, LazyGrip))
    found = refined(slicer, base, axes, size=hands.length)
    return _region(centring, weight, found, "exact" if convex else "outer", "refinement")


def _sampled(hands: Hands, weight: Weight, method: Sampling) -> SupportRegionBounds:
    centring = Centring(hands)
    base, axes = weight.wanted(centring.centre)
    inner, outer = sampled(slicer_of(centring), base, axes, method, size=hands.length)
    name = f"sampling, {method.n} directions"
    return SupportRegionBounds(
        _region(centring, weight, inner, "inner", name), _region(centring, weight, outer, "outer", name)
    )


def slicer_of(centring: Centring) -> Any:
    """What answers programs over the sum of all hands, torques about the hands' centre."""
    hands = centring.hands
    if all(isinstance(grip, Grip) for grip in hands.grips):
        from ...solvers.minkowski import SumSolver

        shapes, shape_of = hands.distinct
        solver = SumSolver([g.prepared for g in shapes if isinstance(g, Grip)], shape_of, length=hands.length)
        solver.place(centring.maps)
        return solver
    from ..generation import slice_solver

    return slice_solver(hands.grips, centring.poses, length=hands.length)


def _region(centring: Centring, weight: Weight, found: SumPolygon, side: Side, method: str) -> SupportRegion:
    """A slice about the hands' centre as a region of the world."""
    about = weight.frame.coordinates(centring.centre)
    separator = None if found.separator is None else centring.to_world(found.separator)
    proof = RegionProof(found.wrenches, found.weights, centring.to_world(found.multipliers), separator)
    offsets = found.offsets + found.normals @ about
    return SupportRegion(
        found.kind,
        found.vertices + about,
        found.rays,
        found.normals,
        offsets,
        side,
        weight,
        centring.hands,
        proof,
        method,
        found.solves,
        found.size,
    )
