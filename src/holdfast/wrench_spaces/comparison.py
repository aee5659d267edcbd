"""Comparing designs by their wrench spaces: limits along axes, extreme directions and slice volumes on one scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly
from ..checks import Array, IntArray
from ..errors import InputError, UnknownNameError
from ..geometry.frames import Pose
from ..public_names import with_advice
from ..results import Result
from ..solvers import Exact, Status
from ..statics.holding import LoadLimit
from ..statics.paths import Weighed
from ..statics.solver import Answers, Solver
from .computation import wrench_space
from .space import VolumeBounds, WrenchSpace, slice_surface, volume_bounds
from .subspace import AXES, Rays, Subspace


@with_advice()
@dataclass(frozen=True, eq=False)
class Design:
    """An assembly and the point in the world at which forces act and about which torques are taken.

    Attributes:
        assembly: contacts and joint rows.
        point: (3,) [m] in the world, for example the object's centre of mass.
        load: (6,) external wrench about the world origin that always acts, or None.
    """

    assembly: Assembly
    point: Array = field(default_factory=lambda: np.zeros(3))
    load: Array | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.assembly, Assembly):
            raise InputError(f"is a {type(self.assembly).__name__}", where="assembly", fix="give a holdfast.Assembly")
        object.__setattr__(self, "point", checks.vector("point", self.point, 3))
        if self.load is not None:
            object.__setattr__(self, "load", checks.vector("load", self.load, 6))

    @cached_property
    def centred(self) -> Assembly:
        """The assembly moved so that `point` is the world origin.

        Its wrenches are about `point`, related to those of `assembly` by the transport (13).
        """
        held = self.assembly if self.load is None else self.assembly.under(self.load)
        return held.moved(Pose(np.eye(3), -self.point)) if self.point.any() else held

    @property
    def joints(self) -> int:
        """Number of joint rows."""
        return 0 if self.assembly.mechanism is None else len(self.assembly.mechanism)


class WithCentre(Protocol):
    """Something with a centre of mass."""

    @property
    def com(self) -> Array:
        """(3,) in the world [m]."""
        ...


@runtime_checkable
class DeviceWithObject(Weighed, Protocol):
    """A device that holds an object with a centre of mass, such as `holdfast.devices.Device`."""

    @property
    def object(self) -> WithCentre:
        """The object; its `com` (3,) [m] is the point that loads act through."""
        ...


def as_designs(designs: Any, point: ArrayLike | None) -> dict[str, Design]:
    """The designs by name; loads act at the world origin of an Assembly, at the object's centre of mass of a Device.

    `point` (3,) [m], if given, is used for all of them.
    """
    fix = "give {name: Assembly, Device or Design}"
    if not isinstance(designs, Mapping) or not designs:
        raise InputError("is empty or not a mapping", where="designs", fix=fix)
    found: dict[str, Design] = {}
    for name, given in designs.items():
        if isinstance(given, Design):
            design = given
        elif isinstance(given, DeviceWithObject):
            design = Design(given.assembly(), given.object.com)
        elif isinstance(given, Assembly):
            design = Design(given)
        else:
            raise InputError(f"is a {type(given).__name__}", where=f"designs[{name!r}]", fix=fix)
        if str(name) in found:
            raise InputError("is the name of two designs", where=f"designs[{name!r}]", fix="give each a different name")
        found[str(name)] = design if point is None else Design(design.assembly, checks.vector("point", point, 3))
    return found


def common_length(designs: Mapping[str, Design]) -> float:
    """One characteristic length [m] for all: the mean of the assemblies' own."""
    return float(np.mean([design.assembly.length for design in designs.values()]))


# Measures of designs: each has a key, a unit and a meaning; larger is better.

Group = Literal["force", "torque", "volume", "direction"]

