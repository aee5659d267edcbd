"""How far a wrench space reaches along each axis: exact limits, one way and the other, each with its proof."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import InputError
from ..statics.equilibrium import LoadLimit, load_limit
from .holders import Volumes, held_by
from .slices import slice_surface

if TYPE_CHECKING:
    from ..solvers import Exact
    from .space import WrenchSpace
    from .subspace import Subspace

#: What the six axes of a wrench are called and counted in.
LABELS = ("fx", "fy", "fz", "tx", "ty", "tz")
UNITS = ("N", "N", "N", "N m", "N m", "N m")


class ExtentRow(NamedTuple):
    """One axis, for a table."""

    label: str
    unit: str
    lowest: float
    highest: float
    verified: bool


@dataclass(frozen=True, eq=False)
class Extents:
    """The limits of loads along both ways of each axis (6), when no other load acts.

    Attributes:
        axes: (p, 6) unit loads, torques about the world origin.
        labels, units: what each is called and counted in.
        backward, forward: the limit against and along each axis, with forces and certificate.
    """

    axes: Array
    labels: tuple[str, ...]
    units: tuple[str, ...]
    backward: tuple[LoadLimit, ...]
    forward: tuple[LoadLimit, ...]

    def __repr__(self) -> str:
        parts = [f"{row.label} {row.lowest:.4g} to {row.highest:.4g} {row.unit}" for row in self.rows()]
        return f"Extents({', '.join(parts)})"

    @cached_property
    def values(self) -> Array:
        """(p, 2) the lowest and the highest load on each axis that holds [N, N m]; infinite where there is no limit.

        Where no load of an axis holds at all the two are the wrong way round: (inf, -inf).
        """
        return np.array([[-b.value, f.value] for b, f in zip(self.backward, self.forward, strict=True)])

    @cached_property
    def bounds(self) -> Array:
        """(p, 2) loads beyond these do not hold; equal to `values` within the method's gap unless undecided."""
        return np.array([[-b.upper_bound, f.upper_bound] for b, f in zip(self.backward, self.forward, strict=True)])

    def verify(self) -> bool:
        """Whether every proof stands without the solver; False if any limit is undecided."""
        return all(limit.verify() for limit in (*self.backward, *self.forward))

    def rows(self) -> list[ExtentRow]:
        """One row an axis: label, unit, lowest, highest, and whether both proofs stand."""
        return [
            ExtentRow(label, unit, float(low), float(high), b.verify() and f.verify())
            for label, unit, (low, high), b, f in zip(
                self.labels, self.units, self.values, self.backward, self.forward, strict=True
            )
        ]


def wrench_extents(
    assembly: Assembly,
    subspace: Subspace | None = None,
    *,
    volumes: Volumes = "union",
    method: Exact | None = None,
) -> Extents:
    """Exact limits along both ways of each axis of a subspace, or of all six axes.

    Args:
        assembly: contacts and joint rows.
        subspace: whose axes are asked about; fx, fy, fz, tx, ty, tz by default, torques about the world origin.
        volumes: "union" as the contacts are, or "hull" with the convex hull of each contact's volume (an outer limit).
        method: how to solve; `Exact()` by default.
    """
    asked = held_by(assembly, volumes)
    axes = np.eye(6) if subspace is None else subspace.axes
    return Extents(
        axes,
        LABELS if subspace is None else tuple(subspace.labels),
        UNITS if subspace is None else tuple(subspace.units),
        tuple(load_limit(asked, -axis, method=method) for axis in axes),
        tuple(load_limit(asked, axis, method=method) for axis in axes),
    )


def extents_of(space: WrenchSpace) -> Extents:
    """Exact limits along both ways of each axis of a space's subspace (of all six for a space in R^6).

    They are asked of its assembly, so one that was loaded without it has only `surface_extents`.
    """
    if space.assembly is None:
        raise InputError(
            "has no assembly to ask",
            where="space",
            fix="load it with assembly=, or take surface_extents(space), which goes by the sampled surface",
        )
    return wrench_extents(space.assembly, space.subspace, volumes=space.volumes, method=space.method)


def surface_extents(space: WrenchSpace) -> Array:
    """(3, 2) where the axes of a 3-D slice leave its sampled surface, lowest and highest [N, N m].

    Exact where a ray lies on the axis; between rays the surface is flat, and so is this. Needs no assembly.
    """
    surface = slice_surface(space)
    return np.column_stack([-surface.radial(-np.eye(3)), surface.radial(np.eye(3))])
