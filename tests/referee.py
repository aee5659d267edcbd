"""An independent referee: answers found and proofs checked with nothing of Holdfast but the numbers of an assembly.

Every choice of one piece per unit (or contact without one) is a linear program of its own, solved by scipy. Bounded
pieces enter by their facets (their hull is taken here, by Qhull in newtons), all others by the weights of their vertices and rays: neither
is the formulation of the solvers. Proofs are checked from positions, frames, vertices, rays and joint rows alone, in
exact rational arithmetic where asked for.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog, nnls
from scipy.spatial import ConvexHull, QhullError

import holdfast as hf
from holdfast.solvers.certificates import Certificate, Count, Leaf

#: What scipy's linear programs are asked for, in units of the largest vertex.
LP_TOLERANCE = 1e-10

#: A slope along a ray counts as none below this share of the sizes it is the sum of.
RAY_SLACK = 1e-8


# -- the referee's answer ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """The largest load factor that any choice of pieces holds, and how far down the best choice holds, too.

    Above `largest` nothing holds; between `least` and `largest` the best choice does.
    """

    largest: float
    least: float
    choice: tuple[int, ...] | None


def units_of(assembly: hf.Assembly) -> list[list[int]]:
    """The contacts that choose their piece together: those of one unit, unless its only piece leaves no choice."""
    groups: dict[object, list[int]] = {}
    for i, contact in enumerate(assembly.contacts):
        alone = contact.unit is None or len(contact.volume.pieces) == 1
        groups.setdefault(i if alone else contact.unit, []).append(i)
    return list(groups.values())


def choices_of(assembly: hf.Assembly) -> Iterator[tuple[int, ...]]:
    """Every choice of one piece per unit, as the piece of each contact."""
    units = units_of(assembly)
    unit_of = {i: u for u, unit in enumerate(units) for i in unit}
    for choice in itertools.product(*(range(len(assembly.contacts[unit[0]].volume.pieces)) for unit in units)):
        yield tuple(choice[unit_of[i]] for i in range(len(assembly.contacts)))


def verdict(assembly: hf.Assembly, direction: np.ndarray) -> Verdict:
    """Every choice of one piece per unit tried."""
    best, chosen = -np.inf, None
    for choice in choices_of(assembly):
        high = _extreme_factor(assembly, direction, choice, 1.0)
        if high is not None and high > best:
            best, chosen = high, choice
    least = np.inf if chosen is None else _extreme_factor(assembly, direction, chosen, -1.0)
    return Verdict(best, best if least is None else least, chosen)  # None: the solver's tolerance decides there


def _extreme_factor(assembly: hf.Assembly, direction: np.ndarray, choice: Sequence[int], sign: float) -> float | None:
    """Largest (or smallest) load factor of one choice of pieces; None when it holds none."""
    chosen = [contact.volume.pieces[piece] for contact, piece in zip(assembly.contacts, choice, strict=True)]
    size = max(float(np.abs(vertices).max()) for vertices in chosen) or 1.0  # others may be stronger by far
    strength = float(np.abs(direction).max())
    columns, block_rows, block_ones = [], [], []  # per contact: (3, n) to local force [size], facets, weights
    for contact, piece in zip(assembly.contacts, choice, strict=True):
        vertices, rays = contact.volume.pieces[piece] / size, contact.volume.rays[piece]
        facets = None if len(rays) else _facets(vertices)
        if facets is not None:
            columns.append(np.eye(3))
            block_rows.append(facets)
            block_ones.append(None)
        else:
            units = rays / np.linalg.norm(rays, axis=1, keepdims=True)
            columns.append(np.concatenate([vertices, units]).T)
            block_rows.append(None)
            block_ones.append(len(vertices))
    starts = np.concatenate([[1], 1 + np.cumsum([c.shape[1] for c in columns])])
    total = int(starts[-1])  # column 0 is d * strength / size

    centre = np.mean([c.position for c in assembly.contacts], axis=0)
    arm = max(1e-3, max(float(np.linalg.norm(c.position - centre)) for c in assembly.contacts))
    equal, equal_to = np.zeros((6, total)), np.zeros(6)
    moved = np.concatenate([direction[:3], direction[3:] - np.cross(centre, direction[:3])]) / strength
    equal[:, 0] = moved / np.array([1, 1, 1, arm, arm, arm])
    above, at_most, ones = [], [], []
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * total
    joint = np.zeros((0 if assembly.joints is None else len(assembly.joints.lower), total))
    for i, contact in enumerate(assembly.contacts):
        span = slice(int(starts[i]), int(starts[i + 1]))
        world = contact.rotation @ columns[i]
        equal[:3, span] = world
        equal[3:, span] = np.cross(contact.position - centre, world.T).T / arm
        if assembly.joints is not None:
            joint[:, span] = assembly.joints.jacobian[:, 3 * i : 3 * i + 3] @ world
        if block_rows[i] is not None:
            normals, offsets = block_rows[i]
            rows = np.zeros((len(normals), total))
            rows[:, span] = normals
            above.append(rows)
            at_most.append(offsets)
        else:
            bounds[span] = [(0.0, None)] * (span.stop - span.start)
            weights = np.zeros((1, total))
            weights[0, span.start : span.start + block_ones[i]] = 1.0
            ones.append(weights)
    if assembly.joints is not None:
        for row, low, high in zip(joint, assembly.joints.lower / size, assembly.joints.upper / size, strict=True):
            scale = max(1e-12, float(np.abs(row).max()))
            if np.isfinite(high):
                above.append(row[None] / scale)
                at_most.append([high / scale])
            if np.isfinite(low):
                above.append(-row[None] / scale)
                at_most.append([-low / scale])
    equal, equal_to = np.concatenate([equal, *ones]), np.concatenate([equal_to, np.ones(len(ones))])
    cost = np.zeros(total)
    cost[0] = -sign
    result = linprog(
        cost,
        A_ub=np.concatenate(above) if above else None,
        b_ub=np.concatenate(at_most) if above else None,
        A_eq=equal,
        b_eq=equal_to,
        bounds=bounds,
        method="highs-ds",
        options={"primal_feasibility_tolerance": LP_TOLERANCE, "dual_feasibility_tolerance": LP_TOLERANCE},
    )
    if result.status == 3:
        return sign * np.inf
    if result.status == 2:
        return None
    if result.status == 4:  # unbounded or infeasible: ask without the objective
        feasible = linprog(
            np.zeros(total),
            A_ub=np.concatenate(above) if above else None,
            b_ub=np.concatenate(at_most) if above else None,
            A_eq=equal,
            b_eq=equal_to,
            bounds=bounds,
        )
        return sign * np.inf if feasible.status == 0 else None
    assert result.status == 0, result.message
    return float(result.x[0]) * size / strength


def _facets(vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Facets of a body by Qhull, or None when it is flat or too thin for Qhull in these coordinates."""
    if len(vertices) < 4:
        return None
    spread = np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False)
    if spread[-1] < 1e-6 * spread[0]:
        return None
    try:
        equations = ConvexHull(vertices).equations
    except QhullError:
        return None
    return equations[:, :-1], -equations[:, -1]


