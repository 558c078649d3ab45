"""Lines of an email to a table: the first pass, which notes what each line is. Later steps only read these facts.

A line is a move if it is in the game's notation, a short form or a whole sentence that means one legal move. A sentence
consists of the words of four languages that say nothing about the move itself, and a game reads the words that are left
(see `meant_moves`). Never add a word that denies, doubts, asks, compares or puts off. Nor one that means "but", "or" or
"if" in another language. Misspelt moves and commands are near misses, which must not be ignored.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from server.games import GAMES, MalformedMove, Rules
from server.games.presentation import meant_moves, read_move, spoken_words, strange_word
from server.post.incoming import commands
from server.post.incoming.commands import drops, meaning, resigns, words_of
from server.post.incoming.doubt import NO_WORDS, PASS, Manner, contradiction_in, manner_of
from server.post.incoming.help_lines import help_lines
from server.sanitize import without_unseen

_SPACES = re.compile(r"[\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_SAME = {ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"} | {
    code: chr(code - 0xFEE0)
    for code in range(0xFF01, 0xFF5F)  # full-width forms of ASCII characters
}
_DAYS = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}) ?[.][.] ?([0-9]{4}-[0-9]{2}-[0-9]{2})")
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[.] ?[0-9]{1,2}[.](?: ?[0-9]{4})?"
_STAND_IN = re.compile(rf"<?([^\s@<>]+@[^\s@<>]+)(?:>|<mailto:\1>)? +({_DAY}) ?(?:[.][.]|-|–) ?({_DAY})")
_DAY_BY_SLASHES = re.compile(r"(?<![^ .–-])([0-9]{1,2})/([0-9]{1,2})(?:/([0-9]{4}))?(?![^ .–-])")
_CONFIRMING = re.compile(r"[a-z0-9-]{1,40}")
_POLITE = re.compile(  # around a command
    rf"^(?:{commands.PLEASE})[ ,]{{1,3}}|(?<![ ,])[ ,]{{1,3}}(?:{commands.PLEASE}|{commands.THANKS})[ .!]{{0,3}}$",
    re.IGNORECASE,
)
_POLITELY = re.compile(  # a command, "please", and a few friendly words
    rf"([^\s,]+)[ ,]{{1,3}}(?:{commands.PLEASE}|{commands.THANKS})[ ,.!–-]{{1,3}}"
    r"(?!.*\b(?:when|once|as soon|after|before|wenn|sobald|nachdem|bevor|erst|quand|dès|après|avant|quando|appena|dopo|prima)\b)"
    r"[^\d?:;@]{1,60}",
    re.IGNORECASE,
)
PICTURE = re.compile(r"\[(?:image|cid|inline image|bild|immagine)[ :][^\[\]\r\n]{0,200}\]", re.IGNORECASE)
_BEGINNING = re.compile(r"^([^:|]{1,100}): (?=[^:|]{1,100}$)")  # the form in which our reply to ? groups moves
_ARROW = re.compile(
    r"(?<=\w) ?(?:-{1,2}>|=>|[→⇒➔➜]) ?(?=\w)|(?<=\w) > (?=\w)|(?<=\d)>(?=[^\W\d])"
)  # as in `5 -> leo c`
_BOLD = re.compile(r"[*_]{1,2}([^*_]{1,200})[*_]{1,2}")  # how mail programs write a line in bold as plain text
_BEFORE_QUESTION = re.compile(
    r"(?:(?:[.!,]|(?<=\S) [-–])[ ]+(?:(?:and|und|et|e) )?|(?<=\S) (?:and|und|et|e) )(?=\S)", re.IGNORECASE
)
_END_OF_QUESTION, _END_OF_SENTENCE = re.compile(r"\?[ ]+(?=\S)"), re.compile(r"(?<=[.!?])[ ]+")
_MOST_SENTENCES = 6  # of a line with a question that are looked at
_MOST_OFFERED = 100  # moves per line
FULL_LINE = 60  # characters; a longer line may have been wrapped by the mail program
_BETWEEN_STEPS = re.compile(  # what players write instead of a semicolon
    r",(?: (?:and|then|und|dann|et|puis|e|poi)(?= ))?| (?:and|then|und|dann|et|puis|e|poi)(?: (?:then|dann|puis|poi))? ",
    re.IGNORECASE,
)
LONGEST = 200  # characters of a sentence
PASSING = "pass"  # the words of every pass, as the game sees them
_PHRASES: Mapping[str, str] = {  # courtesy and intentions
    "en": (
        "okay|ok then|okay then|well then|goes|goes to|hi all|hello all|hi everyone|hello everyone|please|pls|plz|kindly|thanks|thx|thank you|many thanks|hi|hello|hey|good morning|good evening|ok|okay|now"
        "|i would like to|i'd like to|i would like|i'd like|i would love to|i'd love to|i want to|i want|i wish to"
        "|i will|i'll|i will take|i'll take|i take|i am going to|i'm going to|let me|i play|i choose|play|go with"
        "|i think i'll|i think i'll take|i think i will|i think i will take|let's|let us|try"
        "|my move is|my move|here is my move|here's my move|here is|here's"
    ),
    "de": (
        "ok|okay|ok dann|okay dann|also dann|na dann|gut dann|geht auf|geht in|geht an|kommt auf|kommt in|kommt an|hallo zusammen|hallo alle|bitte|danke|danke schön|vielen dank|hallo|hi|guten morgen|guten tag|guten abend|moin|gern|gerne|jetzt"
        "|ich möchte|möchte ich|ich moechte|moechte ich|ich will|ich würde gern|ich würde gerne|ich spiele|spiele ich|ich nehme"
        "|ich|spiele|spiel|spielen|mein zug ist|mein zug|hier ist mein zug|ich denke ich|ich denke ich nehme|lass uns|lasst uns"
        "|versuche|versuche mal|versuchen|versuchen wir|versuchen wir mal|versuchen wir es|versuchen wir's"
        "|probiere|probiere mal|probieren|probieren wir|probieren wir mal|probieren wir es|probieren wir's"
    ),
    "fr": (
        "ok alors|d'accord alors|alors|donc|va sur|va dans|va en|s'il te plaît|s'il te plait|s'il vous plaît|s'il vous plait|stp|svp|merci|merci beaucoup|bonjour à tous|salut à tous|bonjour|bonsoir|salut"
        "|je voudrais|j'aimerais|je veux|je vais|je joue|je prends|je|joue|jouer|mon coup est|mon coup|voici mon coup|maintenant"
        "|essayons|essayer|j'essaie|j'essaye|tentons|jouons|je tente|je pense que je vais|je pense que je vais prendre"
    ),
    "it": (
        "ok allora|va bene allora|allora|va su|va sul|va sulla|va in|va nel|per favore|per piacere|per cortesia|grazie|grazie mille|ciao a tutti|ciao|salve|buongiorno|buonasera|vorrei|voglio|io gioco|io|prendo"
        "|gioco|gioca|giocare|la mia mossa è|la mia mossa|ecco la mia mossa|adesso|ora"
        "|proviamo|proviamo con|provo|provo con|provare|giochiamo|giocherò|penso che giocherò|penso di giocare"
    ),
}
_PARTICLES: Mapping[str, str] = {
    "en": "my|the|an|on|onto|in|into|to|at|of|for|with",
    "de": (
        "mein|meine|meinen|meinem|meiner|der|die|das|den|dem|ein|eine|einen|einem|einer"
        "|auf|auf's|aufs|in|im|ins|an|am|zu|zum|zur|mit"
    ),
    "fr": "mon|mes|le|la|les|un|une|sur|dans|à|au|aux|en|du|de",
    "it": (
        "mio|mia|il|lo|la|gli|le|un|uno|una|su|sul|sullo|sulla|sui|sulle|nel|nello|nella|nei|in|al|allo|alla|ai"
        "|del|dello|della|dei"
    ),
}
_ALIKE = 0.75
_ONE = ("one", "un", "uno")  # also articles and pronouns, so the game sees what stands before them
_BEFORE_ONE = ("my", "the", "mon", "le", "mio")
_STRAY = ".,:!()-–"
_CHEERFUL = re.compile(r"[👍🙂😀😃😄😁😊😉🙏✨⭐🌟🎉\N{VARIATION SELECTOR-16}]|(?<!\S)[:;]-?[)D](?!\S)")
_ANNOUNCES = re.compile(r"\b(?:move|turn|zug|coup|mossa)(?: is| ist| est| è)?\s?$", re.IGNORECASE)
_PARTS = re.compile(r"(?<=[.!])\s+|,\s+|(?<!\s)\s+[-–]\s+")
_FAREWELL = re.compile(  # with a capitalised name at its end
    r"(?i:many thanks|thanks|thank you|cheers|good luck|have fun|(?:all the )?best(?: wishes)?|(?:best |kind )?regards|bye"
    r"|danke(?: und gr(?:u|ü|ue)(?:ß|ss)e?)?|vielen dank|[lv]g|mfg|(?:viele |liebe |beste )?gr(?:u|ü|ue)(?:ß|ss)e?|viel (?:glück|spaß)"
    r"|see you(?: soon)?|bis (?:bald|dann|später)|tschüss|merci|bonne chance|à bientôt|amitiés|bises|grazie|(?:tanti )?saluti|buona fortuna|a presto|ciao)"
    r"(?:[ ,]+(?:(?i:everyone|everybody|all|zusammen|allen|euch allen|à tous|a tutti|tutti)|([A-ZÄÖÜÉ][a-zäöüéèàß]{2,20})))?[.! ]*"
)
_HAIL = re.compile(  # perhaps with a capitalised name; `Hi Clara, ...` or `Hi! ...`
    r"(?:(?i:hi|hello|hey|dear|hallo|moin|servus|liebe[r]?|salut|bonjour|bonsoir|ch[eè]re?|ciao|salve|buongiorno|car[oa]) "
    r"([A-ZÄÖÜÉ][a-zäöüéèàß]{2,20})"
    r"|(?i:(?:hi|hello|hey|hallo|moin|servus|salut|bonjour|bonsoir|ciao|salve|buongiorno|good (?:morning|evening)|guten (?:morgen|tag|abend))"
    r"(?: (?:all|everyone|there|zusammen|alle|à tous|a tutti))?))\s?[,!.] "
)
_READABLE = re.compile(rf"[\w\s'’/.,:!()#–-]{{1,{LONGEST}}}")  # no question mark, quotation mark or emoji
_HESITATES = re.compile(r"\.\s?\.|…|!\s?!\s?!|_")
_PASSES = re.compile(PASS, re.IGNORECASE)
_JOINED = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")  # in `10toCapricorn`
_BETWEEN = re.compile(r"[/,]|(?<=\w)-(?=\w)")
_ELIDED = re.compile(r"\b(?:dell|nell|sull|all|un|l|d(?!'[a-z]\d))'(?=\w)")  # French and Italian articles
_FIELD = re.compile(r"[a-z]\d+")
_TELLING = tuple(
    it
    for it in commands.COMMANDS
    if it not in (commands.SAY, commands.PLAN, commands.READY, commands.STAND_IN, commands.HINT)
)  # anywhere in a short line
_AROUND = ".,:;!()[]{}<>\"'`*_~/\\|"  # characters that are stripped from words
_NOTATION = re.compile("[A-Za-zÀ-ÖØ-öø-ÿŒœ0-9#;’' -]{1,200}")
_NO_WORDS = re.compile(
    r"(?<!\S):\+1:(?!\S)|\bC/ ?(?=[A-Z])|\b[0-9]{1,3}\.?[ºª°](?: [A-Z]\b)?|(?<!\S)(?:[A-Z]\.){2,4}(?!\S)|\bi\. ?[AV]\.|\b[0-9A-Fa-f]{4}(?: {1,2}[0-9A-Fa-f]{4}){9}\b"
)  # a thumbs-up, a street and floor in Spain, initials, the fingerprint of a key
_SHORTEST_BEGINNING = 3  # letters of a command
_SHORT = 4  # words; a line this short looks like a wish if it contains a command
_ANYHOW_ALIKE = 0.6
_VERY_ALIKE = 0.85  # "Paula" is a name, "pausa" a command
_LONGEST_NOTATION = 20  # words
_LONGEST_WORD = 14  # characters: "sagittarius", a space and a star
_IF: Mapping[str, str] = {
    "de": r"wenn (.+?) frei(?: ist)?",
    "en": r"if (.+) is free",
    "fr": r"si (.+) est libre",
    "it": r"se (.+) (?:è|e'|e) liber[ao]",
}
_COURTESIES = frozenset(phrase for phrases in _PHRASES.values() for phrase in phrases.split("|"))
_FILLERS = _COURTESIES.union(*(words.split("|") for words in _PARTICLES.values()))
_MOST = max(len(phrase.split()) for phrase in _FILLERS)


@dataclass(frozen=True)
class Wishes:
    """What a reply asks for. If there is a `problem`, all other fields are empty, except `line`, which is the faulty
    line, `fine`, `others`, `unread`, `questions` and `is_prose`.

    The problems are:
    - `automatic`: a machine wrote the email. We don't reply to it.
    - `unreadable`: see `Mail.doubt`. `too-long`: the doubt `too-large`.
    - `nothing-said`, `not-understood`, `two-moves`
    - `contradiction`: commands that exclude each other, such as pause and resume.
    - `asks-to-stop`: the email asks for no further emails.
    - `perhaps-quoted`: see `understand`.
    - `in-a-sentence`, `spoken-against`: `line` is the prose next to a line that would take effect.
    - `amid-our-letter`: the line is in an unmarked copy of our email. `only-our-letter`: the email is only such a copy.
    - `parts-differ`: plain text and HTML differ, for example because a line is struck out.
    """

    move: str | None = None  # in the game's notation, with steps joined by "; "
    parsed_move: Any = field(default=None, compare=False)  # the same move, parsed by the rules
    asks: bool = False  # whether it asks for the legal moves
    hints: bool = False  # whether it asks for the best moves
    says: tuple[str, ...] = ()
    pause: bool = False
    resume: bool = False
    undo: bool = False
    agree: bool = False  # whether it agrees to what another player asks for
    refuse: bool = False  # whether it says no to what another player asks for
    ready: bool = False
    plan: str | None = None  # its text, see `_plan`
    resign: bool = False  # needs confirmation, as do a vacation and a stand-in
    vacation: tuple[date, date] | None = None  # first and last day
    stand_in: tuple[str, ...] | None = None  # address, first and last day as written; empty to end the stand-in
    confirms: str | None = None  # the token after `confirm`
    settings: tuple[str, ...] = ()  # commands of the post desk that change settings
    problem: str | None = None
    line: str = ""
    fine: tuple[str, ...] = field(default=(), compare=False)  # the lines that were understood beside the faulty line
    others: tuple[str, ...] = field(default=(), compare=False)  # the lines of prose below the faulty line
    unread: tuple[str, ...] = field(default=(), compare=False)  # other lines that weren't understood either
    questions: tuple[str, ...] = field(default=(), compare=False)  # beside lines that were understood
    remarks: tuple[str, ...] = field(default=(), compare=False)  # the other sentences below them
    written: str = field(default="", compare=False)  # the move as the player wrote it, in a single line
    resigning: str = field(default="", compare=False)  # the line that resigns, as written
    is_prose: bool = field(default=False, compare=False)  # whether no line is a move or command, or comes near one

    @property
    def is_harmless(self) -> bool:
        """Return whether this is a line that changes nothing, even if it is a quote."""
        return self.asks or self.hints


FLAGS: Mapping[str, Wishes] = {  # commands without arguments; the fields have their names
    commands.PAUSE: Wishes(pause=True),
    commands.RESUME: Wishes(resume=True),
    commands.UNDO: Wishes(undo=True),
    commands.AGREE: Wishes(agree=True),
    commands.READY: Wishes(ready=True),
    commands.RESIGN: Wishes(resign=True),
}


@dataclass(frozen=True)
class Spoken:
    """The notation of a game, plus the words with which a reader of this language may write a move."""

    rules: Any
    locale: str

    @property
    def NAME(self) -> str | None:
        return getattr(self.rules, "NAME", None)

    def read_move(self, text: str) -> Any:
        return read_move(self.rules, text, self.locale)

    def write_move(self, move: Any) -> str:
        """Return the move in the game's notation, which is used to store and compare wishes."""
        written: str = self.rules.write_move(move)
        return written


