"""Load sharing of specimens: samples are those of `load_sharing`, shares follow known laws, seeds repeat."""

import numpy as np
import pytest
from scipy.stats import norm

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.force_limits import ForceVolume
from holdfast.reliability import Band, Distribution, Scatter
from holdfast.reliability.sampling import Sampler
from holdfast.sharing import load_sharing, sharing_probability, stiffness_range

DOWN = np.diag([1.0, -1.0, -1.0])
K = (1000.0, 300.0)


def cups(columns=4, rows=3, volume=None):
    volume = volume or hf.models.suction(45.0, 0.5)
    return hf.Assembly(
        [
            hf.Contact((0.1 * (i - (columns - 1) / 2), 0.1 * (j - (rows - 1) / 2), 0.0), DOWN, volume, f"cup {i}{j}")
            for i in range(columns)
            for j in range(rows)
        ]
    )


def hanging(mass, com=(0.06, 0.01, 0.0)):
    return hf.loads.gravity_wrench(mass, com=com)


@pytest.mark.parametrize(
    "scatter",
    [
        Scatter(strength=0.1),
        Scatter(friction=0.2, position=0.003),
        Scatter(strength=Distribution.weibull(1.0, 8.0), mass=0.05, com=0.01),
    ],
)
@pytest.mark.parametrize("base", [None, hanging(3.0)])
def test_each_specimen_has_the_path_of_load_sharing(scatter, base):
    assembly, load = cups(), hanging(20.0)
    found = sharing_probability(assembly, load, scatter, stiffness=K, base=base, n=40, seed=5)
    sampler = Sampler.of(assembly, load if base is None else base, scatter)
    for i in (0, 7, 39):
        sample, wrench = sampler.sample(sampler.plan.scores(5, i, i + 1)[0])
        loads = {"load": wrench} if base is None else {"load": load, "base": wrench}
        alone = load_sharing(sample, stiffness=K, **loads)
        assert alone.verify()
        assert found.peaks[i] == pytest.approx(alone.peak, rel=1e-8)
        assert found.first_failures[i] == pytest.approx(alone.first_failure, rel=1e-8)


def test_specimens_of_a_band_have_the_volumes_of_its_levels():
    box = np.array([[x, y, z] for x in (-10.0, 10.0) for y in (-10.0, 10.0) for z in (-20.0, 60.0)])
    levels = [ForceVolume([box * factor]) for factor in (0.5, 1.0, 2.0)]
    assembly = cups(volume=levels[1])
    scatter = Scatter(bands=(Band(levels[1], tuple(levels)),))
    found = sharing_probability(assembly, hanging(10.0), scatter, stiffness=K, n=30, seed=2)
    sampler = Sampler.of(assembly, hanging(10.0), scatter)
    for i in range(0, 30, 6):
        sample, wrench = sampler.sample(sampler.plan.scores(2, i, i + 1)[0])
        assert found.peaks[i] == pytest.approx(load_sharing(sample, wrench, K).peak, rel=1e-8)


def test_one_brittle_contact_fails_as_its_strength_is_distributed():
    """One cup under a straight pull: it holds when its strength is at least the load, P = 1 - Phi((1 - m) / s)."""
    assembly = hf.Assembly([hf.Contact((0.0, 0.0, 0.0), DOWN, hf.models.suction(45.0, 0.5))])
    load = hf.loads.gravity_wrench(0.9 * 45.0 / hf.loads.STANDARD_GRAVITY)
    found = sharing_probability(assembly, load, Scatter(strength=0.1), stiffness=K, n=4000, seed=1, confidence=0.999)
    low, high = found.interval
    assert low <= norm.sf((0.9 - 1.0) / 0.1) <= high
    assert found.unharmed == found.value


