"""Questions about the game in a reply, and lines that are unclear: what we answer to them."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from flask_babel import gettext, ngettext

from server.accounts.calendars import stored_zone
from server.accounts.players import profile
from server.accounts.rate_limits import most_of
from server.bots import LEVELS
from server.clock import clock
from server.games import Json, RuleError, Seat, SeededDice
from server.games.presentation import (
    example,
    fault,
    fitting_moves,
    in_words,
    known_words,
    later_moves,
    legend,
    meant_moves,
    notation,
    score_unit,
    usual_turns,
    write_move,
)
from server.play.commits import load, people_of, whole_log
from server.play.game import Game
from server.play.table import OVER, last_change_of_hands
from server.play.turns.first_answers import present_turn
from server.play.turns.going_back import last_move, move_after
from server.play.turns.hints import has_hints
from server.play.views import turn_of, view_of
from server.play.votes import TAKE_BACK, requests_to
from server.post import topics
from server.post.desk.account import today_of
from server.post.desk.commands import BY_NAME, HELP, NEW, PLAY, REMATCH, RULES, SET
from server.post.desk.days import period_in_sentence
from server.post.desk.reading import OF_MISTAKES
from server.post.desk.rule_texts import Section, rules_in_short, section_about, section_called
from server.post.desk.setting_lines import line_for_setting, setting_command
from server.post.desk.setting_wishes import wished_setting
from server.post.desk.wishes import name_in, wishes_in
from server.post.general_answers import answers_about_desk, general_answer, number_of_game_in
from server.post.incoming import invitations
from server.post.incoming.acting import Doing, do, waiting_for
from server.post.incoming.commands import (
    AGREE,
    HINT,
    PAUSE,
    PLAN,
    RESIGN,
    RESUME,
    SAY,
    STAND_IN,
    UNDO,
    VACATION,
    meaning,
    word_for,
)
from server.post.incoming.doubt import (
    begins_as_question,
    contradiction_in,
    is_question,
    is_told_to_others,
    sentences_in,
)
from server.post.incoming.likely import likely_steps
from server.post.incoming.lines import (
    FULL_LINE,
    PASSING,
    Grammar,
    Spoken,
    Wishes,
    has_long_word_of,
    move_in,
    moves_in_sentence,
    near_command,
    passes,
    resembles,
    strange_word_in,
    words_of_sentence,
)
from server.post.nearest_topics import SURE, nearest_topic
from server.post.table_help import (
    example_at_table,
    help_for,
    help_for_now,
    looking_back,
    playing_again,
    turns_before,
)
from server.post.terms import STOPPING_AT_TABLE, terms_if_late, terms_of
from server.post.topics import is_about
from server.post.wording import moment, spoken, with_you
from server.render.text_layout import punctuated
from server.sanitize import clean
from server.store import inbox
from server.store.tables import Incoming
from server.translations import LOCALES, noted

_SPACE = re.compile(r"[a-z]\d{0,3}")
_BESIDE_TABLES = (
    *(topics.MAILS, topics.NIGHTS, topics.LEAVING, topics.COST, topics.BOT_IN_SEAT, topics.APP, topics.MY_GAMES),
    topics.PICTURES,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_PLANS = re.compile(r"\b(?:plans?|pläne|pian[oi])\b", re.IGNORECASE)
_NO_PASSING = noted('You can\'t pass now. Send one of your moves, or "%(resign)s" to give up your seat.')
_NONE_REFUSED = noted("We haven't refused any of your emails in this turn.")
_TO_PLAN = noted('To plan a move for your next turn, reply for example "%(line)s".')
_COMMANDS = PAUSE, VACATION, STAND_IN, RESIGN, UNDO  # also topics


def _mentioned_in(sentence: str) -> list[str]:
    """Return the commands that a sentence may be about."""
    return [command for command in _COMMANDS if is_about(sentence, command)]


def _wants_advice(about: Callable[..., bool], game: Game, seat: Seat) -> bool:
    """Return whether a question asks what to do, in a game and at a time at which the seat can get hints."""
    return _asks_advice(about) and has_hints(game, seat) and turn_of(game.table, seat) is not None


def _asks_advice(about: Callable[..., bool]) -> bool:
    return about(topics.ADVICE) and not about(topics.HOW_TO_PLAY, topics.WRITING, topics.MOVES)


def _answers(question: str, about: Callable[..., bool], doing: Doing) -> Iterator[str]:
    """Yield a sentence for each topic of a question that we can answer. `about` tells whether it is about one of some
    topics. `_wants_advice` is answered by a hint."""
    game, seat, locale = doing.game, doing.mail.seat, spoken().locale
    is_running = game.table.status == "running"
    is_own, is_of_time = turn_of(game.table, seat) is not None, about(topics.DUE)
    if is_running and (is_of_time or about(topics.TURN)):
        due_at = game.seats[seat].due_at if is_own and is_of_time else None
        due = moment(due_at, stored_zone(profile(doing.player_id)["zone"])) if due_at else ""
        yield (
            gettext("Please move by %(due)s.", due=due)
            if due
            else gettext("We're waiting for your move.")
            if is_own
            else waiting_for(game)
        )
    if about(topics.LAST_MOVE) and game.table.turns:
        to, rules = last_move(game, seat, clock.now()), game.table.rules
        yield (
            gettext("You haven't moved yet in this game.")
            if to is None
            else gettext("Your last move: %(move)s", move=in_words(rules, move_after(game, to), locale))
        )
    refusal = newest_refusal(doing.mail) if about(topics.REFUSED) or OF_MISTAKES.search(question) else ""
    if refusal or about(topics.REFUSED):
        yield refusal or gettext(_NONE_REFUSED)
    if about(topics.SECRETS):
        yield from _secrets(question, game)
    if about(topics.STOPPING) and not about(topics.MAILS):
        yield gettext(STOPPING_AT_TABLE)
    if about(topics.JOINING) and game.table.turns:
        yield gettext(
            'This game has begun, so no one else can join. To play with a friend, reply for example "%(line)s".',
            line=f"{BY_NAME[NEW].word(locale)} {game.head.rules} bob@example.org",
        )
    if about(topics.LATE):
        yield from terms_if_late(game, seat)
    if about(topics.ENDING) and (section := _section("end", game)):
        yield from _told(section)
    if about(topics.WHO_PLAYS):
        others = [it.player_id and game.names[it.seat] or game.introduced(it) for it in game.seats if it.seat != seat]
        yield gettext("You're playing with %(names)s.", names=spoken().listed(others))
    if about(topics.HISTORY) and game.table.turns:
        yield looking_back(game, doing.player_id)
    if about(topics.TALKING):
        yield gettext('To write to everyone at the table, begin the line with "%(say)s".', say=word_for(SAY, locale))
    if about(PLAN) and (move := example_at_table(game, seat)):
        yield gettext(_TO_PLAN, line=f"{word_for(PLAN, locale)} {move}")
    if about(topics.PASSING) and is_own:
        yield _on_passing(doing)
    if about(topics.SCORES) and not about(topics.SCORING) and is_running:
        yield from _scores(game, seat)
    if about(UNDO) and game.table.turns:
        doing.offers.append(UNDO)
        yield gettext(
            'To take back your last move, reply "%(undo)s". If others have moved since then, we ask them first.',
            undo=word_for(UNDO, locale),
        )
    if _asks_advice(about) and not _wants_advice(about, game, seat):
        if has_hints(game, seat):
            yield gettext('When it\'s your turn, reply "%(hint)s" for the best moves.', hint=word_for(HINT, locale))
        else:
            yield gettext("We give hints only if all other players are bots.")
    settings = _about_settings(question, doing)
    yield from settings
    beside = [it for it in _BESIDE_TABLES if not (settings and it in (topics.MAILS, topics.NIGHTS))]
    if game.table.turns and about(topics.BOT_IN_SEAT) and not number_of_game_in(question):
        beside.remove(topics.BOT_IN_SEAT)
        yield gettext("All seats of this game are taken.")
    yield from answers_about_desk(question, *beside)
    if about(topics.HOW_LONG, topics.LEFT) and is_running and not is_of_time:
        yield from _turns_left(game, seat) if about(topics.LEFT) else terms_of(game)
    if about(topics.WRITING):
        yield gettext("How to write a move: %(notation)s", notation=notation(game.table.rules.NAME, locale))
    is_of_words = about(topics.MEANING)
    is_of_term = about(topics.A_TERM) and not about(topics.WRITING)
    if is_of_term and (section := section_about(question, game.head.rules, locale, len(game.seats), game.head.options)):
        is_of_words = True
        yield from _told(section)
    elif is_of_words and (told := legend(game.table.rules.NAME, locale)):
        yield told
    if about(topics.HOW_TO_PLAY):
        yield from rules_in_short(game.head.rules, locale, len(game.seats), game.head.options)
    if is_of_words or about(topics.THE_GAME, topics.HOW_TO_PLAY, topics.THE_RULES, topics.SCORING):
        doing.offers.append(RULES)
        yield gettext('Reply "%(rules)s" for the rules of the game.', rules=BY_NAME[RULES].word(locale))


def _about_settings(text: str, doing: Doing) -> list[str]:
    """Return the line that does what a sentence wishes for, in a list, or []. `_offers_lines` offers vacations."""
    name, value = wished_setting(text) or ("", "")
    if not value or name == VACATION:
        return []
    doing.offers.append(setting_command(name, value))
    return [gettext('To do this, reply "%(line)s".', line=line_for_setting(name, value))]


def _on_passing(doing: Doing) -> str:
    """Return whether the player whose turn it is can pass, a sentence."""
    game, locale = doing.game, spoken().locale
    legal = game.table.rules.legal_moves(game.table.state, doing.mail.seat)
    passing = meant_moves(game.table.rules, PASSING, locale, legal)
    if not passing:
        return str(gettext(_NO_PASSING, resign=word_for(RESIGN, locale)))
    return str(gettext('To do this, reply "%(line)s".', line=write_move(game.table.rules, passing[0], locale)))


def _told(section: Section) -> list[str]:
    title = section.title if section.title.endswith("?") else punctuated(f"{section.title}:", spoken().locale)
    return [title, *(line.removeprefix("- ") for line in section.lines)]


def _turns_left(game: Game, seat: Seat) -> Iterator[str]:
    """Yield about how many turns a seat has left, by the game's own estimate."""
    usual = usual_turns(game.head.rules, len(game.seats))
    if usual and (left := usual - turns_before(game, seat, game.version + 1)) > 0:
        yield str(ngettext("You have about %(num)s more turn.", "You have about %(num)s more turns.", left))


