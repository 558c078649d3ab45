"""Composes an email when it is sent: its content, and its MIME message."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Literal, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

from flask import current_app
from flask_babel import force_locale

from server.accounts.calendars import ALWAYS, stored_zone
from server.accounts.notice_kinds import ANSWER, BUNDLE, SIGN_IN_CODE
from server.accounts.players import stored_locale
from server.clock import clock
from server.play.game import Game
from server.play.table import OVER
from server.post import wording
from server.post.desk.addresses import player_word
from server.post.incoming.automatic_mail import LOOP
from server.post.letters import account, answers, desk, games, seats, several, turns
from server.post.letters.addresses import (
    desk_address,
    locale_of,
    reply_address,
    return_address,
    stop_link,
)
from server.post.letters.context import Reader, Recipient, demo_picture, letter_for
from server.post.mime import Message, encode
from server.post.table_help import numbered
from server.store.tables import LetterRow, Player, PlayerLetterRow

log = logging.getLogger(__name__)

_OF_DESK = desk.DeskWelcome | desk.DeskAnswer
_ANSWERING = answers.Answer | seats.Rsvp | _OF_DESK
_CONFIRMING = turns.YourTurn | several.YourTurns | games.GameEnded
_SHOWING = turns.YourTurn | answers.Answer | games.GameBegun
_PICTURE = "table.png"


Part = tuple[LetterRow | PlayerLetterRow, Game | None]  # an email that may be a part of another, and its game


class Written(NamedTuple):
    """An email that is ready to be sent, with its SMTP envelope."""

    message: bytes
    sender: str
    to: str
    short: Callable[[], bytes]  # returns the message without HTML and pictures, for a server with a low size limit


def compose(
    row: LetterRow | PlayerLetterRow, player: Player | None, game: Game | None, base_url: str, reply_domain: str | None
) -> Written | None:
    """Return the email, or None if there is nothing to say or its reader's account was deleted.

    `player` is the reader, if they have an account, and `game` the game that the email is about. `reply_domain` is the
    domain for replies and bounces, or None if inbound mail is off.
    """
    if player is None and "to" not in row.data:
        return None
    with force_locale(locale_of(row, player, game)):
        written = _composed(row, player, game, base_url, reply_domain)
    return _with_return_path(written, row, player, reply_domain)


def compose_together(parts: Sequence[Part], player: Player, base_url: str, reply_domain: str | None) -> Written | None:
    """Return one email about turns in several games of the same reader, or our replies about several games. It gets the
    id of the first of the emails that it replaces.

    Replies go to the post desk, where a line begins with the number of its game. As HTML, the email also has a button
    for each game, with a reply address of its own.
    """
    row = parts[0][0]
    zone = stored_zone(player.zone)
    readers = []
    for it, game in parts:
        if game and isinstance(it, LetterRow):
            if it.kind == ANSWER.name:
                answers.bring_up_to_date(it, game)
            readers.append(Reader(game, it.seat, zone, base_url, it))
    of_desk = [said for it, game in parts if game is None for said in it.data["said"]]
    with force_locale(stored_locale(player.locale)):
        words = several.your_turns(player, readers, reply_domain, said=of_desk)
        reply_to = f"{player_word(player.player_id, player.email)}@{reply_domain}" if reply_domain else None
        written = _written(_Envelope(row, base_url, player.email, reply_to), words)
    return _with_return_path(written, row, player, reply_domain)


def _with_return_path(
    written: Written | None, row: LetterRow | PlayerLetterRow, player: Player | None, reply_domain: str | None
) -> Written | None:
    sender = return_address(row, player, reply_domain) if written and reply_domain else None
    return written._replace(sender=sender) if written and sender else written


def _composed(
    row: LetterRow | PlayerLetterRow, player: Player | None, game: Game | None, base_url: str, reply_domain: str | None
) -> Written | None:
    to = row.data.get("to") or (player.email if player else "")
    if isinstance(row, PlayerLetterRow):
        words = letter_for(Recipient(row, base_url, player, reply_domain))
        is_read_at_desk = isinstance(words, _OF_DESK | several.YourTurns)
        reply_to = desk_address(row, to, reply_domain) if reply_domain and is_read_at_desk else None
        return _written(_Envelope(row, base_url, to, reply_to), words) if words else None
    assert game
    zone = stored_zone(player.zone) if player else ALWAYS.zone
    if row.kind == ANSWER.name:
        answers.bring_up_to_date(row, game)
    reader = Reader(game, row.seat, zone, base_url, row)
    words = letter_for(reader)
    if words is None:
        return None
    reply_to = reply_address(words, row, game, reply_domain) if reply_domain else None
    return _written(_Envelope(row, base_url, to, reply_to), words, reader)


class _Envelope(NamedTuple):
    row: LetterRow | PlayerLetterRow
    base_url: str
    to: str
    reply_to: str | None


def _written(
    envelope: _Envelope,
    words: wording.Letter,
    reader: Reader | None = None,
) -> Written:
    row, base_url, to, reply_to = envelope
    is_of_several = isinstance(words, several.YourTurns)
    mark = ""
    if reply_to:
        is_at_table = isinstance(words, desk.DeskAnswer) and words.at_table
        is_accepted = isinstance(words, seats.Rsvp) and words.is_accepted
        has_no_turn = isinstance(words, several.YourTurns) and not (words.turns or words.listed or words.replies)
        takes_commands = is_accepted or has_no_turn or isinstance(words, _OF_DESK | games.GameClosing)
        mark = (
            wording.command_above()
            if takes_commands and not is_at_table
            else wording.answer_above(_expected(words, reader))
        )
    stop = stop_link(row, to, base_url, is_of_several)
    names_desk = reply_to and not isinstance(words, _OF_DESK | account.Code)
    at_desk = f"{current_app.config['DESK']}@{reply_to.partition('@')[2]}" if names_desk and reply_to else ""
    subject, body = wording.write(words, mark, stop, at_desk)
    if reader and row.player_id is not None:
        subject = numbered(subject, reader.game, row.player_id)
    host = mail_host(base_url)
    sender = f"sternenpost@{host}"
    alt = ""
    images: Sequence[tuple[str, bytes]] = ()
    is_over = isinstance(words, games.GameEnded)
    if reader and (is_over or (isinstance(words, _SHOWING) and words.table)):
        image, alt = reader.picture(is_over)
        images = [(_PICTURE, image)]
    elif reader and isinstance(words, seats.Invitation):
        image, alt = demo_picture(reader.game.table.rules.NAME)
        images = [(_PICTURE, image)]
    elif reader and isinstance(words, seats.StandInAsked):
        image, alt = reader.public_picture(seats.names_without_links(reader))
        images = [(_PICTURE, image)]
    elif isinstance(words, desk.DeskWelcome) and words.pictured:
        image, alt = demo_picture(words.pictured)
        images = [(_PICTURE, image)]
    if isinstance(words, desk.DeskAnswer | several.YourTurns):
        images = words.images
    shown = wording.Picture(_PICTURE if images else "", alt)
    page = wording.write_page(words, shown, mark, stop, at_desk, reply_to or "")
    message = Message(
        sender=sender,
        sender_name=words.sender_name,
        to=to,
        subject=subject,
        text=body,
        message_id=f"{row.letter_id}@{host}",
        date=datetime.fromisoformat(row.data["at"]) if row.kind == BUNDLE.name else row.made_at,
        thread=f"{reader.game.game_id}@{host}" if reader else None,
        headers={**(dict([LOOP, ("Reply-To", reply_to)]) if reply_to else {}), **_stopping(stop)},
        answers=row.data.get("answers") if isinstance(words, _ANSWERING | _CONFIRMING) else None,
        files=words.files if isinstance(words, desk.DeskAnswer) else (),
    )
    full = replace(message, html=page, inline_images=images)
    return Written(encode(full), sender, to, lambda: encode(message))


def _expected(words: wording.Letter, reader: Reader | None) -> Literal["move", "message", "ready", "rsvp"]:
    """Return what kind of reply an email asks for."""
    if isinstance(words, seats.Invitation | seats.StandInAsked | seats.Rsvp):
        return "rsvp"
    if isinstance(words, games.ReadyAsked):
        return "ready"
    has_no_turn = reader is not None and reader.game.table.status in (*OVER, "open", "paused")
    return (
        "message" if has_no_turn or isinstance(words, games.NewMessages | games.GameBegun | seats.StandIn) else "move"
    )


def _stopping(link: str) -> dict[str, str]:
    """Return the headers for unsubscribing with one click (RFC 8058)."""
    return {"List-Unsubscribe": f"<{link}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"} if link else {}


def mail_host(base_url: str) -> str:
    """Return the domain of our email addresses: the host of `base_url`, or `localhost` if the host is an IP address."""
    host = urlsplit(base_url).hostname or ""
    return host if any(char.isalpha() for char in host) and ":" not in host else "localhost"


@lru_cache(16)
def trouble_with_letters(base_url: str, reply_domain: str | None) -> str:
    """Compose a test email with these settings. Return what goes wrong, or ""."""
    domain = reply_domain or mail_host(base_url)
    data = {"to": f"postmaster@{domain}", "code": "000000", "sign_in": str(UUID(int=0))}
    row = PlayerLetterRow(
        player_id=UUID(int=0), letter_id=UUID(int=0), kind=SIGN_IN_CODE.name, data=data, made_at=clock.now()
    )
    try:
        code = account.code(account.SignInCode, Recipient(row, base_url, None))
        assert code
        _written(_Envelope(row, base_url, data["to"], data["to"]), code)
    except Exception as error:
        log.exception("No letter can be written")
        return (
            f"no email can be written ({type(error).__name__}): "
            "look at STERNENPOST_BASE_URL and STERNENPOST_REPLY_DOMAIN"
        )
    return ""
