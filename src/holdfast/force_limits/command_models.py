"""`holdfast models`: the ready contact models, and all about one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.options import JsonOption, PlotOption
from ..console.output import emit, say, table
from ..errors import InputError

if TYPE_CHECKING:
    from .models import ModelInfo


def models(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A model, for its details.")] = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """The ready contact models; with a name its parameters, source, limits of validity and picture."""
    from . import models as room

    if name is None:
        if plot is not None:
            raise InputError("needs the name of a model", where="--plot", fix="holdfast models NAME --plot FILE")
        _show_all(room.list(), json)
        return
    info = room.get(name)
    if json:
        emit({"command": "models", "model": _data(info)})
    else:
        _show(info)
    if plot is not None:
        _draw(info, plot)


def _data(info: ModelInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "summary": info.summary,
        "convex": info.convex,
        "kind": info.kind,
        "source": info.source,
        "validity": info.validity,
        "parameters": [
            {"name": p.name, "default": p.default, "unit": p.unit, "meaning": p.meaning} for p in info.parameters
        ],
    }


def _show_all(infos: tuple[ModelInfo, ...], json: bool) -> None:
    if json:
        emit({"command": "models", "models": [_data(info) for info in infos]})
        return
    rows = [(info.name, "yes" if info.convex else "no", info.kind, info.summary) for info in infos]
    table(["model", "convex", "kind", "forces in the contact frame (f_z > 0 presses)"], rows)
    say("holdfast models NAME tells more; in a scene file: volumes: {name: {model: NAME, ...}}")


def _show(info: ModelInfo) -> None:
    say(info.name, style="bold")
    say(info.summary)
    say(f"convex: {'yes' if info.convex else 'no'}")
    say(f"kind: {'one point' if info.kind == 'point' else 'a pad of points'}")
    say(f"source: {info.source}")
    say(f"valid: {info.validity}")
    rows = [(p.name, _default(p.default), p.unit if p.unit != "1" else "-", p.meaning) for p in info.parameters]
    table(["parameter", "default", "unit", "meaning"], rows)


def _default(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _draw(info: ModelInfo, path: Any) -> None:
    from .. import plotting
    from ..console.pictures import save
    from .models import PointPatch

    made = info.function()
    volume = made.volume if isinstance(made, PointPatch) else made
    title = f"{info.name}, one point of {len(made)}" if isinstance(made, PointPatch) else info.name
    save(plotting.force_volume(volume, title=title), path)
