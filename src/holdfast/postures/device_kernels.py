"""Warp kernels for many postures at once: one thread per posture, the same source for GPUs and the CPU.

The question: is b = -w in the Minkowski sum of the hands' sets? Wrenches are scaled: torques are taken about the mean
of the palms and divided by a length, all parts by the unit of the tables. A thread keeps at most seven atoms. An atom
is a sum of one vertex per hand (a point, e = 1), or one ray of one hand, or a free direction (e = 0). Lifted vectors
(e, q) of the atoms are linearly independent, so that seven are enough.

`search` is Wolfe's method for the point x of least norm in the sum minus b. With y = -x / |x| each hand is asked for
the vertex and the ray furthest along T_j^T y; the atom that they make joins the others, and x is the least point of all
of them: with weights u / (e . u), (e e^T + Q Q^T) u = e. Where x vanishes the load is held. Where no atom reaches
beyond 0 along y the load is not held, and y separates. Vertices are priced in the precision of the tables (single in
the first run), everything else in double precision. What `search` claims is proven by `prove` alone, which does not
use its numbers: weights are solved anew, supports are taken over all vertices and rays in double precision.

`climb` is a primal simplex method from the atoms of a held load: the largest s with w + s d held. `prove_margin` solves
weights and multipliers anew, bounds s from above by supports over all vertices and rays, and has the derivatives.

Warp reads annotations when a kernel is made, so that this module has no postponed annotations.
"""

from functools import cache

import warp as wp

#: Atoms of a posture: one more than a wrench has parts.
SLOTS = 7

# Outcomes of a posture.
UNDECIDED, HELD, APART, UNLIMITED, INVALID, BETWEEN = 0, 1, 2, 3, 4, 5

# Kinds of atoms: none, a point, a free direction (negative: -1 - 2 line, less one when it is taken backwards), the
# variable s of a margin; rays are counted from RAY on: RAY + hand * rays + ray.
EMPTY, POINT, FACTOR, RAY = 0, 1, 2, 3

#: A rotation may differ from an orthonormal one by this (as `tolerances.ORTHONORMAL`).
RIGID = 1e-6

#: An active pivot of e e^T + Q Q^T below this share of its diagonal entry: the atoms depend on each other.
DEPENDENT = 1e-14

#: Weights below this share of the largest leave.
NO_WEIGHT = 1e-15

#: |x| below this share of (|b| + SMALL_LOAD): the load is held.
NO_REST = 1e-13

#: Rounding of x, as a share of the load and the atoms.
NO_GAIN = 4e-15

#: Loads below this share of the unit of the tables count as that large.
SMALL_LOAD = 1e-4

#: Pivots of the simplex method below this share of the column do not count.
NO_PIVOT = 1e-9

f32 = wp.float32
f64 = wp.float64
vec3 = wp.types.vector(length=3, dtype=wp.float64)
vec6 = wp.types.vector(length=6, dtype=wp.float64)
vec7 = wp.types.vector(length=7, dtype=wp.float64)
ivec7 = wp.types.vector(length=7, dtype=wp.int32)
mat76 = wp.types.matrix(shape=(7, 6), dtype=wp.float64)
mat77 = wp.types.matrix(shape=(7, 7), dtype=wp.float64)

#: No derivatives by Warp. Loops over the parts of an atom are unrolled for GPUs, where registers count, and kept for
#: the CPU, whose compiler takes a minute otherwise.
OPTIONS = {
    True: {"enable_backward": False, "max_unroll": 8},
    False: {"enable_backward": False, "max_unroll": 0},
}


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
def asked(poses: wp.array(dtype=wp.mat44d, ndim=2), i: int, j: int, y: vec6, c: vec3, length: wp.float64) -> vec6:
    """T_j^T y in the palm frame, for wrenches with torques about c and divided by the length."""
    pose = poses[i, j]
    force = vec3(y[0], y[1], y[2])
    torque = vec3(y[3], y[4], y[5]) / length
    g = turned_back(pose, force + wp.cross(torque, palm(pose) - c))
    t = turned_back(pose, torque)
    return vec6(g[0], g[1], g[2], t[0], t[1], t[2])


@wp.func
def carried_wrench(
    poses: wp.array(dtype=wp.mat44d, ndim=2), i: int, j: int, w: vec6, c: vec3, length: wp.float64
) -> vec6:
    """T_j w, torques about c and divided by the length."""
    pose = poses[i, j]
    force = turned(pose, vec3(w[0], w[1], w[2]))
    torque = turned(pose, vec3(w[3], w[4], w[5]))
    torque = (torque + wp.cross(palm(pose) - c, force)) / length
    return vec6(force[0], force[1], force[2], torque[0], torque[1], torque[2])


@wp.func
def carried(
    poses: wp.array(dtype=wp.mat44d, ndim=2),
    i: int,
    j: int,
    rows: wp.array(dtype=vec6, ndim=1),
    at: int,
    c: vec3,
    length: wp.float64,
) -> vec6:
    """T_j v of a row of a table, torques about c and divided by the length."""
    return carried_wrench(poses, i, j, rows[at], c, length)


@wp.func
def about(wrenches: wp.array(dtype=wp.float64, ndim=2), i: int, c: vec3, length: wp.float64, unit: wp.float64) -> vec6:
    """A world wrench about the origin, with its torque about c and divided by the length, in the unit of the tables."""
    force = vec3(wrenches[i, 0], wrenches[i, 1], wrenches[i, 2])
    torque = (vec3(wrenches[i, 3], wrenches[i, 4], wrenches[i, 5]) - wp.cross(c, force)) / length
    return vec6(force[0], force[1], force[2], torque[0], torque[1], torque[2]) / unit


