"""Callbacks of planners against the postures' own answers, whole programs and finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.geometry.frames import transports
from holdfast.robots import ContactSite, Hand, Robot, hand_assembly, hierarchical_body, lazy_hand, whole_body
from holdfast.robots.planning import (
    Lean,
    LoadGrowth,
    MarginSlope,
    PosturePlanner,
    Pushes,
    Stand,
    about,
    points_reached,
    unique_optimum,
    work,
)
from holdfast.solvers import Status
from holdfast.solvers.minkowski import SumSolver, SumStatus
from tests.robots.climbing import climber, hands, on_the_wall, rough_grip
from tests.robots.sample_robots import SOLE, crouching, legged

LIMBS = ("front_left", "front_right", "rear_left", "rear_right")

GRIP = rough_grip()
DOWN = np.array([0.0, 0.0, -9.80665])


@pytest.fixture(scope="module")
def robot() -> Robot:
    return climber()


@pytest.fixture(scope="module")
def wall(robot: Robot) -> np.ndarray:
    return on_the_wall(robot, GRIP)


def somewhere(robot: Robot, q: np.ndarray, rng: np.random.Generator, size: float = 0.15) -> np.ndarray:
    """A posture near q."""
    return robot.moved(q, size * rng.normal(size=robot.v_size))


def just_enough(robot: Robot, q: np.ndarray) -> hf.Grip:
    """Grips that just hold the robot in posture q."""
    return GRIP.scaled(1.0 / (1.0 + PosturePlanner(robot, hands(GRIP)).margin(q)))


def full_program(planner: PosturePlanner, q: np.ndarray, base: np.ndarray, direction: np.ndarray) -> float:
    """The largest s with all hands giving -(base + s direction) about the centre of mass: every vertex, by HiGHS."""
    stand = planner.stand(q)
    columns = [m @ h.grip.vertices.T for m, h in zip(stand.maps, planner.hands, strict=True)]
    k, width = len(columns), sum(c.shape[1] for c in columns)
    balance = np.concatenate([*columns, direction[:, None]], axis=1)
    mixing, first = np.zeros((k, width + 1)), 0
    for row, block in enumerate(columns):
        mixing[row, first : first + block.shape[1]] = 1.0
        first += block.shape[1]
    found = linprog(
        -np.eye(width + 1)[-1],
        A_eq=np.concatenate([balance, mixing]),
        b_eq=np.concatenate([-base, np.ones(k)]),
        bounds=[(0.0, None)] * width + [(None, None)],
        method="highs",
    )
    return float(found.x[-1]) if found.status == 0 else -np.inf


def test_verdicts_are_those_of_the_postures_with_proof(robot, wall):
    planner = PosturePlanner(robot, hands(just_enough(robot, wall)), joint_limits=False)
    rng, seen = np.random.default_rng(1), set()
    for _ in range(30):
        q = somewhere(robot, wall, rng, 0.4)
        answer = planner.equilibrium(q)
        assert answer.verify()
        assert planner.feasible(q) is answer.holds
        assert (planner.margin(q) >= 0.0) is answer.holds
        seen.add(answer.holds)
    assert seen == {True, False}


def test_growth_and_pushes_are_the_programs_over_all_vertices(robot, wall):
    weight = np.concatenate([robot.mass * DOWN, np.zeros(3)])
    push = np.array([1.0, 0.5, 0.0, 0.0, 0.2, 0.0])
    rng = np.random.default_rng(2)
    for _ in range(3):
        q = somewhere(robot, wall, rng)
        growth = PosturePlanner(robot, hands(GRIP), margin=LoadGrowth())
        ends = [full_program(growth, q, np.zeros(6), sign * weight) for sign in (1.0, -1.0)]
        assert growth.margin(q) == pytest.approx(min(ends[0] - 1.0, ends[1] + 1.0), rel=1e-7)
        pushes = PosturePlanner(robot, hands(GRIP), margin=Pushes([push]))
        expected = min(full_program(pushes, q, weight, sign * push) for sign in (1.0, -1.0))
        assert pushes.margin(q) == pytest.approx(expected, rel=1e-7)


def test_what_the_warm_solver_leaves_open_the_full_program_decides(robot, wall, monkeypatch):
    kinds = (LoadGrowth(), Pushes([[1, 0, 0, 0, 0, 0]]))
    warm = [PosturePlanner(robot, hands(GRIP), margin=kind) for kind in kinds]
    stuck = [planner.copy() for planner in warm]
    for planner in stuck:
        solver = planner._solver
        monkeypatch.setattr(
            solver,
            "maximise",
            lambda *asked, own=solver.maximise: replace(own(*asked), status=SumStatus.UNDECIDED, value=-np.inf),
        )
    rng = np.random.default_rng(9)
    for _ in range(3):
        q = somewhere(robot, wall, rng)
        for planner, other in zip(warm, stuck, strict=True):
            assert other.feasible(q) is planner.feasible(q)
            assert other.margin(q) == pytest.approx(planner.margin(q), rel=1e-7)
            slope = planner.gradient(q).gradient
            assert other.gradient(q).gradient == pytest.approx(slope, abs=1e-6 * np.abs(slope).max())


def test_pushes_along_the_axes_are_the_cross_polytope_margin(robot, wall):
    planner = PosturePlanner(robot, hands(GRIP), margin=Pushes(length=0.4), limb_limits=False)
    answer = planner.equilibrium(wall)
    com = robot.com(wall)
    moved = [hf.Pose(pose.rotation, pose.translation - com) for pose in answer.hands.poses]
    weight = np.concatenate([robot.mass * DOWN, np.zeros(3)])
    cross = hf.postures.cross_polytope_margin(GRIP, moved, weight, torque_length=0.4)
    assert planner.margin(wall) == pytest.approx(cross.value, rel=1e-9)


def test_the_lean_margin_is_the_distance_to_the_region(robot, wall):
    planner = PosturePlanner(robot, hands(GRIP), margin=Lean())
    region = planner.region(wall)
    assert region.verify()
    assert planner.margin(wall) == pytest.approx(float(region.signed_distance(robot.com(wall))), rel=1e-9)


@pytest.mark.parametrize(
    ("kind", "scale"),
    [(LoadGrowth(), 1.0), (LoadGrowth(), 0.4), (Pushes(), 1.0), (Pushes([[0, 1, 0, 0.2, 0, 0]]), 1.0), (Lean(), 1.0)],
)
def test_gradients_are_the_slopes_of_finite_differences_where_smooth(robot, wall, kind, scale):
    planner = PosturePlanner(robot, hands(GRIP.scaled(scale)), margin=kind)
    rng = np.random.default_rng(4)
    for _ in range(2):
        q = somewhere(robot, wall, rng)
        slope = planner.gradient(q)
        assert slope.smooth
        assert slope.value == pytest.approx(planner.margin(q), rel=1e-9)
        forward, backward = planner.differences(q, 1e-6)
        size = np.abs(slope.gradient).max()
        assert size > 0.0
        assert slope.gradient == pytest.approx((forward + backward) / 2.0, abs=1e-5 * size)


def test_the_lean_gradient_is_right_outside_too_at_edges_and_corners(robot, wall):
    weak = PosturePlanner(robot, hands(just_enough(robot, wall).scaled(1.1)), margin=Lean())
    rng, outside = np.random.default_rng(5), 0
    for _ in range(6):
        q = somewhere(robot, wall, rng, 0.3)
        slope = weak.gradient(q)
        if slope.value < 0.0 and slope.smooth is not False and np.isfinite(slope.gradient).all():
            forward, backward = weak.differences(q, 1e-6)
            size = np.abs(slope.gradient).max()
            assert slope.gradient == pytest.approx((forward + backward) / 2.0, abs=1e-4 * size)
            outside += 1
    assert outside >= 1


def test_a_kink_is_said_to_be_one():
    """A symmetric robot on symmetric feet: leaning left or right is equally bad, and the margin falls either way."""
    robot = Robot.from_urdf(legged())
    q = robot.neutral()
    feet = [Hand(f"foot{i}", (), hf.Grip.box([-30, -30, 0, -1, -1, -1], [30, 30, 60, 1, 1, 1])) for i in range(4)]
    planner = PosturePlanner(robot, feet, margin=Pushes([[0, 1, 0, 0, 0, 0]]))
    slope = planner.gradient(q)
    assert slope.smooth is False
    assert "kink" in repr(slope)
    forward, backward = planner.differences(q, 1e-6)
    assert np.abs(forward - backward).max() > 1e-3 * np.abs(forward).max()


def test_gradients_are_right_under_tilted_gravity_and_for_palms_off_their_links(robot, wall):
    off = hf.Pose(hf.rotation_about((1, 2, 3), 0.4), [0.03, -0.02, 0.05])
    own = [Hand(hand.palm, (), GRIP, off, hand.name) for hand in hands(GRIP)]
    for kind in (LoadGrowth(), Lean()):
        planner = PosturePlanner(robot, own, margin=kind, gravity=(1.5, -2.0, -9.0))
        slope = planner.gradient(somewhere(robot, wall, np.random.default_rng(8), 0.1))
        forward, backward = planner.differences(somewhere(robot, wall, np.random.default_rng(8), 0.1))
        size = np.abs(slope.gradient).max()
        assert slope.gradient == pytest.approx((forward + backward) / 2.0, abs=1e-5 * size)


def test_point_feet_on_flat_ground_hold_over_the_hull_of_the_feet():
    robot = Robot.from_urdf(legged())
    feet = [Hand(f"foot{i}", (), hf.coulomb_grip(0.6)) for i in range(4)]
    planner = PosturePlanner(robot, feet, margin=Lean())
    q = robot.neutral()
    palms = np.array([hand.pose(robot, q).translation for hand in feet])
    com = robot.com(q)
    room = min(*(palms[:, :2].max(axis=0) - com[:2]), *(com[:2] - palms[:, :2].min(axis=0)))  # a rectangle
    assert planner.margin(q) == pytest.approx(room, abs=1e-9)
    assert planner.with_margin(LoadGrowth()).margin(q) == pytest.approx(1.0)  # any more weight, down to none
    for tilt in (0.0, 0.3, 0.5, 0.53, 0.56):  # it slips at arctan 0.6 = 0.540, and tips where the weight meets the edge
        down = 9.81 * np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
        lands = com[0] + (com[2] - palms[0, 2]) * np.tan(tilt)
        holds = np.tan(tilt) <= 0.6 and lands <= palms[:, 0].max()
        assert PosturePlanner(robot, feet, gravity=down).feasible(q) is bool(holds)


def test_a_grip_learned_under_gravity_is_refused_in_another_orientation(robot, wall):
    palm = hands(GRIP)[0].pose(robot, wall)
    own = hf.Grip(GRIP.vertices, palm_gravity=palm.rotation.T @ DOWN)
    planner = PosturePlanner(robot, [Hand(h.palm, (), own, name=h.name) for h in hands(GRIP)][:1])
    planner.feasible(wall)
    with pytest.raises(InputError, match="rotates the gravity of its grip"):
        planner.feasible(robot.moved(wall, np.eye(robot.v_size)[3] * 0.3))


def test_joint_limits_count_unless_told_otherwise(robot, wall):
    beyond = wall.copy()
    beyond[-1] = robot.upper[-1] + 0.5
    assert not PosturePlanner(robot, hands(GRIP)).feasible(beyond)
    assert PosturePlanner(robot, hands(GRIP), joint_limits=False).feasible(beyond)


def test_limb_limits_agree_with_the_program_over_wrenches_and_torques(robot, wall):
    rng, seen = np.random.default_rng(6), []
    for torque in (25.0, 50.0, 300.0):
        weak = robot.with_joints({n: hf.assembly.Joint(n, -torque, torque) for n in robot.joint_names})
        planner = PosturePlanner(weak, hands(GRIP), limb_limits=True, joint_limits=False)
        for _ in range(3):
            q = somewhere(weak, wall, rng)
            q[7:] = np.clip(q[7:], weak.lower, weak.upper)
            level = hierarchical_body(weak, q, planner.hands, DOWN).side_answer("inner")
            assert planner.feasible(q) is (level.status is Status.HOLDS)
            seen.append(planner.feasible(q))
    assert True in seen
    assert False in seen


def test_lifting_a_hand_never_helps_and_grips_can_be_changed(robot, wall):
    planner = PosturePlanner(robot, hands(GRIP))
    all_on = planner.margin(wall)
    for hand in planner.hands:
        assert planner.lifted(hand.name).margin(wall) <= all_on + 1e-9
    assert planner.with_grips({"rear_left": GRIP.scaled(0.5)}).margin(wall) < all_on
    assert planner.copy().margin(wall) == pytest.approx(all_on, rel=1e-12)


def test_answers_do_not_depend_on_what_was_asked_before(robot, wall):
    rng = np.random.default_rng(7)
    postures = [somewhere(robot, wall, rng) for _ in range(6)]
    warm = PosturePlanner(robot, hands(GRIP))
    values = [warm.margin(q) for q in postures]
    fresh = [PosturePlanner(robot, hands(GRIP)).margin(q) for q in postures]
    assert values == pytest.approx(fresh, rel=1e-9)
    assert warm.feasible_many(postures).tolist() == [warm.feasible(q) for q in postures]


def test_bounds_are_taken_by_the_side_asked_for(robot, wall):
    outer = hf.grips.OuterGrip.box(GRIP.vertices.min(axis=0), GRIP.vertices.max(axis=0))
    both = hf.grips.GripBounds(GRIP, outer)
    inner, wide = (PosturePlanner(robot, hands(both), side=side) for side in ("inner", "outer"))
    assert inner.margin(wall) == pytest.approx(PosturePlanner(robot, hands(GRIP)).margin(wall), rel=1e-9)
    assert wide.margin(wall) > inner.margin(wall)
    assert wide.gradient(wall).smooth is None


def test_what_is_wrong_is_named(robot, wall):
    with pytest.raises(InputError, match="floating"):
        PosturePlanner(Robot.from_urdf(legged(), base="fixed"), hands(GRIP))
    with pytest.raises(UnknownNameError, match="did you mean 'front_left_palm'"):
        PosturePlanner(robot, [Hand("front_left_plam", (), GRIP)])
    with pytest.raises(InputError, match="no grip"):
        PosturePlanner(robot, [Hand("front_left_palm", ())])
    with pytest.raises(InputError, match="two hands"):
        PosturePlanner(robot, [*hands(GRIP), hands(GRIP)[0]])
    planner = PosturePlanner(robot, hands(GRIP))
    with pytest.raises(InputError, match="length must be 35"):
        planner.feasible(wall[:-1])
    with pytest.raises(UnknownNameError, match="hand"):
        planner.lifted("rear")
    with pytest.raises(InputError, match="margin"):
        PosturePlanner(robot, hands(GRIP), margin="growth")  # pyright: ignore[reportArgumentType]


# What a margin may mean: rows of pushes, and what is refused.


def test_the_six_axes_count_a_torque_by_the_length():
    assert Pushes(length=0.25).rows() == pytest.approx(np.diag([1, 1, 1, 0.25, 0.25, 0.25]))
    assert Pushes([[1, 0, 0, 0, 0, 2]]).rows() == pytest.approx(np.array([[1, 0, 0, 0, 0, 2]]))


@pytest.mark.parametrize("rows", [[[0] * 6], np.zeros((0, 6)), [[1, 2, 3]]])
def test_pushes_need_directions(rows):
    with pytest.raises(InputError, match="directions"):
        Pushes(rows).rows()


# The work of palm motions against wrenches transported anew, and when an optimum counts as unique.


def stand_of(rotations: np.ndarray, arms: np.ndarray) -> Stand:
    return Stand(np.zeros(0), np.zeros(3), rotations, arms, transports(rotations, arms))


def test_work_is_the_change_of_the_transported_wrenches():
    rng = np.random.default_rng(0)
    rotations = np.array([hf.rotation_about(rng.normal(size=3), 1.0) for _ in range(3)])
    arms, wrenches, y = rng.normal(size=(3, 3)), rng.normal(size=(3, 6)), rng.normal(size=6)
    per_shift, per_turn = work(stand_of(rotations, arms), wrenches, y)
    step = 1e-6
    for hand in range(3):
        for axis in np.eye(3):
            for slope, turn, shift in ((per_shift, 0.0, step), (per_turn, step, 0.0)):
                ends = []
                for sign in (1.0, -1.0):
                    turned, moved = rotations.copy(), arms.copy()
                    turned[hand] = hf.rotation_about(axis, sign * turn) @ turned[hand]
                    moved[hand] = moved[hand] + sign * shift * axis
                    maps = stand_of(turned, moved).maps
                    ends.append(sum(y @ m @ w for m, w in zip(maps, wrenches, strict=True)))
                assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(slope[hand] @ axis, abs=1e-7)


def test_multipliers_move_with_the_point_that_torques_are_about():
    rng = np.random.default_rng(1)
    y, wrench, point = rng.normal(size=6), rng.normal(size=6), rng.normal(size=3)
    there = np.concatenate([wrench[:3], wrench[3:] - np.cross(point, wrench[:3])])
    assert about(y, point) @ there == pytest.approx(y @ wrench)


def test_a_general_optimum_is_unique_and_one_on_a_flat_face_is_not():
    rng = np.random.default_rng(2)
    general = hf.Grip(rng.normal(size=(60, 6)))
    box = hf.Grip.box(-np.ones(6), np.ones(6))
    aligned = np.array([np.eye(6), np.eye(6)])
    turned = transports(np.array([np.eye(3), hf.rotation_about((1, 2, 3), 0.8)]), rng.normal(size=(2, 3)))
    for grip, maps, unique in ((general, turned, True), (general, aligned, False), (box, aligned, False)):
        solver = SumSolver([grip.prepared], [0, 0], length=1.0)
        solver.place(maps)
        way = np.array([1.0, 0.3, -0.2, 0.1, 0.4, 0.2])
        found = solver.maximise(np.zeros(6), way[None], np.ones(1))
        assert unique_optimum([grip, grip], maps, found.weights, found.multipliers) is unique


def test_hands_without_vertices_leave_it_open():
    box = hf.grips.OuterGrip.box(-np.ones(6), np.ones(6))
    assert points_reached([box], np.eye(6)[None], np.ones(6)) is None
    assert "smooth or not" in repr(MarginSlope(1.0, np.zeros(3), None, "weight"))


# Torque limits of the limbs: verdicts against the whole body in one problem, margins, slopes and batches.


def exact_hands(robot: Robot, q: np.ndarray, palms: list[str], mu: float, cap: float, pose: hf.Pose) -> list[Hand]:
    """Point contacts on palms, with the very forces of their volumes as grips."""
    volume = hf.models.coulomb(mu, cap=cap, facets=6)
    found = []
    for palm in palms:
        hand = Hand(palm, (ContactSite(palm, volume, pose),))
        (contact,) = hand_assembly(robot, q, hand).contacts
        turn = hand.pose(robot, q).rotation.T @ contact.rotation
        forces = contact.volume.polytopes[0].vertices @ turn.T
        found.append(hand.with_grip(hf.Grip(np.concatenate([forces, np.zeros_like(forces)], axis=1))))
    return found


def with_effort(robot: Robot, effort: float) -> Robot:
    """The robot with one torque limit for all joints, and springs at two of them."""
    joints = {name: hf.assembly.Joint(name, -effort, effort, friction=0.1) for name in robot.joint_names}
    for name in robot.joint_names[1:3]:
        joints[name] = replace(joints[name], stiffness=2.0, rest=0.3)
    return robot.with_joints(joints)


def test_verdicts_with_limb_limits_are_those_of_the_whole_body_up_to_the_border():
    pointing = hf.Pose(hf.frame_from_normal((0, 0, 1)), np.zeros(3))
    robots = [
        (Robot.from_urdf(legged()), [f"foot{i}" for i in range(4)], SOLE, 0.15),
        (Robot.from_urdf(legged(legs=3)), [f"foot{i}" for i in range(3)], SOLE, 0.1),
        (climber(), [f"{limb}_palm" for limb in LIMBS], pointing, 0.1),
    ]
    decided = 0
    for number, (robot, palms, pose, size) in enumerate(robots):
        start = crouching(robot) if number < 2 else climber_on_the_floor(robot)
        rng = np.random.default_rng(number)
        for _ in range(4):
            q = robot.moved(start, size * rng.normal(size=robot.v_size))
            q[7:] = np.clip(q[7:], robot.lower, robot.upper)
            feet = exact_hands(robot, q, palms, 0.9, 3.0 * robot.mass * 9.81, pose)
            if not PosturePlanner(robot, feet, limb_limits=False).feasible(q):
                whole = whole_body(robot, q, [t for h in feet for t in h.touches])
                assert not whole.equilibrium().holds
                continue
            low, high = 0.0, 3000.0
            while high - low > 1e-5 * high:  # the least torque limit of all joints that holds
                middle = 0.5 * (low + high)
                planner = PosturePlanner(with_effort(robot, middle), feet)
                low, high = (low, middle) if planner.feasible(q) else (middle, high)
            for share in (0.5, 1.0 - 1e-3, 1.0 + 1e-3, 2.0):
                own = with_effort(robot, share * high)
                planner = PosturePlanner(own, feet)
                whole = whole_body(own, q, [t for h in feet for t in h.touches])
                answer = planner.equilibrium(q)
                assert planner.feasible(q) is (share > 1.0)
                assert whole.equilibrium().holds is (share > 1.0)
                assert answer.holds is (share > 1.0)
                assert answer.verify()
                assert (planner.margin(q) >= 0.0) is (share > 1.0)
                if share > 1.0:
                    torques = np.array(list(answer.limb_torques.values()))
                    assert (np.abs(torques) <= share * high + 0.1 + 1e-4).all()
                    assert whole.load_limit().value >= 1.0 + planner.margin(q) - 1e-6
            decided += 1
    assert decided >= 6


def climber_on_the_floor(robot: Robot) -> np.ndarray:
    """The climber on all fours, palms down."""
    angles = {f"{limb}_{joint}": angle for limb in LIMBS for joint, angle in ((2, -0.5), (4, 1.0))}
    return robot.configuration(angles)


def test_the_largest_load_with_limb_limits_is_that_of_the_whole_body():
    robot = with_effort(Robot.from_urdf(legged()), 14.0)
    q = crouching(robot)
    rng = np.random.default_rng(5)
    for _ in range(3):
        at = robot.moved(q, 0.05 * rng.normal(size=robot.v_size))
        feet = exact_hands(robot, at, [f"foot{i}" for i in range(4)], 0.9, 400.0, SOLE)
        planner = PosturePlanner(robot, feet)
        planner._place(planner.stand(at))
        whole = whole_body(robot, at, [t for h in feet for t in h.touches])
        limit = whole.load_limit().value
        assert planner._ends()[0].value + 1.0 == pytest.approx(limit, rel=1e-6)
        free = PosturePlanner(robot, feet, limb_limits=False)
        assert planner.margin(at) <= free.margin(at) + 1e-9


@pytest.mark.parametrize("kind", [LoadGrowth(), Pushes([[0, 1, 0, 0.2, 0, 0]]), Lean()])
def test_gradients_with_limb_limits_are_the_slopes_of_finite_differences(robot, wall, kind):
    for effort, tilt in ((60.0, 0.0), (120.0, 2.0)):
        weak = with_effort(robot, effort)
        planner = PosturePlanner(weak, hands(GRIP), margin=kind, gravity=(tilt, -0.5 * tilt, -9.0))
        rng = np.random.default_rng(4)
        q = somewhere(weak, wall, rng, 0.1)
        slope = planner.gradient(q)
        assert slope.smooth
        assert slope.value == pytest.approx(planner.margin(q), rel=1e-9)
        free = PosturePlanner(weak, hands(GRIP), margin=kind, gravity=planner.gravity, limb_limits=False)
        assert slope.value < free.margin(q)  # torque limits decide
        forward, backward = planner.differences(q, 1e-6)
        size = np.abs(slope.gradient).max()
        assert slope.gradient == pytest.approx((forward + backward) / 2.0, abs=1e-5 * size)


def test_gradients_with_limb_limits_are_right_for_palms_that_face_the_world(robot, wall):
    weak = with_effort(robot, 60.0)
    own = [Hand(h.palm, (), GRIP, h.frame, h.name, h.pose(robot, wall).rotation) for h in hands(GRIP)[:2]]
    for kind in (LoadGrowth(), Pushes([[0.5, 1, 0, 0.2, 0, 0]])):
        planner = PosturePlanner(weak, [*own, *hands(GRIP)[2:]], margin=kind, joint_limits=False)
        q = somewhere(weak, wall, np.random.default_rng(4), 0.1)
        slope = planner.gradient(q)
        assert slope.smooth
        assert slope.value < planner.with_hands(hands(GRIP.scaled(3.0))).margin(q)
        forward, backward = planner.differences(q, 1e-6)
        size = np.abs(slope.gradient).max()
        assert slope.gradient == pytest.approx((forward + backward) / 2.0, abs=1e-5 * size)


def test_limb_limits_reach_joints_that_drive_others():
    """Two legs whose knees follow their hips: the verdicts of the planner are those of the whole body."""
    text = legged(effort=30.0).replace(
        '<joint name="knee0" type="revolute">',
        '<joint name="knee0" type="revolute"><mimic joint="hip0" multiplier="-2"/>',
    )
    robot = Robot.from_urdf(text)
    assert len(robot.joint_names) == 11
    angles = {f"hip{i}": 0.4 for i in range(4)} | {f"knee{i}": -0.8 for i in (1, 2, 3)}
    q = robot.configuration(angles, base=hf.Pose(np.eye(3), np.array([0.0, 0.0, 0.5])))
    feet = exact_hands(robot, q, [f"foot{i}" for i in range(4)], 0.9, 400.0, SOLE)
    seen = set()
    for effort in (2.0, 4.0, 6.0, 8.0, 12.0, 20.0):
        own = with_effort(robot, effort)
        planner = PosturePlanner(own, feet)
        whole = whole_body(own, q, [t for h in feet for t in h.touches])
        assert planner.feasible(q) is whole.equilibrium().holds is planner.equilibrium(q).holds
        seen.add(planner.feasible(q))
        at = own.moved(q, 0.02 * np.random.default_rng(1).normal(size=own.v_size))
        slope = planner.gradient(at)
        if slope.smooth:
            forward, backward = planner.differences(at, 1e-6)
            size = np.abs(slope.gradient).max()
            assert slope.gradient == pytest.approx((forward + backward) / 2.0, abs=1e-5 * size)
    assert seen == {True, False}


def test_a_kink_by_torque_limits_is_said_to_be_one():
    """Legs alike left and right: shifting the body sideways loads either side's joints more."""
    robot = with_effort(Robot.from_urdf(legged()), 12.0)
    q = crouching(robot)
    feet = [Hand(f"foot{i}", (), hf.Grip.box([-60, -60, 0, -1, -1, -1], [60, 60, 300, 1, 1, 1])) for i in range(4)]
    planner = PosturePlanner(robot, feet, margin=Pushes([[0, 1, 0, 0, 0, 0]]))
    slope = planner.gradient(q)
    assert slope.smooth is False
    forward, backward = planner.differences(q, 1e-6)
    assert np.abs(forward - backward).max() > 1e-3 * np.abs(forward).max()


