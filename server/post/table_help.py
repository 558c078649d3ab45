"""The help for the table of a game, with an example move that names what is in play there."""

import re
from collections.abc import Collection
from itertools import groupby
from typing import Any
from uuid import UUID

from flask_babel import gettext
from sqlalchemy import select

from server.clock import clock
from server.games import Seat
from server.games.presentation import example, first_turn, in_words, write_move
from server.play.commits import load, whole_log
from server.play.game import Game
from server.play.seating.rematches import find_rematch
from server.play.table import OVER
from server.play.turns.going_back import last_move, played_so_far
from server.play.turns.hints import has_hints
from server.play.turns.reviewing import has_reviews
from server.play.views import turn_of, view_of
from server.play.votes import ended_by, request_to
from server.post.desk.commands import (
    AN_ADDRESS,
    BY_NAME,
    FILL,
    HELP,
    HISTORY,
    INVITE,
    JOIN,
    REMATCH,
    REVIEW,
    RULES,
    SHOW,
)
from server.post.incoming.commands import AGREE, HINT, PLAN, READY, RESUME, SAY, UNDO, word_for, words_of
from server.post.incoming.help_lines import help_line, help_lines
from server.post.wording import spoken
from server.store.desk import numbers
from server.store.player_games import has_game_titled
from server.store.tables import GameRow, PlayerGame, db

_WORD = re.compile(r"\w+")
_PRACTICE = 3  # turns, after which an email only says where to find the notation


def help_at_table(game: Game, seat: Seat) -> list[str]:
    """Return the commands that the player in a seat can send in replies to emails about this game, one line each."""
    return [help_line(*it) for it in help_lines(game.table.rules.NAME, spoken().locale, example_at_table(game, seat))]


def help_for(game: Game, commands: Collection[str], *days: str) -> list[str]:
    """Return one line for each of these commands, with its explanation, for these days if any are given."""
    locale = spoken().locale
    words = {word_for(it, locale) for it in commands}
    lines = help_lines(game.table.rules.NAME, locale, "", *days)
    return [help_line(*it) for it in lines if it[0].partition(" ")[0] in words]


def help_for_now(game: Game, seat: Seat, near: str = "") -> list[str]:
    """Return the few commands that help the player in a seat now, one line each. The last one lists all commands. The
    example is the legal move nearest to the line `near`."""
    if not game.table.turns:
        useful = [READY, SAY]
    elif game.table.status in OVER:
        useful = [SAY]
    elif game.table.status == "paused":
        useful = [RESUME, SAY]
    elif turn_of(game.table, seat) is not None:
        useful = ["", "?", HINT if has_hints(game, seat) else SAY]
    else:
        useful = [PLAN, SAY]
    if game.table.status == "running" and last_move(game, seat, clock.now()) is not None:
        useful.append(UNDO)
    if request_to(game, seat):
        useful.append(AGREE)
    locale = spoken().locale
    known = help_lines(game.table.rules.NAME, locale, example_at_table(game, seat, near))
    names = {"?": "?", **words_of(locale)}
    rules = BY_NAME[RULES].word(locale)
    short = gettext('a possible move, for example. "%(rules)s" explains how to write one', rules=rules)
    known = [(known[0][0], short), *known[1:]]
    found = [it for nr, it in enumerate(known) if (names.get(it[0].partition(" ")[0], "") if nr else "") in useful]
    found.sort(key=lambda it: names.get(it[0]) != AGREE)
    if game.table.turns and game.table.status not in OVER:
        found.append((BY_NAME[RULES].word(locale), gettext("sends you the rules")))
    if game.table.status in OVER:
        found.append((rematch_word(), gettext("opens another game with the same players")))
    if word := review_word(game):
        found.append((word, gettext("compares your moves with a bot's")))
    return [help_line(*it) for it in [*found, (BY_NAME[HELP].word(locale), gettext("lists all commands"))]]


