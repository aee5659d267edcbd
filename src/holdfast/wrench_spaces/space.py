"""WrenchSpace: how much is held along every ray, with what proves it from inside and from outside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import InputError
from ..solvers import Status
from ..statics.equilibrium import LoadLimit, load_limit
from .holders import Volumes, held_by
from .rays import Rays
from .subspace import Subspace

if TYPE_CHECKING:
    from pathlib import Path

    from ..solvers import Exact
    from .differences import Difference
    from .extents import Extents
    from .membership import Membership
    from .proofs import Faults
    from .volumes import VolumeBounds


@dataclass(frozen=True, eq=False)
class WrenchSpace:
    """The external wrenches that are held, as a limit surface over rays (6); k contacts, n rays, r joint rows.

    Along every ray the value is exact to the method's gap: `points` are held (inner), and nothing beyond
    `upper_bounds` on the ray is. Each plane bounds the whole space (outer), not only its ray. Between the rays the
    surface is not known exactly: triangles are an estimate, save where all volumes are convex (then they are inner).

    Attributes:
        rays: the directions, with their subspace and triangles.
        values: (n,) the largest multiple of each direction that was found to hold; inf where there is no limit, -inf
            where no multiple holds at all. Negative where only the opposite load is held, as joint gravity can demand.
        upper_bounds: (n,) no larger multiple is possible.
        status: (n,) of Status: OPTIMAL, UNBOUNDED, DOES_NOT_HOLD, UNDECIDED.
        normals: (n, 6) outward normals of outer half-spaces; nan where none is known.
        offsets: (n,) with normals[i] . w <= offsets[i] for EVERY wrench w of the space, torques about the world origin.
        joint_multipliers: (n, r) multipliers over the joint rows that prove the half-spaces; or None.
        forces: (n, k, 3) world forces on the object [N] that hold `points`, nan where there are none; or None.
        pieces: (n, k) the piece each force lies in, -1 where there is none; or None.
        volumes: whether contacts are held by the "union" of their pieces or by its convex "hull".
        model_hash: `fingerprint` of the assembly it belongs to.
        length: characteristic length [m] of the assembly.
        star_shaped: whether with every wrench all smaller multiples of it are held, too, as far as that is known: zero
            forces are admissible, or the space is convex and holds the zero wrench.
        convex: whether each contact's volume is one convex piece; the space is convex then.
        assembly: what it was computed for, or None after loading a file without it.
        method: what answered; None for the default.
    """

    rays: Rays
    values: Array
    upper_bounds: Array
    status: Array
    normals: Array
    offsets: Array
    joint_multipliers: Array | None
    forces: Array | None
    pieces: Array | None
    volumes: Volumes
    model_hash: str
    length: float
    star_shaped: bool
    convex: bool
    assembly: Assembly | None = None
    method: Exact | None = None

    def __repr__(self) -> str:
        counts = ", ".join(f"{(self.status == s).sum()} {s}" for s in Status if (self.status == s).any())
        return f"WrenchSpace({self.rays!r}, {self.volumes}: {counts})"

    def __len__(self) -> int:
        return len(self.rays)

    # -- what it is sampled over ---------------------------------------------------------------------

    @property
    def directions(self) -> Array:
        """(n, 6) the directions of the rays, as given."""
        return self.rays.directions

    @property
    def subspace(self) -> Subspace | None:
        """Where the rays lie, or None for rays anywhere in R^6."""
        return self.rays.subspace

    @property
    def triangles(self) -> Array | None:
        """(t, 3) neighbouring rays, or None."""
        return self.rays.triangles

    @cached_property
    def points(self) -> Array:
        """(n, 6) the wrenches values * directions, all held (inner); nan where the value is infinite."""
        bounded = np.where(np.isfinite(self.values), self.values, np.nan)
        return bounded[:, None] * self.directions

    @cached_property
    def coordinates(self) -> Array:
        """(n, p) `points` in the units of the subspace; nan where the value is infinite."""
        if self.subspace is None:
            raise InputError("is not known", where="subspace", fix="compute the space over a Subspace or its rays")
        bounded = np.where(np.isfinite(self.values), self.values, np.nan)
        return bounded[:, None] * self.subspace.coordinates(self.directions)

    @cached_property
    def held_assembly(self) -> Assembly:
        """What the values are about: the assembly, or with `volumes` "hull" the same with hulls for volumes."""
        if self.assembly is None:
            raise InputError(
                "is not known", where="assembly", fix="give it on loading: WrenchSpace.load(path, assembly=...)"
            )
        return held_by(self.assembly, self.volumes)

    # -- proofs and questions ------------------------------------------------------------------------

    def ray(self, index: int) -> LoadLimit:
        """The load limit along one ray in full, with forces and certificate; asked again to get it."""
        whole = isinstance(index, (int, np.integer)) and not isinstance(index, bool)
        if not whole or not -len(self) <= index < len(self):
            fix = f"give a whole number from 0 to {len(self) - 1}: there are {len(self)} rays"
            raise InputError(f"is {index!r}", where="index", fix=fix)
        return load_limit(self.held_assembly, self.directions[index], method=self.method)

    def faults(self) -> Faults:
        """The rays whose inner point or outer plane does not stand up to a check from the assembly alone."""
        from .proofs import faults_of

        return faults_of(self)

    def verify(self) -> bool:
        """Whether all inner points are held and all planes are outer, from the assembly alone, without the solver.

        Rays without a limit, and those of which no multiple is held, are asked again for the proof, which is checked.
        Undecided rays fail. That no ray holds more than its upper bound is what `ray(i).verify()` checks.
        """
        return self.faults().none

    def contains(self, wrenches: ArrayLike, *, ask: bool = True) -> Membership:
        """Which of the wrenches (n, 6), or whether one (6,), is held, each with its proof; see `Membership`.

        Planes and inner points decide what they can; the rest is asked of the exact solver when the assembly is known
        and `ask` is left on, and is undecided otherwise.
        """
        from .membership import membership

        return membership(self, wrenches, ask=ask)

    def estimate(self, wrenches: ArrayLike) -> Array:
        """(n,) an ESTIMATE of the largest multiple held of wrenches (n, 6) of the subspace, by interpolation.

        The triangle of rays that a wrench points into is taken as flat. An inner value where all volumes are convex;
        for unions it may err either way. inf for the zero wrench and where all rays around have no limit; nan where a
        ray around holds no positive multiple. Ask `load_limit` for the exact value.
        """
        from .slices import slice_surface

        loads = checks.array("wrenches", wrenches, ("n", 6))
        surface = slice_surface(self)
        gauges = surface.gauge(surface.subspace.coordinates(loads))
        with np.errstate(divide="ignore"):
            multiples = 1.0 / gauges
        return np.where(np.isinf(gauges), np.nan, multiples)

    @property
    def bend(self) -> float:
        """How far the surface bends between neighbouring triangles at most, relative to its radius (estimate)."""
        from .refinement import bends

        return float(bends(self).max(initial=0.0))

    # -- measures, files, comparisons ----------------------------------------------------------------

    @property
    def extents(self) -> Extents:
        """Extents along the axes of the subspace, or along fx .. tz without one."""
        from .extents import extents_of

        return extents_of(self)

    @property
    def volume(self) -> float:
        """Volume inside the triangles of a three-dimensional slice, in the product of its units (estimate)."""
        from .volumes import slice_volume

        return slice_volume(self)

    @property
    def volume_bounds(self) -> VolumeBounds:
        """What the volume of a three-dimensional slice lies between, as far as that is proven."""
        from .volumes import volume_bounds

        return volume_bounds(self)

    def difference(self, other: WrenchSpace) -> Difference:
        """Along the same rays, what this space holds more than the other."""
        from .differences import difference

        return difference(self, other)

    def save(self, path: str | Path) -> None:
        """Write it to an HDF5 file."""
        from .files import save_space

        save_space(self, path)

    @staticmethod
    def load(path: str | Path, assembly: Assembly | None = None) -> WrenchSpace:
        """Read it from an HDF5 file; with its assembly it can be verified and asked again."""
        from .files import load_space

        return load_space(path, assembly)

    def export(self, path: str | Path, *, cap: float | None = None, newtons: bool = False, text: bool = False) -> Path:
        """Write the limit surface of a slice as a mesh (.ply, .obj); see `export_mesh`."""
        from .meshes import export_mesh

        return export_mesh(self, path, cap=cap, newtons=newtons, text=text)
