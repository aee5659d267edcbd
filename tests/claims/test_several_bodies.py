"""Several bodies: stacks and arches in closed form, random ones against a referee that balances body by body."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

import holdfast as hf
from tests.nightly import nightly_after
from tests.several_bodies import assert_balance, bound_from_motions, external, is_refuted, largest_factor, random_bodies

G = 9.80665


def stack(width: float, heights: list[float], mu: float, shift: float = 0.0) -> hf.Assembly:
    """Boxes on one another, each shifted by `shift`; four corners of each overlap touch."""
    contacts, z = [], 0.0
    for i, height in enumerate(heights):
        left, right = i * shift - width / 2, max(i - 1, 0) * shift + width / 2
        below = f"box {i - 1}" if i else None
        for x, y in itertools.product((left, right), (-width / 2, width / 2)):
            contacts.append(hf.Contact((x, y, z), np.eye(3), hf.models.coulomb(mu), body=f"box {i}", against=below))
        z += height
    return hf.Assembly(contacts)


def weights(heights: list[float], direction: np.ndarray, shift: float = 0.0) -> np.ndarray:
    """(6 n,) the weights of boxes of 1 kg."""
    z = np.cumsum([0.0, *heights])
    middles = [(i * shift, 0.0, 0.5 * (z[i] + z[i + 1])) for i in range(len(heights))]
    return np.concatenate([hf.loads.gravity_wrench(1.0, G * direction, middle) for middle in middles])


@pytest.mark.parametrize(("height", "mu", "tangent"), [(1.0, 0.8, 0.5), (1.0, 0.3, 0.3), (0.2, 0.9, 0.9)])
@pytest.mark.parametrize("sign", [0.999, 1.001])
def test_two_boxes_tip_or_slide_at_the_smaller_of_width_over_height_and_mu(height, mu, tangent, sign):
    heights = [height, height]
    direction = np.array([sign * min(tangent, 1.0 / (2.0 * height)), 0.0, -1.0])
    found = hf.equilibrium(stack(1.0, heights, mu), weights(heights, direction))
    assert found.verify() and found.holds is (sign < 1.0)


@pytest.mark.parametrize(("shift", "stands"), [(0.332, True), (0.334, False)])
def test_two_books_on_a_third_may_lean_by_a_third_of_their_width_each(shift, stands):
    """The pair above the lowest leans by 1.5 shifts, at most half a width; the top one by a shift."""
    down, heights = np.array([0.0, 0.0, -1.0]), [0.1] * 3
    found = hf.equilibrium(stack(1.0, heights, 0.5, shift), weights(heights, down, shift))
    assert found.verify() and found.holds is stands


@pytest.mark.parametrize("kind", ["convex", "union"])
@pytest.mark.parametrize("seed", nightly_after(10, range(60)))
def test_random_assemblies_have_the_limit_of_the_referee_and_balance_body_by_body(kind, seed):
    case = random_bodies(seed, kind=kind, bodies=2 + seed % 4, most_choices=8)
    expected = largest_factor(case.assembly, case.load)
    found = hf.load_limit(case.assembly, case.load)
    assert found.verify()
    assert found.value == pytest.approx(expected, rel=2e-6, abs=1e-7)
    if found.status == "optimal":
        assert_balance(case.assembly, found.value * case.load, found.forces, found.pieces)
        assert bound_from_motions(found) <= found.upper_bound + 1e-6 * max(1.0, abs(found.value))
    if 1e-3 < expected < np.inf:
        beyond = hf.equilibrium(case.assembly, 1.01 * expected * case.load)
        assert beyond.status == "does not hold" and beyond.verify() and is_refuted(beyond)


@pytest.mark.parametrize("seed", nightly_after(6, range(30)))
def test_the_interior_point_finds_the_same_limits(seed):
    case = random_bodies(seed, bodies=4)
    expected = largest_factor(case.assembly, case.load)
    found = hf.load_limit(case.assembly, case.load, method=hf.solvers.InteriorPoint())
    assert found.verify() and found.value == pytest.approx(expected, rel=2e-6, abs=1e-7)


def test_a_force_acts_on_one_body_and_its_opposite_on_the_other():
    assembly = random_bodies(4, bodies=4).assembly
    forces = np.random.default_rng(0).normal(size=(len(assembly), 3))
    np.testing.assert_allclose(assembly.wrench_matrix @ forces.ravel(), external(assembly, forces), atol=1e-12)


def test_forces_that_do_not_balance_one_body_are_refused():
    heights, down = [1.0, 1.0], np.array([0.0, 0.0, -1.0])
    found = hf.equilibrium(stack(1.0, heights, 0.5), weights(heights, down))
    assert found.verify()
    forces = found.local_forces.copy()
    forces[4:] *= 1.0001  # between the boxes alone
    assert not dataclasses.replace(found, solution=dataclasses.replace(found.solution, forces=forces)).verify()
