"""What all tests share."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

OBJECT_STORE = 100 << 20
# How long a case takes says more of the machine than of the code.
settings.register_profile("factable", deadline=None)
settings.load_profile("factable")


@pytest.fixture(scope="session", autouse=True)
def answers_of_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep answers of models in a folder of this run: tests ask the same often, and leave nothing behind."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("FACTABLE_CACHE", str(tmp_path_factory.mktemp("answers")))
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
        folders = [str(Path(__file__).parent / "scale"), os.environ.get("PYTHONPATH", "")]
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
        ray_cluster.wait_for_nodes()
        return node

    return add
