"""Writes a letter when it is carried: gathers what its kind needs, as its reader may see it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache, partial
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID
from zoneinfo import ZoneInfo

from flask_babel import force_locale, gettext
from sqlalchemy import select

from server.accounts import account_codes
from server.accounts.apps import NEW_APP, RIGHTS, end_word
from server.accounts.bounces import bounce_word, lost_word
from server.accounts.calendars import ALWAYS, time_zone
from server.accounts.mailed_codes import CODE_LIFE
from server.accounts.preferences import INVITATION, MAIL_KINDS, OFF, READY_ASKED, REMINDER, wanted
from server.accounts.signed_links import INVITATION as INVITED
from server.accounts.signed_links import mark_of, sign
from server.accounts.unsubscribe import stop_word
from server.clock import clock
from server.durations import duration
from server.operations.motd import notice
from server.play import authors, time_control
from server.play.commits import at_version, load
from server.play.game import Game, called
from server.play.letters import STAND_IN
from server.play.mail_in import SEVERAL, reply_word, rsvp_word, turn_before
from server.play.moves import present_turn, turn_word
from server.play.nameless import hides_names, is_nameless
from server.play.planning.plans import plan_of
from server.play.seating.hosting import CLOSING, NOT_READY, SENT_AWAY
from server.play.seating.lobby import waiting_games
from server.play.seating.seats import SEAT_TAKEN_OVER, is_asked, ready_word, return_word
from server.play.seating.stand_ins import asked_by_word, last_minute, stand_in_word
from server.play.table import OVER
from server.play.time_control import Bank, GameClock, PerMove
from server.play.timeout_policy import Abandon, BotMove, BotTakesOver, Extend, rung_for
from server.play.views import story, turn_of, view_of
from server.play.votes import TAKE_BACK, votes_of
from server.post import batching, wording
from server.post.incoming.automatic_mail import LOOP
from server.post.incoming.commands import AGREE, READY, word_for
from server.post.incoming.html_text import lines_of_page
from server.post.mime import build
from server.post.plans import what_became_of
from server.post.wording import moment, span, spoken
from server.render import text
from server.render.picture import draw, draw_end
from server.render.picture_parts import Picture
from server.render.png import png
from server.render.refusals import notation
from server.render.story import sentence
from server.rules import Json, Seat
from server.sanitize import has_link
from server.store.outbox import reader_of
from server.store.tables import Delivery, LetterRow, Player, PlayerLetterRow, SignIn, db
from server.translations import noted
from server.webhooks import subscriptions
from server.webhooks.failures import failure

_EXAMPLES = 4
_MOST_NEWS = 60  # sentences; of a mail above 102 KB some programs hide the rest
_LINES_KEPT = 200  # letters
_NO_TIME: Json = {"due": "", "left": ""}
_PICTURE = "table.png"
_PICTURE_OF_SEVERAL = "table-{}.png"


class Written(NamedTuple):
    """`sender` and `to` are those of the envelope; `short` is the message without page and pictures, for a server to
    which it is too big."""

    message: bytes
    sender: str
    to: str
    short: Callable[[], bytes]


class _Reader(NamedTuple):
    """What a letter of a game is made from."""

    game: Game
    seat: Seat
    zone: ZoneInfo
    base_url: str
    letter: LetterRow

    @property
    def about(self) -> Json:
        """What every letter of a game says."""
        return {
            "name": self.letter.data.get("name") or self.game.seats[self.seat]["name"] or self.game.names[self.seat],
            "title": self.game.head["title"],
            "rules": self.game.table.rules.NAME.capitalize(),
            "game_link": f"{self.base_url}/#/games/{self.game.game_id}",
        }

    @property
    def turn_link(self) -> str:
        return self._link(self.letter.data.get("turn", self.letter.version))

    def _link(self, turn: int) -> str:
        return f"{self.base_url}/t/{turn_word(self.game.game_id, self.seat, turn)}"

    @property
    def way_back(self) -> str:
        """To the page on which an absent person takes his seat back."""
        return f"{self.base_url}/back/{return_word(self.game.game_id, self.seat, self.game.seats[self.seat]['since'])}"

    @property
    def is_present(self) -> bool:
        """Whether this very turn waits, and its person has not begun to play it."""
        return not self.is_over and self.game.table.turns[self.seat] == self.letter.data["turn"]

    @property
    def is_over(self) -> bool:
        """Whether the turn that this letter is about no longer waits for its person."""
        is_present = present_turn(self.game, self.seat, self.letter.data["turn"]) is not None
        return not is_present or self.game.table.status != "running" or self.game.bot_at(self.seat) is not None

    def happened(self, since: int) -> tuple[str, ...]:
        """What was to be seen from this seat after version `since`, up to that of the letter."""
        return self._told(story(self.game, self.seat), since)

    def since_own_move(self) -> tuple[str, ...]:
        """What was to be seen from this seat since the last move that this person made himself, and no bot for him."""
        items = story(self.game, self.seat)
        return self._told(items, self._last_own_move(items))

    def _told(self, items: Sequence[Json], since: int) -> tuple[str, ...]:
        news = [it for it in items if since < it["version"] <= self.letter.version]
        told = tuple(line for it in news if (line := sentence(it, self.game.names, spoken().locale)))
        if len(told) <= _MOST_NEWS:
            return told
        before = gettext("Before that, much more happened; the whole game tells it.")
        return (before, *told[-_MOST_NEWS:])

    def _last_own_move(self, items: Sequence[Json]) -> int:
        """The version of the last one before the letter's."""
        found, away, moves = 0, False, self.game.table.rules.EVENTS
        own = authors.STAND_IN if self.game.seats[self.seat]["owner_id"] else authors.PLAYER
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


