"""Questions about the game in a reply, in four languages, and what we answer to them."""

from collections.abc import Iterator

from flask_babel import gettext

from server.games import Seat
from server.games.presentation import legend, score_unit
from server.play.game import Game
from server.play.turns.hints import has_hints
from server.play.views import turn_of, view_of
from server.post.desk.commands import BY_NAME, RULES
from server.post.incoming.commands import HINT, PAUSE, RESIGN, STAND_IN, UNDO, VACATION, word_for
from server.post.terms import terms_of
from server.post.topics import (
    ADVICE,
    HOW_LONG,
    HOW_TO_PLAY,
    MEANING,
    SCORES,
    SCORING,
    THE_GAME,
    THE_RULES,
    TURN,
    is_about,
)
from server.post.wording import spoken, with_you

_COMMANDS = PAUSE, VACATION, STAND_IN, RESIGN, UNDO  # also topics


def mentioned_in(sentence: str) -> list[str]:
    """Return the commands that a sentence may be about."""
    return [command for command in _COMMANDS if is_about(sentence, command)]


def is_question(line: str) -> bool:
    return line.rstrip().endswith(("?", "？", "؟"))


def is_at_a_loss(question: str) -> bool:
    """Return whether a question asks what to do."""
    return is_about(question, ADVICE)


def wants_advice(question: str, game: Game, seat: Seat) -> bool:
    """Return whether a question asks what to do, in a game and at a time at which the seat can get hints."""
    return is_at_a_loss(question) and has_hints(game, seat) and turn_of(game.table, seat) is not None


def answers(question: str, game: Game, seat: Seat) -> Iterator[str]:
    """Yield a sentence for each topic of a question that we can answer. `wants_advice` is answered by a hint."""
    locale, is_running = spoken().locale, game.table.status == "running"
    if is_about(question, TURN) and is_running:
        is_own = turn_of(game.table, seat) is not None
        yield gettext("We're waiting for your move.") if is_own else waiting_for(game)
    if is_about(question, SCORES) and is_running:
        yield from _scores(game, seat)
    if is_about(question, UNDO) and game.table.turns:
        yield gettext(
            'To take back your last move, reply "%(undo)s". If others have moved since then, we ask them first.',
            undo=word_for(UNDO, locale),
        )
    if is_at_a_loss(question) and not wants_advice(question, game, seat):
        if has_hints(game, seat):
            yield gettext('When it\'s your turn, reply "%(hint)s" for the best moves.', hint=word_for(HINT, locale))
        else:
            yield gettext("We give hints only if all other players are bots.")
    if is_about(question, HOW_LONG) and is_running:
        yield from terms_of(game)
    is_of_words = is_about(question, MEANING)
    if is_of_words and (told := legend(game.table.rules.NAME, locale)):
        yield told
    if is_of_words or is_about(question, THE_GAME, HOW_TO_PLAY, THE_RULES, SCORING):
        yield gettext('Reply "%(rules)s" for the rules of the game.', rules=BY_NAME[RULES].word(locale))


def waiting_for(game: Game) -> str:
    """Return whose turn it is, for a player whose turn it isn't."""
    names = [name for name, turn in zip(game.names, game.table.turns, strict=True) if turn is not None]
    return str(gettext("It isn't your turn. We're waiting for %(names)s.", names=spoken().listed(names)))


def _scores(game: Game, seat: Seat) -> Iterator[str]:
    """Yield the sentence about the scores of a running game, if it has any."""
    if unit := score_unit(game.table.rules.NAME):
        names = with_you(game.names, seat)
        names[seat] = names[seat].lower()
        scores = zip(names, view_of(game, seat)[unit], strict=True)
        told = gettext(
            "The scores so far: %(scores)s.", scores=", ".join(f"{name} ({score})" for name, score in scores)
        )
        yield str(told)
