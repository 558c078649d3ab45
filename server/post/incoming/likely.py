"""The turn that a faulty line most likely means. It is only suggested to the player, never played."""

import re
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from server.games import IllegalMove, Seat
from server.games.presentation import fitting_moves, known_words, meant_moves, named_moves, write_move
from server.post.incoming.doubt import contradiction_in
from server.post.incoming.lines import LONGEST, Grammar, move_in, words_of_sentence

_MARKS = re.compile(r"[\"“”„«»?!…\[\]]+|\.{2,}|(?<!\w)'|'(?!\w)")
_LIST_NUMBER = re.compile(r"^[0-9]+[.)] (?=[0-9])")
_STEPS = re.compile(
    r"[;,.]\s|;|(?<=[^ ])\s(?:and|then|und|dann|et|puis|e|poi)\s(?:(?:then|dann|puis|poi)\s)?", re.IGNORECASE
)
_OTHER = re.compile(  # words that give a line another meaning
    r"\b(?:or|oder|ou|oppure|next|beside|near|neben|bei|à côté|accanto|no|not|nicht|pas|non|kein\w*)\b", re.IGNORECASE
)
_ALIKE = 0.7
_SHORTEST = 3  # letters of a word that can be corrected
_MOST_LEFT_OUT = 3  # unknown words


def likely_steps(line: str, grammar: Grammar, state: Any, seat: Seat) -> Sequence[Any]:
    """Return the steps, legal or not, that a line most likely means, with its misspelt words corrected and unknown ones left
    out. Return [] if that is unclear."""
    plain = _LIST_NUMBER.sub("", _MARKS.sub(" ", line)).strip()
    if not plain or len(plain) > LONGEST or _OTHER.search(plain) or contradiction_in([plain]):
        return []
    return _steps([plain], grammar, state, seat) or _steps(_STEPS.split(plain), grammar, state, seat)


def _steps(parts: Sequence[str], grammar: Grammar, state: Any, seat: Seat) -> Sequence[Any]:
    steps = list[Any]()
    for part in filter(str.strip, parts):
        legal = _legal_after(steps, grammar, state, seat)
        move = _step(part.strip(), grammar._replace(legal=legal))
        if move is None:
            return []
        steps.append(move)
    return steps


def _legal_after(steps: Sequence[Any], grammar: Grammar, state: Any, seat: Seat) -> Sequence[Any]:
    try:
        return grammar.rules.rules.legal_moves(state, seat, steps) or grammar.legal
    except IllegalMove:
        return grammar.legal


def _step(part: str, grammar: Grammar) -> Any | None:
    rules, locale, legal = grammar.rules.rules, grammar.locale, grammar.legal
    if (written := move_in(part, grammar.rules)) is not None:
        return written
    for text in _readings(words_of_sentence(part, locale), known_words(rules, locale)):
        for find in (meant_moves, named_moves, fitting_moves):
            if found := find(rules, text, locale, legal):
                return found[0] if len(found) == 1 else None
    return None


def _readings(words: Sequence[str], known: Collection[str]) -> Iterator[str]:
    """Yield the words with each unknown one corrected, and without those that resemble no known word."""
    told, left_out = list[str](), 0
    for word in words:
        corrected = [word] if word in known or "#" in word else _corrected(word, known)
        told += corrected
        left_out += not corrected
    if told and left_out <= min(_MOST_LEFT_OUT, len(told)):
        yield " ".join(told)
    if told and len(bare := [it for it in words if it in known]) < len(words) and len(words) - len(bare) <= len(bare):
        yield " ".join(bare)


def _corrected(word: str, known: Collection[str]) -> list[str]:
    """Return the known word that this one resembles, or the two of which it consists. Return [] if it resembles none."""
    if not word.isalpha() or len(word) < _SHORTEST:
        return []
    for end in range(len(word) - 1, 0, -1):
        if len(word) > _SHORTEST and word[:end] in known and word[end:] in known:
            return [word[:end], word[end:]]
    return get_close_matches(word, [it for it in known if len(it) >= _SHORTEST], 1, _ALIKE)


def nearest_line(grammar: Grammar, state: Any, seat: Seat, move: Any) -> str:
    """Return the legal turn that differs least from an illegal move, as a player may write it, or ""."""
    rules, locale, begun = grammar.rules.rules, grammar.locale, list[Any]()
    steps = [rules.read_move(it) for it in rules.write_move(move).split("; ")]
    for nr, step in enumerate(steps):
        try:
            legal = rules.legal_moves(state, seat, begun)
        except IllegalMove:
            return ""
        if step not in legal and (missing := _missing_before(step, grammar, state, seat, begun)):
            begun += [missing, step]
            continue
        if step not in legal:
            words = rules.write_move(step).split()
            near = max(legal, key=lambda it: _shared(words, rules.write_move(it).split()), default=None)
            shared = {*words} & {*rules.write_move(near).split()} if near else ()
            if near is None or (not begun and 2 * len(shared) < len(words)):
                return ""
            begun.append(near)
            rest = steps[nr + 1 :]
            break
        begun.append(step)
    else:
        if len(begun) == len(steps):
            return ""
        rest = []
    for step in rest:
        try:
            if step not in rules.legal_moves(state, seat, begun):
                break
        except IllegalMove:
            break
        begun.append(step)
    return "; ".join(write_move(rules, it, locale) for it in begun)


def left_out(grammar: Grammar, state: Any, seat: Seat, move: Any) -> tuple[str, str] | None:
    """Return a step of an illegal move and the step that is missing before it, as a player may write them, or None."""
    rules, begun = grammar.rules.rules, list[Any]()
    for step in map(rules.read_move, rules.write_move(move).split("; ")):
        try:
            if step in rules.legal_moves(state, seat, begun):
                begun.append(step)
                continue
        except IllegalMove:
            return None
        missing = _missing_before(step, grammar, state, seat, begun)
        return missing and tuple(write_move(rules, it, grammar.locale) for it in (step, missing))
    return None


def _missing_before(step: Any, grammar: Grammar, state: Any, seat: Seat, begun: Sequence[Any]) -> Any:
    """Return the step that leads from a begun turn to this step of it, or None. Of several, it is the one in fewest words,
    such as the end of a part of the turn."""
    rules = grammar.rules.rules

    def leads_on(between: Any) -> bool:
        try:
            return step in rules.legal_moves(state, seat, [*begun, between])
        except IllegalMove:
            return False

    found = list(filter(leads_on, rules.legal_moves(state, seat, begun))) if begun else []
    lengths = [len(rules.write_move(it).split()) for it in found]
    return found[lengths.index(min(lengths))] if lengths.count(min(lengths, default=0)) == 1 else None


def _shared(words: Sequence[str], others: Sequence[str]) -> int:
    """Return how many words of two steps are equal. The words for places count double."""
    return sum(1 + (len(it) > 1) for it in set(words) & set(others))
