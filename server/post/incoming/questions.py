"""Questions about the game in a reply, in four languages, and what we answer to them."""

import re
from collections.abc import Iterator

from flask_babel import gettext

from server.games import Seat
from server.games.presentation import legend, score_unit
from server.play.game import Game
from server.play.turns.hints import has_hints
from server.play.views import turn_of, view_of
from server.post.desk.acting import HOW_LONG, OF_SCORING
from server.post.desk.commands import BY_NAME, RULES
from server.post.desk.wishes import ASKS_RULES, NAMES_RULES
from server.post.incoming.commands import HINT, PAUSE, RESIGN, STAND_IN, UNDO, VACATION, word_for
from server.post.terms import terms_of
from server.post.wording import spoken, with_you

_SCORES = re.compile(
    r"\b(?:scores?|points?|coins?|standings?|(?:who|who['’]s|who is) (?:is )?(?:winning|leading|ahead|first|last)"
    r"|punkte?n?|punktestand|münzen?|wie steht['’s]*|wer (?:führt|gewinnt|liegt|ist vorn\w*)"
    r"|pièces|qui (?:mène|gagne|est (?:en tête|premier))|punt[io]|punteggio|monete|chi (?:vince|sta vincendo|è (?:in testa|primo)))\b",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"\b(?:(?:whose|my|your|who['’]s) turn|who(?:['’]s| is)? (?:on|next|to (?:move|play))|(?:who|what) are we waiting for|waiting for (?:me|whom?)"
    r"|(?:wer|bin ich|bist du|ist \w{1,20}) (?:ist |jetzt |schon |gerade ){0,3}(?:dran|am zug|an der reihe)|auf wen warten wir"
    r"|à qui (?:le tour|est-ce|c['’]est|de jouer)|(?:est-ce|c['’]est) (?:à moi|mon tour)|qui joue|a chi tocca|tocca a (?:me|chi)"
    r"|di chi è il turno|è il mio turno|chi (?:gioca|deve giocare))\b",
    re.IGNORECASE,
)
_TAKE_BACK = re.compile(
    r"\b(?:take (?:\w+ ){0,3}back|undo|zurück ?(?:zu ?)?nehmen|rückgängig|(?:annuler|reprendre|retirer) (?:\w+ )?(?:coup|ça)"
    r"|(?:annullare|ritirare|riprendere) (?:\w+ )?(?:mossa|quella|questa)|tornare indietro)\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:best moves?|good moves?|(?:what|where|how) (?:should|shall|would|do|can) (?:i|you|we) (?:\w+ )?(?:do|play|move|put|start)|hints?"
    r"|beste[nr]? (?:\w+ )?z[uü]ge?n?|guter zug|was (?:soll|sollte|kann|würdest|mache|muss) (?:ich|du)|tipps?|meilleurs? coups?"
    r"|que (?:dois|devrais|faire|puis)|conseils?|moss[ae] miglior[ei]|miglior[ei] moss[ae]|(?:cosa|che cosa|che) (?:devo|dovrei|posso|faccio)"
    r"|suggeriment[oi]|consigli[o]?)\b",
    re.IGNORECASE,
)
_MEANING = re.compile(
    r"\b(?:(?:what|which) (?:do|does|is|are|was|mean)|mean(?:s|ing)?|was (?:bedeute[nt]|heißt|heisst|ist|sind|soll|macht|machen|tut|bewirkt)|bedeutet|wofür steht"
    r"|signifien?t?|que fait|que font|(?:che )?cosa fa(?:nno)?|veu(?:t|lent) dire|qu['’]est-ce|c['’]est quoi|significa(?:no)?|vuol dire|(?:che )?cos['’]?[èe])(?!\w)"
    r".{0,60}?(?:\b[BD]\b|#|\b(?:stars?|holes?|cards?|numbers?|letters?|\w{0,20}sterne?|\w{0,20}loch|\w{0,20}karten?|zahl|buchstabe|étoiles?|trous?|cartes?|lettre"
    r"|stell[ae]|buc[oh]\w?|cart[ae]|lettera)\b)",
    re.IGNORECASE,
)

