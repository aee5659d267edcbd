"""Several bodies from first principles: random assemblies, limits by scipy, and proofs checked body by body.

Nothing of Holdfast is used but the numbers of the contacts: position, rotation, vertices, rays, `body` and `against`.
A force at a contact acts on `body`, its opposite on `against`. Balance is written out for every body, with torques
about a point of its own. Every choice of one piece per unit is one sparse linear program over weights of vertices and
rays, solved by HiGHS.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

import holdfast as hf
from tests.referee import LP_TOLERANCE, RAY_SLACK, block, dented_unit, distance_to_piece, random_rotation

Names = Sequence[str]


# -- the referee's limits ------------------------------------------------------------------------------


def names_of(assembly: hf.Assembly) -> list[str]:
    """The bodies in the order of their first mention, each contact's `body` before its `against`."""
    found: dict[str, None] = {}
    for contact in assembly.contacts:
        for name in (contact.body, contact.against):
            if name is not None:
                found[name] = None
    return list(found)


def points_of(assembly: hf.Assembly) -> dict[str, np.ndarray]:
    """A point of reference for every body: the middle of its contacts' bounding box."""
    own: dict[str, list[np.ndarray]] = {name: [] for name in names_of(assembly)}
    for contact in assembly.contacts:
        for name in (contact.body, contact.against):
            if name is not None:
                own[name].append(contact.position)
    return {name: 0.5 * (np.min(found, axis=0) + np.max(found, axis=0)) for name, found in own.items()}


def choices(assembly: hf.Assembly) -> Iterator[tuple[int, ...]]:
    """Every choice of one piece per unit, as the piece of each contact."""
    groups = unit_groups(assembly)
    counts = [range(len(assembly.contacts[group[0]].volume.pieces)) for group in groups]
    for chosen in itertools.product(*counts):
        pieces = [0] * len(assembly.contacts)
        for group, piece in zip(groups, chosen, strict=True):
            for i in group:
                pieces[i] = piece
        yield tuple(pieces)


def unit_groups(assembly: hf.Assembly) -> list[list[int]]:
    """The contacts that choose together."""
    groups: dict[object, list[int]] = {}
    for i, contact in enumerate(assembly.contacts):
        alone = contact.unit is None or len(contact.volume.pieces) == 1
        groups.setdefault(i if alone else contact.unit, []).append(i)
    return list(groups.values())


def largest_factor(assembly: hf.Assembly, growing: np.ndarray, constant: np.ndarray | None = None) -> float:
    """The largest d with constant + d growing (6 n,) held by any choice of pieces; -inf for none, inf without limit."""
    best = -np.inf
    for pieces in choices(assembly):
        best = max(best, _program(assembly, growing, constant, pieces))
    return best


