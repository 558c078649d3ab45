"""Commands that run the parts of the service, update its tables, and check its health."""

import json
import logging
from datetime import datetime, timedelta
from functools import partial
from urllib.parse import urlsplit

import click
import psycopg
import yaml
from flask import Flask

from server import sandbox, worker
from server.accounts import closing, signed_links
from server.accounts.closing import CLOSABLE
from server.cli.audit import carry_out, note_command
from server.cli.common import (
    as_text,
    checked_by,
    dry_run,
    example,
    in_app,
    in_app_without_clock,
    length,
    read_settings,
    tell,
    until,
)
from server.clock import clock
from server.config import Settings, mask_passwords, read_inbound_route
from server.operations.certificates import NotShown, smtp_certificate, web_certificate
from server.operations.health import (
    NOT_RUNNING,
    SKEW,
    STOPPED,
    clock_skew,
    is_behind_a_pooler,
    owns_tables,
    parts,
    pooler_trouble,
    running_parts,
    spreading_trouble,
)
from server.operations.shelve import shelf_trouble
from server.operations.stored_data import refused_data
from server.play.mail.postmaster import mails_aside
from server.play.talk.motd import notice, put_up_notice, take_down_notice
from server.play.timing.sandbox_clock import follow_clock
from server.post.dkim_signing import read_key
from server.post.dns_records import UNKNOWN, check_records
from server.post.incoming import smtp_server
from server.post.letters.compose import mail_host, trouble_with_letters
from server.post.mail_check import Way, answer_by_imap, check
from server.post.smtp import Unreachable, carrier
from server.sanitize import email_address
from server.store import embedded_postgres, spreading
from server.store import migrate as migrations
from server.store.connections import refusal_of
from server.store.tables import APP_ROLE

OWNS_TABLES = (
    "works, but DATABASE_URL names the owner of the tables: use a login that owns nothing, and the owner for `migrate` "
    "only, as in /docs/scaling"
)

NO_HINTS = (
    "DATABASE_URL_DIRECT is not set, so there are no Postgres notifications: streams and emails are a few seconds late"
)
CLOSED_BY_US = "by `sternenpost close`:"
_NO_ILLNESS = (UNKNOWN, OWNS_TABLES, NO_HINTS, CLOSED_BY_US)

log = logging.getLogger(__name__)


@click.command(epilog=example("web"))
def web() -> None:
    """Serve HTTP until SIGTERM. Listens on the loopback interface, unless GUNICORN_CMD_ARGS sets another address."""
    settings = read_settings()
    _look_for_database(settings)
    from server.web.server import serve

    serve()


def _look_for_database(settings: Settings) -> None:
    """Exit if DATABASE_URL is invalid. If Postgres is down, log that, and continue: requests get 503 until Postgres is
    back."""
    try:
        psycopg.connect(settings.database_url or embedded_postgres.address(settings.data), connect_timeout=5).close()
    except psycopg.ProgrammingError as error:
        raise click.ClickException(f"DATABASE_URL is invalid: {str(error).strip()}.") from None
    except psycopg.OperationalError as error:
        if settings.database_url is None:
            raise click.ClickException(f"The database: {NOT_RUNNING}") from None
        log.warning("The database %s does not respond: %s", mask_passwords(settings.database_url), refusal_of(error))


@click.command("worker", epilog=example("worker"))
@in_app_without_clock
def work(app: Flask, settings: Settings) -> None:
    """Watch deadlines, move for bots and send emails until SIGTERM."""
    _look_for_database(settings)
    worker.work(app, settings)


@click.command("post", epilog=example("post"))
@in_app_without_clock
def carry(app: Flask, settings: Settings) -> None:
    """Send emails and call webhooks until SIGTERM. Each worker starts one of these processes."""
    worker.carry(app, settings)


