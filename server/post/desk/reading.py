"""The parser of emails to the post desk: pure functions that turn lines into commands.

It ignores capitals, punctuation, quotation marks, bullets, greetings and signatures. A line that resembles a command
without being one is reported, so that no request is silently ignored.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from functools import partial
from itertools import chain, islice, pairwise, takewhile
from unicodedata import normalize

from server.accounts.notice_kinds import BUNDLED
from server.errors import PlayError
from server.games import GAMES
from server.post.desk import commands
from server.post.desk.arguments import (
    ANY,
    invitation_in,
    is_game,
    is_number,
    is_off,
    language_in,
    number_and_version,
    rules_in,
    times_of_bundle,
    wanted_in,
    without_bots,
)
from server.post.desk.commands import BY_NAME, FIND, LANGUAGE, NAME, PLAY, RULES, SET, ZONE, setting_of, words_of
from server.post.desk.days import days_in
from server.post.desk.setting_wishes import wished_setting, wished_settings, without_wishes_for_emails
from server.post.desk.wishes import (
    NO_NAMES,
    Wish,
    explanations,
    first_name_of,
    introduced_in,
    is_understood,
    name_in,
    only_names,
    wish_in,
    wish_to_play_in,
    wishes_in,
)
from server.post.incoming.commands import PLEASE, SAY, THANKS, meaning, stops
from server.post.incoming.doubt import (
    NAMES,
    contradiction_in,
    is_closing,
    is_courtesy,
    is_ending,
    is_harmless_above,
    is_lead_in,
    is_question,
    sentences_in,
    without_footer,
)
from server.post.incoming.lines import Grammar, Spoken, means_something
from server.post.incoming.mime import Doubt, head_and_body, readings_of
from server.post.incoming.notices import without_notices
from server.post.incoming.replies import Mail
from server.post.topics import COST, HOW_LONG, MAILS, MY_GAMES, NIGHTS, OF_DESK, SCORING, is_about
from server.sanitize import clean, without_unseen

MOST = 10  # commands per email
LONGEST = 200  # characters per command
_ENDING = (commands.CANCEL_FIND, commands.LEAVE, commands.GOODBYE)
_BETWEEN_SETTINGS = re.compile(r"[,;]\s(?:(?:and|und|et|e)\s)?|\s(?:and|und|et|e)\s", re.IGNORECASE)
_OFFERED = re.compile(r"[>\s]*[-*•]\s+([^:]+)")  # in a list of our lines, before its explanation
_BEHIND_COMMAND = re.compile(rf"(?<=[.!])\s|{_BETWEEN_SETTINGS.pattern}", re.IGNORECASE)
_MOST_PLACES = 5  # at which a line may be divided, since each costs time
_OF_NEW_GAMES = (commands.NEW, commands.PLAY, commands.FIND)
_OF_GAMES = (commands.RULES, commands.NEW, commands.PLAY, commands.FIND, commands.JOIN)
_COMMAND_WORDS = 2  # a longer line that resembles a command that ends something may be a sentence
_PROSE = 5  # words; a longer line that doesn't begin with a command is prose
_ALIKE = 0.75  # similarity of a word and a misspelt command
_VERY_ALIKE = 0.85

_SAME = {ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"}
_SAME |= {ord(mark): '"' for mark in "“”„‟«»"} | {ord(mark): "'" for mark in "‘’‚‛ʼ´`"} | {ord("…"): "...", 0xA0: " "}
_BULLET = re.compile(r"^(?:[-*•·–>#]+|\(?\d{1,2}[.)])\s+")
_AROUND = " \t\"'.,;:!?*_`"
_BEFORE = re.compile(rf"^(?:(?:{PLEASE}|hi|hello|hallo|bonjour|ciao)[ ,!:]+)+", re.IGNORECASE)
_BEHIND = re.compile(rf"(?<![ ,])(?:[ ,]+(?:{PLEASE}|{THANKS})){{1,9}}$", re.IGNORECASE)
_POLITE = re.compile(rf"\b(?:{PLEASE}|{THANKS})\b", re.IGNORECASE)
SUBJECT = re.compile(r"(?:(?:re|aw|sv|antw|fwd?|wg|tr|rif|r|i)\s?:\s*)+", re.IGNORECASE)
_PARTS = re.compile(r"(?<![.!,;])[.!,;]+(?:\s+|$)|(?<!\s)\s+(?=(?:and|und|et|e)\s)", re.IGNORECASE)
_ARTICLES = re.compile(
    r"^(?:(?:and|und|et|e|also|auch|aussi|anche)\s+){0,2}(?:(?:an?|the|ein|eine|einen|das|die|den|une?|la|le|una|il)\s+|l['’])?",
    re.IGNORECASE,
)
_YES = re.compile(
    r"(?:yes|ja|oui|s[iì])(?:[ ,.!]+(?:please|thanks|bitte|danke|merci|grazie"
    r"|i['’]m (?:quite |very )?sure|ich bin(?: mir| ganz)? sicher|(?:j['’]en|je) suis (?:sûre?|certaine?)|(?:ne )?sono sicur[oa]))?",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:not|never|nicht|nichts|nie|kein\w*|pas|jamais|rien|aucune?|non|mai|niente|nessun\w*)\b|n't\b"
    r"|^\W*(?:cancel|undo|abbrechen|zurück|rückgängig|annuler|annulla(?:re)?)\W*$",
    re.IGNORECASE,
)
_REQUESTS = re.compile(  # sentences that ask for something
    rf"\?\W*$|\b(?:{PLEASE})\b"
    r"|^\W*(?:(?:i want|i['’]d like|i would like|ich möchte|ich will|ich hätte gern|je voudrais|je veux|j['’]aimerais|vorrei|voglio"
    r"|send|give|make|show|stop|don['’]t|schick|schickt|gib|mach|macht|zeig|envoie|envoyez|donne[sz]?|montre[sz]?|arrête[sz]?"
    r"|manda\w*|dammi|mostra\w*|smett\w+)\b)",
    re.IGNORECASE,
)
_SHOWN = (commands.SETTINGS, commands.GAMES, commands.RULES, commands.STANDINGS, commands.OPEN)
_SHOWS = re.compile(
    r"(?:(?:(?:can|could) (?:i|you) )?(?:please )?(?:show|list|send|see|get)(?: me)?|what are|(?:kannst du mir |bitte )?(?:zeige?|schicke?|liste)(?: mir)?|was sind"
    r"|(?:montre|envoie|liste)[zr]?(?:[ -]moi)?|quels? sont|mostra(?:mi)?|manda(?:mi)?|elenca(?:mi)?|quali sono)"
    r"(?: (?:(?:all )?(?:my|the)|meine|die|mes|les|le(?: mie)?|i(?: miei)?|la mia))? ([^\W\d]+)\W*",
    re.IGNORECASE,
)
_SETS = re.compile(  # such as "Change my language to German"
    r"(?:please |bitte )?(?:set|change|switch|put|stelle?n?|änder[en]?|ändere|setze?|wechs(?:le|el)|mets|mettez|change[zr]?|règle[zr]?|passe[zr]?|imposta|cambia|metti)"
    r" (?:l['’]|(?:my|the|bitte|mir|meine?n?|die|den|la|le|ma|mon|mes|les|il|i) (?:mi[aoe]i? )?)?([^\W\d_]+(?:-[^\W\d_]+)?)(?: horaire| orario)?"
    r" (?:to|auf|in|zu|nach|sur|en|à|a|su|=) (.+)",
    re.IGNORECASE,
)
_FILLS = re.compile(  # such as "Please give the empty seat in game 3 to a bot"
    rf"(?:(?:{PLEASE}),? )?(?:"
    r"(?:give|fill) (?:the )?(?:(?:empty|free|open|last|missing) )*seats? (?:in|of) game (\d{1,6}) (?:to|with) (?:an? |the )?bots?"
    r"|(?:put|seat|add) (?:an? |the )?bots? (?:in|into|on|to) (?:the )?(?:(?:empty|free|open|last|missing) )*seats? (?:in|of) game (\d{1,6})"
    r"|(?:gib|gebt|besetz(?:e|t)?) (?:bitte )?(?:den|die) (?:(?:freien|leeren|letzten) )*(?:platz|plätze) (?:in|von|bei) (?:spiel|partie) (\d{1,6}) (?:an |mit )?(?:(?:einen|einem|den) )?bots?"
    r"|(?:donne[rz]?|attribue[rz]?) (?:la|les) (?:dernières? )?places?(?: (?:libres?|vides?))? (?:dans|de) la partie (\d{1,6}) à (?:un|des) bots?"
    r"|(?:d[aà]['’i]?|assegna) (?:il|i) (?:(?:ultimo|ultimi) )?post[oi](?: (?:liber[oi]|vuot[oi]))? (?:nella|della) partita (\d{1,6}) a (?:un|dei) bot"
    rf")(?:,? (?:{PLEASE}))?",
    re.IGNORECASE,
)
OF_MISTAKES = re.compile(  # a question that our newest refusal answers, or else a review
    r"(?:what|where) (?:did i do|have i done|did i go) wrong\W*$|(?:was|wo) (?:habe|hab) ich (?:etwas )?falsch gemacht\W*$"
    r"|(?:qu['’]est-ce que|où est-ce que) j['’]ai (?:mal fait|fait de (?:mal|faux|travers)|raté)\W*$|qu['’]ai-je (?:mal fait|fait de (?:mal|faux|travers)|raté)\W*$|(?:cosa|che cosa|dove) ho sbagliato\W*$",
    re.IGNORECASE,
)
_FULL_LINE = 60  # characters; mail programs may have wrapped a longer line
_ASIDE = (COST, HOW_LONG, MAILS, NIGHTS, SCORING)  # questions about these cast no doubt on commands
_WHEN = re.compile(  # in lines that otherwise look like a name or a wish
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend"
    r"|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|(?:lune|marte|mercole|giove|vener)d[iì]|sabato|domenica)\b"
    r"|^\W*(?:later|morgen)\W*$",
    re.IGNORECASE,
)
_NAME_ALONE = re.compile(rf"{NAME} (?:(?:is|ist|est|è) )?{NAMES}")
_PLACE = re.compile(r"[^\W\d]+/\w+")  # such as Europe/Berlin
_DOMAIN = re.compile(r"@\S+")
_SIGNED = re.compile(rf"(?=([^\W\d_]{{2,40}})\b){NAMES}[.!]?")
_LABEL = re.compile(r"\s*(?:name|nom|nome)\s?:", re.IGNORECASE)
_INITIAL = re.compile(r"\w[ .]+[^\W\d_]$")  # at the end of a name, such as "Zoë Q"
_NOTICE = 12  # words; longer lines are notices of companies
_RETRACTION = 3  # words
_INITIALS = 2  # letters
_ANY_DAY = date(2000, 1, 1)
_DAYS_AT_TABLE = re.compile(r"[\d-]+\.\.[\d-]+")  # which tables understand
_NO = re.compile(
    r"(?:no|nein|non)(?:[ ,.!]+(?:thanks|thank you|danke|merci|grazie))?(?:[ ,.!]+(?:i(?:['’]ve| have)? changed my mind"
    r"|ich hab(?:e|['’]s)?(?: es)? mir (?:es )?anders überlegt|j['’]ai changé d['’]avis|ho cambiato idea))?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Asked:
    """A line that asks for something. `command` is "" if the line is not a command. `near` is then the command that it
    resembles."""

    line: str
    command: str
    rest: str = ""
    near: str = ""
    is_question: bool = False  # whether it ends with a question mark
    requests: bool = False  # whether a line that is not a command asks for something

    @property
    def canonical(self) -> str:
        """Return the command in English words, as it is stored until it is confirmed."""
        return f"{self.command} {self.rest}".strip()

    @property
    def writes(self) -> bool:
        """Return whether this command changes something."""
        return self.command != "" and BY_NAME[self.command].writes


@dataclass(frozen=True)
class Request:
    """The requests in an email."""

    asked: tuple[Asked, ...]
    says_yes: bool = False
    says_no: bool = False
    is_cut: bool = False  # whether there were more commands than `MOST`
    prose: str = ""  # the first line of an email without commands
    is_unsure: bool = False  # a `yes` that other lines question or contradict
    is_alone: bool = False  # a `yes` accompanied only by greetings, names and footers
    is_doubted: bool = False  # other lines question, contradict or put off its commands
    is_clear: bool = False  # it begins with a whole command; otherwise, a program may have written it
    wishes: tuple[Wish, ...] = ()  # lines that do what its sentences wish for
    settings: tuple[tuple[str, str], ...] = ()  # which its sentences wish for, with their values
    outright: tuple[Asked, ...] = ()  # as commands, if they only say what game the writer wants to play, and their name

    def with_outright_wish(self) -> "Request":
        """Return the request with its wish for a game as a command, if it is stated outright."""
        if not self.outright:
            return self
        done = {it.command for it in self.outright}
        done |= {FIND, RULES} if PLAY in done else set()
        rest = tuple(it for it in self.wishes if it.command not in done)
        return replace(self, asked=self.outright, wishes=rest, prose="")


def _without_explanations(lines: Sequence[str], locale: str) -> tuple[str, ...]:
    """Return lines without the explanations in our lists of commands, as in `games: Lists your games`. A mail program
    may have wrapped them."""
    told = list(map(_words_of, explanations(locale)))
    found, left = list[str](), ""  # what is left of an explanation for the next line
    for line in lines:
        head, colon, tail = line.partition(":")
        if left and (more := _words_of(line)) and f"{left} ".startswith(f"{more} "):
            found.append("")
            left = left.removeprefix(more).strip()
            continue
        words = _words_of(tail) if colon else ""
        whole = next((it for it in told if " " in words and it.startswith(words)), "")
        left = whole.removeprefix(words).strip()
        found.append(head.rstrip() if whole else line)
    return tuple(found)


def _words_of(line: str) -> str:
    return " ".join(re.findall(r"\w+", line.lower()))


def read_request(mail: Mail, locale: str) -> Request:
    """Return what an email asks for, in English or in this language. An empty email may have it in its subject. A `yes`
    that other lines question or contradict is none."""
    mail = settings_apart(replace(mail, lines=_without_explanations(mail.lines, locale)), locale)
    written = [line for line in mail.lines if _bare(line)]
    if not written:
        is_empty = mail.doubt in (None, "no-text")  # otherwise, it has a text that can't be read
        title = SUBJECT.sub("", mail.subject)
        written = [title] if is_empty and _bare(title) else []
        found = [it for it in _asked(written, words_of(locale)) if it.command or stops(it.line) or is_for_desk(it.line)]
        return replace(
            _agreement(written, mail),
            asked=tuple(found),
            is_clear=any(it.command and _is_whole(it, locale) for it in found),
            wishes=() if found else _wishes(written),
        )
    lines = list(map(_bare, written))
    request = _agreement(mail.lines, mail)
    found = _without_farewell(list(_asked(mail.lines, words_of(locale))))
    if not any(it.command for it in found):
        wishes = _wishes(mail.lines, any(it.near for it in found))
        if request.says_yes or request.says_no:
            wishes = tuple(it for it in wishes if it.command == SET)
        asked = _answerable(found, bool(wishes))
        said = "" if asked and not wishes else next((it for it in lines if not is_courtesy(it)), "")
        said = clean(said, LONGEST)
        outright = _outright(mail.lines, wishes)
        answered = {name for it in asked for name, _ in wished_settings(it.line)}
        settings = {
            name: value
            for sentence in sentences_in(mail.lines)
            for name, value in wished_settings(sentence)
            if value and wishes and not outright and name not in answered
        }
        return replace(
            request,
            asked=tuple(asked[:MOST]),
            prose=said,
            wishes=wishes,
            settings=tuple(settings.items()),
            outright=outright,
        )
    found = [it for it in found if it.command or not (name_in(it.line) or is_lead_in(it.line))]
    last, below = max(nr for nr, it in enumerate(found) if it.command), _right_below_commands(mail, locale)
    # other lines may be a signature
    asked = [
        it
        for nr, it in enumerate(found)
        if it.command
        or it.near
        or nr < last
        or it.line in below
        or it.requests
        or stops(it.line)
        or is_for_desk(it.line)
    ]
    beside = [line for line, it in _parsed(mail.lines, words_of(locale)) if it is None]
    if is_understood(beside):
        commanded = {setting_of(re.split("[ =:]", it.rest.lower())[0]) for it in asked if it.command == SET}
        wished = [it for name, it in _settings_outright(beside).items() if name not in commanded]
        asked = [*wished, *(it for it in asked if it.command or not _setting_outright(it.line))]
    wishes = _wishes_beside(mail.lines, asked, locale)
    known = {it.line for it in asked} if not wishes else below
    aside = (line for line in dict.fromkeys(below) if line not in known)
    asked += [Asked(it, "") for it in aside if not (is_courtesy(it) or name_in(it) or is_lead_in(it))]
    own = (line for line in lines if not (is_courtesy(line) or _YES.fullmatch(line) or _NO.fullmatch(line)))
    is_clear = (it := _command(next(own, ""), words_of(locale))) is not None and _is_whole(it, locale)
    return replace(
        request,
        asked=tuple(asked[:MOST]),
        is_cut=len(asked) > MOST,
        is_doubted=_is_doubted(mail.lines, words_of(locale)),
        is_clear=is_clear,
        wishes=wishes,
    )


def _outright(lines: Sequence[str], wishes: Sequence[Wish]) -> tuple[Asked, ...]:
    """Return the commands that do what an email wishes for outright, each with the sentence as written, and the other
    sentences that get an answer. Settings come first, so that the game shows the name."""
    sentence, games = wish_to_play_in(lines), [it.rest for it in wishes if it.command == PLAY]
    if not is_understood(lines) or (games and not (sentence and len(games) == 1)):
        return ()
    told = [clean(it, LONGEST) for it in sentences_in(lines)]
    play = [Asked(_bare(sentence), PLAY, games[0])] if sentence else []
    aside = (
        Asked(it, "", is_question=True)
        for it in told
        if not _setting_outright(it) and (is_for_desk(it) or is_question(it))
    )
    done = (*_settings_outright(lines).values(), *play)
    return (*done, *aside) if done else ()


def _settings_outright(lines: Sequence[str]) -> dict[str, Asked]:
    """Return the commands for the settings that sentences wish for outright, by setting. The last wish counts."""
    found = ((it, value) for it in sentences_in(lines) for value in _all_outright(it))
    return {value.partition(" ")[0]: Asked(clean(_bare(it), LONGEST), SET, value) for it, value in found}


def _setting_outright(sentence: str) -> str:
    """Return the first setting that a sentence wishes for outright, with its value, or ""."""
    return next(iter(_all_outright(sentence)), "")


def _all_outright(sentence: str) -> list[str]:
    """Return the settings that a sentence wishes for outright, with their values. A night without hours is none."""
    if is_question(sentence):
        return []
    named = [f"{NAME} {name_in(sentence)}"] if name_in(sentence) else []
    wished = [it for it in wished_settings(sentence) if it[1] and it[0] != commands.VACATION]
    is_guessed = any(name == commands.NIGHTS for name, _ in wished) and not re.search(r"\d", sentence)
    found = [f"{name} {value}" for name, value in wished if not (is_guessed and name == commands.NIGHTS)]
    return [*(named if only_names(sentence) or found else []), *found]


def settings_for_new(sentence: str) -> list[tuple[str, str]]:
    """Return the settings, with their values, that a sentence of a stranger's email wishes for. A night may be guessed,
    since our reply names it."""
    found = [] if is_question(sentence) or _objects([sentence], _RETRACTION) else wished_settings(sentence)
    return [(name, value) for name, value in found if value and name != commands.VACATION]


def quoted_offers(raw: bytes, locale: str) -> tuple[Wish, ...]:
    """Return the lines that invite people, in an email's quote of our first letter: the address of that letter can't hold
    them."""
    try:
        quoted = (it.text for it in chain(*readings_of(*head_and_body(raw))) if it.quoted)
    except Doubt:
        return ()
    lines = (found[1] for it in quoted if (found := _OFFERED.match(it.translate(_SAME))))
    asked = (it for line in lines if (it := read_line(line, locale)) and it.command == commands.NEW)
    wishes = (wish for it in asked if "@" in it.rest and (wish := wish_in(it.command, it.rest)))
    return tuple(dict.fromkeys(wishes))[:MOST]


def is_for_desk(line: str) -> bool:
    """Return whether the post desk has an answer to a sentence."""
    return is_about(line, *OF_DESK) or wished_setting(line) is not None


def _answerable(found: Sequence[Asked], has_wishes: bool) -> list[Asked]:
    """Return those lines of an email without commands that get an answer of their own: those that resemble a command,
    those about the post desk, and those that ask for something. The other lines of `found` are prose."""
    return [
        it
        for it in found
        if is_for_desk(it.line)
        or stops(it.line)
        or (it.near and not has_wishes)
        or (it.requests and not (has_wishes and (wishes_in([it.line], False) or it.near)))
    ]


def _right_below_commands(mail: Mail, locale: str) -> list[str]:
    """Return the lines directly below the last command, up to an empty line, a name or a footer. Further below, return
    lines that mean something to a table."""
    lines, names = mail.lines, _words_in(_DOMAIN.sub("", f"{mail.sender} {mail.named}"))
    nr = max(nr for nr, (_, it) in enumerate(_parsed(lines, words_of(locale))) if it)
    below = lines[nr + 1 :]
    near = takewhile(lambda line: line.strip() and not (_is_ending(line) or _is_signature(line, names)), below)
    own = takewhile(lambda line: line.rstrip() != "--", below)
    grammars = [Grammar(Spoken(rules, locale)) for rules in GAMES.values()]
    for_table = (line for line in own if line.strip() and any(means_something(line, it) for it in grammars))
    return [text[:LONGEST] for line in (*near, *for_table) if re.search(r"\w", text := _bare(line))]


def _is_signature(line: str, names: set[str]) -> bool:
    """Return whether this is one of the writer's names with a few words, such as `Ann (she/her)`."""
    return len(line.split()) <= _PROSE and not names.isdisjoint(_words_in(line))


