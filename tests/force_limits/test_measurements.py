"""Measurements: CSV in and out, units, repeated trials, and faults with line, column and remedy."""

from __future__ import annotations

import contextlib
import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast
from holdfast.errors import InputError, MeasurementError
from holdfast.force_limits.measurements import Measurements, read_measurements, write_measurements
from tools import make_microspine_csv

DATA = Path(holdfast.__file__).parent / "data" / "microspine_unit.csv"

OCTAHEDRON = "fx [N],fy [N],fz [N]\n1,0,0\n-1,0,0\n0,2,0\n0,-2,0\n0,0,3\n0,0,-3\n"


def read(tmp_path: Path, text: str | bytes) -> Measurements:
    path = tmp_path / "m.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_measurements(path)


# -- the data set of the microspine unit --------------------------------------------------------


@pytest.mark.parametrize(
    "theta, phis, forces",
    [
        (0, (0, 5, 8, 15, 20, 25), (40.00, 31.82, 26.91, 15.46, 7.28, 0.28)),
        (45, (0, 5, 8, 15, 20), (33.44, 25.26, 20.35, 8.90, 1.10)),
        (90, (0, 5, 8, 15), (17.91, 9.73, 4.83, 1.91)),
        (180, (0, 5, 8, 15), (4.37, 3.54, 3.04, 1.86)),
    ],
)
def test_the_formula_behind_the_data_has_the_published_check_points(theta, phis, forces):
    found = make_microspine_csv.adhesive_limit(np.radians(phis), np.radians(theta))
    assert found == pytest.approx(forces, abs=0.006)


@pytest.mark.parametrize(
    "azimuth, elevation, force",
    [(0, 0, 40.00), (0, -8, 26.91), (0, -20, 7.28), (45, 0, 33.44), (45, -8, 20.35), (90, -8, 4.83), (180, -8, 3.04)],
)
def test_the_mean_of_the_trials_is_near_the_check_points(azimuth, elevation, force):
    measurements = read_measurements(DATA)
    az, el = math.radians(azimuth), math.radians(elevation)
    direction = np.array([math.cos(el) * math.cos(az), math.cos(el) * math.sin(az), math.sin(el)])
    same = measurements.directions @ direction > 1.0 - 1e-9
    assert same.sum() == make_microspine_csv.TRIALS
    # Three trials with 5 % scatter: the mean is within four standard errors.
    assert measurements.limits[same].mean() == pytest.approx(force, rel=4 * 0.05 / math.sqrt(3))


def test_the_data_set_is_what_its_script_writes():
    assert DATA.read_text(encoding="utf-8") == make_microspine_csv.text()


def test_the_data_set_says_that_it_is_synthetic_and_how_it_was_made():
    comments = " ".join(read_measurements(DATA).comments)
    assert "SYNTHETIC" in comments
    assert f"seed {make_microspine_csv.SEED}" in comments
    assert "(11)" in comments


def test_the_dent_and_straight_off_are_measured_as_zero():
    surface = read_measurements(DATA).surface()
    assert surface.measured.all()
    assert surface.radial((0, 0, -1)) == 0.0
    around = np.linspace(0, 2 * math.pi, 50)
    steep = np.column_stack([np.cos(around), np.sin(around), np.full(50, -0.8)])
    assert (surface.radial(steep) == 0.0).all()


def test_bands_of_the_data_set_enclose_the_formula_almost_everywhere():
    surface = read_measurements(DATA).surface()
    truth = make_microspine_csv.limit(surface.directions)
    enclosed = (surface.lower <= truth) & (truth <= surface.upper)
    # The least and greatest of three trials enclose the truth with probability 3/4.
    assert 0.65 < enclosed[truth > 0].mean() < 0.85
    assert (surface.trials == 3).all()


