from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.errors import FileError, InputError, MeasurementError, SceneError
from holdfast.files.error_context import Site
from holdfast.files.yaml_source import read_source

Write = Callable[..., Path]


@pytest.fixture
def site(write: Write) -> Site:
    return Site(read_source(write("a:\n  - size: [1, 2]\n    rotation: 3\n"))) / "a" / 0


@pytest.mark.parametrize(
    ("where", "field", "line", "what"),
    [
        ("rotation", "a[0].rotation", 3, "is wrong"),
        ("size[1]", "a[0].size[1]", 2, "is wrong"),
        ("size[7]", "a[0].size", 2, "is wrong"),
        ("volume", "a[0]", 2, "volume: is wrong"),
        ("row 0 (lever)", "a[0]", 2, "row 0 (lever): is wrong"),
        ("", "a[0]", 2, "is wrong"),
    ],
)
def test_an_error_goes_to_the_field_it_names(site: Site, where: str, field: str, line: int, what: str) -> None:
    with pytest.raises(SceneError) as caught, site.watch():
        raise InputError("is wrong", where=where, fix="mend it")
    error = caught.value
    assert (error.field, error.line, error.what, error.fix) == (field, line, what, "mend it")


def test_an_error_of_another_file_names_that_file_too(site: Site) -> None:
    with pytest.raises(SceneError, match=r"scene.yaml:2: a\[0\]: m.csv:7: fx: is wrong \(mend it\)"), site.watch():
        raise MeasurementError("is wrong", path="m.csv", line=7, field="fx", fix="mend it")


def test_a_scene_error_goes_through_as_it_is(site: Site) -> None:
    with pytest.raises(SceneError) as caught, (site / "x").watch():
        raise site.fault("is wrong", fix="mend it")
    assert caught.value.field == "a[0]"


def test_what_is_no_error_of_ours_goes_through(site: Site) -> None:
    with pytest.raises(ZeroDivisionError), site.watch():
        raise ZeroDivisionError


def test_files_are_looked_for_beside_the_scene(site: Site, tmp_path: Path) -> None:
    assert site.file("b/c.csv") == tmp_path / "b" / "c.csv"
    assert site.file(str(tmp_path / "d.csv")) == tmp_path / "d.csv"
    assert isinstance(site.fault("x", fix="y"), FileError)
