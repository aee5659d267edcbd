"""Where the words of a figure stand on paper: pairs that overlap, and words that reach out of the picture."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from matplotlib.figure import Figure
from matplotlib.text import Text

from holdfast.plotting.style import text_box

#: Two words overlap when they share this part of the smaller one; boxes are a little larger than the letters in them.
SHARE = 0.08


def seen(figure: Figure) -> list[Any]:
    """The texts that are drawn: those of hidden axes, and ticks beyond the ends of an axis, are not."""
    hidden: set[int] = set()
    for ax in figure.axes:
        for axis in (getattr(ax, name) for name in ("xaxis", "yaxis", "zaxis") if hasattr(ax, name)):
            shown = ax.get_visible() and getattr(ax, "_axis3don", ax.axison) and axis.get_visible()
            low, high = sorted(axis.get_view_interval())
            ticks = [*axis.majorTicks, *axis.minorTicks]
            off = [tick for tick in ticks if not shown or not low <= tick.get_loc() <= high]
            hidden |= {id(label) for tick in off for label in (tick.label1, tick.label2)}
            hidden |= set() if shown else {id(axis.label), id(axis.offsetText)}
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [text for text in texts if id(text) not in hidden and (text.axes is None or text.axes.get_visible())]


def is_cut(text: Any) -> bool:
    """Whether a part of a text is cut off, at the end of its axes."""
    if not text.get_clip_on() or (text.get_clip_box() is None and text.get_clip_path() is None):
        return False
    own, frame = text.get_window_extent(), text.axes.bbox
    return own.x0 < frame.x0 - 1 or own.x1 > frame.x1 + 1 or own.y0 < frame.y0 - 1 or own.y1 > frame.y1 + 1


def overlaps(figure: Figure) -> list[str]:
    """Pairs of words of which one covers a part of the other, and words that are cut off at the end of their axes."""
    figure.draw_without_rendering()
    texts = seen(figure)
    pairs = [
        f"{one.get_text()!r} and {other.get_text()!r}"
        for (one, first), (other, second) in combinations([(text, text_box(text)) for text in texts], 2)
        if first.intersection(second).area > SHARE * min(first.area, second.area)
    ]
    return pairs + [f"{text.get_text()!r} is cut off" for text in texts if is_cut(text)]