def test_the_probability_is_at_most_that_of_the_best_forces():
    """Sharing by stiffness cannot carry a load that no forces carry: convex volumes, the same draws."""
    scatter = Scatter(strength=0.1, com=0.01)
    assembly, load = cups(), hanging(27.0)
    shared = sharing_probability(assembly, load, scatter, stiffness=K, n=300, seed=3)
    best = hf.probability(assembly, load, scatter, n=300, seed=3)
    assert shared.holding < best.holding
    assert not ((shared.peaks >= 1.0 + 1e-6) & (best.outcomes == 0)).any()


def test_a_seed_repeats_its_specimens_whatever_the_threads():
    arguments = (cups(), hanging(25.0), Scatter(strength=0.1, position=0.002))
    options = {"stiffness": K, "n": 600, "seed": 9, "stiffness_spread": 0.3}
    first, second = (sharing_probability(*arguments, **options, threads=threads) for threads in (1, 2))
    assert np.array_equal(first.peaks, second.peaks)
    assert np.array_equal(first.first_failures, second.first_failures)
    assert not np.array_equal(first.peaks, sharing_probability(*arguments, **(options | {"seed": 10})).peaks)


def test_a_spread_of_stiffness_alone_changes_the_peaks_of_an_indeterminate_gripper_only():
    three = hf.Assembly([cups().contacts[i] for i in (0, 5, 9)])
    load = hf.loads.gravity_wrench(5.0, com=three.positions.mean(axis=0))
    none = Scatter(mass=1e-12)
    fixed = sharing_probability(three, load, none, stiffness=K, n=20, stiffness_spread=0.5)
    assert np.ptp(fixed.peaks) < 1e-9 * fixed.peaks.max()
    spread = sharing_probability(cups(), hanging(20.0), none, stiffness=K, n=20, stiffness_spread=0.5)
    assert np.ptp(spread.peaks) > 0.01 * spread.peaks.max()


def test_progress_counts_to_the_end_and_the_data_is_plain():
    seen = []
    found = sharing_probability(
        cups(),
        hanging(25.0),
        Scatter(strength=0.1),
        stiffness=K,
        n=700,
        progress=lambda done, of: seen.append((done, of)),
    )
    assert seen == [(512, 700), (700, 700)]
    data = found.to_dict()
    assert data["n"] == 700
    assert data["holding"] == round(found.value * 700)
    assert data["planned"]["peak"] == found.planned.peak
    assert found.quantile(0.05).value <= found.quantile(0.5).value


def test_the_range_of_stiffness_contains_the_plan_and_each_sample_is_a_path():
    found = stiffness_range(cups(), hanging(25.0), K, factor=2.0, n=60, seed=4)
    assert found.worst <= found.planned.peak
    assert found.best >= found.worst
    assert found.factors.min() == pytest.approx(0.5)
    assert found.factors.max() == pytest.approx(2.0)
    for sample in (0, 31, int(np.argmin(found.peaks))):
        alone = load_sharing(cups(), hanging(25.0), found.stiffness(sample))
        assert alone.peak == pytest.approx(found.peaks[sample], rel=1e-8)
    assert found.to_dict()["sampled"] is True


def test_a_range_of_one_is_the_plan():
    found = stiffness_range(cups(), hanging(25.0), K, factor=1.0, n=5)
    assert np.allclose(found.peaks, found.planned.peak, rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"n": 0}, "n"),
        ({"seed": -1}, "seed"),
        ({"confidence": 1.5}, "confidence"),
        ({"stiffness_spread": -0.1}, "stiffness_spread"),
        ({"scatter": "strong"}, "scatter"),
    ],
)
def test_bad_arguments_are_named(change, where):
    options = {"scatter": Scatter(strength=0.1), "stiffness": K, "n": 5} | change
    with pytest.raises(HoldfastError, match=where):
        sharing_probability(cups(), hanging(25.0), **options)


def test_a_range_below_one_is_refused():
    with pytest.raises(HoldfastError, match="factor"):
        stiffness_range(cups(), hanging(25.0), K, factor=0.5)
