"""Contact modes: counts in closed form, and every mode against a program of its own.

Motions of rigid bodies against closed forms, the naive enumeration of all 4^k modes, and Newton's and Coulomb's laws.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from benchmarks.planar.naive import NaiveModes
from holdfast import compiling
from holdfast.errors import InputError
from holdfast.planar import (
    Body,
    Chain,
    Contact,
    MotionSet,
    PlanarMotion,
    Polyhedron,
    System,
    dynamic_modes,
    kinematic_modes,
    mode_set,
    modes,
    motions,
    system_motions,
)
from holdfast.planar.motion_sets import Whitened, region_map
from holdfast.planar.system import acceleration_rows
from tests.planar.ready_problems import block_on_incline, box_on_floor
from tests.planar.scenes import G, floor, random_contacts, random_query, random_velocity, rod, three_points

UNIT = Body(1.0, 1.0)


def test_the_three_point_example_has_ten_strict_modes():
    found = modes(UNIT, three_points(0.25))
    assert set(found.kinematic) == {"FFF", "RRR", "LLL", "SSS", "FSS", "RSS", "LSS", "SFS", "SRS", "SLS"}
    assert found.dynamic is None
    assert "10 modes" in str(found)


@pytest.mark.parametrize("count", [2, 3, 6, 10, 20])
def test_a_box_on_a_floor_has_ten_modes_whatever_touches_in_forty_nodes_a_contact(count):
    found = modes(UNIT, floor(count, 0.3), (0.0, -1.0, 0.0))
    assert len(found.kinematic) == 10
    assert found.dynamic == ("F" * count,)
    assert found.nodes == 2 * (40 * count - 60)  # 340 at ten contacts, in each of the two trees


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8])
def test_a_generic_body_at_rest_has_at_most_four_k_plus_two_modes(count):
    rng = np.random.default_rng(count)
    most = 0
    for _ in range(20):
        angles = np.pi / 2.0 + rng.uniform(-0.7, 0.7, count)
        contacts = [Contact((np.cos(t), np.sin(t)), (rng.uniform(-1, 1), rng.uniform(0.5, 1)), 0.5) for t in angles]
        most = max(most, len(modes(UNIT, contacts).kinematic))
    assert most <= 4 * count + 2
    assert most >= 4


@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_a_braced_zigzag_has_k_plus_three_times_two_to_the_k_minus_one_modes(count):
    """Every node of a zigzag touches, in turn the right and the left of two walls."""
    angles = np.zeros(count - 1)
    angles[0] = np.deg2rad(135.0)
    angles[1:] = np.deg2rad([-90.0, 90.0] * count)[: count - 2]
    walls = [(node, (-1.0, 0.0) if node % 2 == 0 else (1.0, 0.0), 0.3) for node in range(count)]
    system = Chain(np.full(count - 1, 0.127), 0.0849).system((0.0, 0.0, *angles), None, walls)
    assert len(kinematic_modes(system)) == (count + 3) * 2 ** (count - 1)


def test_kinematic_modes_are_those_whose_rows_can_be_met():
    rng = np.random.default_rng(6)
    for _ in range(25):
        body, contacts, force, velocity = random_query(rng, 3)
        system = body.system(contacts, force, velocity)
        wanted = set()
        for mode in map("".join, product("SFRL", repeat=3)):
            A, b, strict, C, d = acceleration_rows(system, mode)
            if not Polyhedron(A, b, C, d, strict=strict, dimension=3).is_empty:
                wanted.add(mode)
        assert set(kinematic_modes(system)) == wanted


def test_dynamic_modes_with_free_torques_are_those_whose_set_of_torques_is_not_empty():
    rng = np.random.default_rng(7)
    for _ in range(6):
        angles = rng.uniform(-np.pi, np.pi, 2)
        walls = [(node, rng.normal(size=2), rng.uniform(0.0, 1.0)) for node in rng.permutation(3)[:2]]
        system = Chain([0.4, 0.5], 1.0).system((0.0, 0.0, *angles), None, walls)
        wanted = {m for m in map("".join, product("SFRL", repeat=2)) if not mode_set(system, m).is_empty}
        assert set(dynamic_modes(system)) == wanted
        tau = rng.normal(size=1)
        wanted = {m for m in map("".join, product("SFRL", repeat=2)) if not mode_set(system, m, tau).is_empty}
        assert set(dynamic_modes(system, tau)) == wanted
        assert modes(system, tau=tau).dynamic == dynamic_modes(system, tau)


def test_a_contact_in_impact_leaves_no_mode():
    found = modes(UNIT, floor(2, 0.5), velocity=(0.0, -1.0, 0.0))
    assert (found.kinematic, found.impacts) == ((), (0, 1))


def test_without_contacts_there_is_one_mode_without_letters():
    assert modes(UNIT, [], (1.0, 0.0, 0.0)).dynamic == ("",)


def test_a_system_takes_no_contacts_of_its_own_and_nothing_else_is_a_subject():
    system = UNIT.system([], (0, 0, 0))
    with pytest.raises(InputError, match="contacts"):
        modes(system, floor(2, 0.5))
    with pytest.raises(InputError, match="subject"):
        modes("FFF")


def check_laws(system: System, mode: str, motion: PlanarMotion, tolerance: float = 1e-9) -> None:
    """Newton's law, and Coulomb's and the strict conditions of `mode` at every contact, relative to the sizes in play."""
    a, f = motion
    force = np.abs(f).max(initial=0.0) + np.abs(system.bias).max()
    balance = system.mass_matrix @ a - system.bias - system.jacobian.T @ f.ravel()
    assert np.abs(balance).max() <= tolerance * (force + np.abs(system.mass_matrix @ a).max())
    an, at = (
        rows @ a + bias
        for rows, bias in (
            (system.normal_jacobian, system.normal_bias),
            (system.tangent_jacobian, system.tangent_bias),
        )
    )
    near = tolerance * (1.0 + np.abs(a).max())
    for i, letter in enumerate(mode):
        ft, fn = f[i]
        mu = system.mu[i]
        if letter == "S":
            assert ft == fn == 0.0
            assert system.normal_velocity[i] > 0.0 or (system.normal_velocity[i] == 0.0 and an[i] > 0.0)
            continue
        assert system.normal_velocity[i] == 0.0
        assert abs(an[i]) <= near
        assert fn >= 0.0
        if letter == "F":
            assert system.tangent_velocity[i] == 0.0
            assert abs(at[i]) <= near
            assert abs(ft) <= mu * fn + tolerance * force
        else:
            sign = 1.0 if letter == "R" else -1.0
            slip = system.tangent_velocity[i] or at[i]
            assert sign * slip > 0.0
            assert abs(ft + sign * mu * fn) <= tolerance * force


def check_against_naive(found: MotionSet, rng: np.random.Generator) -> None:
    """The same modes, the same reach of accelerations along random directions; samples that obey the laws."""
    naive = NaiveModes(found.system)
    assert set(found.modes) == set(naive.all_modes())
    n = found.system.coordinate_count
    for mode, piece in found.modes.items():
        for direction in rng.normal(size=(4, n)):
            ends = len(piece.rays) and (piece.rays @ direction).max() > 1e-9
            reach = np.inf if ends else (piece.vertices @ direction).max()
            wanted = naive.reach(mode, direction)
            assert wanted == reach or abs(wanted - reach) <= 1e-6 * (1.0 + abs(reach))
        for motion in [piece.sample(), *piece.samples(1, seed=int(rng.integers(1 << 30)))]:
            check_laws(found.system, mode, motion)
            assert piece.contains(motion.acceleration)
            others = [other for name, other in found.modes.items() if name != mode]
            assert not any(other.contains(motion.acceleration) for other in others)


# -- two independent ways --------------------------------------------------------------------------


@pytest.mark.parametrize("count, cases", [(1, 100), (2, 200), (3, 160), (4, 35), (5, 6)])
def test_motions_are_those_of_the_naive_enumeration_and_obey_newton_and_coulomb(count, cases):
    rng = np.random.default_rng(count)
    done, seen = 0, set()
    while done < cases:
        found = motions(*random_query(rng, count))
        seen.add(str(found.status))
        if found.status != "impact":
            check_against_naive(found, rng)
            done += 1
    assert "unique" in seen
    if count in (2, 3):
        assert {"finite", "continuum", "inconsistent", "impact"} <= seen


def test_force_vertices_and_rays_bring_about_exactly_the_accelerations_of_their_piece():
    rng = np.random.default_rng(5)
    for _ in range(60):
        found = motions(*random_query(rng, int(rng.integers(1, 4))))
        system = found.system
        for piece in found.modes.values():
            forces = piece.forces
            to_a = np.linalg.solve(system.mass_matrix, system.jacobian.T)
            free = np.linalg.solve(system.mass_matrix, system.bias)
            for direction in rng.normal(size=(3, 3)):
                slopes = forces.rays @ to_a.T @ direction
                ends = len(piece.rays) and (piece.rays @ direction).max() > 1e-9
                assert bool(ends) == bool(len(slopes) and slopes.max() > 1e-7)
                if not ends:
                    by_force = ((free + forces.vertices @ to_a.T) @ direction).max()
                    assert by_force == pytest.approx((piece.vertices @ direction).max(), rel=1e-7, abs=1e-7)
            assert piece.forces_unique == (len(forces.vertices) == 1 and not len(forces.rays))


def test_a_chain_of_one_link_moves_as_the_rigid_body_that_it_is():
    rng = np.random.default_rng(11)
    for _ in range(60):
        length, mass = rng.uniform(0.3, 2.0), rng.uniform(0.2, 2.0)
        angle, spin = rng.uniform(-np.pi, np.pi), rng.choice([0.0, 0.0, rng.normal()])
        axis = np.array([np.cos(angle), np.sin(angle)])
        to_centre = 0.5 * length * axis
        turned = np.array([-to_centre[1], to_centre[0]])
        walls = [
            (int(rng.integers(2)), rng.normal(size=2), rng.choice([0.0, 0.4, 1.5])) for _ in range(rng.integers(1, 4))
        ]
        v0 = np.zeros(2) if spin == 0.0 else rng.normal(size=2)
        chain = system_motions(Chain([length], mass).system((0, 0, angle), (*v0, spin), walls))
        contacts = [Contact(normal, to_centre if node == 0 else -to_centre, mu) for node, normal, mu in walls]
        body = Body(2.0 * mass, 0.5 * length)
        rigid = motions(body, contacts, (0.0, -2.0 * mass * G, 0.0), (*(v0 + spin * turned), spin))
        assert (chain.status, set(chain.modes)) == (rigid.status, set(rigid.modes))
        for mode, piece in chain.modes.items():
            centre = piece.vertices[:, :2] + piece.vertices[:, 2:] * turned - spin**2 * to_centre
            moved = np.column_stack([centre, piece.vertices[:, 2]])
            for direction in rng.normal(size=(3, 3)):
                if not len(piece.rays):
                    reach = (rigid.modes[mode].vertices @ direction).max()
                    assert (moved @ direction).max() == pytest.approx(reach, rel=1e-8, abs=1e-8)
            assert len(piece.rays) == len(rigid.modes[mode].rays)


def test_without_friction_bodies_on_up_to_twenty_contacts_follow_gauss_least_constraint():
    """The acceleration nearest to the free one, in the metric of the masses, among those that penetrate nothing."""
    rng = np.random.default_rng(12)
    for _ in range(60):
        contacts = [
            Contact(c.normal if c.normal[1] > -0.3 else -c.normal, c.r, 0.0, c.kind)
            for c in random_contacts(rng, int(rng.integers(1, 21)), int(rng.integers(4)))
        ]
        body = Body(rng.uniform(0.5, 2.0), rng.uniform(0.1, 2.0))
        found = motions(body, contacts, rng.normal(size=3), random_velocity(rng, contacts))
        if found.status == "impact":
            continue
        system = found.system
        still = system.normal_velocity == 0.0
        lower = np.linalg.cholesky(system.mass_matrix)
        free = np.linalg.solve(lower, system.bias)
        rows = np.linalg.solve(lower, system.normal_jacobian[still].T).T
        allowed = Polyhedron(rows, -system.normal_bias[still] - rows @ free, dimension=3, least_scale=1.0)
        assert found.status == ("inconsistent" if allowed.is_empty else "unique")
        if found.acceleration is not None:
            nearest = np.linalg.solve(lower.T, free + allowed.least_norm())
            assert np.allclose(found.acceleration, nearest, rtol=1e-6, atol=1e-6 * (1.0 + np.abs(free).max()))


def test_turning_the_whole_scene_turns_the_answer_whatever_rounding_does_to_redundant_contacts():
    rng = np.random.default_rng(13)
    for _ in range(80):
        body, contacts, force, velocity = random_query(rng, int(rng.integers(1, 7)))
        angle = rng.uniform(0.0, 2.0 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        plain = motions(body, contacts, force, velocity)
        moved = [Contact(turn[:2, :2] @ c.normal, turn[:2, :2] @ c.r, c.mu, c.kind) for c in contacts]
        turned = motions(body, moved, turn @ force, turn @ velocity)
        assert (plain.status, set(plain.modes)) == (turned.status, set(turned.modes))
        for mode, piece in plain.modes.items():
            other = turned.modes[mode]
            assert (len(piece.vertices), len(piece.rays)) == (len(other.vertices), len(other.rays))
            for vertex in piece.vertices @ turn.T:
                size = 1.0 + np.abs(piece.vertices).max()
                assert len(piece.rays) or np.abs(other.vertices - vertex).max(axis=1).min() < 1e-8 * size


# -- Erdmann's three-point example -----------------------------------------------------------------


def directions(count: int, seed: int) -> np.ndarray:
    """Random forces, and all on a lattice: axes, diagonals and the friction cone's own planes among them."""
    lattice = np.stack(np.meshgrid(*[np.arange(-2, 3)] * 3), axis=-1).reshape(-1, 3)
    edges = np.array([c.normal_row + s * 0.25 * c.tangent_row for c in three_points(0.25) for s in (-1, 1)])
    return np.vstack([lattice, -edges, np.random.default_rng(seed).normal(size=(count, 3))])


