"""The viewer in a real Chromium: from a slider's movement to the verdict in the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.measuring import row
from benchmarks.reporting import Report, TextTable
from benchmarks.viewer.browser import NO_CHROMIUM, Tab, chromium, launched
from benchmarks.viewer.serving import serving

#: [ms] 95 of 100 verdicts on the hand with 48 contacts are in the page by then.
TARGET = 100.0

#: Between two movements [ms]: longer than the browser goes on drawing after a change, and while it still draws.
RESTED, HASTY = 600, 120

#: Pages and the sliders that are moved there.
PAGES: dict[str, tuple[str, ...]] = {
    "Contacts: Four-finger hand, opposed (4FH)": (
        "Gravity tilt [deg]",
        "Gravity heading [deg]",
        "Mass [kg]",
        "Load force [N]",
    ),
    "Contacts: Two-finger gripper (2FG)": ("Gravity tilt [deg]", "Mass [kg]"),
    "Contacts: measured gripper": ("Gravity tilt [deg]",),
    "Climber: Quadruped on its wall": ("COM x [m]", "COM y [m]"),
    "Planar: Snake of three links": (),
    "Planar: Ladder at a wall": ("Friction",),
}

#: Notes when keys went down and when verdicts with a new request number were in the page and in a painted frame [ms].
WATCH = """() => {
    window.moved = 0; window.seen = [];
    document.addEventListener('keydown', event => { window.moved = event.timeStamp }, true);
    const panel = () => document.getElementById('holdfast-verdict');
    let last = panel().dataset.request;
    new MutationObserver(() => {
        const now = panel();
        if (!now || now.dataset.request === last) return;
        last = now.dataset.request;
        if (last === '0' || !window.moved) return;
        const from = window.moved, there = performance.now() - from;
        const solved = now.querySelector('.holdfast-time')?.innerText ?? '';
        window.moved = 0;
        requestAnimationFrame(() => requestAnimationFrame(
            () => window.seen.push([there, performance.now() - from, solved])));
    }).observe(document.body, {subtree: true, childList: true, attributes: true});
}"""


@dataclass(frozen=True)
class Latencies:
    """Times of one slider's movements [ms].

    Attributes:
        page, slider: what was moved.
        gap: between movements [ms].
        there: from the key to the verdict in the page's document.
        painted: from the key to the first frame begun after that.
        solved: what the server took for building and solving, as the page says.
    """

    page: str
    slider: str
    gap: int
    there: list[float]
    painted: list[float]
    solved: list[float]


def latencies(tab: Tab, page: str, slider: str, count: int, gap: int) -> Latencies:
    """Move a slider `count` times by a key, back and forth over its range, waiting for each verdict."""
    tab.page.evaluate("window.seen = []")
    for index in range(count):
        before = tab.shown().request
        tab.press(slider, "ArrowRight" if index % 20 < 10 else "ArrowLeft")
        tab.answered(before)
        tab.page.wait_for_timeout(gap)
    seen: list[Any] = tab.page.evaluate("window.seen")
    solved = [1e3 * seconds(words) for _, _, words in seen]
    return Latencies(page, slider, gap, [s[0] for s in seen], [s[1] for s in seen], solved)


def seconds(words: str) -> float:
    """The time [s] in "solved in 12 ms, request 7"; 0 when there is none."""
    parts = words.replace(",", "").split()
    if len(parts) < 4:
        return 0.0
    return float(parts[2]) * (1e-3 if parts[3] == "ms" else 1.0)


def measured(quick: bool) -> list[Latencies]:
    """All sliders of all pages, in one browser with one window."""
    found: list[Latencies] = []
    with serving() as viewer, launched() as browser:
        tab = Tab(browser, viewer.url)
        tab.answered()
        tab.page.evaluate(WATCH)
        for page, sliders in list(PAGES.items())[: 1 if quick else None]:
            if page != next(iter(PAGES)):
                tab.go(page)
            tab.page.wait_for_timeout(1500)
            main = page == next(iter(PAGES))
            names = sliders or tuple(tab.values())[:1]
            for slider in names[: 1 if quick else None]:
                tab.press(slider, "ArrowRight", "ArrowRight", "ArrowLeft")  # the first solves make tables
                tab.page.wait_for_timeout(RESTED)
                for gap in (RESTED, HASTY) if main else (RESTED,):
                    found.append(latencies(tab, page, slider, 5 if quick else 100 if main else 40, gap))
        if tab.errors or tab.strangers:
            raise RuntimeError(f"errors in the page: {tab.errors}; requests to other machines: {tab.strangers}")
        tab.close()
    return found


def run(quick: bool) -> Report:
    if chromium() is None:
        return Report([], [TextTable(f"Slider to verdict: {NO_CHROMIUM}", ("page",), [])])
    found = measured(quick)
    rows = [row(f"{f.page}, {f.slider}, {f.gap} ms between", f.there, "ms") for f in found]
    main = next(iter(PAGES))
    whole = [t for f in found if f.page == main for t in f.there if f.gap == RESTED]
    rows.append(row("48 contacts, all sliders", whole, "ms", f"target: p95 below {TARGET:.0f} ms"))
    header = ("page", "slider", "gap", "n", "p50", "p95", "p99", "painted p50", "painted p95", "solving p50", "p95")
    cells = []
    for f in found:
        there = np.percentile(f.there, [50, 95, 99])
        painted, solved = np.percentile(f.painted, [50, 95]), np.percentile(f.solved, [50, 95])
        figures = [f"{value:.0f}" for value in (*there, *painted, *solved)]
        cells.append([f.page, f.slider, f"{f.gap}", str(len(f.there)), *figures])
    title = f"From a key on a slider to its verdict in the page [ms]; target for 48 contacts: p95 {TARGET:.0f}"
    p95 = float(np.percentile(whole, 95))
    verdict = TextTable("48 contacts, rested hand", ("p50", "p95", "p99", "target p95", "met"),
                    [[*(f"{v:.0f}" for v in np.percentile(whole, [50, 95, 99])), f"{TARGET:.0f}",
                      "yes" if p95 < TARGET else "no"]])  # fmt: skip
    return Report(rows, [TextTable(title, header, cells), verdict], {"latencies": [vars(f) for f in found]})
