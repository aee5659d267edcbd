"""Exact support regions: hands with many vertices, feet with friction, growth, and other programs on the same feet."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.coulomb.peers import load
from benchmarks.coulomb.scenes import EDGES, GRAVITY, MASS, MU, Edges, Scene, ground
from benchmarks.measuring import clocked, exponent, row
from benchmarks.reporting import Report, TextTable, duration, times
from holdfast.checks import Array
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import Grip
from holdfast.postures import support_region
from holdfast.postures.hands import checked_hands
from holdfast.postures.region import Centring, SupportRegion, Weight
from holdfast.postures.region_computation import EdgeRefinement, Sampling
from holdfast.solvers.minkowski import FullProgram
from holdfast.solvers.minkowski.slices import refined

OURS = "ours"
SEED = 6
TARGETS = {250: 1e-3, 6615: 25e-3}  # [s] of the exact polygon of four hands, by vertices a hand
PALMS = np.array([[0.5, 0.4, 0.0], [-0.5, 0.4, 0.1], [-0.5, -0.4, 0.0], [0.5, -0.4, 0.2]])  # [m]
#: Seconds that a rival may take for one region before it is asked no larger ones.
PATIENCE = 20.0


def climbers(n: int, hands: int) -> tuple[list[Grip], list[Pose]]:
    """Hands with `n` vertices each on a sphere of wrenches about a pull upwards, tables made."""
    rng = np.random.default_rng(SEED)
    sphere = rng.normal(size=(n, 6))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    grip = Grip(sphere * [60.0, 60.0, 60.0, 4.0, 4.0, 4.0] + [0.0, 0.0, 30.0, 0.0, 0.0, 0.0])
    _ = grip.prepared
    places = np.concatenate([PALMS, PALMS[:, [1, 0, 2]] * 1.3])[:hands]
    return [grip] * hands, [Pose(rotation_about(rng.normal(size=3), rng.uniform(0.0, 1.0)), p) for p in places]


def highs_region(grips: Sequence[Grip] | Grip, poses: list[Pose], mass: float, gravity: Any) -> float:
    """Area of the region refined by HiGHS on the full linear program (20)."""
    hands = checked_hands(grips, poses)
    shapes, shape_of = hands.distinct
    program = FullProgram(
        [(g.vertices, g.rays) for g in shapes if isinstance(g, Grip)], shape_of.tolist(), length=hands.length
    )
    program.place(Centring(hands).maps)
    found = refined(program, *Weight.of(mass, gravity).wanted, size=hands.length)
    x, y = found.vertices.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


# -- feet with friction -----------------------------------------------------------------------------


def feet(scene: Scene, edges: Edges) -> tuple[Grip, list[Pose]]:
    """The scene for us: a grip of four edges, and where the feet are."""
    leans = np.array([[MU, 0.0, 1.0], [0.0, MU, 1.0], [-MU, 0.0, 1.0], [0.0, -MU, 1.0]])
    grip = Grip(np.zeros((1, 6)), np.column_stack([leans, np.zeros((4, 3))]))
    return grip, [Pose(r, p) for r, p in zip(scene.frames(edges), scene.positions, strict=True)]


def pypoman_area(scene: Scene) -> Callable[[], float]:
    """Bretl's projection as pypoman does it: forces along edges, balances as equalities, x and y projected."""
    pypoman = load("pypoman")
    wrenches = scene.generators(Edges.HPP)  # (6, 4 k)
    weight = MASS * -GRAVITY[2]
    projection = np.array([-wrenches[4], wrenches[3]]) / weight, np.zeros(2)
    balance = wrenches[[0, 1, 2, 5]], np.array([0.0, 0.0, weight, 0.0])
    signs = -np.eye(wrenches.shape[1]), np.zeros(wrenches.shape[1])

    def area() -> float:
        corners = pypoman.project_polytope(projection, signs, balance, method="bretl", max_iter=10_000)
        return _hull_area(np.array(corners))

    return area


