"""The planner: depth-first over stances, the highest first, back to the next best where no further step is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...errors import InputError
from ..chain_parts import check_snake
from ..chains import Chain
from .candidates import Stance, first_stances, next_stances
from .channels import Channel, Side
from .postures import posture_of
from .results import Climb, ClimbStep
from .steps import Climber, take_step

#: A new brace must be higher than the old one by this share of a link.
GAIN = 0.05

#: Default margin: the weight of the robot times its longest link times this.
MARGIN = 0.01

#: First postures from which a climb is tried.
FIRST_POSTURES = 4


def climb(
    chain: Chain,
    channel: Channel,
    goal: float,
    *,
    mu: float = 0.3,
    brace_links: int | Sequence[int] = 2,
    friction: tuple[float, float] | None = None,
    limits: tuple[ArrayLike, ArrayLike] | None = None,
    margin: float | None = None,
    duration: float = 1.0,
    start: float | None = None,
    side: Side = "right",
    branches: int = 3,
    tries: int = 120,
) -> Climb:
    """Climb by bracing until the lowest contact is at height `goal` [m].

    Args:
        chain: an unbranched snake, driven in every joint.
        channel: the walls.
        goal: wanted height of the lowest contact [m].
        mu: friction coefficient of the walls.
        brace_links: how many links may brace at an end, in the order they are tried; all nodes of a brace touch.
        friction: (lower, upper) coefficients that the braces must bear instead of `mu` alone.
        limits: (lower, upper) joint torques [N m], each one number or one per joint.
        margin: least distance of a brace's torque from any other behaviour [N m]; a hundredth of the robot's weight
            times its longest link by default.
        duration: of each move of the free part [s]; there are up to three per step.
        start: height of the lowest node at the start [m]; the channel's bottom by default.
        side: the wall it touches there.
        branches: continuations tried from a stance before going back to the one before.
        tries: steps tried in all before the search is given up.
    """
    check_snake(chain)
    joints = len(chain.links) - 1
    counts = [brace_links] if isinstance(brace_links, int) else list(brace_links)
    for count in counts:
        checks.count("brace_links", count, low=2)
    weight = float(chain.masses.sum() + np.asarray(chain.link_masses).sum()) * float(np.linalg.norm(chain.gravity))
    least = MARGIN * weight * float(np.max(chain.links)) if margin is None else margin
    climber = Climber(
        chain,
        channel,
        checks.number("mu", mu, low=0.0),
        friction,
        _limits(limits, joints),
        checks.number("margin", least, low=0.0, unit="N m"),
        checks.positive("duration", duration, unit="s"),
    )
    search = _Search(
        climber, counts, checks.number("goal", goal), checks.count("branches", branches), checks.count("tries", tries)
    )
    return search.run(channel.bottom if start is None else checks.number("start", start), side)


def _limits(limits: tuple[ArrayLike, ArrayLike] | None, joints: int) -> tuple[np.ndarray, np.ndarray]:
    if limits is None:
        return np.full(joints, -np.inf), np.full(joints, np.inf)
    if len(limits) != 2:
        raise InputError(f"has {len(limits)} parts", where="limits", fix="give (lower, upper)")
    low, high = (
        checks.array(
            f"limits.{name}", np.full(joints, value) if np.ndim(value) == 0 else value, (joints,), infinite=True
        )
        for name, value in zip(("lower", "upper"), limits, strict=True)
    )
    return low, high


#: Steps of a climb: from which stance to which.
_Path = list[tuple[Stance, Stance]]


class _Search:
    """Depth-first search; keeps the best climb so far and counts why candidates fell."""

    def __init__(self, climber: Climber, counts: list[int], goal: float, branches: int, tries: int) -> None:
        self.climber = climber
        self.counts = counts
        self.goal = goal
        self.branches = branches
        self.tries = tries
        self.dead_ends: set[tuple[object, ...]] = set()
        self.rejected: Counter[str] = Counter()
        self.best: tuple[float, _Path, np.ndarray] = (-np.inf, [], np.zeros(0))
        self.first = np.zeros(0)
        self.gain = GAIN * float(np.min(climber.chain.links))

    def run(self, start: float, side: Side) -> Climb:
        """Search from the first posture that holds."""
        climber = self.climber
        links = np.asarray(climber.chain.links)
        begun = 0
        for count in self.counts:
            for low, _ in first_stances(climber.channel, links, count, side, start):
                held, _ = climber.at_rest(low)
                if not held.holds:
                    self.rejected[f"the first brace does not hold: {held.reason}"] += 1
                    continue
                posture = self.first = posture_of(low.nodes)
                if not len(self.best[2]):
                    self.best = (float(low.nodes[0, 1]), [], posture)
                found = self._extend(low, [])
                if found is not None:
                    reason = f"the lowest contact is at {found[-1][1].nodes[0, 1] if found else start:.4g} m"
                    return self._answer("reached", reason, posture, found)
                begun += 1
                if begun >= FIRST_POSTURES:
                    break
        if not len(self.best[2]):
            reason = self._reason(f"no brace found at the start, {start:.4g} m")
            return self._answer("stuck", reason, np.zeros(len(links) + 2), [])
        height, steps, posture = self.best
        return self._answer("stuck", self._reason(f"no brace found above {height:.4g} m"), posture, steps)

    def _answer(self, status: Literal["reached", "stuck"], reason: str, posture: np.ndarray, path: _Path) -> Climb:
        climber = self.climber
        proven = (take_step(climber, stance, target) for stance, target in path)
        steps = [step for step in proven if isinstance(step, ClimbStep)]
        return Climb(status, reason, climber.chain, climber.channel, posture, tuple(steps), dict(self.rejected))

    def _reason(self, what: str) -> str:
        if not self.rejected:
            return f"{what} because no posture of the snake fits between the walls there"
        (why, times), *_ = self.rejected.most_common(1)
        given_up = "; the search was given up" if self.tries <= 0 else ""
        return f"{what} because {why} ({times} of {sum(self.rejected.values())} candidates{given_up})"

    def _extend(self, stance: Stance, steps: _Path) -> _Path | None:
        """Steps to the goal from `stance`, or None."""
        if stance.end == "lower" and stance.nodes[0, 1] >= self.goal:
            return steps
        links = np.asarray(self.climber.chain.links)
        taken = 0
        key = (stance.end, stance.links, *np.round(stance.nodes / (0.1 * self.gain)).ravel())
        if key in self.dead_ends:
            return None
        for target in next_stances(self.climber.channel, links, stance, self.counts, self.gain):
            if taken >= self.branches or self.tries <= 0:
                break
            self.tries -= 1
            step = take_step(self.climber, stance, target, proven=False)
            if isinstance(step, str):
                self.rejected[step] += 1
                continue
            taken += 1
            path = [*steps, (stance, target)]
            height = float(target.nodes[0, 1])
            if target.end == "lower" and height > self.best[0]:
                self.best = (height, path, self.first)
            found = self._extend(target, path)
            if found is not None:
                return found
        self.dead_ends.add(key)
        return None
