"""What players report of one another."""

from uuid import UUID

import click
from flask import Flask

from server.accounts import blocks
from server.cli.audit import note_command
from server.cli.common import as_json, dry_run, example, in_app, limit, print_json, print_table, tell
from server.config import Settings

_COLUMNS = ("id", "at", "about", "by", "game", "text", "settled_at")


@click.command(
    epilog=example("reports", "reports --all --json", "reports --settle 6f0c1d4e-9a52-4b1c-8f3e-2d7a5b9c0e11")
)
@click.option("--all", "everything", is_flag=True, help="Those that are settled, too.")
@click.option(
    "--settle", type=click.UUID, metavar="ID", help="Note that this one is dealt with. See `ban` for what to do."
)
@limit
@as_json
@dry_run
@in_app
def reports(
    app: Flask, settings: Settings, everything: bool, settle: UUID | None, limit: int, as_json: bool, dry_run: bool
) -> None:
    """List what players report of one another, the oldest first. Those that wait; or settle one."""
    if settle is None:
        found = blocks.reports(everything, limit)
        return print_json(found) if as_json else print_table(found, _COLUMNS)
    if not dry_run:
        note_command()
        blocks.settle(settle)
    tell(dry_run, [f"report {settle} is settled"])
