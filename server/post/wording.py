"""Renders emails from templates, as text and as HTML."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime, timedelta
from textwrap import TextWrapper
from typing import Any, ClassVar, Literal, NamedTuple
from zoneinfo import ZoneInfo

from flask_babel import get_locale, get_translations, gettext
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from server.accounts.notice_kinds import NoticeKind
from server.games import Seat, presentation
from server.play.timing.time_control import Bank, GameClock, PerMove
from server.post.incoming.commands import READY, SAY, word_for
from server.post.incoming.quotes import MARK
from server.sanitize import clean, plain, unless_link
from server.translations import Language, filled, language, times

LINE_LENGTH = 1000
LINE_WIDTH = 72  # columns of our text
_BEGINNING = 2  # number of leading words by which moves are grouped
_PREHEADER = 150  # number of characters that an inbox shows next to the subject


@dataclass(frozen=True, kw_only=True)
class Letter:
    """The content of an email. Each kind has a class, whose fields go to its template in `templates/`.

    Texts are in the language of Flask-Babel's context, and links are absolute URLs.
    """

    KIND: ClassVar[NoticeKind]
    TEMPLATE: ClassVar[str] = ""  # "" if it has the name of the kind
    HEADLINE: ClassVar[str] = ""  # "" if it is the headline of the kind
    by: str = (
        ""  # the player who caused the email, for the name of its sender; "" if no player did, or if names are hidden
    )

    @property
    def template(self) -> str:
        return self.TEMPLATE or self.KIND.name

    @property
    def headline(self) -> str:
        return self.HEADLINE or self.KIND.headline

    @property
    def sender_name(self) -> str:
        """Return the name next to the sender's address. It never contains a link or an address, even if it is decoded
        twice."""
        by = "" if "=?" in self.by else unless_link(self.by, "")
        return str(gettext("%(name)s via Sternenpost", name=by)) if by else "Sternenpost"


@dataclass(frozen=True, kw_only=True)
class GameLetter(Letter):
    NEWS: ClassVar[str] = ""  # a sentence for bundles, in which %(...)s stands for a field
    name: str  # name of the reader, as the game shows it
    title: str  # title of the game
    rules: str  # name of the game that is played
    game_link: str  # link to the game, for readers who are signed in
    plays_for: str = ""  # for whom the reader plays as a stand-in, a sentence

    @property
    def news(self) -> str:
        return self.NEWS


_templates = Environment(
    loader=PackageLoader("server.post"),
    undefined=StrictUndefined,
    extensions=["jinja2.ext.i18n"],
    trim_blocks=True,
    lstrip_blocks=True,
)


@pass_context
def _gettext(context: Context, words: str, /, **values: object) -> str:
    return _filled(context, context["catalogue"].ugettext(words), values)


@pass_context
def _ngettext(context: Context, one: str, many: str, num: int, /, **values: object) -> str:
    return _filled(context, context["catalogue"].ungettext(one, many, num), {"num": num, **values})


def _filled(context: Context, words: str, values: Mapping[str, object]) -> str:
    return filled(Markup(words) if context.eval_ctx.autoescape else words, values)


_templates.install_gettext_callables(_gettext, _ngettext, newstyle=False)  # type: ignore[attr-defined]  # by the extension
_pages = _templates.overlay(autoescape=True)


def _preheader(words: str) -> str:
    """Pad a preheader with blanks, so that the inbox shows nothing after it."""
    return words + Markup("&zwnj;&nbsp;") * max(0, _PREHEADER - len(words))


def _facts(table: str) -> list[tuple[str, list[str]]]:
    """Return the lines of a table, each with the indented lines that follow it. Wrapped lines are joined."""
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
    """Return the language of the current email."""
    return language(str(get_locale() or "en"))


def answer_above(expected: Literal["move", "message", "ready", "rsvp"] = "move") -> str:
    """Return the first line of an email to which the reader can reply. The line says what to reply."""
    match expected:
        case "move":
            words = gettext("Reply above this line: a move, or ? for help")
        case "message":
            words = gettext("Reply above this line: %(say)s and your message", say=word_for(SAY, spoken().locale))
        case "ready":
            words = gettext("Reply above this line: %(ready)s", ready=word_for(READY, spoken().locale))
        case "rsvp":
            words = gettext("Reply above this line: yes or no")
    return f"{MARK} {words}"


def command_above() -> str:
    """Return the first line of an email from the post desk."""
    words = gettext("Reply above this line: a command, or help")
    return f"{MARK} {words}"


_WHOLE = re.compile(  # quoted lines, and moves in a list such as `1 lay dot star b1, 3 remove c1`
    r'"[^"\n]{1,70}"|“[^”\n]{1,70}”|„[^“\n]{1,70}“|«[^»\n]{1,70}»'
    r"|(?<=[:,;] )(?=[^,.:;\n]*(?:#|\b[a-z])\d)[^,.:;\n]{3,40}(?=[,.;]|$)"
)
_HEAD = re.compile(r"- [^:\n]{1,70}(?=\s?:)|  [^\n]{1,70}?(?=\s\()")  # the line that an item of a list explains
_LINK = re.compile(r".{0,40}https?://\S+")  # a link with the words before it
_KEPT = "\ue000"  # stands for a space at which no line ends


def wrapped(text: str) -> str:
    """Return a text in lines of at most 72 characters, so that it stays within 80 when it is quoted. Addresses, links,
    and lines that the reader may copy aren't split."""
    return "\n".join(
        line if len(line) <= LINE_WIDTH or _LINK.fullmatch(line) else _wrapped(line) for line in text.split("\n")
    )


