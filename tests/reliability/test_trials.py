"""Fit the scatter of strength to repeated trials."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import holdfast as hf
from holdfast.errors import InputError
from holdfast.reliability import Distribution, FewTrialsWarning, scatter_from_trials

#: The limit that 5 % of normal values fall below, in standard deviations.
SCORE = stats.norm.ppf(0.05)


def groups_of(rng: np.random.Generator, means: np.ndarray, variation: float, trials: int = 5) -> dict[str, np.ndarray]:
    """Trials of groups of different strength with equal variation."""
    return {f"group {i}": mean * rng.normal(1.0, variation, trials) for i, mean in enumerate(means)}


def twenty_one_groups(seed: int | np.random.Generator) -> dict[str, np.ndarray]:
    """As many groups as a published series of pull-offs of fasteners has."""
    rng = np.random.default_rng(seed)
    return groups_of(rng, rng.uniform(10.0, 80.0, 21), 0.15)


# -- the fit ------------------------------------------------------------------------------------


def test_variations_are_those_of_the_formulas() -> None:
    data = {"a": [10.0, 12.0, 11.0, 15.0], "b": [100.0, 90.0, 95.0, 111.0, 104.0, 99.0, 97.0, 104.0]}
    fitted = scatter_from_trials(data)
    assert [group.name for group in fitted.groups] == ["a", "b"]
    for group, values in zip(fitted.groups, data.values(), strict=True):
        assert group.trials == len(values)
        assert group.mean == pytest.approx(np.mean(values))
        assert group.variation == pytest.approx(stats.variation(values, ddof=1))
    square = (3 * fitted.groups[0].variation ** 2 + 7 * fitted.groups[1].variation ** 2) / 10
    assert fitted.variation == pytest.approx(math.sqrt(square))
    assert fitted.degrees == 10
    assert fitted.interval[0] == pytest.approx(fitted.variation * math.sqrt(10 / stats.chi2.ppf(0.975, 10)))
    assert fitted.interval[1] == pytest.approx(fitted.variation * math.sqrt(10 / stats.chi2.ppf(0.025, 10)))
    assert fitted.to_dict()["groups"][0]["trials"] == 4
    assert "2 groups" in repr(fitted)


@pytest.mark.parametrize("kind", ["normal", "lognormal", "weibull", "uniform"])
def test_limits_are_quantiles_of_the_distribution_about_each_mean(kind: str) -> None:
    fitted = scatter_from_trials(twenty_one_groups(1), kind=kind)
    one = Distribution(kind, 1.0, fitted.variation)
    assert fitted.distribution() == one
    assert fitted.scatter(friction=0.1).to_dict() == hf.reliability.Scatter(strength=one, friction=0.1).to_dict()
    factor = float(one.values(np.array([SCORE]))[0])
    limits = fitted.limits()
    assert all(limits[group.name] == pytest.approx(group.mean * factor) for group in fitted.groups)


def test_the_interval_covers_the_true_variation() -> None:
    rng = np.random.default_rng(5)
    fits = [scatter_from_trials(twenty_one_groups(rng)) for _ in range(200)]
    covered = np.mean([fit.interval[0] <= 0.15 <= fit.interval[1] for fit in fits])
    assert 0.90 <= covered <= 0.99
    assert np.median([fit.variation for fit in fits]) == pytest.approx(0.15, rel=0.02)
    likely = np.array([fit.homogeneity for fit in fits])
    assert stats.kstest(likely, "uniform").pvalue > 0.01  # equal variations: any p-value is as likely


def test_groups_of_different_variation_are_told_apart() -> None:
    rng = np.random.default_rng(6)
    mixed = {f"{cv}, {i}": rng.normal(1.0, cv, 8) for cv in (0.02, 0.25) for i in range(4)}
    assert scatter_from_trials(mixed).homogeneity < 1e-4
    assert math.isnan(scatter_from_trials({"a": rng.normal(1.0, 0.1, 12)}).homogeneity)


# -- why to pool --------------------------------------------------------------------------------


@pytest.mark.parametrize("trials", [4, 5])
def test_small_groups_underestimate_the_tail_and_pooling_mends_most_of_it(trials: int) -> None:
    """Limits meant for 5 % of the next specimens: shares by simulation and by Student's distribution."""
    rng, variation = np.random.default_rng(2024), 0.15
    below: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(150):
        means = rng.uniform(10.0, 80.0, 21)
        fitted = scatter_from_trials(groups_of(rng, means, variation, trials))
        for pooled, shares in below.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FewTrialsWarning)
                limits = np.array(list(fitted.limits(0.05, pooled=pooled).values()))
            shares.append(stats.norm.cdf((limits / means - 1.0) / variation).mean())  # of all specimens to come
    alone, pooled = np.mean(below[False]), np.mean(below[True])
    wide = math.sqrt(1.0 + 1.0 / trials)
    assert alone == pytest.approx(stats.t.cdf(SCORE / wide, trials - 1), abs=0.008)  # 11.9 % and 10.4 %
    assert pooled == pytest.approx(stats.norm.cdf(SCORE / wide), abs=0.008)  # 7.1 % and 6.7 %
    assert pooled - 0.05 < 0.5 * (alone - 0.05)


