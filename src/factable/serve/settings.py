"""What a server was asked to do, checked once before it starts."""

import ipaddress
from dataclasses import dataclass

from factable.errors import UsageError

MIN_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of `factable serve`; the defaults are those of the command line.

    `files` are the files and folders that may be opened, `annotations` the database of annotations, `metrics`
    specs that requests may name besides those without files. Times are seconds, sizes bytes; `rate` is
    requests per second and client, 0 for no limit.
    """

    files: tuple[str, ...] = ()
    annotations: str = ""
    metrics: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8765
    token: str = ""
    allowed_hosts: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    workers: int = 1
    max_waiting: int = 1024
    timeout: float = 60.0
    rate: float = 100.0
    log: str = "off"

    def __post_init__(self) -> None:
        if not self.token and not is_loopback(self.host):
            raise UsageError(
                f"`host` {self.host} can be reached from other machines, and there is no `token`; "
                "set FACTABLE_TOKEN to a secret of your own, or serve on 127.0.0.1"
            )
        if self.token and len(self.token) < MIN_TOKEN:
            raise UsageError(f"`token` has {len(self.token)} characters; use at least {MIN_TOKEN}")
        if not (self.token.isascii() and self.token.isprintable()) or " " in self.token:
            raise UsageError("`token` has characters that no header can carry; use letters and digits")


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
