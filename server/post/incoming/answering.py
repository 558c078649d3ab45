"""Processing inbound emails about games, one at a time: decide what an email may do, do it, and queue our reply.

Each step runs in its own transaction, with the same functions as the REST API. A last transaction stores our reply, and
that the email was processed. Every step is idempotent, so another process can take over after a crash.
"""

import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain
from typing import NamedTuple
from uuid import UUID, uuid5

from flask import current_app
from flask_babel import force_locale, gettext

from server.accounts.bans import is_welcome
from server.accounts.notice_kinds import ANSWER, GAME_ENDED, RSVP
from server.accounts.players import stored_locale
from server.accounts.rate_limits import count, most_of, window_end
from server.accounts.signed_links import keyed_hash
from server.clock import clock
from server.games import Json
from server.play.commits import load, people_of, whole_log
from server.play.game import Game
from server.play.mail.mail_in import KEPT, SEVERAL, confirming_word, confirms, is_of_others, reply_word, turn_before
from server.play.nameless import is_nameless
from server.play.seating.seats import invited_address
from server.play.table import last_change_of_hands
from server.play.views import turn_of
from server.play.votes import agreed_to, request_to, requests_to
from server.post.desk.addresses import player_word
from server.post.desk.commands import HELP, OF_THIS_GAME, REMATCH, RULES, language_of
from server.post.desk.counter import forward
from server.post.desk.reading import (
    Asked,
    commands_beside_table,
    request_of,
    settings_apart,
    settings_beside_table,
    unsigned,
)
from server.post.desk.subjects import id_in
from server.post.desk.table_moves import (
    for_number,
    games_named,
    lines_for_others,
    with_body,
    with_numbers_of_names,
)
from server.post.desk.wishes import naming
from server.post.incoming import commands, invitations, replies
from server.post.incoming.acting import Doing, answer_uses, do
from server.post.incoming.child import ChildDied, TooMuch, child
from server.post.incoming.commands import off_for, stops, word_for
from server.post.incoming.lines import FLAGS, Wishes
from server.post.incoming.mime import head_and_body
from server.post.incoming.questions import (
    answer_beside,
    answer_remarks,
    explain,
    legal_moves,
    line_to_confirm,
    newest_answer,
)
from server.post.letters.answers import lines_for
from server.post.mime import fit_id
from server.post.wording import spoken
from server.sanitize import clean
from server.store import desk, inbox
from server.store.connections import let_go
from server.store.database_retry import Unavailable, is_outage, is_passing, with_retries
from server.store.outbox import add_to_turn, kind_of_sent
from server.store.tables import Incoming, Player, db
from server.translations import noted, times

JOINING = timedelta(seconds=30)  # how long the confirmation of a move waits for the email about the next turn
LEASE = timedelta(seconds=20)  # exceeding the lease is harmless, since steps are idempotent
ALL, REST = "all", "rest"  # the parts of an email that must be confirmed, see `Incoming`
_MOST_TRIES = 5  # attempts that ended in a crash or a statement time-out
_BATCH = 200
_MOST_BESIDE_STOP = 4  # lines
_NOT_WRITTEN = ("automatic", "unreadable", "too-long", "nothing-said", "only-our-letter", "amid-our-letter")
_LONGEST_FAULT = 300

log = logging.getLogger(__name__)


class _Outcome(NamedTuple):
    """What is stored about an email once it has been processed."""

    letter: Json | None = None  # our reply
    reader: str = ""  # the address to which replies are counted
    asks: str = ""  # what to confirm: ALL, REST or ""
    confirmed: UUID | None = None  # the email that it confirms
    acted: Collection[str] = ()  # the hashes of the lines that took effect
    same: str = ""  # see `answer_uses`


