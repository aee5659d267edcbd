"""Scatter fitted to repeated trials: the coefficient of variation of each group, and pooled over groups.

A standard deviation from few trials is itself uncertain, and too small more often than too large. More specimens fall
below a limit computed from it than expected. The limit mean - 1.645 s of n normal trials is meant for 5 % of the next
ones; the fraction below it is P(T < -1.645 / sqrt(1 + 1/n)), T of Student's distribution with n - 1 degrees of freedom:
11.9 % with four trials, 10.4 % with five. With a variation pooled over many groups of the same kind it is
Phi(-1.645 / sqrt(1 + 1/n)): 7.1 % and 6.7 %; the rest is the error of the group's mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError, warn_caller
from ..force_limits.measurements import Measurements, read_measurements
from ..force_limits.samples import SAME_DIRECTION, direction_groups
from ..public_names import with_advice
from ..results import Result
from .scatter import Distribution, Kind, Scatter

#: Smallest number of trials of one group for a reliable coefficient of variation in the lower tail.
LEAST_TRIALS = 10

#: Confidence of the interval of a pooled coefficient of variation.
CONFIDENCE = 0.95


class FewTrialsWarning(UserWarning):
    """A coefficient of variation is based on fewer trials than `LEAST_TRIALS`.

    Attributes:
        groups: names of the groups.
        trials: the fewest trials of these groups; for a pooled variation, its degrees of freedom plus one.
    """

    def __init__(self, message: str, *, groups: Iterable[str], trials: int) -> None:
        self.groups = tuple(groups)
        self.trials = trials
        super().__init__(message)


@dataclass(frozen=True)
class TrialGroup:
    """Repeated trials of one kind.

    Attributes:
        name: name of the group.
        trials: number of trials.
        mean: mean of their limit forces [N].
        variation: coefficient of variation, sqrt(sum (x - mean)^2 / (trials - 1)) / mean; nan with one trial.
    """

    name: str
    trials: int
    mean: float
    variation: float


@dataclass(frozen=True, eq=False, repr=False)
class TrialScatter(Result):
    """The scatter of repeated trials.

    Attributes:
        kind: family of the distributions.
        groups: the groups of trials.
        variation: coefficient of variation pooled over the groups, each about its own mean: the root of
            sum (n_g - 1) v_g^2 / sum (n_g - 1).
        degrees: its degrees of freedom, sum (n_g - 1).
        interval: 95 % interval of the pooled variation, by the chi-square distribution; approximate, since it
            neglects the errors of the means.
        homogeneity: p-value of Bartlett's test that all groups have the same variation, for normal trials: pooling is
            not justified where it is small. nan with fewer than two groups that vary.
    """

    TABLE: ClassVar[str] = "groups"

    kind: Kind
    groups: tuple[TrialGroup, ...]
    variation: float
    degrees: int
    interval: tuple[float, float]
    homogeneity: float

    def __repr__(self) -> str:
        low, high = self.interval
        return f"TrialScatter({self.variation:.3g} from {len(self.groups)} groups, {low:.3g} to {high:.3g})"

    def group(self, name: str) -> TrialGroup:
        """The group called `name`."""
        for group in self.groups:
            if group.name == name:
                return group
        raise UnknownNameError("group", str(name), [group.name for group in self.groups], where="group")

    def distribution(self, group: str | None = None) -> Distribution:
        """A factor of mean 1 with the pooled variation, or with that of one group: see `distributions`."""
        if group is None:
            return Distribution(self.kind, 1.0, self.variation)
        return self.distributions((self.group(group).name,))[group]

    def distributions(self, groups: Iterable[str] | None = None) -> dict[str, Distribution]:
        """A factor of mean 1 with its own variation for each group, or for some of them.

        One FewTrialsWarning names the groups with fewer than ten trials.
        """
        wanted = [self.group(name) for name in groups] if groups is not None else self.groups
        for group in wanted:
            if group.trials < 2:
                fix = "repeat the test, or use the pooled variation"
                raise InputError(f"the group {group.name!r} has one trial", where="group", fix=fix)
        few = [group for group in wanted if group.trials < LEAST_TRIALS]
        if few:
            fewest = min(group.trials for group in few)
            names = ", ".join(repr(group.name) for group in few[:3]) + (", ..." if len(few) > 3 else "")
            rests = f"the coefficient of variation of {names} is based on {fewest} trials"
            _warn(rests, [group.name for group in few], fewest, "use one pooled over groups of the same kind")
        return {group.name: Distribution(self.kind, 1.0, group.variation) for group in wanted}

    def scatter(self, *, pooled: bool = True, **others: Any) -> Scatter:
        """A `Scatter` of strength with the pooled variation; without pooling, one per unit, named as the groups.

        Args:
            pooled: whether every unit has the pooled variation; otherwise that of its own group, with a
                FewTrialsWarning for groups of fewer than ten trials.
            others: further fields of the Scatter, such as `friction` or `correlation`.
        """
        if pooled:
            return Scatter(strength=self.distribution(), **others)
        return Scatter(units=self.distributions(), **others)

    def limits(self, share: float = 0.05, *, pooled: bool = True) -> dict[str, float]:
        """The strength [N] of each group below which a fraction `share` of its specimens is predicted to lie.

        The mean of the group is taken as the true one, as a Scatter about a measured volume does.
        """
        from scipy.special import ndtri

        score = np.array([ndtri(checks.number("share", share, low=0.0, high=1.0, ends="open"))])
        own = {} if pooled else self.distributions()
        shared = self.distribution()
        return {group.name: group.mean * float(own.get(group.name, shared).values(score)[0]) for group in self.groups}

    def to_dict(self) -> dict[str, Any]:
        """As plain data; forces [N]."""
        names = ("kind", "variation", "degrees", "interval", "homogeneity")
        return {name: getattr(self, name) for name in names} | {"groups": [asdict(group) for group in self.groups]}


@with_advice()
def scatter_from_trials(
    trials: Measurements | Mapping[str, ArrayLike] | str | Path, *, kind: Kind = "normal"
) -> TrialScatter:
    """Fit the scatter of strength to repeated trials, in groups that may differ in strength.

    The coefficient of variation is estimated for each group and pooled over all: pool groups of the same kind, whose
    relative scatter is the same. A FewTrialsWarning is given when the pooled one has fewer degrees of freedom than ten
    trials of one group.

    Args:
        trials: limit forces [N] by the name of their group; or measurements, or a CSV file of them, where trials of
            one unit along one direction at one preload are a group.
        kind: family of the distributions: "normal", "lognormal", "weibull" or "uniform". Its variation is that of the
            trials.
    """
    Distribution(kind)  # raises an error for an unknown family
    if isinstance(trials, (str, Path)):
        trials = read_measurements(trials)
    if isinstance(trials, Measurements):
        values = _groups_of(trials)
    elif isinstance(trials, Mapping):
        values = {str(name): checks.array(f"trials[{name!r}]", group, ("n",)) for name, group in trials.items()}
    else:
        fix = "give {name of a group: limit forces}, measurements or a CSV file"
        raise InputError(f"is a {type(trials).__name__}", where="trials", fix=fix)
    for name, group in values.items():
        if not len(group) or group.min() < 0.0 or not group.any():
            what = "is empty" if not len(group) else "has a negative force" if group.min() < 0.0 else "is zero"
            raise InputError(what, where=f"trials[{name!r}]", fix="give limit forces, not all zero, or leave it out")
    repeated = [group / group.mean() for group in values.values() if len(group) > 1]
    if not repeated:
        fix = "repeat the tests: at least two trials of one group"
        raise InputError("no group has two trials", where="trials", fix=fix)
    degrees = sum(len(group) - 1 for group in repeated)
    squares = sum(float(((group - 1.0) ** 2).sum()) for group in repeated)
    pooled = math.sqrt(squares / degrees)
    if degrees < LEAST_TRIALS - 1:
        rests = f"the pooled coefficient of variation is based on {degrees} degrees of freedom"
        _warn(rests, list(values), degrees + 1, "test more, or pool it over more groups of the same kind")
    groups = tuple(TrialGroup(name, len(x), float(x.mean()), _variation(x)) for name, x in values.items())
    return TrialScatter(kind, groups, pooled, degrees, _interval(pooled, degrees), _homogeneity(repeated))


def _warn(rests: str, groups: list[str], trials: int, advice: str) -> None:
    """Warn of a variation that is based on too few trials."""
    message = (
        f"{rests}; with fewer than {LEAST_TRIALS} trials of one group it may be far too small, and more specimens fail "
        f"than predicted: {advice}"
    )
    warn_caller(FewTrialsWarning(message, groups=groups, trials=trials))


def _variation(values: Array) -> float:
    return float(values.std(ddof=1) / values.mean()) if len(values) > 1 else math.nan


def _interval(variation: float, degrees: int) -> tuple[float, float]:
    """Interval of a coefficient of variation: degrees v^2 / true^2 has the chi-square distribution."""
    from scipy.special import chdtri

    tail = 0.5 * (1.0 - CONFIDENCE)
    low, high = (variation * math.sqrt(degrees / float(chdtri(degrees, share))) for share in (tail, 1.0 - tail))
    return low, high


def _homogeneity(relative: list[Array]) -> float:
    """The p-value of Bartlett's test that groups, each over its mean, have the same variance; nan without two."""
    from scipy.stats import bartlett

    varied = [group for group in relative if np.ptp(group) > 0.0]
    return float(bartlett(*varied).pvalue) if len(varied) > 1 else math.nan


