"""The arguments of commands: names of games, numbers, clocks and players, in the words of four languages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from babel import Locale

from server.accounts.calendars import time_zone
from server.bots import LEVELS
from server.durations import duration
from server.errors import BadField, PlayError, Unfit
from server.games import GAMES, Json
from server.post.desk import commands
from server.post.desk.rule_texts import editions
from server.post.incoming.commands import PLEASE
from server.sanitize import public_address
from server.translations import LOCALES, noted

OFF = (
    *("off", "none", "never", "aus", "keine", "nie", "non", "aucun", "aucune", "jamais"),
    *("no", "nessuno", "mai", "spento"),
)
ALL_EDITIONS = "all"
_ALL = (ALL_EDITIONS, "alle", "toutes", "tous", "tutte", "tutti")
ANY = ("any", "egal", "irgendeine", "irgendein", "n'importe", "n'importe laquelle", "qualsiasi", "una qualsiasi")

_UNITS = {
    "H": "h hour hours stunde stunden heure heures ora ore",
    "D": "d day days tag tage tagen jour jours giorno giorni",
    "W": "w week weeks woche wochen semaine semaines settimana settimane",
}
UNITS = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_PER = r"(?: ?(?:per|pro|par|a|je|each|/) ?(?:move|turn|zug|coup|tour|mossa|turno))?"
_CLOCK = re.compile(
    rf"(?<!\S)(\d{{1,3}}) ?({'|'.join(sorted(UNITS, key=len, reverse=True))}){_PER}(?!\S)", re.IGNORECASE
)
_ISO = re.compile(r"(?<!\S)P(?:\d+[WD]|(?:\d+D)?T\d+[HM](?:\d+M)?)(?!\S)", re.IGNORECASE)
_SEATS = re.compile(
    r"(?<!\S)(?:(?:for|für|pour|per|mit|with) )?(\d{1,2})"
    r"(?: ?(?:players?|seats?|people|spielern?|spielerinnen|plätzen?|joueurs?|joueuses?|places?|giocatori|giocatrici|posti))?(?!\S)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"<?(?<![^\s<>,;@])([^\s<>,;@]+@[^\s<>,;@]+)>?")
_JOINING = re.compile(
    rf"(?<!\S)(?:against|vs\.?|gegen|contre|contro|with|mit|avec|con|and|und|et|e|to|zu|in|à|a|nach|for|für|game|partie|partita|the|no\.?|nr\.?|-|{PLEASE})(?!\S)"
    r"|[,;]",
    re.IGNORECASE,
)
_VERY = "(?:very|really|quite|sehr|richtig|ganz|très|molto)"
_HARD = r"(?:hard|strong|difficult|tough|stark\w*|schwer\w*|schwierig\w*|forte?s?|difficiles?|fort[ei]|difficil[ei])"
_LEVEL_WORDS = (  # from level 1, as on the page
    (
        rf"(?:{_VERY} )?(?:easy|weak|simple|einfach\w*|leicht\w*|schwach\w*|faciles?|faibles?|facil[ei]|semplic[ei]|debol[ei])"
        r"|easiest|weakest|beginners?|schwächst\w*|einfachst\w*|leichtest\w*|débutante?s?|principiant[ei]"
    ),
    (
        r"medium|middle|moderate|average|normal\w*|mittel\w*|mittler\w*|moyen(?:ne)?s?|medi[oi]"
        rf"|(?:not (?:too|so|very)|nicht (?:zu|so|allzu|sehr)|pas (?:trop|très)|non (?:troppo|molto)) {_HARD}"
    ),
    r"advanced|fortgeschritten\w*|avancée?s?|avanzat[oi]",
    _HARD,
    rf"{_VERY} {_HARD}|coriaces?",
    (
        r"hardest|strongest|toughest|best|experts?|stärkst\w*|schwerst\w*|schwierigst\w*|beste\w*|experten?"
        r"|(?:les? )?plus (?:forts?|difficiles?)|(?:il |i )?più (?:fort[ei]|difficil[ei])|espert[oi]"
    ),
)
LEVEL_WORD = f"(?:{'|'.join(reversed(_LEVEL_WORDS))})"
_A_LEVEL = r"(?<!\w)(?:(?:on|at|of|auf|au|de|al|di|mit|with) )?(?:level|stufe|niveau|livello)"
_A_BOT = r"(?:bots?|robots?|computers?|computergegner\w*|ordinateurs?|opponents?|gegner\w*|adversaires?|avversar[io])"
_LEVEL = re.compile(  # such as "level 4", "hard bot", "bot difficile" or "level: hard"
    rf"{_A_LEVEL}[ :-]?(\d{{1,2}})(?!\w)|{_A_LEVEL}[ :]{{1,2}}({LEVEL_WORD})(?!\w)"
    rf"|(?<!\w)({LEVEL_WORD})[ -](?={_A_BOT}(?!\w))|(?<!\w)(?P<bot>{_A_BOT}),? ({LEVEL_WORD})(?!\w)",
    re.IGNORECASE,
)
_AGAINST_BOTS = re.compile(
    r"(?<!\S)(?:against|with|gegen|mit|contre|avec|contro|con) (?:(?:an?|the|my|some|einen?|den|die|des|une?|le|il|i|dei) |l['’])?"
    r"(?:bots?|computer|ordinateur|ordinateurs)(?!\S)",
    re.IGNORECASE,
)
NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein eine einen einem un une uno una 1",
            *("two zwei deux due 2", "three drei trois tre 3", "four vier quatre quattro 4"),
        ),
        1,
    )
    for word in words.split()
}
_BOTS = re.compile(
    rf"(?<!\S)(?:({'|'.join(NUMBERS)}) )?(?:(?:the|my|some|den|die|des|les|le|il|i|dei) |l['’])?{_A_BOT}(?!\S)",
    re.IGNORECASE,
)
_OPTION = re.compile(r"(?<!\S)([a-z_-]{2,30})\s?=\s?(\"[^\"]{1,80}(?:\"|$)|\S{1,80})", re.IGNORECASE)
_NUMBER = re.compile(r"(?:game |partie |partita |nr\.? ?|no\.? ?|#)?(\d{1,6})", re.IGNORECASE)
_AT = re.compile(r"(.+?)(?<![ ,])[ ,]+(?:at|bei|version|à|alla|v)(?: version)? ?(\d{1,6})", re.IGNORECASE)
_TIME = re.compile(
    r"(?<![\w:.])([01]?\d|2[0-3])(?:[:.h]([0-5]\d))?(?: ?(uhr|h|heures?|o'clock|[ap]\.?m\.?))?(?![\w:]|\.\w)",
    re.IGNORECASE,
)
_BESIDE_TIMES = (
    *("at", "um", "à", "a", "alle", "ore", "and", "und", "et", "e", "every", "each", "jeden", "day", "tag"),
    *("chaque", "jour", "ogni", "giorno", "daily", "täglich"),
)
_BUNDLE = re.compile(
    r"(?:(?:the|my|die|le|la|il|e-?mails?|mails?|courriels) )?"
    r"(?:bundled?|digest|gebündelt|bündeln?|sammel-?mail|(?:re)?groupés|récapitulatif|raggruppate|riepilogo)",
    re.IGNORECASE,
)
_MOST_OF_NAME = 3  # words
_ALIKE = 0.75
_TRUE, _FALSE = ("yes", "true", "on", "ja", "oui", "sì", "si"), ("no", "false", "off", "nein", "non")
_WHOLE_UNITS = re.compile(r"PT(\d{1,3})H|P(\d{1,3})D")
_OF_A_GAME = ("title", "private", "open_for", "min_reliability", "programs")
LANGUAGES = {
    "de": "de german deutsch allemand tedesco",
    "en": "en english englisch anglais inglese",
    "fr": "fr french französisch franzoesisch français francais francese",
    "it": "it italian italienisch italien italiano",
}


class Unclear(PlayError):
    """An error for arguments that can't be read. `meant` are those that the player probably meant, or ""."""

    def __init__(self, words: str, meant: str = "", **values: object) -> None:
        super().__init__(words, **values)
        self.meant = meant