@click.command(epilog=example("think"))
@in_app_without_clock
def think(app: Flask, settings: Settings) -> None:
    """Compute bot moves until SIGTERM. Each worker starts STERNENPOST_THINKERS of these processes."""
    worker.think(app, settings)


@click.command(epilog=example("migrate --dry-run", "migrate"))
@dry_run
@in_app_without_clock
def migrate(app: Flask, settings: Settings, dry_run: bool) -> None:
    """Migrate the database schema. Run this as the owner of the tables."""
    url = settings.database_url or embedded_postgres.address(settings.data)
    try:
        changes = [f"step {step}" for step in migrations.steps_ahead(url)]
        if migrations.lacks_rights(url):
            changes.append(f"role {APP_ROLE} gets its missing rights: this copy was restored without roles")
        if not dry_run:
            migrations.upgrade(url)
            if changes:
                follow_clock()
                note_command()
    except migrations.CannotMigrate as error:
        raise click.ClickException(str(error)) from None
    tell(dry_run, changes)


@click.command(epilog=example("spread --dry-run", "spread"))
@dry_run
@in_app_without_clock
def spread(app: Flask, settings: Settings, dry_run: bool) -> None:
    """Distribute the tables across the Citus nodes. Run this as the owner of the tables, with web and worker stopped, and
    again after each migration. Completed steps are skipped."""
    if settings.database_url is None:
        raise click.ClickException(
            "The embedded Postgres has only one machine. Set DATABASE_URL to the Citus coordinator."
        )
    if migrations.steps_ahead(settings.database_url):
        raise click.ClickException("The tables are not up to date. Run `sternenpost migrate` first.")

    def go_on(steps: list[spreading.Step]) -> bool:
        if dry_run or not steps:
            tell(dry_run, [step.says for step in steps])
            return False
        if seen := running_parts():
            raise click.ClickException(
                f"Stop web and worker first, and wait {STOPPED.seconds} seconds. Still running: {', '.join(seen)}."
            )
        note_command()
        click.echo("Steps:")
        return True

    try:
        spreading.spread(settings.database_url, go_on, lambda step: click.echo(f"  {step.says}"))
    except (spreading.CannotSpread, migrations.CannotMigrate) as error:
        raise click.ClickException(str(error)) from None


def _check_doctor(address: str | None, mailbox: str | None, **_: object) -> None:
    if mailbox is not None and not _is_mailbox(mailbox):
        raise click.UsageError(f"--imap must be like imaps://user:password@host/INBOX, not {mask_passwords(mailbox)}.")
    if address is not None:
        try:
            email_address(address)
        except ValueError as error:
            raise click.UsageError(str(error)) from None


