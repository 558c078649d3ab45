"""Sentences to the post desk that wish for a game or give a name: the lines to reply with instead.

A sentence starts a game against bots only if it wishes outright for a game, without naming other players, and its
sender is proved.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from flask_babel import gettext

from server.bots import LEVELS
from server.errors import PlayError
from server.games import GAMES
from server.post.desk.arguments import LEVEL_WORD, NUMBERS, UNITS, game_in, is_game, level_in, wanted_in
from server.post.desk.commands import BY_NAME, COMMANDS, FIND, NAME, NEW, PLAY, RULES, SET, name_word, naming_line
from server.post.desk.rule_texts import game_in_short
from server.post.desk.setting_wishes import wished_setting, without_wishes_for_emails
from server.post.incoming.doubt import NAMES, contradiction_in, is_courtesy, is_question, sentences_in, without_footer
from server.post.topics import BOTS, HOW_TO_PLAY, INVITING, PEOPLE, PLAYING, THE_GAME, THE_RULES, WANTING, is_about
from server.post.wording import spoken
from server.render.text_layout import punctuated
from server.sanitize import has_link
from server.store.tables import Player
from server.translations import LOCALES, language, noted

LONGEST_NAME = 40  # characters
_SHORT = 3  # words
_MOST_BOTS = 3
_MOST_NAMING = 6  # words of a line that only says a name
_EXPLAINS_GAME = noted("Explains the game and how to write a move.")
_INVITES = noted("Opens a game and sends the invitations.")
_SHORTEST_GAME = 5  # letters; shorter words may be any word

_ADDRESS = re.compile(r"[^\s<>,;:@()\"]{1,80}@[^\s<>,;:@()\"]{1,200}[^\s<>,;:@()\".!?]")
_CALLED = re.compile(
    r"(?i:\b(?:my name(?: is|['’]s)|(?:i am|i['’]m) called|call me|(?:you can )?call me|ich hei(?:ß|ss)e|mein name ist|nenn(?:t|en sie)? mich"
    r"|(?:change|set) my (?:display )?name to|rename me to|ändere (?:bitte )?meinen namen (?:in|zu|auf)|chang(?:e|ez|er) mon nom en"
    r"|cambia(?:re)? il mio nome in"
    r"|je m['’]appelle|mon nom est|appelle[z]?[- ]moi|mi chiamo|il mio nome è|chiamami) )"
    r"([^\W\d_][\w'’-]*(?: [A-ZÄÖÜÉÈ][\w'’-]*){0,2})"
)
_OF_NAME = re.compile(  # such as "You got my name wrong" or "That isn't my name"
    r"(?=(?:\S+\s+){1,7}\S+$)(?:.{0,30}\W)?(?:my name|meine?n? namen?|mon (?:pré)?nom|(?:il )?mio nome)\b",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(
    r"(?i:(?:hi|hello|hey|hallo|bonjour|ciao|yes|ja|oui|s[iì]|ok)(?: there| zusammen)?[,!]? )?(?i:(?:and|und|et|e) )?(?i:i['’]m|i am|ich bin (?:die|der)|je suis|(?:io )?sono) "
    r"([^\W\d_a-zß-öø-ÿ][^\W\d_A-ZÀ-ÖØ-Þ]{1,20})[.!]?"
)
NO_NAMES = frozenset(
    ("english", "german", "french", "italian", "swiss", "american", "british", "austrian")
    + ("new", "sorry", "lost", "in", "out", "busy", "fine", "here", "ready")
    + ("sternenpost", "all", "everyone", "team", "zusammen")
)
# The name in `Mira Muster <mira@example.org>` or `"Muster, Mira" <mira@example.org>`
_OWN_NAME = re.compile(
    r"^\s{0,9}[\"']?(?:[^\W\d_][^\d<>@\",;:()\[\]]{0,60},\s{1,9})?([^\W\d_][^\d<>@\",;:()\[\]]{0,60}?)[\"']?\s{0,9}<"
)


_BOTS = (
    r"(?:(?:an?|the|some|my|two|three|[1-4]|einen?|den|die|zwei|drei|une?|des|les|deux|trois|il|i|dei|due|tre) |l['’])?"
    rf"(?:{LEVEL_WORD} )?(?:bots?|robots?|computers?|machine|cpu|ai|ki|ordinateurs?)(?: {LEVEL_WORD}|,? (?:(?:on|of|at|der|auf|de|di) )?(?:level|stufe|niveau|livello) \\d)?"
)
_NEXT_CLAUSE = re.compile(r"(?:[.,;!](?=\s)|\s(?:and|und|et|e|sowie|plus)\b)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_OR = re.compile(r"\b(?:or|oder|ou|oppure|o)\b", re.IGNORECASE)
_PACE = re.compile(  # such as "three days for each move"
    rf"\b(\d{{1,3}}|{'|'.join(NUMBERS)}) ({'|'.join(it for it, unit in UNITS.items() if unit in 'HD' and len(it) > 1)}) "
    r"(?:per|for (?:each|every)|each|pro|je|für jeden|par|pour chaque|a|per ogni) (?:move|turn|zug|coup|tour|mossa|turno)\b",
    re.IGNORECASE,
)
_NUMBER_OF_BOTS = re.compile(
    rf"\b({'|'.join(word for word, number in NUMBERS.items() if number <= _MOST_BOTS)}) (?:{LEVEL_WORD} )?bots?\b",
    re.IGNORECASE,
)
_HELLO = (
    r"(?:ok(?:ay)?|hi|hello|hallo|bonjour|salut|ciao|well|then|so|great|sure|yes|ja|dann|also|gut|gerne?|super|oui|alors|sì|allora"
    r"|va bene|d['’]accord)[ ,.!]+"
)
_A_ROUND = {
    "en": r"(?:(?:an?|one|another|the|my first) (?:\w+ )?(?:game|round|match) of )",
    "de": r"(?:(?:eine?|noch eine) (?:\w+ )?(?:partie|runde|spiel) )",
    "fr": r"(?:une (?:\w+ )?partie (?:de )?|à |avec )",
    "it": r"(?:una (?:\w+ )?partita (?:a |di )?|a |con )",
}
# A sentence that wishes outright for a game, which is the group. "(game)" stands for it, with opponents behind it.
_FORMS = (
    r"(?:INTENT )?VERB(?: (?:me|us))? ROUND?(game)(?: (?:a try|a go|up|out))?".replace(
        "INTENT",
        r"(?:i['’]d (?:really )?(?:like|love) to|i would (?:really )?(?:like|love) to|i (?:want|wish) to|i wanna|i['’]ll|i will|we['’]d like to|we want to"
        r"|let(?:['’]s| us| me)|i think i['’]ll|i['’]m going to)",
    ).replace("VERB", "(?:play|try|try out|start|take|choose|begin|open|set up|have|give|go for)"),
    r"(?:i['’]d (?:like|love)|i would (?:like|love)|i want|i['’]ll (?:have|take)|how about) ROUND(game)",
    r"ROUND(game)",
    (
        r"(?:ich|wir) (?:möchten?|wollen|will|würden?|hätten?)(?: gerne?)?(?: (?:mal|einmal|erst|zuerst|jetzt))* RUNDE?(game)"
        r"(?: (?:(?:aus)?(?:spielen|probieren)|anfangen|beginnen|starten|versuchen))?"
    ),
    r"RUNDE?(game) (?:spielen|starten|beginnen|anfangen|eröffnen|(?:aus)?probieren)",
    (
        r"(?:(?:ich|wir|lass uns|lasst uns) )?(?:spielen?|starten?|beginnen?|eröffnen?|öffnen?|nehmen?|wählen?|probieren?)(?: (?:ich|wir))?(?: gerne?)?"
        r"(?: (?:mir|uns|für mich|für uns|bitte|mal))* RUNDE?(game)"
    ),
    r"RUNDE(game)",
    r"(?:je (?:veux|voudrais)|j['’]aimerais|je vais|on veut|nous voulons)(?: bien)? (?:jouer|essayer|commencer|lancer|démarrer|tenter) PARTIE?(game)",
    r"(?:je |on |nous )?(?:joue(?:[rz]|ons)?|lance[rz]?|démarre[rz]?|commence[rz]?|essaie|essayons)(?:[ -](?:moi|nous))? PARTIE?(game)",
    r"(?:je (?:veux|voudrais)|j['’]aimerais)? ?une (?:\w+ )?partie de (game)",
    r"(?:(?:vorrei|voglio|vorremmo|mi piacerebbe) )?(?:gioc(?:are|o|a|hiamo)|provare|prova|iniziare|iniziamo|inizia|avviare|avvia|cominciare|cominciamo|comincia) PARTITA?(game)",
    r"(?:vorrei |voglio )?una (?:\w+ )?partita (?:a|di) (game)",
    (
        r"(game) (?:sounds|looks) (?:\w+ )?(?:nice|good|great|fun|interesting|better)[,.!]* "
        r"(?:(?:so )?(?:let me|let['’]s|i['’]d like to|i want to|i['’]ll) (?:try|play|take)|please start) (?:it|that|this)(?: one)?"
    ),
    (
        r"(game) klingt (?:\w+ )?(?:gut|schön|nett|toll|spannend|interessant|besser)[,.!]* "
        r"(?:das|die|es) (?:möchte|will|würde|nehme|probiere|spiele) ich(?: gerne?)?(?: (?:mal|aus|spielen|(?:aus)?probieren|versuchen))*"
    ),
    r"(?:can|could|would|will) you (?:please )?(?:start|begin|open|set up) (?:me |us )?ROUND?(game)\??",
    r"(?:kannst|könntest|können|könnten) (?:du|sie) (?:(?:bitte|mal|mir|uns|für mich) )*RUNDE?(game) (?:starten|beginnen|eröffnen|öffnen)\??",
    r"(?:peux-tu|pouvez-vous|pourrais-tu) (?:me |nous )?(?:lancer|commencer|démarrer|ouvrir) PARTIE?(game) ?\??",
    r"(?:puoi|può|potresti) (?:avviare|iniziare|cominciare|aprire) PARTITA?(game)\??",
)
_BEHIND_GAME = (
    r"(?:[ ,]+(?:please|bitte|s['’]il (?:te|vous) pla[iî]t|stp|svp|per favore|thanks|thank you|danke|merci|grazie"
    r"|for me|for us|with me|right away|straight away|if possible|für mich|für uns|pour moi|pour nous|per me|per noi|subito|tout de suite|gleich|sofort"
    r"|then|now|first|dann|jetzt|mal|zuerst|alors|donc|maintenant|d['’]abord|allora|ora|adesso|prima)){0,3}"
)


def _wish_to_play(form: str) -> str:
    rounds = {"ROUND": _A_ROUND["en"], "RUNDE": _A_ROUND["de"], "PARTIE": _A_ROUND["fr"], "PARTITA": _A_ROUND["it"]}
    against = rf"(?: (?:against|with|vs\.?|gegen|mit|contre|contro|con) {_BOTS})?"
    for word, pattern in rounds.items():
        form = form.replace(word, pattern)
    return form.replace("(game)", rf"(\w+){_BEHIND_GAME}{against}")


_WISH_TO_PLAY = re.compile(
    rf"(?:{_HELLO}){{0,3}}(?:(?:please|bitte|per favore),? )?(?:{'|'.join(map(_wish_to_play, _FORMS))}){_BEHIND_GAME}[ .!]*",
    re.IGNORECASE,
)

_ORDINALS = (
    r"1|one|eins|uno?|1st|first|erste[nrs]?|premi(?:er|ère)|prim[oa]",
    r"2|two|zwei|deux|due|2nd|second|zweite[nrs]?|deuxième|second[eoa]",
    r"3|three|drei|trois|tre|3rd|third|dritte[nrs]?|troisième|terz[oa]",
)
_PICKED = re.compile(  # which of several lines the writer wants: all, one by its place, or one by its game
    rf"(?:{_HELLO}){{0,2}}(?:(?:i['’]d like|i would like|i (?:want|choose|prefer|take)|i['’]ll (?:take|have|go for)|i['’]d prefer|let['’]s (?:take|play|do)"
    r"|ich (?:nehme|möchte|will|wähle)|bitte|lieber|je (?:prends|voudrais|veux|choisis)|plutôt|prendo|vorrei|scelgo|please|the|line|number|option|nr\.?|no\.?|nummer|zeile"
    r"|das|die|den|der|la|le|il|numéro|ligne|numero|riga),? |l['’]){0,4}"
    rf"(?:(both|beides?|(?:tous|toutes) les deux|les deux|entramb[ei]|tutt[ei](?: e due)?|all(?: of (?:them|it|this|these))?|alles?|tout(?:es)?|tous)|{'|'.join(f'({it})' for it in _ORDINALS)}|(\w{{{_SHORTEST_GAME},40}}))"
    rf"(?: (?:one|ones|line|option|of them|zeile|von beiden|ligne|riga|game))?{_BEHIND_GAME}[ .!]*",
    re.IGNORECASE,
)
_AROUND = " \t()#:;\"'“”„«»"  # around a number that picks a line


@dataclass(frozen=True)
class Offer:
    """A line with which the reader can reply, in their language."""

    line: str
    does: str
    told: str  # the line and what it does


class Wish(NamedTuple):
    """A line to reply with: a command and its arguments. `rest` is the name alone after `set`."""

    command: str
    rest: str

    @property
    def asked(self) -> str:
        """Return the line in English words."""
        return f"{self.command} {NAME} {self.rest}" if self.command == SET else f"{self.command} {self.rest}"

    def offer(self, game: str = "") -> Offer:
        """Return the line in the reader's language, with what it does. `game`: what the game is."""
        locale = spoken().locale
        line, does = f"{BY_NAME[self.command].word(locale)} {self.rest}", gettext(BY_NAME[self.command].help)
        if self.command == NEW and "@" in self.rest:
            does = gettext(_INVITES)
        if self.command == RULES:
            does = gettext(_EXPLAINS_GAME)
        if self.command == SET:
            line = f"{name_word(locale)} {self.rest}"
            does = gettext("The others see you as %(called)s.", called=self.rest)
        does = f"{game} {does}".strip()
        return Offer(line, does, punctuated(f"{line}: {does}", locale))


