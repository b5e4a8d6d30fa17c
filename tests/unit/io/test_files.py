"""Checksums: those that sha256sum prints, for files of any size and for what is left in a stream."""

import hashlib
import io

import pytest

from factable.io.files import CHUNK_BYTES, sha256_of

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
