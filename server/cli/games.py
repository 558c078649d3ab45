"""Commands that list, show, replay, check and rebuild games."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import click
from flask import Flask

from server.cli.audit import note_command, note_reading
from server.cli.common import as_json, dry_run, example, in_app, length, limit, print_found, with_progress
from server.config import Settings
from server.errors import NotFound
from server.games import presentation as text
from server.games.presentation import sentence
from server.operations import queries
from server.operations.rebuild import all_games, check_game, rebuild_game
from server.play.archive import Flaw
from server.play.commits import load
from server.play.table import OVER, UNDER_WAY
from server.play.views import story, table_at
from server.store.database_retry import Unavailable, is_passing

_COLUMNS = ("id", "rules", "status", "version", "made_at", "due_at", "title")


@click.group()
def games() -> None:
    """List and show games."""


@games.command("list", epilog=example("games list --overdue", "games list --status running --older-than P90D --json"))
@click.option("--status", type=click.Choice((*UNDER_WAY, *OVER)))
@click.option("--older-than", type=length, metavar="P30D", help="Only games that were opened at least this long ago.")
@click.option("--overdue", is_flag=True, help="Only games with a seat that the worker should have processed by now.")
@limit
@as_json
@in_app
def list_games(
    app: Flask,
    settings: Settings,
    status: str | None,
    older_than: timedelta | None,
    overdue: bool,
    limit: int,
    as_json: bool,
) -> None:
    """List games, oldest first."""
    found = queries.games(status, older_than, overdue, limit)
    print_found(found, as_json, _COLUMNS)


@games.command(epilog=example("games show 3f0c9a52-6d1e-4b7a-9c35-2f3f6f1f8a10"))
@click.argument("game_id", metavar="GAME", type=click.UUID)
@as_json
@in_app
def show(app: Flask, settings: Settings, game_id: UUID, as_json: bool) -> None:
    """Show a GAME in detail. Prints seats and their times, votes, queued emails, and the most recent failures.

    The audit log records who viewed the game, unless it is over.
    """
    found = queries.game(game_id)
    note_reading(found["status"])
    print_found(found, as_json)


@click.command(epilog=example("replay 3f0c9a52-6d1e-4b7a-9c35-2f3f6f1f8a10 --at 12", "replay ... --seat 0"))
@click.argument("game_id", metavar="GAME", type=click.UUID)
@click.option(
    "--at", "version", type=click.IntRange(0), help="Version to show, counted in commits. Default: the newest."
)
@click.option("--seat", type=click.IntRange(0), help="Seat whose view to show. Default: what everyone sees.")
@in_app
def replay(app: Flask, settings: Settings, game_id: UUID, version: int | None, seat: int | None) -> None:
    """Print a GAME's events and table in words.

    The audit log records who viewed the game, unless it is over.
    """
    game = load(game_id)
    if seat is not None and seat >= len(game.seats):
        raise click.BadParameter(f"The seats are 0 to {len(game.seats) - 1}.", param_hint="--seat")
    table = table_at(game, game.table.version if version is None else version)
    note_reading(game.table.status)
    for item in story(game, seat):
        if item["version"] <= table.version and (told := sentence(item, game.names, rules_name=table.rules.NAME)):
            click.echo(f"{item['version']:>5}  {item['at'][:16]}  {told}")
    click.echo(f"\n{game.head.title} ({table.rules.NAME.capitalize()}), {table.status}, version {table.version}\n")
    if table.state is not None:
        click.echo(text.table(table.rules.NAME, table.rules.view(table.state, seat), game.names))


@click.command(epilog=example("check", "check 3f0c9a52-6d1e-4b7a-9c35-2f3f6f1f8a10"))
@click.argument("game_id", metavar="[GAME]", type=click.UUID, required=False)
@in_app
def check(app: Flask, settings: Settings, game_id: UUID | None) -> None:
    """Compare all games, or one, with their logs. Exit status 1 if a game differs from its log."""
    if _look_at(game_id, check_game).found:
        raise SystemExit(1)


@click.command(epilog=example("rebuild --dry-run", "rebuild 3f0c9a52-6d1e-4b7a-9c35-2f3f6f1f8a10"))
@click.argument("game_id", metavar="[GAME]", type=click.UUID, required=False)
@dry_run
@in_app
def rebuild(app: Flask, settings: Settings, game_id: UUID | None, dry_run: bool) -> None:
    """Recompute all games, or one, from their logs. Exit status 1 if a log itself is invalid."""
    if not dry_run:
        note_command()
    if _look_at(game_id, check_game if dry_run else rebuild_game).unsound:
        raise SystemExit(1)


@dataclass
class _Looked:
    """The number of games with findings, and the number of games with an invalid log."""

    found: int = 0
    unsound: int = 0


def _look_at(game_id: UUID | None, look: Callable[[UUID], list[str]]) -> _Looked:
    """Call `look` for this game, or for every game, and print what it finds."""
    ids, looked = [game_id] if game_id else all_games(), _Looked()
    for each in with_progress(ids, lambda done: f"{done} of {len(ids)} games checked, {looked.found} with findings"):
        try:
            lines = look(each)
        except (Flaw, NotFound, Unavailable) as error:
            if is_passing(error):
                raise
            lines = [str(error)]
            looked.unsound += 1
        looked.found += bool(lines)
        for line in lines:
            click.echo(f"{each}: {line}")
    return looked
