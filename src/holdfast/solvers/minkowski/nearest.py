"""Whether a sum contains a wrench b, by Wolfe's search for the point of the sum nearest to b.

An atom is a sum of one vertex per hand minus b (a point, e = 1), or one ray of one hand (e = 0), in the scaled
coordinates of `solver.place`. The lifted vectors (e, q) of the atoms in use are linearly independent, so that there are
at most seven. x is the least point of all combinations with sum e u = 1: u / (e . u) with G u = e, where G has the
products of the lifted vectors. With y = -x / |x| each hand is asked for the vertex and the ray furthest along T_j^T y.
The atom that they make joins the others, and atoms whose weight would not be positive leave (Wolfe's minor cycle).
The inverse of G is kept, and changed by a product of one vector with itself whenever an atom joins or leaves.

The base is in the sum where x vanishes, or where seven atoms have weights that exceed what rounding may have made of
them. It is outside where no vertex and no ray reaches beyond 0 along y, by the same tolerances and with the same
pricing of all vertices in double precision as in the simplex method. Anything else is left to that method.

A step costs less than an exchange of the simplex method, which has a row per hand; but every step prices all vertices
of all hands, where the simplex method exchanges columns of its pool first. So few vertices favour this search.
"""

from __future__ import annotations

import numpy as np

from ...compiling import inlined, kernel, vectorised
from .simplex import APART, BALANCED, EMPTY, IMPROVING, OPTIMAL, ROUNDED, UNDECIDED, largest, to_hand, value_at
from .workspace import ATOMS, BLOCK, NOTHING, PIVOTS, PRICINGS, STATUS

#: Passes over all vertices before a search is left to the simplex method.
PASSES = 64

#: A new lifted vector whose square, less its part along the others, falls below this share depends on them.
DEPENDENT = 1e-13

#: Weights below this leave.
NO_WEIGHT = 1e-15

#: Rounding of x, as a share of the size of forces: |x| below it vanishes, and no smaller gain is one.
NO_REST = 4e-15


@vectorised
def block_scores(table, start, stop, g, scores):
    """scores[i] = g . v of the vertices from `start` to `stop`; returns the largest."""
    g0, g1, g2, g3, g4, g5 = g[0], g[1], g[2], g[3], g[4], g[5]
    best = -np.inf
    for i in range(stop - start):
        value = (
            (g0 * table[0, start + i] + g1 * table[1, start + i])
            + (g2 * table[2, start + i] + g3 * table[3, start + i])
            + (g4 * table[4, start + i] + g5 * table[5, start + i])
        )
        scores[i] = value
        best = max(best, value)
    return best


@block_scores.twin
def _block_scores(table, start, stop, g, scores):
    """`block_scores` by one product."""
    scores[: stop - start] = g[:6] @ table[:6, start:stop]
    return scores[: stop - start].max(initial=-np.inf)


@inlined
def furthest(table, begin, end, g, scores):
    """(place, g . v) of the furthest of the columns from `begin` to `end`."""
    best, top = begin, -np.inf
    start = begin
    while start < end:
        stop = min(start + BLOCK, end)
        value = block_scores(table, start, stop, g, scores)
        if value > top:
            best, top = start, value
            while scores[best - start] < value:
                best += 1
        start = stop
    return best, top


@inlined
def furthest_vertex(tables, shape, g, scores, last):
    """`furthest` of the vertices of a shape, from the block of `last` on; blocks that cannot matter are left out."""
    begin, end = tables.first[shape], tables.first[shape + 1]
    if end - begin <= BLOCK:
        best, top = furthest(tables.vertices, begin, end, g, scores)
    else:
        near = (last - begin) // BLOCK
        best, top = furthest(tables.vertices, begin + near * BLOCK, min(begin + (near + 1) * BLOCK, end), g, scores)
        size = 0.0
        for r in range(6):
            size += (g[r] * tables.spread[shape, r]) ** 2
        size = np.sqrt(size)
        first = tables.first_block[shape]
        for block in range(first, tables.first_block[shape + 1]):
            if block - first == near:
                continue
            if value_at(tables.centres, block, g) + tables.radii[block] * size <= top:
                continue
            start = begin + (block - first) * BLOCK
            at, value = furthest(tables.vertices, start, min(start + BLOCK, end), g, scores)
            if value > top:
                best, top = at, value
    return best, top