@dataclass(frozen=True)
class _Reply:
    """A player's reply to an email about a game."""

    mail: Incoming
    game: Game
    player: Player
    read: replies.Mail

    @property
    def is_proved(self) -> bool:
        return self.read.is_from(self.player.email) and not self.read.is_forged

    @property
    def went_to_player(self) -> bool:
        """Return whether this player is the only one who has received the reply address. Former players and stand-ins
        know other reply addresses of the seat, and could use them to impersonate the player."""
        is_shared = self.mail.turn < self.handed_over or self.game.seats[self.mail.seat].owner_id is not None
        return not is_shared and not is_of_others(self.mail.turn, self.player.player_id)

    @property
    def handed_over(self) -> int:
        """Return the version at which the seat last changed hands."""
        return last_change_of_hands(whole_log(self.mail.game_id), self.mail.seat)


def deal_with_mails() -> None:
    """Process every due email. Emails for the same seat are processed in order of arrival."""
    for arrived in inbox.due(clock.now(), _BATCH):
        mail = inbox.claim(arrived, clock.now() + LEASE)
        if mail is None:
            continue
        if mail.tries > _MOST_TRIES:
            _set_aside(mail, "Nobody came to an end with it.")
            continue
        try:
            if _fault_of(mail) and (fault := _fault_of(mail)):  # tries twice, in case the fault was temporary
                _set_aside(mail, fault)
        except Unavailable as error:
            if is_passing(error):
                raise
            log.warning("Mail %s is dealt with later: %s", mail.mail_id, error)


def _fault_of(mail: Incoming) -> str | None:
    """Process an email. Return the fault if the email itself caused an error. Raise temporary errors."""
    try:
        game = load(mail.game_id)
        if mail.mark is not None:
            _finish(mail, _outcome_for_guest(mail, mail.mark, game))
        else:
            player = _player_of(mail, game)
            with force_locale(stored_locale(player.locale) if player else "en"):
                _finish(mail, _outcome(mail, game, player) if player else _Outcome())
    except TooMuch as error:
        let_go()
        _set_aside(mail, str(error))  # a second try would take as much time
    except Exception as error:
        let_go()
        if is_passing(error) or isinstance(error, ChildDied | Unavailable):
            is_of_game = isinstance(error, Unavailable) and not is_passing(error)  # another process may know the rules
            if is_outage(error) or is_of_game:
                inbox.forget_try(mail)
            raise
        log.exception("Mail %s could not be dealt with", mail.mail_id)
        return clean(f"{type(error).__name__}: {error}", _LONGEST_FAULT)
    return None


def _set_aside(mail: Incoming, fault: str) -> None:
    """Store a faulty email for the operators, and notify its sender if possible."""
    if mail.mark is not None:
        return _finish(mail, _Outcome(), fault)
    try:
        game = load(mail.game_id)
        player = _player_of(mail, game)
        with force_locale(stored_locale(player.locale) if player else "en"):
            wrong = gettext("Something went wrong on our side. We couldn't process your email.")
            answer = _answer(wrong=wrong, answers=fit_id(head_and_body(mail.raw)[0].message_id))
            _finish(mail, _Outcome(_letter(mail, game, answer)), fault)
    except Exception as error:
        let_go()
        if is_passing(error):
            raise
        _finish(mail, _Outcome(), fault)


def _player_of(mail: Incoming, game: Game) -> Player | None:
    """Return the player in the seat that the email is about. If a stand-in is playing but the seat's owner wrote the
    email, return the owner."""
    row = game.seats[mail.seat]
    player = db.session.get(Player, row.player_id) if row.player_id else None
    owner = db.session.get(Player, row.owner_id) if row.owner_id else None
    return owner if owner and _read(mail, owner.email).is_from(owner.email) else player


def _read(mail: Incoming, known: str) -> replies.Mail:
    return child.run(replies.read, mail.raw, known)


