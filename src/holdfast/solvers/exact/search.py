"""Branch and bound on sets of pieces: compiled, on top of the dual simplex method.

A node is one set of allowed pieces per unit, whose contacts share one piece. Its relaxation (hulls of the allowed
pieces) is solved from its parent's basis. It is closed when U(y), by fresh supports, does not exceed the cutoff; the
pair (sets, y) is then a leaf of the certificate. Otherwise:

* Round: scale all forces towards zero until those of each unit lie in a piece. All pieces contain the zero force, so
  this keeps the balance, with less load. Polish: let each mixed unit keep the piece that allows it most, and solve
  again. Both give admissible forces, hence a better cutoff.
* Prune: multipliers y that solved or closed earlier nodes are kept, with the supports h_ij of all pieces. U(y) with the
  allowed pieces, a sum of these numbers, bounds every other node, too. Where it is below the cutoff, the node is closed
  without a linear program. Where U(y) - h_i + h_ij is, piece j of unit i cannot be part of an answer; the pruned box is
  a leaf with the same y.
* Counts: a search may be given items of another kind (see `counting`). Such an item has one point, and its "force" is
  how many units of a group use a certain piece; its pieces are ranges of whole numbers. A unit that is counted has one
  more point, which says whether it counts. These points have no vertex 0: they are neither scaled nor polished.
* Branch on the mixed unit whose children's bounds, after a few pivots each, fall furthest. Next comes the child with
  the highest bound. Where all children are closed, the open node with the highest bound comes next: unless better
  forces are found elsewhere, it must be searched anyway.

The slots of `BasisFrames`: ROOT keeps the solved root, NODE is the node at hand, SCRATCH, LARGEST and CHOSEN are for
trials, the last `POOL` keep the roots of several loads, and the others keep open nodes. The next load starts from the
root in the pool whose multipliers bound it best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ... import tolerances
from ...checks import Array, IntArray
from ...compiling import inlined, kernel, released_kernel, vectorised
from ..problem import MOST_PIECES
from .simplex import (
    CHOSEN,
    FAILED,
    FIRST_OPEN,
    INFEASIBLE,
    KEPT,
    KEY,
    LARGEST,
    MASK,
    MIXED,
    NODE,
    OPTIMAL,
    POINT,
    PRUNED,
    RENEWED,
    ROOT,
    ROUGH,
    SCRATCH,
    VERTEX,
    WHO,
    WHOLE,
    WHOLES,
    SimplexProgram,
    X,
    Y,
    common_bits,
    copy_slot,
    key_bits,
    restrict,
    run,
    start,
    turn,
    whole_bits,
)
from .support_tables import (
    FAR,
    FIRST_PIECE,
    FIRST_VERTEX,
    PIECES,
    SMALLEST_REACH,
    ZERO,
    bound_terms,
    certified_bound,
    near_item_support,
    near_piece_support,
)

#: What `SearchState.counts` counts.
LEAVES, NODES, PIVOTS, PROGRAMS, OPEN = 0, 1, 2, 3, 4

#: Fraction of the gap that the search may use, without perturbations and with them; the rest is for rounding.
GAP_SHARE, LAST_SHARE = 0.9, 0.99

#: What `SearchState.best` holds.
BEST, ROOT_BOUND = 0, 1

#: Roots that are kept for later loads. One that took fewer pivots than this replaces the root that it started from.
POOL, NEAR_PIVOTS = 64, 12

#: Units that were branched on are remembered for so many paths from a root. Paths are numbered by a generator of random
#: numbers (Park and Miller), into which every step goes: a unit and one of at most `MOST_PIECES` pieces.
HINTS = 1 << 13
KEY_FACTOR, KEYS = 48271, 2147483646

#: Open nodes up to which the one with the highest bound comes next; beyond it the last one does.
MOST_OPEN = 512

#: What `SearchState.pool` holds (the first two in `KeptMultipliers.counts`, too), and the rows of `SearchState.hints`
#: and of `SearchState.pool_values`.
FILLED, NEXT, STARTED, PROGRAM = 0, 1, 2, 3
PATH, BRANCHED_ON, OF_PROGRAM = 0, 1, 2
POOL_BOUND, POOL_PERTURBATION = 0, 1


#: Multipliers that are kept to bound other nodes; a new one replaces the oldest.
MOST_KEPT = 64


class KeptMultipliers(NamedTuple):
    """Multipliers of earlier nodes that bound others; q of them, m rows, k contacts, p pieces at most.

    Supports and bounds are load factors: divided by -y . load.
    """

    counts: IntArray  # (2,) how many are kept, which is replaced next
    y: Array  # (q, m)
    supports: Array  # (k, p, q) h_ij of each piece of a unit, at its first contact
    rest: Array  # (q,) what joint slacks and rounding add to them
    highest: Array  # (k, q) of a unit's allowed pieces at the node at hand
    above: Array  # (q,) how far the node's bounds are above the cutoff


class SearchState(NamedTuple):
    """What a search keeps, in flat arrays; k contacts, m rows, l leaves, o open nodes, p pieces at most."""

    leaf_masks: IntArray  # (l, k) a unit's stands at its first contact
    leaf_y: Array  # (l, m)
    leaf_bound: Array  # (l,)
    counts: IntArray  # (5,) leaves, nodes, pivots, linear programs, open nodes
    best: Array  # (2,) best factor, bound of the root
    forces: Array  # (k, 3) its local forces [N]
    pieces: IntArray  # (k,) their pieces
    trial: Array  # (k, 3) forces of the basis at hand
    common: IntArray  # (2, k) pieces that contain all of a unit's vertices, at its first contact; piece of each force
    factors: Array  # (k,) how much of a unit's forces lies in its piece, at its first contact; before, weight at cuts
    parts: IntArray  # (2, p) masks of trial children: at hand, of the chosen contact
    bound: Array  # (2, p) bounds of trial children: at hand, of the chosen contact
    y: Array  # (2, p, m) their multipliers
    pool: IntArray  # (4,) how many roots are kept, which is replaced next, which the root at hand started from (or -1),
    # how many programs there were
    slots: IntArray  # (o,) of open nodes, in the order in which they were opened; behind them, those that are free
    bounds: Array  # (FIRST_OPEN + o,) per slot: the bound of its node
    keys: IntArray  # (FIRST_OPEN + o,) per slot: the number of the path to its node, see `next_key`
    hints: IntArray  # (3, HINTS) by numbers of paths: such a number, the unit that was branched on last, the program
    pool_values: Array  # (2, POOL) the bound of each root, and the perturbation of the vertex 0 that it was solved with
    kept: KeptMultipliers


def new_search_state(k: int, m: int, leaves: int, depth: int, pieces: int) -> SearchState:
    """Arrays for what a search finds; memory is claimed when it is first written to.

    `depth` is how many nodes can be open when the last opened one always comes next.
    """
    most_open = depth + MOST_OPEN
    return SearchState(
        leaf_masks=np.empty((leaves, k), dtype=np.int64),
        leaf_y=np.empty((leaves, m)),
        leaf_bound=np.empty(leaves),
        counts=np.zeros(5, dtype=np.int64),
        best=np.zeros(2),
        forces=np.zeros((k, 3)),
        pieces=np.zeros(k, dtype=np.int64),
        trial=np.zeros((k, 3)),
        common=np.zeros((2, k), dtype=np.int64),
        factors=np.zeros(k),
        parts=np.zeros((2, max(2, pieces)), dtype=np.int64),
        bound=np.zeros((2, max(2, pieces))),
        y=np.zeros((2, max(2, pieces), m)),
        pool=np.zeros(4, dtype=np.int64),
        slots=FIRST_OPEN + np.arange(most_open),
        bounds=np.zeros(FIRST_OPEN + most_open),
        keys=np.full(FIRST_OPEN + most_open, -1, dtype=np.int64),
        hints=np.zeros((3, HINTS), dtype=np.int64),
        pool_values=np.zeros((2, POOL)),
        kept=KeptMultipliers(
            counts=np.zeros(2, dtype=np.int64),
            y=np.zeros((MOST_KEPT, m)),
            supports=np.zeros((k, pieces, MOST_KEPT)),
            rest=np.zeros(MOST_KEPT),
            highest=np.zeros((k, MOST_KEPT)),
            above=np.zeros(MOST_KEPT),
        ),
    )


#: Forces count as better when they carry more by this, in loads as large as the unit of force: less is rounding.
LEAST_GAIN = 1e-15


@kernel
def keep_best(state, factor, shrink):
    """Remember the forces at hand, shrunk, if they carry more than the best so far."""
    if factor > state.best[BEST] + LEAST_GAIN:
        state.best[BEST] = factor
        for i in range(len(state.pieces)):
            state.pieces[i] = state.common[1, i]
            for c in range(3):
                state.forces[i, c] = shrink * state.trial[i, c]


@inlined
def cutoff_of(state, target, gap, tiny):
    """Bounds up to this cannot matter: just below the target of a test, or the best found plus the gap."""
    best = state.best[BEST]
    cutoff = -np.inf
    if target < np.inf:
        cutoff = target
    elif best > -np.inf:
        allowed = gap * abs(best)
        cutoff = best + max(tiny, min(GAP_SHARE * allowed + tiny, LAST_SHARE * allowed))
    return cutoff


@kernel
def add_leaf(state, items, y, bound, i, mask):
    """Record a closed box: the slot's masks, unit i's (if any) replaced by `mask`."""
    at = state.counts[LEAVES]
    for h in range(len(state.pieces)):
        state.leaf_masks[at, h] = items[MASK, h]
    if i >= 0:
        state.leaf_masks[at, i] = mask
    for r in range(len(y)):
        state.leaf_y[at, r] = y[r]
    state.leaf_bound[at] = bound
    state.counts[LEAVES] += 1


#: Weights below this fraction of their tolerance do not count as part of a mixture.
WEIGHT_SHARE = 1e-2

#: A force counts as inside a piece when it must be shrunk by no more than this.
INSIDE = 1e-12

#: A force that is this much of vertices at the cut of a ray counts as being there.
MOSTLY = 0.5

#: Polishing rounds a node.
POLISH_ROUNDS = 4


@inlined
def mix_in(tables, state, i, p, v, weight):
    """Add a vertex to the force at point p of unit i."""
    state.common[0, i] &= tables.bits[v]
    if tables.bits[v] & FAR:
        state.factors[p] += weight
    for c in range(3):
        state.trial[p, c] += weight * tables.vertices[v, c]


@kernel
def read_forces(tables, program, frames, state, s):
    """Local forces of the basic solution, and the allowed pieces with all vertices of each unit; True at a cut."""
    items, base, vectors = frames.items[s], frames.base[s], frames.vectors[s]
    k, m = len(state.pieces), vectors.shape[1]
    forces, common, far = state.trial, state.common, state.factors
    at_cut = False
    for i in range(k):
        count = program.points[i]
        if count == 0:
            continue
        common[0, i] = items[MASK, i]
        whole, least = 1.0, WEIGHT_SHARE * program.slack[i]
        for p in range(i, i + count):
            far[p] = 0.0
            for c in range(3):
                forces[p, c] = 0.0
        if items[WHOLES, i] > 0:
            for j in range(1, m):
                if base[WHO, j] == i and base[POINT, j] == WHOLE and vectors[X, j] > least:
                    whole -= vectors[X, j]
                    for p in range(count):
                        mix_in(tables, state, i, i + p, base[VERTEX + p, j], vectors[X, j])
        for p in range(i, i + count):
            rest = whole
            if items[MIXED, p] > 0:
                for j in range(1, m):
                    if base[WHO, j] == i and base[POINT, j] == p and vectors[X, j] > least:
                        rest -= vectors[X, j]
                        mix_in(tables, state, i, p, base[VERTEX, j], vectors[X, j])
            if rest > least:
                mix_in(tables, state, i, p, items[KEY, p], rest)
            at_cut = at_cut or far[p] > MOSTLY
    return at_cut


@vectorised
def steepest(faces, first, last, x, y, z):
    """The largest of the products of a vector with the normals (3, h) from `first` to before `last`; at least 0."""
    most = 0.0
    for h in range(first, last):
        height = faces[0, h] * x + faces[1, h] * y + faces[2, h] * z
        most = height if height > most else most
    return most


@steepest.twin
def _steepest(faces, first, last, x, y, z):
    """`steepest` by one product."""
    return (np.array([x, y, z]) @ faces[:, first:last]).max(initial=0.0)


@inlined
def shrunk(tables, piece, force, factor):
    """The largest share of a force, `factor` at most, that lies in a piece with the zero force."""
    first, last = tables.first_face[piece], tables.first_face[piece + 1]
    height = steepest(tables.faces, first, last, force[0], force[1], force[2])
    return 1.0 / height if height * factor > 1.0 else factor


#: A count is between whole numbers when it is this share of the largest vertex away from all that are allowed.
FRACTION = 1e-6


@inlined
def is_count(tables, program, i):
    """Whether item i, which is no joint slack, is the value of a count."""
    return program.points[i] == 1 and tables.shapes[program.shape_of[i], ZERO] < 0


@inlined
def distance_to_values(tables, program, mask, value, i):
    """How far a count is from the nearest allowed range, as a share of the largest value; 0 inside of one.

    Also 0 below and above all of them, where only rounding leads.
    """
    shape, below, above, low, high = program.shape_of[i], -np.inf, np.inf, np.int64(0), np.int64(0)
    for v in range(tables.shapes[shape, FIRST_VERTEX], tables.shapes[shape + 1, FIRST_VERTEX]):
        end = tables.vertices[v, 0]
        if tables.bits[v] & mask and end <= value and end > below:
            below, low = end, tables.bits[v]
        if tables.bits[v] & mask and end >= value and end < above:
            above, high = end, tables.bits[v]
    distance = min(value - below, above - value) / tables.reach[shape]
    return 0.0 if (low & high & mask) or not distance < np.inf else distance


@inlined
def lowest_bit(bits):
    """The number of the lowest bit that is set."""
    j = np.int64(0)
    while not bits >> j & 1:
        j += 1
    return j


@kernel
def place(tables, program, frames, state, s):
    """Piece and shrink factor of every unit's forces; returns (number of mixed units, smallest factor).

    A count between two whole numbers has a negative factor.
    """
    count, least = 0, 1.0
    for i in range(len(state.pieces)):
        state.factors[i] = 1.0
        points = program.points[i]
        if points == 0:
            continue
        common = state.common[0, i]
        piece, most = 0, 1.0
        if common:
            piece = lowest_bit(common)
        elif is_count(tables, program, i):
            off = distance_to_values(tables, program, frames.items[s, MASK, i], state.trial[i, 0], i)
            state.factors[i] = -off if off > FRACTION else 1.0
        else:
            most = -1.0
            for j in range(tables.shapes[program.shape_of[i], PIECES]):
                if frames.items[s, MASK, i] >> j & 1:
                    factor = 1.0
                    for p in range(i, i + points):
                        if tables.shapes[program.shape_of[p], ZERO] >= 0 and factor > most:
                            at = tables.shapes[program.shape_of[p], FIRST_PIECE] + j
                            factor = shrunk(tables, at, state.trial[p], factor)
                    if factor > most:
                        piece, most = j, factor
            state.factors[i] = most
            if most < 1.0 - INSIDE:
                count += 1
            least = min(least, most)
        for p in range(i, i + points):
            state.common[1, p] = piece
    return count, least


@inlined
def polish(tables, program, frames, work, state, s, target, gap, tiny, limit):
    """Fix every mixed unit to its best piece and solve again, until the forces are admissible."""
    copy_slot(frames, s, SCRATCH)
    for _ in range(POLISH_ROUNDS):
        for i in range(len(state.pieces)):
            if 0.0 <= state.factors[i] < 1.0 - INSIDE:
                restrict(tables, program, frames, work, SCRATCH, i, 1 << state.common[1, i])
        cutoff = cutoff_of(state, target, gap, tiny)
        outcome, _, pivots = run(tables, program, frames, work, SCRATCH, cutoff, limit, KEPT)
        state.counts[PIVOTS] += pivots
        state.counts[PROGRAMS] += 1
        if outcome != OPTIMAL:
            return
        at_cut = read_forces(tables, program, frames, state, SCRATCH)
        count, _ = place(tables, program, frames, state, SCRATCH)
        if at_cut:
            return
        if count == 0:
            keep_best(state, frames.vectors[SCRATCH, X, 0], 1.0)
            return


#: Mixed units that are tried for branching, and pivots spent on each of their children.
CANDIDATES, TRIAL_PIVOTS = 8, np.int64(6)

#: A candidate's score: how far its worst child's bound falls, so many times, and how far its best child's does.
WORST_COUNTS = 20.0

#: No unit. Typed, as are other constants that kernels pass on: a bare literal has a type of its own, and each
#: combination of those would be compiled separately.
NONE = np.int64(-1)


#: A bound must be below the cutoff by this much of it for a box to be pruned.
PRUNE_MARGIN = 1e-12


@kernel
def remember(tables, program, frames, work, kept, y):
    """Keep multipliers y, with the supports of all pieces, unless they bound no load factor."""
    items, k, at = frames.items[ROOT], len(kept.highest), kept.counts[NEXT]
    onto, rest = bound_terms(tables, program, items[MASK], y, program.load, work)
    if not (onto > 0.0 and rest < np.inf):
        return
    for i in range(len(program.points)):
        if i >= k:
            rest += near_item_support(tables, program, i, items[MASK, i], work.pace, items[KEY], work.memo)
        elif program.points[i] > 0:
            for j in range(tables.shapes[program.shape_of[i], PIECES]):
                kept.supports[i, j, at] = near_piece_support(tables, program, i, j, work.pace, work.memo) / onto
    kept.rest[at] = rest / onto
    for r in range(len(y)):
        kept.y[at, r] = y[r]
    kept.counts[FILLED] = max(kept.counts[FILLED], at + 1)
    kept.counts[NEXT] = (at + 1) % MOST_KEPT


@vectorised
def raise_to(values, others, count):
    """The larger of each of the first values and another one, in place."""
    for q in range(count):
        values[q] = others[q] if others[q] > values[q] else values[q]


@kernel
def bound_all(tables, program, masks, kept, cutoff):
    """How far the kept bounds of a node with these masks are above the cutoff; the highest supports of its units."""
    count, above, highest = kept.counts[FILLED], kept.above, kept.highest
    for q in range(count):
        above[q] = kept.rest[q] - cutoff
    for i in range(len(highest)):
        if program.points[i] > 0:
            for q in range(count):
                highest[i, q] = -np.inf
            for j in range(tables.shapes[program.shape_of[i], PIECES]):
                if masks[i] >> j & 1:
                    raise_to(highest[i], kept.supports[i, j], count)
            for q in range(count):
                above[q] += highest[i, q]


@bound_all.twin
def _bound_all(tables, program, masks, kept, cutoff):
    """`bound_all` of all units together."""
    count, units = kept.counts[FILLED], np.nonzero(program.points[: len(kept.highest)])[0]
    allowed = masks[units, None] >> np.arange(kept.supports.shape[1]) & 1
    kept.highest[units, :count] = np.where(allowed[:, :, None], kept.supports[units, :, :count], -np.inf).max(axis=1)
    kept.above[:count] = kept.rest[:count] - cutoff + kept.highest[units, :count].sum(axis=0)


@inlined
def above_with(kept, i, j, q):
    """How far kept bound q of the node is above the cutoff if unit i must use piece j."""
    return kept.above[q] - (kept.highest[i, q] - kept.supports[i, j, q])


@vectorised
def least_above(highest, supports, above, count):
    """The least that `above_with` is of the first kept bounds, for the supports of a piece, but for rounding."""
    least = np.inf
    for q in range(count):
        left = above[q] - (highest[q] - supports[q])
        least = left if left < least else least
    return least


@least_above.twin
def _least_above(highest, supports, above, count):
    """`least_above` by one difference."""
    return (above[:count] - (highest[:count] - supports[:count])).min()


@kernel
def prune(tables, program, frames, work, state, s, cutoff):
    """Close the node in slot s, or take pieces away, by kept multipliers; what goes becomes leaves.

    Returns (whether it is closed, whether it has fewer pieces than before).
    """
    items, kept, count = frames.items[s], state.kept, state.kept.counts[FILLED]
    safe, fewer, again = cutoff - PRUNE_MARGIN * abs(cutoff), False, count > 0 and cutoff > -np.inf
    while again:
        again = False
        bound_all(tables, program, items[MASK], kept, safe)
        q = kept.above[:count].argmin()
        if kept.above[q] <= 0.0:
            add_leaf(state, items, kept.y[q], safe + kept.above[q], NONE, NONE)
            return True, fewer
        for i in range(len(state.pieces)):
            mask, pieces = items[MASK, i], tables.shapes[program.shape_of[i], PIECES]
            if program.points[i] == 0 or not mask & (mask - 1):
                continue
            left = mask
            for j in range(pieces):
                if left >> j & 1 and least_above(kept.highest[i], kept.supports[i, j], kept.above, count) <= 0.0:
                    q, pruned, worst = 0, 0, -np.inf
                    for other in range(1, count):
                        if above_with(kept, i, j, other) < above_with(kept, i, j, q):
                            q = other
                    for h in range(j, pieces):
                        above = above_with(kept, i, h, q)
                        if left >> h & 1 and above <= 0.0:
                            pruned |= 1 << h
                            worst = max(worst, safe + above)
                    if pruned:
                        add_leaf(state, items, kept.y[q], worst, i, pruned)
                        left &= ~pruned
            if left == 0:
                return True, fewer
            if left != mask:
                restrict(tables, program, frames, work, s, i, left)
                fewer = again = True
    return False, fewer


@inlined
def is_choice(program, base, i, j):
    """Whether basic column j is a vertex of unit i that need not share a piece with its key."""
    return base[WHO, j] == i and (base[POINT, j] == WHOLE or program.points[i] == 1)


@kernel
def split(tables, program, frames, state, s, i):
    """Cut unit i's pieces into parts none of which allows its forces, into state.parts[0]; returns their number.

    That is 0 for a count whose ranges around its value have been pruned.

    Of the vertices that it mixes, take the two heaviest that share no piece: one part gets the pieces of one, the other
    those of the other, and what has neither goes where its centre is nearer. Its forces are on a face of the hull, with
    the mixed vertices, so a hull that misses one of them misses the forces. Without such a pair every piece is a part.
    """
    items, base, vectors = frames.items[s], frames.base[s], frames.vectors[s]
    m, mask, pieces = vectors.shape[1], items[MASK, i], tables.shapes[program.shape_of[i], PIECES]
    rest, count, heaviest = 1.0, 0, 0.0
    if is_count(tables, program, i):  # the values below it and those above it
        first = tables.shapes[program.shape_of[i], FIRST_PIECE]
        state.parts[0, 0] = state.parts[0, 1] = 0
        for j in range(pieces):
            if mask >> j & 1:
                state.parts[0, 1 if tables.centres[first + j, 0] > state.trial[i, 0] else 0] |= 1 << j
        return 2 if state.parts[0, 0] and state.parts[0, 1] else 0
    one, other = -1, -1  # their columns; 0, the column of the load factor, stands for the key
    one_bits = other_bits = np.int64(0)
    key_group = key_bits(tables, program, items, i)
    if program.points[i] > 1:
        key_group = common_bits(tables, program, items, base, i)
    for j in range(1, m):
        if is_choice(program, base, i, j):
            rest -= vectors[X, j]
    for j in range(m):
        if j > 0 and not is_choice(program, base, i, j):
            continue
        bits = key_group if j == 0 else whole_bits(tables, program, base, j)
        first_weight = rest if j == 0 else vectors[X, j]
        for h in range(j + 1, m):
            weight = first_weight * vectors[X, h]
            if is_choice(program, base, i, h) and weight > heaviest and vectors[X, h] > 0.0:
                theirs = whole_bits(tables, program, base, h)
                if not bits & theirs & mask:
                    one, other, heaviest, one_bits, other_bits = j, h, weight, bits, theirs
    if one >= 0:
        state.parts[0, 0] = state.parts[0, 1] = 0
        for j in range(pieces):
            if mask >> j & 1:
                side = 0
                if other_bits >> j & 1:
                    side = 1
                elif not one_bits >> j & 1:
                    along = 0.0
                    for p in range(program.points[i]):
                        centre = tables.shapes[program.shape_of[i + p], FIRST_PIECE] + j
                        v = items[KEY, i + p] if one == 0 else base[VERTEX + p, one]
                        for c in range(3):
                            a, b = tables.vertices[v, c], tables.vertices[base[VERTEX + p, other], c]
                            along += (b - a) * (tables.centres[centre, c] - 0.5 * (a + b))
                    side = 1 if along > 0.0 else 0
                state.parts[0, side] |= 1 << j
        count = 2
    else:
        for j in range(pieces):
            if mask >> j & 1:
                state.parts[0, count] = 1 << j
                count += 1
    return count


@inlined
def choose(tables, program, frames, work, state, s, top, cutoff):
    """The mixed unit to branch on: its children's bounds fall furthest in a few pivots; -1 when none has a choice.

    Returns (unit, number of children, mask): the children's masks, bounds and multipliers are in parts[1], bound[1] and
    y[1]. What was tried of the child with the largest bound is in slot CHOSEN, where the mask is its own and not 0.
    """
    chosen, highest, children, begun = NONE, -np.inf, 0, np.int64(0)
    m = frames.vectors.shape[2]
    path, known = state.keys[s], NONE
    hint = state.hints[:, path % HINTS]
    if hint[PATH] == path and hint[OF_PROGRAM] == state.pool[PROGRAM]:  # what an earlier load branched on here
        mask = frames.items[s, MASK, hint[BRANCHED_ON]]
        if state.factors[hint[BRANCHED_ON]] < 1.0 - INSIDE and mask & (mask - 1):
            known = hint[BRANCHED_ON]
    for _ in range(CANDIDATES):
        i = known
        for h in range(len(state.pieces) if known < 0 else 0):
            mask = frames.items[s, MASK, h]
            mixed = state.factors[h] < 1.0 - INSIDE and mask & (mask - 1)
            if mixed and (i < 0 or state.factors[h] < state.factors[i]):
                i = h
        if i < 0:
            break
        state.factors[i] = 2.0  # tried
        count = split(tables, program, frames, state, s, i)
        if count == 0:
            known = NONE
            continue
        least_drop, most_drop = np.inf, 0.0  # of the children's bounds, down to the cutoff where they are closed
        largest, mask = -np.inf, np.int64(0)
        for j in range(count):
            copy_slot(frames, s, SCRATCH)
            restrict(tables, program, frames, work, SCRATCH, i, state.parts[0, j])
            outcome, bound, pivots = run(tables, program, frames, work, SCRATCH, cutoff, TRIAL_PIVOTS, ROUGH)
            state.counts[PIVOTS] += pivots
            if outcome == FAILED:
                bound = np.inf
            elif outcome != PRUNED and outcome != INFEASIBLE:
                bound = max(bound, cutoff + 1e-12 * abs(cutoff) + SMALLEST_REACH)  # open, whatever the bound is
            state.bound[0, j] = bound
            for r in range(m):
                state.y[0, j, r] = frames.vectors[SCRATCH, Y, r]
            if bound > largest:
                largest, mask = bound, state.parts[0, j] if outcome != FAILED else np.int64(0)
                copy_slot(frames, SCRATCH, LARGEST)
            drop = max(0.0, top - max(bound, cutoff))
            least_drop, most_drop = min(least_drop, drop), max(most_drop, drop)
            if most_drop < top - cutoff and WORST_COUNTS * least_drop + (top - cutoff) <= highest:
                break  # whatever the other children do, another unit is better
        score = WORST_COUNTS * least_drop + most_drop
        closed = most_drop >= top - cutoff
        if score > highest or chosen < 0 or closed:
            chosen, highest, children, begun = i, score, count, mask
            copy_slot(frames, LARGEST, CHOSEN)
            for j in range(count):
                state.bound[1, j], state.parts[1, j] = state.bound[0, j], state.parts[0, j]
                for r in range(m):
                    state.y[1, j, r] = state.y[0, j, r]
        if closed or (known >= 0 and score > 0.0):
            break  # nothing is cut in two (some of its pieces are out, or the node is closed), or it did well before
        known = NONE
    if chosen >= 0:
        hint[PATH], hint[BRANCHED_ON], hint[OF_PROGRAM] = path, chosen, state.pool[PROGRAM]
    return chosen, children, begun


@kernel
def open_node(frames, state, source, bound, key):
    """Keep the basis in slot `source` as an open node; returns its slot."""
    s = state.slots[state.counts[OPEN]]
    state.counts[OPEN] += 1
    copy_slot(frames, source, s)
    state.bounds[s], state.keys[s] = bound, key
    return s


@kernel
def branch(tables, program, frames, work, state, i, children, begun, cutoff):
    """Open the children of unit i, the one with the largest bound last; those already closed become leaves.

    Returns whether any is open.
    """
    left = 0
    for j in range(children):
        if state.bound[1, j] <= cutoff:
            add_leaf(state, frames.items[NODE], state.y[1, j], state.bound[1, j], i, state.parts[1, j])
            remember(tables, program, frames, work, state.kept, state.y[1, j])
            state.parts[1, j] = 0
        else:
            left += 1
    for _ in range(left):
        lowest = NONE
        for j in range(children):
            if state.parts[1, j] and (lowest < 0 or state.bound[1, j] <= state.bound[1, lowest]):
                lowest = np.int64(j)
        part, state.parts[1, lowest] = state.parts[1, lowest], 0
        key = next_key(state.keys[NODE], i, lowest_bit(part))
        s = open_node(frames, state, CHOSEN if part == begun else NODE, state.bound[1, lowest], key)
        if part != begun:
            restrict(tables, program, frames, work, s, i, part)
    return left > 0


@kernel
def take_node(frames, state, last_one):
    """Copy the open node with the highest bound into slot NODE; if `last_one`, or of very many, the last one."""
    last = state.counts[OPEN] - 1
    at = last
    for h in range(last - 1 if not last_one and last < MOST_OPEN else NONE, -1, -1):
        if state.bounds[state.slots[h]] > state.bounds[state.slots[at]]:
            at = h
    s = state.slots[at]
    for h in range(at, last):
        state.slots[h] = state.slots[h + 1]
    state.slots[last], state.counts[OPEN] = s, last
    copy_slot(frames, s, NODE)
    state.keys[NODE] = state.keys[s]


#: Outcomes of a search, and of one node.
FINISHED, HELD, PAUSED, FULL, CAPPED, BROKEN = 0, 1, 2, 3, 4, 5
CLOSED, BRANCHED, AGAIN = 6, 7, 8

#: Mixed forces are polished at the first nodes, this many, and then at every fourth node.
POLISHED_NODES, POLISH_EVERY = 8, 4

#: Largest number of pivots of one relaxation, per row and item; beyond it rounding is the likely cause.
PIVOTS_PER_ROW, PIVOTS_PER_ITEM = 60, 6

#: Perturbation of the vertex 0, summed over contacts, relative to the first bound on the factor; at most this share of
#: the gap.
PERTURBATION, PERTURBATION_SHARE = 1e-9, 1e-3

#: The same relative to an expected factor, as a share of the gap: large enough not to be lost in rounding.
EXPECTED_SHARE = 0.2

#: A perturbation stays in use while it is at most this many times what it would be now.
PERTURBATION_SLACK = 10.0

#: An earlier answer is used as a start for a new load if the cosine between its multipliers and that load is at least
#: this, with the sign of a resisting wrench.
WARM_COSINE = 1e-3


@inlined
def examine(tables, program, frames, work, state, target, gap, tiny, rounding, limit):
    """Look for forces at the solved node in slot NODE; then close it, or branch.

    Returns HELD, CAPPED or BROKEN, which end the search, or CLOSED, BRANCHED or AGAIN (pieces were pruned, and what was
    mixed has no choice left: solve it again).
    """
    s = NODE
    at_cut = read_forces(tables, program, frames, state, s)
    count, least = place(tables, program, frames, state, s)
    factor, nodes = frames.vectors[s, X, 0], state.counts[NODES]
    # Forces at a cut may be held, but they are no limit: they do for a test that they pass, and for nothing else.
    if at_cut and count == 0 and factor < target:
        return CAPPED
    if count == 0:
        keep_best(state, factor, 1.0)
    elif rounding and (not at_cut or least * factor >= target):
        keep_best(state, least * factor, least)
    polished = count > 0 and state.best[BEST] < target and (nodes <= POLISHED_NODES or nodes % POLISH_EVERY == 0)
    if polished:
        polish(tables, program, frames, work, state, s, target, gap, tiny, limit)
    if state.best[BEST] >= target:
        return HELD
    items, y = frames.items[s], frames.vectors[s, Y]
    bound = certified_bound(tables, program, items[MASK], items[KEY], y, program.load, work)
    if nodes == 1:
        state.best[ROOT_BOUND] = bound
    cutoff = cutoff_of(state, target, gap, tiny)
    if bound <= cutoff:
        add_leaf(state, frames.items[s], frames.vectors[s, Y], bound, NONE, NONE)
        return CLOSED
    if count == 0:
        return BROKEN  # admissible and optimal, yet its own bound does not close it
    if polished:
        read_forces(tables, program, frames, state, s)
        place(tables, program, frames, state, s)
    remember(tables, program, frames, work, state.kept, y)
    closed, fewer = prune(tables, program, frames, work, state, s, cutoff)
    if closed:
        return CLOSED
    i, children, begun = choose(tables, program, frames, work, state, s, bound, cutoff)
    if i < 0:
        return AGAIN if fewer else BROKEN
    return BRANCHED if branch(tables, program, frames, work, state, i, children, begun, cutoff) else CLOSED


@kernel
def keep_root(frames, state, bound, perturbation, pivots):
    """Put the root in slot NODE into the pool."""
    at = state.pool[STARTED]
    if at < 0 or pivots >= NEAR_PIVOTS:
        at = state.pool[NEXT]
        state.pool[NEXT] = (at + 1) % POOL
        state.pool[FILLED] = max(state.pool[FILLED], at + 1)
    copy_slot(frames, NODE, len(frames.items) - POOL + at)
    state.pool_values[POOL_BOUND, at], state.pool_values[POOL_PERTURBATION, at] = bound, perturbation


@inlined
def leaning(y, way):
    """-y . way of multipliers that lean against the load `way`; 0 where it is so small that it may be rounding."""
    onto = y_size = size = 0.0
    for r in range(len(way)):
        onto -= y[r] * way[r]
        y_size += y[r] * y[r]
        size += way[r] * way[r]
    return onto if onto > WARM_COSINE * np.sqrt(y_size * size) else 0.0


@kernel
def nearest_root(frames, state, way):
    """The root in the pool with the lowest bound on a load `way`; -1 when there is none that leans against it."""
    first, chosen, lowest = len(frames.items) - POOL, NONE, np.inf
    for k in range(state.pool[FILLED]):
        onto = leaning(frames.vectors[first + k, Y], way)
        if onto > 0.0 and state.pool_values[POOL_BOUND, k] < lowest * onto:
            chosen, lowest = np.int64(k), state.pool_values[POOL_BOUND, k] / onto
    return chosen


@inlined
def next_key(key, i, j):
    """The number (1 or more) of the path to a child of unit i whose first piece is j, from that of its parent."""
    return 1 + (key * KEY_FACTOR + MOST_PIECES * i + j) % KEYS


@inlined
def explore(tables, program, frames, work, state, target, gap, tiny, rounding, node_limit, open_limit, y_guess):
    """Search below the node in slot NODE.

    Returns HELD (a test's target is reached), FINISHED (leaves cover all), PAUSED (a limit of nodes), FULL (no room
    for leaves), CAPPED (a force reached the cut of a ray: there may be no limit) or BROKEN (stopped by rounding).
    """
    n, m, k = frames.items.shape[2], frames.vectors.shape[2], len(state.pieces)
    limit = PIVOTS_PER_ROW * m + PIVOTS_PER_ITEM * n
    most_leaves = len(state.slots) - MOST_OPEN + state.parts.shape[1]  # of one node: pieces that can go, all children
    restarted, ended, solved, branched = KEPT, FINISHED, False, False
    counting = is_count(tables, program, k - 1)
    state.keys[NODE] = next_key(0, state.pool[STARTED] + 1, 0)
    while True:
        if solved:
            if state.counts[OPEN] == 0:
                break
            take_node(frames, state, branched)
        solved = branched = False
        if state.counts[NODES] >= node_limit or state.counts[OPEN] > open_limit:
            ended = PAUSED
            break
        if state.counts[LEAVES] + most_leaves >= len(state.leaf_bound):
            ended = FULL
            break
        cutoff = cutoff_of(state, target, gap, tiny)
        solved, _ = prune(tables, program, frames, work, state, NODE, cutoff)
        if solved:
            continue
        outcome, bound, pivots = run(tables, program, frames, work, NODE, cutoff, limit, restarted)
        state.counts[PIVOTS] += pivots
        state.counts[PROGRAMS] += 1
        if outcome != OPTIMAL and outcome != PRUNED and (outcome != INFEASIBLE or (rounding and not counting)):
            if restarted == RENEWED:
                ended = BROKEN
                break
            start(tables, program, frames, work, NODE, y_guess)  # rounding has spoilt its basis: start from scratch
            restarted = RENEWED
            continue
        restarted = KEPT
        state.counts[NODES] += 1
        if state.counts[NODES] == 1 and outcome != INFEASIBLE:
            copy_slot(frames, NODE, ROOT)
            keep_root(frames, state, bound, program.perturbation, pivots)
        if outcome == OPTIMAL:
            came = examine(tables, program, frames, work, state, target, gap, tiny, rounding, limit)
            if came < CLOSED:
                ended = came
                break
            solved, branched = came != AGAIN, came == BRANCHED
        else:
            if state.counts[NODES] == 1:
                state.best[ROOT_BOUND] = bound
            add_leaf(state, frames.items[NODE], frames.vectors[NODE, Y], bound, NONE, NONE)
            if outcome == PRUNED:
                remember(tables, program, frames, work, state.kept, frames.vectors[NODE, Y])
            solved = True
    return ended


@kernel
def residual_of(tables, program, state):
    """Largest violation of a row by the best forces and factor, from nothing but them, relative to their size."""
    k, m = len(state.pieces), len(program.load)
    worst, largest, slack, balance = 0.0, 0.0, k, m - (len(program.shape_of) - k)
    for i in range(k):
        for c in range(3):
            largest = max(largest, abs(state.forces[i, c]))
    for r in range(m):
        value = state.best[BEST] * program.load[r]
        largest = max(largest, abs(value))
        for i in range(k):
            for c in range(3):
                value += program.rows[r, 3 * i + c] * state.forces[i, c]
        if r < balance:
            worst = max(worst, abs(value))
        else:
            first = tables.shapes[program.shape_of[slack], FIRST_VERTEX]
            last = tables.shapes[program.shape_of[slack] + 1, FIRST_VERTEX] - 1
            worst = max(worst, tables.vertices[first, 0] - value, value - tables.vertices[last, 0])
            slack += 1
    return worst / largest if largest > 0.0 else 0.0


@kernel
def prepare(scales, program, load, way, y):
    """Scale a load to the model's unit into `way`, and guess multipliers y for it (y . way = -1); returns the scale."""
    m = len(way)
    strength = work = 0.0
    for r in range(m):
        way[r] = load[scales.kept[r]] - scales.zero[r]
        strength = max(strength, abs(way[r]))
    scale = scales.unit[0] / strength if strength > 0.0 else np.inf
    for r in range(m):
        way[r] *= scale if strength > 0.0 else 0.0
    for r in range(m):
        y[r] = 0.0
        for q in range(m):
            y[r] -= scales.guess[r, q] * way[q]
        # An unlimited side of a row cannot be leaned on.
        if (program.unlimited[r] & 1 and y[r] > 0.0) or (program.unlimited[r] & 2 and y[r] < 0.0):
            y[r] = 0.0
        work -= y[r] * way[r]
    if not work > 0.0:
        work = 0.0
        for r in range(m):
            y[r] = -way[r]
            work += way[r] * way[r]
    for r in range(m):
        y[r] /= work
    return scale


