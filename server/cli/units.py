"""Units of systemd that keep web, worker and timers running, as a user who may do nothing else."""

import sys
from pathlib import Path

import click

from server.cli.common import example, read_settings
from server.config import CHECKOUT, Settings

_UNIT = """\
[Unit]
Description=Sternenpost: {what}
Documentation={docs}
"""
# A program that only speaks with others over a network and writes to one directory needs nothing of what is shut here.
_SERVICE = """\
After=network-online.target postgresql.service
Wants=network-online.target

[Service]
{kind}
ExecStart={program} {command}
User=sternenpost
EnvironmentFile=/etc/sternenpost/environment
Environment=STERNENPOST_DATA=/var/lib/sternenpost
StateDirectory=sternenpost
StateDirectoryMode=0750
UMask=0027

MemoryMax={memory}
TasksMax=512
LimitNOFILE=8192
LimitCORE=0

CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome={homes}
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
"""
# The main process alone gets SIGTERM: it ends its own in order, within ten seconds.
_RUNS = "Type=exec\nRestart=always\nRestartSec=2\nKillMode=mixed\nTimeoutStopSec=15"
_ASKS = "Type=oneshot\nNice=10\nIOSchedulingClass=idle"
_INSTALL = "\n[Install]\nWantedBy={target}\n"
_TIMER = "\n[Timer]\nOnCalendar={when}\nRandomizedDelaySec=15min\nPersistent=yes\n"
_PARTS = {"web": ("serves HTTP", "1G"), "worker": ("watches the time and carries letters", "1G")}
_TIMERS = {  # command: what it does, when, and the memory that it may take
    "doctor": ("looks whether all parts are well", "*-*-* 05:00:00 UTC", "512M"),
    "check": ("compares all games with their logs", "Sun *-*-* 03:00:00 UTC", "1G"),
}


def units_of(settings: Settings) -> dict[str, str]:
    """The text of each unit, by its name."""
    units = {f"sternenpost-{part}.service": _service(settings, part, *_PARTS[part], _RUNS) for part in _PARTS}
    for part in _PARTS:
        units[f"sternenpost-{part}.service"] += _INSTALL.format(target="multi-user.target")
    for part, (what, when, memory) in _TIMERS.items():
        units[f"sternenpost-{part}.service"] = _service(settings, part, what, memory, _ASKS)
        head = _UNIT.format(what=what, docs=_docs(settings))
        units[f"sternenpost-{part}.timer"] = head + _TIMER.format(when=when) + _INSTALL.format(target="timers.target")
    return units


def _service(settings: Settings, command: str, what: str, memory: str, kind: str) -> str:
    return (_UNIT + _SERVICE).format(
        what=what,
        docs=_docs(settings),
        kind=kind,
        program=_quoted(Path(sys.executable).with_name("sternenpost")),
        command=command,
        memory=memory,
        homes="read-only" if CHECKOUT.is_relative_to("/home") else "yes",  # it had better be in /opt
    )


def _docs(settings: Settings) -> str:
    return f"{settings.base_url}/docs/scaling".replace("%", "%%")


def _quoted(path: Path) -> str:
    """As systemd reads it, to whom percent signs, dollars, quotes and spaces mean something."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"'


@click.command(epilog=example("units", "units /etc/systemd/system"))
@click.argument(
    "directory", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False, writable=True)
)
def units(directory: Path | None) -> None:
    """Print units of systemd for web, worker and timers. With a DIRECTORY, write them there. They run as the user
    `sternenpost`, with the settings in /etc/sternenpost/environment; /docs/scaling has the rest."""
    found = units_of(read_settings())
    if directory is None:
        click.echo("\n".join(f"# {name}\n{text}" for name, text in found.items()), nl=False)
        return
    for name, text in found.items():
        (directory / name).write_text(text)
        click.echo(directory / name)
