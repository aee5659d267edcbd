"""Learning a grip from the exact supports of a hand: an inner set of held wrenches, an outer set of half-spaces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly import Contact
from ..assembly.assembly import Assembly, SceneLike, assembly_of, checked_assembly
from ..checks import Array, IntArray
from ..errors import GeometryError, InputError
from ..force_limits.volume import ForceVolume
from ..geometry.frames import Pose
from ..public_names import with_advice
from ..solvers import Exact, Status
from ..statics.holding import equilibrium
from ..statics.solver import Solver
from ..storage import release
from ..wrench_spaces.computation import LONGEST, MOST_NODES, wrench_space
from .grip import Acting, Grip, GripBounds, GripMetadata, OuterGrip, pose_rows
from .supports import Ask, Asking, Progress, SupportPool, SupportTask


@dataclass(frozen=True, kw_only=True)
class GreedySampling:
    """Many fast supports, of which the best are kept, and the exact facets where rays leave the set.

    Attributes:
        candidates: number of directions per kept vertex.
        ray_share: fraction of the outer planes that come from rays; the others are supports of the kept vertices.
    """

    candidates: int = 8
    ray_share: float = 0.5

    def __post_init__(self) -> None:
        checks.count("candidates", self.candidates)
        checks.number("ray_share", self.ray_share, low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True)
class PaperSampling:
    """Load limits along n random rays through 0, drawn from N(0, W W^T), and n random half-spaces (V.A, V.D).

    For comparison: at the same n its bounds are much wider than those of `GreedySampling`. 0 must be held.
    """


# Whitening: coordinates in which a grip's wrenches have the same spread in every direction.
#
# Forces and torques differ in unit and size, and a hand has different strength in different directions. Directions
# drawn evenly in whitened coordinates cover the set evenly.

#: A set is flat along a direction if its width is below this fraction of the largest (torques divided by the length).
FLAT_WIDTH = 1e-9

#: Number of directions for estimating the spread of the wrenches, and how often this is repeated in new coordinates.
PILOTS, PILOT_ROUNDS = 128, 2

#: Fraction of the largest spread used along directions in which W W^T has none, so that they are also tested.
FLOOR = 1e-6

#: Along an axis of symmetry or against a facet several wrenches are equally far, and rounding would choose one of them.
#: Where directions are not drawn, the furthest wrench of a direction turned by this angle [rad] is used instead.
TILT = 1e-5

#: What differs by no more than this share counts as equal where one of several is chosen: the first of them is.
ALIKE = 1e-9


@dataclass(frozen=True, eq=False)
class Whitening:
    """Wrenches w = centre + axes @ x with x of unit spread; w has no components in other directions.

    Attributes:
        centre: (6,) a wrench in the interior of the grip's hull.
        axes: (6, p) with p the dimension of the set.
        inverse: (p, 6) with inverse @ axes = identity.
        flats: (2 (6 - p), 6) directions y, opposite ones in pairs, along which the set has no width.
        levels: (2 (6 - p),) bounds of y . w for them (outer).
    """

    centre: Array
    axes: Array
    inverse: Array
    flats: Array
    levels: Array

    @property
    def dimension(self) -> int:
        """p, the dimension of the set."""
        return self.axes.shape[1]

    def coordinates(self, wrenches: Array) -> Array:
        """(n, p) whitened coordinates of wrenches (n, 6)."""
        return (wrenches - self.centre) @ self.inverse.T

    def directions(self, rows: Array) -> Array:
        """(n, 6) directions y of supports from directions (n, p) against whitened coordinates."""
        return rows @ self.inverse

    def rays(self, rows: Array) -> Array:
        """(n, 6) changes of the wrench from changes (n, p) of whitened coordinates."""
        return rows @ self.axes.T


def evenly(rng: np.random.Generator, count: int, dimension: int) -> Array:
    """(count, p) unit vectors distributed evenly over the sphere."""
    rows = rng.normal(size=(count, dimension))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) if dimension else rows


def tilted(rng: np.random.Generator, rows: Array) -> Array:
    """Directions (n, p) of length 1, each turned by about `TILT` to a side that is drawn."""
    return rows + TILT * evenly(rng, *rows.shape)


def symmetric(values: Array, vectors: Array) -> Array:
    """The symmetric matrix with these eigenvalues and eigenvectors (columns).

    Unlike the eigenvectors, it does not depend on the linear algebra library: where a hand is symmetric, rounding alone
    chooses the sign of an eigenvector, or a basis for a repeated eigenvalue.
    """
    return (vectors * values) @ vectors.T


def basis_of(projection: Array) -> Array:
    """(m, p) orthonormal columns that span the range of an orthogonal projection (m, m) of rank p.

    Each is the coordinate axis that is the longest, after projection, of those left; of equal ones the first.
    """
    left, columns = projection.copy(), []
    for _ in range(round(float(np.trace(projection)))):
        sizes = np.linalg.norm(left, axis=0)
        column = left[:, first_best(sizes)]
        columns.append(column / np.linalg.norm(column))
        left = left - np.outer(columns[-1], columns[-1] @ left)
    return np.array(columns).reshape(-1, len(projection)).T


def first_best(values: Array) -> int:
    """The index of the largest of some values >= 0, the first of those that are equal up to `ALIKE`."""
    return int((values >= (1.0 - ALIKE) * values.max()).argmax())


def paper_axes(hand: Assembly) -> Array:
    """(6, 6) with axes @ axes.T = W W^T: the wrenches of evenly drawn contact forces, as the paper samples (V.A)."""
    scale = np.repeat([1.0, hand.length], 3)
    rows = hand.wrench_matrix / scale[:, None]
    values, vectors = np.linalg.eigh(rows @ rows.T)
    return scale[:, None] * symmetric(np.sqrt(np.clip(values, 0.0, None)), vectors)


def learned_whitening(hand: Assembly, ask: Ask, rng: np.random.Generator) -> tuple[Whitening, SupportPool]:
    """The whitening of a hand's wrenches from a few of their supports; also these, the 2 p along its axes last.

    Supports along directions in which the set is flat are left out. The first directions are whitened by W W^T, as in
    the paper, the next ones by the results of the first.
    """
    scale = np.repeat([1.0, hand.length], 3)  # divides wrenches
    rows = hand.wrench_matrix / scale[:, None]
    spread = rows @ rows.T
    spread += FLOOR * float(np.trace(spread)) * np.eye(6)
    pool: SupportPool | None = None
    for _ in range(PILOT_ROUNDS):
        values, vectors = np.linalg.eigh(spread)
        found = ask(evenly(rng, PILOTS, 6) @ symmetric(1.0 / np.sqrt(values), vectors) / scale)
        _check_bounded(found, scale)
        pool = found if pool is None else pool.with_more(found)
        x = pool.points / scale
        spread = np.cov(x.T, bias=True)
        spread += FLOOR * max(float(np.trace(spread)), np.finfo(float).tiny) * np.eye(6)
    assert pool is not None
    whitening = _frame(pool, ask, scale)
    if not whitening.dimension:
        return whitening, pool
    sides = np.concatenate([np.eye(whitening.dimension), -np.eye(whitening.dimension)])
    known = pool.with_more(ask(whitening.directions(sides), whitening.directions(tilted(rng, sides))))
    seen = np.linalg.norm(known.directions @ whitening.axes, axis=1)
    size = np.linalg.norm(known.directions * scale, axis=1) * np.linalg.norm(whitening.axes / scale[:, None], 2)
    return whitening, known.only(seen > FLAT_WIDTH * size)


def _check_bounded(found: SupportPool, scale: Array) -> None:
    endless = np.isinf(found.bounds)
    if not endless.any():
        return
    way = found.directions[int(endless.argmax())] * scale
    said = ", ".join(f"{part:.3g}" for part in way / np.linalg.norm(way))
    raise GeometryError(
        f"the hand holds without limit along ({said}), torques divided by its length",
        where="assembly",
        fix="cone_grip(assembly) is exact for contacts with cones and no joint limits; otherwise cap the volumes: "
        "ForceVolume.capped",
    )


def _frame(pool: SupportPool, ask: Ask, scale: Array) -> Whitening:
    """Centre and axes from all points; widths along their principal axes show which of these are flat.

    The wrenches that attain these widths are not used: along an axis of symmetry there are several.
    """
    x = pool.points / scale
    _, sizes, vectors = np.linalg.svd(x - x.mean(axis=0), full_matrices=True)
    widths = _levels(vectors / scale, ask).reshape(2, 6).sum(axis=0)
    flat = widths <= FLAT_WIDTH * max(float(widths.max()), float(np.abs(x).max()))
    # Along an axis that the points do not show, the width is used as the spread.
    spread = np.where(np.arange(6) < len(sizes), np.pad(sizes, (0, 6))[:6], 0.0) / np.sqrt(len(x))
    spread = np.where(spread > FLAT_WIDTH * widths, spread, widths)[~flat]
    wide, thin = vectors[~flat], vectors[flat]
    basis, across = basis_of(wide.T @ wide), basis_of(thin.T @ thin).T / scale
    return Whitening(
        centre=pool.points.mean(axis=0),
        axes=scale[:, None] * (symmetric(spread, wide.T) @ basis),
        inverse=(basis.T @ symmetric(1.0 / spread, wide.T)) / scale,
        flats=np.concatenate([across, -across]),
        levels=_levels(across, ask) if len(across) else np.zeros(0),
    )


def _levels(directions: Array, ask: Ask) -> Array:
    """(2 n,) bounds of y . w for directions (n, 6) and their opposites."""
    found = ask(np.concatenate([directions, -directions]))
    if len(found) < 2 * len(directions):
        raise GeometryError(
            "the widths of the hand's wrench space could not be proven", where="assembly", fix="check its joint limits"
        )
    return found.bounds


# Ray extents: reach of rays from the middle of a grip inside the hull of held wrenches, and inside outer planes.
#
# Where a ray leaves the hull of the points known so far, the hull's facet has a normal y. Its support either shows that
# the facet is one of the whole set, or gives a point beyond it. Repeated, this is column generation: it ends with the
# exact reach of the set's hull along the ray, and with a plane that touches the set where the ray leaves it.

#: A ray's reach is known when inner and outer bounds differ by at most this fraction.
REACH_GAP = 1e-4

#: Largest number of rounds of supports for a ray.
MOST_ROUNDS = 8


class Exits(NamedTuple):
    """Where q rays from the centre leave the hull of points."""

    reaches: Array  # (q,) in whitened length
    normals: Array  # (q, p) y against whitened coordinates, with y . ray = 1; zeros where none was found
    indices: list[IntArray]  # the points that make up each exit
    weights: list[Array]  # their weights


def exits(points: Array, rays: Array) -> Exits:
    """Where rays (q, p) from 0 leave the hull of whitened points (n, p); 0 must lie in it."""
    from ..solvers.minkowski import SumSolver

    q, p = rays.shape
    solver = SumSolver([(_padded(points), np.zeros((0, 6)))], [0], length=1.0)
    solver.place(np.eye(6)[None])
    reaches, normals = np.zeros(q), np.zeros((q, p))
    indices: list[IntArray] = [np.zeros(0, dtype=np.int64)] * q
    weights: list[Array] = [np.zeros(0)] * q
    for i, ray in enumerate(_padded(rays)):
        found = solver.maximise(np.zeros(6), ray[None], np.ones(1))
        if found.found and np.isfinite(found.value):
            reaches[i] = max(found.value, 0.0)
            indices[i], weights[i] = found.weights[0].indices, found.weights[0].values
        onto = float(found.multipliers @ ray)
        if onto > 0.0:
            normals[i] = found.multipliers[:p] / onto
    return Exits(reaches, normals, indices, weights)


def outer_reaches(normals: Array, offsets: Array, rays: Array) -> Array:
    """(q,) reach of rays (q, p) from 0 within the planes normals . x <= offsets, (m, p) and (m,), whitened."""
    return _nearest_planes(normals, offsets, rays)[0]


def _nearest_planes(normals: Array, offsets: Array, rays: Array) -> tuple[Array, IntArray]:
    """(reaches (q,), indices (q,)): the smallest reach that planes allow for each ray, and the number of that plane."""
    if not len(normals):
        return np.full(len(rays), np.inf), np.zeros(len(rays), dtype=np.int64)
    slopes = rays @ normals.T
    steep = slopes > tolerances.RAY_SLOPE * np.linalg.norm(normals, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        allowed = np.where(steep, np.clip(offsets, 0.0, None) / slopes, np.inf)
    best = allowed.argmin(axis=1)
    return allowed[np.arange(len(rays)), best], best


@dataclass(frozen=True, eq=False)
class KnownRays:
    """Rays with known reach, and the best plane at each.

    Attributes:
        rays: (q, p) whitened unit vectors.
        inner, outer: (q,) proven bounds of their reaches in the hull of the set.
        planes: (q,) the pool's direction that bounds each ray best, by its index.
        pool: all known supports.
    """

    rays: Array
    inner: Array
    outer: Array
    planes: IntArray
    pool: SupportPool


def known_rays(
    pool: SupportPool,
    whitening: Whitening,
    rays: Array,
    ask: Ask,
    rng: np.random.Generator,
    *,
    rounds: int = MOST_ROUNDS,
) -> KnownRays:
    """The reaches of rays (q, p) in the hull of the set, by supports where they leave the known points."""
    q = len(rays)
    inner = np.zeros(q)
    outer, planes = _best_planes(pool, whitening, rays)
    left = np.arange(q)
    for number in range(rounds + 1):
        found = exits(whitening.coordinates(pool.points), rays[left])
        inner[left] = np.maximum(inner[left], found.reaches)
        still = (inner[left] < (1.0 - REACH_GAP) * outer[left]) & found.normals.any(axis=1)
        left, normals = left[still], found.normals[still]
        if number == rounds or not len(left):
            break
        normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)  # the same facet, the same direction
        new = ask(whitening.directions(normals), whitening.directions(tilted(rng, normals)))
        first, pool = len(pool), pool.with_more(new)
        reaches, best = _best_planes(new, whitening, rays)
        better = reaches < outer
        outer[better], planes[better] = reaches[better], first + best[better]
    return KnownRays(rays, np.minimum(inner, outer), outer, planes, pool)


def _best_planes(pool: SupportPool, whitening: Whitening, rays: Array) -> tuple[Array, IntArray]:
    """`_nearest_planes` of the pool's directions and bounds."""
    offsets = pool.bounds - pool.directions @ whitening.centre
    return _nearest_planes(pool.directions @ whitening.axes, offsets, rays)


