"""LimitSurface: exact at samples, flat between, conservative where nobody measured."""

from __future__ import annotations

import contextlib
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import FileError, GeometryError, InputError, UnitError, UnknownNameError
from holdfast.force_limits.decomposition import decompose
from holdfast.force_limits.samples import direction_grid
from holdfast.force_limits.surface import LimitSurface


def star(count: int, seed: int, zeros: float = 0.0) -> LimitSurface:
    rng = np.random.default_rng(seed)
    radii = rng.uniform(0.3, 2.0, count)
    radii[rng.random(count) < zeros] = 0.0
    return LimitSurface(rng.normal(size=(count, 3)), radii)


def rays(count: int, seed: int) -> np.ndarray:
    d = np.random.default_rng(seed).normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def brute_gauge(surface: LimitSurface, point: np.ndarray) -> float:
    """The gauge from every cone that holds the point, by solving for the three weights."""
    found = []
    for triangle in surface.triangles:
        weights = np.linalg.solve(surface.directions[triangle].T, point)
        if (weights >= -1e-12).all():
            with np.errstate(divide="ignore"):
                found.append(sum(w / r for w, r in zip(weights, surface.radii[triangle], strict=True) if w > 1e-12))
    return min(found)


# -- geometry -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_radial_is_exact_at_the_samples(seed):
    surface = star(150, seed, zeros=0.1)
    assert surface.radial(surface.directions) == pytest.approx(surface.radii, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("zeros", [0.0, 0.2])
def test_gauge_equals_brute_force_over_all_cones(zeros):
    surface = star(60, 3, zeros)
    for point in rays(200, 4) * 1.7:
        assert surface.gauge(point) == pytest.approx(brute_gauge(surface, point), rel=1e-9)


def test_every_ray_of_100_000_finds_the_cone_it_lies_in():
    surface = star(400, 5)
    d = rays(100_000, 6)
    found, weights = surface.mesh.locate(d)
    assert (weights >= 0.0).all()
    rebuilt = np.einsum("mk,mkj->mj", weights, surface.directions[surface.triangles[found]])
    assert rebuilt == pytest.approx(d, abs=1e-9)


def test_the_surface_is_flat_between_its_samples():
    surface = star(80, 7)
    shares = np.random.default_rng(8).dirichlet(np.ones(3), len(surface.triangles))
    inside = np.einsum("tk,tkj->tj", shares, surface.vertices[surface.triangles])
    assert surface.gauge(inside) == pytest.approx(np.ones(len(inside)), rel=1e-9)


def test_a_zero_sample_makes_its_triangles_zero_but_not_its_neighbours():
    surface = star(80, 9)
    radii = surface.radii.copy()
    radii[5] = 0.0
    dented = LimitSurface(surface.directions, radii)
    touching = (dented.triangles == 5).any(axis=1)
    middles = surface.directions[dented.triangles].mean(axis=1)
    assert (dented.radial(middles[touching]) == 0.0).all()
    assert (dented.radial(middles[~touching]) > 0.0).all()
    assert np.isinf(dented.gauge(middles[touching])).all()
    others = np.delete(np.arange(80), 5)
    assert dented.radial(dented.directions[others]) == pytest.approx(radii[others])


@given(st.floats(1e-6, 1e6), st.floats(1e-3, 1e3))
@settings(max_examples=25, deadline=None)
def test_gauge_is_homogeneous_and_scaling_scales_everything(factor, length):
    surface = star(30, 10, zeros=0.1)
    d = rays(20, 11)
    assert surface.gauge(d * length) == pytest.approx(surface.gauge(d) * length)
    scaled = surface.scaled(factor)
    assert scaled.radial(d) == pytest.approx(surface.radial(d) * factor)
    assert scaled.size == pytest.approx(surface.size * factor)
    assert scaled.contains(d * factor).tolist() == surface.contains(d).tolist()


def test_contains_agrees_with_radial():
    surface = star(60, 12)
    d = rays(500, 13)
    reach = surface.radial(d)[:, None]
    assert surface.contains(d * reach * 0.999).all()
    assert not surface.contains(d * reach * 1.001).any()
    assert surface.contains(np.zeros(3))


def test_four_directions_on_one_circle_are_joined_the_convex_way():
    corners = np.array(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0])).reshape(3, -1).T
    for raised in range(8):
        radii = np.full(8, math.sqrt(3.0))
        radii[raised] *= 1.2
        surface = LimitSurface(corners, radii)
        axis = np.array([0.0, 0.0, corners[raised, 2]])
        face = [i for i in range(8) if corners[i, 2] == corners[raised, 2]]
        opposite = next(i for i in face if (corners[i, :2] == -corners[raised, :2]).all())
        # Halfway along the raised diagonal the two limits mix harmonically.
        ends = radii[[raised, opposite]] / math.sqrt(3.0)
        assert surface.radial(axis) == pytest.approx(2.0 / (1.0 / ends).sum(), rel=1e-9)


