"""Correlations against the definition, written out."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.grasps.criteria import CRITERIA
from holdfast.grasps.ranking import rank
from holdfast.grasps.studies import TABLE_ORDER, correlations, pearson
from tests.grasps.made_grasps import with_table


def _naive(a: list[float], b: list[float]) -> float:
    mean_a, mean_b = math.fsum(a) / len(a), math.fsum(b) / len(b)
    joint = math.fsum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    return joint / math.sqrt(math.fsum((x - mean_a) ** 2 for x in a) * math.fsum((y - mean_b) ** 2 for y in b))


def _naive_ranks(values: list[float]) -> list[float]:
    places = sorted(values)
    return [math.fsum(i + 1 for i, v in enumerate(places) if v == value) / places.count(value) for value in values]


def _table(seed: int, count: int = 9) -> np.ndarray:
    table = np.random.default_rng(seed).integers(0, 6, (count, 10)).astype(float)
    table[:2] = [[0.0] * 10, [1.0] * 10]  # no column is constant
    return table


@given(st.integers(0, 1000))
def test_coefficients_are_those_of_the_definition(seed: int) -> None:
    table = _table(seed)
    found = correlations(rank(with_table(table)))
    columns = {name: table[:, j].tolist() for j, name in enumerate(CRITERIA)} | {"Q": table.sum(axis=1).tolist()}
    assert found.names == TABLE_ORDER
    assert found.grasps == 9
    for i, first in enumerate(TABLE_ORDER):
        for j, second in enumerate(TABLE_ORDER):
            a, b = columns[first], columns[second]
            assert found.values[i, j] == pytest.approx(_naive(a, b), abs=1e-12)
            assert found.ranks[i, j] == pytest.approx(_naive(_naive_ranks(a), _naive_ranks(b)), abs=1e-12)


def test_a_constant_column_gives_null() -> None:
    table = _table(1)
    table[:, CRITERIA.index("C6")] = 0.0
    table[:, CRITERIA.index("S4")] = 1.0 + 1e-15 * np.arange(9)  # constant but for rounding
    found = correlations(rank(with_table(table)))
    for of in ("values", "ranks"):
        row = {entry["criterion"]: entry for entry in found.rows(of)}["Q"]
        assert row["C6"] is None
        assert row["S4"] is None
        assert row["Q"] == 1.0
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["values"][TABLE_ORDER.index("C6")] == [None] * 11


def test_invalid_grasps_stay_out() -> None:
    table = _table(2)
    with_bad = np.vstack([table, np.full(10, np.inf)])
    plain, other = (correlations(rank(with_table(t))) for t in (table, with_bad))
    np.testing.assert_array_equal(plain.values, other.values)
    assert other.grasps == 9


def test_rows_are_the_lower_triangle() -> None:
    rows = correlations(rank(with_table(_table(3)))).rows()
    for i, row in enumerate(rows):
        assert [name for name in TABLE_ORDER if row[name] is not None] == list(TABLE_ORDER[: i + 1])


def test_too_few_grasps_and_huge_values_do_no_harm() -> None:
    assert np.isnan(correlations(rank(with_table(_table(1)[:1]))).values).all()
    assert np.isnan(correlations(rank(with_table(np.full((2, 10), np.inf)))).values).all()
    huge = pearson(np.array([[1e300, 2e300, 0.5e300], [1.0, 2.0, 0.5]]))
    assert huge[0, 1] == pytest.approx(1.0)


def test_columns_of_rounding_noise_correlate_with_nothing() -> None:
    random = np.random.default_rng(3)
    data = np.array([random.random(8), 1e-16 * random.random(8), 1e-23 * random.random(8), 0.3 + 1e-15 * np.arange(8)])
    found = pearson(data)
    assert found[0, 0] == 1.0
    assert np.isnan(found[1:]).all() and np.isnan(found[:, 1:]).all()
