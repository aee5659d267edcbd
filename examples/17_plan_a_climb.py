"""An open-source motion planner moves a climber up a wall; every posture is checked with limb torques and has a proof.

First SciPy moves the body to where the other three hands hold it best. Then RRTConnect plans the swing of the hand and
the motion of the body: that of OMPL where it is installed (`pip install ompl`), otherwise a small one in this file.
`PosturePlanner.feasible` and `margin` say which postures are allowed: joints within their limits, hands within their
grips, limb joints within their torque limits. The sequence is saved; `holdfast view 17_plan_a_climb.json` replays it.

Run it: python examples/17_plan_a_climb.py [FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize

import holdfast as hf
from holdfast import plotting
from holdfast.robots import Hand, PosturePlanner, PostureSequence, Robot, reach

LIMBS = ("front_left", "front_right", "rear_left", "rear_right")

#: Palm frame on the wall, which faces -x: z off the wall into the body, x up. A hand off its hold keeps this clearance.
FACING, CLEARANCE = hf.frame_from_normal((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), 0.04
#: Least margin on the way, as a share of the weight; torque limit of all joints [N m]; largest step of a path [m].
WANTED, TORQUE, STEP = 0.08, 220.0, 0.08

Valid = Callable[[np.ndarray], bool]


def climber() -> tuple[PosturePlanner, np.ndarray, dict[str, np.ndarray]]:
    """(planner, first posture, places of the palms) of a climber; a grip is an ellipsoid of wrenches [N, N m]."""
    points = np.random.default_rng(0).normal(size=(120, 6))
    points = (
        np.concatenate([points, points * [1, -1, 1, -1, 1, -1]]) / np.tile(np.linalg.norm(points, axis=1), 2)[:, None]
    )
    grip = hf.Grip(points * [600.0, 400.0, 550.0, 50.0, 50.0, 40.0] + [150.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    robot = Robot.from_urdf("@climber_without_fingers")
    robot = robot.with_joints({name: hf.assembly.Joint(name, -TORQUE, TORQUE) for name in robot.joint_names})
    hands = [Hand(f"{limb}_palm", (), grip, name=limb) for limb in LIMBS]
    places = {
        limb: np.array([0.0, 0.45 if "left" in limb else -0.45, 0.45 if "front" in limb else -0.5]) for limb in LIMBS
    }
    turn = np.column_stack([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    angles = {f"{limb}_{joint}": angle for limb in LIMBS for joint, angle in ((2, -0.5), (4, 1.0))}
    start = robot.configuration(angles, base=hf.Pose(turn, [-0.4, 0.0, 0.0]))
    found = reach(robot, start, hands, {limb: hf.Pose(FACING, place) for limb, place in places.items()})
    assert found.found, "the first holds are out of reach"
    return PosturePlanner(robot, hands), found.q, places


def straight(a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    """States from a (not included) to b in steps of at most `STEP`."""
    count = max(1, int(np.ceil(np.linalg.norm(b - a) / STEP)))
    return [a + (b - a) * share for share in np.linspace(0.0, 1.0, count + 1)[1:]]


def rrt_connect(valid: Valid, start: np.ndarray, goal: np.ndarray, box: np.ndarray, seed: int) -> list[np.ndarray]:
    """A path from start to goal by two trees that grow towards each other; [] where none was found."""
    rng = np.random.default_rng(seed)
    trees: list[tuple[list[np.ndarray], list[int]]] = [([start], [-1]), ([goal], [-1])]

    def grow(tree: tuple[list[np.ndarray], list[int]], target: np.ndarray) -> bool:
        nodes, parents = tree
        at = int(np.argmin(np.linalg.norm(np.array(nodes) - target, axis=1)))
        for state in straight(nodes[at], target):
            if not valid(state):
                return False
            nodes.append(state)
            parents.append(at)
            at = len(nodes) - 1
        return True

    def back(tree: tuple[list[np.ndarray], list[int]]) -> list[np.ndarray]:
        nodes, parents = tree
        path, at = [], len(nodes) - 1
        while at >= 0:
            path.append(nodes[at])
            at = parents[at]
        return path

    for turn in range(300):
        first, second = trees[turn % 2], trees[1 - turn % 2]
        grow(first, rng.uniform(*box) if turn else 0.5 * (start + goal) + [0, 0, 0, -2 * CLEARANCE, 0, 0])
        if grow(second, first[0][-1]):
            path = back(trees[0])[::-1] + back(trees[1])[1:]
            return path
    return []


def ompl_connect(valid: Valid, start: np.ndarray, goal: np.ndarray, box: np.ndarray, seed: int) -> list[np.ndarray]:
    """The same as `rrt_connect`, with OMPL."""
    from ompl import base, geometric, util

    util.RNG.setSeed(seed + 1)
    space, bounds = base.RealVectorStateSpace(6), base.RealVectorBounds(6)
    for axis, (low, high) in enumerate(box.T):
        bounds.setLow(axis, low)
        bounds.setHigh(axis, high)
    space.setBounds(bounds)
    setup = geometric.SimpleSetup(space)
    setup.setStateValidityChecker(lambda state: valid(np.array([state[i] for i in range(6)])))
    setup.getSpaceInformation().setStateValidityCheckingResolution(STEP / space.getMaximumExtent())
    ends = []
    for values in (start, goal):
        state = space.allocState()
        for axis, value in enumerate(values):
            state[axis] = float(value)
        ends.append(state)
    setup.setStartAndGoalStates(*ends)
    setup.setPlanner(geometric.RRTConnect(setup.getSpaceInformation()))
    if not setup.solve(20.0) or not setup.haveExactSolutionPath():
        return []
    corners = [np.array([state[i] for i in range(6)]) for state in setup.getSolutionPath().getStates()]
    return [corners[0]] + [state for a, b in pairwise(corners) for state in straight(a, b)]


class Mover:
    """One hand of the climber in a stance; states are places of the body and of the hand, (6,) [m].

    Args:
        planner: robot and hands.
        q: the posture that searches start from.
        places: of all palms.
        hand: the one that moves.
    """

    def __init__(self, planner: PosturePlanner, q: np.ndarray, places: dict[str, np.ndarray], hand: str) -> None:
        self.planner, self.q, self.places, self.hand = planner, q, places, hand
        self.rest = planner.lifted(hand)

    def posture(self, state: np.ndarray) -> np.ndarray | None:
        """The posture of a state, by inverse kinematics from `q`; None if none is found near the body position."""
        found, miss = self._reached(state)
        return found if miss == 0.0 else None

    def margin(self, state: np.ndarray) -> float:
        """By how much the other hands hold the body; less than -1 where there is no posture."""
        found, miss = self._reached(state)
        return -1.0 - miss if miss else max(-1.0, self.rest.margin(found))

    def _reached(self, state: np.ndarray) -> tuple[np.ndarray, float]:
        """(posture, its error; 0 if it is reached)."""
        near = np.concatenate([state[:3], self.q[3:]])
        now = {limb: hf.Pose(FACING, at) for limb, at in (self.places | {self.hand: state[3:]}).items()}
        found = reach(self.planner.robot, near, self.planner.hands, now, tolerance=1e-5)
        off = float(np.linalg.norm(found.q[:3] - state[:3]))
        return found.q, (0.0 if found.found else found.error) + (off if off > 0.15 else 0.0)

    def best(self, body: np.ndarray, place: np.ndarray) -> np.ndarray:
        """The state with the hand at `place` and the body, near `body`, where the other hands hold it best."""
        options = {"maxfev": 60, "initial_simplex": body + 0.08 * np.eye(4, 3), "xatol": 1e-3, "fatol": 1e-3}
        found = minimize(
            lambda x: -self.margin(np.concatenate([x, place])), body, method="Nelder-Mead", options=options
        )
        return np.concatenate([found.x, place])

    def swing(self, start: np.ndarray, goal: np.ndarray, seed: int) -> list[np.ndarray]:
        """States in which the hand goes from one hold to another, away from the wall."""

        def valid(state: np.ndarray) -> bool:
            on_hold = min(np.linalg.norm(state[3:] - end[3:]) for end in (start, goal)) < CLEARANCE
            return bool(on_hold or state[3] <= -CLEARANCE) and self.margin(state) >= WANTED

        if not valid(start) or not valid(goal):
            return []
        spread = np.array([0.1, 0.1, 0.1, 3 * CLEARANCE, 0.05, 0.05])
        box = np.array([np.minimum(start, goal) - spread, np.maximum(start, goal) + spread])
        box[1, 3] = 0.0  # not into the wall
        return (ompl_connect if find_spec("ompl") else rrt_connect)(valid, start, goal, box, seed)


def plan(moves: int = 4, rise: float = 0.2) -> PostureSequence:
    """The climber moves one hand after another."""
    planner, q, places = climber()
    everyone = tuple(LIMBS)
    steps = [(q, everyone)]
    for number, hand in enumerate(("front_right", "rear_right", "front_left", "rear_left")[:moves]):
        mover = Mover(planner, q, places, hand)
        here = np.concatenate([q[:3], places[hand]])
        start = mover.best(q[:3], places[hand])
        goal = mover.best(start[:3], places[hand] + [0.0, 0.0, rise])
        leaning, path = straight(here, start), mover.swing(start, goal, number)
        assert path, f"no path was found for {hand}"
        others = tuple(limb for limb in LIMBS if limb != hand)
        steps += [(mover.posture(state), everyone) for state in leaning]
        steps += [(mover.posture(state), others) for state in path[1:]]
        places[hand], q = path[-1][3:], steps[-1][0]
        steps.append((q, everyone))
        print(f"{number + 1}. {hand}: the body leans in {len(leaning)} postures, the hand swings in {len(path) - 1}")
    return PostureSequence.of(planner, steps, "a planned climb")


def main(folder: Path) -> None:
    found = plan()
    found.save(folder / "17_plan_a_climb.json")
    again = hf.load(folder / "17_plan_a_climb.json")
    print(f"{len(again)} postures, least margin {again.margins.min():.0%}, proofs verified: {again.verify()}")
    free = PosturePlanner(again.robot, again.hands, limb_limits=False)
    cost = [
        free.lifted([limb for limb in LIMBS if limb not in names]).margin(q) - margin
        for q, names, margin in zip(again.postures, again.holding, again.margins, strict=True)
    ]
    print(f"the torque limits of the limbs cost up to {max(cost):.0%} of the weight")
    ends = [i for i in range(1, len(again)) if len(again.holding[i - 1]) < len(again.holding[i])]
    chosen = [0, ends[0] - 3, ends[2] - 3, len(again) - 1]
    figure = Figure(figsize=(12.0, 4.4))
    wall = np.array([[0.0, y, z] for y, z in ((0.7, -0.8), (-0.7, -0.8), (-0.7, 1.1), (0.7, 1.1))])
    for column, index in enumerate(chosen):
        ax = figure.add_subplot(1, len(chosen), column + 1, projection="3d")
        own = [hand.palm for hand in again.hands if hand.name in again.holding[index]]
        hf.robots.plots.robot(
            again.robot,
            again.postures[index],
            ax,
            grippers=own,
            sheets=[(wall, "#b9b2a5", 0.35)],
            around=wall,
            title=f"posture {index + 1}: margin {again.margins[index]:.0%}",
            legend=False,
        )
    figure.subplots_adjust(left=0.0, right=0.98, wspace=0.05)
    plotting.save(figure, folder / "17_plan_a_climb.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
