"""Samples: the specimens of an assembly under scatter, solved in large numbers, each available in full.

Every sample has the same force volumes with other maps and another load (see `solvers.variants`), so that no lookup
table is built again. Samples that the compiled search does not decide are solved again one by one; those that remain
open are "undecided".

For any multipliers y over the scaled rows, every load factor d of a sample obeys (weak duality, see
`solvers.certificate`)

    d (-y . load)  <=  sum_u h_u(y) - min over s in [lower, upper] of y . s,
    h_u(y) = max over pieces j of sum over contacts i of unit u of h_ij(maps_i^T y).

The multipliers of a sample's own search make both sides nearly equal; `dual_terms` gives the contributions of each
contact and the joints to the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from .. import checks, tolerances
from ..assembly.assembly import Assembly, Load, checked_assembly
from ..checks import Array, IntArray
from ..errors import InputError
from ..force_limits.volume import ForceVolume
from ..solvers import ContactProblem, Exact, Layout, Solution, Status
from ..solvers.exact.method import Batch, Variants
from ..solvers.exact.search import FINISHED, HELD
from .scatter import BLOCK, Draws, Plan, Scatter, checked_units, moved_maps, sample_wrenches, units_of

# Specimens.

#: Outcome of a sample.
HOLDS, FAILS, UNDECIDED = 1, 0, -1

#: Amount of numbers in the maps of samples that are solved together; many bodies have large maps.
MOST_NUMBERS = 10_000_000

Part = TypeVar("Part")


class Limits(NamedTuple):
    """Load limits of q samples along r loads."""

    values: Array  # (q, r) largest factor found: inf without a limit, -inf where no multiple holds
    bounds: Array  # (q, r) no larger factor is possible
    multipliers: Array  # (q, r, m) of the search's root over the scaled rows; zeros where none are known
    forces: Array  # (q, r, k, 3) forces at the limit in the shapes as planned: g of f = D g [N]; zeros for none


@dataclass(frozen=True, eq=False)
class Sampler:
    """Specimens of one assembly under one load.

    Attributes:
        assembly: as planned.
        wrench: (6 n,) external wrench on each body, torque about the world origin.
        scatter: what varies.
        units: (k,) the unit of each contact.
        weight: (6 n,) the part of `wrench` that errors of mass and centre of mass change.
        method: how samples are solved.
    """

    assembly: Assembly
    wrench: Array
    scatter: Scatter
    units: tuple[str, ...]
    weight: Array
    method: Exact

    @staticmethod
    def of(
        assembly: Assembly,
        wrench: Load,
        scatter: Scatter,
        *,
        groups: Sequence[str] | None = None,
        weight: Load | None = None,
        method: Exact | None = None,
    ) -> Sampler:
        """A checked sampler; `weight` is all of `wrench` by default, `groups` the units by their names."""
        load = checked_assembly(assembly, several=True).stacked(wrench, name="wrench")
        checks.instance("scatter", scatter, Scatter, fix="give a holdfast.reliability.Scatter")
        checks.instance("method", method or Exact(), Exact, fix="give a holdfast.solvers.Exact")
        units = units_of(assembly, groups)
        checked_units(scatter, units)
        part = load if weight is None else assembly.stacked(weight, name="weight")
        return Sampler(assembly, load, scatter, units, part, method or Exact())

    @property
    def every_smaller_load_holds(self) -> bool:
        """Whether a sample holds all multiples from 0 to its limit: zero forces are allowed and balance no load."""
        layout = self.variants.layout
        return layout.contains_zero and layout.bounds_hold_zero

    @cached_property
    def plan(self) -> Plan:
        """The scores of which samples are made."""
        return Plan(self.scatter, self.units, self.assembly.body_count)

    @cached_property
    def variants(self) -> Variants:
        """The assembly's layout, with the levels of all bands among its shapes."""
        return Variants(self._layout, self.assembly.problem(self.wrench).load)

    def tests(self, scores: Array, threads: int = 1) -> IntArray:
        """(q,) HOLDS, FAILS or UNDECIDED for the samples with these scores (q, size)."""
        return np.concatenate(_spread(self._tests, scores, threads, self._block))

    def limits(self, scores: Array, threads: int = 1, loads: Array | None = None) -> Limits:
        """Load limits of the samples with these scores (q, size), along their own load or along `loads` (r, 6).

        Given loads are the same for all samples: errors of mass and centre of mass do not change them.
        """
        parts = _spread(lambda some: self._limits(some, loads), scores, threads, self._block)
        return Limits(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    @cached_property
    def _block(self) -> int:
        """Number of samples whose maps are made together."""
        return int(np.clip(MOST_NUMBERS // self.variants.layout.maps.size, 1, BLOCK))

    def sample(self, scores: Array) -> tuple[Assembly, Array]:
        """(assembly, wrench (6,)) of the one sample with these scores (size,)."""
        draws = self.plan.draws(scores[None])
        levels, contacts = self.shapes(draws), []
        for i, contact in enumerate(self.assembly.contacts):
            volume = contact.volume
            if levels is not None:
                volume = self.volumes[int(levels[0, i])].scaled(self.shares[i]).made_of(volume)
            if draws.scales is not None:
                volume = volume.stretched(float(draws.scales[0, i, 0]), float(draws.scales[0, i, 2]))
            position = contact.position if draws.offsets is None else contact.position + draws.offsets[0, i]
            contacts.append(replace(contact, position=position, volume=volume))
        wrench = sample_wrenches(self.wrench, self.weight, draws, 1)[0]
        return Assembly(contacts, self.assembly.joints, self.assembly.name), wrench

    def maps(self, draws: Draws, count: int) -> Array:
        """(count, k, m, 3) local forces of the samples to the scaled rows."""
        return moved_maps(self.assembly, self.variants.layout.maps, draws, count)

    # Bands.

    @cached_property
    def _bands(self) -> IntArray:
        """(k,) the band of each contact, or -1."""
        found = np.full(len(self.assembly), -1, dtype=np.int64)
        for i, contact in enumerate(self.assembly.contacts):
            for number, band in enumerate(self.scatter.bands):
                if found[i] < 0 and band.share(contact.volume) is not None:
                    found[i] = number
        for i, first in enumerate(self._firsts):
            if found[i] != found[first]:
                fix = "give all points of a unit the same volume, or use scatter of strength in place of bands"
                raise InputError("has a different band than its unit", where=f"assembly.contacts[{i}]", fix=fix)
        for number in range(len(self.scatter.bands)):
            if number not in found:
                fix = "give as nominal the volume of the contacts, or of their whole unit"
                raise InputError("no contact has its volume", where=f"scatter.bands[{number}]", fix=fix)
        return found

    @cached_property
    def _firsts(self) -> IntArray:
        """(k,) the first contact of each contact's unit, for any volume; the contact itself without a unit."""
        units = [contact.unit for contact in self.assembly.contacts]
        return np.array([i if unit is None else units.index(unit) for i, unit in enumerate(units)], dtype=np.int64)

    @cached_property
    def shares(self) -> Array:
        """(k,) fraction of a contact in the volumes of its band; 1 without one."""
        bands = self.scatter.bands
        pairs = zip(self._bands, self.assembly.contacts, strict=True)
        return np.array([1.0 if b < 0 else bands[b].share(c.volume) for b, c in pairs])

    @cached_property
    def volumes(self) -> tuple[ForceVolume, ...]:
        """The volumes of the assembly's shapes, then the levels of all bands."""
        first: dict[int, ForceVolume] = {}
        for contact in self.assembly.contacts:
            first.setdefault(id(contact.volume), contact.volume)
        return (*first.values(), *(level for band in self.scatter.bands for level in band.levels))

    @cached_property
    def _first_levels(self) -> IntArray:
        """(bands + 1,) number of the first shape of each band's levels."""
        counts = [len(band.levels) for band in self.scatter.bands]
        return len(self.assembly.layout.shapes) + np.cumsum([0, *counts])

    @cached_property
    def _layout(self) -> Layout:
        own = self.assembly.layout
        if not self.scatter.bands:
            return own
        shapes = tuple(volume.polytopes for volume in self.volumes)
        shape_of = own.shape_of.copy()
        for i, band in enumerate(self._bands):
            if band >= 0:
                rungs = range(self._first_levels[band], self._first_levels[band + 1])
                shape_of[i] = max(rungs, key=lambda shape: len(shapes[shape]))
        several = np.array([len(shapes[shape]) > 1 for shape in shape_of])
        unit_of = np.cumsum(~(several & (self._firsts != np.arange(len(shape_of))))) - 1
        blocks = own.blocks * self.shares[:, None, None]
        return replace(own, shapes=shapes, shape_of=shape_of, blocks=blocks, unit_of=unit_of)

    def shapes(self, draws: Draws) -> IntArray | None:
        """(q, k) the shape of each contact of the samples, or None without bands."""
        if draws.ranks is None:
            return None
        shape_of = np.tile(self._layout.shape_of, (len(draws.ranks), 1))
        for i, band in enumerate(self._bands):
            if band >= 0:
                count = len(self.scatter.bands[band].levels)
                rung = np.minimum((draws.ranks[:, self._firsts[i]] * count).astype(np.int64), count - 1)
                shape_of[:, i] = self._first_levels[band] + rung
        return shape_of

    # Solving.

    def _tests(self, scores: Array) -> IntArray:
        q = len(scores)
        draws = self.plan.draws(scores)
        maps, levels = self.maps(draws, q), self.shapes(draws)
        loads = self.assembly.loads(sample_wrenches(self.wrench, self.weight, draws, q))
        batch = self.variants.many(self.method, maps, loads[:, None], "test", levels)
        outcomes = np.full(q, UNDECIDED, dtype=np.int64)
        outcomes[(batch.outcomes == HELD) & (batch.residuals <= tolerances.FEASIBILITY)] = HOLDS
        outcomes[batch.outcomes == FINISHED] = FAILS
        for i in np.nonzero(outcomes == UNDECIDED)[0]:
            status = self.method.test(self._problem(maps, loads[i], levels, int(i))).status
            outcomes[i] = {Status.HOLDS: HOLDS, Status.DOES_NOT_HOLD: FAILS}.get(status, UNDECIDED)
        return outcomes

    def _limits(self, scores: Array, given: Array | None) -> Limits:
        q = len(scores)
        draws = self.plan.draws(scores)
        maps, levels = self.maps(draws, q), self.shapes(draws)
        if given is None:
            loads = self.assembly.loads(sample_wrenches(self.wrench, self.weight, draws, q))[:, None]
        else:
            loads = np.broadcast_to(self.assembly.loads(given), (q, len(given), len(self._layout.lower))).copy()
        r = loads.shape[1]
        batch = self.variants.many(self.method, maps, loads, "maximise", levels)
        values, bounds, multipliers, forces = batch.factors, batch.bounds, batch.multipliers, batch.forces
        flat = loads.reshape(q * r, -1)
        for at in np.nonzero(~self._settled(batch, flat))[0]:
            solution = self.method.maximise(self._problem(maps, flat[at], levels, int(at) // r))
            values[at] = np.inf if solution.status is Status.UNBOUNDED else solution.factor
            bounds[at] = solution.bound
            multipliers[at] = _first_multipliers(solution, flat.shape[1])
            forces[at] = 0.0 if solution.forces is None else solution.forces
        parts = values, np.maximum(bounds, values), multipliers, forces
        return Limits(*(part.reshape(q, r, *part.shape[1:]) for part in parts))

    def _settled(self, batch: Batch, loads: Array) -> Array:
        """(n,) which limits the kernels decided: found to the gap, or proven that no multiple of the load is held."""
        size = np.abs(loads).max(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            floor = self._layout.rounding_force / size
            closed = batch.bounds - batch.factors <= self.method.gap * np.abs(batch.factors) + floor
        found = np.isfinite(batch.factors) & closed & (batch.residuals <= tolerances.FEASIBILITY)
        return (batch.outcomes == FINISHED) & (found | (batch.factors == -np.inf))

    def _problem(self, maps: Array, load: Array, levels: IntArray | None, i: int) -> ContactProblem:
        return self.variants.problem(maps[i], load, None if levels is None else levels[i])


def _first_multipliers(solution: Solution, rows: int) -> Array:
    """(m,) of the first leaf of a certificate; zeros without one."""
    if solution.certificate is None or not len(solution.certificate.leaves):
        return np.zeros(rows)
    return solution.certificate.leaves[0].multipliers


def _spread(ask: Callable[[Array], Part], scores: Array, threads: int, block: int) -> list[Part]:
    """`ask` of every block of the scores, on several threads; the blocks do not depend on the number of threads."""
    parts = [scores[first : first + block] for first in range(0, len(scores), block)] or [scores]
    first = ask(parts[0])  # alone, so that shared data is made once
    if threads == 1 or len(parts) == 1:
        return [first, *(ask(part) for part in parts[1:])]
    with ThreadPoolExecutor(threads) as pool:
        return [first, *pool.map(ask, parts[1:])]


# Contribution of each contact to the bound on a limit.


class Terms(NamedTuple):
    """Terms of the bound for q samples with k contacts, in the scaled rows."""

    contacts: Array  # (q, k) supports of the contacts, each in the best piece of its unit
    joints: Array  # (q,) contribution of the joint bounds; negative where they need forces
    leaning: Array  # (q,) -y . load

    def bounds(self) -> Array:
        """(q,) upper bounds on the load factors; nan where -y . load is not positive."""
        total = self.contacts.sum(axis=1) + self.joints
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.leaning > 0.0, total / self.leaning, np.nan)


def dual_terms(sampler: Sampler, scores: Array, multipliers: Array) -> Terms:
    """The terms of multipliers (q, m) for the samples with scores (q, size)."""
    q, layout = len(scores), sampler.variants.layout
    draws = sampler.plan.draws(scores)
    maps, shapes = sampler.maps(draws, q), sampler.shapes(draws)
    directions = np.einsum("qm,qkmc->qkc", multipliers, maps)
    kinds = np.broadcast_to(layout.shape_of, (q, len(layout.shape_of))) if shapes is None else shapes
    loads = sampler.assembly.loads(sample_wrenches(sampler.wrench, sampler.weight, draws, q))
    with np.errstate(invalid="ignore"):
        ends = np.where(
            multipliers > 0.0, multipliers * layout.lower, np.where(multipliers < 0.0, multipliers * layout.upper, 0.0)
        )
    leaning = -(multipliers * loads).sum(axis=1)
    return Terms(supports(layout, kinds, directions), -ends.sum(axis=1), leaning)


def limit_slopes(sampler: Sampler, scores: Array, multipliers: Array, forces: Array, step: float) -> Array:
    """(q, size) slopes of the load limits at scores (q, size), from the multipliers (q, m) and forces (q, k, 3) there.

    From the Lagrangian: forces and multipliers are fixed, the maps and the load change (by differences over `step`).
    Supports in place of the forces would only bound the slopes, since several vertices support at a limit.
    """
    size, slopes = scores.shape[1], np.zeros(scores.shape)
    for i, (z, y, g) in enumerate(zip(scores, multipliers, forces, strict=True)):
        moved = np.concatenate([z[None], z + step * np.eye(size)])
        draws = sampler.plan.draws(moved)
        work = (sampler.maps(draws, size + 1) * g[None, :, None, :]).sum(axis=(1, 3)) @ y
        loads = sampler.assembly.loads(sample_wrenches(sampler.wrench, sampler.weight, draws, size + 1))
        leaning = -loads @ y
        ends = np.where(y > 0.0, sampler.variants.layout.lower, sampler.variants.layout.upper)
        held = work - float((y[y != 0.0] * ends[y != 0.0]).sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes[i] = (held[1:] / leaning[1:] - held[0] / leaning[0]) / step
    return np.nan_to_num(slopes, posinf=0.0, neginf=0.0)


def planned_supports(sampler: Sampler, multipliers: Array) -> Array:
    """(q, k) supports of the contacts as planned, each in the best piece of its unit, for multipliers (q, m)."""
    layout = sampler.assembly.layout
    kinds = np.broadcast_to(layout.shape_of, (len(multipliers), len(layout.shape_of)))
    return supports(layout, kinds, np.einsum("qm,kmc->qkc", multipliers, layout.maps))


def supports(layout: Layout, shape_of: IntArray, directions: Array) -> Array:
    """(q, k) contributions of contacts with shapes (q, k) to their units' supports along directions (q, k, 3).

    That is the support of each contact in the piece of its unit with the largest sum; rays are ignored.
    """
    heights = np.full((*shape_of.shape, max(map(len, layout.shapes))), -np.inf)
    for shape in np.unique(shape_of):
        chosen = shape_of == shape
        for j, piece in enumerate(layout.shapes[shape]):
            heights[chosen, j] = (directions[chosen] @ piece.extreme.T).max(axis=1)
    best = np.add.reduceat(heights, layout.unit_starts[:-1], axis=1).argmax(axis=2)  # (q, units)
    return np.take_along_axis(heights, best[:, layout.unit_of, None], axis=2)[:, :, 0]
