"""What the templates of letters get. One class a kind of letter, with what its template in `templates/` needs; everything is text
that is ready to be read, and links are whole URLs. All is said in the language of Flask-Babel's context.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from textwrap import TextWrapper
from typing import ClassVar
from zoneinfo import ZoneInfo

from flask_babel import get_locale, get_translations, gettext
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from server.post.incoming.quotes import MARK
from server.sanitize import clean, plain
from server.translations import Language, language, noted, times

LINE_LENGTH = 500
_BEGINNING = 2  # words by which moves are put together
_PREHEADER = 150  # characters that an inbox may show beside a subject
_HOUSE = "Sternenpost"
_HEADLINES = {
    "your-turn": noted("Your turn"),
    "your-turns": noted("Your turn"),
    "reminder": noted("Reminder"),
    "time-extended": noted("More time"),
    "bot-moved": noted("A bot played for you"),
    "seat-handed-over": noted("A bot has your seat"),
    "game-ended": noted("Game over"),
    "game-paused": noted("Game paused"),
    "take-back-asked": noted("Take a move back?"),
    "move-taken-back": noted("A move was taken back"),
    "game-abandoned": noted("Game over"),
    "game-closed": noted("Game closed"),
    "game-closing": noted("Seats are free"),
    "sent-away": noted("Your seat is free"),
    "ready-asked": noted("Ready?"),
    "not-ready": noted("Seats are free"),
    "stand-in": noted("Standing in"),
    "stand-in-asked": noted("Would you stand in?"),
    "seat-taken-over": noted("Your seat has been taken over"),
    "invitation": noted("Invitation"),
    "rsvp": noted("Answer"),
    "bundle": noted("Your games"),
    "sign-in-code": noted("Sign in"),
    "deletion-code": noted("Delete your account"),
    "old-address-code": noted("Your present address"),
    "new-address-code": noted("Your new address"),
    "new-app": noted("A new app"),
    "webhook-disabled": noted("Your webhook is disabled"),
    "answer": noted("Answer"),
}


@dataclass(frozen=True, kw_only=True)
class GameLetter:
    KIND: ClassVar[str]
    name: str  # of the reader, as he is called in this game
    title: str  # of the game
    rules: str  # Sternenhimmel or Sternenglanz
    game_link: str  # to the game, for those who are signed in


@dataclass(frozen=True, kw_only=True)
class YourTurn(GameLetter):
    KIND: ClassVar = "your-turn"
    since: tuple[str, ...]  # what has happened since the reader's last turn, a sentence each
    table: str  # as this seat sees it, of several lines
    moves: tuple[str, ...]  # one or a few of the moves open, in notation
    moves_in_all: int  # how many there are
    notation: str  # how moves are written
    whole: str  # an example of all that a turn may hold
    unreachable: tuple[str, ...]  # names of those at the table whose mails come back
    due: str  # see `moment`
    left: str  # see `span`
    link: str  # for this one turn, /t/{token}
    notice: str = ""  # what operators tell everybody
    plan: str = ""  # what has become of the moves that he left for this turn


@dataclass(frozen=True, kw_only=True)
class TurnOfSeveral(YourTurn):
    answer: str  # address for answers to this turn; "" if nobody takes them in
    picture: str  # the name under which it travels with the mail
    alt: str  # what is read where it is not shown


@dataclass(frozen=True, kw_only=True)
class YourTurns:
    KIND: ClassVar = "your-turns"
    name: str  # of the reader
    turns: tuple[TurnOfSeveral, ...]  # of several games, the most urgent first


@dataclass(frozen=True, kw_only=True)
class Reminder(GameLetter):
    KIND: ClassVar = "reminder"
    due: str
    left: str
    otherwise: str  # what happens if the time runs out, a sentence
    link: str


@dataclass(frozen=True, kw_only=True)
class TimeExtended(GameLetter):
    KIND: ClassVar = "time-extended"
    by: str  # see `span`
    due: str  # the new due time
    left: str
    otherwise: str
    link: str


@dataclass(frozen=True, kw_only=True)
class BotMoved(GameLetter):
    KIND: ClassVar = "bot-moved"
    bot: str
    since: tuple[str, ...]  # what the bot did and what came of it, a sentence each
    otherwise: str  # what happens the next time


@dataclass(frozen=True, kw_only=True)
class SeatHandedOver(GameLetter):
    KIND: ClassVar = "seat-handed-over"
    bot: str
    link: str  # takes the seat back, after a question


@dataclass(frozen=True, kw_only=True)
class GameEnded(GameLetter):
    KIND: ClassVar = "game-ended"
    verdict: str  # what it means for the reader, such as "You won." or "You came third."
    standings: tuple[str, ...]  # a line for each seat, best first
    since: tuple[str, ...]
    table: str  # as it was left, of several lines


@dataclass(frozen=True, kw_only=True)
class GamePaused(GameLetter):
    KIND: ClassVar = "game-paused"


@dataclass(frozen=True, kw_only=True)
class TakeBackAsked(GameLetter):
    """To those whose consent it takes."""

    KIND: ClassVar = "take-back-asked"
    who: str  # whose move it is
    since: tuple[str, ...]  # what would be taken back, a sentence each
    agree: str  # the word to answer with
    due: str  # when the vote ends
    left: str


@dataclass(frozen=True, kw_only=True)
class MoveTakenBack(GameLetter):
    """To somebody whose turn is gone by it."""

    KIND: ClassVar = "move-taken-back"
    who: str


@dataclass(frozen=True, kw_only=True)
class GameAbandoned(GameLetter):
    KIND: ClassVar = "game-abandoned"
    reason: str  # a sentence


@dataclass(frozen=True, kw_only=True)
class GameClosed(GameLetter):
    """That a game was closed before it had begun."""

    KIND: ClassVar = "game-closed"
    reason: str  # a sentence
    link: str  # to open another


@dataclass(frozen=True, kw_only=True)
class GameClosing(GameLetter):
    """To the host, that a game will close."""

    KIND: ClassVar = "game-closing"
    free: int  # how many seats
    due: str  # when it closes
    left: str


@dataclass(frozen=True, kw_only=True)
class SentAway(GameLetter):
    """To a guest whose seat the host has taken from him."""

    KIND: ClassVar = "sent-away"
    link: str  # to other games


@dataclass(frozen=True, kw_only=True)
class ReadyAsked(GameLetter):
    """To everybody who plays, before it begins."""

    KIND: ClassVar = "ready-asked"
    ready: str  # the word to answer with
    due: str  # until when
    left: str
    link: str  # says it, after a question
    salt: bool  # whether the reader has committed a salt, which is revealed at the table only
    again: bool  # whether it reminds of a letter before it


@dataclass(frozen=True, kw_only=True)
class NotReady(GameLetter):
    """To all, that it does not begin."""

    KIND: ClassVar = "not-ready"
    late: tuple[str, ...]  # names of those who did not say in time that they are ready
    is_late: bool  # whether the reader is one of them


@dataclass(frozen=True, kw_only=True)
class StandIn(GameLetter):
    """To both: to whose seat it is, and to whoever plays it for some days."""

    KIND: ClassVar = "stand-in"
    said: str  # who stands in for whom until when, the end of a sentence
    more: str  # what its reader can do, a sentence or two


@dataclass(frozen=True, kw_only=True)
class SeatTakenOver(GameLetter):
    """To somebody whose seat a bot kept, that it is another one's now."""

    KIND: ClassVar = "seat-taken-over"


