"""Commands that check, import, export and shelve games."""

import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from uuid import UUID

import click
import psycopg
from flask import Flask

from server.bots import BOTS
from server.cli.audit import note_command
from server.cli.common import checked_by, dry_run, example, in_app, in_json, length, read_settings, tell, with_progress
from server.config import Settings
from server.games import GAMES, BadOption, Json
from server.operations import archives, bot_games, exports
from server.operations.exports import copy_of_game, copy_of_player
from server.operations.queries import find_player
from server.operations.rebuild import all_games
from server.operations.shelve import games_to_shelve, shelve_game
from server.play.archive import LARGEST, Flaw, check
from server.play.commits import load
from server.play.table import OVER
from server.store import embedded_postgres, private_files, shelf

T = TypeVar("T")
_MILLION = 1_000_000


@click.command(epilog=example("verify archive.json --commitment 630dcd29...", "verify data/"))
@click.argument("archive", type=click.Path(exists=True, allow_dash=True, path_type=Path))
@click.option(
    "--commitment",
    metavar="HEX",
    help="The commitment that you saved from GET /v1/games/{id} when the game was opened.",
)
def verify(archive: Path, commitment: str | None) -> None:
    """Check an archive: every hash, every draw, every rule. Needs no database. Exit status 1 if anything is wrong.

    ARCHIVE can also be a file of games between bots next to its README.md, or a directory of such files (see bot-games).
    """
    if archive.is_dir() or archive.name.endswith(bot_games.ENDING):
        if commitment:
            raise click.UsageError("--commitment is for the archive of a single game.")
        _verify_many(sorted(archive.glob(f"*{bot_games.ENDING}")) if archive.is_dir() else [archive])
        return
    try:
        with click.open_file(str(archive), "rb") as file:
            game = check(file.read(LARGEST + 1))
    except (Flaw, OSError) as error:
        raise click.ClickException(str(error)) from None
    if commitment and commitment.strip().lower() != game.commitment:
        raise click.ClickException(f"The commitment of this game is {game.commitment}, not the one you saved.")
    click.echo(f"Game {game.start.terms['game']} ({game.table.status}): all {len(game.rows)} events are correct.")
    if not commitment:
        click.echo(f"Compare the commitment with the one that you saved when the game was opened: {game.commitment}")


def _verify_many(files: Sequence[Path]) -> None:
    if not files:
        raise click.ClickException(f"This directory has no files *{bot_games.ENDING}.")
    try:
        bot_games.check_names(files)
        series = bot_games.described(files[0].parent)
    except Flaw as flaw:
        raise click.ClickException(str(flaw)) from None
    games = sum(_in_processes(partial(bot_games.verify, series), files, "files checked"))
    click.echo(f"Correct games: {games}")


