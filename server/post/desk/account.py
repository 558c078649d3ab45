"""The commands for accounts."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any
from uuid import UUID

from babel.dates import get_day_names
from flask import current_app
from flask_babel import force_locale, gettext

from server.accounts.calendars import stored_zone
from server.accounts.notice_kinds import AT_ONCE, BUNDLED, MAIL_KINDS, NOTICE_KINDS, OFF, YOUR_TURN
from server.accounts.players import adapt_profile, add_vacation, change_profile, profile
from server.accounts.preferences import DEFAULT_REMINDERS, DEFAULT_TIMES, next_bundle, stored_reminders
from server.clock import clock
from server.durations import duration
from server.games import Json
from server.post.desk import commands
from server.post.desk.acting import Errand, Said, acts, bare
from server.post.desk.arguments import Unclear, is_off, language_in, reminders_in, times_in, zone_in
from server.post.desk.commands import BY_NAME
from server.post.desk.days import days_in, weekdays_in
from server.post.desk.setting_wishes import cancels, night_in
from server.post.wording import moment, span, spoken
from server.render.text_layout import punctuated
from server.sanitize import clean
from server.translations import noted, times

_LARGEST_EXPORT = 8_000_000  # characters; mail servers reject larger emails
_IS = re.compile(r"^(?:is|ist|est|è)\s+(?=\S)", re.IGNORECASE)  # players write "name is Ann"
_ALIKE = 0.75
_DEFAULT = ("default", "standard", "par défaut", "défaut", "predefinito")
_CHOICES = {AT_ONCE: noted("at-once"), BUNDLED: noted("bundled"), OFF: noted("off")}
_WORDS_OF_CHOICES = {
    word: choice
    for choice, words in {
        AT_ONCE: "at once|immediately|each|every|sofort|einzeln|gleich|tout de suite|immédiatement|un par un|subito|una alla volta",
        BUNDLED: (
            "bundled|in a bundle|daily|once a day|digest|gebündelt|gesammelt|täglich|einmal am tag"
            "|groupés|regroupés|quotidien|une fois par jour|raggruppate|raccolte|giornaliere|una volta al giorno"
        ),
        OFF: OFF,
    }.items()
    for word in words.split("|")
}


# Settings


@bare(commands.SETTINGS)
def _settings(errand: Errand) -> Said:
    return Said(
        told=[gettext('Your settings. To change one, write "set", the word before the colon, and the new value:')],
        items=_listed(profile(errand.player_id)),
    )


def _listed(known: Json) -> list[str]:
    calendar, mails = known["calendar"], known["notifications"].get("mails", {})
    off = gettext(_CHOICES[OFF])
    names = get_day_names(locale=spoken().region)
    days = [str(names[day - 1]) for day in calendar.get("days_off", [])]
    reminders = [_reminder(it) for it in stored_reminders(known["notifications"])]
    choices = {kind: mails.get(kind, NOTICE_KINDS[kind].default) for kind in MAIL_KINDS}
    usual = Counter(choices.values()).most_common(1)[0][0]
    others = (
        f"{_kind_in_words(kind)} {gettext(_CHOICES[choice])}"
        for kind, choice in choices.items()
        if choice not in (usual, AT_ONCE if usual not in NOTICE_KINDS[kind].choices else usual)
    )
    at = spoken().listed(sorted(known["notifications"].get("bundle_at", DEFAULT_TIMES)))
    special = [f"{gettext(_CHOICES[usual])} {at if usual == BUNDLED else ''}".strip(), *dict.fromkeys(others)]
    if YOUR_TURN.name not in mails:
        special.append(gettext("turns within two minutes, several games in one email"))
    found = {
        commands.NAME: known["name"],
        commands.LANGUAGE: known["locale"],
        commands.ZONE: known["zone"],
        commands.NIGHTS: calendar.get("night") or off,
        commands.DAYS_OFF: ", ".join(days) or off,
        commands.MAILS: ", ".join(special),
        commands.REMINDERS: ", ".join(reminders) or off,
    }
    vacation = BY_NAME[commands.VACATION].word(spoken().locale)
    return [
        *(f"{_label(_word(name))} {value}" for name, value in found.items()),
        *(f"{_label(vacation)} {it['from']}..{it['to']}" for it in calendar.get("vacations", [])),
    ]


def _label(word: str) -> str:
    return punctuated(f"{word}:", spoken().locale)


def _word(name: str) -> str:
    return commands.setting_word(name, spoken().locale)


def _reminder(text: str) -> str:
    if text == "half":
        return str(gettext("after half your time"))
    return str(gettext("%(time)s before the end", time=span(duration(text))))


@acts(commands.SET)
def _set(errand: Errand, rest: str) -> Said:
    word, _, value = rest.replace("=", " ", 1).partition(" ")
    word, value = word.lower().strip(":"), value.strip(' :="')
    if word in ("freie", "jours", "giorni", "days") and (second := value.partition(" "))[0]:
        word, value = f"{word}-{second[0].lower()}", second[2].strip()
    name = commands.setting_of(word)
    if name is None:
        near = commands.nearest_setting(word)
        raise Unclear(
            noted("There is no such setting. The settings are: %(known)s."),
            meant=f"{_word(near)} {value}".strip() if near else "",
            known=", ".join(map(_word, commands.SETTABLE)),
        )
    if not value:
        raise Unclear(noted("The value is missing."))
    _SETTERS[name](errand, value)
    changed, label = profile(errand.player_id), _label(_word(name))
    now = next(it for it in _listed(changed) if it.startswith(label)).removeprefix(label).strip()
    with force_locale(changed["locale"]):  # a new language applies at once
        told = [gettext(_CHANGED[name], value=now)]
        if name == commands.MAILS and is_off(value):
            told.append(
                gettext("From now on, we don't announce your turns, and don't warn you before your time runs out.")
            )
        if name == commands.MAILS and BUNDLED in changed["notifications"].get("mails", {}).values():
            zone = stored_zone(changed["zone"])
            at = next_bundle(changed["notifications"], changed["zone"], clock.now())
            told.append(
                gettext("If there is anything new by then, the next email comes on %(at)s.", at=moment(at, zone))
            )
        return Said(told=told)


def _night(value: str) -> str:
    if not (hours := night_in(value)):
        raise Unclear(noted("We need two times here."))
    return hours


def _change_calendar(errand: Errand, field: str, value: Any) -> None:
    adapt_profile(errand.player_id, "calendar", lambda calendar: {**calendar, field: value})


def _set_mails(errand: Errand, value: str) -> None:
    """Set how emails are sent: for all kinds, or for a kind that is named before the choice. Behind
    `bundled`, or instead of it, stand the times of day. `default` undoes all choices."""
    if value.lower() in _DEFAULT:
        return adapt_profile(errand.player_id, "notifications", lambda it: {**it, "mails": {}})
    value, times_of_day = times_in(value)
    kind, choice = _kind_and_choice(value) if value else ("", BUNDLED)
    if choice is None or (times_of_day and choice != BUNDLED):
        raise Unclear(noted("The values of this setting are at-once, bundled, off and default."))
    kinds = [it for it in MAIL_KINDS if kind in ("", *_words_of_kind(it))]
    if not kinds:
        words = [word for it in MAIL_KINDS for word in _words_of_kind(it)]
        near = get_close_matches(kind, words, 1, _ALIKE)
        raise Unclear(
            noted("We don't know this kind of email. The kinds are: %(known)s."),
            meant=f"{_word(commands.MAILS)} {near[0]} {gettext(_CHOICES[choice])}" if near else "",
            known=", ".join(dict.fromkeys(map(_kind_in_words, MAIL_KINDS))),
        )
    chosen = {it: choice for it in kinds if kind or choice in NOTICE_KINDS[it].choices}
    at = {"bundle_at": sorted(set(times_of_day))} if times_of_day else {}
    adapt_profile(errand.player_id, "notifications", lambda it: {**it, "mails": it.get("mails", {}) | chosen, **at})


def _kind_in_words(kind: str) -> str:
    """Return the name of a kind of email, which is what the subjects of these emails begin with."""
    return str(gettext("“%(line)s”", line=gettext(NOTICE_KINDS[kind].headline)))


def _words_of_kind(kind: str) -> tuple[str, str]:
    """Return what may stand for a kind of email, in lower case: its name in the API, and the beginning of its subjects."""
    return kind, _bare(gettext(NOTICE_KINDS[kind].headline))


def _bare(words: str) -> str:
    return " ".join(re.findall(r"[\w'’-]+", words.lower()))


def _kind_and_choice(value: str) -> tuple[str, str | None]:
    """Return a pair: the kind of email that a value begins with, or "", and the choice, or None. The choice may be
    misspelt, or in the words of another language."""
    words = _bare(value).split()
    for length in range(len(words), 0, -1):
        said, kind = " ".join(words[-length:]), _kind_of(words[:-length])
        if is_off(said):
            return kind, OFF
        if choice := _WORDS_OF_CHOICES.get(said.replace("-", " ")):
            return kind, choice
    near = get_close_matches(words[-1], _WORDS_OF_CHOICES, 1, _ALIKE) if words else []
    return _kind_of(words[:-1]), _WORDS_OF_CHOICES[near[0]] if near else None


def _kind_of(words: Sequence[str]) -> str:
    """Return these words as one of `_words_of_kind`."""
    name = "-".join(words)
    return name if name in MAIL_KINDS else " ".join(words)


def _set_reminders(errand: Errand, value: str) -> None:
    is_default = value.lower() in ("on", *_DEFAULT)
    reminders = DEFAULT_REMINDERS if is_default else [] if is_off(value) else reminders_in(value)
    adapt_profile(errand.player_id, "notifications", lambda it: {**it, "reminders": reminders})


_CHANGED = {
    commands.NAME: noted("Your name is now %(value)s."),
    commands.LANGUAGE: noted("We now write to you in English."),
    commands.ZONE: noted("Your time zone is now %(value)s."),
    commands.NIGHTS: noted("Your nights are now: %(value)s"),
    commands.DAYS_OFF: noted("Your days off are now: %(value)s"),
    commands.MAILS: noted("Your emails are now sent: %(value)s"),
    commands.REMINDERS: noted("Your reminders are now: %(value)s"),
}
_SETTERS: dict[str, Callable[[Errand, str], object]] = {
    commands.NAME: lambda it, value: change_profile(it.player_id, {"name": _IS.sub("", clean(value, 200), count=1)}),
    commands.LANGUAGE: lambda it, value: change_profile(it.player_id, {"locale": language_in(value)}),
    commands.ZONE: lambda it, value: change_profile(it.player_id, {"zone": zone_in(value, spoken().locale)}),
    commands.NIGHTS: lambda it, value: _change_calendar(it, "night", None if is_off(value) else _night(value)),
    commands.DAYS_OFF: lambda it, value: _change_calendar(it, "days_off", [] if is_off(value) else weekdays_in(value)),
    commands.MAILS: _set_mails,
    commands.REMINDERS: _set_reminders,
}


@acts(commands.VACATION)
def _vacation(errand: Errand, rest: str) -> Said:
    today = today_of(errand.player_id)
    if is_off(rest) or cancels(rest):
        vacations = profile(errand.player_id)["calendar"].get("vacations", [])
        is_away = any(it["from"] <= str(today) < it["to"] for it in vacations)
        _end_vacations(errand.player_id, today)
        again = [gettext("Your clock runs again from tomorrow.")] if is_away else []
        return Said(told=[gettext("Your vacations are cancelled."), *again])
    line = f"{BY_NAME[commands.VACATION].word(spoken().locale)} {gettext(_CHOICES[OFF])}"
    told = take_vacation(errand.player_id, *days_in(rest, today, spoken().locale))
    return Said(told=[told, gettext('To cancel it, reply "%(line)s".', line=line)])


def _end_vacations(player_id: UUID, today: date) -> None:
    """Remove the days of vacations that are still to come. Past days stay, since they count for the year."""

    def ended(calendar: Json) -> Json:
        begun = (it for it in calendar.get("vacations", []) if it["from"] <= str(today))
        return {**calendar, "vacations": [{**it, "to": min(it["to"], str(today))} for it in begun]}

    adapt_profile(player_id, "calendar", ended)


def today_of(player_id: UUID) -> date:
    """Return the current day in a player's time zone."""
    return clock.now().astimezone(stored_zone(profile(player_id)["zone"])).date()


