from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.scenes import load_scene
from holdfast.scenes.page_contact_states import angles, direction, fingers_of, initial_state, units_of


def test_straight_down_has_no_tilt_and_headings_turn_from_x_to_y() -> None:
    assert np.allclose(direction(0.0, 77.0), [0.0, 0.0, -1.0])
    assert np.allclose(direction(90.0, 0.0), [1.0, 0.0, 0.0])
    assert np.allclose(direction(90.0, 90.0), [0.0, 1.0, 0.0])
    assert np.allclose(direction(180.0, 0.0), [0.0, 0.0, 1.0])


@given(st.floats(0.0, 180.0), st.floats(-180.0, 180.0), st.floats(0.1, 100.0))
def test_angles_of_a_direction_give_it_back(tilt: float, heading: float, size: float) -> None:
    vector = direction(tilt, heading)
    assert np.allclose(direction(*angles(size * vector)), vector, atol=1e-7)


def test_units_of_a_hand_are_its_phalanges_and_contacts_without_names_have_numbers() -> None:
    scene = load_scene("@four_finger_hand_opposed")
    units = units_of(scene.assembly)
    assert sorted(i for indices in units.values() for i in indices) == list(range(48))
    assert fingers_of(tuple(units)) == dict.fromkeys(("inner left", "inner right", "outer left", "outer right"), "PMD")
    block = load_scene("@block_on_three_points")
    assert fingers_of(tuple(units_of(block.assembly))) == {}
    volume = hf.models.coulomb(0.5)
    bare = hf.Assembly([hf.Contact(np.array([x, 0.0, 0.0]), np.eye(3), volume) for x in (0.0, 1.0)])
    assert units_of(bare) == {"contact 0": (0,), "contact 1": (1,)}


def test_a_page_begins_with_the_scene_as_it_is() -> None:
    scene = load_scene("@gecko_on_glass").turned((0.0, 1.0, -1.0))
    state = initial_state(scene, ())
    assert np.allclose(direction(state.tilt, state.heading), np.array([0.0, 1.0, -1.0]) / np.sqrt(2.0))
    assert state.mass == scene.mass
    assert state.friction == 1.0
    assert len(state.touching) == 4
