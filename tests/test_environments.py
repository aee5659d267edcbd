"""Dockerfile and conda environment: they ask for what pyproject.toml asks for, and their commands exist."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

#: Packages that conda-forge calls otherwise.
IN_CONDA = {"pin": "pinocchio"}


def requirement(text: str) -> tuple[str, str]:
    """Name and range of "numpy>=1.26", without conditions and extras of that package."""
    found = re.fullmatch(r"([A-Za-z0-9_-]+)\s*([<>=!~].*)?", text.partition(";")[0].strip())
    assert found is not None, text
    return found[1].lower(), found[2] or ""


def asked_for(extras: set[str]) -> dict[str, str]:
    """Name -> range of the dependencies with these extras; extras of Holdfast itself are followed."""
    found = dict(map(requirement, PROJECT["dependencies"])) if not extras else {}
    for extra in extras:
        for text in EXTRAS[extra]:
            own = re.fullmatch(r"holdfast\[(.*)\]", text)
            found |= asked_for(set(own[1].split(","))) if own else dict([requirement(text)])
    return found


def test_the_conda_environment_has_the_ranges_of_the_project_and_all_of_its_extras() -> None:
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert listed["name"] == PROJECT["name"]
    (by_pip,) = (entry["pip"] for entry in listed["dependencies"] if isinstance(entry, dict))
    by_conda = dict(requirement(entry) for entry in listed["dependencies"] if isinstance(entry, str))
    assert by_conda.pop("python") == PROJECT["requires-python"]
    assert by_conda.pop("pip") == ""
    wanted = asked_for(set()) | asked_for({"all"})
    wanted = {IN_CONDA.get(name, name): bounds for name, bounds in wanted.items()}
    assert {name: wanted.get(name) for name in by_conda} == by_conda
    (own,) = (re.fullmatch(r"\.\[(.*)\]", entry) for entry in by_pip if entry.startswith("."))
    others = dict(requirement(entry) for entry in by_pip if not entry.startswith("."))
    assert {name: wanted.get(name) for name in others} == others
    brought = asked_for(set()) | asked_for(set(own[1].split(",")))
    assert set(wanted) - set(by_conda) - set(others) - set(brought) == set()
    assert "pin" not in brought  # conda's Pinocchio would be there twice


def instructions() -> list[tuple[str, str]]:
    """Keyword and rest of each instruction of the Dockerfile, continued lines joined."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    parts = [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]
    assert all(len(part) == 2 for part in parts)
    return [(word, rest) for word, rest in parts]


def test_the_image_has_a_python_that_is_tested_and_runs_holdfast_not_as_root() -> None:
    steps = instructions()
    words = [word for word, _ in steps]
    assert words[0] == "FROM" and set(words) <= {"FROM", "RUN", "COPY", "USER", "WORKDIR", "ENV", "ENTRYPOINT", "CMD"}
    version = re.fullmatch(r"python:(3\.\d+)-slim", steps[0][1])
    assert version is not None
    matrix = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    assert version[1] in matrix["jobs"]["test"]["strategy"]["matrix"]["python"]
    rests = dict(steps)
    assert rests["USER"] != "root" and f"useradd --create-home {rests['USER']}" in " ".join(r for _, r in steps)
    assert words.index("USER") < words.index("ENTRYPOINT")
    (owned,) = (rest for rest in (r for _, r in steps) if f"chown {rests['USER']}" in rest)
    assert {rests["WORKDIR"], rests["ENV"].removeprefix("NUMBA_CACHE_DIR=")} <= set(owned.split())
    (program,) = json.loads(rests["ENTRYPOINT"])
    assert program in PROJECT["scripts"]
    assert isinstance(json.loads(rests["CMD"]), list)


def test_the_image_copies_files_that_exist_and_are_all_that_an_installation_needs() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    sent = {line[1:] for line in ignored if line.startswith("!")}
    assert ignored[1] == "*"  # after a comment: nothing but what follows
    copied = {name for word, rest in instructions() if word == "COPY" for name in rest.split()[:-1]}
    assert copied == sent
    assert all((ROOT / name).exists() for name in copied)
    needed = [PROJECT["readme"], *PROJECT["license-files"], "pyproject.toml", "constraints.txt", "src"]
    assert all(any(fnmatch(name, f"{one}*") for one in copied) for name in needed)
    (install,) = (rest for word, rest in instructions() if word == "RUN" and "pip install" in rest)
    extras = re.search(r'"/source\[(.*)\]"', install)
    assert extras is not None and set(extras[1].split(",")) <= set(EXTRAS)


def test_the_commands_of_the_image_exist(run) -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    whole = re.sub(r"\\\n#", "", text)  # comments of several lines
    shown = re.findall(r"^#\s+docker run .*? holdfast (.*)$", whole, re.MULTILINE)
    ran = [
        rest.removeprefix("holdfast ") for word, rest in instructions() if word == "RUN" and rest.startswith("holdfast")
    ]
    assert len(shown) == 3 and ran == ["compile"]
    for line in (*shown, *ran):
        command, *rest = shlex.split(line)
        help_text = run(command, "--help")
        assert help_text.exit_code == 0
        assert all(word in help_text.stdout for word in rest if word.startswith("--")), line
