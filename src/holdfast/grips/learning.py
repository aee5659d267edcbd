"""Learning a grip from the exact supports of a hand: an inner set of held wrenches, an outer set of half-spaces."""

from __future__ import annotations

from collections.abc import Callable
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
from .supports import Asking, Progress, SupportPool, SupportTask


@dataclass(frozen=True, kw_only=True)
class GreedySampling:
    """Many cheap supports, of which the best are kept, and the true facets that rays leave the set through.

    Attributes:
        candidates: directions asked for each vertex that is kept.
        ray_share: share of the outer planes that come from rays; the others are supports of the kept vertices.
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


# Whitening: coordinates in which a grip's wrenches spread alike in every direction, and none in which they are flat.
#
# Forces and torques differ in unit and size, and a hand is strong one way and weak another. Directions drawn evenly
# in whitened coordinates are drawn where the set is.

#: A set is flat along a direction in which it is thinner than this share of its largest width (torques over length).
FLAT_WIDTH = 1e-9

#: Directions asked to learn how the wrenches spread, and how often that is done anew in the coordinates so far.
PILOTS, PILOT_ROUNDS = 128, 2

#: Share of the largest spread that directions are given along which W W^T has none, so that they are asked too.
FLOOR = 1e-6


@dataclass(frozen=True, eq=False)
class Whitening:
    """Wrenches w = centre + axes @ x with x of unit spread; w lies in no other directions.

    Attributes:
        centre: (6,) a wrench in the middle of the grip's hull, inside of it.
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
    """(count, p) unit vectors spread evenly over the sphere."""
    rows = rng.normal(size=(count, dimension))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) if dimension else rows


def paper_axes(hand: Assembly) -> Array:
    """(6, 6) with axes @ axes.T = W W^T: the wrenches of evenly drawn contact forces, as the paper samples (V.A)."""
    scale = np.repeat([1.0, hand.length], 3)
    rows = hand.wrench_matrix / scale[:, None]
    values, vectors = np.linalg.eigh(rows @ rows.T)
    return scale[:, None] * (vectors * np.sqrt(np.clip(values, 0.0, None)))


def learned_whitening(
    hand: Assembly, ask: Callable[[Array], SupportPool], rng: np.random.Generator
) -> tuple[Whitening, SupportPool]:
    """The whitening of a hand's wrenches from a few of their supports; also those, the 2 p along its axes last.

    Supports along directions in which the set is flat are left out. The first directions are whitened by W W^T, as the
    paper samples wrenches, the next ones by what they found.
    """
    scale = np.repeat([1.0, hand.length], 3)  # divides wrenches
    rows = hand.wrench_matrix / scale[:, None]
    spread = rows @ rows.T
    spread += FLOOR * float(np.trace(spread)) * np.eye(6)
    pool: SupportPool | None = None
    for _ in range(PILOT_ROUNDS):
        values, vectors = np.linalg.eigh(spread)
        # Along each axis by itself, so that no width is missed, then evenly.
        whitened = np.concatenate([np.eye(6), -np.eye(6), evenly(rng, PILOTS, 6)])
        found = ask((whitened / np.sqrt(values)) @ vectors.T / scale)
        _check_bounded(found, scale)
        pool = found if pool is None else pool.with_more(found)
        x = pool.points / scale
        spread = np.cov(x.T, bias=True)
        spread += FLOOR * max(float(np.trace(spread)), np.finfo(float).tiny) * np.eye(6)
    assert pool is not None
    whitening, widths = _frame(pool, ask, scale)
    if not whitening.dimension:
        return whitening, pool
    known = pool.with_more(widths)
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
        f"the hand holds without limit along ({said}), torques over its length",
        where="assembly",
        fix="cone_grip(assembly) takes contacts with cones and no joint limits exactly; else cap the volumes: "
        "ForceVolume.capped",
    )


