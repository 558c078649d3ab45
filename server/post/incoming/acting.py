"""Carrying out what an email about a game asks for, with the same functions as the REST API.

Each step runs in its own transaction, and at most once for an email.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from flask_babel import gettext

from server.accounts.calendars import stored_zone
from server.accounts.notice_kinds import GAME_PAUSED
from server.accounts.players import profile
from server.accounts.rate_limits import Use, has_left
from server.bots.advice import is_behind, suggested
from server.errors import IllegalPlan, NoHints, NotFound, NotRunning, PlayError, StaleTurn, TooLate, UnderWay
from server.games import Json, RuleError, Rules
from server.games.presentation import in_words, refusal, score_unit, without_needless
from server.play.commits import at_version, load, people_of
from server.play.game import Game
from server.play.moves import play_reply
from server.play.planning.plans import AT_ONCE, drop_plan, get_plan, put_plan
from server.play.seating.seats import leave, ready
from server.play.seating.stand_ins import Wish, ask_stand_in, end_stand_in
from server.play.table import OVER
from server.play.talk.chat import has_said, say
from server.play.turns.going_back import has_gone_back, last_move, move_after, stands
from server.play.turns.hints import Ways, count_hint, hint
from server.play.turns.idempotency import first_answer
from server.play.views import would_undo
from server.play.votes import TAKE_BACK, agreed_to, request_to, requests_to, take_back, vote, votes_of
from server.post.desk.account import take_vacation, today_of
from server.post.desk.arguments import address_in
from server.post.desk.days import days_in
from server.post.incoming.child import TooMuch, child
from server.post.incoming.commands import OFF, RESUME, word_for
from server.post.incoming.likely import left_out, nearest_line
from server.post.incoming.lines import Grammar, Planned, Spoken, Wishes, read_plan
from server.post.plans import plan_sentence
from server.post.wording import counted, moment, spoken
from server.sanitize import mailbox_of
from server.store.tables import Incoming
from server.translations import noted, times

_SAME_MESSAGE = timedelta(hours=1)  # a message is posted only once within this time


@dataclass
class Doing:
    """An email that is being carried out, and its effects so far."""

    mail: Incoming
    player_id: UUID
    email: str  # of the player
    arrived_at: datetime
    game: Game  # after the steps so far
    answer: Json
    same: str = ""  # see `answer_uses`
    has_said: bool = False  # whether its messages are in the chat
    offers: list[str] = field(default_factory=list)  # lines in the answer; a `yes` to a single one does what it says

    def once(self, step: str, do: Callable[[], object]) -> None:
        """Run a step, unless an earlier attempt has already run it."""
        try:
            first_answer(self.mail.game_id, self.player_id, f"mail {self.mail.mail_id} {step}", b"", False)
        except UnderWay:
            return
        do()

    def look_again(self) -> None:
        """Reload the game."""
        self.game = load(self.mail.game_id)

    def in_words(self, move: str) -> str:
        """Return a move in the words that our emails use."""
        return in_words(self.game.table.rules, move, spoken().locale)

    def about_pause(self) -> str:
        """Return what to tell a player who moves in a paused game."""
        resume = word_for(RESUME, spoken().locale)
        self.offers.append(resume)
        return str(gettext('The game is paused. To continue it, reply "%(resume)s".', resume=resume))

    def goes_wrong(self, error: PlayError | RuleError, line: str = "", move: Any = None) -> None:
        """Add an error to the answer, below earlier ones. `move`: the move that the rules refused, if they did."""
        self.look_again()  # the error refers to a newer state of the game
        told = self.why_not(error, move) if isinstance(error, RuleError) and move is not None else self._told(error)
        earlier = self.answer["wrong"]
        wrong = earlier if told in earlier else f"{earlier} {told}".strip()
        self.answer.update(wrong=wrong, line=self.answer["line"] or line, moves=True)

    @property
    def _had_turn(self) -> bool:
        """Return whether the email to which this one replies was about a turn of its player."""
        turns = at_version(self.game, self.mail.turn).turns
        return bool(turns) and turns[self.mail.seat] == self.mail.turn

    def why_not(self, error: RuleError, move: Any) -> str:
        """Return why a move is illegal, and the legal turn that is most like it."""
        table, locale = self.game.table, spoken().locale
        which = Grammar(Spoken(table.rules, locale)), table.state, self.mail.seat, move
        near, told = nearest_line(*which), refusal(table.rules.NAME, error, locale)
        if missing := left_out(*which):
            told = gettext(
                'The turn isn\'t over before "%(step)s": write "%(missing)s" first.',
                step=missing[0],
                missing=missing[1],
            )
        possible = gettext('This is possible: "%(line)s"', line=near)
        return f"{told} {possible}" if near else told

    def _told(self, error: PlayError | RuleError) -> str:
        match error:
            case StaleTurn() if self.game.table.status in OVER:
                told = gettext("The game is over.")
            case StaleTurn() if self.game.table.status == "paused":
                told = self.about_pause()
            case StaleTurn() if not self._had_turn and self.game.table.turns[self.mail.seat] is None:
                told = waiting_for(self.game)
            case StaleTurn():
                told = gettext("That turn is over: you've moved, or your time ran out. Here is the table as it is now.")
            case IllegalPlan() if isinstance(error.__cause__, RuleError):
                told = refusal(self.game.table.rules.NAME, error.__cause__, spoken().locale)
            case PlayError():
                told = error.words.said(gettext)
            case RuleError():
                told = refusal(self.game.table.rules.NAME, error, spoken().locale)
        return str(told)


def waiting_for(game: Game) -> str:
    """Return whose turn it is, for a player whose turn it isn't."""
    names = spoken().listed([game.names[it] for it in game.table.to_act])
    return str(gettext("It isn't your turn. We're waiting for %(names)s.", names=names))


