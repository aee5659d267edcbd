"""Solutions blurred on purpose come back sharp: balanced, within joint rows, and inside their pieces."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.paper.search import corrected
from holdfast.solvers.relaxation import balances, pieces_of, singles
from tests.referee import random_case, random_rotation


@pytest.mark.parametrize("seed", [0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21])
@pytest.mark.parametrize("keep_factor", [True, False])
def test_blurred_solutions_are_put_right(seed, keep_factor):
    """Close to a limit forces lie on facets, where a small change is most likely to leave the piece."""
    case = random_case(seed, most_choices=8)
    limit = hf.load_limit(case.assembly, case.direction, method=hf.Reference())
    problem, rng = limit.problem, np.random.default_rng(seed)
    if limit.status != "optimal" or not problem.is_star_shaped:
        return
    share = 1 - 1e-5  # at the limit itself nothing could be changed
    factor, sharp = share * limit.value, share * limit.local_forces
    scale = problem.force_scale(sharp, factor)
    for blur in (1e-8, 1e-7):
        blurred = sharp + blur * scale * rng.normal(size=(problem.contacts, 3))
        assert not balances(problem, blurred, factor)
        forces, found = corrected(problem, limit.pieces, blurred, factor, keep_factor=keep_factor)
        assert found == factor if keep_factor else found == pytest.approx(factor, rel=1e-3, abs=1e-6)
        assert balances(problem, forces, found)
        assert pieces_of(problem, singles(limit.pieces), forces) is not None
        np.testing.assert_allclose(forces, blurred, atol=1e3 * blur * scale)


def test_what_is_right_already_stays_as_it_is():
    rng = np.random.default_rng(2)
    cube = hf.ForceVolume([rng.normal(size=(30, 3)) * 4])
    contacts = [hf.Contact(rng.normal(size=3), random_rotation(rng), cube) for _ in range(4)]
    assembly = hf.Assembly(contacts)
    forces = rng.uniform(-0.5, 0.5, size=(4, 3))
    load = -np.einsum("kmi,ki->m", assembly.layout.maps, forces)
    problem = hf.Assembly(contacts).build(np.zeros(6))
    problem = type(problem)(problem.layout, load)
    again, factor = corrected(problem, np.zeros(4, dtype=int), forces, 1.0, keep_factor=True)
    np.testing.assert_allclose(again, forces, rtol=1e-15)
    assert factor == 1.0
