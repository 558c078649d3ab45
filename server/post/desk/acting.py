"""Carrying out commands, by calling the same use cases as the REST API.

Each step is idempotent, so a worker can repeat an email after a crash. The id of a new game is derived from the email,
and the result of a search is stored with the email.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

from flask_babel import gettext, ngettext

from server.accounts.calendars import stored_zone
from server.accounts.notice_kinds import BUNDLED
from server.accounts.players import profile
from server.clock import clock
from server.errors import NotFound, NotSeated, PlayError
from server.games import GAMES, Json, RuleError
from server.games.presentation import edition_of, legend, refused
from server.play.game import Game
from server.play.mail.mail_in import KEPT
from server.play.seating.lobby import list_games
from server.play.views import load_visible
from server.post.desk import commands
from server.post.desk.arguments import (
    ALL_EDITIONS,
    Unclear,
    is_number,
    number_in,
    rules_in,
    times_in,
    wanted_in,
)
from server.post.desk.commands import BY_NAME, COMMANDS
from server.post.desk.reading import Asked, corrected, example_of
from server.post.desk.rule_texts import editions, options_in_words, options_of, section_about
from server.post.desk.setting_lines import (
    SETTINGS,
    brief_offer,
    example_of_setting,
    help_of_settings,
    in_words_of_reader,
    setting_command,
)
from server.post.desk.setting_wishes import wished_settings
from server.post.desk.wishes import Wish, wishes_in
from server.post.general_answers import answers_about_desk, general_answer, ways_to_stop
from server.post.incoming.commands import stops
from server.post.incoming.doubt import is_question, sentences_in
from server.post.incoming.replies import Mail
from server.post.nearest_topics import SURE, nearest_topic
from server.post.table_help import help_at_table
from server.post.topics import A_TERM, DUE, HOW_LONG, INVITING, JOINING, MEANING, MY_GAMES, OF_DESK, TURN, is_about
from server.post.wording import spoken, titled
from server.render.text_layout import punctuated
from server.store import desk
from server.store.tables import DeskMail
from server.translations import noted, times


def titled_by_number(number: int, title: str, rules: str) -> str:
    """Return the number, the title and the rules of a game. A title of its own is quoted, since it may end with a
    number as well."""
    if title.lower() == rules:
        return f"{number} {title}"
    quoted = gettext("“%(line)s”", line=title)
    return f"{number} {titled(title, rules.capitalize()).replace(title, quoted, 1)}"


class Records(NamedTuple):
    """The operators' functions that commands use. They are passed in, since the post may not import the operators'
    modules."""

    archive: Callable[[UUID, UUID], Json]  # returns the archive of a game, as this player may see it
    export: Callable[[UUID], Json]  # returns all data of a player
    delete: Callable[[UUID], None]  # deletes the account of a player who has confirmed the deletion


NO_GAME = noted('You have no game %(number)s. "games" lists your games with their numbers.')


@dataclass
class Said:
    """The reply to one command."""

    line: str = ""  # the player's line as written
    told: list[str] = field(default_factory=list)  # sentences
    items: list[str] = field(default_factory=list)  # items of a list below the sentences
    rules: str = ""  # the game whose rules are included
    options: Json | None = None  # the options of which these rules are; None for all editions
    table: str = ""
    picture: Json | None = None  # which table to draw
    files: list[Json] = field(default_factory=list)  # name and text of each attachment
    asks: str = ""  # the command that the player must confirm with `yes`
    begins: str = ""  # the game that it has started with the player's turn
    offers: list[str] = field(default_factory=list)  # commands that it offers; a `yes` to a single one carries it out
    is_all: bool = False  # whether a `yes` carries out all of them
    reviewed: str = ""  # id of the game whose review it contains
    review: Json | None = None  # the review that a second email will contain once it is complete


@dataclass(frozen=True)
class Errand:
    """A player's email to the post desk, and the command of it that is being carried out."""

    mail: DeskMail
    read: Mail
    player_id: UUID
    records: Records
    confirmed: DeskMail | None = None  # the earlier email whose commands it confirms
    is_doubted: bool = False  # whether other lines question or contradict its commands
    has_attached: bool = False  # whether the reply already has an attachment
    doubt: str = ""  # why the current command must be confirmed
    step: int = 0

    @property
    def is_again(self) -> bool:
        """Return whether an earlier attempt may have carried out some of the commands."""
        return self.mail.tries > 1

    @property
    def is_sure(self) -> bool:
        """Return whether the player has confirmed the commands."""
        return self.confirmed is not None

    @property
    def is_old(self) -> bool:
        """Return whether the email may be a copy of one that we no longer recognize."""
        return self.read.written_before(clock.now() - KEPT)

    @property
    def zone(self) -> ZoneInfo:
        return stored_zone(profile(self.player_id)["zone"])

    def new_id(self) -> UUID:
        """Return the id of the game that this command creates."""
        return self._id("game")

    @property
    def step_id(self) -> UUID:
        """Return the id under which an earlier attempt stored the result of its search."""
        return self._id("step")

    def _id(self, kind: str) -> UUID:
        """Return an id of this command. Commands are confirmed under their email's id, and are counted from 1 again."""
        mail = self.confirmed or self.mail
        return uuid5(mail.mail_id, f"{kind} {'confirmed ' * self.is_sure}{self.step}")

    def number(self, game_id: UUID) -> int:
        return desk.numbers(self.player_id, [game_id])[game_id]

    def named(self, game: Game) -> str:
        """Return a game's number in the player's list, its title and its rules."""
        return titled_by_number(self.number(game.game_id), game.head.title, game.head.rules)

    def game(self, number: int) -> Game:
        """Return the game that has this number in the player's list. Raise NotFound."""
        game_id = desk.game_of(self.player_id, number)
        if game_id is None:
            raise NotFound(NO_GAME, number=number)
        return load_visible(game_id, self.player_id)


