"""Mails that wait for whoever runs this: those to the postmaster, and those that could not be dealt with."""

from uuid import UUID

import click
from flask import Flask

from server.cli.audit import note_command
from server.cli.common import as_json, dry_run, example, in_app, limit, print_json, print_table, tell
from server.config import Settings
from server.play.postmaster import deal_again, drop_kept_mail, kept_mail, kept_mails
from server.post.incoming.mime import split
from server.rules import Json
from server.sanitize import clean, plain

_COLUMNS = ("arrived_at", "to", "game", "from", "subject", "fault", "id")
_LONGEST = 60


@click.group()
def mails() -> None:
    """List and show mails that wait for operators."""


@mails.command("list", epilog=example("mails list", "mails list --json"))
@limit
@as_json
@in_app
def list_mails(app: Flask, settings: Settings, limit: int, as_json: bool) -> None:
    """List them, the newest first. They are kept for 30 days."""
    found = [_listed(mail) for mail in kept_mails(limit)]
    if as_json:
        print_json(found)
    else:
        print_table(found, _COLUMNS)


def _listed(mail: Json) -> Json:
    head, _ = split(mail["raw"])
    facts = {"from": clean(head.first("from"), _LONGEST), "subject": clean(head.subject, _LONGEST)}
    return {name: value for name, value in mail.items() if name != "raw"} | facts


@mails.command(epilog=example("mails show 6f0c..."))
@click.argument("mail_id", type=click.UUID)
@in_app
def show(app: Flask, settings: Settings, mail_id: UUID) -> None:
    """Print a mail as it came, but for control characters."""
    click.echo(plain(kept_mail(mail_id)["raw"].decode("utf-8", "replace")))


@mails.command(epilog=example("mails again 6f0c..."))
@click.argument("mail_id", type=click.UUID)
@dry_run
@in_app
def again(app: Flask, settings: Settings, mail_id: UUID, dry_run: bool) -> None:
    """Have the workers deal once more with a mail for a seat, as when what stood in its way has been mended."""
    kept_mail(mail_id)
    if not dry_run:
        note_command()
        deal_again(mail_id)
    tell(dry_run, [f"mail {mail_id} is dealt with once more"])


@mails.command(epilog=example("mails drop 6f0c..."))
@click.argument("mail_id", type=click.UUID)
@dry_run
@in_app
def drop(app: Flask, settings: Settings, mail_id: UUID, dry_run: bool) -> None:
    """Keep a mail no longer."""
    kept_mail(mail_id)
    if not dry_run:
        note_command()
        drop_kept_mail(mail_id)
    tell(dry_run, [f"mail {mail_id} is dropped"])
