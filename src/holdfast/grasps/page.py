"""The viewer page of planar grasps: an example part or an uploaded picture, its ranked grasps, and their comparison.

Lengths are in mm, y up; the scene has `SCALE` mm to a unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array
from ..compiling import clock
from ..errors import FileError, InputError
from ..force_limits.measurements import has_forces
from ..inputs import file_bytes
from ..plotting import style
from ..web.folders import upload_folder
from ..web.marks import (
    Arrows,
    Dots,
    Drawing,
    Lines,
    Mark,
    Picture,
    Word,
    colour,
    framed,
    joined,
    mixed,
    ring,
    upright,
    written,
)
from ..web.page import Answer, AskingPage, PageEntry, ShownFile, Verdict
from .contour_files import READERS, Workpiece, read_workpiece
from .contours import Contour
from .parts import PICTURE_SCALE, example_part
from .pictures import LARGEST_PICTURE, read_image
from .planning import plan
from .plots import CONTACT, FORCE_LENGTH, HAND, IDEAL, KINDS, OUTLINE, REAL, REGION
from .ranking import Grasp, Ranking

if TYPE_CHECKING:
    from ..web.page import PageContext

#: Millimetres per unit of the scene.
SCALE = 100.0

#: Largest width and height [px] of pictures sent to the browser; grasps are found in the whole picture.
MOST_PIXELS = 640

#: Depths in the scene: outline, hand, regions, forces, contacts.
DEPTH = {"picture": 0.0, "outline": 0.004, "hand": 0.012, "region": 0.02, "force": 0.03, "contact": 0.04}

#: Marks grow with the part up to this size [mm]; distance of names from contacts [mm].
FULL_SIZE, LABEL = 110.0, 24.0

#: Rows of the list of grasps; number of stored rankings.
LISTED, KEPT = 10, 12

#: Kinds of grasps in the list.
SHORT = {"three_finger": "three", "virtual_two_finger": "two", "pinch": "pinch"}

#: Pictures are drawn pale, so that lines on them are visible: grey g as 1 - PALE (1 - g).
PALE = 0.4


@dataclass(frozen=True, eq=False)
class Upload:
    """A file from the browser.

    Attributes:
        name: the file name in the browser.
        content: its bytes.
    """

    name: str
    content: bytes


@dataclass(frozen=True)
class GraspState:
    """The controls of the page.

    Attributes:
        part: name of a ready part; ignored with an upload.
        upload: a picture or a contour file, or None.
        mm_per_px: size of the pixels of an uploaded picture [mm].
        hand: name of a ready hand.
        mu: friction coefficient between fingers and part.
        rank: which grasp is drawn, from 1.
        reachable: whether only grasps are shown for which palm and fingers have room.
        object: "auto", "dark" or "bright": the part in an uploaded picture.
        pick: "x, y" [mm] of a point on the part in an uploaded file, "" for the largest.
        roi: "x1, y1, x2, y2" [mm], corners of the region of an uploaded picture that is searched, "" for all of it.
        width: width of the part in an uploaded file [mm], to which it is scaled; 0: not scaled.
        any_confidence: whether parts with a low confidence are accepted.
    """

    part: str = "trefoil"
    upload: Upload | None = None
    mm_per_px: float = PICTURE_SCALE
    hand: str = "barrett"
    mu: float = 0.4
    rank: int = 1
    reachable: bool = True
    object: str = "auto"
    pick: str = ""
    roi: str = ""
    width: float = 0.0
    any_confidence: bool = False
    ranking: str = "sum"


class Rankings:
    """The last rankings of one browser."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Any, ...], Ranking] = {}
        self._shown: tuple[Ranking, Array] | None = None

    def of(self, state: GraspState) -> Ranking:
        """All grasps, the best first; a stored ranking is used if only the rank changed."""
        key = (
            state.part, state.upload, state.mm_per_px, state.hand, state.mu, state.reachable, state.object,
            state.ranking, state.pick, state.roi, state.width, state.any_confidence,
        )  # fmt: skip
        if key not in self._kept:
            if len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = ranking_of(state)
        return self._kept[key]

    def pixels(self, ranking: Ranking) -> Array | None:
        """The pixels of its picture; the same array for the same ranking, so that it is sent only once."""
        if ranking.picture is None:
            return None
        if self._shown is None or self._shown[0] is not ranking:
            self._shown = ranking, pixels(ranking.picture)
        return self._shown[1]