@wp.func
def unit_for(
    wrenches: wp.array(dtype=wp.float64, ndim=2), i: int, c: vec3, length: wp.float64, unit: wp.float64
) -> wp.float64:
    """The unit of force [N]: that of the tables, or the size of the wrench itself where hands are cones alone."""
    if unit > f64(0.0):
        return unit
    return wp.length(about(wrenches, i, c, length, f64(1.0)))


@wp.func
def is_valid(
    poses: wp.array(dtype=wp.mat44d, ndim=2), loads: wp.array(dtype=wp.float64, ndim=2), i: int, row: int
) -> bool:
    """Whether poses are rigid and loads finite."""
    for a in range(6):
        if not wp.isfinite(loads[row, a]):
            return False
    for j in range(poses.shape[1]):
        pose = poses[i, j]
        x = vec3(pose[0, 0], pose[1, 0], pose[2, 0])
        y = vec3(pose[0, 1], pose[1, 1], pose[2, 1])
        z = vec3(pose[0, 2], pose[1, 2], pose[2, 2])
        off = wp.max(wp.abs(wp.dot(x, y)), wp.max(wp.abs(wp.dot(x, z)), wp.abs(wp.dot(y, z))))
        off = wp.max(off, wp.abs(wp.dot(x, x) - f64(1.0)))
        off = wp.max(off, wp.abs(wp.dot(y, y) - f64(1.0)))
        off = wp.max(off, wp.abs(wp.dot(wp.cross(x, y), z) - f64(1.0)))
        p = palm(poses[i, j])
        if not (off <= f64(RIGID)) or not wp.isfinite(p[0] + p[1] + p[2]):
            return False
    return True


@wp.func
def factored(q: mat76, e: vec7, active: ivec7) -> mat77:
    """L of e e^T + Q Q^T = L D L^T over the active atoms below its diagonal, and the reciprocals of D on it."""
    g = mat77()
    d = vec7()
    for a in range(7):
        for b in range(7):
            if b <= a:
                entry = f64(0.0)
                if active[a] == 1 and active[b] == 1:
                    entry = e[a] * e[b]
                    for part in range(6):
                        entry = entry + q[a, part] * q[b, part]
                elif a == b:
                    entry = f64(1.0)
                diagonal = entry
                for s in range(7):
                    if s < b:
                        entry = entry - g[a, s] * g[b, s] * d[s]
                if b < a:
                    g[a, b] = entry * g[b, b]
                else:
                    d[a] = wp.max(entry, f64(DEPENDENT) * diagonal)
                    g[a, a] = f64(1.0) / d[a]
    return g


@wp.func
def substituted(factor: mat77, right: vec7) -> vec7:
    """u of L D L^T u = right."""
    u = right
    for a in range(7):
        for b in range(7):
            if b < a:
                u[a] = u[a] - factor[a, b] * u[b]
    for a in range(7):
        u[a] = u[a] * factor[a, a]
    for back in range(7):
        a = 6 - back
        for b in range(7):
            if b > a:
                u[a] = u[a] - factor[b, a] * u[b]
    return u


@wp.func
def least_point(q: mat76, e: vec7, active: ivec7, refined: bool) -> vec7:
    """Weights of the affine combination of the active atoms that is nearest to 0: (e e^T + Q Q^T) u = e, scaled.

    Refined: the equations are solved once more for what rounding has left, by x = Q^T u without the product Q Q^T.
    """
    factor = factored(q, e, active)
    right = vec7()
    for a in range(7):
        if active[a] == 1:
            right[a] = e[a]
    u = substituted(factor, right)
    if refined:
        sum_first = f64(0.0)
        x = vec6()
        for a in range(7):
            if active[a] == 1:
                sum_first = sum_first + e[a] * u[a]
                for part in range(6):
                    x[part] = x[part] + u[a] * q[a, part]
        for a in range(7):
            if active[a] == 1:
                rest = e[a] * (f64(1.0) - sum_first)
                for part in range(6):
                    rest = rest - q[a, part] * x[part]
                right[a] = rest
        u = u + substituted(factor, right)
    total = f64(0.0)
    for a in range(7):
        if active[a] == 1:
            total = total + e[a] * u[a]
        else:
            u[a] = f64(0.0)
    return u / total


@wp.func
def combined(q: mat76, weights: vec7) -> vec6:
    """sum_a weights_a q_a."""
    x = vec6()
    for a in range(7):
        for part in range(6):
            x[part] = x[part] + weights[a] * q[a, part]
    return x


@wp.func
def line(lines: wp.array(dtype=wp.float64, ndim=3), i: int, n: int, c: vec3, length: wp.float64) -> vec6:
    """A free direction of the load, torque about c and divided by the length."""
    force = vec3(lines[i, n, 0], lines[i, n, 1], lines[i, n, 2])
    torque = (vec3(lines[i, n, 3], lines[i, n, 4], lines[i, n, 5]) - wp.cross(c, force)) / length
    return vec6(force[0], force[1], force[2], torque[0], torque[1], torque[2])


@wp.func
def line_size(lines: wp.array(dtype=wp.float64, ndim=3), i: int, n: int, c: vec3, length: wp.float64) -> wp.float64:
    """Size [N] of a free direction."""
    return wp.length(line(lines, i, n, c, length))


@wp.func
def free_direction(lines: wp.array(dtype=wp.float64, ndim=3), i: int, n: int, c: vec3, length: wp.float64) -> vec6:
    """A free direction of length 1."""
    way = line(lines, i, n, c, length)
    return way / wp.length(way)


