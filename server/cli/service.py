"""The parts that run, their settings and tables, and how they are."""

import json
import logging
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import click
import psycopg
import yaml
from flask import Flask

from server import sandbox, worker
from server.accounts import signed_links
from server.cli.audit import note_command
from server.cli.common import dry_run, example, in_app, length, read_settings, tell, until, written
from server.clock import clock
from server.config import Settings, masked
from server.operations.health import (
    NOT_RUNNING,
    SKEW,
    STOPPED,
    clock_skew,
    is_behind_a_pooler,
    owns_tables,
    parts,
    pooler_trouble,
    running,
    spreading_trouble,
)
from server.operations.motd import notice, put_up_notice, take_down_notice
from server.operations.shelve import shelf_trouble
from server.play.postmaster import mails_aside
from server.play.sandbox_clock import follow_clock
from server.post.dkim_signing import read_key
from server.post.dns_records import UNKNOWN, check_records
from server.post.incoming import smtp_server
from server.post.letters import mail_host
from server.post.mail_check import Way, answer_by_imap, check
from server.post.smtp import Unreachable, carrier
from server.sanitize import email_address
from server.store import embedded_postgres, spreading
from server.store import migrate as migrations
from server.store.connections import refusal_of
from server.store.tables import APP_ROLE

OWNS_TABLES = (
    "serves, but is who owns the tables: /docs/scaling tells how DATABASE_URL names a login that owns nothing, and "
    "`migrate` alone the owner"
)

NO_HINTS = (
    "nobody hears of changes at once, since DATABASE_URL_DIRECT is not set: streams and letters are some seconds late"
)
_NO_ILLNESS = (UNKNOWN, OWNS_TABLES, NO_HINTS)

log = logging.getLogger(__name__)


@click.command(epilog=example("web"))
def web() -> None:
    """Serve HTTP, until SIGTERM. On the loopback, unless GUNICORN_CMD_ARGS binds it elsewhere."""
    settings = read_settings()
    _look_for_database(settings)
    from server.web.server import serve

    serve()


def _look_for_database(settings: Settings) -> None:
    """One that is only away may come back, and nobody need start anything again: till then answers are 503."""
    try:
        psycopg.connect(settings.database_url or embedded_postgres.address(settings.data), connect_timeout=5).close()
    except psycopg.ProgrammingError as error:
        raise click.ClickException(f"DATABASE_URL cannot be meant: {str(error).strip()}.") from None
    except psycopg.OperationalError as error:
        if settings.database_url is None:
            raise click.ClickException(f"The database: {NOT_RUNNING}") from None
        log.warning("The database %s does not answer: %s", masked(settings.database_url), refusal_of(error))


@click.command("worker", epilog=example("worker"))
@in_app
def work(app: Flask, settings: Settings) -> None:
    """Watch the time, let bots move, carry letters. Until SIGTERM."""
    _look_for_database(settings)
    worker.work(app, settings)


@click.command("post", epilog=example("post"))
@in_app
def carry(app: Flask, settings: Settings) -> None:
    """Carry letters and call webhooks only, until SIGTERM. Each worker starts one of these."""
    worker.carry(app, settings)


@click.command(epilog=example("migrate --dry-run", "migrate"))
@dry_run
@in_app
def migrate(app: Flask, settings: Settings, dry_run: bool) -> None:
    """Bring the tables up to date, as their owner."""
    url = settings.database_url or embedded_postgres.address(settings.data)
    try:
        changes = [f"step {step}" for step in migrations.steps_ahead(url)]
        if migrations.lacks_rights(url):
            changes.append(
                f"role {APP_ROLE} gets its rights, which are not there: this copy was restored without roles"
            )
        if not dry_run:
            migrations.upgrade(url)
            if changes:
                note_command()
    except migrations.CannotMigrate as error:
        raise click.ClickException(str(error)) from None
    tell(dry_run, changes)


@click.command(epilog=example("spread --dry-run", "spread"))
@dry_run
@in_app
def spread(app: Flask, settings: Settings, dry_run: bool) -> None:
    """Spread the tables over the nodes of Citus, as their owner. While no web and no worker runs, and after each
    migration anew. What is spread already stays as it is."""
    if settings.database_url is None:
        raise click.ClickException("The embedded Postgres has one machine: DATABASE_URL names Citus.")
    if migrations.steps_ahead(settings.database_url):
        raise click.ClickException("The tables are not up to date: run `sternenpost migrate` first.")

    def go_on(steps: list[spreading.Step]) -> bool:
        if dry_run or not steps:
            tell(dry_run, [step.says for step in steps])
            return False
        if seen := running():
            raise click.ClickException(
                f"Stop webs and workers first, and wait for {STOPPED.seconds} seconds: there runs a {' and a '.join(seen)}."
            )
        note_command()
        click.echo("Now:")
        return True

    try:
        spreading.spread(settings.database_url, go_on, lambda step: click.echo(f"  {step.says}"))
    except (spreading.CannotSpread, migrations.CannotMigrate) as error:
        raise click.ClickException(str(error)) from None


