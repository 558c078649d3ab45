"""Sends a push notification to its reader's browsers."""

import json
import ssl
import time
from functools import cache
from typing import Any

from flask import current_app
from flask_babel import force_locale, gettext

from server.accounts.bans import is_welcome
from server.accounts.calendars import stored_zone
from server.accounts.notice_kinds import NOTICE_KINDS, READY_ASKED, TAKE_BACK_ASKED, VOTE_ASKED, VOTE_REFUSED
from server.accounts.players import stored_locale
from server.clock import clock
from server.games import Json
from server.play.game import Game
from server.play.notices import ends_at, notice_in, still_matters
from server.play.seating.lobby import waiting_games
from server.play.votes import REFUSALS, REQUESTS
from server.push.encryption import LONGEST_TTL, Browser, authorization, encrypt, to_text
from server.push.queue import is_overtaken
from server.push.subscriptions import drop, server_key, subscriptions_of
from server.store.connections import let_go
from server.store.tables import LetterRow, Player
from server.translations import language, noted
from server.translations.times import moment
from server.webhooks.http import Request, Unanswered, fetch
from server.webhooks.targets import BadAddress, look_up, target_of

_TIMEOUT = 10.0  # seconds for each browser
_PATIENCE = 20.0  # seconds for all browsers of a reader
_GONE = (404, 410)  # RFC 8030, 7.3
_CONTACT = "mailto:postmaster@{host}"
_tls = cache(ssl.create_default_context)  # reading all root certificates takes longer than most requests


class NotTaken(Exception):
    """No push service has accepted the push notification, but a retry may succeed."""


def send(row: LetterRow, player: Player | None, game: Game) -> tuple[str, str]:
    """Send a push notification to each browser of its reader. Return the result and the reason for it. Raise NotTaken
    if a retry may succeed."""
    if player is None or not is_welcome(player) or not (ttl := _time_to_live(game, row)):
        return "dropped", noted("Outdated before we could send it")
    headers = {
        "TTL": f"{ttl}",
        "Topic": to_text(row.game_id.bytes),  # replaces undelivered push notifications about this game (RFC 8030, 5.4)
        "Urgency": "high" if NOTICE_KINDS[row.data["kind"]].is_urgent else "normal",
        "Content-Type": "application/octet-stream",
        "Content-Encoding": "aes128gcm",
    }
    message = Request(headers, json.dumps(_message(game, row, player)).encode())
    found = [
        (it.subscription_id, it.endpoint, Browser(it.p256dh, it.auth)) for it in subscriptions_of(player.player_id)
    ]
    key = server_key()
    let_go()  # waiting for a slow push service must not occupy a connection
    taken, failed, until = 0, "", time.monotonic() + _PATIENCE
    for number, (subscription_id, endpoint, browser) in enumerate(found):
        share = max(until - time.monotonic(), 0) / (len(found) - number)  # so that each gets its share of the time
        status, why = _post(endpoint, browser, message, key, min(share, _TIMEOUT))
        taken += 200 <= status < 300
        if status in _GONE:
            drop(player.player_id, subscription_id)
        elif not 200 <= status < 300:
            failed = why
    if failed and not taken:
        raise NotTaken(failed)
    return ("sent", "") if taken else ("dropped", noted("None of your browsers receive push notifications."))


def _time_to_live(game: Game, row: LetterRow) -> int:
    """Return how many seconds a push notification remains relevant, or 0 if it is outdated."""
    now, notice = clock.now(), notice_in(row)
    if is_overtaken(row) or not still_matters(game, row.seat, notice, now):
        return 0
    end = row.made_at + notice.kind.push_for if notice.kind.push_for else ends_at(notice, game.seats[row.seat])
    return max(0, min(int((end - now).total_seconds()), LONGEST_TTL)) if end else 0


def _message(game: Game, row: LetterRow, player: Player) -> Json:
    kind, due_at, values = NOTICE_KINDS[row.data["kind"]], game.seats[row.seat].due_at, {}
    if kind.is_about_turn and "turn" not in row.data:  # a reminder of a ready check
        kind = READY_ASKED
    locale = stored_locale(player.locale)
    if kind is TAKE_BACK_ASKED:
        values["who"] = game.names[row.data["by"]]
    elif due_at:
        values["due"] = moment(due_at, stored_zone(player.zone), language(locale))
    with force_locale(locale):
        if kind in (VOTE_ASKED, VOTE_REFUSED):
            wish, who = row.data["on"], game.names[row.data["by"]]
            name, sentences = ("request", REQUESTS) if kind is VOTE_ASKED else ("refusal", REFUSALS)
            values[name] = gettext(sentences[wish], who=who)
        words = gettext(kind.push, **values)
    return {
        "title": game.head.title,
        "body": words,
        "game": str(row.game_id),
        "kind": row.data["kind"],
        "waiting": len(waiting_games(player.player_id)),
    }


def _post(endpoint: str, browser: Browser, message: Request, key: Any, seconds: float) -> tuple[int, str]:
    """Return a pair: the status of the response (0 if there is no response), and the detail to store."""
    until = time.monotonic() + seconds
    try:
        target, body = target_of(endpoint), encrypt(message.body, browser)
        addresses = look_up(target, current_app.config["SANDBOX"], seconds)
        contact = _CONTACT.format(host=target_of(current_app.config["BASE_URL"]).host)
        headers = {**message.headers, "Authorization": authorization(key, target, contact)}
        left = max(round(until - time.monotonic(), 1), 0.1)
        status = fetch(target, addresses, Request(headers, body), _tls(), left).status
    except (Unanswered, BadAddress) as error:
        return 0, str(error)
    except ValueError:
        return 0, noted("These keys aren't valid for a push subscription.")
    except OSError:
        return 0, noted("We can't find the push service's address right now. Try again later.")
    return status, f"{status}"
