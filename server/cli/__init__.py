"""The `sternenpost` command."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from server import json_logs

_COMMANDS = {  # module and, if it differs, function name of each command, and the first sentence of its help
    "web": ("service", "Serve HTTP until SIGTERM."),
    "worker": ("service.work", "Watch deadlines, move for bots and send emails until SIGTERM."),
    "post": ("service.carry", "Send emails and call webhooks until SIGTERM."),
    "think": ("service", "Compute bot moves until SIGTERM."),
    "sandbox": ("service.open_sandbox", "Create a game in each state, and print the games' addresses."),
    "migrate": ("service", "Migrate the database schema."),
    "spread": ("service", "Distribute the tables across the Citus nodes."),
    "doctor": ("service", "Check the health of the whole system."),
    "motd": ("service", "Show all players a message of the day."),
    "close": ("service", "Close sign-ups, guests, apps or inbound mail until `open`."),
    "open": ("service.open_again", "Reopen what `close` has closed."),
    "rotate-secret": ("service", "Sign links and reply addresses with a new secret."),
    "bot": ("bot", "Connect a program that plays by exchanging lines of JSON."),
    "bot-games": ("archives.play_bots", "Play games between bots, and write them to DIR as open data."),
    "openapi": ("service", "Print the OpenAPI document."),
    "config": ("settings", "List all settings with their defaults and values."),
    "units": ("units", "Print systemd units for web, worker and timers."),
    "audit": ("audit", "List the operators' actions, newest first."),
    "players": ("players", "List, search and show players."),
    "player-token": ("players", "Print a token for the player with this EMAIL."),
    "ban": ("players", "Ban a PLAYER, given by email address or id."),
    "unban": ("players", "Lift the ban on a PLAYER, given by email address or id."),
    "reports": ("reports", "List reports about players, oldest first."),
    "delete-player": ("players", "Delete a PLAYER, given by email address or id."),
    "games": ("games", "List and show games."),
    "replay": ("games", "Print a GAME's events and table in words."),
    "check": ("games", "Compare all games, or one, with their logs."),
    "rebuild": ("games", "Recompute all games, or one, from their logs."),
    "mails": ("mails", "List and show emails that need an operator."),
    "conform": ("conform", "Check whether a server keeps its API guarantees."),
    "verify": ("archives", "Check an archive: every hash, every draw, every rule."),
    "import": ("archives.take_in", "Check an archive and add its game, visible to everyone."),
    "drill": ("drill", "Practise losing a disk and restoring the data."),
    "shelve": ("archives", "Move the events of old games to files."),
    "export": ("archives", "Write copies of games, or of a player's data, to DIR."),
}


class _Commands(Mapping[str, click.Command]):
    """The commands by name. Each is imported on first use, since importing all of them is slow."""

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
        self.commands = _Commands()  # type: ignore[assignment]  # no command is added later

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, says) for name, (_, says) in sorted(_COMMANDS.items())])


@click.group(cls=_Group)
@click.version_option(package_name="sternenpost", prog_name="sternenpost", message="%(prog)s %(version)s")
def main() -> None:
    """Sternenpost: a play-by-email server for Sternenhimmel and Sternenglanz.

    Results go to stdout, progress and errors to stderr. Exit status: 0 for success, 1 if something is wrong or not found,
    2 for invalid usage.
    """
    json_logs.set_up()