def _program(assembly: hf.Assembly, growing: np.ndarray, constant: np.ndarray | None, pieces: Sequence[int]) -> float:
    names, points = names_of(assembly), points_of(assembly)
    constant = np.zeros(6 * len(names)) if constant is None else constant
    arms = dict.fromkeys(names, 1e-3)
    for contact in assembly.contacts:
        for name in (contact.body, contact.against):
            if name is not None:
                arms[name] = max(arms[name], float(np.linalg.norm(contact.position - points[name])))
    strength = _largest_entry(growing, names, points, arms)
    size = _largest_entry(constant, names, points, arms)
    if size == 0.0:
        sizes = [float(np.abs(c.volume.pieces[p]).max()) for c, p in zip(assembly.contacts, pieces, strict=True)]
        size = float(np.median([s for s in sizes if s > 0.0] or [1.0]))
    rows, columns, values = [], [], []

    def put(row: int, column: int, value: float) -> None:
        if value != 0.0:
            rows.append(row)
            columns.append(column)
            values.append(value)

    def put_wrench(name: str, column: int, force: np.ndarray, torque: np.ndarray) -> None:
        first = 6 * names.index(name)
        for axis in range(3):
            put(first + axis, column, force[axis])
            put(first + 3 + axis, column, torque[axis] / arms[name])

    right = np.zeros(6 * len(names))
    for at, name in enumerate(names):
        force, torque = growing[6 * at : 6 * at + 3] / strength, growing[6 * at + 3 : 6 * at + 6] / strength
        put_wrench(name, 0, force, torque - np.cross(points[name], force))
        force, torque = constant[6 * at : 6 * at + 3] / size, constant[6 * at + 3 : 6 * at + 6] / size
        right[6 * at : 6 * at + 3] = -force
        right[6 * at + 3 : 6 * at + 6] = -(torque - np.cross(points[name], force)) / arms[name]
    column, sums, joint = 1, [], []
    for i, (contact, piece) in enumerate(zip(assembly.contacts, pieces, strict=True)):
        vertices, rays = contact.volume.pieces[piece] / size, contact.volume.rays[piece]
        units = rays / np.linalg.norm(rays, axis=1, keepdims=True)
        own = []
        for number, local in enumerate([*vertices, *units]):
            force = contact.rotation @ local
            for name, sign in ((contact.body, 1.0), (contact.against, -1.0)):
                if name is not None:
                    put_wrench(name, column, sign * force, sign * np.cross(contact.position - points[name], force))
            if assembly.joints is not None:
                joint.append((column, assembly.joints.jacobian[:, 3 * i : 3 * i + 3] @ force))
            if number < len(vertices):
                own.append(column)
            column += 1
        sums.append(own)
    for number, own in enumerate(sums):
        for at in own:
            put(len(right) + number, at, 1.0)
    right = np.concatenate([right, np.ones(len(sums))])
    above, at_most = None, None
    if assembly.joints is not None:
        dense = np.zeros((len(assembly.joints.lower), column))
        for at, own_values in joint:
            dense[:, at] = own_values
        scale = np.maximum(np.abs(dense).max(axis=1), 1e-12)
        high, low = assembly.joints.upper / size / scale, assembly.joints.lower / size / scale
        dense /= scale[:, None]
        above = np.concatenate([dense[np.isfinite(high)], -dense[np.isfinite(low)]])
        at_most = np.concatenate([high[np.isfinite(high)], -low[np.isfinite(low)]])
    equal = csr_array((values, (rows, columns)), shape=(len(right), column))
    cost = np.zeros(column)
    cost[0] = -1.0
    found = None
    for method in ("highs-ds", "highs-ipm"):
        found = linprog(
            cost,
            A_ub=above,
            b_ub=at_most,
            A_eq=equal,
            b_eq=right,
            bounds=[(None, None)] + [(0.0, None)] * (column - 1),
            method=method,
            options={"primal_feasibility_tolerance": LP_TOLERANCE, "dual_feasibility_tolerance": LP_TOLERANCE},
        )
        if found.status == 0:
            return float(found.x[0]) * size / strength
        if found.status in (2, 3):
            return np.inf if found.status == 3 else -np.inf
    raise AssertionError(found.message)


def _largest_entry(load: np.ndarray, names: Names, points: dict[str, np.ndarray], arms: dict[str, float]) -> float:
    largest = 0.0
    for at, name in enumerate(names):
        force, torque = load[6 * at : 6 * at + 3], load[6 * at + 3 : 6 * at + 6]
        torque = torque - np.cross(points[name], force)
        largest = max(largest, float(np.abs(force).max()), float(np.abs(torque).max()) / arms[name])
    return largest


# -- proofs checked ------------------------------------------------------------------------------------