class Grammar(NamedTuple):
    """The language of a reply: moves are in a game's notation, and commands in the player's language."""

    rules: Spoken
    legal: Sequence[Any] = ()  # moves, which complete a line that fits only one of them
    settings: Mapping[str, str] = MappingProxyType({})  # see `settings_beside_table`
    signed: Collection[str] = ()  # the names with which the writer signs, in lower case

    @property
    def locale(self) -> str:
        return self.rules.locale

    @property
    def is_light(self) -> bool:
        """Return whether a line that takes effect can be undone later, so that questions beside it don't matter."""
        return getattr(self.rules.rules, "CAN_BE_UNDONE", False)


class Line(NamedTuple):
    """A line that a person wrote, and all that the first pass noted about it. A line that is a move or a command other
    than a hint has no facts about its prose."""

    text: str
    command: Wishes | None = None  # what it asks for; None unless it is exactly a move or a command
    passes: bool = False  # whether it only says that the player passes
    manner: Manner = NO_WORDS
    is_near: bool = False  # whether it may be meant as a move or command
    is_several: bool = False  # whether it is a line of our reply to `?`, with several moves in a group
    is_strange: bool = False  # whether it seems to name a move, but has an unknown word
    goes_on: bool = False  # whether it may continue the move above it

    @property
    def acts(self) -> bool:
        """Return whether this line changes something."""
        return self.command is not None and not self.command.is_harmless

    @property
    def is_unclear(self) -> bool:
        """Return whether it is unclear if a person has written this line."""
        return self.command is None and self.text != "" and not self.manner.is_harmless_above

    @property
    def may_be_wrapped(self) -> bool:
        """Return whether this is a chat line that a mail program may have wrapped."""
        return self.command is not None and self.command.says != () and len(self.text) >= FULL_LINE

    @property
    def prose(self) -> str:
        return "" if self.command else self.text