@cache
def searches(real, unrolled, alike, registers):
    """(search, climb) whose prices are computed in `real`: wp.float32 or wp.float64.

    `alike` is the number of hands where all have the same table, so that each row is read once for all of them; else 0.
    `registers` is how many a thread may use on a GPU: fewer let more threads run, which hides the latency of reading.
    """
    options = OPTIONS[unrolled]
    refined = real is wp.float64
    together = alike > 0
    size_of = max(alike, 1)
    rvec = wp.types.vector(length=6, dtype=real)
    gmat = wp.types.matrix(shape=(size_of, 6), dtype=real)
    gvec = wp.types.vector(length=size_of, dtype=real)
    ivec = wp.types.vector(length=size_of, dtype=wp.int32)
    apart_at = 4e-6 if real is wp.float32 else 1e-13
    climbs_at = 2e-6 if real is wp.float32 else 1e-12
    gains_at = 1e-10 if real is wp.float32 else 1e-12

    @wp.func
    def furthest(g: vec6, rows: wp.array(dtype=rvec, ndim=1), first: int, last: int) -> int:
        """The row of a table that reaches furthest along g."""
        way = rvec(real(g[0]), real(g[1]), real(g[2]), real(g[3]), real(g[4]), real(g[5]))
        best = wp.dot(way, rows[first])
        at = int(first)
        for a in range(first + 1, last):
            value = wp.dot(way, rows[a])
            if value > best:
                best = value
                at = a
        return at

    @wp.func
    def furthest_of_all(
        poses: wp.array(dtype=wp.mat44d, ndim=2),
        i: int,
        y: vec6,
        c: vec3,
        length: wp.float64,
        rows: wp.array(dtype=rvec, ndim=1),
        first: int,
        last: int,
    ) -> ivec:
        """For every hand the row of the common table that reaches furthest."""
        g = gmat()
        best = gvec()
        at = ivec()
        for j in range(wp.static(size_of)):
            own = asked(poses, i, j, y, c, length)
            for part in range(6):
                g[j, part] = real(own[part])
            best[j] = real(-3.0e38)
        for a in range(first, last):
            v = rows[a]
            for j in range(wp.static(size_of)):
                value = g[j, 0] * v[0] + g[j, 1] * v[1] + g[j, 2] * v[2]
                value = value + (g[j, 3] * v[3] + g[j, 4] * v[4] + g[j, 5] * v[5])
                if value > best[j]:
                    best[j] = value
                    at[j] = a
        return at

    @wp.kernel(module="unique", module_options=options, cuda_max_registers=registers)
    def search(
        poses: wp.array(dtype=wp.mat44d, ndim=2),
        loads: wp.array(dtype=wp.float64, ndim=2),
        lines: wp.array(dtype=wp.float64, ndim=3),
        vertices: wp.array(dtype=vec6, ndim=1),
        rays: wp.array(dtype=vec6, ndim=1),
        priced_vertices: wp.array(dtype=rvec, ndim=1),
        priced_rays: wp.array(dtype=rvec, ndim=1),
        tables: wp.array(dtype=wp.int32, ndim=2),
        unit: wp.float64,
        least: wp.float64,
        evaluations: int,
        per_posture: int,
        counter: wp.array(dtype=wp.int32, ndim=1),
        status: wp.array(dtype=wp.int8, ndim=1),
        multipliers: wp.array(dtype=wp.float64, ndim=2),
        kinds: wp.array(dtype=wp.int32, ndim=2),
        chosen: wp.array(dtype=wp.int32, ndim=3),
        weights: wp.array(dtype=wp.float64, ndim=2),
    ):
        """Each thread takes the next question of undecided status until none is left."""
        hands = poses.shape[1]
        row = int(wp.atomic_add(counter, 0, 1))
        fresh = bool(True)
        i = int(0)
        c = vec3()
        length = f64(1.0)
        b = vec6()
        y = vec6()
        x = vec6()
        q = mat76()
        e = vec7()
        lam = vec7()
        active = ivec7()
        size = f64(1.0)
        done = int(0)
        outcome = int(0)
        while row < loads.shape[0]:
            outcome = int(-1)
            if fresh:
                i = row // per_posture
                done = int(0)
                active = ivec7()
                lam = vec7()
                if int(status[row]) != UNDECIDED:
                    outcome = int(status[row])
                elif not is_valid(poses, loads, i, row):
                    outcome = int(INVALID)
                else:
                    c = middle(poses, i)
                    length = reach(poses, i, c, least)
                    scale = unit_for(loads, row, c, length, unit)
                    if scale == f64(0.0):
                        scale = f64(1.0)
                    b = -about(loads, row, c, length, scale)
                    size = wp.length(b) + f64(SMALL_LOAD)
                    y = b / size
            if outcome < 0:
                # the furthest vertex of every hand, and the steepest ray
                p = -b
                steepest = f64(0.0)
                kind = int(EMPTY)
                ray = vec6()
                both = ivec()
                if together:
                    both = furthest_of_all(poses, i, y, c, length, priced_vertices, tables[0, 0], tables[0, 1])
                for j in range(hands):
                    g = asked(poses, i, j, y, c, length)
                    at = int(tables[j, 0])
                    if together:
                        at = both[j]
                    elif tables[j, 1] - at > 1:
                        at = furthest(g, priced_vertices, at, tables[j, 1])
                    chosen[row, SLOTS, j] = at - tables[j, 0]
                    p = p + carried(poses, i, j, vertices, at, c, length)
                    if tables[j, 3] > tables[j, 2]:
                        best = furthest(g, priced_rays, tables[j, 2], tables[j, 3])
                        way = carried(poses, i, j, rays, best, c, length)
                        way = way / wp.length(way)
                        slope = wp.dot(y, way)
                        if slope > steepest:
                            steepest = slope
                            kind = RAY + j * tables[j, 4] + best - tables[j, 2]
                            ray = way
                for n in range(lines.shape[1]):
                    way = free_direction(lines, row, n, c, length)
                    slope = wp.dot(y, way)
                    if wp.abs(slope) > steepest:
                        steepest = wp.abs(slope)
                        kind = -1 - 2 * n
                        ray = way
                        if slope < f64(0.0):
                            kind = kind - 1
                            ray = -way
                height = wp.dot(y, p)
                rest = wp.length(x)
                if fresh:
                    rest = f64(1e30)
                done = done + 1
                gain = height + rest
                far = wp.length(p - x)
                blur = f64(NO_GAIN) * (size + wp.length(p)) / rest  # what rounding of x makes of a unit vector along it
                use_ray = kind != EMPTY and steepest > wp.max(f64(climbs_at), blur)
                if not use_ray and height < -f64(apart_at):
                    outcome = int(APART)
                elif not use_ray and not fresh and gain <= blur * (size + wp.length(p)):
                    outcome = int(UNDECIDED)
                    if height < f64(0.0):
                        outcome = int(APART)
                elif done > evaluations:
                    outcome = int(UNDECIDED)
                else:
                    if use_ray and not fresh and far > f64(0.0) and gain / far > steepest:
                        use_ray = False
                    if fresh:
                        use_ray = False
                    slot = int(-1)
                    for a in range(7):
                        if active[a] == 0 and slot < 0:
                            slot = a
                    if slot < 0:
                        outcome = int(HELD)  # seven independent atoms around 0
                    else:
                        for a in range(7):
                            if a == slot:
                                active[a] = 1
                                lam[a] = f64(0.0)
                                if use_ray:
                                    e[a] = f64(0.0)
                                    kinds[row, a] = kind
                                    for part in range(6):
                                        q[a, part] = ray[part]
                                else:
                                    e[a] = f64(1.0)
                                    kinds[row, a] = POINT
                                    for part in range(6):
                                        q[a, part] = p[part]
                                    for j in range(hands):
                                        chosen[row, a, j] = chosen[row, SLOTS, j]
                                    if fresh:
                                        lam[a] = f64(1.0)
                        # Wolfe's minor cycles: towards the least point, atoms of weight 0 leave
                        turns = int(0)
                        while turns < 8:
                            turns = turns + 1
                            u = least_point(q, e, active, refined)
                            theta = f64(1.0)
                            leaving = int(-1)
                            for a in range(7):
                                if active[a] == 1 and u[a] <= f64(NO_WEIGHT):
                                    share = f64(0.0)
                                    if lam[a] > u[a]:
                                        share = lam[a] / (lam[a] - u[a])
                                    if share < theta or leaving < 0:
                                        theta = wp.min(share, f64(1.0))
                                        leaving = a
                            lam = lam + theta * (u - lam)
                            if leaving < 0:
                                lam = u
                                turns = int(100)
                            else:
                                for a in range(7):
                                    if a == leaving:
                                        active[a] = 0
                                        lam[a] = f64(0.0)
                                    if lam[a] < f64(0.0):
                                        lam[a] = f64(0.0)
                        for a in range(7):
                            if active[a] == 0:
                                lam[a] = f64(0.0)
                        before = rest
                        x = combined(q, lam)
                        rest = wp.length(x)
                        count = int(0)
                        for a in range(7):
                            count = count + active[a]
                        if rest <= f64(NO_REST) * size or count == 7:
                            outcome = int(HELD)
                        elif not (rest < before):
                            outcome = int(UNDECIDED)
                        else:
                            y = -x / rest
                        fresh = False
            if outcome >= 0:
                if int(status[row]) == UNDECIDED:
                    status[row] = wp.int8(outcome)
                    for a in range(7):
                        weights[row, a] = lam[a]
                        if active[a] == 0:
                            kinds[row, a] = EMPTY
                    for part in range(6):
                        multipliers[row, part] = y[part]
                row = int(wp.atomic_add(counter, 0, 1))
                fresh = True
                x = vec6()

    @wp.kernel(module="unique", module_options=options, cuda_max_registers=registers)
    def climb(
        poses: wp.array(dtype=wp.mat44d, ndim=2),
        loads: wp.array(dtype=wp.float64, ndim=2),
        directions: wp.array(dtype=wp.float64, ndim=2),
        vertices: wp.array(dtype=vec6, ndim=1),
        rays: wp.array(dtype=vec6, ndim=1),
        priced_vertices: wp.array(dtype=rvec, ndim=1),
        priced_rays: wp.array(dtype=rvec, ndim=1),
        tables: wp.array(dtype=wp.int32, ndim=2),
        unit: wp.float64,
        least: wp.float64,
        pivots: int,
        per_posture: int,
        first_status: wp.array(dtype=wp.int8, ndim=1),
        first_kinds: wp.array(dtype=wp.int32, ndim=2),
        first_chosen: wp.array(dtype=wp.int32, ndim=3),
        status: wp.array(dtype=wp.int8, ndim=1),
        kinds: wp.array(dtype=wp.int32, ndim=2),
        chosen: wp.array(dtype=wp.int32, ndim=3),
    ):
        """The largest s with load + s direction held, from atoms that hold the load: a primal simplex method."""
        row = wp.tid()
        if int(status[row]) != UNDECIDED:
            return
        i = row // per_posture
        start = int(first_status[i])
        if start != HELD:
            if start == APART or start == INVALID:
                status[row] = first_status[i]
            return
        hands = poses.shape[1]
        c = middle(poses, i)
        length = reach(poses, i, c, least)
        scale = wp.max(unit_for(loads, row, c, length, unit), unit_for(directions, row, c, length, unit))
        b = -about(loads, row, c, length, scale)
        delta = about(directions, row, c, length, scale)
        speed = wp.length(delta)
        if not (speed > f64(0.0)) or not wp.isfinite(speed):
            status[row] = wp.int8(INVALID)
            return
        delta = delta / speed
        inverse = mat77()
        kind = ivec7()
        for a in range(7):
            inverse[a, a] = f64(1.0)
            kind[a] = EMPTY
            kinds[row, a] = EMPTY
        broken = bool(False)
        for n in range(7):
            if first_kinds[i, n] == POINT or first_kinds[i, n] >= RAY:
                for j in range(hands):
                    chosen[row, SLOTS, j] = first_chosen[i, n, j]
                column = lifted(poses, i, first_kinds[i, n], chosen, row, vertices, rays, tables, c, length, delta)
                direction = multiplied(inverse, column)
                at = int(-1)
                largest = f64(0.0)
                for a in range(7):
                    if kind[a] == EMPTY and wp.abs(direction[a]) > largest:
                        largest = wp.abs(direction[a])
                        at = a
                if largest <= f64(NO_PIVOT):
                    broken = True
                else:
                    inverse = pivoted(inverse, direction, at)
                    for a in range(7):
                        if a == at:
                            kind[a] = first_kinds[i, n]
                            kinds[row, a] = first_kinds[i, n]
                    for j in range(hands):
                        chosen[row, at, j] = first_chosen[i, n, j]
        if broken:
            return
        right = vec7(f64(1.0), b[0], b[1], b[2], b[3], b[4], b[5])
        values = multiplied(inverse, right)
        for a in range(7):
            if kind[a] == EMPTY or values[a] < f64(0.0):
                values[a] = f64(0.0)
        entering = int(FACTOR)
        turn = int(0)
        outcome = int(-1)
        s_row = int(-1)
        while outcome < 0:
            column = lifted(poses, i, entering, chosen, row, vertices, rays, tables, c, length, delta)
            direction = multiplied(inverse, column)
            largest = f64(0.0)
            for a in range(7):
                largest = wp.max(largest, wp.abs(direction[a]))
            tiny = f64(NO_PIVOT) * largest
            at = int(-1)
            step = f64(1e300)
            size = f64(0.0)
            for a in range(7):  # artificial rows stay at 0 and leave first
                if kind[a] == EMPTY and wp.abs(direction[a]) > tiny and wp.abs(direction[a]) > size:
                    size = wp.abs(direction[a])
                    at = a
                    step = f64(0.0)
            bounded = at >= 0
            for a in range(7):
                if not bounded and kind[a] != FACTOR and direction[a] > tiny:
                    ratio = values[a] / direction[a]
                    if ratio < step:
                        step = ratio
                        at = a
            if at < 0:
                outcome = int(UNLIMITED)
            else:
                for a in range(7):
                    if a != at:
                        values[a] = values[a] - step * direction[a]
                        if kind[a] != FACTOR and values[a] < f64(0.0):
                            values[a] = f64(0.0)
                    else:
                        values[a] = step
                inverse = pivoted(inverse, direction, at)
                for a in range(7):
                    if a == at:
                        kind[a] = entering
                        kinds[row, a] = entering
                for j in range(hands):
                    chosen[row, at, j] = chosen[row, SLOTS, j]
                if entering == FACTOR:
                    s_row = at
                # multipliers: the row of s in the inverse; profits -pi . column
                y = vec6()
                pi = f64(0.0)
                for a in range(7):
                    if a == s_row:
                        pi = inverse[a, 0]
                        for part in range(6):
                            y[part] = -inverse[a, part + 1]
                norm = wp.length(y)
                total = -pi
                steepest = f64(0.0)
                ray_kind = int(EMPTY)
                both = ivec()
                if together:
                    both = furthest_of_all(poses, i, y, c, length, priced_vertices, tables[0, 0], tables[0, 1])
                for j in range(hands):
                    g = asked(poses, i, j, y, c, length)
                    best = int(tables[j, 0])
                    if together:
                        best = both[j]
                    elif tables[j, 1] - best > 1:
                        best = furthest(g, priced_vertices, best, tables[j, 1])
                    chosen[row, SLOTS, j] = best - tables[j, 0]
                    total = total + wp.dot(y, carried(poses, i, j, vertices, best, c, length))
                    if tables[j, 3] > tables[j, 2]:
                        best = furthest(g, priced_rays, tables[j, 2], tables[j, 3])
                        way = carried(poses, i, j, rays, best, c, length)
                        slope = wp.dot(y, way) / wp.length(way)
                        if slope > steepest:
                            steepest = slope
                            ray_kind = RAY + j * tables[j, 4] + best - tables[j, 2]
                turn = turn + 1
                if steepest > f64(climbs_at) * norm and steepest > total:
                    entering = ray_kind
                elif total > f64(gains_at) * wp.max(wp.abs(values_at(values, s_row)), f64(SMALL_LOAD)):
                    entering = int(POINT)
                elif steepest > f64(climbs_at) * norm:
                    entering = ray_kind
                else:
                    outcome = int(HELD)
                if turn > pivots and outcome < 0:
                    outcome = int(UNDECIDED)
        status[row] = wp.int8(outcome)

    return search, climb


