"""Parts in real photographs: `python -m benchmarks.grasps.photographs FOLDER`.

FOLDER holds the pictures of scikit-image (`skimage/data` of its wheel); nothing of it belongs to this repository.
Objects were outlined by hand, as ellipses and polygons. The table has, for each scene, the intersection over union of
what is found with that outline, the confidence, and why it is refused; last come pictures without a part.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reporting import TextTable, duration
from holdfast.errors import HoldfastError
from holdfast.grasps.contour_files import read_workpiece
from holdfast.grasps.contours import contains
from holdfast.grasps.segmentation import LEAST_CONFIDENCE

#: Coins of coins.png: column, row and half axes [px].
COINS = {
    "A": (100.7, 56.7, 19.3, 17.3), "B": (155.7, 51.0, 23.3, 22.7), "C": (216.0, 51.3, 23.7, 21.7),
    "D": (335.0, 43.7, 29.3, 27.7), "E": (45.7, 124.7, 20.3, 20.0), "F": (270.3, 120.0, 25.0, 24.3),
    "G": (212.3, 193.3, 23.7, 23.0), "H": (347.3, 186.7, 31.7, 31.0), "I": (46.3, 260.0, 27.7, 27.3),
    "J": (172.3, 262.0, 28.7, 25.3), "K": (300.7, 263.7, 25.3, 24.7),
}  # fmt: skip

#: The cell of cell.png: column, row and half axes [px].
CELL = (429.0, 374.0, 61.0, 61.0)

#: The cup with its saucer in coffee.png: columns and rows [px].
COFFEE = (
    (172, 70), (140, 92), (107, 125), (85, 165), (76, 210), (80, 255), (95, 295), (125, 330), (165, 357), (210, 377),
    (260, 389), (300, 389), (350, 377), (395, 355), (435, 325), (460, 290), (475, 250), (479, 215), (472, 175),
    (455, 140), (435, 117), (419, 105), (424, 75), (415, 66), (400, 70), (396, 75), (385, 55), (360, 37), (325, 22),
    (280, 18), (240, 22), (205, 40), (182, 57),
)  # fmt: skip

#: Pictures without one part on a table.
WITHOUT = ("astronaut", "brick", "camera", "chelsea", "grass", "gravel", "ihc", "moon", "motorcycle_left", "page",
           "rocket", "text")  # fmt: skip


def ellipse(column: float, row: float, across: float, down: float) -> np.ndarray:
    """Points (n, 2) of an ellipse, columns and rows [px]."""
    turn = np.linspace(0.0, 2.0 * np.pi, 120, endpoint=False)
    return np.column_stack([column + across * np.cos(turn), row + down * np.sin(turn)])


def inside(outline: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """(h, w) pixels whose centres lie within an outline of columns and rows [px]."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    return contains(outline, np.column_stack([columns.ravel(), rows.ravel()])).reshape(shape[:2])


def scenes(folder: Path) -> dict[str, tuple[np.ndarray, np.ndarray | None, dict[str, Any]]]:
    """Name -> picture, pixels of the object (None: to be refused), and options."""
    from PIL import Image

    def load(name: str) -> np.ndarray:
        return np.asarray(Image.open(next(folder.glob(f"{name}.*"))))

    coins = load("coins")
    middle = (np.array(coins.shape[1::-1]) - 1.0) / 2.0
    made: dict[str, tuple[np.ndarray, np.ndarray | None, dict[str, Any]]] = {
        "coins, largest": (coins, inside(ellipse(*COINS["H"]), coins.shape), {})
    }
    for name, (column, row, across, down) in COINS.items():
        mask = inside(ellipse(column, row, across, down), coins.shape)
        pick = (np.array([column, row]) - middle) * [1.0, -1.0]
        made[f"coins, {name} picked"] = (coins, mask, {"pick": pick})
        reach = 1.3 * np.array([across, down])
        made[f"coins, {name} in a region"] = (coins, mask, {"roi": (*(pick - reach), *(pick + reach))})
    cell, coffee, horse = load("cell"), load("coffee"), load("horse")
    made["cell"] = (cell, inside(ellipse(*CELL), cell.shape), {})
    made["horse"] = (horse[:, :, :3], horse[:, :, 0] < 128, {})
    made["coffee"] = (coffee, inside(np.array(COFFEE, dtype=float), coffee.shape), {})
    return made | {name: (load(name), None, {}) for name in WITHOUT}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.grasps.photographs", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="folder with the pictures of scikit-image")
    rows = []
    for name, (picture, mask, options) in scenes(parser.parse_args().folder).items():
        start = time.process_time()
        try:
            part = read_workpiece(picture, least_confidence=0.0, **options)
        except HoldfastError as error:
            rows.append([name, "", "", "", duration(time.process_time() - start), str(error).partition(" (")[0]])
            continue
        spent, found = time.process_time() - start, part.segmentation
        assert found is not None
        height, width = picture.shape[:2]
        outline = part.contour.outer * [1.0, -1.0] + [(width - 1) / 2.0, (height - 1) / 2.0]
        seen = inside(outline, picture.shape)
        share = "" if mask is None else f"{(seen & mask).sum() / (seen | mask).sum():.3f}"
        refused = found.doubt if found.confidence < LEAST_CONFIDENCE else ""
        rows.append([name, share, f"{found.confidence:.2f}", found.method, duration(spent), refused])
    columns = ("scene", "IoU", "confidence", "method", "CPU time", "refused because")
    print(TextTable("Real photographs", columns, rows, "IoU with outlines drawn by hand.").markdown())


if __name__ == "__main__":
    main()