@lru_cache(len(LOCALES))
def explanations(locale: str) -> tuple[str, ...]:
    """Return what our lists of lines say after a colon, in this language."""
    say = language(locale).gettext
    games = [f"{game_in_short(game, locale)} {say(BY_NAME[it].help)}" for game in GAMES for it in (PLAY, FIND)]
    return *(say(it.help) for it in COMMANDS), *games, say(_EXPLAINS_GAME), say(_INVITES)


def wishes_in(lines: Sequence[str], is_near: bool) -> list[Wish]:
    """Return the lines that do what these sentences wish for. `is_near`: whether a line resembles a command. Then, the
    name of a game alone is no wish."""
    text = re.sub(r"\s+", " ", " ".join(lines)).strip()
    name = next(filter(None, map(name_in, lines)), "") or name_in(text)  # a signature may follow in the next line
    games, addresses, bots = _games_in(text), _ADDRESS.findall(text), _bots_in(text)
    of_games = [it for it in _SENTENCE_END.split(text) if _games_in(it)] if len(games) > 1 else []
    if len(of_games) > 1:
        found = [wish for it in of_games for wish in wishes_in([it], is_near) if wish.command != SET]
        return [*dict.fromkeys(found), *([Wish(SET, name)] if name else [])]
    if apart := _games_apart(text, games):
        found = [_wish_for(game, part) for game, part in apart]
    elif addresses and (games or is_about(text, PLAYING) or is_about(text, INVITING)):
        found = [_wish_for(game, text) for game in games or GAMES]
    else:
        found = [
            Wish(command, " ".join([*_with_bots(game, bots, text)] if command == PLAY else [game, *_pace_in(text)]))
            for command in _commands(text, games, is_near, wish_to_play_in(lines) != "")
            for game in games or GAMES
        ]
    return [*found, *([Wish(SET, name)] if name else [])]


