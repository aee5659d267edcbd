"""What a scene file may say about a ready device; the fields are its parameters, from the list of devices."""

# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportOperatorIssue=false, reportArgumentType=false

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from ..files.parts import Name, Number, Part, by_field
from ..papers import devices
from ..papers.devices import DeviceInfo, DeviceParameter


def _parameter_field(parameter: DeviceParameter) -> tuple[Any, Any]:
    unit = f" [{parameter.unit}]" if parameter.unit else ""
    default, annotation = parameter.default, Number
    if parameter.choices:
        annotation = Literal[parameter.choices]
    elif isinstance(default, tuple):
        annotation = Annotated[list[Number], Field(min_length=len(default), max_length=len(default))]
        default = list(default)
    return annotation, Field(default, description=f"{parameter.meaning}{unit}")


def _device_part(info: DeviceInfo) -> type[Part]:
    fields: dict[str, Any] = {parameter.name: _parameter_field(parameter) for parameter in info.parameters}
    fields["unit"] = (Name | None, Field(None, description="one of volumes: that of one unit; microspines by default"))
    return create_model(
        f"{info.name}_device",
        __base__=Part,
        __doc__=info.summary,
        kind=(Literal[info.name], Field(description=info.summary)),
        **fields,
    )


DeviceChoice = by_field("kind", {info.name: _device_part(info) for info in devices.list()}, "device")
