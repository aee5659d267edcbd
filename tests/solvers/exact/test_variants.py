"""Variants of a layout, against problems that are built for each of them anew."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.exact.method import Variants
from holdfast.solvers.exact.search import FINISHED, HELD, PAUSED
from tests.referee import block, random_case, random_rotation


def scaled_maps(layout, seed: int, count: int) -> np.ndarray:
    """(count, k, m, 3) maps with factors on the columns, and some noise on the torque rows."""
    rng = np.random.default_rng(seed)
    maps = layout.maps * rng.uniform(0.3, 2.5, size=(count, len(layout.shape_of), 1, 3))
    maps[:, :, 3:6] += 0.05 * rng.normal(size=maps[:, :, 3:6].shape)
    return maps


@pytest.mark.parametrize("seed", range(6))
def test_variants_have_the_verdicts_and_limits_of_problems_built_anew(seed):
    case = random_case(seed)
    assembly, wrench = case.assembly, case.direction
    layout, load = assembly.layout, assembly.problem(np.asarray(wrench)).load
    variants, method = Variants(layout, load), hf.Exact()
    maps = scaled_maps(layout, seed, 8)
    loads = load * np.linspace(0.4, 2.0, 8)[:, None, None]
    tests = variants.many(method, maps, loads, "test")
    limits = variants.many(method, maps, loads, "maximise")
    for i in range(8):
        problem = variants.problem(maps[i], loads[i, 0])
        alone = method.test(problem)
        if tests.outcomes[i] in (HELD, FINISHED):
            assert (tests.outcomes[i] == HELD) == (alone.status is hf.Status.HOLDS)
        if tests.outcomes[i] == HELD:
            assert problem.residual(tests.forces[i] / tests.factors[i], 1.0) <= 1e-8 * problem.force_scale(
                tests.forces[i] / tests.factors[i], 1.0
            )
        if limits.outcomes[i] == FINISHED and np.isfinite(limits.factors[i]):
            assert limits.factors[i] == pytest.approx(method.maximise(problem).factor, rel=1e-5, abs=1e-9)


def test_several_loads_of_a_variant_come_one_after_the_other():
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])
    layout = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), volume)]).layout
    loads = np.zeros((3, 2, 6))
    loads[:, 0, 2], loads[:, 1, 0] = 1.0, 2.0
    maps = layout.maps * np.array([1.0, 2.0, 0.5])[:, None, None, None]
    found = Variants(layout, loads[0, 0]).many(hf.Exact(), maps, loads, "maximise")
    np.testing.assert_allclose(found.factors.reshape(3, 2), [[1.0, 0.5], [2.0, 1.0], [0.5, 0.25]], rtol=1e-6)
    assert np.abs(found.multipliers).max(axis=1).min() > 0.0


def test_variants_may_choose_among_shapes_of_different_numbers_of_pieces():
    small, large = block([-1.0] * 3, [1.0] * 3), block([-3.0, -1.0, -1.0], [3.0, 1.0, 1.0])
    contacts = [hf.Contact(np.zeros(3), np.eye(3), hf.ForceVolume(p)) for p in ([small], [small, large])]
    layout = hf.Assembly(contacts).layout
    one = Variants(layout, np.array([1.0, 0, 0, 0, 0, 0]))
    maps = np.repeat(layout.maps[None], 3, axis=0)
    shape_of = np.array([[0, 0], [0, 1], [1, 1]])
    loads = np.tile([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], (3, 1, 1))
    found = one.many(hf.Exact(), maps, loads, "maximise", shape_of)
    np.testing.assert_allclose(found.factors, [2.0, 4.0, 6.0], rtol=1e-6)
    np.testing.assert_allclose(
        [hf.Exact().maximise(one.problem(m, w[0], s)).factor for m, w, s in zip(maps, loads, shape_of, strict=True)],
        found.factors,
        rtol=1e-6,
    )


def test_one_sided_rows_are_cut_off_beyond_what_the_strongest_variant_can_push():
    """A row with a limit on one side alone never binds on the other, however strong the contacts are."""
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])
    joints = hf.JointRows(np.array([[0.0, 0.0, 1.0]]), [-np.inf], [5.0])
    assembly = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), volume)], joints)
    layout = assembly.layout
    load = assembly.problem(np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])).load
    maps = np.repeat(layout.maps[None], 3, axis=0) * np.array([1.0, 300.0, 1e5])[:, None, None, None]
    found = Variants(layout, load).many(hf.Exact(), maps, np.repeat(load[None, None], 3, axis=0), "maximise")
    np.testing.assert_allclose(found.factors, [1.0, 300.0, 1e5], rtol=1e-5)


def test_answers_do_not_depend_on_the_variants_before():
    rng = np.random.default_rng(3)
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3), block([-2.0, -1.0, -1.0], [2.0, 1.0, 1.0])])
    layout = hf.Assembly([hf.Contact(rng.normal(size=3), random_rotation(rng), volume) for _ in range(4)]).layout
    load = rng.normal(size=6)
    variants, maps = Variants(layout, load), scaled_maps(layout, 1, 6)
    loads = np.repeat(load[None, None], 6, axis=0)
    together = variants.many(hf.Exact(), maps, loads, "maximise")
    alone = variants.many(hf.Exact(), maps[4:5], loads[4:5], "maximise")
    assert together.factors[4] == alone.factors[0]


def test_what_the_kernels_cannot_treat_is_left_open():
    away = hf.ForceVolume([block([1.0] * 3, [2.0] * 3)])  # no zero force
    layout = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), away)]).layout
    found = Variants(layout, np.ones(6)).many(hf.Exact(), layout.maps[None], np.ones((1, 1, 6)), "test")
    assert found.outcomes.tolist() == [PAUSED]
    empty = Variants(layout, np.ones(6)).many(hf.Exact(), np.zeros((0, *layout.maps.shape)), np.ones((0, 1, 6)), "test")
    assert len(empty.outcomes) == 0
