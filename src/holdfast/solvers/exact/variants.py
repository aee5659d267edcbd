"""Variants: one layout's shapes under many other maps and loads, without new lookup tables.

A contact that is stronger, stands elsewhere or has more friction than planned has the same force volume seen through
another map: f = D g with g in the volume as planned, so that its columns are multiplied by D. The tables of the
volumes, which are costly, stay; only the rows of the linear program are new. Every variant is solved alone, from the
same multipliers: its answer does not depend on those before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ...checks import Array, IntArray
from ..problem import ContactProblem, Layout
from .exact import FIRST_NODES, Batch, Exact, Question, compile_kernels
from .model import Model, Room
from .program import ROOT, Program, Y
from .search import PAUSED, solve
from .simplex import PRIMAL_TOLERANCE
from .tables import PIECES


@dataclass(frozen=True, eq=False)
class Variants:
    """What the variants of one layout share.

    Attributes:
        layout: the shapes, the bounds, and the maps that the variants are near to. Where variants choose among
            shapes, `shape_of` names for each contact the one with the most pieces.
        load: (m,) the load that the variants' loads are near to; where their searches start from.
    """

    layout: Layout
    load: Array
    _widened: dict[int, Layout] = field(default_factory=dict, init=False, repr=False)

    def problem(self, maps: Array, load: Array, shape_of: IntArray | None = None) -> ContactProblem:
        """One variant as a problem of its own, for any method: maps (k, m, 3), load (m,), shapes (k,)."""
        shapes = self.layout.shape_of if shape_of is None else shape_of
        return ContactProblem(replace(self.layout, maps=np.ascontiguousarray(maps), shape_of=shapes), load)

    def many(
        self, method: Exact, maps: Array, loads: Array, question: Question, shape_of: IntArray | None = None
    ) -> Batch:
        """The kernels' answers to q variants with r loads each; one entry a load, variant after variant.

        Releases the interpreter lock while it searches. Entries that the kernels left open have outcomes other than
        HELD (of tests) and FINISHED, as in `Exact.many`.

        Args:
            method: gap and limits of the search.
            maps: (q, k, m, 3) local forces to the scaled rows.
            loads: (q, r, m) in the scaled rows.
            question: "test" or "maximise".
            shape_of: (q, k) shape of each contact, or None for the layout's.
        """
        q, r, m = loads.shape
        k = len(self.layout.shape_of)
        if not q * r or not self.layout.fits_kernels:
            return _new_batch(q * r, k, m)
        compile_kernels()
        flat = np.array(loads.reshape(q * r, m), dtype=np.float64)
        layout = self._reaching(maps)
        model = layout.model(flat[np.abs(flat).max(axis=1).argmax()], test=question == "test")
        room = model.take_room()
        start = self._start(method, model, room, question)
        found = _new_batch(q * r, k, len(model.scales.kept))
        settings = (question == "test", method.gap, question == "test" or self.layout.bounds_hold_zero)
        nodes = min(FIRST_NODES, method.node_limit)
        for i, (program, masks) in enumerate(_programs(model, maps, shape_of)):
            some = slice(i * r, (i + 1) * r)
            scales = model.scales if masks is None else model.scales._replace(masks=masks)
            own = Batch(*(array[some] for array in found))
            solve(model.tables, program, scales, room, flat[some], *settings, nodes, False, start, 0.0, own)
        model.idle_rooms.append(room)
        multipliers = np.zeros((q * r, m))
        multipliers[:, model.scales.kept] = found.multipliers
        return found._replace(multipliers=multipliers)

    def _reaching(self, maps: Array) -> Layout:
        """The layout, its maps enlarged so that one-sided rows are cut off beyond what these maps can push them to."""
        one_sided = np.isinf(self.layout.lower) != np.isinf(self.layout.upper)
        if not one_sided.any():
            return self.layout
        own = np.linalg.norm(self.layout.maps, axis=2).max(axis=1)
        theirs = np.linalg.norm(maps, axis=3).max(axis=(0, 2))
        ratio = float(np.max(theirs / np.where(own > 0.0, own, 1.0), initial=1.0))
        doublings = int(np.ceil(np.log2(ratio)))
        if doublings not in self._widened:
            self._widened[doublings] = replace(self.layout, maps=self.layout.maps * 2.0**doublings)
        return self._widened[doublings]

    def _start(self, method: Exact, model: Model, room: Room, question: Question) -> Array:
        """(m,) multipliers of the layout itself under its load, where they are known; else zeros."""
        zeros = np.zeros(len(model.scales.kept))
        if not self.load.any():
            return zeros
        found = _new_batch(1, model.contacts, len(zeros))
        load = np.array(self.load, dtype=np.float64).reshape(1, -1)
        settings = (question == "test", method.gap, question == "test" or self.layout.bounds_hold_zero)
        nodes = min(FIRST_NODES, method.node_limit)
        known = solve(model.tables, model.program, model.scales, room, load, *settings, nodes, False, zeros, 0.0, found)
        return room.frames.vectors[ROOT, Y].copy() if known else zeros


def _new_batch(count: int, contacts: int, rows: int) -> Batch:
    """Room for the answers to `count` loads; all are open at first."""
    factors, bounds, residuals = np.zeros((3, count))
    forces, pieces = np.zeros((count, contacts, 3)), np.zeros((count, contacts), dtype=np.int64)
    return Batch(np.full(count, PAUSED), factors, bounds, residuals, forces, pieces, np.zeros((count, rows)))


def _programs(model: Model, maps: Array, shape_of: IntArray | None) -> list[tuple[Program, IntArray | None]]:
    """(linear program, masks of all pieces or None for the model's) of each variant; joint slacks are the model's."""
    (q, k), own = maps.shape[:2], model.program
    m, n = own.rows.shape[0], own.rows.shape[1] // 3
    rows = np.empty((q, m, 3 * n))
    rows[:, :, 3 * k :] = own.rows[:, 3 * k :]
    rows[:, :, : 3 * k] = maps[:, :, model.scales.kept, :].transpose(0, 2, 1, 3).reshape(q, m, 3 * k)
    sizes = np.sqrt((rows.reshape(q, m, n, 3) ** 2).sum(axis=(1, 3)))
    if shape_of is None:
        return [(own._replace(rows=rows[i], size=sizes[i]), None) for i in range(q)]
    shapes, masks = np.tile(own.shape_of, (q, 1)), np.tile(model.scales.masks, (q, 1))
    shapes[:, :k] = shape_of
    masks[:, :k] = (1 << model.tables.shapes[shape_of, PIECES]) - 1
    unit = model.scales.unit[0]
    slacks = (PRIMAL_TOLERANCE * unit / np.maximum(model.tables.reach, unit))[shapes]
    return [
        (own._replace(rows=rows[i], size=sizes[i], slack=slacks[i], shape_of=shapes[i]), masks[i]) for i in range(q)
    ]
