from __future__ import annotations

import numpy as np

from holdfast.geometry.polytopes import Polytope
from holdfast.solvers.weak_cache import weakly_cached


def polytope() -> Polytope:
    return Polytope(np.eye(3))


def test_a_result_is_made_once_for_the_same_pieces_grouped_the_same_way() -> None:
    calls = []

    @weakly_cached(10)
    def made(pieces, *numbers):
        """Says what it was given."""
        calls.append((pieces, numbers))
        return [len(calls)]

    a, b = polytope(), polytope()
    assert made((a, b), 1.0) is made((a, b), 1.0)
    others = [made((b, a), 1.0), made((a, b), 2.0), made(((a, b),), 1.0), made(((a,), (b,)), 1.0)]
    assert [entry[0] for entry in others] == [2, 3, 4, 5]
    assert made.__doc__ == "Says what it was given."


def test_a_result_goes_with_the_first_of_its_polytopes_that_goes() -> None:
    made = weakly_cached(10)(lambda pieces: [1])
    a, b = polytope(), polytope()
    made((a, b))
    made(((a,),))
    assert len(made) == 2
    del b
    assert len(made) == 1
    del a
    assert len(made) == 0


def test_of_polytopes_that_stay_the_last_results_are_kept() -> None:
    calls = []
    made = weakly_cached(2)(lambda pieces: calls.append(pieces[0]) or [len(calls)])
    a, b, c = polytope(), polytope(), polytope()
    first = made((a,))
    made((b,))
    assert made((a,)) is first
    made((c,))  # b was asked for longest ago
    assert len(made) == 2
    assert made((a,)) is first
    assert calls == [a, b, c]
    made((b,))
    assert calls == [a, b, c, b]


def test_results_keep_no_polytope_alive() -> None:
    made = weakly_cached(100)(lambda pieces: np.zeros(3))
    for _ in range(50):
        made((polytope(), polytope()))
    assert len(made) == 0
