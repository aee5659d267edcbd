"""The habits of the project, kept by the machine."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "holdfast"
MODULES = sorted(SOURCE.rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
STUBS = sorted(SOURCE.rglob("__init__.pyi"))
LAZY = (
    *("scipy", "matplotlib", "highspy", "pydantic", "yaml", "trimesh", "shapely", "typer", "rich"),
    *("h5py", "cloudpickle", "distributed", "dask", "PIL", "svgelements", "viser", "pinocchio", "mujoco"),
)
#: Class names that two features may define, with the reason.
TWICE = {"Contact": "hf.Contact in space and hf.planar.Contact in the plane are public names"}
#: What each extra installs, by the names under which it is imported.
OPTIONAL = {
    "plot": ("matplotlib", "mpl_toolkits"),
    "view": ("viser", "websockets", "msgspec"),
    "grasps": ("PIL", "svgelements"),
    "robots": ("pinocchio", "coal"),
    "mujoco": ("mujoco",),
    "gpu": ("warp",),
    "cluster": ("distributed", "dask"),
    "scip": ("pyscipopt",),
    "cvxopt": ("cvxopt",),
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
        hidden = {name for name in folders if name.startswith(".") and name not in (".ci", ".github")}
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS - hidden)
        for path in (Path(folder) / name for name in files if name != ".git"):
            try:
                texts[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
    return texts


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


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
def test_every_module_is_documented_and_finished(path: Path) -> None:
    assert ast.get_docstring(parsed(path)), "no docstring"
    assert not UNFINISHED.search(path.read_text(encoding="utf-8"))


def test_no_public_class_name_is_defined_twice() -> None:
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(f"{module_id(path)}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1 and name not in TWICE} == {}


def test_only_linear_programs_calls_linprog() -> None:
    def names(node: ast.AST) -> set[str | None]:
        aliases = {alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set()
        return {*aliases, getattr(node, "id", None), getattr(node, "attr", None)}

    found = {module_id(path) for path in MODULES for node in ast.walk(parsed(path)) if "linprog" in names(node)}
    assert found == {"linear_programs.py"}


@pytest.mark.parametrize("stub", STUBS, ids=module_id)
def test_every_name_of_a_stub_resolves(stub: Path) -> None:
    package = importlib.import_module(".".join(["holdfast", *stub.parent.relative_to(SOURCE).parts]))
    body = ast.parse(stub.read_text(encoding="utf-8")).body
    lines = [line for line in body if isinstance(line, ast.ImportFrom)]
    others = [ast.unparse(line) for line in body if not isinstance(line, ast.ImportFrom)]
    assert others == (["__version__: str"] if package.__name__ == "holdfast" else [])
    names = [alias.asname or alias.name for line in lines if isinstance(line, ast.ImportFrom) for alias in line.names]
    assert [name for name in names if not hasattr(package, name)] == []
    assert len(names) == len(set(names))
    assert set(names) <= set(dir(package))


def test_ci_runs_the_test_command_of_the_readme() -> None:
    path = ROOT / ".ci" / "run"
    command = path.read_text(encoding="utf-8").splitlines()[-1]
    assert command == "python3 make.py test"
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert command in [line.removeprefix("$ ").split("  #")[0].strip() for line in lines]
    assert os.name == "nt" or os.access(path, os.X_OK)
    assert "python make.py test" in (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")


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
        "print([name for name, value in found.items() if inspect.ismodule(value) and callable(getattr(value, name, None))])"
    )
    assert ast.literal_eval(python(code)) == []


def test_constraints_pin_every_dependency_and_say_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", pin)] == []
    pinned = {pin.partition("==")[0].lower() for pin in pins}
    extras = PROJECT["project"]["optional-dependencies"]

    def listed(requirements: list[str]) -> set[str]:
        """Names of the packages, extras of Holdfast itself replaced by what they bring."""
        own = [found for text in requirements if (found := re.fullmatch(r"holdfast\[(.*)\]", text))]
        parts = [listed(extras[extra]) for match in own for extra in match[1].split(",")]
        others = [text for text in requirements if not text.startswith("holdfast[")]
        return {re.split(r"[<>=!~\[; ]", text)[0].lower().replace("_", "-") for text in others}.union(*parts)

    project, build = PROJECT["project"]["dependencies"], PROJECT["build-system"]["requires"]
    names = listed([*project, *build, *extras["all"], *extras["dev"], *extras["docs"]])
    assert {"matplotlib", "viser", "pin", "pytest"} <= names
    assert names - {name.replace("_", "-") for name in pinned} == set()


def blocked(extras: Iterable[str], code: str) -> str:
    """What `code` prints where the packages of `extras` are not installed."""
    packages = [package for extra in extras for package in OPTIONAL[extra]]
    return python(f"import sys\nsys.modules.update(dict.fromkeys({packages!r}))\nimport holdfast as hf\n{code}")


def test_without_any_extra_holdfast_is_imported_and_finds_load_limits() -> None:
    code = (
        "grip = hf.models.coulomb(0.5, cap=10.0)\n"
        "contacts = [hf.Contact([x, y, 0], hf.frame_from_normal([0, 0, 1]), grip) for x, y in ((1, 0), (-1, 1), (-1, -1))]\n"
        "print(hf.load_limit(hf.Assembly(contacts), [0, 0, -1, 0, 0, 0]).value)"
    )
    assert float(blocked(OPTIONAL, code)) == pytest.approx(20.0, rel=1e-4)


#: Commands that need no extra, and a word of their answer.
COMMANDS = {
    "check @suction_cup": "verdict: holds",
    "limit @suction_cup --direction 0,0,-1": "optimal",
    "onset @block_on_three_points": "slips at",
    "space @suction_cup --level 1": "wrench space",
    "separate @block_on_three_points --load shove": "contact",
    "sensitivity @suction_cup": "limit",
    "posture @climber_on_overhang": "verdict",
    "support @quadruped_on_rock": "polygon",
    "motions @three_points": "motion",
    "torques @five_link_brace": "unambiguous",
    "models coulomb": "mu",
    "scene list": "suction_cup",
}


def test_without_any_extra_the_command_line_answers() -> None:
    """In one process, since each start loads the kernels; each command ends by SystemExit."""
    code = (
        "import contextlib, io, json\n"
        "from holdfast.cli import main\n"
        "said = {}\n"
        f"for command in {list(COMMANDS)!r}:\n"
        "    sys.argv = ['holdfast', *command.split()]\n"
        "    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):\n"
        "        main()\n"
        "    said[command] = out.getvalue()\n"
        "print(json.dumps(said))"
    )
    said = json.loads(blocked(OPTIONAL, code).splitlines()[-1])
    assert {command for command, word in COMMANDS.items() if word not in said[command]} == set()


@pytest.mark.parametrize(
    ("extra", "package", "code"),
    [
        (
            "plot",
            "matplotlib",
            "from holdfast.force_limits import plots\nplots.force_volume(hf.models.coulomb(0.5, cap=10.0))",
        ),
        ("view", "viser", "from holdfast.viewer import gallery, server\nserver.serve(gallery.entries(), port=0)"),
        ("grasps", "Pillow", "hf.grasps.plan('part.png')"),
        (
            "robots",
            "pinocchio",
            "hf.Robot.from_urdf('@climber')",
        ),
        ("mujoco", "mujoco", "hf.robots.mujoco_contacts(None, None)"),
        (
            "gpu",
            "warp-lang",
            "hf.postures.posture_many(hf.Grip([[0.0] * 6]), [[hf.Pose.identity()]], [0.0] * 6, device='cpu')",
        ),
        ("cluster", "distributed", "hf.jobs.sweep(abs, [1.0], cluster='tcp://127.0.0.1:8786')"),
    ],
)
def test_a_missing_extra_is_named_by_one_clear_error(extra: str, package: str, code: str) -> None:
    indented = "\n".join(f"    {line}" for line in code.splitlines())
    report = f"try:\n{indented}\nexcept hf.errors.MissingDependencyError as error:\n    print(error)"
    message = blocked([extra], report)
    assert f"needs {package}, which is not installed" in message
    assert f'pip install "holdfast[{extra}]"' in message


TRIAL = """\
import pytest
from tests.nightly import nightly_after

