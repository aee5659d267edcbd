"""The slip study (IV.D, Figs. 12, 13): onset angles of the 2FG predicted by the model and of a simulated gripper.

The paper's slip data are unpublished, so the true values are synthetic: the nominal gripper with scattered parameters,
or with a contact that the model does not have.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import holdfast as hf
from holdfast.devices import Device, HeldObject, TwoFingerDimensions, two_finger, two_finger_gripper
from holdfast.statics import Onset, OnsetStatus, rotating_gravity
from studies.tables import TextTable, keep, parsed, parser

#: Largest angle of gravity [rad]: upside down.
FARTHEST = np.pi

#: Scan of the angle, and width of the bracket around the onset [rad].
STEP, TOLERANCE = np.radians(2.0), np.radians(0.05)

#: Largest deviation of the factors on the strength of a unit, in standard deviations.
MOST_DEVIATIONS = 2.0

#: Friction of the bare phalanx on the object's edge: that of a unit's body on the same ground (`mu_substrate`).
EDGE_FRICTION = 0.5


@dataclass(frozen=True)
class SlipScatter:
    """Deviation of the simulated gripper from the model.

    Attributes:
        strength: standard deviation of the factor on each unit's F0, independent for each unit (normal, cut off
            at two standard deviations).
        mass: largest error of the object's mass, uniformly distributed [kg].
        com: largest error of each coordinate of its centre of mass, uniformly distributed [m].
    """

    strength: float = 0.30
    mass: float = 0.001
    com: float = 0.005


@dataclass(frozen=True)
class SlipEvent:
    """One run: a contact condition on an object, turned in one direction until it falls.

    Attributes:
        left, right: phalanges that touch.
        radius: radius of the object [m].
        azimuth: gravity starts along -z and is turned towards (cos, sin, 0) of this angle [rad].
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
    def towards(self) -> np.ndarray:
        """(3,) direction of gravity after a quarter turn."""
        return np.array([np.cos(self.azimuth), np.sin(self.azimuth), 0.0])

    @property
    def dimensions(self) -> TwoFingerDimensions:
        """Dimensions of the gripper on this object."""
        return TwoFingerDimensions(radius=self.radius)

    def device(self) -> Device:
        """The gripper of the model."""
        return two_finger_gripper(self.left, self.right, corners="independent", dimensions=self.dimensions)


def draw_truth(device: Device, scatter: SlipScatter, rng: np.random.Generator) -> Device:
    """A simulated gripper around the nominal device. The random numbers do not depend on which scatters are zero."""
    deviations = np.clip(rng.standard_normal(len(device.patches)), -MOST_DEVIATIONS, MOST_DEVIATIONS)
    mass, com = rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0, 3)
    held = device.object
    moved = HeldObject(held.mass + scatter.mass * mass, held.com + scatter.com * com, held.shape)
    return strengthened(replace(device, object=moved), 1.0 + scatter.strength * deviations)


def strengthened(device: Device, factors: np.ndarray) -> Device:
    """The device whose units carry `factors` (one per patch) times the forces."""
    patches = []
    for patch, factor in zip(device.patches, factors.tolist(), strict=True):
        volume = patch.contacts[0].volume.scaled(factor) if factor != 1.0 else patch.contacts[0].volume
        patches.append(replace(patch, contacts=tuple(replace(contact, volume=volume) for contact in patch.contacts)))
    return replace(device, patches=tuple(patches))


def onset(
    device: Device, towards: Sequence[float] | np.ndarray, *, step: float = STEP, tolerance: float = TOLERANCE
) -> Onset:
    """Angle [rad] at which the gripper slips when gravity is turned from -z towards a direction (3,)."""
    path = rotating_gravity(device, towards=towards)
    return hf.slip_onset(path, 0.0, FARTHEST, step=step, tolerance=tolerance, curved=False)


def without(device: Device, name: str) -> Device:
    """The device with one patch lifted off: its contacts and their columns are removed."""
    patches, columns, at = [], [], 0
    for patch in device.patches:
        end = at + 3 * len(patch)
        if patch.name != name:
            patches.append(patch)
            columns.append(device.jacobian[:, at:end])
        at = end
    return replace(device, patches=tuple(patches), jacobian=np.concatenate(columns, axis=1))


