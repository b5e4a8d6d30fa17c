"""What tests of commands share: input files, and results read back."""

import json


def write(path, lines):
    """A file of JSON lines."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def document(result):
    """The JSON that a command printed, and nothing else."""
    assert result.stderr == b""
    assert result.returncode == 0
    return json.loads(result.stdout)