_MENTIONED = {
    PAUSE: re.compile(
        r"\b(?:pause[nrd]?|pausier\w*|unterbrech\w*|interromp\w*|sospend\w*|mett(?:re|ere) en pause|in pausa)\b",
        re.IGNORECASE,
    ),
    VACATION: re.compile(
        r"\b(?:away|out of town|holidays?|vacation|travel(?:l?ing)?|urlaub|ferien|verreis\w*|unterwegs|vacances|en voyage|vacanz[ae]|ferie"
        r"|in viaggio)\b",
        re.IGNORECASE,
    ),
    STAND_IN: re.compile(
        r"\b(?:stand[ -]?in|substitute|replace me|plays? for me|vertret\w*|vertritt|remplac\w*|sostitui\w*)\b",
        re.IGNORECASE,
    ),
    RESIGN: re.compile(
        r"\b(?:resign|give up|quit|stop playing|leave the (?:game|table)|aufgeben|aufhören|abandonn\w*|arrêter|arrend\w*|abbandon\w*"
        r"|smettere)\b",
        re.IGNORECASE,
    ),
    UNDO: _TAKE_BACK,
}


def mentioned_in(sentence: str) -> list[str]:
    """Return the commands that a sentence may be about."""
    return [command for command, words in _MENTIONED.items() if words.search(sentence)]


def is_question(line: str) -> bool:
    return line.rstrip().endswith(("?", "？", "؟"))


def is_at_a_loss(question: str) -> bool:
    """Return whether a question asks what to do."""
    return _ADVICE.search(question) is not None


def wants_advice(question: str, game: Game, seat: Seat) -> bool:
    """Return whether a question asks what to do, in a game and at a time at which the seat can get hints."""
    return is_at_a_loss(question) and has_hints(game, seat) and turn_of(game.table, seat) is not None


def answers(question: str, game: Game, seat: Seat) -> Iterator[str]:
    """Yield a sentence for each topic of a question that we can answer. `wants_advice` is answered by a hint."""
    locale, is_running = spoken().locale, game.table.status == "running"
    if _TURN.search(question) and is_running:
        is_own = turn_of(game.table, seat) is not None
        yield gettext("We're waiting for your move.") if is_own else waiting_for(game)
    if _SCORES.search(question) and is_running:
        yield from _scores(game, seat)
    if _TAKE_BACK.search(question) and game.table.turns:
        yield gettext(
            'To take back your last move, reply "%(undo)s". If others have moved since then, we ask them first.',
            undo=word_for(UNDO, locale),
        )
    if is_at_a_loss(question) and not wants_advice(question, game, seat):
        if has_hints(game, seat):
            yield gettext('When it\'s your turn, reply "%(hint)s" for the best moves.', hint=word_for(HINT, locale))
        else:
            yield gettext("We give hints only if all other players are bots.")
    if HOW_LONG.search(question) and is_running:
        yield from terms_of(game)
    is_of_words = _MEANING.search(question)
    if is_of_words and (told := legend(game.table.rules.NAME, locale)):
        yield told
    if is_of_words or ASKS_RULES.search(question) or NAMES_RULES.search(question) or OF_SCORING.search(question):
        yield gettext('Reply "%(rules)s" for the rules of the game.', rules=BY_NAME[RULES].word(locale))


def waiting_for(game: Game) -> str:
    """Return whose turn it is, for a player whose turn it isn't."""
    names = [name for name, turn in zip(game.names, game.table.turns, strict=True) if turn is not None]
    return str(gettext("It isn't your turn. We're waiting for %(names)s.", names=spoken().listed(names)))


def _scores(game: Game, seat: Seat) -> Iterator[str]:
    """Yield the sentence about the scores of a running game, if it has any."""
    if unit := score_unit(game.table.rules.NAME):
        names = with_you(game.names, seat)
        names[seat] = names[seat].lower()
        scores = zip(names, view_of(game, seat)[unit], strict=True)
        told = gettext(
            "The scores so far: %(scores)s.", scores=", ".join(f"{name} ({score})" for name, score in scores)
        )
        yield str(told)
