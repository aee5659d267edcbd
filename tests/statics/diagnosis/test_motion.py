from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.statics.diagnosis import Motion, direction_words
from tests.referee import random_case


def turning(axis, through, *, pitch: float = 0.0, centre=(0, 0, 0), length: float = 1.0) -> Motion:
    """A turn of 1 rad/s about an axis through a point, moving `pitch` m a radian along it."""
    spin = np.array(axis, dtype=float)
    velocity = -np.cross(spin, through) + pitch * spin
    return Motion(velocity, spin, np.array(centre, dtype=float), length)


@pytest.mark.parametrize(
    "vector, words",
    [
        ((1, 0, 0), "+x"),
        ((0, -3, 0), "-y"),
        ((0, 0.001, 7), "+z"),
        ((1, 0, -1), "(0.71, 0.00, -0.71)"),
        ((-1e-9, 1, 1), "(0.00, 0.71, 0.71)"),
    ],
)
def test_directions_near_an_axis_have_its_name(vector, words):
    assert direction_words(np.array(vector, dtype=float)) == words


def test_a_move_a_turn_and_a_screw_are_told_apart():
    still = np.zeros(3)
    assert Motion(np.array([0, 0, -2.0]), still, still, 1.0).words == "moves along -z"
    assert turning((0, 1, 0), (0.1, 5, 0.2)).words == "turns about +y through (0.1, 0, 0.2) m"
    assert (
        turning((0, 1, 0), (0.1, 0, 0), pitch=-0.5).words == "turns about +y through (0.1, 0, 0) m and moves along -y"
    )
    assert turning((0, 1e-6, 0), (0, 0, 1e4)).words == "moves along -x"  # the axis is far away
    assert Motion(still, still, still, 1.0).words == "does not move"


def test_the_point_of_the_axis_is_the_one_nearest_to_the_contacts():
    assert turning((0, 0, 2), (3, 4, 0), centre=(3, 0, 9.0)).words == "turns about +z through (3, 4, 9) m"
    assert turning((0, 0, 2), (0.0123456, 0, 0), length=0.05).words == "turns about +z through (0.0123, 0, 0) m"


@pytest.mark.parametrize("seed", range(0, 40, 2))
def test_the_motion_of_multipliers_does_the_work_that_they_weigh(seed):
    """Power by the points' velocities equals -y times the scaled rows, for the load and for every force."""
    case = random_case(seed, most_choices=8)
    problem = case.assembly.build(case.direction)
    rng = np.random.default_rng(seed)
    y = rng.normal(size=problem.rows)
    y[6:] = 0.0
    motion = Motion.from_multipliers(case.assembly, problem, y)
    forces = rng.normal(size=(len(case.assembly), 3))
    power = sum(
        (contact.rotation @ f) @ (motion.velocity + np.cross(motion.angular, contact.position))
        for contact, f in zip(case.assembly.contacts, forces, strict=True)
    )
    assert power == pytest.approx(-y @ problem.row_values(forces, 0.0))
    assert motion.work(case.direction) == pytest.approx(-y @ problem.load)
    assert motion.length == case.assembly.length
    np.testing.assert_array_equal(motion.centre, case.assembly.positions.mean(axis=0))


def test_a_block_that_tips_turns_about_its_edge():
    volume = hf.models.coulomb(0.6)
    feet = [hf.Contact(x, np.eye(3), volume) for x in ((0.1, 0.1, 0), (0.1, -0.1, 0), (-0.1, 0, 0))]
    answer = hf.equilibrium(hf.Assembly(feet), hf.loads.gravity_wrench(1.0, com=(0.12, 0, 0.0)), method=hf.Reference())
    assert hf.diagnose(answer).separation.words == "turns about +y through (0.1, 0, 0) m"
