"""Load sharing in the viewer: the forces of a gripper at any load factor, and the order in which its contacts fail.

Results are functions of immutable data; `SharingPage` draws them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.plots import subject_of
from ..assembly.suspension import RULES
from ..checks import Array
from ..compiling import clock
from ..errors import InputError
from ..plotting import style
from ..scenes.page import BODY, LINK, UNIT, ready_scene, round_up, shape_mesh
from ..solvers import Exact
from ..statics import LoadLimit
from ..statics.strength import RampLimit
from ..web.marks import Arrows, Dots, Drawing, Lines, Mark, Surface, Word, colour, framed, joined, polygons_mesh
from ..web.page import Answer, AskingPage, PageEntry, ShownFile, Tone, Verdict
from .description import bracket_line, event_rows, missing_stiffness, sharing_line, sharing_or_reason
from .plots import order_colours
from .sequences import LoadSharing, SharingStatus, best_limit, load_sharing, resolve_springs

if TYPE_CHECKING:
    from ..scenes import Scene
    from ..web.page import PageContext

#: Menu entries for the weight of the object, and for the contacts' own rules.
WEIGHT, OWN_RULE = "weight", "as given"

#: Range of the slider for the stiffness ratio, in powers of ten up and down.
DECADES = 2.0

#: The slider of the load factor ends at this multiple of the load limit, or of the peak where there is no limit.
BEYOND = 1.2

#: Time limit of a load limit [s], and number of stored paths.
LIMIT_SECONDS, KEPT = 3.0, 32

#: Largest number of lines of events in the panel, and of characters of names in a line.
MOST_LINES, LETTERS = 6, 40

#: Sizes as shares of the size of the drawing: dots, shafts of arrows, the longest force, the load.
DOT, SHAFT, LONGEST, LOAD_LENGTH = 0.045, 0.006, 0.35, 0.3

#: Viewing direction of the camera.
TOWARDS = (-0.5, 1.0, -0.55)


@dataclass(frozen=True)
class SharingPageState:
    """The controls of the page.

    Attributes:
        load: "weight", or the name of a load of the scene.
        factor: of that load.
        weight_first: whether the weight acts before a load of the scene, as the base load.
        ratio: decimal logarithm of the factor on the tangential stiffness of every contact; 0 for that of the scene.
        rule: "as given", "brittle", "slip" or "ductile", for all contacts.
        preload: normal force that is added to the preload of every contact [N].
        together: whether a unit fails as a whole.
    """

    load: str
    factor: float = 1.0
    weight_first: bool = True
    ratio: float = 0.0
    rule: str = OWN_RULE
    preload: float = 0.0
    together: bool = True


def loads_of(scene: Scene) -> tuple[str, ...]:
    """Loads that may grow: the weight of an object with a mass, and the loads of the scene."""
    return (*((WEIGHT,) if scene.mass else ()), *scene.loads)


def contacts_line(assembly: Assembly, load: Array, limit: LoadLimit) -> str:
    """First failure, peak and what fails first, for the contacts page; "" without stiffness, a path or a failure."""
    if missing_stiffness(assembly) is not None:
        return ""
    found = sharing_or_reason(assembly, load, limit=limit)
    return "" if isinstance(found, str) or np.isinf(found.first_failure) else sharing_line(found)


class SharingQuestions:
    """Computes results for one scene; keeps the last paths, which do not depend on the load factor."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._paths: dict[tuple, LoadSharing] = {}
        self._limits: dict[tuple, LoadLimit | RampLimit] = {}

    def path(self, state: SharingPageState) -> LoadSharing:
        """The failure sequence of a state."""
        key = (state.load, state.weight_first, state.ratio, state.rule, state.preload, state.together)
        if key not in self._paths:
            while len(self._paths) >= KEPT:
                self._paths.pop(next(iter(self._paths)))
            self._paths[key] = self._computed(state)
        return self._paths[key]

    def _computed(self, state: SharingPageState) -> LoadSharing:
        scene = self.scene
        load, base = wrenches(scene, state)
        springs = resolve_springs(scene.assembly, None, None, None)
        stretch = np.array([10.0 ** (0.5 * state.ratio)] * 2 + [1.0])
        result = load_sharing(
            scene.assembly,
            load,
            stretch[:, None] * springs.stiffness * stretch,
            springs.preload + np.array([0.0, 0.0, state.preload]),
            base,
            [RULES[number] for number in springs.rule] if state.rule == OWN_RULE else state.rule,  # pyright: ignore[reportArgumentType]
            units="together" if state.together else "pointwise",
        )
        vars(result)["limit"] = self.limit(state)  # fills the cached property
        return result

    def limit(self, state: SharingPageState) -> LoadLimit | RampLimit:
        """The load limit with the best possible forces; it does not depend on stiffness."""
        key = (state.load, state.weight_first)
        if key not in self._limits:
            load, base = wrenches(self.scene, state)
            method = Exact(time_limit=LIMIT_SECONDS)
            fixed = np.zeros(6) if base is None else base
            self._limits[key] = best_limit(self.scene.assembly, load, fixed, method=method)
        return self._limits[key]

    def reach(self, state: SharingPageState) -> float:
        """Upper end of the slider of the load factor."""
        limit, peak = float(self.limit(state).value), self.path(state).peak
        ends = [end for end in (limit, peak) if np.isfinite(end) and end > 0.0]
        return round_up(BEYOND * max(ends, default=1.0))