#: The twelve half-axes, each with its direction (6,) about the design's point.
HALF_AXES: dict[str, tuple[float, ...]] = {
    f"{sign}{axis}": tuple((1.0 if sign == "+" else -1.0) * (axis == other) for other in AXES)
    for axis in AXES
    for sign in "+-"
}

#: The slices whose volume is measured: forces through the point; the paper's second one (IV.C.a).
SLICES = {"force volume": "fx,fy,fz", "torque volume": "fx,ty,fz"}


@dataclass(frozen=True)
class Measure:
    """One line of a comparison; larger is better.

    Attributes:
        key: its name in tables and data.
        unit: SI unit of the values.
        meaning: description.
        group: its group in pictures.
    """

    key: str
    unit: str
    meaning: str
    group: Group


def _along(key: str) -> Measure:
    if key[1] == "f":
        return Measure(key, "N", f"largest external force along {key[0]}{key[2]} through the point", "force")
    return Measure(key, "N m", f"largest external torque about {key[0]}{key[2]}, without a force", "torque")


#: Every measure, in the order of tables.
MEASURES: tuple[Measure, ...] = (
    *(_along(key) for key in HALF_AXES),
    Measure("weakest force", "N", "smallest limit of a force through the point, over all its directions", "direction"),
    Measure("strongest force", "N", "largest limit of a force through the point, over all its directions", "direction"),
    Measure(
        "weakest wrench",
        "N",
        "smallest limit over all directions of wrenches, torques scaled by the length",
        "direction",
    ),
    Measure("force volume", "N^3", "volume of the slice (fx, fy, fz)", "volume"),
    Measure("torque volume", "N^2 N m", "volume of the slice (fx, ty, fz)", "volume"),
)


# Rays adapted to the shape of a slice: evenly over an ellipsoid of its proportions instead of a sphere.

#: Rounds that find the proportions, the first of them on a sphere; and the level of their rays, 162 directions.
ROUNDS, PILOT_LEVEL = 4, 2

#: Smallest axis of the ellipsoid as a fraction of the longest, so that flat slices have rays in all directions.
THINNEST = 1e-4

#: The proportions are found when another round changes no axis by more than this fraction.
SETTLED = 0.1


@dataclass(frozen=True, eq=False)
class Fitted:
    """A slice along rays that are adapted to it.

    Attributes:
        space: the slice along the rays of the last round.
        pilots: the slices of the rounds before, along fewer rays; the first along a regular sphere.
    """

    space: WrenchSpace
    pilots: tuple[WrenchSpace, ...]


