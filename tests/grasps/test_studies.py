"""Parameter variation against scoring each grasp alone.

Stability against a plain re-implementation: one grasp and one trial at a time.

Correlations against the definition, written out.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InputError
from holdfast.grasps.candidates import project
from holdfast.grasps.criteria import CRITERIA, evaluate
from holdfast.grasps.hands import solve_hand
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import Grasp, Ranking, rank
from holdfast.grasps.studies import (
    TABLE_ORDER,
    correlations,
    displaced_grasps,
    displacements,
    levels,
    mean_ranks,
    parameter_variation,
    pearson,
    stability_study,
)
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
    plain, other = (parameter_variation(rank(scored, way)) for way in ("sum", {"S2": 2.0}))
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


def _turned(vector: np.ndarray, angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ vector


def _meeting(point: np.ndarray, direction: np.ndarray, segment: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Where a line meets that of a segment: the point, its distance from the first end, and the segment's length."""
    length = float(np.linalg.norm(segment[1] - segment[0]))
    along = (segment[1] - segment[0]) / length
    at = float(np.linalg.solve(np.column_stack([along, -direction]), point - segment[0])[0])
    return segment[0] + at * along, at, length


def _one_trial(grasp: Grasp, shift: np.ndarray, turn: float) -> tuple[float, bool]:
    """Q of one displaced grasp, and whether it was lost."""
    focus, normals = grasp.grasp_focus_mm + shift, grasp.inward_normals
    offset = float(grasp.scored.candidates.half_width[grasp.index])
    if grasp.virtual_two_finger:
        axis = normals[0] - normals[1]
        axis = _turned(axis / np.linalg.norm(axis), turn)
        right = _turned(axis, -np.pi / 2.0)
        lines = [(focus, axis), (focus - offset * right, axis), (focus + offset * right, axis)]
        about = np.array([_turned(normal, turn) for normal in normals])
    else:
        lines = [(focus, _turned(normal, turn)) for normal in normals]
        about = normals
    contacts, regions, lost = [], [], False
    for (point, direction), segment in zip(lines, grasp.regions_mm, strict=True):
        contact, at, length = _meeting(point, direction, segment)
        lost = lost or not 0.0 <= at <= length
        along = (segment[1] - segment[0]) / length
        ends = [contact - max(at, 1e-3) * along, contact + max(length - at, 1e-3) * along]  # d floored at 1 um
        contacts.append(contact)
        regions.append(ends)
    pose = solve_hand(
        hand=grasp.scored.hand,
        contacts=np.array([contacts]),
        normals=about[None],
        virtual=np.array([grasp.virtual_two_finger]),
    )
    if not pose.reachable[0]:
        return np.inf, lost
    focus_real = pose.real_focus[0] if np.isfinite(pose.real_focus[0]).all() else None
    inputs: dict[str, Any] = grasp.inputs() | {
        "contacts_mm": contacts,
        "regions_mm": regions,
        "grasp_focus_mm": focus,
        "force_directions": pose.forces[0],
        "real_focus_mm": focus_real,
        "extensions_mm": pose.extensions[0],
        "spread_rad": float(pose.spread[0]),
    }
    answer = evaluate(**inputs)
    return (answer["Q"] if answer["valid"] else np.inf), lost


@pytest.mark.parametrize("rotation", [0.0, 0.05])
def test_the_study_is_that_of_one_grasp_and_one_trial_at_a_time(rotation: float) -> None:
    """Both kinds of grasps, ranked together in every trial, with lost contacts among them."""
    ranking = plan(example_part("bracket"), rank="paper")
    trials, radius, seed = 3, 6.0, 5
    found = stability_study(ranking, trials=trials, translation_mm=radius, rotation_rad=rotation, seed=seed)
    grasps = sorted(ranking.grasps, key=lambda grasp: (grasp.Q, grasp.virtual_two_finger, grasp.index))
    assert {grasp.kind for grasp in grasps} == {"three_finger", "virtual_two_finger"}
    shifts, turns = displacements(len(ranking.scored), trials, radius, rotation, seed)
    naive = [[_one_trial(g, shifts[t, g.index], turns[t, g.index]) for g in grasps] for t in range(trials)]
    quality = np.array([[q for q, _ in row] for row in naive])
    np.testing.assert_allclose(found.qualities, quality, rtol=1e-6)
    np.testing.assert_array_equal(found.lost, [[lost for _, lost in row] for row in naive])
    assert found.lost.any() and not found.lost.all()
    _check_table(found.rows(), grasps, quality, found.lost)