def _secrets(question: str, game: Game) -> list[str]:
    """Return what the other players can't see: plans, or what the rules say about all that is hidden."""
    if _PLANS.search(question):
        return [gettext("No other player can see your plans.")]
    section = _section("secrets", game)
    return _told(section) if section else []


def _section(id_: str, game: Game) -> Section | None:
    return section_called(id_, game.head.rules, spoken().locale, len(game.seats), game.head.options)


def newest_refusal(mail: Incoming) -> str:
    """Return what our newest reply to this turn that refused something said, or "". Replies to a previous player stay
    secret. Replies before the player's last move, and those about that move, are settled."""
    game, since = load(mail.game_id), last_change_of_hands(whole_log(mail.game_id), mail.seat)
    rules, played = Spoken(game.table.rules, spoken().locale), None
    if game.table.turns and (to := last_move(game, mail.seat, clock.now())) is not None:
        since, played = max(since, to + 1), move_after(game, to)

    def is_open(answer: Json) -> bool:
        move = move_in(answer["line"], rules)
        return answer["version"] >= since and (move is None or rules.write_move(move) != played)

    told = inbox.answers(mail.game_id, mail.seat, mail.turn, most_of("answers").most)
    if (refused := next((it for it in told if it["wrong"] and is_open(it)), None)) is None:
        return ""
    line = refused["line"]
    return f"{_quote(line)} – {refused['wrong']}" if line else refused["wrong"]