def do(doing: Doing, wishes: Wishes) -> None:
    steps: list[tuple[object, Callable[[Doing, Wishes], None]]] = [
        (wishes.says, _say),  # first, so that the emails about the move show it
        (wishes.resume, _resume),
        (wishes.undo, _undo),
        (wishes.agree, _agree),
        (wishes.refuse, _refuse),
        (wishes.ready, _ready),
        (wishes.move, _move),
        (wishes.plan is not None, _plan),
        (wishes.says, _tell_of_chat),
        (wishes.asks, _show_moves),
        (wishes.hints, _give_hint),
        (wishes.pause, _pause),
        (wishes.vacation, _take_vacation),
        (wishes.stand_in is not None, _stand_in),
        (wishes.resign, _resign),
    ]
    for is_wished, step in steps:
        if is_wished:
            try:
                step(doing, wishes)
            except (PlayError, RuleError) as error:
                doing.goes_wrong(
                    error,
                    doing.in_words(wishes.move or "")
                    if step is _move
                    else (wishes.plan or "")
                    if step is _plan
                    else "",
                    wishes.parsed_move if step is _move else None,
                )


def _move(doing: Doing, wishes: Wishes) -> None:
    table = doing.game.table
    move = without_needless(table.rules, table.state, doing.mail.seat, wishes.parsed_move)
    played = play_reply(doing.game, doing.player_id, doing.mail.turn, move, doing.arrived_at)
    doing.game = played.game
    doing.answer.update(played=table.rules.write_move(move), since=played.answer["version"] - 1)


def _say(doing: Doing, wishes: Wishes) -> None:
    for nr, words in enumerate(wishes.says):
        doing.once(f"says {nr}", partial(_say_once, doing, words))
    doing.has_said = True


def _tell_of_chat(doing: Doing, wishes: Wishes) -> None:
    if not doing.has_said:
        return
    told = (
        noted("Your message is in the chat already, so you needn't send it again.")
        if doing.answer["wrong"]
        else noted("Your message is in the chat, where everyone can read it.")
    )
    doing.answer["done"].append(gettext(told))


def _say_once(doing: Doing, words: str) -> None:
    """Post a message. A player who sends an email again with a corrected move also repeats its message."""
    if not has_said(doing.mail.game_id, doing.player_id, words, doing.arrived_at - _SAME_MESSAGE):
        say(doing.mail.game_id, doing.player_id, words)


def _show_moves(doing: Doing, wishes: Wishes) -> None:
    doing.answer.update(moves=True, asks=True)


_TOO_LONG_HERE = noted(
    'Finding the best moves took too long by email. Open the game with the link in this email: on your turn, "Hint" shows '
    "them there."
)


def _give_hint(doing: Doing, wishes: Wishes) -> None:
    """Add a hint to the answer, unless another wish failed or there will be no answer.

    The child process computes the hint, since the sweep runs in this process. A repeated attempt counts no second hint.
    """
    answer, uses = doing.answer, answer_uses(doing.mail, doing.email, doing.same)
    if answer["wrong"] or not (answer["played"] or all(map(has_left, uses))):
        return
    try:
        ways = Ways(
            lambda who: doing.once("hint", partial(count_hint, who)), lambda *asked: child.run(suggested, *asked)
        )
        found = hint(doing.mail.game_id, doing.player_id, spoken().locale, ways=ways)["moves"]
    except TooMuch:
        raise NoHints(_TOO_LONG_HERE) from None
    turns = ["; ".join(step["words"] for step in (it, *it["then"])) for it in found]
    lines = how_good(found, score_unit(doing.game.head.rules))
    lines = ["" if nr and line == lines[nr - 1] else line for nr, line in enumerate(lines)]
    answer.update(hints=[*zip(turns, lines, strict=True)], asks=not found)
    doing.offers += turns


