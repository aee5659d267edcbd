"""The contact problem as the mixed-integer program (9) in H-form: facets switched off by a large number M.

For contact i and piece j with facets A_ij f <= b_ij and an indicator z_ij in {0, 1}, sum_j z_ij = 1:

    A_ij f_i <= b_ij + M_ij (1 - z_ij).

The smaller M, the tighter the relaxation. The least that cuts nothing off is known for each row: the support of
the contact's other pieces along that facet's normal, less b.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import checks
from ...checks import Array
from ...errors import InputError
from ...geometry.polytopes import Polytope
from ..problem import ContactProblem
from .mixed import MixedMethod, Rest, Units, indicators_of, reaches


@dataclass(frozen=True, kw_only=True)
class BigM(MixedMethod):
    """The mixed-integer program (9): facets with a big M.

    Attributes:
        m: [N] one M for all rows, as printed in the paper; unlimited directions then go no further than it.
            None takes the least M for each row, and bounds the forces by their volumes.
    """

    m: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.m is not None:
            checks.positive("m", self.m, unit="N")

    def build(self, problem: ContactProblem, units: Units) -> Rest:
        """Three force coordinates a contact, and the facets of every piece bound to its indicator."""
        from scipy import sparse

        shapes = [_Facets.of(shape, units.reach, self.m) for shape in problem.shapes]
        numbers = problem.shape_of.tolist()
        first = np.concatenate([[0], np.cumsum([len(problem.pieces(i)) for i in range(problem.contacts)])])
        parts = [shapes[s] for s in numbers]
        normals = sparse.block_diag([part.normals for part in parts], format="csc")
        large = np.concatenate([part.large for part in parts]) / units.force
        offsets = np.concatenate([part.offsets for part in parts]) / units.force
        indicator = np.concatenate([start + part.piece for start, part in zip(first[:-1], parts, strict=True)])
        rows = len(offsets)
        far = np.full(3 * problem.contacts, np.inf)
        if self.m is None:
            far = reaches(problem, units.reach).reshape(-1) / units.force
        return Rest(
            balance=sparse.csc_array(np.concatenate(list(problem.maps), axis=1)),
            on_indicators=sparse.csc_array(
                (large, (np.arange(rows), indicator)), shape=(rows, len(indicators_of(problem)))
            ),
            on_columns=normals,
            row_lower=np.full(rows, -np.inf),
            row_upper=offsets + large,
            lower=-far,
            upper=far,
        )


@dataclass(frozen=True, eq=False)
class _Facets:
    """The facets of all pieces of one shape: rows normals f <= offsets + large (1 - z of their piece)."""

    normals: Array
    offsets: Array
    large: Array
    piece: Array

    @staticmethod
    def of(shape: tuple[Polytope, ...], reach: float, m: float | None) -> _Facets:
        """Facets with the least M of each row, rays going as far as `reach` [N]; or with one M for all."""
        parts = [piece.halfspaces for piece in shape]
        large = np.concatenate([least_m(shape, j, reach if m is None else 0.0) for j in range(len(shape))])
        if m is not None:
            if m < large.max(initial=0.0):
                raise InputError(
                    f"is {m:g} N and cuts off part of a volume", where="m", fix=f"give at least {large.max():g} N"
                )
            large = np.full(len(large), m)
        return _Facets(
            normals=np.concatenate([normals for normals, _ in parts]),
            offsets=np.concatenate([offsets for _, offsets in parts]),
            large=large,
            piece=np.repeat(np.arange(len(shape)), [len(offsets) for _, offsets in parts]),
        )


def least_m(shape: tuple[Polytope, ...], piece: int, reach: float) -> Array:
    """(facets of the piece,) the least M [N] of each row that leaves all other pieces whole, rays up to `reach` [N].

    It is negative where the other pieces stay clear of a facet, and 0 where there are no others.
    """
    normals, offsets = shape[piece].halfspaces
    others = [other for j, other in enumerate(shape) if j != piece]
    if not others:
        return np.zeros(len(offsets))
    extents = []
    for other in others:
        units = other.rays / np.linalg.norm(other.rays, axis=1, keepdims=True)
        climb = (normals @ units.T).max(axis=1, initial=0.0)
        extents.append((normals @ other.vertices.T).max(axis=1) + reach * climb)
    return np.max(extents, axis=0) - offsets
