from __future__ import annotations

import numpy as np

from holdfast.papers.slip import (
    Failure,
    SlipStatistics,
    angle_text,
    event_table,
    failure_table,
    slip_study,
    statistics_table,
)


def test_angles_are_degrees_or_words() -> None:
    assert [angle_text(a) for a in (np.pi / 4, np.inf, -np.inf, np.nan)] == ["45.0", "never", "-never", "-"]


def test_events_and_failures_have_a_line_each() -> None:
    study = slip_study(0, events=1, step=0.1, tolerance=0.002)
    shown = event_table(study)
    row = study.rows[0]
    assert shown.rows[0][:4] == ("1", "MD-MD", "100", "0")
    assert float(shown.rows[0][6]) == round(float(np.degrees(row.error)), 1)
    assert "1 of 1 onsets within 10 degrees (seed 0)" in shown.note
    failed = failure_table([Failure("x", row.event, "nothing", row.predicted, row.true, row.predicted)])
    assert failed.rows[0][3] == failed.rows[0][5] == shown.rows[0][4]


def test_statistics_count_seeds_and_leave_out_what_never_slips() -> None:
    errors = np.radians([[1.0, -3.0], [12.0, np.inf], [2.0, 2.0]])
    counts = np.array([2, 0, 2])
    shown = statistics_table([SlipStatistics("all", counts, errors)])
    name, mean, least, most, share, median, _, largest, never = shown.rows[0]
    assert (name, mean, least, most, share) == ("all", "1.33 of 2", "0", "2", "67 %")
    assert (median, largest, never) == ("2.00", "12.00", "1 of 6")