def _padded(rows: Array) -> Array:
    return np.ascontiguousarray(np.pad(rows, ((0, 0), (0, 6 - rows.shape[1]))))


# Greedy choice: the held wrenches that give the largest hull for their number.
#
# Among directions y with known supports h(y), the one with the largest relative error of the hull of the wrenches
# chosen so far, (h - h_chosen) / (h - y . centre), gives the next wrench.

#: The choice ends when every support has at most this relative error.
MET = 1e-9


def greedy_choice(pool: SupportPool, centre: Array, count: int) -> IntArray:
    """Indices of up to `count` of the pool's rows in the order they are chosen; fewer when all supports are met."""
    reached = pool.directions @ centre
    reach = pool.values - reached
    wide = reach > MET * np.abs(reach).max(initial=0.0)
    reach = np.where(wide, reach, 1.0)
    chosen: list[int] = []
    while len(chosen) < count:
        missing = np.where(wide, (pool.values - reached) / reach, 0.0)
        if missing.max(initial=0.0) <= MET:
            break
        best = first_best(missing)
        chosen.append(best)
        reached = np.maximum(reached, pool.directions @ pool.points[best])
        reached[best] = max(reached[best], pool.values[best])
    return np.array(chosen, dtype=np.int64)


# The paper's sampling, for comparison: limits along random rays through 0, and random half-spaces (V.A, V.D).


