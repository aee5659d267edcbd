"""The data of the paper's Figs. 3, 4, 5 and 7 to 11, from this project's models and devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import holdfast as hf
from holdfast.devices import (
    Device,
    TwoFingerDimensions,
    default_unit,
    four_finger_hand,
    two_finger_gripper,
    two_opposed_units,
)
from holdfast.solvers import Exact
from holdfast.wrench_spaces import Rays, Subspace, WrenchSpace, fitted_space, wrench_space
from studies.tables import TextTable, keep, parsed, parser

#: The two slices of every device (IV.C.a): forces through the centre of mass; forces in x-z with torques about y.
SLICES = ("fx,fy,fz", "fx,ty,fz")

#: Fineness of the slices: 10 * 4^4 + 2 = 2562 rays each.
LEVEL = 4

#: Default gap of the rays: 1 %, finer than a line on paper.
DRAWING = Exact(gap=1e-2, time_limit=5.0)

#: The devices of Figs. 7 to 11.
DEVICES: dict[int, Callable[[], Device]] = {
    7: lambda: two_opposed_units(corners="independent"),
    8: lambda: two_finger_gripper("D", "PMD", corners="independent"),
    9: lambda: two_finger_gripper("MD", "MD", corners="independent"),
    10: lambda: four_finger_hand("parallel", corners="independent"),
    11: lambda: four_finger_hand("opposed", corners="independent"),
}

#: What each figure shows.
TITLES: dict[int, str] = {
    3: "peg in a hole: admissible forces",
    4: "microspine unit: admissible forces and their pieces",
    5: "microspine unit: local limit surface",
    7: "two opposed units (2OU)",
    8: "two-finger gripper, distal / all three (2FG D-PMD)",
    9: "two-finger gripper, middle + distal / middle + distal (2FG MD-MD)",
    10: "four-finger hand (4FH parallel)",
    11: "four-finger hand (4FH opposed)",
}

#: Every figure that can be made, in order.
NUMBERS = tuple(TITLES)


@dataclass(frozen=True, eq=False)
class VolumeFigure:
    """Data of Figs. 3, 4 and 5: the forces of one contact.

    Attributes:
        number: number of the figure.
        volume: the admissible forces and their convex pieces (Figs. 3, 4), or None.
        surface: the local limit surface (Fig. 5), or None.
    """

    number: int
    volume: hf.ForceVolume | None = None
    surface: hf.LimitSurface | None = None


@dataclass(frozen=True, eq=False)
class SpaceFigure:
    """Data of Figs. 7 to 11: two slices of a device's wrench space, torques about the object's centre of mass.

    Attributes:
        number: number of the figure.
        device: the device.
        spaces: the slices by name, "fx,fy,fz" and "fx,ty,fz".
    """

    number: int
    device: Device
    spaces: Mapping[str, WrenchSpace]

    def reach(self, words: str) -> dict[str, tuple[float, float]]:
        """The exact extents of a slice along its axes, lowest and highest [N, N m]."""
        extents = self.spaces[words].extents
        return {
            label: (float(low), float(high)) for label, (low, high) in zip(extents.labels, extents.values, strict=True)
        }


FigureData = VolumeFigure | SpaceFigure


def figure_data(number: int, *, level: int = LEVEL, workers: int | None = None) -> FigureData:
    """The data of one figure of the paper.

    Args:
        number: 3, 4, 5, 7, 8, 9, 10 or 11.
        level: fineness of Figs. 7 to 11: 10 * 4^level + 2 rays per slice, spread evenly over an ellipsoid of its
            proportions; the paper uses a sphere, which resolves long and thin slices badly. The gap is 1 %, since some
            rays of the parallel hand take minutes for a gap of 1e-6.
        workers: number of threads; the number of cores by default.
    """
    if number in (3, 4):
        return VolumeFigure(number, volume=hf.models.peg_in_hole() if number == 3 else hf.models.microspine())
    if number == 5:
        return VolumeFigure(5, surface=hf.models.microspine_surface())
    device = DEVICES[number]()
    assembly = device.assembly()
    spaces = {}
    for words in SLICES:
        subspace = Subspace.named(words, length=assembly.length, about=device.object.com)
        spaces[words] = fitted_space(assembly, subspace, level, method=DRAWING, workers=workers).space
    return SpaceFigure(number, device, spaces)


# Effect of concavity: load limits of the convex hulls of the contacts' volumes, compared with those of the unions.

#: Rays along which the hulls hold less than this fraction of their largest limit are left out.
NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class ConcavityLoss:
    """The same rays computed twice: with each contact's union of pieces, and with its convex hull.

    Attributes:
        name: name of the assembly.
        union: the exact wrench space.
        hull: the wrench space of the hulls, which is never smaller.
    """

    name: str
    union: WrenchSpace
    hull: WrenchSpace

    def __repr__(self) -> str:
        return (
            f"ConcavityLoss({self.name!r}, mean {self.mean:.2%}, largest {self.largest:.2%}, volume {self.volume:.2%})"
        )

    @cached_property
    def counted(self) -> np.ndarray:
        """(n,) rays along which the hulls hold something finite."""
        values = self.hull.values
        most = float(values[np.isfinite(values)].max(initial=0.0))
        return np.isfinite(values) & (values > NOTHING * most)

    @cached_property
    def losses(self) -> np.ndarray:
        """(m,) relative loss (hull - exact) / hull for each counted ray."""
        hull, union = self.hull.values[self.counted], np.maximum(self.union.values[self.counted], 0.0)
        return np.clip(1.0 - union / hull, 0.0, 1.0)

    @property
    def mean(self) -> float:
        """Mean loss over the rays of a regular sphere, that is uniformly over all directions."""
        return float(self.losses.mean()) if len(self.losses) else 0.0

    @property
    def largest(self) -> float:
        """Loss along the worst ray."""
        return float(self.losses.max(initial=0.0))

    def near(self, direction: ArrayLike, half_angle: float) -> float:
        """Mean loss over the rays within `half_angle` [rad] of a direction (3,) of the slice's unit sphere."""
        towards = np.asarray(direction, dtype=np.float64)
        towards = towards / np.linalg.norm(towards)
        inside = self.hull.rays.unit_vectors[self.counted] @ towards >= np.cos(half_angle)
        return float(self.losses[inside].mean()) if inside.any() else 0.0

    @cached_property
    def volume(self) -> float:
        """Fraction of the hulls' volume that is not held."""
        whole = float(self.hull.volume)
        return 1.0 - float(self.union.volume) / whole if np.isfinite(whole) and whole > 0.0 else 0.0


