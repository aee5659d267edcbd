"""Branch and bound as the kernels do it: its leaves, its limits, its answers, each by exhaustive means."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.exact.method import Batch, Question, _ask
from holdfast.solvers.exact.model import FIRST_LEAVES, Workspace
from holdfast.solvers.exact.search import (
    BEST,
    BROKEN,
    CAPPED,
    FINISHED,
    FULL,
    HELD,
    LEAVES,
    NODES,
    PAUSED,
    PIVOTS,
    PROGRAMS,
    prepare,
    residual_of,
)
from tests.solvers import twins
from tests.solvers.kernel_cases import ALL, Setting, setting, setting_of

GAP = 1e-6

#: Settings with few enough choices to try them all.
COUNTABLE = [name for name in ALL if name not in ("gripper", "eight pieces", "the same, counted from the nearest")]

#: Settings whose search goes beyond its first node.
BRANCHING = ["contacts alone", "few contacts", "a row without a limit", "eight pieces"]


def ask(
    case: Setting,
    loads: np.ndarray | None = None,
    *,
    question: Question = "maximise",
    workspace: Workspace | None = None,
    nodes: int = 2048,
    warm: bool = False,
) -> tuple[Batch, Workspace]:
    """The kernels' answers to loads of the layout, and the workspace they were found in."""
    workspace = case.model.new_workspace(FIRST_LEAVES) if workspace is None else workspace
    loads = case.problem.load[None] if loads is None else loads
    rounding = question == "test" or case.problem.layout.bounds_hold_zero
    batch, _ = _ask(case.model, workspace, np.ascontiguousarray(loads), question, GAP, rounding, nodes, warm)
    return batch, workspace


def choices(case: Setting) -> list[np.ndarray]:
    """Masks (n,) of every way to choose one piece a contact."""
    singles = [[1 << j for j in range(int(mask).bit_length())] for mask in case.masks]
    return [np.array(choice) for choice in itertools.product(*singles)]


def best_of_all(case: Setting) -> float:
    """The largest load factor that any choice of pieces holds, as multiples of the problem's load."""
    return case.scale * max(twins.hull_limit(case.tables, case.program(), masks) for masks in choices(case))


@pytest.mark.parametrize("name", COUNTABLE)
def test_the_largest_factor_is_that_of_the_best_choice(name):
    case = setting(name)
    batch, _ = ask(case)
    expected = best_of_all(case)
    assert batch.outcomes[0] == FINISHED
    if expected == -np.inf:
        assert batch.factors[0] == -np.inf
    else:
        assert batch.factors[0] == pytest.approx(expected, rel=2e-6, abs=1e-9)
        assert batch.factors[0] * (1.0 - 1e-9) <= batch.bounds[0] <= batch.factors[0] * (1.0 + 2e-6) + 1e-7


@pytest.mark.parametrize("name", COUNTABLE)
@pytest.mark.parametrize("question", ["maximise", "test"])
def test_the_leaves_of_a_finished_search_cover_every_choice_once_and_bound_it_truly(name, question):
    """For a test, the load is a little more than can be held."""
    case = setting(name)
    scale = 1.0
    if question == "test":
        scale = 1.001 * best_of_all(case)
        if not 1e-3 < scale < np.inf or not case.problem.layout.bounds_hold_zero:
            return
    batch, workspace = ask(case, scale * case.problem.load[None], question=question)
    assert batch.outcomes[0] == FINISHED
    k, leaves = case.model.contacts, int(workspace.state.counts[LEAVES])
    boxes = workspace.state.leaf_masks[:leaves]
    for choice in choices(case):
        assert ((boxes & choice[:k] > 0).all(axis=1)).sum() == 1
    for box, y, bound in zip(boxes, workspace.state.leaf_y, workspace.state.leaf_bound, strict=False):
        masks = np.concatenate([box, case.masks[k:]])
        limit = twins.hull_limit(case.tables, case.program(), masks) * case.scale / scale
        load = np.zeros(len(y)) if bound == -np.inf else case.load
        exact = twins.factor_bound(case.tables, case.program(), masks, y, load) * case.scale / scale
        assert limit <= bound or limit <= bound + 1e-6 * abs(bound) + 1e-9
        assert exact <= bound or exact <= bound + 1e-9 * abs(bound) + 1e-12
        if question == "test":
            assert bound < 1.0


