from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import holdfast as hf
from holdfast.force_limits.files import MODEL_PARTS, PiecesPart, VolumeChoice

ADAPTER = TypeAdapter(VolumeChoice)


@pytest.mark.parametrize("info", hf.models.list(), ids=lambda info: info.name)
def test_the_fields_of_a_model_are_its_parameters_with_their_defaults(info: Any) -> None:
    part = MODEL_PARTS[info.name].model_validate({"model": info.name})
    given = part.model_dump(exclude={"model", "scale"})
    assert given == {parameter.name: parameter.default for parameter in info.parameters}
    fields = MODEL_PARTS[info.name].model_fields
    assert all(fields[parameter.name].description for parameter in info.parameters)


def test_models_that_come_as_points_have_no_scale() -> None:
    assert "scale" in MODEL_PARTS["coulomb"].model_fields
    assert "scale" not in MODEL_PARTS["soft_finger"].model_fields


def test_each_kind_is_known_by_its_field() -> None:
    made = ADAPTER.validate_python({"pieces": [[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]]})
    assert isinstance(made, PiecesPart)
    names = ["MeasurementsPart", "SurfacePart", "VolumeFilePart"]
    for field, name in zip(("measurements", "surface", "file"), names, strict=True):
        assert type(ADAPTER.validate_python({field: "x"})).__name__ == name


@pytest.mark.parametrize(
    "value",
    [
        {},
        3,
        None,
        {"measurement": "x"},
        {"model": "coulomb", "measurements": "x"},
        {"measurements": "x", "compression": "none"},
        {"measurements": "x", "compression": -1},
        {"measurements": "x", "decompose": {"pieces": 0}},
        {"measurements": "x", "decompose": {"pieces": 10**6}},
        {"measurements": ""},
        {"surface": "x", "band": "middle"},
        {"pieces": []},
        {"pieces": [[]]},
        {"pieces": [[[0, 0]]]},
        {"model": "microspine", "f0": None},
    ],
)
def test_what_is_no_volume_is_refused(value: Any) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(value)


@pytest.mark.parametrize("compression", ["measured", "unlimited", 100, 55.5])
def test_compression_is_a_word_or_a_cap(compression: Any) -> None:
    assert ADAPTER.validate_python({"measurements": "x", "compression": compression}).compression == compression
