"""The commands of the post desk, declared once. The parser of emails, `help` and the handbook all use this list.

The words must never change, since players' emails may contain them. English words work in every language.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from server.games import GAMES as ALL_GAMES
from server.post.incoming.commands import words_of as words_at_tables
from server.translations import LOCALES, language, noted

A_GAME = next(iter(ALL_GAMES))  # in examples
AN_ADDRESS = "name@example.org"  # in examples
USUAL_NIGHT = "22:00-08:00"  # in examples, and if a player names no hours
EXAMPLE_NAME = "Ada"


@dataclass(frozen=True)
class Command:
    """A command. `arguments` and the whole line in `example` use the English words."""

    name: str
    arguments: str
    help: str  # a sentence
    example: str
    words: Mapping[str, tuple[str, ...]]  # by language; our emails use the first word of each, in English often `name`
    said: str = ""  # words in the example that are also translated

    @property
    def writes(self) -> bool:
        return self.name in _WRITING

    def word(self, locale: str) -> str:
        """Return the word that this language's emails use for the command."""
        return self.words[locale][0] if locale in self.words else self.name

    def form(self, locale: str) -> str:
        """Return the command's word and its arguments in this language."""
        return f"{self.word(locale)} {language(locale).gettext(self.arguments) if self.arguments else ''}".strip()

    def example_in(self, locale: str) -> str:
        """Return the example line with the words of this language."""
        line = self.written(locale, self.example)
        return line.replace(self.said, language(locale).gettext(self.said)) if self.said else line

    def written(self, locale: str, line: str) -> str:
        """Return a line of this command with the command's word in this language."""
        return self.word(locale) + line.removeprefix(self.name)


def _words(de: str, fr: str, it: str, en: str = "") -> dict[str, tuple[str, ...]]:
    found = {"en": en, "de": de, "fr": fr, "it": it}
    return {locale: tuple(words.split("|")) for locale, words in found.items() if words}


HELP, RULES, GAMES, OPEN, NEW, PLAY, FIND, CANCEL_FIND, INVITE, FILL, JOIN, LEAVE = (
    *("help", "rules", "games", "open", "new", "play", "find", "cancel find", "invite", "fill", "join", "leave"),
)
SHOW, HISTORY, REVIEW, REMATCH, STANDINGS, ARCHIVE = "show", "history", "review", "rematch", "standings", "archive"
SETTINGS, SET, VACATION, EXPORT, GOODBYE = "settings", "set", "vacation", "export", "goodbye"
_WRITING = (NEW, PLAY, FIND, CANCEL_FIND, INVITE, FILL, JOIN, LEAVE, REMATCH, SET, VACATION, GOODBYE)
OF_THIS_GAME = (SHOW, HISTORY, REVIEW, REMATCH, STANDINGS, ARCHIVE)  # in replies to emails about a game

