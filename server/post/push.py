"""Push: what a player is told in his browsers, beside the letter about it. It waits in the outbox by itself, is tried again by
itself, and is noted with the letters."""

import json
import ssl
import time
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID, uuid5

from flask import current_app
from flask_babel import force_locale, gettext
from sqlalchemy import ColumnElement, select

from server.accounts.bans import is_welcome
from server.accounts.calendars import calendar, counting_hours, time_zone
from server.accounts.preferences import GAME_ENDED, PUSH, REMINDER, TAKE_BACK_ASKED, wants_push
from server.clock import clock
from server.play.game import Game
from server.play.seating.lobby import waiting_games
from server.play.seating.seats import is_asked
from server.play.votes import TAKE_BACK, votes_of
from server.rules import Json
from server.store import outbox
from server.store.connections import let_go
from server.store.outbox import Waiting
from server.store.tables import Delivery, LetterRow, Player, PlayerLetterRow, db
from server.translations import language, noted
from server.translations.times import moment
from server.webhooks.http import Unanswered, post
from server.webhooks.push_subscriptions import drop, server_key, subscriptions_of
from server.webhooks.targets import BadAddress, looked_up, target_of
from server.webhooks.web_push import LONGEST_TTL, Browser, authorization, encrypted, to_text

_TIMEOUT = 10.0  # seconds for one browser
_PATIENCE = 20.0  # seconds for all of one reader's
_GONE = (404, 410)  # RFC 8030, 7.3
_NEWS_OF_AN_END = 86_400  # seconds for which it is worth telling
_CONTACT = "mailto:postmaster@{host}"
_tls = cache(ssl.create_default_context)  # to read all authorities takes longer than most answers


class NotTaken(Exception):
    """No browser's push service took it; it may a little later."""


def note_beside(row: LetterRow | PlayerLetterRow, player: Player | None) -> None:
    """Have a letter's news told in its reader's browsers, too, if he wants that; not in his nights. Once for each letter.

    A guest is told nothing, since nobody waits for him.
    """
    if player is None or not player.has_push or player.guest_until is not None or not isinstance(row, LetterRow):
        return
    if not wants_push(row.kind, player.notifications):
        return
    letter_id = uuid5(row.letter_id, PUSH)
    was_told = select(Delivery.letter_id).where(Delivery.game_id == row.game_id, Delivery.letter_id == letter_id)
    if db.session.execute(was_told.limit(1)).first() is None:
        now = clock.now()
        told: Json = {
            "letter_id": letter_id,
            "dedupe": f"{row.dedupe}{PUSH}",
            "kind": PUSH,
            "data": {**row.data, "kind": row.kind},
            "made_at": now,
            "due_at": _awake_at(player, row, now),
        }
        outbox.put(row.game_id, [{it: getattr(row, it) for it in ("version", "seat", "player_id")} | told])
        db.session.commit()


def note_now(letter: Waiting) -> None:
    """As `note_beside`, of a letter that itself is put off."""
    player = db.session.get(Player, UUID(letter.reader))
    if player and player.has_push and (row := db.session.get(LetterRow, (letter.owner, letter.letter_id))):
        note_beside(row, player)


def _awake_at(player: Player, row: LetterRow, now: datetime) -> datetime:
    """When his hours begin again; at once if his time would run out before."""
    at = next(iter(counting_hours(now, calendar(player.calendar, player.zone))))[0]
    due_at = row.data.get("due_at")
    return now if due_at and at >= datetime.fromisoformat(due_at) else max(at, now)


def carry(row: LetterRow, player: Player | None, game: Game) -> tuple[str, str]:
    """Tell each browser of its reader; what became of it. Raises NotTaken."""
    if player is None or not is_welcome(player) or (ttl := _worth(game, row)) is None:
        return "dropped", noted("No longer true when it was to be written")
    message = json.dumps(_message(game, row, player)).encode()
    headers = {
        "TTL": f"{ttl}",
        "Topic": to_text(row.game_id.bytes),  # takes the place of what was not yet told of this game (RFC 8030, 5.4)
        "Urgency": "high" if row.data["kind"] == REMINDER else "normal",
        "Content-Type": "application/octet-stream",
        "Content-Encoding": "aes128gcm",
    }
    found = [
        (it.subscription_id, it.endpoint, Browser(it.p256dh, it.auth)) for it in subscriptions_of(player.player_id)
    ]
    key = server_key()
    let_go()  # so that no connection waits for a slow push service
    taken, failed, until = 0, "", time.monotonic() + _PATIENCE
    for number, (subscription_id, endpoint, browser) in enumerate(found):
        share = max(until - time.monotonic(), 0) / (len(found) - number)  # so that each is tried
        status, why = _post(endpoint, headers, encrypted(message, browser), key, min(share, _TIMEOUT))
        taken += 200 <= status < 300
        if status in _GONE:
            drop(player.player_id, subscription_id)
        elif not 200 <= status < 300:
            failed = why
    if failed and not taken:
        raise NotTaken(failed)
    return ("sent", "") if taken else ("dropped", noted("No browser of yours wants to be told any more."))


