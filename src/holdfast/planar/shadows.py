"""Shadows of polyhedra on some of their coordinates, with sides that are open kept open and no row too many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..checks import Array, BoolArray
from .polyhedra import CLOSED, STRICT, Polyhedron

#: Entries of unit rows, and offsets beside a scale of one, below this are what rounding left over of zeros.
ROUNDING = 1e-13


def shadow(polyhedron: Polyhedron, keep: Sequence[int] | slice) -> Polyhedron:
    """The points on the coordinates `keep` over which the set, of scale about one, has some point; irredundant rows.

    A strict row a x > b is carried as a x >= b + s e (s: `gaps`) with one further coordinate e > 0: a row of the
    shadow that e tightens is strict. Directions that cast no shadow are left out.
    """
    kept = np.arange(polyhedron.ambient_dimension)[keep if isinstance(keep, slice) else list(keep)]
    if polyhedron.is_empty:
        return Polyhedron.empty(len(kept))
    if not len(kept):
        return Polyhedron(dimension=0)
    if not polyhedron.strict.any():
        return _tidy(_cast(polyhedron, kept))
    count, size = polyhedron.A.shape
    A = np.zeros((count + 2, size + 1))
    A[:count, :size] = polyhedron.A
    A[:count, size] = -polyhedron.gaps
    A[count:, size] = 1.0, -1.0
    C = np.column_stack([polyhedron.C, np.zeros(len(polyhedron.C))])
    gapped = Polyhedron(A, [*polyhedron.b, 0.0, -polyhedron.scale], C, polyhedron.d, dimension=size + 1)
    flat = _cast(gapped, np.append(kept, size))
    rows, gap = flat.A[:, :-1], flat.A[:, -1]
    lengths = np.linalg.norm(rows, axis=1)
    real = lengths > STRICT
    marked = Polyhedron(
        rows[real],
        flat.b[real],
        flat.C[:, :-1],
        flat.d,
        strict=gap[real] < -CLOSED * lengths[real],
        dimension=len(kept),
    )
    return _without_spare_rows(_tidy(marked))


def irredundant(polyhedron: Polyhedron) -> Polyhedron:
    """The same set, of scale about one, in as few rows as it has sides, every equality named."""
    return shadow(polyhedron, slice(None))


def _cast(polyhedron: Polyhedron, kept: Array) -> Polyhedron:
    """The closed shadow, from the generators."""
    vertices, rays, lines = (part[:, kept] for part in polyhedron.generators)
    rays, lines = (part[np.linalg.norm(part, axis=1) > CLOSED] for part in (rays, lines))
    return Polyhedron.from_generators(vertices, rays, lines)


def _tidy(polyhedron: Polyhedron) -> Polyhedron:
    """Offsets that are rounding become zero, so that a cone is one."""
    b, d = (np.where(np.abs(offsets) <= ROUNDING, 0.0, offsets) for offsets in (polyhedron.b, polyhedron.d))
    return Polyhedron(
        polyhedron.A, b, polyhedron.C, d, strict=polyhedron.strict, dimension=polyhedron.ambient_dimension
    )


def _without_spare_rows(polyhedron: Polyhedron) -> Polyhedron:
    """Only the rows that bound the closure; of rows that bound it alike, a strict one."""
    if polyhedron.is_empty:
        return Polyhedron.empty(polyhedron.ambient_dimension)
    generators = polyhedron.generators
    if len(polyhedron.A) < 2:
        return polyhedron
    sides = _tidy(Polyhedron.from_generators(*generators))
    strict = _touched_by_strict(sides, polyhedron, generators.vertices, generators.rays)
    return Polyhedron(sides.A, sides.b, sides.C, sides.d, strict=strict, dimension=polyhedron.ambient_dimension)


def _touched_by_strict(sides: Polyhedron, rows: Polyhedron, vertices: Array, rays: Array) -> BoolArray:
    """(sides,) whether a strict row holds with equality on the whole of a side."""
    near = STRICT * max(sides.scale, rows.scale)
    on_side = np.vstack([np.abs(vertices @ sides.A.T - sides.b) <= near, np.abs(rays @ sides.A.T) <= STRICT])
    on_row = np.vstack([np.abs(vertices @ rows.A.T - rows.b) <= near, np.abs(rays @ rows.A.T) <= STRICT])
    covered = (~on_side[:, :, None] | on_row[:, None, :]).all(axis=0)  # (sides, rows)
    return np.asarray((covered & rows.strict).any(axis=1))
