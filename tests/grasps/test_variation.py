"""Parameter variation against scoring each grasp alone."""

from __future__ import annotations

import json

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.grasps.criteria import evaluate
from holdfast.grasps.ranking import rank
from holdfast.grasps.studies import parameter_variation
from tests.grasps.made_grasps import many_angles, scored_disc, with_table


def test_only_the_named_parameter_changes() -> None:
    ranking = rank(scored_disc(many_angles(8)))
    found = parameter_variation(ranking, mu=[0.3, 0.2], lambda_mm=[12.0], W=[0.5])
    assert found.changes == (("mu", 0.3), ("mu", 0.2), ("lambda_mm", 12.0), ("W", 0.5))
    for column, (name, value) in enumerate(found.changes):
        alone = [evaluate(**(grasp.inputs() | {name: value}))["Q"] for grasp in ranking]
        np.testing.assert_allclose(found.qualities[column], alone, rtol=1e-12)
        placed = sorted(range(8), key=lambda row: (alone[row], found.indices[row]))
        assert [int(found.ranks[column, row]) for row in placed] == list(range(1, 9))


def test_a_wider_threshold_brings_the_margins_of_the_regions_into_play() -> None:
    """Contacts stand 10 mm from both ends: S3 is 0 up to lambda = 10 and 6 (12/10 - 1) at 12 mm."""
    ranking = rank(scored_disc(many_angles(3)))
    found = parameter_variation(ranking, mu=(), lambda_mm=(10.0, 12.0), W=())
    np.testing.assert_allclose(found.qualities[0], found.quality)
    np.testing.assert_allclose(found.qualities[1] - found.quality, 6.0 * 0.2)


def test_rows_and_json_have_the_original_and_each_change() -> None:
    found = parameter_variation(rank(scored_disc(many_angles(4))))
    rows = found.rows(2)
    assert [row["rank"] for row in rows] == [1, 2]
    assert set(rows[0]) >= {"Q", "rank (mu = 0.3)", "Q (mu = 0.3)", "Q (lambda_mm = 3)", "Q (W = 0.5)", "rank (W = 2)"}
    form = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [change["parameter"] for change in form["changes"]] == ["mu", "lambda_mm", "W", "W"]
    assert form["params"]["mu"] == 0.4


def test_grasps_without_a_rank_stay_out() -> None:
    table = np.ones((3, 10))
    table[0, 0] = np.inf
    found = parameter_variation(rank(with_table(table)))
    assert found.indices.tolist() == [1, 2]
    assert not len(parameter_variation(rank(with_table(table[:1]))).rows())


def test_rows_go_by_q_whatever_the_ranking_goes_by() -> None:
    scored = scored_disc(many_angles(6))
    plain, other = (parameter_variation(rank(scored, way)) for way in ("sum", "borda"))
    np.testing.assert_array_equal(plain.indices, other.indices)
    np.testing.assert_array_equal(plain.ranks, other.ranks)


def test_wrong_values_are_refused_by_name() -> None:
    ranking = rank(scored_disc(many_angles(2)))
    with pytest.raises(InputError, match="mu"):
        parameter_variation(ranking, mu=[-0.1])
    with pytest.raises(InputError, match="mu"):
        parameter_variation(ranking, mu=0.3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="W"):
        parameter_variation(ranking, W=["heavy"])  # type: ignore[list-item]
