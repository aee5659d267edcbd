"""`robust_limit`: a load limit that holds for every error within intervals, and the most harmful error found.

Strengths and joint bounds are monotone: forces that are admissible with weaker contacts (volumes of pieces that contain
zero) and narrower bounds stay so with stronger and wider ones, so that their weak ends are the worst case.
Friction, positions and the load's direction and point are not. For these the certified limit is that of the best
`Rule`, the attained one is the least limit among the errors that were tried: the worst case lies between the two.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array
from ..errors import InputError
from ..solvers import ContactProblem, Status
from ..statics.diagnosis import FixedPieces
from ..statics.equilibrium import LoadLimit, load_limit
from .intervals import Intervals, Spread
from .optima import Optimum
from .parameters import Kind, Parameter, rate_of
from .reaction_rule import Rule, best_rule

#: Axes across the multipliers are weighted by the errors that forces can still balance along them when the load is
#: at this share of its limit; at least by a share of the largest.
LOADED = 0.9
LEAST_WEIGHT = 1e-4

#: Steps towards the worst error.
MOST_STEPS = 6

#: Corners of the intervals tried besides, drawn with a fixed seed.
MOST_GUESSES = 6

#: Directions of error below this share of the largest are none.
SPANNED = 1e-9


@dataclass(frozen=True, eq=False)
class RobustLimit:
    """A load limit under interval uncertainty.

    Attributes:
        certified: every multiple of the load up to this holds, whatever the errors (this very multiple, where some
            piece or joint bound excludes zero); 0 or -inf when nothing more could be certified.
        attained: the limit at `worst`: the worst case is no better.
        nominal: the limit without errors.
        weakened: the limit with strengths and joint bounds at their weak ends and no other error.
        worst: (assembly, direction (6,)) the most harmful error found.
        friction: (k,) shares of shear there; position: (k, 3) shifts there [m].
        spread: the intervals, checked.
        rule: the proof of `certified`; None where the weak ends or zero forces prove it, or nothing does.
        limits: the load limits behind `nominal`, `weakened` and `attained`, each with its own proof.
    """

    certified: float
    attained: float
    nominal: float
    weakened: float
    worst: tuple[Assembly, Array]
    friction: Array
    position: Array
    spread: Spread
    rule: Rule | None
    limits: tuple[LoadLimit, LoadLimit, LoadLimit]

    def __repr__(self) -> str:
        return f"RobustLimit([{self.certified:.6g}, {self.attained:.6g}], nominal {self.nominal:.6g})"

    @property
    def bracket(self) -> tuple[float, float]:
        """(certified, attained): the worst case lies between them."""
        return self.certified, self.attained

    def verify(self) -> bool:
        """Check both ends without the search: the rule by arithmetic, the worst error by its own limit's proof."""
        if not self.limits[2].verify():
            return False
        if self.rule is None and self.spread.only_weakens:
            return self.limits[1].verify()
        if self.rule is None:
            return self.certified == -np.inf or (self.certified <= 0.0 and self.limits[1].problem.is_star_shaped)
        weak = self.spread.weakest.problem(self.spread.direction)
        return self.rule.factor >= self.certified and self.rule.verify(weak, self.spread)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "certified": self.certified,
            "attained": self.attained,
            "nominal": self.nominal,
            "weakened": self.weakened,
            "worst": {
                "friction_share": self.friction,
                "position_shift_m": self.position,
                "direction": self.worst[1],
            },
        }


