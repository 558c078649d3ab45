"""Archives handed out and taken in."""

from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from server.errors import NotFound
from server.operations.rebuild import head_of
from server.play import archive
from server.play.archive import Flaw
from server.play.commits import whole_log
from server.play.table import OVER
from server.play.views import seen_by
from server.rules import GAMES, Json
from server.store import log
from server.store.connections import in_transaction
from server.store.database_retry import committing, in_doubt, tried_again
from server.store.tables import GameRow, SeatRow, db

NOBODY = UUID(int=0)  # opened the games that came from elsewhere


def archive_of(game_id: UUID, player_id: UUID | None, invitation: str | None = None) -> Json:
    """The archive of a game that is over, if this person may see it. Raises NotFound."""
    game = seen_by(game_id, player_id, invitation)
    if not game.table.turns and game.table.status in OVER:
        raise NotFound("This game was closed before it had begun; there is nothing to check.")
    if game.table.status not in OVER:
        raise NotFound("This game is not over; its archive comes with its end.")
    return archive.make(game.head, game.seats, whole_log(game_id))


@tried_again
def take_in(raw: bytes) -> UUID:
    """Keep the game of an archive as a public one of this installation; nobody sits there. Raises Flaw."""
    start, rows, table, drawn = archive.check(raw)
    terms, game_id = start.terms, UUID(start.terms["game"])
    made = insert(GameRow).values(
        game_id=game_id,
        title=GAMES[terms["rules"]].NAME.capitalize(),
        private=False,
        made_by=NOBODY,
        host=NOBODY,
        made_at=rows[0].recorded_at,
        seed=start.seed,
        status="open",
        version=0,
        drawn=0,
        outcome=None,
        **{name: terms[name] for name in ("rules", "options", "clock", "on_timeout")},
    )
    if db.session.execute(made.on_conflict_do_nothing().returning(GameRow.game_id)).first() is None:
        db.session.rollback()
        if in_doubt() == game_id:
            return game_id
        raise Flaw(f"The game {game_id} is here already.")
    empty = {"game_id": game_id, "to_act": False, "lent": 0}
    seats = [
        {**empty, "seat": seat, "kind": "bot" if bot else "human", "bot": bot, "salt": salt, "stand_in": stand_in}
        for seat, (bot, salt, stand_in) in enumerate(zip(terms["bots"], start.salts, table.stand_ins, strict=True))
    ]
    db.session.execute(insert(SeatRow), seats)
    log.record(in_transaction(db.session.connection()), game_id, 0, head_of(table, drawn), rows, (), ())
    with committing(game_id):
        db.session.commit()
    return game_id
