from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from holdfast.planar import Body, Contact, motions
from holdfast.planar.erdmann import friction_cone
from tests.planar.scenes import random_contacts, three_points

UNIT = Body(1.0, 1.0)


def test_edges_and_shape_of_the_three_point_cone_are_those_of_the_paper():
    mu, rho = 0.25, 0.8
    cone = friction_cone(Body(1.0, rho), three_points(mu))
    np.testing.assert_allclose(cone.edges[0], [[mu, 1, (mu - 1) / rho], [-mu, 1, -(mu + 1) / rho]])
    np.testing.assert_allclose(cone.edges[1], [[mu, 1, (mu + 1) / rho], [-mu, 1, -(mu - 1) / rho]])
    np.testing.assert_allclose(cone.edges[2], [[mu, 1, mu / rho], [-mu, 1, -mu / rho]])
    # The four outer edges bound it; those of the middle lie on its sides.
    outer = cone.edges[:2].reshape(-1, 3)
    outer = outer / np.linalg.norm(outer, axis=1, keepdims=True)
    assert cone.dimension == 3 and cone.is_pointed and not cone.is_whole_space
    assert len(cone.rays) == len(cone.facets) == 4
    for ray in outer:
        assert np.abs(cone.rays - ray).max(axis=1).min() < 1e-12
    assert sorted(len(rays) for rays in cone.facet_rays) == [2, 2, 3, 3]


def test_membership_is_that_of_nonnegative_least_squares():
    rng = np.random.default_rng(0)
    inside = 0
    for case in range(60):
        contacts = random_contacts(rng, 1 + case % 5, case % 4)
        cone = friction_cone(Body(1.0, rng.uniform(0.5, 2.0)), contacts)
        edges = cone.edges.reshape(-1, 3)
        forces = np.vstack([rng.normal(size=(10, 3)), rng.exponential(size=(5, len(edges))) @ edges])
        wanted = np.array([nnls(edges.T, f)[1] <= 1e-8 * np.linalg.norm(f) for f in forces])
        np.testing.assert_array_equal(cone.contains(forces), wanted)
        assert wanted[10:].all()
        inside += int(wanted[:10].sum())
    assert 50 < inside < 550


def test_a_body_at_rest_can_stay_exactly_under_the_loads_that_its_cone_cancels():
    rng = np.random.default_rng(1)
    body = Body(1.5, 0.6)
    for case in range(40):
        contacts = random_contacts(rng, 1 + case % 4, 0)
        cone = friction_cone(body, contacts)
        for force in rng.normal(size=(3, 3)):
            stays = any(bool(p.contains(np.zeros(3))) for p in motions(body, contacts, force).modes.values())
            assert stays == bool(cone.can_resist(force))


@pytest.mark.parametrize(
    ("contacts", "dimension", "lines"),
    [
        ([], 0, 0),
        ([Contact((0, 1), (1, 1), 0.0)], 1, 0),
        ([Contact((0, 1), (1, 1), 0.3)], 2, 0),
        ([Contact((0, 1), (1, 1), 0.3)] * 2, 2, 0),
        ([Contact((0, 1), (x, 1), 0.0) for x in (-1, 1)], 2, 0),
        ([Contact((0, 1), (0, 1), 0.0), Contact((0, -1), (0, -1), 0.0)], 1, 1),  # squeezed without friction
        ([Contact((0, 1), (0, 1), 0.3), Contact((0, -1), (0, -1), 0.3)], 3, 3),  # and with: force closure
        ([Contact((0, 1), (1, 1), 0.0), Contact((0, -1), (-1, -1), 0.0)], 2, 0),  # a couple
    ],
)
def test_flat_cones_and_cones_with_lines_keep_their_kind(contacts, dimension, lines):
    cone = friction_cone(UNIT, contacts)
    assert cone.dimension == dimension
    assert len(cone.lines) == lines
    assert cone.is_whole_space == (lines == 3)
    assert cone.contains(np.zeros(3))
    assert not cone.contains([1.0, -0.01, 0.2]) or cone.is_whole_space
