"""What is the same for everybody: packed once, and sent packed to whoever can unpack it (RFC 9110, 12.5.3)."""

import gzip
import hashlib
from typing import NamedTuple

from flask import Response, request


class Packed(NamedTuple):
    """Bytes of a media type, as they are and by gzip."""

    kind: str
    plain: bytes
    packed: bytes
    etag: str

    def answer(self) -> Response:
        """In the form that the request takes, with an ETag for each of the two; no condition has been looked at yet."""
        is_packed = request.accept_encodings.quality("gzip") > 0
        response = Response(self.packed if is_packed else self.plain, mimetype=self.kind)
        response.headers["Vary"] = "Accept-Encoding"
        if is_packed:
            response.content_encoding = "gzip"
        response.set_etag(f"{self.etag}-gzip" if is_packed else self.etag)
        return response


def pack(kind: str, plain: bytes) -> Packed:
    return Packed(kind, plain, gzip.compress(plain, mtime=0), hashlib.sha256(plain).hexdigest()[:20])
