"""The chat of a table. Its players write, and all spectators can read."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import func, insert, select

from server.accounts.blocks import blocked_among
from server.accounts.notice_kinds import ANSWER, GAME_ENDED, MESSAGE, VOTE_ASKED, YOUR_TURN
from server.accounts.rate_limits import Use, expect_within
from server.clock import clock
from server.errors import BadField
from server.games import Json
from server.play.game import Game
from server.play.mail.letters import News, letter, note
from server.play.nameless import hides_names
from server.play.talk.notes import deaf
from server.play.views import load_visible, own_seat
from server.sanitize import paragraphs
from server.store import outbox
from server.store.connections import autocommit
from server.store.database_retry import committing, in_doubt, with_retries
from server.store.notify import notifier
from server.store.tables import Delivery, GameRow, Message, db
from server.store.watching import forget_message_emails, waiting_for, watchers_of

NO_TEXT: Final = "(deleted)"  # replaces the text of a message, so that all messages keep their numbers
_WAIT = timedelta(minutes=12)  # how long a message may be read at the table before an email shows it
_SELDOM = timedelta(hours=1)  # from one such email to the next
TELLING: Final = (MESSAGE.name, VOTE_ASKED.name)  # the kinds that show all messages not seen yet
SHOWING: Final = (YOUR_TURN.name, ANSWER.name, GAME_ENDED.name)  # the kinds of emails that show new messages

_HEAD = "SELECT options, status, version FROM games WHERE game_id = %s"
# A bundle lists the turns whose emails it replaces. It also lists turns that had their own emails. An email about the
# chat alone (its version is NULL) leaves the messages before a turn or the end to the email about that, even if that
# email still waits.
_NEW = """
WITH until AS (
SELECT CASE WHEN %(version)s::int IS NULL THEN 'infinity' ELSE max(recorded_at) END AS at FROM events
 WHERE game_id = %(game_id)s AND version <= coalesce(%(version)s, 0)
), shown AS (
SELECT letter_id, version, result FROM deliveries
 WHERE game_id = %(game_id)s AND player_id = %(reader)s AND kind = ANY(%(showing)s)
   AND (result = 'sent' OR (result = 'bundled' AND kind = %(turn)s))
UNION ALL
SELECT letter_id, version, 'waiting' FROM outbox
 WHERE %(version)s::int IS NULL AND game_id = %(game_id)s AND player_id = %(reader)s AND kind = ANY(%(showing)s)
), told AS (
SELECT max(version) AS version FROM shown
 WHERE %(version)s::int IS NULL OR version < %(version)s OR (version = %(version)s AND letter_id <> %(letter_id)s::uuid)
    OR (%(letter_id)s::uuid IS NULL AND 'bundled' <> ALL (SELECT result FROM shown WHERE version >= %(version)s))
)
SELECT m.nr, m.seat, m.player_id, p.name, m.text, m.at FROM messages m LEFT JOIN players p ON p.player_id = m.player_id
 WHERE m.game_id = %(game_id)s AND m.player_id <> %(reader)s AND m.text <> %(no_text)s
   AND m.at <= (SELECT at FROM until)
   AND m.at > coalesce((SELECT max(recorded_at) FROM events, told
                         WHERE game_id = %(game_id)s AND events.version <= told.version), '-infinity')
   AND m.at > coalesce((SELECT max(d.at) FROM deliveries d, until
                         WHERE game_id = %(game_id)s AND player_id = %(reader)s AND kind = ANY(%(telling)s)
                           AND result = 'sent' AND d.at <= until.at), '-infinity')
 ORDER BY m.nr"""


@with_retries
def say(game_id: UUID, player_id: UUID, words: str) -> Json:
    """Add a message. Raise NotFound, NotSeated, BadField, TooMany."""
    text = paragraphs(words)
    if not text:
        raise BadField("text", "This text has no visible characters.")
    lost: Json | None = in_doubt()
    if lost is not None and _is_stored(game_id, player_id, lost):
        return lost
    game = load_visible(game_id, player_id)
    seat = own_seat(game, player_id)
    expect_within(Use("messages", player_id), Use("messages-hourly", player_id))
    db.session.execute(select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update())
    now = clock.now()  # after the lock, so that times follow the numbers
    last = db.session.execute(select(func.max(Message.nr)).where(Message.game_id == game_id)).scalar() or 0
    row = {"nr": last + 1, "seat": seat, "text": text, "at": now}
    db.session.execute(insert(Message).values(game_id=game_id, player_id=player_id, **row))
    outbox.put(game_id, _letters_about(game, player_id, last + 1, now))
    own = game.seats[seat]
    speaker = own.owner if own.owner and own.owner_id == player_id else own.person
    said = _message(last + 1, seat, None if game.hides_names else speaker.name, text, now)
    with committing(said):
        db.session.commit()
    notifier.note_change(game_id)
    return said


def has_said(game_id: UUID, player_id: UUID, words: str, since: datetime) -> bool:
    """Return whether this player has written the same message to this table since then."""
    own = (Message.game_id == game_id) & (Message.player_id == player_id) & (Message.at >= since)
    query = select(Message.nr).where(own, Message.text == paragraphs(words)).limit(1)
    return db.session.execute(query).first() is not None


def _letters_about(game: Game, by: UUID, nr: int, now: datetime) -> list[Json]:
    """Return the notes to webhooks about a new message, and the emails that later show it. A player who is at the table
    now or has an email waiting gets no other email."""
    readers = {it.player_id: it for it in game.seats if it.player_id and it.player_id != by}
    readers = {it: readers[it] for it in readers.keys() - deaf(game.game_id, readers)}
    hooked = [it.seat for it in readers.values() if it.person.has_webhooks]
    of_game = (Delivery.game_id == game.game_id) & (Delivery.kind == MESSAGE.name) & (Delivery.result == "sent")
    mailed = select(Delivery.player_id, func.max(Delivery.at)).where(of_game).group_by(Delivery.player_id)
    last_mailed = {reader: at for reader, at in db.session.execute(mailed)}
    there = watchers_of(game.game_id, now)
    emails = [
        letter(game, News(MESSAGE, row.seat, {"nr": nr}), now)
        | {"dedupe": waiting_for(reader), "due_at": max(now + _WAIT, last_mailed.get(reader, now - _SELDOM) + _SELDOM)}
        for reader, row in readers.items()
        if not game.bot_at(row.seat) and reader not in there and (game.hides_names or not blocked_among(reader, {by}))
    ]
    return [note(game, News(MESSAGE, it, {"nr": nr}, str(nr)), now) for it in hooked] + emails


def _is_stored(game_id: UUID, player_id: UUID, said: Json) -> bool:
    key = (Message.game_id == game_id) & (Message.nr == said["nr"])
    mine = (Message.player_id == player_id) & (Message.at == said["at"])
    return db.session.execute(select(Message.nr).where(key & mine)).first() is not None


def messages(game_id: UUID, after: int, limit: int, reader: UUID | None = None) -> list[Json]:
    """Return the messages in a game's chat with a number greater than `after`, in order. No email shows them to
    `reader` any longer, except beside other news."""
    with autocommit() as connection:
        found = connection.execute(
            "SELECT m.nr, m.seat, p.name, m.text, m.at FROM messages m LEFT JOIN players p ON p.player_id = m.player_id "
            "WHERE m.game_id = %s AND m.nr > %s ORDER BY m.nr LIMIT %s",
            (game_id, after, limit),
        ).fetchall()
        head = connection.execute(_HEAD, (game_id,)).fetchone()
    if found and reader:
        forget_message_emails([(game_id, reader)])
    nameless = found and head and hides_names(*head)
    return [_message(nr, seat, None if nameless else name, text, at) for nr, seat, name, text, at in found]


def new_messages(game_id: UUID, reader: UUID, version: int | None, letter_id: UUID | None = None) -> list[Json]:
    """Return the messages that a player's email about this version of a game shows, in order.

    These are the messages since the version of the player's previous email, up to this version, so each email has its
    own. If `version` is None, the email is about the chat, and shows all newer messages. The following are left out: the
    player's own messages, deleted ones, and those of players they have blocked, unless players are anonymous. Players who
    have muted the chat get none. `letter_id`: the email itself, or None for a bundle.
    """
    asked = {"game_id": game_id, "reader": reader, "version": version, "letter_id": letter_id}
    kinds = {"showing": list(SHOWING), "turn": YOUR_TURN.name, "telling": list(TELLING), "no_text": NO_TEXT}
    with autocommit() as connection:
        found = connection.execute(_NEW, asked | kinds).fetchall()
        head = found and connection.execute(_HEAD, (game_id,)).fetchone()
    if not head or deaf(game_id, [reader]):
        return []
    nameless = hides_names(*head)
    unheard = set() if nameless else blocked_among(reader, {player_id for _, _, player_id, *_ in found})
    return [
        _message(nr, seat, None if nameless else name, text, at)
        for nr, seat, player_id, name, text, at in found
        if player_id not in unheard
    ]


def last_message(game_id: UUID) -> int:
    """Return the number of a game's newest message, or 0."""
    with autocommit() as connection:
        row = connection.execute("SELECT max(nr) FROM messages WHERE game_id = %s", (game_id,)).fetchone()
    return row[0] or 0 if row else 0


def _message(nr: int, seat: int, name: str | None, text: str, at: datetime) -> Json:
    return {"nr": nr, "seat": seat, "name": name, "text": text, "at": at}