def test_limits_that_are_rounding_are_zero():
    """Beside the largest one, in the band too: pieces of a few 1e-15 N would be made of them."""
    d = direction_grid(0.3)
    radii = np.where(d[:, 2] < 0.0, 20.0, 3e-15)
    surface = LimitSurface(d, radii, lower=0.5 * radii, upper=2.0 * radii)
    idle = d[:, 2] >= 0.0
    for limits in (surface.radii, surface.lower, surface.upper):
        assert (limits[idle] == 0.0).all() and (limits[~idle] >= 10.0).all()
    assert (LimitSurface(d, np.where(idle, 3e-9, 20.0)).radii[idle] == 3e-9).all()
    assert all(len(piece) for piece in decompose(surface, max_pieces=2).pieces)


def test_arrays_cannot_be_changed():
    surface = star(20, 14)
    for name in ("directions", "radii", "triangles", "measured", "lower", "upper", "trials", "vertices"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(surface, name)[0] = 0


# -- samples ------------------------------------------------------------------------------------


def test_from_samples_passes_through_the_forces():
    forces = rays(100, 20) * np.random.default_rng(21).uniform(1.0, 9.0, (100, 1))
    surface = LimitSurface.from_samples(forces, merge_angle=0.0)
    assert surface.measured.all()
    assert surface.contains(forces * 0.999999).all()
    assert surface.gauge(forces) == pytest.approx(np.ones(100))


def test_repeated_trials_give_median_and_band():
    d = np.repeat(direction_grid(math.radians(30)), 5, axis=0)
    trials = np.tile([4.0, 5.0, 5.5, 6.0, 9.0], len(d) // 5)
    surface = LimitSurface.from_limits(d, trials)
    assert len(surface.radii) == len(d) // 5
    assert surface.radii == pytest.approx(np.full(len(surface.radii), 5.5))
    assert surface.inner.radii == pytest.approx(np.full(len(surface.radii), 4.0))
    assert surface.outer.radii == pytest.approx(np.full(len(surface.radii), 9.0))
    assert (surface.trials == 5).all()
    middle = LimitSurface.from_limits(d, trials, quantiles=(0.25, 0.5, 0.75))
    assert middle.inner.radii[0] == pytest.approx(5.0)
    assert middle.outer.radii[0] == pytest.approx(6.0)
    probe = rays(300, 22)
    assert (surface.inner.radial(probe) <= surface.radial(probe)).all()
    assert (surface.radial(probe) <= surface.outer.radial(probe)).all()


def test_nearby_directions_are_repeats_and_distant_ones_are_not():
    d = direction_grid(math.radians(30))
    turned = d + 0.002 * rays(len(d), 23)
    surface = LimitSurface.from_limits(np.vstack([d, turned]), np.full(2 * len(d), 3.0))
    assert len(surface.radii) == len(d)
    apart = LimitSurface.from_limits(np.vstack([d, turned]), np.full(2 * len(d), 3.0), merge_angle=1e-6)
    assert len(apart.radii) == 2 * len(d)


def test_directions_never_measured_are_filled_with_zero_and_marked():
    d = direction_grid(math.radians(10))
    upper = d[d[:, 2] >= -1e-9]
    surface = LimitSurface.from_limits(upper, np.full(len(upper), 8.0))
    assert surface.measured.sum() == len(upper)
    assert (surface.radii[~surface.measured] == 0.0).all()
    below = rays(2000, 24)
    below = below[below[:, 2] < -0.05]
    assert (surface.radial(below) == 0.0).all()
    least = LimitSurface.from_limits(upper, np.full(len(upper), 8.0), fill="least")
    assert (least.radii[~least.measured] == 8.0).all()


def test_no_empty_cap_is_wider_than_the_largest_gap():
    d = rays(30, 25)
    gap = math.radians(25)
    surface = LimitSurface.from_limits(d[d[:, 0] > 0], np.ones((d[:, 0] > 0).sum()), max_gap=gap)
    probe = rays(5000, 26)
    nearest = np.arccos(np.clip((probe @ surface.directions.T).max(axis=1), -1, 1))
    assert nearest.max() <= gap + 1e-6


def adhesive_half() -> tuple[np.ndarray, np.ndarray]:
    d = direction_grid(math.radians(15))
    d = d[d[:, 2] <= 1e-9]
    return d, 5.0 + 3.0 * d[:, 0]


def test_unlimited_compression_continues_the_shear_limits_upwards():
    d, limits = adhesive_half()
    surface = LimitSurface.from_limits(d, limits, compression="unlimited")
    assert surface.unlimited_compression
    assert not surface.is_bounded
    assert math.isinf(surface.radial((0, 0, 1)))
    rim = np.abs(d[:, 2]) < 1e-9
    for height in (0.1, 10.0, 1e4):
        lifted = d[rim] * limits[rim, None] + [0.0, 0.0, height]
        assert surface.gauge(lifted) == pytest.approx(np.ones(rim.sum()))
    assert surface.radial(d) == pytest.approx(limits)


def test_capped_compression_ends_at_the_cap():
    d, limits = adhesive_half()
    surface = LimitSurface.from_limits(d, limits, compression=20.0)
    assert surface.is_bounded
    assert surface.vertices[:, 2].max() == pytest.approx(20.0)
    up = rays(3000, 27)
    up = up[up[:, 2] > 0]
    tips = up * surface.radial(up)[:, None]
    assert tips[:, 2].max() <= 20.0 + 1e-9
    free = LimitSurface.from_limits(d, limits, compression="unlimited")
    low = tips[:, 2] < 20.0 - 1e-6
    assert surface.gauge(tips[low]) == pytest.approx(free.gauge(tips[low]), rel=1e-6)


def test_measured_compression_is_not_overruled():
    d = direction_grid(math.radians(20))
    with pytest.raises(InputError, match="compression was measured"):
        LimitSurface.from_limits(d, np.ones(len(d)), compression="unlimited")


def test_a_function_of_the_direction_becomes_a_surface():
    def model(d: np.ndarray) -> np.ndarray:
        return 2.0 + d[:, 2]

    surface = LimitSurface.from_function(model, resolution=math.radians(5))
    probe = rays(2000, 28)
    assert surface.radial(probe) == pytest.approx(model(probe), rel=5e-3)
    assert (np.abs(surface.directions[:, 2]) < 1e-12).sum() >= 72
    own = rays(60, 29)
    assert LimitSurface.from_function(model, directions=own).radial(own) == pytest.approx(model(own))


# -- directions without data --------------------------------------------------------------------


def pulled(d: np.ndarray) -> np.ndarray:
    """Limits of an adhesive pad: 12 N sideways, 3 N straight off."""
    return 1.0 / np.hypot(np.hypot(d[:, 0], d[:, 1]) / 12.0, d[:, 2] / 3.0)


def below(count: int, seed: int) -> np.ndarray:
    d = rays(count, seed)
    d[:, 2] = -np.maximum(np.abs(d[:, 2]), 0.05)
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def test_pull_tests_alone_are_said_to_leave_out_pressing_and_with_it_pure_shear():
    d = below(200, 1)
    surface = LimitSurface.from_limits(d, pulled(d))
    assert (surface.radial(np.eye(3)[:2]) == 0.0).all()
    assert surface.missing == ("no test presses the contact",)
    assert "no test presses the contact" in repr(surface)
    note = surface.notes[0]
    assert "pure shear along +x, -x, +y, -y" in note
    assert "--compression unlimited" in note
    for side in ("inner", "outer"):
        assert decompose(surface, side=side, max_pieces=2).report.notes == surface.notes
    free = LimitSurface.from_limits(d, pulled(d), compression="unlimited")
    assert free.missing == ()
    assert (free.radial(np.eye(3)[:2]) > 8.0).all()


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ((0.0, -1.0, 0.0), "no test pulls sideways along -y"),
        ((1.0, 0.0, 0.0), "no test pulls sideways along +x"),
        ((0.0, 0.0, -1.0), "no test pulls straight off"),
        ((0.0, 0.0, 1.0), "no test presses straight onto the contact"),
        ((0.6, 0.6, -0.6), "no test pulls off at an angle along azimuth 45 deg"),
    ],
)
def test_a_gap_is_named_in_plain_words(missing, words):
    d = direction_grid(math.radians(8))
    centre = np.array(missing) / np.linalg.norm(missing)
    d = d[d @ centre < math.cos(math.radians(65))]
    surface = LimitSurface.from_limits(d, np.full(len(d), 5.0))
    assert surface.missing == (words,)
    assert "--fill least" in surface.notes[0]
    assert not LimitSurface.from_limits(direction_grid(), np.ones(len(direction_grid()))).missing


