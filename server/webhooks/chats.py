"""What a channel of Discord or Slack is told: whose turn it is, in the language of whoever sits there.

Discord's webhooks may change what they wrote, so each game has one message there, which is written anew with each turn.
Slack's may not: there each turn has a message of its own.
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
_NO_EMBEDS: Final = 4  # a flag of Discord's: no preview of where the link leads
_MARKS: Final = re.compile(r"([^\w\s])")
_ESCAPED: Final = r"\\\1"
_SNOWFLAKE: Final = "[0-9]{15,25}"


class Message(NamedTuple):
    """A message about a game; None: about none."""

    game: str | None
    body: bytes


def check_form(form: str, target: Target, kinds: list[str]) -> None:
    """Whether this address takes what is sent in this form. Raises BadField."""
    fits = HOSTS.get(target.host.lower(), STANDARD)
    if form == STANDARD and fits != STANDARD:
        raise BadField(
            "url",
            "This is a webhook of %(chat)s. Send `form` %(form)s with it, and only your-turn in `kinds`.",
            chat=_NAMES[fits],
            form=fits,
        )
    if form != fits:
        raise BadField("url", "This is not a webhook of %(chat)s.", chat=_NAMES[form])
    if form != STANDARD and kinds != list(CHAT_KINDS):
        raise BadField("kinds", "%(chat)s only gets notified of your turns. Send only your-turn.", chat=_NAMES[form])


def stored_form(form: str | None) -> str | None:
    """Return the chat whose form a webhook has; None: Standard Webhooks, also for a form that this release lacks."""
    if form in (None, DISCORD, SLACK):
        return form
    warn_of("form")
    return None


def message_for(form: str, delivery: WebhookDelivery, base_url: str) -> Message:
    """What to write there now. Raises NoLonger."""
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
    """Return the game that a delivery is about. Raises NoLonger if it no longer matters to this player."""
    about: Json = json.loads(delivery.payload)["data"]
    game = load(UUID(about["game"]))
    notice = Notice(NOTICE_KINDS[delivery.kind], delivery.player_id, about)
    if not still_matters(game, about["seat"], notice, clock.now()):
        raise NoLonger
    return game


def edit_of(target: Target, message_id: str) -> Target:
    """Where a message of Discord's is changed."""
    path, question, query = target.path.partition("?")
    return target._replace(path=f"{path.rstrip('/')}/messages/{message_id}{question}{query}")


def told_of(target: Target) -> Target:
    """Where Discord says which message it has made."""
    path, _, query = target.path.partition("?")
    return target._replace(path=f"{path}?{'&'.join(filter(None, (query, urlencode({'wait': 'true'}))))}")


def id_in(answer: bytes) -> str | None:
    """The id of the message that Discord has made."""
    try:
        found = json.loads(answer)["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, str) and re.fullmatch(_SNOWFLAKE, found) else None


def _body(form: str, text: str) -> bytes:
    """Nobody is called by name, whatever a title says."""
    let_go()  # so that no connection waits for a slow receiver
    told = (
        {"content": text, "allowed_mentions": {"parse": []}, "flags": _NO_EMBEDS}
        if form == DISCORD
        else {
            "text": text,
            "unfurl_links": False,
        }
    )
    return json.dumps(told).encode()


def _bold(form: str, title: str) -> str:
    if form == DISCORD:
        return f"**{_MARKS.sub(_ESCAPED, title)}**"
    plain = title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"*{plain.replace('*', '∗')}*"


def _moment(form: str, seconds: int) -> str:
    """Each reader sees it in his own zone and language."""
    if form == DISCORD:
        return f"<t:{seconds}:F>"
    return f"<!date^{seconds}^{{date_long}}, {{time}}|{seconds}>"
