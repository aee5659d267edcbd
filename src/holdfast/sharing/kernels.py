"""The path of forces while a load grows: contacts on springs that fail, slip, yield, open and close, joints that slip.

The object moves by a small twist, the joints by small angles: together x (n,). Contact i is displaced by -v_i, with
v_i = maps_i x in its frame. While it holds, its force changes by K_i v_i. Everything is linear between events, so a
path is a list of segments; `run` finds the end of each segment exactly and never steps through time.

On each segment the rates follow from one small system (`solve_rate`):

    sum_i maps_i^T r_i(maps_i x) + k x = c,

with c the rate of the load, k the springs of the joints, and r_i the rate of the force. Inside its volume r_i = K_i v.
On the border of its volume the force follows the facets: r = K_i (v - sum_j lambda_j g_j), lambda_j >= 0, a_j . r <= 0,
with lambda_j = 0 or a_j . r = 0. The flow g_j is the facet's normal a_j (associated), or its part within the surface
for contacts that slip. Without slip r_i is the gradient of a convex function of v, so that Newton's method with a line
search finds the rates, or a motion that nothing resists: the collapse.

A brittle contact that would have to flow fails instead. Its force decreases to zero while the load is constant: the
lost force acts as a load, and contacts that leave their volume during this step fail too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..checks import Array, IntArray
from ..compiling import inlined, kernel, released_kernel

#: Rules of failure, and states of a contact.
BRITTLE, SLIP, DUCTILE = range(3)
HELD, OPEN, FAILED = range(3)

#: States of a joint: it holds its position; it slips at its upper or lower limit; its torque is prescribed.
LOCKED, AT_UPPER, AT_LOWER, DRIVEN = range(4)

#: Stages of a path: the preload, the torques of driven joints and the base load grow together; then the load grows.
BASE, LOAD = range(2)

#: How a path ends: nothing resists; no further event; the requested end; no rates that continue it; no room left.
COLLAPSED, ENDLESS, REACHED, LOST, FULL = range(5)

#: How a contact's force changes: freely; along one facet; along two; not at all.
FREE, ONE_FACET, TWO_FACETS, FIXED = range(4)

#: Stored in place of a facet: the force follows none; the force does not change.
NO_FACET, AT_CORNER = -1, -2

#: A force lies on a facet within this fraction of the size of the forces.
ON_FACET = 1e-9

#: Rates smaller than this share of the largest are rounding.
STILL = 1e-10

#: Rounding of a rate that is the difference of two others, as a share of these.
ROUNDED = 1e-12

#: Facets whose normal has a smaller part along the surface limit only the normal force.
UPRIGHT = 1e-6

#: Relative tolerance of the balance of rates, with respect to the load's rate.
BALANCED = 1e-11

#: Largest rounding error of that balance, near a collapse, where small loads cause large motions.
MOST_ROUNDING = 1e-5

#: Rounding error of a stiff contact, as a fraction of its stiffness times the largest motion.
MOVED_ROUNDING = 1e-15

#: Pivots of Lemke's method below this, and ratios closer than this share of the rates, are taken for rounding.
LEAST_PIVOT, SAME_RATIO = 1e-8, 1e-13

#: A motion is tried at forces this many times the load; nothing resists it if less than this fraction appears.
FAR, UNRESISTED = 1e8, 1e-6

#: A load drives a motion if its power is more than this fraction of the largest load times the largest displacement.
LEAST_POWER = 1e-7

#: Springs alone do not balance the load if more than this fraction of it remains.
UNBALANCED = 1e-3

#: Coordinates that no spring holds are regularised as if they had this share of the mean stiffness.
LEAST_WEIGHT = 1e-3

#: Fraction of the stiffness of all contacts that is added, so that the system can be solved where contacts let go.
LEAST_STIFFNESS = 1e-12

#: Limits: Newton steps of one system, and where contacts slip; line search trials; state changes without progress.
MOST_STEPS, MOST_SLIP_STEPS, MOST_TRIALS, MOST_CHANGES = 60, 12, 60, 4


#: Largest number of facets with forces on them, for the method that is used where Newton's method does not converge.
MOST_ROWS = 400


class SharingProblem(NamedTuple):
    """Contacts, joints and loads; k contacts, n coordinates, r joints. Rotations and torques are scaled to m and N."""

    maps: Array  # (k, 3, n) coordinates to minus the displacement of the object against the surface, contact frame [m]
    stiffness: Array  # (k, 3, 3) [N/m]
    preload: Array  # (k, 3) [N]
    normals: Array  # (m, 3) facets of all volumes: normals . (shrink f) <= offsets
    offsets: Array  # (m,)
    first: IntArray  # (k, p + 1) where the facets of a contact's pieces begin
    pieces: IntArray  # (k,) number of pieces
    shrink: Array  # (k, 3) what a force is multiplied by before it is compared with the facets
    size: Array  # (k,) of the volume [N]
    floor: Array  # (k,) least normal force in the volume [N]
    unit: IntArray  # (k,) contacts that share one piece
    first_point: IntArray  # (u + 1,) where a unit's contacts begin
    group: IntArray  # (k,) contacts that let go together
    rule: IntArray  # (k,)
    lower: Array  # (r,) limits of the joint rows [N]
    upper: Array  # (r,)
    spring: Array  # (r,) [N/m]
    servo: Array  # (r,) [N/m]
    base: Array  # (n,) load that stays [N]
    load: Array  # (n,) load that grows [N]


class SharingState(NamedTuple):
    """The present point of a path."""

    force: Array  # (k, 3) [N]
    flowed: Array  # (k, 3) displacement that does not load the spring [m]
    x: Array  # (n,)
    gap: Array  # (k,) of open contacts [m]
    held: Array  # (r,) torque of a joint without its spring [N]
    mode: IntArray  # (k,)
    joint_mode: IntArray  # (r,)
    piece: IntArray  # (u,)
    changes: IntArray  # (k + r,) how often a state changed since the last progress


class SharingWork(NamedTuple):
    """Arrays for one system of rates."""

    c: Array  # (n,) rate of the load
    extra: Array  # (k, 3) rate of the preload
    relaxed: Array  # (k, 3) rate at which the preload moves the rest position of a spring
    drive: Array  # (r,) rate of given torques
    v: Array  # (k, 3)
    trial: Array  # (k, 3) rate of the force without a limit
    rate: Array  # (k, 3) rate of the force
    multiplier: Array  # (k, 2)
    code: IntArray  # (k,)
    flow: IntArray  # (k, 2) facets
    active: IntArray  # (k, m) facets that the force lies on
    counts: IntArray  # (k,) how many of these the force follows
    border: IntArray  # (k,) how many there are
    tangent: Array  # (k, 3, 3)
    x: Array  # (n,) rate of the coordinates
    ahead: Array  # (n,)
    step: Array  # (n,)
    motion: Array  # (n,) that nothing resists
    residual: Array  # (n,)
    system: Array  # (n, n)
    order: IntArray  # (n,) exchanged rows of the system
    scale: Array  # (4,) least rate that counts, size of the load's rate, largest force so far, least motion that counts
    gives_in: IntArray  # (1,) whether a motion that nothing resists is preferred to rates, where there are both
    weight: Array  # (n, n) stiffness of all contacts together, also of those that fail or open
    torque: Array  # (r,) rate of `held`
    small: Array  # (8, 3)
    inverse: Array  # (n, 2 n) the inverse of the stiffness, in its right half
    pivots: Array  # (m, 2 m + 2) tableau of the complementarity problem
    basis: IntArray  # (m,)
    owner: IntArray  # (m, 2) contact and facet of each row


class SharingPath(NamedTuple):
    """The segments of a path, and its last point; room for s of them."""

    stage: IntArray  # (s,)
    released: IntArray  # (s,) whether the load stays while lost forces go to zero
    share: Array  # (s,) of the stage that is done; of the load: the factor
    force: Array  # (s, k, 3)
    flowed: Array  # (s, k, 3)
    x: Array  # (s, n)
    held: Array  # (s, r)
    gap: Array  # (s, k)
    mode: IntArray  # (s, k)
    joint_mode: IntArray  # (s, r)
    piece: IntArray  # (s, u)
    flow: IntArray  # (s, k, 2)


def new_work(k: int, n: int, r: int, most_facets: int) -> SharingWork:
    """Arrays for k contacts with at most `most_facets` facets in a piece."""
    rows = min(k * (most_facets + 1), MOST_ROWS)
    integers = np.int64
    return SharingWork(
        c=np.zeros(n),
        extra=np.zeros((k, 3)),
        relaxed=np.zeros((k, 3)),
        drive=np.zeros(r),
        v=np.zeros((k, 3)),
        trial=np.zeros((k, 3)),
        rate=np.zeros((k, 3)),
        multiplier=np.zeros((k, 2)),
        code=np.zeros(k, integers),
        flow=np.full((k, 2), NO_FACET, integers),
        active=np.zeros((k, most_facets), integers),
        counts=np.zeros(k, integers),
        border=np.zeros(k, integers),
        tangent=np.zeros((k, 3, 3)),
        x=np.zeros(n),
        ahead=np.zeros(n),
        step=np.zeros(n),
        motion=np.zeros(n),
        residual=np.zeros(n),
        system=np.zeros((n, n)),
        order=np.zeros(n, integers),
        scale=np.zeros(4),
        gives_in=np.zeros(1, integers),
        weight=np.zeros((n, n)),
        torque=np.zeros(r),
        small=np.zeros((8, 3)),
        inverse=np.zeros((n, 2 * n)),
        pivots=np.zeros((rows, 2 * rows + 2)),
        basis=np.zeros(rows, integers),
        owner=np.zeros((rows, 2), integers),
    )


def new_state(k: int, n: int, r: int, units: int) -> SharingState:
    """The state without any load."""
    return SharingState(
        force=np.zeros((k, 3)),
        flowed=np.zeros((k, 3)),
        x=np.zeros(n),
        gap=np.zeros(k),
        held=np.zeros(r),
        mode=np.zeros(k, np.int64),
        joint_mode=np.zeros(r, np.int64),
        piece=np.zeros(units, np.int64),
        changes=np.zeros(k + r, np.int64),
    )


def new_path(room: int, k: int, n: int, r: int, units: int) -> SharingPath:
    """Room for `room` segments; with room for one, none is stored."""
    return SharingPath(
        stage=np.zeros(room, np.int64),
        released=np.zeros(room, np.int64),
        share=np.zeros(room),
        force=np.zeros((room, k, 3)),
        flowed=np.zeros((room, k, 3)),
        x=np.zeros((room, n)),
        held=np.zeros((room, r)),
        gap=np.zeros((room, k)),
        mode=np.zeros((room, k), np.int64),
        joint_mode=np.zeros((room, r), np.int64),
        piece=np.zeros((room, units), np.int64),
        flow=np.full((room, k, 2), NO_FACET, np.int64),
    )


# -- one contact ------------------------------------------------------------------------------------


@inlined
def along(problem: SharingProblem, i: int, facet: int, vectors: Array, row: int) -> float:
    """normals . (shrink vector) for a row of vectors."""
    normals, shrink = problem.normals, problem.shrink
    return (
        normals[facet, 0] * shrink[i, 0] * vectors[row, 0]
        + normals[facet, 1] * shrink[i, 1] * vectors[row, 1]
        + normals[facet, 2] * shrink[i, 2] * vectors[row, 2]
    )


@inlined
def slides(problem: SharingProblem, i: int, facet: int) -> bool:
    """Whether flow on a facet stays along the surface: a slipping contact, and a facet that limits its shear."""
    across = abs(problem.normals[facet, 0]) + abs(problem.normals[facet, 1])
    return problem.rule[i] == SLIP and across > UPRIGHT


@inlined
def least_rate(work: SharingWork, i: int) -> float:
    """Rates of a contact's force that are smaller than this are rounding."""
    return work.scale[0] + ROUNDED * (abs(work.trial[i, 0]) + abs(work.trial[i, 1]) + abs(work.trial[i, 2]))


