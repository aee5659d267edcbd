"""Slip events of the 2FG and the hidden truth behind each: units, mass and centre of mass that nobody knows exactly.

The paper's slip data are unpublished, so the truth is synthetic: the nominal gripper with scattered parameters, or with
a contact that the model does not know of.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import checks
from ..assembly import Contact, Patch
from ..checks import Array
from ..errors import InputError
from ..force_limits import models
from ..statics.equilibrium import Equilibrium
from ..statics.paths import Onset, OnsetStatus, Path, first_change, grid, onset_of, rotating_gravity
from ..statics.solver import WarmSolver
from .devices import Device, HeldObject, TwoFingerDimensions, two_finger_gripper
from .devices.grippers import RoundObject, wrapped_finger
from .tables import Table

#: Gravity is turned up to here [rad]: upside down.
FARTHEST = np.pi

#: Scan of the angle, and width of the bracket around the onset [rad].
STEP, TOLERANCE = np.radians(2.0), np.radians(0.05)

#: Factors on the strength of a unit stay within so many standard deviations.
MOST_DEVIATIONS = 2.0

#: Friction of the bare phalanx on the object's edge: that of a unit's body on the same ground (`mu_substrate`).
EDGE_FRICTION = 0.5


@dataclass(frozen=True)
class Scatter:
    """How far the truth strays from the model.

    Attributes:
        strength: standard deviation of the factor on each unit's F0, drawn for every unit by itself (normal, cut off
            at two standard deviations).
        mass: the object's mass is off by up to this, either way, uniformly [kg].
        com: each coordinate of its centre of mass is off by up to this, either way, uniformly [m].
    """

    strength: float = 0.30
    mass: float = 0.001
    com: float = 0.005


@dataclass(frozen=True)
class SlipEvent:
    """One run: a contact condition on an object, turned one way until it falls.

    Attributes:
        left, right: phalanges that touch.
        radius: of the object [m].
        azimuth: gravity begins straight down (-z) and is turned towards (cos, sin, 0) of this angle [rad].
    """

    left: str
    right: str
    radius: float
    azimuth: float

    @property
    def name(self) -> str:
        """Condition, radius and azimuth: "MD-PMD, 150 mm, 30 deg"."""
        return f"{self.left}-{self.right}, {1e3 * self.radius:.0f} mm, {np.degrees(self.azimuth):.0f} deg"

    @property
    def towards(self) -> Array:
        """(3,) where gravity points after a quarter turn."""
        return np.array([np.cos(self.azimuth), np.sin(self.azimuth), 0.0])

    def device(self) -> Device:
        """The gripper as the model knows it."""
        dimensions = TwoFingerDimensions(radius=self.radius)
        return two_finger_gripper(self.left, self.right, dimensions=dimensions)


@dataclass(frozen=True, eq=False)
class Truth:
    """A gripper as it really is.

    Attributes:
        device: contacts, joints and object.
        strengths: one factor a patch of the device, on all its forces.
    """

    device: Device
    strengths: Array

    @property
    def scales(self) -> Array:
        """(k, 3) the factors, contact by contact."""
        counts = [len(patch) for patch in self.device.patches]
        return np.repeat(self.strengths, counts)[:, None] * np.ones(3)


def nominal(device: Device) -> Truth:
    """The device as the model has it: every factor is 1."""
    return Truth(device, np.ones(len(device.patches)))


def draw_truth(device: Device, scatter: Scatter, rng: np.random.Generator) -> Truth:
    """A truth around the nominal device. The numbers drawn do not depend on which scatters are zero."""
    deviations = np.clip(rng.standard_normal(len(device.patches)), -MOST_DEVIATIONS, MOST_DEVIATIONS)
    mass, com = rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0, 3)
    held = device.object
    moved = HeldObject(held.mass + scatter.mass * mass, held.com + scatter.com * com, held.shape)
    return Truth(replace(device, object=moved), 1.0 + scatter.strength * deviations)


def true_onset(
    truth: Truth,
    towards: Sequence[float] | Array,
    *,
    step: float = STEP,
    tolerance: float = TOLERANCE,
) -> Onset:
    """Where the truth lets go when gravity is turned from straight down towards a direction (3,), by angle [rad].

    As `slip_onset`, but units keep sharing their tables although each has a strength of its own.
    """
    path: Path = rotating_gravity(truth.device, towards=towards)
    warm, scales = WarmSolver(), truth.scales

    def ask(angle: float) -> Equilibrium:
        return warm.equilibrium(*path(angle), scales)

    width, narrow = checks.positive("step", step), checks.positive("tolerance", tolerance)
    return onset_of(first_change(ask, grid(0.0, FARTHEST, width), narrow), width, narrow)


def without(device: Device, name: str) -> Device:
    """The device with one patch lifted off: its contacts and their columns are left out."""
    patches, columns, at = [], [], 0
    for patch in device.patches:
        end = at + 3 * len(patch)
        if patch.name != name:
            patches.append(patch)
            columns.append(device.jacobian[:, at:end])
        at = end
    return replace(device, patches=tuple(patches), jacobian=np.concatenate(columns, axis=1))


def caught_on_edge(device: Device, dimensions: TwoFingerDimensions) -> Device:
    """The device whose left distal phalanx has caught the tip of the object besides.

    The object ends under the tip of that phalanx, which hooks over its end face: one Coulomb contact without
    spines that pushes the object along its surface, up towards the gripper.
    """
    around = RoundObject(dimensions.radius, dimensions.com_depth)
    finger = wrapped_finger(
        around,
        side=-1.0,
        base_x=dimensions.base_half_width,
        y=0.0,
        phalanx=dimensions.phalanx,
        joint_to_surface=dimensions.joint_to_surface,
        link_mass=dimensions.link_mass,
        name="left",
    )
    pose = finger.contact_pose(2, offset=dimensions.joint_to_surface)
    along, across, into = pose.rotation.T  # along: the unit's shear direction, from the tip to the base
    point = pose.translation - 0.5 * dimensions.phalanx * along
    edge = Contact(point, np.column_stack([into, -across, along]), models.coulomb(EDGE_FRICTION), "left edge[0]")
    own = np.zeros((len(device.joints), 3))
    own[:3] = finger.rows_jacobian([2], point[None, :])
    return replace(
        device,
        patches=(*device.patches, Patch((edge,), np.ones(1), (), "left edge")),
        jacobian=np.concatenate([device.jacobian, own], axis=1),
    )


# The slip study (IV.D, Figs. 12 and 13): onset angles predicted by the model against those of a hidden truth.

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


# The three failures of the slip study (Fig. 13): what the model was not told of the contacts.


@dataclass(frozen=True, eq=False)
class Failure:
    """One failure: what the model assumed, what was true, and the onset once the model is put right.

    Attributes:
        name: which of the paper's failures it is like.
        event: condition the model assumed, object and direction.
        told: what the model was not told.
        predicted: onset of the wrong model.
        true: onset of the truth.
        mended: onset of the model that is put right; the truth again where that is all there is to know.
    """

    name: str
    event: SlipEvent
    told: str
    predicted: Onset
    true: Onset
    mended: Onset


def failures(*, step: float = STEP, tolerance: float = TOLERANCE) -> tuple[Failure, ...]:
    """The three failures, without scatter, so that the contacts alone make the difference.

    1. Predicted early: the left distal phalanx has caught the tip of the object besides. A contact more can only
       postpone the slip, so that a model without it is early or right, never late.
    2. Not predicted: the phalanx has caught the tip, but its spines are off the surface; the model counts them.
    3. Not predicted: the left proximal unit is counted though it does not engage. It and the others oppose each other
       and hold on for ever; without it the slip is predicted.
    """

    def onset(device: Device, event: SlipEvent) -> Onset:
        return true_onset(nominal(device), event.towards, step=step, tolerance=tolerance)

    results = []
    early = SlipEvent("PD", "MD", 0.150, np.pi)
    caught = caught_on_edge(early.device(), TwoFingerDimensions(radius=early.radius))
    true = onset(caught, early)
    results.append(Failure("1, early", early, "left D has caught the tip", onset(early.device(), early), true, true))
    missed = SlipEvent("PD", "PMD", 0.150, 0.0)
    lifted = caught_on_edge(without(missed.device(), "left D"), TwoFingerDimensions(radius=missed.radius))
    true = onset(lifted, missed)
    results.append(
        Failure(
            "2, missed", missed, "left D is on the tip, its spines are off", onset(missed.device(), missed), true, true
        )
    )
    wrong = SlipEvent("PMD", "PMD", 0.150, np.pi)
    right = SlipEvent("MD", "PMD", wrong.radius, wrong.azimuth)
    true = onset(right.device(), right)
    dimensions = TwoFingerDimensions(radius=wrong.radius)
    excluded = without(two_finger_gripper("PMD", "PMD", dimensions=dimensions), "left P")
    results.append(
        Failure(
            "3, missed", wrong, "left P does not engage", onset(wrong.device(), wrong), true, onset(excluded, wrong)
        )
    )
    return tuple(results)


# The slip study as tables: events, failures, and the counts over many seeds.


def angle_text(angle: float) -> str:
    """An angle [rad] in degrees with one decimal; words where there is none."""
    if np.isnan(angle):
        return "-"
    return f"{np.degrees(angle):.1f}" if np.isfinite(angle) else ("never" if angle > 0.0 else "-never")


def event_table(study: SlipStudy) -> Table:
    """One line an event: predicted and true onset, the error and whether it is small enough."""
    header = (
        "event",
        "condition",
        "radius [mm]",
        "azimuth [deg]",
        "predicted [deg]",
        "true [deg]",
        "error [deg]",
        "within",
    )
    rows = [
        (
            str(number),
            f"{row.event.left}-{row.event.right}",
            f"{1e3 * row.event.radius:.0f}",
            f"{np.degrees(row.event.azimuth):.0f}",
            angle_text(fall_angle(row.predicted)),
            angle_text(fall_angle(row.true)),
            angle_text(row.error),
            "yes" if row.is_within(study.within) else "no",
        )
        for number, row in enumerate(study.rows, start=1)
    ]
    note = (
        f"{study.count} of {len(rows)} onsets within {np.degrees(study.within):.0f} degrees (seed {study.seed}); "
        f"the paper: {PAPER_COUNT} of {PAPER_EVENTS}."
    )
    return Table("Slip events: the model against a hidden truth", header, rows, note)


def failure_table(found: Sequence[Failure]) -> Table:
    """One line a failure: what the model assumed, what it was not told, and the three onsets."""
    header = ("failure", "model", "not told", "predicted [deg]", "true [deg]", "put right [deg]")
    rows = [
        (
            failure.name,
            failure.event.name,
            failure.told,
            angle_text(fall_angle(failure.predicted)),
            angle_text(fall_angle(failure.true)),
            angle_text(fall_angle(failure.mended)),
        )
        for failure in found
    ]
    return Table("Failures: contacts that the model has wrong", header, rows, "Without scatter; compare Fig. 13.")


def statistics_table(found: Sequence[SlipStatistics]) -> Table:
    """One line a source of scatter: the counts over all seeds, and how large the errors are."""
    header = (
        "scatter of",
        "mean count",
        "least",
        "most",
        f"seeds with >= {PAPER_COUNT}/{PAPER_EVENTS}",
        "median |error| [deg]",
        "95 % [deg]",
        "largest [deg]",
        "never slips",
    )
    rows = []
    for one in found:
        seeds, events = one.errors.shape
        sizes = np.degrees(np.abs(one.errors[np.isfinite(one.errors)]))
        median, most, largest = np.quantile(sizes, (0.5, 0.95, 1.0)) if len(sizes) else np.full(3, np.nan)
        enough = np.mean(one.counts * PAPER_EVENTS >= PAPER_COUNT * events)
        rows.append(
            (
                one.name,
                f"{one.counts.mean():.2f} of {events}",
                str(int(one.counts.min())),
                str(int(one.counts.max())),
                f"{100 * enough:.0f} %",
                f"{median:.2f}",
                f"{most:.2f}",
                f"{largest:.2f}",
                f"{int((~np.isfinite(one.errors)).sum())} of {seeds * events}",
            )
        )
    note = f"Over {len(found[0].counts)} seeds; errors of events in which both slip. The same draws in every line."
    return Table("What scatters, and how much it matters", header, rows, note)
