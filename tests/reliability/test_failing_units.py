"""What gives way, where it is plain to see."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.reliability.probabilities import failure_modes, load_limit_samples
from holdfast.reliability.scatter import Band, Scatter
from tests.reliability.closed_forms import UP, parallel, series, single


def strengths(limits) -> np.ndarray:
    draws = limits.sampler.plan.draws(limits.sampler.plan.scores(limits.seed, 0, limits.n))
    assert draws.scales is not None
    return draws.scales[:, :, 2]


def test_of_two_in_series_the_weaker_one_gives_way_alone():
    assembly, wrench = series()
    limits = load_limit_samples(assembly, wrench, Scatter(strength=0.3), n=300)
    failures = failure_modes(limits)
    weaker = strengths(limits).argmin(axis=1)
    assert failures.names == ("a", "b", "joints")
    np.testing.assert_array_equal(failures.shares[:, :2].argmax(axis=1), weaker)
    np.testing.assert_allclose(failures.shares[:, :2].max(axis=1), 1.0, atol=1e-6)
    below = strengths(limits).min(axis=1) < 1.0  # where it is weaker than planned it is to blame
    np.testing.assert_array_equal(failures.blamed[below], weaker[below])
    np.testing.assert_array_equal(failures.fails, strengths(limits).min(axis=1) < 1.0)


def test_of_two_in_parallel_both_give_way_and_the_weaker_one_is_to_blame():
    limits = load_limit_samples(parallel(), 2.0 * UP, Scatter(strength=0.3), n=300)
    failures, strength = failure_modes(limits), strengths(limits)
    np.testing.assert_allclose(failures.shares[:, :2], strength / strength.sum(axis=1, keepdims=True), atol=1e-5)
    some = strength.min(axis=1) < 1.0
    np.testing.assert_array_equal(failures.blamed[some], strength.argmin(axis=1)[some])
    assert failures.involved()["a"] == failures.involved()["b"] == 1.0
    assert sum(failures.frequencies().values()) == pytest.approx(1.0)
    assert sum(failures.frequencies(failing=True).values()) == pytest.approx(1.0)
    assert sum(failures.mean_shares.values()) == pytest.approx(1.0)


def test_without_scatter_the_largest_share_counts():
    two = hf.Assembly(
        [
            hf.Contact(np.zeros(3), np.eye(3), single().contacts[0].volume.scaled(s), name)
            for s, name in ((1, "a"), (3, "b"))
        ]
    )
    failures = failure_modes(load_limit_samples(two, UP, Scatter(), n=3))
    assert failures.frequencies() == {"a": 0.0, "b": 1.0, "joints": 0.0}


def test_a_joint_that_gives_way_has_its_share():
    """The row bears 0.5 N of the pull: the contact never comes to its limit."""
    joints = hf.JointRows(np.array([[0.0, 0.0, 1.0]]), [-0.5], [0.5])
    assembly = hf.Assembly(single().contacts, joints)
    failures = failure_modes(load_limit_samples(assembly, UP, Scatter(strength=0.1), n=20))
    assert failures.mean_shares["joints"] == pytest.approx(1.0)
    assert failures.involved() == {"a": 0.0, "joints": 1.0}


def test_with_bands_the_weak_level_is_to_blame():
    volume = single().contacts[0].volume
    band = Band(volume, [volume.scaled(0.5), volume])
    limits = load_limit_samples(parallel(), UP, Scatter(bands=[band]), n=100)
    failures = failure_modes(limits)
    uneven = np.isclose(limits.values, 1.5, rtol=1e-5)
    assert uneven.any()
    np.testing.assert_allclose(failures.shares[uneven][:, :2].max(axis=1), 2.0 / 3.0, rtol=1e-4)
    np.testing.assert_array_equal(failures.blamed[uneven], failures.shares[uneven][:, :2].argmin(axis=1))


def test_where_there_is_no_limit_nothing_is_known():
    cone = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(0.5))])
    failures = failure_modes(load_limit_samples(cone, -UP, Scatter(friction=0.2), n=5))
    assert (failures.blamed == -1).all() and not failures.fails.any()
    assert failures.frequencies() == {"contact 0": 0.0, "joints": 0.0}


def test_a_probability_has_no_limits_to_look_at():
    found = hf.probability(single(), UP, Scatter(strength=0.3), n=10)
    with pytest.raises(InputError, match="limits: is a Probability.*load_limit_samples"):
        failure_modes(found)  # pyright: ignore[reportArgumentType]
