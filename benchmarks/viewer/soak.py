"""Two windows move sliders at random for minutes: no error, no growing memory, and the last verdicts are right.

python -m benchmarks.viewer.soak --minutes 10
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.measuring import Memory
from benchmarks.viewer.browser import NO_CHROMIUM, Shown, Tab, chromium, launched
from benchmarks.viewer.serving import serving

SEED = 10

#: The first part of the time, and at most so many seconds of it, is warm-up; what memory is compared with is its end.
#: Until then kernels are loaded (those of the predicted motion with the first one), every thread has begun, and what is
#: kept for speed has come to its bounds: the scenes of the last postures, the last few friction values' volumes and
#: their tables. None of these grows with the number of movements, so a minute of them is enough, whatever the length
#: of the whole.
WARM_UP, MOST_WARM_UP = 0.25, 60.0

#: Pages of the two windows, and their source in `holdfast.scenes.page`.
PAGES = ("Contacts: Four-finger hand, opposed (4FH)", "Contacts: Two-finger gripper (2FG)")

#: Sliders and keys that a random hand uses; large steps as well as small ones.
SLIDERS = ("Gravity tilt [deg]", "Gravity heading [deg]", "Mass [kg]", "Load force [N]", "Load tilt [deg]",
           "Friction scale", "Object radius [mm]")  # fmt: skip
KEYS = ("ArrowRight", "ArrowLeft", "ArrowRight", "ArrowLeft", "Home", "End")


@dataclass
class Found:
    """What a soak came to.

    Attributes:
        seconds: how long it went on [s].
        moves: keys pressed, of both windows.
        answers: requests answered, of both windows.
        memory: resident memory of the server.
        troubles: everything that went wrong, in words.
    """

    memory: Memory
    seconds: float = 0.0
    moves: int = 0
    answers: int = 0
    troubles: list[str] = field(default_factory=list)


def soak(seconds: float, seed: int = SEED) -> Found:
    """A viewer and a browser of its own, and `soaked` of them; too much memory is a trouble as well."""
    with serving() as viewer, launched() as browser:
        found = soaked(browser, viewer.url, viewer.pid, seconds, seed)
        if viewer.process.poll() is not None:
            found.troubles.append("the server has ended")
    found.troubles += [found.memory.trouble] if found.memory.trouble else []
    return found


def soaked(browser: Any, url: str, pid: int, seconds: float, seed: int = SEED) -> Found:
    """Two windows on the viewer at an address, in a process, moved at random for so long [s]."""
    found = Found(Memory(min(WARM_UP * seconds, MOST_WARM_UP)))
    tabs = [Tab(browser, url) for _ in PAGES]
    for tab, page in zip(tabs, PAGES, strict=True):
        tab.answered()
        tab.go(page)
    _move(tabs, pid, seconds, random.Random(seed), found)
    for tab, page in zip(tabs, PAGES, strict=True):
        found.answers += _check_last(tab, page, found)
        found.troubles += [f"{page}: {error}" for error in (*tab.errors, *tab.strangers)]
        tab.close()
    return found


def _move(tabs: list[Tab], pid: int, seconds: float, rng: random.Random, found: Found) -> None:
    """Press keys in both windows in turn, without waiting for answers, and note the memory."""
    import psutil

    process = psutil.Process(pid)
    start = time.monotonic()
    while (now := time.monotonic() - start) < seconds:
        tab = tabs[found.moves % len(tabs)]
        tab.press(rng.choice(SLIDERS), *(rng.choice(KEYS) for _ in range(rng.randint(1, 6))))
        tab.rest()
        found.moves += 1
        found.memory.samples.append((now, process.memory_info().rss))
        error = tab.shown().error
        if error:
            found.troubles.append(error)
    found.seconds = time.monotonic() - start


def _check_last(tab: Tab, page: str, found: Found) -> int:
    """Once all is answered, compare the verdict in the page with a direct computation; the number of requests."""
    shown = _settled(tab)
    direct = computed(page, tab.values())
    if (shown.status, shown.margin) != (direct.status, direct.margin):
        found.troubles.append(
            f"{page}: shows {shown.status}, {shown.margin!r}; directly {direct.status}, {direct.margin!r}"
        )
    return shown.request


def _settled(tab: Tab) -> Shown:
    """The panel when it has not changed for a second."""
    last = tab.shown()
    since = time.monotonic()
    while time.monotonic() < since + 1.0:
        tab.page.wait_for_timeout(100)
        now = tab.shown()
        if now.request != last.request:
            last, since = now, time.monotonic()
    return last


def computed(page: str, values: dict[str, float]) -> Any:
    """The verdict of a contacts page for sliders that stand so, by a solver that knows nothing of what was before."""
    from dataclasses import replace

    from holdfast.scenes.page import TWO_FINGERS, ContactQuestions, four_fingers, initial_posture, initial_state

    source = four_fingers("opposed") if page == PAGES[0] else TWO_FINGERS
    posture = tuple({**initial_posture(source), "radius": values["Object radius [mm]"]}.items())
    questions = ContactQuestions(source)
    start = initial_state(questions.scene(tuple(initial_posture(source).items())), posture)
    state = replace(
        start,
        tilt=values["Gravity tilt [deg]"],
        heading=values["Gravity heading [deg]"],
        mass=values["Mass [kg]"],
        load_size=values["Load force [N]"],
        load_tilt=values["Load tilt [deg]"],
        load_heading=values["Load heading [deg]"],
        friction=values["Friction scale"],
    )
    return questions.answer(state).verdict


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.viewer.soak", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    if chromium() is None:
        parser.error(NO_CHROMIUM)
    found = soak(60.0 * options.minutes, options.seed)
    print(f"{found.seconds:.0f} s, {found.moves} movements, {found.answers} requests answered or overtaken")
    print(found.memory)
    for trouble in dict.fromkeys(found.troubles):
        print(f"WRONG: {trouble}")
    print("nothing went wrong" if not found.troubles else f"{len(found.troubles)} troubles")
    return 1 if found.troubles else 0


if __name__ == "__main__":
    sys.exit(main())
