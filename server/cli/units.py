"""The command that prints systemd units for web, worker and timers, with minimal rights."""

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
# The programs only use the network and write to one directory, so everything else is forbidden.
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
{writes}PrivateTmp=yes
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
# Only the main process gets SIGTERM: it stops its children in order, within ten seconds.
_RUNS = "Type=exec\nRestart=always\nRestartSec=2\nKillMode=mixed\nTimeoutStopSec=15"
_ASKS = "Type=oneshot\nNice=10\nIOSchedulingClass=idle"
_INSTALL = "\n[Install]\nWantedBy={target}\n"
_TIMER = "\n[Timer]\nOnCalendar={when}\nRandomizedDelaySec=15min\nPersistent=yes\n"
_PARTS = {"web": ("serves HTTP", "1G"), "worker": ("watches deadlines and sends emails", "1G")}
_TIMERS = {  # command: description, schedule and memory limit
    "doctor": ("checks the health of the whole system", "*-*-* 05:00:00 UTC", "512M"),
    "check": ("compares all games with their logs", "Sun *-*-* 03:00:00 UTC", "1G"),
}


def units_of(settings: Settings) -> dict[str, str]:
    """Return the text of each unit by its name."""
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
        writes=f"ReadWritePaths={_quoted(Path(f'-{settings.shelf}'))}\n" if settings.shelf else "",
        # The service must be able to read a checkout in /home. /opt is a better place for it.
        homes="read-only" if CHECKOUT.is_relative_to("/home") else "yes",
    )


def _docs(settings: Settings) -> str:
    return f"{settings.base_url}/docs/scaling".replace("%", "%%")


def _quoted(path: Path) -> str:
    """Quote a path for systemd, which interprets percent signs, dollars, quotes and spaces."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"'


@click.command(epilog=example("units", "units /etc/systemd/system"))
@click.argument(
    "directory", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False, writable=True)
)
def units(directory: Path | None) -> None:
    """Print systemd units for web, worker and timers. With a DIRECTORY, write them there. They run as the user `sternenpost`,
    with the settings in /etc/sternenpost/environment. /docs/scaling describes the installation."""
    found = units_of(read_settings())
    if directory is None:
        click.echo("\n".join(f"# {name}\n{text}" for name, text in found.items()), nl=False)
        return
    for name, text in found.items():
        (directory / name).write_text(text)
        click.echo(directory / name)
