"""Games as a whole: open one, take a seat, leave, find and look at them."""

import secrets
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Select, delete, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert

from server.bots import BOTS
from server.play import clock as clocks
from server.play.capabilities import seal, unseal
from server.play.clock import clock
from server.play.deeds import Game, at_version, load, load_within, record, record_within, whole_log
from server.play.errors import AlreadySeated, BadField, NotFound, NotRunning, NotSeated, SeatTaken
from server.play.players import player_of
from server.play.table import GameStarted, SeatHandedOver, SeatTakenBack, Table, story_item, typed
from server.play.words import clean
from server.rules import GAMES, Json, Seat, commitment
from server.store.connections import in_transaction, tried_again
from server.store.tables import Game as GameRow
from server.store.tables import Letter, Player, PlayerGame, db
from server.store.tables import Seat as SeatRow

INVITATION, RETURN = "invitation", "return"


# Opening and seats


def open_game(player_id: UUID, wanted: Json) -> Game:
    """Open a game; it starts at once if every seat is taken. Raises BadOption, BadField."""
    rules = GAMES.get(wanted["rules"])
    if rules is None:
        raise BadField("rules", f"There is no game {wanted['rules']!r}; there is {', '.join(GAMES)}.")
    seats = [_wanted_seat(i, seat, player_id) for i, seat in enumerate(wanted["seats"])]
    if sum(seat["player_id"] is not None for seat in seats) > 1:
        raise BadField("seats", "You can take one seat only.")
    options = rules.resolve_options(wanted.get("options", {}), len(seats))
    title = clean(wanted.get("title") or rules.NAME.capitalize(), 80)
    if not title:
        raise BadField("title", "A title needs at least one visible character.")
    game_clock = wanted.get("clock", clocks.DEFAULT_CLOCK)
    on_timeout = wanted.get("on_timeout", clocks.DEFAULT_LADDER)
    for field, check in (
        ("clock", lambda: clocks.game_clock(game_clock)),
        ("on_timeout", lambda: clocks.ladder(on_timeout, BOTS)),
    ):
        try:
            check()
        except ValueError as error:
            raise BadField(field, str(error)) from None
    return _open(
        uuid4(),
        player_id,
        seats,
        rules=rules.NAME,
        options=options,
        title=title,
        private=wanted.get("private", False),
        clock=game_clock,
        on_timeout=on_timeout,
    )


@tried_again
def _open(game_id: UUID, player_id: UUID, seats: list[Json], **head: Any) -> Game:
    now = clock.now()
    if db.session.get(GameRow, game_id) is None:  # a commit whose answer was lost is found again
        db.session.execute(
            insert(GameRow).values(
                game_id=game_id,
                made_by=player_id,
                made_at=now,
                seed=secrets.token_bytes(32),
                drawn=0,
                status="open",
                version=0,
                outcome=None,
                **head,
            )
        )
        empty = {"salt": "", "to_act": False, "lent": 0}
        db.session.execute(insert(SeatRow), [{"game_id": game_id, **empty, **seat} for seat in seats])
        for seat in seats:
            if seat["email"]:
                _invite(game_id, seat["seat"], seat["email"], now)
            if seat["player_id"]:
                _note_seat(player_id, game_id, seat["seat"], now)
        _start_if_full(game_id, now)
        db.session.commit()
    return load(game_id)


def _wanted_seat(seat: Seat, wanted: Json, player_id: UUID) -> Json:
    """A row for `seats`, from one of the four ways to fill a seat."""
    row: Json = {"seat": seat, "kind": "open", "player_id": None, "bot": None, "email": None}
    match wanted:
        case {"player": "me"}:
            return row | {"kind": "human", "player_id": player_id}
        case {"email": str(email)}:
            return row | {"kind": "invited", "email": email}
        case {"bot": str(bot)} if bot in BOTS:
            return row | {"kind": "bot", "bot": bot}
        case {"open": True}:
            return row
    raise BadField(
        f"seats.{seat}",
        'A seat is {"player": "me"}, {"email": "..."}, {"bot": "..."} or {"open": true}; '
        f"the bots are {', '.join(BOTS)}.",
    )


