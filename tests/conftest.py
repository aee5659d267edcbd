"""Settings shared by every test: no display, property tests that repeat exactly, what the nightly run adds.

HOLDFAST_TESTS=nightly also runs the tests marked `nightly` and draws many new examples instead of the same few.
HOLDFAST_TEST_TIMES=FILE writes how long each test file took; `tests/times.csv` is such a table.
"""

from __future__ import annotations

import atexit
import gc
import itertools
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["MPLBACKEND"] = "Agg"
if "HOLDFAST_CACHE_DIR" not in os.environ:  # workers of pytest-xdist share that of the process that started them
    os.environ["HOLDFAST_CACHE_DIR"] = tempfile.mkdtemp(prefix="holdfast-tests-")
    atexit.register(shutil.rmtree, os.environ["HOLDFAST_CACHE_DIR"], ignore_errors=True)
os.environ.setdefault("HOLDFAST_KERNELS", "compiled")  # the same digits in every run; tests of the other form say so
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when NumPy is loaded: workers share the cores

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from typer.testing import CliRunner, Result

import holdfast as hf
from holdfast.plotting.solids import Solids

RUNS = ("default", "nightly")
RUN = os.environ.get("HOLDFAST_TESTS", "default")
TIMES = os.environ.get("HOLDFAST_TEST_TIMES")

settings.register_profile(
    "default",
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
settings.register_profile("nightly", settings.get_profile("default"), derandomize=False, max_examples=2000)


# Which tests run, and what is said about the others.

#: How many tests the default run leaves out.
left_out = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    if RUN not in RUNS:
        raise pytest.UsageError(f"HOLDFAST_TESTS={RUN}: one of {', '.join(RUNS)}")
    settings.load_profile(RUN)
    config.stash[left_out] = 0


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[Any]:
    """No garbage collection while tests are collected; afterwards it leaves out the tests and modules, which are kept."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if RUN == "nightly":
        return
    others = [item for item in items if item.get_closest_marker("nightly")]
    config.stash[left_out] = len(others)
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if not item.get_closest_marker("nightly")]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give neighbouring tests to the same worker, so that fixtures of a module are made once; --dist may say otherwise."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist reports the number of tests left out to the process that prints the summary."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash[left_out]  # pyright: ignore[reportAttributeAccessIssue]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[left_out] = max(node.config.stash[left_out], getattr(node, "workeroutput", {}).get("left_out", 0))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", ())
    )
    lines = [f"{count} skipped: {reason}" for reason, count in reasons.most_common()]
    if config.stash[left_out]:
        lines.append(f"{config.stash[left_out]} left to the nightly run: HOLDFAST_TESTS=nightly runs them too")
    if lines:
        terminalreporter.section("not run")
        terminalreporter.write("".join(f"{line}\n" for line in lines))
    if TIMES:
        write_times(terminalreporter.stats, Path(TIMES))


def write_times(stats: dict[str, list[Any]], path: Path) -> None:
    """A table of the test files as CSV: seconds with set-up, and number of cases; the longest first."""
    seconds, cases = Counter[str](), Counter[str]()
    for report in itertools.chain.from_iterable(stats.values()):
        if isinstance(report, pytest.TestReport):
            file = report.nodeid.partition("::")[0]
            seconds[file] += report.duration
            cases[file] += report.when == "call"
    lines = [f"{file},{total:.1f},{cases[file]}" for file, total in seconds.most_common()]
    path.write_text("\n".join(["file,seconds,cases", *lines, ""]), encoding="utf-8")


# Run the command line in this process, and a scene that answers at once.

#: Two-way hooks, opposed: whether it holds depends on the choice of pieces.
HOOKS = """\
holdfast: 1
name: hooks
object: {mass: 0.3}
loads: {pull: {force: [0, 0, -1]}, aside: {force: [1, 0, 0]}}
volumes: {hook: {model: gecko_two_way, shear: 5}}
contacts:
  - {name: a, position: [0.05, 0.01, 0], normal: [0.2, 0, -1], shear: [1, 0, 0], volume: hook}
  - {name: b, position: [-0.05, 0.02, 0], normal: [-0.2, 0.1, -1], shear: [1, 0, 0], volume: hook}
  - {name: c, position: [0.01, 0.05, 0], normal: [0, 0.2, -1], shear: [0, 1, 0], volume: hook}
  - {name: d, position: [0.02, -0.05, 0], normal: [0.1, -0.2, -1], shear: [0, 1, 0], volume: hook}
"""


@pytest.fixture
def run() -> Callable[..., Result]:
    """Run `holdfast ...`; what it returned."""

    def invoke(*words: str | Path) -> Result:
        from holdfast.cli import app

        return CliRunner().invoke(app, [str(word) for word in words])

    return invoke


@pytest.fixture
def run_json(run: Callable[..., Result]) -> Callable[..., tuple[int, Any]]:
    """Run `holdfast ... --json`; its exit code and what the JSON on standard output says."""

    def invoke(*words: str | Path) -> tuple[int, Any]:
        result = run(*words, "--json")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception

        def refuse(name: str) -> None:
            raise AssertionError(f"{name} is no JSON")

        return result.exit_code, json.loads(result.stdout, parse_constant=refuse)

    return invoke


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    """A scene file."""
    path = tmp_path / "hooks.yaml"
    path.write_text(HOOKS, encoding="utf-8")
    return path


@pytest.fixture
def between() -> str:
    """A wrench between what the hooks hold and what their hulls would (7.86 and 10.2 of its 8.6 N): it takes a search."""
    return "--wrench=0,-8.6,0,0.258,0,0.344"


# Small sets with known geometry, and eyes for pictures: pixels, and the polygons that were really drawn.

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


# A scene that is right, and a way to write others.

#: One line a field, so that faults have lines of their own.
BLOCK = """\
holdfast: 1
name: block
object:
  mass: 2.0
  com: [0, 0, 0.05]
  shape: {kind: box, size: [0.3, 0.3, 0.1], position: [0, 0, 0.05]}
loads:
  push: {force: [5, 0, 0], at: [0, 0, 0.05]}
volumes:
  rubber:
    model: coulomb
    mu: 0.6
    cap: 100
contacts:
  - name: front
    position: [0.1, 0.0, 0.0]
    normal: [0, 0, 1]
    volume: rubber
  - name: left
    position: [-0.1, 0.1, 0.0]
    normal: [0, 0, 1]
    shear: [1, 0, 0]
    volume: rubber
  - name: right
    position: [-0.1, -0.1, 0.0]
    rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    volume: rubber
joints:
  - kind: hinge
    name: lever
    axis: [0, 1, 0]
    through: [0, 0, -0.1]
    contacts: [front]
    torque: 4
"""


@pytest.fixture
def block() -> str:
    """The text of a right scene."""
    return BLOCK


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Write a text to a scene file; its path."""

    def save(text: str | bytes, name: str = "scene.yaml") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return save