@wp.func
def values_at(values: vec7, row: int) -> wp.float64:
    """values[row] of a row that is known at run time."""
    result = f64(0.0)
    for a in range(7):
        if a == row:
            result = values[a]
    return result


@wp.func
def multiplied(inverse: mat77, column: vec7) -> vec7:
    """inverse @ column."""
    result = vec7()
    for a in range(7):
        for b in range(7):
            result[a] = result[a] + inverse[a, b] * column[b]
    return result


@wp.func
def pivoted(inverse: mat77, direction: vec7, at: int) -> mat77:
    """The inverse of the basis whose column `at` is replaced by one with inverse @ column = direction."""
    result = mat77()
    pivot = values_at(direction, at)
    for b in range(7):
        top = f64(0.0)
        for a in range(7):
            if a == at:
                top = inverse[a, b]
        top = top / pivot
        for a in range(7):
            if a == at:
                result[a, b] = top
            else:
                result[a, b] = inverse[a, b] - direction[a] * top
    return result


@wp.func
def lifted(
    poses: wp.array(dtype=wp.mat44d, ndim=2),
    i: int,
    kind: int,
    chosen: wp.array(dtype=wp.int32, ndim=3),
    row: int,
    vertices: wp.array(dtype=vec6, ndim=1),
    rays: wp.array(dtype=vec6, ndim=1),
    tables: wp.array(dtype=wp.int32, ndim=2),
    c: vec3,
    length: wp.float64,
    delta: vec6,
) -> vec7:
    """(e, q) of an atom whose vertices are those of the last slot."""
    q = vec6()
    e = f64(0.0)
    if kind == POINT:
        e = f64(1.0)
        for j in range(poses.shape[1]):
            q = q + carried(poses, i, j, vertices, tables[j, 0] + chosen[row, SLOTS, j], c, length)
    elif kind == FACTOR:
        q = delta
    elif kind >= RAY:
        j = (kind - RAY) // tables[0, 4]
        q = carried(poses, i, j, rays, tables[j, 2] + (kind - RAY) % tables[0, 4], c, length)
        q = q / wp.length(q)
    return vec7(e, q[0], q[1], q[2], q[3], q[4], q[5])


