"""Branch and bound on sets of pieces: compiled, on top of the dual simplex method.

A node is one set of allowed pieces a contact. Its relaxation (hulls of the allowed pieces) is solved from its parent's
basis. It is closed when U(y), by fresh supports, does not exceed the cutoff; the pair (sets, y) is then a leaf of
the certificate. Otherwise:

* Round: scale all forces towards zero until each lies in a piece. Polish: let each mixed contact keep the piece that
  allows it most, and solve again. Both give admissible forces, hence a better cutoff.
* Strike off: a piece of contact i whose support h_ij at y is so low that U(y) - h_i + h_ij is below the cutoff cannot
  be part of an answer; the struck box is a leaf with the same y.
* Branch on the mixed contact whose children's bounds, after a few pivots each, promise most. Depth first, most
  promising child first.

The slots of `Frames`: ROOT keeps the solved root for the next load, SCRATCH is for trials, the others are the path from
the root to the node at hand.
"""

from __future__ import annotations

import numpy as np

from ... import tolerances
from ...compiling import inlined, kernel, released_kernel
from .basis import restrict, start, turn
from .branching import NONE, branch, choose, strike_off
from .found import BEST, KEPT_BONUS, LEAVES, NODES, PIVOTS, PROGRAMS, ROOT_BOUND, add_leaf, cutoff_of, keep_best
from .program import FIRST, MASK, ROOT, Program, X, Y, copy_slot
from .rounding import place, polish, read_forces
from .simplex import INFEASIBLE, KEPT, OPTIMAL, PRUNED, RENEWED, run
from .supports import certified_bound
from .tables import FIRST_VERTEX

#: What a search ended with; further, what became of a node.
FINISHED, HELD, PAUSED, FULL, CAPPED, BROKEN = 0, 1, 2, 3, 4, 5
CLOSED, BRANCHED, AGAIN = 6, 7, 8

#: Mixed forces are polished at this many nodes, then at every so manieth.
POLISHED_NODES, POLISH_EVERY = 8, 4

#: Pivots of one relaxation before rounding is blamed, per row and item.
PIVOTS_PER_ROW, PIVOTS_PER_ITEM = 60, 6

#: Bonus of the vertex 0, summed over contacts, relative to the first bound on the factor; and at most of the gap.
BONUS, BONUS_SHARE = 1e-9, 1e-3

#: The same relative to an expected factor, as a share of the gap: large enough not to be lost in rounding.
EXPECTED_SHARE = 0.2

#: A bonus stays in use while it is at most this many times what it would be now.
BONUS_SLACK = 10.0

#: An earlier answer is a start for a new load when its multipliers lean against that load at least this much.
WARM_COSINE = 1e-3


@inlined
def examine(tables, program, frames, work, found, s, target, gap, tiny, rounding, limit):
    """Look for forces at the solved node in slot s; then close it, or choose what to branch on.

    Returns HELD, CAPPED or BROKEN, which end the search, or CLOSED, BRANCHED or AGAIN (pieces were struck off, and
    what was mixed has no choice left: solve it again).
    """
    at_cut = read_forces(tables, program, frames, found, s)
    count, least = place(tables, program, frames, found, s)
    factor, nodes = frames.vectors[s, X, 0], found.counts[NODES]
    # Forces at a cut may be held, but they are no limit: they do for a test that they pass, and for nothing else.
    if at_cut and count == 0 and factor < target:
        return CAPPED
    if count == 0:
        keep_best(found, factor, 1.0)
    elif rounding and (not at_cut or least * factor >= target):
        keep_best(found, least * factor, least)
    if count > 0 and found.best[BEST] < target and (nodes <= POLISHED_NODES or nodes % POLISH_EVERY == 0):
        polish(tables, program, frames, work, found, s, target, gap, tiny, limit)
    if found.best[BEST] >= target:
        return HELD
    bound = certified_bound(tables, program, frames.items[s, MASK], frames.vectors[s, Y], program.load)
    if nodes == 1:
        found.best[ROOT_BOUND] = bound
    cutoff = cutoff_of(found, target, gap, tiny)
    if bound <= cutoff:
        add_leaf(found, frames.items[s], frames.vectors[s, Y], bound, NONE, NONE)
        return CLOSED
    if count == 0:
        return BROKEN  # admissible and optimal, yet its own bound does not close it
    read_forces(tables, program, frames, found, s)
    place(tables, program, frames, found, s)
    struck = strike_off(tables, program, frames, found, s, bound, cutoff)
    i, children = choose(tables, program, frames, work, found, s, bound, cutoff)
    if i < 0:
        return AGAIN if struck else BROKEN
    branch(frames, found, s, i, children, cutoff)
    return BRANCHED


