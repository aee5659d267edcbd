"""Branch and bound on sets of pieces: compiled, on top of the dual simplex method.

A node is one set of allowed pieces a contact. Its relaxation (hulls of the allowed pieces) is solved from its parent's
basis. It is closed when U(y), by fresh supports, does not exceed the cutoff; the pair (sets, y) is then a leaf of
the certificate. Otherwise:

* Round: scale all forces towards zero until each lies in a piece. Polish: let each mixed contact keep the piece that
  allows it most, and solve again. Both give admissible forces, hence a better cutoff.
* Strike off: a piece of contact i whose support h_ij at y is so low that U(y) - h_i + h_ij is below the cutoff cannot
  be part of an answer; the struck box is a leaf with the same y.
* Branch on the mixed contact whose children's bounds, after a few pivots each, promise most. Depth first, most promising
  child first.

The slots of `Frames`: ROOT keeps the solved root for the next load, SCRATCH is for trials, the others are the path from
the root to the node at hand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..checks import Array, IntArray
from .basis import restrict, start, turn
from .compiling import inlined, kernel, released_kernel
from .program import KEY, MASK, MIXED, VERTEX, WHO, Program, X, Y, copy_slot
from .simplex import FAILED, INFEASIBLE, KEPT, OPTIMAL, PRUNED, RENEWED, ROUGH, run
from .supports import certified_bound, support
from .tables import FAR, FIRST_PIECE, PIECES

#: What a search ended with.
FINISHED, HELD, PAUSED, FULL, CAPPED, BROKEN = 0, 1, 2, 3, 4, 5

#: Slots with a purpose. Typed, as are other constants that kernels pass on: a bare literal has a type of its own, and
#: each combination of those would be compiled separately.
ROOT, SCRATCH, FIRST = np.int64(0), np.int64(1), np.int64(2)
NONE = np.int64(-1)

#: What `Found.counts` counts.
LEAVES, NODES, PIVOTS, PROGRAMS, NODE_PIVOTS, TRIAL_COUNT, POLISH_COUNT = 0, 1, 2, 3, 4, 5, 6

#: Mixed contacts that are tried for branching, and pivots spent on each of their children.
CANDIDATES, TRIAL_PIVOTS = 8, np.int64(10)

#: A candidate's score: how far its worst child's bound falls, so many times, and how far its best child's does.
WORST_COUNTS = 20.0

#: Mixed forces are polished at this many nodes, then at every so manieth.
POLISHED_NODES, POLISH_EVERY = 8, 4

#: Weights below this do not count as part of a mixture.
WEIGHT_TOLERANCE = 1e-12

#: A force counts as inside a piece when it must be shrunk by no more than this.
INSIDE = 1e-12

#: Polishing rounds a node.
POLISH_ROUNDS = 4

#: Pivots of one relaxation before rounding is blamed, per row and item.
PIVOTS_PER_ROW, PIVOTS_PER_ITEM = 60, 6

#: Bonus of the vertex 0, summed over contacts, relative to the first bound on the factor.
BONUS = 1e-9

#: An earlier answer is a start for a new load when its multipliers lean against that load at least this much.
WARM_COSINE = 1e-3


class Found(NamedTuple):
    """What a search has found; k contacts, m rows, l leaves, c slots, p pieces at most."""

    leaf_masks: IntArray  # (l, k)
    leaf_y: Array  # (l, m)
    leaf_bound: Array  # (l,)
    counts: IntArray  # (8,)
    best: Array  # (1,) best factor
    forces: Array  # (k, 3) its local forces [N]
    pieces: IntArray  # (k,) their pieces
    trial: Array  # (k, 3) forces of the basis at hand
    common: IntArray  # (2, k) pieces that contain all of a contact's vertices; piece of each force
    factors: Array  # (k,) how much of each force lies in its piece
    child: IntArray  # (c, 2 + p) per slot: the contact branched on, the next child, their masks in order, 0
    parts: IntArray  # (2, p) masks of trial children: at hand, of the chosen contact
    bound: Array  # (2, p) bounds of trial children: at hand, of the chosen contact
    y: Array  # (2, p, m) their multipliers


@inlined
def read_forces(tables, program, frames, found, s):
    """Local forces of the basic solution, and the allowed pieces that contain all vertices of each; True at a cut."""
    items, base, vectors = frames.items[s], frames.base[s], frames.vectors[s]
    k, m = len(found.pieces), vectors.shape[1]
    forces, common = found.trial, found.common
    at_cut = False
    for i in range(k):
        common[0, i] = items[MASK, i]
        rest = 1.0
        for c in range(3):
            forces[i, c] = 0.0
        if items[MIXED, i] > 0:
            for j in range(m):
                if base[WHO, j] == i:
                    v, weight = base[VERTEX, j], max(0.0, vectors[X, j])
                    rest -= weight
                    for c in range(3):
                        forces[i, c] += weight * tables.vertices[v, c]
                    if weight > WEIGHT_TOLERANCE:
                        common[0, i] &= tables.bits[v]
        key = items[KEY, i]
        if rest > WEIGHT_TOLERANCE:
            common[0, i] &= tables.bits[key]
        if rest > 0.5 and tables.bits[key] & FAR:
            at_cut = True
        for c in range(3):
            forces[i, c] += max(0.0, rest) * tables.vertices[key, c]
    return at_cut


@inlined
def place(tables, program, frames, found, s):
    """Piece and shrink factor of every contact's force; returns (number of mixed contacts, smallest factor)."""
    count, least = 0, 1.0
    for i in range(len(found.pieces)):
        found.factors[i] = 1.0
        common, shape = found.common[0, i], program.shape_of[i]
        piece, most = 0, 1.0
        if common:
            while not common >> piece & 1:
                piece += 1
        else:
            fx, fy, fz = found.trial[i, 0], found.trial[i, 1], found.trial[i, 2]
            most = -1.0
            for j in range(tables.shapes[shape, PIECES]):
                if frames.items[s, MASK, i] >> j & 1:
                    factor = 1.0
                    at = tables.shapes[shape, FIRST_PIECE] + j
                    for h in range(tables.first_face[at], tables.first_face[at + 1]):
                        height = tables.faces[h, 0] * fx + tables.faces[h, 1] * fy + tables.faces[h, 2] * fz
                        offset = max(0.0, tables.faces[h, 3])
                        if height * factor > offset:
                            factor = offset / height
                    if factor > most:
                        piece, most = j, factor
            found.factors[i] = most
            if most < 1.0 - INSIDE:
                count += 1
            least = min(least, most)
        found.common[1, i] = piece
    return count, least


