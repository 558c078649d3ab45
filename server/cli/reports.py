"""The command for reports about players."""

from functools import partial
from uuid import UUID

import click
from flask import Flask

from server.accounts import blocks
from server.cli.audit import carry_out
from server.cli.common import as_json, dry_run, example, in_app, limit, print_found
from server.config import Settings

_COLUMNS = ("id", "at", "about", "by", "game", "text", "settled_at")


@click.command(
    epilog=example("reports", "reports --all --json", "reports --settle 6f0c1d4e-9a52-4b1c-8f3e-2d7a5b9c0e11")
)
@click.option("--all", "everything", is_flag=True, help="Include settled reports.")
@click.option("--settle", type=click.UUID, metavar="ID", help="Mark this report as settled. To act on it, see `ban`.")
@limit
@as_json
@dry_run
@in_app
def reports(
    app: Flask, settings: Settings, everything: bool, settle: UUID | None, limit: int, as_json: bool, dry_run: bool
) -> None:
    """List reports about players, oldest first. With --settle, mark a report as settled."""
    if settle is None:
        return print_found(blocks.reports(everything, limit), as_json, _COLUMNS)
    carry_out(dry_run, [f"report {settle} is settled"], partial(blocks.settle, settle))
