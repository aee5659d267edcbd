"""Coordinates across gravity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.assembly.loads import gravity_wrench
from holdfast.errors import InputError, UnitError
from holdfast.postures.region import RegionFrame, Weight

PARTS = st.floats(-10.0, 10.0, allow_nan=False)


def test_gravity_along_minus_z_gives_world_x_and_y() -> None:
    frame = RegionFrame.across((0.0, 0.0, -9.81))
    assert frame.axes.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert frame.coordinates([0.3, -0.2, 7.0]).tolist() == [0.3, -0.2]
    assert frame.coordinates([0.3, -0.2]).tolist() == [0.3, -0.2]


@given(st.tuples(PARTS, PARTS, PARTS).filter(lambda g: np.linalg.norm(g) > 1e-3))
def test_axes_and_up_are_a_right_handed_frame_across_any_gravity(gravity: tuple[float, float, float]) -> None:
    frame = RegionFrame.across(gravity)
    whole = np.vstack([frame.axes, frame.up])
    assert np.allclose(whole @ whole.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(whole) == pytest.approx(1.0)
    assert np.allclose(frame.axes @ np.array(gravity), 0.0, atol=1e-12)


@given(st.tuples(PARTS, PARTS, PARTS).filter(lambda g: np.linalg.norm(g) > 1e-3), st.tuples(PARTS, PARTS, PARTS))
def test_the_height_of_a_mass_changes_nothing_and_its_place_is_affine(
    gravity: tuple[float, float, float], com: tuple[float, float, float]
) -> None:
    weight = Weight.of(3.0, gravity)
    z = weight.frame.coordinates(com)
    wrench = gravity_wrench(3.0, gravity, com)
    assert np.allclose(weight.wrench(z), wrench, atol=1e-9)
    base, axes = weight.wanted(np.zeros(3))
    assert np.allclose(-(base + z @ axes), wrench, atol=1e-9)
    assert np.allclose(weight.frame.coordinates(weight.frame.points(z, 4.0)), z, atol=1e-9)


def test_no_gravity_and_no_mass_are_errors() -> None:
    with pytest.raises(InputError, match="gravity: is zero"):
        Weight.of(1.0, (0.0, 0.0, 0.0))
    with pytest.raises(InputError, match="mass"):
        Weight.of(0.0, (0.0, 0.0, -9.81))
    with pytest.raises(InputError, match="com: has shape"):
        RegionFrame.across((0.0, 0.0, -1.0)).coordinates([1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("size", [1e-300, 1e-10, 1e10, 1e300])
def test_gravities_of_no_such_size_are_units_mistaken(size: float) -> None:
    with pytest.raises(UnitError, match=r"gravity: is .* m/s\^2 .*1e-09 to 1e\+09"):
        Weight.of(1.0, (0.0, 0.0, -size))


def test_weights_stay_within_the_forces_that_occur() -> None:
    assert Weight.of(1e3, (0.0, 0.0, -1e9)).force[2] == -1e12
    with pytest.raises(UnitError, match="mass: weighs 1e.14 N"):
        Weight.of(1e5, (0.0, 0.0, -1e9))
    with pytest.raises(UnitError, match="mass: weighs 1e-18 N"):
        Weight.of(1e-9, (0.0, 0.0, -1e-9))
