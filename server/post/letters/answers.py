"""Replies to players' emails, and the lines that such an email may quote from ours."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, reduce
from typing import ClassVar

from flask_babel import gettext

from server.accounts.calendars import ALWAYS
from server.accounts.notice_kinds import ANSWER
from server.games import Json, Seat, presentation
from server.play.commits import at_version, during_turn
from server.play.game import Game
from server.play.planning.plans import plan_of
from server.play.views import turn_of, view_of
from server.post.incoming.html_text import lines_of_page
from server.post.letters.chat import Chat
from server.post.letters.context import NO_TIME, Reader, builds
from server.post.letters.turns import YourTurn, about_turn
from server.post.table_help import begun_in_words, for_game, joining_line, so_far
from server.post.wording import GameLetter, answer_above, by_beginning, moment, spoken, write, write_page
from server.store.tables import LetterRow
from server.translations import noted

PLAYED = noted("Move played")
_LINES_BESIDE_FAULT = 5  # with moves
_LINES_IN_TURN = 10
_LINES_KEPT = 200  # number of emails whose lines are cached


@dataclass(frozen=True, kw_only=True)
class Answer(GameLetter):
    """A reply to the reader's email. Fields without content are empty."""

    KIND: ClassVar = ANSWER
    played: str  # the move, as the reader may write it
    rest: str = ""  # the rest of the turn as the reader may write it, if the turn goes on after the move
    goes_on: str = ""  # what the reader does in the rest of the turn, a few sentences
    since: tuple[str, ...]  # the consequences of the move, a sentence each
    undone: str = ""  # the move that was taken back, as the reader may write it
    done: tuple[str, ...]  # other effects, a sentence each
    wrong: str  # why something failed, a sentence
    line: str  # the line that is faulty, or that the answer is about, as written
    confirm: str  # the line that confirms `asked`
    asked: tuple[str, ...]  # the lines to confirm
    stranger: str  # the address of the sender, if it is not the reader's
    doubt: str  # why the reader's own email must be confirmed, a sentence
    how: tuple[str, ...]  # the help, a line each
    table: str  # the table as this seat sees it now
    hints: tuple[tuple[str, str], ...]  # the best moves, each with how good it is, or "" if it is like the one before
    moves: tuple[str, ...]  # the legal moves, grouped by their leading words
    more: bool = False  # whether only some of the moves are listed
    due: str  # due time of the reader's turn
    left: str
    link: str  # link to that turn
    back: str  # link with which the reader takes the seat back from a bot
    joining: str = ""  # the line that does so by email
    chat: Chat | None = None
    last: str  # link to play on the web, if further emails without a move get no reply for a while
    resumes_at: str = ""  # the end of that while

    @property
    def headline(self) -> str:
        if self.confirm:
            return noted("Please confirm")
        if self.played:
            return noted("Your turn goes on") if self.rest else PLAYED
        return noted("Please check") if self.wrong else super().headline


@builds(ANSWER)
def answer(reader: Reader) -> Answer:
    is_asked = turn_of(reader.game.table, reader.seat) is not None
    return replace(_about_mail(reader, reader.due if is_asked else NO_TIME), chat=reader.chat)


@dataclass(frozen=True, kw_only=True)
class PartOfAnswer(Answer):
    """A reply to what the reader's email says about one of several games. Its lines begin with the number of the game."""

    number: int  # of the game in the reader's list
    is_nearest: bool  # whether `moves` are those nearest to the reader's line


