"""Which unit gives way: at the limit of every specimen, by the multipliers that prove the limit.

At its limit d a specimen obeys d = sum of h_i(y) + the joints' part, h_i being the support of contact i's forces along
the multipliers y (scaled to lean on the load by one). A unit's share of that sum is how much of the limit hangs on its
strength: one per cent more strength there raises the limit by that share of one per cent. A unit without a share has
strength to spare. Several units with a share give way together; in which order they do while the load grows is no
question that limits alone can answer. The unit to blame is the one that costs the limit most by being weaker, or
standing otherwise, than planned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import checks
from ..checks import Array, BoolArray, IntArray
from .drawing import BLOCK
from .dual_terms import dual_terms, planned_supports
from .limit_samples import LimitSamples

#: A unit gives way with the others when this share of the limit or more hangs on it.
LEAST_SHARE = 0.01

#: Losses below this share of the limit are rounding: no unit is to blame for them.
LEAST_LOSS = 1e-9

JOINTS = "joints"


@dataclass(frozen=True, eq=False)
class FirstFailures:
    """What gives way, and how often.

    Attributes:
        names: the units; "joints" at the end for what hangs on the joint rows.
        shares: (n, units) share of each sample's limit that hangs on each unit; they sum to one, and nan where no
            multipliers are known. The joints' part is negative where they need forces from the contacts.
        blamed: (n,) number of the unit whose weakness costs the limit most; the one with the largest share where
            none is weaker than planned; -1 where nothing is known.
        fails: (n,) whether the sample's limit is below the load as given.
    """

    names: tuple[str, ...]
    shares: Array
    blamed: IntArray
    fails: BoolArray

    @property
    def mean_shares(self) -> dict[str, float]:
        """Mean share of the limit that hangs on each unit."""
        known = self.blamed >= 0
        means = self.shares[known].mean(axis=0) if known.any() else np.full(len(self.names), np.nan)
        return dict(zip(self.names, means.tolist(), strict=True))

    def frequencies(self, *, failing: bool = False) -> dict[str, float]:
        """How often each unit is to blame: its share of the samples, or of those that fail under the load as given."""
        chosen = (self.blamed >= 0) & (self.fails if failing else True)
        total = max(1, int(chosen.sum()))
        return {name: float((self.blamed[chosen] == i).sum()) / total for i, name in enumerate(self.names)}

    def involved(self) -> dict[str, float]:
        """How often each unit gives way, alone or with others: share of the samples with a hundredth of the limit."""
        known = self.blamed >= 0
        total = max(1, int(known.sum()))
        counts = (self.shares[known] >= LEAST_SHARE).sum(axis=0)
        return {name: float(count) / total for name, count in zip(self.names, counts, strict=True)}


def first_failures(limits: LimitSamples) -> FirstFailures:
    """Which unit gives way at the limit of each sample of `load_limit_samples`, and how often.

    By the multipliers of the search's root: those of the contacts' convex hulls.
    """
    checks.instance("limits", limits, LimitSamples, fix="give a result of holdfast.load_limit_samples")
    sampler = limits.sampler
    units = list(sampler.plan.members)
    unit_of = np.array([units.index(unit) for unit in sampler.units])
    parts = [
        _block(limits, unit_of, len(units), first, min(first + BLOCK, limits.n)) for first in range(0, limits.n, BLOCK)
    ]
    shares, losses = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    known = np.isfinite(shares).all(axis=1)
    blamed = np.full(limits.n, -1, dtype=np.int64)
    weak = np.where(known, losses.max(axis=1), 0.0) > LEAST_LOSS
    blamed[known] = np.where(weak, losses.argmax(axis=1), shares.argmax(axis=1))[known]
    return FirstFailures((*units, JOINTS), shares, blamed, limits.upper_bounds < 1.0)


def _block(limits: LimitSamples, unit_of: IntArray, count: int, first: int, last: int) -> tuple[Array, Array]:
    """(shares, losses) (q, units + 1) of samples first to last - 1; losses as shares of the limit."""
    sampler, y = limits.sampler, limits.multipliers[first:last]
    terms = dual_terms(sampler, sampler.plan.scores(limits.seed, first, last), y)
    lost = _losses(limits, y, terms.contacts, first, last)
    sums, losses = np.zeros((last - first, count + 1)), np.zeros((last - first, count + 1))
    for i, unit in enumerate(unit_of):
        sums[:, unit] += terms.contacts[:, i]
        losses[:, unit] += lost[:, i]
    sums[:, count] = terms.joints
    total = sums.sum(axis=1)
    known = (total > 0.0) & np.isfinite(total) & y.any(axis=1)
    scale = np.where(known, total, np.nan)[:, None]
    return sums / scale, losses / scale


def _losses(limits: LimitSamples, y: Array, supports: Array, first: int, last: int) -> Array:
    """(q, k) by how much more each contact would add to the limit if it were as planned, multipliers (q, m) staying."""
    sampler = limits.sampler
    if sampler.scatter.bands:
        return planned_supports(sampler, y) - supports
    scores = sampler.plan.scores(limits.seed, first, last)
    changed = sampler.assembly.layout.maps - sampler.maps(sampler.plan.draws(scores), last - first)
    return np.einsum("qm,qkmc,qkc->qk", y, changed, limits.forces[first:last], optimize=True)