COMMANDS = (
    Command(
        HELP,
        noted("[N|COMMAND]"),
        noted("Lists all commands, or explains one. With a number, lists the commands for emails about game N."),
        "help new",
        _words("hilfe", "aide", "aiuto"),
    ),
    Command(
        RULES,
        noted("[N|GAME [EDITION]]"),
        noted("Explains game N or a kind of game, and how to write a move."),
        f"rules {A_GAME}",
        _words("regeln|spielregeln", "règles|regles", "regole"),
    ),
    Command(
        GAMES,
        "",
        noted("Lists your games with their numbers, and says which are waiting for you."),
        "games",
        _words("partien|meine partien", "parties|mes parties", "partite|le mie partite"),
    ),
    Command(
        OPEN,
        "",
        noted("Lists open games that you can join."),
        "open",
        _words("offen|offene partien", "ouvertes|parties ouvertes", "aperte|partite aperte"),
    ),
    Command(
        NEW,
        noted("GAME [SEATS] [key=value ...]"),
        noted("Opens a game for others to join. You can set players, bots, the time per move and options."),
        f"new {A_GAME} 4 players 2 days per move with bob@example.org",
        _words("neu|neue partie", "nouvelle|nouvelle partie|nouveau", "nuova|nuova partita|nuovo"),
        noted("4 players 2 days per move with bob@example.org"),
    ),
    Command(
        PLAY,
        noted("GAME [SEATS]"),
        noted("Starts a game against bots immediately."),
        f"play {A_GAME}",
        _words("spiele|spielen|spiel", "jouer|joue", "gioca|giocare"),
    ),
    Command(
        FIND,
        noted("GAME [SEATS] [CLOCK]"),
        noted("Joins an open game that fits, or opens one for others to join."),
        f"find {A_GAME} 3",
        _words("suche|suchen|finde", "chercher|cherche|trouver", "cerca|cercare|trova"),
    ),
    Command(
        CANCEL_FIND,
        "",
        noted("Cancels your searches, unless their games have started."),
        "cancel find",
        _words("suche abbrechen|suche beenden", "annuler recherche|annuler la recherche", "annulla ricerca"),
    ),
    Command(
        INVITE,
        noted("ADDRESS to N"),
        noted("Emails someone an invitation to take a free seat in game N."),
        "invite bob@example.org to 3",
        _words("einladen|lade", "inviter|invite", "invita|invitare"),
        noted("bob@example.org to 3"),
    ),
    Command(
        FILL,
        "N",
        noted("Gives the free seats of your game N to bots, so that it can start."),
        "fill 3",
        _words("auffüllen|auffuellen|fülle", "compléter|completer|complète", "riempi|completa"),
    ),
    Command(
        JOIN,
        noted("N|any"),
        noted(
            "Takes a seat in game N, or in any open game. If a bot is playing for you in game N, takes your seat back."
        ),
        "join 3",
        _words("mitspielen|beitreten", "rejoindre", "unisciti|partecipa"),
    ),
    Command(
        LEAVE,
        "N",
        noted("Leaves game N. After the start, you resign and a bot plays on. We ask you to confirm first."),
        "leave 3",
        _words("verlassen|verlasse", "quitter", "lascia|lasciare"),
    ),
    Command(
        SHOW,
        noted("N [at VERSION]"),
        noted("Sends the table of game N as a picture and in words, as it is now or as it was at an earlier version."),
        "show 3",
        _words("zeige|zeig", "montrer|montre", "mostra|mostrare"),
    ),
    Command(
        HISTORY,
        "N",
        noted("Lists what has happened in game N."),
        "history 3",
        _words("verlauf", "historique", "cronologia"),
    ),
    Command(
        REVIEW,
        "N",
        noted(
            "Compares your moves in game N with a bot's, once the game is over. The first time, this takes a few minutes."
        ),
        "review 3",
        _words("rückblick|rueckblick", "analyse|analyser", "analisi|analizza"),
    ),
    Command(
        REMATCH,
        "N",
        noted("Opens another game like game N, or joins it if another player of game N has opened it."),
        "rematch 3",
        _words("revanche|nochmal", "revanche", "rivincita"),
    ),
    Command(
        STANDINGS,
        noted("[N|GAME]"),
        noted("Lists the scores of game N, or your own results in all games or in one kind of game."),
        "standings 3",
        _words("stand|ergebnisse", "classement|résultats|resultats", "classifica|risultati"),
    ),
    Command(
        ARCHIVE,
        "N",
        noted("Sends the archive of game N once the game is over. You can use it to check that the game was fair."),
        "archive 3",
        _words("archiv", "archive", "archivio"),
    ),
    Command(
        SETTINGS,
        "",
        noted("Lists your settings."),
        "settings",
        _words("einstellungen", "réglages|reglages|paramètres|parametres", "impostazioni"),
    ),
    Command(
        SET,
        noted("name|language|zone|nights|days-off|mails|reminders VALUE"),
        noted('Changes a setting. To turn it off, use the value "off".'),
        "set zone Europe/Berlin",
        _words("setze|einstellen", "régler|regler", "imposta|impostare"),
        noted("zone Europe/Berlin"),
    ),
    Command(
        VACATION,
        "A..B",
        noted("Stops your clock in all games from day A to day B. With off, cancels your vacations."),
        "vacation 2027-07-01..2027-07-14",
        _words(
            "urlaub|ferien|abwesend",
            "vacances|absent|absente|congés",
            "vacanza|vacanze|ferie|assente",
            "vacation|holiday|holidays|away",
        ),
    ),
    Command(
        EXPORT,
        "",
        noted("Attaches a copy of all data we store about you."),
        "export",
        _words("exportieren", "exporter", "esporta|esportare"),
    ),
    Command(
        GOODBYE,
        "",
        noted("Deletes your account. We ask you to confirm first."),
        "goodbye",
        _words("abschied|konto löschen|konto loeschen", "adieu|supprimer mon compte", "addio|elimina il mio account"),
    ),
)
BY_NAME: Mapping[str, Command] = {it.name: it for it in COMMANDS}
AT_ONCE = (HELP, RULES, GAMES)  # carried out even if the sender isn't proved

