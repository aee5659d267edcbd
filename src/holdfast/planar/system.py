"""Planar contact in one form: M a = bias + selector tau + J^T f, with one contact mode for each contact.

A mode is a string with one letter per contact: S separates, F stays fixed, R slides right (towards +t), L slides left.
Modes are strict: at zero normal velocity S means an > 0; at zero slip velocity R and L mean at > 0 and at < 0. So the
modes are disjoint in a, and their union is the whole solution set. Velocities come first: vn > 0 is S for any a,
vn < 0 is an impact, and a slip velocity determines L or R for any at.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..public_names import with_advice
from .polyhedra import Polyhedron

#: The letters of contact modes, in the order in which they are tried.
LETTERS = "SFRL"

#: A velocity below this share of the largest one counts as zero.
AT_REST = 1e-9

#: A mass matrix whose smallest eigenvalue is below this share of the largest is singular.
SINGULAR = 1e-13

#: A mass matrix is symmetric within this share of its largest entry.
SYMMETRIC = 1e-9


@with_advice()
class System:
    """M a = bias + selector tau + J^T f;  an = Jn a + normal_bias,  at = Jt a + tangent_bias; immutable.

    With n coordinates, t torques and k contacts, f is ordered (ft1, fn1, ft2, fn2, ...), acting on the body along the
    contact's tangent and its normal out of the obstacle. `bias` holds all forces that are neither torques nor
    reactions: gravity, applied loads, and minus the Coriolis terms. The second-order biases are those of (2),
    J' qd. Generalised units follow the coordinates: N and m/s^2 for lengths, N m and rad/s^2 for angles.

    Attributes:
        mass_matrix: (n, n), symmetric and positive definite.
        bias: (n,).
        selector: (n, t); None stands for no torques.
        normal_jacobian, tangent_jacobian: (k, n).
        mu: (k,) friction coefficients, >= 0.
        normal_bias, tangent_bias, normal_velocity, tangent_velocity: (k,).
    """

    def __init__(
        self,
        mass_matrix: ArrayLike,
        bias: ArrayLike,
        selector: ArrayLike | None,
        normal_jacobian: ArrayLike,
        tangent_jacobian: ArrayLike,
        mu: ArrayLike,
        normal_bias: ArrayLike = 0.0,
        tangent_bias: ArrayLike = 0.0,
        normal_velocity: ArrayLike = 0.0,
        tangent_velocity: ArrayLike = 0.0,
    ) -> None:
        self.mass_matrix = checks.array("mass_matrix", mass_matrix, ("n", "n"))
        size = len(self.mass_matrix)
        self.bias = checks.vector("bias", bias, size)
        given = np.zeros((size, 0)) if selector is None or _is_nothing(selector) else selector
        self.selector = checks.array("selector", given, (size, "t"))
        self.normal_jacobian = _jacobian("normal_jacobian", normal_jacobian, size)
        count = len(self.normal_jacobian)
        self.tangent_jacobian = _jacobian("tangent_jacobian", tangent_jacobian, size)
        if len(self.tangent_jacobian) != count:
            what = f"has {len(self.tangent_jacobian)} rows"
            raise InputError(what, where="tangent_jacobian", fix=f"one for each of {count} contacts")
        self.mu = each("mu", mu, count)
        if (self.mu < 0.0).any():
            place = int(np.argmin(self.mu))
            raise InputError(f"is {self.mu[place]:g}", where=f"mu[{place}]", fix="friction coefficients are >= 0")
        self.normal_bias = each("normal_bias", normal_bias, count)
        self.tangent_bias = each("tangent_bias", tangent_bias, count)
        vn, vt = each("normal_velocity", normal_velocity, count), each("tangent_velocity", tangent_velocity, count)
        least = AT_REST * max(np.abs(vn).max(initial=0.0), np.abs(vt).max(initial=0.0))
        self.normal_velocity, self.tangent_velocity = (np.where(np.abs(v) <= least, 0.0, v) for v in (vn, vt))
        self._check_mass()

    def _check_mass(self) -> None:
        M = self.mass_matrix
        if not len(M):
            raise InputError("has no coordinates", where="mass_matrix", fix="give at least one")
        if np.abs(M - M.T).max() > SYMMETRIC * np.abs(M).max():
            raise InputError("is not symmetric", where="mass_matrix", fix="give M with M = M^T")
        # Units differ between coordinates: the matrix is tested with its diagonal scaled to one.
        diagonal = np.diag(M)
        if (diagonal <= 0.0).any():
            place = int(np.argmin(diagonal))
            where = f"mass_matrix[{place}, {place}]"
            raise InputError(f"is {diagonal[place]:g}", where=where, fix="inertias must be positive")
        sizes = np.sqrt(diagonal)
        least = float(np.linalg.eigvalsh(M / np.outer(sizes, sizes))[0])
        if least <= SINGULAR:
            what = f"is singular or indefinite: its least eigenvalue is {least:.3g} with the diagonal scaled to one"
            fix = "every coordinate needs inertia of its own: a massless link or a doubled coordinate has none"
            raise InputError(what, where="mass_matrix", fix=fix)

    def __repr__(self) -> str:
        n, t = self.selector.shape
        return f"System({n} coordinates, {t} torques, {self.contact_count} contacts)"

    @property
    def coordinate_count(self) -> int:
        """n."""
        return len(self.bias)

    @property
    def torque_count(self) -> int:
        """t."""
        return self.selector.shape[1]

    @property
    def contact_count(self) -> int:
        """k."""
        return len(self.mu)

    @cached_property
    def jacobian(self) -> Array:
        """(2 k, n): rows t1, n1, t2, n2, ... as f is ordered; J^T f is the generalised reaction force."""
        return np.stack([self.tangent_jacobian, self.normal_jacobian], axis=1).reshape(-1, self.coordinate_count)

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """The letters that are possible at each contact's velocity; "" where it points into the obstacle."""
        speeds = zip(self.normal_velocity.tolist(), self.tangent_velocity.tolist(), strict=True)
        return tuple(_letters(vn, vt) for vn, vt in speeds)

    @property
    def impacts(self) -> tuple[int, ...]:
        """Contacts whose velocity points into the obstacle."""
        return tuple(i for i, letters in enumerate(self.choices) if not letters)

    def check_mode(self, mode: str, *, where: str = "mode") -> str:
        """`mode` if it has one letter of S, F, R, L for each contact."""
        if not isinstance(mode, str) or len(mode) != self.contact_count or any(c not in LETTERS for c in mode):
            fix = f"give {self.contact_count} letters of S, F, R, L, one for each contact"
            raise InputError(f"is {mode!r}", where=where, fix=fix)
        return mode

    def force_edges(self, mode: str) -> Array:
        """(2 k, e): edges of the contacts' cones that `mode` allows, for unit normal force; every f is a sum of these.

        F has both edges of its cone, fn (+-mu, 1) in (ft, fn), or the normal alone at mu = 0; R has ft = -mu fn, L has
        ft = mu fn, S nothing.
        """
        edges: list[Array] = []
        for i, letter in enumerate(self.check_mode(mode)):
            mu = self.mu[i]
            signs = {"S": (), "F": (-mu, mu) if mu > 0.0 else (0.0,), "R": (-mu,), "L": (mu,)}[letter]
            for ft in signs:
                edge = np.zeros(2 * self.contact_count)
                edge[2 * i : 2 * i + 2] = ft, 1.0
                edges.append(edge / np.hypot(ft, 1.0))
        return np.array(edges).T if edges else np.zeros((2 * self.contact_count, 0))


