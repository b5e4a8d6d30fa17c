"""What all tests share."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from helpers.paths import missing_data

# How long nodes may take to join, at most.
RAY_SECONDS = 120
OBJECT_STORE = 100 << 20
PROCESSES = 2
# The same cases on every run, and however long they take: that says more of the machine than of the code.
settings.register_profile("factable", derandomize=True, database=None, deadline=None)
settings.load_profile("factable")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run whole folders of tests in two processes, where xdist is there and nothing else was asked for."""
    options = config.option
    if not config.pluginmanager.hasplugin("xdist") or "PYTEST_XDIST_WORKER" in os.environ:
        return
    wanted = any(Path(argument).is_dir() for argument in config.args) and not (
        options.usepdb or options.collectonly
    )
    if wanted and options.numprocesses is None and options.dist == "no":
        options.numprocesses, options.dist = PROCESSES, "loadgroup"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests whose shared data is not here, and keep together what must not run beside itself."""
    for item in items:
        for marker in item.iter_markers("data"):
            if reason := missing_data(marker.args):
                item.add_marker(pytest.mark.skip(reason=reason))
        # One cluster for all of them, and no two tests that count processes or fill the machine.
        if item.get_closest_marker("ray") or item.get_closest_marker("process"):
            item.add_marker(pytest.mark.xdist_group("processes"))


def pytest_collection_finish() -> None:
    """Spare the garbage collector what stays until the end: all that was imported for the tests."""
    gc.collect()
    gc.freeze()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Names of cases are short and the same in every process, as the content of files is not."""
    return argname if isinstance(val, bytes) or (isinstance(val, str) and len(val) > 100) else None


@pytest.fixture(scope="session", autouse=True)
def signals_have_handlers() -> Iterator[None]:
    """Processes that tests start get the usual signals, also where this one ignores some (nohup, `&`)."""
    ignored = [
        number
        for number in (signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGINT))
        if signal.getsignal(number) is signal.SIG_IGN
    ]
    for number in ignored:
        # A handler, unlike SIG_IGN, does not outlive exec.
        signal.signal(number, lambda *_: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(scope="session", autouse=True)
def answers_of_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep answers of models in a folder of this run: tests ask the same often, and leave nothing behind."""
    base = tmp_path_factory.getbasetemp()
    # The processes of xdist share what is above their own folders.
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "answers"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("FACTABLE_CACHE", str(folder))
        yield


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[Any]:
    """A Ray cluster with one node of one CPU, to which this process is connected.

    It takes long to start, so there is one for all tests; they may add nodes, and take them away again.
    """
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Where the workers find metrics that only tests have.
        here = Path(__file__).parent
        folders = [str(here), str(here / "scale"), os.environ.get("PYTHONPATH", "")]
        environment.setenv("PYTHONPATH", os.pathsep.join(filter(None, folders)))
        head = {"num_cpus": 1, "object_store_memory": OBJECT_STORE, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        try:
            ray.init(cluster.address, log_to_driver=False, logging_level="CRITICAL")
            yield cluster
        finally:
            ray.shutdown()
            cluster.shutdown()


@pytest.fixture(scope="session")
def add_ray_node(ray_cluster: Any) -> Any:
    """A function that adds a node of one CPU to the cluster."""

    def add() -> Any:
        node = ray_cluster.add_node(num_cpus=1, object_store_memory=OBJECT_STORE)
        ray_cluster.wait_for_nodes(timeout=RAY_SECONDS)
        return node

    return add
