"""Static responses, compressed once for clients that accept gzip (RFC 9110, 12.5.3)."""

import gzip
import hashlib
from dataclasses import dataclass
from functools import cached_property

from flask import Response, request


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
        """Return the response in the encoding that the request accepts, with that encoding's ETag. The request's
        conditions are ignored."""
        is_packed = request.accept_encodings.quality("gzip") > 0
        response = Response(self.packed if is_packed else self.plain, mimetype=self.kind)
        response.headers["Vary"] = "Accept-Encoding"
        if is_packed:
            response.content_encoding = "gzip"
        response.set_etag(f"{self.etag}-gzip" if is_packed else self.etag)
        return response


def pack(kind: str, plain: bytes) -> Packed:
    return Packed(kind, plain, hashlib.sha256(plain).hexdigest()[:20])