class Planned(NamedTuple):
    """A planned move, as a player wrote it."""

    move: Any
    place: str | None  # the place that must be free, as the player wrote it


def read_lines(words: Sequence[str], grammar: Grammar) -> list[Line]:
    """Parse the lines of an email. A line that ends with `;` is joined with the next line, and so is a wrapped chat
    line."""
    found = list[Line]()
    for text in _joined(_without_explanation(words, grammar), grammar):
        found.append(read_line(text, grammar, found[-1] if found else Line("")))
    return found


def read_line(text: str, grammar: Grammar, above: Line) -> Line:
    command = _command(text, grammar)
    is_only_command = command is not None and not command.hints
    return (
        Line(text, command, passes(text, grammar.locale))
        if is_only_command
        else prose_line(text, grammar, above, command)
    )


def prose_line(text: str, grammar: Grammar, above: Line, command: Wishes | None = None) -> Line:
    """Return a line of prose below another line."""
    if not text:
        return Line("")
    manner = manner_of(text, grammar.signed)
    return Line(
        text,
        command,
        passes(text, grammar.locale),
        manner,
        _comes_near(text, manner, grammar),
        _is_several(text, grammar),
        bool(grammar.legal) and strange_word_in(text, grammar) != "",
        above.command is not None and above.command.move is not None and _goes_on(above.text, text, manner, grammar),
    )