@click.command(
    epilog=example(
        "bot-games sternenhimmel data/ --games 10000",
        "bot-games sternenglanz data/ --games 2000 --bot level-3 --bot greedy --seed autumn",
    )
)
@click.argument("rules", type=click.Choice(list(GAMES)))
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--games", default=1000, show_default=True, type=click.IntRange(1), help="Number of games in DIR.")
@click.option(
    "--bot",
    "bots",
    multiple=True,
    type=click.Choice(list(BOTS)),
    metavar="BOT",
    help="Bot of a seat: greedy, random or a level such as level-1. Repeat the option for each seat. "
    "Default: greedy in the fewest seats.",
)
@click.option("--options", default="{}", metavar="JSON", help="Options of the games, as in GET /v1/rules.")
@click.option(
    "--seed",
    default="1",
    show_default=True,
    metavar="TEXT",
    help="With the same bots, options and release, the same text always produces the same games.",
)
def play_bots(rules: str, directory: Path, games: int, bots: Sequence[str], options: str, seed: str) -> None:
    """Play games between bots, and write them to DIR as open data.

    Each line of the files *.jsonl.gz is the archive of a game, with all that is needed to replay it. README.md in DIR
    describes the files. `sternenpost verify DIR` checks them.

    To add games, or to continue after an interruption, run the command again with the same DIR, game, bots, options, seed
    and release of Sternenpost. All cores are used, at low priority.
    """
    if not seed.isprintable():
        raise click.UsageError("--seed must be a single line of printable characters.")
    seats = list(bots) or ["greedy"] * GAMES[rules].SEATS.start
    try:
        series = bot_games.series(rules, seats, {**json.loads(options)}, seed)
    except (ValueError, TypeError, RecursionError):
        raise click.UsageError("--options must be a JSON object.") from None
    except BadOption as error:
        raise click.UsageError(str(error)) from None
    readme, processes, began = directory / "README.md", os.cpu_count() or 1, _cpu_seconds()
    try:
        with bot_games.locked(directory):
            if not readme.exists():
                with bot_games.new_file(readme) as file:
                    file.write(series.readme.encode())
            elif readme.read_text("utf-8", "replace") != series.readme:
                raise click.UsageError(
                    f"{readme} describes other games. "
                    "Choose another directory, or use the game, bots, options, seed and release that it names."
                )
            todo = bot_games.missing(directory, games, processes)
            paths = list(_in_processes(partial(bot_games.write, series, directory), todo, "files written"))
            played, size = sum(map(len, todo)), sum(path.stat().st_size for path in paths)
    except OSError as error:
        raise click.ClickException(str(error)) from None
    if not played:
        click.echo(f"{click.format_filename(directory)} has these {games} games already.")
        return
    seconds, each = (_cpu_seconds() - began) / played, size / played
    click.echo(f"Played {played} games: {1 / seconds:.0f} games per second of CPU time, {each:.0f} bytes per game.")
    hours, gigabytes = _MILLION * seconds / 3600, _MILLION * each / 1e9
    click.echo(f"A million games would take {hours:.0f} hours of CPU time and {gigabytes:.1f} GB.")


def _cpu_seconds() -> float:
    """Return the CPU time of this process and of its ended children."""
    return sum(os.times()[:4])


def _in_processes(do: Callable[[Any], T], things: Sequence[Any], done: str) -> Iterator[T]:
    """Yield the results while showing the progress."""
    results = bot_games.in_processes(do, things, os.cpu_count() or 1)
    try:
        for _, result in zip(
            with_progress(things, lambda number: f"{number} of {len(things)} {done}"), results, strict=True
        ):
            yield result
    except BrokenProcessPool:
        raise click.ClickException("A process was killed. Run the command again.") from None
    except (Flaw, OSError) as error:
        raise click.ClickException(str(error)) from None


@click.command("import", epilog=example("import archive.json"))
@click.argument("archive", type=click.File("rb"))
@dry_run
@in_app
def take_in(app: Flask, settings: Settings, archive: BinaryIO, dry_run: bool) -> None:
    """Check an archive and add its game, visible to everyone."""
    raw = archive.read(LARGEST + 1)
    if dry_run:
        game = check(raw)
        tell(dry_run, [f"game {game.start.terms['game']} is added, with {len(game.rows)} events"])
        return
    note_command()
    click.echo(f"{settings.base_url}/v1/games/{archives.take_in(raw)}")


def _check_export(words: tuple[str, ...], player: str | None, everything: bool, **_: object) -> None:
    named = [_game_id(word) for word in words[:-1]]
    if len(named) + [player is not None, everything].count(True) != 1:
        raise click.UsageError("Give a GAME, --player EMAIL or --all, and then the directory for the copies.")


def _game_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise click.BadParameter(f"{text} is not a game id.") from None


