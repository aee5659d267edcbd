"""Pictures of separations and releases."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.shapes import Box
from holdfast.dynamics import mass_matrix
from holdfast.dynamics import separation as ask
from holdfast.dynamics.mass import box_inertia
from holdfast.dynamics.plots import STATE, chosen_frames, motion, motions, release_strip, separation, stability
from holdfast.dynamics.release import Release, simulate_release
from holdfast.dynamics.separations import Separation
from holdfast.errors import InputError
from holdfast.geometry.frames import Pose

SCENE = hf.scenes.load_scene("@block_on_three_points")
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
        separation(hf.scenes.load_scene("@gecko_on_glass"), answer("edge"))


COM = (0.03, 0.0, 0.04)
SHAPE = Box(np.array([0.2, 0.1, 0.08]), Pose(np.eye(3), np.array(COM)))


@pytest.fixture(scope="module")
def ledge() -> Release:
    """A block that turns over a ledge and falls."""
    points = [(x, y, 0) for x in (-0.05, 0.0) for y in (-0.05, 0.05)]
    contacts = [hf.Contact(point, np.eye(3), hf.models.coulomb(0.5)) for point in points]
    body = mass_matrix(1.0, box_inertia(1.0, (0.2, 0.1, 0.08)), COM)
    weight = hf.loads.gravity_wrench(1.0, com=COM)
    return simulate_release(hf.Assembly(contacts, name="ledge"), weight, body, step=0.01, frames=40, reach=0.07)


def test_first_last_and_changing_stills_are_chosen(ledge):
    chosen = chosen_frames(ledge, 5)
    assert len(chosen) == 5 and chosen[0] == 0 and chosen[-1] == len(ledge) - 1
    assert 1 in chosen  # two contacts are lost there
    assert chosen_frames(ledge, 100) == list(range(len(ledge)))


def test_a_strip_has_a_panel_a_still_and_tells_what_was_lost(ledge):
    figure = release_strip(ledge.assembly, ledge, shape=SHAPE, most=4)
    assert len(figure.axes) == 4
    captions = [[text.get_text() for text in ax.texts if text.get_text()][-1] for ax in figure.axes]
    assert captions[0] == "4 contacts touch"
    assert captions[1].startswith("lost: 2 contacts")
    assert captions[-1].endswith("nothing touches\nfalls free")
    legend = {text.get_text() for text in figure.legends[0].get_texts()}
    assert {"sticks", "separates", "open", "illustrative, steps of 10 mm"} <= legend
    assert figure._suptitle.get_text() == "ledge: falls free"


def test_weight_points_down_the_page_and_the_object_is_where_it_is(ledge):
    figure = release_strip(ledge.assembly, ledge, shape=SHAPE, most=2)
    last = figure.axes[-1]
    corners = np.concatenate([path.vertices for path in last.collections[-1].get_paths()])
    pose = ledge.frames[-1].pose
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    moved = pose.apply(signs * SHAPE.size / 2.0 + COM)[:, [0, 2]]  # seen along +y: x to the right, z up
    np.testing.assert_allclose(corners.min(axis=0), moved.min(axis=0), atol=1e-9)
    np.testing.assert_allclose(corners.max(axis=0), moved.max(axis=0), atol=1e-9)


def test_points_have_the_colour_of_what_they_do(ledge):
    figure = release_strip(ledge.assembly, ledge, shape=SHAPE, most=2)
    kinds = [
        [line.get_gid() for line in ax.lines if line.get_gid() in ("sticks", "separates", "open")] for ax in figure.axes
    ]
    assert kinds == [["separates", "separates", "sticks", "sticks"], ["open"] * 4]


def test_surfaces_and_objects_without_a_shape_are_drawn():
    scene = hf.scenes.load_scene("@block_on_three_points")
    body = mass_matrix(2.0, 0.02 * np.eye(3), scene.com)
    motion = simulate_release(scene.assembly, scene.gravity_load() + scene.load("edge"), body, touch="foot", frames=3)
    figure = release_strip(scene.assembly, motion, side=(0, 1, 0), title="tips")
    assert figure._suptitle.get_text() == "tips"
    assert all(len([line for line in ax.lines if line.get_gid() == "ground"]) == 3 for ax in figure.axes)
    assert len(release_strip(scene, motion).axes) == 3


def test_a_still_of_what_holds_is_drawn():
    scene = hf.scenes.load_scene("@block_on_three_points")
    motion = simulate_release(scene.assembly, scene.gravity_load(), mass_matrix(2.0, 0.02 * np.eye(3), scene.com))
    assert len(release_strip(scene, motion).axes) == 1


def test_bad_stills_are_refused(ledge):
    with pytest.raises(InputError, match="release"):
        release_strip(ledge.assembly, [])
    with pytest.raises(InputError, match="4 contacts, not 3"):
        release_strip(hf.scenes.load_scene("@block_on_three_points"), ledge)
    with pytest.raises(InputError, match="most"):
        release_strip(ledge.assembly, ledge, most=1)


# -- motions by Coulomb's law


def corners(ax, artists) -> np.ndarray:
    """(n, 3) corners of the polygons and lines in a picture, in the order of their faces."""
    (bodies,) = artists(ax, "bodies")
    return np.concatenate(bodies._polygons)


def test_the_object_is_drawn_at_rest_and_displaced_along_its_motion(artists):
    scene = hf.scenes.load_scene("@block_on_steep_slope")
    found = hf.motion(scene.assembly, scene.gravity_load(), scene.mass_matrix())
    ax = motion(scene, found)
    points = corners(ax, artists)
    half = len(points) // 2
    moved = points[half:] - points[:half]
    way = found.acceleration_at(scene.com)
    np.testing.assert_allclose(np.cross(moved, way), 0.0, atol=1e-9)
    assert (moved @ way > 0.0).all() and np.ptp(np.linalg.norm(moved, axis=1)) < 1e-9
    assert {"contact slips (4)", "displaced, not to scale"} <= set(names(ax))
    assert ax.get_title() == "block on a 40 degree slope: moves"
    for arrow in artists(ax, "force"):  # each force on its cone, against the slip
        force = arrow.end - arrow.start
        assert force @ way < 0.0
    bare = motion(scene.assembly, found)  # lines from the middle to the contacts
    assert len(corners(bare, artists)) == 2 * 2 * 4


def test_the_other_motion_is_drawn_and_what_stays_has_its_forces(artists):
    scene = hf.scenes.load_scene("@jammed_peg")
    found = hf.strong_stability(scene.assembly, scene.gravity_load(), scene.mass_matrix())
    ax = stability(scene, found)
    assert ax.get_title() == "peg jammed between two walls: may stay or move like this"
    assert artists(ax, "motion") and not artists(ax, "force")
    scene = hf.scenes.load_scene("@ball_in_groove")
    found = hf.strong_stability(scene.assembly, scene.gravity_load(), scene.mass_matrix())
    ax = stability(scene, found)
    assert ax.get_title() == "ball in a V-groove: stays"
    assert not artists(ax, "motion") and len(artists(ax, "force")) == 2
    for draw in (motion, motions, stability):
        with pytest.raises(InputError, match="answer"):
            draw(scene, "nothing")


def test_a_set_of_motions_has_a_panel_for_each_piece(artists):
    scene = hf.scenes.load_scene("@jammed_peg")
    found = hf.motions(scene.assembly, scene.gravity_load(), scene.mass_matrix())
    assert len(found.pieces) > 1
    figure = motions(scene, found)
    assert len(figure.axes) == len(found.pieces)
    assert figure.axes[0].get_title() == "1: at rest" and not artists(figure.axes[0], "motion")
    assert all(artists(ax, "motion") for ax in figure.axes[1:])
    assert figure._suptitle.get_text() == f"peg jammed between two walls: {found.status}"
    fewer = motions(scene, found, most=1)
    assert len(fewer.axes) == 1 and f"1 of {len(found.pieces)} pieces" in fewer._suptitle.get_text()
