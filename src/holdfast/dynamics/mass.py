"""Mass matrices: how an object resists being accelerated, and which 6 x 6 matrices do that at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError
from ..geometry.frames import skew

#: A matrix is symmetric when its halves differ by no more than this share of its diagonal.
SYMMETRIC = 1e-9

#: A matrix is singular when its smallest eigenvalue, after scaling its diagonal to 1, is below this.
SINGULAR = 1e-12


def mass_matrix(mass: float, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """B (6, 6) of (7) and (8) about the world origin: [[m I, -m [c]], [m [c], I_c - m [c][c]]].

    It maps a twist rate (acceleration [m/s^2] of the body's point at the world origin, angular acceleration
    [rad/s^2]) of an object at rest to the wrench (force [N], torque [N m] about the world origin) that causes it.

    Args:
        mass: [kg].
        inertia: (3, 3) about the centre of mass, in world axes [kg m^2].
        com: (3,) centre of mass c in the world [m].
    """
    mass = checks.number("mass", mass, low=tolerances.SMALLEST_MASS, high=tolerances.LARGEST_MASS, unit="kg")
    inertia = positive_definite("inertia", inertia, 3)
    arm = skew(checks.vector("com", com, 3))
    result = np.block([[mass * np.eye(3), -mass * arm], [mass * arm, inertia - mass * arm @ arm]])
    result.setflags(write=False)
    return result


def positive_definite(name: str, value: ArrayLike, size: int) -> Array:
    """`value` as a read-only symmetric positive definite matrix (size, size).

    Rows and columns may differ in unit: the diagonal is scaled to 1 before anything is compared.
    """
    matrix = checks.array(name, value, (size, size))
    diagonal = np.diagonal(matrix)
    if (diagonal <= 0.0).any():
        at = int(np.argmax(diagonal <= 0.0))
        raise InputError(f"is {diagonal[at]:g}", where=f"{name}[{at}, {at}]", fix="the diagonal must be positive")
    lengths = np.sqrt(diagonal)
    scaled = matrix / np.outer(lengths, lengths)
    uneven = np.abs(scaled - scaled.T)
    if uneven.max() > SYMMETRIC:
        i, j = (int(t) for t in np.unravel_index(uneven.argmax(), uneven.shape))
        raise InputError(
            f"is not symmetric: entry [{i}, {j}] is {matrix[i, j]:g}, [{j}, {i}] is {matrix[j, i]:g}",
            where=name,
            fix="give a symmetric matrix",
        )
    require_definite(name, scaled)
    result = 0.5 * (matrix + matrix.T)
    result.setflags(write=False)
    return result


def require_definite(name: str, scaled: Array) -> None:
    """Raise unless a symmetric matrix, its diagonal scaled to 1, is positive definite beyond rounding."""
    least = float(np.linalg.eigvalsh(0.5 * (scaled + scaled.T))[0])
    if least < -SINGULAR:
        raise InputError(
            "is indefinite: some motion would have negative energy", where=name, fix="every eigenvalue must be positive"
        )
    if least <= SINGULAR:
        raise InputError(
            "is singular: some motion would have no energy",
            where=name,
            fix="give every direction a mass and every axis an inertia",
        )
