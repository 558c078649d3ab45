"""Sentences that wish for a setting, in four languages: the setting, and its value as the commands write it."""

import re
from collections.abc import Sequence
from datetime import date

from server.errors import PlayError
from server.post.desk.arguments import LANGUAGES, UNITS, language_in, times_in, zone_in
from server.post.desk.commands import DAYS_OFF, LANGUAGE, MAILS, NIGHTS, REMINDERS, USUAL_NIGHT, VACATION, ZONE
from server.post.desk.days import period_in_sentence, weekday_of
from server.post.incoming.doubt import SENTENCE
from server.post.topics import MAILS as ABOUT_MAILS
from server.post.topics import NIGHTS as ABOUT_NIGHTS
from server.post.topics import is_about

_NOON, _MIDNIGHT = 12, 24  # o'clock
_EARLIEST_EVENING = 6  # o'clock, of times without "pm"
_LAST_MINUTE = "59"
_SHORTEST_DAY = 5  # letters
_MOST_WORDS = 20
_FEW_WORDS = 4
_MOST_OF_ONE_WISH = 7  # words; a longer sentence may be several lines without full stops
_ANY_DAY = date(2000, 1, 1)


def _any(*languages: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(languages)})(?!\w)", re.IGNORECASE)


_WRITING = _any(
    r"writ\w+|speak|talk|switch|change|send|answer|reply|prefer|language|please",
    r"schreib\w*|schick\w*|sprich|sprecht|antworte\w*|sprache|stell\w*|wechs\w*|bitte",
    r"écri\w+|parle\w*|répon\w+|passe\w*|langue|s['’]il (?:te|vous) pla[iî]t|stp|svp",
    r"scriv\w+|parla\w*|rispond\w+|passa\w*|lingua|per favore",
)
_IN_LANGUAGE = re.compile(
    rf"(?:\b(?:in|to|auf|zu|en|speak|sprich|sprecht|parle[rz]?|parla(?:re|te|mi)?) |^\W*)(?:the |das |le |l['’]|il )?"
    rf"({'|'.join(word for words in LANGUAGES.values() for word in words.split() if len(word) > 2)})\b",
    re.IGNORECASE,
)
_TIME = r"(\d{1,2})(?:\s?[:.h]\s?(\d{2}))?\s?(am|pm|uhr|heures|ore|h)?"
_HOURS = re.compile(
    rf"\b{_TIME}\s?(?:-|–|\.\.|to|until|till|and|bis|und|à|et|alle|a|e)\s?(?:le )?{_TIME}(?!\w)", re.IGNORECASE
)
_SLEEP = _any(
    r"nights?|(?:a)?sleep\w*|quiet",
    r"nachts?|nächte|schlaf\w*|(?:nacht)?ruhe",
    r"nuits?|dor[st]|dormir|repos",
    r"nott[ei]|dormo|dormire|silenzio",
)
_EMAILS = _any(r"e?-?mails?|courriels?|messages?|nachrichten|messaggi")
_WRITE = _any(r"writ(?:e|ing)|nothing", r"schreib\w*|nichts", r"écri\w+|rien", r"scriv\w+|niente")
_OWN = _any("i|we|my|our", "ich|wir|meine?", r"je|j['’]\w*|nous|mes", "io|gioco|giochiamo|mi[oea]i?")
_FREE = _any(
    r"(?:don['’]?t|do not|never|can['’]?t|cannot|won['’]?t) (?:\w+ )?play|days? off|off|free",
    "spiel\\w* (?:ich |wir )?(?:nie|nicht)|(?:nie|nicht|kein\\w*) (?:\\w+ )?spiel\\w*|frei|freie\\w*",
    "ne (?:joue|jouons|peux) (?:pas|jamais)|libres?|congés?",
    "non (?:gioco|giochiamo|posso)|liber[oi]",
)
_REMIND = _any(
    r"reminders?|remind me",
    r"erinner\w* mich|erinnerung(?:en)?",
    r"rappels?|rappelle[z]?-moi",
    r"promemoria|ricorda\w*mi|ricordamelo",
)
_WITHOUT = _any(
    r"no|not|nothing|don['’]?t|stop|off|without|no more",
    "keine?|nichts?|aus|ohne",
    r"pas|plus|rien|désactive\w*|sans|arrête\w*",
    r"niente|non|disattiva\w*|senza|basta",
)
_DURATION = re.compile(
    rf"\b(?:(\d{{1,2}}) ?|(?:one|an?|eine?[nr]?|une?|un[ao]?)(?: |(?<=un)['’])(?=\w{{3}}))({'|'.join(sorted(UNITS, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_BUNDLED = _any(
    r"(?:one|1|a single) e?-?mail (?:a|per|each|every) day|(?:mails?|emails?) (?:\w+ ){0,2}(?:once a day|daily)|(?:daily|once a day) e?-?mails?|(?:only (?:a )?|very |just (?:a )?)?few e?-?mails|(?:not|don['’]?t want) (?:too |so |that )?many e?-?mails",
    r"(?:eine?|1) (?:einzige )?e?-?mail (?:am|pro) tag|(?:mails?|e-mails?) (?:\w+ ){0,3}(?:einmal (?:am|pro) tag|täglich|gebündelt|gesammelt)|(?:möglichst |nur |bitte )?wenige? (?:e-?)?mails?|nicht (?:zu |so )?viele (?:e-?)?mails?",
    r"(?:un|1) (?:seul )?(?:e-?)?mail par jour|mails (?:\w+ ){0,2}(?:une fois par jour|groupés)|peu (?:de |d['’])(?:e-?)?mails|pas trop (?:de |d['’])(?:e-?)?mails",
    r"(?:una|1) (?:sola )?e?-?mail al giorno|mail (?:\w+ ){0,2}(?:una volta al giorno|raggruppate)|poche e?-?mail|non (?:troppe|tante) e?-?mail",
)
_TWICE = _any(
    r"(?:two|2) e?-?mails? (?:a|per|each|every) day|(?:mails?|emails?) (?:\w+ ){0,2}twice (?:a day|daily)",
    r"(?:zwei|2) e?-?mails? (?:am|pro) tag|(?:mails?|e-mails?) (?:\w+ ){0,3}zweimal (?:am|pro) tag",
    r"(?:deux|2) (?:e-?)?mails par jour|mails (?:\w+ ){0,2}deux fois par jour",
    r"(?:due|2) e?-?mail al giorno|mail (?:\w+ ){0,2}due volte al giorno",
)
_AT_ONCE = _any(
    r"at once|immediately|right away|one by one",
    r"sofort|einzeln|gleich",
    r"tout de suite|immédiatement",
    r"subito|immediatamente",
)
_PLACE = re.compile(
    r"\b(?:time ?zone|(?:i|we) live in|(?:i['’]ve |i |we )moved to|zeitzone|(?:ich|wir) (?:wohnen?|leben?) (?:jetzt )?in|fuseau(?: horaire)?"
    r"|(?:j['’]|nous )habit(?:e|ons) (?:à|en)|je vis (?:à|en)|fuso(?: orario)?|(?:abito|abitiamo|vivo|viviamo) (?:a|in))"
    r"[ :]+(?:(?:is|ist|est|è|to|auf|in|sur|à|su|a) )?([^\W\d][\w'’/-]*(?: [^\W\d_a-zß-öø-ÿ][\w'’-]*){0,2})",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"(?:yes|ja|oui|s[iì]|no(?! (?:more )?e?-?mails?\b)|nein|non)\b", re.IGNORECASE)
