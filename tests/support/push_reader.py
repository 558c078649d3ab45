"""A browser's end of Web Push, which decrypts messages with its own keys (RFC 8188, RFC 8291)."""

import json

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from server.games import Json
from server.push.encryption import point_of, to_text


class PushReader:
    def __init__(self) -> None:
        self._key, self._auth = ec.generate_private_key(ec.SECP256R1()), b"0123456789abcdef"

    @property
    def keys(self) -> Json:
        return {"p256dh": to_text(point_of(self._key)), "auth": to_text(self._auth)}

    def read(self, body: bytes) -> Json:
        salt, public, text = body[:16], body[21:86], body[86:]
        theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
        info = b"WebPush: info\0" + point_of(self._key) + public
        secret = HKDF(SHA256(), 32, self._auth, info).derive(self._key.exchange(ec.ECDH(), theirs))
        key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(secret)
        nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(secret)
        told: Json = json.loads(AESGCM(key).decrypt(nonce, text, None).rstrip(b"\2"))
        return told
