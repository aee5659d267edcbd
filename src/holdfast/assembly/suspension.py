"""Suspension: the stiffness of a contact, and what happens when the force leaves its volume.

A contact with stiffness K and preload f0 carries f = f0 - K u, with u the displacement of the object relative to
the surface; all three in the contact frame (x along the shear direction, y across it, z normal INTO the object).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError, UnitError
from ..public_names import with_advice

#: What happens when the force of a contact leaves its volume. brittle: it drops to zero and stays zero; slip: the
#: shear force stays on the border at the current normal force; ductile: the force stays on the border.
Rule = Literal["brittle", "slip", "ductile"]

RULES: tuple[Rule, ...] = get_args(Rule)

#: Stiffness that is accepted [N/m]; beyond these the unit is probably wrong. A soft spine has 10, a steel ball 1e7.
SMALLEST_STIFFNESS = 1e-3
LARGEST_STIFFNESS = 1e12

#: Shear moduli between soft foam and hard rubber [Pa].
SOFTEST_RUBBER, HARDEST_RUBBER = 1e2, 1e9

#: The formula of the compression modulus of rubber holds up to this shape factor: beyond it the bulk modulus matters.
LARGEST_SHAPE_FACTOR = 10.0


@dataclass(frozen=True, eq=False)
class Suspension:
    """Stiffness, preload and failure rule of a contact: f = f0 - K u, in the contact frame.

    Attributes:
        stiffness: (3, 3) K [N/m], symmetric and positive semidefinite. Also accepted: a pair (normal, tangential), or a
            triple (along x, across y, normal z).
        preload: (3,) f0 [N], the force on the object before any load. Also accepted: one number, the normal force.
        rule: what happens when the force leaves the volume: "brittle", "slip" or "ductile", see `Rule`.
    """

    stiffness: Array
    preload: Array = field(default_factory=lambda: np.zeros(3))
    rule: Rule = "brittle"

    def __post_init__(self) -> None:
        object.__setattr__(self, "stiffness", stiffness_matrix("stiffness", self.stiffness))
        preload = self.preload
        if not checks.shape("preload", preload):
            preload = (0.0, 0.0, checks.number("preload", preload, unit="N"))
        force = checks.vector("preload", preload, 3)
        largest = float(np.abs(force).max())
        if largest > tolerances.LARGEST_FORCE:
            fix = f"forces are in newtons, up to {tolerances.LARGEST_FORCE:g}"
            raise UnitError(f"is {largest:.3g} N", where="preload", fix=fix)
        object.__setattr__(self, "preload", force)
        checks.word("rule", self.rule, RULES, where="rule")

    @property
    def normal(self) -> float:
        """Stiffness along the contact normal [N/m]."""
        return float(self.stiffness[2, 2])

    @property
    def tangential(self) -> float:
        """Stiffness within the surface, the mean of the two axes [N/m]."""
        return float(0.5 * (self.stiffness[0, 0] + self.stiffness[1, 1]))

    def scaled(self, factor: float) -> Suspension:
        """Stiffness and preload multiplied by `factor` > 0: the share of one point of a unit."""
        factor = checks.positive("factor", factor)
        return (
            self if factor == 1.0 else replace(self, stiffness=factor * self.stiffness, preload=factor * self.preload)
        )

    def mirrored(self) -> Suspension:
        """The same with the lateral axis y reversed, for a mirrored contact."""
        signs = np.array([1.0, -1.0, 1.0])
        return replace(self, stiffness=signs[:, None] * self.stiffness * signs, preload=signs * self.preload)

    def reversed(self) -> Suspension:
        """For the opposite force, on the other body, in the same frame: the preload changes sign."""
        return replace(self, preload=-self.preload)

    def to_dict(self) -> dict[str, Any]:
        """All fields; arrays are not converted."""
        return {"stiffness": self.stiffness, "preload": self.preload, "rule": self.rule}


def stiffness_matrix(name: str, value: ArrayLike) -> Array:
    """(3, 3) stiffness [N/m] from a pair (normal, tangential), a triple (x, y, normal) or a matrix, checked.

    It must be symmetric (relative `tolerances.MERGE`) and positive semidefinite: no eigenvalue below
    -`tolerances.MERGE` times the largest. A matrix that passes is returned exactly symmetric.
    """
    shape = checks.shape(name, value)
    if shape in ((2,), (3,)):
        given = checks.array(name, value, (shape[0],))
        if (given < 0.0).any():
            axis = int(np.argmin(given))
            labels = ("normal", "tangential") if len(given) == 2 else ("along x", "across y", "normal z")
            raise InputError(f"is {given[axis]:g} N/m {labels[axis]}", where=name, fix="stiffness is not negative")
        matrix = np.diag(given if len(given) == 3 else given[[1, 1, 0]])
    else:
        matrix = checks.array(name, value, (3, 3))
    size = float(np.abs(matrix).max())
    if size > LARGEST_STIFFNESS or 0.0 < size < SMALLEST_STIFFNESS:
        fix = f"stiffness is in N/m, zero or between {SMALLEST_STIFFNESS:g} and {LARGEST_STIFFNESS:g}"
        raise UnitError(f"is {size:.3g} N/m", where=name, fix=fix)
    skew = np.abs(matrix - matrix.T)
    if skew.max() > tolerances.MERGE * size:
        i, j = sorted(int(k) for k in np.unravel_index(np.argmax(skew), (3, 3)))
        raise InputError(
            f"is not symmetric: entry [{i}, {j}] is {matrix[i, j]:g}, [{j}, {i}] is {matrix[j, i]:g}",
            where=name,
            fix="give the symmetric part, 0.5 * (K + K.T)",
        )
    matrix = 0.5 * (matrix + matrix.T)
    values, vectors = np.linalg.eigh(matrix)
    if values[0] < -tolerances.MERGE * size:
        along = (vectors[:, 0] + 0.0).round(3).tolist()
        raise InputError(
            f"is not positive semidefinite: the eigenvalue along {along} is {values[0]:.4g} N/m",
            where=name,
            fix="a contact must resist every displacement; check the signs off the diagonal",
        )
    matrix.setflags(write=False)
    return matrix


def suspension_shares(suspension: Suspension | None, fractions: Array) -> tuple[Suspension | None, ...]:
    """The suspension of each point of a unit with these shares (n,): they sum to that of the whole unit."""
    if suspension is None:
        return (None,) * len(fractions)
    checks.instance("suspension", suspension, Suspension, fix="give a holdfast.assembly.Suspension of the whole unit")
    made = {share: suspension.scaled(share) for share in dict.fromkeys(fractions.tolist())}
    return tuple(made[share] for share in fractions.tolist())


@with_advice()
def rubber_pad_stiffness(
    area: float, thickness: float, *, shear_modulus: float = 0.6e6, shape_factor: float = 0.0
) -> tuple[float, float]:
    """(normal, tangential) stiffness [N/m] of a flat rubber pad bonded to its backing.

    k_n = E_c A / t with the compression modulus E_c = 3 G (1 + 2 S^2), and k_t = G A / t (A. N. Gent, Engineering with
    Rubber; the usual formula of elastomer bearings). Rubber is nearly incompressible, so that a pad whose faces
    cannot slip is stiffer the flatter it is. For strains below about 10 %, and S below 10, where the bulk modulus of
    rubber is not relevant.

    Args:
        area: loaded area A [m^2].
        thickness: t [m].
        shear_modulus: G [Pa]; 0.6 MPa by default, rubber of about 50 Shore A. 0.3 MPa is soft, 1.2 MPa is hard.
        shape_factor: S = loaded area / area that is free to bulge: radius / (2 t) for a disc, a b / (2 (a + b) t) for
            a rectangle. 0 by default: faces that slip freely.
    """
    a = checks.positive("area", area, unit="m^2", high=tolerances.LARGEST_LENGTH**2)
    t = checks.length("thickness", thickness)
    modulus = checks.positive("shear_modulus", shear_modulus, unit="Pa")
    if not SOFTEST_RUBBER <= modulus <= HARDEST_RUBBER:
        fix = f"moduli are in pascals, from {SOFTEST_RUBBER:g} to {HARDEST_RUBBER:g} for rubber and foam"
        raise UnitError(f"is {modulus:.3g} Pa", where="shear_modulus", fix=fix)
    shape = checks.number("shape_factor", shape_factor, low=0.0, high=LARGEST_SHAPE_FACTOR)
    return 3.0 * modulus * (1.0 + 2.0 * shape**2) * a / t, modulus * a / t