def robust_limit(assembly: Assembly, direction: ArrayLike, intervals: Intervals) -> RobustLimit:
    """The load limit for every error within intervals: certified from below, attained from above.

    Args:
        assembly: contacts and joint rows.
        direction: (6,) external wrench on the object that the limit counts multiples of.
        intervals: what may be off, by how much.

    Raises:
        InputError: there is no finite limit without errors, or intervals do not fit the assembly.
    """
    load = checks.vector("direction", direction, 6)
    checks.instance(
        "intervals", intervals, Intervals, fix="give holdfast.Intervals(...), such as Intervals(strength=0.1)"
    )
    spread = Spread.of(checked_assembly(assembly), load, intervals)
    nominal = load_limit(assembly, load)
    weak = load_limit(spread.weakest, load)
    for limit in (nominal, weak):
        if limit.status is not Status.OPTIMAL or limit.pieces is None:
            raise InputError(
                f"has no finite limit: {limit.status.value}", where="direction", fix="ask about a load that has a limit"
            )
    if spread.only_weakens:
        none = np.zeros(len(assembly)), np.zeros((len(assembly), 3))
        limits, worst = (nominal, weak, weak), (spread.weakest, load)
        return RobustLimit(weak.value, weak.value, nominal.value, weak.value, worst, *none, spread, None, limits)
    harm, friction, position, at_worst = _most_harmful(spread, weak)
    rule = _certified(spread, weak, at_worst)
    nothing = 0.0 if weak.problem.is_star_shaped else -np.inf  # zero forces balance no load, whatever the errors
    if rule is not None and rule.factor <= nothing:
        rule = None
    certified = nothing if rule is None else rule.factor
    limits = (nominal, weak, at_worst)
    return RobustLimit(
        min(certified, at_worst.value),
        at_worst.value,
        nominal.value,
        weak.value,
        harm,
        friction,
        position,
        spread,
        rule,
        limits,
    )


def _most_harmful(spread: Spread, weak: LoadLimit) -> tuple[tuple[Assembly, Array], Array, Array, LoadLimit]:
    """The worst error found: the corners that slopes point to, one after the other, then a few drawn at random."""
    k = len(spread.assembly)
    friction, position, wrench = np.zeros(k), np.zeros((k, 3)), spread.direction
    limit, seen = weak, set()
    best = (spread.weakest, wrench), friction, position, weak
    rng = np.random.default_rng(0)
    for number in range(MOST_STEPS + MOST_GUESSES):
        step = _corner(spread, limit) if number < MOST_STEPS else _guess(spread, rng)
        if step is None:
            limit = best[3]
            continue
        friction, position, wrench = step
        key = (friction.tobytes(), position.tobytes(), np.round(wrench, 9).tobytes())
        if key in seen:
            continue
        seen.add(key)
        assembly, wrench = spread.changed(friction, position, wrench)
        limit = load_limit(assembly, wrench)
        known = limit.status in (Status.OPTIMAL, Status.DOES_NOT_HOLD)
        if known and limit.value < best[3].value:
            best = (assembly, wrench), friction, position, limit
    return best


