"""Moves in emails to the post desk, such as `7 leo c` or `3: 7 leo c` for game 3.

Such an email is passed on as a reply to the email about that turn, with everything else that it says. The table then
decides.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from functools import cache, partial
from html import escape
from itertools import chain
from typing import NamedTuple
from uuid import UUID

from flask_babel import gettext, ngettext

from server.errors import NotFound
from server.games import GAMES, Json
from server.games.presentation import later_moves
from server.play.commits import load, whole_log
from server.play.game import Game
from server.play.seating.lobby import list_games
from server.play.views import turn_of
from server.post import topics
from server.post.desk.acting import NO_GAME, Errand, Said
from server.post.desk.arguments import game_in, is_game
from server.post.desk.reading import looks_like_command
from server.post.desk.subjects import id_in
from server.post.incoming import invitations
from server.post.incoming.child import child
from server.post.incoming.commands import SAY, meaning
from server.post.incoming.doubt import is_courtesy, is_question, sentences_in, without_footer
from server.post.incoming.intake import identity
from server.post.incoming.lines import FLAGS, Grammar, Line, has_long_word_of, resembles, strange_word_in
from server.post.incoming.replies import Mail, parse, understand
from server.post.table_help import example_at_table, for_game
from server.post.topics import is_about
from server.post.wording import moment, spoken
from server.store import desk, inbox
from server.store.outbox import games_sent_at, sent_at
from server.translations import noted

_OF_GAME = re.compile(  # such as `3: 7 leo c`, `3 - 7 leo c` or `3 7 leo c`
    r"\s*(?:game|spiel|partie|partita|nr\.?|no\.?|#)?\s?(\d{1,6})(?:\s?:\s?|\s[-–—]\s|\s(?=\d{1,2}\s[^\W\d]))(\S.*)",
    re.IGNORECASE,
)
_IN_GAME = re.compile(  # such as `In game 3 I play 7 leo c` or `In game 3: 7 leo c`
    r"\s*(?:in|im|bei|dans|en|nella|for|für|pour|per)\s(?:(?:the|der|die|la)\s)?(?:game|spiel|partie|partita)\s?(\d{1,6})"
    r"(?:\s?:\s?(?=\S)|\s?,\s(?=[^?]*$)|,?\s(?=(?:(?:please|bitte|s['’]il te plaît|stp|per favore),?\s)?(?:i (?:play|choose|take|put|place|move)|i['’]ll|i['’]d (?:like|love) to|i (?:will|want to|would like to)"
    r"|play|choose|take|put|place|move|ich (?:spiele|wähle|nehme|lege|setze|möchte|will|würde)|(?:spiele|wähle|nehme|lege|setze|möchte|will|würde) ich"
    r"|(?:spiel|wähl|nimm|leg|setz)e?|je (?:joue|choisis|prends|pose|mets|voudrais|veux)|j['’]aimerais|(?:joue|choisis|prends|pose|mets)"
    r"|(?:io )?(?:gioco|scelgo|prendo|metto|vorrei|voglio)|gioca|scegli|prendi|metti|\d+|[b-df-hj-np-tv-z](?=\s[^\W\d]))\b))(.+)",
    re.IGNORECASE,
)
_ABOUT_GAME = re.compile(  # in questions such as `Who is winning in game 1?` or `In game 1, who is winning?`
    r"\s?\b(?:in|of|about|bei|von|zu|dans|de|nella|della)\s(?:(?:the|my|der|dem|die|meiner?|la|ma|mia)\s){0,2}"
    r"(?:game|spiel|partie|partita)\s?(\d{1,6})\b,?",
    re.IGNORECASE,
)
_OF_NAMED_GAME = re.compile(  # such as `game 3: 7 leo c` or `Game 3, 7 leo c`
    r"\s*(?:game|spiel|partie|partita)\s?(\d{1,6})(?:\s?:\s?|\s[-–—]\s|\s?,\s)(\S.*)", re.IGNORECASE
)
_WITH_PLAYER = re.compile(  # such as `In the game with Ann: 7 leo c`, `my game against Ann` or `gegen Ann: 7 leo c`
    r"(?:(?P<in>\b(?:in|for|on|bei|für|dans|pour|en|per)\s)?\b(?:(?:the|my|our|der|die|dem|das|meine[rmns]?|la|ma|notre|le|mia|nostra)\s){1,2}"
    r"|(?P<short>\b(?:im|beim|fürs|in|nella|della|alla|per la)\s)(?:mia\s)?)(?P<game>game|match|spiel|partie|partita)\s"
    r"(?:with|against|mit|gegen|avec|contre|con|contro)\s(?P<name>\S.*)"
    r"|^\s*(?:with|against|mit|gegen|avec|contre|con|contro)\s(?P<alone>[^\W\d][^:,]*[:,]\s\S.*)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?!Bots?\b)[^\W\d_a-zß-ÿ]\w*")  # a word in capitals that may be a name
_GAME_NUMBER = re.compile(r"\b(?:game|spiel|partie|partita)\s?(\d{1,6})\b", re.IGNORECASE)
_OF_KIND = re.compile(r"\s*([^\W\d_]+)\s?:\s?(\S.*)")  # such as `NAME: 7 leo c`
_COMMAND_OF_GAME = re.compile(
    r"\s*([^\W\d]+)\s+(?:(?:game|spiel|partie|partita|nr\.?|no\.?|#)\s?)?(\d{1,6})[\s.!]*", re.IGNORECASE
)
_ASKS_FOR_HELP = re.compile(r"[\s.!\"']*\?[\s.!?\"']*")
_HELP_OF_GAME = re.compile(
    r"\s*\?\s*(?:(?:game|spiel|partie|partita|nr\.?|no\.?|#)\s?)?(\d{1,6})[\s.!?]*", re.IGNORECASE
)
_NUMBERED = re.compile(r"\s*\d{1,6}\s?:\s*\D")  # such as `3: the second one`, but not a slot
_WITH_COLON = re.compile(r"\s*\d{1,6}\s?:")
_ORDINAL = re.compile(
    r"\W*(?:(?:i(?:['’]ll)? take|i play|ich nehme|je prends|prendo|please|bitte)\s)?(?:the|das|den|die|der|la|le|l['’]|il|lo)\s?"
    r"(?:first|second|third|last|erste[nr]?|zweite[nr]?|dritte[nr]?|letzte[nr]?|premi[eè]re?|deuxième|troisième|derni[eè]re?"
    r"|prim[oa]|second[oa]|terz[oa]|ultim[oa])(?:\s(?:one|move|line|zug|zeile|coup|ligne|mossa|riga))?"
    r"(?:,?\s(?:please|bitte|per favore))?\W*",
    re.IGNORECASE,
)
_NEXT_GAME = re.compile(  # where a line goes on with another game
    r"(?:\s?[,;.](?:\s(?:and|und|et|e))?|\s(?:and|und|et|e))\s+"
    r"(?=(?:(?:in|bei|dans|en|nella|for|für|pour|per)\s)?(?:(?:the|my|der|meiner?|la|ma|mia)\s){0,2}"
    r"(?:game|spiel|partie|partita)\s?(?:\d|(?:with|against|mit|gegen|avec|contre|con|contro)\s))",
    re.IGNORECASE,
)
_NTH_GAME = re.compile(  # such as `In the first game 7 leo c` or `First game: 7 leo c`
    r"(?:\b(?:(?:in|for|bei|für|dans|pour|en|per)\s(?:the|my|der|dem|das|meine[mrs]?|la|ma)|im|beim|fürs|nella(?:\smia)?|per la)\s"
    r"|^\W*(?:(?:the|my|das|die|la|ma)\s)?(?=[^:]{5,25}:))"
    r"(?:(?P<first>first|1st|erste[nrs]?|1\.|première|1re|1ère|prima)|(?P<second>second|2nd|zweite[nrs]?|2\.|deuxième|seconde|2e|seconda)"
    r"|(?P<third>third|3rd|dritte[nrs]?|3\.|troisième|3e|terza)|(?P<fourth>fourth|4th|vierte[nrs]?|4\.|quatrième|4e|quarta))"
    r"\s(?:game|spiel|partie|partita)\b",
    re.IGNORECASE,
)
_NTH = "first", "second", "third", "fourth"
_LISTED = re.compile(r"\s*(\d{1,6})[.)]\s(?=\S)")  # such as `3. 7 leo c`
_MOVE_LIKE = re.compile(r"(?:\D{0,40}\s)?(?:\d{1,2}|[A-Z])\s[^\W\d]")
_LATER = re.compile(
    r"\W*(?:later|tomorrow|not (?:yet|now|today)|später|spaeter|morgen|(?:noch|jetzt|heute) nicht|plus tard|demain"
    r"|pas (?:encore|maintenant|aujourd['’]hui)|più tardi|domani|non (?:ancora|ora|oggi))\W*",
    re.IGNORECASE,
)
_OF_BODY = re.compile(rb"(?:content-[a-z-]+|mime-version)[ \t]*:", re.IGNORECASE)
_OLDER = noted(
    "Your turn in game %(game)s began after the email to which you replied. Please reply to our newest email about it."
)
_LONGEST = 200
_MOST_LISTED = 20
_MOST_LOOSE = 20  # lines without a number that are looked at
_MOST_DUE = 20  # games whose moves are looked for in an email
_UNCLEAR = 0  # stands for the number of the game in lines of which it is unclear to which game they belong
# Questions that a table answers, but only if it is clear which table
_ABOUT_TABLE = topics.SCORES, topics.TURN, topics.DUE, topics.LAST_MOVE, topics.REFUSED, topics.ADVICE, topics.ENDING


class Due(NamedTuple):
    """A game in which it is the player's turn, or which an email names."""

    number: int
    game: Game
    seat: int
    turn: int  # which a reply answers


