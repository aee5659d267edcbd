"""Coulomb scenes: friction pyramids of four edges on rough ground and around an object.

Every program makes four edges of a normal and a friction coefficient in a way of its own. A scene is therefore made
in each program's way, and ours is asked about the very same pyramids.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

import holdfast as hf

EDGES = 4
MU = 0.5
MASS = 10.0  # [kg]
GRAVITY = np.array([0.0, 0.0, -9.81])  # [m/s^2]


class Edges(StrEnum):
    """Where the edges of a pyramid stand about its normal n."""

    HPP = "edges as in hpp-centroidal-dynamics"
    KLAMPT = "edges as in Klampt"


@dataclass(frozen=True, eq=False)
class Scene:
    """Contacts and loads.

    Attributes:
        kind: "ground" or "grasp".
        positions: (k, 3) [m].
        normals: (k, 3) unit normals into the object.
        forces: (n, 3) external forces on the object [N].
        coms: (n, 3) where they act [m].
    """

    kind: str
    positions: np.ndarray
    normals: np.ndarray
    forces: np.ndarray
    coms: np.ndarray

    def wrenches(self) -> np.ndarray:
        """(n, 6) the loads about the world origin."""
        return np.concatenate([self.forces, np.cross(self.coms, self.forces)], axis=1)

    def frames(self, edges: Edges) -> np.ndarray:
        """(k, 3, 3) contact frames whose x and y axes are where the pyramids' edges lean to."""
        return _FRAMES[edges](self.normals)

    def assembly(self, edges: Edges) -> hf.Assembly:
        """The scene for us: unbounded four-sided pyramids."""
        volume = hf.models.coulomb(MU, facets=EDGES)
        pairs = zip(self.positions, self.frames(edges), strict=True)
        return hf.Assembly([hf.Contact(x, rotation, volume) for x, rotation in pairs])

    def generators(self, edges: Edges) -> np.ndarray:
        """(6, 4 k) wrenches of unit forces along every edge: contacts can exert their non-negative combinations."""
        leans = np.array([[MU, 0.0, 1.0], [0.0, MU, 1.0], [-MU, 0.0, 1.0], [0.0, -MU, 1.0]]) / np.hypot(MU, 1.0)
        forces = np.einsum("kij,ej->kei", self.frames(edges), leans)  # (k, 4, 3)
        torques = np.cross(self.positions[:, None, :], forces)
        return np.concatenate([forces, torques], axis=2).reshape(-1, 6).T


def hpp_frames(normals: np.ndarray) -> np.ndarray:
    """Tangents n x Y and n x (n x Y), X in place of Y where n is along Y; edges halfway between them."""
    first = np.cross(normals, [0.0, 1.0, 0.0])
    along = np.linalg.norm(first, axis=1) < 1e-5
    first[along] = np.cross(normals[along], [1.0, 0.0, 0.0])
    x = _units(_units(first) + _units(np.cross(normals, first)))
    return np.stack([x, np.cross(normals, x), normals], axis=2)


def klampt_frames(normals: np.ndarray) -> np.ndarray:
    """Y and Z after the smallest turn that takes X to n; edges along them. n must not be -X."""
    nx, ny, nz = normals.T
    y = np.column_stack([-ny, nx + nz * nz / (1.0 + nx), -ny * nz / (1.0 + nx)])
    return np.stack([y, np.cross(normals, y), normals], axis=2)


_FRAMES = {Edges.HPP: hpp_frames, Edges.KLAMPT: klampt_frames}


def ground(k: int, n: int, seed: int) -> Scene:
    """A body over k points of rough ground a metre across, its centre of mass within or beyond them.

    Normals lean by up to 20 degrees, the load (gravity and inertia) by up to 45. A few of the loads hold on
    four points, most on 256.
    """
    rng = np.random.default_rng([seed, k])
    positions = np.column_stack([rng.uniform(-0.5, 0.5, size=(k, 2)), 0.1 * rng.normal(size=k)])
    coms = np.column_stack([rng.uniform(-0.3, 0.3, size=(n, 2)), rng.uniform(0.0, 0.3, size=n)])
    forces = -MASS * 9.81 * _leaning(rng, n, 45.0)
    return Scene("ground", positions, _leaning(rng, k, 20.0), forces, coms)


def grasp(k: int, n: int, seed: int) -> Scene:
    """k points on the underside of a ball of 0.1 m, up to 50 degrees round from its lowest point.

    The loads lean by up to 80 degrees from straight down and act a little off the centre: about half of them hold.
    """
    rng = np.random.default_rng([seed, k, 1])
    inward = _leaning(rng, k, 50.0)
    coms = 0.01 * rng.normal(size=(n, 3))
    forces = -MASS * 9.81 * _leaning(rng, n, 80.0)
    return Scene("grasp", -0.1 * inward, inward, forces, coms)


def _leaning(rng: np.random.Generator, n: int, degrees: float) -> np.ndarray:
    """(n, 3) unit vectors spread evenly over the cap of so many degrees about straight up."""
    up = rng.uniform(np.cos(np.deg2rad(degrees)), 1.0, size=n)
    around = rng.uniform(0.0, 2.0 * np.pi, size=n)
    side = np.sqrt(1.0 - up * up)
    return np.column_stack([side * np.cos(around), side * np.sin(around), up])


def walk(scene: Scene, n: int) -> Scene:
    """The same contacts while the load moves in small steps: it leans by 25 degrees and turns by 0.5 a step."""
    angle = np.deg2rad(0.5) * np.arange(n)
    lean = np.deg2rad(25.0)
    up = np.column_stack([np.sin(lean) * np.cos(angle), np.sin(lean) * np.sin(angle), np.full(n, np.cos(lean))])
    com = scene.coms.mean(axis=0)
    sway = 0.1 * float(np.ptp(scene.positions, axis=0).max()) * up * [1.0, 1.0, 0.0]
    return Scene(scene.kind, scene.positions, scene.normals, -MASS * 9.81 * up, com + sway)


def _units(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
