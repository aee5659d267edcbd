"""What a model tells about itself: parameters, units, source, limits of validity."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Parameter:
    """One parameter of a model.

    Attributes:
        name: keyword of the function.
        default: value when none is given; None usually means "no limit" or "as another parameter".
        unit: SI unit, "1" for a pure number, "" for a choice of words.
        meaning: what it is.
    """

    name: str
    default: Any
    unit: str
    meaning: str


@dataclass(frozen=True)
class ModelInfo:
    """A ready model.

    Attributes:
        name: the name for `create` and for scene files.
        summary: the set of forces in one line, contact frame, f_z > 0 presses.
        parameters: in the order of the function's signature.
        convex: whether the set is convex.
        source: where the model comes from.
        validity: when it may be used, and what it leaves out.
        kind: "point" when the function returns a ForceVolume, "patch" when it returns a PointPatch: the
            points of a pad, each with its own ForceVolume.
        function: the function itself.
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    convex: bool
    source: str
    validity: str
    kind: Literal["point", "patch"]
    function: Callable[..., Any]

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters, in order."""
        return tuple(parameter.name for parameter in self.parameters)


def describe(
    function: Callable[..., Any],
    parameters: Mapping[str, tuple[str, str]],
    *,
    summary: str,
    convex: bool,
    source: str,
    validity: str,
    kind: Literal["point", "patch"] = "point",
) -> ModelInfo:
    """ModelInfo of `function`, with names, order and defaults from its signature.

    `parameters` gives (unit, meaning) for each; one that is left out is a KeyError at import.
    """
    listed = tuple(
        Parameter(name, entry.default, *parameters[name])
        for name, entry in inspect.signature(function).parameters.items()
    )
    return ModelInfo(function.__name__, summary, listed, convex, source, validity, kind, function)


#: (unit, meaning) of parameters that several models share.
FACETS = ("1", "facets of the polygon that stands for the circle or ellipse around the normal")
CAP = ("N", "largest pressing force f_z; None for no limit")
SIDE = ("", "inner: nothing invented; outer: nothing lost")