def _outcome_for_guest(mail: Incoming, mark: int, game: Game) -> _Outcome:
    """Process a reply to an invitation, in the language of the invited person. If they have no account, it is that of
    their words, otherwise the host's."""
    read = _read(mail, invited_address(game, mail.seat, mark) or "")
    guest = invitations.guest_of(game, mail.seat, mark, read)
    if guest is None:
        return _Outcome()
    hosted_by = None if is_nameless(game.head.options) else db.session.get(Player, game.head.host)
    of_host = stored_locale(hosted_by.locale) if hosted_by else "en"
    with force_locale(stored_locale(guest.player.locale) if guest.player else language_of(read.lines, "", "", of_host)):
        return _Outcome(invitations.deal(mail, game, guest), guest.email)


def _outcome(mail: Incoming, game: Game, player: Player) -> _Outcome:
    read = _read(mail, player.email)
    if read.automatic or not is_welcome(player):
        return _Outcome()
    locale, desk_id = spoken().locale, uuid5(mail.mail_id, "desk")
    is_other = request_to(game, mail.seat) or _asking_letter(mail, read)
    offered = "" if is_other else _offered_at_end(mail, read) or newest_answer(mail).get("meant", "")
    own = with_numbers_of_names(settings_apart(unsigned(read, player.name, locale), locale), player.player_id)
    own = invitations.with_offer(own, locale, [offered] if offered else ())
    reply = _Reply(mail, game, player, _for_this_game(own, player, game))
    read, is_proved, to_player = reply.read, reply.is_proved, player.player_id if reply.went_to_player else None
    if mail.turn == SEVERAL and is_proved and to_player:
        _hand_to_desk(reply, desk_id, mail.raw)
        return _Outcome()
    if is_proved and to_player and (others := lines_for_others(own, _number_of(game, player))):
        _hand_to_desk(reply, desk_id, with_body(mail.raw, others))
        if not any(map(str.strip, read.lines)):
            return _Outcome()
    if is_proved and (asked := child.run(commands_beside_table, read.lines, locale, game.table.rules.NAME)):
        word = reply_word(game.game_id, mail.seat, _turn_to_answer(reply))
        forward(desk_id, to_player, mail.raw, list(_about_this_game(asked, reply)), word)
        return _Outcome()
    own_lines = [line for line in read.lines if line.strip()]
    if own_lines and stops(own_lines[0]) and len(own_lines) <= _MOST_BESIDE_STOP:
        wishes, acts = Wishes(problem="asks-to-stop"), set[str]()
    else:
        wishes, acts = _wishes(reply)
    waiting = _waiting_for(mail, wishes.confirms) or _agreed_to(reply, wishes)
    same = _text_of(reply) if is_proved and to_player and _is_understood(wishes) else ""
    answer = _answer(answers=fit_id(read.message_id))
    doing = Doing(mail, player.player_id, player.email, mail.arrived_at, game, answer, same)
    if waiting is None and not is_proved:
        if mail.turn < reply.handed_over or is_of_others(mail.turn, player.player_id):
            return _Outcome()  # a previous player's email, which the current player must not see
        asks = _ask_player(doing, wishes, read)
    elif waiting is None and _may_be_copy(read, wishes):
        asks = _ask_about_copy(doing, wishes, read)
    else:
        if waiting is not None:
            _do_confirmed(replace(reply, mail=waiting), doing)
            wishes = Wishes() if wishes.problem else wishes  # the problem is a plain yes, see `_agreed_to`
        elif wishes.problem:
            wishes = _in_own_words(reply) or wishes
        asks = _do_what_is_written(doing, wishes, waiting)
    if len(doing.offers) == 1 and not answer["confirm"]:
        answer["meant"] = doing.offers[0]
    letter = _letter(mail, doing.game, doing.answer) | {"player_id": player.player_id}
    return _Outcome(letter, player.email, asks, waiting.mail_id if waiting else None, acts, same)


def _hand_to_desk(reply: _Reply, desk_id: UUID, raw: bytes) -> None:
    player = reply.player
    word = player_word(player.player_id, player.email)
    desk.keep(desk_id, word, raw, reply.mail.arrived_at, (player.player_id, None))


def _number_of(game: Game, player: Player) -> int | None:
    return desk.numbers(player.player_id).get(game.game_id)


