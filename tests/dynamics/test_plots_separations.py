from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics import mass_matrix
from holdfast.dynamics import separation as ask
from holdfast.dynamics.plots import STATE, separation
from holdfast.dynamics.separations import Separation
from holdfast.errors import InputError

SCENE = hf.load_scene("@block_on_three_points")
BODY = mass_matrix(2.0, np.diag([0.0167, 0.0167, 0.03]), SCENE.com)


def answer(*loads: str) -> Separation:
    """What the block does under its weight and named loads."""
    return ask(SCENE.assembly, SCENE.gravity_load() + sum((SCENE.load(load) for load in loads), np.zeros(6)), BODY)


def names(ax) -> list[str]:
    """What the legend says."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_contacts_have_the_colour_of_what_they_do(artists):
    ax = separation(SCENE, answer("edge"))
    (sticks,), (separates,) = artists(ax, "sticks"), artists(ax, "separates")
    np.testing.assert_allclose(np.column_stack(sticks._offsets3d), SCENE.assembly.positions[:1])
    np.testing.assert_allclose(np.column_stack(separates._offsets3d), SCENE.assembly.positions[1:])
    from matplotlib.colors import to_hex

    assert to_hex(sticks.get_facecolor()[0]).upper() == STATE["sticks"]
    assert to_hex(separates.get_facecolor()[0]).upper() == STATE["separates"]
    assert {"contact sticks (1)", "contact separates (2)"} <= set(names(ax))
    assert not artists(ax, "rings")


def test_the_acceleration_is_an_arrow_and_a_turn_with_its_numbers(artists):
    found = answer("edge")
    ax = separation(SCENE, found)
    assert artists(ax, "motion") and artists(ax, "turn")
    (words,) = [name for name in names(ax) if name.startswith("acceleration")]
    assert f"{np.linalg.norm(found.acceleration[3:]):.3g} rad" in words
    arrow = artists(ax, "motion")[0]
    way = found.acceleration[:3] + np.cross(found.acceleration[3:], SCENE.com)
    np.testing.assert_allclose(np.cross(arrow.end - arrow.start, way), 0.0, atol=1e-9)
    assert (arrow.end - arrow.start) @ way > 0.0
    straight = separation(SCENE, answer("shove"))
    assert not any("rad" in name for name in names(straight))


def test_forces_start_at_their_contacts_and_idle_ones_have_none(artists):
    found = answer("edge")
    (arrow,) = artists(separation(SCENE, found), "force")
    np.testing.assert_allclose(arrow.start, SCENE.assembly.positions[0])
    np.testing.assert_allclose(np.cross(arrow.end - arrow.start, found.forces[0]), 0.0, atol=1e-9)


def test_contacts_that_still_press_have_a_ring(artists):
    ax = separation(SCENE, answer("shove"))
    assert len(artists(ax, "rings")) == 1 and "still pulls or presses (3)" in names(ax)


def test_what_holds_has_no_motion_and_what_has_no_forces_is_drawn_all_the_same(artists):
    ax = separation(SCENE, answer())
    assert not artists(ax, "motion") and "holds" in ax.get_title()
    weak = hf.models.coulomb(0.5, cap=1.0)
    contacts = [hf.Contact(c.position, c.rotation, weak) for c in SCENE.assembly.contacts]
    broken = ask(hf.Assembly(contacts, name="weak"), SCENE.gravity_load(), BODY)
    ax = separation(broken.assembly, broken)
    assert "does not hold" in ax.get_title() and "contact" in names(ax)


def test_bad_pictures_are_refused():
    with pytest.raises(InputError, match="answer"):
        separation(SCENE, "nothing")
    with pytest.raises(InputError, match="3 contacts, not 4"):
        separation(hf.load_scene("@gecko_on_glass"), answer("edge"))
