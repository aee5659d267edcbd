"""Answers of a contacts page: what a state of its controls comes to, each solve starting where the last one ended."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..assembly import JointRows
from ..assembly.assembly import Assembly
from ..assembly.loads import STANDARD_GRAVITY, gravity_wrench
from ..checks import Array, BoolArray
from ..solvers import Status
from ..statics.equilibrium import Equilibrium, LoadLimit
from ..web.verdict import Tone, Verdict
from .page_contact_sources import Source, with_volumes_of
from .page_contact_states import ContactState, direction, units_of
from .page_limit_marks import contacts_at_limit, joints_at_limit

if TYPE_CHECKING:
    from ..force_limits import ForceVolume
    from ..statics.solver import Warm
    from .scene import Scene

#: Postures whose scenes are kept, so that going back and forth costs nothing.
KEPT_POSTURES = 8

#: Load factors below this are shown as none.
NO_LOAD = 1e-9

#: How often the share of an added load is halved to find what is held; a warm question takes a tenth of a millisecond.
HALVINGS = 10

TONES: dict[Status, Tone] = {Status.HOLDS: "good", Status.DOES_NOT_HOLD: "bad"}


@dataclass(frozen=True, eq=False)
class ContactAnswer:
    """What a state comes to.

    Attributes:
        state: what was asked.
        scene: the scene in the state's posture, with all its contacts, under its own gravity.
        chosen: (k,) which of its contacts touch.
        gravity: (3,) [m/s^2] in the world.
        wrench: (6,) weight and load on the object, torque about the world origin.
        equilibrium: whether the touching contacts hold it; None when none touches.
        limit: the largest multiple of `wrench` that they hold; None without a load or without contacts.
        seconds: what building and solving took.
        added: where no multiple of `wrench` is held, though the weight is: a share of the rest of `wrench` that is held
            together with the weight, to one part in 2^`HALVINGS`; else None.
    """

    state: ContactState
    scene: Scene
    chosen: BoolArray
    gravity: Array
    wrench: Array
    equilibrium: Equilibrium | None
    limit: LoadLimit | None
    seconds: float
    added: float | None = None

    @property
    def holds(self) -> bool:
        """Whether it was found to hold; without contacts only the zero wrench is held."""
        return not self.wrench.any() if self.equilibrium is None else self.equilibrium.holds

    @cached_property
    def forces(self) -> Array | None:
        """(k, 3) world forces on the object [N] at all contacts of the scene, zero where none touches; or None."""
        found = None if self.equilibrium is None else self.equilibrium.forces
        if found is None:
            return None
        result = np.zeros((len(self.chosen), 3))
        result[self.chosen] = found
        return result

    @cached_property
    def at_limit(self) -> BoolArray:
        """(k,) whether each contact of the scene is loaded up to the border of its force volume."""
        result = np.zeros(len(self.chosen), dtype=bool)
        if self.equilibrium is not None and self.equilibrium.local_forces is not None:
            result[self.chosen] = contacts_at_limit(self.equilibrium.assembly, self.equilibrium.local_forces)
        return result

    @cached_property
    def gives_way(self) -> BoolArray:
        """(k,) whether each contact of the scene is at its limit when the largest held multiple of the load acts.

        Of one choice of forces that attains the load factor; others may share the load otherwise.
        """
        result = np.zeros(len(self.chosen), dtype=bool)
        if self.limit is not None and np.isfinite(self.limit.value) and self.limit.local_forces is not None:
            result[self.chosen] = contacts_at_limit(self.limit.assembly, self.limit.local_forces)
        return result

    @cached_property
    def letting_go(self) -> Array | None:
        """(6,) a motion (velocity, angular velocity about the world origin) in which the object comes off, or None.

        It is the certificate's separating wrench, with the sign in which the load does work; of its first leaf.
        """
        if self.equilibrium is None or self.holds or not len(self.equilibrium.separating_wrenches):
            return None
        motion = self.equilibrium.separating_wrenches[0]
        return motion if motion @ self.wrench > 0.0 else -motion

    @cached_property
    def verdict(self) -> Verdict:
        """Status, load factor and what is at its limit, in words."""
        if self.equilibrium is None:
            status = "nothing touches" if self.holds else "does not hold: nothing touches"
            return Verdict(status, "open" if self.holds else "bad", "", self.seconds)
        status = self.equilibrium.status
        return Verdict(status.value, TONES.get(status, "open"), margin_words(self), self.seconds, limit_words(self))


def margin_words(answer: ContactAnswer) -> str:
    """The load factor in words: the largest multiple of weight and load together that is held, links' weight fixed."""
    limit = answer.limit
    if limit is None:
        return "no load"
    value = limit.value
    if value == np.inf:
        return "load factor: without limit"
    if not np.isfinite(value):
        return "load factor: no multiple of the load is held"
    at_least = "at least " if limit.status is Status.UNDECIDED else ""
    if value < NO_LOAD and not answer.holds:
        return f"load factor 0: holds nothing of this load as a whole{added_words(answer.added)}"
    word = f"{value:.3g}"
    if answer.holds:
        return f"load factor {at_least}{word} (holds up to {word} times this load)"
    if value >= 1.0:
        return f"load factor {at_least}{word} (not this load, but that multiple of it is held)"
    return f"load factor {at_least}{word} (only {word} of this load would be held)"