def _letters(vn: float, vt: float) -> str:
    if vn < 0.0:
        return ""
    if vn > 0.0:
        return "S"
    return "SFRL" if vt == 0.0 else ("SR" if vt > 0.0 else "SL")


def _jacobian(name: str, value: ArrayLike, size: int) -> Array:
    given = np.zeros((0, size)) if _is_nothing(value) else value
    return checks.array(name, given, ("k", size))


def _is_nothing(value: ArrayLike) -> bool:
    try:
        return np.size(value) == 0
    except ValueError:  # rows of different lengths: the check of the array says so
        return False


def each(name: str, value: ArrayLike, count: int, *, infinite: bool = False) -> Array:
    """`value`, one number for all parts or one for each of `count` parts, as a vector; infinity only if `infinite`."""
    full = np.full(count, value) if is_one(value) else value
    return checks.array(name, full, (count,), infinite=infinite)


def is_one(value: ArrayLike) -> bool:
    """Whether `value` is a single number, or anything else than a list."""
    try:
        return np.ndim(value) == 0
    except ValueError:  # rows of different lengths: the check of the array says so
        return False


def acceleration_rows(system: System, mode: str) -> tuple[Array, Array, Any, Array, Array]:
    """(A, b, strict, C, d) of A a >= b, C a = d: the conditions of `mode` on a, Tables I and II with strict signs.

    Where the velocity excludes the mode, the row is 0 >= 1.
    """
    system.check_mode(mode)
    n = system.coordinate_count
    A, b, C, d = [], [], [], []
    strict: list[bool] = []
    for i, letter in enumerate(mode):
        normal, tangent = system.normal_jacobian[i], system.tangent_jacobian[i]
        hn, ht = system.normal_bias[i], system.tangent_bias[i]
        if letter not in system.choices[i]:
            A.append(np.zeros(n))
            b.append(1.0)
            strict.append(False)
            continue
        if letter == "S":
            if system.normal_velocity[i] == 0.0:
                A.append(normal)
                b.append(-hn)
                strict.append(True)
            continue
        C.append(normal)
        d.append(-hn)
        if letter == "F":
            C.append(tangent)
            d.append(-ht)
        elif system.tangent_velocity[i] == 0.0:
            sign = 1.0 if letter == "R" else -1.0
            A.append(sign * tangent)
            b.append(-sign * ht)
            strict.append(True)
    shaped = [np.array(rows).reshape(-1, n) for rows in (A, C)]
    return shaped[0], np.array(b), np.array(strict, dtype=bool), shaped[1], np.array(d)


