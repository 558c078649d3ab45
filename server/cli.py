"""The command `sternenpost`."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

import click
import yaml
from flask import Flask

from server import logs, play, sandbox, worker
from server.app import create_app
from server.config import BadSetting, Settings
from server.post.mail import Unreachable, carrier
from server.store import migrate as migrations


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
        return Settings.from_environment()
    except BadSetting as error:
        raise click.ClickException(str(error)) from None


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
    """Check database, beats, letters, overdue seats, clock and mail; exit status 1 if anything is ill."""
    found = play.parts()
    if found["database"] == "ok":
        skew = play.clock_skew()
        found["clock"] = "ok" if skew <= play.SKEW else f"{skew} apart from the database's"
    try:
        carrier(settings.smtp_url or app.config["MAILBOX"]).check()
        found["mail"] = "ok"
    except (Unreachable, OSError) as error:
        found["mail"] = str(error)
    for part, state in found.items():
        click.echo(f"{part}: {state}")
    if any(state != "ok" for state in found.values()):
        raise SystemExit(1)


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
