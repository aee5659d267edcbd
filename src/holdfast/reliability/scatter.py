"""Scatter: variation of contacts, positions and the object about the plan, and how samples are drawn.

`Distribution`: a factor such as 0.8 or 1.3 on the planned strength. Each family has two parameters, a mean and a
coefficient of variation (standard deviation over mean). A value is made from a standard normal score z as the quantile
at Phi(z), so that values of all families are correlated, shifted and drawn in the same way.

`Band`: volumes from the weakest to the strongest of repeated measurements. Repeated trials along the same direction
differ, by different ratios in different directions, which one factor on all forces cannot express. The limit in each
direction increases from the smallest to the largest measured one; all directions of one contact have the same level.

`Plan`: from a seed to the scores of every sample, and from scores to factors, levels, positions and loads. Everything
that varies is a function of independent standard normal scores. Each quantity of each unit has a stream of its own,
named by the seed and the unit's name: two designs that share units draw the same values for them. Samples come in
blocks of fixed size, so that sample i does not depend on the number of samples or threads.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from .. import checks, tolerances
from ..assembly.assembly import Assembly
from ..checks import Array, IntArray
from ..errors import InputError, UnknownNameError
from ..force_limits.decomposition import decompose
from ..force_limits.surface import LimitSurface
from ..force_limits.volume import ForceVolume
from ..geometry.frames import skew
from ..public_names import with_advice
from ..results import Result

# Distributions of factors.

Kind = Literal["normal", "lognormal", "weibull", "uniform"]

#: Smallest factor, as a fraction of its mean: a contact without any strength has no volume.
LEAST_FACTOR = 1e-6

#: Largest coefficient of variation; larger values are mistakes (such as 30 for 30 %).
LARGEST_VARIATION = 3.0

#: Largest standard deviation of the logarithm of a lognormal factor.
LARGEST_SIGMA = math.sqrt(math.log1p(LARGEST_VARIATION**2))

#: Range of Weibull shapes in which that of a coefficient of variation is searched.
WEIBULL_SHAPES = (0.2, 1e7)


@dataclass(frozen=True)
class Distribution(Result):
    """The distribution of a positive factor.

    Attributes:
        kind: "normal" (cut off at zero), "lognormal", "weibull" or "uniform".
        mean: mean of the factor; of a normal one before it is cut off at zero. Below a variation of 0.3 this changes
            the mean by less than 0.05 %.
        variation: coefficient of variation: standard deviation over mean. Zero: the factor is always `mean`.
    """

    kind: Kind = "normal"
    mean: float = 1.0
    variation: float = 0.0

    def __post_init__(self) -> None:
        checks.word("distribution", self.kind, get_args(Kind), where="kind")
        object.__setattr__(self, "mean", checks.positive("mean", self.mean))
        high = 1.0 / math.sqrt(3.0) if self.kind == "uniform" else LARGEST_VARIATION
        object.__setattr__(self, "variation", checks.number("variation", self.variation, low=0.0, high=high))

    @staticmethod
    def normal(mean: float, deviation: float) -> Distribution:
        """A normal factor with this mean and standard deviation, cut off at zero."""
        deviation = checks.number("deviation", deviation, low=0.0)
        return Distribution("normal", mean, deviation / checks.positive("mean", mean))

    @staticmethod
    def lognormal(median: float, sigma: float) -> Distribution:
        """A factor whose logarithm is normal about log(median) with standard deviation `sigma`."""
        s = checks.number("sigma", sigma, low=0.0, high=LARGEST_SIGMA)
        return Distribution(
            "lognormal", checks.positive("median", median) * math.exp(0.5 * s * s), math.sqrt(math.expm1(s * s))
        )

    @staticmethod
    def weibull(scale: float, shape: float) -> Distribution:
        """A factor that exceeds x with probability exp(-(x / scale) ** shape)."""
        k = checks.number("shape", shape, low=WEIBULL_SHAPES[0], high=WEIBULL_SHAPES[1])
        return Distribution("weibull", checks.positive("scale", scale) * math.gamma(1.0 + 1.0 / k), _of_shape(k))

    @staticmethod
    def uniform(low: float, high: float) -> Distribution:
        """A factor anywhere from `low` >= 0 to `high`, equally likely."""
        low = checks.number("low", low, low=0.0)
        high = checks.number("high", high, low=low)
        middle = checks.positive("high", 0.5 * (low + high))
        return Distribution("uniform", middle, (high - low) / (2.0 * math.sqrt(3.0)) / middle)

    def values(self, scores: Array) -> Array:
        """The factors of standard normal scores: quantiles at Phi(scores), never below LEAST_FACTOR of the mean."""
        from scipy.special import log_ndtr, ndtr, ndtri

        z = np.asarray(scores, dtype=np.float64)
        if self.variation == 0.0:
            return np.full(z.shape, self.mean)
        if self.kind == "normal":
            cut = ndtr(-1.0 / self.variation)  # probability below zero, which is left out
            # In the upper tail Phi(z) rounds to one; the part left out is negligible there.
            inside = np.where(z < 0.0, ndtri(cut + ndtr(z) * (1.0 - cut)), -ndtri(ndtr(-z) * (1.0 - cut)))
            factors = 1.0 + self.variation * inside
        elif self.kind == "lognormal":
            sigma = math.sqrt(math.log1p(self.variation**2))
            factors = np.exp(sigma * z - 0.5 * sigma * sigma)
        elif self.kind == "weibull":
            shape = self._shape
            factors = (-log_ndtr(-z)) ** (1.0 / shape) / math.gamma(1.0 + 1.0 / shape)
        else:
            factors = 1.0 + math.sqrt(3.0) * self.variation * (2.0 * ndtr(z) - 1.0)
        return self.mean * np.maximum(factors, LEAST_FACTOR)

    @cached_property
    def _shape(self) -> float:
        """The Weibull shape of this coefficient of variation."""
        from scipy.optimize import brentq

        low, high = (math.log(end) for end in WEIBULL_SHAPES)
        if _of_shape(math.exp(high)) >= self.variation:
            return math.exp(high)
        return math.exp(brentq(lambda k: _of_shape(math.exp(k)) - self.variation, low, high, xtol=1e-14))  # pyright: ignore[reportArgumentType]

    def to_dict(self) -> dict[str, Any]:
        """As plain data; `from_dict` reads it back."""
        return {"kind": self.kind, "mean": self.mean, "variation": self.variation}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Distribution:
        """A distribution from the data of `to_dict`."""
        known = ("kind", "mean", "variation")
        if not isinstance(data, Mapping) or set(data) != set(known):
            raise InputError(f"is {data!r}", where="distribution", fix=f"give {', '.join(known)}")
        return Distribution(data["kind"], data["mean"], data["variation"])


def distribution(name: str, value: Distribution | float | None) -> Distribution | None:
    """`value` as a distribution; a number is the coefficient of variation of a normal factor of mean 1.

    None when nothing varies. A negative number is an error that names `name`.
    """
    if value is None:
        return None
    if isinstance(value, Distribution):
        return value if value.variation > 0.0 or value.mean != 1.0 else None
    if isinstance(value, (bool, str)) or not isinstance(value, (int, float, np.floating, np.integer)):
        fix = "give a coefficient of variation such as 0.3, or a holdfast.reliability.Distribution"
        raise InputError(f"is {value!r}", where=name, fix=fix)
    variation = checks.number(name, value, low=0.0, high=LARGEST_VARIATION)
    return Distribution("normal", 1.0, variation) if variation > 0.0 else None


def _of_shape(shape: float) -> float:
    """Coefficient of variation of a Weibull factor."""
    from scipy.special import gammaln

    ratio = float(gammaln(1.0 + 2.0 / shape) - 2.0 * gammaln(1.0 + 1.0 / shape))
    return math.sqrt(max(0.0, math.expm1(ratio)))


# Bands of repeated measurements.


@with_advice()
@dataclass(frozen=True, eq=False)
class Band(Result):
    """Alternative volumes for a contact with the volume `nominal`, or with a fraction of it.

    Attributes:
        nominal: the volume that contacts were given; contacts with another volume are not affected.
        levels: volumes of the same unit, equally likely, from the weakest to the strongest.
    """

    nominal: ForceVolume
    levels: Sequence[ForceVolume]

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        if not self.levels:
            raise InputError("is empty", where="levels", fix="give at least one volume")
        for where, volume in [("nominal", self.nominal), *((f"levels[{i}]", v) for i, v in enumerate(self.levels))]:
            checks.instance(where, volume, ForceVolume, fix="give a ForceVolume")

    @staticmethod
    def of_surface(
        surface: LimitSurface, nominal: ForceVolume | None = None, *, levels: int = 5, **options: Any
    ) -> Band:
        """The band of a measured surface, from its inner to its outer one, as `levels` volumes.

        The volume at quantile u has in every direction the limit at u between the band's ends: `surface.lower` at 0,
        the nominal limit at 1/2, `surface.upper` at 1. Level l of L stands for all u from l/L to (l+1)/L by the
        one at l/L: INNER, it never overstates what was measured, and by less the more levels there are.

        Args:
            surface: from repeated trials; without repeats all levels are the same.
            nominal: the volume that contacts were given; made of the nominal surface when None.
            levels: number of volumes; each takes the time of one `decompose`.
            options: arguments of `decompose`.
        """
        count = checks.count("levels", levels)
        made = [decompose(surface_at(surface, level / count), **options) for level in range(count)]
        return Band(decompose(surface, **options) if nominal is None else nominal, made)

    def share(self, volume: ForceVolume) -> float | None:
        """The factor f with volume = f nominal; None for other volumes."""
        factor = volume.size / self.nominal.size if self.nominal.size > 0.0 else 0.0
        if factor <= 0.0 or len(volume) != len(self.nominal):
            return None
        slack = 10.0 * tolerances.MERGE * volume.size
        for mine, theirs in zip(self.nominal.polytopes, volume.polytopes, strict=True):
            if mine.vertices.shape != theirs.vertices.shape or mine.rays.shape != theirs.rays.shape:
                return None
            if np.abs(factor * mine.vertices - theirs.vertices).max(initial=0.0) > slack:
                return None
            if np.abs(np.cross(mine.rays, theirs.rays)).max(initial=0.0) > tolerances.ORTHONORMAL:
                return None
        return factor

    def to_dict(self) -> dict[str, Any]:
        """As plain data; `from_dict` reads it back."""
        return {"nominal": _volume_data(self.nominal), "levels": [_volume_data(level) for level in self.levels]}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Band:
        """A band from the data of `to_dict`."""
        return Band(_volume(data["nominal"]), [_volume(level) for level in data["levels"]])


def surface_at(surface: LimitSurface, quantile: float) -> LimitSurface:
    """The surface at `quantile` of the band: its inner one at 0, the nominal one at 1/2, its outer one at 1."""
    u = checks.number("quantile", quantile, low=0.0, high=1.0)
    below, above, share = surface.lower, surface.radii, 2.0 * u
    if u > 0.5:
        below, above, share = surface.radii, surface.upper, 2.0 * u - 1.0
    limits = _between(below, above, share)
    return LimitSurface(
        surface.directions, limits, triangles=surface.triangles, measured=surface.measured, source=surface.source
    )


def _between(low: Array, high: Array, share: float) -> Array:
    """low + share (high - low); infinite limits remain infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(low) | (low == high), low, (1.0 - share) * low + share * high if share else low)


