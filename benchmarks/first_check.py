"""The first `factable.check` of a process, with and without cached answers, and later ones: processor time.

python benchmarks/first_check.py

Each first check is made in a new process, the least of three; `import numpy` alone is timed beside it, to
tell how busy the machine is.
"""

import os
import subprocess
import sys
import tempfile

CHECK = """
import resource, factable
def spent():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
factable.check({"name": "Ada", "born": "1990"}, "Ada was born in 1990.")
first = spent()
for year in range(1950, 1960):
    factable.check({"name": "Bob", "born": str(year)}, f"Bob was born in {year}.")
print(first, (spent() - first) / 10)
"""
NUMPY = "import resource, numpy; print(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]), 0)"


def run(code: str, cache: str) -> tuple[float, float]:
    """The two numbers that a new process prints."""
    environment = os.environ | {"FACTABLE_CACHE": cache}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
    first, later = map(float, done.stdout.split())
    return first, later


def main() -> None:
    """Print the figures."""
    new, cached, bare = [], [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            new.append(run(CHECK, cache))
            cached.append(run(CHECK, cache))
            bare.append(run(NUMPY, cache))
    print(f"import numpy alone      {min(bare)[0]:.2f} s")
    later = min(later for _, later in new)
    print(f"first check             {min(new)[0]:.2f} s, later ones {1000 * later:.0f} ms")
    print(f"first check, cached     {min(cached)[0]:.2f} s")


if __name__ == "__main__":
    main()