def _invite(game_id: UUID, seat: Seat, email: str, now: datetime) -> None:
    db.session.add(
        Letter(
            game_id=game_id,
            letter_id=uuid4(),
            dedupe=f"invitation/0/{seat}/mail/{email}",
            kind="invitation",
            version=0,
            seat=seat,
            player_id=None,
            data={"to": email, "invitation": seal(INVITATION, game_id, seat)},
            made_at=now,
            due_at=now,
            tries=0,
        )
    )


def _note_seat(player_id: UUID, game_id: UUID, seat: Seat, made_at: datetime) -> None:
    row = insert(PlayerGame).values(player_id=player_id, game_id=game_id, seat=seat, made_at=made_at)
    db.session.execute(row.on_conflict_do_nothing())


def _start_if_full(game_id: UUID, now: datetime) -> None:
    """Within the transaction that took a seat: set up the game if it was the last one."""
    connection = in_transaction(db.session.connection())
    game = load_within(connection, game_id)
    if any(row["kind"] in ("open", "invited") for row in game.seats):
        return
    dice = game.dice()
    opening = game.table.rules.setup(len(game.seats), game.head["options"], dice)
    record_within(connection, game, [GameStarted(len(game.seats)), *opening], now, dice.drawn)


@tried_again
def take_seat(
    game_id: UUID, player_id: UUID, seat: Seat | None = None, salt: str = "", invitation: str | None = None
) -> Game:
    """Sit down at a game that has not started, or take one's own seat back from a bot.

    Raises NotFound, SeatTaken, AlreadySeated, NotRunning.
    """
    game = load(game_id)
    if (own := game.seat_of(player_id)) is not None and game.table.status == "running":
        return _take_back(game, own)
    now, email = clock.now(), db.session.get_one(Player, player_id).email
    invited_to = _invited_seat(game_id, invitation)
    head = db.session.execute(select(GameRow).where(GameRow.game_id == game_id).with_for_update()).scalar_one()
    seats = db.session.scalars(select(SeatRow).where(SeatRow.game_id == game_id).order_by(SeatRow.seat)).all()
    people = [(s.player_id, s.email) for s in seats]
    if head.private and invited_to is None and not _may_see(head.made_by, people, player_id, email):
        raise NotFound("There is no such game.")
    if any(s.player_id == player_id for s in seats):
        raise AlreadySeated("You sit at this table already.")
    if head.status != "open":
        raise NotRunning("This game has begun; its seats are taken.")
    free = [
        s for s in seats if s.kind == "open" or (s.kind == "invited" and (s.email == email or s.seat == invited_to))
    ]
    free.sort(key=lambda s: (s.kind == "open", s.seat))  # a seat kept for this person first
    chosen = next((s for s in free if seat is None or s.seat == seat), None)
    if chosen is None:
        raise SeatTaken("There is no free seat for you here." if seat is None else f"Seat {seat} is not free for you.")
    chosen.kind, chosen.player_id, chosen.email, chosen.salt = "human", player_id, None, salt
    db.session.flush()
    _note_seat(player_id, game_id, chosen.seat, head.made_at)
    _start_if_full(game_id, now)
    db.session.commit()
    return load(game_id)


def _invited_seat(game_id: UUID, invitation: str | None) -> Seat | None:
    if invitation is None:
        return None
    word = unseal(INVITATION, invitation)
    if word.game_id != game_id:
        raise NotFound("This invitation is for another game.")
    return word.seat


def invitation(word: str) -> tuple[Game, Seat]:
    """The game and the seat that a mailed invitation is for. Raises NotFound."""
    game_id, seat, _ = unseal(INVITATION, word)
    return load(game_id), seat


def accept_invitation(word: str) -> Game:
    """Take the seat for the address that the invitation was mailed to: whoever holds the word reads its mail.

    Raises NotFound, SeatTaken, AlreadySeated, NotRunning.
    """
    game, seat = invitation(word)
    email = game.seats[seat]["email"]
    if email is None:
        raise SeatTaken("This seat is taken.")
    return take_seat(game.game_id, player_of(email, "en"), seat, invitation=word)


def return_word(game_id: UUID, seat: Seat) -> str:
    """The sealed word with which an absent person comes back to his seat."""
    return seal(RETURN, game_id, seat)


