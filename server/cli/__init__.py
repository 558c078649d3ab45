"""The command `sternenpost`."""

import click

from server import logs
from server.cli import archives, games, players, service


@click.group()
def main() -> None:
    """Sternenpost: a play-by-email server for Sternenhimmel and Sternenglanz.

    What a command prints for programs goes to stdout, what it has to say meanwhile to stderr. Exit status: 0 if all is
    well, 1 if something is wrong or not there, 2 for a command that cannot be meant.
    """
    logs.set_up()


COMMANDS = (
    *(service.web, service.work, service.carry),
    *(
        service.migrate,
        service.config,
        service.doctor,
        service.motd,
        service.rotate_secret,
        service.openapi,
        service.open_sandbox,
    ),
    *(players.players, players.player_token, players.ban, players.unban, players.delete_player),
    *(games.games, games.replay, games.check, games.rebuild),
    *(archives.verify, archives.take_in, archives.export),
)
for command in COMMANDS:
    main.add_command(command)