NAME, LANGUAGE, ZONE, NIGHTS, DAYS_OFF, MAILS, REMINDERS = SETTABLE = (
    *("name", "language", "zone", "nights", "days-off", "mails", "reminders"),
)
_SETTING_WORDS: Mapping[str, Mapping[str, str]] = {  # by language; our emails use the first word of each
    name: dict(zip(("en", "de", "fr", "it"), words, strict=True))
    for name, *words in (
        (NAME, "name", "name", "nom", "nome"),
        (LANGUAGE, "language", "sprache", "langue", "lingua"),
        (ZONE, "zone timezone", "zeitzone", "fuseau", "fuso"),
        (NIGHTS, "nights night", "nächte naechte nacht", "nuits nuit", "notti notte"),
        (DAYS_OFF, "days-off", "freie-tage", "jours-libres", "giorni-liberi"),
        (MAILS, "mails mail email emails", "mails", "mails courriels", "mail"),
        (REMINDERS, "reminders reminder", "erinnerungen", "rappels", "promemoria"),
    )
}
_OF_SETTING = {word: name for name, words in _SETTING_WORDS.items() for said in words.values() for word in said.split()}


def setting_of(word: str) -> str | None:
    return _OF_SETTING.get(word)


def nearest_setting(word: str) -> str | None:
    """Return the setting whose name in any language this word resembles most, or None."""
    near = get_close_matches(word, _OF_SETTING, 1, 0.7)
    return _OF_SETTING[near[0]] if near else None


def setting_word(name: str, locale: str) -> str:
    """Return the word that emails in this language use for a setting."""
    return _SETTING_WORDS[name].get(locale, name).split()[0]


def name_word(locale: str) -> str:
    """Return the word that sets a player's name when a name follows it."""
    return setting_word(NAME, locale)


def naming_line(locale: str, present: str, likely: str = "") -> str:
    """Return an example of the line with which a player changes their present name, to the likely one if it differs."""
    other = next(it for it in (likely, EXAMPLE_NAME, "Mira") if it and it != present)
    return f"{name_word(locale)} {other}"


@cache
def words_of(locale: str) -> Mapping[str, str]:
    """Return all commands by word, longest word first. English words are always included, and the words for help and
    rules in every language."""
    found = {it.name: it.name for it in COMMANDS}
    for it in COMMANDS:
        found.update(dict.fromkeys((*it.words.get("en", ()), *it.words.get(locale, ())), it.name))
    for name in (HELP, RULES):  # for players who don't understand the language of our emails
        for words in BY_NAME[name].words.values():
            found.update({word: name for word in words if word not in found})
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


@cache
def words_beside_tables(locale: str) -> Mapping[str, str]:
    """Return the words that are commands of the post desk in replies to emails about games, where tables have commands
    of their own."""
    return {word: name for word, name in words_of(locale).items() if word not in words_at_tables(locale)}


# The language of a person without an account

_COMMON = {  # frequent words that don't exist in the other three languages
    "de": "ich und der das ist nicht ein eine mit auf für wie kann möchte hallo guten liebe danke bitte spielen gerne ja wann geht wer bin habe du wir euch uns mich mir",
    "en": "i the and is not with for how can would like hello hi dear thanks please want play yes my you what when who do does it",
    "fr": "je et le les est pas avec pour comment voudrais bonjour salut merci jouer des une oui nous vous quoi qui quand combien ça tu",
    "it": "io gli è non con per come vorrei ciao buongiorno grazie giocare sono che una di sì mi cosa chi quando quanto gioca",
}
_WORDS_OF_LANGUAGES = {locale: set(words.split()) for locale, words in _COMMON.items()}
for _it in COMMANDS:
    _WORDS_OF_LANGUAGES["en"] |= set(_it.name.split())
    for _locale, _said in _it.words.items():
        _WORDS_OF_LANGUAGES[_locale] |= {word for said in _said for word in said.split()}


def language_of(lines: Sequence[str], subject: str, header: str = "", otherwise: str = "en") -> str:
    """Return the language of an email, from its words. If they are unclear, use its `Content-Language`, otherwise
    `otherwise`."""
    words = re.findall(r"[^\W\d_]+", " ".join([*lines, subject]).lower())
    found = {locale: sum(word in known for word in words) for locale, known in _WORDS_OF_LANGUAGES.items()}
    best = max(found.values())
    named = header.strip().lower()[:2]
    if best == 0:
        return named if named in LOCALES else otherwise
    likely = [locale for locale, number in found.items() if number == best]
    return next(it for it in (named, otherwise, "en", *likely) if it in likely)
