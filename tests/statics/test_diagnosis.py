"""Assemblies whose limits, prices and words are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.solvers.certificates import separation_margin
from holdfast.statics.diagnosis import (
    MOST_GAINS,
    ContactState,
    FixedPieces,
    JointState,
    Motion,
    action,
    active_facets,
    amount,
    contact_forces,
    contact_states,
    is_idle,
    joint_states,
    joint_step,
    joint_values,
    needed_friction,
    on_border,
    open_volumes,
    row_unit,
    utilisation,
)
from tests import referee
from tests.referee import assert_forces_hold, block, dented_unit, pyramid, random_case


@pytest.fixture
def strong() -> hf.ForceVolume:
    """A box of 100 N in every direction."""
    return hf.ForceVolume([referee.block([-100] * 3, [100] * 3)])


@pytest.fixture
def uneven_table() -> hf.Assembly:
    """Three feet without friction, 100 N each, on a right triangle."""
    volume = hf.ForceVolume([[[0, 0, 0], [0, 0, 100.0]]], allow_flat=True)
    names = ("corner", "right", "left")
    feet = ((0, 0, 0), (1, 0, 0), (0, 1, 0))
    return hf.Assembly([hf.Contact(x, np.eye(3), volume, n) for x, n in zip(feet, names, strict=True)], name="table")


# Assemblies confined to one piece a contact, with changes made, and the referee's limit of them.


def confined(
    assembly: hf.Assembly,
    pieces: np.ndarray,
    *,
    contact: int | None = None,
    share: float = 1.0,
    row: int | None = None,
    lower: float = 0.0,
    upper: float = 0.0,
) -> hf.Assembly:
    """The assembly with each contact in one piece, `contact` scaled by `share`, the bounds of `row` moved outwards."""
    contacts = []
    for index, (one, piece) in enumerate(zip(assembly.contacts, pieces, strict=True)):
        scale = share if index == contact else 1.0
        vertices, rays = one.volume.pieces[piece] * scale, one.volume.rays[piece]
        volume = hf.ForceVolume([vertices], [rays if len(rays) else None], allow_flat=True)
        contacts.append(hf.Contact(one.position, one.rotation, volume))
    joints = assembly.joints
    if joints is not None and row is not None:
        low, high = joints.lower.copy(), joints.upper.copy()
        low[row], high[row] = low[row] - lower, high[row] + upper
        joints = hf.JointRows(joints.jacobian, low, high, joints.names)
    return hf.Assembly(contacts, joints)


def limit_of(assembly: hf.Assembly, direction: np.ndarray) -> float:
    """The referee's limit of contacts of one piece each."""
    found = referee._extreme_factor(assembly, direction, [0] * len(assembly), 1.0)
    assert found is not None
    return found


def finger(lower: Sequence[float], upper: Sequence[float], volume: hf.ForceVolume) -> hf.Assembly:
    """One contact at the origin behind a hinge that feels 0.5 m times its x force, called "hinge"."""
    rows = hf.JointRows([[0.5, 0.0, 0.0]], lower, upper, ("hinge",))
    return hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume, "tip")], rows, "finger")


BOXES = hf.ForceVolume([block([-1, -1, -1], [1, 1, 1]), block([1, -1, -1], [3, 1, 1])])  # they share the face x = 1


@pytest.mark.parametrize(
    "force, piece, whole",
    [
        ((1, 0, 0), True, False),  # on the shared face: the other box goes on
        ((1, 0.5, -0.3), True, False),
        ((1, 1, 0), True, True),  # on the rim of the shared face
        ((0, 1, 0), True, True),
        ((-1, -1, -1), True, True),
        ((0.5, 0, 0), False, False),
    ],
)
def test_the_border_of_a_piece_is_one_of_the_union_only_where_no_other_piece_goes_on(force, piece, whole):
    f = np.array(force, dtype=float)
    assert on_border(BOXES.polytopes[:1], f) is piece
    assert on_border(BOXES.polytopes, f) is whole


def test_four_boxes_round_an_edge_leave_no_border_and_three_do():
    """Every box alone, and every two of them, leave a direction open at the common edge."""
    quarters = [block([x, y, -1], [x + 1, y + 1, 1]) for x in (-1, 0) for y in (-1, 0)]
    edge = np.zeros(3)
    assert not on_border(hf.ForceVolume(quarters).polytopes, edge)
    for left_out in range(4):
        assert on_border(hf.ForceVolume(quarters[:left_out] + quarters[left_out + 1 :]).polytopes, edge)


def _inside(volume: hf.ForceVolume, forces: np.ndarray) -> np.ndarray:
    """Whether forces (n, 3) lie in some piece, by its facets."""
    facets = [p.halfspaces for p in volume.polytopes]
    return np.any([(forces @ normals.T <= offsets + 1e-9).all(axis=1) for normals, offsets in facets], axis=0)


def test_the_border_is_where_a_small_step_can_leave_the_union():
    """Against brute force: two thousand small steps from points of facets of random unions."""
    rng = np.random.default_rng(4)
    steps = hf.loads.sphere_directions(2000)
    seen = {True: 0, False: 0}
    for _ in range(12):
        volume = hf.ForceVolume([rng.normal(size=(8, 3)) * 3.0 for _ in range(3)])
        for polytope in volume.polytopes:
            for triangle in polytope.triangles[::2]:
                force = rng.dirichlet([3, 3, 3]) @ polytope.vertices[triangle]
                others = [float(p.signed_distance(force)) for p in volume.polytopes if p is not polytope]
                if min(abs(d) for d in others) < 1e-2:
                    continue  # a step of 1e-3 would meet the other piece by chance
                leaves = not _inside(volume, force + 1e-3 * steps).all()
                assert on_border(volume.polytopes, force) is leaves
                seen[leaves] += 1
    assert min(seen.values()) > 10


def test_a_flat_volume_has_its_rim_for_a_border():
    plate = hf.ForceVolume([[[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]], allow_flat=True)
    rod = hf.ForceVolume([[[0, 0, 0], [0, 0, 5]]], allow_flat=True)
    assert not on_border(plate.polytopes, np.array([0.2, 0.3, 0.0]))
    assert on_border(plate.polytopes, np.array([1.0, 0.3, 0.0]))
    assert not on_border(rod.polytopes, np.array([0.0, 0.0, 2.0]))
    assert on_border(rod.polytopes, np.array([0.0, 0.0, 5.0]))
    turned = rod.rotated(hf.rotation_about([1, 2, 3], 0.7))
    assert not on_border(turned.polytopes, 0.4 * turned.pieces[0][1])
    assert on_border(turned.polytopes, turned.pieces[0][1])


def test_a_single_force_is_its_own_border():
    assert on_border(hf.ForceVolume([[[1.0, 2.0, 3.0]]], allow_flat=True).polytopes, np.array([1.0, 2.0, 3.0]))


def test_a_force_outside_counts_as_at_the_border():
    assert on_border(BOXES.polytopes, np.array([9.0, 0.0, 0.0]))


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_the_tolerance_is_relative_to_the_volume(size):
    volume = hf.ForceVolume([block([-size] * 3, [size] * 3)])
    assert on_border(volume.polytopes, np.array([size * (1 - 1e-8), 0, 0]))
    assert not on_border(volume.polytopes, np.array([size * (1 - 1e-4), 0, 0]))
    assert is_idle(volume, np.array([1e-9 * size, 0, 0]))
    assert not is_idle(volume, np.array([1e-3 * size, 0, 0]))


def test_active_facets_are_those_the_force_lies_on():
    normals = active_facets(BOXES.polytopes[0], np.array([1.0, 1.0, 0.0]))
    assert sorted(map(tuple, normals.round(9) + 0.0)) == [(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)]


def test_utilisation_is_the_share_of_the_largest_force_in_that_direction():
    volume = hf.ForceVolume([pyramid(0.5, 100.0)])
    inside = np.array([10.0, 5.0, 60.0])
    assert utilisation(volume, inside, at_limit=False) == pytest.approx(0.6)
    assert utilisation(volume, np.zeros(3), at_limit=True) == 0.0


def test_the_side_of_a_cone_is_a_limit_though_the_force_could_grow_along_itself():
    cone = hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]])
    slipping, pressing = np.array([5.0, 0.0, 10.0]), np.array([1.0, 0.0, 10.0])
    assert on_border(cone.polytopes, slipping) and not on_border(cone.polytopes, pressing)
    assert utilisation(cone, slipping, at_limit=True) == 1.0
    assert utilisation(cone, pressing, at_limit=False) == pytest.approx(1.0 / (0.5 * 10.0))
    assert utilisation(cone, np.array([0.0, 0.0, 10.0]), at_limit=False) == 0.0
    assert is_idle(cone, np.zeros(3)) and not is_idle(cone, 1e-9 * pressing)