def returning(word: str) -> tuple[Game, Seat]:
    """The game and the seat that somebody may come back to. Raises NotFound."""
    game_id, seat, _ = unseal(RETURN, word)
    return load(game_id), seat


@tried_again
def come_back(word: str) -> Game:
    """Take the seat of this word back from the bot. Raises NotFound, NotRunning, AlreadySeated."""
    game, seat = returning(word)
    if game.table.status != "running":
        raise NotRunning("This game is over.")
    return _take_back(game, seat)


def _take_back(game: Game, seat: Seat) -> Game:
    if game.table.stand_ins[seat] is None:
        raise AlreadySeated("You sit at this table already.")
    return record(game, [SeatTakenBack(seat)], clock.now()) or take_seat(game.game_id, game.seats[seat]["player_id"])


@tried_again
def leave(game_id: UUID, player_id: UUID) -> None:
    """Get up before the start, or resign: a bot plays on. Raises NotFound, NotSeated, NotRunning."""
    game = seen_by(game_id, player_id)
    seat = game.seat_of(player_id)
    if seat is None:
        raise NotSeated("You have no seat at this table.")
    if game.table.status == "open":
        _get_up(game_id, player_id)
    elif game.table.status != "running":
        raise NotRunning("This game is over.")
    elif game.table.stand_ins[seat] is None:
        bot = clocks.bot_of(game.ladder)
        if record(game, [SeatHandedOver(seat, bot, "resigned")], clock.now()) is None:
            leave(game_id, player_id)


def _get_up(game_id: UUID, player_id: UUID) -> None:
    head = db.session.execute(select(GameRow).where(GameRow.game_id == game_id).with_for_update()).scalar_one()
    if head.status != "open":
        db.session.rollback()
        return leave(game_id, player_id)
    mine = (SeatRow.game_id == game_id) & (SeatRow.player_id == player_id)
    db.session.execute(update(SeatRow).where(mine).values(kind="open", player_id=None, salt=""))
    gone = (PlayerGame.player_id == player_id) & (PlayerGame.game_id == game_id)
    db.session.execute(delete(PlayerGame).where(gone))
    db.session.commit()


# Looking


def seen_by(game_id: UUID, player_id: UUID | None) -> Game:
    """The game as it stands, if this person may see it. Raises NotFound."""
    game = load(game_id)
    if game.head["private"]:
        people = [(row["player_id"], row["email"]) for row in game.seats]
        player = db.session.get(Player, player_id) if player_id else None
        if player is None or not _may_see(UUID(game.head["made_by"]), people, player.player_id, player.email):
            raise NotFound("There is no such game.")
    return game


def _may_see(made_by: UUID, people: list[tuple[UUID | None, str | None]], player_id: UUID, email: str) -> bool:
    return player_id == made_by or any(player_id == sitting or email == invited for sitting, invited in people)


def describe(game: Game, viewer: Seat | None, version: int | None = None) -> Json:
    """A game as this viewer sees it, at an earlier version if one is named. Raises NotFound for one to come."""
    table = game.table if version is None else table_at(game, version)
    now = version is None or version == game.table.version
    return {
        **summary(game.head | {"version": table.version, "status": table.status}, game.seats, table.turns, now),
        "you": you(table, viewer),
        "view": table.rules.view(table.state, viewer) if table.state is not None else None,
        "outcome": table.ended and {"scores": table.ended.scores, "places": table.ended.places},
    }


def table_at(game: Game, version: int) -> Table:
    """Raises NotFound for a version that the game has not reached."""
    if not 0 <= version <= game.table.version:
        raise NotFound(f"This game has no version {version} yet.")
    return at_version(game, version)


def you(table: Table, seat: Seat | None) -> Json | None:
    """The viewer's seat and the turn that he is asked for, if any."""
    return None if seat is None else {"seat": seat, "turn": table.turns[seat] if table.turns else None}


def summary(head: Json, seats: Any, turns: tuple[int | None, ...] | None = None, now: bool = True) -> Json:
    """A game without its view, as lists show it. `turns`: as they were at an earlier version."""
    return {
        "id": head["game_id"],
        "rules": head["rules"],
        "options": head["options"],
        "title": head["title"],
        "private": head["private"],
        "status": head["status"],
        "version": head["version"],
        "made_at": head["made_at"],
        "clock": head["clock"],
        "on_timeout": head["on_timeout"],
        "seats": [_seat(row, turns[i] if turns else row["turn"] if now else None, now) for i, row in enumerate(seats)],
        "commitment": commitment(head["seed"]),
    }


