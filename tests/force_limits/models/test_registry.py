"""The table of ready models, and models made of a function."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

import holdfast as hf
from holdfast import HoldfastError
from holdfast.errors import InputError, UnknownNameError
from holdfast.force_limits.models import ModelInfo, PointPatch, from_function

# -- table -----------------------------------------------------------------------------------------

NAMES = [info.name for info in hf.models.list()]


def volume_of(made):
    return made.volume if isinstance(made, PointPatch) else made


def test_every_model_of_the_table_is_there():
    assert {
        "coulomb",
        "pyramid",
        "soft_finger",
        "microspine",
        "directional_microspine",
        "gecko",
        "gecko_two_way",
        "dry_adhesive",
        "suction",
        "suction_ring",
        "magnet",
        "peg_in_hole",
        "cardboard",
    } == set(NAMES)
    assert isinstance(hf.models.list(), tuple)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_and_defaults_are_those_of_the_function(name):
    info = hf.models.get(name)
    assert isinstance(info, ModelInfo)
    signature = inspect.signature(getattr(hf.models, name))
    assert info.function is getattr(hf.models, name)
    assert list(info.parameter_names) == list(signature.parameters)
    for parameter in info.parameters:
        assert parameter.default == signature.parameters[parameter.name].default
        assert parameter.default is not inspect.Parameter.empty
        assert parameter.meaning
        assert parameter.unit in ("N", "m", "rad", "1", "N m", "")


@pytest.mark.parametrize("name", NAMES)
def test_every_model_tells_its_set_its_source_and_its_limits(name):
    info = hf.models.get(name)
    assert info.summary
    assert info.source
    assert info.validity
    assert isinstance(info.convex, bool)
    assert info.function.__doc__


@pytest.mark.parametrize("name", NAMES)
def test_create_with_defaults_gives_a_star_shaped_volume_with_the_zero_force(name):
    info = hf.models.get(name)
    made = hf.models.create(name)
    assert isinstance(made, PointPatch if info.kind == "patch" else hf.ForceVolume)
    volume = volume_of(made)
    assert volume.is_star_shaped
    assert volume.contains(np.zeros(3))


@pytest.mark.parametrize("name", NAMES)
def test_convex_is_said_of_exactly_the_models_whose_union_is_its_hull(name):
    volume = volume_of(hf.models.create(name))
    rng = np.random.default_rng(1)
    points = np.concatenate([p.truncated().vertices for p in volume.polytopes])
    pairs = points[rng.integers(0, len(points), (4000, 2))]
    filled = volume.contains(pairs.mean(axis=1), tolerance=1e-7)
    assert bool(filled.all()) is hf.models.get(name).convex


def test_create_passes_parameters_on():
    made = hf.models.create("coulomb", mu=0.3, cap=12.0)
    assert made.support([[1.0, 0, 0], [0, 0, 1.0]]) == pytest.approx([3.6, 12.0])


@pytest.mark.parametrize(
    ("wrong", "nearest"), [("colomb", "coulomb"), ("microspines", "microspine"), ("gekko", "gecko")]
)
def test_an_unknown_model_suggests_the_nearest(wrong, nearest):
    with pytest.raises(UnknownNameError) as error:
        hf.models.get(wrong)
    assert error.value.nearest == nearest
    assert set(error.value.choices) == set(NAMES)
    with pytest.raises(UnknownNameError):
        hf.models.create(wrong)


def test_an_unknown_parameter_suggests_the_nearest():
    with pytest.raises(UnknownNameError) as error:
        hf.models.create("magnet", atraction=3.0)
    assert error.value.nearest == "attraction"
    assert "magnet" in str(error.value)


@pytest.mark.parametrize("name", [None, 3, ["coulomb"]])
def test_a_name_must_be_text(name):
    with pytest.raises(InputError):
        hf.models.get(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [math.nan, -1.0, 1e300, "much", None, [1.0]])
def test_nonsense_in_the_first_parameter_is_refused(name, value):
    first = hf.models.get(name).parameters[0].name
    with pytest.raises(InputError, match=first):
        hf.models.create(name, **{first: value})


# -- custom ----------------------------------------------------------------------------------------


def ball(directions):
    return np.full(len(directions), 10.0)


def lobes(directions):
    """Two balls that touch at the origin, along +x and -x, on a small core: star-shaped, not convex."""
    return 1.0 + 10.0 * np.abs(directions[:, 0])


def rays(seed, count=5000):
    d = np.random.default_rng(seed).normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def test_a_convex_model_becomes_one_piece_within_the_error_of_its_facets():
    volume = from_function(ball, resolution=math.radians(15.0))
    radius = volume.radial(rays(1))
    assert (radius <= 10.0 + 1e-9).all()
    assert (radius >= 9.5).all()
    assert len(volume) == 1


@pytest.mark.parametrize("side", ["inner", "outer"])
def test_a_model_that_is_not_convex_keeps_its_side_of_the_sampled_surface(side):
    from holdfast import LimitSurface

    d = rays(2)
    surface = LimitSurface.from_function(lobes, resolution=math.radians(30.0)).radial(d)
    volume = from_function(lobes, side=side, resolution=math.radians(30.0), max_pieces=6)
    sign = 1.0 if side == "inner" else -1.0
    assert (sign * (volume.radial(d) - surface)).max() <= 1e-6 * 11.0
    assert len(volume) <= 6
    assert volume.is_star_shaped


def test_directions_of_ones_own_are_used():
    corners = np.array([[x, y, z] for x in (-1.0, 1) for y in (-1.0, 1) for z in (-1.0, 1)])
    volume = from_function(lambda d: np.full(len(d), math.sqrt(3.0)), directions=corners)
    assert volume.volume == pytest.approx(8.0, rel=1e-6)


@pytest.mark.parametrize(
    "bad",
    [
        {"function": 3.0},
        {"function": lambda d: np.full(len(d), math.nan)},
        {"function": lambda d: -np.ones(len(d))},
        {"function": lambda d: np.ones(3)},
        {"function": lambda d: np.zeros(len(d))},
        {"side": "somewhere"},
        {"max_pieces": 0},
        {"resolution": -1.0},
    ],
)
def test_bad_functions_and_options_are_refused(bad):
    with pytest.raises(HoldfastError):
        from_function(**({"function": ball} | bad))


# -- default suspensions ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_model_has_a_default_suspension_with_its_source(name):
    gives = hf.models.get(name).suspension
    assert 10.0 <= gives.tangential <= gives.normal * 10.0 <= 1e9
    assert gives.rule in ("brittle", "slip", "ductile")
    assert min(len(gives.source), len(gives.validity)) > 20
    assert hf.models.get(name).to_dict()["suspension"]["normal"] == gives.normal
    if not hf.models.get(name).convex:
        assert gives.rule != "slip"  # no flow rule was measured for unions


@pytest.mark.parametrize("name", NAMES)
def test_a_volume_knows_the_default_of_its_model(name):
    made = hf.models.create(name)
    points = len(made) if isinstance(made, PointPatch) else 1
    unit, volume = hf.models.get(name).suspension, volume_of(made)
    for part, share in ((volume, 1.0), (volume.scaled(0.5).scaled(0.5), 0.25), (volume.stretched(1.2, 0.8), 1.0)):
        gives = hf.models.default_suspension(part)
        assert gives.normal == pytest.approx(share * unit.normal / points)
        assert gives.tangential == pytest.approx(share * unit.tangential / points)
        assert (gives.rule, gives.source) == (unit.rule, unit.source)


def test_what_no_model_made_has_no_default():
    cone = hf.models.coulomb(0.5, cap=10.0)
    others = [
        hf.ForceVolume([cone.pieces[0]]),
        cone.union(cone),
        cone.rotated(np.diag([-1.0, -1.0, 1.0])),
        cone.capped([0, 0, 1], 5.0),
    ]
    assert [hf.models.default_suspension(volume) for volume in others] == [None] * 4
    with pytest.raises(InputError, match="volume"):
        hf.models.default_suspension(hf.models.soft_finger())


def test_hard_contacts_follow_hertz_and_mindlin():
    """Hertz: F = 4/3 E* sqrt(R) x^1.5, differentiated numerically at 10 N; Mindlin: 2 (1 - nu)/(2 - nu)."""
    steel, aluminium = (210e9, 0.3), (70e9, 0.33)
    modulus = 1.0 / sum((1.0 - nu**2) / e for e, nu in (steel, aluminium))
    radius = 0.005

    def force(x):
        return 4.0 / 3.0 * modulus * math.sqrt(radius) * x**1.5

    x = (10.0 / (4.0 / 3.0 * modulus * math.sqrt(radius))) ** (2.0 / 3.0)
    slope = (force(1.001 * x) - force(0.999 * x)) / (0.002 * x)
    gives = hf.models.get("coulomb").suspension
    assert gives.normal == pytest.approx(slope, rel=0.1)
    assert gives.tangential / gives.normal == pytest.approx(1.4 / 1.7, rel=0.01)


def test_pads_and_spines_follow_the_figures_of_their_sources():
    finger, film = (hf.models.get(name).suspension for name in ("soft_finger", "gecko"))
    area = math.pi * 0.010**2
    assert finger.normal == pytest.approx(3 * 50e3 * area / 0.006, rel=0.05)
    assert finger.tangential == pytest.approx(50e3 * area / 0.006, rel=0.05)
    assert film.normal == pytest.approx(60e3 * 0.025**2 / 0.006, rel=0.05)
    assert film.tangential == pytest.approx(30e3 * 0.025**2 / 0.006, rel=0.05)
    spines = hf.models.get("microspine").suspension
    assert (spines.normal, spines.tangential) == pytest.approx((40 * 15.0, 40 * 72.56), rel=0.01)
    iron = hf.models.get("magnet").suspension
    assert iron.normal == pytest.approx(100.0 / (0.5 * 10e-6))


def test_volumes_without_polygons_stay_as_they_are_when_polygons_are_refined():
    from holdfast.force_limits.models.registry import with_polygons

    for volume in (hf.models.gecko(), hf.models.microspine(), hf.models.coulomb(0.5).stretched(1.1)):
        assert volume.recipe is not None
        assert with_polygons(volume, "outer", 2) is volume
    assert with_polygons(hf.models.coulomb(0.5), "outer", 2).recipe.facets == 32
    for pad in (hf.models.suction_ring(points=5), hf.models.soft_finger(points=6)):
        finer = with_polygons(pad.volume.scaled(0.5), "outer", 2)
        assert hf.models.default_suspension(finer) == hf.models.default_suspension(pad.volume.scaled(0.5))


# -- accuracy --------------------------------------------------------------------------------------

ROUND = [info.name for info in hf.models.list() if "facets" in info.parameter_names]

#: Of each model: parameters, a normal force, and the shear limit in every direction at that force, in closed form.
SHEAR = {
    "coulomb": ({"mu": 0.4}, 1.0, 0.4),
    "suction": ({"vacuum": 30.0, "mu": 0.4}, 0.0, 12.0),
    "magnet": ({"attraction": 80.0, "mu": 0.3}, 0.0, 24.0),
    "suction_ring": ({"vacuum": 40.0, "mu": 0.5, "points": 8}, 0.0, 2.5),
    "peg_in_hole": ({"shear": 50.0}, 10.0, 50.0),
    "dry_adhesive": ({"shear": 20.0, "adhesion": 5.0}, 0.0, 20.0),
    "soft_finger": ({"mu": 0.5, "points": 400}, 1.0, 0.5),
    "cardboard": ({"mu": 0.6}, 1.0, 0.6),
}


def shear_limits(volume, normal, azimuths):
    """(n,) the largest shear along each azimuth at the normal force, by bisection of `contains`."""
    rays = np.column_stack([np.cos(azimuths), np.sin(azimuths), np.zeros_like(azimuths)])
    low, high = np.zeros(len(rays)), np.full(len(rays), 100.0)
    for _ in range(40):
        middle = 0.5 * (low + high)
        inside = volume.contains(middle[:, None] * rays + [0.0, 0.0, normal], tolerance=1e-12)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return low


def test_every_round_model_has_an_accuracy():
    assert set(ROUND) == set(SHEAR)
    assert all("accuracy" in hf.models.get(name).parameter_names for name in ROUND)


@pytest.mark.parametrize("side", ["inner", "outer"])
@pytest.mark.parametrize("name", ROUND)
def test_the_error_stays_within_the_accuracy_and_takes_its_side(name, side):
    parameters, normal, exact = SHEAR[name]
    volume = volume_of(hf.models.create(name, **parameters, side=side, accuracy=0.01))
    error = shear_limits(volume, normal, np.linspace(0.0, 0.5 * np.pi, 37)) / exact - 1.0
    if side == "inner":
        assert -0.01 <= error.min() <= -0.003  # not many more facets than it takes
        assert error.max() <= 1e-9
    else:
        assert 0.003 <= error.max() <= 0.01
        assert error.min() >= -1e-9


@pytest.mark.parametrize("accuracy", [0.2, 0.05, 0.02, 0.002, 1e-4, 1.1e-5])
def test_facets_are_the_fewest_of_a_multiple_of_four(accuracy):
    inner, outer = (hf.models.coulomb(0.5, accuracy=accuracy, side=side).recipe.facets for side in ("inner", "outer"))
    assert inner % 4 == outer % 4 == 0
    assert 1.0 - math.cos(math.pi / inner) <= accuracy < 1.0 - math.cos(math.pi / (inner - 4))
    assert 1.0 / math.cos(math.pi / outer) - 1.0 <= accuracy < 1.0 / math.cos(math.pi / (outer - 4)) - 1.0


def test_a_body_on_three_feet_slides_at_friction_times_weight_within_the_accuracy():
    feet = [(0.1, 0.0, 0.0), (-0.05, 0.08, 0.0), (-0.05, -0.08, 0.0)]
    weight = [0.0, 0.0, -10.0, 0.0, 0.0, 0.0]
    sliding = {}
    for given in ({"facets": 16}, {"accuracy": 0.002}):
        volume = hf.models.coulomb(0.3, **given)
        assembly = hf.Assembly([hf.Contact(foot, np.eye(3), volume) for foot in feet])
        pushes = [[math.cos(a), math.sin(a), 0.0, 0.0, 0.0, 0.0] for a in np.radians([3.0, 11.25, 40.0])]
        sliding["facets" in given] = np.array([hf.load_ramp(assembly, weight, push).value for push in pushes])
    assert sliding[True].min() == pytest.approx(3.0 * math.cos(math.pi / 16), rel=1e-5)  # 1.9 % low
    assert (sliding[False] >= 3.0 * 0.998).all()
    assert (sliding[False] <= 3.0 * (1.0 + 1e-6)).all()


def test_a_soft_finger_takes_points_and_facets_from_its_accuracy():
    finger = hf.models.soft_finger(0.5, 0.005, accuracy=0.01)
    assert (len(finger), finger.volume.recipe.facets) == (16, 32)
    d = np.random.default_rng(3).normal(size=(400, 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    rays = np.column_stack([d[:, :2] * 0.5, np.ones(len(d)), d[:, 2] * 0.005])
    for share, side in ((0.99, "inner"), (1.0, "outer")):
        made = hf.models.soft_finger(0.5, 0.005, accuracy=0.01, side=side).limit_set
        assert made.contains(rays * [share, share, 1.0, share], tolerance=1e-9).all()
        beyond = share * 1.0102 * np.array([1.0, 1.0, 1.0 / (share * 1.0102), 1.0])
        assert not made.contains(rays * beyond, tolerance=1e-9).any()


def test_an_accuracy_goes_with_scaling_and_finer_polygons():
    from holdfast.force_limits.models.registry import with_polygons

    volume = hf.models.magnet(50.0, 0.4, accuracy=0.01).scaled(0.5)
    assert volume.recipe.facets == 24
    assert with_polygons(volume, "outer", 2).recipe.facets == 48


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"accuracy": 0.01, "facets": 16}, "accuracy: is given with facets .*or facets"),
        ({"accuracy": 1e-6}, "720 facets reach 9.5e-06 .give at least 1e-05"),
        ({"accuracy": 0.0}, "accuracy: is 0"),
        ({"accuracy": 2.0}, "accuracy: is 2"),
        ({"accuracy": math.nan}, "accuracy"),
        ({"accuracy": "fine"}, "accuracy"),
    ],
)
def test_accuracies_that_make_no_sense_are_refused(given, words):
    with pytest.raises(InputError, match=words):
        hf.models.create("coulomb", **given)


def test_too_few_points_for_an_accuracy_are_reported():
    with pytest.raises(InputError, match="0.019 .give at least 0.02 or more points than 8"):
        hf.models.soft_finger(accuracy=0.01, points=8)
    with pytest.raises(UnknownNameError, match="accuracy"):
        hf.models.create("gecko", accuracy=0.01)