def _volume_data(volume: ForceVolume) -> dict[str, Any]:
    return {"pieces": [piece.tolist() for piece in volume.pieces], "rays": [rays.tolist() for rays in volume.rays]}


def _volume(data: Mapping[str, Any]) -> ForceVolume:
    return ForceVolume(data["pieces"], [rays or None for rays in data["rays"]], allow_flat=True)


# Scatter.

#: Largest standard deviation of positions [m]; larger values are mistakes (millimetres given as metres).
LARGEST_DEVIATION = 1.0

#: Fields of `Scatter` that are factors.
_FACTORS = ("strength", "friction", "mass")

Deviation = float | Sequence[float]


@with_advice()
@dataclass(frozen=True, eq=False)
class Scatter(Result):
    """What varies from one specimen to the next, and how much; independent unless stated otherwise.

    A number in place of a distribution is the coefficient of variation of a normal factor of mean 1, cut off at zero:
    strength=0.3 is a scatter of 30 %. `scatter_from_trials` fits it to repeated trials.

    Attributes:
        strength: factor on all forces of a contact: f = s g with g in the volume as planned.
        friction: factor on the shear components only, f = (phi g_x, phi g_y, g_z): for a Coulomb cone, on mu.
        units: strength of single units by name, in place of `strength`.
        correlation: correlation of the scores (strength, friction, band) of two contacts of one unit: 1: one factor
            shared by all contacts of a unit; 0: independent factors. Units are independent. Points that share one
            piece (`Contact.unit`) always share their band's level, which has its own pieces.
        position: standard deviation [m] of the points of contact on the object, along the world's x, y and z. The
            torque of a force about the object changes; the joint rows do not change.
        position_correlation: the same for positions: 1 shifts whole units.
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
        for name in _FACTORS:
            object.__setattr__(self, name, distribution(name, getattr(self, name)))
        if not isinstance(self.units, Mapping):
            raise InputError(f"is a {type(self.units).__name__}", where="units", fix="give {name of a unit: strength}")
        units = {str(unit): distribution(f"units[{unit!r}]", value) for unit, value in self.units.items()}
        object.__setattr__(self, "units", units)
        for name in ("correlation", "position_correlation"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), low=0.0, high=1.0))
        for name in ("position", "com"):
            object.__setattr__(self, name, _deviations(name, getattr(self, name)))
        if not isinstance(self.bands, Sequence) or not all(isinstance(band, Band) for band in self.bands):
            fix = "give a list of holdfast.reliability.Band"
            raise InputError(f"is {checks.shown(self.bands)}", where="bands", fix=fix)
        object.__setattr__(self, "bands", tuple(self.bands))

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
        """As plain data for JSON and scene files; what does not vary is left out."""
        factors = ((name, self.factor(name)) for name in _FACTORS)
        data: dict[str, Any] = {name: value.to_dict() for name, value in factors if value is not None}
        if self.units:
            data["units"] = {unit: (self.unit(unit) or Distribution()).to_dict() for unit in self.units}
        if self.correlation != 1.0:
            data["correlation"] = self.correlation
        if any(self.deviations("position")):
            data |= {"position": list(self.deviations("position")), "position_correlation": self.position_correlation}
        if any(self.deviations("com")):
            data["com"] = list(self.deviations("com"))
        if self.bands:
            data["bands"] = [band.to_dict() for band in self.bands]
        return data

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Scatter:
        """A scatter from the data of `to_dict`."""
        if not isinstance(data, Mapping):
            raise InputError(f"is a {type(data).__name__}", where="scatter", fix="give the data of to_dict")
        for name in data:
            if name not in Scatter.__dataclass_fields__:
                raise UnknownNameError("field", str(name), Scatter.__dataclass_fields__, where="scatter")
        units = data.get("units", {})
        if not isinstance(units, Mapping):
            raise InputError(f"is a {type(units).__name__}", where="units", fix="give {name of a unit: strength}")

        def read(value: Any) -> Any:
            return Distribution.from_dict(value) if isinstance(value, Mapping) else value

        given = dict(data) | {name: read(data[name]) for name in _FACTORS if name in data}
        given["units"] = {unit: read(value) for unit, value in units.items()}
        given["bands"] = [Band.from_dict(band) for band in data.get("bands", ())]
        return Scatter(**given)


def units_of(assembly: Assembly, groups: Sequence[str] | None = None) -> tuple[str, ...]:
    """(k,) the unit that each contact belongs to.

    By default these are the units of the contacts (`Contact.unit`). Contacts without one that are called "left D[0]",
    "left D[1]", or "left D/0", make up the unit "left D"; any other contact is a unit of its own. Where several units
    have one name, the number of their first contact is added. `groups` names the units, one per contact.
    """
    if groups is not None:
        if isinstance(groups, str) or not isinstance(groups, Sequence) or len(groups) != len(assembly):
            fix = f"give {len(assembly)} names of units, one per contact"
            raise InputError("has a different length than the contacts", where="groups", fix=fix)
        return tuple(str(name) for name in groups)
    members: dict[object, list[int]] = {}
    for index, contact in enumerate(assembly.contacts):
        members.setdefault(contact.unit or _stem(contact.name) or index, []).append(index)
    names: dict[object, str] = {}
    for key, contacts in members.items():
        first = assembly.contacts[contacts[0]]
        names[key] = (first.unit.name if first.unit else "") or _stem(first.name) or first.name
    given = list(names.values())
    found = [""] * len(assembly)
    for key, contacts in members.items():
        name, several = names[key], f"contacts {contacts[0]} to {contacts[-1]}"
        if name and given.count(name) > 1:
            name = f"{name} ({contacts[0]})"
        for index in contacts:
            found[index] = name or (several if len(contacts) > 1 else f"contact {index}")
    return tuple(found)


def _stem(name: str) -> str:
    """The name before the number of a point: "left D" of "left D[0]" and of "left D/0"; "" of any other name."""
    patch, slash, number = name.rpartition("/")
    return name.rpartition("[")[0] or (patch if slash and number.isdigit() else "")


def checked_units(scatter: Scatter, units: Sequence[str]) -> None:
    """An error when the scatter names a unit that does not exist."""
    for name in scatter.units:
        if name not in units:
            raise UnknownNameError("unit", name, dict.fromkeys(units), where="scatter.units")


def _deviations(name: str, value: Any) -> tuple[float, float, float]:
    """Standard deviations along x, y and z [m]; one number stands for all three."""
    if not checks.shape(name, value):
        one = checks.number(name, value, low=0.0, high=LARGEST_DEVIATION, unit="m")
        return one, one, one
    three: Array = checks.vector(name, value, 3)
    x, y, z = (
        checks.number(f"{name}[{axis}]", three[axis], low=0.0, high=LARGEST_DEVIATION, unit="m") for axis in range(3)
    )
    return x, y, z


# Draws.

#: Number of samples that are drawn, and solved, together.
BLOCK = 512


class Draws(NamedTuple):
    """Properties of q samples of k contacts; None where nothing varies."""

    scales: Array | None  # (q, k, 3) factors on the local forces (u, v, n)
    ranks: Array | None  # (q, k) quantile in [0, 1) of a contact in its band
    offsets: Array | None  # (q, k, 3) errors of the positions in the world [m]
    mass: Array | None  # (q,) factor on the weight; (q, n) of several bodies
    com: Array | None  # (q, 3) error of the centre of mass [m]; (q, n, 3) of several bodies


@dataclass(frozen=True, eq=False)
class Plan:
    """The scores of a sample: columns by quantity and unit.

    Attributes:
        scatter: what varies.
        units: (k,) the unit of each contact.
        bodies: how many bodies have a mass and a centre of mass, each with its own errors.
    """

    scatter: Scatter
    units: tuple[str, ...]
    bodies: int = 1

    @cached_property
    def members(self) -> dict[str, IntArray]:
        """Contacts of each unit, in the order of first appearance."""
        names = np.array(self.units, dtype=object)
        return {unit: np.nonzero(names == unit)[0] for unit in dict.fromkeys(self.units)}

    @cached_property
    def columns(self) -> dict[str, slice]:
        """Columns of each stream of scores; "strength/left D" for a unit, "strength/left D/each" for its contacts."""
        sizes: dict[str, int] = {}
        for quantity in ("strength", "friction", "band"):
            for unit, contacts in self.members.items():
                if self._varies(quantity, unit):
                    _add(sizes, f"{quantity}/{unit}", 1, len(contacts), self.scatter.correlation)
        if any(self.scatter.deviations("position")):
            for unit, contacts in self.members.items():
                _add(sizes, f"position/{unit}", 3, 3 * len(contacts), self.scatter.position_correlation)
        if self.scatter.factor("mass") is not None:
            sizes["mass"] = self.bodies
        if any(self.scatter.deviations("com")):
            sizes["com"] = 3 * self.bodies
        ends = np.cumsum([0, *sizes.values()]).tolist()
        return {name: slice(first, last) for name, first, last in zip(sizes, ends, ends[1:], strict=False)}

    @property
    def size(self) -> int:
        """Number of scores of one sample."""
        return sum(part.stop - part.start for part in self.columns.values())

    def scores(self, seed: int, first: int, last: int) -> Array:
        """(last - first, size) independent standard normal scores of samples first, first + 1, ..., last - 1."""
        blocks = [self._block(seed, number) for number in range(first // BLOCK, -(-last // BLOCK))]
        start = first - first // BLOCK * BLOCK
        return np.concatenate(blocks)[start : start + last - first] if blocks else np.zeros((0, self.size))

    def draws(self, scores: Array) -> Draws:
        """The properties of the samples with these scores (q, size)."""
        scatter, q, k = self.scatter, len(scores), len(self.units)
        strength, friction = self._factors(scores, "strength"), self._factors(scores, "friction")
        scales = None
        if strength is not None or friction is not None:
            scales = np.ones((q, k, 3))
            if strength is not None:
                scales *= strength[:, :, None]
            if friction is not None:
                scales[:, :, :2] *= friction[:, :, None]
        offsets, mass, com = None, None, None
        if any(scatter.deviations("position")):
            mixed = self._mixed(scores, "position", 3, scatter.position_correlation).reshape(q, k, 3)
            offsets = mixed * np.array(scatter.deviations("position"))
        weight = scatter.factor("mass")
        if weight is not None:
            own = scores[:, self.columns["mass"]]
            mass = weight.values(own if self.bodies > 1 else own[:, 0])
        if any(scatter.deviations("com")):
            own = scores[:, self.columns["com"]]
            com = (own.reshape(q, self.bodies, 3) if self.bodies > 1 else own) * np.array(scatter.deviations("com"))
        return Draws(scales, self._ranks(scores), offsets, mass, com)

    def _varies(self, quantity: str, unit: str) -> bool:
        if quantity == "band":
            return bool(self.scatter.bands)
        return self._distribution(quantity, unit) is not None

    def _distribution(self, quantity: str, unit: str) -> Distribution | None:
        if quantity == "strength" and unit in self.scatter.units:
            return self.scatter.unit(unit)
        return self.scatter.factor(quantity)

    def _factors(self, scores: Array, quantity: str) -> Array | None:
        """(q, k) factors of one quantity, or None when it does not vary."""
        if not any(self._varies(quantity, unit) for unit in self.members):
            return None
        mixed = self._mixed(scores, quantity, 1, self.scatter.correlation)
        factors = np.ones(mixed.shape)
        for unit, contacts in self.members.items():
            varies = self._distribution(quantity, unit)
            if varies is not None:
                factors[:, contacts] = varies.values(mixed[:, contacts])
        return factors

    def _ranks(self, scores: Array) -> Array | None:
        from scipy.special import ndtr

        return ndtr(self._mixed(scores, "band", 1, self.scatter.correlation)) if self.scatter.bands else None

    def _mixed(self, scores: Array, quantity: str, width: int, correlation: float) -> Array:
        """(q, width k) scores of the contacts: a part shared with their unit, the rest independent."""
        mixed = np.zeros((len(scores), len(self.units), width))
        for unit, contacts in self.members.items():
            whole, each = self.columns.get(f"{quantity}/{unit}"), self.columns.get(f"{quantity}/{unit}/each")
            if whole is not None:
                mixed[:, contacts] += np.sqrt(correlation) * scores[:, None, whole]
            if each is not None:
                own = scores[:, each].reshape(len(scores), len(contacts), width)
                mixed[:, contacts] += np.sqrt(1.0 - correlation) * own
        return mixed.reshape(len(scores), -1)

    def _block(self, seed: int, number: int) -> Array:
        block = np.empty((BLOCK, self.size))
        for name, part in self.columns.items():
            stream = np.frombuffer(hashlib.sha256(name.encode()).digest()[:16], dtype="<u4").tolist()
            generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, number, *stream])))
            block[:, part] = generator.standard_normal((BLOCK, part.stop - part.start))
        return block


def moved_maps(assembly: Assembly, maps: Array, draws: Draws, count: int) -> Array:
    """(count, k, m, 3) maps of the samples, from those as planned (k, m, 3).

    Column i is multiplied by the contact's factors; a position error e adds e x f to the torque rows of the body that
    the force acts on, and takes it from those of the body on the other side.
    """
    moved = np.broadcast_to(maps, (count, *maps.shape)).copy()
    if draws.offsets is not None:
        turned = np.einsum("qkij,kjl->qkil", skew(draws.offsets), assembly.rotations) * assembly.layout.row_scale[3]
        for sign, bodies in zip((1.0, -1.0), assembly.sides.T, strict=True):
            for axis in range(3):
                touching = np.nonzero(bodies >= 0)[0]
                moved[:, touching, 6 * bodies[touching] + 3 + axis] += sign * turned[:, touching, axis]
    if draws.scales is not None:
        moved *= draws.scales[:, :, None, :]
    return moved


def sample_wrenches(wrench: Array, weight: Array, draws: Draws, count: int) -> Array:
    """(count, 6 n) loads of the samples: the part `weight` of `wrench` (6 n,) has errors of mass and centre of mass."""
    changed = np.tile(weight.reshape(-1, 6), (count, 1, 1))  # (count, n, 6)
    if draws.mass is not None:
        changed *= draws.mass.reshape(count, -1, 1)
    if draws.com is not None:
        changed[:, :, 3:] += np.cross(draws.com.reshape(count, -1, 3), changed[:, :, :3])
    return wrench - weight + changed.reshape(count, -1)


def _add(sizes: dict[str, int], name: str, whole: int, each: int, correlation: float) -> None:
    """The streams of one quantity of one unit: as a whole, and for each of its contacts."""
    if correlation > 0.0:
        sizes[name] = whole
    if correlation < 1.0:
        sizes[f"{name}/each"] = each
