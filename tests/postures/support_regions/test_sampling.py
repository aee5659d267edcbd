"""The paper's n directions: points inside, half-planes outside, of every kind of region."""

from __future__ import annotations

import numpy as np
import pytest
from tests.postures.known_regions import GRAVITY, MASS, foot, standing

from holdfast.errors import InputError
from holdfast.postures import support_region
from holdfast.postures.region_computation import Sampling


def test_directions_go_evenly_round() -> None:
    assert np.allclose(Sampling(4).directions, [[1, 0], [0, 1], [-1, 0], [0, -1]], atol=1e-15)
    with pytest.raises(InputError, match="n"):
        Sampling(2)


def test_four_directions_of_a_square_are_exact() -> None:
    poses = standing([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    found = support_region(foot(), poses, MASS, GRAVITY, method=Sampling(4))
    assert found.outer.area == pytest.approx(1.0) and found.inner.area <= 1.0 + 1e-12 and found.verify()
    assert found.inner.side == "inner" and found.outer.side == "outer"
    assert found.outer.method == "sampling, 4 directions"


@pytest.mark.parametrize(
    ("points", "normals", "inner", "outer"),
    [
        ([[0.2, 0.3, 0]], None, "point", "point"),
        ([[0, 0, 0], [1, 0, 0]], None, "segment", "segment"),
        ([[0, 0, 0]], [[0, 0, -1]], "empty", "empty"),
        ([[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [-1, 0, 0]], "unbounded", "unbounded"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[1, 0, 0], [-1, 0, 0]] * 2, "plane", "plane"),
    ],
)
def test_every_kind_is_sampled(points: list, normals: list | None, inner: str, outer: str) -> None:
    found = support_region(foot(), standing(points, normals), MASS, GRAVITY, method=Sampling(16))
    assert (found.inner.kind, found.outer.kind) == (inner, outer)
    assert found.verify()


def test_unbounded_regions_are_bracketed() -> None:
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(12):
        poses = standing(rng.normal(size=(4, 3)), (rng.normal(size=(4, 3)) + [0, 0, 1.0]).tolist())
        exact = support_region(foot(), poses, MASS, GRAVITY)
        if exact.kind != "unbounded":
            continue
        seen += 1
        found = support_region(foot(), poses, MASS, GRAVITY, method=Sampling(32))
        assert found.outer.contains(exact.vertices).all()
        assert exact.contains(found.inner.vertices, tolerance=1e-8).all()
        assert (found.outer.normals @ exact.rays.T <= 1e-9).all()
    assert seen > 1