def caught_on_edge(device: Device, dimensions: TwoFingerDimensions) -> Device:
    """The device whose left distal phalanx also touches the tip of the object.

    The object ends under the tip of that phalanx, which hooks over its end face: one Coulomb contact without
    spines that pushes the object along its surface, up towards the gripper.
    """
    finger = two_finger(dimensions, "left")
    pose = finger.contact_pose(2, offset=dimensions.joint_to_surface)
    along, across, into = pose.rotation.T  # along: the unit's shear direction, from the tip to the base
    point = pose.translation - 0.5 * dimensions.phalanx * along
    edge = hf.Contact(point, np.column_stack([into, -across, along]), hf.models.coulomb(EDGE_FRICTION), "left edge[0]")
    own = np.zeros((len(device.joints), 3))
    own[:3] = finger.rows_jacobian([2], point[None, :])
    return replace(
        device,
        patches=(*device.patches, hf.Patch((edge,), np.ones(1), (), "left edge")),
        jacobian=np.concatenate([device.jacobian, own], axis=1),
    )


# The study over the events.

#: Default seed.
SEED = 0

#: Largest error of an onset that counts as predicted [rad].
WITHIN = np.radians(10.0)

#: Radii of the objects [m] and their azimuths [rad].
RADII = (0.10, 0.12, 0.15, 0.18, 0.22, 0.26, 0.30)
AZIMUTHS = tuple(np.radians(30.0 * i) for i in range(7))
SLIPPING = (("MD", "MD"), ("MD", "PMD"))

#: Fourteen events, the conditions alternating.
EVENTS = tuple(
    SlipEvent(left, right, radius, azimuth)
    for (radius, azimuth), (left, right) in itertools.product(zip(RADII, AZIMUTHS, strict=True), SLIPPING)
)

#: The results of the paper (IV.D).
PAPER_COUNT, PAPER_EVENTS = 11, 14

#: Each source of scatter separately.
SOURCES = {"strength of the units": "strength", "mass": "mass", "centre of mass": "com"}


def fall_angle(found: Onset) -> float:
    """Angle at which the object falls [rad]: 0 if it is not lifted, inf if it is always held, nan if undecided."""
    fixed = {OnsetStatus.FAILS_AT_START: 0.0, OnsetStatus.HOLDS_THROUGHOUT: np.inf, OnsetStatus.UNDECIDED: np.nan}
    return fixed.get(found.status, found.value)


@dataclass(frozen=True, eq=False)
class SlipRow:
    """One event: predicted and true onset of slip.

    Attributes:
        event: condition, object and direction of turning.
        predicted: onset of the nominal model.
        true: onset of the simulated gripper.
    """

    event: SlipEvent
    predicted: Onset
    true: Onset

    @property
    def error(self) -> float:
        """Predicted minus true angle [rad]: negative is early; infinite if only one slips, nan if neither."""
        with np.errstate(invalid="ignore"):
            return float(np.subtract(fall_angle(self.predicted), fall_angle(self.true)))

    def is_within(self, angle: float = WITHIN) -> bool:
        """Whether both slip within `angle` [rad] of each other."""
        return bool(abs(self.error) <= angle)


@dataclass(frozen=True, eq=False)
class SlipStudy:
    """The events of one seed.

    Attributes:
        rows: one per event.
        seed: random seed of the simulated grippers.
        scatter: their deviation from the model.
        within: largest error that counts as predicted [rad].
    """

    rows: tuple[SlipRow, ...]
    seed: int
    scatter: SlipScatter
    within: float = WITHIN

    @property
    def count(self) -> int:
        """Onsets predicted within the angle."""
        return sum(row.is_within(self.within) for row in self.rows)

    @property
    def errors(self) -> np.ndarray:
        """(n,) predicted minus true [rad]."""
        return np.array([row.error for row in self.rows])

    def verify(self) -> bool:
        """Check both sides of every bracket, of the model and of the simulation, without the solver."""
        return all(found.verify() for row in self.rows for found in (row.predicted, row.true))


def slip_study(
    seed: int = SEED,
    *,
    events: Sequence[SlipEvent] | int = EVENTS,
    scatter: SlipScatter | None = None,
    step: float = STEP,
    tolerance: float = TOLERANCE,
) -> SlipStudy:
    """Predicted and true onset of every event.

    Args:
        seed: random seed; event i uses (seed, i).
        events: the events, or how many of the standard ones.
        scatter: deviation of the simulated gripper; 30 % on every unit, 1 g, 5 mm by default.
        step, tolerance: step of the scan and width of the bracket [rad].
    """
    around = scatter or SlipScatter()
    search = partial(onset, step=step, tolerance=tolerance)
    rows = []
    for index, event in enumerate(EVENTS[:events] if isinstance(events, int) else events):
        device = event.device()
        truth = draw_truth(device, around, np.random.default_rng([seed, index]))
        rows.append(SlipRow(event, search(device, event.towards), search(truth, event.towards)))
    return SlipStudy(tuple(rows), seed, around)