def test_the_dent_of_a_unit_is_a_border():
    unit = dented_unit()
    assert on_border(unit.polytopes, np.array([10.0, 0.0, -2.0]))  # on the way to the pull along +x
    assert not on_border(unit.polytopes, np.array([0.0, 0.0, 10.0]))


def _share_by_bisection(volume: hf.ForceVolume, force: np.ndarray) -> float:
    """One over the largest growth of the shear part of `force` that stays admissible, by membership alone."""
    low, high = 1.0, 1e6
    for _ in range(80):
        middle = np.sqrt(low * high)
        inside = bool(_inside(volume, (force * [middle, middle, 1.0])[None])[0])
        low, high = (middle, high) if inside else (low, middle)
    return 1.0 / low


@pytest.mark.parametrize("cap", [np.inf, 1e6, 100.0])
def test_a_cap_far_away_leaves_the_use_of_a_cone_as_it_is(cap):
    cone = hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]])
    volume = cone if cap == np.inf else hf.ForceVolume([pyramid(0.5, cap)])
    rng = np.random.default_rng(7)
    for _ in range(20):
        normal = rng.uniform(1.0, 99.0)
        force = np.array([*rng.uniform(-0.24, 0.24, 2) * normal, normal])
        expected = max(_share_by_bisection(volume, force), normal / cap)
        assert utilisation(volume, force, at_limit=False) == pytest.approx(expected, rel=1e-6)
        assert utilisation(volume, 0.9 * force, at_limit=False) <= expected * (1 + 1e-6)  # more force, more use


def test_the_use_across_goes_on_from_piece_to_piece():
    """Two halves of a cone side by side are one cone."""
    left = [[0, 0, 0], [-5, -5, 10], [-5, 5, 10], [1, -5, 10], [1, 5, 10]]
    right = [[0, 0, 0], [5, -5, 10], [5, 5, 10], [1, -5, 10], [1, 5, 10]]
    whole, halves = hf.ForceVolume([pyramid(0.5, 10.0)]), hf.ForceVolume([left, right])
    for force in ([0.3, 0.0, 6.0], [-1.0, 0.5, 6.0], [2.0, 0.1, 5.0]):
        f = np.array(force)
        assert utilisation(halves, f, at_limit=False) == pytest.approx(utilisation(whole, f, at_limit=False))


PUSH = [-6.0, 0, -10.0, 0, 0, 0]


def _foot(volume: hf.ForceVolume) -> hf.Assembly:
    return hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)])


def test_the_friction_needed_is_the_ratio_of_shear_to_its_limit() -> None:
    foot = _foot(hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]]))
    for answer in (hf.equilibrium(foot, PUSH), hf.load_limit(foot, PUSH)):
        found = needed_friction(answer)
        assert found is not None and found.verify()
        assert found.bracket[0] <= 1.2 <= found.bracket[1] * (1 + 1e-9)
        assert found.bracket[1] == pytest.approx(1.2, rel=2e-3)


def test_nothing_is_searched_without_shear_or_where_more_of_it_may_do_harm() -> None:
    smooth = hf.ForceVolume([[(0, 0, 0), (0, 0, 100.0)]], allow_flat=True)
    hook = hf.ForceVolume([[(0, 0, 0), (5, 0, -3), (9, 2, -3), (9, -2, -3)]])  # it pulls only when it is sheared
    assert needed_friction(hf.equilibrium(_foot(smooth), PUSH)) is None
    assert needed_friction(hf.equilibrium(_foot(hook), PUSH)) is None


def motion_of(velocity, spin, centre=(0, 0, 0), length: float = 1.0) -> Motion:
    """The motion of an object whose two contacts have this centre and reach."""
    foot = hf.models.coulomb(0.5)
    ends = [np.array(centre, dtype=float) + side * np.array([length, 0, 0]) for side in (-1.0, 1.0)]
    assembly = hf.Assembly([hf.Contact(end, np.eye(3), foot) for end in ends])
    assert assembly.length == pytest.approx(length)
    return Motion(np.concatenate([velocity, spin])[None].astype(float), assembly)


def screw(axis, through, *, pitch: float = 0.0, centre=(0, 0, 0), length: float = 1.0) -> Motion:
    """A turn of 1 rad/s about an axis through a point, moving `pitch` m per radian along it."""
    spin = np.array(axis, dtype=float)
    return motion_of(-np.cross(spin, through) + pitch * spin, spin, centre, length)


def test_a_move_a_turn_and_a_screw_are_told_apart():
    still = np.zeros(3)
    assert motion_of([0, 0, -2.0], still).description == "moves along -z"
    assert screw((0, 1, 0), (0.1, 5, 0.2)).description == "turns about +y through (0.1, 0, 0.2) m"
    assert (
        screw((0, 1, 0), (0.1, 0, 0), pitch=-0.5).description
        == "turns about +y through (0.1, 0, 0) m and moves along -y"
    )
    assert screw((0, 1e-6, 0), (0, 0, 1e4)).description == "moves along -x"  # the axis is far away
    assert motion_of(still, still).description == "does not move"


def test_the_point_of_the_axis_is_the_one_nearest_to_the_contacts():
    assert screw((0, 0, 2), (3, 4, 0), centre=(3, 0, 9.0)).description == "turns about +z through (3, 4, 9) m"
    assert screw((0, 0, 2), (0.0123456, 0, 0), length=0.05).description == "turns about +z through (0.0123, 0, 0) m"


