"""Contacts of a Pinocchio collision query against the geometry they come from."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.robots.adapters import collision_contacts

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
coal = pytest.importorskip("coal", reason="Coal is not installed")


def crate(flipped: bool = False):
    """A crate (0.4 x 0.2 x 0.2 m) and a ball beside it on one body, over a floor; pairs either way round."""
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    model.appendBodyToJoint(joint, pin.Inertia.FromBox(2.0, 0.4, 0.2, 0.2), pin.SE3.Identity())
    geometry = pin.GeometryModel()
    shapes = [
        pin.GeometryObject("floor", 0, pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.5])), coal.Box(4.0, 4.0, 1.0)),
        pin.GeometryObject("crate", joint, pin.SE3.Identity(), coal.Box(0.4, 0.2, 0.2)),
        pin.GeometryObject("ball", joint, pin.SE3(np.eye(3), np.array([0.5, 0.0, 0.0])), coal.Sphere(0.1)),
    ]
    floor, box, ball = (geometry.addGeometryObject(shape) for shape in shapes)
    for pair in ((floor, box), (floor, ball), (box, ball)):
        geometry.addCollisionPair(pin.CollisionPair(*(pair[::-1] if flipped else pair)))
    return model, geometry


def at_height(model, height: float, yaw: float = 0.0):
    q = pin.neutral(model)
    q[2] = height
    q[3:7] = [0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)]
    return q


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("yaw", [0.0, 0.7])
def test_a_face_on_the_floor_touches_at_its_corners_and_a_ball_at_its_lowest_point(flipped, yaw):
    model, geometry = crate(flipped)
    points = collision_contacts(model, geometry, at_height(model, 0.09995, yaw), friction=0.5)
    turn = hf.rotation_about((0, 0, 1), yaw)
    box = points.of_links(["crate"])
    corners = np.array([[x, y, 0.0] for x in (-0.2, 0.2) for y in (-0.1, 0.1)]) @ turn.T
    assert len(box) == 4
    for corner in corners:
        assert np.linalg.norm(box.positions - corner, axis=1).min() < 1e-3
    ball = points.of_links(["ball"])
    assert ball.positions[0] == pytest.approx(turn @ [0.5, 0.0, 0.0], abs=1e-3)
    assert points.normals == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(points), 1)), abs=1e-6)
    assert points.gaps == pytest.approx(-5e-5, abs=1e-6)
    assert set(points.terrains) == {"floor"}


def test_the_crate_holds_where_its_weight_falls_between_the_points():
    model, geometry = crate()
    points = collision_contacts(model, geometry, at_height(model, 0.09995), friction=0.5)
    assembly = hf.Assembly(points.contacts())
    for x, holds in ((0.0, True), (0.49, True), (0.51, False), (-0.21, False)):
        assert hf.equilibrium(assembly, hf.loads.gravity_wrench(2.0, com=(x, 0.0, 0.1))).holds is holds


def test_nothing_touches_in_the_air_unless_a_gap_counts():
    model, geometry = crate()
    q = at_height(model, 0.105)
    assert len(collision_contacts(model, geometry, q)) == 0
    near = collision_contacts(model, geometry, q, gap=0.01)
    assert near.gaps == pytest.approx(0.005, abs=1e-6)


def test_the_body_may_be_some_of_the_geometries():
    model, geometry = crate()
    only = collision_contacts(model, geometry, at_height(model, 0.0999), body=["ball"])
    assert only.links == ("ball",)


def test_what_is_wrong_is_named():
    model, geometry = crate()
    q = at_height(model, 0.1)
    with pytest.raises(UnknownNameError, match="did you mean 'ball'"):
        collision_contacts(model, geometry, q, body=["bal"])
    with pytest.raises(InputError, match="q"):
        collision_contacts(model, geometry, q[:5])
    with pytest.raises(InputError, match="geometry"):
        collision_contacts(model, "geometry", q)
    with pytest.raises(InputError, match="addCollisionPair"):
        collision_contacts(model, pin.GeometryModel(), q)


@pytest.mark.parametrize("flipped", [False, True])
def test_a_can_stands_on_its_rim_in_either_order_of_the_pair(flipped):
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "can")
    model.appendBodyToJoint(joint, pin.Inertia.FromBox(2.0, 0.4, 0.2, 0.2), pin.SE3.Identity())
    geometry = pin.GeometryModel()
    place = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.1]))
    floor = geometry.addGeometryObject(pin.GeometryObject("floor", 0, place, coal.Box(2.0, 2.0, 0.2)))
    can = geometry.addGeometryObject(pin.GeometryObject("can", joint, pin.SE3.Identity(), coal.Cylinder(0.1, 0.2)))
    geometry.addCollisionPair(pin.CollisionPair(*((can, floor) if flipped else (floor, can))))
    points = collision_contacts(model, geometry, at_height(model, 0.0999), friction=0.5)
    assert len(points) >= 8
    assert np.hypot(*points.positions[:, :2].T) == pytest.approx(0.1, rel=0.05)
    assert points.normals == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(points), 1)), abs=1e-6)
    load = hf.loads.gravity_wrench(2.0, com=(0.03, 0.02, 0.1))
    assert hf.equilibrium(hf.Assembly(points.contacts()), load).holds
