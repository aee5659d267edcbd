"""Supports of a hand: the furthest wrench that it can apply in a direction, single, in sweeps, and without limits.

The largest y . w over all wrenches of a hand is a linear program in the contact forces. Only joint rows and units
couple contacts: those that load no common joint and share no piece are maximised separately. A unit that loads no joint
gives the best vertices of its best piece; the contacts of one finger form a small program, with as many
rows as the finger has joints. It is a load limit with one row to balance: max d with sum_i g_i . f_i - d = 0,
lower <= sum_i J_i f_i <= upper. The compiled exact search solves it and decides which piece the forces lie in.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import tolerances
from ..assembly.assembly import Assembly
from ..checks import Array, BoolArray, IntArray
from ..errors import InputError, SolverError
from ..jobs import fingerprint, sweep
from ..solvers import Exact, Layout, Status
from ..solvers.exact.method import Variants
from ..solvers.exact.search import FINISHED
from ..statics.holding import balance_residuals, shares_piece
from ..wrench_spaces.space import ROUNDING_SHARE, SLACK

#: Number of directions per call of the compiled search; limits the memory.
BLOCK = 250

#: Relative gap of supports over unions, far below any error of a learned set; supports of convex volumes are exact up
#: to rounding. With a smaller gap the search's bonus for unused contacts would be at rounding level.
SUPPORT_GAP = 1e-8

#: Most nodes of one finger's search, and a time limit [s] that is never reached: so results are the same everywhere.
MOST_NODES, LONGEST = 30_000, 3600.0

#: A gradient below this fraction of the largest possible one counts as zero.
NO_GRADIENT = 1e-13


class Supports(NamedTuple):
    """The furthest wrenches of a hand along n directions, in the frame and sense of its assembly's held wrenches.

    Where a hand has no limit, `values` and `bounds` are inf and the point is some held wrench.
    """

    values: Array  # (n,) largest direction . w that was attained (inner)
    bounds: Array  # (n,) no wrench of the hand has a larger one (outer)
    points: Array  # (n, 6) held wrenches that attain `values`
    forces: Array  # (n, k, 3) world forces on the object that hold them [N]
    pieces: IntArray  # (n, k) the pieces that the forces lie in


@dataclass(frozen=True, eq=False)
class HandSupports:
    """Supports of all external wrenches that an assembly holds, decoupled where contacts share no joint.

    Attributes:
        assembly: the hand; wrenches are in its world frame, torques about its origin.
        method: gap and limits of the searches.
    """

    assembly: Assembly
    method: Exact

    @staticmethod
    def of(assembly: Assembly) -> HandSupports:
        """Supports as exact as rounding allows, with limits that do not depend on the machine."""
        return HandSupports(assembly, Exact(gap=SUPPORT_GAP, node_limit=MOST_NODES, time_limit=LONGEST))

    @cached_property
    def fingers(self) -> tuple[tuple[IntArray, IntArray], ...]:
        """(contacts, joint rows) of each part of the hand that shares no joint and no unit with the others.

        Only rows with a limit; contacts of whole units.
        """
        layout = self.assembly.layout
        limited = np.isfinite(layout.lower[6:]) | np.isfinite(layout.upper[6:])
        rows = np.nonzero(limited)[0]
        loads: BoolArray = self._loads[:, rows]
        part = np.arange(len(rows))
        for unit in loads:  # the rows that a unit loads belong together
            touched = np.unique(part[unit])
            part[np.isin(part, touched)] = touched.min(initial=len(rows))
        parts = []
        for name in np.unique(part):
            own = rows[part == name]
            bound = np.nonzero(loads[:, part == name].any(axis=1))[0]
            contacts = np.nonzero(np.isin(layout.unit_of, bound))[0]
            if len(contacts):
                parts.append((contacts, own))
            elif (layout.lower[6 + own] > 0.0).any() or (layout.upper[6 + own] < 0.0).any():
                raise holds_nothing(self.assembly, own)  # rows without a contact: zero must be within their limits
        return tuple(parts)

    @cached_property
    def _loads(self) -> BoolArray:
        """(units, r) whether a unit loads a joint row."""
        layout = self.assembly.layout
        loads = np.abs(layout.maps[:, 6:]).max(axis=2, initial=0.0) > 0.0  # (k, r)
        return np.logical_or.reduceat(loads, layout.unit_starts[:-1])

    @cached_property
    def free_units(self) -> tuple[range, ...]:
        """The contacts of each unit that loads no joint with a limit."""
        bound = {int(contact) for contacts, _ in self.fingers for contact in contacts}
        return tuple(contacts for contacts in self.assembly.layout.units if contacts[0] not in bound)

    def many(self, directions: Array) -> Supports:
        """The supports along directions (n, 6): force parts without unit, torque parts in [1/m].

        Every direction is searched separately, not from the previous result.
        """
        count, k = len(directions), len(self.assembly)
        blocks = [directions[i : i + BLOCK] for i in range(0, count, BLOCK)]
        if not blocks:
            empty = np.zeros(0)
            return Supports(empty, empty, np.zeros((0, 6)), np.zeros((0, k, 3)), np.zeros((0, k), dtype=np.int64))
        return Supports(*(np.concatenate(arrays) for arrays in zip(*map(self._block, blocks), strict=True)))

    def _block(self, directions: Array) -> Supports:
        assembly, (n, k) = self.assembly, (len(directions), len(self.assembly))
        columns = assembly.wrench_matrix.reshape(6, k, 3)
        turned = -np.einsum("rki,kij->rkj", columns, assembly.rotations).reshape(6, -1)
        gradients = (directions @ turned).reshape(n, k, 3)  # of direction . (-W f), in the contact frames
        # Rounding error of gradients that vanish: directions that rotate about a contact do not move it.
        terms = np.linalg.norm((np.abs(directions) @ np.abs(turned)).reshape(n, k, 3), axis=2)
        values, bounds = np.zeros(n), np.zeros(n)
        local, pieces = np.zeros((n, k, 3)), np.zeros((n, k), dtype=np.int64)
        for contacts in self.free_units:
            self._free(contacts, gradients, terms, (values, bounds, local, pieces))
        for finger in range(len(self.fingers)):
            self._finger(finger, gradients, (values, bounds, local, pieces))
        forces = np.einsum("kij,nkj->nki", assembly.rotations, local)
        points = -forces.reshape(n, -1) @ assembly.wrench_matrix.T
        return Supports(values, bounds, points, forces, pieces)

    def _free(self, contacts: range, gradients: Array, terms: Array, out: tuple[Array, Array, Array, IntArray]) -> None:
        """Adds the best vertices of one unit's best piece to (values, bounds, local forces, pieces)."""
        values, bounds, local, pieces = out
        volumes, every = [self.assembly.contacts[i].volume for i in contacts], np.arange(len(values))
        most = np.zeros((len(volumes[0]), len(every)))  # (pieces, n)
        best: list[list[Array]] = []  # for each contact and piece (n, 3)
        endless = np.zeros(len(every), dtype=bool)
        for i, volume in zip(contacts, volumes, strict=True):
            heights = [gradients[:, i] @ piece.extreme.T for piece in volume.polytopes]
            tops = [along.argmax(axis=1) for along in heights]
            most += [along[every, top] for along, top in zip(heights, tops, strict=True)]
            best.append([piece.extreme[top] for piece, top in zip(volume.polytopes, tops, strict=True)])
            rays = np.concatenate([piece.rays for piece in volume.polytopes])
            if len(rays):
                size = terms[:, i] * np.linalg.norm(rays, axis=1)[:, None]
                endless |= (rays @ gradients[:, i].T > tolerances.RAY_SLOPE * size).any(axis=0)
        chosen = most.argmax(axis=0)
        for i, corners in zip(contacts, best, strict=True):
            local[:, i], pieces[:, i] = np.array(corners)[chosen, every], chosen
        total = np.where(endless, np.inf, most[chosen, every])
        values += total
        bounds += total

    def _finger(self, finger: int, gradients: Array, out: tuple[Array, Array, Array, IntArray]) -> None:
        """Adds the exact support of the contacts that share joints to (values, bounds, local forces, pieces)."""
        values, bounds, local, pieces = out
        contacts = self.fingers[finger][0]
        own = gradients[:, contacts]
        sizes = np.linalg.norm(own, axis=(1, 2))
        largest = np.linalg.norm(gradients, axis=(1, 2))
        idle = sizes <= NO_GRADIENT * largest
        sizes = np.where(idle, 1.0, sizes)
        variants = self._variants[finger]
        n, m = len(own), variants.layout.maps.shape[1]
        maps = np.repeat(variants.layout.maps[None], n, axis=0)
        unit = self._units[finger]
        maps[:, :, 0] = np.where(idle[:, None, None], 0.0, own * (unit / sizes)[:, None, None])
        loads = np.zeros((n, 1, m))
        loads[:, 0, 0] = -unit
        batch = variants.many(self.method, maps, loads, "maximise")
        factors, limits = batch.factors.copy(), batch.bounds.copy()
        found, chosen = batch.forces.copy(), batch.pieces.copy()
        with np.errstate(invalid="ignore"):
            closed = limits - factors <= self.method.gap * np.abs(factors) + variants.layout.rounding_force
        settled = (batch.outcomes == FINISHED) & (batch.residuals <= tolerances.FEASIBILITY) & np.isfinite(factors)
        for row in np.nonzero(~(settled & closed))[0]:
            solution = self.method.maximise(variants.problem(maps[row], loads[row, 0]))
            if solution.status is Status.DOES_NOT_HOLD:
                raise holds_nothing(self.assembly, self.fingers[finger][1])
            factors[row] = np.inf if solution.status is Status.UNBOUNDED else solution.factor
            limits[row] = np.inf if solution.status is Status.UNBOUNDED else solution.bound
            if solution.forces is None or solution.pieces is None:
                factors[row], found[row], chosen[row] = -np.inf, np.nan, -1
            else:
                found[row], chosen[row] = solution.forces, solution.pieces
        values += np.where(idle, 0.0, factors * sizes)
        bounds += np.where(idle, 0.0, np.maximum(factors, limits) * sizes)
        local[:, contacts], pieces[:, contacts] = found, chosen

    @cached_property
    def _units(self) -> tuple[float, ...]:
        """The length of each finger's objective row: at most that of the joint rows of any contact that has some.

        So the scale of one-sided rows, which depends on the longest row, is the same for every direction.
        """
        longest = [np.linalg.norm(v.layout.maps, axis=2).max(axis=1) for v in self._variants]
        return tuple(float(sizes[sizes > 0.0].min()) for sizes in longest)

    @cached_property
    def _variants(self) -> tuple[Variants, ...]:
        """One small program per finger: row 0 is the objective, rows 1 to 5 are not used, the others are its joints."""
        layout, made = self.assembly.layout, []
        for contacts, rows in self.fingers:
            maps = np.zeros((len(contacts), 6 + len(rows), 3))
            maps[:, 6:] = layout.maps[contacts][:, 6 + rows]
            bounds = [np.concatenate([np.zeros(6), side[6 + rows]]) for side in (layout.lower, layout.upper)]
            scale = np.concatenate([np.ones(6), layout.row_scale[6 + rows]])
            units = np.unique(layout.unit_of[contacts], return_inverse=True)[1]
            own = Layout(layout.shapes, layout.shape_of[contacts], maps, bounds[0], bounds[1], scale, units)
            made.append(Variants(own, np.zeros(6 + len(rows))))
        return tuple(made)


