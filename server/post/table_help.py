"""The help for the table of a game, with an example move that names what is in play there."""

from server.games import Seat
from server.games.presentation import example, write_move
from server.play.game import Game
from server.play.turns.hints import has_hints
from server.play.views import turn_of, view_of
from server.post.desk.commands import BY_NAME, RULES
from server.post.incoming.commands import HINT, word_for
from server.post.incoming.help_lines import help_line, help_lines
from server.post.wording import spoken


def help_at_table(game: Game, seat: Seat) -> list[str]:
    """Return the commands that the player in a seat can send in replies to emails about this game, one line each."""
    return [help_line(*it) for it in help_lines(game.table.rules.NAME, spoken().locale, example_at_table(game, seat))]


def example_at_table(game: Game, seat: Seat) -> str:
    """Return a move as the player may write it: a legal one if it is their turn, otherwise one with what is in play.
    Return "" if the game can't give such an example."""
    rules, state = game.table.rules, game.table.state
    if not game.table.turns:
        return ""
    legal = rules.legal_moves(state, seat) if turn_of(game.table, seat) is not None else []
    move = legal[len(legal) // 2] if legal else example(rules, view_of(game, seat))
    return "" if move is None else write_move(rules, move, spoken().locale)


def asking_words(game: Game, seat: Seat) -> list[str]:
    """Return the words that ask for the rules and, if the player in a seat can get hints, for a hint."""
    locale = spoken().locale
    words = [next(iter(BY_NAME[RULES].words.get(locale, ())), RULES)]
    return [*words, word_for(HINT, locale)] if has_hints(game, seat) else words