@inlined
def add_moved(maps, hand, table, at, out, begin):
    """out[begin : begin + 6] += T v of one column of a table."""
    v0, v1, v2, v3, v4, v5 = table[0, at], table[1, at], table[2, at], table[3, at], table[4, at], table[5, at]
    for r in range(6):
        out[begin + r] += (
            (maps[hand, r, 0] * v0 + maps[hand, r, 1] * v1)
            + (maps[hand, r, 2] * v2 + maps[hand, r, 3] * v3)
            + (maps[hand, r, 4] * v4 + maps[hand, r, 5] * v5)
        )


@inlined
def join(atoms, slot):
    """Take `entering` into a free slot; False where it depends on the atoms in use."""
    lifted, inverse, products, trial, new = atoms.lifted, atoms.inverse, atoms.products, atoms.trial, atoms.entering
    square = 0.0
    for r in range(7):
        square += new[r] ** 2
    for a in range(ATOMS):
        total = 0.0
        for r in range(7):
            total += lifted[a, r] * new[r]
        products[a] = total
    own = square
    for a in range(ATOMS):
        total = 0.0
        for b in range(ATOMS):
            total += inverse[a, b] * products[b]
        trial[a] = total
        own -= total * products[a]
    if not own > DEPENDENT * square:
        return False
    trial[slot] -= 1.0
    for a in range(ATOMS):
        share = trial[a] / own
        for b in range(ATOMS):
            inverse[a, b] += share * trial[b]
    for r in range(7):
        lifted[slot, r] = new[r]
    atoms.used[slot] = 1
    atoms.shares[slot] = 0.0
    return True


@inlined
def leave(atoms, slot):
    """Take an atom out."""
    inverse, products = atoms.inverse, atoms.products
    pivot = inverse[slot, slot]
    for a in range(ATOMS):
        products[a] = inverse[a, slot]
    for a in range(ATOMS):
        share = products[a] / pivot
        for b in range(ATOMS):
            inverse[a, b] -= share * products[b]
    for a in range(ATOMS):
        inverse[a, slot] = 0.0
        inverse[slot, a] = 0.0
    for r in range(7):
        atoms.lifted[slot, r] = 0.0
    atoms.used[slot] = 0
    atoms.shares[slot] = 0.0


@inlined
def balance_trial(atoms):
    """`trial` = the weights u / (e . u) with G u = e; False when rounding has spoilt the inverse."""
    lifted, inverse, trial = atoms.lifted, atoms.inverse, atoms.trial
    total = 0.0
    for a in range(ATOMS):
        value = 0.0
        for b in range(ATOMS):
            value += inverse[a, b] * lifted[b, 0]
        trial[a] = value
        total += value * lifted[a, 0]
    if not total > 0.0:
        return False
    for a in range(ATOMS):
        trial[a] /= total
    return True


@inlined
def reduce_atoms(atoms):
    """Wolfe's minor cycles: towards the nearest affine combination, atoms of weight 0 leave; False when it fails."""
    shares, trial = atoms.shares, atoms.trial
    for _ in range(ATOMS + 1):
        if not balance_trial(atoms):
            return False
        step, out = 1.0, -1
        for a in range(ATOMS):
            if atoms.used[a] == 1 and trial[a] <= NO_WEIGHT:
                share = shares[a] / (shares[a] - trial[a]) if shares[a] > trial[a] else 0.0
                if out < 0 or share < step:
                    step, out = min(share, 1.0), a
        if out < 0:
            for a in range(ATOMS):
                shares[a] = trial[a]
            return True
        for a in range(ATOMS):
            shares[a] = max(shares[a] + step * (trial[a] - shares[a]), 0.0)
        leave(atoms, out)
    return False


