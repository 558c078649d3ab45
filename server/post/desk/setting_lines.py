"""The settings that emails can change: example lines and what they do."""

import re
from collections.abc import Sequence

from babel.dates import get_day_names
from flask_babel import gettext

from server.accounts.notice_kinds import AT_ONCE, BUNDLED, OFF
from server.post.desk import commands
from server.post.desk.commands import BY_NAME
from server.post.desk.reading import read_line
from server.post.desk.wishes import Offer
from server.post.wording import spoken
from server.render.text_layout import punctuated
from server.translations import noted

SETTINGS = {  # a value for examples, and what the setting does
    commands.NAME: (commands.EXAMPLE_NAME, noted("The others see you under this name.")),
    commands.LANGUAGE: ("en", noted("We write to you in English (en), German (de), French (fr) or Italian (it).")),
    commands.ZONE: ("Europe/Berlin", noted("Your time zone. The name of a large city is enough.")),
    commands.NIGHTS: (commands.USUAL_NIGHT, noted("Your clock stops at these hours, in your time zone.")),
    commands.DAYS_OFF: (noted("sat sun"), noted("Your clock stops on these days of the week.")),
    commands.MAILS: (
        noted("bundled"),
        noted(
            "With bundled, you get one email a day with all your turns and news, by default at 8:00 in your time zone. To "
            'choose another time, add it, such as "bundled 18:00". With at-once, you get each email immediately. With off, '
            "you get no emails about your games. With default, turns that begin within two minutes come in one email. For "
            'one kind of email, write how its subjects begin before the value, such as "set mails reminder off".'
        ),
    ),
    commands.REMINDERS: (
        "3h",
        noted("We remind you this long before your time runs out. With half, we remind you halfway."),
    ),
}


def example_of_setting(name: str) -> str:
    """Return an example line of a setting."""
    locale = spoken().locale
    value = gettext(SETTINGS[name][0]) if name in (commands.DAYS_OFF, commands.MAILS) else SETTINGS[name][0]
    return f"{BY_NAME[commands.SET].word(locale)} {commands.setting_word(name, locale)} {value}"


def help_of_settings(names: Sequence[str]) -> list[str]:
    return [punctuated(f"{example_of_setting(it)}: {gettext(SETTINGS[it][1])}", spoken().locale) for it in names]


def setting_command(name: str, value: str) -> str:
    """Return the command that gives a setting this value, in English words. A vacation has a command of its own."""
    return f"{name} {value}" if name == commands.VACATION else f"{commands.SET} {name} {value}"


def in_words_of_reader(line: str) -> str:
    """Return a stored command in the reader's language."""
    it = read_line(line)
    name, _, value = it.rest.partition(" ") if it else ("", "", "")
    if it and it.command == commands.SET and (setting := commands.setting_of(name)) and value:
        return line_for_setting(setting, value)
    return BY_NAME[it.command].written(spoken().locale, line) if it else line


def line_for_setting(name: str, value: str) -> str:
    """Return the line that gives a setting this value, in the reader's language."""
    locale = spoken().locale
    if name == commands.DAYS_OFF:
        names = get_day_names(locale=spoken().region)
        value = " ".join(str(names[int(day) - 1]) for day in value.split())
    elif value in (AT_ONCE, BUNDLED, OFF):
        value = gettext(value)
    return (
        BY_NAME[name].word(locale) + f" {value}"
        if name == commands.VACATION
        else f"{BY_NAME[commands.SET].word(locale)} {commands.setting_word(name, locale)} {value}"
    )


def setting_offer(name: str, value: str) -> Offer:
    """Return the line that gives a setting this value, with what it does."""
    line, does = (
        line_for_setting(name, value),
        gettext(BY_NAME[name].help if name == commands.VACATION else SETTINGS[name][1]),
    )
    return Offer(line, does, punctuated(f"{line}: {does}", spoken().locale))


def brief_offer(name: str, value: str) -> str:
    """Return the line that gives a setting this value, with the first sentence of what it does."""
    it = setting_offer(name, value)
    first = re.split(r"(?<=\.)\s", it.does)[0]
    return punctuated(f"{it.line}: {first}", spoken().locale)
