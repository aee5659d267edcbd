"""Programs of real assemblies for the compiled kernels, and ways to call those kernels one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit

import holdfast as hf
from holdfast.checks import Array, IntArray
from holdfast.solvers.exact.model import FIRST_LEAVES, Model, Workspace, build_model, force_unit
from holdfast.solvers.exact.search import prepare
from holdfast.solvers.exact.simplex import MASK, NODE, RENEWED, STOPPED, BasisFrames, SimplexProgram, run, start
from holdfast.solvers.exact.support_tables import SupportTables
from holdfast.solvers.problem import ContactProblem
from tests.referee import random_case, random_rotation, random_volume

#: Pivots that no small program needs.
PLENTY = 2000

#: Perturbation of the vertex 0 in these tests, in load factors.
PERTURBATION = 1e-9


class Slot(NamedTuple):
    """One basis of `BasisFrames`, as views into it."""

    items: IntArray
    base: IntArray
    columns: Array
    inverse: Array
    vectors: Array
    along: Array


@dataclass(frozen=True, eq=False)
class Setting:
    """A contact problem, its model, the load as the kernels see it, and multipliers to start from (guess . load = -1).

    The kernels' load factors times `scale` are those of the problem.
    """

    problem: ContactProblem
    model: Model
    load: Array
    guess: Array
    scale: float

    @property
    def tables(self) -> SupportTables:
        """The model's lookup tables."""
        return self.model.tables

    @property
    def masks(self) -> IntArray:
        """(n,) all pieces of every point; those of an item count at its first point."""
        return self.model.scales.masks

    @property
    def unlimited(self) -> IntArray:
        """(m,) 1: a row has no lower limit, 2: no upper one."""
        return self.model.program.unlimited

    def program(self, perturbation: float = 0.0, load: Array | None = None) -> SimplexProgram:
        """The linear program with some perturbation of the vertex 0."""
        return self.model.program._replace(load=self.load if load is None else load, perturbation=perturbation)

    def random_masks(self, rng: np.random.Generator) -> IntArray:
        """Some pieces of every point, never none."""
        return np.array([rng.integers(1, every + 1) for every in self.masks])

    def random_multipliers(self, rng: np.random.Generator) -> Array:
        """y with y . b = -1 that leans on no side of a row that has no limit; not on rays, with luck."""
        while True:
            y = self.guess + rng.normal(size=len(self.load)) / np.abs(self.load).max()
            y[(self.unlimited & 1 > 0) & (y > 0.0)] = 0.0
            y[(self.unlimited & 2 > 0) & (y < 0.0)] = 0.0
            if y @ self.load < 0.0:
                return y / -(y @ self.load)

    def random_load(self, rng: np.random.Generator, near: float = np.inf) -> Array:
        """Another load as the kernels see it: any wrench at all, or one that differs by a share `near`."""
        wrench = rng.normal(size=6)
        wrench = wrench if near == np.inf else self.problem.load[:6] + near * wrench * np.abs(self.problem.load).max()
        load = np.concatenate([wrench, np.zeros(self.problem.rows - 6)])
        return _prepared(self.model, load)[0]


@dataclass(frozen=True, eq=False)
class Node:
    """A basis at work: slot NODE of a workspace of its own."""

    setting: Setting
    program: SimplexProgram
    workspace: Workspace

    @property
    def tables(self) -> SupportTables:
        """Lookup tables."""
        return self.setting.model.tables

    @property
    def frames(self) -> BasisFrames:
        """All slots."""
        return self.workspace.frames

    @property
    def slot(self) -> Slot:
        """The basis itself."""
        return slot_of(self.workspace.frames, NODE)

    def run(self, cutoff: float = -np.inf, limit: int = PLENTY, fresh: int = RENEWED) -> tuple[int, float, int]:
        """(outcome, bound, pivots) of the compiled simplex method."""
        arguments = (self.tables, self.program, self.frames, self.workspace.work, NODE, cutoff, limit, fresh)
        return compiled(run, *arguments)


def slot_of(frames: BasisFrames, s: int) -> Slot:
    """Views of one slot."""
    return Slot(*(array[s] for array in frames))


def copied(slot: Slot) -> Slot:
    """A basis of its own."""
    return Slot(*(array.copy() for array in slot))


def begun(
    setting: Setting, perturbation: float = PERTURBATION, y: Array | None = None, masks: IntArray | None = None
) -> Node:
    """A basis at multipliers y (the model's guess by default), before any pivot."""
    program = setting.program(perturbation)
    node = Node(setting, program, setting.model.new_workspace(FIRST_LEAVES))
    node.slot.items[MASK] = setting.masks if masks is None else masks
    compiled(start, node.tables, program, node.frames, node.workspace.work, NODE, setting.guess if y is None else y)
    outcome, _, _ = node.run(limit=0)
    assert outcome == STOPPED
    return node


def on_the_way(node: Node) -> Iterator[Node]:
    """The same node again and again, one pivot further each time, until its end; whatever is done to it in between."""
    outcome = STOPPED
    while outcome == STOPPED:
        kept = copied(node.slot)
        yield node
        for array, before in zip(node.slot, kept, strict=True):
            array[...] = before
        outcome, _, _ = node.run(limit=1)


@cache
def _door(kernel: Callable[..., Any]) -> Callable[..., Any]:
    @njit(error_model="numpy", _nrt=False)
    def call(*args):
        return kernel(*args)

    return call