_CANCEL = _any(
    "cancel|delete|remove|end",
    r"absag\w*|lösch\w*|storn\w*|beend\w*|streich\w*",
    r"annule[rz]?|supprime[rz]?",
    r"annulla\w*|cancella\w*",
)
_CLAUSES = re.compile(r"[,;]\s+(?:(?:and|und|et|e)\s)?|\s(?:and|und|et|e)\s(?!\d)", re.IGNORECASE)


def cancels(text: str) -> bool:
    return _CANCEL.search(text) is not None


def night_in(value: str) -> str:
    """Return a night such as `22:00-08:00`, or "" if this isn't one."""
    found = _HOURS.fullmatch(value)
    return _written(found) if found else ""


def _written(found: re.Match[str], is_guessed: bool = False) -> str:
    """Return the two times of a match, or "" if a clock doesn't show them. `is_guessed`: whether a night that begins at 10
    begins in the evening."""
    hours, minutes = [int(found[1]), int(found[4])], (found[2] or "00", found[5] or "00")
    marks = [(found[at] or "").lower() for at in (3, 6)]
    for nr, mark in enumerate(marks):
        if mark in ("am", "pm"):
            hours[nr] = hours[nr] % _NOON + _NOON * (mark == "pm")
    has_mark = any(marks) or found[2] is not None
    if is_guessed and not has_mark and _EARLIEST_EVENING < hours[0] < _NOON and hours[1] < _NOON:
        hours[0] += _NOON
    if max(hours) > _MIDNIGHT or max(minutes) > _LAST_MINUTE:
        return ""
    return "-".join(f"{hour % _MIDNIGHT:02}:{minute}" for hour, minute in zip(hours, minutes, strict=True))