class Found(NamedTuple):
    """What an email says to the table."""

    lines: tuple[str, ...] = ()  # the lines that are a move, or seem to be one
    move: str | None = None  # the move, if the table would play it
    commands: tuple[str, ...] = ()  # the lines that are other commands of the table, such as `hint`


def read_moves(read: Mail, rules_name: str, locale: str, legal: Sequence[object]) -> Found:
    """Return the lines of an email that are a move of this game, or seem to be one, and those that are commands."""
    rules = GAMES[rules_name]
    reply = parse(read, rules, locale, legal)
    found = tuple(line.text for line in reply.lines if _is_like_move(line, reply.grammar))
    commands = tuple(line.text for line in reply.lines if line.command is not None and line.text not in found)
    return Found(found, understand(reply).move, commands)


def read_each(read: Mail, lines: Sequence[str], rules_name: str, locale: str, legal: Sequence[object]) -> list[Found]:
    return [read_moves(replace(read, lines=(line,), beside=None), rules_name, locale, legal) for line in lines]


def _is_like_move(line: Line, grammar: Grammar) -> bool:
    text = line.text
    if line.command is not None:
        return line.command.move is not None
    if not text or looks_like_command(text, grammar.locale):
        return False
    is_near = resembles(text, grammar) and has_long_word_of(text, grammar)
    return is_near or strange_word_in(text, grammar) != ""


