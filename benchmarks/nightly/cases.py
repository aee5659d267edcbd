"""Random questions, from ordinary to vicious, each the same for its number and seed.

They start from the small random assemblies that the tests use (1 to 6 contacts, 1 to 4 pieces, rays, joint rows) and
twist them: sizes over many orders of magnitude, flat and thin pieces, contacts that coincide or repeat, joints that
cannot move, loads at the border, zero loads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

import holdfast as hf
from tests.referee import Case, random_case

#: Choices of pieces an assembly has at most before it is twisted.
MOST_CHOICES = 64

#: Contacts that a repeated one becomes at most.
MOST_REPEATS = 20


@dataclass(frozen=True, eq=False)
class Query:
    """One question.

    Attributes:
        number: its number in the run.
        twist: what was done to the assembly or the load.
        kind: "test" or "limit".
        route: "cold", "warm" or "batch".
        assembly: whom it is asked of.
        wrench: (6,) the load, or its direction.
    """

    number: int
    twist: str
    kind: str
    route: str
    assembly: hf.Assembly
    wrench: np.ndarray


Twist = Callable[[Case, np.random.Generator], Case]


def query(number: int, seed: int) -> Query:
    """The question of this number; a HoldfastError where even the assembly is refused."""
    rng = np.random.default_rng([seed, number])
    case = random_case(int(rng.integers(2**31)), most_choices=MOST_CHOICES)
    name = tuple(TWISTS)[number % len(TWISTS)]
    case = TWISTS[name](case, rng)
    kind = "test" if rng.random() < 0.5 or not case.direction.any() else "limit"
    route = ("cold", "warm", "batch")[int(rng.choice(3, p=[0.6, 0.3, 0.1]))]
    return Query(number, name, kind, route, case.assembly, case.direction)


# -- twists of the load -----------------------------------------------------------------------------


def _plain(case: Case, rng: np.random.Generator) -> Case:
    return replace(case, direction=case.direction * rng.uniform(0.3, 1.5))


def _no_load(case: Case, rng: np.random.Generator) -> Case:
    return replace(case, direction=np.zeros(6))


def _load_size(case: Case, rng: np.random.Generator) -> Case:
    return replace(case, direction=case.direction * 10.0 ** rng.uniform(-9.0, 9.0))


def _pure_load(case: Case, rng: np.random.Generator) -> Case:
    """A force or a torque alone, along an axis."""
    direction = np.zeros(6)
    direction[int(rng.integers(6))] = rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-2.0, 1.0)
    return replace(case, direction=direction)


def _between_hull_and_union(case: Case, rng: np.random.Generator) -> Case:
    """A load that mixtures of pieces balance: the hulls hold it, the pieces may not."""
    direction = np.zeros(6)
    for contact in case.assembly.contacts:
        points = np.concatenate([piece[rng.integers(len(piece), size=1)] for piece in contact.volume.pieces])
        force = contact.rotation @ (rng.dirichlet(np.ones(len(points))) @ points)
        direction -= np.concatenate([force, np.cross(contact.position, force)])
    return replace(case, direction=direction * rng.uniform(0.9, 1.05))


def _along_rays(case: Case, rng: np.random.Generator) -> Case:
    """A load that rays balance, where there are any: it may grow for ever, or until joints or other pieces end it."""
    direction = np.zeros(6)
    for contact in case.assembly.contacts:
        rays = contact.volume.rays[int(rng.integers(len(contact.volume.rays)))]
        if len(rays):
            force = contact.rotation @ (rng.dirichlet(np.ones(len(rays))) @ rays)
            direction -= np.concatenate([force, np.cross(contact.position, force)])
    return replace(case, direction=direction) if direction.any() else case


def _border(case: Case, rng: np.random.Generator) -> Case:
    """A load within 1e-3 to 1e-6 of its limit, as the default method finds it."""
    if not case.direction.any():
        return case
    limit = hf.load_limit(case.assembly, case.direction)
    if limit.status != "optimal" or limit.value == 0.0:
        return case
    change = rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-6.0, -3.0)
    return replace(case, direction=case.direction * (limit.value + change * abs(limit.value)))


# -- twists of the assembly -------------------------------------------------------------------------


def _force_size(case: Case, rng: np.random.Generator) -> Case:
    """All forces and torques in another unit, or nearly so."""
    factor = 10.0 ** rng.uniform(-8.0, 8.0)
    volumes = {id(c.volume): c.volume.scaled(factor) for c in case.assembly.contacts}
    contacts = [hf.Contact(c.position, c.rotation, volumes[id(c.volume)]) for c in case.assembly.contacts]
    joints = case.assembly.joints
    if joints is not None:
        joints = hf.JointRows(joints.jacobian, factor * joints.lower, factor * joints.upper)
    return replace(case, assembly=hf.Assembly(contacts, joints), direction=case.direction * factor)


def _length_size(case: Case, rng: np.random.Generator) -> Case:
    """All lengths in another unit."""
    factor = 10.0 ** rng.uniform(-4.0, 4.0)
    contacts = [hf.Contact(factor * c.position, c.rotation, c.volume) for c in case.assembly.contacts]
    joints = case.assembly.joints
    if joints is not None:
        joints = hf.JointRows(factor * joints.jacobian, factor * joints.lower, factor * joints.upper)
    direction = case.direction * np.array([1.0, 1.0, 1.0, factor, factor, factor])
    return replace(case, assembly=hf.Assembly(contacts, joints), direction=direction)


def _far_away(case: Case, rng: np.random.Generator) -> Case:
    """The world's origin lies far off."""
    shift = rng.normal(size=3) * 10.0 ** rng.uniform(0.0, 3.0)
    force = case.direction[:3]
    direction = np.concatenate([force, case.direction[3:] + np.cross(shift, force)])
    return replace(case, assembly=case.assembly.moved(hf.Pose(np.eye(3), shift)), direction=direction)