def _check_table(rows: list[dict[str, Any]], grasps: list[Grasp], quality: np.ndarray, lost: np.ndarray) -> None:
    def ranks(values: np.ndarray) -> list[int]:
        order = sorted(range(len(grasps)), key=lambda n: (values[n], grasps[n].virtual_two_finger, grasps[n].index))
        return [order.index(n) + 1 if np.isfinite(values[n]) else len(grasps) for n in range(len(grasps))]

    by_trial = [ranks(row) for row in quality]
    mean = quality.mean(axis=0)
    for n, (row, grasp) in enumerate(zip(rows, grasps, strict=True)):
        assert row["rank"] == n + 1
        assert row["Q"] == grasp.Q
        assert row["average rank"] == ranks(mean)[n]
        assert row["worst rank"] == max(trial[n] for trial in by_trial)
        assert row["lost"] == lost[:, n].sum()
        assert row["impossible"] == np.isinf(quality[:, n]).sum()
        if not np.isfinite(mean[n]):
            assert row["average Q"] is None and row["worst change"] is None
            continue
        changes = grasp.Q - quality[:, n]
        assert row["average Q"] == pytest.approx(mean[n], rel=1e-6)
        assert row["worst change"] == pytest.approx(changes.min(), rel=1e-5, abs=1e-9)
        assert row["worst %"] == pytest.approx(100.0 * changes.min() / grasp.Q, rel=1e-5, abs=1e-7)
        assert row["average %"] == pytest.approx(100.0 * np.abs(changes).mean() / grasp.Q, rel=1e-5, abs=1e-7)


def _disc_ranking() -> Ranking:
    return rank(scored_disc(many_angles(6)))


def test_without_a_displacement_nothing_changes() -> None:
    found = stability_study(_disc_ranking(), trials=2, translation_mm=0.0)
    np.testing.assert_allclose(found.qualities, np.tile(found.quality, (2, 1)), rtol=1e-9)
    np.testing.assert_allclose(found.worst_change, 0.0, atol=1e-9)
    assert [row["average rank"] for row in found.rows()] == list(range(1, 7))
    assert not found.lost.any()


def test_without_a_turn_contacts_are_orthogonal_projections() -> None:
    candidates = plan(example_part("bracket")).scored.candidates
    assert candidates.pinch.any()
    rows = np.arange(len(candidates))
    shifts = np.random.default_rng(0).normal(size=(len(rows), 2))
    displaced, about, lost = displaced_grasps(candidates, rows, shifts, np.zeros(len(rows)))
    contacts, left = project(
        candidates.focus + shifts,
        candidates.segments,
        inset=1e-9,
        virtual=candidates.virtual,
        pivot_offset=candidates.half_width,
    )
    np.testing.assert_array_equal(lost, left.any(axis=1))
    np.testing.assert_allclose(displaced.contacts[~lost], contacts[~lost], atol=1e-8)
    np.testing.assert_array_equal(about, candidates.normals)


def test_a_turn_moves_contacts_of_a_disc_along_their_regions() -> None:
    """A ray from the centre at an angle t meets the tangent r tan(t) from where it touches."""
    candidates = scored_disc(many_angles(2)).candidates
    turn = 0.1
    displaced, _, lost = displaced_grasps(candidates, np.array([0, 1]), np.zeros((2, 2)), np.full(2, turn))
    moved = displaced.contacts - candidates.contacts
    np.testing.assert_allclose(np.linalg.norm(moved, axis=-1), 40.0 * np.tan(turn), rtol=1e-9)
    (x, y), (u, v) = np.moveaxis(candidates.contacts, -1, 0), np.moveaxis(displaced.contacts, -1, 0)
    assert (x * v - y * u > 0.0).all()  # counter-clockwise
    assert not lost.any()