def compose(
    row: LetterRow | PlayerLetterRow, base_url: str, reply_domain: str | None = None, game: Game | None = None
) -> Written | None:
    """The letter as octets and for whom; None if it is no longer true, or its reader is gone.

    `reply_domain`: where answers to letters of a game go, and letters to players that do not arrive; None if nobody
    takes them in. `game`: the one that it belongs to, if it has been loaded just now.
    """
    with force_locale(_locale(row)):
        written = _composed(row, base_url, reply_domain, game)
    return _with_return_path(written, row, reply_domain)


def compose_together(
    turns: Sequence[tuple[LetterRow, Game]], base_url: str, reply_domain: str | None = None
) -> Written | None:
    """As `compose`, one letter about turns of several games of one reader, all of which wait; it bears the first one's id.

    An answer to it could be meant for each, so its Reply-To plays nothing, and each game has an address of its own.
    """
    player = db.session.get(Player, turns[0][0].player_id)
    if player is None:
        return None
    zone, row = time_zone(player.zone), turns[0][0]
    urgent_first = sorted(turns, key=lambda it: it[0].data["due_at"])
    with force_locale(player.locale):
        drawn = [_picture(game, it, is_over=False) for it, game in urgent_first]
        told = []
        for number, (it, game) in enumerate(urgent_first):
            reader = _Reader(game, it.seat, zone, base_url, it)
            answer = _address(it, it.data["turn"], reply_domain) if reply_domain else ""
            about = vars(_about_turn(reader, _due(reader)))
            name = _PICTURE_OF_SEVERAL.format(number)
            told.append(wording.TurnOfSeveral(**about, answer=answer, picture=name, alt=drawn[number].title))
        words = wording.YourTurns(name=player.name, turns=tuple(told))
        reply_to = _address(row, SEVERAL, reply_domain) if reply_domain else None
        images = [(it.picture, png(picture)) for it, picture in zip(told, drawn, strict=True)]
        written = _written(row, base_url, player.email, words, reply_to=reply_to, images=images)
    return _with_return_path(written, row, reply_domain)


def is_present(row: LetterRow, game: Game) -> bool:
    """Whether the turn that a letter is about waits."""
    return _Reader(game, row.seat, ALWAYS.zone, "", row).is_present


def _with_return_path(
    written: Written | None, row: LetterRow | PlayerLetterRow, reply_domain: str | None
) -> Written | None:
    reader = reader_of(row)
    if written is None or reply_domain is None:
        return written
    if reader is not None:
        return written._replace(sender=f"{bounce_word(reader, row.letter_id)}@{reply_domain}")
    if isinstance(row, LetterRow):
        return written._replace(sender=f"{lost_word(row.game_id, row.seat, row.data['to'])}@{reply_domain}")
    return written


def _locale(row: LetterRow | PlayerLetterRow) -> str:
    """The reader's own language; for somebody new that in which he signs in, or that of his host."""
    if "to" not in row.data:
        player = db.session.get(Player, reader_of(row))
    else:
        player = db.session.scalars(select(Player).where(Player.email == row.data["to"])).one_or_none()
        if player is None and row.kind == "sign-in-code":
            sign_in = db.session.get(SignIn, UUID(row.data["sign_in"]))
            return sign_in.locale if sign_in else "en"
        if player is None and isinstance(row, LetterRow) and is_nameless(load(row.game_id).head["options"]):
            return "en"  # that of his host would tell something of him
        if player is None:
            player = db.session.get(Player, UUID(row.data["by"]))
    return player.locale if player else "en"


