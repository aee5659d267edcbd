"""Slices of wrench spaces for the viewer: one or two configurations over any three axes, with level lines (Figs. 7-11).

The ready devices and any scene of a file are configurations. Results are functions of immutable data;
`WrenchSpacePage` draws them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import devices
from ..assembly.assembly import Assembly
from ..checks import Array
from ..compiling import clock
from ..errors import GeometryError
from ..plotting import style
from ..solvers import Exact
from ..web.marks import Dots, Drawing, Lines, Mark, ShadedSurface, Word, colour, framed, joined, mixed, written
from ..web.page import Answer, AskingPage, PageEntry, ShownFile, Verdict
from .comparison import fitted_space, weakest_load
from .computation import wrench_space
from .plots import ALONG, drawable, round_levels, shade_colours, unit_widths
from .space import SliceSurface, WrenchSpace, section_polylines, slice_surface, volume_bounds
from .subspace import AXES, Rays, Subspace

if TYPE_CHECKING:
    from ..scenes import Scene
    from ..web.page import PageContext

#: The unit as text of the page.
CUBED = "\u00b3"

#: Width of the largest coordinate of each unit, distance of two surfaces, viewing direction of the camera.
WIDTH, APART = 2.0, 1.0
TOWARDS = (-0.35, 1.0, -0.38)

#: Level lines are this fraction outside the surface, so that it does not cover them; length of the axes beyond it.
OFF, BEYOND = 4e-3, 0.3

#: Level of the rays for each entry of the menu: 10 * 4^level + 2 rays.
FINENESS = {"quick: 162 rays": 2, "fine: 642 rays": 3, "finest: 2562 rays": 4}

#: (lowest, highest) load along each axis [N, N m].
Limits = tuple[tuple[float, float], ...]


@dataclass(frozen=True, eq=False)
class Configuration:
    """An assembly with a wrench space.

    Attributes:
        name: its name in the menu.
        make: contacts and joints, and the point [m] that torques are taken about.
    """

    name: str
    make: Callable[[], tuple[Assembly, Array]]

    @cached_property
    def made(self) -> tuple[Assembly, Array]:
        """What `make` returns, made once: all slices share the lookup tables of one assembly, which take megabytes."""
        return self.make()


@dataclass(frozen=True)
class SpaceState:
    """The controls of the page.

    Attributes:
        first, second: names of configurations; "" for no second one.
        axes: three of `AXES`, in the order of the scene's x, y, z.
        level: fineness of the rays.
        hull: whether the convex hulls of the contacts' pieces are used: an outer approximation.
        levels: whether level lines are drawn.
    """

    first: str
    second: str = ""
    axes: tuple[str, str, str] = ("fx", "fy", "fz")
    level: int = 3
    hull: bool = False
    levels: bool = True


#: Gap of the rays: 1 %, finer than a line of the picture.
DRAWING = Exact(gap=1e-2, time_limit=5.0)

#: The ready devices of the page, each corner with its own piece as in the paper.
DEVICES: dict[str, Callable[[], devices.Device]] = {
    "two opposed units (2OU)": lambda: devices.two_opposed_units(corners="independent"),
    "two-finger gripper, distal / all three (2FG D-PMD)": lambda: devices.two_finger_gripper(
        "D", "PMD", corners="independent"
    ),
    "two-finger gripper, middle + distal / middle + distal (2FG MD-MD)": lambda: devices.two_finger_gripper(
        "MD", "MD", corners="independent"
    ),
    "four-finger hand (4FH parallel)": lambda: devices.four_finger_hand("parallel", corners="independent"),
    "four-finger hand (4FH opposed)": lambda: devices.four_finger_hand("opposed", corners="independent"),
}


@lru_cache(maxsize=1)
def ready_configurations() -> dict[str, Configuration]:
    """The ready devices by name; the same objects at every call, so that their stored slices are found."""

    def configuration(name: str, build: Callable[[], devices.Device]) -> Configuration:
        def make() -> tuple[Assembly, Array]:
            device = build()
            return device.assembly(), np.asarray(device.object.com)

        return Configuration(name, make)

    return {name: configuration(name, build) for name, build in DEVICES.items()}


@lru_cache(maxsize=32)
def slice_of(configuration: Configuration, axes: tuple[str, str, str], level: int, hull: bool) -> WrenchSpace:
    """The wrench space of a configuration over three axes, without its weight.

    Rays are distributed over an ellipsoid of the slice's proportions if there is one, otherwise over a sphere.
    """
    assembly, about = configuration.made
    subspace = Subspace.named(axes, length=assembly.length, about=about)
    if hull:
        return wrench_space(assembly, Rays.sphere(subspace, level), side="outer", method=DRAWING, workers=1)
    return fitted_space(assembly, subspace, level, method=DRAWING, workers=1).space


@lru_cache(maxsize=32)
def axis_limits(configuration: Configuration, axes: tuple[str, str, str], hull: bool) -> Limits:
    """(lowest, highest) held load [N, N m] along each single axis, without other loads; infinite without a limit.

    This is not the extent of the slice: together with another load more may be held along an axis.
    """
    assembly, about = configuration.made
    rays = Rays.axes(Subspace.named(axes, length=assembly.length, about=about))
    method = Exact(time_limit=DRAWING.time_limit)
    found = slice_surface(wrench_space(assembly, rays, side="outer" if hull else "inner", method=method, workers=1))
    return tuple((float(low), float(high)) for low, high in np.transpose([found.points.min(0), found.points.max(0)]))


def space_answer(
    state: SpaceState, configurations: dict[str, Configuration], say: Callable[[str], None] | None = None
) -> Answer:
    """One or two surfaces side by side, on one scale.

    Args:
        state: state of the controls.
        configurations: the configurations by name.
        say: called with the name of the configuration that is computed.
    """
    if len(set(state.axes)) < 3:
        given = ", ".join(state.axes)
        raise GeometryError(f"{given} are not three different axes", where="axes", fix="choose three different ones")
    start = clock()
    names = [name for name in (state.first, state.second) if name]
    spaces, limits = [], []
    for name in names:
        if say is not None:
            say(f"computing {name}, {10 * 4**state.level + 2} rays ...")
        spaces.append(slice_of(configurations[name], state.axes, state.level, state.hull))
        limits.append(axis_limits(configurations[name], state.axes, state.hull))
    seconds = clock() - start
    surfaces, opens = zip(*(drawable(space) for space in spaces), strict=True)
    widths = unit_widths(surfaces)
    factors = WIDTH / np.where(widths > 0.0, widths, 1.0)
    marks: dict[str, Mark] = {}
    for k, (name, surface, is_open) in enumerate(zip(names, surfaces, opens, strict=True)):
        across = factors[0] * surface.points[:, 0]
        aside = 0.0 if len(names) == 1 else (-0.5 * APART - across.max() if k == 0 else 0.5 * APART - across.min())
        middle = np.array([aside, 0.0, 0.0])
        along = limits[k]
        marks |= _surface_marks(f"space {k + 1}", name, surface, is_open, along, factors, middle, state.levels)
    view = framed(Drawing(marks).corners, TOWARDS)
    subject = f"{len(names)} {state.axes}"
    return Answer(
        _verdict(names, spaces, seconds), Drawing(marks, view), subject, _notes(surfaces, opens, limits[0], state)
    )


def _surface_marks(
    key: str,
    name: str,
    surface: SliceSurface,
    is_open: Array,
    limits: Limits,
    factors: Array,
    middle: Array,
    with_levels: bool,
) -> dict[str, Mark]:
    """One surface with its level lines, axes, the limits along them and labels, around `middle` of the scene."""
    points = surface.points * factors
    first = surface.points[:, 0]
    low, high = float(first.min()), float(first.max())
    shades = shade_colours(ALONG, 0.08 + 0.84 * (first - low) / ((high - low) or 1.0))[:, :3]
    shades[is_open] = style.rgba(style.ASSUMED, 1.0)[:3]
    marks: dict[str, Mark] = {f"{key}/surface": ShadedSurface(points + middle, surface.triangles, shades)}
    if with_levels:
        lines = [np.zeros((0, 2, 3))]
        for level in round_levels(float(surface.points[:, 1].min()), float(surface.points[:, 1].max())):
            for path in section_polylines(surface, 1, float(level)):
                lines.append(joined((1.0 + OFF) * factors * path + middle))
        marks[f"{key}/levels"] = Lines(np.concatenate(lines), colour(style.INK), 1.6)
    axes, reached = [], []
    for axis, (label, unit) in enumerate(zip(surface.subspace.labels, surface.subspace.units, strict=True)):
        values = surface.points[:, axis]
        ends = np.zeros((2, 3))
        ends[:, axis] = factors[axis] * values.min() - BEYOND, factors[axis] * values.max() + BEYOND
        axes.append(ends + middle)
        reached += [factors[axis] * end * np.eye(3)[axis] + middle for end in limits[axis] if np.isfinite(end)]
        place = ends[1] + middle
        text = _limit_words(label, unit, *limits[axis])
        marks[f"{key}/{label}"] = Word(text, (float(place[0]), float(place[1]), float(place[2])), "bottom-center")
    marks[f"{key}/axes"] = Lines(np.array(axes), mixed(colour(style.FAINT), colour(style.INK), 0.3), 1.5)
    marks[f"{key}/limits"] = Dots(np.array(reached).reshape(-1, 3), colour(style.LIMIT), 0.05)
    marks[f"{key}/zero"] = Dots(middle[None, :], colour(style.INK), 0.03)
    below = float(points[:, 2].min()) - BEYOND - 0.12
    marks[f"{key}/name"] = Word(name, (float(middle[0]), 0.0, below), "top-center")
    return marks


def _limit_words(label: str, unit: str, low: float, high: float) -> str:
    """The limits along one axis as text."""
    if np.isinf(low) and np.isinf(high):
        return f"no limit along {label}"
    ends = [None if np.isinf(end) else written(end) for end in (low, high)]
    if None in ends:
        return f"along {label}: {f'up to {ends[1]}' if ends[0] is None else f'from {ends[0]}'} {unit}"
    return f"along {label}: {ends[0]} to {ends[1]} {unit}"


def _verdict(names: list[str], spaces: list[WrenchSpace], seconds: float) -> Verdict:
    """Weakest loads and volumes."""
    lines = []
    surfaces = [slice_surface(space) for space in spaces]
    volumes = [volume_bounds(space) for space in spaces]
    weakest = [_weakest(space) for space in spaces]
    for name, space, surface, volume, (_, least) in zip(names, spaces, surfaces, volumes, weakest, strict=True):
        statuses = [str(status) for status in space.status]
        open_count, unsure = statuses.count("unbounded"), statuses.count("undecided")
        strongest = "no limit" if open_count else f"{written(surface.radii.max())} N"
        words = f"{name}: weakest {written(least)} N, strongest {strongest}"
        lines.append(words + (f", {unsure} rays undecided" if unsure else ""))
        if np.isfinite(volume.surface):
            lines.append(f"volume {written(volume.surface)} {volume.unit.replace('^3', CUBED)}")
    if len(spaces) == 2 and volumes[0].surface > 0.0 and np.isfinite([v.surface for v in volumes]).all():
        lines.append(f"the second has {volumes[1].surface / volumes[0].surface:.3g} times the volume of the first")
    labels, (unit, least) = surfaces[0].subspace.labels, weakest[0]
    parts = [f"{u:+.2f} {label}" for label, u in zip(labels, unit, strict=True) if abs(u) > 5e-3]
    margin = f"along {' '.join(parts)}"
    lines.append(f"weakest: local search from {len(spaces[0])} rays, without proof; strongest: only among the rays")
    return Verdict(f"weakest load {written(least)} N", "plain", margin, seconds, lines)


@lru_cache(maxsize=32)
def _weakest(space: WrenchSpace) -> tuple[Array, float]:
    """`weakest_load` of a slice, which is kept as long as `slice_of` keeps the slice."""
    return weakest_load(space)


def _notes(surfaces: tuple[SliceSurface, ...], opens: tuple[Array, ...], limits: Limits, state: SpaceState) -> str:
    """The meaning of colours and lines."""
    labels, units = surfaces[0].subspace.labels, surfaces[0].subspace.units
    words = [f"**Colour**: {labels[0]}, from dark (lowest) to yellow (highest)."]
    ends = surfaces[0].points[:, 1]
    levels = round_levels(float(ends.min()), float(ends.max()))
    if state.levels and len(levels) > 1:
        words.append(f"**Lines**: {labels[1]} every {levels[1] - levels[0]:.3g} {units[1]}.")
    words.append("**Numbers and orange dots at the axes**: limits of loads along that axis alone.")
    # Limits along axes are more exact than the rays of the surface.
    lows, highs = np.array(limits).T
    spans = np.minimum(surfaces[0].points.min(axis=0), lows), np.maximum(surfaces[0].points.max(axis=0), highs)
    reach = [
        f"{label} {written(low)} to {written(high)} {unit}"
        for label, unit, low, high in zip(labels, units, *spans, strict=True)
        if np.isfinite([low, high]).all()
    ]
    first = "The first slice" if len(surfaces) > 1 else "The slice"
    if reach:
        words.append(f"{first} as a whole spans {', '.join(reach)}: loads that act together may be larger.")
    if any(unit == "N m" for unit in units):
        words.append("Torques are about the object's centre of mass; forces act in it.")
    words.append("Grey parts have no limit and are cut off." if any(is_open.any() for is_open in opens) else "")
    words.append("Two configurations share one scale." if state.second else "")
    words.append("Convex hulls of the contacts' pieces are an **outer** approximation." if state.hull else "")
    return " ".join(word for word in words if word)


# Wrench spaces: slices over any three axes as surfaces with level lines, two configurations side by side.

#: The slices of the paper, and the menu entry for choosing the axes.
SLICES = {"fx, fy, fz": ("fx", "fy", "fz"), "fx, ty, fz": ("fx", "ty", "fz")}
OWN = "own axes"

#: Entry of the second menu for a single surface.
NOTHING = "nothing"


class WrenchSpacePage(AskingPage[SpaceState]):
    """Limit surfaces of the ready devices, and of a scene where one is given.

    Args:
        context: of the browser.
        own: another configuration, listed first, or None.
    """

    title = "Slices and level lines"

    def __init__(self, context: PageContext, own: Configuration | None = None) -> None:
        super().__init__(context)
        ready = ready_configurations()
        self._configurations = ready if own is None else {own.name: own, **ready}
        self._handles: dict[str, Any] = {}

    def add_controls(self) -> None:
        """Menus of configurations, axes and fineness."""
        gui, names = self.context.client.gui, tuple(self._configurations)
        add = self._handles
        add["first"] = self.asks(gui.add_dropdown("Configuration", names, initial_value=names[0]))
        add["second"] = self.asks(gui.add_dropdown("Beside it", (NOTHING, *names), initial_value=NOTHING))
        add["slice"] = self.keep(gui.add_dropdown("Slice", (*SLICES, OWN), initial_value=next(iter(SLICES))))
        for axis, word in zip("xyz", ("fx", "fy", "fz"), strict=True):
            handle = gui.add_dropdown(f"Axis {axis}", AXES, initial_value=word, visible=False)
            add[axis] = self.asks(handle)
        add["fineness"] = self.asks(gui.add_dropdown("Fineness", tuple(FINENESS), initial_value="fine: 642 rays"))
        hint = "use the convex hull of each contact's pieces: an outer approximation, faster to compute"
        add["hull"] = self.asks(gui.add_checkbox("Outer (hulls)", initial_value=False, hint=hint))
        add["levels"] = self.asks(gui.add_checkbox("Level lines", initial_value=True))
        add["slice"].on_update(lambda _: self._choose_slice())

    def state(self) -> SpaceState:
        """The present state of the menus."""
        read = {name: handle.value for name, handle in self._handles.items()}
        own = (read["x"], read["y"], read["z"])
        return SpaceState(
            first=read["first"],
            second="" if read["second"] == NOTHING else read["second"],
            axes=SLICES.get(read["slice"], own),  # pyright: ignore[reportArgumentType]
            level=FINENESS[read["fineness"]],
            hull=read["hull"],
            levels=read["levels"],
        )

    def answer(self, state: SpaceState) -> Answer:
        """The surfaces."""
        return space_answer(state, self._configurations, self.say)

    def _choose_slice(self) -> None:
        """Show the menus of the axes only for own axes."""
        for axis in "xyz":
            self._handles[axis].visible = self._handles["slice"].value == OWN
        self.ask()


def scene_entry(scene: Scene, key: str = "scene-space") -> PageEntry:
    """The page of a scene file's wrench space; its weight is left out, torques are about the world origin."""

    def make() -> tuple[Assembly, np.ndarray]:
        return scene.with_gravity((0.0, 0.0, 0.0)).assembly, np.zeros(3)

    own = Configuration(scene.name, make)
    summary = f"The loads that {scene.name} holds, over any three axes."
    return PageEntry(key, scene.name, "Wrench spaces", summary, lambda context: WrenchSpacePage(context, own))


def file_pages(file: ShownFile) -> tuple[PageEntry, ...]:
    """The page of a scene with one object."""
    return () if file.content.bodies else (scene_entry(file.content),)


ENTRIES = (
    PageEntry(
        "wrench-space",
        WrenchSpacePage.title,
        "Wrench spaces",
        "Load limits of the devices in all directions of three axes, for one device or two side by side.",
        WrenchSpacePage,
    ),
)
