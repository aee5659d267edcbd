"""Design: what is compared, and the point that its loads act through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...assembly.assembly import Assembly
from ...checks import Array
from ...errors import InputError
from ...geometry.frames import Pose
from ...papers.devices import Device


@dataclass(frozen=True, eq=False)
class Design:
    """An assembly and the point in the world that forces act through and torques are about.

    Attributes:
        assembly: contacts and joint rows.
        point: (3,) [m] in the world: the object's centre of mass, say.
    """

    assembly: Assembly
    point: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        if not isinstance(self.assembly, Assembly):
            raise InputError(f"is a {type(self.assembly).__name__}", where="assembly", fix="give a holdfast.Assembly")
        object.__setattr__(self, "point", checks.vector("point", self.point, 3))

    @cached_property
    def centred(self) -> Assembly:
        """The assembly carried along so that `point` is the world origin.

        Its wrenches are those about `point`: they are related to wrenches of `assembly` by the transport (13).
        """
        if not self.point.any():
            return self.assembly
        return self.assembly.moved(Pose(np.eye(3), -self.point))

    @property
    def joints(self) -> int:
        """Number of joint rows."""
        return 0 if self.assembly.joints is None else len(self.assembly.joints)


def as_designs(designs: Any, point: ArrayLike | None) -> dict[str, Design]:
    """The designs by name: an Assembly stands at the world origin, a Device at its object's centre of mass.

    `point` (3,) [m], where it is given, is taken for all of them.
    """
    fix = "give {name: Assembly, Device or Design}"
    if not isinstance(designs, Mapping) or not designs:
        raise InputError("is empty or no mapping", where="designs", fix=fix)
    found: dict[str, Design] = {}
    for name, given in designs.items():
        if isinstance(given, Design):
            design = given
        elif isinstance(given, Device):
            design = Design(given.assembly(), given.object.com)
        elif isinstance(given, Assembly):
            design = Design(given)
        else:
            raise InputError(f"is a {type(given).__name__}", where=f"designs[{name!r}]", fix=fix)
        if str(name) in found:
            raise InputError("names two designs", where=f"designs[{name!r}]", fix="give each a name of its own")
        found[str(name)] = design if point is None else Design(design.assembly, checks.vector("point", point, 3))
    return found


def common_length(designs: Mapping[str, Design]) -> float:
    """One characteristic length [m] for all: the mean of the assemblies' own."""
    return float(np.mean([design.assembly.length for design in designs.values()]))