@pytest.mark.parametrize("seed", range(0, 40, 2))
def test_the_motion_of_multipliers_does_the_work_that_they_weigh(seed):
    """Power by the points' velocities equals -y times the scaled rows, for the load and for every force."""
    case = random_case(seed, most_choices=8)
    problem = case.assembly.build(case.direction)
    rng = np.random.default_rng(seed)
    y = rng.normal(size=problem.rows)
    y[6:] = 0.0
    motion = Motion.from_multipliers(case.assembly, problem, y)
    forces = rng.normal(size=(len(case.assembly), 3))
    power = sum(
        (contact.rotation @ f) @ (motion.velocity + np.cross(motion.angular, contact.position))
        for contact, f in zip(case.assembly.contacts, forces, strict=True)
    )
    assert power == pytest.approx(-y @ problem.row_values(forces, 0.0))
    assert motion.work(case.direction) == pytest.approx(-y @ problem.load)


def test_a_block_that_tips_turns_about_its_edge():
    volume = hf.models.coulomb(0.6)
    feet = [hf.Contact(x, np.eye(3), volume) for x in ((0.1, 0.1, 0), (0.1, -0.1, 0), (-0.1, 0, 0))]
    answer = hf.equilibrium(
        hf.Assembly(feet), hf.loads.gravity_wrench(1.0, com=(0.12, 0, 0.0)), method=hf.solvers.Reference()
    )
    assert hf.diagnose(answer).separation.description == "turns about +y through (0.1, 0, 0) m"


#: Relative change of a strength or bound in finite differences; the referee's limits are right to about 1e-10.
STEP = 1e-5


def optimal_cases(seeds: range) -> list[tuple[int, hf.statics.LoadLimit]]:
    cases = [(seed, random_case(seed, most_choices=12)) for seed in seeds]
    answers = [
        (seed, hf.load_limit(case.assembly, case.direction, method=hf.solvers.Reference())) for seed, case in cases
    ]
    return [(seed, answer) for seed, answer in answers if answer.status == "optimal" and abs(answer.value) > 1e-3]


def slack_rows(answer: hf.statics.LoadLimit) -> np.ndarray:
    joints = answer.assembly.joints
    if joints is None:
        return np.zeros(0, dtype=bool)
    values = joints.values(answer.forces)
    return (values > joints.lower + 1e-7) & (values < joints.upper - 1e-7)


@pytest.fixture(scope="module")
def priced() -> list[tuple[int, hf.statics.LoadLimit, FixedPieces]]:
    found = []
    for seed, answer in optimal_cases(range(80)):
        assert answer.pieces is not None
        found.append((seed, answer, FixedPieces(answer.problem, answer.pieces)))
    assert len(found) > 40
    return found


def test_the_limit_in_the_pieces_of_the_answer_is_the_limit(priced):
    for seed, answer, fixed in priced:
        assert fixed.largest_factor() == pytest.approx(answer.value, rel=2e-6), seed
        assert limit_of(confined(answer.assembly, answer.pieces), answer.direction) == pytest.approx(
            answer.value, rel=2e-6
        ), seed


def test_contacts_and_bounds_times_their_prices_make_up_the_limit(priced):
    """The sum rule: the limit is homogeneous of degree one in strengths and bounds together."""
    for seed, answer, fixed in priced:
        prices = fixed.prices()
        assert prices is not None, seed
        total = 100.0 * prices.strength.sum()
        joints = answer.assembly.joints
        if joints is not None:
            finite = np.isfinite(joints.lower), np.isfinite(joints.upper)
            assert not prices.lower[~finite[0]].any() and not prices.upper[~finite[1]].any()
            total += (
                prices.upper[finite[1]] @ joints.upper[finite[1]] - prices.lower[finite[0]] @ joints.lower[finite[0]]
            )
        assert total == pytest.approx(prices.factor, rel=1e-6, abs=1e-8), seed
        assert prices.multipliers @ answer.problem.load == pytest.approx(-1.0)


def test_prices_are_slopes_where_they_are_unique_and_bounds_everywhere(priced):
    """Against finite differences by the referee: both slopes where unique, else right slope <= price <= left slope."""
    unique = contacts_seen = rows_seen = 0
    for seed, answer, fixed in priced:
        prices = fixed.prices()
        pinned = fixed.pins_prices(answer.local_forces, slack_rows(answer))
        unique += pinned
        base = limit_of(confined(answer.assembly, answer.pieces), answer.direction)
        changes = []
        for i in range(len(answer.assembly)):
            ends = [{"contact": i, "share": 1.0 + sign * STEP} for sign in (1, -1)]
            changes.append((100.0 * prices.strength[i], ends))
        joints = answer.assembly.joints
        for row in range(0 if joints is None else len(joints)):
            for side, bound, price in (
                ("lower", joints.lower[row], prices.lower[row]),
                ("upper", joints.upper[row], prices.upper[row]),
            ):
                wide = joints.upper[row] - joints.lower[row] > 2 * STEP  # else it cannot be narrowed
                if np.isfinite(bound) and wide:
                    changes.append((price, [{"row": row, side: sign * STEP} for sign in (1, -1)]))
                    rows_seen += price > 1e-6
        for price, (more, less) in changes:
            right = (limit_of(confined(answer.assembly, answer.pieces, **more), answer.direction) - base) / STEP
            left = (base - limit_of(confined(answer.assembly, answer.pieces, **less), answer.direction)) / STEP
            slack = 1e-3 * max(1.0, abs(price), abs(base))
            assert right <= price + slack and price <= left + slack, (seed, right, price, left)
            if pinned:
                assert right == pytest.approx(price, abs=slack) and left == pytest.approx(price, abs=slack), seed
                contacts_seen += abs(price) > 1e-3
    assert unique > 20 and contacts_seen > 40 and rows_seen > 10


def test_a_hinge_that_limits_the_load_is_worth_one_over_its_lever(strong):
    answer = hf.load_limit(finger([-2.0], [3.0], strong), [-1, 0, 0, 0, 0, 0])  # f_x = 3 / 0.5
    prices = FixedPieces(answer.problem, answer.pieces).prices()
    assert prices.factor == pytest.approx(6.0)
    np.testing.assert_allclose(prices.upper, [2.0])
    np.testing.assert_allclose([prices.lower[0], prices.strength[0]], 0.0, atol=1e-12)


def test_a_contact_that_limits_the_load_is_worth_its_share(uneven_table):
    """The foot that bears half the weight, 100 N, limits it: 200 N; one percent of it is 2 N."""
    answer = hf.load_limit(uneven_table, hf.loads.gravity_wrench(1.0, (0, 0, -1), (0.25, 0.25, 0.0)))
    prices = FixedPieces(answer.problem, answer.pieces).prices()
    assert prices.factor == pytest.approx(200.0)
    np.testing.assert_allclose(prices.strength, [2.0, 0.0, 0.0], atol=1e-9)
    np.testing.assert_array_equal(prices.binding, [True, False, False])


def test_a_change_solved_anew_is_what_the_referee_finds(strong):
    answer = hf.load_limit(finger([-2.0], [3.0], strong), [-1, 0, 0, 0, 0, 0])
    fixed = FixedPieces(answer.problem, answer.pieces)
    assert fixed.with_bounds(0, upper=0.5).largest_factor() == pytest.approx(7.0)
    assert fixed.with_bounds(0, lower=0.5).largest_factor() == pytest.approx(6.0)
    assert fixed.with_strength(0, 0.01).largest_factor() == pytest.approx(1.0)
    assert fixed.with_strength(0, 2.0).largest_factor() == pytest.approx(6.0)


