from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.wrench_spaces.comparison import Design, as_designs, common_length
from tests.wrench_spaces.comparison.cases import at_one_point, cross


def test_wrenches_of_the_centred_assembly_are_those_about_the_point() -> None:
    """By the transport (13) of a frame at the point."""
    design = Design(hf.devices.two_finger_gripper("D", "MD").assembly(), np.array([0.01, -0.02, 0.03]))
    transport = hf.Pose(np.eye(3), design.point).wrench_transport()
    for wrench in ([1.0, 0, 0, 0, 0, 0], [0, 0, -1.0, 0, 0, 0], [0.2, 0.5, -0.3, 0.01, -0.02, 0.03]):
        here = hf.load_limit(design.centred, wrench)
        there = hf.load_limit(design.assembly, transport @ wrench)
        assert here.value == pytest.approx(there.value, rel=2e-6) and here.verify()


def test_a_device_stands_at_its_centre_of_mass_and_an_assembly_at_the_origin() -> None:
    device = hf.devices.two_opposed_units()
    found = as_designs({"device": device, "assembly": device.assembly()}, None)
    np.testing.assert_array_equal(found["device"].point, device.object.com)
    np.testing.assert_array_equal(found["assembly"].point, np.zeros(3))
    assert found["device"].joints == 1


def test_one_point_for_all_replaces_their_own() -> None:
    given = {"a": Design(cross(0.1, 1.0), np.array([1.0, 0.0, 0.0])), "b": at_one_point(1, 1, 1)}
    for design in as_designs(given, (0.0, 0.0, 0.5)).values():
        np.testing.assert_array_equal(design.point, [0.0, 0.0, 0.5])


def test_the_common_length_is_the_mean_of_the_own_ones() -> None:
    given = as_designs({"a": cross(0.1, 1.0), "b": cross(0.3, 1.0)}, None)
    assert common_length(given) == pytest.approx(0.2)


@pytest.mark.parametrize(
    "given", [{}, [], None, {"a": 3}, {"a": "two_opposed_units"}, {"1": cross(1, 1), 1: cross(1, 1)}]
)
def test_what_is_no_design_is_named(given: object) -> None:
    with pytest.raises(InputError, match="designs"):
        as_designs(given, None)


def test_a_design_needs_an_assembly_and_a_point() -> None:
    with pytest.raises(InputError, match="assembly"):
        Design("no assembly")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="point"):
        Design(cross(0.1, 1.0), np.array([0.0, np.nan, 0.0]))
