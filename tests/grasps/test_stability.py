"""Stability against a plain re-implementation: one grasp and one trial at a time."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.grasps.candidates import project
from holdfast.grasps.criteria import evaluate
from holdfast.grasps.hands import solve_hand
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import Grasp, Ranking, rank
from holdfast.grasps.studies import displaced_grasps, displacements, stability_study
from tests.grasps.made_grasps import many_angles, scored_disc


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
    offset = grasp.scored.hand.pivot_offset
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
    ranking = plan(example_part("bracket"))
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
    ranking = plan(example_part("bracket"))
    candidates, hand = ranking.scored.candidates, ranking.hand
    rows = np.arange(len(candidates))
    shifts = np.random.default_rng(0).normal(size=(len(rows), 2))
    displaced, about, lost = displaced_grasps(candidates, rows, shifts, np.zeros(len(rows)), hand.pivot_offset)
    contacts, left = project(
        candidates.focus + shifts,
        candidates.segments,
        inset=1e-9,
        virtual=candidates.virtual,
        pivot_offset=hand.pivot_offset,
    )
    np.testing.assert_array_equal(lost, left.any(axis=1))
    np.testing.assert_allclose(displaced.contacts[~lost], contacts[~lost], atol=1e-8)
    np.testing.assert_array_equal(about, candidates.normals)


def test_a_turn_moves_contacts_of_a_disc_along_their_regions() -> None:
    """A ray from the centre at an angle t meets the tangent r tan(t) from where it touches."""
    candidates = scored_disc(many_angles(2)).candidates
    turn = 0.1
    displaced, _, lost = displaced_grasps(candidates, np.array([0, 1]), np.zeros((2, 2)), np.full(2, turn), 25.0)
    moved = displaced.contacts - candidates.contacts
    np.testing.assert_allclose(np.linalg.norm(moved, axis=-1), 40.0 * np.tan(turn), rtol=1e-9)
    (x, y), (u, v) = np.moveaxis(candidates.contacts, -1, 0), np.moveaxis(displaced.contacts, -1, 0)
    assert (x * v - y * u > 0.0).all()  # counter-clockwise
    assert not lost.any()


def test_a_lost_contact_counts_as_one_micrometre_inside() -> None:
    """The foci leave the strips of all regions (20 mm wide): S3 has lambda/1e-3 - 1 for one end of each lost contact."""
    candidates = scored_disc(many_angles(1)).candidates
    displaced, _, lost = displaced_grasps(candidates, np.array([0]), np.array([[30.0, 0.0]]), np.zeros(1), 25.0)
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
    first, second = (stability_study(rank(scored, way), trials=4, seed=3) for way in ("sum", "median"))
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
    ranking = plan(example_part("disc").scaled(0.1))
    assert stability_study(ranking).rows() == []


@pytest.mark.parametrize(
    "wrong", [{"trials": 0}, {"translation_mm": -1.0}, {"rotation_rad": 1.0}, {"seed": -1}, {"trials": 2.5}]
)
def test_wrong_arguments_are_refused_by_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        stability_study(_disc_ranking(), **wrong)
