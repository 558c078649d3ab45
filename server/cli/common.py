"""Shared parts of commands: the app context, options, and output.

Slow modules are imported within functions, since commands without a database do not need them.
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

    from server.games import Json

T = TypeVar("T")
_NOT_IN_TIME = (
    "has not answered in time, so the change may or may not have been made. Check for long locks on a table, and "
    "for a missing synchronous replica."
)
_MOST_TIDINGS = 1000  # items between two progress lines, without a terminal


def read_settings() -> Settings:
    try:
        settings = Settings.from_environment()
        if settings.smtp_url:
            from server.post.smtp import carrier

            carrier(*settings.smtp_url)
        if settings.dkim_key:
            from server.post.dkim_signing import read_key

            read_key(settings.dkim_key)
    except ValueError as error:  # BadSetting, or an error in the SMTP servers or the DKIM key
        raise click.ClickException(str(error)) from None
    return settings


def in_app(command: Callable[..., Any], follows_clock: bool = True) -> Callable[..., Any]:
    """Run a command in the app's context, with the app and its settings as arguments. Use the sandbox's clock if there
    is one.

    If the command fails, print one sentence, and exit with status 1.
    """

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        from server.app import create_app
        from server.clock import clock
        from server.errors import PlayError
        from server.operations.health import parts
        from server.play.archive import Flaw
        from server.play.timing.sandbox_clock import follow_clock
        from server.store.connections import let_go
        from server.store.database_retry import Unavailable, is_passing

        settings = read_settings()
        app: Flask = create_app(settings)
        with app.app_context():
            try:
                if follows_clock:
                    follow_clock()
                if isinstance(kwargs.get("until"), str):
                    kwargs["until"] = moment(kwargs["until"], clock.now())
                    click.get_current_context().params["until"] = kwargs["until"]  # for the audit log
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


def in_app_without_clock(command: Callable[..., Any]) -> Callable[..., Any]:
    """Run a command as `in_app` does, but with this machine's clock. Use this if the command starts a process, or if
    the tables may be missing."""
    return in_app(command, follows_clock=False)


def checked_by(check: Callable[..., None]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let `check` reject invalid arguments before `in_app` connects to the database."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(*args: Any, **kwargs: Any) -> Any:
            check(**kwargs)
            return command(*args, **kwargs)

        return run

    return decorate


# Options and arguments


def moment(text: str, now: datetime) -> datetime:
    """Parse `2026-12-24`, `2026-12-24T18:00` (both UTC), or a duration from now, such as `P7D`."""
    from server.durations import duration

    try:
        found = now + duration(text) if text.startswith("P") else datetime.fromisoformat(text)
    except ValueError:
        wrong = f"{text} is not a time such as 2026-12-24, 2026-12-24T18:00 or P7D."
        raise click.BadParameter(wrong, param_hint="'--until'") from None
    found = found.replace(tzinfo=UTC) if found.tzinfo is None else found
    if found <= now:
        raise click.BadParameter(f"{text} is in the past.", param_hint="'--until'")
    return found


def _some_moment(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    """Reject a time that is invalid, or in the past according to this machine's clock. `in_app` checks the time again
    with the sandbox's clock, which is ahead."""
    from server.clock import clock

    if text is not None:
        moment(text, clock.real())
    return text


def length(text: str) -> timedelta:
    """Parse a duration such as `P30D` or `PT12H`."""
    from server.durations import duration

    try:
        return duration(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


dry_run = click.option("--dry-run", is_flag=True, help="Only print what would change.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document, for programs.")
limit = click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="Maximum number of rows."
)
until = click.option(
    "--until",
    metavar="TIME",
    callback=_some_moment,
    help="End time: 2026-12-24, 2026-12-24T18:00 (both UTC), or P7D for seven days from now.",
)


# Printing


def example(*lines: str) -> str:
    """Return the examples at the end of a command's help."""
    return "\b\nFor example:\n" + "\n".join(f"  sternenpost {line}" for line in lines)


def tell(dry_run: bool, changes: Sequence[str]) -> None:
    """Print what a command has done or, with --dry-run, would do."""
    click.echo("Dry run: nothing was changed. This would happen:" if dry_run else "Done:")
    for change in changes or ["nothing"]:
        click.echo(f"  {change}")


def print_found(found: Any, as_json: bool, columns: Sequence[str] = ()) -> None:
    """Print a table of rows with these columns or, without columns, one line per fact. With --json, print JSON."""
    if as_json:
        click.echo(json.dumps(found, default=in_json, indent=2, ensure_ascii=False))
    elif columns:
        print_table(found, columns)
    else:
        print_facts(found)


def in_json(value: Any) -> str:
    """Return the text of a value that JSON cannot represent. Times have the API's form."""
    from server.store.log import moment_text

    return moment_text(value) if isinstance(value, datetime) else as_text(value)


def print_table(rows: "Sequence[Json]", columns: Sequence[str]) -> None:
    """Print an aligned table with column titles, or "None." if there are no rows."""
    if not rows:
        click.echo("None.")
        return
    table = [[column.replace("_", " ") for column in columns], *([as_text(row[it]) for it in columns] for row in rows)]
    widths = [max(len(line[place]) for line in table) for place in range(len(columns))]
    for line in table:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def print_facts(facts: "Json") -> None:
    """Print one line per fact. The items of a list follow, one per line."""
    for name, value in facts.items():
        title = name.replace("_", " ")
        if isinstance(value, list) and value and isinstance(value[0], dict):
            click.echo(f"{title}:")
            for each in value:
                click.echo("  " + ", ".join(f"{key} {as_text(it)}" for key, it in each.items() if it is not None))
        else:
            click.echo(f"{title}: {as_text(value)}")


def as_text(value: Any) -> str:
    match value:
        case None:
            return "-"
        case datetime():
            return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
        case dict() | list():
            return json.dumps(value, default=as_text, ensure_ascii=False) if value else "-"
        case _:
            return str(value)


def with_progress(things: Sequence[T], told: Callable[[int], str]) -> Iterator[T]:
    """Yield the items while showing a progress bar. Without a terminal, print a progress line occasionally and at the
    end."""
    if sys.stderr.isatty():
        with click.progressbar(things, file=sys.stderr, show_pos=True) as shown:
            yield from shown
        click.echo(told(len(things)), err=True)
        return
    for number, thing in enumerate(things, 1):
        yield thing
        if number % _MOST_TIDINGS == 0 or number == len(things):
            click.echo(told(number), err=True)