def _wrapped(line: str) -> str:
    head, indent = _HEAD.match(line), ""
    if line.startswith("  "):
        if head is None:  # a move
            return line
        indent = "    "
    elif line.startswith("- "):
        indent = "  "
    whole = _WHOLE.sub(lambda it: it[0].replace(" ", _KEPT), line)
    if indent and head:
        whole = line[:2] + head[0][2:].replace(" ", _KEPT) + whole[head.end() :]
    paper = TextWrapper(LINE_WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return paper.fill(whole).replace(_KEPT, " ")


def titled(title: str, rules: str) -> str:
    """Return a game's title with the name of its rules, unless they are the same."""
    return title if title == rules or title.startswith(f"{rules} (") else f"{title} ({rules})"


_templates.filters["titled"] = titled


def write(letter: Letter, mark: str = "", stop: str = "", desk: str = "") -> tuple[str, str]:
    """Return a pair: the subject and the text of an email. `mark` is its first line, `stop` the unsubscribe link, and
    `desk` the address of the post desk. Each of them may be ""."""
    words, catalogue = _words(letter) | {"headline": gettext(letter.headline)}, get_translations()
    whole = _templates.get_template(f"{letter.template}.txt").render(words, mark=mark, catalogue=catalogue)
    subject, _, text = whole.partition("\n\n")
    if plays_for := words.get("plays_for"):
        text = f"{plays_for}\n\n{text}"
    if stop:
        text += "\n" + _templates.get_template("_stop.txt").render(stop=stop, catalogue=catalogue)
    if desk:
        text += "\n" + _templates.get_template("_desk.txt").render(words, desk=desk, catalogue=catalogue)
    text = wrapped(text)
    return subject, f"{mark}\n\n{text}" if mark else text


class Picture(NamedTuple):
    """An inline image."""

    name: str = ""
    alt: str = ""  # its text alternative


NO_PICTURE = Picture()


def write_page(
    letter: Letter, picture: Picture = NO_PICTURE, mark: str = "", stop: str = "", desk: str = "", reply_to: str = ""
) -> str:
    """Return an email as HTML. `reply_to` is the address for replies. See `write` for the three parameters before it."""
    page = _pages.get_template(f"{letter.template}.html").render(
        _words(letter),
        picture=picture.name,
        alt=picture.alt,
        mark=mark,
        stop=stop,
        desk=desk,
        reply_to=reply_to,
        locale=spoken().locale,
        catalogue=get_translations(),
    )
    page = _with_whole_words(page)
    return _with_french_spaces(page) if spoken().locale == "fr" else page


_TEXT = re.compile(r">([^<>]+)")  # what stands between tags
_DATES = re.compile(r"(?<![\w.+-])\d{4}-\d\d-\d\d(?:\.\.\d{4}-\d\d-\d\d)?")
_EMAILS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")


def _with_whole_words(page: str) -> str:
    """Return a page in which no line ends within a date or an email address that a player can copy. An address that is
    wider than the page is broken anyway."""

    def marked(text: re.Match[str]) -> str:
        whole = _EMAILS.sub(r'<span class="address">\g<0></span>', text[1])
        return ">" + _DATES.sub(r'<span class="whole">\g<0></span>', whole)

    head, style, rest = page.partition("</style>")
    return head + style + _TEXT.sub(marked, rest)


def _with_french_spaces(page: str) -> str:
    """Return a page in which no line begins or ends with a punctuation mark and its space."""
    head, style, rest = page.partition("</style>")
    return head + style + re.sub("(?<=«) | (?=[:;?!»])", "\u00a0", rest)


def by_beginning(moves: Sequence[str]) -> list[str]:
    """Return moves grouped by their leading words, as in `7 leo: a | c | d`, so that hundreds of moves take a few
    lines."""
    found: dict[str, list[str]] = {}
    for move in moves:
        words = move.split(" ")
        shared = min(len(words) - 1, _BEGINNING)
        found.setdefault(" ".join(words[:shared]), []).append("\u00a0".join(words[shared:]))  # keeps these on one line
    lines = []
    for beginning, endings in found.items():
        begin = beginning and f"{beginning}{':' * (len(endings) > 1)} "
        paper = TextWrapper(
            LINE_WIDTH, initial_indent=begin, subsequent_indent=begin, break_long_words=False, break_on_hyphens=False
        )
        lines += paper.wrap("\u00a0| ".join(endings))
    return [line.removesuffix("\u00a0|").replace("\u00a0", " ") for line in lines]


def _words(letter: Any) -> dict[str, object]:
    return {field.name: _fit(field.name, getattr(letter, field.name)) for field in fields(letter)}


def _fit(name: str, words: object) -> object:
    """Clean a field of an email. Otherwise a line break in a name could forge one of our lines."""
    match words:
        case str() if name in ("table", "notation"):  # written by the server, and long
            return plain(words)
        case str():
            return clean(words, LINE_LENGTH)
        case tuple():
            return [_fit("", it) for it in words]
        case GameLetter():
            return {"kind": words.KIND.name, "news": words.news, **_words(words)}
        case _ if is_dataclass(words):
            return _words(words)
        case _:
            return words


def with_you(names: Sequence[str], seat: Seat | None) -> list[str]:
    """Return the names at a table, with "You" instead of the reader's, who sits in this seat."""
    return [str(gettext("You")) if nr == seat else name for nr, name in enumerate(names)]


def counted(score: int, unit: str | None) -> str:
    """Return `presentation.counted` in the current email's language."""
    return presentation.counted(spoken(), score, unit)


def moment(when: datetime, zone: ZoneInfo) -> str:
    """Return `times.moment` in the current email's language."""
    return times.moment(when, zone, spoken())


def short_span(length: timedelta) -> str:
    """Return `times.short_span` in the current email's language."""
    return times.short_span(length, spoken())


def span(length: timedelta) -> str:
    """Return `times.span` in the current email's language."""
    return times.span(length, spoken())


def pace_of(game_clock: GameClock) -> str:
    """Return how much time a player has, such as "2 days per turn"."""
    match game_clock:
        case PerMove(allowed):
            return str(gettext("%(time)s per turn", time=span(allowed)))
        case Bank(bank, increment):
            more = span(increment)
            return str(gettext("%(time)s on the clock, plus %(more)s per turn", time=span(bank), more=more))