def known_lines(ours: Sequence[str], repeated: Collection[str], grammar: Grammar) -> tuple[list[str], set[str]]:
    """Return a pair: our lines as `read_lines` writes them, with and without the explanations in our help, and those
    that the person had written first."""
    written = [_normalise(line, grammar.locale) for line in _with_bare_help(ours, grammar)]
    return written, {_normalise(line, grammar.locale) for line in repeated}


def settings_by_line(settings: Mapping[str, str], locale: str) -> dict[str, str]:
    return {_normalise(line, locale): command for line, command in settings.items()}


def together(lines: Sequence[Line], rules: Spoken) -> Wishes:
    """Merge the moves of one step each and the commands on several lines."""
    commands = [line.command for line in lines if line.command]
    moves = {line.command.move: line for line in lines if line.command and line.command.move}
    move = _one_move([it.command for it in moves.values() if it.command], rules) if moves else Wishes()
    passed = next((line.text for line in lines if line.command and line.passes), "")
    if move is None or (passed and len(moves) > 1):
        return Wishes(problem="two-moves", line=passed or list(moves.values())[1].text)
    flags: dict[str, Any] = {name: any(getattr(it, name) for it in commands) for name in (*FLAGS, "asks", "hints")}
    pause, resume, undo, agree, ready, resign = (flags[name] for name in FLAGS)
    resigning = next((line.text for line in lines if line.command and line.command.resign), "")
    given: dict[str, Collection[Any]] = {
        name: {value for it in commands if (value := getattr(it, name)) is not None}
        for name in ("vacation", "stand_in", "confirms", "plan")
    }
    if (
        any(len(values) > 1 for values in given.values())
        or (pause and resume)
        or (undo and (move.move or agree))
        or (agree and move.move)
        or (given["plan"] and (undo or resign))
        or (resign and (move.move or pause or resume or undo or ready))
    ):
        return Wishes(problem="contradiction", line=resigning)
    return replace(
        move,
        resigning=resigning,
        says=tuple(text for command in commands for text in command.says),
        settings=tuple(line for command in commands for line in command.settings),
        **flags,
        **dict[str, Any]({name: next(iter(values), None) for name, values in given.items()}),
    )


