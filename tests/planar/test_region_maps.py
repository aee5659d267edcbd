from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.motion_sets import region_map
from holdfast.planar.problems import block_on_incline, box_on_floor


def answer(push: float, mu: float):
    """A box pushed at its middle height: it stays, slides or tips."""
    problem = box_on_floor()
    return problem.under((push, -9.81, 0.0)).with_friction(mu).motions()


def word(x: float, y: float) -> str:
    return "high" if y > x else "low"


def test_a_pushed_box_stays_slides_or_tips_as_statics_say():
    pushes, frictions = np.linspace(0.5, 19.5, 12), np.linspace(0.05, 1.95, 9)
    found = region_map(answer, pushes, frictions)
    for i, mu in enumerate(frictions):
        for j, push in enumerate(pushes):
            # A cube pushed through its centre slides above mu m g; it tips when the push exceeds m g, if it does not slide.
            if push < mu * 9.81 and push < 9.81:
                wanted = ("FF",)
            elif mu <= 1.0:
                wanted = ("RR",)
            else:
                continue
            assert found.label(i, j) == wanted, (mu, push)
    assert any(label not in {("FF",), ("RR",)} for label in found.labels)  # it tips over its leading corner
    assert found.shares.sum() == pytest.approx(1.0)
    assert (np.diff(found.shares) <= 0.0).all()


def test_every_grid_point_has_the_answer_of_its_own_query_and_rows_are_ys():
    xs, ys = np.linspace(0.0, 1.0, 5), np.linspace(0.0, 2.0, 7)
    found = region_map(word, xs, ys)
    assert found.regions.shape == (7, 5)
    for i, y in enumerate(ys):
        for j, x in enumerate(xs):
            assert found.label(i, j) == word(x, y)
    assert found.names == ("high", "low")


def test_two_processes_find_the_same_map():
    xs, ys = np.linspace(0.0, 1.0, 20), np.linspace(0.0, 2.0, 30)
    alone, shared = (region_map(word, xs, ys, workers=workers) for workers in (1, 2))
    assert alone.labels == shared.labels
    np.testing.assert_array_equal(alone.regions, shared.regions)


def test_mode_strings_are_sorted_and_no_modes_say_their_status():
    found = region_map(lambda x, _: ["R", "F"] if x else [], [0.0, 1.0], [0.0])
    assert set(found.labels) == {("F", "R"), "none"}
    assert set(found.names) == {"F or R", "none"}
    slide = region_map(lambda slope, mu: block_on_incline(slope, mu).motions(), [0.3], [0.1])
    assert slide.labels == (("RR",),)


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (lambda: region_map(word, [], [1.0]), "xs"),
        (lambda: region_map(word, [1.0], [[1.0]]), "ys"),
        (lambda: region_map(3, [1.0], [1.0]), "function"),  # type: ignore[arg-type]
        (lambda: region_map(lambda x, y: x + y, [1.0], [1.0]), "function"),  # type: ignore[arg-type, return-value]
    ],
)
def test_bad_input_is_named(call, where):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.where == where