def _for_this_game(read: replies.Mail, player: Player, game: Game) -> replies.Mail:
    """Return an email without the number of this game before its lines, and without lines for other games."""
    named = games_named(read)
    number = _number_of(game, player) if named else None
    return read if number is None else for_number(read, number, named - {number})


def _is_understood(wishes: Wishes) -> bool:
    """Return whether an email contains a move or a command, or a near miss. Automatic replies rarely do."""
    return not wishes.is_prose and wishes.problem not in _NOT_WRITTEN


def _text_of(reply: _Reply) -> str:
    """Return what emails with the same text about the same turn have in common."""
    mail, words = reply.mail, " ".join(" ".join(reply.read.lines).split())
    return keyed_hash("answers", f"{mail.game_id}/{mail.seat}/{mail.turn} {words}").hex()


def _in_own_words(reply: _Reply) -> Wishes | None:
    """Return what a reply in the player's own words says to another player's request, or that it requests to take back
    the player's move. Return None if that is unclear."""
    game, seat, locale = reply.game, reply.mail.seat, spoken().locale
    if request_to(game, seat) and not line_to_confirm(reply.mail) and invitations.consents(reply.read, locale):
        return Wishes(agree=True)
    if reply.is_proved and game.table.turns and invitations.requests_undo(reply.read):
        return Wishes(undo=True)
    is_asked = requests_to(game, seat) or agreed_to(game, seat)
    return Wishes(refuse=True) if is_asked and invitations.refuses(reply.read, locale) else None


def _about_this_game(asked: Sequence[Asked], reply: _Reply) -> Iterator[Asked]:
    """Yield commands of the post desk. In a reply to an email about a game, `rules`, `review` and their like are about
    that game, and `help` begins with its commands."""
    game_id = reply.game.game_id
    number = str(desk.numbers(reply.player.player_id, [game_id])[game_id])
    for it in asked:
        is_of_this = it.command in (RULES, *OF_THIS_GAME) and not it.rest
        if is_of_this or (it.command == HELP and not it.rest):
            yield replace(it, rest=number)
        if not is_of_this:
            yield it


def _turn_to_answer(reply: _Reply) -> int:
    """Return the turn in the reply address of an email that the player gets now."""
    table = reply.game.table
    if not table.turns:
        return turn_before(reply.player.player_id)
    turn = turn_of(table, reply.mail.seat)
    return table.version if turn is None else turn


def _wishes(reply: _Reply) -> tuple[Wishes, set[str]]:
    """Return a pair: what an email asks for, and the hashes of the lines that take effect. With the hashes, later
    quotes of these lines are recognized. A single line that takes effect can't be a copy of our emails, so they aren't
    written again."""
    mail, game, read, locale = reply.mail, reply.game, reply.read, spoken().locale
    may_set = reply.is_proved and reply.went_to_player
    parts = [read.lines, *([] if read.beside is None else [read.beside])]
    table = replies.Table(
        rules_name=game.table.rules.NAME,
        locale=locale,
        scope=f"{mail.game_id}/{mail.seat}",
        before=inbox.earlier_acted_lines(mail),
        legal=legal_moves(mail, game, with_later=True),
        settings=child.run(settings_beside_table, list(chain(*parts)), locale) if may_set else {},
    )
    if all(sum(line.strip() != "" for line in part) == 1 for part in parts):
        wishes, acted = child.run(replies.read_wishes, read, table)
        if not wishes.problem:
            return wishes, acted
    answers = inbox.answers(mail.game_id, mail.seat, mail.turn, most_of("answers").most)
    ours = lines_for(game, mail.seat, mail.turn, answers, current_app.config["BASE_URL"])
    repeated = {line for said in answers for line in (said["line"], *said.get("written", ()), *said["asked"])}
    return child.run(replies.read_wishes, read, table._replace(ours=ours, repeated=repeated))


