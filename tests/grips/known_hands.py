"""Hands whose wrench sets are known in closed form, and the full linear program for the others."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from scipy.optimize import linprog

import holdfast as hf
from tests.referee import choices_of, random_rotation


def box(x: float, y: float, z: float) -> hf.ForceVolume:
    """All forces with |f_x| <= x, |f_y| <= y, |f_z| <= z."""
    return hf.ForceVolume([[(a * x, b * y, c * z) for a, b, c in product((-1, 1), repeat=3)]])


def parallelepiped() -> tuple[hf.Assembly, np.ndarray]:
    """Six contacts that only push and pull along one line each: a 6-D parallelepiped; also its 6 half-edges (6, 6)."""
    lines = [
        ((0.1, 0.0, 0.0), (0.0, 0.0, 1.0), 10.0),
        ((-0.1, 0.05, 0.0), (0.0, 0.0, 1.0), 20.0),
        ((0.0, 0.1, 0.0), (1.0, 0.0, 0.0), 5.0),
        ((0.0, -0.1, 0.02), (1.0, 0.0, 0.0), 8.0),
        ((0.0, 0.0, 0.1), (0.0, 1.0, 0.0), 12.0),
        ((0.03, 0.0, -0.1), (0.0, 1.0, 0.0), 7.0),
    ]
    contacts, edges = [], []
    for position, direction, size in lines:
        volume = hf.ForceVolume([[(0.0, 0.0, -size), (0.0, 0.0, size)]], allow_flat=True)
        contacts.append(hf.Contact(np.array(position), hf.frame_from_normal(direction), volume))
        force = size * np.array(direction)
        edges.append(np.concatenate([force, np.cross(position, force)]))
    return hf.Assembly(contacts, name="six lines"), np.array(edges)


def box_hand(lower: np.ndarray, upper: np.ndarray) -> hf.Assembly:
    """One contact whose forces joints keep between `lower` and `upper` (3,): a hand with a box of forces."""
    contact = hf.Contact(np.array([0.1, 0.0, 0.0]), np.eye(3), box(30.0, 30.0, 30.0))
    return hf.Assembly([contact], hf.JointRows(np.eye(3), lower, upper))


def opposed_points(mu: float = 0.5, most: float = 20.0, reach: float = 0.05) -> hf.Assembly:
    """Two fingertips opposite each other on x, each pressing with at most `most` newtons within a friction pyramid."""
    tip = hf.models.coulomb(mu, facets=4, cap=most)
    left = hf.Contact(np.array([-reach, 0.0, 0.0]), hf.frame_from_normal((1.0, 0.0, 0.0)), tip)
    right = hf.Contact(np.array([reach, 0.0, 0.0]), hf.frame_from_normal((-1.0, 0.0, 0.0)), tip)
    return hf.Assembly([left, right], name="pinch")


def crossed(size: float = 10.0, width: float = 1.0) -> hf.ForceVolume:
    """Two long thin boxes crossing at 0: a union far from its hull."""
    long, thin = box(size, width, width).pieces[0], box(width, size, width).pieces[0]
    return hf.ForceVolume([long, thin])


def hinged(volume: hf.ForceVolume, k: int = 4, fingers: int = 2, seed: int = 0, torque: float = 0.6) -> hf.Assembly:
    """`fingers` fingers of k contacts each around the origin, each on two hinges of its own."""
    rng = np.random.default_rng(seed)
    contacts = [hf.Contact(rng.normal(size=3) * 0.05, random_rotation(rng), volume) for _ in range(k * fingers)]
    blocks = []
    for finger in range(fingers):
        rows = np.zeros((2, 3 * k * fingers))
        rows[:, 3 * k * finger : 3 * k * (finger + 1)] = rng.normal(size=(2, 3 * k)) * 0.05
        blocks.append(rows)
    jacobian = np.concatenate(blocks)
    limits = np.full(len(jacobian), torque)
    return hf.Assembly(contacts, hf.JointRows(jacobian, -limits, limits))


def with_units(hand: hf.Assembly, points: int) -> hf.Assembly:
    """The hand with every so many contacts as points of one unit."""
    units = [hf.assembly.Unit(f"unit {i}") for i in range(len(hand))]
    contacts = [replace(contact, unit=units[i // points]) for i, contact in enumerate(hand.contacts)]
    return hf.Assembly(contacts, hand.joints, hand.name)


def union_support(hand: hf.Assembly, direction: np.ndarray) -> float:
    """max direction . (-W f) over every choice of one piece per unit, each by `hull_support`."""
    best = -np.inf
    for choice in choices_of(hand):
        contacts = [
            replace(c, volume=hf.ForceVolume([c.volume.pieces[j]]), unit=None)
            for c, j in zip(hand.contacts, choice, strict=True)
        ]
        best = max(best, hull_support(hf.Assembly(contacts, hand.joints), direction))
    return best


def jointed(rng: np.random.Generator, contacts: int = 3, rows: int = 2) -> hf.Assembly:
    """A random hand of convex volumes with 0 inside, all contacts on shared joints."""
    made = [
        hf.Contact(
            rng.normal(size=3) * 0.1,
            random_rotation(rng),
            hf.ForceVolume([np.concatenate([5.0 * rng.normal(size=(8, 3)), np.zeros((1, 3))])]),
        )
        for _ in range(contacts)
    ]
    limits = rng.uniform(0.1, 1.0, rows)
    return hf.Assembly(made, hf.JointRows(rng.normal(size=(rows, 3 * contacts)) * 0.1, -limits, limits * 1.5))


def hull_support(assembly: hf.Assembly, direction: np.ndarray, sign: float = 1.0) -> float:
    """max direction . sign (-W f) over the hulls, by HiGHS on all vertices at once; the joint rows as given."""
    columns, objective, rows, blocks = 0, [], [], []
    wrench = assembly.wrench_matrix.reshape(6, -1, 3)
    for i, contact in enumerate(assembly.contacts):
        forces = np.concatenate(contact.volume.pieces) @ contact.rotation.T
        objective.append(-sign * forces @ (direction @ wrench[:, i]))
        blocks.append(np.arange(columns, columns + len(forces)))
        rows.append(
            np.zeros((0, len(forces)))
            if assembly.joints is None
            else assembly.joints.jacobian.reshape(-1, len(assembly), 3)[:, i] @ forces.T
        )
        columns += len(forces)
    convex = np.zeros((len(assembly), columns))
    for i, block in enumerate(blocks):
        convex[i, block] = 1.0
    torque = np.concatenate(rows, axis=1)
    limits = (np.zeros(0), np.zeros(0)) if assembly.joints is None else (assembly.joints.lower, assembly.joints.upper)
    bounds = np.concatenate([limits[1], -limits[0]])
    found = linprog(
        -np.concatenate(objective),
        A_ub=np.concatenate([torque, -torque]) if len(bounds) else None,
        b_ub=bounds if len(bounds) else None,
        A_eq=convex,
        b_eq=np.ones(len(assembly)),
        method="highs",
    )
    assert found.status == 0
    return -found.fun
