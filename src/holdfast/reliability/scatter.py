"""Scatter: how far contacts, positions and the object may stray from what was planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import checks
from ..errors import InputError, UnknownNameError
from .distributions import Distribution, distribution

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..checks import Array
    from .bands import Band

#: Standard deviations of positions beyond this are a mistake (millimetres given as metres) [m].
LARGEST_DEVIATION = 1.0

Deviation = float | Sequence[float]


@dataclass(frozen=True, eq=False)
class Scatter:
    """What varies from one specimen to the next, and how much; all of it independent unless said otherwise.

    A number in place of a distribution is the coefficient of variation of a normal factor of mean 1, cut off at zero:
    strength=0.3 is a scatter of 30 %.

    Attributes:
        strength: factor on all forces of a contact: f = s g with g in the volume as planned.
        friction: factor on the shear components alone, f = (phi g_x, phi g_y, g_z): for a Coulomb cone, on mu.
        units: strength of single units by name, in place of `strength`.
        correlation: of the scores (strength, friction, band) of two contacts of one unit: 1 for one factor a
            unit, 0 for one a contact, between them for both. Units are independent.
        position: standard deviation [m] of the points of contact on the object, along the world's x, y and z. The
            torque of a force about the object changes; the joint rows stay as they are.
        position_correlation: the same as `correlation`, of positions: 1 shifts whole units.
        mass: factor on the weight of the object.
        com: standard deviation [m] of its centre of mass along x, y and z.
        bands: volumes between the inner and the outer surface of repeated measurements; see `Band`.
    """

    strength: Distribution | float | None = None
    friction: Distribution | float | None = None
    units: Mapping[str, Distribution | float | None] = field(default_factory=dict)
    correlation: float = 1.0
    position: Deviation = 0.0
    position_correlation: float = 1.0
    mass: Distribution | float | None = None
    com: Deviation = 0.0
    bands: Sequence[Band] = ()

    def __post_init__(self) -> None:
        for name in ("strength", "friction", "mass"):
            object.__setattr__(self, name, distribution(name, getattr(self, name)))
        if not isinstance(self.units, Mapping):
            raise InputError(f"is a {type(self.units).__name__}", where="units", fix="give {name of a unit: strength}")
        units = {str(unit): distribution(f"units[{unit!r}]", value) for unit, value in self.units.items()}
        object.__setattr__(self, "units", units)
        for name in ("correlation", "position_correlation"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), low=0.0, high=1.0))
        for name in ("position", "com"):
            object.__setattr__(self, name, _deviations(name, getattr(self, name)))
        object.__setattr__(self, "bands", _bands(self.bands))

    def factor(self, quantity: str) -> Distribution | None:
        """The distribution of "strength", "friction" or "mass"; None when it does not vary."""
        value = getattr(self, quantity)
        return value if isinstance(value, Distribution) else None

    def unit(self, name: str) -> Distribution | None:
        """The strength of one unit of `units`; None when it does not vary."""
        value = self.units[name]
        return value if isinstance(value, Distribution) else None

    def deviations(self, quantity: str) -> tuple[float, float, float]:
        """Standard deviations [m] of "position" or "com" along x, y and z."""
        return _deviations(quantity, getattr(self, quantity))

    @property
    def is_zero(self) -> bool:
        """Whether nothing varies."""
        factors = (self.strength, self.friction, self.mass, *self.units.values())
        lengths = (*self.deviations("position"), *self.deviations("com"))
        return not any(factors) and not any(lengths) and not self.bands

    def to_dict(self) -> dict[str, Any]:
        """As plain data that JSON and scene files know; what does not vary is left out."""
        data: dict[str, Any] = {}
        for name in ("strength", "friction", "mass"):
            value = self.factor(name)
            if value is not None:
                data[name] = value.to_dict()
        if self.units:
            data["units"] = {unit: (self.unit(unit) or Distribution()).to_dict() for unit in self.units}
        if self.correlation != 1.0:
            data["correlation"] = self.correlation
        if any(self.deviations("position")):
            data["position"] = list(self.deviations("position"))
            data["position_correlation"] = self.position_correlation
        if any(self.deviations("com")):
            data["com"] = list(self.deviations("com"))
        if self.bands:
            data["bands"] = [band.to_dict() for band in self.bands]
        return data

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Scatter:
        """From what `to_dict` gave."""
        from .bands import Band

        if not isinstance(data, Mapping):
            raise InputError(f"is a {type(data).__name__}", where="scatter", fix="give what to_dict gave")
        for name in data:
            if name not in Scatter.__dataclass_fields__:
                raise UnknownNameError("field", str(name), Scatter.__dataclass_fields__, where="scatter")
        given = dict(data)
        for name in ("strength", "friction", "mass"):
            if isinstance(given.get(name), Mapping):
                given[name] = Distribution.from_dict(given[name])
        units = given.get("units", {})
        if not isinstance(units, Mapping):
            raise InputError(f"is a {type(units).__name__}", where="units", fix="give {name of a unit: strength}")
        given["units"] = {u: Distribution.from_dict(v) if isinstance(v, Mapping) else v for u, v in units.items()}
        given["bands"] = [Band.from_dict(band) for band in given.get("bands", ())]
        return Scatter(**given)


def units_of(assembly: Assembly, groups: Sequence[str] | None = None) -> tuple[str, ...]:
    """(k,) the unit that each contact belongs to.

    By default the patch of contacts called "left D[0]", "left D[1]", or "left D/0", is the unit "left D"; any other
    contact is a unit of its own, even where several have one name (its number is then added). `groups` names the units,
    one a contact.
    """
    if groups is not None:
        if isinstance(groups, str) or not isinstance(groups, Sequence) or len(groups) != len(assembly):
            fix = f"name {len(assembly)} units, one a contact"
            raise InputError("has another length than the contacts", where="groups", fix=fix)
        return tuple(str(name) for name in groups)
    names, given = [], [contact.name for contact in assembly.contacts]
    for index, name in enumerate(given):
        patch = name.rpartition("[")[0] or _before_number(name)
        own = f"{name} ({index})" if name and given.count(name) > 1 else name or f"contact {index}"
        names.append(patch or own)
    return tuple(names)


def _bands(bands: Any) -> tuple[Band, ...]:
    from .bands import Band

    if not isinstance(bands, Sequence) or not all(isinstance(band, Band) for band in bands):
        raise InputError(f"is {bands!r}", where="bands", fix="give a list of holdfast.Band")
    return tuple(bands)


def checked_units(scatter: Scatter, units: Sequence[str]) -> None:
    """An error when the scatter speaks of a unit that is not there."""
    for name in scatter.units:
        if name not in units:
            raise UnknownNameError("unit", name, dict.fromkeys(units), where="scatter.units")


def _before_number(name: str) -> str:
    patch, slash, number = name.rpartition("/")
    return patch if slash and number.isdigit() else ""


def _deviations(name: str, value: Any) -> tuple[float, float, float]:
    """Standard deviations along x, y and z [m]; one number stands for all three."""
    if np.ndim(value) == 0:
        one = checks.number(name, value, low=0.0, high=LARGEST_DEVIATION, unit="m")
        return one, one, one
    three: Array = checks.vector(name, value, 3)
    x, y, z = (
        checks.number(f"{name}[{axis}]", three[axis], low=0.0, high=LARGEST_DEVIATION, unit="m") for axis in range(3)
    )
    return x, y, z
