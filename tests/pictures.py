"""Small sets with known geometry, and eyes for pictures: pixels, and the polygons that were really drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.plotting.solids import Solids

#: Directions with limits of zero, from whose cone the notch of the sampled surface is cut.
NOTCH = np.cos(np.radians(50.0))


def box(low: tuple[float, float, float], high: tuple[float, float, float]) -> np.ndarray:
    """(8, 3) corners of a box along the axes."""
    ends = np.array([low, high])
    return np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


@pytest.fixture
def dented() -> hf.ForceVolume:
    """Two wedges that leave a notch about -z, like a microspine unit: not convex, star-shaped."""
    right = np.array([[0, 0, 0], [4, 2, 0], [4, -2, 0], [3, 0, -1], [4, 0, 5], [-2, 0, 5]], dtype=float)
    return hf.ForceVolume([right, right * [-1.0, 1.0, 1.0]])


@pytest.fixture
def two_boxes() -> hf.ForceVolume:
    """Two boxes that overlap and share four planes: their union is the box (-1, -1, -1) to (2, 1, 1)."""
    return hf.ForceVolume([box((-1, -1, -1), (1, 1, 1)), box((0, -1, -1), (2, 1, 1))])


@pytest.fixture
def cone() -> hf.ForceVolume:
    """A friction pyramid with mu 0.5, without limit."""
    rays = [[0.5, 0.5, 1], [0.5, -0.5, 1], [-0.5, -0.5, 1], [-0.5, 0.5, 1]]
    return hf.ForceVolume([np.zeros((1, 3))], [rays], allow_flat=True)


@pytest.fixture
def measured() -> hf.LimitSurface:
    """A bumpy surface from three trials a direction, with a notch of limit zero about -z and one outlier."""
    rng = np.random.default_rng(7)
    directions = hf.loads.sphere_directions(90)
    limits = 10.0 + 3.0 * directions[:, 0] + 2.0 * np.sin(5.0 * directions[:, 1])
    limits = np.where(directions[:, 2] < -NOTCH, 0.0, limits)
    many = np.repeat(directions, 3, axis=0)
    trials = np.repeat(limits, 3) * (1.0 + 0.05 * rng.uniform(-1.0, 1.0, len(many)))
    trials[3 * 10] *= 3.0
    return hf.LimitSurface.from_limits(many, trials)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Solids]:
    """Every collection of faces and lines that is put on axes from now on."""
    found: list[Solids] = []
    draw = Solids.draw

    def recording(self: Solids, ax: Any, **look: Any) -> None:
        found.append(self)
        draw(self, ax, **look)

    monkeypatch.setattr(Solids, "draw", recording)
    return found


@pytest.fixture
def pixels() -> Callable[[Any], np.ndarray]:
    """(h, w, 3) what the figure of an Axes looks like, 0 to 255."""

    def look(ax: Any) -> np.ndarray:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        canvas = FigureCanvasAgg(ax.get_figure())
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].astype(float)

    return look


@pytest.fixture
def artists() -> Callable[[Any, str], list[Any]]:
    """The artists of an Axes that carry a group name."""

    def find(ax: Any, gid: str) -> list[Any]:
        return [artist for artist in ax.get_children() if artist.get_gid() == gid]

    return find


def polygon_area(corners: np.ndarray) -> float:
    """Area of a flat polygon (m, 3)."""
    local = corners - corners[0]
    return 0.5 * float(np.linalg.norm(np.cross(local[1:-1], local[2:]).sum(axis=0)))


@pytest.fixture
def area() -> Callable[[np.ndarray], float]:
    """Area of a flat polygon (m, 3)."""
    return polygon_area