@click.command(
    epilog=example(
        "export 3f0c9a52-6d1e-4b7a-9c35-2f3f6f1f8a10 copies/",
        "export --player ada@example.org copies/",
        "export --all copies/",
    )
)
@click.argument("words", metavar="[GAME] DIR", nargs=-1, required=True)
@click.option("--player", metavar="EMAIL", help="All data stored about this player. Give the copy to this player only.")
@click.option("--all", "everything", is_flag=True, help="All games.")
@dry_run
@checked_by(_check_export)
@in_app
def export(
    app: Flask, settings: Settings, words: tuple[str, ...], player: str | None, everything: bool, dry_run: bool
) -> None:
    """Write copies of games, or of a player's data, to DIR.

    A finished game becomes its archive, GAME.json, which anyone may read.

    An unfinished game becomes GAME.secret.json, which contains its seed and all hidden information. Anyone who reads
    this file can cheat, so its permissions allow only you to read it. Use it for inspection only: to restore games, you
    need a backup of the database (see /docs/scaling). The audit log records who copies an unfinished game, a player's
    data, or all games.
    """
    named, directory = [_game_id(word) for word in words[:-1]], Path(words[-1])
    if not dry_run:
        private_files.make_directory(directory)
        if player or everything or any(load(it).table.status not in OVER for it in named):
            note_command()
    if player is not None:
        player_id = find_player(player)
        changes = [_write(directory / f"player-{player_id}.json", copy_of_player(player_id), True, dry_run)]
    else:
        ids = named or all_games()
        done_with = "checked" if dry_run else "copied"
        copies = with_progress(ids, lambda done: f"{done} of {len(ids)} games {done_with}")
        changes = [_write_game(directory, each, dry_run) for each in copies]
    tell(dry_run, changes)


def _check_shelf(**_: object) -> None:
    if read_settings().shelf is None:
        raise click.ClickException("STERNENPOST_SHELF is not set. Set it to the directory for the files.")


@click.command(epilog=example("shelve --dry-run", "shelve --older-than P90D"))
@click.option(
    "--older-than",
    "over_for",
    type=length,
    default="P365D",
    show_default=True,
    metavar="P365D",
    help="Only games that finished at least this long ago.",
)
@dry_run
@checked_by(_check_shelf)
@in_app
def shelve(app: Flask, settings: Settings, over_for: timedelta, dry_run: bool) -> None:
    """Move the events of old games to files. Run this as the owner of the tables. Each game becomes an archive in
    STERNENPOST_SHELF, which is checked before the rows are deleted. Web processes and workers then read the events from these files."""
    ids = games_to_shelve(over_for)
    if dry_run:
        tell(dry_run, [f"the events of {len(ids)} games move to {settings.shelf}"] if ids else [])
        return
    note_command()
    changes, flaws = [], 0
    with psycopg.connect(settings.database_url or embedded_postgres.address(settings.data), autocommit=True) as owner:
        for game_id in with_progress(ids, lambda done: f"{done} of {len(ids)} games checked"):
            try:
                if shelve_game(game_id, owner):
                    changes.append(f"the events of game {game_id} moved to {shelf.path_of(game_id)}")
            except Flaw as flaw:
                click.echo(f"Game {game_id} is not moved: {flaw}", err=True)
                flaws += 1
            except OSError as error:
                raise click.ClickException(f"Game {game_id} and later ones are not moved: {error}") from None
            except psycopg.errors.InsufficientPrivilege:
                raise click.ClickException("The login in DATABASE_URL does not own the tables.") from None
    tell(dry_run, changes)
    if flaws:
        raise SystemExit(1)


def _write_game(directory: Path, game_id: UUID, dry_run: bool) -> str:
    copy = copy_of_game(game_id)
    is_secret = exports.is_secret(copy)
    return _write(directory / f"{game_id}{'.secret' if is_secret else ''}.json", copy, is_secret, dry_run)


def _write(path: Path, copy: Json, is_secret: bool, dry_run: bool) -> str:
    """Write a file, and replace an old one atomically."""
    if not dry_run:
        new = path.with_name(path.name + ".new")
        with io.TextIOWrapper(private_files.create(new), encoding="utf-8") as file:
            json.dump(copy, file, default=in_json, ensure_ascii=False, indent=1)
        new.replace(path)
    return f"{path}{' (SECRET: keep it private)' if is_secret else ''} is written"
