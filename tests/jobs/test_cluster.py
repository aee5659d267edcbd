"""A Dask scheduler and two workers as processes of their own, on this machine."""

from __future__ import annotations

import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from holdfast.errors import InputError, MissingDependencyError, WorkerError
from holdfast.jobs import cluster as module
from holdfast.jobs import sweep

pytest.importorskip("distributed")

ROOT = Path(__file__).resolve().parents[2]
QUERIES = list(range(60))
CONNECT_SECONDS = module.CONNECT_SECONDS


@dataclass
class Cluster:
    """Processes of a cluster: its scheduler first."""

    folder: Path
    address: str = ""
    scheduler: subprocess.Popen[bytes] | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, kind: str, *words: object) -> subprocess.Popen[bytes]:
        paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        command = [sys.executable, "-m", f"distributed.cli.{kind}", *map(str, words), "--no-dashboard"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, env=environment, cwd=self.folder, **quiet)

    def start_scheduler(self) -> None:
        file = self.folder / f"scheduler-{time.monotonic_ns()}.json"
        self.scheduler = self.start("dask_scheduler", "--host", "127.0.0.1", "--port", 0, "--scheduler-file", file)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                self.address = json.loads(file.read_text())["address"]
            except (OSError, ValueError):
                time.sleep(0.05)
            else:
                return
        pytest.fail("the scheduler did not start")

    def start_worker(self) -> None:
        words = ["--host", "127.0.0.1", "--nthreads", 1, "--no-nanny", "--local-directory", self.folder]
        self.workers.append(self.start("dask_worker", self.address, *words))

    def stop(self) -> None:
        for process in [*self.workers, *([self.scheduler] if self.scheduler else [])]:
            process.kill()
            process.wait()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine starts and asks the processes of a cluster slowly."""
    monkeypatch.setattr(module, "CONNECT_SECONDS", 60.0)
    monkeypatch.setattr(module, "WORKERLESS_SECONDS", 300.0)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.start_scheduler()
        made.start_worker()
        made.start_worker()
        yield made
    finally:
        made.stop()


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[Cluster]:
    """One that a test may break: its workers are not started yet."""
    made = Cluster(tmp_path)
    try:
        made.start_scheduler()
        yield made
    finally:
        made.stop()


def tripled():
    factor = 3

    def task(x: int) -> dict[str, object]:
        return {"value": factor * x, "third": x / 3}

    return task


def slow(x: int) -> dict[str, object]:
    time.sleep(0.03)
    return {"value": 3 * x, "third": x / 3}


def bytes_of_one_core(folder: Path, task=None) -> bytes:
    sweep(task or tripled(), QUERIES, journal=folder / "alone", key="k")
    return (folder / "alone").read_bytes()


def test_a_cluster_leaves_the_bytes_of_one_core(cluster, tmp_path):
    calls: list[tuple[int, int]] = []
    results = sweep(
        tripled(),
        QUERIES,
        cluster=cluster.address,
        journal=tmp_path / "j",
        key="k",
        progress=lambda *c: calls.append(c),
    )
    assert results == sweep(tripled(), QUERIES)
    assert (tmp_path / "j").read_bytes() == bytes_of_one_core(tmp_path)
    assert [done for done, _ in calls] == list(range(61))


def test_chunks_go_to_a_cluster_whole(cluster, tmp_path):
    class Batched:
        batch = 7

        def many(self, queries):
            return [{"value": x, "first": queries[0]} for x in queries]

    sweep(Batched(), QUERIES, cluster=cluster.address, journal=tmp_path / "j", key="k")
    assert (tmp_path / "j").read_bytes() == bytes_of_one_core(tmp_path, Batched())


def test_a_finished_sweep_asks_no_cluster(tmp_path):
    before = bytes_of_one_core(tmp_path)
    sweep(tripled(), QUERIES, journal=tmp_path / "alone", key="k", cluster="tcp://127.0.0.1:1")
    assert (tmp_path / "alone").read_bytes() == before


def test_an_error_of_the_task_comes_through_with_its_query(cluster, tmp_path):
    def task(x):
        if x == 41:
            raise ArithmeticError("forty-one")
        return {"value": x}

    with pytest.raises(ArithmeticError, match="forty-one") as caught:
        sweep(task, QUERIES, cluster=cluster.address, journal=tmp_path / "j")
    assert caught.value.__notes__ == ["raised for queries[41]"]
    asked = []
    sweep(lambda x: asked.append(x) or {"value": x}, QUERIES, journal=tmp_path / "j")
    assert 41 in asked
    assert len(asked) < 60


def test_what_cannot_travel_is_told(cluster):
    lock = threading.Lock()
    with pytest.raises(InputError, match="cannot be sent to another process"):
        sweep(lambda x: {"held": lock.locked()}, QUERIES, cluster=cluster.address)


def test_a_chunk_the_cluster_cannot_run_is_named_and_the_others_are_saved(cluster, tmp_path, monkeypatch):
    """As when a worker cannot import what it is sent, or dies of it again and again."""
    run = module._run

    def broken(queries, chunk, parcel):
        if chunk.start == 17:
            raise ImportError("there is no holdfast here")
        return run(queries, chunk, parcel)

    monkeypatch.setattr(module, "_run", broken)
    with pytest.raises(WorkerError, match="no holdfast here") as caught:
        sweep(tripled(), QUERIES, cluster=cluster.address, journal=tmp_path / "j", key="k")
    assert caught.value.where == "queries[17]"
    assert isinstance(caught.value.__cause__, ImportError)
    asked = []
    sweep(lambda x: asked.append(x) or tripled()(x), QUERIES, journal=tmp_path / "j", key="k")
    assert 17 in asked
    assert 0 not in asked
    assert (tmp_path / "j").read_bytes() == bytes_of_one_core(tmp_path)


def test_other_versions_on_the_cluster_are_no_noise(cluster, monkeypatch, capfd):
    from distributed import versions

    monkeypatch.setattr(versions, "error_message", lambda *_: {"warning": "other versions", "error": ""})
    assert sweep(tripled(), QUERIES[:2], cluster=cluster.address) == sweep(tripled(), QUERIES[:2])
    assert capfd.readouterr() == ("", "")


def test_few_chunks_are_under_way_at_once(cluster, monkeypatch):
    monkeypatch.setattr(module, "CHUNKS_PER_THREAD", 2)
    under_way, submit = [], module._Run.submit

    def counted(self, packed):
        submit(self, packed)
        under_way.append(len(self.chunks))

    monkeypatch.setattr(module._Run, "submit", counted)
    assert len(sweep(tripled(), QUERIES, cluster=cluster.address)) == 60
    assert max(under_way) <= 4


def test_an_interrupt_leaves_a_journal_to_go_on_from_and_a_cluster_for_others(cluster, tmp_path):
    def interrupt(done, total):
        if done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(slow, QUERIES, cluster=cluster.address, journal=tmp_path / "j", key="k", progress=interrupt)
    sweep(tripled(), QUERIES, cluster=cluster.address, journal=tmp_path / "j", key="k")
    assert (tmp_path / "j").read_bytes() == bytes_of_one_core(tmp_path)


def test_a_worker_killed_in_the_middle_loses_and_doubles_nothing(cluster, tmp_path):
    killed: list[int] = []
    counts: list[int] = []

    def progress(done, total):
        counts.append(done)
        if done >= 15 and not killed:
            killed.append(cluster.workers[0].pid)
            cluster.workers[0].send_signal(signal.SIGKILL)

    results = sweep(slow, QUERIES, cluster=cluster.address, journal=tmp_path / "j", key="k", progress=progress)
    assert cluster.workers[0].wait(timeout=60) == -signal.SIGKILL
    assert results == sweep(tripled(), QUERIES)
    assert counts == list(range(61))  # each result counted once
    assert (tmp_path / "j").read_bytes() == bytes_of_one_core(tmp_path)
    cluster.start_worker()


def test_a_scheduler_that_dies_is_told_and_saved_work_is_kept(own_cluster, tmp_path):
    own_cluster.start_worker()

    def progress(done, total):
        if done == 10:
            own_cluster.scheduler.send_signal(signal.SIGKILL)

    with pytest.raises(WorkerError, match="scheduler was lost") as caught:
        sweep(slow, QUERIES, cluster=own_cluster.address, journal=tmp_path / "j", key="k", progress=progress)
    assert caught.value.where == own_cluster.address
    asked = []
    sweep(lambda x: asked.append(x) or tripled()(x), QUERIES, journal=tmp_path / "j", key="k")
    assert len(asked) <= 50
    assert (tmp_path / "j").read_bytes() == bytes_of_one_core(tmp_path)


def test_a_cluster_without_workers_is_told(own_cluster, monkeypatch):
    monkeypatch.setattr(module, "WORKERLESS_SECONDS", 0.5)
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.2)
    with pytest.raises(WorkerError, match="no workers"):
        sweep(tripled(), QUERIES, cluster=own_cluster.address)


# -- a cluster that is not there ----------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    assert CONNECT_SECONDS <= 10.0
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)


def unused_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.mark.usefixtures("impatient")
def test_a_cluster_that_is_not_there_is_told(tmp_path, capfd):
    address = f"tcp://127.0.0.1:{unused_port()}"
    with pytest.raises(WorkerError, match="no Dask scheduler answers") as caught:
        sweep(tripled(), QUERIES, cluster=address, journal=tmp_path / "j", key="k")
    assert caught.value.where == address
    assert caught.value.fix
    assert capfd.readouterr() == ("", "")
    sweep(tripled(), QUERIES, journal=tmp_path / "j", key="k")
    assert (tmp_path / "j").read_bytes() == bytes_of_one_core(tmp_path)


@pytest.mark.usefixtures("impatient")
def test_a_server_that_is_no_scheduler_is_told():
    class Silent(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Silent) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(WorkerError, match="no Dask scheduler answers"):
            sweep(tripled(), QUERIES, cluster=f"tcp://127.0.0.1:{server.server_port}")
        server.shutdown()


@pytest.mark.parametrize(
    "address",
    [
        "",
        "localhost",
        "localhost:8786",
        "tcp://",
        "tcp://localhost",
        "http://localhost:1",
        "tcp://h:port",
        "tcp://h:99999",
        8786,
        b"x",
    ],
)
def test_an_address_of_another_form_is_refused_before_anything_else(tmp_path, address):
    with pytest.raises(InputError, match="cluster") as caught:
        sweep(tripled(), QUERIES, cluster=address, journal=tmp_path / "j")
    assert "tcp://host:port" in caught.value.fix
    assert list(tmp_path.iterdir()) == []


def test_addresses_as_schedulers_print_them_are_taken():
    for address in ("tcp://10.0.0.1:8786", "tls://host.example:8786", "tcp://[::1]:8786"):
        assert module.checked_address(address) == address


def test_without_dask_the_extra_to_install_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingDependencyError, match=r"holdfast\[cluster\]"):
        sweep(tripled(), QUERIES, cluster="tcp://127.0.0.1:8786")
