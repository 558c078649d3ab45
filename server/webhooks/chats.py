"""Messages to Discord and Slack channels about a player's turn, in the player's language.

Discord webhooks can edit their messages, so each game has one message there, which is updated every turn. Slack gets a
new message every turn.
"""

import json
import re
from typing import Final, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from flask_babel import force_locale, gettext

from server.accounts.notice_kinds import CHAT_KINDS, NOTICE_KINDS
from server.accounts.players import stored_locale
from server.clock import clock
from server.errors import BadField
from server.games import Json
from server.play.commits import load
from server.play.game import Game
from server.play.notices import Notice, still_matters
from server.store.connections import let_go
from server.store.tables import Player, WebhookDelivery, db
from server.stored_data import warn_of
from server.webhooks.failures import NoLonger
from server.webhooks.targets import Target

STANDARD, DISCORD, SLACK = "standard", "discord", "slack"
FORMS: Final = (STANDARD, DISCORD, SLACK)
HOSTS: Final = {
    **dict.fromkeys(("discord.com", "discordapp.com", "ptb.discord.com", "canary.discord.com"), DISCORD),
    **dict.fromkeys(("hooks.slack.com", "hooks.slack-gov.com"), SLACK),
}
_NAMES: Final = {DISCORD: "Discord", SLACK: "Slack"}
_NO_EMBEDS: Final = 4  # Discord's flag to suppress link previews
_MARKS: Final = re.compile(r"([^\w\s])")
_ESCAPED: Final = r"\\\1"
_SNOWFLAKE: Final = "[0-9]{15,25}"


class Message(NamedTuple):
    game: str | None  # None if the message isn't about a game
    body: bytes


def check_form(form: str, target: Target, kinds: list[str]) -> None:
    """Raise BadField unless the target accepts webhooks of this form and notices of these kinds."""
    fits = HOSTS.get(target.host.lower(), STANDARD)
    if form == STANDARD and fits != STANDARD:
        raise BadField(
            "url",
            "This is a %(chat)s webhook. Send `form` %(form)s with it, and only your-turn in `kinds`.",
            chat=_NAMES[fits],
            form=fits,
        )
    if form != fits:
        raise BadField("url", "This is not a %(chat)s webhook.", chat=_NAMES[form])
    if form != STANDARD and kinds != list(CHAT_KINDS):
        raise BadField("kinds", "%(chat)s can only be notified of your turns. Send only your-turn.", chat=_NAMES[form])


def stored_form(form: str | None) -> str | None:
    """Return the chat for which this form of webhook is meant. Return None for Standard Webhooks, and for forms that
    this release doesn't know."""
    if form in (None, DISCORD, SLACK):
        return form
    warn_of("form")
    return None


def message_for(form: str, delivery: WebhookDelivery, base_url: str) -> Message:
    """Return the message for a delivery. It describes the current state of the game. Raise NoLonger if the delivery is
    outdated."""
    about: Json = json.loads(delivery.payload)["data"]
    player = db.session.get_one(Player, delivery.player_id)
    with force_locale(stored_locale(player.locale)):
        if not about:
            return Message(None, _body(form, gettext("We'll post here when it's your turn.")))
        game = game_of(delivery)
        seat = game.seats[about["seat"]]
        title, link = game.head.title, f"{base_url}/#/games/{about['game']}"
        lines = [gettext("Your turn: %(title)s", title=_bold(form, title))]
        if seat.due_at:
            lines.append(gettext("Move by: %(due)s", due=_moment(form, int(seat.due_at.timestamp()))))
        return Message(about["game"], _body(form, "\n".join([*lines, link])))


def game_of(delivery: WebhookDelivery) -> Game:
    """Return the game that a delivery is about. Raise NoLonger if the delivery is outdated."""
    about: Json = json.loads(delivery.payload)["data"]
    game = load(UUID(about["game"]))
    notice = Notice(NOTICE_KINDS[delivery.kind], delivery.player_id, about)
    if not still_matters(game, about["seat"], notice, clock.now()):
        raise NoLonger
    return game


def edit_target(target: Target, message_id: str) -> Target:
    """Return the URL with which a Discord message is edited."""
    path, question, query = target.path.partition("?")
    return target._replace(path=f"{path.rstrip('/')}/messages/{message_id}{question}{query}")


def confirming_target(target: Target) -> Target:
    """Return the URL to which Discord responds with the message that it has created."""
    path, _, query = target.path.partition("?")
    return target._replace(path=f"{path}?{'&'.join(filter(None, (query, urlencode({'wait': 'true'}))))}")


def id_in(answer: bytes) -> str | None:
    """Return the id of the message in the body of Discord's response, or None."""
    try:
        found = json.loads(answer)["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, str) and re.fullmatch(_SNOWFLAKE, found) else None


def _body(form: str, text: str) -> bytes:
    """Return the body of a message. It is written so that a game's title can't mention members of the channel."""
    let_go()  # waiting for a slow receiver must not occupy a connection
    told = (
        {"content": text, "allowed_mentions": {"parse": []}, "flags": _NO_EMBEDS}
        if form == DISCORD
        else {"text": text, "unfurl_links": False}
    )
    return json.dumps(told).encode()


def _bold(form: str, title: str) -> str:
    if form == DISCORD:
        return f"**{_MARKS.sub(_ESCAPED, title)}**"
    plain = title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"*{plain.replace('*', '∗')}*"


def _moment(form: str, seconds: int) -> str:
    """Return markup for a time, which the chat shows in each reader's time zone and language."""
    if form == DISCORD:
        return f"<t:{seconds}:F>"
    return f"<!date^{seconds}^{{date_long}}, {{time}}|{seconds}>"
