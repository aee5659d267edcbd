"""The chapters of a report, its pictures as data addresses, and the page that they make."""

from __future__ import annotations

import base64
import platform
import shlex
import tempfile
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from .. import tolerances
from ..assembly import plots as assembly_plots
from ..checks import Array
from ..force_limits import ForceVolume
from ..inputs import write_whole
from ..plotting.files import save
from ..public_names import with_advice
from ..reliability.plots import limit_histogram, tornado
from ..scenes import Scene
from ..sharing import LoadSharing, SharingStatus
from ..sharing.description import (
    bracket_line,
    efficiency_line,
    event_rows,
    springs_line,
    verdict_line,
)
from ..sharing.description import verdict as sharing_verdict
from ..sharing.plots import failure_order, forces_against_factor
from ..statics.diagnosis import (
    AT_LIMIT,
    ContactState,
    Diagnosis,
    JointState,
    action,
    active_facets,
    capitalised,
    gain_text,
    joint_values,
)
from ..statics.holding import OTHER_FORCES
from ..statics.plots import utilisation
from ..wrench_spaces.computation import extents_of
from ..wrench_spaces.plots import wrench_space
from ..wrench_spaces.space import slice_surface, volume_bounds
from .contents import AXES, LoadAnswer, ReportContents, SliceAnswer
from .markup import POLICY, STYLE, Markup, bullets, element, number, numbers, picture, table, together, triple, verdict

# -- pictures ----------------------------------------------------------------------------------------


#: Dots per inch of 3D drawings, which are stored as pixels: as vectors, their many facets would make a large page.
DOTS = 110.0

#: Largest number of bars in a picture; the table has as many rows.
MOST_BARS = 15

_KINDS = {".png": "image/png", ".svg": "image/svg+xml"}


