"""Emails about a game: its start, votes, and its end."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from flask_babel import gettext, ngettext
from sqlalchemy import select

from server.accounts import notice_kinds
from server.clock import clock
from server.games import presentation as text
from server.play.game import display_name
from server.play.seating import ready_check, seats
from server.play.views import story, would_undo
from server.play.votes import REFUSALS, REQUESTS, TAKE_BACK
from server.post.incoming.commands import AGREE, PAUSE, READY, RESUME, word_for
from server.post.letters.chat import Chat, chat_not_seen
from server.post.letters.context import TELLING_TURN, Reader, builds
from server.post.table_help import filling_line, inviting_line, looking_back, playing_again, review_word, show_word
from server.post.wording import GameLetter, counted, moment, span, spoken, with_you
from server.store.tables import Delivery, db
from server.translations import noted

# Before the start


@dataclass(frozen=True, kw_only=True)
class ReadyAsked(GameLetter):
    """The email that asks a player whether they are ready."""

    KIND: ClassVar = notice_kinds.READY_ASKED
    NEWS: ClassVar = noted("%(title)s: all seats are taken. Confirm by %(due)s that you're ready.")
    ready: str  # the command to reply with
    due: str
    left: str
    link: str  # link to the page on which the reader confirms
    salt: bool  # whether the reader has committed to a salt, which can be revealed only at the table
    again: bool  # whether this email is a reminder


@builds(notice_kinds.READY_ASKED)
def ready_asked(reader: Reader) -> ReadyAsked:
    return ReadyAsked(
        **reader.about,
        **reader.due,
        ready=word_for(READY, spoken().locale),
        link=f"{reader.base_url}/ready/{seats.ready_word(reader.game, reader.seat)}",
        salt=reader.game.seats[reader.seat].salt_hash is not None,
        again=reader.letter.kind == notice_kinds.REMINDER.name,
    )


@dataclass(frozen=True, kw_only=True)
class NotReady(GameLetter):
    """The notice to all players that the game isn't starting yet."""

    KIND: ClassVar = notice_kinds.NOT_READY
    late: tuple[str, ...]  # names of the players who haven't confirmed in time
    is_late: bool  # whether the reader is one of them

    @property
    def news(self) -> str:
        if self.is_late:
            return noted("%(title)s: you didn't confirm in time, so your seat is free again.")
        return noted("%(title)s: not everyone was ready in time, so some seats are available again.")


@builds(notice_kinds.NOT_READY)
def not_ready(reader: Reader) -> NotReady:
    said = reader.letter.data
    late = said["late"]
    if "who" in said:
        people = ((who["name"], bool(who["program_since"])) if who else (None, False) for who in said["who"])
        late = [display_name(seat, *person) for seat, person in zip(said["seats"], people, strict=True)]
    return NotReady(**reader.about, late=tuple(late), is_late=reader.seat in said["seats"])


@dataclass(frozen=True, kw_only=True)
class GameClosing(GameLetter):
    """The warning to the host that the game will close, or the news that someone answered an invitation to it."""

    KIND: ClassVar = notice_kinds.GAME_CLOSING
    NEWS: ClassVar = noted("%(title)s: there are free seats. The game will close unless it starts by %(due)s.")
    declined: str = ""  # who declined, a sentence
    arrived: str = ""  # who has accepted an invitation, a sentence
    words: tuple[str, ...] = ()  # lines from the player who declined
    free: int  # number of free seats
    inviting: str = ""  # a line to reply with that invites someone, if a seat is free
    filling: str = ""  # the line that gives the free seats to bots
    due: str  # when the game closes
    left: str

    @property
    def headline(self) -> str:
        if self.arrived:
            return noted("Invitation accepted")
        return noted("Invitation declined") if self.declined else super().headline


@builds(notice_kinds.GAME_CLOSING)
def game_closing(reader: Reader) -> GameClosing | None:
    closes_at = reader.game.head.closes_at
    assert closes_at is not None  # set for every open game
    free = sum(map(ready_check.is_free, reader.game.seats))
    if not free:
        return None  # the ready check has begun, about which there is another email
    due, left = moment(closes_at, reader.zone), span(closes_at - clock.now())
    game, host = reader.game, reader.letter.player_id or reader.game.head.host
    lines = {}
    if any(row.kind == "open" for row in game.seats):
        lines = {"inviting": inviting_line(game, host), "filling": filling_line(game, host)}
    words = tuple(reader.letter.data.get("words", "").splitlines())
    said = {"declined": _declined(reader), "arrived": _arrived(reader)}
    return GameClosing(**reader.about, **said, **lines, words=words, free=free, due=due, left=left)