def _quote(line: str) -> str:
    """Return a line in quotation marks, shortened for a sentence."""
    told = clean(line, _MOST_QUOTED)
    is_whole = told == clean(line, _MOST_QUOTED + 1)
    return str(gettext("“%(line)s”", line=told if is_whole else f"{told.rpartition(' ')[0] or told} …"))


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


# Unclear replies


_MOST_SUGGESTED = 20  # words of a line in which we look for a move
_MOST_SIMILAR = 4
_SHORTEST_NAME = 3  # characters
_ALIKE = 0.75
_ALIKE_IF_SHORT = 0.65  # two of three letters
_MOST_POSSIBLE = 8  # words in the place of an unknown one
_MOST_SAID = 200  # characters of prose that an answer repeats
_MOST_QUOTED = 60  # characters of a line in a sentence
_MOST_NAMED = 4  # moves or lines in a sentence
_REMATCH = re.compile(
    r"\b(?:rematch|revanche|rivincita|play (?:it )?again|another (?:game|round)|(?:noch(?: ?mal|(?: einmal)?)|wieder) spielen"
    r"|noch eine (?:partie|runde)|rejouer|encore une partie|giocare (?:ancora|di nuovo)|un['’]altra partita)\b",
    re.IGNORECASE,
)
_WEAKER = re.compile(
    r"\b(?:easier|weaker|simpler|leichter\w*|einfacher\w*|schwächer\w*|plus (?:faciles?|faibles?|simples?)|moins forts?"
    r"|più (?:facil|debol|semplic)[ei]|meno fort[ei])\b",
    re.IGNORECASE,
)
_STRONGER = re.compile(
    r"\b(?:harder|stronger|tougher|better bots?|stärker\w*|schwerer\w*|schwieriger\w*|plus (?:forts?|difficiles?)|più (?:fort|difficil)[ei])\b",
    re.IGNORECASE,
)
_USUAL_LEVEL = 2  # about which bots without a level play
_YES = re.compile(r"(?:yes|ja|oui|s[iì])\b[^?]{0,20}", re.IGNORECASE)
_PROBLEMS = {
    "asks-to-stop": STOPPING_AT_TABLE,
    "unreadable": noted(
        "We couldn't understand your email, so nothing was done. Send only your move to this address, as plain "
        "text. Or play with the link in your turn email."
    ),
    "too-long": noted("Your email is too long, so nothing was done. Send only your own lines, without quoted emails."),
    "nothing-said": noted("We found no reply above our email. Write yours there, with an empty line below it."),
    "not-understood": noted(
        "This isn't quite the right format, so nothing was done. The lines below are examples of what you can write."
    ),
    "two-moves": noted(
        "Your email contains more than one move, so none was played. An email plays one turn. Send only the move "
        "you want."
    ),
    "contradiction": noted(
        "Your email asks for two things that don't go together, so nothing was done. Send only one of them."
    ),
    "amid-our-letter": noted(
        "This line is inside a copy of our email, so nothing was done. Write above the copy, with an empty line "
        "between."
    ),
    "parts-differ": noted(
        "Your email program sent your text twice, as plain text and as HTML, but the two differ. Nothing was done. "
        "Send only your own lines, preferably as plain text. Or play with the link in your turn email."
    ),
    "in-a-sentence": noted(
        "This line is right next to a command, and the two could be one sentence. Nothing was done. Leave an empty "
        "line between them. If your email program adds this line, play with the link in your turn email."
    ),
    "spoken-against": noted(
        "This contradicts or questions the line beside it, so nothing was done. If you want to play your move, send it "
        "again without this text. If your email program or company adds the text, play with the link in your turn "
        "email."
    ),
    "perhaps-quoted": noted(
        "This looks like quoted text or repeats one of your earlier emails, so we ignored it. If you meant to send it, "
        "put it at the top of a new email to this address. You can also play with the link in your turn email."
    ),
    "only-our-letter": noted(
        "Your email contains only lines from our email, so nothing was done. If one of them is your reply, write it "
        "at the top and delete our email below it. Put all steps of a turn on one line, with ; between them."
    ),
}


_AGREEING = {  # the line that agrees to a request, and its meaning
    TAKE_BACK: (AGREE, noted('"%(line)s" to the undo')),
    "pause": (PAUSE, noted('"%(line)s" to the pause')),
    "resume": (RESUME, noted('"%(line)s" to resume the game')),
}


def newest_answer(mail: Incoming) -> Json:
    """Return our newest reply to this turn, or {}."""
    return next(iter(inbox.answers(mail.game_id, mail.seat, mail.turn, 1)), {})