@click.command(epilog=example("doctor", "doctor --mail ada@example.org"))
@click.option("--mail", "address", metavar="ADDRESS", help="Send a test email to this address and wait for a reply.")
@click.option("--wait", type=click.IntRange(1), default=600, show_default=True, help="Seconds to wait for the reply.")
@click.option(
    "--imap",
    "mailbox",
    metavar="URL",
    help="Mailbox for ADDRESS, for example imaps://user:password@host/INBOX. The command replies from this mailbox.",
)
@checked_by(_check_doctor)
@in_app_without_clock
def doctor(app: Flask, settings: Settings, address: str | None, wait: int, mailbox: str | None) -> None:
    """Check the health of the whole system. This covers the database, heartbeats, queued emails in both directions,
    overdue seats, the clock, outbound and inbound mail, and your mail domain's DNS records. With --mail, also send a
    test email and wait for the reply. Exit status 1 if anything is wrong."""
    found = parts()
    if found["database"] == "ok":
        skew = clock_skew()
        found["role"] = OWNS_TABLES if owns_tables() else "ok"
        if is_behind_a_pooler():
            found["pooler"] = pooler_trouble() or ("ok" if settings.database_url_direct else NO_HINTS)
        if (trouble := spreading_trouble()) is not None:
            found["spread"] = trouble or "ok"
        if "clock" not in found:
            found["clock"] = "ok" if skew <= SKEW else f"differs from the database's clock by {skew}"
        found |= refused_data()
        if found.get("shelf", "ok") == "ok" and (trouble := shelf_trouble()) is not None:
            found["shelf"] = trouble or "ok"
        if shut := closing.closed():
            since = ", ".join(f"{what} since {as_text(at)}" for what, at in shut.items())
            found["closed"] = f"{CLOSED_BY_US} {since}"
        if aside := mails_aside():
            found["mails aside"] = f"{aside} could not be processed: see `sternenpost mails list`"
    if trouble := trouble_with_letters(settings.base_url, settings.reply_domain):
        found["letters"] = trouble
    try:
        carrier(*(settings.smtp_url or [app.config["MAILBOX"]])).check()
        is_kept = settings.database_url and not settings.smtp_url and not settings.sandbox
        found["mail"] = f"SMTP_URL is not set: emails stay in {app.config['MAILBOX']}" if is_kept else "ok"
    except (Unreachable, OSError) as error:
        found["mail"] = str(error)
    if settings.mail_in:
        found["mail in"] = "; ".join(filter(None, map(_trouble_with, settings.mail_in))) or "ok"
    found |= _certificates(settings)
    if settings.smtp_url and "." in (domain := mail_host(settings.base_url)):
        key = read_key(settings.dkim_key) if settings.dkim_key and found["DKIM key"] == "ok" else None
        found |= check_records(domain, settings.inbound_domain, settings.dkim_selector, key)
    for part, state in found.items():
        click.echo(f"{part}: {state}")
    if address is not None:
        found = _mail_chain(app, settings, address, wait, mailbox) | found
    if any(state != "ok" and not state.startswith(_NO_ILLNESS) for state in found.values()):
        raise SystemExit(1)


def _mail_chain(app: Flask, settings: Settings, address: str, wait: int, mailbox: str | None) -> dict[str, str]:
    """Return the state of each step by which an email reaches a player and the reply reaches us."""
    if settings.smtp_url is None:
        return {}  # reported above
    way = Way(
        worker.outgoing(app, settings), mail_host(settings.base_url), settings.inbound_domain, settings.desk_address
    )
    if mailbox is None:
        click.echo(f"Sent a test email to {address}. Reply to it within {wait} seconds.")
    answer = answer_by_imap(mailbox, way, address, wait) if mailbox else None
    links = check(way, address, wait, answer)
    for link, state in links.items():
        click.echo(f"{link}: {state}")
    return links


def _is_mailbox(url: str) -> bool:
    try:
        return read_inbound_route(url).startswith("imaps:")
    except ValueError:
        return False


def _certificates(settings: Settings) -> dict[str, str]:
    """Return what is wrong with this installation's certificates. A certificate that we cannot fetch is not an error."""
    listeners = [urlsplit(it).netloc for it in settings.mail_in or () if not it.startswith("imaps:")]
    asked = [partial(web_certificate, settings.base_url), *(partial(smtp_certificate, it) for it in listeners)]
    found, unseen = list[str](), list[str]()
    for ask in asked:
        try:
            if (trouble := ask()) is not None:
                found.append(trouble)
        except NotShown as error:
            unseen.append(f"{UNKNOWN}{error}")
    told = "; ".join(filter(None, found)) or next(iter(unseen), "ok" if found else "")
    return {"certificate": told} if told else {}


def _trouble_with(way_in: str) -> str:
    """Return why an inbound route does not work, or "" if it does."""
    try:
        if way_in.startswith("imaps:"):
            from server.post.incoming import imap  # slow, and rarely needed

            imap.check(way_in)
        else:
            smtp_server.check(urlsplit(way_in).netloc)
    except Unreachable as error:
        return str(error)
    return ""


def _check_motd(text: str | None, remove: bool, **_: object) -> None:
    if text and remove:
        raise click.UsageError("Use either a text or --remove.")