def wrenches(scene: Scene, state: SharingPageState) -> tuple[Array, Array | None]:
    """(load that grows, base load or None), (6,) each, torque about the world origin."""
    if state.load == WEIGHT and WEIGHT not in scene.loads:
        return scene.gravity_load(), None
    base = scene.gravity_load() if scene.mass and state.weight_first else None
    return scene.load(state.load), base


def sharing_answer(state: SharingPageState, questions: SharingQuestions) -> Answer:
    """The gripper at a load factor: forces, contacts coloured by order of failure, first failure, peak and events."""
    if not (np.isfinite(state.factor) and state.factor >= 0.0):
        raise InputError(f"is {state.factor}", where="load factor", fix="give a finite factor that is not negative")
    if not abs(state.ratio) <= DECADES:
        raise InputError(f"is {state.ratio}", where="stiffness ratio", fix=f"give from {-DECADES:g} to {DECADES:g}")
    start = clock()
    result = questions.path(state)
    seconds = clock() - start
    drawing = Drawing(_marks(state, questions.scene, result))
    solid = Drawing({name: mark for name, mark in drawing.marks.items() if not name.startswith("forces")}).corners
    size = _size(solid)
    # Forces extend beyond the object; the view has room for the longest of them.
    up = np.array([0.0, 0.0, size])
    room = np.vstack([solid, solid + LONGEST * up, solid - 0.6 * LOAD_LENGTH * up])
    view = framed(room, TOWARDS)
    return Answer(_verdict(state, result, seconds), Drawing(drawing.marks, view), questions.scene.name, _notes(result))


# -- words ------------------------------------------------------------------------------------------


