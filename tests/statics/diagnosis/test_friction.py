from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.statics.diagnosis import needed_friction
from tests.referee import pyramid

PUSH = [-6.0, 0, -10.0, 0, 0, 0]


def _foot(volume: hf.ForceVolume) -> hf.Assembly:
    return hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)])


def test_the_friction_needed_is_the_ratio_of_shear_to_its_limit() -> None:
    foot = _foot(hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]]))
    for answer in (hf.equilibrium(foot, PUSH), hf.load_limit(foot, PUSH)):
        found = needed_friction(answer)
        assert found is not None and found.verify()
        assert found.bracket[0] <= 1.2 <= found.bracket[1] * (1 + 1e-9)
        assert found.bracket[1] == pytest.approx(1.2, rel=2e-3)


def test_nothing_is_searched_without_shear_or_where_more_of_it_may_do_harm() -> None:
    smooth = hf.ForceVolume([[(0, 0, 0), (0, 0, 100.0)]], allow_flat=True)
    hook = hf.ForceVolume([[(0, 0, 0), (5, 0, -3), (9, 2, -3), (9, -2, -3)]])  # it pulls only when it is sheared
    assert needed_friction(hf.equilibrium(_foot(smooth), PUSH)) is None
    assert needed_friction(hf.equilibrium(_foot(hook), PUSH)) is None
