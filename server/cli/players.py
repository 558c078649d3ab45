"""Players: finding them, helping them in, shutting them out, forgetting them."""

from datetime import datetime
from uuid import UUID

import click
from flask import Flask

from server.accounts import bans
from server.accounts.players import player_token as token_of
from server.cli.audit import note_command
from server.cli.common import (
    as_json,
    dry_run,
    example,
    in_app,
    limit,
    print_facts,
    print_json,
    print_table,
    tell,
    until,
    written,
)
from server.config import Settings
from server.errors import NotFound
from server.operations import queries
from server.operations.delete_player import delete_player as delete
from server.operations.delete_player import what_goes
from server.operations.queries import find_player
from server.play.sandbox_clock import follow_clock
from server.play.seating.seats import give_up_seats, seats_under_way
from server.rules import Json
from server.sanitize import email_address

_COLUMNS = ("email", "name", "made_at", "state", "id")
_TABLES = {  # what the rows of a table are called
    "tokens": "tokens",
    "webhooks": "webhooks",
    "webhook_deliveries": "deliveries to webhooks",
    "player_outbox": "letters that wait",
    "outbox": "letters of games that wait",
    "deliveries": "notes of letters of games",
    "player_deliveries": "notes of letters",
    "bounces": "bounces",
    "idempotency_keys": "answers kept for a repeated request",
    "inbox": "mails that came in",
    "votes": "votes",
    "sign_in_codes": "sign-in codes",
    "rate_limits": "counts for rate limits",
    "push_subscriptions": "browsers that are told",
    "notes": "notes on games",
    "blocks": "blocks",
    "reports": "reports",
    "watching": "notes of who is at a table",
    "postmaster_mails": "mails to the postmaster",
}


@click.group()
def players() -> None:
    """List, search and show players."""


@players.command("list", epilog=example("players list", "players list --banned --json"))
@click.option("--banned", is_flag=True, help="Only those who are banned now.")
@limit
@as_json
@in_app
def list_players(app: Flask, settings: Settings, banned: bool, limit: int, as_json: bool) -> None:
    """List players, the newest first."""
    _print(queries.players(banned=banned, limit=limit), as_json)


@players.command(epilog=example("players search ada", "players search @example.org --limit 200"))
@click.argument("words")
@limit
@as_json
@in_app
def search(app: Flask, settings: Settings, words: str, limit: int, as_json: bool) -> None:
    """List the players with WORDS in name or address. Exit status 1 if there are none."""
    found = queries.players(words, limit=limit)
    _print(found, as_json)
    if not found:
        raise SystemExit(1)


def _print(found: list[Json], as_json: bool) -> None:
    if as_json:
        print_json(found)
    else:
        print_table(found, _COLUMNS)


@players.command(epilog=example("players show ada@example.org"))
@click.argument("player")
@as_json
@in_app
def show(app: Flask, settings: Settings, player: str, as_json: bool) -> None:
    """Show the PLAYER of this address or id. With settings, tokens, webhooks and games under way."""
    found = queries.player(find_player(player))
    if as_json:
        print_json(found)
    else:
        print_facts(found)


@click.command(epilog=example("player-token ada@example.org"))
@click.argument("email")
@click.option("--name", help="What others see of a new player; default: a name that is made up.")
@dry_run
@in_app
def player_token(app: Flask, settings: Settings, email: str, name: str | None, dry_run: bool) -> None:
    """Print a token of the player with this address. The player is made if need be. For operators and tests."""
    try:
        address = email_address(email).lower()
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    if not dry_run:
        note_command()
        click.echo(token_of(address, name))
        return
    try:
        tell(dry_run, [f"player {find_player(address)} gets a further token"])
    except NotFound:
        tell(dry_run, [f"a player with the address {address} is made, with a token"])


@click.command(
    epilog=example('ban ada@example.org --until P30D --reason "Insults at three tables"', "ban ada@example.org")
)
@click.argument("player")
@until
@click.option("--reason", default="", help="Told to the player.")
@dry_run
@in_app
def ban(app: Flask, settings: Settings, player: str, until: datetime | None, reason: str, dry_run: bool) -> None:
    """Shut the PLAYER of this address or id out. For good or until a time: no sign-in, no token, no letter; bots take
    over the seats."""
    player_id = find_player(player)
    changes = [f"player {player_id} is banned {f'until {written(until)}' if until else 'for good'}", *_seats(player_id)]
    if not dry_run:
        note_command()
        follow_clock()
        bans.ban(player_id, until, reason)
        give_up_seats(player_id)
    tell(dry_run, changes)


@click.command(epilog=example("unban ada@example.org"))
@click.argument("player")
@dry_run
@in_app
def unban(app: Flask, settings: Settings, player: str, dry_run: bool) -> None:
    """Let the PLAYER of this address or id in again. Tokens are good again then; seats are the player's to take back."""
    player_id = find_player(player)
    is_banned = queries.player(player_id)["banned_at"] is not None
    if not dry_run:
        note_command()
        bans.unban(player_id)
    tell(dry_run, [f"player {player_id} is let in again"] if is_banned else [])


@click.command(epilog=example("delete-player ada@example.org --dry-run", "delete-player ada@example.org"))
@click.argument("player")
@dry_run
@in_app
def delete_player(app: Flask, settings: Settings, player: str, dry_run: bool) -> None:
    """Forget the PLAYER of this address or id. Name, address, tokens, webhooks, feed and letters go, and what was said at
    tables. Bots take over the seats. Logs name seats and no persons: they stay whole, and archives stay right.
    It cannot be undone."""
    player_id = find_player(player)
    rows = what_goes(player_id)
    changes = _seats(player_id)
    changes += [
        f"messages at tables that lose their text: {number}" for name, number in rows.items() if name == "messages"
    ]
    changes += [f"{_TABLES[name]} deleted: {number}" for name, number in rows.items() if name != "messages"]
    changes.append(f"player {player_id} has no name and no address any more")
    if not dry_run:
        note_command()
        follow_clock()
        delete(player_id)
    tell(dry_run, changes)


def _seats(player_id: UUID) -> list[str]:
    return [
        f"seat {it['seat']} of game {it['game_id']} ({it['title']}) is "
        + ("free again" if it["status"] == "open" else "handed to a bot")
        for it in seats_under_way(player_id)
    ]
