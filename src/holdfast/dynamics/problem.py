"""The problem (7), (8) as its solver and its proofs see it.

With B = L L^T and z = L^-1 (W f + w_ext), the twist rate is q'' = L^-T z and q''^T B q'' = |z|^2. So (7) asks for the
shortest z = start + sum_i maps_i f_i with f_i in F_i, normals z >= 0 (no contact point accelerates into what it
touches) and lower <= sum_i joint_i f_i <= upper. All of it is without units: z counts multiples of `scale`, which is
|w_ext| in the norm of B^-1, and every row has length one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..assembly.assembly import Assembly
from ..checks import Array
from ..geometry.frames import skew
from ..geometry.polytopes import Polytope
from ..solvers import ContactProblem
from .mass import require_definite


@dataclass(frozen=True, eq=False)
class SeparationProblem:
    """One question of what happens; k contacts, r joint rows.

    Attributes:
        contact: the question of holding that this one goes on from: shapes, rows and load.
        maps: (k, 6, 3) local force [N] of each contact to z.
        joint: (k, r, 3) local force [N] of each contact to the joint rows, each of length one per newton of `force`.
        lower, upper: (r,) limits of the joint rows; infinite where a joint has none.
        normals: (k, 6) unit rows: normals_i . z has the sign of the acceleration of contact i along its normal.
        start: (6,) z without any contact force.
        scale: size of z [N / sqrt(kg)] that counts as one: |w_ext| in the norm of B^-1.
        force: size [N] of the load that joint rows are divided by.
        to_acceleration: (6, 6) z to the twist rate q'' about the world origin [m/s^2, rad/s^2].
    """

    contact: ContactProblem
    maps: Array
    joint: Array
    lower: Array
    upper: Array
    normals: Array
    start: Array
    scale: float
    force: float
    to_acceleration: Array

    @property
    def contacts(self) -> int:
        """Number of contacts k."""
        return len(self.maps)

    @property
    def all_pieces(self) -> tuple[int, ...]:
        """The masks that allow every contact every piece."""
        return self.contact.all_pieces

    def pieces(self, contact: int) -> tuple[Polytope, ...]:
        """The convex pieces of one contact's volume, in its frame."""
        return self.contact.pieces(contact)

    def z_of(self, forces: Array) -> Array:
        """(6,) z of local forces (k, 3)."""
        return self.start + np.einsum("kmi,ki->m", self.maps, forces)

    def joint_values(self, forces: Array) -> Array:
        """(r,) joint rows of local forces (k, 3)."""
        return np.einsum("kmi,ki->m", self.joint, forces)

    def size_of(self, forces: Array) -> float:
        """Size of the terms that z is the sum of: where they cancel, rounding is a share of this."""
        terms = np.einsum("kmi,ki->km", self.maps, forces)
        return max(float(np.linalg.norm(self.start)), float(np.linalg.norm(terms, axis=1).max(initial=0.0)))


def build_problem(assembly: Assembly, wrench: Array, mass_matrix: Array) -> SeparationProblem:
    """The problem (7), (8) for an external wrench (6,) and a mass matrix (6, 6), both about the world origin.

    Torques are taken about the centre of the contacts and divided by the assembly's length, as in `Assembly.build`, so
    that the numbers do not depend on where the world's origin lies.
    """
    contact = assembly.problem(wrench)
    layout = contact.layout
    shift = np.eye(6)
    shift[3:, :3] = -skew(assembly.positions.mean(axis=0))
    shift *= layout.row_scale[:6, None]  # world wrench to the scaled rows of the layout
    mass = shift @ mass_matrix @ shift.T
    lengths = np.sqrt(np.diagonal(mass))
    require_definite("mass_matrix", mass / np.outer(lengths, lengths))
    factor = np.linalg.cholesky(0.5 * (mass + mass.T))
    inverse = np.linalg.inv(factor)
    maps = np.einsum("ab,kbi->kai", inverse, layout.maps[:, :6])
    start = inverse @ contact.load[:6]
    scale, force = float(np.linalg.norm(start)), float(np.abs(contact.load[:6]).max())
    if scale == 0.0:  # without a load, what the contacts can do sets the scale
        reach = np.array([max(float(np.abs(p.vertices).max()) for p in shape) for shape in layout.shapes])
        force = float(reach.max()) or 1.0
        scale = float(np.linalg.norm(maps, axis=(1, 2)).max()) * force
    rows = layout.maps[:, 6:]
    sizes = np.sqrt((rows**2).sum(axis=(0, 2)))
    sizes = force * np.where(sizes > 0.0, sizes, 1.0)
    normals = maps[:, :, 2]
    return SeparationProblem(
        contact=contact,
        maps=np.ascontiguousarray(maps / scale),
        joint=np.ascontiguousarray(rows / sizes[None, :, None]),
        lower=layout.lower[6:] / sizes,
        upper=layout.upper[6:] / sizes,
        normals=normals / np.linalg.norm(normals, axis=1, keepdims=True),
        start=start / scale,
        scale=scale,
        force=force,
        to_acceleration=scale * shift.T @ inverse.T,
    )