@dataclass(frozen=True, eq=False)
class SlipStatistics:
    """The study over many seeds, for one scatter.

    Attributes:
        name: the source of scatter.
        counts: (seeds,) onsets predicted within the angle.
        errors: (seeds, events) predicted minus true [rad].
    """

    name: str
    counts: np.ndarray
    errors: np.ndarray

    @property
    def finite(self) -> np.ndarray:
        """|error| [rad] of the events in which both slip."""
        return np.abs(self.errors[np.isfinite(self.errors)])


def slip_statistics(
    seeds: Sequence[int],
    *,
    events: Sequence[SlipEvent] | int = EVENTS,
    scatter: SlipScatter | None = None,
    step: float = STEP,
    tolerance: float = TOLERANCE,
) -> list[SlipStatistics]:
    """The study over many seeds: all sources of scatter together, then each separately with the same draws."""
    full, none = scatter or SlipScatter(), SlipScatter(0.0, 0.0, 0.0)
    alone = {name: replace(none, **{field: getattr(full, field)}) for name, field in SOURCES.items()}
    scatters = {"all": full, **alone}
    chosen = EVENTS[:events] if isinstance(events, int) else tuple(events)
    search = partial(onset, step=step, tolerance=tolerance)
    errors = np.zeros((len(scatters), len(seeds), len(chosen)))
    for index, event in enumerate(chosen):
        device = event.device()
        predicted = fall_angle(search(device, event.towards))
        for number, around in enumerate(scatters.values()):
            for at, seed in enumerate(seeds):
                truth = draw_truth(device, around, np.random.default_rng([seed, index]))
                with np.errstate(invalid="ignore"):
                    errors[number, at, index] = np.subtract(predicted, fall_angle(search(truth, event.towards)))
    counts = (np.abs(errors) <= WITHIN).sum(axis=2)
    return [SlipStatistics(name, counts[i], errors[i]) for i, name in enumerate(scatters)]


# The three failures of the slip study (Fig. 13): contacts that differ from the model.


@dataclass(frozen=True, eq=False)
class Failure:
    """One failure: the model's assumption, the simulated contacts, and the onset of the corrected model.

    Attributes:
        name: the similar failure of the paper.
        event: condition the model assumed, object and direction.
        told: how the true contacts differ from the model.
        predicted: onset of the wrong model.
        true: onset of the truth.
        mended: onset of the corrected model; the truth itself where no other correction is possible.
    """

    name: str
    event: SlipEvent
    told: str
    predicted: Onset
    true: Onset
    mended: Onset


def failures(*, step: float = STEP, tolerance: float = TOLERANCE) -> tuple[Failure, ...]:
    """The three failures, without scatter, so that only the contacts make the difference.

    1. Predicted early: the left distal phalanx also touches the tip of the object. A further contact can only
       postpone the slip, so that a model without it is early or right, never late.
    2. Not predicted: the phalanx touches the tip, but its spines are off the surface; the model counts them.
    3. Not predicted: the left proximal unit is counted although it does not engage. It and the others oppose each
       other and hold at every angle; without it the slip is predicted.
    """

    def failure(name: str, event: SlipEvent, told: str, truth: Device, mended: Device | None = None) -> Failure:
        devices = (event.device(), truth, *(() if mended is None else (mended,)))
        onsets = [onset(one, event.towards, step=step, tolerance=tolerance) for one in devices]
        return Failure(name, event, told, onsets[0], onsets[1], onsets[-1])

    early = SlipEvent("PD", "MD", 0.150, np.pi)
    missed = SlipEvent("PD", "PMD", 0.150, 0.0)
    wrong = SlipEvent("PMD", "PMD", 0.150, np.pi)
    caught = caught_on_edge(early.device(), early.dimensions)
    lifted = caught_on_edge(without(missed.device(), "left D"), missed.dimensions)
    right, excluded = replace(wrong, left="MD").device(), without(wrong.device(), "left P")
    return (
        failure("1, early", early, "left D has caught the tip", caught),
        failure("2, missed", missed, "left D is on the tip, its spines are off", lifted),
        failure("3, missed", wrong, "left P does not engage", right, excluded),
    )