@wp.func
def hand_wrench(
    hand: int,
    row: int,
    kinds: wp.array(dtype=wp.int32, ndim=2),
    chosen: wp.array(dtype=wp.int32, ndim=3),
    weights: vec7,
    scales: vec7,
    vertices: wp.array(dtype=vec6, ndim=1),
    rays: wp.array(dtype=vec6, ndim=1),
    tables: wp.array(dtype=wp.int32, ndim=2),
) -> vec6:
    """What a hand gives, palm frame, in the unit of the tables: its part of sum_a weights_a atom_a."""
    result = vec6()
    for a in range(7):
        kind = kinds[row, a]
        if kind == POINT:
            result = result + weights[a] * vertices[tables[hand, 0] + chosen[row, a, hand]]
        elif kind >= RAY:
            if (kind - RAY) // tables[0, 4] == hand:
                at = tables[hand, 2] + (kind - RAY) % tables[0, 4]
                result = result + (weights[a] * scales[a]) * rays[at]
    return result


@wp.func
def support(
    poses: wp.array(dtype=wp.mat44d, ndim=2),
    i: int,
    y: vec6,
    vertices: wp.array(dtype=vec6, ndim=1),
    rays: wp.array(dtype=vec6, ndim=1),
    tables: wp.array(dtype=wp.int32, ndim=2),
    largest: wp.array(dtype=wp.float64, ndim=2),
    c: vec3,
    length: wp.float64,
) -> vec3:
    """(sum of the hands' supports along y, size of its terms, steepest slope of a ray of length 1)."""
    total = f64(0.0)
    terms = f64(0.0)
    steepest = f64(0.0)
    for j in range(poses.shape[1]):
        g = asked(poses, i, j, y, c, length)
        best = f64(-1e300)
        for a in range(tables[j, 0], tables[j, 1]):
            best = wp.max(best, wp.dot(g, vertices[a]))
        total = total + best
        for part in range(6):
            terms = terms + wp.abs(g[part]) * largest[j, part]
        for a in range(tables[j, 2], tables[j, 3]):
            way = carried(poses, i, j, rays, a, c, length)
            steepest = wp.max(steepest, wp.dot(y, way) / wp.length(way))
    return vec3(total, terms, steepest)


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
def at_origin(y: vec6, c: vec3, length: wp.float64) -> vec6:
    """Multipliers of world wrenches about the origin, from those of wrenches about c and divided by the length."""
    turn = vec3(y[3], y[4], y[5]) / length
    force = vec3(y[0], y[1], y[2]) + wp.cross(c, turn)
    return vec6(force[0], force[1], force[2], turn[0], turn[1], turn[2])