def paper_sets(asking: Asking, count: int, seed: int) -> tuple[Array, tuple[Array, Array], GripMetadata]:
    """(vertices, (normals, offsets), metadata): `count` points d w at the limits (6) along w ~ N(0, W W^T), with 0.

    The half-spaces have normals drawn evenly from the unit sphere of R^6, newtons and newton metres mixed, and the
    hand's true supports for offsets, so that they are outer for the hand and not only for its samples.
    """
    hand, sign = asking.task.hand, asking.task.sign
    if not equilibrium(hand, np.zeros(6)).holds:
        raise InputError(
            "does not hold the zero wrench, through which the paper's rays pass",
            where="assembly",
            fix="use GreedySampling(), which starts from a wrench that is held",
        )
    rng = np.random.default_rng([seed, 0])
    rays = rng.normal(size=(count, 6)) @ paper_axes(hand).T
    workers = None if asking.cluster is not None else asking.workers
    space = wrench_space(
        hand, rays, workers=workers, cluster=asking.cluster, journal=asking.journal, progress=asking.progress
    )
    if (space.status == Status.UNBOUNDED).any():
        raise GeometryError(
            "the hand holds without limit along some rays", where="assembly", fix="use cone_grip(assembly)"
        )
    asking.rounds += 1
    attained = np.isfinite(space.values) & (space.values > 0.0)
    points = sign * rays[attained] * space.values[attained, None]
    planes = asking.ask(evenly(rng, count, 6))
    bounded = np.isfinite(planes.bounds)
    metadata = GripMetadata(method="paper", n=2 * count, seed=seed, joint_limits=bool(asking.task.supports.fingers))
    vertices = np.concatenate([np.zeros((1, 6)), points + 0.0])
    return vertices, (planes.directions[bounded], planes.bounds[bounded]), metadata


