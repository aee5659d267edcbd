"""What the commands on planar grasps share: their arguments and options, and the ranking behind them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.options import vector
from ..console.output import emit, messages, table
from ..errors import FileError, InputError

if TYPE_CHECKING:
    from .ranking import Ranking

EXIT_CODES = "Exit codes: 0 grasps found, 1 none, 2 bad input, 130 interrupted, 70 a fault of Holdfast."

#: Scale of the pictures of example parts [mm/px], and of pictures without one.
PART_SCALE = 0.5
PICTURE_SCALE = 1.0

#: What a terminal is told meanwhile.
NOTICE = "looking for grasps; the first time on a machine compiles for some 30 seconds"

PictureArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="PICTURE",
        help="Picture of the part (PNG, JPEG, ...) or its contour in mm (CSV, SVG, DXF).",
        show_default=False,
    ),
]
PartOption = Annotated[
    str | None, typer.Option("--part", metavar="NAME", help="A ready example part instead of a picture; see --list.")
]
ListOption = Annotated[bool, typer.Option("--list", help="List the example parts and the hands, and end.")]
ScaleOption = Annotated[
    float | None,
    typer.Option(
        "--mm-per-px", metavar="MM", help=f"Size of a pixel [mm]: {PICTURE_SCALE:g}, of an example part {PART_SCALE:g}."
    ),
]
HandOption = Annotated[
    str, typer.Option("--hand", metavar="HAND", help="barrett, generic, parallel_jaw, or the .toml file of a hand.")
]
MuOption = Annotated[float, typer.Option("--mu", metavar="MU", help="Least coefficient of friction.")]
LambdaOption = Annotated[
    float, typer.Option("--lambda", metavar="MM", help="Positioning error that contacts should bear [mm].")
]
WeightOption = Annotated[
    float, typer.Option("--weight-w", metavar="W", help="Weight index of the part: 0.5 light, 1 medium, 2 heavy.")
]
ObjectOption = Annotated[
    Literal["auto", "dark", "bright"], typer.Option("--object", help="Is the part darker or brighter than the rest?")
]
IndexOption = Annotated[
    int, typer.Option("--index", metavar="N", help="Which of several objects, from the largest: 0, 1, ...")
]
PickOption = Annotated[
    str | None, typer.Option("--pick", metavar="X,Y", help="A point on the wanted object [mm from the middle, y up].")
]
BestOption = Annotated[
    int, typer.Option("--best", metavar="N", help="How many of the best grasps are shown; --json and --csv hold all.")
]


@dataclass(frozen=True)
class Question:
    """What is to be grasped, and with what; each field is an argument or option of the commands, told above.

    Just one of `picture` and `part` is given; without `mm_per_px` the usual scale is taken.
    """

    picture: PictureArgument = None
    part: PartOption = None
    mm_per_px: ScaleOption = None
    hand: HandOption = "barrett"
    mu: MuOption = 0.4
    lambda_mm: LambdaOption = 2.0
    weight: WeightOption = 1.0
    object: ObjectOption = "auto"
    index: IndexOption = 0
    pick: PickOption = None

    @property
    def name(self) -> str:
        """What the part is called."""
        return self.part or Path(self.picture or "").name

    def ranking(self, **settings: Any) -> Ranking:
        """The ranked grasps; `settings` are further arguments of `plan`."""
        from .planning import plan

        if (self.picture is None) == (self.part is None):
            what = "is missing" if self.picture is None else "is given beside --part"
            raise InputError(what, where="PICTURE", fix="name a picture, or an example part: --part bracket")
        scale = self.mm_per_px
        if self.part is not None:
            from .parts import example_part

            scale = PART_SCALE if scale is None else scale
            source: Any = example_part(self.part).picture(scale)
        else:
            scale = PICTURE_SCALE if scale is None else scale
            source = self._path()
        settings |= {
            "hand": self.hand, "mu": self.mu, "lambda_mm": self.lambda_mm, "W": self.weight,
            "object": self.object, "index": self.index,
            "pick": None if self.pick is None else vector("--pick", self.pick, 2),
        }  # fmt: skip
        console = messages()
        with console.status(NOTICE) if console.is_terminal else nullcontext():
            return plan(source, mm_per_px=scale, **settings)

    def _path(self) -> Path:
        path = Path(self.picture or "")
        if not path.exists():
            raise FileError(
                "there is no such file", path=path, fix="name a picture, or an example part: --part bracket"
            )
        if path.is_dir():
            raise FileError("is a folder", path=path, fix="name a picture or a contour file")
        return path


def about_a_part(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose first argument is a `Question`, as one whose first options are the question's fields."""
    shared = inspect.signature(Question, eval_str=True).parameters
    _, *own = inspect.signature(command, eval_str=True).parameters.values()

    @functools.wraps(command)
    def asked(**given: Any) -> None:
        command(Question(**{name: given.pop(name) for name in shared}), **given)

    parameters = [*shared.values(), *own]
    asked.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    asked.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return asked


def check_best(best: int) -> None:
    """At least one grasp is to be shown."""
    if best < 1:
        raise InputError(f"is {best}", where="--best", fix="give a whole number of at least 1")


def list_ready(*, json: bool) -> None:
    """Print the example parts and the hands."""
    from .hands import hand_names, load_hand
    from .parts import example_part, part_names

    parts = [(name, example_part(name).title) for name in part_names()]
    hands = [(name, load_hand(name)) for name in hand_names()]
    if json:
        emit({
            "parts": [{"name": name, "title": title} for name, title in parts],
            "hands": [{"name": name, "fingers": hand.fingers, "source": hand.source} for name, hand in hands],
        })  # fmt: skip
        return
    table(["part", "what it is"], parts, title="Example parts, for --part")
    columns = ["hand", "fingers", "longest extension [mm]", "fingertip width [mm]"]
    rows = [(n, h.fingers, f"{h.longest_extension:g}", f"{h.fingertip_width:g}") for n, h in hands]
    table(columns, rows, title="Hands, for --hand")
