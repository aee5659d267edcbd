"""The microspine unit: many spines on rough ground, a boat-shaped limit surface with a dent (IV.A)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...checks import Array
from ...errors import InputError
from ..volume import ForceVolume
from . import parameters
from .info import SIDE, describe
from .parameters import Side

if TYPE_CHECKING:
    from ..surface import LimitSurface


#: The smallest phi_max accepted [rad]: flatter units have no adhesion worth a model.
SMALLEST_REACH = math.radians(1.0)


@dataclass(frozen=True)
class MicrospineUnit:
    """Parameters of a microspine unit; angles in [rad], forces in [N].

    The defaults are our choice, such that the limit falls with the loading angle as published for opposed pairs
    of such units. Measured units scatter by about 30 %.

    Attributes:
        f0: F(0), the limit along x.
        beta: inclination of the spines to the surface.
        alpha: full width of the spine's tip cone.
        mu: friction of a spine tip on an asperity.
        mu_channel: friction of a spine in its channel.
        mu_substrate: friction of the unit's body on the ground while it is pressed.
        tip_decay: weight c_i of an asperity that a spine touches with its shaft, not its tip.
        slope_limit: steepest asperity slope psi_max.
        cap: largest pressing force f_z.
    """

    f0: float = 40.0
    beta: float = math.radians(15.0)
    alpha: float = math.radians(15.0)
    mu: float = 0.3
    mu_channel: float = 0.3
    mu_substrate: float = 0.5
    tip_decay: float = 0.1
    slope_limit: float = math.radians(100.0)
    cap: float = 100.0

    def __post_init__(self) -> None:
        checked = {
            "f0": parameters.force("f0", self.f0),
            "beta": parameters.angle("beta", self.beta),
            "alpha": parameters.angle("alpha", self.alpha),
            "mu": parameters.friction("mu", self.mu),
            "mu_channel": parameters.friction("mu_channel", self.mu_channel),
            "mu_substrate": parameters.friction("mu_substrate", self.mu_substrate),
            "tip_decay": checks.number("tip_decay", self.tip_decay, low=0.0, high=1.0, ends="open low"),
            "slope_limit": parameters.angle("slope_limit", self.slope_limit, high=math.pi),
            "cap": parameters.force("cap", self.cap),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if not SMALLEST_REACH <= self.phi_max <= parameters.STEEPEST:
            raise InputError(
                f"gives a largest loading angle of {math.degrees(self.phi_max):.4g} deg",
                where="slope_limit",
                fix="slope_limit - pi/2 + arctan(mu) must be between 1 and 89 degrees",
            )
        if self.phi_max + self.beta - math.atan(self.mu_channel) > parameters.STEEPEST:
            raise InputError(
                f"is {self.beta:g} rad, with which spines loaded backwards leave their channels",
                where="beta",
                fix="phi_max + beta - arctan(mu_channel) must be at most 89 degrees",
            )

    @property
    def phi_max(self) -> float:
        """Loading angle from the surface [rad] at which no asperity is usable any more."""
        return self.slope_limit - 0.5 * math.pi + math.atan(self.mu)

    def inclination(self, theta: ArrayLike) -> Array:
        """beta'(theta), the equivalent inclination [rad] at azimuth theta [rad] (12)."""
        return np.arcsin(np.clip(math.sin(self.beta) * np.cos(np.asarray(theta, dtype=np.float64)), -1.0, 1.0))

    def kink(self, theta: ArrayLike) -> Array:
        """Loading angle [rad] from which spines touch with their shafts only; may lie outside [0, phi_max]."""
        return self.inclination(theta) - 0.5 * self.alpha + math.atan(self.mu)

    def force(self, phi: ArrayLike, theta: ArrayLike) -> Array:
        """F(phi, theta) [N] (11), (12), for loading angles phi in [0, pi/2] and azimuths theta [rad]."""
        return self._force_and_slope(phi, theta)[0]

    def _force_and_slope(self, phi: ArrayLike, theta: ArrayLike) -> tuple[Array, Array]:
        """F and dF/dphi [N/rad], the latter from the left at the kink."""
        phi, beta = np.broadcast_arrays(np.asarray(phi, dtype=np.float64), self.inclination(theta))
        usable, usable_slope = self._usable(phi, beta)
        slide = np.abs(phi - beta) - math.atan(self.mu_channel)
        held = np.cos(np.maximum(slide, 0.0))  # C_c
        held_slope = -np.sin(np.maximum(slide, 0.0)) * np.sign(phi - beta)
        reference, _ = self._usable(np.zeros(()), np.asarray(self.beta))
        scale = self.f0 / float(reference * np.cos(max(self.beta - math.atan(self.mu_channel), 0.0)))
        return scale * usable * held, scale * (usable_slope * held + usable * held_slope)

    def _usable(self, phi: Array, beta: Array) -> tuple[Array, Array]:
        """The integral of C_i over the slopes in [psi_min(phi), psi_max], and its derivative."""
        psi_min = phi + 0.5 * math.pi - math.atan(self.mu)
        turn = np.clip(beta + 0.5 * math.pi - 0.5 * self.alpha, None, self.slope_limit)  # C_i = 1 below, c_i above
        by_tip = np.maximum(turn - psi_min, 0.0)
        by_shaft = np.maximum(self.slope_limit - np.maximum(psi_min, turn), 0.0)
        slope = np.where(psi_min <= turn, -1.0, np.where(psi_min < self.slope_limit, -self.tip_decay, 0.0))
        return by_tip + self.tip_decay * by_shaft, slope

    def limit(self, directions: ArrayLike) -> Array:
        """The limit force [N] along unit directions (..., 3) in the contact frame.

        f_z < 0: (11). f_z >= 0: the shear |f_t| <= F(0, theta) + mu_substrate f_z, and f_z <= cap.
        """
        d = np.asarray(directions, dtype=np.float64)
        shear, up = np.hypot(d[..., 0], d[..., 1]), d[..., 2]
        theta = np.arctan2(d[..., 1], d[..., 0])
        pulled = self.force(np.arctan2(np.maximum(-up, 0.0), shear), theta)
        with np.errstate(divide="ignore"):
            rest = shear - self.mu_substrate * up
            sliding = np.where(rest > 0.0, self.force(0.0, theta) / np.maximum(rest, 0.0), np.inf)
            pressed = np.minimum(sliding, self.cap / np.maximum(up, 0.0))
        return np.where(up < 0.0, pulled, pressed)


