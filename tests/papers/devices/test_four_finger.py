"""The four-finger hand."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import UnknownNameError
from holdfast.papers.devices import four_finger_hand

UNIT = hf.ForceVolume([[[0, 0, 0], [8, 8, 9], [-8, 8, 9], [-8, -8, 9], [8, -8, 9]]])


@pytest.mark.parametrize("fingers, outer", [("parallel", 1.0), ("opposed", -1.0)])
def test_outer_fingers_stand_with_or_against_the_inner_ones(fingers: str, outer: float) -> None:
    device = four_finger_hand(fingers, unit=UNIT)
    assert len(device.patches) == 12
    assert len(device.contacts) == 48
    for patch in device.patches:
        assert np.sign(patch.center[0]) == (1.0 if patch.name.startswith("inner") else outer)


def test_finger_planes_are_where_the_dimensions_say() -> None:
    for fingers, outer in (("parallel", 0.061), ("opposed", 0.068)):
        planes = sorted({round(float(patch.center[1]), 6) for patch in four_finger_hand(fingers, unit=UNIT).patches})
        assert planes == [-outer, -0.0165, 0.0165, outer]


def test_units_do_not_overlap() -> None:
    for fingers in ("parallel", "opposed"):
        centres = np.array([patch.center for patch in four_finger_hand(fingers, unit=UNIT).patches])
        gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2) + np.eye(12)
        assert gaps.min() > 0.028


def test_every_joint_can_give_ten_newton_metres() -> None:
    rows = four_finger_hand(unit=UNIT).assembly().joints
    assert rows is not None
    assert len(rows) == 12
    np.testing.assert_array_equal(rows.lower, -10.0)
    np.testing.assert_array_equal(rows.upper, 10.0)


def test_a_finger_does_not_feel_the_others() -> None:
    blocks = np.abs(four_finger_hand(unit=UNIT).jacobian.reshape(4, 3, 4, 36)).max(axis=(1, 3))
    assert (blocks[~np.eye(4, dtype=bool)] == 0.0).all()
    assert (np.diag(blocks) > 0.0).all()


def test_an_unknown_arrangement_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'opposed'"):
        four_finger_hand("oposed", unit=UNIT)
