from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import GeometryError, InputError
from holdfast.planar import Body, motions
from holdfast.planar.bodies import PlanarOutline, touching_contacts

FLOOR = PlanarOutline.ground((0.0, 0.0), (0.0, 1.0), 10.0, 1.0)


def box(x: float = 0.0, y: float = 0.5, angle: float = 0.0) -> PlanarOutline:
    return PlanarOutline.rectangle(1.0, 1.0, (x, y), angle)


def test_a_box_on_a_floor_touches_with_its_two_lower_corners():
    found = touching_contacts(box(), [FLOOR], 0.4)
    np.testing.assert_allclose(found.points, [[-0.5, 0.0], [0.5, 0.0]])
    for contact, point in zip(found.contacts, found.points, strict=True):
        np.testing.assert_allclose(contact.normal, [0.0, 1.0], atol=1e-12)
        np.testing.assert_allclose(contact.r, [0.0, 0.5] - point)
        assert contact.kind == "vertex" and contact.mu == 0.4


def test_a_box_that_overhangs_a_table_touches_its_edge_corner_too_and_the_normal_is_out_of_the_table():
    table = PlanarOutline([(-5, -1), (0.2, -1), (0.2, 0), (-5, 0)])
    found = touching_contacts(box(), [table], 0.4)
    np.testing.assert_allclose(found.points, [[-0.5, 0.0], [0.2, 0.0]])
    assert [c.kind for c in found.contacts] == ["vertex", "edge"]
    np.testing.assert_allclose([c.normal for c in found.contacts], [[0, 1], [0, 1]], atol=1e-12)
    # The same height of centre over the edge: the box stays.
    assert motions(Body(1, 0.4), found.contacts, (0, -1, 0)).acceleration == pytest.approx(np.zeros(3))


def test_a_corner_in_a_notch_has_the_normals_of_both_its_edges():
    corner = PlanarOutline([(-5, -1), (1, -1), (1, 5), (0.5, 5), (0.5, 0), (-5, 0)])  # floor and wall in one
    turned = PlanarOutline.rectangle(1.0, 1.0).moved((0, 0), 0.3)
    lowest = turned.vertices[np.argmin(turned.vertices[:, 1])]
    rightmost = turned.vertices[np.argmax(turned.vertices[:, 0])]
    leaning = turned.moved((0.5 - rightmost[0], -lowest[1]))
    found = touching_contacts(leaning, [corner], 0.4)
    assert sorted(c.normal.round(9).tolist() for c in found.contacts) == [[-1.0, 0.0], [0.0, 1.0]]
    square = touching_contacts(box(0.0), [corner], 0.4)  # a whole side on the wall and one on the floor
    assert len(square) == 4
    assert sorted(c.normal.round(9).tolist() for c in square.contacts) == [[-1.0, 0.0]] * 2 + [[0.0, 1.0]] * 2
    wedge = PlanarOutline([(0.5, 0.0), (-0.2, 1.0), (-0.2, 0.3)])  # only its corner is in the notch
    assert sorted(c.normal.round(9).tolist() for c in touching_contacts(wedge, [corner], 0.4).contacts) == [
        [-1.0, 0.0],
        [0.0, 1.0],
    ]


def test_a_notch_of_the_body_on_a_corner_of_an_obstacle_has_its_edges_normals_and_kind():
    roof = PlanarOutline([(-1, -1), (0, -1), (0, 0), (-1, 0)])
    hook = PlanarOutline([(0, 0), (0, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, 0)])
    found = touching_contacts(hook, [roof], 0.1)
    normals = {tuple(np.round(c.normal, 9).tolist()) for c in found.contacts}
    assert normals == {(0.0, 1.0), (1.0, 0.0)}
    # Its corner under the roof's face is a corner on an edge; the roof's own corner is on both edges of the notch.
    assert [c.kind for c in found.contacts].count("edge") >= 2


def test_equal_edges_that_lie_on_each_other_give_two_contacts_with_their_common_normal():
    plinth = PlanarOutline.rectangle(1.0, 1.0, (0.0, -0.5))
    found = touching_contacts(box(), [plinth], 0.4)
    assert len(found) == 2
    np.testing.assert_allclose([c.normal for c in found.contacts], [[0, 1], [0, 1]], atol=1e-12)


