"""Shapes are read for drawing; meshes that cannot be had are named in one warning."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast.errors import FileError, UnknownNameError
from holdfast.robots import Robot, RobotWarning
from holdfast.robots.urdf import read_urdf
from tests.robots.sample_robots import link, urdf


def meshed(*names: str) -> str:
    return urdf(
        link("a", 1.0, extra="".join(f'<visual><geometry><mesh filename="{n}"/></geometry></visual>' for n in names))
    )


def test_simple_shapes_come_with_size_and_pose():
    text = urdf(
        link(
            "a",
            1.0,
            extra='<visual><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><geometry><box size="1 2 3"/></geometry>'
            '</visual><collision><geometry><cylinder radius="0.1" length="2"/></geometry></collision>'
            '<visual><geometry><sphere radius="0.3"/></geometry></visual>',
        )
    )
    box, ball, tube = read_urdf(text).shapes
    assert (box.kind, ball.kind, tube.kind) == ("box", "sphere", "cylinder")
    assert box.size.tolist() == [1, 2, 3]
    assert_allclose(box.pose.apply((1, 0, 0)), (1, 3, 3), atol=1e-12)
    assert tube.size.tolist() == [0.1, 2.0, 0.0]
    assert tube.role == "collision"
    assert ball.size.tolist() == [0.3, 0.0, 0.0]


def test_missing_and_unknown_meshes_make_one_warning(tmp_path):
    (tmp_path / "here.stl").write_text("solid")
    path = tmp_path / "a.urdf"
    path.write_text(meshed("here.stl", "gone.obj", "odd.blend", "gone.obj"))
    with pytest.warns(RobotWarning) as seen:
        robot = Robot.from_urdf(path, base="fixed")
    assert len(seen) == 1
    assert "2 of 3 meshes" in str(seen[0].message)
    assert "'gone.obj' was not found" in str(seen[0].message)
    assert "'odd.blend' has an unknown format" in str(seen[0].message)
    assert robot.mass == 1.0


def test_meshes_can_be_required_or_ignored(tmp_path):
    path = tmp_path / "a.urdf"
    path.write_text(meshed("gone.obj"))
    with pytest.raises(FileError, match="was not found"):
        Robot.from_urdf(path, meshes="required")
    assert len(Robot.from_urdf(path, meshes="ignored").shapes) == 1
    with pytest.raises(UnknownNameError, match="did you mean 'ignored'"):
        Robot.from_urdf(path, meshes="ignore")  # pyright: ignore[reportArgumentType]


def test_package_names_are_found_above_the_file(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "urdf").mkdir()
    (tmp_path / "meshes" / "hip.stl").write_text("solid")
    path = tmp_path / "urdf" / "a.urdf"
    path.write_text(meshed("package://robot/meshes/hip.stl"))
    assert Robot.from_urdf(path, meshes="required").shapes[0].size.tolist() == np.ones(3).tolist()
