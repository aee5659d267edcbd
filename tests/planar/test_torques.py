"""Differences of convex sets: every point in exactly one piece or in a removed set; balls against their distances.

Answers about torques: margins, batches, shapes; their classes are checked with the sets.

Torque sets: the numbers of Greenfield et al. 2005, and brute force over all modes by HiGHS.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast.errors import InputError
from holdfast.planar.chains import Chain
from holdfast.planar.polyhedra import Polyhedron
from holdfast.planar.system import System, mode_set
from holdfast.planar.torque_space import Task, standstill
from holdfast.planar.torques import Ambiguity, difference, torque_sets
from tests.nightly import nightly_after
from tests.planar.greenfield import GRAVITY, LENGTH, MASS, MU, six_links, slack_of, two_links


def box(low, high, strict=False) -> Polyhedron:
    eye = np.eye(len(low))
    rows, offsets = np.vstack([eye, -eye]), np.concatenate([low, np.negative(high)])
    return Polyhedron(rows, offsets, strict=np.full(len(offsets), strict))


@pytest.mark.parametrize("seed", nightly_after(12, range(15)))
def test_every_point_is_in_one_piece_or_in_a_removed_set(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 4))
    whole = box(-np.ones(size), np.ones(size))
    removed = []
    for _ in range(int(rng.integers(1, 4))):
        low, high = np.sort(rng.integers(-2, 3, (2, size)) / 2.0, axis=0)
        removed.append(box(low, high, strict=bool(rng.random() < 0.5)))
    removed = [other for other in removed if not other.is_empty]
    pieces = difference(whole, removed)
    points = np.vstack([rng.uniform(-1.2, 1.2, (60, size)), rng.integers(-2, 3, (60, size)) / 2.0])
    taken = np.any([other.contains(points) for other in removed], axis=0) if removed else np.zeros(120, dtype=bool)
    count = np.sum([piece.contains(points) for piece in pieces], axis=0)
    assert (count == (whole.contains(points) & ~taken)).all()


def test_half_lines_of_different_ends_are_different_ambiguities():
    answer = torque_sets(two_links(1.2), "FFF")
    halves = [Polyhedron([[1.0]], [end]) for end in (-0.3, -0.6)]
    found = replace(
        answer, scaled=Polyhedron(dimension=1), ambiguities=tuple(Ambiguity("SFF", None, part) for part in halves)
    )
    assert found.classify(-0.4 * answer.space.torque_unit) == "ambiguous"
    (piece,) = found.pieces
    assert piece.b == pytest.approx([0.6])


def test_a_point_taken_from_a_segment_leaves_two_open_halves():
    pieces = difference(box([0.0], [1.0]), [Polyhedron(C=[[1.0]], d=[0.25])])
    assert len(pieces) == 2 and sum(bool(piece.contains([0.25])) for piece in pieces) == 0


def test_the_deepest_torque_is_deeper_than_the_pieces_of_the_set():
    answer = torque_sets(flat_in_a_plane(), "LL")
    notch = Ambiguity("SS", None, Polyhedron([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], [1.4, -2.6, 1.8]))
    found = replace(answer, scaled=box([0.0, 0.0], [4.0, 2.0]), ambiguities=(notch,))
    unit = answer.space.torque_unit
    torque, radius = found.chebyshev()
    assert max(piece.chebyshev()[1] for piece in found.pieces) == pytest.approx(0.7)
    assert radius == pytest.approx(0.9 * unit) and torque[1] == pytest.approx(0.9 * unit)  # below the notch
    assert float(found.margin(torque)) == pytest.approx(radius)


def test_margins_are_what_a_torque_can_lose_before_its_class_changes():
    answer = torque_sets(two_links(1.5), "FFF", limits=(-1.0, 1.0))
    tau = np.linspace(-1.2, 0.3, 60)
    margins = answer.margin(tau)
    for one, margin in zip(tau, margins, strict=True):
        if margin > 1e-6:
            near = answer.classify(one + np.array([-0.999, 0.999]) * margin)
            far = answer.classify(one + np.array([-1.001, 1.001]) * margin)
            assert (near == "unique").all() and not (far == "unique").all()
        else:
            assert answer.classify([one]) != "unique"


def test_one_torque_gives_a_string_and_many_an_array():
    answer = torque_sets(six_links(), "FFF", standstill(8))
    tau = answer.least_norm(0.01)
    assert answer.classify(tau) == "unique"
    batch = answer.classify(np.stack([tau, tau + 1.0, tau - 1e-3])[:, None, :])
    assert batch.shape == (3, 1) and batch.ravel().tolist() == ["unique", "infeasible", "infeasible"]
    assert isinstance(torque_sets(two_links(), "FFF").classify(-0.3), str)


def test_the_least_torque_is_no_longer_than_any_other_of_its_set():
    answer = torque_sets(six_links(), "FFF", standstill(8))
    least = answer.least_norm()
    vertices = answer.feasible.generators.vertices
    assert answer.feasible.contains(least, tolerance=1e-7)
    assert (vertices @ least >= least @ least - 1e-9).all()


def flat_in_a_plane() -> System:
    return System(
        np.diag([0.5, 1]),
        [-2, 0],
        [[-1, -1], [1, 0]],
        [[1, 0], [-1, 1]],
        [[1, 0], [-1, -1]],
        [0.5, 2],
        [0.5, 0],
        [0.5, -0.5],
        0,
        [-1, -1],
    )


@pytest.mark.parametrize("limits", [(-4, 3), None])
def test_a_set_flatter_than_the_feasible_one_has_a_deepest_torque_without_radius(limits):
    answer = torque_sets(flat_in_a_plane(), "LL", limits=limits)
    tau, radius = answer.chebyshev()
    assert answer.feasible.dimension == 2 and max(piece.dimension for piece in answer.unique) == 1
    assert radius == 0.0 and answer.classify(tau) == "unique"


def test_a_single_unique_torque_is_the_deepest_and_has_no_radius():
    answer = torque_sets(System(np.eye(2), [1, -1], [[-1], [0]], [[0, 0]], [[1, 1]], [0.5]), "F")
    tau, radius = answer.chebyshev()
    assert np.allclose(tau, 0.0) and radius == 0.0
    assert answer.classify([-1e-3, 0.0, 1e-3]).tolist() == ["ambiguous", "unique", "ambiguous"]


def test_the_deepest_torque_of_an_open_half_line_is_inside_it():
    answer = torque_sets(System(np.eye(2), [-1, -1], [[0], [1]], [[0, -1]], [[-1, -1]], [2.0]), "F")
    tau, radius = answer.chebyshev()
    assert answer.classify([1.0, 1.001]).tolist() == ["ambiguous", "unique"]
    assert radius == np.inf and answer.classify(tau) == "unique"


def test_an_empty_set_has_no_deepest_torque():
    answer = torque_sets(System(np.eye(2), [-1, 1], [[0], [-1]], [[-1, 1]], [[1, 0]], [2.0]), "L")
    tau, radius = answer.chebyshev()
    assert answer.is_empty and np.isnan(tau).all() and radius == -np.inf


@pytest.mark.parametrize("seed", range(6))
def test_deepest_torques_and_pieces_of_random_systems_are_unique_by_their_class(seed):
    rng = np.random.default_rng(seed)
    integers = lambda *shape: rng.integers(-1, 2, shape).astype(float)  # noqa: E731
    for _ in range(30):
        k, t = int(rng.integers(1, 4)), int(rng.integers(1, 3))
        system = System(
            np.eye(2), integers(2), integers(2, t), integers(k, 2), integers(k, 2), rng.choice([0.5, 1, 2], k)
        )
        answer = torque_sets(system, "".join(rng.choice(list("SFRL"), k)))
        tau, radius = answer.chebyshev()
        assert answer.is_empty == (radius == -np.inf) == bool(np.isnan(tau).any())
        middles = [piece.chebyshev()[0] for piece in answer.unique]
        for i, middle in enumerate(middles):
            assert answer.classify(middle) == "unique"
            assert [bool(piece.contains(middle)) for piece in answer.unique].index(True) == i
        if not answer.is_empty:
            assert answer.classify(tau) == "unique"
        if 0.0 < radius < np.inf:
            around = rng.normal(size=(20, t)) @ (np.eye(t) - np.linalg.pinv(answer.feasible.C) @ answer.feasible.C)
            lengths = np.linalg.norm(around, axis=1, keepdims=True)
            assert (answer.classify(tau + 0.999 * radius * around / lengths) == "unique").all()


def test_pieces_that_only_tolerances_leave_are_none():
    # Ambiguous sets that touch at three points, which each excludes only by rounding.
    system = System(
        [
            [4.88161762467372, -0.2135253757857915, 1.4689303337777386, -1.0452463498039053],
            [-0.2135253757857915, 7.215478711889821, -1.7536217250613466, 0.6251451269285278],
            [1.4689303337777386, -1.7536217250613466, 2.634417169013484, -0.8909181194024922],
            [-1.0452463498039053, 0.6251451269285278, -0.8909181194024922, 1.1335429567264665],
        ],
        [-0.003801797375925252, -1.7645053394872228, -0.9183822122564077, -0.07043141700828673],
        [
            [-1.9070597952194626, -1.2552207350704288, 1.2477351270900465],
            [1.1612310341857752, 0.4375997662753987, -0.8959277123599179],
            [0.26321009140793306, 0.7438609541168848, 0.5352474335843558],
            [-1.1913111233253808, 0.02342992370925783, -2.573438320642218],
        ],
        [
            [-1.3927634364574892, 0.13640857268380477, -0.5761253584401954, 1.492584976502836],
            [0.5074153240779978, -0.48508563279563527, 0.20565873096186268, 1.7467164589347677],
            [-1.3017777295421928, 0.6382411534021156, -0.48977404264751706, 0.31251102191542124],
        ],
        [
            [-0.662027364977321, -1.2795296503718168, -0.41512648922549883, -1.9905131141868013],
            [-0.4397393736071606, 0.6095899930615751, 1.1384447682618004, -1.3281378906396837],
            [0.7301151300351548, -0.9935631475732956, 1.1169102545508662, 0.9858656199700108],
        ],
        [0.01967894316267621, 1.8003850470252138, 0.26325612681010246],
        [0, 0, -0.5],
        tangent_velocity=[0, -1, 0],
    )
    answer = torque_sets(system, "SSL")
    tau = answer.feasible.generators.vertices
    assert (answer.classify(tau) != "unique").all() and answer.unique == [] and answer.status == "ambiguous"
    assert np.isnan(answer.least_norm()).all()


@pytest.mark.parametrize("tau", ["a", 1j, np.array([1j]), [[0.0], [1.0, 2.0]]])
def test_what_is_no_torque_is_refused(tau):
    with pytest.raises(InputError, match="tau"):
        torque_sets(two_links(), "FFF").classify(tau)


@pytest.mark.parametrize("tolerance", [np.nan, -1.0, "a"])
def test_a_tolerance_is_a_number_of_at_least_zero(tolerance):
    with pytest.raises(InputError, match="tolerance"):
        torque_sets(two_links(), "FFF").classify(0.0, tolerance=tolerance)


def test_wrong_torques_are_refused():
    answer = torque_sets(six_links(), "FFF", standstill(8))
    with pytest.raises(InputError):
        answer.classify([1.0, 2.0])
    with pytest.raises(InputError):
        answer.explain(np.zeros((2, 5)))
    with pytest.raises(InputError):
        answer.least_norm(-1.0)


HALF = MASS * GRAVITY * LENGTH / np.sqrt(2.0)


def test_two_link_snake_of_the_paper_needs_less_than_minus_0_19259():
    assert round(-torque_sets(two_links(), "FFF").feasible.b[0], 5) == -0.19259


def test_six_link_snakes_printed_torque_lies_within_its_rounding():
    """Least max-norm distance of the printed torque to T_c, by a program of its own: 0.00124."""
    feasible = torque_sets(six_links(), "FFF", standstill(8)).feasible
    printed = np.array([-0.15, -0.58, -1.20, -0.70, -0.30])
    one = np.ones((5, 1))
    answer = linprog(
        [0.0] * 5 + [1.0],
        A_ub=np.vstack(
            [
                np.hstack([-feasible.A, 0 * feasible.b[:, None]]),
                np.hstack([np.eye(5), -one]),
                np.hstack([-np.eye(5), -one]),
            ]
        ),
        b_ub=np.concatenate([-feasible.b, printed, -printed]),
        A_eq=np.hstack([feasible.C, np.zeros((2, 1))]),
        b_eq=feasible.d,
        bounds=[(None, None)] * 6,
    )
    assert round(answer.fun, 5) == 0.00124


def test_other_motions_of_an_ambiguous_torque_obey_newton_and_coulomb():
    system = two_links(2.0)
    answer = torque_sets(system, "FFF")
    motions = [*answer.explain([-0.01]), *answer.explain([0.1])]
    assert [motion.mode for motion in motions] == ["SFF", "LRL", "SSS", "SFF", "FFS"]
    for motion, tau in zip(motions, [-0.01, -0.01, 0.1, 0.1, 0.1], strict=True):
        force = system.bias + system.selector @ [tau] + system.jacobian.T @ motion.f
        assert np.allclose(system.mass_matrix @ motion.a, force, rtol=1e-9, atol=1e-9 * np.abs(force).max())
        size = max(np.abs(motion.f).max(), MASS * GRAVITY)
        for i, letter in enumerate(motion.mode):
            ft, fn = motion.f[2 * i : 2 * i + 2]
            an, at = system.normal_jacobian[i] @ motion.a, system.tangent_jacobian[i] @ motion.a
            near = 1e-9 * np.abs(motion.a).max() * LENGTH + 1e-12
            if letter == "S":
                assert an > 0 and max(abs(ft), abs(fn)) <= 1e-9 * size
            else:
                assert abs(an) <= near and fn >= -1e-9 * size
                slide = {"F": 0, "R": 1, "L": -1}[letter]
                assert (abs(at) <= near) if slide == 0 else (at * slide > 0)
                if slide:
                    assert abs(ft + slide * 2.0 * fn) <= 1e-9 * size
                else:
                    assert abs(ft) <= 2.0 * fn + 1e-9 * size


def test_a_task_left_open_by_the_mode_is_ambiguous_within_it():
    """Two contacts at one node share its load in a way the laws leave open: fn1 >= 1 N is possible, less as well."""
    chain = Chain([1.0, 1.0], 1.0, base="welded")
    q = (0.0, 0.0, 0.0, 0.0)
    system = chain.system(q, None, [(2, (0, 1), 0.5), (2, (0, 1), 0.5)])
    share = Task(f=[0, 1, 0, 0], c=1.0, kind=">=")
    answer = torque_sets(system, "FF", [share])
    assert answer.within == [0] and answer.is_empty and answer.status == "ambiguous"
    assert slack_of(system, "FF", np.zeros(1), (np.array([0, 0, -1.0, 0, 0]), -1.0)) > 0
    (motion,) = [m for m in answer.explain([0.0]) if m.task == 0]
    assert motion.f[1] < 1.0
    assert torque_sets(system, "FF", [Task(f=[0, 1, 0, 1], c=5.0, kind=">=")]).within == []


def test_torque_limits_bound_the_set_and_the_deepest_torque_is_its_middle():
    answer = torque_sets(two_links(), "FFF", limits=(-1.0, 1.0))
    tau, radius = answer.chebyshev()
    bound = HALF * (3 + MU**2) / (4 * MU)
    assert np.allclose(tau, [-(1.0 + bound) / 2]) and np.isclose(radius, (1.0 - bound) / 2)
    assert np.allclose(answer.least_norm(), [-bound]) and np.allclose(answer.least_norm(0.1), [-bound - 0.1])
    assert np.isclose(answer.margin(tau), radius)
    assert torque_sets(two_links(), "FFF", limits=(-0.1, 0.1)).status == "infeasible"


def test_deepest_torque_of_an_unbounded_set_has_an_infinite_radius():
    tau, radius = torque_sets(two_links(1.5), "FFF").chebyshev()
    assert radius == np.inf and torque_sets(two_links(1.5), "FFF").classify(tau) == "unique"


def test_a_contact_running_into_its_wall_is_an_impact():
    chain = Chain([1.0], 1.0)
    system = chain.system((0, 0, 0), (0, -1, 0), [(0, (0, 1), 0.5)])
    answer = torque_sets(system, "F")
    assert answer.status == "impact" and answer.unique == []


def test_velocities_rule_modes_out():
    chain = Chain([1.0, 1.0], 1.0)
    contacts = [(0, (0, 1), 0.5), (1, (0, 1), 0.5)]
    sliding = chain.system((0, 0, 0, 0.5), (1, 0, 0, 0), contacts)
    assert torque_sets(sliding, "FF").status == "infeasible"
    assert torque_sets(sliding, "RR").status in ("unambiguous", "partly ambiguous")
    lifting = chain.system((0, 0, 0, 0.5), (0, 1, 0, 0), contacts)
    answer = torque_sets(lifting, "SS")
    assert len(answer.feasible.A) == 0 and answer.overlaps == []


def disturbed_systems():
    """Rows of the torque and disturbance shadow without torques, whose coefficients rounding leaves behind."""
    selector, normals = [[-1], [-1], [-1], [0]], [[0, 1, 1, 0], [1, -1, 0, -1]]
    one = System(
        np.diag([1, 1, 0.5, 1]), [0, 0, -2, 2], selector, normals, [[0, 1, 1, 0], [1, 1, -1, -1]], 1.0, [-0.5, 0]
    )
    two = System(
        np.eye(4) / 2,
        [0, 2, -2, -2],
        [[1], [0], [0], [-1]],
        [[-1, 1, 0, -1], [0, 0, 0, 1]],
        [[1, -1, 1, 0], [0, 0, 1, 1]],
        [1, 0],
        [0, 0.5],
        [-0.5, -0.5],
        0,
        [-1, 0],
    )
    return [(one, "SF", np.array([0.1, 0, 0, 0])), (two, "SL", np.array([0, 0.1, 0.1, 0]))]


@pytest.mark.parametrize("index", [0, 1])
def test_a_robust_set_is_that_of_the_disturbances_corners_where_rows_do_not_feel_the_torque(index):
    system, mode, half = disturbed_systems()[index]
    answer = torque_sets(system, mode, disturbance=(-half, half))
    corners = []
    for signs in np.array(np.meshgrid(*[[-1, 1] if width else [0] for width in half])).reshape(4, -1).T:
        pushed = System(
            system.mass_matrix,
            system.bias + signs * half,
            system.selector,
            system.normal_jacobian,
            system.tangent_jacobian,
            system.mu,
            system.normal_bias,
            system.tangent_bias,
            system.normal_velocity,
            system.tangent_velocity,
        )
        corners.append(torque_sets(pushed, mode))
    tau = np.concatenate([np.linspace(-3.0, 3.0, 41) + 0.003, [0.0]])
    held = np.all([corner.classify(tau) != "infeasible" for corner in corners], axis=0)
    assert ((answer.classify(tau) != "infeasible") == held).all() and held.any()


def test_robust_sets_of_the_two_systems_are_as_computed_by_hand():
    (one, mode, half), (two, other, wide) = disturbed_systems()
    answer = torque_sets(one, mode, disturbance=(-half, half))
    assert np.allclose(answer.feasible.A, [[-1.0]]) and np.allclose(answer.feasible.b, [1.6095238095])
    assert answer.classify(-0.4) == "infeasible"
    assert torque_sets(two, other, disturbance=(-wide, wide)).classify(0.0) == "unique"


@pytest.mark.parametrize("seed", [3, 2203, 2238, 2286])
def test_torque_sets_do_not_depend_on_the_coordinates(seed):
    rng = np.random.default_rng(seed)
    integers = lambda *shape: rng.integers(-1, 2, shape).astype(float)  # noqa: E731
    for _ in range(12):
        n, k, t = int(rng.integers(2, 5)), int(rng.integers(1, 3)), int(rng.integers(1, 3))
        M, Q, S, Jn, Jt = (
            np.diag(rng.choice([0.5, 1, 2], n)),
            integers(n),
            integers(n, t),
            integers(k, n),
            integers(k, n),
        )
        T = np.linalg.qr(rng.normal(size=(n, n)))[0] * rng.uniform(0.3, 3.0, n)
        mode = "".join(rng.choice(list("SFRL"), k))
        turned = T.T @ M @ T
        one = torque_sets(System(M, Q, S, Jn, Jt, 0.5), mode)
        two = torque_sets(System(0.5 * (turned + turned.T), T.T @ Q, T.T @ S, Jn @ T, Jt @ T, 0.5), mode)
        tau = rng.normal(size=(10, t)) * 3
        assert one.status == two.status and (one.classify(tau) == two.classify(tau)).all()


def test_a_nearly_degenerate_robust_set_is_not_lost():
    # Strict rows that the equations of motion leave little room for: their planes meet far out.
    data = (
        [
            [6.576, -1.469, -5.492, -0.794],
            [-1.469, 3.551, 0.855, -2.843],
            [-5.492, 0.855, 7.156, 1.843],
            [-0.794, -2.843, 1.843, 3.842],
        ],
        [1.022, 2.918, 0.245, -1.012],
        [[-0.951, 1.29, 0.742], [1.384, -0.551, 0.67], [0.988, 1.583, 0.073], [0.041, -1.033, -0.269]],
        [[0.003, 1.503, 0.056, 0.576], [1.369, -0.608, 0.281, -1.015], [1.109, -2.338, -0.192, -1.1]],
        [[0.812, 1.629, 0.084, -1.291], [0.7, 0.838, -1.275, 0.887], [-0.885, 0.14, -1.242, 2.231]],
        [1.157, 1.055, 0.513],
        [0, -0.5, 0],
        0,
        0,
        [1, 0, 0],
    )
    half, tau = np.array([0, 0.292, 0.025, 0]), np.array([0.106, -0.348, -0.044])
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        pushed = System(data[0], data[1] + half * [0, *signs, 0], *data[2:])
        assert mode_set(pushed, "SRL", tau).depth[0] > 1e-3  # over (a, f)
    assert torque_sets(System(*data), "SRL", disturbance=(-half, half)).classify(tau) != "infeasible"


def test_one_task_need_not_stand_in_a_list():
    task = Task(a=[1.0, 0.0, 0.0, 0.0])
    assert torque_sets(two_links(), "FFF", task).tasks == (task,)


def test_what_is_no_system_is_refused():
    with pytest.raises(InputError, match="system"):
        torque_sets(None, "F")  # type: ignore[arg-type]


def test_no_contacts_and_no_torques_are_answered():
    free = torque_sets(Chain([1.0, 1.0], 1.0).system(np.zeros(4)), "")
    assert free.status == "unambiguous" and free.classify([[1.0], [-7.0]]).tolist() == ["unique", "unique"]
    body = Chain([1.0], 1.0).system((0, 0, 0), None, [(0, (0, 1), 0.5), (1, (0, 1), 0.5)])
    assert torque_sets(body, "FF").status == "unambiguous"
    assert torque_sets(body, "SS").status == "infeasible"


@pytest.mark.parametrize("mode", ["FF", "FFFF", "FFX", 3])
def test_bad_modes_are_refused(mode):
    with pytest.raises(InputError, match="mode"):
        torque_sets(two_links(), mode)


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"limits": (1.0, -1.0)}, "limits"),
        ({"limits": (1.0,)}, "limits"),
        ({"disturbance": ([0, 0], [1, 1])}, "disturbance"),
        ({"disturbance": ([1, 0, 0, 0], [0, 0, 0, 0])}, "disturbance"),
        ({"tasks": [Task(a=[1.0, 0.0])]}, "tasks"),
        ({"tasks": ["still"]}, "tasks"),
        ({"tasks": None}, "tasks"),
        ({"disturbance": "abc"}, "disturbance"),
        ({"disturbance": ([0, 0, 0, 0], [1, 1])}, "disturbance"),
        ({"disturbance": np.full((3, 4), 1j)}, "disturbance"),
        ({"limits": 3}, "limits"),
        ({"limits": (None, 1.0)}, "limits"),
        ({"limits": "ab"}, "limits"),
        ({"limits": (np.inf, np.inf)}, "limits.lower"),
        ({"limits": (-np.inf, -np.inf)}, "limits.upper"),
        ({"friction": 0.5}, "friction"),
        ({"friction": ([0.1, [0.2]], 0.5)}, "friction"),
    ],
)
def test_bad_questions_are_refused_by_name(options, place):
    with pytest.raises(InputError) as caught:
        torque_sets(two_links(), "FFF", **options)
    assert place in caught.value.where