@dataclass(frozen=True, kw_only=True)
class Answer(GameLetter):
    """To a mail of the reader's. Each field is empty where there is nothing to say."""

    KIND: ClassVar = "answer"
    played: str  # the move, in notation
    since: tuple[str, ...]  # what came of it
    done: tuple[str, ...]  # what else was done, a sentence each
    wrong: str  # why something was not done, a sentence
    line: str  # the line at fault, as it was written
    confirm: str  # the line to answer with, so that `asked` is done
    asked: tuple[str, ...]  # what was written
    stranger: str  # the address that it came from, if that is not the reader's
    how: tuple[str, ...]  # what one may write, a line each
    table: str  # as this seat sees it now
    moves: tuple[str, ...]  # the moves open now; those that begin alike in one line
    due: str  # of the turn that waits for the reader
    left: str
    link: str  # for that turn
    back: str  # to take the seat back from a bot
    last: str  # where to play as well, if mails that play no move get no other answer for some time


@dataclass(frozen=True, kw_only=True)
class Invitation:
    KIND: ClassVar = "invitation"
    host: str  # who invites
    title: str
    rules: str
    others: tuple[str, ...]  # who else is to play
    pace: str  # such as "2 days for a move"
    link: str  # accepts for this address, after a question


@dataclass(frozen=True, kw_only=True)
class StandInAsked:
    """To somebody who is asked to play another one's seat for some days."""

    KIND: ClassVar = "stand-in-asked"
    who: str  # asks
    title: str
    rules: str
    begin: str  # see `moment`, on the clocks of whoever asks
    end: str
    pace: str
    link: str  # accepts, after a question
    shown: str  # where the reader's name will stand, a sentence