ASKING = commands.LEAVE, commands.GOODBYE  # these always need confirmation
_ATTACHING = commands.ARCHIVE, commands.EXPORT
Act = Callable[[Errand, str], Said]
_ACTS: dict[str, Act] = {}


def acts(name: str) -> Callable[[Act], Act]:
    """Register the function that carries out this command."""

    def register(act: Act) -> Act:
        _ACTS[name] = act
        return act

    return register


def carry_out(errand: Errand, asked: Asked) -> Said:
    """Carry out one command, and return the reply to it. A confirmed command with a question mark can still ask: the
    player has only confirmed that they wrote it."""
    said = _carried_out(errand, asked) if asked.command else _not_understood(errand, asked)
    is_stored = errand.is_sure and asked.command  # in English words
    line = in_words_of_reader(asked.line) if is_stored else asked.line
    said.line = f"{line}?" if asked.is_question else line
    return said


def _carried_out(errand: Errand, asked: Asked) -> Said:
    doubt = "" if errand.is_sure or not asked.writes else _doubt(errand, asked)
    if doubt and asked.command not in ASKING:
        return unreadable(asked) or Said(told=[doubt], asks=asked.canonical)
    if errand.has_attached and asked.command in _ATTACHING:
        told = gettext("An email can have only one attachment. Please send this line again.")
        return Said(told=[told])
    errand = replace(errand, doubt=doubt, confirmed=None if asked.is_question else errand.confirmed)
    try:
        return _ACTS[asked.command](errand, asked.rest)
    except (PlayError, RuleError) as error:
        return _refused(asked, error)


def unreadable(asked: Asked) -> Said | None:
    """Return the reply to a command whose description of a game can't be read, or None. Such a command isn't put to the
    player for a yes."""
    if asked.command not in (commands.NEW, commands.PLAY, commands.FIND):
        return None
    try:
        wanted_in(asked.rest)
    except PlayError as error:
        return replace(_refused(asked, error), line=asked.line)
    return None


def _refused(asked: Asked, error: PlayError | RuleError) -> Said:
    if not isinstance(error, Unclear):
        return Said(told=[_sentence(error)])
    if error.meant:
        line = f"{asked.command} {error.meant}"
        told = _did_you_mean(BY_NAME[asked.command].written(spoken().locale, line))
        return Said(told=[_sentence(error), told], offers=[line])
    wishes = wishes_in([asked.line], is_near=True) if asked.command == commands.INVITE else []
    if [it.command for it in wishes] == [commands.NEW]:  # it names a kind of game, and not one of the player's games
        return offer(wishes)
    name = _setting_in(asked.rest) if asked.command == commands.SET else ""
    example = example_of_setting(name) if name else example_of(asked.command, spoken().locale)
    return Said(told=[_sentence(error), gettext('For example: "%(example)s"', example=example)])