def test_without_a_limit_there_are_no_prices():
    cone = hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]])
    answer = hf.load_limit(hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)]), [0, 0, -1, 0, 0, 0])
    fixed = FixedPieces(answer.problem, answer.pieces)
    assert fixed.largest_factor() == np.inf and fixed.prices() is None


def test_pieces_in_which_nothing_holds_have_no_prices(strong):
    problem = finger([2.0], [3.0], strong).build([0, 1.0, 0, 0, 0, 0])
    fixed = FixedPieces(problem, np.zeros(1, dtype=int))
    assert fixed.prices() is None and np.isnan(fixed.largest_factor())


def test_two_contacts_that_only_help_together_leave_the_prices_open():
    """Two equal boxes on a rod: the torque balance makes each limit the other, so neither alone is worth its price."""
    box = hf.ForceVolume([block([-10] * 3, [10] * 3)])
    pair = hf.Assembly([hf.Contact([x, 0, 0], np.eye(3), box) for x in (-1.0, 1.0)])
    answer = hf.load_limit(pair, [0, 0, 1.0, 0, 0, 0])
    fixed = FixedPieces(answer.problem, answer.pieces)
    prices = fixed.prices()
    assert prices.factor == pytest.approx(20.0)
    assert not fixed.pins_prices(answer.local_forces, np.zeros(0, dtype=bool))
    assert prices.strength.sum() == pytest.approx(0.2)
    for i in range(2):
        assert fixed.with_strength(i, 1.01).largest_factor() == pytest.approx(20.0)


@pytest.mark.parametrize("scene, strictly", [("@suction_cup", True), ("@gecko_on_glass", False)])
def test_in_a_symmetric_scene_an_increase_brings_no_more_than_its_price_and_a_decrease_costs_no_less(scene, strictly):
    loaded = hf.scenes.load_scene(scene)
    answer = hf.load_limit(loaded.assembly, loaded.gravity_load(), method=hf.solvers.Reference())
    fixed = FixedPieces(answer.problem, answer.pieces)
    prices = fixed.prices()
    assert not fixed.pins_prices(answer.local_forces, np.zeros(0, dtype=bool))
    less = 0
    for i, price in enumerate(prices.strength):
        more = fixed.with_strength(i, 1.01).largest_factor() - prices.factor
        lost = prices.factor - fixed.with_strength(i, 0.99).largest_factor()
        assert -1e-9 <= more <= price + 1e-9
        assert lost >= price - 1e-9
        less += more < price - 1e-6
    assert bool(less) is strictly  # where not all are slopes


def test_contacts_say_what_they_bear_and_whether_more_is_possible(strong):
    boxes = hf.ForceVolume([block([-10, -10, -10], [0, 10, 10]), block([0, -10, -10], [10, 10, 10])])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), boxes, "a")] * 4)
    forces = np.array([[5.0, 0, 5], [10.0, 0, -2], [0.0, 1, 2], [0, 0, 0]])
    within, limit, between, idle = contact_states(assembly, forces, np.array([1, 1, 1, 0]), None)
    assert (within.at_limit, within.at_piece_limit, within.utilisation) == (False, False, pytest.approx(0.5))
    assert (limit.at_limit, limit.at_piece_limit, limit.utilisation) == (True, False, 1.0)
    assert (between.at_limit, between.at_piece_limit, between.utilisation) == (False, True, pytest.approx(0.2))
    assert (idle.idle, idle.utilisation, idle.at_limit, within.idle) == (True, 0.0, False, False)
    assert [s.index for s in (within, limit, between, idle)] == [0, 1, 2, 3]
    assert within.label == 'contact "a"' and np.isnan(within.price) and within.piece == 1


def test_a_point_of_a_unit_goes_on_in_another_piece_only_with_the_others():
    """Two boxes side by side: alone, a point on the wall between them may cross it; beside one that may not, not."""
    left, right = block([-2.0, -1, -1], [0.0, 1, 1]), block([0.0, -1, -1], [2.0, 1, 1])
    volume, unit = hf.ForceVolume([left, right]), hf.assembly.Unit("pad")
    forces, pieces = np.array([[0.0, 0.5, 0.0], [-1.0, 0.0, 0.0]]), np.array([0, 0])
    for owner, walled in ((None, False), (unit, True)):
        assembly = hf.Assembly([hf.Contact([x, 0, 0], np.eye(3), volume, unit=owner) for x in (0.0, 1.0)])
        first, second = contact_states(assembly, forces, pieces, None)
        assert (first.at_limit, first.at_piece_limit) == (walled, not walled)
        assert not second.at_limit
        opened = open_volumes(assembly, forces)
        assert [len(v) for v in opened] == ([1, 2] if walled else [2, 2])
        assert opened[1] is volume
    ending = hf.Assembly([hf.Contact([x, 0, 0], np.eye(3), volume, unit=unit) for x in (0.0, 1.0)])
    both = contact_states(ending, np.zeros((2, 3)), pieces, None)
    assert not any(state.at_limit for state in both)  # on the wall together, they may cross it one by one


def test_contacts_without_a_name_are_called_by_their_number(strong):
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), strong)] * 2)
    states = contact_states(assembly, np.ones((2, 3)), np.zeros(2, dtype=int), None)
    assert [s.label for s in states] == ["contact 0", "contact 1"]


@pytest.mark.parametrize("value, lower, upper", [(3.0, False, True), (-2.0, True, False), (0.0, False, False)])
def test_joint_rows_say_at_which_bound_they_are(strong, value, lower, upper):
    (state,) = joint_states(finger([-2.0], [3.0], strong), np.array([[2.0 * value, 7.0, 1.0]]), None)
    assert (state.at_lower, state.at_upper, state.at_limit) == (lower, upper, lower or upper)
    assert state.value == pytest.approx(value)
    assert (state.label, state.unit, state.lower, state.upper) == ('joint "hinge"', "N m", -2.0, 3.0)


def test_a_passive_joint_is_at_both_bounds_and_a_free_side_at_none(strong):
    (passive,) = joint_states(finger([0.0], [0.0], strong), np.array([[1e-12, 7.0, 1.0]]), None)
    assert passive.at_lower and passive.at_upper
    (free,) = joint_states(finger([-np.inf], [np.inf], strong), np.array([[5.0, 7.0, 1.0]]), None)
    assert not free.at_limit


def test_the_reach_of_a_row_is_what_its_parts_are_before_they_cancel(strong):
    rows = hf.JointRows([[0.5, 0, 0, -0.5, 0, 0]], [-1.0], [1.0])
    pair = hf.Assembly([hf.Contact([x, 0, 0], np.eye(3), strong) for x in (0.0, 1.0)], rows)
    (loaded,) = joint_states(pair, np.array([[4.0, 0, 0], [4.0, 0, 0]]), None)
    assert (loaded.value, loaded.reach) == (pytest.approx(0.0), pytest.approx(4.0))
    (still,) = joint_states(pair, np.zeros((2, 3)), None)
    assert still.reach == pytest.approx(100.0)  # what the volumes could do
    assert loaded.label == "joint row 0"


def test_an_assembly_without_joints_has_no_joint_states(uneven_table):
    assert joint_states(uneven_table, np.zeros((3, 3)), None) == ()


