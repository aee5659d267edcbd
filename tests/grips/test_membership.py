from __future__ import annotations

import numpy as np
import pytest

from holdfast.geometry.polytopes import Polytope
from holdfast.grips import Grip
from holdfast.grips.membership import in_hull
from holdfast.solvers import Status
from tests.grips.proofs import proves


@pytest.mark.parametrize("rays", [0, 3], ids=["bounded", "with rays"])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e8])
def test_every_answer_comes_with_a_proof_that_the_vertices_confirm(rays: int, scale: float) -> None:
    rng = np.random.default_rng(3)
    vertices = rng.standard_normal((40, 6)) * np.repeat([1.0, 0.1], 3) * scale
    grip = Grip(vertices, rng.standard_normal((rays, 6)) * np.repeat([1.0, 0.1], 3))
    held = 0
    for _ in range(12):
        weights = rng.dirichlet(np.full(40, 0.1))
        inside = weights @ grip.vertices + scale * rng.exponential(1.0, rays) @ grip.rays
        for w in (inside, 3.0 * rng.standard_normal(6) * np.repeat([1.0, 0.1], 3) * scale):
            answer = grip.contains(w)
            assert proves(grip, answer)
            held += bool(answer)
        assert grip.contains(inside)
    assert 12 <= held < 24


def test_hulls_by_their_facets_say_the_same() -> None:
    rng = np.random.default_rng(4)
    grip = Grip(rng.standard_normal((20, 6)), length=1.0)
    hull = Polytope(grip.vertices)
    points = np.concatenate([rng.standard_normal((15, 6)) * 0.5, rng.dirichlet(np.ones(20), 15) @ grip.vertices])
    assert [bool(grip.contains(w)) for w in points] == hull.contains(points).tolist()


def test_just_inside_and_just_outside_of_a_face_are_told_apart() -> None:
    lower, upper = -np.array([3.0, 2.0, 1.0, 0.3, 0.2, 0.1]), np.array([30.0, 20.0, 10.0, 0.1, 0.2, 0.3])
    grip = Grip.box(lower, upper)
    for share, held in ((1.0, True), (1.0 - 1e-7, True), (1.0 + 1e-7, False)):
        for axis in range(6):
            w = 0.3 * lower + 0.7 * upper
            w[axis] = upper[axis] * share
            answer = grip.contains(w)
            assert bool(answer) is held and proves(grip, answer), (axis, share)


def test_flat_sets_points_and_cones_answer_too() -> None:
    point = Grip.point([1.0, 2.0, 3.0, 0.0, 0.0, 0.1])
    assert point.contains(point.vertices[0]) and not point.contains(np.zeros(6))
    cone = Grip(np.zeros((1, 6)), [[1, 0, 1, 0, 0, 0], [-1, 0, 1, 0, 0, 0]])
    assert cone.contains([50.0, 0, 70.0, 0, 0, 0]) and cone.contains(np.zeros(6))
    for outside in ([1.0, 1e-3, 2.0, 0, 0, 0], [0, 0, -1.0, 0, 0, 0], [0, 0, 5.0, 0, 0, 1e-4]):
        assert proves(cone, cone.contains(outside)) and not cone.contains(outside)


def test_the_length_decides_nothing_but_the_scale() -> None:
    rng = np.random.default_rng(7)
    vertices = rng.standard_normal((30, 6))
    for w in rng.standard_normal((5, 6)):
        found = {in_hull(vertices, np.zeros((0, 6)), w, length).status for length in (0.01, 1.0, 30.0)}
        assert len(found) == 1 and found < {Status.HOLDS, Status.DOES_NOT_HOLD}
