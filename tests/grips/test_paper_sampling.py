from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import GeometryError, InputError
from holdfast.grips.accuracy import check_grip
from holdfast.grips.learning import PaperSampling, learn_grip
from tests.grips.known_hands import box_hand, crossed, hinged


def test_its_points_lie_where_load_limits_end_and_its_planes_are_outer():
    hand = hinged(crossed(), k=3)
    bounds = learn_grip(hand, 15, method=PaperSampling(), acting="reaction")
    assert bounds.facts.method == "paper"
    assert not bounds.inner.vertices[0].any()
    assert check_grip(bounds, hand).holds
    for point in bounds.inner.vertices[1:4]:
        assert abs(hf.load_limit(hand, point).value - 1.0) <= 2e-6
    np.testing.assert_allclose(np.linalg.norm(bounds.outer.normals, axis=1), 1.0)


def test_hands_that_do_not_hold_zero_or_hold_everything_are_told():
    with pytest.raises(InputError, match="zero wrench"):
        learn_grip(box_hand(np.full(3, 1.0), np.full(3, 2.0)), 5, method=PaperSampling())
    both = [hf.Contact(np.zeros(3), hf.frame_from_normal((0, 0, z)), hf.models.coulomb(0.5)) for z in (1.0, -1.0)]
    with pytest.raises(GeometryError, match="cone_grip"):
        learn_grip(hf.Assembly(both), 20, method=PaperSampling())