@pytest.mark.parametrize("name", [name for name in ALL if name != "nothing holds"])
def test_forces_lie_in_their_pieces_and_the_residual_is_theirs(name):
    case = setting(name)
    batch, workspace = ask(case)
    factor, forces = batch.factors[0], batch.forces[0]
    for i, piece in enumerate(batch.pieces[0]):
        assert case.problem.pieces(i)[piece].contains(forces[i])
    program, state = case.program(), workspace.state
    values = (
        np.einsum("nmi,ni->m", twins.maps(program)[: case.model.contacts], forces) + factor / case.scale * case.load
    )
    slacks = np.clip(values[6:], *_ends(case).T)
    largest = max(np.abs(forces).max(), np.abs(factor / case.scale * case.load).max())
    expected = max(np.abs(values[:6]).max(), np.abs(values[6:] - slacks).max(initial=0.0)) / largest
    assert batch.residuals[0] == pytest.approx(expected, rel=1e-3, abs=1e-15)
    assert expected <= 1e-9
    state.forces[0, 0] += 1e-3 * largest  # and a force that does not balance is noticed
    assert residual_of(case.tables, program, state) > 1e-6


def _ends(case: Setting) -> np.ndarray:
    """(r, 2) ends of the joint rows' slacks."""
    shapes = case.model.program.shape_of[case.model.contacts :]
    vertices = [case.tables.vertices[twins.members(case.tables, shape, 1), 0] for shape in shapes]
    return np.array([[v.min(), v.max()] for v in vertices]).reshape(-1, 2)


@pytest.mark.parametrize("name", ["contacts alone", "few contacts", "rays", "a row without a limit", "gripper"])
def test_tests_are_held_below_the_limit_and_refuted_above_it(name):
    case = setting(name)
    limit = ask(case)[0].factors[0]
    factors = limit * np.array([0.5, 0.999, 0.999999, 1.00001, 1.001, 2.0])
    batch, _ = ask(case, factors[:, None] * case.problem.load, question="test")
    assert batch.outcomes.tolist() == [HELD] * 3 + [FINISHED] * 3
    for factor, held, forces in zip(factors[:3], batch.factors, batch.forces, strict=False):
        assert held >= 1.0 - 1e-9
        size = case.problem.force_scale(forces, factor * held)
        assert case.problem.residual(forces, factor * held) <= 1e-9 * size


@pytest.mark.parametrize("name", ["contacts alone", "a row without a limit", "rays", "eight pieces", "gripper"])
def test_answers_are_the_same_cold_warm_and_in_any_order(name):
    case, rng = setting(name), np.random.default_rng(1)
    steps = case.problem.load[:6] + 0.2 * np.abs(case.problem.load).max() * rng.normal(size=(6, 6)).cumsum(axis=0)
    loads = np.column_stack([steps, np.zeros((6, case.problem.rows - 6))])
    cold = np.concatenate([ask(case, load[None])[0].factors for load in loads])
    batch, workspace = ask(case, loads)
    assert (batch.outcomes == FINISHED).all()
    np.testing.assert_allclose(batch.factors, cold, rtol=3e-6, atol=1e-9)
    again, _ = ask(case, loads[::-1], workspace=workspace, warm=True)
    np.testing.assert_allclose(again.factors[::-1], cold, rtol=3e-6, atol=1e-9)