def test_below_mu_two_the_three_point_body_has_one_motion_under_every_force():
    for mu in (0.25, 1.9):
        for force in directions(150, seed=1):
            found = motions(UNIT, three_points(mu), force)
            assert found.status == "unique"
            ((mode, piece),) = found.modes.items()
            check_laws(found.system, mode, piece.sample())


def test_above_mu_two_the_three_point_body_is_ambiguous_under_some_force_and_at_two_under_none():
    # A force through the first contact's cone edge R: it may slide there or pivot, when the edge dips below the plane.
    found = {mu: set() for mu in (2.0, 2.05, 3.0)}
    for mu, seen in found.items():
        for force in np.random.default_rng(3).normal(size=(400, 3)):
            seen.add(str(motions(UNIT, three_points(mu), force).status))
    assert found[2.0] == {"unique"}
    assert found[3.0] == {"unique", "finite"}
    assert "finite" in found[2.05]


def test_a_pure_horizontal_force_slides_the_three_point_body_and_a_large_torque_tips_it():
    slide = motions(UNIT, three_points(0.25), (1.0, -1.0, 0.0))
    assert list(slide.modes) == ["RRR"]
    assert np.allclose(slide.acceleration, (0.75, 0.0, 0.0))
    tip = motions(UNIT, three_points(0.25), (0.0, -1.0, 3.0))
    assert list(tip.modes) == ["RSS"]
    assert tip.acceleration is not None
    assert tip.acceleration[2] > 0.0