@dataclass(frozen=True, kw_only=True)
class Rsvp:
    """An answer to somebody's answer to an invitation."""

    KIND: ClassVar = "rsvp"
    title: str
    rules: str
    played: str  # "yes" or "no", if that was done
    wrong: str  # why nothing was done, a sentence
    again: bool  # whether the invitation still waits for an answer
    link: str  # to the invitation then, else to the game


@dataclass(frozen=True, kw_only=True)
class WaitingGame:
    title: str
    rules: str
    due: str
    left: str
    link: str  # for this one turn


@dataclass(frozen=True, kw_only=True)
class Bundle:
    KIND: ClassVar = "bundle"
    name: str  # of the reader
    waiting: tuple[WaitingGame, ...]  # all games that wait for him, the most urgent first
    news: tuple[GameLetter, ...]  # what he would have been told in letters of their own


@dataclass(frozen=True, kw_only=True)
class SignInCode:
    KIND: ClassVar = "sign-in-code"
    code: str
    good_for: str  # such as "10 minutes"
    link: str  # a page to type it on


@dataclass(frozen=True, kw_only=True)
class DeletionCode:
    """The code that ends an account."""

    KIND: ClassVar = "deletion-code"
    code: str
    good_for: str
    link: str  # to where it is typed, for those who are signed in


@dataclass(frozen=True, kw_only=True)
class OldAddressCode:
    """To the address that an account has, that it is to have another."""

    KIND: ClassVar = "old-address-code"
    code: str
    good_for: str
    address: str  # the other one
    link: str


@dataclass(frozen=True, kw_only=True)
class NewAddressCode:
    """To the address that an account is to have."""

    KIND: ClassVar = "new-address-code"
    code: str
    good_for: str
    link: str


@dataclass(frozen=True, kw_only=True)
class NewApp:
    """That a program of a stranger may act for the reader."""

    KIND: ClassVar = "new-app"
    name: str  # of the reader
    app: str  # what it calls itself
    address: str
    rights: tuple[str, ...]
    game: str  # a link to the only game; "" for all
    link: str  # ends it, after a question


@dataclass(frozen=True, kw_only=True)
class WebhookDisabled:
    KIND: ClassVar = "webhook-disabled"
    name: str  # of the reader
    url: str
    why: str  # in a sentence or two


Letter = (
    GameLetter
    | YourTurns
    | Invitation
    | StandInAsked
    | Rsvp
    | Bundle
    | SignInCode
    | DeletionCode
    | OldAddressCode
    | NewAddressCode
    | NewApp
    | WebhookDisabled
)

_templates = Environment(
    loader=PackageLoader("server.post"),
    undefined=StrictUndefined,
    extensions=["jinja2.ext.i18n"],
    trim_blocks=True,
    lstrip_blocks=True,
)


@pass_context
def _gettext(context: Context, words: str) -> str:
    found: str = context["catalogue"].ugettext(words)
    return found


@pass_context
def _ngettext(context: Context, one: str, many: str, num: int) -> str:
    found: str = context["catalogue"].ungettext(one, many, num)
    return found


_templates.install_gettext_callables(_gettext, _ngettext, newstyle=True)  # type: ignore[attr-defined]  # by the extension
_pages = _templates.overlay(autoescape=True)


def _preheader(words: str) -> str:
    """Filled up with blanks, so that an inbox shows nothing of the letter below it."""
    return words + Markup("&zwnj;&nbsp;") * max(0, _PREHEADER - len(words))


