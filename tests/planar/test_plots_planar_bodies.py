from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar import problems
from holdfast.planar.plots import ARROW, MODE, STEP, displaced, planar_body, planar_motions


def names(legend) -> set[str]:
    return {text.get_text() for text in legend.get_texts()}


def test_the_body_its_obstacles_contacts_and_cones_stand_where_they_are(artists):
    problem = problems.ladder()
    ax = planar_body(problem)
    (body,) = artists(ax, "body")
    np.testing.assert_allclose(body.get_xy()[:-1], problem.outline.vertices)
    assert len(artists(ax, "obstacle")) == 2
    dots = np.array([dot.get_xydata()[0] for dot in artists(ax, "contact")])
    np.testing.assert_allclose(dots, problem.points)
    for cone, contact, point in zip(artists(ax, "cone"), problem.contacts, problem.points, strict=True):
        rays = cone.get_xy()[1:-1] - point
        units = rays / np.linalg.norm(rays, axis=1, keepdims=True)
        assert np.arccos(units @ contact.normal).max() == pytest.approx(np.arctan(contact.mu))
    assert not artists(planar_body(problem, cones=False, load=False), "cone")
    assert not artists(planar_body(problem, load=False), "load")


def test_forces_share_one_scale_and_balance_the_load_of_a_body_that_stays(artists):
    problem = problems.block_on_incline(0.3, 0.9)
    (piece,) = problem.motions().modes.values()
    ax = planar_body(problem, mode="FF", motion=piece.sample())
    arrows = [a for gid in ("load", "reaction") for a in artists(ax, gid)]
    ways = np.array([np.subtract(*a._posA_posB[::-1]) for a in arrows])
    np.testing.assert_allclose(ways.sum(axis=0), 0.0, atol=1e-9)
    assert np.linalg.norm(ways, axis=1).max() == pytest.approx(ARROW * problem.outline.size)
    assert not artists(ax, "ghost") or problem.motions().acceleration.any()
    assert names(ax.get_legend()) == {"fixed (F)", "applied force", "reaction"}


def test_a_pivot_stays_where_it_is_while_the_outline_turns_about_it():
    problem = problems.box_on_floor(0.9, 9.0, 1.0)
    ((mode, piece),) = problem.motions().modes.items()
    assert mode == "SF"
    outline = problem.outline.vertices
    moved = displaced(outline, problem.centre, piece.vertices[0], problem.outline.size)
    pivot = np.linalg.norm(outline - problem.points[1], axis=1).argmin()
    np.testing.assert_allclose(moved[pivot], outline[pivot], atol=1e-9)
    np.testing.assert_allclose(
        np.linalg.norm(np.roll(moved, 1, axis=0) - moved, axis=1),
        np.linalg.norm(np.roll(outline, 1, axis=0) - outline, axis=1),
    )
    assert np.linalg.norm(moved - outline, axis=1).max() == pytest.approx(STEP * problem.outline.size, rel=0.02)
    assert moved[:, 1].min() > -1e-9  # it does not sink into the floor
    np.testing.assert_array_equal(displaced(outline, problem.centre, np.zeros(3), 1.0), outline)
    shifted = displaced(outline, problem.centre, np.array([3.0, 4.0, 0.0]), 1.0)
    np.testing.assert_allclose(shifted - outline, np.tile([0.6, 0.8], (4, 1)) * STEP)


def test_every_possible_motion_has_a_panel_named_by_its_mode_on_the_same_scale(artists):
    figure = planar_motions(problems.painleve_rod(1.8, spin=4.0))
    assert [ax.get_title() for ax in figure.axes] == ["S", "L"]
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim()
    assert "2 motions" in figure.get_suptitle()
    assert not artists(figure.axes[0], "reaction") and artists(figure.axes[1], "reaction")
    assert all(artists(ax, "velocity") and not artists(ax, "ghost") for ax in figure.axes)
    assert {"separates (S)", "slides left (L)", "velocity"} <= names(figure.legends[0])


def test_no_motion_one_motion_and_a_continuum_are_told_apart(artists):
    assert "no motion" in planar_motions(problems.painleve_rod(1.8)).get_suptitle()
    assert "one motion, RRR" in planar_motions(problems.three_points(0.25, (1.0, -1.0, 0.0))).get_suptitle()
    # Friction just at the threshold with nothing to press: any normal force slides the rod.
    edge = problems.painleve_rod(4.0 / 3.0).under((0.0, 0.0, 0.0))
    assert edge.motions().status == "continuum"
    assert "a continuum" in planar_motions(edge).get_suptitle()


def test_contacts_have_the_colours_of_their_letters_and_wrong_letters_are_refused(artists):
    problem = problems.peg_in_hole()
    ax = planar_body(problem, mode="RL")
    assert [dot.get_markerfacecolor() for dot in artists(ax, "contact")] == [MODE["R"][0], MODE["L"][0]]
    for bad in ("R", "RX"):
        with pytest.raises(InputError, match="mode"):
            planar_body(problem, mode=bad)
    with pytest.raises(InputError, match="problem"):
        planar_body("peg")  # type: ignore[arg-type]


def test_a_torque_is_an_arc_that_turns_its_way(artists):
    for torque in (2.0, -2.0):
        problem = problems.three_finger_grasp().under((0.0, -1.0, torque))
        (arc,) = artists(planar_body(problem), "torque")
        points = arc._path_original.vertices - problem.centre
        turn = np.cross(np.column_stack([points[:-1], np.zeros(39)]), np.column_stack([points[1:], np.zeros(39)]))[:, 2]
        assert (np.sign(turn) == np.sign(torque)).all()