# The study as tables: events, failures, and the counts over many seeds.


def angle_text(angle: float) -> str:
    """An angle [rad] in degrees with one decimal; text where there is none."""
    if np.isnan(angle):
        return "-"
    return f"{np.degrees(angle):.1f}" if np.isfinite(angle) else ("never" if angle > 0.0 else "-never")


def _onset_text(found: Onset) -> str:
    return angle_text(fall_angle(found))


def event_table(study: SlipStudy) -> TextTable:
    """One line per event: predicted and true onset, the error and whether it is small enough."""
    numbers = itertools.count(1)
    columns: dict[str, Callable[[SlipRow], Any]] = {
        "event": lambda _: next(numbers),
        "condition": lambda row: f"{row.event.left}-{row.event.right}",
        "radius [mm]": lambda row: f"{1e3 * row.event.radius:.0f}",
        "azimuth [deg]": lambda row: f"{np.degrees(row.event.azimuth):.0f}",
        "predicted [deg]": lambda row: _onset_text(row.predicted),
        "true [deg]": lambda row: _onset_text(row.true),
        "error [deg]": lambda row: angle_text(row.error),
        "within": lambda row: "yes" if row.is_within(study.within) else "no",
    }
    note = (
        f"{study.count} of {len(study.rows)} onsets within {np.degrees(study.within):.0f} degrees (seed {study.seed}); "
        f"the paper: {PAPER_COUNT} of {PAPER_EVENTS}."
    )
    return TextTable.of("Slip events: model and simulated gripper", columns, study.rows, note)


def failure_table(found: Sequence[Failure]) -> TextTable:
    """One line per failure: what the model assumed, how the truth differs, and the three onsets."""
    columns: dict[str, Callable[[Failure], Any]] = {
        "failure": lambda one: one.name,
        "model": lambda one: one.event.name,
        "not in the model": lambda one: one.told,
        "predicted [deg]": lambda one: _onset_text(one.predicted),
        "true [deg]": lambda one: _onset_text(one.true),
        "corrected [deg]": lambda one: _onset_text(one.mended),
    }
    note = "Without scatter."
    return TextTable.of("Failures: contacts that differ from the model", columns, found, note)


def statistics_table(found: Sequence[SlipStatistics]) -> TextTable:
    """One line per source of scatter: the counts over all seeds, and the sizes of the errors."""

    def error(share: float) -> Callable[[SlipStatistics], str]:
        return lambda one: f"{np.quantile(np.degrees(one.finite), share) if len(one.finite) else np.nan:.2f}"

    events = found[0].errors.shape[1]
    columns: dict[str, Callable[[SlipStatistics], Any]] = {
        "scatter of": lambda one: one.name,
        "mean count": lambda one: f"{one.counts.mean():.2f} of {events}",
        "least": lambda one: int(one.counts.min()),
        "most": lambda one: int(one.counts.max()),
        f"seeds with >= {PAPER_COUNT}/{PAPER_EVENTS}": lambda one: (
            f"{100 * np.mean(one.counts * PAPER_EVENTS >= PAPER_COUNT * events):.0f} %"
        ),
        "median |error| [deg]": error(0.5),
        "95 % [deg]": error(0.95),
        "largest [deg]": error(1.0),
        "never slips": lambda one: f"{int((~np.isfinite(one.errors)).sum())} of {one.errors.size}",
    }
    note = f"Over {len(found[0].counts)} seeds; errors of events in which both slip. The same draws in every line."
    return TextTable.of("Sources of scatter and their effect", columns, found, note)


def main(words: Sequence[str] | None = None) -> None:
    """Run the study and save its tables and pictures."""
    from . import pictures

    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=0, help="also count over this many seeds")
    chosen = parsed(options, words)
    found = slip_study(events=1 if chosen.quick else EVENTS)
    tables = {"slip_events": event_table(found)}
    if not chosen.quick:
        tables["slip_failures"] = failure_table(failures())
    if chosen.seeds:
        counted = slip_statistics(range(chosen.seeds), events=1 if chosen.quick else EVENTS)
        tables["slip_seeds"] = statistics_table(counted)
    drawn = {"slip_onsets": partial(pictures.slip_agreement, found), "slip_strip": partial(pictures.slip_strip, found)}
    keep(Path(__file__), chosen.out, tables, drawn)


if __name__ == "__main__":
    main()
