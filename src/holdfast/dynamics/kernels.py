"""Motions of rigid contacts with Coulomb friction: small linear programs, and a tree of them over contact modes.

Everything is in whitened, scaled coordinates (see `cones`): the object accelerates by x (n,), its contact i by
a_i = white_i x + bias_i - joints_i theta in the contact frame (u, v, n), joints by theta (r,). Forces f_i lie in the
cone f_n >= 0, f_t in f_n D_i, with D_i an ellipse or a polygon. The motion is x = drive + sum_i white_i^T f_i.

A cell of the tree gives every contact a mode:

    FREE      undecided: a_n >= 0, f in the cone
    SEPARATE  a_n > 0, f = 0
    STICK     a = 0, f in the cone, or in the part of it whose f_t points into an arc
    SLIDE     a_n = 0, a_t is not 0, and f_t is the force of most dissipation for the slip a_t

and may bound the slip of sliding contacts to half-planes, its cuts. The rows of modes and cuts make a cone of
accelerations. In it each sliding contact's slip keeps to an arc of directions (`find_arcs`), so that its friction lies
on an arc of its disc, too. Cones and arcs of forces are replaced by hulls of their tangents, which contain them: a
cell whose program has no solution contains no motion. All contacts move with one body, so that a few cuts make the
arcs of all of them narrow. The object moves where drive . x + push . theta >= `strict`. What touches or sticks may
accelerate by `slack`, so that rounded positions and normals do not make rows that contradict each other.

A program asks for weights w >= 0 of generators with s = A w + b >= 0 (or = 0), at least cost. It is solved by the
dual simplex method on a dictionary: basic = value + table . nonbasic. If there is no solution, one row of the
dictionary gives multipliers y with y . A <= 0 and y . b < 0: the proof, which can be checked without the solver.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..checks import Array, IntArray
from ..compiling import inlined, kernel, released_kernel

#: Modes of a contact. TOUCH: a_n = 0 where friction is none or opposes the velocity; ALONG: it slides in one direction;
#: EDGE: it slides at right angles to an edge of a polygon D, on which the friction lies.
FREE, SEPARATE, STICK, SLIDE, TOUCH, ALONG, EDGE = range(7)

#: Modes of a joint, in addition to FREE: fixed; moves up at its lower bound; down at its upper one; torque prescribed.
STAYS, UP, DOWN, DRIVEN = range(1, 5)

#: Generators of the hull around a whole cone.
HULL = 8

#: Number of arcs of a contact's slip directions at first, as a power of two.
FIRST_LEVEL = 2

#: How a program ended.
SOLVED, EMPTY, STUCK = range(3)

#: How a run of the search ended: no cell is left; a motion was found; the record is full; no room for more cells.
EXHAUSTED, FOUND, FULL, OVERFLOW = range(4)

#: Record of a cell that was not divided: it is empty; it could not be decided; it contains a motion.
LEAF, OPEN, KEPT = -1, -2, -3

#: How an empty cell is proven: no acceleration meets its rows; no forces cause one. Else: a contact that cannot slide.
KINEMATIC, DYNAMIC = -1, -2

#: A contact separates when it accelerates by so many times the slack.
OPENS = 100.0

#: Rows are met if their error is at most this fraction of their length.
MET = 1e-11

#: Entries of the dictionary below this are zero.
LEAST_PIVOT = 1e-10

#: A column improves if its cost is below this; smaller differences of steps and of costs are ignored.
PRICED, SAME_RATIO, SAME_COST = 1e-11, 1e-12, 1e-3

#: Arcs are proven with this margin on either side: directions of slips have rounding errors [rad].
WIDER = 1e-4

#: Directions in a half-plane span an arc of at most this [rad].
HALF_TURN = np.pi + 2.0 * WIDER

#: A multiplier that must not be negative may be negative by this fraction of the largest.
ROUNDING = 1e-12

#: Sizes up to which rounding must not affect a proof: accelerations as a multiple of the free one, forces as a multiple
#: of the load, and slips as a multiple of the slip that the end of an arc excludes.
BEYOND_BALL, BEYOND_LOAD, BEYOND_SLIP = 10.0, 1e4, 1e4

#: Slips below this have no direction: the slack of other rows might turn them.
SLOW = 2e-5

#: Programs for one end of an arc; samples that are kept for the arcs of one cell, per contact.
MOST_TURNS, MOST_SAMPLES = 12, 32

#: Slip beyond the end of an arc that its program asks for: slips that are `WIDER` beyond it are then of size one.
UNIT_SLIP = 1e-4

#: Cuts of a cell.
MOST_CUTS = 40

#: Fraction by which costs differ; pivots of one program, per row and column; trials of a program with rounding errors.
COST_SPREAD, MOST_PIVOTS, MOST_STARTS = 0.01, 25, 3

#: A motion lies outside the ball |x|^2 <= drive . x when it does so by more than this.
OUTSIDE = 1e-7

#: Planes that are added to one program to keep its motion in the ball.
MOST_PLANES = 6

#: Steps of Newton's method for a motion, and trials for the first step.
MOST_STEPS, MOST_TRIALS = 12, 4

#: Contacts are left out of a first step only if no contact is further from the law than this.
NEARLY_LAWFUL = 0.01

#: Cosines of the largest angle between a slip and the normal of an edge: with friction on the edge, or at its corner.
NEAR_EDGE, AT_EDGE = 0.9, 1.0 - 1e-6

#: A motion obeys Coulomb's law when no contact is off by more than this.
LAWFUL = 1e-11

#: The same in units of the motion's size: a motion is more than what rounding leaves of rest.
CLEARLY_LAWFUL = 1e-7

#: Slips and openings of a motion below this count as zero when its modes are read, and forces below this.
AT_REST, UNLOADED = 1e-7, 1e-12


class CoulombArrays(NamedTuple):
    """The whitened, scaled problem; see `cones.CoulombProblem`."""

    drive: Array  # (n,) acceleration without any force
    white: Array  # (k, 3, n)
    bias: Array  # (k, 3)
    joints: Array  # (k, 3, r)
    lower: Array  # (r,)
    upper: Array  # (r,)
    semi: Array  # (k, 2) semi-axes of an ellipse D
    corners: Array  # (c, 2) of all polygons D
    first: IntArray  # (k + 1,) the corners of each contact; none: an ellipse
    cap: Array  # (k,) largest f_n
    slip: Array  # (k,) angle of the slip velocity; nan at rest
    push: Array  # (r,) the search asks for motions with drive . x + push . theta >= strict: what load and joints do
    settings: Array  # (6,) strict; 1 where |x|^2 <= drive . x for every motion; finest level of arcs; 1 to ask for
    # drive . x + push . theta; level of arcs at which a search for all motions looks for one in each cell; slack


class CoulombWork(NamedTuple):
    """Arrays for one program and one motion."""

    table: Array  # (M + 2, N + 1) dictionary, its last column the values; row M: costs
    basic: IntArray  # (M,) number of the row (>= 0) or -1 - column
    nonbasic: IntArray  # (N,)
    width: Array  # (M,) largest value of each row: inf for an inequality, 0 for an equality
    flipped: IntArray  # (M,) 1 where a row is counted from its largest value downwards
    size: IntArray  # (5,) rows, columns, row of the proof, pivots, trial
    rows: Array  # (M, n) rows on x
    row_joints: Array  # (M, r) rows on theta
    constant: Array  # (M,)
    least: Array  # (M,) what strict rows have to exceed
    kind: IntArray  # (M, 2) what a row is: (0, -) on x and theta; (1, i) cap of f_n; (2, j), (3, j) torque of a joint
    columns: Array  # (N, n) x per unit of weight
    force: Array  # (N, 3) force per unit of weight
    owner: IntArray  # (N,) contact, or k + joint
    weights: Array  # (N,)
    multipliers: Array  # (M,)
    plane: Array  # (n,) sum of the multipliers of planes times their directions
    planes: Array  # (P, n)
    x: Array  # (n,)
    theta: Array  # (r,)
    f: Array  # (k, 3)
    a: Array  # (k, 3)
    mismatch: Array  # (k + r,)
    range: Array  # (k, 2) first and last angle of each contact's slip; nan: any
    samples: Array  # (most, n + r) accelerations in the present cell
    samples_kept: IntArray  # (1,) how many there are
    proofs: Array  # (2 k + 4, M) multipliers that prove the ends of the arcs
    mode: IntArray  # (k + r,) a cell for `newton`
    arc: IntArray  # (k + r, 2)
    angle: Array  # (k,) direction of slip in modes ALONG and EDGE
    edge: IntArray  # (k,) first corner of the edge in mode EDGE
    square: Array  # (n, 2 n + 1)
    torque: Array  # (r, n + r + 1) what `linearise` adds to the torque of a joint, per unit of x, theta and 1
    drive: Array  # (n,)


class CellRecord(NamedTuple):
    """Cells to be searched, and the record of the searched cells in the order of the search."""

    stack_mode: IntArray  # (depth, k + r)
    stack_arc: IntArray  # (depth, k + r, 2)
    stack_cuts: Array  # (depth, 1 + most, 3) their number; then contact, angle and side of each
    branch: IntArray  # (chunk,) the contact or joint that the cell was divided by, or LEAF, OPEN, KEPT
    multipliers: Array  # (chunk, M)
    plane: Array  # (chunk, n)
    found: Array  # (chunk, n + r + 3 k + 1) x, theta and f of KEPT cells, 1 where it is a motion
    first: IntArray  # (chunk,) which child was looked at first
    angle: Array  # (chunk,) direction of the cut that divides the cell
    mode: IntArray  # (chunk, k + r) the cell
    arc: IntArray  # (chunk, k + r, 2)
    cuts: Array  # (chunk, 1 + most, 3)
    kind: IntArray  # (chunk,) how an empty cell is proven: KINEMATIC, DYNAMIC, or a contact that cannot slide
    range: Array  # (chunk, k, 2) arcs of the slips
    proofs: Array  # (chunk, 2 k + 4, M) multipliers of the ends of the arcs, or of a contact that cannot slide
    counts: IntArray  # (6,) cells on the stack; cells in the record; programs; pivots; collect; open cells


@kernel
def copy(source: Array, target: Array) -> None:
    """Write one vector over another."""
    for index in range(len(source)):
        target[index] = source[index]


@kernel
def swap(first: Array, second: Array) -> None:
    """Exchange two vectors."""
    for index in range(len(first)):
        first[index], second[index] = second[index], first[index]


# -- friction discs ---------------------------------------------------------------------------------


@kernel
def support(p: CoulombArrays, i: int, angle: float):
    """(x, y, h): the point of D_i furthest in the direction `angle`, and its distance along it."""
    c, s = np.cos(angle), np.sin(angle)
    if p.first[i] == p.first[i + 1]:
        a, b = p.semi[i, 0] * c, p.semi[i, 1] * s
        h = np.sqrt(a * a + b * b)
        if h == 0.0:
            return 0.0, 0.0, 0.0
        return p.semi[i, 0] * a / h, p.semi[i, 1] * b / h, h
    best, x, y = -np.inf, 0.0, 0.0
    for j in range(p.first[i], p.first[i + 1]):
        value = c * p.corners[j, 0] + s * p.corners[j, 1]
        if value > best:
            best, x, y = value, p.corners[j, 0], p.corners[j, 1]
    return x, y, best


@kernel
def tangent_corner(p: CoulombArrays, i: int, alpha: float, beta: float):
    """(x, y): where the tangents of D_i with outer normals at `alpha` and `beta` meet."""
    _, _, h1 = support(p, i, alpha)
    _, _, h2 = support(p, i, beta)
    c1, s1, c2, s2 = np.cos(alpha), np.sin(alpha), np.cos(beta), np.sin(beta)
    d = c1 * s2 - s1 * c2
    return (h1 * s2 - h2 * s1) / d, (c1 * h2 - c2 * h1) / d


@kernel
def has_friction(p: CoulombArrays, i: int) -> bool:
    """Whether D_i is more than a point."""
    return p.semi[i, 0] > 0.0 or p.semi[i, 1] > 0.0


# -- programs ---------------------------------------------------------------------------------------


@kernel
def add_generator(p: CoulombArrays, w: CoulombWork, i: int, x: float, y: float) -> None:
    """One more column: the force (x, y, 1) at contact i, scaled to a motion of length one."""
    n, column, square = len(p.drive), w.size[1], 0.0
    for b in range(n):
        value = x * p.white[i, 0, b] + y * p.white[i, 1, b] + p.white[i, 2, b]
        w.columns[column, b] = value
        square += value * value
    length = np.sqrt(square)
    scale = 1.0 / length if length > 0.0 else 1.0
    for b in range(n):
        w.columns[column, b] *= scale
    w.force[column, 0], w.force[column, 1], w.force[column, 2] = x * scale, y * scale, scale
    w.owner[column] = i
    w.size[1] = column + 1


@kernel
def add_hull(p: CoulombArrays, w: CoulombWork, i: int) -> None:
    """Columns that span a hull around the whole cone of contact i."""
    step = 2.0 * np.pi / HULL
    for j in range(HULL):
        x, y = tangent_corner(p, i, (j - 0.5) * step, (j + 0.5) * step)
        add_generator(p, w, i, x, y)


@kernel
def add_arc(p: CoulombArrays, w: CoulombWork, i: int, alpha: float, beta: float) -> None:
    """Columns that span a hull around the forces on the arc of the cone between two directions of f_t."""
    middle = 0.5 * (alpha + beta)
    x, y, _ = support(p, i, alpha)
    add_generator(p, w, i, x, y)
    x, y = tangent_corner(p, i, alpha, middle)
    add_generator(p, w, i, x, y)
    x, y = tangent_corner(p, i, middle, beta)
    add_generator(p, w, i, x, y)
    x, y, _ = support(p, i, beta)
    add_generator(p, w, i, x, y)


@kernel
def add_row(p: CoulombArrays, w: CoulombWork, i: int, u: float, v: float, z: float, least: float, width: float) -> None:
    """One more row: (u, v, z) . a_i / its length from `least` on, up to `width` more."""
    n, row, square = len(p.drive), w.size[0], 0.0
    for b in range(n):
        value = u * p.white[i, 0, b] + v * p.white[i, 1, b] + z * p.white[i, 2, b]
        w.rows[row, b] = value
        square += value * value
    scale = 1.0 / np.sqrt(square) if square > 0.0 else 1.0
    for b in range(n):
        w.rows[row, b] *= scale
    for j in range(len(p.lower)):
        w.row_joints[row, j] = -scale * (u * p.joints[i, 0, j] + v * p.joints[i, 1, j] + z * p.joints[i, 2, j])
    w.constant[row] = scale * (u * p.bias[i, 0] + v * p.bias[i, 1] + z * p.bias[i, 2])
    w.least[row] = least
    w.width[row], w.kind[row, 0], w.kind[row, 1] = width, 0, 0
    w.size[0] = row + 1


@kernel
def add_bound(w: CoulombWork, kind: int, which: int, constant: float, width: float) -> None:
    """One more row on forces, from 0 up to `width`: a cap, or a bound of a joint's torque."""
    row = w.size[0]
    w.rows[row, :] = 0.0
    w.row_joints[row, :] = 0.0
    w.constant[row], w.least[row] = constant, 0.0
    w.width[row], w.kind[row, 0], w.kind[row, 1] = width, kind, which
    w.size[0] = row + 1


