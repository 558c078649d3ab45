"""Commands for emails to the postmaster, and for emails that could not be processed."""

from functools import partial
from uuid import UUID

import click
from flask import Flask

from server.cli.audit import carry_out, note_command
from server.cli.common import as_json, dry_run, example, in_app, limit, print_found
from server.config import Settings
from server.games import Json
from server.play.mail.postmaster import deal_again, drop_kept_mail, kept_mail, kept_mails
from server.post.incoming.mime import head_and_body
from server.sanitize import clean, plain

_COLUMNS = ("arrived_at", "to", "game", "from", "subject", "fault", "id")
_LONGEST = 60


@click.group()
def mails() -> None:
    """List and show emails that need an operator."""


@mails.command("list", epilog=example("mails list", "mails list --json"))
@limit
@as_json
@in_app
def list_mails(app: Flask, settings: Settings, limit: int, as_json: bool) -> None:
    """List emails, newest first. They are stored for 30 days. The audit log records who looks at emails to seats."""
    found = [_listed(mail) for mail in kept_mails(limit)]
    if any(mail["game"] for mail in found):
        note_command()
    print_found(found, as_json, _COLUMNS)


def _listed(mail: Json) -> Json:
    head, _ = head_and_body(mail["raw"])
    facts = {"from": clean(head.first("from"), _LONGEST), "subject": clean(head.subject, _LONGEST)}
    return {name: value for name, value in mail.items() if name != "raw"} | facts


@mails.command(epilog=example("mails show 6f0c..."))
@click.argument("mail_id", type=click.UUID)
@in_app
def show(app: Flask, settings: Settings, mail_id: UUID) -> None:
    """Print an email as received, without control characters. The audit log records who looks at an email to a seat."""
    mail = kept_mail(mail_id)
    if mail["game"]:
        note_command()
    click.echo(plain(mail["raw"].decode("utf-8", "replace")))


@mails.command(epilog=example("mails again 6f0c..."))
@click.argument("mail_id", type=click.UUID)
@dry_run
@in_app
def again(app: Flask, settings: Settings, mail_id: UUID, dry_run: bool) -> None:
    """Process an email to a seat again. Use this after you fix what caused the failure."""
    kept_mail(mail_id)
    carry_out(dry_run, [f"email {mail_id} is processed again"], partial(deal_again, mail_id))


@mails.command(epilog=example("mails drop 6f0c..."))
@click.argument("mail_id", type=click.UUID)
@dry_run
@in_app
def drop(app: Flask, settings: Settings, mail_id: UUID, dry_run: bool) -> None:
    """Delete an email."""
    kept_mail(mail_id)
    carry_out(dry_run, [f"email {mail_id} is deleted"], partial(drop_kept_mail, mail_id))
