from __future__ import annotations

import pickle

import pytest

from holdfast import errors
from holdfast.errors import (
    FileError,
    HoldfastError,
    InputError,
    JournalWarning,
    MeasurementError,
    MissingDependencyError,
    SceneError,
    SolverError,
    UnknownNameError,
    WorkerError,
    missing_extra,
)


def all_classes() -> list[type[HoldfastError]]:
    return [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, HoldfastError) and value is not HoldfastError
    ]


@pytest.mark.parametrize("kind", all_classes())
def test_every_error_is_a_holdfast_error_with_a_docstring(kind):
    assert issubclass(kind, HoldfastError)
    assert kind.__doc__


@pytest.mark.parametrize("kind", [k for k in all_classes() if issubclass(k, InputError)])
def test_asking_wrongly_is_also_a_value_error(kind):
    assert issubclass(kind, ValueError)


def test_a_failing_backend_is_not_the_users_fault():
    assert not issubclass(SolverError, ValueError)


def test_the_message_tells_what_where_and_fix():
    error = HoldfastError("is wrong", where="mass", fix="give 1")
    assert str(error) == "mass: is wrong (give 1)"
    assert (error.what, error.where, error.fix) == ("is wrong", "mass", "give 1")


def test_the_message_leaves_out_what_is_empty():
    assert str(HoldfastError("is wrong")) == "is wrong"
    assert str(HoldfastError("is wrong", fix="do this")) == "is wrong (do this)"
    assert str(HoldfastError("is wrong", where="here")) == "here: is wrong"


@pytest.mark.parametrize("kind", [FileError, MeasurementError, SceneError])
def test_file_errors_name_path_line_and_field(kind):
    error = kind("is odd", path="a/b.yaml", line=7, field="contacts.0.mu", fix="mend it")
    assert str(error) == "a/b.yaml:7: contacts.0.mu: is odd (mend it)"
    assert str(kind("is odd", path="b.yaml")) == "b.yaml: is odd"
    assert (error.path.name, error.line, error.field) == ("b.yaml", 7, "contacts.0.mu")


def test_an_unknown_name_suggests_the_nearest_and_lists_all():
    error = UnknownNameError("model", "colomb", ["coulomb", "suction", "gecko"], where="model")
    assert error.nearest == "coulomb"
    assert error.choices == ("coulomb", "suction", "gecko")
    for part in ("'colomb'", "did you mean 'coulomb'?", "coulomb, suction, gecko"):
        assert part in str(error)


def test_an_unknown_name_unlike_any_other_suggests_none():
    error = UnknownNameError("model", "zzz", ["coulomb"])
    assert error.nearest == ""
    assert "did you mean" not in str(error)


def test_a_missing_dependency_is_an_import_error_that_says_what_to_run():
    error = MissingDependencyError("trimesh", purpose="reading a mesh", install="pip install trimesh")
    assert isinstance(error, ImportError)
    assert error.package == "trimesh"
    assert "pip install trimesh" in str(error)


@pytest.mark.parametrize(
    "error",
    [
        HoldfastError("is wrong", where="mass", fix="give 1"),
        InputError("is wrong", where="mass", fix="give 1"),
        FileError("is odd", path="a/b.yaml", line=7, field="contacts.0.mu", fix="mend it"),
        UnknownNameError("model", "colomb", ["coulomb", "suction"], where="model"),
        MissingDependencyError("trimesh", purpose="reading a mesh", install="pip install trimesh"),
        WorkerError("was lost", where="tcp://host:1", fix="start it"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_errors_survive_the_way_back_from_another_process(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_a_worker_that_is_lost_is_not_the_users_fault():
    assert not issubclass(WorkerError, ValueError)


def test_a_warning_of_a_damaged_journal_carries_lines_and_queries():
    warning = JournalWarning("a damage", path="a/j", lines=[2, 5], queries=range(3))
    assert isinstance(warning, UserWarning)
    assert (str(warning), warning.path.name, warning.lines, warning.queries) == ("a damage", "j", (2, 5), (0, 1, 2))


def test_a_missing_package_names_what_needs_it_and_the_extra_to_install() -> None:
    error = missing_extra("viser", "view", purpose="the viewer")
    assert isinstance(error, MissingDependencyError) and isinstance(error, ImportError)
    assert str(error) == 'the viewer needs viser, which is not installed (run: pip install "holdfast[view]")'