def holds_nothing(assembly: Assembly, rows: IntArray) -> InputError:
    """An error with the joint rows for which a hand has no admissible forces."""
    names = () if assembly.joints is None else assembly.joints.names
    said = ", ".join(names[row] if names else f"row {row}" for row in rows.tolist())
    return InputError(
        "no admissible forces keep these joints within their limits, so the hand holds nothing",
        where=f"joints ({said})",
        fix="widen the limits, or check the signs of preloads and gravity torques",
    )


# Large numbers of supports: chunks of directions that any process can compute, with a proof of each point. A chunk
# depends only on the hand, so that results do not depend on the process or on earlier computations.

Progress = Callable[[int, int], None]

#: Directions per chunk: enough to make a cold start cheap, few enough to distribute the work evenly.
BATCH = 128


@dataclass(frozen=True, eq=False)
class SupportTask:
    """The support along a direction (6,) of the wrenches on the body, as JSON; many at once from one start.

    Attributes:
        hand: the hand in its palm frame.
        sign: 1 where the wrenches on the body are those the assembly holds, -1 where they are its contact wrenches.
    """

    hand: Assembly
    sign: float

    #: Number of directions per chunk.
    batch = BATCH

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs; small programs are made again there."""
        return {"hand": self.hand, "sign": self.sign}

    @cached_property
    def supports(self) -> HandSupports:
        """The supports of the hand."""
        return HandSupports.of(self.hand)

    @cached_property
    def key(self) -> str:
        """Hash of everything the results depend on except the direction."""
        method = self.supports.method
        return fingerprint("grip supports", self.hand.fingerprint, self.sign, [method.gap, method.node_limit])

    def __call__(self, direction: Sequence[float]) -> dict[str, Any]:
        """One direction."""
        return self.many([direction])[0]

    def many(self, directions: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
        """Consecutive directions (n, 6), on this thread, from a cold start."""
        found = self.supports.many(self.sign * np.asarray(directions, dtype=np.float64))
        proven = are_proven(self.hand, found)
        rows = np.column_stack([found.values, found.bounds, self.sign * found.points + 0.0])
        return [
            {"support": base64.b64encode(row.astype("<f8").tobytes()).decode("ascii"), "proven": bool(fine)}
            for row, fine in zip(rows, proven, strict=True)
        ]


@dataclass(frozen=True)
class SupportPool:
    """Everything known about a grip: directions y with proven bounds, and held wrenches.

    Attributes:
        directions: (n, 6) y; force parts without unit, torque parts in [1/m].
        values: (n,) largest y . w attained; that of the pool's other points may be larger by rounding.
        bounds: (n,) no wrench of the grip has a larger y . w.
        points: (n, 6) wrenches on the body that are held, each proven.
    """

    directions: Array
    values: Array
    bounds: Array
    points: Array

    def __len__(self) -> int:
        return len(self.values)

    def only(self, rows: Array) -> SupportPool:
        """The rows of a mask or of indices."""
        return SupportPool(self.directions[rows], self.values[rows], self.bounds[rows], self.points[rows])

    def with_more(self, other: SupportPool) -> SupportPool:
        """Both pools, this one first."""
        names = ("directions", "values", "bounds", "points")
        return SupportPool(*(np.concatenate([getattr(self, name), getattr(other, name)]) for name in names))


#: `Asking.ask`, or a replacement in tests.
Ask = Callable[..., SupportPool]


@dataclass(eq=False)
class Asking:
    """Computes directions in sweeps, one per round, each with its own journal.

    Attributes:
        task: computes the supports.
        workers, cluster, journal: as in `sweep`; round i > 0 has the journal's name with the suffix ".i".
        progress: called with (computed directions, planned directions).
        planned: number of planned directions, as far as known.
        rounds, done, dropped: numbers of rounds, of computed directions, and of points without proof.
    """

    task: SupportTask
    workers: int = 1
    cluster: str | None = None
    journal: Path | None = None
    progress: Progress | None = None
    planned: int = 0
    rounds: int = field(default=0, init=False)
    done: int = field(default=0, init=False)
    dropped: int = field(default=0, init=False)

    def ask(self, directions: Array, turned: Array | None = None) -> SupportPool:
        """The supports along directions (n, 6); those whose point could not be proven are left out.

        With `turned` (n, 6), slightly other directions, the points are the furthest ones along those: one of several
        that are equally far, always the same.
        """
        asked = directions if turned is None else np.concatenate([directions, turned])
        journal = self.journal
        if journal is not None and self.rounds:
            journal = journal.with_name(f"{journal.name}.{self.rounds}")
        found = sweep(
            self.task,
            asked.tolist(),
            workers=self.workers,
            cluster=self.cluster,
            journal=journal,
            key=self.task.key,
            progress=self._tell if self.progress is not None else None,
        )
        self.rounds += 1
        self.done += len(asked)
        rows = np.array([np.frombuffer(base64.b64decode(one["support"]), "<f8") for one in found]).reshape(-1, 8)
        proven = np.array([one["proven"] for one in found], dtype=bool)
        values, bounds, points = rows[:, 0], rows[:, 1], rows[:, 2:]
        if turned is not None:
            n = len(directions)
            proven, bounds, points = proven[:n] & proven[n:], bounds[:n], points[n:]
            values = np.einsum("ij,ij->i", directions, points)
        self.dropped += int((~proven).sum())
        return SupportPool(directions, values, bounds, points).only(proven)

    def _tell(self, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(self.done + done, max(self.planned, self.done + total))


def are_proven(hand: Assembly, found: Supports) -> BoolArray:
    """(n,) whether the forces balance their points, meet the joint rows and lie in their pieces; without the solver.

    The contacts of a unit must have one piece.
    """
    n = len(found.values)
    sound = (found.pieces >= 0).all(axis=1) & np.isfinite(found.forces).all(axis=(1, 2))
    if not sound.all():
        result = np.zeros(n, dtype=bool)
        if sound.any():
            result[sound] = are_proven(hand, Supports(*(array[sound] for array in found)))
        return result
    layout = hand.layout
    largest = np.maximum(np.abs(found.forces).max(axis=(1, 2), initial=0.0), ROUNDING_SHARE * layout.smallest_size)
    scale = np.maximum(np.abs(hand.loads(found.points)[:, :6]).max(axis=1, initial=0.0), largest)
    result = balance_residuals(hand, found.forces, found.points) <= SLACK * tolerances.FEASIBILITY * scale
    result &= shares_piece(layout, found.pieces).all(axis=1)
    local = np.einsum("kji,nkj->nki", hand.rotations, found.forces)
    for shape, polytopes in enumerate(layout.shapes):
        own = np.nonzero(layout.shape_of == shape)[0]
        for number, piece in enumerate(polytopes):
            row, at = np.nonzero(found.pieces[:, own] == number)
            if not len(row):
                continue
            forces = local[row, own[at]]
            normals, offsets = piece.halfspaces  # an edge or a plane has opposite ones, a point several
            size = np.maximum(piece.size, np.abs(forces).max(axis=1))
            outside = (forces @ normals.T - offsets).max(axis=1, initial=-np.inf)
            result[row[outside > SLACK * tolerances.MEMBERSHIP * size]] = False
    return result


# Supports of convex hands with unlimited forces: their reach, or the ray along which they are unbounded.
#
# Contacts that load no joint are known in closed form: their vertices, and their rays as wrenches. The contacts of a
# finger whose joints have limits are a small linear program. Its rays are the contacts' own, combined so that the
# joint rows stay within their limits however long the ray: at zero for a row with two limits, on one side for a row
# with one.
#
# A direction on the border of the bounded ones has a ray with slope zero, up to rounding. A slope counts as zero up to
# `tolerances.RAY_SLOPE` of |direction| |ray|, torques scaled by the hand's length. For such a small slope, the finite
# support is that of the direction turned back to the border.

#: Margin by which slopes are turned back beyond the found one, above the tolerance of the linear programs.
TURNED_BACK = 2e-10

#: If a turned direction is still unbounded, it is turned back by this factor more, this many times.
TURNED_MORE, MOST_TURNS = 10.0, 3

#: A force on a ray below this fraction of the largest counts as zero.
NO_SHARE = 1e-11


class HandReach(NamedTuple):
    """The reach of a hand along a direction of the palm frame.

    Attributes:
        value: largest direction . w; inf without a limit.
        point: (6,) a wrench on the body that attains it (any wrench of the hand if unbounded).
        ray: (6,) a direction in which it is unbounded, zero where there is a limit.
    """

    value: float
    point: Array
    ray: Array


@dataclass(frozen=True, eq=False)
class UnlimitedSupports:
    """Supports of a hand with one convex piece per contact, some of them with rays.

    Attributes:
        assembly: the hand.
        transport: (6, 6) from the external wrenches that the assembly holds to wrenches on the body, palm frame.
    """

    assembly: Assembly
    transport: Array

    @cached_property
    def unit(self) -> Array:
        """(6,) divisors that convert wrenches to newtons: torques are divided by the hand's length."""
        return np.repeat([1.0, self.assembly.length], 3)

    @cached_property
    def maps(self) -> Array:
        """(k, 6, 3) forces in the contact frames to wrenches on the body, palm frame."""
        columns = self.assembly.wrench_matrix.reshape(6, len(self.assembly), 3)
        return -np.einsum("ab,bki,kij->kaj", self.transport, columns, self.assembly.rotations)

    @cached_property
    def _parts(self) -> HandSupports:
        return HandSupports.of(self.assembly)

    @cached_property
    def _free(self) -> tuple[tuple[Array, Array], ...]:
        """(vertices, rays) of each contact without a joint, as wrenches; rays of length 1, torques scaled."""
        made = []
        for contact in (i for contacts in self._parts.free_units for i in contacts):
            piece, to_palm = self.assembly.contacts[contact].volume.polytopes[0], self.maps[contact]
            made.append((piece.extreme @ to_palm.T, self._scaled_rays(piece.rays @ to_palm.T)))
        return tuple(made)

    @cached_property
    def _fingers(self) -> tuple[_Finger, ...]:
        return tuple(_finger(self, contacts, rows) for contacts, rows in self._parts.fingers)

    def _scaled_rays(self, rays: Array) -> Array:
        return rays / np.linalg.norm(rays / self.unit, axis=1, keepdims=True)

    @cached_property
    def free_rays(self) -> Array:
        """(m, 6) rays of the contacts without joints: all rays of a hand that has no joint limits."""
        return np.concatenate([np.zeros((0, 6)), *(rays for _, rays in self._free)])

    def reach(self, direction: Array) -> HandReach:
        """The reach of the hand along a direction (6,) of the palm frame."""
        size = float(np.linalg.norm(direction * self.unit)) or 1.0
        way = direction / size
        point, steepest, slope = np.zeros(6), np.zeros(6), tolerances.RAY_SLOPE
        for vertices, rays in self._free:
            point = point + vertices[(vertices @ way).argmax()]
            slopes = rays @ way
            if slopes.max(initial=0.0) > slope:
                slope, steepest = slopes.max(), rays[slopes.argmax()]
        for finger in self._fingers:
            climb, ray = finger.steepest(way)
            if climb > slope:
                slope, steepest = climb, ray
            point = point + (finger.somewhere if climb > tolerances.RAY_SLOPE else finger.furthest(way, climb)[0])
        value = np.inf if steepest.any() else float(point @ direction)
        return HandReach(value, point, steepest)

    def bound(self, direction: Array) -> float:
        """Upper bound of direction . w for all wrenches of the hand (outer), by weights of its joint limits; or inf."""
        size = float(np.linalg.norm(direction * self.unit)) or 1.0
        way = direction / size
        total = 0.0
        for vertices, rays in self._free:
            if (rays @ way).max(initial=0.0) > tolerances.RAY_SLOPE:
                return np.inf
            total += (vertices @ direction).max()
        for finger in self._fingers:
            climb, _ = finger.steepest(way)
            if climb > tolerances.RAY_SLOPE:
                return np.inf
            total += size * finger.bound(way, finger.furthest(way, climb)[1])
        return float(total)


