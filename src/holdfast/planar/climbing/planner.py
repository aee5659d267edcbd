"""The planner: depth-first over stances, the highest first, back to the next best where no further step is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...errors import InputError, UnknownNameError
from ..chain_parts import check_snake
from ..chains import Chain
from .candidates import Stance, first_stances, next_stances
from .channels import Channel, Side
from .postures import LEAST_RISE, posture_of
from .results import Climb, ClimbStep
from .steps import Climber, take_step, why_not

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
        friction: (lower, upper) coefficients, `mu` among them, that the braces must bear, each contact having its own.
            The whole robot is tested at both ends and at `mu`, all contacts alike.
        limits: (lower, upper) joint torques [N m], each one number or one per joint.
        margin: least distance of a brace's torque from any other behaviour [N m]; a hundredth of the robot's weight
            times its longest link by default.
        duration: of each move of the free part [s]; there are up to three per step.
        start: height of the lowest node at the start [m]; the channel's bottom by default.
        side: the wall it touches there.
        branches: continuations tried from a stance before going back to the one before.
        tries: steps tried in all before the search is given up.
    """
    first, counts = check_request(chain, channel, goal, mu, brace_links, friction, start)
    if side not in get_args(Side):
        raise UnknownNameError("side", str(side), get_args(Side), where="side")
    joints = len(chain.links) - 1
    weight = float(chain.masses.sum() + np.asarray(chain.link_masses).sum()) * float(np.linalg.norm(chain.gravity))
    least = MARGIN * weight * float(np.max(chain.links)) if margin is None else margin
    climber = Climber(
        chain,
        channel,
        float(mu),
        None if friction is None else (float(friction[0]), float(friction[1])),
        _limits(limits, joints),
        checks.number("margin", least, low=0.0, unit="N m"),
        checks.positive("duration", duration, unit="s"),
    )
    search = _Search(climber, counts, float(goal), checks.count("branches", branches), checks.count("tries", tries))
    return search.run(first, side)


def check_request(
    chain: Chain,
    channel: Channel,
    goal: float,
    mu: float,
    brace_links: int | Sequence[int],
    friction: tuple[float, float] | None,
    start: float | None,
) -> tuple[float, list[int]]:
    """(height of the start [m], numbers of bracing links); a climb that nothing could bring about is an InputError."""
    checks.instance("chain", chain, Chain, fix="give a holdfast.planar.Chain")
    check_snake(chain)
    checks.instance("channel", channel, Channel, fix="give a holdfast.planar.Channel")
    counts = _counts(brace_links, len(chain.links))
    _check_friction(friction, checks.number("mu", mu, low=0.0))
    first = channel.bottom if start is None else checks.number("start", start)
    if not channel.bottom <= first < channel.top:
        fix = f"the walls stand from {channel.bottom:g} to {channel.top:g} m"
        raise InputError(f"is {first:g} m, outside the channel", where="start", fix=fix)
    _check_goal(checks.number("goal", goal), chain, channel, min(counts))
    return first, counts


def _counts(brace_links: int | Sequence[int], links: int) -> list[int]:
    """The numbers of bracing links to try; a snake of `links` must have room for two braces and a link between."""
    if np.ndim(brace_links) == 0:
        counts = [checks.count("brace_links", brace_links, low=2)]
    else:
        checks.iterable("brace_links", brace_links, fix="give a whole number, or a list of them")
        counts = [checks.count(f"brace_links[{i}]", count, low=2) for i, count in enumerate(brace_links)]  # pyright: ignore[reportArgumentType]
    if not counts:
        raise InputError("is empty", where="brace_links", fix="give a whole number of at least 2, or a list of them")
    for count in counts:
        if count + min(counts) + 1 > links or 2 * min(counts) + 1 > links:
            what = f"is {count}, but the snake has {links} links"
            fix = f"two braces and a link between them need {max(count + min(counts), 2 * min(counts)) + 1} links"
            raise InputError(what, where="brace_links", fix=fix)
    return counts