def _composed(
    row: LetterRow | PlayerLetterRow, base_url: str, reply_domain: str | None, game: Game | None
) -> Written | None:
    if isinstance(row, PlayerLetterRow):
        return _to_player(row, base_url)
    game = game or load(row.game_id)
    if row.kind in ("invitation", "rsvp"):
        said: wording.Invitation | wording.StandInAsked | wording.Rsvp | None
        if row.kind == "rsvp":
            said = _rsvp(game, row, base_url)
        else:
            said = (_stand_in_asked if "stand_in" in row.data else _invitation)(game, row, base_url)
        waits = isinstance(said, wording.Invitation) or (isinstance(said, wording.Rsvp) and said.again)
        reply_to = (
            f"{rsvp_word(row.game_id, row.seat, row.data['to'])}@{reply_domain}" if reply_domain and waits else None
        )
        return None if said is None else _written(row, base_url, row.data["to"], said, game, reply_to)
    player = db.session.get(Player, row.player_id)
    if player is None:
        return None
    words = _words(_Reader(game, row.seat, time_zone(player.zone), base_url, row))
    if words is None:
        return None
    is_before = row.kind in (READY_ASKED, REMINDER, "answer") and not game.table.turns
    turn = turn_before(player.player_id) if is_before else row.data.get("turn", row.version)
    plays = (game.table.turns or is_before) and game.seat_of(player.player_id) == row.seat
    reply_to = _address(row, turn, reply_domain) if reply_domain and plays else None
    return _written(row, base_url, player.email, words, game, reply_to)


def _address(row: LetterRow, turn: int, reply_domain: str) -> str:
    """For answers."""
    return f"{reply_word(row.game_id, row.seat, turn)}@{reply_domain}"


def _to_player(row: PlayerLetterRow, base_url: str) -> Written | None:
    """A letter that belongs to no game."""
    if row.kind == "sign-in-code":
        code = _sign_in_code(row, base_url)
        return None if code is None else _written(row, base_url, row.data["to"], code)
    if row.kind in account_codes.PURPOSES:
        account = _account_code(row, base_url)
        return None if account is None else _written(row, base_url, row.data["to"], account)
    player = db.session.get(Player, row.player_id)
    if player is None:
        return None
    words: wording.Letter | None
    if row.kind == NEW_APP:
        words = _new_app(row, player, base_url)
    else:
        words = _to_owner(row, player) if row.kind == "webhook-disabled" else _bundle(row, player, base_url)
    return None if words is None else _written(row, base_url, player.email, words)


def _written(
    row: Any,
    base_url: str,
    to: str,
    words: wording.Letter,
    game: Game | None = None,
    reply_to: str | None = None,
    images: Sequence[tuple[str, bytes]] = (),
) -> Written:
    is_invitation = isinstance(words, wording.Invitation | wording.Rsvp)
    is_of_several = isinstance(words, wording.YourTurns)
    mark = wording.answer_above(is_invitation) if reply_to and not is_of_several else ""
    stop = _stop_link(row, to, base_url, isinstance(row, LetterRow) and not is_of_several)
    subject, body = wording.write(words, mark, stop)
    host = mail_host(base_url)
    sender = f"sternenpost@{host}"
    alt = ""
    if game and game.table.turns and isinstance(words, wording.YourTurn | wording.GameEnded | wording.Answer):
        picture = _picture(game, row, isinstance(words, wording.GameEnded))
        images, alt = [(_PICTURE, png(picture))], picture.title
    page = wording.write_page(words, _PICTURE if images else "", mark, stop, alt)
    short = partial(
        build,
        sender=sender,
        sender_name=wording.sender_name(words),
        to=to,
        subject=subject,
        text=body,
        message_id=f"{row.letter_id}@{host}",
        date=datetime.fromisoformat(row.data["at"]) if row.kind == "bundle" else row.made_at,
        thread=f"{game.game_id}@{host}" if game else None,
        headers={**(dict([LOOP, ("Reply-To", reply_to)]) if reply_to else {}), **_stopping(stop)},
        answers=row.data["answers"] if isinstance(words, wording.Answer | wording.Rsvp) else None,
    )
    return Written(short(html=page, inline_images=images), sender, to, short)


