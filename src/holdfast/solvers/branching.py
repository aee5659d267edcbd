"""Branch and bound on sets of pieces: compiled, on top of the dual simplex method.

A node is one set of allowed pieces a contact. Its relaxation (hulls of the allowed pieces) is solved from its parent's
basis. It is closed when U(y), by fresh supports, does not exceed the cutoff; the pair (sets, y) is then a leaf of
the certificate. Otherwise:

* Round: scale all forces towards zero until each lies in a piece. Polish: let each mixed contact keep the piece that
  allows it most, and solve again. Both give admissible forces, hence a better cutoff.
* Strike off: a piece of contact i whose support h_ij at y is so low that U(y) - h_i + h_ij is below the cutoff cannot be
  part of an answer; the struck box is a leaf with the same y.
* Branch on the mixed contact whose children's bounds, after a few pivots each, promise most: the one whose worst child
  falls furthest. Depth first, most promising child first.

All pieces contain the zero force here (others go to the reference method).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..checks import Array
from .simplex import (
    ARTIFICIAL,
    FACTOR,
    FAILED,
    INFEASIBLE,
    OPTIMAL,
    PRUNED,
    RAY,
    STOPPED,
    VERTEX,
    Program,
    State,
    bound_of,
    contact_direction,
    first_guess,
    run,
    start,
    support,
    swap_key,
)

#: What a search ended with.
FINISHED, HELD, PAUSED, FULL, CAPPED, BROKEN = 0, 1, 2, 3, 4, 5

#: Mixed contacts that are tried for branching, and pivots spent on each of their children.
CANDIDATES, TRIAL_PIVOTS = 8, 10

#: Weights below this do not count as part of a mixture.
WEIGHT_TOLERANCE = 1e-12

#: A force counts as inside a piece when it must be shrunk by no more than this.
INSIDE = 1e-12

#: Pivots of one relaxation before rounding is blamed, per row and contact.
PIVOTS_PER_ROW, PIVOTS_PER_CONTACT = 60, 6

#: Bonus of the vertex 0, summed over contacts, relative to the first bound on the factor.
BONUS = 1e-10

#: An earlier answer is a start for a new load when its multipliers lean against that load at least this much.
WARM_COSINE = 1e-3

#: Leaves that a batched query has room for; one that needs more is asked again on its own.
BATCH_LEAVES = 256

#: Polishing rounds a node.
POLISH_ROUNDS = 4


class Stack(NamedTuple):
    """Open nodes with the basis to start each from; c slots."""

    masks: Array  # (c, k) int64
    key: Array  # (c, k) int64
    mixed: Array  # (c, k) int64
    kind: Array  # (c, m) int64
    who: Array  # (c, m) int64
    vertex: Array  # (c, m) int64
    gain: Array  # (c, m)
    columns: Array  # (c, m, m)
    y: Array  # (c, m)
    slack: Array  # (c, m)
    is_basic_slack: Array  # (c, m) bool
    ray_at_cap: Array  # (c, p) bool
    is_basic_ray: Array  # (c, p) bool


class Search(NamedTuple):
    """The state of a search between calls."""

    stack: Stack
    leaf_masks: Array  # (l, k) int64
    leaf_y: Array  # (l, m)
    leaf_bound: Array  # (l,)
    counts: Array  # int64: open nodes, leaves, nodes, pivots, relaxations
    best: Array  # (1,) best factor
    forces: Array  # (k, 3) its local forces [N]
    pieces: Array  # (k,) int64 their pieces


OPEN, LEAVES, NODES, PIVOTS, RELAXATIONS, TROUBLE = 0, 1, 2, 3, 4, 5


@njit(cache=True)
def new_search(program, tables, slots, leaves):
    """An empty search with room for `slots` open nodes and `leaves` leaves."""
    k, m, p = program.maps.shape[0], len(program.load), len(program.ray_of)
    stack = Stack(
        np.zeros((slots, k), np.int64),
        np.zeros((slots, k), np.int64),
        np.zeros((slots, k), np.int64),
        np.zeros((slots, m), np.int64),
        np.zeros((slots, m), np.int64),
        np.zeros((slots, m), np.int64),
        np.zeros((slots, m)),
        np.zeros((slots, m, m)),
        np.zeros((slots, m)),
        np.zeros((slots, m)),
        np.zeros((slots, m), np.bool_),
        np.zeros((slots, p), np.bool_),
        np.zeros((slots, p), np.bool_),
    )
    return Search(
        stack,
        np.zeros((leaves, k), np.int64),
        np.zeros((leaves, m)),
        np.zeros(leaves),
        np.zeros(6, np.int64),
        np.full(1, -np.inf),
        np.zeros((k, 3)),
        np.zeros(k, np.int64),
    )


@njit(cache=True)
def push(search, state):
    """Put a node on the stack."""
    at, stack = search.counts[OPEN], search.stack
    stack.masks[at], stack.key[at], stack.mixed[at] = state.masks, state.key, state.mixed
    stack.kind[at], stack.who[at], stack.vertex[at] = state.kind, state.who, state.vertex
    stack.gain[at], stack.columns[at], stack.y[at] = state.gain, state.columns, state.y
    stack.slack[at], stack.is_basic_slack[at] = state.slack, state.is_basic_slack
    stack.ray_at_cap[at], stack.is_basic_ray[at] = state.ray_at_cap, state.is_basic_ray
    search.counts[OPEN] += 1


@njit(cache=True)
def pop(search, state):
    """Take the last node off the stack into `state`."""
    search.counts[OPEN] -= 1
    at, stack = search.counts[OPEN], search.stack
    state.masks[:], state.key[:], state.mixed[:] = stack.masks[at], stack.key[at], stack.mixed[at]
    state.kind[:], state.who[:], state.vertex[:] = stack.kind[at], stack.who[at], stack.vertex[at]
    state.gain[:], state.columns[:, :], state.y[:] = stack.gain[at], stack.columns[at], stack.y[at]
    state.slack[:], state.is_basic_slack[:] = stack.slack[at], stack.is_basic_slack[at]
    state.ray_at_cap[:], state.is_basic_ray[:] = stack.ray_at_cap[at], stack.is_basic_ray[at]


@njit(cache=True)
def copy_state(source, target):
    """Copy all that a basis consists of."""
    for a, b in (
        (source.masks, target.masks),
        (source.key, target.key),
        (source.mixed, target.mixed),
        (source.kind, target.kind),
        (source.who, target.who),
        (source.vertex, target.vertex),
    ):
        b[:] = a
    for a, b in (
        (source.gain, target.gain),
        (source.y, target.y),
        (source.slack, target.slack),
        (source.right, target.right),
        (source.x, target.x),
    ):
        b[:] = a
    target.columns[:, :] = source.columns
    target.inverse[:, :] = source.inverse
    target.is_basic_slack[:] = source.is_basic_slack
    target.ray_at_cap[:] = source.ray_at_cap
    target.is_basic_ray[:] = source.is_basic_ray


@njit(cache=True)
def empty_like(state):
    """A state of the same size."""
    return State(
        state.masks.copy(),
        state.key.copy(),
        state.mixed.copy(),
        state.kind.copy(),
        state.who.copy(),
        state.vertex.copy(),
        state.gain.copy(),
        state.columns.copy(),
        state.inverse.copy(),
        state.y.copy(),
        state.slack.copy(),
        state.is_basic_slack.copy(),
        state.ray_at_cap.copy(),
        state.is_basic_ray.copy(),
        state.right.copy(),
        state.x.copy(),
    )


@njit(cache=True)
def restrict(program, tables, state, i, mask):
    """Allow contact i only the pieces in `mask`, keeping the basis dual feasible; call `refresh` (or `run`) after.

    Columns of vertices that are no longer allowed become artificial: they must fall to zero, and will.
    """
    m = len(program.load)
    state.masks[i] = mask
    if not tables.bits[state.key[i]] & mask:
        for j in range(m):
            if state.kind[j] == VERTEX and state.who[j] == i and tables.bits[state.vertex[j]] & mask:
                swap_key(program, tables, state, i, j)
                break
    keep = tables.bits[state.key[i]] & mask
    bonus = program.bonus
    for j in range(m):
        if state.kind[j] == VERTEX and state.who[j] == i and not (keep and tables.bits[state.vertex[j]] & mask):
            zero = tables.zero[program.shape_of[i]]
            state.gain[j] = (bonus if state.vertex[j] == zero else 0.0) - (bonus if state.key[i] == zero else 0.0)
            state.kind[j], state.who[j], state.vertex[j] = ARTIFICIAL, -1, -1
            state.mixed[i] -= 1
        elif state.kind[j] == RAY and program.ray_of[state.who[j]] == i and not program.ray_bit[state.who[j]] & mask:
            state.is_basic_ray[state.who[j]] = False
            state.gain[j] = 0.0
            state.kind[j], state.who[j] = ARTIFICIAL, -1
    if not keep:
        gx, gy, gz = contact_direction(program, i, state.y)
        state.key[i], _ = support(tables, program.shape_of[i], mask, gx, gy, gz, bonus)
    for p in range(len(program.ray_of)):
        if program.ray_of[p] == i and not program.ray_bit[p] & mask:
            state.ray_at_cap[p] = False


@njit(cache=True)
def read_forces(program, tables, state, forces, common):
    """Local forces of the basic solution; `common`: the allowed pieces that contain all its vertices and rays."""
    k, m = len(state.key), len(program.load)
    for i in range(k):
        rest = 1.0
        common[i] = state.masks[i]
        forces[i] = 0.0
        if state.mixed[i] > 0:
            for j in range(m):
                if state.kind[j] == VERTEX and state.who[j] == i:
                    weight = max(0.0, state.x[j])
                    rest -= weight
                    for c in range(3):
                        forces[i, c] += weight * tables.vertices[state.vertex[j], c]
                    if weight > WEIGHT_TOLERANCE:
                        common[i] &= tables.bits[state.vertex[j]]
        if rest > WEIGHT_TOLERANCE:
            common[i] &= tables.bits[state.key[i]]
        for c in range(3):
            forces[i, c] += max(0.0, rest) * tables.vertices[state.key[i], c]
    for j in range(m):
        if state.kind[j] == RAY and state.x[j] > 0.0:
            i = program.ray_of[state.who[j]]
            common[i] &= program.ray_bit[state.who[j]]
            for c in range(3):
                forces[i, c] += state.x[j] * program.ray[state.who[j], c]
    at_cap = False
    for p in range(len(program.ray_of)):
        if state.ray_at_cap[p]:
            at_cap = True
            i = program.ray_of[p]
            common[i] &= program.ray_bit[p]
            for c in range(3):
                forces[i, c] += program.ray_cap * program.ray[p, c]
    return at_cap


@njit(cache=True)
def radial_piece(tables, shape, mask, f):
    """(piece, factor): the allowed piece that contains most of the segment from 0 to f, and how much (up to 1)."""
    best, most = -1, -1.0
    for j in range(tables.pieces[shape]):
        if not mask >> j & 1:
            continue
        factor = 1.0
        piece = tables.first_piece[shape] + j
        for h in range(tables.first_face[piece], tables.first_face[piece + 1]):
            height = tables.faces[h, 0] * f[0] + tables.faces[h, 1] * f[1] + tables.faces[h, 2] * f[2]
            offset = max(0.0, tables.faces[h, 3])
            if height > offset and height * factor > offset:
                factor = offset / height
        if factor > most:
            best, most = j, factor
    return best, most


@njit(cache=True)
def admissible(program, tables, masks, forces, common, pieces, factors):
    """Piece and shrink factor of every contact; returns (number of mixed contacts, smallest factor)."""
    count, least = 0, 1.0
    for i in range(len(masks)):
        factors[i] = 1.0
        if common[i]:
            j = 0
            while not common[i] >> j & 1:
                j += 1
            pieces[i] = j
        else:
            pieces[i], factors[i] = radial_piece(tables, program.shape_of[i], masks[i], forces[i])
            if factors[i] < 1.0 - INSIDE:
                count += 1
            least = min(least, factors[i])
    return count, least


@njit(cache=True)
def keep_best(search, factor, forces, pieces, shrink):
    """Remember forces scaled by `shrink` that carry `factor`, if better than the best."""
    if factor > search.best[0]:
        search.best[0] = factor
        search.forces[:, :] = shrink * forces
        search.pieces[:] = pieces


@njit(cache=True)
def add_leaf(search, masks, y, bound):
    """Record a closed box."""
    at = search.counts[LEAVES]
    search.leaf_masks[at], search.leaf_y[at], search.leaf_bound[at] = masks, y, bound
    search.counts[LEAVES] += 1


@njit(cache=True)
def cutoff_of(search, target, gap, tiny):
    """Bounds up to this cannot matter: just below the target of a test, or the best found plus the gap."""
    if target < np.inf:
        return target
    best = search.best[0]
    return best + gap * abs(best) + tiny if best > -np.inf else -np.inf


@njit(cache=True)
def factor_value(state):
    """Value of d in the basic solution."""
    for j in range(len(state.kind)):
        if state.kind[j] == FACTOR:
            return state.x[j]
    return -np.inf


@njit(cache=True)
def polish(program, tables, search, state, scratch, pieces, factors, common, forces, target, gap, tiny, limit):
    """Fix every mixed contact to its best piece and solve again, until the forces are admissible."""
    copy_state(state, scratch)
    own_pieces, own_factors = pieces.copy(), factors.copy()
    for _ in range(POLISH_ROUNDS):
        for i in range(len(own_pieces)):
            if own_factors[i] < 1.0 - INSIDE:
                restrict(program, tables, scratch, i, 1 << own_pieces[i])
        outcome, _, pivots = run(program, tables, scratch, cutoff_of(search, target, gap, tiny), limit)
        search.counts[PIVOTS] += pivots
        search.counts[RELAXATIONS] += 1
        if outcome != OPTIMAL:
            return
        at_cap = read_forces(program, tables, scratch, forces, common)
        count, _ = admissible(program, tables, scratch.masks, forces, common, own_pieces, own_factors)
        if at_cap:
            return
        if count == 0:
            keep_best(search, factor_value(scratch), forces, own_pieces, 1.0)
            return


@njit(cache=True)
def strike_off(program, tables, search, state, bound, cutoff):
    """Take away pieces that cannot be part of anything above the cutoff; the boxes become leaves. False if full."""
    work = 0.0
    for r in range(len(state.y)):
        work -= state.y[r] * program.load[r]
    for i in range(len(state.key)):
        mask, shape = state.masks[i], program.shape_of[i]
        if not mask & (mask - 1):
            continue
        gx, gy, gz = contact_direction(program, i, state.y)
        _, whole = support(tables, shape, mask, gx, gy, gz, -np.inf)
        struck, worst = 0, -np.inf
        for j in range(tables.pieces[shape]):
            if mask >> j & 1:
                _, part = support(tables, shape, 1 << j, gx, gy, gz, -np.inf)
                left = bound - (whole - part) / work
                if left <= cutoff - 1e-12 * abs(cutoff):
                    struck |= 1 << j
                    worst = max(worst, left)
        if struck and struck != mask:
            if search.counts[LEAVES] >= len(search.leaf_bound):
                return False
            box = state.masks.copy()
            box[i] = struck
            add_leaf(search, box, state.y, worst)
            restrict(program, tables, state, i, mask & ~struck)
    return True


@njit(cache=True)
def choices(state):
    """Number of allowed pieces over all contacts."""
    total = 0
    for i in range(len(state.masks)):
        mask = state.masks[i]
        while mask:
            mask &= mask - 1
            total += 1
    return total


@njit(cache=True)
def choose(program, tables, search, state, scratch, factors, cutoff):
    """The mixed contact to branch on: its worst child after a few pivots is the lowest."""
    order = np.argsort(factors)
    chosen, lowest = -1, np.inf
    for n in range(min(CANDIDATES, len(order))):
        i = order[n]
        if factors[i] >= 1.0 - INSIDE or not state.masks[i] & (state.masks[i] - 1):
            continue
        worst = -np.inf
        for j in range(tables.pieces[program.shape_of[i]]):
            if state.masks[i] >> j & 1:
                copy_state(state, scratch)
                restrict(program, tables, scratch, i, 1 << j)
                outcome, bound, pivots = run(program, tables, scratch, cutoff, TRIAL_PIVOTS)
                search.counts[PIVOTS] += pivots
                if outcome == FAILED:
                    bound = np.inf
                worst = max(worst, bound)
                if worst >= lowest:
                    break
        if chosen < 0 or worst < lowest:
            chosen, lowest = i, worst
        if lowest <= cutoff:
            break
    return chosen


@njit(cache=True)
def branch(program, tables, search, state, scratch, i, cutoff):
    """Push one child a piece of contact i, the most promising last; closed ones become leaves. False if full."""
    pieces = tables.pieces[program.shape_of[i]]
    bounds = np.full(pieces, -np.inf)
    for j in range(pieces):
        if state.masks[i] >> j & 1:
            copy_state(state, scratch)
            restrict(program, tables, scratch, i, 1 << j)
            outcome, bound, pivots = run(program, tables, scratch, cutoff, TRIAL_PIVOTS)
            search.counts[PIVOTS] += pivots
            bounds[j] = np.inf if outcome == FAILED else bound
    order = np.argsort(bounds)
    for n in range(pieces):
        j = order[n]
        if state.masks[i] >> j & 1:
            if search.counts[OPEN] >= len(search.stack.masks):
                return False
            copy_state(state, scratch)
            restrict(program, tables, scratch, i, 1 << j)
            push(search, scratch)
    return True


@njit(cache=True, nogil=True)
def explore(program, tables, search, state, root, target, gap, tiny, rounding, node_budget):
    """Work on the stack. Returns HELD (a test's target is reached), FINISHED (the stack is empty: leaves cover all),
    PAUSED (budget spent), FULL (make room and call again), CAPPED (a ray met its cap: the factor may have no limit) or
    BROKEN (rounding got in the way).
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
        outcome, bound, pivots = run(program, tables, state, cutoff, limit)
        search.counts[PIVOTS] += pivots
        search.counts[RELAXATIONS] += 1
        if outcome == FAILED or outcome == STOPPED or (outcome == INFEASIBLE and rounding):
            # Rounding has spoilt the basis it came with: begin this node afresh.
            copy_state(start(program, tables, state.masks.copy(), first_guess(program, tables)), state)
            outcome, bound, pivots = run(program, tables, state, cutoff, limit)
            search.counts[PIVOTS] += pivots
        if outcome == PRUNED and search.counts[NODES] == 1:
            copy_state(state, root)
        if outcome == PRUNED or (outcome == INFEASIBLE and not rounding):
            add_leaf(search, state.masks, state.y, bound)
            continue
        if outcome != OPTIMAL:
            search.counts[TROUBLE] = 1
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
            search.counts[TROUBLE] = 2
            return BROKEN  # admissible and optimal, yet its own bound does not close it
        before = choices(state)
        if not strike_off(program, tables, search, state, bound, cutoff):
            search.counts[TROUBLE] = 3
            return BROKEN
        i = choose(program, tables, search, state, scratch, factors, cutoff)
        if i < 0 and choices(state) < before:
            push(search, state)  # what was mixed has no choice left: solve it again as it now is
        elif i < 0 or not branch(program, tables, search, state, scratch, i, cutoff):
            search.counts[TROUBLE] = 4
            return BROKEN
    return FINISHED


@njit(cache=True)
def with_bonus(program, bonus):
    """The program with another reward of the vertex 0."""
    return Program(
        program.maps,
        program.shape_of,
        program.size,
        program.load,
        program.lower,
        program.upper,
        program.ray_of,
        program.ray,
        program.ray_bit,
        program.ray_cap,
        bonus,
    )


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def solve_batch(program, tables, masks, loads, zero, is_test, target, gap, rounding, node_budget, factors, forces, pieces):
    """Answer many loads (n, m) one after another, each from the basis of the last; (n,) outcomes.

    `program` is in physical units (its load is ignored); `zero` is what joint gravity asks for at zero force, added to
    the way of a test. Factors, local forces and pieces are written into the arrays given.
    """
    n, k = len(loads), len(masks)
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
