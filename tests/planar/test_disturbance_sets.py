"""Disturbance sets: boxes and hulls in one form, against their own corners."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.torque_space import DisturbanceSet, disturbance_of
from holdfast.planar.torques import torque_sets
from tests.planar.greenfield import BOX, two_links


def test_a_boxs_corners_are_its_corners_and_certain_coordinates_have_no_extent():
    box = DisturbanceSet.box([np.nan, -1.0, 2.0], [np.nan, 3.0, 2.0])
    assert box.basis.shape == (3, 1)
    assert sorted(map(tuple, box.vertices)) == [(0.0, -1.0, 2.0), (0.0, 3.0, 2.0)]


@pytest.mark.parametrize("seed", range(5))
def test_a_hull_of_any_dimension_has_the_lowest_values_of_its_vertices(seed):
    rng = np.random.default_rng(seed)
    flat = rng.integers(1, 4)
    vertices = rng.normal(size=(9, flat)) @ rng.normal(size=(flat, 4)) + rng.normal(size=4)
    hull = DisturbanceSet.polytope(vertices)
    rows = rng.normal(size=(6, 4))
    assert hull.basis.shape[1] == flat
    lowest = rows @ hull.centre + hull.lowest(rows @ hull.basis)
    assert np.allclose(lowest, (vertices @ rows.T).min(axis=0))
    inside = hull.points @ hull.rows.T - hull.offsets
    assert (inside >= -1e-9).all()


def test_a_box_and_the_hull_of_its_corners_give_the_same_torques():
    corners = np.array(np.meshgrid(*np.array(BOX).T)).reshape(4, -1).T
    box, hull = (torque_sets(two_links(), "FFF", disturbance=d).feasible.b for d in (BOX, corners))
    assert np.allclose(box, hull, rtol=1e-9)


@pytest.mark.parametrize("value", [[1.0, 2.0], ([0.0, 0.0], [1.0, np.nan]), ([2.0, 0.0], [1.0, 0.0]), np.zeros((3, 3))])
def test_bad_sets_are_refused(value):
    with pytest.raises(InputError):
        disturbance_of(value, 2)