@dataclass(frozen=True, eq=False)
class _Finger:
    """Contacts that share joints, as columns of a linear program scaled to numbers near one.

    Attributes:
        assembly: the hand, for messages.
        rows: the joint rows.
        contact: (v,) which of the finger's contacts each vertex belongs to.
        vertices, rays: (v, 6), (m, 6) wrenches on the body, palm frame.
        vertex_loads, ray_loads: (v, r), (m, r) their values in the joint rows.
        lower, upper: (r,) limits.
        force: [N] divisor of the wrenches and loads.
    """

    assembly: Assembly
    rows: IntArray
    contact: IntArray
    vertices: Array
    rays: Array
    vertex_loads: Array
    ray_loads: Array
    lower: Array
    upper: Array
    force: float

    def steepest(self, way: Array) -> tuple[float, Array]:
        """(slope, ray (6,)) of the steepest ray within the joint limits along a unit direction; 0 if none increases."""
        from ..solvers.highs import LinearProgram, Outcome

        if (self.rays @ way).max(initial=0.0) <= 0.0:
            return 0.0, np.zeros(6)
        low, high = np.where(np.isfinite(self.lower), 0.0, -np.inf), np.where(np.isfinite(self.upper), 0.0, np.inf)
        program = LinearProgram(np.concatenate([[0.0, 0.0], low]), np.concatenate([[0.0, 1.0], high]))
        ones = np.ones((len(self.rays), 1))
        program.add_columns(np.concatenate([(self.rays @ way)[:, None], ones, self.ray_loads], axis=1).T)
        program.add_columns(_objective(2 + len(low)), gain=1.0, lower=-np.inf)
        if program.solve() is not Outcome.OPTIMAL:
            raise _lost()
        shares = program.values[:-1]
        shares = np.where(shares > NO_SHARE * shares.max(initial=0.0), shares, 0.0)
        ray = shares @ self.rays
        return max(float(ray @ way), 0.0), ray

    def furthest(self, way: Array, climb: float) -> tuple[Array, Array]:
        """(point (6,), weights (r,) of the joint rows) at the furthest reach of the finger, with no steeper ray."""
        from ..solvers.highs import LinearProgram, Outcome

        back = climb + TURNED_BACK
        for _ in range(MOST_TURNS):
            contacts = int(self.contact.max()) + 1
            ones, sides = np.ones(contacts), (self.lower, self.upper)
            program = LinearProgram(*(np.concatenate([[0.0], ones, side]) for side in sides))
            own = (self.contact == np.arange(contacts)[:, None]).astype(np.float64)
            program.add_columns(np.concatenate([(self.vertices @ way)[None], own, self.vertex_loads.T]))
            if len(self.rays):
                none = np.zeros((contacts, len(self.rays)))
                slopes = self.rays @ way - back
                program.add_columns(np.concatenate([slopes[None], none, self.ray_loads.T]))
            program.add_columns(_objective(1 + contacts + len(self.lower)), gain=1.0, lower=-np.inf)
            outcome = program.solve()
            if outcome is Outcome.INFEASIBLE:
                raise holds_nothing(self.assembly, self.rows)
            if outcome is Outcome.OPTIMAL:
                shares = np.maximum(program.values[:-1], 0.0)
                point = self.force * (shares @ np.concatenate([self.vertices, self.rays]))
                return point, -program.row_duals[1 + contacts :]
            back *= TURNED_MORE
        raise _lost()

    @cached_property
    def somewhere(self) -> Array:
        """(6,) a wrench of the finger."""
        return self.furthest(np.zeros(6), 0.0)[0]

    def bound(self, way: Array, weights: Array) -> float:
        """Upper bound for a unit direction by these weights of the joint rows; valid for any weights (outer)."""
        w = np.where(weights > 0.0, np.where(np.isfinite(self.upper), weights, 0.0), weights)
        w = np.where(w < 0.0, np.where(np.isfinite(self.lower), w, 0.0), w)
        size = 1.0 + np.abs(self.ray_loads) @ np.abs(w)
        if ((self.rays @ way - self.ray_loads @ w) > 2.0 * tolerances.RAY_SLOPE * size).any():
            return np.inf
        gains = self.vertices @ way - self.vertex_loads @ w
        best = sum(gains[self.contact == i].max() for i in range(int(self.contact.max()) + 1))
        limits = np.where(w > 0.0, self.upper, np.where(w < 0.0, self.lower, 0.0))
        return float(self.force * (best + w @ limits))