# -- forces and proofs checked ----------------------------------------------------------------------


def distance_to_piece(force: np.ndarray, vertices: np.ndarray, rays: np.ndarray) -> float:
    """How far a force is from conv(vertices) + cone(rays), by non-negative least squares on their weights.

    The sum of weights need not come out as 1: divided by it, they are those of the nearest point.
    """
    size = max(float(np.abs(vertices).max()), float(np.abs(force).max())) or 1.0
    points = np.concatenate([(vertices - force) / size, rays / np.linalg.norm(rays, axis=1, keepdims=True)]).T
    ones = np.concatenate([np.ones(len(vertices)), np.zeros(len(rays))])
    weights, _ = nnls(np.vstack([points, ones]), np.array([0.0, 0.0, 0.0, 1.0]), maxiter=10_000)
    return float(np.linalg.norm(points @ (weights / (ones @ weights)))) * size


def assert_forces_hold(assembly: hf.Assembly, wrench: np.ndarray, forces: np.ndarray, pieces: np.ndarray) -> None:
    """Force and torque balance to 1e-9 of the load or the forces, joint rows alike, every force in its piece, one piece per unit."""
    for unit in units_of(assembly):
        assert len({int(pieces[i]) for i in unit}) == 1
    centre = np.mean([c.position for c in assembly.contacts], axis=0)
    arms = np.array([c.position for c in assembly.contacts]) - centre
    load_torque = wrench[3:] - np.cross(centre, wrench[:3])
    largest = max(float(np.abs(p).max()) for c in assembly.contacts for p in c.volume.pieces) or 1.0  # cones alone
    scale = max(float(np.abs(wrench[:3]).max()), float(np.abs(forces).max()), 1e-6 * largest)  # zero loads, too
    far = float(np.linalg.norm(centre))
    arm = max(float(np.linalg.norm(arms, axis=1).max()), 1e-6 * far) or 1.0  # positions are rounded, too
    torque_scale = max(float(np.abs(load_torque).max()), scale * arm)
    np.testing.assert_allclose(forces.sum(axis=0) + wrench[:3], 0.0, atol=1e-9 * scale)
    np.testing.assert_allclose(np.cross(arms, forces).sum(axis=0) + load_torque, 0.0, atol=2e-9 * torque_scale)
    if assembly.joints is not None:
        values = assembly.joints.jacobian @ forces.ravel()
        slack = 1e-9 * scale * np.abs(assembly.joints.jacobian).sum(axis=1)
        assert (values >= assembly.joints.lower - slack).all(), values - assembly.joints.lower
        assert (values <= assembly.joints.upper + slack).all(), assembly.joints.upper - values
    for force, piece, contact in zip(forces, pieces, assembly.contacts, strict=True):
        vertices, rays = contact.volume.pieces[piece], contact.volume.rays[piece]
        local = contact.rotation.T @ force
        size = max(float(np.abs(vertices).max()), float(np.abs(local).max()))
        assert distance_to_piece(local, vertices, rays) <= 2e-9 * size