@inlined
def sharpen(atoms):
    """One step of refinement of the weights of the nearest combination, without the products of lifted vectors."""
    lifted, shares, products, entering = atoms.lifted, atoms.shares, atoms.products, atoms.entering
    for r in range(7):  # the combination itself; with seven atoms it is (1, 0)
        entering[r] = 0.0
        for a in range(ATOMS):
            entering[r] -= lifted[a, r] * shares[a]
    entering[0] += 1.0
    for a in range(ATOMS):
        products[a] = 0.0
        for r in range(7):
            products[a] += lifted[a, r] * entering[r]
    for a in range(ATOMS):
        for b in range(ATOMS):
            shares[a] += atoms.inverse[a, b] * products[b]


@inlined
def is_inside(atoms, size, roundoff):
    """Whether seven atoms have weights above what rounding may have made of them."""
    scale = 1.0 + 2.0 * size
    for a in range(ATOMS):
        scale += abs(atoms.shares[a]) * largest(atoms.lifted[a])
    # the rows of the inverse of the lifted vectors have the diagonal of the inverse of their products as squares
    for a in range(ATOMS):
        margin = (ROUNDED * scale + roundoff * size) * np.sqrt(7.0 * max(atoms.inverse[a, a], 0.0))
        if not atoms.shares[a] > margin:
            return False
    return True


@inlined
def find_rest(atoms):
    """x of the weights, and its length."""
    square = 0.0
    for r in range(6):
        total = 0.0
        for a in range(ATOMS):
            total += atoms.shares[a] * atoms.lifted[a, r + 1]
        atoms.rest[r] = total
        square += total**2
    return np.sqrt(square)


@inlined
def level_direction(atoms):
    """Change y a little, so that all atoms in use lie equally far along it and rays are square to it, to rounding."""
    lifted, products, trial, y = atoms.lifted, atoms.products, atoms.trial, atoms.y
    height, count = 0.0, 0.0
    for a in range(ATOMS):
        products[a] = 0.0
        for r in range(6):
            products[a] += y[r] * lifted[a, r + 1]
        height += lifted[a, 0] * products[a]
        count += lifted[a, 0]
    for a in range(ATOMS):
        products[a] -= lifted[a, 0] * height / count
    for a in range(ATOMS):
        trial[a] = 0.0
        for b in range(ATOMS):
            trial[a] += atoms.inverse[a, b] * products[b]
    for a in range(ATOMS):
        for r in range(6):
            y[r] -= trial[a] * lifted[a, r + 1]


@inlined
def price(tables, maps, atoms, fresh):
    """Make the point atom at y in `entering` and the steepest ray in `ray`.

    Returns (y . point, slope of the ray, its hand, its place). Hands with a single vertex are part of b.
    """
    entering, y, right = atoms.entering, atoms.y, atoms.right
    entering[0] = 1.0
    height = 0.0
    for r in range(6):
        entering[r + 1] = -right[r]
        height -= y[r] * right[r]
    steepest, ray_hand, ray_item = 0.0, NOTHING, NOTHING
    for j in range(len(tables.shape_of)):
        s = tables.shape_of[j]
        begin, end = tables.ray_first[s], tables.ray_first[s + 1]
        if tables.row_of[j] < 0 and begin == end:
            continue
        g = atoms.local[j]
        to_hand(maps, j, y, g)
        if tables.row_of[j] >= 0:
            last = tables.first[s] if fresh else atoms.best[j]
            at, top = furthest_vertex(tables, s, g, atoms.scores, last)
            atoms.best[j] = at
            height += top
            add_moved(maps, j, tables.vertices, at, entering, 1)
        if begin < end:
            at, slope = furthest(tables.rays, begin, end, g, atoms.scores)
            if slope > steepest:
                steepest, ray_hand, ray_item = slope, j, at
    if ray_hand >= 0:
        for r in range(6):
            atoms.ray[r] = 0.0
        add_moved(maps, ray_hand, tables.rays, ray_item, atoms.ray, 0)
    return height, steepest, ray_hand, ray_item


@inlined
def free_slot(atoms):
    """The first slot that is not in use; ATOMS where all are."""
    slot = 0
    while slot < ATOMS and atoms.used[slot] == 1:
        slot += 1
    return slot