def _answer(**said: object) -> Json:
    """Return the data of our reply, in the form that `letters` expects."""
    texts = dict.fromkeys(("answers", "confirm", "stranger", "doubt", "played", "undone", "wrong", "line"), "")
    flags = dict.fromkeys(("moves", "asks", "last"), False)
    return {**texts, **flags, "since": 0, "asked": [], "how": [], "hints": [], "done": [], **said}


# Confirming


def _waiting_for(mail: Incoming, word: str | None) -> Incoming | None:
    """Return the email that this token confirms. Only the player's mailbox has received the token, so it is sufficient
    proof, even if that email came from another address."""
    asked = inbox.awaiting_confirmation(mail.game_id, mail.seat) if word else []
    return next((it for it in asked if confirms(word or "", it.mail_id)), None)


def _agreed_to(reply: _Reply, wishes: Wishes) -> Incoming | None:
    """Return the email whose lines our reply asks to confirm, if this email only says yes to that. While another
    player's request is open, it is unclear what the yes means.

    The token is unnecessary if the email answers the very letter that asks, since only the player's mailbox has
    received that letter's random id. It is also unnecessary if our newest reply asks and the sender's domain vouches
    for the email.
    """
    mail = reply.mail
    if not (reply.is_proved and reply.went_to_player and wishes.problem) or requests_to(reply.game, mail.seat):
        return None
    if not invitations.agrees(reply.read, spoken().locale):
        return None
    if answered := _asking_letter(mail, reply.read):
        return answered
    line = newest_answer(mail).get("confirm") if reply.read.is_authentic else None
    waiting = inbox.awaiting_confirmation(mail.game_id, mail.seat) if line else []
    return next((it for it in waiting if _line_to_confirm(it) == line), None)


def _asking_letter(mail: Incoming, read: replies.Mail) -> Incoming | None:
    """Return the email that waits for a confirmation, if this one answers the letter that asks for it."""
    if (letter_id := id_in(read.answers)) is None:
        return None
    waiting = inbox.awaiting_confirmation(mail.game_id, mail.seat)
    return next((it for it in waiting if (it.answer or {}).get("letter_id") == str(letter_id)), None)


def _offered_at_end(mail: Incoming, read: replies.Mail) -> str:
    """Return the word for a rematch if an email answers the letter about the end of the game, which offers one."""
    letter_id = id_in(read.answers)
    is_end = letter_id is not None and kind_of_sent(mail.game_id, letter_id) == GAME_ENDED.name
    return REMATCH if is_end else ""


def _do_confirmed(waiting: _Reply, doing: Doing) -> None:
    """Carry out an earlier email that this one confirms."""
    earlier = replace(doing, mail=waiting.mail)
    player = waiting.player
    own = unsigned(_read(waiting.mail, player.email), player.name, spoken().locale)
    own = with_numbers_of_names(own, player.player_id)
    read = _for_this_game(own, player, waiting.game)
    wishes, _ = _wishes(replace(waiting, read=read))
    wishes = _unsure(wishes) if waiting.mail.asks == REST else wishes
    do(earlier, wishes)
    _forward_settings(earlier, wishes)
    doing.game = earlier.game


def _forward_settings(doing: Doing, wishes: Wishes) -> None:
    if wishes.settings:
        number = str(desk.numbers(doing.player_id, [doing.game.game_id])[doing.game.game_id])
        asked = [
            replace(it, rest=number) if it.command in (RULES, *OF_THIS_GAME) else it
            for it in request_of(wishes.settings).asked
        ]
        forward(uuid5(doing.mail.mail_id, "desk"), doing.player_id, doing.mail.raw, asked)


def _unsure(wishes: Wishes) -> Wishes:
    """Return those wishes that need confirmation."""
    stand_in = wishes.stand_in or None  # ending a stand-in needs no confirmation
    return Wishes(resign=wishes.resign, resigning=wishes.resigning, vacation=wishes.vacation, stand_in=stand_in)