def test_a_unique_motion_may_have_many_reactions():
    resting = motions(UNIT, three_points(0.25), (0.0, -1.0, 0.0))
    assert resting.status == "unique"
    assert not resting.forces_unique
    forces = resting.modes["FFF"].forces
    assert not len(forces.rays)
    assert np.allclose(forces.vertices[:, 1::2].sum(axis=1), 1.0)
    assert np.allclose(forces.vertices[:, ::2].sum(axis=1), 0.0)
    assert motions(UNIT, three_points(0.25), (0.0, -1.0, 3.0)).forces_unique


# -- Painleve's rod --------------------------------------------------------------------------------


def test_painleves_threshold_is_four_thirds_at_tangent_two():
    assert list(rod(4.0 / 3.0 - 1e-6, 0.0).modes) == ["L"]
    assert rod(4.0 / 3.0, 0.0).status == "inconsistent"
    assert rod(4.0 / 3.0 + 1e-6, 0.0).status == "inconsistent"
    assert list(rod(4.0 / 3.0, 6.0).modes) == ["S"]
    assert set(rod(4.0 / 3.0 + 1e-6, 6.0).modes) == {"S", "L"}


def test_at_the_threshold_with_nothing_to_press_every_normal_force_slides_the_rod():
    spin = np.sqrt(G * np.sqrt(5.0) / 2.0)
    found = rod(4.0 / 3.0, spin)
    assert found.status == "continuum"
    assert list(found.modes) == ["L"]
    piece = found.modes["L"]
    assert (len(piece.vertices), len(piece.rays)) == (1, 1)
    for motion in piece.samples(5, seed=2):
        check_laws(found.system, "L", motion)


