"""Games on paper: checking archives, taking them in, and copies of what is stored here."""

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

import click
import psycopg
from flask import Flask

from server.cli.audit import note_command
from server.cli.common import dry_run, example, followed, in_app, length, tell, written
from server.config import Settings
from server.operations import archives, exports
from server.operations.exports import copy_of_game, copy_of_player
from server.operations.queries import find_player
from server.operations.rebuild import all_games
from server.operations.shelve import games_to_shelve, shelve_game
from server.play.archive import LARGEST, Flaw, check
from server.play.sandbox_clock import follow_clock
from server.rules import Json
from server.store import embedded_postgres, shelf


@click.command(epilog=example("verify archive.json --commitment 630dcd29..."))
@click.argument("archive", type=click.File("rb"))
@click.option("--commitment", metavar="HEX", help="What you kept of GET /v1/games/{id} when the game was opened.")
def verify(archive: BinaryIO, commitment: str | None) -> None:
    """Check an archive: every hash, every draw, every rule. Needs no database; exit status 1 if anything is wrong."""
    try:
        game = check(archive.read(LARGEST + 1))
    except Flaw as flaw:
        raise click.ClickException(str(flaw)) from None
    if commitment and commitment.strip().lower() != game.commitment:
        raise click.ClickException(f"This game had the commitment {game.commitment}, not the one that you kept.")
    click.echo(
        f"{len(game.rows)} events of game {game.start.terms['game']} ({game.table.status}): all as it should be."
    )
    if not commitment:
        click.echo(f"Is this the commitment that you saw when the game was opened? {game.commitment}")


@click.command("import", epilog=example("import archive.json"))
@click.argument("archive", type=click.File("rb"))
@dry_run
@in_app
def take_in(app: Flask, settings: Settings, archive: BinaryIO, dry_run: bool) -> None:
    """Check an archive and keep its game here for all to see."""
    raw = archive.read(LARGEST + 1)
    if dry_run:
        game = check(raw)
        tell(dry_run, [f"game {game.start.terms['game']} is kept here, with {len(game.rows)} events"])
        return
    note_command()
    click.echo(f"{settings.base_url}/v1/games/{archives.take_in(raw)}")


@click.command(
    epilog=example(
        "export 3f0c9a52-6d1e-4b7a-9c35-2f3f6f1f8a10 copies/",
        "export --player ada@example.org copies/",
        "export --all copies/",
    )
)
@click.argument("words", metavar="[GAME] DIR", nargs=-1, required=True)
@click.option("--player", metavar="EMAIL", help="All that is stored of a player, to be handed over to nobody else.")
@click.option("--all", "everything", is_flag=True, help="Every game there is.")
@dry_run
@in_app
def export(
    app: Flask,
    settings: Settings,
    words: tuple[str, ...],
    player: str | None,
    everything: bool,
    dry_run: bool,
) -> None:
    """Write copies of games, or of a player's data, into DIR.

    Of a game that is over its archive, GAME.json, as everybody may have it.

    Of a game that is NOT over all that is stored, GAME.secret.json, with the seed and what lies hidden: whoever reads it
    can cheat, so only you may read that file. It is to look into; what brings games back is a copy of the database
    (see /docs/scaling).
    """
    named, directory = [_game_id(word) for word in words[:-1]], Path(words[-1])
    if len(named) + [player is not None, everything].count(True) != 1:
        raise click.UsageError("Name a GAME, or --player EMAIL, or --all; then the folder for the copies.")
    if not dry_run:
        directory.mkdir(parents=True, exist_ok=True)
    if player is not None:
        player_id = find_player(player)
        changes = [_write(directory / f"player-{player_id}.json", copy_of_player(player_id), True, dry_run)]
    else:
        ids = named or all_games()
        done_with = "looked at" if dry_run else "copied"
        copies = followed(ids, lambda done: f"{done} of {len(ids)} games {done_with}")
        changes = [_write_game(directory, each, dry_run) for each in copies]
    tell(dry_run, changes)


@click.command(epilog=example("shelve --dry-run", "shelve --older-than P90D"))
@click.option(
    "--older-than",
    "over_for",
    type=length,
    default="P365D",
    show_default=True,
    metavar="P365D",
    help="Over so long ago.",
)
@dry_run
@in_app
def shelve(app: Flask, settings: Settings, over_for: timedelta, dry_run: bool) -> None:
    """Move the events of games that are long over to files. As the owner of the tables. Each becomes the archive of its
    game in STERNENPOST_SHELF, is written and checked before its rows go, and is read from there by webs and workers."""
    if settings.shelf is None:
        raise click.ClickException("STERNENPOST_SHELF is not set: it names the directory for the files.")
    follow_clock()
    ids = games_to_shelve(over_for)
    if dry_run:
        tell(dry_run, [f"the events of {len(ids)} games move to {settings.shelf}"] if ids else [])
        return
    note_command()
    changes, flaws = [], 0
    with psycopg.connect(settings.database_url or embedded_postgres.address(settings.data), autocommit=True) as owner:
        for game_id in followed(ids, lambda done: f"{done} of {len(ids)} games looked at"):
            try:
                if shelve_game(game_id, owner):
                    changes.append(f"the events of game {game_id} moved to {shelf.path_of(game_id)}")
            except Flaw as flaw:
                click.echo(f"Game {game_id} stays where it is: {flaw}", err=True)
                flaws += 1
            except OSError as error:
                raise click.ClickException(
                    f"Game {game_id} stays where it is, and so do those after it: {error}"
                ) from None
            except psycopg.errors.InsufficientPrivilege:
                raise click.ClickException("DATABASE_URL names somebody who does not own the tables.") from None
    tell(dry_run, changes)
    if flaws:
        raise SystemExit(1)


def _game_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise click.BadParameter(f"{text} is no id of a game.") from None


def _write_game(directory: Path, game_id: UUID, dry_run: bool) -> str:
    copy = copy_of_game(game_id)
    is_secret = exports.is_secret(copy)
    return _write(directory / f"{game_id}{'.secret' if is_secret else ''}.json", copy, is_secret, dry_run)


def _write(path: Path, copy: Json, is_secret: bool, dry_run: bool) -> str:
    """A file that nobody else may read if it is secret, the former one with this name replaced at once."""
    if not dry_run:
        new = path.with_name(path.name + ".new")
        mode = 0o600 if is_secret else 0o644
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as file:
            json.dump(copy, file, default=written, ensure_ascii=False, indent=1)
        new.replace(path)
    return f"{path}{' (SECRET: show it to nobody)' if is_secret else ''} is written"
