"""Warp kernels for many postures at once: one thread per posture, the same source for GPUs and the CPU.

The question: is b = -w in the Minkowski sum of the hands' sets? Wrenches are scaled: torques are taken about the mean
of the palms and divided by a length, all parts by the unit of the tables. A thread keeps at most seven atoms. An atom
is a sum of one vertex per hand (a point, e = 1), or one ray of one hand, or a free direction (e = 0). Lifted vectors
(e, q) of the atoms are linearly independent, so that seven are enough.

`search` is Wolfe's method for the point x of least norm in the sum minus b. With y = -x / |x| each hand is asked for
the vertex and the ray furthest along T_j^T y; the atom that they make joins the others, and x is the least point of all
of them: with weights u / (e . u), G u = e, G = e e^T + Q Q^T. The inverse of G over the atoms in use is kept in double
precision and changes by one product of two vectors when an atom joins or leaves. Where x vanishes the load is held.
Where no atom reaches beyond 0 along y the load is not held, and y separates. The first run has everything else in
single precision, the second run, for what the first one left, everything in double precision.

What `search` claims is proven by `prove_held` and `prove_apart` alone, in double precision and without its numbers:
weights are solved again from the vertices, supports are bounded over all vertices and rays.

`climb` is a primal simplex method from the atoms of a held load: the largest s with w + s d held. `prove_margin` solves
weights and multipliers again, bounds s from above by supports over all vertices and rays, and has the derivatives.

Data that a thread needs often is in arrays with one column per thread (`frames`, `picks`), so that threads that
run together read neighbouring numbers.

Warp reads annotations when a kernel is made, so that this module has no postponed annotations.
"""

from functools import cache

import warp as wp

#: Atoms of a posture: one more than a wrench has parts.
SLOTS = 7

# Outcomes of a posture.
UNDECIDED, HELD, APART, UNLIMITED, INVALID, BETWEEN = 0, 1, 2, 3, 4, 5

# Lists of questions that `search` makes for the proofs, and the proofs for the next run; counts of a run have the
# same places, and at TAKEN how many questions threads have begun.
TAKEN, LEFT = 0, 3

# Kinds of atoms: none, a point, a free direction (negative: -1 - 2 line, less one when it is taken backwards), the
# variable s of a margin; rays are counted from RAY on: RAY + hand * rays + ray.
EMPTY, POINT, FACTOR, RAY = 0, 1, 2, 3

#: A rotation may differ from an orthonormal one by this (as `tolerances.ORTHONORMAL`).
RIGID = 1e-6

#: What an atom adds to the span of the others, below this share of its size: it depends on them.
DEPENDENT = 1e-14

#: Weights below this share of the largest leave.
NO_WEIGHT = 1e-15

#: Loads below this share of the unit of the tables count as that large.
SMALL_LOAD = 1e-4

#: Pivots of the simplex method below this share of the column do not count.
NO_PIVOT = 1e-9

#: Pivots of an elimination below this: the atoms depend on each other.
NO_RANK = 1e-13

#: Roundings of single precision that a support can be wrong by: products and sums of six numbers, twice.
SINGLE_ROUNDINGS = 48.0 * 2.0**-24

f32 = wp.float32
f64 = wp.float64
vec3 = wp.types.vector(length=3, dtype=wp.float64)
vec4 = wp.types.vector(length=4, dtype=wp.float64)
vec6 = wp.types.vector(length=6, dtype=wp.float64)
vec7 = wp.types.vector(length=7, dtype=wp.float64)
vec12 = wp.types.vector(length=12, dtype=wp.float64)
ivec7 = wp.types.vector(length=7, dtype=wp.int32)
mat76 = wp.types.matrix(shape=(7, 6), dtype=wp.float64)
mat77 = wp.types.matrix(shape=(7, 7), dtype=wp.float64)

#: No derivatives by Warp. Loops over the parts of an atom are unrolled for GPUs, where registers count, and kept for
#: the CPU, whose compiler takes a minute otherwise.
OPTIONS = {
    True: {"enable_backward": False, "max_unroll": 12},
    False: {"enable_backward": False, "max_unroll": 0},
}


@wp.struct
class HandArrays:
    """Vertices and rays of all hands, in the unit of force `unit` (0: that of each load), lengths at least `least`.

    A row of `tables` has the first and the last vertex and ray of a hand, and the most rays of any. `largest` has the
    largest size of each part of a hand's vertices. `groups` has the vertices in single precision, the first parts of
    four of them, then the second parts, and so on.
    """

    vertices: wp.array(dtype=vec6, ndim=1)
    groups: wp.array(dtype=wp.float32, ndim=1)
    rays: wp.array(dtype=vec6, ndim=1)
    tables: wp.array(dtype=wp.int32, ndim=2)
    largest: wp.array(dtype=wp.float64, ndim=2)
    unit: wp.float64
    least: wp.float64


@wp.struct
class QuestionArrays:
    """Loads (n, 6) on postures (n / per_posture, k), free directions of the loads, centres (mean of palms, length)."""

    poses: wp.array(dtype=wp.mat44d, ndim=2)
    loads: wp.array(dtype=wp.float64, ndim=2)
    lines: wp.array(dtype=wp.float64, ndim=3)
    centres: wp.array(dtype=vec4, ndim=1)
    per_posture: int


@wp.struct
class Claims:
    """What is known of every question: outcome, multipliers, and atoms with their weights."""

    status: wp.array(dtype=wp.int8, ndim=1)
    multipliers: wp.array(dtype=wp.float64, ndim=2)
    kinds: wp.array(dtype=wp.int32, ndim=2)
    atoms: wp.array(dtype=wp.int32, ndim=3)
    weights: wp.array(dtype=wp.float64, ndim=2)


@wp.struct
class Lists:
    """Numbers of questions: what to look at (`rows[turn + LEFT - 1]` from the second run on), by outcome, and left."""

    rows: wp.array(dtype=wp.int32, ndim=2)
    counts: wp.array(dtype=wp.int32, ndim=2)
    turn: int


@wp.func
def turned(pose: wp.mat44d, v: vec3) -> vec3:
    """R v."""
    return vec3(
        pose[0, 0] * v[0] + pose[0, 1] * v[1] + pose[0, 2] * v[2],
        pose[1, 0] * v[0] + pose[1, 1] * v[1] + pose[1, 2] * v[2],
        pose[2, 0] * v[0] + pose[2, 1] * v[1] + pose[2, 2] * v[2],
    )


@wp.func
def turned_back(pose: wp.mat44d, v: vec3) -> vec3:
    """R^T v."""
    return vec3(
        pose[0, 0] * v[0] + pose[1, 0] * v[1] + pose[2, 0] * v[2],
        pose[0, 1] * v[0] + pose[1, 1] * v[1] + pose[2, 1] * v[2],
        pose[0, 2] * v[0] + pose[1, 2] * v[1] + pose[2, 2] * v[2],
    )


@wp.func
def palm(pose: wp.mat44d) -> vec3:
    """Origin of a palm [m]."""
    return vec3(pose[0, 3], pose[1, 3], pose[2, 3])


@wp.func
def middle(poses: wp.array(dtype=wp.mat44d, ndim=2), i: int) -> vec3:
    """Mean of the palms' origins [m]."""
    c = vec3()
    for j in range(poses.shape[1]):
        c = c + palm(poses[i, j])
    return c / f64(poses.shape[1])


@wp.func
def reach(poses: wp.array(dtype=wp.mat44d, ndim=2), i: int, c: vec3, least: wp.float64) -> wp.float64:
    """Root mean square distance of the palms from their mean [m], at least `least`."""
    total = f64(0.0)
    for j in range(poses.shape[1]):
        d = palm(poses[i, j]) - c
        total = total + wp.dot(d, d)
    return wp.max(wp.sqrt(total / f64(poses.shape[1])), least)


@wp.func
def asked(pose: wp.mat44d, y: vec6, centre: vec4) -> vec6:
    """T_j^T y in the palm frame, for wrenches with torques about the centre and divided by its length."""
    force = vec3(y[0], y[1], y[2])
    torque = vec3(y[3], y[4], y[5]) / centre[3]
    g = turned_back(pose, force + wp.cross(torque, palm(pose) - vec3(centre[0], centre[1], centre[2])))
    t = turned_back(pose, torque)
    return vec6(g[0], g[1], g[2], t[0], t[1], t[2])


@wp.func
def carried(pose: wp.mat44d, w: vec6, centre: vec4) -> vec6:
    """T_j w, torques about the centre and divided by its length."""
    force = turned(pose, vec3(w[0], w[1], w[2]))
    torque = turned(pose, vec3(w[3], w[4], w[5]))
    arm = palm(pose) - vec3(centre[0], centre[1], centre[2])
    torque = (torque + wp.cross(arm, force)) / centre[3]
    return vec6(force[0], force[1], force[2], torque[0], torque[1], torque[2])