# Concavity: whether wrenches between held wrenches are also held, where volumes are unions of pieces.
#
# The wrenches that a hand holds by unions of pieces need not form a convex set; with many contacts they nearly do.
# Points on the border of a hull are tested by the exact solver.

#: Points of a border are moved inwards by this fraction before the test, so that rounding does not matter.
INWARDS = 1e-6

#: Number of bisections for the border of the held wrenches.
HALVINGS = 12


class HullConcavity(NamedTuple):
    """Tests at the border of a hull of held wrenches.

    `share`: fraction of the tested points that are held; `shortfall`: the largest relative distance by which a tested
    point had to be moved towards the middle to be held, an upper bound where a search was undecided; `tried`: number of
    points.
    """

    share: float
    shortfall: float
    tried: int


def measured_concavity(hand: Assembly, border: Array, centre: Array) -> HullConcavity:
    """Tests of points (n, 6) on the border of a hull of held wrenches, in the frame and sense of the assembly.

    Moved towards 0 if zero force is admissible, since the held set is then star-shaped about 0; else towards `centre`.
    """
    if not len(border):
        return HullConcavity(1.0, 0.0, 0)
    layout = hand.layout
    solver = Solver(hand, Exact(node_limit=MOST_NODES, time_limit=LONGEST))
    middle = np.zeros(6) if layout.contains_zero and layout.bounds_hold_zero else centre
    inside = middle + (1.0 - INWARDS) * (border - middle)
    answers = solver.equilibrium_many(inside, threads=1)
    left = np.nonzero(answers.status != Status.HOLDS)[0]
    held = 1.0 - len(left) / len(border)
    if not len(left):
        return HullConcavity(held, 0.0, len(border))
    if not middle.any():
        limits = solver.load_limit_many(inside[left], threads=1).values
        return HullConcavity(held, float(np.clip(1.0 - limits, 0.0, 1.0).max()), len(border))
    low, high = np.zeros(len(left)), np.ones(len(left))
    for _ in range(HALVINGS):
        half = 0.5 * (low + high)
        tried = solver.equilibrium_many(middle + half[:, None] * (inside[left] - middle), threads=1)
        low, high = np.where(tried.holds, half, low), np.where(tried.holds, high, half)
    return HullConcavity(held, float((1.0 - low).max()), len(border))


