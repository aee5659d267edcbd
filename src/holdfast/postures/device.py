"""Many postures at once on a GPU, or on the CPU with the same kernels: verdicts, margins and regions with proofs.

The kernels are NVIDIA Warp's (`device_kernels`), the extra `gpu`. Arrays of other packages (PyTorch, JAX, CuPy, Warp)
are exchanged by DLPack and stay on the device. Every verdict is proven in double precision on the device. Postures that
are not proven there are computed by the CPU's method, or stay undecided, by the argument `undecided`. There is no other
fallback: a missing device is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.loads import STANDARD_GRAVITY
from ..checks import Array, BoolArray, IntArray
from ..errors import InputError, missing_extra
from ..geometry.frames import transports
from ..geometry.halfspaces import generators
from ..grips import Grip, GripBounds, OuterGrip
from ..results import Result, proof
from ..solvers import Status
from .hands import AnyGrip, LazyGrip, are_rigid
from .region import RegionFrame

if TYPE_CHECKING:
    from .solver import PostureAnswers

#: Largest number of evaluations of a search, in single and in double precision.
EVALUATIONS = 64, 400

#: Largest number of pivots of a margin, in single and in double precision.
PIVOTS = 100, 400

#: Relative rounding error of a sum of products in double precision, with respect to its terms.
ROUNDING = 64.0 * tolerances.EPSILON

#: Slope of a unit ray along unit separating multipliers that counts as zero.
FLAT = 0.1 * tolerances.RAY_SLOPE

#: Relative tolerance of balances, with respect to the largest wrench.
BALANCE = tolerances.ROUNDING

#: Registers of a thread on a GPU, and of a multiprocessor. With fewer, more threads run, but all are slower.
REGISTERS, ALL_REGISTERS = 255, 65536

#: Threads of a block on a GPU.
BLOCK = 128

#: Largest number of hands of the same grip for which each vertex is read once: they share a thread's registers.
MOST_ALIKE = 8

#: Rows of a table that the kernels read at once.
TOGETHER = 4

#: Whether the kernels' loops over atoms are unrolled on a GPU.
UNROLLED = True

#: Outer sets with more vertices are left to the CPU.
MOST_VERTICES = 200_000

#: Number of rays from a first point of a region, for its middle, where the requested rays start.
FIRST_RAYS = 4

#: Treatment of postures that the device leaves undecided: the CPU's method computes them, or they stay undecided.
Undecided = Literal["cpu", "leave"]

_STATUS = {0: Status.UNDECIDED, 1: Status.HOLDS, 2: Status.DOES_NOT_HOLD, 3: Status.UNBOUNDED, 5: Status.UNDECIDED}

#: Status of a posture that the inner sets do not hold and the outer sets hold: both are proven.
BETWEEN = 5


def warp_device(name: str) -> tuple[ModuleType, Any]:
    """(Warp, its device "cpu", "cuda" or "cuda:N"); an error that names what is missing."""
    checks.instance("device", name, str, fix='give "cuda", "cuda:1" or "cpu"')
    try:
        import warp as wp
    except ImportError:
        raise missing_extra("warp-lang", "gpu", purpose=f'device="{name}" (batches of postures)') from None
    level = wp.config.log_level
    wp.config.log_level = wp.LOG_ERROR  # a missing driver is reported below
    wp.init()
    wp.config.log_level = wp.LOG_WARNING if level == wp.LOG_INFO else level  # not every kernel that is loaded
    known = [str(device) for device in wp.get_devices()]
    if name.split(":")[0] == "cuda" and not any(one.startswith("cuda") for one in known):
        fix = 'install the NVIDIA driver (nvidia-smi lists GPUs), or give device="cpu" for the same kernels on the CPU'
        raise InputError("there is no CUDA device: no GPU, or no NVIDIA driver", where="device", fix=fix)
    wanted = "cuda:0" if name == "cuda" and "cuda:0" in known else name
    if wanted not in known:
        raise InputError(f"is {name!r}", where="device", fix=f"give one of {', '.join(known)}")
    return wp, wp.get_device(wanted)


@dataclass(frozen=True, eq=False)
class DeviceTables:
    """Vertices and rays of k hands as arrays on a device, divided by the unit of force.

    Attributes:
        vertices, rays: in double precision; `single` are the same in single precision.
        groups: the vertices in single precision, component by component for `TOGETHER` of them.
        tables: (k, 5) first and last row of the vertices and of the rays of each hand, and the most rays of a hand.
        largest: (k, 6) the largest size of each component of a hand's vertices.
        unit: [N] divisor of vertices; 0 if all hands are cones, where it is the size of each load.
    """

    vertices: Any
    rays: Any
    single: tuple[Any, Any]
    groups: Any
    tables: Any
    largest: Any
    unit: float
    sets: tuple[tuple[Array, Array], ...]

    @staticmethod
    def of(wp: ModuleType, device: Any, sets: Sequence[tuple[Array, Array]], lengths: Sequence[float]) -> DeviceTables:
        """The tables of one set (vertices, rays) per hand; sets that are the same object share their rows."""
        unit = len(sets) * max(float(np.abs(vertices[:, :3]).max()) for vertices, _ in sets)
        torque = max(float(np.abs(v[:, 3:]).max()) / length for (v, _), length in zip(sets, lengths, strict=True))
        unit = max(unit, len(sets) * torque)
        rows: list[Array] = []
        ray_rows: list[Array] = [np.zeros((0, 6))]
        places: dict[int, tuple[int, int, int, int]] = {}

        def filled(table: Array) -> Array:
            """The table with copies of the last row, so that the kernels can read several rows at once."""
            return np.concatenate([table, np.repeat(table[-1:], -len(table) % TOGETHER, axis=0)])

        for (vertices, rays), length in zip(sets, lengths, strict=True):
            if id(vertices) in places:
                continue
            first, ray_first = sum(map(len, rows)), sum(map(len, ray_rows))
            rows.append(filled(vertices / (unit or 1.0)))
            sizes = np.linalg.norm(rays / np.repeat([1.0, length], 3), axis=1, keepdims=True)
            ray_rows.append(filled(rays / np.where(sizes > 0.0, sizes, 1.0)))
            places[id(vertices)] = (first, first + len(vertices), ray_first, ray_first + len(rays))
        most = max(1, *(len(rays) for _, rays in sets))
        table = np.array([(*places[id(vertices)], most) for vertices, _ in sets], dtype=np.int32)
        largest = np.array([np.abs(vertices).max(axis=0) / (unit or 1.0) for vertices, _ in sets])
        stacked, all_rays = np.concatenate(rows), np.concatenate([*ray_rows, np.zeros((1, 6))])

        def put(values: Array, dtype: Any) -> Any:
            return wp.array(np.ascontiguousarray(values), dtype=dtype, device=device)

        vectors = [wp.types.vector(length=6, dtype=kind) for kind in (wp.float64, wp.float32)]
        doubles, singles = ((put(stacked, kind), put(all_rays, kind)) for kind in vectors)
        groups = put(stacked.reshape(-1, TOGETHER, 6).transpose(0, 2, 1).ravel(), wp.float32)
        return DeviceTables(
            *doubles, singles, groups, put(table, wp.int32), put(largest, wp.float64), unit, tuple(sets)
        )

    def priced(self, real: Any) -> tuple[Any, Any]:
        """(vertices, rays) in a precision."""
        return (self.vertices, self.rays) if real.__name__ == "float64" else self.single

    @cached_property
    def alike(self) -> bool:
        """Whether there are several hands with the same vertices."""
        first, count = self.sets[0][0], len(self.sets)
        return 1 < count <= MOST_ALIKE and len(first) > 1 and all(vertices is first for vertices, _ in self.sets)

    @property
    def has_rays(self) -> bool:
        """Whether any hand is unbounded."""
        return any(len(rays) for _, rays in self.sets)


def _set_of(grip: AnyGrip, where: str) -> tuple[Array, Array]:
    """(vertices (n, 6), rays (m, 6)) of a grip with one side."""
    if isinstance(grip, Grip):
        return grip.vertices, grip.rays
    if isinstance(grip, LazyGrip):
        fix = "learn it first (hf.learn_grip), or leave device out"
        raise InputError("is a lazy grip, which has no vertices", where=where, fix=fix)
    assert isinstance(grip, OuterGrip)
    normals, offsets = grip.unit_planes
    found = generators(normals, offsets)
    if found.is_empty:
        raise InputError("is empty", where=where, fix="give an outer set that contains a wrench")
    if len(found.vertices) > MOST_VERTICES:
        what = f"has {len(found.vertices)} vertices, more than {MOST_VERTICES}"
        raise InputError(what, where=where, fix="give fewer half-spaces, or leave device out")
    return found.vertices * grip.unit, found.all_rays * grip.unit


@dataclass(frozen=True, eq=False)
class _Found:
    """Arrays of one run on the device."""

    status: Any
    multipliers: Any
    kinds: Any
    atoms: Any
    weights: Any


@dataclass(frozen=True, eq=False)
class DeviceAnswers(Result):
    """Verdicts about m postures of k hands, with their proofs, in arrays on the device (each has `__dlpack__`).

    Attributes:
        solver: the solver.
        poses: (m, k, 4, 4) palm frames to world.
        loads: (m, 6) external wrenches on the body, torques about the world origin.
        status: (m,) int8: 0 undecided, 1 holds, 2 does not hold, 4 bad input (a pose that is not rigid, a number that
            is not finite), 5 between the inner and the outer sets.
        multipliers: (m, 6) where it does not hold, y with y . b < -y . w for all wrenches b of the hands; else 0.
        kinds: (m, 7) what each atom is: 0 none, 1 a sum of one vertex per hand, 3 + hand * rays + ray for a ray.
        atoms: (m, 7, k) numbers of the vertices of atoms.
        weights: (m, 7) weights of the atoms where it holds: the wrench of the hands is their weighted sum.
        referred: (r,) numbers of the postures that the CPU's method decided.
        by_cpu: their results, or None.
    """

    solver: DeviceSolver
    poses: Any
    loads: Any
    status: Any
    multipliers: Any
    kinds: Any
    atoms: Any
    weights: Any
    referred: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    by_cpu: PostureAnswers | None = None

    def __len__(self) -> int:
        return self.loads.shape[0]

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {name}" for name, count in self.to_dict()["counts"].items() if count)
        return f"DeviceAnswers({counts or 'none'}, {self.solver.device})"

    @cached_property
    def _codes(self) -> IntArray:
        return self.status.numpy().astype(np.int64)

    @property
    def holds(self) -> BoolArray:
        """(m,) whether each posture was shown to hold its load; copied from the device."""
        return self._codes == 1

    @property
    def statuses(self) -> Array:
        """(m,) of Status; copied from the device. Bad input is an InputError."""
        codes = self._codes
        if (codes == 4).any():
            row = int((codes == 4).argmax())
            what, fix = "is not rigid, or its load is not finite", "give orthonormal rotations and finite numbers"
            raise InputError(what, where=f"poses[{row}]", fix=fix)
        result = np.empty(len(codes), dtype=object)
        result[:] = [_STATUS[code] for code in codes.tolist()]
        return result

    def to_dict(self) -> dict[str, Any]:
        """How many postures hold, do not hold, lie between inner and outer sets, or are undecided."""
        names = {"hold": 1, "do not hold": 2, "between": BETWEEN, "undecided": 0, "bad input": 4}
        counts = {name: int((self._codes == code).sum()) for name, code in names.items()}
        return {
            "postures": len(self),
            "device": str(self.solver.device),
            "counts": counts,
            "by_cpu": len(self.referred),
        }

    def wrenches(self) -> Array:
        """(m, k, 6) wrench of each hand on the body, palm frames [N, N m]; nan where it does not hold; on the host."""
        kinds, atoms, weights = self.kinds.numpy(), self.atoms.numpy(), self.weights.numpy()
        m, k = len(self), self.solver.hands
        result = np.full((m, k, 6), np.nan)
        held = np.nonzero(self.holds)[0]
        result[held] = 0.0
        most = max(1, *(len(rays) for _, rays in self.solver.sets))
        for hand, (vertices, rays) in enumerate(self.solver.sets):
            for slot in range(7):
                points = held[kinds[held, slot] == 1]
                result[points, hand] += weights[points, slot, None] * vertices[atoms[points, slot, hand]]
                own = held[(kinds[held, slot] >= 3) & ((kinds[held, slot] - 3) // most == hand)]
                if len(own):
                    sizes = np.linalg.norm(rays / np.repeat([1.0, self.solver.lengths[hand]], 3), axis=1, keepdims=True)
                    unit = (rays / sizes)[(kinds[own, slot] - 3) % most]
                    result[own, hand] += weights[own, slot, None] * unit
        if self.by_cpu is not None:
            result[self.referred] = self.by_cpu.wrenches
        return result

    @proof
    def verify(self) -> bool:
        """Whether every verdict is proven: on the host, from all vertices and rays, without the device's numbers.

        Wrenches of the hands are in their sets by the weights, and balance the load; multipliers separate. Postures
        that the CPU decided are verified by its own proofs. Undecided ones prove nothing.
        """
        codes, weights, kinds = self._codes, self.weights.numpy(), self.kinds.numpy()
        own = np.ones(len(self), dtype=bool)
        own[self.referred] = False
        if self.by_cpu is not None and not self.by_cpu.verify():
            return False
        referred = [_STATUS.get(code) for code in codes[self.referred].tolist()]
        if referred and (self.by_cpu is None or self.by_cpu.status.tolist() != referred):
            return False
        poses, loads = self.poses.numpy(), self.loads.numpy()
        held, apart = np.nonzero(own & (codes == 1))[0], np.nonzero(own & (codes == 2))[0]
        if (len(held) or len(apart)) and not are_rigid(poses[np.union1d(held, apart)]):
            return False
        if len(held):
            points = np.where(kinds[held] == 1, weights[held], 0.0)
            if not ((weights[held] >= 0.0).all() and np.abs(points.sum(axis=1) - 1.0).max() <= tolerances.FEASIBILITY):
                return False
            if not self._balance(poses[held], loads[held], self.wrenches()[held]).max() <= tolerances.FEASIBILITY:
                return False
        return not len(apart) or self._are_apart(poses[apart], loads[apart], self.multipliers.numpy()[apart])

    def _balance(self, poses: Array, loads: Array, wrenches: Array) -> Array:
        """(n,) error of the balance, relative to the largest wrench in it; torques about the palms' mean."""
        world = np.einsum("nkij,nkj->nki", transports(poses[..., :3, :3], poses[..., :3, 3]), wrenches)
        centre = poses[..., :3, 3].mean(axis=1)
        arms = poses[..., :3, 3] - centre[:, None]
        length = np.maximum(np.sqrt((arms**2).sum(axis=2).mean(axis=1)), self.solver.least)

        def size(wrench: Array) -> Array:
            torque = wrench[:, 3:] - np.cross(centre, wrench[:, :3])
            return np.maximum(np.abs(wrench[:, :3]).max(axis=1), np.abs(torque).max(axis=1) / length)

        parts = [size(loads), *(size(world[:, hand]) for hand in range(world.shape[1]))]
        return size(world.sum(axis=1) + loads) / np.maximum(np.max(parts, axis=0), tolerances.SMALLEST_FORCE)

    def _are_apart(self, poses: Array, loads: Array, multipliers: Array) -> bool:
        """Whether y . b < -y . w for all wrenches b of the hands, and no ray increases along y.

        Torques are about the palms' mean. A slope counts if it is beyond the rounding of the terms in its sum.
        """
        centre, multipliers, loads = poses[..., :3, 3].mean(axis=1), multipliers.copy(), loads.copy()
        multipliers[:, :3] -= np.cross(centre, multipliers[:, 3:])
        loads[:, 3:] -= np.cross(centre, loads[:, :3])
        maps = transports(poses[..., :3, :3], poses[..., :3, 3] - centre[:, None])
        total, size = np.zeros(len(loads)), np.abs(multipliers * loads).sum(axis=1)
        outer = self.solver.outer_sets if self.solver.has_bounds else self.solver.sets
        for hand, (vertices, rays) in enumerate(outer):
            asked = np.einsum("ni,nij->nj", multipliers, maps[:, hand])
            values = asked @ vertices.T
            total += values.max(axis=1)
            size += np.abs(asked) @ np.abs(vertices).max(axis=0)
            if len(rays):
                unit = np.repeat([1.0, self.solver.lengths[hand]], 3)
                terms = np.einsum("ni,nij->nj", np.abs(multipliers), np.abs(maps[:, hand]))
                slopes = asked @ rays.T / np.linalg.norm(rays / unit, axis=1)
                if not (slopes <= tolerances.RAY_SLOPE * np.linalg.norm(terms * unit, axis=1)[:, None]).all():
                    return False
        return bool((-(multipliers * loads).sum(axis=1) - total > tolerances.EPSILON * size).all())