def _pause(doing: Doing, wishes: Wishes) -> None:
    _vote(doing, "pause")
    rests = doing.game.table.status == "paused"
    told = (
        noted("The game is paused. Everyone agreed.")
        if rests and len(people_of(doing.game)) > 1
        else noted("The game is paused.")
        if rests
        else noted("The game will pause as soon as everyone agrees.")
    )
    doing.answer["done"].append(gettext(told))
    if rests:
        resume = word_for(RESUME, spoken().locale)
        doing.answer["done"].append(gettext('To continue, reply "%(resume)s".', resume=resume))
        doing.answer["replaces"] = GAME_PAUSED.name


def _resume(doing: Doing, wishes: Wishes) -> None:
    _vote(doing, "resume")
    rests = doing.game.table.status == "paused"
    told = noted("The game will resume as soon as everyone agrees.") if rests else noted("The game has resumed.")
    doing.answer["done"].append(gettext(told))
    if not rests:
        doing.answer["resumed"] = True


def _undo(doing: Doing, wishes: Wishes) -> None:
    """Take back the move that was the player's last one when they wrote the email. A retry finds that the move was
    already taken back, or that the same vote is open."""
    game_id, seat = doing.mail.game_id, doing.mail.seat
    if (to := last_move(doing.game, seat, doing.arrived_at)) is None:
        raise NotFound(noted("You have no move to take back."))
    asked = None
    if stands(doing.game, seat, to):
        asked = take_back(game_id, doing.player_id, to).answer.get("vote")
        doing.look_again()
    if asked is None:
        doing.answer["undone"] = move_after(doing.game, to)
        return
    ends_at = moment(datetime.fromisoformat(asked["ends_at"]), stored_zone(profile(doing.player_id)["zone"]))
    told = gettext(
        "We've asked the others. Your move will be taken back if everyone agrees by %(ends_at)s. No answer counts "
        "as no.",
        ends_at=ends_at,
    )
    undone = would_undo(doing.game, seat, to, spoken().locale)
    doing.answer["done"] += [told, " ".join([gettext("What would be undone:"), *undone])]


def _agree(doing: Doing, wishes: Wishes) -> None:
    """Agree to what another player asks for."""
    wish = request_to(doing.game, doing.mail.seat) or TAKE_BACK
    if wish == "pause":
        _pause(doing, wishes)
    elif wish == "resume":
        _resume(doing, wishes)
    elif wish == TAKE_BACK:
        _agree_to_take_back(doing)
    else:
        _vote(doing, wish)
        doing.answer["done"].append(gettext("You've agreed."))


def _refuse(doing: Doing, wishes: Wishes) -> None:
    """Refuse what another player asks for. If the player had agreed to that, withdraw their agreement."""
    game_id, seat = doing.mail.game_id, doing.mail.seat
    for wish in requests_to(doing.game, seat) or agreed_to(doing.game, seat):
        doing.once(f"no {wish}", partial(vote, game_id, doing.player_id, wish, False))
    told = (
        noted("Not now, then: nothing changes, and the game stays paused.")
        if doing.game.table.status == "paused"
        else noted("Not now, then: nothing changes, and the game goes on.")
    )
    doing.answer["done"].append(gettext(told))


def _agree_to_take_back(doing: Doing) -> None:
    _vote(doing, TAKE_BACK)
    if votes_of(doing.mail.game_id)[TAKE_BACK]:
        told = noted("You've agreed. The move will be taken back as soon as everyone agrees.")
    elif has_gone_back(doing.game, doing.arrived_at):
        told = noted("Everyone has agreed. The move has been taken back.")
    else:
        raise TooLate(noted("No take-back vote is open."))
    doing.answer["done"].append(gettext(told))


def _ready(doing: Doing, wishes: Wishes) -> None:
    """Confirm that the player is ready. Salts can't be revealed by email, since emails may be read in transit."""
    if not doing.game.table.turns:
        ready(doing.mail.game_id, doing.player_id)
        doing.look_again()
    begun = doing.game.table.turns
    told = (
        noted("The game has started.")
        if begun
        else noted("You're ready. The game will start as soon as everyone is ready.")
    )
    doing.answer["done"].append(gettext(told))