# Convex inner sets in which every wrench is held, for contacts whose volumes are unions of pieces.
#
# One convex piece per unit gives a convex set of held wrenches. The pieces are those that the hand's furthest wrenches
# use most: for a measured volume, the largest piece is usually nearly all of it.

#: Number of directions for counting the pieces in use.
TRIED = 1000


def is_convex(hand: Assembly) -> bool:
    """Whether every contact's volume is one convex piece, so that the held wrenches are a convex set."""
    return all(len(contact.volume.polytopes) == 1 for contact in hand.contacts)


def certified_vertices(asking: Asking, count: int, candidates: int, seed: int) -> Array:
    """Up to `count` vertices of a set of which every wrench is held, from `candidates` directions for each of them."""
    sign, journal = asking.task.sign, asking.journal
    single = one_piece_hand(asking.task.hand, seed)
    beside = None if journal is None else journal.with_name(f"{journal.name}.certified{count}")
    own = Asking(SupportTask(single, sign), asking.workers, asking.cluster, beside, asking.progress)
    rng = np.random.default_rng([seed, 2])
    whitening, pool = learned_whitening(single, own.ask, rng)
    if whitening.dimension:
        rows = evenly(rng, candidates * count, whitening.dimension)
        pool = pool.with_more(own.ask(whitening.directions(rows)))
    asking.done += own.done
    best = greedy_choice(pool, whitening.centre, count)
    return pool.points[best] if len(best) else pool.points[:1]


def one_piece_hand(hand: Assembly, seed: int) -> Assembly:
    """The hand with one piece per unit: the one that forces at the furthest wrenches lie in most often."""
    rng = np.random.default_rng([seed, 3])
    directions = evenly(rng, TRIED, 6) / np.repeat([1.0, hand.length], 3)
    used = SupportTask(hand, 1.0).supports.many(directions).pieces
    made: dict[tuple[int, int], ForceVolume] = {}
    contacts: list[Contact] = []
    for first, contact in zip(hand.layout.unit_starts[hand.unit_of], hand.contacts, strict=True):
        piece = most_used(used[:, first], len(contact.volume.polytopes))
        key = (id(contact.volume), piece)
        polytope = contact.volume.polytopes[piece]
        if key not in made:
            single = ForceVolume([polytope.extreme], [polytope.rays], allow_flat=True)
            made[key] = single.made_of(contact.volume)
        contacts.append(replace(contact, volume=made[key]))
    return Assembly(contacts, hand.joints, hand.name)


def most_used(pieces: IntArray, count: int) -> int:
    """The piece that occurs most often, the first of several."""
    return int(np.bincount(pieces[pieces >= 0], minlength=count).argmax())