def game_in(text: str) -> str:
    """Return the game with this name, which may be misspelt or shortened. Raise Unclear for any other word."""
    word = text.strip().lower()
    if found := [name for name in GAMES if len(word) >= 3 and (name.startswith(word) or name.endswith(word))]:
        return found[0] if len(found) == 1 or word in found else _unknown_game(text)
    close = get_close_matches(word, list(GAMES), 1, 0.75)
    return close[0] if close else _unknown_game(text)


def rules_in(text: str) -> tuple[str, str]:
    """Return a game and the id of one of its editions, ALL_EDITIONS, or "" if the text names none. Raise Unclear for any
    other text."""
    first, _, rest = text.strip().partition(" ")
    name, word = game_in(first), rest.strip(" \"'").lower()
    if not word or word in _ALL:
        return name, ALL_EDITIONS if word else ""
    for locale in LOCALES:
        for edition, it in editions(name, locale).items():
            if word in (it.lower(), edition):
                return name, edition
    known = ", ".join(editions(name, "en").values())
    raise Unclear(noted("We don't know this edition. We have %(known)s."), known=known)


def is_game(text: str) -> bool:
    """Return whether this is the name of a game, even if it is misspelt or shortened."""
    try:
        game_in(text)
    except Unclear:
        return False
    return True


