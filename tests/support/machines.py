"""Network namespaces as machines for webs, workers and two Postgres, joined by lines that may drop or delay packets.

A machine's network is a TUN device, and a thread here switches packets between them. So it needs no kernel module: `tc
netem` needs one that small kernels leave out.
"""

import ctypes
import fcntl
import heapq
import os
import pwd
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address
from itertools import count
from pathlib import Path
from random import Random
from threading import Thread
from typing import NamedTuple, Self
from urllib.parse import quote

import psycopg

from server.store import embedded_postgres
from server.store.tables import APP_ROLE
from tests.support.live_server import House, cluster_with_tables, is_up, until

_TUN, _NO_HEADER, _TUNSETIFF = 0x0001, 0x1000, 0x400454CA  # linux/if_tun.h
_LIBC, _NEW_NETWORK = ctypes.CDLL(None, use_errno=True), 0x40000000  # linux/sched.h
_LARGEST = 2048  # bytes, more than a packet has
_OFTEN = 0.2  # seconds between two checks for the end
_REPLICA = "replica"
_HBA = "local all all trust\nhost all all all trust\nhost replication all all trust\n"


def why_not() -> str | None:
    if sys.platform != "linux" or os.geteuid() != 0:
        return "only root of Linux makes network namespaces"
    missing = [it for it in ("ip", "setpriv") if not shutil.which(it)] + ["/dev/net/tun"] * (
        not Path("/dev/net/tun").exists()
    )
    if missing:
        return f"{', '.join(missing)} is missing: apt-get install iproute2"
    tried = subprocess.run(["unshare", "--net", "true"], check=False, capture_output=True, text=True)
    return tried.stderr.strip() or None


class Machine(NamedTuple):
    """A network namespace and its address."""

    name: str
    address: str

    @property
    def within(self) -> tuple[str, ...]:
        return ("ip", "netns", "exec", self.name)


@dataclass
class Line:
    loss: float = 0.0
    delay: float = 0.0
    is_cut: bool = False