def assert_balance(
    assembly: hf.Assembly, load: np.ndarray, forces: np.ndarray, pieces: np.ndarray, *, slack: float = 1.0
) -> None:
    """Every body in balance to 1e-9 of the largest force or load, joint rows kept, every force in its piece."""
    names, points = names_of(assembly), points_of(assembly)
    force_sum, torque_sum = np.zeros((len(names), 3)), np.zeros((len(names), 3))
    arm = 1e-6
    for contact, force in zip(assembly.contacts, forces, strict=True):
        for name, sign in ((contact.body, 1.0), (contact.against, -1.0)):
            if name is not None:
                offset = contact.position - points[name]
                arm = max(arm, float(np.linalg.norm(offset)), 1e-7 * float(np.linalg.norm(contact.position)))
                force_sum[names.index(name)] += sign * force
                torque_sum[names.index(name)] += sign * np.cross(offset, force)
    largest = max(float(np.abs(forces).max()), 1e-300)
    for at, name in enumerate(names):
        own = load[6 * at : 6 * at + 6]
        force_sum[at] += own[:3]
        torque_sum[at] += own[3:] - np.cross(points[name], own[:3])
        largest = max(
            largest, float(np.abs(own[:3]).max()), float(np.abs(own[3:] - np.cross(points[name], own[:3])).max()) / arm
        )
    smallest = min(float(np.abs(c.volume.pieces[p]).max()) for c, p in zip(assembly.contacts, pieces, strict=True))
    largest = max(largest, 1e-6 * smallest)
    np.testing.assert_allclose(force_sum / largest, 0.0, atol=2e-9 * slack)
    np.testing.assert_allclose(torque_sum / (largest * arm), 0.0, atol=2e-9 * slack)
    for group in unit_groups(assembly):
        assert len({int(pieces[i]) for i in group}) == 1
    for force, piece, contact in zip(forces, pieces, assembly.contacts, strict=True):
        vertices, rays = contact.volume.pieces[piece], contact.volume.rays[piece]
        local = contact.rotation.T @ force
        size = max(float(np.abs(vertices).max()), float(np.abs(local).max()))
        assert distance_to_piece(local, vertices, rays) <= 2e-9 * slack * size
    if assembly.joints is not None:
        reached = assembly.joints.jacobian @ forces.ravel()
        tiny = 2e-9 * slack * largest * np.maximum(np.abs(assembly.joints.jacobian).sum(axis=1), arm)
        assert (reached >= assembly.joints.lower - tiny).all()
        assert (reached <= assembly.joints.upper + tiny).all()


def leaf_bound(assembly: hf.Assembly, masks: Sequence[int], motion: np.ndarray, weights: np.ndarray) -> Fraction | None:
    """What forces and joint rows leave: (most that contacts add) - (least that joint rows need); None if unlimited.

    `motion` (n, 6) is the velocity of each body's point at the world origin and its angular velocity. A contact's
    force works on the velocity of `body` relative to `against` at the contact point.
    """
    names = names_of(assembly)
    twists = {name: [Fraction(float(t)) for t in motion[at]] for at, name in enumerate(names)}
    total = Fraction(0)
    for group, mask in zip(unit_groups(assembly), masks, strict=True):
        allowed = [j for j in range(len(assembly.contacts[group[0]].volume.pieces)) if mask >> j & 1]
        assert allowed
        best = []
        for j in allowed:
            values = [_most(assembly, i, j, twists, motion, names, weights) for i in group]
            if any(value is None for value in values):
                return None
            best.append(sum(values))
        total += max(best)
    for row, weight in enumerate(weights):
        if weight != 0.0:
            end = assembly.joints.lower[row] if weight > 0.0 else assembly.joints.upper[row]
            if not np.isfinite(end):
                return None
            total -= Fraction(float(weight)) * Fraction(float(end))
    return total


def _most(
    assembly: hf.Assembly,
    i: int,
    piece: int,
    twists: dict[str, list[Fraction]],
    motion: np.ndarray,
    names: Names,
    weights: np.ndarray,
) -> Fraction | None:
    contact = assembly.contacts[i]
    x = [Fraction(float(t)) for t in contact.position]
    velocity, size = [Fraction(0)] * 3, 0.0
    for name, sign in ((contact.body, 1), (contact.against, -1)):
        if name is None:
            continue
        t = twists[name]
        own = (
            t[0] + t[4] * x[2] - t[5] * x[1],
            t[1] + t[5] * x[0] - t[3] * x[2],
            t[2] + t[3] * x[1] - t[4] * x[0],
        )
        velocity = [a + sign * b for a, b in zip(velocity, own, strict=True)]
        m = motion[names.index(name)]
        size += float(np.linalg.norm(m[:3]) + np.linalg.norm(m[3:]) * np.linalg.norm(contact.position))
    for row, weight in enumerate(weights):
        entries = assembly.joints.jacobian[row, 3 * i : 3 * i + 3]
        velocity = [a + Fraction(float(weight)) * Fraction(float(b)) for a, b in zip(velocity, entries, strict=True)]
        size += abs(float(weight)) * float(np.abs(entries).sum())
    local = [sum(velocity[a] * Fraction(float(contact.rotation[a, b])) for a in range(3)) for b in range(3)]
    rays = contact.volume.rays[piece]
    slopes = rays @ np.array([float(t) for t in local])
    if (slopes > RAY_SLACK * size * np.linalg.norm(rays, axis=1)).any():
        return None
    return max(
        sum(Fraction(float(a)) * b for a, b in zip(vertex, local, strict=True))
        for vertex in contact.volume.pieces[piece]
    )


