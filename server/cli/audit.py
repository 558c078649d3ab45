"""The audit log: which operator changed something with a command, or read hidden information, and when."""

import os
import pwd
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import click
from flask import Flask

from server.cli.common import as_json, as_text, example, in_app, limit, print_found, tell
from server.config import Settings
from server.operations import audit as audits
from server.play.table import OVER


def note_command() -> None:
    """Record in the audit log that this command runs. Call this before an action that cannot be undone."""
    context = click.get_current_context()
    given = {name: _plain(value) for name, value in context.params.items() if value not in (None, False, ())}
    audits.note(_operator(), context.command_path.partition(" ")[2], given)


def carry_out(dry_run: bool, changes: Sequence[str], *actions: Callable[[], object]) -> None:
    """Record and run the actions of this command, except with --dry-run. Print what they change."""
    if not dry_run:
        note_command()
        for action in actions:
            action()
    tell(dry_run, changes)


def note_reading(status: str) -> None:
    """Record in the audit log that this command shows a game of this status, unless the game is over and therefore
    public."""
    if status not in OVER:
        note_command()


def _operator() -> str:
    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container may have no user names
        user = str(os.getuid())
    sudo = os.environ.get("SUDO_USER")
    return f"{sudo} as {user}" if sudo and sudo != user else user


def _plain(value: Any) -> Any:
    if hasattr(value, "read"):
        return Path(value.name).name
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return value if isinstance(value, str | int | bool) else str(value) if isinstance(value, UUID) else as_text(value)


@click.command(epilog=example("audit", "audit --limit 200 --json"))
@limit
@as_json
@in_app
def audit(app: Flask, settings: Settings, limit: int, as_json: bool) -> None:
    """List the operators' actions, newest first.

    Each line has the time, the operating-system user, and the command with its arguments.
    """
    found = audits.entries(limit)
    print_found(found, as_json, ("at", "who", "command", "arguments"))
