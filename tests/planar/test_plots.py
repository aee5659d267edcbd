"""Pictures of bodies, friction cones and region maps; of chains and climbs: nodes, walls and stills.

Pictures of torque sets: what is drawn is the set, over one or two torques, and projections of more.
"""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar import (
    Body,
    Chain,
    Channel,
    Contact,
    SnakeClimb,
    TorqueSet,
    climb,
    friction_cone,
    region_map,
    torque_sets,
)
from holdfast.planar.plots import (
    ARROW,
    MODE,
    ORDER,
    STEP,
    chain_posture,
    climb_stills,
    displaced,
    drawn_sets,
    planar_body,
    planar_motions,
    torque_set,
    window,
)
from holdfast.planar.plots import friction_cone as draw_cone
from holdfast.planar.plots import region_map as draw_map
from holdfast.plotting import style
from tests.planar import ready_problems as problems


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


def test_sheets_are_the_edges_of_fig_6_and_the_rim_joins_the_outer_ones(artists):
    problem = problems.three_points(0.25)
    cone = problem.friction_cone()
    ax = draw_cone(cone)
    sheets = artists(ax, "sheet")
    assert len(sheets) == 3
    for sheet, edges in zip(sheets, cone.edges, strict=True):
        corners = np.asarray(sheet._faces[0])[:3]
        np.testing.assert_allclose(corners, np.vstack([np.zeros(3), edges])[:, ORDER], atol=1e-12)
    (rim,) = artists(ax, "rim")
    ends = np.array([segment[0] for segment in rim._segments3d])
    outer = cone.edges[:2].reshape(-1, 3)[:, ORDER]
    assert len(ends) == 4
    for corner in outer:
        assert np.abs(ends - corner).max(axis=1).min() < 1e-12
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [
        "contact 1",
        "contact 2",
        "contact 3",
        "composite cone",
    ]


def test_axes_are_right_handed_and_named_with_units():
    ax = draw_cone(problems.three_points().friction_cone(), names=("a", "b", "c"))
    assert np.linalg.det(np.eye(3)[list(ORDER)]) == pytest.approx(1.0)
    assert [ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()] == [r"torque / $\rho$ [N]", "$F_x$ [N]", "$F_y$ [N]"]


@pytest.mark.parametrize(
    ("contacts", "title", "rims"),
    [
        ([], "", 0),
        ([Contact((0, 1), (0, 1), 0.3)], "", 0),
        ([Contact((0, 1), (0, 1), 0.3), Contact((0, -1), (0, -1), 0.3)], "every force", 0),
        ([Contact((0, 1), (0, 1), 0.0), Contact((0, -1), (0, -1), 0.0)], "contains lines", 0),
        ([Contact((1, 1), (0, 1), 0.3), Contact((-1, 1), (0.5, 1), 0.6)], "", 1),
    ],
)
def test_flat_cones_cones_with_lines_and_slanted_ones_are_drawn_as_what_they_are(
    contacts, title, rims, artists, pixels
):
    ax = draw_cone(friction_cone(Body(1.0, 0.7), contacts))
    assert ax.get_title() == title
    assert len(artists(ax, "sheet")) == len(contacts)
    assert len(artists(ax, "rim")) == rims
    assert pixels(ax).std() > 0.0


def test_only_cones_are_drawn():
    with pytest.raises(InputError, match="cone"):
        draw_cone(problems.three_points())  # type: ignore[arg-type]


def test_cells_stand_round_their_grid_values_and_have_the_colour_of_their_label(artists):
    found = region_map(lambda x, y: "near" if x * x + y * y < 1.0 else ("F", "R"), [0.0, 0.5, 2.0], [0.0, 1.0])
    ax = draw_map(found, xlabel="load [N]", ylabel="friction")
    (mesh,) = artists(ax, "regions")
    corners = mesh.get_coordinates()
    np.testing.assert_allclose(corners[0, :, 0], [-0.25, 0.25, 1.25, 2.75])
    np.testing.assert_allclose(corners[:, 0, 1], [-0.5, 0.5, 1.5])
    np.testing.assert_array_equal(mesh.get_array(), found.regions)
    legend = ax.get_legend()
    assert [t.get_text() for t in legend.get_texts()] == ["F or R", "near"]
    colours = mesh.to_rgba(mesh.get_array().ravel())
    for cell, label in zip(colours, found.regions.ravel(), strict=True):
        np.testing.assert_allclose(cell, legend.get_patches()[label].get_facecolor(), atol=0.01)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("load [N]", "friction")