# -- textbook statics ------------------------------------------------------------------------------


def test_a_block_on_an_incline_as_steep_as_its_friction_still_rests():
    slope = np.arctan(0.5)
    load = 2.0 * G * np.array([np.sin(slope), -np.cos(slope), 0.0])
    found = motions(Body(2.0, 0.3), [Contact((0, 1), (x, 0.2), 0.5) for x in (-0.5, 0.5)], load)
    assert list(found.modes) == ["FF"]


@pytest.mark.parametrize("wall", [0.0, 0.3])
@pytest.mark.parametrize("ground", [0.2, 0.4, 0.6])
@pytest.mark.parametrize("tangent", [0.6, 1.0, 1.6, 3.0])
def test_a_ladder_can_stay_when_its_slope_is_at_least_one_minus_the_product_over_twice_the_grounds_mu(
    wall, ground, tangent
):
    angle = np.arctan(tangent)
    up = np.array([np.cos(angle), np.sin(angle)])
    # It leans to the left: foot on the ground at the right, top at the wall.
    to_foot = np.array([-up[0], up[1]])
    contacts = [Contact((0, 1), to_foot, ground), Contact((1, 0), -to_foot, wall)]
    found = motions(Body(1.0, 1.0 / np.sqrt(3.0)), contacts, (0.0, -G, 0.0))
    stays = tangent >= (1.0 - wall * ground) / (2.0 * ground)
    assert ("FF" in found.modes) == stays
    if not stays:
        assert list(found.modes) == ["RR"]