# -- reading ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "unit, newtons", [("N", 1.0), ("mN", 1e-3), ("kN", 1e3), ("lbf", 4.4482216152605), ("gf", 9.80665e-3)]
)
@pytest.mark.parametrize("style", ["fx [{0}],fy [{0}],fz [{0}]", "fx_{0},fy_{0},fz_{0}", "Fx({0}), Fy({0}), Fz({0})"])
def test_units_stand_in_the_header(tmp_path, unit, newtons, style):
    m = read(tmp_path, OCTAHEDRON.replace("fx [N],fy [N],fz [N]", style.format(unit)))
    assert m.limits == pytest.approx(np.array([1, 1, 2, 2, 3, 3]) * newtons)


def test_without_units_newtons_and_degrees_are_taken(tmp_path):
    m = read(tmp_path, "azimuth,elevation,force\n90,0,5\n0,-90,0\n")
    assert m.directions == pytest.approx(np.array([[0, 1, 0], [0, 0, -1]]), abs=1e-15)
    assert m.limits.tolist() == [5.0, 0.0]


def test_angles_in_radians_and_degrees_agree(tmp_path):
    degrees = read(tmp_path, "azimuth [deg],elevation [deg],force [N]\n30,-20,4\n")
    radians = read(tmp_path, f"azimuth [rad],elevation [rad],force [N]\n{math.pi / 6},{-math.pi / 9},4\n")
    assert degrees.directions == pytest.approx(radians.directions)


def test_comments_blank_lines_other_columns_and_delimiters_are_understood(tmp_path):
    text = "# first\n\nnote;Trial;fz [N];fx [N];fy [N];unit\n#second\na;1;0;2;0;left\n\nb;2;-3;0;0;right\n"
    for delimiter in ";,\t":
        m = read(tmp_path, text.replace(";", delimiter))
        assert m.comments == ("first", "second")
        assert m.forces == pytest.approx(np.array([[2, 0, 0], [0, 0, -3]]))
        assert m.trials.tolist() == [1, 2]
        assert m.labels == ("left", "right")
        assert m.of_unit("right").limits.tolist() == [3.0]
    with pytest.raises(InputError, match="'left', 'right'"):
        m.of_unit("middle")


def test_a_byte_order_mark_and_windows_line_ends_are_understood(tmp_path):
    m = read(tmp_path, b"\xef\xbb\xbf" + OCTAHEDRON.replace("\n", "\r\n").encode())
    assert len(m) == 6


def test_a_quoted_field_may_hold_the_delimiter(tmp_path):
    m = read(tmp_path, 'fx,fy,fz,unit\n1,0,0,"a, b"\n')
    assert m.labels == ("a, b",)


def test_measurements_become_a_surface_with_the_files_name(tmp_path):
    surface = read(tmp_path, OCTAHEDRON).surface(max_gap=math.radians(60))
    assert surface.radial(np.eye(3)) == pytest.approx([1, 2, 3])
    assert surface.source.endswith("m.csv")


