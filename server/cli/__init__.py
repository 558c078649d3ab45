"""The command `sternenpost`."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from server import json_logs

_COMMANDS = {  # the module of each, its name there if it is another one, and its first sentence
    "web": ("service", "Serve HTTP, until SIGTERM."),
    "worker": ("service.work", "Watch the time, let bots move, carry letters."),
    "post": ("service.carry", "Carry letters and call webhooks only, until SIGTERM."),
    "sandbox": ("service.open_sandbox", "Make games in every state, and print where to look."),
    "migrate": ("service", "Bring the tables up to date, as their owner."),
    "spread": ("service", "Spread the tables over the nodes of Citus, as their owner."),
    "doctor": ("service", "Look whether all parts are well."),
    "motd": ("service", "Show everybody a message of the day."),
    "rotate-secret": ("service", "Sign links and addresses for replies with a new secret."),
    "bot": ("bot", "Let a program play that speaks lines of JSON."),
    "openapi": ("service", "Print the OpenAPI document."),
    "config": ("settings", "List the settings, their defaults and values."),
    "units": ("units", "Print units of systemd for web, worker and timers."),
    "audit": ("audit", "List what operators did, the newest first."),
    "players": ("players", "List, search and show players."),
    "player-token": ("players", "Print a token of the player with this address."),
    "ban": ("players", "Shut the PLAYER of this address or id out."),
    "unban": ("players", "Let the PLAYER of this address or id in again."),
    "reports": ("reports", "List what players report of one another, the oldest first."),
    "delete-player": ("players", "Forget the PLAYER of this address or id."),
    "games": ("games", "List and show games."),
    "replay": ("games", "Print the story of a GAME and its table, in words."),
    "check": ("games", "Compare all games, or one, with their logs."),
    "rebuild": ("games", "Make all games, or one, anew from their logs."),
    "mails": ("mails", "List and show mails that wait for operators."),
    "conform": ("conform", "Look whether a server keeps the promises of the API."),
    "verify": ("archives", "Check an archive: every hash, every draw, every rule."),
    "import": ("archives.take_in", "Check an archive and keep its game here for all to see."),
    "drill": ("drill", "Practise the loss of a disk."),
    "shelve": ("archives", "Move the events of games that are long over to files."),
    "export": ("archives", "Write copies of games, or of a player's data, into DIR."),
}


class _Commands(Mapping[str, click.Command]):
    """By name. Each is imported when it is asked for, since all together take longer than some of them run."""

    def __getitem__(self, name: str) -> click.Command:
        module, _, other = _COMMANDS[name][0].partition(".")
        command: click.Command = getattr(import_module(f"server.cli.{module}"), other or name.replace("-", "_"))
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class _Group(click.Group):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands = _Commands()  # type: ignore[assignment]  # nobody adds to them

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, says) for name, (_, says) in sorted(_COMMANDS.items())])


@click.group(cls=_Group)
@click.version_option(package_name="sternenpost", prog_name="sternenpost", message="%(prog)s %(version)s")
def main() -> None:
    """Sternenpost: a play-by-email server for Sternenhimmel and Sternenglanz.

    What a command prints for programs goes to stdout, what it has to say meanwhile to stderr. Exit status: 0 if all is
    well, 1 if something is wrong or not there, 2 for a command that cannot be meant.
    """
    json_logs.set_up()
