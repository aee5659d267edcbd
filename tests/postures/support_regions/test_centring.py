"""Wrenches about a point amid the hands."""

from __future__ import annotations

import numpy as np
from tests.postures.known_regions import foot, standing

from holdfast.postures.hands import checked_hands
from holdfast.postures.region import Centring


def test_maps_are_the_transports_of_the_shifted_palms() -> None:
    rng = np.random.default_rng(0)
    poses = standing(rng.normal(size=(3, 3)) + 50.0, rng.normal(size=(3, 3)).tolist())
    centring = Centring(checked_hands(foot(), poses))
    assert np.allclose(centring.maps, [pose.wrench_transport() for pose in centring.poses])
    assert np.allclose(np.mean([pose.translation for pose in centring.poses], axis=0), 0.0, atol=1e-12)


def test_multipliers_give_the_same_product_about_either_point() -> None:
    rng = np.random.default_rng(1)
    centring = Centring(checked_hands(foot(), standing(rng.normal(size=(2, 3)) + 5.0)))
    wrench, y = rng.normal(size=6), rng.normal(size=6)
    about = wrench.copy()
    about[3:] -= np.cross(centring.centre, wrench[:3])
    assert np.isclose(centring.from_world(y) @ about, y @ wrench)
    assert np.allclose(centring.to_world(centring.from_world(y)), y)
