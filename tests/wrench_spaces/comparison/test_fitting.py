from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.wrench_spaces import Rays, Subspace, wrench_space
from holdfast.wrench_spaces.comparison import fitted_rays, fitted_space, proportions
from tests.wrench_spaces.comparison.cases import at_one_point

FORCES = Subspace.named("fx,fy,fz")


def needle(turn: np.ndarray) -> hf.Assembly:
    """A box of forces a hundred times as long as it is wide, turned in the world."""
    made = at_one_point(1.0, 100.0, 2.0)
    return made.moved(hf.Pose(turn, np.zeros(3)))


TURN = hf.rotation_about([1.0, 2.0, -1.0], 0.7) if hasattr(hf, "rotation_about") else np.eye(3)


def test_the_volume_of_a_needle_needs_rays_that_fit_it() -> None:
    assembly, exact = needle(TURN), 8.0 * 1.0 * 100.0 * 2.0
    regular = wrench_space(assembly, Rays.sphere(FORCES, 2), workers=1)
    fitted = fitted_space(assembly, FORCES, 2, workers=1)
    assert float(regular.volume) < 0.5 * exact
    assert 0.85 * exact < float(fitted.space.volume) < exact * (1 + 1e-6)


def test_the_last_rays_see_the_shape_from_its_middle_alike_on_all_sides() -> None:
    """In the coordinates of the fit the box is nearly a cube: its nearest and farthest points differ by root 3."""
    fitted = fitted_space(needle(TURN), FORCES, 2, workers=1)
    values = fitted.space.values / fitted.space.values.mean()
    assert values.max() / values.min() < 2.5


def test_the_first_pilot_is_a_regular_sphere_and_every_ray_is_exact() -> None:
    assembly = at_one_point(1.0, 3.0, 2.0)
    fitted = fitted_space(assembly, FORCES, 1, workers=1)
    np.testing.assert_allclose(fitted.pilots[0].directions, Rays.sphere(FORCES, 2).directions)
    for space in (*fitted.pilots, fitted.space):
        with np.errstate(divide="ignore"):
            expected = np.min([1.0, 3.0, 2.0] / np.abs(space.directions[:, :3]), axis=1)
        np.testing.assert_allclose(space.values, expected, rtol=2e-6)


def test_the_scales_of_torques_are_kept_out_of_the_proportions() -> None:
    subspace = Subspace.named("fx,ty,fz", length=0.01)
    rays = fitted_rays(subspace, np.diag([1.0, 0.01, 1.0]), 1)
    np.testing.assert_allclose(rays.directions, Rays.sphere(subspace, 1).directions, atol=1e-12)


def test_a_slice_without_limit_keeps_the_sphere() -> None:
    free = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(0.5))])
    fitted = fitted_space(free, FORCES, 1, workers=1)
    assert len(fitted.pilots) == 1
    np.testing.assert_allclose(fitted.space.directions, Rays.sphere(FORCES, 1).directions)


def test_a_flat_slice_has_no_volume_and_rays_all_round() -> None:
    assembly = at_one_point(1.0, 3.0, 2.0)
    fitted = fitted_space(assembly, Subspace.named("fx,ty,fz", length=0.1), 1, workers=1)
    assert float(fitted.space.volume) == pytest.approx(0.0, abs=1e-6)
    assert np.isfinite(proportions(fitted.space)).all()
