"""Accounts that belong to programs. Their owners mark them as programs. Other players see the mark, and hosts can
exclude such accounts. In anonymous games the mark would identify the player, so it is hidden until the end. Programs
can join an anonymous game only if its host admits them. Players see this setting before they join."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, select

from server.accounts.guests import expect_no_guest
from server.accounts.players import program_since
from server.accounts.rate_limits import Use, expect_within
from server.clock import clock
from server.errors import BadField, NoPrograms
from server.store.tables import PlayerGame, db


def marked_since(player_id: UUID, is_program: bool) -> datetime | None:
    """Return a player's new `program_since`. A player can change the mark only while they have no seat. The mark
    becomes permanent once the program has played a game. Raise BadField, SignInFirst."""
    expect_no_guest(player_id)  # their seats may become another account's
    since = program_since(player_id)
    if is_program == (since is not None):
        return since
    if _has_game(player_id, PlayerGame.over_at.is_(None)):
        raise BadField("program", "You have a seat in an unfinished game. Change the mark when you have no seat.")
    if since and _has_game(player_id, PlayerGame.over_at >= since):
        raise BadField("program", "A program has played a game with this account, so the mark is permanent.")
    return clock.now() if is_program else None


def _has_game(player_id: UUID, which: ColumnElement[bool]) -> bool:
    found = select(PlayerGame.game_id).where(PlayerGame.player_id == player_id, which).limit(1)
    return db.session.scalars(found).first() is not None


def is_admitted(programs: bool, player_id: UUID) -> bool:
    """Return whether the player may join a game with this setting for programs."""
    return programs or program_since(player_id) is None


def expect_admitted(programs: bool, player_id: UUID) -> None:
    """Raise NoPrograms if this player is a program and the table excludes programs, or TooMany if the program has
    joined too many games."""
    if not is_admitted(programs, player_id):
        raise NoPrograms("This game is for humans only, and your account belongs to a program.")
    expect_within(*comings(player_id))


def comings(player_id: UUID) -> Sequence[Use]:
    """Return what joining a game counts against the rate limits."""
    return [Use("program-games", player_id)] if program_since(player_id) else []
