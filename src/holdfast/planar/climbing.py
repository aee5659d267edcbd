"""Climbing by bracing (Greenfield et al. 2005, section III).

A snake between two walls holds on with one end, moves the other end up from rest to rest, braces there and pulls itself
up. Each step has a brace that holds under every disturbance of the move, and is tested for other possible contact
modes. The planner searches depth-first over stances, the highest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..public_names import with_advice
from ..results import Result
from .chains import Chain, RestToRest, check_snake, first_links, turned
from .channels import LEAST_RISE, BracedStance, Channel, Side, first_stances, next_stances, nodes_of, posture_of, rises
from .disturbances import Brace, at_rest, brace, free_part_disturbance, free_part_forces
from .system import System
from .torque_space import admitted_modes
from .torques import torque_bounds, torque_sets

#: Instants at which a move is tested against the walls; the test does not prove the instants between them.
INSTANTS = 33

#: Free nodes, and free links next to a corner of a wall, keep this share of the channel's least width from the walls
#: while they move. Near old and new footholds the required distance grows and shrinks with the distance moved.
CLEARANCE = 0.01

#: How far the free nodes move towards the channel's middle, as shares of the distance.
DRAWN = (0.3, 0.5, 0.15, 0.7)


def free_moves(
    channel: Channel, links: Array, start: Array, end: Array, fixed: int, upward: bool, duration: float
) -> list[RestToRest] | None:
    """Moves of all but the first `fixed` links from posture `start` to `end`, clear of the walls, or None.

    Directly where possible; else through postures nearer to the middle, at the start, at the end or at both. At every
    tested instant except the first and the last the free nodes are off the walls (see `CLEARANCE`).
    """
    for stations in _ways(channel, links, start, end, fixed, upward):
        legs = list(pairwise(stations))
        last = len(legs) - 1
        if all(_is_clear(channel, links, a, b, fixed, i == 0, i == last) for i, (a, b) in enumerate(legs)):
            return [RestToRest(a, b, duration) for a, b in legs]
    return None


def _ways(channel: Channel, links: Array, start: Array, end: Array, fixed: int, upward: bool) -> Iterator[list[Array]]:
    """Lists of postures to pass, the fewest first."""
    yield [start, end]
    drawn = [_drawn_in(channel, links, start, fixed, upward, d) for d in DRAWN]
    near = [_drawn_in(channel, links, end, fixed, upward, d) for d in DRAWN]
    for out, back in zip(drawn, near, strict=True):
        yield [start, out, back, end]
    for out, back in zip(drawn, near, strict=True):
        yield [start, out, end]
        yield [start, back, end]


def _drawn_in(channel: Channel, links: Array, q: Array, fixed: int, upward: bool, drawn: float) -> Array:
    """`q` with each free node moved sideways towards the channel's middle, the links staying as long as they are."""
    nodes = nodes_of(q, links)
    up = 1.0 if upward else -1.0
    placed = nodes[fixed]
    angles = np.cumsum(q[2:])
    for i in range(fixed, len(links)):
        aside = (1.0 - drawn) * (nodes[i + 1, 0] - channel.middle(float(nodes[i + 1, 1])))
        height = float(nodes[i + 1, 1])
        across = rise = 0.0
        for _ in range(4):  # the middle at the new position of the node counts
            across = np.clip((channel.middle(height) + aside - placed[0]) / links[i], -0.99, 0.99)
            rise = up * np.sqrt(1.0 - across**2)
            height = float(placed[1] + links[i] * rise)
        turn = np.arctan2(rise, across) - angles[i]
        angles[i] += np.mod(turn + np.pi, 2.0 * np.pi) - np.pi
        placed = placed + links[i] * np.array([across, rise])
    result = np.concatenate([q[:3], np.diff(angles)])
    result[: fixed + 2] = q[: fixed + 2]  # the brace does not move, exactly
    return result


