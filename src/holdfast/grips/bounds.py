"""Grip bounds: an inner and an outer set of one grip, between which the truth lies (V.D)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import GeometryError, InputError
from ..geometry.frames import Pose
from ..geometry.polytopes import Polytope
from ..solvers import Status
from .facts import GripFacts
from .grip import Grip
from .outer_grip import OuterGrip

if TYPE_CHECKING:
    from .membership import GripMembership

#: An inner vertex may stand beyond an outer plane by this share of the set's size: both come from solved programs.
NESTED = 1e-8


@dataclass(frozen=True, eq=False, init=False, repr=False)
class GripBounds:
    """An inner and an outer set of the same grip: what is in `inner` is held, what is not in `outer` is not.

    Attributes:
        inner: the grip that surely holds; it lies inside `outer`.
        outer: the set outside of which nothing holds.
        facts: how the two came about; those of `inner` by default.
    """

    inner: Grip
    outer: OuterGrip
    facts: GripFacts

    def __init__(self, inner: Grip, outer: OuterGrip, facts: GripFacts | None = None) -> None:
        checks.instance("inner", inner, Grip, fix="give a holdfast.Grip")
        checks.instance("outer", outer, OuterGrip, fix="give a holdfast.OuterGrip")
        facts = inner.facts if facts is None else facts
        checks.instance("facts", facts, GripFacts, fix="give holdfast.GripFacts or None")
        for name, value in (("inner", inner), ("outer", outer), ("facts", facts)):
            object.__setattr__(self, name, value)
        a, b = inner.palm_gravity, outer.palm_gravity
        if (a is None) != (b is None) or (a is not None and b is not None and not np.array_equal(a, b)):
            what = f"is {None if b is None else b.tolist()}, that of the inner grip {None if a is None else a.tolist()}"
            raise InputError(what, where="outer.palm_gravity", fix="learn both for one orientation")
        worst, row, plane = self._crossing()
        if worst > NESTED:
            raise GeometryError(
                f"stands {worst:.2g} of the set's size beyond outer plane {plane}",
                where=f"inner.{row}",
                fix="the inner grip must lie inside the outer one",
            )

    def __repr__(self) -> str:
        name = f"{self.label!r}, " if self.label else ""
        return f"GripBounds({name}{len(self.inner.vertices)} vertices in {len(self.outer.normals)} half-spaces)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GripBounds):
            return NotImplemented
        return self.inner == other.inner and self.outer == other.outer

    def __hash__(self) -> int:
        return hash((self.inner.fingerprint, self.outer.fingerprint))

    def _crossing(self) -> tuple[float, str, int]:
        """(share, row, plane): how far the inner set stands beyond the outer one at most, and where."""
        normals, offsets = self.outer.unit_planes
        if not len(normals):
            return 0.0, "vertices[0]", 0
        corners = self.inner.vertices / self.outer.unit
        size = float(np.abs(corners).max()) or float(np.abs(offsets).max()) or 1.0
        over = (corners @ normals.T - offsets) / size
        row, plane = np.unravel_index(int(over.argmax()), over.shape)
        worst, name = float(over[row, plane]), f"vertices[{row}]"
        if len(self.inner.rays):
            rays = self.inner.rays / self.outer.unit
            leaning = (rays / np.linalg.norm(rays, axis=1, keepdims=True)) @ normals.T
            row, column = np.unravel_index(int(leaning.argmax()), leaning.shape)
            if leaning[row, column] > worst:
                return float(leaning[row, column]), f"rays[{row}]", int(column)
        return worst, name, int(plane)

    @property
    def label(self) -> str:
        """How reports call it."""
        return self.inner.label

    @property
    def palm_gravity(self) -> Array | None:
        """Gravity in the palm frame (3,) [m/s^2] that the sets are for, None where it does not matter."""
        return self.inner.palm_gravity

    @property
    def length(self) -> float:
        """Characteristic length [m] that scales torques into forces: the inner grip's."""
        return self.inner.length

    @cached_property
    def gaps(self) -> Array:
        """(m,) by how much the inner set falls short of each outer plane, as a share of the outer's reach there.

        The reach is measured from the mean of the inner vertices; 0 where the inner set touches the plane, 1 where it
        has no extent towards it at all.
        """
        if not len(self.outer.normals):
            return np.zeros(0)
        centre = self.inner.vertices.mean(axis=0)
        reached = self.outer.offsets - (self.outer.normals @ self.inner.vertices.T).max(axis=1)
        reach = self.outer.offsets - self.outer.normals @ centre
        normals, _ = self.outer.unit_planes
        scale = np.linalg.norm(self.outer.normals * self.outer.unit, axis=1)
        tiny = tolerances.MEMBERSHIP * self.inner.size * scale * np.abs(normals).sum(axis=1)
        return np.where(reach > tiny, np.clip(reached, 0.0, None) / np.where(reach > tiny, reach, 1.0), 0.0)

    @cached_property
    def gap(self) -> float:
        """The largest of `gaps`; inf where only the outer set goes on without limit, which no plane of it tells."""
        return np.inf if self._is_open else float(self.gaps.max(initial=0.0))

    @property
    def _is_open(self) -> bool:
        """Whether the outer set has a direction without limit that the inner set does not have."""
        if self.outer.is_bounded:
            return False
        if self.inner.is_bounded:
            return True
        # Both are cones far out: the inner one's facets, of which there are a few, must bound the outer one as well.
        unit = self.outer.unit
        cone = Polytope(np.zeros((1, 6)), self.inner.rays / unit)
        growing = OuterGrip(self.outer.normals, np.zeros(len(self.outer.normals)), length=self.outer.length)
        return bool((growing.support(cone.halfspaces[0] / unit) > tolerances.RAY_SLOPE).any())

    def gaps_along(self, directions: ArrayLike) -> Array:
        """(n,) h_outer(y) - h_inner(y) for directions y (n, 6), as a share of the outer's reach from the inner's mean.

        One linear program each; inf where only the inner set is bounded.
        """
        y = checks.array("directions", directions, ("n", 6))
        most, least = self.outer.support(y), self.inner.support(y)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (most - least) / (most - y @ self.inner.vertices.mean(axis=0))
        return np.where(np.isinf(most), np.where(np.isinf(least), 0.0, np.inf), np.nan_to_num(share))

    def contains(self, wrench: ArrayLike) -> GripMembership:
        """HOLDS when the inner set has it, DOES_NOT_HOLD when the outer has not, else UNDECIDED; with its proof."""
        out = self.outer.contains(wrench)
        if out.status is Status.DOES_NOT_HOLD:
            return out
        within = self.inner.contains(wrench)
        if within.status is Status.HOLDS:
            return within
        return replace(within, status=Status.UNDECIDED)

    # -- new bounds -----------------------------------------------------------------------------

    def moved(self, pose: Pose) -> GripBounds:
        """Both sets in a frame where the palm stands at `pose` (14)."""
        return GripBounds(self.inner.moved(pose), self.outer.moved(pose), self.facts.moved(pose))

    def mirrored(self, normal: ArrayLike = (0.0, 1.0, 0.0), point: ArrayLike = (0.0, 0.0, 0.0)) -> GripBounds:
        """The other hand's: both sets mirrored across the plane through `point` [m] with `normal`."""
        facts = self.facts.changed("mirrored")
        return GripBounds(self.inner.mirrored(normal, point), self.outer.mirrored(normal, point), facts)

    def scaled(self, factor: float) -> GripBounds:
        """Every wrench of both times `factor` > 0."""
        inner, outer = self.inner.scaled(factor), self.outer.scaled(factor)
        return GripBounds(inner, outer, self.facts.changed(f"scaled by {factor:g}"))

    def thinned(self) -> GripBounds:
        """The same sets without what is superfluous in them."""
        return GripBounds(self.inner.thinned(), self.outer.thinned(), self.facts)

    def with_label(self, label: str) -> GripBounds:
        """The same sets under another name."""
        return GripBounds(self.inner.with_label(label), self.outer.with_label(label), self.facts)

    # -- files ----------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write both sets to one file; the same bounds give the same bytes."""
        from .files import save_grip

        save_grip(self, path)

    @staticmethod
    def load(path: str | PathLike[str]) -> GripBounds:
        """Inner and outer set of a file that `save` wrote."""
        from .files import load_bounds

        return load_bounds(path)