def _seat(row: Json, turn: int | None, now: bool) -> Json:
    stand_in = row["stand_in"] if now else None
    return {
        "seat": row["seat"],
        "name": row["bot"] or row["name"],
        "kind": row["kind"],
        "stand_in": stand_in,
        "to_act": turn is not None,
        "turn": turn,
        "due_at": row["due_at"] if now else None,
    }


def story(game: Game, viewer: Seat | None, after: int = 0, limit: int | None = None) -> list[Json]:
    """What happened since the event `after`, as this viewer saw it happen."""
    rules = game.table.rules
    items = (story_item(rules, row, typed(rules, row), viewer) for row in whole_log(game.game_id, after))
    return [item for item in items if item is not None][:limit]


# Lists


class Page(NamedTuple):
    items: list[Json]
    next: tuple[datetime, UUID] | None


def list_games(
    player_id: UUID | None,
    email: str | None = None,
    *,
    status: str | None = None,
    rules: str | None = None,
    mine: bool = False,
    my_turn: bool = False,
    cursor: tuple[datetime, UUID] | None = None,
    limit: int = 20,
) -> Page:
    """Games, newest first: public ones, or those where the player sits."""
    where: list[ColumnElement[bool]] = []
    if status:
        where.append(GameRow.status == status)
    if rules:
        where.append(GameRow.rules == rules)
    if not (mine or my_turn):
        query = _newest(select(GameRow).where(~GameRow.private, *where), GameRow, cursor).limit(limit + 1)
        rows = list(db.session.scalars(query))
        return _page(rows, rows[:limit], limit)
    found: list[GameRow] = []
    while len(found) <= limit:
        sat = _newest(select(PlayerGame).where(PlayerGame.player_id == player_id), PlayerGame, cursor).limit(100)
        batch = list(db.session.scalars(sat))
        if not batch:
            break
        ids = [row.game_id for row in batch]
        cursor = (batch[-1].made_at, batch[-1].game_id)
        games = {g.game_id: g for g in db.session.scalars(select(GameRow).where(GameRow.game_id.in_(ids), *where))}
        waiting = _waiting(ids, player_id) if my_turn else set(ids)
        found += [games[i] for i in ids if i in games and i in waiting]
    return _page(found, found[:limit], limit)


def _newest(query: Select[Any], table: Any, cursor: tuple[datetime, UUID] | None) -> Select[Any]:
    if cursor is not None:
        query = query.where(tuple_(table.made_at, table.game_id) < tuple_(*cursor))
    return query.order_by(table.made_at.desc(), table.game_id.desc())


def _waiting(ids: list[UUID], player_id: UUID | None) -> set[UUID]:
    """Those of the games that wait for this player himself."""
    asked = select(SeatRow.game_id).where(
        SeatRow.game_id.in_(ids), SeatRow.player_id == player_id, SeatRow.to_act, SeatRow.stand_in.is_(None)
    )
    return set(db.session.scalars(asked))


def _page(found: list[GameRow], shown: list[GameRow], limit: int) -> Page:
    ids = [game.game_id for game in shown]
    seats = (
        list(db.session.scalars(select(SeatRow).where(SeatRow.game_id.in_(ids)).order_by(SeatRow.seat))) if ids else []
    )
    people = {s.player_id for s in seats if s.player_id}
    named = db.session.execute(select(Player.player_id, Player.name).where(Player.player_id.in_(people)))
    names: dict[UUID | None, str] = {player_id: name for player_id, name in named}
    items = []
    for game in shown:
        rows = [_columns(s) | {"name": names.get(s.player_id)} for s in seats if s.game_id == game.game_id]
        items.append(summary(_columns(game), rows) | {"outcome": game.outcome})
    more = len(found) > limit
    return Page(items, (shown[-1].made_at, shown[-1].game_id) if more else None)


def _columns(row: Any) -> Json:
    return {column.key: getattr(row, column.key) for column in row.__table__.columns}