def _stop_link(row: Any, to: str, base_url: str, of_game: bool) -> str:
    """To a page on which such letters can be stopped, `of_game` those of one game; "" for those that nobody can do
    without."""
    if row.kind not in MAIL_KINDS:
        return ""
    if row.kind == INVITATION:
        word = stop_word(row.kind, to)
    else:
        of_seat = of_game and row.kind not in (
            CLOSING,
            NOT_READY,
            SENT_AWAY,
            SEAT_TAKEN_OVER,
        )  # whose mails can be stopped
        word = stop_word(row.kind, str(row.player_id), row.game_id if of_seat else None)
    return f"{base_url}/stop/{word}"


def _stopping(link: str) -> dict[str, str]:
    """What a mail program needs to show a button for it (RFC 8058)."""
    return {"List-Unsubscribe": f"<{link}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"} if link else {}


def _picture(game: Game, row: LetterRow, is_over: bool) -> Picture:
    """The table at the letter's version, as its reader may see it."""
    name, locale = game.table.rules.NAME, spoken().locale
    if is_over:
        return draw_end(name, *_final_view(game, row), game.names, locale)
    return draw(name, view_of(game, row.seat, row.version), game.names, locale=locale)


def mail_host(base_url: str) -> str:
    """The domain of our own addresses: the host of the links, if it has a name."""
    host = urlsplit(base_url).hostname or ""
    return host if any(char.isalpha() for char in host) else "localhost"


# One function a kind


def _your_turn(reader: _Reader) -> wording.YourTurn | None:
    return _about_turn(reader, _due(reader)) if reader.is_present else None


