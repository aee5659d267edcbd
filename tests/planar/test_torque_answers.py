"""Answers about torques: margins, batches, shapes; their classes are checked with the sets."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.tasks import standstill
from holdfast.planar.torques import torque_sets
from tests.planar.greenfield import six_links, two_links


def test_margins_are_what_a_torque_can_lose_before_its_class_changes():
    answer = torque_sets(two_links(1.5), "FFF", limits=(-1.0, 1.0))
    tau = np.linspace(-1.2, 0.3, 60)
    margins = answer.margin(tau)
    for one, margin in zip(tau, margins, strict=True):
        if margin > 1e-6:
            near = answer.classify(one + np.array([-0.999, 0.999]) * margin)
            far = answer.classify(one + np.array([-1.001, 1.001]) * margin)
            assert (near == "unique").all() and not (far == "unique").all()
        else:
            assert answer.classify([one]) != "unique"


def test_one_torque_gives_a_string_and_many_an_array():
    answer = torque_sets(six_links(), "FFF", standstill(8))
    tau = answer.least_norm(0.01)
    assert answer.classify(tau) == "unique"
    batch = answer.classify(np.stack([tau, tau + 1.0, tau - 1e-3])[:, None, :])
    assert batch.shape == (3, 1) and batch.ravel().tolist() == ["unique", "infeasible", "infeasible"]
    assert isinstance(torque_sets(two_links(), "FFF").classify(-0.3), str)


def test_the_least_torque_is_no_longer_than_any_other_of_its_set():
    answer = torque_sets(six_links(), "FFF", standstill(8))
    least = answer.least_norm()
    vertices = answer.feasible.generators.vertices
    assert answer.feasible.contains(least, tolerance=1e-7)
    assert (vertices @ least >= least @ least - 1e-9).all()


def test_wrong_torques_are_refused():
    answer = torque_sets(six_links(), "FFF", standstill(8))
    with pytest.raises(InputError):
        answer.classify([1.0, 2.0])
    with pytest.raises(InputError):
        answer.explain(np.zeros((2, 5)))
    with pytest.raises(InputError):
        answer.least_norm(-1.0)