@dataclass(frozen=True, eq=False)
class DeviceMargins(Result):
    """The largest multiple of a direction that m postures hold in addition to their loads, in arrays on the device.

    Attributes:
        solver: the solver.
        poses, loads, directions: the questions.
        status: (m,) int8: 0 undecided, 1 found, 2 the load itself is not held, 3 no limit, 4 bad input.
        values: (m,) the largest s with w + s d held (inner), where it was found; inf without a limit.
        bounds: (m,) no larger s is held (outer); within `tolerances.GAP` of the values.
        multipliers: (m, 6) y with y . d = -1 that proves the bound; also the derivative of s with respect to w.
        kinds, atoms, weights: wrenches of the hands at s, as in `DeviceAnswers`; kind 2 is s itself.
        by_pose: (m, k, 6) derivatives of s with respect to shifts [1/m] of the palms, and to turns [1/rad] about their
            origins, both along world axes; None if not requested. One-sided where forces are not unique.
    """

    solver: DeviceSolver
    poses: Any
    loads: Any
    directions: Any
    status: Any
    values: Any
    bounds: Any
    multipliers: Any
    kinds: Any
    atoms: Any
    weights: Any
    by_pose: Any = None

    def __len__(self) -> int:
        return self.loads.shape[0]

    def __repr__(self) -> str:
        return f"DeviceMargins({len(self)} postures, {self.solver.device})"

    def to_dict(self) -> dict[str, Any]:
        """Status and value of each posture."""
        codes = self.status.numpy().tolist()
        names = ["undecided", "optimal", "does not hold", "unbounded", "bad input"]
        data = {"values": self.values.numpy(), "upper_bounds": self.bounds.numpy()}
        return {"device": str(self.solver.device), "status": [names[code] for code in codes]} | data

    def with_cpu(self) -> DeviceMargins:
        """The same, with undecided values computed by the CPU's method; without derivatives."""
        from .hands import checked_hands
        from .margins import margin_of

        codes = self.status.numpy()
        rows = np.nonzero(codes == 0)[0]
        if not len(rows):
            return self
        wp, device = self.solver._wp, self.solver.device
        poses, loads, ways = self.poses.numpy(), self.loads.numpy(), self.directions.numpy()
        values, bounds, multipliers = self.values.numpy(), self.bounds.numpy(), self.multipliers.numpy()
        for row in rows:
            hands = checked_hands(list(self.solver.grips), list(poses[row])).sided("inner")
            found = margin_of(hands, loads[row], ways[row])
            codes[row] = {Status.OPTIMAL: 1, Status.UNBOUNDED: 3, Status.DOES_NOT_HOLD: 2}.get(found.status, 0)
            values[row], bounds[row] = found.value, found.upper_bound
            if found.certificate is not None:
                multipliers[row] = found.certificate.multipliers
        sent = {"status": (codes, wp.int8), "values": (values, wp.float64), "bounds": (bounds, wp.float64)}
        sent["multipliers"] = (multipliers, wp.float64)
        return replace(self, **{name: wp.array(a, dtype=t, device=device) for name, (a, t) in sent.items()})


