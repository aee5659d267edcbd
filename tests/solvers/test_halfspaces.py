"""Half-spaces from multipliers: no wrench that some admissible forces balance is beyond them."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.certificates import climbs_rays, offsets_of
from tests.referee import block, dented_unit, random_case


def held_loads(assembly: hf.Assembly, rng: np.random.Generator, count: int) -> np.ndarray:
    """(count, m) scaled loads balanced by random points of random pieces, joint rows as those forces have them."""
    layout = assembly.layout
    loads = np.zeros((count, len(layout.lower)))
    for row in loads:
        for i, shape in enumerate(layout.shape_of):
            piece = layout.shapes[shape][rng.integers(len(layout.shapes[shape]))]
            force = rng.dirichlet(np.full(len(piece.vertices), 0.2)) @ piece.vertices
            if len(piece.rays):
                force = force + rng.exponential(3.0, len(piece.rays)) @ piece.rays
            row -= layout.maps[i] @ force
    return loads


@pytest.mark.parametrize("seed", range(12))
def test_no_load_balanced_by_admissible_forces_is_beyond_any_half_space(seed: int) -> None:
    assembly = random_case(seed).assembly
    rng, layout = np.random.default_rng(seed), assembly.layout
    loads = held_loads(assembly, rng, 200)
    inside = ((-loads[:, 6:] >= layout.lower[6:]) & (-loads[:, 6:] <= layout.upper[6:])).all(axis=1)
    y = rng.normal(size=(60, layout.maps.shape[1]))
    y[:, 6:] *= rng.integers(0, 2, size=y[:, 6:].shape)
    offsets = offsets_of(layout, y)
    for load in loads[inside]:
        assert (-y[:, :6] @ load[:6] <= offsets).all()


def test_the_half_space_of_one_box_is_its_support() -> None:
    volume = hf.ForceVolume([block((-1, -2, -3), (4, 5, 6))])
    layout = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), volume)]).layout
    y = np.zeros((2, 6))
    y[0, 0], y[1, :3] = -1.0, (0.0, 2.0, -1.0)
    assert offsets_of(layout, y) == pytest.approx([1.0, 2 * 5.0 + 3.0], rel=1e-12)


def test_joint_bounds_enter_with_the_sign_of_their_multiplier() -> None:
    volume = hf.ForceVolume([block((-1, -1, -1), (1, 1, 1))])
    joints = hf.JointRows(np.array([[1.0, 0.0, 0.0]]), np.array([-0.25]), np.array([0.5]))
    layout = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), volume)], joints).layout
    # Along -x the load is carried by f_x alone, which the joint keeps within [-0.25, 0.5].
    assert offsets_of(layout, np.array([[1.0, 0, 0, 0, 0, 0, -1.0]])) == pytest.approx([0.5], rel=1e-12)
    assert offsets_of(layout, np.array([[-1.0, 0, 0, 0, 0, 0, 1.0]])) == pytest.approx([0.25], rel=1e-12)


def test_multipliers_that_lean_on_what_has_no_limit_bound_nothing() -> None:
    cone = hf.models.coulomb(0.5)
    joints = hf.JointRows(np.array([[1.0, 0.0, 0.0]]), np.array([-np.inf]), np.array([1.0]))
    layout = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), cone)], joints).layout
    y = np.zeros((3, 7))
    y[0, 2], y[1, 2], y[2, 2], y[2, 6] = 1.0, -1.0, -1.0, 1.0  # up the cone; down it; a joint without a lower end
    assert climbs_rays(layout, y).tolist() == [True, False, False]
    assert np.isinf(offsets_of(layout, y)).tolist() == [True, False, True]


def test_large_batches_are_reckoned_in_blocks_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = hf.Assembly([hf.Contact((0.1 * i, 0, 0), np.eye(3), dented_unit()) for i in range(3)]).layout
    y = np.random.default_rng(1).normal(size=(50, 6))
    whole = offsets_of(layout, y)
    monkeypatch.setattr("holdfast.solvers.certificates.BLOCK", 40)
    assert offsets_of(layout, y) == pytest.approx(whole, rel=1e-14)