def test_contacts_turn_and_shift_with_the_whole_scene():
    rng = np.random.default_rng(0)
    table = PlanarOutline([(-5, -1), (0.2, -1), (0.2, 0), (-5, 0)])
    base = touching_contacts(box(), [table, FLOOR.moved((0, -3))], [0.4, 0.1])
    for _ in range(10):
        offset, angle = rng.normal(size=2) * 3.0, rng.uniform(0, 2 * np.pi)
        rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        moved = touching_contacts(
            box().moved(offset, angle),
            [table.moved(offset, angle), FLOOR.moved((0, -3)).moved(offset, angle)],
            [0.4, 0.1],
        )
        assert [c.kind for c in moved.contacts] == [c.kind for c in base.contacts]
        np.testing.assert_allclose(moved.points, base.points @ rotation.T + offset, atol=1e-9)
        for a, b in zip(moved.contacts, base.contacts, strict=True):
            np.testing.assert_allclose(a.normal, rotation @ b.normal, atol=1e-9)


@pytest.mark.parametrize("gap", [-1e-7, 0.0, 1e-7])
def test_gaps_and_overlaps_within_the_relative_tolerance_touch_at_any_size(gap):
    for size in (1e-3, 1.0, 1e3):
        outline = PlanarOutline(size * box(y=0.5 + gap).vertices)
        floor = PlanarOutline(size * FLOOR.vertices)
        assert len(touching_contacts(outline, [floor], 0.4)) == 2


def test_overlap_is_an_error_that_names_the_obstacle_and_the_depth():
    for other in (
        box(y=0.4),
        box(y=-0.5),
        PlanarOutline.rectangle(0.1, 9.0),
        PlanarOutline.rectangle(9.0, 9.0),
        box(angle=0.5),
    ):
        with pytest.raises(GeometryError, match=r"obstacles\[1\]: overlaps"):
            touching_contacts(other, [FLOOR.moved((0, -20)), FLOOR], 0.4)
    plus = PlanarOutline.rectangle(0.2, 3.0)  # crosses with no corner inside either
    with pytest.raises(GeometryError, match="overlaps"):
        touching_contacts(plus, [PlanarOutline.rectangle(3.0, 0.2)], 0.4)
    with pytest.raises(GeometryError, match="overlaps"):
        touching_contacts(box(), [box()], 0.4)


def test_touching_nothing_is_an_error_with_the_gap_unless_the_body_may_be_free():
    with pytest.raises(GeometryError, match=r"0\.01 m away"):
        touching_contacts(box(y=0.51), [FLOOR], 0.4)
    assert len(touching_contacts(box(y=0.51), [FLOOR], 0.4, must_touch=False)) == 0
    assert len(touching_contacts(box(y=0.51), [FLOOR], 0.4, tolerance=0.01)) == 2
    with pytest.raises(GeometryError, match="no obstacles"):
        touching_contacts(box(), [], 0.4)


def test_a_corner_on_a_corner_has_no_normal_and_says_where():
    spike = PlanarOutline([(0, 0), (1, -2), (-1, -2)])
    with pytest.raises(GeometryError, match=r"corner \d meets corner \d of the body at \(0, 0\)"):
        touching_contacts(PlanarOutline([(0, 0), (1, 2), (-1, 2)]), [spike], 0.4)


def test_a_corner_that_does_not_turn_is_a_point_of_a_straight_side():
    split = PlanarOutline([(-5, -1), (5, -1), (5, 0), (0, 0), (-5, 0)])  # a floor with a corner in its middle
    wedge = PlanarOutline([(0, 0), (1, 2), (-1, 2)])
    for turn in (0.0, 0.3, -2.0):  # rounding turns that corner a little one way or the other
        found = touching_contacts(wedge.moved(angle=turn), [split.moved(angle=turn)], 0.4)
        (contact,) = found.contacts
        np.testing.assert_allclose(contact.normal, [-np.sin(turn), np.cos(turn)], atol=1e-9)
        turned = touching_contacts(split.moved(angle=turn), [wedge.moved(angle=turn)], 0.4)
        assert [c.kind for c in found.contacts + turned.contacts] == ["vertex", "edge"]
        np.testing.assert_allclose(turned.contacts[0].normal, [np.sin(turn), -np.cos(turn)], atol=1e-9)


def test_friction_is_one_for_all_or_one_for_each_obstacle():
    with pytest.raises(InputError, match="one for each of 1"):
        touching_contacts(box(), [FLOOR], [0.1, 0.2])
    with pytest.raises(InputError, match="mu"):
        touching_contacts(box(), [FLOOR], -0.1)


