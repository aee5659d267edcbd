from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import FileError, InputError, UnknownNameError
from holdfast.papers import table_one as study
from holdfast.papers.table_one import LIMITS, TESTS, table_one

SMALL = {"rows": ["2OU"], "queries": 3, "cap": 5.0, "budget": 5.0}


def test_ours_and_a_rival_answer_the_same_queries_alike():
    found = table_one(rivals=["HullMilp, HiGHS"], verify=True, **SMALL)
    (row,) = found.rows
    assert (row.name, row.units, row.contacts) == ("2OU", 2, 8)
    test, limit = row.ours["test"], row.ours["limit"]
    assert (test.possible, limit.possible) == (TESTS, LIMITS)
    assert [series.proved for series in (test, limit)] == [3, 3]
    for theirs in row.rivals:
        said = {reply.index: reply for reply in row.ours[theirs.kind].replies}
        assert set(theirs.indices) <= set(said)
        for reply in theirs.replies:
            assert reply.status == said[reply.index].status
            np.testing.assert_allclose(reply.value, said[reply.index].value, rtol=1e-5)
    assert row.wrong == {("HullMilp, HiGHS", "test"): [], ("HullMilp, HiGHS", "limit"): []}
    assert found.our_seconds == pytest.approx(sum(r.cpu for s in (test, limit) for r in s.replies))
    json.dumps(found.data(), allow_nan=False)


def test_a_run_that_stopped_goes_on_and_keeps_the_times_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    journal = tmp_path / "table.jsonl"
    asked = []

    def interrupted(series, *rest):
        if asked:
            raise KeyboardInterrupt
        asked.append(series.kind)
        return slowly(series, *rest)

    slowly = study.ask_slow
    monkeypatch.setattr(study, "ask_slow", interrupted)
    with pytest.raises(KeyboardInterrupt):
        table_one(rivals=["HullMilp, HiGHS"], journal=journal, **SMALL)
    monkeypatch.setattr(study, "ask", lambda *_, **__: pytest.fail("ours was asked again"))
    monkeypatch.setattr(study, "ask_slow", lambda series, *rest: asked.append(series.kind) or slowly(series, *rest))
    resumed = table_one(rivals=["HullMilp, HiGHS"], journal=journal, **SMALL)
    assert asked == ["test", "limit"]
    again = table_one(rivals=["HullMilp, HiGHS"], journal=journal, **SMALL)
    assert asked == ["test", "limit"]
    assert again.data()["rows"] == resumed.data()["rows"]


def test_times_of_two_machines_do_not_mix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    journal = tmp_path / "table.jsonl"
    table_one(journal=journal, **SMALL)
    monkeypatch.setattr(study.machine, "hardware", lambda: {"processor": "another"})
    with pytest.raises(FileError, match="another sweep"):
        table_one(journal=journal, **SMALL)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"rivals": ["Gurobi"]}, UnknownNameError),
        ({"rows": ["5FH"]}, UnknownNameError),
        ({"queries": 0}, InputError),
        ({"cap": 0.0}, InputError),
        ({"budget": float("nan")}, InputError),
        ({"repeats": 0}, InputError),
    ],
)
def test_bad_settings_are_refused_before_anything_is_asked(wrong, error, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(study, "ask", lambda *_, **__: pytest.fail("asked"))
    with pytest.raises(error):
        table_one(**{**SMALL, **wrong})