@click.command(epilog=example("doctor", "doctor --mail ada@example.org"))
@click.option("--mail", "address", metavar="ADDRESS", help="Send a letter there, and wait for an answer to it.")
@click.option("--wait", type=click.IntRange(1), default=600, show_default=True, help="Seconds to wait for it.")
@click.option(
    "--imap", "mailbox", metavar="URL", help="Of ADDRESS, as imaps://user:password@host/INBOX: answer by itself."
)
@in_app
def doctor(app: Flask, settings: Settings, address: str | None, wait: int, mailbox: str | None) -> None:
    """Look whether all parts are well. Database, heartbeats, letters, mails, overdue seats, clock, mail out and in, and
    the DNS of a domain that sends mail; with --mail, the whole way of a letter and its answer. Exit status 1 if
    anything is ill."""
    found = parts()
    if found["database"] == "ok":
        skew = clock_skew()
        found["role"] = OWNS_TABLES if owns_tables() else "ok"
        if is_behind_a_pooler():
            found["pooler"] = pooler_trouble() or ("ok" if settings.database_url_direct else NO_HINTS)
        if (trouble := spreading_trouble()) is not None:
            found["spread"] = trouble or "ok"
        found["clock"] = "ok" if skew <= SKEW else f"{skew} apart from the database's"
        if (trouble := shelf_trouble()) is not None:
            found["shelf"] = trouble or "ok"
        if aside := mails_aside():
            found["mails aside"] = f"{aside} could not be dealt with: see `sternenpost mails list`"
    try:
        carrier(*(settings.smtp_url or [app.config["MAILBOX"]])).check()
        is_kept = settings.database_url and not settings.smtp_url and not settings.sandbox
        found["mail"] = f"SMTP_URL is not set: letters stay in {app.config['MAILBOX']}" if is_kept else "ok"
    except (Unreachable, OSError) as error:
        found["mail"] = str(error)
    if settings.mail_in:
        found["mail in"] = "; ".join(filter(None, map(_trouble_with, settings.mail_in))) or "ok"
    if settings.smtp_url and "." in (domain := mail_host(settings.base_url)):
        key = read_key(settings.dkim_key) if settings.dkim_key else None
        found |= check_records(domain, worker.reply_domain(settings), settings.dkim_selector, key)
    for part, state in found.items():
        click.echo(f"{part}: {state}")
    if address is not None:
        found = _mail_chain(app, settings, address, wait, mailbox) | found
    if any(state != "ok" and not state.startswith(_NO_ILLNESS) for state in found.values()):
        raise SystemExit(1)


def _mail_chain(app: Flask, settings: Settings, address: str, wait: int, mailbox: str | None) -> dict[str, str]:
    """What became of a letter and its answer, link by link."""
    if settings.smtp_url is None:
        return {}  # as is told above
    way = Way(worker.outgoing(app, settings), mail_host(settings.base_url), worker.reply_domain(settings))
    try:
        email_address(address)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if mailbox is None:
        click.echo(f"A letter is on its way to {address}. Answer it within {wait} seconds.")
    answer = answer_by_imap(mailbox, way, address, wait) if mailbox else None
    links = check(way, address, wait, answer)
    for link, state in links.items():
        click.echo(f"{link}: {state}")
    return links


def _trouble_with(way_in: str) -> str:
    """Why no mail comes in there; "" if it does."""
    try:
        if way_in.startswith("imaps:"):
            from server.post.incoming import imap  # which few need

            imap.check(way_in)
        else:
            smtp_server.check(urlsplit(way_in).netloc)
    except Unreachable as error:
        return str(error)
    return ""


@click.command(epilog=example('motd "Maintenance tonight at 22:00 UTC" --until P1D', "motd", "motd --remove"))
@click.argument("text", required=False)
@until
@click.option("--remove", is_flag=True, help="Take it down.")
@dry_run
@in_app
def motd(app: Flask, settings: Settings, text: str | None, until: datetime | None, remove: bool, dry_run: bool) -> None:
    """Show everybody a message of the day. In GET /v1, at the foot of pages and of turn mails. Without TEXT, print the
    present one."""
    if text and remove:
        raise click.UsageError("Either a text, or --remove.")
    if not text and not remove:
        found = notice()
        click.echo("There is none." if found is None else f"{found['text']} (until {written(found['until'])})")
        return
    if remove:
        if not dry_run:
            note_command()
            take_down_notice()
        tell(dry_run, ["the message of the day is taken down"])
        return
    if not dry_run:
        note_command()
        put_up_notice(text or "", until)
    tell(dry_run, [f"everybody is told until {written(until)}: {text}"])


@click.command("rotate-secret", epilog=example("rotate-secret", "rotate-secret --grace PT1S"))
@click.option(
    "--grace",
    type=length,
    default="P30D",
    show_default=True,
    metavar="P30D",
    help="How long old links stay good; PT1S if somebody else has the secret.",
)
@dry_run
@in_app
def rotate_secret(app: Flask, settings: Settings, grace: timedelta, dry_run: bool) -> None:
    """Sign links and addresses for replies with a new secret. What letters, invitations and calendars have of the old
    one stays good for a while, in every process, without a restart; then it is forgotten. Whoever has a calendar of due
    times makes a new address for it until then."""
    follow_clock()
    if not dry_run:
        note_command()
    until = clock.now() + grace if dry_run else signed_links.rotate_secret(grace)
    tell(dry_run, ["links are signed with a new secret", f"those signed before are good until {written(until)}"])


@click.command(epilog=example("openapi > api_spec/openapi.yaml"))
@in_app
def openapi(app: Flask, settings: Settings) -> None:
    """Print the OpenAPI document."""
    document = app.extensions["document"].to_dict()
    click.echo(
        yaml.safe_dump(json.loads(json.dumps(document)), sort_keys=False, allow_unicode=True, width=110), nl=False
    )


@click.command("sandbox", epilog=example("sandbox"))
@in_app
def open_sandbox(app: Flask, settings: Settings) -> None:
    """Make games in every state, and print where to look."""
    for line in sandbox.open_up(settings.base_url):
        click.echo(line)
