"""Contacts of a rigid body: Erdmann's printed vectors, and gaps differentiated twice along motions."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import GeometryError, InputError, UnknownNameError
from holdfast.planar import Body, Contact, motions
from holdfast.planar.bodies import PlanarOutline, edge_distances, touching_contacts
from tests.planar.scenes import three_points

STEP = 1e-3


@pytest.mark.parametrize("rho", [1.0, 2.0])
def test_cone_edges_of_the_three_point_example_are_those_printed(rho):
    mu = 0.25
    printed = [
        ((mu, 1, (mu - 1) / rho), (-mu, 1, -(mu + 1) / rho)),
        ((mu, 1, (mu + 1) / rho), (-mu, 1, -(mu - 1) / rho)),
        ((mu, 1, mu / rho), (-mu, 1, -mu / rho)),
    ]
    scaled = np.array([1.0, 1.0, 1.0 / rho])
    for contact, edges in zip(three_points(mu), printed, strict=True):
        for sign, edge in zip((1.0, -1.0), edges, strict=True):
            assert np.allclose((contact.normal_row + sign * mu * contact.tangent_row) * scaled, edge)


def turned(vector: np.ndarray, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


@pytest.mark.parametrize("kind", ["vertex", "edge"])
@pytest.mark.parametrize("seed", range(6))
def test_normal_acceleration_is_the_second_derivative_of_the_gap(kind, seed):
    """A body vertex moves towards a standing line; or a body edge turns and moves past a standing point."""
    rng = np.random.default_rng(seed)
    contact = Contact(rng.normal(size=2), rng.normal(size=2), 0.5, kind)
    v, a = rng.normal(size=3), rng.normal(size=3)

    def gap(t: float) -> float:
        centre, angle = v[:2] * t + 0.5 * a[:2] * t**2, v[2] * t + 0.5 * a[2] * t**2
        # At t = 0 the centre of mass is the origin and the contact stands at -r.
        if kind == "vertex":
            return float(contact.normal @ (centre + turned(-contact.r, angle) + contact.r))
        # The gap along the body's own normal, from the obstacle's point to the body's edge.
        normal = turned(contact.normal, angle)
        return float(normal @ (centre + turned(-contact.r, angle) + contact.r))

    second = (gap(STEP) - 2.0 * gap(0.0) + gap(-STEP)) / STEP**2
    assert contact.normal_row @ a + contact.normal_bias(v) == pytest.approx(second, rel=1e-4, abs=1e-4)
    assert contact.normal_row @ v == pytest.approx((gap(STEP) - gap(-STEP)) / (2.0 * STEP), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_tangential_acceleration_is_that_of_the_bodys_point(seed):
    rng = np.random.default_rng(seed)
    contact = Contact(rng.normal(size=2), rng.normal(size=2), 0.5)
    v, a = rng.normal(size=3), rng.normal(size=3)

    def place(t: float) -> float:
        centre, angle = v[:2] * t + 0.5 * a[:2] * t**2, v[2] * t + 0.5 * a[2] * t**2
        return float(contact.tangent @ (centre + turned(-contact.r, angle)))

    second = (place(STEP) - 2.0 * place(0.0) + place(-STEP)) / STEP**2
    assert contact.tangent_row @ a + contact.tangent_bias(v) == pytest.approx(second, rel=1e-4, abs=1e-4)


def test_a_given_second_variation_overrides_the_kind():
    contact = Contact((0, 1), (1, 2), 0.5, "edge", second_variation=0.7)
    assert contact.normal_bias((1.0, 2.0, 3.0)) == 0.7


def test_the_normal_is_scaled_to_unit_length_and_rows_are_torques_of_unit_forces():
    contact = Contact((0.0, 5.0), (0.3, 0.4), 0.5)
    assert np.allclose(contact.normal, (0.0, 1.0))
    # A unit force F at -r from the centre of mass has the torque -r x F.
    for row, force in ((contact.normal_row, contact.normal), (contact.tangent_row, contact.tangent)):
        assert row[2] == pytest.approx(-contact.r[0] * force[1] + contact.r[1] * force[0])


def test_the_systems_inertia_is_mass_and_mass_times_rho_squared():
    system = Body(2.0, 0.5).system([], (1.0, 2.0, 3.0))
    assert np.allclose(system.mass_matrix, np.diag([2.0, 2.0, 0.5]))
    assert np.allclose(system.bias, (1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    "call, where",
    [
        (lambda: Contact((0, 0), (0, 1), 0.5), "normal"),
        (lambda: Contact((0, 1), (0, 1, 2), 0.5), "r"),
        (lambda: Contact((0, 1), (0, 1), -0.5), "mu"),
        (lambda: Contact((0, 1), (0, 1), 0.5, second_variation=np.inf), "second_variation"),
        (lambda: Body(0.0, 1.0), "mass"),
        (lambda: Body(1.0, -1.0), "radius_of_gyration"),
    ],
)
def test_bad_input_is_named(call, where):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.where == where


def test_an_unknown_kind_lists_those_that_exist():
    with pytest.raises(UnknownNameError) as error:
        Contact((0, 1), (0, 1), 0.5, "vertx")
    assert error.value.nearest == "vertex"


def test_mass_properties_of_rectangle_and_triangle_are_the_closed_forms():
    w, h = 0.3, 0.8
    box = PlanarOutline.rectangle(w, h, (5.0, -2.0), 0.7)
    assert box.area == pytest.approx(w * h)
    np.testing.assert_allclose(box.centroid, [5.0, -2.0])
    assert box.radius_of_gyration == pytest.approx(np.sqrt((w**2 + h**2) / 12.0))
    triangle = PlanarOutline([(0, 0), (3, 0), (0, 2)])
    np.testing.assert_allclose(triangle.centroid, [1.0, 2.0 / 3.0])
    assert triangle.radius_of_gyration == pytest.approx(np.sqrt((3**2 + 2**2) / 18.0))
    assert triangle.body(density=2.0).mass == pytest.approx(6.0)
    assert triangle.body(mass=1.5).radius_of_gyration == triangle.radius_of_gyration


def test_mass_properties_of_a_body_with_a_notch_are_those_of_its_parts_far_from_the_origin():
    offset = np.array([1e3, -2e3])
    ell = PlanarOutline(np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)]) + offset)
    parts = [(2.0, np.array([1.0, 0.5]), (4 + 1) / 12), (2.0, np.array([0.5, 2.0]), (1 + 4) / 12)]
    centre = sum(a * c for a, c, _ in parts) / 4.0
    moment = sum(a * (own + ((c - centre) ** 2).sum()) for a, c, own in parts)
    np.testing.assert_allclose(ell.centroid, centre + offset, rtol=1e-12)
    assert ell.radius_of_gyration == pytest.approx(np.sqrt(moment / 4.0), rel=1e-9)
    np.testing.assert_array_equal(ell.is_convex_corner, [True, True, True, False, True, True])


def test_clockwise_corners_are_turned_round_and_a_closing_corner_is_dropped():
    given = [(0, 0), (0, 1), (1, 1), (1, 0), (0, 0)]
    outline = PlanarOutline(given)
    assert len(outline) == 4 and outline.area == pytest.approx(1.0)
    # Normals point out: a step along each leaves the square.
    middles = 0.5 * (outline.vertices + outline.ends)
    assert not outline.contains(middles + 1e-6 * outline.normals).any()
    assert outline.contains(middles - 1e-6 * outline.normals).all()


def test_membership_and_distance_agree_with_fine_sampling():
    star = PlanarOutline([(0, 0), (2, 0.5), (4, 0), (3, 2), (4, 4), (2, 3), (0, 4), (1, 2)])
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 5, (200, 2))
    border = np.concatenate([a + np.linspace(0, 1, 2001)[:, None] * (b - a) for a, b in zip(star.vertices, star.ends)])  # noqa: B905
    wanted = np.array([np.linalg.norm(border - p, axis=1).min() for p in points])
    np.testing.assert_allclose(star.distances(points), wanted, atol=2e-3)
    winding = []
    for p in points:
        angles = np.arctan2(*(border - p).T[::-1])
        winding.append(np.abs((np.diff(np.unwrap(angles))).sum()) > np.pi)
    np.testing.assert_array_equal(star.contains(points), winding)
    assert edge_distances(points, star).shape == (200, 8)


def test_ground_has_its_face_through_the_point_with_the_normal_out():
    ground = PlanarOutline.ground((1.0, 2.0), (3.0, 4.0), 5.0, 0.5)
    face = int(np.argmax(ground.normals @ [0.6, 0.8]))
    np.testing.assert_allclose(ground.normals[face], [0.6, 0.8])
    np.testing.assert_allclose(0.5 * (ground.vertices[face] + ground.ends[face]), [1.0, 2.0])
    assert ground.area == pytest.approx(10.0 * 0.5)


def test_turning_about_a_point_keeps_it():
    box = PlanarOutline.rectangle(1.0, 1.0, (0.5, 0.5))
    turned = box.moved((2.0, 0.0), np.pi / 2, about=(1.0, 0.0))
    assert np.abs(turned.vertices - [3.0, 0.0]).max(axis=1).min() < 1e-12
    np.testing.assert_allclose(turned.centroid, [2.5, -0.5])


@pytest.mark.parametrize(
    ("vertices", "what"),
    [
        ([(0, 0), (1, 0)], "2 corners"),
        ([(0, 0), (1, 0), (2, 0)], "no area"),
        ([(0, 0), (0, 0), (1, 0), (1, 1)], "two equal corners"),
        ([(0, 0), (2, 2), (2, 0), (0, 1)], "meets itself: Self-intersection"),
        ([(0, 0), (2, 0), (2, 2), (1, 0), (0, 2)], "meets itself"),
        ([(0, 0), (2, 0), (2, 2), (1, 1e-12), (0, 2)], "corner 3 touches edge 0"),
    ],
)
def test_corners_that_are_no_simple_polygon_are_named(vertices, what):
    with pytest.raises(GeometryError, match=what):
        PlanarOutline(vertices)


def test_a_plate_needs_a_mass_or_a_density_and_not_both():
    for given in ({}, {"mass": 1.0, "density": 1.0}):
        with pytest.raises(InputError, match="mass or a density"):
            PlanarOutline.rectangle(1, 1).body(**given)


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


def test_a_point_leaves_a_round_top_when_it_is_faster_than_root_g_r():
    for speed, mode in ((0.99, "R"), (1.01, "S")):
        v = speed * np.sqrt(9.81 * 2.0)
        contact = Contact((0, 1), (0, 0.0), 0.0, second_variation=v**2 / 2.0)
        assert list(motions(Body(1.0, 1.0), [contact], (0.0, -9.81, 0.0), (v, 0.0, 0.0)).modes) == [mode]
