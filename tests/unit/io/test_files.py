"""Files: checksums as sha256sum prints them, and outputs that are whole or not there at all."""

import contextlib
import hashlib
import io
import os
import sys

import pytest

from factable.io import files
from factable.io.files import CHUNK_BYTES, open_output, remove_unfinished, sha256_of

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_published_value(tmp_path):
    (tmp_path / "abc").write_bytes(b"abc")
    assert sha256_of(tmp_path / "abc") == sha256_of(str(tmp_path / "abc")) == ABC


@pytest.mark.parametrize("size", [0, CHUNK_BYTES - 1, CHUNK_BYTES, 2 * CHUNK_BYTES + 1])
def test_any_size(tmp_path, size):
    content = bytes(number % 251 for number in range(size))
    (tmp_path / "data").write_bytes(content)
    assert sha256_of(tmp_path / "data") == hashlib.sha256(content).hexdigest()


def test_what_is_left_in_a_stream():
    stream = io.BytesIO(b"read abc")
    stream.read(5)
    assert sha256_of(stream) == ABC
    assert stream.tell() == 8


class Interrupt:
    """Raises KeyboardInterrupt at one of the steps of `open_output`, counted from 0, as Ctrl-C may."""

    def __init__(self, step):
        self.step = step
        self.steps = 0

    def __call__(self, frame, event, argument):
        if frame.f_code.co_filename not in (files.__file__, contextlib.__file__):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.steps += 1
            if self.steps == self.step + 1:
                raise KeyboardInterrupt
        return self

    def __enter__(self):
        sys.settrace(self)

    def __exit__(self, *_):
        sys.settrace(None)


# What is interrupted between opening and closing a stream, Python closes, and says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
def test_an_interrupt_at_any_step_leaves_no_file(tmp_path, name):
    """Each step is one instruction, from before the temporary file is made until after it has its name."""
    out = tmp_path / name
    step, interrupted = 0, True
    while interrupted:
        interrupt = Interrupt(step)
        try:
            with interrupt, open_output(out) as stream:
                stream.write(b"all")
            interrupted = False
        except KeyboardInterrupt:
            # As the command line does; whatever closes the file later has nothing left to do.
            remove_unfinished()
        left = [path.name for path in tmp_path.iterdir()]
        assert left in ([], [name]), step
        if left:
            assert out.stat().st_size >= 3
            out.unlink()
        step += 1
    assert step > 20
    assert not files._UNFINISHED


def test_permissions_are_those_of_any_new_file(tmp_path):
    with open_output(tmp_path / "out") as stream:
        stream.write(b"x")
    (tmp_path / "plain").touch()
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_two_outputs_of_one_name_do_not_meet(tmp_path):
    with open_output(tmp_path / "out") as first, open_output(tmp_path / "out") as second:
        first.write(b"first")
        second.write(b"second")
    assert os.listdir(tmp_path) == ["out"]
    assert (tmp_path / "out").read_bytes() == b"first"
