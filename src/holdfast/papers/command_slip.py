"""`holdfast paper slip`: the slip study, predicted onset angles against those of a hidden truth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.options import JsonOption, folder
from ..console.output import emit, note, prepare, progress
from .command_tables import OutOption, show_tables, write_tables

if TYPE_CHECKING:
    from .studies.slip import SlipStatistics, SlipStudy
    from .studies.slip_failures import Failure
    from .studies.text_tables import Table


def slip(
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the hidden truths.")] = 0,
    events: Annotated[int, typer.Option("--events", metavar="N", help="Only the first N of the 14 events.")] = 14,
    seeds: Annotated[
        int,
        typer.Option("--seeds", metavar="N", help="Also count over seeds 0 to N-1, source by source: some 12 s each."),
    ] = 0,
    replicas: Annotated[
        bool, typer.Option("--failures/--no-failures", help="Whether to show the three failures of Fig. 13 as well.")
    ] = True,
    out: OutOption = None,
    json: JsonOption = False,
) -> None:
    """Onset of slip of the 2FG as it is turned, predicted by the model and found in a truth that strays from it."""
    from ..solvers import Exact
    from .studies.slip import slip_statistics, slip_study
    from .studies.slip_failures import failures
    from .studies.slip_tables import event_table, failure_table, statistics_table

    target = None if out is None else folder(out)
    prepare(Exact())
    with progress("slip events") as told:
        study = slip_study(seed, events=events, progress=told)
    failed = failures() if replicas else ()
    statistics: list[SlipStatistics] = []
    if seeds:
        with progress(f"{seeds} seeds") as told:
            statistics = slip_statistics(range(seeds), events=events, progress=told)
    tables = {"slip_events": event_table(study)}
    if failed:
        tables["slip_failures"] = failure_table(failed)
    if statistics:
        tables["slip_seeds"] = statistics_table(statistics)
    if json:
        emit({"command": "paper slip", **_data(study, failed, statistics)})
    else:
        show_tables(tables.values())
    if target is not None:
        _write(target, tables, study)


def _data(study: SlipStudy, failed: tuple[Failure, ...], statistics: list[SlipStatistics]) -> dict[str, Any]:
    """Everything that was found, in degrees."""
    import numpy as np

    from .studies.slip import fall_angle

    def degrees(onset: Any) -> dict[str, Any]:
        return {
            "status": onset.status.value,
            "angle_deg": float(np.degrees(fall_angle(onset))),
            "bracket_deg": np.degrees(onset.bracket),
            "proof_verified": onset.verify(),
        }

    def asked(event: Any) -> dict[str, Any]:
        azimuth = float(np.degrees(event.azimuth))
        return {"left": event.left, "right": event.right, "radius": event.radius, "azimuth_deg": azimuth}

    rows = [
        asked(row.event)
        | {
            "predicted": degrees(row.predicted),
            "true": degrees(row.true),
            "error_deg": float(np.degrees(row.error)),
            "within": row.is_within(study.within),
        }
        for row in study.rows
    ]
    return {
        "seed": study.seed,
        "within_deg": float(np.degrees(study.within)),
        "count": study.count,
        "events": rows,
        "failures": [
            {"name": one.name, "model": asked(one.event), "not_told": one.told}
            | {name: degrees(getattr(one, name)) for name in ("predicted", "true", "mended")}
            for one in failed
        ],
        "seeds": [
            {"scatter": one.name, "counts": one.counts, "errors_deg": np.degrees(one.errors)} for one in statistics
        ],
    }


def _write(target: Path, tables: dict[str, Table], study: SlipStudy) -> None:
    """Tables and pictures into a folder."""
    from .. import plotting
    from ..console.pictures import save
    from .plots_slip import onset_agreement, onset_strip
    from .studies.slip import fall_angle

    write_tables(target, tables)
    angles = [[fall_angle(onset) for onset in (row.predicted, row.true)] for row in study.rows]
    conditions = [f"{row.event.left}-{row.event.right}" for row in study.rows]
    predicted, true = zip(*angles, strict=True)
    save(onset_agreement(predicted, true, conditions, within=study.within), target / "slip_onsets.png")
    figure = onset_strip(strip_frames(study), titles=("lifted", "predicted onset", "true onset"))
    plotting.save(figure, target / "slip_strip.png")
    note(f"picture: {target / 'slip_strip.png'}")


def strip_frames(study: SlipStudy, most: int = 4) -> list[list[Any]]:
    """Poses of the events that turn in the plane of the fingers, or of the first ones: lifted, predicted, true."""
    import numpy as np

    from .plots_slip import Pose2D
    from .studies.slip import fall_angle

    in_plane = [row for row in study.rows if abs(np.sin(row.event.azimuth)) < np.sin(np.radians(1.0))]
    frames = []
    for row in (in_plane or list(study.rows))[:most]:
        device, towards = row.event.device(), row.event.towards
        poses = [Pose2D(device, towards, 0.0, row.event.name)]
        for angle in (fall_angle(row.predicted), fall_angle(row.true)):
            text = f"{np.degrees(angle):.1f}°" if np.isfinite(angle) else "never"
            poses.append(Pose2D(device, towards, angle if np.isfinite(angle) else np.pi, text))
        frames.append(poses)
    return frames
