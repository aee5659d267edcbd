"""Every task of this repository as one command, on a machine with only Python 3.11+ and git.

    python3 make.py demo          set up, then run `holdfast demo`
    python3 make.py test          set up, then pass all gates: kernels compile, lint, format, types, layers, tests
    python3 make.py bench         set up, then run the benchmarks
    python3 make.py site          set up, then build the documentation site into build/site, without network
    python3 make.py browser       install Chromium, which drives the tests of the viewer, by Debian's packages
    python3 make.py constraints   resolve the dependencies again and rewrite constraints.txt
    python3 make.py clean         remove what these commands made

What follows `--` goes to the program behind the job: `python3 make.py test -- -k polytopes`.
Everything is installed into .venv; it is installed again only when its inputs have changed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "holdfast-install.json"
CONSTRAINTS = ROOT / "constraints.txt"
BUILD_BACKEND = "hatchling"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OLDEST = (3, 11)
#: Lines that the tests run, measured by sys.monitoring, which Python has from 3.12 on; tracing takes far longer.
COVERAGE = ("--cov=holdfast", "--cov-report=term:skip-covered")
MADE = (".venv", ".coverage", ".pytest_cache", ".ruff_cache", ".import_linter_cache", ".hypothesis", "build", "dist")
CONSTRAINTS_HEADER = """\
# Exact versions Holdfast {version} was tested with, for Python {python}: pip install -c constraints.txt .
# Written by `python3 make.py constraints`.
"""


class Failure(Exception):
    """A step cannot be done; the message says why and what to do."""


def program(venv: Path, name: str) -> Path:
    """The path of an installed program of `venv`."""
    return venv / "Scripts" / f"{name}.exe" if os.name == "nt" else venv / "bin" / name


def environment() -> dict[str, str]:
    """This environment, in which no packages from elsewhere leak in and compiled modules are kept."""
    unwanted = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE")
    return {key: value for key, value in os.environ.items() if key not in unwanted}


def run(*command: str | Path) -> int:
    """Run one command in the repository root, its output shown; the exit code."""
    return subprocess.run([str(part) for part in command], cwd=ROOT, env=environment(), check=False).returncode


def check_python() -> None:
    """Stop with advice when this Python cannot do it."""
    if sys.version_info < OLDEST:
        others = [name for name in ("python3.14", "python3.13", "python3.12", "python3.11") if shutil.which(name)]
        advice = f"run: {others[0]} make.py ..." if others else "install a newer Python and run make.py with it"
        have = ".".join(map(str, sys.version_info[:3]))
        raise Failure(f"Holdfast needs Python 3.11 or newer; this is {have} ({sys.executable}); {advice}")
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        raise Failure(
            f"this Python ({sys.executable}) has no {' and '.join(missing)}, which setting up .venv needs; "
            f"on Debian and Ubuntu install the package {package}, or run make.py with another Python"
        )


def create_venv(venv: Path) -> Path:
    """A new, empty environment; its Python."""
    if run(sys.executable, "-m", "venv", "--clear", venv):
        raise Failure(f"python -m venv failed (see above); remove {venv.name} and try again")
    return program(venv, "python")


def usable(venv: Path) -> bool:
    """Whether `venv` has a working Python of a fitting version with pip."""
    probe = f"import sys, pip; sys.exit(sys.version_info < {OLDEST})"
    command = [str(program(venv, "python")), "-c", probe]
    try:
        return subprocess.run(command, capture_output=True, env=environment(), check=False).returncode == 0
    except OSError:
        return False


def pip_install(python: Path, target: str, *options: str | Path) -> None:
    """Install the build backend, then `target` with it, so that the versions of both are under `options`."""
    pip = (python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *options)
    if run(*pip, BUILD_BACKEND) or run(*pip, "--no-build-isolation", "--editable", target):
        raise Failure("pip could not install the project (see above); is the package index within reach?")


def set_up(extras: tuple[str, ...] = ()) -> None:
    """Make .venv hold the project with `extras`, unless it already does."""
    check_python()
    inputs = hashlib.sha256(str(ROOT).encode())
    for path in (ROOT / "pyproject.toml", CONSTRAINTS):
        inputs.update(path.read_bytes())
    wanted = inputs.hexdigest()
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        stamp = {}
    fits = usable(VENV)
    if fits and stamp.get("inputs") == wanted and set(extras) <= set(stamp["extras"]):
        return
    start = time.perf_counter()
    if not fits or stamp.get("root", str(ROOT)) != str(ROOT):
        print("== creating .venv", flush=True)
        create_venv(VENV)
        stamp = {}
    STAMP.unlink(missing_ok=True)
    extras = tuple(sorted({*extras, *stamp.get("extras", ())}))
    print("== installing into .venv (a minute or so, the first time)", flush=True)
    pip_install(program(VENV, "python"), f".[{','.join(extras)}]" if extras else ".", "-c", CONSTRAINTS)
    STAMP.write_text(json.dumps({"inputs": wanted, "root": str(ROOT), "extras": extras}), encoding="utf-8")
    print("== compiling the kernels (a minute or so, the first time)", flush=True)
    run(program(VENV, "holdfast"), "compile")
    print(f"== installed in {time.perf_counter() - start:.0f} s", flush=True)


def no_browser() -> str:
    """Install Chromium by Debian's packages unless it is there; why it is still missing, or ""."""
    if os.environ.get("HOLDFAST_CHROMIUM") or any(map(shutil.which, CHROMIUM)):
        return ""
    if shutil.which("apt-get") is None:
        return "there is no Chromium and no apt-get: install Chromium and see that `chromium` is on the PATH"
    if getattr(os, "geteuid", lambda: 0)() != 0:  # Windows has no user numbers
        return "there is no Chromium and only root may install it: sudo apt-get install chromium"
    print("== installing Chromium by apt-get", flush=True)
    quiet = ("apt-get", "-qq", "-o", "Dpkg::Use-Pty=0")
    os.environ.setdefault("DEBIAN_FRONTEND", "noninteractive")
    if run(*quiet, "update") or run(
        *quiet, "install", "--yes", "--no-install-recommends", "chromium", "fonts-liberation"
    ):
        return "apt-get could not install Chromium (see above)"
    return ""