@pytest.mark.parametrize("name", BRANCHING)
def test_a_search_pauses_at_its_limit_of_nodes_with_forces_and_a_bound(name):
    case = setting(name)
    whole, workspace = ask(case)
    assert workspace.state.counts[NODES] > 1
    batch, workspace = ask(case, nodes=1)
    assert batch.outcomes[0] == PAUSED
    assert workspace.state.counts[NODES] == 1
    assert 0.0 <= batch.factors[0] <= whole.factors[0] * (1.0 + 1e-6)
    assert batch.bounds[0] >= whole.factors[0] * (1.0 - 1e-9)
    hulls = twins.hull_limit(case.tables, case.program(), case.masks) * case.scale
    assert batch.bounds[0] == pytest.approx(hulls, rel=1e-6)


def test_a_search_says_when_its_leaves_do_not_fit():
    case = setting("eight pieces")
    assert ask(case)[1].state.counts[LEAVES] > 1
    batch, workspace = ask(case, workspace=case.model.new_workspace(case.model.contacts + 9))
    assert batch.outcomes[0] == FULL
    assert workspace.state.counts[LEAVES] <= case.model.contacts + 9


@pytest.mark.parametrize("lean", [0.0, 0.1, 0.3])
def test_a_limit_that_only_the_cut_of_a_ray_makes_is_not_believed(lean):
    """A cone pulled straight: no limit is claimed, and every load is held."""
    edges = [[0.3, 0, 1], [-0.3, 0, 1], [0, 0.3, 1], [0, -0.3, 1.0]]
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([[[0, 0, 0]]], [edges]))])
    case = setting_of(assembly, np.array([lean, 0, -1.0, 0, 0, 0]))
    assert ask(case)[0].outcomes[0] in (CAPPED, BROKEN)
    assert ask(case, question="test")[0].outcomes[0] == HELD


def test_no_load_is_held_by_no_force():
    case = setting("contacts alone")
    batch, _ = ask(case, np.array([case.problem.load, 0.0 * case.problem.load, case.problem.load]), question="test")
    assert batch.outcomes[1] == HELD
    assert batch.factors[1] == 1.0
    assert not batch.forces[1].any()
    assert batch.outcomes[0] == batch.outcomes[2]


def test_what_a_search_cost_is_counted():
    case = setting("few contacts")
    _, workspace = ask(case)
    counts = workspace.state.counts
    assert counts[LEAVES] >= 1
    assert counts[PROGRAMS] >= counts[NODES] >= 2
    assert counts[PIVOTS] >= counts[NODES]
    ask(case, question="test", loads=1e-3 * case.problem.load[None], workspace=workspace)
    assert workspace.state.counts[NODES] <= counts[NODES]  # of the last load alone
    assert workspace.state.best[BEST] > 0.0


# -- loads made ready -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_loads_are_scaled_to_the_unit_and_multipliers_lean_against_them(name):
    case, rng, scales = setting(name), np.random.default_rng(2), setting(name).model.scales
    way, y = np.zeros((2, len(case.load)))
    for size in (1e-6, 1.0, 1e6):
        load = np.concatenate([size * rng.normal(size=6), np.zeros(case.problem.rows - 6)])
        scale = prepare(scales, case.model.program, load, way, y)
        np.testing.assert_allclose(way, scale * (load[scales.kept] - scales.zero), rtol=1e-13)
        assert np.abs(way).max() == pytest.approx(scales.unit[0])
        assert y @ way == pytest.approx(-1.0)
        assert not ((case.unlimited & 1 > 0) & (y > 0.0)).any()
        assert not ((case.unlimited & 2 > 0) & (y < 0.0)).any()
        if not case.unlimited.any():  # where the load leaves the ellipsoid: the least spread of all y with y . b = -1
            best = -scales.guess @ way / (way @ scales.guess @ way)
            np.testing.assert_allclose(y, best, rtol=1e-9, atol=1e-12 * np.abs(best).max())


def test_a_load_of_nothing_has_no_scale():
    case = setting("contacts alone")
    way, y = np.zeros((2, len(case.load)))
    with np.errstate(invalid="ignore"):
        assert prepare(case.model.scales, case.model.program, np.zeros(6), way, y) == np.inf
    assert not way.any()
