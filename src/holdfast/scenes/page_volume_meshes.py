"""Force volumes at their contacts: one mesh a colour for all contacts together, whatever their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..assembly.assembly import Assembly
from ..checks import Array, IntArray
from ..web.meshes import Mesh

#: Vertices closer than this share of the largest are one.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class VolumeMesh:
    """All pieces of one number, at many contacts; what is left to place is cheap.

    Attributes:
        piece: number of the piece, which its colour comes from.
        local: (v, 3) forces [N] in the contact frames.
        owner: (v,) number of the contact that each belongs to.
        faces: (f, 3).
    """

    piece: int
    local: Array
    owner: IntArray
    faces: IntArray

    def placed(self, assembly: Assembly, scales: Array) -> Array:
        """(v, 3) in the world, with the forces of contact i drawn scales[i] (3,) [m/N] long along its axes."""
        turned = np.einsum("vij,vj->vi", assembly.rotations[self.owner], self.local * scales[self.owner])
        return assembly.positions[self.owner] + turned


def volume_meshes(pieces: Sequence[Sequence[Mesh] | None]) -> list[VolumeMesh]:
    """The meshes of contacts with these pieces each [N]; None for a contact that is not drawn."""
    parts: dict[int, list[tuple[int, Mesh]]] = {}
    for contact, own in enumerate(pieces):
        for number, mesh in enumerate(own or ()):
            if len(mesh[1]):
                parts.setdefault(number, []).append((contact, mesh))
    result = []
    for number, members in sorted(parts.items()):
        counts = np.array([len(vertices) for _, (vertices, _) in members])
        starts = np.cumsum(counts) - counts
        result.append(
            VolumeMesh(
                number,
                np.concatenate([vertices for _, (vertices, _) in members]),
                np.repeat([contact for contact, _ in members], counts),
                np.concatenate([faces + start for (_, (_, faces)), start in zip(members, starts, strict=True)]),
            )
        )
    return result


def welded(mesh: Mesh) -> Mesh:
    """The mesh with each vertex once, which is less to send."""
    vertices, faces = mesh
    if not len(vertices):
        return mesh
    grain = SAME * float(np.abs(vertices).max()) or 1.0
    _, first, number = np.unique(np.round(vertices / grain), axis=0, return_index=True, return_inverse=True)
    return vertices[first], number.reshape(-1)[faces]