def line_to_confirm(mail: Incoming) -> str:
    """Return the line that confirms what our replies to this turn ask about. Return "" if no email waits for it."""
    waiting = {it.answer.get("confirm") for it in inbox.awaiting_confirmation(mail.game_id, mail.seat) if it.answer}
    told = inbox.answers(mail.game_id, mail.seat, mail.turn, most_of("answers").most) if waiting else []
    return next((it["confirm"] for it in told if it.get("confirm") in waiting), "")


def legal_moves(mail: Incoming, game: Game, with_later: bool = False) -> Sequence[Any]:
    """Return the legal moves of the turn that an email answers, if the game completes lines by them. `with_later`: also
    the steps that can follow in this turn."""
    rules = game.table.rules
    is_turn = bool(game.table.turns) and present_turn(game, mail.seat, mail.turn) is not None
    if not (is_turn and hasattr(rules, "meant_moves")):
        return []
    later = later_moves(rules, game.table.state, mail.seat) if with_later else []
    return [*rules.legal_moves(game.table.state, mail.seat), *later]


def _about_yes(doing: Doing) -> str:
    """Return which line confirms what our replies ask about, for a player who replies only "yes", or "" if nothing is
    open. Anyone who knows the reply address can forge that, unless the sender's domain vouches for the email."""
    confirm = line_to_confirm(doing.mail)
    asked = [it for it in requests_to(doing.game, doing.mail.seat) if it in _AGREEING]
    if confirm and not asked:
        return str(gettext('To confirm it, reply with this line: "%(line)s"', line=confirm))
    if confirm or len(asked) > 1:
        lines = [
            gettext(told, line=word_for(command, spoken().locale)) for command, told in (_AGREEING[it] for it in asked)
        ]
        lines += [gettext('"%(line)s" to your own request', line=confirm)] if confirm else []
        return str(
            gettext("Several requests are open. To agree, reply with one of these: %(lines)s.", lines="; ".join(lines))
        )
    return ""


def explain(doing: Doing, wishes: Wishes) -> None:
    """Fill in the answer to an email that has a problem."""
    answer, left, line, written = doing.answer, _left_undone(wishes), wishes.line, [wishes.line, *wishes.others]
    if wishes.problem == "not-understood":
        asks = any(map(is_question, sentences_in(written))) or (
            wishes.is_prose and (begins_as_question(line) or is_about(line, topics.SEEING, topics.HOW_TO_PLAY))
        )
        if asks and _answers_question(doing, wishes):
            answer["done"] += left
            _add_unplayed(doing, written)
            return
        text = " ".join(written)
        told = (wishes.is_prose and _about_settings(text, doing)) or answers_about_desk(text, *_BESIDE_TABLES)
        if told:
            answer |= {"done": [*told, *left], **_quoted(written)}
            _add_unplayed(doing, written)
            return
        if doing.game.table.status in OVER:
            writing = gettext(
                'To write to the others, begin the line with "%(say)s".', say=word_for(SAY, spoken().locale)
            )
            again = playing_again(doing.game, doing.player_id)
            over = " ".join((gettext("The game is over."), again, writing))
            if line_at_level := _rematch_at_other_level(doing, text):
                answer |= {"done": [line_at_level, *left], "line": line}
                return
            doing.offers.append(REMATCH)
            alone = gettext(
                'To start a new game against bots, reply "%(play)s".',
                play=f"{BY_NAME[PLAY].word(spoken().locale)} {doing.game.head.rules}",
            )
            has_others = len(people_of(doing.game)) > 1
            answer |= {"done": [over, *([alone] if has_others else []), *left], "line": line}
            return
        if (wishes.is_prose or _mentioned_in(line)) and _offers_lines(doing, written):
            answer["done"] += left
            answer |= _quoted(written)
            _add_unplayed(doing, written)
            return
    agreed = _YES.fullmatch(line) or invitations.FINE.fullmatch(line)
    answer |= {"line": line, "how": help_for_now(doing.game, doing.mail.seat, line)}
    wrong = _about_yes(doing) if agreed else _unclear(doing, wishes)
    is_remark = wishes.is_prose and wishes.problem == "not-understood" and not re.search(r"\d", line)
    if not wrong and (agreed or is_remark):
        nothing_open = gettext("There's nothing to agree to or to confirm at the moment.")
        answer["done"] += [nothing_open if agreed else _about_remark(), *left]
    else:
        answer["wrong"] = " ".join([wrong or _problem(doing.game, wishes.problem or ""), *left])


def _rematch_at_other_level(doing: Doing, text: str) -> str:
    """Return how to play again against bots alone that are one level weaker or stronger, if a text asks for that, or ""."""
    game, step = doing.game, 1 if _STRONGER.search(text) else -1 if _WEAKER.search(text) else 0
    bots = [bot for row in game.seats if row.seat != doing.mail.seat and (bot := game.bot_at(row.seat))]
    if not (step and _REMATCH.search(text) and bots and len(people_of(game)) == 1):
        return ""
    level = step + (int(bots[0].removeprefix("level-")) if bots[0] in LEVELS else _USUAL_LEVEL)
    if f"level-{level}" not in LEVELS:
        return ""
    which = f"{game.head.rules} {len(game.seats)} level={level}"
    doing.offers.append(f"{PLAY} {which}")
    line = f"{BY_NAME[PLAY].word(spoken().locale)} {which}"
    return str(gettext('To play again against bots of level %(level)s, reply "%(line)s".', level=level, line=line))