def leaves_with(certificate: Certificate, choice: Sequence[int]) -> int:
    """How many leaves allow a choice of pieces (u,), and the values that the counts have for it."""
    values = [
        sum(mask >> piece & 1 for mask, piece in zip(count.masks, choice, strict=True)) for count in certificate.counts
    ]
    return sum(
        all(mask >> piece & 1 for mask, piece in zip(leaf.masks, choice, strict=True))
        and all(
            any(low <= value <= high for j, (low, high) in enumerate(count.ranges) if mask >> j & 1)
            for count, mask, value in zip(certificate.counts, leaf.count_masks, values, strict=True)
        )
        for leaf in certificate.leaves
    )


def covers_once(assembly: hf.Assembly, masks: Sequence[Sequence[int]]) -> bool:
    """Whether every choice of one piece per unit lies in exactly one of the boxes, by going through them all."""
    return allows_once(assembly, Certificate(None, [Leaf(tuple(box), np.zeros(6)) for box in masks]))


def allows_once(assembly: hf.Assembly, certificate: Certificate) -> bool:
    """Whether exactly one leaf allows every choice of one piece per unit, by going through them all."""
    firsts = [unit[0] for unit in units_of(assembly)]
    return all(leaves_with(certificate, [choice[i] for i in firsts]) == 1 for choice in choices_of(assembly))


def leaf_terms(
    assembly: hf.Assembly,
    leaf: Leaf,
    twist: np.ndarray,
    joint_weights: np.ndarray,
    *,
    counts: Sequence[Count] = (),
    exact: bool = False,
) -> tuple[float | Fraction, float | Fraction] | None:
    """(most that the allowed forces can add, least that the joint rows need) for one leaf; None where unlimited.

    For motion `twist` = (velocity, angular velocity) and weights z of the joint rows, the forces add
    sum_i (v + omega x x_i + z J_i) . f_i, and the rows demand z . s for some s within their limits. A unit in a counted
    piece adds the count's weight, and the value of the count takes it away again.
    """
    number = Fraction if exact else float
    twist_, z = [number(float(t)) for t in twist], [number(float(t)) for t in joint_weights]
    weights = [number(float(t)) for t in leaf.count_multipliers]
    most = least = number(0)
    for count, mask, weight in zip(counts, leaf.count_masks, weights, strict=True):
        ends = [end for j, ends in enumerate(count.ranges) if mask >> j & 1 for end in ends]
        most += max(-weight * end for end in ends)
    for u, (unit, mask) in enumerate(zip(units_of(assembly), leaf.masks, strict=True)):
        supports = [_supports(assembly, i, twist_, z, twist, joint_weights) for i in unit]
        allowed = [j for j in range(len(supports[0])) if mask >> j & 1]
        if not allowed:
            raise AssertionError("a leaf allows no piece")
        if any(own[j] is None for own in supports for j in allowed):
            return None
        counted = {j: sum(w for c, w in zip(counts, weights, strict=True) if c.masks[u] >> j & 1) for j in allowed}
        most += max(sum(own[j] for own in supports) + counted[j] for j in allowed)
    for r, weight in enumerate(z):
        if weight == 0:
            continue
        end = assembly.joints.lower[r] if weight > 0 else assembly.joints.upper[r]
        if not np.isfinite(end):
            return None
        least += weight * number(float(end))
    return most, least