def _one_move(moves: Sequence[Wishes], rules: Spoken) -> Wishes | None:
    """Join moves of one step each into a single move. Return None if they are several moves."""
    if len(moves) == 1:
        return moves[0]
    lines = [str(it.move) for it in moves]
    return None if any(";" in line for line in lines) else _move("; ".join(lines), rules)


def _without_explanation(lines: Sequence[str], grammar: Grammar) -> Sequence[str]:
    """Remove the explanation from a line that was copied from our help, if it is the only such line.

    If there are several, the email contains a copy of our email, so nothing is removed.
    """
    found = list(_explained(lines, grammar))
    if len(found) != 1:
        return lines
    [(nr, end, written)] = found
    return [*lines[:nr], written, *lines[end:]]


def _explained(lines: Sequence[str], grammar: Grammar) -> Iterator[tuple[int, int, str]]:
    """Yield each line of help that has an explanation, as (start, end, the command without its explanation)."""
    name = grammar.rules.NAME
    if name not in GAMES or not any("(" in line for line in lines):
        return
    told = {_plain(f"({what})") for _, what in help_lines(name, grammar.locale)}
    for nr, line in enumerate(lines):
        for at in (it.start() for it in re.finditer(r"\(", line)):
            if (end := _end_of(told, lines, nr, at)) and _command(_normalise(line[:at], grammar.locale), grammar):
                yield nr, end, line[:at]


def _with_bare_help(ours: Sequence[str], grammar: Grammar) -> list[str]:
    """Return our lines, followed by the same lines without the explanations in our help. So a copy that starts within
    the help is also recognized."""
    bare = list(ours)
    for nr, end, written in _explained(ours, grammar):
        bare[nr:end] = [written, *[""] * (end - nr - 1)]
    return [*ours, *bare] if bare != ours else bare


def _end_of(told: Collection[str], lines: Sequence[str], nr: int, at: int) -> int:
    """Return the index of the line after the explanation that begins here and may be wrapped. Return 0 if no
    explanation begins here."""
    whole = _plain(lines[nr][at:])
    for end in range(nr + 1, len(lines) + 1):
        if whole in told:
            return end
        if not any(it.startswith(whole) for it in told) or end == len(lines):
            return 0
        whole = _plain(f"{whole} {lines[end]}")
    return 0


def _normalise(line: str, locale: str) -> str:
    """Normalize the blanks and dashes of a line, and remove invisible characters. Chat lines stay unchanged."""
    if _chat(line.strip(), locale):
        return line.strip()
    plain = _ARROW.sub(" ", _plain(line))
    bold = _BOLD.fullmatch(plain)
    return bold[1] if bold else plain


def _plain(line: str) -> str:
    return _SPACES.sub(" ", PICTURE.sub(" ", without_unseen(line)).translate(_SAME)).strip()


def _joined(words: Sequence[str], grammar: Grammar) -> list[str]:
    joined, last = [""], ""
    for line in (_normalise(it, grammar.locale) for it in words):
        is_broken = _may_go_on(joined[-1], last, grammar.locale) and not means_something(line, grammar)
        if line and (last.endswith(";") or is_broken):
            joined[-1] += f" {line}"
        else:
            joined.append(line)
        last = line
    return [part for line in joined[1:] for part in _parts(line, grammar)]


def _parts(line: str, grammar: Grammar) -> Sequence[str]:
    """Return a move or command and the questions beside it in the same line as lines of their own. Return any other line
    alone."""
    if "?" not in line or len(line) > LONGEST or grammar.is_light or _command(line, grammar) is not None:
        return (line,)
    begins = [0, *(it.end() for it in _END_OF_QUESTION.finditer(line))][:_MOST_SENTENCES]
    for begin in begins:
        behind = list(_BEFORE_QUESTION.finditer(line, begin))[:_MOST_SENTENCES]
        for end, rest in [(len(line), len(line)), *(it.span() for it in reversed(behind))]:  # the longest move first
            asks = "?" in line[:begin] or "?" in line[rest:]
            command = _command(line[begin:end], grammar) if asks else None
            if command and not command.is_harmless:
                beside = [_END_OF_SENTENCE.split(it) for it in (line[:begin], line[rest:])]
                return [it for it in (*beside[0], line[begin:end], *beside[1]) if it]
    return (line,)


def _may_go_on(line: str, end: str, locale: str) -> bool:
    """Return whether this is a chat line that a mail program may have wrapped after `end`."""
    return _chat(line, locale) != "" and len(end) >= FULL_LINE


def means_something(written: str, grammar: Grammar) -> bool:
    """Return whether a line is a move or a command, or resembles one."""
    line = _normalise(written, grammar.locale)
    return _comes_near(line, manner_of(line), grammar) or _command(line, grammar) is not None


def _comes_near(line: str, manner: Manner, grammar: Grammar) -> bool:
    if manner.is_lead_in and len(line.split()) > 1:
        return False
    if manner.is_harmless_question and not has_move_in(line, grammar):
        return False
    return resembles(line, grammar) and (not manner.is_courtesy or has_words_of(line, grammar))


def _goes_on(move: str, below: str, manner: Manner, grammar: Grammar) -> bool:
    """Return whether the line below a move may continue the move. A drawn line, such as one above a signature, rarely
    does."""
    return goes_on(below, grammar.rules) and (
        not manner.is_drawn or _move(f"{move} {below}", grammar.rules) is not None
    )


def _is_several(line: str, grammar: Grammar) -> bool:
    beginning, _, endings = line.partition(": ")
    moves = [f"{beginning} {ending.strip()}" for ending in endings.split("|")[:_MOST_OFFERED]]
    return len(moves) > 1 and all(_move(move, grammar.rules) for move in moves)