def test_slides_are_in_newtons_and_hinges_in_newton_metres():
    axis, square = np.array([0.3, 0.0, 0.4]), np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]])
    spread = np.concatenate([axis, axis, axis, -axis])
    assert row_unit(spread, square) == "N"  # no hinge loads three contacts of a triangle alike
    assert row_unit(spread, square * [1, 0, 0]) == "N m"
    assert row_unit(np.concatenate([np.zeros(9), 2.0 * axis]), square) == "N"
    assert row_unit(np.concatenate([np.zeros(9), axis]), square) == "N m"
    assert row_unit(np.zeros(12), square) == "N m"
    levers = np.cross([0, 0, 1.0], square - [0.2, 0.3, 0.0])
    assert row_unit(levers.ravel(), square) == "N m"


def test_the_joints_of_the_devices_have_their_units():
    units = hf.devices.two_opposed_units()
    assert [row_unit(row, units.assembly().positions) for row in units.joint_rows().jacobian] == ["N"]
    for device in (hf.devices.two_finger_gripper("D", "PMD"), hf.devices.four_finger_hand()):
        positions = device.assembly().positions
        assert {row_unit(row, positions) for row in device.joint_rows().jacobian} == {"N m"}


def test_the_forces_balance_the_weight_within_the_volumes() -> None:
    scene = hf.scenes.load_scene("@block_on_three_points")
    found = contact_forces(hf.equilibrium(scene.assembly, scene.gravity_load()))
    contacts = scene.assembly.contacts
    total = sum(contact.rotation @ force.local for contact, force in zip(contacts, found, strict=True))
    assert np.allclose(total, [0, 0, 2 * 9.80665], atol=1e-6)
    for contact, force in zip(contacts, found, strict=True):
        assert contact.volume.contains(force.local[None]).all()


def test_use_of_a_friction_cone_is_shear_over_its_limit_at_the_same_normal_force() -> None:
    cone = hf.models.coulomb(0.6, facets=4)
    corner = cone.rays[0][0]
    way = corner[:2] / np.linalg.norm(corner[:2])
    slope = float(np.linalg.norm(corner[:2]) / corner[2])  # mu along an edge of the pyramid
    foot = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), cone)])
    for share in (0.0, 0.25, 0.9, 1.0):
        push = np.concatenate([-share * slope * 10.0 * way, [-10.0, 0, 0, 0]])
        (force,) = contact_forces(hf.equilibrium(foot, push))
        assert force.use == pytest.approx(share, abs=1e-6)
        assert (force.margin == 0.0) is (share == 1.0)


def test_use_and_margin_of_a_magnet_by_hand() -> None:
    pad = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), hf.models.magnet(30.0, mu=0.5, cap=100.0), "pad")])
    (half,) = contact_forces(hf.equilibrium(pad, [0, 0, 15.0, 0, 0, 0]))
    assert half.use == pytest.approx(0.5)
    assert 0.0 < half.margin <= 15.0
    (whole,) = contact_forces(hf.equilibrium(pad, [0, 0, 30.0, 0, 0, 0]))
    assert whole.use == pytest.approx(1.0, abs=1e-6)
    assert whole.margin == pytest.approx(0.0, abs=1e-6)
    assert contact_forces(hf.equilibrium(pad, [0, 0, 40.0, 0, 0, 0])) == []


def test_joint_values_lie_within_their_bounds() -> None:
    gripper = hf.devices.two_finger_gripper("D", "D")
    answer = hf.equilibrium(gripper.assembly(), [0, 0, 0, 0, 0, 0])
    for row in joint_values(answer.assembly, answer.forces):
        assert row.name and row.value is not None
        assert row.lower - 1e-9 <= row.value <= row.upper + 1e-9


@pytest.mark.parametrize(
    "bound, reach, step",
    [(0.01, 5.0, 0.001), (-20.0, 1.0, 1.0), (99.0, 1.0, 1.0), (100.0, 1.0, 10.0), (0.0, 3.0, 0.1), (0.0, 0.0, 1.0)],
)
def test_a_joint_bound_is_changed_by_a_round_number_within_a_tenth_of_it(bound, reach, step):
    assert joint_step(bound, reach) == pytest.approx(step)


@pytest.mark.parametrize("seed", [1, 5, 9, 16, 21, 33, 40])
def test_gains_are_what_the_referee_finds_with_the_change_made(seed):
    case = random_case(seed, most_choices=12)
    answer = hf.load_limit(case.assembly, case.direction, method=hf.solvers.Reference())
    if answer.status != "optimal":
        pytest.skip("no limit")
    diagnosis = hf.diagnose(answer)
    assert 0 < len(diagnosis.gains) <= MOST_GAINS
    base = limit_of(confined(answer.assembly, answer.pieces), answer.direction)
    for gain in diagnosis.gains:
        change = (
            {"row": gain.state.index, gain.side: gain.step}
            if isinstance(gain.state, JointState)
            else {"contact": gain.state.index, "share": 1.0 + 0.01 * gain.step}
        )
        changed = limit_of(confined(answer.assembly, answer.pieces, **change), answer.direction)
        assert gain.gain == pytest.approx(changed - base, rel=1e-5, abs=1e-7)


def test_the_largest_gain_comes_first(strong):
    """The tip's strength is 1000 times what the hinge lets through: only the hinge counts."""
    diagnosis = hf.diagnose(hf.load_limit(finger([-2.0], [3.0], strong), [-1, 0, 0, 0, 0, 0]))
    (gain,) = diagnosis.gains
    assert (gain.side, gain.step, gain.gain) == ("upper", pytest.approx(0.1), pytest.approx(0.2))
    table = hf.ForceVolume([block([-10, -10, 0], [10, 10, 50])])
    feet = hf.Assembly([hf.Contact(x, np.eye(3), table) for x in ((0, 0, 0), (1, 0, 0), (0, 1, 0))])
    gains = hf.diagnose(hf.load_limit(feet, [1, 0.5, 0, 0, 0, 0.4])).gains
    assert [g.gain for g in gains] == sorted((g.gain for g in gains), reverse=True)


def test_a_bound_whose_widening_takes_the_limit_away_gains_without_end():
    rod = hf.ForceVolume([np.zeros((1, 3))], [np.concatenate([np.eye(3), -np.eye(3)])])
    rows = hf.JointRows([[1.0, 0, 0], [1.0, 0, 0]], [-np.inf, -1.0], [5.0, 5.0])
    free = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), rod)], rows)
    (gain,) = hf.diagnose(hf.load_limit(free, [1, 0, 0, 0, 0, 0])).gains
    assert (gain.state.index, gain.side, gain.step) == (1, "lower", pytest.approx(0.1))
    assert gain.gain == pytest.approx(0.1)


def test_where_nothing_alone_helps_there_is_no_gain():
    box = hf.ForceVolume([block([-10] * 3, [10] * 3)])
    pair = hf.Assembly([hf.Contact([x, 0, 0], np.eye(3), box) for x in (-1.0, 1.0)])
    assert hf.diagnose(hf.load_limit(pair, [0, 0, 1.0, 0, 0, 0])).gains == ()