@kernel
def add_contact_rows(p: CoulombArrays, w: CoulombWork, i: int, mode: int, slack: float) -> None:
    """Rows of one contact in its mode; what touches or sticks may accelerate by `slack`."""
    if mode == SEPARATE:
        add_row(p, w, i, 0.0, 0.0, 1.0, OPENS * slack, np.inf)
        return
    add_row(p, w, i, 0.0, 0.0, 1.0, 0.0, np.inf if mode == FREE else slack)
    if mode == STICK:
        add_row(p, w, i, 1.0, 0.0, 0.0, -slack, 2.0 * slack)
        add_row(p, w, i, 0.0, 1.0, 0.0, -slack, 2.0 * slack)
    if p.cap[i] < np.inf:
        add_bound(w, 1, i, p.cap[i], np.inf)


@kernel
def add_contact_columns(p: CoulombArrays, w: CoulombWork, i: int, mode: int, level: int, index: int) -> None:
    """Generators of the forces of one contact in its mode."""
    if mode == SEPARATE:
        return
    if not np.isnan(p.slip[i]):
        x, y, _ = support(p, i, p.slip[i] + np.pi)
        add_generator(p, w, i, x, y)
    elif not has_friction(p, i):
        add_generator(p, w, i, 0.0, 0.0)
    elif mode == ALONG:
        x, y, _ = support(p, i, w.angle[i] + np.pi)
        add_generator(p, w, i, x, y)
    elif mode == EDGE:
        count = p.first[i + 1] - p.first[i]
        for j in range(2):
            corner = p.first[i] + (w.edge[i] + j) % count
            add_generator(p, w, i, p.corners[corner, 0], p.corners[corner, 1])
    elif mode == SLIDE and not np.isnan(w.range[i, 0]):
        add_arc(p, w, i, w.range[i, 0] + np.pi, w.range[i, 1] + np.pi)
    elif mode == STICK and level > 0:
        width = 2.0 * np.pi / 2.0**level
        add_arc(p, w, i, index * width, (index + 1) * width)
        add_generator(p, w, i, 0.0, 0.0)
    else:
        add_hull(p, w, i)


@kernel
def add_joint_rows(p: CoulombArrays, w: CoulombWork, j: int, mode: int) -> None:
    """Rows of one joint in its mode: kind 2 is torque - lower, kind 3 is upper - torque."""
    if mode in (UP, DRIVEN):
        add_bound(w, 2, j, -p.lower[j], 0.0)
    elif mode == DOWN:
        add_bound(w, 3, j, p.upper[j], 0.0)
    else:
        if p.lower[j] > -np.inf:
            add_bound(w, 2, j, -p.lower[j], np.inf)
        if p.upper[j] < np.inf:
            add_bound(w, 3, j, p.upper[j], np.inf)


