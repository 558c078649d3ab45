"""Accounts that a program plays: their owners mark them, others see it wherever they sit, and a host may keep them out.

At a nameless table a mark would tell who sits where, so none is shown before the end. Such a table lets programs in only if
its host says so, which all see before they sit down.
"""

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
    """What a player's `program_since` becomes as he marks his account or takes the mark off: while he sits nowhere, and not
    once a game was played as a program. Raises BadField, SignInFirst."""
    expect_no_guest(player_id)  # his seats may become those of another account
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
    """Whether a player may sit in a game that lets programs in, or does not."""
    return programs or program_since(player_id) is None


def expect_admitted(programs: bool, player_id: UUID) -> None:
    """Before a player sits down, which a program does no more often than it may. Raises NoPrograms, TooMany."""
    if not is_admitted(programs, player_id):
        raise NoPrograms("This game is for humans only, and a program plays your account.")
    expect_within(*comings(player_id))


def comings(player_id: UUID) -> Sequence[Use]:
    """What coming to a game counts for."""
    return [Use("program-games", player_id)] if program_since(player_id) else []
