"""Pictures of motion: contacts coloured by their state, the acceleration of the object, and a motion in frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import checks
from ..assembly.plots import (
    BODY,
    LINK,
    SLOWEST,
    UNIT,
    Subject,
    add_shape,
    add_sheet,
    draw_bodies,
    draw_motions,
    draw_wrenches,
    near,
    round_down,
    subject_of,
)
from ..checks import Array
from ..errors import InputError
from ..geometry.frames import Pose
from ..geometry.screws import displacement
from ..plotting import style
from ..plotting.artists import add_arrow
from ..plotting.solids import Face, Solids
from ..statics.holding import Equilibrium
from .contact_states import ContactMode, ContactMotion
from .coulomb import CoulombMotion
from .motion_sets import CoulombMotions
from .release import Release, ReleaseFrame, TouchKind
from .separations import Separation
from .stability import StabilityStatus, StrongStability

# One instant.

#: Colours of contact states, also distinct for colour-blind readers.
STATE = {"sticks": "#009E73", "slips": "#E69F00", "separates": "#CC79A7", "open": "#FFFFFF"}

#: Arrows of forces below this fraction of the largest are left out.
NEGLIGIBLE = 1e-3

#: Displacement of the fastest corner of the displaced object, as a fraction of the object's size.
DISPLACED = 0.15

#: An object is cut off where it is further than this from its contacts, as a fraction of their extent.
FAR = 1.6

#: Width and height of one motion of a set [inch].
PANEL = 4.6


def separation(
    subject: Any,
    answer: Separation,
    *,
    shape: Any = None,
    patches: Sequence[Any] = (),
    ax: Any = None,
    view: Sequence[float] = (20.0, -62.0),
    title: str = "",
) -> Any:
    """The object, its contact forces coloured by the contacts' states, the load, and the acceleration of the object.

    The thick arrow is the acceleration of the centre of mass, the arc the rotation; both show only the direction, the
    numbers are in the legend. A ring around a contact means that it still pulls or presses while it separates.

    Args:
        subject: the Assembly of the result, or its Device or Scene with units, links and object.
        answer: result of `hf.separation`.
        shape: the object's outline, as for `assembly`.
        patches: surfaces of the units, as for `assembly`.
        ax: axes in space (projection "3d"), or None for a new figure.
        view: (elevation, azimuth) of the camera [deg].
        title: title; by default the name and the status.

    Returns:
        The Axes.
    """
    thing = _subject(subject, answer, Separation, "hf.separation", shape, patches)
    words = answer.status.value if answer.holds or answer.status == "undecided" else "does not hold"
    moving = None if answer.holds else answer.acceleration
    return _draw_instant(ax, thing, answer, answer.states, moving, view=view, title=title or _titled(thing, words))


def motion(
    subject: Any,
    answer: CoulombMotion,
    *,
    shape: Any = None,
    patches: Sequence[Any] = (),
    ax: Any = None,
    view: Sequence[float] = (20.0, -62.0),
    title: str = "",
) -> Any:
    """A motion by Coulomb's law: as `separation`, and the object displaced along its acceleration.

    The arguments are those of `separation`; `answer` is the result of `hf.motion`.
    """
    thing = _subject(subject, answer, CoulombMotion, "hf.motion", shape, patches)
    title = title or _titled(thing, answer.status.value)
    moving = None if answer.holds else answer.acceleration
    return _draw_instant(ax, thing, answer, answer.states, moving, view=view, title=title, displaced=True)


def stability(
    subject: Any,
    answer: StrongStability,
    *,
    shape: Any = None,
    patches: Sequence[Any] = (),
    ax: Any = None,
    view: Sequence[float] = (20.0, -62.0),
    title: str = "",
) -> Any:
    """Whether an object stays: the other motion if there is one, drawn as by `motion`, otherwise the forces at rest.

    The arguments are those of `separation`; `answer` is the result of `hf.strong_stability`.
    """
    thing = _subject(subject, answer, StrongStability, "hf.strong_stability", shape, patches)
    words = answer.status.value
    if answer.other_motion is None:
        rest = answer.rest.even()
        return _draw_instant(ax, thing, rest, (), None, view=view, title=title or _titled(thing, words))
    words += " or move like this" if answer.status is StabilityStatus.MAY_STAY else " like this"
    look: dict[str, Any] = {"shape": shape, "patches": patches, "ax": ax, "view": view}
    return motion(subject, answer.other_motion, title=title or _titled(thing, words), **look)


def motions(
    subject: Any,
    answer: CoulombMotions,
    *,
    shape: Any = None,
    patches: Sequence[Any] = (),
    most: int = 6,
    title: str = "",
) -> Any:
    """One example of each piece of a set of motions side by side, drawn as by `motion`; returns the Figure.

    The arguments are those of `separation`; `answer` is the result of `hf.motions`, of which at most `most` pieces are
    drawn.
    """
    from matplotlib.figure import Figure

    thing = _subject(subject, answer, CoulombMotions, "hf.motions", shape, patches)
    pieces = answer.pieces[: checks.count("most", most)]
    columns = min(3, max(1, len(pieces)))
    rows = -(-max(1, len(pieces)) // columns)
    figure = Figure(figsize=(PANEL * columns, PANEL * rows))
    for number, piece in enumerate(pieces):
        ax = figure.add_subplot(rows, columns, number + 1, projection="3d")
        words = "at rest" if piece.motion.holds else "one motion" if piece.is_point else "one motion of a continuum"
        motion(subject, piece.motion, shape=shape, patches=patches, ax=ax, title=f"{number + 1}: {words}")
    words = answer.status.value
    if len(pieces) < len(answer.pieces):
        words += f", {len(pieces)} of {len(answer.pieces)} pieces"
    figure.suptitle(title or _titled(thing, words), fontsize=style.LARGE, color=style.INK)
    return figure


def _subject(subject: Any, answer: Any, kind: type, source: str, shape: Any, patches: Sequence[Any]) -> Subject:
    """What to draw, checked against the answer about it."""
    if not isinstance(answer, kind):
        raise InputError(f"is a {type(answer).__name__}", where="answer", fix=f"give the result of {source}")
    thing = subject_of(subject, patches, shape)
    if len(thing.assembly) != len(answer.assembly):
        what = f"is about {len(answer.assembly)} contacts, not {len(thing.assembly)}"
        raise InputError(what, where="answer", fix="give the result for this assembly")
    return thing


def _titled(thing: Subject, words: str) -> str:
    """The name of the subject and the status."""
    name = style.verbatim(thing.assembly.name)
    return f"{name}: {words}" if name else words


def _draw_instant(
    ax: Any,
    thing: Subject,
    answer: Separation | CoulombMotion | Equilibrium,
    states: Sequence[ContactMotion],
    motion: Array | None,
    *,
    view: Sequence[float],
    title: str,
    displaced: bool = False,
) -> Any:
    """Object, contacts by their states, forces, load, acceleration (6,); with `displaced`, where the object goes."""
    ax = style.axes(ax, "space")
    if thing.bodies:
        fixed = np.concatenate([draw_bodies(ax, thing), _draw_displaced(ax, thing, motion)])
    else:
        fixed = _draw_bodies(ax, thing, motion if displaced else None)
    size = float(np.linalg.norm(np.ptp(fixed, axis=0))) or 0.1
    seen = [fixed]
    strengths = np.zeros(1) if answer.forces is None else np.linalg.norm(answer.forces, axis=1)
    longest = float(strengths.max()) or float(np.linalg.norm(answer.wrench[:3]))
    scale = style.LONGEST * size / longest if longest > 0.0 else 1.0
    seen.append(_draw_contacts(ax, thing.assembly.positions, answer.forces, states, scale))
    if motion is not None:
        fastest = _fastest(thing, motion)
        name = _acceleration_name(motion.reshape(-1, 6)[fastest], thing.centers[fastest], thing.assembly.length)
        seen.append(draw_motions(ax, motion.reshape(-1, 6), thing.centers, size, name))
    seen.append(draw_wrenches(ax, answer.wrench.reshape(-1, 6), thing.centers, scale, size))
    if longest > 0.0:
        shown = round_down(style.LONGEST * size / scale)
        ax.plot([], [], [], " ", label=f"scale: {shown:g} N = {1e3 * scale * shown:.3g} mm")
    points = np.concatenate(seen)
    style.dress_space(ax, points.min(axis=0), points.max(axis=0), view=view, title=title)
    for letter in "xyz":
        getattr(ax, f"set_{letter}label")(f"${letter}$ [m]", labelpad=2)
    style.legend(ax, columns=2)
    return ax


def _fastest(thing: Subject, motion: Array) -> int:
    """Which of several bodies moves fastest under twists (6 n,); 0 for one object."""
    twists = motion.reshape(-1, 6)
    linear = np.linalg.norm(twists[:, :3] + np.cross(twists[:, 3:], thing.centers), axis=1)
    return int((linear + thing.assembly.length * np.linalg.norm(twists[:, 3:], axis=1)).argmax())


def _draw_displaced(ax: Any, thing: Subject, motion: Array | None) -> Array:
    """Several bodies displaced along their twists (6 n,), not to scale; returns the corners that must be visible."""
    if motion is None or not motion.any():
        return thing.assembly.positions
    outlines = []
    for body in thing.bodies:
        solids = Solids()
        if body.shape is not None:
            add_shape(solids, body.shape)
        outlines.append(solids)
    twists = motion.reshape(-1, 6)
    corners = [solids.corners for solids in outlines]
    size = float(np.linalg.norm(np.ptp(np.concatenate([*corners, thing.assembly.positions]), axis=0))) or 0.1
    speeds = [
        float(np.linalg.norm(twist[:3] + np.cross(twist[3:], own), axis=1).max(initial=0.0))
        for twist, own in zip(twists, corners, strict=True)
    ]
    fastest = max(speeds)
    if fastest == 0.0:
        return thing.assembly.positions
    moved = Solids()
    for solids, twist, speed in zip(outlines, twists, speeds, strict=True):
        if speed > SLOWEST * fastest:
            pose = displacement(DISPLACED * size / fastest * twist)
            moved.faces += [_tinted(face, pose) for face in solids.faces]
    moved.draw(ax, gid="displaced")
    ax.plot([], [], [], "s", color=style.MOTION, alpha=0.35, label="displaced, not to scale")
    return np.concatenate([thing.assembly.positions, moved.corners])


def _draw_bodies(ax: Any, thing: Subject, motion: Array | None) -> Array:
    """Object, units and links, and the object displaced along a motion (6,); returns corners that must be visible."""
    solids = Solids()
    held = np.concatenate([thing.assembly.positions, *thing.faces, *thing.links])
    if thing.shape is not None:
        add_shape(solids, thing.shape)
        solids = near(solids, held, far=FAR)
    elif motion is not None:  # lines from the middle of the object to its contacts
        solids.add_lines([(thing.center, point) for point in thing.assembly.positions], BODY)
    if motion is not None and motion.any():
        corners = solids.corners
        size = float(np.linalg.norm(np.ptp(corners, axis=0))) or 0.1
        fastest = float(np.linalg.norm(motion[:3] + np.cross(motion[3:], corners), axis=1).max())
        pose = displacement(DISPLACED * size / fastest * motion)
        solids.faces += [_tinted(face, pose) for face in solids.faces]
    for face in thing.faces:
        add_sheet(solids, face, UNIT, 0.35)
    look = {"color": LINK, "linewidth": 2.2, "alpha": 0.6, "solid_capstyle": "round", "marker": "o", "ms": 3.0}
    for line in thing.links:
        ax.plot(*line.T, **look, gid="link", zorder=style.MARKS)
    solids.draw(ax, gid="bodies")
    if motion is not None and motion.any():
        ax.plot([], [], [], "s", color=style.MOTION, alpha=0.35, label="displaced, not to scale")
    return np.concatenate([held, solids.corners])


def _tinted(face: Face, pose: Pose) -> Face:
    """A face moved by `pose`, in the colour of motions, its shade and opacity kept."""
    shade = float(np.mean(face.inside[:3])) if face.parts else 0.0
    base = np.array(style.rgba(style.MOTION, 1.0)[:3])
    inside = (*(base + (1.0 - base) * min(1.0, shade)), 0.6 * face.inside[3])
    parts = tuple(pose.apply(part) for part in face.parts)
    lines = tuple((pose.apply(a), pose.apply(b)) for a, b in face.lines)
    return Face(parts, lines, inside, style.rgba(style.MOTION, face.border[3]))


def _draw_contacts(
    ax: Any, positions: Array, forces: Array | None, states: Sequence[ContactMotion], scale: float
) -> Array:
    """Forces and points of the contacts, coloured by their state if it is known; returns the points of the arrows."""
    ends = positions if forces is None else positions + scale * forces
    strengths = np.linalg.norm(ends - positions, axis=1)
    for number in np.nonzero(strengths > NEGLIGIBLE * strengths.max())[0].tolist():
        colour = style.darker(STATE[states[number].mode.value], 0.85) if states else style.FORCE
        add_arrow(ax, positions[number], ends[number], colour, width=style.MEDIUM, head=7.0, gid="force")
    if not states:
        ax.scatter(*positions.T, s=13, color=style.FORCE, depthshade=False, zorder=style.MARKS, label="contact")
        return np.concatenate([positions, ends])
    for mode in ContactMode:
        chosen = np.array([s.mode is mode for s in states])
        if chosen.any():
            look = {"facecolors": STATE[mode.value], "edgecolors": style.INK, "linewidths": 0.5, "s": 20}
            name = f"contact {mode.value} ({int(chosen.sum())})"
            ax.scatter(*positions[chosen].T, label=name, depthshade=False, zorder=style.ARROWS, gid=mode.value, **look)
    rings = np.array([s.pulls_while_separating or s.presses_while_separating for s in states])
    if rings.any():
        look = {"facecolors": "none", "edgecolors": STATE["separates"], "linewidths": 0.9, "s": 62}
        name = f"still pulls or presses ({int(rings.sum())})"
        ax.scatter(*positions[rings].T, label=name, depthshade=False, zorder=style.ARROWS, gid="rings", **look)
    return np.concatenate([positions, ends])


def _acceleration_name(twist: Array, center: Array, length: float) -> str:
    """The numbers of an acceleration as text; a part too small to be drawn is left out."""
    linear, angular = float(np.linalg.norm(twist[:3] + np.cross(twist[3:], center))), float(np.linalg.norm(twist[3:]))
    parts = [f"{linear:.3g} m/s$^2$"] if linear > NEGLIGIBLE * angular * length else []
    parts += [f"{angular:.3g} rad/s$^2$"] if angular * length > NEGLIGIBLE * linear else []
    return f"acceleration {', '.join(parts)}"


# Frames of a motion.

#: Length of the longest force arrow of a strip and of the acceleration, as shares of the size of the drawing.
FORCE_LENGTH, MOTION_LENGTH = 0.30, 0.22

#: How far the lines of surfaces reach to either side of a contact, as a share of the size of the drawing.
SURFACE = 0.25

#: Margin around the contents of a frame, as a fraction of its size.
MARGIN = 0.05

#: Width of one frame, its smallest and largest height, and the room above and below for text [inch].
STILL, HEIGHTS, ABOVE, BELOW = 2.2, (0.7, 3.4), 0.5, 0.8


def release_strip(
    subject: Any, release: Release, *, shape: Any = None, most: int = 5, side: Any = None, title: str = ""
) -> Any:
    """Frames of an illustrative motion side by side, seen along one direction, gravity pointing down the page.

    Each frame shows the object (and an outline of its first position), the contacts coloured by their state, their
    forces, and the direction of the acceleration of its centre of mass.

    Args:
        subject: the Assembly, Device or Scene; the last two have the object's outline.
        release: result of `hf.dynamics.simulate_release`.
        shape: the object's outline, as for `assembly`.
        most: largest number of frames; the first and the last are always drawn, then those in which contacts change.
        side: (3,) direction to look along; by default the one about which the object turns, or in which it moves least.
        title: title; by default the name and how it ends.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    if not isinstance(release, Release):
        raise InputError(
            f"is a {type(release).__name__}", where="release", fix="give the result of hf.dynamics.simulate_release"
        )
    thing = subject_of(subject, (), shape)
    if len(thing.assembly) != len(release.assembly):
        what = f"is about {len(release.assembly)} contacts, not {len(thing.assembly)}"
        raise InputError(what, where="release", fix="give the motion of this assembly")
    chosen = chosen_frames(release, checks.count("most", most, low=2))
    frames = [release.frames[i] for i in chosen]
    page = _page(release, side, getattr(subject, "gravity", None))
    polygons = _outline(thing, release)
    bodies = np.concatenate([f.pose.apply(p) @ page.T for f in frames for p in polygons])
    size = float(np.ptp(bodies, axis=0).max())
    strongest = max(float(np.linalg.norm(f.forces, axis=1).max()) for f in frames)
    scale = FORCE_LENGTH * size / strongest if strongest > 0.0 else 0.0
    points = [x @ page.T for f in frames for x in (f.placement.positions, f.placement.positions + scale * f.forces)]
    extent = np.concatenate([bodies, *points])
    low, high = extent.min(axis=0) - MARGIN * size, extent.max(axis=0) + MARGIN * size
    tall = float(np.clip(STILL * (high[1] - low[1]) / (high[0] - low[0]), *HEIGHTS))
    figure = Figure(figsize=(STILL * len(chosen), tall + ABOVE + BELOW))
    for place, number in enumerate(chosen):
        ax = figure.add_subplot(1, len(chosen), place + 1)
        frame = release.frames[number]
        _draw_ground(ax, release, page, size)
        _draw_object(ax, polygons, frame.pose, page, number > 0)
        _draw_still(ax, frame, page, scale, size)
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.set_title(f"still {number}", fontsize=style.NORMAL, color=style.INK, pad=3)
        words = {"transform": ax.transAxes, "ha": "center", "va": "top", "fontsize": style.SMALL, "color": style.INK}
        ax.text(0.5, -0.02, _caption(release, number, last=place == len(chosen) - 1), **words)
    name = style.verbatim(thing.assembly.name)
    words = f"{name}: {release.end.value}" if name else f"it {release.end.value}"
    whole = tall + ABOVE + BELOW
    figure.suptitle(title or words, fontsize=style.LARGE, color=style.INK, y=1.0 - 0.02 / whole, va="top")
    _strip_legend(figure, release, chosen)
    figure.subplots_adjust(left=0.01, right=0.99, top=1.0 - ABOVE / whole, bottom=BELOW / whole, wspace=0.04)
    return figure


