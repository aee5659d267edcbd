"""Climbing: the next move of a hand to a hold, such that the others hold the body at every posture of the move tested.

Built on a planner's callbacks. For every hand and every hold ahead of it, the body first leans to where the other hands
hold it best (along the gradient of the margin, palms at their holds), then the hand moves. Of the moves with the wanted
margin at every posture tested, one of the hand that has risen least is made, and of these the safest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..geometry.frames import Pose
from ..postures.hands import AnyGrip
from ..postures.region import SupportRegion
from ..postures.region_computation import SupportRegionBounds
from ..public_names import with_advice
from ..results import Result
from .kinematics import reach
from .planning import PosturePlanner

#: Largest change of a coordinate in one step of leaning [rad, m].
LEAN_STEP = 0.05

#: Largest number of leaning steps before a move is judged.
MOST_LEANS = 12

#: Number of postures in each of the three parts of a move: away from the hold, across, down.
SWING_POINTS = 3


@with_advice()
@dataclass(frozen=True, eq=False)
class Hold:
    """A place for a hand.

    Attributes:
        name: its name in reports.
        pose: pose of the palm frame there, z out of the terrain into the body.
        grip: wrenches that a hand can apply there, in the palm frame; None: the hand's own grip.
    """

    name: str
    pose: Pose
    grip: Any = None

    def __post_init__(self) -> None:
        checks.text("name", self.name)
        checks.instance("pose", self.pose, Pose, fix="give holdfast.Pose(rotation, translation)")
        if self.grip is not None:
            checks.instance("grip", self.grip, AnyGrip, fix="give a grip such as holdfast.Grip, or None")


@dataclass(frozen=True, eq=False)
class ClimbStance:
    """A robot on its holds.

    Attributes:
        q: its posture.
        on: name of each hand's hold, by the hand's name.
    """

    q: Array
    on: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Move:
    """One hand from one hold to another.

    Attributes:
        hand: the hand that moves.
        start: the hold it leaves.
        end: the hold it takes.
        postures: (m, q_size) those tested: the body leans, the hand moves, all hands hold again.
        swing: number of the first posture with the hand off its hold.
        margins: (m,) margins of the hands that hold, one per posture.
        stance: the final stance.
    """

    hand: str
    start: str
    end: str
    postures: Array
    swing: int
    margins: Array
    stance: ClimbStance

    def __repr__(self) -> str:
        return f"Move({self.hand}: {self.start} to {self.end}, least margin {self.least:.3g})"

    @property
    def least(self) -> float:
        """The smallest margin of the move."""
        return float(self.margins.min())


@dataclass(frozen=True, eq=False)
class ClimbPlan:
    """Moves one after another.

    Attributes:
        moves: in their order.
        stance: the final stance.
        finished: whether every hand has reached the goal.
    """

    moves: tuple[Move, ...]
    stance: ClimbStance
    finished: bool


class ClimbPlanner:
    """A robot on a wall of holds.

    Args:
        planner: robot, hands and the meaning of the margin.
        holds: the wall.
        towards: (3,) direction of progress.
        wanted: smallest margin at every posture of a move.
        longest: [m] largest distance to the next hold.
        clearance: [m] distance of a moving hand from the terrain.
    """

    def __init__(
        self,
        planner: PosturePlanner,
        holds: Sequence[Hold],
        *,
        towards: ArrayLike = (0.0, 0.0, 1.0),
        wanted: float = 0.05,
        longest: float = 0.5,
        clearance: float = 0.05,
    ) -> None:
        self.planner = planner
        self.holds = {hold.name: hold for hold in holds}
        if len(self.holds) != len(holds):
            raise InputError("two have the same name", where="holds", fix="give every hold a different name")
        self.ahead = checks.direction("towards", towards, 3)
        self.wanted = checks.number("wanted", wanted, low=0.0)
        self.longest = checks.positive("longest", longest, unit="m")
        self.clearance = checks.positive("clearance", clearance, unit="m")
        self._planners: dict[tuple[tuple[str, str], ...], PosturePlanner] = {}

    # -- stances --------------------------------------------------------------------------------

    def stance(self, q: ArrayLike, on: Mapping[str, str]) -> ClimbStance | None:
        """The robot with its palms at the named holds, near posture q; None if no such posture was found."""
        names = [hand.name for hand in self.planner.hands]
        for hand in on:
            if hand not in names:
                raise UnknownNameError("hand", hand, names, where="on")
        found = reach(self.planner.robot, q, self.planner.hands, self._places(on))
        return ClimbStance(found.q, dict(on)) if found.found else None

    def holding(self, on: Mapping[str, str]) -> PosturePlanner:
        """The planner of the hands that have a hold, with the grips of the holds; hands without one are off."""
        key = tuple(sorted(on.items()))
        if key not in self._planners:
            hands = []
            for hand in self.planner.hands:
                if hand.name in on:
                    grip = self._hold(on[hand.name]).grip
                    hands.append(hand if grip is None else hand.with_grip(grip))
            self._planners[key] = self.planner.with_hands(hands)
        return self._planners[key]

    # -- moves ----------------------------------------------------------------------------------

    def moves(self, stance: ClimbStance) -> list[Move]:
        """Every safe move of one hand to a free hold ahead of it, the safest first."""
        found = []
        for hand, start in stance.on.items():
            leant = self._leant(stance, hand)
            for end in self._ahead(stance, start):
                move = self._move(stance, hand, start, end, leant)
                if move is not None:
                    found.append(move)
        return sorted(found, key=lambda move: -move.least)

    def climb(self, stance: ClimbStance, rise: float, *, most: int = 40) -> ClimbPlan:
        """Moves until every hand is at least `rise` [m] further ahead than it is now.

        The hand that has risen least goes first, with the safest of its moves; from a stance without a safe move the
        search goes back. If not finished: none was found in `most` stances, and the longest plan is returned.
        """
        goal = checks.positive("rise", rise, unit="m")
        first = {hand: self._level(hold) for hand, hold in stance.on.items()}

        def risen(at: ClimbStance) -> dict[str, float]:
            return {hand: self._level(hold) - first[hand] for hand, hold in at.on.items()}

        seen, best, furthest = {_key(stance)}, ClimbPlan((), stance, False), 0.0
        ways: list[tuple[Move, ...]] = [()]
        for _ in range(checks.count("most", most)):
            if best.finished or not ways:
                break
            way = ways.pop()
            here = way[-1].stance if way else stance
            now = risen(here)
            found = [m for m in self.moves(here) if _key(m.stance) not in seen and now[m.hand] < goal]
            found.sort(key=lambda move, now=now: (now[move.hand], -move.least), reverse=True)
            for move in found:  # the last is taken up first
                seen.add(_key(move.stance))
                ways.append((*way, move))
                after = risen(move.stance)
                done = min(after.values()) >= goal
                if done or sum(after.values()) > furthest:
                    best, furthest = ClimbPlan(ways[-1], move.stance, done), sum(after.values())
                if done:
                    break
        return best

    # -- inside ---------------------------------------------------------------------------------

    def _hold(self, name: str) -> Hold:
        if name not in self.holds:
            raise UnknownNameError("hold", name, self.holds)
        return self.holds[name]

    def _places(self, on: Mapping[str, str]) -> dict[str, Pose]:
        return {hand: self._hold(hold).pose for hand, hold in on.items()}

    def _level(self, hold: str) -> float:
        return float(self._hold(hold).pose.translation @ self.ahead)

    def _ahead(self, stance: ClimbStance, start: str) -> list[str]:
        """Free holds further ahead than `start` and close enough to it."""
        here = self._hold(start).pose.translation
        taken = set(stance.on.values())
        return [
            name
            for name, hold in self.holds.items()
            if name not in taken
            and (hold.pose.translation - here) @ self.ahead > 0.0
            and np.linalg.norm(hold.pose.translation - here) <= self.longest
        ]

    def _leant(self, stance: ClimbStance, hand: str) -> list[tuple[Array, float]]:
        """Postures from the stance uphill along the margin without `hand`, palms at their holds, and their margins.

        It ends at twice the wanted margin, as a reserve for the move, or at the maximum.
        """
        rest = self.holding({name: hold for name, hold in stance.on.items() if name != hand})
        whole, robot = self.holding(stance.on), self.planner.robot
        path, places = [(stance.q, rest.margin(stance.q))], self._places(stance.on)
        size = LEAN_STEP
        for _ in range(MOST_LEANS):
            q, here = path[-1]
            if here >= 2.0 * self.wanted:
                break
            slope = rest.gradient(q)
            if not np.isfinite(slope.gradient).all():
                break
            step = _along_holds(whole, q, slope.gradient)
            largest = float(np.abs(step).max())
            if largest <= 0.0:
                break
            tried = reach(robot, robot.moved(q, step * (size / largest)), whole.hands, places)
            if tried.found and rest.margin(tried.q) > here and whole.margin(tried.q) >= self.wanted:
                path.append((tried.q, rest.margin(tried.q)))
            else:
                size /= 2.0
        return path

    def _move(
        self, stance: ClimbStance, hand: str, start: str, end: str, leant: list[tuple[Array, float]]
    ) -> Move | None:
        """The move of one hand, or None if it is not safe at one of its postures; nothing is tested between these."""
        rest_on = {name: hold for name, hold in stance.on.items() if name != hand}
        rest, whole, robot = self.holding(rest_on), self.holding(stance.on), self.planner.robot
        if leant[-1][1] < self.wanted:
            return None
        postures = [q for q, _ in leant]
        margins = [whole.margin(q) for q in postures]
        if min(margins) < self.wanted:
            return None
        swing = len(postures)
        places = self._places(rest_on)
        for pose in _swing(self._hold(start).pose, self._hold(end).pose, self.clearance):
            found = reach(robot, postures[-1], self.planner.hands, places | {hand: pose})
            if not found.found or not rest.feasible(found.q):
                return None
            margins.append(rest.margin(found.q))
            if margins[-1] < self.wanted:
                return None
            postures.append(found.q)
        after = dict(stance.on) | {hand: end}
        postures.append(postures[-1])
        margins.append(self.holding(after).margin(postures[-1]))
        if margins[-1] < self.wanted:
            return None
        return Move(hand, start, end, np.array(postures), swing, np.array(margins), ClimbStance(postures[-1], after))


def _key(stance: ClimbStance) -> tuple[tuple[str, str], ...]:
    """Identifies a stance."""
    return tuple(sorted(stance.on.items()))


def _along_holds(planner: PosturePlanner, q: Array, slope: Array) -> Array:
    """The part of a motion (v,) that does not move the palms."""
    shifts, turns = planner.jacobians(planner.stand(q))
    rows = np.concatenate([shifts.reshape(-1, len(slope)), turns.reshape(-1, len(slope))])
    return slope - np.linalg.lstsq(rows, rows @ slope, rcond=None)[0]


def _swing(start: Pose, end: Pose, clearance: float) -> list[Pose]:
    """Palm frames from one hold to another: away from the terrain, across, down; rotated from the middle on."""
    off, above = (pose.translation + clearance * pose.rotation[:, 2] for pose in (start, end))
    shares = np.linspace(0.0, 1.0, SWING_POINTS + 1)[1:]
    over = [(start if share < 0.5 else end, (1.0 - share) * off + share * above) for share in shares]
    corners = [(start, off), *over, (end, end.translation)]
    return [Pose(pose.rotation, place) for pose, place in corners]


# Choosing: the grip or hold of each hand, by the margin and by the support region.

#: Largest number of combinations: choose for some hands first.
MOST_COMBINATIONS = 20_000

#: Criterion of choices: the planner's margin, or the area of the support region.
RankedBy = Literal["margin", "area"]


@dataclass(frozen=True, eq=False)
class Choice(Result):
    """One combination for the hands.

    Attributes:
        picked: choice of each hand, by the hand's name.
        q: the posture.
        margin: as defined by the planner; negative where the body does not hold.
        planner: the planner of these hands.
    """

    picked: Mapping[str, str]
    q: Array
    margin: float
    planner: PosturePlanner

    def __repr__(self) -> str:
        words = ", ".join(f"{hand}: {what}" for hand, what in self.picked.items())
        return f"Choice({words}; margin {self.margin:.4g})"

    def to_dict(self) -> dict[str, Any]:
        """What the hands take, the posture and the margin as plain data."""
        return {"holds": self.holds, "margin": self.margin, "picked": dict(self.picked), "q": self.q.tolist()}

    @property
    def holds(self) -> bool:
        """Whether the body holds."""
        return self.margin >= 0.0

    @cached_property
    def region(self) -> SupportRegion:
        """The support region; for grips with bounds, on the planner's side."""
        found = self.planner.region(self.q)
        return getattr(found, self.planner.side) if isinstance(found, SupportRegionBounds) else found

    @property
    def area(self) -> float:
        """Area of the region [m^2]."""
        return self.region.area


