"""Forces as mixtures of few vertices and rays, compiled: the state of the method of `min_norm`, and what it adds up to.

Each contact has one key vertex, whose weight is what the others leave of 1; vertices beside the keys and rays are the
free columns. The elastic column lends rows what they lack (see `min_norm`); it is no contact's, and has a coordinate of
its own beside the six of z.

Rows count from 0: the contacts' normals, then the lower and the upper limit of each joint row in turn. All are kept in
the form slack >= 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..checks import Array, IntArray
from ..compiling import inlined, kernel
from .exact.supports import support
from .exact.tables import Tables

#: Coordinates of z: six of the object, one of the elastic column.
WIDE = 7

#: Indices into `State.counts`: free columns, working rows, steps made, whether there is an elastic column.
COLUMNS, ROWS, STEPS, ELASTIC = range(4)

#: Rows of `State.columns`: contact (-1 for the elastic column), vertex (-1 - ray for a ray).
ITEM, VERTEX = range(2)


class Hulls(NamedTuple):
    """Vertices and rays of all shapes, laid out flat."""

    tables: Tables  # vertices and supports; of pieces without their rays
    bits: IntArray  # (n,) the pieces of its shape that contain the vertex, rays and all
    rays: Array  # (p, 3) unit directions, shape after shape
    ray_bits: IntArray  # (p,) the piece each ray belongs to
    first_ray: IntArray  # (s + 1,) where a shape's rays begin


class Program(NamedTuple):
    """Minimise |z|^2 for z = start + sum of maps f, with rows; k contacts, r joint rows."""

    shape_of: IntArray  # (k,)
    maps: Array  # (k, 6, 3) local force to z
    joint: Array  # (k, r, 3) local force to joint rows
    normals: Array  # (k, 6) unit rows: normals . z >= limit
    start: Array  # (6,)
    limits: Array  # (k + 2r,) what each row must not fall below, a little eased; -inf where there is no limit
    lower: Array  # (r,) limits of the joint rows as they are
    upper: Array  # (r,)


class State(NamedTuple):
    """Where a run is: which vertices are mixed how, and which rows are met with equality."""

    keys: IntArray  # (k,) key vertex of each contact
    columns: IntArray  # (2, c) the free columns
    weights: Array  # (c,)
    rows: IntArray  # (w,) the working rows
    counts: IntArray  # (4,)
    elastic: Array  # (k + 2r,) what a unit of the elastic column lends each row
    masks: IntArray  # (k,) allowed pieces


class Work(NamedTuple):
    """Room for the numbers of a step, and what a run leaves: forces, z and multipliers."""

    forces: Array  # (k, 3) local forces
    z: Array  # (7,)
    joints: Array  # (r,) values of the joint rows
    change: Array  # (c, 7) what a unit of each free column adds to z
    joint_change: Array  # (c, r) and to the joint rows
    slack: Array  # (w,) of the working rows
    reduced: Array  # (c, w + 7) see `reduction`
    square: Array  # (7, 9)
    factors: Array  # (w,)
    diagonal: Array  # (w + 9,)
    sizes: Array  # (c,)
    step: Array  # (c,) change of the weights
    goal: Array  # (7,) z after a full step
    prices: Array  # (w,) multipliers of the working rows
    z_step: Array  # (7,)
    joint_step: Array  # (r,)
    y: Array  # (6,) z less what the normals' multipliers take of it
    normals: Array  # (k,) multipliers of the normals' rows
    torques: Array  # (r,) multipliers of the joint rows
    size: Array  # (1,) size of the terms of the bound


def most_columns(joints: int) -> int:
    """Free columns there can be: independent together with the working rows, and one to enter."""
    return WIDE + most_rows(joints) + 2


def most_rows(joints: int) -> int:
    """Working rows there can be: independent ones, and one to enter."""
    return WIDE + joints + 1


def new_state(contacts: int, joints: int, masks: IntArray) -> State:
    """A state without keys or columns."""
    columns = most_columns(joints)
    return State(
        keys=np.full(contacts, -1),
        columns=np.zeros((2, columns), dtype=np.int64),
        weights=np.zeros(columns),
        rows=np.zeros(most_rows(joints), dtype=np.int64),
        counts=np.zeros(4, dtype=np.int64),
        elastic=np.zeros(contacts + 2 * joints),
        masks=masks,
    )


def new_work(contacts: int, joints: int) -> Work:
    """Room for runs of so many contacts and joint rows."""
    columns, rows = most_columns(joints), most_rows(joints)
    return Work(
        forces=np.zeros((contacts, 3)),
        z=np.zeros(WIDE),
        joints=np.zeros(joints),
        change=np.zeros((columns, WIDE)),
        joint_change=np.zeros((columns, joints)),
        slack=np.zeros(rows),
        reduced=np.zeros((columns, rows + WIDE)),
        square=np.zeros((WIDE, WIDE + 2)),
        factors=np.zeros(rows),
        diagonal=np.zeros(rows + WIDE + 2),
        sizes=np.zeros(columns),
        step=np.zeros(columns),
        goal=np.zeros(WIDE),
        prices=np.zeros(rows),
        z_step=np.zeros(WIDE),
        joint_step=np.zeros(joints),
        y=np.zeros(6),
        normals=np.zeros(contacts),
        torques=np.zeros(joints),
        size=np.zeros(1),
    )


@kernel
def seed(hulls, program, state, y):
    """Take out what the masks do not allow, and the elastic column.

    A contact whose key goes, or that has none yet, gets its best vertex against y, alone.
    """
    for j in range(state.counts[COLUMNS] - 1, -1, -1):
        if state.columns[ITEM, j] < 0:
            drop_column(state, j)
    for i in range(len(state.keys)):
        key, mask = state.keys[i], state.masks[i]
        alone = key < 0 or not hulls.bits[key] & mask
        for j in range(state.counts[COLUMNS] - 1, -1, -1):
            if state.columns[ITEM, j] == i:
                v = state.columns[VERTEX, j]
                bits = hulls.bits[v] if v >= 0 else hulls.ray_bits[-1 - v]
                if alone or not bits & mask:
                    drop_column(state, j)
        if alone:
            gx = gy = gz = 0.0
            for q in range(6):
                gx -= program.maps[i, q, 0] * y[q]
                gy -= program.maps[i, q, 1] * y[q]
                gz -= program.maps[i, q, 2] * y[q]
            state.keys[i], _, _ = support(hulls.tables, program.shape_of[i], mask, gx, gy, gz, -np.inf)


@kernel
def evaluate(hulls, program, state, work, cost):
    """Forces, z and joint values of the current weights, from scratch; returns the elastic column's weight.

    The elastic coordinate of z is cost (1 + weight): as costly as the weight squared, and never flat.
    """
    k, lent, vertices = len(state.keys), 0.0, hulls.tables.vertices
    for i in range(k):
        for c in range(3):
            work.forces[i, c] = vertices[state.keys[i], c]
    for j in range(state.counts[COLUMNS]):
        i, v, weight = state.columns[ITEM, j], state.columns[VERTEX, j], state.weights[j]
        if i < 0:
            lent = weight
        elif v >= 0:
            for c in range(3):
                work.forces[i, c] += weight * (vertices[v, c] - vertices[state.keys[i], c])
        else:
            for c in range(3):
                work.forces[i, c] += weight * hulls.rays[-1 - v, c]
    for q in range(6):
        work.z[q] = program.start[q]
    for q in range(len(work.joints)):
        work.joints[q] = 0.0
    for i in range(k):
        x, y, z = work.forces[i, 0], work.forces[i, 1], work.forces[i, 2]
        for q in range(6):
            work.z[q] += program.maps[i, q, 0] * x + program.maps[i, q, 1] * y + program.maps[i, q, 2] * z
        for q in range(len(work.joints)):
            work.joints[q] += program.joint[i, q, 0] * x + program.joint[i, q, 1] * y + program.joint[i, q, 2] * z
    work.z[6] = cost * (1.0 + lent) if state.counts[ELASTIC] else 0.0
    return lent


@inlined
def fill_columns(hulls, program, state, work, cost):
    """What a unit of each free column adds to z and to the joint rows."""
    vertices = hulls.tables.vertices
    for j in range(state.counts[COLUMNS]):
        i, v = state.columns[ITEM, j], state.columns[VERTEX, j]
        change, joint_change = work.change[j], work.joint_change[j]
        x = y = z = 0.0
        if v < 0:
            x, y, z = hulls.rays[-1 - v, 0], hulls.rays[-1 - v, 1], hulls.rays[-1 - v, 2]
        elif i >= 0:
            key = state.keys[i]
            x, y, z = (
                vertices[v, 0] - vertices[key, 0],
                vertices[v, 1] - vertices[key, 1],
                vertices[v, 2] - vertices[key, 2],
            )
        at = max(i, 0)  # of the elastic column nothing is left: its force is zero
        for q in range(6):
            change[q] = program.maps[at, q, 0] * x + program.maps[at, q, 1] * y + program.maps[at, q, 2] * z
        change[6] = cost if i < 0 else 0.0
        for q in range(len(work.joints)):
            joint_change[q] = program.joint[at, q, 0] * x + program.joint[at, q, 1] * y + program.joint[at, q, 2] * z


@kernel
def slope(program, elastic, row, z, joints, lent):
    """How a row's slack changes with a change of z, of the joint rows, and of the elastic weight."""
    k, total = len(program.shape_of), lent * elastic[row]
    if row < k:
        for q in range(6):
            total += program.normals[row, q] * z[q]
        return total
    value = joints[(row - k) >> 1]
    return total - value if (row - k) & 1 else total + value


@kernel
def slack_of(program, elastic, row, z, joints, lent):
    """By how much a row is met; negative where it is broken."""
    return slope(program, elastic, row, z, joints, lent) - program.limits[row]


@kernel
def drop_column(state, j):
    """Take a free column out."""
    last = state.counts[COLUMNS] - 1
    for h in range(j, last):
        state.columns[ITEM, h], state.columns[VERTEX, h] = state.columns[ITEM, h + 1], state.columns[VERTEX, h + 1]
        state.weights[h] = state.weights[h + 1]
    state.counts[COLUMNS] = last


@kernel
def drop_key(state, i):
    """The key of contact i has no weight left: its heaviest other vertex takes its place."""
    best = -1
    for j in range(state.counts[COLUMNS]):
        own = state.columns[ITEM, j] == i and state.columns[VERTEX, j] >= 0
        if own and (best < 0 or state.weights[j] > state.weights[best]):
            best = j
    state.keys[i] = state.columns[VERTEX, best]
    drop_column(state, best)


@kernel
def drop_row(state, at):
    """Take a working row out."""
    last = state.counts[ROWS] - 1
    for h in range(at, last):
        state.rows[h] = state.rows[h + 1]
    state.counts[ROWS] = last
