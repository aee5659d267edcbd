"""Lookup tables and edges of hulls against all vertices compared, and bounds against their definition."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

import holdfast as hf
from holdfast.compiling import positive_lanes
from holdfast.geometry.polytopes import Polytope
from holdfast.solvers import certificates
from holdfast.solvers.exact.simplex import SimplexProgram
from holdfast.solvers.exact.support_tables import (
    BEGIN,
    CELLS,
    END,
    FAR,
    FIRST_MASK,
    FIRST_PART,
    FIRST_PIECE,
    FIRST_RAY,
    FIRST_VERTEX,
    LONG_LIST,
    NO_MULTIPLIER,
    PIECES,
    RAY_SLOPE,
    ZERO,
    SupportTables,
    build_tables,
    cell_lists,
    certified_bound,
    climb,
    find_cell,
    hull_edges,
    is_support,
    reward,
    shape_table,
    support,
    table_for,
)
from tests.referee import block, distance_to_piece, random_volume
from tests.solvers import twins
from tests.solvers.kernel_cases import ALL, Setting, compiled, setting, setting_of


def ball(count: int, seed: int) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def tapes() -> np.ndarray:
    """Two flat discs of many vertices, a hair apart: cells along their edges have long lists."""
    angle = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    disc = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(60)])
    return np.concatenate([disc, disc + [0.0, 0.0, 1e-6]])


VERTEX_SETS = {
    "point": np.array([[1.0, -2.0, 3.0]]),
    "segment": np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]]),
    "box": block([-1.0, -2.0, -3.0], [3.0, 2.0, 1.0]),
    "box and what is inside": np.concatenate([block([-1] * 3, [1] * 3), 0.5 * ball(40, 1), np.zeros((1, 3))]),
    "every vertex twice": np.concatenate([ball(20, 2), ball(20, 2)]),
    "widths over nine orders": ball(60, 3) * [1e6, 1.0, 1e-3],
    "discs": tapes(),
    "ball": ball(300, 4),
}


def ways(seed: int, count: int = 2000) -> np.ndarray:
    """Directions of every length, and those on edges, corners and borders of the cube's cells."""
    rng = np.random.default_rng(seed)
    special = np.array(list(itertools.product([-1.0, 0.0, 1.0], repeat=3)))
    borders = np.array(list(itertools.product([1.0, -1.0], np.arange(CELLS + 1) * 2.0 / CELLS - 1.0, [-0.3, 1.0])))
    turned = np.concatenate([np.roll(borders, shift, axis=1) for shift in range(3)])
    return np.concatenate([rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-6, 6, (count, 1)), special, turned])


@pytest.mark.parametrize("name", VERTEX_SETS)
def test_the_best_vertex_of_every_direction_is_in_its_cells_list(name):
    vertices = VERTEX_SETS[name]
    cells, lists = cell_lists(vertices)
    size = np.abs(vertices).max(axis=0)
    for way in ways(1):
        cell = compiled(find_cell, cells, 0, *way)
        assert cells[cell, FIRST_PART] == 0
        listed = lists[cells[cell, BEGIN] : cells[cell, END]]
        values = vertices @ way
        noise = 1e-14 * float(size @ np.abs(way))
        assert values[listed].max() >= values.max() - noise
        alone = values > np.partition(values, -2)[-2] + noise if len(values) > 1 else values == values
        assert set(np.nonzero(alone)[0]) <= set(listed)


def test_long_lists_are_cut_until_they_are_short():
    """Of 300 vertices of a ball, a direction is compared with no more than a handful."""
    cells, _ = cell_lists(VERTEX_SETS["ball"])
    whole = cells[:, FIRST_PART] > 0
    assert whole.any()
    assert (cells[whole, END] - cells[whole, BEGIN] > LONG_LIST).all()
    assert (cells[~whole, END] - cells[~whole, BEGIN]).max() <= LONG_LIST
    assert len(cells) == 6 * CELLS**2 + 16 * whole.sum()


