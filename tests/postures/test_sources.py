"""Sources of vertices: each kind reaches as far as its set does, and learns only what is new."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.grips import Grip, OuterGrip, coulomb_grip
from holdfast.postures import posture_equilibrium
from holdfast.postures.generation import source_of
from tests.postures.full import BOX, still


def test_half_spaces_and_vertices_of_a_box_reach_equally_far() -> None:
    inner, outer = Grip.box(*BOX), OuterGrip.box(*BOX)
    ways = np.random.default_rng(1).normal(size=(20, 6))
    known, found = source_of(inner, 1), source_of(outer, 3)
    expected = np.where(ways > 0.0, ways * BOX[1], ways * BOX[0]).sum(axis=1)
    assert [value for value, _ in known.reach(ways, learn=True)] == pytest.approx(expected)
    assert [value for value, _ in found.reach(ways, learn=True)] == pytest.approx(expected)
    assert not any(new for _, new in found.reach(ways, learn=True))


def test_without_a_limit_a_ray_is_learned() -> None:
    endless = OuterGrip.box([-1] * 6, [1, 1, np.inf, 1, 1, 1])
    source = source_of(endless, 1)
    _, rays = source.known()
    assert rays == pytest.approx(np.eye(6)[2:3])
    assert source_of(coulomb_grip(0.5), 1).reach(np.eye(6)[2:3], learn=True) == [(np.inf, False)]


def test_a_slab_has_no_limit_along_its_lines() -> None:
    slab = OuterGrip.box([-np.inf] * 5 + [-2.0], [np.inf] * 5 + [3.0])
    source = source_of(slab, 1)
    along = np.array([[0, 0, 0, 0, 0, 1.0], [0, 0, 0, 0, 0, -1.0], [1e-3, 0, 0, 0, 0, 1.0]])
    assert [value for value, _ in source.reach(along, learn=True)] == [3.0, 2.0, np.inf]
    assert len(source.known()[1]) == 10
    anywhere = OuterGrip(np.zeros((0, 6)), np.zeros(0))
    assert posture_equilibrium(anywhere, still([0, 0, 0]), np.arange(6.0)).verify()
    both = posture_equilibrium([slab, Grip.box(*BOX)], still([0, 0, 0], [1, 0, 0]), [9, 9, 9, 9, 9, 3.4])
    assert both.holds
    assert both.verify()
    # About z: the slab gives 3 and the box 0.5, and forces of the box at x = 1 (fy from -1 to 2) another 2.
    beyond = posture_equilibrium([slab, Grip.box(*BOX)], still([0, 0, 0], [1, 0, 0]), [0, 0, 0, 0, 0, -5.6])
    assert not beyond.holds
    assert beyond.verify()
    assert posture_equilibrium([slab, Grip.box(*BOX)], still([0, 0, 0], [1, 0, 0]), [0, 0, 0, 0, 0, -5.4]).verify()