@inlined
def keep_best(found, factor, shrink):
    """Remember the forces at hand, shrunk, if they carry more than the best so far."""
    if factor > found.best[0]:
        found.best[0] = factor
        for i in range(len(found.pieces)):
            found.pieces[i] = found.common[1, i]
            for c in range(3):
                found.forces[i, c] = shrink * found.trial[i, c]


@inlined
def cutoff_of(found, target, gap, tiny):
    """Bounds up to this cannot matter: just below the target of a test, or the best found plus the gap."""
    best = found.best[0]
    cutoff = -np.inf
    if target < np.inf:
        cutoff = target
    elif best > -np.inf:
        cutoff = best + gap * abs(best) + tiny
    return cutoff


@inlined
def add_leaf(found, items, y, bound, i, mask):
    """Record a closed box: the slot's masks, contact i's (if any) replaced by `mask`."""
    at = found.counts[LEAVES]
    for h in range(len(found.pieces)):
        found.leaf_masks[at, h] = items[MASK, h]
    if i >= 0:
        found.leaf_masks[at, i] = mask
    for r in range(len(y)):
        found.leaf_y[at, r] = y[r]
    found.leaf_bound[at] = bound
    found.counts[LEAVES] += 1


@inlined
def strike_off(tables, program, frames, found, s, bound, cutoff):
    """Take away pieces that cannot be part of anything above the cutoff; their boxes become leaves."""
    items, vectors = frames.items[s], frames.vectors[s]
    m, struck_any = vectors.shape[1], False
    for i in range(len(found.pieces)):
        mask, shape = items[MASK, i], program.shape_of[i]
        if mask & (mask - 1):
            gx = gy = gz = 0.0
            for r in range(m):
                gx += program.rows[r, 3 * i] * vectors[Y, r]
                gy += program.rows[r, 3 * i + 1] * vectors[Y, r]
                gz += program.rows[r, 3 * i + 2] * vectors[Y, r]
            _, whole, _ = support(tables, shape, mask, gx, gy, gz, -np.inf)
            struck, worst = 0, -np.inf
            for j in range(tables.shapes[shape, PIECES]):
                if mask >> j & 1:
                    _, part, _ = support(tables, shape, 1 << j, gx, gy, gz, -np.inf)
                    left = bound - (whole - part)
                    if left <= cutoff - 1e-12 * abs(cutoff):
                        struck |= 1 << j
                        worst = max(worst, left)
            if struck and struck != mask:
                add_leaf(found, items, vectors[Y], worst, i, struck)
                restrict(tables, program, frames, s, i, mask & ~struck)
                struck_any = True
    return struck_any


