"""What commands share: the app around them, their options, and how they print.

What is imported within a function takes long, and a command that needs no database does without.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from server.config import Settings

if TYPE_CHECKING:
    from flask import Flask

    from server.rules import Json

T = TypeVar("T")
_NOT_IN_TIME = (
    "has not answered in time, so what was asked for may be done or not. Does somebody hold a table, or is a replica away "
    "that commits wait for?"
)
_MOST_TIDINGS = 1000  # things done between two lines that say how far it is, where no terminal shows it all the time


def read_settings() -> Settings:
    try:
        settings = Settings.from_environment()
        if settings.smtp_url:
            from server.post.smtp import carrier

            carrier(*settings.smtp_url)
        if settings.dkim_key:
            from server.post.dkim_signing import read_key

            read_key(settings.dkim_key)
    except ValueError as error:  # BadSetting, or the carrier's or key's
        raise click.ClickException(str(error)) from None
    return settings


def in_app(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command that gets the app and its settings, within the app's context; what cannot be done is told in a
    sentence, with exit status 1."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        from server.app import create_app
        from server.errors import PlayError
        from server.operations.health import parts
        from server.play.archive import Flaw
        from server.store.connections import let_go
        from server.store.database_retry import Unavailable, is_passing

        settings = read_settings()
        app: Flask = create_app(settings)
        with app.app_context():
            try:
                return command(app, settings, *args, **kwargs)
            except (PlayError, Flaw) as error:
                raise click.ClickException(str(error)) from None
            except click.ClickException:
                raise
            except Exception as error:
                let_go()
                if isinstance(error, Unavailable) and str(error):
                    raise click.ClickException(str(error)) from None
                state = parts()["database"]
                if state == "ok" and is_passing(error):
                    state = _NOT_IN_TIME
                if state == "ok":
                    raise
                raise click.ClickException(f"The database: {state}") from None

    return run


# Options and arguments


def moment(text: str) -> datetime:
    """`2026-12-24`, `2026-12-24T18:00` (both UTC), or a duration from now on such as `P7D`."""
    from server.clock import clock
    from server.durations import duration

    try:
        found = clock.now() + duration(text) if text.startswith("P") else datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"{text} is no time such as 2026-12-24, 2026-12-24T18:00 or P7D.") from None
    found = found.replace(tzinfo=UTC) if found.tzinfo is None else found
    if found <= clock.now():
        raise click.BadParameter(f"{text} is over.")
    return found


def length(text: str) -> timedelta:
    """`P30D`, `PT12H`."""
    from server.durations import duration

    try:
        return duration(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


dry_run = click.option("--dry-run", is_flag=True, help="Only say what would change.")
as_json = click.option("--json", "as_json", is_flag=True, help="For programs: one JSON document.")
limit = click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="At most so many.")
until = click.option(
    "--until", type=moment, metavar="TIME", help="2026-12-24, 2026-12-24T18:00 (UTC), or P7D from now."
)


# Printing


def example(*lines: str) -> str:
    """The end of a command's help."""
    return "\b\nFor example:\n" + "\n".join(f"  sternenpost {line}" for line in lines)


def tell(dry_run: bool, changes: Sequence[str]) -> None:
    """What a command does, or would do."""
    click.echo("Nothing was changed. Without --dry-run:" if dry_run else "Done:")
    for change in changes or ["nothing"]:
        click.echo(f"  {change}")


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, default=written, indent=2, ensure_ascii=False))


def print_table(rows: "Sequence[Json]", columns: Sequence[str]) -> None:
    """Aligned, with a line of titles; nothing at all is told in a word."""
    if not rows:
        click.echo("None.")
        return
    table = [[column.replace("_", " ") for column in columns], *([written(row[it]) for it in columns] for row in rows)]
    widths = [max(len(line[place]) for line in table) for place in range(len(columns))]
    for line in table:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def print_facts(facts: "Json") -> None:
    """A line for each fact; below it those of a list."""
    for name, value in facts.items():
        title = name.replace("_", " ")
        if isinstance(value, list) and value and isinstance(value[0], dict):
            click.echo(f"{title}:")
            for each in value:
                click.echo("  " + ", ".join(f"{key} {written(it)}" for key, it in each.items() if it is not None))
        else:
            click.echo(f"{title}: {written(value)}")


def written(value: Any) -> str:
    match value:
        case None:
            return "-"
        case datetime():
            return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
        case dict() | list():
            return json.dumps(value, default=written, ensure_ascii=False) if value else "-"
        case _:
            return str(value)


def followed(things: Sequence[T], told: Callable[[int], str]) -> Iterator[T]:
    """Each of the things, while a terminal shows how far it is; elsewhere a line says so now and then, and at the end."""
    if sys.stderr.isatty():
        with click.progressbar(things, file=sys.stderr, show_pos=True) as shown:
            yield from shown
        click.echo(told(len(things)), err=True)
        return
    for number, thing in enumerate(things, 1):
        yield thing
        if number % _MOST_TIDINGS == 0 or number == len(things):
            click.echo(told(number), err=True)