@inlined
def explore(tables, program, frames, work, found, target, gap, tiny, rounding, node_limit, y_guess):
    """Search below the node in slot FIRST.

    Returns HELD (a test's target is reached), FINISHED (leaves cover all), PAUSED (the limit of nodes), FULL (no room
    for leaves), CAPPED (a force reached the cut of a ray: there may be no limit) or BROKEN (rounding got in the way).
    """
    n, m, k = frames.radius.shape[1], frames.vectors.shape[2], len(found.pieces)
    limit = PIVOTS_PER_ROW * m + PIVOTS_PER_ITEM * n
    s, descend, restarted, ended = FIRST, True, KEPT, FINISHED
    while s >= FIRST:
        if descend:
            if found.counts[NODES] >= node_limit or found.counts[LEAVES] + k + 8 >= len(found.leaf_bound):
                ended = PAUSED if found.counts[NODES] >= node_limit else FULL
                break
            cutoff = cutoff_of(found, target, gap, tiny)
            outcome, bound, pivots = run(tables, program, frames, work, s, cutoff, limit, restarted)
            found.counts[PIVOTS] += pivots
            found.counts[PROGRAMS] += 1
            if outcome != OPTIMAL and outcome != PRUNED and (outcome != INFEASIBLE or rounding):
                if restarted == RENEWED:
                    ended = BROKEN
                    break
                start(tables, program, frames, s, y_guess)  # rounding has spoilt the basis it came with: begin afresh
                restarted = RENEWED
                continue
            restarted, descend = KEPT, False
            found.counts[NODES] += 1
            if found.counts[NODES] == 1 and outcome != INFEASIBLE:
                copy_slot(frames, FIRST, ROOT)
            if outcome != OPTIMAL:
                if found.counts[NODES] == 1:
                    found.best[ROOT_BOUND] = bound
                add_leaf(found, frames.items[s], frames.vectors[s, Y], bound, NONE, NONE)
                s -= 1
                continue
            came = examine(tables, program, frames, work, found, s, target, gap, tiny, rounding, limit)
            if came < CLOSED:
                ended = came
                break
            if came != BRANCHED:
                descend = came == AGAIN
                s -= 0 if descend else 1
                continue
        part = found.child[s, found.child[s, 1]]
        if part == 0:
            s -= 1
            continue
        found.child[s, 1] += 1
        copy_slot(frames, s, s + 1)
        restrict(tables, program, frames, s + 1, found.child[s, 0], part)
        s += 1
        descend = True
    return ended