def demo(rest: list[str]) -> int:
    """Run the main job."""
    set_up(("plot",))
    return run(program(VENV, "holdfast"), "demo", *rest)


def test(rest: list[str]) -> int:
    """Run every gate, also after one has failed; 1 when any failed."""
    set_up(("all", "dev", "docs"))
    if missing := no_browser():
        print(f"== the tests in a browser will be skipped: {missing}", flush=True)
    python = program(VENV, "python")
    gates: dict[str, tuple[str | Path, ...]] = {
        "kernels": (program(VENV, "holdfast"), "compile"),  # once, not by every process of the tests
        "lint": (program(VENV, "ruff"), "check"),
        "format": (program(VENV, "ruff"), "format", "--check"),
        "types": (program(VENV, "basedpyright"), "--pythonpath", python),
        "layers": (program(VENV, "lint-imports"),),
        "tests": (python, "-m", "pytest", "-n", "2", *(COVERAGE if sys.version_info >= (3, 12) else ()), *rest),
    }
    outcome: dict[str, tuple[int, float]] = {}
    for name, command in gates.items():
        words = [part.name if isinstance(part, Path) else part for part in command]
        print(f"\n== {name}: {' '.join(words)}", flush=True)
        start = time.perf_counter()
        outcome[name] = run(*command), time.perf_counter() - start
    print("\n== summary")
    for name, (code, seconds) in outcome.items():
        print(f"{name:8} {'passed' if code == 0 else f'FAILED (exit code {code})'}  {seconds:.1f} s")
    failed = [name for name, (code, _) in outcome.items() if code]
    print(f"FAILED: {', '.join(failed)}" if failed else "all gates passed", flush=True)
    return 1 if failed else 0


def bench(rest: list[str]) -> int:
    """Run the benchmarks."""
    set_up(("all",))
    return run(program(VENV, "python"), "-m", "benchmarks", *rest)


def site(rest: list[str]) -> int:
    """Build the documentation site, a warning being an error; then check its links, and that nothing is fetched."""
    set_up(("all", "docs"))
    target, trees = ROOT / "build" / "site", ROOT / "build" / "site-trees"
    shutil.rmtree(target, ignore_errors=True)  # no page of an older build stays
    python = program(VENV, "python")
    build = (python, "-m", "sphinx", "-E", "-W", "--keep-going", "-q", "-b", "html", "-d", trees, *rest, "docs", target)
    code = run(*build) or run(python, ROOT / "tools" / "check_site.py", target)
    if code == 0:
        print(f"open {(target / 'index.html').relative_to(ROOT)}")
    return code


def browser(rest: list[str]) -> int:
    """Install the browser of the viewer's tests."""
    if missing := no_browser():
        raise Failure(missing)
    print("Chromium is there")
    return 0


def constraints(rest: list[str]) -> int:
    """Install without constraints into a temporary environment and write down the versions that were chosen."""
    check_python()
    with tempfile.TemporaryDirectory() as folder:
        python = create_venv(Path(folder) / "venv")
        pip_install(python, ".[all,dev,docs]", *rest)
        pip_list = [str(python), "-m", "pip", "list", "--format=json", "--disable-pip-version-check"]
        listed = subprocess.run(pip_list, cwd=ROOT, env=environment(), check=True, capture_output=True, text=True)
    found = {entry["name"]: entry["version"] for entry in json.loads(listed.stdout)}
    header = CONSTRAINTS_HEADER.format(version=found.pop("holdfast"), python=".".join(map(str, sys.version_info[:2])))
    # pip and setuptools belong to the environment; what follows a "+" belongs to one machine.
    lines = [
        f"{name}=={found[name].split('+')[0]}\n"
        for name in sorted(found, key=str.lower)
        if name not in ("pip", "setuptools")
    ]
    CONSTRAINTS.write_text(header + "".join(lines), encoding="utf-8")
    print(f"wrote {CONSTRAINTS.name}: {len(lines)} packages")
    return 0


def clean(rest: list[str]) -> int:
    """Remove the environment, the caches and the built files."""
    tops = ("src", "tests", "studies", "benchmarks", "docs", "tools")
    caches = [path for top in tops for path in (ROOT / top).rglob("__pycache__")]
    for path in [*(ROOT / name for name in MADE), *caches]:
        if path.exists():
            print(f"removing {path.relative_to(ROOT)}")
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return 0


def main() -> int:
    """Parse, do the job, return its exit code."""
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    jobs = {
        "demo": demo,
        "test": test,
        "bench": bench,
        "site": site,
        "browser": browser,
        "constraints": constraints,
        "clean": clean,
    }
    parser = argparse.ArgumentParser(
        prog="make.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("job", choices=jobs)
    job = parser.parse_args(words[:split]).job
    try:
        return jobs[job](words[split + 1 :])
    except Failure as failure:
        print(f"make.py: {failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
