from __future__ import annotations

import numpy as np
import pytest

from holdfast.grips.supports import Asking, HandSupports, Pool, Supports, SupportTask, are_proven
from tests.grips.known_hands import crossed, hinged, opposed_points


def drawn(n: int, seed: int = 0) -> np.ndarray:
    y = np.random.default_rng(seed).normal(size=(n, 6))
    y[:, 3:] /= 0.1
    return y


def test_every_support_comes_back_with_its_proof():
    hand = hinged(crossed(), k=3)
    asking = Asking(SupportTask(hand, 1.0))
    pool = asking.ask(drawn(20))
    truth = HandSupports.of(hand).many(drawn(20))
    assert (len(pool), asking.dropped, asking.done, asking.rounds) == (20, 0, 20, 1)
    np.testing.assert_array_equal(pool.values, truth.values)
    np.testing.assert_array_equal(pool.points, truth.points)


def test_direct_wrenches_are_the_negative_of_held_ones():
    hand, y = opposed_points(), drawn(10)
    direct, reaction = (Asking(SupportTask(hand, sign)).ask(y) for sign in (-1.0, 1.0))
    mirrored = Asking(SupportTask(hand, 1.0)).ask(-y)
    np.testing.assert_array_equal(direct.values, mirrored.values)
    np.testing.assert_array_equal(direct.points, -mirrored.points)
    assert np.abs((y * direct.points).sum(axis=1) - direct.values).max() <= 1e-12 * np.abs(direct.values).max()
    assert not np.allclose(direct.values, reaction.values)


@pytest.mark.parametrize("fault", ["balance", "piece", "joint", "missing"])
def test_a_proof_that_does_not_stand_is_found(fault):
    hand = hinged(crossed(), k=3)
    found = HandSupports.of(hand).many(drawn(4))
    assert are_proven(hand, found).all()
    forces, pieces, points = found.forces.copy(), found.pieces.copy(), found.points.copy()
    if fault == "balance":
        points[2, 0] += 1e-4
    elif fault == "piece":
        pieces[2, np.abs(forces[2]).max(axis=1).argmax()] ^= 1
    elif fault == "joint":
        forces[2] *= 3.0
        points[2] *= 3.0
    else:
        pieces[2, 0] = -1
    assert are_proven(hand, Supports(found.values, found.bounds, points, forces, pieces)).tolist() == [
        True,
        True,
        False,
        True,
    ]


def test_rounds_have_journals_of_their_own_and_are_resumed(tmp_path):
    hand, calls = opposed_points(), []
    first = Asking(SupportTask(hand, 1.0), journal=tmp_path / "j", progress=lambda *c: calls.append(c), planned=400)
    pools = [first.ask(drawn(150)), first.ask(drawn(30, 1))]
    assert sorted(p.name for p in tmp_path.iterdir() if not p.name.endswith(".lock")) == ["j", "j.1"]
    assert calls[0] == (0, 400)
    assert calls[-1] == (180, 400)

    class Idle(SupportTask):
        def many(self, directions):
            raise AssertionError("asked again")

    again = Asking(Idle(hand, 1.0), journal=tmp_path / "j")
    for pool, asked in zip(pools, (drawn(150), drawn(30, 1)), strict=True):
        assert np.array_equal(again.ask(asked).points, pool.points)


def test_pools_are_joined_in_order():
    a, b = (Pool(np.full((2, 6), v), np.full(2, v), np.full(2, v), np.full((2, 6), v)) for v in (1.0, 2.0))
    assert a.with_more(b).values.tolist() == [1.0, 1.0, 2.0, 2.0]
    assert len(a.with_more(b)) == 4