@with_advice()
def choose_grips(
    planner: PosturePlanner,
    q: ArrayLike,
    grips: Mapping[str, Mapping[str, Any]],
    *,
    by: RankedBy = "margin",
) -> tuple[Choice, ...]:
    """Every combination of grips for the hands of one posture, the best first; equal ones in the given order.

    Args:
        planner: robot, hands and the meaning of the margin; hands that are not listed keep their grips.
        q: the posture; the palms do not move.
        grips: by the hand's name the grips to choose from, by their names.
        by: "margin", or "area" of the support region (slower: the region of every combination is computed).
    """
    for hand in grips:
        planner.hand(hand)
    posture = np.asarray(q, dtype=np.float64)
    found = []
    for picked in _combinations({hand: list(own) for hand, own in grips.items()}):
        chosen = planner.with_grips({hand: grips[hand][name] for hand, name in picked.items()})
        found.append(Choice(picked, posture, chosen.margin(posture), chosen))
    return _ranked(found, by)


@with_advice()
def choose_holds(
    climber: ClimbPlanner,
    q: ArrayLike,
    holds: Mapping[str, Sequence[str]],
    *,
    by: RankedBy = "margin",
) -> tuple[Choice, ...]:
    """Every combination of holds that the robot can reach, one hold per hand, the best first.

    Args:
        climber: planner and holds; hands that are not listed are off the terrain.
        q: the initial posture for each combination.
        holds: by the hand's name, the names of the holds to choose from.
        by: "margin" or "area".
    """
    for hand, own in holds.items():
        climber.planner.hand(hand)
        for name in own:
            if name not in climber.holds:
                raise UnknownNameError("hold", name, climber.holds, where=f"holds[{hand!r}]")
    found = []
    for picked in _combinations(holds):
        if len(set(picked.values())) < len(picked):
            continue  # one hold, one hand
        stance = climber.stance(q, picked)
        if stance is not None:
            planner = climber.holding(picked)
            found.append(Choice(picked, stance.q, planner.margin(stance.q), planner))
    return _ranked(found, by)


def _combinations(options: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Every combination of one option per hand."""
    for hand, own in options.items():
        if not own:
            raise InputError("is empty", where=hand, fix="give each hand something to choose from")
    count = prod(len(own) for own in options.values())
    if count > MOST_COMBINATIONS:
        fix = f"give at most {MOST_COMBINATIONS} in all: choose for some hands first"
        raise InputError(f"there are {count} combinations", where="options", fix=fix)
    for picked in product(*options.values()):
        yield dict(zip(options, picked, strict=True))


def _ranked(choices: list[Choice], by: RankedBy) -> tuple[Choice, ...]:
    """The best first: those that hold before the others."""
    if by not in ("margin", "area"):
        raise UnknownNameError("rank", str(by), ("margin", "area"), where="by")
    if by == "margin":
        return tuple(sorted(choices, key=lambda choice: -choice.margin))
    return tuple(sorted(choices, key=lambda choice: (not choice.holds, -choice.area, -choice.margin)))
