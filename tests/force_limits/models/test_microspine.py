"""The microspine unit: law, polyhedra, volumes, and the pieces kept in the package."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import holdfast as hf
from holdfast import HoldfastError
from holdfast.force_limits.models import MicrospineUnit, microspine, microspine_force, microspine_surface
from holdfast.force_limits.models.microspine import DEFAULT_PIECES, load_ready, save_ready

# -- unit ------------------------------------------------------------------------------------------

UNIT = MicrospineUnit()

CHECK_POINTS = {
    0: {0: 40.00, 5: 31.82, 8: 26.91, 15: 15.46, 20: 7.28, 25: 0.28},
    45: {0: 33.44, 5: 25.26, 8: 20.35, 15: 8.90, 20: 1.10},
    90: {0: 17.91, 5: 9.73, 8: 4.83, 15: 1.91},
    180: {0: 4.37, 5: 3.54, 8: 3.04, 15: 1.86},
}


def rays(seed, count):
    """Unit directions, half of them pulled at shallow angles."""
    d = np.random.default_rng(seed).normal(size=(count, 3))
    d[count // 2 :, 2] = -0.35 * np.abs(d[count // 2 :, 2])
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def integrated(phi, theta, unit):
    """(11) with (12) by numerical quadrature, written down again from the paper."""
    beta = math.asin(math.sin(unit.beta) * math.cos(theta))

    def by_contact(psi, inclination):
        return 1.0 if psi < inclination + math.pi / 2 - unit.alpha / 2 else unit.tip_decay

    def by_slip(angle, inclination):
        return math.cos(max(0.0, abs(angle - inclination) - math.atan(unit.mu_channel)))

    def asperities(angle, inclination):
        start = angle + math.pi / 2 - math.atan(unit.mu)
        if start >= unit.slope_limit:
            return 0.0
        kink = inclination + math.pi / 2 - unit.alpha / 2
        points = [kink] if start < kink < unit.slope_limit else None
        return quad(by_contact, start, unit.slope_limit, args=(inclination,), points=points, limit=200)[0]

    numerator = asperities(phi, beta) * by_slip(phi, beta)
    return unit.f0 * numerator / (asperities(0.0, unit.beta) * by_slip(0.0, unit.beta))


@pytest.mark.parametrize("theta", CHECK_POINTS)
def test_the_check_points_hold_to_the_printed_digits(theta):
    phi = np.radians(list(CHECK_POINTS[theta]))
    expected = list(CHECK_POINTS[theta].values())
    assert microspine_force(phi, math.radians(theta)) == pytest.approx(expected, abs=0.00501)


def test_the_largest_loading_angle_is_26_70_degrees():
    assert math.degrees(UNIT.phi_max) == pytest.approx(26.70, abs=0.005)


def test_peak_adhesion_is_4_235_newtons_at_12_1_degrees_with_19_70_newtons_of_shear():
    phi = np.linspace(0.0, UNIT.phi_max, 200001)
    force = microspine_force(phi, 0.0)
    best = np.argmax(force * np.sin(phi))
    assert force[best] * math.sin(phi[best]) == pytest.approx(4.235, abs=5e-4)
    assert math.degrees(phi[best]) == pytest.approx(12.1, abs=0.05)
    assert force[best] * math.cos(phi[best]) == pytest.approx(19.70, abs=0.005)


def test_nothing_holds_beyond_the_largest_loading_angle():
    phi = np.linspace(UNIT.phi_max, 0.5 * math.pi, 200)[:, None]
    theta = np.linspace(-math.pi, math.pi, 37)
    assert np.abs(microspine_force(phi, theta)).max() < 1e-12


def test_the_opposed_pair_data_are_met():
    shares = microspine_force(np.radians([4.7, 8.0, 11.5]), 0.0) / 40.0
    assert shares == pytest.approx([0.80, 0.68, 0.56], abs=0.035)


@pytest.mark.parametrize(
    "unit", [UNIT, MicrospineUnit(12.0, 0.4, 0.6, 0.5, 0.1, 0.2, 0.3, 1.8), MicrospineUnit(beta=0.0, tip_decay=1.0)]
)
def test_the_closed_form_is_the_integral(unit):
    for phi, theta in np.random.default_rng(3).uniform((0.0, -math.pi), (0.6, math.pi), (60, 2)):
        assert unit.force(phi, theta) == pytest.approx(integrated(phi, theta, unit), rel=1e-6, abs=1e-9)


def test_the_formula_is_vectorised_and_symmetric_about_the_shear_direction():
    phi, theta = np.radians([[0.0], [10.0], [20.0]]), np.radians([0.0, 30.0, 100.0, 170.0])
    table = microspine_force(phi, theta)
    assert table.shape == (3, 4)
    assert microspine_force(phi, -theta) == pytest.approx(table)
    assert table[1, 2] == pytest.approx(float(microspine_force(phi[1, 0], theta[2])))


def test_the_limit_in_the_contact_frame_puts_pull_and_push_together():
    pulled = [math.cos(math.radians(8)), 0.0, -math.sin(math.radians(8))]
    assert UNIT.limit([pulled, [0, 0, -1.0], [0, 0, 1.0]]) == pytest.approx([26.91, 0.0, 100.0], abs=0.005)
    pressed = UNIT.limit(np.array([0.8, 0.0, 0.6])) * np.array([0.8, 0.6])
    assert pressed[0] == pytest.approx(40.0 + 0.5 * pressed[1])


@pytest.mark.parametrize("phi", [-0.1, 2.0, math.nan, "steep"])
def test_loading_angles_outside_the_quarter_circle_are_refused(phi):
    with pytest.raises(HoldfastError, match="phi"):
        microspine_force(phi, 0.0)


@pytest.mark.parametrize(
    "bad",
    [
        {"f0": 0.0},
        {"f0": -40.0},
        {"f0": math.nan},
        {"f0": 1e20},
        {"beta": -0.1},
        {"beta": 15.0},
        {"alpha": 90.0},
        {"mu": -0.3},
        {"mu_channel": math.inf},
        {"mu_substrate": -1.0},
        {"tip_decay": 0.0},
        {"tip_decay": 1.5},
        {"slope_limit": 100.0},
        {"slope_limit": 1.0},
        {"cap": 0.0},
        {"side": "left"},
        {"pieces": 0},
    ],
)
def test_bad_parameters_are_named(bad):
    with pytest.raises(HoldfastError) as error:
        microspine(**bad)
    assert next(iter(bad)) in str(error.value)


def test_spines_that_would_leave_their_channels_are_refused():
    with pytest.raises(HoldfastError, match="beta"):
        MicrospineUnit(beta=1.4)


# -- the surface --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def surfaces():
    return {side: microspine_surface(side=side) for side in ("inner", "outer")}


def test_the_surfaces_enclose_the_formula_on_100_000_rays(surfaces):
    d = rays(1, 100_000)
    exact = UNIT.limit(d)
    assert (surfaces["inner"].radial(d) <= exact * (1 + 1e-9) + 1e-12).all()
    assert (surfaces["outer"].radial(d) >= exact * (1 - 1e-9) - 1e-12).all()


def test_the_inner_surface_is_exact_along_x_and_y(surfaces):
    d = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]]
    assert surfaces["inner"].radial(d) == pytest.approx([40.0, 17.91, 17.91, 4.37], abs=0.00501)


def test_the_inner_surface_is_close_to_the_formula_where_it_pulls(surfaces):
    d = rays(9, 50_000)
    pull = np.maximum(-d[:, 2], 0.0)
    lost = (UNIT.limit(d) - surfaces["inner"].radial(d)) * pull
    invented = (surfaces["outer"].radial(d) - UNIT.limit(d)) * pull
    assert lost.max() < 0.5
    assert invented.max() < 0.55


def test_the_inner_surface_has_the_peak_of_the_formula(surfaces):
    assert -surfaces["inner"].vertices[:, 2].min() == pytest.approx(4.235, abs=1e-3)


def test_the_inner_surface_has_no_force_beyond_the_largest_loading_angle(surfaces):
    d = rays(2, 50_000)
    beyond = np.arctan2(-d[:, 2], np.hypot(d[:, 0], d[:, 1])) > UNIT.phi_max
    assert beyond.sum() > 1000
    assert (surfaces["inner"].radial(d[beyond]) == 0.0).all()


def test_the_outer_surface_ends_at_the_dent_cone_too(surfaces):
    d = rays(3, 50_000)
    # Straight edges between two meridians lean past the cone, by less than a degree.
    beyond = np.arctan2(-d[:, 2], np.hypot(d[:, 0], d[:, 1])) > UNIT.phi_max + math.radians(1.0)
    assert (surfaces["outer"].radial(d[beyond]) == 0.0).all()


@pytest.mark.parametrize("side", ["inner", "outer"])
def test_the_cap_is_a_plane_facet(surfaces, side):
    surface = surfaces[side]
    assert surface.vertices[:, 2].max() == pytest.approx(100.0, rel=1e-12)
    d = rays(4, 5000)
    steep = d[d[:, 2] > 0.93]
    assert surface.radial(steep) * steep[:, 2] == pytest.approx(100.0, rel=1e-9)


@pytest.mark.parametrize("side", ["inner", "outer"])
def test_the_surface_is_symmetric_about_the_shear_direction(surfaces, side):
    d = rays(5, 2000)
    assert surfaces[side].radial(d * (1, -1, 1)) == pytest.approx(surfaces[side].radial(d), rel=1e-9, abs=1e-12)


def test_the_size_is_that_of_a_few_hundred_directions(surfaces):
    assert 250 <= len(surfaces["inner"].radii) <= 400
    assert 250 <= len(surfaces["outer"].radii) <= 400


def test_surfaces_grow_linearly_with_the_unit():
    d = rays(6, 3000)
    strong, weak = microspine_surface(MicrospineUnit(f0=80.0, cap=200.0)), microspine_surface()
    assert strong.radial(d) == pytest.approx(2.0 * weak.radial(d), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_other_units_are_enclosed_as_well(seed):
    rng = np.random.default_rng(seed)
    unit = MicrospineUnit(
        f0=rng.uniform(1.0, 500.0),
        beta=rng.uniform(0.0, 0.5),
        alpha=rng.uniform(0.0, 0.6),
        mu=rng.uniform(0.1, 0.8),
        mu_channel=rng.uniform(0.1, 0.8),
        mu_substrate=rng.uniform(0.0, 1.0),
        tip_decay=rng.uniform(0.05, 1.0),
        slope_limit=rng.uniform(1.55, 1.9),
        cap=rng.uniform(10.0, 1000.0),
    )
    d = rays(seed, 10_000)
    exact = unit.limit(d)
    assert (microspine_surface(unit).radial(d) <= exact * 1.01 + 1e-9).all()
    assert (microspine_surface(unit, side="outer").radial(d) >= exact * 0.99 - 1e-9).all()


@pytest.mark.parametrize("azimuths", [11, 13, 4, 10**6])
def test_odd_or_absurd_grids_are_refused(azimuths):
    with pytest.raises(HoldfastError, match="azimuths"):
        microspine_surface(azimuths=azimuths)


# -- the volume ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def inner():
    return microspine()


def test_the_default_unit_has_few_pieces_that_each_hold_the_zero_force(inner):
    assert 2 <= len(inner) <= 6
    assert inner.is_star_shaped


def test_the_inner_volume_invents_no_force(inner):
    d = rays(7, 30_000)
    excess = inner.radial(d) - UNIT.limit(d)
    assert excess.max() <= 1e-9 * inner.size
    assert inner.report.false_adhesion_newtons == pytest.approx(0.0, abs=1e-9)


def test_the_inner_volume_keeps_most_of_the_peak_and_of_the_shear(inner):
    assert inner.support([0.0, 0.0, -1.0]) >= 0.95 * 4.235
    assert inner.radial([1.0, 0.0, 0.0]) >= 0.95 * 40.0
    assert inner.radial([0.0, 1.0, 0.0]) >= 0.75 * 17.91
    assert inner.report.lost_adhesion_newtons < 1.0


def test_a_straight_pull_is_impossible_although_the_hull_admits_it(inner):
    assert inner.radial([0.0, 0.0, -1.0]) == pytest.approx(0.0, abs=1e-9)
    assert inner.hull().radial(np.array([0.0, 0.0, -1.0])) > 0.5


def test_a_pull_at_12_degrees_holds(inner):
    pull = (
        4.0
        / math.sin(math.radians(12.1))
        * np.array([math.cos(math.radians(12.1)), 0.0, -math.sin(math.radians(12.1))])
    )
    assert inner.contains(pull)


def test_the_outer_volume_loses_no_force():
    d = rays(8, 30_000)
    outer = microspine(side="outer")
    excess = outer.radial(d) - UNIT.limit(d)
    assert excess.min() >= -1e-9 * outer.size
    assert (excess * np.maximum(-d[:, 2], 0.0)).max() < 1.0


def test_the_same_parameters_give_the_same_object(inner):
    assert microspine() is inner
    assert microspine(40, side="inner") is inner


# -- ready pieces ----------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["inner", "outer"])
def test_the_kept_pieces_are_on_their_side_of_the_formula(side: str) -> None:
    volume, rays = load_ready(side), hf.loads.sphere_directions(20_000)
    limits, formula = volume.radial(rays), hf.models.MicrospineUnit().limit(rays)
    slack = 1e-9 * volume.size
    assert (limits <= formula + slack).all() if side == "inner" else (limits >= formula - slack).all()


def test_the_kept_outer_pieces_are_what_decompose_makes_today() -> None:
    made = hf.decompose(hf.models.microspine_surface(side="outer"), side="outer", max_pieces=DEFAULT_PIECES)
    kept = load_ready("outer")
    assert len(kept) == len(made)
    rays = hf.loads.sphere_directions(5_000)
    np.testing.assert_allclose(kept.radial(rays), made.radial(rays), rtol=1e-6, atol=1e-6 * kept.size)


def test_a_volume_survives_the_file(tmp_path) -> None:
    kept = load_ready("inner")
    save_ready(kept, tmp_path / "again.json")
    again = tmp_path / "again.json"
    assert again.read_text(encoding="utf-8").startswith('{"unit": "N"')
    assert kept.report is not None and kept.report.false_adhesion_newtons == 0.0
    assert hf.models.microspine().fingerprint == kept.fingerprint
