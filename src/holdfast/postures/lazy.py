"""LazyGrip: a hand that is never learned; its own program answers, whenever the body asks how far it can go.

The hand's set of wrenches is only needed through its support function, and that is a linear program over the hulls of
its contacts' force volumes within its joint limits. What the hulls cannot do is impossible for the unions of pieces
too; what they can do is then put to the exact solver, hand by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array
from ..errors import InputError, SolverError
from ..geometry.frames import Pose
from ..solvers import Hull, Status
from ..statics.equilibrium import Equilibrium, Method, equilibrium

if TYPE_CHECKING:
    from ..grips.facts import Acting
    from ..grips.hand_supports import HandSupports
    from ..grips.unlimited_supports import UnlimitedSupports

#: A wrench below this share of a hand's size is what rounding left of none, and cones are not asked to give it.
NO_WRENCH = 1e-12


class LazySupports(NamedTuple):
    """The furthest wrenches of a hand along n directions of the palm frame, over the hulls of its force volumes.

    Attributes:
        values: (n,) largest g . w; inf where there is no limit.
        points: (n, 6) wrenches on the body, palm frame, that attain them (any of the hand's, without a limit).
        rays: (n, 6) directions in which g . w grows for ever, zero where there is a limit.
    """

    values: Array
    points: Array
    rays: Array


@dataclass(frozen=True, eq=False)
class LazyGrip:
    """A hand known by its contacts and joints alone: exact, nothing is sampled.

    Attributes:
        assembly: the hand's contacts and joint rows.
        palm: where the palm frame stands in the assembly's world; None: they are the same.
        acting: "direct": the assembly's object is the body, so contact forces f give it the wrench W f. "reaction":
            the object is what the hand grips, and the body gets -W f.
        method: which solver confirms that unions of pieces give what their hulls do; `Exact()` by default.
        palm_gravity: gravity in the palm frame (3,) [m/s^2] that the joint rows are for; None where they have none.
        label: how reports call it.
    """

    assembly: Assembly
    palm: Pose | None = None
    acting: Acting = "direct"
    method: Method | None = None
    palm_gravity: ArrayLike | None = None
    label: str = ""

    def __post_init__(self) -> None:
        checked_assembly(self.assembly)
        if self.palm is not None:
            checks.instance("palm", self.palm, Pose, fix="give a holdfast.Pose or None")
        if self.acting not in ("direct", "reaction"):
            raise InputError(f"is {self.acting!r}", where="acting", fix='give "direct" or "reaction"')
        if self.palm_gravity is not None:
            object.__setattr__(self, "palm_gravity", checks.vector("palm_gravity", self.palm_gravity, 3))

    def __repr__(self) -> str:
        name = f"{self.label!r}, " if self.label else ""
        return f"LazyGrip({name}{len(self.assembly)} contacts, {self.acting})"

    @property
    def length(self) -> float:
        """Characteristic length [m] of the hand."""
        return self.assembly.length

    @cached_property
    def is_convex(self) -> bool:
        """Whether every contact has one convex piece, so that the hulls are the truth."""
        return all(len(contact.volume) == 1 for contact in self.assembly.contacts)

    @cached_property
    def hulled(self) -> Assembly:
        """The hand with the convex hulls of its force volumes."""
        return self.assembly.hulled()

    @cached_property
    def _to_external(self) -> Array:
        """(6, 6) wrench on the body, palm frame, to the external wrench that the assembly holds then."""
        transport = np.eye(6) if self.palm is None else self.palm.wrench_transport()
        return -transport if self.acting == "direct" else transport

    @cached_property
    def _from_external(self) -> Array:
        transport = np.eye(6) if self.palm is None else self.palm.inverse().wrench_transport()
        return -transport if self.acting == "direct" else transport

    @cached_property
    def _oracle(self) -> HandSupports:
        from ..grips.hand_supports import HandSupports

        return HandSupports.of(self.hulled)

    @cached_property
    def has_rays(self) -> bool:
        """Whether some force volume has no limit somewhere; joint limits may still bound the hand."""
        return any(len(piece.rays) for contact in self.hulled.contacts for piece in contact.volume.polytopes)

    @cached_property
    def _unlimited(self) -> UnlimitedSupports:
        from ..grips.unlimited_supports import UnlimitedSupports

        return UnlimitedSupports(self.hulled, self._from_external)

    @property
    def free_rays(self) -> Array:
        """(m, 6) rays, palm frame, that contacts have which load no joint with a limit; all, without such joints."""
        return self._unlimited.free_rays if self.has_rays else np.zeros((0, 6))

    def supports(self, directions: Array) -> LazySupports:
        """The furthest wrenches along directions (n, 6) of the palm frame (outer where volumes are no hulls)."""
        if self.has_rays:
            reaches = [self._unlimited.reach(direction) for direction in directions]
            points = np.array([reach.point for reach in reaches]).reshape(-1, 6)
            rays = np.array([reach.ray for reach in reaches]).reshape(-1, 6)
            return LazySupports(np.array([reach.value for reach in reaches]), points, rays)
        found = self._oracle.many(directions @ self._from_external)
        if not np.isfinite(found.points).all():
            raise SolverError("a hand's support was not found", where=repr(self), fix="check its joint limits")
        return LazySupports(found.values, found.points @ self._from_external.T, np.zeros((len(directions), 6)))

    def support_bound(self, direction: Array) -> float:
        """No wrench of the hand has a larger g . w (outer): by another method, and by a certificate that is checked."""
        if self.has_rays:
            return self._unlimited.bound(direction)
        from ..wrench_spaces.computation import support_problem

        problem = support_problem(self.hulled, direction @ self._from_external)
        solution = Hull().maximise(problem)
        proven = solution.certificate is not None and solution.certificate.verify(problem)
        return solution.bound if proven and solution.status is not Status.UNBOUNDED else np.inf

    def confirm(self, wrench: Array) -> Equilibrium:
        """Whether the hand gives this wrench (6,), palm frame and on the body, with forces in its pieces."""
        return equilibrium(self.assembly, self._to_external @ self._meant(wrench), method=self.method)

    def confirm_hulls(self, wrench: Array) -> Equilibrium:
        """Whether the hulls of the hand's volumes give this wrench (6,) (outer)."""
        return equilibrium(self.hulled, self._to_external @ self._meant(wrench), method=self.method)

    def _meant(self, wrench: Array) -> Array:
        """The wrench, or none where it is rounding."""
        size = float(np.abs(wrench / np.repeat([1.0, self.length], 3)).max())
        return wrench if size > NO_WRENCH * self.assembly.layout.smallest_size else np.zeros(6)

    def gives(self, answer: Equilibrium, wrench: Array, *, hulls: bool = False) -> bool:
        """Whether an answer of `confirm` (of `confirm_hulls`) is about this wrench, and right; without the solver."""
        unit = np.repeat([1.0, self.length], 3)
        size = max(float(np.abs(wrench / unit).max()), self.assembly.layout.smallest_size)
        meant = np.abs((self._from_external @ answer.wrench - wrench) / unit).max() <= tolerances.FEASIBILITY * size
        about = answer.assembly is (self.hulled if hulls else self.assembly)
        return bool(meant and about and answer.holds and answer.verify())
