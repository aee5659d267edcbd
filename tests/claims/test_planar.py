"""In the plane: textbook motions, Erdmann's procedure and all modes enumerated, torque sets against brute force."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import holdfast as hf
from holdfast.planar import Body, Contact, System, motions, torque_sets
from holdfast.planar.erdmann import generalised_velocity
from tests.nightly import nightly_after
from tests.planar.erdmann_procedure import Procedure
from tests.planar.greenfield import BOX, GRAVITY, LENGTH, MASS, judge, six_links, two_links
from tests.planar.scenes import G, random_query, rod, three_points

HALF = MASS * GRAVITY * LENGTH / np.sqrt(2.0)

# -- motions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.5, 1.2, 1.4, 3.0])
@pytest.mark.parametrize("spin", [0.0, 4.0, 6.0])
def test_painleves_rod_slides_flies_does_both_or_neither_as_its_two_numbers_say(mu, spin):
    sine, cosine = 2.0 / np.sqrt(5.0), 1.0 / np.sqrt(5.0)
    a, b = 1.0 + 3.0 * cosine**2 - 3.0 * mu * sine * cosine, spin**2 * sine - G
    found = rod(mu, spin)
    wanted = {(True, True): {"S"}, (True, False): {"L"}, (False, True): {"S", "L"}, (False, False): set()}[a > 0, b > 0]
    assert set(found.modes) == wanted and found.status == ("inconsistent", "unique", "finite")[len(wanted)]
    for mode, piece in found.modes.items():
        assert piece.sample().forces[0, 1] == pytest.approx(-b / a if mode == "L" else 0.0)


@pytest.mark.parametrize("kind", ["vertex", "edge"])
@pytest.mark.parametrize(("mu", "slope"), [(0.0, 0.1), (0.2, 0.1), (0.2, 0.3), (0.5, 0.45), (0.5, 0.6)])
def test_a_block_on_an_incline_rests_or_slides_with_g_sin_minus_mu_g_cos(mu, slope, kind):
    contacts = [Contact((0, 1), (x, 0.2), mu, kind) for x in (-0.5, 0.5)]
    found = motions(Body(2.0, 0.3), contacts, 2.0 * G * np.array([np.sin(slope), -np.cos(slope), 0.0]))
    slides = np.tan(slope) > mu
    assert found.status == "unique" and list(found.modes) == ["RR" if slides else "FF"]
    speed = G * (np.sin(slope) - mu * np.cos(slope)) if slides else 0.0
    assert np.allclose(found.acceleration, (speed, 0.0, 0.0))


def test_a_tall_block_tips_over_its_lower_edge():
    load = G * np.array([np.sin(0.5), -np.cos(0.5), 0.0])
    found = motions(Body(1.0, 0.6), [Contact((0, 1), (x, 1.0), 1.0) for x in (0.4, -0.4)], load)
    assert list(found.modes) == ["SF"]
    assert found.acceleration[2] == pytest.approx(-(1.0 * load[0] + 0.4 * load[1]) / (0.36 + 0.16 + 1.0))


def test_a_disc_that_rolls_over_its_contact_feels_its_curvature():
    """A unit disc at rest on a floor, spinning at 2: the contact's normal keeps a_n = second variation's share."""
    still, moving = (
        motions(Body(1.0, 0.5), [Contact((0, 1), (0, 1), 0.5, second_variation=s)], (0.0, -1.0, 0.0), (0.0, 0.0, 0.0))
        for s in (None, -0.3)
    )
    assert still.acceleration[1] == pytest.approx(0.0)
    assert moving.acceleration[1] == pytest.approx(0.3)


@pytest.mark.parametrize(("count", "cases"), [(1, 25), (2, 50), (3, 25)])
def test_erdmanns_procedure_finds_the_same_motions(count, cases):
    rng, compared = np.random.default_rng(100 + count), 0
    for _ in range(cases):
        body, contacts, force, velocity = random_query(rng, count)
        answer = motions(body, contacts, force, velocity)
        literal = Procedure(body, contacts, np.asarray(force, dtype=float), np.asarray(velocity, dtype=float))
        families = literal.families()
        assert (answer.status == "impact") == literal.impact
        back = np.array([1.0, 1.0, body.radius_of_gyration])
        for family in families:
            for a in family.samples(rng):
                assert any(piece.contains(a / back) for piece in answer.modes.values()), a
                compared += 1
        for piece in answer.modes.values():
            for motion in piece.samples(2, seed=1):
                a = generalised_velocity(body, motion.acceleration)
                assert any(family.contains(a, literal.scale + np.abs(a).max()) for family in families)
    assert compared > cases


def test_three_points_slide_tip_or_rest_with_many_reactions():
    slide = motions(Body(1.0, 1.0), three_points(0.25), (1.0, -1.0, 0.0))
    assert list(slide.modes) == ["RRR"] and np.allclose(slide.acceleration, (0.75, 0.0, 0.0))
    tip = motions(Body(1.0, 1.0), three_points(0.25), (0.0, -1.0, 3.0))
    assert list(tip.modes) == ["RSS"] and tip.acceleration[2] > 0.0
    rest = motions(Body(1.0, 1.0), three_points(0.25), (0.0, -1.0, 0.0))
    assert rest.status == "unique" and not rest.forces_unique
    assert np.allclose(rest.modes["FFF"].forces.vertices[:, 1::2].sum(axis=1), 1.0)


def test_a_velocity_into_an_obstacle_is_an_impact_and_away_from_it_separates():
    floor = [Contact((0, 1), (0, 1), 0.5)]
    assert motions(Body(1.0, 1.0), floor, (0, -1, 0), (0, -1, 0)).status == "impact"
    assert list(motions(Body(1.0, 1.0), floor, (0, -1, 0), (0, 1, 0)).modes) == ["S"]


# -- chains and torque sets -------------------------------------------------------------------------------------


def test_a_chain_has_the_weight_and_inertia_of_its_nodes():
    chain = hf.planar.Chain([0.5, 0.4], [1.0, 2.0, 3.0])
    q = np.array([0.1, 0.2, 0.3, 0.7])
    h = 1e-6

    def nodes(x):
        ends, at, angle = [x[:2]], x[:2], 0.0
        for length, turn in zip([0.5, 0.4], x[2:], strict=True):
            angle += turn
            at = at + length * np.array([np.cos(angle), np.sin(angle)])
            ends.append(at)
        return np.array(ends)

    slopes = np.stack([(nodes(q + h * e) - nodes(q - h * e)) / (2 * h) for e in np.eye(4)], axis=-1)
    system = chain.system(q, None, [(2, (1.0, 0.0), 0.5)])
    masses = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(system.mass_matrix, np.einsum("n,nic,nid->cd", masses, slopes, slopes), atol=1e-8)
    np.testing.assert_allclose(system.bias, -9.81 * np.einsum("n,nc->c", masses, slopes[:, 1]), atol=1e-7)
    np.testing.assert_allclose(np.abs(system.normal_jacobian[0]), np.abs(slopes[2, 0]), atol=1e-8)


@pytest.mark.parametrize("mu", [0.05, 0.3, 0.999])
def test_two_links_are_held_by_torques_below_the_closed_form(mu):
    answer = torque_sets(two_links(mu), "FFF")
    assert np.allclose(answer.feasible.A, [[-1.0]])
    assert np.allclose(answer.feasible.b, HALF * (3 + mu**2) / (4 * mu), rtol=1e-9)
    assert answer.overlaps == [] and answer.status == "unambiguous"


@pytest.mark.parametrize("mu", [1.001, 3.0])
def test_two_links_are_ambiguous_above_mu_one_and_unique_below_minus_mgl_over_root_two(mu):
    answer = torque_sets(two_links(mu), "FFF")
    assert set(answer.overlaps) == {"SSS", "SFF", "FFS", "LRL"}
    (piece,) = answer.unique
    assert np.allclose(piece.A, [[-1.0]]) and np.allclose(piece.b, HALF)
    assert list(answer.classify([-1.01 * HALF, -HALF, -0.99 * HALF])) == ["unique", "unique", "ambiguous"]


def test_the_papers_six_links_and_robust_brace():
    six = torque_sets(six_links(), "FFF", hf.planar.torque_space.standstill(8))
    assert six.feasible.dimension == 3 and six.overlaps == [] and len(six.unique) == 1
    brace = torque_sets(two_links(), "FFF", disturbance=BOX)
    assert round(-brace.feasible.b[0], 5) == -0.61210 and brace.overlaps == []


def random_system(rng: np.random.Generator) -> System:
    links, k = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    chain = hf.planar.Chain(rng.uniform(0.5, 1.5, links), rng.uniform(0.2, 1.0, links + 1))
    contacts = []
    for _ in range(k):
        angle = rng.choice([0.0, np.pi / 2, np.pi, rng.uniform(0, 2 * np.pi)])
        normal = (np.cos(angle), np.sin(angle))
        contacts.append((int(rng.integers(0, links + 1)), normal, float(rng.choice([0.0, 0.3, 1.0, 2.0]))))
    return chain.system(rng.normal(size=links + 2), None, contacts)


@pytest.mark.parametrize("seed", nightly_after(10, range(40)))
def test_classes_of_random_torques_agree_with_all_modes_tried_one_by_one(seed):
    rng = np.random.default_rng(seed)
    system = random_system(rng)
    for _ in range(3):
        mode = "".join(rng.choice(list("SFFFRL"), len(system.mu)))
        answer = torque_sets(system, mode)
        generators = answer.feasible.generators
        tau = rng.normal(size=system.torque_count) * 5.0
        if len(generators.vertices) and rng.random() < 0.7:
            weights = rng.dirichlet(np.ones(len(generators.vertices)))
            tau = weights @ generators.vertices + rng.uniform(0, 3, len(generators.all_rays)) @ generators.all_rays
        wanted, others = judge(system, mode, tau)
        if wanted != "close":
            assert answer.classify(tau) == wanted
            assert [motion.mode for motion in answer.explain(tau)] == [m for m in answer.overlaps if m in others]


def test_a_robust_set_is_the_intersection_over_the_corners_and_its_ambiguity_the_union():
    box = np.array([[-0.05, -0.3, -0.003, -0.01], [0.02, 0.1, 0.002, 0.03]])
    system, tau = two_links(1.5), np.linspace(-0.5, 0.3, 41)
    robust = torque_sets(system, "FFF", disturbance=box)
    points = np.array(np.meshgrid(*box.T)).reshape(4, -1).T
    answers = (
        np.array([torque_sets(dataclasses.replace(system, bias=system.bias + p), "FFF").classify(tau) for p in points])
        if dataclasses.is_dataclass(system)
        else np.array([torque_sets(shifted(system, p), "FFF").classify(tau) for p in points])
    )
    expected = np.where((answers == "infeasible").any(axis=0), "infeasible", "unique")
    expected[(expected == "unique") & (answers == "ambiguous").any(axis=0)] = "ambiguous"
    assert (robust.classify(tau) == expected).all() and set(expected) >= {"unique", "ambiguous"}


def shifted(system: System, by: np.ndarray) -> System:
    return System(
        system.mass_matrix,
        system.bias + by,
        system.selector,
        system.normal_jacobian,
        system.tangent_jacobian,
        system.mu,
    )


def test_torque_limits_bound_the_set():
    answer = torque_sets(two_links(), "FFF", limits=([-0.3], [0.5]))
    ends = sorted(answer.feasible.generators.vertices.ravel())
    assert ends == pytest.approx([-0.3, -0.19259], abs=1e-5)
