"""Ready models by name: each is declared once, by `@model` with a table of its parameters.

From the table come the checks of the arguments, the entry in the list of models (`holdfast models`, the documentation)
and the fields of scene files.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from numpy.typing import ArrayLike

from ... import checks
from ...checks import Array, Side
from ...errors import InputError, UnknownNameError
from ...public_names import refused, with_advice
from ..volume import ForceVolume, Recipe
from .parameters import ACCURACY, MOST_FACETS, Accuracy, Quantity

if TYPE_CHECKING:
    from ..measurements import Measurements
    from .friction import PointPatch

Function = TypeVar("Function", bound=Callable[..., Any])

#: Angle between neighbouring sample directions of `from_function` when none is given [rad].
RESOLUTION = math.radians(10.0)


@dataclass(frozen=True)
class ModelParameter:
    """One parameter of a model.

    Attributes:
        name: keyword of the function.
        default: value when none is given; None usually means "no limit" or "same as another parameter".
        unit: SI unit, "1" for a pure number, "" for a choice of words.
        meaning: what it is.
    """

    name: str
    default: Any
    unit: str
    meaning: str


@dataclass(frozen=True)
class ModelSuspension:
    """The default stiffness and failure rule of a contact of a model.

    The values are those of one unit with the model's default parameters. They do not depend on the parameters: give the
    stiffness of your own contact where it matters.

    Attributes:
        normal: stiffness along the normal [N/m].
        tangential: stiffness within the surface, the same in all directions [N/m].
        rule: what happens when the force leaves the volume: "brittle", "slip" or "ductile".
        source: where the values come from.
        validity: for which contacts, and what is left out.
    """

    normal: float
    tangential: float
    rule: Literal["brittle", "slip", "ductile"]
    source: str
    validity: str

    def scaled(self, factor: float) -> ModelSuspension:
        """Both stiffnesses multiplied by `factor`: a share of the unit, or several units side by side."""
        return replace(self, normal=factor * self.normal, tangential=factor * self.tangential)


@dataclass(frozen=True)
class ModelInfo:
    """A ready model.

    Attributes:
        name: the name for `create` and for scene files.
        summary: the set of forces in one line, contact frame, f_z > 0 presses.
        convex: whether the set is convex.
        kind: "point" when the function returns a ForceVolume, "patch" when it returns a PointPatch: the
            points of a pad, each with its own ForceVolume.
        source: where the model comes from.
        validity: when it may be used, and what it leaves out.
        parameters: in the order of the function's signature.
        function: the function itself.
        suspension: default stiffness and failure rule of one unit.
    """

    name: str
    summary: str
    convex: bool
    kind: Literal["point", "patch"]
    source: str
    validity: str
    parameters: tuple[ModelParameter, ...]
    function: Callable[..., Any]
    suspension: ModelSuspension

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters, in order."""
        return tuple(parameter.name for parameter in self.parameters)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the function, as plain values."""
        data = {name: getattr(self, name) for name in ("name", "summary", "convex", "kind", "source", "validity")}
        parts = {"suspension": asdict(self.suspension), "parameters": [asdict(p) for p in self.parameters]}
        return data | parts


#: Every ready model by name, in the order of their definition.
MODELS: dict[str, ModelInfo] = {}


def model(
    summary: str,
    kind: Literal["point", "patch"] = "point",
    /,
    *,
    convex: bool,
    source: str,
    validity: str,
    suspension: ModelSuspension,
    **quantities: Quantity,
) -> Callable[[Function], Function]:
    """Declare a ready model: its arguments are checked by `quantities` and it is listed in `MODELS`.

    Volumes that it makes have a `recipe`, which `default_suspension` uses.

    Names, order and defaults of the parameters come from the signature; a parameter without a quantity is a KeyError
    at import. The function itself receives checked values. An `accuracy` is converted to `facets` before, so that
    functions ignore that parameter; giving both raises InputError.
    """

    def declare(function: Function) -> Function:
        signature = inspect.signature(function)
        defaults = {name: entry.default for name, entry in signature.parameters.items()}
        wanted = quantities.get("accuracy", ACCURACY)
        assert isinstance(wanted, Accuracy)

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:
                raise refused(function, len(args), kwargs) from None
            values = {name: quantities[name].checked(name, value) for name, value in given.items()}
            if (accuracy := values.pop("accuracy", None)) is not None:
                values |= wanted.counts(accuracy, values, defaults)
            made = function(**values)
            volume = made if isinstance(made, ForceVolume) else made.volume
            if volume.recipe is None:
                volume.recipe = Recipe(function.__name__, defaults | values)
            if volume is not made:
                volume.recipe = replace(volume.recipe, share=1.0 / len(made))
            return made

        parameters = tuple(
            ModelParameter(name, entry.default, quantities[name].unit, quantities[name].meaning)
            for name, entry in signature.parameters.items()
        )
        name = function.__name__
        MODELS[name] = ModelInfo(name, summary, convex, kind, source, validity, parameters, checked, suspension)
        return checked  # type: ignore[return-value]

    return declare


@with_advice()
def list_models() -> tuple[ModelInfo, ...]:
    """Every ready model with its parameters, units, source and limits of validity."""
    return tuple(MODELS.values())


@with_advice()
def get(name: str) -> ModelInfo:
    """The model called `name`; an unknown name raises UnknownNameError, which suggests the nearest."""
    checks.instance("model", name, str, fix="give the name of a model")
    if name not in MODELS:
        raise UnknownNameError("model", name, MODELS, where="model")
    return MODELS[name]


@with_advice()
def create(name: str, /, **parameters: Any) -> ForceVolume | PointPatch:
    """The model `name` with these parameters: a ForceVolume, or a PointPatch for models of kind "patch"."""
    info = get(name)
    for given in parameters:
        if given not in info.parameter_names:
            raise UnknownNameError(f"parameter of {name}", given, info.parameter_names, where=name)
    return info.function(**parameters)


@with_advice()
def default_suspension(volume: ForceVolume) -> ModelSuspension | None:
    """Default stiffness and failure rule of a contact with this volume; None if it is not from a ready model.

    A volume that was scaled, or that is one point of a pad, has its share of the stiffness of the model's unit. A union
    of models, a rotated or a capped volume has no default.
    """
    checks.instance("volume", volume, ForceVolume, fix="give a ForceVolume")
    recipe = volume.recipe
    return None if recipe is None else get(recipe.model).suspension.scaled(recipe.factor * recipe.share)


def with_polygons(volume: ForceVolume, side: Side, times: int = 1) -> ForceVolume:
    """The volume with inner or outer polygons of `times` as many facets; unchanged if it has no polygons.

    The inner one is contained in the curved volume, the outer one contains it. With more facets both are closer to it.
    """
    recipe = volume.recipe
    if recipe is None or not recipe.facets:
        return volume
    facets = min(times * recipe.facets, MOST_FACETS)
    if side == recipe.parameters["side"] and facets == recipe.facets:
        return volume
    return remade(volume, side=side, facets=facets)


def remade(volume: ForceVolume, **parameters: Any) -> ForceVolume:
    """The volume of a ready model with other parameters and the same scale; it must not be reshaped."""
    recipe = volume.recipe
    if recipe is None or recipe.reshaped:
        raise InputError("is not the volume of a ready model", where="volume", fix="give an unchanged or scaled model")
    made: Any = get(recipe.model).function(**{**recipe.parameters, **parameters})
    made = made if isinstance(made, ForceVolume) else made.volume
    made.recipe = replace(made.recipe, share=recipe.share)
    return made if recipe.factor == 1.0 else made.scaled(recipe.factor)


@with_advice()
def from_function(
    function: Callable[[Array], ArrayLike],
    *,
    side: Side = "inner",
    resolution: float = RESOLUTION,
    directions: ArrayLike | None = None,
    max_pieces: int = 6,
    source: str = "",
) -> ForceVolume:
    """The force volume of a model given as the limit force in every direction.

    `function` is sampled, the samples are joined by flat facets to a `LimitSurface`, and that is decomposed. "inner"
    and "outer" refer to the sampled surface: it is exact at the samples only, so choose directions where the
    model has its corners, or a fine `resolution`. The result's `report` states the error of the decomposition.

    Args:
        function: maps unit directions (n, 3) in the contact frame (z into the object) to limit forces (n,) [N];
            0 where no force is held, inf where there is no limit.
        side: "inner" (inside the true set) or "outer" (around it).
        resolution: angle between neighbouring sample directions [rad].
        directions: (n, 3) sample directions instead of the regular ones.
        max_pieces: most convex pieces.
        source: where the model comes from, in words.

    Returns:
        The volume in the contact frame.
    """
    from ..decomposition import decompose
    from ..surface import LimitSurface

    if not callable(function):
        fix = "give a function of directions (n, 3) -> limits (n,)"
        raise InputError(f"is a {type(function).__name__}", where="function", fix=fix)
    side = checks.side(side)
    count = checks.count("max_pieces", max_pieces)
    surface = LimitSurface.from_function(function, resolution=resolution, directions=directions, source=source)
    return decompose(surface, side=side, max_pieces=count)


@with_advice()
def preloaded(
    measured: Measurements | str | Path,
    preload: float,
    *,
    assume: str | None = None,
    level: Literal["inner", "nominal", "outer"] = "nominal",
    beyond: Literal["error", "largest"] = "error",
    **options: Any,
) -> ForceVolume:
    """The force volume of a contact whose strength depends on its preload, at one preload; by interpolation of tests.

    The tests at several preloads give a family of volumes. At a preload that was tested this is the volume of
    these tests; between two, the limit along each tested direction is interpolated linearly
    (`Measurements.at_preload`), and the volume is made of these limits.

    Args:
        measured: measurements with preloads, or a CSV file of them with a column `preload [N]`.
        preload: pressing force on the contact before it is loaded [N], within the range of the tests.
        assume: for tests along one axis: "segment", or a ready model whose parameters are among the `options`; see
            `Measurements.assuming`.
        level: which of repeated trials: the least, the median, or the greatest.
        beyond: above the largest preload tested: "error", or "largest" for the volume at that preload.
        options: with `assume` those of `Measurements.assuming`; else those of `LimitSurface.from_samples` and of
            `decompose`.

    Returns:
        The volume in the contact frame.
    """
    from ..decomposition import decompose
    from ..measurements import Measurements, checked_level, read_measurements
    from ..samples import SamplingOptions

    tests = measured if isinstance(measured, Measurements) else read_measurements(measured)
    here = tests.at_preload(preload, beyond=beyond)
    if assume is not None:
        return here.assuming(assume, level=level, **options)
    sampling: Any = {name: options.pop(name) for name in SamplingOptions.__annotations__ if name in options}
    surface = here.surface(**sampling)
    return decompose((surface.inner, surface, surface.outer)[checked_level(level)], **options)
