"""What is done at a node of the search, compiled: read forces, round, polish, strike pieces off, choose, branch.

`search` tells how they play together. All pieces contain the zero force here.
"""

from __future__ import annotations

import numpy as np

from .basis import restrict
from .compiling import kernel
from .node_store import LEAVES, OPEN, PIVOTS, RELAXATIONS, add_leaf, keep_best, push
from .program import FACTOR, RAY, VERTEX, copy_state
from .simplex import FAILED, OPTIMAL, run
from .supports import contact_direction, support

#: Mixed contacts that are tried for branching, and pivots spent on each of their children.
CANDIDATES, TRIAL_PIVOTS = 8, 10

#: Weights below this do not count as part of a mixture.
WEIGHT_TOLERANCE = 1e-12

#: A force counts as inside a piece when it must be shrunk by no more than this.
INSIDE = 1e-12

#: Polishing rounds a node.
POLISH_ROUNDS = 4


@kernel
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


@kernel
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


@kernel
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


@kernel
def cutoff_of(search, target, gap, tiny):
    """Bounds up to this cannot matter: just below the target of a test, or the best found plus the gap."""
    if target < np.inf:
        return target
    best = search.best[0]
    return best + gap * abs(best) + tiny if best > -np.inf else -np.inf


@kernel
def factor_value(state):
    """Value of d in the basic solution."""
    for j in range(len(state.kind)):
        if state.kind[j] == FACTOR:
            return state.x[j]
    return -np.inf


@kernel
def polish(program, tables, search, state, scratch, pieces, factors, common, forces, target, gap, tiny, limit):
    """Fix every mixed contact to its best piece and solve again, until the forces are admissible."""
    copy_state(state, scratch)
    own_pieces, own_factors = pieces.copy(), factors.copy()
    for _ in range(POLISH_ROUNDS):
        for i in range(len(own_pieces)):
            if own_factors[i] < 1.0 - INSIDE:
                restrict(program, tables, scratch, i, 1 << own_pieces[i])
        outcome, _, pivots = run(program, tables, scratch, cutoff_of(search, target, gap, tiny), limit, False)
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


@kernel
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


@kernel
def choices(state):
    """Number of allowed pieces over all contacts."""
    total = 0
    for i in range(len(state.masks)):
        mask = state.masks[i]
        while mask:
            mask &= mask - 1
            total += 1
    return total


@kernel
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
                outcome, bound, pivots = run(program, tables, scratch, cutoff, TRIAL_PIVOTS, False)
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


@kernel
def branch(program, tables, search, state, scratch, i, cutoff):
    """Push one child a piece of contact i, the most promising last; closed ones become leaves. False if full."""
    pieces = tables.pieces[program.shape_of[i]]
    bounds = np.full(pieces, -np.inf)
    for j in range(pieces):
        if state.masks[i] >> j & 1:
            copy_state(state, scratch)
            restrict(program, tables, scratch, i, 1 << j)
            outcome, bound, pivots = run(program, tables, scratch, cutoff, TRIAL_PIVOTS, False)
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
