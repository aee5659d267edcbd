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

import numpy as np

from .basis import restrict, start, turn
from .branching import NONE, branch, choose, strike_off
from .compiling import inlined, released_kernel
from .found import BEST, KEPT_BONUS, LEAVES, NODES, PIVOTS, PROGRAMS, ROOT_BOUND, add_leaf, cutoff_of, keep_best
from .program import FIRST, MASK, ROOT, Program, X, Y, copy_slot
from .rounding import place, polish, read_forces
from .simplex import INFEASIBLE, KEPT, OPTIMAL, PRUNED, RENEWED, run
from .supports import certified_bound
from .tables import FIRST_VERTEX

#: What a search ended with.
FINISHED, HELD, PAUSED, FULL, CAPPED, BROKEN = 0, 1, 2, 3, 4, 5

#: Mixed forces are polished at this many nodes, then at every so manieth.
POLISHED_NODES, POLISH_EVERY = 8, 4

#: Pivots of one relaxation before rounding is blamed, per row and item.
PIVOTS_PER_ROW, PIVOTS_PER_ITEM = 60, 6

#: Bonus of the vertex 0, summed over contacts, relative to the first bound on the factor.
BONUS = 1e-9

#: A bonus stays in use while it is at most this many times what it would be now.
BONUS_SLACK = 10.0

#: An earlier answer is a start for a new load when its multipliers lean against that load at least this much.
WARM_COSINE = 1e-3


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
            if s == FIRST and found.counts[NODES] == 1:
                found.best[ROOT_BOUND] = bound
                if outcome != INFEASIBLE:
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
            if count > 0 and found.best[BEST] < target and (nodes <= POLISHED_NODES or nodes % POLISH_EVERY == 0):
                polish(tables, program, frames, work, found, s, target, gap, tiny, limit)
            if found.best[BEST] >= target:
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


@inlined
def residual_of(tables, program, found):
    """Largest violation [N] of a row by the best forces and factor, from nothing but them."""
    k, m = len(found.pieces), len(program.load)
    worst, slack = 0.0, k
    for r in range(m):
        value = found.best[BEST] * program.load[r]
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
    return worst


@released_kernel
def solve(
    tables,
    rows,
    size,
    slack,
    shape_of,
    unlimited,
    frames,
    work,
    found,
    masks,
    loads,
    guesses,
    targets,
    gap,
    rounding,
    node_limit,
    warm,
    outcomes,
    factors,
    bounds,
    residuals,
    forces,
    pieces,
):
    """Answer the loads (q, m), one after another, each from the basis of the last.

    `guesses` (q, m) are multipliers to start from when there is no basis; `targets` (q,) the factor a test asks for, inf
    for the largest. `warm` says whether slot ROOT has a basis. Outcomes, factors, the roots' bounds, residuals, local forces
    and pieces are written into the arrays given; leaves and counts in `found` are those of the last load. Returns whether
    slot ROOT has a basis now.
    """
    n, k = frames.radius.shape[1], len(found.pieces)
    bonus = found.best[KEPT_BONUS]
    for a in range(len(loads)):
        for c in range(len(found.counts)):
            found.counts[c] = 0
        found.best[BEST], found.best[ROOT_BOUND] = -np.inf, np.inf
        program = Program(rows, size, slack, shape_of, unlimited, loads[a], bonus)
        usable = warm
        if usable:
            copy_slot(frames, ROOT, FIRST)
            factor = turn(program, frames, FIRST, WARM_COSINE)
            usable = k * bonus <= BONUS_SLACK * BONUS * factor and factor < np.inf
        if not usable:
            for i in range(n):
                frames.items[FIRST, MASK, i] = masks[i]
            bound = certified_bound(tables, program, frames.items[FIRST, MASK], guesses[a], loads[a])
            bonus = BONUS * (bound if np.isfinite(bound) else 1.0) / k
            program = Program(rows, size, slack, shape_of, unlimited, loads[a], bonus)
            start(tables, program, frames, FIRST, guesses[a])
        if rounding:  # no force at all carries no load at all
            found.best[BEST] = 0.0
            for i in range(k):
                found.pieces[i] = 0
                for c in range(3):
                    found.forces[i, c] = 0.0
        tiny = 4.0 * k * bonus
        outcomes[a] = explore(
            tables, program, frames, work, found, targets[a], gap, tiny, rounding, node_limit, guesses[a]
        )
        warm = outcomes[a] == FINISHED or outcomes[a] == HELD
        found.best[KEPT_BONUS] = bonus
        factors[a], bounds[a] = found.best[BEST], found.best[ROOT_BOUND]
        residuals[a] = residual_of(tables, program, found) if found.best[BEST] > -np.inf else 0.0
        for i in range(k):
            pieces[a, i] = found.pieces[i]
            for c in range(3):
                forces[a, i, c] = found.forces[i, c]
    return warm