@kernel
def add_joint_columns(p: CoulombArrays, w: CoulombWork, j: int, mode: int) -> None:
    """The ways in which a joint may move in its mode."""
    k = len(p.white)
    for side in range(2):
        upwards = side == 0
        if mode == STAYS or (mode == UP and not upwards) or (mode == DOWN and upwards):
            continue
        if (upwards and p.lower[j] == -np.inf) or (not upwards and p.upper[j] == np.inf):
            continue
        column = w.size[1]
        for b in range(len(p.drive)):
            w.columns[column, b] = 0.0
        w.force[column, 0], w.force[column, 1], w.force[column, 2] = (1.0 if upwards else -1.0), 0.0, 0.0
        w.owner[column] = k + j
        w.size[1] = column + 1


@kernel
def entry(p: CoulombArrays, w: CoulombWork, row: int, column: int) -> float:
    """The contribution of a unit of a column's weight to a row."""
    k, n, value, i = len(p.white), len(p.drive), 0.0, w.owner[column]
    kind, which = w.kind[row, 0], w.kind[row, 1]
    if kind == 0:
        for b in range(n):
            value += w.rows[row, b] * w.columns[column, b]
        if i >= k:
            value += w.row_joints[row, i - k] * w.force[column, 0]
        return value
    if kind == 1:
        return -w.force[column, 2] if i == which else 0.0
    for b in range(n):
        value += w.torque[which, b] * w.columns[column, b]
    if i >= k:
        value += w.torque[which, n + i - k] * w.force[column, 0]
    else:
        for b in range(3):
            value += p.joints[i, b, which] * w.force[column, b]
    return value if kind == 2 else -value


@kernel
def add_goal(p: CoulombArrays, w: CoulombWork) -> None:
    """The row drive . x + push . theta >= strict, where it is asked for."""
    if p.settings[3] == 1.0:
        add_bound(w, 0, 0, 0.0, np.inf)
        w.least[w.size[0] - 1] = p.settings[0]
        for b in range(len(p.drive)):
            w.rows[w.size[0] - 1, b] = p.drive[b]
        for j in range(len(p.lower)):
            w.row_joints[w.size[0] - 1, j] = p.push[j]


@kernel
def add_cell_rows(p: CoulombArrays, w: CoulombWork, mode: IntArray, cuts: Array) -> None:
    """All rows of a cell: contacts, joints, cuts, and the goal."""
    k = len(p.white)
    w.size[0], w.size[1], w.size[2] = 0, 0, 0
    for i in range(k):
        add_contact_rows(p, w, i, mode[i], p.settings[5])
    for j in range(len(p.lower)):
        add_joint_rows(p, w, j, mode[k + j])
    for c in range(int(cuts[0, 0])):
        side = cuts[c + 1, 2]
        add_row(
            p, w, int(cuts[c + 1, 0]), side * np.cos(cuts[c + 1, 1]), side * np.sin(cuts[c + 1, 1]), 0.0, 0.0, np.inf
        )
    add_goal(p, w)


