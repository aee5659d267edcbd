"""All strict contact modes of a planar system: those that its kinematics allows, and those that forces can drive.

Enumerated by a tree over the contacts that holds only what is possible (`solvers.planar.mode_faces`): a body at rest
has about 4 k + 2 modes, not 4^k. Accelerations are whitened, a' = L^T a with M = L L^T: for a rigid body these are
Erdmann's coordinates (x, y, rho theta), in which N and N m may be compared.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, IntArray
from ..errors import InputError
from .system import LETTERS, System

if TYPE_CHECKING:
    from .bodies import Body, Contact
    from .kernels.mode_faces import Faces

#: A contact whose Jacobian row is shorter than this share of the longest does not move at all.
IMMOBILE = 1e-12

#: The letters that a velocity leaves open as bits, S lowest.
_BITS = {"SFRL": 15, "SR": 5, "SL": 9, "S": 1, "": 0}


class Whitened:
    """A system in coordinates a' = L^T a with M = L L^T, homogenised: rows act on (a' / scale, 1).

    Attributes:
        lower: (n, n) the factor L.
        scale: largest acceleration that loads and biases bring about, in whitened units; 1 when there is none.
        drive: (n,) L^-1 (bias + selector tau) / scale, the free acceleration.
        normals, tangents: (k, n + 1) unit rows of an and at; rows of zeros for contacts that do not move.
        edges: (k, 2, n) unit reactions along ft = -mu fn and ft = mu fn; edge_count: (k,) 1 where mu = 0, else 2.
        edge_lengths: (k, 2) whitened length of a unit force along each edge.
    """

    def __init__(self, system: System, tau: ArrayLike | None = None) -> None:
        self.system = system
        self.lower: Array = np.linalg.cholesky(system.mass_matrix)
        load = system.bias
        if tau is not None:
            load = load + system.selector @ checks.vector("tau", tau, system.torque_count)
        n = system.coordinate_count
        white = np.linalg.solve(
            self.lower, np.column_stack([load, system.normal_jacobian.T, system.tangent_jacobian.T, system.selector])
        )
        k = system.contact_count
        free, normals, tangents = white[:, 0], white[:, 1 : 1 + k].T, white[:, 1 + k : 1 + 2 * k].T
        self.selector: Array = white[:, 1 + 2 * k :]
        longest = max(np.abs(normals).max(initial=0.0), np.abs(tangents).max(initial=0.0))
        sizes = [np.linalg.norm(rows, axis=1) for rows in (normals, tangents)]
        biases = [
            np.abs(h)[size > IMMOBILE * longest] / size[size > IMMOBILE * longest]
            for h, size in zip((system.normal_bias, system.tangent_bias), sizes, strict=True)
        ]
        largest = max(np.linalg.norm(free), *(b.max(initial=0.0) for b in biases))
        self.scale = float(largest) or 1.0
        self.drive: Array = free / self.scale
        self.normals = _unit(np.column_stack([normals, system.normal_bias / self.scale]), IMMOBILE * longest)
        self.tangents = _unit(np.column_stack([tangents, system.tangent_bias / self.scale]), IMMOBILE * longest)
        slant = np.array([-1.0, 1.0])[None, :, None] * system.mu[:, None, None]
        raw = (normals[:, None, :] + slant * tangents[:, None, :]) / np.sqrt(1.0 + slant**2)
        self.edge_lengths: Array = np.linalg.norm(raw, axis=2)
        safe = np.where(self.edge_lengths > IMMOBILE * longest, self.edge_lengths, np.inf)
        self.edges: Array = raw / safe[:, :, None] if k else np.zeros((0, 2, n))
        self.edge_count: IntArray = np.where(system.mu > 0.0, 2, 1).astype(np.int64)

    @cached_property
    def choices(self) -> IntArray:
        """(k,) bits of the letters that velocities leave open, and whether an and at have to have their signs."""
        system = self.system
        still = zip(system.choices, system.normal_velocity.tolist(), system.tangent_velocity.tolist(), strict=True)
        bits = [_BITS[letters] | (16 if vn == 0.0 else 0) | (32 if vt == 0.0 else 0) for letters, vn, vt in still]
        return np.array(bits, dtype=np.int64)

    def natural(self, accelerations: Array) -> Array:
        """a (m, n) of whitened a' (m, n): L^T a = a'."""
        return np.linalg.solve(self.lower.T, accelerations.T).T

    def kinematic_faces(self) -> Faces:
        """Every strict mode with its cone of accelerations."""
        from .kernels.mode_faces import walk

        return walk(self.normals, self.tangents, self.choices)

    def dynamic_faces(self, *, free_torques: bool = False) -> Faces:
        """The strict modes that reactions (`free_torques`: and some torques) can drive, with their accelerations."""
        from .kernels.mode_faces import walk

        n = self.system.coordinate_count
        test = np.eye(n)
        if free_torques and self.selector.shape[1]:
            left, values, _ = np.linalg.svd(self.selector)
            test = left[:, int((values > 1e-10 * values[0]).sum()) :].T
        if not len(test):
            return self.kinematic_faces()
        edges = self.edges @ test.T
        if free_torques:
            lengths = np.linalg.norm(edges, axis=2, keepdims=True)
            edges = edges / np.where(lengths > IMMOBILE, lengths, np.inf)
        return walk(
            self.normals, self.tangents, self.choices,
            edges=np.ascontiguousarray(edges), edge_count=self.edge_count,
            test=np.ascontiguousarray(test), offset=test @ self.drive,
        )  # fmt: skip


def _unit(rows: Array, least: float) -> Array:
    """Rows of unit length; those that move nothing and have no bias become zeros."""
    lengths = np.linalg.norm(rows, axis=1)
    return rows / np.where(lengths > least, lengths, np.inf)[:, None]


def strings(letters: IntArray) -> tuple[str, ...]:
    """Mode strings of (m, k) letter numbers."""
    return tuple("".join(LETTERS[i] for i in row) for row in letters.tolist())


def kinematic_modes(system: System) -> tuple[str, ...]:
    """All strict modes that some acceleration has, whatever forces it takes."""
    return strings(Whitened(system).kinematic_faces().letters)


def dynamic_modes(system: System, tau: ArrayLike | None = None) -> tuple[str, ...]:
    """All strict modes that the system can move in under `tau`, or under some torques when none are given."""
    return strings(Whitened(system, tau).dynamic_faces(free_torques=tau is None).letters)


@dataclass(frozen=True)
class Modes:
    """The contact modes of a system.

    Attributes:
        kinematic: the strict modes that some acceleration has; none when a contact is in impact.
        dynamic: those of them that forces can drive; None when no forces were given.
        impacts: contacts whose velocity runs into the obstacle.
        nodes: children tried in the trees, of 4 + 4^2 + ... + 4^k in each.
        seconds: time taken by the enumeration [s].
    """

    kinematic: tuple[str, ...]
    dynamic: tuple[str, ...] | None
    impacts: tuple[int, ...]
    nodes: int
    seconds: float

    def __str__(self) -> str:
        driven = "" if self.dynamic is None else f", {len(self.dynamic)} of them dynamically"
        return f"{len(self.kinematic)} modes kinematically possible{driven} ({self.nodes} nodes)"


def modes(
    subject: System | Body,
    contacts: tuple[Contact, ...] | list[Contact] = (),
    force: ArrayLike | None = None,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    *,
    tau: ArrayLike | None = None,
) -> Modes:
    """All strict modes that are kinematically possible, and all that are dynamically possible.

    Args:
        subject: a `System` (of a chain, say), or a `Body` with its `contacts`.
        contacts, force, velocity: of a body, as in `motions`; without a force only kinematics is asked.
        tau: (t,) torques of a system; without them a mode is dynamically possible if any torques drive it.
    """
    from .bodies import Body

    driven = True
    if isinstance(subject, Body):
        driven = force is not None
        system = subject.system(contacts, (0.0, 0.0, 0.0) if force is None else force, velocity)
    else:
        checks.instance("subject", subject, System, fix="give a System, or a Body with its contacts")
        if len(contacts) or force is not None:
            raise InputError("a System has its contacts and forces already", where="contacts", fix="leave them out")
        system = subject
    start = time.perf_counter()
    white = Whitened(system, tau)
    kinematic = white.kinematic_faces()
    nodes = kinematic.nodes
    names = None
    if driven:
        faces = white.dynamic_faces(free_torques=tau is None)
        names = strings(faces.letters)
        nodes += faces.nodes
    seconds = time.perf_counter() - start
    return Modes(strings(kinematic.letters), names, system.impacts, nodes, seconds)
