"""PgBouncer as a real process, in transaction mode, in front of Postgres."""

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg

from server.store import embedded_postgres
from tests.support.live_server import free_port, until

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
CONNECTIONS = 4  # so few that transactions soon change sessions
_CONFIG = """\
[databases]
sternenpost = host={host} port=5432 user=stars
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
logfile = {folder}/log
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = {connections}
server_login_retry = 1
{more}
"""


@contextlib.contextmanager
def pgbouncer(url: str, more: str = "ignore_startup_parameters = options") -> Iterator[str]:
    """Yield the address of a pooler for this database, which connects as role `stars`."""
    assert PROGRAM
    with psycopg.connect(url) as connection:
        host = connection.info.host
    folder, port = Path(tempfile.mkdtemp(prefix="sternenpost-")), free_port()
    folder.chmod(0o777)  # as root, it runs as another user
    config = folder / "pgbouncer.ini"
    config.write_text(_CONFIG.format(host=host, port=port, folder=folder, connections=CONNECTIONS, more=more))
    process = subprocess.Popen([PROGRAM, "-q", config], **embedded_postgres.ordinary_user())
    pooled = f"postgresql://stars@127.0.0.1:{port}/sternenpost"
    try:
        until(lambda: _answers(pooled))
        yield pooled
    finally:
        process.terminate()
        process.wait(60)
        print((folder / "log").read_text())
        shutil.rmtree(folder)


def _answers(url: str) -> bool:
    with contextlib.suppress(psycopg.OperationalError), psycopg.connect(url):
        return True
    return False