def without_commands(mail: Mail, locale: str) -> Mail:
    """Return an email without the lines that are commands of the post desk."""

    def rest(lines: Sequence[str]) -> tuple[str, ...]:
        return tuple("" if it else line for line, it in _parsed(lines, words_of(locale)))

    return replace(mail, lines=rest(mail.lines), beside=None if mail.beside is None else rest(mail.beside))


def unsigned(mail: Mail, name: str, locale: str) -> Mail:
    """Return an email of the player with this name without their name as its last line. Names such as Nora or Leo
    resemble moves. A name that is also a command stays, and so does one in a sentence such as "My name is Leo"."""
    named = [it for it in mail.named.split() if "@" not in it]
    known = " ".join([*named, name, (mail.sender or "").partition("@")[0]]).lower()
    names = {word for word in re.split(r"[\W\d_]+", known) if len(word) > 1}
    beside = None if mail.beside is None else _without_signature(mail.beside, names, locale)
    return replace(mail, lines=_without_signature(mail.lines, names, locale), beside=beside)


def _without_signature(lines: tuple[str, ...], names: Collection[str], locale: str) -> tuple[str, ...]:
    written = [nr for nr, line in enumerate(lines) if line.strip()]
    if len(written) < 2:
        return lines
    last = lines[written[-1]].strip()
    words, initials = re.findall(r"\w+", last.lower()), {it[0] for it in names}
    is_signed = any(it in names for it in words) and all(it in names or it in initials for it in words)
    is_command = meaning(last.strip(".!"), locale) is not None or read_line(last, locale) is not None
    is_told = name_in(f"{lines[written[-2]].strip()} {last}") != ""
    return lines[: written[-1]] if is_signed and not is_command and not is_told else lines