def _games_apart(text: str, games: Sequence[str]) -> list[tuple[str, str]]:
    """Return each of several games with its part of a text such as "A with a friend and B against bots". Return [] if a
    part names no other player or bot."""
    begins = [
        next(it.start() for it in re.finditer(r"[^\W\d_]+", text) if is_game(it[0]) and game_in(it[0]) == game)
        for game in games
    ]
    cuts = [
        max((it.start() for it in _NEXT_CLAUSE.finditer(text, begin, end)), default=end)
        for begin, end in pairwise(begins)
    ]
    parts = [text[begin:end] for begin, end in pairwise([0, *cuts, len(text)])]
    is_apart = len(games) > 1 and all(_ADDRESS.search(it) or is_about(it, BOTS) for it in parts)
    return list(zip(games, parts, strict=True)) if is_apart else []


def wants_all(text: str) -> bool:
    """Return whether a text wishes for each of several games, instead of one of them."""
    games = _games_in(text)
    is_apart = _games_apart(text, games) or sum(_games_in(it) != [] for it in _SENTENCE_END.split(text)) > 1
    return len(games) > 1 and bool(is_apart) and not _OR.search(text)


def _wish_for(game: str, text: str) -> Wish:
    """Return the line that opens a game with the people and bots that a text names."""
    addresses, bots = _ADDRESS.findall(text), _bots_in(text) or int(is_about(text, BOTS))
    if not addresses:
        return Wish(PLAY, " ".join(_with_bots(game, bots, text)))
    more = [f"bots={bots}", *_level_in(text)] if bots else []
    return Wish(NEW, " ".join([game, *dict.fromkeys(addresses), *more, *_pace_in(text)]))


