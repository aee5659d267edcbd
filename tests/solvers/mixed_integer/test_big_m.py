from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.solvers.mixed_integer import RAY_REACH, BigM, indicators_of, least_m, units_of
from tests.referee import block, dented_unit, random_case, random_volume, verdict

PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])


@pytest.mark.parametrize("seed", range(10))
def test_the_least_m_cuts_no_corner_off_and_touches_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = random_volume(rng, 3, rays=False, offset=True).polytopes
    for j, piece in enumerate(shape):
        normals, offsets = piece.halfspaces
        others = np.concatenate([p.vertices for i, p in enumerate(shape) if i != j])
        over = (normals @ others.T).max(axis=1) - (offsets + least_m(shape, j, 0.0))
        np.testing.assert_allclose(over, 0.0, atol=1e-9 * piece.size)


def test_the_least_m_follows_rays_as_far_as_their_reach() -> None:
    box = hf.ForceVolume(
        [block([-1, -1, -1], [1, 1, 1]), [[0, 0, 0]]], [None, [[0, 0, 2.0]]], allow_flat=True
    ).polytopes
    normals, _ = box[0].halfspaces
    up = normals @ [0, 0, 1.0] > 0.5
    m = least_m(box, 0, 100.0)
    np.testing.assert_allclose(m[up], 100.0 - 1.0)
    np.testing.assert_allclose(m[~up], -1.0)  # the ray stays clear of the other faces


def test_a_lone_piece_needs_no_m() -> None:
    shape = hf.ForceVolume([block([-1, -1, -1], [1, 1, 1])]).polytopes
    np.testing.assert_array_equal(least_m(shape, 0, RAY_REACH), 0.0)


@pytest.mark.parametrize("m", [None, 500.0])
@pytest.mark.parametrize("seed", range(4))
def test_with_one_indicator_set_the_rows_are_those_of_its_piece(seed: int, m: float | None) -> None:
    rng = np.random.default_rng(seed)
    volume = random_volume(rng, 3, rays=False, offset=True)
    problem = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)] * 2).build(PULL_OFF)
    units = units_of(problem, maximise=True)
    rest = BigM(m=m).build(problem, units)
    points = np.concatenate([p.vertices for p in volume.polytopes])
    points = rng.dirichlet(np.ones(len(points)), size=60) @ points
    points = np.concatenate([points, *(0.999 * p.vertices + 0.001 * p.centroid for p in volume.polytopes)])
    for choice in range(3):
        z = np.zeros(len(indicators_of(problem)))
        z[[choice, 3 + (choice + 1) % 3]] = 1.0
        second = volume.polytopes[(choice + 1) % 3].centroid
        inside = volume.polytopes[choice].contains(points)
        assert inside.any()
        assert not inside.all()
        for point, allowed in zip(points, inside, strict=True):
            forces = np.concatenate([point, second]) / units.force
            rows = rest.on_columns @ forces + rest.on_indicators @ z
            assert (rows <= rest.row_upper + 1e-9).all() == allowed
            assert (np.abs(forces) <= rest.upper).all()


@pytest.mark.parametrize("seed", [0, 3, 6, 13])
def test_a_loose_m_gives_the_same_answers(seed: int) -> None:
    case = random_case(seed, most_choices=16)
    truth = verdict(case.assembly, case.direction).largest
    answer = hf.load_limit(case.assembly, case.direction, method=BigM(m=1e3))
    assert answer.value == pytest.approx(truth, rel=1e-6, abs=1e-8)


def test_an_m_that_cuts_volumes_off_is_refused_with_what_is_needed() -> None:
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit(shear=20, pull=5))])
    problem = assembly.build(PULL_OFF)
    shape = problem.shapes[0]
    needed = max(float(least_m(shape, j, 0.0).max()) for j in range(2))
    with pytest.raises(InputError, match=f"give at least {needed:g} N") as error:
        hf.equilibrium(assembly, PULL_OFF, method=BigM(m=0.9 * needed))
    assert error.value.where == "m"
    assert hf.equilibrium(assembly, -PULL_OFF, method=BigM(m=1.01 * needed)).holds
    with pytest.raises(InputError, match="m"):
        BigM(m=-1.0)


def test_flat_pieces_hold_their_plane() -> None:
    """Two flat fans, across x and across y: pushing along both at once is in neither."""
    fan = np.array([[0, 0, 0], [5, 0, 10], [-5, 0, 10.0]])
    volume = hf.ForceVolume([fan, fan[:, [1, 0, 2]]], allow_flat=True)
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)])
    for force, status in (([2, 0, 8], "holds"), ([0, -2, 8], "holds"), ([1, 1, 8], "does not hold")):
        wrench = np.concatenate([-np.array(force, dtype=float), np.zeros(3)])
        assert hf.equilibrium(assembly, wrench, method=BigM()).status == status
