"""Private notes that players write about a game, and whether they mute its chat."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from server.games import Json
from server.play.views import load_visible
from server.sanitize import plain
from server.store.database_retry import with_retries
from server.store.tables import Note, db


def note_of(game_id: UUID, player_id: UUID) -> Json:
    """Return the player's note about a visible game. Raise NotFound if the player can't see the game."""
    load_visible(game_id, player_id)
    note = db.session.get(Note, (player_id, game_id), populate_existing=True)
    return {"text": note.text if note else "", "muted": bool(note and note.muted)}


@with_retries
def keep_note(game_id: UUID, player_id: UUID, changes: Json) -> Json:
    """Create or change a note. Raise NotFound if the player can't see the game."""
    note = note_of(game_id, player_id) | changes
    note["text"] = plain(note["text"])
    row = insert(Note).values(player_id=player_id, game_id=game_id, **note)
    db.session.execute(row.on_conflict_do_update(index_elements=["player_id", "game_id"], set_=note))
    db.session.commit()
    return note


def deaf(game_id: UUID, players: Collection[UUID]) -> set[UUID]:
    """Return the players who have muted this game's chat."""
    muted = select(Note.player_id).where(Note.player_id.in_(players), Note.game_id == game_id, Note.muted)
    return set(db.session.scalars(muted)) if players else set()