def _unknown_game(text: str) -> str:
    raise Unclear(noted("We don't know this game. We have %(known)s."), known=", ".join(GAMES))


def is_number(text: str) -> bool:
    """Return whether this is the number of a game."""
    return _NUMBER.fullmatch(text.strip()) is not None


def number_in(text: str) -> int:
    """Return the number of a game. Raise Unclear for any other text."""
    if not (found := _NUMBER.fullmatch(text.strip())):
        raise Unclear(noted('We need the number of a game here. "games" lists your games with their numbers.'))
    return int(found[1])


def number_and_version(text: str) -> tuple[int, int | None]:
    """Return the number of a game, and the version if there is one. Raise Unclear for any other text."""
    found = _AT.fullmatch(text.strip())
    return (number_in(found[1]), int(found[2])) if found else (number_in(text), None)


def invitation_in(text: str) -> tuple[str, int | None]:
    """Return an address and the number of a game, which may be in either order. The number may be missing. Raise Unclear
    for any other text."""
    found = _ADDRESS.search(text)
    if found is None:
        raise Unclear(noted("We need an email address here."))
    before, after = text[: found.start()], text[found.end() :]
    words = re.findall(r"[^\W\d_]+", before)
    if len(words) <= _MOST_OF_NAME and not (re.search(r"\d", before) or any(map(is_game, words))):
        before = ""  # the name of the invited person, as in `Cara: cara@example.org to 3`
    rest = _JOINING.sub(" ", f"{before} {after}").strip(" ()<>:.\"'")
    return address_in(found[1]), number_in(rest) if rest else None


def address_in(text: str) -> str:
    try:
        found = public_address(text)
    except Unfit as error:
        raise BadField("email", error.words) from None
    if found == commands.AN_ADDRESS:
        raise Unclear(
            noted("Put the address of the person you invite in place of %(address)s."), address=commands.AN_ADDRESS
        )
    return found


def without_bots(text: str) -> str:
    """Return a description of a game without words such as `against a bot`."""
    return _AGAINST_BOTS.sub(" ", text)


USUAL_BOT = "level-2"  # "medium", as on the page


@dataclass
class Wanted:
    """A new game, as a player has described it."""

    rules: str
    seats: int | None = None
    clock: Json | None = None
    emails: list[str] = field(default_factory=list)
    bots: int | None = 0  # None: in all seats without an invitation
    level: str = ""  # of the bots, if it is said
    head: Json = field(default_factory=dict)  # title, private and so on
    options: Json = field(default_factory=dict)

    @property
    def bot(self) -> str:
        return self.level or USUAL_BOT

    @property
    def details(self) -> str:
        """Return the seats, the level and the time per move, as commands write them."""
        seats = self.seats or (self.bots + 1 if self.bots and not self.emails else 0)
        per_move = (self.clock or {}).get("per_move", "")
        found = _WHOLE_UNITS.fullmatch(per_move)
        pace = f"{found[1] or found[2]} {'hours' if found[1] else 'days'} per move" if found else per_move
        said = (str(seats) if seats > 2 else "", self.level.replace("level-", "level="), pace)
        return " ".join(filter(None, said))


def level_in(text: str) -> tuple[int, str]:
    """Return the level of the bots that a text names, or 0, and the text without it."""
    found = _LEVEL.search(text)
    if found is None:
        return 0, text
    word = found[1] or found[2] or found[3] or found[5]
    known = (nr for nr, words in enumerate(_LEVEL_WORDS, 1) if re.fullmatch(words, word, re.IGNORECASE))
    level = int(word) if word.isdecimal() else next(known)
    return level, " ".join(f"{text[: found.start()]}{found['bot'] or ''} {text[found.end() :]}".split())