# -- faults -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, line, column, words",
    [
        ("", None, "", "no header"),
        ("# only a comment\n\n", None, "", "no header"),
        ("fx,fy,fz\n", 1, "", "no rows"),
        ("fx,fy\n1,2\n", 1, "fz", "'fz' is missing"),
        ("fx,fy,gz\n1,2,3\n", 1, "fz", "is 'gz' meant"),
        ("azimuth,elevtion,force\n1,2,3\n", 1, "elevation", "is 'elevtion' meant"),
        ("a,b,c\n1,2,3\n", 1, "fx", "fx, fy, fz or azimuth"),
        ("fx,fx,fy,fz\n1,1,2,3\n", 1, "fx", "twice"),
        ("fx,fy,fz,azimuth,elevation,force\n1,2,3,4,5,6\n", 1, "", "forces twice"),
        ("fx [stone],fy,fz\n1,2,3\n", 1, "fx", "no unit of force 'stone'.*known: N"),
        ("fx [MN],fy,fz\n1,2,3\n", 1, "fx", "no unit of force 'MN'"),
        ("azimuth [grad],elevation,force\n1,2,3\n", 1, "azimuth", "no unit of angle"),
        ("# c\n\nfx,fy,fz\n1,2,3\n1,two,3\n", 5, "fy", "'two', not a number"),
        ("fx;fy;fz\n1;2,5;3\n", 2, "fy", "decimal point"),
        ("fx,fy,fz\n1,nan,3\n", 2, "fy", "finite"),
        ("fx,fy,fz\n1,2,-inf\n", 2, "fz", "finite"),
        ("fx,fy,fz\n1,,3\n", 2, "fy", "is empty"),
        ("fx,fy,fz\n0,0,0\n", 2, "fx", "no direction.*azimuth"),
        ("fx,fy,fz\n1,2,3\n1,2\n", 3, "fz", "2 fields.*cut short"),
        ("fx,fy,fz\n1,2\n1,2,3\n", 2, "fz", "2 fields.*one entry per column"),
        ("fx,fy,fz\n1,2,3,4\n", 2, "", "4 fields"),
        ("azimuth,elevation,force\n0,-91,3\n", 2, "elevation", "between -90 and 90"),
        ("azimuth,elevation,force\n0,0,-3\n", 2, "force", "zero or more"),
        ("fx,fy,fz,trial\n1,2,3,1.5\n", 2, "trial", "whole number"),
        ("fx,fy,fz\n1e200,2,3\n", 2, "fz", "check the unit"),
        ('fx,fy,fz,unit\n1,2,3,"open\n', 2, "", "quotes"),
        ("force,fn\n1,2\n", 1, "", "several columns of forces without a direction, 'force' and 'fn'"),
        ("force,shear angle\n1,2\n", 1, "", "'shear angle' may belong to it"),
        ("force [N],Fx measured\n1,2\n", 1, "", "'Fx measured' may belong to it"),
        ("azimut,elevatin,force\n1,2,3\n", 1, "azimuth", "is 'azimut' meant"),
        ("pull-off force [stone]\n1\n", 1, "force", "no unit of force 'stone'"),
        ("pull-off force\n1\n2\n-3\n", 2, "force", "another sign than the largest"),
        ("fz [N]\n1\n2\n", 2, "fz", "never negative, and fz > 0 presses.*along: .0, 0, -1."),
        ("force,preload\n1,-2\n", 2, "preload", "presses: it is zero or more"),
        ("force,preload [stone]\n1,2\n", 1, "preload", "no unit of force 'stone'"),
        (b"\x00\x01\x02", None, "", "not a text file"),
        (b"fx,fy,fz\n1,2,\xff\xfe\n", 2, "", "UTF-8"),
    ],
)
def test_every_fault_names_line_column_and_remedy(tmp_path, text, line, column, words):
    with pytest.raises(MeasurementError, match=words) as caught:
        read(tmp_path, text)
    assert caught.value.path == tmp_path / "m.csv"
    assert caught.value.line == line
    assert caught.value.field == column
    assert caught.value.fix


def test_missing_files_and_folders_are_faults(tmp_path):
    (tmp_path / "forces.csv").write_text(OCTAHEDRON)
    with pytest.raises(MeasurementError, match="did you mean 'forces.csv'"):
        read_measurements(tmp_path / "force.csv")
    with pytest.raises(MeasurementError, match="there is no such file"):
        read_measurements(tmp_path / "no" / "such.csv")
    with pytest.raises(MeasurementError, match="folder"):
        read_measurements(tmp_path)


@given(st.binary(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_measurements_or_a_measurement_error(tmp_path_factory, raw):
    path = tmp_path_factory.mktemp("bytes") / "m.csv"
    path.write_bytes(raw)
    with contextlib.suppress(MeasurementError):
        assert isinstance(read_measurements(path), Measurements)


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                [
                    "fx",
                    "fy",
                    "fz [N]",
                    "fx_kN",
                    "azimuth [deg]",
                    "elevation",
                    "force",
                    "trial",
                    "unit",
                    "1",
                    "-2.5",
                    "1e400",
                    "nan",
                    "",
                    '"',
                    "#",
                    "x",
                ]
            ),
            max_size=7,
        ),
        max_size=6,
    ),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n", "\r", "\x0b", "\u2028"]),
)
@settings(max_examples=200, deadline=None)
def test_any_table_is_measurements_or_a_measurement_error(tmp_path_factory, rows, delimiter, end):
    path = tmp_path_factory.mktemp("tables") / "m.csv"
    path.write_text(end.join(delimiter.join(row) for row in rows), encoding="utf-8", newline="")
    try:
        found = read_measurements(path)
    except MeasurementError:
        return
    assert len(found.limits) == len(found.directions) == len(found.labels)
    assert np.isfinite(found.forces).all()