def _number_and_rest(line: str) -> tuple[int | None, str]:
    """Return a pair: the number of a game in a line such as `3: pause`, `pause 3` or `In game 3 I play 7 leo c`, or in a
    question, and the rest. Return None and the whole line if there is no number."""
    if len(line) > _LONGEST:
        return None, line
    if found := _OF_NAMED_GAME.fullmatch(line) or _OF_GAME.fullmatch(line) or _IN_GAME.fullmatch(line):
        return int(found[1]), found[2]
    if (found := _ABOUT_GAME.search(line)) and "?" in line[found.end() :] and not is_about(line, topics.BOT_IN_SEAT):
        return int(found[1]), f"{line[: found.start()]}{line[found.end() :]}".strip()
    if (found := _COMMAND_OF_GAME.fullmatch(line)) and meaning(found[1], spoken().locale) in FLAGS:
        return int(found[2]), found[1]
    if found := _HELP_OF_GAME.fullmatch(line):
        return int(found[1]), "?"
    is_of_desk = looks_like_command(line, spoken().locale) or is_about(line, topics.BOT_IN_SEAT)
    if is_question(line) and not is_of_desk:  # such as `How long does game 2 take?`
        numbers = set(_GAME_NUMBER.findall(line))
        return (int(*numbers) if len(numbers) == 1 else None), line
    return None, line


def _game_named(line: str) -> int | None:
    """Return the number of a game in a line such as `game 3: 7 leo c` or `pause 3`. A number alone may be that of a
    slot."""
    is_certain = _OF_NAMED_GAME.fullmatch(line[:_LONGEST]) or not _OF_GAME.fullmatch(line)
    return _number_and_rest(line)[0] if is_certain else None


def with_numbers_of_names(read: Mail, player_id: UUID) -> Mail:
    """Return an email of this player with a line for each game that a line names. Such a line begins with the game's
    number if it names another player, as in `In the game with Ann: 7 leo c`. If it is unclear which game it means, it
    begins with `_UNCLEAR`."""

    @cache
    def games() -> list[tuple[int, list[str]]]:
        playing = [
            it for status in ("running", "paused") for it in list_games(player_id, mine=True, status=status).items
        ]
        numbers = desk.numbers(player_id, [it["id"] for it in playing])
        return [(numbers[it["id"]], _others_in(it)) for it in playing]

    def parts(line: str) -> list[str]:
        if _NTH_GAME.search(line[:_LONGEST]) and _is_for_table(line) and len(games()) > 1:
            return [for_game(_UNCLEAR, line)]
        is_of_several = _WITH_PLAYER.search(line[:_LONGEST]) or len(_GAME_NUMBER.findall(line)) > 1
        if len(line) > _LONGEST or not is_of_several:
            return [_with_number_first(line)]
        each = [_with_number(it, games()) for it in _NEXT_GAME.split(line)]
        if len(each) > 1 and all(_game_named(it) for it in each):
            return each
        if _says(_number_and_rest(line)[1]) or looks_like_command(line, spoken().locale) or not games():
            return [line]
        return [for_game(_UNCLEAR, line) if len(each) > 1 else _with_number(line, games())]

    return _with_lines(read, lambda lines: chain.from_iterable(map(parts, lines)))


