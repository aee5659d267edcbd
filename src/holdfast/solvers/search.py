"""Branch and bound on sets of pieces: compiled, on top of the dual simplex method.

A node is one set of allowed pieces a contact. Its relaxation (hulls of the allowed pieces) is solved from its parent's
basis. It is closed when U(y), by fresh supports, does not exceed the cutoff; the pair (sets, y) is then a leaf of
the certificate. Otherwise:

* Round: scale all forces towards zero until each lies in a piece. Polish: let each mixed contact keep the piece that
  allows it most, and solve again. Both give admissible forces, hence a better cutoff.
* Strike off: a piece of contact i whose support h_ij at y is so low that U(y) - h_i + h_ij is below the cutoff cannot
  be part of an answer; the struck box is a leaf with the same y.
* Branch on the mixed contact whose children's bounds, after a few pivots each, promise most: the one whose worst
  child falls furthest. Depth first, most promising child first.

All pieces contain the zero force here (others go to the reference method).
"""

from __future__ import annotations

import numpy as np

from .basis import first_guess, start
from .branching import admissible, branch, choices, choose, cutoff_of, factor_value, polish, read_forces, strike_off
from .compiling import released_kernel
from .node_store import LEAVES, NODES, OPEN, PIVOTS, RELAXATIONS, add_leaf, keep_best, new_search, pop, push
from .program import ARTIFICIAL, FACTOR, Program, copy_state, empty_like, with_bonus
from .simplex import FAILED, INFEASIBLE, OPTIMAL, PRUNED, STOPPED, run
from .supports import bound_of, contact_direction, support

#: What a search ended with.
FINISHED, HELD, PAUSED, FULL, CAPPED, BROKEN = 0, 1, 2, 3, 4, 5

#: Pivots of one relaxation before rounding is blamed, per row and contact.
PIVOTS_PER_ROW, PIVOTS_PER_CONTACT = 60, 6

#: Bonus of the vertex 0, summed over contacts, relative to the first bound on the factor.
BONUS = 1e-10

#: An earlier answer is a start for a new load when its multipliers lean against that load at least this much.
WARM_COSINE = 1e-3

#: Leaves that a batched query has room for; one that needs more is asked again on its own.
BATCH_LEAVES = 256


@released_kernel
def explore(program, tables, search, state, root, target, gap, tiny, rounding, node_budget):
    """Work on the stack of open nodes.

    Returns HELD (a test's target is reached), FINISHED (the stack is empty: leaves cover all), PAUSED (budget spent),
    FULL (make room and call again), CAPPED (a ray met its cap: the factor may have no limit) or BROKEN (rounding got
    in the way).
    """
    k, m = len(state.key), len(program.load)
    scratch = empty_like(state)
    forces, pieces, factors = np.zeros((k, 3)), np.zeros(k, np.int64), np.zeros(k)
    common = np.zeros(k, np.int64)
    limit = PIVOTS_PER_ROW * m + PIVOTS_PER_CONTACT * k
    spent = 0
    while search.counts[OPEN] > 0:
        if spent >= node_budget:
            return PAUSED
        if search.counts[LEAVES] + k + 1 >= len(search.leaf_bound):
            return FULL
        pop(search, state)
        spent += 1
        search.counts[NODES] += 1
        cutoff = cutoff_of(search, target, gap, tiny)
        outcome, bound, pivots = run(program, tables, state, cutoff, limit, True)
        search.counts[PIVOTS] += pivots
        search.counts[RELAXATIONS] += 1
        if outcome in (FAILED, STOPPED) or (outcome == INFEASIBLE and rounding):
            # Rounding has spoilt the basis it came with: begin this node afresh.
            copy_state(start(program, tables, state.masks.copy(), first_guess(program, tables)), state)
            outcome, bound, pivots = run(program, tables, state, cutoff, limit, True)
            search.counts[PIVOTS] += pivots
        if outcome == PRUNED and search.counts[NODES] == 1:
            copy_state(state, root)
        if outcome == PRUNED or (outcome == INFEASIBLE and not rounding):
            add_leaf(search, state.masks, state.y, bound)
            continue
        if outcome != OPTIMAL:
            return BROKEN
        if search.counts[NODES] == 1:
            copy_state(state, root)
        at_cap = read_forces(program, tables, state, forces, common)
        count, least = admissible(program, tables, state.masks, forces, common, pieces, factors)
        factor = factor_value(state)
        if at_cap and count == 0:
            return CAPPED
        if count == 0:
            keep_best(search, factor, forces, pieces, 1.0)
        elif rounding and not at_cap:
            keep_best(search, least * factor, forces, pieces, least)
        if search.best[0] >= target:
            return HELD
        if count > 0:
            polish(program, tables, search, state, scratch, pieces, factors, common, forces, target, gap, tiny, limit)
            if search.best[0] >= target:
                return HELD
        cutoff = cutoff_of(search, target, gap, tiny)
        if bound <= cutoff:
            add_leaf(search, state.masks, state.y, bound)
            continue
        if count == 0:
            return BROKEN  # admissible and optimal, yet its own bound does not close it
        before = choices(state)
        if not strike_off(program, tables, search, state, bound, cutoff):
            return BROKEN
        i = choose(program, tables, search, state, scratch, factors, cutoff)
        if i < 0 and choices(state) < before:
            push(search, state)  # what was mixed has no choice left: solve it again as it now is
        elif i < 0 or not branch(program, tables, search, state, scratch, i, cutoff):
            return BROKEN
    return FINISHED