def _frame(pool: SupportPool, ask: Callable[[Array], SupportPool], scale: Array) -> tuple[Whitening, SupportPool]:
    """Centre and axes from all points; widths along the axes asked once more tell which of them are flat."""
    x = pool.points / scale
    centre = x.mean(axis=0)
    _, sizes, vectors = np.linalg.svd(x - centre, full_matrices=True)
    found = ask(np.concatenate([vectors, -vectors]) / scale)
    if len(found) < 12:
        raise GeometryError(
            "the widths of the hand's wrench space could not be proven", where="assembly", fix="check its joint limits"
        )
    widths = found.bounds[:6] + found.bounds[6:]
    flat = widths <= FLAT_WIDTH * max(float(widths.max()), float(np.abs(x).max()))
    # Along an axis that the points did not show, its width is the spread.
    spread = np.where(np.arange(6) < len(sizes), np.pad(sizes, (0, 6))[:6], 0.0) / np.sqrt(len(x))
    spread = np.where(spread > FLAT_WIDTH * widths, spread, widths)[~flat]
    axes = vectors[~flat]
    middle = np.concatenate([pool.points, found.points]).mean(axis=0)
    return Whitening(
        centre=middle,
        axes=(scale[:, None] * axes.T) * spread,
        inverse=(axes / spread[:, None]) / scale,
        flats=np.concatenate([vectors[flat], -vectors[flat]]) / scale,
        levels=np.concatenate([found.bounds[:6][flat], found.bounds[6:][flat]]),
    ), found.only(np.tile(~flat, 2))


# Ray extents: how far rays from the middle of a grip go inside the hull of held wrenches, and inside outer planes.
#
# Where a ray leaves the hull of the points known so far, the hull's facet there has a normal y. Its support either
# shows that the facet is one of the whole set, or gives a point beyond it. Asked again and again, this is column
# generation: it ends with the exact reach of the set's hull along the ray, and with a plane that touches the set just
# where the ray leaves it.

#: A ray's reach is known when inner and outer differ by no more than this share.
REACH_GAP = 1e-4

#: Rounds of supports that a ray is given at most to come that far.
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
    """(q,) how far rays (q, p) from 0 stay within the planes normals . x <= offsets, (m, p) and (m,), whitened."""
    return _nearest_planes(normals, offsets, rays)[0]


def _nearest_planes(normals: Array, offsets: Array, rays: Array) -> tuple[Array, IntArray]:
    """(reaches (q,), indices (q,)): the least reach that planes allow each ray, and which of them does."""
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
    """Rays whose reach has been found, with the best plane at each.

    Attributes:
        rays: (q, p) whitened unit vectors.
        inner, outer: (q,) proven bounds of their reaches in the hull of the set.
        planes: (q,) the pool's direction that bounds each ray best, by its index.
        pool: all that is known by now.
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
    ask: Callable[[Array], SupportPool],
    *,
    rounds: int = MOST_ROUNDS,
) -> KnownRays:
    """The reaches of rays (q, p) in the hull of the set, by supports where they leave the points known so far."""
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
        new = ask(whitening.directions(normals))
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


# Greedy choice: the held wrenches that make the largest hull for their number.
#
# Among directions y with known supports h(y), the one whose support the hull of the wrenches chosen so far misses by
# the largest share of its reach, (h - h_chosen) / (h - y . centre), gives the next wrench.

#: Nothing more is chosen when every support is met to this share of its reach.
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
        best = int(missing.argmax())
        if missing[best] <= MET:
            break
        chosen.append(best)
        reached = np.maximum(reached, pool.directions @ pool.points[best])
        reached[best] = max(reached[best], pool.values[best])
    return np.array(chosen, dtype=np.int64)


# The paper's sampling, for comparison: limits along random rays through 0, and random half-spaces (V.A, V.D).


def paper_sets(asking: Asking, count: int, seed: int) -> tuple[Array, tuple[Array, Array], GripMetadata]:
    """(vertices, (normals, offsets), metadata): `count` points d w at the limits (6) along w ~ N(0, W W^T), with 0.

    The half-spaces have normals drawn evenly from the unit sphere of R^6, newtons and newton metres alike, and the
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


# Concavity: whether wrenches between held wrenches are held too, where volumes are unions of pieces.
#
# The wrenches a hand holds by the unions of its contacts' pieces need not be a convex set; with many contacts they
# nearly are one. Points on the border of a hull are asked of the exact solver.

