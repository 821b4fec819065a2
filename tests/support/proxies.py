"""A proxy that reads a site as nginx does, for machines without one.

It knows the directives that the documentation uses, with nginx' own defaults for what they leave
out, and refuses a site with any other: it must not pass what nginx would have done otherwise.
"""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from servers import PATIENCE

HOP = frozenset(("connection", "keep-alive", "transfer-encoding", "content-length"))
"""Headers that are between two ends of one line."""
PASSED_OVER = frozenset(("listen", "server_name", "proxy_http_version"))


@dataclass(frozen=True)
class Site:
    """What a block `server` says."""

    upstream: str
    headers: Mapping[str, str]
    most: int

    @classmethod
    def read(cls, text: str) -> Site:
        """From the text of the block."""
        upstream, most = "", 2**20
        headers = {"host": "$proxy_host", "connection": "close"}
        for name, value in re.findall(r"^\s*(\w+) ([^{};\n]*);$", text, re.MULTILINE):
            if name == "proxy_pass":
                upstream = value
            elif name == "client_max_body_size":
                most = int(value.removesuffix("m")) * 2**20
            elif name == "proxy_set_header":
                header, _, said = value.partition(" ")
                headers[header.lower()] = said.strip('"')
            elif name not in PASSED_OVER:
                raise ValueError(f"the stand-in does not know {name!r}")
        return cls(upstream, headers, most)

    def passed(self, sent: Mapping[str, str]) -> dict[str, str]:
        """The headers that go on: as they came, but for those that are set; an empty one goes."""
        known = {
            "$http_host": sent.get("Host", ""),
            "$proxy_host": urlsplit(self.upstream).netloc,
            "$scheme": "http",
        }
        kept = {n.lower(): value for n, value in sent.items() if n.lower() not in HOP}
        made = {name: known[v] if v.startswith("$") else v for name, v in self.headers.items()}
        return {name: value for name, value in (kept | made).items() if value}


class _Passing(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Site

    def _pass(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if length > self.site.most:  # after it was read: who still writes may not read an answer
            self.send_error(413)
            return
        line = http.client.HTTPConnection(urlsplit(self.site.upstream).netloc, timeout=PATIENCE)
        try:
            line.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            headers = self.site.passed(dict(self.headers.items()))
            for name, value in {**headers, "content-length": str(length)}.items():
                line.putheader(name, value)
            line.endheaders(body)
            answer = line.getresponse()
            whole = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in HOP:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(whole)))
            self.end_headers()
            self.wfile.write(whole)
        finally:
            line.close()

    do_GET = do_POST = do_PUT = do_DELETE = _pass  # noqa: N815  (what http.server looks for)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is told."""


@contextmanager
def passing(site: str, port: int) -> Iterator[None]:
    """Serve a site on a port for as long as a block lasts."""
    handler = type("Handler", (_Passing,), {"site": Site.read(site)})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
