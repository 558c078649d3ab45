"""Answers to questions that need no game: a sentence, or the lines that do what the writer asks about."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from flask import current_app
from flask_babel import gettext

from server.bots import LEVELS
from server.games import GAMES
from server.post import topics
from server.post.desk import commands
from server.post.desk.commands import BY_NAME
from server.post.desk.rule_texts import game_in_short, section_called
from server.post.desk.setting_lines import help_of_settings, line_for_setting
from server.post.desk.wishes import Wish
from server.post.incoming import commands as at_table
from server.post.incoming.commands import word_for
from server.post.incoming.help_lines import help_line, help_lines
from server.post.terms import usual_terms_if_late, usual_times, way_to_stop_clock
from server.post.topics import is_about
from server.post.wording import spoken
from server.render.text_layout import punctuated
from server.translations import noted

_OF_GAME = re.compile(r"\b(?:game|spiel|partie|partita)\s?(\d{1,6})\b", re.IGNORECASE)
_OF_WEEKS = re.compile(
    r"\b(?:week(?:ly)?|month(?:ly)?|woche|wöchentlich\w*|semaine|hebdomadaires?|settimana\w*)\b", re.IGNORECASE
)
_EXAMPLE_NUMBER = "3"
_SETTINGS: Mapping[str, str] = {
    "name": commands.NAME,
    "language": commands.LANGUAGE,
    "zone": commands.ZONE,
    "reminders": commands.REMINDERS,
}
_AT_DESK: Mapping[str, tuple[str, ...]] = {  # the commands that do what a question is about
    topics.TURN: (commands.GAMES,),
    topics.DUE: (commands.GAMES,),
    topics.WHO_PLAYS: (commands.GAMES,),
    topics.SCORES: (commands.STANDINGS,),
    "winner": (commands.STANDINGS,),
    topics.HISTORY: (commands.HISTORY, commands.SHOW),
    topics.LAST_MOVE: (commands.HISTORY,),
    topics.SEEING: (commands.SHOW,),
    "review": (commands.REVIEW,),
    "rematch": (commands.REMATCH,),
    "finding": (commands.FIND, commands.OPEN),
    topics.JOINING: (commands.OPEN, commands.JOIN),
    "new-game": (commands.PLAY, commands.NEW, commands.FIND),
    "several": (commands.GAMES, commands.PLAY),
    at_table.VACATION: (commands.VACATION,),
    topics.THE_RULES: (commands.RULES,),
    topics.WRITING: (commands.RULES,),
    topics.MEANING: (commands.RULES,),
    topics.SCORING: (commands.RULES,),
    topics.PASSING: (commands.RULES,),
    at_table.RESIGN: (commands.LEAVE,),
}
_AT_TABLE: Mapping[str, str] = {  # commands, or "?"
    topics.ADVICE: at_table.HINT,
    topics.MOVES: "?",
    topics.TALKING: at_table.SAY,
    **{it: it for it in (at_table.UNDO, at_table.PAUSE, at_table.PLAN, at_table.STAND_IN)},
}
_SENTENCES: Mapping[str, str] = {
    "online": noted("You needn't be online together. Each email about your turn says how much time you have."),
    "bigger": noted("Open the link in the email about your turn: in the browser, the table fills the window."),
    "privacy": noted(
        "The other players see your name, not your email address. This server uses the address only for your games and your "
        "account."
    ),
    "signing-in": noted(
        "To sign in, enter your email address at %(link)s. We email you a code, so you need no password."
    ),
    "levels": noted(
        'The bots have %(most)s levels. To choose one, reply for example "%(line)s". If you don\'t, they have level 2.'
    ),
    "operators": noted(
        "A program reads these emails. To reach the people who run this server, write to %(postmaster)s."
    ),
    "invited": noted(
        'Someone who knows your address has invited you. Reply "yes" or "no" to their invitation when you have decided.'
    ),
    topics.REFUSED: noted("Our reply to each of your emails says what we did, or why we couldn't do it."),
    topics.STARTING: noted("The game starts when all seats are taken. We'll email you when it's your turn."),
    topics.HOW_LONG: noted(
        "A game goes on for days or weeks. You usually have two days for each turn, against bots as well. The host of a game "
        "can choose a different time."
    ),
    topics.PICTURES: noted(
        "Each of our emails also contains everything as plain text. Your email program can show you that instead of "
        "the pictures."
    ),
    topics.APP: noted(
        "You need no app: play by email, or in the browser at %(link)s. On a phone, you can add that page to the "
        "home screen."
    ),
    topics.COST: noted("This server takes no payments. Your account is your email address, so you need no password."),
    topics.SCORING: noted('The rules say how you score. For example, reply "%(rules)s".'),
    topics.MY_GAMES: noted('To list your games, reply "%(games)s".'),
    topics.LEAVING: noted('To delete your account, reply "%(goodbye)s". We ask you to confirm it first.'),
    topics.NIGHTS: noted(
        'To stop your clock at night, reply for example "%(line)s". Then no reminders arrive at night, except the last one.'
    ),
}
OF_NEWCOMERS = (  # topics of questions whose answer needs no account
    *("online", "privacy", "operators", "signing-in", "invited", "reminders", "language", "zone"),
    *(topics.COST, topics.APP, topics.LATE, topics.MAILS, topics.NIGHTS, topics.PICTURES, topics.STARTING),
    *(topics.ENDING, topics.SECRETS),
)
_SECTIONS = {topics.ENDING: "end", topics.SECRETS: "secrets"}  # of the rules


class Answer(NamedTuple):
    """What answers a question."""

    told: list[str]  # sentences
    items: Sequence[str] = ()  # of a list below the sentences
    lines: Sequence[str] = ()  # lines to reply with, with what they do
    heading: str = ""  # of the lines in an answer from the post desk


def general_answer(
    topic: str, text: str = "", games: tuple[str, ...] = tuple(GAMES), is_at_table: bool = False
) -> Answer:
    """Return the answer to a question about this topic, as `nearest_topic` or `is_about` know it. Return an answer without
    content to any other topic. `text`: the question, which may name a game by its number. `games`: the kinds of games
    that it may be about. `is_at_table`: whether the reply goes to a table, where commands about it need no number."""
    heading = gettext("Reply with a line such as:")
    if name := _SETTINGS.get(topic):
        return Answer([], [], help_of_settings([name]), heading)
    if topic in _SECTIONS:
        return _of_rules(_SECTIONS[topic], games)
    if topic in (topics.THE_GAME, topics.HOW_TO_PLAY):
        told = [f"{name.capitalize()}. {game_in_short(name, spoken().locale)}" for name in games]
        return Answer(told, [], list(map(_rules_line, games)), heading)
    if topic == topics.INVITING:
        opening = [Wish(commands.NEW, f"{name} {commands.AN_ADDRESS}").offer().told for name in games]
        return Answer([], [], [*opening, *_lines((commands.INVITE,), games, text)], heading)
    if topic in _AT_DESK:
        return Answer([], [], _lines(_AT_DESK[topic], games, text, is_at_table), heading)
    told = _sentences(topic, text)
    if word := _AT_TABLE.get(topic):
        heading = gettext("Reply with this line to an email about the game:")
        return Answer(told, [], _lines_at_table(word, games[0]), heading)
    return Answer(told, usual_times() if topic in (topics.HOW_LONG, topics.LEFT) else [])


def answers_about_desk(text: str, *among: str) -> list[str]:
    """Return the answers to sentences about those of these topics that need no game and no list, or []."""
    about = [it for it in among if is_about(text, it)]
    if topics.MAILS in about:
        about = [it for it in about if it != topics.STOPPING]
    if topics.LEAVING in about:
        about = [it for it in about if it != topics.MAILS]
    return list(dict.fromkeys(chain.from_iterable(_sentences(it, text) for it in about if it != topics.HOW_LONG)))


def ways_to_stop() -> str:
    """Return how to stop all emails or delete the account."""
    told = gettext(
        'To stop all emails about your games, reply "%(off)s". To delete your account, reply "%(goodbye)s".',
        off=gettext("set mails off"),
        goodbye=BY_NAME[commands.GOODBYE].word(spoken().locale),
    )
    return str(told)


def number_of_game_in(text: str) -> str:
    """Return the number in words such as "game 3", or ""."""
    found = _OF_GAME.search(text)
    return found[1] if found else ""


def _sentences(topic: str, text: str) -> list[str]:
    locale = spoken().locale
    match topic:
        case topics.MAILS:
            weekly = [gettext("We can't bundle emails for longer than a day.")] if _OF_WEEKS.search(text) else []
            return [*weekly, *_ways_to_get_fewer_emails()]
        case at_table.PAUSE:
            told = gettext(
                'To pause a game, reply "%(pause)s" to an email about it. The others must agree.',
                pause=word_for(at_table.PAUSE, locale),
            )
            return [told, way_to_stop_clock()]
        case topics.LATE:
            return usual_terms_if_late()
        case topics.STOPPING:
            return [ways_to_stop()]
        case topics.BOT_IN_SEAT:
            number = number_of_game_in(text) or _EXAMPLE_NUMBER
            told = gettext(
                'Yes, in your own game before it starts. Reply for example "%(fill)s" to give the free seats of game '
                '%(number)s to bots. For a new game with a bot, reply for example "%(new)s".',
                fill=f"{BY_NAME[commands.FILL].word(locale)} {number}",
                number=number,
                new=f"{BY_NAME[commands.NEW].word(locale)} {commands.A_GAME} bots=1",
            )
            return [told]
    if topic not in _SENTENCES:
        return []
    values = {
        "link": current_app.config["BASE_URL"],
        "most": len(LEVELS),
        "line": line_for_setting(commands.NIGHTS, commands.USUAL_NIGHT)
        if topic == topics.NIGHTS
        else f"{BY_NAME[commands.PLAY].word(locale)} {commands.A_GAME} level={len(LEVELS)}",
        "postmaster": f"postmaster@{(current_app.config['DESK_ADDRESS'] or '').partition('@')[2]}",
        "rules": BY_NAME[commands.RULES].example_in(locale),
        "games": BY_NAME[commands.GAMES].word(locale),
        "goodbye": BY_NAME[commands.GOODBYE].word(locale),
    }
    return [gettext(_SENTENCES[topic], **values)]


def _ways_to_get_fewer_emails() -> list[str]:
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


def _of_rules(id_: str, games: tuple[str, ...]) -> Answer:
    found = {name: section_called(id_, name, spoken().locale, 0, {}) for name in games}
    told = [f"{name.capitalize()}. {it.title}" for name, it in found.items() if it]
    return Answer(told, [line.removeprefix("- ") for it in found.values() if it for line in it.lines])


def _rules_line(name: str) -> str:
    return Wish(commands.RULES, name).offer().told


def _lines(names: tuple[str, ...], games: tuple[str, ...], text: str, is_at_table: bool = False) -> list[str]:
    locale, found, number = spoken().locale, list[str](), number_of_game_in(text)
    for it in (BY_NAME[name] for name in names):
        if it.name == commands.RULES:
            found += map(_rules_line, games)
            continue
        line = it.example_in(locale)
        if is_at_table and it.name in commands.OF_THIS_GAME:
            line = line.partition(" ")[0]
        elif number and it.name in (*commands.OF_THIS_GAME, commands.LEAVE, commands.INVITE):
            line = line.replace(_EXAMPLE_NUMBER, number)
        found.append(punctuated(f"{line}: {gettext(it.help)}", locale))
    return found


def _lines_at_table(word: str, game: str) -> list[str]:
    line = word if word == "?" else word_for(word, spoken().locale)
    return [help_line(*it) for it in help_lines(game, spoken().locale) if it[0].partition(" ")[0] == line]
