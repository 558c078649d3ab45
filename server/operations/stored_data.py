"""Stored values that this release or machine rejects, as the command `doctor` lists them: row, field, and the value
used instead."""

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import func, select

from server.accounts.calendars import calendar, time_zone
from server.accounts.notice_kinds import WEBHOOK_KINDS
from server.accounts.preferences import CHOICES, check_notifications
from server.bots import BOTS
from server.games import GAMES, Json, RuleError
from server.play.planning.plans import is_readable
from server.play.seating.stand_ins import is_sound
from server.play.timing.time_control import game_clock
from server.play.timing.timeout_policy import ladder
from server.push.subscriptions import check_keys
from server.store.tables import GameRow, Plan, Player, PushSubscription, SeatRow, StandIn, Webhook, db
from server.stored_data import REFUSED
from server.translations import LOCALES
from server.webhooks.chats import FORMS
from server.webhooks.targets import target_of

MOST = 50  # rows listed by name
_AT_ONCE = 1000

Found = tuple[str, str]  # row and field, and the effect


def refused_data() -> dict[str, str]:
    """Return the effect of each rejected value, by row and field. If there are many, return the first and their number."""
    with db.session.no_autoflush:
        found = [it for scan in (_players, _games, _seats, _plans, _stand_ins, _webhooks, _browsers) for it in scan()]
    db.session.rollback()
    named = dict(found[:MOST])
    if len(found) > MOST:
        named["stored data"] = f"{len(found) - MOST} more values are rejected"
    return named


def _is_refused(read: Callable[..., object], *stored: Any) -> bool:
    try:
        read(*stored)
    except (RuleError, *REFUSED):
        return True
    return False


def _all(query: Any) -> Iterator[Any]:
    return iter(db.session.execute(query.execution_options(yield_per=_AT_ONCE)))


def _players() -> Iterator[Found]:
    columns = (Player.player_id, Player.locale, Player.zone, Player.calendar, Player.notifications)
    for player_id, locale, zone, hours, notifications in _all(select(*columns).where(Player.deleted_at.is_(None))):
        row = f"player {player_id}"
        if locale not in LOCALES:
            yield f"{row}, locale", "this installation lacks the language, so English is used"
        if _is_refused(time_zone, zone):
            yield f"{row}, zone", "this machine doesn't know the zone, so UTC is used: install a newer tzdata"
        if _is_refused(calendar, hours, "UTC"):
            yield f"{row}, calendar", "can't be read, so all hours count"
        if _is_refused(check_notifications, notifications):
            yield f"{row}, notifications", "contains an invalid choice, so the default is used"


def _games() -> Iterator[Found]:
    seats = select(SeatRow.game_id, func.count().label("number")).group_by(SeatRow.game_id).subquery()
    columns = (GameRow.game_id, GameRow.rules, GameRow.options, GameRow.clock, GameRow.on_timeout, seats.c.number)
    seen: dict[str, list[Found]] = {}  # most games have equal terms
    for game_id, *agreed in _all(select(*columns).join(seats, seats.c.game_id == GameRow.game_id)):
        key = repr(agreed)
        if key not in seen:
            seen[key] = list(_terms(*agreed))
        for field, instead in seen[key]:
            yield f"game {game_id}, {field}", instead


def _terms(rules: str, options: Any, clock: Any, on_timeout: Any, seats: int) -> Iterator[Found]:
    if rules not in GAMES:
        yield "rules", f"no installed game has the name {rules}, so requests for this game get 503"
    elif _is_refused(GAMES[rules].resolve_options, options, seats):
        yield "options", "its rules reject them, so requests for this game get 503"
    if _is_refused(game_clock, clock):
        yield "clock", "can't be read, so the default clock is used"
    if _is_refused(ladder, on_timeout, BOTS):
        yield "on_timeout", "can't be read, so the default steps are used"


def _seats() -> Iterator[Found]:
    columns = (SeatRow.bot, SeatRow.stand_in, SeatRow.mails, SeatRow.owner_mails, SeatRow.hours)
    for game_id, seat, bot, stand_in, mails, owner_mails, hours in _all(
        select(SeatRow.game_id, SeatRow.seat, *columns)
    ):
        row = f"game {game_id}, seat {seat}"
        for field, name in (("bot", bot), ("stand_in", stand_in)):
            if name not in (None, *BOTS):
                yield f"{row}, {field}", "this release lacks the bot, so the default bot plays"
        for field, choice in (("mails", mails), ("owner_mails", owner_mails)):
            if choice not in (None, *CHOICES):
                yield f"{row}, {field}", "is invalid, so the player's choice for all games is used"
        if hours is not None and _is_refused(_read_hours, hours):
            yield f"{row}, hours", "can't be read, so all hours or UTC count for the current turn"


def _read_hours(hours: Json) -> None:
    time_zone(hours["zone"])
    calendar(hours["calendar"] or {}, "UTC")


def _plans() -> Iterator[Found]:
    numbers = select(func.count()).where(SeatRow.game_id == Plan.game_id).correlate(Plan).scalar_subquery()
    columns = (Plan.game_id, Plan.seat, Plan.moves, GameRow.rules, numbers)
    for game_id, seat, moves, rules, seats in _all(select(*columns).join(GameRow, GameRow.game_id == Plan.game_id)):
        if rules in GAMES and not is_readable(GAMES[rules], seats, moves):
            yield f"game {game_id}, seat {seat}, plan", "can't be read, so the plan is ignored"


def _stand_ins() -> Iterator[Found]:
    numbers = select(func.count()).where(SeatRow.game_id == StandIn.game_id).correlate(StandIn).scalar_subquery()
    for asked, seats in db.session.execute(select(StandIn, numbers)).all():
        if asked.seat >= seats or not is_sound(asked):
            yield (f"game {asked.game_id}, seat {asked.seat}, stand-in", "the request is invalid, so it is ignored")


def _webhooks() -> Iterator[Found]:
    columns = (Webhook.player_id, Webhook.webhook_id, Webhook.url, Webhook.form, Webhook.kinds)
    for player_id, webhook_id, url, form, kinds in _all(select(*columns).where(Webhook.disabled.is_(None))):
        row = f"player {player_id}, webhook {webhook_id}"
        if _is_refused(target_of, url):
            yield f"{row}, url", "the target is not allowed, so its deliveries fail until it is disabled"
        if form not in (None, *FORMS):
            yield f"{row}, form", "this release lacks the form, so the standard form is sent"
        if any(kind not in WEBHOOK_KINDS for kind in kinds):
            yield f"{row}, kinds", "names a kind that this release lacks, which is ignored"


def _browsers() -> Iterator[Found]:
    columns = (PushSubscription.player_id, PushSubscription.subscription_id, PushSubscription.endpoint)
    keys = (PushSubscription.p256dh, PushSubscription.auth)
    for player_id, subscription_id, endpoint, p256dh, auth in _all(select(*columns, *keys)):
        row = f"player {player_id}, push subscription {subscription_id}"
        if _is_refused(target_of, endpoint):
            yield f"{row}, endpoint", "the target is not allowed, so this browser gets no notifications"
        if _is_refused(check_keys, p256dh, auth):
            yield f"{row}, keys", "can't be used, so this browser gets no notifications"
