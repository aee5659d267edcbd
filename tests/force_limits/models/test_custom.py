"""A model of one's own, from a function of directions."""

import math

import numpy as np
import pytest

from holdfast import HoldfastError
from holdfast.force_limits.models import from_function


def ball(directions):
    return np.full(len(directions), 10.0)


def lobes(directions):
    """Two balls that touch at the origin, along +x and -x, on a small core: star-shaped, not convex."""
    return 1.0 + 10.0 * np.abs(directions[:, 0])


def rays(seed, count=5000):
    d = np.random.default_rng(seed).normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def test_a_convex_model_becomes_one_piece_within_the_error_of_its_facets():
    volume = from_function(ball, resolution=math.radians(15.0))
    radius = volume.radial(rays(1))
    assert (radius <= 10.0 + 1e-9).all()
    assert (radius >= 9.5).all()
    assert len(volume) == 1


@pytest.mark.parametrize("side", ["inner", "outer"])
def test_a_model_that_is_not_convex_keeps_its_side_of_the_sampled_surface(side):
    from holdfast import LimitSurface

    d = rays(2)
    surface = LimitSurface.from_function(lobes, resolution=math.radians(30.0)).radial(d)
    volume = from_function(lobes, side=side, resolution=math.radians(30.0), max_pieces=6)
    sign = 1.0 if side == "inner" else -1.0
    assert (sign * (volume.radial(d) - surface)).max() <= 1e-6 * 11.0
    assert len(volume) <= 6
    assert volume.is_star_shaped


def test_directions_of_ones_own_are_used():
    corners = np.array([[x, y, z] for x in (-1.0, 1) for y in (-1.0, 1) for z in (-1.0, 1)])
    volume = from_function(lambda d: np.full(len(d), math.sqrt(3.0)), directions=corners)
    assert volume.volume == pytest.approx(8.0, rel=1e-6)


@pytest.mark.parametrize(
    "bad",
    [
        {"function": 3.0},
        {"function": lambda d: np.full(len(d), math.nan)},
        {"function": lambda d: -np.ones(len(d))},
        {"function": lambda d: np.ones(3)},
        {"function": lambda d: np.zeros(len(d))},
        {"side": "somewhere"},
        {"max_pieces": 0},
        {"resolution": -1.0},
    ],
)
def test_bad_functions_and_options_are_refused(bad):
    with pytest.raises(HoldfastError):
        from_function(**({"function": ball} | bad))