def ranking_of(state: GraspState) -> Ranking:
    """All grasps of the part or of the uploaded file, the best first."""
    asked: dict[str, Any] = {
        "mu": state.mu,
        "rank": state.ranking,
        "reachability": "best" if state.reachable else "none",
    }
    if state.upload is None:
        picture = example_part(state.part).picture(PICTURE_SCALE)
        return plan(picture, state.hand, PICTURE_SCALE, **asked)
    return plan(uploaded(state), state.hand, **asked)


def uploaded(state: GraspState, *, any_confidence: bool | None = None) -> Workpiece:
    """The part in an uploaded file; with `any_confidence` also one with a low confidence."""
    assert state.upload is not None
    taken = state.any_confidence if any_confidence is None else any_confidence
    # Codecs and readers of contours need files; the suffix gives the format.
    name = PurePath(state.upload.name).name or "upload"
    drawn = PurePath(name).suffix.lower() in READERS
    asked: dict[str, Any] = {
        "pick": _numbers("Point on the part", state.pick, 2),
        "width_mm": state.width or None,
        "object": state.object,
        "mm_per_px": 1.0 if drawn else state.mm_per_px,
        "roi": None if drawn else _numbers("Region", state.roi, 4),
        "least_confidence": 0.0 if taken else None,
    }
    with upload_folder() as folder:
        path = folder / name
        try:
            path.write_bytes(state.upload.content)
            return read_workpiece(path, **asked)
        except FileError as error:
            raise FileError(error.what, path=name, line=error.line, field=error.field, fix=error.fix) from None
        except OSError as error:
            raise FileError(f"cannot be stored: {error.strerror}", path=name, fix="use a plain file name") from None


def _numbers(name: str, text: str, count: int) -> Array | None:
    """Numbers of a text field, None where it is empty."""
    words = text.replace(",", " ").split()
    if not words:
        return None
    try:
        values = np.array([float(word) for word in words])
    except ValueError:
        values = np.array([np.nan])
    if len(values) != count or not np.isfinite(values).all():
        raise InputError(f"is {text!r}", where=name, fix=f"give {count} numbers [mm], or leave it empty")
    return values


def grasp_answer(state: GraspState, rankings: Rankings | None = None) -> Answer:
    """The part, one of its grasps over it, and the list of the best.

    Args:
        state: state of the controls.
        rankings: stored rankings; without them the result is the same but slower.
    """
    start = clock()
    kept = rankings or Rankings()
    ranking = kept.of(state)
    seconds = clock() - start
    count = len(ranking)
    rank = min(state.rank, count)
    marks: dict[str, Mark] = {}
    if ranking.workpiece is not None:
        marks |= _part_marks(ranking.workpiece, kept.pixels(ranking))
    if count:
        grasp = ranking.grasps[rank - 1]
        marks |= _hand_marks(grasp)
        marks |= _grasp_marks(grasp, ranking)
    view = framed(_around(ranking.contour))
    source = state.part if state.upload is None else state.upload.name
    subject = f"{source} {state.mm_per_px}"
    return Answer(_verdict(ranking, rank, seconds), Drawing(marks, view), subject, _notes(ranking, rank))


def words_answer(state: GraspState, error: InputError) -> Answer:
    """Why the uploaded file shows no part with the present controls, and what was found in it, if anything."""
    name = "" if state.upload is None else state.upload.name
    verdict = Verdict("no part found", "bad", str(error))
    words = "*mm per pixel*, *Part is*, *Region* and *Point on the part* describe what the picture shows."
    try:
        doubtful = uploaded(state, any_confidence=True)
    except (InputError, FileError):
        return Answer(verdict, Drawing(), f"{name} {state.mm_per_px}", words)
    words += " The outline was found with low confidence; *Use it anyway* plans grasps for it."
    shown = None if doubtful.picture is None else pixels(doubtful.picture)
    drawing = Drawing(_part_marks(doubtful, shown), framed(_around(doubtful.contour)))
    return Answer(verdict, drawing, f"{name} {state.mm_per_px}", words)


def _verdict(ranking: Ranking, rank: int, seconds: float) -> Verdict:
    """Which grasp is drawn, and the reason of its rank."""
    count = len(ranking)
    if not count:
        return Verdict("no grasp", "bad", ranking.reason, seconds)
    grasp = ranking.grasps[rank - 1]
    kind = KINDS[grasp.kind]
    opening = (
        f"{kind}, spread {np.degrees(grasp.spread_rad):.0f}\u00b0, longest finger {grasp.extensions_mm.max():.0f} mm"
    )
    lines = [opening] + ([grasp.note] if grasp.note else [])
    if count > 1:
        first, second = (rank, rank + 1) if rank < count else (rank - 1, rank)
        lines.append(str(ranking.why(first, second)))
    return Verdict(f"grasp {rank} of {count}", "good", f"Q = {written(grasp.Q)} (lower is better)", seconds, lines)