def _supports(
    assembly: hf.Assembly,
    i: int,
    motion: Sequence[float | Fraction],
    z: Sequence[float | Fraction],
    twist: np.ndarray,
    joint_weights: np.ndarray,
) -> list[float | Fraction | None]:
    """The most that each piece of contact i can add, None where it is unlimited; `motion`, `z` are exact or floats."""
    number, contact = type(motion[0]), assembly.contacts[i]
    x = [number(float(t)) for t in contact.position]
    turn = [[number(float(t)) for t in row] for row in contact.rotation]
    world = [
        motion[0] + motion[4] * x[2] - motion[5] * x[1],
        motion[1] + motion[5] * x[0] - motion[3] * x[2],
        motion[2] + motion[3] * x[1] - motion[4] * x[0],
    ]
    for r, weight in enumerate(z):
        row = assembly.joints.jacobian[r, 3 * i : 3 * i + 3]
        world = [w + weight * number(float(t)) for w, t in zip(world, row, strict=True)]
    local = [sum(world[a] * turn[a][b] for a in range(3)) for b in range(3)]
    size = float(np.linalg.norm(np.abs(twist[:3]))) + float(
        np.linalg.norm(twist[3:]) * (np.linalg.norm(contact.position) + 1e-300)
    )
    if assembly.joints is not None:
        size += float(np.abs(joint_weights) @ np.abs(assembly.joints.jacobian[:, 3 * i : 3 * i + 3]).sum(axis=1))
    values: list[float | Fraction | None] = []
    for vertices, rays in zip(contact.volume.pieces, contact.volume.rays, strict=True):
        slopes = rays @ np.array([float(t) for t in local])
        if (slopes > RAY_SLACK * size * np.linalg.norm(rays, axis=1)).any():
            values.append(None)
        else:
            values.append(max(sum(number(float(t)) * d for t, d in zip(v, local, strict=True)) for v in vertices))
    return values


def refutes(answer: hf.statics.Equilibrium, *, exact: bool = False) -> bool:
    """Whether the certificate proves that the wrench cannot be held, from the physical data alone."""
    certificate = answer.certificate
    if certificate is None or not allows_once(answer.assembly, certificate):
        return False
    for leaf, twist, z in zip(certificate.leaves, answer.separating_wrenches, answer.joint_multipliers, strict=True):
        terms = leaf_terms(answer.assembly, leaf, twist, z, counts=certificate.counts, exact=exact)
        if terms is None:
            return False
        number = Fraction if exact else float
        work = sum(number(float(t)) * number(float(w)) for t, w in zip(twist, answer.wrench, strict=True))
        if not terms[0] + work < terms[1]:
            return False
    return True


def proven_bound(answer: hf.statics.LoadLimit, *, exact: bool = False) -> float:
    """The load factor above which the certificate excludes everything; -inf when it excludes all, inf for none."""
    certificate = answer.certificate
    if certificate is None or not allows_once(answer.assembly, certificate):
        return np.inf
    number = Fraction if exact else float
    bound = -np.inf
    for leaf, twist, z in zip(certificate.leaves, answer.separating_wrenches, answer.joint_multipliers, strict=True):
        terms = leaf_terms(answer.assembly, leaf, twist, z, counts=certificate.counts, exact=exact)
        if terms is None:
            return np.inf
        most, least = terms
        work = sum(number(float(t)) * number(float(w)) for t, w in zip(twist, answer.direction, strict=True))
        size = float(np.abs(twist * answer.direction).sum())
        if abs(work) <= 1e-12 * size or size == 0.0:
            if least <= most:
                return np.inf
        elif work > 0.0:
            return np.inf
        else:
            bound = max(bound, float((most - least) / -work))
    return bound