def _move(line: str, rules: Spoken) -> Wishes | None:
    move = move_in(line, rules)
    if move is None and (steps := _BETWEEN_STEPS.sub("; ", line)) != line:
        move = move_in(steps, rules)
    return None if move is None else Wishes(rules.write_move(move), move)


def _command(line: str, grammar: Grammar) -> Wishes | None:
    """Parse a line that is exactly one move or one command. Return None for any other line."""
    if chat := _chat(line, grammar.locale):
        return Wishes(says=(chat,))
    told = without_hail(line)
    if grammar.legal:
        told = without_announcement(told, grammar.locale)
    if move := _move(told, grammar.rules) or _move(_BEGINNING.sub(r"\1 ", line), grammar.rules):
        return replace(move, written=told)
    if meaning(line.rstrip(" .!"), grammar.locale) == commands.READY:  # French puts a space before "!"
        return Wishes(ready=True)
    if meaning(line.rstrip(" .!?"), grammar.locale) == commands.HINT:
        return Wishes(hints=True)
    bare = _POLITE.sub("", line)
    if resigns(bare):
        return Wishes(resign=True)
    word, _, rest = line.lower().partition(" ")
    match meaning(word, grammar.locale), rest:
        case None, "" if word == "?":
            return Wishes(asks=True)
        case str(name), "" if name in FLAGS:
            return FLAGS[name]
        case commands.PLAN, _ if (plan := _plan(rest, grammar)) is not None:
            return Wishes(plan=plan)
        case commands.CONFIRM, _ if _CONFIRMING.fullmatch(rest):
            return Wishes(confirms=rest)
        case commands.STAND_IN, _ if drops(rest, grammar.locale):
            return Wishes(stand_in=())
        case commands.STAND_IN, _ if asked := _STAND_IN.fullmatch(_by_points(rest, grammar.locale)):
            return Wishes(stand_in=asked.groups())
        case commands.VACATION, _ if days := _DAYS.fullmatch(rest):
            return _vacation(days[1], days[2])
    if (said := _POLITELY.fullmatch(line)) and not contradiction_in([said[0]]):
        named = meaning(said[1], grammar.locale) or ""
        return {**FLAGS, commands.HINT: Wishes(hints=True)}.get(named) if named != commands.RESIGN else None
    word = bare.rstrip(" .!,;:")
    if word != line and meaning(word.partition(" ")[0], grammar.locale) not in (None, commands.SAY):
        return _command(word, grammar)
    setting = grammar.settings.get(line)
    return Wishes(settings=(setting,)) if setting else _meant(line, grammar)


def _meant(line: str, grammar: Grammar) -> Wishes | None:
    if not grammar.legal:
        return None
    meant = moves_in_sentence(line, grammar)
    return Wishes(grammar.rules.write_move(meant[0]), meant[0], written=line) if len(meant) == 1 else None


def _by_points(text: str, locale: str) -> str:
    """Replace `1/7` with `1.7.`, except in English, where the month may come first."""
    return text if locale == "en" else _DAY_BY_SLASHES.sub(lambda it: f"{it[1]}.{it[2]}.{it[3] or ''}", text)


def _plan(text: str, grammar: Grammar) -> str | None:
    """Return the plan's text, "" to show the plan, commands.OFF to drop it, or None if the text isn't a valid plan."""
    if not text or drops(text, grammar.locale):
        return commands.OFF if text else ""
    return text if read_plan(text, grammar.rules) else None


def _chat(line: str, locale: str) -> str:
    word, _, words = line.partition(" ")
    return words.strip().removeprefix(": ") if meaning(word, locale) == commands.SAY else ""


def _vacation(first: str, last: str) -> Wishes | None:
    try:
        days = date.fromisoformat(first), date.fromisoformat(last)
    except ValueError:
        return None
    return Wishes(vacation=days) if days[0] <= days[1] else None


def moves_in_sentence(line: str, grammar: Grammar) -> list[Any]:
    """Return the moves that a line fits, with or without polite words. Several mean that the line is unclear."""
    rules, locale, legal = _of(grammar)
    if len(line) > LONGEST:
        return []
    if passes(line, locale):
        return meant_moves(rules, PASSING, locale, legal)
    found = meant_moves(rules, _POLITE.sub("", line), locale, legal)
    if found:
        return found
    begins, colon, rest = (sentence := _sentence(line)).partition(":")
    if colon and (":" in rest or not _announces(begins, locale)):
        return []  # such as `Ten: on Leo c`, which another player with this name may have said
    words = " ".join(_words(rest if colon else sentence, locale))
    return meant_moves(rules, words, locale, legal) if words != PASSING else []  # such as German "Pass auf!"


def passes(line: str, locale: str) -> bool:
    """Return whether a line only says that the player passes, with or without polite words."""
    return _PASSES.fullmatch(" ".join(_words(_sentence(line), locale, _COURTESIES))) is not None


def strange_word_in(line: str, grammar: Grammar) -> str:
    """Return the word because of which a line that seems to name a move can't be read, or ""."""
    rules, locale, _ = _of(grammar)
    for step in line.split(";"):
        begins, colon, rest = (sentence := _sentence(step)).partition(":")
        said = rest if colon and _announces(begins, locale) else sentence
        if word := strange_word(rules, " ".join(_words(said, locale)), locale):
            return word
    return ""


def _of(grammar: Grammar) -> tuple[Rules, str, Sequence[Any]]:
    return grammar.rules.rules, grammar.locale, grammar.legal