def test_a_lost_contact_counts_as_one_micrometre_inside() -> None:
    """The foci leave the strips of all regions (20 mm wide): S3 has lambda/1e-3 - 1 for one end of each lost contact."""
    candidates = scored_disc(many_angles(1)).candidates
    displaced, _, lost = displaced_grasps(candidates, np.array([0]), np.array([[30.0, 0.0]]), np.zeros(1))
    assert lost.all()
    gaps = np.linalg.norm(displaced.segments - displaced.contacts[:, :, None], axis=-1)
    assert gaps.min() == pytest.approx(1e-3, rel=1e-6)


def test_displacements_are_uniform_in_a_disc_and_seeded() -> None:
    shifts, turns = displacements(500, 40, 1.5, 0.2, 7)
    radii = np.linalg.norm(shifts, axis=-1)
    assert radii.max() <= 1.5
    assert np.mean(radii < 1.5 / 2.0) == pytest.approx(0.25, abs=0.01)  # a quarter of the area
    assert np.abs(shifts.mean(axis=(0, 1))).max() < 0.02
    assert np.abs(turns).max() <= 0.2
    assert np.mean(np.abs(turns)) == pytest.approx(0.1, abs=0.002)
    np.testing.assert_array_equal(shifts, displacements(500, 40, 1.5, 0.2, 7)[0])
    assert (shifts != displacements(500, 40, 1.5, 0.2, 8)[0]).all()


def test_the_same_seed_gives_the_same_study_whatever_the_ranking_goes_by() -> None:
    scored = scored_disc(many_angles(6))
    first, second = (stability_study(rank(scored, way), trials=4, seed=3) for way in ("sum", {"S2": 2.0}))
    np.testing.assert_array_equal(first.qualities, second.qualities)
    assert first.to_dict() == second.to_dict()


def test_the_form_is_json_even_where_grasps_become_impossible() -> None:
    """A hand that just reaches does not any more when foci move: infinity becomes null."""
    ranking = plan(example_part("disc").scaled(0.7), shortest=6.0)
    found = stability_study(ranking, trials=5, translation_mm=4.0)
    assert np.isinf(found.qualities).any()
    form = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert form["trials"] == 5
    assert any(row["impossible"] and row["average Q"] is None for row in form["rows"])
    assert all(row["worst rank"] == len(ranking) for row in form["rows"] if row["impossible"])
    assert found.rows(3) == found.rows()[:3]


def test_an_empty_ranking_has_an_empty_study() -> None:
    ranking = plan(example_part("disc").scaled(0.1), rank="paper")
    assert stability_study(ranking).rows() == []


@pytest.mark.parametrize(
    "wrong", [{"trials": 0}, {"translation_mm": -1.0}, {"rotation_rad": 1.0}, {"seed": -1}, {"trials": 2.5}]
)
def test_wrong_arguments_are_refused_by_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        stability_study(_disc_ranking(), **wrong)


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
    for matrix in (found.values, found.ranks):
        row = dict(zip(TABLE_ORDER, matrix[TABLE_ORDER.index("Q")], strict=True))
        assert np.isnan([row["C6"], row["S4"]]).all()
        assert row["Q"] == 1.0
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["values"][TABLE_ORDER.index("C6")] == [None] * 11


def test_invalid_grasps_stay_out() -> None:
    table = _table(2)
    with_bad = np.vstack([table, np.full(10, np.inf)])
    plain, other = (correlations(rank(with_table(t))) for t in (table, with_bad))
    np.testing.assert_array_equal(plain.values, other.values)
    assert other.grasps == 9


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


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    values = np.array([5.0, 1.0, 5.0, 2.0, 5.0])
    naive = [np.mean([place + 1 for place, other in enumerate(sorted(values)) if other == value]) for value in values]
    assert mean_ranks(values).tolist() == naive
    assert mean_ranks(np.zeros(0)).tolist() == []


def test_values_that_differ_by_rounding_share_their_rank() -> None:
    values = np.array([2.0, 2.0 * (1.0 + 1e-14), 1e-17, 0.0, 2.0 + 1e-6, -1e-23, np.inf])
    assert mean_ranks(values).tolist() == [4.5, 4.5, 2.0, 2.0, 6.0, 2.0, 7.0]
    assert levels(values).tolist() == [1, 1, 0, 0, 2, 0, 3]
    assert levels(np.array([1e6, 1e-3, 2e-3])).tolist() == [2, 0, 1]  # a huge value does not drown small ones