def address(figure_or_ax: Any, suffix: Literal[".png", ".svg"] = ".png") -> str:
    """A matplotlib drawing as a data address, which contains the whole file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"drawing{suffix}"
        save(figure_or_ax, path, dpi=DOTS)
        return f"data:{_KINDS[suffix]};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


# -- the scene ---------------------------------------------------------------------------------------


def scene_chapter(contents: ReportContents) -> Markup:
    """What the scene consists of, with its picture."""
    scene = contents.scene
    mass = "no mass given" if scene.mass is None else f"mass {number(scene.mass)} kg"
    thing = f"{len(scene.bodies)} bodies" if scene.bodies else "Object"
    facts = f"{thing}: {mass}, centre of mass {triple(scene.com)} m. Gravity {triple(scene.gravity)} m/s²."
    description = [element("p", line) for line in scene.description.strip().split("\n\n") if line]
    caption = "The contacts with their frames: shear red, lateral green, normal (into the object) blue."
    drawn = picture(
        address(assembly_plots.assembly(scene)), caption, describes="The scene: contacts, gripper and object"
    )
    parts = [element("h2", "The scene"), *description, element("p", facts), drawn, _volumes(scene), _contacts(scene)]
    notes = [element("p", said) for said in (scene.pad_note, scene.wall_note) if said]
    return together(*parts, *notes, _bodies(scene), _joints(contents), _loads(scene))


def _bodies(scene: Scene) -> Markup:
    """Masses and centres of mass of several bodies."""
    if not scene.bodies:
        return Markup("")
    rows = [(body.name, number(body.mass), *numbers(body.com)) for body in scene.bodies]
    columns = ["body", "mass [kg]", "centre of mass x [m]", "y [m]", "z [m]"]
    return together(element("h3", f"Bodies ({len(rows)})"), table(columns, rows))


def volume_names(scene: Scene) -> dict[str, str]:
    """Name of each distinct force volume by its fingerprint: its name in the file, or V1, V2 and so on."""
    found: dict[str, str] = {}
    for contact in scene.assembly.contacts:
        key = contact.volume.fingerprint
        found.setdefault(key, scene.volume_names.get(key, f"V{len(found) + 1}"))
    return found


def friction(volume: ForceVolume, way: Array) -> float:
    """Largest shear along the unit vector `way` (3,), perpendicular to z, per newton of pressing, at small forces.

    At small forces the volume is a cone. 0 where pressing allows no shear along `way`, inf where zero is inside the
    volume, so that shear needs no pressing.
    """
    most = 0.0
    for piece in volume.polytopes:
        if not piece.contains(np.zeros(3)):
            continue
        normals = active_facets(piece, np.zeros(3))
        press, shear = normals[:, 2], normals @ way
        along = np.abs(shear) <= AT_LIMIT
        if (press[along] > AT_LIMIT).any():
            continue
        ends = -press[~along] / shear[~along]
        low = float(ends[shear[~along] < 0.0].max(initial=-np.inf))
        high = float(ends[shear[~along] > 0.0].min(initial=np.inf))
        most = max(most, high if low <= high * (1.0 + AT_LIMIT) + AT_LIMIT else 0.0)
    return most


def _limit_along(volume: ForceVolume, way: Array) -> str:
    """The largest force along `way` (3,) [N]; for shear that needs pressing, its share of the normal force f_z."""
    limit = float(volume.radial(way))
    if limit > tolerances.MEMBERSHIP * volume.size:
        return number(limit)
    slope = friction(volume, way) if way[2] == 0.0 else 0.0
    return f"{number(slope)} f_z" if AT_LIMIT < slope < np.inf else number(0.0)


def _volumes(scene: Scene) -> Markup:
    names, rows = volume_names(scene), {}
    for contact in scene.assembly.contacts:
        volume = contact.volume
        name = names[volume.fingerprint]
        users = sum(other.volume.fingerprint == volume.fingerprint for other in scene.assembly.contacts)
        ways = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]], dtype=float)
        rows.setdefault(name, (name, str(users), str(len(volume)), *(_limit_along(volume, way) for way in ways)))
    columns = [
        "model",
        "contacts",
        "pieces",
        "along +x [N]",
        "along -x [N]",
        "along y [N]",
        "pulled off [N]",
        "pressed [N]",
    ]
    said = (
        "Force limits of the contacts: unions of convex pieces in the contact frame; limits along single directions. "
        "0.5 f_z: friction, as a fraction of the pressing force."
    )
    return together(element("h3", "Contact models"), table(columns, rows.values(), caption=said))


def _contacts(scene: Scene) -> Markup:
    names = volume_names(scene)
    rows = [
        (
            contact.name or str(index),
            *(number(x) for x in contact.position),
            triple(contact.rotation[:, 2], 3),
            triple(contact.rotation[:, 0], 3),
            names[contact.volume.fingerprint],
        )
        for index, contact in enumerate(scene.assembly.contacts)
    ]
    columns = ["contact", "x [m]", "y [m]", "z [m]", "normal, into the object", "shear direction", "model"]
    return together(element("h3", f"Contacts ({len(rows)})"), table(columns, rows))


def _joints(contents: ReportContents) -> Markup:
    joints = contents.scene.assembly.mechanism
    if joints is None:
        return Markup("")
    names = joints.names or tuple(str(row) for row in range(len(joints)))
    rows = [
        (name, number(low) if low > float("-inf") else "no limit", number(high))
        for name, low, high in zip(names, joints.lower.tolist(), joints.upper.tolist(), strict=True)
    ]
    said = "Limits of the joint torques and forces from contact forces and the weight of the links."
    columns = ["joint row", "lowest [N m, N]", "largest [N m, N]"]
    return together(element("h3", f"Joint rows ({len(rows)})"), table(columns, rows, caption=said))


def _loads(scene: Scene) -> Markup:
    loads = dict(scene.loads)
    if scene.mass is not None:
        loads = {"weight": scene.gravity_load(), **loads}
    if not loads:
        return Markup("")
    several = bool(scene.bodies)
    rows = [
        (name, *([body] if several else []), *numbers(wrench))
        for name, load in loads.items()
        for body, wrench in scene.parts_of_load(load)
    ]
    wrench = ["f_x [N]", "f_y [N]", "f_z [N]", "t_x [N m]", "t_y [N m]", "t_z [N m]"]
    columns = ["load", *(["body"] if several else []), *wrench]
    said = f"On the {'bodies' if several else 'object'}; torques about the origin."
    return together(element("h3", "Loads"), table(columns, rows, caption=said))


# -- loads -------------------------------------------------------------------------------------------


#: Largest number of rows in tables on what limits a load; the remaining rows are counted.
MOST_ROWS = 12


def summary(contents: ReportContents) -> Markup:
    """One row per load: verdict, load factor, probability."""
    if not contents.loads:
        return element(
            "p",
            "The scene has neither mass nor loads: only its limits along the axes and its wrench spaces are reported.",
        )
    scattered = contents.scene.scatter is not None
    shared = any(isinstance(load.sharing, LoadSharing) for load in contents.loads)
    rows = []
    for load in contents.loads:
        row = [
            load.description,
            verdict(load.equilibrium.status.value),
            *(_bracket_cells(load.sharing) if shared else ()),
            number(None if load.limit is None else _clean(load.limit.value), 6),
            number(_at_most(load), 6),
            "yes" if load.equilibrium.verify() and (load.limit is None or load.limit.verify()) else "no",
        ]
        if scattered:
            chance = load.probability
            row.append(
                "–" if chance is None else f"{chance.value:.4g} ({chance.interval[0]:.4g} to {chance.interval[1]:.4g})"
            )
        rows.append(row)
    bracket = ["first failure", "peak"] if shared else []
    columns = ["load", "verdict", *bracket, "load factor", "at most", "proof verified"]
    said = (
        "The load factor is the largest multiple of the load that is held; the load itself is held if it is at least 1."
    )
    listed = table([*columns, *(["probability"] if scattered else [])], rows, caption=said)
    if not shared:
        return listed
    words = (
        'The verdict "holds" and the load factor say that admissible forces exist. Where contacts share the load by '
        "their stiffness, the first one fails at the first failure, and no more than the peak is carried."
    )
    return together(listed, element("p", words, class_="quiet"))


def _bracket_cells(sharing: LoadSharing | str | None) -> tuple[str, str]:
    """First failure and peak for the summary."""
    if not isinstance(sharing, LoadSharing):
        return "–", "–"
    if sharing.status is SharingStatus.UNDECIDED:
        return "–", "undecided"
    peak = "before the load" if sharing.peak == -np.inf else number(_clean(sharing.peak), 6)
    return number(_clean(sharing.first_failure), 6), peak


def _at_most(load: LoadAnswer) -> float | None:
    """The proven upper bound of the load factor; the factor itself where the two differ only by their tolerance."""
    if load.limit is None:
        return None
    value, most = float(load.limit.value), float(load.limit.upper_bound)
    return _clean(value if most - value <= tolerances.GAP * max(1.0, abs(value)) else most)


def _clean(factor: float) -> float:
    """A load factor; 0 at the level of rounding."""
    return 0.0 if abs(factor) < tolerances.FEASIBILITY else float(factor)


def load_chapter(contents: ReportContents, load: LoadAnswer) -> Markup:
    """Verdict, forces or certificate, and what limits one load."""
    answer = load.equilibrium
    wrench = f"{triple(load.wrench[:3])} N, {triple(load.wrench[3:])} N m about the origin"
    if contents.scene.bodies:
        wrench = f"{load.description} of the bodies"
    proved = f"Proof verified: {'yes' if answer.verify() else 'no'}."
    parts = [
        element("h2", f"Load: {load.description}"),
        element("p", "Verdict: ", verdict(answer.status.value), f", under {wrench}. ", proved),
    ]
    caption = _caption(load)
    drawing = address(assembly_plots.assembly(contents.scene, result=answer))
    drawn = picture(drawing, caption, describes=f"The scene under {load.description}: {caption}")
    use = Markup("")
    if any(not state.idle for state in load.diagnosis.contacts):
        when = "when the limit is reached" if load.diagnosis.has_prices else "in these forces"
        said = f"How much of its strength each contact uses {when}."
        use = picture(address(utilisation(load.diagnosis), ".svg"), said, describes=said)
    parts += [element("div", drawn, use, class_="pair"), _proof(load), _forces(load), _why(load.diagnosis)]
    return together(*parts)


def _caption(load: LoadAnswer) -> str:
    if load.equilibrium.forces is not None:
        return "Forces on the object that hold the load; contacts at their limit are highlighted."
    return "The motion of the certificate: the load does more work in it than contacts and joints can absorb."


def _proof(load: LoadAnswer) -> Markup:
    """The certificate, or the balance of forces, in sentences."""
    answer = load.equilibrium
    if answer.forces is not None:
        off = f"{answer.residual:.0e}" if answer.residual >= 1e-15 else "less than 1e-15"
        words = f"The forces below balance the load (relative error {off}); each force lies in the named convex piece."
    elif answer.certificate is not None:
        count = len(answer.certificate.leaves)
        which = "For any choice of convex pieces there is a motion"
        if count > 1:
            which = (
                f"The certificate divides all choices of convex pieces into {count} parts; for each there is a motion"
            )
        words = (
            f"No admissible forces balance the load. {which} in which the load does more work than contacts and joints "
            "can absorb."
        )
    else:
        words = "The search stopped without forces and without a certificate: the result is undecided."
    return element("p", words)


def _forces(load: LoadAnswer) -> Markup:
    rows = [
        (
            force.name,
            *(number(float(f)) for f in force.local),
            str(force.piece),
            f"{100.0 * force.use:.3g} %",
            number(force.margin, 3),
        )
        for force in load.equilibrium.contact_forces
    ]
    if not rows:
        return Markup("")
    columns = ["contact", "shear f_x [N]", "lateral f_y [N]", "normal f_z [N]", "piece", "use", "margin [N]"]
    said = "On the object, in the contact frames; f_z below 0 pulls. Margin: the smallest change that exceeds a limit."
    held = load.equilibrium
    if held.forces_unique is False:
        said += f" {capitalised(OTHER_FORCES)}."
    found = [element("h3", "Contact forces"), table(columns, rows, caption=said)]
    joints = [
        (row.name, number(row.lower), number(row.value), number(row.upper))
        for row in joint_values(held.assembly, held.forces)
    ]
    if joints:
        found.append(table(["joint row", "lowest [N m, N]", "value", "largest"], joints, caption="Joint rows."))
    return together(*found)


def _why(diagnosis: Diagnosis) -> Markup:
    """What limits the load, in sentences, and the effect of single changes."""
    parts = [element("h3", "What limits it"), bullets(diagnosis.sentences)]
    limiting = [
        (
            state.name or str(state.index),
            action(state),
            f"{100.0 * state.utilisation:.0f} %",
            gain_text(diagnosis, state),
        )
        for state in diagnosis.limiting
    ]
    if diagnosis.has_prices and limiting:
        columns = ["contact at its limit", "force", "use", "1 % more strength adds"]
        parts.append(table(columns, limiting[:MOST_ROWS]))
        if len(limiting) > MOST_ROWS:
            parts.append(element("p", f"and {len(limiting) - MOST_ROWS} more", class_="quiet"))
    gains = [
        (_changed(gain.state), gain.side, _step(gain.state, gain.step), number(gain.gain, 3))
        for gain in diagnosis.gains
    ]
    if gains:
        said = "Single changes, each computed again; increase of the limit in multiples of the load."
        parts.append(table(["change of", "what", "by", "adds [loads]"], gains[:MOST_ROWS], caption=said))
    return together(*parts)


def _changed(state: ContactState | JointState) -> str:
    kind = "joint" if isinstance(state, JointState) else "contact"
    return f"{kind} {state.name or state.index}"


def _step(state: ContactState | JointState, step: float) -> str:
    return f"{number(step, 3)} {state.unit if isinstance(state, JointState) else '%'}"


# -- load sharing ------------------------------------------------------------------------------------


def sharing_chapter(contents: ReportContents) -> Markup:
    """How the contacts share each load by their stiffness; one sentence where the stiffness is unknown."""
    loads = [load for load in contents.loads if load.sharing is not None]
    if not loads:
        return Markup("")
    parts = [element("h2", "Load sharing")]
    reasons = {load.sharing for load in loads}
    if len(reasons) == 1 and isinstance(reason := loads[0].sharing, str):
        return together(*parts, element("p", f"How the contacts share the loads is unknown: {reason}."))
    said = (
        "The load factor above assumes the best possible forces. Here they follow from the stiffness of the contacts: "
        "preload and weight come first, together, then the load times a factor that grows from zero."
    )
    parts.append(element("p", said))
    return together(*parts, *(_sharing(contents, load) for load in loads))


def _sharing(contents: ReportContents, load: LoadAnswer) -> Markup:
    """The load path of one load: after the weight, if there is one; and first failure and peak of the whole load."""
    result, parts = load.sharing if load.staged is None else load.staged, []
    if load.staged is None:
        parts.append(element("h3", load.description))
    else:
        parts.append(element("h3", f"weight first, then {load.name} grows"))
        if isinstance(load.sharing, LoadSharing):
            whole = bracket_line(load.sharing).replace("<=", "≤")
            parts.append(element("p", f"Where {load.description} grow together from zero: {whole}."))
    if not isinstance(result, LoadSharing):
        return together(*parts, element("p", f"Unknown: {result}."))
    proof = f" Proof verified: {'yes' if result.verify() else 'no'}."
    parts += [
        element("p", "Verdict: ", _coloured(verdict_line(result), sharing_verdict(result)), "."),
        element("p", element("strong", capitalised(bracket_line(result)).replace("<=", "≤")), f".{proof}"),
    ]
    reached = efficiency_line(result)
    listed = [f"{capitalised(sentence)}." for sentence in ([reached] if reached else [])]
    listed += [*load.advice, f"Stiffness: {springs_line(result)}."]
    parts.append(bullets(listed))
    if not result.events:
        return together(*parts)
    said = "Forces while the load grows, with every event; colours by order of failure."
    drawn = [picture(address(forces_against_factor(result), ".svg"), said, describes=said)]
    if result.failures:
        said = "The contacts numbered and coloured by the order in which they fail."
        drawn.append(picture(address(failure_order(result, contents.scene)), said, describes=said))
    parts.append(element("div", *drawn, class_="pair"))
    events, said = event_rows(result), "Events as the load grows."
    if len(events) > MOST_ROWS and result.failures:
        events, said = (
            event_rows(result, failures=True),
            "What fails as the load grows; other events are in the picture.",
        )
    rows = [(row.when, "at once after that" if row.cascade else "", row.who, row.what) for row in events]
    parts.append(table(["load factor", "", "which", "what"], rows[:MOST_ROWS], caption=said))
    if len(rows) > MOST_ROWS:
        parts.append(element("p", f"and {len(rows) - MOST_ROWS} more rows", class_="quiet"))
    return together(*parts)


def _coloured(words: str, status: str) -> Markup:
    """A text that begins with a verdict, with the verdict in its colour."""
    return together(verdict(status), words.removeprefix(status))


# -- limits ------------------------------------------------------------------------------------------


#: Fractions of the specimens for which the held load is reported.
SHARES = (0.99, 0.95, 0.5)


def axes_chapter(contents: ReportContents) -> Markup:
    """The largest pure forces and torques in both directions of each axis."""
    rows = []
    for (name, unit), (low, high) in zip(AXES.items(), contents.axes, strict=True):
        proof = "yes" if low.verify() and high.verify() else "no"
        rows.append((f"{name} [{unit}]", number(-low.value, 6), number(high.value, 6), proof))
    said = "Largest pure forces and torques on the object, without any weight; torques about the world origin."
    columns = ["axis", "lowest", "highest", "proof verified"]
    return together(element("h2", "Limits along the axes"), table(columns, rows, caption=said))


def slice_chapter(found: SliceAnswer) -> Markup:
    """One slice of the wrench space: its surface, extents, weakest and strongest load, volume."""
    surface, bounds = slice_surface(found.space), volume_bounds(found.space)
    labels, units = surface.subspace.labels, surface.subspace.units
    statuses = [str(status) for status in found.space.status]
    exact = statuses.count("optimal")
    others = {word: statuses.count(word) for word in ("unbounded", "does not hold", "undecided")}
    counts = ", ".join([f"{exact} exact", *(f"{count} {word}" for word, count in others.items() if count)])
    said = f"Loads that are held, over {', '.join(labels)}; {len(statuses)} rays: {counts}."
    parts = [element("h2", f"Wrench space: {', '.join(labels)}")]
    parts.append(picture(address(wrench_space(found.space)), said, describes=said, class_="picture tall"))
    extents = [
        (f"{row.label} [{row.unit}]", number(row.lowest, 6), number(row.highest, 6), "yes" if row.verified else "no")
        for row in extents_of(found.space).rows()
    ]
    parts.append(table(["axis", "lowest", "highest", "proof verified"], extents))
    rows = []
    for word, index in (("weakest", int(np.argmin(surface.radii))), ("strongest", int(np.argmax(surface.radii)))):
        finite = bool(np.isfinite(surface.radii[index]))
        load = surface.points[index] if finite else surface.units[index]
        name = word if finite else f"{word} (direction)"
        rows.append((name, number(float(surface.radii[index])), *(number(float(part)) for part in load)))
    columns = ["ray", "limit [N]", *(f"{label} [{unit}]" for label, unit in zip(labels, units, strict=True))]
    scale = f" Torques are divided by {number(found.space.length)} m." if "N m" in units else ""
    parts.append(table(columns, rows, caption=f"Loads at their limit.{scale}"))
    if np.isfinite(bounds.surface):
        most = f", at most {number(bounds.outer)}" if np.isfinite(bounds.outer) else ""
        parts.append(element("p", f"Volume within the sampled surface: {number(bounds.surface)} {bounds.unit}{most}."))
    if not found.space.star_shaped:
        words = "A load below its limit may not be held: joints need contact forces, or pieces exclude zero."
        parts.append(element("p", words))
    return together(*parts)


def certainty_chapter(contents: ReportContents) -> Markup:
    """The probability of holding each load, where the scene has scatter."""
    if contents.scene.scatter is None:
        return Markup("")
    listed = "; ".join(f"{name} {_scatter(value)}" for name, value in contents.scene.scatter.to_dict().items() if value)
    count, seed = contents.options.samples, contents.options.seed
    intro = f"{count} specimens drawn with seed {seed} for each load. Scatter of the scene: {listed}."
    parts = [element("h2", "Probability of holding"), element("p", intro)]
    for load in contents.loads:
        parts.append(_certainty(load))
    return together(*parts)


def _certainty(load: LoadAnswer) -> Markup:
    chance = load.probability
    if chance is None:
        return Markup("")
    low, high = chance.interval
    words = (
        f"Of the specimens {number(100.0 * chance.value)} % hold; the probability is between {number(low)} and "
        f"{number(high)} with {100.0 * chance.confidence:g} % confidence."
    )
    parts = [element("h3", load.description), element("p", words)]
    if load.samples is not None:
        if np.isfinite(load.samples.values).any():
            said = "Load limits of the specimens, in multiples of the load."
            drawing = address(limit_histogram(load.samples), ".svg")
            parts.append(picture(drawing, said, describes=said, class_="picture tall"))
        rows = []
        for share in SHARES:
            found = load.samples.quantile(1.0 - share)
            rows.append((f"{100.0 * share:g} %", *(_multiple(x) for x in (found.value, *found.interval))))
        parts.append(table(["of the specimens", "hold [loads]", "from", "to"], rows))
    return together(*parts)


def _scatter(value: Any) -> str:
    """One scatter of a scene as text, without brackets: "normal, mean 1, variation 0.1"."""
    if isinstance(value, dict):
        return ", ".join(str(entry) if name == "kind" else f"{name} {_scatter(entry)}" for name, entry in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_scatter(entry) for entry in value)
    return number(value) if isinstance(value, float) else str(value)


def _multiple(multiple: float) -> str:
    """A multiple of the load as text; "not known" where there are too few specimens."""
    if multiple == float("-inf"):
        return "–"
    return number(0.0 if abs(multiple) <= tolerances.GAP else multiple)


def sensitivity_chapter(contents: ReportContents) -> Markup:
    """What the limit of the first load depends on."""
    if contents.tornado is None:
        return Markup("")
    found, name = contents.tornado, contents.loads[0].description
    rows = []
    for bar in found.bars[:MOST_BARS]:
        parameter = bar.derivative.parameter
        amount = f"{100 * bar.amount:.3g} %" if parameter.is_share else f"{bar.amount:.3g} {parameter.unit}"
        rows.append((bar.label, amount, number(bar.down), number(bar.up)))
    limit = number(found.sensitivity.value, 6)
    intro = f"The limit of the load {name}, without the weight of links, is {limit} loads. Changes by its derivatives:"
    drawing = address(tornado(found, most=MOST_BARS), ".svg")
    drawn = picture(drawing, "The most important parameters.", describes="Bars of changes of the limit")
    rest = len(found.bars) - len(rows)
    more = [element("p", f"{rest} parameters with smaller effect.", class_="quiet")] if rest > 0 else []
    listed = table(["parameter", "change", "less [loads]", "more [loads]"], rows)
    return together(element("h2", "What the limit depends on"), element("p", intro), drawn, listed, *more)


# -- the page ----------------------------------------------------------------------------------------


#: Packages that the results and pictures depend on.
PACKAGES = ("holdfast", "numpy", "scipy", "numba", "highspy", "matplotlib")


@with_advice()
def report_page(contents: ReportContents, *, title: str = "", date: str = "") -> str:
    """A scene and its answers as one self-contained HTML page; the same contents give the same bytes.

    Args:
        contents: the result of `answer_scene`.
        title: of the page; the scene's name when left out.
        date: printed unchanged; left out when it is empty.
    """
    named = title or contents.scene.name or contents.asked
    made = f"Holdfast {_version('holdfast')}" + (f", {date}" if date else "")
    head = together(
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        element("title", named),
        element("style", Markup(STYLE)),
    )
    chapters = [
        element("header", element("h1", named), element("p", f"Does it hold? A report by {made}", class_="quiet")),
        summary(contents),
        scene_chapter(contents),
        *(load_chapter(contents, load) for load in contents.loads),
        *([] if contents.scene.bodies else [sharing_chapter(contents), axes_chapter(contents)]),
        *(slice_chapter(found) for found in contents.slices),
        certainty_chapter(contents),
        sensitivity_chapter(contents),
        _making(contents, title=title, date=date),
    ]
    body = element("body", element("main", *(together(chapter, "\n") for chapter in chapters)))
    return f"<!DOCTYPE html>\n{element('html', element('head', head), body, lang='en').text}\n"


@with_advice()
def save_report(page: str, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a page to `path`; an existing file is replaced only with `overwrite`."""
    return write_whole(path, page.encode(), new=not overwrite)


