"""Draw the pictures of docs/pictures.md into docs/pictures.

Run from the repository root: python tools/make_pictures.py [name ...]
Without names all are drawn. The same versions give identical files.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import holdfast as hf
from holdfast import plotting
from holdfast.devices import PULL, PUSH

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "pictures"
DATA = ROOT / "src" / "holdfast" / "data" / "microspine_unit.csv"
GRAVITY = 9.80665
DPI = 130  # of most; what has many fine lines gets more
FINE = {"microspine_volume": 200, "models": 130}
LARGEST = 200_000  # bytes; a picture above that keeps 256 colours


@cache
def unit(side: str = "inner") -> hf.ForceVolume:
    """The default microspine unit, decomposed."""
    return hf.models.microspine(side=side)


@cache
def measured() -> hf.LimitSurface:
    """The surface through the measurements that come with the package."""
    m = hf.read_measurements(DATA)
    return hf.LimitSurface.from_limits(m.directions, m.limits)


def panels(
    columns: int, size: tuple[float, float], projection: str | None = None, rows: int = 1
) -> tuple[Figure, list[Any]]:
    """A figure of equal panels."""
    figure = Figure(figsize=size)
    count = rows * columns
    return figure, [figure.add_subplot(rows, columns, k + 1, projection=projection) for k in range(count)]


def microspine_volume() -> Figure:
    """Two views of the admissible forces of a microspine unit, as in the paper's Fig. 4."""
    figure, (left, right) = panels(2, (10.4, 4.8), "3d")
    hf.force_limits.plots.force_volume(unit(), left, reach=20.0, view=(28, -55), title="from above", opacity=1.0)
    hf.force_limits.plots.force_volume(
        unit(), right, reach=6.0, view=(-42, -75), title="from below: the dent", opacity=1.0
    )
    figure.subplots_adjust(wspace=0.12)
    return figure


def microspine_section() -> Figure:
    """The dent in the section through shear and normal, and the inner and outer volumes there."""
    figure, (left, right) = panels(2, (9.6, 3.9))
    surface = hf.models.microspine_surface()
    things = [surface, unit("inner"), unit("outer"), unit("outer").hull()]
    labels = ["limit surface", "inner volume", "outer volume", "convex hull"]
    hf.force_limits.plots.section(
        things, "xz", left, labels=labels, window=((-8, 44), (-5.5, 2.5)), title="adhesive side"
    )
    hf.force_limits.plots.section(
        things, "xz", right, labels=labels, window=((-6, 9), (-1.7, 0.6)), title="the dent, closer"
    )
    left.get_legend().remove()
    handles, names = right.get_legend_handles_labels()
    right.get_legend().remove()
    figure.subplots_adjust(wspace=0.24, bottom=0.23)
    figure.legend(handles, names, loc="lower center", ncols=4, fontsize=8, frameon=False)
    return figure


def microspine_pieces() -> Figure:
    """The whole in space, and each of the six pieces in the section through shear and normal."""
    return hf.force_limits.plots.piece_sheet(unit(), reach=20.0, window=((-12, 52), (-7, 12)), view=(28, -55))


def measured_surface() -> Figure:
    """The measurements that come with the package, as a limit surface."""
    figure, (left, right) = panels(2, (10.0, 4.8), "3d")
    hf.force_limits.plots.limit_surface(
        measured(), left, title=f"{len(measured().radii)} directions, three trials each"
    )
    hf.force_limits.plots.limit_surface(
        measured(), right, reach=20.0, view=(35, -50), title="forces up to 20 N of pressing"
    )
    figure.subplots_adjust(wspace=0.0)
    return figure


def gaps() -> Figure:
    """Measurements without pressing and without one side; assumed parts are grey."""
    m = hf.read_measurements(DATA)
    kept = (m.directions[:, 2] < 0.3) & ~((m.directions[:, 0] < -0.3) & (m.directions[:, 1] > 0.5))
    surface = hf.LimitSurface.from_limits(m.directions[kept], m.limits[kept], compression=30.0)
    return hf.force_limits.plots.limit_surface(surface, view=(24, -118)).get_figure()


def bands() -> Figure:
    """The scatter of three trials per direction, in the section through shear and normal."""
    return hf.force_limits.plots.bands(measured(), window=((-8, 48), (-6, 8))).get_figure()