TOWARDS = np.array([-1.0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize(
    "value, digits, text",
    [
        (3.4216, 4, "3.422"),
        (249852.6, 3, "250000"),
        (0.00123456, 3, "0.00123"),
        (1e-9, 3, "1e-09"),
        (0.0, 3, "0"),
        (-12.3456, 3, "-12.3"),
        (100.0, 3, "100"),
        (2.5e9, 2, "2.5e+09"),
        (np.inf, 3, "inf"),
    ],
)
def test_numbers_have_a_few_digits_and_no_needless_exponent(value, digits, text):
    assert amount(value, digits) == text


@pytest.mark.parametrize(
    "force, words",
    [
        ((8.8, 6.6, -4.2), "pulling 4.2 N and shearing 11 N"),
        ((0, 0, 5.123), "pressing 5.12 N"),
        ((0, 3, 0.001), "shearing 3 N"),
        ((0, 0, 0), "without force"),
    ],
)
def test_a_contact_pulls_presses_or_shears(force, words):
    state = ContactState(0, "", np.array(force, dtype=float), 0, 0.5, False, False, False, not any(force), 0.0)
    assert action(state) == words


def test_a_joint_that_limits_a_finger_is_named_with_what_more_would_bring(strong):
    said = hf.diagnose(hf.load_limit(finger([-2.0], [3.0], strong), TOWARDS)).sentences
    assert said == (
        "It holds 6 times this load.",
        "No contact is at its limit, and the only joint row is; contact strength contributes 0 % of the load limit, "
        "joint bounds 100 %.",
        'Joint "hinge" is at its upper bound of 3 N m; 0.1 N m more there adds 3.3 %.',
        "Possible motion beyond the limit: the object moves along -x.",
    )


def test_a_contact_that_limits_a_table_is_named_with_what_more_would_bring(uneven_table):
    weight = hf.loads.gravity_wrench(2.0, (0, 0, -10.0), (0.25, 0.25, 0.0))  # 20 N, half of it on the corner
    said = hf.diagnose(hf.equilibrium(uneven_table, weight)).sentences
    assert said[0] == "It holds 10 times this load."
    assert said[1] == "1 of 3 contacts is at its limit."
    assert said[2] == 'Contact "corner" is at its limit (100 %), pressing 100 N; 1 % more strength there adds 1 %.'
    assert said[3].startswith("Possible motion beyond the limit: the object turns about (0.71, -0.71, 0.00) through")


def test_what_fails_says_how_much_it_would_bear_and_in_which_motion_it_lets_go(strong):
    said = hf.diagnose(
        hf.equilibrium(finger([-2.0], [3.0], strong), 8.0 * TOWARDS, method=hf.solvers.Reference())
    ).sentences
    assert said[0] == "It does not hold: it can hold 0.75 times this load."
    assert said[1] == (
        "When the object moves along -x, the load does more work than contacts and joints can absorb; "
        'this depends on the bounds of "hinge".'
    )
    assert said[-1].startswith('Joint "hinge" is at its upper bound of 3 N m')


def test_a_pull_that_nothing_resists_cannot_be_helped_by_strength(uneven_table):
    said = hf.diagnose(hf.equilibrium(uneven_table, [0, 0, 5.0, 0, 0, 0])).sentences
    assert said[0] == "It does not hold: it can hold no part of this load."
    assert said[-1].startswith("More strength would not help")


@pytest.mark.parametrize("shear, said", [(7.0, "1.4"), (6.0, "1.2"), (5.001, "1")])
def test_friction_that_would_hold_a_shove_is_named_and_more_strength_is_not(shear: float, said: str) -> None:
    """Shear up to mu times the normal force, 5 of 10 N: the factor is shear / 5, by hand."""
    foot = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]]))])
    told = hf.diagnose(hf.equilibrium(foot, [-shear, 0, -10.0, 0, 0, 0])).sentences
    assert told[-2].startswith("More strength would not help: with force limits scaled up,")
    words = told[-1].split()
    assert words[0] == "Friction" and " ".join(words[2:]) == "times as high would hold this load."
    assert words[1].startswith(said) and shear / 5.0 <= float(words[1]) <= 1.012 * shear / 5.0
    cone = hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5 * float(words[1]), 1.0)[1:]])
    rougher = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)])
    assert hf.equilibrium(rougher, [-shear, 0, -10.0, 0, 0, 0]).holds


def test_no_friction_holds_a_block_that_is_lifted() -> None:
    foot = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]]))])
    told = hf.diagnose(hf.equilibrium(foot, [1.0, 0, 10.0, 0, 0, 0])).sentences
    assert told[-1] == "More friction would not help either, even a million times as much."


def test_the_proof_of_a_union_says_how_many_cases_it_has():
    unit = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit())])
    said = hf.diagnose(hf.equilibrium(unit, [0, 0, 2.0, 0, 0, 0], method=hf.solvers.Reference())).sentences
    assert said[1].endswith("(the nearest of 2 cases of pieces).")


def test_a_load_without_a_limit_is_said_to_have_none():
    cone = hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]])
    foot = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)])
    for ask in (hf.equilibrium, hf.load_limit):
        assert hf.diagnose(ask(foot, [0, 0, -1.0, 0, 0, 0])).sentences == ("It holds any multiple of this load.",)


def test_a_preload_that_needs_a_load_is_told_as_an_interval(strong):
    preload = finger([1.0], [2.5], strong)  # f_x from 2 to 5
    assert hf.diagnose(hf.load_limit(preload, TOWARDS)).sentences[0] == "It holds from 2 to 5 times this load."
    assert hf.diagnose(hf.load_limit(preload, -TOWARDS)).sentences[0] == "It holds from -5 to -2 times this load."
    assert (
        hf.diagnose(hf.equilibrium(preload, 4.0 * TOWARDS)).sentences[0] == "It holds from 0.5 to 1.25 times this load."
    )
    too_large = hf.diagnose(hf.equilibrium(preload, 10.0 * TOWARDS)).sentences
    assert too_large[0] == "It does not hold: it can hold from 0.2 to 0.5 times this load."
    too_small = hf.diagnose(hf.equilibrium(preload, TOWARDS, method=hf.solvers.Reference())).sentences
    assert too_small[1].startswith("When the object moves along +x, contacts and joints do more work than this load")
    assert too_small[0] == "It does not hold: this load is too small; from 2 to 5 times this load it holds."
    assert (
        too_small[-1]
        == 'Joint "hinge" is at its lower bound of 1 N m; 0.1 N m lower there lets it hold from 1.8 times on.'
    )


def test_a_preload_without_an_upper_end_is_told_so():
    free = hf.ForceVolume([np.zeros((1, 3))], [np.concatenate([np.eye(3), -np.eye(3)])])
    preload = finger([1.0], [np.inf], free)
    assert (
        hf.diagnose(hf.load_limit(preload, TOWARDS)).sentences[0]
        == "It holds any multiple of this load from 2 times on."
    )
    assert hf.diagnose(hf.load_limit(preload, -TOWARDS)).sentences[0] == "It holds -2 times this load and less."
    too_small = hf.diagnose(hf.equilibrium(preload, TOWARDS)).sentences[0]
    assert too_small == "It does not hold: this load is too small; from 2 times this load it holds."


def test_where_nothing_ever_holds_the_joints_to_blame_are_named(strong):
    preload = finger([1.0], [2.5], strong)
    aside = np.array([0, 1.0, 0, 0, 0, 0])
    assert hf.diagnose(hf.load_limit(preload, aside, method=hf.solvers.Reference())).sentences == (
        "It holds no multiple of this load.",
        'No multiple of the load balances contacts and joints: the object moves along +x; this depends on the bounds of "hinge".',
    )
    test = hf.diagnose(hf.equilibrium(preload, aside)).sentences
    assert test[0] == "It does not hold, and no multiple of this load does."
    nothing = hf.diagnose(hf.equilibrium(preload, np.zeros(6))).sentences
    assert nothing[0] == "It does not hold, even without a load." and nothing[1].startswith(
        "Contacts and joints are not balanced even without load"
    )