def _is_clear(
    channel: Channel, links: Array, start: Array, end: Array, fixed: int, leaving: bool, coming: bool
) -> bool:
    """Whether a move stays between the walls and its free part off them, at the instants tested."""
    q, _, _ = RestToRest(start, end, 1.0).at(np.linspace(0.0, 1.0, INSTANTS))
    nodes = nodes_of(q, links)
    if not (rises(nodes).all() and channel.holds(nodes).all()):
        return False
    way = float(np.abs(end - start).max())
    share = np.linspace(0.0, 1.0, INSTANTS) if way == 0.0 else np.abs(q - start).max(axis=1) / way
    ramp = np.ones(INSTANTS)
    if leaving:
        ramp = np.minimum(ramp, 2.0 * share)
    if coming:
        ramp = np.minimum(ramp, 2.0 * (1.0 - share))
    wanted = CLEARANCE * channel.least_width * ramp
    inner = slice(1 if leaving else 0, -1 if coming else None)
    return bool((channel.clearances(nodes[:, fixed:]) >= wanted)[inner].all())


def stands_still(modes: tuple[str, ...]) -> bool:
    """Whether there is only one contact mode, in which every contact is fixed."""
    return len(modes) == 1 and set(modes[0]) == {"F"}


@dataclass(frozen=True)
class ClimbStep:
    """One end of the snake braces while the other moves up and braces again.

    Nodes and joints are counted from the lower end of the snake in all arrays.

    Attributes:
        kind: "reach": the lower end braces, the upper end goes up; "pull": the reverse.
        brace: the brace that holds during the step, counted from its own end of the snake.
        brace_nodes: its nodes, all of which touch.
        contacts: (node, foothold (2,) [m], normal (2,), mu) of the brace, from the lower end.
        next_contacts: the same of the brace that the step ends with.
        times: (T,) [s] from the step's start.
        postures: (T, n + 2) [m, rad].
        nodes: (T, n + 1, 2) [m].
        torques: (T, n - 1) joint torques [N m]: the brace's constant one, the others as the motion needs.
        margins: (T,) distance of the brace's torque from any other motion, under the disturbance of that instant [N m].
        disturbance: (lower, upper) box on the brace's coordinates, certified for the whole step.
        certain: (T,) whether the whole robot, with its motion and torques, has no other contact mode: at the first and
            the last instant with all nodes that touch; between them, where the free nodes are off the walls, with the
            nodes of the brace.
        handover: (H, n - 1) joint torques [N m] while the load is transferred to the next brace, both touching: five
            points on the line from the last torque to the one that holds the robot at rest on the next brace.
        handover_modes: for each of these the contact modes that all touching nodes admit; a single mode is certain.
    """

    kind: Literal["reach", "pull"]
    brace: Brace
    brace_nodes: tuple[int, ...]
    contacts: tuple[tuple[int, Array, Array, float], ...]
    next_contacts: tuple[tuple[int, Array, Array, float], ...]
    times: Array
    postures: Array
    nodes: Array
    torques: Array
    margins: Array
    disturbance: tuple[Array, Array]
    certain: Array
    handover: Array
    handover_modes: tuple[tuple[str, ...], ...]

    @property
    def is_verified(self) -> bool:
        """Whether the brace is certain to stay at rest at the instants `times` and at the five points of the handover.

        With uncertain friction the whole robot is tested at the ends of the interval and at `mu`, the same at all
        contacts. Between the instants only the brace itself is proven, against the certified box of disturbances.
        """
        return (
            bool(len(self.certain))
            and bool(self.certain.all())
            and bool(self.handover_modes)
            and all(stands_still(modes) for modes in self.handover_modes)
        )