def assert_grows(answer: hf.statics.LoadLimit) -> None:
    """An unlimited load: forces that hold something, and more forces of the same pieces that carry it for ever."""
    assembly, growth = answer.assembly, answer.growth
    assert growth is not None
    assert_forces_hold(assembly, answer.solution.factor * answer.direction, answer.forces, answer.pieces)
    for many in (1.0, 1e3):
        more = answer.forces + many * growth
        assert_forces_hold(assembly, (answer.solution.factor + many) * answer.direction, more, answer.pieces)


def strongest_force(assembly: hf.Assembly) -> float:
    """Largest coordinate of a vertex, or joint limit over the assembly's length [N]; 1 N for cones alone."""
    largest = max(float(np.abs(p).max()) for c in assembly.contacts for p in c.volume.pieces)
    if assembly.joints is not None:
        limits = np.abs(np.concatenate([assembly.joints.lower, assembly.joints.upper]))
        largest = max(largest, float(limits[np.isfinite(limits)].max(initial=0.0)) / assembly.length)
    return largest or 1.0


def assert_limit(answer: hf.statics.LoadLimit, expected: float, *, gap: float = 1e-6, exact: bool = False) -> None:
    """A load limit is the expected one to `gap`, its forces attain it, and its proof excludes more.

    Near zero, limits are told apart to 1e-8 of what the strongest contact or joint could carry.
    """
    floor = 1e-8 * strongest_force(answer.assembly) / float(np.abs(answer.direction).max())
    if expected == -np.inf:
        assert answer.status == "does not hold"
        assert answer.value == answer.upper_bound == -np.inf
        assert proven_bound(answer, exact=exact) == -np.inf
    elif expected == np.inf:
        assert answer.status == "unbounded"
        assert answer.value == np.inf
        assert_grows(answer)
    else:
        assert answer.status == "optimal"
        slack = max(1.01 * gap * abs(expected), floor)
        assert abs(answer.value - expected) <= slack, (answer.value, expected)
        assert answer.value <= answer.upper_bound <= answer.value + slack
        assert_forces_hold(answer.assembly, answer.value * answer.direction, answer.forces, answer.pieces)
        assert proven_bound(answer, exact=exact) <= answer.upper_bound + max(1e-8 * abs(expected), floor)
    assert answer.verify()


def assert_verdict(answer: hf.statics.Equilibrium, holds: bool) -> None:
    """A verdict is the expected one; its forces balance, or its proof stands in exact arithmetic."""
    assert answer.status == ("holds" if holds else "does not hold")
    assert answer.verify()
    if holds:
        assert_forces_hold(answer.assembly, answer.wrench, answer.forces, answer.pieces)
    else:
        assert refutes(answer, exact=True)


