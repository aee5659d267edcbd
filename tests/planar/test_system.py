"""Systems: what they refuse, which letters velocities leave, and that a mode's rows say what the tables say."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar import Body, Chain, System, mode_set, motions
from tests.planar.scenes import random_query, three_points

PLAIN = {
    "mass_matrix": np.eye(2),
    "bias": np.zeros(2),
    "selector": None,
    "normal_jacobian": [[0.0, 1.0]],
    "tangent_jacobian": [[1.0, 0.0]],
    "mu": 0.5,
}


@pytest.mark.parametrize(
    "change, where",
    [
        ({"mass_matrix": [[1.0, 1.0], [1.0, 1.0]]}, "mass_matrix"),
        ({"mass_matrix": [[1.0, 2.0], [2.0, 1.0]]}, "mass_matrix"),
        ({"mass_matrix": [[1.0, 0.5], [0.0, 1.0]]}, "mass_matrix"),
        ({"mass_matrix": [[1.0, 0.0], [0.0, 0.0]]}, "mass_matrix[1, 1]"),
        ({"mass_matrix": np.eye(3)}, "bias"),
        ({"bias": [0.0, np.inf]}, "bias[1]"),
        ({"selector": [[1.0]]}, "selector"),
        ({"normal_jacobian": [[0.0, 1.0, 2.0]]}, "normal_jacobian"),
        ({"tangent_jacobian": np.ones((2, 2))}, "tangent_jacobian"),
        ({"mu": [-0.1]}, "mu[0]"),
        ({"mu": [0.1, 0.2]}, "mu"),
        ({"normal_velocity": [np.nan]}, "normal_velocity[0]"),
    ],
)
def test_bad_input_is_named(change, where):
    with pytest.raises(InputError) as error:
        System(**{**PLAIN, **change})
    assert error.value.where == where


def test_a_massless_joint_makes_the_mass_matrix_singular_and_that_is_said():
    with pytest.raises(InputError, match="mass_matrix"):
        Chain([1.0, 1.0], [1.0, 1.0, 0.0]).system((0, 0, 0, 0))


def test_inertias_of_very_different_size_are_no_singularity():
    masses = np.diag([1e3, 1e-12])
    assert np.array_equal(System(**{**PLAIN, "mass_matrix": masses}).mass_matrix, masses)


@pytest.mark.parametrize("mode", ["", "F", "FFFF", "FXF", "fff", None])
def test_a_mode_string_of_the_wrong_length_or_letters_is_refused(mode):
    system = Body(1.0, 1.0).system(three_points(0.5), (0, 0, 0))
    with pytest.raises(InputError, match="3 letters of S, F, R, L"):
        mode_set(system, mode)


@pytest.mark.parametrize(
    "vn, vt, letters",
    [(0, 0, "SFRL"), (0, 1, "SR"), (0, -1, "SL"), (1, 0, "S"), (1, -1, "S"), (-1, 0, ""), (-1, 1, "")],
)
def test_velocities_come_first(vn, vt, letters):
    system = System(**PLAIN, normal_velocity=vn, tangent_velocity=vt)
    assert system.choices == (letters,)
    assert system.impacts == (() if letters else (0,))
    for mode in "SFRL":
        if mode not in letters:
            assert mode_set(system, mode).is_empty


def test_rounding_in_velocities_is_rest():
    system = System(**PLAIN, normal_velocity=-1e-12, tangent_velocity=1.0)
    assert system.choices == ("SR",)


def test_reactions_are_sums_of_the_modes_edges_and_of_no_others():
    system = Body(1.0, 1.0).system([*three_points(0.5)[:2], *three_points(0.0)[:1]], (0, 0, 0))
    assert system.force_edges("SSS").shape == (6, 0)
    edges = system.force_edges("FRF").T
    unit = 1.0 / np.sqrt(1.25)
    wanted = [
        (-0.5 * unit, unit, 0, 0, 0, 0),
        (0.5 * unit, unit, 0, 0, 0, 0),
        (0, 0, -0.5 * unit, unit, 0, 0),
        (0, 0, 0, 0, 0, 1),
    ]
    assert np.allclose(edges, wanted)


def test_a_modes_set_is_empty_exactly_when_the_mode_is_impossible_and_casts_the_motions_shadow():
    rng = np.random.default_rng(4)
    for _ in range(15):
        found = motions(*random_query(rng, 2))
        if found.status == "impact":
            continue
        for first in "SFRL":
            for second in "SFRL":
                mode = first + second
                whole = mode_set(found.system, mode)
                assert whole.is_empty == (mode not in found.modes)
        for mode, piece in found.modes.items():
            shadow = mode_set(found.system, mode).project(range(3))
            assert shadow.contains(piece.sample().acceleration)
            for direction in rng.normal(size=(3, 3)):
                reach = (piece.vertices @ direction).max()
                assert (shadow.generators.vertices @ direction).max() == pytest.approx(reach, abs=1e-7)
            assert shadow.dimension == piece.set.dimension


def test_torques_enter_where_the_selector_says():
    system = System(**{**PLAIN, "selector": [[1.0], [0.0]], "bias": [0.0, -1.0]})
    free = mode_set(system, "F")
    assert free.ambient_dimension == 2 + 2 + 1
    torques = free.project([4])
    assert np.allclose(sorted(torques.generators.vertices.ravel()), (-0.5, 0.5))
    assert mode_set(system, "F", tau=[0.4]).is_empty is False
    assert mode_set(system, "F", tau=[0.6]).is_empty
