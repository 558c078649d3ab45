"""What a player should know before taking a seat: the pace of a game, and how long it takes."""

import re
from datetime import datetime, timedelta
from math import ceil

from flask import current_app
from flask_babel import gettext, ngettext

from server.clock import clock
from server.games import GAMES, Seat, presentation
from server.play.game import Game
from server.play.timing.time_control import first_allowance
from server.play.timing.timeout_policy import Abandon, BotMove, BotTakesOver, Extend, Rung, rung_for
from server.post.desk import commands
from server.post.desk.commands import A_GAME, BY_NAME, FILL, GOODBYE, NEW, RULES, SET, VACATION, setting_word
from server.post.incoming.commands import PAUSE, STAND_IN, off_for, word_for
from server.post.table_help import joining_line, turns_before
from server.post.topics import (
    APP,
    BOT_IN_SEAT,
    COST,
    LATE,
    LEAVING,
    MAILS,
    MY_GAMES,
    NIGHTS,
    PICTURES,
    SCORING,
    STOPPING,
    is_about,
)
from server.post.wording import pace_of, span, spoken
from server.translations import noted

_ANSWERED_WITHIN = timedelta(hours=12)  # as if all players read their email twice a day
_A_DAY = timedelta(days=1)
STOPPING_AT_TABLE = noted(
    'To stop all emails about your games, reply "set mails off". To give up your seat in this game, reply "resign".'
)
_OF_GAME = re.compile(r"\b(?:game|spiel|partie|partita)\s?(\d{1,6})\b", re.IGNORECASE)
_EXAMPLE_NUMBER = "3"
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
        return _usual_terms_if_late()
    rung = rung_for(ladder, table.extended[seat], table.missed[seat])
    first, again = gettext("If your time runs out"), gettext("If it runs out again")
    told = [_then(again if nr else first, it) for nr, it in enumerate(ladder[ladder.index(rung) :])]
    if isinstance(ladder[-1], BotTakesOver):
        told.append(gettext('To take your seat back from the bot, reply "%(join)s".', join=joining_line(game, seat)))
    return [*told, _way_to_stop_clock()]


def _usual_terms_if_late() -> list[str]:
    told = gettext(
        "Each email about a turn says how much time you have, and we remind you. If your time runs out, you usually get "
        "extra time once. Then a bot plays single turns for you, and finally all turns until you come back."
    )
    return [told, _way_to_stop_clock()]


def _way_to_stop_clock() -> str:
    line = BY_NAME[VACATION].example_in(spoken().locale)
    return str(gettext('To stop your clock in all games for some days, reply for example "%(line)s".', line=line))


def ending_line() -> str:
    """Return the line that ends a stand-in, in a reply by the seat's owner or the stand-in."""
    return f"{word_for(STAND_IN, spoken().locale)} {off_for(spoken().locale)}"


def ways_to_get_fewer_emails() -> list[str]:
    """Return how to get fewer emails or none, a sentence each."""
    bundled, off, at_once = gettext("set mails bundled"), gettext("set mails off"), gettext("set mails at-once")
    told = gettext(
        'To get one email a day with all your turns and news, by default at 8:00 in your time zone, reply "%(bundled)s".',
        bundled=bundled,
    )
    return [
        told,
        gettext('To get no emails about your games, reply "%(off)s".', off=off),
        gettext('To get each email immediately again, reply "%(at_once)s".', at_once=at_once),
    ]


def ways_to_stop() -> str:
    """Return how to stop all emails or delete the account."""
    told = gettext(
        'To stop all emails about your games, reply "%(off)s". To delete your account, reply "%(goodbye)s".',
        off=gettext("set mails off"),
        goodbye=BY_NAME[GOODBYE].word(spoken().locale),
    )
    return str(told)


def number_of_game_in(text: str) -> str:
    """Return the number in words such as "game 3", or ""."""
    found = _OF_GAME.search(text)
    return found[1] if found else ""


def answers_about_desk(text: str, *among: str) -> list[str]:
    """Return the answers to sentences about those of these topics that the post desk knows, or []."""
    locale = spoken().locale
    told = list[str]()
    if LEAVING in among and is_about(text, LEAVING):
        goodbye = BY_NAME[GOODBYE].word(locale)
        told.append(
            gettext('To delete your account, reply "%(goodbye)s". We ask you to confirm it first.', goodbye=goodbye)
        )
    elif MAILS in among and is_about(text, MAILS):
        told += ways_to_get_fewer_emails()
    if NIGHTS in among and is_about(text, NIGHTS):
        told.append(
            gettext(
                'To stop your clock at night, reply for example "%(line)s". Then no reminders arrive at night, except the last one.',
                line=f"{BY_NAME[SET].word(locale)} {setting_word(commands.NIGHTS, locale)} 22:00-08:00",
            )
        )
    if PAUSE in among and is_about(text, PAUSE):
        told += [
            gettext(
                'To pause a game, reply "%(pause)s" to an email about it. The others must agree.',
                pause=word_for(PAUSE, locale),
            ),
            _way_to_stop_clock(),
        ]
    if LATE in among and is_about(text, LATE):
        told += _usual_terms_if_late()
    if BOT_IN_SEAT in among and is_about(text, BOT_IN_SEAT):
        number = number_of_game_in(text) or _EXAMPLE_NUMBER
        new, fill = f"{BY_NAME[NEW].word(locale)} {A_GAME} bots=1", f"{BY_NAME[FILL].word(locale)} {number}"
        told.append(
            gettext(
                'Yes, in your own game before it starts. Reply for example "%(fill)s" to give the free seats of game '
                '%(number)s to bots. For a new game with a bot, reply for example "%(new)s".',
                fill=fill,
                number=number,
                new=new,
            )
        )
    if PICTURES in among and is_about(text, PICTURES):
        told.append(
            gettext(
                "Each of our emails also contains everything as plain text. Your email program can show you that instead of "
                "the pictures."
            )
        )
    if MY_GAMES in among and is_about(text, MY_GAMES):
        told.append(gettext('To list your games, reply "%(games)s".', games=BY_NAME[commands.GAMES].word(locale)))
    if STOPPING in among and is_about(text, STOPPING) and not is_about(text, MAILS):
        told.append(ways_to_stop())
    if APP in among and is_about(text, APP):
        told.append(
            gettext(
                "You need no app: play by email, or in the browser at %(link)s. On a phone, you can add that page to the "
                "home screen.",
                link=current_app.config["BASE_URL"],
            )
        )
    if COST in among and is_about(text, COST):
        told.append(
            gettext("This server takes no payments. Your account is your email address, so you need no password.")
        )
    if SCORING in among and is_about(text, SCORING):
        told.append(
            gettext(
                'The rules say how you score. For example, reply "%(rules)s".', rules=BY_NAME[RULES].example_in(locale)
            )
        )
    return told
