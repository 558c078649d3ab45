"""The functions that build emails, and their input."""

from collections.abc import Callable, ItemsView, Sequence
from datetime import date
from functools import lru_cache
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from flask_babel import gettext

from server.accounts.notice_kinds import ANSWER, YOUR_TURN, NoticeKind
from server.clock import clock
from server.games import Json, MalformedMove, Seat, without_undone
from server.games.presentation import bot_name, draw, draw_end, in_words, sentence, with_news
from server.play.game import Game, has_left, last_minute
from server.play.notices import is_outdated
from server.play.seating.seats import return_word
from server.play.story import authors
from server.play.story.exhibition import exhibition, today
from server.play.turns.turn_links import turn_word
from server.play.views import story, view_of
from server.post.letters.chat import Chat, chat_for
from server.post.wording import Letter, moment, short_span, span, spoken
from server.render.png import png
from server.store.tables import LetterRow, Player, PlayerLetterRow

NO_TIME: Json = {"due": "", "left": ""}
TELLING_TURN: Final = (YOUR_TURN.name, ANSWER.name)  # the kinds of emails that show a turn in full
_MOST_NEWS = 60  # sentences; some programs truncate emails larger than 102 KB
_PICTURES = 16

Builder = TypeVar("Builder", bound=Callable[..., Letter | None])
_BUILDERS: dict[str, Callable[[Any], Letter | None]] = {}


def builds(kind: NoticeKind) -> Callable[[Builder], Builder]:
    """Register a function that builds the email for this kind of notice. The function returns None if there is nothing
    to say."""

    def register(builder: Builder) -> Builder:
        _BUILDERS[kind.name] = builder
        return builder

    return register


def demo_picture(rules_name: str) -> tuple[bytes, str]:
    """Return today's exhibition game when it had most to see, as a PNG and in words."""
    return _demo_picture(rules_name, today(), spoken().locale)


@lru_cache(_PICTURES)
def _demo_picture(rules_name: str, day: date, locale: str) -> tuple[bytes, str]:
    shown = exhibition(rules_name, day)
    picture = draw(rules_name, shown.views[shown.fullest], shown.names, locale=locale)
    return png(picture), picture.title


class Recipient(NamedTuple):
    """The input for an email that isn't about a game."""

    letter: PlayerLetterRow
    base_url: str
    player: Player | None  # None if the email goes to an address without an account
    reply_domain: str | None = None  # None if inbound mail is off

    @property
    def known(self) -> Player:
        assert self.player
        return self.player


