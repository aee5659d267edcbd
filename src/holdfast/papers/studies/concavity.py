"""How much is lost to concavity: what the convex hulls of the contacts' volumes would hold, and what the unions do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...assembly import Patch
from ...assembly.assembly import Assembly
from ...checks import Array, BoolArray
from ...geometry.frames import Pose
from ...solvers import Exact
from ...wrench_spaces import Rays, Subspace, WrenchSpace, wrench_space
from ..devices import two_finger_gripper, two_opposed_units
from ..devices.two_finger import TwoFingerDimensions
from ..devices.unit import default_unit

#: Rays along which the hulls hold less than this share of their most are left out: a ratio of two zeros says nothing.
NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class Concavity:
    """The same rays asked twice: with each contact's union of pieces, and with its convex hull.

    Attributes:
        name: of the assembly.
        union: the exact wrench space.
        hull: that of the hulls, which is never smaller.
    """

    name: str
    union: WrenchSpace
    hull: WrenchSpace

    def __repr__(self) -> str:
        return f"Concavity({self.name!r}, mean {self.mean:.2%}, largest {self.largest:.2%}, volume {self.volume:.2%})"

    @cached_property
    def counted(self) -> BoolArray:
        """(n,) rays along which the hulls hold something finite."""
        values = self.hull.values
        most = float(values[np.isfinite(values)].max(initial=0.0))
        return np.isfinite(values) & (values > NOTHING * most)

    @cached_property
    def losses(self) -> Array:
        """(m,) of each ray that counts, the share (hull - exact)/hull of what the hulls would hold."""
        hull, union = self.hull.values[self.counted], np.maximum(self.union.values[self.counted], 0.0)
        return np.clip(1.0 - union / hull, 0.0, 1.0)

    @property
    def mean(self) -> float:
        """Mean loss over the rays of a regular sphere, that is over all directions alike."""
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
        """Share of the slice's volume that the hulls invent."""
        whole = float(self.hull.volume)
        return 1.0 - float(self.union.volume) / whole if np.isfinite(whole) and whole > 0.0 else 0.0


def concavity(
    assembly: Assembly,
    subspace: str = "fx,fy,fz",
    *,
    level: int = 3,
    method: Exact | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Concavity:
    """How much the hulls of the volumes overstate a slice of the wrench space, ray by ray and in volume.

    Args:
        assembly: contacts and joint rows.
        subspace: three of fx, fy, fz, tx, ty, tz about the world origin.
        level: of the regular sphere of rays.
        method: the exact method with other limits.
        workers: threads; as many as there are cores by default.
        progress: called as progress(done, total) with the number of rays.
    """
    rays = Rays.sphere(Subspace.named(subspace, length=assembly.length), level)
    total = 2 * len(rays)
    union = wrench_space(assembly, rays, method=method, workers=workers, progress=_shifted(progress, 0, total))
    hull = wrench_space(
        assembly, rays, volumes="hull", method=method, workers=workers, progress=_shifted(progress, len(rays), total)
    )
    return Concavity(assembly.name, union, hull)


def single_unit() -> Assembly:
    """One default unit on top of an object, loaded in the middle of its face: four corners, no joints."""
    above = Pose(np.diag([1.0, -1.0, -1.0]), np.zeros(3))
    return Assembly(Patch.rectangle(above, TwoFingerDimensions().unit_size, default_unit()).contacts, None, "one unit")


def concavity_study(
    *, level: int = 3, workers: int | None = None, progress: Callable[[int, int], None] | None = None
) -> tuple[Concavity, ...]:
    """The force slices of one unit, 2OU, 2FG D-D and 2FG MD-MD: concavity shrinks when contacts share the load."""
    devices = (two_opposed_units(), two_finger_gripper("D", "D"), two_finger_gripper("MD", "MD"))
    assemblies = [single_unit(), *(device.assembly() for device in devices)]
    total = len(assemblies) * 2 * (10 * 4**level + 2)
    return tuple(
        concavity(
            assembly,
            level=level,
            workers=workers,
            progress=_shifted(progress, k * total // len(assemblies), total),
        )
        for k, assembly in enumerate(assemblies)
    )


def _shifted(progress: Callable[[int, int], None] | None, before: int, total: int) -> Callable[[int, int], None] | None:
    """Reports a part of the work as part of the whole."""
    return None if progress is None else lambda done, _: progress(before + done, total)