def test_the_lean_margin_with_limb_limits_is_the_edge_of_verdicts(robot, wall):
    """Shift the load of the root link by the margin: inside it holds, beyond it does not, in the worst direction."""
    weak = with_effort(robot, 60.0)
    planner = PosturePlanner(weak, hands(GRIP), margin=Lean())
    value = planner.margin(wall)
    assert value > 0.0
    com, weight = weak.com(wall), weak.mass * DOWN
    body = planner.equilibrium(wall).body
    worst = []
    for turn in np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False):
        way = np.array([np.cos(turn), np.sin(turn), 0.0])
        held = []
        for share in (0.999, 1.25):
            at = com + share * value * way
            moved = replace(body, load=np.concatenate([weight, np.cross(at, weight)]))
            held.append(moved.side_answer("inner").status is Status.HOLDS)
        assert held[0]
        worst.append(held[1])
    assert False in worst


def test_hands_of_half_spaces_count_limb_limits_too(robot, wall):
    weak = with_effort(robot, 60.0)
    box = GRIP.vertices.min(axis=0), GRIP.vertices.max(axis=0)
    outer, corners = hf.grips.OuterGrip.box(*box), hf.Grip.box(*box)
    wide = PosturePlanner(weak, hands(hf.grips.GripBounds(GRIP, outer)), side="outer")
    same = PosturePlanner(weak, hands(corners))
    assert wide.margin(wall) == pytest.approx(same.margin(wall), rel=1e-6)
    assert wide.feasible(wall) is same.feasible(wall) is True
    assert wide.gradient(wall).smooth is None
    slope = same.gradient(wall).gradient
    assert wide.gradient(wall).gradient == pytest.approx(slope, abs=1e-4 * np.abs(slope).max())


def test_batches_are_the_single_answers_whoever_computes_them(robot, wall):
    weak = with_effort(robot, 45.0)
    planner = PosturePlanner(weak, hands(GRIP), joint_limits=False)
    rng = np.random.default_rng(12)
    postures = np.array([somewhere(weak, wall, rng, 0.2) for _ in range(300)])
    alone = planner.feasible_many(postures[:40])
    assert alone.tolist() == [planner.feasible(q) for q in postures[:40]]
    margins = planner.margin_many(postures, workers=2)
    assert margins[:40] == pytest.approx([planner.margin(q) for q in postures[:40]], rel=1e-7)
    assert ((margins >= 0.0) == planner.feasible_many(postures)).all()
    assert 0 < (margins >= 0.0).sum() < len(margins)


def test_a_hand_that_is_not_learned_needs_planning_without_torque_limits(robot, wall):
    own = [lazy_hand(robot, wall, hand) for hand in exact_hands(robot, wall, ["front_left_palm"], 0.5, 100.0, SOLE)]
    with pytest.raises(InputError, match="limb_limits=False"):
        PosturePlanner(robot, own)
    PosturePlanner(robot, own, limb_limits=False)
