"""Commands that list, show, ban and delete players."""

from datetime import datetime
from functools import partial
from uuid import UUID

import click
from flask import Flask

from server.accounts import bans
from server.accounts.players import player_token as token_of
from server.cli.audit import carry_out, note_command
from server.cli.common import as_json, as_text, checked_by, dry_run, example, in_app, limit, print_found, tell, until
from server.config import Settings
from server.errors import NotFound
from server.operations import queries
from server.operations.delete_player import count_rows
from server.operations.delete_player import delete_player as delete
from server.operations.queries import find_player
from server.play.seating.seats import give_up_seats, seats_under_way
from server.sanitize import email_address

_COLUMNS = ("email", "name", "made_at", "state", "id")
_TABLES = {  # what to call the rows of each table
    "tokens": "tokens",
    "webhooks": "webhooks",
    "webhook_deliveries": "webhook deliveries",
    "player_outbox": "waiting emails",
    "outbox": "waiting emails about games",
    "deliveries": "delivery records of games",
    "player_deliveries": "delivery records",
    "bounces": "bounces",
    "idempotency_keys": "stored responses for repeated requests",
    "inbox": "inbound emails",
    "desk_mails": "emails to the post desk",
    "desk_games": "numbers of games at the post desk",
    "votes": "votes",
    "sign_in_codes": "sign-in codes",
    "rate_limits": "rate limit counts",
    "push_subscriptions": "push subscriptions",
    "notes": "notes on games",
    "blocks": "blocks",
    "reports": "reports",
    "watching": "records of who is at a table",
    "postmaster_mails": "emails to the postmaster",
}


@click.group()
def players() -> None:
    """List, search and show players."""


@players.command("list", epilog=example("players list", "players list --banned --json"))
@click.option("--banned", is_flag=True, help="Only players who are currently banned.")
@limit
@as_json
@in_app
def list_players(app: Flask, settings: Settings, banned: bool, limit: int, as_json: bool) -> None:
    """List players, newest first."""
    print_found(queries.players(banned=banned, limit=limit), as_json, _COLUMNS)


@players.command(epilog=example("players search ada", "players search @example.org --limit 200"))
@click.argument("words")
@limit
@as_json
@in_app
def search(app: Flask, settings: Settings, words: str, limit: int, as_json: bool) -> None:
    """Find players by words in their name or address. Exit status 1 if there are none."""
    found = queries.players(words, limit=limit)
    print_found(found, as_json, _COLUMNS)
    if not found:
        raise SystemExit(1)


@players.command(epilog=example("players show ada@example.org"))
@click.argument("player")
@as_json
@in_app
def show(app: Flask, settings: Settings, player: str, as_json: bool) -> None:
    """Show a PLAYER, given by email address or id. Prints settings, tokens, webhooks and current games. Since these
    include games at nameless tables, the audit log records who viewed them."""
    found = queries.player(find_player(player))
    if found["games_under_way"]:
        note_command()
    print_found(found, as_json)


def _check_address(email: str, **_: object) -> None:
    try:
        email_address(email)
    except ValueError as error:
        raise click.ClickException(str(error)) from None


@click.command(epilog=example("player-token ada@example.org"))
@click.argument("email")
@click.option("--name", help="Display name of a new player. Default: a made-up name.")
@dry_run
@checked_by(_check_address)
@in_app
def player_token(app: Flask, settings: Settings, email: str, name: str | None, dry_run: bool) -> None:
    """Print a token for the player with this EMAIL. If there is no such player, create one. Meant for operators and tests."""
    address = email_address(email).lower()
    if not dry_run:
        note_command()
        click.echo(token_of(address, name))
        return
    try:
        tell(dry_run, [f"player {find_player(address)} gets another token"])
    except NotFound:
        tell(dry_run, [f"a player with the address {address} is created, with a token"])


@click.command(
    epilog=example('ban ada@example.org --until P30D --reason "Insults at three tables"', "ban ada@example.org")
)
@click.argument("player")
@until
@click.option("--reason", default="", help="Reason that is shown to the player.")
@dry_run
@in_app
def ban(app: Flask, settings: Settings, player: str, until: datetime | None, reason: str, dry_run: bool) -> None:
    """Ban a PLAYER, given by email address or id. The ban is permanent unless you give --until. The player can no
    longer sign in or use tokens, and gets no emails. Bots take over their seats."""
    player_id = find_player(player)
    changes = [
        f"player {player_id} is banned {f'until {as_text(until)}' if until else 'permanently'}",
        *_seats(player_id),
    ]
    carry_out(dry_run, changes, partial(bans.ban, player_id, until, reason), partial(give_up_seats, player_id))


@click.command(epilog=example("unban ada@example.org"))
@click.argument("player")
@dry_run
@in_app
def unban(app: Flask, settings: Settings, player: str, dry_run: bool) -> None:
    """Lift the ban on a PLAYER, given by email address or id. The player's tokens work again, and the player can take
    back their seats."""
    player_id = find_player(player)
    is_banned = queries.player(player_id)["banned_at"] is not None
    changes = [f"the ban of player {player_id} is lifted"] if is_banned else []
    carry_out(dry_run, changes, partial(bans.unban, player_id))


@click.command(epilog=example("delete-player ada@example.org --dry-run", "delete-player ada@example.org"))
@click.argument("player")
@dry_run
@in_app
def delete_player(app: Flask, settings: Settings, player: str, dry_run: bool) -> None:
    """Delete a PLAYER, given by email address or id. This removes the player's name, address, tokens, webhooks, feed,
    emails and chat messages. Bots take over the player's seats. Logs and archives name seats instead of people, so they
    stay complete. You cannot undo this."""
    player_id = find_player(player)
    rows = count_rows(player_id)
    changes = _seats(player_id)
    changes += [f"chat messages that lose their text: {number}" for name, number in rows.items() if name == "messages"]
    changes += [f"{_TABLES[name]} deleted: {number}" for name, number in rows.items() if name != "messages"]
    changes.append(f"player {player_id} loses name and address")
    carry_out(dry_run, changes, partial(delete, player_id))


def _seats(player_id: UUID) -> list[str]:
    return [
        f"seat {it['seat']} of game {it['game_id']} ({it['title']}) is "
        + ("free again" if it["status"] == "open" else "handed to a bot")
        for it in seats_under_way(player_id)
    ]