def part_of_answer(reader: Reader, number: int, has_turn: bool) -> PartOfAnswer:
    """Return the reply without the table. Below a line that can't be read, it has the nearest moves instead of
    commands. `has_turn`: whether the email also has a part about the reader's turn in this game."""
    it, said, rules, state = answer(reader), reader.letter.data, reader.game.table.rules, reader.game.table.state
    moves: tuple[str, ...] = it.moves if said.get("asks") else ()
    is_unread = bool(it.due and it.line and (it.wrong or (it.how and not said.get("written"))))
    if is_unread and not moves:
        legal = (
            presentation.write_move(rules, move, spoken().locale) for move in rules.legal_moves(state, reader.seat)
        )
        moves = tuple(for_game(number, move) for move in _nearest_first(legal, it.line)[:_LINES_BESIDE_FAULT])

    def own(line: str) -> str:
        return line and for_game(number, line)

    here = vars(it) | {
        "rest": own(it.rest),
        "confirm": own(it.confirm),
        "hints": tuple((own(move), how_good) for move, how_good in it.hints),
        "moves": moves,
        "joining": own(it.joining),
        "how": () if is_unread else tuple(map(own, it.how)),
        "table": "",
    }
    if has_turn:
        here |= {"due": "", "since": (), "chat": None, "moves": ()}
    return PartOfAnswer(**here, number=number, is_nearest=is_unread)


def _nearest_first(lines: Iterable[str], written: str) -> list[str]:
    """Return lines with moves, those first that share most words with this one."""
    return sorted(lines, key=lambda line: -len(_words_in(line) & _words_in(written)))


def bring_up_to_date(row: LetterRow, game: Game) -> None:
    """Turn a reply into one about the reader's next turn, if that turn began while the reply was waiting."""
    turn, is_own = turn_of(game.table, row.seat), game.seats[row.seat].player_id == row.player_id
    if turn is not None and is_own and turn > row.data.get("turn", row.version):
        row.version, row.data = turn, {**row.data, "turn": turn}


def _about_mail(reader: Reader, time: Json) -> Answer:
    game, seat, said = reader.game, reader.seat, reader.letter.data
    rules, turn = game.table.rules, turn_of(game.table, seat)
    is_asked = turn is not None and not said["confirm"]
    begun = bool(game.table.turns)
    is_about_moves = (
        said["played"] or said["moves"] or (turn is not None and not said["done"] and not said.get("hints"))
    )
    shows_table = begun and not said["confirm"] and is_about_moves
    shows_moves = is_asked and (said["moves"] or rules.is_mid_turn(game.table.state, seat))
    moves = rules.legal_moves(game.table.state, seat) if shows_moves else []
    goes_on = bool(said["played"] and moves)
    listed = by_beginning([presentation.write_move(rules, move, spoken().locale) for move in moves])
    if said["wrong"]:
        listed = _nearest_first(listed, said["line"])
    shown = listed if said.get("asks") else listed[: _LINES_BESIDE_FAULT if said["wrong"] else _LINES_IN_TURN]
    link = reader.link_of(turn) if turn is not None else ""
    is_away = begun and bool(game.table.stand_ins[seat]) and game.table.status in ("running", "paused")
    return Answer(
        **reader.about,
        **(time if is_asked else NO_TIME),
        **{name: said[name] for name in ("wrong", "line", "confirm", "stranger")},
        doubt=said.get("doubt", ""),
        played=begun_in_words(game, seat) if goes_on else presentation.in_words(rules, said["played"], spoken().locale),
        rest=presentation.whole_turn(rules, game.table.state, seat, spoken().locale) if goes_on else "",
        goes_on=presentation.rest_of_turn(rules, game.table.state, seat, spoken().locale) if goes_on else "",
        since=reader.happened(said["since"]) if said["played"] else (),
        undone=presentation.in_words(rules, said.get("undone", ""), spoken().locale),
        done=(
            *(so_far(game, seat) if said.get("undone") else ()),
            *said["done"],
            *_without_a_turn(said, is_asked),
            *_next(game, seat, said),
        ),
        asked=tuple(said["asked"]),
        how=tuple(said["how"]),
        hints=tuple((move, how_good) for move, how_good in said.get("hints", ())),
        table=presentation.table(rules.NAME, view_of(game, seat), game.names, spoken().locale) if shows_table else "",
        moves=tuple(shown),
        more=len(shown) < len(listed),
        link=link,
        last=(link or reader.about["game_link"]) if said["last"] else "",
        resumes_at=moment(datetime.fromisoformat(said["resumes_at"]), reader.zone) if "resumes_at" in said else "",
        back=reader.way_back if is_away else "",
        joining=joining_line(reader.game, reader.seat) if is_away else "",
    )