def _guess(spread: Spread, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Some corner of the intervals, as `_corner` returns it."""

    def either(shape: tuple[int, ...]) -> Array:
        return rng.choice([-1.0, 1.0], size=shape)

    k = len(spread.assembly)
    acts = spread.direction[:3] if spread.direction[:3].any() else spread.direction[3:]
    across = np.cross(acts, rng.normal(size=3))
    across *= float(np.linalg.norm(acts)) / float(np.linalg.norm(across))
    turned = np.cos(spread.angle) * acts + np.sin(spread.angle) * across
    wrench = spread.load_with(turned, either((3,)) * spread.point)
    return either((k,)) * spread.friction, either((k, 3)) * spread.position, wrench


def _corner(spread: Spread, limit: LoadLimit) -> tuple[Array, Array, Array] | None:
    """(friction shares (k,), shifts (k, 3), wrench (6,)) to which the limit falls fastest, by its slopes."""
    optimum = _optimum(limit)
    if optimum is None:
        return None
    k = len(spread.assembly)
    friction, position = np.zeros(k), np.zeros((k, 3))

    def slope(parameter: Parameter) -> float:
        return optimum.envelope(rate_of(limit.assembly, limit.problem, limit.direction, parameter))

    for i in range(k):
        if spread.friction[i]:
            friction[i] = -np.sign(slope(Parameter(Kind.FRICTION, contacts=(i,)))) * spread.friction[i]
        for axis in np.nonzero(spread.position[i])[0]:
            by = slope(Parameter(Kind.POSITION, axis=int(axis), contacts=(i,)))
            position[i, axis] = -np.sign(by) * spread.position[i, axis]
    shift = np.zeros(3)
    for axis in np.nonzero(spread.point)[0]:
        shift[axis] = -np.sign(slope(Parameter(Kind.POINT, axis=int(axis)))) * spread.point[axis]
    by_load = np.array([slope(Parameter(Kind.LOAD, axis=axis)) for axis in range(6)])
    acts = spread.direction[:3] if spread.direction[:3].any() else spread.direction[3:]
    if not spread.angle:
        return friction, position, spread.load_with(acts, shift)
    pull = by_load[3:] if not spread.direction[:3].any() else by_load[:3] - np.cross(spread.at + shift, by_load[3:])
    along = acts / float(np.linalg.norm(acts))
    across = pull - (pull @ along) * along
    size = float(np.linalg.norm(across))
    if size > 0.0:
        turned = np.cos(spread.angle) * along - np.sin(spread.angle) * across / size
        acts = turned * float(np.linalg.norm(acts))
    return friction, position, spread.load_with(acts, shift)


def _certified(spread: Spread, weak: LoadLimit, at_worst: LoadLimit) -> Rule | None:
    """The best rule for the pieces of the weak ends and of the worst error."""
    problem = weak.problem
    choices = {tuple(limit.pieces.tolist()) for limit in (weak, at_worst) if limit.pieces is not None}
    rules = []
    for choice in sorted(choices):
        pieces = np.array(choice, dtype=np.int64)
        optimum = Optimum.of(FixedPieces(problem, pieces))
        if optimum is None or optimum.factor <= 0.0:
            continue
        axes = _axes(spread, weak, optimum, pieces)
        room = np.array([_room(weak.problem, pieces, optimum.factor, axis) for axis in axes])
        weights = np.maximum(room / (room.max() or 1.0), LEAST_WEIGHT)
        weights[0] = 1.0
        rule = best_rule(problem, spread, pieces, optimum.prices.forces, optimum.factor, axes, weights)
        if rule is not None and rule.verify(problem, spread):
            rules.append(rule)
    return max(rules, key=lambda rule: rule.factor, default=None)


def _room(problem: ContactProblem, pieces: Array, factor: float, axis: Array) -> float:
    """The largest error along +- `axis` (m,) that can be balanced besides most of the load [N]; 0 when none can."""
    carried = LOADED * factor * problem.load
    layout = replace(problem.layout, lower=problem.lower - carried, upper=problem.upper - carried)
    rooms = [FixedPieces(ContactProblem(layout, sign * axis), pieces).largest_factor() for sign in (-1.0, 1.0)]
    size = max(piece.size for shape in problem.shapes for piece in shape)
    return min([max(0.0, room) for room in rooms if not np.isnan(room)] + [size]) if rooms else 0.0


def _axes(spread: Spread, weak: LoadLimit, optimum: Optimum, pieces: Array) -> Array:
    """(q, m) orthonormal axes that span every error of the rows to be met exactly, the first along y."""
    problem = weak.problem
    exact = problem.lower == problem.upper
    columns = []
    for i in range(problem.contacts):
        size = problem.pieces(i)[pieces[i]].size
        if spread.friction[i]:
            columns.append(spread.friction[i] * problem.maps[i][:, :2] * size)
        for axis in np.nonzero(spread.position[i])[0]:
            parameter = Parameter(Kind.POSITION, axis=int(axis), contacts=(i,))
            rate = rate_of(spread.weakest, problem, spread.direction, parameter)
            columns.append(spread.position[i, axis] * rate.maps[i] * size)
    arms = spread.load_residuals(problem, np.eye(problem.rows))
    columns.append(np.diag(optimum.factor * arms))
    matrix = np.concatenate(columns, axis=1)[exact]
    base, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
    base = base[:, sizes > SPANNED * sizes[0]]
    y = base.T @ optimum.prices.multipliers[exact]
    along = float(np.linalg.norm(y)) > SPANNED * float(np.linalg.norm(optimum.prices.multipliers[exact]))
    if along:
        full = np.linalg.qr(np.column_stack([y, np.eye(len(y))]))[0]
        base = base @ full
    axes = np.zeros((base.shape[1], problem.rows))
    axes[:, exact] = base.T
    return axes


def _optimum(limit: LoadLimit) -> Optimum | None:
    if limit.pieces is None or limit.status is not Status.OPTIMAL:
        return None
    return Optimum.of(FixedPieces(limit.problem, limit.pieces))