def first_name_in(mail: Mail) -> str:
    """Return the first name of the sender: from the `From` header, or with which they sign below a farewell, or ""."""
    return (
        first_name_of(mail.named)
        or _signed_name(mail.lines)
        or next(filter(None, map(introduced_in, sentences_in(mail.lines))), "")
    )


def _signed_name(lines: Sequence[str]) -> str:
    own = [line.strip() for line in without_footer(lines) if line.strip()]
    if not own:
        return ""
    farewell, comma, name = re.split(r"(?<=[.!?])\s+", own[-1])[-1].rpartition(",")
    if not comma:
        farewell, name = own[-2] if len(own) > 1 else "", own[-1]
    found = _SIGNED.fullmatch(name.strip())
    is_signature = found is not None and is_closing(farewell) and not is_courtesy(name.strip())
    return found[1] if found and is_signature and found[1].lower() not in NO_NAMES else ""


def _wishes_beside(lines: Sequence[str], asked: Sequence[Asked], locale: str) -> tuple[Wish, ...]:
    """Return what sentences beside commands wish for, unless the commands already do it."""
    found = _wishes([line for line, it in _parsed(lines, words_of(locale)) if it is None])
    commanded = {it.command for it in asked}
    has_game = not commanded.isdisjoint(_OF_GAMES)
    return tuple(it for it in found if (SET not in commanded if it.command == SET else not has_game))


