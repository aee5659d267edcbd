"""Pictures of the validation: predicted against measured loads, pulls of LEGO."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from holdfast.plotting import style

from .lego import LegoValidation
from .pushes import NEAR, PushValidation

#: Characters per line of a structure's name.
NAME_WIDTH = 12


def pushes(result: PushValidation, ax: Any = None) -> Any:
    """Predicted against measured force at which the part slid, with the friction estimated from the other sets."""
    axes = style.axes(ax, "plane")
    largest = 0.0
    for number, one in enumerate(result.sets):
        measured, predicted = one.sizes, one.sizes * result.scales[one.name]
        largest = max(largest, float(measured.max()), float(predicted.max()))
        label = f"{one.name}, friction {result.fitted[one.name]:.2f} N"
        axes.scatter(measured, predicted, s=14, color=style.colour(number), alpha=0.8, linewidths=0, label=label)
    ends = np.array([0.0, 1.05 * largest])
    axes.plot(ends, ends, color=style.INK, linewidth=style.THIN)
    axes.fill_between(ends, (1 - NEAR) * ends, (1 + NEAR) * ends, color=style.FAINT, alpha=0.3, linewidth=0, zorder=0)
    axes.set(xlim=ends, ylim=ends, xlabel="measured force [N]", ylabel="predicted force [N]")
    axes.set_aspect("equal")
    style.dress_plane(axes, title="force at which a part on three feet slides; band: 20 %")
    axes.legend(fontsize=style.SMALL, frameon=False, loc="upper left")
    return axes


def lego(result: LegoValidation, ax: Any = None) -> Any:
    """The pull of each interface of each structure, and the limit of a snap point; coloured by what happened.

    For whole structures only the largest pull is unique; other interfaces could share the load differently.
    """
    axes = style.axes(ax, "plane")
    for number, structure in enumerate(result.structures):
        pulls = sorted(result.pulls[structure.name].values())
        places = number - 0.4 + 0.8 * (np.arange(len(pulls)) + 0.5) / len(pulls)
        colour = style.VERDICT["holds" if structure.stands else "does not hold"]
        axes.bar(places, pulls, width=0.7 / len(pulls), color=colour, linewidth=0)
    axes.axhline(result.structures[0].pull, color=style.INK, linewidth=style.THIN)
    words = [f"{one.name.replace('_', ' ')}: {'stood' if one.stands else 'fell'}" for one in result.structures]
    names = [textwrap.fill(text, NAME_WIDTH) for text in words]
    axes.set_xticks(range(len(names)), names)
    axes.set_ylabel("largest pull of each interface [N]")
    style.dress_plane(axes, title="LEGO that stood or fell; line: 0.98 N, what a snap point carries")
    return axes
