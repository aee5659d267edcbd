"""Walls: interfaces between bodies side by side, which carry friction only where something squeezes them.

Two boxes side by side may press against each other with any force, as far as balance is concerned, and each would then
hang by friction from the other. Nothing presses them together: forces of the right size exist, but nothing makes them.
So the friction of a wall is used only where the bodies cannot be in balance without a force across it.

A wall is an interface whose normal is closer to horizontal than to the weight's direction. The forces on all walls
together are made as small as balance allows, with walls that press without friction. Walls that can have a force in
such a balance are squeezed: where several can take the place of one another, all of them. Where bodies fall without
friction at walls, as a plate between two jaws does, they hang on hooks in their walls in this question, which carry as
little as possible along the surface.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import block_array, block_diag, csr_array, eye_array, hstack, vstack

from ..checks import Array
from ..force_limits.volume import ForceVolume
from ..linear_programs import NONNEGATIVE, TIGHT, minimise
from .assembly import Assembly

#: Walls have normals with a larger angle than this from the direction of the weight, in either sense [rad].
STEEP = np.pi / 4 + 1e-6  # surfaces at exactly 45 degrees are no walls

#: Forces across a wall below this share of all loads together are zero.
NO_SQUEEZE = 1e-6

#: The least force on all walls may be exceeded by this share of all loads together [1]; far below `NO_SQUEEZE`.
LEAST = 1e-9

#: Where several walls can take the place of one another, each counts with up to this share of all loads.
SHARED = 1e-4

#: A newton that a hook carries counts as much as this many across walls: walls squeeze before hooks carry.
HOOK = 1e4

#: Forces at a wall in the contact frame: across it, then on the hook.
WALL_FORCES = np.array([[0, 0, 1], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]], dtype=float)


def frictionless(volume: ForceVolume) -> ForceVolume | None:
    """The forces along the normal of a volume of one piece that only presses; None for others, such as glue."""
    if len(volume) > 1 or any((part[:, 2] < 0.0).any() for part in (*volume.pieces, *volume.rays)):
        return None
    along = np.array([0.0, 0.0, 1.0])
    top = float(volume.pieces[0][:, 2].max())
    rays = [along[None]] if volume.rays[0][:, 2].any() else None
    return ForceVolume([np.array([0.0 * along, top * along]) if top else np.zeros((1, 3))], rays, allow_flat=True)


def walls_of(assembly: Assembly, gravity: Array, found: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The walls among the contacts `found` from shapes, each as the numbers of its contacts.

    Between two bodies, with a normal that is steep with respect to `gravity` (3,), and a volume that only presses.
    """
    size = float(np.linalg.norm(gravity))
    walls: dict[tuple[object, ...], list[int]] = {}
    for index in found:
        contact = assembly.contacts[index]
        normal = contact.rotation[:, 2]
        steep = size > 0.0 and abs(float(normal @ gravity)) <= np.cos(STEEP) * size
        if steep and contact.against is not None and frictionless(contact.volume) is not None:
            walls.setdefault((contact.body, contact.against, *np.round(normal, 6).tolist()), []).append(index)
    return tuple(map(tuple, walls.values()))


def squeezed(assembly: Assembly, walls: Sequence[Sequence[int]], load: Array) -> list[bool]:
    """Whether each wall bears a force in some balance of least forces on all walls; see the top of this module.

    Args:
        assembly: contacts, with friction everywhere.
        walls: the numbers of the contacts of each.
        load: (6 n,) wrenches on the bodies, weight included.
    """
    from ..solvers import InteriorPoint, Status
    from ..solvers.interior_point import sparse_rows

    wall_of = {index: number for number, wall in enumerate(walls) for index in wall}
    nothing = ForceVolume([np.zeros((1, 3))], allow_flat=True)
    apart = [replace(c, volume=nothing) if i in wall_of else c for i, c in enumerate(assembly.contacts)]
    if InteriorPoint().test(Assembly(apart, assembly.joints).problem(load)).status is Status.HOLDS:
        return [False] * len(walls)  # much faster than the programs below
    layout, n = assembly.layout, 6 * assembly.body_count
    generators: list[Array] = []  # (3, c) forces of one contact each
    limited: list[Array] = []  # whether a column is a share of its contact's strength
    costs: list[Array] = []
    for index, contact in enumerate(assembly.contacts):
        if index in wall_of:
            forces, shares, cost = WALL_FORCES, np.zeros(5), np.array([1.0, *[HOOK] * 4])
        else:
            vertices, rays = np.concatenate(contact.volume.pieces), np.concatenate(contact.volume.rays)
            vertices = vertices[vertices.any(axis=1)]
            forces, shares = np.concatenate([vertices, rays]), np.repeat([1.0, 0.0], [len(vertices), len(rays)])
            cost = np.zeros(len(forces))
        generators.append(forces.T)
        limited.append(shares)
        costs.append(cost)
    asked = assembly.problem(load).load
    size = float(np.abs(asked[:n]).sum()) or 1.0
    rows: Any = csr_array(sparse_rows(layout) @ csr_array(block_diag(generators)))
    columns: int = rows.shape[1]
    owners = np.repeat(np.arange(len(assembly)), [len(c) for c in costs])
    strengths = csr_array((np.concatenate(limited), (owners, np.arange(columns))), (len(assembly), columns))
    capped = np.flatnonzero(np.bincount(owners, np.concatenate(limited)) > 0.0)
    lower, upper = (layout.lower[n:] - asked[n:]) / size, (layout.upper[n:] - asked[n:]) / size
    high, low = np.flatnonzero(np.isfinite(upper)), np.flatnonzero(np.isfinite(lower))
    less: Any = vstack([rows[n + high], -rows[n + low], strengths[capped]], format="csr")
    at_most = np.concatenate([upper[high], -lower[low], np.full(len(capped), 1.0 / size)])
    balance: Any = (rows[:n], -asked[:n] / size)
    least = minimise(cost := np.concatenate(costs), less, at_most, *balance, bounds=NONNEGATIVE, tolerance=TIGHT)
    if not least.optimal:  # they fall with any friction at walls
        return [False] * len(walls)
    # Then as many walls as possible have a force, with the same total.
    count = len(walls)
    across = np.flatnonzero(cost == 1.0)
    forces = csr_array((np.ones(len(across)), ([wall_of[owners[c]] for c in across], across)), (count, columns))
    most = minimise(
        np.repeat([0.0, -1.0], [columns, count]),
        block_array([[less, None], [cost[None], None], [-forces, eye_array(count)]], format="csr"),
        np.concatenate([at_most, [least.value + LEAST], np.zeros(count)]),
        hstack([balance[0], csr_array((n, count))], format="csr"),
        balance[1],
        bounds=[*[NONNEGATIVE] * columns, *[(0.0, SHARED)] * count],
        tolerance=TIGHT,
    )
    return (most.x[columns:] > NO_SQUEEZE).tolist()