def _with_bots(game: str, bots: int, text: str) -> Iterator[str]:
    """Yield a game, the number of its seats, if several bots were wished for and fit, and the level and pace."""
    yield game
    if bots > 1 and bots + 1 in GAMES[game].SEATS:
        yield str(bots + 1)
    yield from (*_level_in(text), *_pace_in(text))


def _level_in(text: str) -> list[str]:
    """Return the level of the bots that a text names, as commands write it, or []."""
    level, _ = level_in(text)
    return [f"level={level}"] if f"level-{level}" in LEVELS else []


def _bots_in(text: str) -> int:
    """Return the number of bots that a text names, or 0."""
    found = _NUMBER_OF_BOTS.search(text)
    return NUMBERS[found[1].lower()] if found else 0


def _pace_in(text: str) -> list[str]:
    """Return the time per move that a text names, as the command `new` writes it, or []."""
    found = _PACE.search(text)
    number = NUMBERS.get(found[1].lower(), found[1]) if found else 0
    return [f"{number} {'hours' if UNITS[found[2].lower()] == 'H' else 'days'} per move"] if found else []


def wish_in(command: str, rest: str) -> Wish | None:
    """Return the line that opens or finds the game that a command describes. Return None for any other command, and for
    a game with a title or options, which may be any text."""
    if command not in (NEW, PLAY, FIND):
        return None
    try:
        wanted = wanted_in(rest)
    except PlayError:
        return None
    if command == FIND and (wanted.bots != 0 or wanted.level):
        command = PLAY
    bots = f"bots={wanted.bots}" if wanted.bots and command == NEW else ""
    said = filter(None, (wanted.rules, *wanted.emails, bots, wanted.details))
    return None if wanted.head or wanted.options else Wish(command, " ".join(said))