def models() -> Figure:
    """Every ready model with its default parameters."""
    listed = hf.models.list()
    columns = 4
    rows = -(-len(listed) // columns)
    figure, axes = panels(columns, (3.1 * columns, 3.0 * rows), "3d", rows)
    for ax, info in zip(axes, listed, strict=False):
        made = unit() if info.name == "microspine" else info.function()
        volume = made if isinstance(made, hf.ForceVolume) else made.volume
        points = "" if info.kind == "point" else f", 1 of {len(made)} points"
        title = f"{info.name}{points}"
        hf.force_limits.plots.force_volume(volume, ax, title=title, reach=25.0 if info.name == "microspine" else None)
        for name in "xyz":
            getattr(ax, f"set_{name}label")("")
        ax.tick_params(labelsize=5.5, pad=-2)
        ax.title.set_fontsize(9)
    for ax in axes[len(listed) :]:
        ax.set_axis_off()
    note = (
        "Forces on the object [N], one colour per convex piece.\n"
        "x (shear) red, y (lateral) green, z (normal, into the object) blue.\n"
        "Below z = 0 the contact pulls: adhesion.\n"
        "Black arrows: open, no limit. The microspine unit is cut off at 25 N;\n"
        "its pressing forces go on to 100 N."
    )
    figure.text(0.42, 0.12, note, ha="left", va="center", fontsize=11, linespacing=1.7)
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.02, top=0.97, wspace=0.06, hspace=0.16)
    return figure


def held(device: hf.devices.Device, gravity: tuple[float, float, float], **look: Any) -> Figure:
    """A device with the forces that hold its object, or the motion in which it is lost."""
    g = GRAVITY * np.asarray(gravity) / np.linalg.norm(gravity)
    result = hf.equilibrium(device.assembly(g), device.weight(g))
    return hf.assembly.plots.assembly(device, result=result, **look).get_figure()


def two_opposed_units() -> Figure:
    """2OU lifting its object."""
    return held(hf.devices.two_opposed_units(unit=unit()), (0, 0, -1))


def two_finger_gripper() -> Figure:
    """2FG in the condition D-PMD at its limit against a straight pull."""
    device = hf.devices.two_finger_gripper("D", "PMD", unit=unit())
    limit = hf.load_limit(device.assembly(), PULL)
    return hf.assembly.plots.assembly(device, result=limit, view=(16, -75)).get_figure()


def two_finger_lets_go() -> Figure:
    """2FG in the condition D-PMD under gravity straight down: it does not hold."""
    return held(hf.devices.two_finger_gripper("D", "PMD", unit=unit()), (0, 0, -1), view=(16, -75))


def four_finger_hand() -> Figure:
    """4FH with opposed fingers, at its limit against a straight pull."""
    device = hf.devices.four_finger_hand("opposed", unit=unit())
    limit = hf.load_limit(device.assembly(), PULL)
    return hf.assembly.plots.assembly(device, result=limit, view=(24, -58)).get_figure()


def gravity_sweep() -> Figure:
    """2FG turned round: the conditions MD-MD and D-PMD over 72 directions of gravity."""
    figure, axes = panels(2, (9.6, 5.2), "polar")
    count = 72
    angles = 2.0 * np.pi * np.arange(count) / count
    for ax, (left, right) in zip(axes, (("MD", "MD"), ("D", "PMD")), strict=True):
        device = hf.devices.two_finger_gripper(left, right, unit=unit())
        statuses, factors = [], []
        for direction in hf.loads.circle_directions(count):
            assembly, weight = device.assembly(GRAVITY * direction), device.weight(GRAVITY * direction)
            statuses.append(hf.equilibrium(assembly, weight).status)
            factors.append(hf.load_limit(assembly, weight).value)
        hf.statics.plots.gravity_polar(angles, statuses, factors, ax, title=device.name)
    figure.subplots_adjust(wspace=0.3)
    return figure


def load_limits() -> Figure:
    """Pull, push and sideways limits of the devices."""
    directions = {"pull": PULL, "push": PUSH, "across (x)": (1, 0, 0, 0, 0, 0), "along (y)": (0, 1, 0, 0, 0, 0)}
    devices = [
        hf.devices.two_opposed_units(unit=unit()),
        hf.devices.two_finger_gripper("D", "PMD", unit=unit()),
        hf.devices.two_finger_gripper("MD", "MD", unit=unit()),
    ]
    limits = {
        device.name: {name: hf.load_limit(device.assembly(), w).value for name, w in directions.items()}
        for device in devices
    }
    return hf.statics.plots.load_limits(limits, log=True).get_figure()


def utilisation() -> Figure:
    """How much of its strength each contact of a gripper uses at its limit."""
    device = hf.devices.two_finger_gripper("D", "MD", unit=unit())
    limit = hf.load_limit(device.assembly(), PULL)
    return hf.statics.plots.utilisation(hf.diagnose(limit)).get_figure()