def _with_pieces(case: Case, change: Callable[[np.ndarray], np.ndarray]) -> Case:
    """Every piece's vertices changed, volumes still shared."""
    volumes = {}
    for contact in case.assembly.contacts:
        if id(contact.volume) not in volumes:
            pieces = [np.unique(change(piece) + 0.0, axis=0) for piece in contact.volume.pieces]
            rays = [rays if len(rays) else None for rays in contact.volume.rays]
            volumes[id(contact.volume)] = hf.ForceVolume(pieces, rays, allow_flat=True)
    contacts = [hf.Contact(c.position, c.rotation, volumes[id(c.volume)]) for c in case.assembly.contacts]
    return replace(case, assembly=hf.Assembly(contacts, case.assembly.joints))


def _flat(case: Case, rng: np.random.Generator) -> Case:
    """Pieces squeezed to polygons, segments or points."""

    def squeezed(piece: np.ndarray) -> np.ndarray:
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        kept = axes[:, : int(rng.integers(0, 3))]
        return piece @ kept @ kept.T if rng.random() < 0.5 else piece

    return _with_pieces(case, squeezed)


def _thin(case: Case, rng: np.random.Generator) -> Case:
    """Pieces squeezed along one axis by up to nine orders of magnitude."""

    def squeezed(piece: np.ndarray) -> np.ndarray:
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        return piece - (1.0 - 10.0 ** rng.uniform(-9.0, 0.0)) * np.outer(piece @ axis, axis)

    return _with_pieces(case, squeezed)


def _wide(case: Case, rng: np.random.Generator) -> Case:
    """Pieces of one volume that differ in size by up to nine orders of magnitude."""
    return _with_pieces(case, lambda piece: piece * 10.0 ** rng.uniform(-6.0, 3.0))


def _rounded(case: Case, rng: np.random.Generator) -> Case:
    """Whole newtons, so that planes, edges and limits coincide exactly."""
    case = _with_pieces(case, np.round)
    contacts = [hf.Contact(np.round(c.position, 1), np.eye(3), c.volume) for c in case.assembly.contacts]
    return replace(case, assembly=hf.Assembly(contacts, case.assembly.joints), direction=np.round(case.direction))


def _coincident(case: Case, rng: np.random.Generator) -> Case:
    """All contacts in one point, or on one line."""
    axis, start = rng.normal(size=3), 0.1 * rng.normal(size=3)
    spread = float(rng.choice([0.0, 0.1]))
    contacts = [hf.Contact(start + spread * rng.normal() * axis, c.rotation, c.volume) for c in case.assembly.contacts]
    return replace(case, assembly=hf.Assembly(contacts, case.assembly.joints))


def _repeated(case: Case, rng: np.random.Generator) -> Case:
    """Each contact several times over; its joint rows, too."""
    times = rng.integers(1, 1 + MOST_REPEATS // len(case.assembly), size=len(case.assembly))
    contacts = [c for c, n in zip(case.assembly.contacts, times, strict=True) for _ in range(n)]
    joints = case.assembly.joints
    if joints is not None:
        blocks = np.split(joints.jacobian, len(case.assembly), axis=1)
        jacobian = np.concatenate([block for block, n in zip(blocks, times, strict=True) for _ in range(n)], axis=1)
        joints = hf.JointRows(jacobian, joints.lower, joints.upper)
    return replace(case, assembly=hf.Assembly(contacts, joints))


def _stiff_joints(case: Case, rng: np.random.Generator) -> Case:
    """Passive rows, the same row twice, a row of zeros, limits of very different sizes."""
    k = len(case.assembly)
    rows = 0.1 * rng.normal(size=(3, 3 * k))
    rows[2] = rows[1] if rng.random() < 0.5 else 0.0
    reach = 10.0 ** rng.uniform(-6.0, 6.0, size=3)
    lower, upper = -reach, reach.copy()
    lower[0] = upper[0] = 0.0
    return replace(case, assembly=hf.Assembly(case.assembly.contacts, hf.JointRows(rows, lower, upper)))


#: Every twist by its name; a run goes round them.
TWISTS: dict[str, Twist] = {
    "plain": _plain,
    "no load": _no_load,
    "size of the load": _load_size,
    "force or torque alone": _pure_load,
    "between hull and union": _between_hull_and_union,
    "along rays": _along_rays,
    "border": _border,
    "size of forces": _force_size,
    "size of lengths": _length_size,
    "far away": _far_away,
    "flat": _flat,
    "thin": _thin,
    "wide": _wide,
    "whole numbers": _rounded,
    "coincident": _coincident,
    "repeated": _repeated,
    "stiff joints": _stiff_joints,
}
