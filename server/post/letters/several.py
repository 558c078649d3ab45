"""Emails about turns in several games."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from flask_babel import gettext

from server.accounts.notice_kinds import ANSWER, YOUR_TURN
from server.clock import clock
from server.play.commits import load
from server.play.seating.lobby import WaitingGame, waiting_games
from server.play.turns.turn_links import turn_word
from server.post.coalescing import MOST
from server.post.letters import addresses, answers
from server.post.letters.chat import Chat
from server.post.letters.context import Reader, Recipient
from server.post.letters.turns import YourTurn, your_turn
from server.post.table_help import asking_words, for_game
from server.post.wording import GameLetter, Letter, moment, span, spoken, titled
from server.store.database_retry import Unavailable, is_passing
from server.store.desk import numbers as known_numbers
from server.store.tables import LetterRow, Player

_PICTURE = "table-{}.png"


@dataclass(frozen=True, kw_only=True)
class TurnOfSeveral(YourTurn):
    number: int  # of the game in the reader's list
    short: str  # the game, the other players and the time left, a line for the list at the top
    answer: str  # address for replies to this turn; "" if inbound mail is off
    picture: str  # name of the inline image
    alt: str  # text alternative of the image


def _turn_of_several(
    reader: Reader, number: int, answer: str, picture: str, alt: str, is_explained: bool
) -> TurnOfSeveral:
    """Return a turn. `is_explained`: whether an earlier part of the email explains how to write a move."""
    about = your_turn(reader)
    explains = asking_words(reader.game, reader.seat)[0] if is_explained else about.explains
    here = vars(about) | {
        "explains": explains and f"{explains} {number}",  # such as `rules 2`
        "line": for_game(number, about.line),
    }
    if answer:  # a reply needs the number, so examples have it
        here |= {
            "moves": tuple(for_game(number, it) for it in about.moves),
            "whole": about.whole and for_game(number, about.whole),
        }
    short = _in_short(number, about.title, about.rules, _turn_in_short(reader, about.is_first), about.left, reader)
    return TurnOfSeveral(**here, number=number, short=short, answer=answer, picture=picture, alt=alt)


def _in_short(number: int, title: str, rules: str, turn: str, left: str, reader: Reader | None) -> str:
    game = f"{number} {titled(title, rules)}"
    if reader:
        others = [name for seat, name in enumerate(reader.game.names) if seat != reader.seat]
        game = gettext("%(game)s with %(names)s", game=game, names=spoken().listed(others))
    return str(gettext("%(game)s: %(turn)s, %(left)s left", game=game, turn=turn, left=left))


def _turn_in_short(reader: Reader | None, is_first: bool = False) -> str:
    if reader and reader.game.table.rules.is_mid_turn(reader.game.table.state, reader.seat):
        return str(gettext("the rest of your turn"))
    return str(gettext("your first turn") if is_first else gettext("your turn"))


@dataclass(frozen=True, kw_only=True)
class ListedTurn:
    """A turn in short, in an email that has no room for all turns."""

    number: int  # of the game in the reader's list
    short: str  # see `TurnOfSeveral`
    title: str
    rules: str
    due: str
    left: str
    link: str  # link to this turn only
    chat: Chat | None = None


@dataclass(frozen=True, kw_only=True)
class Said:
    """A reply of the post desk to a line."""

    line: str  # as the player wrote it
    told: tuple[str, ...]  # sentences
    lines: tuple[str, ...]  # the items of a list below them


@dataclass(frozen=True, kw_only=True)
class YourTurns(Letter):
    """Turns in several games, replies about several games, or the bundle, which may also have one turn or none."""

    KIND: ClassVar = YOUR_TURN
    TEMPLATE: ClassVar = "your-turns"
    name: str  # of the reader
    turns: tuple[TurnOfSeveral, ...]  # most urgent first
    images: tuple[tuple[str, bytes], ...] = ()  # inline images, each with its name
    listed: tuple[ListedTurn, ...] = ()  # turns beyond those
    replies: tuple[answers.PartOfAnswer, ...] = ()  # to the reader's email
    said: tuple[Said, ...] = ()  # what the post desk replies to the same email
    news: tuple[GameLetter, ...] = ()  # the bundled emails
    waiting_in_all: int = 0  # games that wait for the reader, if this email replies to theirs
    hours: str = ""  # when the reader gets this email, and how to change that, if it is a bundle

    @property
    def headline(self) -> str:
        if not self.replies and not self.said:
            return super().headline
        is_played = not self.said and all(it.headline == answers.PLAYED for it in self.replies)
        return answers.PLAYED if is_played else ANSWER.headline


def your_turns(
    player: Player,
    readers: Iterable[Reader],
    reply_domain: str | None,
    listed: tuple[ListedTurn, ...] = (),
    news: tuple[GameLetter, ...] = (),
    said: Sequence[Mapping[str, Any]] = (),
) -> YourTurns:
    """Return an email with these turns, most urgent first, and these replies. `said` is what the post desk replies."""
    about = list(readers)
    numbers = known_numbers(player.player_id, [it.game.game_id for it in about])
    urgent_first = sorted(
        (it for it in about if it.letter.kind == YOUR_TURN.name),
        key=lambda it: (it.letter.data["due_at"], numbers[it.game.game_id]),
    )
    replied = [(numbers[it.game.game_id], it) for it in about if it.letter.kind == ANSWER.name]
    turns = {it.game.game_id for it in urgent_first}
    replies = [
        answers.part_of_answer(it, number, it.game.game_id in turns)
        for number, it in sorted(replied, key=lambda it: it[0])
    ]
    told, images = list[TurnOfSeveral](), []
    for reader in urgent_first:
        number, row = numbers[reader.game.game_id], reader.letter
        name, (image, alt) = _PICTURE.format(number), reader.picture(is_over=False)
        address = addresses.turn_address(row, row.data["turn"], reply_domain) if reply_domain else ""
        is_explained = any(it.rules == reader.rules and not it.explains for it in told)
        told.append(_turn_of_several(reader, number, address, name, alt, is_explained))
        images.append((name, image))
    return YourTurns(
        name=player.name,
        turns=tuple(told),
        images=tuple(images),
        listed=listed,
        replies=tuple(replies),
        waiting_in_all=len(waiting_games(player.player_id)) if replies else 0,
        said=tuple(Said(line=it["line"], told=tuple(it["told"]), lines=tuple(it["items"])) for it in said),
        news=news,
    )


def turns_in_bundle(
    it: Recipient, waiting: Sequence[WaitingGame], news: tuple[GameLetter, ...], zone: ZoneInfo
) -> YourTurns:
    """Return the bundle with these waiting games, most urgent first, and these bundled emails."""
    numbers = known_numbers(it.known.player_id, [game.game_id for game in waiting])
    told: list[Reader] = []
    listed = []
    for game in waiting:
        reader = _reader_of(game, it, zone)
        if reader and reader.is_outdated:
            continue
        if reader and len(told) < MOST:
            told.append(reader)
            continue
        number, rules, left = numbers[game.game_id], game.rules.capitalize(), span(game.due_at - clock.now())
        turn = ListedTurn(
            number=number,
            short=_in_short(number, game.title, rules, _turn_in_short(reader), left, reader),
            title=game.title,
            rules=rules,
            due=moment(game.due_at, zone),
            left=left,
            link=f"{it.base_url}/t/{turn_word(game.game_id, game.seat, game.turn)}",
            chat=reader.chat if reader else None,
        )
        listed.append(turn)
    return your_turns(it.known, told, it.reply_domain, tuple(listed), news)


def _reader_of(game: WaitingGame, it: Recipient, zone: ZoneInfo) -> Reader | None:
    """Return the input for an email about the turn in a waiting game, or None if this release can't read the game."""
    row = LetterRow(
        game_id=game.game_id,
        kind=YOUR_TURN.name,
        version=game.turn,
        seat=game.seat,
        player_id=it.known.player_id,
        data={"turn": game.turn, "due_at": game.due_at.isoformat()},
        made_at=game.asked_at,
    )
    try:
        return Reader(load(game.game_id), game.seat, zone, it.base_url, row)
    except Unavailable as error:
        if is_passing(error):
            raise
        return None