@click.command(epilog=example('motd "Maintenance tonight at 22:00 UTC" --until P1D', "motd", "motd --remove"))
@click.argument("text", required=False)
@until
@click.option("--remove", is_flag=True, help="Remove the current message.")
@dry_run
@checked_by(_check_motd)
@in_app
def motd(app: Flask, settings: Settings, text: str | None, until: datetime | None, remove: bool, dry_run: bool) -> None:
    """Show all players a message of the day. The message appears in GET /v1, on pages and at the end of emails about
    turns. Without TEXT, print the current message."""
    if not text and not remove:
        found = notice()
        click.echo("There is no message." if found is None else f"{found['text']} (until {as_text(found['until'])})")
        return
    if remove:
        return carry_out(dry_run, ["the message of the day is removed"], take_down_notice)
    told = [f"all players see until {as_text(until)}: {text}"]
    carry_out(dry_run, told, partial(put_up_notice, text or "", until))


_WHAT = click.argument("what", nargs=-1, required=True, metavar="WHAT...", type=click.Choice(list(CLOSABLE)))


@click.command(epilog=example("close sign-ups guests", "close mail-in --dry-run"))
@_WHAT
@dry_run
@in_app
def close(app: Flask, settings: Settings, what: tuple[str, ...], dry_run: bool) -> None:
    """Close sign-ups, guests, apps or inbound mail until `open`. Takes effect immediately. `doctor` lists what
    is closed.

    \b
    sign-ups: no new accounts. Players with an account can still sign in.
    guests: no new guests.
    apps: no new app registrations.
    mail-in: senders are asked to retry later, and mailboxes are not read.
    """
    named = dict.fromkeys(what)
    carry_out(dry_run, [f"{it}: closed" for it in named], *(partial(closing.close, it) for it in named))


@click.command("open", epilog=example("open sign-ups guests"))
@_WHAT
@dry_run
@in_app
def open_again(app: Flask, settings: Settings, what: tuple[str, ...], dry_run: bool) -> None:
    """Reopen what `close` has closed. Takes effect immediately."""
    named = dict.fromkeys(what)
    carry_out(dry_run, [f"{it}: open" for it in named], *(partial(closing.open_again, it) for it in named))


@click.command("rotate-secret", epilog=example("rotate-secret", "rotate-secret --grace PT1S"))
@click.option(
    "--grace",
    type=length,
    default="P30D",
    show_default=True,
    metavar="P30D",
    help="How long links signed with the previous secret stay valid. Use PT1S if that secret has leaked.",
)
@dry_run
@in_app
def rotate_secret(app: Flask, settings: Settings, grace: timedelta, dry_run: bool) -> None:
    """Sign links and reply addresses with a new secret. No restart is needed. Links that have already been sent in
    emails, invitations and calendars stay valid for a while. Before these links expire, players must create a new
    address for their calendar feed."""
    if not dry_run:
        note_command()
    until = clock.now() + grace if dry_run else signed_links.rotate_secret(grace)
    tell(
        dry_run,
        [
            "links are signed with a new secret",
            f"links signed with the previous secret are valid until {as_text(until)}",
        ],
    )


@click.command(epilog=example("openapi > api_spec/openapi.yaml"))
@in_app_without_clock
def openapi(app: Flask, settings: Settings) -> None:
    """Print the OpenAPI document."""
    document = app.extensions["document"].to_dict()
    click.echo(
        yaml.safe_dump(json.loads(json.dumps(document)), sort_keys=False, allow_unicode=True, width=110), nl=False
    )


@click.command("sandbox", epilog=example("sandbox"))
@in_app_without_clock
def open_sandbox(app: Flask, settings: Settings) -> None:
    """Create a game in each state, and print the games' addresses."""
    for line in sandbox.open_up(settings.base_url):
        click.echo(line)