# -- degenerate and bad input ----------------------------------------------------------------------


def test_without_contacts_a_body_accelerates_freely():
    found = motions(Body(2.0, 0.5), [], (1.0, -2.0, 3.0))
    assert (found.status, list(found.modes)) == ("unique", [""])
    assert np.allclose(found.acceleration, (0.5, -1.0, 6.0))
    assert found.forces_unique


def test_a_body_at_rest_without_load_stays_where_friction_cannot_wedge_it():
    found = motions(UNIT, floor(2, 0.5), (0.0, 0.0, 0.0))
    assert (found.status, list(found.modes)) == ("unique", ["FF"])
    assert found.forces_unique


def test_velocity_into_an_obstacle_is_an_impact_and_no_answer():
    found = motions(UNIT, floor(3, 0.5), (0.0, -1.0, 0.0), (0.0, -1e-3, 0.0))
    assert (found.status, found.modes, found.impacts) == ("impact", {}, (0, 1, 2))
    assert found.acceleration is None


def test_velocity_away_from_an_obstacle_separates_whatever_presses():
    found = motions(UNIT, floor(2, 0.5), (0.0, -5.0, 0.0), (0.0, 1.0, 0.0))
    assert list(found.modes) == ["SS"]
    assert np.allclose(found.acceleration, (0.0, -5.0, 0.0))


def test_coincident_contacts_change_no_motion():
    rng = np.random.default_rng(8)
    for _ in range(20):
        body, contacts, force, velocity = random_query(rng, 2)
        once, twice = (motions(body, contacts * times, force, velocity) for times in (1, 2))
        assert {mode * 2 for mode in once.modes} == set(twice.modes)
        assert once.status == twice.status
        for mode, piece in once.modes.items():
            for direction in rng.normal(size=(2, 3)):
                other = twice.modes[mode * 2]
                if not len(piece.rays):
                    reach = (piece.vertices @ direction).max()
                    assert (other.vertices @ direction).max() == pytest.approx(reach, rel=1e-8, abs=1e-8)


def test_a_wedged_body_may_move_in_a_continuum_with_unbounded_forces():
    # Between two walls with friction that jams, any squeeze is in balance: forces have rays, the motion none.
    squeezed = motions(UNIT, [Contact((1, 0), (1, 0), 1.0), Contact((-1, 0), (-1, 0), 1.0)], (0.0, -1.0, 0.0))
    assert "FF" in squeezed.modes
    assert len(squeezed.modes["FF"].forces.rays)
    assert squeezed.modes["FF"].is_point


