"""A name server on the loopback, and the zone of a domain that sends and receives mail."""

import socket
import subprocess
from pathlib import Path
from threading import Thread

import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

DOMAIN, REPLIES = "stars.example", "reply.stars.example"
Zone = dict[tuple[str, str], list[str]]


class NameServer:
    """A UDP name server for one zone."""

    def __init__(self) -> None:
        self.zone: Zone = {}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                asked, guest = self._socket.recvfrom(4096)
                self._socket.sendto(self._answer(dns.message.from_wire(asked)).to_wire(), guest)
            except OSError:
                return

    def _answer(self, query: dns.message.Message) -> dns.message.Message:
        answer = dns.message.make_response(query)
        question = query.question[0]
        name, kind = question.name.to_text(omit_final_dot=True), dns.rdatatype.to_text(question.rdtype)
        if found := self.zone.get((name, kind)):
            answer.answer.append(dns.rrset.from_text(question.name, 60, "IN", kind, *found))
        elif not any(known == name for known, _ in self.zone):
            answer.set_rcode(dns.rcode.NXDOMAIN)
        return answer


def public_half(key: Path) -> str:
    """Return the public key as a TXT record, in pieces of at most 255 bytes."""
    pem = subprocess.run(["openssl", "rsa", "-in", key, "-pubout"], check=True, capture_output=True).stdout
    text = "v=DKIM1; k=rsa; p=" + "".join(pem.decode().splitlines()[1:-1])
    return " ".join(f'"{text[at : at + 200]}"' for at in range(0, len(text), 200))