def _declined(reader: Reader) -> str:
    match reader.letter.data.get("declined"):
        case None:
            return ""
        case "":
            return str(gettext("An invited player has declined."))
        case who if "@" not in who:
            return str(gettext("%(who)s has declined the invitation.", who=who))
        case who:
            return str(gettext("%(who)s has declined your invitation.", who=who))


def _arrived(reader: Reader) -> str:
    match reader.letter.data:
        case {"returned": who}:
            return str(gettext("%(who)s comes after all.", who=who or gettext("A player")))
        case {"accepted": who}:
            return str(gettext("%(who)s has accepted the invitation.", who=who or gettext("A player")))
    return ""


@dataclass(frozen=True, kw_only=True)
class GameBegun(GameLetter):
    """The notice to the host that the game has begun with another player's turn."""

    KIND: ClassVar = notice_kinds.GAME_STARTED
    NEWS: ClassVar = noted("%(title)s: %(first)s")
    first: str  # who begins, a sentence
    time: str  # how long they have, a sentence
    table: str  # the table as this seat sees it


@builds(notice_kinds.GAME_STARTED)
def game_begun(reader: Reader) -> GameBegun | None:
    """Return the email, or None if the game has moved on to the reader's turn."""
    game, seat = reader.game, reader.seat
    beginning = [row for row in game.seats if row.turn is not None]
    if game.table.status != "running" or game.table.turns[seat] is not None or not beginning:
        return None
    names, due_at = spoken().listed([game.names[row.seat] for row in beginning]), beginning[0].due_at
    first = ngettext("All are here: %(names)s begins.", "All are here: %(names)s begin.", len(beginning), names=names)
    time = ""
    if due_at:
        left, due = span(due_at - clock.now()), moment(due_at, reader.zone)
        time = gettext("%(name)s has %(left)s to move, until %(due)s.", name=names, left=left, due=due)
    view = game.table.rules.view(game.table.state, seat)
    table = text.table(game.table.rules.NAME, view, game.names, spoken().locale)
    return GameBegun(**reader.about, first=first, time=time if len(beginning) == 1 else "", table=table)


# Votes


@dataclass(frozen=True, kw_only=True)
class GamePaused(GameLetter):
    KIND: ClassVar = notice_kinds.GAME_PAUSED
    resume: str  # the command to reply with
    agreed: bool = True  # whether others than bots have agreed

    @property
    def news(self) -> str:
        if self.agreed:
            return noted("%(title)s: the game is paused. Everyone agreed.")
        return noted("%(title)s: the game is paused.")


@builds(notice_kinds.GAME_PAUSED)
def game_paused(reader: Reader) -> GamePaused:
    agreed = sum(row.player_id is not None for row in reader.game.seats) > 1
    return GamePaused(**reader.about, resume=word_for(RESUME, spoken().locale), agreed=agreed)


_EFFECTS = {
    "pause": noted("The game will pause as soon as everyone agrees."),
    "resume": noted("The game will resume as soon as everyone agrees."),
    "abandon": noted("The game will end without a result as soon as everyone agrees."),
    "offer": noted("Other players can take the bots' seats as soon as everyone agrees."),
    TAKE_BACK: noted("The move will be taken back as soon as everyone agrees."),
}
_AGREEING = {"pause": PAUSE, "resume": RESUME}  # commands to reply with; other votes need the page


@dataclass(frozen=True, kw_only=True)
class VoteAsked(GameLetter):
    """The request to a player to agree to what another player wants."""

    KIND: ClassVar = notice_kinds.VOTE_ASKED
    NEWS: ClassVar = noted("%(title)s: %(request)s")
    request: str  # a sentence
    effect: str  # a sentence
    agree: str  # the command to reply with, or ""
    chat: Chat | None = field(default=None, compare=False)  # what the reader hasn't seen yet