def _add_unplayed(doing: Doing, written: Sequence[str]) -> None:
    """Add to the answer which of these lines seems to name a move, that it wasn't played, and what is unclear in it."""
    answer, own = doing.answer, _statements_in(written)
    grammar = Grammar(Spoken(doing.game.table.rules, spoken().locale), legal_moves(doing.mail, doing.game))
    line, why = next((it for it in own if _seems_move(it, grammar)), ""), ""
    if line:
        why = _unclear(doing, Wishes(problem="not-understood", line=line))
    elif grammar.legal:
        line = next((it for it in own if has_long_word_of(it, grammar)), "")
        why = _fault_of(line, view_of(doing.game, doing.mail.seat), grammar)
    if line:
        told = " ".join(filter(None, (gettext("No move was played."), why)))
        # "Is that allowed?" is about this line
        answer["done"] = [f"{_quote(line)} – {told}", *(it for it in answer["done"] if it != gettext(_NONE_REFUSED))]
        answer["line"] = clean(" ".join(written), _MOST_SAID)
        answer["how"] = answer["how"] or help_for_now(doing.game, doing.mail.seat, line)


def _seems_move(sentence: str, grammar: Grammar) -> bool:
    if nearest_move_in(sentence, grammar) or strange_word_in(sentence, grammar):
        return True
    is_like_move = resembles(sentence, grammar) and has_long_word_of(sentence, grammar)
    return is_like_move or bool(fitting_moves_in(sentence, grammar))


def _statements_in(lines: Iterable[str]) -> list[str]:
    """Return the sentences of these lines, without questions. A mail program may have wrapped a full line."""
    joined, last = list[str](), ""
    for line in lines:
        if len(last) >= FULL_LINE:
            joined[-1] += f" {line}"
        else:
            joined.append(line)
        last = line
    sentences = (it for line in joined for it in _SENTENCE_END.split(line))
    return [it for it in sentences if not (is_question(it) or begins_as_question(it))]


def _offers_lines(doing: Doing, written: Sequence[str]) -> bool:
    """Add the lines that do what these sentences wish for to the answer. Return False if there are none. A `yes` to a
    resignation or a stand-in does nothing."""
    text = " ".join(written)
    invited = [it for it in wishes_in(written, False) if it.command == SET or "@" in it.rest]
    mentioned = [] if invited else _mentioned_in(text)
    days = period_in_sentence(text, today_of(doing.player_id), spoken().locale)
    lines = [it.offer().told for it in invited] or help_for(doing.game, mentioned, *filter(None, [days]))
    if lines:
        told = ngettext(
            "To do this, reply with the line below.", "To do this, reply with one of the lines below.", len(lines)
        )
        doing.answer["done"].append(told)
        doing.answer["how"] = lines
        if invited or set(mentioned) <= {PAUSE, UNDO}:
            doing.offers += [it.asked for it in invited] or mentioned
    return lines != []


def _problem(game: Game, problem: str) -> str:
    """Return what is wrong with an email. The last sentence about some problems names the email about a turn, which
    is of no use when the game isn't running."""
    told = str(gettext(_PROBLEMS[problem]))
    has_link = problem in ("unreadable", "parts-differ", "in-a-sentence", "spoken-against", "perhaps-quoted")
    return told if game.table.status == "running" or not has_link else f"{told.rpartition('. ')[0]}."


def _left_undone(wishes: Wishes) -> list[str]:
    """Return a sentence about the lines that weren't understood either, and one about those that were understood, but
    left undone because another line was not."""
    unread = spoken().listed(list(map(_quote, wishes.unread[:_MOST_NAMED])))
    also = [str(gettext("We don't understand %(lines)s either.", lines=unread))] if wishes.unread else []
    if not wishes.fine:
        return also
    quoted = list(map(_quote, wishes.fine[:_MOST_NAMED]))
    told = gettext(
        "We understood %(lines)s, but did nothing because of the line above. Send everything again with that line "
        "corrected or left out.",
        lines=spoken().listed(quoted),
    )
    return [str(told), *also]


class _Found(NamedTuple):
    """What we know about a question."""

    told: Sequence[str] = ()
    lines: Sequence[str] = ()  # with which the player can reply
    is_advised: bool = False  # whether a hint answers it
    is_shown: bool = False  # whether the table answers it
    lists_moves: bool = False
    does: bool = False  # whether the lines do what the player asks about


def _answer_to(question: str, doing: Doing, nearest: str = "") -> _Found | None:
    """Return the answer to a question by its words, or by the topic of the questions that `nearest` or else it resembles
    most. If they differ, much similarity outweighs words, except terms of the game. Return None if we know no answer."""
    game, seat = doing.game, doing.mail.seat

    def found(about: Callable[..., bool]) -> _Found | None:
        told, is_advised = list(_answers(question, about, doing)), _wants_advice(about, game, seat)
        is_shown = about(topics.SEEING, topics.MOVES)
        lines = help_for_now(game, seat) if about(topics.ADVICE, topics.HOW_TO_PLAY, topics.WRITING) else []
        is_any = told or is_advised or is_shown
        return _Found(told, [] if is_advised else lines, is_advised, is_shown, about(topics.MOVES)) if is_any else None

    def found_by_topic() -> _Found | None:
        if not topic or (by_topic := found(lambda *among: topic in among)):
            return by_topic if topic else None
        answer = general_answer(topic, question, (game.head.rules,), is_at_table=True)
        told = [*answer.told, *answer.items]
        return _Found(told, answer.lines, does=bool(answer.lines)) if told or answer.lines else None

    rules, locale, options = game.table.rules, spoken().locale, game.head.options
    is_move = _seems_move(question.rstrip(" ?"), Grammar(Spoken(rules, locale), legal_moves(doing.mail, game)))
    surely = "" if is_move else nearest_topic(nearest or question, SURE)
    topic = surely or ("" if is_move else nearest_topic(nearest or question))
    is_term = is_about(question, topics.A_TERM) and section_about(
        question, rules.NAME, locale, len(game.seats), options
    )
    if is_term or not surely or is_about(question, surely):
        return found(partial(is_about, question)) or found_by_topic()
    return found_by_topic() or found(partial(is_about, question))


