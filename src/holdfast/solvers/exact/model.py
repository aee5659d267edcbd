"""What the compiled kernels need of one assembly: made once, shared by all its queries.

Units of contacts and joint rows become the items of the linear program: a unit's item is the forces of its contacts,
all in the piece of the same number; a joint row's item is its slack s in [lower, upper], subtracted from the row.
Rows without any limit are left out. One-sided rows and the rays of cones are cut off far away; the kernels make sure
that no answer depends on a cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...checks import Array, IntArray
from ...geometry.polytopes import Polytope
from .search import MOST_OPEN, POOL, SearchState, new_search_state
from .simplex import (
    FIRST_OPEN,
    PRIMAL_TOLERANCE,
    BasisFrames,
    SimplexProgram,
    SimplexWork,
    new_basis_frames,
    new_simplex_work,
)
from .support_tables import FIRST_VERTEX, PIECES, SupportTables, build_tables

if TYPE_CHECKING:
    from ..problem import Layout

#: Rays are cut off this many times further out than the unit of force.
RAY_REACH = 1e4

#: One-sided rows are cut off this many times further out than forces within the cuts can push them.
ROW_REACH = 2.0

#: Share of the mean spread added to every row of the first guess, so that rows nothing acts on do no harm.
REGULAR = 1e-9

#: In the first guess, a row without a limit on one side counts as this many times wider than all contacts together.
UNLIMITED_ROW = 1e3

#: Leaves that a search has room for at first.
FIRST_LEAVES = 8192


class Scales(NamedTuple):
    """How loads of the layout become loads of the program; m rows with a limit, n points."""

    kept: IntArray  # (m,) the layout's rows that have a limit
    zero: Array  # (m,) row values that no force at all would need; the items' slacks are counted from there
    unit: Array  # (1,) force [N] that loads are scaled to
    guess: Array  # (m, m) from a load to multipliers where it leaves an ellipsoid of what can be held
    masks: IntArray  # (n,) all pieces of each point


class Workspace(NamedTuple):
    """Where one thread's searches work."""

    frames: BasisFrames
    work: SimplexWork
    state: SearchState
    way: Array  # (m,)
    guess: Array  # (m,)


@dataclass(frozen=True, eq=False)
class Model:
    """One layout as the kernels see it; n points (contacts and joint slacks), m rows with a limit, k contacts.

    Attributes:
        shapes: pieces of each shape of the layout.
        intervals: (r, 4) the joint slacks, and `cap` [N], where rays are cut off: see `build_tables`.
        hulls: vertices and half-spaces of the shapes, without cells.
        program: the linear program, without a load.
        scales: how loads are put into it.
        contacts: number of contacts k.
        depth: how many nodes can be open when the last opened one always comes next.
    """

    shapes: Sequence[tuple[Polytope, ...]]
    intervals: Array
    cap: float
    hulls: SupportTables
    program: SimplexProgram
    scales: Scales
    contacts: int
    depth: int

    @cached_property
    def tables(self) -> SupportTables:
        """The hulls with the cells in which compiled kernels look vertices up; made when first wanted."""
        return build_tables(self.shapes, self.intervals, self.cap)

    @cached_property
    def idle_workspaces(self) -> list[Workspace]:
        """Workspaces that no search is using; taken from and given back to the end, which Python does in one step."""
        return []

    def take_workspace(self) -> Workspace:
        """A workspace for one search, to be appended to `idle_workspaces` afterwards."""
        try:
            return self.idle_workspaces.pop()
        except IndexError:
            return self.new_workspace(FIRST_LEAVES)

    def new_workspace(self, leaves: int) -> Workspace:
        """A workspace for searches of up to so many leaves."""
        n, m, w = len(self.program.shape_of), len(self.scales.kept), int(self.program.points.max())
        most = int(self.hulls.shapes[:, PIECES].max())
        state = new_search_state(self.contacts, m, leaves, self.depth, most)
        frames = new_basis_frames(int(FIRST_OPEN) + self.depth + MOST_OPEN + POOL, n, m, w)
        work = new_simplex_work(n, m, w, most)
        return Workspace(frames, work, state, np.zeros(m), np.zeros(m))


def force_unit(layout: Layout) -> float:
    """The force [N] that sets the scale: the largest vertex or joint limit; 1 where there are only cones."""
    vertices = max(float(np.abs(piece.extreme).max()) for shape in layout.shapes for piece in shape)
    limits = np.abs(np.concatenate([layout.lower, layout.upper]))
    limits = limits[np.isfinite(limits)]
    return max(vertices, float(limits.max(initial=0.0))) or 1.0


