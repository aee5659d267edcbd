"""`holdfast sweep`: round the circle, saved as it goes, resumed."""

from __future__ import annotations

import json

import pytest


def test_the_block_stands_only_while_gravity_presses_it_down(run_json) -> None:
    code, data = run_json("sweep", "@block_on_three_points", "--n", "8", "--verdicts")
    assert code == 1 and data["n"] == 8
    statuses = [result["status"] for result in data["results"]]
    assert statuses[0] == "holds" and statuses[4] == "does not hold"
    assert data["holding"] + data["failing"] + data["undecided"] == 8
    assert all(result["proof_verified"] for result in data["results"])


def test_a_sweep_resumes_from_its_journal_with_the_same_results(run_json, hooks, tmp_path) -> None:
    journal = tmp_path / "sweep.jsonl"
    _, whole = run_json("sweep", hooks, "--n", "6", "--save", journal)
    lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    journal.write_text("".join(lines[:3]) + lines[3][:10], encoding="utf-8")  # killed in the middle of a line
    _, resumed = run_json("sweep", hooks, "--n", "6", "--save", journal)
    assert resumed["results"] == whole["results"]
    assert len(journal.read_text(encoding="utf-8").splitlines()) == len(lines)


def test_a_journal_of_another_sweep_is_refused(run, run_json, hooks, tmp_path) -> None:
    journal = tmp_path / "sweep.jsonl"
    run_json("sweep", hooks, "--n", "3", "--save", journal)
    result = run("sweep", hooks, "--n", "4", "--save", journal)
    assert result.exit_code == 2 and "another sweep" in result.stderr


def test_ctrl_c_tells_how_to_go_on(run, hooks, tmp_path, monkeypatch) -> None:
    import holdfast.holding

    calls = []

    def stop(*args, **kwargs):
        calls.append(1)
        raise KeyboardInterrupt

    monkeypatch.setattr(holdfast.holding, "equilibrium", stop)
    result = run("sweep", hooks, "--n", "3", "--save", tmp_path / "s.jsonl")
    assert calls and result.exit_code == 130 and "run the same command again" in result.stderr
    header = json.loads((tmp_path / "s.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert header["holdfast"] == "sweep"


def test_a_polar_picture_is_written(run, tmp_path) -> None:
    run("sweep", "@block_on_three_points", "--n", "4", "--plot", tmp_path / "polar.png")
    assert (tmp_path / "polar.png").stat().st_size > 5_000


@pytest.mark.parametrize("n", ["0", "-3", "1000000000"])
def test_an_absurd_number_of_directions_is_bad_input(run, hooks, n) -> None:
    result = run("sweep", hooks, "--n", n)
    assert result.exit_code == 2
