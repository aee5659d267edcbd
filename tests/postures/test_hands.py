"""Lazy grips: supports and confirmations in the palm frame, and the body's margin against the flat problem."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.devices import four_finger_hand
from holdfast.errors import FrameError, InputError, UnitError, UnknownNameError
from holdfast.geometry.frames import Pose, rotation_about, transports, wrench_transport
from holdfast.grips import Grip, GripBounds, OuterGrip, cone_grip
from holdfast.postures import LazyGrip, flat_assembly, posture_equilibrium, posture_margin
from holdfast.postures.hands import (
    PostureScene,
    are_rigid,
    arrays_of,
    checked_hands,
    checked_wrench,
    checked_wrenches,
)
from holdfast.solvers import Status
from tests.postures.full import random_pose, still

PALM = Pose(rotation_about([1, 2, 0.5], 0.8), np.array([0.05, 0.0, 0.1]))


def hook(cap: float = 30.0) -> hf.Assembly:
    """Three suction cups and a torque row over two of them."""
    volume = hf.models.suction(10.0, 0.6, cap=cap, facets=8)
    rng = np.random.default_rng(3)
    contacts = [hf.Contact(rng.normal(size=3) * 0.05, random_pose(rng).rotation, volume) for _ in range(3)]
    rows = hf.JointRows(np.r_[rng.normal(size=6) * 0.05, np.zeros(3)][None], np.array([-0.4]), np.array([0.7]))
    return hf.Assembly(contacts, rows)


@pytest.mark.parametrize("acting", ["direct", "reaction"])
def test_supports_are_those_of_the_wrench_space_seen_from_the_palm(acting: str) -> None:
    grip = LazyGrip(hook(), palm=PALM, acting=acting)  # type: ignore[arg-type]
    ways = np.random.default_rng(1).normal(size=(6, 6)) * np.repeat([1.0, 20.0], 3)
    found = grip.supports(ways)
    sign = -1.0 if acting == "direct" else 1.0  # of the external wrench that is held when the body gets w
    transport = PALM.wrench_transport()
    for way, value, point in zip(ways, found.values, found.points, strict=True):
        assert way @ point == pytest.approx(value, rel=1e-9)
        assert grip.confirm(point * (1 - 1e-9)).holds
        assert grip.support_bound(way) == pytest.approx(value, rel=1e-7)
        normal = sign * np.linalg.solve(transport.T, way)  # way . w = normal . (sign T w)
        assert hf.wrench_spaces.wrench_supports(hook(), normal[None]).values[0] == pytest.approx(value, rel=1e-7)


@pytest.mark.parametrize("acting", ["direct", "reaction"])
def test_flat_and_lazy_agree_for_convex_volumes(acting: str) -> None:
    rng = np.random.default_rng(5)
    grips = [LazyGrip(hook(cap), palm=PALM, acting=acting) for cap in (20.0, 30.0)]  # type: ignore[arg-type]
    poses = [random_pose(rng) for _ in range(2)]
    flat = flat_assembly(grips, poses)
    for way in rng.normal(size=(3, 6)) * np.repeat([1.0, 0.3], 3):
        margin = posture_margin(grips, poses, np.zeros(6), way)
        limit = hf.load_limit(flat, way)
        assert margin.status is Status.OPTIMAL
        assert margin.value == pytest.approx(limit.value, rel=1e-9)
        assert margin.verify()
        near = posture_equilibrium(grips, poses, 0.999 * limit.value * way)
        assert near.holds
        assert near.verify()
        assert all(forces is not None and forces.shape == (3, 3) for forces in near.forces)
        beyond = posture_equilibrium(grips, poses, 1.001 * limit.value * way)
        assert beyond.status is Status.DOES_NOT_HOLD
        assert beyond.verify()


def test_cones_without_a_limit_answer_as_their_generators_do() -> None:
    contacts = [hf.Contact((x, 0, 0), np.eye(3), hf.models.coulomb(0.5, facets=8)) for x in (0.0, 0.3)]
    assembly = hf.Assembly(contacts)
    poses = still([0, 0, 0], [0, 1, 0])
    load = hf.loads.gravity_wrench(5.0, com=(0.1, 0.4, 1.0)) + np.r_[3.0, 0, 0, 0, 0, 0]
    lazy = posture_equilibrium(LazyGrip(assembly), poses, load)
    exact = posture_equilibrium(cone_grip(assembly), poses, load)
    assert lazy.status is exact.status is Status.HOLDS
    assert lazy.verify()
    sideways = posture_margin(LazyGrip(assembly), poses, load, [1, 0, 0, 0, 0, 0])
    assert sideways.value == pytest.approx(
        posture_margin(cone_grip(assembly), poses, load, [1, 0, 0, 0, 0, 0]).value, rel=1e-9
    )


def test_hands_of_unions_are_bracketed_by_their_hulls_and_what_is_confirmed() -> None:
    grip = LazyGrip(four_finger_hand().assembly(), acting="reaction")
    poses = [Pose(rotation_about([0, 0, 1], 1.5 * i), np.array([np.cos(i), np.sin(i), 0.1 * i])) for i in range(2)]
    load = hf.loads.gravity_wrench(30.0, com=(0.3, 0.2, 0.0))
    margin = posture_margin(grip, poses, np.zeros(6), load)
    flat = flat_assembly(grip, poses)
    hulls = hf.load_limit(flat.hulled(), load)
    assert margin.upper_bound == pytest.approx(hulls.value, rel=1e-9)
    assert 0.9 * margin.upper_bound <= margin.value <= margin.upper_bound
    assert margin.verify()
    assert hf.equilibrium(flat, margin.value * load).holds
    beyond = posture_equilibrium(grip, poses, 1.001 * margin.upper_bound * load)
    assert beyond.status is Status.DOES_NOT_HOLD
    held = posture_equilibrium(grip, poses, 0.5 * margin.value * load)
    assert held.verify()
    assert held.gap == pytest.approx(margin.gap, abs=1e-3)


def test_bad_lazy_grips_are_refused() -> None:
    with pytest.raises(InputError, match="assembly"):
        LazyGrip("4FH")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="acting"):
        LazyGrip(hook(), acting="both")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="palm"):
        LazyGrip(hook(), palm=np.eye(4))  # type: ignore[arg-type]
    with pytest.raises(FrameError):
        LazyGrip(hook(), palm=Pose(2.0 * np.eye(3), np.zeros(3)))


SIZES = np.repeat([1.0, 0.1], 3)


def coned_hands(seed: int, *, joints: bool) -> tuple[list[LazyGrip], list[Pose], np.ndarray]:
    """Hands of cones without limits and of cups, some at tidy places, where cuts lie on the borders of the cones."""
    rng = np.random.default_rng(seed)
    volumes = [hf.models.coulomb(0.7, facets=8), hf.models.suction(10.0, 0.6, cap=30.0, facets=6)]
    tidy = seed % 2 == 0
    grips, poses = [], []
    for _ in range(int(rng.integers(1, 3))):
        n = int(rng.integers(1, 4))
        contacts = []
        for i in range(n):
            place, lean = rng.normal(size=3) * 0.1, 0.4 * rng.normal(size=3) + [0, 0, 1]
            turn = np.eye(3) if tidy else hf.frame_from_normal(lean)
            contacts.append(hf.Contact(place.round(1) if tidy else place, turn, volumes[0 if i == 0 else i % 2]))
        jacobian = rng.normal(size=(1, 3 * n)) * 0.05
        limits = np.array([-np.inf if seed % 3 == 0 else -rng.random()]), np.array([rng.random()])
        assembly = hf.Assembly(contacts, hf.JointRows(jacobian, *limits) if joints else None)
        acting = "direct" if tidy or seed % 3 else "reaction"
        grips.append(LazyGrip(assembly, palm=None if tidy else PALM, acting=acting))
        shift = rng.normal(size=3) * 0.5
        poses.append(Pose(np.eye(3), shift.round(1)) if tidy else random_pose(rng))
    middle = np.mean([pose.translation for pose in poses], axis=0)
    load = hf.loads.gravity_wrench(2.0, com=middle) if seed % 4 < 2 else rng.normal(size=6) * 10.0 * SIZES
    return grips, poses, load


@pytest.mark.parametrize("joints", [False, True])
def test_hands_of_cones_answer_as_the_flat_problem_does(joints: bool) -> None:
    seen = set()
    for seed in range(14):
        grips, poses, load = coned_hands(seed, joints=joints)
        flat = flat_assembly(grips, poses)
        answer = posture_equilibrium(grips, poses, load)
        assert answer.status is hf.equilibrium(flat, load).status
        assert answer.verify()
        margin, limit = posture_margin(grips, poses, np.zeros(6), load), hf.load_limit(flat, load)
        assert margin.status is limit.status
        if limit.status is Status.OPTIMAL:
            assert margin.value == pytest.approx(limit.value, rel=1e-7, abs=1e-7)
            assert margin.verify()
        seen.add(answer.status)
    assert seen == {Status.HOLDS, Status.DOES_NOT_HOLD}


def test_hands_of_cones_without_joints_answer_as_their_exact_grips_do() -> None:
    for seed in range(14):
        grips, poses, load = coned_hands(seed, joints=False)
        exact = [cone_grip(grip.assembly, acting=grip.acting, palm=grip.palm) for grip in grips]
        way = np.random.default_rng(seed).normal(size=6) * SIZES
        ours, theirs = (posture_margin(hands, poses, load, way) for hands in (grips, exact))
        assert ours.status is theirs.status
        assert ours.value == pytest.approx(theirs.value, rel=1e-7, abs=1e-7)
        ours, theirs = (posture_equilibrium(hands, poses, load) for hands in (grips, exact))
        assert ours.status is theirs.status
        assert ours.scale_interval == pytest.approx(theirs.scale_interval, rel=1e-7, abs=1e-7)


def test_a_cut_on_the_border_of_a_cone_is_not_taken_for_a_ray() -> None:
    foot = LazyGrip(hf.Assembly([hf.Contact((0.1, 0.1, 0.0), np.eye(3), hf.models.coulomb(0.7))]))
    poses = still([-0.3, 0, 0], [0.3, 0, 0])
    beside = posture_equilibrium(foot, poses, [0, 0, -10.0, 0, 0, 0])  # the feet stand on y = 0.1
    assert beside.status is Status.DOES_NOT_HOLD
    assert beside.verify()
    assert beside.scale_interval == (0.0, 0.0)
    between = posture_equilibrium(foot, poses, [0, 0, -10.0, -1.0, 0, 0])
    assert between.holds
    assert between.verify()
    assert posture_margin(foot, poses, np.zeros(6), [0, 0, -10.0, 0, 0, 0]).value == pytest.approx(0.0, abs=1e-12)


def test_scale_intervals_of_lazy_hands_are_never_turned_round() -> None:
    for seed in range(14):
        grips, poses, load = coned_hands(seed, joints=False)
        low, high = posture_equilibrium(grips, poses, load).scale_interval
        assert low <= high or (low, high) == (np.inf, -np.inf)


# Hands: poses in all their forms, and what is wrong with those that are none.

GRIP = Grip.box([-1] * 6, [1] * 6)
TURN = rotation_about([1, 2, 3], 0.7)
SHIFT = np.array([0.1, -0.2, 0.3])
MATRIX = np.block([[TURN, SHIFT[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])


@pytest.mark.parametrize(
    "poses",
    [
        Pose(TURN, SHIFT),
        (TURN, SHIFT),
        [TURN.tolist(), SHIFT.tolist()],
        MATRIX,
        [(TURN, SHIFT)],
        MATRIX[None],
        [MATRIX],
    ],
)
def test_every_form_of_a_pose_gives_the_same_hand(poses: Any) -> None:
    hands = checked_hands(GRIP, poses)
    assert len(hands) == 1
    assert hands.maps[0] == pytest.approx(wrench_transport(TURN, SHIFT), abs=1e-15)


def test_two_poses_are_not_taken_for_one() -> None:
    assert len(checked_hands(GRIP, [(TURN, SHIFT), (np.eye(3), np.zeros(3))])) == 2
    assert len(checked_hands(GRIP, (Pose(TURN, SHIFT), Pose.identity()))) == 2


def test_transports_are_those_of_the_frames_room() -> None:
    poses = [Pose(rotation_about([1, 0, i], 0.3 * i + 0.1), SHIFT * i) for i in range(4)]
    expected = [wrench_transport(pose.rotation, pose.translation) for pose in poses]
    assert transports(*arrays_of(poses)) == pytest.approx(np.array(expected), abs=1e-15)


@pytest.mark.parametrize(
    ("poses", "kind", "where"),
    [
        ([(np.eye(3), SHIFT), (2.0 * np.eye(3), SHIFT)], FrameError, r"poses\[1\]"),
        ([(np.diag([1.0, 1.0, -1.0]), SHIFT)], FrameError, r"poses\[0\].*left-handed"),
        ([MATRIX + np.eye(4)[[3]].T * 0.1], FrameError, r"poses\[0\]"),
        ([(np.eye(3), [0.0, np.nan, 0.0])], InputError, r"poses\[0\]"),
        ([(np.eye(3), [0.0, 2e4, 0.0])], UnitError, r"poses\[0\]"),
        ([], InputError, "poses: is empty"),
        (3.0, InputError, "poses"),
        ([np.zeros(7)], InputError, r"poses\[0\]"),
    ],
)
def test_what_is_no_rigid_pose_is_refused_by_its_number(poses: Any, kind: type[Exception], where: str) -> None:
    with pytest.raises(kind, match=where):
        checked_hands(GRIP, poses)


def test_numbers_and_kinds_of_grips_are_checked() -> None:
    poses = [Pose.identity(), Pose(TURN, SHIFT)]
    with pytest.raises(InputError, match="grips: is empty"):
        checked_hands([], poses)
    with pytest.raises(InputError, match="2 for 3 hands"):
        checked_hands([GRIP] * 3, poses)
    with pytest.raises(InputError, match=r"grips\[1\].*ndarray"):
        checked_hands([GRIP, np.zeros((4, 6))], poses)
    with pytest.raises(InputError, match="grips: is a str"):
        checked_hands("hand", poses)
    with pytest.raises(InputError, match="grips: is a NoneType"):
        checked_hands(None, poses)


def test_grips_come_from_anything_to_go_through() -> None:
    hands = checked_hands((grip for grip in (GRIP, GRIP)), [Pose.identity(), Pose(TURN, SHIFT)])
    assert hands.grips == (GRIP, GRIP)


def test_wrenches_and_gravities_of_no_such_size_are_units_mistaken() -> None:
    tiny = np.array([0.0, 0.0, 1e-200, 0.0, 0.0, 0.0])
    with pytest.raises(UnitError, match="wrench: has no part above 1e-200"):
        checked_wrench("wrench", tiny)
    with pytest.raises(UnitError, match="wrench: has a part of 1e"):
        checked_wrench("wrench", np.full(6, 1e13))
    with pytest.raises(UnitError, match=r"wrenches\[1\]: has no part above"):
        checked_wrenches("wrenches", [np.zeros(6), tiny], 2)
    assert checked_wrenches("wrenches", np.arange(6.0), 2).tolist() == [list(range(6))] * 2
    assert checked_wrench("wrench", 1e190 * tiny)[2] == pytest.approx(1e-10)
    with pytest.raises(UnitError, match="gravity"):
        checked_hands(GRIP, Pose.identity(), gravity=(0.0, 0.0, -1e20))


def test_a_grip_learned_under_gravity_must_be_held_as_it_was_learned() -> None:
    down = np.array([0.0, 0.0, -9.81])
    learned = Grip(GRIP.vertices, palm_gravity=TURN.T @ down)
    checked_hands(learned, Pose(TURN, SHIFT), gravity=down)
    checked_hands(learned, Pose(TURN, SHIFT))
    with pytest.raises(InputError, match=r"poses\[0\].*gravity"):
        checked_hands(learned, Pose.identity(), gravity=down)
    with pytest.raises(InputError, match=r"poses\[1\].*grips\[0\]"):  # whatever down is, the two do not agree
        checked_hands(learned, [Pose(TURN, SHIFT), Pose.identity()])


def test_the_sides_of_bounds_are_picked_out() -> None:
    bounds = GripBounds(GRIP.scaled(0.5), OuterGrip.box([-1] * 6, [1] * 6))
    hands = checked_hands([bounds, GRIP], [Pose.identity()] * 2)
    assert hands.has_bounds
    assert hands.sided("inner").grips[0] is bounds.inner
    assert hands.sided("outer").grips[0] is bounds.outer
    assert hands.sided("outer").grips[1] is GRIP


def test_the_quick_look_at_matrices_finds_what_is_not_rigid() -> None:
    assert are_rigid(np.array([MATRIX, np.eye(4)]))
    for change in (np.diag([1.0, 1.0, -1.0, 1.0]), 1.1 * np.eye(4), np.eye(4) + np.eye(4)[[0]].T @ np.eye(4)[[1]]):
        assert not are_rigid(np.array([MATRIX, change]))


# Flat assemblies: the hands' contacts in the world, forces on the body, a block of joint rows each.

POSE = Pose(rotation_about([0, 1, 0], 0.5), np.array([1.0, 2.0, 3.0]))
PALM_FLAT = Pose(rotation_about([1, 0, 0], 0.2), np.array([0.0, 0.1, 0.0]))


def finger() -> hf.Assembly:
    """Two contacts, the first on a joint."""
    volume = hf.models.suction(20.0, 0.5, facets=4, cap=50.0)
    contacts = [hf.Contact((0.1 * i, 0, 0), np.eye(3), volume, f"pad {i}") for i in range(2)]
    rows = hf.JointRows(np.array([[0.0, 0, 0.1, 0, 0, 0]]), np.array([-1.0]), np.array([2.0]), ("knuckle",))
    return hf.Assembly(contacts, rows)


def test_forces_of_the_flat_assembly_give_the_hands_wrench_on_the_body() -> None:
    direct, reaction = LazyGrip(finger(), PALM_FLAT), LazyGrip(finger(), PALM_FLAT, "reaction")
    flat = flat_assembly([direct, reaction, LazyGrip(hf.Assembly(finger().contacts))], [POSE] * 3)
    assert len(flat) == 6
    assert flat.joints is not None
    assert flat.joints.names == ("hand 0 knuckle", "hand 1 knuckle")
    local = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]])
    on_object = finger().wrench_matrix @ local.reshape(-1)
    own = POSE.wrench_transport() @ PALM_FLAT.inverse().wrench_transport() @ on_object
    turned = np.einsum("kij,kj->ki", flat.rotations[:2], local).reshape(-1)
    assert flat.wrench_matrix[:, :6] @ turned == pytest.approx(own, abs=1e-12)
    # The reaction: minus these forces act on the body, and load the joint as before.
    assert flat.wrench_matrix[:, 6:12] @ -turned == pytest.approx(-own, abs=1e-12)
    torques = flat.joints.jacobian @ np.r_[turned, -turned, np.zeros(6)]
    assert torques == pytest.approx([0.3, 0.3], abs=1e-12)
    assert flat.contacts[2].volume.hull().vertices.min() == pytest.approx(-50.0)
    assert flat.contacts[2].volume is flat.contacts[3].volume


def test_only_hands_that_are_contacts_can_be_flattened() -> None:
    with pytest.raises(InputError, match=r"grips\[0\]"):
        flat_assembly(Grip.box([-1] * 6, [1] * 6), POSE)
    assert flat_assembly(LazyGrip(hf.Assembly(finger().contacts)), [POSE]).joints is None


FOOT = Grip.box([-1, -1, 0, 0, 0, 0], [1, 1, 10, 0, 0, 0])


def stand(**changes: Any) -> PostureScene:
    given: dict[str, Any] = {
        "grips": [FOOT, FOOT],
        "poses": [Pose.identity(), Pose(np.eye(3), np.array([1.0, 0, 0]))],
        "mass": 2.0,
    }
    return PostureScene(**(given | changes))


def test_the_weight_turns_about_the_world_origin() -> None:
    scene = stand(com=[0.5, 0.25, 1.0], gravity=[0.0, 0.0, -10.0])
    assert np.allclose(scene.wrench, [0, 0, -20.0, -5.0, 10.0, 0])


def test_loads_come_on_top_of_the_weight() -> None:
    scene = stand(gravity=[0.0, 0.0, -10.0], loads={"a": [1, 0, 0, 0, 0, 0], "b": [0, 2, 0, 0, 0, 3]})
    assert np.allclose(scene.with_loads(["a", "b"]), [1, 2, -20, 0, 0, 3])
    assert np.allclose(scene.with_loads([]), scene.wrench)
    with pytest.raises(UnknownNameError, match="no load 'c'"):
        scene.load("c")


def test_gravity_changes_the_weight_alone() -> None:
    scene = stand(com=[0, 0, 1.0])
    turned = scene.with_gravity([3.0, 0.0, 0.0])
    assert np.allclose(turned.wrench, [6.0, 0, 0, 0, 6.0, 0])
    assert turned.grips == scene.grips


def test_a_grip_made_for_one_gravity_is_not_used_under_another() -> None:
    with pytest.raises(InputError, match=r"load_posture\(path, gravity="):
        stand(hands_weigh=True).with_gravity([1.0, 0.0, 0.0])


def test_hands_without_names_are_numbered() -> None:
    assert stand().hands == ("hand 1", "hand 2")
    assert len(stand()) == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mass": 0.0}, "mass: is 0 kg"),
        ({"gravity": [0.0, 0.0, 1e20]}, r"gravity: is 1e\+20 m/s"),
        ({"com": [0.0, np.nan, 0.0]}, r"com\[1\]: is nan"),
        ({"poses": []}, "poses: is empty"),
        ({"grips": [FOOT]}, "grips: has 1 entries"),
        ({"hands": ["left"]}, "hands: has 1 entries"),
        ({"poses": [np.eye(4), np.eye(4)]}, r"poses\[0\]: is a ndarray"),
        ({"loads": {"a": [1.0]}}, r"loads\['a'\]: has shape"),
    ],
)
def test_bad_input_is_reported(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        stand(**changes)
