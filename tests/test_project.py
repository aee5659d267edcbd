"""The habits of the project, kept by the machine."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "holdfast"
MODULES = sorted(SOURCE.rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MODULE_LINES = 450
FUNCTION_LINES = 80
LAZY = (
    *("scipy", "matplotlib", "highspy", "pydantic", "yaml", "trimesh", "typer", "rich"),
    *("h5py", "joblib", "cloudpickle", "distributed", "dask", "PIL", "viser"),
)
#: Modules without a test file of their own, each with the reason.
UNTESTED = {
    "tolerances.py": "constants alone; the tests of their users see them",
    **dict.fromkeys(
        [
            f"limits/{part}.py"
            for part in ("accuracy", "cover", "dead_cones", "growth", "inner", "outer", "refinement", "thinning")
        ],
        "a step of decompose, whose tests judge the pieces and the report it ends with",
    ),
    **dict.fromkeys(
        [f"limits/{part}.py" for part in ("bands", "gaps", "samples", "sphere", "surface_file")],
        "a part of LimitSurface, tested through it",
    ),
    **dict.fromkeys(
        [f"limits/{part}.py" for part in ("csv_table", "units")], "a part of read_measurements, tested through it"
    ),
    **dict.fromkeys(
        [f"limits/models/{part}.py" for part in ("info", "parameters", "patch")],
        "shared by the models, whose tests go through it",
    ),
    **dict.fromkeys(
        [f"limits/models/{part}.py" for part in ("microspine_mesh", "microspine_profiles")],
        "a part of the microspine model, tested through its surface",
    ),
}
SKIPPED_FOLDERS = {".git", ".venv", "__pycache__", "build", "dist", "results"}
# Put together here, so that this file does not name what it looks for.
HOSTS = [".".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("anaconda", "org"))]
OUTSIDE_PATH = re.compile(r"(?<![\w./~:-])/(?:home|root|tmp|work|opt|mnt|srv|var|Users)/")
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK|NotImplementedError)\b")


def project_texts() -> dict[str, str]:
    """Every text file of the repository, by its path in it."""
    texts = {}
    for folder, folders, files in os.walk(ROOT):
        hidden = {name for name in folders if name.startswith(".") and name != ".ci"}
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS - hidden)
        for path in (Path(folder) / name for name in files):
            try:
                texts[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
    return texts


def module_id(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def python(code: str) -> str:
    """What `code` prints in a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_file_names_a_registry_host_or_a_path_outside_the_repository() -> None:
    texts = project_texts()
    assert {"pyproject.toml", ".ci/run", "src/holdfast/errors.py", "tests/test_project.py"} <= set(texts)
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if OUTSIDE_PATH.search(line) or any(host in line.lower() for host in HOSTS)
    ]
    assert found == []


def test_the_search_for_outside_paths_finds_them() -> None:
    tops = ("home", "tmp", "Users")
    assert all(OUTSIDE_PATH.search(f'open("/{top}/x")') for top in tops)
    assert not OUTSIDE_PATH.search("https://example.net/home/x and src/work/x and ./tmp/x")


