"""Coalescing: if turns begin in several of a player's games within minutes, one email covers them all.

An email waits up to two minutes while another game may bring its reader a turn, or while the reader is at the table.
The email is cancelled only if the reader moves. Players who chose `at-once` get their emails immediately.

Our replies to an email that names several games are sent as one email, which also contains the emails about the turns
that began since.

The email about a turn or about the end also contains the confirmation of the reader's last move by email, if that is
still waiting. Our reply to a player whose email pauses the game replaces the email about the pause. The email about the
first turn of a new player contains our answer to the email that started the game. So these emails wait briefly for
emails from their reader that are being processed.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from server.accounts.notice_kinds import ANSWER, DESK_ANSWER, GAME_ENDED, GAME_PAUSED, YOUR_TURN
from server.accounts.preferences import has_chosen
from server.clock import clock
from server.post.desk.addresses import stranger_id
from server.post.incoming.answering import LEASE
from server.store.desk import has_mail, numbers
from server.store.inbox import is_in_hand
from server.store.outbox import Waiting, confirmations_for, email_for, replies_in, replies_to_same
from server.store.tables import LetterRow, Player, db
from server.store.watching import Place, places_around

LONGEST = timedelta(minutes=2)  # the longest time from the start of a turn to its email
CONFIRMING = (YOUR_TURN.name, GAME_ENDED.name)  # kinds of emails that contain the confirmation of a move
MOST = 5  # turns in an email; mail programs truncate longer emails
_PROCESSING = LEASE + timedelta(seconds=10)  # long enough for another worker to take over
SOON = timedelta(seconds=1)
_MOST_TRIES = 3  # attempts to send several replies as one email
_SHARE = 20  # an email waits at most 1/20 of the time for a move


class Plan(NamedTuple):
    """What to do with a due email: send it, or look again later."""

    later: datetime | None  # when to check again; None: send the email now
    games: Collection[UUID] = ()  # games whose waiting emails may be sent together with this one
    is_seen: bool = False  # whether the reader is at the table
    replies: Sequence[Waiting] = ()  # other replies to the same email, which are sent together with this one
    reader: Player | None = None  # a reference keeps the row in the session's identity map


def plan(letter: Waiting, lapsed_at: datetime | None = None) -> Plan:
    """Return what to do with an email that is due. `lapsed_at`: see `outbox.due`."""
    if letter.kind in (ANSWER.name, DESK_ANSWER.name):
        return _plan_reply(letter, letter, lapsed_at)
    if letter.kind not in (*CONFIRMING, GAME_PAUSED.name):
        return Plan(None)
    reader, now = UUID(letter.reader), clock.now()
    is_new = now - letter.made_at < _PROCESSING
    if is_new and (is_in_hand([letter.owner], reader, letter.made_at) or _signs_up(reader, letter.made_at)):
        return Plan(now + SOON, is_seen=True)
    if letter.kind != YOUR_TURN.name:
        return Plan(None)
    if confirmed := confirmations_for(letter, lapsed_at):
        return _plan_reply(confirmed[-1], letter, lapsed_at)
    player = db.session.get(Player, reader)
    at_once = Plan(None, reader=player)
    if player is None or has_chosen(YOUR_TURN.name, player.notifications):
        return at_once
    places = places_around(reader, now)
    own = next((it for it in places if (it.game_id, it.player_id) == (letter.owner, reader)), None)
    if own is None or own.mails is not None:
        return at_once
    if any(it.game_id != letter.owner for it in places):
        for reply in replies_in(letter, lapsed_at):
            planned = _plan_reply(reply, letter, lapsed_at)
            if planned.later or planned.replies:
                return planned
    games = [it.game_id for it in places if it.player_id == reader and it.due_at and it is not own]
    later = None if letter.tries else put_off_until(own, letter.made_at, places, now)
    return Plan(later, games, own.is_there, reader=player)


def _plan_reply(reply: Waiting, carrier: Waiting, lapsed_at: datetime | None) -> Plan:
    """Return what to do with our reply to an email, which is due, or with the email about a turn that contains it. It
    waits for the other replies to that email."""
    reader, now = UUID(reply.reader), clock.now()
    games = numbers(reader)
    others = [it for it in games if it != reply.owner]
    if not others or carrier.tries >= _MOST_TRIES:
        return Plan(None)
    if now - reply.made_at < _PROCESSING and (
        is_in_hand(others, reader, reply.made_at) or has_mail(reader, reply.made_at)
    ):
        return Plan(now + SOON, is_seen=True)
    found = replies_to_same(reply, games, lapsed_at)
    if reply.letter_id not in {it.letter_id for it in found}:  # the post desk's reply to commands
        return Plan(None)
    around = {it.letter_id: email_for(it, lapsed_at) for it in found if it.table is LetterRow}
    of_end = {letter_id for letter_id, it in around.items() if it and it.kind == GAME_ENDED.name}
    replies = [it for it in found if it.letter_id not in (carrier.letter_id, *of_end)]
    if all(it.owner == reply.owner for it in replies):
        return Plan(None)
    waits = [it.due_at for it in replies if it.due_at > now and not it.tries and not around.get(it.letter_id)]
    later = min(now + SOON, *waits) if waits else None
    return Plan(later, is_seen=True, replies=replies)


def _signs_up(reader: UUID, by: datetime) -> bool:
    """Return whether an email to the post desk is being processed that has created the reader's account. The email about
    their turn can contain our answer."""
    player = db.session.get(Player, reader)
    return player is not None and by - player.made_at < _PROCESSING and has_mail(stranger_id(player.email), by)


def put_off_until(own: Place, began: datetime, places: Sequence[Place], now: datetime) -> datetime | None:
    """Return how long to hold back the email for a turn that began at `began`, or None if the email is due.

    `own` is the reader's place. `places` are all places at the tables where the reader plays.
    """
    if own.due_at is None:
        return None
    may_come = any(it.due_at and it.game_id != own.game_id and it.player_id != own.player_id for it in places)
    wait = LONGEST if may_come or own.is_there else timedelta()
    until = began + min(wait, (own.due_at - began) / _SHARE)
    return until if now < until else None
