"""Emails about turns."""

import re
from dataclasses import dataclass, replace
from typing import ClassVar

from flask_babel import gettext
from sqlalchemy import select

from server.accounts.notice_kinds import BOT_MOVED, REMINDER, TIME_EXTENDED, YOUR_TURN
from server.durations import duration
from server.games import Json
from server.games import presentation as text
from server.play.talk.motd import notice
from server.post.letters.chat import Chat
from server.post.letters.context import TELLING_TURN, Reader, builds
from server.post.letters.games import ReadyAsked, ready_asked
from server.post.plans import outcome_sentence
from server.post.table_help import (
    asking_words,
    ended_request,
    first_steps,
    so_far,
    turns_before,
    who_joined,
    word_for_notation,
)
from server.post.terms import if_late
from server.post.wording import GameLetter, span, spoken
from server.store.tables import LetterRow, db
from server.translations import noted

_EXAMPLES = 4
_COPY = re.compile(r"#\d+")  # tells copies of a card apart


@dataclass(frozen=True, kw_only=True)
class YourTurn(GameLetter):
    KIND: ClassVar = YOUR_TURN
    since: tuple[str, ...]  # events since the reader's last turn, a sentence each
    done: tuple[str, ...] = ()  # the reader's move and take-back that this email confirms, a sentence each
    table: str  # the table as this seat sees it, on several lines
    moves: tuple[str, ...]  # examples of legal moves, as the reader may write them
    whole: str = ""  # a whole turn as the reader may write it, if a turn has several steps
    moves_in_all: int  # number of legal moves
    notation: str  # how moves are written
    explains: str = ""  # the word that explains this, if the reader has had a few turns
    unreachable: tuple[str, ...]  # names of players at the table whose emails bounce
    due: str  # see `moment`
    left: str  # see `span`
    link: str  # link to this turn only, /t/{token}
    notice: str = ""  # the operators' message to all players
    chat: Chat | None = None
    plan: str = ""  # what became of the reader's plan for this turn, a sentence
    asks: str = ""  # words that ask for help in a reply, as a list
    first: str = ""  # what to achieve and to do now, if this is the player's first turn with these rules
    cards: tuple[str, ...] = ()  # what the reader's pieces do, a line each, beside `first`
    joined: str = ""  # who has joined, a sentence for the host's first turn; or the answer that it contains
    is_first: bool = False  # whether this is the seat's first turn
    line: str = ""  # a move as the reader may write it in a reply


@builds(YOUR_TURN)
def your_turn(reader: Reader) -> YourTurn:
    return replace(about_turn(reader, reader.due), chat=reader.chat)


def about_turn(reader: Reader, time: Json) -> YourTurn:
    game, seat, rules = reader.game, reader.seat, reader.game.table.rules
    state = game.table.state
    locale = spoken().locale
    moves = [text.write_move(rules, move, locale) for move in rules.legal_moves(state, seat)]
    kinds = list({_COPY.sub("", it): it for it in reversed(moves)}.values())[::-1]
    examples = tuple(kinds[:: max(1, len(kinds) // _EXAMPLES)][:_EXAMPLES])
    whole = text.whole_turn(rules, state, seat, locale)
    has_steps = whole not in moves
    turns = turns_before(game, seat, reader.letter.version)
    first, *cards = first_steps(game, seat, state, turns).split("\n")
    return YourTurn(
        **reader.about,
        **time,
        unreachable=tuple(
            row.person.name
            for row in game.seats
            if row.person.unreachable_since and row.person.name and row.seat != seat and not game.hides_names
        ),
        since=reader.since_own_move(),
        done=(
            *reader.done,
            *ended_request(game, seat),
            *so_far(game, seat, reader.played),
        ),
        table=text.table(rules.NAME, rules.view(state, seat), game.names, locale),
        moves=examples,
        whole=whole if has_steps else "",
        moves_in_all=len(moves),
        notation=text.notation(rules.NAME, locale),
        explains=word_for_notation(game, seat, turns, first),
        link=reader.turn_link,
        notice=(notice() or {"text": ""})["text"],
        plan=outcome_sentence(reader.letter.data.get("plan"), game, reader.zone),
        asks=spoken().either([gettext("“%(line)s”", line=it) for it in asking_words(game, seat)]),
        first=first,
        cards=tuple(cards),
        joined=" ".join(reader.letter.data.get("told", ())) or ("" if turns else who_joined(game, seat)),
        is_first=not turns,
        line=whole if has_steps else examples[len(examples) // 2],
    )


@dataclass(frozen=True, kw_only=True)
class Reminder(GameLetter):
    KIND: ClassVar = REMINDER
    due: str
    left: str
    in_short: str  # the time left, rounded
    otherwise: str  # what happens if the time runs out, a sentence
    link: str


@builds(REMINDER)
def reminder(reader: Reader) -> Reminder | ReadyAsked | None:
    if "turn" not in reader.letter.data:  # a reminder of a ready check
        return ready_asked(reader)
    if _is_yet_to_be_told(reader):
        return None
    return Reminder(
        **reader.about,
        **reader.due,
        in_short=reader.left_in_short,
        otherwise=if_late(reader.game, reader.seat, gettext("If your time runs out")),
        link=reader.turn_link,
    )


@dataclass(frozen=True, kw_only=True)
class TimeExtended(GameLetter):
    KIND: ClassVar = TIME_EXTENDED
    NEWS: ClassVar = noted("%(title)s: your time ran out and was extended by %(by)s.")
    by: str  # see `span`
    due: str  # the new due time
    left: str
    otherwise: str
    link: str


@builds(TIME_EXTENDED)
def time_extended(reader: Reader) -> TimeExtended | None:
    if _is_yet_to_be_told(reader):
        return None
    return TimeExtended(
        **reader.about,
        **reader.due,
        by=span(duration(reader.letter.data["by"])),
        otherwise=if_late(reader.game, reader.seat, gettext("If it runs out again")),
        link=reader.turn_link,
    )


@dataclass(frozen=True, kw_only=True)
class BotMoved(GameLetter):
    KIND: ClassVar = BOT_MOVED
    NEWS: ClassVar = noted("%(title)s: your time ran out. The bot %(bot)s played a turn for you.")
    bot: str
    since: tuple[str, ...]  # the turn that the bot played and its consequences, a sentence each
    otherwise: str  # what happens if the time runs out again


@builds(BOT_MOVED)
def bot_moved(reader: Reader) -> BotMoved:
    return BotMoved(
        **reader.about,
        bot=text.bot_name(reader.letter.data["bot"]),
        since=reader.happened(reader.letter.version - 1),
        otherwise=if_late(reader.game, reader.seat, gettext("If your time runs out again")),
    )


def _is_yet_to_be_told(reader: Reader) -> bool:
    """Return whether the email that announces this turn is still queued, as happens after an outage. That email
    contains more information than this one."""
    own = (LetterRow.game_id == reader.game.game_id) & (LetterRow.seat == reader.seat)
    its_turn = LetterRow.data["turn"].as_integer() == reader.letter.data["turn"]
    telling = select(LetterRow.letter_id).where(own, LetterRow.kind.in_(TELLING_TURN), its_turn)
    return db.session.execute(telling.limit(1)).first() is not None
