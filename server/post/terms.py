"""What a player should know before taking a seat: the pace of a game, and how long it takes."""

from datetime import datetime, timedelta
from math import ceil

from flask_babel import gettext, ngettext

from server.clock import clock
from server.games import GAMES, Seat, presentation
from server.play.game import Game
from server.play.timing.time_control import first_allowance
from server.play.timing.timeout_policy import Abandon, BotMove, BotTakesOver, Extend, Rung, rung_for
from server.post.desk.commands import BY_NAME, VACATION
from server.post.incoming.commands import STAND_IN, off_for, word_for
from server.post.table_help import joining_line, turns_before
from server.post.wording import pace_of, span, spoken
from server.translations import noted

_ANSWERED_WITHIN = timedelta(hours=12)  # as if all players read their email twice a day
_A_DAY = timedelta(days=1)
STOPPING_AT_TABLE = noted(
    'To stop all emails about your games, reply "set mails off". To give up your seat in this game, reply "resign".'
)
_ROUNDED_TO = 5  # minutes


def usual_times() -> list[str]:
    """Return how long a game with the fewest players takes each of them, a line for each game that says so."""
    told = []
    for name, rules in GAMES.items():
        seats = min(rules.SEATS)
        turns, minutes = presentation.usual_turns(name, seats), presentation.usual_minutes(name, seats)
        if turns and minutes:
            own = span(timedelta(minutes=-(-minutes // _ROUNDED_TO) * _ROUNDED_TO))
            told.append(
                ngettext(
                    "%(game)s: about %(num)s turn and %(time)s of playing time per player",
                    "%(game)s: about %(num)s turns and %(time)s of playing time per player",
                    turns,
                    game=name.capitalize(),
                    time=own,
                )
            )
    return told


def terms_of(game: Game) -> tuple[str, ...]:
    """Return the pace, the number of turns with the time that they take a player, and the duration of the game.

    Turns and minutes are the game's own estimates. The duration assumes that players answer each email within half a
    day, or within the time for a turn if that is shorter. Bots move at once.
    """
    told = [gettext("Pace: %(pace)s", pace=pace_of(game.clock))]
    rules_name, seats = game.head.rules, len(game.seats)
    turns = presentation.usual_turns(rules_name, seats)
    if not turns:
        return tuple(told)
    if minutes := presentation.usual_minutes(rules_name, seats):
        own = span(timedelta(minutes=-(-minutes // _ROUNDED_TO) * _ROUNDED_TO))
        told.append(
            ngettext(
                "Your time: about %(num)s turn, %(time)s in all",
                "Your time: about %(num)s turns, %(time)s in all",
                turns,
                time=own,
            )
        )
    else:
        told.append(ngettext("About %(num)s turn each", "About %(num)s turns each", turns))
    within = min(_ANSWERED_WITHIN, first_allowance(game.clock))
    lasts = turns * sum(row.kind != "bot" for row in game.seats) * within
    rounded = lasts if lasts < _A_DAY else -(-lasts // _A_DAY) * _A_DAY
    told.append(
        gettext("Duration: about %(long)s if each player moves within %(time)s", long=span(rounded), time=span(within))
    )
    return tuple(told)


def terms_of_stand_in(game: Game, seat: Seat, begin: datetime, end: datetime) -> tuple[str, ...]:
    """Return the pace, and about how many turns a stand-in for this seat has from `begin` to `end`. Both assume the same
    as `terms_of`."""
    told = [gettext("Pace: %(pace)s", pace=pace_of(game.clock))]
    if usual := presentation.usual_turns(game.head.rules, len(game.seats)):
        now, within = clock.now(), min(_ANSWERED_WITHIN, first_allowance(game.clock))
        each = sum(row.kind != "bot" for row in game.seats) * within
        before = turns_before(game, seat, game.version + 1) + max(begin - now, timedelta()) // each
        turns = min(max(1, usual - before), ceil((end - max(begin, now)) / each))
        told.append(ngettext("Expect about %(num)s turn", "Expect about %(num)s turns", turns))
    return tuple(told)


def if_late(game: Game, seat: Seat, when: str) -> str:
    """Return what happens if the time of a seat runs out now, a sentence that begins with `when`."""
    return _then(when, rung_for(game.ladder, game.table.extended[seat], game.table.missed[seat]))


def _then(when: str, rung: Rung) -> str:
    match rung:
        case Extend(by):
            then = gettext("you get %(time)s more", time=span(by))
        case BotMove(bot):
            then = gettext("the bot %(bot)s plays the turn for you", bot=presentation.bot_name(bot))
        case BotTakesOver(bot):
            then = gettext("the bot %(bot)s plays for you until you come back", bot=presentation.bot_name(bot))
        case Abandon():
            then = gettext("the game ends without a result for everyone")
    return f"{when}, {then}."


def terms_if_late(game: Game, seat: Seat) -> list[str]:
    """Return what happens each time that the time of a seat runs out, and how its player avoids that, a sentence each."""
    table, ladder = game.table, game.ladder
    if not table.turns:
        return usual_terms_if_late()
    rung = rung_for(ladder, table.extended[seat], table.missed[seat])
    first, again = gettext("If your time runs out"), gettext("If it runs out again")
    told = [_then(again if nr else first, it) for nr, it in enumerate(ladder[ladder.index(rung) :])]
    if isinstance(ladder[-1], BotTakesOver):
        told.append(gettext('To take your seat back from the bot, reply "%(join)s".', join=joining_line(game, seat)))
    return [*told, way_to_stop_clock()]


def usual_terms_if_late() -> list[str]:
    """Return what happens in most games if a player is late, a sentence each."""
    told = gettext(
        "Each email about a turn says how much time you have, and we remind you. If your time runs out, you usually get "
        "extra time once. Then a bot plays single turns for you, and finally all turns until you come back."
    )
    return [told, way_to_stop_clock()]


def way_to_stop_clock() -> str:
    """Return how to stop one's clock in all games, a sentence."""
    line = BY_NAME[VACATION].example_in(spoken().locale)
    return str(gettext('To stop your clock in all games for some days, reply for example "%(line)s".', line=line))


def ending_line() -> str:
    """Return the line that ends a stand-in, in a reply by the seat's owner or the stand-in."""
    return f"{word_for(STAND_IN, spoken().locale)} {off_for(spoken().locale)}"