@released_kernel
def solve_cold(program, tables, masks, target, gap, rounding, node_budget, leaf_room):
    """Solve from a first guess of the multipliers.

    Returns (outcome, best factor, forces, pieces, counts, leaf masks, leaf y, leaf bounds, final root state).
    """
    k = len(masks)
    y = first_guess(program, tables)
    guess = bound_of(program, tables, masks, y)
    program = with_bonus(program, BONUS * (guess if np.isfinite(guess) else 1.0) / k)
    state = start(program, tables, masks, y)
    return finish(program, tables, state, target, gap, rounding, node_budget, leaf_room)


@released_kernel
def solve_warm(program, tables, state, target, gap, rounding, node_budget, leaf_room):
    """Solve from the basis of an earlier answer, whose load column is replaced; cold if it looks away from the load.

    The multipliers keep their direction and are scaled to the new load, so they stay dual feasible.
    """
    k, m = len(state.key), len(program.load)
    work = 0.0
    for r in range(m):
        work += state.y[r] * program.load[r]
    if not work < -WARM_COSINE * np.sqrt((state.y**2).sum() * (program.load**2).sum()):
        return solve_cold(program, tables, state.masks, target, gap, rounding, node_budget, leaf_room)
    for r in range(m):
        state.y[r] /= -work
    guess = bound_of(program, tables, state.masks, state.y)
    program = with_bonus(program, BONUS * (guess if np.isfinite(guess) else 1.0) / k)
    for j in range(m):
        if state.kind[j] == FACTOR:
            state.columns[:, j] = program.load
        elif state.kind[j] == ARTIFICIAL:
            state.gain[j] = 0.0
    for i in range(k):
        if state.mixed[i] == 0:
            gx, gy, gz = contact_direction(program, i, state.y)
            state.key[i], _ = support(tables, program.shape_of[i], state.masks[i], gx, gy, gz, program.bonus)
    return finish(program, tables, state, target, gap, rounding, node_budget, leaf_room)


@released_kernel
def finish(program, tables, state, target, gap, rounding, node_budget, leaf_room):
    """Search from a root state and hand back what the caller needs."""
    k, most = len(state.key), 1
    for i in range(k):
        most = max(most, tables.pieces[program.shape_of[i]])
    search = new_search(program, tables, k * (most - 1) + 2, leaf_room)
    root = empty_like(state)
    if rounding:  # no force at all carries no load at all
        search.best[0] = 0.0
        for i in range(k):
            while not state.masks[i] >> search.pieces[i] & 1:
                search.pieces[i] += 1
    push(search, state)
    tiny = 4.0 * k * program.bonus
    outcome = explore(program, tables, search, state, root, target, gap, tiny, rounding, node_budget)
    n = search.counts[LEAVES]
    return (
        outcome,
        search.best[0],
        search.forces,
        search.pieces,
        search.counts,
        search.leaf_masks[:n].copy(),
        search.leaf_y[:n].copy(),
        search.leaf_bound[:n].copy(),
        root,
    )


@released_kernel
def solve_batch(
    program, tables, masks, loads, zero, is_test, target, gap, rounding, node_budget, factors, forces, pieces
):
    """Answer many loads (n, m) one after another, each from the basis of the last; (n,) outcomes.

    `program` is in physical units (its load is ignored); `zero` is what joint gravity asks for at zero force, added to
    the way of a test. Factors, local forces and pieces are written into the arrays given.
    """
    n = len(loads)
    outcomes = np.zeros(n, np.int64)
    state = start(program, tables, masks, -program.load)
    warm = False
    for a in range(n):
        way = loads[a] - zero if is_test else loads[a].copy()
        largest = np.abs(way).max()
        if largest == 0.0:
            outcomes[a], factors[a] = HELD, np.inf
            continue
        scaled = Program(
            program.maps / largest,
            program.shape_of,
            program.size,
            way / largest,
            (program.lower - zero if is_test else program.lower) / largest,
            (program.upper - zero if is_test else program.upper) / largest,
            program.ray_of,
            program.ray,
            program.ray_bit,
            program.ray_cap * largest,
            0.0,
        )
        if warm:
            answer = solve_warm(scaled, tables, state, target, gap, rounding, node_budget, BATCH_LEAVES)
        else:
            answer = solve_cold(scaled, tables, masks, target, gap, rounding, node_budget, BATCH_LEAVES)
        outcomes[a], factors[a] = answer[0], answer[1]
        forces[a], pieces[a] = answer[2], answer[3]
        warm = answer[0] == FINISHED or answer[0] == HELD
        if warm:
            copy_state(answer[8], state)
    return outcomes
