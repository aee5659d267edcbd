"""Planar bodies in the viewer.

Pages of planar bodies.

The box of torques in the scene.

Snakes and their torques in the viewer.

Pages of snakes and their torques.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from holdfast import planar
from holdfast.checks import Array
from holdfast.errors import InputError
from holdfast.planar import torque_sets
from holdfast.planar.files import PlanarBodyScene, PlanarChainScene, load_planar
from holdfast.planar.page import (
    BAR,
    BODY_ENTRIES,
    ENTRIES,
    GHOST_STEP,
    SIZE,
    SNAKE_ENTRIES,
    TALL,
    WIDTH,
    BodyState,
    PlanarBodyPage,
    SnakePage,
    SnakeState,
    TorqueBox,
    TorqueSets,
    body_answer,
    body_entry,
    clipped,
    deepest_torques,
    first_torques,
    flattened,
    load_ranges,
    round_range,
    snake_answer,
    snake_entry,
)
from holdfast.planar.plots import STEP
from holdfast.planar.polyhedra import Polyhedron
from holdfast.web.handles import NODE
from holdfast.web.marks import Arrows, Dots, Surface
from holdfast.web.page import PageEntry
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind


def scene(name: str) -> PlanarBodyScene:
    found = load_planar(f"@{name}")
    assert isinstance(found, PlanarBodyScene)
    return found


def asked(own: PlanarBodyScene, **changes: object) -> BodyState:
    own_load = {"load": tuple(own.load), "point": tuple(own.load_point)}
    return BodyState(**({"mu": None} | own_load | changes))  # type: ignore[arg-type]


def test_a_block_stays_while_the_incline_is_flatter_than_its_friction() -> None:
    block = scene("block_on_incline")
    normal = block.contacts[0].normal
    tangent = abs(normal[0] / normal[1])  # of the incline's angle
    holds = body_answer(asked(block, mu=1.02 * tangent), block)
    slides = body_answer(asked(block, mu=0.98 * tangent), block)
    assert holds.verdict.status == "it stays where it is" and holds.moving is None
    assert slides.verdict.status == "one motion" and slides.moving is not None


@pytest.mark.parametrize("name", ["three_points", "box_pushed", "ladder", "painleve_rod", "peg_jammed"])
def test_the_verdict_is_that_of_all_motions(name: str) -> None:
    own = scene(name)
    answer = body_answer(asked(own), own)
    direct = planar.motions(own.body, own.contacts, own.force, own.velocity)
    assert len(answer.verdict.lines) == min(len(direct.modes), 8)
    assert all(line.startswith(mode) for line, mode in zip(answer.verdict.lines, direct.modes, strict=False))
    tones = {"unique": "good", "finite": "open", "continuum": "open", "inconsistent": "bad", "impact": "bad"}
    assert answer.verdict.tone == tones[direct.status.value]


def test_above_mu_two_several_ghosts_go_their_ways() -> None:
    own = scene("three_points")
    state = asked(own, mu=3.0, load=(0.99, 0.16, 0.03))
    answer = body_answer(state, own)
    assert answer.verdict.status == "3 motions are possible" and answer.moving is not None
    first, last = answer.moving(0.0), answer.moving(1.0)
    ghosts = [name for name, mark in last.items() if isinstance(mark, Surface)]
    assert len(ghosts) == 3
    for name in ghosts:
        start, end = first[name], last[name]
        assert isinstance(start, Surface) and isinstance(end, Surface)
        farthest = np.linalg.norm((end.vertices - start.vertices)[:, [0, 2]], axis=1).max()
        assert np.isclose(farthest, STEP * SIZE, rtol=0.1)
    one = body_answer(replace(state, chosen=1), own)
    assert one.moving is not None
    assert sum(isinstance(mark, Surface) for mark in one.moving(1.0).values()) == 1


def test_reactions_and_load_balance_a_body_at_rest() -> None:
    own = scene("ladder")
    marks = body_answer(asked(own), own).drawing.marks
    load, reactions = marks["weight"], marks["reactions"]
    assert isinstance(load, Arrows) and isinstance(reactions, Arrows)
    total = np.diff(load.points, axis=1).sum(axis=(0, 1)) + np.diff(reactions.points, axis=1).sum(axis=(0, 1))
    assert np.allclose(total, 0.0, atol=1e-6)


def test_the_body_is_drawn_where_it_is() -> None:
    own = scene("box_pushed")
    marks = body_answer(asked(own), own).drawing.marks
    body, contact = marks["body/inside"], marks["contacts/0"]
    assert isinstance(body, Surface) and isinstance(contact, Dots)
    corners = body.vertices[:, [0, 2]]
    near = np.linalg.norm(corners - contact.points[0, [0, 2]], axis=1).min()
    assert near < 1e-9  # a corner of the box is on the floor
    assert own.outline is not None and np.isclose(np.ptp(corners[:, 1]) / np.ptp(corners[:, 0]), 2.0)


def test_sliders_reach_beyond_the_scenes_own_load() -> None:
    for name in ("three_points", "box_pushed", "peg_jammed", "three_finger_grasp"):
        own = scene(name)
        assert (np.array(load_ranges(own)) >= np.abs(own.load)).all()


@pytest.mark.parametrize("entry", BODY_ENTRIES, ids=lambda entry: entry.key)
def test_every_ready_body_opens_with_the_motions_of_its_scene(entry: PageEntry) -> None:
    with Visit(entry.make) as visit:
        scene = visit.page.scene
        assert list(visit.verdict.shown.lines) == list(body_answer(visit.page.state(), scene).verdict.lines)
        direct = scene.motions()
        assert [line.split(":")[0] for line in visit.verdict.shown.lines] == list(direct.modes)
        visit.drag("Load x [N]", visit.browser.gui.controls["Load x [N]"].max)
        visit.drag("Friction", 0.0)
        state = visit.page.state()
        direct = scene.loaded(state.load, state.point).changed(mu=0.0).motions()
        assert [line.split(":")[0] for line in visit.verdict.shown.lines] == list(direct.modes)[:8]
        visit.drag("Load of the scene", True)
        assert visit.page.state() == asked(scene)
        assert not visit.errors
        assert_leaves_nothing_behind(visit)


def test_a_file_has_the_same_total_force_whether_its_load_is_read_or_moved_there() -> None:
    own = scene("box_pushed")  # 60 N to the right at (0, 0.9), its weight at (0.25, 0.5)
    assert np.allclose(own.load, [60.0, 0.0, 0.0]) and np.allclose(own.load_point, [0.0, 0.9])
    assert np.allclose(own.force, [60.0, -98.1, -0.4 * 60.0])
    assert np.allclose(own.loaded((60.0, 0.0, 5.0), (0.0, 0.3)).force, [60.0, -98.1, 5.0 + 0.2 * 60.0])


def test_a_person_who_climbs_the_ladder_makes_it_slide_where_moments_say() -> None:
    own = scene("ladder")
    person, mu_floor, mu_wall = 700.0, own.contacts[0].mu, own.contacts[1].mu
    weight = -own.weight[1]
    # About the foot of the ladder (0, 0), its top at (3, 4): with both contacts at their friction limits,
    # N_floor + mu_wall N_wall = W + P and N_wall = mu_floor N_floor; 4 N_wall + 3 mu_wall N_wall = 1.5 W + x P.
    wall = mu_floor * (weight + person) / (1.0 + mu_floor * mu_wall)
    limit = ((4.0 + 3.0 * mu_wall) * wall - 1.5 * weight) / person
    assert 0.5 < limit < 2.9  # on the ladder
    for x, status in ((limit - 0.02, "it stays where it is"), (limit + 0.02, "one motion")):
        state = asked(own, load=(0.0, -person, 0.0), point=(x, 4.0 / 3.0 * x))
        assert body_answer(state, own).verdict.status == status


def test_the_point_of_the_load_follows_its_handle_and_its_sliders() -> None:
    with Visit(lambda context: PlanarBodyPage(context, "@ladder")) as visit:
        own, handle = visit.page.scene, visit.browser.scene.nodes[NODE]
        assert visit.page.state() == asked(own)
        visit.drag("Load y [N]", -100.0)
        visit.drag("Load at x [m]", 2.25)
        visit.drag("Load at y [m]", 3.0)
        assert np.allclose(visit.page.state().point, (2.25, 3.0))
        arrow = visit.browser.scene.nodes["/page/load"].points
        assert np.allclose(arrow[0, 0], handle.position)  # drawn where it acts
        x, y, z = handle.position
        handle.drag(position=(x - 0.1, y, z))
        visit.settle()
        scale = SIZE / own.outline.size
        assert np.allclose(visit.page.state().point, (2.25 - 0.1 / scale, 3.0))
        assert visit.browser.gui.controls["Load at x [m]"].value == pytest.approx(2.25 - 0.1 / scale, abs=1e-3)
        assert handle.active_axes == (True, False, True) and not visit.errors
        assert_leaves_nothing_behind(visit)


def test_one_of_several_motions_is_drawn_alone() -> None:
    with Visit(lambda context: PlanarBodyPage(context, "@three_points")) as visit:
        visit.drag("Friction", 3.0)
        for label, value in (("Load x [N]", 0.99), ("Load y [N]", 0.16), ("Couple [N m]", 0.03)):
            visit.drag(label, value)
        assert visit.verdict.shown.status == "3 motions are possible" and "reactions" not in visit.names
        visit.drag("Drawn", "second motion")
        assert visit.page.state().chosen == 1 and not visit.errors


def test_a_body_of_a_file_has_its_own_page_and_a_chain_has_none() -> None:
    scene = load_planar("@peg_wedged")
    with Visit(body_entry(scene).make) as visit:  # pyright: ignore[reportArgumentType]
        assert not visit.errors and visit.page.title == scene.name
    page = Visit(lambda context: PlanarBodyPage(context, "@two_link_snake"))
    with pytest.raises(InputError, match="is not a body"):
        page.page.open()
    page.worker.close()


def test_keys_are_unique() -> None:
    assert len({entry.key for entry in ENTRIES}) == len(ENTRIES)


def box(d: int) -> TorqueBox:
    return TorqueBox(tuple(range(d)), np.full(d, -2.0), np.full(d, 2.0), np.array([1.0, 0.0, 0.0]))


def area(vertices: Array, faces: Array) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def test_torques_go_right_and_up() -> None:
    place = box(2).place(np.array([[-2.0, -2.0], [2.0, -2.0], [-2.0, 2.0]]))
    assert np.allclose(place[0], [1.0, 0.0, -0.5 * WIDTH])
    assert np.allclose(place[1:] - place[0], [[WIDTH, 0.0, 0.0], [0.0, 0.0, WIDTH]])
    assert np.allclose(box(2).at([0.5, 0.5]), [1.0 + 0.5 * WIDTH, 0.0, 0.0])


def test_a_half_plane_is_cut_off_at_the_box() -> None:
    vertices, faces = clipped(box(2), Polyhedron(np.array([[1.0, 1.0]]), np.array([0.0])))
    assert np.isclose(area(vertices, faces), 0.5 * WIDTH**2)


@pytest.mark.parametrize(("low", "width"), [(-1.0, 0.75), (3.0, None)])
def test_a_half_line_is_a_bar_up_to_the_end_of_the_box(low: float, width: float | None) -> None:
    vertices, faces = clipped(box(1), Polyhedron(np.array([[1.0]]), np.array([low])))
    if width is None:
        assert not len(vertices) and not len(faces)
    else:
        assert np.isclose(np.ptp(vertices[:, 0]), width * WIDTH) and np.isclose(
            area(vertices, faces), width * WIDTH * BAR
        )


def test_a_segment_in_the_plane_and_a_point_are_seen() -> None:
    line = Polyhedron(C=np.array([[1.0, 0.0]]), d=np.array([0.5]), dimension=2)
    vertices, faces = clipped(box(2), line)
    assert area(vertices, faces) > 0.0 and np.isclose(vertices[:, 0].mean(), 1.0 + 0.625 * WIDTH)
    assert np.isclose(np.ptp(vertices[:, 2]), WIDTH)


L, M, G = 0.127, 0.0849, 9.81


def sets(name: str) -> TorqueSets:
    scene = load_planar(f"@{name}")
    assert isinstance(scene, PlanarChainScene)
    return TorqueSets(scene)


@pytest.mark.parametrize("mu", [0.2, 0.3, 0.6])
def test_two_links_hold_from_the_torque_of_the_closed_form_on(mu: float) -> None:
    two = sets("two_link_snake")
    border = -(M * G * L / np.sqrt(2.0)) * (3.0 + mu**2) / (4.0 * mu)
    ranges = [(-1.0, 0.2)]
    inside = snake_answer(SnakeState(mu, (1.1 * border,), (0,)), two, ranges)
    outside = snake_answer(SnakeState(mu, (0.999 * border,), (0,)), two, ranges)
    assert inside.verdict.status == "only the wanted motion" and inside.verdict.tone == "good"
    assert f"{-0.1 * border:.3g}" in inside.verdict.margin and inside.moving is None
    assert outside.verdict.status == "the wanted motion is impossible" and outside.verdict.tone == "bad"
    bar = inside.drawing.marks["sets/0"]
    assert isinstance(bar, Surface)
    assert np.isclose(np.ptp(bar.vertices[:, 0]), 1.3 * (border + 1.0) / 1.2)  # the box is 1.3 wide for 1.2 N m


def test_rough_walls_make_weak_torques_ambiguous_and_the_other_motions_move() -> None:
    rough = sets("two_link_snake_ambiguous")
    ranges = rough.ranges()
    answer = snake_answer(SnakeState(None, (-0.05,), (0,)), rough, ranges)
    assert answer.verdict.status == "another motion is possible" and answer.moving is not None
    modes = {motion.mode for motion in rough.at(None).explain(-0.05)}
    assert all(mode in answer.verdict.lines[1] for mode in modes)
    still, moved = answer.moving(0.0), answer.moving(1.0)
    ghosts = [name for name in moved if isinstance(moved[name], Surface)]
    assert len(ghosts) == len(modes)
    for name in ghosts:
        first, last = still[name], moved[name]
        assert isinstance(first, Surface) and isinstance(last, Surface)
        farthest = np.linalg.norm(last.vertices - first.vertices, axis=1).max()
        assert 0.4 * GHOST_STEP * TALL < farthest < 1.6 * GHOST_STEP * TALL


def test_three_links_agree_with_the_library_all_over_the_box() -> None:
    three = sets("three_link_snake")
    ranges = three.ranges()
    assert ranges == [(-2.0, 2.0)] * 2  # the limits of its motors
    direct = torque_sets(three.scene.system(), three.scene.mode, limits=three.scene.limits)
    words = {"unique": "good", "ambiguous": "open", "infeasible": "bad"}
    for torques in np.random.default_rng(0).uniform(-2.0, 2.0, (12, 2)):
        answer = snake_answer(SnakeState(None, tuple(map(float, torques)), (0, 1)), three, ranges)
        assert answer.verdict.tone == words[direct.classify(torques)]
        dot = answer.drawing.marks["torque"]
        assert isinstance(dot, Dots)


def test_torques_of_six_links_are_taken_to_the_flat_set() -> None:
    six = sets("six_link_snake")
    answer = six.at(None)
    given = (-0.15, -0.58, -1.20, -0.70, -0.30)  # printed in the paper to two digits
    torques, moved = flattened(answer, given)
    C, d = answer.feasible.equalities
    assert np.allclose(C @ np.array(torques), d, atol=1e-12) and 0.0 < moved < 0.005
    gap = np.array(torques) - np.array(given)
    for direction in np.linalg.svd(C)[2][len(d) :]:  # along the set nothing was changed
        assert abs(gap @ direction) < 1e-12
    shown = snake_answer(SnakeState(None, given, (0, 1)), six, six.ranges())
    assert shown.verdict.tone == "good" and any("the set is flat" in line for line in shown.verdict.lines)


def test_sliders_begin_where_the_scene_says_and_the_deepest_torque_is_unique() -> None:
    three = sets("three_link_snake")
    ranges = three.ranges()
    assert first_torques(three, ranges) == (-1.0, 1.0)
    for name in ("two_link_snake", "three_link_snake", "six_link_snake"):
        own = sets(name)
        deep = deepest_torques(own, None, own.ranges())
        assert deep is not None and own.at(None).classify(list(deep)) == "unique"


def test_sets_are_kept_by_friction() -> None:
    two = sets("two_link_snake")
    assert two.at(0.4) is two.at(0.4) and two.at(0.4) is not two.at(0.5)


@pytest.mark.parametrize(("low", "high"), [(-0.263274, 0.0613), (-1234.5, 2.0), (0.0, 1.0), (-3e-7, 1e-7)])
def test_ranges_have_round_ends_about_what_they_hold(low: float, high: float) -> None:
    first, last = round_range(low, high)
    assert first <= low < high <= last
    assert last - first <= 1.25 * (high - low)
    assert all(
        len(f"{end:.12g}".lstrip("-0.").split("e")[0].rstrip("0").replace(".", "")) <= 3 for end in (first, last)
    )


@pytest.mark.parametrize("entry", SNAKE_ENTRIES, ids=lambda entry: entry.key)
def test_every_ready_snake_opens_and_follows_its_sliders(entry: PageEntry) -> None:
    with Visit(entry.make) as visit:
        scene = visit.page.scene
        direct = scene.torque_sets()  # pyright: ignore[reportAttributeAccessIssue]
        words = {"unique": "good", "ambiguous": "open", "infeasible": "bad"}
        visit.drag("Deepest torque of T*", True)
        assert visit.verdict.shown.tone == "good"
        if len(visit.page._torques) <= 2:
            visit.drag("Torque 1 [N m]", 0.0)
            assert visit.verdict.shown.tone == words[direct.classify(list(visit.page.state().torques))]
        visit.drag("Friction", 0.05)
        changed = scene.with_mu(0.05).torque_sets()  # pyright: ignore[reportAttributeAccessIssue]
        torques, _ = flattened(changed, visit.page.state().torques)
        assert visit.verdict.shown.tone == words[changed.classify(list(torques))]
        assert not visit.errors
        assert_leaves_nothing_behind(visit)


def test_torques_shown_of_a_long_snake_are_chosen_from_a_menu() -> None:
    with Visit(lambda context: SnakePage(context, "@six_link_snake")) as visit:
        menu = visit.browser.gui.controls["Torques shown"]
        assert menu.value == "1, 2" and "4, 5" in menu.options
        visit.drag("Torques shown", "4, 5")
        assert visit.page.state().shown == (3, 4)
        assert visit.browser.scene.nodes["/page/motor 1"].text.startswith("motor 4")


def test_a_chain_of_a_file_has_its_own_page_and_a_body_has_none() -> None:
    scene = load_planar("@two_link_snake_uncertain")
    entry = snake_entry(scene)  # pyright: ignore[reportArgumentType]
    with Visit(entry.make) as visit:
        assert not visit.errors and visit.page.title == scene.name
    page = Visit(lambda context: SnakePage(context, "@ladder"))
    with pytest.raises(InputError, match="is not a chain"):
        page.page.open()
    page.worker.close()