def _groups_of(measured: Measurements) -> dict[str, Array]:
    """Limit forces [N] of each unit, direction and preload; groups that are zero everywhere are left out."""
    rays = direction_groups(measured.directions, SAME_DIRECTION)
    levels = None if measured.preloads is None else measured.preload_levels
    nearest = np.zeros(len(rays), np.intp)
    if levels is not None and measured.preloads is not None:
        nearest = np.abs(measured.preloads[:, None] - levels).argmin(axis=1)
    found: dict[tuple[str, int, int], list[int]] = {}
    for row, key in enumerate(zip(measured.labels, rays.tolist(), nearest.tolist(), strict=True)):
        found.setdefault(key, []).append(row)
    named: dict[str, Array] = {}
    for (label, ray, level), rows in found.items():
        parts = [label] if label else []
        if rays.max() > 0:
            x, y, z = measured.directions[rays == ray][0]
            azimuth, elevation = math.degrees(math.atan2(y, x)), math.degrees(math.atan2(z, math.hypot(x, y)))
            parts.append(f"azimuth {azimuth:.3g}, elevation {elevation:.3g} deg")
        if levels is not None and len(levels) > 1:
            parts.append(f"preload {levels[level]:.4g} N")
        if measured.limits[rows].any():
            named[", ".join(parts) or "all tests"] = measured.limits[rows]
    return named