def chosen_frames(release: Release, most: int) -> list[int]:
    """Numbers of the frames to draw: first and last, then those in which contacts change, then evenly between."""
    last = len(release) - 1
    chosen = {0, last}
    changes = [i for i, frame in enumerate(release.frames) if frame.lost or frame.landed]
    evenly = [round(x) for x in np.linspace(0, last, most)]
    for number in [*changes, *evenly, *range(last)]:
        if len(chosen) < min(most, last + 1):
            chosen.add(int(number))
    return sorted(chosen)


def _page(release: Release, side: Any, gravity: Array | None) -> Array:
    """(2, 3) directions to the right and up the page: gravity, or else the load, points down as far as possible."""
    frame, last = release.frames[0], release.frames[-1]
    load = frame.answer.wrench[:3] if frame.answer is not None else np.zeros(3)
    load = gravity if gravity is not None and gravity.any() else load
    up = -load / np.linalg.norm(load) if load.any() else np.array([0.0, 0.0, 1.0])
    if side is not None:
        along = checks.direction("side", side, 3)
    else:
        turn = last.pose.rotation - last.pose.rotation.T
        axis = np.array([turn[2, 1], turn[0, 2], turn[1, 0]])
        travel = last.com - frame.com
        across = np.cross(up, travel)
        points = release.assembly.positions - release.assembly.positions.mean(axis=0)
        along = axis if np.linalg.norm(axis) > 0.02 else across  # radians; a smaller turn is not seen
        if np.linalg.norm(along) <= NEGLIGIBLE * max(float(np.linalg.norm(travel)), np.finfo(float).tiny):
            along = np.cross(up, np.linalg.svd(points)[2][0])
        if np.linalg.norm(along) <= NEGLIGIBLE:
            along = np.array([0.0, 1.0, 0.0]) if abs(up[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
        along = along / np.linalg.norm(along)
        along = along * (1.0 if along[np.abs(along).argmax()] > 0.0 else -1.0)  # looking along +y shows +x to the right
    if abs(float(along @ up)) > 0.99:
        up = np.array([1.0, 0.0, 0.0]) if abs(along[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
    up = up - (up @ along) * along
    up /= np.linalg.norm(up)
    return np.array([np.cross(along, up), up])


def _outline(thing: Subject, release: Release) -> list[Array]:
    """Polygons (m, 3) of the object in the first frame; without a shape, lines from its centre to its contacts."""
    if thing.shape is None:
        com = release.frames[0].com
        return [np.array([com, point]) for point in release.assembly.positions]
    solids = Solids()
    add_shape(solids, thing.shape)
    return [np.asarray(polygon) for polygon in solids.polygons]


def _draw_object(ax: Any, polygons: list[Array], pose: Pose, page: Array, moved: bool) -> None:
    """The object, and behind it its first position."""
    from matplotlib.collections import LineCollection, PolyCollection

    if len(polygons[0]) == 2:
        lines = [pose.apply(p) @ page.T for p in polygons]
        ax.add_collection(LineCollection(lines, colors=BODY, linewidths=1.4, zorder=2))
        return
    if moved:
        ghost = [p @ page.T for p in polygons]
        ax.add_collection(PolyCollection(ghost, facecolors="#F1F1F1", edgecolors="#F1F1F1", linewidths=1.4, zorder=0.5))
    flat = [pose.apply(p) @ page.T for p in polygons]
    ax.add_collection(PolyCollection(flat, facecolors="#CFCFCF", edgecolors="#CFCFCF", linewidths=1.4, zorder=1.5))


def _draw_ground(ax: Any, release: Release, page: Array, size: float) -> None:
    """Fixed surroundings: a line for each flat surface, a wedge for each point."""
    around = release.surroundings
    starts = release.frames[0].placement.positions
    for i, (contact, touch) in enumerate(zip(around.assembly.contacts, around.touches, strict=True)):
        normal = contact.rotation[:, 2]
        point, out = (contact.position - around.gaps[i] * normal) @ page.T, normal @ page.T
        if np.linalg.norm(out) < 0.2:  # seen from above
            continue
        out = out / np.linalg.norm(out)
        across = np.array([-out[1], out[0]])
        if touch is TouchKind.REST:
            back = point - 0.06 * size * out
            corners = np.array([point, back + 0.03 * size * across, back - 0.03 * size * across])
            ax.fill(*corners.T, facecolor=LINK, edgecolor="none", zorder=1.0, gid="ground")
        else:
            gone = max(float(np.linalg.norm(frame.placement.positions[i] - starts[i])) for frame in release.frames)
            long = min(float(around.reach[i]), gone + SURFACE * size)
            line = np.array([point - long * across, point + long * across])
            ax.plot(*line.T, color=LINK, linewidth=1.3, solid_capstyle="butt", zorder=1.0, gid="ground")


def _draw_still(ax: Any, frame: ReleaseFrame, page: Array, scale: float, size: float) -> None:
    """Contacts, forces and the acceleration of one frame."""
    arrows = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 7}
    points = frame.placement.positions @ page.T
    states: tuple[ContactMotion | None, ...] = frame.states
    for point, force, state in zip(points, frame.forces @ page.T, states, strict=True):
        kind = "open" if state is None else state.mode.value
        if state is not None and np.linalg.norm(force) * scale > 0.02 * size:
            look = arrows | {"color": style.darker(STATE[kind], 0.85), "linewidth": 1.2}
            ax.annotate(
                "",
                xy=tuple(point + scale * force),
                xytext=tuple(point),
                arrowprops=look,
                zorder=4,
                annotation_clip=False,
            )
        still = state is not None and (state.pulls_while_separating or state.presses_while_separating)
        if still:
            ax.plot(*point, "o", ms=8.0, mfc="none", mec=STATE[kind], mew=0.9, zorder=5)
        ax.plot(*point, "o", ms=4.6, mfc=STATE[kind], mec=style.INK, mew=0.5, zorder=5, gid=kind)
    com = frame.com @ page.T
    ax.plot(*com, "o", ms=3.4, color=style.MOTION, zorder=6)
    if frame.acceleration is not None:
        way = (frame.acceleration[:3] + np.cross(frame.acceleration[3:], frame.com)) @ page.T
        length = float(np.linalg.norm(way))
        free = float(np.linalg.norm(frame.acceleration[:3] + np.cross(frame.acceleration[3:], frame.com)))
        if length > 0.05 * free and free > 0.0:
            look = arrows | {"color": style.MOTION, "linewidth": 2.0, "mutation_scale": 10}
            end = com + MOTION_LENGTH * size * way / length
            ax.annotate("", xy=tuple(end), xytext=tuple(com), arrowprops=look, zorder=6, annotation_clip=False)


def _caption(release: Release, number: int, *, last: bool) -> str:
    """What happened in the step before a frame."""
    frame = release.frames[number]
    lines = []
    for word, some in (("lost", frame.lost), ("closed", frame.landed)):
        names = [style.verbatim(release.assembly.contacts[i].name) or str(i) for i in some]
        if names:
            lines.append(f"{word}: {names[0]}" if len(names) == 1 else f"{word}: {len(names)} contacts")
    count = len(frame.touching)
    touching = "1 contact touches" if count == 1 else f"{count} contacts touch"
    lines.append(touching if count else "nothing touches")
    if last:
        lines.append(release.end.value)
    return "\n".join(lines)


def _strip_legend(figure: Any, release: Release, chosen: Sequence[int]) -> None:
    """The meaning of the colours, and the step, below the frames."""
    from matplotlib.lines import Line2D

    states = [state for i in chosen for state in release.frames[i].states]
    kinds = {"open" if state is None else state.mode.value for state in states}
    look = {"linestyle": "", "marker": "o", "mec": style.INK, "mew": 0.5, "ms": 4.6}
    handles = [Line2D([], [], mfc=STATE[kind], label=kind, **look) for kind in STATE if kind in kinds]
    if any(state is not None and (state.pulls_while_separating or state.presses_while_separating) for state in states):
        ring = {"linestyle": "", "marker": "o", "mfc": "none", "mec": STATE["separates"], "ms": 8.0}
        handles.append(Line2D([], [], label="still pulls or presses", **ring))
    handles.append(Line2D([], [], color=style.MOTION, linewidth=2.0, label="path of the centre of mass"))
    handles.append(Line2D([], [], linestyle="", label=f"illustrative, steps of {1e3 * release.step:.3g} mm"))
    figure.legend(
        handles=handles, loc="lower center", ncols=len(handles), fontsize=style.SMALL, frameon=False,
        labelcolor=style.INK, handlelength=1.4, columnspacing=1.3, bbox_to_anchor=(0.5, 0.0),
    )  # fmt: skip
