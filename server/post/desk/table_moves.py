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
from functools import partial
from html import escape
from typing import NamedTuple
from uuid import UUID

from flask_babel import gettext, ngettext

from server.errors import NotFound
from server.games import GAMES
from server.games.presentation import later_moves
from server.play.commits import load, whole_log
from server.play.game import Game
from server.play.views import turn_of
from server.post import topics
from server.post.desk.acting import NO_GAME, Errand, Said
from server.post.desk.arguments import game_in, is_game
from server.post.desk.reading import looks_like_command
from server.post.desk.subjects import id_in
from server.post.incoming.child import child
from server.post.incoming.commands import SAY, meaning
from server.post.incoming.doubt import is_courtesy, is_question
from server.post.incoming.intake import identity
from server.post.incoming.lines import FLAGS, Grammar, Line, has_long_word_of, resembles, strange_word_in
from server.post.incoming.replies import Mail, parse, understand
from server.post.table_help import example_at_table, for_game
from server.post.topics import is_about
from server.post.wording import moment, spoken
from server.store import desk, inbox
from server.store.outbox import sent_at

_OF_GAME = re.compile(  # such as `3: 7 leo c`, `3 - 7 leo c` or `3 7 leo c`
    r"\s*(?:game|spiel|partie|partita|nr\.?|no\.?|#)?\s?(\d{1,6})(?:\s?:\s?|\s[-–—]\s|\s(?=\d{1,2}\s[^\W\d]))(\S.*)",
    re.IGNORECASE,
)
_IN_GAME = re.compile(  # such as `In game 3 I play 7 leo c`
    r"\s*(?:in|bei|dans|en|nella|for|für|pour|per)\s(?:(?:the|der|die|la)\s)?(?:game|spiel|partie|partita)\s?(\d{1,6})[,:]?\s"
    r"((?:(?:please|bitte|s['’]il te plaît|stp|per favore),?\s)?(?:i (?:play|choose|take|put|place|move)|i['’]ll|i['’]d (?:like|love) to|i (?:will|want to|would like to)"
    r"|play|choose|take|put|place|move|ich (?:spiele|wähle|nehme|lege|setze|möchte|will|würde)|(?:spiele|wähle|nehme|lege|setze|möchte|will|würde) ich"
    r"|(?:spiel|wähl|nimm|leg|setz)e?|je (?:joue|choisis|prends|pose|mets|voudrais|veux)|j['’]aimerais|(?:joue|choisis|prends|pose|mets)"
    r"|(?:io )?(?:gioco|scelgo|prendo|metto|vorrei|voglio)|gioca|scegli|prendi|metti|\d)\b.*)",
    re.IGNORECASE,
)
_QUESTION_IN_GAME = re.compile(  # such as `Who is winning in game 1?` or `In game 1, who is winning?`
    r"\s*(.*?)\s?\b(?:in|of|about|bei|von|zu|dans|de|nella|della)\s(?:(?:the|my|der|dem|die|meiner?|la|ma|mia)\s){0,2}"
    r"(?:game|spiel|partie|partita)\s?(\d{1,6})\b,?(.*\?)\W*",
    re.IGNORECASE,
)
_OF_NAMED_GAME = re.compile(r"\s*(?:game|spiel|partie|partita)\s?(\d{1,6})(?:\s?:\s?|\s[-–—]\s)\S.*", re.IGNORECASE)
_OF_KIND = re.compile(r"\s*([^\W\d_]+)\s?:\s?(\S.*)")  # such as `NAME: 7 leo c`
_COMMAND_OF_GAME = re.compile(
    r"\s*([^\W\d]+)\s+(?:(?:game|spiel|partie|partita|nr\.?|no\.?|#)\s?)?(\d{1,6})[\s.!]*", re.IGNORECASE
)
_NEXT_GAME = re.compile(  # where a line goes on with another game
    r"(?:\s?[,;.]|\s(?:and|und|et|e))\s+(?=(?:(?:in|bei|dans|en|nella)\s(?:(?:the|der|la)\s)?)?(?:game|spiel|partie|partita)\s?\d)",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\W*(?:later|tomorrow|not (?:yet|now|today)|später|spaeter|morgen|(?:noch|jetzt|heute) nicht|plus tard|demain"
    r"|pas (?:encore|maintenant|aujourd['’]hui)|più tardi|domani|non (?:ancora|ora|oggi))\W*",
    re.IGNORECASE,
)
_OF_BODY = re.compile(rb"(?:content-[a-z-]+|mime-version)[ \t]*:", re.IGNORECASE)
_LONGEST = 200
_MOST_LISTED = 20
_MOST_LOOSE = 20  # lines without a number that are looked at
_MOST_DUE = 20  # games whose moves are looked for in an email
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
    if found := _OF_GAME.fullmatch(line) or _IN_GAME.fullmatch(line):
        return int(found[1]), found[2]
    if (found := _QUESTION_IN_GAME.fullmatch(line)) and not is_about(line, topics.BOT_IN_SEAT):
        return int(found[2]), f"{found[1]}{found[3]}".strip()
    if (found := _COMMAND_OF_GAME.fullmatch(line)) and meaning(found[1], spoken().locale) in FLAGS:
        return int(found[2]), found[1]
    return None, line


def _game_named(line: str) -> int | None:
    """Return the number of a game in a line such as `game 3: 7 leo c` or `pause 3`. A number alone may be that of a
    slot."""
    is_certain = _OF_NAMED_GAME.fullmatch(line[:_LONGEST]) or not _OF_GAME.fullmatch(line)
    return _number_and_rest(line)[0] if is_certain else None


def games_named(read: Mail) -> set[int]:
    """Return the numbers of the games that lines of an email name."""
    return {number for line in read.lines if (number := _game_named(line)) is not None}


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
    read = _with_numbers(_with_a_game_a_line(errand.read), due)
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
    written = [(_number_and_rest(line)[0], line) for line in lines]
    unknown = {number: line for line in lines if (number := _game_named(line)) is not None and number not in own}
    named = [number for number in dict.fromkeys(it for it, _ in written) if number in own]
    loose = _loose_moves(errand.read, named, due)
    rest = _without(errand.read, [line for _, line in loose])
    told, is_for_table = list[Said](), False
    for number in named:
        first = next(line for it, line in written if it == number)
        for_table = _section(rest, number, {*named, *unknown})
        answers = _pass_on_to(replace(errand, read=for_table), number, first, {*named, *unknown}, due, whole)
        is_for_table = is_for_table or answers is not None
        told += answers or []
    for number, line in unknown.items():
        words = gettext(NO_GAME, number=number)
        told.append(Said(line=line, told=[words]))
    if not (is_for_table or unknown):
        return None
    told += [_begin_with_number(*it) for it in loose]
    order = {line.strip(): nr for nr, line in reversed(list(enumerate(lines)))}
    return sorted(told, key=lambda it: order.get(it.line.strip(), len(lines)))


def _with_lines(read: Mail, change: Callable[[Sequence[str]], Iterable[str]]) -> Mail:
    """Return an email with what `change` makes of its lines, and of those beside them."""
    beside = None if read.beside is None else tuple(change(read.beside))
    return replace(read, lines=tuple(change(read.lines)), beside=beside)


def _with_a_game_a_line(read: Mail) -> Mail:
    """Return an email with a line for each game that a line such as `game 2: 7 leo c, game 3: later` names."""
    return _with_lines(read, lambda lines: (part for line in lines for part in _parts_of(line)))


def _parts_of(line: str) -> list[str]:
    parts = _NEXT_GAME.split(line[:_LONGEST]) if len(line) <= _LONGEST else []
    return parts if len(parts) > 1 and all(_game_named(it) is not None for it in parts) else [line]


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
    if not (whole or found.lines or found.commands or is_certain):
        return None
    is_asked = bool(found.commands) or is_about(line, *_ABOUT_TABLE)
    if it is None or (it not in due and not is_asked):
        told = gettext("It isn't your turn in game %(number)s, so nothing was played.", number=number)
        return [Said(line=line, told=[told])]
    due_at = it.game.seats[it.seat].due_at
    if due_at and _LATER.fullmatch(_number_and_rest(line)[1]):
        told = gettext(
            "Game %(game)s waits for you until %(due)s.", game=errand.named(it.game), due=moment(due_at, errand.zone)
        )
        return [Said(line=line, told=[told])]
    if not is_certain and any(other.move not in (None, found.move) for _, other in whole):
        return [_which_game(errand, due, it)]  # such as `1: dot b1`, where 1 may be a slot
    raw = with_body(errand.mail.raw, own)
    if _is_chat(own) and (at_arrival := _at_rest(errand, number)):  # a message depends on no turn
        return _passed_on(errand, raw, line, at_arrival, is_chat=True)
    return _passed_on(errand, raw, line, it)


def _is_chat(read: Mail) -> bool:
    lines = [line.strip() for line in read.lines if line.strip() and not is_courtesy(line.strip())]
    return lines != [] and all(meaning(line.partition(" ")[0], spoken().locale) == SAY for line in lines)


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
        told = gettext("Your email is older than your turn in game %(game)s.", game=name)
        return [Said(line=line, told=[told])]
    inbox.keep(it.game.game_id, it.seat, it.turn, identity(mail.raw), raw, lambda: mail.arrived_at)
    return []


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
