"""Draw docs/pictures/architecture.png: the packages by layer, and the path of one question through them."""

from __future__ import annotations

from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

TARGET = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "architecture.png"

#: Rows from the top: (name of the layer, colour, rooms).
LAYERS = (
    ("front doors", "#d7e3f4", ("cli", "viewer")),
    ("whole scenes", "#e2ecd9", ("reports", "scenes")),
    ("features", "#f6ead2", ("robots", "postures", "grips", "sharing", "reliability", "dynamics", "wrench_spaces")),
    ("features", "#f6ead2", ("grasps", "statics", "assembly", "force_limits", "planar")),
    ("toolkits", "#eadff0", ("plotting", "console", "web", "files")),
    ("foundations", "#e4e4e4", ("storage", "jobs", "solvers", "geometry")),
    ("foundations", "#e4e4e4", ("linear_programs", "compiling", "checks", "tolerances", "errors")),
)
#: The path of `holdfast check scene.yaml`.
PATH = ("cli", "scenes", "force_limits", "assembly", "statics", "solvers")
WIDTH, HEIGHT, GAP, LABEL = 12.0, 0.62, 0.16, 1.7


def main() -> None:
    figure = Figure(figsize=(10.5, 5.6), dpi=150)
    ax = figure.add_axes((0.01, 0.01, 0.98, 0.92))
    ax.set_xlim(0, WIDTH)
    ax.set_ylim(-0.1, len(LAYERS) * (HEIGHT + GAP))
    ax.axis("off")
    centres: dict[str, tuple[float, float]] = {}
    for row, (layer, colour, rooms) in enumerate(LAYERS):
        y = (len(LAYERS) - 1 - row) * (HEIGHT + GAP)
        ax.text(0.05, y + HEIGHT / 2, layer, va="center", fontsize=9, color="#555555")
        step = (WIDTH - LABEL) / len(rooms)
        for i, room in enumerate(rooms):
            x = LABEL + i * step
            on_path = room in PATH
            edge, width = ("#c0392b", 1.8) if on_path else ("#777777", 0.8)
            box = FancyBboxPatch(
                (x + 0.06, y), step - 0.12, HEIGHT, boxstyle="round,pad=0.02", fc=colour, ec=edge, lw=width
            )
            ax.add_patch(box)
            number = f"{PATH.index(room) + 1}  " if on_path else ""
            ax.text(x + step / 2, y + HEIGHT / 2, number + room, ha="center", va="center", fontsize=9.5)
            centres[room] = (x + step / 2, y + HEIGHT / 2)
    figure.text(0.02, 0.955, "A room imports from those below it. Red, 1 to 6: holdfast check scene.yaml", fontsize=10)
    FigureCanvasAgg(figure).print_png(str(TARGET), metadata={"Software": None})
    print(TARGET.name)


if __name__ == "__main__":
    main()