#: Points of a border are moved this far inwards before they are asked: rounding is no concavity.
INWARDS = 1e-6

#: Halvings of the interval in which the border of what is held is looked for.
HALVINGS = 12


class HullConcavity(NamedTuple):
    """What was found at the border of a hull of held wrenches.

    `share` of the tried points that are held; `shortfall`: the largest share of a tried point's distance to the middle
    that had to be given up to be held, an upper bound where a search was left undecided; `tried`: number of points.
    """

    share: float
    shortfall: float
    tried: int


def measured_concavity(hand: Assembly, border: Array, centre: Array) -> HullConcavity:
    """How points (n, 6) on the border of a hull of held wrenches stand; all in the sense of the assembly's own.

    Towards 0 where no force at all is admissible, so that what is held is star-shaped around it; else towards `centre`.
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


# Convex inner sets: sets of which every wrench is held, where the contacts' volumes are unions of pieces.
#
# One convex piece per unit makes a convex set of wrenches, all of which are held. The pieces are those that the
# hand's furthest wrenches use most: of a measured volume, the largest piece is mostly nearly all of it.

#: Directions along which the pieces in use are counted.
TRIED = 1000


def is_convex(hand: Assembly) -> bool:
    """Whether every contact's volume is one convex piece, so that what is held is a convex set."""
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
# Every support is a linear program per finger. It gives a wrench that is held, with its forces as proof, and a half-
# space that no wrench of the hand leaves. Those that tell most for their number are kept.

#: Fresh rays along which the errors of a learned grip are measured.
CHECK_RAYS = 64

#: While the wanted gap is not reached, the number of samples is doubled up to this many times the first.
MOST_GROWTH = 16

#: Whitened normals that agree to this many digits are one plane.
SAME_DIGITS = 9


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
    """The wrenches that a hand can give to the body, as an inner and an outer set in the palm frame.

    Inner: the hull of at most `n` wrenches, each held by the union of the contacts' pieces within the joint limits, its
    forces checked. Where volumes are not convex, the hull may contain wrenches between them that are not held:
    `metadata.concavity` says by how much, and `certified` gives a smaller set of which every wrench is held. Outer:
    about `n` half-spaces, each proven for every wrench of the hand. The same seed gives the same grip on any machine.

    Args:
        assembly: the hand's contacts and joint rows, or its scene, in a frame in which the palm stands at `palm`.
        n: vertices of the inner set, and half-spaces of the outer one (and up to twelve of a box around it).
        seed: of the directions that are drawn.
        palm: pose of the palm in the assembly's frame; the frame itself by default.
        acting: "direct": the assembly's object is the body, so the body feels the contact forces, W f. "reaction": the
            object is what the hand grips, so the body feels -W f, the wrenches that the assembly holds.
        gap: share that the outer set may reach beyond the inner one along any of 64 fresh rays: beyond / within - 1,
            0.1 for 10 %. The number of samples is doubled until it is reached, up to sixteen times `n`; whether it
            was, `metadata.wanted_gap` and `metadata.reached_gap` say.
        gravity: (3,) [m/s^2] in the assembly's frame that its joint rows were made for: it weighs on the links, so that
            the grip is one of that orientation, and says so. None where the rows know of none; they cannot tell.
        certified: keep each unit to one of its pieces for the inner set: a convex set of which every wrench is held.
        workers: processes to compute with.
        cluster: address of a Dask scheduler ("tcp://host:port") whose workers compute instead.
        journal: file to save to as supports come, and to resume from; each further round (twenty, or more with `gap`)
            has a file of its own beside it (".1", ".2", ...). They stay until they are deleted.
        method: `GreedySampling(...)` by default, or `PaperSampling()` for comparison.
        progress: called with (supports done, supports known to come).
        label: how reports call it; the assembly's name by default.
    """
    assembly = assembly_of(assembly)
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
        if certified or gap is not None:
            where = "certified" if certified else "gap"
            raise InputError("is not for the paper's sampling", where=where, fix="use GreedySampling()")
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
    """What the held external wrenches of an assembly are multiplied by to give those on the body."""
    if acting not in ("direct", "reaction"):
        raise InputError(f"is {acting!r}", where="acting", fix='give "direct" or "reaction"')
    return -1.0 if acting == "direct" else 1.0