def _about_turn(reader: _Reader, time: Json) -> wording.YourTurn:
    game, seat, rules = reader.game, reader.seat, reader.game.table.rules
    state = at_version(game, reader.letter.version).state
    moves = [rules.write_move(move) for move in rules.legal_moves(state, seat)]
    return wording.YourTurn(
        **reader.about,
        **time,
        unreachable=tuple(
            row["name"]
            for row in game.seats
            if row["unreachable_since"] and row["seat"] != seat and not hides_names(game.head)
        ),
        since=reader.since_own_move(),
        table=text.table(rules.NAME, rules.view(state, seat), game.names, spoken().locale),
        moves=tuple(moves[:: max(1, len(moves) // _EXAMPLES)][:_EXAMPLES]),
        moves_in_all=len(moves),
        notation=notation(rules.NAME, spoken().locale),
        whole=rules.describe()["notation"]["examples"][-1]["text"],
        link=reader.turn_link,
        notice=(notice() or {"text": ""})["text"],
        plan=what_became_of(reader.letter.data.get("plan"), game, reader.zone),
    )


def lines_for(game: Game, seat: Seat, turn: int, answers: Sequence[Json], base_url: str) -> list[str]:
    """What a mail to the address for this turn may quote, line by line, but for times: the letter for the turn, and
    these answers (see `Incoming`), each as text and as HTML."""

    def reader(version: int, data: Json) -> _Reader:
        letter = LetterRow(game_id=game.game_id, seat=seat, version=version, data=data)
        then = replace(game, table=at_version(game, version))
        return _Reader(then, seat, ALWAYS.zone, base_url, letter)

    table = at_version(game, turn)
    is_turn = table.turns and table.turns[seat] == turn
    words: list[wording.YourTurn | wording.Answer] = []
    if is_turn:
        plan = plan_of(game, seat)["ended"]
        words.append(_about_turn(reader(turn, {"turn": turn, "plan": plan}), _NO_TIME))
    words += [_about_mail(reader(said["version"], said), _NO_TIME) for said in answers]
    return [line for it in words for line in _lines(it, spoken().locale)]


@lru_cache(_LINES_KEPT)
def _lines(words: wording.YourTurn | wording.Answer, locale: str) -> tuple[str, ...]:
    """Of the letter in this language; kept, since whoever writes often has many answers to compare his next mail with."""
    mark = wording.answer_above()
    page = lines_of_page(wording.write_page(words, mark=mark))
    return (*wording.write(words, mark)[1].splitlines(), *(line.text for line in page))


def _is_yet_to_be_told(reader: _Reader) -> bool:
    """Whether the letter for the turn that this one is about still waits, as after an outage: it says more."""
    told = LetterRow.kind.in_(("your-turn", "answer"))
    own = (LetterRow.game_id == reader.game.game_id) & (LetterRow.seat == reader.seat)
    its_turn = LetterRow.data["turn"].as_integer() == reader.letter.data["turn"]
    return db.session.execute(select(LetterRow.letter_id).where(own, told, its_turn).limit(1)).first() is not None


def _reminder(reader: _Reader) -> wording.Reminder | wording.ReadyAsked | None:
    if "turn" not in reader.letter.data:  # of what is asked before the start
        return _ready_asked(reader)
    if reader.is_over or _is_yet_to_be_told(reader):
        return None
    return wording.Reminder(
        **reader.about,
        **_due(reader),
        otherwise=_otherwise(reader, gettext("If the time runs out")),
        link=reader.turn_link,
    )


def _time_extended(reader: _Reader) -> wording.TimeExtended | None:
    if reader.is_over or _is_yet_to_be_told(reader):
        return None
    return wording.TimeExtended(
        **reader.about,
        **_due(reader),
        by=span(duration(reader.letter.data["by"])),
        otherwise=_otherwise(reader, gettext("If it runs out again")),
        link=reader.turn_link,
    )


def _bot_moved(reader: _Reader) -> wording.BotMoved:
    return wording.BotMoved(
        **reader.about,
        bot=reader.letter.data["bot"],
        since=reader.happened(reader.letter.version - 1),
        otherwise=_otherwise(reader, gettext("If your time runs out again")),
    )


def _seat_handed_over(reader: _Reader) -> wording.SeatHandedOver:
    return wording.SeatHandedOver(**reader.about, bot=reader.letter.data["bot"], link=reader.way_back)


def _game_ended(reader: _Reader) -> wording.GameEnded | None:
    ended = reader.game.table.ended
    if ended is None:
        return None
    own = ended.places[reader.seat]
    shared = list(ended.places).count(own) > 1
    best_first = sorted(zip(ended.places, reader.game.names, ended.scores, strict=True))
    return wording.GameEnded(
        **reader.about,
        verdict=gettext("You share the victory.") if own == 1 and shared else gettext(_PLACES[own - 1]),
        standings=tuple(f"{place}. {name}: {score}" for place, name, score in best_first),
        since=reader.since_own_move(),
        table=text.final_table(
            reader.game.table.rules.NAME, *_final_view(reader.game, reader.letter), reader.game.names, spoken().locale
        ),
    )


def _final_view(game: Game, row: LetterRow) -> tuple[Json, list[Json]]:
    """What its reader sees of a game that is over, and all that he saw happen."""
    return view_of(game, row.seat, row.version), story(game, row.seat)


def _why_abandoned(reader: _Reader) -> str:
    late = any(
        it["type"] == "time-ran-out" for it in story(reader.game, reader.seat) if it["version"] == reader.letter.version
    )
    if late:
        return str(gettext("Somebody's time had run out, as was agreed when it was opened."))
    return str(gettext("All who played agreed to it."))


def _why_closed(reader: _Reader) -> str:
    if reader.letter.made_at >= reader.game.head["closes_at"]:
        return str(gettext("Not all of its seats were taken in time."))
    return str(gettext("Its host has closed it."))


_PLACES = (
    noted("You won."),
    noted("You came second."),
    noted("You came third."),
    noted("You came fourth."),
    noted("You came fifth."),
)


def _game_paused(reader: _Reader) -> wording.GamePaused:
    return wording.GamePaused(**reader.about)


def _take_back_asked(reader: _Reader) -> wording.TakeBackAsked | None:
    """None if that vote is over, or its reader has consented."""
    said, asked = reader.letter.data, votes_of(reader.game.game_id)[TAKE_BACK]
    wanted = {"seat": said["by"], "to": said["to_version"], "ends_at": said["ends_at"]}
    if asked is None or not wanted.items() <= asked.items() or reader.seat in asked["consents"]:
        return None
    ends_at = datetime.fromisoformat(said["ends_at"])
    return wording.TakeBackAsked(
        **reader.about,
        who=reader.game.names[said["by"]],
        since=reader.happened(said["to_version"]),
        agree=word_for(AGREE, spoken().locale),
        due=moment(ends_at, reader.zone),
        left=span(ends_at - clock.now()),
    )


def _move_taken_back(reader: _Reader) -> wording.MoveTakenBack | None:
    """None if its reader was never told of the turn that is gone, or is asked again."""
    game, said = reader.game, reader.letter.data
    if game.table.turns[reader.seat] is not None or game.table.status in OVER or not _was_told(reader, said["gone"]):
        return None
    return wording.MoveTakenBack(**reader.about, who=game.names[said["by"]])


def _was_told(reader: _Reader, turn: int) -> bool:
    """Whether a letter about this turn has gone out."""
    own = (Delivery.game_id == reader.game.game_id) & (Delivery.seat == reader.seat) & (Delivery.version == turn)
    told = Delivery.kind.in_(("your-turn", "answer")) & Delivery.result.in_(("sent", "bundled"))
    return db.session.execute(select(Delivery.letter_id).where(own, told).limit(1)).first() is not None


def _game_abandoned(reader: _Reader) -> wording.GameAbandoned | wording.GameClosed:
    if not reader.game.table.turns:
        return wording.GameClosed(**reader.about, reason=_why_closed(reader), link=f"{reader.base_url}/#/open")
    return wording.GameAbandoned(**reader.about, reason=_why_abandoned(reader))


def _ready_asked(reader: _Reader) -> wording.ReadyAsked | None:
    """None if he has said so, or nobody is asked any more."""
    if not is_asked(reader.game, reader.seat) or reader.game.seats[reader.seat]["player_id"] != reader.letter.player_id:
        return None
    return wording.ReadyAsked(
        **reader.about,
        **_due(reader),
        ready=word_for(READY, spoken().locale),
        link=f"{reader.base_url}/ready/{ready_word(reader.game, reader.seat)}",
        salt=reader.game.seats[reader.seat]["salt_hash"] is not None,
        again=reader.letter.kind == REMINDER,
    )


def _not_ready(reader: _Reader) -> wording.NotReady:
    said = reader.letter.data
    late = said["late"]
    if "who" in said:
        late = [called(*it) for it in zip(said["seats"], said["who"], strict=True)]
    return wording.NotReady(**reader.about, late=tuple(late), is_late=reader.seat in said["seats"])


def _game_closing(reader: _Reader) -> wording.GameClosing | None:
    """None if it has begun, was closed, or is kept open meanwhile."""
    closes_at = reader.game.head["closes_at"]
    if reader.game.table.status != "open" or closes_at != datetime.fromisoformat(reader.letter.data["closes_at"]):
        return None
    free = sum(row["kind"] in ("open", "invited") for row in reader.game.seats)
    return wording.GameClosing(
        **reader.about, due=moment(closes_at, reader.zone), left=span(closes_at - clock.now()), free=free
    )


def _sent_away(reader: _Reader) -> wording.SentAway:
    return wording.SentAway(**reader.about, link=f"{reader.base_url}/#/lobby")


def _stand_in(reader: _Reader) -> wording.StandIn:
    data = reader.letter.data
    who, at = data["who"] if "who" in data else db.session.get_one(Player, UUID(data["other"])).name, ""
    if "until" in data:
        when = datetime.fromisoformat(data["until"])
        at = moment(when if data["what"] in ("accepted", "called-off") else last_minute(when), reader.zone)
    looks = gettext(
        "You can look on and talk meanwhile, and end it at the table whenever you like; then you play yourself again."
    )
    match data["what"], data["own"]:
        case "accepted", _:
            said, more = gettext("%(who)s will stand in for you, from %(at)s on.", who=who, at=at), looks
        case "began", True:
            said, more = gettext("%(who)s stands in for you until %(at)s.", who=who, at=at), looks
        case "began", _:
            said = gettext("you stand in for %(who)s until %(at)s.", who=who, at=at)
            more = gettext("A mail tells you when it is your turn. You can end it at the table whenever you like.")
        case "called-off", True:
            said = gettext("%(who)s will not stand in for you from %(at)s on: it was called off.", who=who, at=at)
            more = gettext("You play yourself in that time. You can ask somebody else at the table.")
        case "called-off", _:
            said = gettext("you need not stand in for %(who)s from %(at)s on: it was called off.", who=who, at=at)
            more = gettext("Thank you for having been ready to play.")
        case _, True:
            said = gettext("%(who)s does not stand in for you any more.", who=who)
            more = gettext("You play yourself again. A mail tells you when it is your turn.")
        case _:
            said = gettext("you do not stand in for %(who)s any more.", who=who)
            more = gettext("Thank you for playing. From now on you see of this game what everybody sees.")
    return wording.StandIn(**reader.about, said=said, more=more)


def _seat_taken_over(reader: _Reader) -> wording.SeatTakenOver:
    return wording.SeatTakenOver(**reader.about)


def _answer(reader: _Reader) -> wording.Answer:
    is_asked = turn_of(reader.game.table, reader.seat) is not None
    return _about_mail(reader, _due(reader) if is_asked else _NO_TIME)


def _about_mail(reader: _Reader, time: Json) -> wording.Answer:
    game, seat, said = reader.game, reader.seat, reader.letter.data
    rules, turn = game.table.rules, turn_of(game.table, seat)
    is_asked = turn is not None and not said["confirm"]
    begun = bool(game.table.turns)
    shows_table = begun and not said["confirm"] and (said["played"] or said["moves"] or turn is not None)
    shows_moves = is_asked and (said["moves"] or rules.is_mid_turn(game.table.state, seat))
    moves = rules.legal_moves(game.table.state, seat) if shows_moves else []
    link = reader._link(turn) if turn is not None else ""
    return wording.Answer(
        **reader.about,
        **(time if is_asked else _NO_TIME),
        **{name: said[name] for name in ("played", "wrong", "line", "confirm", "stranger")},
        since=reader.happened(said["since"]) if said["played"] else (),
        done=tuple(said["done"]),
        asked=tuple(said["asked"]),
        how=tuple(said["how"]),
        table=text.table(rules.NAME, view_of(game, seat), game.names, spoken().locale) if shows_table else "",
        moves=tuple(wording.by_beginning([rules.write_move(move) for move in moves])),
        link=link,
        last=(link or reader.about["game_link"]) if said["last"] else "",
        back=reader.way_back
        if begun and game.table.stand_ins[seat] and game.table.status in ("running", "paused")
        else "",
    )


_KINDS: dict[str, Callable[[_Reader], wording.GameLetter | None]] = {
    "your-turn": _your_turn,
    REMINDER: _reminder,
    "time-extended": _time_extended,
    "bot-moved": _bot_moved,
    "seat-handed-over": _seat_handed_over,
    "game-ended": _game_ended,
    "game-paused": _game_paused,
    "take-back-asked": _take_back_asked,
    "move-taken-back": _move_taken_back,
    "game-abandoned": _game_abandoned,
    "game-closing": _game_closing,
    "sent-away": _sent_away,
    READY_ASKED: _ready_asked,
    NOT_READY: _not_ready,
    "stand-in": _stand_in,
    "seat-taken-over": _seat_taken_over,
    "answer": _answer,
}
_TO_ANYBODY = (CLOSING, NOT_READY, SENT_AWAY, STAND_IN, SEAT_TAKEN_OVER)


def _words(reader: _Reader) -> wording.GameLetter | None:
    """None if it is no longer true, or is for whoever sits there and its reader does so no more."""
    row, kind = reader.game.seats[reader.seat], reader.letter.kind
    sits = reader.letter.player_id == row["player_id"] or (
        kind == "answer" and reader.letter.player_id == row["owner_id"]
    )
    return _KINDS[reader.letter.kind](reader) if sits or kind in _TO_ANYBODY else None


def _stand_in_asked(game: Game, row: LetterRow, base_url: str) -> wording.StandInAsked | None:
    """None if whoever is asked by it is asked no more, or has accepted."""
    word = stand_in_word(row.game_id, row.seat, row.data["stand_in"])
    asked = asked_by_word(word)[1]
    if asked is None or asked.accepted_by is not None:
        return None
    owner, rules = db.session.get_one(Player, asked.asked_by), game.table.rules.NAME.capitalize()
    zone = time_zone(owner.zone)
    shown = gettext("Your name will stand beside the other one.")
    if hides_names(game.head):
        shown = gettext("Nobody at the table learns your name before its end.")
    return wording.StandInAsked(
        who=_unless_link(owner.name, gettext("Somebody")),
        title=_unless_link(game.head["title"], rules),
        rules=rules,
        begin=moment(asked.from_at, zone),
        end=moment(last_minute(asked.until_at), zone),
        pace=_pace(time_control.game_clock(game.head["clock"])),
        link=f"{base_url}/s/{word}",
        shown=shown,
    )


def _invitation(game: Game, row: LetterRow, base_url: str) -> wording.Invitation | None:
    if game.seats[row.seat]["email"] != row.data["to"]:
        return None
    host, rules = db.session.get(Player, UUID(row.data["by"])), game.table.rules.NAME.capitalize()
    nameless = hides_names(game.head)
    others = [name for name, it in zip(game.names, game.seats, strict=True) if it["kind"] in ("human", "bot")]
    return wording.Invitation(
        host=_unless_link(host.name if host and not nameless else "", gettext("Somebody")),
        title=_unless_link(game.head["title"], rules),
        rules=rules,
        others=tuple(_unless_link(name, gettext("Somebody")) for name in others),
        pace=_pace(time_control.game_clock(game.head["clock"])),
        link=f"{base_url}/i/{row.data['invitation']}",
    )


def _rsvp(game: Game, row: LetterRow, base_url: str) -> wording.Rsvp:
    rules, again = game.table.rules.NAME.capitalize(), row.data["again"]
    invitation = sign(INVITED, row.game_id, row.seat, mark_of(row.data["to"]))
    return wording.Rsvp(
        title=_unless_link(game.head["title"], rules),
        rules=rules,
        played=row.data["played"],
        wrong=row.data["wrong"],
        again=again,
        link=f"{base_url}/i/{invitation}" if again else f"{base_url}/#/games/{row.game_id}",
    )


def _unless_link(words: str, instead: str) -> str:
    """What players call themselves and their games, in a letter to somebody who need not know them."""
    return instead if not words or has_link(words) else words


def _sign_in_code(row: PlayerLetterRow, base_url: str) -> wording.SignInCode | None:
    if row.made_at + CODE_LIFE <= clock.now():
        return None
    code = row.data["code"]
    return wording.SignInCode(code=code, good_for=span(CODE_LIFE), link=f"{base_url}/sign-in/{row.data['sign_in']}")


def _account_code(row: PlayerLetterRow, base_url: str) -> wording.Letter | None:
    if row.made_at + CODE_LIFE <= clock.now():
        return None
    about = {"code": row.data["code"], "good_for": span(CODE_LIFE), "link": f"{base_url}/#/settings/account"}
    match row.kind:
        case account_codes.DELETION:
            return wording.DeletionCode(**about)
        case account_codes.OLD_ADDRESS:
            return wording.OldAddressCode(**about, address=row.data["address"])
    return wording.NewAddressCode(**about)


def _bundle(row: PlayerLetterRow, player: Player, base_url: str) -> wording.Bundle | None:
    """What still waits, and what else was noted; None if that is nothing."""
    if batching.put_into_newer(row):
        return None
    zone, now = time_zone(player.zone), clock.now()
    waiting = tuple(
        wording.WaitingGame(
            title=it["title"],
            rules=it["rules"].capitalize(),
            due=moment(it["due_at"], zone),
            left=span(it["due_at"] - now),
            link=f"{base_url}/t/{turn_word(it['game_id'], it['seat'], it['turn'])}",
        )
        for it in waiting_games(player.player_id)
        if wanted("your-turn", player.notifications, it["mails"]) != OFF
    )
    written = (_words(_Reader(load(it.game_id), it.seat, zone, base_url, it)) for it in batching.letters_in(row))
    news = tuple(words for words in written if words is not None)
    return wording.Bundle(name=player.name, waiting=waiting, news=news) if waiting or news else None


def _new_app(row: PlayerLetterRow, player: Player, base_url: str) -> wording.NewApp:
    data = row.data
    return wording.NewApp(
        name=player.name,
        app=data["name"],
        address=data["address"],
        rights=tuple(gettext(RIGHTS[scope]) for scope in data["scopes"]),
        game=f"{base_url}/#/games/{data['game']}" if data["game"] else "",
        link=f"{base_url}/app/{end_word(row.player_id, UUID(data['app']))}",
    )


def _to_owner(row: PlayerLetterRow, player: Player) -> wording.WebhookDisabled:
    detail = failure(row.data["detail"], gettext).rstrip(".")
    why = gettext("For three days nothing has arrived there. The last failure: %(detail)s.", detail=detail)
    if row.data["why"] == subscriptions.GONE:
        why = gettext("It answered 410, which means that nobody wants to be told there.")
    return wording.WebhookDisabled(name=player.name, url=row.data["url"], why=why)


# Time in words


def _due(reader: _Reader) -> Json:
    due_at: datetime = reader.game.seats[reader.seat]["due_at"]
    return {"due": moment(due_at, reader.zone), "left": span(due_at - clock.now())}


def _pace(game_clock: GameClock) -> str:
    match game_clock:
        case PerMove(allowed):
            return str(gettext("%(time)s for a move", time=span(allowed)))
        case Bank(bank, increment):
            more = span(increment)
            return str(gettext("a store of %(time)s, and %(more)s more with each move", time=span(bank), more=more))


def _otherwise(reader: _Reader, if_late: str) -> str:
    """What the next time-out of this seat does."""
    table, seat = reader.game.table, reader.seat
    match rung_for(reader.game.ladder, table.extended[seat], table.missed[seat]):
        case Extend(by):
            then = gettext("you get %(time)s more", time=span(by))
        case BotMove(bot):
            then = gettext('the bot "%(bot)s" plays that turn for you', bot=bot)
        case BotTakesOver(bot):
            then = gettext('the bot "%(bot)s" takes your seat until you come back', bot=bot)
        case Abandon():
            then = gettext("the game ends for everybody, without a result")
    return f"{if_late}, {then}."
