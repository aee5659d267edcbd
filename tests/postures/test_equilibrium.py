"""Ends of rays and intervals of load scales, with the proofs of both."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.assembly.loads import gravity_wrench
from holdfast.errors import InputError, UnitError
from holdfast.geometry.frames import Pose, frame_from_normal
from holdfast.grips import Grip, GripBounds, OuterGrip, coulomb_grip
from holdfast.postures import Certainty, LazyGrip, PostureSolver, posture_equilibrium, posture_many
from holdfast.postures.equilibrium import border_of, ray_end, scale_interval, separating_wrench
from holdfast.postures.generation import solver_of
from holdfast.postures.hands import checked_hands
from holdfast.postures.proofs import unit_multipliers
from holdfast.solvers import Status
from tests.nightly import nightly_after
from tests.postures.full import BOX, random_bounds, random_pose, still

BOTH = [Grip.box(*BOX), OuterGrip.box(*BOX)]


@pytest.mark.parametrize("grip", BOTH)
def test_a_ray_ends_where_the_box_does(grip: Grip | OuterGrip) -> None:
    """The hand gives fz in [-1, 3]: from a load of -1 N, pushing down further ends at -3 N."""
    hands = checked_hands(grip, still([0, 0, 0]))
    load, down = np.array([0, 0, -1.0, 0, 0, 0]), np.array([0, 0, -2.0, 0, 0, 0])
    end = ray_end(hands, load, down)
    assert end.status is Status.OPTIMAL
    assert end.value == pytest.approx(1.0, rel=1e-12)
    assert end.upper_bound == pytest.approx(1.0, rel=1e-12)
    assert end.verify()
    assert end.bound is not None
    assert end.bound.multipliers @ down == pytest.approx(-1.0)
    assert not replace(end, wrench=load * 1.5).verify()
    assert not replace(end, optimum=replace(end.optimum, wrenches=end.optimum.wrenches + 1e-3)).verify()
    assert not replace(end, optimum=replace(end.optimum, multipliers=-end.optimum.multipliers)).verify()
    assert not replace(end, optimum=replace(end.optimum, value=end.value * 1.01)).verify()


def test_a_line_that_misses_the_sum_is_proven_to_miss_it() -> None:
    hands = checked_hands(BOTH[0], still([0, 0, 0]))
    end = ray_end(hands, np.array([7.0, 0, 0, 0, 0, 0]), np.array([0, 1.0, 0, 0, 0, 0]))
    assert end.status is Status.DOES_NOT_HOLD
    assert end.value == end.upper_bound == -np.inf
    assert end.verify()
    assert not replace(end, wrench=np.zeros(6)).verify()


@pytest.mark.parametrize("grip", [coulomb_grip(0.5), OuterGrip.box([-1] * 6, [1, 1, np.inf, 1, 1, 1])])
def test_a_ray_without_an_end_shows_what_grows(grip: Grip | OuterGrip) -> None:
    end = ray_end(checked_hands(grip, still([0, 0, 0])), np.zeros(6), np.array([0, 0, -1.0, 0, 0, 0]))
    assert end.status is Status.UNBOUNDED
    assert end.value == np.inf
    assert end.verify()
    assert end.growth is not None
    assert end.growth.wrenches == pytest.approx(np.array([[0, 0, 1.0, 0, 0, 0]]), abs=1e-12)
    assert not replace(end, direction=np.array([0, 1.0, 0, 0, 0, 0])).verify()


def test_an_interval_need_not_contain_zero() -> None:
    """A hand that pushes up with 2 to 5 N holds loads of 1 N at scales from 2 to 5."""
    grip = Grip.box([0, 0, 2, 0, 0, 0], [0, 0, 5, 0, 0, 0])
    interval = scale_interval(checked_hands(grip, still([0, 0, 0])), np.array([0, 0, -1.0, 0, 0, 0]))
    assert interval.ends == pytest.approx((2.0, 5.0), rel=1e-12)
    assert interval.verify()


# Loads at the border: the ends of their own line decide, and agree with the verdict.

PARTS = np.array([1, 1, 1, 0.1, 0.1, 0.1])

#: Palms so far apart that a tolerance of the solver hides a share of 1e-8 of the load.
FAR_SEEDS = (92, 166, 33, 908)


def turned(rng: np.random.Generator) -> np.ndarray:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.linalg.det(q)


def test_the_ends_of_a_line_separate_what_lies_beyond_and_balance_what_lies_on_it() -> None:
    hands = checked_hands(Grip.box(*BOX), still([0, 0, 0]))
    down = np.array([0, 0, -3.0, 0, 0, 0])
    for load, beyond in ((down, False), (1.01 * down, True), (0.5 * down, False)):
        ends = border_of(hands, load, solver_of(hands))
        proofs = [separating_wrench(hands, load, unit_multipliers(hands, y)) for y in ends.multipliers]
        assert any(proof is not None and proof.verify() for proof in proofs) == beyond
    assert border_of(hands, down, solver_of(hands)).optimum is not None
    assert border_of(hands, 0.5 * down, solver_of(hands)).optimum is None
    assert border_of(hands, np.zeros(6), solver_of(hands)) == ((), None)


@pytest.mark.parametrize("distance", [1.0, 1000.0])
@pytest.mark.parametrize("seed", [59, 3, 4, 5])
def test_verdict_and_interval_agree_at_the_border(seed: int, distance: float) -> None:
    rng = np.random.default_rng(seed)
    grips = [Grip(rng.normal(size=(40, 6)) * PARTS) for _ in range(2)]
    poses = [Pose(turned(rng), rng.normal(size=3) * distance) for _ in range(2)]
    load = rng.normal(size=6) * PARTS
    end = posture_equilibrium(grips, poses, load).scale_interval[1]
    for share, holds in ((1e-6, False), (1e-8, False), (-1e-8, True), (-1e-6, True)):
        answer = posture_equilibrium(grips, poses, load * end * (1.0 + share))
        assert answer.status is (Status.HOLDS if holds else Status.DOES_NOT_HOLD)
        assert answer.verify()
        assert (answer.scale_interval[1] >= 1.0) == holds


def far_palms(seed: int) -> tuple[list[Grip], list[Pose], np.ndarray]:
    """Boxes, clouds and grids of wrenches with arms of 0.01 to 1 m, palms up to 1,000 m apart, and a load."""
    rng = np.random.default_rng([27, seed])
    k, arm = int(rng.integers(1, 6)), 10 ** rng.uniform(-2, 0)
    parts, kind = np.repeat([1.0, arm], 3), rng.integers(3)

    def grip() -> Grip:
        if kind == 0:
            return Grip.box(-rng.uniform(0, 1, size=6) * parts, rng.uniform(0.1, 1, size=6) * parts)
        if kind == 1:
            return Grip(rng.normal(size=(int(rng.integers(7, 20)), 6)) * parts)
        return Grip(rng.integers(-2, 3, size=(40, 6)) * parts)

    grips, where = [grip() for _ in range(k)], rng.integers(3)
    spots = rng.normal(size=(k, 3)) * arm
    if where == 0:
        spots += rng.normal(size=3) * 1000.0
    if where == 1:
        spots[::2] += [1000.0, 0.0, 0.0]
    if where == 2:
        spots = rng.normal(size=(k, 3)) * 1000.0
    poses = [Pose(turned(rng) if rng.random() < 0.7 else np.eye(3), spot) for spot in spots]
    load = rng.normal(size=6) * parts
    if rng.random() < 0.7:
        load[3:] += np.cross(np.mean(spots, axis=0) if rng.random() < 0.5 else spots[0], load[:3])
    return grips, poses, load


def excess(grips: list[Grip], poses: list[Pose], y: np.ndarray, load: np.ndarray) -> Fraction:
    """-(y . w) - sum_j max y . T_j v over all vertices, in fractions."""
    f, n = ([Fraction(value) for value in part.tolist()] for part in (y[:3], y[3:]))
    total = -sum((a * Fraction(b) for a, b in zip(f + n, load.tolist(), strict=True)), Fraction(0))
    for grip, pose in zip(grips, poses, strict=True):
        turn = [[Fraction(value) for value in row] for row in pose.rotation.tolist()]
        x = [Fraction(value) for value in pose.translation.tolist()]
        moved = [f[a] + n[(a + 1) % 3] * x[(a + 2) % 3] - n[(a + 2) % 3] * x[(a + 1) % 3] for a in range(3)]
        local = [sum((part[r] * turn[r][c] for r in range(3)), Fraction(0)) for part in (moved, n) for c in range(3)]
        total -= max(
            sum((a * Fraction(b) for a, b in zip(local, vertex, strict=True)), Fraction(0))
            for vertex in grip.vertices.tolist()
        )
    return total


#: Loads this share beyond the border and before it.
BEYOND = (1e-6, 1e-7, 1e-8)


@pytest.mark.parametrize("seed", [*FAR_SEEDS, *nightly_after(0, range(1200))])
def test_no_load_a_hundred_millionth_beyond_is_held_by_far_palms(seed: int) -> None:
    """One rule for single questions, batches and warm solvers; the border is known in exact arithmetic."""
    grips, poses, load = far_palms(seed)
    end = ray_end(checked_hands(grips, poses), np.zeros(6), load)
    if end.status is not Status.OPTIMAL or not end.value > 1e-6:
        return
    shares = [*BEYOND, *(-share for share in BEYOND)]
    loads = np.outer([end.value * (1.0 + share) for share in shares], load)
    answers = posture_many(grips, [poses] * len(shares), loads)
    solver = PostureSolver(grips, poses)
    for share, own, status in zip(shares, loads, answers.status, strict=True):
        if share > 0:
            assert excess(grips, poses, end.optimum.multipliers, own) > 0
        alone = posture_equilibrium(grips, poses, own)
        assert alone.status is status is (Status.HOLDS if share < 0 else Status.DOES_NOT_HOLD)
        assert solver.holds(own) == (share < 0)
        assert alone.verify()
    assert answers.verify()


@pytest.mark.parametrize("slope", 10.0 ** np.arange(-16.0, -5.0))
def test_nearly_parallel_feet_are_parallel_to_verdict_and_interval_alike(slope: float) -> None:
    poses = [
        Pose(frame_from_normal((slope, 0, 1)), (0, 0, 0)),
        Pose(frame_from_normal((-slope, 0, 1)), (1, 0, 0)),
    ]
    load = np.array([0, 0, -30.0, *np.cross([0.3, 0, 0], [0, 0, -30.0])])
    answer = posture_equilibrium(coulomb_grip(0), poses, load)
    assert answer.verify() and answer.scale.verify()
    assert answer.scale_interval == ((0.0, np.inf) if answer.holds else (0.0, 0.0))
    assert answer.holds or slope > 1e-15
    assert not answer.holds or slope < 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_a_load_inside_a_cone_far_from_the_origin_grows_without_a_limit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pose = Pose(turned(rng), 100.0 * rng.normal(size=3))
    grip = coulomb_grip(0.5)
    force = pose.rotation @ (rng.exponential(size=len(grip.rays)) @ grip.rays[:, :3])
    load = -np.concatenate([force, np.cross(pose.translation, force)])
    answer = posture_equilibrium(grip, [pose], load)
    assert answer.holds and answer.verify()
    assert answer.scale_interval == (0.0, np.inf)


# Posture equilibrium against closed forms, the program written out in full, and tampered proofs.

SOME = settings(max_examples=settings.default.max_examples // 5)


@pytest.mark.parametrize("grip", BOTH)
def test_two_boxes_hold_just_the_sum_of_what_each_holds(grip: Grip | OuterGrip) -> None:
    poses = still([0.0, 0.0, 0.0], [1.0, 0.0, 0.0])  # each pulls up by 3, so that the weight between them is 6
    for load, held in ((6.0 * (1 - 1e-8), True), (6.0 * (1 + 1e-8), False)):
        answer = posture_equilibrium(grip, poses, [0, 0, -load, 0, 0.5 * load, 0])
        assert answer.holds is held
        assert answer.verify()
        assert answer.scale_interval == pytest.approx((-2.0 / load, 6.0 / load), rel=1e-12)
        assert answer.scale.verify()
        assert answer.gap == 0.0


def test_a_wrench_from_a_hand_acts_on_the_body_in_its_palm_frame() -> None:
    """A hand that only pulls along its palm's z by 5 N, turned so that this is the world's -x, at y = 2."""
    turn = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    grip = Grip.point([0, 0, 5, 0, 0, 0])
    answer = posture_equilibrium(grip, (turn, [0.0, 2.0, 0.0]), [5, 0, 0, 0, 0, -10])  # t x f = (0, 0, 2 * 5)
    assert answer.verify()
    assert answer.holds
    assert answer.wrenches == pytest.approx(np.array([[0, 0, 5, 0, 0, 0]]))
    assert answer.world_wrenches == pytest.approx(np.array([[-5, 0, 0, 0, 0, 10]]))
    assert answer.scale_interval == pytest.approx((1.0, 1.0))  # a point: no other scale


def test_two_suction_cups_pull_and_shear_as_their_cones_say() -> None:
    """Cups on a ceiling: V = 50 N each and mu = 0.5 hold a weight of 100 N straight, less with shear."""
    volume = hf.models.suction(50.0, 0.5, facets=16, cap=200.0)
    down = np.diag([1.0, -1.0, -1.0])  # normal into the body: down
    contact = hf.Contact((0, 0, 0), down, volume)
    grip = LazyGrip(hf.Assembly([contact]))
    poses = still([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0])
    assert posture_equilibrium(grip, poses, [0, 0, -99.999, 0, 0, 0]).verify()
    answer = posture_equilibrium(grip, poses, [0, 0, -100.001, 0, 0, 0])
    assert answer.status is Status.DOES_NOT_HOLD
    assert answer.verify()
    # Along x: |fx| <= mu (V - pull) for each cup; a facet's corner lies on the x axis.
    leaning = posture_equilibrium(grip, poses, [1.0, 0, -1.0, 0, 0, 0])
    assert leaning.scale_interval[1] == pytest.approx(2 * 0.5 * 50.0 / 1.5, rel=1e-9)


@pytest.mark.parametrize(("acting", "held"), [("direct", False), ("reaction", True)])
def test_direct_and_reaction_differ_by_the_sign_of_one_suction_cup(acting: str, held: bool) -> None:
    """Normal into the object: up. Pressed by 100 N at most, pulled by 50 N at most."""
    contact = hf.Contact((0, 0, 0), np.eye(3), hf.models.suction(50.0, 0.5, cap=100.0))
    grip = LazyGrip(hf.Assembly([contact]), acting=acting)  # type: ignore[arg-type]
    answer = posture_equilibrium(grip, still([0, 0, 0]), [0, 0, 80, 0, 0, 0])  # the load pulls the body up by 80 N
    # direct: the cup pulls the body down by 50 N at most. reaction: it presses the gripped thing up, the body down.
    assert answer.holds is held
    assert answer.verify()
    assert answer.scale_interval[1] == pytest.approx((100.0 if held else 50.0) / 80.0, rel=1e-9)


def test_feet_on_the_ground_hold_the_weight_between_them_alone() -> None:
    foot = coulomb_grip(0.5)
    poses = still([0, 0, 0], [1, 0, 0], [0, 1, 0])
    inside = posture_equilibrium(foot, poses, gravity_wrench(10.0, com=(0.3, 0.3, 2.0)))
    assert inside.holds
    assert inside.verify()
    assert inside.scale_interval == (pytest.approx(0.0, abs=1e-12), np.inf)
    assert inside.scale.verify()
    outside = posture_equilibrium(foot, poses, gravity_wrench(10.0, com=(0.6, 0.5, 2.0)))
    assert outside.status is Status.DOES_NOT_HOLD
    assert outside.verify()
    assert outside.scale_interval == (pytest.approx(0.0, abs=1e-12), pytest.approx(0.0, abs=1e-12))


def test_no_load_is_held_where_zero_is_in_the_sum_and_nowhere_else() -> None:
    zero = np.zeros(6)
    assert posture_equilibrium(BOTH[0], still([0, 0, 0]), zero).scale_interval == (-np.inf, np.inf)
    push = Grip.box([1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2])
    answer = posture_equilibrium(push, still([0, 0, 0]), zero)
    assert answer.verify()
    assert answer.status is Status.DOES_NOT_HOLD
    assert answer.scale_interval == (np.inf, -np.inf)
    assert answer.scale.verify()
    assert posture_equilibrium(push, still([0, 0, 0]), [1, 0, 0, 0, 0, 0]).scale_interval == (np.inf, -np.inf)


def test_a_single_point_contact_gives_no_torque() -> None:
    """Rank 3: only forces through the contact are held, a torque of a millionth is not."""
    foot = coulomb_grip(1.0)
    assert posture_equilibrium(foot, still([1, 0, 0]), [0, 0, -5, 0, 5, 0]).verify()
    answer = posture_equilibrium(foot, still([1, 0, 0]), [0, 0, -5, 0, 5, 1e-6])
    assert answer.status is Status.DOES_NOT_HOLD
    assert answer.verify()


def test_an_outer_grip_without_any_wrench_holds_nothing_and_says_why() -> None:
    nothing = OuterGrip([[1.0, 0, 0, 0, 0, 0], [-1.0, 0, 0, 0, 0, 0]], [-1.0, -1.0])
    answer = posture_equilibrium([nothing, BOTH[0]], still([0, 0, 0], [1, 0, 0]), np.ones(6))
    assert answer.status is Status.DOES_NOT_HOLD
    assert answer.verify()


@SOME
@given(st.integers(0, 10_000))
def test_what_the_inner_grips_hold_the_outer_do_and_certainty_says_so(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bounds = [random_bounds(rng, 25) for _ in range(2)]
    poses = [random_pose(rng) for _ in range(2)]
    load = rng.normal(size=6) * rng.choice([2.0, 15.0, 60.0])
    inner = posture_equilibrium([b.inner for b in bounds], poses, load)
    outer = posture_equilibrium([b.outer for b in bounds], poses, load)
    assert outer.holds or not inner.holds
    both = posture_equilibrium(bounds, poses, load)
    expected = {(True, True): Certainty.CERTAINLY, (False, False): Certainty.CERTAINLY_NOT}
    assert both.certainty is expected.get((inner.holds, outer.holds), Certainty.UNCERTAIN)
    assert both.verify() is (both.certainty is not Certainty.UNCERTAIN)
    assert both.scale_interval == pytest.approx(inner.scale_interval, rel=1e-9)
    assert both.outer_scale.ends == pytest.approx(outer.scale_interval, rel=1e-9)


def test_tampered_answers_do_not_verify() -> None:
    poses = still([0, 0, 0], [1, 0, 0])
    held = posture_equilibrium(BOTH[0], poses, [0, 0, -5, 0, 2.5, 0])
    assert held.wrenches is not None
    assert not replace(held, wrenches=held.wrenches + 1e-6).verify()
    assert not replace(held, wrench=held.wrench * 1.001).verify()
    assert not replace(held, weights=()).verify()
    swapped = held.wrenches + np.array([[9.0, 0, 0, 0, 0, 0], [-9.0, 0, 0, 0, 0, 0]])  # balanced, in no box
    assert not replace(held, wrenches=swapped).verify()
    assert not replace(held, status=Status.DOES_NOT_HOLD).verify()
    failed = posture_equilibrium(BOTH[0], poses, [0, 0, -7, 0, 3.5, 0])
    assert failed.certificate is not None
    assert failed.certificate.margin > 0.0
    for certificate in (
        replace(failed.certificate, multipliers=-failed.certificate.multipliers),
        replace(failed.certificate, support=failed.certificate.support - 0.5),
        replace(failed.certificate, wrench=failed.certificate.wrench * 0.5),
        replace(failed.certificate, hands=held.hands),
    ):
        assert not replace(failed, certificate=certificate).verify()
    assert not replace(failed, status=Status.HOLDS).verify()
    bounds = GripBounds(BOTH[0].scaled(0.5), BOTH[1])  # type: ignore[arg-type]
    unsure = posture_equilibrium(bounds, poses, [0, 0, -5, 0, 2.5, 0])
    assert unsure.certainty is Certainty.UNCERTAIN
    assert unsure.gap == pytest.approx(0.5)
    assert not unsure.verify()
    assert not replace(unsure, status=Status.HOLDS).verify()
    assert not replace(unsure, status=Status.DOES_NOT_HOLD).verify()


def test_bad_questions_are_refused_with_the_place_of_the_fault() -> None:
    grip, poses = BOTH[0], still([0, 0, 0], [1, 0, 0])
    with pytest.raises(InputError, match="wrench"):
        posture_equilibrium(grip, poses, [0, 0, np.nan, 0, 0, 0])
    with pytest.raises(InputError, match="wrench"):
        posture_equilibrium(grip, poses, [0, 0, 1])
    with pytest.raises(UnitError, match="wrench"):
        posture_equilibrium(grip, poses, [0, 0, 1e15, 0, 0, 0])


@pytest.mark.parametrize("distance", [1.0, 100.0, 300.0, 1000.0, 5000.0])
def test_no_load_between_palms_far_apart_is_balanced_to_the_last_digits(distance: float) -> None:
    vertices = np.array(
        [
            [-1, 0, 1, 0, -1, 1], [1, 0, 0, 1, 1, -1], [-1, 0, -1, 0, 0, 1], [-1, 1, 0, 0, 1, 1],
            [1, 0, 1, 1, -1, 0], [-1, 0, 1, 0, 0, 0], [1, -1, -1, 0, -1, -1], [1, -1, 1, 1, 1, -1],
            [1, -1, 0, -1, -1, 0], [0, -1, 1, -1, -1, 1], [1, 0, 1, -1, 1, 0], [1, 1, 0, 1, -1, -1],
        ]
    ) * [1, 1, 1, 0.1, 0.1, 0.1]  # fmt: skip
    grips = [Grip(vertices), Grip(np.zeros((1, 6)))]
    answer = posture_equilibrium(grips, still([0, 0, 0], [0, distance, distance]), np.zeros(6))
    assert answer.holds and answer.verify()
    assert answer.residual <= 1e-9


# -- the most even wrenches ---------------------------------------------------------------------------


def test_feet_in_a_square_bear_the_weight_alike() -> None:
    poses = still([1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0])
    even = posture_equilibrium(coulomb_grip(0.5), poses, gravity_wrench(4.0, (0, 0, -10.0), com=(0, 0, 1.0))).even()
    assert even.wrenches == pytest.approx(np.tile([0, 0, 10.0, 0, 0, 0], (4, 1)), abs=1e-9)
    assert even.verify() and even.wrenches_unique is False
    assert even.to_dict()["wrenches_unique"] is False


@SOME
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_no_other_wrenches_are_more_even(seed: int, hands: int) -> None:
    rng = np.random.default_rng(seed)
    bounds = random_bounds(rng, 25)
    poses = [random_pose(rng) for _ in range(hands)]
    found = posture_equilibrium(bounds, poses, rng.normal(size=6) * 5.0)
    even = found.even()
    if not found.holds:
        assert even is found
        return
    assert even.verify() and even.wrenches is not None and found.wrenches is not None
    unit = np.repeat([1.0, 1.0 / found.hands.length], 3)
    start, step = unit * even.wrenches, unit * (found.wrenches - even.wrenches)
    assert np.sum(start * step) >= -1e-9 * np.sum(start**2)  # towards any other choice the norm does not fall
    assert even.wrenches_unique == (np.abs(step).max() <= 1e-6 * np.abs(start).max())


def test_hands_without_vertices_keep_their_wrenches() -> None:
    box = OuterGrip(np.concatenate([np.eye(6), -np.eye(6)]), np.concatenate([BOX[1], -BOX[0]]))
    found = posture_equilibrium(box, still([0, 0, 0], [1, 0, 0]), np.array([0.5, 0, 0, 0, 0, 0]))
    assert found.holds and found.even() is found
