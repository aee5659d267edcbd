"""Walls: interfaces between bodies side by side, which carry friction only where something squeezes them.

Two boxes side by side may press against each other with any force, as far as balance is concerned, and each would then
hang by friction from the other. Nothing presses them together: forces of the right size exist, but nothing makes them.
So the friction of a wall is used only where the bodies cannot be in balance without a force across it.

A wall is an interface whose normal is closer to horizontal than to the weight's direction. The forces on all walls
together are made as small as balance allows, with walls that press without friction; those that stay above zero are
squeezed. Where bodies fall without friction at walls, as a plate between two jaws does, they hang on strings at their
centres of mass in this question, which carry as little as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import block_diag, csr_array, hstack, vstack

from ..checks import Array
from ..force_limits.volume import ForceVolume
from ..linear_programs import minimise
from .assembly import Assembly

#: Walls have normals with a larger angle than this from the direction of the weight, in either sense [rad].
STEEP = np.pi / 4

#: Forces across a wall below this share of all loads together are zero.
NO_SQUEEZE = 1e-6

#: A newton that a string carries counts as much as this many across walls: walls squeeze before strings carry.
STRING = 1e4


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


def squeezed(assembly: Assembly, walls: Sequence[Sequence[int]], weight: Array, load: Array) -> list[bool]:
    """Whether each wall bears a force in the balance of least forces on all walls; see the top of this module.

    Args:
        assembly: contacts, with friction everywhere.
        walls: the numbers of the contacts of each.
        weight: (6 n,) weight of the bodies, about the world origin, which strings may carry.
        load: (6 n,) other wrenches.
    """
    from ..solvers.interior_point import sparse_rows

    wall_of = {index: number for number, wall in enumerate(walls) for index in wall}
    layout, n = assembly.layout, 6 * assembly.body_count
    generators: list[Array] = []  # (3, c) forces of one contact each
    limited: list[Array] = []  # whether a column is a share of its contact's strength
    costs: list[Array] = []
    for index, contact in enumerate(assembly.contacts):
        if index in wall_of:
            forces, shares = np.array([[0.0, 0.0, 1.0]]), np.zeros(1)
        else:
            vertices, rays = np.concatenate(contact.volume.pieces), np.concatenate(contact.volume.rays)
            vertices = vertices[vertices.any(axis=1)]
            forces, shares = np.concatenate([vertices, rays]), np.repeat([1.0, 0.0], [len(vertices), len(rays)])
        generators.append(forces.T)
        limited.append(shares)
        costs.append(np.full(len(forces), float(index in wall_of)))
    strings = np.zeros((len(layout.lower), assembly.body_count))
    for body in range(assembly.body_count):
        own = np.zeros(n)
        own[6 * body : 6 * body + 6] = weight[6 * body : 6 * body + 6]
        strings[:, body] = -assembly.problem(own).load
    asked = assembly.problem(weight + load).load
    size = float(np.abs(asked[:n]).sum()) or 1.0
    pushes = sparse_rows(layout) @ csr_array(block_diag(generators))
    rows: Any = hstack([pushes, csr_array(strings / size)], format="csr")
    owners = np.repeat(np.arange(len(assembly)), [len(c) for c in costs])
    strengths: Any = csr_array(
        (np.concatenate(limited), (owners, np.arange(len(owners)))), (len(assembly), rows.shape[1])
    )
    capped = np.flatnonzero(np.bincount(owners, np.concatenate(limited)) > 0.0)
    carried = STRING * np.abs(strings[:n]).sum(axis=0) / size
    bounds = [(0.0, None)] * len(owners) + [(0.0, 1.0)] * assembly.body_count
    lower, upper = (layout.lower[n:] - asked[n:]) / size, (layout.upper[n:] - asked[n:]) / size
    high, low = np.flatnonzero(np.isfinite(upper)), np.flatnonzero(np.isfinite(lower))
    most: list[tuple[Any, Array]] = [
        (rows[n + high], upper[high]),
        (-rows[n + low], -lower[low]),
        (strengths[capped], np.full(len(capped), 1.0 / size)),
    ]
    answer = minimise(
        np.concatenate([*costs, carried]),
        vstack([part for part, _ in most], format="csr"),
        np.concatenate([bound for _, bound in most]),
        rows[:n],
        -asked[:n] / size,
        bounds=bounds,
    )
    if not answer.optimal:  # no balance even with strings: something else pulls the bodies
        return [False] * len(walls)
    pressed = np.bincount(owners, answer.x[: len(owners)] * np.concatenate(costs), len(assembly))
    return [float(pressed[list(wall)].sum()) > NO_SQUEEZE for wall in walls]