@dataclass(frozen=True, eq=False)
class DeviceRegions(Result):
    """Support regions of m postures as polygons with n corners, in arrays on the device.

    Attributes:
        solver: the solver.
        poses: (m, k, 4, 4) palm frames to world.
        frame: coordinates of the centre of mass in the plane across gravity [m], as in `support_region`.
        kind: (m,) int8: 0 undecided, 1 polygon, 2 empty (proven), 3 unbounded along a ray, 4 bad input.
        points: (m, n, 2) corners on the border [m], in order (inner: their hull is held).
        normals, offsets: (m, n, 2), (m, n): half-planes normals . c <= offsets that contain the region (outer).
        areas: (m,) [m^2] of the inner polygons.
    """

    solver: DeviceSolver
    poses: Any
    frame: RegionFrame
    kind: Any
    points: Any
    normals: Any
    offsets: Any
    areas: Any

    def __len__(self) -> int:
        return self.poses.shape[0]

    def __repr__(self) -> str:
        return f"DeviceRegions({len(self)} postures, {self.points.shape[1]} rays, {self.solver.device})"

    def to_dict(self) -> dict[str, Any]:
        """Kind and area of each region."""
        names = ["undecided", "polygon", "empty", "unbounded", "bad input"]
        kinds = [names[code] for code in self.kind.numpy().tolist()]
        return {"device": str(self.solver.device), "kind": kinds, "areas": self.areas.numpy()}


