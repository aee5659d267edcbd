"""The sparse method asked directly, against the kernels, the referee and closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.solvers.certificates import separation_margin
from holdfast.solvers.interior_point import InteriorPoint
from tests.nightly import nightly_after
from tests.referee import block
from tests.several_bodies import assert_balance, is_refuted, largest_factor, random_bodies

UP = hf.frame_from_normal([0, 0, 1])


@pytest.mark.parametrize("seed", nightly_after(6, range(40)))
def test_few_bodies_have_the_limits_of_the_referee(seed):
    case = random_bodies(seed, bodies=3)
    expected = largest_factor(case.assembly, case.load)
    found = hf.load_limit(case.assembly, case.load, method=InteriorPoint())
    assert found.verify()
    if np.isfinite(expected):
        assert found.value == pytest.approx(expected, rel=2e-6, abs=1e-7)
        assert_balance(case.assembly, found.value * case.load, found.forces, found.pieces)
    else:
        assert found.status == "does not hold"


def test_unions_are_refused():
    case = random_bodies(4, kind="union")
    assert case.assembly.layout.combinations > 1
    with pytest.raises(InputError, match="several pieces"):
        hf.equilibrium(case.assembly, case.load, method=InteriorPoint())


def test_one_piece_of_each_volume_is_a_problem_of_its_own():
    case = random_bodies(4, kind="union", joints=False)
    answer = hf.load_limit(case.assembly, case.load)
    fixed = InteriorPoint().maximise(case.assembly.problem(case.load).with_pieces(answer.pieces))
    assert fixed.factor == pytest.approx(answer.value, rel=2e-6)


def test_a_body_on_one_point_is_refuted_by_its_own_turn():
    """No forces at all balance the torque: what least squares leave of the load is the proof."""
    weld = hf.ForceVolume([block([-1e7] * 3, [1e7] * 3)])
    contacts = [hf.Contact([0, 0, 0], UP, weld, body="lamp", against="post")]
    contacts += [hf.Contact([x, y, -1.0], UP, weld, body="post") for x, y in ((0, 0), (1, 0), (0, 1))]
    load = {"lamp": hf.loads.gravity_wrench(1e-3, [0, 0, -9.81], [0.1, 0, 0])}
    answer = hf.equilibrium(hf.Assembly(contacts), load, method=InteriorPoint())
    assert answer.status == "does not hold"
    assert answer.verify()
    assert is_refuted(answer)
    limit = hf.load_limit(hf.Assembly(contacts), load, method=InteriorPoint())
    assert limit.status == "optimal"
    assert limit.value == pytest.approx(0.0, abs=1e-6)


def test_margins_that_strong_welds_round_away_are_summed_in_rational_numbers():
    """A hook of 1 N below welds of 1e6 N, loaded by 1 + 1e-6 N."""
    weld, hook = (hf.ForceVolume([block([-size] * 3, [size] * 3)]) for size in (1e6, 1.0))
    corners = ((-0.3, -0.1), (0.2, -0.15), (0.1, 0.3))
    contacts = []
    for at in range(4):
        above = f"link {at - 1}" if at else None
        contacts += [hf.Contact([x, y, -at / 3.0], UP, weld, body=f"link {at}", against=above) for x, y in corners]
    contacts.append(hf.Contact([0.07, 0.03, -1.7], UP, hook, body="load", against="link 3"))
    assembly = hf.Assembly(contacts)
    for weight, holds in ((1.0 - 1e-6, True), (1.0 + 1e-6, False)):
        load = {"load": hf.loads.gravity_wrench(weight / 9.81, [0, 0, -9.81], [0.07, 0.03, -2.0])}
        answer = hf.equilibrium(assembly, load)
        assert answer.status == ("holds" if holds else "does not hold")
        assert answer.verify()
    leaf = answer.certificate.leaves[0]
    assert separation_margin(answer.problem, leaf.masks, leaf.multipliers) > 0.0
    weaker = replace(answer.problem, load=answer.problem.load * (1.0 - 2e-6))
    assert separation_margin(weaker, leaf.masks, leaf.multipliers) <= 0.0
