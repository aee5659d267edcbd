"""The data of the paper's Figs. 3, 4, 5 and 7 to 11, from this project's models and devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from holdfast import checks, tolerances
from holdfast.assembly import Patch
from holdfast.assembly.assembly import Assembly
from holdfast.checks import Array, BoolArray
from holdfast.errors import UnknownNameError
from holdfast.force_limits import models
from holdfast.force_limits.surface import LimitSurface
from holdfast.force_limits.volume import ForceVolume
from holdfast.geometry.frames import Pose
from holdfast.solvers import Exact, Status
from holdfast.wrench_spaces import Rays, Subspace, WrenchSpace, wrench_space
from holdfast.wrench_spaces.comparison import fitted_space
from .devices import Device, four_finger_hand, two_finger_gripper, two_opposed_units
from .devices.grippers import TwoFingerDimensions, default_unit
from .tables import kept

Progress = Callable[[int, int], None]

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
    volume: ForceVolume | None = None
    surface: LimitSurface | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"figure": self.number, "title": TITLES[self.number], "rays": 0, "undecided": 0, "read": []}


@dataclass(frozen=True, eq=False)
class SpaceFigure:
    """Data of Figs. 7 to 11: two slices of a device's wrench space, torques about the object's centre of mass.

    Attributes:
        number: number of the figure.
        device: the device.
        spaces: the slices by name, "fx,fy,fz" and "fx,ty,fz".
        read: the slices that were read from files instead of computed.
    """

    number: int
    device: Device
    spaces: Mapping[str, WrenchSpace]
    read: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        spaces = self.spaces.values()
        return {
            "figure": self.number,
            "title": TITLES[self.number],
            "rays": sum(len(space) for space in spaces),
            "undecided": sum(int((space.status == Status.UNDECIDED).sum()) for space in spaces),
            "read": list(self.read),
            "reach": {words: self.reach(words) for words in self.spaces},
        }

    def reach(self, words: str) -> dict[str, tuple[float, float]]:
        """The exact extents of a slice along its axes, lowest and highest [N, N m]."""
        extents = self.spaces[words].extents
        return {
            label: (float(low), float(high)) for label, (low, high) in zip(extents.labels, extents.values, strict=True)
        }


FigureData = VolumeFigure | SpaceFigure


def figure_data(
    number: int,
    *,
    level: int = LEVEL,
    folder: Path | None = None,
    method: Exact | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> FigureData:
    """The data of one figure of the paper.

    Args:
        number: 3, 4, 5, 7, 8, 9, 10 or 11.
        level: fineness of Figs. 7 to 11: 10 * 4^level + 2 rays per slice, spread evenly over an ellipsoid of its
            proportions; the paper uses a sphere, which resolves long and thin slices badly.
        folder: folder of stored slices (.h5 files); a matching file is read instead of computed again.
        method: the exact method with other limits; with a gap of 1 % by default, since some rays of the parallel hand
            take minutes for a gap of 1e-6.
        workers: number of threads; the number of cores by default.
        progress: called as progress(done, total) with the number of rays.
    """
    if number not in TITLES:
        raise UnknownNameError("figure", str(number), [str(known) for known in NUMBERS], where="number")
    if number in (3, 4):
        return VolumeFigure(number, volume=models.peg_in_hole() if number == 3 else models.microspine())
    if number == 5:
        return VolumeFigure(5, surface=models.microspine_surface())
    depth = checks.count("level", level, low=0)
    device = _device(number)
    assembly = device.assembly()
    spaces: dict[str, WrenchSpace] = {}
    read: list[str] = []
    count, solver = 10 * 4**depth + 2, method or DRAWING
    for index, words in enumerate(SLICES):
        subspace = Subspace.named(words, length=assembly.length, about=device.object.com)
        report = _shifted(progress, index * count, len(SLICES) * count)
        options = {"method": solver, "workers": workers, "progress": report}
        spaces[words], known = kept(
            None if folder is None else folder / space_file(number, words),
            partial(_fitting, assembly=assembly, subspace=subspace, count=count, gap=solver.gap),
            lambda subspace=subspace, options=options: fitted_space(assembly, subspace, depth, **options).space,
            WrenchSpace.save,
        )
        read += [words] if known else []
    return SpaceFigure(number, device, spaces, tuple(read))


def space_file(number: int, words: str) -> str:
    """The name of the file of one slice of a figure."""
    return f"figure_{number:02d}_{words.replace(',', '_')}.h5"


@cache
def _device(number: int) -> Device:
    return DEVICES[number]()


def _fitting(path: Path, assembly: Assembly, subspace: Subspace, count: int, gap: float) -> WrenchSpace | None:
    """The slice in a file, if it has the same contacts, joints and axes, and is as fine and as accurate."""
    space = WrenchSpace.load(path, assembly=assembly)
    own = space.subspace
    if own is None or own.labels != subspace.labels or len(space) != count or space.side != "inner":
        return None
    same = np.allclose(own.axes, subspace.axes) and np.allclose(own.scales, subspace.scales)
    decided = space.status == Status.OPTIMAL
    apart = space.upper_bounds[decided] - space.values[decided]
    close = bool((apart <= (gap + tolerances.GAP) * np.abs(space.values[decided])).all())
    return space if same and close and space.model_hash == assembly.fingerprint else None


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
    def counted(self) -> BoolArray:
        """(n,) rays along which the hulls hold something finite."""
        values = self.hull.values
        most = float(values[np.isfinite(values)].max(initial=0.0))
        return np.isfinite(values) & (values > NOTHING * most)

    @cached_property
    def losses(self) -> Array:
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
    assembly: Assembly,
    subspace: str = "fx,fy,fz",
    *,
    level: int = 3,
    method: Exact | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ConcavityLoss:
    """Overestimation of a slice of the wrench space by the hulls of the volumes, ray by ray and in volume.

    Args:
        assembly: contacts and joint rows.
        subspace: three of fx, fy, fz, tx, ty, tz about the world origin.
        level: level of the regular sphere of rays.
        method: the exact method with other limits.
        workers: number of threads; the number of cores by default.
        progress: called as progress(done, total) with the number of rays.
    """
    rays = Rays.sphere(Subspace.named(subspace, length=assembly.length), level)
    total = 2 * len(rays)
    union = wrench_space(assembly, rays, method=method, workers=workers, progress=_shifted(progress, 0, total))
    hull = wrench_space(
        assembly, rays, side="outer", method=method, workers=workers, progress=_shifted(progress, len(rays), total)
    )
    return ConcavityLoss(assembly.name, union, hull)


def single_unit() -> Assembly:
    """One default unit on top of an object, with loads in the middle of its face: four corners, no joints."""
    above = Pose(np.diag([1.0, -1.0, -1.0]), np.zeros(3))
    unit = Patch.rectangle(above, TwoFingerDimensions().unit_size, default_unit(), corners="independent")
    return Assembly(unit.contacts, None, "one unit")


def _shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Reports the progress of a part of the work as progress of the whole."""
    return None if progress is None else lambda done, _: progress(before + done, total)