def test_without_a_load_there_is_little_to_say(uneven_table):
    assert hf.diagnose(hf.equilibrium(uneven_table, np.zeros(6))).sentences == ("It holds; there is no load.",)


def test_a_hole_between_scales_that_hold_is_told():
    """Two boxes apart: forces of 1 to 2 N or of 5 to 6 N, nothing in between."""
    pieces = hf.ForceVolume([block([1, -1, -1], [2, 1, 1]), block([5, -1, -1], [6, 1, 1])])
    apart = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), pieces)])
    said = hf.diagnose(hf.equilibrium(apart, 3.0 * TOWARDS)).sentences
    assert (
        said[0]
        == "It does not hold, but smaller and larger multiples of this load do: no combination of pieces fits between them."
    )


def test_an_undecided_limit_is_told_with_both_ends():
    units = hf.Assembly([hf.Contact([0.01 * i, 0.02 * i * i, 0], np.eye(3), dented_unit()) for i in range(4)])
    method = hf.solvers.Reference(node_limit=1, combinations=0)
    answer = hf.load_limit(units, [0.3, 0.1, 1, 0, 0, 0], method=method)
    assert answer.status == "undecided"
    words = hf.diagnose(answer).sentences[0]
    assert ("at least" in words and "at most" in words) or "no multiple was found" in words


def test_contacts_that_help_only_together_are_told_so():
    box = hf.ForceVolume([block([-10] * 3, [10] * 3)])
    pair = hf.Assembly([hf.Contact([x, 0, 0], np.eye(3), box) for x in (-1.0, 1.0)])
    said = hf.diagnose(hf.load_limit(pair, [0, 0, 1.0, 0, 0, 0])).sentences
    assert said[1] in ("Both contacts are at their limit.", "At least 1 of 2 contacts is at its limit.")
    assert said[2].startswith("No single contact or joint limits it alone")


PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])


def world_forces(diagnosis: hf.statics.Diagnosis) -> np.ndarray:
    local = np.array([c.force for c in diagnosis.contacts])
    return np.einsum("kij,kj->ki", diagnosis.assembly.rotations, local)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_the_tables_are_about_forces_that_hold_the_limit(seed):
    case = random_case(seed, most_choices=12)
    answer = hf.equilibrium(case.assembly, case.direction)
    diagnosis = hf.diagnose(answer)
    if not diagnosis.contacts or not np.isfinite(diagnosis.factor):
        assert diagnosis.limit is None or diagnosis.limit.status in ("does not hold", "undecided")
        return
    pieces = np.array([c.piece for c in diagnosis.contacts])
    assert_forces_hold(case.assembly, diagnosis.factor * case.direction, world_forces(diagnosis), pieces)
    if diagnosis.has_prices:
        total = diagnosis.from_contacts + diagnosis.from_joints
        least = -1.0 if diagnosis.is_least else 1.0
        assert total == pytest.approx(least * diagnosis.factor, rel=1e-5, abs=1e-7)
        assert sum(100 * c.price for c in diagnosis.contacts) == pytest.approx(diagnosis.from_contacts)
    assert 1 <= len(diagnosis.sentences) <= 7
    assert all((s[0].isupper() or s[0].isdigit()) and s.endswith(".") for s in diagnosis.sentences)
    assert str(diagnosis).splitlines() == list(diagnosis.sentences)
    assert diagnosis.sentences[0] in repr(diagnosis)


@pytest.mark.parametrize("seed", range(1, 60, 4))
def test_contacts_and_joints_that_limit_the_load_are_at_their_limit(seed):
    """Complementary slackness: what has a price is used up, what binds is on the border of its piece."""
    case = random_case(seed, most_choices=12)
    answer = hf.load_limit(case.assembly, case.direction)
    if answer.status != "optimal":
        pytest.skip("no limit")
    diagnosis = hf.diagnose(answer)
    for contact in diagnosis.contacts:
        if contact.binding:
            assert contact.at_limit or contact.at_piece_limit
        else:
            assert abs(contact.price) <= 1e-6 * max(1.0, abs(diagnosis.factor))
    for joint in diagnosis.joints:
        assert joint.at_lower or joint.price_lower == pytest.approx(0.0, abs=1e-6)
        assert joint.at_upper or joint.price_upper == pytest.approx(0.0, abs=1e-6)
    assert set(diagnosis.limiting) <= set(diagnosis.at_limit)
    prices = [c.price for c in diagnosis.at_limit]
    assert prices == sorted(prices, reverse=True)


def test_the_same_is_said_of_an_equilibrium_and_of_the_limit_along_its_wrench(uneven_table):
    weight = hf.loads.gravity_wrench(1.0, com=(0.2, 0.3, 0.1))
    limit = hf.load_limit(uneven_table, weight)
    answer = hf.equilibrium(uneven_table, weight)
    asked, given, direct = hf.diagnose(answer), hf.diagnose(answer, limit=limit), hf.diagnose(limit)
    assert given.limit is limit
    assert asked.sentences == given.sentences == direct.sentences
    assert asked.factor == pytest.approx(1000.0 / 9.80665 * 0.1 / 0.5)


def test_the_limit_of_an_equilibrium_is_asked_of_its_own_method(uneven_table):
    asked = []

    class Recording(hf.solvers.Reference):
        def maximise(self, problem):
            asked.append(problem)
            return super().maximise(problem)

    hf.diagnose(hf.equilibrium(uneven_table, hf.loads.gravity_wrench(1.0, com=(0.2, 0.3, 0.1)), method=Recording()))
    assert len(asked) == 1


def test_what_a_method_left_to_its_gap_is_found_in_its_pieces(uneven_table):
    """A method that stops early: the diagnosis is about the limit of its pieces, not about its forces."""
    from dataclasses import replace

    direction = hf.loads.gravity_wrench(1.0, (0, 0, -1), (0.25, 0.25, 0.0))
    exact = hf.load_limit(uneven_table, direction)
    early = replace(exact.solution, factor=0.9 * exact.value, forces=0.9 * exact.solution.forces)
    answer = hf.statics.LoadLimit(uneven_table, early, direction)
    diagnosis = hf.diagnose(answer)
    assert diagnosis.factor == pytest.approx(exact.value)
    assert limit_of(confined(uneven_table, answer.pieces), direction) == pytest.approx(diagnosis.factor)
    assert diagnosis.contacts[0].at_limit


def test_a_load_that_holds_is_explained_by_its_own_forces_where_the_limit_was_not_found(uneven_table):
    """A method whose limit finds nothing: the pieces of the equilibrium give one."""

    class Blind(hf.solvers.Reference):
        def maximise(self, problem):
            from holdfast.solvers import Solution, Status

            return Solution(Status.UNDECIDED, -np.inf, np.inf)

    weight = hf.loads.gravity_wrench(2.0, (0, 0, -10.0), (0.25, 0.25, 0.0))
    diagnosis = hf.diagnose(hf.equilibrium(uneven_table, weight, method=Blind()))
    assert diagnosis.factor == pytest.approx(10.0) and diagnosis.has_prices
    assert diagnosis.sentences[0] == "It holds at least 10 times this load."
    unknown = hf.diagnose(hf.load_limit(uneven_table, weight, method=Blind()))
    assert unknown.contacts == ()
    assert unknown.sentences == ("It holds an unknown part of this load; no multiple was found that holds.",)