def wanted_in(text: str) -> Wanted:
    """Return the game that is described after `new`, `play` or `find`. Raise Unclear, BadField if the description can't
    be read."""
    name, _, rest = text.strip().partition(" ")
    name = name.rstrip(",;:")
    if not name:
        raise Unclear(noted("Which game? We have %(known)s."), known=", ".join(GAMES))
    wanted = Wanted(game_in(name))
    emails = _ADDRESS.findall(rest)
    wanted.emails = [address_in(it) for it in dict.fromkeys(emails)]
    rest = _ADDRESS.sub(" ", rest)
    for key, value in _OPTION.findall(rest):
        _set(wanted, key.lower().replace("-", "_"), value.strip('"'))
    rest = re.sub("[,;]", " ", _OPTION.sub(" ", rest)).rstrip(" .!")
    level, rest = level_in(rest)
    if level:
        _set(wanted, "level", str(level))
    if found := _BOTS.search(rest):
        wanted.bots = NUMBERS[found[1].lower()] if found[1] else None
        rest = rest.replace(found[0], " ", 1)
    if found := _CLOCK.search(rest):
        unit = UNITS[found[2].lower()]
        wanted.clock = {"per_move": f"PT{found[1]}H" if unit == "H" else f"P{found[1]}{unit}"}
        rest = rest.replace(found[0], " ", 1)
    elif found := _ISO.search(rest):
        wanted.clock = {"per_move": found[0].upper()}
        rest = rest.replace(found[0], " ", 1)
    rest = " ".join(rest.split())
    if found := _SEATS.search(rest):
        wanted.seats = int(found[1])
        rest = rest.replace(found[0], " ", 1)
    left = " ".join(_JOINING.sub(" ", rest).split())
    level, rest = level_in(f"{left} bot")  # such as "hard" alone after the name of a game
    if level and not wanted.level and rest.split() == ["bot"]:
        _set(wanted, "level", str(level))
    elif left:
        raise _not_understood(text, left)
    if wanted.seats is not None and wanted.seats not in GAMES[wanted.rules].SEATS:
        raise Unclear(noted("This game can't be played with this number of players."))
    if wanted.clock:
        _check_clock(wanted.clock["per_move"])
    return wanted


def _not_understood(text: str, part: str) -> Unclear:
    """Return the error for a part of a description. The part may be the rest of a title without quotation marks."""
    if found := re.search(rf"(?<!\S)title\s?=\s?([^\s\"]+ {re.escape(part)})(?!\S)", text, re.IGNORECASE):
        words = noted("A title of several words needs quotation marks.")
        return Unclear(words, text.replace(found[1], f'"{found[1]}"'))
    return Unclear(noted("We don't understand this part: %(part)s"), part=part)


def _check_clock(text: str) -> None:
    try:
        duration(text)
    except Unfit as error:
        raise BadField("clock", error.words) from None


def _set(wanted: Wanted, key: str, value: str) -> None:
    """Set an option or a field of the game. Raise Unclear if its name is unknown."""
    if key in ("clock", "per_move", "time"):
        wanted.clock = {"per_move": value.upper()}
    elif key in ("seats", "players") and value.isdecimal():
        wanted.seats = int(value)
    elif key == "bots" and value.isdecimal():
        wanted.bots = int(value)
    elif key == "level":
        if f"level-{value}" not in LEVELS:
            raise Unclear(noted("The levels of bots are 1 (easy) to %(most)s (very strong)."), most=len(LEVELS))
        wanted.level = f"level-{value}"
    elif key in _OF_A_GAME:
        kind = {"private": "boolean", "programs": "boolean", "min_reliability": "integer"}.get(key, "string")
        wanted.head[key] = _typed(key, value, {"type": kind})
        if kind == "integer" and not 1 <= wanted.head[key] <= 100:
            raise Unclear(noted("%(option)s can't be %(value)s."), option=key, value=value)
    else:
        known: Mapping[str, Any] = GAMES[wanted.rules].OPTION_SCHEMA["properties"]
        key = next((it for it in known if it.lower() == key), key)
        if key not in known:
            options = ", ".join(["bots", "level", *_OF_A_GAME, *known])
            raise Unclear(noted("There is no option %(option)s. You can set: %(known)s."), option=key, known=options)
        wanted.options[key] = _typed(key, value, known[key])