def _ask_player(doing: Doing, wishes: Wishes, read: replies.Mail) -> str:
    """Fill in the answer to an email from an unknown address, or with a forged sender, which only the player gets.
    Return what to confirm."""
    is_own, stranger = read.is_from(doing.email), read.sender or gettext("an unreadable address")
    if wishes.problem or wishes.confirms:
        doing.answer["wrong"] = (
            gettext("We received an email from your address, but couldn't verify its sender. We didn't act on it.")
            if is_own
            else gettext(
                "We received an email for your seat from %(stranger)s. That address isn't linked to your account, so "
                "we didn't act on it.",
                stranger=stranger,
            )
        )
        return ""
    if not is_own:
        return _ask(doing, wishes, stranger=stranger)
    doubt = gettext(
        "We received an email for your seat from your address, but couldn't verify its sender. If you sent it, "
        "confirm it. If not, you can ignore it. We didn't act on it. The email said:"
    )
    return _ask(doing, wishes, doubt=doubt)


def _ask(doing: Doing, wishes: Wishes, **why: str) -> str:
    """Ask the player to confirm all wishes."""
    doing.answer |= {"confirm": _line_to_confirm(doing.mail), "asked": _lines(wishes), **why}
    return ALL


def _may_be_copy(read: replies.Mail, wishes: Wishes) -> bool:
    """Return whether this may be a copy of an email that we no longer recognize, and would change something. The turn
    of an old move is over anyway."""
    harmless = Wishes(move=wishes.move, asks=wishes.asks, hints=wishes.hints, confirms=wishes.confirms)
    return read.written_before(clock.now() - KEPT) and not wishes.problem and wishes != harmless


def _ask_about_copy(doing: Doing, wishes: Wishes, read: replies.Mail) -> str:
    assert read.written_at
    doubt = gettext(
        "Your email is dated %(day)s and may be an old copy. If you want us to act on it, confirm it. The email said:",
        day=times.day(read.written_at.date(), spoken()),
    )
    return _ask(doing, wishes, doubt=doubt)


def _line_to_confirm(mail: Incoming) -> str:
    return f"{word_for(commands.CONFIRM, spoken().locale)} {confirming_word(mail.mail_id)}"


def _lines(wishes: Wishes) -> list[str]:
    """Return the wishes as the lines that the player would write."""

    def command(name: str) -> str:
        return word_for(name, spoken().locale)

    stand_in = [] if wishes.stand_in is None else [off_for(spoken().locale)]
    if wishes.stand_in:
        email, first, last = wishes.stand_in
        stand_in = [f"{email} {first}{'-' if first.endswith('.') else '..'}{last}"]
    return [
        *([wishes.written or wishes.move] if wishes.move else []),
        *([f"{command(commands.PLAN)} {wishes.plan}".strip()] if wishes.plan is not None else []),
        *(f"{command(commands.SAY)} {words}" for words in wishes.says),
        *wishes.settings,
        *(["?"] if wishes.asks else []),
        *(command(name) for name in FLAGS if getattr(wishes, name) and name != commands.RESIGN),
        *([wishes.resigning] if wishes.resign else []),
        *([command(commands.HINT)] if wishes.hints else []),
        *([f"{command(commands.VACATION)} {wishes.vacation[0]}..{wishes.vacation[1]}"] if wishes.vacation else []),
        *(f"{command(commands.STAND_IN)} {it}" for it in stand_in),
    ]


# Carrying out


def _do_what_is_written(doing: Doing, wishes: Wishes, confirmed: Incoming | None) -> str:
    """Carry out the wishes that need no confirmation. Return what the player must confirm."""
    answer = doing.answer
    if wishes.problem:
        explain(doing, wishes)
        answer_beside(doing, wishes.questions)
        return ""
    if wishes.confirms and confirmed is None:
        answer["wrong"] = gettext("There's nothing left to confirm.")
    unsure = _unsure(wishes)
    do(doing, replace(wishes, resign=False, vacation=None, stand_in=None if wishes.stand_in else wishes.stand_in))
    _forward_settings(doing, wishes)
    answer_beside(doing, wishes.questions)
    answer_remarks(doing, wishes)
    if unsure == Wishes():
        return ""
    if wishes.resign:
        is_alone = len(people_of(doing.game)) == 1
        told = (
            noted("If you confirm, only bots are left, and they finish the game at once.")
            if is_alone
            else noted("If you confirm, a bot plays on for you. You can take your seat back later.")
        )
        answer["done"].append(gettext(told))
    answer |= {"confirm": _line_to_confirm(doing.mail), "asked": _lines(unsure)}
    return REST