# -- warnings -----------------------------------------------------------------------------------


def test_a_pooled_variation_of_many_small_groups_needs_no_warning() -> None:
    fitted = scatter_from_trials(twenty_one_groups(3))  # warnings are errors
    assert fitted.degrees == 84
    fitted.scatter()
    fitted.limits()


def test_one_warning_names_the_small_groups_and_recommends_pooling() -> None:
    rng = np.random.default_rng(4)
    groups = {"small": rng.normal(10, 1, 5), "tiny": rng.normal(9, 1, 3), "large": rng.normal(8, 1, 10)}
    fitted = scatter_from_trials(groups)
    for ask in (lambda: fitted.scatter(pooled=False), lambda: fitted.limits(pooled=False)):
        with pytest.warns(FewTrialsWarning, match="'small', 'tiny' is based on 3 trials.*pooled over groups") as caught:
            ask()
        assert len(caught) == 1
        assert caught[0].message.groups == ("small", "tiny")
        assert caught[0].message.trials == 3
        assert caught[0].filename == __file__
    assert fitted.distribution("large").variation == pytest.approx(fitted.group("large").variation)
    with pytest.warns(FewTrialsWarning, match="'tiny' is based on 3 trials"):
        fitted.distribution("tiny")


@pytest.mark.parametrize(("counts", "warned"), [((9,), True), ((10,), False), ((5, 5), True), ((5, 6), False)])
def test_ten_trials_of_one_group_or_as_many_degrees_of_freedom_are_enough(
    counts: tuple[int, ...], warned: bool
) -> None:
    rng = np.random.default_rng(0)
    groups = {str(i): rng.normal(10, 1, n) for i, n in enumerate(counts)}
    if warned:
        with pytest.warns(FewTrialsWarning, match="degrees of freedom") as caught:
            scatter_from_trials(groups)
        assert caught[0].filename == __file__
    else:
        scatter_from_trials(groups)


@pytest.mark.parametrize(
    ("trials", "words"),
    [
        ({}, "no group has two trials"),
        ({"a": [1.0]}, "no group has two trials"),
        ({"a": []}, r"trials\['a'\]: is empty"),
        ({"a": [1.0, -1.0]}, r"trials\['a'\]: has a negative force"),
        ({"a": [0.0, 0.0]}, r"trials\['a'\]: is zero"),
        ({"a": [1.0, math.nan]}, r"trials\['a'\]"),
        (3.0, "trials: is a float"),
    ],
)
def test_trials_that_make_no_sense_are_refused(trials: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        scatter_from_trials(trials)


def test_names_and_shares_are_checked() -> None:
    fitted = scatter_from_trials({"left": [10.0] * 6 + [11.0] * 6, "once": [9.0]})
    with pytest.raises(InputError, match="no group 'lefd'.*did you mean 'left'"):
        fitted.distribution("lefd")
    with pytest.raises(InputError, match="'once' has one trial"):
        fitted.scatter(pooled=False)
    with pytest.raises(InputError, match="share"):
        fitted.limits(0.0)
    with pytest.raises(InputError, match="distribution"):
        scatter_from_trials({"a": [1.0, 2.0] * 6}, kind="cauchy")


# -- files --------------------------------------------------------------------------------------

CSV = "group,preload [N],pull-off force [N]\n" + "".join(
    f"{name},{preload},{strength + shift}\n"
    for name, strength in (("A", 20.0), ("B", 40.0))
    for preload in (1, 2)
    for shift in (-2.0, 0.0, 1.0, 1.5)
)


def test_groups_of_a_file_are_its_units_directions_and_preloads(tmp_path: Path) -> None:
    path = tmp_path / "pulls.csv"
    path.write_text(CSV, encoding="utf-8")
    fitted = scatter_from_trials(path)
    names = [f"{name}, preload {preload} N" for name in "AB" for preload in (1, 2)]
    assert [group.name for group in fitted.groups] == names
    assert fitted.groups[0].mean == pytest.approx(20.125)
    assert fitted.variation == pytest.approx(scatter_from_trials(hf.read_measurements(path)).variation)
    path.write_text("fx,fy,fz\n" + "1,0,0\n1.1,0,0\n0,2,0\n0,2.2,0\n" * 6, encoding="utf-8")
    assert [group.name for group in scatter_from_trials(path).groups] == [
        "azimuth 0, elevation 0 deg",
        "azimuth 90, elevation 0 deg",
    ]
    path.write_text("azimuth,elevation,force\n" + "0,-90,0\n" * 3 + "0,0,5\n0,0,6\n" * 6, encoding="utf-8")
    assert len(scatter_from_trials(path).groups) == 1  # what holds nothing has no variation