def _finger(hand: UnlimitedSupports, contacts: IntArray, rows: IntArray) -> _Finger:
    """The finger of some contacts and joint rows."""
    layout = hand.assembly.layout
    unit, lower, upper = hand.unit, layout.lower[6 + rows], layout.upper[6 + rows]
    levers = layout.maps[contacts][:, 6 + rows]  # (c, r, 3)
    scale = np.linalg.norm(levers, axis=2).max(axis=0)  # (r,) what a newton does at most
    pieces = [hand.assembly.contacts[contact].volume.polytopes[0] for contact in contacts]
    limits = np.abs(np.concatenate([lower / scale, upper / scale]))
    smallest = limits[np.isfinite(limits) & (limits > 0.0)].min(initial=np.inf)
    force = max(
        max(float(np.abs(piece.extreme).max(initial=0.0)) for piece in pieces),
        float(smallest) if np.isfinite(smallest) else 0.0,
    )
    force = force or 1.0
    corners = [piece.extreme / force for piece in pieces]
    vertices = [v @ hand.maps[c].T for v, c in zip(corners, contacts, strict=True)]
    rays = [piece.rays @ hand.maps[c].T for piece, c in zip(pieces, contacts, strict=True)]
    lengths = [np.linalg.norm(r / unit, axis=1, keepdims=True) for r in rays]
    vertex_loads = [v @ (lever / scale[:, None]).T for v, lever in zip(corners, levers, strict=True)]
    ray_loads = [p.rays @ (lever / scale[:, None]).T for p, lever in zip(pieces, levers, strict=True)]
    return _Finger(
        hand.assembly,
        rows,
        np.repeat(np.arange(len(pieces)), [len(v) for v in vertices]),
        np.concatenate(vertices),
        np.concatenate([r / size for r, size in zip(rays, lengths, strict=True)]),
        np.concatenate(vertex_loads),
        np.concatenate([r / size for r, size in zip(ray_loads, lengths, strict=True)]),
        lower / (scale * force),
        upper / (scale * force),
        force,
    )


def _objective(rows: int) -> Array:
    """The column of the objective: minus one in the first row."""
    column = np.zeros((rows, 1))
    column[0] = -1.0
    return column


def _lost() -> SolverError:
    return SolverError("a hand's linear program is unbounded", where="LazyGrip", fix="check volumes and joint limits")