@inlined
def add_motion_columns(p: CoulombArrays, w: CoulombWork, mode: IntArray) -> None:
    """Columns of a program about accelerations alone: x along each axis, both ways, and the joints."""
    k, n = len(p.white), len(p.drive)
    for column in range(2 * n):
        for b in range(n):
            w.columns[column, b] = 0.0
        w.columns[column, column // 2] = 1.0 - 2.0 * (column % 2)
        w.force[column, 0], w.force[column, 1], w.force[column, 2] = 0.0, 0.0, 0.0
        w.owner[column] = 0
    w.size[1] = 2 * n
    for j in range(len(p.lower)):
        add_joint_columns(p, w, j, mode[k + j])


@kernel
def start_table(p: CoulombArrays, w: CoulombWork, kinematic: bool, closed: int) -> None:
    """The first dictionary: all rows are basic, all weights are zero.

    `kinematic`: rows on forces are left out. The first `closed` rows are not strict: they may be zero.
    """
    m, columns, n = w.size[0], w.size[1], len(p.drive)
    cost = len(w.table) - 1
    for row in range(m):
        w.flipped[row] = 0
        if kinematic and w.kind[row, 0] != 0:
            for column in range(columns + 1):
                w.table[row, column] = 0.0
            w.basic[row] = row
            continue
        for column in range(columns):
            w.table[row, column] = entry(p, w, row, column)
        value = w.constant[row] - (w.least[row] if row >= closed or w.least[row] < 0.0 else 0.0)
        if w.kind[row, 0] == 0 and not kinematic:
            for b in range(n):
                value += w.rows[row, b] * w.drive[b]
        elif w.kind[row, 0] >= 2:
            j = w.kind[row, 1]
            more = w.torque[j, -1]
            for b in range(n):
                more += w.torque[j, b] * w.drive[b]
            value += more if w.kind[row, 0] == 2 else -more
        w.table[row, columns] = value
        w.basic[row] = row
    w.table[cost, columns] = 0.0
    for column in range(columns):
        # Costs differ, so that no two bases cost the same, and from trial to trial.
        w.table[cost, column] = 1.0 + COST_SPREAD * (w.size[4] + 1) * np.sin((w.size[4] + 1) * (1.0 + 7.0 * column))
        w.nonbasic[column] = -1 - column


@kernel
def pivot(w: CoulombWork, row: int, column: int) -> None:
    """Exchange a basic and a nonbasic variable."""
    m, last, cost = w.size[0], w.size[1], len(w.table) - 1
    inverse = 1.0 / w.table[row, column]
    for c in range(last + 1):
        w.table[row, c] *= -inverse
    w.table[row, column] = inverse
    for r in range(m + 1):
        other = r if r < m else cost
        factor = w.table[other, column]
        if other != row and factor != 0.0:
            w.table[other, column] = 0.0
            for c in range(last + 1):
                w.table[other, c] += factor * w.table[row, c]
    w.basic[row], w.nonbasic[column] = w.nonbasic[column], w.basic[row]
    w.size[3] += 1


@pivot.twin
def _pivot(w: CoulombWork, row: int, column: int) -> None:
    m, last, cost = int(w.size[0]), int(w.size[1]), len(w.table) - 1
    inverse = 1.0 / w.table[row, column]
    w.table[row, : last + 1] *= -inverse
    w.table[row, column] = inverse
    factors = w.table[:, column].copy()
    factors[row], factors[m:cost] = 0.0, 0.0
    w.table[factors != 0.0, column] = 0.0
    w.table[:, : last + 1] += np.outer(factors, w.table[row, : last + 1])
    w.basic[row], w.nonbasic[column] = w.nonbasic[column], w.basic[row]
    w.size[3] += 1


@kernel
def is_fixed(w: CoulombWork, which: int) -> bool:
    """Whether a variable has to be zero: the slack of an equality."""
    return which >= 0 and w.width[which] == 0.0


@kernel
def flip_row(w: CoulombWork, row: int) -> None:
    """Count a basic row from its largest value downwards."""
    which, last = w.basic[row], w.size[1]
    for c in range(last + 1):
        w.table[row, c] = -w.table[row, c]
    w.table[row, last] += w.width[which]
    w.flipped[which] = 1 - w.flipped[which]


@kernel
def flip_column(w: CoulombWork, column: int) -> None:
    """Let a nonbasic row go to its largest value, and count it from there downwards."""
    which, last, cost = w.nonbasic[column], w.size[1], len(w.table) - 1
    for r in range(w.size[0] + 1):
        row = r if r < w.size[0] else cost
        w.table[row, last] += w.table[row, column] * w.width[which]
        w.table[row, column] = -w.table[row, column]
    w.flipped[which] = 1 - w.flipped[which]


@kernel
def solve(w: CoulombWork) -> int:
    """The dual simplex method: SOLVED, EMPTY with the row of the proof in size[2], or STUCK."""
    m, last, cost = w.size[0], w.size[1], len(w.table) - 1
    for _ in range(MOST_PIVOTS * (m + last + 1)):
        row, worst, above = -1, MET, False
        for r in range(m):
            value = w.table[r, last]
            if -value > worst:
                row, worst, above = r, -value, False
            elif w.basic[r] >= 0 and value - w.width[w.basic[r]] > worst:
                row, worst, above = r, value - w.width[w.basic[r]], True
        if row < 0:
            return SOLVED
        if above:
            flip_row(w, row)
        # Of the columns that cost about the same, the one with the largest pivot: no cost matters, only whether there
        # is a solution.
        bound = np.inf
        for c in range(last):
            slope = w.table[row, c]
            if slope > LEAST_PIVOT and not is_fixed(w, w.nonbasic[c]):
                bound = min(bound, (max(w.table[cost, c], 0.0) + SAME_COST) / slope)
        column, largest = -1, 0.0
        for c in range(last):
            slope = w.table[row, c]
            allowed = slope > max(largest, LEAST_PIVOT) and not is_fixed(w, w.nonbasic[c])
            if allowed and w.table[cost, c] <= bound * slope:
                column, largest = c, slope
        if column < 0:
            w.size[2] = row
            return EMPTY
        pivot(w, row, column)
    return STUCK


@kernel
def read_proof(w: CoulombWork, rows: int) -> None:
    """Multipliers y of the rows from the row of the dictionary that cannot be met, and the sum of the planes.

    A negative multiplier counts the row from its largest value downwards.
    """
    row, last = w.size[2], w.size[1]
    for r in range(len(w.multipliers)):
        w.multipliers[r] = 0.0
    if w.basic[row] >= 0:
        w.multipliers[w.basic[row]] = 1.0 - 2.0 * w.flipped[w.basic[row]]
    for c in range(last):
        which = w.nonbasic[c]
        if which >= 0:
            w.multipliers[which] = -w.table[row, c] * (1.0 - 2.0 * w.flipped[which])
    for b in range(len(w.plane)):
        w.plane[b] = 0.0
        for q in range(rows, w.size[0]):
            w.plane[b] += w.multipliers[q] * w.planes[q - rows, b]


@kernel
def is_proven(p: CoulombArrays, w: CoulombWork, rows: int, kinematic: bool, closed: int) -> bool:
    """Whether the multipliers prove that there is no solution, in spite of rounding: summed up from the rows again."""
    n, value, length, size, largest = len(p.drive), 0.0, 0.0, 0.0, 0.0
    for row in range(rows):
        largest = max(largest, abs(w.multipliers[row]))
    for row in range(rows):
        y = w.multipliers[row]
        if y < 0.0 and w.width[row] == np.inf:
            if y < -ROUNDING * largest:
                return False
            w.multipliers[row], y = 0.0, 0.0
        if y == 0.0:
            continue
        if y < 0.0:
            value -= y * w.width[row]
        value += y * (w.constant[row] - (w.least[row] if row >= closed or w.least[row] < 0.0 else 0.0))
        if not kinematic and w.kind[row, 0] == 0:
            for b in range(n):
                value += y * w.rows[row, b] * p.drive[b]
    if not kinematic:
        for b in range(n):
            length += w.plane[b] ** 2
            size += p.drive[b] ** 2
            value -= 0.5 * w.plane[b] * p.drive[b]
        value += 0.5 * np.sqrt(length * size)
    share = BEYOND_LOAD if not kinematic else (BEYOND_BALL if closed == 0 else BEYOND_SLIP)
    for column in range(w.size[1]):
        total = 0.0
        for row in range(rows):
            if w.multipliers[row] != 0.0 and not (kinematic and w.kind[row, 0] != 0):
                total += w.multipliers[row] * entry(p, w, row, column)
        if not kinematic:
            for b in range(n):
                total -= w.plane[b] * w.columns[column, b]
        if total * share > -value:
            return False
    return value < 0.0


@kernel
def read_solution(p: CoulombArrays, w: CoulombWork) -> None:
    """Weights, then x, theta, forces and accelerations of the contacts."""
    k, r, n, m, last = len(p.white), len(p.lower), len(p.drive), w.size[0], w.size[1]
    for c in range(last):
        w.weights[c] = 0.0
    for row in range(m):
        if w.basic[row] < 0:
            w.weights[-1 - w.basic[row]] = max(w.table[row, last], 0.0)
    for b in range(n):
        w.x[b] = w.drive[b]
    for j in range(r):
        w.theta[j] = 0.0
    for i in range(k):
        w.f[i, 0], w.f[i, 1], w.f[i, 2] = 0.0, 0.0, 0.0
    for c in range(last):
        weight = w.weights[c]
        if weight == 0.0:
            continue
        for b in range(n):
            w.x[b] += weight * w.columns[c, b]
        i = w.owner[c]
        if i >= k:
            w.theta[i - k] += weight * w.force[c, 0]
        else:
            for b in range(3):
                w.f[i, b] += weight * w.force[c, b]
    accelerate(p, w)


@kernel
def accelerate(p: CoulombArrays, w: CoulombWork) -> None:
    """Accelerations of the contacts."""
    for i in range(len(p.white)):
        for b in range(3):
            value = p.bias[i, b]
            for c in range(len(p.drive)):
                value += p.white[i, b, c] * w.x[c]
            for j in range(len(p.lower)):
                value -= p.joints[i, b, j] * w.theta[j]
            w.a[i, b] = value


@kernel
def combine(w: CoulombWork, direction: Array, sign: float, row: int) -> None:
    """Row `row` of the table: sign times direction . x without its constant, in the nonbasic variables."""
    last, n = w.size[1], len(direction)
    for c in range(last + 1):
        w.table[row, c] = 0.0
    for c in range(last):
        if w.nonbasic[c] < 0:
            column = -1 - w.nonbasic[c]
            for b in range(n):
                w.table[row, c] += sign * direction[b] * w.columns[column, b]
    for other in range(w.size[0]):
        if w.basic[other] < 0:
            column, value = -1 - w.basic[other], 0.0
            for b in range(n):
                value += sign * direction[b] * w.columns[column, b]
            if value != 0.0:
                for c in range(last + 1):
                    w.table[row, c] += value * w.table[other, c]


@kernel
def maximise(w: CoulombWork, direction: Array) -> int:
    """From a solution, the one of largest direction . x, by the primal simplex method: SOLVED or STUCK."""
    m, last, cost = w.size[0], w.size[1], len(w.table) - 1
    combine(w, direction, -1.0, cost)
    for _ in range(MOST_PIVOTS * (m + last + 1)):
        column, best = -1, -PRICED
        for c in range(last):
            if w.table[cost, c] < best and not is_fixed(w, w.nonbasic[c]):
                column, best = c, w.table[cost, c]
        if column < 0:
            return SOLVED
        row, step, largest, above = -1, np.inf, 0.0, False
        for r in range(m):
            slope, room = w.table[r, column], w.table[r, last]
            if slope > 0.0:
                room = w.width[w.basic[r]] - room if w.basic[r] >= 0 else np.inf
            ratio = max(room, 0.0) / abs(slope) if abs(slope) > LEAST_PIVOT else np.inf
            if ratio < np.inf and (ratio < step - SAME_RATIO or (ratio <= step + SAME_RATIO and abs(slope) > largest)):
                row, step, largest, above = r, min(ratio, step), abs(slope), slope > 0.0
        which = w.nonbasic[column]
        if which >= 0 and w.width[which] < np.inf and w.width[which] <= step:
            flip_column(w, column)
            continue
        if row < 0:
            return STUCK
        if above:
            flip_row(w, row)
        pivot(w, row, column)
    return STUCK


@kernel
def add_plane(p: CoulombArrays, w: CoulombWork, rows: int) -> bool:
    """A plane that keeps x in the ball |x - drive/2| <= |drive|/2 and that x violates; whether there is one."""
    n, planes = len(p.drive), w.size[0] - rows
    square, half = 0.0, 0.0
    for b in range(n):
        away = w.x[b] - 0.5 * p.drive[b]
        square += away * away
        half += 0.25 * p.drive[b] * p.drive[b]
    distance, constant = np.sqrt(square), np.sqrt(half)
    if planes >= MOST_PLANES or distance <= constant + OUTSIDE:
        return False
    for b in range(n):
        w.planes[planes, b] = (w.x[b] - 0.5 * p.drive[b]) / distance
        constant -= w.planes[planes, b] * (w.drive[b] - 0.5 * p.drive[b])
    row = w.size[0]
    combine(w, w.planes[planes], -1.0, row)
    w.table[row, w.size[1]] += constant
    w.basic[row], w.width[row], w.flipped[row] = row, np.inf, 0
    w.size[0] = row + 1
    return True


@kernel
def solve_cell(p: CoulombArrays, w: CoulombWork, mode: IntArray, arc: IntArray, cuts: Array) -> int:
    """The program of a cell, with planes that keep its motion in the ball: the motion of largest drive . x."""
    k, outcome = len(p.white), STUCK
    for trial in range(MOST_STARTS):  # after too large rounding errors the dictionary is built again, without planes
        w.size[4] = trial
        add_cell_rows(p, w, mode, cuts)
        for i in range(k):
            add_contact_columns(p, w, i, mode[i], arc[i, 0], arc[i, 1])
        for j in range(len(p.lower)):
            add_joint_columns(p, w, j, mode[k + j])
        start_table(p, w, False, 0)
        rows = w.size[0]
        while True:
            outcome = solve(w)
            if outcome != SOLVED:
                break
            read_solution(p, w)
            if p.settings[1] == 0.0 or trial > 0:
                w.size[4] = 0
                return SOLVED
            if w.size[0] == rows:
                add_first_plane(p, w)
                maximise(w, p.drive)
                read_solution(p, w)
            if not add_plane(p, w, rows):
                return SOLVED
        if outcome == EMPTY:
            read_proof(w, rows)
            if is_proven(p, w, rows, False, 0):
                w.size[4] = 0
                return EMPTY
    w.size[4] = 0
    return STUCK


@inlined
def solve_motion(p: CoulombArrays, w: CoulombWork, closed: int) -> int:
    """The program about accelerations alone; a solution goes to the samples, as far as there is room."""
    n, r, k, last = len(p.drive), len(p.lower), len(p.white), w.size[1]
    outcome = STUCK
    for trial in range(MOST_STARTS):
        w.size[4] = trial
        start_table(p, w, True, closed)
        outcome = solve(w)
        if outcome == EMPTY:
            read_proof(w, w.size[0])
            if is_proven(p, w, w.size[0], True, closed):
                return EMPTY
            outcome = STUCK
        if outcome == SOLVED:
            break
    w.size[4] = 0
    if outcome == SOLVED and w.samples_kept[0] < len(w.samples):
        sample = w.samples[w.samples_kept[0]]
        for b in range(n + r):
            sample[b] = 0.0
        for row in range(w.size[0]):
            if w.basic[row] < 0:
                column, weight = -1 - w.basic[row], w.table[row, last]
                if column < 2 * n:
                    sample[column // 2] += weight * (1.0 - 2.0 * (column % 2))
                else:
                    sample[n + w.owner[column] - k] += weight * w.force[column, 0]
        w.samples_kept[0] += 1
    return outcome


@kernel
def slip_of(p: CoulombArrays, w: CoulombWork, i: int, sample: int):
    """(u, v): acceleration of contact i along the surface, in a sample, as a share of what a motion of size 1 has."""
    n, x, y, square = len(p.drive), p.bias[i, 0], p.bias[i, 1], 0.0
    for b in range(n):
        x += p.white[i, 0, b] * w.samples[sample, b]
        y += p.white[i, 1, b] * w.samples[sample, b]
        square += p.white[i, 0, b] ** 2 + p.white[i, 1, b] ** 2
    for j in range(len(p.lower)):
        x -= p.joints[i, 0, j] * w.samples[sample, n + j]
        y -= p.joints[i, 1, j] * w.samples[sample, n + j]
    length = np.sqrt(square) if square > 0.0 else 1.0
    return x / length, y / length


@kernel
def widen(p: CoulombArrays, w: CoulombWork, i: int, first: int, middle: float, low: float, high: float):
    """(low, high): angles about `middle` between which the slips of contact i lie in the samples from `first` on."""
    for sample in range(first, w.samples_kept[0]):
        x, y = slip_of(p, w, i, sample)
        if x * x + y * y > SLOW * SLOW:
            turn = np.arctan2(y, x) - middle
            turn -= 2.0 * np.pi * np.floor((turn + np.pi) / (2.0 * np.pi))
            low, high = min(low, turn), max(high, turn)
    return low, high


@kernel
def find_arc(p: CoulombArrays, w: CoulombWork, i: int, mode: IntArray, cuts: Array) -> bool:
    """The arc of directions in which contact i slips in this cell; False where it does not slip at all.

    Each program asks for a slip beyond the widest one known so far; when there is none, its multipliers prove the end
    of the arc.
    """
    middle, known = 0.0, False
    for sample in range(w.samples_kept[0]):
        x, y = slip_of(p, w, i, sample)
        if x * x + y * y > SLOW * SLOW:
            middle, known = np.arctan2(y, x), True
            break
    if not known:
        for side in range(4):
            before = w.samples_kept[0]
            if is_beyond(p, w, i, mode, cuts, 0.5 * np.pi * side, 2 * len(p.white) + side):
                if w.samples_kept[0] == before:
                    return True  # not decided: any direction
                x, y = slip_of(p, w, i, before)
                middle, known = np.arctan2(y, x), True
                break
        if not known:
            return False
    low, high = widen(p, w, i, 0, middle, 0.0, 0.0)
    for end in range(2):
        proven = False
        for _ in range(MOST_TURNS):
            if high - low > HALF_TURN:
                return True
            angle = middle + (low - WIDER - 0.5 * np.pi if end == 0 else high + WIDER + 0.5 * np.pi)
            before = w.samples_kept[0]
            if not is_beyond(p, w, i, mode, cuts, angle, 2 * i + end):
                proven = True
                break
            low, high = widen(p, w, i, before, middle, low, high)
        if not proven:
            return True
    w.range[i, 0], w.range[i, 1] = middle + low - WIDER, middle + high + WIDER
    return True


@kernel
def is_beyond(p: CoulombArrays, w: CoulombWork, i: int, mode: IntArray, cuts: Array, angle: float, at: int) -> bool:
    """Whether contact i can slip in the direction of `angle`; if not, the multipliers go to proofs[at]."""
    add_cell_rows(p, w, mode, cuts)
    add_row(p, w, i, np.cos(angle), np.sin(angle), 0.0, UNIT_SLIP, np.inf)
    add_motion_columns(p, w, mode)
    outcome = solve_motion(p, w, w.size[0] - 1)
    if outcome == EMPTY:
        copy(w.multipliers, w.proofs[at])
    return outcome != EMPTY


@inlined
def find_arcs(p: CoulombArrays, w: CoulombWork, mode: IntArray, cuts: Array) -> int:
    """The arc of every sliding contact; -1, or a contact that cannot slide in this cell."""
    for i in range(len(p.white)):
        w.range[i, 0], w.range[i, 1] = np.nan, np.nan
        if mode[i] == SLIDE and not find_arc(p, w, i, mode, cuts):
            return i
    return -1


@kernel
def add_first_plane(p: CoulombArrays, w: CoulombWork) -> None:
    """The plane drive . x <= |drive|^2, which bounds the largest drive . x."""
    row, square = w.size[0], 0.0
    for b in range(len(p.drive)):
        square += p.drive[b] ** 2
    length = np.sqrt(square)
    constant = length
    for b in range(len(p.drive)):
        w.planes[0, b] = p.drive[b] / length
        constant -= w.planes[0, b] * w.drive[b]
    combine(w, w.planes[0], -1.0, row)
    w.table[row, w.size[1]] += constant
    w.basic[row], w.width[row], w.flipped[row] = row, np.inf, 0
    w.size[0] = row + 1


# -- Coulomb's law ----------------------------------------------------------------------------------


@kernel
def contact_mismatch(p: CoulombArrays, w: CoulombWork, i: int, unit: float) -> float:
    """Distance of contact i from the law: f_n a_n, missing dissipation (a in units of `unit`), f outside the cone."""
    fx, fy, fn = w.f[i, 0], w.f[i, 1], w.f[i, 2]
    value = (abs(fn * w.a[i, 2]) + max(0.0, -w.a[i, 2])) / unit
    if not np.isnan(p.slip[i]):
        return value
    ax, ay = w.a[i, 0] / unit, w.a[i, 1] / unit
    slip = np.sqrt(ax * ax + ay * ay)
    if has_friction(p, i):
        if slip > 0.0:
            x, y, h = support(p, i, np.arctan2(-ay, -ax))
            if p.first[i] == p.first[i + 1]:
                value += slip * np.sqrt((fx - fn * x) ** 2 + (fy - fn * y) ** 2)
            else:
                value += abs(fx * ax + fy * ay + fn * slip * h)
        value += outside(p, i, fx, fy, fn)
    return value


@kernel
def outside(p: CoulombArrays, i: int, fx: float, fy: float, fn: float) -> float:
    """How far a force lies outside its cone: f_t . d - f_n h(d) in the direction d of f_t, and for polygons in all."""
    size = np.sqrt(fx * fx + fy * fy)
    if size == 0.0:
        return 0.0
    if p.first[i] == p.first[i + 1]:
        # |f_t| up to the ellipse along f_t: (fx/a)^2 + (fy/b)^2 <= fn^2
        a, b, big = p.semi[i, 0], p.semi[i, 1], 0.0
        big += (fx / a) ** 2 if a > 0.0 else (0.0 if fx == 0.0 else np.inf)
        big += (fy / b) ** 2 if b > 0.0 else (0.0 if fy == 0.0 else np.inf)
        return max(0.0, size - size * fn / np.sqrt(big)) if fn > 0.0 else size
    _, _, h = support(p, i, np.arctan2(fy, fx))
    worst, count = max(0.0, size - fn * h), p.first[i + 1] - p.first[i]
    for j in range(count):
        x1, y1 = p.corners[p.first[i] + j, 0], p.corners[p.first[i] + j, 1]
        other = p.first[i] + (j + 1) % count
        x2, y2 = p.corners[other, 0], p.corners[other, 1]
        nx, ny = y2 - y1, x1 - x2
        length = np.sqrt(nx * nx + ny * ny)
        if length > 0.0:
            worst = max(worst, (nx * (fx - fn * x1) + ny * (fy - fn * y1)) / length)
    return worst


@kernel
def joint_mismatch(p: CoulombArrays, w: CoulombWork, j: int, unit: float) -> float:
    """How far the torque of a moving joint is from its bound, times its acceleration in units of `unit`."""
    torque, theta = 0.0, w.theta[j] / unit
    for i in range(len(p.white)):
        for b in range(3):
            torque += p.joints[i, b, j] * w.f[i, b]
    if theta > 0.0:
        return theta * abs(torque - p.lower[j])
    return -theta * abs(p.upper[j] - torque) if theta < 0.0 else 0.0


@kernel
def speed(p: CoulombArrays, w: CoulombWork) -> float:
    """The largest acceleration that a contact could have in the present motion; 1 where there is none."""
    motion, longest = 0.0, 0.0
    for b in range(len(p.drive)):
        motion += w.x[b] ** 2
    for i in range(len(p.white)):
        square = 0.0
        for b in range(len(p.drive)):
            square += p.white[i, 2, b] ** 2
        longest = max(longest, square)
    return np.sqrt(motion * longest) if motion * longest > 0.0 else 1.0


@kernel
def measure(p: CoulombArrays, w: CoulombWork, unit: float) -> float:
    """The mismatch of every contact and joint, accelerations in units of `unit`; the largest of them."""
    k, worst = len(p.white), 0.0
    for i in range(len(w.mismatch)):
        w.mismatch[i] = contact_mismatch(p, w, i, unit) if i < k else joint_mismatch(p, w, i - k, unit)
        worst = max(worst, w.mismatch[i])
    return worst


@inlined
def is_lawful(p: CoulombArrays, w: CoulombWork) -> bool:
    """Whether the present solution obeys the law; leaves the mismatches in units of the motion's size."""
    worst = measure(p, w, 1.0)
    return measure(p, w, speed(p, w)) <= CLEARLY_LAWFUL and worst <= LAWFUL


# -- one motion by Newton's method ------------------------------------------------------------------


@kernel
def read_modes(p: CoulombArrays, w: CoulombWork) -> None:
    """The mode that each contact and joint has in the present solution, for `newton`."""
    k = len(p.white)
    for i in range(k):
        w.arc[i, 0], w.arc[i, 1] = 0, 0
        slip = np.sqrt(w.a[i, 0] ** 2 + w.a[i, 1] ** 2)
        if w.f[i, 2] <= UNLOADED or (w.a[i, 2] > AT_REST and w.f[i, 2] <= w.a[i, 2]):
            w.mode[i] = SEPARATE
        elif not np.isnan(p.slip[i]) or not has_friction(p, i):
            w.mode[i] = TOUCH
        elif slip > AT_REST:
            w.mode[i] = ALONG
            w.angle[i] = np.arctan2(w.a[i, 1], w.a[i, 0])
            if p.first[i] != p.first[i + 1]:
                find_edge(p, w, i, slip)
        else:
            w.mode[i] = STICK
    for j in range(len(p.lower)):
        if p.lower[j] == p.upper[j]:
            w.mode[k + j] = DRIVEN
        elif w.theta[j] > AT_REST:
            w.mode[k + j] = UP
        elif w.theta[j] < -AT_REST:
            w.mode[k + j] = DOWN
        else:
            w.mode[k + j] = STAYS


@kernel
def find_edge(p: CoulombArrays, w: CoulombWork, i: int, slip: float) -> None:
    """The edge of a polygon D at right angles to which contact i slides, where its friction lies on the edge."""
    count, best, ax, ay = p.first[i + 1] - p.first[i], NEAR_EDGE, w.a[i, 0] / slip, w.a[i, 1] / slip
    for j in range(count):
        here, there = p.first[i] + j, p.first[i] + (j + 1) % count
        tx, ty = p.corners[there, 0] - p.corners[here, 0], p.corners[there, 1] - p.corners[here, 1]
        length = np.sqrt(tx * tx + ty * ty)
        if length == 0.0 or w.f[i, 2] <= 0.0:
            continue
        fx, fy = w.f[i, 0] / w.f[i, 2] - p.corners[here, 0], w.f[i, 1] / w.f[i, 2] - p.corners[here, 1]
        along = (tx * fx + ty * fy) / (length * length)
        facing = (-ty * ax + tx * ay) / length  # friction opposes the slip: the slip points into the edge
        if facing > best and (AT_REST < along < 1.0 - AT_REST or facing > AT_EDGE):
            best = facing
            w.mode[i], w.edge[i], w.angle[i] = EDGE, j, np.arctan2(tx, -ty)


@kernel
def turn_derivative(p: CoulombArrays, i: int, angle: float):
    """(x, y): how the point of D_i furthest in a direction changes with the angle of that direction."""
    if p.first[i] != p.first[i + 1]:
        return 0.0, 0.0
    c, s = np.cos(angle), np.sin(angle)
    aa, bb = p.semi[i, 0] ** 2, p.semi[i, 1] ** 2
    h = np.sqrt(aa * c * c + bb * s * s)
    if h == 0.0:
        return 0.0, 0.0
    return -aa * bb * s / h**3, aa * bb * c / h**3


@kernel
def linearise(p: CoulombArrays, w: CoulombWork) -> bool:
    """Let the friction of sliding contacts follow their slip to first order: x = S (drive + columns . weights).

    f_t = f_n (P + P' (angle - angle0)), with angle - angle0 = e . a_t / |a_t| and e at right angles to the slip. What
    depends on x goes to the left side: (1 - sum f_n/|a_t| white^T P' e^T white) x. Columns and drive are multiplied
    by S; whether there is one.
    """
    k, n = len(p.white), len(p.drive)
    square = w.square
    for b in range(n):
        for c in range(2 * n + 1):
            square[b, c] = 0.0
        square[b, b], square[b, n + b] = 1.0, 1.0
    for i in range(k):
        if w.mode[i] != ALONG:
            continue
        angle = w.angle[i]
        slip = np.sqrt(w.a[i, 0] ** 2 + w.a[i, 1] ** 2)
        x, y = turn_derivative(p, i, angle + np.pi)
        factor = w.f[i, 2] / max(slip, AT_REST)
        e0, e1 = -np.sin(angle), np.cos(angle)
        for j in range(len(p.lower)):
            lever = factor * (x * p.joints[i, 0, j] + y * p.joints[i, 1, j])
            w.torque[j, -1] += lever * (e0 * p.bias[i, 0] + e1 * p.bias[i, 1])
            for c in range(n):
                w.torque[j, c] += lever * (e0 * p.white[i, 0, c] + e1 * p.white[i, 1, c])
            for c in range(len(p.lower)):
                w.torque[j, n + c] -= lever * (e0 * p.joints[i, 0, c] + e1 * p.joints[i, 1, c])
        for b in range(n):
            left = factor * (x * p.white[i, 0, b] + y * p.white[i, 1, b])
            square[b, 2 * n] += left * (e0 * p.bias[i, 0] + e1 * p.bias[i, 1])
            for c in range(n):
                square[b, c] -= left * (e0 * p.white[i, 0, c] + e1 * p.white[i, 1, c])
            for column in range(w.size[1]):
                if w.owner[column] >= k:
                    j = w.owner[column] - k
                    w.columns[column, b] -= (
                        left * (e0 * p.joints[i, 0, j] + e1 * p.joints[i, 1, j]) * w.force[column, 0]
                    )
    for b in range(n):  # Gauss-Jordan with row exchange
        best = b
        for c in range(b + 1, n):
            if abs(square[c, b]) > abs(square[best, b]):
                best = c
        if abs(square[best, b]) < LEAST_PIVOT:
            return False
        for c in range(2 * n):
            square[b, c], square[best, c] = square[best, c], square[b, c]
        inverse = 1.0 / square[b, b]
        for c in range(2 * n):
            square[b, c] *= inverse
        for other in range(n):
            factor = square[other, b]
            if other != b and factor != 0.0:
                for c in range(2 * n):
                    square[other, c] -= factor * square[b, c]
    for b in range(n):
        w.x[b] = 0.0
        for c in range(n):
            w.x[b] += square[b, n + c] * (p.drive[c] + square[c, 2 * n])
    for b in range(n):
        w.drive[b] = w.x[b]
    for column in range(w.size[1]):
        for b in range(n):
            w.x[b] = 0.0
            for c in range(n):
                w.x[b] += square[b, n + c] * w.columns[column, c]
        for b in range(n):
            w.columns[column, b] = w.x[b]
    return True


@kernel
def newton(p: CoulombArrays, w: CoulombWork) -> bool:
    """A motion near the present solution, in its modes; whether one was found, to `LAWFUL`.

    Each step solves the program of the modes with the friction of sliding contacts to first order in their slip.
    Sticking contacts have forces in a hull inside their cones, with a corner where their friction points now.
    """
    k = len(p.white)
    read_modes(p, w)
    for step in range(MOST_STEPS):
        found = False
        for trial in range(1 if step > 0 else MOST_TRIALS):
            # Far from a motion the linear terms may leave no solution: then without them. Contacts that are too many,
            # since they are rounded, have none either: then without the one that carries least.
            if trial >= 2 and not leave_out(p, w):
                break
            build_modes(p, w)
            if trial == 1 or linearise(p, w):
                start_table(p, w, False, 0)
                found = solve(w) == SOLVED
            if found:
                read_solution(p, w)
            copy(p.drive, w.drive)
            w.torque[:] = 0.0
            if found:
                break
        if not found:
            return False
        for i in range(k):
            if w.mode[i] == ALONG:
                w.angle[i] = np.arctan2(w.a[i, 1], w.a[i, 0])
                x, y, _ = support(p, i, w.angle[i] + np.pi)
                w.f[i, 0], w.f[i, 1] = w.f[i, 2] * x, w.f[i, 2] * y
        settle(p, w)
        if is_lawful(p, w):
            return True
    return False


@inlined
def leave_out(p: CoulombArrays, w: CoulombWork) -> bool:
    """Let the contact that carries least carry nothing; whether the present solution is near enough to try that."""
    least, which = np.inf, -1
    for i in range(len(p.white)):
        if w.mismatch[i] > NEARLY_LAWFUL:
            return False
        if w.mode[i] != SEPARATE and w.f[i, 2] < least:
            least, which = w.f[i, 2], i
    if which >= 0:
        w.mode[which] = SEPARATE
    return which >= 0


@kernel
def build_modes(p: CoulombArrays, w: CoulombWork) -> None:
    """Rows and columns of the modes of `newton`: forces of sticking contacts lie in a hull inside their cones."""
    k = len(p.white)
    w.size[0], w.size[1], w.size[2] = 0, 0, 0
    for i in range(k):
        add_contact_rows(p, w, i, w.mode[i], 0.0)
        if w.mode[i] == STICK:
            towards = np.arctan2(w.f[i, 1], w.f[i, 0])
            for j in range(2 * HULL):
                x, y, _ = support(p, i, towards + j * np.pi / HULL)
                add_generator(p, w, i, x, y)
        else:
            add_contact_columns(p, w, i, w.mode[i], 0, 0)
        if w.mode[i] in (ALONG, EDGE):
            add_row(p, w, i, np.cos(w.angle[i]), np.sin(w.angle[i]), 0.0, 0.0, np.inf)
        if w.mode[i] == EDGE:
            add_row(p, w, i, -np.sin(w.angle[i]), np.cos(w.angle[i]), 0.0, 0.0, 0.0)
    for j in range(len(p.lower)):
        add_joint_rows(p, w, j, w.mode[k + j])
        add_joint_columns(p, w, j, w.mode[k + j])
    add_goal(p, w)


@kernel
def settle(p: CoulombArrays, w: CoulombWork) -> None:
    """x from the present forces, so that the equation of motion holds; then the accelerations again."""
    for b in range(len(p.drive)):
        value = p.drive[b]
        for i in range(len(p.white)):
            for c in range(3):
                value += p.white[i, c, b] * w.f[i, c]
        w.x[b] = value
    accelerate(p, w)


# -- the tree ---------------------------------------------------------------------------------------


@kernel
def push(
    s: CellRecord, mode: IntArray, arc: IntArray, cuts: Array, which: int, chosen: int, level: int, index: int
) -> None:
    """One more cell: the one given, with another mode of one contact or joint."""
    top = s.counts[0]
    copy(mode, s.stack_mode[top])
    copy(arc.reshape(-1), s.stack_arc[top].reshape(-1))
    copy(cuts.reshape(-1), s.stack_cuts[top].reshape(-1))
    s.stack_mode[top, which] = chosen
    s.stack_arc[top, which, 0], s.stack_arc[top, which, 1] = level, index
    s.counts[0] = top + 1


@kernel
def push_cut(s: CellRecord, mode: IntArray, arc: IntArray, cuts: Array, which: int, angle: float, side: float) -> None:
    """One more cell: the one given, with the slip of one contact bounded to a half-plane."""
    top = s.counts[0]
    push(s, mode, arc, cuts, which, mode[which], arc[which, 0], arc[which, 1])
    count = int(cuts[0, 0]) + 1
    s.stack_cuts[top, 0, 0] = count
    s.stack_cuts[top, count, 0], s.stack_cuts[top, count, 1], s.stack_cuts[top, count, 2] = which, angle, side


@kernel
def children(
    p: CoulombArrays, s: CellRecord, mode: IntArray, arc: IntArray, cuts: Array, which: int, angle: float
) -> None:
    """Divide a cell by one contact or joint, in a fixed order; the last child is looked at first."""
    k = len(p.white)
    now, level, index = mode[which], arc[which, 0], arc[which, 1]
    if which >= k:
        push(s, mode, arc, cuts, which, STAYS, 0, 0)
        if p.upper[which - k] < np.inf:
            push(s, mode, arc, cuts, which, DOWN, 0, 0)
        if p.lower[which - k] > -np.inf:
            push(s, mode, arc, cuts, which, UP, 0, 0)
    elif now == FREE:
        push(s, mode, arc, cuts, which, SEPARATE, 0, 0)
        if not np.isnan(p.slip[which]) or not has_friction(p, which):
            push(s, mode, arc, cuts, which, TOUCH, 0, 0)
        else:
            push(s, mode, arc, cuts, which, STICK, 0, 0)
            push(s, mode, arc, cuts, which, SLIDE, 0, 0)
    elif now == SLIDE:
        push_cut(s, mode, arc, cuts, which, angle, -1.0)
        push_cut(s, mode, arc, cuts, which, angle, 1.0)
    elif level == 0:
        for j in range(2**FIRST_LEVEL):
            push(s, mode, arc, cuts, which, now, FIRST_LEVEL, j)
    else:
        push(s, mode, arc, cuts, which, now, level + 1, 2 * index)
        push(s, mode, arc, cuts, which, now, level + 1, 2 * index + 1)


@kernel
def cut_angle(w: CoulombWork, i: int, cuts: Array) -> float:
    """Where to cut the slips of a contact: through the middle of its arc, or at right angles to its present slip."""
    if np.isnan(w.range[i, 0]):
        return np.arctan2(w.a[i, 1], w.a[i, 0]) + 0.5 * np.pi * (int(cuts[0, 0]) % 2)
    return 0.5 * (w.range[i, 0] + w.range[i, 1]) + 0.5 * np.pi


@kernel
def likely_child(
    p: CoulombArrays, w: CoulombWork, mode: IntArray, arc: IntArray, which: int, count: int, angle: float
) -> int:
    """The number of the child that the present solution lies in, in the order of `children`."""
    k = len(p.white)
    if which >= k:
        theta = w.theta[which - k]
        return 0 if abs(theta) <= AT_REST or count == 1 else (count - 1 if theta > 0.0 else 1)
    if mode[which] == FREE:
        if w.a[which, 2] > AT_REST and w.a[which, 2] >= w.f[which, 2]:
            return 0
        return 1 if np.hypot(w.a[which, 0], w.a[which, 1]) <= AT_REST else count - 1
    if mode[which] == SLIDE:
        return 1 if np.cos(angle) * w.a[which, 0] + np.sin(angle) * w.a[which, 1] >= 0.0 else 0
    turn = np.arctan2(w.f[which, 1], w.f[which, 0]) / (2.0 * np.pi)
    turn += 1.0 if turn < 0.0 else 0.0
    if arc[which, 0] == 0:
        return min(int(turn * 2**FIRST_LEVEL), 2**FIRST_LEVEL - 1)
    return 1 if turn * 2.0 ** arc[which, 0] - arc[which, 1] > 0.5 else 0


@kernel
def visit_first(s: CellRecord, start: int, chosen: int) -> None:
    """Exchange a child with the last one, so that it is looked at first."""
    top, other = s.counts[0] - 1, start + chosen
    if top != other:
        swap(s.stack_mode[top], s.stack_mode[other])
        swap(s.stack_arc[top].reshape(-1), s.stack_arc[other].reshape(-1))
        swap(s.stack_cuts[top].reshape(-1), s.stack_cuts[other].reshape(-1))


@kernel
def choose(p: CoulombArrays, w: CoulombWork, mode: IntArray, arc: IntArray, cuts: Array) -> int:
    """What to divide the cell by: what is undecided first, then sliding, then sticking; of each the largest mismatch.

    -1 where nothing is left to divide.
    """
    k, which, worst, order = len(p.white), -1, 0.0, 4
    width = 2.0 * np.pi / 2.0 ** p.settings[2]
    for i in range(len(mode)):
        rank = 4
        if mode[i] == FREE:
            rank = 1
        elif i < k and mode[i] == SLIDE:
            if np.isnan(w.range[i, 0]) or w.range[i, 1] - w.range[i, 0] > width:
                rank = 2 if cuts[0, 0] < len(cuts) - 1 else 4
        elif i < k and mode[i] == STICK and has_friction(p, i) and arc[i, 0] < p.settings[2]:
            rank = 3
        if rank < 4 and w.mismatch[i] > 0.0 and (rank < order or (rank == order and w.mismatch[i] > worst)):
            which, worst, order = i, w.mismatch[i], rank
    return which


@kernel
def undecided_part(p: CoulombArrays, w: CoulombWork, mode: IntArray, cuts: Array) -> int:
    """A contact or joint that a full division still has to divide: undecided, or sliding in the widest arc; or -1."""
    which, widest = -1, 2.0 * np.pi / 2.0 ** p.settings[4]
    for i in range(len(mode)):
        if mode[i] == FREE:
            return i
        if i < len(p.white) and mode[i] == SLIDE and cuts[0, 0] < len(cuts) - 1:
            wide = 2.0 * np.pi if np.isnan(w.range[i, 0]) else w.range[i, 1] - w.range[i, 0]
            if wide > widest:
                which, widest = i, wide
    return which


@kernel
def keep_motion(p: CoulombArrays, w: CoulombWork, found: Array) -> None:
    """Store the present solution as a motion: x, theta, f, and 1."""
    n, r = len(p.drive), len(p.lower)
    copy(w.x, found)
    copy(w.theta, found[n:])
    copy(w.f.reshape(-1), found[n + r :])
    found[-1] = 1.0


@inlined
def examine(p: CoulombArrays, w: CoulombWork, s: CellRecord, at: int) -> int:
    """The programs of a cell: whether accelerations exist, the arcs of its slips, the forces. The proof is recorded."""
    mode, arc, cuts = s.mode[at], s.arc[at], s.cuts[at]
    s.kind[at] = KINEMATIC
    w.samples_kept[0] = 0
    add_cell_rows(p, w, mode, cuts)
    add_motion_columns(p, w, mode)
    outcome = solve_motion(p, w, 0)
    if outcome != EMPTY:
        still = find_arcs(p, w, mode, cuts)
        if still >= 0:
            outcome, s.kind[at] = EMPTY, still
        else:
            s.kind[at] = DYNAMIC
            outcome = solve_cell(p, w, mode, arc, cuts)
    s.counts[2] += 1
    if outcome == EMPTY:
        s.branch[at] = LEAF
        copy(w.multipliers, s.multipliers[at])
        copy(w.plane, s.plane[at])
        if s.kind[at] != KINEMATIC:
            copy(w.proofs.reshape(-1), s.proofs[at].reshape(-1))
            copy(w.range.reshape(-1), s.range[at].reshape(-1))
    return outcome


@kernel
def go_half_way(p: CoulombArrays, w: CoulombWork, found: Array) -> None:
    """The middle between the present solution and a stored motion."""
    n, r = len(p.drive), len(p.lower)
    for j in range(r):
        w.theta[j] = 0.5 * (w.theta[j] + found[n + j])
    for i in range(len(p.white)):
        for b in range(3):
            w.f[i, b] = 0.5 * (w.f[i, b] + found[n + r + 3 * i + b])
    settle(p, w)


@inlined
def reach_end(p: CoulombArrays, w: CoulombWork, way: Array, found: Array) -> bool:
    """From a motion of `newton`, one of larger way . x in the same modes and directions of slip: the end, or half way.

    Whether there is one; the motion itself is in `found`.
    """
    for i in range(len(p.white)):
        if w.mode[i] == ALONG:
            w.angle[i] = np.arctan2(w.a[i, 1], w.a[i, 0])
    build_modes(p, w)
    start_table(p, w, False, 0)
    if solve(w) != SOLVED:
        return False
    maximise(w, way)
    read_solution(p, w)
    for _ in range(2):
        settle(p, w)
        if is_lawful(p, w):
            return True
        go_half_way(p, w, found)
    return False


@inlined
def probe(p: CoulombArrays, w: CoulombWork, s: CellRecord) -> None:
    """The largest way . x of the first cell in the record, for every way in `plane`, and motions on the way there.

    The largest values, which are outer bounds, go to `angle`, the motions to `found`, whose last row is a motion of
    this cell.
    """
    mode, arc, cuts, last = s.mode[0], s.arc[0], s.cuts[0], len(s.branch) - 1
    for index in range(last):
        way = s.plane[index]
        s.angle[index], s.found[index, -1] = np.inf, 0.0
        w.samples_kept[0] = 0
        find_arcs(p, w, mode, cuts)
        if solve_cell(p, w, mode, arc, cuts) != SOLVED:
            continue
        outcome = maximise(w, way)
        read_solution(p, w)
        if outcome == SOLVED:
            s.angle[index] = 0.0
            for b in range(len(p.drive)):
                s.angle[index] += way[b] * w.x[b]
        go_half_way(p, w, s.found[last])
        if is_lawful(p, w):
            keep_motion(p, w, s.found[index])
        elif newton(p, w):
            keep_motion(p, w, s.found[index])
            if reach_end(p, w, way, s.found[index]):
                keep_motion(p, w, s.found[index])


@released_kernel
def search(p: CoulombArrays, w: CoulombWork, s: CellRecord) -> int:
    """Look for motions until one is found, no cell is left, or the record is full.

    With counts[4] = 1 it does not stop at a motion: cells are divided down to the finest level and kept. With 2 it only
    examines the ends of one cell: see `probe`.
    """
    if s.counts[4] == 2:
        probe(p, w, s)
        return EXHAUSTED
    while s.counts[0] > 0:
        at = s.counts[1]
        if at >= len(s.branch):
            return FULL
        if s.counts[0] + 2**FIRST_LEVEL + 2 > len(s.stack_mode):
            return OVERFLOW
        top = s.counts[0] - 1
        mode, arc, cuts = s.mode[at], s.arc[at], s.cuts[at]
        copy(s.stack_mode[top], mode)
        copy(s.stack_arc[top].reshape(-1), arc.reshape(-1))
        copy(s.stack_cuts[top].reshape(-1), cuts.reshape(-1))
        s.counts[0], s.counts[1], s.first[at], s.angle[at] = top, at + 1, 0, 0.0
        w.size[3] = 0
        outcome = examine(p, w, s, at)
        s.counts[3] += w.size[3]
        if outcome == EMPTY:
            continue
        solved = outcome == SOLVED
        lawful = solved and is_lawful(p, w)
        which = choose(p, w, mode, arc, cuts) if solved else undecided_part(p, w, mode, cuts)
        if s.counts[4] == 1 and solved:
            part = undecided_part(p, w, mode, cuts)
            if part < 0 and (lawful or newton(p, w)):
                keep_motion(p, w, s.found[at])
                s.branch[at] = KEPT
                continue
            if part >= 0 and (which < 0 or mode[which] != FREE):
                which = part
        child, angle = -1, 0.0
        if which >= 0:
            start = s.counts[0]
            angle = cut_angle(w, which, cuts) if which < len(p.white) else 0.0
            children(p, s, mode, arc, cuts, which, angle)
            child = likely_child(p, w, mode, arc, which, s.counts[0] - start, angle)
            visit_first(s, start, child)
        if s.counts[4] == 0 and solved and (lawful or newton(p, w)):
            keep_motion(p, w, s.found[at])
            s.branch[at] = KEPT
            return FOUND
        if which < 0:
            s.branch[at] = OPEN
            s.counts[5] += 1
            continue
        s.branch[at], s.first[at], s.angle[at] = which, child, angle
    return EXHAUSTED


# -- room for arrays --------------------------------------------------------------------------------


def new_work(k: int, r: int, n: int) -> CoulombWork:
    """Room for programs of k contacts, r joints and n coordinates."""
    rows, columns = 4 * k + 2 * r + 2 + MOST_CUTS + MOST_PLANES, 2 * HULL * k + 2 * r + 2 * n
    return CoulombWork(
        table=np.zeros((rows + 1, columns + 1)),
        basic=np.zeros(rows, np.int64),
        nonbasic=np.zeros(columns, np.int64),
        width=np.zeros(rows),
        flipped=np.zeros(rows, np.int64),
        size=np.zeros(5, np.int64),
        rows=np.zeros((rows, n)),
        row_joints=np.zeros((rows, r)),
        constant=np.zeros(rows),
        least=np.zeros(rows),
        kind=np.zeros((rows, 2), np.int64),
        columns=np.zeros((columns, n)),
        force=np.zeros((columns, 3)),
        owner=np.zeros(columns, np.int64),
        weights=np.zeros(columns),
        multipliers=np.zeros(rows),
        plane=np.zeros(n),
        planes=np.zeros((MOST_PLANES, n)),
        x=np.zeros(n),
        theta=np.zeros(r),
        f=np.zeros((k, 3)),
        a=np.zeros((k, 3)),
        mismatch=np.zeros(k + r),
        range=np.full((k, 2), np.nan),
        samples=np.zeros((MOST_SAMPLES * k, n + r)),
        samples_kept=np.zeros(1, np.int64),
        proofs=np.zeros((2 * k + 4, rows)),
        mode=np.zeros(k + r, np.int64),
        arc=np.zeros((k + r, 2), np.int64),
        angle=np.zeros(k),
        edge=np.zeros(k, np.int64),
        square=np.zeros((n, 2 * n + 1)),
        torque=np.zeros((r, n + r + 1)),
        drive=np.zeros(n),
    )


def new_state(work: CoulombWork, depth: int, chunk: int) -> CellRecord:
    """Room for so many cells to look at and so many in the record."""
    k, r, n = len(work.f), len(work.theta), len(work.x)
    return CellRecord(
        stack_mode=np.zeros((depth, k + r), np.int64),
        stack_arc=np.zeros((depth, k + r, 2), np.int64),
        stack_cuts=np.zeros((depth, 1 + MOST_CUTS, 3)),
        branch=np.zeros(chunk, np.int64),
        multipliers=np.zeros((chunk, len(work.multipliers))),
        plane=np.zeros((chunk, n)),
        found=np.zeros((chunk, n + r + 3 * k + 1)),
        first=np.zeros(chunk, np.int64),
        angle=np.zeros(chunk),
        mode=np.zeros((chunk, k + r), np.int64),
        arc=np.zeros((chunk, k + r, 2), np.int64),
        cuts=np.zeros((chunk, 1 + MOST_CUTS, 3)),
        kind=np.zeros(chunk, np.int64),
        range=np.zeros((chunk, k, 2)),
        proofs=np.zeros((chunk, 2 * k + 4, len(work.multipliers))),
        counts=np.zeros(6, np.int64),
    )