def wished_setting(text: str, today: date = _ANY_DAY, locale: str = "") -> tuple[str, str] | None:
    """Return the setting that a sentence wishes for, or VACATION, with its value, or "" if the value is unclear. Return
    None for any other sentence."""
    if len(text.split()) > _MOST_WORDS:
        return None
    if is_about(text, VACATION):
        days = "off" if cancels(text) else period_in_sentence(text, today, locale)
        return (VACATION, days) if days else None
    emails, hours = _EMAILS.search(text), _HOURS.search(text)
    is_without = _WITHOUT.search(text) is not None
    if hours and (_SLEEP.search(text) or (emails and (is_without or any(hours[at] for at in (2, 3, 5, 6))))):
        return NIGHTS, _written(hours, is_guessed=True)
    is_of_night = _SLEEP.search(text) and (emails or _WRITE.search(text))
    if is_of_night and is_without and len(text.split()) <= _MOST_OF_ONE_WISH:
        return NIGHTS, USUAL_NIGHT
    if (found := _IN_LANGUAGE.search(text)) and (_WRITING.search(text) or _is_short_end(found)):
        return LANGUAGE, language_in(found[1])
    if _REMIND.search(text):
        if found := _DURATION.search(text):
            return REMINDERS, f"{found[1] or 1}{UNITS[found[2].lower()].lower()}"
        return REMINDERS, "off" if is_without else ""
    if _TWICE.search(text):
        return MAILS, "bundled 08:00 20:00"
    if _BUNDLED.search(text):
        return MAILS, " ".join(["bundled", *times_in(text.rstrip(" .!"))[1]])
    if emails and _AT_ONCE.search(text):
        return MAILS, "at-once"
    if found := _PLACE.search(text):
        return ZONE, _zone_of(found[1])
    days_off = [
        it for word in re.findall(r"[^\W\d_]+", text) if len(word) >= _SHORTEST_DAY and (it := weekday_of(word))
    ]
    if days_off and _FREE.search(text) and _OWN.search(text):
        return DAYS_OFF, " ".join(map(str, sorted(set(days_off))))
    return None


def wished_settings(text: str, today: date = _ANY_DAY, locale: str = "") -> list[tuple[str, str]]:
    """Return the settings that a sentence wishes for, as in "No mails from 22 to 7, and one mail a day, please"."""
    parts = (it for part in _CLAUSES.split(text) if (it := wished_setting(part, today, locale)))
    found = {name: (name, value) for name, value in parts if value}
    whole = wished_setting(text, today, locale)
    if whole and (whole[1] or not found):
        found[whole[0]] = whole
    return [*found.values()]


def without_wishes_for_emails(lines: Sequence[str]) -> tuple[str, ...]:
    """Return lines without the sentences about how many emails we send and when. They don't doubt what is beside them."""

    def rest(found: re.Match[str]) -> str:
        sentence = found[0].strip()
        is_wish = is_about(sentence, ABOUT_MAILS, ABOUT_NIGHTS) and "?" not in sentence
        return "" if is_wish and not _ANSWERS.match(sentence) else found[0]

    return tuple(SENTENCE.sub(rest, line) for line in lines)


def _is_short_end(found: re.Match[str]) -> bool:
    """Return whether a match ends a sentence of a few words."""
    return re.search(r"\w", found.string[found.end() :]) is None and len(found.string.split()) <= _FEW_WORDS


def _zone_of(place: str) -> str:
    words = place.split()
    for length in range(len(words), 0, -1):
        try:
            return zone_in(" ".join(words[:length]))
        except PlayError:
            continue
    return ""
