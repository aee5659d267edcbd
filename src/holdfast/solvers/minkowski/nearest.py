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

A step costs less than an exchange of the simplex method, whose basis has a row per hand. As there, the pool's columns
are priced in every step, and all vertices only when the pool has no more. It was faster for all numbers of hands and
vertices measured (`benchmarks/posture_batches.py`), so that batches of membership questions use it.
"""

from __future__ import annotations

import numpy as np

from ...compiling import inlined, kernel, vectorised
from .simplex import (
    APART,
    BALANCED,
    EMPTY,
    FARTHEST,
    IMPROVING,
    OPTIMAL,
    ROUNDED,
    UNCLEAR,
    UNDECIDED,
    add_to_pool,
    block_support,
    largest,
    to_hand,
    value_at,
)
from .workspace import ATOMS, BLOCK, NOTHING, PIVOTS, PRICINGS, STATUS

#: Steps before a search is left to the simplex method.
STEPS = 96

#: A new lifted vector whose square, less its part along the others, falls below this share depends on them.
DEPENDENT = 1e-13

#: Weights below this leave.
NO_WEIGHT = 1e-15

#: Rounding of x, as a share of the size of forces: |x| below it vanishes, and no smaller gain is one.
NO_REST = 4e-15

#: Times that y is corrected for rounding before a search is left to the simplex method.
LEVELLINGS = 2


@vectorised
def block_scores(table, start, stop, g, scores):
    """scores[i] = g . v of the columns from `start` to `stop`; returns the largest."""
    g0, g1, g2, g3, g4, g5 = g[0], g[1], g[2], g[3], g[4], g[5]
    first, count = np.uint64(start), np.uint64(stop - start)  # unsigned: see `fill_run`
    for i in range(count):
        scores[i] = (
            (g0 * table[0, first + i] + g1 * table[1, first + i])
            + (g2 * table[2, first + i] + g3 * table[3, first + i])
            + (g4 * table[4, first + i] + g5 * table[5, first + i])
        )
    best = -np.inf
    for i in range(count):
        best = max(best, scores[i])
    return best


@block_scores.twin
def _block_scores(table, start, stop, g, scores):
    """`block_scores` by one product."""
    scores[: stop - start] = g[:6] @ table[:6, start:stop]
    return scores[: stop - start].max(initial=-np.inf)


@inlined
def furthest(table, begin, end, g, scores):
    """(place, g . v) of the furthest of the columns from `begin` to `end`."""
    top = block_scores(table, begin, end, g, scores)
    best = begin
    while scores[best - begin] < top:
        best += 1
    return best, top


@inlined
def furthest_vertex(tables, shape, g, scores, last):
    """The place of the furthest vertex of a shape; blocks that do not reach beyond that of `last` are left out."""
    begin, end, first = tables.first[shape], tables.first[shape + 1], tables.first_block[shape]
    size = 0.0
    for r in range(6):
        size += (g[r] * tables.spread[shape, r]) ** 2
    size = np.sqrt(size)
    near = (last - begin) // BLOCK
    best = begin + near * BLOCK
    top = block_support(tables.vertices, best, min(best + BLOCK, end), g)
    for block in range(first, tables.first_block[shape + 1]):
        if block - first != near and value_at(tables.centres, block, g) + tables.radii[block] * size > top:
            start = begin + (block - first) * BLOCK
            value = block_support(tables.vertices, start, min(start + BLOCK, end), g)
            if value > top:
                best, top = start, value
    best, _ = furthest(tables.vertices, best, min(best + BLOCK, end), g, scores)
    return best


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
    """Correct y so that, up to rounding, all atoms in use lie equally far along it and rays are orthogonal to it."""
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
def last_slot(pool, first, end, following):
    """The end of the slots that are in use, of those up to `end`: extra ones are filled in order from `first` on."""
    return end if first == end or pool.items[end - 1] >= 0 else following


@inlined
def price_pool(tables, pool, atoms):
    """Make the point atom at y of the pool's columns in `entering`; the slot of the steepest ray.

    Returns (y . point, slope of the ray, its hand, its slot). Hands with a single vertex are part of b.
    """
    entering, y, right, world = atoms.entering, atoms.y, atoms.right, pool.world
    entering[0] = 1.0
    height = 0.0
    for r in range(6):
        entering[r + 1] = -right[r]
        height -= y[r] * right[r]
    steepest, ray_hand, ray_slot = 0.0, NOTHING, NOTHING
    for j in range(len(tables.shape_of)):
        begin, end = tables.slots[j, 0], last_slot(pool, tables.slots[j, 1], tables.slots[j, 2], pool.next[j, 0])
        if begin < end:
            slot, top = furthest(world, begin, end, y, pool.scores)
            atoms.best[j] = pool.items[slot]
            height += top
            for r in range(6):
                entering[r + 1] += world[r, slot]
        begin, end = tables.slots[j, 2], last_slot(pool, tables.slots[j, 3], tables.ends[j], pool.next[j, 1])
        if begin < end:
            slot, slope = furthest(world, begin, end, y, pool.scores)
            if slope > steepest:
                steepest, ray_hand, ray_slot = slope, j, slot
    return height, steepest, ray_hand, ray_slot


@inlined
def price_rays(tables, pool, atoms):
    """`price_pool` of cones alone, all of whose rays are in the pool: -b is the only point."""
    y, right = atoms.y, atoms.right
    atoms.entering[0] = 1.0
    height = 0.0
    for r in range(6):
        atoms.entering[r + 1] = -right[r]
        height -= y[r] * right[r]
    slot, slope = furthest(pool.world, 0, len(pool.items), y, pool.scores)
    hand = 0
    while slot >= tables.ends[hand]:
        hand += 1
    return height, slope, hand, slot


@inlined
def price_everything(tables, pool, atoms):
    """Take the furthest vertex and ray of every hand at y into the pool, of all that it has."""
    for j in range(len(tables.shape_of)):
        s = tables.shape_of[j]
        g = atoms.local[j]
        to_hand(pool.maps, j, atoms.y, g)
        if tables.row_of[j] >= 0 and tables.whole[s, 0] == 0:
            item = furthest_vertex(tables, s, g, pool.scores, max(atoms.best[j], tables.first[s]))
            add_to_pool(tables, pool, j, 0, item)
        if tables.whole[s, 1] == 0:
            item, _ = furthest(tables.rays, tables.ray_first[s], tables.ray_first[s + 1], g, pool.scores)
            add_to_pool(tables, pool, j, 1, item)


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
    atoms.best[:] = NOTHING
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
def is_known(atoms, ray_hand, ray_item):
    """Whether a ray, or without one the sum of the furthest vertices, is among the atoms: then y is off by rounding."""
    for a in range(ATOMS):
        if atoms.used[a] == 0 or atoms.ray_hand[a] != ray_hand:
            continue
        same = True
        if ray_hand >= 0:
            same = atoms.items[a, 0] == ray_item
        else:
            for j in range(len(atoms.best)):
                same = same and atoms.items[a, j] == atoms.best[j]
        if same:
            return True
    return False


@inlined
def choose_atom(pool, atoms, use_ray, ray_hand, ray_slot, slot):
    """Put the ray into `entering` where it is to join, and note what the new atom in `slot` is made of."""
    if use_ray:
        atoms.entering[0] = 0.0
        for r in range(6):
            atoms.entering[r + 1] = pool.world[r, ray_slot]
        atoms.ray_hand[slot], atoms.items[slot, 0] = ray_hand, pool.items[ray_slot]
    else:
        atoms.ray_hand[slot] = NOTHING
        for j in range(len(atoms.best)):
            atoms.items[slot, j] = atoms.best[j]


@kernel
def search(tables, pool, atoms, size, asked, roundoff, whole, state):
    """Whether b = `atoms.right` is in the sum: the outcome and the effort go to `state`, the proof stays in `atoms`.

    Args:
        tables, pool, atoms: of the workspace.
        size, asked: sizes of forces and of the base.
        roundoff: what far-off places add to the rounding of b.
        whole: whether the pool has all vertices and rays; else they are priced when the pool has no more.
        state: of the answer.
    """
    begin_search(atoms)
    y = atoms.y
    fresh, levelled, rest = True, 0, np.inf
    steps, passes, joined, status = 0, 0, 0, UNDECIDED
    apart = (APART + roundoff) * size
    complete = whole
    cones = whole and len(pool.items) > 0
    for j in range(len(tables.row_of)):
        cones = cones and tables.row_of[j] < 0
    while steps < STEPS:
        steps += 1
        if cones:
            height, steepest, ray_hand, ray_slot = price_rays(tables, pool, atoms)
        else:
            height, steepest, ray_hand, ray_slot = price_pool(tables, pool, atoms)
        separate = steepest <= IMPROVING and -height > apart * largest(y) + FARTHEST * size * max(0.0, steepest)
        if separate and complete:
            status = EMPTY
            break
        reach = 0.0
        for r in range(6):
            reach += atoms.entering[r + 1] ** 2
        blur = NO_REST * (size + np.sqrt(reach))
        use_ray = not fresh and steepest * rest > blur and steepest > IMPROVING
        if use_ray and height + rest > blur:  # the steeper of the two ways down from x
            far = 0.0
            for r in range(6):
                far += (atoms.entering[r + 1] - atoms.rest[r]) ** 2
            use_ray = height + rest <= steepest * np.sqrt(far)
        slot = free_slot(atoms)
        stuck = separate or slot == ATOMS or not (use_ray or fresh or height + rest > blur)
        if not stuck:
            stuck = is_known(atoms, ray_hand if use_ray else NOTHING, pool.items[ray_slot])
        if not stuck:
            choose_atom(pool, atoms, use_ray, ray_hand, ray_slot, slot)
            stuck = not join(atoms, slot)
        if stuck and not complete:
            price_everything(tables, pool, atoms)
            passes += 1
            complete = True
            continue
        if stuck:
            if levelled == LEVELLINGS or fresh:
                break
            level_direction(atoms)
            levelled += 1
            complete = whole
            continue
        joined += 1
        complete = whole
        if fresh:
            atoms.shares[slot] = 1.0
        if not reduce_atoms(atoms):
            break
        before, rest = rest, find_rest(atoms)
        fresh, levelled = False, 0
        if free_slot(atoms) == ATOMS:
            sharpen(atoms)
            if is_inside(atoms, size, roundoff) and find_rest(atoms) <= BALANCED * size:
                status = OPTIMAL
            break
        if rest <= NO_REST * size:
            status = OPTIMAL if (NO_REST + 2.0 * roundoff) * size <= UNCLEAR * asked else UNDECIDED
            break
        if not rest < before:
            break
        for r in range(6):
            y[r] = -atoms.rest[r] / rest
    state[STATUS], state[PIVOTS], state[PRICINGS] = status, joined, passes


@kernel
def share_out(tables, atoms, factor, wrenches):
    """The hands' wrenches (k, 6) in their own frames, from the weights of the atoms; those of rays times `factor`."""
    shares, points = atoms.shares, 0.0
    for a in range(ATOMS):
        if atoms.used[a] == 1 and atoms.ray_hand[a] < 0:
            points += shares[a]
    for a in range(ATOMS):
        shares[a] /= points
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
                        wrenches[j, r] += shares[a] * tables.vertices[r, atoms.items[a, j]]
            elif atoms.ray_hand[a] == j:
                for r in range(6):
                    wrenches[j, r] += factor * shares[a] * tables.rays[r, atoms.items[a, 0]]