@pytest.mark.parametrize("number", nightly_after(2, range(5)))
def test_number(number):
    assert number < 5

@pytest.mark.parametrize("number", range(3))
def test_skipped(number):
    pytest.skip("no such package")
"""


@pytest.mark.parametrize(("run", "workers", "passed", "left_out"), [("default", 1, 2, True), ("nightly", 0, 5, False)])
def test_a_run_tells_what_it_left_out_and_why(
    tmp_path: Path, run: str, workers: int, passed: int, left_out: bool
) -> None:
    (tmp_path / "test_trial.py").write_text(TRIAL, encoding="utf-8")
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), "-c", "pyproject.toml", str(tmp_path)]
    environment = os.environ | {"HOLDFAST_TESTS": run}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
    assert f"{passed} passed, 3 skipped" in done.stdout
    assert "\n3 skipped: no such package\n" in done.stdout
    assert ("3 left to the nightly run: HOLDFAST_TESTS=nightly" in done.stdout) is left_out


def test_the_benchmarks_run_save_and_compare(tmp_path: Path) -> None:
    saved = tmp_path / "run.json"

    def benchmarks(*words: str | Path) -> str:
        command = [sys.executable, "-m", "benchmarks", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        assert done.returncode == 0, done.stderr
        return done.stdout

    benchmarks("first_minute", "--quick", "--json", saved)
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
    monkeypatch.setattr("os.geteuid", lambda: user, raising=False)
    monkeypatch.setattr(make, "run", lambda *words: steps.append(words[4]) or 0)
    assert said in make.no_browser() and bool(said) == bool(make.no_browser())
    assert steps == installed * 2


def test_make_installs_again_only_when_its_inputs_change(
    make: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installs: list[str] = []
    compiled: list[str] = []
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
    monkeypatch.setattr(make, "run", lambda *command: compiled.append(command[-1]) or 0)
    make.set_up()
    make.set_up()
    make.set_up(("dev",))
    make.set_up()
    assert installs == [".", ".[dev]"]
    (tmp_path / "constraints.txt").write_text("b", encoding="utf-8")
    make.set_up()
    assert installs == [".", ".[dev]", ".[dev]"]
    assert compiled == ["compile"] * 3
