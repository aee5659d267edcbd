"""From the world to the scaled program and back: placing hands, asking one question, asking many."""

from __future__ import annotations

import numpy as np

from .basis import COLUMN, FREE
from .columns import fill_hand
from .compiling import inlined, kernel, released_kernel
from .simplex import (
    ALPHA,
    BEST_Y,
    BOUND,
    DUST,
    EMPTY,
    OPTIMAL,
    PASSED,
    PIVOTS,
    PRICINGS,
    RIGHT,
    SIGN,
    SIZE,
    STARTED,
    STATUS,
    UNBOUNDED,
    VALUE,
    WHO,
    X,
    Y,
    run,
    start,
)
from .workspace import NOTHING, views

#: Rounding of the torques of a posture far from the world origin, in units of rounding of its distance.
ROUNDING = 8.0 * 2.220446049250313e-16


@kernel
def place(tables, pool, scene, maps):
    """Put the hands at their places: scaled maps, world columns of the pool, wrenches of single vertices."""
    k = len(maps)
    length, unit = scene.units[0], scene.units[1]
    centre = scene.centre
    centre[:] = 0.0
    far = 0.0
    for j in range(k):
        # [t] R stands in the lower left block of (13); its product with R^T is [t]
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            along = 0.0
            for i in range(3):
                along += 0.5 * (maps[j, 3 + c, i] * maps[j, b, i] - maps[j, 3 + b, i] * maps[j, c, i])
            centre[a] += along / k
            far = max(far, abs(along))
    scene.dust[0] = ROUNDING * far / length
    scene.single[:] = 0.0
    for j in range(k):
        for c in range(6):
            for a in range(3):
                b, d = (a + 1) % 3, (a + 2) % 3
                moved = maps[j, 3 + a, c] - (centre[b] * maps[j, d, c] - centre[d] * maps[j, b, c])
                pool.maps[j, a, c] = maps[j, a, c] / unit
                pool.maps[j, 3 + a, c] = moved / (length * unit)
        fill_hand(tables, pool, j)
        if tables.row_of[j] < 0:
            first = tables.first[tables.shape_of[j]]
            for r in range(6):
                for c in range(6):
                    scene.single[r] += pool.maps[j, r, c] * tables.vertices[c, first]


@kernel
def scaled(scene, wrench, out):
    """A world wrench in scaled coordinates."""
    length, unit, centre = scene.units[0], scene.units[1], scene.centre
    for a in range(3):
        b, d = (a + 1) % 3, (a + 2) % 3
        out[a] = wrench[a] / unit
        out[3 + a] = (wrench[3 + a] - (centre[b] * wrench[d] - centre[d] * wrench[b])) / (length * unit)


@kernel
def world_multipliers(scene, y, factor, out):
    """Scaled multipliers in the world, times `factor`."""
    length, unit, centre = scene.units[0], scene.units[1], scene.centre
    for a in range(3):
        b, d = (a + 1) % 3, (a + 2) % 3
        # the transpose of t -> t - c x f is y_f -> y_f + c x y_t
        out[a] = factor * (y[a] + (centre[b] * y[3 + d] - centre[d] * y[3 + b]) / length) / unit
        out[3 + a] = factor * y[3 + a] / (length * unit)


@kernel
def hand_out(tables, pool, basis, answer):
    """Weights and wrenches of the hands from the basic values."""
    k, m, x = len(tables.shape_of), len(basis.kinds), basis.vectors[X]
    sums = basis.vectors[PASSED]
    answer.wrenches[:] = 0.0
    sums[:] = 0.0
    n = 0
    for j in range(k):
        if tables.row_of[j] < 0:
            first = tables.first[tables.shape_of[j]]
            for r in range(6):
                answer.wrenches[j, r] = tables.vertices[r, first]
            answer.hands[n], answer.items[n], answer.rays[n], answer.weights[n] = j, 0, 0, 1.0
            n += 1
    for i in range(m):
        if basis.kinds[i] == COLUMN and x[i] > 0.0 and pool.rows[basis.index[i]] < k:
            sums[tables.row_of[pool.rows[basis.index[i]]]] += x[i]
    for i in range(m):
        if basis.kinds[i] != COLUMN or not x[i] > 0.0:
            continue
        slot = basis.index[i]
        item, j = pool.items[slot], pool.rows[slot]
        ray = j == k
        if ray:
            j = 0
            while slot >= tables.ends[j]:
                j += 1
            weight, given = x[i] * tables.ray_scale[item], item - tables.ray_first[tables.shape_of[j]]
            for r in range(6):
                answer.wrenches[j, r] += x[i] * tables.rays[r, item]
        else:
            weight, given = x[i] / sums[tables.row_of[j]], tables.order[item]
            for r in range(6):
                answer.wrenches[j, r] += weight * tables.vertices[r, item]
        answer.hands[n], answer.items[n], answer.rays[n], answer.weights[n] = j, given, 1 if ray else 0, weight
        n += 1
    answer.facts[3] = n