@kernel
def flow_force(problem: SharingProblem, i: int, facet: int, small: Array, row: int) -> None:
    """Row `row` of `small`: K g, the force that a unit of flow on a facet removes."""
    stiffness = problem.stiffness
    gx = problem.normals[facet, 0] * problem.shrink[i, 0]
    gy = problem.normals[facet, 1] * problem.shrink[i, 1]
    gz = 0.0 if slides(problem, i, facet) else problem.normals[facet, 2] * problem.shrink[i, 2]
    for a in range(3):
        small[row, a] = stiffness[i, a, 0] * gx + stiffness[i, a, 1] * gy + stiffness[i, a, 2] * gz


@kernel
def keeps_within(problem: SharingProblem, work: SharingWork, i: int, row: int, least: float) -> bool:
    """Whether the rate in a row of `small` crosses no facet that the force lies on."""
    for index in range(work.counts[i]):  # noqa: SIM110 - compiled
        if along(problem, i, work.active[i, index], work.small, row) > least:
            return False
    return True


@kernel
def respond(problem: SharingProblem, work: SharingWork, i: int) -> None:
    """Rate of a contact's force for its trial rate: the trial rate, or along one or two facets that it lies on, or 0.

    Rows of `small`: 0 the tried rate, 1 and 2 the force that flow on two facets removes.
    """
    small, trial, rate = work.small, work.trial, work.rate
    count, least = work.counts[i], least_rate(work, i)
    work.flow[i, 0], work.flow[i, 1] = NO_FACET, NO_FACET
    work.multiplier[i, 0], work.multiplier[i, 1] = 0.0, 0.0
    worst = 0.0
    for index in range(count):
        worst = max(worst, along(problem, i, work.active[i, index], trial, i))
    if worst <= least:
        work.code[i] = FREE
        for a in range(3):
            rate[i, a] = trial[i, a]
        return
    stiff = abs(problem.stiffness[i, 0, 0]) + abs(problem.stiffness[i, 1, 1]) + abs(problem.stiffness[i, 2, 2])
    for index in range(count):
        j = work.active[i, index]
        excess = along(problem, i, j, trial, i)
        if excess <= 0.0:
            continue
        flow_force(problem, i, j, small, 1)
        given = along(problem, i, j, small, 1)
        if given <= ROUNDED * stiff:
            continue
        for a in range(3):
            small[0, a] = trial[i, a] - excess / given * small[1, a]
        if keeps_within(problem, work, i, 0, least):
            work.code[i], work.flow[i, 0], work.multiplier[i, 0] = ONE_FACET, j, excess / given
            for a in range(3):
                rate[i, a] = small[0, a]
            return
    for index in range(count):
        j = work.active[i, index]
        flow_force(problem, i, j, small, 1)
        jj, sj = along(problem, i, j, small, 1), along(problem, i, j, trial, i)
        for other in range(index):
            l = work.active[i, other]  # noqa: E741
            flow_force(problem, i, l, small, 2)
            ll, sl = along(problem, i, l, small, 2), along(problem, i, l, trial, i)
            jl, lj = along(problem, i, j, small, 2), along(problem, i, l, small, 1)
            det = jj * ll - jl * lj
            if abs(det) <= ROUNDED * stiff * stiff:
                continue
            first, second = (ll * sj - jl * sl) / det, (jj * sl - lj * sj) / det
            if first < 0.0 or second < 0.0:
                continue
            for a in range(3):
                small[0, a] = trial[i, a] - first * small[1, a] - second * small[2, a]
            sj, sl = along(problem, i, j, small, 0), along(problem, i, l, small, 0)
            for a in range(3):  # repeated: rounding is large between almost parallel facets
                small[0, a] -= ((ll * sj - jl * sl) * small[1, a] + (jj * sl - lj * sj) * small[2, a]) / det
            sj = along(problem, i, j, trial, i)
            if keeps_within(problem, work, i, 0, least):
                work.code[i], work.flow[i, 0], work.flow[i, 1] = TWO_FACETS, j, l
                work.multiplier[i, 0], work.multiplier[i, 1] = first, second
                for a in range(3):
                    rate[i, a] = small[0, a]
                return
    work.code[i] = FIXED
    for a in range(3):
        rate[i, a] = 0.0