def _setting_in(line: str) -> str:
    return commands.setting_of(line.partition(" ")[0].lower()) or ""


_UNKNOWN_PLACE = noted("We don't know this place. Name a large city in your time zone.")


def _offer_settings(wished: Sequence[tuple[str, str]]) -> Said:
    """Return the lines that do what a sentence wishes for. If none has a value, return an example."""
    found = [it for it in wished if it[1]]
    if not found:
        [(name, _)] = wished
        example = gettext('For example: "%(example)s"', example=example_of_setting(name))
        return Said(told=[gettext(_UNKNOWN_PLACE if name == commands.ZONE else SETTINGS[name][1]), example])
    return offer([], found, is_all=True)


def _doubt(errand: Errand, asked: Asked) -> str:
    if asked.is_question:
        return str(gettext("This line ends with a question mark, so nothing has changed yet."))
    if errand.is_doubted:
        return str(gettext("Another line of your email questions or contradicts this, so nothing has changed yet."))
    if errand.is_old and (at := errand.read.written_at):
        day = times.day(at.date(), spoken())
        told = gettext("Your email is dated %(day)s and may be an old copy. So nothing has changed yet.", day=day)
        return str(told)
    return ""


def _sentence(error: PlayError | RuleError) -> str:
    if isinstance(error, RuleError):
        return refused(error, spoken().locale)
    return str(error.words.said(gettext))


def _not_understood(errand: Errand, asked: Asked) -> Said:
    if stops(asked.line):
        return Said(told=[ways_to_stop()])
    if wished := wished_settings(asked.line, clock.now().astimezone(errand.zone).date(), spoken().locale):
        return _offer_settings(wished)
    meant = corrected(asked, spoken().locale)
    if meant and not asked.is_question:
        return _meant(meant)
    games, line = _kinds_of_games(errand), f"{asked.line}?" if asked.is_question else asked.line
    is_term = is_about(asked.line, A_TERM) and any(section_about(line, it, spoken().locale) for it in games)
    surely = "" if is_term else nearest_topic(line, SURE)
    if surely and not is_about(line, surely) and (said := _answer_to(errand, line, games)):
        return said
    if is_about(asked.line, A_TERM, MEANING) and (said := _explained(asked.line, games)):
        return said
    told = answers_about_desk(asked.line, *OF_DESK)
    if is_about(asked.line, HOW_LONG):
        how_long = general_answer(HOW_LONG)
        return Said(told=[*told, *how_long.told], items=list(how_long.items))
    if told:
        return Said(told=told)
    if meant:
        return _meant(meant)
    told = [gettext("We don't understand this line.")]
    before, hours = times_in(asked.line)
    if hours and not before and not asked.line.isdecimal():  # a reply to an email that comes at another time
        line = f"{commands.SET} {commands.MAILS} {BUNDLED} {' '.join(hours)}"
        return Said(told=[*told, _did_you_mean(" ".join((gettext("set mails bundled"), *hours)))], offers=[line])
    if (asked.is_question or not asked.near) and (said := _answer_to(errand, line, games)):
        return said
    if not asked.line:
        told = [gettext("We found no command in your email. For example, reply:")]
    if not asked.near:
        return Said(told=told, items=[_with_help(name) for name in _FIRST])
    it = BY_NAME[asked.near]
    nearest = gettext(
        'The nearest command is "%(command)s": %(help)s', command=it.word(spoken().locale), help=gettext(it.help)
    )
    example = gettext('For example: "%(example)s"', example=example_of(asked.near, spoken().locale))
    return Said(told=[*told, nearest, example])


def _meant(it: Asked) -> Said:
    line = BY_NAME[it.command].written(spoken().locale, it.canonical)
    return Said(told=[gettext("We don't understand this line."), _did_you_mean(line)], offers=[it.canonical])


def _kinds_of_games(errand: Errand) -> tuple[str, ...]:
    """Return the kinds of games that the player plays at the moment, or all if they play none."""
    own = list_games(errand.player_id, mine=True, status="running").items
    return tuple(dict.fromkeys(it["rules"] for it in own)) or tuple(GAMES)