@pytest.mark.parametrize(
    "call, where",
    [
        (lambda: motions(UNIT, [((0, 1), (0, 1), 0.5)], (0, 0, 0)), "contacts[0]"),
        (lambda: motions(UNIT, 3, (0, 0, 0)), "contacts"),
        (lambda: motions((1.0, 1.0), [], (0, 0, 0)), "body"),
        (lambda: motions(UNIT, [], (0, 0)), "force"),
        (lambda: motions(UNIT, [], (0, 0, np.nan)), "force[2]"),
        (lambda: motions(UNIT, [], (0, 0, 0), (0, 0)), "velocity"),
        (lambda: system_motions("FFF"), "system"),
    ],
)
def test_bad_input_is_named(call, where):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.where == where


def answer(push: float, mu: float):
    """A box pushed at its middle height: it stays, slides or tips."""
    problem = box_on_floor()
    return problem.under((push, -9.81, 0.0)).with_friction(mu).motions()


def word(x: float, y: float) -> str:
    return "high" if y > x else "low"


def test_a_pushed_box_stays_slides_or_tips_as_statics_say():
    pushes, frictions = np.linspace(0.5, 19.5, 12), np.linspace(0.05, 1.95, 9)
    found = region_map(answer, pushes, frictions)
    for i, mu in enumerate(frictions):
        for j, push in enumerate(pushes):
            # A cube pushed through its centre slides above mu m g; it tips when the push exceeds m g, if it does not slide.
            if push < mu * 9.81 and push < 9.81:
                wanted = ("FF",)
            elif mu <= 1.0:
                wanted = ("RR",)
            else:
                continue
            assert found.label(i, j) == wanted, (mu, push)
    assert any(label not in {("FF",), ("RR",)} for label in found.labels)  # it tips over its leading corner
    assert found.shares.sum() == pytest.approx(1.0)
    assert (np.diff(found.shares) <= 0.0).all()


def test_every_grid_point_has_the_answer_of_its_own_query_and_rows_are_ys():
    xs, ys = np.linspace(0.0, 1.0, 5), np.linspace(0.0, 2.0, 7)
    found = region_map(word, xs, ys)
    assert found.regions.shape == (7, 5)
    for i, y in enumerate(ys):
        for j, x in enumerate(xs):
            assert found.label(i, j) == word(x, y)
    assert found.names == ("high", "low")


def test_two_processes_find_the_same_map():
    xs, ys = np.linspace(0.0, 1.0, 20), np.linspace(0.0, 2.0, 30)
    alone, shared = (region_map(word, xs, ys, workers=workers) for workers in (1, 2))
    assert alone.labels == shared.labels
    np.testing.assert_array_equal(alone.regions, shared.regions)


def test_mode_strings_are_sorted_and_no_modes_say_their_status():
    found = region_map(lambda x, _: ["R", "F"] if x else [], [0.0, 1.0], [0.0])
    assert set(found.labels) == {("F", "R"), "none"}
    assert set(found.names) == {"F or R", "none"}
    slide = region_map(lambda slope, mu: block_on_incline(slope, mu).motions(), [0.3], [0.1])
    assert slide.labels == (("RR",),)


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (lambda: region_map(word, [], [1.0]), "xs"),
        (lambda: region_map(word, [1.0], [[1.0]]), "ys"),
        (lambda: region_map(3, [1.0], [1.0]), "function"),  # type: ignore[arg-type]
        (lambda: region_map(lambda x, y: x + y, [1.0], [1.0]), "function"),  # type: ignore[arg-type, return-value]
    ],
)
def test_bad_input_is_named_of_region_maps(call, where):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.where == where


def test_compiling_is_not_counted_as_solving(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that stands still but while a kernel is compiled."""
    now = [100.0]
    monkeypatch.setattr(compiling.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(compiling, "_compiling", [])
    faces = Whitened.dynamic_faces

    def slow(self: Whitened):
        now[0] += 30.25
        compiling._compiling.append(30.0)
        return faces(self)

    monkeypatch.setattr(Whitened, "dynamic_faces", slow)
    found = motions(UNIT, three_points(0.25), (0.0, -1.0, 0.0))
    assert found.seconds == pytest.approx(0.25)