def force_rows(system: System, mode: str) -> tuple[Array, Array]:
    """(A, C) of A f >= 0, C f = 0: the conditions of `mode` on f, Tables I and II with fn >= 0 at every mu."""
    system.check_mode(mode)
    k = system.contact_count
    A, C = [], []
    for i, letter in enumerate(mode):
        ft, fn = np.eye(2 * k)[2 * i : 2 * i + 2]
        mu = system.mu[i]
        if letter == "S":
            C += [ft, fn]
        elif letter == "F" and mu > 0.0:
            A += [mu * fn - ft, mu * fn + ft]
        else:
            A.append(fn)
            C.append(ft + {"R": mu, "L": -mu, "F": 0.0}[letter] * fn)
    return np.array(A).reshape(-1, 2 * k), np.array(C).reshape(-1, 2 * k)


@with_advice()
def mode_set(system: System, mode: str, tau: ArrayLike | None = None) -> Polyhedron:
    """All (a, f, tau) that move in the strict mode `mode`: R^(n + 2 k + t), or all (a, f) under the given `tau`.

    Equalities are M a - J^T f - selector tau = bias and those of the mode; coordinates are in their natural units.
    """
    n, k, t = system.coordinate_count, system.contact_count, system.torque_count
    A, b, strict, C, d = acceleration_rows(system, mode)
    Af, Cf = force_rows(system, mode)
    right = system.bias
    columns = [system.mass_matrix, -system.jacobian.T]
    if tau is None:
        columns.append(-system.selector)
    else:
        right = right + system.selector @ checks.vector("tau", tau, t)
        t = 0
    width = n + 2 * k + t

    def wide(rows: Array, start: int) -> Array:
        result = np.zeros((len(rows), width))
        result[:, start : start + rows.shape[1]] = rows
        return result

    return Polyhedron(
        np.vstack([wide(A, 0), wide(Af, n)]),
        np.concatenate([b, np.zeros(len(Af))]),
        np.vstack([np.hstack(columns), wide(C, 0), wide(Cf, n)]),
        np.concatenate([right, d, np.zeros(len(Cf))]),
        strict=np.concatenate([strict, np.zeros(len(Af), dtype=bool)]),
        dimension=width,
    )