def build_model(layout: Layout, *, from_zero: bool, unit: float) -> Model:
    """The model of a layout; `from_zero` counts slacks from the row values nearest to zero (for tests)."""
    limited = np.isfinite(layout.lower) | np.isfinite(layout.upper)
    kept = np.nonzero(limited)[0]
    k, m, slack_rows = len(layout.shape_of), len(kept), kept[kept >= layout.balance]
    n = k + len(slack_rows)
    zero = layout.nearest_to_zero[kept] if from_zero else np.zeros(m)
    cap = RAY_REACH * unit
    maps = layout.maps[:, kept, :]
    unlimited, intervals = _intervals(layout, kept, maps, zero, cap)
    hulls = build_tables(layout.shapes, intervals, cap, cells=False)
    rows = np.zeros((m, 3 * n))
    rows[:, : 3 * k] = maps.transpose(1, 0, 2).reshape(m, 3 * k)
    for at in range(len(slack_rows)):
        rows[layout.balance + at, 3 * (k + at)] = -1.0
    shape_of = np.concatenate([layout.shape_of, len(layout.shapes) + np.arange(len(slack_rows))]).astype(np.int64)
    count = np.zeros(n, dtype=np.int64)
    count[layout.unit_starts[:-1]] = np.diff(layout.unit_starts)
    count[k:] = 1
    program = SimplexProgram(
        rows=rows,
        **item_sizes(rows, count, hulls.reach[shape_of], unit),
        points=count,
        shape_of=shape_of,
        unlimited=unlimited,
        load=np.zeros(m),
        perturbation=0.0,
    )
    all_pieces = [layout.all_pieces[u] for u in layout.unit_of]
    masks = np.concatenate([all_pieces, np.ones(len(slack_rows))]).astype(np.int64)
    guess = _guess(layout, maps, intervals, hulls)
    scales = Scales(kept.astype(np.int64), zero, np.array([unit]), guess, masks)
    depth = sum(layout.piece_counts) - len(layout.piece_counts) + 1
    return Model(layout.shapes, intervals, cap, hulls, program, scales, k, depth)


def item_sizes(rows: Array, count: IntArray, reach: Array, unit: float) -> dict[str, Array]:
    """`size`, `slack` and `reach` of a program with rows (m, 3 n), from the reach (n,) [N] of each of its points."""
    n = len(count)
    item_of = np.cumsum(count > 0) - 1

    def total(squares: Array) -> Array:
        sums = np.zeros(n)
        sums[count > 0] = np.bincount(item_of, squares)
        return np.sqrt(sums)

    own = total(reach**2)
    squares = (rows.reshape(len(rows), n, 3) ** 2).sum(axis=(0, 2))
    return {"size": total(squares), "slack": PRIMAL_TOLERANCE * (unit / np.maximum(own, unit)), "reach": own}


def _intervals(layout: Layout, kept: IntArray, maps: Array, zero: Array, cap: float) -> tuple[IntArray, Array]:
    """(unlimited (m,), intervals (r, 4)) of the joint rows, cut off where they have no limit."""
    reach = np.array(
        [
            max(float(np.linalg.norm(p.extreme, axis=1).max()) + (cap if len(p.rays) else 0.0) for p in shape)
            for shape in layout.shapes
        ]
    )
    pushed = ROW_REACH * (np.linalg.norm(maps, axis=2) * reach[layout.shape_of][:, None]).sum(axis=0)
    lower, upper = layout.lower[kept] - zero, layout.upper[kept] - zero
    unlimited = np.isinf(lower) + 2 * np.isinf(upper)
    far = pushed + np.abs(np.where(np.isfinite(lower), lower, 0.0)) + np.abs(np.where(np.isfinite(upper), upper, 0.0))
    low, high = np.where(np.isfinite(lower), lower, -far), np.where(np.isfinite(upper), upper, far)
    return unlimited.astype(np.int64), np.column_stack([low, high, np.isinf(lower), np.isinf(upper)])[layout.balance :]


def _guess(layout: Layout, maps: Array, intervals: Array, tables: SupportTables) -> Array:
    """Inverse of the covariance of all that contacts and slacks can add up to."""
    m = maps.shape[1]
    first = tables.shapes[:, FIRST_VERTEX]
    spread = np.zeros((m, m))
    for shape in range(len(layout.shapes)):
        vertices = tables.vertices[first[shape] : first[shape + 1]]
        covariance = vertices.T @ vertices / len(vertices)
        own = maps[layout.shape_of == shape]
        spread += np.einsum("kmi,ij,knj->mn", own, covariance, own)
    trace = float(np.trace(spread)) or 1.0
    for at, (low, high, low_cut, high_cut) in enumerate(intervals):
        row = layout.balance + at
        spread[row, row] += UNLIMITED_ROW * trace if low_cut or high_cut else (high - low) ** 2 / 12.0
    spread += REGULAR * float(np.trace(spread)) / m * np.eye(m)
    return np.ascontiguousarray(np.linalg.inv(spread)) if spread.any() else np.eye(m)
