"""The most even forces: against an independent quadratic program, and by the symmetry of what is asked."""

from __future__ import annotations

from typing import Any

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp

import holdfast as hf
from holdfast.linear_programs import nonnegative_least_squares
from tests.nightly import nightly_after
from tests.referee import assert_forces_hold, random_case


def sizes(assembly: hf.Assembly, wrench: np.ndarray) -> np.ndarray:
    """(k,) what forces are measured by: the largest of a volume; without limit, the largest of all and of the load."""
    centre = assembly.positions.mean(axis=0)
    torque = (wrench[3:] - np.cross(centre, wrench[:3])) / assembly.length
    own = [max(np.abs(p).max() for p in c.volume.pieces) if c.volume.is_bounded else 0.0 for c in assembly.contacts]
    largest = max(*own, np.abs(wrench[:3]).max(), np.abs(torque).max())
    return np.array([size or largest for size in own])


def norm(answer: hf.statics.Equilibrium) -> float:
    assert answer.forces is not None
    return float((np.sum(answer.forces**2, axis=1) / sizes(answer.assembly, answer.wrench) ** 2).sum())


def least_norm(answer: hf.statics.Equilibrium) -> float:
    """The least sum of squares by an interior-point method: variables are world forces, and weights of vertices."""
    assembly, k = answer.assembly, len(answer.assembly)
    assert answer.pieces is not None
    polytopes = [c.volume.polytopes[p] for c, p in zip(assembly.contacts, answer.pieces, strict=True)]
    columns = [
        np.concatenate([p.vertices, p.rays]) @ c.rotation.T for p, c in zip(polytopes, assembly.contacts, strict=True)
    ]
    n = sum(map(len, columns))
    mixed = sp.block_diag([c.T for c in columns])
    sums = sp.block_diag([np.repeat([1.0, 0.0], [len(p.vertices), len(p.rays)])[None] for p in polytopes])
    equal = sp.bmat([[assembly.wrench_matrix, None], [-np.eye(3 * k), mixed], [None, sums]])
    right = [-answer.wrench, np.zeros(3 * k), np.ones(k)]
    above, most = [sp.hstack([sp.csc_matrix((n, 3 * k)), -sp.eye(n)])], [np.zeros(n)]
    if assembly.joints is not None:
        rows = assembly.joints
        for sign, bound in ((1.0, rows.upper), (-1.0, -rows.lower)):
            known = np.isfinite(bound)
            above.append(sp.hstack([sign * rows.jacobian[known], sp.csc_matrix((int(known.sum()), n))]))
            most.append(bound[known])
    matrix = sp.vstack([equal, *above]).tocsc()
    weights = np.repeat(1.0 / sizes(assembly, answer.wrench) ** 2, 3)
    cones = [clarabel.ZeroConeT(equal.shape[0]), clarabel.NonnegativeConeT(matrix.shape[0] - equal.shape[0])]
    settings: Any = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    quadratic = sp.diags(np.concatenate([2.0 * weights, np.zeros(n)])).tocsc()
    solver = clarabel.DefaultSolver(
        quadratic, np.zeros(3 * k + n), matrix, np.concatenate([*right, *most]), cones, settings
    )
    solution = solver.solve()
    assert "Solved" in str(solution.status)
    return float(solution.obj_val)


@pytest.mark.parametrize("seed", nightly_after(60, range(600)))
def test_the_most_even_forces_hold_and_have_the_least_norm(seed: int) -> None:
    case = random_case(seed)
    limit = hf.load_limit(case.assembly, case.direction)
    factor = 0.6 * limit.value if 0.0 < limit.value < np.inf else 1.0
    found = hf.equilibrium(case.assembly, factor * case.direction)
    if not found.holds:
        assert found.even() is found
        return
    even = found.even()
    assert even.forces_unique is not None
    assert even.verify() and even.residual <= 1e-9
    assert_forces_hold(even.assembly, even.wrench, even.forces, even.pieces)
    assert np.array_equal(even.pieces, found.pieces)
    assert norm(even) <= norm(found) * (1.0 + 1e-9) + 1e-20
    assert norm(even) == pytest.approx(least_norm(found), rel=1e-6, abs=1e-9)
    if even.forces_unique:
        assert even.forces == pytest.approx(found.forces, abs=1e-5 * np.abs(found.forces).max())


def test_feet_in_a_square_share_the_weight_evenly() -> None:
    foot = hf.models.coulomb(0.5)
    table = hf.Assembly([hf.Contact((x, y, 0), np.eye(3), foot) for x in (-1, 1) for y in (-1, 1)])
    even = hf.equilibrium(table, [0, 0, -40.0, 0, 0, 0]).even()
    assert even.forces == pytest.approx(np.tile([0.0, 0.0, 10.0], (4, 1)), abs=1e-9)
    assert even.forces_unique is False
    assert even.to_dict()["forces_unique"] is False


def test_a_stronger_contact_takes_more_in_proportion_to_the_square_of_its_limit() -> None:
    feet = [hf.ForceVolume([[(0, 0, 0), (0, 0, most)]], allow_flat=True) for most in (100.0, 200.0, 100.0)]
    beam = hf.Assembly([hf.Contact((x, 0, 0), np.eye(3), foot) for x, foot in zip((-1, 0, 1), feet, strict=True)])
    even = hf.equilibrium(beam, [0, 0, -60.0, 0, 0, 0]).even()
    # min a^2 / 100^2 + b^2 / 200^2 + c^2 / 100^2 with a + b + c = 60, a = c: a : b : c = 1 : 4 : 1
    assert even.forces[:, 2] == pytest.approx([10.0, 40.0, 10.0])


def test_forces_that_cannot_be_otherwise_are_said_to_be_unique() -> None:
    press = hf.ForceVolume([[(0, 0, 0), (0, 0, 100.0)]], allow_flat=True)
    tripod = hf.Assembly([hf.Contact(p, np.eye(3), press) for p in ((0, 0, 0), (1, 0, 0), (0, 1, 0))])
    found = hf.equilibrium(tripod, [0, 0, -30.0, -10.0, 10.0, 0])
    even = found.even()
    assert even.forces_unique is True
    assert even.forces == pytest.approx(found.forces)


def test_an_answer_without_forces_stays_as_it_is() -> None:
    foot = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), hf.models.coulomb(0.5))])
    failed = hf.equilibrium(foot, [0, 0, 1.0, 0, 0, 0])
    assert failed.even() is failed and failed.forces_unique is None


@pytest.mark.parametrize("rows", [12, 130])  # solved here, and by scipy
@pytest.mark.parametrize("seed", range(8))
def test_weights_of_least_squares_meet_the_conditions_of_an_optimum(rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix, goal = rng.normal(size=(rows, 3 * rows)), rng.normal(size=rows)
    matrix[:, : rows // 2] = matrix[:, rows : rows + rows // 2]  # columns that come twice
    groups = rng.integers(0, rows // 3, size=3 * rows)
    weights = nonnegative_least_squares(matrix, goal, groups, np.zeros(3 * rows))
    assert weights is not None and (weights >= 0.0).all()
    slopes = (matrix @ weights - goal) @ matrix
    assert slopes.min() >= -1e-9
    assert np.abs(slopes[weights > 0.0]).max() <= 1e-9