@inlined
def with_load(program, load, perturbation):
    """The linear program with a load and a perturbation of the vertex 0."""
    return SimplexProgram(
        program.rows,
        program.size,
        program.slack,
        program.reach,
        program.points,
        program.shape_of,
        program.unlimited,
        load,
        perturbation,
    )


@inlined
def begin(tables, program, scales, workspace, way, y, start_y, warm, expected, gap):
    """A basis for the load `way` in slot NODE: one of the pool turned, or a new one at y (or at better multipliers).

    Returns the perturbation of the vertex 0 that goes with it.
    """
    frames, state, k = workspace.frames, workspace.state, len(workspace.state.pieces)
    relative, perturbation, factor = min(PERTURBATION, PERTURBATION_SHARE * gap), 0.0, -np.inf
    if not warm:  # what was kept may be of another program: other maps, other shapes
        state.pool[FILLED], state.pool[NEXT] = 0, 0
        state.pool[PROGRAM] += 1
        workspace.work.memo[:] = NONE
    state.pool[STARTED] = nearest_root(frames, state, way)
    if state.pool[STARTED] >= 0:
        perturbation = state.pool_values[POOL_PERTURBATION, state.pool[STARTED]]
        copy_slot(frames, len(frames.items) - POOL + state.pool[STARTED], NODE)
        factor = turn(with_load(program, way, perturbation), frames, NODE, WARM_COSINE)
        if k * perturbation <= PERTURBATION_SLACK * relative * factor and factor < np.inf:
            return perturbation
    onto = leaning(start_y, way)
    if 0.0 < factor < np.inf:  # its perturbation is too large: a new basis at its multipliers
        for r in range(len(way)):
            y[r] = frames.vectors[NODE, Y, r]
    elif onto > 0.0:
        for r in range(len(way)):
            y[r] = start_y[r] / onto
    for i in range(len(scales.masks)):
        frames.items[NODE, MASK, i], frames.items[NODE, KEY, i] = scales.masks[i], NONE
    if expected > 0.0:
        perturbation = EXPECTED_SHARE * gap * expected / k
    else:
        items, own = frames.items[NODE], with_load(program, way, 0.0)
        bound = certified_bound(tables, own, items[MASK], items[KEY], y, way, workspace.work)
        perturbation = relative * (abs(bound) if np.isfinite(bound) else 1.0) / k
    own = with_load(program, way, perturbation)
    start(tables, own, frames, workspace.work, NODE, y)
    return perturbation