def test_parts_list_only_what_the_whole_listed():
    cells, lists = cell_lists(VERTEX_SETS["ball"])
    for cell in np.nonzero(cells[:, FIRST_PART])[0]:
        listed = set(lists[cells[cell, BEGIN] : cells[cell, END]])
        for part in range(cells[cell, FIRST_PART], cells[cell, FIRST_PART] + 16):
            assert set(lists[cells[part, BEGIN] : cells[part, END]]) <= listed


def test_more_lists_than_there_was_room_for_are_as_right():
    vertices = ball(4000, 6)
    cells, lists = cell_lists(vertices)
    assert len(cells) > 64 * CELLS**2 or len(lists) > 256 * CELLS**2
    for way in ways(3, 500):
        cell = compiled(find_cell, cells, 0, *way)
        listed = lists[cells[cell, BEGIN] : cells[cell, END]]
        assert (vertices[listed] @ way).max() >= (vertices @ way).max() - 1e-14 * np.linalg.norm(way)


def test_the_zero_direction_has_a_cell():
    cells, _ = cell_lists(VERTEX_SETS["box"])
    cell = compiled(find_cell, cells, 0, 0.0, 0.0, 0.0)
    assert cells[cell, END] > cells[cell, BEGIN]


def is_local_best(vertices: np.ndarray, edges: np.ndarray, way: np.ndarray) -> np.ndarray:
    """(n,) whether a vertex has neighbours, none of which is better in a direction by more than rounding."""
    values = vertices @ way
    best = np.full(len(vertices), -np.inf)
    np.maximum.at(best, edges[:, 0], values[edges[:, 1]])
    return (best > -np.inf) & (values >= best - 1e-14 * np.linalg.norm(way) * np.abs(vertices).max())


@pytest.mark.parametrize("name", ["box", "box and what is inside", "every vertex twice", "ball"])
def test_a_vertex_that_no_neighbour_beats_is_the_support(name):
    vertices = VERTEX_SETS[name]
    edges = hull_edges(vertices)
    assert len(edges)
    assert {(a, b) for a, b in edges.tolist()} == {(b, a) for a, b in edges.tolist()}
    for way in ways(2, 500):
        values = vertices @ way
        best = is_local_best(vertices, edges, way)
        assert best.any()
        assert values[best].min() >= values.max() - 1e-13 * np.linalg.norm(way) * np.abs(vertices).max()


@pytest.mark.parametrize("name", ["point", "segment", "discs", "widths over nine orders"])
def test_edges_of_a_hull_that_is_not_precise_are_not_used(name):
    assert len(hull_edges(VERTEX_SETS[name])) == 0


@pytest.mark.parametrize("signs", list(itertools.product([-1.0, 0.0, 1.0], repeat=3)))
def test_positive_lanes_are_marked_one_by_one(signs):
    blocks = np.random.default_rng(12).normal(size=(5, 3, 8))
    for at in range(5):
        expected = sum(1 << lane for lane in range(8) if signs @ blocks[at, :, lane] > 0.0)
        assert positive_lanes(blocks, at, *signs) == expected
        assert compiled_lanes()(blocks, at, *signs) == expected


@functools.cache
def compiled_lanes():
    """The compiled form of `positive_lanes`, for Python to call."""
    import numba

    lanes = positive_lanes.machine_code
    return numba.njit(lambda blocks, at, x, y, z: lanes(blocks, at, x, y, z))