def _wishes(lines: Sequence[str], is_near: bool = False) -> tuple[Wish, ...]:
    """Return the lines that do what these lines wish for. Refusals and appointments are no wishes."""
    own = [it for it in without_wishes_for_emails(lines) if it.rstrip() and not is_courtesy(_bare(it))]
    is_none = any(_DENIAL.search(line.translate(_SAME)) or _WHEN.search(line) for line in own)
    return () if is_none else tuple(wishes_in(own, is_near))


def request_of(lines: Sequence[str], most: int | None = None) -> Request:
    """Return the request in lines that `stored` wrote, with at most so many lines."""
    found = tuple(read_line(line) or Asked(line, "") for line in lines)
    return Request(found[:most], is_cut=found != found[:most], is_clear=True)


def stored(asked: Asked) -> str:
    """Return a command, or a line that is none, as a line which keeps its question mark."""
    line = asked.canonical or asked.line
    return f"{line}?" if asked.is_question else line


def in_own_words(request: Request, lines: Sequence[str], locale: str) -> Request:
    """Return the request in lines that `stored` wrote, with each line as the player wrote it in the email. If one line
    asks for two things, only the first has it."""
    own = [it for _, it in _parsed(lines, words_of(locale)) if it]
    found = list[Asked]()
    for it in request.asked:
        alike = [mine for rest in (it.rest, "") for mine in own if (mine.command, mine.rest) == (it.command, rest)]
        line = alike[0].line if alike else it.line
        found.append(replace(it, line="" if any(line == earlier.line for earlier in found) else line))
    return replace(request, asked=tuple(found))


