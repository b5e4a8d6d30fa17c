"""The files and the command line behind METEOR: Java, the program and its paraphrase table."""

import gzip
import os
import shutil
import zlib
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from factable.errors import MissingExtraError, MissingProgramError, UsageError, printable
from factable.io.checksum import sha256_of

PACKAGE = "pycocoevalcap"
# The paraphrase table of the package, and none at all; anything else is a file.
PACKAGED, NONE = "package", "none"
# What each language has besides the paraphrase table.
MODULES = {
    "en": "exact stem synonym",
    "cz": "exact",
    "de": "exact stem",
    "es": "exact stem",
    "fr": "exact stem",
}
# The locale changes how Java lower-cases and reads its word lists; numbers must not depend on it. One
# collector thread takes little more than half the memory of Java's default, and leaves cores to others.
JAVA_OPTIONS = (
    "-Xmx2G",
    "-XX:+UseSerialGC",
    "-Dfile.encoding=UTF-8",
    "-Dstdout.encoding=UTF-8",
    "-Duser.language=en",
    "-Duser.country=US",
)


@dataclass(frozen=True, slots=True)
class Setting:
    """How the program is started: its language, whether it tokenises, and its paraphrase table."""

    language: str = "en"
    normalize: bool = True
    paraphrases: str = PACKAGED


def command(setting: Setting) -> list[str]:
    """What starts the program, which then answers on stdout what it reads on stdin."""
    # The program first: who lacks both is told of the extra.
    jar = find_jar()
    words = [find_java(), *JAVA_OPTIONS, "-jar", str(jar), "-", "-", "-stdio", "-l", setting.language]
    if setting.normalize:
        words.append("-norm")
    if setting.paraphrases == NONE:
        words += ["-m", MODULES[setting.language]]
    elif setting.paraphrases != PACKAGED:
        words += ["-a", os.path.abspath(setting.paraphrases)]
    return words


def find_java() -> str:
    """The `java` of JAVA_HOME, or else the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    java = (home and shutil.which("java", path=os.path.join(home, "bin"))) or shutil.which("java")
    if not java:
        remedy = "install it with: apt-get install default-jre-headless (Debian, Ubuntu), or set JAVA_HOME"
        raise MissingProgramError(f"meteor needs Java, and there is no java on PATH; {remedy}")
    return java


def find_jar() -> Path:
    """The program inside the package pycocoevalcap, which is not imported."""
    package = find_spec(PACKAGE)
    for folder in (package.submodule_search_locations or ()) if package else ():
        jar = Path(folder, "meteor", "meteor-1.5.jar")
        if jar.is_file():
            return jar
    raise MissingExtraError("meteor", "meteor")


def checksums(setting: Setting) -> dict[str, str]:
    """The sha256 of the program and of its paraphrase table."""
    jar = find_jar()
    found = {"jar": _checksum(jar)}
    if setting.paraphrases == PACKAGED:
        found["paraphrases"] = _checksum(jar.parent / "data" / "paraphrase-en.gz")
    elif setting.paraphrases != NONE:
        found["paraphrases"] = _checksum(Path(setting.paraphrases), unpack=True)
    return found


def _checksum(path: Path, *, unpack: bool = False) -> str:
    try:
        state = path.stat()
        return _digest(path, state.st_mtime_ns, state.st_size, unpack)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        remedy = f'give a table such as paraphrase-de.gz of METEOR 1.5, "{PACKAGED}" or "{NONE}"'
        raise UsageError(f"meteor: cannot read {printable(str(path))} ({reason}); {remedy}") from None


@lru_cache(maxsize=16)
def _digest(path: Path, _changed: int, _size: int, unpack: bool) -> str:
    """The sha256 of a file, kept while size and time stay; half a second for the English table."""
    if unpack:
        # Java goes on without paraphrases, and only murmurs on stderr, where the table is damaged.
        with gzip.open(path) as table:
            while table.read(1 << 20):
                pass
    return sha256_of(path)
