"""The one list of features: its order is that of the layers, and a line in it is all that a new feature needs."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import grimp
import pytest

import holdfast
from holdfast import features
from holdfast.feature import imported

SOURCE = Path(holdfast.__file__).parent

#: What the features stand on, lowest first; those in one line may import each other.
BASE = (
    ("tolerances", "errors"),
    ("public_names", "checks", "results", "inputs"),
    ("confinement",),
    ("linear_programs", "compiling"),
    ("geometry",),
    ("solvers",),
    ("jobs",),
    ("storage",),
    ("feature",),
    ("features",),
    ("web", "console", "plotting", "files"),
)
#: Modules that are no features, beside the feature that they are made of.
BESIDE = {"assembly": ("devices",)}
LAYERS = (*BASE, *((name, *BESIDE.get(name, ())) for name in features.FEATURES), ("cli",))

#: Modules of a feature that may use every feature; other contracts say who may use them.
PRESENTATION = ("command", "page", "plots")


@cache
def imports() -> list[tuple[str, str]]:
    """(importer, imported) of all modules of the package, inside functions too; without those for types alone."""
    graph = grimp.build_graph("holdfast", exclude_type_checking_imports=True, cache_dir=None)
    names = [name for name in graph.modules if name != "holdfast"]
    return [(name, other) for name in names for other in graph.find_modules_directly_imported_by(name)]


def upward(layers: tuple[tuple[str, ...], ...]) -> list[tuple[str, str]]:
    """Imports from a layer above."""
    height = {name: number for number, names in enumerate(layers) for name in names}
    found = []
    for importer, other in imports():
        own, *inside = importer.split(".")[1:]
        if own != "__main__" and other != "holdfast" and inside not in [[name] for name in PRESENTATION]:
            found += [(importer, other)] * (height[own] < height[other.split(".")[1]])
    return found


def test_imports_between_features_only_go_down() -> None:
    children = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert sorted(name for names in LAYERS for name in names) == sorted(children - {"__init__", "__main__"})
    assert upward(LAYERS) == []


def test_two_features_in_the_wrong_order_are_found() -> None:
    at = LAYERS.index(("statics",))
    assert any(
        importer.startswith("holdfast.statics.") and other.startswith("holdfast.assembly")
        for importer, other in upward((*LAYERS[: at - 1], LAYERS[at], LAYERS[at - 1], *LAYERS[at + 1 :]))
    )


def test_what_a_feature_adds_loads_nothing() -> None:
    """`feature.py` imports the base alone, so that `holdfast --help` is fast."""
    found = {other for importer, other in imports() if importer.endswith(".feature")}
    assert found == {"holdfast.feature"}
    assert {path.parent.name for path in SOURCE.glob("*/feature.py")} == set(features.FEATURES)


def test_whatever_a_feature_names_exists_and_nothing_is_added_twice() -> None:
    listed = features.features().values()
    for names in (
        ([*feature.commands] for feature in listed),
        ([kind.name for kind in feature.files] for feature in listed),
    ):
        every = sorted(name for own in names for name in own)
        assert all(one != other for one, other in pairwise(every))
    kinds = {kind.name for feature in listed for kind in feature.files}
    assert kinds >= {name for feature in listed for name in feature.shows}
    for family in (family for feature in listed for family in feature.kernels):
        assert callable(imported(f"holdfast.{family.use}"))
        assert all(hasattr(imported(f"holdfast.{kernel}"), "is_stored") for kernel in family.stored)


#: A feature in a folder of its own: it counts the tufts of a "moss", a file with one field.
MOSS = {
    "__init__.py": '"""Moss."""',
    "feature.py": """
from ..feature import Command, Feature, FileKind

FEATURE = Feature(
    {"moss": Command("Count the tufts of moss.")},
    menu=200,
    shows=("moss",),
    files=[FileKind("moss", ("moss",), "moss.files:read", fields=("tufts",)), FileKind("peat", suffixes=(".peat",))],
)
""",
    "files.py": """
from typing import Any
from ..files.yaml_source import read_source

def read(source: Any) -> int:
    return (source if hasattr(source, "data") else read_source(source)).data["tufts"]
""",
    "command.py": """
import typer
from ..files.reader import load

def moss(file: str) -> None:
    typer.echo(f"{load(file)} tufts")
""",
    "page.py": """
from ..web.page import PageEntry

ENTRIES = (PageEntry("moss", "Moss", "Plants", "Tufts.", lambda context: None),)

def file_pages(file):
    return (PageEntry("moss-file", f"{file.content} tufts", "Plants", "Tufts.", lambda context: None),)
""",
}


@pytest.fixture
def with_moss(tmp_path: Path) -> Path:
    """A folder with the package, in which moss has a folder and a line in the list."""
    package = tmp_path / "holdfast"
    package.mkdir()
    for path in SOURCE.iterdir():
        if path.name not in ("features.py", "__pycache__"):
            (package / path.name).symlink_to(path)
    text = (SOURCE / "features.py").read_text(encoding="utf-8")
    line = '    "viewer",\n'
    assert text.count(line) == 1
    (package / "features.py").write_text(text.replace(line, f'{line}    "moss",\n'), encoding="utf-8")
    for name, code in MOSS.items():
        (package / "moss").mkdir(exist_ok=True)
        (package / "moss" / name).write_text(code, encoding="utf-8")
    (tmp_path / "bog.yaml").write_text("holdfast: 1\ntufts: 7\n", encoding="utf-8")
    (tmp_path / "bog.peat").write_text("", encoding="utf-8")
    return tmp_path


@pytest.mark.skipif(os.name == "nt", reason="the package is put together from links")
def test_a_folder_and_one_line_give_a_command_a_page_and_a_kind_of_file(with_moss: Path) -> None:
    def said(*words: str) -> str:
        environment = os.environ | {"PYTHONPATH": str(with_moss)}
        done = subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, cwd=with_moss, env=environment, check=False
        )
        return done.stdout + done.stderr

    assert "  moss         Count the tufts of moss.\n" in said("-m", "holdfast", "--help")
    assert said("-m", "holdfast", "moss", "bog.yaml") == "7 tufts\n"
    assert "is a moss file: it has tufts" in (refused := said("-m", "holdfast", "check", "bog.yaml"))
    assert "use holdfast moss bog.yaml" in refused
    pages = (
        "from holdfast.viewer.gallery import entries, file_pages\n"
        "print(entries()[-1].title, *(page.title for page in file_pages('bog.yaml')), sep=', ')\n"
    )
    assert said("-c", pages) == "Moss, 7 tufts\n"
    peat = "from holdfast import load\nload('bog.peat')"
    assert "bog.peat: is a peat" in said("-c", peat)
