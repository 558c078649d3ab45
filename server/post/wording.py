"""What the templates of letters get. One class a kind of letter, with what its template in `templates/` needs; everything is text
that is ready to be read, and links are whole URLs. All is said in the language of Flask-Babel's context.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from textwrap import TextWrapper
from typing import ClassVar
from zoneinfo import ZoneInfo

from flask_babel import get_locale, get_translations, gettext
from jinja2 import Environment, PackageLoader, StrictUndefined

from server.post.incoming.quotes import MARK
from server.sanitize import clean, plain
from server.translations import Language, language, times

LINE_LENGTH = 500
_BEGINNING = 2  # words by which moves are put together


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
    over: str  # why this turn no longer waits for the reader, a sentence; then there are no moves and no due time
    due: str  # see `moment`
    left: str  # see `span`
    link: str  # for this one turn, /t/{token}
    notice: str = ""  # what operators tell everybody


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


@dataclass(frozen=True, kw_only=True)
class GamePaused(GameLetter):
    KIND: ClassVar = "game-paused"


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
class WebhookDisabled:
    KIND: ClassVar = "webhook-disabled"
    name: str  # of the reader
    url: str
    why: str  # in a sentence or two


Letter = GameLetter | Invitation | Bundle | SignInCode | WebhookDisabled

_templates = Environment(
    loader=PackageLoader("server.post"),
    undefined=StrictUndefined,
    extensions=["jinja2.ext.i18n"],
    trim_blocks=True,
    lstrip_blocks=True,
)

_templates.install_gettext_callables(  # type: ignore[attr-defined]  # by the extension
    lambda words: get_translations().ugettext(words),
    lambda one, many, num: get_translations().ungettext(one, many, num),
    newstyle=True,
)
_pages = _templates.overlay(autoescape=True)


def spoken() -> Language:
    """That of the letter at hand."""
    return language(str(get_locale() or "en"))


def answer_above() -> str:
    """The first line of a letter that can be answered."""
    words = gettext("Answer above this line: a move, or ? for help")
    return f"{MARK} {words} {MARK[::-1]}"


def write(letter: Letter, mark: str = "", stop: str = "") -> tuple[str, str]:
    """Subject and text of the letter; `mark` is its first line, `stop` a link to get no more of them, if it has these."""
    words = _words(letter)
    subject, _, text = _templates.get_template(f"{letter.KIND}.txt").render(words).partition("\n\n")
    if stop:
        text += "\n" + _templates.get_template("_stop.txt").render(stop=stop)
    return subject, f"{mark}\n\n{text}" if mark else text


def write_page(letter: Letter, picture: str = "", mark: str = "", stop: str = "") -> str:
    """The letter as HTML; `picture` is the name under which one travels with the mail."""
    return _pages.get_template(f"{letter.KIND}.html").render(
        _words(letter), picture=picture, mark=mark, stop=stop, locale=spoken().locale
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