def _verdict(state: SharingPageState, result: LoadSharing, seconds: float) -> Verdict:
    """What the gripper does at the factor, first failure and peak, the events so far."""
    factor, gone = state.factor, _is_not_carried(state, result)
    failed = {e.contact for e in result.failures if e.factor <= factor * (1.0 + 1e-9)}
    tone: Tone = "bad" if gone else "open" if failed or result.status is SharingStatus.UNDECIDED else "good"
    if result.status is SharingStatus.FAILS_AT_BASE:
        early = bool(result.events) and result.events[-1].stage == "preload"
        status = "fails under preload and joint torques alone" if early else "does not hold the base load"
    elif gone and result.status is SharingStatus.UNDECIDED:
        status = f"undecided beyond factor {result.peak:.4g}"
    elif gone:
        sudden = " suddenly" if result.status is SharingStatus.UNSTABLE else ""
        status = f"collapsed{sudden}: the peak is {result.peak:.4g}"
    elif failed:
        count = f"{len(failed)} of {len(result.assembly)} contacts"
        status = f"carries factor {factor:.4g}; {count} are at their limit or have failed"
    else:
        status = f"carries factor {factor:.4g}; no contact fails"
    efficiency = result.efficiency
    share = [] if np.isnan(efficiency) else [f"peak / load limit: {100.0 * efficiency:.3g} %"]
    lines = (*share, _ratio_words(result), *event_lines(result, factor))
    return Verdict(status, tone, bracket_line(result), seconds, lines)


