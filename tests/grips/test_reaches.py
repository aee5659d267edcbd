from __future__ import annotations

import numpy as np

import holdfast as hf
from holdfast.grips.learning import evenly, exits, known_rays, learned_whitening, outer_reaches
from holdfast.grips.supports import Asking, SupportTask
from tests.grips.known_hands import hinged, parallelepiped

SIGNS = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T


def test_rays_leave_a_cube_through_its_faces():
    rays = evenly(np.random.default_rng(0), 20, 6)
    found = exits(SIGNS, rays)
    np.testing.assert_allclose(found.reaches, 1.0 / np.abs(rays).max(axis=1), rtol=1e-9)
    for ray, normal, indices, weights, reach in zip(
        rays, found.normals, found.indices, found.weights, found.reaches, strict=True
    ):
        axis = int(np.abs(ray).argmax())
        np.testing.assert_allclose(normal, np.eye(6)[axis] / ray[axis], atol=1e-9 / np.abs(ray[axis]))
        np.testing.assert_allclose(weights @ SIGNS[indices], reach * ray, atol=1e-9)
        assert abs(weights.sum() - 1.0) <= 1e-9


def test_flat_coordinates_are_of_any_number():
    square = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    np.testing.assert_allclose(exits(square, np.array([[1.0, 0.5]])).reaches, [1.0])
    np.testing.assert_allclose(exits(np.array([[2.0], [-3.0]]), np.array([[1.0], [-1.0]])).reaches, [2.0, 3.0])


def test_a_hull_without_the_middle_is_not_reached():
    assert exits(SIGNS[SIGNS[:, 0] > 0.0], np.eye(6)[:1] * -1.0).reaches[0] == 0.0


def test_planes_stop_rays_where_they_stand():
    normals, offsets = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([3.0, 2.0])
    rays = np.array([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.0]])
    np.testing.assert_allclose(outer_reaches(normals, offsets, rays), [3.0, 1.25, np.inf])


def test_rays_end_on_true_facets():
    hand, edges = parallelepiped()
    asking = Asking(SupportTask(hand, 1.0))
    whitening, pool = learned_whitening(hand, asking.ask, np.random.default_rng(0))
    rays = evenly(np.random.default_rng(1), 15, 6)
    known = known_rays(pool, whitening, rays, asking.ask)
    start = np.linalg.solve(edges.T, whitening.centre)
    steps = np.linalg.solve(edges.T, whitening.rays(rays).T).T  # |start + r step| <= 1 is the set
    truth = ((np.sign(steps) - start) / steps).min(axis=1)
    np.testing.assert_allclose(known.inner, truth, rtol=1e-9)
    np.testing.assert_allclose(known.outer, truth, rtol=1e-9)
    facets = np.concatenate([np.linalg.inv(edges.T), -np.linalg.inv(edges.T)])
    for index in known.planes:
        normal = known.pool.directions[index]
        cosines = facets @ normal / np.linalg.norm(facets, axis=1) / np.linalg.norm(normal)
        assert cosines.max() >= 1.0 - 1e-9


def test_inner_and_outer_reaches_close_on_a_hand_with_joints():
    volume = hf.ForceVolume([10.0 * evenly(np.random.default_rng(5), 40, 3)])
    hand = hinged(volume, k=3, torque=0.3)
    asking = Asking(SupportTask(hand, 1.0))
    whitening, pool = learned_whitening(hand, asking.ask, np.random.default_rng(0))
    rays = evenly(np.random.default_rng(1), 10, 6)
    few = known_rays(pool, whitening, rays, asking.ask, rounds=0)
    many = known_rays(pool, whitening, rays, asking.ask, rounds=60)
    assert len(many.pool) > len(pool)
    assert (few.inner <= many.inner + 1e-9).all()
    assert (many.outer <= few.outer + 1e-9).all()
    assert (many.inner <= many.outer).all()
    assert (many.inner >= (1.0 - 1.1e-4) * many.outer).all()
    origin = whitening.centre
    for ray, low, high in zip(whitening.rays(rays)[:4], many.inner, many.outer, strict=False):
        assert hf.equilibrium(hand, origin + (1.0 - 1e-6) * low * ray).holds
        assert not hf.equilibrium(hand, origin + (1.0 + 1e-6) * high * ray).holds
