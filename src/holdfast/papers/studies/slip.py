"""The slip study (IV.D, Figs. 12 and 13): onset angles predicted by the model against those of a hidden truth.

The paper turned a real 2FG until the object fell, and predicted 11 of 14 onsets. Its data are unpublished; here the
truth is the model with scattered parameters (`slip_truth`). The events are a plain grid, laid down before any truth was
drawn: the two conditions that hold upright and slip before they are upside down, each on seven curvatures and turned
towards seven azimuths.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ... import checks
from ...checks import Array
from ...errors import InputError
from ...statics.paths import Onset, OnsetStatus
from .slip_truth import STEP, TOLERANCE, Scatter, SlipEvent, draw_truth, nominal, true_onset

#: The seed when none is given.
SEED = 0

#: An onset counts as predicted within so much of the true one [rad].
WITHIN = np.radians(10.0)

#: Radii of the objects [m] and azimuths [rad] that go with them.
RADII = (0.10, 0.12, 0.15, 0.18, 0.22, 0.26, 0.30)
AZIMUTHS = tuple(np.radians(30.0 * i) for i in range(7))
SLIPPING = (("MD", "MD"), ("MD", "PMD"))

#: Fourteen events, the conditions in turn.
EVENTS = tuple(
    SlipEvent(left, right, radius, azimuth)
    for (radius, azimuth), (left, right) in itertools.product(zip(RADII, AZIMUTHS, strict=True), SLIPPING)
)

#: What the paper found (IV.D).
PAPER_COUNT, PAPER_EVENTS = 11, 14

#: Each source of scatter by itself.
SOURCES = {"strength of the units": "strength", "mass": "mass", "centre of mass": "com"}


def fall_angle(onset: Onset) -> float:
    """Where the object falls [rad]: 0 if it is not even lifted, inf if it is held throughout, nan if undecided."""
    fixed = {OnsetStatus.FAILS_AT_START: 0.0, OnsetStatus.HOLDS_THROUGHOUT: np.inf, OnsetStatus.UNDECIDED: np.nan}
    return fixed.get(onset.status, onset.value)


@dataclass(frozen=True, eq=False)
class SlipRow:
    """One event: where the model says it slips, and where the truth does.

    Attributes:
        event: condition, object and direction of turning.
        predicted: onset of the nominal model.
        true: onset of the hidden truth.
    """

    event: SlipEvent
    predicted: Onset
    true: Onset

    @property
    def error(self) -> float:
        """Predicted minus true angle [rad]: negative is early; infinite where only one slips, nan if neither."""
        with np.errstate(invalid="ignore"):
            return float(np.subtract(fall_angle(self.predicted), fall_angle(self.true)))

    def is_within(self, angle: float = WITHIN) -> bool:
        """Whether both slip, and within `angle` [rad] of each other."""
        return bool(abs(self.error) <= angle)


@dataclass(frozen=True, eq=False)
class SlipStudy:
    """The events of one seed.

    Attributes:
        rows: one an event.
        seed: what the truths were drawn with.
        scatter: how far they stray.
        within: the angle that counts as predicted [rad].
    """

    rows: tuple[SlipRow, ...]
    seed: int
    scatter: Scatter
    within: float = WITHIN

    @property
    def count(self) -> int:
        """Onsets predicted within the angle."""
        return sum(row.is_within(self.within) for row in self.rows)

    @property
    def errors(self) -> Array:
        """(n,) predicted minus true [rad]."""
        return np.array([row.error for row in self.rows])

    def verify(self) -> bool:
        """Check both sides of every bracket, of the model and of the truth, without the solver."""
        return all(onset.verify() for row in self.rows for onset in (row.predicted, row.true))


def slip_study(
    seed: int = SEED,
    *,
    events: Sequence[SlipEvent] | int = EVENTS,
    scatter: Scatter | None = None,
    step: float = STEP,
    tolerance: float = TOLERANCE,
    progress: Callable[[int, int], None] | None = None,
) -> SlipStudy:
    """Predicted and true onset of every event.

    Args:
        seed: the truth of event i is drawn from (seed, i).
        events: the events, or how many of the standard ones.
        scatter: how far the truth strays; 30 % on every unit, 1 g, 5 mm by default.
        step, tolerance: of the scan and of the bracket [rad].
        progress: called with (done, total).
    """
    return _studies([seed], events, [scatter or Scatter()], step, tolerance, progress)[0][0]


def _studies(
    seeds: Sequence[int],
    events: Sequence[SlipEvent] | int,
    scatters: Sequence[Scatter],
    step: float,
    tolerance: float,
    progress: Callable[[int, int], None] | None,
) -> list[list[SlipStudy]]:
    """Studies [scatter][seed]; each event is predicted once."""
    chosen = standard_events(events) if isinstance(events, int) else tuple(events)
    for seed in seeds:
        checks.count("seed", seed, low=0)
    rows: list[list[list[SlipRow]]] = [[[] for _ in seeds] for _ in scatters]
    for index, event in enumerate(chosen):
        if progress is not None:
            progress(index, len(chosen))
        device = event.device()
        predicted = true_onset(nominal(device), event.towards, step=step, tolerance=tolerance)
        for number, scatter in enumerate(scatters):
            for at, seed in enumerate(seeds):
                truth = draw_truth(device, scatter, np.random.default_rng([seed, index]))
                true = true_onset(truth, event.towards, step=step, tolerance=tolerance)
                rows[number][at].append(SlipRow(event, predicted, true))
    if progress is not None:
        progress(len(chosen), len(chosen))
    return [
        [SlipStudy(tuple(rows[i][j]), seed, scatter) for j, seed in enumerate(seeds)]
        for i, scatter in enumerate(scatters)
    ]


def standard_events(count: int = len(EVENTS)) -> tuple[SlipEvent, ...]:
    """The first `count` of the fourteen events."""
    if not 1 <= count <= len(EVENTS):
        raise InputError(f"is {count}", where="events", fix=f"give a number from 1 to {len(EVENTS)}")
    return EVENTS[:count]


@dataclass(frozen=True, eq=False)
class SlipStatistics:
    """The study over many seeds, for one scatter.

    Attributes:
        name: what scatters.
        counts: (seeds,) onsets predicted within the angle.
        errors: (seeds, events) predicted minus true [rad].
    """

    name: str
    counts: Array
    errors: Array

    @property
    def finite(self) -> Array:
        """|error| [rad] of the events in which both slip."""
        return np.abs(self.errors[np.isfinite(self.errors)])


def slip_statistics(
    seeds: Sequence[int],
    *,
    events: Sequence[SlipEvent] | int = EVENTS,
    scatter: Scatter | None = None,
    step: float = STEP,
    tolerance: float = TOLERANCE,
    progress: Callable[[int, int], None] | None = None,
) -> list[SlipStatistics]:
    """The study over many seeds: all sources of scatter together, then each by itself with the same draws."""
    if not len(seeds):
        raise InputError("is empty", where="seeds", fix="give at least one seed")
    full = scatter or Scatter()
    none = Scatter(0.0, 0.0, 0.0)
    alone = {name: replace(none, **{field: getattr(full, field)}) for name, field in SOURCES.items()}
    scatters = {"all": full, **alone}
    results = _studies(list(seeds), events, list(scatters.values()), step, tolerance, progress)
    return [
        SlipStatistics(
            name, np.array([study.count for study in studies]), np.array([study.errors for study in studies])
        )
        for name, studies in zip(scatters, results, strict=True)
    ]