def without_repeats(asked: Sequence[Asked]) -> list[Asked]:
    """Return commands without those that would get the same answer again. Each change is one of its own."""
    found, answered = list[Asked](), set[str]()
    for it in asked:
        if it.writes:
            answered.clear()
        elif it.command and it.canonical in answered:
            continue
        answered.add(it.canonical)
        found.append(it)
    return found


def read_line(line: str, locale: str = "en") -> Asked | None:
    """Return the command in a line, or None."""
    return _command_as_written(line, words_of(locale))


def commands_beside_table(lines: Sequence[str], locale: str, rules_name: str) -> list[Asked]:
    """Return the commands of the post desk in a reply to an email about a game, and questions about the post desk. Return
    [] if the reply contains anything else, or no command.

    `commands.OF_THIS_GAME` need no number. Words that are also commands at tables are left to the table, except a
    vacation whose days only we can read. If any other line means something to the table, so is the whole reply.
    """
    grammar, words = Grammar(Spoken(GAMES[rules_name], locale)), commands.words_beside_tables(locale)
    words = {**words, **{word: name for word, name in words_of(locale).items() if name == commands.VACATION}}
    found, has_ended, has_opening = list[Asked](), False, False
    written = [part for line in _without_explanations(lines, locale) for part in _wishes_apart(line, words)]
    for line, it in _parsed(written, words):
        is_whole = it is not None and (_is_whole(it, locale) or (it.command in commands.OF_THIS_GAME and not it.rest))
        if it and it.command == commands.VACATION and _DAYS_AT_TABLE.fullmatch(it.rest):
            return []
        if it and is_whole and not has_ended and not _is_exclamation(line, it, words):
            found.append(it)
        elif means_something(line, grammar):
            return []
        elif _is_aside(line) and not is_about(line, HOW_LONG, SCORING):  # the table answers these
            found.append(Asked(_bare(line)[:LONGEST], "", is_question=True))
        elif (text := _bare(line)) and not is_courtesy(text) and not is_courtesy(line.strip()):
            if not found and _is_opening(line):
                has_opening = True
                continue
            has_ended = True
            if not _is_ending(line):
                return []
    if has_opening and not all(it.command in commands.OF_THIS_GAME for it in found):
        return []
    return _without_farewell(found) if any(it.command for it in found) else []