@builds(notice_kinds.VOTE_ASKED)
def vote_asked(reader: Reader) -> VoteAsked:
    said = reader.letter.data
    wish, who = said["on"], reader.game.names[said["by"]]
    command = _AGREEING.get(wish)
    return VoteAsked(
        **reader.about,
        **reader.caused_by(said["by"]),
        request=gettext(REQUESTS[wish], who=who),
        effect=gettext(_EFFECTS[wish]),
        agree=word_for(command, spoken().locale) if command else "",
        chat=chat_not_seen(reader.game, reader.letter),
    )


@dataclass(frozen=True, kw_only=True)
class VoteRefused(GameLetter):
    """The notice to a player that another player refuses their request."""

    KIND: ClassVar = notice_kinds.VOTE_REFUSED
    NEWS: ClassVar = noted("%(title)s: %(refusal)s")
    refusal: str  # a sentence
    effect: str  # a sentence


@builds(notice_kinds.VOTE_REFUSED)
def vote_refused(reader: Reader) -> VoteRefused:
    said = reader.letter.data
    wish, who = said["on"], reader.game.names[said["by"]]
    return VoteRefused(
        **reader.about,
        **reader.caused_by(said["by"]),
        refusal=gettext(REFUSALS[wish], who=who),
        effect=gettext(_EFFECTS[wish]),
    )


@dataclass(frozen=True, kw_only=True)
class TakeBackAsked(GameLetter):
    """The request to a player to agree to a take-back."""

    KIND: ClassVar = notice_kinds.TAKE_BACK_ASKED
    NEWS: ClassVar = noted("%(title)s: %(who)s is asking to take back a move. You can agree until %(due)s.")
    who: str  # the player whose move it is
    since: tuple[str, ...]  # what would be undone, a sentence each
    agree: str  # the command to reply with
    due: str  # when the vote ends
    left: str


@builds(notice_kinds.TAKE_BACK_ASKED)
def take_back_asked(reader: Reader) -> TakeBackAsked:
    said = reader.letter.data
    ends_at = datetime.fromisoformat(said["ends_at"])
    return TakeBackAsked(
        **reader.about,
        **reader.caused_by(said["by"]),
        who=reader.game.names[said["by"]],
        since=tuple(would_undo(reader.game, reader.seat, said["to_version"], spoken().locale)),
        agree=word_for(AGREE, spoken().locale),
        due=moment(ends_at, reader.zone),
        left=span(ends_at - clock.now()),
    )


@dataclass(frozen=True, kw_only=True)
class MoveTakenBack(GameLetter):
    """The notice to a player that their turn is over because a move was taken back."""

    KIND: ClassVar = notice_kinds.MOVE_TAKEN_BACK
    NEWS: ClassVar = noted("%(title)s: %(who)s took back a move. Your turn is over.")
    who: str


@builds(notice_kinds.MOVE_TAKEN_BACK)
def move_taken_back(reader: Reader) -> MoveTakenBack | None:
    """Return the email, or None if the reader got no email about the turn that is over."""
    game, said = reader.game, reader.letter.data
    own = (Delivery.game_id == game.game_id) & (Delivery.seat == reader.seat) & (Delivery.version == said["gone"])
    told = Delivery.kind.in_(TELLING_TURN) & Delivery.result.in_(("sent", "bundled"))
    if db.session.execute(select(Delivery.letter_id).where(own, told).limit(1)).first() is None:
        return None
    return MoveTakenBack(**reader.about, **reader.caused_by(said["by"]), who=game.names[said["by"]])


# The end of a game

_LAST = 3  # sentences about the last moves
_PLACES = (
    noted("You won."),
    noted("You came second."),
    noted("You came third."),
    noted("You came fourth."),
    noted("You came fifth."),
)


@dataclass(frozen=True, kw_only=True)
class GameEnded(GameLetter):
    KIND: ClassVar = notice_kinds.GAME_ENDED
    NEWS: ClassVar = noted("%(title)s: the game is over. %(verdict)s")
    verdict: str  # the reader's place, such as "You won." or "You came third."
    standings: tuple[tuple[str, str, str], ...]  # place, name and score of each seat, best first
    decision: str = ""  # what decided the game, or ""
    since: tuple[str, ...]
    played: str = ""  # the reader's last move, if this email confirms it, as the reader may write it
    remarks: tuple[str, ...] = ()  # what our reply to that move says beside it
    own: str  # where the reader's score comes from, a sentence, or ""
    show: str  # the word that asks for the whole table
    review: str  # the word that asks for a review, or ""
    again: str  # how to play again with the same players, a sentence
    looking_back: str = ""  # how to look back at the game, a sentence
    chat: Chat | None = None