def _answers_question(doing: Doing, wishes: Wishes) -> bool:
    """Answer the questions of an email. To a question without a known answer that is the whole email, answer whose turn
    it is and which commands may help. Return False if the question stands beside something that comes near a command, if
    it has no question mark, or if the game is over."""
    game, seat, written = doing.game, doing.mail.seat, [wishes.line, *wishes.others]
    text = " ".join(written)
    asked = [it for it in sentences_in(written) if is_question(it)]
    questions = asked if len(asked) > 1 else [text]
    nearest = asked[0] if len(asked) == 1 else ""
    found = {it: _answer_to(it, doing, nearest) for it in questions}
    if known := [it for it in found.values() if it]:
        doing.answer |= {
            "done": _merged([*(it.told for it in known), _above(known)]),
            **_quoted(written),
            "how": _merged(it.lines for it in known),
        }
        if any(it.is_shown for it in known):
            doing.answer |= {"moves": True, "asks": any(it.lists_moves for it in known)}
        if any(it.is_advised for it in known):
            do(doing, Wishes(hints=True))
        if game.table.status in OVER and any(map(_REMATCH.search, _statements_in(written))):
            doing.answer["done"].insert(0, playing_again(game, doing.player_id))
            if not doing.offers:
                doing.offers.append(REMATCH)
        how = doing.answer["how"]
        if _offers_lines(doing, _statements_in(written)):
            doing.answer["how"] = _merged([how, doing.answer["how"]])
        if unknown := [question for question, it in found.items() if it is None]:
            doing.answer["done"].append(_about_unknown(unknown))
        return True
    is_prose = wishes.is_prose and game.table.status not in OVER and asked != []
    if is_prose:
        is_waiting = game.table.status == "running" and turn_of(game.table, seat) is None
        told = [*([waiting_for(game)] if is_waiting else []), _about_question(spoken().locale)]
        doing.answer |= {"done": told, **_quoted(written), "how": help_for_now(game, seat)}
    return is_prose


def _above(found: Sequence[_Found]) -> list[str]:
    """Return the sentence above the lines that do what the player asks about, or []."""
    number = sum(len(it.lines) for it in found if it.does)
    told = ngettext("To do this, reply with the line below.", "To do this, reply with one of the lines below.", number)
    return [told] if number else []