def example_at_table(game: Game, seat: Seat, near: str = "") -> str:
    """Return a move as the player may write it: a legal one if it is their turn, otherwise one with what is in play.
    Of several, return the one that shares most words with `near`. Return "" if the game can't give such an example."""
    written = set(_WORD.findall(near.lower()))
    rules, state = game.table.rules, game.table.state
    if not game.table.turns:
        return ""
    legal = rules.legal_moves(state, seat) if turn_of(game.table, seat) is not None else []
    if legal and written:
        lines = [write_move(rules, it, spoken().locale) for it in legal]
        best = max(lines, key=lambda line: len(written.intersection(_WORD.findall(line.lower()))))
        if written.intersection(_WORD.findall(best.lower())):
            return best
    move = legal[len(legal) // 2] if legal else example(rules, view_of(game, seat))
    return "" if move is None else write_move(rules, move, spoken().locale)


def for_game(number: int, line: str) -> str:
    """Return a line as a player writes it to the post desk for the game with this number."""
    word = gettext("game")  # outside the f-string, in which the extractor finds no texts
    return f"{word} {number}: {line}"


def waiting_move(player_id: UUID) -> str | None:
    """Return a move with which the player can reply to the post desk, or "" if no game waits for them. Return None if
    they have no games."""
    games = numbers(player_id)
    for game_id, number in games.items():
        game = load(game_id)
        seat = game.seat_of(player_id)
        if seat is not None and turn_of(game.table, seat) is not None:
            move = example_at_table(game, seat)
            return for_game(number, move) if len(games) > 1 else move
    return "" if games else None


def asking_words(game: Game, seat: Seat) -> list[str]:
    """Return the words that ask for the rules and, if the player in a seat can get hints, for a hint."""
    locale = spoken().locale
    words = [next(iter(BY_NAME[RULES].words.get(locale, ())), RULES)]
    return [*words, word_for(HINT, locale)] if has_hints(game, seat) else words


def first_steps(game: Game, seat: Seat, state: Any, turns: int) -> str:
    """Return what the player wants to achieve and does now. Further lines are about their pieces.

    Return "" unless this is their first turn with these rules or in a rematch.
    """
    if turns or (_knows_rules(game, seat) and game.head.rematch_of is None):
        return ""
    rules = game.table.rules
    return first_turn(rules.NAME, rules.view(state, seat), spoken().locale)


def so_far(game: Game, seat: Seat, told: str = "") -> tuple[str, ...]:
    """Return what a seat has played of a turn that isn't over, as a sentence, unless it is `told`."""
    begun = begun_in_words(game, seat)
    return (gettext("You've played so far: %(move)s", move=begun),) if begun and begun != told else ()


def begun_in_words(game: Game, seat: Seat) -> str:
    """Return the steps of a turn that isn't over, or ""."""
    return in_words(game.table.rules, played_so_far(game, seat), spoken().locale)


def ended_request(game: Game, seat: Seat) -> tuple[str, ...]:
    """Return a sentence if another player's move has ended this seat's request for a take-back."""
    who = ended_by(game, seat)
    if who is None:
        return ()
    return (gettext("%(who)s moved, so your request to take back a move has ended.", who=game.names[who]),)


def who_joined(game: Game, seat: Seat) -> str:
    """Return who has joined the game, a sentence for the host. Return "" for other seats and in anonymous games."""
    others = [it for it in game.seats if it.player_id not in (None, game.head.host)]
    if game.hides_names or game.seats[seat].player_id != game.head.host or not others:
        return ""
    names = spoken().listed([game.names[it.seat] for it in others])
    if game.head.rematch_of:
        return str(gettext("%(names)s accepted: your rematch has begun.", names=names))
    return str(gettext("%(names)s joined, and the game has begun.", names=names))


def word_for_notation(game: Game, seat: Seat, turns: int, first: str) -> str:
    """Return the word that explains how to write a move, if the email doesn't say that itself, otherwise "". It says
    that for a few turns, but not beside `first_steps`."""
    return asking_words(game, seat)[0] if first or turns >= _PRACTICE else ""


def turns_before(game: Game, seat: Seat, version: int) -> int:
    """Return how many turns a seat has had before this version. All moves up to another seat's count as one turn."""
    commits = groupby(whole_log(game.game_id), key=lambda row: row.version)
    firsts = (next(rows) for before, rows in commits if before < version)
    movers = groupby(row.seat for row in firsts if row.type in game.table.rules.EVENTS)
    return sum(mover == seat for mover, _ in movers)


def _knows_rules(game: Game, seat: Seat) -> bool:
    """Return whether an older game of the player with the same rules has begun."""
    own = (PlayerGame.player_id == game.seats[seat].player_id) & (PlayerGame.made_at < game.head.made_at)
    others = db.session.scalars(select(PlayerGame.game_id).where(own)).all()
    begun = GameRow.game_id.in_(others) & (GameRow.rules == game.head.rules) & (GameRow.status != "open")
    return bool(others) and db.session.execute(select(GameRow.game_id).where(begun).limit(1)).first() is not None


def numbered(subject: str, game: Game, player_id: UUID) -> str:
    """Return the subject of an email about a game. It ends with the game's number if an older game of the reader
    has the same title. So the subject stays the same when other games begin and end."""
    if not has_game_titled(player_id, game.head.title, (game.head.made_at, game.game_id)):
        return subject
    number = numbers(player_id, [game.game_id])[game.game_id]
    return str(gettext("%(subject)s (game %(number)s)", subject=subject, number=number))


def inviting_line(game: Game, player_id: UUID) -> str:
    """Return an example of the line with which this player invites someone by email."""
    number = numbers(player_id, [game.game_id])[game.game_id]
    return f"{BY_NAME[INVITE].word(spoken().locale)} {AN_ADDRESS} {number}"


def filling_line(game: Game, player_id: UUID) -> str:
    """Return the line with which the host gives the free seats of a game to bots by email."""
    return f"{BY_NAME[FILL].word(spoken().locale)} {numbers(player_id, [game.game_id])[game.game_id]}"


def joining_line(game: Game, seat: Seat) -> str:
    """Return the line with which the player in this seat takes it back from a bot by email."""
    player_id = game.seats[seat].player_id
    if player_id is None:
        return ""
    number = numbers(player_id, [game.game_id])[game.game_id]
    return f"{BY_NAME[JOIN].word(spoken().locale)} {number}"


_AT = {"de": "bei", "en": "at", "fr": "à", "it": "alla"}


def earlier_line(number: int, version: int) -> str:
    """Return the line that asks for the table of the game with this number at an earlier version."""
    return f"{show_word()} {number} {_AT[spoken().locale]} {max(1, version // 2)}"


def looking_back(game: Game, player_id: UUID) -> str:
    """Return how this player looks back at the game by email, a sentence."""
    number = numbers(player_id, [game.game_id])[game.game_id]
    return str(
        gettext(
            'Reply "%(history)s" for all moves, or "%(show)s" for the table at an earlier move.',
            history=BY_NAME[HISTORY].word(spoken().locale),
            show=earlier_line(number, game.version),
        )
    )


def rematch_word() -> str:
    """Return the word that asks for another game with the same players."""
    return BY_NAME[REMATCH].word(spoken().locale)


def playing_again(game: Game, player_id: UUID) -> str:
    """Return how a player of a game that is over plays again with the same players, a sentence. If a rematch stands, say
    so."""
    found = find_rematch(game.game_id, player_id)
    if found["game"] is None:
        return str(gettext('Reply "%(rematch)s" to play again with the same players.', rematch=rematch_word()))
    if found["seated"]:
        return str(
            gettext("Your rematch is game %(number)s.", number=numbers(player_id, [found["game"]])[found["game"]])
        )
    return str(gettext('A rematch is open. Reply "%(rematch)s" to join it.', rematch=rematch_word()))


def show_word() -> str:
    """Return the word that asks for the table."""
    return BY_NAME[SHOW].word(spoken().locale)


def review_word(game: Game) -> str:
    """Return the word that asks for a review of this finished game, or "" if there are no reviews."""
    return BY_NAME[REVIEW].word(spoken().locale) if has_reviews(game) else ""
