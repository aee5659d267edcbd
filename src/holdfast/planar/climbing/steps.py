"""One step of a climb: the brace that holds, the moves of the rest, and the proof that nothing else can happen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...checks import Array
from ..bracing import Brace, at_rest, brace
from ..chain_parts import first_links, turned
from ..chains import Chain
from ..disturbances import free_part_disturbance, free_part_forces
from ..system import System
from ..torque_modes import admitted_modes
from ..torques import torque_sets
from ..trajectories import RestToRest
from .candidates import Stance
from .channels import Channel
from .moves import free_moves
from .postures import posture_of
from .results import ClimbStep, stands_still

#: Instants of each move that are sampled for margins and the test of the whole robot.
SAMPLES = 9

#: Instants of each move from which the certified box of disturbances is made, SAMPLES among them.
DENSE = 16 * (SAMPLES - 1) + 1

#: Shares of the handover that are tested.
HANDOVER = (0.0, 0.25, 0.5, 0.75, 1.0)


#: A node touches a wall when it is within this share of the channel's least width of it.
TOUCHES = 1e-6


@dataclass(frozen=True)
class Climber:
    """Who climbs where, and what is asked of every brace.

    Attributes:
        chain, channel: the snake and its walls.
        mu: friction coefficient of the walls.
        friction: (lower, upper) coefficients the braces must bear, or None for `mu` alone; `mu` is among them.
        limits: (lower, upper) joint torques, each (n - 1,) [N m].
        margin: least distance of a brace's torque from any other behaviour [N m].
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

    def seen_from(self, stance: Stance) -> tuple[Chain, Array, tuple[Array, Array]]:
        """(chain, posture, limits) counted from the end that braces."""
        if stance.end == "lower":
            return self.chain, posture_of(stance.nodes), self.limits
        low, high = self.limits
        return turned(self.chain), posture_of(stance.nodes[::-1]), (-high[::-1], -low[::-1])

    def contacts(self, stance: Stance) -> tuple[tuple[int, Array, float], ...]:
        """(node, normal, mu) of the brace, counted from the end that braces."""
        holds = stance.holds if stance.end == "lower" else stance.holds[::-1]
        return tuple((i, hold.normal, self.mu) for i, hold in enumerate(holds))

    def own_contacts(self, stance: Stance) -> tuple[tuple[int, Array, Array, float], ...]:
        """(node, foothold, normal, mu) of the brace, counted from the lower end."""
        pairs = zip(stance.brace_nodes, stance.holds, strict=True)
        return tuple((node, hold.point, hold.normal, self.mu) for node, hold in pairs)

    def brace(self, stance: Stance, disturbance: object) -> Brace:
        """The brace of a stance under a disturbance set."""
        chain, q, (low, high) = self.seen_from(stance)
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

    def at_rest(self, stance: Stance) -> tuple[Brace, Array]:
        """The brace that bears the robot standing still, and all joint torques, from the lower end [N m]."""
        chain, q, _ = self.seen_from(stance)
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
    "thin": "its torques are nearer to another motion than the wanted margin",
    "impact": "a contact runs into its wall",
}


def why_not(found: Brace) -> str:
    """Why a brace does not hold, in words without numbers, so that equal reasons can be counted."""
    return _FAILURES[found.status]


def take_step(climber: Climber, stance: Stance, target: Stance, *, proven: bool = True) -> ClimbStep | str:
    """The step from `stance` to the posture of `target`, in which the other end braces; or why it cannot be taken.

    Without `proven` the margins over time are left out, and empty in the answer.
    """
    following, next_torques = climber.at_rest(target)
    if not following.holds:
        return f"the {target.end} brace would not hold: {why_not(following)}"
    chain, start, (low, high) = climber.seen_from(stance)
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
    if (torques < low - 1e-12).any() or (torques > high + 1e-12).any():
        return "a joint of the free part exceeds its torque limits"
    own = torques if not turn else -torques[:, ::-1]
    handover = np.array([(1.0 - s) * own[-1] + s * next_torques for s in HANDOVER])
    modes = tuple(_resting_modes(climber, target.nodes, (stance, target), tau) for tau in handover)
    if not all(stands_still(found) for found in modes):
        return "the load cannot be handed over without ambiguity"
    certain = _certain(climber, stance, chain, q, qd, torques)
    certain[0] = stands_still(_resting_modes(climber, stance.nodes, (stance,), own[0]))
    certain[-1] = stands_still(modes[0])
    if not certain.all():
        return "the whole robot can move otherwise at an instant of the move"
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
    """Of DENSE values for each move, those at its SAMPLES instants."""
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


def _margins(climber: Climber, stance: Stance, held: Brace, forces: Array) -> Array:
    """Margins of the brace's torque under the disturbances (T, b) one by one [N m]."""
    chain, q, (low, high) = climber.seen_from(stance)
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


def _certain(climber: Climber, stance: Stance, chain: Chain, q: Array, qd: Array, torques: Array) -> Array:
    """(T,) whether the whole robot in motion admits no contact mode but the brace's, at each coefficient of friction.

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


def _touching(climber: Climber, nodes: Array, stances: tuple[Stance, ...]) -> list[tuple[int, Array]]:
    """(node, normal) of all nodes (n + 1, 2) on the walls, from the lower end: those of the stances, and any other."""
    channel = climber.channel
    found = {node: normal for stance in stances for node, _, normal, _ in climber.own_contacts(stance)}
    near = TOUCHES * channel.least_width
    for node, side in np.argwhere(channel.gaps(nodes) <= near):
        hold = channel.foothold("left" if side == 0 else "right", float(nodes[node, 1]))
        if hold is not None:
            found.setdefault(int(node), hold.normal)
    return sorted(found.items(), key=lambda pair: pair[0])


def _resting_modes(climber: Climber, nodes: Array, stances: tuple[Stance, ...], torque: Array) -> tuple[str, ...]:
    """Contact modes of the whole robot at rest under joint torques, from the lower end, all touching nodes counted.

    At every coefficient of friction tried; one mode, all fixed, is certain.
    """
    touching = _touching(climber, nodes, stances)
    posture = posture_of(nodes)
    found: dict[str, None] = {}
    for mu in climber.coefficients:
        system = climber.chain.system(posture, None, [(node, normal, mu) for node, normal in touching])
        found.update(dict.fromkeys(admitted_modes(system, torque)))
    return tuple(found)
