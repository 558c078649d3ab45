"""Dovecot as a real process: a mailbox to read by IMAP."""

import os
import pwd
import shutil
import socket
import ssl
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from imapclient import IMAPClient

from tests.support.live_server import free_port, until
from tests.support.mail_providers import certificate

PROGRAM = shutil.which("dovecot") or shutil.which("dovecot", path="/usr/sbin")
PASSWORD = "pass/w@rd,of:stars"
_CONFIG = """\
base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/log
protocols = imap
ssl = required
ssl_cert = <{folder}/certificate.pem
ssl_key = <{folder}/key.pem
mail_location = maildir:{folder}/mail/%u
first_valid_uid = 1
default_internal_user = {user}
default_login_user = {user}
default_internal_group = {group}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={folder}/mail/%u
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = 0
  }}
  inet_listener imaps {{
    address = 127.0.0.1
    port = {port}
  }}
}}
service anvil {{
  chroot =
}}
{more}
"""


class Dovecot:
    """An IMAP server over TLS that accepts any user with the password."""

    def __init__(self, folder: Path, more: str = "") -> None:
        assert PROGRAM
        self.port, self._folder, self.mailboxes = free_port(), folder, folder / "mail"
        self.certificate = folder / "certificate.pem"
        key = rsa.generate_private_key(65537, 2048)
        self.certificate.write_bytes(certificate(key, "localhost"))
        written = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        (folder / "key.pem").write_bytes(written)
        is_root = os.geteuid() == 0
        user = "nobody" if is_root else pwd.getpwuid(os.geteuid()).pw_name
        facts = {"user": user, "group": "nogroup" if is_root else os.getgid(), "password": PASSWORD, "more": more}
        (folder / "dovecot.conf").write_text(_CONFIG.format(folder=folder, port=self.port, **facts))
        self.mailboxes.mkdir()
        if is_root:
            shutil.chown(self.mailboxes, "nobody", "nogroup")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def url(self, user: str = "stars", folder: str = "INBOX") -> str:
        return f"imaps://{user}:pass%2Fw%40rd%2Cof%3Astars@localhost:{self.port}/{folder}"

    def start(self) -> None:
        self._process = subprocess.Popen([str(PROGRAM), "-F", "-c", str(self._folder / "dovecot.conf")])
        until(self._answers)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
            self._process = None

    def _answers(self) -> bool:
        assert self._process and self._process.poll() is None, self.log()
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True
        return False

    def log(self) -> str:
        path = self._folder / "log"
        return path.read_text() if path.exists() else ""

    @contextmanager
    def box(self, user: str = "stars") -> Iterator[Any]:
        trusted = ssl.create_default_context(cafile=str(self.certificate))
        with IMAPClient("localhost", self.port, ssl_context=trusted, timeout=30) as box:
            box.login(user, PASSWORD)
            yield box

    def delivers(self, raw: bytes, user: str = "stars", folder: str = "INBOX") -> None:
        with self.box(user) as box:
            box.append(folder, raw)

    def mails(self, folder: str = "INBOX", user: str = "stars") -> list[bytes]:
        with self.box(user) as box:
            if not box.folder_exists(folder):
                return []
            box.select_folder(folder, readonly=True)
            found = box.fetch(box.search(), ["BODY.PEEK[]"])
            return [found[uid][b"BODY[]"] for uid in sorted(found)]


@contextmanager
def running_dovecot(more: str = "") -> Iterator[Dovecot]:
    folder = Path(tempfile.mkdtemp(prefix="sternenpost-"))
    folder.chmod(0o755)
    server = Dovecot(folder, more)
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)
