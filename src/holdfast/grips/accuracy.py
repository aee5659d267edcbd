"""Accuracy of a learned grip: reach along new rays, vertices checked by the exact solver, planes by supports.

Along a ray from the middle of the inner set, the reach of the hand's wrenches is found by supports to 1e-4, for any
method of learning. The sixth power of the reach, averaged over evenly drawn rays, is a volume in six dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .. import checks, tolerances
from ..assembly.assembly import Assembly
from ..checks import Array, BoolArray
from ..geometry.frames import Pose
from ..public_names import with_advice
from ..results import Result
from ..solvers import Exact, Status
from ..statics.solver import Solver
from ..wrench_spaces.computation import LONGEST, MOST_NODES
from .grip import Acting, Grip, GripBounds, OuterGrip, sides
from .learning import (
    FLAT_WIDTH,
    HullConcavity,
    concavity_at,
    evenly,
    exits,
    in_palm_frame,
    is_convex,
    known_rays,
    learned_whitening,
    outer_reaches,
    sign_of,
)
from .supports import Asking, HandSupports, SupportTask

#: Number of directions computed before rays are followed, and rounds of supports per ray.
CANDIDATES, ROUNDS = 2000, 60


@dataclass(frozen=True, eq=False)
class GripAccuracy(Result):
    """Ratios of a grip's sets to the hull of its hand's wrenches.

    Attributes:
        inner: (n,) reach of the inner set along each ray, as a fraction of the true one.
        outer: (n,) reach of the outer set, as a fraction of the true one; inf if unbounded.
        truth: (n,) the true reaches, in whitened length.
        dimension: dimension of the set; powers of reaches are volumes in this dimension.
        concavity: whether the border of the inner set is held, where the rays leave it.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("inner", "outer", "truth")

    inner: Array
    outer: Array
    truth: Array
    dimension: int
    concavity: HullConcavity

    def __repr__(self) -> str:
        return (
            f"GripAccuracy(inner {self.inner.min():.3f} to {self.inner.max():.3f}, outer {self.outer.min():.3f} to "
            f"{self.outer.max():.3f} of the truth along {len(self.truth)} rays)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Reaches along every ray and the estimated volumes as plain data."""
        volumes = {"inner_volume": self.inner_volume, "outer_volume": self.outer_volume, "dimension": self.dimension}
        return volumes | {name: getattr(self, name).tolist() for name in self.COLUMNS}

    @property
    def inner_volume(self) -> float:
        """Volume of the inner set as a fraction of the true one, estimated by the rays."""
        return self._volume(self.inner)

    @property
    def outer_volume(self) -> float:
        """Volume of the outer set as a fraction of the true one, estimated by the rays."""
        return self._volume(self.outer)

    def _volume(self, shares: Array) -> float:
        return float(((shares * self.truth) ** self.dimension).mean() / (self.truth**self.dimension).mean())


@with_advice()
def grip_accuracy(
    bounds: GripBounds,
    assembly: Assembly,
    *,
    palm: Pose | None = None,
    acting: Acting | None = None,
    rays: int = 200,
    seed: int = 1,
) -> GripAccuracy:
    """A grip compared with the hand from which it was learned, along `rays` new rays.

    Args:
        bounds: inner and outer set.
        assembly: the hand.
        palm, acting: as in `learn_grip`; those of the metadata by default.
        rays: number of rays.
        seed: random seed of the rays; different from that of the learning.
    """
    checks.instance("bounds", bounds, GripBounds, fix="give holdfast.grips.GripBounds, as learn_grip returns them")
    hand = in_palm_frame(assembly, bounds.metadata.palm_pose if palm is None else palm)
    sign = sign_of(bounds.metadata.acting or "direct" if acting is None else acting)
    asking, rng = Asking(SupportTask(hand, sign)), np.random.default_rng([checks.seed(seed), 5])
    count = checks.count("rays", rays)
    learned, pool = learned_whitening(hand, asking.ask, rng)
    if not learned.dimension:
        one = np.ones(count)
        return GripAccuracy(one, one, one, 0, HullConcavity(1.0, 0.0, 0))
    whitening = replace(learned, centre=bounds.inner.vertices.mean(axis=0))
    rows = evenly(rng, CANDIDATES, learned.dimension)
    pool = pool.with_more(asking.ask(whitening.directions(rows)))
    drawn = evenly(rng, count, learned.dimension)
    known = known_rays(pool, whitening, drawn, asking.ask, rng, rounds=ROUNDS)
    truth = np.maximum(known.inner, np.finfo(float).tiny)
    found = exits(whitening.coordinates(bounds.inner.vertices), drawn)
    outer = bounds.outer
    normals, levels = outer.normals @ whitening.axes, outer.offsets - outer.normals @ whitening.centre
    widest = np.linalg.norm(whitening.axes / outer.unit[:, None], 2)
    crossed = np.linalg.norm(normals, axis=1) > FLAT_WIDTH * widest * np.linalg.norm(outer.normals * outer.unit, axis=1)
    beyond = outer_reaches(normals[crossed], levels[crossed], drawn)
    concavity = HullConcavity(1.0, 0.0, 0)
    if not is_convex(hand):
        concavity = concavity_at(hand, sign, bounds.inner.vertices, found, whitening.centre)
    return GripAccuracy(found.reaches / truth, beyond / truth, truth, learned.dimension, concavity)


# Check of a grip: every vertex by the exact solver, every plane by the supports.

#: Vertices are tested at this fraction of the way from the middle of the vertices: the border is held up to rounding.
JUST_INSIDE = 1.0 - 10.0 * tolerances.FEASIBILITY


@dataclass(frozen=True, eq=False)
class GripCheck(Result):
    """Result of checking a grip with the exact solver of its hand.

    The tested points lie on the border, where rounding decides, and the exact solver may leave them undecided: with
    contacts of 1e-4 N next to others of 1e4 N, `holdfast.equilibrium` of a learned vertex can be "undecided". A vertex
    counts as held if the solver proves it, or proves the wrench 1e-8 of the way towards the middle of the vertices.
    Learning has a direct proof: the forces of every vertex balance it to 1e-8 of the largest force or load, and lie
    in their pieces and joint limits to the same tolerance, checked without the solver.

    Attributes:
        held: (n,) whether each vertex of the inner set is held, itself or slightly inside.
        excess: (m,) relative amount by which the hand's support exceeds each outer plane; at
            most rounding where the plane is outer.
    """

    held: BoolArray
    excess: Array

    def __repr__(self) -> str:
        return f"GripCheck({int(self.held.sum())} of {len(self.held)} vertices held, excess {self._worst:.2g})"

    def to_dict(self) -> dict[str, Any]:
        """The verdicts as plain data."""
        return {
            "holds": self.holds,
            "all_held": self.all_held,
            "all_outer": self.all_outer,
            "held": self.held.tolist(),
            "excess": self.excess.tolist(),
        }

    @property
    def all_held(self) -> bool:
        """Whether every vertex of the inner set is held."""
        return bool(self.held.all())

    @property
    def all_outer(self) -> bool:
        """Whether every plane of the outer set is outside the hand's wrenches."""
        return self._worst <= 10.0 * tolerances.SEPARATION

    @property
    def holds(self) -> bool:
        """Whether all checks passed."""
        return self.all_held and self.all_outer

    @cached_property
    def _worst(self) -> float:
        return float(self.excess.max(initial=0.0))


@with_advice()
def check_grip(
    grip: Grip | OuterGrip | GripBounds, assembly: Assembly, *, palm: Pose | None = None, acting: Acting | None = None
) -> GripCheck:
    """A grip checked against its hand; `palm` and `acting` as in `learn_grip`.

    Args:
        grip: a Grip (vertices), an OuterGrip (planes) or GripBounds (both).
        assembly: the hand.
        palm: pose of the palm in the assembly's frame; that of the grip's metadata by default, else the frame itself.
        acting: "direct" or "reaction"; that of the grip's metadata by default.
    """
    inner, outer = sides(grip)
    hand = in_palm_frame(assembly, grip.metadata.palm_pose if palm is None else palm)
    acting = grip.metadata.acting or "direct" if acting is None else acting
    sign = sign_of(acting)
    held = np.zeros(0, dtype=bool) if inner is None else _held(hand, sign * inner.vertices)
    excess = np.zeros(0) if outer is None else _excess(hand, sign * outer.normals, outer.offsets)
    return GripCheck(held, excess)


def _held(hand: Assembly, wrenches: Array) -> BoolArray:
    """(n,) whether wrenches (n, 6) are held, up to the rounding of a balance."""
    solver = Solver(hand, Exact(node_limit=MOST_NODES, time_limit=LONGEST))
    held = solver.equilibrium_many(wrenches, threads=1).status == Status.HOLDS
    left = np.nonzero(~held)[0]
    if len(left):  # on the border within rounding: a point slightly inside decides
        middle = wrenches.mean(axis=0)
        inside = middle + JUST_INSIDE * (wrenches[left] - middle)
        held[left] = solver.equilibrium_many(inside, threads=1).status == Status.HOLDS
    return held


def _excess(hand: Assembly, normals: Array, offsets: Array) -> Array:
    """(m,) excess of the hand's supports over planes, relative to the largest support of a unit normal."""
    checks.array("normals", normals, ("m", 6))
    sizes = np.linalg.norm(normals * np.repeat([1.0, hand.length], 3), axis=1)
    supports = HandSupports.of(hand).many(normals).values
    scale = float(np.abs(supports / sizes).max(initial=0.0)) or 1.0
    return np.clip((supports - offsets) / sizes / scale, 0.0, None)
