"""The command `sternenpost`."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, BinaryIO, NamedTuple
from uuid import UUID

import click
import yaml
from flask import Flask

from server import logs, play, sandbox, worker
from server.app import create_app
from server.config import Settings
from server.play.errors import NotFound
from server.post.incoming import door
from server.post.letters import mail_host
from server.post.mail import Unreachable, carrier
from server.post.records import UNKNOWN, check_records
from server.post.signing import read_key
from server.store import migrate as migrations

_PROGRESS = 1000  # games between two lines that say how far it is


@click.group()
def main() -> None:
    """Sternenpost: a play-by-email server for Sternenhimmel and Sternenglanz."""
    logs.set_up()


def _in_app(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command that gets the app and its settings, within the app's context."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        settings = _settings()
        app = create_app(settings)
        with app.app_context():
            return command(app, settings, *args, **kwargs)

    return run


def _settings() -> Settings:
    try:
        settings = Settings.from_environment()
        if settings.smtp_url:
            carrier(settings.smtp_url)
        if settings.dkim_key:
            read_key(settings.dkim_key)
    except ValueError as error:  # BadSetting, or the carrier's or key's
        raise click.ClickException(str(error)) from None
    return settings


@main.command()
def web() -> None:
    """Serve HTTP on the loopback."""
    from server.web import serve

    _settings()
    serve()


@main.command("worker")
@_in_app
def work(app: Flask, settings: Settings) -> None:
    """Remind, time out, let bots move, and carry letters, until SIGTERM."""
    worker.work(app, settings)


@main.command("post")
@_in_app
def carry(app: Flask, settings: Settings) -> None:
    """Carry letters and call webhooks only, until SIGTERM; each worker starts one of these."""
    worker.carry(app, settings)


@main.command()
@_in_app
def migrate(app: Flask, settings: Settings) -> None:
    """Bring the tables up to date, as their owner."""
    migrations.upgrade(app.config["SQLALCHEMY_DATABASE_URI"])


@main.command()
def config() -> None:
    """List the settings, their defaults and values."""
    for name, default, value, meaning in _settings().listed():
        click.echo(f"{name}={value or '(unset)'}\n    {meaning}; default: {default or '(unset)'}")


@main.command()
@click.argument("email")
@_in_app
def player_token(app: Flask, settings: Settings, email: str) -> None:
    """Print a token of the player with this address, who is made if need be. For operators and tests."""
    try:
        address = play.email_address(email).lower()
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    click.echo(play.player_token(address))


@main.command()
@_in_app
def doctor(app: Flask, settings: Settings) -> None:
    """Check database, beats, letters, mails, overdue seats, clock, mail out and in, and the DNS of a domain that sends
    mail; exit status 1 if anything is ill."""
    found = play.parts()
    if found["database"] == "ok":
        skew = play.clock_skew()
        found["clock"] = "ok" if skew <= play.SKEW else f"{skew} apart from the database's"
    try:
        carrier(settings.smtp_url or app.config["MAILBOX"]).check()
        found["mail"] = "ok"
    except (Unreachable, OSError) as error:
        found["mail"] = str(error)
    if settings.mail_in:
        try:
            door.check(settings.mail_in)
            found["mail in"] = "ok"
        except Unreachable as error:
            found["mail in"] = str(error)
    if settings.smtp_url and "." in (domain := mail_host(settings.base_url)):
        key = read_key(settings.dkim_key) if settings.dkim_key else None
        found |= check_records(domain, worker.reply_domain(settings), settings.dkim_selector, key)
    for part, state in found.items():
        click.echo(f"{part}: {state}")
    if any(state != "ok" and not state.startswith(UNKNOWN) for state in found.values()):
        raise SystemExit(1)


@main.command()
@click.argument("archive", type=click.File("rb"))
@click.option("--commitment", metavar="HEX", help="What you kept of GET /v1/games/{id} when the game was opened.")
def verify(archive: BinaryIO, commitment: str | None) -> None:
    """Check an archive: every hash, every draw, every rule. Needs no database; exit status 1 if anything is wrong."""
    try:
        game = play.check_archive(archive.read(play.LARGEST + 1))
    except play.Flaw as flaw:
        raise click.ClickException(str(flaw)) from None
    if commitment and commitment.strip().lower() != game.commitment:
        raise click.ClickException(f"This game had the commitment {game.commitment}, not the one that you kept.")
    click.echo(
        f"{len(game.rows)} events of game {game.start.terms['game']} ({game.table.status}): all as it should be."
    )
    if not commitment:
        click.echo(f"Is this the commitment that you saw when the game was opened? {game.commitment}")


@main.command("import")
@click.argument("archive", type=click.File("rb"))
@_in_app
def take_in(app: Flask, settings: Settings, archive: BinaryIO) -> None:
    """Check an archive and keep its game here, for everybody to see."""
    try:
        game_id = play.take_in(archive.read(play.LARGEST + 1))
    except play.Flaw as flaw:
        raise click.ClickException(str(flaw)) from None
    click.echo(f"{settings.base_url}/v1/games/{game_id}")


@main.command()
@click.argument("game_id", type=click.UUID, required=False)
@_in_app
def check(app: Flask, settings: Settings, game_id: UUID | None) -> None:
    """Compare what was made from the logs of all games, or of one, with these logs; exit status 1 if they differ."""
    if _look_at(game_id, play.check_game).found:
        raise SystemExit(1)


@main.command()
@click.argument("game_id", type=click.UUID, required=False)
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@_in_app
def rebuild(app: Flask, settings: Settings, game_id: UUID | None, dry_run: bool) -> None:
    """Make anew what was made from the logs of all games, or of one; exit status 1 if a log itself is not right."""
    play.follow_clock()
    if _look_at(game_id, play.check_game if dry_run else play.rebuild_game).unsound:
        raise SystemExit(1)


class _Looked(NamedTuple):
    """How many games had something to report, and how many of them have a log that is not right."""

    found: int
    unsound: int


def _look_at(game_id: UUID | None, look: Callable[[UUID], list[str]]) -> _Looked:
    """Look at this game, or at all of them one by one, and print what is found."""
    ids, found, unsound = [game_id] if game_id else play.all_games(), 0, 0
    for number, each in enumerate(ids, 1):
        try:
            lines = look(each)
        except (play.Flaw, NotFound) as error:
            lines, unsound = [str(error)], unsound + 1
        found += bool(lines)
        for line in lines:
            click.echo(f"{each}: {line}")
        if number % _PROGRESS == 0 or number == len(ids):
            click.echo(f"{number} of {len(ids)} games looked at, {found} with something to report", err=True)
    return _Looked(found, unsound)


@main.command()
@_in_app
def openapi(app: Flask, settings: Settings) -> None:
    """Print the OpenAPI document."""
    document = app.extensions["document"].to_dict()
    click.echo(
        yaml.safe_dump(json.loads(json.dumps(document)), sort_keys=False, allow_unicode=True, width=110), nl=False
    )


@main.command("sandbox")
@_in_app
def open_sandbox(app: Flask, settings: Settings) -> None:
    """Make a player with a game against bots, and print where to look."""
    for line in sandbox.open_up(settings.base_url):
        click.echo(line)


if __name__ == "__main__":
    main()