def _typed(key: str, value: str, schema: Json) -> Any:
    """Return a value in the JSON type that the schema requires. The rules check the value later."""
    kinds = schema.get("type", "")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    choices = schema.get("enum", ())
    if "boolean" in kinds and value.lower() in (*_TRUE, *_FALSE):
        return value.lower() in _TRUE
    if re.fullmatch(r"-?\d{1,9}", value) and ("integer" in kinds or int(value) in choices):
        return int(value)
    if "string" in kinds or value in choices:
        return value
    if "boolean" in kinds or "integer" in kinds:
        raise Unclear(noted("%(option)s can't be %(value)s."), option=key, value=value)
    return value


def language_in(text: str) -> str:
    """Return the language with this code or name. Raise Unclear for any other text."""
    word = text.strip().lower()
    for locale in LOCALES:
        if word in LANGUAGES[locale].split():
            return locale
    raise Unclear(noted("We write in English, German, French and Italian: %(codes)s."), codes=", ".join(LOCALES))


def zone_in(text: str, locale: str = "en") -> str:
    """Return the time zone with this name, or that of a large city, in its official spelling. Raise Unclear for any other
    text, with the setting that was probably meant in this language."""
    name = "UTC" if is_off(text) else text.replace(" ", "_")
    for written in (name, "/".join(part[:1].upper() + part[1:].lower() for part in name.split("/")), name.upper()):
        try:
            return time_zone(written).key
        except Unfit:
            continue
    known = _zones_by_city()
    city = name.rpartition("/")[2].lower()
    if city in known:  # such as Berlin
        return known[city]
    near = get_close_matches(city, known, 1, _ALIKE)
    meant = f"{commands.setting_word(commands.ZONE, locale)} {known[near[0]]}" if near else ""
    raise Unclear(noted("We don't know this time zone."), meant=meant)


@cache
def _zones_by_city() -> Mapping[str, str]:
    """Return the time zones by the names of their cities, in each of our languages."""
    zones = [it for it in sorted(available_timezones()) if it.count("/") == 1]
    told = {
        it["city"].lower().replace(" ", "_"): zone
        for locale in LOCALES
        for zone, it in Locale.parse(locale).time_zones.items()
        if "city" in it and zone in zones
    }
    return told | {it.rpartition("/")[2].lower(): it for it in zones}


def reminders_in(text: str) -> list[str]:
    """Return when to send reminders: after `half` of the time, or some hours before the end. Raise Unclear for any
    other word."""
    found: list[str] = []
    for word in re.findall(r"half|\d+ ?[a-zäé]+|\S+", text.strip().lower().replace(",", " ")):
        parts = re.fullmatch(r"(\d{1,3}) ?([a-zäé]+)", word)
        if word in ("half", "halb", "hälfte", "moitié", "metà"):
            found.append("half")
        elif parts and parts[2] in UNITS:
            unit = UNITS[parts[2]]
            found.append(f"PT{parts[1]}H" if unit == "H" else f"P{parts[1]}{unit}")
        else:
            raise Unclear(
                noted(
                    'Please say when we should remind you. For example, "half 3h" means halfway through your turn and '
                    "three hours before it ends."
                )
            )
    return found


def times_in(text: str) -> tuple[str, list[str]]:
    """Return a pair: the text before the times of day at its end, and these times, such as `07:30`."""
    found = list(_TIME.finditer(text))
    head = text[: found[0].start()].split() if found else []
    between = _TIME.sub(" ", text[found[0].start() :]) if found else ""
    if not found or any(it not in _BESIDE_TIMES for it in re.findall(r"\w+", between.lower())):
        return text, []
    while head and head[-1].lower().strip(",") in _BESIDE_TIMES:
        head.pop()
    return " ".join(head), [_time_of_day(*it.groups(default="")) for it in found]


def _time_of_day(hour: str, minute: str, half: str) -> str:
    """Return a time of day. `half`: `am` or `pm`, unless it is another word or ""."""
    hours = int(hour)
    if half[:1].lower() in ("a", "p") and 1 <= hours <= 12:
        hours = hours % 12 + (12 if half[0].lower() == "p" else 0)
    return f"{hours:02}:{minute or '00'}"


def times_of_bundle(line: str) -> list[str]:
    """Return the times of day in a line such as `bundle at 7`, or []."""
    head, times = times_in(line)
    return times if _BUNDLE.fullmatch(head) else []


def is_off(text: str) -> bool:
    return text.strip().lower() in OFF