def commands(contents: ReportContents, *, title: str = "", date: str = "") -> list[str]:
    """The commands that repeat the report and its parts."""
    options = contents.options
    scene = shlex.quote(contents.asked)
    again = ["holdfast report", scene, "-o report.html", f"--level {options.level}", f"--seed {options.seed}"]
    again += [f"--slices {axes}" for axes in options.slices] or ["--slices none"]
    if contents.scene.scatter is not None:
        again.append(f"--samples {options.samples}")
    again += [f"--title {shlex.quote(title)}"] if title else []
    again += [f"--date {shlex.quote(date)}"] if date else []
    found = [" ".join(again), f"holdfast scene show {scene}"]
    for load in contents.loads:
        named = f" --load {shlex.quote(load.name)}" if load.name else ""
        found.append(f"holdfast check {scene}{named} --explain")
        if isinstance(load.sharing, LoadSharing):
            found.append(f"holdfast share {scene}{named}")
        if contents.scene.scatter is not None:
            found.append(
                f"holdfast probability {scene}{named} --samples {options.samples} --seed {options.seed} --explain"
            )
    found += [f"holdfast space {scene} --axes {axes} --level {options.level}" for axes in options.slices]
    if contents.tornado is not None:
        named = f" --load {shlex.quote(contents.loads[0].name)}" if contents.loads[0].name else ""
        found.append(f"holdfast sensitivity {scene}{named}")
    return found


def _making(contents: ReportContents, *, title: str, date: str) -> Markup:
    """Versions, seed, commands, and the text of the scene file."""
    rows = [("Python", platform.python_version()), *((name, _version(name)) for name in PACKAGES)]
    rows += [("scene", contents.asked), ("seed", str(contents.options.seed)), ("date", date or "not given")]
    said = "Exact method with default tolerances: verdicts have a proof; the relative gap of limits is at most 1e-6."
    repeat = "\n".join(commands(contents, title=title, date=date))
    return together(
        element("h2", "How this report was made"),
        element("p", said),
        table(["what", "which"], rows),
        element("h3", "Commands to repeat it"),
        element("pre", repeat),
        element("h3", "The scene file"),
        element("pre", contents.source),
    )


def _version(package: str) -> str:
    """The version of an installed package; "unknown" where it is not installed as one."""
    if package == "holdfast":
        from .. import __version__

        return __version__
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