def fitted_space(
    assembly: Assembly,
    subspace: Subspace,
    level: int,
    *,
    method: Exact | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Fitted:
    """A slice of the wrench space along 10 * 4^level + 2 rays adapted to its proportions.

    A slice without limit in some direction has no proportions: its rays are those of the sphere.

    Args:
        assembly: contacts and joint rows.
        subspace: the slice, three-dimensional.
        level: how often the icosahedron of the last round is subdivided.
        method: the exact method with other limits.
        workers: number of threads; the number of cores by default.
        progress: called as progress(done, total) with the number of rays of the last round.
    """
    shape = np.diag(subspace.scales)  # (3, 3): coordinates of the slice are u @ shape for u on the unit sphere
    pilots: list[WrenchSpace] = []
    for _ in range(ROUNDS):
        pilot = wrench_space(assembly, fitted_rays(subspace, shape, PILOT_LEVEL), method=method, workers=workers)
        pilots.append(pilot)
        if not np.isfinite(pilot.values).all():
            shape = np.diag(subspace.scales)
            break
        before, shape = shape, proportions(pilot)
        if _change(before, shape) < SETTLED:
            break
    rays = fitted_rays(subspace, shape, level)
    return Fitted(wrench_space(assembly, rays, method=method, workers=workers, progress=progress), tuple(pilots))


def fitted_rays(subspace: Subspace, shape: Array, level: int) -> Rays:
    """Rays with coordinates u @ shape for the directions u of a regular sphere; `shape` (3, 3) keeps orientation."""
    regular = Rays.sphere(subspace, level)
    coordinates = regular.unit_vectors @ shape
    return Rays(subspace.wrenches(coordinates), subspace, regular.triangles)


def proportions(space: WrenchSpace) -> Array:
    """(3, 3) symmetric positive map of the unit sphere onto an ellipsoid with the proportions of a bounded slice.

    It is the root of the second moments of the body within the surface, in coordinates divided by the scales.
    """
    subspace, triangles = space.subspace, space.triangles
    assert subspace is not None and triangles is not None  # of rays round a sphere
    points = np.where(space.values[:, None] > 0.0, space.coordinates / subspace.scales, 0.0)
    size = float(np.abs(points).max()) or 1.0
    corners = points[triangles] / size  # (t, 3, 3)
    sums = corners.sum(axis=1)
    # Of a tetrahedron with corners 0, a, b, c: (det/120) (a a' + b b' + c c' + (a + b + c) (a + b + c)').
    each = np.einsum("tki,tkj->tij", corners, corners) + np.einsum("ti,tj->tij", sums, sums)
    widths, axes = np.linalg.eigh(np.einsum("t,tij->ij", np.abs(np.linalg.det(corners)), each))
    widths = np.sqrt(np.maximum(widths, 0.0))
    widths = np.maximum(widths, THINNEST * (widths.max() or 1.0))
    return (axes * (size * widths / widths.max())) @ axes.T * subspace.scales


def _change(before: Array, after: Array) -> float:
    """Difference of the ellipsoid `after` from a multiple of the one `before`: 0 when they have the same shape."""
    stretch = np.linalg.svd(np.linalg.solve(before, after), compute_uv=False)
    return float(stretch.max() / stretch.min()) - 1.0


# Strength: the loads that one design can hold, on the scale that all designs of a comparison share.

#: Number of random directions of R^6, in addition to the rays of both slices, for the search of the weakest wrench.
SIX_DIMENSIONAL = 400

#: A limit below this fraction of the largest counts as zero.
NOTHING = 1e-9

#: Undecided values within this fraction of their upper bound count as known: those with proofs, and rays.
#: Rays shorter than `TINY` of the largest limit contribute nothing to a volume.
KNOWN, SAMPLED, TINY = 1e-5, 1e-2, 1e-3

#: Callback of a stage: the number of computed rays.
Report = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class Strength(Result):
    """The loads that one design can hold.

    Attributes:
        name: name of the design.
        design: the design.
        length: characteristic length [m] that scales torques, the same for all designs of a comparison.
        limits: the load limits along the twelve half-axes, each with its proof. They belong to `design.centred`, so
            that wrenches are about the design's point.
        spaces: the slices of `design.centred` along rays that fit them, by the key of their volume.
        extremes: the weakest and strongest directions, by key.
    """

    name: str
    design: Design
    length: float
    limits: Mapping[str, LoadLimit]
    spaces: Mapping[str, WrenchSpace]
    extremes: Mapping[str, Extreme]

    def __repr__(self) -> str:
        return f"Strength({self.name!r}, weakest force {self.value('weakest force'):.4g} N)"

    def value(self, key: str) -> float:
        """The measure called `key` in its unit: inf where there is no limit, -inf where nothing holds."""
        if key in self.limits:
            return self.limits[key].value
        if key in self.extremes:
            return self.extremes[key].value
        return self.volumes[key]

    def upper_bound(self, key: str) -> float:
        """Proven upper bound: along the half-axis or extreme direction, or of the slice's volume.

        A volume is bounded by the outer planes of all rays.
        """
        if key in self.proofs:
            return self.proofs[key].upper_bound
        return self._volume_bounds[key].outer

    @cached_property
    def volumes(self) -> dict[str, float]:
        """Volume of each slice [N^3], [N^2 N m]; inf where it is not bounded."""
        return {key: bounds.surface for key, bounds in self._volume_bounds.items()}

    @cached_property
    def _volume_bounds(self) -> dict[str, VolumeBounds]:
        return {key: volume_bounds(space) for key, space in self.spaces.items()}

    @cached_property
    def size(self) -> float:
        """The largest finite limit [N] of half-axes and extreme directions; far smaller values count as zero."""
        scales = {key: 1.0 if key[1] == "f" else self.length for key in self.limits}
        found = [self.limits[key].value / scales[key] for key in self.limits]
        found += [extreme.value for extreme in self.extremes.values()]
        return max((value for value in found if np.isfinite(value)), default=0.0)

    @cached_property
    def open_limits(self) -> tuple[str, ...]:
        """The half-axes and extreme directions whose limit is unknown: the value is held, more may be held too."""
        none = NOTHING * self.size
        return tuple(
            key
            for key, limit in self.proofs.items()
            if limit.status is Status.UNDECIDED
            and limit.upper_bound > limit.value + max(none, KNOWN * abs(limit.value))
        )

    @cached_property
    def open_rays(self) -> int:
        """Number of rays of the slices that stopped more than `SAMPLED` below their upper bound; values are held."""
        count = 0
        for space in self.spaces.values():
            lengths = np.linalg.norm(space.directions / np.repeat([1.0, self.length], 3), axis=1)
            slack = SAMPLED * np.maximum(np.abs(space.values), TINY * self.size / lengths)
            wide = space.upper_bounds > np.where(np.isfinite(space.values), space.values, 0.0) + slack
            count += int(((space.status == Status.UNDECIDED) & wide).sum())
        return count

    @property
    def undecided(self) -> int:
        """Number of rays of the slices, half-axes and extreme directions without a sufficient verdict."""
        return self.open_rays + len(self.open_limits)

    @property
    def proofs(self) -> dict[str, LoadLimit]:
        """The load limits that carry a proof, by key: half-axes and extreme directions."""
        return {**self.limits, **{key: extreme.limit for key, extreme in self.extremes.items()}}

    @cached_property
    def proven(self) -> int:
        """Number of `proofs` that are confirmed without the solver."""
        return sum(limit.verify() for limit in self.proofs.values())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data; numbers may be infinite."""
        return {
            "name": self.name,
            "contacts": len(self.design.assembly),
            "joints": self.design.joints,
            "point": self.design.point.tolist(),
            "measures": {
                measure.key: {"value": self.value(measure.key), "upper_bound": self.upper_bound(measure.key)}
                for measure in MEASURES
            },
            "directions": {key: extreme.direction.tolist() for key, extreme in self.extremes.items()},
            "undecided": self.undecided,
            "open_limits": list(self.open_limits),
            "open_rays": self.open_rays,
            "rays": sum(map(len, self.spaces.values())),
            "proofs": len(self.proofs),
            "proofs_verified": self.proven,
        }


def measure_strength(
    name: str,
    design: Design,
    *,
    length: float,
    level: int,
    seed: int,
    method: Exact,
    sampling: Exact,
    workers: int | None,
    report: Report,
) -> Strength:
    """The strength of one design: half-axes, two slices along adapted rays, and the extreme directions."""
    solver = Solver(design.centred, method)
    limits = {key: solver.load_limit(direction) for key, direction in HALF_AXES.items()}
    report(len(limits))
    slices: dict[str, Fitted] = {}
    for key, words in SLICES.items():
        subspace = Subspace.named(words, length=length)
        slices[key] = fitted_space(design.centred, subspace, level, method=sampling, workers=workers)
        report(len(slices[key].space) + sum(map(len, slices[key].pilots)))
    rough = Solver(design.centred, sampling)
    extremes = _extremes(solver, rough, limits, slices, length=length, seed=seed, workers=workers, report=report)
    spaces = {key: fitted.space for key, fitted in slices.items()}
    return Strength(name, design, length, limits, spaces, extremes)


def _extremes(
    solver: Solver,
    rough: Solver,
    limits: Mapping[str, LoadLimit],
    slices: Mapping[str, Fitted],
    *,
    length: float,
    seed: int,
    workers: int | None,
    report: Report,
) -> dict[str, Extreme]:
    """Weakest and strongest force, weakest wrench; each search starts from known rays.

    The searches use `rough`; the limit along the final direction is computed by `solver`.
    """
    scales = np.array([1.0, 1.0, 1.0, length, length, length])
    basis = np.diag(scales)  # (6, 6): the wrench of each unit coordinate

    def asker(rows: Array) -> Callable[[Array], Answers]:
        return lambda units: rough.load_limit_many(units @ rows, threads=workers)

    axes, along = _axes(limits, scales)

    def ended(unit: Array, asked: int, *, largest: bool = False) -> Extreme:
        """The limit along `unit`, or along an axis of the same space if that is more extreme."""
        full = np.concatenate([unit, np.zeros(6 - len(unit))])
        best, sign = solver.load_limit(full @ basis), -1.0 if largest else 1.0
        cost = np.where(axes[:, len(unit) :].any(axis=1), np.inf, sign * along)
        nearest = int(np.argmin(cost))
        if cost[nearest] < sign * best.value:
            full, best = axes[nearest], solver.load_limit(axes[nearest] @ basis)
        report(asked)
        return Extreme(full * scales, best, asked)

    units, values = _known(slices["force volume"], scales)
    found: dict[str, Extreme] = {}
    for key, largest in (("weakest force", False), ("strongest force", True)):
        unit, asked = search(asker(basis[:3]), basis[:3], units[:, :3], values, largest=largest)
        found[key] = ended(unit, asked + len(units), largest=largest)
    parts = [*(_known(fitted, scales) for fitted in slices.values()), (axes, along)]
    weakest = found["weakest force"]  # the weakest wrench is at most the weakest force
    parts.append(((weakest.direction / scales)[None], np.array([weakest.value])))
    known, values = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    if values.min() > NOTHING * values[np.isfinite(values)].max(initial=0.0):
        drawn = np.random.default_rng(seed).normal(size=(SIX_DIMENSIONAL, 6))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        known, values = np.concatenate([known, drawn]), np.concatenate([values, asker(basis)(drawn).values])
    unit, asked = search(asker(basis), basis, known, values, largest=False)
    found["weakest wrench"] = ended(unit, asked + len(known))
    return found


def _axes(limits: Mapping[str, LoadLimit], scales: Array) -> tuple[Array, Array]:
    """Unit coordinates (12, 6) of both directions of each axis, and the limits (12,) along them [N]."""
    axes = np.array(list(HALF_AXES.values()))
    return axes, np.array([limit.value for limit in limits.values()]) / np.abs(axes @ scales)


def _known(fitted: Fitted, scales: Array) -> tuple[Array, Array]:
    """Unit coordinates (n, 6) of all rays of a slice, and the limits (n,) along them [N]."""
    spaces = (*fitted.pilots, fitted.space)
    rows = np.concatenate([space.directions for space in spaces]) / scales
    lengths = np.linalg.norm(rows, axis=1)
    return rows / lengths[:, None], np.concatenate([space.values for space in spaces]) * lengths


# The direction in which a design is weakest, or strongest: rays in all directions, then a search from the best.

#: Number of searches from different rays.
STARTS = 6

#: Smallest angle between two starts [rad], so that they search in different places.
APART = 0.35

#: A search ends when its step is below this [rad]: the value is then stationary to about its square.
LEAST_STEP = 1e-3

#: A step without improvement is multiplied by this.
SHORTER = 0.5

#: Smallest relative improvement.
BETTER = 1e-7

#: Largest number of rounds of a search.
MOST_ROUNDS = 60


@dataclass(frozen=True, eq=False)
class Extreme(Result):
    """An extreme direction and the limit along it.

    The limit along this direction is proven from both sides. That no other direction is weaker (or stronger)
    is the outcome of a search and not proven: a weakest value is an upper bound of the true one, a strongest value a
    lower bound.

    Attributes:
        direction: (6,) external wrench about the design's point, of length 1 when torques are divided by the length.
        limit: the load limit along it, with its proof; `limit.value` is in [N].
        rays: number of directions in the search.
    """

    direction: Array
    limit: LoadLimit
    rays: int

    @property
    def value(self) -> float:
        """The limit [N]; inf where there is none."""
        return self.limit.value

    def __repr__(self) -> str:
        return f"Extreme({self.value:.6g} N, bound {self.limit.upper_bound:.6g} N, of {self.rays} directions)"

    def to_dict(self) -> dict[str, Any]:
        """The direction and the limit along it as plain data."""
        return {"value": self.value, "rays": self.rays, "direction": self.direction.tolist()} | {
            "limit": self.limit.to_dict()
        }


#: Results for unit directions (n, p) in the coordinates of a search.
Ask = Callable[[Array], Answers]


def search(ask: Ask, basis: Array, directions: Array, values: Array, *, largest: bool) -> tuple[Array, int]:
    """The unit direction (p,) with the smallest or largest value found, and the number of rays computed.

    From the best and well separated of the known rays, a pattern search on the sphere: steps along a basis of the
    tangent plane, shortened when none is better. For the smallest value the outer plane of each ray gives one more
    step: its foot point is nearer than the ray's end, so that the ray along the plane's normal is not longer for a
    convex space.

    Args:
        ask: load limits along unit directions (n, p).
        basis: (p, 6) wrench of each unit coordinate.
        directions: (n, p) unit directions already computed.
        values: (n,) their limits.
        largest: whether the largest value is searched.
    """
    cost = -values if largest else values
    if np.isneginf(cost).any() or not np.isfinite(cost).any():
        return directions[int(np.argmin(cost))], 0  # no direction is more extreme, or all are alike
    if not largest and cost.min() <= NOTHING * np.abs(cost[np.isfinite(cost)]).max():
        return directions[int(np.argmin(cost))], 0  # nothing is held there at all
    chosen = _separated(directions, cost)
    points, costs = directions[chosen].copy(), cost[chosen].copy()
    steps = np.full(len(points), _spacing(len(directions), directions.shape[1]))
    extra: list[Array | None] = [None] * len(points)
    rng = np.random.default_rng(0)  # turns the pattern from round to round
    asked = 0
    for _ in range(MOST_ROUNDS):
        live = np.nonzero(steps > LEAST_STEP)[0]
        if not len(live):
            break
        tries = [_pattern(points[k], steps[k], rng, extra[k], turns=2 if largest else 1) for k in live]
        answers = ask(np.concatenate(tries))
        found = -answers.values if largest else answers.values
        asked += len(found)
        first = 0
        for k, own in zip(live, tries, strict=True):
            part = slice(first, first + len(own))
            best = first + int(np.argmin(found[part]))
            first += len(own)
            if found[best] < costs[k] - BETTER * abs(costs[k]):
                points[k], costs[k] = own[best - part.start], found[best]
                extra[k] = None if largest else _foot(basis, answers.normals[best])
            else:
                steps[k] *= SHORTER
                extra[k] = None
    return points[int(np.argmin(costs))], asked


def weakest_load(space: WrenchSpace) -> tuple[Array, float]:
    """(unit direction (3,), limit [N]) of the weakest load in a slice: a search from its rays, see `search`.

    The direction is in the slice's coordinates divided by its scales. The rays of the slice miss the weakest direction
    by up to their spacing.
    """
    surface = slice_surface(space)
    basis = surface.subspace.wrenches(np.diag(surface.subspace.scales))
    solver = Solver(space.held_assembly, space.method if isinstance(space.method, Exact) else None)
    unit, _ = search(
        lambda units: solver.load_limit_many(units @ basis, threads=1),
        basis,
        surface.units,
        surface.radii,
        largest=False,
    )
    return unit, max(0.0, min(solver.load_limit(unit @ basis).value, float(surface.radii.min())))


def _separated(directions: Array, cost: Array) -> IntArray:
    """The rays of smallest cost, each at least `APART` from those before it."""
    order = np.argsort(cost, kind="stable")
    order = order[np.isfinite(cost[order])]
    chosen: list[int] = []
    for index in order.tolist():
        if all(directions[index] @ directions[other] < np.cos(APART) for other in chosen):
            chosen.append(index)
        if len(chosen) == STARTS:
            break
    return np.array(chosen, dtype=np.int64)


def _spacing(count: int, dimension: int) -> float:
    """Approximate angle [rad] between neighbours among `count` directions on the sphere of R^p."""
    return float(np.clip(2.0 * count ** (-1.0 / (dimension - 1)), 0.02, 0.5))


def _pattern(point: Array, step: float, rng: np.random.Generator, extra: Array | None, *, turns: int) -> Array:
    """Unit directions (m, p) at the angle `step` [rad] around `point`, and the extra one.

    They are both directions of `turns` bases of the tangent plane, rotated at random: along sharp ridges one basis
    often shows no improvement.
    """
    p = len(point)
    bases = [np.linalg.qr(np.column_stack([point, rng.normal(size=(p, p - 1))]))[0][:, 1:].T for _ in range(turns)]
    tangents = np.concatenate(bases)  # (turns (p - 1), p)
    around = np.cos(step) * point + np.sin(step) * np.concatenate([tangents, -tangents])
    return around if extra is None else np.concatenate([around, extra[None]])


def _foot(basis: Array, normal: Array) -> Array | None:
    """The unit direction (p,) of the foot point of an outer plane with `normal` (6,); None if there is none."""
    inside = basis @ normal
    length = float(np.linalg.norm(inside))
    return inside / length if np.isfinite(length) and length > 0.0 else None


# Compare designs: the same measures, the same rays and one common length for all.

#: Called as progress(done, total) with the number of computed rays.
Progress = Callable[[int, int], None]

#: Approximate number of rays for adapting the slices and searching extreme directions of one design, for progress.
SEARCHED = 2500

#: Default methods: for limits with proofs, and for rays of slices and searches.
PROVING, SAMPLING = Exact(time_limit=5.0), Exact(gap=5e-3, node_limit=200, time_limit=0.5)


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Designs side by side; larger is better in every measure.

    Attributes:
        strengths: one for each design, in the order given.
        length: the common characteristic length [m].
        level: fineness of the slices: 10 * 4^level + 2 rays each.
        seed: random seed of the directions in R^6.
    """

    strengths: tuple[Strength, ...]
    length: float
    level: int
    seed: int

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.names)})"

    def __len__(self) -> int:
        return len(self.strengths)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the designs."""
        return tuple(strength.name for strength in self.strengths)

    def __getitem__(self, name: str) -> Strength:
        """The design called `name`."""
        for strength in self.strengths:
            if strength.name == name:
                return strength
        raise UnknownNameError("design", str(name), self.names, where="comparison")

    def values(self, key: str) -> dict[str, float]:
        """The measure called `key` of every design, in the measure's unit."""
        measure = self.measure(key)
        return {strength.name: strength.value(measure.key) for strength in self.strengths}

    def measure(self, key: str) -> Measure:
        """The measure called `key`."""
        for measure in MEASURES:
            if measure.key == key:
                return measure
        raise UnknownNameError("measure", str(key), [measure.key for measure in MEASURES], where="comparison")

    def ranking(self, key: str) -> tuple[tuple[str, ...], ...]:
        """Designs from the best to the worst by a measure; those equal within the solver's gap are grouped."""
        values = self.values(key)
        groups: list[list[str]] = []
        last = np.nan
        for name in sorted(values, key=lambda name: -values[name]):
            if groups and _tie(last, values[name]):
                groups[-1].append(name)
            else:
                groups.append([name])
                last = values[name]
        return tuple(tuple(group) for group in groups)

    def best(self, key: str) -> tuple[str, ...]:
        """The best designs by a measure; () where all are equal."""
        groups = self.ranking(key)
        return groups[0] if len(groups) > 1 else ()

    def rows(self) -> list[dict[str, Any]]:
        """One row per measure: its name, unit, the value of every design, and the best ones."""
        return [
            {"measure": measure.key, "unit": measure.unit, **self.values(measure.key), "best": self.best(measure.key)}
            for measure in MEASURES
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data; numbers may be infinite."""
        return {
            "length": self.length,
            "level": self.level,
            "seed": self.seed,
            "measures": [
                {"name": m.key, "unit": m.unit, "meaning": m.meaning, "ranking": [list(g) for g in self.ranking(m.key)]}
                for m in MEASURES
            ],
            "designs": [strength.to_dict() for strength in self.strengths],
        }


@with_advice()
def compare(
    designs: Mapping[str, Assembly | DeviceWithObject | Design],
    *,
    point: ArrayLike | None = None,
    length: float | None = None,
    level: int = 3,
    seed: int = 0,
    method: Exact | None = None,
    sampling: Exact | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Designs side by side: extents along the axes, volumes of slices, weakest and strongest directions.

    Wrenches are external, on the object. Forces act through a point of each design and torques are about it: the
    object's centre of mass of a Device, the world origin of an Assembly, the point of a Design.

    Args:
        designs: the designs by name; a single one is also allowed.
        point: (3,) [m] one point for all designs instead of their own.
        length: characteristic length [m] that scales torques into forces; the mean of the assemblies' own by default.
        level: fineness of the slices: 10 * 4^level + 2 rays each, spread evenly over an ellipsoid of its proportions.
        seed: random seed of the directions in R^6 for the search of the weakest wrench.
        method: for the limits that carry proofs: half-axes and extreme directions. By default with a relative gap of
            1e-6, and undecided after 5 s each.
        sampling: for the rays of slices and searches, some of which take much longer. By default with a relative gap of
            0.5 %, and at most 200 nodes each; the found values are held in any case.
        workers: number of threads; the number of cores by default.
        progress: called as progress(done, total) with the number of computed rays.
    """
    known = as_designs(designs, point)
    scale = common_length(known) if length is None else checks.positive("length", length, unit="m")
    depth = checks.count("level", level, low=0)
    draw = checks.seed(seed)
    proving, rough = method or PROVING, sampling or SAMPLING
    each = len(HALF_AXES) + 2 * (10 * 4**depth + 2) + SIX_DIMENSIONAL + SEARCHED
    strengths = []
    for index, (name, design) in enumerate(known.items()):
        report = _counter(index * each, (index + 1) * each, len(known) * each, progress)
        strengths.append(
            measure_strength(
                name,
                design,
                length=scale,
                level=depth,
                seed=draw,
                method=proving,
                sampling=rough,
                workers=workers,
                report=report,
            )
        )
        if progress is not None:
            progress((index + 1) * each, len(known) * each)
    return Comparison(tuple(strengths), scale, depth, draw)


def _counter(start: int, end: int, total: int, progress: Progress | None) -> Callable[[int], None]:
    """Counts the rays of one design, at most its part of the total."""
    done = start

    def report(rays: int) -> None:
        nonlocal done
        done = min(end, done + rays)
        if progress is not None:
            progress(done, total)

    return report


def _tie(larger: float, smaller: float) -> bool:
    """Whether two values are equal within the solver's gap."""
    if np.isinf(larger) or np.isinf(smaller):
        return larger == smaller
    return larger - smaller <= 10.0 * tolerances.GAP * max(abs(larger), abs(smaller))