# -- random assemblies ------------------------------------------------------------------------------


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """A rotation drawn evenly."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else q[:, [1, 0, 2]]


def block(low: Sequence[float], high: Sequence[float]) -> np.ndarray:
    """(8, 3) corners of a box."""
    return np.array(list(itertools.product(*zip(low, high, strict=True))), dtype=float)


def pyramid(mu: float, cap: float) -> np.ndarray:
    """(5, 3) four-sided Coulomb pyramid with its tip at zero."""
    return np.array(
        [[0, 0, 0], *([sx * mu * cap, sy * mu * cap, cap] for sx in (1, -1) for sy in (1, -1))], dtype=float
    )


def dented_unit(shear: float = 20.0, pull: float = 4.0, press: float = 30.0) -> hf.ForceVolume:
    """A microspine-like unit of two pieces: it pulls only while it shears, along +x or along -x."""
    sides = []
    for sign in (1.0, -1.0):
        pulls = [[sign * shear, y, -pull] for y in (-4.0, 4.0)]
        slides = [[sign * shear, y, 0.0] for y in (-6.0, 6.0)]
        presses = [[x, y, press] for x in (-15.0, 15.0) for y in (-15.0, 15.0)]
        sides.append(np.array([[0.0, 0.0, 0.0], *pulls, *slides, *presses]))
    return hf.ForceVolume(sides)


def random_volume(rng: np.random.Generator, pieces: int, *, rays: bool, offset: bool) -> hf.ForceVolume:
    """A union of random bodies; some with rays, some that do not contain zero."""
    bodies: list[np.ndarray] = []
    directions: list[np.ndarray | None] = []
    for _ in range(pieces):
        middle = rng.normal(size=3)
        middle /= np.linalg.norm(middle)
        points = rng.normal(size=(int(rng.integers(4, 10)), 3)) * rng.uniform(1.0, 4.0) + 4.0 * middle
        if offset and rng.random() < 0.5:
            points = points + 6.0 * middle
        else:
            points = np.concatenate([np.zeros((1, 3)), points])
        bodies.append(points)
        if rays and rng.random() < 0.5:
            directions.append(middle + 0.3 * rng.normal(size=(int(rng.integers(1, 4)), 3)))
        else:
            directions.append(None)
    return hf.ForceVolume(bodies, directions)


def random_joints(rng: np.random.Generator, contacts: int) -> hf.JointRows:
    """A few joint rows: boxed, one-sided, passive, and some whose limits exclude zero."""
    rows = int(rng.integers(1, 4))
    jacobian = rng.normal(size=(rows, 3 * contacts)) * 0.1
    lower, upper = -rng.uniform(0.0, 1.0, rows), rng.uniform(0.0, 1.0, rows)
    for row in range(rows):
        kind = rng.random()
        if kind < 0.15:
            lower[row] = -np.inf
        elif kind < 0.3:
            upper[row] = np.inf
        elif kind < 0.45:
            lower[row] = upper[row] = 0.0
        elif kind < 0.6:
            lower[row], upper[row] = 0.05, 0.6
    return hf.JointRows(jacobian, lower, upper)


@dataclass(frozen=True)
class Case:
    """A random assembly and a load."""

    seed: int
    assembly: hf.Assembly
    direction: np.ndarray


def random_case(seed: int, *, most_choices: int = 64) -> Case:
    """1 to 6 contacts of 1 to 4 pieces each; every other seed has joint rows, every third rays, every fourth no zero.

    Most loads are ones that some forces of the hulls balance, so that limits are neither all zero nor absent.
    """
    rng = np.random.default_rng(seed)
    joints, rays, offset = seed % 2 == 1, seed % 3 == 2, seed % 4 >= 2
    while True:
        k = int(rng.integers(1, 7))
        counts = rng.integers(1, 5, size=k)
        if np.prod(counts) <= most_choices:
            break
    shared = random_volume(rng, int(counts[0]), rays=rays, offset=offset)
    contacts = []
    for i in range(k):
        same = counts[i] == counts[0]
        volume = shared if same else random_volume(rng, int(counts[i]), rays=rays, offset=offset)
        contacts.append(hf.Contact(rng.normal(size=3) * 0.1, random_rotation(rng), volume))
    assembly = hf.Assembly(contacts, random_joints(rng, k) if joints else None)
    choice = (int(rng.integers(len(contact.volume.pieces))) for contact in contacts)
    direction = _balanced_load(rng, contacts, choice)
    if rng.random() < 0.2 and k > 2:
        direction = np.concatenate([rng.normal(size=3), 0.1 * rng.normal(size=3)])
    return Case(seed, assembly, direction)


def _balanced_load(rng: np.random.Generator, contacts: Sequence[hf.Contact], choice: Iterable[int]) -> np.ndarray:
    """The load that balances some forces, each in a chosen piece."""
    direction = np.zeros(6)
    for contact, piece in zip(contacts, choice, strict=True):
        points = contact.volume.pieces[piece]
        force = contact.rotation @ (rng.dirichlet(np.ones(len(points))) @ points)
        direction -= np.concatenate([force, np.cross(contact.position, force)])
    return direction


def random_unit_case(seed: int, *, most_choices: int = 32) -> Case:
    """1 to 4 units of 1 to 4 points, 1 to 4 pieces each; joint rows, rays and pieces without zero as in `random_case`.

    At least one unit has several points and several pieces. Most units are flat: their points have one frame and shares
    of one volume. Others have a volume at each point.
    """
    rng = np.random.default_rng([seed, 19])
    joints, rays, offset = seed % 2 == 1, seed % 3 == 2, seed % 4 >= 2
    while True:
        counts = rng.integers(1, 5, size=int(rng.integers(1, 5)))
        sizes = rng.integers(1, 5, size=len(counts))
        if np.prod(counts) <= most_choices and ((counts > 1) & (sizes > 1)).any():
            break
    contacts: list[hf.Contact] = []
    choice: list[int] = []
    for u, (count, points) in enumerate(zip(counts.tolist(), sizes.tolist(), strict=True)):
        unit = hf.assembly.Unit(f"unit {u}")
        volume = random_volume(rng, count, rays=rays, offset=offset)
        rotation, middle, flat = random_rotation(rng), 0.1 * rng.normal(size=3), rng.random() < 0.7
        for share in rng.dirichlet(np.full(points, 5.0)):
            position = middle + rotation @ np.append(0.03 * rng.normal(size=2), 0.0)
            own = volume.scaled(share) if flat else random_volume(rng, count, rays=rays, offset=offset)
            contacts.append(hf.Contact(position, rotation if flat else random_rotation(rng), own, unit=unit))
        choice += [int(rng.integers(count))] * points
    assembly = hf.Assembly(contacts, random_joints(rng, len(contacts)) if joints else None)
    direction = _balanced_load(rng, contacts, choice)
    if rng.random() < 0.2 and len(contacts) > 2:
        direction = np.concatenate([rng.normal(size=3), 0.1 * rng.normal(size=3)])
    return Case(seed, assembly, direction)


def similar_units_case(seed: int) -> Case:
    """4 to 7 similar units of two or three pieces, in similar places: what relaxations mix fractions of.

    Some are single contacts, others have two points; every other seed has joint rows.
    """
    rng = np.random.default_rng([seed, 26])
    k = int(rng.integers(4, 8))
    volume = dented_unit(*rng.uniform([10, 2, 10], [30, 8, 30]))
    if seed % 3 == 0 and k < 6:
        volume = random_volume(rng, 3, rays=False, offset=False)
    rotation, points, spread = random_rotation(rng), int(rng.integers(1, 3)), 10 ** rng.uniform(-3, -1)
    contacts: list[hf.Contact] = []
    for u in range(k):
        turned = rotation @ random_rotation(rng) if rng.random() < 0.2 else rotation
        middle, unit = spread * rng.normal(size=3), hf.assembly.Unit(f"unit {u}")
        for p in range(points):
            place = middle + turned @ np.array([0.01 * p, 0.0, 0.0])
            contacts.append(hf.Contact(place, turned, volume.scaled(1.0 / points), unit=unit))
    joints = random_joints(rng, len(contacts)) if seed % 2 else None
    direction = rotation @ np.array([0.2 * rng.normal(), 0.2 * rng.normal(), 1.0])
    turn = 0.3 * spread * rng.normal(size=3)
    return Case(seed, hf.Assembly(contacts, joints), np.concatenate([direction, turn]))


def random_cases(seeds: range, **options: int) -> Iterator[Case]:
    """Cases of many seeds."""
    return (random_case(seed, **options) for seed in seeds)


# -- distances by brute force -----------------------------------------------------------------------


def distance_to_triangle(point: np.ndarray, corners: np.ndarray) -> float:
    """Distance of a point to a filled triangle (3, 3): the plane if its foot lies inside, else the edges."""
    a, b, c = corners
    normal = np.cross(b - a, c - a)
    length = float(np.linalg.norm(normal))
    if length > 0.0:
        normal = normal / length
        sides = [np.cross(q - p, point - p) @ normal for p, q in ((a, b), (b, c), (c, a))]
        if min(sides) >= 0.0:
            return abs(float((point - a) @ normal))
    return min(distance_to_segment(point, p, q) for p, q in ((a, b), (b, c), (c, a)))


def distance_to_segment(point: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    """Distance of a point to a segment."""
    along = end - start
    square = float(along @ along)
    share = 0.0 if square == 0.0 else float(np.clip((point - start) @ along / square, 0.0, 1.0))
    return float(np.linalg.norm(point - (start + share * along)))


def distance_to_surface(point: np.ndarray, vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Distance of a point to a closed surface of triangles, from the inside or the outside."""
    return min(distance_to_triangle(point, vertices[t]) for t in triangles)