def test_more_labels_than_the_palette_have_still_different_colours(artists):
    count = 2 * len(style.PALETTE)
    found = region_map(lambda x, _: f"{x:g}", np.arange(float(count)), [0.0])
    patches = draw_map(found).get_legend().get_patches()
    assert len({patch.get_facecolor() for patch in patches}) == count


def test_only_region_maps_are_drawn():
    with pytest.raises(InputError, match="regions"):
        draw_map(np.zeros((2, 2)))  # type: ignore[arg-type]


SNAKE = Chain([0.127] * 6, 0.0849)


@pytest.fixture(scope="module")
def reached() -> SnakeClimb:
    return climb(SNAKE, Channel.straight(0.09, 1.2), 0.03, margin=0.1)


@pytest.fixture(scope="module")
def stuck() -> SnakeClimb:
    return climb(SNAKE, Channel.straight(0.09, 1.2), 0.1, mu=0.0)


def drawn(ax, gid: str) -> list:
    return [child for child in ax.get_children() if child.get_gid() == gid]


def test_a_posture_has_its_links_nodes_contacts_and_cones():
    chain, q = Chain([0.1, 0.2], 1.0), (0.0, 0.0, np.pi / 2, -np.pi / 2)
    ax = chain_posture(chain, q, contacts=[(0, (1, 0), 0.5), (2, (-1, 0), 0.5)], walls=[[[0, 0], [0, 1]]], mode="FR")
    (nodes,) = drawn(ax, "nodes")
    assert np.allclose(nodes.get_xydata(), [[0, 0], [0, 0.1], [0.2, 0.1]])
    assert len(drawn(ax, "link")) == len(drawn(ax, "contact")) == len(drawn(ax, "cone")) == 2
    assert len(drawn(ax, "wall")) == 1
    names = {text.get_text() for text in ax.get_legend().get_texts()}
    assert names == {"fixed (F)", "slides right (R)"}
    with pytest.raises(InputError):
        chain_posture(chain, q, mode="F")


def test_stills_are_the_start_and_the_end_of_each_step(reached):
    figure = climb_stills(reached)
    assert len(figure.axes) == len(reached.steps) + 1
    assert [ax.get_title() for ax in figure.axes] == ["start", "1: reach", "2: pull"]
    for ax, step in zip(figure.axes[1:], reached.steps, strict=True):
        (nodes,) = drawn(ax, "nodes")
        assert np.allclose(nodes.get_xydata(), step.nodes[-1])
        (contacts,) = drawn(ax, "contacts")
        assert np.allclose(contacts.get_xydata(), step.nodes[-1][sorted(step.brace_nodes)])
    assert len(climb_stills(reached, most=2).axes) == 2
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["links that brace, with their contacts", "links that move"]


def test_a_climb_without_steps_is_drawn_too(stuck):
    (ax,) = climb_stills(stuck).axes
    assert drawn(ax, "wall") and not drawn(ax, "link") and not drawn(ax, "nodes")
    with pytest.raises(InputError):
        climb_stills("climb")  # type: ignore[arg-type]


L, M, G = 0.127, 0.0849, 9.81
LEFT, RIGHT = (1.0, 0.0), (-1.0, 0.0)


def zigzag(links: int, mu: float, limit: float | None = None) -> TorqueSet:
    """Links at 45 degrees between two walls, every node touching and fixed."""
    q = np.concatenate([[0.0, 0.0], np.deg2rad([135.0, *[-90.0, 90.0, -90.0, 90.0][: links - 1]])])
    contacts = [(i, RIGHT if i % 2 == 0 else LEFT, mu) for i in range(links + 1)]
    system = Chain([L] * links, M).system(q, None, contacts)
    return torque_sets(system, "F" * (links + 1), limits=None if limit is None else (-limit, limit))