def _is_opening(line: str) -> bool:
    """Return whether this line may stand above commands after a game, such as `Good game! What did I do wrong?`."""
    rest = OF_MISTAKES.sub("", line.strip()).strip()
    return rest == "" or (is_harmless_above(rest) and not contradiction_in([rest]))


def _wishes_apart(line: str, words: Mapping[str, str]) -> list[str]:
    """Return the commands of a line such as `Rematch, please! And a review.` that only names them, otherwise the line
    itself."""
    parts = [part for it in _PARTS.split(line) if (part := _ARTICLES.sub("", _bare(it)).strip(_AROUND))]
    apart = [it for it in parts if not _POLITE.fullmatch(it) and not is_courtesy(it)]
    is_clear = len(apart) > 1 and all(words.get(it.lower()) in commands.OF_THIS_GAME for it in apart)
    return apart if is_clear and "?" not in line else [line]


def settings_apart(mail: Mail, locale: str) -> Mail:
    """Return an email with lines such as `set nights 22-7 and one mail a day` as a line for each of the settings."""

    def apart(lines: Sequence[str]) -> tuple[str, ...]:
        return tuple(chain.from_iterable(_settings_in_line(line, locale) for line in lines))

    return replace(mail, lines=apart(mail.lines), beside=None if mail.beside is None else apart(mail.beside))


def _settings_in_line(line: str, locale: str) -> list[str]:
    first, *others = map(str.strip, _BETWEEN_SETTINGS.split(line))
    if not others or not _begins_as_set(line, words_of(locale)):
        return _setting_behind_game(line, locale)
    found = [first, *(_as_setting(it, locale) for it in others)]
    read = (read_line(it, locale) for it in found)
    return found if all(it and it.command == SET and _is_whole(it, locale) for it in read) else [line]


def _setting_behind_game(line: str, locale: str) -> list[str]:
    """Divide a line behind a command for a new game, if the rest only wishes for settings: `and one mail a day is enough`.
    Return any other line itself."""
    word = line.partition(" ")[0].lower()
    if len(line) > LONGEST or words_of(locale).get(word) not in _OF_NEW_GAMES:
        return [line]

    def is_of_game(text: str) -> bool:
        it = read_line(text, locale)
        return it is not None and it.command in _OF_NEW_GAMES and _fits(wanted_in, it.rest)

    for found in islice(_BEHIND_COMMAND.finditer(line), _MOST_PLACES) if not is_of_game(line) else ():
        game, rest = _bare(line[: found.start()]), line[found.end() :]
        if is_of_game(game):
            return [game, rest] if all(map(wished_settings, sentences_in([rest]))) else [line]
    return [line]


def _as_setting(part: str, locale: str) -> str:
    name, value = wished_setting(part) or ("", "")
    if name and value and name != commands.VACATION:
        return f"{SET} {name} {value}"
    return part if _begins_as_set(part, words_of(locale)) else f"{SET} {part}"


def settings_beside_table(lines: Sequence[str], locale: str) -> dict[str, str]:
    """Return the lines of a reply to an email about a game that change a setting, each with its command as `stored`
    writes it. A label such as `Name: Ann` is none, since it may be part of a signature. Beside a message for the chat,
    return commands about the game as well."""
    words = commands.words_beside_tables(locale)
    has_chat = any(meaning(line.strip().partition(" ")[0], locale) == SAY for line in lines)
    about_game = (*commands.OF_THIS_GAME, commands.RULES) if has_chat else ()
    first = next((line for line in lines if line.strip()), "")
    found = ((line, _command_as_written(line, words)) for line in lines if not _LABEL.match(line))
    return {
        line: stored(it)
        for line, it in found
        if it and not it.is_question
        if (it.command in about_game and not it.rest)
        or (
            it.command == SET
            and _is_whole(it, locale)
            and (_begins_as_set(line, words) or _is_name_alone(line, it, line == first))
        )
    }


def _is_exclamation(line: str, it: Asked, words: Mapping[str, str]) -> bool:
    """Return whether this line only seems to change a setting, as `Nom de Dieu !` does."""
    return it.command == SET and "!" in line and not _begins_as_set(line, words)


def _begins_as_set(line: str, words: Mapping[str, str]) -> bool:
    return words.get(re.split("[ :=]", _bare(line).lower(), maxsplit=1)[0]) == SET


def _is_name_alone(line: str, it: Asked, is_first: bool) -> bool:
    """Return whether this line without the word for `set` names the player, and isn't prose such as `Nome strano!`. A
    later line in capitals, such as `Name Anna Rossi`, may be part of a signature."""
    return "!" not in line and (is_first or _bare(line)[0].islower()) and _NAME_ALONE.fullmatch(it.rest) is not None


def _parsed(lines: Sequence[str], words: Mapping[str, str]) -> Iterator[tuple[str, Asked | None]]:
    """Yield each line with its command. A label such as `Name: Ann` is none below a command and an empty line, since it
    is part of a signature."""
    has_command = False
    for above, line in pairwise(("", *lines)):
        it = _command_as_written(line, words)
        if has_command and not above.strip() and _LABEL.match(line):
            it = None
        has_command = has_command or it is not None
        yield line, it