@wp.func
def about(wrenches: wp.array(dtype=wp.float64, ndim=2), i: int, centre: vec4, unit: wp.float64) -> vec6:
    """A world wrench about the origin, with its torque about the centre and divided by its length, in a unit."""
    force = vec3(wrenches[i, 0], wrenches[i, 1], wrenches[i, 2])
    torque = vec3(wrenches[i, 3], wrenches[i, 4], wrenches[i, 5])
    torque = (torque - wp.cross(vec3(centre[0], centre[1], centre[2]), force)) / centre[3]
    return vec6(force[0], force[1], force[2], torque[0], torque[1], torque[2]) / unit


@wp.func
def unit_for(wrenches: wp.array(dtype=wp.float64, ndim=2), i: int, centre: vec4, unit: wp.float64) -> wp.float64:
    """The unit of force [N]: that of the tables, or the size of the wrench itself where hands are cones alone."""
    if unit > f64(0.0):
        return unit
    size = wp.length(about(wrenches, i, centre, f64(1.0)))
    if size > f64(0.0):
        return size
    return f64(1.0)


@wp.func
def is_rigid(pose: wp.mat44d) -> bool:
    """Whether a pose is a rotation and a finite position."""
    x = vec3(pose[0, 0], pose[1, 0], pose[2, 0])
    y = vec3(pose[0, 1], pose[1, 1], pose[2, 1])
    z = vec3(pose[0, 2], pose[1, 2], pose[2, 2])
    off = wp.max(wp.abs(wp.dot(x, y)), wp.max(wp.abs(wp.dot(x, z)), wp.abs(wp.dot(y, z))))
    off = wp.max(off, wp.abs(wp.dot(x, x) - f64(1.0)))
    off = wp.max(off, wp.abs(wp.dot(y, y) - f64(1.0)))
    off = wp.max(off, wp.abs(wp.dot(wp.cross(x, y), z) - f64(1.0)))
    p = palm(pose)
    return off <= f64(RIGID) and wp.isfinite(p[0] + p[1] + p[2])