def _words_in(line: str) -> set[str]:
    return set(re.findall(r"[\w#]+", line.lower()))


def _without_a_turn(said: Json, is_asked: bool) -> Iterator[str]:
    """Yield the sentence for a player who has asked for the moves when it isn't their turn."""
    if said.get("asks") and not said["confirm"] and not is_asked:
        yield gettext("It isn't your turn, so you have no possible moves. We'll email you when it is.")


def _next(game: Game, seat: Seat, said: Json) -> Iterator[str]:
    """Yield the sentence for a player whose move has ended their turn: who is next."""
    if said["played"] and game.table.status == "running" and turn_of(game.table, seat) is None:
        names = spoken().listed([game.names[it] for it in game.table.to_act])
        yield gettext("Your turn is over. We're waiting for %(names)s.", names=names)


def lines_for(game: Game, seat: Seat, turn: int, answers: Sequence[Json], base_url: str) -> list[str]:
    """Return the lines of our emails that an email to the address for this turn may quote. Lines with times and chat are
    left out.

    The lines come from the email about the turn, and from these replies (see `Incoming`), each as text and as HTML.
    """

    def reader(version: int, data: Json, then: Game | None = None) -> Reader:
        letter = LetterRow(game_id=game.game_id, seat=seat, version=version, data=data)
        then = then or replace(game, table=at_version(game, version))
        return Reader(then, seat, ALWAYS.zone, base_url, letter)

    in_turn = during_turn(game, seat, turn)
    words: list[YourTurn | Answer] = []
    plan = plan_of(game, seat)["ended"] if in_turn else None
    joined = {it["version"]: it for it in answers if it.get("may_join") and it["version"] <= turn}
    newest = sorted(joined.values(), key=lambda it: it["version"])
    for then in in_turn:  # the email shows the table at the time when it was sent
        words.append(about_turn(reader(turn, {"turn": turn, "plan": plan}, then), NO_TIME))
        for nr in range(len(newest)):  # earlier ones may have been sent by themselves
            data = reduce(with_confirmation, newest[nr:], {"turn": turn, "plan": plan})
            words.append(about_turn(reader(turn, data, then), NO_TIME))
    words += [_about_mail(reader(said["version"], said), NO_TIME) for said in answers]
    late = [it for it in answers if in_turn and it["turn"] == it["version"] < turn]  # see `bring_up_to_date`
    words += [_about_mail(reader(turn, {**said, "turn": turn}), NO_TIME) for said in late]
    return [line for it in words for line in _lines(it, spoken().locale)]


def with_confirmation(data: Json, said: Json) -> Json:
    """Return the data of an email about a turn or about the end, with what it contains of a reply that it confirms. Call
    it for the oldest reply first."""
    if said["played"]:
        since = data.get("since", said["since"])
        remarks = [*data.get("remarks", ()), *said["done"]]
        data = {**data, "played": said["played"], "since": since, "undone_first": "undone" in data, "remarks": remarks}
    return {**data, "undone": said["undone"], "undone_first": False} if said.get("undone") else data


@lru_cache(_LINES_KEPT)
def _lines(words: YourTurn | Answer, locale: str) -> tuple[str, ...]:
    """Return the lines of an email in this language. The result is cached, since players who write often get many
    replies."""
    mark = answer_above()
    page = lines_of_page(write_page(words, mark=mark))
    return (*write(words, mark)[1].splitlines(), *(line.text for line in page))