@kernel
def residual_of(tables, program, found):
    """Largest violation of a row by the best forces and factor, from nothing but them, relative to their size."""
    k, m = len(found.pieces), len(program.load)
    worst, largest, slack = 0.0, 0.0, k
    for i in range(k):
        for c in range(3):
            largest = max(largest, abs(found.forces[i, c]))
    for r in range(m):
        value = found.best[BEST] * program.load[r]
        largest = max(largest, abs(value))
        for i in range(k):
            for c in range(3):
                value += program.rows[r, 3 * i + c] * found.forces[i, c]
        if r < 6:
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
def begin(tables, program, scales, room, way, y, start_y, warm, expected, gap):
    """A basis for the load `way` in slot FIRST: the last one turned, or a new one at y (at `start_y`, if that leans).

    Returns the bonus of the vertex 0 that goes with it.
    """
    frames, bonus, k = room.frames, room.found.best[KEPT_BONUS], len(room.found.pieces)
    relative = min(BONUS, BONUS_SHARE * gap)
    own = Program(program.rows, program.size, program.slack, program.shape_of, program.unlimited, way, bonus)
    if warm:
        copy_slot(frames, ROOT, FIRST)
        factor = turn(own, frames, FIRST, WARM_COSINE)
        if k * bonus <= BONUS_SLACK * relative * factor and factor < np.inf:
            return bonus
    onto = 0.0
    for r in range(len(way)):
        onto -= start_y[r] * way[r]
    if onto > 0.0:
        for r in range(len(way)):
            y[r] = start_y[r] / onto
    for i in range(len(scales.masks)):
        frames.items[FIRST, MASK, i] = scales.masks[i]
    if expected > 0.0:
        bonus = EXPECTED_SHARE * gap * expected / k
    else:
        bound = certified_bound(tables, own, frames.items[FIRST, MASK], y, way)
        bonus = relative * (abs(bound) if np.isfinite(bound) else 1.0) / k
    own = Program(program.rows, program.size, program.slack, program.shape_of, program.unlimited, way, bonus)
    start(tables, own, frames, FIRST, y)
    return bonus


@inlined
def record(tables, program, frames, found, answers, a, outcome, scale):
    """Put what was found for load a into `answers`, in multiples of the load as given."""
    claim = -np.inf if outcome == FINISHED else found.best[ROOT_BOUND] * scale
    for leaf in range(found.counts[LEAVES]):
        found.leaf_bound[leaf] *= scale
        if outcome == FINISHED:
            claim = max(claim, found.leaf_bound[leaf])
    answers.outcomes[a], answers.factors[a], answers.bounds[a] = outcome, found.best[BEST] * scale, claim
    answers.residuals[a] = residual_of(tables, program, found) if found.best[BEST] > -np.inf else 0.0
    for i in range(len(found.pieces)):
        answers.pieces[a, i] = found.pieces[i]
        for c in range(3):
            answers.forces[a, i, c] = found.forces[i, c]
    if abs(found.best[ROOT_BOUND]) < np.inf:
        for r in range(len(program.load)):
            answers.multipliers[a, r] = frames.vectors[ROOT, Y, r]


@released_kernel
def solve(tables, program, scales, room, loads, is_test, gap, rounding, node_limit, warm, start_y, expected, answers):
    """Answer the loads (q, rows of the layout), one after another, each from the basis of the last.

    `is_test` asks for a load factor of 1, otherwise the largest is sought. `warm` says whether slot ROOT has a basis;
    `start_y` (m,) are multipliers to start from without one, where they lean against the load. `expected` is the factor
    that bonuses are made small against, 0 where the first bound will do. What is found goes into `answers` (zeros at
    first); leaves and counts in `room.found` are those of the last load. Returns whether slot ROOT has a basis now.
    """
    found, k, way, y = room.found, len(room.found.pieces), room.way, room.guess
    for a in range(len(loads)):
        for c in range(len(found.counts)):
            found.counts[c] = 0
        found.best[BEST], found.best[ROOT_BOUND] = -np.inf, np.inf
        if rounding:  # no force at all carries no load at all
            found.best[BEST] = 0.0
        for i in range(k):
            found.pieces[i] = 0
            for c in range(3):
                found.forces[i, c] = 0.0
        scale = prepare(scales, program, loads[a], way, y)
        if scale == np.inf:  # nothing to carry
            answers.outcomes[a], answers.factors[a], answers.bounds[a] = HELD, 1.0, np.inf
            continue
        bonus = begin(tables, program, scales, room, way, y, start_y, warm, expected / scale, gap)
        own = Program(program.rows, program.size, program.slack, program.shape_of, program.unlimited, way, bonus)
        target = (1.0 - tolerances.FEASIBILITY) / scale if is_test else np.inf
        outcome = explore(
            tables, own, room.frames, room.work, found, target, gap, 4.0 * k * bonus, rounding, node_limit, y
        )
        warm = outcome <= HELD and found.best[ROOT_BOUND] > -np.inf  # finished or held; an infeasible root leaves none
        found.best[KEPT_BONUS] = bonus
        record(tables, own, room.frames, found, answers, a, outcome, scale)
    return warm