@kernel
def differentiate(problem: SharingProblem, work: SharingWork, i: int) -> None:
    """The tangent of `respond`: K minus the effect of flow on the facets."""
    small, tangent, stiffness = work.small, work.tangent, problem.stiffness
    for a in range(3):
        for b in range(3):
            tangent[i, a, b] = 0.0 if work.code[i] == FIXED else stiffness[i, a, b]
    if work.code[i] == ONE_FACET or work.code[i] == TWO_FACETS:
        j, l = work.flow[i, 0], work.flow[i, 1]  # noqa: E741
        flow_force(problem, i, j, small, 1)
        for b in range(3):  # rows 3 and 4: normal . K
            small[3, b], small[4, b] = 0.0, 0.0
            for a in range(3):
                small[3, b] += problem.normals[j, a] * problem.shrink[i, a] * stiffness[i, a, b]
        jj = along(problem, i, j, small, 1)
        if l == NO_FACET:
            for a in range(3):
                for b in range(3):
                    tangent[i, a, b] -= small[1, a] * small[3, b] / jj
            return
        flow_force(problem, i, l, small, 2)
        for b in range(3):
            for a in range(3):
                small[4, b] += problem.normals[l, a] * problem.shrink[i, a] * stiffness[i, a, b]
        ll, jl, lj = along(problem, i, l, small, 2), along(problem, i, j, small, 2), along(problem, i, l, small, 1)
        det = jj * ll - jl * lj
        for a in range(3):
            for b in range(3):
                first = (ll * small[3, b] - jl * small[4, b]) / det
                second = (jj * small[4, b] - lj * small[3, b]) / det
                tangent[i, a, b] -= small[1, a] * first + small[2, a] * second


# -- the rates of all -------------------------------------------------------------------------------


@kernel
def evaluate(problem: SharingProblem, state: SharingState, work: SharingWork, x: Array) -> None:
    """`residual` of the balance of rates for coordinates that change by x, and the rate of each force."""
    maps, stiffness, residual = problem.maps, problem.stiffness, work.residual
    k, n, r = len(maps), len(x), len(problem.lower)
    for a in range(n):
        residual[a] = -work.c[a]
    for i in range(k):
        if state.mode[i] == FAILED:
            work.code[i] = FIXED
            continue
        for a in range(3):
            value = 0.0
            for b in range(n):
                value += maps[i, a, b] * x[b]
            work.v[i, a] = value
            work.rate[i, a] = 0.0
        if state.mode[i] != HELD:
            for a in range(3):
                work.v[i, a] += work.relaxed[i, a]
            work.code[i] = FIXED
            continue
        for a in range(3):
            value = work.extra[i, a]
            for b in range(3):
                value += stiffness[i, a, b] * work.v[i, b]
            work.trial[i, a] = value
        respond(problem, work, i)
        for a in range(3):
            for b in range(n):
                residual[b] += maps[i, a, b] * work.rate[i, a]
    for j in range(r):
        a = n - r + j
        if state.joint_mode[j] == LOCKED and problem.servo[j] == np.inf:
            work.torque[j] = residual[a]  # the torque that the joint must supply
            residual[a] = 0.0
            continue
        work.torque[j] = -problem.servo[j] * x[a] if state.joint_mode[j] == LOCKED else work.drive[j]
        residual[a] += problem.spring[j] * x[a] - work.torque[j]


@kernel
def factorise(system: Array, order: IntArray) -> None:
    """Eliminate a square system with row pivots: factors below the diagonal, exchanged rows in `order`."""
    n = len(system)
    for column in range(n):
        pivot = column
        for row in range(column + 1, n):
            if abs(system[row, column]) > abs(system[pivot, column]):
                pivot = row
        order[column] = pivot
        if pivot != column:
            for b in range(n):
                system[column, b], system[pivot, b] = system[pivot, b], system[column, b]
        for row in range(column + 1, n):
            factor = system[row, column] / system[column, column]
            system[row, column] = factor
            if factor != 0.0:
                for b in range(column + 1, n):
                    system[row, b] -= factor * system[column, b]


@kernel
def solve_factorised(system: Array, order: IntArray, x: Array) -> None:
    """Solve a system that `factorise` eliminated; its right side is in x."""
    n = len(system)
    for column in range(n):
        pivot = order[column]
        x[column], x[pivot] = x[pivot], x[column]
    for row in range(n):
        for b in range(row):
            x[row] -= system[row, b] * x[b]
    for row in range(n - 1, -1, -1):
        for b in range(row + 1, n):
            x[row] -= system[row, b] * x[b]
        x[row] /= system[row, row]


@kernel
def assemble_system(problem: SharingProblem, state: SharingState, work: SharingWork) -> None:
    """The stiffness matrix at the present rates."""
    maps, system, tangent = problem.maps, work.system, work.tangent
    k, n, r = len(maps), len(work.x), len(problem.lower)
    for a in range(n):
        for b in range(n):
            system[a, b] = LEAST_STIFFNESS * work.weight[a, b]
    for i in range(k):
        if state.mode[i] != HELD or work.code[i] == FIXED:
            continue
        differentiate(problem, work, i)
        for c in range(3):
            for b in range(n):
                value = 0.0
                for d in range(3):
                    value += tangent[i, c, d] * maps[i, d, b]
                if value != 0.0:
                    for a in range(n):
                        system[a, b] += maps[i, c, a] * value
    for j in range(r):
        a = n - r + j
        if state.joint_mode[j] == LOCKED and problem.servo[j] == np.inf:
            for b in range(n):
                system[a, b], system[b, a] = 0.0, 0.0
            system[a, a] = 1.0
        else:
            system[a, a] += problem.spring[j]
            if state.joint_mode[j] == LOCKED:
                system[a, a] += problem.servo[j]


@kernel
def weigh(problem: SharingProblem, work: SharingWork) -> None:
    """`weight`: the stiffness of all contacts, and a little in every direction."""
    maps, weight, small = problem.maps, work.weight, work.small
    k, n, mean = len(maps), len(work.x), 0.0
    for a in range(n):
        for b in range(n):
            weight[a, b] = 0.0
    for i in range(k):
        for b in range(n):
            for c in range(3):
                small[0, c] = 0.0
                for d in range(3):
                    small[0, c] += problem.stiffness[i, c, d] * maps[i, d, b]
            for a in range(n):
                for c in range(3):
                    weight[a, b] += maps[i, c, a] * small[0, c]
    for a in range(n):
        mean += weight[a, a] / n
    for a in range(n):
        weight[a, a] += LEAST_WEIGHT * mean


@kernel
def newton_step(problem: SharingProblem, state: SharingState, work: SharingWork) -> None:
    """`step` from the residual and the tangents of the present rates."""
    assemble_system(problem, state, work)
    factorise(work.system, work.order)
    solve_again(work)


@kernel
def solve_again(work: SharingWork) -> None:
    """`step` from the residual and the system that is already factorised; locked joints have no residual."""
    for a in range(len(work.step)):
        work.step[a] = -work.residual[a]
    solve_factorised(work.system, work.order, work.step)