class Network:
    """Machines and the switch between them. Leaving the `with` block ends it.

    Within it, the calling thread and its children have a network of their own. Otherwise other tests' browsers
    would abort their downloads whenever a device appears.
    """

    def __init__(self) -> None:
        number = os.getpid()
        self._prefix = f"10.{64 + (number >> 8) % 64}.{number & 255}"
        self._name = f"stars{number}"
        self._numbers = count(2)
        self._devices: dict[bytes, int] = {}
        self._off = set[int]()  # the devices of machines without power
        self._lines: dict[frozenset[bytes], Line] = defaultdict(Line)
        self._machines: list[Machine] = []
        self._rng = Random(1)
        self._selector = selectors.DefaultSelector()
        self._is_over = False
        self._thread = Thread(target=self._carry_on, daemon=True, name="switch")

    def __enter__(self) -> Self:
        self.here = f"{self._prefix}.1"
        self._outside = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        _enter_new_network()
        try:
            _ip("link", "set", "lo", "up")
            self._device(self._name + "n1", self.here)
        except BaseException:
            self._end()
            raise
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        self._thread.join()
        self._end()

    def _end(self) -> None:
        for machine in self._machines:
            subprocess.run(["ip", "netns", "delete", machine.name], check=True)
        for key in list(self._selector.get_map().values()):
            os.close(key.fd)
        _enter_network(self._outside)
        os.close(self._outside)

    def machine(self) -> Machine:
        number = next(self._numbers)
        machine = Machine(f"{self._name}n{number}", f"{self._prefix}.{number}")
        _ip("netns", "add", machine.name)
        self._machines.append(machine)
        self._device(machine.name, machine.address, machine)
        return machine

    def _device(self, name: str, address: str, machine: Machine | None = None) -> None:
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
        self._devices[IPv4Address(address).packed] = device
        fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH", name.encode(), _TUN | _NO_HEADER))
        there = ()
        if machine:
            _ip("link", "set", name, "netns", machine.name)
            there = ("-n", machine.name)
            _ip(*there, "link", "set", "lo", "up")
        _ip(*there, "address", "add", f"{address}/24", "dev", name)
        _ip(*there, "link", "set", name, "up")
        self._selector.register(device, selectors.EVENT_READ)

    def line(self, one: Machine, other: Machine) -> Line:
        """Return the line between two machines, perfect at first."""
        return self._lines[_ends(IPv4Address(one.address).packed, IPv4Address(other.address).packed)]

    def switch_off(self, machine: Machine) -> None:
        """Cut the machine off as if it had lost power."""
        self._off.add(self._devices[IPv4Address(machine.address).packed])

    def move_address(self, lost: Machine, to: Machine) -> None:
        """Move the address of a machine that is off to another one, over the same lines."""
        _ip("-n", to.name, "address", "add", f"{lost.address}/24", "dev", to.name)
        self._devices[IPv4Address(lost.address).packed] = self._devices[IPv4Address(to.address).packed]

    def _carry_on(self) -> None:
        late: list[tuple[float, int, bytes]] = []
        numbers = count()
        while not self._is_over:
            now = time.monotonic()
            wait = min(_OFTEN, max(0.0, late[0][0] - now)) if late else _OFTEN
            ready = self._selector.select(wait)
            now = time.monotonic()
            for key, _ in ready:
                with suppress(OSError):
                    packet = os.read(key.fd, _LARGEST)
                    if packet[0] >> 4 == 4 and key.fd not in self._off:
                        line = self._lines.get(_ends(packet[12:16], packet[16:20]), _PERFECT)
                        if not line.is_cut and self._rng.random() >= line.loss:
                            heapq.heappush(late, (now + line.delay / 2, next(numbers), packet))
            while late and late[0][0] <= now:
                self._hand_over(heapq.heappop(late)[2])

    def _hand_over(self, packet: bytes) -> None:
        with suppress(OSError, KeyError):  # no device has this address, or it is down
            device = self._devices[packet[16:20]]
            if device not in self._off:
                os.write(device, packet)


_PERFECT = Line()


def _ends(one: bytes, other: bytes) -> frozenset[bytes]:
    return frozenset((one, other))


def _enter_new_network() -> None:
    if _LIBC.unshare(_NEW_NETWORK):
        raise OSError(ctypes.get_errno(), "unshare")