def wish_to_play_in(lines: Sequence[str]) -> str:
    """Return the sentence of an email that says that its writer wants to play a game, against bots if against anybody.
    Return "" if other sentences do more than name the writer, wish for a setting, or ask about something else."""
    own = _own_sentences(lines)
    wanted = list(filter(_wishes_to_play, own))
    return wanted[0] if len(wanted) == 1 and all(it in wanted or _may_stand_beside(it) for it in own) else ""


def lines_picked(offered: Sequence[str], lines: Sequence[str]) -> Sequence[str]:
    """Return those of the offered lines that the only sentence of an email picks, such as "The second one, please". The
    writer's name may follow in the next line."""
    written = [
        line for it in takewhile(lambda line: line.rstrip() != "--", without_footer(lines)) if (line := it.strip())
    ]
    if len(written) > 1 and re.fullmatch(NAMES, written[-1]):
        written.pop()
    own = [it for line in written for it in sentences_in([line]) if not is_courtesy(it)]
    found = _PICKED.fullmatch(own[0].strip(_AROUND)) if len(own) == 1 else None
    if not found:
        return ()
    everything, *places, word = found.groups()
    if everything:
        return offered
    if word:
        of_game = [it for it in offered if is_game(word) and game_in(word) in it.split()]
        return of_game if len(of_game) == 1 else ()
    return [it for it, place in zip(offered, places, strict=False) if place]


