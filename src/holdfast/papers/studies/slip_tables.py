"""The slip study as tables: events, failures, and the counts over many seeds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .slip import PAPER_COUNT, PAPER_EVENTS, SlipStatistics, SlipStudy, fall_angle
from .slip_failures import Failure
from .text_tables import Table


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
