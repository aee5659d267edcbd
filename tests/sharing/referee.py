"""An independent referee of load sharing: slow, plain NumPy and Clarabel, nothing of Holdfast but the input numbers.

Simulators, none of which works as the library does:

- `least_energy`: elastic forces as the minimum of the complementary energy, a quadratic program for Clarabel, with
  forces bounded by half-spaces where contacts open and close without loss;
- `ductile_flow`, `slip_flow`: implicit load steps, each a quadratic program for Clarabel or a linear complementarity
  problem for Lemke's method;
- `brittle_sequence`: the elastic system of the contacts that are left, solved again at many loads; the first force
  outside its volume is found on a grid and by bisection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp
from scipy.spatial import ConvexHull

import holdfast as hf

#: Samples of a stage among which the first force outside its volume is looked for.
GRID = 1500

#: Largest unbalanced load, relative to the load, of a mechanism that the load does not move.
UNBALANCED = 1e-7


@dataclass(frozen=True)
class Case:
    """One question: an assembly, its stiffness in the contact frames [N/m], preload [N], base and load (6,)."""

    assembly: hf.Assembly
    load: np.ndarray
    stiffness: np.ndarray
    preload: np.ndarray
    base: np.ndarray = field(default_factory=lambda: np.zeros(6))

    def share(self, rule: Any = "brittle", **options: Any) -> Any:
        """The answer of the library."""
        return hf.load_sharing(
            self.assembly, self.load, self.stiffness, preload=self.preload, base=self.base, rule=rule, **options
        )


# -- numbers of an assembly, from positions and frames alone ---------------------------------------------------


def equations(assembly: hf.Assembly) -> np.ndarray:
    """(6, 3k) local forces to the wrench about the world origin."""
    columns = []
    for contact in assembly.contacts:
        columns.append(np.vstack([contact.rotation, np.cross(contact.position, contact.rotation.T).T]))
    return np.hstack(columns)


def joint_equations(assembly: hf.Assembly) -> np.ndarray:
    """(r, 3k) local forces to the values of the joint rows."""
    if assembly.joints is None:
        return np.zeros((0, 3 * len(assembly)))
    blocks = np.asarray(assembly.joints.jacobian).reshape(-1, len(assembly), 3)
    return np.hstack([blocks[:, i] @ contact.rotation for i, contact in enumerate(assembly.contacts)])


def local_forces(assembly: hf.Assembly, forces: np.ndarray) -> np.ndarray:
    """(..., k, 3) world forces in the contact frames."""
    return np.einsum("kij,...ki->...kj", np.array([c.rotation for c in assembly.contacts]), forces)


def facets(vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(A, b) with A f <= b of a bounded piece, by Qhull."""
    hull = ConvexHull(vertices)
    return hull.equations[:, :3], -hull.equations[:, 3]


def excess(volume: hf.ForceVolume, forces: np.ndarray) -> np.ndarray:
    """(...) by how much [N] forces (..., 3) violate the best piece of a bounded volume; negative inside."""
    planes = [facets(piece) for piece in volume.pieces]
    return np.min([(forces @ a.T - b).max(axis=-1) for a, b in planes], axis=0)


# -- elastic forces ----------------------------------------------------------------------------------------------


def _solve(quadratic: Any, linear: Any, equal: Any, equal_to: Any, below: Any = None, limit: Any = None) -> np.ndarray:
    """Least 1/2 x^T P x + q^T x with equal x = equal_to and below x <= limit, by Clarabel."""
    n = len(linear)
    below = np.zeros((0, n)) if below is None else below
    limit = np.zeros(0) if limit is None else limit
    settings: Any = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    settings.tol_ktratio = 1e-10
    cones = [clarabel.ZeroConeT(len(equal_to))]
    if len(limit):
        cones.append(clarabel.NonnegativeConeT(len(limit)))
    solution = clarabel.DefaultSolver(
        sp.triu(sp.csc_matrix(quadratic)).tocsc(),
        np.asarray(linear, dtype=float),
        sp.csc_matrix(np.vstack([equal, below])),
        np.concatenate([equal_to, limit]),
        cones,
        settings,
    ).solve()
    assert "Solved" in str(solution.status) or "InsufficientProgress" in str(solution.status), solution.status
    return np.asarray(solution.x)


