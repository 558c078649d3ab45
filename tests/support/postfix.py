"""Postfix as a real process, with the lines of the handbook: it passes on mail for the reply domain, and delivers to
mailboxes."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from server import docs
from tests.support.live_server import free_port, until

PROGRAM = shutil.which("postfix") or shutil.which("postfix", path="/usr/sbin")
MISSING = "Postfix is not installed: apt-get install postfix" if PROGRAM is None else "Postfix needs root"
IS_THERE = PROGRAM is not None and os.geteuid() == 0
_MAIN = """\
compatibility_level = 3.6
config_directory = {folder}
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file_prefixes = {folder}
maillog_file = {folder}/log
inet_protocols = ipv4
inet_interfaces = 127.0.0.1
smtpd_peername_lookup = no
myhostname = mail.stars.example
mydestination =
alias_maps =
mynetworks = 127.0.0.0/8
virtual_mailbox_domains = {domain}
virtual_mailbox_base = {mailboxes}
virtual_mailbox_maps = inline:{{ {address}={name}/ }}
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
"""
_MASTER = """\
127.0.0.1:{relay} inet n - n - - smtpd
127.0.0.1:{port} inet n - n - - smtpd
  -o mynetworks=192.0.2.1/32
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""


def from_handbook(reply_domain: str, lmtp: int) -> str:
    """Return the lines of `main.cf` in the handbook, for this domain and this port of a worker."""
    text = (docs.FOLDER / "mail.md").read_text("utf-8")
    found = re.search(r"```\n# main\.cf.*?\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1].replace("reply.stars.example", reply_domain).replace("127.0.0.1:8025", f"127.0.0.1:{lmtp}")


@contextmanager
def running_postfix(reply_domain: str, lmtp: int, address: str, mailboxes: Path) -> Iterator[tuple[int, int]]:
    """Yield the port for mail from anywhere, and the port of the relay for our own.

    Mail to `address` goes to a Maildir in `mailboxes`, named by its local part.
    """
    name, _, domain = address.partition("@")
    folder = Path(tempfile.mkdtemp(prefix="sternenpost-"))
    folder.chmod(0o755)
    (folder / "queue").mkdir()
    (folder / "data").mkdir()
    shutil.chown(folder / "data", "postfix")
    port, relay = free_port(), free_port()
    main = _MAIN.format(folder=folder, address=address, name=name, domain=domain, mailboxes=mailboxes)
    (folder / "main.cf").write_text(main + from_handbook(reply_domain, lmtp))
    (folder / "master.cf").write_text(_MASTER.format(port=port, relay=relay))
    command = [str(PROGRAM), "-c", str(folder)]
    process = subprocess.Popen([*command, "start-fg"], stderr=subprocess.DEVNULL)
    try:
        until(lambda: _answers(port) and _answers(relay))
        yield port, relay
    finally:
        subprocess.run([*command, "stop"], check=False, capture_output=True)
        process.wait(60)
        print((folder / "log").read_text() if (folder / "log").exists() else "Postfix wrote no log.")
        shutil.rmtree(folder)


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as guest:
        return guest.recv(4).startswith(b"220")
    return False