def klampt_area(scene: Scene) -> Callable[[], float]:
    """Klampt's support polygon of contact points with normals and friction: planes, of which the area is taken."""
    robotsim = load("klampt.robotsim")
    robotsim.set_friction_cone_approximation_edges(EDGES)
    pairs = zip(scene.positions.tolist(), scene.normals.tolist(), strict=True)
    contacts = [[*x, *n, MU] for x, n in pairs]

    def area() -> float:
        planes = np.array(robotsim.support_polygon(contacts))
        return _planes_area(planes[:, :2], planes[:, 2])

    return area


def _hull_area(points: Array) -> float:
    from scipy.spatial import ConvexHull

    return float(ConvexHull(points).volume)


def _planes_area(normals: Array, offsets: Array) -> float:
    from scipy.optimize import linprog
    from scipy.spatial import HalfspaceIntersection

    lengths = np.linalg.norm(normals, axis=1)
    ball = linprog([0, 0, -1], np.column_stack([normals, lengths]), offsets, bounds=[(None, None)] * 3)
    return _hull_area(HalfspaceIntersection(np.column_stack([normals, -offsets]), ball.x[:2]).intersections)


RIVALS: dict[str, tuple[Edges, Callable[[Scene], Callable[[], float]]]] = {
    "pypoman": (Edges.HPP, pypoman_area),
    "Klampt": (Edges.KLAMPT, klampt_area),
}