def _without_farewell(found: list[Asked]) -> list[Asked]:
    """Leave out "Goodbye!" beside other commands, since it is only polite there."""
    others = [it for it in found if it.command != commands.GOODBYE]
    return others if any(it.command for it in others) else found


def _is_doubted(lines: Sequence[str], words: Mapping[str, str]) -> bool:
    """Return whether lines beside commands question, contradict or put them off. A "no" above them answers our
    email."""
    beside, has_command = list[str](), False
    for line in lines:
        text = _bare(line)
        is_command = _command(text, words) is not None
        has_command = has_command or is_command
        is_answer = not has_command and (_YES.fullmatch(text) or _NO.fullmatch(text))
        beside.append("" if is_command or is_answer or _is_aside(line) else line)
    return _objects(beside, _RETRACTION)


def _is_aside(line: str) -> bool:
    """Return whether this is a question about the post desk, which casts no doubt on commands beside it."""
    return is_about(line, *_ASIDE) and line.rstrip().endswith("?") and not contradiction_in([line.rstrip(" ?")])


def _objects(lines: Sequence[str], longest: int) -> bool:
    """Return whether these lines contradict or question what stands beside them, or one of at most so many words denies
    it."""
    denials = (line for line in lines if len(line.split()) <= longest and _DENIAL.search(line.translate(_SAME)))
    return bool(contradiction_in(lines)) or any(denials)


def looks_like_command(line: str, locale: str) -> bool:
    """Return whether this line is a command of the post desk, perhaps misspelt."""
    text, words = _bare(line), words_of(locale)
    return _command(text, words) is not None or (text != "" and _near(text, words) != "")


def _is_ending(line: str, is_signed: bool = True) -> bool:
    """Return whether this line can end an email: courtesy, the footer of a mail program, or, if `is_signed`, a name."""
    text = line.translate(_SAME).strip()
    if not re.search(r"\w", text):
        return True
    is_footer = len(text) > _INITIALS and is_ending(text.lower(), ())  # names are capitalized
    is_name = _LABEL.match(text) or (re.fullmatch(NAMES, text.strip(" -*_~,")) and not _DENIAL.search(text))
    return is_courtesy(_bare(line)) or is_footer or (is_signed and bool(is_name))


def _is_whole(it: Asked, locale: str) -> bool:
    """Return whether the arguments have the form that the command requires, so that prose isn't mistaken for a
    command."""
    words = it.rest.split()
    first = words[0] if words else ""
    match it.command:
        case commands.SHOW:
            return _fits(number_and_version, it.rest)
        case commands.HISTORY | commands.REVIEW | commands.REMATCH | commands.ARCHIVE | commands.LEAVE | commands.JOIN:
            return is_number(it.rest) or it.rest.lower() in ANY
        case commands.FILL:
            return is_number(without_bots(it.rest))
        case commands.NEW | commands.PLAY | commands.FIND:
            return is_game(first)
        case commands.RULES:
            return not words or is_number(it.rest) or _fits(rules_in, it.rest)
        case commands.STANDINGS:
            return not words or is_game(it.rest) or is_number(it.rest)
        case commands.HELP:
            return not words or it.rest.lower() in words_of(locale) or is_number(it.rest)
        case commands.INVITE:
            return _fits(invitation_in, it.rest)
        case commands.SET:
            setting, _, value = re.sub(r"[=:]", " ", it.rest, count=1).partition(" ")
            return setting_of(setting.lower()) is not None and 1 <= len(value.split()) < _PROSE
        case commands.VACATION:
            return is_off(it.rest) or _fits(partial(days_in, today=_ANY_DAY), it.rest)
    return not words


def _fits(read: Callable[[str], object], rest: str) -> bool:
    try:
        read(rest)
    except PlayError:
        return False
    return True


def corrected(asked: Asked, locale: str) -> Asked | None:
    """Return the whole command that a line with a misspelt word means, or None if it lacks something. A command that
    ends something is never meant."""
    words = asked.line.split()
    for place in range(1, min(len(words), _COMMAND_WORDS) + 1) if asked.near not in ("", *_ENDING) else ():
        is_near = _near(" ".join(words[:place]), words_of(locale)) == asked.near
        it = read_line(" ".join([asked.near, *words[place:]])) if is_near else None
        if it and it.command == asked.near and _is_whole(it, locale):
            return it
    return None


def _agreement(written: Sequence[str], mail: Mail) -> Request:
    """Return a request that only says `yes` or `no`."""
    lines = [text for line in written if (text := _bare(line))]
    says_yes = _says(_YES, lines)
    own = (line for line in written if not _is_aside(line))
    apart = [part for line in own for part in ([line, ""] if _YES.fullmatch(_bare(line)) else [line])]
    is_unsure = says_yes and _objects(apart, _NOTICE)
    return Request(
        (),
        says_yes and not is_unsure,
        _says(_NO, lines),
        is_unsure=is_unsure,
        is_alone=says_yes and _is_alone(written, _words_in(_DOMAIN.sub("", f"{mail.sender} {mail.named}"))),
    )


def _is_alone(written: Sequence[str], names: set[str]) -> bool:
    """Return whether only greetings, signatures, footers and notices stand beside a `yes`. A signature is one of the
    writer's names or initials, or stands below a courtesy: "Keep Ann" is none."""
    beside = without_notices(["" if _YES.fullmatch(_bare(line)) else line for line in written])
    own = [line for line in takewhile(lambda line: line.rstrip() != "--", beside) if _bare(line)]  # a signature follows
    for above, line in pairwise(("", *own)):
        is_signed = (
            is_courtesy(_bare(above)) or len(_bare(line)) <= _INITIALS or names & _words_in(_bare(line).split()[0])
        )
        if not _is_ending(line, bool(is_signed)) or _WHEN.search(line):
            return False
    return True