# Learning a grip: an inner set of held wrenches and an outer set of half-spaces, from the hand's exact solver (V.A).
#
# Every support is a linear program per finger. It gives a held wrench, with its forces as proof, and a half-space that
# contains every wrench of the hand. The most informative ones are kept.

#: Number of new rays along which the errors of a learned grip are measured.
CHECK_RAYS = 64

#: While the requested gap is not reached, the number of samples is doubled up to this many times the first.
MOST_GROWTH = 16

#: Whitened normals that agree in this many digits are one plane.
SAME_DIGITS = 6


@with_advice(samples="give n")
def learn_grip(
    assembly: Assembly | SceneLike,
    n: int = 1000,
    seed: int = 0,
    *,
    palm: Pose | None = None,
    acting: Acting = "direct",
    gap: float | None = None,
    gravity: ArrayLike | None = None,
    certified: bool = False,
    workers: int = 1,
    cluster: str | None = None,
    journal: str | Path | None = None,
    method: GreedySampling | PaperSampling | None = None,
    progress: Progress | None = None,
    label: str | None = None,
) -> GripBounds:
    """The wrenches that a hand can apply to the body, as an inner and an outer set in the palm frame.

    Inner: the hull of at most `n` wrenches, each held by the union of the contacts' pieces within the joint limits, its
    forces checked. Where volumes are not convex, the hull may contain wrenches between them that are not held:
    `metadata.concavity` is a measure of this, and `certified` gives a smaller set of which every wrench is held. Outer:
    about `n` half-spaces, each proven for every wrench of the hand. The same seed gives the same wrenches and planes in
    the same order on every machine, up to rounding: the last bit of no sum or product chooses one of them.

    Args:
        assembly: the hand's contacts and joint rows, or its scene, in a frame in which the palm has the pose `palm`.
        n: vertices of the inner set, and half-spaces of the outer one (and up to twelve of a box around it).
        seed: random seed of the directions.
        palm: pose of the palm in the assembly's frame; the frame itself by default.
        acting: "direct": the assembly's object is the body, so the contact wrench W f acts on the body. "reaction": the
            object is gripped by the hand, so -W f acts on the body, the wrenches that the assembly holds.
        gap: largest ratio of outer to inner reach minus 1 along 64 new rays,
            0.1 for 10 %. The number of samples is doubled until it is reached, up to sixteen times `n`;
            see `metadata.wanted_gap` and `metadata.reached_gap`.
        gravity: (3,) [m/s^2] in the assembly's frame for which its joint rows were made: the weight of the links
            depends on it, so that the grip is valid for that orientation only. None if the rows contain no weight.
        certified: use one piece per unit for the inner set: a convex set in which every wrench is held.
        workers: number of processes.
        cluster: address of a Dask scheduler ("tcp://host:port") whose workers compute instead.
        journal: file in which supports are saved, and from which a run resumes; each further round (twenty, or more
            with `gap`) has its own file beside it (".1", ".2", ...). They are not deleted.
        method: `GreedySampling(...)` by default, or `PaperSampling()` for comparison.
        progress: called with (supports done, supports known to come).
        label: its name in reports; the assembly's name by default.
    """
    assembly = assembly_of(assembly)
    hand = in_palm_frame(assembly, palm)
    count = checks.count("n", n)
    seed = checks.seed(seed)
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
        if certified or gap is not None:
            where = "certified" if certified else "gap"
            raise InputError("cannot be used with the paper's sampling", where=where, fix="use GreedySampling()")
        inner, outer, metadata = paper_sets(asking, count, seed)
    else:
        method = method or GreedySampling()
        checks.instance("method", method, GreedySampling, fix="give GreedySampling(...) or PaperSampling()")
        inner, outer, metadata = _Learner(hand, asking, method, seed, certified and not is_convex(hand)).sets(
            count, gap
        )
    place = pose_rows(Pose.identity() if palm is None else palm)
    metadata = replace(metadata, asked=count, wanted_gap=gap, acting=acting, palm=place)
    metadata = replace(metadata, model_hash=assembly.fingerprint, version=release())
    name = assembly.name if label is None else label
    common: dict[str, Any] = {"label": name, "palm_gravity": down, "metadata": metadata, "length": hand.length}
    return GripBounds(Grip(inner, **common), OuterGrip(*outer, **common), metadata)


def in_palm_frame(assembly: Assembly, palm: Pose | None) -> Assembly:
    """The hand in its palm frame: `palm` is the palm's pose in the assembly's frame."""
    checked_assembly(assembly)
    if palm is None:
        return assembly
    checks.instance("palm", palm, Pose, fix="give a holdfast.Pose or None")
    return assembly.moved(palm.inverse())