def compiled(kernel: Any, *args: Any) -> Any:
    """Call a kernel, through a compiled function where it has no entrance for Python (calling it would crash)."""
    code = kernel.machine_code
    entrance = _door(code) if code.targetoptions.get("no_cpython_wrapper") else code
    return entrance(*args)


def setting_of(assembly: hf.Assembly, direction: Array, *, from_zero: bool = False) -> Setting:
    """The setting of an assembly and a load."""
    problem = assembly.build(direction)
    unit = force_unit(problem.layout)
    model = build_model(problem.layout, from_zero=from_zero, unit=unit)
    return Setting(problem, model, *_prepared(model, problem.load))


def _prepared(model: Model, load: Array) -> tuple[Array, Array, float]:
    """(load as the kernels see it, first multipliers, scale) of a load of the layout."""
    way, guess = np.zeros((2, len(model.scales.kept)))
    scale = prepare(model.scales, model.program, load, way, guess)
    return way, guess, scale


def _device(*, units: bool) -> Setting:
    """A gripper of three units, or of their corners on their own."""
    assembly = hf.devices.create("2FG", left="D", right="MD").assembly()
    if not units:
        assembly = hf.Assembly([replace(contact, unit=None) for contact in assembly.contacts], assembly.joints)
    return setting_of(assembly, np.array([0.4, 1.0, 0.3, 0.0, 0.02, 0.0]))


def _many_pieces() -> Setting:
    rng = np.random.default_rng(3)
    volume = random_volume(rng, 8, rays=False, offset=False)
    contacts = [hf.Contact(rng.normal(size=3) * 0.1, random_rotation(rng), volume) for _ in range(4)]
    wrench = np.zeros(6)
    for contact, piece in zip(contacts, rng.integers(8, size=4), strict=True):
        force = contact.rotation @ volume.pieces[piece].mean(axis=0)
        wrench -= np.concatenate([force, np.cross(contact.position, force)])
    return setting_of(hf.Assembly(contacts), wrench)


def _units(seed: int, *, kind: str = "rectangle", pieces: int = 3, rays: bool = False, joints: bool = False) -> Setting:
    """Units of four corners, each of a few bodies that mostly meet at zero, and perhaps two contacts between them."""
    rng = np.random.default_rng(seed)
    volume = random_volume(rng, pieces, rays=rays, offset=False)
    contacts: list[hf.Contact] = []
    for unit in range(3):
        pose = hf.Pose(random_rotation(rng), rng.normal(size=3) * 0.1)
        if kind == "polygon":  # unequal shares: corners of one unit have different shapes
            patch = hf.Patch.polygon(pose, [[0.0, 0.0], [0.06, 0.0], [0.06, 0.04], [0.01, 0.05]], volume)
        else:
            patch = hf.Patch.rectangle(pose, [0.06, 0.04], volume)
        contacts += patch.contacts
        if kind == "between" and unit < 2:
            contacts.append(hf.Contact(rng.normal(size=3) * 0.1, random_rotation(rng), volume.scaled(0.3)))
    rows = None
    if joints:
        jacobian = rng.normal(size=(3, 3 * len(contacts))) * 0.05
        rows = hf.JointRows(jacobian, [-0.2, -np.inf, 0.0], [0.1, 0.3, 0.0])
    return setting_of(hf.Assembly(contacts, rows), _within_reach(rng, contacts))


def _within_reach(rng: np.random.Generator, contacts: list[hf.Contact]) -> Array:
    """A wrench that the contacts hold, each with a force amid the first or the last of its pieces."""
    wrench, last = np.zeros(6), bool(rng.integers(2))
    for contact in contacts:
        force = contact.rotation @ contact.volume.pieces[-1 if last else 0].mean(axis=0)
        wrench -= np.concatenate([force, np.cross(contact.position, force)])
    return wrench


def _of_seed(seed: int, *, from_zero: bool = False) -> Setting:
    case = random_case(seed)
    return setting_of(case.assembly, case.direction, from_zero=from_zero)


_SETTINGS: dict[str, Callable[[], Setting]] = {
    "contacts alone": lambda: _of_seed(0),
    "few contacts": lambda: _of_seed(12),
    "joint rows that exclude zero": lambda: _of_seed(25),
    "the same, counted from the nearest": lambda: _of_seed(25, from_zero=True),
    "a row without a limit": lambda: _of_seed(9),
    "rays": lambda: _of_seed(44),
    "rays and rows without a limit": lambda: _of_seed(53),
    "two contacts": lambda: _of_seed(29),
    "nothing holds": lambda: _of_seed(27),
    "eight pieces": _many_pieces,
    "gripper": lambda: _device(units=False),
    "gripper of units": lambda: _device(units=True),
    "units": lambda: _units(1, pieces=2),
    "units of four pieces": lambda: _units(2, pieces=4),
    "units with joints": lambda: _units(3, joints=True),
    "units of unequal shares": lambda: _units(17, kind="polygon"),
    "units with rays": lambda: _units(5, rays=True),
    "units and contacts": lambda: _units(6, kind="between"),
}

#: Names of all settings, of those small enough for brute force over pairs of vertices, and of those with a solution;
#: of those whose contacts all stand for themselves, and of those with units of several points.
ALL = list(_SETTINGS)
UNITS = [name for name in ALL if "units" in name]
PLAIN = [name for name in ALL if name not in UNITS]
SMALL = [name for name in ALL if not name.startswith("gripper") and name != "eight pieces"]
SOLVABLE = [name for name in ALL if name != "nothing holds"]


@cache
def setting(name: str) -> Setting:
    """A setting by its name."""
    return _SETTINGS[name]()
