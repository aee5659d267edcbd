"""Learning a grip: an inner set of held wrenches and an outer set of half-spaces, from the hand's exact solver (V.A).

Every support is a linear program per finger. It gives a wrench that is held, with its forces as proof, and a half-space
that no wrench of the hand leaves. Those that tell most for their number are kept.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array, IntArray
from ..errors import InputError
from ..geometry.frames import Pose
from .bounds import GripBounds
from .concavity import Concavity, measured_concavity
from .facts import Acting, GripFacts, pose_rows
from .greedy import greedy_choice
from .grip import Grip
from .outer_grip import OuterGrip
from .reaches import KnownRays, exits, known_rays, outer_reaches
from .sampling import GreedySampling, PaperSampling
from .support_sweeps import Asking, Pool, Progress, SupportTask
from .sure_sets import is_convex, sure_vertices
from .whitening import Whitening, evenly, learned_whitening

#: Fresh rays along which the errors of a learned grip are measured.
CHECK_RAYS = 64

#: While the wanted gap is not reached, the number of samples is doubled up to this many times the first.
MOST_GROWTH = 16

#: Whitened normals that agree to this many digits are one plane.
SAME_DIGITS = 9


def learn_grip(
    assembly: Assembly,
    n: int = 1000,
    seed: int = 0,
    *,
    palm: Pose | None = None,
    acting: Acting = "direct",
    gap: float | None = None,
    gravity: ArrayLike | None = None,
    surely: bool = False,
    workers: int = 1,
    cluster: str | None = None,
    journal: str | Path | None = None,
    method: GreedySampling | PaperSampling | None = None,
    progress: Progress | None = None,
    label: str | None = None,
) -> GripBounds:
    """The wrenches that a hand can give to the body, as an inner and an outer set in the palm frame.

    Inner: the hull of at most `n` wrenches, each held by the union of the contacts' pieces within the joint limits, its
    forces checked. Where volumes are not convex, the hull may contain wrenches between them that are not held:
    `facts.concavity` says by how much, and `surely` gives a smaller set of which every wrench is held. Outer: about `n`
    half-spaces, each proven for every wrench of the hand. The same seed gives the same grip, whoever computes it.

    Args:
        assembly: the hand's contacts and joint rows in one frame, in which the palm stands at `palm`.
        n: vertices of the inner set, and half-spaces of the outer one (and up to twelve of a box around it).
        seed: of the directions that are drawn.
        palm: pose of the palm in the assembly's frame; the frame itself by default.
        acting: "direct": the assembly's object is the body, so the body feels the contact forces, W f. "reaction": the
            object is what the hand grips, so the body feels -W f, the wrenches that the assembly holds.
        gap: share that the outer set may reach beyond the inner one along any of 64 fresh rays: beyond / within - 1,
            0.1 for 10 %. The number of samples is doubled until it is reached, up to sixteen times `n`; whether it
            was, `facts.wanted_gap` and `facts.reached_gap` say.
        gravity: (3,) [m/s^2] in the assembly's frame that its joint rows were made for: it weighs on the links, so that
            the grip is one of that orientation, and says so. None where the rows know of none; they cannot tell.
        surely: keep each contact to one of its pieces for the inner set: a convex set of which every wrench is held.
        workers: processes to compute with.
        cluster: address of a Dask scheduler ("tcp://host:port") whose workers compute instead.
        journal: file to save to as supports come, and to resume from; each further round (twenty, or more with `gap`)
            has a file of its own beside it (".1", ".2", ...). They stay until they are deleted.
        method: `GreedySampling(...)` by default, or `PaperSampling()` for comparison.
        progress: called with (supports done, supports known to come).
        label: how reports call it; the assembly's name by default.
    """
    hand = in_palm_frame(assembly, palm)
    count = checks.count("n", n)
    seed = checks.count("seed", seed, low=0)
    if gap is not None:
        gap = checks.positive("gap", gap)
    down = None if gravity is None else checks.vector("gravity", gravity, 3)
    if down is not None and palm is not None:
        down = palm.rotation.T @ down
    asking = Asking(
        SupportTask(hand, sign_of(acting)),
        checks.count("workers", workers),
        cluster,
        None if journal is None else Path(journal),
        progress,
    )
    if isinstance(method, PaperSampling):
        from .paper_sampling import paper_sets

        if surely or gap is not None:
            where = "surely" if surely else "gap"
            raise InputError("is not for the paper's sampling", where=where, fix="use GreedySampling()")
        inner, outer, facts = paper_sets(asking, count, seed)
    else:
        method = method or GreedySampling()
        checks.instance("method", method, GreedySampling, fix="give GreedySampling(...) or PaperSampling()")
        inner, outer, facts = _Learner(hand, asking, method, seed, surely and not is_convex(hand)).sets(count, gap)
    place = pose_rows(Pose.identity() if palm is None else palm)
    facts = replace(facts, asked=count, wanted_gap=gap, acting=acting, palm=place)
    facts = replace(facts, model_hash=assembly.fingerprint, version=_version())
    name = assembly.name if label is None else label
    common: dict[str, Any] = {"label": name, "palm_gravity": down, "facts": facts, "length": hand.length}
    return GripBounds(Grip(inner, **common), OuterGrip(*outer, **common), facts)


def in_palm_frame(assembly: Assembly, palm: Pose | None) -> Assembly:
    """The hand in its palm frame: `palm` is the palm's pose in the assembly's frame."""
    checked_assembly(assembly)
    if palm is None:
        return assembly
    checks.instance("palm", palm, Pose, fix="give a holdfast.Pose or None")
    return assembly.moved(palm.inverse())


def sign_of(acting: Acting) -> float:
    """What the held external wrenches of an assembly are multiplied by to give those on the body."""
    if acting not in ("direct", "reaction"):
        raise InputError(f"is {acting!r}", where="acting", fix='give "direct" or "reaction"')
    return -1.0 if acting == "direct" else 1.0


def _version() -> str:
    return str(getattr(sys.modules[__name__.partition(".")[0]], "__version__", ""))


@dataclass(eq=False)
class _Learner:
    """Grows a pool of supports and chooses from it."""

    hand: Assembly
    asking: Asking
    method: GreedySampling
    seed: int
    surely: bool

    @cached_property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng([self.seed, 0])

    def sets(self, count: int, gap: float | None) -> tuple[Array, tuple[Array, Array], GripFacts]:
        """(vertices, (normals, offsets), facts) with `count` samples, or more while the gap is not reached."""
        method = self.method
        self.asking.planned = int(count * (method.candidates + 4 * method.ray_share)) + 1000
        whitening, pool = learned_whitening(self.hand, self.asking.ask, self.rng)
        if not whitening.dimension:  # one wrench alone
            return pool.points[:1], (whitening.flats, whitening.levels), self._facts(0.0, 0.0, 0.0, 0.0)
        axes = np.arange(len(pool) - 2 * whitening.dimension, len(pool))  # widths: a box around the set
        planes, wanted, made = [axes], count, 0
        check = KnownRays(np.zeros((0, 6)), np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64), pool)
        while True:
            pool, found = self._grown(pool, whitening, wanted - made)
            planes.append(found)
            made = wanted
            vertices, outer = chosen_sets(pool, whitening, wanted, np.concatenate(planes))
            if self.surely:
                vertices = sure_vertices(self.asking, wanted, method.candidates, self.seed)
            check = self._checked(pool if not len(check.rays) else check.pool, whitening, check.rays)
            inner_error, outer_error, open_gap = _errors(vertices, outer, whitening, check)
            if gap is None or open_gap <= gap or 2 * wanted > MOST_GROWTH * count:
                break
            wanted *= 2
        concavity = self._concavity(vertices, whitening, check.rays)
        return vertices, outer, self._facts(inner_error, outer_error, open_gap, concavity.shortfall)

    def _facts(self, inner_error: float, outer_error: float, gap: float, concavity: float) -> GripFacts:
        return GripFacts(
            method="greedy, one piece a contact" if self.surely else "greedy",
            n=self.asking.done,
            seed=self.seed,
            inner_error=inner_error,
            outer_error=outer_error,
            reached_gap=gap,
            concavity=concavity,
            joint_limits=bool(self.asking.task.supports.fingers),
        )

    def _grown(self, pool: Pool, whitening: Whitening, count: int) -> tuple[Pool, IntArray]:
        """More candidates and rays for `count` more samples; also the indices of the planes that the rays found."""
        p = whitening.dimension
        rows = evenly(self.rng, self.method.candidates * count, p)
        pool = pool.with_more(self.asking.ask(whitening.directions(rows)))
        rays = evenly(self.rng, round(self.method.ray_share * count), p)
        if not len(rays):
            return pool, np.zeros(0, dtype=np.int64)
        known = known_rays(pool, whitening, rays, self.asking.ask)
        return known.pool, known.planes

    def _checked(self, pool: Pool, whitening: Whitening, rays: Array) -> KnownRays:
        """Fresh rays and their true reaches; the supports that these took are kept out of the sets."""
        if not len(rays):
            rays = evenly(np.random.default_rng([self.seed, 1]), CHECK_RAYS, whitening.dimension)
        return known_rays(pool, whitening, rays, self.asking.ask)

    def _concavity(self, vertices: Array, whitening: Whitening, rays: Array) -> Concavity:
        """How far the hull of the vertices leaves the union, where the fresh rays leave it."""
        if self.surely or is_convex(self.hand):
            return Concavity(1.0, 0.0, 0)
        found = exits(whitening.coordinates(vertices), rays)
        on_border = np.array([w @ vertices[i] for i, w in zip(found.indices, found.weights, strict=True) if len(i)])
        return measured_concavity(
            self.hand, self.asking.task.sign * on_border, self.asking.task.sign * whitening.centre
        )


def chosen_sets(pool: Pool, whitening: Whitening, count: int, planes: IntArray) -> tuple[Array, tuple[Array, Array]]:
    """(vertices, (normals, offsets)): the best `count` points, and the planes of `planes` and of the best points."""
    best = greedy_choice(pool, whitening.centre, count)
    vertices = pool.points[best] if len(best) else pool.points[:1]
    rows = np.concatenate([planes, best])
    normals = pool.directions[rows] @ whitening.axes
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    keys = np.round(normals / sizes, SAME_DIGITS) + 0.0
    _, first = np.unique(keys, axis=0, return_index=True)
    kept = rows[np.sort(first)][: count + 2 * whitening.dimension]
    directions, bounds = pool.directions[kept], pool.bounds[kept]
    return vertices, (np.concatenate([whitening.flats, directions]), np.concatenate([whitening.levels, bounds]))


def _errors(
    vertices: Array, outer: tuple[Array, Array], whitening: Whitening, check: KnownRays
) -> tuple[float, float, float]:
    """(inner, outer, gap): the largest shares by which the sets miss the true reach of the rays, and each other.

    The inner set falls short by a share of the true reach, the outer one goes beyond by one; the gap is how far the
    outer set reaches beyond the inner one, as a share of the inner one's reach.
    """
    within = exits(whitening.coordinates(vertices), check.rays).reaches
    normals, offsets = (part[len(whitening.levels) :] for part in outer)  # no ray crosses flat directions
    beyond = outer_reaches(normals @ whitening.axes, offsets - normals @ whitening.centre, check.rays)
    low, high = np.maximum(check.inner, within), np.minimum(check.outer, beyond)
    return (
        float(np.clip(1.0 - within / high, 0.0, None).max()),
        float(np.clip(_ratio(beyond, low) - 1.0, 0.0, None).max()),
        float(np.clip(_ratio(beyond, within) - 1.0, 0.0, None).max()),
    )


def _ratio(reaches: Array, of: Array) -> Array:
    """reaches / of, inf where there is nothing to compare with."""
    return np.divide(reaches, of, out=np.full(len(of), np.inf), where=of > 0.0)
