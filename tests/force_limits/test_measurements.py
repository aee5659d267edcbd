"""Measurements: CSV in and out, units, repeated trials, and faults with line, column and remedy."""

from __future__ import annotations

import contextlib
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
    with pytest.raises(MeasurementError, match="does not exist"):
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
