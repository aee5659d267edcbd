"""Counts: what the exact method branches on where many units are interchangeable.

If the relaxation uses 2.3 of four similar units to pull, then excluding one moves the fraction to another, and the
bound does not fall. "At most two of the four pull" or "at least three do" divides all choices of pieces as well, and
each of the two excludes the fraction.

A count is the number of units in a group that use the piece that most units use. Groups are made by lever arms: what a
unit adds to one row of the wrench by using that piece instead of its next best one. The units on one side of the widest
gap between these numbers are a group, for each of the six rows, and all units together are one.

For the kernels a count is one more row, sum_u c_u - s = 0. Unit u has one more point, whose "force" c_u is 1 in the
piece that counts and 0 in the others, and s is one more item, whose pieces are the whole numbers. Both are scaled by
the unit of force. So the simplex method and the search treat counts as they treat forces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...checks import Array, IntArray
from ..certificates import Count, LeafArrays
from ..problem import Layout
from .model import Model, Workspace, item_sizes
from .search import LEAVES
from .support_tables import SmallShape, SupportTables, with_small_shapes

#: Values of a count that have a range of their own, near the value at the root; the others share two ranges.
SINGLE_VALUES = 30


@dataclass(frozen=True, eq=False)
class CountedModel(Model):
    """The model of a layout with counts; its rows are those of the layout, and one more without a load.

    Attributes:
        counts: what is counted.
        own_contacts: (k,) where the layout's contacts are.
        own_units: (u,) the first points of the layout's units.
        own_rows: (m,) where the rows of the model without counts are; the others are those of counts.
    """

    counts: tuple[Count, ...]
    own_contacts: IntArray
    own_units: IntArray
    own_rows: IntArray

    @cached_property
    def tables(self) -> SupportTables:
        """The hulls, which have the cells of the model without counts."""
        return self.hulls

    def leaves(self, workspace: Workspace, layout: Layout) -> LeafArrays:
        """The leaves of the last search, in the rows of the layout."""
        state, found = workspace.state, int(workspace.state.counts[LEAVES])
        y, own = state.leaf_y[:found], self.scales.kept[self.own_rows]
        multipliers = np.zeros((found, len(layout.lower)))
        multipliers[:, own] = y[:, self.own_rows]
        added = np.delete(np.arange(y.shape[1]), self.own_rows)
        masks = state.leaf_masks[:found]
        return LeafArrays(
            masks[:, self.own_units],
            multipliers,
            state.leaf_bound[:found].copy(),
            masks[:, self.contacts - len(self.counts) :].copy(),
            y[:, added] * self.scales.unit[0],
        )


def find_counts(layout: Layout, multipliers: Array) -> tuple[Count, ...]:
    """Counts of units for which multipliers (m,), those of the root of a search, say that they are similar."""
    directions, unions = layout.directions(multipliers), np.array(layout.piece_counts) > 1
    usual = _usual_pieces(layout, directions, unions)
    if usual is None:
        return ()
    pieces, best, arms = usual
    groups = [unions]
    for arm in arms[unions].T:
        ends = np.sort(arm)
        gap = int(np.diff(ends).argmax())
        group = np.zeros(len(unions), dtype=bool)
        group[unions] = arm > 0.5 * (ends[gap] + ends[gap + 1])
        if 2 * group.sum() > unions.sum():
            group = unions & ~group
        if group.sum() > 1 and not any((group == other).all() for other in groups):
            groups.append(group)
    return tuple(
        Count(
            tuple(1 << int(piece) if inside else 0 for piece, inside in zip(pieces, group, strict=True)),
            _ranges(int((best[group] == pieces[group]).sum()), int(group.sum())),
        )
        for group in groups
    )


def _usual_pieces(layout: Layout, directions: Array, unions: Array) -> tuple[IntArray, IntArray, Array] | None:
    """Of each unit the piece that most units of its shape use, the best piece, and its lever arms (u, 6).

    None where fewer than two units have a choice.
    """
    if unions.sum() < 2:
        return None
    contacts, most = np.arange(len(layout.shape_of)), max(layout.piece_counts)
    supports, forces = np.full((len(contacts), most), -np.inf), np.zeros((len(contacts), most, 3))
    for number, shape in enumerate(layout.shapes):
        own = contacts[layout.shape_of == number]
        for j, piece in enumerate(shape):
            heights = directions[own] @ piece.extreme.T
            supports[own, j], forces[own, j] = heights.max(axis=1), piece.extreme[heights.argmax(axis=1)]
    wrenches = np.add.reduceat(forces @ layout.maps[:, :6].transpose(0, 2, 1), layout.unit_starts[:-1])
    supports = np.add.reduceat(supports, layout.unit_starts[:-1])
    best, shapes = supports.argmax(axis=1), layout.shape_of[layout.unit_starts[:-1]]
    pieces, units = np.zeros(len(unions), dtype=np.int64), np.arange(len(unions))
    for shape in np.unique(shapes):
        pieces[shapes == shape] = np.bincount(best[shapes == shape]).argmax()
    others = supports.copy()
    others[units, pieces] = -np.inf
    return pieces, best, wrenches[units, pieces] - wrenches[units, others.argmax(axis=1)]


def _ranges(value: int, largest: int) -> tuple[tuple[int, int], ...]:
    """The values 0 .. largest of a count as ranges; those near `value` have one of their own."""
    low = max(0, min(value - SINGLE_VALUES // 2, largest - SINGLE_VALUES + 1))
    high = min(largest, low + SINGLE_VALUES - 1)
    ranges = [(number, number) for number in range(low, high + 1)]
    ranges[0], ranges[-1] = (0, ranges[0][1]), (ranges[-1][0], largest)
    return tuple(ranges)


def counted_model(model: Model, tables: SupportTables, layout: Layout, counts: tuple[Count, ...]) -> CountedModel:
    """The model with counts, which all count the same piece of a unit; `tables` are those of the model."""
    unit, program, scales = float(model.scales.unit[0]), model.program, model.scales
    k, own, joints = model.contacts, len(counts), len(program.shape_of) - model.contacts
    counting = np.bitwise_or.reduce([count.masks for count in counts])  # (u,) pieces that count
    starts = layout.unit_starts
    added = counting != 0  # units with one more point
    shift = np.concatenate([[0], np.cumsum(added)])
    contacts = np.arange(k) + shift[layout.unit_of]
    points = starts[1:][added] + shift[:-1][added]  # the further points
    total = k + int(added.sum()) + own
    aux, slacks = np.arange(total - own, total), np.arange(total, total + joints)
    balance = len(program.load) - joints
    own_rows = np.concatenate([np.arange(balance), np.arange(balance, balance + joints) + own])
    count_rows = np.arange(balance, balance + own)

    masks = np.zeros(total + joints, dtype=np.int64)
    masks[contacts], masks[slacks] = scales.masks[:k], scales.masks[k:]
    masks[points] = scales.masks[starts[:-1][added]]
    masks[aux] = [(1 << len(count.ranges)) - 1 for count in counts]
    pairs, which = np.unique(np.column_stack([masks[points], counting[added]]), axis=0, return_inverse=True)
    small = [
        SmallShape(
            np.array([0.0, unit]), np.array([every & ~mask, mask]), unit * (mask >> np.arange(every.bit_length()) & 1)
        )
        for every, mask in pairs.tolist()
    ]
    small += [_values(count, unit) for count in counts]
    hulls = with_small_shapes(tables, small)
    first = len(tables.shapes) - 1

    shape_of = np.zeros(total + joints, dtype=np.int64)
    shape_of[contacts], shape_of[slacks] = program.shape_of[:k], program.shape_of[k:]
    shape_of[points] = first + which.reshape(-1)
    shape_of[aux] = first + len(pairs) + np.arange(own)
    rows = np.zeros((len(program.load) + own, total + joints, 3))
    kept = np.concatenate([contacts, slacks])
    rows[own_rows[:, None], kept] = program.rows.reshape(len(program.load), -1, 3)
    groups = np.array([count.masks for count in counts]) != 0  # (c, u)
    rows[count_rows[:, None], points, 0] = groups[:, added]
    rows[count_rows, aux, 0] = -1.0
    rows = rows.reshape(len(rows), -1)
    sizes = np.zeros(total + joints, dtype=np.int64)
    units = starts[:-1] + shift[:-1]
    sizes[units] = np.diff(starts) + added
    sizes[aux] = sizes[slacks] = 1
    unlimited = np.zeros(len(rows), dtype=np.int64)
    unlimited[own_rows] = program.unlimited
    lifted = program._replace(
        rows=rows,
        **item_sizes(rows, sizes, hulls.reach[shape_of], unit),
        points=sizes,
        shape_of=shape_of,
        unlimited=unlimited,
        load=np.zeros(len(rows)),
    )
    guess = np.zeros((len(rows), len(rows)))
    guess[np.ix_(own_rows, own_rows)] = scales.guess
    kept_rows, zero = np.full(len(rows), len(layout.lower)), np.zeros(len(rows))  # rows of counts have no load
    kept_rows[own_rows], zero[own_rows] = scales.kept, scales.zero
    scaled = scales._replace(kept=kept_rows, zero=zero, guess=guess, masks=masks)
    depth = model.depth + sum(len(count.ranges) - 1 for count in counts)
    return CountedModel(
        **(
            vars(replace(model))
            | {"hulls": hulls, "program": lifted, "scales": scaled, "contacts": total, "depth": depth}
        ),
        counts=counts,
        own_contacts=contacts,
        own_units=units,
        own_rows=own_rows,
    )


def _values(count: Count, unit: float) -> SmallShape:
    """The values of a count as a shape, whose pieces are its ranges."""
    ends = [(end, 1 << j) for j, (low, high) in enumerate(count.ranges) for end in sorted({low, high})]
    places, bits = np.array(ends).T
    return SmallShape(unit * places.astype(np.float64), bits, unit * np.mean(count.ranges, axis=1))
