from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import SceneError
from holdfast.geometry.frames import rotation_about
from holdfast.grips import Grip, GripBounds, OuterGrip
from holdfast.postures import LazyGrip
from holdfast.postures.files_posture_reader import load_posture
from holdfast.postures.files_posture_scene import PostureScene
from holdfast.scenes import load_scene

Build = Callable[..., PostureScene]

HEAD = "holdfast: 1\nbody: {mass: 1.0}\n"
CORNERS = "[[1, 2, 3, 4, 5, 6], [-1, 0, 0, 0, 0, 0], [0, 0, -1, 0, 0, 0]]"
BOX = [[*row, 2.0] for row in np.vstack([np.eye(6), -np.eye(6)]).tolist()]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """A posture of hands at the origin with the grip given, and further hands."""

    def make(grip: str, *hands: str) -> PostureScene:
        path = tmp_path / "posture.yaml"
        entries = "".join(f"  - {hand}\n" for hand in (hands or ("{grip: g, position: [0, 0, 0]}",)))
        path.write_text(f"{HEAD}grips:\n  g: {grip}\nhands:\n{entries}", encoding="utf-8")
        return load_posture(path)

    return make


def test_vertices_and_rays_come_in_the_palm_frame_as_they_stand(build: Build) -> None:
    (grip,) = build(f"{{vertices: {CORNERS}, rays: [[0, 0, 2, 0, 0, 0]]}}").grips
    assert isinstance(grip, Grip)
    assert np.array_equal(grip.vertices, [[1, 2, 3, 4, 5, 6], [-1, 0, 0, 0, 0, 0], [0, 0, -1, 0, 0, 0]])
    assert grip.support([0, 0, 1.0, 0, 0, 0]) == np.inf


def test_a_grip_is_scaled_and_mirrored(build: Build) -> None:
    plain = build(f"{{vertices: {CORNERS}}}").grips[0]
    other = build(f"{{vertices: {CORNERS}, scale: 0.5, mirror: [0, 1, 0]}}").grips[0]
    # Forces mirror as vectors, torques as axial ones.
    assert np.allclose(other.vertices, 0.5 * plain.vertices * [1, -1, 1, -1, 1, -1])


def test_half_spaces_and_bounds(build: Build) -> None:
    outer = build(f"{{halfspaces: {BOX}}}").grips[0]
    assert isinstance(outer, OuterGrip)
    assert outer.support([0, 3.0, 0, 0, 0, 0]) == pytest.approx(6.0)
    bounds = build(f"{{inner: [[0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]], outer: {BOX}}}").grips[0]
    assert isinstance(bounds, GripBounds)
    assert len(bounds.inner.vertices) == 2


def test_bounds_that_cross_are_a_fault_of_the_file(build: Build) -> None:
    with pytest.raises(SceneError) as caught:
        build(f"{{inner: [[0, 0, 0, 0, 0, 0], [5, 0, 0, 0, 0, 0]], outer: {BOX}}}")
    assert caught.value.field == "grips.g"