@wp.func
def frame_part(pose: wp.mat44d, centre: vec4, part: int) -> wp.float64:
    """One of twelve numbers of a palm frame: the rotation by rows, then the origin, from the centre and in lengths."""
    if part < 9:
        return pose[part // 3, part % 3]
    return (pose[part - 9, 3] - centre[part - 9]) / centre[3]


@wp.kernel(enable_backward=False)
def prepare(
    hands: HandArrays,
    asked_for: QuestionArrays,
    status: wp.array(dtype=wp.int8, ndim=1),
    aims: wp.array(dtype=wp.float32, ndim=2),
):
    """Centres of the postures, loads in single precision; which poses are not rigid and which loads not finite."""
    row = wp.tid()
    i = row // asked_for.per_posture
    count = asked_for.poses.shape[1]
    valid = bool(True)
    for a in range(6):
        if not wp.isfinite(asked_for.loads[row, a]):
            valid = False
    for j in range(count):
        if not is_rigid(asked_for.poses[i, j]):
            valid = False
    c = middle(asked_for.poses, i)
    centre = vec4(c[0], c[1], c[2], reach(asked_for.poses, i, c, hands.least))
    if row % asked_for.per_posture == 0:
        asked_for.centres[i] = centre
    if aims.shape[0] > 0:
        load = about(asked_for.loads, row, centre, unit_for(asked_for.loads, row, centre, hands.unit))
        for part in range(6):
            aims[row, part] = f32(-load[part])
    if not valid:
        status[row] = wp.int8(INVALID)


@wp.kernel(enable_backward=False)
def place(
    poses: wp.array(dtype=wp.float64, ndim=4),
    centres: wp.array(dtype=vec4, ndim=1),
    placed: wp.array(dtype=wp.float32, ndim=2),
):
    """Palm frames in single precision, one number per thread; after them one over the length."""
    i, at = wp.tid()
    j = at // 12
    part = at % 12
    value = f64(1.0)
    if j == poses.shape[1]:
        value = value / centres[i][3]
    elif part < 9:
        value = poses[i, j, part // 3, part % 3]
    else:
        value = (poses[i, j, part - 9, 3] - centres[i][part - 9]) / centres[i][3]
    placed[i, at] = f32(value)


@wp.func
def line(lines: wp.array(dtype=wp.float64, ndim=3), i: int, n: int, centre: vec4) -> vec6:
    """A free direction of the load, torque about the centre and divided by its length."""
    force = vec3(lines[i, n, 0], lines[i, n, 1], lines[i, n, 2])
    torque = vec3(lines[i, n, 3], lines[i, n, 4], lines[i, n, 5])
    torque = (torque - wp.cross(vec3(centre[0], centre[1], centre[2]), force)) / centre[3]
    return vec6(force[0], force[1], force[2], torque[0], torque[1], torque[2])


@wp.func
def free_direction(lines: wp.array(dtype=wp.float64, ndim=3), i: int, n: int, centre: vec4) -> vec6:
    """A free direction of length 1."""
    way = line(lines, i, n, centre)
    return way / wp.length(way)


@wp.func
def values_at(values: vec7, row: int) -> wp.float64:
    """values[row] of a row that is known at run time."""
    result = f64(0.0)
    for a in range(7):
        if a == row:
            result = values[a]
    return result


@wp.func
def multiplied(matrix: mat77, column: vec7) -> vec7:
    """matrix @ column."""
    result = vec7()
    for a in range(7):
        for b in range(7):
            result[a] = result[a] + matrix[a, b] * column[b]
    return result


@wp.func
def pivoted(inverse: mat77, direction: vec7, at: int) -> mat77:
    """The inverse of the basis whose column `at` is replaced by one with inverse @ column = direction."""
    result = mat77()
    pivot = f64(1.0) / values_at(direction, at)
    for b in range(7):
        top = f64(0.0)
        for a in range(7):
            if a == at:
                top = inverse[a, b]
        top = top * pivot
        for a in range(7):
            if a == at:
                result[a, b] = top
            else:
                result[a, b] = inverse[a, b] - direction[a] * top
    return result


@wp.func
def basis_inverse(columns: mat77, kinds: ivec7):
    """(inverse of the atoms' columns, each in the place of a row; that row of each atom, -1 for dependent ones)."""
    inverse = mat77()
    places = ivec7()
    placed = ivec7()
    for a in range(7):
        inverse[a, a] = f64(1.0)
    for n in range(7):
        places[n] = -1
        if kinds[n] != EMPTY:
            column = vec7()
            for a in range(7):
                column[a] = columns[a, n]
            direction = multiplied(inverse, column)
            at = int(-1)
            biggest = f64(NO_RANK)
            for a in range(7):
                if placed[a] == 0 and wp.abs(direction[a]) > biggest:
                    biggest = wp.abs(direction[a])
                    at = a
            if at >= 0:
                inverse = pivoted(inverse, direction, at)
                places[n] = at
                for a in range(7):
                    if a == at:
                        placed[a] = 1
    return inverse, places


@wp.func
def atom_columns(
    hands: HandArrays, asked_for: QuestionArrays, claims: Claims, row: int, kinds: ivec7, centre: vec4, delta: vec6
):
    """((e, q) of all atoms as columns, one over the lengths of rays); every palm is read once."""
    i = row // asked_for.per_posture
    columns = mat77()
    scales = vec7()
    for n in range(7):
        scales[n] = f64(1.0)
        if kinds[n] == POINT:
            columns[0, n] = f64(1.0)
    for j in range(asked_for.poses.shape[1]):
        pose = asked_for.poses[i, j]
        for n in range(7):
            kind = kinds[n]
            if kind == POINT:
                q = carried(pose, hands.vertices[hands.tables[j, 0] + claims.atoms[row, n, j]], centre)
                for part in range(6):
                    columns[part + 1, n] = columns[part + 1, n] + q[part]
            elif kind >= RAY:
                if (kind - RAY) // hands.tables[0, 4] == j:
                    q = carried(pose, hands.rays[hands.tables[j, 2] + (kind - RAY) % hands.tables[0, 4]], centre)
                    scales[n] = f64(1.0) / wp.length(q)
                    for part in range(6):
                        columns[part + 1, n] = scales[n] * q[part]
    for n in range(7):
        kind = kinds[n]
        q = delta
        if kind < 0:
            q = free_direction(asked_for.lines, row, (-1 - kind) // 2, centre)
            if (-1 - kind) % 2 == 1:
                q = -q
        if kind < 0 or kind == FACTOR:
            for part in range(6):
                columns[part + 1, n] = q[part]
    return columns, scales


@wp.func
def solved_weights(columns: mat77, inverse: mat77, places: ivec7, kinds: ivec7, right: vec7) -> vec7:
    """Weights of the atoms with columns @ weights = right: solved, then twice for what rounding has left."""
    lam = vec7()
    for _turn in range(3):
        found = multiplied(inverse, right - multiplied(columns, lam))
        for n in range(7):
            if kinds[n] != EMPTY:
                lam[n] = lam[n] + values_at(found, places[n])
    total = f64(0.0)
    for n in range(7):
        if kinds[n] != FACTOR:
            lam[n] = wp.max(lam[n], f64(0.0))
        if kinds[n] == POINT:
            total = total + lam[n]
    for n in range(7):
        if kinds[n] == POINT:
            lam[n] = lam[n] / total
    return lam


@wp.func
def hand_wrench(
    hand: int, row: int, hands: HandArrays, claims: Claims, kinds: ivec7, weights: vec7, scales: vec7
) -> vec6:
    """What a hand gives, palm frame, in the unit of the tables: its part of sum_a weights_a atom_a."""
    result = vec6()
    for a in range(7):
        if kinds[a] == POINT:
            result = result + weights[a] * hands.vertices[hands.tables[hand, 0] + claims.atoms[row, a, hand]]
        elif kinds[a] >= RAY:
            if (kinds[a] - RAY) // hands.tables[0, 4] == hand:
                at = hands.tables[hand, 2] + (kinds[a] - RAY) % hands.tables[0, 4]
                result = result + (weights[a] * scales[a]) * hands.rays[at]
    return result


@wp.func
def rest_of(columns: mat77, weights: vec7, right: vec7) -> wp.float64:
    """What the wrenches of weighted atoms miss of the right-hand side."""
    missed = multiplied(columns, weights) - right
    return wp.length(vec6(missed[1], missed[2], missed[3], missed[4], missed[5], missed[6]))


@wp.func
def outside(base: mat76, count: int, way: vec6) -> vec6:
    """What is left of a vector beside the first `count` orthonormal rows."""
    result = way
    for a in range(7):
        if a < count:
            along = f64(0.0)
            for part in range(6):
                along = along + base[a, part] * result[part]
            for part in range(6):
                result[part] = result[part] - along * base[a, part]
    return result


@wp.func
def at_origin(y: vec6, centre: vec4) -> vec6:
    """Multipliers of world wrenches about the origin, from those of wrenches about the centre in its length."""
    turn = vec3(y[3], y[4], y[5]) / centre[3]
    force = vec3(y[0], y[1], y[2]) + wp.cross(vec3(centre[0], centre[1], centre[2]), turn)
    return vec6(force[0], force[1], force[2], turn[0], turn[1], turn[2])


@wp.func
def withdraw(lists: Lists, claims: Claims, row: int):
    """A claim that was not proven: undecided, for the next run."""
    claims.status[row] = wp.int8(UNDECIDED)
    for part in range(6):
        claims.multipliers[row, part] = f64(0.0)
    place = wp.atomic_add(lists.counts, lists.turn, LEFT, 1)
    lists.rows[lists.turn + LEFT, place] = row


@cache
def proof(unrolled):
    """prove_held."""

    @wp.kernel(module="unique", module_options=OPTIONS[unrolled])
    def prove_held(hands: HandArrays, asked_for: QuestionArrays, feasible: wp.float64, lists: Lists, claims: Claims):
        """Prove that loads are held, or take it back: weights are solved again from the vertices."""
        place = wp.tid()
        if place >= lists.counts[lists.turn, HELD]:
            return
        row = lists.rows[HELD, place]
        i = row // asked_for.per_posture
        centre = asked_for.centres[i]
        scale = unit_for(asked_for.loads, row, centre, hands.unit)
        b = -about(asked_for.loads, row, centre, scale)
        kinds = ivec7()
        for a in range(7):
            kinds[a] = claims.kinds[row, a]
        columns, scales = atom_columns(hands, asked_for, claims, row, kinds, centre, b)
        inverse, places = basis_inverse(columns, kinds)
        right = vec7(f64(1.0), b[0], b[1], b[2], b[3], b[4], b[5])
        lam = solved_weights(columns, inverse, places, kinds, right)
        rest = rest_of(columns, lam, right)
        size = wp.length(b)
        if rest > feasible * size:  # relative to the largest wrench in the balance
            for j in range(asked_for.poses.shape[1]):
                given = hand_wrench(j, row, hands, claims, kinds, lam, scales)
                size = wp.max(size, wp.length(carried(asked_for.poses[i, j], given, centre)))
        if rest <= feasible * size and size > f64(0.0):
            for a in range(7):
                kind = kinds[a]
                weight = lam[a]
                if kind < 0:
                    weight = lam[a] * scale / wp.length(line(asked_for.lines, row, (-1 - kind) // 2, centre))
                    if (-1 - kind) % 2 == 1:
                        weight = -weight
                if kind >= RAY:
                    weight = lam[a] * scales[a] * scale
                claims.weights[row, a] = weight
            for part in range(6):
                claims.multipliers[row, part] = f64(0.0)
        else:
            withdraw(lists, claims, row)

    return prove_held


@cache
def frame_functions(real):
    """(asked_of, carried_by): what palm frames do, in the precision `real`.

    A frame has the rotation by rows and the origin, from the centre and in lengths; `shorter` is one over the length.
    """
    rvec = wp.types.vector(length=6, dtype=real)
    rvec12 = wp.types.vector(length=12, dtype=real)

    @wp.func
    def asked_of(frame: rvec12, y: rvec, shorter: real) -> rvec:
        """T_j^T y."""
        fx = y[0] + (y[4] * frame[11] - y[5] * frame[10])
        fy = y[1] + (y[5] * frame[9] - y[3] * frame[11])
        fz = y[2] + (y[3] * frame[10] - y[4] * frame[9])
        g = rvec()
        for s in range(3):
            g[s] = frame[s] * fx + frame[3 + s] * fy + frame[6 + s] * fz
            g[3 + s] = (frame[s] * y[3] + frame[3 + s] * y[4] + frame[6 + s] * y[5]) * shorter
        return g

    @wp.func
    def carried_by(frame: rvec12, v: rvec, shorter: real) -> rvec:
        """T_j v."""
        q = rvec()
        for r in range(3):
            q[r] = frame[3 * r] * v[0] + frame[3 * r + 1] * v[1] + frame[3 * r + 2] * v[2]
            q[3 + r] = (frame[3 * r] * v[3] + frame[3 * r + 1] * v[4] + frame[3 * r + 2] * v[5]) * shorter
        q[3] = q[3] + (frame[10] * q[2] - frame[11] * q[1])
        q[4] = q[4] + (frame[11] * q[0] - frame[9] * q[2])
        q[5] = q[5] + (frame[9] * q[1] - frame[10] * q[0])
        return q

    return asked_of, carried_by


@cache
def furthest_in_rows(count):
    """furthest_of_all(g, rows, groups, first, last) in double precision."""
    gmat = wp.types.matrix(shape=(count, 6), dtype=wp.float64)
    gvec = wp.types.vector(length=count, dtype=wp.float64)
    ivec = wp.types.vector(length=count, dtype=wp.int32)

    @wp.func
    def furthest_of_all(
        g: gmat, rows: wp.array(dtype=vec6, ndim=1), groups: wp.array(dtype=wp.float32, ndim=1), first: int, last: int
    ) -> ivec:
        """For each direction g_j the row of a table that reaches furthest."""
        best = gvec()
        at = ivec()
        for j in range(wp.static(count)):
            best[j] = f64(-1.0e300)
            at[j] = first
        for a in range(first, last):
            v = rows[a]
            for j in range(wp.static(count)):
                value = g[j, 0] * v[0] + g[j, 1] * v[1] + g[j, 2] * v[2]
                value = value + (g[j, 3] * v[3] + g[j, 4] * v[4] + g[j, 5] * v[5])
                if value > best[j]:
                    best[j] = value
                    at[j] = a
        return at

    return furthest_of_all


@cache
def furthest_in_groups(count):
    """The same in single precision: four rows are read at once, from a table that has their parts side by side.

    It is written in C++ because Warp has no loads of 16 bytes, and most of the time is spent here.
    """
    gmat = wp.types.matrix(shape=(count, 6), dtype=wp.float32)
    rvec = wp.types.vector(length=6, dtype=wp.float32)
    ivec = wp.types.vector(length=count, dtype=wp.int32)
    snippet = """
    struct alignas(16) Four { float v[4]; };
    const Four* table = reinterpret_cast<const Four*>(groups.data) + first / 4 * 6;
    const int number = (last - first + 3) / 4;
    float best[COUNT];
    wp::vec_t<COUNT, wp::int32> at;
    #pragma unroll
    for (int j = 0; j < COUNT; ++j) { best[j] = -3.0e38f; at.c[j] = 0; }
    #pragma unroll 2
    for (int n = 0; n < number; ++n) {
        Four part[6];
        #pragma unroll
        for (int c = 0; c < 6; ++c) part[c] = table[6 * n + c];
        #pragma unroll
        for (int j = 0; j < COUNT; ++j) {
            float value[4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                value[i] = g.data[j][0] * part[0].v[i];
                #pragma unroll
                for (int c = 1; c < 6; ++c) value[i] += g.data[j][c] * part[c].v[i];
            }
            const float top = wp::max(wp::max(value[0], value[1]), wp::max(value[2], value[3]));
            if (top > best[j]) { best[j] = top; at.c[j] = n; }
        }
    }
    #pragma unroll
    for (int j = 0; j < COUNT; ++j) {
        const int from = 4 * at.c[j];
        float high = -3.0e38f;
        for (int i = 0; i < 4 && first + from + i < last; ++i) {
            const float* row = reinterpret_cast<const float*>(table + 6 * (from / 4)) + i;
            float value = g.data[j][0] * row[0];
            #pragma unroll
            for (int c = 1; c < 6; ++c) value += g.data[j][c] * row[4 * c];
            if (value > high) { high = value; at.c[j] = first + from + i; }
        }
    }
    return at;
    """.replace("COUNT", str(count))

    @wp.func_native(snippet)
    def furthest_of_all(
        g: gmat, rows: wp.array(dtype=rvec, ndim=1), groups: wp.array(dtype=wp.float32, ndim=1), first: int, last: int
    ) -> ivec:
        """For each direction g_j the row of a table that reaches furthest."""

    return furthest_of_all


@cache
def searches(real, unrolled, hands_in_all, together, registers):
    """(search, climb, prove_apart, prove_margin) whose prices are computed in `real`: wp.float32 or wp.float64.

    `together`: all hands have the same table, so that each row is read once for all of them.
    `registers` is how many a thread may use on a GPU: fewer let more threads run, which hides the latency of reading.
    """
    single = real is wp.float32
    options = OPTIONS[unrolled] | {"fast_math": single}  # quotients and roots that are near; proofs have their own
    size_of = hands_in_all if together else 1
    rvec = wp.types.vector(length=6, dtype=real)
    rvec7 = wp.types.vector(length=7, dtype=real)
    rmat = wp.types.matrix(shape=(7, 6), dtype=real)
    gmat = wp.types.matrix(shape=(size_of, 6), dtype=real)
    ivec = wp.types.vector(length=size_of, dtype=wp.int32)
    # heights below which nothing is held, slopes of rays that count, roundings of x and of |x| (shares of the sizes)
    apart_at, climbs_at, no_gain, no_rest = (4e-6, 2e-6, 1e-7, 2e-7) if single else (1e-13, 1e-12, 4e-15, 1e-13)
    gains_at = 1e-10 if single else 1e-12
    no_weight = 1e-7 if single else NO_WEIGHT
    support_roundings = SINGLE_ROUNDINGS if single else 0.0
    asked_of, carried_by = frame_functions(real)
    asked_double, carried_double = frame_functions(wp.float64)
    rvec12 = wp.types.vector(length=12, dtype=real)
    rframes = wp.types.matrix(shape=(hands_in_all, 12), dtype=real)
    frames64 = wp.types.matrix(shape=(hands_in_all, 12), dtype=wp.float64)

    furthest_of_all = (furthest_in_groups if single else furthest_in_rows)(size_of)

    @wp.func
    def furthest(g: rvec, rows: wp.array(dtype=rvec, ndim=1), first: int, last: int) -> int:
        """The ray that reaches furthest along g."""
        best = wp.dot(g, rows[first])
        at = int(first)
        for a in range(first + 1, last):
            value = wp.dot(g, rows[a])
            if value > best:
                best = value
                at = a
        return at

    @wp.func
    def furthest_vertex(
        g: rvec, rows: wp.array(dtype=rvec, ndim=1), groups: wp.array(dtype=wp.float32, ndim=1), first: int, last: int
    ) -> int:
        """The vertex of one hand that reaches furthest along g."""
        alone = gmat()
        for part in range(6):
            alone[0, part] = g[part]
        at = furthest_of_all(alone, rows, groups, first, last)
        return at[0]

    @wp.func
    def rounded(v: vec6) -> rvec:
        """The same numbers in the precision of prices."""
        return rvec(real(v[0]), real(v[1]), real(v[2]), real(v[3]), real(v[4]), real(v[5]))

    @wp.func
    def widened(v: rvec) -> vec6:
        """The same numbers in double precision."""
        return vec6(f64(v[0]), f64(v[1]), f64(v[2]), f64(v[3]), f64(v[4]), f64(v[5]))

    @wp.func
    def pick(
        g: gmat,
        hands: HandArrays,
        priced: wp.array(dtype=rvec, ndim=1),
        picks: wp.array(dtype=wp.int32, ndim=2),
        t: int,
    ):
        """For every hand the furthest vertex of the common table, to a thread's picks."""
        first = hands.tables[0, 0]
        both = furthest_of_all(g, priced, hands.groups, first, hands.tables[0, 1])
        for j in range(wp.static(size_of)):
            picks[j, t] = both[j] - first

    @wp.kernel(module="unique", module_options=options, cuda_max_registers=registers)
    def search(
        hands: HandArrays,
        asked_for: QuestionArrays,
        priced_vertices: wp.array(dtype=rvec, ndim=1),
        priced_rays: wp.array(dtype=rvec, ndim=1),
        evaluations: int,
        placed: wp.array(dtype=wp.float32, ndim=2),
        aims: wp.array(dtype=wp.float32, ndim=2),
        picks: wp.array(dtype=wp.int32, ndim=2),
        lists: Lists,
        claims: Claims,
    ):
        """Each thread takes the next question of its list until none is left.

        Vectors and matrices change part by part: Warp copies one that is assigned as a whole, and registers are few.
        Code is kept small as well: threads that run together are at different places of it.
        """
        t = wp.tid()
        count = asked_for.poses.shape[1]
        questions = int(asked_for.loads.shape[0])
        if lists.turn > 0:
            questions = lists.counts[lists.turn - 1, LEFT]
        taken = int(wp.atomic_add(lists.counts, lists.turn, TAKEN, 1))
        fresh = bool(True)
        row = int(0)
        done = int(0)
        shorter = real(1.0)
        size = real(1.0)
        rest = real(0.0)
        b = rvec()
        x = rvec()
        y = rvec()
        p = rvec()
        ray = rvec()
        frame = rvec12()
        frames = rframes()
        q = rmat()
        lam = rvec7()
        kind = ivec7()
        inverse = mat77()  # of the Gram matrix, on and below its diagonal; 0 at empty slots
        products = vec7()
        v = vec7()
        u = vec7()
        while taken < questions:
            outcome = int(-1)
            if fresh:
                row = taken
                if lists.turn > 0:
                    row = lists.rows[lists.turn + LEFT - 1, taken]
                done = int(0)
                rest = real(1.0e30)
                for a in range(7):
                    lam[a] = real(0.0)
                    kind[a] = EMPTY
                    for c in range(7):
                        inverse[a, c] = f64(0.0)
                if int(claims.status[row]) == INVALID:
                    outcome = int(INVALID)
                else:
                    i = row // asked_for.per_posture
                    if wp.static(single):
                        for j in range(count):
                            for part in range(12):
                                frames[j, part] = placed[i, 12 * j + part]
                        shorter = placed[i, 12 * count]
                        for part in range(6):
                            b[part] = aims[row, part]
                    else:
                        centre = asked_for.centres[i]
                        for j in range(count):
                            for part in range(12):
                                frames[j, part] = real(frame_part(asked_for.poses[i, j], centre, part))
                        shorter = real(f64(1.0) / centre[3])
                        load = about(asked_for.loads, row, centre, unit_for(asked_for.loads, row, centre, hands.unit))
                        for part in range(6):
                            b[part] = real(-load[part])
                    for part in range(6):
                        x[part] = real(0.0)
                    size = wp.length(b) + real(SMALL_LOAD)
                    for part in range(6):
                        y[part] = b[part] / size
                    if wp.static(not single):  # from up to six points of the run before, with equal weights
                        points = int(0)
                        for a in range(6):
                            if claims.kinds[row, a] == POINT:
                                kind[a] = POINT
                                points = points + 1
                                for part in range(6):
                                    q[a, part] = -b[part]
                                for j in range(count):
                                    for part in range(12):
                                        frame[part] = frames[j, part]
                                    known = hands.tables[j, 0] + claims.atoms[row, a, j]
                                    given = carried_by(frame, priced_vertices[known], shorter)
                                    for part in range(6):
                                        q[a, part] = q[a, part] + given[part]
                                for part in range(6):
                                    x[part] = x[part] + q[a, part]
                        for a in range(7):
                            claims.kinds[row, a] = kind[a]
                            if kind[a] == POINT:
                                lam[a] = real(1.0) / real(points)
                        rest = wp.length(x) / real(points)
                        if points > 0 and rest > real(0.0):
                            fresh = False
                            for part in range(6):
                                x[part] = x[part] / real(points)
                                y[part] = -x[part] / rest
                        else:
                            rest = real(1.0e30)
                if wp.static(single):
                    for a in range(7):
                        claims.kinds[row, a] = EMPTY
            if outcome < 0:
                # the furthest vertex of every hand, and the steepest ray
                if wp.static(together):
                    g = gmat()
                    for j in range(wp.static(size_of)):
                        for part in range(12):
                            frame[part] = frames[j, part]
                        own = asked_of(frame, y, shorter)
                        for part in range(6):
                            g[j, part] = own[part]
                    pick(g, hands, priced_vertices, picks, t)
                steepest = real(0.0)
                atom = int(EMPTY)
                for part in range(6):
                    p[part] = -b[part]
                for j in range(count):
                    for part in range(12):
                        frame[part] = frames[j, part]
                    first = hands.tables[j, 0]
                    if wp.static(not together):
                        at = int(first)
                        if hands.tables[j, 1] - first > 1:
                            own_way = asked_of(frame, y, shorter)
                            at = furthest_vertex(own_way, priced_vertices, hands.groups, first, hands.tables[j, 1])
                        picks[j, t] = at - first
                    moved = carried_by(frame, priced_vertices[first + picks[j, t]], shorter)
                    for part in range(6):
                        p[part] = p[part] + moved[part]
                    if hands.tables[j, 3] > hands.tables[j, 2]:
                        best = furthest(
                            asked_of(frame, y, shorter), priced_rays, hands.tables[j, 2], hands.tables[j, 3]
                        )
                        way = carried_by(frame, priced_rays[best], shorter)
                        long = wp.length(way)
                        slope = wp.dot(y, way) / long
                        if slope > steepest:
                            steepest = slope
                            atom = RAY + j * hands.tables[j, 4] + best - hands.tables[j, 2]
                            for part in range(6):
                                ray[part] = way[part] / long
                for n in range(asked_for.lines.shape[1]):
                    free = free_direction(asked_for.lines, row, n, asked_for.centres[row // asked_for.per_posture])
                    along_y = real(0.0)
                    for part in range(6):
                        along_y = along_y + y[part] * real(free[part])
                    if wp.abs(along_y) > steepest:
                        steepest = wp.abs(along_y)
                        atom = -1 - 2 * n
                        for part in range(6):
                            ray[part] = real(free[part])
                        if along_y < real(0.0):
                            atom = atom - 1
                            for part in range(6):
                                ray[part] = -ray[part]
                height = wp.dot(y, p)
                done = done + 1
                gain = height + rest
                reached = size + wp.length(p)
                blur = real(no_gain) * reached / rest  # what rounding of x makes of a unit vector along it
                use_ray = atom != EMPTY and steepest > wp.max(real(climbs_at), blur)
                if not use_ray and height < -real(apart_at):
                    outcome = int(APART)
                elif not use_ray and not fresh and gain <= blur * reached:
                    outcome = int(UNDECIDED)
                    if height < real(0.0):
                        outcome = int(APART)
                elif done > evaluations:
                    outcome = int(UNDECIDED)
                else:
                    if use_ray and (fresh or gain > wp.max(steepest * wp.length(p - x), blur * reached)):
                        use_ray = False
                    slot = int(-1)
                    for a in range(7):
                        if kind[a] == EMPTY and slot < 0:
                            slot = a
                    lift = f64(0.0)
                    if use_ray:
                        for part in range(6):
                            p[part] = ray[part]
                    else:
                        lift = f64(1.0)
                        atom = int(POINT)
                        for j in range(count):
                            claims.atoms[row, slot, j] = picks[j, t]
                    claims.kinds[row, slot] = atom
                    for a in range(7):
                        if a == slot:
                            kind[a] = atom
                            lam[a] = real(0.0)
                            if fresh:
                                lam[a] = real(1.0)
                            for part in range(6):
                                q[a, part] = p[part]
                    # the new atom joins the inverse; in double precision all of them do, one after the other
                    joining = int(slot)
                    # Wolfe's minor cycles: towards the least point, atoms of weight 0 leave
                    turns = int(0)
                    while turns < 8:
                        if wp.static(not single):
                            joining = int(0)
                            for a in range(7):
                                for c in range(7):
                                    inverse[a, c] = f64(0.0)
                        while joining < SLOTS:
                            present = bool(wp.static(single))
                            if wp.static(not single):
                                lift = f64(0.0)
                                for a in range(7):
                                    if a == joining and kind[a] != EMPTY:
                                        present = True
                                        if kind[a] == POINT:
                                            lift = f64(1.0)
                                        for part in range(6):
                                            p[part] = q[a, part]
                            if present:
                                left = lift
                                for part in range(6):
                                    left = left + f64(p[part]) * f64(p[part])
                                square = left
                                for a in range(7):
                                    products[a] = f64(0.0)
                                    if kind[a] == POINT:
                                        products[a] = lift
                                    for part in range(6):
                                        products[a] = products[a] + f64(q[a, part]) * f64(p[part])
                                for a in range(7):
                                    v[a] = f64(0.0)
                                    for c in range(7):
                                        if c <= a:
                                            v[a] = v[a] + inverse[a, c] * products[c]
                                        else:
                                            v[a] = v[a] + inverse[c, a] * products[c]
                                    left = left - products[a] * v[a]
                                left = f64(1.0) / wp.max(left, f64(DEPENDENT) * square)
                                for a in range(7):
                                    if a == joining:
                                        v[a] = f64(-1.0)
                                for a in range(7):
                                    for c in range(7):
                                        if c <= a:
                                            inverse[a, c] = inverse[a, c] + left * v[a] * v[c]
                            joining = joining + 1
                            if wp.static(single):
                                joining = int(SLOTS)
                        turns = turns + 1
                        # weights: G u = e, divided by e . u; in double precision twice more for what rounding has left
                        for a in range(7):
                            u[a] = f64(0.0)
                            products[a] = f64(0.0)
                            if kind[a] == POINT:
                                products[a] = f64(1.0)
                        for again in range(wp.static(1 if single else 3)):
                            if again > 0:
                                total = f64(0.0)
                                for part in range(6):
                                    x[part] = real(0.0)
                                for a in range(7):
                                    if kind[a] == POINT:
                                        total = total + u[a]
                                    for part in range(6):
                                        x[part] = x[part] + real(u[a]) * q[a, part]
                                for a in range(7):
                                    products[a] = f64(0.0)
                                    if kind[a] == POINT:
                                        products[a] = f64(1.0) - total
                                    for part in range(6):
                                        products[a] = products[a] - f64(q[a, part]) * f64(x[part])
                            for a in range(7):
                                for c in range(7):
                                    if c <= a:
                                        u[a] = u[a] + inverse[a, c] * products[c]
                                    else:
                                        u[a] = u[a] + inverse[c, a] * products[c]
                        sum_of = f64(0.0)
                        for a in range(7):
                            if kind[a] == POINT:
                                sum_of = sum_of + u[a]
                        sum_of = f64(1.0) / sum_of
                        theta = real(1.0)
                        leaving = int(-1)
                        for a in range(7):
                            u[a] = u[a] * sum_of
                            weight = real(u[a])
                            if kind[a] != EMPTY and weight <= real(no_weight):
                                share = real(0.0)
                                if lam[a] > weight:
                                    share = lam[a] / (lam[a] - weight)
                                if share < theta or leaving < 0:
                                    theta = wp.min(share, real(1.0))
                                    leaving = a
                        for a in range(7):
                            lam[a] = wp.max(lam[a] + theta * (real(u[a]) - lam[a]), real(0.0))
                            if a == leaving:
                                kind[a] = EMPTY
                            if kind[a] == EMPTY:
                                lam[a] = real(0.0)
                        if leaving < 0:
                            turns = int(100)
                        else:
                            claims.kinds[row, leaving] = EMPTY
                            if wp.static(single):
                                left = f64(1.0)
                                for a in range(7):
                                    products[a] = f64(0.0)
                                    if a == leaving:
                                        left = f64(1.0) / inverse[a, a]
                                        products[a] = f64(1.0)
                                for a in range(7):
                                    v[a] = f64(0.0)
                                    for c in range(7):
                                        if c <= a:
                                            v[a] = v[a] + inverse[a, c] * products[c]
                                        else:
                                            v[a] = v[a] + inverse[c, a] * products[c]
                                for a in range(7):
                                    for c in range(7):
                                        if c <= a:
                                            inverse[a, c] = inverse[a, c] - left * v[a] * v[c]
                    before = rest
                    used = int(0)
                    for part in range(6):
                        x[part] = real(0.0)
                    for a in range(7):
                        if kind[a] != EMPTY:
                            used = used + 1
                        for part in range(6):
                            x[part] = x[part] + lam[a] * q[a, part]
                    rest = wp.length(x)
                    if rest <= real(no_rest) * size or used == SLOTS:
                        outcome = int(HELD)
                    elif not (rest < before):
                        outcome = int(UNDECIDED)
                    else:
                        for part in range(6):
                            y[part] = -x[part] / rest
                    fresh = False
            if outcome >= 0:
                claims.status[row] = wp.int8(outcome)
                if outcome == UNDECIDED:
                    place = wp.atomic_add(lists.counts, lists.turn, LEFT, 1)
                    lists.rows[lists.turn + LEFT, place] = row
                elif outcome != INVALID:
                    place = wp.atomic_add(lists.counts, lists.turn, outcome, 1)
                    lists.rows[outcome, place] = row
                    if outcome == APART:
                        for part in range(6):
                            claims.multipliers[row, part] = f64(y[part])
                taken = int(wp.atomic_add(lists.counts, lists.turn, TAKEN, 1))
                fresh = True

    @wp.func
    def supports(
        poses: wp.array(dtype=wp.mat44d, ndim=2),
        i: int,
        y: vec6,
        hands: HandArrays,
        priced: wp.array(dtype=rvec, ndim=1),
        centre: vec4,
    ) -> vec3:
        """(all hands together reach no further along y, size of the terms, steepest slope of a ray of length 1)."""
        both = ivec()
        if wp.static(together):
            g = gmat()
            for j in range(wp.static(size_of)):
                way_of = rounded(asked(poses[i, j], y, centre))
                for part in range(6):
                    g[j, part] = way_of[part]
            both = furthest_of_all(g, priced, hands.groups, hands.tables[0, 0], hands.tables[0, 1])
        total = f64(0.0)
        terms = f64(0.0)
        steepest = f64(0.0)
        for j in range(poses.shape[1]):
            pose = poses[i, j]
            own = asked(pose, y, centre)
            at = int(hands.tables[j, 0])
            if wp.static(together):
                at = both[j]
            elif hands.tables[j, 1] - at > 1:
                at = furthest_vertex(rounded(own), priced, hands.groups, at, hands.tables[j, 1])
            total = total + wp.dot(own, hands.vertices[at])
            for part in range(6):
                terms = terms + wp.abs(own[part]) * hands.largest[j, part]
            for a in range(hands.tables[j, 2], hands.tables[j, 3]):
                way = carried(pose, hands.rays[a], centre)
                steepest = wp.max(steepest, wp.dot(y, way) / wp.length(way))
        return vec3(total + f64(support_roundings) * terms, terms, steepest)

    @wp.kernel(module="unique", module_options=OPTIONS[unrolled])
    def prove_apart(
        hands: HandArrays,
        asked_for: QuestionArrays,
        priced: wp.array(dtype=rvec, ndim=1),
        rounding: wp.float64,
        flat: wp.float64,
        lists: Lists,
        claims: Claims,
    ):
        """Prove that loads are apart, or take it back: supports are bounded over all vertices and rays."""
        place = wp.tid()
        if place >= lists.counts[lists.turn, APART]:
            return
        row = lists.rows[APART, place]
        i = row // asked_for.per_posture
        centre = asked_for.centres[i]
        b = -about(asked_for.loads, row, centre, unit_for(asked_for.loads, row, centre, hands.unit))
        y = vec6()
        for part in range(6):
            y[part] = claims.multipliers[row, part]
        y = y / wp.length(y)
        # along the rays that the search ended on y must not climb: their span is taken out of it
        base = mat76()
        used = int(0)
        for a in range(7):
            kind = claims.kinds[row, a]
            if kind >= RAY:
                hand = (kind - RAY) // hands.tables[0, 4]
                at = hands.tables[hand, 2] + (kind - RAY) % hands.tables[0, 4]
                way = carried(asked_for.poses[i, hand], hands.rays[at], centre)
                way = outside(base, used, way / wp.length(way))
                size = wp.length(way)
                if size > f64(NO_PIVOT) and used < 6:
                    way = outside(base, used, way / size)
                    way = way / wp.length(way)
                    for slot in range(7):
                        if slot == used:
                            for part in range(6):
                                base[slot, part] = way[part]
                    used = used + 1
        if used > 0:
            y = outside(base, used, outside(base, used, y))
            y = y / wp.length(y)
        found = supports(asked_for.poses, i, y, hands, priced, centre)
        steepest = found[2]
        for n in range(asked_for.lines.shape[1]):
            steepest = wp.max(steepest, wp.abs(wp.dot(y, free_direction(asked_for.lines, row, n, centre))))
        terms = found[1]
        for part in range(6):
            terms = terms + wp.abs(y[part] * b[part])
        if wp.dot(y, b) - found[0] > rounding * terms and steepest <= flat:
            world = at_origin(y, centre)
            for part in range(6):
                claims.multipliers[row, part] = world[part]
        else:
            withdraw(lists, claims, row)

    @wp.kernel(module="unique", module_options=options, cuda_max_registers=registers)
    def climb(
        hands: HandArrays,
        asked_for: QuestionArrays,
        directions: wp.array(dtype=wp.float64, ndim=2),
        start: Claims,
        priced_vertices: wp.array(dtype=rvec, ndim=1),
        priced_rays: wp.array(dtype=rvec, ndim=1),
        pivots: int,
        picks: wp.array(dtype=wp.int32, ndim=2),
        lists: Lists,
        claims: Claims,
    ):
        """The largest s with load + s direction held, from atoms that hold the load: a primal simplex method."""
        t = wp.tid()
        count = asked_for.poses.shape[1]
        questions = int(asked_for.loads.shape[0])
        if lists.turn > 0:
            questions = lists.counts[lists.turn - 1, LEFT]
        frame = vec12()
        frames = frames64()
        inverse = mat77()
        kind = ivec7()
        values = vec7()
        column = vec7()
        direction = vec7()
        y = vec6()
        taken = int(t)
        while taken < questions:
            row = int(taken)
            if lists.turn > 0:
                row = lists.rows[lists.turn + LEFT - 1, taken]
            taken = taken + picks.shape[1]
            i = row // asked_for.per_posture
            known = int(claims.status[row])
            if known == UNDECIDED:
                known = int(start.status[i])
                if known == HELD:
                    known = int(UNDECIDED)
                elif known == UNDECIDED:
                    known = int(-1)
            centre = asked_for.centres[i]
            scale = wp.max(
                unit_for(asked_for.loads, row, centre, hands.unit), unit_for(directions, row, centre, hands.unit)
            )
            b = -about(asked_for.loads, row, centre, scale)
            delta = about(directions, row, centre, scale)
            speed = wp.length(delta)
            if known == UNDECIDED and (not (speed > f64(0.0)) or not wp.isfinite(speed)):
                known = int(INVALID)
            if known > 0:
                claims.status[row] = wp.int8(known)
            outcome = int(-1)
            if known != UNDECIDED:
                outcome = int(INVALID)
            delta = delta / speed
            shorter = f64(1.0) / centre[3]
            if outcome < 0:
                for j in range(count):
                    for part in range(12):
                        frames[j, part] = frame_part(asked_for.poses[i, j], centre, part)
            for a in range(7):
                kind[a] = EMPTY
                claims.kinds[row, a] = EMPTY
                values[a] = f64(0.0)
                for c in range(7):
                    inverse[a, c] = f64(0.0)
                inverse[a, a] = f64(1.0)
            step = int(0)
            s_row = int(-1)
            while outcome < 0:
                entering = int(EMPTY)
                if step < SLOTS:  # the atoms that hold the load
                    entering = start.kinds[i, step]
                    if entering < 0:
                        entering = int(EMPTY)
                    for j in range(count):
                        picks[j, t] = start.atoms[i, step, j]
                elif step == SLOTS:  # then s
                    entering = int(FACTOR)
                    for a in range(7):
                        if kind[a] != EMPTY:
                            value = inverse[a, 0]
                            for part in range(6):
                                value = value + inverse[a, part + 1] * b[part]
                            values[a] = wp.max(value, f64(0.0))
                else:  # then what makes s larger; multipliers are the row of s in the inverse, profits -pi . column
                    total = f64(0.0)
                    for a in range(7):
                        if a == s_row:
                            total = -inverse[a, 0]
                            for part in range(6):
                                y[part] = -inverse[a, part + 1]
                    norm = wp.length(y)
                    if wp.static(together):
                        g = gmat()
                        for j in range(wp.static(size_of)):
                            for part in range(12):
                                frame[part] = frames[j, part]
                            own = asked_double(frame, y, shorter)
                            for part in range(6):
                                g[j, part] = real(own[part])
                        pick(g, hands, priced_vertices, picks, t)
                    steepest = f64(0.0)
                    ray = int(EMPTY)
                    for j in range(count):
                        for part in range(12):
                            frame[part] = frames[j, part]
                        way = asked_double(frame, y, shorter)
                        first = hands.tables[j, 0]
                        if wp.static(not together):
                            best = int(first)
                            if hands.tables[j, 1] - first > 1:
                                own_way = rounded(way)
                                best = furthest_vertex(
                                    own_way, priced_vertices, hands.groups, first, hands.tables[j, 1]
                                )
                            picks[j, t] = best - first
                        total = total + wp.dot(way, hands.vertices[first + picks[j, t]])
                        if hands.tables[j, 3] > hands.tables[j, 2]:
                            steep = furthest(rounded(way), priced_rays, hands.tables[j, 2], hands.tables[j, 3])
                            rise = wp.dot(way, hands.rays[steep])
                            slope = rise / wp.length(carried_double(frame, hands.rays[steep], shorter))
                            if slope > steepest:
                                steepest = slope
                                ray = RAY + j * hands.tables[j, 4] + steep - hands.tables[j, 2]
                    if steepest > f64(climbs_at) * norm and steepest > total:
                        entering = ray
                    elif total > f64(gains_at) * wp.max(wp.abs(values_at(values, s_row)), f64(SMALL_LOAD)):
                        entering = int(POINT)
                    elif steepest > f64(climbs_at) * norm:
                        entering = ray
                    else:
                        outcome = int(HELD)
                    if step > SLOTS + pivots and outcome < 0:
                        outcome = int(UNDECIDED)
                if outcome < 0 and entering != EMPTY:
                    column[0] = f64(0.0)
                    for part in range(6):
                        column[part + 1] = f64(0.0)
                        if entering == FACTOR:
                            column[part + 1] = delta[part]
                    if entering == POINT:
                        column[0] = f64(1.0)
                    for j in range(count):
                        is_point = entering == POINT
                        if is_point or (entering >= RAY and (entering - RAY) // hands.tables[0, 4] == j):
                            for part in range(12):
                                frame[part] = frames[j, part]
                            at_row = hands.tables[j, 2] + (entering - RAY) % hands.tables[0, 4]
                            given = vec6()
                            if is_point:
                                given = hands.vertices[hands.tables[j, 0] + picks[j, t]]
                            else:
                                given = hands.rays[at_row]
                            moved = carried_double(frame, given, shorter)
                            scaled = f64(1.0)
                            if not is_point:
                                scaled = f64(1.0) / wp.length(moved)
                            for part in range(6):
                                column[part + 1] = column[part + 1] + scaled * moved[part]
                    largest = f64(0.0)
                    for a in range(7):
                        direction[a] = f64(0.0)
                        for c in range(7):
                            direction[a] = direction[a] + inverse[a, c] * column[c]
                        largest = wp.max(largest, wp.abs(direction[a]))
                    tiny = f64(NO_PIVOT) * largest
                    at = int(-1)
                    change = f64(1e300)
                    biggest = f64(0.0)
                    for a in range(7):  # artificial rows stay at 0 and leave first
                        if kind[a] == EMPTY and wp.abs(direction[a]) > wp.max(tiny, biggest):
                            biggest = wp.abs(direction[a])
                            at = a
                            change = f64(0.0)
                    limited = at >= 0 or step < SLOTS
                    for a in range(7):
                        if not limited and kind[a] != FACTOR and direction[a] > tiny:
                            ratio = values[a] / direction[a]
                            if ratio < change:
                                change = ratio
                                at = a
                    if at < 0:
                        outcome = int(UNDECIDED)  # what has no limit was found before, with its proof
                    else:
                        pivot = f64(1.0)
                        for a in range(7):
                            if a == at:
                                pivot = f64(1.0) / direction[a]
                                kind[a] = entering
                                values[a] = change
                            else:
                                values[a] = values[a] - change * direction[a]
                                if kind[a] != FACTOR:
                                    values[a] = wp.max(values[a], f64(0.0))
                        for c in range(7):
                            top = f64(0.0)
                            for a in range(7):
                                if a == at:
                                    top = inverse[a, c] * pivot
                            for a in range(7):
                                if a == at:
                                    inverse[a, c] = top
                                else:
                                    inverse[a, c] = inverse[a, c] - direction[a] * top
                        claims.kinds[row, at] = entering
                        for j in range(count):
                            claims.atoms[row, at, j] = picks[j, t]
                        if entering == FACTOR:
                            s_row = at
                step = step + 1
            if outcome == UNDECIDED:
                place = wp.atomic_add(lists.counts, lists.turn, LEFT, 1)
                lists.rows[lists.turn + LEFT, place] = row
            elif outcome == HELD:
                claims.status[row] = wp.int8(HELD)
                place = wp.atomic_add(lists.counts, lists.turn, HELD, 1)
                lists.rows[HELD, place] = row

    @wp.kernel(module="unique", module_options=OPTIONS[unrolled])
    def prove_margin(
        hands: HandArrays,
        asked_for: QuestionArrays,
        directions: wp.array(dtype=wp.float64, ndim=2),
        priced: wp.array(dtype=rvec, ndim=1),
        feasible: wp.float64,
        rounding: wp.float64,
        flat: wp.float64,
        gap: wp.float64,
        lists: Lists,
        claims: Claims,
        values: wp.array(dtype=wp.float64, ndim=1),
        bounds: wp.array(dtype=wp.float64, ndim=1),
        by_pose: wp.array(dtype=wp.float64, ndim=3),
    ):
        """Prove a margin: weights and multipliers from the atoms alone, the bound over all vertices and rays."""
        place = wp.tid()
        if place >= lists.counts[lists.turn, HELD]:
            return
        row = lists.rows[HELD, place]
        i = row // asked_for.per_posture
        centre = asked_for.centres[i]
        per = wp.max(unit_for(asked_for.loads, row, centre, hands.unit), unit_for(directions, row, centre, hands.unit))
        b = -about(asked_for.loads, row, centre, per)
        delta = about(directions, row, centre, per)
        speed = wp.length(delta)
        delta = delta / speed
        kinds = ivec7()
        for a in range(7):
            kinds[a] = claims.kinds[row, a]
        columns, scales = atom_columns(hands, asked_for, claims, row, kinds, centre, delta)
        inverse, places = basis_inverse(columns, kinds)
        right = vec7(f64(1.0), b[0], b[1], b[2], b[3], b[4], b[5])
        lam = solved_weights(columns, inverse, places, kinds, right)
        s = f64(0.0)
        y = vec6()
        for n in range(7):
            if kinds[n] == FACTOR:
                s = lam[n]
                for a in range(7):
                    if a == places[n]:
                        for part in range(6):
                            y[part] = -inverse[a, part + 1]
        y = y / (-wp.dot(y, delta))
        found = supports(asked_for.poses, i, y, hands, priced, centre)
        size = found[1]
        for part in range(6):
            size = size + wp.abs(y[part] * b[part])
        bound = found[0] - wp.dot(y, b) + rounding * size
        scale = wp.max(wp.length(b), wp.abs(s))
        rest = rest_of(columns, lam, right)
        world_y = at_origin(y, centre)
        if rest > feasible * scale or by_pose.shape[0] > 0:
            yf = vec3(world_y[0], world_y[1], world_y[2])
            yt = vec3(world_y[3], world_y[4], world_y[5])
            for j in range(asked_for.poses.shape[1]):
                pose = asked_for.poses[i, j]
                given = hand_wrench(j, row, hands, claims, kinds, lam, scales)
                scale = wp.max(scale, wp.length(carried(pose, given, centre)))
                if by_pose.shape[0] > 0:
                    force = turned(pose, vec3(given[0], given[1], given[2]))
                    torque = turned(pose, vec3(given[3], given[4], given[5]))
                    shift = wp.cross(force, yt)
                    turn = wp.cross(force, yf + wp.cross(yt, palm(pose))) + wp.cross(torque, yt)
                    for part in range(3):
                        by_pose[row, j, part] = shift[part] / speed
                        by_pose[row, j, 3 + part] = turn[part] / speed
        closed = bound - s <= gap * wp.max(wp.abs(s), f64(SMALL_LOAD) * scale)
        if rest <= feasible * scale and found[2] <= flat * wp.length(y) and closed:
            values[row] = s / speed
            bounds[row] = wp.max(bound, s) / speed
            for part in range(6):
                claims.multipliers[row, part] = world_y[part] / (per * speed)
            for a in range(7):
                claims.weights[row, a] = lam[a]
                if kinds[a] >= RAY:
                    claims.weights[row, a] = lam[a] * scales[a] * per
        else:
            withdraw(lists, claims, row)

    return search, climb, prove_apart, prove_margin


@wp.kernel(enable_backward=False)
def join(
    status: wp.array(dtype=wp.int8, ndim=1),
    multipliers: wp.array(dtype=wp.float64, ndim=2),
    outer_status: wp.array(dtype=wp.int8, ndim=1),
    outer_multipliers: wp.array(dtype=wp.float64, ndim=2),
):
    """The verdict of inner and outer sets together, in the arrays of the inner ones."""
    i = wp.tid()
    inner = int(status[i])
    outer = int(outer_status[i])
    if inner != HELD and inner != INVALID:
        for part in range(6):
            multipliers[i, part] = f64(0.0)
        if outer == APART:
            status[i] = wp.int8(APART)
            for part in range(6):
                multipliers[i, part] = outer_multipliers[i, part]
        elif outer == HELD and inner == APART:
            status[i] = wp.int8(BETWEEN)
        else:
            status[i] = wp.int8(UNDECIDED)


@wp.kernel(enable_backward=False)
def copy_unlimited(
    growth: wp.array(dtype=wp.int8, ndim=1),
    start: wp.array(dtype=wp.int8, ndim=1),
    per_posture: int,
    status: wp.array(dtype=wp.int8, ndim=1),
    values: wp.array(dtype=wp.float64, ndim=1),
    bounds: wp.array(dtype=wp.float64, ndim=1),
):
    """There is no limit where the load is held, and the direction by the hands' rays alone."""
    row = wp.tid()
    if int(growth[row]) == HELD and int(start[row // per_posture]) == HELD:
        status[row] = wp.int8(UNLIMITED)
        values[row] = f64(wp.inf)
        bounds[row] = f64(wp.inf)


@wp.kernel(enable_backward=False)
def weigh(
    poses: wp.array(dtype=wp.mat44d, ndim=2),
    weight: vec3,
    first: vec3,
    second: vec3,
    centres: wp.array(dtype=wp.float64, ndim=2),
    loads: wp.array(dtype=wp.float64, ndim=2),
    lines: wp.array(dtype=wp.float64, ndim=3),
):
    """Weights at the mean of the palms, and what shifts of the centre of mass along two axes add to them."""
    i = wp.tid()
    c = middle(poses, i)
    torque = wp.cross(c, weight)
    along = wp.cross(first, weight)
    across = wp.cross(second, weight)
    for part in range(3):
        centres[i, part] = c[part]
        loads[i, part] = weight[part]
        loads[i, 3 + part] = torque[part]
        lines[i, 0, 3 + part] = along[part]
        lines[i, 1, 3 + part] = across[part]


@wp.kernel(enable_backward=False)
def shift(
    weight: vec3,
    first: vec3,
    second: vec3,
    kinds: wp.array(dtype=wp.int32, ndim=2),
    weights: wp.array(dtype=wp.float64, ndim=2),
    centres: wp.array(dtype=wp.float64, ndim=2),
):
    """Centres of mass moved by the free directions that a search used."""
    i = wp.tid()
    for a in range(7):
        kind = kinds[i, a]
        axis = vec3()
        if kind == -1 or kind == -2:
            axis = first
        elif kind == -3 or kind == -4:
            axis = second
        for part in range(3):
            centres[i, part] = centres[i, part] + weights[i, a] * axis[part]


@wp.kernel(enable_backward=False)
def fan(
    weight: vec3,
    first: vec3,
    second: vec3,
    count: int,
    centres: wp.array(dtype=wp.float64, ndim=2),
    loads: wp.array(dtype=wp.float64, ndim=2),
    ways: wp.array(dtype=wp.float64, ndim=2),
):
    """For each centre of mass, the weight there and what a shift in each of `count` directions adds to it."""
    row = wp.tid()
    i = row // count
    angle = f64(2.0) * f64(wp.pi) * f64(row % count) / f64(count)
    axis = wp.cos(angle) * first + wp.sin(angle) * second
    torque = wp.cross(vec3(centres[i, 0], centres[i, 1], centres[i, 2]), weight)
    way = wp.cross(axis, weight)
    for part in range(3):
        loads[row, part] = weight[part]
        loads[row, 3 + part] = torque[part]
        ways[row, 3 + part] = way[part]


@wp.kernel(enable_backward=False)
def outline(
    first: vec3,
    second: vec3,
    weight: vec3,
    count: int,
    centres: wp.array(dtype=wp.float64, ndim=2),
    start: wp.array(dtype=wp.int8, ndim=1),
    status: wp.array(dtype=wp.int8, ndim=1),
    values: wp.array(dtype=wp.float64, ndim=1),
    bounds: wp.array(dtype=wp.float64, ndim=1),
    multipliers: wp.array(dtype=wp.float64, ndim=2),
    kind: wp.array(dtype=wp.int8, ndim=1),
    points: wp.array(dtype=wp.float64, ndim=3),
    normals: wp.array(dtype=wp.float64, ndim=3),
    offsets: wp.array(dtype=wp.float64, ndim=2),
    areas: wp.array(dtype=wp.float64, ndim=1),
    middles: wp.array(dtype=wp.float64, ndim=2),
):
    """Corners on the border, half-planes through them, the area, and the centroid as the next centre of mass."""
    i = wp.tid()
    c = vec3(centres[i, 0], centres[i, 1], centres[i, 2])
    x = wp.dot(c, first)
    y = wp.dot(c, second)
    found = int(start[i])
    for n in range(count):
        row = i * count + n
        code = int(status[row])
        if found == HELD or found == UNLIMITED:
            if code == UNLIMITED:
                found = int(UNLIMITED)
            elif code != HELD:
                found = int(UNDECIDED)
        angle = f64(2.0) * f64(wp.pi) * f64(n) / f64(count)
        points[i, n, 0] = x + values[row] * wp.cos(angle)
        points[i, n, 1] = y + values[row] * wp.sin(angle)
        turn = vec3(multipliers[row, 3], multipliers[row, 4], multipliers[row, 5])
        normal = -wp.cross(weight, turn)
        across = vec3(wp.dot(normal, first), wp.dot(normal, second), f64(0.0))
        size = wp.length(across)
        if size > f64(0.0):
            across = across / size
        normals[i, n, 0] = across[0]
        normals[i, n, 1] = across[1]
        reached = bounds[row]
        offsets[i, n] = across[0] * (x + reached * wp.cos(angle)) + across[1] * (y + reached * wp.sin(angle))
    area = f64(0.0)
    mx = f64(0.0)
    my = f64(0.0)
    for n in range(count):
        nxt = (n + 1) % count
        px = points[i, n, 0] - x
        py = points[i, n, 1] - y
        qx = points[i, nxt, 0] - x
        qy = points[i, nxt, 1] - y
        part = f64(0.5) * (px * qy - qx * py)
        area = area + part
        mx = mx + part * (px + qx) / f64(3.0)
        my = my + part * (py + qy) / f64(3.0)
    kind[i] = wp.int8(found)
    areas[i] = area
    if found == HELD and area > f64(0.0):
        step = (mx / area) * first + (my / area) * second
        c = c + step
    for part3 in range(3):
        middles[i, part3] = c[part3]


@wp.kernel(enable_backward=False)
def keep_apart(first: wp.array(dtype=wp.int8, ndim=1), second: wp.array(dtype=wp.int8, ndim=1)):
    """What the first search showed to be apart, or bad input, stays so."""
    i = wp.tid()
    if int(first[i]) == APART or int(first[i]) == INVALID:
        second[i] = first[i]