def test_the_version_is_the_same_everywhere() -> None:
    import holdfast

    version = PROJECT["project"]["version"]
    assert holdfast.__version__ == version
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_every_module_is_documented_finished_and_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "no docstring"
    assert len(text.splitlines()) <= MODULE_LINES
    assert not UNFINISHED.search(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    assert {f.name: n for f in functions if (n := (f.end_lineno or 0) - f.lineno + 1) > FUNCTION_LINES} == {}


def test_every_module_has_its_mirrored_test() -> None:
    wanted = {
        module_id(path): ROOT / "tests" / path.relative_to(SOURCE).parent / f"test_{path.stem.lstrip('_')}.py"
        for path in MODULES
        if path.stem not in ("__init__", "__main__")
    }
    assert {name for name, test in wanted.items() if not test.exists()} == set(UNTESTED)


def test_ci_runs_the_test_command_of_the_readme() -> None:
    path = ROOT / ".ci" / "run"
    command = path.read_text(encoding="utf-8").splitlines()[-1]
    assert command == "python3 make.py test"
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert command in [line.removeprefix("$ ").split("  #")[0].strip() for line in lines]
    assert os.name == "nt" or os.access(path, os.X_OK)


def test_importing_holdfast_loads_no_heavy_package() -> None:
    loaded = set(json.loads(python("import holdfast, json, sys; print(json.dumps(sorted(sys.modules)))")))
    assert "holdfast" in loaded
    assert loaded & set(LAZY) == set()


@pytest.mark.parametrize("order", ["sorted(hf.__all__)", "sorted(hf.__all__, reverse=True)"])
def test_every_public_name_is_there_whatever_was_used_before(order: str) -> None:
    """A function named like its module must not be hidden once that module is loaded."""
    code = (
        "import holdfast as hf, inspect\n"
        f"found = {{name: getattr(hf, name) for name in {order}}}\n"
        "print([name for name, value in found.items() if inspect.ismodule(value) and hasattr(value, name)])"
    )
    assert ast.literal_eval(python(code)) == []


def test_constraints_pin_every_dependency_and_say_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", pin)] == []
    pinned = {pin.partition("==")[0].lower() for pin in pins}
    project = PROJECT["project"]
    required = [
        *project["dependencies"],
        *project["optional-dependencies"]["dev"],
        *project["optional-dependencies"]["docs"],
        *PROJECT["build-system"]["requires"],
    ]
    names = {re.split(r"[<>=!~\[; ]", requirement)[0] for requirement in required}
    assert names - pinned == set()


def test_the_benchmarks_run_save_and_compare(tmp_path: Path) -> None:
    saved = tmp_path / "run.json"

    def benchmarks(*words: str | Path) -> str:
        command = [sys.executable, "-m", "benchmarks", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        assert done.returncode == 0, done.stderr
        return done.stdout

    benchmarks("import_time", "--quick", "--json", saved)
    assert {"versions", "hardware", "rows"} <= set(json.loads(saved.read_text(encoding="utf-8")))
    assert "1.000" in benchmarks("--compare", saved, saved)


@pytest.fixture
def make() -> ModuleType:
    """make.py as a module."""
    spec = importlib.util.spec_from_file_location("make", ROOT / "make.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_make_says_which_python_it_needs(make: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.version_info", (3, 9, 2))
    with pytest.raises(make.Failure, match=r"needs Python 3\.11 or newer; this is 3\.9\.2"):
        make.check_python()


def test_make_says_what_to_install_when_venv_cannot_work(make: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "ensurepip" else object())
    with pytest.raises(make.Failure, match=r"has no ensurepip.*python3\.\d+-venv"):
        make.check_python()


@pytest.mark.parametrize(
    ("there", "user", "installed", "said"),
    [
        ({"chromium"}, 1000, [], ""),
        (set(), 0, [], "no apt-get"),
        ({"apt-get"}, 1000, [], "sudo apt-get install chromium"),
        ({"apt-get"}, 0, ["update", "install"], ""),
    ],
)
def test_make_installs_a_browser_where_it_may_and_says_how_where_it_may_not(
    make: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    there: set[str],
    user: int,
    installed: list[str],
    said: str,
) -> None:
    steps: list[str] = []
    monkeypatch.delenv("HOLDFAST_CHROMIUM", raising=False)
    monkeypatch.setenv("DEBIAN_FRONTEND", "noninteractive")
    monkeypatch.setattr("shutil.which", lambda name: name if name in there else None)
    monkeypatch.setattr("os.geteuid", lambda: user)
    monkeypatch.setattr(make, "run", lambda *words: steps.append(words[4]) or 0)
    assert said in make.no_browser() and bool(said) == bool(make.no_browser())
    assert steps == installed * 2


def test_make_installs_again_only_when_its_inputs_change(
    make: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installs: list[str] = []
    venv = tmp_path / ".venv"
    venv.mkdir()
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_text("a", encoding="utf-8")
    for name, value in {
        "ROOT": tmp_path,
        "VENV": venv,
        "STAMP": venv / "stamp",
        "CONSTRAINTS": tmp_path / "constraints.txt",
    }.items():
        monkeypatch.setattr(make, name, value)
    monkeypatch.setattr(make, "usable", lambda venv: True)
    monkeypatch.setattr(make, "pip_install", lambda python, target, *options: installs.append(target))
    make.set_up()
    make.set_up()
    make.set_up(("dev",))
    make.set_up()
    assert installs == [".", ".[dev]"]
    (tmp_path / "constraints.txt").write_text("b", encoding="utf-8")
    make.set_up()
    assert installs == [".", ".[dev]", ".[dev]"]