def _notes(ranking: Ranking, rank: int) -> str:
    """The list of the best grasps, and the meaning of the colours."""
    part = ranking.workpiece
    read = [] if part is None else [line for line in (part.summary(), *part.notes) if line]
    rows = ["| rank | kind | Q | S1 | S2 | S3 | S4 |", "|---|---|---|---|---|---|---|"]
    first = max(0, min(rank - 1 - LISTED // 2, len(ranking) - LISTED))
    for grasp in ranking.grasps[first : first + LISTED]:
        name = f"**{grasp.rank}**" if grasp.rank == rank else f"{grasp.rank}"
        values = " | ".join(f"{grasp.criteria[c]:.2f}" for c in ("S1", "S2", "S3", "S4"))
        rows.append(f"| {name} | {SHORT[grasp.kind]} | {grasp.Q:.3f} | {values} |")
    words = (
        "**Blue**: grasping regions. **Orange**: contacts and finger forces; dotted lines meet in the real focus. "
        "**Green**: the planned focus. **Violet**: the hand from above."
    )
    return ("\n".join(rows) + "\n\n" if len(ranking) else "") + "\n\n".join([*read, words])


# -- what is drawn ------------------------------------------------------------------------------------


def placed(points: Array, depth: str) -> Array:
    """Points (..., 2) [mm] in the scene (..., 3)."""
    return upright(np.asarray(points, dtype=float) / SCALE, DEPTH[depth])


def pixels(grey: Array) -> Array:
    """(h, w, 3) uint8, pale, of a picture (h, w) from 0 to 1; every n-th pixel of a large one."""
    every = -(-max(grey.shape) // MOST_PIXELS)
    shown = 1.0 - PALE * (1.0 - np.clip(grey[::every, ::every], 0.0, 1.0))
    return np.repeat(np.round(255.0 * shown).astype(np.uint8)[:, :, None], 3, axis=2)


def _around(contour: Contour | None) -> Array:
    """Corners of the part with room for a hand."""
    if contour is None:
        return np.zeros((0, 3))
    low, high = contour.outer.min(axis=0), contour.outer.max(axis=0)
    room = 0.3 * float((high - low).max())
    return placed(np.array([low - room, high + room]), "outline")


def _part_marks(part: Workpiece, shown: Array | None) -> dict[str, Mark]:
    """The picture, pale, and the outline that was found in it."""
    marks: dict[str, Mark] = {}
    picture, pixel = part.picture, part.mm_per_px
    if picture is not None and shown is not None and pixel is not None:
        height, width = (pixel * size / SCALE for size in picture.shape)
        marks["part/picture"] = Picture(shown, (0.0, 0.0, 0.0), width, height)
    rings = [ring(placed(points, "outline")) for points in part.contour.rings]
    marks["part/outline"] = Lines(np.concatenate(rings), colour(OUTLINE), 1.5)
    return marks


def _hand_marks(grasp: Grasp) -> dict[str, Mark]:
    """Palm, pivots and fingers from above."""
    hand, palm = grasp.scored.hand, grasp.palm_mm
    tip = 0.5 * float(hand.fingertip_width)
    fingers = grasp.fingers()
    pivots = np.array([pivot for pivot, _, _, _ in fingers])
    ends = np.array([contact - tip * normal for _, contact, normal, _ in fingers])
    turns = np.linspace(0.0, 2.0 * np.pi, 49)
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    tips = [joined(placed(end + tip * circle, "hand")) for end in ends]
    pale = mixed(colour(HAND), (255, 255, 255), 0.35)
    return {
        "hand/palm": Lines(joined(placed(palm + float(hand.palm_radius) * circle, "hand")), pale, 1.5),
        "hand/fingers": Lines(placed(np.stack([pivots, ends], axis=1), "hand"), pale, 7.0),
        "hand/tips": Lines(np.concatenate(tips), colour(HAND), 2.0),
        "hand/pivots": Dots(placed(pivots, "region"), colour(HAND), 0.035),
    }


def _grasp_marks(grasp: Grasp, ranking: Ranking) -> dict[str, Mark]:
    """Regions, contacts, forces and both focus points."""
    contour = ranking.contour
    size = 100.0 if contour is None else float(np.ptp(contour.outer, axis=0).max())
    contacts, forces = grasp.contacts_mm, grasp.force_directions
    arrows = np.stack([contacts, contacts + FORCE_LENGTH * size * forces], axis=1)
    thick = 0.011 * min(size, FULL_SIZE) / SCALE
    marks: dict[str, Mark] = {
        "grasp/regions": Lines(placed(grasp.regions_mm, "region"), colour(REGION), 6.0),
        "grasp/forces": Arrows(placed(arrows, "force"), colour(CONTACT), 0.6 * thick),
        "grasp/contacts": Dots(placed(contacts, "contact"), colour(CONTACT), 4.0 * thick),
        "grasp/focus": Dots(placed(grasp.grasp_focus_mm[None, :], "contact"), colour(IDEAL), 3.0 * thick),
        "grasp/centroid": Dots(
            placed(np.asarray(grasp.scored.shape.centroid_mm)[None, :], "contact"), colour(style.INK), 2.2 * thick
        ),
    }
    focus = grasp.real_focus_mm
    if focus is not None and np.linalg.norm(focus - contacts.mean(axis=0)) < 3.0 * size:
        lines = np.stack([contacts, np.broadcast_to(focus, contacts.shape)], axis=1)
        marks["grasp/lines"] = Lines(placed(lines, "region"), colour(REAL), 1.0)
        marks["grasp/real focus"] = Dots(placed(focus[None, :], "contact"), colour(REAL), 3.0 * thick)
    for _, contact, normal, name in grasp.fingers():
        at = placed(contact - LABEL * normal, "contact")
        marks[f"grasp/{name}"] = Word(name, (float(at[0]), float(at[1]), float(at[2])))
    return marks


#: Largest file that is taken [bytes].
MOST_BYTES = 50_000_000

#: Controls that are for uploaded files only.
OF_UPLOADS = ("mm_per_px", "object", "roi", "pick", "width", "any_confidence")

#: Menu entry for the uploaded file.
OWN = "uploaded file"


class GraspsPage(AskingPage["GraspState"]):
    """Part, hand and friction; an upload button; a slider through the ranking.

    Args:
        context: of the browser.
        upload: a picture or contour that is opened first, or None.
        part: name of the ready part that is opened first; "" for the first one; ignored with an upload.
    """

    title = "Ranked grasps of a part"

    def __init__(self, context: PageContext, upload: Upload | None = None, part: str = "") -> None:
        super().__init__(context)
        self._part = part
        self._handles: dict[str, Any] = {}
        self._upload = upload
        self._drawn: GraspState | None = None
        self._rankings: Rankings | None = None

    def add_controls(self) -> None:
        """A menu of parts, the upload button with its scale, hand, friction, rank."""
        from .hands import hand_names
        from .parts import part_names

        gui, add = self.context.client.gui, self._handles
        parts = tuple(part_names()) if self._upload is None else (OWN, *part_names())
        first = self._part if self._part and self._upload is None else parts[0]
        add["part"] = self.keep(gui.add_dropdown("Part", parts, initial_value=first))
        add["part"].on_update(lambda event: self.ask() if event.client is not None else None)  # by the user
        hint = "a photo of one part on a plain background (PNG, JPEG), or a contour (CSV, SVG, DXF; in mm)"
        add["upload"] = self.keep(gui.add_upload_button("Upload a picture", hint=hint))
        add["mm_per_px"] = self.asks(gui.add_number("mm per pixel", 0.5, min=0.01, max=20.0, step=0.01))
        add["object"] = self.asks(gui.add_dropdown("Part is", ("auto", "dark", "bright"), initial_value="auto"))
        hint = "x1, y1, x2, y2 [mm from the middle, y up]: corners of the region of the picture to look at"
        add["roi"] = self.asks(gui.add_text("Region", "", hint=hint))
        hint = "x, y [mm; from the middle of a picture, as in a drawing]: if there are several parts"
        add["pick"] = self.asks(gui.add_text("Point on the part", "", hint=hint))
        hint = "width of the part [mm], to which the file is scaled; 0: not scaled"
        add["width"] = self.asks(gui.add_number("Width", 0.0, min=0.0, max=5000.0, step=1.0, hint=hint))
        hint = "plan grasps also for a part that was found with a low confidence"
        add["any_confidence"] = self.asks(gui.add_checkbox("Use it anyway", initial_value=False, hint=hint))
        add["hand"] = self.asks(gui.add_dropdown("Hand", tuple(hand_names()), initial_value="barrett"))
        add["mu"] = self.asks(gui.add_slider("Friction", 0.05, 1.5, 0.01, 0.4))
        hint = "sum: the ten criteria and limb thickness, forces in their cones first; paper: Q of the paper alone"
        add["ranking"] = self.asks(gui.add_dropdown("Ranking", ("sum", "paper"), initial_value="sum", hint=hint))
        hint = "only grasps for which palm and fingers have room beside the part; the best 20 are checked"
        add["reachable"] = self.asks(gui.add_checkbox("Reachable only", initial_value=True, hint=hint))
        add["rank"] = self.asks(gui.add_slider("Rank", 1, 100, 1, 1))
        for name in OF_UPLOADS:
            add[name].visible = False
        add["upload"].on_upload(lambda _: self._take_upload())

    def state(self) -> GraspState:
        """The present state of the controls."""
        read = {name: handle.value for name, handle in self._handles.items() if name != "upload"}
        own = read["part"] == OWN
        return GraspState(
            part=read["part"],
            upload=self._upload if own else None,
            mm_per_px=float(read["mm_per_px"]),
            hand=read["hand"],
            mu=float(read["mu"]),
            rank=int(read["rank"]),
            reachable=bool(read["reachable"]),
            object=read["object"],
            pick=read["pick"],
            roi=read["roi"],
            width=float(read["width"]),
            any_confidence=bool(read["any_confidence"]),
            ranking=read["ranking"],
        )

    def answer(self, state: GraspState) -> Answer:
        """The part with one of its grasps; only text if an upload shows no part with the present controls."""
        from ..errors import FileError, InputError

        if self._rankings is None:
            self._rankings = Rankings()
        try:
            answer = grasp_answer(state, self._rankings)
        except FileError:
            self._go_back(state)
            raise
        except InputError as error:
            if state.upload is None:
                raise
            answer = words_answer(state, error)
        self._drawn = state
        return answer

    def shown(self, answer: Answer) -> None:
        """Show the controls for reading a file only with an upload."""
        own = self._handles["part"].value == OWN
        for name in OF_UPLOADS:
            if self._handles[name].visible != own:
                self._handles[name].visible = own

    def _go_back(self, failed: GraspState) -> None:
        """A file that cannot be read was never drawn: the menu returns to the drawn part; nothing is computed again."""
        if self._drawn is None or failed.upload is None or failed.upload is not self._upload:
            return
        menu = self._handles["part"]
        self._upload = self._drawn.upload
        menu.value = OWN if self._upload is not None else self._drawn.part
        if self._upload is None:
            menu.options = tuple(name for name in menu.options if name != OWN)

    def _take_upload(self) -> None:
        """Add the file to the menu, and choose it."""
        from ..errors import InputError

        file = self._handles["upload"].value
        if len(file.content) > MOST_BYTES:
            size = f"has {len(file.content) / 1e6:.0f} MB"
            fix = f"reduce it below {MOST_BYTES / 1e6:.0f} MB"
            self.context.report(InputError(size, where=file.name, fix=fix))
            return
        self._upload = Upload(file.name, bytes(file.content))
        menu = self._handles["part"]
        if OWN not in menu.options:
            menu.options = (*menu.options, OWN)
        self._handles["rank"].value = 1
        menu.value = OWN
        self.ask()


def file_entry(upload: Upload, key: str = "scene-part") -> PageEntry:
    """The page that begins with a picture or a contour."""
    summary = f"How a hand grasps the part in `{upload.name}` best, and why."
    return PageEntry(key, upload.name, "Grasps", summary, lambda context: GraspsPage(context, upload))


def part_entry(name: str) -> PageEntry:
    """The page that begins with a ready part."""
    summary = f"How a hand grasps the ready part `{name}` best, and why."
    return PageEntry(f"part-{name}", name, "Grasps", summary, lambda context: GraspsPage(context, part=name))


def file_pages(file: ShownFile) -> tuple[PageEntry, ...]:
    """The page that begins with a ready part, a picture or a contour."""
    if file.kind.name == "part":
        return (part_entry(file.name[1:]),)
    if file.kind.name == "table of numbers" and has_forces(file.name):
        return ()
    # The user can still choose in the page which part of a picture is the object.
    (read_image if file.kind.name == "picture" else read_workpiece)(file.name)
    return (file_entry(Upload(PurePath(file.name).name, file_bytes(file.name, most=LARGEST_PICTURE))),)


ENTRIES = (
    PageEntry(
        "grasps",
        GraspsPage.title,
        "Grasps",
        "Upload a picture of a flat part and see the best grasps of a three-finger hand, with reasons.",
        GraspsPage,
    ),
)