def _worth(game: Game, row: LetterRow) -> int | None:
    """For how many seconds this is news; None if it is none any more."""
    if _is_overtaken(row):
        return None
    if row.data["kind"] == GAME_ENDED:
        left = _NEWS_OF_AN_END - int((clock.now() - row.made_at).total_seconds())
        return left if left > 0 else None
    if row.data["kind"] == TAKE_BACK_ASKED:
        return _worth_asking(game, row)
    if not _waits(game, row):
        return None
    left = int((game.seats[row.seat]["due_at"] - clock.now()).total_seconds())
    return min(left, LONGEST_TTL) if left > 0 else None


def _waits(game: Game, row: LetterRow) -> bool:
    """Whether its reader has not done yet what he is asked for: a move, or to say that he is ready."""
    seat = game.seats[row.seat]
    if seat["player_id"] != row.player_id or seat["due_at"] is None:
        return False
    if "turn" not in row.data:
        return is_asked(game, row.seat)
    turn = game.table.turns[row.seat] if game.table.status == "running" and not game.bot_at(row.seat) else None
    return turn is not None and turn == row.data["turn"]


def _worth_asking(game: Game, row: LetterRow) -> int | None:
    """While the vote is open, and the reader has not consented."""
    asked = votes_of(row.game_id)[TAKE_BACK]
    if asked is None or asked["ends_at"] != row.data["ends_at"] or row.seat in asked["consents"]:
        return None
    if game.seats[row.seat]["player_id"] != row.player_id or game.bot_at(row.seat):
        return None
    left = int((datetime.fromisoformat(asked["ends_at"]) - clock.now()).total_seconds())
    return min(left, LONGEST_TTL) if left > 0 else None


def _is_overtaken(row: LetterRow) -> bool:
    """Whether the same reader was told something of this game since, or a later push waits for him, as after an outage."""

    def to_him(table: type[LetterRow | Delivery]) -> ColumnElement[bool]:
        return (table.game_id == row.game_id) & (table.player_id == row.player_id) & (table.kind == PUSH)

    queries = (
        select(LetterRow.letter_id).where(to_him(LetterRow), LetterRow.made_at > row.made_at),
        select(Delivery.letter_id).where(to_him(Delivery), Delivery.at > row.made_at, Delivery.result == "sent"),
    )
    return any(db.session.execute(query.limit(1)).first() for query in queries)


def _message(game: Game, row: LetterRow, player: Player) -> Json:
    with force_locale(player.locale):
        if row.data["kind"] == GAME_ENDED:
            words = gettext("The game is over.")
        elif row.data["kind"] == TAKE_BACK_ASKED:
            words = gettext("%(who)s asks to take a move back.", who=game.names[row.data["by"]])
        else:
            due = moment(game.seats[row.seat]["due_at"], time_zone(player.zone), language(player.locale))
            words = gettext("It is your turn, until %(due)s.", due=due)
            if "turn" not in row.data:
                words = gettext("All seats are taken. Say until %(due)s that you are ready.", due=due)
    return {
        "title": game.head["title"],
        "body": words,
        "game": str(row.game_id),
        "kind": row.data["kind"],
        "waiting": len(waiting_games(player.player_id)),
    }


def _post(endpoint: str, headers: Json, body: bytes, key: Any, seconds: float) -> tuple[int, str]:
    """The status of the answer, 0 if there is none; and what to note of it."""
    target, until = target_of(endpoint), time.monotonic() + seconds
    try:
        addresses = looked_up(target, current_app.config["SANDBOX"], seconds)
        contact = _CONTACT.format(host=target_of(current_app.config["BASE_URL"]).host)
        known = {"Authorization": authorization(key, target, contact)}
        left = max(round(until - time.monotonic(), 1), 0.1)
        status = post(target, addresses, headers | known, body, _tls(), left).status
    except (Unanswered, BadAddress) as error:
        return 0, str(error)
    except OSError:
        return 0, noted("The push service has no address at present.")
    return status, f"{status}"
