"""Assemblies of units whose points share a piece: random ones, and ones as regular as designs are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import holdfast as hf
from tests.referee import block, dented_unit, random_rotation

#: Axes of the world, both ways.
AXES = np.concatenate([np.eye(3), -np.eye(3)])


@dataclass(frozen=True, eq=False)
class UnitCase:
    """An assembly of units and a load; `volumes` are those of the whole units, in the order of `groups`."""

    assembly: hf.Assembly
    groups: tuple[range, ...]
    volumes: tuple[hf.ForceVolume, ...]
    direction: np.ndarray

    @property
    def single(self) -> hf.Assembly:
        """The same contacts, each on its own."""
        contacts = [hf.Contact(c.position, c.rotation, c.volume) for c in self.assembly.contacts]
        return hf.Assembly(contacts, self.assembly.joints)


def star(rng: np.random.Generator, pieces: int) -> hf.ForceVolume:
    """A union of random bodies around zero, each reaching another way."""
    bodies = []
    for _ in range(pieces):
        way = rng.normal(size=3)
        middle = rng.uniform(1.0, 4.0) * way / np.linalg.norm(way)
        points = middle + 0.5 * rng.normal(size=(int(rng.integers(3, 7)), 3))
        bodies.append(np.concatenate([np.zeros((1, 3)), points, -0.05 * points.mean(axis=0, keepdims=True)]))
    return hf.ForceVolume(bodies)


def random_units(seed: int, *, pieces: int = 3) -> UnitCase:
    """Two units anywhere, of up to so many pieces and of 1 to 6 points, perhaps a contact, perhaps joint rows."""
    rng = np.random.default_rng(seed)
    patches, volumes = [], []
    for _ in range(2):
        volume = star(rng, int(rng.integers(1, pieces + 1)))
        pose = hf.Pose(random_rotation(rng), 0.1 * rng.normal(size=3))
        kind = rng.random()
        if kind < 0.25:  # unequal shares
            x, y = rng.uniform(0.02, 0.08, 2)
            patch = hf.Patch.polygon(pose, [[0.0, 0.0], [x, 0.0], [x, y], [0.3 * x, y]], volume)
        else:
            points = "corners" if kind < 0.7 else (int(rng.integers(1, 4)), int(rng.integers(1, 3)))
            patch = hf.Patch.rectangle(pose, rng.uniform(0.02, 0.08, 2), volume, points=points)
        patches.append(patch.contacts)
        volumes.append(volume)
    if rng.random() < 0.3:
        volumes.append(star(rng, 2))
        patches.append((hf.Contact(0.1 * rng.normal(size=3), random_rotation(rng), volumes[-1]),))
    joints = None
    if rng.random() < 0.4:
        jacobian = 0.05 * rng.normal(size=(2, 3 * sum(map(len, patches))))
        most = rng.uniform(0.02, 0.3, 2)
        joints = hf.JointRows(jacobian, -most, [most[0], np.inf])
    return _case(patches, volumes, joints, rng.normal(size=6) * [1.0, 1.0, 1.0, 0.05, 0.05, 0.05])


def regular_volume(kind: int) -> hf.ForceVolume:
    """Pieces that are equal, share faces, cross, lie inside each other, or mirror each other."""
    sides = [np.array([[0, 0, 0], [3.0 * s, 0, -1], [3.0 * s, 1, 0], [3.0 * s, -1, 0], [0, 0, 5]]) for s in (1, -1)]
    turned = [np.array([[0, 0, 0], [2, 0, -1], [2, 2, 0], [2, 0, 3.0]]) * [s, 1, 1] for s in (1, -1)]
    pieces = (
        [block([-1, -1, 0], [1, 1, 4]), block([-1, -1, 0], [1, 1, 4])],
        [block([0, -1, -1], [2, 1, 1]), block([-2, -1, -1], [0, 1, 1])],
        [block([-1, -1, -3], [1, 1, 3]), block([-3, -1, -1], [3, 1, 1]), block([-1, -3, -1], [1, 3, 1])],
        [block([0, 0, 0], [3, 1, 1]), block([0, 0, 0], [1, 3, 1]), block([0, 0, 0], [1, 1, 3])],
        [block([-1, -1, 0], [1, 1, 4]), block([-0.5, -0.5, -2], [0.5, 0.5, 1]), block([-0.5, -0.5, 0], [0.5, 0.5, 2])],
        sides,
        turned,
    )
    return dented_unit() if kind == len(pieces) else hf.ForceVolume(pieces[kind])


def regular_units(seed: int) -> UnitCase:
    """Units in a row, around an object, against each other or on one spot, of any size; loads along axes."""
    rng = np.random.default_rng(seed)
    kinds = [regular_volume(int(rng.integers(8))) for _ in range(2)]
    size, layout = rng.choice([0.04, 0.04, 1e-3, 1e-5]), rng.integers(4)
    patches, volumes = [], []
    for u in range(int(rng.integers(1, 4))):
        volumes.append(kinds[int(rng.random() < 0.3)])
        normal, shear, place = (
            (AXES[2], AXES[0], 0.05 * u * AXES[0]),
            (AXES[[0, 3, 1, 4][u]], AXES[2], -0.05 * AXES[[0, 3, 1, 4][u]]),
            (AXES[[2, 5][u % 2]], AXES[[0, 3, 1, 4][u]], -0.03 * AXES[[2, 5][u % 2]] + 0.05 * (u // 2) * AXES[0]),
            (AXES[2], AXES[[0, 3, 1, 4][u]], np.zeros(3)),
        )[layout]
        pose = hf.Pose(hf.frame_from_normal(normal, shear), place)
        if rng.random() < 0.25:
            patch = hf.Patch.polygon(pose, size * np.array([[0, 0], [1, 0], [1, 1], [1 / 3, 1]]), volumes[-1])
        else:
            patch = hf.Patch.rectangle(pose, [size, size * rng.choice([1.0, 0.5])], volumes[-1])
        patches.append(patch.contacts)
    if rng.random() < 0.3:
        volumes.append(kinds[1])
        patches.append((hf.Contact(patches[-1][-1].position + 0.02 * AXES[1], np.eye(3), kinds[1]),))
    joints = None
    if rng.random() < 0.3:
        jacobian = np.zeros((1, 3 * sum(map(len, patches))))
        jacobian[0, 2:12:3] = 0.05
        low, high = [(-0.1, 0.1), (0.0, 0.0), (-np.inf, 0.1), (-0.2, np.inf), (-1e-3, 1e-3)][rng.integers(5)]
        joints = hf.JointRows(jacobian, [low], [high])
    force, torque = AXES[rng.integers(6)], 0.01 * AXES[rng.integers(6)]
    direction = np.concatenate([force * (rng.random() < 0.8), torque * (rng.random() < 0.4)])
    return _case(patches, volumes, joints, direction if direction.any() else np.concatenate([force, torque]))


def _case(
    patches: list[tuple[hf.Contact, ...]],
    volumes: list[hf.ForceVolume],
    joints: hf.JointRows | None,
    direction: np.ndarray,
) -> UnitCase:
    ends = np.cumsum([len(contacts) for contacts in patches]).tolist()
    groups = tuple(range(end - len(contacts), end) for end, contacts in zip(ends, patches, strict=True))
    contacts = [contact for own in patches for contact in own]
    return UnitCase(hf.Assembly(contacts, joints), groups, tuple(volumes), direction)
