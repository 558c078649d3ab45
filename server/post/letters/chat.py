"""The chat in emails.

The chat is other players' text, and readers quote it when they reply. So each line begins with a mark that ends the
reader's own words (see `quotes`). Lines are short, so that mail programs don't wrap them.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from textwrap import TextWrapper
from uuid import UUID

from sqlalchemy import select

from server.accounts.notice_kinds import BUNDLE
from server.games import Json
from server.play.game import Game
from server.play.talk.chat import new_messages
from server.post.incoming.commands import SAY, word_for
from server.post.incoming.quotes import SAID
from server.post.wording import spoken
from server.sanitize import clean, without_links
from server.store.tables import LetterRow, PlayerDelivery, db

MOST = 5  # messages
LONGEST = 200  # characters
WIDTH = 44  # columns; this fits on a phone, and mail programs don't wrap it even in a quote of a quote


@dataclass(frozen=True, kw_only=True)
class Chat:
    """What other players have written since the reader's previous email about the game."""

    messages: tuple[tuple[str, ...], ...]  # the newest messages, oldest first, each in lines that begin with `SAID`
    more: int  # number of earlier messages
    say: str  # the command that posts a message
    author: str = ""  # who wrote all of it, or "" if several players did


def chat_for(game: Game, email: LetterRow) -> Chat | None:
    """Return the chat for an email about a game, or None if there is nothing new. In a bundle, a turn has no
    `letter_id`."""
    reader = email.player_id
    if reader is None or (email.letter_id is None and _had_bundle_since(email.made_at, reader)):
        return None
    said = new_messages(game.game_id, reader, email.version, email.letter_id)
    return _chat_of(said, game.names) if said else None


def chat_not_seen(game: Game, email: LetterRow) -> Chat | None:
    """Return the chat that a player hasn't seen, from the message on that an email is about, or None."""
    said = new_messages(game.game_id, email.player_id, None) if email.player_id else []
    said = [it for it in said if it["nr"] >= email.data.get("nr", 0)]
    return _chat_of(said, game.names) if said else None


def _had_bundle_since(moment: datetime, reader: UUID) -> bool:
    own = (PlayerDelivery.player_id == reader) & (PlayerDelivery.kind == BUNDLE.name)
    told = own & (PlayerDelivery.result == "sent") & (PlayerDelivery.at > moment)
    return db.session.execute(select(PlayerDelivery.letter_id).where(told).limit(1)).first() is not None


def _chat_of(said: Sequence[Json], names: Sequence[str]) -> Chat:
    authors = {_author(it, names[it["seat"]]) for it in said}
    return Chat(
        messages=tuple(_lines(_author(it, names[it["seat"]]), it["text"]) for it in said[-MOST:]),
        more=len(said[:-MOST]),
        say=word_for(SAY, spoken().locale),
        author=authors.pop() if len(authors) == 1 else "",
    )


def _author(said: Json, shown: str) -> str:
    """Return the name with which a message was sent. If it is the seat's name now, return that as the game shows it."""
    name: str = said["name"] or shown
    return shown if shown == f"{name} ({said['seat'] + 1})" else name


def _lines(name: str, text: str) -> tuple[str, ...]:
    words = clean(text, LONGEST + 1)
    short = words if len(words) <= LONGEST else f"{words[: LONGEST - 1].rstrip()}…"
    line = f"{name}: {without_links(short.replace(SAID, '|'))}"
    is_wide = any(unicodedata.east_asian_width(char) in "WF" for char in line)
    paper = TextWrapper(
        WIDTH // 2 if is_wide else WIDTH,
        initial_indent=f"{SAID} ",
        subsequent_indent=f"{SAID} ",
        break_on_hyphens=False,
    )
    return tuple(paper.wrap(line))