def _plan(doing: Doing, wishes: Wishes) -> None:
    game_id, who = doing.mail.game_id, doing.player_id
    if wishes.plan == OFF:
        drop_plan(game_id, who)
    elif wishes.plan:
        doing.once("plan", partial(_leave_plan, doing, wishes.plan))
        doing.look_again()
    plan = get_plan(game_id, who)
    told = plan_sentence(plan, doing.game)
    doing.answer["done"].append(told or gettext("You haven't planned any moves."))


def _leave_plan(doing: Doing, text: str) -> None:
    table = doing.game.table
    if not table.turns:
        raise NotRunning(noted("You can plan only while the game is running."))
    view = table.rules.view(table.state, None)
    planned = read_plan(text, Spoken(table.rules, spoken().locale)) or []
    moves = [_to_api(it, table.rules, view) for it in planned]
    put_plan(doing.mail.game_id, doing.player_id, get_plan(doing.mail.game_id, doing.player_id)["revision"], moves)


def _to_api(planned: Planned, rules: Rules, view: Json) -> Json:
    """Return a planned move in the format of the API. `view` is the spectator's view. Raise MalformedMove if the place
    is unknown."""
    conditions: list[Json] = []
    if planned.place is not None:
        place = rules.place(view, planned.place)
        conditions = [*({"at": at, "is": value} for at, value in place.given.items()), {"at": place.at, "is": None}]
    return {"move": rules.move_to_json(planned.move), "if": conditions, "after": AT_ONCE}


def _vote(doing: Doing, wish: str) -> None:
    doing.once(wish, partial(vote, doing.mail.game_id, doing.player_id, wish, True))
    doing.look_again()


def _take_vacation(doing: Doing, wishes: Wishes) -> None:
    assert wishes.vacation
    doing.answer["done"].append(take_vacation(doing.player_id, *wishes.vacation))


def _stand_in(doing: Doing, wishes: Wishes) -> None:
    game_id, who = doing.mail.game_id, doing.player_id
    if not wishes.stand_in:
        doing.once("stand-in", partial(end_stand_in, game_id, who))
        doing.answer["done"].append(gettext("You no longer have a stand-in."))
        return
    first, last = days_in("..".join(wishes.stand_in[1:]), today_of(who))
    wish = Wish(first.isoformat(), last.isoformat(), email=address_in(wishes.stand_in[0]))
    doing.once("stand-in", partial(ask_stand_in, game_id, who, wish))
    from_, to = (times.day(day, spoken()) for day in (first, last))
    told = gettext(
        "We've asked %(address)s to play for you from %(first)s to %(last)s.",
        address=wishes.stand_in[0],
        first=from_,
        last=to,
    )
    doing.answer["done"].append(told)


def _resign(doing: Doing, wishes: Wishes) -> None:
    if not doing.game.table.turns:
        raise NotRunning(noted("The game hasn't started. You can leave your seat at the table."))
    leave(doing.mail.game_id, doing.player_id)
    doing.look_again()
    doing.answer["done"].append(gettext("You've resigned."))


def answer_uses(mail: Incoming, reader: str, same: str = "") -> list[Use]:
    """Return the limits that a reply without a move counts against. `same`: what emails with the same text have in
    common, if this one may be new."""
    by = mailbox_of(reader.lower())
    is_new = [Use("answers-same", same), Use("answers-daily", by)]
    if same and all(map(has_left, is_new)):
        return is_new
    of_reader = [Use("answers-to-sender", by)] * bool(reader)
    return [Use("answers", f"{mail.game_id}/{mail.seat}"), *of_reader]


def how_good(moves: Sequence[Json], unit: str | None) -> list[str]:
    """Return how good each move of a hint is in sentences, as on the page. `unit`: what the game's scores count."""
    worse = [is_behind(it["behind"], it["margin"]) for it in moves]
    best = gettext("The best.") if all(worse[1:]) else gettext("Among the best.")
    equal = gettext("About as good as the first.")
    worths = [("" if is_worse else equal) if nr else best for nr, is_worse in enumerate(worse)]
    return [_with_reason(it, worth, unit) for it, worth in zip(moves, worths, strict=True)]


def _with_reason(move: Json, worth: str, unit: str | None) -> str:
    if move["wins"]:
        return str(move["why"])
    points = move["scores_with_then"]
    scores = gettext("Scores %(points)s.", points=counted(points, unit)) if points else ""
    return " ".join(filter(None, (worth, scores, move["why"])))