def _ratio_words(result: LoadSharing) -> str:
    """Ratio of tangential to normal stiffness of the contacts as text: one number, or the smallest and the largest."""
    diagonal = np.diagonal(result.stiffness, axis1=1, axis2=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = 0.5 * (diagonal[:, 0] + diagonal[:, 1]) / diagonal[:, 2]
    ends = dict.fromkeys(f"{end:.3g}" for end in (ratios.min(), ratios.max()))
    return f"tangential / normal stiffness: {' to '.join(ends)}"


def _is_not_carried(state: SharingPageState, result: LoadSharing) -> bool:
    """Whether the load is not carried at this factor."""
    return state.factor > result.peak * (1.0 + 1e-9)


def event_lines(result: LoadSharing, factor: float) -> list[str]:
    """Events up to a factor as text; events of one kind at one load share a line; only the last lines of many."""
    rows = [row for row in event_rows(result, longest=LETTERS) if row.factor <= factor * (1.0 + 1e-9)]
    lines = [f"{'then' if row.cascade else row.when}: {row.who} {row.what}" for row in rows]
    hidden = len(lines) - MOST_LINES
    return [f"{hidden + 1} earlier lines of events", *lines[1 - MOST_LINES :]] if hidden > 0 else lines


def _notes(result: LoadSharing) -> str:
    """What colours and arrows mean."""
    words = ["**Numbers and colours of contacts**: order of failure, dark first, light last; grey does not fail."]
    words.append("**Dark arrows**: forces on the object; **orange**: of contacts that slip or yield.")
    words.append("**Purple arrow**: the load, not to the scale of the forces. Beyond the peak no forces balance it.")
    if np.isinf(result.limit.value):
        words.append("Load limit inf: the best possible forces hold any multiple of this load.")
    return " ".join(words)


# -- marks ------------------------------------------------------------------------------------------


def _size(points: Array) -> float:
    return float(np.ptp(points, axis=0).max()) or 0.1 if len(points) else 0.1


def _marks(state: SharingPageState, scene: Scene, result: LoadSharing) -> dict[str, Mark]:
    """Object, gripper, contacts by their order of failure, forces and load."""
    subject, marks = subject_of(scene), {}
    held = np.concatenate([result.assembly.positions, *subject.faces, *subject.links])
    if subject.shape is not None:
        (vertices, faces), edges = shape_mesh(subject.shape, held)
        marks["object/faces"] = Surface(vertices, faces, colour(BODY), 0.2)
        marks["object/edges"] = Lines(edges, colour("#6E6E6E"), 1.2)
        held = np.concatenate([held, vertices])
    if subject.faces:
        marks["gripper/units"] = Surface(*polygons_mesh(subject.faces), colour(UNIT), 0.4)
    if subject.links:
        marks["gripper/links"] = Lines(np.concatenate([joined(line) for line in subject.links]), colour(LINK), 5.0)
    size = _size(held)
    marks |= _contact_marks(result, size)
    gone = _is_not_carried(state, result)
    marks |= {} if gone else _force_marks(state, result, size)
    force = result.load[:3]
    if force.any():
        way = LOAD_LENGTH * size * force / float(np.linalg.norm(force))
        start = np.asarray(scene.com)
        marks["load/arrow"] = Arrows(np.array([[start, start + way]]), colour(style.LOAD), 1.3 * SHAFT * size)
        text = f"{state.factor:.4g} x {state.load}" + (": not carried" if gone else "")
        x, y, z = (float(value) for value in start + 1.15 * way)
        marks["load/word"] = Word(text, (x, y, z), "top-center")
    return marks


def _contact_marks(result: LoadSharing, size: float) -> dict[str, Mark]:
    """Dots coloured by the order of failure, with its number if there are few contacts."""
    from matplotlib.colors import to_hex

    order, marks = result.order, {}
    positions = result.assembly.positions
    apart = np.linalg.norm(positions[:, None] - positions, axis=2)
    apart = float(apart[apart > 0.0].min(initial=np.inf))
    small = min(DOT * size, max(0.6 * apart, 0.3 * DOT * size))
    places = np.unique(order)
    for place, shade in zip(places, order_colours(places), strict=True):
        marks[f"contacts/{place}"] = Dots(positions[order == place], colour(to_hex(shade)), small)
    words: dict[tuple[float, ...], list[str]] = {}
    for index in np.nonzero(order)[0]:
        # Points of a unit that fail at the same time share one number.
        unit = result.problem.group[index]
        mates = (result.problem.group == unit) & (order == order[index])
        words.setdefault(tuple(positions[mates].mean(axis=0)), []).append(str(order[index]))
    for number, (place, texts) in enumerate(words.items()):
        x, y, z = place
        marks[f"contacts/word {number}"] = Word(texts[0], (x, y, z + 0.6 * small), "bottom-center")
    return marks


def _force_marks(state: SharingPageState, result: LoadSharing, size: float) -> dict[str, Mark]:
    """Forces at the factor; the scale is set by the largest force up to the peak."""
    forces = result.forces(state.factor)
    known = result.path.force if np.isfinite(result.peak) else result.forces([0.0, 1.0])
    longest = float(np.linalg.norm(known, axis=2).max(initial=0.0))
    if not longest > 0.0 or not np.isfinite(forces).all():
        return {}
    scale = LONGEST * size / longest
    flowing = np.zeros(len(forces), dtype=bool)
    for event in result.events:
        if event.contact is not None and (event.stage != "load" or event.factor <= state.factor * (1.0 + 1e-9)):
            flowing[event.contact] = event.kind in ("slips", "yields")
    drawn = np.linalg.norm(forces, axis=1) > 1e-3 * longest
    tips = np.stack([result.assembly.positions, result.assembly.positions + scale * forces], axis=1)
    return {
        "forces/held": Arrows(tips[drawn & ~flowing], colour(style.FORCE), SHAFT * size),
        "forces/at limit": Arrows(tips[drawn & flowing], colour(style.LIMIT), SHAFT * size),
    }


# -- the page ---------------------------------------------------------------------------------------


class SharingPage(AskingPage[SharingPageState]):
    """Load sharing of one scene.

    Args:
        context: of the browser.
        scene: function that makes the scene; all its contacts have a stiffness.
    """

    title = "Load sharing"

    def __init__(self, context: PageContext, scene: Callable[[], Scene]) -> None:
        super().__init__(context)
        self._questions = SharingQuestions(scene())
        self._handles: dict[str, Any] = {}
        self._reach = 2.0  # until the first answer

    def add_controls(self) -> None:
        """Menus of load and rule, sliders of load factor, stiffness and preload."""
        gui, scene, add = self.context.client.gui, self._questions.scene, self._handles
        names = loads_of(scene)
        add["load"] = self.asks(gui.add_dropdown("Load that grows", names, initial_value=names[0]))
        step = self._reach / 500.0
        hint = "multiple of the load; the slider goes beyond the peak"
        add["factor"] = self.asks(gui.add_slider("Load factor", 0.0, self._reach, step, 1.0, hint=hint))
        if scene.mass and len(names) > 1:
            hint = "as the base load, for loads of the scene"
            add["weight_first"] = self.asks(gui.add_checkbox("Weight acts first", initial_value=True, hint=hint))
        hint = "factor on the tangential stiffness of all contacts, as a power of ten; 0: as given"
        add["ratio"] = self.asks(gui.add_slider("K_t/K_n, x 10^", -DECADES, DECADES, 0.05, 0.0, hint=hint))
        one_piece = all(len(contact.volume) == 1 for contact in scene.assembly.contacts)  # else slip is undefined
        rules = (OWN_RULE, *(rule for rule in RULES if rule != "slip" or one_piece))
        add["rule"] = self.asks(gui.add_dropdown("Failure rule", rules, initial_value=OWN_RULE))
        most = self._most_preload()
        hint = "pressing force that every contact has before any load"
        add["preload"] = self.asks(gui.add_slider("Preload [N]", 0.0, most, most / 200.0, 0.0, hint=hint))
        units = [id(contact.unit) for contact in scene.assembly.contacts if contact.unit is not None]
        if len(set(units)) < len(units):
            hint = "when a point of a unit fails, all of its points do"
            add["together"] = self.asks(gui.add_checkbox("Units fail together", initial_value=True, hint=hint))

    def _most_preload(self) -> float:
        """Upper end of the preload slider [N]: the weight, or the strength of the weakest contact."""
        scene = self._questions.scene
        sizes = [contact.volume.size for contact in scene.assembly.contacts if np.isfinite(contact.volume.size)]
        weight = float(np.linalg.norm(scene.gravity_load()[:3])) if scene.mass else 0.0
        return round_up(weight or min(sizes, default=10.0))

    def state(self) -> SharingPageState:
        """The present state of the controls."""
        return SharingPageState(**{name: handle.value for name, handle in self._handles.items()})

    def answer(self, state: SharingPageState) -> Answer:
        """The gripper at the factor."""
        found = sharing_answer(state, self._questions)
        self._reach = max(self._questions.reach(state), state.factor)
        return found

    def shown(self, answer: Answer) -> None:
        """Extend the slider of the load factor beyond the peak; the weight cannot act before itself."""
        slider, reach = self._handles["factor"], self._reach
        if "weight_first" in self._handles:
            self._handles["weight_first"].visible = self._handles["load"].value != WEIGHT
        if slider.max != reach and reach >= slider.value:
            with self.context.client.atomic():
                slider.max, slider.step = reach, reach / 500.0


def file_pages(file: ShownFile) -> tuple[PageEntry, ...]:
    """The page of a scene with one object and a load whose contacts all have a stiffness; else none."""
    scene = file.content
    if scene.bodies or missing_stiffness(scene.assembly) is not None or not loads_of(scene):
        return ()
    return (_entry("scene-sharing", scene.name, f"How {scene.name} shares a growing load.", lambda: scene),)


def _entry(key: str, title: str, summary: str, scene: Callable[[], Scene]) -> PageEntry:
    return PageEntry(key, title, "Load sharing", summary, lambda context: SharingPage(context, scene))


ENTRIES: tuple[PageEntry, ...] = (
    _entry(
        "sharing-suction",
        "Plate under twelve suction cups",
        "The plate hangs off centre: the cups nearest to its centre of mass fail first, then the others.",
        partial(ready_scene, "suction_array"),
    ),
    _entry(
        "sharing-h-block",
        "H-shaped block between two walls",
        "It can hold, but without preload it falls: change the preload.",
        partial(ready_scene, "h_block_between_walls"),
    ),
    _entry(
        "sharing-2fg",
        "Two-finger gripper (2FG)",
        "Passive two-finger gripper with microspines: soft spines along the normal share the load better.",
        partial(ready_scene, "two_finger_gripper_pmd_pmd"),
    ),
)
