"""What a climb is: steps, each with a brace that holds, the moves of the rest, torques and margins over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from ... import checks
from ...checks import Array
from ..bracing import Brace
from ..chains import Chain
from .channels import Channel
from .postures import nodes_of


def stands_still(modes: tuple[str, ...]) -> bool:
    """Whether these contact modes are one alone, in which every contact is fixed."""
    return len(modes) == 1 and set(modes[0]) == {"F"}


@dataclass(frozen=True)
class ClimbStep:
    """One end of the snake braces while the other moves up and braces anew.

    All arrays are in the snake's own count of nodes and joints, from its lower end.

    Attributes:
        kind: "reach": the lower end braces, the upper end goes up; "pull": the other way round.
        brace: the brace that holds meanwhile, counted from its own end of the snake.
        brace_nodes: its nodes, all of which touch.
        contacts: (node, foothold (2,) [m], normal (2,), mu) of the brace, from the lower end.
        next_contacts: the same of the brace that the step ends with.
        times: (T,) [s] from the step's start.
        postures: (T, n + 2) [m, rad].
        nodes: (T, n + 1, 2) [m].
        torques: (T, n - 1) joint torques [N m]: the brace's constant one, the others as the motion needs.
        margins: (T,) how far the brace's torque is from any other behaviour, disturbed as at that instant [N m].
        disturbance: (lower, upper) box on the brace's coordinates, certified for the whole step.
        certain: (T,) whether the whole robot, moving as it does under all its torques, has no other contact mode; at
            the first and the last instant with all nodes that touch, between them, where the free nodes are off the
            walls, with those of the brace.
        handover: (H, n - 1) joint torques [N m] by which the load passes to the next brace, both touching: five points
            of the straight line from the last torque to the one that bears the robot at rest on the next brace.
        handover_modes: for each of those the contact modes that all touching nodes admit; one alone is certain.
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
        """Whether the brace cannot but stand still at the instants `times` and at the five points of the handover.

        With uncertain friction the whole robot is tested at the ends of the interval and at `mu`, all contacts alike.
        Between the instants only the brace itself is proven, against the certified box of disturbances.
        """
        return (
            bool(len(self.certain))
            and bool(self.certain.all())
            and bool(self.handover_modes)
            and all(stands_still(modes) for modes in self.handover_modes)
        )


class Frames(NamedTuple):
    """A climb at even instants.

    Attributes:
        times: (T,) [s].
        nodes: (T, n + 1, 2) [m].
        torques: (T, n - 1) [N m].
        margins: (T,) [N m].
        steps: (T,) index of the step.
        bracing: the nodes that brace, for each instant.
    """

    times: Array
    nodes: Array
    torques: Array
    margins: Array
    steps: Array
    bracing: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Climb:
    """A climb, as far as it went.

    Attributes:
        status: "reached": the lowest contact is at the goal, every step verified; "stuck": it did not get there.
        reason: one sentence; when stuck, why.
        chain, channel: who climbed where.
        steps: in order.
        start: (n + 2,) the first posture; None where no brace held at the start.
        rejected: how many candidates failed, by kind of reason, over the whole search.
    """

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
        """Whether every step is; a climb that took none is only where it stands at its goal already."""
        return (self.status == "reached" or bool(self.steps)) and all(step.is_verified for step in self.steps)

    def frames(self, rate: float = 25.0) -> Frames:
        """The whole climb at `rate` [1/s], for animations and plots over time; none where there is no start."""
        checks.positive("rate", rate, unit="1/s")
        parts: list[tuple[Array, ...]] = []
        bracing: list[tuple[int, ...]] = []
        begin = 0.0
        for index, step in enumerate(self.steps):
            span = float(step.times[-1])
            t = np.linspace(0.0, span, max(2, round(span * rate) + 1))
            postures, torques, margins = (
                _between(t, step.times, values) for values in (step.postures, step.torques, step.margins[:, None])
            )
            nodes = nodes_of(postures, np.asarray(self.chain.links))
            if step.kind == "pull":  # the brace is at the upper end: that is what stands still to the last bit
                nodes += step.nodes[0, -1] - nodes[:, -1:]
            parts.append((begin + t, nodes, torques, margins[:, 0], np.full(len(t), index)))
            bracing += [step.brace_nodes] * len(t)
            begin += span
        if not parts:
            count, joints = int(self.start is not None), len(self.chain.links) - 1
            nodes = np.zeros((0, joints + 2, 2)) if self.start is None else self.chain.nodes(self.start)[None]
            none = np.zeros(count)
            return Frames(
                none, nodes, np.zeros((count, joints)), none + np.nan, np.zeros(count, dtype=int), ((),) * count
            )
        times, nodes, torques, margins, steps = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Frames(times, nodes, torques, margins, steps, tuple(bracing))

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


def _between(t: Array, times: Array, values: Array) -> Array:
    """(len(t), k) values (T, k) at `times` (T,), linearly in between."""
    return np.column_stack([np.interp(t, times, column) for column in values.T])