def coulomb(k: int, repeats: int) -> dict[str, Any]:
    """Times [s] and areas of ours and of every rival on one scene of k feet."""
    scene = next(s for s in (ground(k, 1, SEED + i) for i in range(100)) if _is_polygon(s))
    found: dict[str, Any] = {"k": k, "rivals": {}}
    for edges in Edges:
        grip, poses = feet(scene, edges)
        support_region(grip, poses, MASS, GRAVITY)
        region, seconds = clocked(lambda g=grip, p=poses: support_region(g, p, MASS, GRAVITY), repeats)
        found[edges] = {"seconds": seconds, "area": region.area, "corners": len(region.vertices)}
    grip, poses = feet(scene, Edges.HPP)
    area, seconds = clocked(lambda: highs_region(grip, poses, MASS, GRAVITY), 1)
    ours = found[Edges.HPP]
    found["rivals"]["HiGHS"] = {"seconds": seconds, "of": ours["seconds"], "off": abs(area / ours["area"] - 1.0)}
    for name, (edges, prepare) in RIVALS.items():
        try:
            ask = prepare(scene)
            ask()
            area, seconds = clocked(ask, max(1, repeats // 4))
        except ImportError:
            continue
        except (ArithmeticError, RuntimeError, TypeError, ValueError) as error:  # a rival that fails is said to
            found["rivals"][name] = {"failed": f"{type(error).__name__}: {error}"[:80]}
            continue
        ours = found[edges]
        found["rivals"][name] = {"seconds": seconds, "of": ours["seconds"], "off": abs(area / ours["area"] - 1.0)}
    return found


def _is_polygon(scene: Scene) -> bool:
    return all(support_region(*feet(scene, edges), MASS, GRAVITY).kind == "polygon" for edges in Edges)


# -- the run ----------------------------------------------------------------------------------------


def hands_of(n: int, hands: int, repeats: int, rivals: bool) -> dict[str, Any]:
    """Times [s] of one posture of `hands` hands with `n` vertices: exact, sampled, refined, and by HiGHS."""
    grips, poses = climbers(n, hands)

    def ask(method: Any = None) -> Any:
        return support_region(grips, poses, 3.0 * hands, (0.0, 0.0, -9.81), method=method)

    region = ask()
    assert isinstance(region, SupportRegion) and region.verify()
    found: dict[str, Any] = {"n": n, "hands": hands, "corners": len(region.vertices), "method": region.method}
    _, found["seconds"] = clocked(ask, repeats)
    if rivals:
        for method in (EdgeRefinement(), Sampling(32)):
            ask(method)
        _, found["refined"] = clocked(lambda: ask(EdgeRefinement()), max(1, repeats // 4))
        sampled, found["sampled"] = clocked(lambda: ask(Sampling(32)), max(1, repeats // 4))
        found["shares"] = [sampled.inner.area / region.area, sampled.outer.area / region.area]
        start = time.perf_counter()
        if n <= 1000:
            highs_region(grips, poses, 3.0 * hands, (0.0, 0.0, -9.81))
            found["highs"] = time.perf_counter() - start
    return found


def run(quick: bool) -> Report:
    sizes, repeats = ((250,), 2) if quick else ((250, 1000, 6615, 20_000), 15)
    counts, many = ((4,), 2) if quick else ((4, 8, 16, 48), 50)
    vertices = [hands_of(n, 4, repeats, rivals=True) for n in sizes]
    hands = [hands_of(1000, k, repeats, rivals=False) for k in ((2,) if quick else (1, 2, 4, 6, 8))]
    cones = [coulomb(k, many) for k in counts]
    rows = [
        row(f"polygon, 4 hands x {f['n']}", [1e3 * f["seconds"]], "ms", f"{f['corners']} corners") for f in vertices
    ]
    rows += [row(f"polygon, {f['hands']} hands x 1000", [1e3 * f["seconds"]], "ms") for f in hands]
    rows += [row(f"polygon, {f['k']} feet", [1e3 * f[Edges.HPP]["seconds"]], "ms") for f in cones]
    data = {"vertices": vertices, "hands": hands, "coulomb": cones}
    return Report(rows, [_vertices(vertices), _hands(hands), _coulomb(cones)], data)


def _vertices(found: list[dict[str, Any]]) -> TextTable:
    cells = []
    for f in found:
        target = TARGETS.get(f["n"])
        inner, outer = f["shares"]
        cells.append(
            [
                f"{f['n']:,}",
                str(f["corners"]),
                duration(f["seconds"]),
                duration(target) if target else "-",
                times(f["refined"] / f["seconds"]),
                f"{times(f['sampled'] / f['seconds'])} for {inner:.4f} .. {outer:.4f}",
                times(f["highs"] / f["seconds"]) if "highs" in f else "-",
            ]
        )
    header = (
        "vertices",
        "corners",
        "exact",
        "target",
        "refinement",
        "32 directions, for the area",
        "HiGHS, all columns",
    )
    note = "Four hands, cold: set up, region and proof. Ratios over the exact region's time."
    if len(found) > 1:
        power = exponent([f["n"] for f in found], [f["seconds"] for f in found])
        note += f" The time grows with vertices to the power {power:.2f}."
    return TextTable("Support regions: hands with many vertices", header, cells, note)


def _hands(found: list[dict[str, Any]]) -> TextTable:
    cells = [[str(f["hands"]), str(f["corners"]), duration(f["seconds"])] for f in found]
    return TextTable("Support regions: hands with 1,000 vertices", ("hands", "corners", "exact"), cells)


def _coulomb(found: list[dict[str, Any]]) -> TextTable:
    names = sorted({name for f in found for name in f["rivals"]})
    cells = []
    for f in found:
        cell = [str(f["k"]), str(f[Edges.HPP]["corners"]), duration(f[Edges.HPP]["seconds"])]
        for name in names:
            rival = f["rivals"].get(name, {"failed": "-"})
            cell.append(
                rival["failed"]
                if "failed" in rival
                else f"{duration(rival['seconds'])}, {times(rival['seconds'] / rival['of'])}, off {rival['off']:.0e}"
            )
        cells.append(cell)
    header = ("feet", "corners", OURS, *names)
    missing = ", ".join(name for name in RIVALS if name not in names)
    note = "Pyramids of four edges, ours with set up and proof. Rivals: time, ratio over ours, how far the area is off."
    return TextTable(
        "Support regions: feet with friction", header, cells, note + (f" Not installed: {missing}." if missing else "")
    )