@kernel
def invert_stiffness(problem: SharingProblem, state: SharingState, work: SharingWork) -> None:
    """The inverse of the stiffness without flow, in the right half of `inverse`."""
    n = len(work.x)
    for i in range(len(problem.maps)):
        work.code[i] = FREE if state.mode[i] == HELD else FIXED
    assemble_system(problem, state, work)
    table = work.inverse
    for a in range(n):
        for b in range(n):
            table[a, b], table[a, n + b] = work.system[a, b], 1.0 if a == b else 0.0
    for column in range(n):
        pivot = column
        for row in range(column + 1, n):
            if abs(table[row, column]) > abs(table[pivot, column]):
                pivot = row
        for b in range(2 * n):
            table[column, b], table[pivot, b] = table[pivot, b], table[column, b]
        scale = table[column, column]
        for b in range(2 * n):
            table[column, b] /= scale
        for row in range(n):
            factor = table[row, column]
            if row != column and factor != 0.0:
                for b in range(2 * n):
                    table[row, b] -= factor * table[column, b]
    for j in range(len(problem.lower)):  # rigid joints that hold do not move
        if state.joint_mode[j] == LOCKED and problem.servo[j] == np.inf:
            row = n - len(problem.lower) + j
            for b in range(n):
                table[row, n + b], table[b, n + row] = 0.0, 0.0


@kernel
def flow_of_row(problem: SharingProblem, work: SharingWork, row: int) -> None:
    """Row 1 of `small`: the force that a unit of flow of a row removes; `step`: its effect on the balance."""
    i, facet = work.owner[row, 0], work.owner[row, 1]
    if facet == NO_FACET:  # the contact opens
        for a in range(3):
            work.small[1, a] = -problem.stiffness[i, a, 2]
    else:
        flow_force(problem, i, facet, work.small, 1)
    for b in range(len(work.x)):
        value = 0.0
        for a in range(3):
            value += problem.maps[i, a, b] * work.small[1, a]
        work.step[b] = value


@kernel
def limit_of_row(problem: SharingProblem, work: SharingWork, row: int, vectors: Array, at: int) -> float:
    """The value of a row's limit for a force in a row of `vectors`: facet normal . force, or minus its normal part."""
    i, facet = work.owner[row, 0], work.owner[row, 1]
    if facet == NO_FACET:
        return -vectors[at, 2]
    return along(problem, i, facet, vectors, at)


@kernel
def collect_rows(problem: SharingProblem, state: SharingState, work: SharingWork) -> int:
    """`owner`: facets that forces lie on, and opening of slipping contacts without force; their number, or -1."""
    m = 0
    for i in range(len(problem.maps)):
        if state.mode[i] != HELD:
            continue
        near = 10.0 * ON_FACET * (problem.size[i] + work.scale[2])
        opens = 0
        if problem.rule[i] == SLIP and state.force[i, 2] <= problem.floor[i] / problem.shrink[i, 2] + near:
            opens = 1
        for index in range(work.counts[i]):
            if not slides(problem, i, work.active[i, index]):
                opens = 0
        if m + work.counts[i] + opens > len(work.basis):
            return -1
        for index in range(work.counts[i] + opens):
            work.owner[m, 0] = i
            work.owner[m, 1] = work.active[i, index] if index < work.counts[i] else NO_FACET
            m += 1
    return m


@kernel
def leaving_row(work: SharingWork, m: int, entering: int, largest: float) -> int:
    """The row of the tableau with the smallest ratio; the lexicographically smallest among equals, to avoid cycles."""
    t, last, leaving = work.pivots, 2 * m + 1, -1
    for row in range(m):
        if t[row, entering] <= LEAST_PIVOT:
            continue
        if leaving < 0:
            leaving = row
            continue
        change = max(t[row, last], 0.0) / t[row, entering] - max(t[leaving, last], 0.0) / t[leaving, entering]
        if abs(change) <= SAME_RATIO * largest / t[row, entering]:
            if work.basis[leaving] == 2 * m:
                continue
            change = 0.0
            if work.basis[row] == 2 * m:
                change = -1.0
            for column in range(m):
                if change != 0.0:
                    break
                change = t[row, column] / t[row, entering] - t[leaving, column] / t[leaving, entering]
                if abs(change) <= ROUNDED * (1.0 / t[row, entering] + 1.0 / t[leaving, entering]):
                    change = 0.0
        if change < 0.0:
            leaving = row
    return leaving


@kernel
def complementary_flow(problem: SharingProblem, state: SharingState, work: SharingWork) -> int:
    """The rates by Lemke's method: flow lambda >= 0 on facets, their distance s = q + M lambda >= 0, s . lambda = 0.

    The solution is written to `x`. Returns 1: found, 0: not found, -1: a ray along which flow is unbounded, in `step`.
    """
    n, k = len(work.x), len(problem.maps)
    m = collect_rows(problem, state, work)
    if m <= 0:
        return 0
    t, table, basis = work.pivots, work.inverse, work.basis
    invert_stiffness(problem, state, work)
    for a in range(n):
        work.x[a] = 0.0
    for i in range(k):
        work.code[i] = work.counts[i]  # the elastic rates first
        work.counts[i] = 0
    least = work.scale[0]
    evaluate(problem, state, work, work.x)
    for i in range(k):
        work.counts[i] = 0
    for a in range(n):
        value = 0.0
        for b in range(n):
            value -= table[a, n + b] * work.residual[b]
        work.ahead[a] = value
    evaluate(problem, state, work, work.ahead)  # trial: elastic rates
    find_active(problem, state, work)
    last, largest, stiff = 2 * m + 1, least, 0.0  # flow is counted in newtons: times the largest stiffness
    for i in range(k):
        for a in range(3):
            stiff = max(stiff, problem.stiffness[i, a, a])
    for column in range(m):
        flow_of_row(problem, work, column)
        owner = work.owner[column, 0]
        for a in range(n):
            value = 0.0
            for b in range(n):
                value += table[a, n + b] * work.step[b]
            work.residual[a] = value  # motion for a unit of flow
        for row in range(m):
            i = work.owner[row, 0]
            for a in range(3):
                value = 0.0
                for c in range(3):
                    moved = 0.0
                    for b in range(n):
                        moved += problem.maps[i, c, b] * work.residual[b]
                    value += problem.stiffness[i, a, c] * moved
                work.small[0, a] = value - (work.small[1, a] if i == owner else 0.0)
            # s = -a . r; Lemke's tableau: s - M lambda - z = q
            t[row, m + column] = limit_of_row(problem, work, row, work.small, 0) / stiff
    for row in range(m):
        for column in range(m):
            t[row, column] = 1.0 if row == column else 0.0
        t[row, 2 * m] = -1.0
        t[row, last] = -limit_of_row(problem, work, row, work.trial, work.owner[row, 0])
        largest = max(largest, abs(t[row, last]))
        basis[row] = row
    leaving = 0
    for row in range(m):
        if t[row, last] < t[leaving, last]:
            leaving = row
    entering, z = 2 * m, 2 * m
    found = t[leaving, last] >= -ROUNDED * largest
    for _ in range(20 * m + 20):
        if found:
            break
        out = basis[leaving]
        pivot = t[leaving, entering]
        for column in range(2 * m + 2):
            t[leaving, column] /= pivot
        for row in range(m):
            factor = t[row, entering]
            if row != leaving and factor != 0.0:
                for column in range(2 * m + 2):
                    t[row, column] -= factor * t[leaving, column]
        basis[leaving] = entering
        if out == z:
            found = True
            break
        entering = out + m if out < m else out - m
        leaving = leaving_row(work, m, entering, largest)
        if leaving < 0:
            break
    for a in range(n):
        work.x[a] = work.ahead[a]
        work.ahead[a] = 0.0
    for row in range(m):
        column = basis[row] - m
        amount = 0.0
        if found and 0 <= column < m:
            amount = max(t[row, last], 0.0)
        elif not found and 0 <= column < m:
            amount = max(-t[row, entering], 0.0)
        if amount > 0.0:
            flow_of_row(problem, work, column)
            for a in range(n):
                for b in range(n):
                    work.ahead[a] += amount / stiff * table[a, n + b] * work.step[b]
    if not found and leaving < 0 and m <= entering < 2 * m:
        flow_of_row(problem, work, entering - m)
        for a in range(n):
            for b in range(n):
                work.ahead[a] += table[a, n + b] / stiff * work.step[b]
    if found:
        for a in range(n):
            work.x[a] += work.ahead[a]
        return 1
    driven = 0.0
    for a in range(n):
        work.step[a] = work.ahead[a]
        driven += work.step[a] * work.c[a]
    return -1 if leaving < 0 and driven > 0.0 else 0