def concavity(
    assembly: hf.Assembly,
    subspace: str = "fx,fy,fz",
    *,
    level: int = 3,
    method: Exact | None = None,
    workers: int | None = None,
) -> ConcavityLoss:
    """Overestimation of a slice of the wrench space by the hulls of the volumes, ray by ray and in volume.

    Args:
        assembly: contacts and joint rows.
        subspace: three of fx, fy, fz, tx, ty, tz about the world origin.
        level: level of the regular sphere of rays.
        method: the exact method with other limits.
        workers: number of threads; the number of cores by default.
    """
    rays = Rays.sphere(Subspace.named(subspace, length=assembly.length), level)
    union = wrench_space(assembly, rays, method=method, workers=workers)
    hull = wrench_space(assembly, rays, side="outer", method=method, workers=workers)
    return ConcavityLoss(assembly.name, union, hull)


def single_unit() -> hf.Assembly:
    """One default unit on top of an object, with loads in the middle of its face: four corners, no joints."""
    above = hf.Pose(np.diag([1.0, -1.0, -1.0]), np.zeros(3))
    unit = hf.Patch.rectangle(above, TwoFingerDimensions().unit_size, default_unit(), corners="independent")
    return hf.Assembly(unit.contacts, None, "one unit")


def figure_table(made: Sequence[FigureData]) -> TextTable:
    """What the slices span along their axes and hold, one line each."""
    lines = [(figure, words) for figure in made if isinstance(figure, SpaceFigure) for words in figure.spaces]
    columns: dict[str, Callable[[tuple[SpaceFigure, str]], Any]] = {
        "figure": lambda line: line[0].number,
        "device": lambda line: line[0].device.name,
        "slice": lambda line: line[1],
        "rays": lambda line: f"{len(line[0].spaces[line[1]]):,}",
        "undecided": lambda line: int((line[0].spaces[line[1]].status == hf.Status.UNDECIDED).sum()),
        "spans [N, N m]": lambda line: "; ".join(
            f"{label} {low:.3g} to {high:.3g}" for label, (low, high) in line[0].reach(line[1]).items()
        ),
        "volume": lambda line: f"{line[0].spaces[line[1]].volume:.3g}",
    }
    return TextTable.of("Slices of the wrench spaces (Figs. 7 to 11)", columns, lines, "Rays to a gap of 1 %.")


def concavity_table(found: Sequence[ConcavityLoss]) -> TextTable:
    """How much hulls overestimate, one column per assembly."""
    pull = (0.0, 0.0, -1.0)
    columns: dict[str, Callable[[ConcavityLoss], str]] = {
        "device": lambda one: one.name,
        "along the worst ray": lambda one: f"{one.largest:.2%}",
        "mean over all rays": lambda one: f"{one.mean:.2%}",
        "mean within 45 deg of a straight pull": lambda one: f"{one.near(pull, np.pi / 4.0):.2%}",
        "volume of the slice": lambda one: f"{one.volume:.2%}",
    }
    return TextTable.of("Overestimation by convex hulls", columns, found, "Force slice: (hull - exact) / hull.")


def main(words: Sequence[str] | None = None) -> None:
    """Compute and save all figures; a quick run has Figs. 3 and 7 with few rays."""
    from . import pictures

    options = parser(__doc__)
    options.add_argument("--level", type=int, default=LEVEL, help="10 * 4^level + 2 rays per slice")
    chosen = parsed(options, words)
    made = [
        figure_data(number, level=1 if chosen.quick else chosen.level)
        for number in ((3, 7) if chosen.quick else NUMBERS)
    ]
    gripper = partial(two_finger_gripper, corners="independent")
    joined = [] if chosen.quick else [two_opposed_units(corners="independent"), gripper("D", "D"), gripper("MD", "MD")]
    losses = [
        concavity(one, level=1 if chosen.quick else 3) for one in (single_unit(), *(d.assembly() for d in joined))
    ]
    tables = {"figures": figure_table(made), "concavity": concavity_table(losses)}
    drawn = {f"figure_{data.number:02d}": partial(pictures.paper_figure, data) for data in made}
    keep(Path(__file__), chosen.out, tables, drawn)


if __name__ == "__main__":
    main()
