from __future__ import annotations

import numpy as np

import holdfast as hf
from holdfast.assembly.plots import at_limit
from holdfast.scenes import load_scene
from holdfast.scenes.page_limit_marks import contacts_at_limit, joints_at_limit


def test_marks_agree_with_those_of_pictures() -> None:
    assembly = load_scene("@two_finger_gripper_pmd_pmd").assembly
    rng = np.random.default_rng(5)
    volume = assembly.contacts[0].volume
    ways = rng.normal(size=(len(assembly), 3))
    reach = np.array([float(volume.radial(way)) for way in ways])
    share = rng.choice([0.0, 0.5, 1.0], size=len(assembly))  # none, inside, on the border
    local = (share * reach)[:, None] * ways
    world = np.einsum("kij,kj->ki", assembly.rotations, local)
    marks = contacts_at_limit(assembly, local)
    assert (marks == at_limit(assembly, world)).all()
    real = reach * np.linalg.norm(ways, axis=1) > 1e-3 * volume.size  # not a direction without any force
    assert marks[(share == 1.0) & real].all()
    assert ((share == 1.0) & real).any()
    assert not marks[share == 0.0].any()


def test_joints_at_a_bound_are_marked() -> None:
    scene = load_scene("@two_opposed_units")
    limit = hf.load_limit(scene.assembly, scene.gravity_load())
    joints = scene.assembly.joints
    assert joints is not None
    assert limit.forces is not None
    values = joints.values(limit.forces)
    near = np.minimum(np.abs(values - joints.lower), np.abs(values - joints.upper)) < 1e-6 * np.abs(values)
    assert (joints_at_limit(scene.assembly, limit.forces) == near).all()
