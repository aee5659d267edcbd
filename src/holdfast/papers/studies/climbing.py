"""The climbing study: where the body may lean on two walls, in two stances, with four grips (Figs. 14, 17, 18).

Hands and feet are the four-finger hand. As in the paper, the feet hold by the opposing grip where the hands pinch, and
by the parallel one where the hands have a pole; else they grip as the hands do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from ... import checks
from ...errors import UnknownNameError
from ...geometry.frames import Pose
from ...grips import GripBounds
from ...postures import support_region
from ...postures.region import SupportRegion
from ...postures.region_computation import Sampling
from ..devices.climber import ClimbingPosture, Wall, climbing_posture
from ..devices.hand_grips import GRIPS, GripName, HandGrip, hand_grip
from ..devices.own_robots import LIMBS
from .climbing_outlines import Outline, lazy_outline

Progress = Callable[[int, int], None]
WallName = Literal["near-vertical", "overhang"]
Stance = Literal["two hands", "one hand"]

#: The walls: near-vertical, leaning back by 5 degrees (our choice), and overhanging by 15 degrees.
WALLS: dict[WallName, Wall] = {
    "near-vertical": Wall(float(np.radians(5.0))),
    "overhang": Wall(float(np.radians(-15.0))),
}

#: The limbs that hold: both feet always do.
STANCES: dict[Stance, tuple[str, ...]] = {
    "two hands": LIMBS,
    "one hand": tuple(limb for limb in LIMBS if limb != "front_right"),
}

#: The grip of the feet by that of the hands, as in the captions of Figs. 17 and 18.
FEET: dict[GripName, GripName] = {
    "opposing": "opposing",
    "parallel": "parallel",
    "pinch": "opposing",
    "power": "parallel",
}

#: Samples by which each grip is learned, and directions along which regions are asked for, unless told otherwise.
SAMPLES, DIRECTIONS = 1000, 32


@dataclass(frozen=True, eq=False)
class ClimbCase:
    """One posture with one grip.

    Attributes:
        wall: which wall.
        stance: which limbs hold.
        grip: of the hands.
        posture: the climber on its holds.
        exact: the region from hands that are not learned.
        inner: the region of the learned inner grips: there it surely holds.
        outer: a region around that of the learned outer grips: beyond it surely does not.
    """

    wall: WallName
    stance: Stance
    grip: GripName
    posture: ClimbingPosture
    exact: Outline
    inner: SupportRegion
    outer: SupportRegion

    @property
    def feet(self) -> GripName:
        """The grip of the feet."""
        return FEET[self.grip]

    @property
    def holds(self) -> Literal["yes", "no", "undecided"]:
        """Whether the body is held with its centre of mass where the posture has it."""
        return self.exact.contains(self.posture.com)

    @property
    def shift(self) -> float:
        """How far into the wall, along the world's x, the nearest place is where the centre of mass is held [m].

        0 where it is held as it is, nan where it is held nowhere.
        """
        return float(self.exact.nearest(self.posture.com)[0] - self.posture.com[0])


@dataclass(frozen=True, eq=False)
class Climb:
    """All that the study found.

    Attributes:
        cases: by wall, stance and grip.
        samples: vertices of the learned inner grips.
        seed: of the directions by which they were learned.
        directions: of the regions.
    """

    cases: tuple[ClimbCase, ...]
    samples: int
    seed: int
    directions: int

    def case(self, wall: WallName, stance: Stance, grip: GripName) -> ClimbCase:
        """One of the cases."""
        found = [c for c in self.cases if (c.wall, c.stance, c.grip) == (wall, stance, grip)]
        if not found:
            known = [f"{c.wall}, {c.stance}, {c.grip}" for c in self.cases]
            raise UnknownNameError("case", f"{wall}, {stance}, {grip}", known, where="case")
        return found[0]


def climbing_grips(
    samples: int = SAMPLES,
    seed: int = 0,
    *,
    names: Sequence[GripName] = GRIPS,
    cache: Path | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> dict[GripName, GripBounds]:
    """The hand's grips, learned, in the palm frame: what rock gives to the body through it (V.A).

    Args:
        samples: vertices of the inner, and half-spaces of the outer sets.
        seed: of the directions.
        names: which grips.
        cache: a folder of grips that were learned before; those missing, or of another hand, are learned and kept.
        workers: processes.
        progress: called as progress(done, total), by grip.
    """
    found: dict[GripName, GripBounds] = {}
    for done, name in enumerate(names):
        found[name] = _grip(hand_grip(name), checks.count("samples", samples), seed, cache, workers)
        if progress is not None:
            progress(done + 1, len(names))
    return found


def climb(
    grips: dict[GripName, GripBounds],
    *,
    walls: Sequence[WallName] = tuple(WALLS),
    stances: Sequence[Stance] = tuple(STANCES),
    names: Sequence[GripName] = GRIPS,
    directions: int = DIRECTIONS,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Climb:
    """Support regions of the climber: exact, inner and outer, for every wall, stance and grip (Figs. 17, 18).

    Args:
        grips: from `climbing_grips`, with those of the feet.
        walls: "near-vertical", "overhang".
        stances: "two hands", "one hand", with two feet each.
        names: grips of the hands.
        directions: along which the exact and the outer regions are asked for.
        cache: a folder of exact regions that were found before.
        progress: called as progress(done, total).
    """
    jobs: list[tuple[WallName, Stance, GripName]] = [
        (wall, stance, name) for wall in walls for stance in stances for name in names
    ]
    cases = []
    for done, (wall, stance, name) in enumerate(jobs):
        cases.append(_case(grips, wall, stance, name, directions, cache))
        if progress is not None:
            progress(done + 1, len(jobs))
    first = next(iter(grips.values()))
    return Climb(tuple(cases), len(first.inner.vertices), first.metadata.seed or 0, directions)


def _case(
    grips: dict[GripName, GripBounds],
    wall: WallName,
    stance: Stance,
    name: GripName,
    directions: int,
    cache: Path | None,
) -> ClimbCase:
    """The three regions of one posture."""
    posture = climbing_posture(WALLS[wall], name, FEET[name])
    limbs = STANCES[stance]
    poses: list[Pose] = [posture.palms[limb] for limb in limbs]
    own: list[GripName] = [name if limb.startswith("front") else FEET[name] for limb in limbs]
    lazy = {grip: hand_grip(grip).lazy() for grip in set(own)}
    exact = lazy_outline([lazy[grip] for grip in own], poses, posture.mass, n=directions, cache=cache)
    inner = support_region([grips[grip].inner for grip in own], poses, posture.mass)
    outer = support_region([grips[grip].outer for grip in own], poses, posture.mass, method=Sampling(directions)).outer
    return ClimbCase(wall, stance, name, posture, exact, inner, outer)


def _grip(hand: HandGrip, samples: int, seed: int, cache: Path | None, workers: int) -> GripBounds:
    """One grip, from the cache where it has it for this very hand."""
    from ...errors import FileError
    from ...grips import learn_grip

    assembly = hand.assembly()
    path = None if cache is None else cache / f"grip_{hand.name}_{samples}_{seed}.h5"
    if path is not None and path.is_file():
        try:
            known = GripBounds.load(path)
        except FileError:
            known = None  # learned again and written anew
        if known is not None and known.metadata.model_hash == assembly.fingerprint:
            return known
    learned = learn_grip(assembly, samples, seed, palm=hand.palm, acting="reaction", workers=workers, label=hand.name)
    if path is not None:
        learned.save(path)
    return learned
