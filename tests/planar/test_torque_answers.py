"""Answers about torques: margins, batches, shapes; their classes are checked with the sets."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.system import System
from holdfast.planar.torque_space import standstill
from holdfast.planar.torques import torque_sets
from tests.planar.greenfield import six_links, two_links


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