def test_what_is_missing_survives_the_file_and_the_bands(tmp_path):
    d = below(60, 2)
    surface = LimitSurface.from_limits(d, pulled(d), smoothing=0.05)
    surface.save(tmp_path / "s.json")
    again = LimitSurface.load(tmp_path / "s.json")
    assert (again.missing, again.smoothing) == (surface.missing, surface.smoothing)
    assert surface.inner.notes == surface.outer.notes == surface.notes == again.notes


# -- smoothing ----------------------------------------------------------------------------------


def ellipsoid(d: np.ndarray) -> np.ndarray:
    return 1.0 / np.linalg.norm(d / [9.0, 6.0, 4.0], axis=1)


def hook(d: np.ndarray) -> np.ndarray:
    """A surface with a sharp rim: nothing is held beyond 40 degrees of pull."""
    return np.where(d[:, 2] < -math.sin(math.radians(40)), 0.0, 10.0 + 5.0 * d[:, 0])


def trials(limit, count: int, noise: float, seed: int, repeats: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(directions, measured directions, measured limits)."""
    d = rays(count, seed)
    repeated = np.repeat(d, repeats, axis=0)
    scatter = np.random.default_rng(seed + 1).normal(1.0, noise, len(repeated))
    return d, repeated, np.maximum(0.0, limit(repeated) * scatter)


def error(surface: LimitSurface, limit) -> float:
    """Root mean square of the relative error at the directions with a limit."""
    true = limit(surface.directions)
    some = surface.measured & (true > 0.0)
    return float(np.sqrt(np.mean((surface.radii[some] / true[some] - 1.0) ** 2)))


@pytest.mark.parametrize("limit", [ellipsoid, hook])
def test_smoothing_by_repeated_trials_comes_nearer_to_the_truth(limit):
    gains = []
    for seed in range(6):
        _, d, limits = trials(limit, 200, 0.08, seed)
        plain = LimitSurface.from_limits(d, limits, smoothing=None)
        smooth = LimitSurface.from_limits(d, limits)
        assert smooth.smoothing is not None
        assert smooth.smoothing.share == pytest.approx(0.08, rel=0.25)
        assert "600 repeated trials of" in str(smooth.smoothing)
        gains.append(error(smooth, limit) / error(plain, limit))
    assert max(gains) < 1.0
    assert np.mean(gains) < 0.85


def test_smoothing_stays_within_the_trials_and_keeps_the_bands():
    _, d, limits = trials(hook, 150, 0.1, 3)
    plain = LimitSurface.from_limits(d, limits, smoothing=0)
    smooth = LimitSurface.from_limits(d, limits)
    assert not np.array_equal(plain.radii, smooth.radii)
    assert (plain.lower <= smooth.radii).all() and (smooth.radii <= plain.upper).all()
    assert np.array_equal(smooth.inner.radii, plain.inner.radii)
    assert np.array_equal(smooth.outer.radii, plain.outer.radii)
    assert np.array_equal(smooth.radii == 0.0, plain.radii == 0.0)
    change = np.abs(smooth.radii - plain.radii)[plain.radii > 0] / plain.radii[plain.radii > 0]
    assert smooth.smoothing.largest_change == pytest.approx(change.max())


def test_single_tests_are_smoothed_for_a_scatter_that_is_given():
    d = rays(300, 5)
    limits = ellipsoid(d) * np.random.default_rng(6).normal(1.0, 0.1, len(d))
    plain, smooth = (LimitSurface.from_limits(d, limits, smoothing=s) for s in ("auto", 0.1))
    assert np.array_equal(plain.radii, LimitSurface.from_limits(d, limits, smoothing=None).radii)
    assert str(plain.smoothing).startswith("not smoothed: too few tests were repeated")
    assert "--smoothing" in str(plain.smoothing)
    assert error(smooth, ellipsoid) < 0.75 * error(plain, ellipsoid)
    assert (np.abs(smooth.radii / plain.radii - 1.0) <= 0.2 + 1e-12).all()
    assert (smooth.lower <= plain.radii).all() and (plain.radii <= smooth.upper).all()


def test_a_few_chance_repeats_do_not_decide_the_scatter():
    d = rays(100, 9)
    d = np.vstack([d, d[:10]])
    limits = ellipsoid(d) * np.random.default_rng(10).normal(1.0, 0.05, len(d))
    surface = LimitSurface.from_limits(d, limits)
    assert surface.smoothing.share == 0.0
    assert "too few tests were repeated" in surface.notes[-1]


@pytest.mark.parametrize("off", [None, 0, 0.0])
def test_smoothing_can_be_switched_off(off):
    _, d, limits = trials(ellipsoid, 60, 0.1, 7)
    surface = LimitSurface.from_limits(d, limits, smoothing=off)
    assert np.array_equal(np.sort(surface.radii), np.sort(np.median(limits.reshape(-1, 3), axis=1)))
    assert str(surface.smoothing) == "not smoothed: switched off"


def test_trials_that_agree_are_left_alone():
    _, d, limits = trials(ellipsoid, 40, 0.0, 8)
    surface = LimitSurface.from_limits(d, limits)
    assert surface.radii == pytest.approx(ellipsoid(surface.directions), rel=1e-12)
    assert "agree" in str(surface.smoothing)


# -- outliers -----------------------------------------------------------------------------------


def test_a_trial_far_off_its_repeats_is_reported_and_kept():
    rng = np.random.default_rng(30)
    d = np.repeat(direction_grid(math.radians(20)), 4, axis=0)
    limits = 10.0 * (1.0 + 0.03 * rng.standard_normal(len(d)))
    limits[17] = 25.0
    surface = LimitSurface.from_limits(d, limits)
    trials = [o for o in surface.outliers if o.kind == "trial"]
    assert [o.row for o in trials] == [17]
    assert trials[0].limit == 25.0
    assert trials[0].expected == pytest.approx(10.0, rel=0.1)
    assert surface.upper.max() == 25.0


def test_a_spike_among_its_neighbours_is_reported_and_kept():
    d = direction_grid(math.radians(15))
    limits = 10.0 + d[:, 0]
    limits[40] *= 2.0
    surface = LimitSurface.from_limits(d, limits)
    assert [o.sample for o in surface.outliers if o.kind == "neighbours"] == [40]
    assert surface.radii[40] == limits[40]


def test_a_smooth_surface_has_no_outliers():
    d = direction_grid(math.radians(12))
    assert LimitSurface.from_limits(d, 10.0 + 3.0 * d[:, 0] - 2.0 * d[:, 2] ** 2).outliers == ()


# -- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "forces, kind, words",
    [
        ([], InputError, "shape"),
        ([[1.0, 2.0]], InputError, "shape"),
        ([[1.0, 0.0, math.nan]] * 5, InputError, "nan"),
        ([[1.0, 0.0, math.inf]] * 5, InputError, "inf"),
        ([["a", "b", "c"]], InputError, "numbers"),
        (np.vstack([np.eye(3), [[0.0, 0.0, 0.0]]]), InputError, r"forces\[3\].*pass directions="),
        (np.eye(3), GeometryError, "at least 4"),
        (np.tile(np.eye(3), (4, 1)), GeometryError, "only 3 different"),
        ([[math.cos(a), math.sin(a), 0.0] for a in range(12)], GeometryError, "one plane"),
        (np.eye(3)[[0, 1, 2, 0]] * 1e15 * [[1], [1], [1], [-1]], UnitError, "newtons"),
        (np.eye(3)[[0, 1, 2, 0]] * 1e-18 * [[1], [1], [1], [-1]], UnitError, "newtons"),
    ],
)
def test_unusable_samples_are_refused_with_reason(forces, kind, words):
    with pytest.raises(kind, match=words):
        LimitSurface.from_samples(forces)


def test_zero_limits_need_directions_and_forces_must_follow_them():
    d = direction_grid(math.radians(30))
    forces = d * 4.0
    forces[3] = 0.0
    surface = LimitSurface.from_samples(forces, directions=d)
    assert surface.radial(d[3]) == 0.0
    with pytest.raises(InputError, match=r"forces\[5\].*along"):
        LimitSurface.from_samples(np.where(np.arange(len(d))[:, None] == 5, -forces, forces), directions=d)


@pytest.mark.parametrize(
    "options, kind",
    [
        ({"fill": "zeros"}, UnknownNameError),
        ({"compression": "unlimitted"}, UnknownNameError),
        ({"compression": -4.0}, InputError),
        ({"max_gap": 30.0}, InputError),
        ({"merge_angle": -1.0}, InputError),
        ({"quantiles": (0.5, 0.1, 0.9)}, InputError),
        ({"smoothing": "repeats"}, UnknownNameError),
        ({"smoothing": -0.1}, InputError),
        ({"smoothing": 5.0}, InputError),
    ],
)
def test_wrong_options_are_refused(options, kind):
    with pytest.raises(kind):
        LimitSurface.from_limits(
            direction_grid(math.radians(30)), np.ones(len(direction_grid(math.radians(30)))), **options
        )


def test_the_nearest_option_is_suggested():
    with pytest.raises(UnknownNameError, match="did you mean 'unlimited'"):
        LimitSurface.from_limits(direction_grid(), np.ones(len(direction_grid())), compression="unlimitted")


def test_directions_that_leave_half_the_sphere_empty_are_refused():
    d = rays(60, 31)
    with pytest.raises(GeometryError, match="half of the sphere"):
        _ = LimitSurface(d[d[:, 2] > 0.3], np.ones((d[:, 2] > 0.3).sum())).mesh


def test_negative_limits_and_wrong_bands_are_refused():
    d = rays(20, 32)
    with pytest.raises(InputError, match=r"radii\[0\]"):
        LimitSurface(d, np.full(20, -1.0))
    with pytest.raises(InputError, match="outside its band"):
        LimitSurface(d, np.ones(20), lower=np.full(20, 2.0))
    with pytest.raises(InputError, match="no direction"):
        star(20, 1).radial(np.zeros(3))


# -- files --------------------------------------------------------------------------------------


def test_a_surface_is_read_back_as_it_was_written(tmp_path):
    d, limits = adhesive_half()
    limits[7] = 40.0
    surface = LimitSurface.from_limits(
        np.repeat(d, 3, axis=0), np.repeat(limits, 3), compression="unlimited", source="here"
    )
    surface.save(tmp_path / "surface.json")
    again = LimitSurface.load(tmp_path / "surface.json")
    for name in ("directions", "radii", "lower", "upper", "measured", "trials", "triangles"):
        assert np.array_equal(getattr(again, name), getattr(surface, name)), name
    assert again.outliers == surface.outliers
    assert again.outliers
    assert again.source == "here"
    assert json.loads((tmp_path / "surface.json").read_text())["units"]["limits"] == "N"


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda text: text[: len(text) // 2], "cut short"),
        (lambda text: "", "not JSON"),
        (lambda text: "[1, 2]", "not a limit surface"),
        (lambda text: text.replace('"version": 1', '"version": 99'), "version 99"),
        (lambda text: text.replace('"limits": "N"', '"limits": "lbf"'), "units"),
        (lambda text: text.replace('"radii"', '"radius"'), "radii: is missing"),
        (lambda text: text.replace('"triangles": [[', '"triangles": [[99999, 0, 1], ['), "closed surface"),
        (lambda text: text.replace('"radii": [', '"radii": ["x", '), "damaged"),
    ],
)
def test_damaged_and_foreign_files_are_refused_by_name(tmp_path, change, words):
    path = tmp_path / "s.json"
    star(20, 1).save(path)
    path.write_text(change(path.read_text()))
    with pytest.raises(FileError, match=words) as caught:
        LimitSurface.load(path)
    assert caught.value.path == path


def test_missing_and_binary_files_and_folders_are_refused(tmp_path):
    with pytest.raises(FileError, match="there is no such file"):
        LimitSurface.load(tmp_path / "none.json")
    (tmp_path / "b.json").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(FileError, match="not a text file"):
        LimitSurface.load(tmp_path / "b.json")
    with pytest.raises(FileError):
        LimitSurface.load(tmp_path)
    with pytest.raises(FileError, match="cannot be written"):
        star(20, 1).save(tmp_path / "no" / "such" / "folder.json")


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_change_of_a_file_is_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("surfaces") / "s.json"
    star(12, 1).save(path)
    text = path.read_text()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    path.write_text(text[:start] + data.draw(st.text('0123456789.-e[]{},:"nul aE', max_size=12)) + text[end:])
    with contextlib.suppress(FileError):
        assert isinstance(LimitSurface.load(path), LimitSurface)


@pytest.mark.parametrize(
    "corners", [np.vstack([np.eye(3), -np.eye(3)]), np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T]
)
def test_a_few_directions_all_around_are_no_gap(corners: np.ndarray) -> None:
    """The surface through the corners of an octahedron or a cube is that body; half of them leaves a gap."""
    surface = LimitSurface.from_samples(4.0 * corners)
    assert surface.measured.all() and len(surface.radii) == len(corners)
    np.testing.assert_allclose(
        surface.radial(corners / np.linalg.norm(corners, axis=1)[:, None]), 4.0 * np.linalg.norm(corners, axis=1)
    )
    above = LimitSurface.from_samples(
        4.0 * np.vstack([corners[corners[:, 2] >= 0], [[1, 1, 0.1], [-1, 0.5, 0.1], [0, -1, 0.1]]])
    )
    assert not above.measured.all()
    assert above.radial([[0.0, 0.0, -1.0]]) == 0.0