@kernel
def slope(problem: SharingProblem, state: SharingState, work: SharingWork, t: float) -> float:
    """residual . step at x + t step."""
    value = 0.0
    for a in range(len(work.x)):
        work.ahead[a] = work.x[a] + t * work.step[a]
    evaluate(problem, state, work, work.ahead)
    for a in range(len(work.x)):
        value += work.residual[a] * work.step[a]
    return value


@inlined
def is_zero(problem: SharingProblem, state: SharingState, work: SharingWork, i: int) -> bool:
    """Whether a contact carries nothing."""
    near = 10.0 * ON_FACET * (problem.size[i] + work.scale[2])
    return abs(state.force[i, 0]) <= near and abs(state.force[i, 1]) <= near and abs(state.force[i, 2]) <= near


@kernel
def find_active(problem: SharingProblem, state: SharingState, work: SharingWork) -> None:
    """The facets of its piece that each contact's force lies on, in `border`; `counts` excludes those that do not flow.

    A brittle contact does not flow, unless it carries nothing yet: then its flow shows whether it opens.
    """
    for i in range(len(problem.maps)):
        if state.mode[i] != HELD:
            work.border[i], work.counts[i] = 0, 0
            continue
        count, piece = 0, state.piece[problem.unit[i]]
        near = ON_FACET * (problem.size[i] + work.scale[2])
        for facet in range(problem.first[i, piece], problem.first[i, piece + 1]):
            if along(problem, i, facet, state.force, i) >= problem.offsets[facet] - near:
                work.active[i, count] = facet
                count += 1
        work.border[i] = count
        work.counts[i] = 0 if problem.rule[i] == BRITTLE and not is_zero(problem, state, work, i) else count


@kernel
def is_balanced(problem: SharingProblem, state: SharingState, work: SharingWork, largest: float) -> bool:
    """Whether the rates of the forces balance that of the load, of size `largest`, up to rounding."""
    wrong, terms, moved, stiff = 0.0, 0.0, 0.0, 0.0
    for a in range(len(work.residual)):
        wrong = max(wrong, abs(work.residual[a]))
        moved = max(moved, abs(work.x[a]))
    for i in range(len(state.mode)):
        if state.mode[i] == HELD:
            terms = max(terms, abs(work.trial[i, 0]) + abs(work.trial[i, 1]) + abs(work.trial[i, 2]))
            for a in range(3):
                stiff = max(stiff, problem.stiffness[i, a, a])
    return wrong <= min(BALANCED * (largest + 0.01 * terms) + MOVED_ROUNDING * stiff * moved, MOST_ROUNDING * largest)


@kernel
def is_resisted(problem: SharingProblem, state: SharingState, work: SharingWork, size: float) -> bool:
    """Whether forces grow with the motion in `step`, or the load does not drive it."""
    n, largest, wrong, driven, farthest = len(work.x), 0.0, 0.0, 0.0, 0.0
    for a in range(n):
        farthest = max(farthest, abs(work.step[a]))
        driven += work.c[a] * work.step[a]
        for i in range(len(state.mode)):
            if state.mode[i] == HELD:
                for b in range(3):
                    driven -= problem.maps[i, b, a] * work.extra[i, b] * work.step[a]
    for j in range(len(work.drive)):
        driven += work.drive[j] * work.step[n - len(work.drive) + j]
    evaluate(problem, state, work, work.step)
    for i in range(len(state.mode)):
        if state.mode[i] == HELD:
            for a in range(3):
                largest = max(largest, abs(work.trial[i, a]))
    if largest == 0.0 or driven <= LEAST_POWER * size * farthest:
        return True
    for a in range(n):
        work.ahead[a] = FAR * size / largest * work.step[a]
    evaluate(problem, state, work, work.ahead)
    for a in range(n):
        wrong = max(wrong, abs(work.residual[a]))
    for i in range(len(state.mode)):
        if state.mode[i] == HELD:
            for a in range(3):
                wrong = max(wrong, abs(work.rate[i, a]))
    return wrong > UNRESISTED * FAR * size


@kernel
def solve_rate(problem: SharingProblem, state: SharingState, work: SharingWork, again: bool) -> bool:
    """The rates for the load's rate in `work`; False, with a motion in `step`, if nothing resists that motion.

    With `again` the present rates are kept if they balance the load: contacts that open do not change them.
    `scale[0]` is negative if no rates were found.
    """
    n, r, k = len(work.x), len(problem.lower), len(problem.maps)
    if again:
        find_active(problem, state, work)
        evaluate(problem, state, work, work.x)
        wrong = 0.0
        for a in range(n):
            wrong = max(wrong, abs(work.residual[a]))
        if wrong <= work.scale[0]:
            return True
    size = 0.0
    for a in range(n):
        work.x[a] = 0.0
        size = max(size, abs(work.c[a]))
    for j in range(r):
        size = max(size, abs(work.drive[j]))
    for i in range(k):
        for a in range(3):
            size = max(size, abs(work.extra[i, a]))
    for i in range(k):  # first without limits: sizes of the rates
        work.counts[i], work.border[i] = 0, 0
    work.scale[0], work.scale[1] = 0.0, size
    evaluate(problem, state, work, work.x)
    newton_step(problem, state, work)
    for refinement in range(2):
        if refinement == 1:
            solve_again(work)
        for a in range(n):
            work.x[a] += work.step[a]
        evaluate(problem, state, work, work.x)
    for a in range(n):
        if abs(work.residual[a]) > UNBALANCED * size:  # the springs alone do not resist
            return False
    largest = size
    for i in range(k):
        for a in range(3):
            largest = max(largest, min(abs(work.rate[i, a]), 1e3 * size))
    work.scale[0] = STILL * largest
    find_active(problem, state, work)
    slips, flows, unresisted = False, False, False
    for i in range(k):
        flows = flows or work.counts[i] > 0
        slips = slips or (problem.rule[i] == SLIP and work.counts[i] > 0)
    if flows:
        evaluate(problem, state, work, work.x)
    for attempt in range(MOST_STEPS):
        if is_balanced(problem, state, work, largest):
            return True
        if slips and attempt == MOST_SLIP_STEPS:
            break
        newton_step(problem, state, work)
        before = 0.0
        for a in range(n):
            before += work.residual[a] * work.step[a]
        now = slope(problem, state, work, 1.0)
        if before < 0.0 and now < 0.5 * before and slope(problem, state, work, 1e3) < 0.5 * before:
            unresisted = not is_resisted(problem, state, work, size)
            if unresisted and (not slips or work.gives_in[0]):
                return False
            if slips:  # there may be rates also where there is such a motion
                for a in range(n):
                    work.motion[a] = work.step[a]
                break
        t = 1.0
        if before < 0.0 and now > 0.1 * abs(before):  # beyond the minimum along the step
            low, high, g_low, g_high = 0.0, 1.0, before, now
            for trial in range(MOST_TRIALS):
                t = low + (high - low) * (-g_low / (g_high - g_low)) if trial % 3 else 0.5 * (low + high)
                now = slope(problem, state, work, t)
                if abs(now) <= 0.1 * abs(before):
                    break
                if now > 0.0:
                    high, g_high = t, now
                else:
                    low, g_low = t, now
        for a in range(n):
            work.x[a] += t * work.step[a]
        evaluate(problem, state, work, work.x)
    if flows:
        outcome = complementary_flow(problem, state, work)
        if outcome < 0:
            for _ in range(MOST_SLIP_STEPS):  # far along the ray Newton's steps tend to the motion that nothing resists
                if not is_resisted(problem, state, work, size):
                    return False
                for a in range(n):
                    work.x[a] = work.ahead[a]
                evaluate(problem, state, work, work.x)
                newton_step(problem, state, work)
                for a in range(n):
                    work.step[a] += work.x[a]
        evaluate(problem, state, work, work.x)
        if outcome > 0:
            for _ in range(3):
                if is_balanced(problem, state, work, largest):
                    return True
                newton_step(problem, state, work)
                for a in range(n):
                    work.x[a] += work.step[a]
                evaluate(problem, state, work, work.x)
        for a in range(n):
            work.step[a] = work.x[a]
        if outcome > 0 and not is_resisted(problem, state, work, size):
            return False
    if unresisted:
        for a in range(n):
            work.step[a] = work.motion[a]
        if not is_resisted(problem, state, work, size):
            return False
    work.scale[0] = -1.0
    return True