@cache
def proofs(unrolled):
    """(prove, prove_margin)."""
    options = OPTIONS[unrolled]

    @wp.kernel(module="unique", module_options=options)
    def prove(
        poses: wp.array(dtype=wp.mat44d, ndim=2),
        loads: wp.array(dtype=wp.float64, ndim=2),
        lines: wp.array(dtype=wp.float64, ndim=3),
        vertices: wp.array(dtype=vec6, ndim=1),
        rays: wp.array(dtype=vec6, ndim=1),
        tables: wp.array(dtype=wp.int32, ndim=2),
        largest: wp.array(dtype=wp.float64, ndim=2),
        unit: wp.float64,
        least: wp.float64,
        feasible: wp.float64,
        rounding: wp.float64,
        flat: wp.float64,
        per_posture: int,
        proven: wp.array(dtype=wp.int8, ndim=1),
        status: wp.array(dtype=wp.int8, ndim=1),
        multipliers: wp.array(dtype=wp.float64, ndim=2),
        kinds: wp.array(dtype=wp.int32, ndim=2),
        chosen: wp.array(dtype=wp.int32, ndim=3),
        weights: wp.array(dtype=wp.float64, ndim=2),
    ):
        """Prove what `search` claims, or take it back: weights solved anew, supports over all vertices and rays."""
        row = wp.tid()
        i = row // per_posture
        claim = int(status[row])
        if int(proven[row]) == 1 or (claim != HELD and claim != APART):
            return
        c = middle(poses, i)
        length = reach(poses, i, c, least)
        scale = unit_for(loads, row, c, length, unit)
        if scale == f64(0.0):
            scale = f64(1.0)
        b = -about(loads, row, c, length, scale)
        if claim == APART:
            y = vec6()
            for part in range(6):
                y[part] = multipliers[row, part]
            y = y / wp.length(y)
            # along the rays that the search ended on y must not climb: their span is taken out of it
            base = mat76()
            count = int(0)
            for a in range(7):
                kind = kinds[row, a]
                if kind >= RAY:
                    hand = (kind - RAY) // tables[0, 4]
                    way = carried(poses, i, hand, rays, tables[hand, 2] + (kind - RAY) % tables[0, 4], c, length)
                    way = outside(base, count, way / wp.length(way))
                    size = wp.length(way)
                    if size > f64(NO_PIVOT) and count < 6:
                        way = outside(base, count, way / size)
                        way = way / wp.length(way)
                        for part in range(6):
                            base[count, part] = way[part]
                        count = count + 1
            y = outside(base, count, outside(base, count, y))
            y = y / wp.length(y)
            found = support(poses, i, y, vertices, rays, tables, largest, c, length)
            steepest = found[2]
            for n in range(lines.shape[1]):
                way = free_direction(lines, row, n, c, length)
                steepest = wp.max(steepest, wp.abs(wp.dot(y, way)))
            terms = found[1]
            for part in range(6):
                terms = terms + wp.abs(y[part] * b[part])
            if wp.dot(y, b) - found[0] > rounding * terms and steepest <= flat:
                world = at_origin(y, c, length)
                for part in range(6):
                    multipliers[row, part] = world[part]
                proven[row] = wp.int8(1)
            else:
                status[row] = wp.int8(UNDECIDED)
            return
        columns = mat77()
        inverse = mat77()
        placed = ivec7()
        where = ivec7()
        scales = vec7()
        broken = bool(False)
        for a in range(7):
            inverse[a, a] = f64(1.0)
        for n in range(7):
            kind = kinds[row, n]
            atom = vec6()
            lift = f64(0.0)
            scaling = f64(1.0)
            if kind == POINT:
                lift = f64(1.0)
                for j in range(poses.shape[1]):
                    atom = atom + carried(poses, i, j, vertices, tables[j, 0] + chosen[row, n, j], c, length)
            elif kind >= RAY:
                hand = (kind - RAY) // tables[0, 4]
                atom = carried(poses, i, hand, rays, tables[hand, 2] + (kind - RAY) % tables[0, 4], c, length)
                scaling = f64(1.0) / wp.length(atom)
                atom = atom * scaling
            elif kind < 0:
                atom = free_direction(lines, row, (-1 - kind) // 2, c, length)
                if (-1 - kind) % 2 == 1:
                    atom = -atom
            column = vec7(lift, atom[0], atom[1], atom[2], atom[3], atom[4], atom[5])
            if kind != EMPTY:
                direction = multiplied(inverse, column)
                at = int(-1)
                biggest = f64(0.0)
                for a in range(7):
                    if placed[a] == 0 and wp.abs(direction[a]) > biggest:
                        biggest = wp.abs(direction[a])
                        at = a
                if at < 0:
                    broken = True
                else:
                    inverse = pivoted(inverse, direction, at)
                    for a in range(7):
                        if a == at:
                            placed[a] = 1
                        if a == n:
                            where[a] = at
                            scales[a] = scaling
                        for r in range(7):
                            if a == n:
                                columns[r, a] = column[r]
        right = vec7(f64(1.0), b[0], b[1], b[2], b[3], b[4], b[5])
        lam = vec7()
        for _turn in range(3):  # solved, then twice for what rounding has left
            solved = multiplied(inverse, right - multiplied(columns, lam))
            for a in range(7):
                if kinds[row, a] != EMPTY:
                    lam[a] = lam[a] + values_at(solved, where[a])
        total = f64(0.0)
        for a in range(7):
            lam[a] = wp.max(lam[a], f64(0.0))
            if kinds[row, a] == POINT:
                total = total + lam[a]
        if broken or not (total > f64(0.0)):
            status[row] = wp.int8(UNDECIDED)
            return
        for a in range(7):
            if kinds[row, a] == POINT:
                lam[a] = lam[a] / total
        rest = -b
        size = wp.length(b)
        for j in range(poses.shape[1]):
            given = hand_wrench(j, row, kinds, chosen, lam, scales, vertices, rays, tables)
            world = carried_wrench(poses, i, j, given, c, length)
            size = wp.max(size, wp.length(world))
            rest = rest + world
        for a in range(7):
            kind = kinds[row, a]
            weights[row, a] = lam[a]
            if kind < 0:
                for part in range(6):
                    rest[part] = rest[part] + lam[a] * columns[part + 1, a]
                sign = f64(1.0)
                if (-1 - kind) % 2 == 1:
                    sign = -sign
                weights[row, a] = sign * lam[a] * scale / line_size(lines, row, (-1 - kind) // 2, c, length)
            if kind >= RAY:
                weights[row, a] = lam[a] * scales[a] * scale
        if wp.length(rest) <= feasible * size and size > f64(0.0):
            proven[row] = wp.int8(1)
            for part in range(6):
                multipliers[row, part] = f64(0.0)
        else:
            status[row] = wp.int8(UNDECIDED)

    @wp.kernel(module="unique", module_options=options)
    def prove_margin(
        poses: wp.array(dtype=wp.mat44d, ndim=2),
        loads: wp.array(dtype=wp.float64, ndim=2),
        directions: wp.array(dtype=wp.float64, ndim=2),
        vertices: wp.array(dtype=vec6, ndim=1),
        rays: wp.array(dtype=vec6, ndim=1),
        tables: wp.array(dtype=wp.int32, ndim=2),
        largest: wp.array(dtype=wp.float64, ndim=2),
        unit: wp.float64,
        least: wp.float64,
        feasible: wp.float64,
        rounding: wp.float64,
        flat: wp.float64,
        gap: wp.float64,
        per_posture: int,
        proven: wp.array(dtype=wp.int8, ndim=1),
        status: wp.array(dtype=wp.int8, ndim=1),
        values: wp.array(dtype=wp.float64, ndim=1),
        bounds: wp.array(dtype=wp.float64, ndim=1),
        multipliers: wp.array(dtype=wp.float64, ndim=2),
        kinds: wp.array(dtype=wp.int32, ndim=2),
        chosen: wp.array(dtype=wp.int32, ndim=3),
        weights: wp.array(dtype=wp.float64, ndim=2),
        by_pose: wp.array(dtype=wp.float64, ndim=3),
    ):
        """Prove a margin: weights and multipliers from the atoms alone, the bound over all vertices and rays."""
        row = wp.tid()
        if int(proven[row]) == 1 or int(status[row]) != HELD:
            return
        i = row // per_posture
        hands = poses.shape[1]
        c = middle(poses, i)
        length = reach(poses, i, c, least)
        per = wp.max(unit_for(loads, row, c, length, unit), unit_for(directions, row, c, length, unit))
        b = -about(loads, row, c, length, per)
        delta = about(directions, row, c, length, per)
        speed = wp.length(delta)
        delta = delta / speed
        inverse = mat77()
        placed = ivec7()
        where = ivec7()
        scales = vec7()
        for a in range(7):
            inverse[a, a] = f64(1.0)
            where[a] = -1
        s_row = int(-1)
        broken = bool(False)
        for n in range(7):
            kind = kinds[row, n]
            if kind != EMPTY:
                for j in range(hands):
                    chosen[row, SLOTS, j] = chosen[row, n, j]
                column = lifted(poses, i, kind, chosen, row, vertices, rays, tables, c, length, delta)
                if kind >= RAY:
                    hand = (kind - RAY) // tables[0, 4]
                    way = carried(poses, i, hand, rays, tables[hand, 2] + (kind - RAY) % tables[0, 4], c, length)
                    for a in range(7):
                        if a == n:
                            scales[a] = f64(1.0) / wp.length(way)
                moved = multiplied(inverse, column)
                at = int(-1)
                biggest = f64(0.0)
                for a in range(7):
                    if placed[a] == 0 and wp.abs(moved[a]) > biggest:
                        biggest = wp.abs(moved[a])
                        at = a
                if at < 0 or biggest < f64(1e-13):
                    broken = True
                else:
                    inverse = pivoted(inverse, moved, at)
                    for a in range(7):
                        if a == at:
                            placed[a] = 1
                        if a == n:
                            where[a] = at
                    if kind == FACTOR:
                        s_row = at
        if broken or s_row < 0:
            status[row] = wp.int8(UNDECIDED)
            return
        right = vec7(f64(1.0), b[0], b[1], b[2], b[3], b[4], b[5])
        solved = multiplied(inverse, right)
        s = values_at(solved, s_row)
        lam = vec7()
        total = f64(0.0)
        for n in range(7):
            kind = kinds[row, n]
            if kind != EMPTY and kind != FACTOR:
                value = f64(0.0)
                for a in range(7):
                    if a == n:
                        value = wp.max(values_at(solved, where[a]), f64(0.0))
                        lam[a] = value
                if kind == POINT:
                    total = total + value
        for n in range(7):
            if kinds[row, n] == POINT:
                for a in range(7):
                    if a == n:
                        lam[a] = lam[a] / total
        y = vec6()
        for a in range(7):
            if a == s_row:
                for part in range(6):
                    y[part] = -inverse[a, part + 1]
        y = y / (-wp.dot(y, delta))
        found = support(poses, i, y, vertices, rays, tables, largest, c, length)
        size = found[1]
        for part in range(6):
            size = size + wp.abs(y[part] * b[part])
        bound = found[0] - wp.dot(y, b) + rounding * size
        rest = s * delta - b
        scale = wp.max(wp.length(b), wp.abs(s))
        world_y = at_origin(y, c, length)
        for j in range(hands):
            given = hand_wrench(j, row, kinds, chosen, lam, scales, vertices, rays, tables)
            world = carried_wrench(poses, i, j, given, c, length)
            scale = wp.max(scale, wp.length(world))
            rest = rest + world
            if by_pose.shape[0] > 0:
                force = turned(poses[i, j], vec3(given[0], given[1], given[2]))
                torque = turned(poses[i, j], vec3(given[3], given[4], given[5]))
                yf = vec3(world_y[0], world_y[1], world_y[2])
                yt = vec3(world_y[3], world_y[4], world_y[5])
                shift = wp.cross(force, yt)
                turn = wp.cross(force, yf + wp.cross(yt, palm(poses[i, j]))) + wp.cross(torque, yt)
                for part in range(3):
                    by_pose[row, j, part] = shift[part] / speed
                    by_pose[row, j, 3 + part] = turn[part] / speed
        closed = bound - s <= gap * wp.max(wp.abs(s), f64(SMALL_LOAD) * scale)
        if wp.length(rest) <= feasible * scale and found[2] <= flat * wp.length(y) and closed:
            proven[row] = wp.int8(1)
            values[row] = s / speed
            bounds[row] = wp.max(bound, s) / speed
            for part in range(6):
                multipliers[row, part] = world_y[part] / (per * speed)
            for a in range(7):
                weights[row, a] = lam[a]
                if kinds[row, a] >= RAY:
                    weights[row, a] = lam[a] * scales[a] * per
        else:
            status[row] = wp.int8(UNDECIDED)

    return prove, prove_margin


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
    proven: wp.array(dtype=wp.int8, ndim=1),
):
    """There is no limit where the load is held, and the direction by the hands' rays alone."""
    row = wp.tid()
    if int(growth[row]) == HELD and int(start[row // per_posture]) == HELD:
        status[row] = wp.int8(UNLIMITED)
        values[row] = f64(wp.inf)
        bounds[row] = f64(wp.inf)
        proven[row] = wp.int8(1)


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
