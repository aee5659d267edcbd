from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import holdfast as hf
from holdfast.scenes.device_schema import DeviceChoice

ADAPTER = TypeAdapter(DeviceChoice)


@pytest.mark.parametrize("info", hf.devices.list(), ids=lambda info: info.name)
def test_the_fields_of_a_device_are_its_parameters_with_their_defaults(info: Any) -> None:
    given = ADAPTER.validate_python({"kind": info.name}).model_dump(exclude={"kind"})
    expected = {p.name: list(p.default) if isinstance(p.default, tuple) else p.default for p in info.parameters}
    assert given == expected


@pytest.mark.parametrize(
    "value",
    [
        {"kind": "3FG"},
        {"kind": "2FG", "left": "DM"},
        {"kind": "2FG", "unit_size": [0.01]},
        {"kind": "2FG", "radius": "large"},
        {"kind": "4FH", "fingers": "crossed"},
        {"kind": "2OU", "left": "D"},
        {},
        "2FG",
    ],
)
def test_what_is_no_device_is_refused(value: Any) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(value)