def _enter_network(namespace: int) -> None:
    if _LIBC.setns(namespace, _NEW_NETWORK):
        raise OSError(ctypes.get_errno(), "setns")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Database:
    """A Postgres on a machine, with the tables. Its owner uses a socket, which no line affects."""

    def __init__(self, machine: Machine, data: Path, primary: Machine | None = None) -> None:
        """Start a replica of `primary`, or a primary that waits for its replica at each commit."""
        self.machine = machine
        cluster, sockets = data / "postgres", data / "socket"
        data.mkdir()
        subprocess.run(["cp", "-a", cluster_with_tables(), cluster], check=True)
        nobody = pwd.getpwnam("nobody").pw_uid
        sockets.mkdir(0o700)
        os.chown(sockets, nobody, nobody)
        (data / "hba").write_text(_HBA)
        settings = {
            "listen_addresses": "*",
            "unix_socket_directories": str(sockets),
            "hba_file": str(data / "hba"),
            "max_connections": "200",
            "timezone": "UTC",
        }
        if primary:
            (cluster / "standby.signal").touch()
            settings["primary_conninfo"] = f"host={primary.address} user=sternenpost application_name={_REPLICA}"
        else:
            settings["synchronous_standby_names"] = _REPLICA
        self.url = f"postgresql://sternenpost@:5432/sternenpost?host={quote(str(sockets), safe='')}"
        programs = embedded_postgres.programs(cluster_with_tables().parent)
        with open(data / "postgres.log", "wb") as output:
            self._process = subprocess.Popen(
                [
                    *machine.within,
                    *("setpriv", f"--reuid={nobody}", f"--regid={nobody}", "--clear-groups", "--pdeathsig=INT"),
                    *(str(programs / "postgres"), "-D", str(cluster)),
                    *(word for name, value in settings.items() for word in ("-c", f"{name}={value}")),
                ],
                cwd=cluster,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.pid = self._process.pid
        until(self._answers)

    def _answers(self) -> bool:
        with suppress(psycopg.OperationalError), psycopg.connect(self.url):
            return True
        return False

    def stop(self) -> None:
        self._process.send_signal(signal.SIGQUIT)  # a primary would wait for its replica
        self._process.wait()

    def promote(self) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            assert connection.execute("SELECT pg_promote()").fetchone() == (True,)


class ManyMachines(House):
    """A server with a machine for each part: two Postgres, webs and workers.

    `address_moves`: webs and workers know only the primary's address, and the replica takes it over. Otherwise they
    know both.
    """

    def __init__(self, data: Path, network: Network, address_moves: bool, settings: dict[str, str]) -> None:
        self.network = network
        self._address_moves = address_moves
        one, other = self.database_machines = network.machine(), network.machine()
        either = f"{one.address}:5432,{other.address}:5432/sternenpost?target_session_attrs=read-write"
        url = f"postgresql://{APP_ROLE}@{f'{one.address}/sternenpost' if address_moves else either}"
        super().__init__(data, {"DATABASE_URL": url, **settings}, network.here)
        self.web_machines: list[Machine] = []
        self.worker_machines: list[Machine] = []

    def _start_postgres(self) -> None:
        one, other = self.database_machines
        self.primary = Database(one, self._data / "primary")
        self._postgres = self.primary  # type: ignore[assignment]  # what is asked of it, it has
        self.replica = Database(other, self._data / "replica", one)
        until(lambda: self.count("pg_stat_replication WHERE sync_state = 'sync'"))

    def close(self) -> None:
        super().close()
        for database in {self.primary, self.replica} - {self._postgres}:
            database.stop()

    def add_web(self) -> str:
        machine = self.network.machine()
        self.web_machines.append(machine)
        bind = f"--bind {machine.address}:{self.port} --workers 1"
        self._start("web", within=machine.within, GUNICORN_CMD_ARGS=bind)
        until(lambda: is_up(self.port, host=machine.address))
        self.url = f"http://{machine.address}:{self.port}"
        return self.url

    def add_worker(self) -> None:
        machine = self.network.machine()
        self.worker_machines.append(machine)
        self._start("worker", within=machine.within)

    def lines_to_postgres(self, *machines: Machine) -> list[Line]:
        """Return the lines from these machines, by default from all."""
        all_machines = machines or (*self.web_machines, *self.worker_machines)
        return [self.network.line(machine, database) for machine in all_machines for database in self.database_machines]

    @contextmanager
    def cut_off(self, machine: Machine) -> Iterator[None]:
        lines = self.lines_to_postgres(machine)
        for line in lines:
            line.is_cut = True
        try:
            yield
        finally:
            for line in lines:
                line.is_cut = False

    def lose_primary(self) -> None:
        self.network.switch_off(self.primary.machine)

    def fail_over(self) -> None:
        self.replica.promote()
        if self._address_moves:
            self.network.move_address(self.primary.machine, self.replica.machine)
        self._postgres = self.replica  # type: ignore[assignment]  # as of the primary


@contextmanager
def many_machines(
    webs: int = 2, workers: int = 2, address_moves: bool = False, **settings: str
) -> Iterator[ManyMachines]:
    path = Path(tempfile.mkdtemp(prefix="sternenpost-"))
    path.chmod(0o755)
    try:
        with Network() as network:
            house = ManyMachines(path, network, address_moves, settings)
            try:
                for _ in range(webs):
                    house.add_web()
                for _ in range(workers):
                    house.add_worker()
                yield house
            finally:
                house.close()
                print(house.output())
    finally:
        shutil.rmtree(path)