# -- pieces of a volume -----------------------------------------------------------------------------


@kernel
def lies_in(problem: SharingProblem, state: SharingState, work: SharingWork, unit: int, piece: int) -> bool:
    """Whether the forces of a unit lie in one piece."""
    for i in range(problem.first_point[unit], problem.first_point[unit + 1]):
        if state.mode[i] != HELD:
            continue
        near = ON_FACET * (problem.size[i] + work.scale[2])
        for facet in range(problem.first[i, piece], problem.first[i, piece + 1]):
            if along(problem, i, facet, state.force, i) > problem.offsets[facet] + near:
                return False
    return True


@kernel
def exit_of(problem: SharingProblem, state: SharingState, work: SharingWork, unit: int, piece: int) -> float:
    """The step at which the forces of a unit leave a piece."""
    nearest = np.inf
    for i in range(problem.first_point[unit], problem.first_point[unit + 1]):
        if state.mode[i] != HELD:
            continue
        for facet in range(problem.first[i, piece], problem.first[i, piece + 1]):
            speed = along(problem, i, facet, work.rate, i)
            if speed > least_rate(work, i):
                slack = problem.offsets[facet] - along(problem, i, facet, state.force, i)
                nearest = min(nearest, max(slack, 0.0) / speed)
    return nearest


@kernel
def flowing(problem: SharingProblem, state: SharingState, work: SharingWork, unit: int, piece: int) -> int:
    """How many forces of a unit would leave a piece at their trial rates."""
    count = 0
    for i in range(problem.first_point[unit], problem.first_point[unit + 1]):
        if state.mode[i] != HELD:
            continue
        near = ON_FACET * (problem.size[i] + work.scale[2])
        for facet in range(problem.first[i, piece], problem.first[i, piece + 1]):
            if along(problem, i, facet, state.force, i) >= problem.offsets[facet] - near:  # noqa: SIM102
                if along(problem, i, facet, work.trial, i) > least_rate(work, i):
                    count += 1
                    break
    return count


@kernel
def better_piece(problem: SharingProblem, state: SharingState, work: SharingWork) -> bool:
    """Let units change to another piece that contains their forces, if fewer of them flow there."""
    changed = False
    for unit in range(len(state.piece)):
        start = problem.first_point[unit]
        if problem.pieces[start] == 1 or state.changes[start] > 2 * MOST_CHANGES:
            continue
        best, fewest = state.piece[unit], flowing(problem, state, work, unit, state.piece[unit])
        for piece in range(problem.pieces[start]):
            if fewest == 0:
                break
            if piece != best and lies_in(problem, state, work, unit, piece):
                count = flowing(problem, state, work, unit, piece)
                if count < fewest:
                    best, fewest = piece, count
        if best != state.piece[unit]:
            state.piece[unit], changed = best, True
            state.changes[start] += 1
    return changed


# -- changes of state -------------------------------------------------------------------------------


@inlined
def is_loaded(state: SharingState, i: int) -> bool:
    """Whether a contact carries a force, also a lost one."""
    return state.force[i, 0] != 0.0 or state.force[i, 1] != 0.0 or state.force[i, 2] != 0.0


@kernel
def give_way(problem: SharingProblem, state: SharingState, work: SharingWork) -> bool:
    """Open or fail contacts that would have to flow and cannot; returns whether anything changed."""
    k, changed = len(problem.maps), False
    for i in range(k):
        if state.mode[i] != HELD:
            continue
        if work.counts[i] == 0:
            for index in range(work.border[i]):
                if along(problem, i, work.active[i, index], work.rate, i) > least_rate(work, i):
                    work.code[i] = FIXED
        if work.code[i] == FREE:
            continue
        if problem.rule[i] == DUCTILE and work.code[i] == TWO_FACETS and is_zero(problem, state, work, i):
            rate = abs(work.rate[i, 0]) + abs(work.rate[i, 1]) + abs(work.rate[i, 2])
            if rate <= least_rate(work, i):  # between two opposite facets: it stays at zero
                work.code[i] = FIXED
        rule, facet = problem.rule[i], work.flow[i, 0]
        other = work.flow[i, 1]
        if rule == SLIP and work.code[i] != FIXED:
            if slides(problem, i, facet) and (other == NO_FACET or slides(problem, i, other)):
                continue
        elif rule != BRITTLE and work.code[i] != FIXED:
            continue
        if is_zero(problem, state, work, i):
            if rule != BRITTLE and work.v[i, 2] + work.relaxed[i, 2] > work.scale[3]:
                continue
            for a in range(3):
                state.force[i, a] = 0.0
            state.mode[i], state.gap[i], changed = OPEN, 0.0, True
            state.changes[i] += 1
        elif rule != DUCTILE:
            state.mode[i], changed = FAILED, True
    for i in range(k):
        if state.mode[i] == FAILED and problem.rule[i] == BRITTLE and is_loaded(state, i):
            for j in range(k):
                if problem.group[j] == problem.group[i] and problem.rule[j] == BRITTLE:
                    state.mode[j] = FAILED
    return changed


@kernel
def close_again(problem: SharingProblem, state: SharingState, work: SharingWork) -> bool:
    """Close open contacts whose gap is zero and that are pressed; a brittle one only if it can carry the next force."""
    changed = False
    for i in range(len(problem.maps)):
        if state.mode[i] != OPEN or state.gap[i] > 0.0 or state.changes[i] >= MOST_CHANGES:
            continue
        pressed = 0.0
        for a in range(3):
            value = 0.0
            for b in range(3):
                value += problem.stiffness[i, a, b] * work.v[i, b]
            work.trial[i, a] = value
            pressed = max(pressed, abs(value))
        if pressed <= work.scale[0]:
            continue
        fits = work.v[i, 2] > work.scale[3] or problem.rule[i] == BRITTLE
        if problem.rule[i] == BRITTLE:
            piece = state.piece[problem.unit[i]]
            for facet in range(problem.first[i, piece], problem.first[i, piece + 1]):
                if problem.offsets[facet] <= ON_FACET * (problem.size[i] + work.scale[2]):  # noqa: SIM102
                    if along(problem, i, facet, work.trial, i) > work.scale[0]:
                        fits = False
        if fits:
            state.mode[i], state.gap[i], changed = HELD, 0.0, True
            state.changes[i] += 1
    return changed