def _words_in(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{2,}", normalize("NFC", text).lower()))


def _says(pattern: re.Pattern[str], lines: Sequence[str]) -> bool:
    first = next((line for line in lines if not is_courtesy(line) or pattern.fullmatch(line)), "")
    return pattern.fullmatch(first) is not None


def _bare(line: str) -> str:
    """Return a line without bullets, quotation marks, surrounding punctuation and polite words."""
    text = normalize("NFC", without_unseen(line.strip()[: 2 * LONGEST])).translate(_SAME)
    text = _BULLET.sub("", re.sub(r"\s+", " ", text).strip(_AROUND)).strip(_AROUND)
    return _BEHIND.sub("", _BEFORE.sub("", text)).strip(_AROUND)


def _asked(written: Sequence[str], words: Mapping[str, str]) -> Iterator[Asked]:
    for (above, _), (written_line, found) in pairwise([("", None), *_parsed(written, words)]):
        if found:
            yield found
            continue
        is_rest = len(above) >= _FULL_LINE and not re.search(r"[.!?:]\W*$", above)
        requests = not is_rest and _REQUESTS.search(written_line.translate(_SAME)) is not None
        line, is_question = _bare(written_line), _is_question(written_line)
        is_aside = is_courtesy(line) or _is_ending(line, is_signed=False)
        if not line or _YES.fullmatch(line) or _NO.fullmatch(line) or is_aside:
            continue
        elif near := SET if _LABEL.match(line) else _near(line, words):
            yield Asked(line[:LONGEST], "", near=near, is_question=is_question, requests=requests)
        elif requests or (len(line.split()) <= _PROSE and not line.endswith(",")) or is_for_desk(line):
            yield Asked(line[:LONGEST], "", is_question=is_question, requests=requests)


def _command_as_written(line: str, words: Mapping[str, str]) -> Asked | None:
    found = _command(_bare(line), words)
    if found and found.command == SET and _ends_with_initial(line, found.rest):
        found = replace(found, rest=f"{found.rest}.")
    return found and replace(found, is_question=_is_question(line))


def _ends_with_initial(line: str, rest: str) -> bool:
    """Return whether the full stop of this line belongs to a name that ends with an initial."""
    setting, _, value = re.sub(r"[=:]", " ", rest, count=1).partition(" ")
    has_stop = re.search(r"(?<!\.)\.[\s\"'*_`]*$", line.translate(_SAME)) is not None
    return has_stop and setting_of(setting.lower()) == NAME and _INITIAL.search(value) is not None


def _is_question(line: str) -> bool:
    """Return whether a line ends with a question mark, perhaps beside polite words."""
    end = re.split(r"[^\W_]", _POLITE.sub("", line))[-1]
    return any(mark in end for mark in "?？؟")


def _command(line: str, words: Mapping[str, str]) -> Asked | None:
    """Parse a line that begins with the words of a command. Capitals don't matter, and `:` or `=` may follow the
    words. A whole sentence may show something, or set a setting."""
    if (found := _SHOWS.fullmatch(line)) and words.get(found[1].lower()) in _SHOWN:
        return Asked(line[:LONGEST], words[found[1].lower()])
    if commands.GAMES in words.values() and is_about(line, MY_GAMES) and len(line.split()) <= 2 * _PROSE:
        return Asked(line[:LONGEST], commands.GAMES)
    if (found := _SETS.fullmatch(line)) and setting_of(found[1].lower()) not in (None, NAME):
        return Asked(line[:LONGEST], SET, f"{found[1].lower()} {found[2]}"[:LONGEST])
    if found := _FILLS.fullmatch(line.rstrip(" .!")):
        return Asked(line[:LONGEST], commands.FILL, next(filter(None, found.groups())))
    lower = line.lower()
    for word, name in words.items():
        if lower == word or (lower.startswith(word) and lower[len(word)] in " :=" and not lower.startswith("set up ")):
            rest = _BEFORE.sub("", line[len(word) :].lstrip(" :=-")).strip(_AROUND)
            return Asked(line[:LONGEST], name, rest[:LONGEST])
    first, _, rest = line.partition(" ")
    setting, value = setting_of(first.lower().strip(":=")), rest.strip(" :=")
    is_name = setting == NAME and rest.strip(_AROUND)  # our first email suggests this form
    if is_name or (setting == LANGUAGE and _fits(language_in, value)) or (setting == ZONE and _PLACE.fullmatch(value)):
        return Asked(line[:LONGEST], SET, f"{setting} {value}"[:LONGEST])
    if times := times_of_bundle(line):
        return Asked(line[:LONGEST], SET, f"{commands.MAILS} {BUNDLED} {' '.join(times)}")
    return None


def _near(line: str, words: Mapping[str, str]) -> str:
    """Return the command whose word is misspelt at the beginning of this line, or "". In a longer line, the arguments
    must fit the command, or the word must be very similar: "how" is no "show"."""
    said = line.lower().split()
    if len(said) > 2 * _PROSE:
        return ""
    for length in (2, 1):
        part = " ".join(said[:length])
        known = [it for it in words if it[0] == part[0]]
        swapped = [it for it in known if sorted(it) == sorted(part)]  # such as "ste" for "set"
        if len(part) <= 2 or not (found := swapped or get_close_matches(part, known, 1, _ALIKE)):
            continue
        name, rest = words[found[0]], " ".join(said[length:])
        is_very_alike = len(said) <= _PROSE and get_close_matches(part, found, 1, _VERY_ALIKE) != []
        if len(said) <= _COMMAND_WORDS:
            return name
        if name not in _ENDING and (is_very_alike or _is_whole(Asked(line, name, rest), "en")):
            return name
    return ""


def example_of(name: str, locale: str) -> str:
    """Return an example line of a command in this language."""
    return BY_NAME[name].example_in(locale)