def take_vacation(player_id: UUID, first: date, last: date) -> str:
    """Add a vacation to a player's calendar, once. Return what to tell the player."""
    add_vacation(player_id, first, last)
    if first == last:
        told = gettext(
            "Your clock stops on %(day)s. This applies in all games, starting with your next turn.",
            day=times.day(first, spoken()),
        )
        return str(told)
    told = gettext(
        "Your clock stops from %(first)s to %(last)s. This applies in all games, starting with your next turn.",
        first=times.day(first, spoken()),
        last=times.day(last, spoken()),
    )
    return str(told)


# Exporting and deleting data


@bare(commands.EXPORT)
def _export(errand: Errand) -> Said:
    content = current_app.json.dumps(errand.records.export(errand.player_id))
    if len(content) > _LARGEST_EXPORT:
        return Said(
            told=[gettext("Your data is too large for an email. You can download it in the settings of the page.")]
        )
    told = gettext("A copy of all data we store about you is attached.")
    return Said(told=[told], files=[{"name": "sternenpost-export.json", "text": content}])


@bare(commands.GOODBYE)
def _goodbye(errand: Errand) -> Said:
    if not errand.is_sure:
        told = gettext(
            "We'll delete your account: your address, name, settings and emails. Bots continue to play your seats. "
            "You can't undo this."
        )
        return Said(told=[told], asks=commands.GOODBYE)
    return Said(told=[gettext("Your account is deleted. This is our last email to you. Goodbye!")])  # once it is queued
