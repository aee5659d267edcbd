"""The table of ready models: complete, true to the functions, and usable by name."""

import inspect
import math

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.force_limits.models import ModelInfo, PointPatch

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