CAP = 1e4
INTERVALS = np.array([[-1.0, 2.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [-3.0, 900.0, 0.0, 1.0]])


def random_shape(seed: int, pieces: int, *, rays: bool = False, offset: bool = False) -> tuple[Polytope, ...]:
    volume = random_volume(np.random.default_rng(seed), pieces, rays=rays, offset=offset)
    return tuple(Polytope(v, r) for v, r in zip(volume.pieces, volume.rays, strict=True))


SHAPES = (
    random_shape(1, 3),
    random_shape(2, 1),
    random_shape(8, 4, rays=True),
    random_shape(4, 8),
    random_shape(6, 2, offset=True),
    (Polytope([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), Polytope([[0.0, 0, 0], [0, 0, 5e-6]])),
)


@pytest.fixture(scope="module")
def tables() -> SupportTables:
    return build_tables(SHAPES, INTERVALS, CAP)


def own_vertices(tables: SupportTables, shape: int) -> slice:
    return slice(tables.shapes[shape, FIRST_VERTEX], tables.shapes[shape + 1, FIRST_VERTEX])


def test_there_is_one_shape_for_every_volume_and_interval(tables):
    counts = [*(len(pieces) for pieces in SHAPES), 1, 1, 1]
    assert tables.shapes[:-1, PIECES].tolist() == counts
    assert tables.shapes[-1, FIRST_VERTEX] == len(tables.vertices) == len(tables.bits)
    assert tables.shapes[-1, FIRST_PIECE] == len(tables.centres) == len(tables.first_face) - 1
    assert tables.shapes[-1, FIRST_RAY] == len(tables.rays) == len(tables.ray_bits)
    assert tables.shapes[-1, FIRST_MASK] == len(tables.table_of)
    assert tables.first_face[-1] == tables.faces.shape[1]


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_every_corner_is_there_and_marked_with_the_pieces_that_contain_it(tables, shape):
    vertices, bits = tables.vertices[own_vertices(tables, shape)], tables.bits[own_vertices(tables, shape)]
    for j, piece in enumerate(SHAPES[shape]):
        for corner in piece.extreme:
            nearest = int(np.linalg.norm(vertices - corner, axis=1).argmin())
            assert np.linalg.norm(vertices[nearest] - corner) <= 1e-8 * piece.size
            assert bits[nearest] >> j & 1
        for vertex, bit in zip(vertices, bits, strict=True):
            size = max(piece.size, float(np.abs(vertex).max()))
            away = distance_to_piece(vertex, piece.vertices, piece.rays)
            if bit >> j & 1:
                assert away <= 2e-9 * size
            else:
                assert away > 1e-11 * size
    assert (bits & ((1 << len(SHAPES[shape])) - 1) > 0).all()
    np.testing.assert_array_equal(bits >> len(SHAPES[shape]) & ~(FAR >> len(SHAPES[shape])), 0)


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_zero_is_a_vertex_of_all_pieces_where_all_contain_it(tables, shape):
    zero = tables.shapes[shape, ZERO]
    assert (zero >= 0) == all(piece.contains(np.zeros(3)) for piece in SHAPES[shape])
    if zero >= 0:
        assert own_vertices(tables, shape).start <= zero < own_vertices(tables, shape).stop
        assert not tables.vertices[zero].any()
        assert tables.bits[zero] == (1 << len(SHAPES[shape])) - 1


def test_rays_are_cut_where_asked_and_the_cut_is_marked(tables):
    for shape, pieces in enumerate(SHAPES):
        own, rays = own_vertices(tables, shape), slice(*tables.shapes[shape : shape + 2, FIRST_RAY])
        far = tables.bits[own] & FAR > 0
        lengths = np.linalg.norm(tables.vertices[own], axis=1)
        assert far.any() == any(len(piece.rays) for piece in pieces)
        assert tables.reach[shape] == lengths.max()
        assert tables.near_reach[shape] == lengths[~far].max()
        assert (lengths[far] > 0.9 * CAP).all()
        for ray, bit in zip(tables.rays[rays], tables.ray_bits[rays], strict=True):
            piece = pieces[int(bit).bit_length() - 1]
            assert int(bit).bit_count() == 1
            assert np.linalg.norm(ray) == pytest.approx(1.0)
            assert (np.cross(piece.rays, ray) ** 2).sum(axis=1).min() < 1e-20
            for corner in piece.extreme:
                away = np.linalg.norm(tables.vertices[own][far] - corner - CAP * ray, axis=1)
                assert away.min() <= 1e-8 * CAP
        assert rays.stop - rays.start == sum(len(piece.rays) for piece in pieces)


@pytest.mark.parametrize("shape", [i for i, s in enumerate(SHAPES) if all(p.is_bounded for p in s)])
def test_hulls_of_sets_of_pieces_have_the_supports_of_their_polytopes(tables, shape):
    rng = np.random.default_rng(shape)
    for mask in range(1, 1 << len(SHAPES[shape])):
        for way in rng.normal(size=(5, 3)):
            expected = max(float(p.support(way)) for j, p in enumerate(SHAPES[shape]) if mask >> j & 1)
            assert twins.support(tables, shape, mask, way, 0.0) == pytest.approx(expected, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_half_spaces_and_centres_belong_to_their_piece(tables, shape):
    rng = np.random.default_rng(shape)
    for j, piece in enumerate(SHAPES[shape]):
        at = tables.shapes[shape, FIRST_PIECE] + j
        faces = tables.faces[:, tables.first_face[at] : tables.first_face[at + 1]]
        assert piece.contains(tables.centres[at], 1e-8 * CAP)
        for point in rng.normal(size=(60, 3)) * piece.size:
            if tables.shapes[shape, ZERO] >= 0:
                assert bool((point @ faces <= 1.0 + 1e-9).all()) == bool(piece.contains(point))


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_sets_of_pieces_without_a_table_are_those_of_many_pieces(tables, shape):
    count = len(SHAPES[shape])
    own = {mask: table_for(tables, shape, mask) for mask in range(1, 1 << count)}
    assert tables.shapes[shape + 1, FIRST_MASK] - tables.shapes[shape, FIRST_MASK] == (
        1 << count if count <= 6 else count + 1
    )
    has = {mask for mask in own if own[mask] >= 0}
    every = set(range(1, 1 << count))
    assert has == (every if count <= 6 else {(1 << count) - 1, *(1 << j for j in range(count))})
    for mask in has:
        first = tables.first_cell[own[mask]]
        last = min([int(c) for c in tables.first_cell if c > first], default=len(tables.cells))
        leaves = [cell for cell in range(first, last) if tables.cells[cell, FIRST_PART] == 0]
        entries = np.concatenate([tables.lists[tables.cells[c, BEGIN] : tables.cells[c, END]] for c in leaves])
        listed = own_vertices(tables, shape).start + entries
        assert set(listed) <= set(twins.members(tables, shape, mask))


@pytest.mark.parametrize("row", range(len(INTERVALS)))
def test_an_interval_is_a_shape_along_x(tables, row):
    low, high, low_cut, high_cut = INTERVALS[row]
    own = own_vertices(tables, len(SHAPES) + row)
    assert tables.vertices[own, 0].tolist() == ([low] if low == high else [low, high])
    assert not tables.vertices[own, 1:].any()
    assert (tables.bits[own][0] & FAR > 0) == bool(low_cut)
    assert (tables.bits[own][-1] & FAR > 0) == bool(high_cut)
    assert tables.shapes[len(SHAPES) + row, ZERO] == -1


def test_a_shape_is_tabulated_once():
    assert shape_table(SHAPES[0], 0.0) is shape_table(SHAPES[0], 0.0)


BONUSES = (-np.inf, 0.0, 0.3)


def ask(case: Setting, shape: int, mask: int, way: np.ndarray, perturbation: float) -> tuple[int, float]:
    """(vertex, value) of the compiled kernel."""
    return compiled(support, case.tables, shape, mask, *(float(c) for c in way), perturbation)


def questions(case: Setting, seed: int, count: int):
    """(shape, mask, direction, perturbation) for all shapes, joint slacks too."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        masks = case.random_masks(rng)
        i = int(rng.integers(len(masks)))
        way = rng.normal(size=3) * 10.0 ** rng.uniform(-3, 3)
        yield int(case.model.program.shape_of[i]), int(masks[i]), way, BONUSES[int(rng.integers(len(BONUSES)))]


@pytest.mark.parametrize("name", ALL)
def test_the_looked_up_vertex_is_the_best_of_all(name):
    case = setting(name)
    for shape, mask, way, perturbation in questions(case, 1, 400):
        vertex, value = ask(case, shape, mask, way, perturbation)
        noise = 1e-13 * case.tables.reach[shape] * np.linalg.norm(way)
        assert value == pytest.approx(twins.support(case.tables, shape, mask, way, perturbation), rel=1e-13, abs=noise)
        assert vertex in twins.members(case.tables, shape, mask)
        own = case.tables.vertices[vertex] @ way + twins.rewards(case.tables, shape, vertex, perturbation)
        assert value == pytest.approx(float(own), rel=1e-13, abs=noise)


@pytest.mark.parametrize("name", ["contacts alone", "rays", "gripper"])
def test_a_small_direction_leaves_an_idle_contact_at_zero(name):
    case = setting(name)
    for shape, mask, way, _ in questions(case, 4, 60):
        zero = case.tables.shapes[shape, ZERO]
        if zero >= 0:
            tiny = way / np.linalg.norm(way) * 0.9 / case.tables.reach[shape]
            assert ask(case, shape, mask, tiny, 1.0) == (zero, 1.0)


def test_the_zero_direction_is_as_good_as_its_bonus():
    case = setting("contacts alone")
    for shape in range(len(case.problem.shapes)):
        vertex, value = ask(case, shape, 1, np.zeros(3), 0.25)
        assert (vertex, value) == (case.tables.shapes[shape, ZERO], 0.25)
        assert ask(case, shape, 1, np.zeros(3), -np.inf)[1] == 0.0


def test_sets_of_pieces_without_a_table_are_asked_piece_by_piece():
    case = setting("eight pieces")
    without = [m for m in range(1, 256) if table_for(case.tables, 0, m) < 0]
    assert len(without) == 255 - 9
    rng = np.random.default_rng(5)
    for mask in without:
        way = rng.normal(size=3)
        vertex, value = ask(case, 0, mask, way, -np.inf)
        assert value == pytest.approx(twins.support(case.tables, 0, mask, way, 0.0), rel=1e-13)
        assert vertex in twins.members(case.tables, 0, mask)


@pytest.mark.parametrize("name", ["contacts alone", "a row without a limit"])
def test_only_the_vertex_zero_of_a_contact_has_a_bonus(name):
    case = setting(name)
    for shape in range(len(case.tables.reach)):
        for vertex in twins.members(case.tables, shape, 1):
            expected = float(twins.rewards(case.tables, shape, vertex, 0.5))
            assert compiled(reward, case.tables, shape, vertex, 0.5) == expected
            assert not expected or not case.tables.vertices[vertex].any()


def test_every_set_of_pieces_has_the_edges_of_its_hull(tables):
    """Blocks lead from a vertex to its neighbours, and to itself where there are fewer than eight."""
    for shape, pieces in enumerate(SHAPES):
        own = own_vertices(tables, shape)
        for mask in range(1, 1 << len(pieces)):
            if table_for(tables, shape, mask) < 0 or any(len(piece.rays) for piece in pieces):
                continue
            members = np.nonzero(tables.bits[own] & mask)[0]
            expected = {(a, b) for a, b in members[hull_edges(tables.vertices[own][members])].tolist()}
            node, found = tables.first_node[table_for(tables, shape, mask)], set()
            for vertex in range(own.stop - own.start):
                for at in range(tables.block_at[node + vertex], tables.block_at[node + vertex + 1]):
                    others = tables.edges[at] - own.start
                    found |= {(vertex, int(other)) for other in others if other != vertex}
                    leads = tables.vertices[own][others] - tables.vertices[own][vertex]
                    np.testing.assert_array_equal(tables.blocks[at].T, leads)
            assert found == expected


@pytest.mark.parametrize("name", ALL)
def test_climbing_from_any_vertex_finds_the_support(name):
    case, rng = setting(name), np.random.default_rng(8)
    memo = np.full((1, 1, 4), -1)
    for shape, mask, way, _ in questions(case, 9, 300):
        memo[:] = -1  # which knows one point, with one shape
        start = int(rng.choice([-1, *twins.members(case.tables, shape, mask)]))
        vertex, value = compiled(climb, case.tables, shape, mask, start, *map(float, way), memo, 0, 0)
        noise = 1e-13 * case.tables.reach[shape] * np.linalg.norm(way)
        best = twins.support(case.tables, shape, mask, way, 0.0)
        assert value == pytest.approx(best, rel=1e-13, abs=noise)
        assert float(case.tables.vertices[vertex] @ way) == pytest.approx(best, rel=1e-13, abs=noise)


@pytest.mark.parametrize("name", ALL)
def test_a_vertex_is_called_the_support_only_where_it_is(name):
    case, rng = setting(name), np.random.default_rng(10)
    memo, said = np.full((1, 1, 4), -1), 0
    for shape, mask, way, perturbation in questions(case, 11, 300):
        memo[:] = -1
        vertex, _ = compiled(climb, case.tables, shape, mask, -1, *map(float, way), memo, 0, 0)
        if rng.random() < 0.3:
            vertex = int(rng.choice(twins.members(case.tables, shape, mask)))
        if compiled(is_support, case.tables, shape, mask, vertex, *map(float, way), perturbation, memo, 0, 0):
            own = float(case.tables.vertices[vertex] @ way)
            noise = 1e-13 * case.tables.reach[shape] * np.linalg.norm(way)
            assert own >= twins.support(case.tables, shape, mask, way, perturbation) - noise
            said += 1
    assert said > 50 or name in UNKNOWN_EDGES


#: Settings of shapes with rays, or in which few sets of pieces have a table.
UNKNOWN_EDGES = ("rays", "rays and rows without a limit", "units with rays", "eight pieces")


# -- bounds -----------------------------------------------------------------------------------------


def bound_of(case: Setting, masks: np.ndarray, y: np.ndarray, load: np.ndarray | None = None) -> float:
    """The bound, interpreted and compiled, from no vertices and from any; y may be cleaned in place."""
    return program_bound(case, case.program(0.1), masks, y, case.load if load is None else load)


def program_bound(case: Setting, program: SimplexProgram, masks: np.ndarray, y: np.ndarray, load: np.ndarray) -> float:
    room = case.model.new_workspace(1).work
    keys = np.full(len(masks), -1)
    bound = certified_bound(case.tables, program, masks, keys, y.copy(), load, room)
    shapes = case.tables.shapes[:, FIRST_VERTEX]
    anywhere = np.random.default_rng(3).integers(shapes[program.shape_of], shapes[program.shape_of + 1])
    for start in (keys, anywhere, anywhere):  # the second time from what the first one left in `room`
        fast = compiled(certified_bound, case.tables, program, masks, start, y, load, room)
        assert fast == pytest.approx(bound, rel=1e-13)
    return bound


@pytest.mark.parametrize("name", ALL)
def test_bounds_are_those_of_all_vertices_and_a_hair_above(name):
    """Rays and rows without a limit leave everything possible; the perturbation has no part in a bound."""
    case, rng, finite = setting(name), np.random.default_rng(6), 0
    for _ in range(120):
        masks, y = case.random_masks(rng), case.random_multipliers(rng)
        if rng.random() < 0.2:
            y = y + 0.1 * rng.normal(size=len(y)) * np.abs(y).max()  # not scaled, perhaps on an endless side
        expected = twins.factor_bound(case.tables, case.program(), masks, y, case.load)
        bound = bound_of(case, masks, y.copy())
        if np.isfinite(expected):
            terms = (
                np.abs(y)
                @ np.abs(case.model.program.rows).sum(axis=1)
                * case.tables.near_reach.max()
                / abs(y @ case.load)
            )
            assert expected - 1e-14 * terms <= bound <= expected + 1e-12 * terms
            finite += 1
        else:
            assert bound == expected
    assert finite > 10 or "rays" in name


@pytest.mark.parametrize("name", [name for name in ALL if "counted" not in name])
def test_bounds_agree_with_those_of_the_certificate(name):
    """The same inequality from the contact problem alone: joint limits there, slack items here."""
    case, rng = setting(name), np.random.default_rng(7)
    for _ in range(60):
        masks, y = case.random_masks(rng), case.random_multipliers(rng)
        full = np.zeros(case.problem.rows)
        full[case.model.scales.kept] = y
        allowed = tuple(int(masks[unit[0]]) for unit in case.problem.units)
        expected = certificates.factor_bound(case.problem, allowed, full)
        assert bound_of(case, masks, y) * case.scale == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_multiplier_that_is_rounding_is_set_to_zero_on_an_endless_side_and_no_other_is():
    case = setting("a row without a limit")
    row = int(np.nonzero(case.unlimited)[0][0])
    y = case.random_multipliers(np.random.default_rng(8))
    y[row] = 0.0
    clean = bound_of(case, case.masks, y.copy())
    assert np.isfinite(clean)
    side = 1.0 if case.unlimited[row] & 1 else -1.0
    y[row] = 0.5 * NO_MULTIPLIER * side * np.abs(y).max()
    assert bound_of(case, case.masks, y) == clean
    assert y[row] == 0.0
    y[row] = 2.0 * NO_MULTIPLIER * side * np.abs(y).max()
    assert bound_of(case, case.masks, y) == np.inf


@pytest.mark.parametrize("slope, bounds", [(-0.3, True), (0.0, True), (0.3, True), (3.0, False)])
def test_a_slope_along_a_ray_that_is_rounding_counts_as_none(slope, bounds):
    """What it would earn at the cut of the ray is no part of the bound."""
    piece = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 1]])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([piece], [[[1.0, 0, 0]]]))])
    case = setting_of(assembly, np.array([0.0, -1.0, 0.0, 0.0, 0.0, 0.0]))
    y = np.array([slope * RAY_SLOPE, 1.0, 0.0, 0.0, 0.0, 0.0]) / -case.load[1]
    expected = 2.0 / -case.load[1] if bounds else np.inf
    assert bound_of(case, case.masks, y) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("torque, bounds", [(1e-16, False), (1e-12, True)])
def test_work_that_the_rounding_of_the_load_may_have_added_bounds_nothing(torque, bounds):
    """No force through the only contact resists a torque about it: a torque that is meant cannot be held at all."""
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([block([-1] * 3, [1] * 3)]))])
    case = setting_of(assembly, np.array([0.0, 0.0, -1.0, torque, 0.0, 0.0]))
    y = np.array([0.0, 0.0, 0.0, -1.0, 0.0, 0.0])
    assert case.load[3] > 0.0
    assert bound_of(case, case.masks, y) == pytest.approx(0.0 if bounds else np.inf, abs=1e-12)


def test_without_a_load_the_supports_alone_decide():
    """The joint rows of this setting exclude zero: some multipliers exclude every load factor."""
    case, nothing = setting("joint rows that exclude zero"), np.zeros(len(setting("joint rows that exclude zero").load))
    row = 6 + int(np.nonzero(case.problem.lower[6:] > 0.0)[0][0])
    y = np.zeros(len(case.load))
    y[row] = 1e-9
    assert bound_of(case, case.masks, y.copy(), nothing) == np.inf
    idle = case.program()._replace(rows=case.model.program.rows.copy())
    idle.rows[row, : 3 * case.model.contacts] = 0.0  # contacts that cannot move the joint
    assert program_bound(case, idle, case.masks, y.copy(), nothing) == -np.inf
    assert program_bound(case, idle, case.masks, -y, nothing) == np.inf


def test_multipliers_along_the_load_bound_nothing():
    case = setting("contacts alone")
    y = -case.random_multipliers(np.random.default_rng(9))
    assert bound_of(case, case.masks, y) == np.inf