@kernel
def let_go(problem: SharingProblem, state: SharingState, work: SharingWork) -> bool:
    """Open contacts without a force, where no rates are found while they are held; returns whether there are any."""
    changed = False
    for i in range(len(problem.maps)):
        if state.mode[i] == HELD and state.changes[i] < MOST_CHANGES and is_zero(problem, state, work, i):
            for a in range(3):
                state.force[i, a] = 0.0
            state.mode[i], state.gap[i], changed = OPEN, 0.0, True
            state.changes[i] += 1
    return changed


@inlined
def set_least_motion(state: SharingState, work: SharingWork) -> None:
    """`scale[3]`: displacements slower than this, with respect to the fastest of all contacts, are none."""
    fastest = 0.0
    for i in range(len(state.mode)):
        if state.mode[i] != FAILED:
            for a in range(3):
                fastest = max(fastest, abs(work.v[i, a]))
    work.scale[3] = STILL * fastest


@kernel
def prepare_motion(problem: SharingProblem, state: SharingState, work: SharingWork) -> None:
    """The motion in `step`, which no force resists, as rates at a constant load: the forces do not change."""
    k, n = len(problem.maps), len(work.x)
    largest = 0.0
    for a in range(n):
        work.c[a] = 0.0
        largest = max(largest, abs(work.step[a]))
    for j in range(len(work.drive)):
        work.drive[j] = 0.0
    for i in range(k):
        for a in range(3):
            work.extra[i, a], work.relaxed[i, a] = 0.0, 0.0
    for a in range(n):
        work.step[a] /= largest
    for _ in range(2):  # what little force the motion has decreases by `LEAST_STIFFNESS` each time
        for a in range(n):
            work.x[a] = work.step[a]
        evaluate(problem, state, work, work.x)
        newton_step(problem, state, work)
        largest = 0.0
        for a in range(n):
            work.step[a] += work.x[a]
            largest = max(largest, abs(work.step[a]))
        for a in range(n):
            work.step[a] = work.step[a] / largest if largest > 0.0 else work.x[a]
    for a in range(n):
        work.x[a] = work.step[a]
    evaluate(problem, state, work, work.x)
    set_least_motion(state, work)
    work.scale[0] = 0.0
    for i in range(k):
        if state.mode[i] != FAILED:
            for a in range(3):
                work.scale[0] = max(work.scale[0], problem.stiffness[i, a, a] * work.scale[3])
                work.rate[i, a] = 0.0
    for j in range(len(work.torque)):
        work.torque[j] = 0.0


@kernel
def presses(problem: SharingProblem, state: SharingState, work: SharingWork) -> bool:
    """Whether a motion presses a contact that is open without a gap and could carry a force."""
    for i in range(len(state.mode)):
        if state.mode[i] == OPEN and state.gap[i] <= 0.0 and work.v[i, 2] > work.scale[3]:  # noqa: SIM102
            if problem.rule[i] != BRITTLE:
                return True
    return False


@kernel
def step_to_gap(state: SharingState, work: SharingWork) -> float:
    """The step until the next gap closes."""
    step = np.inf
    for i in range(len(state.mode)):
        if state.mode[i] == OPEN and state.gap[i] > 0.0 and work.v[i, 2] > work.scale[3]:
            step = min(step, state.gap[i] / work.v[i, 2])
    return step


@kernel
def turn_back(problem: SharingProblem, state: SharingState, work: SharingWork, motion: Array) -> bool:
    """Hold the joints at a limit that a motion moves away from it; returns whether there are any."""
    k, n, r = len(problem.maps), len(motion), len(problem.lower)
    changed, largest = False, 0.0
    for a in range(n):
        largest = max(largest, abs(motion[a]))
    for j in range(r):
        before, turn = state.joint_mode[j], motion[n - r + j]
        if state.changes[k + j] >= MOST_CHANGES:
            continue
        if (before == AT_UPPER and turn > STILL * largest) or (before == AT_LOWER and turn < -STILL * largest):
            state.joint_mode[j], changed = LOCKED, True
            state.changes[k + j] += 1
    return changed


@kernel
def move_joints(problem: SharingProblem, state: SharingState, work: SharingWork) -> bool:
    """Let joints slip that reached a limit, and hold those that move back; returns whether anything changed."""
    k, r, changed = len(problem.maps), len(problem.lower), False
    for j in range(r):
        before = state.joint_mode[j]
        near = ON_FACET * (work.scale[2] + min(abs(problem.lower[j]), abs(problem.upper[j])))
        if before == LOCKED and state.changes[k + j] < MOST_CHANGES:
            if state.held[j] >= problem.upper[j] - near and work.torque[j] > work.scale[0]:
                state.joint_mode[j] = AT_UPPER
            elif state.held[j] <= problem.lower[j] + near and work.torque[j] < -work.scale[0]:
                state.joint_mode[j] = AT_LOWER
        if state.joint_mode[j] != before:
            changed = True
            state.changes[k + j] += 1
    return turn_back(problem, state, work, work.x) or changed


# -- the path ---------------------------------------------------------------------------------------


@kernel
def note(
    problem: SharingProblem, state: SharingState, work: SharingWork, path: SharingPath, at: int, stage: int,
    released: int, share: float,
) -> None:  # fmt: skip
    """Store the present point of the path as segment `at`."""
    path.stage[at], path.released[at], path.share[at] = stage, released, share
    for a in range(len(state.x)):
        path.x[at, a] = state.x[a]
    for j in range(len(state.held)):
        path.held[at, j], path.joint_mode[at, j] = state.held[j], state.joint_mode[j]
    for unit in range(len(state.piece)):
        path.piece[at, unit] = state.piece[unit]
    for i in range(len(problem.maps)):
        path.gap[at, i], path.mode[at, i] = state.gap[i], state.mode[i]
        for a in range(3):
            path.force[at, i, a], path.flowed[at, i, a] = state.force[i, a], state.flowed[i, a]
        code = work.code[i] if state.mode[i] == HELD else FREE
        path.flow[at, i, 0] = work.flow[i, 0] if code != FREE else NO_FACET
        path.flow[at, i, 1] = work.flow[i, 1] if code == TWO_FACETS else NO_FACET
        if code == FIXED:
            path.flow[at, i, 0] = AT_CORNER


@kernel
def first_step(problem: SharingProblem, state: SharingState, work: SharingWork) -> float:
    """The step to the next event, ignoring the end of the stage."""
    r = len(problem.lower)
    step = np.inf
    for unit in range(len(state.piece)):
        step = min(step, exit_of(problem, state, work, unit, state.piece[unit]))
    step = min(step, step_to_gap(state, work))
    for j in range(r):
        if state.joint_mode[j] == LOCKED:
            if work.torque[j] > work.scale[0]:
                step = min(step, max(problem.upper[j] - state.held[j], 0.0) / work.torque[j])
            elif work.torque[j] < -work.scale[0]:
                step = min(step, max(state.held[j] - problem.lower[j], 0.0) / -work.torque[j])
    return step