@cache
def shared() -> tuple[hf.devices.Device, hf.sharing.LoadSharing]:
    """The two-finger gripper with all its units on the object, under a weight that grows."""
    device, gravity = hf.devices.two_finger_gripper("PMD", "PMD", unit=unit()), (0, 0, -GRAVITY)
    return device, hf.load_sharing(device.assembly(gravity), device.weight(gravity))


def load_sharing() -> Figure:
    """The force of each unit of a gripper against the load factor, with events."""
    return hf.sharing.plots.forces_against_factor(shared()[1], title=shared()[0].name).get_figure()


def failure_order() -> Figure:
    """The same gripper, its units numbered by the order in which they fail."""
    device, result = shared()
    return hf.sharing.plots.failure_order(result, device).get_figure()


@cache
def slice_of(name: str, axes: str, **options: Any) -> hf.wrench_spaces.WrenchSpace:
    """A slice of the wrench space of a device; rays are added where its surface bends."""
    device = hf.devices.create(name, unit=unit(), **options)
    return hf.wrench_space(
        device.assembly(), axes, refinement=hf.wrench_spaces.Refinement(tolerance=0.03, rounds=5, most=9000)
    )


def slices(name: str, views: tuple[tuple[float, float], tuple[float, float]], **options: Any) -> Figure:
    """The slices (fx, fy, fz) and (fx, ty, fz) of a device side by side, as in the paper's Figs. 7 to 11."""
    figure, axes = panels(2, (10.4, 4.9), "3d")
    for ax, coordinates, view in zip(axes, ("fx,fy,fz", "fx,ty,fz"), views, strict=True):
        hf.wrench_spaces.plots.wrench_space(slice_of(name, coordinates, **options), ax, view=view)
    figure.subplots_adjust(wspace=0.06)
    return figure


def wrench_space_2ou() -> Figure:
    """Two slices of the wrench space of 2OU."""
    return slices("2OU", ((18, -50), (22, -60)))


def wrench_space_2fg() -> Figure:
    """Two slices of the wrench space of 2FG in the condition D-PMD."""
    return slices("2FG", ((22, -60), (22, -60)), left="D", right="PMD")


def wrench_space_4fh() -> Figure:
    """Two slices of the wrench space of 4FH with opposed fingers."""
    return slices("4FH", ((22, -60), (22, -60)), fingers="opposed")


def wrench_sections() -> Figure:
    """Sections through the slices of 2OU at levels of fy, and of ty."""
    figure, (left, right) = panels(2, (9.8, 4.4))
    hf.wrench_spaces.plots.wrench_sections(slice_of("2OU", "fx,fy,fz"), left)
    hf.wrench_spaces.plots.wrench_sections(slice_of("2OU", "fx,ty,fz"), right)
    figure.subplots_adjust(wspace=0.24, bottom=0.23)
    return figure


def wrench_difference() -> Figure:
    """4FH with opposed fingers against parallel ones: where each is stronger."""
    opposed, parallel = (hf.devices.four_finger_hand(kind, unit=unit()).assembly() for kind in ("opposed", "parallel"))
    figure, axes = panels(2, (11.4, 4.8), "3d")
    for ax, coordinates in zip(axes, ("fx,fy,fz", "fx,ty,fz"), strict=True):
        first = hf.wrench_space(opposed, coordinates, refinement=hf.wrench_spaces.Refinement(tolerance=0.05, rounds=2))
        change = first.difference(hf.wrench_space(parallel, first.rays))
        hf.wrench_spaces.plots.wrench_difference(change, ax, names=("opposed", "parallel"))
    figure.subplots_adjust(wspace=0.1)
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    f.__name__: f
    for f in (
        microspine_volume,
        microspine_section,
        microspine_pieces,
        measured_surface,
        gaps,
        bands,
        models,
        two_opposed_units,
        two_finger_gripper,
        two_finger_lets_go,
        four_finger_hand,
        gravity_sweep,
        load_limits,
        utilisation,
        load_sharing,
        failure_order,
        wrench_space_2ou,
        wrench_space_2fg,
        wrench_space_4fh,
        wrench_sections,
        wrench_difference,
    )
}


def main(names: list[str]) -> None:
    """Draw the named pictures, or all."""
    unknown = sorted(set(names) - set(PICTURES))
    if unknown:
        raise SystemExit(f"unknown: {', '.join(unknown)}; known: {', '.join(PICTURES)}")
    TARGET.mkdir(parents=True, exist_ok=True)
    for name in names or PICTURES:
        path = plotting.save(PICTURES[name](), TARGET / f"{name}.png", dpi=FINE.get(name, DPI))
        if path.stat().st_size > LARGEST:
            full = Image.open(path).convert("RGB")
            full.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