def least_energy(case: Case, factor: float, *, above_zero: Sequence[int] = ()) -> np.ndarray:
    """(k, 3) local forces of least complementary energy that balance base + factor load.

    The energy is 1/2 (f - f0)^T K^-1 (f - f0), and 1/2 (tau - h)^2 / c for a joint row tau held by a spring or a servo
    of stiffness c in all. A row without either has tau = h; a locked row is free to take any value. K may be
    singular: displacements along its null space cost no force, so that f - f0 = L g with K = L L^T. For contacts in
    `above_zero` the normal force is at least zero: frictionless contacts that open.
    """
    assembly, k = case.assembly, len(case.assembly)
    lift = np.zeros((3 * k, 3 * k))  # L
    for i, matrix in enumerate(case.stiffness):
        values, vectors = np.linalg.eigh(matrix)
        lift[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = vectors * np.sqrt(np.clip(values, 0.0, None))
    f0 = case.preload.ravel()
    rows, wrench = equations(assembly), case.base + factor * case.load
    length = float(np.abs([c.position for c in assembly.contacts]).max()) or 1.0
    scale = np.array([1.0, 1.0, 1.0, 1.0 / length, 1.0 / length, 1.0 / length])
    size = float(np.abs(np.concatenate([wrench * scale, f0])).max()) or 1.0
    unit = float(np.sqrt(np.trace(lift @ lift.T) / (3 * k)))
    lift = lift / unit  # g in units of size
    equal = [scale[:, None] * (rows @ lift)]
    equal_to = [-scale * (wrench + rows @ f0) / size]
    quadratic, linear = np.eye(3 * k), np.zeros(3 * k)
    joints = assembly.joints
    if joints is not None:
        torques = joint_equations(assembly)
        for row, spring, servo, low, high in zip(
            torques, joints.stiffness, joints.servo, joints.lower, joints.upper, strict=True
        ):
            held = spring + (servo if low < high else 0.0)
            constant = low if low == high else 0.0
            if np.isinf(held):
                continue
            row_g, rest = row @ lift / length, (row @ f0 - constant) / (length * size)
            if held == 0.0:
                equal.append(row_g[None])
                equal_to.append(np.array([-rest]))
            else:
                weight = length**2 * unit**2 / held
                quadratic = quadratic + weight * np.outer(row_g, row_g)
                linear = linear + weight * rest * row_g
    below = limit = None
    if len(above_zero):
        normal = [3 * i + 2 for i in above_zero]
        below, limit = -lift[normal], f0[normal] / size
    g = _solve(quadratic, linear, np.vstack(equal), np.concatenate(equal_to), below, limit)
    return (f0 + size * (lift @ g)).reshape(k, 3)


# -- ductile contacts and slip -----------------------------------------------------------------------------------


def ductile_flow(case: Case, factors: Sequence[float]) -> np.ndarray:
    """(n, k, 3) local forces of ductile contacts along the factors, by one implicit step to each of them.

    Each step takes the forces next to the last ones in the norm of K^-1 among those that balance the load and are
    admissible: associated flow. It is exact where nothing changes between two factors. Bounded volumes of one piece,
    positive definite K.
    """
    assembly, k = case.assembly, len(case.assembly)
    rows = equations(assembly)
    inverse = _block_diagonal(np.linalg.inv(case.stiffness))
    unit = np.trace(inverse) / (3 * k)
    planes = [facets(c.volume.pieces[0]) for c in assembly.contacts]
    below, limit = sp.block_diag([a for a, _ in planes]).toarray(), np.concatenate([b for _, b in planes])
    force, found = case.preload.ravel(), []
    for factor in factors:
        wrench = case.base + factor * case.load
        size = float(np.abs(np.concatenate([force, wrench])).max()) or 1.0
        force = size * _solve(
            inverse / unit, -inverse @ force / (unit * size), rows, -wrench / size, below, limit / size
        )
        found.append(force.reshape(k, 3))
    return np.array(found)


def slip_flow(case: Case, factors: Sequence[float]) -> np.ndarray:
    """(n, k, 3) local forces of slipping contacts along the factors, by one implicit step to each of them.

    Slip along the sides of the cone leaves the normal displacement alone: with multipliers m >= 0 of the sides
    a . f <= b, f = f_last - K (u + sum m (a_x, a_y, 0)), m complementary to b - a . f. Motions are eliminated by
    the balance; Lemke's method solves what is left. Contacts must not open.
    """
    assembly, k = case.assembly, len(case.assembly)
    rows, stiffness = equations(assembly), _block_diagonal(case.stiffness)
    unit = np.trace(stiffness) / (3 * k)
    stiffness = stiffness / unit
    planes = [facets(c.volume.pieces[0]) for c in assembly.contacts]
    sides = [(a[keep], b[keep]) for a, b in planes for keep in [np.linalg.norm(a[:, :2], axis=1) > 1e-9]]
    normals, limit = sp.block_diag([a for a, _ in sides]).toarray(), np.concatenate([b for _, b in sides])
    flows = sp.block_diag([a * (1.0, 1.0, 0.0) for a, _ in sides]).toarray().T
    solved = np.linalg.solve(rows @ stiffness @ rows.T, rows)
    taken = (stiffness - stiffness @ rows.T @ solved @ stiffness) @ flows  # from the forces, by a unit of slip
    force, found = case.preload.ravel(), []
    for factor in factors:
        elastic = force - stiffness @ rows.T @ np.linalg.solve(
            rows @ stiffness @ rows.T, rows @ force + case.base + factor * case.load
        )
        multipliers = _lemke(normals @ taken, limit - normals @ elastic)
        force = elastic - taken @ multipliers
        found.append(force.reshape(k, 3))
    return np.array(found)


def _block_diagonal(matrices: np.ndarray) -> np.ndarray:
    return sp.block_diag(list(matrices)).toarray()


def _lemke(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """z >= 0 with w = matrix z + right >= 0 and w . z = 0, by Lemke's method with complementary pivots."""
    n = len(right)
    if (right >= 0.0).all():
        return np.zeros(n)
    tableau = np.hstack([np.eye(n), -matrix, -np.ones((n, 1)), right[:, None]])  # w - M z - z0 = q
    basis = list(range(n))
    row, entering = int(np.argmin(right)), 2 * n
    for _ in range(50 * n):
        tableau[row] /= tableau[row, entering]
        others = np.arange(n) != row
        tableau[others] -= np.outer(tableau[others, entering], tableau[row])
        leaving, basis[row] = basis[row], entering
        if leaving == 2 * n:
            z = np.zeros(2 * n + 1)
            z[basis] = tableau[:, -1]
            return z[n : 2 * n]
        entering = leaving + n if leaving < n else leaving - n
        column = tableau[:, entering]
        ratios = np.full(n, np.inf)
        positive = column > 1e-11 * max(1.0, float(np.abs(column).max()))
        assert positive.any(), "no step: the load cannot be balanced"
        ratios[positive] = np.maximum(tableau[positive, -1], 0.0) / column[positive]
        ties = np.nonzero(ratios <= ratios.min() + 1e-12)[0]
        row = next((int(t) for t in ties if basis[t] == 2 * n), int(ties[np.argmax(column[ties])]))
    raise AssertionError("Lemke's method does not end")


# -- brittle contacts --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FailureSequence:
    """What a brittle assembly does: (stage, factor, contacts that fail at once) in order, and the factor it reaches."""

    failures: tuple[tuple[str, float, tuple[int, ...]], ...]
    peak: float

    @property
    def first(self) -> float:
        """Factor of the first failure; 0 before the load, inf for none."""
        return np.inf if not self.failures else self.failures[0][1]


class _Elastic:
    """Forces of the contacts that are left, for given shares of preload and loads and given forces of the others."""

    def __init__(self, case: Case) -> None:
        self.case, self.rows, self.torques = case, equations(case.assembly), joint_equations(case.assembly)
        joints = case.assembly.joints
        self.held = np.zeros(0) if joints is None else np.array(joints.stiffness, dtype=float)
        self.constant = np.zeros(0) if joints is None else np.array(joints.lower, dtype=float)
        if joints is not None:
            band = joints.upper > joints.lower
            self.held = np.where(band, self.held + joints.servo, self.held)
            self.constant = np.where(band, 0.0, self.constant)

    def forces(self, alive: np.ndarray, share: float, wrench: np.ndarray, others: np.ndarray) -> np.ndarray | None:
        """(k, 3) local forces; None when the contacts that are left cannot balance the load."""
        case, k = self.case, len(self.case.assembly)
        moving = np.isfinite(self.held)
        motions = np.vstack([self.rows, -self.torques[moving]])  # u = motions^T (xi, theta)
        f0 = np.where(alive[:, None], share * case.preload, others).ravel()
        stiffness = np.zeros((3 * k, 3 * k))
        for i in np.nonzero(alive)[0]:
            stiffness[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = case.stiffness[i]
        # motions K u = motions f0 + (wrench, -share h) - (0, held theta)
        matrix = motions @ stiffness @ motions.T
        matrix[6:, 6:] += np.diag(self.held[moving])
        right = motions @ f0 + np.concatenate([wrench, share * self.constant[moving]])
        weight = 1.0 / np.sqrt(np.maximum(np.diag(matrix), 1e-9 * np.diag(matrix).max() + 1e-300))
        scaled = weight[:, None] * matrix * weight
        q = weight * np.linalg.lstsq(scaled, weight * right, rcond=1e-11)[0]
        size = np.abs(weight * (motions @ f0)).max() + np.abs(weight[:6] * wrench).max() + 1e-12
        if np.abs(weight * (matrix @ q - right)).max() > UNBALANCED * size:
            return None
        return (f0 - stiffness @ (motions.T @ q)).reshape(k, 3)


def brittle_sequence(case: Case, largest: float, *, together: bool = True) -> FailureSequence:
    """The failures of brittle contacts, up to the factor `largest`.

    A contact that leaves its volume loses its force at constant load: the force is taken away in proportion, and what
    leaves its volume on the way loses its own force along with the rest of it. Joints are locked, sprung,
    free, driven or servos without a band.
    """
    assembly, k = case.assembly, len(case.assembly)
    elastic, alive, others = _Elastic(case), np.ones(k, dtype=bool), np.zeros((k, 3))
    failures: list[tuple[str, float, tuple[int, ...]]] = []
    sizes = np.array([max(float(np.abs(p).max()) for p in c.volume.pieces) for c in assembly.contacts])
    planes = [[facets(piece) for piece in c.volume.pieces] for c in assembly.contacts]

    def outside(forces: np.ndarray) -> np.ndarray:
        """(..., k) whether forces (..., k, 3) of contacts that are left are outside their volumes."""
        found = [
            np.min([(forces[..., i, :] @ a.T - b).max(axis=-1) for a, b in planes[i]], axis=0) > 1e-9 * sizes[i]
            for i in range(k)
        ]
        return np.stack(found, axis=-1) & alive

    def first_exit(state: Callable[[float], np.ndarray | None], end: float) -> tuple[float, np.ndarray] | None:
        """Where on (0, end] a force first leaves its volume, and which; forces are affine in the parameter."""
        start, stop = state(0.0), state(end)
        assert start is not None and stop is not None
        shares = np.linspace(0.0, 1.0, GRID + 1)[1:]
        along = start + shares[:, None, None] * (stop - start)
        out = outside(along)
        if not out.any():
            return None
        number = int(np.argmax(out.any(axis=1)))
        low, high = (0.0 if number == 0 else shares[number - 1]), shares[number]
        for _ in range(60):
            middle = 0.5 * (low + high)
            there = state(middle * end)
            assert there is not None
            if outside(there).any():
                high = middle
            else:
                low = middle
        there = state(high * end)
        assert there is not None
        return high * end, outside(there)

    def units(failing: np.ndarray) -> np.ndarray:
        """With all points of the units that fail."""
        if not together:
            return failing
        torn = [c.unit for c, f in zip(assembly.contacts, failing, strict=True) if f and c.unit is not None]
        return failing | np.array([any(c.unit is u for u in torn) for c in assembly.contacts])

    def release(stage: str, factor: float, share: float, wrench: np.ndarray, failing: np.ndarray) -> bool:
        """Take away the forces of failing contacts; False when the rest cannot balance the load."""
        nonlocal others
        while failing.any():
            now = elastic.forces(alive, share, wrench, others)
            assert now is not None
            failing = units(failing) & alive
            failures.append((stage, factor, tuple(int(i) for i in np.nonzero(failing)[0])))
            others = np.where(failing[:, None], now, others)
            alive[failing] = False
            if elastic.forces(alive, share, wrench, np.zeros((k, 3))) is None:
                return False
            lost = others

            def state(part: float, lost: np.ndarray = lost) -> np.ndarray | None:
                return elastic.forces(alive, share, wrench, (1.0 - part) * lost)

            found = first_exit(state, 1.0)
            if found is None:
                others = np.zeros((k, 3))
                return True
            others, failing = (1.0 - found[0]) * lost, found[1]
        return True

    stages: list[tuple[str, float, Callable[[float], tuple[float, np.ndarray]]]] = [
        ("base" if case.base.any() else "preload", 1.0, lambda t: (t, t * case.base)),
        ("load", largest, lambda t: (1.0, case.base + t * case.load)),
    ]
    for stage, end, path in stages:
        done = 0.0
        while True:

            def state(step: float, done: float = done, path: Any = path) -> np.ndarray | None:
                return elastic.forces(alive, *path(done + step), others)

            if state(0.0) is None or state(end - done) is None:
                return FailureSequence(tuple(failures), done if stage == "load" else -np.inf)
            found = first_exit(state, end - done)
            if found is None:
                break
            done += found[0]
            if not release(stage, done if stage == "load" else 0.0, *path(done), found[1]):
                return FailureSequence(tuple(failures), done if stage == "load" else -np.inf)
    return FailureSequence(tuple(failures), np.inf)


def bundle_peak(strengths: np.ndarray) -> float:
    """Largest load of parallel brittle contacts of equal stiffness: max over j of (n - j) times the j-th weakest."""
    ordered = np.sort(strengths)
    return float((np.arange(len(ordered), 0, -1) * ordered).max())


def bundle_moments(count: int, distribution: Callable[[np.ndarray], np.ndarray], largest: float) -> tuple[float, float]:
    """Mean and standard deviation of the largest load of a bundle, by the recursion of Daniels (1945).

    G_n(x) = sum over r = 1..n of (-1)^(r+1) C(n, r) F(x/n)^r G_(n-r)(x), G_0 = 1, for the probability that the largest
    load of n contacts is at most x; F is the distribution of the strength of one, which is at most `largest`.
    """
    from math import comb

    x = np.linspace(0.0, count * largest, 40001)
    known = [np.ones_like(x)]
    for n in range(1, count + 1):
        f = distribution(x / n)
        terms = [(-1.0) ** (r + 1) * comb(n, r) * f**r * known[n - r] for r in range(1, n + 1)]
        known.append(np.sum(terms, axis=0))
    survival = 1.0 - known[count]
    mean = float(np.trapezoid(survival, x))
    square = float(np.trapezoid(2.0 * x * survival, x))
    return mean, float(np.sqrt(square - mean**2))


# -- random questions --------------------------------------------------------------------------------------------


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0.0 else q[:, [1, 0, 2]]


def box_volume(strength: float | Sequence[float]) -> hf.ForceVolume:
    """|f_u|, |f_v|, |f_n| at most `strength` [N]."""
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    return hf.ForceVolume([corners * strength])


def random_convex(rng: np.random.Generator, strength: float) -> hf.ForceVolume:
    """A random polytope around the zero force."""
    points = rng.normal(size=(10, 3))
    points = np.vstack([points, -0.4 * points])
    return hf.ForceVolume([strength * points[ConvexHull(points).vertices]])


def random_union(rng: np.random.Generator, strength: float) -> hf.ForceVolume:
    """Two or three lobes that share a neighbourhood of the zero force: not convex."""
    core = 0.3 * rng.normal(size=(6, 3))
    core = np.vstack([core, -core])
    pieces = []
    for _ in range(int(rng.integers(2, 4))):
        axis = rng.normal(size=3)
        lobe = np.vstack([core, 1.6 * axis / np.linalg.norm(axis) + 0.4 * rng.normal(size=(6, 3))])
        pieces.append(strength * lobe[ConvexHull(lobe).vertices])
    return hf.ForceVolume(pieces)


def random_joints(rng: np.random.Generator, count: int, kinds: Sequence[str]) -> hf.JointRows:
    """One row per kind: "locked", "sprung", "servo", "free", "driven" or "friction", with random blocks."""
    r = len(kinds)
    lower, upper, stiffness, servo = np.zeros(r), np.zeros(r), np.zeros(r), np.full(r, np.inf)
    for row, kind in enumerate(kinds):
        if kind in ("locked", "servo"):
            lower[row], upper[row] = -np.inf, np.inf
        if kind == "friction":
            upper[row] = rng.uniform(0.2, 1.0)
            lower[row] = -upper[row]
        if kind == "servo":
            servo[row] = 10.0 ** rng.uniform(0.0, 2.0)
        if kind == "sprung":
            stiffness[row] = 10.0 ** rng.uniform(0.0, 2.0)
        if kind in ("sprung", "driven"):
            lower[row] = upper[row] = rng.normal()
    jacobian = 0.05 * rng.normal(size=(r, 3 * count))
    return hf.JointRows(jacobian, lower, upper, stiffness=stiffness, servo=servo)


def random_case(
    seed: int,
    volume: Callable[[np.random.Generator, float], hf.ForceVolume] = lambda rng, s: box_volume(s),
    *,
    strength: float = 20.0,
    contacts: tuple[int, int] = (3, 12),
    kinds: Sequence[str] = (),
    preload: float = 0.0,
    base: float = 0.0,
) -> Case:
    """A random assembly with random stiffness (positive definite, not isotropic), preload, base and load."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(contacts[0], contacts[1] + 1))
    found = [
        hf.Contact(
            0.1 * rng.normal(size=3), random_rotation(rng), volume(rng, strength * rng.uniform(0.5, 1.5)), f"c{i}"
        )
        for i in range(k)
    ]
    stiffness = []
    for _ in range(k):
        turn, values = random_rotation(rng), 10.0 ** rng.uniform(2.5, 4.0, size=3)
        matrix = turn @ np.diag(values) @ turn.T
        stiffness.append(0.5 * (matrix + matrix.T))
    load = rng.normal(size=6) * [1.0, 1.0, 1.0, 0.1, 0.1, 0.1]
    under = base * rng.normal(size=6) * [1.0, 1.0, 1.0, 0.1, 0.1, 0.1]
    joints = random_joints(rng, k, kinds) if kinds else None
    forces = preload * rng.uniform(-1.0, 1.0, size=(k, 3))
    for force, contact in zip(forces, found, strict=True):
        while excess(contact.volume, force) >= 0.0:  # unions are narrow in places
            force *= 0.5
    return Case(hf.Assembly(found, joints), load, np.array(stiffness), forces, under)


def unilateral_case(seed: int) -> Case:
    """A plate on many frictionless springs that only press, under its weight; the load tilts it. Three guides hold it."""
    rng = np.random.default_rng(seed)
    presses, strong = hf.models.coulomb(0.0), box_volume(1e4)
    k = int(rng.integers(5, 10))
    places = np.column_stack([rng.uniform(-0.2, 0.2, size=(k, 2)), np.zeros(k)])
    places[:3] = [[0.2, 0.0, 0.0], [-0.1, 0.17, 0.0], [-0.1, -0.17, 0.0]]
    contacts = [hf.Contact(place, np.eye(3), presses) for place in places]
    along_x, along_y = hf.frame_from_normal([1, 0, 0], [0, 0, 1]), hf.frame_from_normal([0, 1, 0], [0, 0, 1])
    contacts += [
        hf.Contact(np.zeros(3), along_x, strong),
        hf.Contact(np.zeros(3), along_y, strong),
        hf.Contact(np.array([0.2, 0.0, 0.0]), along_y, strong),
    ]
    stiffness = np.array([np.diag([0.0, 0.0, s]) for s in 10.0 ** rng.uniform(2.5, 3.5, size=k + 3)])
    angle = rng.uniform(0.0, 2.0 * np.pi)
    tilt = np.array([0, 0, 0, 8.0 * np.cos(angle), 8.0 * np.sin(angle), 0])
    weight = np.array([0.0, 0.0, -40.0, 0.0, 0.0, 0.0])
    return Case(hf.Assembly(contacts), tilt, stiffness, np.zeros((k + 3, 3)), weight)


def feet_case(seed: int) -> Case:
    """A body on feet with friction (cones without limit), under its weight; the load pushes it at some height."""
    rng = np.random.default_rng(seed)
    rubber = hf.models.coulomb(0.5, facets=8)
    k = int(rng.integers(3, 7))
    angles = 2.0 * np.pi * (np.arange(k) + rng.uniform(-0.2, 0.2, size=k)) / k
    contacts = []
    for angle in angles:
        normal = np.array([0.15 * rng.normal(), 0.15 * rng.normal(), 1.0])
        place = 0.1 * np.array([np.cos(angle), np.sin(angle), 0.1 * rng.normal()])
        contacts.append(hf.Contact(place, hf.frame_from_normal(normal, [1, 0, 0]), rubber))
    stiffness = np.array([np.diag([0.4 * s, 0.4 * s, s]) for s in 10.0 ** rng.uniform(3.0, 4.0, size=k)])
    push = np.array([*rng.normal(size=2), 0.0])
    load = np.concatenate([push, np.cross([0.0, 0.0, 0.05], push)])
    return Case(hf.Assembly(contacts), load, stiffness, np.zeros((k, 3)), np.array([0, 0, -40.0, 0, 0, 0]))