def words_of_sentence(line: str, locale: str) -> list[str]:
    """Return the words of a plain sentence that are left for a game to read. Return [] for any other line."""
    return _words(_sentence(line), locale)


def _sentence(line: str) -> str:
    """Return a line without smileys, greeting by name, and courtesy at its end. Return "" for a question, and for any
    other line that can't be a plain sentence."""
    line = without_hail(without_farewell(without_smileys(line[: LONGEST + 1])))
    return line if _READABLE.fullmatch(line) and not _HESITATES.search(line) else ""


def _announces(begins: str, locale: str) -> bool:
    """Return whether the words before a colon only announce a move, such as `Hi, my move is`."""
    found = _ANNOUNCES.search(begins)
    return found is not None and not (_words(begins, locale) and _words(begins[: found.start()], locale))


def without_announcement(line: str, locale: str) -> str:
    """Return a line without the words that only announce a move, such as `My move:`. Another colon may follow a name."""
    begins, colon, rest = line.partition(":")
    return rest.strip() if colon and ":" not in rest and _announces(begins, locale) else line


def without_farewell(line: str) -> str:
    """Return a line without the courtesy at its end, such as `Danke und Gruß, Ada`."""
    for end in _PARTS.finditer(line):
        found = _FAREWELL.fullmatch(line, end.end())
        if found and not contradiction_in([found[0]]) and not (found[1] and contradiction_in([found[1]])):
            return line[: end.start()]
    return line


def without_hail(line: str) -> str:
    """Return a line without a greeting by name at its beginning, such as `Hi Clara,`."""
    found = _HAIL.match(line)
    return line[found.end() :] if found and not (found[1] and contradiction_in([found[1]])) else line


def without_smileys(line: str) -> str:
    return _CHEERFUL.sub(" ", line).strip()


def _words(text: str, locale: str, left_out: Collection[str] | None = None) -> list[str]:
    plain = _BETWEEN.sub(" ", _ELIDED.sub("", _JOINED.sub(" ", text).lower().replace("’", "'")))
    return list(_left([word for raw in plain.split() if (word := raw.strip(_STRAY))], locale, left_out or _FILLERS))


def _left(words: list[str], locale: str, left_out: Collection[str]) -> Iterator[str]:
    place = 0
    while place < len(words):
        if length := _filler_at(words, place, locale, left_out):
            place += length
        else:
            yield words[place]
            place += 1


def _filler_at(words: list[str], place: int, locale: str, left_out: Collection[str]) -> int:
    """Return how many words the longest filler has that begins here, or 0."""
    if words[place] in _BEFORE_ONE and words[place + 1 : place + 2] and words[place + 1] in _ONE:
        return 0
    for length in range(min(_MOST, len(words) - place), 0, -1):
        if words[place + length - 1] in ("de", "du") and _FIELD.fullmatch("".join(words[place + length :][:1])):
            continue  # it means "from", as in `déplace sur b2 de a1`
        phrase = " ".join(words[place : place + length])
        if phrase in left_out or (phrase == "ma" and locale == "fr" and left_out is _FILLERS):
            return length
    return 1 if words[place] == "i" and not place else 0  # the pronoun; elsewhere, it may be a space


def move_in(line: str, rules: Spoken) -> Any:
    """Return the move on this line, or None if the line is anything other than a single move."""
    if not _NOTATION.fullmatch(line):
        return None
    try:
        return rules.read_move(line)
    except MalformedMove:
        return None


def resembles(line: str, grammar: Grammar) -> bool:
    """Return whether this line, which is neither a move nor a command, may be meant as a move or command."""
    rules, locale = grammar.rules, grammar.locale
    words = _bare_words(line)
    if not words:
        return False
    if len(words) <= _SHORT and any(word in _TELLING for word in words):
        return True
    if _begins_as_command(words[0], line, locale) or (len(words) == 1 and _is_nearly_command(words[0], locale)):
        return True
    if _has_move_in(words, rules):
        return True
    if len(words) > _LONGEST_NOTATION:
        return False
    known = _vocabulary(rules)
    split = [piece for word in words for piece in _pieces(word, known)]
    in_one = ["".join(words)] if len(words) <= _SHORT else []
    return any(_is_nearly_one(reading, rules) for reading in (words, split, in_one))


def has_move_in(line: str, grammar: Grammar) -> bool:
    """Return whether successive words of a line are a move."""
    return _has_move_in(_bare_words(line.replace("?", "")), grammar.rules)


def _bare_words(line: str) -> list[str]:
    return [word for raw in _NO_WORDS.sub("", line).lower().split() if (word := raw.strip(_AROUND))]


def _begins_as_command(word: str, line: str, locale: str) -> bool:
    """Return whether a line starts with a command that takes arguments, or with any command in the reader's language.

    An apostrophe may belong to the command, as in Italian "di'".
    """
    command = meaning(word, locale) or (meaning(f"{word}'", locale) if f"{word}'" in line.lower() else None)
    return command in (commands.SAY, commands.VACATION) or (
        command not in (None, commands.READY, commands.HINT) and word not in _TELLING
    )


def _is_nearly_command(word: str, locale: str) -> bool:
    own = [it for it, command in words_of(locale).items() if command not in (commands.SAY, commands.HINT)]
    return bool(get_close_matches(word, _TELLING, 1, _ALIKE) or get_close_matches(word, own, 1, _VERY_ALIKE))


