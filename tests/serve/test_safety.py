"""Safe by default: who gets in, from where, and what nobody gets."""

import hmac
import re
import socket
from contextlib import contextmanager

import httpx
import pytest

from factable.errors import UsageError
from factable.serve import security
from factable.serve.metrics import parse_metrics
from factable.serve.pages import ASSETS
from factable.serve.security import RateLimit, host_name
from factable.serve.settings import Settings
from helpers.serving import serving

TOKEN = "a-token-that-is-long-enough"
REQUEST = {"data": {"a": "b"}, "text": "b"}
JSON = {"Content-Type": "application/json"}
PAGES = ("/", "/login")


@pytest.fixture(scope="module")
def locked():
    """A server with a token."""
    with asking(token=TOKEN) as client:
        yield client


@contextmanager
def asking(**options):
    """A client of a server with these settings."""
    with serving(**options) as running, httpx.Client(base_url=running.url, timeout=60) as client:
        yield client


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org"])
def test_other_machines_need_a_token(host):
    assert Settings().host == "127.0.0.1"
    with pytest.raises(UsageError, match="token"):
        Settings(host=host)
    with pytest.raises(UsageError, match="at least 16"):
        Settings(host=host, token="short")
    with pytest.raises(UsageError, match="header"):
        Settings(host=host, token="with blanks and more of them")
    assert Settings(host=host, token=TOKEN).host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_needs_none(host):
    assert Settings(host=host).token == ""


def test_only_loopback_listens(server):
    port = httpx.URL(server.url).port
    own = [info[4][0] for info in socket.getaddrinfo(socket.gethostname(), port, family=socket.AF_INET)]
    for address in set(own) - {"127.0.0.1", "127.0.1.1"}:
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address, port), timeout=5)


@pytest.mark.parametrize("path", ["/v1/metrics", "/v1/openapi.json", "/metrics", "/corpus", "/v1/nothing"])
def test_everything_but_login_and_health_asks_for_the_token(locked, path):
    assert locked.get(path).status_code == 401
    assert locked.get(path, headers={"Authorization": "Bearer wrong"}).status_code in (401, 429)
    assert locked.get(path, headers={"Authorization": f"Bearer {TOKEN}"}).status_code in (200, 404)


def test_what_needs_no_token_tells_nothing(locked):
    assert locked.get("/healthz").json().keys() == {"ok"}
    assert locked.get("/login").status_code == 200
    assert locked.get("/static/base.css").status_code == 200
    page = locked.get("/", headers={"Accept": "text/html"})
    assert (page.status_code, page.headers["location"]) == (303, "/login")


def test_a_browser_gets_a_session_for_the_token(locked):
    answer = locked.post("/session", json={}, headers={"Authorization": f"Bearer {TOKEN}"})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    value = re.search("factable=([^;]+)", cookie)[1]
    locked.cookies.clear()
    assert locked.get("/", headers={"Cookie": f"factable={value}"}).status_code == 200
    forged = value[:-1] + ("0" if value[-1] != "0" else "1")
    assert locked.get("/", headers={"Cookie": f"factable={forged}"}).status_code in (401, 429)


def test_guessing_tokens_is_slow():
    with asking(token=TOKEN) as client:
        tries = [client.get("/", headers={"Authorization": f"Bearer {number}"}) for number in range(40)]
        assert [each.status_code for each in tries[:10]] == [401] * 10
        refused = [each for each in tries if each.status_code == 429]
        assert int(refused[-1].headers["retry-after"]) >= 1
        # Whoever has the token is not held up by those who guess.
        assert client.get("/", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_tokens_are_compared_in_constant_time(locked, monkeypatch):
    compared = []

    def compare(given, expected):
        compared.append(given)
        return compare_digest(given, expected)

    compare_digest = hmac.compare_digest
    monkeypatch.setattr(security.hmac, "compare_digest", compare)
    locked.get("/", headers={"Authorization": f"Bearer {TOKEN[:-1]}"})
    assert TOKEN[:-1].encode() in compared


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "a b"]
)
def test_a_name_that_points_here_is_refused(client, host):
    """DNS rebinding: a page of evil.example lets that name lead to 127.0.0.1."""
    assert client.get("/", headers={"Host": host}).status_code in (400, 421)


@pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:8765", "10.0.0.7"])
def test_addresses_and_localhost_are_no_such_names(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


def test_names_can_be_allowed():
    with asking(allowed_hosts=("Check.Example.org",)) as client:
        assert client.get("/", headers={"Host": "check.example.org"}).status_code == 200
        assert client.get("/", headers={"Host": "other.example.org"}).status_code == 421


def test_ports_are_no_part_of_a_name():
    names = ["a.b:80", "a.b", "[::1]:80", "[::1]", "1.2.3.4:5"]
    assert list(map(host_name, names)) == ["a.b", "a.b", "::1", "::1", "1.2.3.4"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_pages_of_other_sites_cannot_ask(client, headers):
    assert client.post("/v1/check", json=REQUEST, headers=headers).status_code == 403


def test_a_link_from_another_site_opens_a_page(client):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=headers).status_code == 200


def test_our_own_pages_may_ask(server, client):
    assert client.post("/v1/check", json=REQUEST, headers={"Origin": server.url}).status_code == 200
    assert "access-control-allow-origin" not in client.get("/v1/metrics").headers


@pytest.mark.parametrize(
    "given", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None]
)
def test_what_a_form_can_send_is_refused(client, given):
    headers = {"Content-Type": given} if given else {}
    assert client.post("/v1/check", content=b'{"data": 1}', headers=headers).status_code == 415


@pytest.mark.parametrize("path", [*PAGES, "/static/base.css", "/v1/metrics", "/nowhere"])
def test_every_response_has_a_strict_policy(client, path):
    headers = client.get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] in ("no-store", "no-cache")


@pytest.mark.parametrize("path", PAGES)
def test_pages_have_nothing_inline(client, path):
    page = client.get(path).text
    assert not re.findall(r"<script(?![^>]* src=)|<style|\bon\w+=|\bstyle=|javascript:", page)
    assert not re.findall(r'(?:src|href)="(?!/|#)', page)


def test_scripts_never_make_markup_of_text():
    scripts = b"".join(asset.content for name, asset in ASSETS.items() if name.endswith(".js"))
    assert not re.findall(
        rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", scripts
    )


@pytest.mark.parametrize(
    "name",
    ["..%2f..%2fapp.py", "%2e%2e/app.py", "..\\app.py", "%2fetc%2fpasswd", "frame.html%00", "nothing.js"],
)
def test_there_is_no_way_to_other_files(client, name):
    assert client.get(f"/static/{name}").status_code == 404


def test_requests_cannot_name_files_or_models_or_code(client, tmp_path):
    secret, code = tmp_path / "counts.json", tmp_path / "mine.py"
    secret.write_text("secret")
    code.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    for metric in (
        f"{code}:Metric",
        f'parent(counts="{secret}")',
        f'ledger(weights="{secret}")',
        'ledger(templates="/etc/passwd")',
        'nli(model="someone/model")',
        f'rg(extractor="{secret}")',
        f'questeval(writer="{tmp_path}")',
        "judge",
        'judge(url="http://127.0.0.1:1/v1")',
    ):
        answer = client.post(
            "/v1/score",
            params={"metric": metric},
            content="{}\n",
            headers={"Content-Type": "application/x-ndjson"},
        )
        assert answer.status_code == 422, metric
        assert "secret" not in answer.json()["error"]
    assert not (tmp_path / "ran").exists()
    assert client.post("/v1/check", json={**REQUEST, "model": str(tmp_path)}).status_code == 422
    at = f"@{secret}"
    assert "secret" not in client.post("/v1/check", json={**REQUEST, "data": at}).text.replace(
        str(secret), ""
    )


def test_metrics_of_the_command_line_may_name_files():
    with pytest.raises(UsageError, match="--metric"):
        parse_metrics(['aligner(patterns="e2e")'])
    assert parse_metrics(['aligner(patterns="e2e")'], ('aligner(patterns="e2e")',))
    # A default is no choice.
    assert parse_metrics(['slot_error(patterns="e2e")'])


def test_clients_have_a_rate():
    limit = RateLimit(2.0, 4.0)
    assert [limit.wait("a", now=0.0) for _ in range(4)] == [0.0] * 4
    assert limit.wait("a", now=0.0) == pytest.approx(0.5)
    assert limit.wait("b", now=0.0) == 0.0
    assert limit.wait("a", now=1.0) == 0.0
    assert RateLimit(0.0, 0.0).wait("a") == 0.0


def test_too_many_requests_are_told_to_wait():
    with asking(rate=1.0) as client:
        refused = [each for each in ask_as_others(client) if each.status_code == 429]
        # Nor does it help to claim another address in a header that no proxy of ours wrote.
        assert refused
        assert refused[0].headers["retry-after"] == "1"


def test_the_address_of_a_client_comes_from_known_proxies():
    with asking(rate=1.0, proxies=("127.0.0.1",), token=TOKEN) as client:
        assert {each.status_code for each in ask_as_others(client)} == {200}
        headers = {"X-Forwarded-Proto": "https", "Authorization": f"Bearer {TOKEN}"}
        # Behind a proxy with TLS, the cookie is for TLS alone.
        assert "Secure" in client.post("/session", json={}, headers=headers).headers["set-cookie"]


def ask_as_others(client):
    addresses = ({"X-Forwarded-For": f"203.0.113.{number}"} for number in range(20))
    return [client.get("/static/base.css", headers=each) for each in addresses]
