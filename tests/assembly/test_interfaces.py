"""Contacts from shapes that touch: closed forms, and comparison with the distances of Coal."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

import holdfast as hf
from holdfast.assembly import contact_regions, touching
from holdfast.assembly.interfaces import CIRCLE
from holdfast.assembly.shapes import Box, Cylinder, Mesh, Sphere
from holdfast.errors import GeometryError, InputError, UnknownNameError
from holdfast.geometry.frames import Pose, rotation_about, wrench_matrix
from tests.nightly import nightly_after

UP = np.array([0.0, 0.0, 1.0])
FLOOR = Box(np.array([2.0, 2.0, 0.1]), Pose(np.eye(3), np.array([0.0, 0.0, -0.05])))


def box(size, at=(0.0, 0.0, 0.0), axis=UP, angle=0.0) -> Box:
    return Box(np.array(size, dtype=float), Pose(rotation_about(axis, angle), np.array(at, dtype=float)))


def hull_mesh(points) -> Mesh:
    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    for row, face in enumerate(faces):
        a, b, c = hull.points[face]
        if np.cross(b - a, c - a) @ hull.equations[row, :3] < 0.0:
            faces[row] = face[::-1]
    return Mesh(hull.points, faces)


def corners_of(shape: Box):
    signs = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    return shape.pose.apply(signs * shape.size)


def prism(outline, height, at=(0.0, 0.0, 0.0)) -> Mesh:
    """The mesh of an outline (m, 2) in the xy plane, counter-clockwise, from 0 to `height`; ends cut into triangles."""
    import shapely

    flat = np.array(outline, dtype=float)
    count = len(flat)
    points = np.concatenate([np.column_stack([flat, np.full(count, z)]) for z in (0.0, height)]) + np.array(at)
    numbers = {tuple(p): k for k, p in enumerate(flat)}
    faces = []
    for part in shapely.get_parts(shapely.constrained_delaunay_triangles(shapely.Polygon(flat))):
        a, b, c = (numbers[tuple(p)] for p in shapely.get_coordinates(part)[:3])
        if np.linalg.det([flat[b] - flat[a], flat[c] - flat[a]]) < 0.0:
            b, c = c, b
        faces += [(a, c, b), (a + count, b + count, c + count)]
    for k in range(count):
        j = (k + 1) % count
        faces += [(k, j, j + count), (k, j + count, k + count)]
    return Mesh(points, np.array(faces))


def moved(shape, pose: Pose):
    if isinstance(shape, Box):
        return Box(shape.size, pose @ shape.pose)
    if isinstance(shape, Sphere):
        return Sphere(shape.radius, pose.apply(shape.center))
    if isinstance(shape, Cylinder):
        return Cylinder(pose.apply(shape.center), pose.rotation @ shape.axis, shape.radius, shape.length)
    return Mesh(pose.apply(shape.vertices), shape.faces)


def one_region(regions):
    (region,) = regions
    return region


def same_points(one, two, tolerance=1e-9):
    assert len(one) == len(two)
    apart = np.linalg.norm(np.asarray(one)[:, None] - np.asarray(two)[None], axis=2)
    assert apart.min(axis=0).max() < tolerance
    assert apart.min(axis=1).max() < tolerance


# -- faces -----------------------------------------------------------------------------------------------


def test_boxes_stacked_with_an_offset_share_the_rectangle_of_their_overlap():
    shapes = {"lower": box([0.1, 0.1, 0.1], [0, 0, 0.05]), "upper": box([0.1, 0.08, 0.1], [0.03, 0.02, 0.15])}
    floor, pair = contact_regions(shapes, world=FLOOR)  # one shape, or a list
    assert (floor.name, pair.name) == ("lower on world", "upper on lower")
    np.testing.assert_allclose(pair.normal, UP, atol=1e-12)
    assert pair.area == pytest.approx(0.07 * 0.07)
    same_points(pair.corners, [(x, y, 0.1) for x in (-0.02, 0.05) for y in (-0.02, 0.05)])
    same_points(floor.corners, [(x, y, 0.0) for x in (-0.05, 0.05) for y in (-0.05, 0.05)])


def test_squares_turned_by_45_degrees_share_an_octagon():
    shapes = {"lower": box([1, 1, 1]), "upper": box([1, 1, 1], [0, 0, 1], UP, np.pi / 4)}
    region = one_region(contact_regions(shapes))
    assert len(region.corners) == 8
    assert region.area == pytest.approx(2.0 * np.sqrt(2.0) - 2.0)


def test_a_mesh_of_a_box_touches_as_the_box_does():
    lower, upper = box([0.3, 0.2, 0.1]), box([0.2, 0.2, 0.2], [0.1, 0.05, 0.15], UP, 0.3)
    as_boxes = one_region(contact_regions({"lower": lower, "upper": upper}))
    meshes = {"lower": hull_mesh(corners_of(lower)), "upper": hull_mesh(corners_of(upper))}
    region = one_region(contact_regions(meshes))
    same_points(region.corners, as_boxes.corners)
    np.testing.assert_allclose(region.normal, as_boxes.normal, atol=1e-12)


def test_a_box_on_an_open_sheet_stands_on_its_outer_side():
    grid = np.array([(x, y, 0.0) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)])
    faces = [(a, a + 3, a + 4) for a in (0, 1, 3, 4)] + [(a, a + 4, a + 1) for a in (0, 1, 3, 4)]
    region = one_region(
        contact_regions({"a": box([0.2, 0.4, 0.1], [0.1, 0, 0.05])}, world=[Mesh(grid, np.array(faces))])
    )
    np.testing.assert_allclose(region.normal, UP, atol=1e-12)
    assert region.area == pytest.approx(0.08)
    assert len(region.corners) == 4


def test_a_bridge_mesh_stands_on_its_two_feet():
    feet = [(0, 0), (1, 0), (1, 2), (3, 2), (3, 0), (4, 0), (4, 3), (0, 3)]  # seen from the side
    stand = moved(prism(feet, 1.0), Pose(rotation_about([1, 0, 0], np.pi / 2), np.zeros(3)))
    regions = contact_regions({"bridge": stand}, world=[box([9, 9, 1], [0, 0, -0.5])])
    assert [region.area for region in regions] == pytest.approx([1.0, 1.0])
    contacts = touching({"bridge": stand}, hf.models.coulomb(0.5), world=[box([9, 9, 1], [0, 0, -0.5])])
    same_points([c.position for c in contacts], [(x, y, 0.0) for x in (0, 4) for y in (0, -1)])


def test_an_overlap_that_is_not_convex_is_cut_into_convex_pieces_with_shares_of_the_area():
    outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    region = one_region(contact_regions({"a": prism(outline, 1.0)}, world=[box([9, 9, 1], [0, 0, -0.5])]))
    assert region.area == pytest.approx(3.0)
    assert len(region.corners) == 5  # of the hull
    points, shares = region.shared_points()
    assert len(points) == 6
    assert shares.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(shares @ points, [5.0 / 6.0, 5.0 / 6.0, 0.0], atol=1e-12)


def test_faces_that_open_by_a_small_angle_touch_where_they_are_closer_than_the_gap():
    tilt = 5e-4
    tilted = moved(box([1, 1, 1], [0.5, 0, 0.5]), Pose(rotation_about([0, 1, 0], -tilt), np.zeros(3)))
    region = one_region(contact_regions({"a": tilted}, world=[FLOOR], gap=1e-4))
    assert region.corners[:, 0].max() == pytest.approx(1e-4 / tilt, rel=1e-3)
    assert region.corners[:, 0].min() == pytest.approx(0.0, abs=1e-6)


def test_boxes_that_share_an_edge_or_a_corner_only_do_not_touch():
    cells = {f"{x}{y}{z}": box([1, 1, 1], [x, y, z]) for x, y, z in itertools.product(range(2), repeat=3)}
    regions = contact_regions(cells)
    assert len(regions) == 12  # the faces inside a cube of 8 cells
    assert all(region.area == pytest.approx(1.0) for region in regions)


def test_the_interfaces_of_a_wall_of_200_bricks_are_those_counted():
    bricks = {}
    for row, place in itertools.product(range(20), range(10)):
        bricks[f"{row}.{place}"] = box([0.2, 0.1, 0.05], [0.2 * place + 0.1 * (row % 2), 0, 0.05 * row + 0.025])
    regions = contact_regions(bricks, world=[box([9, 9, 1], [0, 0, -0.5])])
    ground = [region for region in regions if region.against is None]
    beside = [region for region in regions if abs(region.normal[0]) > 0.5]
    above = [region for region in regions if region.against is not None and region.normal[2] > 0.5]
    assert (len(ground), len(beside), len(above)) == (10, 20 * 9, 19 * 19)
    assert len(regions) == 10 + 180 + 361


# -- edges and corners -----------------------------------------------------------------------------------


def test_a_box_on_its_edge_touches_in_a_line_and_on_its_corner_in_a_point():
    on_edge = box([0.1, 0.3, 0.1], [0, 0, 0.05 * np.sqrt(2.0)], [0, 1, 0], np.pi / 4)
    line = one_region(contact_regions({"a": on_edge}, world=[FLOOR]))
    same_points(line.corners, [(0, -0.15, 0), (0, 0.15, 0)])
    assert line.area == 0.0
    tip = rotation_about([1, -1, 0], np.arccos(1.0 / np.sqrt(3.0)))
    on_corner = Box(np.full(3, 0.1), Pose(tip, np.array([0, 0, 0.05 * np.sqrt(3.0)])))
    point = one_region(contact_regions({"a": on_corner}, world=[FLOOR]))
    same_points(point.corners, [(0, 0, 0)])
    np.testing.assert_allclose(point.normal, UP, atol=1e-12)


def test_an_edge_that_overhangs_a_face_ends_at_its_border():
    on_edge = box([0.1, 0.3, 0.1], [0, 0.1, 0.05 * np.sqrt(2.0)], [0, 1, 0], np.pi / 4)
    line = one_region(contact_regions({"lower": box([0.2, 0.2, 0.1], [0, 0, -0.05]), "a": on_edge}))
    same_points(line.corners, [(0, -0.05, 0), (0, 0.1, 0)])


def test_two_roofs_crosswise_touch_where_their_ridges_cross():
    lower = box([0.1, 0.5, 0.1], [0, 0, -0.05 * np.sqrt(2.0)], [0, 1, 0], np.pi / 4)
    upper = box([0.5, 0.1, 0.1], [0.1, 0.05, 0.05 * np.sqrt(2.0)], [1, 0, 0], np.pi / 4)
    region = one_region(contact_regions({"lower": lower, "upper": upper}))
    same_points(region.corners, [(0, 0.05, 0)])
    np.testing.assert_allclose(region.normal, UP, atol=1e-12)


def test_a_stool_on_pointed_legs_touches_with_each_of_them():
    legs = [np.array([x, y, 0.0]) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
    parts = [
        hull_mesh(np.array([leg, *(leg * [0.9, 0.9, 1] + [dx, dy, 1] for dx, dy in ((0, 0), (0.1, 0), (0, 0.1)))]))
        for leg in legs
    ]
    regions = contact_regions({"stool": [*parts, box([2, 2, 0.2], [0, 0, 1.1])]}, world=[box([9, 9, 1], [0, 0, -0.5])])
    same_points([region.corners[0] for region in regions], legs)


# -- balls and cylinders -----------------------------------------------------------------------------------


def test_a_ball_touches_faces_edges_corners_and_balls_in_the_nearest_point():
    cube = box([1, 1, 1])
    r = 0.2
    for direction, foot in (((0, 0, 1), (0.1, 0.2, 0.5)), ((0, 1, 1), (0.1, 0.5, 0.5)), ((1, 1, 1), (0.5, 0.5, 0.5))):
        normal = np.array(direction) / np.linalg.norm(direction)
        region = one_region(contact_regions({"cube": cube, "ball": Sphere(r, np.array(foot) + r * normal)}))
        same_points(region.corners, [foot])
        np.testing.assert_allclose(region.normal, normal, atol=1e-12)
    region = one_region(contact_regions({"a": Sphere(0.3), "b": Sphere(0.1, np.array([0, 0.4, 0]))}))
    same_points(region.corners, [(0, 0.3, 0)])
    np.testing.assert_allclose(region.normal, [0, 1, 0], atol=1e-12)


def test_a_ball_in_a_groove_touches_both_sides():
    groove = prism([(-2, -1), (2, -1), (2, 2), (0, 0), (-2, 2)], 4.0, (0, 0, -2))
    regions = contact_regions({"ball": Sphere(0.5, np.array([0, 0.5 * np.sqrt(2.0), 0.1]))}, world=[groove])
    half = 0.5 * np.sqrt(0.5)
    same_points([region.corners[0] for region in regions], [(half, half, 0.1), (-half, half, 0.1)])


def test_a_cylinder_touches_a_face_with_its_mantle_its_end_or_its_rim():
    lying = Cylinder(np.array([0.1, 0, 0.05]), np.array([1.0, 1.0, 0]), 0.05, 0.4)
    line = one_region(contact_regions({"a": lying}, world=[FLOOR]))
    reach = 0.2 * np.sqrt(0.5)
    same_points(line.corners, [(0.1 - reach, -reach, 0), (0.1 + reach, reach, 0)])
    standing = Cylinder(np.array([0, 0, 0.2]), UP, 0.05, 0.4)
    disc = one_region(contact_regions({"a": standing}, world=[FLOOR]))
    assert len(disc.corners) == CIRCLE
    np.testing.assert_allclose(np.linalg.norm(disc.corners, axis=1), 0.05)
    lean = 0.3
    axis = np.array([np.sin(lean), 0, np.cos(lean)])
    tilted = Cylinder(np.array([0, 0, 0.2 * np.cos(lean) + 0.05 * np.sin(lean)]), axis, 0.05, 0.4)
    point = one_region(contact_regions({"a": tilted}, world=[FLOOR]))
    same_points(point.corners, [(-0.2 * np.sin(lean) + 0.05 * np.cos(lean), 0, 0)])


def test_a_cylinder_on_an_edge_a_corner_and_other_cylinders():
    block = box([1, 1, 1], [0, 0, -0.5])
    away = np.array([1.0, 0, 1.0]) / np.sqrt(2.0)
    along = Cylinder(np.array([0.5, 0.2, 0]) + 0.1 * away, np.array([0, 1.0, 0]), 0.1, 0.5)
    line = one_region(contact_regions({"block": block, "a": along}))
    same_points(line.corners, [(0.5, -0.05, 0), (0.5, 0.45, 0)])
    np.testing.assert_allclose(line.normal, away, atol=1e-12)
    across = Cylinder(np.array([0.5, 0.2, 0]) + 0.1 * away, np.array([1.0, 0, -1.0]), 0.1, 0.5)
    same_points(one_region(contact_regions({"block": block, "a": across})).corners, [(0.5, 0.2, 0)])
    pipes = {"a": Cylinder(np.zeros(3), UP, 0.1, 1.0), "b": Cylinder(np.array([0.3, 0, 0.2]), UP, 0.2, 1.0)}
    same_points(one_region(contact_regions(pipes)).corners, [(0.1, 0, -0.3), (0.1, 0, 0.5)])
    crossed = {"a": pipes["a"], "b": Cylinder(np.array([0.3, 0.1, 0.2]), np.array([0, 1.0, 0]), 0.2, 1.0)}
    same_points(one_region(contact_regions(crossed)).corners, [(0.1, 0, 0.2)])
    rolling = {"a": pipes["a"], "ball": Sphere(0.2, np.array([0.3, 0, 0.2]))}
    same_points(one_region(contact_regions(rolling)).corners, [(0.1, 0, 0.2)])


def test_a_cylinder_in_the_notch_of_a_v_block_touches_both_sides_along_lines():
    groove = prism([(-2, -1), (2, -1), (2, 2), (0, 0), (-2, 2)], 4.0, (0, 0, -2))
    rod = Cylinder(np.array([0, 0.5 * np.sqrt(2.0), 0.0]), UP, 0.5, 3.0)
    regions = contact_regions({"rod": rod}, world=[groove])
    half = 0.5 * np.sqrt(0.5)
    expected = [(sign * half, half, z) for sign in (-1, 1) for z in (-1.5, 1.5)]
    same_points(np.concatenate([region.corners for region in regions]), expected)


# -- any two convex shapes, by the distance of Coal --------------------------------------------------------


def random_shape(rng, kind):
    if kind == "box":
        return Box(rng.uniform(0.5, 1.5, 3), Pose(rotation_about(rng.normal(size=3), rng.uniform(0, 3)), np.zeros(3)))
    if kind == "mesh":
        return hull_mesh(rng.normal(size=(12, 3)))
    if kind == "sphere":
        return Sphere(float(rng.uniform(0.3, 1.0)))
    return Cylinder(np.zeros(3), rng.normal(size=3), float(rng.uniform(0.3, 1.0)), float(rng.uniform(0.5, 2.0)))


def coal_distance(coal, a, b):
    def convex(shape):
        if isinstance(shape, Mesh):
            points = coal.StdVec_Vec3s()
            points.extend(list(shape.vertices))
            return coal.Convex.convexHull(points, False, ""), coal.Transform3s()
        if isinstance(shape, Sphere):
            return coal.Sphere(shape.radius), coal.Transform3s(np.eye(3), shape.center)
        solid = coal.Box(*shape.size) if isinstance(shape, Box) else coal.Cylinder(shape.radius, shape.length)
        return solid, coal.Transform3s(shape.pose.rotation, shape.pose.translation)

    result = coal.DistanceResult()
    return coal.distance(*convex(a), *convex(b), coal.DistanceRequest(), result), result


KINDS = ("box", "mesh", "sphere", "cylinder")


@pytest.mark.parametrize("seed", nightly_after(4, range(100)))
def test_shapes_pushed_together_touch_where_coal_finds_them_nearest(seed):
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng(seed)
    for one, two in itertools.combinations_with_replacement(KINDS, 2):
        a, b = random_shape(rng, one), random_shape(rng, two)
        push = rng.normal(size=3)
        push /= np.linalg.norm(push)
        near, far = 0.0, 20.0
        while far - near > 1e-9:
            middle = 0.5 * (near + far)
            distance = coal_distance(coal, moved(a, Pose(np.eye(3), middle * push)), b)[0]
            near, far = (near, middle) if distance > 2e-6 else (middle, far)
        a = moved(a, Pose(np.eye(3), far * push))
        distance, result = coal_distance(coal, a, b)
        assert 0.0 < distance < 1e-5
        regions = contact_regions({"b": b, "a": a}, gap=1e-4)  # several where a line ends next to a point
        middle = 0.5 * (np.array(result.getNearestPoint1()) + np.array(result.getNearestPoint2()))
        along = np.linspace(0, 1, 1001)[:, None]
        points = np.concatenate([along * region.corners[0] + (1 - along) * region.corners[-1] for region in regions])
        assert np.linalg.norm(points - middle, axis=1).min() < 1e-2  # a line where an edge lies on a face to 1e-3 rad
        apart = np.array(result.getNearestPoint1()) - np.array(result.getNearestPoint2())
        away = apart / np.linalg.norm(apart)
        for region in regions:
            np.testing.assert_allclose(region.normal, away, atol=2e-2)
        with pytest.raises(GeometryError, match=r"a and b: penetrate each other by 0\.0[012]"):
            contact_regions({"b": b, "a": moved(a, Pose(np.eye(3), -0.02 * away))}, gap=1e-4)
        assert not contact_regions({"b": b, "a": moved(a, Pose(np.eye(3), 0.02 * away))}, gap=1e-4)


# -- axioms ------------------------------------------------------------------------------------------------

SCENES = {
    "stack": {"lower": box([0.3, 0.2, 0.1]), "upper": box([0.2, 0.2, 0.2], [0.1, 0.05, 0.15], UP, 0.3)},
    "meshes": {
        "lower": prism([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], 1.0),
        "upper": prism([(0.5, 0.5), (1.5, 0.5), (1.2, 2.5)], 0.5, (0, 0, 1.0)),
    },
    "edge": {"lower": box([0.2, 0.2, 0.1], [0, 0, -0.05]),
             "upper": box([0.1, 0.3, 0.1], [0, 0.1, 0.05 * np.sqrt(2.0)], [0, 1, 0], np.pi / 4)},
    "ball": {"lower": box([1, 1, 1]), "upper": Sphere(0.2, np.array([0.1, 0.2, 0.7]))},
    "rod": {"lower": box([1, 1, 1]), "upper": Cylinder(np.array([0.1, 0.2, 0.7]), np.array([1.0, 0.3, 0]), 0.2, 0.5)},
    "post": {"lower": box([1, 1, 1]), "upper": Cylinder(np.array([0.4, 0.2, 0.7]), UP, 0.2, 0.4)},
}  # fmt: skip


@pytest.mark.parametrize("name", SCENES)
def test_regions_are_the_same_from_either_side_and_after_a_rigid_motion(name):
    shapes = SCENES[name]
    region = one_region(contact_regions(shapes))
    swapped = one_region(contact_regions({key: shapes[key] for key in ("upper", "lower")}))
    assert (swapped.body, swapped.against) == ("lower", "upper")
    same_points(swapped.corners, region.corners)
    np.testing.assert_allclose(swapped.normal, -region.normal, atol=1e-9)
    pose = Pose(rotation_about([1, 2, -0.5], 2.0), np.array([3.0, -1.0, 0.5]))
    turned = one_region(contact_regions({key: moved(shape, pose) for key, shape in shapes.items()}))
    tolerance = 0.01 if name == "post" else 1e-7  # the corners on a circle may turn
    if name != "post":
        same_points(turned.corners, pose.apply(region.corners), tolerance)
    np.testing.assert_allclose(turned.normal, pose.rotation @ region.normal, atol=1e-9)
    assert turned.area == pytest.approx(region.area, rel=tolerance, abs=1e-12)


# -- contacts ----------------------------------------------------------------------------------------------


def test_corners_bear_exactly_what_forces_of_a_cone_anywhere_on_the_face_bear():
    shapes = {"lower": box([1, 1, 1]), "upper": box([1, 1, 1], [0.2, 0.1, 1], UP, 0.5)}
    volume = hf.models.coulomb(0.4)
    contacts = touching(shapes, volume)
    region = one_region(contact_regions(shapes))
    corners = np.array([c.position for c in contacts])
    inside = np.random.default_rng(3).dirichlet(np.ones(len(corners)), 60) @ corners
    rays = contacts[0].rotation @ volume.rays[0].T

    def least_ray(points, load):
        """The largest s with s * load borne by cone forces at the points with a total normal force of 1."""
        columns = np.concatenate([wrench_matrix([p]) @ rays for p in points], axis=1)
        total = np.tile(region.normal @ rays, len(points))
        equal = np.vstack([np.column_stack([columns, -load]), np.append(total, 0.0)])
        answer = linprog(-np.eye(equal.shape[1])[-1], A_eq=equal, b_eq=np.append(np.zeros(6), 1.0), bounds=(0, None))
        return -answer.fun if answer.status == 0 else None

    for load in np.random.default_rng(4).normal(size=(10, 6)):
        force = rays @ np.random.default_rng(5).uniform(size=rays.shape[1])
        wrench = wrench_matrix([inside[0]]) @ force + 0.1 * wrench_matrix([inside[1]]) @ rays[:, 0] + 0.0 * load
        assert least_ray(corners, wrench) is not None
        both = least_ray(np.concatenate([corners, inside]), load + wrench)
        alone = least_ray(corners, load + wrench)
        assert (both is None) == (alone is None)
        if both is not None:
            assert alone == pytest.approx(both, rel=1e-6)


def test_contacts_name_their_bodies_and_share_one_frame_with_the_wanted_shear_direction():
    shapes = {"lower": box([1, 1, 1]), "upper": box([1, 1, 1], [0.2, 0.1, 1])}
    contacts = touching(shapes, hf.models.coulomb(0.4), shear=[0.0, 1.0, 0.0])
    assert {(c.body, c.against) for c in contacts} == {("upper", "lower")}
    assert [c.name for c in contacts] == [f"upper on lower[{k}]" for k in range(4)]
    for contact in contacts:
        np.testing.assert_allclose(contact.rotation[:, 0], [0, 1, 0], atol=1e-12)
        np.testing.assert_allclose(contact.rotation[:, 2], UP, atol=1e-12)
    assert len({id(c.volume) for c in contacts}) == 1
    vertical = touching(shapes, hf.models.coulomb(0.4), shear=UP)
    assert vertical[0].rotation[:, 2] @ UP == pytest.approx(1.0)


def test_a_limited_volume_is_divided_among_the_points_of_its_face():
    capped = hf.models.coulomb(0.5).capped([0, 0, 1], 12.0)
    shapes = {"lower": box([1, 1, 1]), "upper": box([1, 0.5, 1], [0.2, 0.1, 1])}
    with pytest.raises(InputError, match='give share="region"'):
        touching(shapes, capped)
    for share, total in (("region", 12.0), ("area", 12.0 * 0.8 * 0.5)):
        contacts = touching(shapes, capped, share=share)
        assert sum(c.volume.support([0, 0, 1]) for c in contacts) == pytest.approx(total)
    assert touching(shapes, capped, share="point")[0].volume is capped
    edge = SCENES["edge"]
    assert sum(c.volume.support([0, 0, 1]) for c in touching(edge, capped, share="region")) == pytest.approx(12.0)
    with pytest.raises(GeometryError, match="upper on lower: touch in a line"):
        touching(edge, capped, share="area")


def test_the_points_of_a_face_with_a_union_share_one_piece():
    union = hf.models.coulomb(0.5).capped([0, 0, 1], 5.0).union(hf.models.coulomb(0.2).capped([0, 0, 1], 9.0))
    contacts = touching({"a": box([1, 1, 1], [0, 0, 0.5])}, union, world=[FLOOR], share="region")
    assert len({id(c.unit) for c in contacts}) == 1
    assert contacts[0].unit is not None


def test_only_the_pairs_that_are_asked_for_are_looked_at():
    shapes = {"a": box([1, 1, 1]), "b": box([1, 1, 1], [0, 0, 1]), "c": box([1, 1, 1], [0, 0, 2])}
    regions = contact_regions(shapes, world=[box([9, 9, 1], [0, 0, -1])], pairs=[("a", "b"), ("a", "world")])
    assert [region.name for region in regions] == ["a on b", "a on world"]
    np.testing.assert_allclose(regions[0].normal, -UP)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"pairs": [("a", "bb")]}, UnknownNameError, "did you mean 'b'"),
        ({"pairs": [("a", "a")]}, InputError, "does not touch itself"),
        ({"pairs": ["ab"]}, InputError, "give two names"),
        ({"gap": 0.0}, InputError, "gap"),
        ({"shapes": {"world": box([1, 1, 1])}}, InputError, "give the body another name"),
        ({"shapes": {"a": "box"}}, InputError, "a: is a str"),
        ({"shapes": {"a": Cylinder(np.zeros(3), UP, 1.0, 1.0, 0.5)}}, GeometryError, "a: is a curved plate"),
        ({"shapes": {"a": box([1, 1, 1]), "b": box([1, 1, 1], [0, 0, 0.9])}}, GeometryError,
         "b and a: penetrate each other by 0.1 m"),
        ({"share": "corner"}, InputError, 'give "point", "region" or "area"'),
    ],
)  # fmt: skip
def test_bad_input_is_named(change, error, words):
    arguments = {"shapes": {"a": box([1, 1, 1]), "b": box([1, 1, 1], [0, 0, 1])}, "volume": hf.models.coulomb(0.5)}
    with pytest.raises(error, match=words):
        touching(**(arguments | change))


def test_meshes_that_are_not_convex_and_go_through_each_other_are_named():
    bent = prism([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], 1.0)
    with pytest.raises(GeometryError, match="bar and bent: penetrate each other by 0.1"):
        contact_regions({"bent": bent, "bar": box([0.2, 0.2, 1.0], [0.5, 0.5, 1.4])})
    notch = box([0.8, 0.8, 0.8], [1.4, 1.4, 0.5])  # stands in the corner of the L, touching both sides
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        regions = contact_regions({"bent": bent, "block": notch})
    assert sorted(region.area for region in regions) == pytest.approx([0.64, 0.64])