def microspine_force(phi: ArrayLike, theta: ArrayLike, unit: MicrospineUnit | None = None) -> Array:
    """F(phi, theta) [N], the limit force of a microspine unit (11), (12); exact, vectorised.

    Args:
        phi: loading angle from the surface, 0 tangential, pi/2 straight off [rad].
        theta: azimuth of the load in the surface, 0 along the shear direction x [rad].
        unit: parameters; the default unit when None.
    """
    try:
        angles, azimuths = np.broadcast_arrays(np.asarray(phi, dtype=np.float64), np.asarray(theta, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise InputError(str(error), where="phi, theta", fix="give numbers of matching shapes") from None
    if not (np.isfinite(angles).all() and np.isfinite(azimuths).all()):
        raise InputError("is not finite", where="phi, theta", fix="give finite angles in radians")
    if (angles < 0.0).any() or (angles > 0.5 * math.pi).any():
        raise InputError(
            "is outside [0, pi/2]", where="phi", fix="give loading angles in radians, away from the surface"
        )
    return (unit or MicrospineUnit()).force(angles, azimuths)


def microspine_surface(unit: MicrospineUnit | None = None, *, side: Side = "inner", azimuths: int = 24) -> LimitSurface:
    """The limit surface of a microspine unit as a star-shaped polyhedron inside or around the exact one.

    Meridians, closer where the limit falls steeply, carry rings from the edge of the cap down to phi_max. "inner" has
    its samples on the exact surface and no force beyond phi_max; some samples next to the kink of (11) are drawn in,
    by at most 0.3 N on the default unit, so that no facet passes the exact surface. "outer" is built of tangents,
    contains the exact surface, and ends at phi_max too. The cap f_z <= cap is an exact facet. Both are checked
    against (11) on a lattice of points of every facet; for unusual parameters a facet may still pass by a
    few percent between those points, next to the kink.

    Args:
        unit: parameters; the default unit when None.
        side: "inner" or "outer".
        azimuths: number of meridians, even and at least 12.
    """
    from .microspine_mesh import build_surface

    count = parameters.facets("azimuths", azimuths, low=12)
    if count % 2:
        raise InputError(f"is {count}", where="azimuths", fix="give an even number: the unit is symmetric about x")
    return build_surface(unit or MicrospineUnit(), count, parameters.side(side))


#: Most convex pieces when nothing is said.
DEFAULT_PIECES = 6


@cache
def _decomposed(unit: MicrospineUnit, side: Side, pieces: int) -> ForceVolume:
    """The decomposition of one set of parameters: kept in the package for the defaults, else made once a process."""
    from ..decompose import decompose
    from .ready_pieces import load_ready

    if unit == MicrospineUnit() and pieces == DEFAULT_PIECES:
        return load_ready("microspine", side)
    return decompose(microspine_surface(unit, side=side), side=side, max_pieces=pieces)


def microspine(
    f0: float = MicrospineUnit.f0,
    *,
    beta: float = MicrospineUnit.beta,
    alpha: float = MicrospineUnit.alpha,
    mu: float = MicrospineUnit.mu,
    mu_channel: float = MicrospineUnit.mu_channel,
    mu_substrate: float = MicrospineUnit.mu_substrate,
    tip_decay: float = MicrospineUnit.tip_decay,
    slope_limit: float = MicrospineUnit.slope_limit,
    cap: float = MicrospineUnit.cap,
    side: Side = "inner",
    pieces: int = DEFAULT_PIECES,
) -> ForceVolume:
    """Microspine unit: pulled, |f| <= F(phi, theta); pressed, |f_t| <= F(0, theta) + mu_substrate f_z and f_z <= cap.

    F is (11) with (12). It vanishes beyond phi_max = slope_limit - pi/2 + arctan(mu), 26.7 degrees by default: a
    unit that is pulled straight off does not hold, however many newtons of shear it can bear. The set is not
    convex. Its limit surface becomes at most `pieces` convex pieces; `.report` says what that costs. The same
    parameters give the same object again within a process.

    Args:
        f0: F(0), the limit along the shear direction x [N].
        beta: inclination of the spines [rad].
        alpha: width of the tip cone [rad].
        mu: friction of a tip on an asperity.
        mu_channel: friction of a spine in its channel.
        mu_substrate: friction of the unit's body while it is pressed.
        tip_decay: weight of asperities touched by the shaft, in (0, 1].
        slope_limit: steepest asperity slope psi_max [rad].
        cap: largest pressing force f_z [N].
        side: "inner" (nothing invented) or "outer" (nothing lost).
        pieces: most convex pieces.

    Returns:
        The pieces in the contact frame; they overlap and each contains the zero force.
    """
    unit = MicrospineUnit(f0, beta, alpha, mu, mu_channel, mu_substrate, tip_decay, slope_limit, cap)
    return _decomposed(unit, parameters.side(side), checks.count("pieces", pieces))


MICROSPINE = describe(
    microspine,
    {
        "f0": ("N", "limit F(0) along x"),
        "beta": ("rad", "inclination of the spines to the surface"),
        "alpha": ("rad", "width of the tip cone"),
        "mu": ("1", "friction of a spine tip on an asperity"),
        "mu_channel": ("1", "friction of a spine in its channel"),
        "mu_substrate": ("1", "friction of the unit's body while it is pressed"),
        "tip_decay": ("1", "weight of asperities touched by the shaft"),
        "slope_limit": ("rad", "steepest asperity slope"),
        "cap": ("N", "largest pressing force f_z"),
        "side": SIDE,
        "pieces": ("1", "most convex pieces"),
    },
    summary="pulled: |f| <= F(phi, theta) by (11), (12); pressed: |f_t| <= F(0, theta) + mu_substrate f_z, f_z <= cap",
    convex=False,
    source="Hauser, Wang and Cutkosky 2018, IV.A, eqs. 11 and 12; the parameters' values are our choice",
    validity="rough ground with many independent asperities; engaged spines; measured units scatter by about 30 %",
)