@kernel
def polish(tables, program, frames, work, found, s, target, gap, tiny, limit):
    """Fix every mixed contact to its best piece and solve again, until the forces are admissible."""
    copy_slot(frames, s, SCRATCH)
    for _ in range(POLISH_ROUNDS):
        for i in range(len(found.pieces)):
            if found.factors[i] < 1.0 - INSIDE:
                restrict(tables, program, frames, SCRATCH, i, 1 << found.common[1, i])
        cutoff = cutoff_of(found, target, gap, tiny)
        outcome, _, pivots = run(tables, program, frames, work, SCRATCH, cutoff, limit, KEPT)
        found.counts[PIVOTS] += pivots
        found.counts[POLISH_COUNT] += pivots
        found.counts[PROGRAMS] += 1
        if outcome != OPTIMAL:
            return
        at_cut = read_forces(tables, program, frames, found, SCRATCH)
        count, _ = place(tables, program, frames, found, SCRATCH)
        if at_cut:
            return
        if count == 0:
            keep_best(found, frames.vectors[SCRATCH, X, 0], 1.0)
            return


@inlined
def split(tables, program, frames, found, s, i):
    """Cut contact i's pieces into parts none of which allows its force, into found.parts[0]; returns their number.

    Of the vertices that it mixes, take the two heaviest that share no piece: one part gets the pieces of one, the other
    those of the other, and what has neither goes where its centre is nearer. The force is on a face of the hull, with
    the mixed vertices, so a hull that misses one of them misses the force. Without such a pair every piece is a part.
    """
    items, base, vectors = frames.items[s], frames.base[s], frames.vectors[s]
    m, mask, shape = vectors.shape[1], items[MASK, i], program.shape_of[i]
    rest, count, heaviest = 1.0, 0, 0.0
    one, other = np.int64(-1), np.int64(-1)
    for j in range(1, m):
        if base[WHO, j] == i:
            rest -= vectors[X, j]
    for j in range(m):
        first = items[KEY, i] if j == 0 else base[VERTEX, j]
        first_weight = rest if j == 0 else vectors[X, j]
        if j > 0 and base[WHO, j] != i:
            continue
        for h in range(j + 1, m):
            if base[WHO, h] == i and not tables.bits[first] & tables.bits[base[VERTEX, h]] & mask:
                if first_weight * vectors[X, h] > heaviest and vectors[X, h] > 0.0:
                    one, other, heaviest = first, base[VERTEX, h], first_weight * vectors[X, h]
    if one >= 0:
        found.parts[0, 0] = found.parts[0, 1] = 0
        for j in range(tables.shapes[shape, PIECES]):
            if mask >> j & 1:
                side = 0
                if tables.bits[other] >> j & 1:
                    side = 1
                elif not tables.bits[one] >> j & 1:
                    along = 0.0
                    for c in range(3):
                        a, b = tables.vertices[one, c], tables.vertices[other, c]
                        along += (b - a) * (tables.centres[tables.shapes[shape, FIRST_PIECE] + j, c] - 0.5 * (a + b))
                    side = 1 if along > 0.0 else 0
                found.parts[0, side] |= 1 << j
        count = 2
    else:
        for j in range(tables.shapes[shape, PIECES]):
            if mask >> j & 1:
                found.parts[0, count] = 1 << j
                count += 1
    return count