def covers(assembly: hf.Assembly, boxes: Sequence[Sequence[int]]) -> bool:
    """Whether every choice of one piece per unit lies in exactly one box."""
    firsts = [group[0] for group in unit_groups(assembly)]
    return all(
        sum(all(mask >> chosen[i] & 1 for mask, i in zip(box, firsts, strict=True)) for box in boxes) == 1
        for chosen in choices(assembly)
    )


def is_refuted(answer: hf.statics.Equilibrium) -> bool:
    """Whether virtual motions of the bodies prove, in rational numbers, that the load is not held."""
    certificate, assembly = answer.certificate, answer.assembly
    if certificate is None or not covers(assembly, [leaf.masks for leaf in certificate.leaves]):
        return False
    leaves = zip(certificate.leaves, answer.separating_wrenches, answer.joint_multipliers, strict=True)
    for leaf, twists, weights in leaves:
        most = leaf_bound(assembly, leaf.masks, twists.reshape(-1, 6), weights)
        work = sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(twists, answer.wrench, strict=True))
        if most is None or not most + work < 0:
            return False
    return True


def bound_from_motions(answer: hf.statics.LoadLimit) -> float:
    """No multiple of the load above this is held, by the virtual motions of the certificate."""
    certificate, assembly = answer.certificate, answer.assembly
    if certificate is None or not covers(assembly, [leaf.masks for leaf in certificate.leaves]):
        return np.inf
    bound = -np.inf
    leaves = zip(certificate.leaves, answer.separating_wrenches, answer.joint_multipliers, strict=True)
    for leaf, twists, weights in leaves:
        most = leaf_bound(assembly, leaf.masks, twists.reshape(-1, 6), weights)
        work = sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(twists, answer.direction, strict=True))
        size = float(np.abs(twists * answer.direction).sum())
        if most is None:
            return np.inf
        if abs(work) <= 1e-11 * size:
            if most >= 0:
                return np.inf
        elif work > 0:
            return np.inf
        else:
            bound = max(bound, float(most / -work))
    return bound


# -- random assemblies ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class BodiesCase:
    """A random assembly of several bodies, and a load (6 n,) on all of them that some forces balance."""

    seed: int
    assembly: hf.Assembly
    load: np.ndarray


@cache
def volumes(kind: str) -> tuple[hf.ForceVolume, ...]:
    """The force volumes of an assembly: "convex" or "union"."""
    convex = (
        hf.models.coulomb(0.6, facets=8),
        hf.models.coulomb(0.4, cap=30.0, facets=8),
        hf.models.suction(20.0, 0.5, facets=8),
        hf.models.magnet(15.0, 0.4, cap=40.0, facets=8),
        hf.models.pyramid(0.7),
        hf.models.gecko(10.0),
        hf.ForceVolume([block([-8.0, -6.0, -10.0], [8.0, 6.0, 20.0])]),
    )
    if kind == "convex":
        return convex
    return (*convex, *[hf.models.gecko_two_way(12.0), dented_unit(), hf.models.gecko_two_way(5.0, cap=25.0)] * 2)