def test_the_nearest_part_of_a_proof_is_the_one_with_the_smallest_margin():
    """Pulled off at a slant, the piece that shears with the load comes nearer to holding."""
    unit = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit())])
    answer = hf.equilibrium(unit, [4.0, 0, 3.0, 0, 0, 0], method=hf.solvers.Reference())
    assert answer.certificate is not None and len(answer.certificate.leaves) == 2
    margins = [separation_margin(answer.problem, leaf.masks, leaf.multipliers) for leaf in answer.certificate.leaves]
    motion = hf.diagnose(answer).separation
    nearest = -answer.separating_wrenches[int(np.argmin(margins))]
    np.testing.assert_allclose(np.concatenate([motion.velocity, motion.angular]), nearest, atol=1e-12)
    assert motion.velocity @ answer.wrench[:3] > 0.0


def test_a_load_too_small_for_a_preload_is_explained_by_the_least_load(strong):
    preload = finger([1.0], [2.5], strong)
    diagnosis = hf.diagnose(hf.equilibrium(preload, [-1.0, 0, 0, 0, 0, 0]))
    assert diagnosis.is_least and diagnosis.factor == pytest.approx(2.0)
    assert diagnosis.joints[0].at_lower and diagnosis.joints[0].price_lower == pytest.approx(2.0)
    enough = hf.diagnose(hf.equilibrium(preload, [-3.0, 0, 0, 0, 0, 0]))
    assert not enough.is_least and enough.factor == pytest.approx(5.0 / 3.0) and enough.joints[0].at_upper


def test_between_two_scales_that_hold_there_is_no_limit_to_explain():
    pieces = hf.ForceVolume([block([1, -1, -1], [2, 1, 1]), block([5, -1, -1], [6, 1, 1])])
    apart = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), pieces)])
    diagnosis = hf.diagnose(hf.equilibrium(apart, [-3.0, 0, 0, 0, 0, 0]))
    assert diagnosis.limit is None and diagnosis.contacts == () and np.isnan(diagnosis.factor)
    assert diagnosis.separation is not None


def test_a_contact_between_two_pieces_is_told_from_one_at_its_limit():
    boxes = hf.ForceVolume([block([-10, -10, -10], [0, 10, 10]), block([0, -10, -10], [10, 10, 10])])
    foot = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), boxes)])
    (contact,) = hf.diagnose(hf.load_limit(foot, PULL_OFF)).contacts
    assert contact.at_limit and not contact.at_piece_limit  # pulls 10 N: on the border of both
    assert contact.force == pytest.approx([0.0, 0.0, -10.0])


def test_no_limit_and_no_load_leave_the_tables_to_the_forces_of_the_answer(uneven_table):
    still = hf.diagnose(hf.equilibrium(uneven_table, np.zeros(6)))
    assert len(still.contacts) == 3 and not still.has_prices and still.limit is None
    assert np.isnan(still.from_contacts) and np.isnan(still.from_joints) and still.motion is None
    cone = hf.models.coulomb(0.5)
    feet = hf.Assembly([hf.Contact(c.position, c.rotation, cone) for c in uneven_table.contacts])
    weight = hf.loads.gravity_wrench(1.0, com=(0.2, 0.3, 0.1))
    answer = hf.equilibrium(feet, weight)
    free = hf.diagnose(answer)
    assert free.factor == 1.0 and not free.has_prices and free.gains == ()
    np.testing.assert_allclose(world_forces(free), answer.forces)


@pytest.mark.parametrize("bad", [None, 3.0, "holds"])
def test_only_answers_are_diagnosed(bad):
    with pytest.raises(InputError, match="result"):
        hf.diagnose(bad)


def test_the_limit_of_another_load_is_refused(uneven_table):
    answer = hf.equilibrium(uneven_table, [0, 0, -1.0, 0, 0, 0])
    with pytest.raises(InputError, match="another load"):
        hf.diagnose(answer, limit=hf.load_limit(uneven_table, [0, 0, -2.0, 0, 0, 0]))


def test_each_interface_of_a_hanging_chain_bears_the_weight_below_it() -> None:
    """Magnets of 1 kg, each of which pulls with 50 N: the limit is 50 N over six weights, used by 1/6 less each."""
    shapes = hf.assembly.shapes
    links = {f"M{k}": shapes.Box((0.1, 0.1, 0.1), hf.Pose(np.eye(3), (0, 0, -0.05 - 0.1 * k))) for k in range(6)}
    ceiling = shapes.Box((1, 1, 0.1), hf.Pose(np.eye(3), (0, 0, 0.05)))
    contacts = hf.assembly.touching(links, hf.models.magnet(50.0), world=ceiling, share="region")
    weights = {
        name: hf.loads.gravity_wrench(1.0, (0, 0, -10.0), shape.pose.translation) for name, shape in links.items()
    }
    found = hf.diagnose(hf.load_limit(hf.Assembly(contacts), weights))
    assert found.factor == pytest.approx(50.0 / 60.0, rel=1e-6)
    assert [side.utilisation for side in found.interfaces] == pytest.approx([(6 - k) / 6 for k in range(6)], rel=1e-5)
    assert [side.name for side in found.interfaces if side.gives_way] == ["M0 on world"]
    assert '1 % more strength of all contacts of "M0 on world" adds at most 1 %.' in found.sentences


def test_forces_at_the_limit_that_are_one_choice_among_many_are_said_to_be() -> None:
    """A pyramid cut at 100 N: pressed with 4 x 100 N, the feet may still push each other sideways."""
    edges = 100.0 * np.array([[0.5, 0, 1], [0, 0.5, 1], [-0.5, 0, 1], [0, -0.5, 1]])
    rough, smooth = (hf.ForceVolume([np.vstack([np.zeros(3), e])], allow_flat=True) for e in (edges, [[0, 0, 100.0]]))
    for volume, unique in ((rough, False), (smooth, True)):
        feet = [hf.Contact((x, y, 0), np.eye(3), volume) for x in (-1, 1) for y in (-1, 1)]
        found = hf.diagnose(hf.load_limit(hf.Assembly(feet), [0, 0, -1.0, 0, 0, 0]))
        assert found.factor == pytest.approx(400.0)
        assert found.forces_unique is unique is found.to_dict()["forces_unique"]
        said = "The contact forces at the limit and below it are one choice among many that balance the load."
        assert (said in found.sentences) is not unique


def test_too_many_contacts_to_decide_are_said_to_have_perhaps_other_forces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hf.statics.diagnosis, "FEW_CONTACTS", 1)
    press = hf.ForceVolume([[(0, 0, 0), (0, 0, 100.0)]], allow_flat=True)
    feet = hf.Assembly([hf.Contact((x, 0, 0), np.eye(3), press) for x in (-1, 1)])
    found = hf.diagnose(hf.load_limit(feet, [0, 0, -1.0, 0, 0, 0]))
    assert found.forces_unique is None and "may be one choice among many" in found.sentences[-1]
