"""Single steps: the exponential, the way past pressing contacts, gaps that close."""

from __future__ import annotations

import numpy as np

import holdfast as hf
from holdfast.dynamics import mass_matrix, separation
from holdfast.dynamics.mass import RigidBody
from holdfast.dynamics.release import closed, small_step, surround, way_of
from holdfast.geometry.frames import Pose
from holdfast.geometry.screws import displacement
from tests.dynamics.closed_forms import block, box_mass, tilted


def test_a_screw_is_the_exponential_of_its_twist():
    from scipy.linalg import expm

    rng = np.random.default_rng(2)
    for size in (1.0, 1e-3, 1e-8, 0.0):
        twist = rng.normal(size=6) * [1, 1, 1, size, size, size]
        matrix = np.zeros((4, 4))
        matrix[:3, :3], matrix[:3, 3] = hf.frames.skew(twist[3:]), twist[:3]
        expected = expm(matrix)
        found = displacement(twist)
        np.testing.assert_allclose(found.rotation, expected[:3, :3], atol=1e-12)
        np.testing.assert_allclose(found.translation, expected[:3, 3], atol=1e-12)


def test_what_slides_keeps_to_its_surface_and_to_its_direction():
    """(7) lifts a block on unlimited cones; of all motions along the slope the nearest to that is straight down it."""
    answer = separation(block(0.3, 0.05, hf.models.coulomb(0.5)), tilted(2.0, 0.7), box_mass(2.0, (0.3, 0.1, 0.05)))
    around = surround(answer.assembly, "foot", 0.0, np.inf, np.zeros(3))
    rows = around.at(Pose.identity()).rows
    way, stay = way_of(answer.acceleration, answer, rows, answer.mass_matrix)
    np.testing.assert_allclose(rows @ way, 0.0, atol=1e-9)
    np.testing.assert_allclose(way, [answer.acceleration[0], 0, 0, 0, 0, 0], atol=1e-7)
    assert stay.tolist() == [state.presses for state in answer.states]
    # Nearest in the norm of B: what is left out is at right angles to every motion that keeps the contacts closed.
    free = np.linalg.svd(rows)[2][np.linalg.matrix_rank(rows) :]
    np.testing.assert_allclose(free @ answer.mass_matrix @ (answer.acceleration - way), 0.0, atol=1e-7)


def test_what_tips_goes_as_it_is_told():
    answer = separation(block(0.1, 0.5, hf.models.coulomb(0.8)), tilted(3.0, 0.35), box_mass(3.0, (0.1, 0.1, 0.5)))
    way, stay = way_of(answer.acceleration, answer, np.zeros((4, 6)), answer.mass_matrix)
    assert way is answer.acceleration and stay.tolist() == [False, False, True, True]


def test_a_step_is_as_long_as_its_fastest_point_and_ends_where_a_gap_closes():
    contacts = [hf.Contact((0, 0, 0), np.eye(3), hf.models.coulomb(0.5)) for _ in range(2)]
    around = surround(hf.Assembly(contacts), "foot", [0.0, 0.03], np.inf, np.array([0.0, 0.0, 1.0]))
    now = around.at(Pose.identity())
    turn = np.array([0.0, 0.0, 0.0, 0.0, 5.0, 0.0])
    np.testing.assert_allclose(small_step(turn, around, now, (0,), 0.1, Pose.identity()), [0, 0, 0, 0, 0.1, 0])
    down = np.array([0.0, 0.0, -2.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(small_step(down, around, now, (0,), 0.1, Pose.identity()), [0, 0, -0.03, 0, 0, 0])
    assert small_step(np.zeros(6), around, now, (0,), 0.1, Pose.identity()) is None


def test_small_gaps_are_closed_and_large_ones_are_left():
    feet = block(0.2, 0.1, hf.models.coulomb(0.5))
    around = surround(feet, "foot", 0.0, np.inf, np.zeros(3))
    body = RigidBody.from_matrix(mass_matrix(1.0, 0.01 * np.eye(3)))
    off = displacement(np.array([0.01, 0.0, 0.002, 0.001, -0.003, 0.2]))
    mended = closed(off, around, [0, 1, 2, 3], body, 0.01)
    np.testing.assert_allclose(around.at(mended).gaps, 0.0, atol=1e-9)
    np.testing.assert_allclose(mended.translation[:2], off.translation[:2], atol=1e-5)  # nothing along the surface
    assert closed(off, around, [0, 1, 2, 3], body, 1e-4) is off
    up = displacement(np.array([0.0, 0.0, 0.001, 0.0, -0.01, 0.0]))  # two feet a little open, two in the ground
    assert sorted(np.sign(around.at(up).gaps)) == [-1, -1, 1, 1]
    freed = around.at(closed(up, around, [], body, 0.01)).gaps
    assert freed.min() >= -1e-9 and freed.max() > 1e-4  # what is open by itself may stay so