def _facts(table: str) -> list[tuple[str, list[str]]]:
    """The lines of a table, each with those that stand indented below it; none is broken any more."""
    found: list[tuple[str, list[str]]] = []
    for line in re.sub(r"\n {4}(?=\S)", " ", table).splitlines():
        if line.startswith(" ") and found:
            found[-1][1].append(line.strip())
        elif line:
            found.append((line, []))
    return found


_pages.filters |= {"preheader": _preheader, "facts": _facts}
_pages.globals["MARK"] = MARK


def spoken() -> Language:
    """That of the letter at hand."""
    return language(str(get_locale() or "en"))


def answer_above(is_invitation: bool = False) -> str:
    """The first line of a letter that can be answered."""
    words = gettext("Answer above this line: a move, or ? for help")
    if is_invitation:
        words = gettext("Answer above this line: yes or no")
    return f"{MARK} {words} {MARK[::-1]}"


def sender_name(letter: Letter) -> str:
    """By which an inbox shows who wrote: what the letter is, and who we are."""
    headline = _HEADLINES[letter.KIND]
    if isinstance(letter, Answer) and (letter.confirm or letter.played or letter.wrong):
        headline = _answered(letter)
    return f"{gettext(headline)} · {_HOUSE}"


def _answered(letter: Answer) -> str:
    if letter.confirm:
        return noted("Please confirm")
    return noted("Move played") if letter.played else noted("That could not be done")


def write(letter: Letter, mark: str = "", stop: str = "") -> tuple[str, str]:
    """Subject and text of the letter; `mark` is its first line, `stop` a link to get no more of them, if it has these."""
    words, catalogue = _words(letter), get_translations()
    whole = _templates.get_template(f"{letter.KIND}.txt").render(words, mark=mark, catalogue=catalogue)
    subject, _, text = whole.partition("\n\n")
    if stop:
        text += "\n" + _templates.get_template("_stop.txt").render(stop=stop, catalogue=catalogue)
    return subject, f"{mark}\n\n{text}" if mark else text


def write_page(letter: Letter, picture: str = "", mark: str = "", stop: str = "", alt: str = "") -> str:
    """The letter as HTML; `picture` is the name under which one travels with the mail, `alt` what is read where none is
    shown."""
    return _pages.get_template(f"{letter.KIND}.html").render(
        _words(letter),
        picture=picture,
        alt=alt,
        mark=mark,
        stop=stop,
        locale=spoken().locale,
        catalogue=get_translations(),
    )


def by_beginning(moves: Sequence[str]) -> list[str]:
    """Moves by the words that they begin with, as `7 leo: a | c | d`, so that hundreds are a few lines."""
    found: dict[str, list[str]] = {}
    for move in moves:
        words = move.split(" ")
        shared = min(len(words) - 1, _BEGINNING)
        found.setdefault(" ".join(words[:shared]), []).append("\u00a0".join(words[shared:]))  # not to be broken
    lines = []
    for beginning, endings in found.items():
        begin = beginning and f"{beginning}: "
        paper = TextWrapper(
            72, initial_indent=begin, subsequent_indent=begin, break_long_words=False, break_on_hyphens=False
        )
        lines += paper.wrap("\u00a0| ".join(endings))
    return [line.removesuffix("\u00a0|").replace("\u00a0", " ") for line in lines]


def _words(letter: Letter | WaitingGame) -> dict[str, object]:
    return {field.name: _fit(field.name, getattr(letter, field.name)) for field in fields(letter)}


def _fit(name: str, words: object) -> object:
    """A name with a line break in it must not begin a line of its own, which might pass for one of ours."""
    match words:
        case str() if name in ("table", "notation"):  # ours, and long
            return plain(words)
        case str():
            return clean(words, LINE_LENGTH)
        case tuple():
            return [_fit("", it) for it in words]
        case WaitingGame():
            return _words(words)
        case GameLetter():
            return {"kind": words.KIND, **_words(words)}
        case _:
            return words


def moment(when: datetime, zone: ZoneInfo) -> str:
    """See server.translations.times."""
    return times.moment(when, zone, spoken())


def span(length: timedelta) -> str:
    """See server.translations.times."""
    return times.span(length, spoken())