def added_words(added: float | None) -> str:
    """How much is held of what was added to the weight, in words; nothing where that was not asked."""
    if added is None:
        return ""
    share = f"at least {added:.2g} of what is added to it" if added > 0.0 else "none of what is added to it"
    return f"; the weight alone is held, and with it {share}"


def limit_words(answer: ContactAnswer) -> tuple[str, ...]:
    """How many contacts and joints are at their limit: under the largest load, and in the forces that are drawn.

    Loads below the largest are held by many choices of forces; that a contact is at its limit in one of them says
    nothing of the others.
    """
    lines, found, limit = [], answer.equilibrium, answer.limit
    if limit is not None and limit.forces is not None and NO_LOAD < limit.value < np.inf:
        counts = _counted(int(answer.gives_way.sum()), limit.assembly, limit.forces)
        lines.append(f"at the largest load: {counts} at their limit")
    if found is not None and found.forces is not None and np.abs(found.forces).max() > 0.0:
        counts = _counted(int(answer.at_limit.sum()), found.assembly, found.forces)
        if not all(word.startswith("0 ") for word in counts.split(" and ")):
            lines.append(f"in the forces drawn (others may do): {counts} at their limit")
    return tuple(lines)


def _counted(contacts: int, assembly: Assembly, forces: Array) -> str:
    """Contacts and joints at their limit in words: "48 of 48 contacts and 0 of 12 joints"."""
    words = f"{contacts} of {len(assembly)} contacts"
    if assembly.joints is not None:
        hot = joints_at_limit(assembly, forces)
        words += f" and {int(hot.sum())} of {len(hot)} joints"
    return words