def _answer_to(errand: Errand, line: str, games: tuple[str, ...]) -> Said | None:
    """Return what we know about the topics of a line in free words, or None."""
    parts = list(sentences_in([line]))
    found = dict.fromkeys(map(nearest_topic, filter(is_question, parts))) or dict.fromkeys([nearest_topic(line)])
    if found and found.keys() <= _ABOUT_OWN_GAMES:
        return _ACTS[commands.GAMES](errand, "")
    if "@" in line and not found.keys().isdisjoint((INVITING, JOINING)):
        return offer(wishes_in([BY_NAME[commands.INVITE].name, line], is_near=False))
    answers = [general_answer(topic, line, games) for topic in found]
    told = dict.fromkeys(chain.from_iterable((*it.told, it.heading) for it in answers))
    items = dict.fromkeys(chain.from_iterable((*it.items, *it.lines) for it in answers))
    return Said(told=list(filter(None, told)), items=list(items)) if any(told) or items else None


def _explained(question: str, games: Sequence[str]) -> Said | None:
    """Return what the rules of these games say about a term in a question, or None."""
    locale = spoken().locale
    found = {name: it for name in games if (it := section_about(question, name, locale))}
    told = [f"{name.capitalize()}. {it.title}" for name, it in found.items()]
    if found:
        return Said(told=told, items=[line.removeprefix("- ") for it in found.values() for line in it.lines])
    meant = [legend(name, locale) for name in games] if is_about(question, MEANING) else []
    return Said(told=list(filter(None, meant))) if any(meant) else None


_ABOUT_OWN_GAMES = {MY_GAMES, TURN, DUE}  # questions that the list of the player's games answers
_FIRST = commands.PLAY, commands.NEW, commands.GAMES, commands.RULES, commands.HELP  # after a line without a meaning


def _with_help(name: str) -> str:
    """Return the shortest example of a command, with what it does."""
    it, locale = BY_NAME[name], spoken().locale
    if name not in (commands.GAMES, commands.HELP):
        return Wish(name, commands.A_GAME).offer().told
    return punctuated(f"{it.word(locale)}: {gettext(it.help)}", locale)


def _did_you_mean(line: str) -> str:
    return str(gettext('Did you mean "%(move)s"? Then reply with that line.', move=line))


def offer(wishes: Sequence[Wish], settings: Sequence[tuple[str, str]] = (), is_all: bool = False) -> Said:
    """Return the lines that do what a sentence wishes for. `is_all`: whether it wishes for all of them."""
    told = ngettext("Reply with this line:", "Reply with the line that you want:", len(wishes) + len(settings))
    return Said(
        told=[told],
        items=[*(it.offer().told for it in wishes), *(brief_offer(*it) for it in settings)],
        offers=[*(it.asked for it in wishes), *(setting_command(*it) for it in settings)],
        is_all=is_all and len(wishes) + len(settings) > 1,
    )


def bare(name: str) -> Callable[[Callable[[Errand], Said]], Act]:
    """Register the function of a command that takes no arguments. If words follow the command, it is rejected as
    unclear."""

    def register(act: Callable[[Errand], Said]) -> Act:
        @acts(name)
        def check(errand: Errand, rest: str) -> Said:
            if rest:
                raise Unclear(noted("This command must be alone on its line."))
            return act(errand)

        return check

    return register


# Help


@acts(commands.HELP)
def _help(errand: Errand, topic: str) -> Said:
    locale = spoken().locale
    word = topic.strip().lower()
    found = commands.words_of(locale).get(word)
    if found:
        it = BY_NAME[found]
        told = [
            punctuated(f"{it.form(locale)}: {gettext(it.help)}", locale),
            gettext('For example: "%(example)s"', example=example_of(found, locale)),
        ]
        if found == commands.NEW:
            return Said(told=[told[0], *_lines_for_new()], items=_options_of_new())
        return Said(told=told, items=help_of_settings(commands.SETTABLE) if found == commands.SET else [])
    first, _, rest = word.partition(" ")
    if rest in GAMES and commands.words_of(locale).get(first) == commands.NEW:
        told = gettext('You can add to "%(line)s":', line=f"{BY_NAME[commands.NEW].word(locale)} {rest}")
        return Said(
            told=[told], items=[punctuated(f"{it}: {does}.", locale) for it, does in options_in_words(rest, locale)]
        )
    if name := _setting_in(rest if commands.words_of(locale).get(first) == commands.SET else word):
        return Said(items=help_of_settings([name]))
    if is_number(word):
        return _help_at_table(errand, number_in(word))
    told = [] if not word else [gettext("There is no such command.")]
    return Said(told=[*told, gettext("Write each command on a line of its own:")], items=help_items(locale))