@inlined
def leading_ray(basis, answer, status, lengths, p):
    """Direction in z of an unbounded answer, its longest coordinate 1; zero for others. `lengths` may stand there."""
    who, sign = basis.facts[WHO], np.float64(basis.facts[SIGN])
    stretch = basis.vectors[RIGHT]
    for i in range(p):
        stretch[i] = lengths[i]
        answer.ray[i] = 0.0
    if status == UNBOUNDED:
        top = 0.0
        for i in range(len(basis.kinds)):
            if basis.kinds[i] == FREE:
                answer.ray[basis.index[i]] = -sign * basis.vectors[ALPHA, i] / stretch[basis.index[i]]
        if who >= 0:
            answer.ray[who] = sign / stretch[who]
        for i in range(p):
            top = max(top, abs(answer.ray[i]))
        for i in range(p):
            answer.ray[i] /= top


@inlined
def solve(tables, pool, basis, scene, answer, base, axes, objective, stop_above, stop_below, limit):
    """One question in the world; the answer too."""
    p, m = len(axes), len(basis.kinds)
    right = basis.vectors[RIGHT]
    scaled(scene, base, right)
    size = scene.units[2]
    for r in range(6):
        size = max(size, abs(right[r]))
        right[r] -= scene.single[r]
    for r in range(6, m):
        right[r] = 1.0
    basis.numbers[SIZE] = size if size > 0.0 else 1.0
    basis.numbers[DUST] = scene.dust[0]
    lengths, top = answer.ray, 0.0
    for i in range(p):
        scaled(scene, axes[i], basis.axes[i])
        total = 0.0
        for r in range(6):
            total += basis.axes[i, r] ** 2
        lengths[i] = np.sqrt(total) if total > 0.0 else 1.0
        for r in range(6):
            basis.axes[i, r] /= lengths[i]
        basis.gains[i] = objective[i] / lengths[i]
        top = max(top, abs(basis.gains[i]))
    factor = top if top > 0.0 else 1.0
    for i in range(p):
        basis.gains[i] /= factor
    if basis.facts[STARTED] != p:
        start(tables, pool, basis, p)
    run(tables, pool, basis, p, stop_above / factor, stop_below / factor, limit)
    status = basis.facts[STATUS]
    x = basis.vectors[X]
    found = basis.numbers[VALUE] > -np.inf
    for i in range(p):
        answer.z[i] = 0.0 if found else np.nan
    if found:
        hand_out(tables, pool, basis, answer)
        value = 0.0
        for i in range(m):
            if basis.kinds[i] == FREE:
                answer.z[basis.index[i]] = x[i] / lengths[basis.index[i]]
        for i in range(p):
            value += objective[i] * answer.z[i]
        answer.numbers[0] = value
    else:
        answer.wrenches[:] = np.nan
        answer.facts[3] = 0
        answer.numbers[0] = -np.inf
    answer.numbers[1] = basis.numbers[BOUND] * factor
    if status == OPTIMAL and p == 0:
        answer.numbers[1] = 0.0
    if status == EMPTY:
        answer.numbers[1] = -np.inf
        largest = 0.0
        for r in range(6):
            largest = max(largest, abs(basis.vectors[Y, r]))
        world_multipliers(scene, basis.vectors[Y], scene.units[1] / largest, answer.multipliers)
    elif basis.numbers[BOUND] < np.inf:
        world_multipliers(scene, basis.vectors[BEST_Y], factor, answer.multipliers)
    else:
        answer.multipliers[:] = 0.0
    leading_ray(basis, answer, status, lengths, p)
    answer.facts[0], answer.facts[1], answer.facts[2] = status, basis.facts[PIVOTS], basis.facts[PRICINGS]


@released_kernel
def place_hands(vertices, centres, radii, order, rays, floats, ints, maps):
    """`place`, called from Python with the buffers."""
    tables, pool, _, scene, _ = views(vertices, centres, radii, order, rays, floats, ints)
    place(tables, pool, scene, maps)


@released_kernel
def ask(
    vertices, centres, radii, order, rays, floats, ints, maps, bases, axes, objectives, stops, flags, figures, facts
):
    """Questions one after the other, each from the basis and pool of the one before.

    Args:
        maps: (n, k, 6, 6), (1, k, 6, 6) for hands that stay, or (0, k, 6, 6) for hands that are placed already.
        bases: (n, 6).
        axes: (n, p, 6), or (1, p, 6) for the same axes in all.
        objectives: (n, p), or (1, p).
        stops: (2,) values of the objective at which to stop: found above, proven below.
        flags: (2,) most exchanges of a question; 1 to go on from the last basis, 0 to start from scratch.
        figures: (n, 20 + 6 k) the answers: value, bound, z, ray, multipliers, wrenches; (n, 0) for none.
        facts: (n, 3) status, exchanges, pricings; (n, 0) for none.
    """
    tables, pool, basis, scene, answer = views(vertices, centres, radii, order, rays, floats, ints)
    if flags[1] == 0:
        basis.facts[STARTED] = NOTHING
    for i in range(len(bases)):
        if i < len(maps):
            place(tables, pool, scene, maps[i])
        own, gains = axes[min(i, len(axes) - 1)], objectives[min(i, len(objectives) - 1)]
        solve(tables, pool, basis, scene, answer, bases[i], own, gains, stops[0], stops[1], flags[0])
        for c in range(figures.shape[1]):
            figures[i, c] = floats[c]
        for c in range(facts.shape[1]):
            facts[i, c] = answer.facts[c]