def concavity_at(hand: Assembly, sign: float, vertices: Array, found: Exits, centre: Array) -> HullConcavity:
    """`measured_concavity` of the hull of vertices (n, 6) on the body, where rays leave it."""
    border = np.array([w @ vertices[i] for i, w in zip(found.indices, found.weights, strict=True) if len(i)])
    return measured_concavity(hand, sign * border, sign * centre)


@dataclass(eq=False)
class _Learner:
    """Grows a pool of supports and chooses from it."""

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
        if not whitening.dimension:  # one wrench alone
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
        """More candidates and rays for `count` more samples; also the indices of the planes that the rays found."""
        p = whitening.dimension
        rows = evenly(self.rng, self.method.candidates * count, p)
        pool = pool.with_more(self.asking.ask(whitening.directions(rows)))
        rays = evenly(self.rng, round(self.method.ray_share * count), p)
        if not len(rays):
            return pool, np.zeros(0, dtype=np.int64)
        known = known_rays(pool, whitening, rays, self.asking.ask)
        return known.pool, known.planes

    def _checked(self, pool: SupportPool, whitening: Whitening, rays: Array) -> KnownRays:
        """Fresh rays and their true reaches; the supports that these took are kept out of the sets."""
        if not len(rays):
            rays = evenly(np.random.default_rng([self.seed, 1]), CHECK_RAYS, whitening.dimension)
        return known_rays(pool, whitening, rays, self.asking.ask)

    def _concavity(self, vertices: Array, whitening: Whitening, rays: Array) -> HullConcavity:
        """How far the hull of the vertices leaves the union, where the fresh rays leave it."""
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


# The paper's simpler sets of a grip (V.D): few vertices inside, few planes or a box around it.
#
# They are drawn at random with a seed, and stand here for comparison: sets learned with as many samples are nearer.
# Torques are divided by the grip's length before directions are drawn or compared.


def inner_subset(grip: Grip, n: int, seed: int = 0) -> Grip:
    """At most n + 1 vertices of a grip, an inner set: each of n vertices drawn at random is taken as a direction.

    The vertex that goes furthest along it is kept, then zero is added where the grip contains it. All rays are kept.

    Args:
        grip: the set to approximate.
        n: how many directions to draw, at most the number of vertices.
        seed: what the draw depends on.
    """
    _check_grip(grip)
    wanted = min(checks.count("n", n), len(grip.vertices))
    rng = np.random.default_rng(checks.count("seed", seed, low=0))
    corners = grip.vertices / grip.unit
    drawn = corners[rng.choice(len(corners), wanted, replace=False)]
    kept = np.unique((drawn @ corners.T).argmax(axis=1))
    vertices = grip.vertices[kept]
    if grip.contains(np.zeros(6)) and vertices.any(axis=1).all():
        vertices = np.concatenate([vertices, np.zeros((1, 6))])
    return grip._with(vertices=vertices, metadata=_metadata(grip, "random vertices", wanted, seed))


def outer_subset(grip: Grip, n: int, seed: int = 0) -> OuterGrip:
    """At most n planes that touch a grip, an outer set: directions are drawn evenly from the sphere.

    Where the grip has rays, no plane stops it in most directions: each is turned to the nearest one along which no ray
    climbs, and left out when there is none.

    Args:
        grip: the set to approximate.
        n: how many directions to draw.
        seed: what the draw depends on.
    """
    _check_grip(grip)
    wanted = checks.count("n", n)
    rng = np.random.default_rng(checks.count("seed", seed, low=0))
    drawn = rng.standard_normal((wanted, 6))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    drawn = _against_rays(drawn, grip.rays / grip.unit)
    return _touching(grip, drawn / grip.unit, _metadata(grip, "random planes", wanted, seed))


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
    """Each direction less its nearest point in the cone of the rays: no ray climbs along what is left."""
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