def sign_of(acting: Acting) -> float:
    """Factor from the held external wrenches of an assembly to the wrenches on the body."""
    if not isinstance(acting, str) or acting not in ("direct", "reaction"):
        raise InputError(f"is {checks.shown(acting)}", where="acting", fix='give "direct" or "reaction"')
    return -1.0 if acting == "direct" else 1.0


def concavity_at(hand: Assembly, sign: float, vertices: Array, found: Exits, centre: Array) -> HullConcavity:
    """`measured_concavity` of the hull of vertices (n, 6) on the body, where rays leave it."""
    border = np.array([w @ vertices[i] for i, w in zip(found.indices, found.weights, strict=True) if len(i)])
    return measured_concavity(hand, sign * border, sign * centre)


@dataclass(eq=False)
class _Learner:
    """Collects supports and chooses from them."""

    hand: Assembly
    asking: Asking
    method: GreedySampling
    seed: int
    certified: bool

    @cached_property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng([self.seed, 0])

    def sets(self, count: int, gap: float | None) -> tuple[Array, tuple[Array, Array], GripMetadata]:
        """(vertices, (normals, offsets), metadata) with `count` samples, or more while the gap is not reached."""
        method = self.method
        self.asking.planned = int(count * (method.candidates + 4 * method.ray_share)) + 1000
        whitening, pool = learned_whitening(self.hand, self.asking.ask, self.rng)
        if not whitening.dimension:  # a single wrench
            return pool.points[:1], (whitening.flats, whitening.levels), self._metadata(0.0, 0.0, 0.0, 0.0)
        axes = np.arange(len(pool) - 2 * whitening.dimension, len(pool))  # widths: a box around the set
        planes, wanted, made = [axes], count, 0
        check = KnownRays(np.zeros((0, 6)), np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64), pool)
        while True:
            pool, found = self._grown(pool, whitening, wanted - made)
            planes.append(found)
            made = wanted
            vertices, outer = chosen_sets(pool, whitening, wanted, np.concatenate(planes))
            if self.certified:
                vertices = certified_vertices(self.asking, wanted, method.candidates, self.seed)
            check = self._checked(pool if not len(check.rays) else check.pool, whitening, check.rays)
            inner_error, outer_error, open_gap = _errors(vertices, outer, whitening, check)
            if gap is None or open_gap <= gap or 2 * wanted > MOST_GROWTH * count:
                break
            wanted *= 2
        concavity = self._concavity(vertices, whitening, check.rays)
        return vertices, outer, self._metadata(inner_error, outer_error, open_gap, concavity.shortfall)

    def _metadata(self, inner_error: float, outer_error: float, gap: float, concavity: float) -> GripMetadata:
        return GripMetadata(
            method="greedy, one piece per unit" if self.certified else "greedy",
            n=self.asking.done,
            seed=self.seed,
            inner_error=inner_error,
            outer_error=outer_error,
            reached_gap=gap,
            concavity=concavity,
            joint_limits=bool(self.asking.task.supports.fingers),
        )

    def _grown(self, pool: SupportPool, whitening: Whitening, count: int) -> tuple[SupportPool, IntArray]:
        """More candidates and rays for `count` more samples; also the indices of the planes found by the rays."""
        p = whitening.dimension
        rows = evenly(self.rng, self.method.candidates * count, p)
        pool = pool.with_more(self.asking.ask(whitening.directions(rows)))
        rays = evenly(self.rng, round(self.method.ray_share * count), p)
        if not len(rays):
            return pool, np.zeros(0, dtype=np.int64)
        known = known_rays(pool, whitening, rays, self.asking.ask, self.rng)
        return known.pool, known.planes

    def _checked(self, pool: SupportPool, whitening: Whitening, rays: Array) -> KnownRays:
        """New rays and their true reaches; the supports for these are not used in the sets."""
        rng = np.random.default_rng([self.seed, 1])
        drawn = evenly(rng, CHECK_RAYS, whitening.dimension)
        return known_rays(pool, whitening, rays if len(rays) else drawn, self.asking.ask, rng)

    def _concavity(self, vertices: Array, whitening: Whitening, rays: Array) -> HullConcavity:
        """Concavity of the hull of the vertices, where the new rays leave it."""
        if self.certified or is_convex(self.hand):
            return HullConcavity(1.0, 0.0, 0)
        found = exits(whitening.coordinates(vertices), rays)
        return concavity_at(self.hand, self.asking.task.sign, vertices, found, whitening.centre)


