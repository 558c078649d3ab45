"""Emails about an account: codes, apps that act for a player, and the bundle for all of a player's games."""

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, TypeVar
from uuid import UUID

from flask_babel import gettext

from server.accounts import notice_kinds
from server.accounts.apps import end_app_token, rights
from server.accounts.calendars import stored_zone
from server.accounts.mailed_codes import CODE_LIFE
from server.accounts.preferences import DEFAULT_TIMES, mail_choice, stored_notifications
from server.clock import clock
from server.play.commits import load
from server.play.seating.lobby import waiting_games
from server.post.batching import letters_in, put_into_newer
from server.post.letters.context import Reader, Recipient, builds, letter_for
from server.post.letters.several import YourTurns, turns_in_bundle
from server.post.wording import GameLetter, Letter, span, spoken
from server.webhooks.failures import failure
from server.webhooks.subscriptions import GONE

# Codes


@dataclass(frozen=True, kw_only=True)
class Code(Letter):
    code: str
    good_for: str  # how long the code is valid, such as "10 minutes"
    link: str  # link to the page where the code is entered


C = TypeVar("C", bound=Code)


@dataclass(frozen=True, kw_only=True)
class SignInCode(Code):
    KIND: ClassVar = notice_kinds.SIGN_IN_CODE


@dataclass(frozen=True, kw_only=True)
class DeletionCode(Code):
    """The code that confirms the deletion of an account."""

    KIND: ClassVar = notice_kinds.DELETION_CODE


@dataclass(frozen=True, kw_only=True)
class OldAddressCode(Code):
    """The code that confirms a change of address at the old address."""

    KIND: ClassVar = notice_kinds.OLD_ADDRESS_CODE
    address: str  # the new address


@dataclass(frozen=True, kw_only=True)
class NewAddressCode(Code):
    """The code that confirms a change of address at the new address."""

    KIND: ClassVar = notice_kinds.NEW_ADDRESS_CODE


def code(kind: type[C], it: Recipient) -> C | None:
    row = it.letter
    if row.made_at + CODE_LIFE <= clock.now():
        return None
    path = f"/sign-in/{row.data['sign_in']}" if kind is SignInCode else "/#/settings/account"
    more = {"address": row.data["address"]} if kind is OldAddressCode else {}
    return kind(code=row.data["code"], good_for=span(CODE_LIFE), link=f"{it.base_url}{path}", **more)


for _kind in (SignInCode, DeletionCode, OldAddressCode, NewAddressCode):
    builds(_kind.KIND)(partial(code, _kind))


# Programs


@dataclass(frozen=True, kw_only=True)
class NewApp(Letter):
    """The notice to a player that an app may act for them."""

    KIND: ClassVar = notice_kinds.NEW_APP
    name: str  # of the reader
    app: str  # the name that the app gives itself
    address: str
    rights: tuple[str, ...]
    game: str  # link to the only game to which the app has access; "" for all games
    link: str  # link to the page on which the app's access is revoked


@builds(notice_kinds.NEW_APP)
def new_app(it: Recipient) -> NewApp:
    data = it.letter.data
    return NewApp(
        name=it.known.name,
        app=data["name"],
        address=data["address"],
        rights=tuple(gettext(it) for it in rights(data["scopes"], bool(data["game"]))),
        game=f"{it.base_url}/#/games/{data['game']}" if data["game"] else "",
        link=f"{it.base_url}/app/{end_app_token(it.letter.player_id, UUID(data['app']))}",
    )


@dataclass(frozen=True, kw_only=True)
class WebhookDisabled(Letter):
    KIND: ClassVar = notice_kinds.WEBHOOK_DISABLED
    name: str  # of the reader
    url: str
    why: str  # the reason, in a sentence or two


@builds(notice_kinds.WEBHOOK_DISABLED)
def webhook_disabled(it: Recipient) -> WebhookDisabled:
    data = it.letter.data
    detail = failure(data["detail"], gettext).rstrip(".")
    why = gettext("No delivery has succeeded for three days. Last error: %(detail)s.", detail=detail)
    if data["why"] == GONE:
        why = gettext("The address responded with 410, so it no longer exists.")
    return WebhookDisabled(name=it.known.name, url=data["url"], why=why)


# Bundles


@builds(notice_kinds.BUNDLE)
def bundle(it: Recipient) -> YourTurns | None:
    """Return the email with the waiting games and the bundled emails, or None if there are neither."""
    if put_into_newer(it.letter):
        return None
    player, zone = it.known, stored_zone(it.known.zone)
    waiting = [
        game
        for game in waiting_games(player.player_id)
        if mail_choice(notice_kinds.YOUR_TURN.name, player.notifications, game.mails) != notice_kinds.OFF
    ]
    readers = (Reader(load(row.game_id), row.seat, zone, it.base_url, row) for row in letters_in(it.letter))
    written = (letter_for(reader) for reader in readers if not reader.is_outdated)
    news = tuple(dict.fromkeys(words for words in written if isinstance(words, GameLetter)))
    told = replace(turns_in_bundle(it, waiting, news, zone), hours=_hours(it))
    return told if told.turns or told.listed or news else None


def _hours(it: Recipient) -> str:
    """Return when a player gets bundles, and how to change that by email, a sentence each. Return "" if inbound mail is
    off."""
    if it.reply_domain is None:
        return ""
    times = sorted(stored_notifications(it.known.notifications).get("bundle_at", DEFAULT_TIMES))
    zone = stored_zone(it.known.zone).key
    told = gettext("You get this email at %(times)s (%(zone)s).", times=spoken().listed(times), zone=zone)
    bundled = gettext("set mails bundled")
    more = gettext("To choose another time, reply “%(line)s”.", line=f"{bundled} 18:00")
    return f"{told} {more}"
