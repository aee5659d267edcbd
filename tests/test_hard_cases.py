"""Cases built to be hard: gaps between union and hull, degeneracy, redundancy, extreme widths, cones, torque limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import holdfast as hf
from tests.referee import assert_limit, assert_verdict, block, dented_unit, pyramid, random_rotation, verdict

PULL = np.array([0, 0, 1.0, 0, 0, 0])  # away from a contact whose normal is +z
PRESS = -PULL
NEAR = (1e-3, 1e-4, 1e-6)


def at(*position: float) -> np.ndarray:
    return np.array(position, dtype=float)


def check(assembly: hf.Assembly, direction: np.ndarray, expected: float) -> hf.statics.LoadLimit:
    """The limit, and the verdicts beside it, cold and by a warm solver that was just asked something else."""
    answer = hf.load_limit(assembly, direction)
    assert_limit(answer, expected)
    solver = hf.Solver(assembly)
    solver.load_limit(-direction)
    solver.equilibrium(0.1 * direction)
    assert_limit(solver.load_limit(direction), expected)
    if 0.0 < expected < np.inf:
        for change in NEAR:
            for factor in (expected * (1 - change), expected * (1 + change)):
                assert_verdict(hf.equilibrium(assembly, factor * direction), factor < expected)
                assert_verdict(solver.equilibrium(factor * direction), factor < expected)
    return answer


def opposed_units(count: int = 1) -> hf.Assembly:
    """Pairs of dented units on one plane."""
    unit = dented_unit()
    places = [at(0.1 * (-1) ** i, 0.05 * (i // 2), 0) for i in range(2 * count)]
    return hf.Assembly([hf.Contact(place, np.eye(3), unit) for place in places])


# -- unions that are not their hull -----------------------------------------------------------------


def test_a_load_that_only_the_hull_could_hold_is_not_held() -> None:
    """One unit pulls only while it shears. The hull of its two sides pulls without shear; the unit cannot."""
    assembly = hf.Assembly([hf.Contact(at(0, 0, 0), np.eye(3), dented_unit(shear=20, pull=4))])
    relaxed = hf.load_limit(assembly, PULL, method=hf.solvers.Hull())
    assert relaxed.upper_bound >= 3.99
    answer = hf.load_limit(assembly, PULL)
    assert_limit(answer, 0.0)
    assert len(answer.certificate.leaves) >= 2
    for share in (1e-6, 1e-3, 0.5, 1.0):
        refused = hf.equilibrium(assembly, share * 4.0 * PULL)
        assert_verdict(refused, holds=False)


def test_opposed_units_pull_without_shear_by_shearing_against_each_other() -> None:
    """Two units shear with 20 N in opposite senses and pull with 4 N each: 8 N in the middle."""
    check(opposed_units(), PULL, 8.0)


@pytest.mark.parametrize("pairs", [2, 3, 5])
def test_many_opposed_units_pull_as_much_as_all_of_them_together(pairs: int) -> None:
    middle = np.mean([c.position for c in opposed_units(pairs).contacts], axis=0)
    direction = np.concatenate([PULL[:3], np.cross(middle, PULL[:3])])
    check(opposed_units(pairs), direction, 8.0 * pairs)


def test_an_odd_number_of_units_leaves_shear_that_costs_pull() -> None:
    """Three units in one point: two shear one way at half strength, or one rests; the referee knows which is best."""
    assembly = hf.Assembly([hf.Contact(at(0, 0, 0), np.eye(3), dented_unit()) for _ in range(3)])
    expected = verdict(assembly, PULL).largest
    hull = hf.load_limit(assembly, PULL, method=hf.solvers.Hull()).upper_bound
    assert expected == pytest.approx(8.0)
    assert hull == pytest.approx(12.0)
    check(assembly, PULL, expected)


@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_loads_between_the_limits_of_union_and_hull_are_refused_with_a_proof_of_many_leaves(share: float) -> None:
    found = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        unit = dented_unit(shear=20, pull=5)
        contacts = [hf.Contact(0.05 * rng.normal(size=3), random_rotation(rng), unit) for _ in range(4)]
        assembly = hf.Assembly(contacts)
        direction = np.concatenate([rng.normal(size=3), 0.05 * rng.normal(size=3)])
        union = verdict(assembly, direction).largest
        hull = hf.load_limit(assembly, direction, method=hf.solvers.Hull()).upper_bound
        if hull > union * (1 + 1e-4):
            found += 1
            refused = hf.equilibrium(assembly, (union + share * (hull - union)) * direction)
            assert_verdict(refused, holds=False)
            assert len(refused.certificate.leaves) >= 2
    assert found >= 3


def test_one_leg_of_a_cross_is_used_at_a_time() -> None:
    """A volume of six spikes along the axes: its hull is an octahedron, but forces go along axes only."""
    spikes = [np.array([at(0, 0, 0), 10 * sign * axis]) for axis in np.eye(3) for sign in (1.0, -1.0)]
    cross = hf.ForceVolume(spikes, allow_flat=True)
    one = hf.Assembly([hf.Contact(at(0, 0, 0), np.eye(3), cross)])
    diagonal = np.array([1.0, 1.0, 0, 0, 0, 0])
    check(one, np.array([1.0, 0, 0, 0, 0, 0]), 10.0)
    check(one, diagonal, 0.0)
    check(hf.Assembly(one.contacts * 2), diagonal, 10.0)
    check(hf.Assembly(one.contacts * 3), diagonal, 10.0)
    check(hf.Assembly(one.contacts * 4), diagonal, 20.0)
    check(hf.Assembly(one.contacts * 3), np.array([1.0, 1.0, 1.0, 0, 0, 0]), 10.0)


# -- degenerate -------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 4, 8, 12])
def test_contacts_in_one_plane_under_a_symmetric_load_share_it(count: int) -> None:
    """A regular polygon of pressing contacts: many optimal internal forces, one limit."""
    angles = 2 * np.pi * np.arange(count) / count
    volume = hf.ForceVolume([pyramid(0.5, 10.0)])
    contacts = [hf.Contact(at(np.cos(a), np.sin(a), 0), np.eye(3), volume) for a in angles]
    check(hf.Assembly(contacts), PRESS, 10.0 * count)
    check(hf.Assembly(contacts), PULL, 0.0)
    twist = np.array([0, 0, 0, 0, 0, 1.0])
    check(hf.Assembly(contacts), twist, 0.0)  # without pressing there is no friction


@pytest.mark.parametrize("count", [1, 2, 5])
def test_contacts_in_one_point_carry_no_torque_and_add_their_forces(count: int) -> None:
    volume = hf.ForceVolume([block([-2, -2, -1], [2, 2, 6])])
    contacts = [hf.Contact(at(0.3, -0.2, 0.1), np.eye(3), volume) for _ in range(count)]
    assembly = hf.Assembly(contacts)
    lever = np.cross(at(0.3, -0.2, 0.1), PULL[:3])
    check(assembly, np.concatenate([PULL[:3], lever]), 1.0 * count)
    check(assembly, -np.concatenate([PULL[:3], lever]), 6.0 * count)
    check(assembly, np.concatenate([PULL[:3], lever + at(0, 0, 1e-3)]), 0.0)
    check(assembly, np.array([0, 0, 0, 0, 0, 1.0]), 0.0)


def test_contacts_on_a_line_carry_no_torque_about_it() -> None:
    volume = hf.ForceVolume([block([-2, -2, -1], [2, 2, 6])])
    assembly = hf.Assembly([hf.Contact(at(x, 0, 0), np.eye(3), volume) for x in (-0.1, 0.0, 0.1)])
    check(assembly, np.array([0, 0, 0, 1.0, 0, 0]), 0.0)
    check(assembly, np.array([0, 0, 0, 0, 0, 1.0]), 2 * 0.1 * 2.0)
    check(assembly, PULL, 3.0)


@pytest.mark.parametrize("times", [2, 20])
def test_the_same_contact_many_times_holds_as_many_times_as_much(times: int) -> None:
    once = [
        hf.Contact(
            at(0.1, 0, 0), random_rotation(np.random.default_rng(1)), hf.ForceVolume([block([-3, -3, -1], [3, 3, 9])])
        )
    ]
    direction = np.concatenate([[1.0, 2.0, -0.5], np.cross([0.1, 0, 0], [1.0, 2.0, -0.5])])
    alone = verdict(hf.Assembly(once), direction).largest
    check(hf.Assembly(once * times), direction, times * alone)


def test_a_dented_contact_twenty_times_holds_what_ten_pairs_hold() -> None:
    """Any half of twenty dented units may shear one way: 184,756 best choices, and one limit."""
    contacts = [hf.Contact(at(0.1, 0, 0), np.eye(3), dented_unit()) for _ in range(1)] * 20
    direction = np.concatenate([PULL[:3], np.cross(at(0.1, 0, 0), PULL[:3])])
    answer = hf.load_limit(hf.Assembly(contacts), direction)
    assert answer.status == "optimal"
    assert answer.verify()
    assert answer.value == pytest.approx(20 * 4.0, rel=1e-6)


def test_volumes_of_one_shape_but_different_objects_are_no_different() -> None:
    contacts = [hf.Contact(at(0.1 * (-1) ** i, 0, 0), np.eye(3), dented_unit()) for i in range(4)]
    check(hf.Assembly(contacts), PULL, 16.0)


def test_overlapping_and_equal_pieces_are_no_trouble() -> None:
    body = block([-1, -1, -2], [1, 1, 5])
    volume = hf.ForceVolume([body, body, 0.5 * body, block([-1, -1, -2], [1, 1, 0])])
    assembly = hf.Assembly(
        [hf.Contact(at(0.1, 0, 0), np.eye(3), volume), hf.Contact(at(-0.1, 0, 0), np.eye(3), volume)]
    )
    check(assembly, PULL, 4.0)
    check(assembly, PRESS, 10.0)


# -- one contact, no load ---------------------------------------------------------------------------


def test_one_contact_holds_what_its_volume_holds() -> None:
    rng = np.random.default_rng(4)
    unit = dented_unit()
    for _ in range(20):
        contact = hf.Contact(0.1 * rng.normal(size=3), random_rotation(rng), unit)
        force = rng.normal(size=3)
        local = contact.rotation.T @ force
        direction = -np.concatenate([force, np.cross(contact.position, force)])
        assembly = hf.Assembly([contact])
        expected = float(unit.radial(local))
        assert verdict(assembly, direction).largest == pytest.approx(expected, abs=1e-9)
        assert_limit(hf.load_limit(assembly, direction), expected)


@pytest.mark.parametrize("count", [1, 3, 20])
def test_no_load_is_held_without_any_force_and_by_any_allowed_ones(count: int) -> None:
    contacts = [hf.Contact(at(0.1 * i, 0, 0), np.eye(3), dented_unit()) for i in range(count)]
    answer = hf.equilibrium(hf.Assembly(contacts), np.zeros(6))
    assert_verdict(answer, holds=True)
    batch = hf.Solver(hf.Assembly(contacts)).equilibrium_many(np.zeros((3, 6)))
    assert batch.holds.all()


@pytest.mark.parametrize("reach, holds", [(0.5, True), (2.0, False)])
def test_no_load_may_still_need_forces_that_the_joints_demand(reach: float, holds: bool) -> None:
    """A spring closes two opposed contacts with at least `reach` N m; they bear 1 N m."""
    volume = hf.ForceVolume([pyramid(0.5, 10.0)])
    down = np.diag([1.0, -1.0, -1.0])
    contacts = [hf.Contact(at(0, 0, -0.1), np.eye(3), volume), hf.Contact(at(0, 0, 0.1), down, volume)]
    joints = hf.JointRows([[0, 0, 0.1, 0, 0, 0]], [reach], [np.inf])
    assembly = hf.Assembly(contacts, joints)
    assert_verdict(hf.equilibrium(assembly, np.zeros(6)), holds)
    solver = hf.Solver(assembly)
    assert_verdict(solver.equilibrium(np.zeros(6)), holds)
    assert solver.equilibrium_many(np.zeros((2, 6))).holds.tolist() == [holds, holds]


def test_a_volume_that_allows_nothing_but_zero_holds_nothing() -> None:
    nothing = hf.ForceVolume([[[0.0, 0, 0]]], allow_flat=True)
    some = hf.ForceVolume([block([-1, -1, 0], [1, 1, 7])])
    alone = hf.Assembly([hf.Contact(at(0, 0, 0), np.eye(3), nothing)])
    assert_limit(hf.load_limit(alone, PRESS), 0.0)
    assert_verdict(hf.equilibrium(alone, PRESS), holds=False)
    assert_verdict(hf.equilibrium(alone, np.zeros(6)), holds=True)
    check(hf.Assembly([*alone.contacts, hf.Contact(at(0, 0, 0), np.eye(3), some)]), PRESS, 7.0)


@pytest.mark.parametrize("seed", range(12))
def test_a_piece_that_is_nothing_but_zero_is_a_piece_like_any_other(seed: int) -> None:
    """A contact that may also let go altogether; forces that are put into that piece are exactly zero."""
    rng = np.random.default_rng(seed)
    body = np.concatenate([np.zeros((1, 3)), rng.normal(size=(6, 3)) + rng.normal(size=3)])
    volume = hf.ForceVolume([np.zeros((1, 3)), body], allow_flat=True)
    assembly = hf.Assembly([hf.Contact(at(0, 0, z), random_rotation(rng), volume) for z in (0.1, 0.1, -0.15)])
    direction = np.zeros(6)
    for contact in assembly.contacts[:2]:
        force = contact.rotation @ (rng.dirichlet(np.ones(7)) @ body)
        direction -= np.concatenate([force, np.cross(contact.position, force)])
    check(assembly, direction, verdict(assembly, direction).largest)


# -- flat, thin, wide -------------------------------------------------------------------------------


def test_flat_volumes_hold_within_their_plane_only() -> None:
    """Polygons, segments and points, alone and as pieces of one volume."""
    plate = np.array([[-3, 0, 0], [3, 0, 0], [0, 0, 5.0]])
    rod = np.array([[0, 0, 0], [0, 0, 8.0]])
    for pieces, sideways, up in (([plate], 3.0, 5.0), ([rod], 0.0, 8.0), ([plate, rod], 3.0, 8.0)):
        volume = hf.ForceVolume(pieces, allow_flat=True)
        assembly = hf.Assembly([hf.Contact(at(0, 0, 0), np.eye(3), volume)])
        check(assembly, np.array([-1.0, 0, 0, 0, 0, 0]), sideways)
        check(assembly, PRESS, up)
        check(assembly, np.array([0, 1.0, 0, 0, 0, 0]), 0.0)


def test_frictionless_contacts_all_around_a_box_hold_it_by_form() -> None:
    """Six rods press on the faces of a box: forces are held, in closed form, torques are not."""
    rod = hf.ForceVolume([[[0, 0, 0], [0, 0, 8.0]]], allow_flat=True)
    contacts = []
    for axis, sign in itertools.product(range(3), (1.0, -1.0)):
        normal = sign * np.eye(3)[axis]
        contacts.append(hf.Contact(-0.1 * normal, hf.frame_from_normal(normal), rod))
    assembly = hf.Assembly(contacts)
    check(assembly, np.array([1.0, 0, 0, 0, 0, 0]), 8.0)
    check(assembly, np.array([1.0, 1.0, -1.0, 0, 0, 0]), 8.0)
    check(assembly, np.array([0, 0, 0, 0, 0, 1.0]), 0.0)


@pytest.mark.parametrize("decades", range(10))
def test_widths_of_one_volume_over_nine_orders_of_magnitude(decades: int) -> None:
    """A slab so many decades thinner than it is long, in a turned frame."""
    thin = 10.0**-decades
    rng = np.random.default_rng(decades)
    volume = hf.ForceVolume([block([-1, -1, -thin], [1, 1, thin])], allow_flat=True)
    contact = hf.Contact(at(0.1, 0.2, 0.3), random_rotation(rng), volume)
    assembly = hf.Assembly([contact])
    for local, expected in ((at(1, 0, 0), 1.0), (at(0, 0, 1), thin)):
        force = contact.rotation @ local
        direction = np.concatenate([force, np.cross(contact.position, force)])
        answer = hf.load_limit(assembly, direction)
        assert answer.status == "optimal"
        assert answer.verify()
        assert answer.value == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("decades", range(10))
def test_pieces_of_one_volume_over_nine_orders_of_magnitude(decades: int) -> None:
    """A tiny piece pulls, a large one presses."""
    tiny = 10.0**-decades
    volume = hf.ForceVolume([block([-1, -1, 0], [1, 1, 1]), tiny * block([-1, -1, -0.837], [1, 1, 0])])
    assembly = hf.Assembly([hf.Contact(at(0, 0, 0), np.eye(3), volume)])
    assert_verdict(hf.equilibrium(assembly, 0.5 * tiny * PULL), holds=True)
    assert_verdict(hf.equilibrium(assembly, 0.9 * tiny * PULL), holds=False)
    answer = hf.load_limit(assembly, PULL)
    assert answer.status in ("optimal", "undecided")
    assert answer.value <= 0.837 * tiny * (1 + 1e-6) <= answer.upper_bound * (1 + 2e-6)
    if decades <= 6:
        assert answer.value == pytest.approx(0.837 * tiny, rel=1e-6)


@pytest.mark.parametrize("decades", range(10))
def test_contacts_of_strengths_over_nine_orders_of_magnitude(decades: int) -> None:
    """The weak one decides along its own line of action."""
    weak = 10.0**-decades
    volumes = [hf.ForceVolume([s * block([-1, -1, -1], [1, 1, 1])]) for s in (1.0, weak)]
    contacts = [hf.Contact(at(x, 0, 0), np.eye(3), v) for x, v in zip((-0.1, 0.1), volumes, strict=True)]
    assembly = hf.Assembly(contacts)
    torque = np.array([0, 0, 0, 0, 1.0, 0])  # needs both, with equal and opposite forces
    check_wide(assembly, torque, 0.2 * weak)
    check_wide(assembly, np.concatenate([PULL[:3], np.cross(at(0.1, 0, 0), PULL[:3])]), weak)
    check_wide(assembly, np.concatenate([PULL[:3], np.cross(at(-0.1, 0, 0), PULL[:3])]), 1.0)


def check_wide(assembly: hf.Assembly, direction: np.ndarray, expected: float) -> None:
    """Verdicts to 1e-3 of the limit, however small; the limit itself, or a true bracket of it."""
    assert_verdict(hf.equilibrium(assembly, (1 - 1e-3) * expected * direction), holds=True)
    assert_verdict(hf.equilibrium(assembly, (1 + 1e-3) * expected * direction), holds=False)
    answer = hf.load_limit(assembly, direction)
    assert answer.value <= expected * (1 + 1e-6) <= answer.upper_bound * (1 + 2e-6)
    assert answer.verify() or answer.status == "undecided"


@pytest.mark.parametrize("limit", [1e-3, 1.0, 1e4, 1e6, 1e9, 1e12])
def test_joint_limits_far_beyond_the_contacts_change_nothing(limit: float) -> None:
    """With and without a ray: the contact gives 5 N along z, the joint a torque that is never reached."""
    body = block([-1, -1, 0], [1, 1, 5])
    for rays in (None, [[[1.0, 0, 0]]]):
        contact = hf.Contact(at(0, 0, 0), np.eye(3), hf.ForceVolume([body], rays))
        assembly = hf.Assembly([contact], hf.JointRows([[0.0, 0.1, 0.0]], [-limit], [limit]))
        check(assembly, PRESS, 5.0)


@pytest.mark.parametrize("tiny", [1e-3, 1e-6, 1e-9])
def test_a_ray_beside_a_small_piece_does_not_swallow_it(tiny: float) -> None:
    """The far end of a ray and a small piece of the same contact are both told apart from zero."""
    body = tiny * block([-1, -1, 0], [1, 1, 5])
    volume = hf.ForceVolume([body, tiny * pyramid(0.5, 1.0)], [[[1.0, 0, 0]], None])
    strong = hf.ForceVolume([block([-1, -1, -1], [1, 1, 1])])
    contacts = [hf.Contact(at(0, 0, 0), np.eye(3), volume), hf.Contact(at(0, 0.1, 0), np.eye(3), strong)]
    check_wide(hf.Assembly(contacts), PRESS, 5.0 * tiny)
    check_wide(hf.Assembly(contacts[:1]), PRESS, 5.0 * tiny)


# -- cones ------------------------------------------------------------------------------------------


def cone_at(position: np.ndarray, normal: np.ndarray, mu: float = 0.5) -> hf.Contact:
    return hf.Contact(position, hf.frame_from_normal(normal), hf.models.coulomb(mu, facets=16))


def test_a_block_on_the_floor_is_held_for_ever_or_not_at_all() -> None:
    floor = [cone_at(at(x, y, 0), at(0, 0, 1)) for x in (-1, 1) for y in (-1, 1)]
    assembly = hf.Assembly(floor)
    for direction, expected in (
        (PRESS, np.inf),
        (PULL, 0.0),
        (np.array([0.49, 0, -1, 0, 0, 0]), np.inf),
        (np.array([0.51, 0, -1, 0, 0, 0]), 0.0),
        (np.array([1.0, 0, 0, 0, 0, 0]), 0.0),
        (np.array([0, 0, -1.0, 0.9, 0, 0]), np.inf),  # within the support polygon
        (np.array([0, 0, -1.0, 1.1, 0, 0]), 0.0),  # outside
    ):
        answer = hf.load_limit(assembly, direction)
        assert_limit(answer, expected)
        for scale in (1e-3, 1.0, 1e6):
            assert_verdict(hf.equilibrium(assembly, scale * direction), expected == np.inf)


def test_two_cones_face_to_face_hold_everything_that_friction_can_close() -> None:
    pinch = hf.Assembly([cone_at(at(-0.1, 0, 0), at(1, 0, 0)), cone_at(at(0.1, 0, 0), at(-1, 0, 0))])
    for force in (at(1, 0, 0), at(0, 0, -1), at(0.3, 0.4, -0.5)):
        assert_limit(hf.load_limit(pinch, np.concatenate([force, np.zeros(3)])), np.inf)
        assert_verdict(hf.equilibrium(pinch, np.concatenate([100 * force, np.zeros(3)])), holds=True)
    about_the_line = np.array([0, 0, 0, 1.0, 0, 0])  # points carry no moment about the line between them
    assert_limit(hf.load_limit(pinch, about_the_line), 0.0)
    assert_verdict(hf.equilibrium(pinch, about_the_line), holds=False)


@pytest.mark.parametrize("tilt, expected", [(0.45, np.inf), (0.55, 0.0)])
def test_two_cones_at_an_angle_wedge_or_let_go(tilt: float, expected: float) -> None:
    """Normals lean towards +z by `tilt` radians from the line between; friction 0.5 holds up to atan(0.5) = 0.4636."""
    left = np.array([np.cos(tilt), 0, -np.sin(tilt)])
    right = np.array([-np.cos(tilt), 0, -np.sin(tilt)])
    wedge = hf.Assembly([cone_at(at(-0.1, 0, 0), left), cone_at(at(0.1, 0, 0), right)])
    assert_limit(hf.load_limit(wedge, np.array([0, 0, -1.0, 0, 0, 0])), expected)


# -- grasps limited by torques ----------------------------------------------------------------------


@pytest.mark.parametrize("torque", [1e-3, 0.1, 2.0, 100.0])
@pytest.mark.parametrize("capped", [False, True])
def test_a_pinch_holds_what_its_weakest_joint_can_press(torque: float, capped: bool) -> None:
    """Two fingers of 0.1 m press with at most torque / 0.1 m each; friction 0.5 carries that share of it, twice."""
    cone = hf.models.coulomb(0.5, facets=16, cap=50.0 if capped else None)
    contacts = [
        hf.Contact(at(-0.1, 0, 0), hf.frame_from_normal([1.0, 0, 0], [0, 0, 1.0]), cone),
        hf.Contact(at(0.1, 0, 0), hf.frame_from_normal([-1.0, 0, 0], [0, 0, 1.0]), cone),
    ]
    jacobian = np.zeros((2, 6))
    jacobian[0, 0], jacobian[1, 3] = 0.1, -0.1
    joints = hf.JointRows(jacobian, [-torque, -2 * torque], [torque, 2 * torque])
    press = min(torque / 0.1, 50.0) if capped else torque / 0.1
    check(hf.Assembly(contacts, joints), np.array([0, 0, -1.0, 0, 0, 0]), 2 * 0.5 * press)


@pytest.mark.parametrize("seed", range(6))
def test_many_idle_contacts_on_weak_joints_are_right(seed: int) -> None:
    """Contacts a thousand times stronger than their joints: nearly all of them rest at zero force."""
    rng = np.random.default_rng(seed)
    unit = dented_unit().scaled(1e3)
    contacts = [hf.Contact(0.05 * rng.normal(size=3), random_rotation(rng), unit) for _ in range(5)]
    jacobian = 0.05 * rng.normal(size=(6, 15))
    assembly = hf.Assembly(contacts, hf.JointRows(jacobian, np.full(6, -1.0), np.full(6, 1.0)))
    direction = np.concatenate([rng.normal(size=3), 0.05 * rng.normal(size=3)])
    expected = verdict(assembly, direction).largest
    assert 0.0 < expected < np.inf
    check(assembly, direction, expected)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_joint_that_must_be_loaded_needs_some_load_but_not_too_much(sign: float) -> None:
    """A link's weight must be carried by pressing the object: between 10 and 20 N hold, less or more do not."""
    contact = hf.Contact(at(0, 0, 0), np.eye(3), hf.ForceVolume([block([-5, -5, 0], [5, 5, 100])]))
    rows = hf.JointRows(
        [[0, 0, sign * 0.1]], sorted([sign * 1.0, sign * 2.0])[:1], sorted([sign * 1.0, sign * 2.0])[1:]
    )
    assembly = hf.Assembly([contact], rows)
    answer = hf.load_limit(assembly, PRESS)
    assert_limit(answer, 20.0)
    assert answer.scale_interval == pytest.approx((10.0, 20.0))
    for load, holds in ((0.0, False), (9.99, False), (10.01, True), (19.99, True), (20.01, False)):
        assert_verdict(hf.equilibrium(assembly, load * PRESS), holds)