@kernel
def advance(problem: SharingProblem, state: SharingState, work: SharingWork, step: float) -> None:
    """Continue by `step` at the present rates."""
    k, n, r = len(problem.maps), len(work.x), len(problem.lower)
    largest = 0.0
    for a in range(n):
        state.x[a] += step * work.x[a]
    for i in range(k):
        if state.mode[i] == OPEN and abs(work.v[i, 2]) > work.scale[3]:
            shut = state.gap[i] > 0.0
            state.gap[i] -= step * work.v[i, 2]
            if shut and state.gap[i] <= ROUNDED * abs(step * work.v[i, 2]):
                state.gap[i] = 0.0
        if state.mode[i] != HELD:
            for a in range(3):  # the spring is not loaded
                state.flowed[i, a] -= step * work.v[i, a]
            continue
        for slot in range(2):
            facet = work.flow[i, slot]
            if facet != NO_FACET and work.code[i] != FREE and work.code[i] != FIXED:
                amount = step * work.multiplier[i, slot]
                state.flowed[i, 0] -= amount * problem.normals[facet, 0] * problem.shrink[i, 0]
                state.flowed[i, 1] -= amount * problem.normals[facet, 1] * problem.shrink[i, 1]
                if not slides(problem, i, facet):
                    state.flowed[i, 2] -= amount * problem.normals[facet, 2] * problem.shrink[i, 2]
        if work.code[i] == FIXED:
            for a in range(3):
                state.flowed[i, a] -= step * (work.v[i, a] + work.relaxed[i, a])
        for a in range(3):
            state.force[i, a] += step * work.rate[i, a]
            largest = max(largest, abs(state.force[i, a]))
    for j in range(r):
        state.held[j] += step * work.torque[j]
        largest = max(largest, abs(state.held[j])) if problem.lower[j] < problem.upper[j] else largest
        if state.joint_mode[j] != DRIVEN:
            state.held[j] = min(max(state.held[j], problem.lower[j]), problem.upper[j])
    work.scale[2] = max(largest, work.scale[2])
    for index in range(k + r):
        state.changes[index] = 0


@kernel
def rest_rate(problem: SharingProblem, work: SharingWork, i: int) -> None:
    """`relaxed`: K^-1 times the rate of the preload, by conjugate gradients; only in directions with stiffness."""
    stiffness, small, x = problem.stiffness, work.small, work.relaxed
    size = 0.0
    for a in range(3):
        x[i, a] = 0.0
        small[5, a] = work.extra[i, a]  # residual
        small[6, a] = work.extra[i, a]  # direction
        size += work.extra[i, a] ** 2
    left = size
    for _ in range(6):
        if left <= 1e-30 * size:
            break
        along_k = 0.0
        for a in range(3):
            small[7, a] = 0.0
            for b in range(3):
                small[7, a] += stiffness[i, a, b] * small[6, b]
            along_k += small[6, a] * small[7, a]
        if along_k <= 0.0:
            break
        step, before = left / along_k, left
        left = 0.0
        for a in range(3):
            x[i, a] += step * small[6, a]
            small[5, a] -= step * small[7, a]
            left += small[5, a] ** 2
        for a in range(3):
            small[6, a] = small[5, a] + left / before * small[6, a]


@kernel
def set_load(problem: SharingProblem, state: SharingState, work: SharingWork, stage: int) -> bool:
    """Rates of load, preload and driven torques of a stage; True where lost forces decrease to zero instead."""
    k, n, r = len(problem.maps), len(work.x), len(problem.lower)
    released = False
    for a in range(n):
        work.c[a] = problem.base[a] if stage == BASE else problem.load[a]
    for i in range(k):
        for a in range(3):
            work.extra[i, a] = problem.preload[i, a] if stage == BASE else 0.0
        rest_rate(problem, work, i)
        if state.mode[i] == FAILED and is_loaded(state, i):
            released = True
    for j in range(r):
        goal = min(max(0.0, problem.lower[j]), problem.upper[j])
        work.drive[j] = goal if stage == BASE and state.joint_mode[j] == DRIVEN else 0.0
    if released:
        for a in range(n):
            work.c[a] = 0.0
        for j in range(r):
            work.drive[j] = 0.0
        for i in range(k):
            for a in range(3):
                work.extra[i, a], work.relaxed[i, a] = 0.0, 0.0
            if state.mode[i] == FAILED:
                for a in range(3):
                    for b in range(n):
                        work.c[b] += problem.maps[i, a, b] * state.force[i, a]
    return released


@released_kernel
def run(
    problem: SharingProblem,
    state: SharingState,
    work: SharingWork,
    path: SharingPath,
    until: float,
    most: int,
    found: Array,
) -> int:
    """Follow the path up to the factor `until`, in at most `most` segments; returns how it ends.

    `found`: factor of the first failure, of the end; stage and share of the stage at the first failure; segments kept;
    stage and share at the end.
    """
    k, r = len(problem.maps), len(problem.lower)
    room = len(path.stage)
    found[0], found[1], found[2], found[3], found[4] = np.inf, 0.0, -1.0, 0.0, 0.0
    for j in range(r):
        goal = min(max(0.0, problem.lower[j]), problem.upper[j])
        state.joint_mode[j] = DRIVEN if problem.lower[j] == problem.upper[j] or goal != 0.0 else LOCKED
    weigh(problem, work)
    for i in range(k):
        for a in range(3):
            work.scale[2] = max(work.scale[2], abs(problem.preload[i, a]))
    stage, share, kept, end, again = BASE, 0.0, 0, FULL, False
    for _ in range(most):
        released = set_load(problem, state, work, stage)
        resisted = solve_rate(problem, state, work, again)
        again = False
        if work.scale[0] < 0.0:
            if let_go(problem, state, work):
                continue
            end = LOST
            if found[2] < 0.0:
                found[0], found[2], found[3] = share if stage == LOAD else 0.0, stage, share
            break
        if resisted and better_piece(problem, state, work):
            continue
        set_least_motion(state, work)
        gives_way = give_way(problem, state, work)
        if found[2] < 0.0:
            for i in range(k):
                if state.mode[i] == FAILED:
                    found[0], found[2], found[3] = share if stage == LOAD else 0.0, stage, share
        if gives_way:
            again = resisted
            continue
        if not resisted:
            if turn_back(problem, state, work, work.step):
                continue
            prepare_motion(problem, state, work)
            if close_again(problem, state, work):
                continue
        elif close_again(problem, state, work) or move_joints(problem, state, work):
            continue
        pressed = presses(problem, state, work)
        if pressed or (not resisted and step_to_gap(state, work) == np.inf):
            end = LOST if pressed else COLLAPSED
            if found[2] < 0.0:
                found[0], found[2], found[3] = share if stage == LOAD else 0.0, stage, share
            break
        if found[2] < 0.0:
            for i in range(k):
                if state.mode[i] == HELD and work.code[i] != FREE:
                    found[0], found[2], found[3] = share if stage == LOAD else 0.0, stage, share
        step = first_step(problem, state, work) if resisted else step_to_gap(state, work)
        left = 1.0 if released else until - share if stage == LOAD else 1.0 - share
        if not resisted:
            left = np.inf  # at a constant load
        if step == np.inf and left == np.inf:
            end = ENDLESS
            if kept < room - 1:
                note(problem, state, work, path, kept, stage, 0, share)
                kept += 1
                advance(problem, state, work, 1.0)  # a point on the last, endless segment
                share += 1.0
            break
        done = step >= left
        step = min(step, left)
        if step > 0.0 and kept < room - 1:
            note(problem, state, work, path, kept, stage, 1 if released else 0, share)
            kept += 1
        advance(problem, state, work, step)
        if not resisted:
            continue
        if released:
            for i in range(k):
                if state.mode[i] == FAILED:
                    for a in range(3):
                        state.force[i, a] = 0.0 if done else (1.0 - step) * state.force[i, a]
        else:
            share += step
            if done:
                if stage == LOAD:
                    end = REACHED
                    break
                stage, share = LOAD, 0.0
                for j in range(r):
                    if problem.lower[j] < problem.upper[j] and state.joint_mode[j] == DRIVEN:
                        state.joint_mode[j] = AT_UPPER if problem.upper[j] < 0.0 else AT_LOWER
    found[1] = share if stage == LOAD else -np.inf
    found[4], found[5], found[6] = kept, stage, share
    if room > 1:
        note(problem, state, work, path, kept, stage, 0, share)
    return end