def is_understood(lines: Sequence[str]) -> bool:
    """Return whether each sentence of an email wishes for a game or a setting, names the writer, is courteous or asks."""
    return all(_wishes_to_play(it) or _may_stand_beside(it) for it in _own_sentences(lines))


def _own_sentences(lines: Sequence[str]) -> list[str]:
    """Return the sentences above a signature, without those about the number of our emails."""
    above = takewhile(lambda line: line.rstrip() != "--", without_footer(lines))
    own = list(filter(None, sentences_in(without_wishes_for_emails(tuple(above)))))
    if len(own) > 1 and re.fullmatch(NAMES, own[-1]) and not _games_in(own[-1]):
        own.pop()
    return own


def _wishes_to_play(sentence: str) -> bool:
    found = _WISH_TO_PLAY.fullmatch(sentence)
    return found is not None and any(map(is_game, filter(None, found.groups())))


def _may_stand_beside(sentence: str) -> bool:
    """Return whether a sentence leaves a wish for a game beside it as it is."""
    is_aside = is_question(sentence) and not (_games_in(sentence) or is_about(sentence, PEOPLE, INVITING, BOTS))
    is_fine = is_aside or wished_setting(sentence) is not None or _OF_NAME.match(sentence) is not None
    return (
        is_courtesy(sentence)
        or only_names(sentence)
        or introduced_in(sentence) != ""
        or (is_fine and not contradiction_in([sentence], is_light=True))
    )


def only_names(line: str) -> bool:
    """Return whether a line only says the writer's name, such as "My name is Ann"."""
    return name_in(line) != "" and len(line.split()) <= _MOST_NAMING


def _commands(text: str, games: Sequence[str], is_near: bool, is_outright: bool) -> Iterator[str]:
    names_game = games or is_about(text, PLAYING)
    against_bot, with_people = is_about(text, BOTS), is_about(text, PEOPLE)
    is_wanted = is_about(text, WANTING)
    if names_game and is_about(text, THE_GAME, HOW_TO_PLAY, THE_RULES):
        yield RULES
        if not (is_outright or (games and against_bot and is_wanted)):
            return
    is_playing = games and is_about(text, PLAYING)
    is_short = games and not is_near and len(text.split()) <= _SHORT
    if is_short or is_outright or is_playing or (names_game and (is_wanted or against_bot)):
        if against_bot or not with_people:
            yield PLAY
        if with_people or not against_bot:
            yield FIND


def _games_in(text: str) -> list[str]:
    words = (it for it in re.findall(r"[^\W\d_]+", text) if len(it) >= _SHORTEST_GAME)
    return list(dict.fromkeys(game_in(it) for it in words if is_game(it)))


def naming(player: Player) -> str:
    """Return how a player without a name of their own chooses one, a sentence, or ""."""
    if player.named:
        return ""
    line = naming_line(spoken().locale, player.name)
    return str(gettext('The others see you as %(name)s. Reply "%(line)s" to change it.', name=player.name, line=line))


def name_in(text: str) -> str:
    """Return the name by which the writer of a text wants to be called, or ""."""
    found = _CALLED.search(text)
    return _capitalized(found[1]) if found and len(found[1]) <= LONGEST_NAME else ""


def introduced_in(sentence: str) -> str:
    """Return the name in a sentence such as "Hi, I'm Ann.", or ""."""
    found = _INTRODUCED.fullmatch(sentence)
    return found[1] if found and found[1].lower() not in NO_NAMES else ""


def first_name_of(sender: str) -> str:
    """Return the first name in a `From` header, or ""."""
    found = _OWN_NAME.match(sender)
    words = [] if found is None or has_link(found[1]) else found[1].split()
    first = next((it for it in words if not it.endswith(".")), "")  # no title or initial
    return _capitalized(first) if len(first) <= LONGEST_NAME else ""


def _capitalized(name: str) -> str:
    return name[:1].upper() + name[1:]
