"""The command `sternenpost`."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from server import logs

_HOMES = {  # the module of each command, and its name there if it is another one
    "web": "service",
    "worker": "service.work",
    "post": "service.carry",
    "sandbox": "service.open_sandbox",
    **dict.fromkeys(["migrate", "doctor", "motd", "rotate-secret", "openapi"], "service"),
    "config": "settings",
    "audit": "audit",
    **dict.fromkeys(["players", "player-token", "ban", "unban", "delete-player"], "players"),
    **dict.fromkeys(["games", "replay", "check", "rebuild"], "games"),
    "mails": "mails",
    "verify": "archives",
    "import": "archives.take_in",
    "export": "archives",
}


class _Commands(Mapping[str, click.Command]):
    """By name. Each is imported when it is asked for, since all together take longer than some of them run."""

    def __getitem__(self, name: str) -> click.Command:
        module, _, other = _HOMES[name].partition(".")
        command: click.Command = getattr(import_module(f"server.cli.{module}"), other or name.replace("-", "_"))
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


class _Group(click.Group):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands = _Commands()  # type: ignore[assignment]  # nobody adds to them


@click.group(cls=_Group)
@click.version_option(package_name="sternenpost", prog_name="sternenpost", message="%(prog)s %(version)s")
def main() -> None:
    """Sternenpost: a play-by-email server for Sternenhimmel and Sternenglanz.

    What a command prints for programs goes to stdout, what it has to say meanwhile to stderr. Exit status: 0 if all is
    well, 1 if something is wrong or not there, 2 for a command that cannot be meant.
    """
    logs.set_up()
