"""The chapters on limits: along the axes, over slices of the wrench space, under scatter, and what they depend on."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import tolerances
from ..wrench_spaces.computation import extents_of
from ..wrench_spaces.space import slice_surface, volume_bounds
from . import drawings
from .contents import AXES, LoadAnswer, ReportContents, SliceAnswer
from .markup import Markup, element, number, picture, table, together

#: Shares of the specimens for which a load is told that they bear.
SHARES = (0.99, 0.95, 0.5)


def axes_chapter(contents: ReportContents) -> Markup:
    """The largest pure forces and torques, either way."""
    rows = []
    for (name, unit), (low, high) in zip(AXES.items(), contents.axes, strict=True):
        proof = "yes" if low.verify() and high.verify() else "no"
        rows.append((f"{name} [{unit}]", number(-low.value, 6), number(high.value, 6), proof))
    said = "Largest pure forces and torques on the object, without any weight; torques about the world origin."
    columns = ["axis", "lowest", "highest", "proof verified"]
    return together(element("h2", "Limits along the axes"), table(columns, rows, caption=said))


def slice_chapter(found: SliceAnswer) -> Markup:
    """One slice of the wrench space: its surface, extents, weakest and strongest load, volume."""
    surface, bounds = slice_surface(found.space), volume_bounds(found.space)
    labels, units = surface.subspace.labels, surface.subspace.units
    statuses = [str(status) for status in found.space.status]
    exact = statuses.count("optimal")
    others = {word: statuses.count(word) for word in ("unbounded", "does not hold", "undecided")}
    counts = ", ".join([f"{exact} exact", *(f"{count} {word}" for word, count in others.items() if count)])
    said = f"Loads that are held, over {', '.join(labels)}; {len(statuses)} rays: {counts}."
    parts = [element("h2", f"Wrench space: {', '.join(labels)}")]
    parts.append(picture(drawings.wrench_slice(found), said, describes=said, class_="picture tall"))
    extents = [
        (f"{row.label} [{row.unit}]", number(row.lowest, 6), number(row.highest, 6), "yes" if row.verified else "no")
        for row in extents_of(found.space).rows()
    ]
    parts.append(table(["axis", "lowest", "highest", "proof verified"], extents))
    rows = []
    for word, index in (("weakest", int(np.argmin(surface.radii))), ("strongest", int(np.argmax(surface.radii)))):
        finite = bool(np.isfinite(surface.radii[index]))
        load = surface.points[index] if finite else surface.units[index]
        name = word if finite else f"{word} (direction)"
        rows.append((name, number(float(surface.radii[index])), *(number(float(part)) for part in load)))
    columns = ["ray", "limit [N]", *(f"{label} [{unit}]" for label, unit in zip(labels, units, strict=True))]
    scale = f" Torques count over {number(found.space.length)} m." if "N m" in units else ""
    parts.append(table(columns, rows, caption=f"Loads at their limit.{scale}"))
    if np.isfinite(bounds.surface):
        most = f", at most {number(bounds.outer)}" if np.isfinite(bounds.outer) else ""
        parts.append(element("p", f"Volume within the sampled surface: {number(bounds.surface)} {bounds.unit}{most}."))
    if not found.space.star_shaped:
        words = "Joints demand forces, or pieces exclude zero: a load below its limit need not be held."
        parts.append(element("p", words))
    return together(*parts)


def certainty_chapter(contents: ReportContents) -> Markup:
    """The probability of holding each load, where the scene has scatter."""
    if contents.scene.scatter is None:
        return Markup("")
    told = "; ".join(f"{name} {_told(value)}" for name, value in contents.scene.scatter.to_dict().items() if value)
    count, seed = contents.options.samples, contents.options.seed
    intro = f"{count} specimens drawn with seed {seed} for each load. Scatter as the scene says: {told}."
    parts = [element("h2", "How surely it holds"), element("p", intro)]
    for load in contents.loads:
        parts.append(_certainty(load))
    return together(*parts)


def _certainty(load: LoadAnswer) -> Markup:
    chance = load.probability
    if chance is None:
        return Markup("")
    low, high = chance.interval
    words = (
        f"Of the specimens {number(100.0 * chance.value)} % hold; the probability is between {number(low)} and "
        f"{number(high)} with {100.0 * chance.confidence:g} % confidence."
    )
    parts = [element("h3", load.words), element("p", words)]
    if load.samples is not None:
        if np.isfinite(load.samples.values).any():
            said = "Load limits of the specimens, in multiples of the load."
            parts.append(picture(drawings.specimens(load.samples), said, describes=said, class_="picture tall"))
        rows = []
        for share in SHARES:
            found = load.samples.quantile(1.0 - share)
            rows.append((f"{100.0 * share:g} %", *(_loads(x) for x in (found.value, *found.interval))))
        parts.append(table(["of the specimens", "hold [loads]", "from", "to"], rows))
    return together(*parts)


def _told(value: Any) -> str:
    """What a scene says of one scatter, without brackets: "normal, mean 1, variation 0.1"."""
    if isinstance(value, dict):
        return ", ".join(str(entry) if name == "kind" else f"{name} {_told(entry)}" for name, entry in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_told(entry) for entry in value)
    return number(value) if isinstance(value, float) else str(value)


def _loads(multiple: float) -> str:
    """A multiple of the load; what too few specimens leave open is not known."""
    if multiple == float("-inf"):
        return "–"
    return number(0.0 if abs(multiple) <= tolerances.GAP else multiple)


def sensitivity_chapter(contents: ReportContents) -> Markup:
    """What the limit of the first load depends on."""
    if contents.tornado is None:
        return Markup("")
    found, name = contents.tornado, contents.loads[0].words
    rows = []
    for bar in found.bars[: drawings.MOST_BARS]:
        parameter = bar.derivative.parameter
        amount = f"{100 * bar.amount:.3g} %" if parameter.is_share else f"{bar.amount:.3g} {parameter.unit}"
        rows.append((bar.label, amount, number(bar.down), number(bar.up)))
    limit = number(found.sensitivity.value, 6)
    intro = f"The limit of the load {name}, where links weigh nothing, is {limit} loads. By its slopes, it changes:"
    drawn = picture(drawings.bars(found), "The most important parameters.", describes="Bars of changes of the limit")
    rest = len(found.bars) - len(rows)
    more = [element("p", f"{rest} parameters matter less.", class_="quiet")] if rest > 0 else []
    listed = table(["parameter", "change", "less [loads]", "more [loads]"], rows)
    return together(element("h2", "What the limit depends on"), element("p", intro), drawn, listed, *more)