@inlined
def record(tables, program, frames, state, answers, a, outcome, scale):
    """Put what was found for load a into `answers`, in multiples of the load as given."""
    claim = -np.inf if outcome == FINISHED else state.best[ROOT_BOUND] * scale
    for leaf in range(state.counts[LEAVES]):
        state.leaf_bound[leaf] *= scale
        if outcome == FINISHED:
            claim = max(claim, state.leaf_bound[leaf])
    answers.outcomes[a], answers.factors[a], answers.bounds[a] = outcome, state.best[BEST] * scale, claim
    answers.residuals[a] = residual_of(tables, program, state) if state.best[BEST] > -np.inf else 0.0
    for i in range(len(state.pieces)):
        answers.pieces[a, i] = state.pieces[i]
        for c in range(3):
            answers.forces[a, i, c] = state.forces[i, c]
    if abs(state.best[ROOT_BOUND]) < np.inf:
        for r in range(len(program.load)):
            answers.multipliers[a, r] = frames.vectors[ROOT, Y, r]


@released_kernel
def solve(
    tables,
    program,
    scales,
    workspace,
    loads,
    is_test,
    gap,
    rounding,
    node_limit,
    open_limit,
    warm,
    start_y,
    expected,
    floor,
    answers,
):
    """Answer the loads (q, rows of the layout), one after another, each from the root of an earlier one.

    `is_test` asks for a load factor of 1, otherwise the largest is sought. `warm` says whether the pool belongs to this
    program; `start_y` (m,) are multipliers to start from without it, where they lean against the load. `expected` is
    the factor that perturbations are made small against, 0 for the first bound. `floor` is a factor that is known to be
    held, -inf for none: where nothing better is found, it is the answer, without forces. Results go into `answers`
    (zeros at first); leaves and counts in `workspace.state` are those of the last load. Returns whether the pool may be
    used for the next load.
    """
    state, k, way, y = workspace.state, len(workspace.state.pieces), workspace.way, workspace.guess
    for a in range(len(loads)):
        for c in range(len(state.counts)):
            state.counts[c] = 0
        state.best[BEST], state.best[ROOT_BOUND] = -np.inf, np.inf
        state.kept.counts[FILLED] = state.kept.counts[NEXT] = 0
        if rounding:  # zero forces carry a load factor of zero
            state.best[BEST] = 0.0
        for i in range(k):
            state.pieces[i] = 0
            for c in range(3):
                state.forces[i, c] = 0.0
        scale = prepare(scales, program, loads[a], way, y)
        state.best[BEST] = max(state.best[BEST], floor / scale)
        if scale == np.inf:  # nothing to carry
            answers.outcomes[a], answers.factors[a], answers.bounds[a] = HELD, 1.0, np.inf
            continue
        perturbation = begin(tables, program, scales, workspace, way, y, start_y, warm, expected / scale, gap)
        own = with_load(program, way, perturbation)
        target = (1.0 - tolerances.FEASIBILITY) / scale if is_test else np.inf
        outcome = explore(
            tables,
            own,
            workspace.frames,
            workspace.work,
            state,
            target,
            gap,
            4.0 * k * perturbation,
            rounding,
            node_limit,
            open_limit,
            y,
        )
        warm = outcome <= HELD and state.best[ROOT_BOUND] > -np.inf  # finished or held; an infeasible root leaves none
        record(tables, own, workspace.frames, state, answers, a, outcome, scale)
    return warm