class Reader(NamedTuple):
    """The input for an email about a game."""

    game: Game
    seat: Seat
    zone: ZoneInfo
    base_url: str
    letter: LetterRow

    @property
    def about(self) -> Json:
        """Return the values for the fields of `GameLetter`."""
        return {
            "name": self.letter.data.get("name")
            or self.game.seats[self.seat].person.name
            or self.game.names[self.seat],
            "title": self.game.head.title,
            "rules": self.rules,
            "game_link": f"{self.base_url}/#/games/{self.game.game_id}",
            "plays_for": self._plays_for,
        }

    @property
    def _plays_for(self) -> str:
        """Return for whom the reader plays as a stand-in, a sentence, or ""."""
        row = self.game.seats[self.seat]
        if row.owner is None or row.stood_in_until is None or row.player_id != self.letter.player_id:
            return ""
        until = moment(last_minute(row.stood_in_until), self.zone)
        return str(gettext("You're playing for %(who)s until %(until)s.", who=row.owner.name, until=until))

    def caused_by(self, seat: Seat) -> Json:
        """Return the value for the field `by` of an email that the player in this seat has caused."""
        return {"by": "" if self.game.hides_names else self.game.names[seat]}

    @property
    def is_outdated(self) -> bool:
        return is_outdated(self.letter, self.game)

    @property
    def rules(self) -> str:
        """Return the name of the game that is played."""
        return self.game.table.rules.NAME.capitalize()

    @property
    def due(self) -> Json:
        """Return a pair: the due time of the seat's turn, and the time left."""
        due_at = self.game.seats[self.seat].due_at
        assert due_at is not None
        return {"due": moment(due_at, self.zone), "left": span(due_at - clock.now())}

    @property
    def left_in_short(self) -> str:
        due_at = self.game.seats[self.seat].due_at
        assert due_at is not None
        return short_span(due_at - clock.now())

    @property
    def turn_link(self) -> str:
        return self.link_of(self.letter.data.get("turn", self.letter.version))

    def link_of(self, turn: int) -> str:
        return f"{self.base_url}/t/{turn_word(self.game.game_id, self.seat, turn)}"

    @property
    def way_back(self) -> str:
        """Return the link to the page on which an absent player takes the seat back."""
        return f"{self.base_url}/back/{return_word(self.game.game_id, self.seat, self.game.seats[self.seat].since)}"

    @property
    def chat(self) -> Chat | None:
        """Return the chat since the reader's previous email about the game."""
        return chat_for(self.game, self.letter)

    @property
    def final_view(self) -> tuple[Json, list[Json]]:
        """Return a pair: the reader's view of a finished game, and its events as the reader saw them."""
        return view_of(self.game, self.seat), story(self.game, self.seat)

    def picture(self, is_over: bool) -> tuple[bytes, str]:
        """Return the table as its reader may see it now, as a PNG and in words."""
        name, names, locale = self.game.table.rules.NAME, self.game.names, spoken().locale
        if is_over:
            picture = draw_end(name, *self.final_view, names, locale)
        else:
            view = view_of(self.game, self.seat)
            if since := self._news_since(story(self.game, self.seat)):
                view = with_news(name, view, view_of(self.game, self.seat, since))
            picture = draw(name, view, names, locale=locale)
        return png(picture), picture.title

    def public_picture(self, names: Sequence[str]) -> tuple[bytes, str]:
        """Return the table as everyone may see it now, as a PNG and in words."""
        picture = draw(self.game.table.rules.NAME, view_of(self.game, None), names, locale=spoken().locale)
        return png(picture), picture.title

    def happened(self, since: int) -> tuple[str, ...]:
        """Return what this seat saw after version `since`."""
        return self._told(story(self.game, self.seat), since)

    @property
    def played(self) -> str:
        """Return the move that this email confirms, in the reader's words, or ""."""
        return in_words(self.game.table.rules, self.letter.data.get("played", ""), spoken().locale)

    @property
    def done(self) -> tuple[str, ...]:
        """Return the move and the take-back that this email confirms, a sentence each, in their order, and what the reply
        that it contains says beside them."""
        undone = in_words(self.game.table.rules, self.letter.data.get("undone", ""), spoken().locale)
        told = (
            gettext("You played: %(move)s", move=self.played) if self.played else "",
            gettext("Your move has been taken back: %(move)s", move=undone) if undone else "",
        )
        told = told[::-1] if self.letter.data.get("undone_first") else told
        return (*filter(None, told), *self.remarks)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return what the reply that this email contains says beside the move."""
        return tuple(self.letter.data.get("remarks", ()))

    def since_own_move(self) -> tuple[str, ...]:
        """Return what this seat saw since the last move of its player, without the start and the end of the game. If the
        email confirms that move, include its results."""
        items = [it for it in story(self.game, self.seat) if it["type"] not in ("game-started", "game-ended")]
        since = self._news_since(items)
        if move := self._played_move:
            items = [it for it in items if it["seat"] != self.seat or it["version"] <= since or not move <= it.items()]
        return self._told(items, since)

    @property
    def _played_move(self) -> ItemsView[str, Any] | None:
        """Return the fields of the move that this email confirms, or None."""
        rules = self.game.table.rules
        try:
            move: Json = rules.move_to_json(rules.read_move(self.letter.data.get("played", "")))
        except MalformedMove:
            return None
        return move.items()

    def _news_since(self, items: Sequence[Json]) -> int:
        """Return the version after which everything is news to the reader."""
        since: int | None = self.letter.data.get("since")
        return self._last_own_move(items) if since is None else since

    def _told(self, items: Sequence[Json], since: int) -> tuple[str, ...]:
        aside = getattr(self.game.table.rules, "ASIDE", ())
        news = [it for it in without_undone(items) if since < it["version"] and it["type"] not in aside]
        told = tuple(line for it in news if (line := self._sentence(it)))
        if len(told) <= _MOST_NEWS:
            return told
        before = gettext("Much more happened before. You'll find it on the game's page.")
        return (before, *told[-_MOST_NEWS:])

    def _sentence(self, item: Json) -> str | None:
        seat = item["seat"]
        if item["type"] == "seat-handed-over" and item["why"] == "resigned" and has_left(self.game.seats[seat]):
            name, bot = self.game.names[seat], bot_name(item["bot"])
            told = gettext("%(name)s has left Sternenpost. The bot %(bot)s plays on for them.", name=name, bot=bot)
            return str(told)
        return sentence(item, self.game.names, spoken().locale, self.seat, self.game.head.rules)

    def _last_own_move(self, items: Sequence[Json]) -> int:
        """Return the version of the player's last move before the email's version."""
        found, away, moves = 0, False, self.game.table.rules.EVENTS
        own = authors.STAND_IN if self.game.seats[self.seat].owner_id else authors.PLAYER
        for version, commit in groupby(items, key=lambda item: item["version"]):
            items_of = list(commit)
            facts = [(item["type"], item["seat"]) for item in items_of]
            type_, seat = facts[0]
            if (
                version < self.letter.version
                and type_ in moves
                and seat == self.seat
                and not away
                and items_of[0].get("by") == own
            ):
                found = version
            away = ("seat-handed-over", self.seat) in facts or (away and ("seat-taken-back", self.seat) not in facts)
        return found


def letter_for(it: Reader | Recipient) -> Letter | None:
    """Return the content of an email, or None if there is nothing to say."""
    return _BUILDERS[it.letter.kind](it)