@inlined
def begin_search(atoms):
    """No atoms, and the first direction: towards b. Returns |b|."""
    atoms.lifted[:] = 0.0
    atoms.inverse[:] = 0.0
    atoms.shares[:] = 0.0
    atoms.used[:] = 0
    length = 0.0
    for r in range(6):
        length += atoms.right[r] ** 2
    length = np.sqrt(length)
    for r in range(6):
        atoms.y[r] = atoms.right[r] / length if length > 0.0 else 0.0
    if not length > 0.0:
        atoms.y[2] = 1.0
    return length


@inlined
def choose_atom(atoms, use_ray, ray_hand, ray_item, slot):
    """Put the ray into `entering` where it is to join, and note what the new atom in `slot` is made of."""
    if use_ray:
        atoms.entering[0] = 0.0
        for r in range(6):
            atoms.entering[r + 1] = atoms.ray[r]
        atoms.ray_hand[slot], atoms.items[slot, 0] = ray_hand, ray_item
    else:
        atoms.ray_hand[slot] = NOTHING
        for j in range(len(atoms.best)):
            atoms.items[slot, j] = atoms.best[j]


@kernel
def search(tables, maps, atoms, size, roundoff, state):
    """Whether b = `atoms.right` is in the sum: the outcome and the effort go to `state`, the proof stays in `atoms`."""
    begin_search(atoms)
    y = atoms.y
    fresh, levelled, rest = True, False, np.inf
    passes, joined, status = 0, 0, UNDECIDED
    apart = (APART + roundoff) * size
    while passes < PASSES:
        height, steepest, ray_hand, ray_item = price(tables, maps, atoms, fresh)
        passes += 1
        if steepest <= IMPROVING and -height > apart * largest(y):
            status = EMPTY
            break
        slot = free_slot(atoms)
        reach = 0.0
        for r in range(6):
            reach += atoms.entering[r + 1] ** 2
        blur = NO_REST * (size + np.sqrt(reach))
        use_ray = not fresh and steepest * rest > blur and steepest > IMPROVING
        if use_ray and height + rest > 0.0:  # the steeper of the two ways down from x
            far = 0.0
            for r in range(6):
                far += (atoms.entering[r + 1] - atoms.rest[r]) ** 2
            use_ray = height + rest <= steepest * np.sqrt(far)
        stuck = slot == ATOMS or not (use_ray or fresh or height + rest > blur)
        if not stuck:
            choose_atom(atoms, use_ray, ray_hand, ray_item, slot)
            stuck = not join(atoms, slot)
        if stuck:
            if levelled or fresh:
                break
            level_direction(atoms)
            levelled = True
            continue
        joined += 1
        if fresh:
            atoms.shares[slot] = 1.0
        if not reduce_atoms(atoms):
            break
        before, rest = rest, find_rest(atoms)
        fresh, levelled = False, False
        if free_slot(atoms) == ATOMS:
            sharpen(atoms)
            if is_inside(atoms, size, roundoff) and find_rest(atoms) <= BALANCED * size:
                status = OPTIMAL
            break
        if rest <= NO_REST * size:
            status = OPTIMAL
            break
        if not rest < before:
            break
        for r in range(6):
            y[r] = -atoms.rest[r] / rest
    state[STATUS], state[PIVOTS], state[PRICINGS] = status, joined, passes


@kernel
def share_out(tables, atoms, factor, wrenches):
    """The hands' wrenches (k, 6) in their own frames, from the weights of the atoms; those of rays times `factor`."""
    points = 0.0
    for a in range(ATOMS):
        if atoms.used[a] == 1 and atoms.ray_hand[a] < 0:
            points += atoms.shares[a]
    for j in range(len(tables.shape_of)):
        single = tables.row_of[j] < 0
        first = tables.first[tables.shape_of[j]]
        for r in range(6):
            wrenches[j, r] = tables.vertices[r, first] if single else 0.0
        for a in range(ATOMS):
            if atoms.used[a] == 0:
                continue
            if atoms.ray_hand[a] < 0:
                if not single:
                    for r in range(6):
                        wrenches[j, r] += atoms.shares[a] / points * tables.vertices[r, atoms.items[a, j]]
            elif atoms.ray_hand[a] == j:
                for r in range(6):
                    wrenches[j, r] += factor * atoms.shares[a] / points * tables.rays[r, atoms.items[a, 0]]
