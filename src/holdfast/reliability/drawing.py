"""Draws: from a seed to the scores of every sample, and from scores to scales, levels, positions and loads.

All that varies is a function of independent standard normal scores. Each quantity of each unit has a stream of its own,
named by the seed and the unit's name: two designs that share units draw the same for them, whatever else they have.
Samples come in blocks of fixed size, so that sample i is the same however many are drawn, and by whatever thread.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .. import checks
from ..checks import Array, IntArray
from ..geometry.frames import skew
from .distributions import Distribution
from .scatter import Scatter

#: Samples that are drawn, and solved, together.
BLOCK = 512


class Draws(NamedTuple):
    """What q samples of k contacts turned out to be; None where nothing varies."""

    scales: Array | None  # (q, k, 3) factors on the local forces (u, v, n)
    ranks: Array | None  # (q, k) quantile in [0, 1) at which a contact stands in its band
    offsets: Array | None  # (q, k, 3) errors of the positions in the world [m]
    mass: Array | None  # (q,) factor on the weight
    com: Array | None  # (q, 3) error of the centre of mass [m]


@dataclass(frozen=True, eq=False)
class Plan:
    """Which scores a sample has: columns by quantity and unit.

    Attributes:
        scatter: what varies.
        units: (k,) the unit of each contact.
    """

    scatter: Scatter
    units: tuple[str, ...]

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
            sizes["mass"] = 1
        if any(self.scatter.deviations("com")):
            sizes["com"] = 3
        ends = np.cumsum([0, *sizes.values()]).tolist()
        return {name: slice(first, last) for name, first, last in zip(sizes, ends, ends[1:], strict=False)}

    @property
    def size(self) -> int:
        """Scores of one sample."""
        return sum(part.stop - part.start for part in self.columns.values())

    def scores(self, seed: int, first: int, last: int) -> Array:
        """(last - first, size) independent standard normal scores of samples first, first + 1, ..., last - 1."""
        blocks = [self._block(seed, number) for number in range(first // BLOCK, -(-last // BLOCK))]
        start = first - first // BLOCK * BLOCK
        return np.concatenate(blocks)[start : start + last - first] if blocks else np.zeros((0, self.size))

    def draws(self, scores: Array) -> Draws:
        """What the samples with these scores (q, size) turn out to be."""
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
            mass = weight.values(scores[:, self.columns["mass"]][:, 0])
        if any(scatter.deviations("com")):
            com = scores[:, self.columns["com"]] * np.array(scatter.deviations("com"))
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
        """(q, width k) scores of the contacts: a share of their unit's, the rest of their own."""
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


def moved_maps(maps: Array, draws: Draws, rotations: Array, row_scale: Array, count: int) -> Array:
    """(count, k, m, 3) maps of the samples, from those as planned (k, m, 3).

    Column i is multiplied by the contact's factors; a position error e adds e x f to the torque rows 3 to 5.
    """
    moved = np.broadcast_to(maps, (count, *maps.shape)).copy()
    if draws.offsets is not None:
        turned = np.einsum("qkij,kjl->qkil", skew(draws.offsets), rotations)
        moved[:, :, 3:6] += turned * row_scale[3:6, None]
    if draws.scales is not None:
        moved *= draws.scales[:, :, None, :]
    return moved


def sample_wrenches(wrench: Array, weight: Array, draws: Draws, count: int) -> Array:
    """(count, 6) wrenches of the samples: the part `weight` of `wrench` (6,) with errors of mass and centre of mass."""
    changed = np.tile(weight, (count, 1))
    if draws.mass is not None:
        changed *= draws.mass[:, None]
    if draws.com is not None:
        changed[:, 3:] += np.cross(draws.com, changed[:, :3])
    return wrench - weight + changed


def checked_seed(seed: int) -> int:
    """A whole number of at least zero."""
    return checks.count("seed", seed, low=0)


def _add(sizes: dict[str, int], name: str, whole: int, each: int, correlation: float) -> None:
    """The streams of one quantity of one unit: as a whole, and for each of its contacts."""
    if correlation > 0.0:
        sizes[name] = whole
    if correlation < 1.0:
        sizes[f"{name}/each"] = each