# -- writing ------------------------------------------------------------------------------------

names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")) | st.just(" "), max_size=12).map(str.strip)


@given(st.lists(st.tuples(st.floats(0.0, 1e6), st.integers(1, 9), names), min_size=1, max_size=8), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read_back(tmp_path_factory, rows, seed):
    d = np.random.default_rng(seed).normal(size=(len(rows), 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    limits = [0.0 if limit < 1e-6 else limit for limit, _, _ in rows]
    original = Measurements(
        d, np.array(limits), np.array([t for _, t, _ in rows]), tuple(n for _, _, n in rows), "x", ("a",)
    )
    path = tmp_path_factory.mktemp("round") / "m.csv"
    write_measurements(original, path)
    again = read_measurements(path)
    assert again.directions == pytest.approx(original.directions, abs=1e-12)
    assert again.limits.tolist() == limits
    assert again.trials.tolist() == original.trials.tolist()
    assert again.labels == original.labels
    assert again.comments == ("a",)


def test_measurements_check_what_they_are_given():
    with pytest.raises(InputError, match=r"directions\[0\].*length 2"):
        Measurements(np.array([[2.0, 0, 0]]), np.ones(1), np.ones(1), ("",))
    with pytest.raises(InputError, match=r"limits\[0\]"):
        Measurements(np.eye(3)[:1], -np.ones(1), np.ones(1), ("",))
    with pytest.raises(InputError, match="labels"):
        Measurements(np.eye(3)[:1], np.ones(1), np.ones(1), ("", ""))
    with pytest.raises(InputError, match=r"forces\[1\].*no direction"):
        Measurements.from_forces([[1, 0, 0], [0, 0, 0]])
    assert Measurements.from_forces([[0, 3, 4]]).limits.tolist() == [5.0]


# -- tests along one axis -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    ["force [N]", "force", "Pull-off force (N)", "pull_off_force_N", "pulloff", "normal force [N]", "fn", "Fn_N"]
    + ["Peak load [N]", "max force", "adhesion force [N]", "Failure load"],
)
@pytest.mark.parametrize("sign", ["", "-"])
def test_one_column_of_forces_is_a_pull_off_test(tmp_path, header, sign):
    m = read(tmp_path, f"group,{header},note\na,{sign}4,x\na,{sign}5,x\nb,{sign}9,x\n")
    assert m.directions.tolist() == [[0.0, 0.0, -1.0]] * 3
    assert m.limits.tolist() == [4.0, 5.0, 9.0]
    assert m.labels == ("a", "a", "b")
    assert m.axis.tolist() == [0.0, 0.0, -1.0]
    assert [m.strength(level=level) for level in ("inner", "nominal", "outer")] == [4.0, 5.0, 9.0]


def test_units_of_one_column_are_converted(tmp_path):
    assert read(tmp_path, "pull-off force [kN]\n2\n").limits.tolist() == [2000.0]
    assert read(tmp_path, "pull_off_mN\n2\n").limits == pytest.approx([0.002])


def test_a_column_fz_follows_its_sign_and_another_direction_can_be_said(tmp_path):
    m = read(tmp_path, "fz [N]\n-4\n30\n-5\n")
    assert m.directions[:, 2].tolist() == [-1.0, 1.0, -1.0]
    assert (m.strength((0, 0, -1)), m.strength((0, 0, 1))) == (4.5, 30.0)
    path = tmp_path / "m.csv"
    path.write_text("fz [N]\n4\n6\n", encoding="utf-8")
    assert read_measurements(path, along=(0, 0, -2)).strength() == 5.0
    path.write_text("force [N]\n4\n6\n", encoding="utf-8")
    assert read_measurements(path, along=(1, 0, 0)).axis.tolist() == [1.0, 0.0, 0.0]
    path.write_text(OCTAHEDRON, encoding="utf-8")
    with pytest.raises(InputError, match="along: the file contains directions"):
        read_measurements(path, along=(1, 0, 0))


def test_the_record_of_one_test_is_not_taken_for_many_tests(tmp_path):
    rows = [f"{0.1 * k:.1f},{k % 30}" for k in range(60)]
    for header in ("Time [s],force [N]", "displacement (mm),force [N]"):
        with pytest.raises(MeasurementError, match="record of one test.*largest force of each test"):
            read(tmp_path, "\n".join([header, *rows]))
    assert len(read(tmp_path, "time,force\n" + "10:30,4\n10:45,5\n" * 10)) == 20
    assert len(read(tmp_path, "time [s],force\n" + "".join(f"{3 - k % 3},{k + 1}\n" for k in range(20)))) == 20


def pulls(*limits: float, preloads: list[float] | None = None) -> Measurements:
    """Pull-off tests."""
    count = len(limits)
    kept = None if preloads is None else np.array(preloads)
    return Measurements(
        np.tile([0.0, 0, -1], (count, 1)), np.array(limits), np.arange(count), ("",) * count, "p", (), kept
    )


def test_one_axis_is_a_strength_and_no_volume_without_an_assumption():
    with pytest.raises(InputError, match=r"p: all 3 tests are along one axis: .*not a volume .*assuming.*--assume"):
        pulls(4.0, 5.0, 6.0).surface()
    with pytest.raises(InputError, match="mu: is missing for magnet .give mu: pull-off tests do not measure it"):
        pulls(4.0).assuming("magnet")
    with pytest.raises(InputError, match="attraction: is measured"):
        pulls(4.0).assuming("magnet", mu=0.3, attraction=3.0)
    with pytest.raises(InputError, match="no assumption 'coulomb'.*known: segment, magnet, suction, dry_adhesive"):
        pulls(4.0).assuming("coulomb", mu=0.3)
    with pytest.raises(InputError, match="no parameters"):
        pulls(4.0).assuming("segment", mu=0.3)
    with pytest.raises(InputError, match="strength is zero"):
        pulls(0.0).assuming("segment")
    with pytest.raises(InputError, match="compression: does not apply to magnet .give the cap"):
        pulls(4.0).assuming("magnet", mu=0.3, compression=20.0)
    with pytest.raises(InputError, match="compression"):
        pulls(4.0).assuming("segment", compression="endless")
    with pytest.raises(InputError, match="level"):
        pulls(4.0).assuming("segment", level="weakest")
    with pytest.raises(InputError, match="several axes"):
        Measurements.from_forces(np.eye(3)).assuming("segment")
    with pytest.raises(InputError, match="no test pulls straight off"):
        Measurements.from_forces([[3.0, 0, 0]]).assuming("magnet", mu=0.3)
    with pytest.raises(InputError, match="needs tests along the normal"):
        Measurements.from_forces([[3.0, 0, 0]]).assuming("segment", compression="unlimited")
    with pytest.raises(InputError, match="was not tested"):
        pulls(4.0).strength((1, 0, 0))


def test_an_assumed_volume_is_the_model_at_the_strength_that_was_measured():
    tests = pulls(40.0, 50.0, 70.0)
    for level, strength in (("inner", 40.0), ("nominal", 50.0), ("outer", 70.0)):
        made = tests.assuming("magnet", level=level, mu=0.3, cap=20.0, accuracy=0.01)
        assert made.fingerprint == holdfast.models.magnet(strength, 0.3, cap=20.0, accuracy=0.01).fingerprint
    assert tests.assuming("suction", mu=0.5).fingerprint == holdfast.models.suction(50.0, 0.5).fingerprint
    made = tests.assuming("dry_adhesive", shear=90.0)
    assert made.fingerprint == holdfast.models.dry_adhesive(90.0, 50.0).fingerprint


def test_a_segment_holds_along_the_tests_alone():
    tests = pulls(40.0, 50.0, 70.0)
    volume = tests.assuming("segment")
    assert volume.radial([[0, 0, -1.0], [0, 0, 1.0], [1.0, 0, 0], [0.01, 0, -1.0]]) == pytest.approx([50.0, 0, 0, 0])
    assert tests.assuming("segment", compression=20.0).radial([0, 0, 1.0]) == pytest.approx(20.0)
    assert np.isinf(tests.assuming("segment", compression="unlimited").radial([0, 0, 1.0]))
    both = Measurements.from_forces([[0, 0, -5.0], [0, 0, 30.0]]).assuming("segment")
    assert both.radial([[0, 0, -1.0], [0, 0, 1.0]]) == pytest.approx([5.0, 30.0])
    # Two such contacts hold a weight below the sum of their strengths and no more.
    over = np.diag([1.0, -1.0, -1.0])
    contacts = [holdfast.Contact((x, 0, 0), over, volume) for x in (-0.1, 0.1)]
    found = holdfast.load_limit(holdfast.Assembly(contacts), [0, 0, -1.0, 0, 0, 0])
    assert found.value == pytest.approx(100.0, rel=1e-5)


def test_pressing_that_was_tested_caps_the_assumed_model():
    tests = Measurements.from_forces([[0, 0, -5.0], [0, 0, 30.0]])
    assert tests.assuming("magnet", mu=0.3).support([0, 0, 1.0]) == pytest.approx(30.0)


# -- tests at several preloads ------------------------------------------------------------------


def test_a_column_of_preloads_is_read_and_written(tmp_path):
    m = read(tmp_path, "Preload [mN],force [N]\n500,4\n1000,5\n1004,6\n")
    assert m.preloads == pytest.approx([0.5, 1.0, 1.004])
    assert m.preload_levels == pytest.approx([0.5, 1.002])  # nearly equal preloads are one
    write_measurements(m, tmp_path / "again.csv")
    assert read_measurements(tmp_path / "again.csv").preloads == pytest.approx(m.preloads)


def test_limits_that_grow_linearly_with_the_preload_are_interpolated_exactly():
    """A magnet whose attraction is 3 N + 4 p: tests at 1, 2 and 5 N give the closed form at every preload between."""
    levels = [1.0, 2.0, 5.0]
    tests = pulls(*(3.0 + 4.0 * p for p in levels), preloads=levels)
    for p in (1.0, 1.3, 2.0, 4.9, 5.0):
        made = holdfast.models.preloaded(tests, p, assume="magnet", mu=0.3)
        exact = holdfast.models.magnet(3.0 + 4.0 * p, 0.3)
        assert made.pieces[0] == pytest.approx(exact.pieces[0], rel=1e-12)


def test_strength_in_proportion_to_the_preload_scales_a_union_without_filling_its_gap():
    """Two opposed gecko pads, strength in proportion to the preload: the surface at 2 N is that at 1 N times two."""
    model = holdfast.models.gecko_two_way(shear=10.0, cap=15.0)
    slanted = [[x, y, -0.3] for x in (-1.0, 1.0) for y in (-0.3, 0.0, 0.3)] / np.linalg.norm([1.0, 0.3, 0.3])
    rays = np.vstack([holdfast.loads.sphere_directions(50), slanted, np.eye(3), -np.eye(3)])
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    one = model.radial(rays)
    tests = Measurements(
        np.tile(rays, (2, 1)),
        np.concatenate([one, 3.0 * one]),
        np.ones(2 * len(rays)),
        ("",) * 2 * len(rays),
        preloads=np.repeat([1.0, 3.0], len(rays)),
    )
    surface = tests.at_preload(2.0).surface()
    assert surface.radial(rays) == pytest.approx(2.0 * one, abs=1e-9)
    assert surface.radial([0, 0, -1.0]) == 0.0
    made = holdfast.models.preloaded(tests, 2.0, max_pieces=2)
    exact = holdfast.decompose(holdfast.LimitSurface.from_limits(rays, 2.0 * one), max_pieces=2)
    assert made.radial(rays) == pytest.approx(exact.radial(rays), abs=1e-6)
    assert made.radial([0, 0, -1.0]) < 1e-6
    assert made.radial(rays[rays[:, 2] < 0.0]).max() > 10.0


def test_limits_that_saturate_are_interpolated_from_inside_and_stay_between_their_neighbours():
    def truth(p: float) -> float:
        return 20.0 * (1.0 - math.exp(-p / 3.0))

    levels = [0.5, 2.0, 4.0, 9.0]
    tests = pulls(*map(truth, levels), preloads=levels)
    for p in np.linspace(0.5, 9.0, 40):
        found = tests.at_preload(p).strength()
        below = max(level for level in levels if level <= p)
        assert truth(below) - 1e-9 <= found <= truth(p) + 1e-9


def test_repeated_trials_are_interpolated_quantile_by_quantile():
    tests = pulls(10.0, 14.0, 11.0, 20.0, 30.0, 23.0, preloads=[1, 1, 1, 3, 3, 3])
    middle = tests.at_preload(2.0)
    assert [middle.strength(level=level) for level in ("inner", "nominal", "outer")] == [15.0, 17.0, 22.0]
    assert tests.at_preload(3.0).limits.tolist() == [20.0, 30.0, 23.0]
    assert "interpolated at a preload of 2 N" in middle.source


def test_nothing_is_extrapolated_silently():
    tests = pulls(10.0, 20.0, preloads=[1.0, 3.0])
    with pytest.raises(InputError, match="preload: is 3.1 N, where 1 to 3 N were tested .*beyond"):
        tests.at_preload(3.1)
    with pytest.raises(InputError, match="preload: is 0.9 N, .*nothing is known below"):
        tests.at_preload(0.9, beyond="largest")
    assert tests.at_preload(50.0, beyond="largest").limits.tolist() == [20.0]
    with pytest.raises(InputError, match="beyond"):
        tests.at_preload(2.0, beyond="linear")
    with pytest.raises(InputError, match="made at 2 preloads, 1 to 3 N .*--preload"):
        tests.assuming("segment")
    with pytest.raises(InputError, match="no preload was recorded"):
        pulls(3.0).at_preload(2.0)
    with pytest.raises(InputError, match=r"preloads\[0\]"):
        pulls(3.0, preloads=[-1.0])


def test_a_direction_that_one_preload_lacks_is_named():
    tests = Measurements(
        np.array([[0, 0, -1.0], [1.0, 0, 0], [0, 0, -1.0]]), np.ones(3), np.ones(3), ("pad",) * 3, preloads=[1, 1, 2]
    )
    words = "azimuth 0, elevation 0 deg of 'pad' was tested at 1 N of preload and not at 2 N"
    with pytest.raises(InputError, match=words):
        tests.at_preload(1.5)


def test_names_that_a_spreadsheet_takes_for_formulas_are_quoted_and_read_back(tmp_path: Path) -> None:
    names = ("=cmd|' /C calc'!A0", "+1", "-2; 3", "-a", "@SUM(A1)", "'=x", "''-y", "'plain'", "-", "unit 1")
    rows = len(names)
    wanted = Measurements(np.tile([0.0, 0, -1], (rows, 1)), np.ones(rows), np.ones(rows, dtype=int), names, "", ())
    write_measurements(wanted, tmp_path / "units.csv")
    with (tmp_path / "units.csv").open(newline="", encoding="utf-8") as lines:
        cells = [row[4] for row in list(csv.reader(lines))[1:]]
    assert [cell for cell in cells if cell[0] in "=+-@"] == ["+1", "-2; 3", "-"]  # numbers and a dash
    assert read_measurements(tmp_path / "units.csv").labels == names