def near_command(line: str, locale: str) -> str:
    """Return the command without arguments that a line of one word begins or misspells, or ""."""
    words = _bare_words(line)
    if len(words) != 1 or len(words[0]) < _SHORTEST_BEGINNING:
        return ""
    known = {it: command for it, command in words_of(locale).items() if command in FLAGS}
    found = {command for it, command in known.items() if it.startswith(words[0])}
    found |= {known[it] for it in get_close_matches(words[0], known, 1, _ALIKE)}
    return found.pop() if len(found) == 1 else ""


def _is_nearly_one(words: Sequence[str], rules: Spoken) -> bool:
    """Return whether most of these words belong to a move, or if there are only a few, whether its key words are among
    them."""
    known = _vocabulary(rules)
    met = [right for word in words if (right := _corrected(word, rules)) is not None]
    if len(met) >= 2 and 2 * len(met) >= len(words):
        return not _is_address(words, met, rules)
    if len(words) > _SHORT:
        return False
    has_small = any(len(word) == 1 or (len(word) == 2 and word.isdigit()) for word in words)
    if any(len(word) > 2 for word in met) and (has_small or move_in(" ".join(met), rules)):
        return True
    if len(words) < 2:
        return met != [] and met[0] in _verbs(rules)
    return words[0].isdigit() and words[0] in known and all(len(word) <= 3 for word in words)


def _is_address(words: Sequence[str], met: Sequence[str], rules: Spoken) -> bool:
    """Return whether this is a street or a room: a word that resembles no word of the notation, followed by numbers and
    letters."""
    first = words[0]
    if max(map(len, met)) > 2 or len(first) < 2 or not first.isalpha() or first in _vocabulary(rules):
        return False
    return not get_close_matches(first, [it for it in _vocabulary(rules) if len(it) > 2], 1, _ANYHOW_ALIKE)


def _has_move_in(words: Sequence[str], rules: Spoken) -> bool:
    return any(
        move_in(" ".join(words[first:last]), rules)
        for first in range(len(words))
        for last in range(first + (1 if len(words) <= _SHORT else 2), min(first + _LONGEST_NOTATION, len(words)) + 1)
    )


def has_words_of(line: str, grammar: Grammar) -> bool:
    """Return whether this line contains a word of the notation, or a command."""
    words = re.findall(r"[\w#]+", line.lower())
    telling = {it for it, command in words_of(grammar.locale).items() if command not in (commands.SAY, commands.HINT)}
    return any(word in telling or word in _vocabulary(grammar.rules) for word in words)


def has_long_word_of(line: str, grammar: Grammar) -> bool:
    """Return whether this line contains a word of the notation, perhaps misspelt, that is too long to occur by chance."""
    words = [word for raw in line.lower().split() if len(word := raw.strip(_AROUND)) > 2]
    return any(word.isalpha() and _corrected(word, grammar.rules) for word in words)


def goes_on(line: str, rules: Spoken) -> bool:
    """Return whether this line may be the rest of a wrapped move. A single word without a digit counts as a name."""
    words = line.lower().replace(";", " ").split()
    return not line.isalpha() and all(word in _vocabulary(rules) for word in words)


def _pieces(word: str, known: Mapping[str, None]) -> list[str]:
    """Split a word that may consist of several joined words, such as `7leo`."""
    return [word] if word in known or len(word) > _LONGEST_WORD else re.findall(r"[^\W\d_]+|[0-9]+", word) or [word]


@lru_cache(2000)
def _corrected(word: str, rules: Spoken) -> str | None:
    """Return the word of the notation to which this word is equal or similar, or None."""
    known = _vocabulary(rules)
    if word in known:
        return word
    alike = get_close_matches(word, known, 1, _ALIKE) if len(word) > 2 else []
    alike += [begun for begun in known if len(begun) > 3 and word.startswith(begun)]  # two joined words
    return next((other for other in alike if len(other) > 2), None)


@lru_cache
def _vocabulary(rules: Spoken) -> Mapping[str, None]:
    """Return the words of a game's notation. They come from the schema of its moves, its examples, and the names of its
    pieces."""
    described = rules.rules.describe()
    examples = " ".join(example["text"] for example in described["notation"]["examples"]).replace(";", " ")
    names = [*_names(described, {"id", "abbr"}), *examples.split()]
    spoken = spoken_words(rules.rules, rules.locale)
    return dict.fromkeys([*_verbs(rules), *(name.lower() for name in names), *spoken])


@lru_cache
def _verbs(rules: Spoken) -> frozenset[str]:
    """Return the words of moves that aren't names of pieces."""
    return frozenset(name.lower() for name in _names(rules.rules.MOVE_SCHEMA, {"enum", "const"}))


def _names(value: Any, keys: set[str]) -> Iterator[str]:
    """Yield the texts and numbers under these keys, at any depth of the JSON."""
    match value:
        case dict():
            for key, inner in value.items():
                if key in keys:
                    yield from map(str, inner if isinstance(inner, list) else [inner])
                else:
                    yield from _names(inner, keys)
        case list():
            for inner in value:
                yield from _names(inner, keys)


def read_plan(text: str, rules: Spoken) -> list[Planned] | None:
    """Parse a plan: moves separated by `;`, each with an optional condition. Return None if the text isn't a valid
    plan."""
    planned = [_read_one(part.strip(), rules) for part in text.split(";")]
    found = [it for it in planned if it is not None]
    return found if len(found) == len(planned) else None


def _read_one(text: str, rules: Spoken) -> Planned | None:
    for pattern in (_IF["en"], _IF[rules.locale]):
        if found := re.fullmatch(rf"(.+) {pattern}", text):
            move = move_in(found[1], rules)
            return None if move is None else Planned(move, found[2])
    move = move_in(text, rules)
    return None if move is None else Planned(move, None)