def _lines_for_new() -> list[str]:
    """Return the lines with which most games are opened."""
    begin = f"{BY_NAME[commands.NEW].word(spoken().locale)} {commands.A_GAME}"
    examples = ("bob@example.org", gettext("4 players 2 days per move"))
    return [
        gettext("Usually one of these lines is enough:"),
        *(gettext("“%(line)s”", line=f"{begin} {it}") for it in examples),
        gettext("You can add to them:"),
    ]


def _options_of_new() -> list[str]:
    """Return what a player may add to the line that opens a game, and how to learn about a game's options."""
    locale = spoken().locale
    asks = f"{BY_NAME[commands.HELP].word(locale)} {BY_NAME[commands.NEW].word(locale)}"
    described = (
        ("bots=1", gettext("gives a seat to a bot")),
        ("bots=2 level=4", gettext("seats two bots of level 4. Levels go from 1 (easy) to 6 (very strong)")),
        ("title=Friends private=yes", gettext("a title, and only invited players can join")),
        ("open_for=P7D", gettext("closes after 7 days if it hasn't started")),
        ("take_back=never", gettext("no player can take a move back")),
        ("take_back=free", gettext("a move can be taken back until it reveals something or another player acts")),
        ("nameless=yes", gettext("the players' names stay hidden until the end")),
    )
    more = ((f"{asks} {game}", gettext("lists the rules that you can change")) for game in GAMES)
    return [punctuated(f"{line}: {what}.", locale) for line, what in (*described, *more)]


def _help_at_table(errand: Errand, number: int) -> Said:
    game = errand.game(number)
    seat = game.seat_of(errand.player_id)
    if seat is None:
        raise NotSeated("You have no seat at this table.")
    told = gettext(
        "In a reply to an email about game %(game)s, you can write, each on its own line:", game=errand.named(game)
    )
    return Said(told=[told], items=help_at_table(game, seat))


def help_items(locale: str) -> list[str]:
    """Return one line for each command, with its explanation."""
    return [punctuated(f"{it.form(locale)}: {gettext(it.help)}", locale) for it in COMMANDS]


@acts(commands.RULES)
def _rules(errand: Errand, rest: str) -> Said:
    locale = spoken().locale
    if not rest:
        items = [
            gettext("%(game)s, for %(seats)s players", game=name.capitalize(), seats=_seats(rules))
            for name, rules in GAMES.items()
        ]
        example = example_of(commands.RULES, locale)
        return Said(
            told=[gettext('We have these games. Write "%(example)s" to learn how to play.', example=example)],
            items=items,
        )
    if is_number(rest):
        game = errand.game(number_in(rest))
        name, options = game.head.rules, options_of(game.head.rules, "", len(game.seats), game.head.options)
        told = gettext("The rules of game %(game)s", game=errand.named(game))
        return Said(told=[_with_edition(told, name, options)], rules=name, options=options)
    name, edition = rules_in(rest)
    told = gettext("%(game)s, for %(seats)s players", game=name.capitalize(), seats=_seats(GAMES[name]))
    if edition == ALL_EDITIONS:
        return Said(told=[f"{told}."], rules=name)
    options = options_of(name, edition)
    others = [it for id_, it in editions(name, locale).items() if id_ != edition_of(name, options)]
    line = f"{BY_NAME[commands.RULES].word(locale)} {name} {others[0]}" if others else ""
    more = gettext(
        'There are also: %(others)s. For one of them, write "%(line)s".', others=", ".join(others), line=line
    )
    return Said(told=[_with_edition(told, name, options), *([more] if others else [])], rules=name, options=options)


def _with_edition(told: str, name: str, options: Json) -> str:
    """Return a sentence that ends with the name of the edition, if the game has several."""
    edition = editions(name, spoken().locale).get(edition_of(name, options), "")
    return f"{told}: {edition}." if edition else f"{told}."


def _seats(rules: Any) -> str:
    return f"{min(rules.SEATS)}-{max(rules.SEATS)}"