def test_a_box_reaches_its_limits_in_every_component(build: Build) -> None:
    grip = build("{box: {lower: [-1, -2, -3, -4, -5, -6], upper: [1, 2, 3, 4, 5, 6]}}").grips[0]
    assert np.allclose([grip.support(row) for row in np.eye(6)], [1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize(("side", "compare"), [("inner", np.less_equal), ("outer", np.greater_equal)])
def test_a_friction_pyramid_is_inside_or_around_the_cone(build: Build, side: str, compare: np.ufunc) -> None:
    grip = build(f"{{coulomb: {{mu: 0.5, sides: 7, side: {side}}}}}").grips[0]
    forces = grip.rays[:, :3]
    assert not grip.rays[:, 3:].any()
    slope = np.linalg.norm(forces[:, :2], axis=1) / forces[:, 2]
    assert compare(slope, 0.5 + (1e-12 if side == "inner" else -1e-12)).all()


def test_a_stored_grip_is_found_beside_the_posture(build: Build, tmp_path: Path) -> None:
    grip = Grip.box([-1] * 6, [1] * 6)
    grip.save(tmp_path / "box.h5")
    assert build("{file: box.h5}").grips[0] == grip
    bounds = GripBounds(grip, OuterGrip(np.vstack([np.eye(6), -np.eye(6)]), np.full(12, 2.0)))
    bounds.save(tmp_path / "bounds.h5")
    assert isinstance(build("{file: bounds.h5}").grips[0], GripBounds)
    assert build("{file: bounds.h5, side: inner}").grips[0] == grip
    assert isinstance(build("{file: bounds.h5, side: outer}").grips[0], OuterGrip)


def test_a_truncated_grip_file_is_a_fault_at_its_line(build: Build, tmp_path: Path) -> None:
    Grip.box([-1] * 6, [1] * 6).save(tmp_path / "whole.h5")
    whole = (tmp_path / "whole.h5").read_bytes()
    (tmp_path / "half.h5").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SceneError, match=r"half\.h5") as caught:
        build("{file: half.h5}")
    assert caught.value.line == 4


def test_hands_with_one_grip_share_it(build: Build) -> None:
    scene = build("{coulomb: {mu: 0.5}}", "{grip: g, position: [0, 0, 0]}", "{grip: g, position: [1, 0, 0]}")
    assert scene.grips[0] is scene.grips[1]


def test_palms_stand_as_normal_shear_or_rotation_say(build: Build) -> None:
    scene = build(
        "{coulomb: {mu: 0.5}}",
        "{grip: g, position: [1, 2, 3], normal: [0, 1, 0], shear: [1, 1, 0]}",
        "{grip: g, position: [0, 0, 0], rotation: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}",
        "{grip: g, position: [0, 0, 0]}",
    )
    assert np.allclose(scene.poses[0].rotation, np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]).T)
    assert np.allclose(scene.poses[0].translation, [1, 2, 3])
    assert np.allclose(scene.poses[1].rotation, rotation_about([0, 0, 1], np.pi / 2))
    assert np.array_equal(scene.poses[2].rotation, np.eye(3))


def test_a_hand_with_a_scene_of_its_own_is_lazy(build: Build) -> None:
    grip = build("{scene: '@suction_cup', acting: reaction, palm: {position: [0, 0, 0.1]}}").grips[0]
    assert isinstance(grip, LazyGrip)
    assert grip.acting == "reaction"
    assert grip.palm is not None
    assert np.allclose(grip.palm.translation, [0, 0, 0.1])
    assert grip.assembly.fingerprint == load_scene("@suction_cup").assembly.fingerprint


def test_a_scene_can_be_learned_on_the_fly(build: Build) -> None:
    grip = build("{scene: '@two_opposed_units', learn: {n: 40, seed: 3}}").grips[0]
    assert isinstance(grip, GripBounds)
    directions = np.random.default_rng(0).normal(size=(20, 6))
    assert (grip.inner.support(directions) <= grip.outer.support(directions) * (1 + 1e-9) + 1e-9).all()


def test_links_with_a_weight_give_each_orientation_its_own_grip(build: Build) -> None:
    down = "{grip: g, position: [0, 0, 0]}"
    scene = build("{scene: '@two_finger_gripper_d_d'}", down, "{grip: g, position: [0, 0, 0], normal: [0, 1, 0]}", down)
    first, turned, again = scene.grips
    assert scene.hands_weigh
    assert first is again
    assert turned is not first
    hand = load_scene("@two_finger_gripper_d_d").with_gravity(scene.poses[1].rotation.T @ scene.gravity)
    assert hand.assembly.joints is not None
    assert np.allclose(turned.assembly.joints.upper, hand.assembly.joints.upper)
    assert not np.allclose(turned.assembly.joints.upper, first.assembly.joints.upper)