class ContactQuestions:
    """Answers one page's states; keeps the scenes of the last postures and the solvers' last bases.

    The answer to a state does not depend on what was asked before, save for which of several admissible forces are
    found and for the time it takes.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._scenes: dict[tuple, Scene] = {}
        self._parts: dict[tuple, Assembly] = {}
        self._volumes: tuple[ForceVolume, ...] = ()
        self._warm: Warm | None = None

    def reload(self) -> None:
        """Forget the scenes, so that files are read anew."""
        self._scenes.clear()
        self._parts.clear()

    def scene(self, posture: tuple) -> Scene:
        """The scene in a posture."""
        if posture not in self._scenes:
            scene = with_volumes_of(self._source.scene(dict(posture)), self._volumes)
            self._volumes = tuple({id(c.volume): c.volume for c in scene.assembly.contacts}.values())
            while len(self._scenes) >= KEPT_POSTURES:
                self._scenes.pop(next(iter(self._scenes)))
            self._scenes[posture] = scene
        return self._scenes[posture]

    def answer(self, state: ContactState) -> ContactAnswer:
        """What the state comes to."""
        scene = self.scene(state.posture)
        start = time.perf_counter()
        gravity = direction(state.tilt, state.heading) * (float(np.linalg.norm(scene.gravity)) or STANDARD_GRAVITY)
        wrench = load_of(scene, state, gravity)
        chosen = chosen_contacts(scene, state)
        found, limit, added = None, None, None
        if chosen.any():
            assembly = self._assembly(scene.with_gravity(gravity), chosen, (state.posture, state.touching))
            scales = None
            if state.friction != 1.0:
                scales = np.tile([state.friction, state.friction, 1.0], (len(assembly), 1))
            found = self._warmed().equilibrium(assembly, wrench, scales)
            limit = self._warmed().load_limit(assembly, wrench, scales) if wrench.any() else None
            if limit is not None and limit.value < NO_LOAD and not found.holds:
                weight = load_of(scene, replace(state, load_size=0.0, named=""), gravity)
                added = self._added(assembly, weight, wrench - weight, scales)
        return ContactAnswer(state, scene, chosen, gravity, wrench, found, limit, time.perf_counter() - start, added)

    def _added(self, assembly: Assembly, weight: Array, rest: Array, scales: Array | None) -> float | None:
        """See `ContactAnswer.added`: by bisection between none of `rest` and all of it, which is not held."""
        if not (weight.any() and rest.any() and self._warmed().equilibrium(assembly, weight, scales).holds):
            return None
        held, too_much = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = 0.5 * (held + too_much)
            if self._warmed().equilibrium(assembly, weight + middle * rest, scales).holds:
                held = middle
            else:
                too_much = middle
        return held

    def _assembly(self, scene: Scene, chosen: BoolArray, key: tuple) -> Assembly:
        """The contacts that touch, with the joint rows of the moment; contacts stay the same objects while they can."""
        whole, joints = scene.assembly, scene.assembly.joints
        if chosen.all():
            return whole
        if key not in self._parts:
            self._parts = {key: Assembly([c for c, touches in zip(whole.contacts, chosen, strict=True) if touches])}
        contacts = self._parts[key].contacts
        if joints is None:
            return Assembly(contacts, None, whole.name)
        columns = joints.jacobian.reshape(len(joints), -1, 3)[:, chosen].reshape(len(joints), -1)
        return Assembly(contacts, JointRows(columns, joints.lower, joints.upper, joints.names), whole.name)

    def _warmed(self) -> Warm:
        if self._warm is None:
            from ..statics.solver import Warm

            self._warm = Warm()
        return self._warm


def load_of(scene: Scene, state: ContactState, gravity: Array) -> Array:
    """(6,) weight, extra force at the centre of mass and named load on the object, torque about the world origin."""
    wrench = np.zeros(6)
    if state.mass > 0.0:
        wrench += gravity_wrench(state.mass, gravity, scene.com)
    force = state.load_size * direction(state.load_tilt, state.load_heading)
    wrench += np.concatenate([force, np.cross(scene.com, force)])
    if state.named:
        wrench += state.factor * scene.load(state.named)
    return wrench


def chosen_contacts(scene: Scene, state: ContactState) -> BoolArray:
    """(k,) which contacts of the scene touch in this state."""
    chosen = np.zeros(len(scene.assembly), dtype=bool)
    for name, indices in units_of(scene.assembly).items():
        chosen[list(indices)] = name in state.touching
    return chosen


def answer(source: Source, state: ContactState) -> ContactAnswer:
    """What a state comes to, asked cold."""
    return ContactQuestions(source).answer(state)