def chosen_sets(
    pool: SupportPool, whitening: Whitening, count: int, planes: IntArray
) -> tuple[Array, tuple[Array, Array]]:
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
    """(inner, outer, gap): the largest relative errors of the sets along the rays, and their difference.

    Errors are relative to the true reach; the gap is the excess of the outer reach over the inner one, relative to the
    inner one.
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
    """reaches / of, inf where `of` is zero."""
    return np.divide(reaches, of, out=np.full(len(of), np.inf), where=of > 0.0)


# The paper's simpler sets of a grip (V.D): few vertices inside, few planes or a box around it.
#
# They are drawn at random with a seed, for comparison: sets learned with as many samples are more accurate.
# Torques are divided by the grip's length before directions are drawn or compared.


@with_advice()
def inner_subset(grip: Grip, n: int, seed: int = 0) -> Grip:
    """At most n + 1 vertices of a grip, an inner set: each of n random vertices is used as a direction.

    The vertex furthest along it is kept; zero is added if the grip contains it. All rays are kept.

    Args:
        grip: the set to approximate.
        n: how many directions to draw, at most the number of vertices.
        seed: random seed.
    """
    _check_grip(grip)
    wanted = min(checks.count("n", n), len(grip.vertices))
    rng = np.random.default_rng(checks.seed(seed))
    corners = grip.vertices / grip.unit
    drawn = corners[rng.choice(len(corners), wanted, replace=False)]
    kept = np.unique((drawn @ corners.T).argmax(axis=1))
    vertices = grip.vertices[kept]
    if grip.contains(np.zeros(6)) and vertices.any(axis=1).all():
        vertices = np.concatenate([vertices, np.zeros((1, 6))])
    return grip._with(vertices=vertices, metadata=_metadata(grip, "random vertices", wanted, seed))


@with_advice()
def outer_subset(grip: Grip, n: int, seed: int = 0) -> OuterGrip:
    """At most n planes that touch a grip, an outer set: directions are drawn evenly from the sphere.

    If the grip has rays, most directions have no plane: each is turned to the nearest direction along which no ray
    increases, and left out if there is none.

    Args:
        grip: the set to approximate.
        n: how many directions to draw.
        seed: random seed.
    """
    _check_grip(grip)
    wanted = checks.count("n", n)
    rng = np.random.default_rng(checks.seed(seed))
    drawn = rng.standard_normal((wanted, 6))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    drawn = _against_rays(drawn, grip.rays / grip.unit)
    return _touching(grip, drawn / grip.unit, _metadata(grip, "random planes", wanted, seed))


@with_advice()
def bounding_box(grip: Grip) -> OuterGrip:
    """The box around a grip along the six axes of the palm frame, an outer set; sides without limit are left out."""
    _check_grip(grip)
    ways = np.concatenate([np.eye(6), -np.eye(6)])
    return _touching(grip, ways, replace(grip.metadata, method="bounding box", n=12, seed=None, outer_error=None))


def _check_grip(grip: Grip) -> None:
    checks.instance("grip", grip, Grip, fix="give a holdfast.Grip; of bounds, their inner one")


def _metadata(grip: Grip, method: str, n: int, seed: int) -> GripMetadata:
    return replace(grip.metadata, method=method, n=n, seed=seed, inner_error=None, outer_error=None)


def _touching(grip: Grip, normals: Array, metadata: GripMetadata) -> OuterGrip:
    """Planes with these normals (n, 6) at the grip's support; those that do not touch it are left out."""
    offsets = grip.support(normals)
    kept = np.isfinite(offsets)
    common: dict[str, Any] = {"label": grip.label, "palm_gravity": grip.palm_gravity, "length": grip.length}
    return OuterGrip(normals[kept], offsets[kept], metadata=metadata, **common)


def _against_rays(drawn: Array, rays: Array) -> Array:
    """Each direction minus its nearest point in the cone of the rays: no ray increases along the remainder."""
    if not len(rays):
        return drawn
    from scipy.optimize import nnls

    columns = (rays / np.linalg.norm(rays, axis=1, keepdims=True)).T
    turned = []
    for row in drawn:
        left = row - columns @ nnls(columns, row)[0]
        size = np.linalg.norm(left)
        if size > tolerances.FLAT and (left @ columns).max() <= tolerances.RAY_SLOPE * size:
            turned.append(left / size)
    if not turned:
        fix = "a grip whose rays give every wrench has no outer planes"
        raise GeometryError("no plane stops the rays", where="grip.rays", fix=fix)
    return np.array(turned)