def _check_friction(friction: tuple[float, float] | None, mu: float) -> None:
    if friction is None:
        return
    low, high = (float(end) for end in checks.vector("friction", friction, 2))
    if not 0.0 <= low <= high:
        raise InputError(f"is {low:g} to {high:g}", where="friction", fix="give 0 <= lower <= upper")
    if not low <= mu <= high:
        raise InputError(
            f"is {mu:g}, outside friction {low:g} to {high:g}", where="mu", fix="give a mu within friction"
        )


def _check_goal(wanted: float, chain: Chain, channel: Channel, count: int) -> None:
    """A goal [m] is refused where the least height of the snake above it does not fit below the channel's top."""
    links = np.asarray(chain.links)
    across = float(channel.right[:, 0].max() - channel.left[:, 0].min())
    # Bracing links go from wall to wall; all others rise a little at least.
    rise = np.sqrt(np.maximum(links**2 - across**2, (LEAST_RISE * links) ** 2))
    rise[count : len(links) - count] = LEAST_RISE * links[count : len(links) - count]
    if wanted + float(rise.sum()) > channel.top:
        what = f"is {wanted:g} m; the snake needs {rise.sum():.3g} m above it, the channel ends at {channel.top:g} m"
        raise InputError(what, where="goal", fix=f"give a goal below {channel.top - rise.sum():.3g} m")


def _limits(limits: tuple[ArrayLike, ArrayLike] | None, joints: int) -> tuple[np.ndarray, np.ndarray]:
    """(lower, upper) torques, one for each joint."""
    if limits is None:
        return np.full(joints, -np.inf), np.full(joints, np.inf)
    checks.iterable("limits", limits, fix="give (lower, upper)")
    if len(limits) != 2:
        raise InputError(f"has {len(limits)} parts", where="limits", fix="give (lower, upper)")
    low, high = (
        checks.array(
            f"limits.{name}", np.full(joints, value) if np.ndim(value) == 0 else value, (joints,), infinite=True
        )
        for name, value in zip(("lower", "upper"), limits, strict=True)
    )
    if (low > high).any():
        i = int(np.argmax(low > high))
        raise InputError(f"lower {low[i]:g} above upper {high[i]:g}", where=f"limits[{i}]", fix="swap the limits")
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
        self.tries = self.most = tries
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
                    self.rejected[f"the first brace does not hold: {why_not(held)}"] += 1
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
            return self._answer("stuck", self._reason(f"at the start, {start:.4g} m"), None, [])
        height, steps, posture = self.best
        return self._answer("stuck", self._reason(f"above {height:.4g} m"), posture, steps)

    def _answer(
        self, status: Literal["reached", "stuck"], reason: str, posture: np.ndarray | None, path: _Path
    ) -> Climb:
        """The climb along `path`; each step is taken anew with all its proofs, and it ends at one that fails them."""
        climber = self.climber
        steps: list[ClimbStep] = []
        for stance, target in path:
            step = take_step(climber, stance, target)
            if isinstance(step, str) or not step.is_verified:
                why = step if isinstance(step, str) else "it is not certain"
                status, reason = "stuck", f"step {len(steps) + 1} was found but failed its proof because {why}"
                break
            steps.append(step)
        return Climb(status, reason, climber.chain, climber.channel, posture, tuple(steps), dict(self.rejected))

    def _reason(self, where: str) -> str:
        """Why the search ended: given up, or with nothing left to try."""
        most = ""
        if self.rejected:
            (why, times), *_ = self.rejected.most_common(1)
            most = f"{why} ({times} of {sum(self.rejected.values())} candidates turned down)"
        if self.tries <= 0:
            given_up = f"no brace found {where}: the search was given up after {self.most} tries"
            return f"{given_up}, most often because {most}" if most else given_up
        if not most:
            return f"no brace found {where} because no posture of the snake fits between the walls there"
        often = "" if len(self.rejected) == 1 else ", most often"
        return f"no brace found {where}{often} because {most}"

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
