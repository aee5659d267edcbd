"""Planar grasps: ready parts or an uploaded picture, the ranked grasps drawn over them, and why one beats the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..web.page import Answer, AskingPage, PageEntry

if TYPE_CHECKING:
    from ..web.page import PageContext
    from .page_grasp_overlays import GraspState, Rankings, Upload

#: Largest file that is taken [bytes].
MOST_BYTES = 50_000_000

#: The name of the menu's line that stands for the uploaded file.
OWN = "uploaded file"


class GraspsPage(AskingPage["GraspState"]):
    """Part, hand and friction; an upload button; a slider through the ranking.

    Args:
        context: of the browser.
        upload: a picture or contour to begin with, or None.
        part: name of the ready part to begin with; "" for the first, not looked at where there is an upload.
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
        add["part"].on_update(lambda event: self.ask() if event.client is not None else None)  # by hand
        hint = "a photo of one part on a plain ground (PNG, JPEG), or a contour (CSV, SVG, DXF; in mm)"
        add["upload"] = self.keep(gui.add_upload_button("Upload a picture", hint=hint))
        add["mm_per_px"] = self.asks(gui.add_number("mm per pixel", 0.5, min=0.01, max=20.0, step=0.01))
        add["object"] = self.asks(gui.add_dropdown("Part is", ("auto", "dark", "bright"), initial_value="auto"))
        add["hand"] = self.asks(gui.add_dropdown("Hand", tuple(hand_names()), initial_value="barrett"))
        add["mu"] = self.asks(gui.add_slider("Friction", 0.05, 1.5, 0.01, 0.4))
        hint = "only grasps for which palm and fingers have room beside the part"
        add["reachable"] = self.asks(gui.add_checkbox("Reachable only", initial_value=False, hint=hint))
        add["rank"] = self.asks(gui.add_slider("Rank", 1, 100, 1, 1))
        for name in ("mm_per_px", "object"):
            add[name].visible = False
        add["upload"].on_upload(lambda _: self._take_upload())

    def state(self) -> GraspState:
        """What the controls say."""
        from .page_grasp_overlays import GraspState

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
        )

    def answer(self, state: GraspState) -> Answer:
        """The part with one of its grasps; words alone where an upload shows no part as the controls are."""
        from ..errors import FileError, InputError
        from .page_grasp_overlays import Rankings, grasp_answer, words_answer

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
        """The scale and the kind of the part are for uploads only."""
        own = self._handles["part"].value == OWN
        for name in ("mm_per_px", "object"):
            if self._handles[name].visible != own:
                self._handles[name].visible = own

    def _go_back(self, failed: GraspState) -> None:
        """A file that cannot be read was never drawn: the menu goes back to what is; nothing is asked anew."""
        if self._drawn is None or failed.upload is None or failed.upload is not self._upload:
            return
        menu = self._handles["part"]
        self._upload = self._drawn.upload
        menu.value = OWN if self._upload is not None else self._drawn.part
        if self._upload is None:
            menu.options = tuple(name for name in menu.options if name != OWN)

    def _take_upload(self) -> None:
        """The file becomes a line of the menu, and is chosen."""
        from ..errors import InputError
        from .page_grasp_overlays import Upload

        file = self._handles["upload"].value
        if len(file.content) > MOST_BYTES:
            size = f"has {len(file.content) / 1e6:.0f} MB"
            fix = f"shrink it below {MOST_BYTES / 1e6:.0f} MB"
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


ENTRIES = (
    PageEntry(
        "grasps",
        GraspsPage.title,
        "Grasps",
        "Upload a picture of a flat part and see how a three-finger hand grasps it best, and why.",
        GraspsPage,
    ),
)
