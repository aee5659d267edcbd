"""Which wrench the options of `check` stand for."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.cli.questions import ask


@pytest.fixture
def scene(hooks):
    return hf.load_scene(hooks)


def test_the_weight_acts_unless_it_is_left_out(scene) -> None:
    weight = ask(scene, loads=[], gravity=None, wrench=None, weight=True)
    np.testing.assert_allclose(weight.wrench, scene.gravity_load())
    both = ask(scene, loads=["pull", "aside"], gravity=None, wrench=None, weight=True)
    np.testing.assert_allclose(both.wrench, scene.gravity_load() + [1, 0, -1, 0, 0, 0])
    alone = ask(scene, loads=["pull"], gravity=None, wrench=None, weight=False)
    np.testing.assert_allclose(alone.wrench, [0, 0, -1, 0, 0, 0])


def test_a_wrench_is_the_whole_load(scene) -> None:
    given = ask(scene, loads=[], gravity=None, wrench="1,2,3,4,5,6", weight=True)
    np.testing.assert_array_equal(given.wrench, [1, 2, 3, 4, 5, 6])
    with pytest.raises(hf.HoldfastError, match="--wrench"):
        ask(scene, loads=["pull"], gravity=None, wrench="1,2,3,4,5,6", weight=True)


def test_nothing_to_ask_about_is_an_error(scene) -> None:
    with pytest.raises(hf.HoldfastError):
        ask(scene, loads=[], gravity=None, wrench=None, weight=False)