@pytest.fixture(scope="module")
def rough() -> TorqueSet:
    return zigzag(2, 1.2)


@pytest.fixture(scope="module")
def three() -> TorqueSet:
    return zigzag(3, 0.3, 2.0)


@pytest.fixture(scope="module")
def four() -> TorqueSet:
    return zigzag(4, 0.3, 2.0)


def artists(ax, gid: str) -> list:
    return [child for child in ax.get_children() if child.get_gid() == gid]


def test_bars_end_where_the_sets_end_and_show_which_ends_belong(rough):
    ax = torque_set(rough)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[0] == "$T^*$: only FFF" and {"also SSS", "also SFF", "also FFS", "also LRL"} == set(names[1:])
    edge = -M * G * L / np.sqrt(2.0)
    unique = artists(ax, "set")[0]
    assert unique.get_xdata()[1] == pytest.approx(edge) and unique.get_xdata()[0] == pytest.approx(ax.get_xlim()[0])
    filled = [end.get_markerfacecolor() != "white" for end in artists(ax, "end")]
    assert filled[0] and not filled[1]  # T* is closed, where SSS begins it is open
    assert len(artists(ax, "endless")) == 4  # T*, SSS, SFF and FFS go on


def test_marks_have_the_colour_of_what_they_allow(rough):
    ax = torque_set(rough, torques=[-0.3, -0.05])
    labels = {mark.get_label() for mark in artists(ax, "mark")}
    assert labels == {"given torque: unique", "given torque: ambiguous"}


def test_polygons_are_the_set_itself(three):
    ax = torque_set(three)
    (patch,) = artists(ax, "set")
    corners = patch.get_xy()[:-1]
    vertices = three.feasible.generators.vertices
    assert len(corners) == len(vertices)
    assert all(np.linalg.norm(vertices - corner, axis=1).min() < 1e-9 for corner in corners)


def test_an_ambiguous_plane_shows_both_parts():
    answer = zigzag(3, 1.2, 2.0)
    ax = torque_set(answer)
    _, names = ax.get_legend_handles_labels()
    assert names[0] == "$T^*$: only FFFF" and "other modes" in names[1]
    unique, ambiguous = drawn_sets(answer, [0, 1])
    rng = np.random.default_rng(5)
    points = rng.uniform(-2.0, 2.0, (200, 2))
    inside = np.any([part.contains(points) for part in unique.parts], axis=0)
    other = np.any([part.contains(points) for part in ambiguous.parts], axis=0)
    words = answer.classify(points)
    assert (inside == (words == "unique")).all() and (other == (words == "ambiguous")).all()


def test_sets_over_more_torques_than_shown_are_projected(four):
    assert torque_set(four).get_ylabel() == "$\\tau_{2}$ [N m]"
    ax = torque_set(four, axes=(1, 2))
    assert ax.get_ylabel() == "$\\tau_{3}$ [N m]"
    (patch,) = artists(ax, "set")
    shadow = four.feasible.generators.vertices[:, [1, 2]]
    assert np.allclose(patch.get_xy().min(axis=0), shadow.min(axis=0))
    assert np.allclose(patch.get_xy().max(axis=0), shadow.max(axis=0))


def test_windows_hold_all_corners_and_leave_room_for_what_goes_on(rough, three):
    low, high = window(drawn_sets(rough, [0]), np.zeros((0, 1)))
    edge = M * G * L / np.sqrt(2.0)
    assert low[0] < -1.2 * edge and high[0] > 1.2 * edge
    low, high = window(drawn_sets(three, [0, 1]), np.zeros((0, 2)))
    assert (low < three.feasible.generators.vertices.min(axis=0)).all()


def test_nothing_to_draw_is_said_and_bad_axes_are_refused(three):
    ax = torque_set(zigzag(2, 0.0))
    assert any("no torque allows FFF" in text.get_text() for text in ax.texts)
    for axes in ([0, 0], [5], [], [0, 1, 2]):
        with pytest.raises(InputError):
            torque_set(three, axes=axes)
    with pytest.raises(InputError):
        torque_set("torques")  # type: ignore[arg-type]