@kernel
def choose(tables, program, frames, work, found, s, top, cutoff):
    """The mixed contact to branch on: its children's bounds fall furthest in a few pivots; -1 when none has a choice.

    Returns (contact, number of children); leaves masks, bounds and multipliers of its children in parts[1], bound[1], y[1].
    """
    chosen, highest, children = NONE, -np.inf, 0
    m = frames.vectors.shape[2]
    for _ in range(CANDIDATES):
        i = NONE
        for h in range(len(found.pieces)):
            mask = frames.items[s, MASK, h]
            mixed = found.factors[h] < 1.0 - INSIDE and mask & (mask - 1)
            if mixed and (i < 0 or found.factors[h] < found.factors[i]):
                i = h
        if i < 0:
            break
        found.factors[i] = 2.0  # tried
        count = split(tables, program, frames, found, s, i)
        for j in range(count):
            found.bound[0, j] = np.inf
        for j in range(count):
            copy_slot(frames, s, SCRATCH)
            restrict(tables, program, frames, SCRATCH, i, found.parts[0, j])
            outcome, bound, pivots = run(tables, program, frames, work, SCRATCH, cutoff, TRIAL_PIVOTS, ROUGH)
            found.counts[PIVOTS] += pivots
            found.counts[TRIAL_COUNT] += pivots
            if outcome == FAILED:
                bound = np.inf
            elif outcome != PRUNED and outcome != INFEASIBLE:
                bound = max(bound, cutoff + 1e-12 * abs(cutoff))
            found.bound[0, j] = bound
            for r in range(m):
                found.y[0, j, r] = frames.vectors[SCRATCH, Y, r]
        # How far the children's bounds fall, down to the cutoff where they are closed.
        least_drop, most_drop = np.inf, 0.0
        for j in range(count):
            drop = max(0.0, top - max(found.bound[0, j], cutoff))
            least_drop, most_drop = min(least_drop, drop), max(most_drop, drop)
        score = WORST_COUNTS * least_drop + most_drop
        if score > highest or chosen < 0:
            chosen, highest, children = i, score, count
            for j in range(count):
                found.bound[1, j], found.parts[1, j] = found.bound[0, j], found.parts[0, j]
                for r in range(m):
                    found.y[1, j, r] = found.y[0, j, r]
        if least_drop >= top - cutoff:
            break  # it closes the node
    return chosen, children


@inlined
def branch(frames, found, s, i, children, cutoff):
    """List the children of contact i, the most promising first; those already closed become leaves."""
    child, left = found.child[s], 0
    child[0], child[1] = i, 2
    for j in range(children):
        if found.bound[1, j] <= cutoff:
            add_leaf(found, frames.items[s], found.y[1, j], found.bound[1, j], i, found.parts[1, j])
            found.bound[1, j] = -np.inf
        else:
            left += 1
    for place_of in range(left):
        best = 0
        for j in range(1, children):
            if found.bound[1, j] > found.bound[1, best]:
                best = j
        child[2 + place_of] = found.parts[1, best]
        found.bound[1, best] = -np.inf
    child[2 + left] = 0