def _others_in(item: Json) -> list[str]:
    """Return the names of the other players in an item of the list of games."""
    own = item["you"] and item["you"]["seat"]
    return [it["display_name"] for nr, it in enumerate(item["seats"]) if nr != own and it["display_name"]]


def _with_number_first(line: str) -> str:
    """Return a line such as `I play 7 leo c in game 3` with the number of the game before it."""
    found = _ABOUT_GAME.search(line[:_LONGEST])
    if found is None or _number_and_rest(line)[0] is not None or not _is_for_table(line):
        return line
    rest = f"{line[: found.start()]}{line[found.end() :]}".strip()
    return for_game(int(found[1]), rest) if _MOVE_LIKE.match(rest) else line


def _is_for_table(line: str) -> bool:
    return not (is_question(line) or _says(line) or looks_like_command(line, spoken().locale))


def _says(line: str) -> bool:
    return meaning(line.strip().partition(" ")[0], spoken().locale) == SAY


def _with_number(line: str, games: Sequence[tuple[int, Sequence[str]]]) -> str:
    """Return a line with the number of its game before it, if it names another player or two games."""
    numbers = {int(it) for it in _GAME_NUMBER.findall(line)}
    found = _WITH_PLAYER.search(line)
    if found is None:
        return for_game(_UNCLEAR, line) if len(numbers) > 1 else line
    text = found["name"] or found["alone"]
    known = [(number, name) for number, names in games for name in names if _begins_with_name(text, name)]
    known += [
        (number, first)
        for number, names in games
        for name in names
        if not known and (first := name.partition(" ")[0]) and _begins_with_name(text, first)
    ]
    if not known:
        is_name = _NAME.match(text) if found["name"] else re.match(rf"{_NAME.pattern}\s?:", text)
        return for_game(_UNCLEAR, line) if is_name else line
    longest = max(len(name) for _, name in known)
    numbers |= {number for number, name in known if len(name) == longest}
    if len(numbers) > 1:
        return for_game(_UNCLEAR, line)
    before = line[: found.start()]
    stays = "" if found["in"] or found["short"] or found["alone"] else line[found.start() : found.start("name")]
    kept = re.sub(r"\s\w+\s$", "", stays) if before.strip() else ""  # as in `How is the game going?`
    after = re.sub(r"^\s?[,:–-]\s", " ", text[longest:])
    glue = "" if kept or re.match(r"\W", after) else " "
    rest = " ".join(f"{before.rstrip() if not kept else before}{kept}{glue}{after}".split())
    return for_game(numbers.pop(), rest) if rest else line


