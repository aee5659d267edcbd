"""Every study as a script, in seconds; studies use public names of Holdfast only."""

from __future__ import annotations

import ast
import csv
import importlib
from pathlib import Path

import pytest

import holdfast
from studies.hauser.climber import MODELS

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ROOT / "studies"

#: What each script writes in a quick run.
WRITTEN = {
    "hauser.load_limits": {"load_limits_shared.csv", "load_limits_independent.csv"},
    "hauser.table_one": {"table_one.csv", "table_one_trends.csv"},
    "hauser.figures": {"figures.csv", "concavity.csv", "figure_03.png", "figure_07.png"},
    "hauser.slip": {"slip_events.csv", "slip_onsets.png", "slip_strip.png"},
    "hauser.hierarchy": {"hierarchy_times.csv", "hierarchy_regions.csv", "figure_15.png", "figure_16.png"},
    "hauser.climbing": {"climbing_regions.csv"},
    "erdmann.claims": {"claims.csv", "erdmann_single.png"},
    "greenfield.claims": {"claims.csv"},
    "chinellato.claims": {"claims.csv"},
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_quick_run_leaves_its_tables_and_pictures(name: str, tmp_path: Path) -> None:
    words = ["--quick", "--out", str(tmp_path), *(["--rivals", "none"] if name.endswith("table_one") else [])]
    importlib.import_module(f"studies.{name}").main(words)
    assert {path.name for path in tmp_path.iterdir()} == WRITTEN[name]
    for path in tmp_path.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert rows and all(len(row) == len(header) for row in rows)


@pytest.mark.parametrize(("paper", "failing"), [("erdmann", 0), ("greenfield", 0), ("chinellato", 1)])
def test_as_many_claims_come_out_as_the_documentation_says(paper: str, failing: int) -> None:
    judged = importlib.import_module(f"studies.{paper}.claims").claims()
    assert [claim.text for claim in judged if not claim.holds][failing:] == []
    with (STUDIES / paper / "saved" / "claims.csv").open(encoding="utf-8", newline="") as file:
        saved = list(csv.DictReader(file))
    assert [(row["the paper"], row["confirmed"] == "yes") for row in saved] == [(one.text, one.holds) for one in judged]


@pytest.mark.parametrize("name", MODELS)
def test_the_robots_of_the_package_are_what_the_study_writes(name: str) -> None:
    file = Path(holdfast.__file__).parent / "data" / "robots" / f"{name}.urdf"
    assert file.read_text(encoding="utf-8") == MODELS[name]().urdf()


def test_a_quick_run_never_replaces_saved_results(capsys: pytest.CaptureFixture[str]) -> None:
    from studies.hauser import load_limits

    with pytest.raises(SystemExit):
        load_limits.main(["--quick"])
    assert "--out" in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted(STUDIES.rglob("*.py")), ids=lambda path: path.relative_to(STUDIES).as_posix())
def test_a_study_uses_public_names_only(path: Path) -> None:
    """Names of `holdfast`, of its packages, and of the toolkits' and pictures' modules: one dot deeper at most."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("holdfast"):
            continue
        package = importlib.import_module(node.module or "")
        public = getattr(package, "__all__", None) or [name for name in vars(package) if not name.startswith("_")]
        depth = (node.module or "").count(".")
        assert depth <= 1 or node.module in PUBLIC_MODULES, f"{path.name}: {node.module}"
        missing = [alias.name for alias in node.names if alias.name not in public]
        assert not missing or node.module == "holdfast.plotting", f"{path.name}: {node.module} has no public {missing}"


#: Modules that packages offer as public names.
PUBLIC_MODULES = (
    "holdfast.assembly.loads",
    *(f"holdfast.{room}.plots" for room in ("force_limits", "postures", "robots", "wrench_spaces")),
)