def _merged(lists: Iterable[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(chain.from_iterable(lists)))


def answer_beside(doing: Doing, questions: Sequence[str]) -> None:
    """Answer the questions beside lines that were understood, after these lines were carried out. A sentence names those
    to which we know no answer."""
    answer, unknown = doing.answer, list[str]()
    answer["written"] = [*answer.get("written", ()), *questions]  # see `_quoted`
    for question in questions:
        found = _answer_to(question, doing)
        if found is None:
            unknown += [question] if question != answer["line"] else []
            continue
        answer["moves"] = answer.get("moves", False) or found.is_shown
        if found.is_advised:
            do(doing, Wishes(hints=True))
        answer["how"] = _merged([answer["how"], found.lines if found.does else []])
        known = {*answer["done"], *([waiting_for(doing.game)] if answer["played"] else [])}  # our reply says so anyway
        answer["done"] += [it for it in (*found.told, *_above([found])) if it not in known]
    if unknown:
        answer["done"].append(_about_unknown(unknown))


def _about_unknown(questions: Sequence[str]) -> str:
    quoted = list(map(_quote, questions[:_MOST_NAMED]))
    told = gettext(
        'We can\'t answer %(questions)s. To ask everyone at the table, begin the line with "%(say)s". To see what we '
        'understand, reply "%(help)s".',
        questions=spoken().listed(quoted),
        say=word_for(SAY, spoken().locale),
        help=BY_NAME[HELP].word(spoken().locale),
    )
    return str(told)


def answer_remarks(doing: Doing, wishes: Wishes) -> None:
    """Answer the sentences below lines that were carried out, as if they were sent alone. If a sentence below a move
    seems to be for the other players, tell the player that it wasn't sent."""
    answer, others = doing.answer, list[str]()
    for remark in wishes.remarks:
        if told := _about_settings(remark, doing) or answers_about_desk(remark, *_BESIDE_TABLES):
            answer["done"] += [it for it in told if it not in answer["done"]]
        else:
            others.append(remark)
    is_offered = bool(others) and _offers_lines(doing, others)
    if answer["played"] and not is_offered and any(map(is_told_to_others, others)):
        told = gettext(
            'The others didn\'t get the rest of your email. To write to them, begin the line with "%(say)s".',
            say=word_for(SAY, spoken().locale),
        )
        answer["done"].append(told)


def _quoted(lines: Sequence[str]) -> Json:
    """Return the fields of an answer that repeat these lines, up to the last one that it is about. Footers may follow.
    `written` lets us recognize the lines if they come again."""
    answered = [
        nr
        for nr, it in enumerate(lines, 1)
        if is_question(it) or is_about(it, *_BESIDE_TABLES) or name_in(it) or wished_setting(it)
    ]
    return {"line": clean(_in_one_line(lines[: max(answered, default=1)]), _MOST_SAID), "written": list(lines)}


def _in_one_line(lines: Sequence[str]) -> str:
    """Join lines, with a slash between those that don't belong to the same sentence."""
    told, above = "", ""
    for line in lines:
        is_apart = told and len(above) < FULL_LINE and line[:1].isupper() and not re.search(r"\W\s*$", told)
        told, above = f"{told}{' / ' if is_apart else ' '}{line}".strip(), line
    return told


def _unclear(doing: Doing, wishes: Wishes) -> str:
    """Return what is unclear in a line that was not understood: that it asks, an unknown word and the move
    that it may mean, or which of several moves it is. Otherwise return ""."""
    rules, locale = doing.game.table.rules, spoken().locale
    if wishes.problem != "not-understood":
        return ""
    if is_question(wishes.line):
        is_move = move_in(wishes.line.rstrip(" ?"), Spoken(doing.game.table.rules, locale)) is not None
        return (is_move and _perhaps(doing, wishes.line)) or str(_about_question(locale))
    wishes = replace(wishes, line=" ".join(_statements_in([wishes.line])) or wishes.line)
    if (command := near_command(wishes.line, locale)) and not passes(wishes.line, locale):
        word = word_for(command, locale)
        can_follow_yes = command in (PAUSE, RESUME, UNDO, RESIGN)  # a resignation is confirmed first
        if can_follow_yes:
            doing.offers.append(command)
            return str(gettext('Did you mean "%(move)s"? Then just reply "yes".', move=word))
        return str(gettext('Did you mean "%(move)s"? Then reply with that line.', move=word))
    status, is_off_turn = doing.game.table.status, turn_of(doing.game.table, doing.mail.seat) is None
    if is_off_turn and meaning(wishes.line.partition(" ")[0], locale) is None:  # commands are possible at any time
        if status == "paused":
            return doing.about_pause()
        if status == "running":
            return _not_your_turn(doing, wishes.line)
    if not (legal := legal_moves(doing.mail, doing.game)):
        return ""
    line, grammar = wishes.line, Grammar(Spoken(rules, locale), legal)
    if told := _fault_of(line, view_of(doing.game, doing.mail.seat), grammar):
        return told
    near = nearest_move_in(line, grammar)
    word = near[0] if near else strange_word_in(line, grammar)
    unknown = gettext(_unknown(word), word=word)
    place, colon, star = line.partition(":")  # such as `leo c: 7`, which may also be a quote
    turned = moves_in_sentence(f"{star.strip()} {place}", grammar) if colon else []
    if near or len(turned) == 1:
        move = near[1] if near else turned[0]
        doing.offers.append(rules.write_move(move))
        asks = gettext('Did you mean "%(move)s"? Then just reply "yes".', move=write_move(rules, move, locale))
        return f"{unknown} {asks}" if near else str(asks)
    if perhaps := _perhaps(doing, line):
        return perhaps
    if word:
        possible = words_in_place_of(word, line, grammar)
        is_space = _SPACE.fullmatch(word) and (len(word) > 1 or all(map(_SPACE.fullmatch, possible)))
        if is_space:
            unknown = gettext("There is no space %(word)s.", word=word)
        if possible and len(possible) <= _MOST_POSSIBLE:
            told = gettext("Possible here: %(words)s.", words=", ".join(possible))
            return f"{unknown} {told}"
        return str(unknown) if is_space else f"{unknown} {gettext(_PROBLEMS['not-understood'])}"
    if step := _faulty_step_in(line, grammar):
        part = clean(step, _MOST_QUOTED)
        return str(gettext("We don't understand this part of the line: “%(part)s”.", part=part))
    meant = moves_in_sentence(line, grammar) or fitting_moves_in(line, grammar)
    moves = ", ".join(write_move(rules, it, locale) for it in meant[:_MOST_NAMED])
    if len(meant) == 1:
        doing.offers.append(rules.write_move(meant[0]))
        return str(gettext('Did you mean "%(move)s"? Then just reply "yes".', move=moves))
    if len(meant) > _MOST_NAMED:
        return str(gettext("This line is only part of a move, such as %(moves)s. Send the whole move.", moves=moves))
    if meant:
        return str(gettext("This line fits several moves: %(moves)s. Send the one you mean.", moves=moves))
    if passes(wishes.line, locale):
        return str(gettext(_NO_PASSING, resign=word_for(RESIGN, locale)))
    may_be_move = not wishes.is_prose or has_long_word_of(line, grammar)
    if may_be_move and (word := _unknown_word_in(line, grammar)):
        return f"{gettext(_unknown(word), word=word)} {gettext(_PROBLEMS['not-understood'])}"
    return ""


def _perhaps(doing: Doing, line: str) -> str:
    """Return the question whether a line means the turn that it most likely means, or why this turn is illegal, or ""."""
    rules, locale, seat = doing.game.table.rules, spoken().locale, doing.mail.seat
    legal = legal_moves(doing.mail, doing.game)
    grammar = Grammar(Spoken(rules, locale), legal)
    steps = likely_steps(line, grammar, doing.game.table.state, seat) if legal else []
    if not steps:
        return ""
    if (move := move_in("; ".join(map(rules.write_move, steps)), grammar.rules)) is None:
        return _problem(doing.game, "two-moves") if len(steps) > 1 else ""
    try:
        rules.decide(doing.game.table.state, seat, move, SeededDice(bytes(32), ()))
    except RuleError as error:
        return doing.why_not(error, move)
    doing.offers.append(rules.write_move(move))
    return str(gettext('Did you mean "%(move)s"? Then just reply "yes".', move=write_move(rules, move, locale)))


def _unknown(word: str) -> str:
    """Return what to tell about an unknown word, which may be a number that nothing on the table has."""
    return noted("There is no %(word)s here.") if word.isdecimal() else noted('We don\'t know the word "%(word)s".')


def _not_your_turn(doing: Doing, line: str) -> str:
    """Return whose turn it is, and how to plan the move that a line may mean."""
    game, seat, locale = doing.game, doing.mail.seat, spoken().locale
    told, rules = waiting_for(game), game.table.rules
    likely = example(rules, view_of(game, seat))
    meant = moves_in_sentence(line, Grammar(Spoken(rules, locale), [likely])) if likely is not None else []
    if len(meant) == 1:
        doing.offers.append(f"{PLAN} {rules.write_move(meant[0])}")
    move = write_move(rules, meant[0], locale) if len(meant) == 1 else example_at_table(game, seat)
    plans = gettext(_TO_PLAN, line=f"{word_for(PLAN, locale)} {move}")
    return f"{told} {plans}" if move else told


def _about_remark() -> str:
    told = gettext(
        "This isn't a move or a command, so nothing was done. To write to everyone at the table, begin the line with "
        '"%(say)s".',
        say=word_for(SAY, spoken().locale),
    )
    return str(told)


def _about_question(locale: str) -> str:
    told = gettext(
        "We can't answer this question, so nothing was done. Perhaps one of the commands below answers it. To ask everyone at "
        'the table, begin the line with "%(say)s".',
        say=word_for(SAY, locale),
    )
    return str(told)


def fitting_moves_in(line: str, grammar: Grammar) -> list[Any]:
    """Return the legal moves of which a line names only a part, in words that all belong to them."""
    rules, locale, legal = (grammar.rules.rules, grammar.locale, grammar.legal)
    return fitting_moves(rules, " ".join(words_of_sentence(line, locale)), locale, legal)


def _faulty_step_in(line: str, grammar: Grammar) -> str:
    """Return the first step that can't be read in a line with several, of which at least one can be read, or ""."""
    steps = [step for it in line.split(";") if (step := it.strip())]
    unread = [it for it in steps if move_in(it, grammar.rules) is None and len(moves_in_sentence(it, grammar)) != 1]
    return unread[0] if 0 < len(unread) < len(steps) else ""


def _unknown_word_in(line: str, grammar: Grammar) -> str:
    """Return the first word that no language's moves contain, in a line with other words that they contain, or ""."""
    rules, locale, _ = (grammar.rules.rules, grammar.locale, grammar.legal)
    known = set().union(*(known_words(rules, it) for it in LOCALES))
    words = words_of_sentence(line, locale)
    unknown = [it for it in words if it not in known]
    return unknown[0] if 0 < len(unknown) < len(words) else ""


def _fault_of(line: str, view: Json, grammar: Grammar) -> str:
    """Return what is wrong with a line that seems to name a move, a sentence, or ""."""
    rules, locale, _ = (grammar.rules.rules, grammar.locale, grammar.legal)
    return fault(rules, " ".join(words_of_sentence(line, locale)), view, locale)


def words_in_place_of(strange: str, line: str, grammar: Grammar) -> list[str]:
    """Return what the legal moves that are otherwise written as this line have in the place of an unknown word."""
    rules, locale, legal = (grammar.rules.rules, grammar.locale, grammar.legal)
    words = words_of_sentence(line, locale)
    if strange not in words:
        return []
    at = words.index(strange)
    before, behind = words[:at], words[at + 1 :]
    found = dict[str, None]()
    for move in legal:
        written = write_move(rules, move, locale).split()
        end = len(written) - len(behind)
        if at < end and [it.lower() for it in (*written[:at], *written[end:])] == [*before, *behind]:
            found[" ".join(written[at:end])] = None
    return list(found)


def nearest_move_in(line: str, grammar: Grammar) -> tuple[str, Any] | None:
    """Return a pair: an unknown word, and the only legal move that the line may mean. It means the move if a similar word
    replaces the unknown one, or if unknown words that resemble no known one are left out. Return None if the line may mean another move, or
    none.

    The move is only suggested to the player, never played.
    """
    rules, locale, legal = (grammar.rules.rules, grammar.locale, grammar.legal)
    words = words_of_sentence(line, locale)
    known = known_words(rules, locale)
    strange = [nr for nr, word in enumerate(words) if word not in known]
    if not strange or len(words) > _MOST_SUGGESTED or contradiction_in([line]):
        return None
    bare = (words[strange[0]], [word for word in words if word in known])
    is_left_out = not any(_similar(words[nr], known) for nr in strange)
    similar = [
        (words[nr], [it if place == nr else word for place, word in enumerate(words) if place == nr or word in known])
        for nr in strange
        for it in _similar(words[nr], known)
    ]
    for readings in (similar, [bare] if is_left_out else []):
        meant = [(word, it) for word, said in readings for it in meant_moves(rules, " ".join(said), locale, legal)]
        if found := {write_move(rules, move, locale): (word, move) for word, move in meant if move in legal}:
            return next(iter(found.values())) if len(found) == 1 else None
    return None


def _similar(word: str, known: Collection[str]) -> list[str]:
    if len(word) < _SHORTEST_NAME or not word.isalpha():
        return []
    if begun := [it for it in known if it.startswith(word)]:
        return begun
    return get_close_matches(word, known, _MOST_SIMILAR, _ALIKE if len(word) > _SHORTEST_NAME else _ALIKE_IF_SHORT)
