"""The two opposed units."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import GeometryError, InputError
from holdfast.papers import devices
from holdfast.papers.devices import OpposedUnitsDimensions, two_opposed_units

UNIT = hf.ForceVolume([[[0, 0, 0], [8, 8, 9], [-8, 8, 9], [-8, -8, 9], [8, -8, 9]]])


def test_units_pull_inwards_and_the_slide_feels_their_mean_pull() -> None:
    device = two_opposed_units(unit=UNIT)
    rows = device.assembly().joints
    assert rows is not None
    inwards = [25.0, 0.0, 0.0]
    forces = np.array([inwards if contact.position[0] < 0 else [-25.0, 0, 0] for contact in device.contacts]) / 4
    np.testing.assert_allclose(rows.values(forces), [-25.0])
    np.testing.assert_allclose((rows.lower[0], rows.upper[0]), (-40.0, -20.0))


def test_the_slide_does_not_feel_a_load_that_both_units_share() -> None:
    rows = two_opposed_units(unit=UNIT).assembly().joints
    assert rows is not None
    np.testing.assert_allclose(rows.values(np.tile([3.0, 1.0, -2.0], (8, 1))), [0.0], atol=1e-15)


def test_the_slide_is_the_rate_of_the_distance_between_the_units() -> None:
    """Virtual work: opening the slide by ds moves each unit outwards by ds/2."""
    device = two_opposed_units(unit=UNIT)
    moves = device.jacobian.reshape(8, 3)
    outwards = np.array([np.sign(contact.position[0]) for contact in device.contacts])
    np.testing.assert_allclose(moves, np.column_stack([outwards / 2, np.zeros((8, 2))]))


def test_units_stand_where_the_dimensions_say() -> None:
    size = OpposedUnitsDimensions(radius=0.1, half_distance=0.05, com_depth=0.02)
    left, right = two_opposed_units(unit=UNIT, dimensions=size).patches
    np.testing.assert_allclose(right.center, (0.05, 0, 0.02 - 0.1 + np.sqrt(0.1**2 - 0.05**2)), atol=1e-15)
    np.testing.assert_allclose(left.center * (-1, 1, 1), right.center, atol=1e-15)


def test_a_weak_spring_lets_the_pull_fall() -> None:
    """On a near-flat object adhesion needs shear, and the spring alone gives it (Coulomb units: none at all)."""
    cone = [[0, 0, 0], [20, 0, -4], [20, 8, 0], [20, -8, 0], [0, 8, 20], [0, -8, 20]]  # adhesion only with shear
    unit = hf.ForceVolume([cone])
    pulls = [
        hf.load_limit(
            two_opposed_units(
                unit=unit, dimensions=OpposedUnitsDimensions(radius=10.0, preload=preload, spring_range=0.0)
            ).assembly(),
            devices.PULL,
        ).value
        for preload in (5.0, 10.0, 15.0)
    ]
    assert pulls[0] < pulls[1] < pulls[2]
    assert pulls[1] == pytest.approx(2 * pulls[0], rel=0.1)


@pytest.mark.parametrize(
    "size, error, match",
    [
        ({"half_distance": 0.2}, GeometryError, "half_distance: is 0.2 m with a radius of 0.15 m"),
        ({"spring_range": 31.0}, InputError, "spring_range: is 31 N with a preload of 30 N"),
    ],
)
def test_impossible_slides_are_refused(size: dict, error: type, match: str) -> None:
    with pytest.raises(error, match=match):
        two_opposed_units(unit=UNIT, dimensions=OpposedUnitsDimensions(**size))