@dataclass(frozen=True)
class SnakeClimb(Result):
    """A climb, as far as it went.

    Attributes:
        status: "reached": the lowest contact is at the goal, every step verified; "stuck": the goal was not reached.
        reason: one sentence; when stuck, why.
        chain, channel: the snake and its walls.
        steps: in order.
        start: (n + 2,) the first posture; None where no brace held at the start.
        rejected: how many candidates failed, by kind of reason, over the whole search.
    """

    TABLE: ClassVar[str] = "steps"

    status: Literal["reached", "stuck"]
    reason: str
    chain: Chain
    channel: Channel
    start: Array | None
    steps: tuple[ClimbStep, ...]
    rejected: dict[str, int]

    @property
    def lowest(self) -> Array:
        """Height of the lowest contact at the start and after each step [m]; empty where there is no start."""
        if self.start is None:
            return np.zeros(0)
        heights = [float(self.chain.nodes(self.start)[0, 1])]
        heights += [float(step.nodes[-1, 0, 1]) for step in self.steps]
        return np.array(heights)

    @property
    def margin(self) -> float:
        """The least robust margin of all braces [N m]; inf without steps."""
        return min((step.brace.margin for step in self.steps), default=np.inf)

    @property
    def is_verified(self) -> bool:
        """Whether every step is verified; a climb without steps is if it starts at its goal."""
        return (self.status == "reached" or bool(self.steps)) and all(step.is_verified for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        return {
            "status": self.status,
            "reason": self.reason,
            "verified": self.is_verified,
            "margin": None if not self.steps else self.margin,
            "lowest_contact": self.lowest.tolist(),
            "rejected": dict(self.rejected),
            "walls": {"left": self.channel.left.tolist(), "right": self.channel.right.tolist()},
            "steps": [
                {
                    "kind": step.kind,
                    "brace_nodes": list(step.brace_nodes),
                    "contacts": [
                        {"node": node, "point": point.tolist(), "normal": normal.tolist(), "mu": mu}
                        for node, point, normal, mu in step.contacts
                    ],
                    "torque": step.brace.torque.tolist(),
                    "margin": step.brace.margin,
                    "verified": step.is_verified,
                    "disturbance": [side.tolist() for side in step.disturbance],
                    "times": step.times.tolist(),
                    "nodes": step.nodes.tolist(),
                    "torques": step.torques.tolist(),
                    "margins": step.margins.tolist(),
                    "handover": step.handover.tolist(),
                }
                for step in self.steps
            ],
        }


#: Instants of each move that are sampled for margins and the test of the whole robot.
SAMPLES = 9

#: Instants of each move from which the certified box of disturbances is made, SAMPLES among them.
DENSE = 16 * (SAMPLES - 1) + 1

#: Shares of the handover that are tested.
HANDOVER = (0.0, 0.25, 0.5, 0.75, 1.0)


#: Torques that exceed a limit by at most this rounding count as at the limit [N m].
AT_LIMIT = 1e-12

#: A node touches a wall when it is within this share of the channel's least width of it.
TOUCHES = 1e-6


@dataclass(frozen=True)
class SnakeClimber:
    """The snake, its walls, and the requirements on every brace.

    Attributes:
        chain, channel: the snake and its walls.
        mu: friction coefficient of the walls.
        friction: (lower, upper) coefficients under which the braces must hold, or None for `mu` alone; includes `mu`.
        limits: (lower, upper) joint torques, each (n - 1,) [N m].
        margin: least distance of a brace's torque from any other motion [N m].
        duration: of each move [s].
    """

    chain: Chain
    channel: Channel
    mu: float
    friction: tuple[float, float] | None
    limits: tuple[Array, Array]
    margin: float
    duration: float

    @property
    def coefficients(self) -> tuple[float, ...]:
        """Friction coefficients, the same at all contacts, at which the whole robot is tested: the ends and `mu`."""
        return tuple(sorted({self.mu, *(self.friction or ())}))

    def from_brace(self, stance: BracedStance) -> tuple[Chain, Array, tuple[Array, Array]]:
        """(chain, posture, limits) counted from the end that braces."""
        if stance.end == "lower":
            return self.chain, posture_of(stance.nodes), self.limits
        low, high = self.limits
        return turned(self.chain), posture_of(stance.nodes[::-1]), (-high[::-1], -low[::-1])

    def contacts(self, stance: BracedStance) -> tuple[tuple[int, Array, float], ...]:
        """(node, normal, mu) of the brace, counted from the end that braces."""
        holds = stance.holds if stance.end == "lower" else stance.holds[::-1]
        return tuple((i, hold.normal, self.mu) for i, hold in enumerate(holds))

    def own_contacts(self, stance: BracedStance) -> tuple[tuple[int, Array, Array, float], ...]:
        """(node, foothold, normal, mu) of the brace, counted from the lower end."""
        pairs = zip(stance.brace_nodes, stance.holds, strict=True)
        return tuple((node, hold.point, hold.normal, self.mu) for node, hold in pairs)

    def brace(self, stance: BracedStance, disturbance: object) -> Brace:
        """The brace of a stance under a disturbance set."""
        chain, q, (low, high) = self.from_brace(stance)
        own = stance.links - 1
        return brace(
            chain,
            stance.links,
            q,
            self.contacts(stance),
            disturbance=disturbance,
            limits=(low[:own], high[:own]),
            friction=self.friction,
            margin=self.margin,
        )

    def at_rest(self, stance: BracedStance) -> tuple[Brace, Array]:
        """The brace that holds the robot at rest, and all joint torques, from the lower end [N m]."""
        chain, q, _ = self.from_brace(stance)
        zero = np.zeros_like(q)
        force = free_part_forces(chain, stance.links, q, zero, zero)[0]
        found = self.brace(stance, (force, force))
        torques = chain.dynamics(q)[2][3:]
        torques[: stance.links - 1] = found.torque
        return found, torques if stance.end == "lower" else -torques[::-1]


#: Why a brace does not hold, by its status.
_FAILURES = {
    "infeasible": "no torque within the limits holds it",
    "ambiguous": "every torque that holds it also allows another motion",
    "thin": "its torques are closer to another motion than the required margin",
    "impact": "a contact moves into its wall (impact)",
}


def why_not(found: Brace) -> str:
    """Why a brace does not hold, in words without numbers, so that equal reasons can be counted."""
    return _FAILURES[found.status]


def take_step(
    climber: SnakeClimber, stance: BracedStance, target: BracedStance, *, proven: bool = True
) -> ClimbStep | str:
    """The step from `stance` to the posture of `target`, in which the other end braces; or why it cannot be taken.

    Without `proven` the margins over time are left out, and empty in the answer.
    """
    following, next_torques = climber.at_rest(target)
    if not following.holds:
        return f"the {target.end} brace would not hold: {why_not(following)}"
    chain, start, (low, high) = climber.from_brace(stance)
    turn = stance.end == "upper"
    end = posture_of(target.nodes[::-1] if turn else target.nodes)
    size = stance.links + 2
    end[:size] = start[:size]
    moves = free_moves(climber.channel, np.asarray(chain.links), start, end, stance.links, not turn, climber.duration)
    if moves is None:
        return "no move of the free part keeps clear of the walls"
    acting = free_part_disturbance(chain, stance.links, moves, DENSE)
    held = climber.brace(stance, acting.set)
    if not held.holds:
        return f"the {stance.end} brace does not hold the move: {why_not(held)}"
    times, q, qd, torques = _motion(chain, moves, stance.links, held.torque)
    if (torques < low - AT_LIMIT).any() or (torques > high + AT_LIMIT).any():
        return "a joint of the free part exceeds its torque limits"
    own = torques if not turn else -torques[:, ::-1]
    handover = np.array([(1.0 - s) * own[-1] + s * next_torques for s in HANDOVER])
    modes = tuple(_resting_modes(climber, target.nodes, (stance, target), tau) for tau in handover)
    if not all(stands_still(found) for found in modes):
        return "the load cannot be transferred to the next brace without ambiguity"
    certain = _certain(climber, stance, chain, q, qd, torques)
    certain[0] = stands_still(_resting_modes(climber, stance.nodes, (stance,), own[0]))
    certain[-1] = stands_still(modes[0])
    if not certain.all():
        return "at an instant of the move the whole robot admits another contact mode"
    none = np.zeros(0)
    reach = np.array([np.abs(part).sum() for part in acting.set.basis])
    return ClimbStep(
        kind="pull" if turn else "reach",
        brace=held,
        brace_nodes=stance.brace_nodes,
        contacts=climber.own_contacts(stance),
        next_contacts=climber.own_contacts(target),
        times=times,
        postures=q if not turn else np.array([posture_of(chain.nodes(one)[::-1]) for one in q]),
        nodes=np.array([chain.nodes(one)[:: -1 if turn else 1] for one in q]),
        torques=own,
        margins=none
        if not proven
        else _margins(
            climber, stance, held, _sparse(acting.forces, len(moves))[_first_of_each(_sparse(acting.times, len(moves)))]
        ),
        disturbance=(acting.set.centre - reach, acting.set.centre + reach),
        certain=certain,
        handover=handover,
        handover_modes=modes,
    )


def _sparse(values: Array, moves: int) -> Array:
    """From DENSE values per move, those at the SAMPLES instants."""
    each = values.reshape(moves, DENSE, -1)[:, :: (DENSE - 1) // (SAMPLES - 1)]
    return each.reshape(moves * SAMPLES, *values.shape[1:])


def _first_of_each(times: Array) -> Array:
    """Indices that leave out an instant where one move ends and the next begins."""
    return np.flatnonzero(np.append(True, np.diff(times) > 0.0))


def _motion(chain: Chain, moves: list[RestToRest], links: int, torque: Array) -> tuple[Array, Array, Array, Array]:
    """(times, q, qd, joint torques) of the moves in turn, with the brace's torque on its joints."""
    times: list[Array] = []
    states: list[tuple[Array, Array, Array]] = []
    begin = 0.0
    for move in moves:
        t = np.linspace(0.0, move.duration, SAMPLES)
        states.append(move.at(t))
        times.append(begin + t)
        begin += move.duration
    stacked = np.concatenate(times)
    keep = _first_of_each(stacked)
    q, qd, qdd = (np.vstack(part)[keep] for part in zip(*states, strict=True))
    torques = chain.inverse_dynamics(q, qd, qdd)[:, 3:]
    torques[:, : links - 1] = torque
    return stacked[keep], q, qd, torques


def _margins(climber: SnakeClimber, stance: BracedStance, held: Brace, forces: Array) -> Array:
    """Margins of the brace's torque under the disturbances (T, b) one by one [N m]."""
    chain, q, (low, high) = climber.from_brace(stance)
    own = first_links(chain, stance.links)
    system = own.system(q[: stance.links + 2], None, climber.contacts(stance))
    limits = (low[: stance.links - 1], high[: stance.links - 1])
    mode, tasks = "F" * system.contact_count, at_rest(system)
    margins = [
        torque_sets(_pushed(system, force), mode, tasks, None, limits, friction=climber.friction).margin(held.torque)
        for force in forces
    ]
    return np.array(margins, dtype=float)


def _pushed(system: System, force: Array) -> System:
    return System(
        system.mass_matrix,
        system.bias + force,
        system.selector,
        system.normal_jacobian,
        system.tangent_jacobian,
        system.mu,
    )


def _certain(climber: SnakeClimber, stance: BracedStance, chain: Chain, q: Array, qd: Array, torques: Array) -> Array:
    """(T,) whether the moving robot admits no contact mode other than the brace's, at each coefficient of friction.

    Only the brace touches: between its first and last instant a move keeps the free nodes off the walls.
    """
    contacts = climber.contacts(stance)
    wanted = ("F" * len(contacts),)
    result = np.ones(len(q), dtype=bool)
    for mu in climber.coefficients:
        touching = [(node, normal, mu) for node, normal, _ in contacts]
        for i in range(1, len(q) - 1):
            result[i] &= admitted_modes(chain.system(q[i], qd[i], touching), torques[i]) == wanted
    return result


def _touching(climber: SnakeClimber, nodes: Array, stances: tuple[BracedStance, ...]) -> list[tuple[int, Array]]:
    """(node, normal) of all nodes (n + 1, 2) on the walls, from the lower end: nodes of the stances and all others."""
    channel = climber.channel
    found = {node: normal for stance in stances for node, _, normal, _ in climber.own_contacts(stance)}
    near = TOUCHES * channel.least_width
    for node, side in np.argwhere(channel.gaps(nodes) <= near):
        hold = channel.foothold("left" if side == 0 else "right", float(nodes[node, 1]))
        if hold is not None:
            found.setdefault(int(node), hold.normal)
    return sorted(found.items(), key=lambda pair: pair[0])


def _resting_modes(
    climber: SnakeClimber, nodes: Array, stances: tuple[BracedStance, ...], torque: Array
) -> tuple[str, ...]:
    """Contact modes of the whole robot at rest under joint torques, from the lower end, all touching nodes counted.

    For every coefficient of friction tried; a single mode, all fixed, is certain.
    """
    touching = _touching(climber, nodes, stances)
    posture = posture_of(nodes)
    found: dict[str, None] = {}
    for mu in climber.coefficients:
        system = climber.chain.system(posture, None, [(node, normal, mu) for node, normal in touching])
        found.update(dict.fromkeys(admitted_modes(system, torque)))
    return tuple(found)


#: A new brace must be higher than the old one by this share of a link.
GAIN = 0.05

#: Default margin: the weight of the robot times its longest link times this.
MARGIN = 0.01

#: First postures from which a climb is tried.
FIRST_POSTURES = 4


@with_advice()
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
) -> SnakeClimb:
    """Climb by bracing until the lowest contact is at height `goal` [m].

    Args:
        chain: an unbranched snake with a motor in every joint.
        channel: the walls.
        goal: wanted height of the lowest contact [m].
        mu: friction coefficient of the walls.
        brace_links: how many links may brace at an end, in the order they are tried; all nodes of a brace touch.
        friction: (lower, upper) coefficients, `mu` among them, under which the braces must hold, independent per
            contact. The whole robot is tested at both ends and at `mu`, the same at all contacts.
        limits: (lower, upper) joint torques [N m], each one number or one per joint.
        margin: least distance of a brace's torque from any other motion [N m]; a hundredth of the robot's weight
            times its longest link by default.
        duration: of each move of the free part [s]; there are up to three per step.
        start: height of the lowest node at the start [m]; the channel's bottom by default.
        side: the wall it touches there.
        branches: continuations tried from a stance before going back to the one before.
        tries: total number of steps tried before the search ends.
    """
    first, counts = check_request(chain, channel, goal, mu, brace_links, friction, start)
    if side not in get_args(Side):
        raise UnknownNameError("side", str(side), get_args(Side), where="side")
    joints = len(chain.links) - 1
    weight = float(chain.masses.sum() + np.asarray(chain.link_masses).sum()) * float(np.linalg.norm(chain.gravity))
    least = MARGIN * weight * float(np.max(chain.links)) if margin is None else margin
    climber = SnakeClimber(
        chain,
        channel,
        float(mu),
        None if friction is None else (float(friction[0]), float(friction[1])),
        torque_bounds(limits, joints),
        checks.number("margin", least, low=0.0, unit="N m"),
        checks.positive("duration", duration, unit="s"),
    )
    search = _ClimbSearch(
        climber, counts, float(goal), checks.count("branches", branches), checks.count("tries", tries)
    )
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
    """(height of the start [m], numbers of bracing links); an impossible request raises InputError."""
    checks.instance("chain", chain, Chain, fix="give a holdfast.planar.Chain")
    check_snake(chain)
    checks.instance("channel", channel, Channel, fix="give a holdfast.planar.Channel")
    counts = _counts(brace_links, len(chain.links))
    _check_friction(friction, checks.number("mu", mu, low=0.0))
    first = channel.bottom if start is None else checks.number("start", start)
    if not channel.bottom <= first < channel.top:
        fix = f"the walls reach from {channel.bottom:g} to {channel.top:g} m"
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
        what = f"is {mu:g}, outside friction {low:g} to {high:g}"
        raise InputError(what, where="mu", fix="give a mu within friction")


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


#: Steps of a climb: from which stance to which.
_Path = list[tuple[BracedStance, BracedStance]]


class _ClimbSearch:
    """Depth-first search; keeps the best climb so far and counts the reasons of rejected candidates."""

    def __init__(self, climber: SnakeClimber, counts: list[int], goal: float, branches: int, tries: int) -> None:
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

    def run(self, start: float, side: Side) -> SnakeClimb:
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
    ) -> SnakeClimb:
        """The climb along `path`; each step is computed again with its proofs, and the first that fails ends it."""
        climber = self.climber
        steps: list[ClimbStep] = []
        for stance, target in path:
            step = take_step(climber, stance, target)
            if isinstance(step, str) or not step.is_verified:
                why = step if isinstance(step, str) else "it is not certain"
                status, reason = "stuck", f"step {len(steps) + 1} was found but failed its proof because {why}"
                break
            steps.append(step)
        return SnakeClimb(status, reason, climber.chain, climber.channel, posture, tuple(steps), dict(self.rejected))

    def _reason(self, where: str) -> str:
        """Why the search ended: the limit of tries, or no more candidates."""
        most = ""
        if self.rejected:
            (why, times), *_ = self.rejected.most_common(1)
            most = f"{why} ({times} of {sum(self.rejected.values())} candidates rejected)"
        if self.tries <= 0:
            given_up = f"no brace found {where}: the search ended after {self.most} tries"
            return f"{given_up}, most often because {most}" if most else given_up
        if not most:
            return f"no brace found {where} because no posture of the snake fits between the walls there"
        often = "" if len(self.rejected) == 1 else ", most often"
        return f"no brace found {where}{often} because {most}"

    def _extend(self, stance: BracedStance, steps: _Path) -> _Path | None:
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