# Replying


@with_retries
def _finish(mail: Incoming, outcome: _Outcome, fault: str | None = None) -> None:
    """Record that the email has been processed, and queue our reply. The call is idempotent."""
    db.session.rollback()
    letter = outcome.letter
    if letter and not letter["data"]["played"] and current_app.config["LIMITS"]:
        # anyone can forge a sender, and a machine that replies to us would cause a loop
        counted = count(*answer_uses(mail, outcome.reader, outcome.same))
        more = 1 if any(it.by == outcome.same for it in counted) else min(counted.values())  # more replies for now
        letter["data"]["last"] = more == 0
        if more == 0:
            ends = [window_end(use.bound, clock.now()) for use, left in counted.items() if left == 0]
            letter["data"]["resumes_at"] = max(ends).isoformat()
            letter["data"].pop("may_join", None)
        if more < 0:
            letter = None
            log.warning("Mail %s gets no answer: too many for now", mail.mail_id)
    if letter and _is_told_with_turn(mail, letter):
        letter = None
    inbox.finish(mail, outcome.asks, letter, outcome.confirmed, outcome.acted, fault)
    db.session.commit()


def _is_told_with_turn(mail: Incoming, letter: Json) -> bool:
    """Let the email about the first turn contain our reply to a new player who has accepted an invitation. Return
    whether it does."""
    data = letter["data"]
    more = ("wrong", "asks", "facts", "who", "unknown", "rules", "last")
    if letter["kind"] != RSVP.name or data["played"] != "yes" or "stand_in" in data or any(data[it] for it in more):
        return False
    player = db.session.scalars(db.select(Player).where(Player.email == data["to"])).one_or_none()
    if player is None or player.made_at < mail.arrived_at:
        return False
    with force_locale(stored_locale(player.locale)):
        told = [gettext("You have a seat, and the game has begun."), naming(player)]
    return add_to_turn(mail.game_id, player.player_id, {"told": list(filter(None, told)), "answers": data["answers"]})


def _letter(mail: Incoming, game: Game, answer: Json) -> Json:
    """Return our reply for the outbox.

    If it only confirms a move, a take-back or that the game was resumed, the email about the turn or about the end can
    contain it. Sentences beside a move don't matter. In a game against bots, which move immediately, the confirmation of a move waits for that email.
    """
    turn = turn_of(game.table, mail.seat)
    only_resumes = answer.get("resumed") and len(answer["done"]) == 1
    beside = ["done", "written"] if answer["played"] else ["done", "resumed"] if only_resumes else []
    fills = {"played", "since", "undone", "answers", *beside}
    ends_turn = turn is None or (turn != mail.turn and not game.table.rules.is_mid_turn(game.table.state, mail.seat))
    confirms_turn = turn is not None if answer["undone"] or only_resumes else answer["played"] and ends_turn
    if confirms_turn and not any(it for name, it in answer.items() if name not in fills):
        answer |= {"may_join": True}
    against_bots = all(game.bot_at(row.seat) for row in game.seats if row.seat != mail.seat)
    waits = "may_join" in answer and answer["played"] and against_bots and game.table.status == "running"
    letter = invitations.letter_to(mail, game, ANSWER.name, answer if turn is None else {"turn": turn, **answer})
    due_at = letter["due_at"] + JOINING if waits else letter["due_at"]
    return letter | {"player_id": game.seats[mail.seat].player_id, "due_at": due_at}