def random_bodies(
    seed: int, *, kind: str = "convex", bodies: int | None = None, joints: bool | None = None, most_choices: int = 24
) -> BodiesCase:
    """2 to 12 bodies: a tree from the world, loops in two of three, joint rows in every third.

    The load balances forces drawn from one choice of pieces. In every seventh case it is drawn at random instead.
    """
    rng = np.random.default_rng([seed, 22, len(kind)])
    count = int(rng.integers(2, 13 if kind == "convex" else 6)) if bodies is None else bodies
    names: list[str | None] = [f"body {at}" for at in rng.permutation(count)]
    places = rng.uniform(-0.5, 0.5, (count, 3))
    pairs: list[tuple[int, int | None]] = []
    for at in range(count):
        alone = at == 0 or rng.random() < 0.25
        pairs.append((at, None if alone else int(rng.integers(at))))
    if seed % 3:
        for _ in range(int(rng.integers(1, count + 1))):
            a, b = rng.choice(count, 2, replace=False)
            pairs.append((int(a), None if rng.random() < 0.3 else int(b)))
    offered, contacts, combinations = volumes(kind), [], 1
    pieces: list[int] = []
    for number, (a, b) in enumerate(pairs):
        volume = offered[int(rng.integers(len(offered)))]
        points, shared = int(rng.integers(1, 5)), rng.random() < 0.5
        choosing = len(volume) if shared else len(volume) ** points
        if combinations * choosing > most_choices:
            volume = offered[int(rng.integers(7))]
            choosing = 1
        combinations *= choosing
        other = places[a] - 0.2 * np.array([0.0, 0.0, 1.0]) if b is None else places[b]
        normal = (places[a] - other) / np.linalg.norm(places[a] - other) + 0.2 * rng.normal(size=3)
        frame = hf.frame_from_normal(normal / np.linalg.norm(normal))
        middle, unit = 0.5 * (places[a] + other), hf.assembly.Unit(f"unit {number}") if shared else None
        own = volume.scaled(1.0 / points) if shared and len(volume) > 1 else volume
        piece = int(rng.integers(len(volume)))
        for point in range(points):
            position = middle + frame @ np.append(0.08 * rng.normal(size=2), 0.0)
            turn = frame @ hf.rotation_about([0, 0, 1], rng.uniform(-np.pi, np.pi)) if not shared else frame
            swapped = rng.random() < 0.3 and b is not None and not shared
            body, against = (b, a) if swapped else (a, b)
            contacts.append(
                hf.Contact(
                    position,
                    turn @ np.diag([1.0, -1.0, -1.0]) if swapped else turn,
                    own,
                    name=f"{number}.{point}",
                    unit=unit,
                    body=names[body],
                    against=None if against is None else names[against],
                )
            )
            pieces.append(piece if shared else int(rng.integers(len(volume))))
    forces = []
    for contact, piece in zip(contacts, pieces, strict=True):
        points, rays = contact.volume.pieces[piece], contact.volume.rays[piece]
        local = rng.dirichlet(np.ones(len(points))) @ points
        if len(rays):
            local = local + 5.0 * rng.dirichlet(np.ones(len(rays))) @ (rays / np.linalg.norm(rays, axis=1)[:, None])
        forces.append(contact.rotation @ local)
    rows = None
    if seed % 3 == 0 if joints is None else joints:
        height = int(rng.integers(1, 4))
        jacobian = 0.1 * rng.normal(size=(height, 3 * len(contacts))) * (rng.random((height, 3 * len(contacts))) < 0.4)
        reached = jacobian @ np.ravel(forces)
        low, high = rng.uniform(0.0, 1.0, (2, height))
        lower = np.where(rng.random(height) < 0.2, -np.inf, reached - low)
        upper = np.where(rng.random(height) < 0.2, np.inf, reached + high)
        rows = hf.JointRows(jacobian, lower, upper)
    assembly = hf.Assembly(contacts, rows)
    load = -external(assembly, np.array(forces))
    if seed % 7 == 6:
        load = rng.normal(size=load.shape) * np.tile([1.0, 1.0, 1.0, 0.1, 0.1, 0.1], count)
    return BodiesCase(seed, assembly, load)


def external(assembly: hf.Assembly, forces: np.ndarray) -> np.ndarray:
    """(6 n,) the wrenches about the world origin that contact forces (k, 3) exert on the bodies."""
    names = names_of(assembly)
    total = np.zeros((len(names), 6))
    for contact, force in zip(assembly.contacts, forces, strict=True):
        wrench = np.concatenate([force, np.cross(contact.position, force)])
        for name, sign in ((contact.body, 1.0), (contact.against, -1.0)):
            if name is not None:
                total[names.index(name)] += sign * wrench
    return total.ravel()


def rotated(rng: np.random.Generator) -> hf.Pose:
    """A random rigid motion within a metre."""
    return hf.Pose(random_rotation(rng), rng.normal(size=3))
