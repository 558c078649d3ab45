"""The embedded Postgres: commits survive every kill, and errors are one sentence."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
from multiprocessing import get_context
from pathlib import Path

import psycopg
import pytest

from server.store import embedded_postgres
from tests.support import citus

pytestmark = citus.leave_out("none is embedded")
AS_ROOT = os.geteuid() == 0
STARTER = """
    import signal, sys
    from pathlib import Path
    import psycopg
    from server.store import embedded_postgres
    server = embedded_postgres.start(Path(sys.argv[1]))
    with psycopg.connect(server.url) as connection:
        connection.execute("CREATE TABLE stars AS SELECT 'leo' AS name")
    print(server.pid, flush=True)
    signal.pause()
"""


def write_a_star(server):
    with psycopg.connect(server.url) as connection:
        connection.execute("CREATE TABLE stars AS SELECT 'leo' AS name")


def expect_the_star(directory):
    with embedded_postgres.start(directory) as server, psycopg.connect(server.url) as connection:
        assert connection.execute("SELECT name FROM stars").fetchall() == [("leo",)]


@pytest.fixture
def starter(open_directory):
    """Start a process that writes a star to Postgres over `open_directory`. Return it with Postgres' pid."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(STARTER), open_directory], stdout=subprocess.PIPE, text=True
    )
    yield process, int(process.stdout.readline())
    process.kill()
    process.communicate()


def test_data_survives_a_restart(open_directory):
    with embedded_postgres.start(open_directory) as server:
        write_a_star(server)
    expect_the_star(open_directory)


def test_postgres_starts_immediately_with_all_commits_after_it_was_killed(open_directory):
    server = embedded_postgres.start(open_directory)
    write_a_star(server)
    os.kill(server.pid, signal.SIGKILL)
    server.stop()
    expect_the_star(open_directory)


def test_postgres_starts_immediately_with_all_commits_after_its_parent_process_was_killed(open_directory, starter):
    process, _ = starter
    process.kill()
    expect_the_star(open_directory)


def test_postgres_starts_immediately_with_all_commits_after_both_processes_were_killed(open_directory, starter):
    process, postgres = starter
    os.kill(postgres, signal.SIGKILL)
    process.kill()
    expect_the_star(open_directory)


def test_another_process_that_has_the_pid_of_the_killed_postgres_is_not_stopped(open_directory):
    server = embedded_postgres.start(open_directory)
    write_a_star(server)
    os.kill(server.pid, signal.SIGKILL)
    server.stop()
    with subprocess.Popen(["sleep", "60"]) as stranger:
        file = open_directory / "postgres" / "postmaster.pid"
        file.write_text(file.read_text().replace(str(server.pid), str(stranger.pid), 1))
        expect_the_star(open_directory)
        assert stranger.poll() is None
        stranger.kill()


def test_an_ordinary_user_can_start_postgres(open_directory, postgres, monkeypatch):
    """`postgres` has loaded all code by then: a normal user may not be able to read root's Python."""
    binaries = embedded_postgres._reachable_binaries(open_directory, embedded_postgres._user())
    monkeypatch.setattr(embedded_postgres, "installation", lambda: binaries.parent)
    home = open_directory / "home"
    home.mkdir()
    nobody = embedded_postgres._user().popen
    if AS_ROOT:
        os.chown(home, nobody["user"], nobody["group"])

    def start_as_a_normal_user():
        if AS_ROOT:
            os.setgroups([])
            os.setgid(nobody["group"])
            os.setuid(nobody["user"])
        with embedded_postgres.start(home / "data") as server:
            write_a_star(server)
        expect_the_star(home / "data")

    process = get_context("fork").Process(target=start_as_a_normal_user)
    process.start()
    process.join()
    assert process.exitcode == 0


def test_binaries_that_cannot_be_read_are_copied_and_no_permissions_are_changed(open_directory, tmp_path, monkeypatch):
    private = tmp_path / "private"
    site = embedded_postgres.installation().parents[1]
    for part in (Path("embedded_postgres", "pginstall"), Path("embedded_postgres.libs")):
        shutil.copytree(site / part, private / part, symlinks=True)
    private.chmod(0o700)
    monkeypatch.setattr(embedded_postgres, "installation", lambda: private / "embedded_postgres" / "pginstall")
    for _ in range(2):
        with embedded_postgres.start(open_directory) as server:
            assert server.is_running()
    assert private.stat().st_mode & 0o777 == 0o700


def test_postgres_is_reachable_only_by_its_own_user_and_not_over_the_network(postgres):
    sockets = Path(psycopg.conninfo.conninfo_to_dict(postgres.url)["host"])
    assert sockets.stat().st_mode & 0o777 == 0o700
    with psycopg.connect(postgres.url) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


def test_the_settings_of_postgres_are_the_same_on_every_system(postgres):
    with psycopg.connect(postgres.url) as connection:
        assert connection.execute("SHOW timezone").fetchone() == ("UTC",)
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
        locale = "SELECT datlocprovider, datlocale, pg_encoding_to_char(encoding) FROM pg_database"
        assert set(connection.execute(locale)) == {("b", "C.UTF-8", "UTF8")}


def test_postgres_starts_in_a_directory_with_a_long_path(open_directory):
    data = open_directory / ("long," * 30)
    with embedded_postgres.start(data) as server:
        assert server.url == embedded_postgres.address(data)
    shutil.rmtree(psycopg.conninfo.conninfo_to_dict(server.url)["host"])


def test_a_second_server_with_the_same_data_directory_is_rejected(open_directory):
    refusal = pytest.raises(embedded_postgres.PostgresError, match=f"process {os.getpid()}.* uses {open_directory}")
    with embedded_postgres.start(open_directory), refusal:
        embedded_postgres.start(open_directory)


def test_data_from_another_major_version_is_rejected(open_directory):
    embedded_postgres.start(open_directory).stop()
    (open_directory / "postgres" / "PG_VERSION").write_text("17\n")
    with pytest.raises(embedded_postgres.PostgresError, match="written by Postgres 17, and this is 18"):
        embedded_postgres.start(open_directory)


def test_the_error_names_a_directory_that_cannot_be_used(open_directory):
    (open_directory / "file").touch()
    with pytest.raises(embedded_postgres.PostgresError, match=f"cannot store its data in {open_directory}/file/data"):
        embedded_postgres.start(open_directory / "file" / "data")


def test_a_private_directory_is_rejected_only_for_root(tmp_path):
    (tmp_path / "private").mkdir(mode=0o700)
    data = tmp_path / "private" / "data"
    if AS_ROOT:
        with pytest.raises(embedded_postgres.PostgresError, match="`nobody`, who cannot access"):
            embedded_postgres.start(data)
        assert not data.exists()
    else:
        embedded_postgres.start(data).stop()


def test_postgres_error_messages_are_passed_on(open_directory):
    embedded_postgres.start(open_directory).stop()
    (open_directory / "postgres" / "postgresql.conf").write_text("stars = 7\n")
    with pytest.raises(embedded_postgres.PostgresError, match="configuration file .* contains errors"):
        embedded_postgres.start(open_directory)
