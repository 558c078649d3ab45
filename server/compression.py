"""Compression for clients that accept gzip (RFC 9110, 12.5.3), and static responses that are compressed only once."""

import gzip
import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache

from flask import Response, request
from werkzeug.http import parse_accept_header


@dataclass(frozen=True)
class Packed:
    """The bytes of a static response and their media type."""

    kind: str
    plain: bytes
    etag: str

    @cached_property
    def packed(self) -> bytes:
        """Return `plain`, compressed on first use. Compressing everything at startup would take half a second."""
        return gzip.compress(self.plain, mtime=0)

    def answer(self) -> Response:
        """Return the response in the encoding that the request accepts, with that encoding's ETag. Conditional headers
        in the request are ignored."""
        is_packed = accepts_gzip()
        response = Response(self.packed if is_packed else self.plain, mimetype=self.kind)
        response.headers["Vary"] = "Accept-Encoding"
        if is_packed:
            response.content_encoding = "gzip"
        response.set_etag(f"{self.etag}-gzip" if is_packed else self.etag)
        return response


def accepts_gzip() -> bool:
    """Return whether the client accepts a compressed response."""
    return _accepts_gzip(request.headers.get("Accept-Encoding", ""))


@lru_cache  # a client sends the same header with each request
def _accepts_gzip(header: str) -> bool:
    return parse_accept_header(header).quality("gzip") > 0


def pack(kind: str, plain: bytes) -> Packed:
    return Packed(kind, plain, hashlib.sha256(plain).hexdigest()[:20])
