"""An independent referee of Coulomb motions and strong stability: NumPy and HiGHS, nothing of Holdfast but the input.

- `faults`: one motion substituted into the law;
- `enumerated`: all combinations of contact modes, one linear program each. A contact separates, sticks, or slides with
  its direction in an arc and the friction force in a hull around the opposite arc, so that no motion is lost. Arcs are
  halved where a program has a solution, and an exact motion is looked for from there;
- `by_binaries`: the same modes as one mixed-integer program.

A contact's force is f = f' - pull n, f' in the cone {f'_n >= 0, f'_t in f'_n D}, D an ellipse with semi-axes `mu` and
`mu_lateral` or a polygon. Accelerations are whitened, x = L^T a with M = L L^T, and in units of the free one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import LinearConstraint, least_squares, linprog, milp

import holdfast as hf

#: Largest x0 . x, in units of |x0|^2, of a mode without a motion of its own; at least |x|^2, so |x| <= 1e-3.
STILL = 1e-6

#: Largest fault of an exact motion, as a share of the forces and accelerations at hand.
EXACT = 1e-8

#: Motions slower than this share of the free acceleration are not told from rest.
SLOW = 4e-3

#: Arcs are not halved below this width [rad].
NARROWEST = 2.0 * np.pi / 2**13

#: Corners of the polygons between which the circle of a cone at rest lies.
ROUND = 128


@dataclass(frozen=True)
class Law:
    """What one contact does: semi-axes of D or its corners (m, 2) in order, pull [N], largest normal force [N]."""

    mu: float = 0.5
    mu_lateral: float | None = None
    pull: float = 0.0
    cap: float = np.inf
    corners: np.ndarray | None = None

    @property
    def axes(self) -> np.ndarray:
        """(2,) semi-axes of the ellipse."""
        return np.array([self.mu, self.mu if self.mu_lateral is None else self.mu_lateral])

    @property
    def round(self) -> bool:
        """Whether D is an ellipse with an inside."""
        return self.corners is None and bool(self.axes.all())

    def gauge(self, t: np.ndarray) -> float:
        """Least s with t in s D, forces along an axis of length zero left out."""
        if self.corners is None:
            axes = self.axes
            return float(np.linalg.norm(t[axes > 0.0] / axes[axes > 0.0]))
        nxt = np.roll(self.corners, -1, axis=0)
        normals = np.column_stack([nxt[:, 1] - self.corners[:, 1], self.corners[:, 0] - nxt[:, 0]])
        return float(max(0.0, ((normals @ t) / np.einsum("ij,ij->i", normals, self.corners)).max()))

    def support(self, t: np.ndarray) -> float:
        """Largest d . t of d in D."""
        if self.corners is None:
            return float(np.linalg.norm(self.axes * t))
        return float((self.corners @ t).max())

    def volume(self, facets: int = 16) -> hf.ForceVolume:
        """The ready model with this law, or the cone over the corners."""
        cap = None if np.isinf(self.cap) else self.cap
        if self.corners is not None:
            rays = np.column_stack([self.corners, np.ones(len(self.corners))])
            apex = np.array([[0.0, 0.0, -self.pull]])
            if cap is None:
                return hf.ForceVolume([apex], [rays])
            return hf.ForceVolume([np.vstack([apex, apex + rays * (cap + self.pull)])])
        if self.pull:
            return hf.models.magnet(self.pull, self.mu, cap=cap, facets=facets)
        return hf.models.coulomb(self.mu, mu_lateral=self.mu_lateral, cap=cap, facets=facets)


@dataclass(frozen=True)
class Case:
    """One question: contacts with their laws, a load and a mass matrix about the world origin, a velocity."""

    assembly: hf.Assembly
    laws: tuple[Law, ...]
    load: np.ndarray
    mass: np.ndarray
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(6))

    @property
    def question(self) -> tuple[hf.Assembly, np.ndarray, np.ndarray]:
        """Arguments of the library."""
        return self.assembly, self.load, self.mass


def built(
    places: Any,
    frames: Sequence[Any],
    laws: Sequence[Law],
    load: Any,
    mass: np.ndarray,
    *,
    joints: hf.JointRows | None = None,
    velocity: Any = None,
    facets: int = 16,
) -> Case:
    """A case of contacts at `places` (k, 3); frames are rotations (3, 3), or normals (3,) with any tangents."""
    contacts = []
    for place, frame, law in zip(places, frames, laws, strict=True):
        turn = np.asarray(frame, dtype=float)
        turn = hf.frame_from_normal(turn) if turn.ndim == 1 else turn
        contacts.append(hf.Contact(np.asarray(place, dtype=float), turn, law.volume(facets)))
    still = np.zeros(6) if velocity is None else np.asarray(velocity, dtype=float)
    return Case(hf.Assembly(contacts, joints), tuple(laws), np.asarray(load, dtype=float), mass, still)


# -- the equations of motion, from positions, frames and the mass matrix alone ----------------------------------


class Equations:
    """M a + bias = load + W f and a_i = W_i^T a + bias_i - J_i theta'', in contact frames and whitened.

    Attributes:
        x0: (6,) whitened free acceleration in units of `size`; the pulls of all contacts count as load.
        pushes: (6, 3k) x = x0 + pushes p, with forces f' = unit p.
        drift: (3k,) contact accelerations c = pushes^T x + drift - joints^T theta, in units of size times `weight`.
        joints: (r, 3k) values J f' of the joint rows of unit p, in units of `torque`; low, high: their bounds.
    """

    def __init__(self, case: Case) -> None:
        assembly, k = case.assembly, len(case.assembly)
        self.case, self.k = case, k
        self.turns = np.array([c.rotation for c in assembly.contacts])
        self.places = np.array([c.position for c in assembly.contacts])
        self.matrix = np.hstack(
            [np.vstack([r, np.cross(p, r.T).T]) for r, p in zip(self.turns, self.places, strict=True)]
        )
        self.apex = np.zeros(3 * k)
        self.apex[2::3] = [-law.pull for law in case.laws]
        spin = case.velocity[3:]
        first = case.mass[3:, :3]  # m [c]
        moment = np.array([first[2, 1], first[0, 2], first[1, 0]])  # m c
        self.bias = np.concatenate([np.cross(spin, np.cross(spin, moment)), np.cross(spin, case.mass[3:, 3:] @ spin)])
        turning = np.cross(spin, np.cross(spin, self.places))
        self.turning = np.einsum("kij,ki->kj", self.turns, turning).ravel()
        self.speeds = (self.matrix.T @ case.velocity).reshape(k, 3)
        self.lower = np.linalg.cholesky(case.mass)
        raw = np.linalg.solve(self.lower, self.matrix)
        self.weight = float(np.linalg.norm(raw, axis=0).max())
        free = np.linalg.solve(self.lower, case.load + self.matrix @ self.apex - self.bias)
        parts = [case.load, *(self.matrix * self.apex).T, self.bias]
        if np.linalg.norm(free) <= 1e-13 * sum(np.linalg.norm(np.linalg.solve(self.lower, part)) for part in parts):
            free = np.zeros(6)  # rounding
        rows = assembly.joints
        blocks = np.zeros((0, k, 3)) if rows is None else np.asarray(rows.jacobian).reshape(-1, k, 3)
        local = np.einsum("rki,kij->rkj", blocks, self.turns).reshape(-1, 3 * k)
        low = np.zeros(0) if rows is None else rows.lower - local @ self.apex
        high = np.zeros(0) if rows is None else rows.upper - local @ self.apex
        self.arm = np.linalg.norm(local, axis=1)
        driven = [abs(b) / a for b, a in zip([*low, *high], [*self.arm] * 2, strict=True) if np.isfinite(b)]
        turned = np.abs(self.turning).max() / self.weight
        self.size = float(max([np.linalg.norm(free), turned, *(self.weight * np.array(driven))])) or 1.0
        self.x0 = free / self.size
        self.unit = self.size / self.weight
        self.pushes = raw / self.weight
        self.drift = self.turning / (self.size * self.weight)
        self.joints = local / self.arm[:, None] if len(local) else local
        self.low, self.high = low / (self.arm * self.unit), high / (self.arm * self.unit)

    def motion(self, p: np.ndarray, theta: np.ndarray) -> Answer:
        """The motion with scaled forces p (3k,) and joint accelerations theta (r,)."""
        x = self.x0 + self.pushes @ p
        a = np.linalg.solve(self.lower.T, self.size * x)
        local = (self.unit * p + self.apex).reshape(-1, 3)
        return Answer(a, np.einsum("kij,kj->ki", self.turns, local), theta * self.size * self.weight / self.arm)

    def accelerations(self, p: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """(k, 3) scaled contact accelerations."""
        return (self.pushes.T @ (self.x0 + self.pushes @ p) + self.drift - self.joints.T @ theta).reshape(-1, 3)


@dataclass(frozen=True)
class Answer:
    """Acceleration (6,), world forces (k, 3) and joint accelerations (r,) of one motion."""

    acceleration: np.ndarray
    forces: np.ndarray
    joint_accelerations: np.ndarray = field(default_factory=lambda: np.zeros(0))
    modes: str = ""


def faults(case: Case, motion: Any) -> dict[str, float]:
    """By how much a motion violates each part of the law, as shares of the largest force and acceleration at hand.

    `motion` has `acceleration`, `forces` and `joint_accelerations`. Errors of direction count linearly. Accelerations
    are compared with the largest one of a contact, and at least 1e-4 of the free one.
    """
    e = Equations(case)
    a, forces = np.asarray(motion.acceleration), np.asarray(motion.forces)
    theta = np.asarray(motion.joint_accelerations, dtype=float).reshape(-1)
    f = np.einsum("kij,ki->kj", e.turns, forces).ravel()
    push = float(max(e.unit, np.abs(f - e.apex).max()))
    unbalanced = np.linalg.solve(e.lower, case.mass @ a + e.bias - case.load - e.matrix @ f)
    rows = e.joints * e.arm[:, None]
    c = (e.matrix.T @ a + e.turning - rows.T @ theta).reshape(-1, 3)
    fast = float(max(0.025 * SLOW * e.size * e.weight, np.abs(c).max()))
    worst = dict.fromkeys(("balance", "cone", "penetration", "complementarity", "friction", "joints"), 0.0)

    def see(name: str, value: float) -> None:
        worst[name] = max(worst[name], float(value))

    see("balance", np.abs(unbalanced).max() / (push * e.weight))
    tolerance = 1e-9 * max(1e-300, np.abs(e.matrix.T).max() * np.abs(case.velocity).max())
    for law, g, acceleration, speed in zip(case.laws, (f - e.apex).reshape(-1, 3), c, e.speeds, strict=True):
        n, t = g[2] / push, g[:2] / push
        see("cone", -n)
        see("cone", (g[2] - law.pull - law.cap) / push)
        size = float(np.linalg.norm(t))
        see("cone", (law.gauge(t) - n) * (law.support(t / size) if size else 0.0))
        if law.corners is None:
            see("cone", np.abs(t[law.axes == 0.0]).max(initial=0.0))
        if speed[2] > tolerance:  # open already
            see("complementarity", n)
            continue
        a_n = acceleration[2] / fast
        see("penetration", -a_n)
        see("complementarity", min(n, a_n))
        slips = np.abs(speed[:2]).max() > tolerance
        way = speed[:2] / np.linalg.norm(speed[:2]) if slips else acceleration[:2] / fast
        reach = law.support(-way)
        if law.corners is None:
            stretch = law.axes**2 * way
            see("friction", np.abs(t * reach + n * stretch).max() / max(law.axes.max(), 1e-300) if reach else 0.0)
        else:
            see("friction", t @ way + n * reach)
    for value, low, high, speed, arm in zip(
        rows @ f, *((case.assembly.joints.lower, case.assembly.joints.upper) if len(rows) else ((), ())), theta, e.arm,
        strict=True,
    ):  # fmt: skip
        see("joints", (low - value) / (push * arm))
        see("joints", (value - high) / (push * arm))
        s = speed * arm / fast
        see("joints", min(s, (value - low) / (push * arm)))
        see("joints", min(-s, (high - value) / (push * arm)))
    return worst


def obeys(case: Case, motion: Any, tolerance: float = EXACT) -> bool:
    """Whether a motion obeys the law within the tolerance."""
    return max(faults(case, motion).values()) <= tolerance


# -- modes ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mode:
    """What a contact or joint does, as rows on its scaled acceleration and generators of its scaled force.

    Attributes:
        letter: S separates, F sticks (fixed), T slides or touches without friction, O open; of a joint 0, + or -.
        rays: (m, 3) generators of f'.
        equal, above: rows (., 3) with row . c = 0 and row . c >= 0.
        arc: (centre, half width) of the scaled slip direction; None where it cannot be halved.
    """

    letter: str
    rays: np.ndarray
    equal: np.ndarray
    above: np.ndarray
    arc: tuple[float, float] | None = None


_NONE = np.zeros((0, 3))
_NORMAL = np.array([[0.0, 0.0, 1.0]])


def sliding(law: Law, centre: float, half: float) -> Mode:
    """Slip with S c_t in the arc, S = diag(axes), and the force -S d, d in a hull around the arc."""
    axes = law.axes
    angles = np.array([centre - half, centre, centre + half])
    round_ = np.column_stack([np.cos(angles), np.sin(angles)]) * np.array([[1.0], [1.0 / np.cos(half)], [1.0]])
    rays = np.column_stack([-round_ * axes, np.ones(3)])
    low, high = angles[0], angles[2]
    scale = axes / axes.max()
    above = np.array([[-np.sin(low), np.cos(low)], [np.sin(high), -np.cos(high)]]) * scale
    return Mode("T", rays, _NORMAL, np.column_stack([above, np.zeros(2)]), (centre, half))


def contact_modes(law: Law, speed: np.ndarray, arcs: int, still: float) -> list[Mode]:
    """All modes of one contact; `speed` (3,) is its velocity in its frame, zero below `still`."""
    if speed[2] > still:
        return [Mode("O", _NONE, _NONE, _NONE)]
    separates = Mode("S", _NONE, _NONE, _NORMAL)
    if np.abs(speed[:2]).max() > still:
        return [separates, Mode("T", _along(law, speed[:2]), _NORMAL, _NONE)]
    if law.corners is not None:
        return [separates, *_polygon_modes(law.corners)]
    if not law.axes.any():
        return [separates, Mode("T", _NORMAL, _NORMAL, _NONE)]
    assert law.round, "an ellipse without an inside has no arcs"
    angles = 2.0 * np.pi * (np.arange(16) + 0.5) / 16
    outer = np.column_stack([np.cos(angles), np.sin(angles)]) * law.axes / np.cos(np.pi / 16)
    sticks = Mode("F", np.column_stack([outer, np.ones(16)]), np.eye(3), _NONE)
    width = 2.0 * np.pi / arcs
    return [separates, sticks, *(sliding(law, (i + 0.5) * width, 0.5 * width) for i in range(arcs))]


def _along(law: Law, way: np.ndarray) -> np.ndarray:
    """(m, 3) forces of a contact that slips along `way`, per normal force."""
    if law.corners is not None:
        worth = law.corners @ way
        best = law.corners[worth <= worth.min() + 1e-9 * np.abs(worth).max()]
        return np.column_stack([best, np.ones(len(best))])
    reach = law.support(way)
    t = -(law.axes**2) * way / reach if reach else np.zeros(2)
    return np.array([[*t, 1.0]])


def _polygon_modes(corners: np.ndarray) -> list[Mode]:
    """Stick, the normal cone of each corner with the force there, and the normal of each side with a force on it."""
    m = len(corners)
    tall = np.column_stack([corners, np.ones(m)])
    modes = [Mode("F", tall, np.eye(3), _NONE)]
    sides = np.roll(corners, -1, axis=0) - corners
    for i in range(m):  # the force at corner i is best where c_t . (other corner - corner i) >= 0 for both neighbours
        above = np.column_stack([np.array([sides[i], -sides[i - 1]]), np.zeros(2)])
        modes.append(Mode("T", tall[[i]], _NORMAL, above))
        inwards = np.array([-sides[i][1], sides[i][0], 0.0])
        inwards *= 1.0 if inwards[:2] @ (corners[(i + 2) % m] - corners[i]) > 0.0 else -1.0
        modes.append(Mode("T", tall[[i, (i + 1) % m]], np.array([[*sides[i], 0.0], *_NORMAL]), inwards[None]))
    return modes


def joint_modes(low: float, high: float) -> list[tuple[str, float, float, float, float]]:
    """(letter, least and largest value, least and largest theta'') of each mode of a joint row."""
    if low == high:
        return [("+", low, high, -np.inf, np.inf)]
    modes = [("0", low, high, 0.0, 0.0)]
    modes += [("+", low, low, 0.0, np.inf)] if np.isfinite(low) else []
    modes += [("-", high, high, -np.inf, 0.0)] if np.isfinite(high) else []
    return modes


def solved(cost: Any, below: Any, below_to: Any, equal: Any, equal_to: Any, bounds: Any) -> Any:
    """An optimum (status 0) or a proof that there is none (status 2) of a program for `linprog`, by HiGHS.

    Where the solver gives up, it is asked again without presolve; then for the least s by which all rows must give
    way, with which the program is solved or, above 1e-7, impossible.
    """
    program = cost, below, below_to, equal, equal_to, bounds
    for presolve in (True, False):
        options = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9, "presolve": presolve}
        found = linprog(*program, method="highs-ds", options=options)
        if found.status in (0, 2):
            return found
    count = len(cost)
    empty = np.zeros((0, count))
    below, below_to = (empty, []) if below is None else (below, below_to)
    equal, equal_to = (empty, []) if equal is None else (equal, equal_to)
    rows, right = np.vstack([below, equal, -equal]), np.concatenate([below_to, equal_to, np.negative(equal_to)])
    slack = np.hstack([rows, -np.ones((len(rows), 1))])
    least = linprog(np.eye(count + 1)[-1], slack, right, bounds=[*bounds, (0.0, None)])
    assert least.status == 0, least.message
    if least.fun > 1e-7:
        return replace_status(least, 2)
    found = linprog(cost, rows, right + least.fun + 1e-7, bounds=bounds)
    assert found.status == 0, found.message
    return found


def replace_status(found: Any, status: int) -> Any:
    """The same result with another status."""
    found.status = status
    return found


# -- one linear program for a combination of modes -----------------------------------------------------------


class Programs:
    """Linear programs over the motions of combinations of modes of one case."""

    #: Accelerations are looked for within this many units of the free one where the law gives no bound.
    BOX = 1e3

    def __init__(self, case: Case, arcs: int = 4) -> None:
        self.e = Equations(case)
        e = self.e
        still = 1e-9 * float(np.abs(e.speeds).max(initial=0.0))
        self.impact = bool((e.speeds[:, 2] < -still).any()) and bool(case.velocity.any())
        self.modes = [contact_modes(law, v, arcs, still) for law, v in zip(case.laws, e.speeds, strict=True)]
        self.joint_modes = [joint_modes(lo, hi) for lo, hi in zip(e.low, e.high, strict=True)]
        self.bounded = not len(e.joints) and not case.velocity.any()
        self.solved = 0

    def combinations(self) -> Iterator[tuple[tuple[Mode, ...], tuple[Any, ...]]]:
        """All combinations of modes of the contacts and the joints."""
        for modes in itertools.product(*self.modes):
            for joints in itertools.product(*self.joint_modes):
                yield modes, joints

    def largest(self, modes: Sequence[Mode], joints: Sequence[Any], objective: np.ndarray) -> Any:
        """(value, p (3k,), theta (r,)) with the largest objective . (x, theta); None where nothing is possible."""
        e = self.e
        r, k = len(e.joints), e.k
        blocks = [np.zeros((3 * k, len(m.rays))) for m in modes]
        for i, m in enumerate(modes):
            blocks[i][3 * i : 3 * i + 3] = m.rays.T
        force = np.hstack([*blocks, np.zeros((3 * k, r))])  # p of the unknowns (weights, theta)
        theta = np.hstack([np.zeros((r, force.shape[1] - r)), np.eye(r)])
        x = e.pushes @ force
        c, c0 = e.pushes.T @ x - e.joints.T @ theta, e.pushes.T @ e.x0 + e.drift
        equal, above, equal_to, above_to = [], [], [], []
        for i, m in enumerate(modes):
            part = slice(3 * i, 3 * i + 3)
            equal.append(m.equal @ c[part])
            equal_to.append(-m.equal @ c0[part])
            above.append(-m.above @ c[part])
            above_to.append(m.above @ c0[part])
            cap = e.case.laws[i].cap
            if np.isfinite(cap) and len(m.rays):
                above.append(force[[3 * i + 2]])
                above_to.append([(cap + e.case.laws[i].pull) / e.unit])
        for row, (_, low, high, _, _) in zip(e.joints, joints, strict=True):
            if low == high:
                equal.append((row @ force)[None])
                equal_to.append([low])
                continue
            for sign, bound in ((1.0, high), (-1.0, -low)):
                if np.isfinite(bound):
                    above.append((sign * row @ force)[None])
                    above_to.append([bound])
        box = 1.0 if self.bounded else self.BOX
        above += [x, -x]
        above_to += [box - e.x0, box + e.x0]
        bounds = [(0.0, None)] * (force.shape[1] - r) + [(max(j[3], -1e3 * box), min(j[4], 1e3 * box)) for j in joints]
        self.solved += 1
        if not force.shape[1]:
            fits = (np.concatenate(above_to) >= -1e-9).all() and (np.abs(np.concatenate(equal_to)) <= 1e-9).all()
            return (float(objective[:6] @ e.x0), np.zeros(3 * k), np.zeros(r)) if fits else None
        cost = -(objective[:6] @ x + objective[6:] @ theta)
        given = bool(sum(map(len, equal_to)))
        found = solved(
            cost,
            np.vstack(above),
            np.concatenate(above_to),
            np.vstack(equal) if given else None,
            np.concatenate(equal_to) if given else None,
            bounds,
        )
        if found.status == 2:
            return None
        return float(objective[:6] @ e.x0 - found.fun), force @ found.x, found.x[force.shape[1] - r :]

    def objectives(self) -> Iterator[np.ndarray]:
        """What is maximised to find a motion other than rest: x0 . x where it bounds |x|^2, else every coordinate."""
        r = len(self.e.joints)
        rows = [self.e.x0] if self.bounded else np.vstack([np.eye(6), -np.eye(6)])
        yield from (np.concatenate([row, np.zeros(r)]) for row in rows)

    def range_of(self, modes: Sequence[Mode], joints: Sequence[Any]) -> tuple[np.ndarray, np.ndarray] | None:
        """(6,) least and largest acceleration, coordinate by coordinate, of one combination; None where it has none."""
        back = np.linalg.inv(self.e.lower.T) * self.e.size
        low, high = [], []
        for row in back:
            found = [
                self.largest(modes, joints, s * np.concatenate([row, np.zeros(len(self.e.joints))])) for s in (-1, 1)
            ]
            if found[0] is None or found[1] is None:
                return None
            low.append(-found[0][0])
            high.append(found[1][0])
        return np.array(low), np.array(high)

    def exact(self, modes: Sequence[Mode], joints: Sequence[Any], p: np.ndarray, theta: np.ndarray) -> Answer | None:
        """A motion that obeys the law, by least squares on its equations from a solution of a program; None without."""
        e, case = self.e, self.e.case
        k = e.k

        def residuals(z: np.ndarray) -> np.ndarray:
            q, s = z[: 3 * k], z[3 * k :]
            c = e.accelerations(q, s)
            parts = []
            for i, m in enumerate(modes):
                g, law = q[3 * i : 3 * i + 3], case.laws[i]
                if m.letter in "SO":
                    parts.append(g)
                elif m.letter == "F":
                    parts.append(c[i])
                elif m.arc is not None:
                    way = law.axes * c[i, :2]
                    reach = np.sqrt(way @ way + 1e-300)
                    parts.append(np.array([*(g[:2] * reach + g[2] * law.axes * way), c[i, 2]]))
                else:  # generators span the force; the rows the acceleration
                    span = np.linalg.svd(m.rays)[2][np.linalg.matrix_rank(m.rays) :] if len(m.rays) else np.eye(3)
                    parts += [span @ g, m.equal @ c[i]]
            for row, s_j, (_, low, _, least, most) in zip(e.joints, s, joints, strict=True):
                parts.append(np.array([s_j if least == most else row @ q - low]))
            return np.concatenate(parts)

        start = np.concatenate([p, theta])
        solution = least_squares(residuals, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale=1.0, max_nfev=200)
        q, s = solution.x[: 3 * k].copy(), solution.x[3 * k :]
        for i, m in enumerate(modes):
            if m.letter in "SO":
                q[3 * i : 3 * i + 3] = 0.0
        answer = replace(e.motion(q, s), modes=letters(modes, joints))
        return answer if obeys(case, answer) else None


def letters(modes: Sequence[Mode], joints: Sequence[Any]) -> str:
    """One letter per contact and joint."""
    return "".join(m.letter for m in modes) + "".join(j[0] for j in joints)


# -- all combinations --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Enumerated:
    """What all combinations of modes come to.

    Attributes:
        rest: whether rest is possible; None between the polygons inside and around the circles.
        others: exact motions other than rest, one per combination of letters at least.
        unclear: combinations that have a motion in arcs of the least width, but no exact one was found.
        programs: linear programs solved.
    """

    rest: bool | None
    others: tuple[Answer, ...]
    unclear: tuple[str, ...]
    programs: int

    @cached_property
    def verdict(self) -> str | None:
        """As the library words it; None where it is not clear."""
        if self.rest is None or (self.unclear and not self.others):
            return None
        if self.rest:
            return "may stay" if self.others else "stays"
        return "moves" if self.others else "inconsistent"


def can_rest(case: Case) -> bool | None:
    """Whether forces in the cones balance the load: by polygons inside and around D; None where these differ."""
    e = Equations(case)
    found = []
    for scale in (1.0, 1.0 / np.cos(np.pi / ROUND)):
        blocks = []
        angles = 2.0 * np.pi * np.arange(ROUND) / ROUND
        circle = scale * np.column_stack([np.cos(angles), np.sin(angles)])
        for i, law in enumerate(case.laws):
            corners = circle * law.axes if law.corners is None else law.corners
            corners = np.zeros((1, 2)) if not corners.any() else corners
            block = np.zeros((3 * e.k, len(corners)))
            block[3 * i : 3 * i + 3] = np.column_stack([corners, np.ones(len(corners))]).T
            blocks.append(block)
        force = np.hstack(blocks)
        above, above_to = [], []
        for i, law in enumerate(case.laws):
            if np.isfinite(law.cap):
                above.append(force[3 * i + 2])
                above_to.append((law.cap + law.pull) / e.unit)
        for row, low, high in zip(e.joints, e.low, e.high, strict=True):
            for sign, bound in ((1.0, high), (-1.0, -low)):
                if np.isfinite(bound):
                    above.append(sign * row @ force)
                    above_to.append(bound)
        rows, right = (np.array(above), np.array(above_to)) if above else (None, None)
        count = force.shape[1]
        found.append(solved(np.zeros(count), rows, right, e.pushes @ force, -e.x0, [(0.0, None)] * count).status == 0)
    return found[0] if found[0] == found[1] else None


def enumerated(case: Case, arcs: int = 4, *, every: bool = False, narrowest: float = NARROWEST) -> Enumerated:
    """All combinations of modes; motions other than rest, by halving arcs and a least-squares solution from there.

    `every` looks for an exact motion in each combination of letters; otherwise the first one is enough.
    """
    programs = Programs(case, arcs)
    others: dict[str, Answer] = {}
    unclear: list[str] = []
    for modes, joints in programs.combinations():
        if others and not every:
            break
        name = letters(modes, joints)
        if name in others:
            continue
        stack = [tuple(modes)]
        while stack and name not in others:
            combination = stack.pop()
            best = None
            for objective in programs.objectives():
                found = programs.largest(combination, joints, objective)
                if found is None:
                    break
                if found[0] > STILL and (best is None or found[0] > best[0]):
                    best = found
            if best is None:
                continue
            exact = programs.exact(combination, joints, best[1], best[2])
            if exact is not None and np.linalg.norm(programs.e.lower.T @ exact.acceleration) > SLOW * programs.e.size:
                others[name] = exact
                break
            arcs_left = [(m.arc[1], i) for i, m in enumerate(combination) if m.arc is not None]
            if not arcs_left or max(arcs_left)[0] <= 0.5 * narrowest:
                unclear.append(name)
                break
            half, i = max(arcs_left)
            arc = combination[i].arc
            assert arc is not None
            law = case.laws[i]
            for side in (-0.5, 0.5):
                halved = sliding(law, arc[0] + side * half, 0.5 * half)
                stack.append((*combination[:i], halved, *combination[i + 1 :]))
    return Enumerated(can_rest(case), tuple(others.values()), tuple(unclear), programs.solved)


# -- the same modes by binaries -----------------------------------------------------------------------------------


def by_binaries(case: Case, arcs: int = 8, *, most: float = 1e3, time_limit: float = 60.0) -> float:
    """Largest x0 . x, in units of |x0|^2, over all modes at once: a binary per mode, big-M rows, by HiGHS.

    Scaled forces are at most `most`. Bodies at rest without joints. Arcs are not halved: this is an enclosure, with
    the width of the arcs. nan where the time is up.
    """
    programs = Programs(case, arcs)
    e = programs.e
    assert programs.bounded
    picks = [(i, m) for i, modes in enumerate(programs.modes) for m in modes]
    counts = [len(m.rays) for _, m in picks]
    n, b = sum(counts), len(picks)
    force = np.zeros((3 * e.k, n + b))
    at = 0
    for (i, m), count in zip(picks, counts, strict=True):
        force[3 * i : 3 * i + 3, at : at + count] = m.rays.T
        at += count
    x = e.pushes @ force
    c, c0 = e.pushes.T @ x, e.pushes.T @ e.x0
    big = 2.0  # |c| <= |x| <= 1
    rows, low, high = [x], [-1.0 - e.x0], [1.0 - e.x0]
    at = 0
    for number, ((i, m), count) in enumerate(zip(picks, counts, strict=True)):
        binary = np.zeros(n + b)
        binary[n + number] = 1.0
        for weight in np.eye(n + b)[at : at + count]:
            rows.append((weight - most * binary)[None])
            low.append([-np.inf])
            high.append([0.0])
        at += count
        for row in m.above:
            rows.append((row @ c[3 * i : 3 * i + 3] - big * binary)[None])
            low.append([-big - row @ c0[3 * i : 3 * i + 3]])
            high.append([np.inf])
        for row in m.equal:
            value, start = row @ c[3 * i : 3 * i + 3], row @ c0[3 * i : 3 * i + 3]
            rows += [(value - big * binary)[None], (value + big * binary)[None]]
            low += [[-big - start], [-np.inf]]
            high += [[np.inf], [big - start]]
        if m.letter in "FT" and np.isfinite(case.laws[i].cap):
            rows.append(force[[3 * i + 2]])
            low.append([-np.inf])
            high.append([(case.laws[i].cap + case.laws[i].pull) / e.unit])
    for i in range(e.k):
        rows.append(np.array([[0.0] * n + [1.0 if j == i else 0.0 for j, _ in picks]]))
        low.append([1.0])
        high.append([1.0])
    found = milp(
        -(e.x0 @ x),
        constraints=LinearConstraint(np.vstack(rows), np.concatenate(low), np.concatenate(high)),
        integrality=np.array([0] * n + [1] * b),
        bounds=(np.zeros(n + b), np.array([np.inf] * n + [1.0] * b)),
        options={"time_limit": time_limit, "mip_rel_gap": 1e-6},
    )
    if found.status == 2:
        return -np.inf
    return float(e.x0 @ e.x0 - found.fun) if found.status == 0 else np.nan
