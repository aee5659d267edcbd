from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.papers.figures import concavity, single_unit

#: A cross of two thin bars of force: holds 4 N along x or y, and half of that between them; its hull is a square.
CROSS = [
    np.array([[x, y, z] for x in (-4.0, 4.0) for y in (-0.5, 0.5) for z in (-1.0, 1.0)]),
    np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-4.0, 4.0) for z in (-1.0, 1.0)]),
]


def test_a_cross_of_bars_loses_what_lies_between_its_arms() -> None:
    """In closed form: the union's radius is the larger of two boxes', the hull's that of an octagon of its corners."""
    found = concavity(hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.ForceVolume(CROSS))]), level=2, workers=1)
    directions = found.union.directions[:, :3]
    with np.errstate(divide="ignore"):
        bars = [np.min(half / np.abs(directions), axis=1) for half in ([4.0, 0.5, 1.0], [0.5, 4.0, 1.0])]
        across = 4.5 / np.abs(directions[:, :2]).sum(axis=1)
        hull = np.minimum(np.min([4.0, 4.0, 1.0] / np.abs(directions), axis=1), across)
    np.testing.assert_allclose(found.union.values, np.max(bars, axis=0), rtol=2e-6)
    np.testing.assert_allclose(found.hull.values, hull, rtol=2e-6)
    losses = 1.0 - np.max(bars, axis=0) / hull
    assert found.mean == pytest.approx(losses.mean(), abs=1e-5)
    assert found.largest == pytest.approx(losses.max(), abs=1e-5)
    near = directions[:, 0] >= np.cos(0.2)
    assert found.near((1, 0, 0), 0.2) == pytest.approx(losses[near].mean(), abs=1e-5)
    assert 0.0 < found.volume < 1.0


def test_a_convex_contact_loses_nothing() -> None:
    found = concavity(hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.ForceVolume(CROSS[:1]))]), level=1, workers=1)
    assert found.largest <= 1e-6 and found.volume == pytest.approx(0.0, abs=1e-6)


def test_rays_without_limit_or_without_hold_do_not_count() -> None:
    free = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(0.5))])
    found = concavity(free, level=1, workers=1)
    assert not np.isinf(found.hull.values[found.counted]).any()
    assert (found.mean, found.largest, found.volume) == (0.0, 0.0, 0.0)


def test_the_single_unit_is_loaded_in_its_middle_and_pressed_from_above() -> None:
    unit = single_unit()
    np.testing.assert_allclose(unit.positions.mean(axis=0), 0.0, atol=1e-12)
    assert hf.load_limit(unit, [0, 0, 1, 0, 0, 0]).value == pytest.approx(100.0, rel=1e-2)  # its compressive cap


def test_progress_counts_both_spaces() -> None:
    seen: list[tuple[int, int]] = []
    box = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.ForceVolume(CROSS[:1]))])
    concavity(box, level=0, workers=1, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (24, 24)