def _verdict(place: int, is_shared: bool, has_bot: bool) -> str:
    """Return a sentence about a place. `has_bot`: whether a bot has finished the game in the player's seat."""
    if has_bot:
        if place > 1:
            return str(gettext("The bot in your seat finished in place %(place)s.", place=place))
        return str(
            gettext("The bot in your seat shares the victory.") if is_shared else gettext("The bot in your seat won.")
        )
    return str(gettext("You share the victory.") if place == 1 and is_shared else gettext(_PLACES[place - 1]))


@builds(notice_kinds.GAME_ENDED)
def game_ended(reader: Reader) -> GameEnded | None:
    game, ended = reader.game, reader.game.table.ended
    if ended is None:
        return None
    own, has_bot = ended.places[reader.seat], game.bot_at(reader.seat) is not None
    shared = list(ended.places).count(own) > 1
    names = with_you(game.names, None if has_bot else reader.seat)
    name = game.table.rules.NAME
    unit = text.score_unit(name)
    final, player_id = reader.final_view, reader.letter.player_id
    best_first = sorted(zip(ended.places, names, ended.scores, strict=True))
    return GameEnded(
        **reader.about,
        verdict=_verdict(own, shared, has_bot),
        standings=tuple((f"{place}.", who, counted(score, unit)) for place, who, score in best_first),
        decision=text.decision(name, *final, names, None if has_bot else reader.seat, spoken().locale),
        since=reader.since_own_move()[-_LAST:],
        played=reader.played,
        remarks=reader.remarks,
        own="" if has_bot else text.own_result(name, *final, reader.seat, spoken().locale),
        show=show_word(),
        review=review_word(game),
        again=playing_again(game, player_id) if player_id and game.seat_of(player_id) == reader.seat else "",
        looking_back=looking_back(game, player_id) if player_id else "",
        chat=reader.chat,
    )


@dataclass(frozen=True, kw_only=True)
class GameAbandoned(GameLetter):
    KIND: ClassVar = notice_kinds.GAME_ABANDONED
    NEWS: ClassVar = noted("%(title)s: the game has ended without a result. %(reason)s")
    reason: str  # a sentence


@dataclass(frozen=True, kw_only=True)
class GameClosed(GameLetter):
    """The notice to players that a game was closed before its start."""

    KIND: ClassVar = notice_kinds.GAME_ABANDONED
    TEMPLATE: ClassVar = "game-closed"
    HEADLINE: ClassVar = noted("Game closed")
    NEWS: ClassVar = noted("%(title)s: the game was closed before it started. %(reason)s")
    reason: str  # a sentence
    link: str  # link to the page on which another game is opened


@builds(notice_kinds.GAME_ABANDONED)
def game_abandoned(reader: Reader) -> GameAbandoned | GameClosed:
    if not reader.game.table.turns:
        return GameClosed(**reader.about, reason=_why_closed(reader), link=f"{reader.base_url}/#/open")
    return GameAbandoned(**reader.about, reason=_why_abandoned(reader))


def _why_abandoned(reader: Reader) -> str:
    late = any(
        it["type"] == "time-ran-out" for it in story(reader.game, reader.seat) if it["version"] == reader.letter.version
    )
    if late:
        return str(gettext("A player ran out of time, which ends this game."))
    return str(gettext("Everyone agreed."))


def _why_closed(reader: Reader) -> str:
    closes_at = reader.game.head.closes_at
    if closes_at is not None and reader.letter.made_at >= closes_at:
        return str(gettext("Not all seats were taken in time."))
    return str(gettext("The host closed the game."))


# The chat


@dataclass(frozen=True, kw_only=True)
class NewMessages(GameLetter):
    """New messages in the chat, for a player who hasn't been at the table since."""

    KIND: ClassVar = notice_kinds.MESSAGE
    NEWS: ClassVar = noted("%(title)s: there are new messages in the chat.")
    chat: Chat = field(compare=False)  # so that a bundle has one line for a game


@builds(notice_kinds.MESSAGE)
def new_messages(reader: Reader) -> NewMessages | None:
    chat = chat_not_seen(reader.game, reader.letter)
    by = "" if chat is None or reader.game.hides_names else chat.author
    return NewMessages(**reader.about, by=by, chat=chat) if chat else None