class DeviceSolver:
    """Solves many postures of the same hands on one device; tables are sent there once.

    Args:
        grips: one per hand: `Grip`, `OuterGrip` or `GripBounds`. Lazy grips have no vertices.
        device: "cuda", "cuda:1", ..., or "cpu": the same kernels on one core.
    """

    def __init__(self, grips: Sequence[AnyGrip], device: str) -> None:
        self._wp, self.device = warp_device(device)
        self.grips = tuple(grips)
        self.has_bounds = any(isinstance(grip, GripBounds) for grip in self.grips)
        self.lengths = tuple(float(grip.length) for grip in self.grips)
        self.least = max(self.lengths)
        made: dict[int, tuple[Array, Array]] = {}

        def sets(side: str) -> tuple[tuple[Array, Array], ...]:
            chosen = [getattr(grip, side) if isinstance(grip, GripBounds) else grip for grip in self.grips]
            for index, grip in enumerate(chosen):
                if id(grip) not in made:
                    made[id(grip)] = _set_of(grip, f"grips[{index}]")
            return tuple(made[id(grip)] for grip in chosen)

        self.sets = sets("inner")
        self.outer_sets = sets("outer") if self.has_bounds else self.sets
        self._tables = DeviceTables.of(self._wp, self.device, self.sets, self.lengths)
        self._outer = (
            DeviceTables.of(self._wp, self.device, self.outer_sets, self.lengths) if self.has_bounds else self._tables
        )

    def __repr__(self) -> str:
        return f"DeviceSolver({self.hands} hands, {self.device})"

    def __reduce__(self) -> tuple[Any, ...]:
        """What another process needs to make the same solver; its tables are sent to the device again."""
        return type(self), (self.grips, str(self.device))

    @property
    def hands(self) -> int:
        """Number of hands."""
        return len(self.grips)

    # -- arrays -----------------------------------------------------------------------------------

    def array(self, name: str, value: Any, shape: tuple[int | str, ...]) -> Any:
        """`value` as a contiguous array of doubles on the device.

        Arrays on this device are used without a copy (by DLPack), numpy arrays and lists are copied to it. Arrays on
        another device are an error.
        """
        wp = self._wp
        if isinstance(value, wp.array):
            given = value
        elif not isinstance(value, np.ndarray) and hasattr(value, "__dlpack__"):
            given = wp.from_dlpack(value)
        else:
            given = wp.array(checks.array(name, value, shape), dtype=wp.float64, device=self.device)
        if given.device != self.device:
            fix = f"move it to {self.device} first"
            raise InputError(f"is on {given.device}, the solver on {self.device}", where=name, fix=fix)
        fits = len(given.shape) == len(shape) and all(
            isinstance(want, str) or have == want for have, want in zip(given.shape, shape, strict=False)
        )
        if not fits:
            words = ", ".join(map(str, shape))
            raise InputError(f"has shape {tuple(given.shape)}", where=name, fix=f"the shape must be ({words})")
        if given.dtype is not wp.float64:
            if given.dtype is not wp.float32:
                raise InputError(f"has the type {given.dtype}", where=name, fix="give floating-point numbers")
            cast = wp.empty(given.shape, dtype=wp.float64, device=self.device)
            wp.utils.array_cast(in_array=given.contiguous(), out_array=cast)
            given = cast
        return given.contiguous()

    def _poses(self, poses: Any) -> Any:
        return self.array("poses", poses, ("m", self.hands, 4, 4))

    def _matrices(self, poses: Any) -> Any:
        """(m, k) the same memory as matrices (4, 4), as the kernels read it."""
        shape = poses.shape[:2]
        return self._wp.array(ptr=poses.ptr, dtype=self._wp.mat44d, shape=shape, device=self.device, copy=False)

    def _wrenches(self, name: str, value: Any, count: int) -> Any:
        """(count, 6) from such an array, or from one (6,) for all."""
        shape = getattr(value, "shape", None)
        if (len(shape) if shape is not None else np.ndim(value)) == 1:
            one = self.array(name, value, (6,))
            tiled = self._wp.empty((count, 6), dtype=self._wp.float64, device=self.device)
            self._wp.copy(tiled.flatten(), self._wp.array(np.tile(one.numpy(), count), device=self.device))
            return tiled
        return self.array(name, value, (count, 6))

    def _new(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return self._wp.zeros(shape, dtype=dtype, device=self.device)

    def _launch(self, kernel: Any, count: int | tuple[int, int], inputs: list[Any]) -> None:
        self._wp.launch(kernel, dim=count, inputs=inputs, device=self.device, block_dim=BLOCK)

    @property
    def _is_gpu(self) -> bool:
        return bool(self.device.is_cuda)

    @property
    def _unrolled(self) -> bool:
        return self._is_gpu and UNROLLED

    @property
    def _precisions(self) -> tuple[Any, ...]:
        """Single precision first, then double: on every device, so that the CPU runs the same as a GPU."""
        return self._wp.float32, self._wp.float64

    # -- verdicts ---------------------------------------------------------------------------------

    def many(self, poses: Any, wrenches: Any, *, undecided: Undecided = "cpu") -> DeviceAnswers:
        """Whether each of m postures holds its load.

        Args:
            poses: (m, k, 4, 4) palm frames to world; on the device, or numbers that are copied to it.
            wrenches: (m, 6) external wrenches on the body about the world origin, or one (6,) for all.
            undecided: "cpu": postures without proof are computed by the CPU's method; "leave": they stay
                undecided, and the call does not wait for the device.
        """
        _checked(undecided)
        placed = self._poses(poses)
        m = placed.shape[0]
        loads = self._wrenches("wrenches", wrenches, m)
        found = self._search(self._tables, placed, loads)
        if self.has_bounds:
            found = self._between(found, self._search(self._outer, placed, loads))
        answers = DeviceAnswers(self, placed, loads, **vars(found))
        return answers if undecided == "leave" else self._refer(answers)

    def margins(
        self, poses: Any, wrenches: Any, directions: Any, *, gradients: bool = False, undecided: Undecided = "cpu"
    ) -> DeviceMargins:
        """The largest s with w + s d held, for each of m postures that hold w; for bounds, by the inner sets.

        Args:
            poses, undecided: as in `many`.
            wrenches: (m, 6) w, or one (6,) for all.
            directions: (m, 6) d, not zero, or one (6,) for all.
            gradients: also the derivatives with respect to the palms' poses.
        """
        _checked(undecided)
        placed = self._poses(poses)
        m = placed.shape[0]
        loads, ways = self._wrenches("wrenches", wrenches, m), self._wrenches("directions", directions, m)
        start = self._search(self._tables, placed, loads)
        found = self._climb(placed, loads, ways, start, 1, gradients=gradients)
        margins = DeviceMargins(self, placed, loads, ways, **found)
        return margins if undecided == "leave" else margins.with_cpu()

    def regions(
        self,
        poses: Any,
        mass: float,
        *,
        gravity: ArrayLike = (0.0, 0.0, -STANDARD_GRAVITY),
        rays: int = 16,
    ) -> DeviceRegions:
        """Support regions of m postures: polygons from inside and from outside.

        Rays start at the middle of a first polygon. Each meets the border of the region in a corner (inner, proven by
        wrenches of the hands), with a half-plane that contains the region (outer, proven by multipliers).

        Args:
            poses: as in `many`.
            mass: [kg] of the body.
            gravity: (3,) [m/s^2] in the world.
            rays: number of rays, at least 3, evenly distributed.
        """
        from . import device_kernels as kernels

        placed, wp, n = self._poses(poses), self._wp, checks.count("rays", rays, low=3)
        frame = RegionFrame.across(gravity)
        weight = checks.positive("mass", mass, unit="kg") * checks.vector("gravity", gravity, 3)
        m = placed.shape[0]
        vectors = [kernels.vec3(*map(float, row)) for row in (weight, *frame.axes)]
        centres, loads = self._new((m, 3), wp.float64), self._new((m, 6), wp.float64)
        lines = self._new((m, 2, 6), wp.float64)
        self._launch(kernels.weigh, m, [self._matrices(placed), *vectors, centres, loads, lines])
        start = self._search(self._tables, placed, loads, lines)
        self._launch(kernels.shift, m, [*vectors, start.kinds, start.weights, centres])
        *_, middles = self._fan(placed, vectors, centres, start, FIRST_RAYS)
        wp.copy(centres, middles)
        self._launch(kernels.fan, m, [*vectors, 1, centres, loads, self._new((m, 6), wp.float64)])
        start = self._between_starts(start, self._search(self._tables, placed, loads))
        *found, _ = self._fan(placed, vectors, centres, start, n)
        return DeviceRegions(self, placed, frame, *found)

    def _fan(self, poses: Any, vectors: list[Any], centres: Any, start: _Found, count: int) -> tuple[Any, ...]:
        """(kind, points, normals, offsets, areas, middles) by rays in all directions from held centres of mass."""
        from . import device_kernels as kernels

        wp, m = self._wp, poses.shape[0]
        loads, ways = self._new((m * count, 6), wp.float64), self._new((m * count, 6), wp.float64)
        kind, points, normals = self._new((m,), wp.int8), *(self._new((m, count, 2), wp.float64) for _ in range(2))
        outputs = [kind, points, normals, *(self._new(shape, wp.float64) for shape in ((m, count), (m,), (m, 3)))]
        self._launch(kernels.fan, m * count, [*vectors, count, centres, loads, ways])
        found = self._climb(poses, loads, ways, start, count)
        answers = [found[name] for name in ("status", "values", "bounds", "multipliers")]
        inputs = [vectors[1], vectors[2], vectors[0], count, centres, start.status]
        self._launch(kernels.outline, m, [*inputs, *answers, *outputs])
        return tuple(outputs)

    def _between_starts(self, first: _Found, second: _Found) -> _Found:
        """The second start; where the region was shown to be empty, the status of the first one."""
        from .device_kernels import keep_apart

        self._launch(keep_apart, first.status.shape[0], [first.status, second.status])
        return second

    def _climb(
        self, poses: Any, loads: Any, ways: Any, start: _Found, per_posture: int, *, gradients: bool = False
    ) -> dict[str, Any]:
        """Arrays of `DeviceMargins` for (m per_posture) questions, from atoms that hold each posture's load."""
        from .device_kernels import copy_unlimited

        wp, tables, n = self._wp, self._tables, loads.shape[0]
        found = self._blank(n)
        values, bounds = self._new((n,), wp.float64), self._new((n,), wp.float64)
        by_pose = self._new((n if gradients else 0, self.hands, 6), wp.float64)
        if tables.has_rays and n:  # without limit where the rays hold the direction
            growth = self._search(self._cones, poses, ways, per_posture=per_posture)
            self._launch(copy_unlimited, n, [growth.status, start.status, per_posture, found.status, values, bounds])
        hands, asked = self._hands(tables), self._questions(poses, loads, per_posture=per_posture)
        given, claims, lists = self._claims(start), self._claims(found), self._lists(n)
        prove = self._kernels(tables, wp.float64)[3]
        self._prepare(hands, asked, poses, found.status, single=False)
        for turn, (real, most) in enumerate(zip(self._precisions, PIVOTS, strict=True)):
            if not n:
                break
            lists.turn, priced = turn, tables.priced(real)
            picks = self._picks(n)
            inputs = [hands, asked, ways, given, *priced, most, picks, lists, claims]
            self._launch(self._kernels(tables, real)[1], picks.shape[1], inputs)
            limits = [BALANCE, ROUNDING, FLAT, tolerances.GAP]
            self._launch(
                prove, n, [hands, asked, ways, tables.vertices, *limits, lists, claims, values, bounds, by_pose]
            )
        return vars(found) | {"values": values, "bounds": bounds, "by_pose": by_pose if gradients else None}

    @cached_property
    def _cones(self) -> DeviceTables:
        """Only the hands' rays."""
        made: dict[int, tuple[Array, Array]] = {}
        for vertices, rays in self.sets:
            made.setdefault(id(vertices), (np.zeros((1, 6)), rays))
        sets = [made[id(vertices)] for vertices, _ in self.sets]
        return DeviceTables.of(self._wp, self.device, sets, self.lengths)

    def _search(
        self, tables: DeviceTables, poses: Any, loads: Any, lines: Any = None, *, per_posture: int = 1
    ) -> _Found:
        from .device_kernels import proof

        m = loads.shape[0]
        found = self._blank(m)
        if not m:
            return found
        hands, asked = self._hands(tables), self._questions(poses, loads, lines, per_posture=per_posture)
        claims, lists, prove_held = self._claims(found), self._lists(m), proof(self._unrolled)
        placed = self._prepare(hands, asked, poses, found.status)
        for turn, (real, most) in enumerate(zip(self._precisions, EVALUATIONS, strict=True)):
            search, _, prove_apart, _ = self._kernels(tables, real)
            lists.turn, priced = turn, tables.priced(real)
            picks = self._picks(m)
            self._launch(search, picks.shape[1], [hands, asked, *priced, most, *placed, picks, lists, claims])
            self._launch(prove_held, m, [hands, asked, BALANCE, lists, claims])
            self._launch(prove_apart, m, [hands, asked, priced[0], ROUNDING, FLAT, lists, claims])
        return found

    def _blank(self, m: int) -> _Found:
        """Arrays for the results of m questions, all undecided."""
        wp = self._wp
        return _Found(
            self._new((m,), wp.int8),
            self._new((m, 6), wp.float64),
            self._new((m, 7), wp.int32),
            self._new((m, 7, self.hands), wp.int32),
            self._new((m, 7), wp.float64),
        )

    def _kernels(self, tables: DeviceTables, real: Any) -> tuple[Any, Any, Any, Any]:
        """(search, climb, prove_apart, prove_margin)."""
        from .device_kernels import searches

        return searches(real, self._unrolled, self.hands, tables.alike, REGISTERS)

    def _hands(self, tables: DeviceTables) -> Any:
        from .device_kernels import HandArrays

        hands = HandArrays()
        hands.vertices, hands.groups, hands.rays, hands.tables = (
            tables.vertices,
            tables.groups,
            tables.rays,
            tables.tables,
        )
        hands.largest, hands.unit, hands.least = tables.largest, tables.unit, self.least
        return hands

    def _questions(self, poses: Any, loads: Any, lines: Any = None, *, per_posture: int) -> Any:
        from .device_kernels import QuestionArrays, vec4

        wp, asked = self._wp, QuestionArrays()
        asked.poses, asked.loads, asked.per_posture = self._matrices(poses), loads, per_posture
        asked.lines = self._new((loads.shape[0], 0, 6), wp.float64) if lines is None else lines
        asked.centres = wp.empty(poses.shape[0], dtype=vec4, device=self.device)
        return asked

    def _claims(self, found: _Found | DeviceAnswers) -> Any:
        from .device_kernels import Claims

        claims = Claims()
        for name in ("status", "multipliers", "kinds", "atoms", "weights"):
            setattr(claims, name, getattr(found, name))
        return claims

    def _lists(self, m: int) -> Any:
        """Lists of held and separated questions, and of those left by each run."""
        from .device_kernels import LEFT, Lists

        wp, lists, runs = self._wp, Lists(), len(self._precisions)
        lists.rows = wp.empty((LEFT + runs, m), dtype=wp.int32, device=self.device)
        lists.counts = self._new((runs, LEFT + 1), wp.int32)
        return lists

    def _prepare(self, hands: Any, asked: Any, poses: Any, status: Any, *, single: bool = True) -> tuple[Any, Any]:
        """(palm frames, loads) in single precision, one row per posture and per question; centres, bad input."""
        from .device_kernels import place, prepare

        wp, m = self._wp, status.shape[0]
        shape = (asked.centres.shape[0] if single else 0, 12 * self.hands + 1)
        placed = wp.empty(shape, dtype=wp.float32, device=self.device)
        aims = wp.empty((m if single else 0, 6), dtype=wp.float32, device=self.device)
        if m:
            self._launch(prepare, m, [hands, asked, status, aims])
            self._launch(place, shape, [poses, asked.centres, placed])
        return placed, aims

    def _picks(self, count: int) -> Any:
        """Picked vertices with a column per thread; as many threads as run at a time."""
        threads = 1
        if self._is_gpu:
            threads = min(count, self.device.sm_count * (ALL_REGISTERS // REGISTERS // BLOCK * BLOCK))
        return self._wp.empty((self.hands, threads), dtype=self._wp.int32, device=self.device)

    def _between(self, inner: _Found, outer: _Found) -> _Found:
        """The verdict of inner and outer sets together: held by the inner, separated by the outer, or between them."""
        from .device_kernels import join

        self._launch(join, inner.status.shape[0], [inner.status, inner.multipliers, outer.status, outer.multipliers])
        return inner

    def _refer(self, answers: DeviceAnswers) -> DeviceAnswers:
        """The same, with undecided postures computed by the CPU's method."""
        from .solver import posture_many

        codes = answers.status.numpy()
        rows = np.nonzero(codes == 0)[0]
        if not len(rows):
            return answers
        poses, loads = answers.poses.numpy()[rows], answers.loads.numpy()[rows]
        by_cpu = posture_many(list(self.grips), poses, loads)
        codes = codes.copy()
        codes[rows[by_cpu.status == Status.HOLDS]] = 1
        codes[rows[by_cpu.status == Status.DOES_NOT_HOLD]] = 2
        multipliers = answers.multipliers.numpy()
        multipliers[rows] = by_cpu.multipliers
        wp = self._wp
        return replace(
            answers,
            status=wp.array(codes, dtype=wp.int8, device=self.device),
            multipliers=wp.array(multipliers, dtype=wp.float64, device=self.device),
            referred=rows,
            by_cpu=by_cpu,
        )


def _checked(undecided: str) -> None:
    if undecided not in ("cpu", "leave"):
        raise InputError(f"is {undecided!r}", where="undecided", fix='give "cpu" or "leave"')