@inlined
def explore(tables, program, frames, work, found, target, gap, tiny, rounding, node_limit, y_guess):
    """Search below the node in slot FIRST.

    Returns HELD (a test's target is reached), FINISHED (leaves cover all), PAUSED (the limit of nodes), FULL (no room
    for leaves), CAPPED (a force reached the cut of a ray: there may be no limit) or BROKEN (rounding got in the way).
    """
    n, m, k = frames.radius.shape[1], frames.vectors.shape[2], len(found.pieces)
    limit = PIVOTS_PER_ROW * m + PIVOTS_PER_ITEM * n
    s, descend, restarted = FIRST, True, KEPT
    while s >= FIRST:
        if descend:
            if found.counts[NODES] >= node_limit:
                return PAUSED
            if found.counts[LEAVES] + k + 8 >= len(found.leaf_bound):
                return FULL
            cutoff = cutoff_of(found, target, gap, tiny)
            outcome, bound, pivots = run(tables, program, frames, work, s, cutoff, limit, restarted)
            found.counts[PIVOTS] += pivots
            found.counts[NODE_PIVOTS] += pivots
            found.counts[PROGRAMS] += 1
            descend = False
            if outcome != OPTIMAL and outcome != PRUNED and (outcome != INFEASIBLE or rounding):
                if restarted == RENEWED:
                    return BROKEN
                start(tables, program, frames, s, y_guess)  # rounding has spoilt the basis it came with: begin afresh
                restarted, descend = RENEWED, True
                continue
            restarted = KEPT
            found.counts[NODES] += 1
            if s == FIRST and outcome != INFEASIBLE:
                copy_slot(frames, FIRST, ROOT)
            if outcome != OPTIMAL:
                add_leaf(found, frames.items[s], frames.vectors[s, Y], bound, NONE, NONE)
                s -= 1
                continue
            at_cut = read_forces(tables, program, frames, found, s)
            count, least = place(tables, program, frames, found, s)
            if at_cut and count == 0:
                return CAPPED
            factor = frames.vectors[s, X, 0]
            if count == 0:
                keep_best(found, factor, 1.0)
            elif rounding and not at_cut:
                keep_best(found, least * factor, least)
            nodes = found.counts[NODES]
            if count > 0 and found.best[0] < target and (nodes <= POLISHED_NODES or nodes % POLISH_EVERY == 0):
                polish(tables, program, frames, work, found, s, target, gap, tiny, limit)
            if found.best[0] >= target:
                return HELD
            cutoff = cutoff_of(found, target, gap, tiny)
            if bound <= cutoff:
                add_leaf(found, frames.items[s], frames.vectors[s, Y], bound, NONE, NONE)
                s -= 1
                continue
            if count == 0:
                return BROKEN  # admissible and optimal, yet its own bound does not close it
            read_forces(tables, program, frames, found, s)
            place(tables, program, frames, found, s)
            struck = strike_off(tables, program, frames, found, s, bound, cutoff)
            i, children = choose(tables, program, frames, work, found, s, bound, cutoff)
            if i < 0:
                if not struck:
                    return BROKEN
                descend = True  # what was mixed has no choice left: solve it again as it now is
                continue
            branch(frames, found, s, i, children, cutoff)
        child = found.child[s]
        part = child[child[1]]
        if part == 0:
            s -= 1
            continue
        child[1] += 1
        copy_slot(frames, s, s + 1)
        restrict(tables, program, frames, s + 1, child[0], part)
        s += 1
        descend = True
    return FINISHED


@released_kernel
def solve(tables, rows, size, shape_of, unlimited, frames, work, found, masks, loads, guesses, targets, gap, rounding,
          node_limit, warm, outcomes, factors, forces, pieces):
    """Answer the loads (q, m), one after another, each from the basis of the last.

    `guesses` (q, m) are multipliers to start from when there is no basis; `targets` (q,) the factor a test asks for, inf
    for the largest. `warm` says whether slot ROOT has a basis. Outcomes, factors, local forces and pieces are written into
    the arrays given; leaves and counts in `found` are those of the last load.
    """
    n, m, k = frames.radius.shape[1], rows.shape[0], len(found.pieces)
    bonus = 0.0
    for a in range(len(loads)):
        for c in range(len(found.counts)):
            found.counts[c] = 0
        found.best[0] = -np.inf
        program = Program(rows, size, shape_of, unlimited, loads[a], bonus)
        usable = warm
        if usable:
            copy_slot(frames, ROOT, FIRST)
            usable = turn(program, frames, FIRST, WARM_COSINE)
        if not usable:
            for i in range(n):
                frames.items[FIRST, MASK, i] = masks[i]
            bound = certified_bound(tables, program, frames.items[FIRST, MASK], guesses[a], loads[a])
            bonus = BONUS * (bound if np.isfinite(bound) else 1.0) / k
            program = Program(rows, size, shape_of, unlimited, loads[a], bonus)
            start(tables, program, frames, FIRST, guesses[a])
        if rounding:  # no force at all carries no load at all
            found.best[0] = 0.0
            for i in range(k):
                found.pieces[i] = 0
                for c in range(3):
                    found.forces[i, c] = 0.0
        tiny = 4.0 * k * bonus
        outcomes[a] = explore(
            tables, program, frames, work, found, targets[a], gap, tiny, rounding, node_limit, guesses[a]
        )
        warm = outcomes[a] == FINISHED or outcomes[a] == HELD
        factors[a] = found.best[0]
        for i in range(k):
            pieces[a, i] = found.pieces[i]
            for c in range(3):
                forces[a, i, c] = found.forces[i, c]
    return warm
