"""Ready problems against closed forms of statics: friction angles, ladders, jamming and wedging of pegs, closure of grasps."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import GeometryError, InputError
from holdfast.planar import Body, Problem, from_outlines
from holdfast.planar.bodies import PlanarOutline
from holdfast.planar.problems import GRAVITY as G
from tests.planar import ready_problems as problems


def can_stay(problem: Problem) -> bool:
    return any(bool(piece.contains(np.zeros(3))) for piece in problem.motions().modes.values())


@pytest.mark.parametrize("name", problems.READY)
def test_every_ready_problem_can_be_asked_as_it_is_and_its_contacts_lie_on_body_and_obstacle(name):
    problem = problems.READY[name]()
    assert problem.name and problem.motions().status in ("unique", "inconsistent")
    assert problem.outline.distances(problem.points).max() < 1e-9
    assert np.min([o.distances(problem.points) for o in problem.obstacles], axis=0).max() < 1e-9
    for contact, point in zip(problem.contacts, problem.points, strict=True):
        np.testing.assert_allclose(point + contact.r, problem.centre, atol=1e-12)
        # A step along the normal leaves the obstacles.
        ahead = point + 1e-6 * contact.normal
        assert not any(o.contains(ahead[None])[0] for o in problem.obstacles)


def test_three_points_are_those_of_the_paper():
    from tests.planar.scenes import three_points

    problem = problems.three_points(0.25)
    for mine, known in zip(problem.contacts, three_points(0.25), strict=True):
        np.testing.assert_allclose(mine.r, known.r)
        np.testing.assert_allclose(mine.normal, known.normal, atol=1e-12)
        assert mine.kind == "vertex"


@pytest.mark.parametrize("slope", [0.1, 0.35, 0.6])
def test_a_block_slides_down_its_incline_with_g_sin_minus_mu_g_cos(slope):
    for mu in (0.0, 0.5 * np.tan(slope), 1.01 * np.tan(slope)):
        answer = problems.block_on_incline(slope, mu).motions()
        along = max(G * (np.sin(slope) - mu * np.cos(slope)), 0.0)
        wanted = along * np.array([np.cos(slope), -np.sin(slope)])
        np.testing.assert_allclose(answer.acceleration, [*wanted, 0.0], atol=1e-9)
        assert list(answer.modes) == [("RR" if along else "FF")]


@pytest.mark.parametrize(("mu_floor", "mu_wall"), [(0.3, 0.0), (0.4, 0.3), (0.2, 0.9)])
def test_a_ladder_stays_from_the_angle_of_statics_on(mu_floor, mu_wall):
    least = np.arctan((1.0 - mu_floor * mu_wall) / (2.0 * mu_floor))
    for angle in (least - 0.02, least + 0.02):
        assert can_stay(problems.ladder(angle, mu_floor, mu_wall)) == (angle > least)


def test_a_climber_near_the_top_makes_a_ladder_slide_and_near_the_foot_steadies_it():
    angle, mu = 1.0, 0.3
    assert not can_stay(problems.ladder(angle, mu, 0.0, climber=70.0, at=0.9))
    assert can_stay(problems.ladder(angle, mu, 0.0, climber=70.0, at=0.1))
    # Moments about the foot, smooth wall: mean position of the weight <= mu tan(angle) of the length.
    border = (mu * np.tan(angle) * 80.0 - 0.5 * 10.0) / 70.0
    assert can_stay(problems.ladder(angle, mu, 0.0, climber=70.0, at=border - 0.01))
    assert not can_stay(problems.ladder(angle, mu, 0.0, climber=70.0, at=border + 0.01))


def test_painleves_rod_has_no_one_or_two_motions_as_its_two_numbers_say():
    angle = np.arctan(2.0)
    s, c = np.sin(angle), np.cos(angle)
    for mu in (0.5, 1.2, 1.5, 2.0):
        for spin in (0.0, 2.0, 4.0):
            A, b = 1.0 + 3.0 * c * c - 3.0 * mu * s * c, spin**2 * s - G
            modes = set(problems.painleve_rod(mu, spin).motions().modes)
            wanted = {(True, False): {"L"}, (True, True): {"S"}, (False, False): set(), (False, True): {"L", "S"}}
            assert modes == wanted[A > 0.0, b > 0.0]


def jamming_border(x: float, slenderness: float, mu: float) -> float:
    """Largest moment / (radius press) at side / press = x under which a straight peg on two points stays: jammed.

    `slenderness` is depth / diameter / mu, above 1. Statics with all friction used up against insertion; beyond
    |x| = 1 / mu one contact carries all.
    """
    if x <= -1.0 / mu:
        return 1.0
    if x >= 1.0 / mu:
        return -1.0 - 2.0 * slenderness * mu * x
    return -mu * (1.0 + slenderness) * x - slenderness


@pytest.mark.parametrize(("mu", "depth"), [(0.3, 1.5), (0.5, 0.8), (0.2, 0.3)])
def test_a_peg_jams_exactly_under_the_loads_of_the_closed_jamming_diagram(mu, depth):
    base = problems.peg_in_hole(mu, depth=depth, clearance=1e-5)
    assert [c.kind for c in base.contacts] == ["vertex", "edge"]
    units = [problems.peg_in_hole(mu, *load, depth=depth, clearance=1e-5).force for load in np.eye(3)]
    rng = np.random.default_rng(0)
    jammed = 0
    for _ in range(60):
        x = rng.uniform(-2.0, 2.0) / mu
        border = jamming_border(x, depth / mu, mu)
        moment = border + rng.choice([-1.0, 1.0]) * rng.uniform(0.02, 3.0)
        load = x * units[0] + units[1] + 0.5 * moment * units[2]  # of press 1 on a radius of 0.5
        stays = can_stay(base.under(load))
        assert stays == (moment < border), (x, moment, border)
        jammed += stays
    assert 10 < jammed < 50


def test_a_peg_wedges_when_the_line_between_its_contacts_lies_in_both_friction_cones():
    mu = 0.4
    for clearance in (1e-5, 0.02):
        for depth in (0.25, 0.33, 0.38, 0.42, 0.6):
            problem = problems.peg_in_hole(mu, depth=depth, clearance=clearance)
            line = problem.points[1] - problem.points[0]
            line = line / np.linalg.norm(line)
            slants = [np.arccos(problem.contacts[0].normal @ line), np.arccos(-problem.contacts[1].normal @ line)]
            wedged = max(slants) < np.arctan(mu)
            assert problem.friction_cone().is_whole_space == wedged
            if clearance < 1e-3:
                assert wedged == (depth < mu)  # Whitney: depth / diameter < mu
            if wedged:  # then even a pull straight out may be held
                assert can_stay(problem.under((0.0, 5.0, 0.0)))


def test_a_peg_that_is_pressed_straight_slides_in_and_its_corner_and_rim_keep_touching():
    answer = problems.peg_in_hole(0.2, depth=1.5, clearance=0.01).motions()
    assert answer.status == "unique"
    (piece,) = answer.modes.values()
    assert piece.vertices[0][1] < 0.0


def test_three_fingers_close_when_friction_outweighs_the_couple_of_their_shifted_normals():
    for shift in (0.0, 0.1, -0.2):
        # Normals turn by shift side, friction by mu times the radius of the inscribed circle, side / (2 sqrt 3).
        least = 2.0 * np.sqrt(3.0) * abs(shift)
        for mu in (least + 0.01, *([least - 0.01] if shift else [])):
            assert problems.three_finger_grasp(mu, shift=shift).friction_cone().is_whole_space == (mu > least)
    bare = problems.three_finger_grasp(0.0)
    assert not bare.friction_cone().is_whole_space
    # Frictionless fingers whose normals meet in one point leave the turn about it free.
    assert can_stay(bare) and not can_stay(bare.under((0.0, 0.0, 1.0)))
    assert can_stay(problems.three_finger_grasp(0.3).under((3.0, 4.0, 0.5)))


def test_a_pushed_box_tips_when_the_push_is_high():
    low, high = problems.box_on_floor(0.5, 4.9, 0.2), problems.box_on_floor(0.9, 8.0, 1.0)
    assert can_stay(low)
    assert list(high.motions().modes) == ["SF"] or list(high.motions().modes) == ["SR"]


def test_a_problem_from_outlines_takes_plates_or_a_body_and_says_what_is_missing():
    box, floor = PlanarOutline.rectangle(1, 1, (0, 0.5)), PlanarOutline.ground((0, 0), (0, 1), 3)
    made = from_outlines(box, [floor], 0.5, (0, -1, 0), density=2.0)
    assert made.body.mass == pytest.approx(2.0)
    heavy = from_outlines(box, [floor], 0.5, (0, -1, 0), body=Body(1, 0.1), centre=(0.1, 0.2))
    np.testing.assert_allclose(heavy.contacts[0].r, [0.6, 0.2])
    for bad in ({}, {"mass": 1.0, "body": Body(1, 1)}, {"mass": 1.0, "centre": (0, 0)}):
        with pytest.raises(InputError):
            from_outlines(box, [floor], 0.5, (0, -1, 0), **bad)
    with pytest.raises(GeometryError):
        from_outlines(box.moved((0, 1)), [floor], 0.5, (0, -1, 0), mass=1.0)
