"""Accuracy of a grip: its inner and outer set measured against its hand along many fresh rays.

Along a ray from the middle of the inner set, the reach of the hand's wrenches is found by supports to 1e-4, however the
grip was learned. The sixth power of reaches, averaged over evenly drawn rays, is a volume in six dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import checks
from ..assembly.assembly import Assembly
from ..checks import Array
from ..geometry.frames import Pose
from .bounds import GripBounds
from .concavity import Concavity, measured_concavity
from .facts import Acting
from .learning import in_palm_frame, sign_of
from .reaches import exits, known_rays, outer_reaches
from .support_sweeps import Asking, SupportTask
from .sure_sets import is_convex
from .whitening import FLAT_WIDTH, evenly, learned_whitening

#: Directions asked before rays are followed, and rounds of supports that a ray is then given.
CANDIDATES, ROUNDS = 2000, 60


@dataclass(frozen=True, eq=False)
class GripAccuracy:
    """How near a grip's sets come to the hull of its hand's wrenches.

    Attributes:
        inner: (n,) reach of the inner set along each ray, as a share of the true one.
        outer: (n,) reach of the outer set, alike; inf where it has no end.
        truth: (n,) the true reaches, in whitened length.
        dimension: of the set; powers of reaches are volumes in as many dimensions.
        concavity: whether the border of the inner set is held, where the rays leave it.
    """

    inner: Array
    outer: Array
    truth: Array
    dimension: int
    concavity: Concavity

    def __repr__(self) -> str:
        return (
            f"GripAccuracy(inner {self.inner.min():.3f} to {self.inner.max():.3f}, outer {self.outer.min():.3f} to "
            f"{self.outer.max():.3f} of the truth along {len(self.truth)} rays)"
        )

    @property
    def inner_volume(self) -> float:
        """Volume of the inner set as a share of the truth, estimated by the rays."""
        return self._volume(self.inner)

    @property
    def outer_volume(self) -> float:
        """Volume of the outer set as a share of the truth, estimated by the rays."""
        return self._volume(self.outer)

    def _volume(self, shares: Array) -> float:
        return float(((shares * self.truth) ** self.dimension).mean() / (self.truth**self.dimension).mean())


def grip_accuracy(
    bounds: GripBounds,
    assembly: Assembly,
    *,
    palm: Pose | None = None,
    acting: Acting | None = None,
    rays: int = 200,
    seed: int = 1,
) -> GripAccuracy:
    """A grip measured against the hand it was learned from, along `rays` fresh rays.

    Args:
        bounds: inner and outer set.
        assembly: the hand.
        palm, acting: as in `learn_grip`; those of the facts by default.
        rays: number of rays.
        seed: of the rays; one that the grip was not learned with.
    """
    checks.instance("bounds", bounds, GripBounds, fix="give holdfast.GripBounds, as learn_grip returns them")
    hand = in_palm_frame(assembly, bounds.facts.palm_pose if palm is None else palm)
    sign = sign_of(bounds.facts.acting or "direct" if acting is None else acting)
    asking, rng = Asking(SupportTask(hand, sign)), np.random.default_rng([checks.count("seed", seed, low=0), 5])
    count = checks.count("rays", rays)
    learned, pool = learned_whitening(hand, asking.ask, rng)
    if not learned.dimension:
        one = np.ones(count)
        return GripAccuracy(one, one, one, 0, Concavity(1.0, 0.0, 0))
    whitening = replace(learned, centre=bounds.inner.vertices.mean(axis=0))
    rows = evenly(rng, CANDIDATES, learned.dimension)
    pool = pool.with_more(asking.ask(whitening.directions(rows)))
    drawn = evenly(rng, count, learned.dimension)
    known = known_rays(pool, whitening, drawn, asking.ask, rounds=ROUNDS)
    truth = np.maximum(known.inner, np.finfo(float).tiny)
    found = exits(whitening.coordinates(bounds.inner.vertices), drawn)
    outer = bounds.outer
    normals, levels = outer.normals @ whitening.axes, outer.offsets - outer.normals @ whitening.centre
    widest = np.linalg.norm(whitening.axes / outer.unit[:, None], 2)
    crossed = np.linalg.norm(normals, axis=1) > FLAT_WIDTH * widest * np.linalg.norm(outer.normals * outer.unit, axis=1)
    beyond = outer_reaches(normals[crossed], levels[crossed], drawn)
    concavity = Concavity(1.0, 0.0, 0)
    if not is_convex(hand):
        vertices = bounds.inner.vertices
        border = np.array([w @ vertices[i] for i, w in zip(found.indices, found.weights, strict=True) if len(i)])
        concavity = measured_concavity(hand, sign * border, sign * whitening.centre)
    return GripAccuracy(found.reaches / truth, beyond / truth, truth, learned.dimension, concavity)