def _begins_with_name(text: str, name: str) -> bool:
    return re.match(rf"{re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def games_named(read: Mail) -> set[int]:
    """Return the numbers of the games that lines of an email name."""
    return {number for line in read.lines if (number := _game_named(line)) is not None}


def names_moves(read: Mail) -> bool:
    """Return whether lines of an email, such as `game 3: 7 leo c`, are for a game."""
    return any(_game_named(line) is not None and not is_question(line) for line in read.lines)


def lines_for_others(read: Mail, number: int | None) -> Mail | None:
    """Return only those lines of an email that name another game, or None if there are none."""
    if number is None or games_named(read) <= {number}:
        return None

    def others(lines: Sequence[str]) -> tuple[str, ...]:
        return tuple(it for it in lines if _game_named(it) not in (None, number))

    return replace(read, lines=others(read.lines), beside=None if read.beside is None else others(read.beside))


def for_number(read: Mail, number: int, others: Collection[int]) -> Mail:
    """Return an email without this number of a game before its lines, and without the lines for the others."""

    def rest(line: str) -> str:
        named, rest = _number_and_rest(line)
        return rest if named == number else "" if named in others else line

    beside = None if read.beside is None else tuple(map(rest, read.beside))
    return replace(read, lines=tuple(map(rest, read.lines)), beside=beside)


def pass_on(
    errand: Errand, waiting: Sequence[UUID], running: Mapping[str, int], is_beside_commands: bool = False
) -> list[Said] | None:
    """Pass the moves and commands in an email on to their tables. Return a reply for each line that is unclear, or None
    if the email has nothing to do with a table. `waiting` are games in which it may be the player's turn. `running`: how
    many running games of each kind the player has. `is_beside_commands`: whether the email also had commands of the post
    desk, beside which only a whole move or a line with a number counts."""
    due = _due_games(errand, waiting)
    read = _with_numbers_of_list(errand.read, _in_order(errand, due), {it.number for it in due})
    read = _with_numbers(with_numbers_of_names(read, errand.player_id), due)
    errand = replace(errand, read=read)
    of_all = [(it, _found(read, it)) for it in due]
    whole = [(it, found) for it, found in of_all if found.lines]
    if (told := _pass_on_numbered(errand, due, whole)) is not None:
        return told
    if is_beside_commands and not any(found.move for _, found in whole):
        return None
    if not whole:
        if commands := next((found.commands for _, found in of_all if found.commands), ()):
            return [_which_game(errand, due, due[0], commands[0])]
        if due and _asked_at(errand) and any(map(_ORDINAL.fullmatch, errand.read.lines)):
            return [_which_game(errand, due, due[0])]
        return None if is_beside_commands else _pass_question_on(errand, due, sum(running.values()))
    it, found = whole[0]
    is_only = running[it.game.table.rules.NAME] == 1 or (len(due) == 1 and _asked_at(errand) is None)
    if len(whole) > 1 or not is_only:
        return [_which_game(errand, due, it)]
    raw = with_body(errand.mail.raw, read) if is_beside_commands else errand.mail.raw
    return _passed_on(errand, raw, found.lines[0], it)


def _pass_on_numbered(errand: Errand, due: Sequence[Due], whole: Sequence[tuple[Due, Found]]) -> list[Said] | None:
    """Pass the lines with the number of a game on to that game, with the lines that have none. Return a reply for each
    line that goes to no table, or None if no line belongs to a game by its number. `whole` are the games that the
    unnumbered lines may mean."""
    lines, own = errand.read.lines, set(desk.numbers(errand.player_id).values())
    unclear = [rest for number, rest in map(_number_and_rest, lines) if number == _UNCLEAR]
    written = [(_number_and_rest(line)[0], line) for line in lines]
    unknown = {
        number: line for line in lines if (number := _game_named(line)) is not None and number not in (*own, _UNCLEAR)
    }
    named = [number for number in dict.fromkeys(it for it, _ in written) if number in own]
    if named:
        unknown |= _misnumbered(errand.read, own, due)
    loose = _loose_moves(errand.read, named, due)
    rest = _without(errand.read, [line for _, line in loose])
    elsewhere = {*named, *unknown, _UNCLEAR}
    told, left, is_for_table = list[Said](), list[Said](), False
    for number in named:
        first = next(line for it, line in written if it == number)
        for_table = _section(rest, number, elsewhere)
        answers = _pass_on_to(replace(errand, read=for_table), number, first, elsewhere, due, whole)
        is_for_table = is_for_table or answers is not None
        told += answers or []
        if answers is None and not is_courtesy(first):
            left.append(_begin_with_number(number, _number_and_rest(first)[1]))
    for number, line in unknown.items():
        words = gettext(NO_GAME, number=number)
        told.append(Said(line=line, told=[words]))
    told += [_of_unclear_game(errand, it, due) for it in unclear]
    if not (is_for_table or unknown or unclear):
        return None
    told += left
    told += [_of_unclear_game(errand, it, due) for it in _below_unknown(errand.read, named, elsewhere)]
    told += [_begin_with_number(*it) for it in loose]
    order = {
        it.strip(): nr for nr, line in reversed(list(enumerate(lines))) for it in (line, _number_and_rest(line)[1])
    }
    return _with_items_once(sorted(told, key=lambda it: order.get(it.line.strip(), len(lines))))


def _with_items_once(told: Sequence[Said]) -> list[Said]:
    """Return replies of one email with a list that several of them contain, such as that of the games, only in the last."""
    later = [[other.items for other in told[nr + 1 :]] for nr in range(len(told))]
    return [replace(it, items=[]) if it.items in rest else it for it, rest in zip(told, later, strict=True)]


def _of_unclear_game(errand: Errand, line: str, due: Sequence[Due]) -> Said:
    """Return the reply to a line of which it is unclear to which game it belongs. The example is for a game that waits
    for the player."""
    told = [gettext("We don't know which game this line is for.")]
    if due:
        told.append(_begin_line(due[0].number, example_at_table(due[0].game, due[0].seat)))
    return Said(line=line, told=told, items=[errand.named(it.game) for it in due[:_MOST_LISTED]])


def _below_unknown(read: Mail, named: Collection[int], elsewhere: Collection[int]) -> Iterator[str]:
    """Yield the lines below one for no game of the player, which go to no table."""
    present: int | None = None
    for line in without_footer(read.lines):
        found = _number_and_rest(line)[0]
        present = found if found in elsewhere else present
        is_below = found not in elsewhere and present is not None and present not in named
        if is_below and line.strip() and not is_courtesy(line.strip()):
            yield line


def _misnumbered(read: Mail, own: Collection[int], due: Sequence[Due]) -> dict[int, str]:
    """Return the lines that begin with the number of no game of the player, such as `7: leo c`, by their numbers. Lines
    that are a move with this number are left out."""
    found = {
        number: line
        for line in read.lines
        if _WITH_COLON.match(line)
        and (number := _number_and_rest(line)[0]) is not None
        and number not in (*own, _UNCLEAR)
    }
    lines = list(found.values())[:_MOST_LOOSE]
    moves = [_each_found(read, lines, it) for it in due] if lines else []
    return {
        number: line
        for nr, (number, line) in enumerate(found.items())
        if nr < len(lines) and not any(of_lines[nr].move for of_lines in moves)
    }


def _with_lines(read: Mail, change: Callable[[Sequence[str]], Iterable[str]]) -> Mail:
    """Return an email with what `change` makes of its lines, and of those beside them."""
    beside = None if read.beside is None else tuple(change(read.beside))
    return replace(read, lines=tuple(change(read.lines)), beside=beside)


def _with_numbers(read: Mail, due: Sequence[Due]) -> Mail:
    """Return an email with the number of the game in place of its kind, in lines such as `NAME: 7 leo c`, if only one
    such game is waiting."""

    def numbered(line: str) -> str:
        found = _OF_KIND.fullmatch(line[:_LONGEST])
        if found is None or not is_game(found[1]):
            return line
        numbers = [it.number for it in due if it.game.table.rules.NAME == game_in(found[1])]
        return for_game(numbers[0], found[2]) if len(numbers) == 1 else line

    return _with_lines(read, partial(map, numbered))


def _with_numbers_of_list(read: Mail, order: Sequence[int], numbers: Collection[int]) -> Mail:
    """Return an email with a game's number in place of `the first game`, which means the first in this order. Lists such
    as `3. 7 leo c` become `3: 7 leo c` for these games."""

    def numbered(line: str) -> str:
        if (found := _LISTED.match(line)) and int(found[1]) in numbers:
            return f"{found[1]}: {line[found.end() :]}"
        return _NTH_GAME.sub(number, line) if len(line) <= _LONGEST else line

    def number(found: re.Match[str]) -> str:
        nth = _NTH.index(found.lastgroup or "")
        return f"in game {order[nth]}" if nth < len(order) else found[0]

    return _with_lines(read, partial(map, numbered))


def _in_order(errand: Errand, due: Sequence[Due]) -> list[int]:
    """Return the numbers of the games in the email to which this one replies, in the order of that email. Return [] if
    the email was about fewer than two turns, or if one of these games has changed since."""
    if (at := _asked_at(errand)) is None:
        return []
    games = games_sent_at(errand.player_id, at)
    unchanged = [it for it in due if it.game.game_id in games and whole_log(it.game.game_id)[-1].recorded_at <= at]
    if not 1 < len(unchanged) == len(games):
        return []
    return [it.number for it in sorted(unchanged, key=lambda it: (it.game.seats[it.seat].due_at, it.number))]


def _section(read: Mail, number: int, named: Collection[int]) -> Mail:
    """Return an email without the lines that stand below a line for another game. They may be the rest of that turn."""

    def own(lines: Sequence[str]) -> Iterator[str]:
        present: int | None = number  # lines at the top are for all games
        for line in lines:
            found = _number_and_rest(line)[0]
            present = found if found in named else present
            yield line if present == number or found in named else ""

    return _with_lines(read, own)


def _loose_moves(read: Mail, named: Sequence[int], due: Sequence[Due]) -> list[tuple[int, str]]:
    """Return the moves without a number that no numbered game can take, each after the number of a game that can."""
    lines = [line for line in read.lines if line.strip() and _number_and_rest(line)[0] is None][:_MOST_LOOSE]
    if not (named and lines):
        return []
    first = next(nr for nr, line in enumerate(read.lines) if _number_and_rest(line)[0] in named)
    above, kinds = read.lines[:first], {it.game.table.rules.NAME for it in due if it.number in named}
    of_all = [(it, _each_found(read, lines, it)) for it in due]
    found = []
    for nr, line in enumerate(lines):
        fitting = [it for it, of_lines in of_all if of_lines[nr].lines]
        is_apart = kinds.isdisjoint(it.game.table.rules.NAME for it in fitting)
        is_whole = any(of_lines[nr].move for _, of_lines in of_all)
        if fitting and (is_apart or (is_whole and line in above and len(named) > 1)):
            found.append((next((it.number for it in fitting if it.number not in named), fitting[0].number), line))
    return found


def _without(read: Mail, left_out: Collection[str]) -> Mail:
    """Return an email without these lines."""
    return _with_lines(read, lambda lines: ("" if line in left_out else line for line in lines))


def _pass_on_to(
    errand: Errand,
    number: int,
    line: str,
    named: Collection[int],
    due: Sequence[Due],
    whole: Sequence[tuple[Due, Found]],
) -> list[Said] | None:
    """Pass on what an email says for the game with this number, first in `line`. `named` are all numbers in it, and
    `whole` the games that its unnumbered lines may mean."""
    own, is_certain = for_number(errand.read, number, named), _game_named(line) == number
    it = next((it for it in due if it.number == number), None) or _at_rest(errand, number)
    found = _found(own, it) if it else Found()
    is_reply = _asked_at(errand) is not None and it in due and _NUMBERED.match(line) is not None
    is_certain = is_certain or is_reply
    is_yes = invitations.agrees(own, spoken().locale)
    if not (whole or found.lines or found.commands or is_certain or is_yes) or (it is None and is_question(line)):
        return None
    is_asked = bool(found.commands) or is_about(line, *_ABOUT_TABLE) or (is_question(line) and not found.lines)
    if it is None or (it not in due and not is_asked):
        told = gettext("It isn't your turn in game %(number)s, so nothing was played.", number=number)
        if it is not None:
            _pass_questions_on(errand, own, it)
        return [Said(line=line, told=[told])]
    due_at = it.game.seats[it.seat].due_at
    if due_at and _LATER.fullmatch(_number_and_rest(line)[1]):
        told = gettext(
            "Game %(game)s waits for you until %(due)s.", game=errand.named(it.game), due=moment(due_at, errand.zone)
        )
        return [Said(line=line, told=[told])]
    if not is_certain and any(other.move not in (None, found.move) for _, other in whole):
        return [_which_game(errand, due, it)]  # such as `1: dot b1`, where 1 may be a slot
    raw, errand = with_body(errand.mail.raw, own), replace(errand, read=own)
    if _is_chat(own) and (at_arrival := _at_rest(errand, number)):  # a message depends on no turn
        return _passed_on(errand, raw, line, at_arrival, is_chat=True)
    return _passed_on(errand, raw, line, it)


def _is_chat(read: Mail) -> bool:
    lines = [line.strip() for line in read.lines if line.strip() and not is_courtesy(line.strip())]
    return lines != [] and all(map(_says, lines))


def _pass_question_on(errand: Errand, due: Sequence[Due], running: int) -> list[Said] | None:
    """Pass a question that only a table can answer on to the only game. Of several games, it must name one."""
    own = [line.strip() for line in errand.read.lines if line.strip() and not is_courtesy(line)]
    if not due or len(own) != 1 or not is_question(own[0]):
        return None
    if not is_about(own[0], *_ABOUT_TABLE) or is_about(own[0], *topics.OF_DESK, topics.HOW_TO_PLAY, topics.THE_RULES):
        return None
    if running == 1:
        return _passed_on(errand, errand.mail.raw, own[0], due[0])
    return [replace(_begin_with_number(due[0].number, own[0]), items=[errand.named(it.game) for it in due])]


def _asked_at(errand: Errand) -> datetime | None:
    """Return when the email to which this one replies was sent, if that was about turns."""
    letter_id = id_in(errand.read.answers)
    return sent_at(errand.player_id, desk.numbers(errand.player_id), letter_id) if letter_id else None


def pass_yes_on(errand: Errand, waiting: Sequence[UUID]) -> list[Said] | None:
    """Pass a plain yes on to the game in which the letter that it answers offers a line, or ask which of several. Return
    None if it offers none."""
    if not invitations.agrees(errand.read, spoken().locale) or (at := _asked_at(errand)) is None:
        return None
    due = _due_games(errand, waiting)
    offering = []
    for it in due:
        newest = next(iter(inbox.answers(it.game.game_id, it.seat, it.turn, 1)), {})
        letter_id = newest.get("letter_id")
        if newest.get("meant") and letter_id and sent_at(errand.player_id, [it.game.game_id], UUID(letter_id)) == at:
            offering.append(it)
    if len(offering) > 1:
        return [_which_game(errand, offering, offering[0], gettext("yes"))]
    return _passed_on(errand, errand.mail.raw, gettext("yes"), offering[0]) if offering else None


def help_on(errand: Errand, waiting: Sequence[UUID]) -> list[Said] | None:
    """Return how to write for each of the games that wait for the player, if an email is only a question mark. Pass it
    on if only one waits. Return None for other emails, or if no game waits."""
    own = [line for line in errand.read.lines if line.strip()]
    if len(own) != 1 or not _ASKS_FOR_HELP.fullmatch(own[0]) or not (due := _due_games(errand, waiting)):
        return None
    if len(due) == 1:
        return _passed_on(errand, errand.mail.raw, own[0], due[0])
    shown = due[:_MOST_LISTED]
    items = [f"{for_game(it.number, example_at_table(it.game, it.seat))} ({it.game.head.title})" for it in shown]
    more = gettext('"%(line)s" sends you your possible moves in that game.', line=for_game(due[0].number, "?"))
    return [Said(told=[more, gettext("Begin each line with the number of its game, for example:")], items=items)]


def _due_games(errand: Errand, waiting: Sequence[UUID]) -> list[Due]:
    """Return those of these games in which it is the player's turn."""
    found = []
    for game_id in waiting[:_MOST_DUE]:
        game = load(game_id)
        seat = game.seat_of(errand.player_id)
        turn = None if seat is None else turn_of(game.table, seat)
        if seat is not None and turn is not None:
            found.append(Due(errand.number(game_id), game, seat, turn))
    return sorted(found, key=lambda it: it.number)


def _at_rest(errand: Errand, number: int) -> Due | None:
    """Return the player's game with this number, in which it isn't their turn, or None. Its turn is the version at
    which the email arrived, so that a repeated attempt passes on the same email."""
    try:
        game = errand.game(number)
    except NotFound:
        return None
    seat = game.seat_of(errand.player_id)
    if seat is None or not game.table.turns:
        return None
    versions = (row.version for row in whole_log(game.game_id) if row.recorded_at <= errand.mail.arrived_at)
    return Due(number, game, seat, max(versions, default=1))


def _found(read: Mail, it: Due) -> Found:
    rules = it.game.table.rules
    state = it.game.table.state
    legal = [*rules.legal_moves(state, it.seat), *later_moves(rules, state, it.seat)]
    return child.run(read_moves, read, rules.NAME, spoken().locale, legal)


def _each_found(read: Mail, lines: Sequence[str], it: Due) -> list[Found]:
    """Return what each of these lines alone says to the table."""
    rules, state = it.game.table.rules, it.game.table.state
    legal = [*rules.legal_moves(state, it.seat), *later_moves(rules, state, it.seat)]
    return child.run(read_each, read, lines, rules.NAME, spoken().locale, legal)


def _passed_on(errand: Errand, raw: bytes, line: str, it: Due, is_chat: bool = False) -> list[Said]:
    mail, is_turn = errand.mail, turn_of(it.game.table, it.seat) is not None and not is_chat
    if errand.is_old or (is_turn and not _has_begun(it, _asked_at(errand) or mail.arrived_at, errand.is_again)):
        name = errand.named(it.game)
        told = gettext(_OLDER, game=name)
        _pass_questions_on(errand, errand.read, it)
        return [Said(line=line, told=[told])]
    inbox.keep(it.game.game_id, it.seat, it.turn, identity(mail.raw), raw, lambda: mail.arrived_at)
    return []


def _pass_questions_on(errand: Errand, read: Mail, it: Due) -> None:
    """Pass only the questions of an email on, whose moves are not for this turn."""
    questions = _with_lines(
        read, lambda lines: (it for line in lines for it in sentences_in([line]) if is_question(it))
    )
    if questions.lines and not errand.is_old:
        mail = errand.mail
        inbox.keep(
            it.game.game_id,
            it.seat,
            it.turn,
            identity(mail.raw),
            with_body(mail.raw, questions),
            lambda: mail.arrived_at,
        )


def _has_begun(it: Due, arrived_at: datetime, is_again: bool) -> bool:
    """Return whether the turn began before the email arrived. Otherwise, a repeated attempt could play the email in the
    next turn as well."""
    began = next((row.recorded_at for row in whole_log(it.game.game_id) if row.version == it.turn), None)
    return began is not None and (began < arrived_at or (began == arrived_at and not is_again))


def with_body(raw: bytes, read: Mail) -> bytes:
    """Return an email with these lines instead of its content, as plain text and as HTML if it had both. The other
    headers stay, since they prove the sender."""
    head = re.split(rb"\r?\n\r?\n", raw, maxsplit=1)[0]
    fields = re.split(rb"\r?\n(?![ \t])", head)
    kept = [field for field in fields if not _OF_BODY.match(field)]
    body = EmailMessage()
    body.set_content("\n".join(read.lines))
    if read.beside is not None:
        body.add_alternative("<br>\n".join(map(escape, read.beside)), subtype="html")
    return b"\r\n".join([*kept, body.as_bytes(policy=SMTP)])


def _which_game(errand: Errand, due: Sequence[Due], it: Due, line: str = "") -> Said:
    """Return a reply that lists the games that wait for the player, and says how to name this one before the line.
    Without a line, it shows a move of this game."""
    told = [
        ngettext(
            "%(num)s game is waiting for your move. Nothing was played yet.",
            "%(num)s games are waiting for your move. Nothing was played yet.",
            len(due),
        ),
        _begin_line(it.number, line or example_at_table(it.game, it.seat)),
    ]
    return Said(told=told, items=[errand.named(it.game) for it in due[:_MOST_LISTED]])


def _begin_with_number(number: int, line: str) -> Said:
    line = line.strip()
    return Said(line=line, told=[gettext("We don't know which game this line is for."), _begin_line(number, line)])


def _begin_line(number: int, line: str) -> str:
    shown = for_game(number, line)
    return str(gettext('Begin the line with the number of the game, for example "%(line)s".', line=shown))