def convex(rng: np.random.Generator) -> np.ndarray:
    """Corners of a random convex polygon about the origin."""
    angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, 7)))
    while np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() > 0.95 * np.pi:
        angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, 7)))
    return np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(0.3, 2.0)


def separation(first: np.ndarray, second: np.ndarray) -> float:
    """Largest gap along an edge's normal of either convex polygon: positive when they are apart (separating axes)."""
    best = -np.inf
    for a, b in ((first, second), (second, first)):
        for start, end in zip(a, np.roll(a, -1, axis=0), strict=True):
            normal = np.array([end[1] - start[1], start[0] - end[0]]) / np.linalg.norm(end - start)
            best = max(best, float((b @ normal).min() - start @ normal))
    return best


def test_convex_polygons_overlap_exactly_when_no_axis_separates_them():
    rng = np.random.default_rng(0)
    seen = {True: 0, False: 0}
    for _ in range(150):
        first, second = convex(rng), convex(rng) + rng.normal(size=2) * 1.5
        apart = separation(first, second)
        if abs(apart) < 1e-3:
            continue
        if apart < 0.0:
            with pytest.raises(GeometryError, match="overlaps"):
                touching_contacts(PlanarOutline(first), [PlanarOutline(second)], 0.3)
        else:
            assert len(touching_contacts(PlanarOutline(first), [PlanarOutline(second)], 0.3, must_touch=False)) == 0
        seen[apart > 0.0] += 1
    assert min(seen.values()) > 30


def test_convex_polygons_slid_together_touch_along_the_separating_axis_at_its_gap():
    rng = np.random.default_rng(1)
    for _ in range(60):
        first, second = convex(rng), convex(rng)
        start, end = first[0], first[1]
        normal = np.array([end[1] - start[1], start[0] - end[0]]) / np.linalg.norm(end - start)
        corner = second[np.argmin(second @ normal)]
        second = second + start + rng.uniform(0.1, 0.9) * (end - start) - corner  # its corner on the first's first edge
        body_first = touching_contacts(PlanarOutline(first), [PlanarOutline(second)], 0.3)
        assert [c.kind for c in body_first.contacts] == ["edge"]
        np.testing.assert_allclose(body_first.contacts[0].normal, -normal, atol=1e-9)
        body_second = touching_contacts(PlanarOutline(second), [PlanarOutline(first)], 0.3)
        assert [c.kind for c in body_second.contacts] == ["vertex"]
        np.testing.assert_allclose(body_second.contacts[0].normal, normal, atol=1e-9)


def test_the_kind_found_gives_the_second_derivative_of_the_gap_between_the_polygons():
    rng = np.random.default_rng(2)
    for _ in range(30):
        first, second = convex(rng), convex(rng)
        start, end = first[0], first[1]
        normal = np.array([end[1] - start[1], start[0] - end[0]]) / np.linalg.norm(end - start)
        second = second + start + rng.uniform(0.4, 0.6) * (end - start) - second[np.argmin(second @ normal)]
        for body, obstacle in ((first, second), (second, first)):
            found = touching_contacts(PlanarOutline(body), [PlanarOutline(obstacle)], 0.3)
            (contact,) = found.contacts
            velocity, acceleration = rng.normal(size=3), rng.normal(size=3)
            row = contact.normal_row
            velocity -= row * (row @ velocity) / (row @ row)

            def gap(t: float, body=body, obstacle=obstacle, centre=found.centre, v=velocity, a=acceleration) -> float:
                move = v * t + 0.5 * a * t * t
                c, s = np.cos(move[2]), np.sin(move[2])
                return separation((body - centre) @ np.array([[c, s], [-s, c]]) + centre + move[:2], obstacle)

            step = 1e-4
            second_derivative = (gap(step) - 2.0 * gap(0.0) + gap(-step)) / step**2
            wanted = row @ acceleration + contact.normal_bias(velocity)
            assert second_derivative == pytest.approx(wanted, abs=1e-2 * (1.0 + abs(wanted)))


def test_obstacles_may_come_one_by_one_and_friction_is_checked():
    assert len(touching_contacts(box(), (floor for floor in [FLOOR]), 0.4)) == 2  # type: ignore[arg-type]
    for mu, where in (("rough", "mu"), (-1.0, "mu"), ([0.3, "x"], "mu"), ([-0.3], "mu[0]"), (None, "mu")):
        with pytest.raises(InputError) as caught:
            touching_contacts(box(), [FLOOR], mu)  # type: ignore[arg-type]
        assert caught.value.where == where
